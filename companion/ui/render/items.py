"""One widget for an item as a row, one for an item as a tile: read, tapped, ticked, chosen or counted.

A widget takes the newest form of its item in place, so a finger that is on it never loses it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.graphics import Color, InstructionGroup, SmoothRoundedRectangle
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.widget import Widget

from companion.pages.page import Counter, Item, Keys, Options, Pick, Tick
from companion.pages.symbols import in_full
from companion.ui import art
from companion.ui.render.pen import INKS, Pen
from companion.ui.theme import mixed, theme
from companion.ui.touch import Press, Touch
from companion.ui.widgets import Choice, Emblem, Icon, Plate, Stepper, Tap, Text
from companion.ui.widgets.basic import measure

__all__ = ["DenseRow", "ItemRow", "ItemTile", "TickBox", "row_need_px", "tile_need_px"]

_NOTHING = Item("", 0)
_OWN_TOUCH: tuple[tuple[type, str], ...] = ((Counter, "stepper"), (Keys, "keys"), (Options, "options"))
"""What in a row takes touches by itself."""
_FEW = 3
_EDGE = 4
"""Room above and below what is in a tile."""
_LEAST_ABOVE = {True: 22, False: 28}
"""Height that is kept for what stands above the words of a tile, by whether it is a unit's symbol."""
_LINE_PART, _HALF = 0.8, 0.5
"""A line below a unit is this much as high as its symbol; a name alone has half of any other tile."""
_THREE_LINES_PX = 84
"""Height of a unit's tile from which name and second line stand below the symbol, each on a line of its own."""
_UNIT_PX, _MOST_UNIT_PX = 42, 78
"""Width of a unit's symbol on its tile, and where the tile is high."""
_ABOVE = 2
"""More parts than these of a row with options stand on a line of their own above these in a high window."""
_LABEL_SHARE = {False: 0.36, True: 0.26}
"""Share of a row's width that is left to what its options are about, by whether there are many of them."""


class _Ground(Tap, BoxLayout):
    """What rows and tiles share: a ground that shows whether it can be touched, is touched, or is chosen."""

    text = StringProperty("")
    """Its title as it is shown; what a test or a reader of the screen finds it by."""
    is_dead = BooleanProperty(False)
    stands_apart = False
    """Whether one that only leads on is outlined among those that say something."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        self.pen, self.item = pen, _NOTHING
        self.is_idle = False
        """There is nothing to be had now, such as where taps take off and none is there."""
        self.owner_tone = ""
        """The colour of whose unit it is, where the item itself has no mark."""
        self._parts: dict[str, Widget] = {}
        self._order: tuple[str, ...] = ()
        super().__init__(acts_on="release", **kwargs)
        self._areas: dict[str, tuple[Color, SmoothRoundedRectangle]] = {}
        """Edge and fill, where they are drawn: most rows that are only read have neither."""
        self._back = InstructionGroup()
        self.canvas.before.add(self._back)
        for name in ("is_pressed", "is_enabled", "is_dead"):
            self.fbind(name, self._paint)
        for name in ("pos", "size"):
            self.fbind(name, self._place)

    def _paint(self, *_args: object) -> None:
        has_own = isinstance(self.item.facet, Counter | Options)
        can = (self.is_enabled or has_own) and not self.is_idle
        fill, edge = theme.color("clear"), theme.color("clear")
        if self.is_dead:
            edge, fill = theme.color("line", theme.palette.off_edge), theme.color("ground")
        elif can:
            fill = theme.color("surface" if has_own else "raised")
        if self.item.is_way and self.stands_apart and can and not self.is_dead:
            edge, fill = theme.color("line"), theme.color("ground")
        if self.item.state == "lost" and isinstance(self.item.facet, Counter):
            edge = theme.color("danger")
        if self.item.state == "chosen":
            edge = theme.color("accent")
            fill = fill if fill[3] else theme.color("ground")
        if self.is_pressed and fill[3]:
            fill = mixed(fill, theme.color("text"), 0.22)
        wanted = {name: rgba for name, rgba in (("edge", edge), ("fill", fill)) if rgba[3] > 0}
        if list(wanted) != list(self._areas):
            self._back.clear()
            self._areas = {
                name: (Color(0, 0, 0, 0), SmoothRoundedRectangle(radius=[theme.radius_px])) for name in wanted
            }
            for drawn in self._areas.values():
                for one in drawn:
                    self._back.add(one)
        for name, rgba in wanted.items():
            self._areas[name][0].rgba = rgba
        self._place()

    def _place(self, *_args: object) -> None:
        inset = theme.px(2 if self.item.state == "chosen" else 1.6) if "edge" in self._areas else 0.0
        for name, (_color, area) in self._areas.items():
            by = inset if name == "fill" else 0.0
            area.pos = (self.x + by, self.y + by)
            area.size = (self.width - 2 * by, self.height - 2 * by)

    def on_act(self, touch: Press | None) -> None:
        """Ask for the item's act."""
        if self.item.act is not None:
            self.pen.press(self.item.act, touch)

    def _take(self, item: Item) -> None:
        self.item = item
        self.is_dead = item.why_not is not None
        self.is_enabled = item.act is not None and not self.is_dead and not isinstance(item.facet, Counter)
        self.text = self.pen.title(item.title)

    def _part(self, name: str, make: Callable[..., Widget], **kwargs: object) -> Widget:
        if name not in self._parts:
            self._parts[name] = make(**kwargs)
        return self._parts[name]

    @property
    def ink(self) -> str:
        """The colour token of its title."""
        return "off" if self.is_dead else INKS[self.item.state]


