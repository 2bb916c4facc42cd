"""Piles: what everybody has won, and one's own hidden pile after a covering page."""

from __future__ import annotations

from typing import Any

from kivy.properties import ObjectProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.games.med.pages.piles import PileRow, PilesView, piles_view
from companion.pages.i18n import _
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.med import MedLine
from companion.ui.theme import theme
from companion.ui.widgets import Plate, Text

__all__ = ["MedPilesScreen"]


class MedPilesScreen(Screen):
    """Shows a `PilesView`; a pile that is shown covers itself when anything happens at the table."""

    vm = ObjectProperty(PilesView(), rebind=True)

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.player = ""
        super().__init__(root, **kwargs)

    def refresh(self, change: Change | None) -> None:
        """Show the newest change; whatever was uncovered is covered again."""
        self.player = ""
        if change is not None:
            self._show(piles_view(change))

    def _show(self, view: PilesView) -> None:
        self.vm = view
        self.main_text = view.main_text
        pages = self.ids.pages
        pages.row_px = theme.target_px + theme.px(2)
        pages.make, pages.page = self._row, 0
        pages.items = list(view.rows)
        pages.empty_text = "" if view.cover else _("No cards yet")

    def _row(self, row: PileRow) -> Any:
        if not row.is_tap:
            return MedLine(text=row.text, sub=row.sub, value=row.value, side=row.side)
        line = BoxLayout(spacing=theme.px(10))
        plate = Plate(text=row.text, sub=row.sub, kind="soft", align="left", role="strong", acts_on="release")
        if row.is_first:
            plate.icon, plate.tone = "trophy", "accent"
        plate.bind(on_act=lambda _w, _touch: self._open(row.key))
        line.add_widget(plate)
        points = Text(text=row.value, role="title", align="right", wraps=False, size_hint_x=None)
        points.width = theme.font_px("title") * 2.9
        line.add_widget(points)
        return line

    def _open(self, player: str) -> None:
        change = self.root.desk.change
        if change is not None:
            self.player = player
            self._show(piles_view(change, player))

    def main_act(self, touch: Any) -> None:
        """Show the pile of who asked, cover it again, or go back to the table."""
        change = self.root.desk.change
        if change is None or not self.player:
            super().main_act(touch)
        elif self.vm.cover:
            self._show(piles_view(change, self.player, is_shown=True))
        else:
            self.refresh(change)

    def on_key(self, name: str, event: Any) -> bool:  # noqa: ARG002
        """Back covers a pile."""
        if name in ("back", "previous") and self.player:
            self.refresh(self.root.desk.change)
            return True
        return False


load_kv(__file__)
