"""``companion hall take`` and ``box``: results that tables have signed, from texts, files and photos, and whose word counts."""

from __future__ import annotations

import argparse
import os
import re as re_
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO

from companion.core.plaintext import NoTextError, text_of
from companion.core.text import Say
from companion.hall import happenings as hp
from companion.hall import record as re
from companion.hall.desk.logs import FILE as LOGS
from companion.hall.desk.logs import Logs
from companion.hall.errors import HallError
from companion.hall.intake import carded, taken, told
from companion.hall.outcome import Way
from companion.hall.result import MARK, is_result, read_result
from companion.hall.store import Store
from vision.folder import PHOTO_ENDINGS
from vision.quiet import quiet

__all__ = ["box", "codes_in_photo", "counted", "now_text", "take", "take_text", "texts_of", "two_eyes"]

_MOST_BYTES = 64 << 20
_PRINT = re_.compile(r"[A-Z2-7]{16}")


def now_text() -> str:
    """Return the wall time of this machine, as a record notes it."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def counted(n: int, word: str) -> str:
    """Return a number of things in English, as ``1 round`` or ``2 rounds``."""
    return f"{n} {word}{'' if n == 1 else 's'}"


def take(args: argparse.Namespace) -> int:
    """Take signed results; 3 where some were refused, 1 where all were."""
    store = Store(args.folder)
    with quiet():
        texts = texts_of(args.what)
    _know_cards(store)
    fine = 0
    for text in texts:
        try:
            print(take_text(store, text, "code", now_text()))
            fine += 1
        except HallError as fault:
            print(f"companion hall: {fault}", file=sys.stderr)
    return 0 if fine == len(texts) else 3 if fine else 1


def _know_cards(store: Store) -> None:
    """Let the record know the boxes that came with a card, and those that were shut out."""
    desk = store.folder / "desk"
    if not (desk / LOGS).exists():
        return
    logs = Logs(desk)
    try:
        cards = logs.cards()
    finally:
        logs.close()
    fresh = carded(store.tournament, cards)
    if fresh:
        store.add(fresh, now_text())


def take_text(store: Store, text: str, way: Way, at: str) -> str:
    """Take one signed result and return in a line what it did; one that is known adds nothing to the record.

    HallError, in one line, where it is refused.
    """
    what = taken(store.tournament, read_result(text), way)
    before = store.tournament
    after = re.happen(before, what)
    if after is not before:
        after = store.add([what], at)
    pairing = re.pairing_at(after, what.round, what.table)
    result = what.report.result
    seats = [after.players[player].name for player in (pairing.first, pairing.second) if player is not None]
    won = "draw" if result.winner is None else f"{after.players[result.winner].name} wins"
    return f"round {what.round}, table {what.table}: {' - '.join(seats)}: {won}: {told(before, after, what)}"


def texts_of(what: str) -> list[str]:
    """Return the texts of results in a photo, in a file, or in what was typed. HallError where there is none."""
    if is_result(what):
        return [what.strip().upper()]
    path = Path(what)
    if not os.path.isfile(what):  # whatever it is, also a text that is too long for a name
        raise HallError(f"{what[:80]!r} is no file, and no text of a result, which begins with {MARK}")
    if path.suffix.lower() in PHOTO_ENDINGS:
        found = [text for text in codes_in_photo(path) if is_result(text)]
        if not found:
            raise HallError(
                f"{path}: the code in the photo is no result of a table; take the one that the box shows"
            )
        return found
    if path.stat().st_size > _MOST_BYTES:
        raise HallError(f"{path}: expected a text of results or a photo, got {path.stat().st_size} bytes")
    try:
        lines = [line.strip() for line in text_of(path.read_bytes()).splitlines()]
    except NoTextError as fault:
        raise HallError(f"{path}: expected {fault.expected}, got {fault.got}") from None
    found = [line for line in lines if is_result(line)]
    if not found:
        raise HallError(f"{path}: no line begins with {MARK}")
    return found


def codes_in_photo(path: Path) -> tuple[str, ...]:
    """Return the texts of all QR codes in a photo, at least one; HallError says why there is none."""
    from vision.codes import read_qrs
    from vision.errors import VisionError
    from vision.load import load_photo

    try:
        return read_qrs(load_photo(path))
    except VisionError as fault:
        say = fault.say
        raise HallError(f"{path}: {str(say).rstrip('.') if isinstance(say, Say) else say}") from None


def box(args: argparse.Namespace) -> int:
    """Say whose signature counts for a table: by the fingerprint that its box shows, compared by eye."""
    store = Store(args.folder)
    known = store.tournament.boxes
    if args.table is None:
        for print_, table in sorted(known.items(), key=lambda one: one[1]):
            print(f"{print_}  {f'table {table}' if table else 'retired'}")
        return 0
    wanted = "".join(sign for sign in args.box.upper() if sign.isalnum())
    if not _PRINT.fullmatch(wanted):
        raise HallError(
            f"expected the fingerprint that the box shows, such as K7QF-2MHD-X4PR-9TBC, got {args.box!r}"
        )
    print_ = "-".join(wanted[at : at + 4] for at in range(0, 16, 4))
    store.add([hp.BoxRetired(print_) if args.retire else hp.BoxKnown(args.table, print_)], now_text())
    print(f"box {print_}: {'retired' if args.retire else f'table {args.table}'}")
    return 0


def two_eyes(names: Sequence[str], ask: TextIO) -> tuple[str, ...]:
    """Return who reads a slip: as given, or as two people type when they are asked."""
    if names:
        return tuple(names)
    typed = []
    for which in ("who reads the slip", "who reads it again"):
        print(f"{which}: ", end="", file=sys.stderr, flush=True)
        typed.append(ask.readline().strip())
    return tuple(typed)
