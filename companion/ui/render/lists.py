"""Rows and tiles in pages: as many as fit, the rest on the next page, and the widget of every item kept by its key."""

from __future__ import annotations

from collections.abc import Callable

from kivy.clock import Clock
from kivy.properties import NumericProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout
from kivy.uix.widget import Widget

from companion.pages.page import Counter, Item, Keys, Options, Rows, Tiles
from companion.ui import art
from companion.ui.render.ground import GroundTile
from companion.ui.render.items import DenseRow, ItemRow, ItemTile, row_need_px, tile_need_px
from companion.ui.render.pen import Pen
from companion.ui.theme import TEXT_SCALES, theme
from companion.ui.widgets import Emblem, Text
from companion.ui.widgets.basic import measure

__all__ = ["ItemGrid", "RowsBlock", "TilesBlock", "share_around"]

_GAP = 4
_UNLAID = 100
"""Widths up to this are what a widget has before it is laid out."""
_GROWTH = 1.3
"""How much higher than its least a row gets where a page has room to spare."""
_MOST_LINE_PX = 132
"""More than this no line gets for the sake of one long text: that one is set smaller."""
_FEW_COLUMNS = 3
"""So many columns stand side by side in a high window too."""
_ON_A_LINE = 4
"""So few tiles stay on one line, in smaller letters if need be."""
_SIDE, _NAMED_SIDE = 36, 98
"""Width beside tiles for whose they are: for an emblem, perhaps with two or three letters, and for a name."""
_MOST_LINES = 3
"""Lines of units that are kept on one page."""
_WIDE_UNIT = 132
"""No tile of a unit is much wider."""
_TOLD_UNIT = 156
"""The width of a tile of a unit of which more is told."""
_FEW_LETTERS = 8
_GROWN_UNIT = 2.0
"""How much higher than its least a tile of a unit gets where a page has room to spare."""
_READ = 42
_SPACE = 50
"""Height of a space of a board: its name and what stands there."""
_TURNED_LINES = 4
"""Lines of tiles that two pages hold at least."""
_MOST_PAGES = 2
"""More pages than these are avoided by low lines."""
_TOO_MANY = 1_000
"""So many pages have whatever is not whole on any."""
_AROUND = 4
"""What a row keeps above and below the values that are chosen on it."""
_FINGER = 48
"""The least height of what can be touched."""
_DENSE = 29
"""Height of a line that is only read."""
_TEXT = (1.0, 1.08, 1.25)
"""Height of rows by text size."""


