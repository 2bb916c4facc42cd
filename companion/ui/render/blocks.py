"""The small blocks: head, choices, banner, clocks, strip, bar, dice, pad, picture, plot, notice; each takes its newest form."""

from __future__ import annotations

from typing import Any

from kivy.clock import Clock
from kivy.graphics import Color, InstructionGroup, Rectangle, RoundedRectangle
from kivy.properties import NumericProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout
from kivy.uix.widget import Widget

from companion.core.ids import Millis
from companion.pages import page as pg
from companion.pages import times
from companion.pages.frame import StripCell
from companion.ui import art
from companion.ui.render.die import DieFace
from companion.ui.render.items import ItemRow, ItemTile
from companion.ui.render.lists import ItemGrid, RowsBlock
from companion.ui.render.pen import INKS, Pen
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets import (
    BarPlot,
    Digits,
    Emblem,
    Histogram,
    Icon,
    LinePlot,
    Panel,
    Plate,
    Strip,
    Tabs,
    Text,
)
from companion.ui.widgets.basic import measure

__all__ = [
    "BannerBlock",
    "ChoicesBlock",
    "ClocksBlock",
    "DiceBlock",
    "HeadBlock",
    "NoticeBlock",
    "PadBlock",
    "PictureBlock",
    "PlotBlock",
    "StripBlock",
    "ToolPlate",
]


_DIE_MOST, _DIE_LEAST = 60, 38
"""Sides of a die at 800x480: of a few, and of the smallest that stand on one line."""


def _line_px(role: str, lines: float = 1.4) -> float:
    return theme.font_px(role) * lines


def _need_px(text: Text, width_px: float) -> tuple[float, float]:
    """Return what a text needs in the least type: the width of its longest word, and the height in a width."""
    size, is_bold = theme.least_font_px, theme.is_bold(text.role)
    widest = max(measure(word, size, is_bold)[0] for word in text.text.split())
    return widest, measure(text.text, size, is_bold, max(1.0, width_px))[1]


def _two_lines_px(text: str) -> float:
    """Return the width in which a text stands on two lines in the least type: a tool is as high as that."""
    words = text.split()
    halves = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, max(2, len(words))))
    return min(max(measure(one, theme.least_font_px, False)[0] for one in both) for both in halves)


class ToolPlate(Plate):
    """A tool of a head, or an act of a notice."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(kind="soft", acts_on="release", role="body", **kwargs)
        self.pen, self.button, self.want_px, self.least_px = pen, pg.Button(0), 0.0, 0.0

    def show(self, button: pg.Button) -> None:
        """Take the newest form of the button."""
        self.button = button
        self.text = self.pen.title(button.title)
        self.icon = button.symbol if art.is_drawn(button.symbol) else ""
        self.kind = "chosen" if button.is_on else "danger" if button.is_danger else "soft"
        self.is_enabled = button.act is not None and button.why_not is None
        self.padding = (theme.px(8), theme.px(4))
        wide = measure(self.text, theme.font_px("body"), False)[0]
        edges = theme.px(18 + (32 if self.icon else 0))
        self.want_px = max(theme.target_px, wide + edges)
        self.least_px = max(theme.target_px, _two_lines_px(self.text) + edges)
        self.width = self.want_px

    def on_act(self, touch: Press | None) -> None:
        """Ask for the button's act."""
        if self.button.act is not None:
            self.pen.press(self.button.act, touch)


