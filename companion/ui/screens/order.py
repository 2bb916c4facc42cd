"""Order of play: who acts first in the stages ahead, and where both sides act at once."""

from __future__ import annotations

from typing import Any

from companion.core.change import Change
from companion.games.sfw.pages.order import order_command, order_rows
from companion.pages.i18n import _
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.new_game import OptionLine
from companion.ui.theme import theme
from companion.ui.widgets import Choice

__all__ = ["OrderScreen"]


class OrderScreen(Screen):
    """Shows the rows of `order_rows`; a choice is a command, and is in the log."""

    def refresh(self, change: Change | None) -> None:
        """Show what the table may still set."""
        if change is None:
            return
        pages = self.ids.rows
        pages.make = self._line
        pages.row_px = theme.px(OptionLine.ROW[theme.is_portrait])
        pages.empty_text = _("Nothing is left to settle")
        pages.items = list(order_rows(change))
        self.main_text = _("Back to the table")

    def _line(self, row: Any) -> Any:
        line = OptionLine(label=row.label, hint=row.hint)
        field = Choice(role="body")
        field.options, field.chosen = list(row.values), row.chosen
        field.bind(on_choose=lambda _w, value: self._set(row, value))
        line.ids.slot.add_widget(field)
        return line

    def _set(self, row: Any, value: str) -> None:
        change = self.root.desk.change
        if change is not None and value != row.chosen:
            self.send(order_command(change.state, row.key, value))


load_kv(__file__)
