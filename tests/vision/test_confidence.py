"""Stated confidence is the share that is right, also on data it was not fitted on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from vision.confidence import (
    COLOUR_SIGNS,
    DIE_SIGNS,
    LEAN_SIGNS,
    SIGNS,
    STACK_SIGNS,
    Signs,
    colour_vector,
    confidence,
    curve,
    die_vector,
    fit,
    lean_vector,
    reliability,
    signs_vector,
    stack_vector,
)
from vision.models import load_models


def _signs(winner: float, agree: float = 0.9, **changes: object) -> Signs:
    base: dict[str, object] = {
        "winner": winner, "second": min(0.5, 1 - winner), "agree": agree, "spread": 0.02, "cocked": 0.05,
        "off_plane": 0.02,
        "face_px": 20.0, "is_six_nine": False, "kind": 0.99, "kind_name": "d12",
    }  # fmt: skip
    return Signs(**{**base, **changes})  # type: ignore[arg-type]


def _world(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows, right = [], []
    for _ in range(count):
        truth = rng.uniform(0.3, 0.999)
        stated = truth**0.3  # a net that is far too sure of itself
        rows.append(
            signs_vector(_signs(float(stated), agree=float(np.clip(stated - rng.uniform(0, 0.1), 0.01, 1))))
        )
        right.append(float(rng.random() < truth))
    return np.array(rows), np.array(right)


def test_the_fit_makes_an_overconfident_net_honest() -> None:
    rows, right = _world(6000, 1)
    weights = fit(rows, right)
    fresh, truth = _world(6000, 2)
    stated = 1 / (1 + np.exp(-fresh @ weights))
    for row in reliability(stated.tolist(), [bool(v) for v in truth], [0, 0.5, 0.7, 0.8, 0.9, 1.001]):
        assert row["right"] == pytest.approx(row["stated"], abs=0.05), row
    raw = np.array([1 / (1 + np.exp(-v[1])) for v in fresh])
    assert abs(raw.mean() - truth.mean()) > 0.1, "the world was overconfident before"


def test_signs_have_names_and_stay_finite() -> None:
    assert len(signs_vector(_signs(0.9))) == len(SIGNS)
    for winner in (0.0, 1.0, 0.5):
        v = signs_vector(_signs(winner, agree=0.0, face_px=0.0, cocked=1.0, off_plane=9.0))
        assert np.isfinite(v).all()
        assert 0 <= confidence(_signs(winner), [0.5] * len(SIGNS)) <= 1


def test_confidence_follows_its_weights() -> None:
    weights = np.zeros(len(SIGNS))
    weights[SIGNS.index("winner")] = 1.0
    assert confidence(_signs(0.8), weights.tolist()) == pytest.approx(0.8, abs=1e-6)
    weights[SIGNS.index("six_nine")] = -1.0
    assert confidence(_signs(0.8, is_six_nine=True), weights.tolist()) < 0.7


def test_empty_bins_are_left_out() -> None:
    assert reliability([0.95, 0.96], [True, False], [0, 0.5, 1.01]) == [
        {"from": 0.5, "to": 1.01, "n": 2, "stated": pytest.approx(0.955), "right": 0.5}
    ]


@pytest.mark.parametrize(
    ("vector", "names"),
    [
        (signs_vector, SIGNS),
        (lean_vector, LEAN_SIGNS),
        (die_vector, DIE_SIGNS),
        (colour_vector, COLOUR_SIGNS),
        (stack_vector, STACK_SIGNS),
    ],
)
def test_every_curve_has_a_weight_a_sign(
    vector: Callable[[Signs], np.ndarray], names: tuple[str, ...]
) -> None:
    extreme = _signs(
        1.0,
        score=0.0,
        die=1.0,
        colour=1.0,
        colour_second=0.0,
        off_plane=9.0,
        size_off=9.0,
        misfit=1.0,
        higher=9.0,
        stacked=1.0,
        lean=3.0,
    )
    for signs in (_signs(0.9), extreme):
        laid = vector(signs)
        assert laid.shape == (len(names),)
        assert np.isfinite(laid).all()
    assert vector(_signs(0.9))[0] == 1


def test_shipped_curves_go_the_right_way() -> None:
    doubt = load_models().doubt
    usual = {
        "backing": 5.0, "lean": 0.04, "alike": 0.97, "score": 0.8, "die": 0.97, "colour": 0.9, "colour_second": 0.05, "colour_own": 0.9,
        "light": 0.4,
    }  # fmt: skip
    good = _signs(0.97, **usual)

    def lean(s: Signs) -> float:
        return curve(lean_vector(s), doubt["lean"])

    assert lean(good) < 0.1
    assert lean(_signs(0.97, **{**usual, "off_plane": 0.3, "cocked": 0.5})) > lean(good)
    assert lean(_signs(0.97, **{**usual, "lean": 0.35, "alike": 0.0, "cocked": 0.3})) > 0.5

    def on_another(s: Signs) -> float:
        return curve(stack_vector(s), doubt["stack"])

    seen = _signs(0.97, **{**usual, "stacked": 0.99})
    assert on_another(good) < 0.05 < on_another(seen)
    assert on_another(seen) < on_another(_signs(0.97, **{**usual, "stacked": 0.99, "higher": 0.1}))
    assert on_another(_signs(0.97, **{**usual, "stacked": 0.99, "higher": 0.1})) > doubt["stacked_at"]
    assert lean(seen) == lean(good), "it stands as upright as those on the table"
    assert confidence(seen, doubt["weights"]) <= confidence(good, doubt["weights"])
    faint = _signs(0.97, **{**usual, "score": 0.3, "die": 0.5})
    assert curve(die_vector(faint), doubt["die"]) < curve(die_vector(good), doubt["die"])
    unsure = _signs(0.97, **{**usual, "colour": 0.5, "colour_second": 0.45, "colour_own": 0.5})
    assert curve(colour_vector(unsure), doubt["colour"]) < curve(colour_vector(good), doubt["colour"])
    assert confidence(_signs(0.5, **usual), doubt["weights"]) < confidence(good, doubt["weights"])
