"""Text that fits, icons, emblems, panels, rules."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, InstructionGroup, Line, Rectangle
from kivy.properties import (
    BooleanProperty,
    ColorProperty,
    NumericProperty,
    ObjectProperty,
    OptionProperty,
    StringProperty,
)
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.ui import art
from companion.ui.theme import theme

__all__ = [
    "Emblem",
    "Icon",
    "Panel",
    "Rule",
    "Space",
    "Text",
    "drawable",
    "drawn_lines",
    "fitting_font_px",
    "measure",
    "shortened",
]

_SHORTENED = 0.85
"""Type size of a text that is cut, as a share of its role's: what is left of it must at least be easy to read."""


_MOST_LETTERS, _MOST_ON_A_LINE = 4_000, 400
"""Letters of a text, and of one on a single line, that are drawn: no window shows more, and many more would hold it up for minutes."""


def drawable(text: str) -> str:
    """Return a text that can be drawn: the name of a file on a stick may hold bytes that are no text, or have no end."""
    text = _cut(text, _MOST_LETTERS)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


@lru_cache(maxsize=4096)
def measure(text: str, font_px: float, is_bold: bool, width_px: float | None = None) -> tuple[float, float]:
    """Return the size of a text in pixels, wrapped at a width where one is given."""
    label = CoreLabel(
        text=drawable(text), font_size=font_px, bold=is_bold, font_name="Roboto", text_size=(width_px, None)
    )
    label.resolve_font_name()
    width, height = label.render()
    return float(width), float(height)


@lru_cache(maxsize=4096)
def fitting_font_px(  # noqa: PLR0917
    text: str, most_px: float, least_px: float, is_bold: bool, width_px: float, height_px: float, wraps: bool
) -> float:
    """Return the largest font size at which a text fits a box; the least one when none does."""
    size = most_px
    while size > least_px:
        words = max((measure(word, size, is_bold)[0] for word in text.split()), default=0)
        if wraps:
            fits = words <= width_px and measure(text, size, is_bold, width_px)[1] <= height_px
        else:
            width, height = measure(text, size, is_bold)
            fits = width <= width_px and height <= height_px
        if fits:
            return size
        size = max(least_px, size - 1)
    return least_px


@lru_cache(maxsize=1024)
def drawn_lines(text: str, font_px: float, is_bold: bool, width_px: float) -> tuple[str, ...]:
    """Return the lines of a text as they are drawn in a width, without the spaces at their ends."""
    label = CoreLabel(
        text=drawable(text), font_size=font_px, bold=is_bold, font_name="Roboto", text_size=(width_px, None)
    )
    label.refresh()
    return tuple("".join(word.text for word in line.words).strip() for line in label._cached_lines)


@lru_cache(maxsize=1024)
def shortened(text: str, font_px: float, is_bold: bool, width_px: float, height_px: float) -> str:
    """Return as many whole words of a text as fit a box in lines, with an ellipsis; at least the first word."""
    words = text.split()
    low, high = 1, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        start = " ".join(words[:middle]).rstrip(".,;:") + " …"
        if measure(start, font_px, is_bold, width_px)[1] <= height_px:
            low = middle
        else:
            high = middle - 1
    return " ".join(words[:low]).rstrip(".,;:") + " …"


