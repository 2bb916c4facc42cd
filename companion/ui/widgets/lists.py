"""Lists in pages and tabs: what does not fit stands on the next page, and nothing scrolls under a finger."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kivy.clock import Clock
from kivy.properties import BooleanProperty, ListProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.ui.theme import theme
from companion.ui.touch import Touch
from companion.ui.widgets.basic import fitting_font_px, measure
from companion.ui.widgets.tap import Plate, keep_even

__all__ = ["Pages", "Swiped", "Tabs"]


class Swiped(BoxLayout):
    """What is turned a page by a swipe."""

    def __init__(
        self, begins: Callable[[Touch], bool], turns: Callable[[int], None], **kwargs: object
    ) -> None:
        """Let a swipe begin where `begins` takes the touch; it `turns` some pages on or back."""
        self._begins, self._turns = begins, turns
        super().__init__(**kwargs)

    def on_touch_down(self, touch: Touch) -> bool:
        """Give the touch to what it is on, and watch whether it becomes a swipe."""
        if self._begins(touch):
            touch.grab(self)
        return bool(super().on_touch_down(touch))

    def on_touch_up(self, touch: Touch) -> bool:
        """Turn the page where the finger went far sideways."""
        if touch.grab_current is not self:
            return bool(super().on_touch_up(touch))
        touch.ungrab(self)
        wide, high = touch.x - touch.ox, touch.y - touch.oy
        if abs(wide) > theme.px(60) and abs(wide) > 2 * abs(high):
            self._turns(-1 if wide > 0 else 1)
        return True


class Pages(Swiped):
    """Rows in pages. Set `make` (item -> row widget), `row_px` and `items`; a swipe turns them, and the keys that do so too
    stand below them when needed.

    Rows get the height `row_px` and the full width, in `columns` side by side. `page` is kept inside what there is.
    """

    items = ListProperty([])
    make = ObjectProperty(None, allownone=True)
    row_px = NumericProperty(0)
    columns = NumericProperty(1)
    page = NumericProperty(0)
    pages = NumericProperty(1)
    empty_text = StringProperty("")
    text_of = ObjectProperty(None, allownone=True)
    """Item -> its longest text; with it `font_px` becomes the one size at which the texts of all items fit."""
    text_role = StringProperty("body")
    text_wraps = BooleanProperty(True)
    inset_px = NumericProperty(0)
    """What a row needs beside its text."""
    has_own_heights = BooleanProperty(False)
    """Each row is as high as its own text wants, where all that are given have room so."""
    turned = ObjectProperty(None, allownone=True)
    """What a swipe does instead of turning, -1 back or 1 on, for an owner that gives a page at a time."""
    font_px = NumericProperty(0)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(self.may_turn, self.turn, **kwargs)
        self._built: Any = None
        self._bar: Any = None
        self._is_lent = False
        self._build_soon = Clock.create_trigger(self._build, -1)
        for name in ("items", "make", "row_px", "columns", "page", "size", "empty_text"):
            self.fbind(name, self._build_soon)

    @property
    def page_size(self) -> int:
        """How many rows fit on one page."""
        return self._page_size(len(self.items))

    @property
    def room(self) -> int:
        """How many rows fit without keys to turn pages."""
        return self._page_size(0)

    @property
    def want_px(self) -> float:
        """The height at which all rows are on one page, where all are alike."""
        lines = -(-len(self.items) // max(1, int(self.columns)))
        return max(1, lines) * float((self.row_px or theme.target_px) + theme.px(4)) - theme.px(4)

    def _page_size(self, count: int) -> int:
        row = (self.row_px or theme.target_px) + theme.px(4)
        columns = int(self.columns)
        fits = max(1, int((self.height + theme.px(4)) // row)) * columns
        if count <= fits:
            return fits
        return max(1, int((self.height - self._bar_px + theme.px(4)) // row)) * columns

    @property
    def _bar_px(self) -> float:
        return 0.0 if self._is_lent else theme.target_px + theme.px(6)

    def lend_bar(self) -> Widget:
        """Return the keys that turn pages, to stand where the owner has room for them anyway, as in a row of buttons."""
        bar = self.ids.bar.__self__
        self.remove_widget(bar)
        self._bar, self._is_lent = bar, True
        bar.padding, bar.size_hint = (0, 0, 0, 0), (None, 1)
        bar.remove_widget(bar.children[-1])
        return bar

    def _text_px(self) -> float:
        """Return the width that a row has for its text."""
        return self.width / max(1, int(self.columns)) - self.inset_px

    def _roomy_px(self, size: int) -> float:
        """Return the height of a row: where a page has room to spare, as much as its longest text wants in full size."""
        base = self.row_px or theme.target_px
        if self.text_of is None or not self.text_wraps or not self.items:
            return base
        bar = self._bar_px if self.pages > 1 else 0
        lines = -(-min(size, len(self.items)) // max(1, int(self.columns)))
        share = (self.height - bar + theme.px(4)) / lines - theme.px(4)
        width, most = self._text_px(), theme.font_px(self.text_role)
        wanted = max(measure(self.text_of(item), most, False, width)[1] for item in self.items)
        return max(base, min(share, wanted + theme.px(8)))

    @property
    def own_fonts(self) -> tuple[float, ...]:
        """The type sizes in which rows with heights of their own may be set, the largest first."""
        return theme.font_px(self.text_role), theme.font_px("small"), theme.least_font_px

    def own_px(self, text: str, font: float) -> float:
        """Return the height of a row that is as high as its text wants in a type size."""
        high = measure(text, font, False, max(1.0, self._text_px()))[1]
        return max(self.row_px or theme.target_px, high + theme.px(6))

    def own_font(self, texts: Iterable[str]) -> float:
        """Return the largest type size in which rows of these texts have room as high as each wants; 0 where none has."""
        kept = list(texts)
        room = self.height - theme.px(4) * (len(kept) - 1)
        fits = (font for font in self.own_fonts if sum(self.own_px(text, font) for text in kept) <= room)
        return next(fits, 0.0)

    def _set_font(self, row_px: float) -> None:
        if self.text_of is None:
            return
        width = self._text_px()
        height = row_px - theme.px(4)
        most, is_bold = theme.font_px(self.text_role), theme.is_bold(self.text_role)
        # One very long text does not make all of them small: it alone shrinks further.
        least = theme.px(14)
        self.font_px = min(
            (
                fitting_font_px(self.text_of(item), most, least, is_bold, width, height, self.text_wraps)
                for item in self.items
            ),
            default=most,
        )

    def turn(self, by: int) -> None:
        """Go some pages on or back, as far as there are any."""
        if self.turned is not None:
            self.turned(by)
        self.page = min(max(0, self.page + by), self.pages - 1)

    def may_turn(self, touch: Touch) -> bool:
        """Say whether a touch may become a swipe here."""
        return bool((self.pages > 1 or self.turned) and self.collide_point(*touch.pos))

    def _build(self, *_args: object) -> None:
        if self.make is None or self.height < 2:
            return
        size = self._page_size(len(self.items))
        self.pages = max(1, -(-len(self.items) // size))
        if self.page >= self.pages:
            self.page = self.pages - 1
        page = int(self.page)
        shown = self.items[page * size : (page + 1) * size]
        key = (tuple(map(id, shown)), page, self.pages, tuple(self.size), self.columns, self.empty_text)
        rows = self.ids.rows
        if key == self._built:
            return
        self._built = key
        self._held = shown
        # Where even the fewest are too high together, all are alike and their texts smaller.
        font = self.own_font(map(self.text_of, shown)) if self.has_own_heights and shown else 0.0
        own, is_own = [self.own_px(self.text_of(item), font) for item in shown] if font else [], bool(font)
        row_px = max(own) if is_own else self._roomy_px(size)
        if is_own:
            self.font_px = font
        else:
            self._set_font(row_px)
        rows.clear_widgets()
        rows.cols = int(self.columns)
        rows.spacing = (theme.px(6), theme.px(4))
        rows.row_default_height = 0 if is_own else row_px
        rows.row_force_default = not is_own
        for n, item in enumerate(shown):
            row = self.make(item)
            if is_own:
                row.size_hint_y, row.height = None, own[n]
            rows.add_widget(row)
        self.ids.none.text = "" if self.items else self.empty_text
        bar = self._bar or self.ids.bar
        is_needed = self.pages > 1
        if self._is_lent:
            spare = bar.parent.spacing if bar.parent is not None else 0
            bar.width = theme.px(200) if is_needed else -spare  # no gap where it is not seen
        else:
            bar.height = self._bar_px if is_needed else 0
        bar.opacity = 1 if is_needed else 0
        self.ids.where.text = f"{page + 1}/{int(self.pages)}" if is_needed else ""
        self.ids.back.is_enabled = is_needed and page > 0
        self.ids.forward.is_enabled = is_needed and page < self.pages - 1


class Tabs(BoxLayout):
    """Tabs over a content. `on_choose` announces the key; the owner sets `chosen` and the content."""

    options = ListProperty([])
    """Pairs of key and text."""
    chosen = ObjectProperty(None, allownone=True)

    is_snug = BooleanProperty(False)
    """Each tab is as wide as its text wants instead of all alike."""
    need_px = NumericProperty(0)
    """The least height at which every text is read whole."""
    least_px = NumericProperty(0)
    """The width below which a word is broken even in the least type."""

    __events__ = ("on_choose",)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._share_soon = Clock.create_trigger(self._share, -1)
        self.fbind("options", self._build)
        self.fbind("chosen", self._mark)
        self.fbind("width", self._share_soon)
        self.fbind("is_snug", self._share_soon)
        self._build()

    @property
    def want_px(self) -> float:
        """The width at which every text has room in its full size."""
        return float(sum(map(self._natural_px, self.children)))

    @staticmethod
    def _natural_px(plate: Widget) -> float:
        wide = measure(plate.text, theme.font_px(plate.role), theme.is_bold(plate.role))[0]
        return max(theme.target_px, wide + theme.px(20))

    def on_choose(self, key: object) -> None:
        """Announce the tab."""

    def _share(self, *_args: object) -> None:
        """Make all tabs equally wide, but one whose longest word would break in an equal share as wide as that word."""
        plates, font = [plate for plate in self.children if plate.text], theme.least_font_px
        if not plates or self.width <= 1:
            self.need_px = self.least_px = 0
            return
        room = self.width - self.spacing * (len(plates) - 1)
        bold = [theme.is_bold(plate.role) for plate in plates]
        inset = [plate.padding[0] + plate.padding[2] + theme.px(2) for plate in plates]
        least = [
            max((measure(word, font, is_bold)[0] for word in plate.text.split()), default=0.0) + beside
            for plate, is_bold, beside in zip(plates, bold, inset, strict=True)
        ]
        self.least_px = sum(least) + self.spacing * (len(plates) - 1) + theme.px(2)
        wide = [room / len(plates)] * len(plates)
        if self.is_snug:
            natural = list(map(self._natural_px, plates))
            wide = [room * one / sum(natural) for one in natural]
        elif max(least) > wide[0] and sum(least) <= room:
            left, count = room, len(least)
            for one in sorted(least, reverse=True):
                if one <= left / count:
                    break
                left, count = left - one, count - 1
            wide = [max(one, left / max(1, count)) for one in least]
        for plate, one in zip(plates, wide, strict=True):
            plate.size_hint_x = one / room
        self.need_px = max(
            measure(plate.text, font, is_bold, max(1.0, one - beside))[1]
            + plate.padding[1]
            + plate.padding[3]
            for plate, is_bold, beside, one in zip(plates, bold, inset, wide, strict=True)
        )

    def _build(self, *_args: object) -> None:
        self.clear_widgets()
        for key, text in self.options:
            plate = TabPlate(text=text)
            plate.key = key
            plate.bind(on_act=lambda widget, _touch: self.dispatch("on_choose", widget.key))
            self.add_widget(plate)
        self._mark()
        keep_even(self.children)
        self._share_soon()

    def _mark(self, *_args: object) -> None:
        for plate in self.children:
            plate.is_chosen = plate.key == self.chosen


class TabPlate(Plate):
    """One tab: a bare plate with a line under the chosen one."""

    is_chosen = ObjectProperty(False)
