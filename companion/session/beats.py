"""The heartbeat as it lies in a game file: when the program was last alive, and which entry was the newest then."""

from __future__ import annotations

import sqlite3
import zlib
from typing import Any, NamedTuple

from companion.core.ids import Millis
from companion.session.chain import Claim

__all__ = ["Beat", "Heartbeat", "beat_from", "stored_beat", "unknown_beat"]


class Heartbeat(NamedTuple):
    """When the program was last alive with this game, and what the shelf shows of it."""

    boot_id: str
    at_ms: Millis
    wall_ms: int
    seq: int
    """Newest entry at that time."""
    is_closed: bool
    """The game was put away in order."""
    summary: str = "{}"
    """JSON for the shelf."""


class Beat(NamedTuple):
    """The columns of table ``heartbeat`` behind its id."""

    boot_id: str
    at_ms: Millis
    wall_ms: int
    seq: int
    is_closed: int
    summary: str
    game: bytes
    digest: bytes
    """Of the newest entry."""
    number: int
    """How often it was written; it only grows."""
    is_whole_file: int
    """1: the file needs no log beside it. 0: entries may stand in its log alone."""
    crc: bytes
    """CRC-32 of all the other columns; bytes, so that every heartbeat is as long as the one before."""

    @property
    def claim(self) -> Claim:
        """What it says of the newest entry."""
        return Claim(self.game, self.seq, self.digest, self.number)

    @property
    def heartbeat(self) -> Heartbeat:
        """When the program was last alive."""
        return Heartbeat(*self[:4], bool(self.is_closed), self.summary)

    def is_whole(self) -> bool:
        """Whether the check sum is right."""
        return self.crc == _crc(self)


_TYPES = [str, int, int, int, int, str, bytes, bytes, int, int, bytes]
_OLD_TYPES = _TYPES[:6]


def beat_from(values: list[Any]) -> Beat:
    """Return a heartbeat from its columns, also from those of a file of before the chain.

    sqlite3.DatabaseError when it is damaged; without a check sum only its form can tell.
    """
    types = [type(value) for value in values]
    if types == _OLD_TYPES:
        return Beat._make((*values, b"", b"", 0, 1, b""))
    if types != _TYPES or not Beat._make(values).is_whole():
        raise sqlite3.DatabaseError("the heartbeat is damaged")
    return Beat._make(values)


def stored_beat(beat: Heartbeat, claim: Claim, *, is_whole_file: bool) -> Beat:
    """Return a heartbeat as it is stored, with the newest entry of the file."""
    stored = Beat(
        beat.boot_id,
        beat.at_ms,
        beat.wall_ms,
        claim.seq,
        int(beat.is_closed),
        beat.summary,
        claim.game,
        claim.digest,
        claim.number,
        int(is_whole_file),
        b"",
    )
    return stored._replace(crc=_crc(stored))


def unknown_beat() -> Heartbeat:
    """Return the heartbeat of a file in which no program has been alive: its boot is that of no entry."""
    return Heartbeat("", 0, 0, 0, False)


def _crc(beat: Beat) -> bytes:
    numbers = (beat.at_ms, beat.wall_ms, beat.seq, beat.is_closed, beat.number, beat.is_whole_file)
    words = "\x1f".join((beat.boot_id, beat.summary, ",".join(map(str, numbers))))
    return zlib.crc32(words.encode() + beat.game + beat.digest).to_bytes(4, "big")
