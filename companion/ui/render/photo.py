"""`Photo`: a picture as it is, as large as its place allows; a tap enlarges a photo, a finger moves it."""

from __future__ import annotations

from typing import Any

from kivy.graphics import Color, Rectangle
from kivy.graphics.texture import Texture
from kivy.properties import NumericProperty
from kivy.uix.stencilview import StencilView

from companion.pages.page import Photo
from companion.ui.render.pen import Pen
from companion.ui.theme import theme
from companion.ui.touch import Touch

__all__ = ["PhotoBlock"]

_ENLARGED = 3.0
"""How much larger a tap makes a photo than its place."""
_MOVED_PX = 12
"""A finger that moved less has tapped."""


class PhotoBlock(StencilView):
    """The newest picture, one texture for each."""

    want_px = NumericProperty(0)
    least_px = NumericProperty(0)
    grids: tuple[Any, ...] = ()

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.pen = pen
        self._block: Photo | None = None
        self.zoom = 1.0
        self._shift = (0.0, 0.0)
        """How far the picture's middle lies from its place's."""
        self._moved_px = 0.0
        self.want_px, self.least_px = theme.px(300), theme.px(160)
        with self.canvas:
            self._color, self._rect = Color(0, 0, 0, 0), Rectangle()
        for name in ("pos", "size"):
            self.fbind(name, self._place)

    def show(self, block: Photo) -> None:
        """Take the newest form of the block."""
        if block == self._block:
            return
        self._block, self.zoom, self._shift = block, 1.0, (0.0, 0.0)
        texture = Texture.create(size=(block.width_px, block.height_px), colorfmt="rgb")
        texture.flip_vertical()
        texture.blit_buffer(block.rgb, colorfmt="rgb", bufferfmt="ubyte")
        self._rect.texture, self._color.rgba = texture, (1, 1, 1, 1)
        self._place()

    def _place(self, *_args: object) -> None:
        if self._block is None:
            return
        wide, tall = self._block.width_px, self._block.height_px
        scale = min(self.width / wide, self.height / tall)
        wide, tall = round(wide * scale * self.zoom), round(tall * scale * self.zoom)
        most = (max(0.0, (wide - self.width) / 2), max(0.0, (tall - self.height) / 2))
        right, up = (max(-end, min(end, at)) for end, at in zip(most, self._shift, strict=True))
        self._shift = (right, up)
        self._rect.size = (wide, tall)
        self._rect.pos = (round(self.center_x + right - wide / 2), round(self.center_y + up - tall / 2))

    def on_touch_down(self, touch: Touch) -> bool:
        """Take a finger on a photo."""
        if self._block is None or not self.collide_point(*touch.pos):
            return False
        touch.grab(self)
        self._moved_px = 0.0
        return True

    def on_touch_move(self, touch: Touch) -> bool:
        """Move a photo that is enlarged."""
        if touch.grab_current is not self:
            return False
        self._moved_px += abs(touch.dx) + abs(touch.dy)
        if self.zoom > 1:
            self._shift = (self._shift[0] + touch.dx, self._shift[1] + touch.dy)
            self._place()
        return True

    def on_touch_up(self, touch: Touch) -> bool:
        """Enlarge what was tapped, or show all of it again."""
        if touch.grab_current is not self:
            return False
        touch.ungrab(self)
        if self._moved_px < theme.px(_MOVED_PX):
            right, up = touch.x - self.center_x, touch.y - self.center_y
            is_whole = self.zoom == 1
            self.zoom = _ENLARGED if is_whole else 1.0
            self._shift = (-right * (_ENLARGED - 1), -up * (_ENLARGED - 1)) if is_whole else (0.0, 0.0)
            self._place()
        return True