class TickBox(FloatLayout):
    """A box that is ticked, or a round one that is chosen."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(size_hint_x=None, width=theme.px(26), **kwargs)
        self._is_on, self._is_round = False, False
        with self.canvas:
            self._edge, self._outer = Color(0, 0, 0, 0), SmoothRoundedRectangle()
            self._fill, self._inner = Color(0, 0, 0, 0), SmoothRoundedRectangle()
        self._icon = Icon(tone="ground", size_px=theme.px(20), size_hint=(None, None))
        self.add_widget(self._icon)
        self.bind(pos=self._draw, size=self._draw)

    def show(self, is_on: bool, is_round: bool) -> None:
        """Show whether it is on."""
        self._is_on, self._is_round = is_on, is_round
        self._icon.name = "check" if is_on else ""
        self._draw()

    def _draw(self, *_args: object) -> None:
        self._edge.rgba = theme.color("ok" if self._is_on else "line")
        self._fill.rgba = theme.color("ok" if self._is_on else "ground")
        side, inner = theme.px(26), theme.px(22)
        left, low = self.x, self.y + (self.height - side) / 2
        self._outer.pos, self._outer.size = (left, low), (side, side)
        self._outer.radius = [theme.px(13 if self._is_round else 5)]
        self._inner.pos, self._inner.size = (left + theme.px(2), low + theme.px(2)), (inner, inner)
        self._inner.radius = [theme.px(11 if self._is_round else 4)]
        self._icon.pos, self._icon.size = (left, low), (side, side)


class KeyLine(BoxLayout):
    """`Keys`: plates side by side, kept while the keys are the same."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(spacing=theme.px(6), **kwargs)
        self.pen, self._plates = pen, {}

    _plates: dict[str, Plate]

    @property
    def want_px(self) -> float:
        """The width at which no word of a key is broken."""
        wide = sum(plate.size_hint_x for plate in self._plates.values())
        return float(wide + theme.px(6) * (len(self._plates) - 1))

    def show(self, keys: Keys) -> None:
        """Take the newest form of the keys."""
        if [key.key for key in keys.keys] != list(self._plates):
            self.clear_widgets()
            self._plates = {key.key: Plate(acts_on="release") for key in keys.keys}
            for plate in self._plates.values():
                plate.bind(on_act=lambda plate, touch: self.pen.press(plate.act, touch))
                self.add_widget(plate)
        texts = [self.pen.title(key.title) for key in keys.keys]
        is_tight = len(texts) > 2 and max(map(len, texts), default=0) > 6
        for key, text in zip(keys.keys, texts, strict=True):
            plate = self._plates[key.key]
            plate.act, plate.text, plate.sub = key.act, text, self.pen.say(key.sub)
            plate.role = "strong" if plate.sub else "small" if is_tight else "body"
            plate.padding = (theme.px(4), theme.px(2))
            font, bold = theme.font_px(plate.role), theme.is_bold(plate.role)
            wide = max((measure(word, font, bold)[0] for word in text.split()), default=0.0)
            small = theme.font_px("small")
            wide = max((wide, *(measure(word, small, False)[0] + 2 for word in plate.sub.split())))
            plate.size_hint_x, plate.size_hint_min_x = (
                max(theme.target_px, wide + theme.px(11)),
                theme.target_px,
            )
            plate.kind = "chosen" if key.state == "chosen" else "quiet"
            plate.is_enabled = key.act is not None and key.why_not is None


