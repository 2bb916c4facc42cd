"""The generator of small changes: which it makes, that each one changes its file, and that a seed draws the same again."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from companion.testing.mutate import ROOMS, SURVIVORS, TOP, Trial, draw, mutants_of, mutated

_SOURCE = """
def clip(value, most):
    'Text is left alone.'
    seen = []
    if value > most and not seen:
        seen.append(value + 1)
    return value
"""


def test_every_kind_of_change_is_made_once_and_changes_one_thing() -> None:
    made = mutants_of("clip.py", _SOURCE)
    assert [(m.kind, m.after) for m in made] == [
        ("dropped", "pass"),
        ("and/or", "value > most or not seen"),
        ("compare", "value >= most"),
        ("not", "seen"),
        ("dropped", "pass"),
        ("plus/minus", "value - 1"),
        ("off by one", "2"),
    ]
    texts = {mutated(_SOURCE, mutant) for mutant in made}
    assert len(texts) == len(made)
    assert ast.unparse(ast.parse(_SOURCE)) not in texts


@pytest.mark.parametrize(
    "room", [pytest.param(room, marks=() if room == "core" else pytest.mark.long) for room in ROOMS]
)
def test_a_seed_draws_the_same_changes_again_and_each_is_whole_python(room: str) -> None:
    drawn = draw(room, 25, seed=7)
    assert [m.key for m in drawn] == [m.key for m in draw(room, 25, seed=7)]
    assert [m.key for m in drawn] != [m.key for m in draw(room, 25, seed=8)]
    assert len(drawn) == 25
    for mutant in drawn:
        whole = (TOP / mutant.path).read_text(encoding="utf-8")
        assert ast.unparse(ast.parse(mutated(whole, mutant))) != ast.unparse(ast.parse(whole))


def test_an_edit_changes_the_draw_of_what_it_touched_alone(tmp_path: Path) -> None:
    """What a kept file knows stays good; each function gives a change before any gives a second."""
    core = tmp_path / "companion" / "core"
    core.mkdir(parents=True)
    for n in range(6):
        (core / f"m{n}.py").write_text(_SOURCE.replace("clip", f"clip_{n}"), encoding="utf-8")
    before = [m.key for m in draw("core", 12, 1942, tmp_path)]
    assert len({key.split(":")[1] for key in before[:6]}) == 6
    (core / "m2.py").write_text(_SOURCE.replace("clip", "clamp"), encoding="utf-8")
    after = [m.key for m in draw("core", 12, 1942, tmp_path)]
    assert [key for key in after if "clamp" not in key] == [key for key in before if "clip_2" not in key]
    assert len(draw("core", 1_000, 1942, tmp_path)) == 6 * 7


def test_each_change_that_is_excused_can_still_be_made_and_has_a_reason() -> None:
    rows = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))["survivor"]
    for row in rows:
        path = row["key"].split(":")[0]
        made = [m.key for m in mutants_of(path, (TOP / path).read_text(encoding="utf-8"))]
        assert made.count(row["key"]) == 1, "a key excuses one change"
        assert row["reason"].endswith(".")
    assert len({row["key"] for row in rows}) == len(rows)


_COUNT = """
def count(n):
    left = n
    while left > 0:
        left -= 1
    return n - left
"""
_SLOW = "import time\nuntil = time.process_time() + 4\nwhile time.process_time() < until:\n    pass\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("after", "start", "survived"),
    [
        pytest.param("left >= 0", "", False, id="a test fails"),
        pytest.param("pass", "", False, id="no end with the change"),
        pytest.param("pass", _SLOW, None, id="too slow without it as well"),
    ],
)
def test_a_test_that_does_not_end_is_held_against_the_program_as_it_is(
    after: str, start: str, survived: bool | None, tmp_path: Path
) -> None:
    (tmp_path / "steps.py").write_text(_COUNT, encoding="utf-8")
    (tmp_path / "test_steps.py").write_text(
        f"{start}from steps import count\n\ndef test_count():\n    assert count(3) == 3\n", encoding="utf-8"
    )
    mutant = next(one for one in mutants_of("steps.py", _COUNT) if one.after == after)
    assert Trial(tmp_path, processor_s=9).survives(mutant, ["test_steps.py"]) is survived
    assert (tmp_path / "steps.py").read_text(encoding="utf-8") == _COUNT, "the file is put back"
