"""The sheet of a page: its head with tools and pages, its tabs, its blocks below each other or in columns of both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Any

import msgspec
from kivy.clock import Clock
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.core.ids import Millis
from companion.pages import page as pg
from companion.ui.render import blocks as bl
from companion.ui.render.chart import ChartBlock
from companion.ui.render.code import CodeBlock
from companion.ui.render.lists import ItemGrid, RowsBlock, TilesBlock, share_around
from companion.ui.render.pen import Pen
from companion.ui.render.photo import PhotoBlock
from companion.ui.render.split import SplitBlock
from companion.ui.theme import theme
from companion.ui.touch import Press, Touch
from companion.ui.widgets import Digits, Plate, Tabs, Text
from companion.ui.widgets.basic import measure
from companion.ui.widgets.lists import Swiped

__all__ = ["Sheet", "SidesBlock", "Stack"]


def shared(room: float, wanted: list[tuple[float, float]]) -> list[float]:
    """Return heights for what wants some and takes less: where room is short, each gives of what is above its least."""
    short = max(0.0, sum(want for want, _least in wanted) - room)
    give = sum(want - least for want, least in wanted) or 1.0
    return [max(1.0, want - (want - least) * min(1.0, short / give)) for want, least in wanted]


def _least_px(widget: Widget) -> float:
    """Return the height below which a block is cut: what has pages can do with a line, a pad needs all its keys."""
    if widget.size_hint_y is None:
        return float(widget.height)
    return min(float(widget.want_px), float(getattr(widget, "least_px", 1.0)))


def _fewer_pages(blocks: list[TilesBlock | RowsBlock], wants: list[float], room: float) -> list[float]:
    """Return heights in which the fewest pages are to be turned: these ones, or where others save a page, those."""
    pages = max(one.pages_in(want) for one, want in zip(blocks, wants, strict=True))
    for fewer in range(1, pages):
        lows = [one.low_px(fewer) for one in blocks]
        if sum(lows) <= room:
            return shared(room, [(max(one.want_px, low), low) for one, low in zip(blocks, lows, strict=True)])
    return wants


class Stack(BoxLayout):
    """Blocks below each other. Each keeps its widget while a block of its kind and key is there."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(orientation="vertical", spacing=theme.px(4), **kwargs)
        self.pen = pen
        self._kept: dict[tuple[str, str], Widget] = {}
        self.share_soon = Clock.create_trigger(self._share, -1)
        self.fbind("size", self.share_soon)

    @property
    def grids(self) -> tuple[ItemGrid, ...]:
        """What turns its pages."""
        return tuple(grid for widget in self._kept.values() for grid in getattr(widget, "grids", ()))

    @property
    def want_px(self) -> float:
        """The height at which nothing needs another page."""
        heights = [w.height if w.size_hint_y is None else w.want_px for w in self._kept.values()]
        return sum(heights) + theme.px(4) * max(0, len(heights) - 1)

    @property
    def least_px(self) -> float:
        """The height below which something is cut."""
        return sum(map(_least_px, self._kept.values())) + theme.px(4) * max(0, len(self._kept) - 1)

    @property
    def ends_in_plot(self) -> bool:
        """Say whether a plot stands last, which is the better the higher it is."""
        return isinstance(next(reversed(self._kept.values()), None), bl.PlotBlock)

    def widget_of(self, key: str) -> Widget:
        """Return the widget of a block."""
        return next((widget for (_kind, own), widget in self._kept.items() if own == key), None)

    def show(self, blocks: tuple[pg.Block, ...], peers: tuple[pg.Tiles, ...] = ()) -> None:
        """Take the newest blocks.

        Args:
            peers: The tiles in the columns beside them.
        """
        peers = peers or tuple(block for block in blocks if isinstance(block, pg.Tiles))
        wanted = [(_kind(block), block.key) for block in blocks]
        before = self._kept
        self._kept = {name: before.get(name) or self._made(name[0]) for name in wanted}
        if wanted != list(before):
            self.clear_widgets()
            for widget in self._kept.values():
                self.add_widget(widget)
        for block, widget in zip(blocks, self._kept.values(), strict=True):
            if isinstance(widget, TilesBlock):
                widget.peers = peers
            widget.show(block)
        self.share_soon()

    def _made(self, kind: str) -> Widget:
        """Return a new widget; one with a height of its own has all around it shared anew when that changes."""
        widget = _KINDS[kind](self.pen)
        if widget.size_hint_y is None:
            widget.fbind("height", lambda *_args: share_around(widget))
        return widget

    def walk_blocks(self) -> Iterator[Widget]:
        """Yield the widgets of all blocks, those in columns too."""
        for widget in self._kept.values():
            yield widget
            if isinstance(widget, SidesBlock):
                yield from widget.walk_blocks()

    def _share(self, *_args: object) -> None:
        """Give what takes any height what it wants, or its share where that is too much for all."""
        elastic = [widget for widget in self._kept.values() if widget.size_hint_y is not None]
        self.padding = (0, 0, 0, self._spare_px(elastic))
        if len(elastic) < 2:
            for widget in elastic:
                widget.size_hint_y = 1
            return
        fixed = sum(widget.height for widget in self._kept.values() if widget.size_hint_y is None)
        room = self.height - fixed - theme.px(4) * (len(self._kept) - 1)
        wants = self._shared(elastic, room)
        # Lines of tiles at the end grow alike, as far as tiles do; the last one has the rest.
        tail = list(takewhile(lambda widget: isinstance(widget, TilesBlock), reversed(elastic)))
        each = max(0.0, room - sum(wants)) / max(1, len(tail))
        for widget, want in zip(elastic, wants, strict=True):
            widget.size_hint_y = want * min(widget.grid.growth, 1 + each / want) if widget in tail else want
        elastic[-1].size_hint_y += max(0.0, room - sum(widget.size_hint_y for widget in elastic))

    @staticmethod
    def _shared(elastic: list[Widget], room: float) -> list[float]:
        """Return the heights of what takes any.

        Rows above tiles are not split over pages where those keep two lines, nor above rows of which half stay.
        """
        wants = shared(room, [(widget.want_px, _least_px(widget)) for widget in elastic])
        *above, last = elastic
        if not isinstance(last, TilesBlock | RowsBlock) or not all(
            isinstance(one, RowsBlock) for one in above
        ):
            return wants
        whole = [min(one.want_px, one.low_px()) for one in above]
        is_split = any(high < need for high, need in zip(wants, whole, strict=False))
        left = room - sum(whole)
        kept = 2 * last.least_px if isinstance(last, TilesBlock) else last.low_px() / 2
        wants = [*whole, left] if is_split and left >= min(last.want_px, kept) else wants
        return _fewer_pages(elastic, wants, room)

    def _spare_px(self, elastic: list[Widget]) -> float:
        """Return the room that stays free at the end where what follows the only tiles belongs right below them."""
        last = next(reversed(self._kept.values()), None)
        if len(elastic) != 1 or not isinstance(elastic[0], TilesBlock) or elastic[0] is last:
            return 0.0
        fixed = sum(widget.height for widget in self._kept.values() if widget.size_hint_y is None)
        room = self.height - fixed - theme.px(4) * (len(self._kept) - 1)
        return max(0.0, room - elastic[0].want_px * elastic[0].grid.growth)


