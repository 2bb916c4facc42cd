"""The corner-touch test finds turned, shifted and doubled touches."""

from __future__ import annotations

import pytest

from companion.presenters.corners import CornerCheck, touched

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


def test_four_corners_in_order_are_well() -> None:
    check = run("top_left", "top_right", "bottom_right", "bottom_left")
    assert check.is_done
    assert check.verdict == ""
    assert "agree" in check.text


@pytest.mark.parametrize(
    ("name", "words"),
    [("bottom_right", "180 degrees"), ("top_right", "mirrored"), ("bottom_left", "mirrored")],
)
def test_a_turned_touch_is_named(name: str, words: str) -> None:
    assert words in run(name).verdict


def test_a_touch_in_the_middle_is_not_aligned() -> None:
    assert "not aligned" in touched(CornerCheck(), 0.5, 0.5, 0).verdict


def test_a_tap_that_counts_twice_is_named() -> None:
    once = touched(CornerCheck(), *SPOTS["top_left"], at_ms=1_000)
    assert "counted twice" in touched(once, *SPOTS["top_left"], at_ms=1_010).verdict


def test_after_the_end_nothing_changes() -> None:
    done = run("bottom_right")
    assert touched(done, *SPOTS["top_left"], at_ms=9_000) == done
