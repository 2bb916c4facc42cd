"""Durations as texts, and when a running text changes next."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from companion.pages import times
from companion.pages.desk import SavedGame
from companion.pages.home import home_page
from companion.pages.page import TABLE_VIEWER, Sight
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading


@pytest.mark.parametrize(
    ("left_ms", "tenths", "text"),
    [
        (1_320_000, False, "22:00"),
        (1_319_001, False, "22:00"),
        (1_319_000, False, "21:59"),
        (6_240_000, False, "104:00"),
        (1, False, "00:01"),
        (0, False, "00:00"),
        (-5, False, "00:00"),
        (59_900, True, "0:59.9"),
        (59_901, True, "1:00.0"),
        (9_401, True, "0:09.5"),
        (0, True, "0:00.0"),
        (60_000, True, "01:00"),
    ],
)
def test_countdown_rounds_up_so_that_zero_means_zero(left_ms: int, tenths: bool, text: str) -> None:
    assert times.countdown(left_ms, tenths=tenths) == text


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "00:00"), (59_999, "00:59"), (3_600_000, "1:00:00"), (-1, "00:00")]
)
def test_countup_rounds_down(ms: int, text: str) -> None:
    assert times.countup(ms) == text


@given(st.integers(1, 400_000), st.booleans())
@example(60_000, True)
@example(60_001, True)
def test_countdown_changes_exactly_when_it_says(left_ms: int, tenths: bool) -> None:
    wait = times.next_change_ms(left_ms, down=True, tenths=tenths)
    now = times.countdown(left_ms, tenths=tenths)
    assert wait >= 1
    assert times.countdown(left_ms - wait + 1, tenths=tenths) == now
    assert times.countdown(left_ms - wait, tenths=tenths) != now or left_ms == wait


@given(st.integers(0, 10_000_000))
def test_countup_changes_exactly_when_it_says(used_ms: int) -> None:
    wait = times.next_change_ms(used_ms, down=False)
    assert times.countup(used_ms + wait - 1) == times.countup(used_ms)
    assert times.countup(used_ms + wait) != times.countup(used_ms)


def test_amounts_in_words() -> None:
    assert times.short(200_000) == "3:20"
    assert times.signed(-30_000) == "−0:30"
    assert times.signed(90_000) == "+1:30"
    assert times.duration(45_000) == "45\u00a0s"
    assert times.duration(754_000) == "12\u00a0min"
    assert times.duration(7_500_000) == "2\u00a0h\u00a005\u00a0min"


def test_wall_is_a_label_only() -> None:
    assert times.wall(0, 1_795_000_000_000) == "–"
    assert len(times.wall(1_795_000_000_000, 1_795_000_000_000)) == 5
    assert times.wall(1_600_000_000_000, 1_795_000_000_000).startswith("2020-09-1")


def test_a_short_line_has_day_and_hour_within_the_year_that_it_is() -> None:
    now = 1_795_000_000_000  # in November 2026
    assert times.wall_brief(0, now) == "–"
    assert times.wall_brief(now, now) == times.wall(now, now)
    assert times.wall_brief(now - 9 * 86_400_000, now) == times.wall(now - 9 * 86_400_000, now)[5:]
    assert times.wall_brief(1_600_000_000_000, now) == times.wall(1_600_000_000_000, now)[:10]
    assert times.wall_brief(now - 9 * 86_400_000, now) != times.wall_brief(now - 9 * 86_400_000 - 60_000, now)


def test_two_games_of_one_scenario_saved_on_one_day_are_told_apart() -> None:
    now, day = 1_795_000_000_000, 86_400_000
    games = tuple(
        SavedGame(Path(name), "sfw96", "italy", "Italy", "s1.v.check", saved, True)
        for name, saved in (("a", now - 9 * day), ("b", now - 9 * day - 120_000))
    )
    sight = Sight(TABLE_VIEWER, None, None, desk=MemoryDesk(saved=games), wall_ms=now)
    one, other = Reading(home_page(sight), None).items
    assert one.title == other.title
    assert one.value != other.value
