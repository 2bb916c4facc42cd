"""The README's tables are counted, not typed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vision.confidence import SIGNS, Signs, curve, lean_vector, stack_vector
from vision.numerals import FaceVote
from vision.reader import Doubtful
from vision.training import evaluate
from vision.training.evaluate import Case, fit_confidence, interval
from vision.training.figures import figures, main
from vision.training.paint import DieTruth
from vision.types import COLOURS, Found, Pose, Reading


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(0, 0, 0, 1), (10, 10, 0.722, 1), (0, 10, 0, 0.278), (50, 100, 0.404, 0.596)],
)
def test_intervals_are_wilsons(right: int, of: int, low: float, high: float) -> None:
    assert interval(right, of) == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))


def test_tables_hold_counts_and_conditions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    total = {
        "images": 3,
        "truth": 20,
        "pred": 20,
        "tp": 19,
        "matched": 19,
        "m_up": 18,
        "val_ok": 17,
        "conf": 16,
    }
    file = tmp_path / "s.json"
    file.write_text(json.dumps({"total": total, "tags": {"light=dim": total, "set=x": total}}))
    assert main([f"d12={file}"]) == 0
    text = capsys.readouterr().out
    assert "| photos, dice | 3, 20 |" in text
    assert "| detection recall | 95.0 % (19/20; 76.4 to 99.1) |" in text
    assert "| asked for a tap | 11.1 % (2/18; " in text
    assert "| light dim | 20 |" in text
    assert "set x" not in text
    assert figures({}, {}).startswith("| |")
    assert main([]) == 2


def test_a_fit_without_readings_states_the_nets_own_probability(tmp_path: Path) -> None:
    result = fit_confidence([], tmp_path / "confidence.json")
    assert result["fitted_on"] == 0
    assert result["weights"][SIGNS.index("winner")] == 1
    assert json.loads((tmp_path / "confidence.json").read_text()) == result


def _case(
    score: float,
    *,
    leans: bool = False,
    truth: str = "white",
    logits: dict[str, float] | None = None,
    light: float = 80.0,
    scene: int = 0,
) -> Case:
    die = DieTruth("d12", truth, 5, leans, 10.0, 10.0, 20.0)
    signs = Signs(0.98, 0.01, 0.97, 0.02, 0.1, 0.02, 20.0, False, 0.99, "d12")
    row = tuple((logits or {truth: 4.0}).get(c, -4.0) for c in COLOURS)
    pose = Pose(Found(10, 10, 20, score), (1.0, 0.0, 0.0, 0.0), 0.1, (10, 10), (9, 0, 9), 0.0, 0.0)
    vote = FaceVote((0.0,) * 13, 0.97, 0.0, 0.0)
    reading = Reading("d12", truth, 5, 0.9, 10, 10, 20, guess=5)
    return Case(die, Doubtful(reading, signs, pose, vote, row, (light, 0.0, 0.0)), "dim", "felt", 0.0, scene)


def test_reliability_counts_value_colour_and_leaning() -> None:
    case = _case(0.9)

    def read(**changes: object) -> Case:
        assert case.read is not None
        return replace(case, read=replace(case.read, reading=replace(case.read.reading, **changes)))  # type: ignore[arg-type]

    cases = [
        case, read(guess=3, value=3), read(colour="red"), read(value=None), replace(case, read=None),
        replace(case, truth=None), *[_case(0.9, leans=True)] * 4,
    ]  # fmt: skip
    (row,) = evaluate.reliability_rows(cases, (0.9, 1.0001))
    assert (row["n"], round(row["right"] * row["n"])) == (5, 1), (
        "one leaning die of four counts, and is wrong"
    )
    assert row["stated"] == pytest.approx(0.9)


def test_the_finders_threshold_costs_one_die_in_a_thousand() -> None:
    scores = [0.3, 0.42, *(0.5 + 0.0004 * i for i in range(1000))]
    assert evaluate._choose_found_at([_case(s) for s in scores]) == 0.42
    assert evaluate._choose_found_at([_case(0.5)]) == evaluate.START["found_at"], "too few to choose from"


def test_grays_are_put_in_order_only_where_that_names_more() -> None:
    muddled = {"gray": 1.0, "white": 1.2}  # dice of one gray set, each called white by the net alone
    set_ = [
        _case(0.9, truth="gray", logits=muddled if i == 2 else {"gray": 3.0}, light=50.0 + i)
        for i in range(6)
    ]
    assert evaluate._choose_grays(set_) is not None
    alone = [_case(0.9, truth="white", scene=i) for i in range(4)]
    assert evaluate._choose_grays(alone) is None, "the plainest choice where nothing is gained"


def test_dice_on_others_have_a_curve_and_a_threshold_of_their_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    cases = []
    for i in range(400):
        case = _case(0.9, leans=i % 10 < 2)
        assert case.read is not None
        assert case.truth is not None
        on = i % 10 == 0
        seen = float(np.clip(rng.normal(0.9 if on else 0.1, 0.05), 0.01, 0.99))
        lean = 0.3 if i % 10 == 1 else 0.02
        signs = replace(
            case.read.signs, stacked=seen, lean=lean, backing=5.0, winner=float(rng.uniform(0.9, 0.99))
        )
        truth = replace(case.truth, stacked=on)
        cases.append(replace(case, truth=truth, read=replace(case.read, signs=signs)))
    fitted = evaluate.fit_confidence(cases, tmp_path / "confidence.json")
    told = [
        curve(stack_vector(c.read.signs), fitted["stack"]) > fitted["stacked_at"] for c in cases if c.read
    ]
    assert told == [c.truth is not None and c.truth.stacked for c in cases]
    leans = [curve(lean_vector(c.read.signs), fitted["lean"]) > fitted["cocked_at"] for c in cases if c.read]
    assert leans == [c.truth is not None and c.truth.cocked and not c.truth.stacked for c in cases]


def test_what_counts_as_leaning_weighs_taps_against_wrong_values() -> None:
    stated = [0.1, 0.2, 0.4, 0.5, 0.7, 0.8]
    leans = [False, False, False, True, True, True]
    sure = [True] * 6
    assert 0.4 <= evaluate._choose_refused_at(stated, leans, sure) < 0.5
    # leaning dice that are asked about anyway cost nothing: no upright one is refused for them
    assert evaluate._choose_refused_at([0.1, 0.9, 0.8], [False, False, True], [True, True, False]) >= 0.9
    # one sure die on another under upright ones counts a quarter of eleven taps: worth two of theirs, not three
    few, lies = [0.31, 0.4, 0.45, 0.5], [False, True, False, False]
    assert evaluate._choose_refused_at(few, lies, [True] * 4) < 0.4
    assert evaluate._choose_refused_at([*few, 0.55], [*lies, False], [True] * 5) >= 0.55
    assert evaluate._choose_refused_at([0.1], [False], [True]) == evaluate.START["cocked_at"]
