"""Scenes as photos of real evenings show them, for choosing and for testing: other fonts, dice, lamps and tables than for training.

The fonts kept out of training are split in two by family: the curves are fitted and everything is chosen on one half, and
figures are counted on the other. Dice, lamps and surfaces are drawn anew for each half from other seeds, of the same kinds.
"""

from __future__ import annotations

__all__ = ["Part", "evening", "half_of", "studio_of"]

import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from vision.training.glyphs import FontBook
from vision.training.looks import COLOURS, Studio
from vision.training.scene import Scene, render_scene

Part = Literal["choose", "test"]
_TABLE = 4
"""Of six scenes so many are rolls on a table; one shows a die close up, one d6 of two colours."""


def _family(font: str) -> str:
    name = re.split(r"[-_ ]", Path(font).stem)[0].lower()
    return re.sub(r"(bold|italic|regular|medium)+$", "", name)


def half_of(fonts: Sequence[str], part: Part) -> list[str]:
    """Return those of the fonts that belong to a part; a family is never in both."""
    is_test = part == "test"
    return [font for font in fonts if zlib.crc32((_family(font) + "x").encode()) % 2 == is_test]


def studio_of(part: Part, seed: int) -> Studio:
    """Return what scenes of a part are made with; where too few fonts are found, both parts have the same."""
    book = FontBook.scan()
    half = half_of(book.held_out, part) or book.held_out
    return Studio(seed, surfaces_count=20, book=FontBook(train=half, held_out=half))


def evening(seed: int, number: int, studio: Studio) -> Scene:
    """Render the scene of a number: dice as large as in photos of a table, and no camera turned all the way up.

    Two dice in a hundred lean and one in 250 lies on another, but in every fifth roll one in four leans and one in twelve
    lies on another, so that there are enough to learn from.
    """
    rng = np.random.default_rng((seed, 1, number))
    seeds = (seed, 7, number)
    what = number % 6
    if what < _TABLE:
        kind = str(rng.choice(["d12", "d10", "d6"], p=[0.6, 0.2, 0.2]))
        sets = int(rng.choice([1, 2, 3, 4], p=[0.2, 0.3, 0.4, 0.1]))
        pool = COLOURS[:3] if rng.random() < 0.65 else COLOURS[:7]
        names = rng.choice(pool, size=min(sets, len(pool)), replace=False)
        count = int(rng.integers(1, 20))
        die_px = float(np.exp(rng.uniform(np.log(24), np.log(85))))
        odd = (0.02, 0.004) if rng.random() < 0.8 else (0.25, 0.08)
        wanted = [(kind, str(name)) for name in names]
        return render_scene(
            seeds, studio, (1024, 768), wanted=wanted, count=count, die_px=die_px, is_harsh=False, odd=odd
        )
    if what == _TABLE:
        kind = str(rng.choice(["d6", "d10", "d12", "other"], p=[0.45, 0.3, 0.1, 0.15]))
        wanted = [(kind, str(rng.choice(COLOURS)))]
        die_px = float(rng.uniform(0.12, 0.3) * 480)
        return render_scene(
            seeds, studio, (480, 480), wanted=wanted, count=1, die_px=die_px, is_harsh=False, odd=(0.0, 0.0)
        )
    wanted = [("d6", str(rng.choice(["white", "gray", "black", "blue", "red"]))) for _set in range(2)]
    count, die_px = int(rng.integers(1, 10)), float(rng.uniform(25, 80))
    return render_scene(
        seeds, studio, (800, 600), wanted=wanted, count=count, die_px=die_px, is_harsh=False, odd=(0.02, 0.0)
    )
