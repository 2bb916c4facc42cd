"""Units: every piece of a power with its figures, characteristics and where they come from."""

from __future__ import annotations

from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.games.aana.pages.units import UnitRow, colour_options, unit_rows
from companion.games.aana.pages.words import unofficial_note
from companion.pages.i18n import _
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme

__all__ = ["AanaUnitsScreen"]

_NO_ROW = UnitRow("", "", "", "")


class AanaUnitLine(BoxLayout):
    """One piece."""

    row = ObjectProperty(_NO_ROW, rebind=True)


class AanaUnitsScreen(Screen):
    """Shows `UnitRow`s of one colour."""

    colour = StringProperty("germany")
    note = StringProperty("")
    """What is to be known of the figures of all pieces."""

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        self.ids.tabs.options = list(colour_options())
        self.ids.tabs.chosen = self.colour
        note = unofficial_note(change.state)
        self.note = note[:1].upper() + note[1:]
        pages = self.ids.pages
        pages.make = lambda row: AanaUnitLine(row=row)
        pages.columns = 1 if theme.is_portrait else 2
        pages.items = list(unit_rows(change.state, self.colour))
        self.main_text = _("Back to the table")

    def choose(self, colour: str) -> None:
        """Show another colour."""
        self.colour = colour
        self.refresh(self.root.desk.change)


load_kv(__file__)
