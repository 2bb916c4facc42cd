"""Battle: declare, compose by taps, roll, take casualties, retreat, and the odds before and after.

The screen shows a `BattleView` page by page: the list, the tiles of a side, the roll list with the dice pad, the
casualties. It holds what a finger has typed and not yet sent; everything sent is a command of its view.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from typing import Any

from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.games.sfw.pages.battle import BattleView, battle_view, other_occasions
from companion.games.sfw.pages.battle_compose import composer, letters
from companion.games.sfw.pages.battle_fight import (
    RollLine,
    lines_together,
    loss_command,
    retreat_command,
    roll_command,
    virtual_values,
)
from companion.games.sfw.pages.units import UnitsDraft, ask_figure, figures_of
from companion.games.sfw.rules.battle import DEFENDING
from companion.games.sfw.rules.battle_losses import CHEAPEST
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.i18n import _
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.battle_dialogs import ask_declaration
from companion.ui.screens.battle_fight import (
    show_combining,
    show_losses,
    show_pass,
    show_retreat,
    show_rolls,
)
from companion.ui.screens.battle_judge import show_end, show_luck, show_odds
from companion.ui.screens.battle_tiles import PLACES, show_composing
from companion.ui.screens.card_dialog import ask_on
from companion.ui.theme import theme
from companion.ui.widgets import Pages, Plate

__all__ = ["BattleScreen"]

_SHOW: dict[str, Callable[[Any, Change, BattleView, Any], None]] = {
    "compose": show_composing,
    "roll": show_rolls,
    "losses": show_losses,
    "combine": show_combining,
    "retreat": show_retreat,
    "pass": show_pass,
    "over": show_end,
}
"""Phase of a battle to what shows it."""


class BattleScreen(Screen):
    """Shows the battle at hand."""

    headline = StringProperty("")
    odds_text = StringProperty("")
    list_text = StringProperty("")

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm: BattleView | None = None
        self.battle = ""
        self.page = ""
        """``list``, ``odds``, ``luck``, ``details`` or empty: what the battle's phase asks for."""
        self.place = 0
        """Index into `PLACES`: whose units are composed, and where they stand."""
        self.is_taking = False
        self.line = -1
        self.typed: list[int] = []
        self.chosen: dict[tuple[str, int], int] = {}
        self.retreat_to = ""
        self.policy = CHEAPEST
        """How both sides choose casualties in the odds."""
        self._chosen_for: tuple[Any, ...] = ()
        self._known: set[str] = set()
        self.worker: threading.Thread | None = None
        super().__init__(root, **kwargs)

    def enter(self, battle: str = "", page: str = "", **_args: Any) -> None:
        """Open a certain battle."""
        self.battle, self.page = battle, page

    def help_lines(self) -> tuple[tuple[str, str], ...]:
        """What the letters on the tiles stand for."""
        change = self.root.desk.change
        return () if change is None else letters(change.state)

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        self._select_new(change)
        view = battle_view(change.state, self.battle or None)
        self.vm, self.battle = view, view.selected
        if not view.rows and self.page != "luck":
            self.page = "list"
        self._forget_stale(change, view)
        body = self.ids.body
        body.clear_widgets()
        self.main_icon, self.main_enabled = "", True
        self.headline = view.title if view.phase in ("none", "compose") else f"{view.title} · {view.step}"
        can_judge = view.phase != "none" and self.page not in ("list", "luck")
        self.odds_text = (_("Odds") if self.page != "odds" else _("Back")) if can_judge else ""
        self.list_text = _("All battles") if self.page != "list" and view.rows else ""
        if self.page == "luck":
            self.headline = _("Luck of the game")
            show_luck(self, change, body)
        elif self.page == "list" or view.phase == "none":
            self._list(change, view, body)
        elif self.page == "odds":
            show_odds(self, change, body)
        else:
            _SHOW[view.phase](self, change, view, body)

    def _select_new(self, change: Change) -> None:
        """A battle that was just declared is the one at hand."""
        ids = {entry.id for entry in battles_of(change.state).battles}
        new = sorted(ids - self._known)
        if self._known and new:
            self.battle, self.page, self.place = new[-1], "", 0
        if self.battle not in ids:
            self.battle = ""
        self._known = ids or {""}

    def _forget_stale(self, change: Change, view: BattleView) -> None:
        """What a finger began counts only for the very question it answered."""
        at = (view.selected, view.phase, view.step, change.seq if view.phase != "roll" else view.lines)
        if at != self._chosen_for:
            self._chosen_for, self.typed, self.chosen, self.retreat_to = at, [], {}, ""
            open_lines = [line.index for line in view.lines if line.dice]
            if self.line not in open_lines:
                self.line = open_lines[0] if open_lines else -1

    def show_list(self) -> None:
        """Show all battles."""
        self.page = "list"
        self.refresh(self.root.desk.change)

    def toggle_odds(self) -> None:
        """Show the odds, or go back to the battle."""
        self.page = "" if self.page == "odds" else "odds"
        self.refresh(self.root.desk.change)

    # The list

    def _list(self, change: Change, view: BattleView, body: Any) -> None:
        self.headline = _("Battles")
        pages = Pages(row_px=theme.px(58), empty_text=_("No battle is declared in this movement step"))
        pages.make = self._battle_row
        pages.items = list(view.rows)
        body.add_widget(pages)
        self.main_text = _("Declare a battle")
        self.main_enabled = view.can_declare
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        for occasion, text in (*other_occasions(change.state), ("luck", _("Luck"))):
            plate = Plate(text=text, kind="quiet", acts_on="release", role="body")
            plate.bind(on_act=lambda _w, _t, o=occasion: self._other(change, o))
            foot.add_widget(plate)
        body.add_widget(foot)

    def _other(self, change: Change, occasion: str) -> None:
        """Call for a bonus roll, or go to the page or screen that an occasion of its own has."""
        if occasion == "luck":
            self.page = "luck"
            self.refresh(change)
        elif occasion == "desert":
            self.root.go("desert")
        else:
            ask_declaration(self, change.state, occasion)

    def _battle_row(self, row: Any) -> Any:
        plate = Plate(
            text=f"{row.id}  {row.space}  ({row.status_text})",
            sub=f"{row.attacking}  ·  {row.defending}",
            kind="row",
            align="left",
            acts_on="release",
            role="body",
        )
        plate.bind(on_act=lambda _w, _t: self._open(row.id))
        return plate

    def _open(self, battle: str) -> None:
        self.battle, self.page = battle, ""
        self.refresh(self.root.desk.change)

    # Rolling

    def current(self, view: BattleView) -> RollLine | None:
        """Return the line of the roll list that dice are typed for."""
        return next((line for line in view.lines if line.index == self.line and line.dice), None)

    def pick(self, line: RollLine) -> None:
        """Type dice for another line."""
        if line.dice:
            self.line, self.typed = line.index, []
            self._chosen_for = ()
            self.refresh(self.root.desk.change)
            self.line = line.index

    def face(self, value: int) -> None:
        """Type one die; the last one sends the roll."""
        view = self.vm
        line = None if view is None else self.current(view)
        if line is None or view is None:
            return
        self.typed.append(value)
        if len(self.typed) == line.dice:
            values, self.typed = tuple(self.typed), []
            self.send(roll_command(view.selected, line, values))
        else:
            self.refresh(self.root.desk.change)

    def erase(self) -> None:
        """Take the last typed die back."""
        if self.typed:
            self.typed.pop()
            self.refresh(self.root.desk.change)

    def roll(self) -> None:
        """Roll the line at hand virtually."""
        view = self.vm
        line = None if view is None else self.current(view)
        if view is None or line is None:
            return
        values, origin = virtual_values(line, secrets.randbits(31))
        self.send(roll_command(view.selected, line, values, origin))

    # The big button

    def main_act(self, touch: Any) -> None:
        """Do what the page at hand asks for."""
        change, view = self.root.desk.change, self.vm
        if change is None or view is None:
            super().main_act(touch)
        elif self.page == "luck":
            self.show_list()
        elif self.page == "list" or view.phase == "none":
            if view.can_declare:
                ask_declaration(self, change.state, "battle")
        elif self.page == "odds":
            self.toggle_odds()
        else:
            self._main_of_phase(change, view, touch)

    def _main_of_phase(self, change: Change, view: BattleView, touch: Any) -> None:
        if view.phase == "compose":
            side, distance = PLACES[self.place]
            model = composer(change.state, view.selected, side, distance)
            if model is not None and model.missing:
                self._enter_figure(change, model.missing[0])
            elif model is not None and model.begin is not None:
                self.send(model.begin)
        elif view.phase == "roll":
            self._read_dice(view)
        elif view.phase == "losses":
            # What the second side has chosen must not be forgotten when the first one's losses are taken.
            commands = [
                loss_command(
                    view.selected,
                    choice,
                    [(row.kind, self.chosen.get((choice.side, row.kind), 0)) for row in choice.rows],
                )
                for choice in view.losses
            ]
            for command in commands:
                self.send(command)
        elif view.phase == "combine" and view.combine is not None:
            self.send(view.combine.options[0][1])
        elif view.phase == "retreat" and view.retreat is not None:
            leaving = [(row.kind, self.chosen.get((DEFENDING, row.kind), 0)) for row in view.retreat.rows]
            if any(count for _kind, count in leaving):
                self.send(retreat_command(view.selected, leaving, self.retreat_to))
            else:
                self.send(view.retreat.stand)
        elif view.phase == "pass" and view.go_on is not None:
            self.send(view.go_on)
        else:
            self._next_battle(view, touch)

    def _enter_figure(self, change: Change, key: str) -> None:
        """Ask for a figure that the battle needs; the Units screen helps with what is not one figure."""
        unit, _dot, figure = key.partition(".")
        if figure in figures_of(change.state, unit_table_of(change.state).units[unit]):
            ask_on(self, ask_figure(change.state, unit, figure))
        else:
            self.root.go("units", draft=UnitsDraft(unit=unit))

    def _next_battle(self, view: BattleView, touch: Any) -> None:
        waiting = [row.id for row in view.rows if row.is_open]
        if waiting:
            self._open(waiting[0])
        else:
            super().main_act(touch)

    def _read_dice(self, view: BattleView) -> None:
        line = self.current(view)
        if line is not None:
            lines = lines_together(view.lines, line)
            self.root.go(
                "dice",
                kind="d12",
                asked=tuple((one.colour, one.dice) for one in lines),
                back=("battle", {"battle": view.selected}),
                record=(view.selected, lines),
            )

    def on_key(self, name: str, event: Any) -> bool:  # noqa: ARG002
        """Digits are dice; erase takes the last one back."""
        if name.startswith("digit") and self.vm is not None and self.vm.phase == "roll":
            value = int(name.removeprefix("digit"))
            self.face(value or 10)
            return True
        if name == "erase" and self.typed:
            self.erase()
            return True
        return False


load_kv(__file__)
