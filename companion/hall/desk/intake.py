"""The director's end of the log's way: each entry once, in order, whatever comes doubled, late, in parts or not at all.

Pure but for the port `Held`. An entry is known by its digest, so nothing can be counted twice and no course of play can overwrite
another one: a box that was restored from an old copy goes on as a branch beside what it had played before. What
`take` returns is to be stored first and acknowledged then; where storing fails the intake is made anew from what is held.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from companion.core.digest import digest_after, first_digest
from companion.hall.messages import MOST_JUMP, Ack, LogPart, MessageError, Standing, line_in

__all__ = ["Entry", "Held", "Intake", "Taken", "Tip"]

_MOST_ASIDE, _MOST_ASIDE_BYTES = 200, 4 << 20
"""Entries, and bytes, of one table that are kept for later; more are thrown away and come again."""
_MOST_TIPS = 256


class Tip(NamedTuple):
    """The newest entry of a branch that is held."""

    seq: int
    digest: str


class Entry(NamedTuple):
    """One entry to store, and the branch that it is now the newest of."""

    game: str
    branch: str
    seq: int
    digest: str
    before: str
    line: bytes


class Taken(NamedTuple):
    """What came of a message: what to store, what to answer then, and what to tell the director."""

    entries: tuple[Entry, ...] = ()
    ack: Ack | None = None
    told: str = ""
    is_doubled: bool = False


class Held(Protocol):
    """What is held of one table, durable."""

    def tip(self, game: str, branch: str) -> Tip | None:
        """Return the newest entry of a branch, None for an unknown branch."""
        ...

    def seq_of(self, game: str, digest: str) -> int | None:
        """Return the number of an entry by its digest, on whatever branch; None where it is not held."""
        ...


class Intake:
    """Takes the log of one table."""

    def __init__(self, table: str, held: Held) -> None:
        """Begin with what is held."""
        self._table, self._held = table, held
        self._tips: dict[tuple[str, str], Tip] = {}
        self._aside: dict[tuple[str, str, int], tuple[str, bytes]] = {}
        self._parts: dict[tuple[str, str, int], dict[int, LogPart]] = {}
        self._bytes = 0

    def tip(self, game: str, branch: str) -> Tip:
        """Return the newest entry that was taken of a branch; of a new one, the entry at which it forks off."""
        key = (game, branch)
        if key not in self._tips:
            if len(self._tips) >= _MOST_TIPS:
                self._tips.clear()
            found = self._held.tip(game, branch)
            if found is None:
                fork = branch.partition("-")[0]
                seq = self._held.seq_of(game, fork)
                found = Tip(seq, fork) if seq else Tip(0, first_digest(bytes.fromhex(game)).hex())
            self._tips[key] = found
        return self._tips[key]

    def answer(self, standing: Standing) -> Ack:
        """Return how far the director has come with a course that a table names."""
        return self._ack(standing.game, standing.branch)

    def take(self, part: LogPart) -> Taken:
        """Take an entry, or a part of one. MessageError for one that is none; nothing has changed then."""
        where = f"table {self._table}, log, entry {part.seq}"
        tip = self.tip(part.game, part.branch)
        if part.seq > tip.seq + MOST_JUMP:
            raise MessageError(
                f"{where}: seq: expected at most {tip.seq + MOST_JUMP}, since {tip.seq} are held; thrown away"
            )
        if part.seq <= tip.seq:
            return Taken(ack=self._ack(part.game, part.branch), is_doubled=True)
        line = self._whole(part, where)
        if line is None:
            return Taken()
        key = (part.game, part.branch, part.seq)
        if part.seq > tip.seq + 1:
            self._keep_aside(key, part.before, line)
            return Taken(ack=self._ack(part.game, part.branch))
        if part.before != tip.digest:
            return Taken(
                ack=self._ack(part.game, part.branch),
                told=f"{where} does not follow what is held of this game: the box goes on as a branch",
            )
        entries = [self._follow(key, line)]
        while (waiting := self._aside.pop((*key[:2], entries[-1].seq + 1), None)) is not None:
            before, line = waiting
            self._bytes -= len(line)
            if before != entries[-1].digest:
                break
            entries.append(self._follow((*key[:2], entries[-1].seq + 1), line))
        return Taken(tuple(entries), self._ack(part.game, part.branch))

    def _follow(self, key: tuple[str, str, int], line: bytes) -> Entry:
        game, branch, seq = key
        before = self.tip(game, branch).digest
        digest = digest_after(bytes.fromhex(before), line).hex()
        self._tips[(game, branch)] = Tip(seq, digest)
        return Entry(game, branch, seq, digest, before, line)

    def _ack(self, game: str, branch: str) -> Ack:
        tip = self.tip(game, branch)
        return Ack(game=game, branch=branch, seq=tip.seq, digest=tip.digest)

    def _keep_aside(self, key: tuple[str, str, int], before: str, line: bytes) -> None:
        if len(self._aside) >= _MOST_ASIDE or self._bytes + len(line) > _MOST_ASIDE_BYTES:
            self._aside.clear()
            self._bytes = 0
        if key not in self._aside:
            self._aside[key] = (before, line)
            self._bytes += len(line)

    def _whole(self, part: LogPart, where: str) -> bytes | None:
        """Return the line of an entry, None while parts of it are missing."""
        if part.part > part.parts:
            raise MessageError(f"{where}: part: expected at most {part.parts}, got {part.part}; thrown away")
        if part.parts == 1:
            return line_in((part,), where)
        key = (part.game, part.branch, part.seq)
        found = self._parts.pop(key, {})
        if any((one.parts, one.before) != (part.parts, part.before) for one in found.values()):
            found = {}
        found[part.part] = part
        if len(found) < part.parts:
            while len(self._parts) >= 4:  # a table sends its entries one after another
                self._parts.pop(next(iter(self._parts)))
            self._parts[key] = found
            return None
        return line_in(found.values(), where)
