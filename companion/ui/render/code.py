"""The square that a phone scans, dark on light in every theme, beside the words that lead to the same place."""

from __future__ import annotations

from typing import Any

from kivy.graphics import Color, Rectangle
from kivy.graphics.texture import Texture
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.pages import page as pg
from companion.ui.render.pen import Pen
from companion.ui.theme import theme
from companion.ui.widgets import Text
from companion.ui.widgets.basic import measure

__all__ = ["CodeBlock"]

_EDGE = 4
"""Light dots around the dark ones, as scanners need them."""
_LEAST_SHARE = 0.5
"""Share of the height that the square keeps in a high window, however much the words need."""


class _Square(Widget):
    """Dots of whole pixels: a scanner reads no blurred ones."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.rows: tuple[str, ...] = ()
        with self.canvas:
            self._light, self._ground = Color(1, 1, 1, 0), Rectangle()
            self._ink, self._dots = Color(1, 1, 1, 0), Rectangle()
        self.bind(pos=self._place, size=self._place)

    def show(self, rows: tuple[str, ...]) -> None:
        """Take the newest square."""
        if rows == self.rows:
            return
        self.rows = rows
        if rows:
            texture = Texture.create(size=(len(rows), len(rows)), colorfmt="luminance")
            dots = b"".join(bytes(0 if sign == "1" else 255 for sign in row) for row in reversed(rows))
            texture.blit_buffer(dots, colorfmt="luminance", bufferfmt="ubyte")
            texture.mag_filter = texture.min_filter = "nearest"
            self._dots.texture = texture
        self._light.a = self._ink.a = 1 if rows else 0
        self._place()

    def _place(self, *_args: object) -> None:
        if not self.rows:
            return
        side = len(self.rows)
        dot = max(1, int(min(self.width, self.height) // (side + 2 * _EDGE)))
        whole, inner = dot * (side + 2 * _EDGE), dot * side
        left = round(self.x + (self.width - whole) / 2)  # `center` is not known yet when the size is
        low = round(self.y + (self.height - whole) / 2)
        self._ground.pos, self._ground.size = (left, low), (whole, whole)
        self._dots.pos = (left + dot * _EDGE, low + dot * _EDGE)
        self._dots.size = (inner, inner)


class CodeBlock(BoxLayout):
    """`Code`."""

    grids: tuple[Any, ...] = ()

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(spacing=theme.px(14), **kwargs)
        self.pen = pen
        self._square = _Square(size_hint_x=None)
        self._lines = BoxLayout(orientation="vertical", spacing=theme.px(2))
        self._title, self._sub = Text(role="body"), Text(role="body")
        self._value = Text(role="display", wraps=False)
        for widget in (self._title, self._sub, self._value):
            self._lines.add_widget(widget)
        self.add_widget(self._square)
        self.add_widget(self._lines)
        self.bind(size=self._fit)

    @property
    def want_px(self) -> float:
        """The height at which a phone reads the square from the edge of the table."""
        return theme.px(280)

    @property
    def least_px(self) -> float:
        """The height at which it is still read from near."""
        return theme.px(150)

    def _fit(self, *_args: object) -> None:
        self.orientation = "vertical" if theme.is_portrait else "horizontal"
        side = min(self.height, self.width * 0.48)
        if theme.is_portrait:
            most = self.height * 0.7
            left = self.height - self._share_lines() - 2 * self._lines.spacing - self.spacing
            self._square.size_hint = (1, None)
            self._square.height = min(self.width, most, max(left, self.height * _LEAST_SHARE))
        else:
            self._square.size_hint, self._square.width = (None, 1), side if self._square.rows else 0

    def _share_lines(self) -> float:
        """Share the height of the words by what each needs; return what all need, in the least type where room is short."""
        texts = (self._title, self._sub, self._value)
        total = 0.0
        for font in (theme.font_px, lambda _role: theme.least_font_px):
            needs = [
                measure(
                    one.text,
                    font(one.role),
                    theme.is_bold(one.role),
                    max(1.0, self.width) if one.wraps else None,
                )[1]
                + theme.px(2)
                if one.text
                else 0.0
                for one in texts
            ]
            total = sum(needs)
            if total <= self.height * (1 - _LEAST_SHARE):
                break
        for one, need in zip(texts, needs, strict=True):
            one.size_hint_y = need or 0.01  # with 0 a layout would keep the height of before
        return total

    def show(self, block: pg.Code) -> None:
        """Take the newest form of the block."""
        self._square.show(block.square)
        self._title.text, self._sub.text = self.pen.title(block.title), self.pen.say(block.sub)
        self._value.text = self.pen.say(block.value)
        self._fit()
