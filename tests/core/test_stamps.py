"""A press is charged from when it was seen, however long another program has the processor meanwhile."""

from __future__ import annotations

import itertools

from companion.core.stamps import game_ms

MS = 1_000_000


class Clocks:
    """One time that both clocks tell, and how long the processor is someone else's after each look at either."""

    def __init__(self, now_ms: int, *away_ms: int) -> None:
        self._now_ns = now_ms * MS
        self._away = itertools.chain(away_ms, itertools.repeat(0))

    def _look(self) -> int:
        now_ns = self._now_ns
        self._now_ns += next(self._away) * MS
        return now_ns

    def now_ns(self) -> int:
        """The clock that presses are seen with."""
        return self._look()

    def game_now_ms(self) -> int:
        """The game's, which began 300 ms later."""
        return self._look() // MS - 300


def test_what_passes_between_two_looks_at_the_time_is_charged_to_nobody() -> None:
    for away_ms in ((), (12,), (0, 12), (12, 0, 0, 40, 7)):
        clocks = Clocks(1000, *away_ms)
        assert game_ms(980 * MS, clocks.now_ns, clocks.game_now_ms) == 680, away_ms


def test_a_machine_that_is_always_away_still_gives_a_time() -> None:
    clocks = Clocks(1000, *[2] * 100)
    assert 680 <= game_ms(980 * MS, clocks.now_ns, clocks.game_now_ms) <= 684


def test_what_was_seen_later_than_now_is_now() -> None:
    clocks = Clocks(1000)
    assert game_ms(1001 * MS, clocks.now_ns, clocks.game_now_ms) == 700
