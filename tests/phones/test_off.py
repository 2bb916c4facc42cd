"""With phones off, and in no hall, there is nothing of either: no thread, no import, no socket. The running program is asked itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]

ASKS = """
import json, os, sys, threading
from companion import app
seen = {}
begin = app._Program.stop
def stop(self):
    links = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}")]
    inodes = {link[8:-1] for link in links if link.startswith("socket:")}
    rows = [line.split() for name in ("tcp", "tcp6") for line in open(f"/proc/self/net/{name}").readlines()[1:]]
    seen.update(
        state=[self.phones.state.is_on, self.root.phones is self.phones],
        threads=[one.name for one in threading.enumerate()],
        modules=sorted(sys.modules),
        listening=[row[1] for row in rows if row[3] == "0A" and row[9] in inodes],
        # Its own alone: other programs of this machine may well have phones on.
        unix=[
            row[-1] for row in map(str.split, open("/proc/self/net/unix"))
            if row[6] in inodes and row[-1].rpartition("/")[2].startswith(("phones-", "hall-"))
        ],
    )
    begin(self)
app._Program.stop = stop
code = app.main(["--smoke", "--silent", "--no-panel"])
print("TOLD" + json.dumps(seen))
sys.exit(code)
"""


def test_a_program_whose_phones_are_off_has_no_thread_no_import_and_no_socket_of_theirs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKS], cwd=TOP, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.partition("TOLD")[2])
    assert told["state"] == [False, True]
    assert "phones" not in told["threads"]
    mine = {
        "companion.pages.html",
        "companion.pages.phone_pages",
        "companion.adapters.phone_server",
        "companion.gateway",
    }
    foreign = {"starlette", "uvicorn", "h11", "segno"}
    assert not (mine | foreign) & set(told["modules"])
    assert not [name for name in told["modules"] if name.startswith(("companion.gateway", "companion.hall"))]
    assert "hall" not in told["threads"]
    assert not {"companion.adapters.hall_server", "aiomqtt", "paho"} & set(told["modules"])
    assert told["listening"] == []
    assert told["unix"] == []
