"""In the machine: makes the devices, starts the program on the console's picture, and moves the devices as the test tells."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hardware.pinmap import default_pinmap
from hardware.ports import Button
from tests.box.guest import SimulatedChip, heard, main, say, until
from tests.box.pico import PicoBox
from tests.box.touchpanel import TouchPanel

SIZE = (800, 480)
PATIENCE_S = 900
"""A first frame takes minutes where others want this machine too."""


def seen() -> dict[str, Any]:
    """Ask the program what is on its screen."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(PATIENCE_S)
        link.connect(f"{tempfile.gettempdir()}/looks")
        data = b""
        while piece := link.recv(65536):
            data += piece
    return dict(json.loads(data))


def can_look() -> bool:
    try:
        return bool(seen().get("size"))
    except OSError:
        return False


def begin(home: str, options: list[str]) -> subprocess.Popen[bytes]:
    """Start the program as the service does, on the bare console."""
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("guest_window.py")), "--fullscreen", "--touch", "--home", home, *options],
        env=os.environ | {"SDL_VIDEODRIVER": "KMSDRM", "XDG_RUNTIME_DIR": "/run/tmp"},
        stdin=subprocess.DEVNULL, stdout=sys.stderr, cwd="/run/tmp",
    )  # fmt: skip


def until_it_looks(program: subprocess.Popen[bytes]) -> int | None:
    """Wait until the program shows something; return its exit code where it ended instead."""
    until(lambda: can_look() or program.poll() is not None, PATIENCE_S)
    return program.poll()


def is_read(program: subprocess.Popen[bytes], device: Path) -> bool:
    """Say whether a program has a device open."""
    for one in Path(f"/proc/{program.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed while it is looked at
            if one.readlink() == device:
                return True
    return False


def games_folder() -> str:
    """Return the folder for the games: on the machine's disk, where it has one."""
    home = Path("/run/tmp/home")
    home.mkdir()
    if Path("/dev/vda").exists():
        subprocess.run(["mount", "-t", "ext4", "-o", "commit=5", "/dev/vda", str(home)], check=True)
    return str(home / "games")


def act() -> None:
    home = games_folder()
    chip = SimulatedChip("header", "pinctrl-bcm2711", 54)
    lines = {button: pin.gpio for button, pin in default_pinmap().buttons.items()}
    for line in lines.values():
        chip.pull(line, True)
    usb = PicoBox()
    program: subprocess.Popen[bytes] | None = None
    say("ready")
    for words in heard():
        match words:
            case ["panel"]:
                before = set(Path("/dev/input").glob("event*"))
                panel = TouchPanel(*SIZE)
                (device,) = until(lambda before=before: set(Path("/dev/input").glob("event*")) - before)
                if program is not None:
                    until(lambda program=program, device=device: is_read(program, device), PATIENCE_S)
                say("panel")
            case ["start", *options]:
                program = begin(home, options)
                say("started", until_it_looks(program))
            case ["look"]:
                say("seen", seen())
            case ["tap", *points]:
                before_ns = time.monotonic_ns()
                for finger, (x, y) in enumerate(points):
                    panel.down(finger, x, y)
                after_ns = time.monotonic_ns()
                time.sleep(0.15)
                for finger in range(len(points)):
                    panel.up(finger)
                say("tapped", [before_ns, after_ns])
            case ["turn", turn]:
                panel.turn = turn
                say("mounted")
            case ["press", name, held_s]:
                button = Button(name)
                # Held while the program opens it, a button counts only once it has been up.
                until(lambda line=lines[button]: chip.is_used(line), PATIENCE_S)
                down = chip.pull(lines[button], False)
                time.sleep(held_s)
                say("pressed", [down, chip.pull(lines[button], True)])
            case ["usb", "plug"]:
                usb.plug()
                until(lambda: usb.box.is_up, PATIENCE_S)  # greeted by the program
                say("plugged")
            case ["usb", "pull"]:
                usb.pull()
                say("pulled")
            case ["usb", name, held_s]:
                down_ns = usb.move(Button(name), True)
                time.sleep(held_s)
                say("pressed", [[down_ns, down_ns], [up_ns := usb.move(Button(name), False), up_ns]])
            case ["end"]:
                return


if __name__ == "__main__":
    main(act)
