"""Values are checked where they are made."""

from __future__ import annotations

import pytest

import vision
from vision.types import COLOURS, KINDS, Flag, Reading, Readings, Request, legal_values


def _reading(**changes: object) -> Reading:
    base: dict[str, object] = {
        "kind": "d12",
        "colour": "white",
        "value": 7,
        "confidence": 0.95,
        "x": 1.0,
        "y": 2.0,
        "radius": 3.0,
    }
    return Reading(**{**base, **changes})  # type: ignore[arg-type]


def test_what_the_package_offers() -> None:
    assert all(hasattr(vision, name) for name in vision.__all__)
    assert len(set(COLOURS)) == len(COLOURS)
    assert [len(legal_values(k)) for k in KINDS] == [12, 10, 6]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"value": 13}, "a d12 cannot show 13"),
        ({"kind": "d6", "value": 7}, "a d6 cannot show 7"),
        ({"kind": "d10", "value": 0}, "a d10 cannot show 0"),
        ({"kind": "d20", "value": 3}, "kind must be one of d12, d10, d6, got 'd20'"),
        ({"confidence": 1.2}, "confidence must lie in 0..1"),
        ({"x": float("nan")}, "places be finite"),
    ],
)
def test_impossible_readings_are_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _reading(**changes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Request(kinds=("d8",)), "kind must be one of"),
        (lambda: Request(colours=("beige",)), "colour must be one of white, gray"),
        (lambda: Request(counts=(("white", -1),)), "cannot ask for -1 white dice"),
        (lambda: Request(counts=(("teal", 1),)), "got 'teal'"),
    ],
)
def test_impossible_requests_are_refused(make: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()  # type: ignore[operator]


def test_sure_means_a_value_and_nine_in_ten() -> None:
    assert _reading(confidence=0.9).is_sure
    assert not _reading(confidence=0.89).is_sure
    unread = _reading(value=None, guess=7, flags=(Flag.COCKED,))
    assert not unread.is_sure
    assert Readings(10, 10, (_reading(), unread)).to_ask == (unread,)


def test_a_colour_is_asked_about_only_where_it_decides() -> None:
    doubtful = {"confidence": 0.6, "value_confidence": 0.97, "colour_confidence": 0.62}
    assert _reading(**doubtful).is_sure
    assert not _reading(**doubtful, colour_decides=True).is_sure
    assert not _reading(confidence=0.8, value_confidence=0.82, colour_confidence=0.99).is_sure
