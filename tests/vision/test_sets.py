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
from tests.vision.conftest import make_vote
from vision import set_files
from vision.errors import SetError
from vision.set_files import delete_set, list_sets, load_set, save_set
from vision.sets import DiceSet, Learner, Sample, assign, set_votes
from vision.types import COLOURS


@settings(max_examples=60)
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
        SetError, match=r"set evening: white: 6, 9, 10, 11, 12 still missing\. Show a die with each\."
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
    with pytest.raises(SetError, match="no dice have been shown yet"):
        learner.finish()
    learner.add("red", [poses.vote(v, 0.5) for v in (1, 2, 3, 4, 5, 6, 6)])
    with pytest.raises(
        SetError,
        match=r"red: 1, 2, 3, 4, 5, 6 missing, and 7 dice could not be read for certain\. Show the missing values in a separate photo",
    ):
        learner.finish()
    with pytest.raises(SetError, match="colour must be one of white"):
        learner.add("mauve", [])


def _taught(learner: Learner) -> dict[tuple[str, int], float]:
    """What was stored: colour and value to the first feature, which is the true value in these tests."""
    return {(s.colour, s.value): s.features[0] for s in learner.finish().samples}


def test_a_value_shown_twice_while_another_is_missing_is_refused(poses: Any) -> None:
    learner = Learner("evening", "d12")
    for values in (range(1, 7), range(6, 12)):
        learner.add("white", [poses.vote(v, 0.97, features=(float(v),)) for v in values])
    state = learner.state("white")
    assert (state.missing, state.twice) == ((12,), (6,))
    with pytest.raises(
        SetError,
        match=r"set evening: white: 6 shown twice, 12 missing\. Show a die with each missing value",
    ):
        learner.finish()
    learner.add("white", [poses.vote(12, 0.97, features=(12.0,))])
    assert _taught(learner) == {("white", v): float(v) for v in range(1, 13)}


def test_a_bad_colour_is_named_beside_those_that_are_complete(poses: Any) -> None:
    learner = Learner("evening", "d6")
    learner.add("white", [poses.vote(v) for v in range(1, 7)])
    learner.add("gray", [poses.vote(2)])
    with pytest.raises(
        SetError, match=r"white is complete\. gray: 1, 3, 4, 5, 6 still missing\. Show a die with each\."
    ):
        learner.finish()
    learner.forget("gray")
    assert learner.finish().colours == ("white",)


def test_what_the_table_says_outweighs_the_reading(poses: Any) -> None:
    learner = Learner("evening", "d6")
    numbers = learner.add(
        "white", [poses.vote(v, features=(float(i + 1),)) for i, v in enumerate((1, 2, 3, 4, 5, 1))]
    )
    assert learner.missing("white") == (6,)
    learner.tell(numbers[5], 6)
    assert learner.state("white").twice == ()
    assert _taught(learner) == {("white", v): float(v) for v in range(1, 7)}
    learner.drop(numbers[0])
    learner.drop(numbers[0])
    assert learner.missing("white") == (1,)
    learner.recolour(numbers[1], "gray")
    assert learner.colours == ("white", "gray")
    assert learner.numbers("gray") == (numbers[1],)
    with pytest.raises(SetError, match="colour must be one of"):
        learner.recolour(numbers[2], "mauve")
    with pytest.raises(SetError, match="a d6 cannot show 7"):
        learner.tell(numbers[1], 7)


def test_a_reader_that_is_not_sure_is_believed_though_its_vote_is_high(poses: Any) -> None:
    learner = Learner("evening", "d6")
    learner.add("white", [poses.vote(v, features=(float(v),)) for v in (1, 2, 3, 4, 5)])
    learner.add("white", [poses.vote(5, 0.8, features=(6.0,))], sure=[None])
    assert _taught(learner) == {("white", v): float(v) for v in range(1, 7)}


def test_a_set_s_name_is_checked_before_any_photo() -> None:
    with pytest.raises(SetError, match=r"set name .\.\./x.: use up to 40 letters"):
        Learner("../x", "d6")
    assert Learner("Änne's Würfel", "d6").name == "Änne's Würfel"


class _Builders:
    """Votes for property tests, which take no fixtures of one test."""

    vote = staticmethod(make_vote)


@st.composite
def _shown(draw: Any) -> tuple[str, list[tuple[int, int, float]], list[int]]:
    """Dice as (true value, value read, chance), and where a new photo begins."""
    kind = draw(st.sampled_from(("d12", "d10", "d6")))
    top = {"d12": 12, "d10": 10, "d6": 6}[kind]
    dice = [(v, v, draw(st.floats(0.9, 0.999))) for v in range(1, top + 1)]
    order = draw(st.permutations(dice))
    cuts = sorted(draw(st.lists(st.integers(0, top), max_size=3)))
    return kind, order, cuts


def _show(learner: Learner, poses: Any, dice: list[tuple[int, int, float]], cuts: list[int]) -> None:
    for start, end in itertools.pairwise([0, *cuts, len(dice)]):
        learner.add(
            "blue", [poses.vote(read, p, features=(float(true),)) for true, read, p in dice[start:end]]
        )


