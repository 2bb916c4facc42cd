"""A photo of dice with its readings: a ring at every die, the chosen one large in a corner."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, Line, Rectangle
from kivy.graphics.texture import Texture
from kivy.properties import ListProperty, ObjectProperty
from kivy.uix.widget import Widget

from companion.ui.theme import theme

__all__ = ["PhotoView", "Ring"]

_LARGE = 0.46
"""Side of the chosen die's picture, as a share of the photo's shorter side."""
_AROUND = 1.35
"""How far around a die it reaches, in the die's radii."""

Ring = tuple[str, bool, str]
"""Of a die of a photo: its tone, whether it is chosen, and what stands beside it."""


class PhotoView(Widget):
    """A photo with a ring and its reading at every die; the chosen one stands large in the corner it is farthest from."""

    photo = ObjectProperty(None, allownone=True)
    rings = ListProperty([])
    """Per die of the photo: colour token, whether it is chosen, its reading; None where it was taken out."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._texture: Any = None
        self._large: tuple[float, float, float] | None = None
        """Where the chosen die stands large: left, low, side, in window pixels."""
        for name in ("photo", "rings", "pos", "size"):
            self.fbind(name, self._draw)

    def area(self) -> tuple[float, float, float, float]:
        """Return where the photo lies: x, y, width, height, in window pixels."""
        if self.photo is None:
            return (self.x, self.y, 0, 0)
        scale = min(self.width / self.photo.width_px, self.height / self.photo.height_px)
        width, height = self.photo.width_px * scale, self.photo.height_px * scale
        return (self.center_x - width / 2, self.center_y - height / 2, width, height)

    def spot(self, index: int) -> tuple[float, float, float]:
        """Return centre and radius of a die, in window pixels."""
        die = self.photo.dice[index]
        x, y, width, height = self.area()
        return (x + die.x * width, y + (1 - die.y) * height, max(die.radius * width, theme.px(10)))

    def at(self, x: float, y: float) -> int | None:
        """Return the die under a point, with a thumb's width to spare."""
        if self._large is not None:
            left, low, side = self._large
            if left <= x <= left + side and low <= y <= low + side:
                return next(i for i, ring in enumerate(self.rings) if ring is not None and ring[1])
        best, least = None, theme.target_px * 0.6
        for index in range(len(self.photo.dice) if self.photo is not None else 0):
            cx, cy, radius = self.spot(index)
            away = ((x - cx) ** 2 + (y - cy) ** 2) ** 0.5 - radius
            if away < least:
                best, least = index, away
        return best

    def _draw(self, *_args: object) -> None:
        self.canvas.clear()
        self._large = None
        photo = self.photo
        if photo is None:
            return
        if self._texture is None:
            self._texture = Texture.create(size=(photo.width_px, photo.height_px), colorfmt="rgb")
            self._texture.blit_buffer(photo.rgb, colorfmt="rgb", bufferfmt="ubyte")
            self._texture.flip_vertical()
        x, y, width, height = self.area()
        with self.canvas:
            Color(1, 1, 1, 1)
            Rectangle(texture=self._texture, pos=(x, y), size=(width, height))
            for index, ring in enumerate(self.rings):
                if ring is None:
                    continue
                tone, is_chosen, _text = ring
                cx, cy, radius = self.spot(index)
                Color(*theme.color(tone))
                Line(circle=(cx, cy, radius), width=theme.px(3.0 if is_chosen else 1.8))
            for index, ring in enumerate(
                self.rings
            ):  # over all rings: a neighbour's must not cross a reading
                if ring is not None:
                    self._mark(index, ring[2], ring[0])
            for index, ring in enumerate(self.rings):
                if ring is not None and ring[1]:
                    self._enlarge(index, ring[0])

    def _enlarge(self, index: int, tone: str) -> None:
        """Show a die large in the corner of the photo that lies farthest from it."""
        die, photo = self.photo.dice[index], self.photo
        x, y, width, height = self.area()
        side = round(_LARGE * min(width, height))
        left = floor(x + width) - side if die.x < 0.5 else ceil(x)
        low = ceil(y) if die.y < 0.5 else floor(y + height) - side
        self._large = (left, low, side)
        # as much of the photo as is seen around the die, moved inside it where the die lies at its edge
        wide = min(1.0, 2 * _AROUND * die.radius)
        tall = min(1.0, wide * photo.width_px / photo.height_px)
        from_left = min(max(die.x - wide / 2, 0.0), 1 - wide)
        from_top = min(max(die.y - tall / 2, 0.0), 1 - tall)
        corners = self._texture.tex_coords
        (u0, v1), (u1, v0) = corners[0:2], corners[4:6]
        u = [u0 + share * (u1 - u0) for share in (from_left, from_left + wide)]
        v = [v0 + share * (v1 - v0) for share in (from_top, from_top + tall)]
        edge = theme.px(3)
        Color(*theme.color(tone))
        Rectangle(pos=(left, low), size=(side, side))
        Color(1, 1, 1, 1)
        Rectangle(
            texture=self._texture, pos=(left + edge, low + edge), size=(side - 2 * edge, side - 2 * edge),
            tex_coords=(u[0], v[1], u[1], v[1], u[1], v[0], u[0], v[0]),
        )  # fmt: skip

    def _mark(self, index: int, text: str, tone: str) -> None:
        """Write a reading on a dark plate at the upper right of its die, inside the photo."""
        label = CoreLabel(text=text, font_size=theme.font_px("small"), font_name="Roboto", bold=True)
        label.refresh()
        width, height = label.texture.size
        wide = width + theme.px(6)
        cx, cy, radius = self.spot(index)
        x, y, room, tall = self.area()
        left = round(min(max(cx + radius * 0.7 - theme.px(3), x), x + room - wide))
        low = round(min(max(cy + radius * 0.7 - height / 3, y), y + tall - height))
        Color(*theme.color("ground"))
        Rectangle(pos=(left, low), size=(wide, height))
        Color(*theme.color(tone))
        Rectangle(texture=label.texture, pos=(left + round(theme.px(3)), low), size=(width, height))