class Tools(BoxLayout):
    """Tools side by side, as wide as they need."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(size_hint_x=None, width=0, spacing=theme.px(6), **kwargs)
        self.pen, self.want_px = pen, 0.0

    def show(self, buttons: tuple[pg.Button, ...]) -> None:
        """Take the newest tools; their number changes seldom."""
        while len(self.children) > len(buttons):
            self.remove_widget(self.children[0])
        while len(self.children) < len(buttons):
            self.add_widget(ToolPlate(self.pen, size_hint_x=None))
        for plate, button in zip(reversed(self.children), buttons, strict=True):
            plate.show(button)
        self.want_px = sum(plate.want_px + theme.px(6) for plate in self.children)
        self.fit(self.want_px)

    def fit(self, room_px: float) -> None:
        """Take the width that is wanted, or a room that is less: each gives of what is above its longest word."""
        give = sum(max(0.0, plate.want_px - plate.least_px) for plate in self.children) or 1.0
        short = min(1.0, max(0.0, self.want_px - room_px) / give)
        for plate in self.children:
            plate.width = plate.want_px - max(0.0, plate.want_px - plate.least_px) * short
        self.width = sum(plate.width + theme.px(6) for plate in self.children)


class StepLine(BoxLayout):
    """The steps of what is under way as small symbols: what is over, where we stand, what is to come."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(size_hint=(None, None), width=0, height=theme.px(30), spacing=theme.px(3), **kwargs)
        self.pos_hint = {"center_y": 0.5}
        self._cells: tuple[pg.Cell, ...] = ()
        self._grounds = InstructionGroup()
        self.canvas.before.add(self._grounds)
        self._draw_soon = Clock.create_trigger(self._draw, -1)
        self.bind(pos=self._draw_soon, size=self._draw_soon)

    @property
    def want_px(self) -> float:
        """The width of all symbols; 0: there are none."""
        return theme.px(33) * len(self._cells)

    def show(self, cells: tuple[pg.Cell, ...]) -> None:
        """Take the newest steps."""
        if cells == self._cells:
            return
        self._cells = cells
        self.clear_widgets()
        for cell in cells:
            tone = {"now": "on_accent", "done": "text"}.get(cell.state, "muted")
            self.add_widget(Icon(name=cell.symbol, tone=tone, size_px=theme.px(18)))
        self._draw_soon()

    def _draw(self, *_args: object) -> None:
        self._grounds.clear()
        if self.width < 2:
            return
        for cell, icon in zip(self._cells, reversed(self.children), strict=True):
            tone = {"now": "accent", "done": "raised"}.get(cell.state, "surface")
            self._grounds.add(Color(*theme.color(tone)))
            self._grounds.add(RoundedRectangle(pos=icon.pos, size=icon.size, radius=[theme.px(4)]))


