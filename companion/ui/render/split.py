"""`Split`: parts of a whole on one bar, what wins as marks on it, with words below the marks and a note."""

from __future__ import annotations

from kivy.clock import Clock
from kivy.graphics import Color, InstructionGroup, Rectangle
from kivy.graphics.texture import Texture
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget
from msgspec.structs import replace

from companion.pages import page as pg
from companion.ui.render.pen import INKS, Pen
from companion.ui.theme import theme
from companion.ui.widgets import Emblem, Text
from companion.ui.widgets.basic import measure

__all__ = ["HATCH", "SplitBlock", "hatch"]

HATCH = 12
"""Pixels from one stripe to the next at 800x480: fewer shimmer on a cheap panel."""
_DASHES = 4

_stripes: dict[int, Texture] = {}


def hatch(side: int) -> Texture:
    """Return a tile of slanted stripes that can be laid beside itself."""
    if side not in _stripes:
        tile = Texture.create(size=(side, side), colorfmt="rgba")
        rows = bytearray()
        for y in range(side):
            for x in range(side):
                rows += bytes((255, 255, 255, 255 if (x - y) % side < side // 3 else 0))
        tile.blit_buffer(bytes(rows), colorfmt="rgba", bufferfmt="ubyte")
        tile.wrap = "repeat"
        _stripes[side] = tile
    return _stripes[side]


class _Part(BoxLayout):
    """One part: its emblem, its figure, what it is; every other one is hatched, so that no colour is needed."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(padding=(theme.px(10), 0), spacing=theme.px(8), **kwargs)
        with self.canvas.before:
            self._ground, self._area = Color(0, 0, 0, 0), Rectangle()
            self._stripe, self._stripes = Color(0, 0, 0, 0), Rectangle()
        self._emblem = Emblem(size_hint_x=None, width=0)
        self._figure = Text(wraps=False, size_hint_x=None)
        self._word = Text(role="body", may_shorten=True)
        self._is_hatched, self._is_last, self._said = False, False, ""
        self.bind(pos=self._place, size=self._place)

    def show(self, part: pg.Part, pen: Pen, *, is_last: bool, is_hatched: bool, role: str) -> None:
        """Take the newest form of the part; the last one has its emblem at the right edge."""
        tone = part.mark.tone if part.mark is not None else "raised"
        ink = "on_side" if part.mark is not None else "text"
        self._ground.rgba = theme.color(tone)
        self._stripe.rgba = theme.color("ground", 0.25 if is_hatched else 0.0)
        self._is_hatched, self._is_last = is_hatched, is_last
        self._emblem.emblem = part.mark.emblem if part.mark is not None else ""
        self._emblem.tone, self._emblem.width = ink, theme.px(18) if part.mark is not None else 0
        self._figure.text, self._figure.role, self._figure.tone = pen.say(part.title), role, ink
        self._figure.align = self._word.align = "right" if is_last else "left"
        size = theme.font_px(role)
        self._figure.width = measure(self._figure.text, size, theme.is_bold(role))[0] + theme.px(2)
        self._said, self._word.tone = pen.say(part.sub), ink
        # Its figure stands in it, however small it is.
        self.size_hint_min_x = self._figure.width + self._emblem.width + theme.px(28)
        self._place()

    def _order(self) -> None:
        """Put figure and word beside each other, at the emblem's side of the part."""
        order: tuple[Widget, ...] = (self._emblem, self._figure, self._word)
        wide = measure(self._said, theme.font_px("body"), False)[0] + theme.px(2)
        room = self.width - self._figure.width - self._emblem.width - 2 * self.spacing - theme.px(20)
        is_line = bool(self._word.text) and wide <= room
        if self._is_last:
            order = (self._figure, self._word, self._emblem) if is_line else tuple(reversed(order))
        self._word.size_hint_x = None if self._is_last and is_line else 1
        if self._word.size_hint_x is None:
            self._word.width = wide
        self.padding[0] = theme.px(10) + (room - wide if self._word.size_hint_x is None else 0)
        if tuple(reversed(self.children)) != order:
            self.clear_widgets()
            for widget in order:
                self.add_widget(widget)

    def _place(self, *_args: object) -> None:
        self._area.pos = self._stripes.pos = self.pos
        self._area.size = self.size
        self._word.text = self._said if self._word_fits() else ""
        self._order()
        if not self._is_hatched:
            self._stripes.size = (0, 0)
            return
        side = int(theme.px(HATCH))
        wide, high = self.width / side, self.height / side
        self._stripes.texture, self._stripes.size = hatch(side), self.size
        self._stripes.tex_coords = (0, 0, wide, 0, wide, high, 0, high)

    def _word_fits(self) -> bool:
        """Whether what it is stands beside its figure without a broken word; else the figure stands alone."""
        words = (measure(word, theme.least_font_px, False)[0] for word in self._said.split())
        taken = self._figure.width + self._emblem.width + 2 * self.spacing + theme.px(22)
        return max(words, default=0.0) + taken <= self.width


class SplitBlock(BoxLayout):
    """`Split`."""

    slim_px = 34
    """Height at 800x480 of a bar without words."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(size_hint_y=None, orientation="vertical", spacing=theme.px(2), **kwargs)
        self.pen = pen
        self._block = pg.Split("", ())
        self._bar = BoxLayout(size_hint_y=None, height=theme.px(56), spacing=theme.px(3))
        self._place_soon = Clock.create_trigger(self._place, -1)
        self._words = Widget(size_hint_y=None, height=0)
        self._note = Text(size_hint_y=None, height=0)
        for widget in (self._bar, self._words, self._note):
            self.add_widget(widget)
        self._marks = InstructionGroup()
        self.canvas.after.add(self._marks)
        for widget in (self._bar, self._words):
            widget.bind(pos=self._place_soon, size=self._place_soon)

    def show(self, block: pg.Split) -> None:
        """Take the newest form of the block."""
        self._block = block
        whole = sum(part.amount for part in block.parts) or 1.0
        bar = self._bar
        bar.height = theme.px(self.slim_px) if block.is_slim else theme.px(56)
        while len(bar.children) > len(block.parts):
            bar.remove_widget(bar.children[0])
        while len(bar.children) < len(block.parts):
            shown = _Part()
            shown.bind(pos=self._place_soon, size=self._place_soon)
            bar.add_widget(shown)
        last = len(block.parts) - 1
        for n, (shown, part) in enumerate(zip(reversed(bar.children), block.parts, strict=True)):
            shown.size_hint_x = part.amount / whole
            said = replace(part, sub=None) if block.is_slim and block.unit is not None else part
            shown.show(
                said, self.pen, is_last=n == last and n > 0, is_hatched=n % 2 == 1,
                role="heading" if block.is_slim else "title",
            )  # fmt: skip
        self._words.clear_widgets()
        if not block.is_slim:
            for mark in block.thresholds:
                tone = "muted" if mark.is_open else "text"
                self._words.add_widget(
                    Text(text=self.pen.say(mark.title), role="small", tone=tone, wraps=False)
                )
        has_words = bool(self._words.children)
        self._words.height = theme.font_px("small") * 1.4 if has_words else theme.px(4)
        self._words.opacity = 1 if has_words else 0
        note = block.unit if block.is_slim and block.note is None else block.note
        self._note.text, self._note.tone = self.pen.title(note), INKS[block.state]
        wide = measure(self._note.text, theme.font_px("body"), False)[0]
        lines = 1.4 if wide < theme.width_px - theme.px(120) else 2.7
        self._note.height = theme.font_px("body") * lines if note is not None else 0
        self.height = bar.height + sum(
            widget.height + theme.px(2) for widget in (self._words, self._note) if widget.height
        )
        self._place_soon()

    def _at(self, mark: pg.Threshold) -> float:
        """Return where a mark stands: on the parts as they are drawn, so that it never lies in the wrong one."""
        before = 0.0
        for shown, part in zip(reversed(self._bar.children), self._block.parts, strict=True):
            if mark.at <= before + part.amount or part is self._block.parts[-1]:
                share = (mark.at - before) / part.amount if part.amount else 1.0
                return float(shown.x + shown.width * min(1.0, max(0.0, share)))
            before += part.amount
        return float(self._bar.right)

    def _place(self, *_args: object) -> None:
        """Draw the marks, and set the words below them side by side."""
        self._marks.clear()
        bar, wide = self._bar, theme.px(3)
        high = (bar.height + theme.px(4)) / (2 * _DASHES - 1)
        places = [self._at(mark) for mark in self._block.thresholds]
        for mark, x in zip(self._block.thresholds, places, strict=True):
            self._marks.add(Color(*theme.color("on_side")))
            for pad, ink in ((theme.px(1.5), "on_side"), (0.0, "muted" if mark.is_open else "accent")):
                self._marks.add(Color(*theme.color(ink)))
                for n in range(_DASHES):
                    low = bar.y - theme.px(4) + 2 * n * high
                    if pad and low < bar.y:
                        continue
                    self._marks.add(Rectangle(pos=(x - wide / 2 - pad, low), size=(wide + 2 * pad, high)))
        words = list(reversed(self._words.children))
        if not words:
            return
        widths = [measure(word.text, theme.font_px("small"), False)[0] + theme.px(2) for word in words]
        spots = _apart(
            [x - width / 2 for x, width in zip(places, widths, strict=True)],
            widths, self._words.x, self._words.right, theme.px(10),
        )  # fmt: skip
        for word, left, width in zip(words, spots, widths, strict=True):
            word.pos, word.size = (left, self._words.y), (width, self._words.height)


def _apart(lefts: list[float], widths: list[float], low: float, high: float, gap: float) -> list[float]:
    """Return where texts begin that would like to begin there, without overlapping or leaving a line."""
    order = sorted(range(len(lefts)), key=lambda n: lefts[n])
    found = list(lefts)
    edge = low
    for n in order:
        found[n] = max(found[n], edge)
        edge = found[n] + widths[n] + gap
    edge = high
    for n in reversed(order):
        found[n] = max(low, min(found[n], edge - widths[n]))
        edge = found[n] - gap
    return found
