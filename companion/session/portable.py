"""A game as one text file: JSON lines that a person can read, a replay can play and an import can take back.

The first line is a header; every other line is one entry in the form of a recorded input, ``{"at_ms": ...,
"source": ..., "actor": ..., "command": ..., "args": {...}}``, with what was stored beside it under further keys.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from companion.core.codec import SCHEMA, Codec
from companion.core.commands import Command, StartGame
from companion.core.history import Entry
from companion.core.ids import MOST_MS
from companion.core.plaintext import NoTextError, text_of
from companion.core.sound import Misfit
from companion.core.text import Say, Typed, several
from companion.session.bounds import (
    MOST_ENTRIES,
    MOST_LINE,
    bounded_bytes,
    bounded_json,
    excess,
    named_twice,
)
from companion.session.chain import line_of
from companion.session.errors import FileValueError
from companion.session.limits import MOST_LABEL
from companion.session.pin import public_name
from companion.session.rows import row_of

__all__ = [
    "FORMAT",
    "PORTABLE_SUFFIX",
    "Header",
    "Line",
    "Portable",
    "command_of",
    "exported_line",
    "misfit_error",
    "portable_bytes",
    "read_portable",
]

FORMAT = "table-companion-game"
PORTABLE_SUFFIX = ".jsonl"
_VERSION = 1
_MOST_BYTES = 32 << 20
_COPY_AGAIN = Say("copy the file again from where it was exported")
_EXPECTED_GOT = re.compile(
    r"^Expected (?P<expected>.*?)(?:, got (?P<got>.*?))?(?: - at `\$\.?(?P<key>.*)`)?$"
)
_MISSING = re.compile(r"^Object missing required field `(?P<key>\w+)`(?: - at `\$\.?(?P<at>.*)`)?$")
_OUT_OF_RANGE = re.compile(r"^(?:Integer value|Number) out of range(?: - at `\$\.?(?P<key>.*)`)?$")
_UNKNOWN = re.compile(r"^Object contains unknown field `(?P<key>\w+)`(?: - at `\$\.?(?P<at>.*)`)?$")


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """First line of a portable game."""

    format: str
    version: int
    game: str
    scenario: str
    title: str
    app_version: str
    entries: int
    sha256: str
    """Of everything behind the header line."""


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One recorded input, or one stored entry."""

    at_ms: int
    """The instant at which it was decided; also the stamp of a command whose `args` name none."""
    command: str
    source: str = "replay"
    actor: str = "table"
    args: dict[str, Any] = {}
    events: list[dict[str, Any]] | None = None
    """What it led to, in an exported game."""
    boot_id: str = ""
    wall_ms: int = 0
    app_version: str = ""
    schema: int = SCHEMA


class Portable(NamedTuple):
    """A file that was read: `lines` pairs each line with its number in the file."""

    path: Path
    header: Header | None
    lines: tuple[tuple[int, Line], ...]
    fault: Say | None = None
    """Why the lines are not what the header says: one sentence; None when they are, or there is no header."""


def portable_bytes(entries: Sequence[Entry], codec: Codec, app_version: str) -> bytes:
    """Return a game as the content of a portable file. ValueError without a first entry that starts a game."""
    setup = getattr(entries[0].command, "setup", None) if entries else None
    if setup is None:
        raise ValueError("a game begins with StartGame")
    body = b"".join(exported_line(entry, codec) + b"\n" for entry in entries)
    header = Header(
        format=FORMAT,
        version=_VERSION,
        game=setup.game,
        scenario=setup.scenario,
        title=setup.title,
        app_version=app_version,
        entries=len(entries),
        sha256=hashlib.sha256(body).hexdigest(),
    )
    return msgspec.json.encode(header) + b"\n" + body