class HeadBlock(BoxLayout):
    """`Head`: emblem, title, a second text, a figure, tools."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(size_hint_y=None, spacing=theme.px(8), **kwargs)
        self.pen = pen
        self._emblem = Emblem(size_hint_x=None, width=0)
        self._title = Text(role="strong", wraps=False, may_shorten=True)
        # A high window has room for a second line.
        self._sub: Any = Text(tone="muted", wraps=theme.is_portrait, may_shorten=True)
        self._value = Text(role="heading", align="right", wraps=False, size_hint_x=None, width=0)
        self._tools = Tools(pen)
        for widget in (self._emblem, self._title, self._sub, self._value, self._tools):
            self.add_widget(widget)
        self._line: Any = None
        self.fbind("width", self._fit)

    def underline(self) -> None:
        """Draw a line below it in the colour of its side: it stands above a column."""
        with self.canvas:
            self._ink, self._line = Color(0, 0, 0, 0), Rectangle()
        for name in ("pos", "size"):
            self.fbind(name, self._place_line)

    def _place_line(self, *_args: object) -> None:
        self._line.pos, self._line.size = self.pos, (self.width, theme.px(2))

    def _fit(self, *_args: object) -> None:
        """Give the title the width it wants where a second text stands beside it, else a second line where it needs one."""
        has_sub = bool(self._sub.text)
        if has_sub:
            self._title.wraps = False
        elif self.width > theme.target_px:
            self._fit_title()
        wide = measure(self._title.text, theme.font_px("strong"), theme.is_bold("strong"))[0] + theme.px(2)
        self._title.size_hint_x = None if has_sub else 1
        self._title.width = min(wide, 0.6 * self.width)
        if has_sub and theme.is_portrait:
            beside = self._title.width + self._value.width + self._emblem.width + self._tools.width
            room = max(1.0, self.width - beside - theme.px(8) * 4)
            lines = measure(self._sub.text, theme.font_px("body"), False, room)[1]
            self.height = max(self._least_px, min(lines, 2 * _line_px("body")))

    def _fit_title(self) -> None:
        """Set a title that stands alone on two lines where one would cut it."""
        title, is_bold = self._title, theme.is_bold("strong")
        beside = self._value.width + self._emblem.width + self._tools.width + theme.px(8) * 4
        room = max(1.0, self.width - beside)
        is_long = measure(title.text, theme.least_font_px, is_bold)[0] > room
        title.wraps = is_long
        lines = measure(title.text, theme.font_px("strong"), is_bold, room)[1] if is_long else 0.0
        self.height = max(self._least_px, min(lines, 2 * _line_px("strong")))

    _least_px = 0.0

    def show(self, block: pg.Head) -> None:
        """Take the newest form of the block."""
        self.height = self._least_px = theme.target_px if block.tools else _line_px("heading")
        if block.mark is not None:
            self._emblem.emblem, self._emblem.tone = block.mark.emblem, block.mark.tone
        self._emblem.width = theme.px(20) if block.mark is not None else 0
        self._title.text = self.pen.title(block.title)
        self._title.tone = block.mark.tone if block.mark is not None else "text"
        self._sub.text = self.pen.say(block.sub)
        self._sub.size_hint_x = 1 if block.sub is not None else None
        self._sub.width = 0
        self._value.text = self.pen.say(block.value)
        self._value.width = measure(self._value.text, theme.font_px("heading"), True)[0] + theme.px(2)
        self._tools.show(block.tools)
        self._fit()
        if self._line is not None:
            self._ink.rgba = theme.color(block.mark.tone if block.mark is not None else "line")


class ChoicesBlock(BoxLayout):
    """`Choices`: segments side by side, or a line each."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(size_hint_y=None, orientation="vertical", spacing=theme.px(4), **kwargs)
        self.pen, self._options = pen, ()
        self._title = Text(tone="muted", size_hint_y=None, height=0)
        self._tabs = Tabs()
        self._tabs.bind(on_choose=lambda _w, key: self._choose(key))
        self._grid = ItemGrid(pen, ItemRow)
        self.add_widget(self._title)

    _options: tuple[pg.Item, ...]
    size_hint: Any

    @property
    def grids(self) -> tuple[ItemGrid, ...]:
        """What turns its pages."""
        return (self._grid,) if self._grid.parent is not None else ()

    @property
    def want_px(self) -> float:
        """The height at which nothing needs another page."""
        return float(self._title.height) + self._grid.want_px + theme.px(4)

    def show(self, block: pg.Choices) -> None:
        """Take the newest form of the block."""
        self._options = block.options
        self._title.text = self.pen.title(block.title)
        self._title.height = _line_px("body") if block.title is not None else 0
        wanted = self._grid if block.is_wide else self._tabs
        if wanted.parent is None:
            for other in (self._grid, self._tabs):
                if other.parent is not None:
                    self.remove_widget(other)
            self.add_widget(wanted)
        if block.is_wide:
            self.size_hint = (1, 1)
            self._grid.put(block.options, "")
            return
        self.size_hint, self.height = (1, None), theme.target_px + self._title.height
        options = [(one.key, self.pen.title(one.title)) for one in block.options]
        if options != self._tabs.options:
            self._tabs.options = options
        self._tabs.chosen = block.chosen

    def _choose(self, key: str) -> None:
        option = next(one for one in self._options if one.key == key)
        if option.why_not is not None:
            self.pen.tell(option.why_not)
        elif option.act is not None:
            self.pen.press(option.act, None)


