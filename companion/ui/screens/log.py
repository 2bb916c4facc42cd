"""The Log: everything that was done, newest first, with undo to any act, notes and the report."""

from __future__ import annotations

from typing import Any

from kivy.properties import ObjectProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core import commands as cm
from companion.core.change import Change
from companion.pages.i18n import _
from companion.pages.log import LogRow, LogView, log_view
from companion.ui.dialogs import Confirm
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets.tap import Tap

__all__ = ["LogScreen"]

_EMPTY = LogView()


class LogLine(Tap, BoxLayout):
    """One entry of the log."""

    row = ObjectProperty(LogRow(0, "", "", "", True, False), rebind=True)


class LogScreen(Screen):
    """Shows a `LogView`; the main act takes back the newest act."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = _EMPTY
        super().__init__(root, **kwargs)
        pages = self.ids.rows
        pages.make, pages.row_px = self._line, theme.px(54)

    def refresh(self, change: Change | None) -> None:
        """Show the newest log."""
        if change is None:
            return
        desk = self.root.desk
        self.vm = log_view(change, desk.entries(), desk.counts, self.root.wall_ms())
        self.ids.rows.items = list(self.vm.rows)
        self.main_text = _("Back to the table")

    def _line(self, row: LogRow) -> Any:
        line = LogLine(row=row)
        line.is_enabled = row.can_undo
        line.bind(on_act=lambda widget, touch: self._undo_to(widget.row, touch))
        return line

    def _undo_to(self, row: LogRow, touch: Any) -> None:
        count = sum(1 for one in self.vm.rows if one.can_undo and one.seq >= row.seq)
        text = _("{n} acts are taken back, down to and including: {what}. The time used is kept.").format(
            n=count, what=row.label
        )
        at_ms = self.stamp_ms(touch)
        self.root.ask(
            Confirm(
                _("Undo to here?"),
                text,
                _("Undo to here"),
                lambda _touch: self.send(cm.Undo(at_ms=at_ms, to_seq=row.seq)),
                is_danger=True,
            )
        )

    def report(self) -> None:
        """Write the report of the game."""
        self.root.report()

    def redo(self, touch: Any) -> None:
        """Do again what was taken back last."""
        self.send(cm.Redo(at_ms=self.stamp_ms(touch)))


load_kv(__file__)