def read_portable(path: Path, *, is_whole: bool = False) -> Portable:
    """Read a recording or an exported game.

    With `is_whole` the header must be there and its count and check sum right, as an import needs it. Raises
    FileValueError that names file, line, key, expected and got.
    """
    data = bounded_bytes(path, _MOST_BYTES)
    with suppress(NoTextError):  # a line that is no text is told with its number below
        data = text_of(data).encode()
    head, _, body = data.partition(b"\n")
    header = _header(path, head)
    if header is None:
        if is_whole:
            raise FileValueError(
                path,
                line=1,
                key="format",
                expected=Typed(FORMAT),
                got=Say("a different first line"),
                hint=Say(
                    "only files written by Export can be imported; play recordings with companion replay"
                ),
            )
        body = data
    lines = tuple(_lines(path, body, is_export=header is not None))
    wrong_how = None
    if header is not None:
        try:
            _check_whole(path, header, body, lines)
        except FileValueError as wrong:
            if is_whole:
                raise
            wrong_how = wrong.say
    return Portable(path, header, lines, wrong_how)


def command_of(path: Path, number: int, line: Line, codec: Codec) -> Command:
    """Return the command of a line; FileValueError when there is no such command or its arguments are wrong."""
    kind = codec.command_types.get(line.command)
    if kind is None:
        known = several(map(Typed, sorted(codec.command_types)), "comma")
        raise FileValueError(
            path,
            line=number,
            key="command",
            expected=Say("one of {names}", names=known),
            got=Typed(repr(line.command)),
        )
    args = dict(line.args)
    fields = {field.name for field in msgspec.structs.fields(kind)}
    if "at_ms" in fields:
        args.setdefault("at_ms", line.at_ms)
    unknown = sorted(set(args) - fields)
    if unknown:
        names = Typed(", ".join(sorted(fields))) if fields else Say("no arguments")
        raise FileValueError(
            path, line=number, key=f"args.{unknown[0]}", expected=names, got=Typed(repr(unknown[0]))
        )
    try:
        return codec.command_from(line.command, args)
    except msgspec.ValidationError as fault:
        raise _fault(path, number, fault, "args.") from fault


def exported_line(entry: Entry, codec: Codec) -> bytes:
    """Return an entry as a line of a portable game: as the journal chains it, but for what would let a PIN be tried."""
    if isinstance(entry.command, StartGame) and entry.command.setup.arbiter_hash:
        # Nothing that leaves the box lets a PIN be tried; games of before hold a hash of it.
        name = public_name(entry.command.setup.arbiter_hash)
        setup = replace(entry.command.setup, arbiter_hash=name)
        entry = replace(entry, command=replace(entry.command, setup=setup))
    return line_of(row_of(entry, codec))


def _header(path: Path, head: bytes) -> Header | None:
    try:
        found = bounded_json(head[:MOST_LINE])
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        if isinstance(fault, msgspec.ValidationError) and _OUT_OF_RANGE.match(str(fault)):
            raise _fault(path, 1, fault) from fault
        return None
    if not isinstance(found, dict) or "format" not in found:
        return None
    if found["format"] != FORMAT:
        raise FileValueError(
            path, line=1, key="format", expected=Typed(FORMAT), got=Typed(repr(found["format"]))
        )
    if (misfit := excess(found)) is not None:
        raise misfit_error(path, 1, misfit)
    version = found.get("version")
    if isinstance(version, int) and version > _VERSION:
        raise FileValueError(
            path,
            line=1,
            key="version",
            expected=Say("at most {most}", most=_VERSION),
            got=Typed(str(version)),
            hint=Say("update Table Companion"),
        )
    try:
        return msgspec.convert(found, Header)
    except msgspec.ValidationError as fault:
        raise _fault(path, 1, fault) from fault


