"""Colours: contrast of every text on every ground, sides told apart without colour and by colour-blind eyes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from companion.pages.frame import marks, nation_mark
from companion.testing.sample import sample_setup
from companion.testing.scenes import open_scene
from companion.ui.theme import PALETTES, Theme, contrast, rgba
from companion.ui.widgets import Badge, Digits, Half

TEXTS = (
    "text",
    "muted",
    "off",
    "accent",
    "allies",
    "axis",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "ok",
    "danger",
)
SIDES = ("allies", "axis", "third", "fourth", "fifth", "sixth")

# Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
BLINDNESS = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def _lab(hex_text: str, matrix: tuple[tuple[float, ...], ...] | None) -> np.ndarray:
    """Return a colour as CIE Lab, as eyes with this blindness see it."""
    srgb = np.array(rgba(hex_text)[:3])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    if matrix is not None:
        linear = np.clip(np.array(matrix) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    ratio = xyz / np.array([0.9505, 1.0, 1.089])
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("token", TEXTS)
def test_every_text_is_legible_on_every_ground(name: str, token: str) -> None:
    palette = PALETTES[name]
    for ground in ("ground", "surface", "raised"):
        assert contrast(rgba(getattr(palette, token)), rgba(getattr(palette, ground))) >= 4.5, ground


@pytest.mark.parametrize("name", PALETTES)
def test_body_text_and_clock_digits_reach_aaa(name: str) -> None:
    palette = PALETTES[name]
    assert contrast(rgba(palette.text), rgba(palette.ground)) > 10
    assert contrast(rgba(palette.text), rgba(palette.surface)) > 10
    for side in SIDES:
        assert contrast(rgba(getattr(palette, side)), rgba(palette.on_side)) >= 7, side
    assert contrast(rgba(palette.accent), rgba(palette.on_accent)) >= 7
    assert contrast(rgba(palette.danger), rgba(palette.on_danger)) >= 7


@pytest.mark.parametrize("name", PALETTES)
def test_piece_colours_are_legible(name: str) -> None:
    palette = PALETTES[name]
    for word, shade in palette.pieces.items():
        for ground in ("ground", "surface", "raised"):
            assert contrast(rgba(shade), rgba(getattr(palette, ground))) >= 4.5, word


@pytest.mark.parametrize("blindness", [None, *BLINDNESS])
@pytest.mark.parametrize("name", PALETTES)
def test_the_two_sides_differ_for_every_eye(name: str, blindness: str | None) -> None:
    palette = PALETTES[name]
    matrix = BLINDNESS[blindness] if blindness else None
    apart = np.linalg.norm(_lab(palette.allies, matrix) - _lab(palette.axis, matrix))
    assert apart >= 20, f"{apart:.0f}"


@pytest.mark.parametrize("name", PALETTES)
def test_sides_never_rely_on_colour(name: str) -> None:
    setup = sample_setup()
    emblems = [mark.emblem for mark in marks(setup)]
    nations = [nation_mark(setup, info.id).emblem for info in setup.nations]
    assert len(set(emblems)) == len(emblems)
    assert len(set(nations)) == len(nations)
    laid = open_scene("table", look=name)
    for badge in (w for w in laid.walk() if isinstance(w, Badge) and w.mark.name):
        assert badge.mark.emblem, badge.mark.name


def test_running_side_is_told_from_ten_metres() -> None:
    """The whole half lights up: its mean brightness differs from the other's in every theme, colour or not."""
    for name in PALETTES:
        picture = open_scene("clocks", look=name).pixels().astype(float).mean(axis=2)
        left, right = picture[80:380, 20:380].mean(), picture[80:380, 420:780].mean()
        assert abs(left - right) > 60, name


@pytest.mark.parametrize(
    ("size", "least_px", "mm_per_px"),
    [((800, 480), 95, 154.1 / 800), ((1280, 720), 155, 155.0 / 1280), ((720, 1280), 175, 88.0 / 720)],
)
def test_clock_digits_are_legible_from_three_metres(
    size: tuple[int, int], least_px: int, mm_per_px: float
) -> None:
    """15 mm high at 3 m is 17 minutes of arc; 5 are the limit of good eyes."""
    for scene, share in (("clocks", 1.0), ("clocks-last-minute", 0.88)):
        laid = open_scene(scene, size=size)
        for digits in (w for w in laid.walk() if isinstance(w, Digits)):
            assert digits.glyph_height_px >= least_px * share
            assert digits.glyph_height_px * mm_per_px >= 15


def test_digits_keep_their_place_while_they_change() -> None:
    laid = open_scene("clocks")
    half = laid.find(cls=Half)
    digits = next(w for w in half.walk() if isinstance(w, Digits))
    places = set()
    for text in ("11:11", "00:00", "48:59"):
        digits.text = text
        laid.frames(2)
        places.add((round(digits.font_px), tuple(round(r.pos[0] + r.size[0] / 2) for r in digits._rects)))
    assert len(places) == 1


def test_lengths_grow_with_the_window_and_type_with_its_step() -> None:
    theme = Theme()
    theme.use(size_px=(1280, 720))
    assert theme.scale == 1.5
    assert theme.target_px * 25.4 / 208 >= 9
    sizes = []
    for step in range(3):
        theme.use(text_step=step)
        sizes.append(theme.font_px("body"))
    assert sizes == sorted(set(sizes))
    assert {theme.color(f"piece:{word}") for word in ("red", "nonsense")} == {
        rgba(theme.palette.pieces["red"]),
        rgba(theme.palette.muted),
    }
    with pytest.raises(KeyError, match="pink"):
        theme.use(name="pink")


def test_palettes_name_the_same_pieces() -> None:
    for one, other in itertools.pairwise(PALETTES.values()):
        assert one.pieces.keys() == other.pieces.keys()
