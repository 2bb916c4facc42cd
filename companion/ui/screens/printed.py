"""Printed values: a plain form for figures that only your own box knows."""

from __future__ import annotations

from typing import Any

from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.pages.game_view import PrintedRow
from companion.pages.i18n import _
from companion.pages.numbers import DECIMAL, plain
from companion.pages.printed import PrintedView, entry_command, entry_fault, printed_view
from companion.ui.dialogs import Choose, NumberEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets.tap import Tap

__all__ = ["PrintedScreen"]

_EMPTY = PrintedView()
_MOST_TABS = 4


class PrintedLine(Tap, BoxLayout):
    """One figure with its value, or an empty place."""

    row = ObjectProperty(PrintedRow("", ""), rebind=True)
    value = StringProperty("")


class PrintedScreen(Screen):
    """Shows a `PrintedView`; a tap on a line opens the number pad."""

    group = ObjectProperty("", allownone=True)
    group_text = StringProperty("")
    """Name of the group at hand where there are too many of them for tabs."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = _EMPTY
        super().__init__(root, **kwargs)
        pages = self.ids.rows
        pages.make, pages.row_px = self._line, theme.px(54)
        pages.columns = 1 if theme.is_portrait else 2
        pages.empty_text = _("This game needs no printed values")

    def refresh(self, change: Change | None) -> None:
        """Show the newest values."""
        if change is None:
            return
        self.vm = printed_view(change)
        keys = [key for key, _text in self.vm.groups]
        if self.group not in keys:
            self.group = keys[0] if keys else ""
        is_many = len(keys) > _MOST_TABS
        self.ids.tabs.options = list(self.vm.groups) if len(keys) > 1 and not is_many else []
        self.group_text = dict(self.vm.groups)[self.group] if is_many else ""
        self.ids.tabs.chosen = self.group
        self.ids.rows.items = [row for row in self.vm.rows if row.group == self.group]
        self.main_text = _("Back to the table")

    def pick(self) -> None:
        """Choose one of many groups."""
        self.root.ask(Choose(_("Printed values"), self.vm.groups, self.choose))

    def choose(self, key: Any) -> None:
        """Show another group."""
        self.group = key
        self.ids.rows.page = 0
        self.refresh(self.root.desk.change)

    def _line(self, row: PrintedRow) -> Any:
        line = PrintedLine(
            row=row,
            value="–"
            if row.value is None
            else plain(row.value)
            if isinstance(row.value, int | float)
            else str(row.value),
        )
        line.bind(on_act=lambda widget, _touch: self._enter(widget.row))
        return line

    def _enter(self, row: PrintedRow) -> None:
        desk = self.root.desk

        def check(text: str) -> str | None:
            return (
                None
                if desk.change is None or desk.rules is None
                else entry_fault(desk.change, desk.rules, row.key, text)
            )

        self.root.ask(
            NumberEntry(
                row.label,
                lambda text: self.send(entry_command(row.key, text)),
                text=row.hint or _("Leave it empty to take the value back."),
                extra="" if row.is_whole else DECIMAL,
                check=check,
            )
        )


load_kv(__file__)