class SidesBlock(BoxLayout):
    """`Sides`: columns with a head each; in a high window below each other."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(
            orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(10), **kwargs
        )
        self.pen = pen
        self._kept: dict[str, tuple[Widget, Stack]] = {}
        self.share_soon = Clock.create_trigger(self._share, -1)
        self.fbind("size", self.share_soon)

    def _share(self, *_args: object) -> None:
        """In a high window give every column what it wants, as far as there is room."""
        if not theme.is_portrait or not self._kept:
            return
        room = self.height - theme.px(10) * (len(self._kept) - 1)
        extra = theme.px(4)
        wanted = [
            (head.height + extra + stack.want_px, head.height + extra + stack.least_px)
            for head, stack in self._kept.values()
        ]
        heights = shared(room, wanted)
        spare = max(0.0, room - sum(heights))
        if all(stack.ends_in_plot for _head, stack in self._kept.values()):
            heights = [high + spare / len(heights) for high in heights]
        else:
            heights[-1] += spare
        for (head, _stack), height in zip(self._kept.values(), heights, strict=True):
            head.parent.size_hint_y = height

    @property
    def grids(self) -> tuple[ItemGrid, ...]:
        """What turns its pages."""
        return tuple(grid for _head, stack in self._kept.values() for grid in stack.grids)

    @property
    def want_px(self) -> float:
        """The height at which nothing needs another page."""
        return self._high(stack.want_px for _head, stack in self._kept.values())

    @property
    def least_px(self) -> float:
        """The height below which something is cut."""
        return self._high(stack.least_px for _head, stack in self._kept.values())

    def _high(self, stacks: Iterable[float]) -> float:
        """Return the height of all columns, each with its head, by those of what is in them."""
        heads = (head.height + theme.px(4) for head, _stack in self._kept.values())
        heights = list(map(sum, zip(heads, stacks, strict=True)))
        gaps = theme.px(10) * max(0, len(heights) - 1)
        return sum(heights) + gaps if theme.is_portrait else max(heights, default=0.0)

    def show(self, block: pg.Sides) -> None:
        """Take the newest form of the block."""
        if list(self._kept) != [side.key for side in block.sides]:
            self.clear_widgets()
            self._kept = {}
            for side in block.sides:
                column = BoxLayout(orientation="vertical", spacing=theme.px(4))
                head, stack = bl.HeadBlock(self.pen), Stack(self.pen)
                head.underline()
                column.add_widget(head)
                column.add_widget(stack)
                self.add_widget(column)
                self._kept[side.key] = (head, stack)
        peers = tuple(one for side in block.sides for one in side.blocks if isinstance(one, pg.Tiles))
        for side in block.sides:
            head, stack = self._kept[side.key]
            if not theme.is_portrait:
                head.parent.size_hint_x = side.weight
            if side.head is not None:
                head.show(side.head)
            head.opacity = 1 if side.head is not None else 0
            if side.head is None:
                head.height = 0
            stack.show(side.blocks, peers)
        self.share_soon()

    def walk_blocks(self) -> Iterator[Widget]:
        """Yield the widgets of the blocks in the columns."""
        for _head, stack in self._kept.values():
            yield from stack.walk_blocks()


_KINDS: dict[str, Callable[..., Widget]] = {
    "Head": bl.HeadBlock,
    "Choices": bl.ChoicesBlock,
    "Banner": bl.BannerBlock,
    "Clocks": bl.ClocksBlock,
    "Strip": bl.StripBlock,
    "Split": SplitBlock,
    "Rows": RowsBlock,
    "Tiles": TilesBlock,
    "Sides": SidesBlock,
    "Dice": bl.DiceBlock,
    "Pad": bl.PadBlock,
    "Chart": ChartBlock,
    "Picture": bl.PictureBlock,
    "Photo": PhotoBlock,
    "Plot": bl.PlotBlock,
    "Code": CodeBlock,
    "Notice": bl.NoticeBlock,
}


# Columns of tiles lie a dozen layouts deep: all of them settle before the first frame that shows them.
Clock.max_iteration = max(Clock.max_iteration, 24)


def _kind(block: pg.Block) -> str:
    """Return what draws a block."""
    name = type(block).__name__
    return "Chart" if isinstance(block, pg.Picture) and block.picture == "chart" else name


_MOST_ABOVE = 3
"""More tabs than these stand on a line of their own where the way back stands in the head too."""


_TOOL_SHARES = (1.0, 0.85, 0.7, 0.55)
"""Shares of what the tools of a head want that they make do with where its title would not be whole, one after another."""


class Turner(BoxLayout):
    """Back, where we are, forward; there only when something has a second page."""

    def __init__(self, turn: Any, **kwargs: object) -> None:
        super().__init__(size_hint_x=None, width=0, opacity=0, **kwargs)
        self._back = Plate(icon="back", acts_on="release", size_hint_x=None, width=theme.target_px)
        self._where = Text(align="center", tone="muted", wraps=False)
        self._forward = Plate(icon="forward", acts_on="release", size_hint_x=None, width=theme.target_px)
        self._back.bind(on_act=lambda *_args: turn(-1))
        self._forward.bind(on_act=lambda *_args: turn(1))
        for widget in (self._back, self._where, self._forward):
            self.add_widget(widget)

    def show(self, page: int, pages: int) -> None:
        """Show which page of how many."""
        is_needed = pages > 1
        self.width = 2 * theme.target_px + theme.px(56) if is_needed else 0.0
        self.opacity = 1 if is_needed else 0
        self._where.text = f"{page + 1}/{pages}" if is_needed else ""
        self._back.is_enabled = is_needed and page > 0
        self._forward.is_enabled = is_needed and page < pages - 1


class Sheet(Swiped):
    """One page: head, tabs, blocks. A swipe turns its pages of rows as the keys in its head do."""

    def __init__(self, pen: Pen, *, has_title: bool = True, **kwargs: object) -> None:
        """Without `has_title` the frame names the page already; its tabs stand in place of the title."""
        super().__init__(self.may_turn, self.turn, orientation="vertical", spacing=theme.px(4), **kwargs)
        self.pen, self._has_title = pen, has_title
        self.page = 0
        self._seen: dict[str, int] = {}
        self._value = pg.Page("", 0)
        self._is_lined = False
        """The tabs of this page have had no room beside its title once it had a second page to turn to."""
        self._title = Text(role="heading")
        self._lead: Any = Text(role="body", align="left" if theme.is_portrait else "right")
        self._tools = bl.Tools(pen)
        self._steps = bl.StepLine()
        self._turner = Turner(lambda by: self.turn(by, is_rows=True))
        for text in (self._title, self._lead):
            text.bind(width=self._fit_head, text=self._fit_head)
        self._back = Plate(icon="back", kind="bare", acts_on="release", size_hint_x=None, width=0, opacity=0)
        self._back.bind(on_act=lambda _w, touch: self._go_back(touch))
        self._tabs = Tabs(height=0, opacity=0)
        self._tabs.bind(on_choose=lambda _w, key: self._choose(key))
        self._tabs.bind(need_px=lambda *_args: self._fit_tabs(), least_px=lambda *_args: self._fit_tabs())
        self.stack = Stack(pen)
        self._bound: set[ItemGrid] = set()
        self._title_px = 0.0
        """The width that the title wants beside a lead."""
        self._over_px = 0.0
        """How much wider than the head is what wants to stand in it."""
        self._line_soon = Clock.create_trigger(self._line, 0)
        self._count_soon = Clock.create_trigger(self._count, -1)
        self.fbind("width", self._count_soon)
        self._build()
        self.fbind("width", self._fit_head)
        self._turner.fbind("width", self._fit_head)

    def _build(self) -> None:
        """Set the head on one line, or in a high window on two."""
        head = self._head = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        self._under = BoxLayout(size_hint_y=None, height=0, spacing=theme.px(8))
        second = self._under if theme.is_portrait else head
        for widget in (*(() if self._has_title else (self._back,)), self._title, self._steps):
            head.add_widget(widget)
        second.add_widget(self._lead)
        second.add_widget(self._tools)
        head.add_widget(self._turner)
        under = (self._under,) if theme.is_portrait else ()
        for widget in (head, *under, self._tabs, self.stack):
            self.add_widget(widget)

    def _fit_head(self, *_args: object) -> None:
        """Make the head as high as its lead needs; where there is none, tools give a title that needs it of their room.

        On a line of their own tools give what the window is too narrow for.
        """
        title, tools = self._title, self._tools
        room = self.width - self._turner.width - theme.px(8) * (len(self._head.children) - 1)
        if room < theme.px(200):
            return
        if theme.is_portrait:
            self._fit_beside()
            self._show_steps(title, room)
            self._fit_under()
            return
        if not self._has_title:
            return
        if self._lead.text:
            word = max(measure(one, theme.least_font_px, False)[0] for one in self._lead.text.split())
            if (
                self._high_px(self._lead, word) <= 1.6 * theme.target_px
            ):  # short enough to stand a word a line
                tools.fit(room - self._title_px - word)
                lacks = word + theme.px(4) - (room - self._title_px - tools.width)
                words = (measure(one, theme.least_font_px, True)[0] for one in title.text.split())
                least = min(self._title_px, max(words, default=0.0) + theme.px(4))
                wide = max(least, self._title_px - max(0.0, lacks))
                if abs(title.width - wide) > 1:
                    title.width = wide
            self._show_steps(self._lead, room - title.width - tools.width)
        elif self._tabs.parent is not self._head:
            for share in _TOOL_SHARES:
                tools.fit(share * tools.want_px)
                if self._high_px(title, room - tools.width) <= theme.target_px:
                    break
            self._show_steps(title, room - tools.width)
        need = self._high_px(self._lead, self._lead.width)
        self._head.height = max(theme.target_px, min(need, 1.6 * theme.target_px))

    def _fit_beside(self) -> None:
        """Give the tools on the line under the title what they want, and of that to a lead which would be cut beside them."""
        tools, lead = self._tools, self._lead
        for share in _TOOL_SHARES:
            tools.fit(min(share * tools.want_px, self.width - theme.px(8)))
            room = self.width - tools.width - self._under.spacing
            if not lead.text or self._high_px(lead, room) <= 1.6 * theme.target_px:
                break

    def _fit_under(self) -> None:
        """Make the line under the title as high as its tools need, and its lead beside them, within bounds."""
        page = self._value
        high = (
            theme.target_px if page.tools else theme.font_px("body") * 2.7 if page.lead is not None else 0.0
        )
        if high and theme.is_portrait:
            room = self.width - self._tools.width - self._under.spacing
            high = max(high, min(self._high_px(self._lead, room), 1.6 * theme.target_px))
        self._under.height = high

    def _show_steps(self, text: Text, room_px: float) -> None:
        """Show the steps where a text of the head is whole beside them."""
        has_room = self._high_px(text, room_px - self._steps.want_px) <= theme.target_px
        is_shown = has_room and room_px > self._steps.want_px > 0
        self._steps.width, self._steps.opacity = (self._steps.want_px, 1) if is_shown else (0, 0)

    @staticmethod
    def _high_px(text: Text, width_px: float) -> float:
        """Return the height that a text of the head needs in a width, in the least type."""
        size = theme.least_font_px, theme.is_bold(text.role), max(1.0, width_px)
        return measure(text.text, *size)[1] if text.text else 0.0

    def show(self, page: pg.Page) -> None:
        """Take the newest page."""
        if page.lead is not None and page.main is not None and page.main.why_not == page.lead:
            page = msgspec.structs.replace(page, lead=None)  # the main button says it
        if page.key != self._value.key:
            self.page = self._seen.get(page.key, 0)
            self._is_lined = False
        self._value = page
        self._title.text = self.pen.title(page.title) if self._has_title else ""
        self._tools.show(page.tools)
        self._steps.show(page.steps)
        has_back = page.back is not None and not self._has_title
        self._back.width, self._back.opacity = (theme.target_px, 1) if has_back else (0, 0)
        self._back.is_enabled = has_back
        self._lead.text, self._lead.tone = self.pen.title(page.lead), page.lead_tone
        has_lead = page.lead is not None
        self._lead.size_hint_x, self._lead.width = (1, 0) if has_lead else (None, 0)
        if not theme.is_portrait and self._has_title:
            # The title is as wide as it needs, within bounds; the lead has the rest.
            wide = measure(self._title.text, theme.font_px("heading"), theme.is_bold("heading"))[0]
            room = 0.62 * (theme.width_px - theme.px(108)) - sum(tool.width for tool in self._tools.children)
            self._title.size_hint_x = None if has_lead else 1
            self._title.width = self._title_px = min(wide + theme.px(4), max(theme.px(160), room))
        self._fit_head()
        self._fit_under()
        tabs = [(tab.key, self.pen.title(tab.title)) for tab in page.tabs]
        if tabs != self._tabs.options:
            self._tabs.options = tabs
        self._tabs.chosen = page.tab
        if self._has_title:
            self._turner.show(0, 1 if not self._is_lined else self.pages)
            self._place_tabs()
        else:
            self._set_tabs(is_above=bool(tabs) and not (page.back is not None and len(tabs) > _MOST_ABOVE))
            if not theme.is_portrait:  # The frame has the title: its room is the lead's.
                self._title.size_hint_x, self._title.width = (None, 0) if has_lead else (1, 0)
        self._fit_tabs()
        self.stack.show(page.blocks)
        for grid in self.stack.grids:
            grid.page = self.page
            if grid not in self._bound:
                grid.bind(pages=self._count_soon)
                grid.seek = lambda page: self.turn(page - self._here, is_rows=True)
        self._bound = set(self.stack.grids)
        self._count_soon()

    def _fit_tabs(self) -> None:
        """Make the tabs as high as their texts need, and in the head so wide that no word breaks: the lead gives the room."""
        high = max(theme.target_px, self._tabs.need_px)
        self._tabs.height, self._tabs.opacity = (high, 1) if self._value.tabs else (0, 0)
        is_sharing = not self._has_title and self._tabs.parent is self._head and self._value.tabs
        self._tabs.size_hint_min_x = self._tabs.least_px if is_sharing else None

    def _place_tabs(self) -> None:
        """Set the tabs beside the title where both have room on one line, else on a line of their own.

        Tools give what they can for that: a line less is a line more for what the page is about.
        """
        page = self._value
        beside = bool(page.tabs) and not theme.is_portrait and page.lead is None
        if beside:
            gaps = theme.px(8) * (len(self._head.children) - 1)
            font, bold = theme.font_px("heading"), theme.is_bold("heading")
            wide = measure(self._title.text, font, bold)[0] + theme.px(4)
            taken = 0.0
            for share in _TOOL_SHARES:
                self._tools.fit(share * self._tools.want_px)
                taken = wide + self._tools.width + self._tabs.want_px + gaps
                if taken <= self.width:
                    break
            self._over_px = taken + self._turner.width - self.width
            is_laid = self.width > theme.px(200)
            self._is_lined = is_laid and (self._is_lined or taken > self.width)
            beside = is_laid and not self._is_lined
            if beside and self._over_px > 0:
                self._line_soon()
            self._title.size_hint_x, self._title.width = (None, wide) if beside else (1, 0)
        is_beside = self._tabs.parent is self._head
        if beside != is_beside:
            self._tabs.parent.remove_widget(self._tabs)
            if beside:
                self._head.add_widget(self._tabs, index=self._head.children.index(self._title))
            else:
                self.add_widget(self._tabs, index=1)
        if page.tabs and not beside and not theme.is_portrait and page.lead is None:
            self._fit_head()  # tools that gave room for tabs beside the title have it back
        self._tabs.is_snug, self._tabs.size_hint_x = beside, None if beside else 1
        self._tabs.width = self._tabs.want_px
        if page.lead is None:  # What stands right of the tabs stays at the right edge.
            self._lead.size_hint_x = 1 if beside else None
            self._lead.width = 0

    def _line(self, *_args: object) -> None:
        """Set the tabs on a line of their own where there still are pages to turn to once they stand beside the title."""
        if self._over_px > 0 and self.pages > 1 and self._tabs.parent is self._head:
            self._is_lined = True
            self._place_tabs()

    def _set_tabs(self, *, is_above: bool) -> None:
        """Set the tabs in place of the title, or on a line of their own where they need the width."""
        wanted, gone = (self._tabs, self._title) if is_above else (self._title, self._tabs)
        if wanted.parent is self._head:
            return
        for widget in (self._tabs, self._title):
            if widget.parent is not None:
                widget.parent.remove_widget(widget)
        self._head.add_widget(wanted, index=len(self._head.children) - 1)
        if gone is self._tabs:
            self.add_widget(gone, index=1)
        self._title.text = ""

    def _count(self, *_args: object) -> None:
        pages = self.pages
        self._turner.show(self._here, pages)
        if self._has_title:
            self._place_tabs()
        else:
            page = self._value
            beside = not theme.is_portrait and (page.lead is not None or page.tools)
            has_tabs = self._tabs.parent is self._head
            is_needed = has_tabs or page.back is not None or pages > 1 or beside
            self._head.height = max(theme.target_px, self._lead_px()) if is_needed else 0
            self._head.opacity = 1 if self._head.height else 0

    def _lead_px(self) -> float:
        """Return how high a lead beside its tools is that has the line for itself, within bounds."""
        if theme.is_portrait or not self._lead.text or self._tabs.parent is self._head:
            return 0.0
        beside = self._back.width + self._tools.width + self._turner.width
        room = self.width - beside - theme.px(8) * (len(self._head.children) - 1)
        return min(self._high_px(self._lead, room), 1.6 * theme.target_px)

    @property
    def pages(self) -> int:
        """How many pages there are to turn."""
        return max((int(grid.pages) for grid in self.stack.grids), default=1)

    @property
    def _here(self) -> int:
        """The page shown: the one turned to, or the last where there are fewer, as while a layout is not done yet."""
        return min(self.page, self.pages - 1)

    def turn(self, by: int, *, is_rows: bool = False) -> None:
        """Go some pages on or back, as far as there are any; where the page has acts for it, they are done, but for its rows."""
        act = None if is_rows else self._value.turns[0 if by < 0 else 1]
        if act is not None:
            self.pen.press(act, None)
            return
        self.page = min(max(0, self._here + by), self.pages - 1)
        self._seen[self._value.key] = self.page
        for grid in self.stack.grids:
            grid.page = self.page
        self._count()

    def _go_back(self, touch: Press | None) -> None:
        if self._value.back is not None:
            self.pen.press(self._value.back, touch)

    def _choose(self, key: str) -> None:
        act = next((tab.act for tab in self._value.tabs if tab.key == key), None)
        if act is not None:
            self.pen.press(act, None)

    def may_turn(self, touch: Touch) -> bool:
        """Say whether a touch may become a swipe here."""
        return (self.pages > 1 or self._value.turns != (None, None)) and bool(
            self.stack.collide_point(*touch.pos)
        )

    @property
    def digits(self) -> tuple[Digits, ...]:
        """What moves on this page."""
        return tuple(digits for block in self._clocks for digits in block.digits)

    def tick(self, now_ms: Millis) -> Millis | None:
        """Let the clocks go on; return after how long the next digit changes."""
        waits = (block.tick(now_ms) for block in self._clocks)
        return min((wait for wait in waits if wait is not None), default=None)

    @property
    def _clocks(self) -> list[Widget]:
        return [block for block in self.stack.walk_blocks() if isinstance(block, bl.ClocksBlock)]