class Text(Widget):
    """A text in a role of the theme. It takes the largest type up to its role's size that fits its box.

    With `wraps` it breaks lines; without, it stays on one. `tone` is a colour token. A text that may end in
    an ellipsis says so with `may_shorten`; every other cut text is a fault that the tests find. It is no Kivy label:
    that one watches some thirty options of its own, and texts are most of what a screen is made of.
    """

    text = StringProperty("")
    role = StringProperty("body")
    tone = StringProperty("text")
    align = OptionProperty("left", options=("left", "center", "right"))
    wraps = BooleanProperty(True)
    may_shorten = BooleanProperty(False)
    strikethrough = BooleanProperty(False)
    most_font_px = NumericProperty(0)
    """Type size where the role's own is not wanted; 0: the role's."""
    ink = ObjectProperty(None, allownone=True)
    """A colour that is no token of the theme, such as that of the number on a die; None: its tone's."""

    def __init__(self, **kwargs: object) -> None:
        self.font_size = 0.0
        self.bold = False
        self.text_size: tuple[float, float | None] = (1.0, None)
        self.texture_size = (0, 0)
        self._drawn: tuple[object, ...] = ()
        self._shortens = False
        self._words = ""
        """What is drawn: the text, or as much of it as fits."""
        super().__init__(**kwargs)
        with self.canvas:
            self._color = Color(1, 1, 1, 1)
            self._rect = Rectangle(size=(0, 0))
        self._fit = Clock.create_trigger(self._apply, -1)
        for name in ("text", "pos", "size", "role", "tone", "align", "wraps", "may_shorten"):
            self.fbind(name, self._fit)
        self.fbind("strikethrough", self._fit)
        self.fbind("most_font_px", self._fit)
        self.fbind("ink", self._fit)
        self._fit()

    @property
    def halign(self) -> str:
        """Where the lines begin, in Kivy's word."""
        return str(self.align)

    def _apply(self, *_args: object) -> None:
        self._color.rgba = theme.color(self.tone) if self.ink is None else self.ink
        self.bold = theme.is_bold(self.role)
        most = self.most_font_px or theme.font_px(self.role)
        width, height = max(1.0, self.width), max(1.0, self.height)
        text = _cut(self.text, _MOST_LETTERS if self.wraps else _MOST_ON_A_LINE)
        self.font_size = fitting_font_px(
            text, most, min(most, theme.least_font_px), self.bold, width, height, self.wraps
        )
        self._words, self._shortens = text, False
        if self.may_shorten and self.wraps:
            if measure(text, self.font_size, self.bold, width)[1] > height:
                self.font_size = max(self.font_size, _SHORTENED * most)
                self._words = shortened(text, self.font_size, self.bold, width, height)
        elif self.may_shorten:
            # Shortening takes two pixels more than a line needs: a line that fits must not come near it.
            self._shortens = measure(text, self.font_size, self.bold)[0] > width
        self.text_size = (width, height if self._shortens else None)
        self._draw()
        width, height = self.texture_size
        self._rect.pos = (int(self.center_x - width / 2), int(self.center_y - height / 2))

    def _draw(self) -> None:
        """Draw the glyphs where they are not drawn so already."""
        wanted = (self._words, self.font_size, self.bold, self.align, self.text_size, self.strikethrough)
        if wanted == self._drawn:
            return
        self._drawn = wanted
        if not self._words.strip():
            self.texture_size = (0, 0)
            self._rect.texture = None
        else:
            label = CoreLabel(
                text=drawable(self._words),
                font_name="Roboto",
                font_size=self.font_size,
                bold=self.bold,
                strikethrough=self.strikethrough,
                halign=self.align,
                valign="middle",
                line_height=1.05,
                text_size=self.text_size,
                shorten=self._shortens,
                shorten_from="right",
            )
            label.refresh()
            self._rect.texture = label.texture
            self.texture_size = tuple(label.texture.size)
        self._rect.size = self.texture_size


_WIDE = 1.5
"""Width of a unit's symbol for its height."""
_BAR = 0.1
"""Height of the bar above a unit that stands above its kind, for that of its symbol."""


