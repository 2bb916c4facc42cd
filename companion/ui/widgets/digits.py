"""Clock digits: each glyph is drawn once and then only placed, so that a ticking clock costs next to nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, InstructionGroup, Rectangle
from kivy.graphics.texture import Texture
from kivy.properties import BooleanProperty, NumericProperty, OptionProperty, StringProperty
from kivy.uix.widget import Widget

from companion.ui.theme import theme

__all__ = ["Digits", "glyph"]

_glyphs: dict[tuple[str, int], Texture] = {}
_CAP = 0.711
"""Height of a Roboto digit as a share of the font size."""


def glyph(char: str, font_px: int) -> Texture:
    """Return the texture of one bold character."""
    key = (char, font_px)
    if key not in _glyphs:
        if len(_glyphs) > 400:
            _glyphs.clear()
        label = CoreLabel(text=char, font_size=font_px, bold=True, font_name="Roboto")
        label.refresh()
        _glyphs[key] = label.texture
    return _glyphs[key]


@lru_cache(maxsize=64)
def _digit_width(font_px: int) -> float:
    """Return the one width that every digit gets."""
    return float(max(glyph(char, font_px).width for char in "0123456789"))


@lru_cache(maxsize=128)
def _em(char: str) -> float:
    """Return the width of a character as a share of the font size; words may stand where a clock would."""
    if char.isdigit():
        return 0.572
    return 0.29 if char in ":." else float(glyph(char, 100).width) / 100 + 0.01


class Digits(Widget):
    """Digits as large as the box allows, all of one width, colons and points narrower."""

    text = StringProperty("")
    tone = StringProperty("text")
    align = OptionProperty("center", options=("left", "center", "right"))
    most_font_px = NumericProperty(10_000)
    template = StringProperty("")
    """The widest text to leave room for, so that the size does not change when a digit goes."""
    is_hidden = BooleanProperty(False)
    """Show a dash instead: the clock was asked to keep quiet."""
    font_px = NumericProperty(0)
    text_px = NumericProperty(0)
    """Width of the text as drawn."""
    glyph_height_px = NumericProperty(0)
    """Height of a digit as drawn."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._rects: list[Any] = []
        self._place: tuple[object, ...] = ()
        self._shown = ""
        self._ink = InstructionGroup()
        self._color = Color(1, 1, 1, 1)
        self._ink.add(self._color)
        self.canvas.add(self._ink)
        self._draw_soon = Clock.create_trigger(self._draw, -1)
        for name in ("text", "tone", "align", "most_font_px", "template", "is_hidden", "pos", "size"):
            self.fbind(name, self._draw_soon)
        self._draw()

    def draw_in(self, group: Any) -> None:
        """Draw in another group of instructions than the own canvas, so that only it is drawn anew; None: at home."""
        if self._ink in self.canvas.children:
            self.canvas.remove(self._ink)
        (self.canvas if group is None else group).add(self._ink)

    def _draw(self, *_args: object) -> None:
        self._color.rgba = theme.color(self.tone)
        text = "–" if self.is_hidden and self.text else self.text
        if not text or self.width < 4 or self.height < 4:
            text = ""
        while len(self._rects) > len(text):
            self._ink.remove(self._rects.pop())
        while len(self._rects) < len(text):
            self._rects.append(Rectangle())
            self._ink.add(self._rects[-1])
        if not text:
            self._shown = ""
            return
        sample = max(self.template, text, key=lambda one: sum(map(_em, one)))
        em = sum(map(_em, sample))
        font = int(min(self.most_font_px, self.width / em * 0.985, self.height / 0.80))
        font = max(8, font)
        digit = _digit_width(font)
        widths = [digit if char.isdigit() else float(glyph(char, font).width) for char in text]
        total = sum(widths)
        if self.align == "left":
            x = self.x
        elif self.align == "right":
            x = self.right - total
        else:
            x = self.center_x - total / 2
        place = (font, x, self.center_y, tuple(widths))
        before = self._shown if self._place == place else ""
        self._place, self._shown = place, text
        for i, (char, rect, width) in enumerate(zip(text, self._rects, widths, strict=True)):
            if i >= len(before) or before[i] != char:
                texture = glyph(char, font)
                rect.texture = texture
                rect.size = texture.size
                inset = (width - texture.width) / 2 if char.isdigit() else 0
                # Roboto's digits sit a little above the middle of their line box.
                rect.pos = (round(x + inset), round(self.center_y - texture.height / 2 - font * 0.01))
            x += width
        self.text_px = total
        self.font_px = font
        self.glyph_height_px = font * _CAP
