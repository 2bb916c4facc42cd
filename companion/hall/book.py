"""The app's side of the link, pure: its games as courses, and what to answer to what the link says.

`lines_of` reads entries when they are asked for; nothing is read, kept or computed for the hall before that but 32 bytes an
entry. What is to be kept in a file is `cursors`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from companion.hall.messages import MessageError, log_parts
from companion.hall.outbox import WINDOW, Course, Cursor
from companion.hall.wire import Acked, Down, Entry, Grown, Known, Wanted

__all__ = ["MOST_GAMES", "Book"]

MOST_GAMES = 8
"""So many games are kept at the hall's disposal; one that is acknowledged to its end and closed may go."""


class Book:
    """The games of one box that the hall is to have."""

    def __init__(
        self, cursors: Sequence[Cursor], lines_of: Callable[[str, int, int], Sequence[bytes]]
    ) -> None:
        """Begin with what was kept; `lines_of(game, first, last)` returns entries, fewer where they are not to be had."""
        self._kept = {one.game: one for one in cursors}
        self._lines_of = lines_of
        self._courses: dict[str, Course] = {}
        self._now = ""

    @property
    def cursors(self) -> tuple[Cursor, ...]:
        """What to keep in a file."""
        fresh = {game: course.cursor for game, course in self._courses.items()}
        return tuple({**self._kept, **fresh}.values())[-4 * MOST_GAMES :]

    @property
    def games(self) -> frozenset[str]:
        """The ids of the games that the hall may still ask for."""
        return frozenset(self._courses)

    @property
    def course(self) -> Course | None:
        """The game at the table."""
        return self._courses.get(self._now)

    def waiting(self) -> int:
        """Return how many entries the hall is not known to hold."""
        return sum(course.end - course.acked for course in self._courses.values())

    def play(self, game: bytes, lines: Sequence[bytes], *, is_at_table: bool = True) -> Known:
        """Take a game that was opened, with all its lines."""
        course = Course(game, tuple(lines), self._kept.get(game.hex()))
        self._courses.pop(course.game, None)
        self._courses[course.game] = course
        if is_at_table:
            self._now = course.game
        for old in [key for key, one in self._courses.items() if key != self._now and one.acked == one.end]:
            if len(self._courses) > MOST_GAMES:
                self._kept[old] = self._courses.pop(old).cursor
        return self.known()

    def known(self) -> Known:
        """Return how the games stand, the one at the table first."""
        courses = sorted(self._courses.values(), key=lambda one: one.game != self._now)[:16]
        return Known(tuple(one.standing for one in courses), tuple(one.acked for one in courses))

    def again(self) -> Known:
        """Have the whole log of the game at the table sent once more."""
        course = self.course
        if course is not None:
            course.acked = 0
        return self.known()

    def grow(self, lines: Sequence[bytes]) -> tuple[Down, ...]:
        """Take entries that were just stored of the game at the table."""
        course = self._courses[self._now]
        for line in lines:
            course.add(line)
        return (Grown(course.standing),)

    def hear(self, said: Acked | Wanted) -> tuple[Down, ...]:
        """Answer the link."""
        if isinstance(said, Acked):
            course = self._courses.get(said.ack.game)
            if course is None:
                return ()
            return (self.known(),) if course.hear(said.ack) == "forked" else (Grown(course.standing),)
        course = self._courses.get(said.game)
        if course is None or course.branch != said.branch or not 1 <= said.first <= said.last <= course.end:
            return ()
        last = min(said.last, said.first + WINDOW - 1)
        found: list[Down] = []
        for seq, line in enumerate(self._lines_of(said.game, said.first, last), said.first):
            try:
                parts = log_parts(course.game, course.branch, seq, course.digest_at(seq - 1), line)
            except MessageError:
                break
            found += [Entry(course.game, part.decode()) for part in parts]
        return tuple(found)
