"""Plots drawn with the theme: lines, bars, a histogram with the actual result marked, progress.

A plot gets a frozen model from a presenter (`companion.pages.plots`) and draws it; it computes nothing but
places.
"""

from __future__ import annotations

from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, Ellipse, Rectangle, SmoothLine
from kivy.properties import NumericProperty, ObjectProperty, StringProperty
from kivy.uix.widget import Widget

from companion.pages.numbers import percent
from companion.pages.plots import Bars, Distribution, Lines, label_places
from companion.ui import art
from companion.ui.theme import theme

__all__ = ["BarPlot", "Histogram", "LinePlot", "Progress"]


class _Plot(Widget):
    """A canvas with room for axis texts; subclasses draw between `_x0, _y0` and `_x1, _y1`."""

    model = ObjectProperty(None, allownone=True)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._draw_soon = Clock.create_trigger(self._draw, -1)
        for name in ("model", "pos", "size"):
            self.fbind(name, self._draw_soon)

    def _text(
        self,
        text: str,
        x: float,
        y: float,
        *,
        anchor: str = "center",
        tone: str = "muted",
        bold: bool = False,
    ) -> float:
        """Draw a small text at a point; anchor is left, center or right. Return its width."""
        label = CoreLabel(text=text, font_size=theme.font_px("small"), font_name="Roboto", bold=bold)
        label.refresh()
        width, height = label.texture.size
        shift = {"left": 0, "center": width / 2, "right": width}[anchor]
        Color(*theme.color(tone))
        Rectangle(texture=label.texture, pos=(round(x - shift), round(y - height / 2)), size=(width, height))
        return float(width)

    def _width(self, text: str) -> float:
        label = CoreLabel(text=text, font_size=theme.font_px("small"), font_name="Roboto")
        label.resolve_font_name()
        return float(label.render()[0])

    def _emblem(self, name: str, tone: str, x: float, y: float, side: float) -> None:
        Color(*theme.color(tone))
        if name in art.EMBLEMS:
            Rectangle(
                texture=art.texture(name, side),
                pos=(round(x - side / 2), round(y - side / 2)),
                size=(side, side),
            )
        else:
            self._text(name[:2], x, y, tone=tone, bold=True)

    def _draw(self, *_args: object) -> None:
        self.canvas.clear()
        if self.model is None or self.width < 20 or self.height < 20:
            return
        with self.canvas:
            self._paint()

    def _paint(self) -> None:
        raise NotImplementedError


class LinePlot(_Plot):
    """Lines over the stages, each with its side's emblem at its points (`Lines`)."""

    def _paint(self) -> None:
        model: Lines = self.model
        row = theme.font_px("small") * 1.5
        left = max((self._width(text) for _y, text in model.y_ticks), default=0) + theme.px(8)
        name_room = max((self._width(line.name) for line in model.lines), default=0) + theme.px(18)
        x0, x1 = self.x + left, self.right - name_room
        y0, y1 = self.y + row, self.top - theme.px(10)
        x_low, x_high = model.x_range
        y_low, y_high = model.y_range

        def place(x: float, y: float) -> tuple[float, float]:
            along = (x - x_low) / ((x_high - x_low) or 1)
            up = (y - y_low) / ((y_high - y_low) or 1)
            return x0 + along * (x1 - x0), y0 + up * (y1 - y0)

        for y, text in model.y_ticks:
            _x, py = place(x_low, y)
            Color(*theme.color("line", 0.45))
            Rectangle(pos=(x0, round(py)), size=(x1 - x0, theme.line_px))
            self._text(text, x0 - theme.px(6), py, anchor="right")
        for x, text in model.x_ticks:
            half = self._width(text) / 2
            middle = min(max(place(x, y_low)[0], self.x + half), self.right - half)
            self._text(text, middle, self.y + row * 0.4)
        for y, text, tone in model.goals:
            _x, py = place(x_low, y)
            Color(*theme.color(tone))
            dash = theme.px(7)
            px = x0
            while px < x1:
                Rectangle(pos=(px, round(py)), size=(min(dash, x1 - px), max(1.0, theme.px(1.5))))
                px += 2 * dash
            self._text(text, x0 + theme.px(4), py + theme.font_px("small") * 0.7, anchor="left", tone=tone)
        drawn = [line for line in model.lines if line.points]
        ends = [place(*line.points[-1])[1] for line in drawn]
        names = label_places(ends, theme.font_px("small") * 1.15, y1)
        for line, name_y in zip(drawn, names, strict=True):
            points = [place(x, y) for x, y in line.points]
            Color(*theme.color(line.tone))
            if len(points) > 1:
                SmoothLine(points=[c for point in points for c in point], width=max(1.2, theme.px(1.6)))
            for px, py in points[:-1]:
                Color(*theme.color(line.tone))
                side = theme.px(6)
                Ellipse(pos=(px - side / 2, py - side / 2), size=(side, side))
            px, py = points[-1]
            self._emblem(line.emblem, line.tone, px, py, theme.px(14))
            self._text(line.name, px + theme.px(12), name_y, anchor="left", tone=line.tone)


