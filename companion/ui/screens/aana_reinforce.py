"""Reinforcements: convoys in phase 1, points and baskets in phase 2, deployment in phase 6."""

from __future__ import annotations

from typing import Any

from companion.core.change import Change
from companion.core.commands import Command
from companion.games.aana.pages.reinforce import (
    ReinforceRow,
    ReinforceView,
    deploy_options,
    free_options,
    mine_places,
    reinforce_view,
)
from companion.games.aana.rules.reinforce_messages import LayLandMine, LaySeaMine
from companion.pages.i18n import _
from companion.pages.table import main_command
from companion.ui.dialogs import Choose
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Plate

__all__ = ["AanaReinforceScreen"]


class AanaReinforceScreen(Screen):
    """Shows a `ReinforceView`."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = ReinforceView()
        super().__init__(root, **kwargs)

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        self.vm = reinforce_view(change)
        self.main_text = self.vm.main_text
        pages = self.ids.pages
        pages.columns = 1 if theme.is_portrait else 2
        pages.make = self._row
        pages.items = list(self.vm.rows)
        pages.empty_text = self.vm.empty

    def _row(self, row: ReinforceRow) -> Any:
        plate = Plate(text=row.text, sub=row.sub, kind="soft", align="left", acts_on="release")
        plate.is_enabled = row.is_enabled and (row.command is not None or bool(row.ask))
        plate.bind(on_act=lambda _w, _t: self._tapped(row))
        return plate

    def _tapped(self, row: ReinforceRow) -> None:
        change = self.root.desk.change
        if change is None:
            return
        state = change.state
        if row.command is not None:
            self.send(row.command)
        elif row.ask == "deploy":
            options: tuple[tuple[Command, str], ...] = deploy_options(state, row.key)
            self.root.ask(Choose(_("Where do they go?"), options, self.send))
        elif row.ask == "free":
            self.root.ask(Choose(row.text, free_options(state, row.key), self.send, row.sub))
        elif row.ask == "sea_mine":
            step = state.step.id
            self.root.ask(
                Choose(
                    _("Which sea zone?"),
                    mine_places(state, "sea_mine"),
                    lambda z: self.send(LaySeaMine(step, z)),
                )
            )
        elif row.ask == "land_mine":
            self.root.ask(Choose(_("Which territory?"), mine_places(state, "land_mine"), self._border))

    def _border(self, territory: str) -> None:
        change = self.root.desk.change
        if change is None:
            return
        step = change.state.step.id
        places = mine_places(change.state, "land_mine", territory)
        self.root.ask(
            Choose(
                _("Facing which territory?"),
                places,
                lambda toward: self.send(LayLandMine(step, territory, toward)),
            )
        )

    def main_act(self, touch: Any) -> None:
        """Advance the convoys, end the act, or go back."""
        change = self.root.desk.change
        if change is None:
            return
        if self.vm.main_command is not None:
            self.send(self.vm.main_command)
        elif self.vm.ends_act:
            self.send(main_command(change.state, self.stamp_ms(touch)))
        else:
            super().main_act(touch)


load_kv(__file__)