class BannerBlock(Panel):
    """`Banner`: a sentence on the colour of a side, with a figure."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        pad = (theme.px(14), theme.px(6))
        super().__init__(size_hint_y=None, height=theme.px(62), padding=pad, spacing=theme.px(12), **kwargs)
        self.pen = pen
        self._emblem = Emblem(size_hint_x=None, width=0)
        self._lines = BoxLayout(orientation="vertical")
        self._title, self._sub = Text(role="heading"), Text(role="body", size_hint_y=None, height=0)
        self._lines.add_widget(self._title)
        self._lines.add_widget(self._sub)
        self._icon = Icon(size_hint_x=None, width=0)
        self._figure = BoxLayout(orientation="vertical", size_hint_x=None, width=0)
        self._value = Text(role="title", align="center", wraps=False)
        self._unit = Text(role="small", align="center", wraps=False, size_hint_y=None, height=0)
        self._figure.add_widget(self._value)
        self._figure.add_widget(self._unit)
        for widget in (self._emblem, self._lines, self._icon, self._figure):
            self.add_widget(widget)

    def show(self, block: pg.Banner) -> None:
        """Take the newest form of the block."""
        self.ground = block.mark.tone if block.mark is not None else "surface"
        ink = "on_side" if block.mark is not None else "text"
        self._emblem.emblem = block.mark.emblem if block.mark is not None else ""
        self._emblem.width = theme.px(30) if block.mark is not None else 0
        self._icon.name = block.symbol if art.is_drawn(block.symbol) else ""
        self._icon.width = theme.px(54 if art.is_unit(block.symbol) else 36) if self._icon.name else 0
        self._title.role = "title" if block.mark is not None else "heading"
        self._title.text, self._sub.text = self.pen.title(block.title), self.pen.say(block.sub)
        self._value.text, self._unit.text = self.pen.say(block.value), self.pen.say(block.unit)
        self._unit.height = _line_px("small", 1.25) if block.unit is not None else 0
        # What the figure counts stands below it on one line.
        wide = measure(self._unit.text, theme.font_px("small"), False)[0] + theme.px(4)
        self._figure.width = max(theme.px(84), wide) if block.value is not None else 0
        beside = self._figure.width + self._emblem.width + self._icon.width + theme.px(96)
        titled = 1
        if theme.is_portrait and block.mark is not None:
            # On one line where it fits, in smaller letters if need be; else on two.
            wides = {
                role: measure(self._title.text, theme.font_px(role), True)[0] for role in ("title", "heading")
            }
            one_line = next((role for role, wide in wides.items() if wide <= theme.width_px - beside), None)
            titled = 1 if one_line else 2
            self._title.role = one_line or "title"
        is_long = measure(self._sub.text, theme.font_px("body"), False)[0] > theme.width_px - beside
        told = _line_px("body") * (2 if theme.is_portrait and is_long else 1) if block.sub is not None else 0
        self._sub.height = told
        self.height = max(theme.px(62), theme.px(10) + titled * _line_px(self._title.role, 1.15) + told)
        for widget in (self._emblem, self._title, self._sub, self._value, self._unit, self._icon):
            widget.tone = ink


class ClocksBlock(BoxLayout):
    """`Clocks`: digits that go on from their anchors by themselves."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(size_hint_y=None, spacing=theme.px(8), **kwargs)
        self.pen = pen
        self._faces: dict[str, tuple[Widget, Widget, pg.Clock]] = {}

    @property
    def digits(self) -> tuple[Digits, ...]:
        """What moves."""
        return tuple(digits for _panel, digits, _clock in self._faces.values())

    def show(self, block: pg.Clocks) -> None:
        """Take the newest form of the block."""
        self.height = theme.px(118 if block.is_large else 44)
        if list(self._faces) != [clock.key for clock in block.clocks]:
            self.clear_widgets()
            self._faces = {}
            for clock in block.clocks:
                panel = Panel(padding=(theme.px(10), theme.px(4)), spacing=theme.px(8))
                panel.add_widget(Emblem(size_hint_x=None, width=theme.px(22)))
                digits = Digits(template="00:00", align="left")
                if not block.is_large:
                    digits.most_font_px = theme.px(26)
                panel.add_widget(digits)
                self.add_widget(panel)
                self._faces[clock.key] = (panel, digits, clock)
        for clock in block.clocks:
            panel, digits, _old = self._faces[clock.key]
            is_lit = clock.anchor is not None and clock.anchor.is_running
            panel.ground = clock.mark.tone if is_lit else "surface"
            emblem = panel.children[-1]
            emblem.emblem, emblem.tone = clock.mark.emblem, "on_side" if is_lit else clock.mark.tone
            digits.tone = "on_side" if is_lit else "muted" if clock.level == "fallen" else "text"
            self._faces[clock.key] = (panel, digits, clock)

    def tick(self, now_ms: Millis) -> Millis | None:
        """Show an instant; return after how long the next digit changes."""
        waits = []
        for _panel, digits, clock in self._faces.values():
            anchor = clock.anchor
            if anchor is None:
                digits.text = ""
                continue
            gone = now_ms - anchor.at_ms if anchor.is_running else 0
            value = anchor.left_ms + gone if anchor.is_counting_up else anchor.left_ms - gone
            tenths = value < anchor.tenths_below_ms and not anchor.is_counting_up
            digits.text = (
                times.countup(value) if anchor.is_counting_up else times.countdown(value, tenths=tenths)
            )
            if anchor.is_running:
                waits.append(times.next_change_ms(value, down=not anchor.is_counting_up, tenths=tenths))
        return min(waits, default=None)


