"""The sign of a press that was felt and not taken: the key under the finger is outlined for a moment, to be pressed again."""

from __future__ import annotations

from collections.abc import Iterator

from kivy.clock import Clock
from kivy.graphics import Color, InstructionGroup, Line
from kivy.uix.widget import Widget

from companion.ui.theme import theme
from companion.ui.widgets import Tap

__all__ = ["SHOWN_S", "Missed"]

SHOWN_S = 0.45
"""How long the outline stands, from the frame on that first shows it."""
_LINE_PX, _INSET_PX = 3.0, 1.5


class Missed:
    """Outlines the key that a press hit in vain. One at a time: the newest."""

    def __init__(self, canvas: InstructionGroup) -> None:
        """Draw into a canvas that lies over everything."""
        self._group = InstructionGroup()
        canvas.add(self._group)
        self._where: tuple[Widget, tuple[float, float]] | None = None
        self._soon = Clock.create_trigger(self._show, 0)
        self._over = Clock.create_trigger(lambda _dt: self.clear(), SHOWN_S)
        self.is_shown = False
        """Whether an outline stands."""

    def tell(self, layer: Widget | None, point: tuple[float, float] | None) -> None:
        """Outline what lies at a point of a layer in the next frame, once it has its place; a key has no point."""
        if layer is not None and point is not None:
            self._where = (layer, point)
            self._soon()

    def clear(self) -> None:
        """Take the outline away."""
        self._over.cancel()
        self._group.clear()
        self.is_shown = False

    def _show(self, _dt: float) -> None:
        self.clear()
        if self._where is None:
            return
        (layer, point), self._where = self._where, None
        hit = min(_under(layer, point), key=lambda tap: tap.width * tap.height, default=None)
        if hit is None:
            return
        inset = theme.px(_INSET_PX)
        x, y = hit.to_window(hit.x, hit.y)
        box = (x + inset, y + inset, hit.width - 2 * inset, hit.height - 2 * inset, theme.radius_px)
        self._group.add(Color(*theme.color("text")))
        self._group.add(Line(rounded_rectangle=box, width=theme.px(_LINE_PX) / 2))
        self.is_shown = True
        self._over()


def _under(layer: Widget, point: tuple[float, float]) -> Iterator[Tap]:
    """Return everything alive in a layer that lies under a point."""
    for widget in layer.walk(restrict=True):
        if isinstance(widget, Tap) and widget.is_enabled and widget.opacity and widget.collide_point(*point):
            yield widget
