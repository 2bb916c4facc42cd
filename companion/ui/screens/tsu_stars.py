"""Stars: replacements, the boxes by nation, and who holds which star."""

from __future__ import annotations

from typing import Any

from kivy.properties import StringProperty

from companion.core.change import Change
from companion.core.ids import Nation
from companion.games.tsu.pages.rows import Page, Row
from companion.games.tsu.pages.stars import first_nation, holder_options, star_command, star_key, stars_page
from companion.games.tsu.rules.commands import ChangeBox
from companion.pages.i18n import _
from companion.ui.dialogs import Choose
from companion.ui.letters import TextEntry
from companion.ui.screens.tsu_page import TsuScreen

__all__ = ["TsuStarsScreen"]


class TsuStarsScreen(TsuScreen):
    """Shows one tab of the stars."""

    tab = StringProperty("")

    def enter(self, tab: str = "", **_args: Any) -> None:
        """Open at a tab."""
        self.tab = tab

    def page_of(self, change: Change) -> Page:
        """Return the tab; the replacements first in their phase, else the stars."""
        here = self.tab or ("replace" if change.state.step.phase == "reinforcements" else "stars")
        return stars_page(change, here)

    def choose_tab(self, key: str) -> None:
        """Show another tab; of the boxes first that of a nation of the side that acts."""
        change = self.root.desk.change
        if key == "box" and change is not None:
            key = first_nation(change.state)
        self.tab = key
        self.root.keep_args(tab=key)
        self.refresh(self.root.desk.change)

    def stepped(self, row: Row, amount: int) -> None:
        """Put a unit into a box or take it out."""
        self.send(ChangeBox(Nation(self.vm.subtab), row.key, amount))

    def tapped(self, row: Row, touch: Any) -> None:  # noqa: ARG002
        """Ask who holds a star, or for the name of a new one."""
        if row.ask == "new_star":
            self.root.ask(TextEntry(_("Name of the star's area"), self._name))
        else:
            self._holder(row.key, row.text, "")

    def _name(self, name: str) -> None:
        key = star_key(name)
        if key:
            self._holder(key, name, name)

    def _holder(self, star: str, title: str, name: str) -> None:
        change = self.root.desk.change
        if change is None:
            return
        self.root.ask(
            Choose(
                _("Who holds {star}?").format(star=title),
                holder_options(change.state, star),
                lambda option: self.send(star_command(star, option, name)),
                columns=2,
            )
        )
