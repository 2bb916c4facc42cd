"""The table's end of the log's way to the hall. The journal is the only queue; this only knows how far the hall has come.

`Course` is the app's book of one game: the digests of its entries and which of them the hall is known to hold. `Outbox` is the
link's window over it: what to send now. An acknowledgement may go back, as of a director who was restored from a copy: then all
after it is sent again. One that does not lie on the own course tells that this box has lost entries which the hall still has:
then the course gets a new branch, and the hall keeps both.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from companion.core.digest import digest_after, first_digest
from companion.hall.messages import Ack, Branch, Count, Digest, GameId, Standing

__all__ = ["AGAIN_MS", "MOST_AGAIN_MS", "WINDOW", "Course", "Cursor", "Heard", "Outbox"]

WINDOW = 50
"""Entries that may be on their way at once."""
AGAIN_MS = 3_000
"""Without progress for so long, all that is not acknowledged is sent again; then after twice as long, up to `MOST_AGAIN_MS`:
a hall that is slow must not be given the more to do, the slower it is."""
MOST_AGAIN_MS = 12_000

Heard = Literal["ours", "other", "forked"]
"""What an acknowledgement is to a course: progress (or a step back), of another course, or the reason for a new branch."""


class Cursor(NamedTuple):
    """How far the hall has come with a game: what is kept in a file."""

    game: GameId
    branch: Branch
    acked: Count
    digest: Digest


class Course:
    """One game of this box."""

    def __init__(self, game: bytes, lines: tuple[bytes, ...] = (), cursor: Cursor | None = None) -> None:
        """Take a game's id, its lines so far, and what was kept of it.

        A cursor that does not lie on these lines, as of a box restored from an old copy, is not believed.
        """
        self._digests = [first_digest(game)]
        self.game = game.hex()
        for line in lines:
            self.add(line)
        self.branch, self.acked = self.digest_at(0), 0
        if cursor is not None and cursor.game == self.game:
            self.branch = cursor.branch
            if cursor.acked <= self.end and self.digest_at(cursor.acked) == cursor.digest:
                self.acked = cursor.acked
            else:
                self._fork()

    @property
    def end(self) -> int:
        """Number of the newest entry."""
        return len(self._digests) - 1

    @property
    def standing(self) -> Standing:
        """How far the box has come."""
        return Standing(self.game, self.branch, self.end, self.digest_at(self.end))

    @property
    def cursor(self) -> Cursor:
        """What to keep of it."""
        return Cursor(self.game, self.branch, self.acked, self.digest_at(self.acked))

    def digest_at(self, seq: int) -> str:
        """Return the digest after an entry, in hex."""
        return self._digests[seq].hex()

    @property
    def fork(self) -> bytes:
        """The digest that this course forks off from; empty: it is the game's first."""
        digest, is_fork, _apart = self.branch.partition("-")
        return bytes.fromhex(digest) if is_fork else b""

    def add(self, line: bytes) -> None:
        """Take the next entry."""
        self._digests.append(digest_after(self._digests[-1], line))

    def hear(self, ack: Ack) -> Heard:
        """Take an acknowledgement of the director."""
        if (ack.game, ack.branch) != (self.game, self.branch):
            return "other"
        if ack.seq <= self.end and self.digest_at(ack.seq) == ack.digest:
            self.acked = ack.seq
            return "ours"
        self._fork()
        return "forked"

    def _fork(self) -> None:
        """Go on as a branch from the last entry that is known to be at the hall and still on this course."""
        told_apart = digest_after(self.branch.encode(), self._digests[-1]).hex()[:8]
        self.branch = f"{self.digest_at(self.acked)}-{told_apart}"


class Outbox:
    """What to send of one course, over one connection."""

    def __init__(self, acked: int, end: int) -> None:
        """Begin after what is acknowledged; nothing is sent before the director has answered once."""
        self.acked, self.end = acked, end
        self._next = acked + 1
        self._moved_ms: int | None = None
        self._again_ms = AGAIN_MS

    def grow(self, end: int) -> None:
        """There are more entries."""
        self.end = max(self.end, end)

    def take(self, acked: int, now_ms: int) -> None:
        """The director holds everything up to an entry of this course."""
        if acked < self.acked:
            self._next = acked + 1
        if acked != self.acked or self._moved_ms is None:
            self._moved_ms, self._again_ms = now_ms, AGAIN_MS
        self.acked = acked
        self._next = max(self._next, acked + 1)

    def due(self, now_ms: int) -> range:
        """Return the numbers of the entries to send now; they count as sent."""
        if self._moved_ms is None:
            return range(0)
        if self._next > self.acked + 1 and now_ms - self._moved_ms >= self._again_ms:
            self._next, self._moved_ms = self.acked + 1, now_ms
            self._again_ms = min(2 * self._again_ms, MOST_AGAIN_MS)
        elif self._next == self.acked + 1:
            self._moved_ms = now_ms  # nothing was on its way: the wait begins with what is sent now
        found = range(self._next, min(self.end, self.acked + WINDOW) + 1)
        self._next = max(self._next, found.stop)
        return found

    @property
    def is_answered(self) -> bool:
        """Whether the director has said how far he is."""
        return self._moved_ms is not None

    @property
    def waits_ms(self) -> int | None:
        """The instant at which all is sent again unless there is progress; None where nothing is on its way."""
        if self._moved_ms is None or self._next == self.acked + 1:
            return None
        return self._moved_ms + self._again_ms
