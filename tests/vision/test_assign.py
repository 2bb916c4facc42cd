"""Colours by what was asked for: one assignment over all dice of a photo."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vision.assign import Assigned, assign_colours, cheapest
from vision.types import COLOURS, Request

WHITE, GRAY, BLACK = (COLOURS.index(colour) for colour in ("white", "gray", "black"))


def _tones(*dice: dict[int, float]) -> np.ndarray:
    """Return probabilities of dice, what is left over spread over the other colours."""
    rows = []
    for die in dice:
        rest = (1 - sum(die.values())) / (len(COLOURS) - len(die))
        rows.append([die.get(colour, rest) for colour in range(len(COLOURS))])
    return np.array(rows)


def _assigned(tones: np.ndarray, counts: list[tuple[str, int]]) -> Assigned:
    """Assign colours to dice whose bodies look all the same."""
    return assign_colours(tones, counts, np.zeros((len(tones), 3)))


@settings(max_examples=60)
@given(arrays(float, st.tuples(st.integers(1, 4), st.integers(4, 6)), elements=st.floats(-9, 9)))
def test_the_sum_is_least_of_all_ways(cost: np.ndarray) -> None:
    rows, columns = cost.shape
    found = cheapest(cost)
    assert len(set(found)) == rows
    least = min(sum(cost[i, c] for i, c in enumerate(way)) for way in permutations(range(columns), rows))
    assert abs(sum(cost[i, c] for i, c in enumerate(found)) - least) < 1e-6


def test_the_die_that_looks_least_white_is_the_gray_one_that_was_asked_for() -> None:
    tones = _tones({WHITE: 0.9, GRAY: 0.08}, {WHITE: 0.6, GRAY: 0.38}, {WHITE: 0.95, GRAY: 0.03})
    found = _assigned(tones, [("white", 2), ("gray", 1)])
    assert found.names == (WHITE, GRAY, WHITE)
    assert found.chances[1] > 0.8, "the two others leave it hardly another colour"


def test_two_that_look_alike_stay_in_doubt() -> None:
    tones = _tones({WHITE: 0.5, GRAY: 0.48}, {WHITE: 0.5, GRAY: 0.48})
    found = _assigned(tones, [("white", 1), ("gray", 1)])
    assert sorted(found.names) == sorted((WHITE, GRAY))
    assert max(found.chances) < 0.6


def test_a_die_thrown_by_mistake_keeps_its_own_colour() -> None:
    tones = _tones({WHITE: 0.99}, {BLACK: 0.999})
    assert _assigned(tones, [("white", 2)]).names == (WHITE, BLACK)


def test_one_too_many_is_told_as_that() -> None:
    tones = _tones({WHITE: 0.97}, {WHITE: 0.97}, {GRAY: 0.97})
    assert _assigned(tones, [("white", 1), ("gray", 1)]).names == (WHITE, WHITE, GRAY)


def test_too_few_dice_leave_places_free() -> None:
    found = _assigned(_tones({GRAY: 0.9, WHITE: 0.08}), [("white", 3), ("gray", 2)])
    assert found.names == (GRAY,)
    assert found.chances[0] > 0.8


def test_a_doubtful_die_goes_with_those_that_look_like_it() -> None:
    tones = _tones(
        {WHITE: 0.95, GRAY: 0.04},
        {GRAY: 0.95, WHITE: 0.04},
        {WHITE: 0.48, GRAY: 0.5},
        {WHITE: 0.5, GRAY: 0.48},
    )
    counts = [("white", 2), ("gray", 2)]
    lab = np.array([[80.0, 0, 0], [50.0, 0, 0], [78.0, 0, 0], [52.0, 0, 0]])
    found = assign_colours(tones, counts, lab)
    assert found.names == (WHITE, GRAY, WHITE, GRAY)
    assert min(found.chances) > 0.85
    assert max(_assigned(tones, counts).chances[2:]) < 0.6, "alike, they stay in doubt"


def test_the_only_one_of_a_colour_is_not_drawn_to_others_that_look_like_it() -> None:
    tones = _tones({WHITE: 0.8, GRAY: 0.19}, {WHITE: 0.8, GRAY: 0.19}, {WHITE: 0.19, GRAY: 0.8})
    alike = _assigned(tones, [("white", 2), ("gray", 1)])
    far = assign_colours(
        tones, [("white", 2), ("gray", 1)], np.array([[80.0, 0, 0], [80.0, 0, 0], [50.0, 0, 0]])
    )
    assert 0.88 < alike.chances[2] < far.chances[2]


def test_looking_unlike_the_others_makes_no_colour_that_was_not_asked_for() -> None:
    tones = _tones({WHITE: 0.9}, {WHITE: 0.9}, {WHITE: 0.9})
    lab = np.array([[80.0, 0, 0], [80.0, 0, 0], [20.0, 0, 0]])
    assert assign_colours(tones, [("white", 3)], lab) == _assigned(tones, [("white", 3)])


def test_a_hue_tells_more_than_the_light() -> None:
    tones = _tones(
        {WHITE: 0.9, GRAY: 0.09}, {GRAY: 0.9, WHITE: 0.09}, {WHITE: 0.5, GRAY: 0.49}, {WHITE: 0.5, GRAY: 0.49}
    )
    counts = [("white", 2), ("gray", 2)]
    alone = _assigned(tones, counts).chances[2]
    lighter, bluer = (
        assign_colours(tones, counts, np.array([[0.0, 0, 0], step, [0.0, 0, 0], step])).chances[2]
        for step in ([4.0, 0, 0], [0.0, 0, 4])
    )
    assert alone < lighter < bluer


def test_no_dice_have_no_colours() -> None:
    assert _assigned(np.zeros((0, 10)), [("white", 3)]).names == ()


def test_a_colour_decides_where_several_are_rolled() -> None:
    assert not Request().colour_decides
    assert not Request(counts=(("white", 4), ("gray", 0))).colour_decides
    assert Request(counts=(("white", 4), ("gray", 1))).colour_decides
    assert Request(colours=("white", "gray")).colour_decides