class ItemGrid(BoxLayout):
    """Items in a grid of pages. What shows an item that is still there stays; nothing is made for what is not seen."""

    page = NumericProperty(0)
    pages = NumericProperty(1)

    def __init__(self, pen: Pen, make: Callable[..., object], **kwargs: object) -> None:
        super().__init__(orientation="vertical", **kwargs)
        self.pen, self._make = pen, make
        self._kept: dict[str, Widget] = {}
        self._shown: tuple[object, ...] = ()
        self.tone = ""
        """The colour of whose units they are, where all are one nation's."""
        self.items: tuple[Item, ...] = ()
        self.seek: Callable[[int], None] | None = None
        """Told the page of an item that is chosen now and was not before."""
        self._chosen, self._is_sought = "", False
        self._went: tuple[int, list[int]] | None = None
        """The page sought, and where pages began, so that it is sought again where a page then holds more or fewer."""
        self.columns, self.least_px, self.growth = 1, theme.target_px, _GROWTH
        self.tight_px = theme.target_px
        """The height of a line where room is short: words larger than usual are set smaller there."""
        self.finger_px = theme.px(_FINGER)
        """The least height of a line: less where nothing on it can be touched."""
        self.is_even = False
        """Few tiles leave the rest of their line empty."""
        self.floors_of: Callable[[int], tuple[float, ...]] | None = None
        """How low each item may become in so many columns where that saves a page; None: they stay as they are."""
        self.may_widen = False
        """Where that saves a page there may be fewer columns."""
        self.fewest = 0
        """Fewer columns than `columns`, where all items then still fit on one page; 0: always as many."""
        gap = theme.px(_GAP)
        self._grid = GridLayout(cols=1, row_force_default=True, spacing=(theme.px(6), gap))
        self._none = Text(align="center", tone="muted", size_hint_y=None, height=0)
        self.add_widget(self._none)
        self.add_widget(self._grid)
        self._lay_soon = Clock.create_trigger(self._lay, -1)
        for name in ("size", "page"):
            self.fbind(name, self._lay_soon)

    def put(self, items: tuple[Item, ...], empty: str) -> None:
        """Take the newest items; those that are shown already take their new form at once."""
        self.items = items
        chosen = next((item.key for item in items if item.state == "chosen"), "")
        if chosen != self._chosen:
            self._is_sought, self._went = True, None
        self._is_sought = self._is_sought and bool(chosen)
        self._chosen = chosen
        keys = {item.key for item in items}
        self._kept = {key: widget for key, widget in self._kept.items() if key in keys}
        for item in items:
            if item.key in self._kept:
                self._kept[item.key].show(item)
        self._none.text = "" if items else empty
        is_none = not items and bool(empty)
        # What says that there is nothing stands in the middle of what would be there.
        for widget, is_shown in ((self._none, is_none), (self._grid, not is_none)):
            widget.size_hint_y = 1 if is_shown else None
            if not is_shown:
                widget.height = 0
        self._lay_soon()

    def use(self, make: Callable[..., object]) -> None:
        """Show items by another kind of widget from now on."""
        if make is not self._make:
            self._make, self._kept, self._shown = make, {}, ()

    def set_line(self, dp: float) -> None:
        """Take the height that a line wants at the usual text size."""
        self.tight_px = max(theme.target_px, theme.px(dp))
        self.least_px = max(theme.target_px, theme.px(dp) * _TEXT[theme.text_step])

    def need_px(self, px: float) -> None:
        """Make a line at least so high, within bounds."""
        high = min(px, theme.px(_MOST_LINE_PX))
        self.tight_px, self.least_px = max(self.tight_px, high), max(self.least_px, high)

    @property
    def want_px(self) -> float:
        """The height at which all items are on one page."""
        lines = -(-len(self.items) // self.columns)
        none = theme.target_px if self._none.size_hint_y is not None else 0.0
        return lines * (self.least_px + theme.px(_GAP)) + none

    def _lay(self, *_args: object) -> None:
        if self.height < 2 or self.width < 2:
            return
        gap = theme.px(_GAP)
        lines = max(1, int((self.height + gap) // (self.least_px + gap)))
        columns = self.columns
        if lines * columns < len(self.items):
            lines, columns = self._denser(lines, columns)
        if self.fewest:
            columns = max(min(self.fewest, columns), min(columns, -(-len(self.items) // lines)))
        size = lines * columns
        starts, is_even = list(range(0, max(1, len(self.items)), size)), True
        is_cut = self.floors_of is not None and max(self._line_floors(columns), default=0.0) > self.height + 1
        fewest = _TOO_MANY if is_cut else len(starts)
        for span in self._spans(columns) if fewest > 1 else ():
            uneven = self._uneven(span)
            if len(uneven) < fewest:
                starts, columns, is_even, fewest = uneven, span, False, len(uneven)
        self.pages = len(starts)
        self._seek(starts)
        at = min(int(self.page), int(self.pages) - 1)
        first, end = starts[at], [*starts[1:], len(self.items)][at]
        here = self.items[first:end]
        used = lines if self.pages > 1 and is_even else -(-len(here) // columns)
        row_px = min(self.least_px * self.growth, (self.height + gap) / max(1, used) - gap)
        # Few units leave the rest of their line empty, so that all tiles of a page are alike.
        missing, across = max(0, columns - len(here)) if self.is_even else 0, theme.px(6)
        wide = (self.width + across) / columns
        self._grid.padding = (0, 0, missing * wide, 0)
        # No gap is kept beside the last of a line for what is not there.
        self._grid.cols = max(1, min(columns - missing, len(here)))
        highs: list[float] = (
            [] if is_even else self._line_floors(columns)[first // columns : -(-end // columns)]
        )
        spare = max(0.0, (self.height + gap - sum(highs, 0.0) - gap * len(highs)) / max(1, len(highs)))
        self._grid.rows_minimum = {n: max(high, min(row_px, high + spare)) for n, high in enumerate(highs)}
        self._grid.row_default_height = max(1.0, row_px) if is_even else 1.0
        widgets = tuple(self._widget(item) for item in here)
        if widgets != self._shown:
            self._shown = widgets
            self._grid.clear_widgets()
            for widget in widgets:
                self._grid.add_widget(widget)

    def _denser(self, lines: int, columns: int) -> tuple[int, int]:
        """Return lines as low as they may be where all then stand on one page, or a last page with one line is saved.

        Also where no more than one page is then to be turned.
        """
        if self.floors_of is None:
            return lines, columns
        count, gap = len(self.items), theme.px(_GAP)
        for across in self._spans(columns):
            tight = max(1, int((self.height + gap + 1) // (max(self.floors_of(across)) + gap)))
            if tight * across >= count:
                return tight, across
            pages, fewer = (-(-count // n) for n in (lines * columns, tight * across))
            is_stray = count - (pages - 1) * lines * columns <= columns
            if across == columns and fewer < pages and (is_stray or fewer <= _MOST_PAGES < pages):
                return tight, across
        return lines, columns

    def _line_floors(self, columns: int) -> list[float]:
        """Return how low each line may become: as its highest item."""
        floors = self.floors_of(columns) if self.floors_of is not None else (self.least_px,) * len(self.items)
        return [max(floors[at : at + columns]) for at in range(0, len(floors), columns)]

    def low_px(self, pages: int = 1) -> float:
        """Return the least height in which all items stand on so many pages."""
        return min((self._low_px(across, pages) for across in self._spans(self.columns)), default=0.0)

    def _low_px(self, columns: int, pages: int) -> float:
        gap, floors = theme.px(_GAP), self._line_floors(columns)
        low, high = max(floors, default=0.0) + gap, sum(floors) + gap * len(floors)
        while high - low > 1 and pages > 1:
            middle = (low + high) / 2
            low, high = (low, middle) if len(_packed(floors, middle, gap)) <= pages else (middle, high)
        return high

    def pages_in(self, height: float) -> int:
        """Return how many pages there are in a height."""
        gap = theme.px(_GAP)
        return min(len(_packed(self._line_floors(span), height, gap)) for span in self._spans(self.columns))

    def _spans(self, columns: int) -> range:
        """Return how many columns there may be where pages are saved by it, most first."""
        return range(columns, 1 if self.may_widen else columns - 1, -1)

    def _uneven(self, columns: int) -> list[int]:
        """Return with which item each page begins where every line is only as high as it needs."""
        if self.floors_of is None:
            return list(range(len(self.items)))
        starts = _packed(self._line_floors(columns), self.height + theme.px(_GAP), theme.px(_GAP))
        return [line * columns for line in starts]

    def _seek(self, starts: list[int]) -> None:
        """Go to the page of the item that was chosen last, until another page is turned to by hand."""
        if not self._is_sought or self.seek is None:
            return
        if self._went is not None and self.page != self._went[0]:
            self._is_sought = False
        elif self._went is None or self._went[1] != starts:
            index = next(n for n, item in enumerate(self.items) if item.key == self._chosen)
            page = sum(start <= index for start in starts) - 1
            self._went = (page, starts)
            self.seek(page)

    def _widget(self, item: Item) -> Widget:
        if item.key not in self._kept:
            self._kept[item.key] = self._make(self.pen)
            self._kept[item.key].owner_tone = self.tone
            self._kept[item.key].show(item)
        return self._kept[item.key]

    def widget_of(self, key: str) -> Widget:
        """Return the widget of an item, where it has been shown."""
        return self._kept.get(key)


def _packed(highs: list[float], room: float, gap: float) -> list[int]:
    """Return with which line each page begins where lines of these heights fill a room; too many where one is higher."""
    starts, used = [0], 0.0
    if max(highs, default=0.0) + gap > room + 1:
        return list(range(_TOO_MANY))
    for n, high in enumerate(highs):
        if used and used + high + gap > room + 1:
            starts.append(n)
            used = 0.0
        used += high + gap
    return starts


def _tell(block: Widget, before: float) -> None:
    """Have the height shared anew by all around a block that wants another one than before."""
    if before != block.want_px:
        share_around(block)


def share_around(block: Widget) -> None:
    """Have the height shared anew by all around a block."""
    above = block.parent
    while isinstance(above, BoxLayout):
        if hasattr(above, "share_soon"):
            above.share_soon()
        above = above.parent


def _are_units(block: Tiles) -> bool:
    """Say whether all tiles of a block are units."""
    return bool(block.tiles) and all(art.is_unit(tile.symbol) for tile in block.tiles)


class RowsBlock(BoxLayout):
    """`Rows`."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(orientation="vertical", **kwargs)
        self.pen = pen
        self._title = Text(role="strong", tone="muted", size_hint_y=None, height=0)
        self.grid = ItemGrid(pen, ItemRow)
        self._block: Rows | None = None
        self.add_widget(self._title)
        self.add_widget(self.grid)
        self.fbind("width", self._again)

    def _again(self, *_args: object) -> None:
        """Measure the rows anew in another width, such as that of a column."""
        if self._block is not None and self.width > _UNLAID:
            RowsBlock.show(self, self._block)

    @property
    def grids(self) -> tuple[ItemGrid, ...]:
        """What turns its pages."""
        return (self.grid,)

    @property
    def want_px(self) -> float:
        """The height at which nothing needs another page."""
        return float(self._title.height) + self.grid.want_px

    @property
    def least_px(self) -> float:
        """The height of one line, or of what stands where there is none."""
        line = self.grid.tight_px + theme.px(_GAP) if self.grid.items else self.grid.want_px
        return float(self._title.height + line)

    def low_px(self, pages: int = 1) -> float:
        """Return the least height at which all rows are on so many pages."""
        return float(self._title.height) + self.grid.low_px(pages)

    def pages_in(self, height: float) -> int:
        """Return how many pages there are in a height."""
        return self.grid.pages_in(height - self._title.height)

    def _title_px(self) -> float:
        """Return the height of the title: of one line, or of those that it takes in the least type."""
        room = self.width if self.width > _UNLAID else theme.width_px - theme.px(108)
        lines = measure(self._title.text, theme.least_font_px, theme.is_bold("strong"), max(1.0, room))[1]
        return max(theme.font_px("strong") * 1.4, lines)

    def show(self, block: Rows) -> None:
        """Take the newest form of the block."""
        self._block = block
        self._title.text = self.pen.title(block.title)
        self._title.height = self._title_px() if block.title is not None else 0
        has_sub = any(row.sub is not None or row.why_not is not None for row in block.rows)
        base = 66 if theme.is_portrait else 52
        few = 1 if block.is_wide or theme.is_portrait else 2
        # upright, names with their values need the whole width; wide rows are a table of their own
        is_told = not block.is_wide and any(row.value is not None for row in block.rows)
        is_many = block.columns > 2 and theme.is_portrait and is_told
        self.grid.columns = few if is_many else block.columns or few
        self.grid.set_line(base if has_sub else 50)
        self.grid.use(DenseRow if block.is_dense else ItemRow)
        self.grid.floors_of = None
        room = self.width if self.width > _UNLAID else theme.width_px - theme.px(108)
        wide = (room - theme.px(6) * (self.grid.columns - 1)) / self.grid.columns
        if block.is_dense:
            line = theme.px(_DENSE) * _TEXT[theme.text_step]
            if self.grid.columns > 2:  # their words may take two lines
                font = theme.least_font_px
                lows = tuple(max(line, row_need_px(row, self.pen, wide, font)) for row in block.rows)
                line = max(line, *lows, 0.0)
                self.grid.floors_of = lambda _columns: lows
            self.grid.least_px = self.grid.tight_px = line
        else:
            need = max((row_need_px(row, self.pen, wide) for row in block.rows), default=0.0)
            self.grid.need_px(need)
            has_keys = theme.is_portrait and any(isinstance(row.facet, Keys | Options) for row in block.rows)
            if not has_keys:
                font = theme.least_font_px * TEXT_SCALES[theme.text_step]
                needs = [row_need_px(row, self.pen, wide, font) for row in block.rows]
                is_chosen = any(isinstance(row.facet, Options) for row in block.rows)
                is_read = all(row.act is None and row.facet is None for row in block.rows)
                self.grid.finger_px = theme.px(_READ if is_read else _FINGER)
                finger = self.grid.finger_px + (theme.px(_AROUND) if is_chosen else 0.0)
                floors = tuple(max(finger, need) for need in needs)
                self.grid.floors_of = lambda _columns: floors
        if any(isinstance(row.facet, Options) for row in block.rows):
            usual = theme.px(104 if theme.is_portrait else 66)
            self.grid.least_px = self.grid.tight_px = max(usual, min(need, theme.px(_MOST_LINE_PX)))
        self.grid.put(block.rows, self.pen.title(block.empty))


class TilesBlock(BoxLayout):
    """`Tiles`."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(spacing=theme.px(6), **kwargs)
        self.pen = pen
        self._side = BoxLayout(orientation="vertical", size_hint_x=None, width=theme.px(_SIDE))
        self._emblem = Emblem(size_hint_y=None, height=theme.px(26))
        self._title = Text(role="small", align="center", size_hint_y=None, height=theme.px(34))
        self._below = BoxLayout()
        for widget in (self._emblem, self._title, self._below):
            self._side.add_widget(widget)
        self.grid = ItemGrid(pen, ItemTile)
        self.grid.fewest = 4
        self.add_widget(self.grid)
        self._block: Tiles | None = None
        self._may_tighten = False
        """They are units of which no more than their number is told: they keep to one page."""
        self.peers: tuple[Tiles, ...] = ()
        """The tiles that stand above, below and beside these: those of several nations stand in line."""
        self.fbind("width", self._again)

    def _again(self, *_args: object) -> None:
        """Share the width anew, such as that of a column."""
        if self._block is None:
            return
        before = self.want_px
        self.show(self._block)
        _tell(self, before)

    @property
    def grids(self) -> tuple[ItemGrid, ...]:
        """What turns its pages."""
        return (self.grid,)

    @property
    def want_px(self) -> float:
        """The height at which nothing needs another page."""
        return self.grid.want_px

    @property
    def least_px(self) -> float:
        """The height of one line; of units, of all of them, unless they are so many that they turn pages."""
        if self._may_tighten:
            lines = min(_MOST_LINES, -(-len(self.grid.items) // self.grid.columns))
            return lines * (self.grid.finger_px + theme.px(_GAP))
        return float(self.grid.tight_px) + theme.px(_GAP)

    def low_px(self, pages: int = 1) -> float:
        """Return the least height at which all tiles are on so many pages."""
        return self.grid.low_px(pages)

    def pages_in(self, height: float) -> int:
        """Return how many pages there are in a height."""
        return self.grid.pages_in(height)

    @staticmethod
    def _unit_columns(
        words: list[str], room: float, count: int, wide: float, *, least: float, is_read: bool
    ) -> int:
        """Return how many units stand side by side, in lines of about the same length; no word of a name is broken."""
        font = max(theme.least_font_px, theme.px(15))
        longest = max(least, max((measure(word, font, False)[0] for word in words), default=0.0))
        most = max(2, min(count, int((room + theme.px(6)) // (longest + theme.px(10)))))
        lines = -(-count // most)
        columns = max(-(-count // lines), int(room // wide))
        if is_read:  # close together, and mostly in line with those of another nation
            return max(columns, int((room + theme.px(6)) // (max(longest, theme.px(70)) + theme.px(11))))
        return columns

    def _floors_px(self, block: Tiles, room: float, columns: int) -> tuple[float, ...]:
        """Return how low each of so many tiles a line may be that no word is cut in the text size that was chosen."""
        wide = (room - theme.px(6) * (columns - 1)) / columns
        font = theme.least_font_px * TEXT_SCALES[theme.text_step]
        return tuple(
            max(self.grid.finger_px, tile_need_px(tile, self.pen, wide, font)) for tile in block.tiles
        )

    def _words(self, block: Tiles) -> list[str]:
        """Return the words of all names."""
        return [word for tile in block.tiles for word in self.pen.title(tile.title).split()]

    def _side_text(self, block: Tiles) -> str:
        """Return whose tiles they are; a double name breaks at its hyphen."""
        text = self.pen.title(block.title)
        named = (measure(word, theme.least_font_px, False)[0] for word in text.split())
        return text.replace("-", "-\n") if max(named, default=0.0) > theme.px(_NAMED_SIDE) else text

    def _is_short(self, block: Tiles) -> bool:
        """Say whether whose tiles they are has room below an emblem; most names of nations fit on a line, a longer one on two."""
        # Beside large text too: those few letters are set smaller before they take the tiles' room.
        font, is_bold = theme.font_px("small") / TEXT_SCALES[theme.text_step], theme.is_bold("small")
        return measure(self._side_text(block), font, is_bold)[0] + theme.px(2) <= theme.px(_SIDE)

    def show(self, block: Tiles) -> None:
        """Take the newest form of the block."""
        self._block = block
        has_side = block.mark is not None or block.title is not None
        if has_side != (self._side.parent is not None):
            if has_side:
                self.add_widget(self._side, index=1)
            else:
                self.remove_widget(self._side)
        self.grid.tone = block.mark.tone if block.mark is not None else ""
        self._emblem.emblem = block.mark.emblem if block.mark is not None else ""
        self._emblem.tone = block.mark.tone if block.mark is not None else "text"
        self._title.text = self._side_text(block)
        peers = [one for one in (block, *self.peers) if one.mark is not None or one.title is not None]
        is_short = all(map(self._is_short, peers))
        self._side.width = theme.px(_SIDE if is_short else _NAMED_SIDE)
        is_long = measure(self._title.text, self._title.font_size, self._title.bold)[0] > self._side.width
        self._below.size_hint_y = 0 if is_long else 1
        self._title.size_hint_y, self._title.height = (None, 0) if block.title is None else (1, 0)
        # A name of two lines needs all that is below its emblem, not half.
        font = min(theme.font_px("small"), theme.least_font_px)
        needed = measure(self._title.text, font, theme.is_bold("small"), self._side.width)[1]
        is_long = needed > 1.5 * measure("X", font, theme.is_bold("small"))[1]
        if is_short and block.title is not None:  # two or three letters stand right below the emblem
            self._title.size_hint_y, self._title.height = None, theme.font_px("small") * 1.2
        self._emblem.height = theme.px(22 if is_long or (is_short and block.title is not None) else 26)
        self._below.size_hint_y, self._below.height = (None, 0) if is_long else (1, 0)
        room = self.width if self.width > 200 else theme.width_px - theme.px(108)
        room -= self._side.width + theme.px(6) if has_side else 0
        words = self._words(block)
        body = theme.font_px("body")
        least = max((measure(word, body, False)[0] for word in words), default=0.0) + theme.px(16)
        small = min(body, theme.least_font_px)
        below = [word for tile in block.tiles for word in self.pen.say(tile.sub).split()]
        under = max((measure(word, small, False)[0] for word in below), default=0.0)
        least = max(least, under + theme.px(16))
        least = max(least, theme.px(86 if any(tile.sub is not None for tile in block.tiles) else 78))
        self.grid.columns = max(2, min(len(block.tiles) or 2, int(room // least)))
        # Many stand closer in the least type, where no word is broken by it, rather than on a third page.
        longest = max((under, *(measure(word, small, False)[0] for word in words)))
        tight = int((room + theme.px(6)) // (longest + theme.px(18)))
        self.grid.columns = max(self.grid.columns, min(tight, -(-len(block.tiles) // _TURNED_LINES)))
        is_units = _are_units(block)
        is_told = any(len(self.pen.say(tile.sub)) > _FEW_LETTERS for tile in block.tiles)
        self._may_tighten, self.grid.is_even = is_units and not is_told, is_units
        is_read = all(tile.act is None and tile.facet is None for tile in block.tiles)
        self.grid.finger_px = theme.px(_READ if is_read else _FINGER)
        wide = theme.px(_TOLD_UNIT if is_told else _WIDE_UNIT)
        self.grid.fewest = max(3, int(room // wide)) if is_units else 4
        if is_units:
            # Symbol and number, beside the emblem of its owner.
            figures = (
                tile.facet.count if isinstance(tile.facet, Counter) else tile.value for tile in block.tiles
            )
            # The figure may be as small as in the usual text size.
            font, bold = theme.font_px("title") / TEXT_SCALES[theme.text_step], theme.is_bold("title")
            figure = max(measure(self.pen.say(n), font, bold)[0] if n is not None else 0.0 for n in figures)
            with_mark = any(tile.mark is not None for tile in block.tiles)
            least = max(theme.px(93 if with_mark else 58), figure + theme.px(73 if with_mark else 49))
            alike = (one for one in self.peers if _are_units(one))
            every = [*words, *(word for one in alike for word in self._words(one))]
            self.grid.columns = self._unit_columns(
                every, room, len(block.tiles), wide, least=least, is_read=is_read
            )
            if is_told:
                self.grid.columns = self.grid.fewest = max(2, min(self.grid.columns, int(room // wide)))
        elif block.columns:
            is_free = theme.is_portrait and block.columns > _FEW_COLUMNS
            widest = max((measure(word, small, False)[0] for word in words), default=0.0)
            whole = int((room + theme.px(6)) // (widest + theme.px(4 + 6)))  # no word is broken
            free = max(self.grid.columns, _FEW_COLUMNS)
            self.grid.columns = free if is_free else max(1, min(block.columns, whole))
        if 2 < len(block.tiles) <= _ON_A_LINE and not is_units:
            fit = (room + theme.px(6)) // (longest + theme.px(18))  # no word is broken
            fit = min(len(block.tiles), int(room // theme.px(70)), int(fit))
            self.grid.columns = max(self.grid.columns, fit)
        grown = _GROWN_UNIT if is_units and not is_told else 1.6
        self.grid.growth = 1.0 if (is_read if is_units else has_side) else grown
        has_sub = any(tile.sub is not None or tile.why_not is not None for tile in block.tiles)
        self.grid.set_line(84 if has_sub and (is_told or not is_units) else 60)
        self.grid.use(GroundTile if block.is_board else ItemTile)
        low = (self.grid.finger_px,) * len(block.tiles)
        self.grid.floors_of = (lambda _columns: low) if self._may_tighten else None
        self.grid.may_widen = False
        if block.is_board:
            self.grid.set_line(_SPACE)
        elif not is_units:
            wide = (room - theme.px(6) * (self.grid.columns - 1)) / self.grid.columns
            self.grid.need_px(max((tile_need_px(tile, self.pen, wide) for tile in block.tiles), default=0.0))
            self.grid.floors_of = lambda columns: self._floors_px(block, room, columns)
            self.grid.may_widen = not block.columns and len(block.tiles) > _ON_A_LINE
        if is_long and has_side and len(block.tiles) <= self.grid.columns:
            self.grid.need_px(self._emblem.height + needed)
        self.grid.put(block.tiles, self.pen.title(block.empty))
