"""``companion phones``: turn the phones of the running program on and off, see who is there, send one away, let nobody else in."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from companion.adapters.phones_asked import Question, Told, What, ask_file, told_file
from companion.places import default_data_folder
from companion.session.files import read_at_most, write_whole
from companion.session.limits import MOST_SMALL_BYTES

__all__ = ["main"]

_ANSWER_S, _CONNECTED_S = 5.0, 20.0

_MORE = """
It speaks to the program that runs with the same data folder; nothing is turned on for one that does not run.

exit codes: 0 done; 1 it could not be done, and why; 2 the command line was wrong"""


def main(argv: Sequence[str]) -> int:
    """Ask the running program and print how its phones stand; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="companion phones",
        description="Turn phones on or off, show how they stand, take a seat away from a phone, or let no other phone ask for one.",
        epilog=_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=("on", "off", "status", "kick", "lock", "open"))
    parser.add_argument("seat", nargs="?", default="", help="for kick: a side such as axis, or arbiter")
    parser.add_argument("--address", default="", help="for on: which of this machine's networks")
    parser.add_argument(
        "--home", type=Path, default=default_data_folder(), help="the program's data folder (%(default)s)"
    )
    args = parser.parse_args(list(argv))
    if (args.what == "kick") != bool(args.seat) or (args.address and args.what != "on"):
        wanted = "kick needs a seat" if args.what == "kick" else "only kick takes a seat, only on an address"
        print(f"companion phones: {wanted}", file=sys.stderr)
        return 2
    try:
        told = _ask(args.home, args.what, args.seat or args.address)
        until = time.monotonic() + _CONNECTED_S
        while args.what == "on" and told is not None and not told.fault and _is_starting(told):
            if time.monotonic() > until:
                break
            told = _ask(args.home, "status")
        if args.what in ("kick", "lock", "open") and told is not None and not told.fault:
            told = _ask(args.home, "status")  # by now it is done
    except OSError as fault:
        return _fails(f"{fault.filename or args.home}: {fault.strerror}; ask as the user whose program it is")
    if told is None:
        return _fails(f"no program that uses {args.home} answers; start it, or name its folder with --home")
    if told.fault:
        more = f" ({', '.join(told.addresses)})" if args.what == "on" and told.addresses else ""
        return _fails(f"{told.fault}{more}; --address says which" if more else told.fault)
    print("\n".join(_lines(told)))
    return 1 if args.what == "on" and not told.is_connected else 0


def _is_starting(told: Told) -> bool:
    return told.is_on and not told.is_connected


def _ask(home: Path, what: What, value: str = "") -> Told | None:
    """Ask once; None where nobody answers. OSError where the folder is somebody else's, or there is none."""
    asks, tells = ask_file(home), told_file(home)
    if not asks.parent.is_dir():
        return None
    question = Question(secrets.token_hex(8), what, value)
    tells.unlink(missing_ok=True)
    write_whole(asks, msgspec.json.encode(question), mode=0o600, is_folders=True)
    until = time.monotonic() + _ANSWER_S
    while time.monotonic() < until:
        time.sleep(0.05)
        try:
            told = msgspec.json.decode(read_at_most(tells, MOST_SMALL_BYTES), type=Told)
        except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
            continue
        if told.id == question.id:
            tells.unlink(missing_ok=True)
            return told
    asks.unlink(missing_ok=True)
    return None


def _lines(told: Told) -> list[str]:
    if not told.is_on:
        return [f"Phones are off.{' ' + told.why_off if told.why_off else ''}"]
    lines = [
        f"Phones are on at http://{told.address} with the code {told.code[:4]} {told.code[4:]}.",
        f"Watching:  {told.watching}",
    ]
    lines += [
        f"Seat:      {one.seat}  {'its own phone' if one.is_private else one.name}" for one in told.seats
    ]
    lines += [f"Asks:      {one.seat}  {one.name}" for one in told.wishes]
    if told.is_locked:
        lines.append("Locked:    nobody else may ask for a seat.")
    if not told.is_connected:
        lines.append("The part that phones talk to has not started yet.")
    return lines


def _fails(text: str) -> int:
    print(f"companion phones: {text}", file=sys.stderr)
    return 1
