"""Units: every figure with where it comes from."""

from __future__ import annotations

from companion.core.change import Change
from companion.games.tsu.pages.rows import Page
from companion.games.tsu.pages.units import units_page
from companion.ui.screens.tsu_page import TsuScreen

__all__ = ["TsuUnitsScreen"]


class TsuUnitsScreen(TsuScreen):
    """Shows all kinds of units."""

    def page_of(self, change: Change) -> Page:
        """Return the list."""
        return units_page(change)
