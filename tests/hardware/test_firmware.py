"""The firmware's parts that hold no pins, under CPython; its protocol is tested in test_link and test_frames."""

from __future__ import annotations

import ast
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.digits import max7219_segments
from hardware.patterns import cells, level_at
from hardware.ports import DISPLAY_CHARACTERS, DisplayText, LampPattern, LampStep
from hardware.serial_panel import PART_ORDER

WRAP = 1 << 30


@pytest.fixture(scope="session")
def parts(kit_module):
    return kit_module.load_firmware("parts")


@pytest.fixture(scope="session")
def kit_module():
    import sys

    return next(module for name, module in sys.modules.items() if name.endswith("hardware.conftest"))


def wrapped_difference(later, earlier):
    return ((later - earlier + WRAP // 2) % WRAP) - WRAP // 2


def test_the_long_clock_never_wraps(parts):
    true_us = 12_345
    clock = parts.LongClock(lambda: true_us % WRAP, wrapped_difference)
    start = true_us
    for _ in range(20):
        true_us += 400_000_000
        assert clock.now() == true_us - start
        assert clock.long((true_us - 7_000) % WRAP) == true_us - start - 7_000


def test_the_ring_keeps_edges_in_order_and_says_when_it_is_full(parts):
    ring = parts.EdgeRing(array("I", [0] * 8), array("B", [0] * 8))
    assert ring.take() is None
    for index in range(7):
        ring.put(100 + index, index % 4, index % 2)
    assert not ring.lost
    ring.put(999, 0, 1)
    assert ring.lost
    assert [ring.take() for _ in range(8)] == [(100 + n, n % 4, bool(n % 2)) for n in range(7)] + [None]
    ring.put(5, 3, 1)
    assert ring.take() == (5, 3, True)


@given(
    text=st.text(st.sampled_from([*sorted(DISPLAY_CHARACTERS), ".", ":"]), max_size=10),
    digits=st.integers(2, 8),
)
def test_both_sides_draw_the_same_segments(parts, text, digits):
    ours = [max7219_segments(character, point) for character, point in cells(DisplayText(text), digits)]
    assert parts.layout(text, digits) == ours


@given(
    steps=st.lists(st.tuples(st.integers(0, 255), st.integers(10, 3_000)), min_size=1, max_size=16),
    repeat=st.booleans(),
    ms=st.integers(0, 100_000),
)
def test_both_sides_run_a_pattern_alike(parts, steps, repeat, ms):
    pattern = LampPattern(tuple(LampStep(level / 255, length) for level, length in steps), repeat)
    assert parts.level_at((repeat, steps, 7_000), 7_000 + ms * 1000) / 255 == level_at(pattern, ms)


def test_outputs_run_lamps_tones_digits_and_go_dark(parts):
    shown = {"lamp": [], "tone": [], "tray": [], "row": []}
    outputs = parts.Outputs(
        [shown["lamp"].append, None], shown["tone"].append, shown["tray"].append, shown["row"].append
    )
    outputs.run(1_000)
    outputs.lamp(0, True, [(255, 100), (0, 100)])
    outputs.lamp(1, True, [(9, 100)])
    outputs.lamp(7, True, [(9, 100)])
    outputs.buzz([(440, 50), (880, 50)])
    outputs.display(1, "12.5")
    outputs.tray(77)
    for ms in (1, 60, 120, 220):
        outputs.run(1_000 + ms * 1_000)
    assert shown["lamp"] == [0, 255, 0, 255]
    assert shown["tone"] == [0, 440, 880, 0]
    assert shown["tray"] == [0, 77]
    assert shown["row"][-1] == parts.layout("", 4) + parts.layout("12.5", 4)
    outputs.dark()
    assert (shown["lamp"][-1], shown["tray"][-1], shown["row"][-1]) == (0, 0, [0] * 8)


def test_outputs_may_all_be_absent(parts):
    outputs = parts.Outputs([None, None, None], None, None, None)
    outputs.display(0, "1")
    outputs.buzz([(440, 5)])
    outputs.run(5)
    outputs.dark()


def test_the_order_of_parts_is_the_one_main_py_counts():
    assert [part.value for part in PART_ORDER] == [
        "button_left", "button_right", "button_pause", "button_arbiter",
        "lamp_left", "lamp_right", "lamp_arbiter", "display_left", "display_right", "buzzer", "tray_light",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["main", "parts", "protocol"])
def test_the_firmware_uses_nothing_that_micropython_lacks(kit_module, name):
    tree = ast.parse((kit_module.FIRMWARE / f"{name}.py").read_text(encoding="utf-8"))
    allowed = {
        "binascii",
        "os",
        "select",
        "sys",
        "time",
        "array",
        "machine",
        "micropython",
        "parts",
        "protocol",
    }
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Match | ast.AsyncFunctionDef), f"{name}.py line {node.lineno}"
        if isinstance(node, ast.Tuple | ast.List):
            assert not any(isinstance(one, ast.Starred) for one in node.elts), f"{name}.py line {node.lineno}"
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= allowed
        if isinstance(node, ast.ImportFrom):
            assert node.module in allowed
