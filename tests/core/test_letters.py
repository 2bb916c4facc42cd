"""Which signs of names are taken: exactly such as the text fonts have, Umlauts among them, never a line break."""

from __future__ import annotations

import struct
from importlib.util import find_spec
from pathlib import Path

import pytest

from companion.core.letters import SHOWN, can_show
from companion.core.options import names
from companion.core.scenario import Fault


def _in_font(path: Path) -> set[int]:
    """Return the code points of a TrueType font's table of characters (format 4)."""
    data = path.read_bytes()

    def read(at: int, form: str) -> tuple[int, ...]:
        return struct.unpack_from(f">{form}", data, at)

    tables = {data[12 + 16 * i : 16 + 16 * i]: read(20 + 16 * i, "I")[0] for i in range(read(4, "H")[0])}
    start = tables[b"cmap"]
    found: set[int] = set()
    for i in range(read(start + 2, "H")[0]):
        at = start + read(start + 8 + 8 * i, "I")[0]
        if read(at, "H")[0] != 4:
            continue
        wide = read(at + 6, "H")[0]
        count, offsets = wide // 2, at + 16 + 3 * wide
        ends, starts = read(at + 14, f"{count}H"), read(at + 16 + wide, f"{count}H")
        deltas, ranges = read(at + 16 + 2 * wide, f"{count}h"), read(offsets, f"{count}H")
        for n, (first, last, delta, jump) in enumerate(zip(starts, ends, deltas, ranges, strict=True)):
            for code in range(first, min(last, 0xFFFE) + 1):
                glyph = code if not jump else read(offsets + 2 * n + jump + 2 * (code - first), "H")[0]
                if (glyph + delta) & 0xFFFF if glyph else 0:
                    found.add(code)
    return found


@pytest.mark.parametrize("weight", ["Regular", "Bold"])
def test_every_sign_that_is_taken_is_in_the_font(weight: str) -> None:
    spec = find_spec("kivy")
    assert spec is not None
    assert spec.origin is not None
    font = _in_font(Path(spec.origin).parent / "data" / "fonts" / f"Roboto-{weight}.ttf")
    assert ord("A") in font
    assert ord("李") not in font
    missing = [hex(code) for first, last in SHOWN for code in range(first, last + 1) if code not in font]
    assert not missing


@pytest.mark.parametrize(
    ("name", "is_shown"),
    [
        ("Jürgen Groß", True), ("Łukasz", True), ("[b]Anna[/b]", True), ("A&B <x>", True), ("Ελένη", True), ("Аня", True),
        ("\U0001f600 Zoë", False), ("李雷", False), ("محمد", False), ("A\nB", False), ("A\tB", False),
    ],
)  # fmt: skip
def test_a_name_is_taken_where_it_can_be_shown_whole(name: str, is_shown: bool) -> None:
    assert can_show(name) == is_shown
    faults: list[Fault] = []
    assert names({"names": [name, "B"]}, 2, faults) == ((name, "B") if is_shown else ("Player 1", "Player 2"))
    assert [fault.key for fault in faults] == ([] if is_shown else ["names"])