class StripBlock(Strip):
    """`Strip`."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.pen = pen

    def on_cell(self, act: str, touch: Press | None) -> None:
        """Do the act of the cell that was tapped."""
        self.pen.press(pg.ActId(act), touch)

    def show(self, block: pg.Strip) -> None:
        """Take the newest form of the block."""
        states = {"done": "done", "now": "now", "next": "ahead"}
        cells = [
            StripCell(
                self.pen.say(cell.title), states[cell.state], cell.part, cell.weight, cell.symbol, cell.act
            )
            for cell in block.cells
        ]
        if cells != self.cells:
            self.cells = cells


class DiceBlock(BoxLayout):
    """`Dice`: dice in their own form and colour; they become smaller, then stand in two lines, where they are many."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(size_hint_y=None, spacing=theme.px(2), **kwargs)
        self.pen = pen
        self._title = Text()
        self._dice = GridLayout(rows=1, spacing=theme.px(6))
        self._faces: dict[str, DieFace] = {}
        self.add_widget(self._title)
        self.add_widget(self._dice)
        self.fbind("width", self._fit)

    def show(self, block: pg.Dice) -> None:
        """Take the newest form of the block."""
        self._title.text = self.pen.title(block.title)
        if list(self._faces) != [die.key for die in block.dice]:
            self._dice.clear_widgets()
            self._faces = {die.key: self._faces.get(die.key) or DieFace(self.pen) for die in block.dice}
            for face in self._faces.values():
                self._dice.add_widget(face)
        for die in block.dice:
            self._faces[die.key].show(die)
        self._fit()

    def _fit(self, *_args: object) -> None:
        """Share the width among the dice; what they are stands to the left of a few, else above them."""
        count, gap = max(1, len(self._faces)), theme.px(6)
        most, least = theme.px(_DIE_MOST), theme.px(_DIE_LEAST)
        room = max(most, self.width)
        lines = 1 if (room + gap) / count - gap >= least else 2
        across = -(-count // lines)
        side = max(theme.px(20), min(most if lines == 1 else least, (room + gap) / across - gap))
        self._dice.rows = lines
        for face in self._faces.values():
            face.size_hint, face.size = (None, None), (side, side)
        wide = across * (side + gap) - gap
        title, high = self._title, _line_px("body") if self._title.text else 0.0
        beside = measure(title.text, theme.font_px(title.role), False)[0] + 2 * theme.px(8) if high else 0.0
        is_beside = bool(high) and lines == 1 and beside + wide <= self.width
        self.orientation = "horizontal" if is_beside else "vertical"
        title.size_hint = (None, 1) if is_beside else (1, None)
        title.size = (beside, title.height) if is_beside else (title.width, high)
        left = self.width - (beside if is_beside else 0.0)
        self._dice.padding = (max(0.0, (left - wide) / 2), 0, 0, 0)
        self.height = lines * (side + gap) + (0.0 if is_beside else high)


class PadBlock(BoxLayout):
    """`Pad`: keys of one tap each, under what is entered and what comes next."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(orientation="vertical", spacing=theme.px(6), **kwargs)
        self.pen = pen
        self._head = BoxLayout(size_hint_y=None, height=0)
        self._entered = Text(role="heading", wraps=False)
        self._then = Text(tone="muted", align="right", wraps=False, may_shorten=True)
        self._head.add_widget(self._entered)
        self._head.add_widget(self._then)
        self._keys = GridLayout(cols=4, spacing=theme.px(4))
        self._kept: dict[str, ItemTile] = {}
        self.add_widget(self._head)
        self.add_widget(self._keys)

    want_px = NumericProperty(0)
    least_px = NumericProperty(0)
    grids: tuple[ItemGrid, ...] = ()

    def show(self, block: pg.Pad) -> None:
        """Take the newest form of the block."""
        self._entered.text = self.pen.title(block.entered if block.entered is not None else block.title)
        self._then.text = self.pen.say(block.then)
        has_head = any(words is not None for words in (block.entered, block.title, block.then))
        self._head.height = _line_px("heading") if has_head else 0
        count = len(block.keys)
        wide = 4 if theme.is_portrait or count <= 8 else 6
        self._keys.cols = block.columns or (3 if count <= 6 else wide)
        lines = -(-len(block.keys) // self._keys.cols)
        self.want_px = self.least_px = (
            self._head.height + theme.px(6) + lines * (theme.target_px + theme.px(6))
        )
        keys = [key.key for key in block.keys]
        if keys != list(self._kept):
            self._keys.clear_widgets()
            self._kept = {key: self._kept.get(key) or ItemTile(self.pen) for key in keys}
            for tile in self._kept.values():
                tile.acts_on = "press"
                self._keys.add_widget(tile)
        for key in block.keys:
            tile = self._kept[key.key]
            tile.role = "heading" if len(self.pen.say(key.title)) < 3 else "body"
            tile.edge_px = theme.px(2)
            tile.show(key)
            # No word of a key is broken: the others of its line are narrower.
            words = [measure(word, theme.least_font_px, False)[0] for word in tile.text.split()]
            tile.size_hint_min_x = max(words, default=0.0) + theme.px(9)

    def act_of(self, key: str) -> pg.ActId | None:
        """Return the act of a key; None where there is no such key."""
        return self._kept[key].item.act if key in self._kept else None


class PictureBlock(RowsBlock):
    """`Picture` as its list: what lies on it, for keys and for small fingers."""

    def show(self, block: Widget) -> None:
        """Take the newest form of the block."""
        super().show(pg.Rows(block.key, tuple(spot.item for spot in block.spots), block.title, is_wide=False))


class PlotBlock(BoxLayout):
    """`Plot`."""

    grids: tuple[ItemGrid, ...] = ()

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(orientation="vertical", padding=theme.px(4), **kwargs)
        self.pen = pen
        self._plot: Any = None
        self._title = Text(role="strong", size_hint_y=None, height=0)
        self.add_widget(self._title)

    @property
    def want_px(self) -> float:
        """The height at which a plot can be read; it takes all that is left."""
        return theme.px(110)

    def show(self, block: pg.Plot) -> None:
        """Take the newest form of the block."""
        self._title.text = self.pen.title(block.title)
        self._title.height = _line_px("strong") if block.title is not None else 0
        kinds = {"Lines": LinePlot, "Bars": BarPlot, "Distribution": Histogram}
        kind = kinds[type(block.model).__name__]
        if not isinstance(self._plot, kind):
            if self._plot is not None:
                self.remove_widget(self._plot)
            self._plot = kind(model=block.model)
            self.add_widget(self._plot)
        elif self._plot.model != block.model:
            self._plot.model = block.model


class NoticeBlock(Panel):
    """`Notice`: what wants to be known or answered, with its buttons."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        pad = (theme.px(12), theme.px(6))
        super().__init__(size_hint_y=None, padding=pad, spacing=theme.px(10), outline="line", **kwargs)
        self.pen = pen
        lines = BoxLayout(orientation="vertical")
        self._title, self._sub = Text(role="strong"), Text(role="body", tone="muted")
        lines.add_widget(self._title)
        lines.add_widget(self._sub)
        self._lines, self._tools = lines, Tools(pen)
        self.add_widget(lines)
        self.add_widget(self._tools)
        self.fbind("width", self._arrange)

    def show(self, block: pg.Notice) -> None:
        """Take the newest form of the block."""
        self._title.text, self._title.tone = self.pen.title(block.title), INKS[block.state]
        self._sub.text = self.pen.say(block.sub)
        self._sub.size_hint_y = 1 if block.sub is not None else None
        self._sub.height = 0
        self._tools.show(block.acts)
        self.outline = "danger" if block.state == "danger" else "line"
        self._arrange()

    def _arrange(self, *_args: object) -> None:
        """Set the buttons beside the words, or below them where these would not fit even in the least type."""
        sub_px = _line_px("body") if self._sub.text else 0
        high = theme.target_px + sub_px
        inner = self.width - 2 * theme.px(12)
        beside = inner - self._tools.want_px - theme.px(10)
        words = [one for one in (self._title, self._sub) if one.text]
        needs = [_need_px(one, beside) for one in words]
        is_beside = not self._tools.children or (
            all(wide <= beside for wide, _high in needs) and sum(tall for _wide, tall in needs) <= high
        )
        self.orientation = "horizontal" if is_beside else "vertical"
        self._tools.height = theme.target_px
        self._tools.size_hint_y = 1 if is_beside else None
        self._tools.fit(self._tools.want_px if is_beside else inner)
        above = 0 if is_beside else sum(_need_px(one, inner)[1] for one in words) + theme.px(16)
        self.height = (high if is_beside else theme.target_px + above) + theme.px(12)
