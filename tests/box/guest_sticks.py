"""In the machine: USB sticks, mounted by the script that udev starts on a box, and written by the program's own user."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from companion.adapters.sticks import is_stick_unread, usb_sticks
from tests.box.guest import main, say, until
from tests.box.kernel import TOP

USER, ROOT, DISKS = 4242, Path("/run/tmp/root"), Path("/sys/block")
STICKS = 5


def ran(*command: object) -> tuple[int, str]:
    """Run a program, and return how it ended and what it said."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def be_a_box() -> None:
    """Have the user of a box; this machine's own list of users can only be read."""
    for name, line in (
        ("passwd", f"companion:x:{USER}:{USER}::/:/bin/sh"),
        ("group", f"companion:x:{USER}:"),
    ):
        Path("/run", name).write_text(Path("/etc", name).read_text() + line + "\n")
        subprocess.run(["mount", "--bind", f"/run/{name}", f"/etc/{name}"], check=True)
    (ROOT / "media").mkdir(parents=True)
    os.environ["COMPANION_ROOT"] = str(ROOT)


def use(disk: Path) -> list[object]:
    """Plug a stick in, read and write on it, and let it go."""
    place = ROOT / "media" / disk.name
    alone = Path("/run/tmp") / disk.name
    alone.mkdir()
    (alone / disk.name).symlink_to(disk.resolve())
    ended, said = ran(TOP / "deploy/stick", "add", disk.name)
    is_listed, is_unread = usb_sticks([ROOT / "media"]) == [place], is_stick_unread(alone)
    as_user = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "sh", "-c")
    written = ran(*as_user, f"echo moved >{place}/made.txt && sync {place}/made.txt && cat {place}/made.txt")
    listed = ran(*as_user, f"ls {place} && ln -s / {place}/out; {place}/made.txt")
    ran(TOP / "deploy/stick", "remove", disk.name)
    return [ended, said, is_listed, is_unread, written, listed, place.exists()]


def act() -> None:
    be_a_box()
    for disk in until(lambda: found if len(found := sorted(DISKS.glob("sd*"))) == STICKS else []):
        until((Path("/dev") / disk.name).exists)
        say("stick", [int((disk / "size").read_text()) >> 11, *use(disk)])


if __name__ == "__main__":
    main(act)
