"""Units: every figure of every unit with its status; what the rules leave out is entered from the box."""

from __future__ import annotations

from typing import Any

from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.games.sfw.pages.units import (
    FigureCell,
    UnitCard,
    unit_cards,
)
from companion.pages.i18n import _
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.figure_dialog import ask_figure
from companion.ui.screens.option_line import OptionLine
from companion.ui.theme import theme
from companion.ui.widgets import Pages, Plate, Text

__all__ = ["UnitsScreen"]


class UnitsScreen(Screen):
    """A list of units by type; a tap opens a unit's figures."""

    tab = StringProperty("land")
    unit = StringProperty("")

    def enter(self, unit: str = "", tab: str = "", **_args: Any) -> None:
        """Open at a unit or a type."""
        self.unit, self.tab = unit, tab or self.tab

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        cards = unit_cards(change.state)
        opened = next((card for card in cards if card.unit == self.unit), None)
        self.ids.tabs.options = [("land", _("Land")), ("sea", _("Sea")), ("air", _("Air"))]
        is_of_tab = opened is None or opened in unit_cards(change.state, self.tab)
        self.ids.tabs.chosen = self.tab if is_of_tab else ""
        body = self.ids.body
        body.clear_widgets()
        if opened is None:
            self._list(unit_cards(change.state, self.tab), body)
            self.main_text = _("Back to the table")
        else:
            self._card(opened, body)
            self.main_text = _("All units")

    def choose(self, tab: str) -> None:
        """Show another type."""
        self.tab, self.unit = tab, ""
        self.refresh(self.root.desk.change)

    def main_act(self, touch: Any) -> None:
        """Close the unit, or go back."""
        if self.unit:
            self.unit = ""
            self.refresh(self.root.desk.change)
        else:
            super().main_act(touch)

    def _list(self, cards: tuple[UnitCard, ...], body: Any) -> None:
        pages = Pages(row_px=theme.px(58), columns=1 if theme.is_portrait else 2)

        def make(card: UnitCard) -> Any:
            fire = "; ".join(card.fire) or _("no firepower")
            plate = Plate(
                text=card.name if card.is_complete else _("{unit}  (figures missing)").format(unit=card.name),
                sub=fire,
                kind="row",
                align="left",
                acts_on="release",
                role="body",
            )
            plate.bind(on_act=lambda _w, _t: self._open(card.unit))
            return plate

        pages.make = make
        pages.items = list(cards)
        body.add_widget(pages)

    def _open(self, unit: str) -> None:
        self.unit = unit
        self.refresh(self.root.desk.change)

    def _card(self, card: UnitCard, body: Any) -> None:
        body.add_widget(Text(text=card.name, role="heading", size_hint_y=None, height=theme.px(32)))
        steps = _("Movement steps {m}, battle steps {b}").format(
            m=card.movement_steps or "–", b=card.battle_steps or "–"
        )
        fire = "; ".join(card.fire) or _("no firepower")
        body.add_widget(Text(text=f"{fire}. {steps}.", size_hint_y=None, height=theme.px(46)))
        abilities = ", ".join(f"{name} ({note})" if note else name for name, note in card.abilities)
        if abilities:
            body.add_widget(
                Text(text=abilities, role="small", tone="muted", size_hint_y=None, height=theme.px(40))
            )
        pages = Pages(
            row_px=theme.px(OptionLine.ROW[theme.is_portrait]), columns=1 if theme.is_portrait else 2
        )
        pages.make = lambda cell: self._figure(card, cell)
        pages.items = list(card.figures)
        body.add_widget(pages)

    def _figure(self, card: UnitCard, cell: FigureCell) -> Any:
        line = OptionLine(label=cell.label, hint=cell.status_text, share=0.6)
        box = BoxLayout(spacing=theme.px(8))
        box.add_widget(Text(text=cell.text, role="strong", align="right"))
        if cell.status != "stated":
            plate = Plate(
                text=_("Enter"), kind="soft", acts_on="release", size_hint_x=None, width=theme.px(92)
            )
            plate.bind(on_act=lambda _w, _t: ask_figure(self, card, cell))
            box.add_widget(plate)
        line.ids.slot.add_widget(box)
        if not theme.is_portrait:
            line.padding = (0, theme.px(4), theme.px(14), theme.px(4))
        return line


load_kv(__file__)
