"""Your own dice: what is missing, who is left over, and files that keep their word."""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vision
from vision import sets
from vision.errors import SetError
from vision.sets import DiceSet, Learner, Sample, assign, delete_set, list_sets, load_set, save_set, set_votes
from vision.types import COLOURS


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(0, 2), st.integers(0, 10_000))
def test_assignment_is_the_cheapest_of_all(rows: int, more: int, seed: int) -> None:
    cost = np.random.default_rng(seed).integers(0, 12, (rows, rows + more)).astype(float)
    got = assign(cost)
    assert len(set(got)) == rows
    best = min(
        sum(cost[i, j] for i, j in enumerate(p)) for p in itertools.permutations(range(rows + more), rows)
    )
    assert sum(cost[i, j] for i, j in enumerate(got)) == pytest.approx(best)


def test_more_dice_than_values_cannot_be_assigned() -> None:
    with pytest.raises(ValueError, match="3 dice cannot show 2 values once each"):
        assign(np.zeros((3, 2)))


def test_the_app_tells_what_is_missing_and_a_doubtful_die_is_who_is_left(poses: Any) -> None:
    learner = Learner("evening", "d12")
    assert learner.missing("white") == tuple(range(1, 13))
    learner.add("white", [poses.vote(v, features=(float(v), 0.0)) for v in (1, 2, 3, 4, 5, 7, 8)])
    assert learner.missing("white") == (6, 9, 10, 11, 12)
    with pytest.raises(
        SetError, match="set evening: white still lacks 6, 9, 10, 11, 12; show a die with each"
    ):
        learner.finish()
    # the reader takes both 6 and 9 for a 6, the 9 less surely
    second = [poses.vote(v, features=(float(v), 0.0)) for v in (10, 11, 12)]
    second += [poses.vote(6, 0.9, features=(6.0, 0.0)), poses.vote(6, 0.6, features=(9.0, 0.0))]
    learner.add("white", second)
    assert learner.missing("white") == ()
    learned = {s.features[0]: s.value for s in learner.finish().samples}
    assert learned == {float(v): v for v in range(1, 13)}


def test_too_many_dice_and_unknown_colours_are_told(poses: Any) -> None:
    learner = Learner("x", "d6")
    with pytest.raises(SetError, match="no dice were shown yet"):
        learner.finish()
    learner.add("red", [poses.vote(v) for v in (1, 2, 3, 4, 5, 6, 6)])
    with pytest.raises(
        SetError, match="7 red dice were shown, expected each of 6 values once; start that colour again"
    ):
        learner.finish()
    with pytest.raises(SetError, match="colour must be one of white"):
        learner.add("mauve", [])


def _set(name: str = "mine") -> DiceSet:
    rng = np.random.default_rng(3)
    samples = tuple(
        Sample("d12", colour, v, tuple(np.round(rng.normal(size=16), 4).tolist()))
        for colour in ("white", "black")
        for v in range(1, 13)
    )
    return DiceSet(name, samples)


def test_sets_come_back_as_they_were(tmp_path: Path) -> None:
    assert list_sets(tmp_path / "none") == ()
    save_set(_set("mine"), tmp_path)
    save_set(_set("club dice"), tmp_path)
    assert list_sets(tmp_path) == ("club dice", "mine")
    assert load_set("mine", tmp_path) == _set("mine")
    assert load_set("mine", tmp_path).colours == ("white", "black")
    assert load_set("mine", tmp_path).missing("d12", "gray") == tuple(range(1, 13))
    delete_set("mine", tmp_path)
    delete_set("mine", tmp_path)
    assert list_sets(tmp_path) == ("club dice",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "damaged or unreadable"),
        ("[]", "version: expected 4, got list; learn the set again"),
        ('{"version": 9}', "version: expected 4, got 9; learn the set again"),
        ('{"version": 4, "name": "a"}', "samples: 'samples'; learn the set again"),
        (
            '{"version": 4, "name": "a", "samples": [{"kind": "d12", "colour": "white", "value": 13, "features": []}]}',
            "d12 white 13 cannot be",
        ),
        (
            '{"version": 4, "name": "a", "samples": [{"kind": "d9", "colour": "white", "value": 1, "features": []}]}',
            "kind must be one of",
        ),
    ],
)
def test_damaged_sets_are_told_with_file_and_key(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.dice.json").write_text(text)
    with pytest.raises(SetError) as caught:
        load_set("a", tmp_path)
    assert "a.dice.json" in str(caught.value)
    assert words in str(caught.value)


def test_names_stay_inside_the_folder(tmp_path: Path) -> None:
    for name in ("../evil", "", "a/b", ".hidden", "x" * 50):
        with pytest.raises(SetError, match="use up to 40 letters"):
            save_set(_set(name), tmp_path)
    with pytest.raises(SetError, match=r"no dice set named 'other' in .*; there is: none yet"):
        load_set("other", tmp_path)


def test_a_set_turns_a_wrong_vote_and_keeps_to_its_colours(poses: Any) -> None:
    dice_set = _set()
    nine = next(s for s in dice_set.samples if s.colour == "white" and s.value == 9)
    seen = tuple((np.array(nine.features) + 0.05).tolist())
    tones = np.full((1, len(COLOURS)), 0.02)
    tones[0, COLOURS.index("white")], tones[0, COLOURS.index("gray")] = 0.42, 0.4
    votes, after = set_votes(dice_set, [poses.vote(6, 0.6, features=seen)], tones)
    assert int(np.argmax(votes[0].logp)) == 9
    assert after[0, COLOURS.index("white")] > 0.85
    assert json.dumps(list(votes[0].logp))


def test_sets_of_another_reading_net_are_refused() -> None:
    # a new net means new features: when this sum changes, raise the version in vision/sets.py and put it here
    net = (Path(vision.__file__).parent / "models" / "read.onnx").read_bytes()
    assert (sets.VERSION, hashlib.sha256(net).hexdigest()[:16]) == (4, "7da68c6c713fc2e2")