def _line_needs(texts: tuple[Text, ...], width_px: float, height_px: float) -> tuple[float, ...]:
    """Return the height that each text needs in a width: in full size where all fit, else in the least."""
    for font in (theme.font_px, lambda _role: theme.least_font_px):
        needs = tuple(
            measure(one.text, font(one.role), theme.is_bold(one.role), max(1.0, width_px))[1]
            if not one.may_shorten
            else min(
                _TWO_LINES * font(one.role), measure(one.text, font(one.role), False, max(1.0, width_px))[1]
            )
            for one in texts
        )
        if sum(needs) <= height_px:
            break
    return needs


_TWO_LINES = 2.5
"""Height of two lines of a text in its type size."""


def _stepper_px(label: str) -> float:
    """Return the width of a stepper in which no word below its number is broken."""
    longest = max((measure(word, theme.least_font_px, False)[0] for word in label.split()), default=0.0)
    return max(theme.px(178), longest + theme.px(2 * 64 + 2 * 6 + 4))


def row_need_px(item: Item, pen: Pen, width_px: float, font_px: float | None = None) -> float:
    """Return the height that a row of this width needs in a type size, by itself the least; 0 where options stand below."""
    if isinstance(item.facet, Options) and theme.is_portrait:
        return 0.0
    fixed = theme.px(20)
    fixed += theme.px(34) if isinstance(item.facet, Tick | Pick) else 0
    least = font_px or theme.least_font_px
    told = 0.0
    fixed += theme.px(30) if item.mark is not None else 0
    if art.is_drawn(item.symbol):
        fixed += theme.px(44 if art.is_unit(item.symbol) else 32)
    if item.value is not None:
        words, most, is_bold = pen.say(item.value), 0.45 * width_px, theme.is_bold("heading")
        value = measure(words, theme.font_px("heading"), is_bold)[0] + theme.px(2)
        fixed += min(value, most) + theme.px(8)
        if value > most and not theme.is_portrait:  # it takes more than one line
            told = measure(words, theme.least_font_px, is_bold, max(1.0, most))[1]
    if isinstance(item.facet, Counter):
        fixed += _stepper_px(pen.say(item.facet.left)) + theme.px(8)
    room = width_px - fixed if not isinstance(item.facet, Keys) else 0.5 * width_px
    if isinstance(item.facet, Options):
        room = _LABEL_SHARE[len(item.facet.options) > _FEW] * (width_px - theme.px(24))
    sub = pen.say(item.why_not if item.why_not is not None else item.sub)
    is_bold = item.act is not None and item.facet is None
    title = measure(pen.title(item.title), least, is_bold, max(1.0, room))[1]
    below = measure(sub, least, False, max(1.0, room))[1] if sub else 0.0
    return max(told, title + (min(below, _TWO_LINES * least) if item.may_shorten else below)) + theme.px(8)


def tile_need_px(item: Item, pen: Pen, width_px: float, font_px: float | None = None) -> float:
    """Return the height that a tile of this width needs in a type size, by itself the least.

    A unit's symbol says how high it is itself.
    """
    if art.is_unit(item.symbol):
        return 0.0
    room, least = max(1.0, width_px - theme.px(14)), font_px or theme.least_font_px
    sub = pen.say(item.why_not if item.why_not is not None else item.sub)
    has_top = item.mark is not None or art.is_drawn(item.symbol) or item.value is not None
    words = measure(pen.title(item.title), least, False, room)[1]
    words += measure(sub, least, False, room)[1] + theme.px(2) if sub else 0.0
    return words + (theme.px(28) if has_top or isinstance(item.facet, Counter) else 0.0) + theme.px(12)