class Icon(Widget):
    """One icon of the sheets in a colour token; a unit's symbol is half as wide again as it is high."""

    name = StringProperty("")
    tone = StringProperty("text")
    size_px = NumericProperty(0)
    """Height of what is drawn; 0: as large as the widget allows."""
    is_lost = BooleanProperty(False)
    """A cross lies over it."""
    lead_px: float | None = None
    """Where the square begins, from the left edge; None: it is drawn in the middle."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        with self.canvas:
            self._color = Color(1, 1, 1, 0)
            self._rect = Rectangle()
        self._over: Any = None
        self._draw_soon = Clock.create_trigger(self._draw, -1)
        for name in ("name", "tone", "size_px", "is_lost", "pos", "size"):
            self.fbind(name, self._draw_soon)
        self._draw()

    @property
    def wide_px(self) -> float:
        """The width of what is drawn at `size_px`."""
        return float(self.size_px * (_WIDE if art.is_unit(self.name) else 1))

    def _draw(self, *_args: object) -> None:
        if self._over is not None:
            self.canvas.remove(self._over)
            self._over = None
        if not self.name:
            self._color.rgba = (0, 0, 0, 0)
            return
        is_unit = art.is_unit(self.name)
        high = self.size_px or (
            min(self.width / _WIDE, self.height) if is_unit else min(self.width, self.height)
        )
        wide = high * _WIDE if is_unit else high
        self._color.rgba = theme.color(self.tone)
        if is_unit:
            wide, high = self._set_unit(self.name.removeprefix(art.UNIT).removesuffix("+"), wide, high)
        else:
            self._rect.texture = art.texture(self.name, high)
        left = self.center_x - wide / 2 if self.lead_px is None else self.x + self.lead_px
        self._rect.pos = (round(left), round(self.center_y - high / 2))
        self._rect.size = (wide, high)
        if self.is_lost or self.name.endswith("+"):
            self._lay_over()

    def _set_unit(self, kind: str, wide: float, high: float) -> tuple[float, float]:
        """Take the picture of a unit, or its first letters where there is none; return its size."""
        if kind in art.UNITS:
            self._rect.texture = art.unit_texture(kind, wide)
            return wide, high
        label = CoreLabel(text=kind[:2].title(), font_size=high * 0.9, bold=True, font_name="Roboto")
        label.refresh()
        self._rect.texture = label.texture
        return label.texture.size

    def _lay_over(self) -> None:
        """Draw the bar of a unit above its kind, and the cross of one that is lost."""
        self._over = InstructionGroup()
        (x, y), (wide, high) = self._rect.pos, self._rect.size
        if self.name.endswith("+"):
            bar = max(2.0, round(high * _BAR))
            self._over.add(Rectangle(pos=(x + wide * 0.2, y + high), size=(wide * 0.6, bar)))
        if self.is_lost:
            self._over.add(Color(*theme.color("danger")))
            for low, top in ((y, y + high), (y + high, y)):
                self._over.add(Line(points=(x, low, x + wide, top), width=max(1.2, theme.px(1) * 1.3)))
        self.canvas.add(self._over)


class Emblem(Widget):
    """A side's or nation's mark: a shape, or up to four letters where it has none, all of them, as small as they must be."""

    emblem = StringProperty("")
    tone = StringProperty("text")

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        with self.canvas:
            self._color = Color(1, 1, 1, 0)
            self._rect = Rectangle()
        self._draw_soon = Clock.create_trigger(self._draw, -1)
        for name in ("emblem", "tone", "pos", "size"):
            self.fbind(name, self._draw_soon)
        self._draw()

    def _draw(self, *_args: object) -> None:
        side = min(self.width, self.height)
        if not self.emblem or side < 2:
            self._color.rgba = (0, 0, 0, 0)
            return
        self._color.rgba = theme.color(self.tone)
        if self.emblem in art.EMBLEMS:
            self._rect.texture = art.texture(self.emblem, side)
            width = height = side
        else:
            label = CoreLabel(text=self.emblem, font_size=side * 0.9, bold=True, font_name="Roboto")
            label.refresh()
            # All of them: "XIII" cut to "XI" would be another corps.
            while label.width > self.width and label.options["font_size"] > 5:
                label.options["font_size"] -= 1
                label.refresh()
            self._rect.texture = label.texture
            width, height = label.texture.size
        self._rect.pos = (round(self.center_x - width / 2), round(self.center_y - height / 2))
        self._rect.size = (width, height)


class Panel(BoxLayout):
    """A quiet area with a ground and, where wanted, an outline."""

    ground = StringProperty("surface")
    outline = StringProperty("clear")
    radius_px = NumericProperty(-1)
    """Corner radius; negative: the theme's."""
    fill = ColorProperty((0, 0, 0, 0))
    edge = ColorProperty((0, 0, 0, 0))

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.fbind("ground", self._paint)
        self.fbind("outline", self._paint)
        self._paint()

    def _paint(self, *_args: object) -> None:
        self.fill = theme.color(self.ground)
        self.edge = theme.color(self.outline)
        if self.radius_px < 0:
            self.radius_px = theme.radius_px


class Rule(Widget):
    """A hairline, across or down."""

    tone = StringProperty("line")


class Space(Widget):
    """Nothing, taking room."""
