"""What must be right before a window is opened: the call, the folders, the pin map and a screen to draw on.

Each check returns one line that says what is wrong and what to do, or an empty text. Nothing here imports Kivy.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from companion.places import HOME_HELP, default_data_folder
from companion.session.files import explain

__all__ = [
    "WINDOW_SYSTEMS",
    "call_fault",
    "call_parser",
    "folder_fault",
    "photo_folder",
    "screen_fault",
    "start_fault",
    "window_size",
]

WINDOW_SYSTEMS = "x11,wayland,KMSDRM"
"""What SDL may draw on where nothing was named. Left alone it draws where nobody can see when none of these answers."""

_DRM = Path("/dev/dri")
_LEAST_PX, _MOST_PX = 200, 16_384
"""Below it nothing can be read or tapped; beyond it no window system makes a window."""


def call_parser() -> argparse.ArgumentParser:
    """Return what reads the call of ``companion run``."""
    parser = argparse.ArgumentParser(prog="companion run", description="Open Table Companion.")
    parser.add_argument(
        "--home",
        type=Path,
        metavar="FOLDER",
        help=HOME_HELP % {"default": str(default_data_folder()).replace("%", "%%")},
    )
    parser.add_argument(
        "--size", type=window_size, default=(800, 480), metavar="WxH", help="window size in pixels"
    )
    parser.add_argument("--fullscreen", action="store_true", help="fill the screen")
    parser.add_argument(
        "--touch", action="store_true", help="take the touch panel as the only input (device)"
    )
    parser.add_argument("--rotation", type=int, choices=(0, 90, 180, 270), default=0, help="turn the picture")
    parser.add_argument("--demo", action="store_true", help="play the recorded game through the window")
    parser.add_argument(
        "--pictures", type=Path, metavar="FOLDER", help="with --demo: leave pictures, then end"
    )
    parser.add_argument("--silent", action="store_true", help="no sound")
    parser.add_argument(
        "--smoke", action="store_true", help="draw a few frames off-screen on an empty data folder, then end"
    )
    parser.add_argument(
        "--pinmap", type=Path, metavar="FILE", help="pin map of the panel (default: the one shipped)"
    )
    parser.add_argument("--no-panel", action="store_true", help="leave pins and serial ports alone")
    return parser


def window_size(text: str) -> tuple[int, int]:
    """Read the size of a window, such as ``800x480``. ArgumentTypeError for anything else."""
    found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", text)
    sides = () if found is None else (int(found[1]), int(found[2]))
    if len(sides) != 2 or not all(_LEAST_PX <= side <= _MOST_PX for side in sides):
        raise argparse.ArgumentTypeError(
            f"expected WIDTHxHEIGHT such as 800x480, each from {_LEAST_PX} to {_MOST_PX}, got {text[:40]!r}"
        )
    return sides


def call_fault(args: argparse.Namespace) -> str:
    """Return what is wrong with options that need each other."""
    if args.pictures is not None and not args.demo:
        return "--pictures: expected together with --demo, got it alone; add --demo, or leave --pictures out"
    return ""


def start_fault(args: argparse.Namespace) -> str:
    """Return what is wrong with what the call names: the data folder, the folder of pictures or the pin map.

    The data folder that nobody named is not judged: a box whose card fails still shows its screen and says so there.
    A pin map that is there but wrong is not judged either; the screen names its faults and the panel stays off.
    """
    if args.home is not None and not (args.demo or args.smoke):
        fault = folder_fault("--home", args.home)
        if fault:
            return fault
    if args.pictures is not None:
        fault = folder_fault("--pictures", args.pictures)
        if fault:
            return fault
    if args.pinmap is not None and not args.pinmap.is_file():
        got = "a folder" if args.pinmap.is_dir() else "no such file"
        return (
            f"--pinmap: {args.pinmap}: expected a pin map file, got {got}; "
            "check the name, or leave --pinmap out to use the one that came with the app"
        )
    return ""


def folder_fault(option: str, folder: Path) -> str:
    """Make a folder where it is not there and return why nothing can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (FileExistsError, NotADirectoryError):
        return f"{option}: {folder}: expected a folder, got a file in its place; name a folder"
    except OSError as fault:
        what = explain(fault)[0]
        return (
            f"{option}: {folder}: expected a folder that can be written, got: {what}; "
            "name another folder, or change its rights"
        )
    return ""


def photo_folder(home: Path) -> Path:
    """Return the folder of a data folder that photos are copied into; it is made where it can be."""
    folder = home / "photos"
    with contextlib.suppress(OSError):  # a card that cannot be written is told by the data folder
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def screen_fault(environ: Mapping[str, str], cards: Path = _DRM, platform: str = sys.platform) -> str:
    """Return that there is no screen, where that can be told without opening a window."""
    is_named = any(environ.get(name) for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"))
    if is_named or not platform.startswith("linux") or any(cards.glob("card*")):
        return ""
    return (
        "no screen here: expected DISPLAY or WAYLAND_DISPLAY, or a graphics card, got none; start it on the machine's "
        "own desktop (over ssh: ssh -X), or see the demo as pictures: companion run --demo --pictures FOLDER"
    )