@settings(max_examples=80)
@given(_shown(), st.data())
def test_surely_read_dice_are_never_stored_wrongly(shown: Any, data: Any) -> None:
    kind, dice, cuts = shown
    poses = _Builders
    learner = Learner("any", kind)
    _show(learner, poses, dice, cuts)
    assert all(value == true for (_c, value), true in _taught(learner).items())
    # one is shown twice instead of another: it is told which, and nothing is stored
    gone = data.draw(st.integers(0, len(dice) - 1))
    kept = data.draw(st.integers(0, len(dice) - 1).filter(lambda i: i != gone))
    again = [(true, read, p) if i != gone else dice[kept] for i, (true, read, p) in enumerate(dice)]
    learner = Learner("any", kind)
    _show(learner, poses, again, cuts)
    state = learner.state("blue")
    assert state.missing == (dice[gone][0],)
    assert state.twice == (dice[kept][0],)
    with pytest.raises(SetError, match=f"blue: {dice[kept][0]} shown twice, {dice[gone][0]} missing"):
        learner.finish()
    # whatever is shown once more does no harm
    learner.add("blue", [poses.vote(true, p, features=(float(true),)) for true, _read, p in dice])
    assert all(value == true for (_c, value), true in _taught(learner).items())


@settings(max_examples=80)
@given(_shown(), st.data())
def test_one_or_two_unsure_dice_are_those_left_over(shown: Any, data: Any) -> None:
    kind, dice, cuts = shown
    one, other = data.draw(st.lists(st.integers(0, len(dice) - 1), min_size=2, max_size=2, unique=True))
    # one is taken for any other's value; the second leans to its own
    wrong = data.draw(st.sampled_from([v for v, _r, _p in dice if v not in (dice[one][0], dice[other][0])]))
    dice[one] = (dice[one][0], wrong, data.draw(st.floats(0.3, 0.7)))
    dice[other] = (dice[other][0], dice[other][0], data.draw(st.floats(0.3, 0.7)))
    learner = Learner("any", kind)
    _show(learner, _Builders, dice, cuts)
    assert all(value == true for (_c, value), true in _taught(learner).items())


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
    (tmp_path / ".no name.dice.json").write_text("{}")
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
        ("[]", "version: expected 7, got list; learn the set again"),
        ('{"version": 9}', "version: expected 7, got 9; learn the set again"),
        ('{"version": 7, "name": "a"}', "samples: 'samples'; learn the set again"),
        (
            '{"version": 7, "name": "a", "samples": []}',
            "samples: expected some, got none; learn the set again",
        ),
        ("[" * 100_000, "damaged or unreadable"),
        (
            '{"version": 7, "name": "a", "samples": [{"kind": "d12", "colour": "white", "value": 13, "features": []}]}',
            "d12 white 13 is not possible",
        ),
        (
            '{"version": 7, "name": "a", "samples": [{"kind": "d9", "colour": "white", "value": 1, "features": []}]}',
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


def test_a_set_that_cannot_be_written_is_told_and_the_old_one_stays(tmp_path: Path) -> None:
    save_set(_set("mine"), tmp_path)
    (tmp_path / "mine.dice.tmp").mkdir()
    with pytest.raises(
        SetError, match=r"mine.dice.json: cannot be written \(Is a directory\); free some space"
    ):
        save_set(_set("mine"), tmp_path)
    assert load_set("mine", tmp_path) == _set("mine")


def test_names_stay_inside_the_folder(tmp_path: Path) -> None:
    for name in ("../evil", "", "a/b", ".hidden", "x" * 50, "a\0b", "a\n"):
        with pytest.raises(SetError, match="use up to 40 letters"):
            save_set(_set(name), tmp_path)
    with pytest.raises(SetError, match=r"no dice set named 'other' in .*; there are none yet"):
        load_set("other", tmp_path)


def test_a_set_turns_a_wrong_vote_and_keeps_to_its_colours(poses: Any) -> None:
    dice_set = _set()
    nine = next(s for s in dice_set.samples if s.colour == "white" and s.value == 9)
    seen = tuple((np.array(nine.features) + 0.05).tolist())
    tones = np.full((1, len(COLOURS)), 0.02)
    tones[0, COLOURS.index("white")], tones[0, COLOURS.index("gray")] = 0.42, 0.4
    votes, after = set_votes(dice_set, [poses.vote(6, 0.6, features=seen)], tones, ["d12"])
    assert int(np.argmax(votes[0].logp)) == 9
    assert after[0, COLOURS.index("white")] > 0.85
    assert json.dumps(list(votes[0].logp))


@pytest.mark.parametrize("kind", ["d10", "d6"])
def test_a_set_says_nothing_about_dice_of_another_kind(kind: str, poses: Any) -> None:
    dice_set = _set()
    nine = next(s for s in dice_set.samples if s.colour == "white" and s.value == 9)
    tones = np.full((2, len(COLOURS)), 0.05)
    tones[:, COLOURS.index("gray")] = 0.55
    vote = poses.vote(6, 0.9, features=nine.features)
    votes, after = set_votes(dice_set, [vote, vote], tones, [kind, "d12"])
    assert votes[0] is vote
    assert after[0].tolist() == tones[0].tolist()
    assert votes[1] != vote, "its own kind is still told"
    assert after[1, COLOURS.index("gray")] < 0.5, "the set has no gray"
    assert tones[1, COLOURS.index("gray")] == 0.55, "what was given is left as it is"


def test_sets_of_another_reading_net_are_refused() -> None:
    # a new net means new features: when this sum changes, raise the version in vision/set_files.py and put it here
    net = (Path(vision.__file__).parent / "models" / "read.onnx").read_bytes()
    assert (set_files.VERSION, hashlib.sha256(net).hexdigest()[:16]) == (7, "eb109d4755356f10")