class BarPlot(_Plot):
    """Rows of bars, one a category, split by side (`Bars`)."""

    def _paint(self) -> None:
        model: Bars = self.model
        if not model.rows:
            return
        left = max(self._width(row.name) for row in model.rows) + theme.px(10)
        value_room = max(self._width(bar.text) for row in model.rows for bar in row.bars) + theme.px(30)
        x0, x1 = self.x + left, self.right - value_room
        height = min(
            self.height / len(model.rows), theme.px(30) * max(len(r.bars) for r in model.rows) + theme.px(8)
        )
        top = self.top
        for row in model.rows:
            inner = height - theme.px(8)
            middle = top - height / 2
            self._text(row.name, x0 - theme.px(8), middle, anchor="right", tone="text")
            each = inner / max(1, len(row.bars))
            y = middle + inner / 2
            for bar in row.bars:
                thick = max(2.0, each - theme.px(3))
                y -= each
                length = max(
                    theme.px(14 if bar.is_open else 2),
                    (x1 - x0 - theme.px(20)) * (bar.value / (model.most or 1)),
                )
                Color(*theme.color("raised"))
                Rectangle(pos=(x0, round(y)), size=(x1 - x0 - theme.px(20), thick))
                Color(*theme.color(bar.tone))
                if bar.is_open:
                    self._hollow(x0, round(y), length, thick)
                else:
                    Rectangle(pos=(x0, round(y)), size=(length, thick))
                mark_side = min(thick, theme.px(14))
                if bar.emblem:
                    self._emblem(bar.emblem, bar.tone, x1 - theme.px(6), y + thick / 2, mark_side)
                self._text(bar.text, x1 + theme.px(6), y + thick / 2, anchor="left", tone="text")
            top -= height

    @staticmethod
    def _hollow(x: float, y: float, wide: float, high: float) -> None:
        """Draw a bar that still grows: its edges, dashed towards its open end."""
        edge = theme.px(2)
        Rectangle(pos=(x, y), size=(edge, high))
        dash = theme.px(6)
        for low in (y, y + high - edge):
            along = x
            while along < x + wide:
                Rectangle(pos=(along, low), size=(min(dash, x + wide - along), edge))
                along += 2 * dash


_OTHERS = 0.55
"""How strongly columns are drawn beside the most likely one."""


class Histogram(_Plot):
    """A distribution with the actual result marked (`Distribution`)."""

    def _paint(self) -> None:
        model: Distribution = self.model
        if not model.bins:
            return
        row = theme.font_px("small") * 1.35
        x0, x1 = self.x, self.right
        y0, y1 = self.y + row, self.top - (2 if model.actual is not None else 1) * row
        # Where that leaves columns no height, the actual result stands on its own column, with its share.
        is_low = model.actual is not None and y1 - y0 < theme.px(20)
        y1 = self.top - row if is_low else y1
        highest = max(range(len(model.bins)), key=lambda i: model.bins[i].share)
        each = (x1 - x0) / len(model.bins)
        most = max(b.share for b in model.bins) or 1
        least_text = max(self._width(b.text) for b in model.bins) + theme.px(4)
        every = max(1, -(-int(least_text) // max(1, int(each))))
        for i, one in enumerate(model.bins):
            x = x0 + i * each
            is_actual = i == model.actual
            # The most likely column stands out; the actual one more so.
            alpha = 1.0 if is_actual or i == highest else _OTHERS
            Color(*theme.color("accent" if is_actual else model.tone, alpha))
            bar_height = max(theme.px(1), (y1 - y0) * one.share / most)
            Rectangle(pos=(round(x + each * 0.1), y0), size=(max(1.0, each * 0.8), bar_height))
            share = percent(one.share, 0)
            fits = self._width(share) + theme.px(2) <= each
            is_told = is_actual and (is_low or i == highest)
            if one.share >= 0.005 and (fits or i == highest) and not is_told:
                self._text(share, x + each / 2, y0 + bar_height + row * 0.45, tone="text")
            if i % every == 0 or is_actual:
                self._text(one.text, x + each / 2, self.y + row * 0.45, tone="text" if is_actual else "muted")
            if is_actual:
                text = model.actual_text
                if is_low and self._width(both := f"{text} · {share}") <= each:
                    text = both
                half = self._width(text) / 2
                # Above all columns, where there is room: none may hide it.
                y = y0 + bar_height + row * 0.45 if is_low else self.top - row * 0.5
                self._text(text, min(max(x + each / 2, x0 + half), x1 - half), y, tone="accent")
        Color(*theme.color("line"))
        Rectangle(pos=(x0, y0 - theme.line_px), size=(x1 - x0, theme.line_px))


class Progress(Widget):
    """A bar from 0 to 1, with what it measures as text beside it by the owner."""

    part = NumericProperty(0.0)
    tone = StringProperty("accent")
