"""One die as it lies on the table: its form, its own colour, its number, and whether it hit."""

from __future__ import annotations

from typing import Any

from kivy.animation import Animation
from kivy.graphics import Color, Rectangle
from kivy.properties import NumericProperty
from kivy.uix.floatlayout import FloatLayout

from companion.pages import page as pg
from companion.ui import art
from companion.ui.render.pen import Pen
from companion.ui.theme import mixed, rgba, theme
from companion.ui.touch import Press
from companion.ui.widgets import Text
from companion.ui.widgets.tap import Tap

__all__ = ["DieFace"]

_COLOURS = {
    "white": ("#EEF2F4", "#11161A"),
    "gray": ("#8B979F", "#0B0F12"),
    "black": ("#23272B", "#F4F6F7"),
    "purple": ("#7A4FA3", "#FFFFFF"),
    "red": ("#B8342B", "#FFFFFF"),
    "blue": ("#2B62A8", "#FFFFFF"),
    "green": ("#2E7D4A", "#FFFFFF"),
    "yellow": ("#E3B93A", "#17130A"),
    "orange": ("#D9792B", "#14100A"),
    "": ("#EEF2F4", "#11161A"),
}
"""Colour of a die and of its number: dice look alike by day and by night."""
_POP, _POP_S = 0.14, 0.09
"""How much larger a die becomes for a moment when it hits, and how long that takes each way."""
_MISSED = 0.2
"""How much of a die's own colour is left where it missed."""
_MIDDLE = {6: 0.0, 10: -0.02, 12: -0.03}
"""How far the middle of a die's number lies above that of its form, for its side."""


class DieFace(Tap, FloatLayout):
    """A die. It becomes larger once, for a moment, when it turns out to be a hit."""

    pop = NumericProperty(0.0)

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(acts_on="release", **kwargs)
        self.pen = pen
        self._die: pg.Die | None = None
        with self.canvas.before:
            self._edge, self._edge_rect = Color(0, 0, 0, 0), Rectangle()
            self._fill, self._fill_rect = Color(0, 0, 0, 0), Rectangle()
            self._badge, self._badge_rect = Color(0, 0, 0, 0), Rectangle(size=(0, 0))
            self._check, self._check_rect = Color(0, 0, 0, 0), Rectangle(size=(0, 0))
        self._number = Text(role="title", align="center", wraps=False, size_hint=(None, None))
        self.add_widget(self._number)
        for name in ("pos", "size", "pop"):
            self.fbind(name, self._draw)

    def show(self, die: pg.Die) -> None:
        """Take the newest form of the die."""
        was, self._die = self._die, die
        self.is_enabled = die.act is not None
        value = "" if die.value is None else str(die.value)
        self._number.text = f"{value}?" if die.state == "unsure" else value
        self._draw()
        if was is not None and was.state != "hit" and die.state == "hit":
            Animation.cancel_all(self, "pop")
            grown = Animation(pop=_POP, d=_POP_S, t="out_quad") + Animation(pop=0.0, d=_POP_S, t="in_quad")
            grown.start(self)

    def on_act(self, touch: Press | None) -> None:
        """Ask for the die's act."""
        if self._die is not None and self._die.act is not None:
            self.pen.press(self._die.act, touch)

    def _draw(self, *_args: object) -> None:
        die = self._die
        if die is None or self.width < 2:
            return
        fill, ink = (rgba(one) for one in _COLOURS.get(die.colour, _COLOURS[""]))
        is_open, is_hit = die.value is None and die.state != "unsure", die.state == "hit"
        side = min(self.width, self.height) * (1 - _POP) * (1 + self.pop)
        edge_px = theme.px(4 if is_hit else 2.5)
        edges = {"hit": "ok", "unsure": "accent", "plain": "line"}
        edge = fill if is_open else theme.color(edges.get(die.state, "line"))
        name = f"die{die.faces}" if die.faces in _MIDDLE else "die6"
        middle = (self.center_x, self.center_y)
        self._lay(self._edge_rect, name, middle, side)
        self._edge.rgba = edge
        self._lay(self._fill_rect, name, middle, side - 2 * edge_px)
        self._fill.rgba = theme.color("ground") if is_open else fill
        if die.state == "miss":
            self._fill.rgba = mixed(theme.color("ground"), fill, _MISSED)
        font = side * 0.48
        number = self._number
        number.most_font_px, number.size = font, (side * 0.62, side * 0.62)
        number.center = (middle[0], middle[1] + side * _MIDDLE.get(die.faces, 0.0))
        number.ink = None if die.state == "miss" or is_open else ink
        badge = side * 0.36 if is_hit else 0.0
        corner = (middle[0] + side * 0.36, middle[1] + side * 0.36)
        self._lay(self._badge_rect, "circle", corner, badge)
        self._badge.rgba = theme.color("ok")
        self._lay(self._check_rect, "check", corner, badge * 0.75)
        self._check.rgba = theme.color("ground")

    @staticmethod
    def _lay(rect: Any, name: str, middle: tuple[float, float], side: float) -> None:
        side = float(round(max(0.0, side)))
        if side:
            rect.texture = art.texture(name, side)
        rect.pos = (round(middle[0] - side / 2), round(middle[1] - side / 2))
        rect.size = (side, side)
