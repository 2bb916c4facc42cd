"""``companion browser``: the demo evening for a browser on this machine, where there is no screen to open a window on."""

from __future__ import annotations

import argparse
import contextlib
import queue
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.desk_host import DeskHost
from companion.adapters.phones import PORT, PhoneLink
from companion.adapters.phones_asked import PhonesAsked
from companion.adapters.shell import ShellDesk
from companion.cli import version
from companion.pages.speak import speak
from companion.places import DEMO
from companion.session.portable import read_portable
from companion.session.replay import Player
from companion.session.timesource import ManualTime

__all__ = ["main"]

_LOOPBACK = "127.0.0.1"
_START_S = 20.0


def main(argv: Sequence[str]) -> int:
    """Play the demo evening, show it on loopback until interrupted, and return the exit code."""
    args = _parser().parse_args(list(argv))
    if not 0 < args.port < 1 << 16 or not 0 <= args.pace <= 3600:
        print(
            "companion browser: expected a port from 1 to 65535 and a pace from 0 to 3600 s", file=sys.stderr
        )
        return 2
    ends = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_told: ends.set())
    with contextlib.ExitStack() as stack:
        home = args.home or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="companion-browser-"))
        )
        try:
            home.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            print(f"companion browser: --home: {home} cannot be used: {fault.strerror}", file=sys.stderr)
            return 1
        return _show(home, args, ends)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="companion browser",
        description="Play the recorded Italy evening and show it to a browser on this machine alone. Nothing else of "
        "this machine is shown, and no other machine can reach it. The address that is printed lets one browser in.",
    )
    parser.add_argument("--port", type=int, default=PORT, help=f"first port to try ({PORT})")
    parser.add_argument(
        "--pace", type=float, default=2.0, metavar="S", help="seconds from one act to the next (2)"
    )
    parser.add_argument(
        "--home", type=Path, metavar="FOLDER", help="play in this folder instead of one that is deleted"
    )
    return parser


def _show(home: Path, args: argparse.Namespace, ends: threading.Event) -> int:
    waiting: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    catalogue, clock = GameCatalogue(), ManualTime()
    desk = ShellDesk(home, catalogue, post=waiting.put, app_version=version(), time=clock)
    phones = PhoneLink(
        desk,
        home / "keys",
        post=waiting.put,
        wall_ms=desk.time.wall_ms,
        on_fault=lambda fault: desk.crashes.write(fault, "phones"),
        folder=lambda: _sockets(home),
        port=args.port,
        is_once=True,
    )
    asked = PhonesAsked(home, phones)

    def drain() -> None:
        asked.look()
        with contextlib.suppress(queue.Empty):
            while True:
                waiting.get_nowait()()

    try:
        phones.go_on()
        if not phones.state.is_on:
            phones.turn_on(_LOOPBACK)
        if not _is_connected(phones, drain, ends):
            fault = phones.state.fault
            if not ends.is_set():
                print(
                    f"companion browser: {speak(fault) if fault is not None else 'no answer'}",
                    file=sys.stderr,
                )
            return 0 if ends.is_set() else 1
        state = phones.state
        print(f"Open on this machine, once:  http://{state.address}/j/{state.code}")
        print(f"What spectators see:         http://{state.address}/tv?t={state.tv}")
        print("Ctrl-C ends it.", flush=True)
        player = Player(
            read_portable(DEMO), DeskHost(desk, drain), clock, catalogue.rules_of, catalogue.make_setup
        )
        for _played in player.play():
            if _pause(args.pace, drain, ends):
                return 0
        while not _pause(1.0, drain, ends):
            pass
        return 0
    finally:
        phones.close()
        desk.close()


def _sockets(home: Path) -> Path:
    """Return where the socket lies: this evening's folder, or the user's own where its path is too long for one."""
    from companion.adapters.phones import runtime_folder

    return home if len(str(home)) < 70 else runtime_folder()


def _is_connected(phones: Any, drain: Callable[[], None], ends: threading.Event) -> bool:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and not ends.is_set():
        drain()
        if phones.state.is_connected or not phones.state.is_on:
            break
        time.sleep(0.02)
    return bool(phones.state.is_connected)


def _pause(seconds: float, drain: Callable[[], None], ends: threading.Event) -> bool:
    """Wait, doing what comes up; return whether all ends."""
    until = time.monotonic() + seconds
    while True:
        drain()
        if ends.wait(min(0.05, max(0.0, until - time.monotonic()))):
            return True
        if time.monotonic() >= until:
            return False
