"""The README's tables are counted, not typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vision.confidence import SIGNS
from vision.training.evaluate import fit_confidence, interval
from vision.training.figures import figures, main


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
