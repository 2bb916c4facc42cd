"""What all screens of The Soft Underbelly share: a `Page` of rows under a headline and tabs."""

from __future__ import annotations

from typing import Any

from kivy.properties import BooleanProperty, ObjectProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.commands import Command
from companion.games.tsu.pages.rows import Page, Row
from companion.pages.table import main_command
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Plate
from companion.ui.widgets.tap import Tap

__all__ = ["TsuScreen"]

_NO_ROW = Row("", "")


class TsuLine(BoxLayout):
    """A line to read."""

    row = ObjectProperty(_NO_ROW, rebind=True)


class TsuTick(Tap, BoxLayout):
    """A line with a box, or a round one where one of several is chosen."""

    row = ObjectProperty(_NO_ROW, rebind=True)
    is_round = BooleanProperty(False)


class TsuCount(BoxLayout):
    """A line with a counter."""

    row = ObjectProperty(_NO_ROW, rebind=True)
    __events__ = ("on_step",)

    def on_step(self, amount: int) -> None:
        """Announce minus or plus."""

    def step(self, amount: int) -> None:
        """Pass a step of the counter on."""
        self.dispatch("on_step", amount)


def _row_px(page: Page) -> float:
    """Return how high rows are: higher in a narrow window where their second lines are long."""
    is_long = theme.is_portrait and any(row.shortens for row in page.rows)
    return theme.px(100 if is_long else 66 if theme.is_portrait else 56) * (1.0, 1.08, 1.25)[theme.text_step]


class TsuScreen(Screen):
    """Shows a `Page`. A screen of the game says which page, and what a tap on a row asks."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = Page()
        self._page: dict[str, int] = {}
        self._made: list[tuple[Row, Any]] = []
        """Rows with their widgets: what did not change is laid again, not made again."""
        super().__init__(root, **kwargs)
        pages = self.ids.pages
        pages.make = self._kept_row
        pages.bind(page=lambda _w, page: self._page.update({self.vm.key: int(page)}))

    def page_of(self, change: Change) -> Page:
        """Return what is shown."""
        raise NotImplementedError

    def tapped(self, row: Row, touch: Any) -> None:
        """Do what a tap on a row asks that sends no command of its own."""

    def stepped(self, row: Row, amount: int) -> None:
        """Take a step of a counter."""

    def choose_tab(self, key: str) -> None:
        """Show another tab."""

    def back(self, touch: Any) -> None:
        """Do what the main button does where it sends nothing: back to the table."""
        super().main_act(touch)

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        page = self.page_of(change)
        pages = self.ids.pages
        at = self._page.get(page.key, 0)
        self.vm = page
        waits = page.ends_act and change.state.clocks.is_paused
        self.main_text = self.root.words["resume"] if waits else page.main_text
        self.main_icon = "play" if waits else ""
        self.main_enabled = page.is_main_ready
        pages.columns = 1 if theme.is_portrait else page.columns
        pages.row_px = _row_px(page)
        pages.empty_text = page.empty
        kept = {row.key: row for row, _widget in self._made}
        rows = [kept[row.key] if kept.get(row.key) == row else row for row in page.rows]
        self._made = [(row, widget) for row, widget in self._made if any(row is one for one in rows)]
        pages.items = rows
        pages.page = at

    def _kept_row(self, row: Row) -> Any:
        for made, widget in self._made:
            if made is row:
                return widget
        widget = self._row(row)
        self._made.append((row, widget))
        return widget

    def _row(self, row: Row) -> Any:
        if row.kind == "read":
            return TsuLine(row=row)
        if row.kind == "count":
            line = TsuCount(row=row)
            line.bind(on_step=lambda _w, amount: self.stepped(row, int(amount)))
            return line
        if row.kind in ("tick", "choice"):
            tick = TsuTick(row=row, is_round=row.kind == "choice", acts_on="release")
            tick.bind(on_act=lambda _w, touch: self._act(row, touch))
            return tick
        plate = Plate(text=row.text, sub=row.sub, kind="soft", align="left", acts_on="release")
        plate.is_enabled = row.is_enabled
        if row.mark is not None:
            plate.icon = row.mark.emblem if row.mark.emblem in _SHAPES else ""
        plate.bind(on_act=lambda _w, touch: self._act(row, touch))
        return plate

    def _act(self, row: Row, touch: Any) -> None:
        if row.command is not None:
            self.send(row.command)
        elif row.ask:
            self.tapped(row, touch)

    def main_command(self, touch: Any) -> Command | None:
        """Return what the main button sends now, or None where it only goes back."""
        change = self.root.desk.change
        if change is None:
            return None
        if self.vm.ends_act:
            return main_command(change.state, self.stamp_ms(touch))
        return self.vm.main_command

    def main_act(self, touch: Any) -> None:
        """Send what the page is ready for, end the act, or go back."""
        if not self.vm.is_main_ready:
            return
        if self.vm.next_tab:
            self.choose_tab(self.vm.next_tab)
            return
        command = self.main_command(touch)
        if command is None:
            self.back(touch)
        else:
            self.send(command)


_SHAPES = ("circle", "square", "star", "ring", "diamond", "triangle")

load_kv(__file__)