class ItemRow(_Ground):
    """An item on a line: tick, emblem, symbol, title over a second line, value, counter or keys."""

    is_dense = False
    """The second line stands beside the title; its line is as low as its words."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        pad = theme.px(1 if self.is_dense else 3)
        super().__init__(pen, spacing=theme.px(8), padding=(theme.px(10), pad), **kwargs)
        self.fbind("width", self._fit_value)
        self.fbind("width", self._fit_keys)

    def show(self, item: Item) -> None:
        """Take the newest form of the item."""
        self._take(item)
        sub = self.pen.say(item.why_not if item.why_not is not None else item.sub)
        value = self.pen.say(item.value)
        self._assemble(bool(sub), bool(value))
        if isinstance(item.facet, Tick | Pick):
            self._parts["tick"].show(item.facet.is_on, isinstance(item.facet, Pick))
        if item.mark is not None:
            self._parts["emblem"].emblem = item.mark.emblem
            self._parts["emblem"].tone = "off" if self.is_dead else item.mark.tone
        if art.is_drawn(item.symbol):
            self._show_symbol(item)
        title = self._parts["title"]
        title.text, title.tone = self.text, self.ink
        title.role = "button" if item.act is not None and item.facet is None else "body"
        is_crossed = item.state == "lost" and art.is_unit(item.symbol)
        title.strikethrough = item.state == "lost" and not is_crossed
        title.tone = "text" if is_crossed and not self.is_dead else title.tone
        if sub:
            line = self._parts["sub"]
            line.text, line.tone, line.may_shorten = sub, "off" if self.is_dead else "muted", item.may_shorten
            self._fit_lines()
        if value:
            shown = self._parts["value"]
            shown.text, shown.tone = value, self.ink
            self._fit_value()
        if isinstance(item.facet, Counter):
            stepper, facet = self._parts["stepper"], item.facet
            self.padding = (theme.px(10), 0.0, 0.0, 0.0)
            stepper.text, stepper.label = str(facet.count), self.pen.say(facet.left)
            stepper.width = _stepper_px(stepper.label)
            stepper.can_less = facet.less is not None and facet.count > facet.least and not self.is_dead
            stepper.can_more = facet.more is not None and facet.count < facet.most and not self.is_dead
        elif isinstance(item.facet, Keys):
            self.padding = (theme.px(4), 0, 0, 0)
            self._parts["keys"].show(item.facet)
            self._fit_keys()
        elif isinstance(item.facet, Options):
            self._show_options(item.facet)
        self._paint()

    def _show_symbol(self, item: Item) -> None:
        """Show an icon in the ink of the words, a unit in the colour of its owner."""
        symbol, is_unit = self._parts["symbol"], art.is_unit(item.symbol)
        symbol.name, symbol.is_lost = item.symbol, is_unit and item.state == "lost"
        symbol.width = theme.px(36 if is_unit else 24)
        owner = item.mark.tone if item.mark is not None else self.owner_tone
        is_seen = self.ink == "text" or symbol.is_lost
        symbol.tone = owner if is_unit and owner and is_seen else "text" if symbol.is_lost else self.ink

    def _fit_lines(self, *_args: object) -> None:
        """Keep title and second line together where the row is higher than both."""
        lines, title, sub = (self._parts.get(name) for name in ("lines", "title", "sub"))
        if lines is None or title is None or sub is None:
            return
        if self.is_dense:
            lines.orientation, lines.spacing, sub.size_hint_y = "horizontal", theme.px(8), 1
            title.wraps = sub.wraps = False
            wide = measure(title.text, theme.font_px(title.role), theme.is_bold(title.role))[0]
            title.size_hint_x, title.width = None, min(wide + theme.px(2), lines.width)
            # What it adds is left out where there is no room for it: the banner says it of the one at hand.
            beside = measure(sub.text, theme.font_px(sub.role), theme.is_bold(sub.role))[0]
            sub.opacity = 1 if title.width + lines.spacing + beside <= lines.width else 0
            return
        needs = _line_needs((title, sub), lines.width, lines.height)
        title.size_hint_y, sub.size_hint_y = needs
        spare = max(0.0, (lines.height - sum(needs)) / 2 - theme.px(8))
        lines.padding = (0, spare, 0, spare)

    def _show_options(self, facet: Options) -> None:
        """Set the options beside what they are about, or in a high window below it."""
        choice, words = self._parts["options"], self._parts[self._order[-2]]
        if words.parent is not self:  # beside its emblem, both above the options
            words.size_hint = (1, 1)
            words = words.parent
        self.orientation = "vertical" if theme.is_portrait else "horizontal"
        self.padding = (theme.px(8), 2.0, theme.px(8), 2.0)
        share = _LABEL_SHARE[len(facet.options) > _FEW]
        words.size_hint = (1, 0.7) if theme.is_portrait else (share, 1)
        choice.size_hint = (1, 1) if theme.is_portrait else (1 - share, 1)
        choice.role = "body"
        options = [(one.key, self.pen.say(one.title)) for one in facet.options]
        if options != choice.options:
            choice.options = options
        choice.chosen = facet.chosen

    def _fit_value(self, *_args: object) -> None:
        """Give the value the width it needs, at most not quite half the row."""
        if "value" in self._parts:
            wide = measure(self._parts["value"].text, theme.font_px("heading"), theme.is_bold("heading"))[0]
            self._parts["value"].width = min(wide + theme.px(2), max(1.0, self.width * 0.45))

    def _fit_keys(self, *_args: object) -> None:
        """Give the keys the width they want, and the label what is left: at most half the row."""
        if isinstance(self.item.facet, Keys):
            label = self._parts[next(name for name in ("lines", "title") if name in self._order)]
            label.size_hint_x = None
            left = self.width - self._parts["keys"].want_px - theme.px(12)
            words = self._parts["title"].text.split()
            least = max((measure(word, theme.least_font_px, False)[0] for word in words), default=0.0)
            label.width = max(least + theme.px(4), 0.1 * self.width, min(left, 0.5 * self.width))

    def _assemble(self, has_sub: bool, has_value: bool) -> None:
        item = self.item
        wanted = [
            ("tick", isinstance(item.facet, Tick | Pick)),
            ("emblem", item.mark is not None),
            ("symbol", art.is_drawn(item.symbol)),
            ("lines" if has_sub else "title", True),
            ("value", has_value),
            ("stepper", isinstance(item.facet, Counter)),
            ("keys", isinstance(item.facet, Keys)),
            ("options", isinstance(item.facet, Options)),
        ]
        order = tuple(name for name, is_there in wanted if is_there)
        if order == self._order:
            return
        self._order = order
        self.clear_widgets()
        title = self._part("title", Text, wraps=True)
        for name in ("title", "lines"):
            if name in self._parts:
                self._parts[name].size_hint = (1, 1)  # the height too: a second line may just have gone
        if title.parent is not None:
            title.parent.remove_widget(title)
        if "above" in self._parts:
            self._parts["above"].clear_widgets()
        parts = [self._made(name) for name in order]
        if theme.is_portrait and isinstance(item.facet, Options) and len(parts) > _ABOVE:
            above = self._part("above", BoxLayout, spacing=theme.px(8))
            for part in parts[:-1]:
                above.add_widget(part)
            parts = [above, parts[-1]]
        for part in parts:
            self.add_widget(part)

    def _made(self, name: str) -> Widget:
        if name == "tick":
            return self._part(name, TickBox)
        if name == "emblem":
            return self._part(name, Emblem, size_hint_x=None, width=theme.px(22))
        if name == "symbol":
            side = theme.px(24)
            return self._part(name, Icon, size_px=side, size_hint_x=None, width=side)
        if name == "value":
            return self._part(name, Text, role="heading", align="right", size_hint_x=None)
        if name == "stepper":
            stepper = self._part(name, Stepper, size_hint_x=None, width=theme.px(178))
            stepper.unbind(on_step=self._step)
            stepper.bind(on_step=self._step)
            return stepper
        if name == "keys":
            return self._part(name, KeyLine, pen=self.pen)
        if name == "options":
            choice = self._part(name, Choice)
            choice.unbind(on_choose=self._choose)
            choice.bind(on_choose=self._choose)
            return choice
        if name == "lines":
            lines = self._part(name, BoxLayout, orientation="vertical")
            lines.unbind(size=self._fit_lines)
            lines.bind(size=self._fit_lines)
            lines.clear_widgets()
            lines.add_widget(self._parts["title"])
            lines.add_widget(self._part("sub", Text, role="small"))
            return lines
        return self._parts[name]

    def _step(self, stepper: Widget, amount: int) -> None:
        facet = self.item.facet
        if isinstance(facet, Counter):
            act = facet.more if amount > 0 else facet.less
            if act is not None:
                self.pen.press(act, None)
        del stepper

    def _choose(self, _choice: object, key: str) -> None:
        facet = self.item.facet
        options = facet.options if isinstance(facet, Options) else ()
        act = next((one.act for one in options if one.key == key), None)
        if act is not None:
            self.pen.press(act, None)

    def on_touch_down(self, touch: Touch) -> bool:
        """Leave the touch to the counter or the keys where there are some."""
        own = next((name for kind, name in _OWN_TOUCH if isinstance(self.item.facet, kind)), None)
        if own is not None:
            return bool(self._parts[own].on_touch_down(touch)) if self.collide_point(*touch.pos) else False
        return bool(super().on_touch_down(touch)) if self.is_enabled else False


class DenseRow(ItemRow):
    """A line as low as its words."""

    is_dense = True


class ItemTile(_Ground):
    """An item as a tile: symbol or emblem and value above, name below; a tap is one more of it."""

    padding: Any
    role = "body"
    """Of its title."""
    stands_apart = True
    edge_px: float | None = None
    """Room beside its words; None: as usual."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(
            pen, orientation="vertical", padding=(theme.px(6), theme.px(_EDGE)), spacing=theme.px(2), **kwargs
        )
        self._top = BoxLayout(spacing=theme.px(4))
        self._second = ""
        self.fbind("size", self._fit_lines)

    def _fit_lines(self, *_args: object) -> None:
        """Share the height: each line has its share or what it needs, what stands above them has the rest.

        Where that is little the lines are set smaller, and the edge gives way as it does beside a long word.
        """
        self._name()
        self._fit_edge()
        if "emblem" in self._parts and self._parts["emblem"].size_hint_x is None:
            self._parts["emblem"].width = theme.px(20) * max(1.0, min(2.2, self.height / theme.px(64)))
        is_unit = art.is_unit(self.item.symbol)
        if is_unit and "symbol" in self._parts:
            self._grow_symbol()
        if not self._order:
            return
        has_sub = self._order[-1] == "sub" and not (is_unit and self._in_one_line())
        texts = (self._parts["title"], self._parts["sub"])[: 2 if has_sub else 1]
        above = theme.px(_LEAST_ABOVE[is_unit]) if self._top.parent is not None else 0.0
        gaps = theme.px(2) * (len(texts) - (0 if above else 1))
        usual = theme.px(_EDGE)
        room, width = self.height - 2 * usual - gaps, self.width - 2 * self.padding[0]
        needs = _line_needs(texts, width, room - above)
        edge = max(theme.px(1), min(usual, usual - (above + sum(needs) - room) / 2))
        self.padding = (self.padding[0], edge)
        room = max(1.0, self.height - 2 * edge - gaps)
        part = _LINE_PART / (1 + _LINE_PART * len(texts)) if is_unit else _HALF if not has_sub else 0.0
        highs = [max(need, part * room) for need in needs]
        if above + sum(highs) > room:
            highs = list(needs)
        for text, high in zip(texts, highs, strict=True):
            text.size_hint_y = high
        self._top.size_hint_y = max(1.0, room - sum(highs))

    def _in_one_line(self) -> bool:
        """Say a unit's second line behind its name where the tile is too low for both below a symbol, if it is wide enough."""
        title, sub = self._parts["title"], self._parts["sub"]
        title.text, sub.text = f"{self.text} {self._second}", self._second
        fits = measure(title.text, theme.least_font_px, False)[0] <= self.width - theme.px(4)
        if self.height >= theme.px(_THREE_LINES_PX) or not fits:
            title.text = self.text
            return False
        sub.text, sub.size_hint_y = "", 0.001
        return True

    def _grow_symbol(self) -> None:
        """Show a unit as large as a high tile has room for beside a number of two digits."""
        emblem = theme.px(24) if self.item.mark is not None else 0.0
        figure = measure("00", theme.font_px("title"), theme.is_bold("title"))[0]
        beside = self.width - theme.px(18) - figure - emblem
        high = 1.5 * (0.52 * self.height - theme.px(4))
        self._parts["symbol"].width = max(theme.px(_UNIT_PX), min(beside, high, theme.px(_MOST_UNIT_PX)))

    def _fit_edge(self) -> None:
        """Give up room beside the words where a word would be broken otherwise."""
        if not self._order or art.is_unit(self.item.symbol):
            return
        usual = theme.px(6) if self.edge_px is None else self.edge_px
        words = self.text.split()
        widest = max((measure(word, theme.least_font_px, False)[0] for word in words), default=0.0)
        edge = max(theme.px(2), min(usual, (self.width - widest) / 2 - 1))
        self.padding = (edge, self.padding[1])

    def _name(self) -> None:
        """Say the whole name of a unit where it fits on the tile's line in the type of the others, else its short one."""
        short, whole = self.pen.title(self.item.title), self.pen.title(in_full(self.item.title))
        if whole == short or "title" not in self._parts:
            return
        fits = measure(whole, theme.font_px(self.role), False)[0] <= self.width - theme.px(8)
        self.text = self._parts["title"].text = whole if fits else short

    def show(self, item: Item) -> None:
        """Take the newest form of the item."""
        self._take(item)
        facet = item.facet
        if isinstance(facet, Counter):
            act = facet.more if facet.count < facet.most else None
            self.is_enabled = (act is not None or item.act is not None) and not self.is_dead
            value = self.pen.say(facet.count if facet.count else item.value)
        else:
            value = self.pen.say(item.value)
        sub = self.pen.say(item.why_not if item.why_not is not None else item.sub)
        has_mark = item.mark is not None
        is_unit = art.is_unit(item.symbol)
        self._assemble((has_mark, art.is_drawn(item.symbol), bool(value)), bool(sub), is_unit)
        is_none = isinstance(facet, Counter) and not facet.count
        self.is_idle = is_none and not self.is_enabled and not self.is_dead
        ink = "off" if self.is_idle else "muted" if is_none and not self.is_dead else self.ink
        owner = item.mark.tone if item.mark is not None else self.owner_tone if is_unit else ""
        tone = owner if owner and not is_none and not self.is_dead else ink
        emblem, symbol = self._parts["emblem"], self._parts["symbol"]
        symbol.name, symbol.tone = (item.symbol, tone) if art.is_drawn(item.symbol) else ("", tone)
        symbol.is_lost = is_unit and item.state == "lost"
        emblem.emblem, emblem.tone = (item.mark.emblem, tone) if item.mark is not None else ("", tone)
        self._parts["value"].text, self._parts["value"].tone = value, "danger" if symbol.is_lost else ink
        self._parts["title"].text, self._parts["title"].tone = self.text, ink
        self._parts["sub"].text = self._second = sub
        self._fit_lines()
        self._paint()

    def _assemble(self, shown: tuple[bool, bool, bool], has_sub: bool, is_unit: bool) -> None:
        symbol = self._part("symbol", Icon)
        symbol.size_px = 0 if is_unit else theme.px(24)
        # A unit stands in its place whether its number is beside it or not.
        symbol.size_hint_x, symbol.width = (None, theme.px(_UNIT_PX)) if is_unit else (1, 0)
        emblem = self._part("emblem", Emblem, size_hint_x=None, width=theme.px(20))
        self._part("value", Text, role="title" if is_unit else "heading", align="right", wraps=False)
        title = self._part("title", Text, align="center")
        title.role = self.role
        if is_unit:
            self.padding = (theme.px(2), theme.px(_EDGE))
        title.size_hint_y, self._top.size_hint_y = 0.8 if is_unit else 1, 1
        sub = self._part("sub", Text, role="small", tone="muted", align="center", size_hint_y=0.8)
        names = ("emblem", "symbol", "value")
        above = tuple(name for name, is_there in zip(names, shown, strict=True) if is_there)
        order = (*above, str(is_unit), "title", *(("sub",) if has_sub else ()))
        if order == self._order:
            return
        self._order = order
        self.clear_widgets()
        self._top.clear_widgets()
        emblem.size_hint_x = None if len(above) > 1 else 1
        self._top.padding = (theme.px(5), 0, theme.px(5), 0) if is_unit else 0
        for name in above:
            self._top.add_widget(self._parts[name])
        below = (title, *((sub,) if has_sub else ()))
        for widget in (*((self._top,) if above else ()), *below):
            self.add_widget(widget)

    def on_act(self, touch: Press | None) -> None:
        """One more, or what else the item's act is."""
        facet = self.item.facet
        if isinstance(facet, Counter) and facet.more is not None:
            self.pen.press(facet.more, touch)
        else:
            super().on_act(touch)

    def on_touch_down(self, touch: Touch) -> bool:
        """Take no touch where nothing can be asked."""
        return bool(super().on_touch_down(touch)) if self.is_enabled else False