def _lines(path: Path, body: bytes, *, is_export: bool) -> Iterable[tuple[int, Line]]:
    if body.count(b"\n") > 2 * MOST_ENTRIES:
        raise FileValueError(
            path, expected=Say("at most {most} lines", most=2 * MOST_ENTRIES), got=Say("a larger file")
        )
    for number, raw in enumerate(body.split(b"\n"), start=2 if is_export else 1):
        if not raw.strip():
            continue
        try:
            if len(raw) > MOST_LINE:
                raise msgspec.ValidationError(f"Expected at most {MOST_LINE} bytes, got {len(raw)}")
            line: Line = bounded_json(raw, Line)
            if (misfit := _line_misfit(line)) is not None:
                raise misfit_error(path, number, misfit)
            if twice := named_twice(raw):
                raise misfit_error(path, number, Misfit(twice, Say("each key once"), Say("the key twice")))
            yield number, line
        except msgspec.ValidationError as fault:
            raise _fault(path, number, fault) from fault
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise FileValueError(
                path,
                line=number,
                expected=Say("one JSON object"),
                got=Say("a line that is damaged or cut off"),
                hint=_COPY_AGAIN if is_export else None,
            ) from fault


def misfit_error(path: Path, number: int, misfit: Misfit, prefix: str = "") -> FileValueError:
    """Return the error of a value that does not fit, by its line."""
    expected, got = (Say("{value}", value=value) for value in misfit[1:])
    return FileValueError(path, line=number, key=f"{prefix}{misfit.key}", expected=expected, got=got)


def _line_misfit(line: Line) -> Misfit | None:
    for key in ("at_ms", "wall_ms"):
        if not 0 <= getattr(line, key) <= MOST_MS:
            return excess(getattr(line, key), key) or Misfit(key, Say("a time"), Say("a number below zero"))
    for key in ("source", "actor", "boot_id", "app_version", "command"):
        if len(getattr(line, key)) > MOST_LABEL:
            return Misfit(key, Say("at most {most} letters", most=MOST_LABEL), len(getattr(line, key)))
    return excess(line.schema, "schema") or excess(line.args, "args") or excess(line.events or [], "events")


def _check_whole(path: Path, header: Header, body: bytes, lines: Sequence[Any]) -> None:
    if header.entries != len(lines):
        raise FileValueError(
            path,
            line=1,
            key="entries",
            expected=Say.counted("{n} entry", "{n} entries", header.entries),
            got=Typed(str(len(lines))),
            hint=_COPY_AGAIN,
        )
    found = hashlib.sha256(body).hexdigest()
    if header.sha256 not in (found, hashlib.sha256(_as_exported(body)).hexdigest()):
        raise FileValueError(
            path, line=1, key="sha256", expected=Typed(header.sha256), got=Typed(found), hint=_COPY_AGAIN
        )


def _as_exported(body: bytes) -> bytes:
    """Return the lines of an export ended as it ends them: mail and editors change that and nothing else."""
    return b"".join(raw.removesuffix(b"\r") + b"\n" for raw in body.split(b"\n") if raw.strip())


def _fault(path: Path, number: int, fault: msgspec.ValidationError, prefix: str = "") -> FileValueError:
    """Name the key that msgspec's message names: it has no structured form of its faults."""
    text = str(fault)
    for pattern, expected, got in (
        (_MISSING, Say("a value"), Say("nothing")),
        (_UNKNOWN, Say("no such key"), Say("one")),
    ):
        found = pattern.match(text)
        if found:
            at = f"{found['at']}." if found["at"] else ""
            return FileValueError(
                path, line=number, key=f"{prefix}{at}{found['key']}", expected=expected, got=got
            )
    if found := _OUT_OF_RANGE.match(text):
        key = f"{prefix}{found['key'] or ''}".rstrip(".")
        expected, got = Say("a number that fits"), Say("a number beyond 64 bits")
        return FileValueError(path, line=number, key=key, expected=expected, got=got)
    found = _EXPECTED_GOT.match(text)
    if found:
        key = f"{prefix}{found['key'] or ''}".rstrip(".")
        return FileValueError(
            path,
            line=number,
            key=key,
            expected=Typed(found["expected"]),
            got=Typed(found["got"]) if found["got"] else Say("something else"),
        )
    return FileValueError(
        path, line=number, key=prefix.rstrip("."), expected=Say("different arguments"), got=Typed(text)
    )
