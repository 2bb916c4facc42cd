"""Hold what the hall has of its tables against the tables' own files, entry by entry."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from companion.hall.desk.logs import FILE, Branch, Logs
from companion.hall.store import COPY

__all__ = ["Row", "compared", "desks_in", "files_in", "written"]


class Row(NamedTuple):
    """One course of play, and what comparing it has shown."""

    table: str
    game: str
    branch: str
    entries: int
    file: str
    is_equal: bool
    text: str


def desks_in(folder: Path) -> list[Path]:
    """Return where the logs of a director's tables lie: his own, and those that other directors of a shared record have told."""
    mine = folder / "desk"
    others = sorted((folder / "others").glob(f"*/{FILE}"))
    return [*([mine] if (mine / FILE).is_file() else []), *(one.parent for one in others)]


def files_in(folder: Path) -> tuple[dict[str, list[bytes]], list[str]]:
    """Return every game under a folder as lines by its file, and in one line each what could not be read."""
    from companion.adapters.catalogue import GameCatalogue
    from companion.session.errors import SessionError
    from companion.session.files import read_at_most
    from companion.session.journal import SUFFIX
    from companion.session.limits import MOST_FILE_BYTES
    from companion.session.portable import PORTABLE_SUFFIX, exported_line
    from companion.session.shelf import Shelf

    shelf, found, faults = Shelf(folder, GameCatalogue().rules_of, "hall"), {}, []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        try:
            if path.name.endswith(SUFFIX) and ".damaged" not in path.suffixes:
                read = shelf.read(path)
                found[name] = [exported_line(entry, read.codec) for entry in read.timeline.entries]
                if read.loss is not None:
                    faults.append(f"{name}: {read.loss}")
            elif (
                path.name.endswith(PORTABLE_SUFFIX) and path.name != COPY
            ):  # a tournament's record is no game
                found[name] = [
                    line for line in read_at_most(path, MOST_FILE_BYTES).splitlines()[1:] if line.strip()
                ]
        except (SessionError, OSError) as fault:
            faults.append(f"{name}: {fault}")
    return found, faults


def compared(desks: Sequence[Logs], games: Path | None) -> tuple[list[Row], list[str]]:
    """Return a row for each course of play that the hall has, at whichever desk, and the faults of the tables' files.

    Without `games` each course is only held against its own chain.
    """
    files, faults = files_in(games) if games is not None else ({}, [])
    by_first = {lines[0]: name for name, lines in files.items() if lines}
    courses = [(one, logs.course(one)) for logs in desks for one in logs.branches()]
    rows, met = [], set()
    for one, lines in courses:
        if len(lines) != one.seq:
            rows.append(
                _row(one, "", False, f"the hall's own chain breaks: {len(lines)} of {one.seq} entries")
            )
            continue
        name = by_first.get(lines[0], "") if lines else ""
        if games is None:
            rows.append(_row(one, "", True, f"{one.seq} entries, whole"))
        elif not name:
            rows.append(_row(one, "", False, f"{one.seq} entries, and no file of the table has this game"))
        else:
            met.add(name)
            others = [other for _b, other in courses if other and other[0] == lines[0] and other is not lines]
            is_equal, text = _told(lines, files[name], any(other == files[name] for other in others))
            rows.append(_row(one, name, is_equal, f"{name}: {text}"))
    for name in sorted(set(files) - met):
        rows.append(
            Row(
                "?",
                "",
                "",
                0,
                name,
                False,
                f"{name}: {len(files[name])} entries, and the hall has none of it",
            )
        )
    return rows, faults


def _row(one: Branch, file: str, is_equal: bool, text: str) -> Row:
    return Row(one.table, one.game, one.branch, one.seq, file, is_equal, f"table {one.table}: {text}")


def _told(held: Sequence[bytes], own: Sequence[bytes], has_whole: bool) -> tuple[bool, str]:
    """Return whether a course is the table's own file, and what differs."""
    same = 0
    for a, b in zip(held, own, strict=False):
        if a != b:
            break
        same += 1
    if same == len(held) == len(own):
        return True, f"{same} entries, equal"
    if has_whole and same == len(held):
        return True, f"the first {same} of {len(own)} entries, equal; the game went on at another box"
    if has_whole:
        return (
            True,
            f"a branch: {len(held) - same} entries after entry {same} are here alone; the table lost them",
        )
    if same == len(held):
        return False, f"the hall lacks the last {len(own) - same} of {len(own)} entries"
    if same == len(own):
        return False, f"the file lacks the last {len(held) - same} of {len(held)} entries that the hall has"
    return False, f"entry {same + 1} differs; {len(held)} at the hall, {len(own)} in the file"


def written(logs: Logs, folder: Path) -> list[Path]:
    """Write each course of play as a portable game, as for a dead box, and return the files."""
    import hashlib

    import msgspec

    from companion.session.portable import FORMAT, PORTABLE_SUFFIX, Header

    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for one in logs.branches():
        lines = logs.course(one)
        body = b"".join(line + b"\n" for line in lines)
        setup: dict[str, object] = {}
        with contextlib.suppress(msgspec.MsgspecError, LookupError, TypeError):
            setup = dict(msgspec.convert(msgspec.json.decode(lines[0])["args"]["setup"], dict[str, object]))
        header = Header(
            format=FORMAT,
            version=1,
            game=str(setup.get("game", "")),
            scenario=str(setup.get("scenario", "")),
            title=str(setup.get("title", "")),
            app_version="hall",
            entries=len(lines),
            sha256=hashlib.sha256(body).hexdigest(),
        )
        path = folder / f"table-{one.table}-{one.game[:8]}-{one.digest[:8]}{PORTABLE_SUFFIX}"
        path.write_bytes(msgspec.json.encode(header) + b"\n" + body)
        made.append(path)
    return made
