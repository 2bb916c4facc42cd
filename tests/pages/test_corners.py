"""The corner-touch test finds turned, mirrored, shifted and doubled touches, and what sets them right."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.pages.corners import (
    CORNERS,
    STRAIGHT,
    TURNS,
    CornerCheck,
    corrected,
    found_turn,
    touched,
    turned,
)

SPOTS = {
    "top_left": (0.05, 0.95),
    "top_right": (0.95, 0.95),
    "bottom_right": (0.95, 0.05),
    "bottom_left": (0.05, 0.05),
}


def run(*names: str) -> CornerCheck:
    check = CornerCheck()
    for number, name in enumerate(names):
        check = touched(check, *SPOTS[name], at_ms=1_000 * number)
    return check


def through(turn: str) -> CornerCheck:
    """Touch the corners that are asked for on a panel that turns them so."""
    check = CornerCheck()
    for number, name in enumerate(CORNERS):
        check = touched(check, *turned(turn, *SPOTS[name]), at_ms=1_000 * number)
    return check


def test_four_corners_in_order_are_well() -> None:
    check = run("top_left", "top_right", "bottom_right", "bottom_left")
    assert check.is_done
    assert check.is_well
    assert check.turn is None
    assert check.text == "Touch matches the picture, and every tap counted once."


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ("-x-y", "upside down"),
        ("+y-x", "rotated by 90 degrees"),
        ("-y+x", "rotated by 90 degrees"),
        ("-x+y", "mirrored"),
        ("+y+x", "mirrored"),
    ],
)
def test_a_turned_touch_is_named(turn: str, words: str) -> None:
    assert words in through(turn).text


@pytest.mark.parametrize("turn", TURNS)
def test_what_was_found_undoes_the_turn(turn: str) -> None:
    check = through(turn)
    found = STRAIGHT if check.is_well else check.turn
    assert found is not None
    for name in CORNERS:
        assert turned(found, *turned(turn, *SPOTS[name])) == pytest.approx(SPOTS[name])


_WINDOW = {0: "+x+y", 90: "+y-x", 180: "-x-y", 270: "-y+x"}


@pytest.mark.parametrize(
    ("mounted", "before", "rotation"), list(itertools.product(TURNS, TURNS, (0, 90, 180, 270)))
)
def test_every_panel_is_right_after_one_correction(mounted: str, before: str, rotation: int) -> None:
    """However it is mounted, whatever was set before, however the picture is turned."""

    def arrives(x: float, y: float, turn: str) -> tuple[float, float]:
        # `mounted` is what the panel makes of a finger, in the picture's own directions.
        return turned(_WINDOW[rotation], *turned(turn, *turned(mounted, x, y)))

    arrived = []
    for name in CORNERS:
        x, y = arrives(*SPOTS[name], before)
        arrived.append(next(n for n, spot in SPOTS.items() if spot == pytest.approx((x, y))))
    found = found_turn(tuple(arrived))
    assert found is not None
    after = corrected(before, found, rotation)
    assert after in TURNS
    for name in CORNERS:
        assert arrives(*SPOTS[name], after) == pytest.approx(SPOTS[name])


def test_touches_that_fit_no_turn_are_said_to() -> None:
    check = run("top_left", "top_left", "top_left", "top_left")
    assert check.turn is None
    assert "do not match" in check.text


def test_a_touch_in_the_middle_is_away_from_the_corners() -> None:
    assert "not near a corner" in touched(CornerCheck(), 0.5, 0.5, 0).text


def test_a_tap_that_counts_twice_is_named() -> None:
    once = touched(CornerCheck(), *SPOTS["top_left"], at_ms=1_000)
    assert "counted twice" in touched(once, *SPOTS["top_left"], at_ms=1_010).text


def test_the_last_tap_may_not_count_twice_either() -> None:
    done = run(*CORNERS)
    assert "counted twice" in touched(done, *SPOTS["bottom_left"], at_ms=3_010).text


def test_a_touch_after_a_bad_end_begins_anew_and_after_a_good_one_changes_nothing() -> None:
    bad = touched(CornerCheck(), 0.5, 0.5, 0)
    assert touched(bad, *SPOTS["top_left"], at_ms=9_000).text.endswith("1 of 4")
    good = run(*CORNERS)
    assert touched(good, *SPOTS["top_left"], at_ms=9_000) == good


@given(st.lists(st.tuples(st.floats(-0.5, 1.5), st.floats(-0.5, 1.5), st.integers(0, 500)), max_size=12))
def test_any_touches_at_all_leave_a_text_and_an_end(touches: list[tuple[float, float, int]]) -> None:
    check, now = CornerCheck(), 0
    for x, y, later in touches:
        now += later
        check = touched(check, x, y, now)
        assert check.text
        assert check.asked <= len(CORNERS)
        assert not (check.is_well and check.turn)
