"""The model card's plot: counted where nothing was fitted, drawn from counts that are kept, of the nets that are shipped."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import vision
from vision.training import reliability
from vision.training.evaluate import interval
from vision.training.reliability import counted, fingerprint, main, picture, readings_of_photos

_MODELS = Path(vision.__file__).parent / "models"
_KEPT = json.loads((_MODELS / "reliability.json").read_text("utf-8"))


def test_the_plot_shows_the_counts_that_are_kept() -> None:
    assert (_MODELS / "reliability.svg").read_text("utf-8") == picture(_KEPT)
    for of in ("value", "colour"):
        drawn = (_MODELS / f"reliability-{of}.svg").read_text("utf-8")
        assert drawn == picture({"series": _KEPT[of]}, f"{of} alone")
        assert f"({of} alone)" in drawn


def test_the_counts_are_of_the_nets_that_are_shipped() -> None:
    assert _KEPT["models"] == fingerprint(_MODELS), "run python -m vision.training.reliability again"


def test_the_counts_are_whole_and_of_scenes_that_fitted_nothing() -> None:
    assert "own renders" in _KEPT["series"][0]["name"]
    assert reliability.MEASURE_SEED != reliability.FIT_SEED
    for series in _KEPT["series"]:
        assert series.get("seed", reliability.MEASURE_SEED + 1) > reliability.MEASURE_SEED
        assert sum(r["n"] for r in series["rows"]) > 150
        for row in series["rows"]:
            assert 0 <= row["right"] <= row["n"]
            assert row["from"] <= row["stated"] <= row["to"]


def test_card_and_readme_link_the_plot() -> None:
    assert "(reliability.svg)" in (_MODELS / "MODEL_CARD.md").read_text("utf-8")
    assert "(models/reliability.svg)" in (_MODELS.parent / "README.md").read_text("utf-8")


def _data(*rows: tuple[float, int, int]) -> dict[str, object]:
    laid = [{"from": s - 0.01, "to": s + 0.01, "stated": s, "n": n, "right": k} for s, n, k in rows]
    return {"models": "", "series": [{"name": "a < b & c", "rows": laid}]}


def test_points_stand_at_what_was_stated_and_what_was_right() -> None:
    drawn = picture(_data((0.5, 40, 10), (0.94, 100, 97)))
    tree = ET.fromstring(drawn)
    name = "{http://www.w3.org/2000/svg}"
    points = [(float(c.get("cx", 0)), float(c.get("cy", 0))) for c in tree.iter(f"{name}circle")]
    # at the left both, at the right the one from 0.88 on, and the one of the key
    left, top, side, right = 62.0, 74.0, 330.0, 62.0 + 330.0 + 78.0
    wanted = [
        (left + 0.5 * side, top + 0.75 * side), (left + 0.94 * side, top + 0.03 * side),
        (right + 0.5 * side, top + 0.25 * side),
    ]  # fmt: skip
    assert points[:3] == [pytest.approx(p, abs=0.06) for p in wanted]
    texts = [t.text for t in tree.iter(f"{name}text")]
    assert "a < b & c: 107 of 140 readings right" in texts
    assert texts.count("40") == texts.count("100") == 1, "each number of readings once"
    low, high = interval(10, 40)
    bar = re.search(rf"M{left + 0.5 * side:.1f} ([\d.]+)V([\d.]+)M", drawn)
    assert bar
    assert [float(g) for g in bar.groups()] == pytest.approx(
        [top + (1 - high) * side, top + (1 - low) * side], abs=0.06
    )


def _write_photos(folder: Path) -> Path:
    dice = [
        {"kind": "d12", "color": "white", "value": 7, "cocked": False, "center": [100, 100], "radius": 30},
        {"kind": "d10", "color": None, "value": 0, "cocked": False, "center": [200, 100], "radius": 30},
        {"kind": "d12", "color": "gray", "value": None, "cocked": True, "center": [300, 100], "radius": 30},
        {"kind": "d12", "color": "gray", "value": 4, "cocked": False, "center": [400, 100], "radius": 30, "legible": False},
    ]  # fmt: skip
    (folder / "truth").mkdir()
    (folder / "truth" / "a.json").write_text(json.dumps({"image": "a.jpg", "tags": {}, "dice": dice}))
    read = [
        ("d12", "white", 7, 101, 0.97), ("d12", "white", 7, 110, 0.91), ("d10", "pink", 10, 200, 0.8), ("d12", "gray", 3, 300, 0.6),
        ("d12", "gray", 5, 400, 0.95), ("d12", "gray", None, 500, 0.4), ("d12", "gray", 2, 600, 0.5),
    ]  # fmt: skip
    rows = [{"kind": k, "color": c, "value": v, "x": x, "y": 100, "confidence": p} for k, c, v, x, p in read]
    lines = [
        {"image": "a.jpg", "dice": rows},
        {"image": "unknown.jpg", "dice": rows},
        {"image": "a.jpg", "dice": []},
    ]
    predictions = folder / "p.jsonl"
    predictions.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return predictions


def test_photos_are_counted_as_the_scorer_does(tmp_path: Path) -> None:
    stated, right = readings_of_photos(tmp_path / "truth", _write_photos(tmp_path))
    # one reading a die; a colour that is not judged is right; a leaning die, nothing, and a second reading are wrong;
    # without a value, or of a die that nobody could read: left out
    assert list(zip(stated, right, strict=True)) == [
        (0.97, True), (0.91, False), (0.8, True), (0.6, False), (0.5, False),
    ]  # fmt: skip


def test_rows_become_counts() -> None:
    assert counted([{"from": 0.9, "to": 1.0001, "n": 3, "stated": 0.951236, "right": 2 / 3}]) == [
        {"from": 0.9, "to": 1, "n": 3, "right": 2, "stated": 0.9512}
    ]


def test_redrawing_reads_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "reliability.json").write_text(json.dumps(_data((0.94, 100, 97))))
    assert main(["--redraw", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "reliability.svg").read_text("utf-8") == picture(_data((0.94, 100, 97)))
    assert "stated 0.930 to 0.950:    97 of   100 right, 97.0 % (91.5 to 99.0)" in capsys.readouterr().out


def test_one_command_counts_and_draws(tmp_path: Path) -> None:
    predictions = _write_photos(tmp_path)
    photos = ["--photos", "photos", str(tmp_path / "truth"), str(predictions)]
    assert main(["--scenes", "0", *photos, "--out", str(tmp_path)]) == 0
    data = json.loads((tmp_path / "reliability.json").read_text("utf-8"))
    assert [s["name"] for s in data["series"]] == ["photos"]
    assert data["models"] == fingerprint(_MODELS)
    assert [(r["from"], r["n"], r["right"]) for r in data["series"][0]["rows"]] == [
        (0.5, 2, 0), (0.8, 1, 1), (0.9, 1, 0), (0.95, 1, 1),
    ]  # fmt: skip
    assert (tmp_path / "reliability.svg").read_text("utf-8") == picture(data)


@pytest.mark.long
def test_the_command_reads_fresh_renders(tmp_path: Path) -> None:
    assert main(["--scenes", "4", "--jobs", "1", "--out", str(tmp_path)]) == 0
    (renders,) = json.loads((tmp_path / "reliability.json").read_text("utf-8"))["series"]
    assert renders["name"] == "own renders with held-out fonts (4 scenes)"
    assert renders["seed"] == 1 + reliability.MEASURE_SEED
    assert sum(r["n"] for r in renders["rows"]) > 8


def test_photos_without_their_truth_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    predictions = _write_photos(tmp_path)
    (tmp_path / "empty").mkdir()
    assert (
        main(["--photos", "photos", str(tmp_path / "empty"), str(predictions), "--out", str(tmp_path)]) == 2
    )
    assert (
        f"{predictions}: no reading of a photo with truth in {tmp_path / 'empty'}" in capsys.readouterr().err
    )
