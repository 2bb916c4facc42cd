"""Calendar: the lines of this turn, reports from the map, victory, all seasons."""

from __future__ import annotations

from typing import Any

from kivy.properties import StringProperty

from companion.core.change import Change
from companion.games.tsu.pages.calendar import calendar_page, report_command
from companion.games.tsu.pages.rows import Page, Row
from companion.pages.i18n import _
from companion.ui.dialogs import Confirm
from companion.ui.screens.tsu_page import TsuScreen

__all__ = ["TsuCalendarScreen"]


class TsuCalendarScreen(TsuScreen):
    """Shows one tab of the calendar."""

    tab = StringProperty("")
    season = StringProperty("")

    def enter(self, tab: str = "", season: str = "", **_args: Any) -> None:
        """Open at a tab."""
        self.tab, self.season = tab, season

    def page_of(self, change: Change) -> Page:
        """Return the tab; at the end of a turn the reports first."""
        here = self.tab or ("reports" if change.state.step.phase == "end" else "now")
        return calendar_page(change, here, self.season)

    def choose_tab(self, key: str) -> None:
        """Show another tab."""
        self._show(key, "")

    def _show(self, tab: str, season: str) -> None:
        self.tab, self.season = tab, season
        self.root.keep_args(tab=tab, season=season)
        self.refresh(self.root.desk.change)

    def tapped(self, row: Row, touch: Any) -> None:  # noqa: ARG002
        """Open a season, or ask before a report."""
        if row.ask == "season":
            self._show("seasons", "" if row.key == "back" else row.key)
            return
        change = self.root.desk.change
        if change is None:
            return
        command = report_command(change.state, row.key)
        self.root.ask(Confirm(row.text, row.sub, _("Report it"), lambda _touch: self.send(command)))
