"""The still layer: everything that stands still is drawn once into a texture; what ticks is drawn over it.

Kivy draws its whole canvas again for every changed digit. Here the frame with its screen lives in a framebuffer that is
redrawn only when something in it changes; a frame with nothing but a new digit costs one textured rectangle and the
digits. The run line slides the same way: its old colours leave over a texture that shows the new ones already.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kivy.animation import Animation
from kivy.graphics import Callback, ClearBuffers, ClearColor, Color, Fbo, InstructionGroup, Rectangle
from kivy.properties import NumericProperty
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.widget import Widget

from companion.ui.theme import theme
from companion.ui.widgets import Digits

__all__ = ["RUN_LINE_PX", "Still"]

RUN_LINE_PX = 6
"""Height of the run line at 800x480; it lies along the top."""
_SLIDE_S = 0.22
"""How long the run line takes when the act passes on."""


class Still(FloatLayout):
    """Holds the frame. `show` puts one in; `lift` names the digits that move."""

    canvas: Any
    slid = NumericProperty(1.0)
    """How far the run line's new colours have come from the left; 1: all the way, and nothing moves."""

    def __init__(self, **kwargs: object) -> None:
        self.fbo = Fbo(size=(2, 2))
        with self.fbo:
            self._ground = ClearColor(*theme.color("ground"))
            ClearBuffers()
            Callback(self._count)
        self.redraws = 0
        """How often the texture was drawn anew; tests and the bench look at it."""
        self.moving: tuple[Digits, ...] = ()
        self._tones: tuple[str, ...] = ()
        self._leaving: tuple[str, ...] = ()
        self._slide = InstructionGroup()
        super().__init__(**kwargs)
        self._overlay = InstructionGroup()
        with self.canvas:
            self.canvas.add(self.fbo)
            Color(1, 1, 1, 1)
            self._picture = Rectangle(texture=self.fbo.texture)
        self.canvas.add(self._overlay)
        self.canvas.add(self._slide)
        self.fbind("size", self._resize)
        self.fbind("pos", self._resize)

    def _count(self, _instruction: object) -> None:
        self.redraws += 1

    def _resize(self, *_args: object) -> None:
        size = (max(2, int(self.width)), max(2, int(self.height)))
        if size != tuple(self.fbo.size):
            self.fbo.size = size
            self._picture.texture = self.fbo.texture
        self._picture.pos, self._picture.size = self.pos, self.size

    def paint(self) -> None:
        """Take the ground's colour from the theme in force."""
        self._ground.rgba = theme.color("ground")

    def add_widget(self, widget: Widget, *args: object, **kwargs: object) -> None:
        """Draw a child into the texture instead of the window."""
        canvas, self.canvas = self.canvas, self.fbo
        try:
            super().add_widget(widget, *args, **kwargs)
        finally:
            self.canvas = canvas

    def remove_widget(self, widget: Widget, *args: object, **kwargs: object) -> None:
        """Take a child out of the texture."""
        canvas, self.canvas = self.canvas, self.fbo
        try:
            super().remove_widget(widget, *args, **kwargs)
        finally:
            self.canvas = canvas

    def lift(self, digits: Sequence[Digits]) -> None:
        """Draw these digits over the texture, and no others; the same ones again change nothing."""
        wanted = tuple(digits)
        if wanted == self.moving:
            return
        # First out of the one group, then into the other: Kivy keeps one parent of an instruction.
        self._overlay.clear()
        for one in self.moving:
            one.draw_in(None)
        for one in wanted:
            one.draw_in(self._overlay)
        self.moving = wanted

    def pass_on(self, tones: Sequence[str]) -> None:
        """Take the run line's colours; where the act passes from one to another, the old ones leave once.

        Args:
            tones: A colour for each who acts; none while nobody's time can run, or without a game.
        """
        was, self._tones = self._tones, tuple(tones)
        if was == self._tones:
            return
        self.rest()
        if was and self._tones:
            self._leaving = was
            self.slid = 0.0
            Animation(slid=1.0, d=_SLIDE_S, t="out_cubic").start(self)

    def rest(self) -> None:
        """Let the run line be where it slides to."""
        Animation.cancel_all(self, "slid")
        self.slid = 1.0

    def on_slid(self, *_args: object) -> None:
        """Draw what is left of the old colours."""
        self._slide.clear()
        if self.slid >= 1.0:
            return
        high, wide = theme.px(RUN_LINE_PX), self.width / len(self._leaving)
        edge = self.x + self.slid * self.width
        for n, tone in enumerate(self._leaving):
            left, right = max(edge, self.x + n * wide), self.x + (n + 1) * wide
            if right > left:
                self._slide.add(Color(*theme.color(tone)))
                self._slide.add(Rectangle(pos=(left, self.top - high), size=(right - left, high)))
