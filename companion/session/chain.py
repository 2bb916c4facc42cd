"""The chain that runs through a game's entries, so that none can go, come or change unnoticed.

``d(0) = SHA-256(game id)``, ``d(n) = SHA-256(d(n-1) + line n)``, where a line is the entry as one JSON object, the
form of a portable game. Each row carries the game's id and the digest of the row before it; a `Claim` says which
entry was the newest at some time, and is written down in more than one place.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from companion.core.digest import digest_after as _after
from companion.core.digest import first_digest
from companion.session.limits import unpack
from companion.session.rows import Labels, Row, labels_of, linked, sum_of

__all__ = [
    "Claim",
    "best_course",
    "chained",
    "digest_after",
    "digest_if_whole",
    "digest_of",
    "line_of",
    "start_of",
]

_TAG = b'{"type":"'


class Claim(NamedTuple):
    """What was once known of a game: the newest entry, and how often the heartbeat had been written by then."""

    game: bytes
    seq: int
    digest: bytes
    """Of the row numbered `seq`."""
    number: int
    """Heartbeats written so far; it only grows, so it tells the older of two."""


def start_of(game: bytes) -> bytes:
    """Return the digest that stands before a game's first entry."""
    return first_digest(game)


def line_of(row: Row) -> bytes:
    """Return an entry as a line of a portable game: what the digest is taken of.

    The first line leaves out what happened, which would only repeat the setup.
    """
    labels = labels_of(row.source, row.actor, row.boot_id, row.app_version)
    events = _data(row.events) if row.seq > 1 else b""
    return _line(labels, (row.at_ms, row.wall_ms, row.schema), _data(row.command), events)


def _line(labels: Labels, numbers: tuple[int, int, int], command: bytes, events: bytes) -> bytes:
    at_ms, wall_ms, schema = numbers
    name, _, rest = command.removeprefix(_TAG).partition(b'"')
    if not name.isalnum():
        name = msgspec.json.encode(name.decode(errors="replace"))[1:-1]
    return b'{"at_ms":%d,%b,"command":"%b","args":{%b,%b,"wall_ms":%d,%b,"schema":%d%b%b}' % (
        at_ms,
        labels.asked,
        name,
        rest.removeprefix(b","),
        labels.boot,
        wall_ms,
        labels.version,
        schema,
        b',"events":' if events else b"",
        events,
    )


def digest_of(row: Row) -> bytes:
    """Return the digest of a row: that of the row before it, and its line."""
    return _after(row.before, line_of(row))


def digest_if_whole(row: Row) -> bytes | None:
    """Return the digest of a row, None where the row is not whole: both in one go, for reading thousands."""
    seq, command, events, source, actor, at_ms, boot_id, wall_ms, version, schema, game, before, crc = row
    if type(command) is not str or type(events) is not str:
        return digest_of(row) if row.is_whole() else None
    asked, happened = command.encode(), events.encode()
    try:
        labels = labels_of(source, actor, boot_id, version)
        if crc != sum_of(labels, (seq, at_ms, wall_ms, schema), asked, happened, game + before):
            return None
    except (TypeError, AttributeError):
        return None
    return _after(before, _line(labels, (at_ms, wall_ms, schema), asked, happened if seq > 1 else b""))


def digest_after(rows: Sequence[Row], seq: int, tip: bytes) -> bytes:
    """Return the digest of row `seq` of a whole chain whose last digest is `tip`."""
    return tip if seq >= len(rows) else rows[seq].before


def chained(rows: Iterable[Row], game: bytes, before: bytes | None = None) -> Iterator[Row]:
    """Link rows to a game's chain, in order; `before` is the digest they follow, that of the start by default."""
    before = start_of(game) if before is None else before
    for row in rows:
        link = linked(row, game, before)
        yield link
        before = digest_of(link)


class _Link(NamedTuple):
    row: Row
    digest: bytes
    parent: int
    """Place of the link before it; -1 for a first entry."""
    met: int
    """How many claims this course fulfils up to here."""


def best_course(rows: Iterable[Row], claims: Iterable[Claim], game: bytes) -> list[Row]:
    """Return the best unbroken course of entries from the first on that can be laid out of whole rows.

    A course of the game `game` goes before one of another, then one that fulfils more claims, then the longer one.
    Rows of before the chain go by their numbers alone. Nothing is returned where no first entry is among them.
    """
    follow: dict[tuple[bytes, bytes, int], list[Row]] = {}
    unlinked: dict[int, Row] = {}
    for row in rows:
        if row.game:
            follow.setdefault((row.game, row.before, row.seq), []).append(row)
        else:
            unlinked.setdefault(row.seq, row)
    claimed = {(claim.game, claim.seq, claim.digest) for claim in claims}
    links: list[_Link] = []
    known: set[bytes] = set()

    def add(rows: Iterable[Row], parent: int, met: int) -> None:
        for row in rows:
            digest = digest_of(row)
            if digest not in known:
                known.add(digest)
                links.append(_Link(row, digest, parent, met + ((row.game, row.seq, digest) in claimed)))

    for (id_, before, seq), firsts in follow.items():
        if seq == 1 and before == start_of(id_):
            add(firsts, -1, 0)
    at = 0
    while at < len(links):  # it grows while it is read
        link = links[at]
        add(follow.get((link.row.game, link.digest, link.row.seq + 1), ()), at, link.met)
        at += 1
    if not links:
        return [unlinked[seq] for seq in range(1, _last_in_order(unlinked) + 1)]
    end = max(links, key=lambda link: (link.row.game == game, link.met, link.row.seq))
    course = [end.row]
    while end.parent >= 0:
        end = links[end.parent]
        course.append(end.row)
    return course[::-1]


def _last_in_order(rows: dict[int, Row]) -> int:
    last = 0
    while last + 1 in rows:
        last += 1
    return last


def _data(stored: str | bytes) -> bytes:
    if isinstance(stored, str):
        return stored.encode()
    try:
        return unpack(stored)
    except zlib.error:  # no entry of ours; whoever decodes it will say so
        return stored
