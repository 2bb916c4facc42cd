"""Drawn dice beside the rolls that they count for, each large enough for a finger."""

from __future__ import annotations

from collections.abc import Sequence

from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.pages import page as pg
from companion.ui.render.die import DieFace
from companion.ui.render.pen import Pen
from companion.ui.theme import theme
from companion.ui.widgets import Pages, Text

__all__ = ["DiceRows"]

_TITLE_PX, _GAP_PX = 78, 4


class DiceRows(Pages):
    """Rolls one below another, what each is called at its left; a long one goes on in the next line."""

    def __init__(self, pen: Pen, blocks: Sequence[pg.Dice], **kwargs: object) -> None:
        super().__init__(row_px=theme.target_px, **kwargs)
        self._pen, self._blocks = pen, tuple(blocks)
        self.make = self._line
        self.fbind("width", self._share)

    def _share(self, *_args: object) -> None:
        """Break the rolls into lines of as many dice as stand side by side."""
        side, gap = theme.target_px, theme.px(_GAP_PX)
        across = max(1, int((self.width - theme.px(_TITLE_PX)) // (side + gap)))
        self.items = [
            (self._pen.say(block.title) if begin == 0 else "", block.dice[begin : begin + across])
            for block in self._blocks
            for begin in range(0, max(1, len(block.dice)), across)
        ]

    def _line(self, item: tuple[str, Sequence[pg.Die]]) -> BoxLayout:
        title, dice = item
        line = BoxLayout(spacing=theme.px(_GAP_PX))
        line.add_widget(Text(text=title, role="small", size_hint_x=None, width=theme.px(_TITLE_PX)))
        for die in dice:
            face = DieFace(self._pen, size_hint=(None, 1), width=theme.target_px)
            face.show(die)
            line.add_widget(face)
        line.add_widget(Widget())
        return line
