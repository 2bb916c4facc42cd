"""Attacks: worked out, declared with their supply, fought; the planner tells what would win."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from companion.core.change import Change
from companion.core.commands import Command
from companion.games.tsu.pages.ask import (
    attacker_options,
    change_attacker_by,
    change_defender_by,
    defender_options,
    known_areas,
    origin_options,
)
from companion.games.tsu.pages.attack import attack_page, unit_options
from companion.games.tsu.pages.attack_list import attacking_side, defending_side
from companion.games.tsu.pages.draft import Draft, add_attacker, add_defender, draft_of
from companion.games.tsu.pages.rows import Page, Row
from companion.games.tsu.pages.words import unit_text, word
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.forces import Attacker
from companion.games.tsu.rules.state import slice_of
from companion.games.tsu.rules.units import Unit
from companion.pages.desk import Notice
from companion.pages.i18n import _
from companion.ui.dialogs import Choose, Confirm
from companion.ui.letters import TextEntry
from companion.ui.screens.tsu_page import TsuScreen

__all__ = ["TsuAttackScreen"]


class TsuAttackScreen(TsuScreen):
    """Shows the list of attacks, the calculator, or one attack that is fought."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.draft = Draft()
        self._sent: Command | None = None
        """What the main button sent: what was entered goes once it is taken, and stays when it is refused."""
        super().__init__(root, **kwargs)

    def enter(self, draft: Draft | None = None, **_args: Any) -> None:
        """Take up what was being entered."""
        self.draft = draft or Draft()

    def page_of(self, change: Change) -> Page:
        """Return the page of the newest change; after an attack that was taken, the next one to look at."""
        answered = change.envelope is not None and change.envelope.command == self._sent
        if self._sent is not None and answered:
            sent, self._sent = self._sent, None
            if change.rejected is None:
                fought = isinstance(sent, cm.ResolveAttack)
                self.draft = Draft("done", number=sent.attack) if fought else Draft()  # type: ignore[attr-defined]
                self.root.keep_args(draft=self.draft)
        return attack_page(change, self.draft)

    def _set(self, draft: Draft) -> None:
        self.draft = draft
        self.root.keep_args(draft=draft)
        self.refresh(self.root.desk.change)

    def choose_tab(self, key: str) -> None:
        """Show another tab of the calculator or of the fight."""
        self._set(replace(self.draft, tab=key))

    def main_act(self, touch: Any) -> None:
        """Declare, fight, end the act, or go back to the list."""
        self._sent = self.vm.main_command
        super().main_act(touch)

    def back(self, touch: Any) -> None:
        """Go back to the list of attacks, and from there to the table."""
        if self.draft.mode == "list":
            super().back(touch)
        else:
            self._set(Draft())

    def stepped(self, row: Row, amount: int) -> None:
        """Count supplies."""
        count = min(row.most, max(0, row.count + amount))
        if row.ask == "plan":
            self._set(replace(self.draft, supplies=count))
        else:
            self._set(replace(self.draft, spent={**self.draft.spent, row.key: count}))

    def tapped(self, row: Row, touch: Any) -> None:  # noqa: ARG002
        """Ask what a row needs, or note it."""
        acts: dict[str, Callable[[], None]] = {
            "new": lambda: self._set(Draft("edit", tab="area")),
            "leave": lambda: self._set(Draft()),
            "fight": lambda: self._set(Draft("fight", number=int(row.key))),
            "done": lambda: self._set(Draft("done", number=int(row.key))),
            "again": lambda: self._again(int(row.key)),
            "drop": lambda: self._drop(int(row.key) if row.key.isdigit() else self.draft.number),
            "side": self._other_side,
            "target": self._ask_target,
            "area": self._ask_area,
            "winter": lambda: self._set(replace(self.draft, winter=not self.draft.winter)),
            "attacker": self._ask_attacker,
            "from": self._ask_from,
            "change_attacker": lambda: self._ask_change_attacker(int(row.key)),
            "defender": self._ask_defender,
            "change_defender": lambda: self._ask_change_defender(int(row.key)),
            "share": lambda: self._set(replace(self.draft, shared=_toggled(self.draft.shared, int(row.key)))),
            "choice": lambda: self._set(replace(self.draft, choice=int(row.key), lost=(), advance=())),
            "lost": lambda: self._set(replace(self.draft, lost=_toggled(self.draft.lost, int(row.key)))),
            "advance": lambda: self._set(
                replace(self.draft, advance=_toggled(self.draft.advance, int(row.key)))
            ),
            "stars": lambda: self.root.go("tsu_stars", tab="stars"),
            "overstack": lambda: self._ask_overstack(row.key),
        }
        acts[row.ask]()

    def _other_side(self) -> None:
        change = self.root.desk.change
        if change is not None:
            side = defending_side(change.state, self.draft)
            self._set(replace(self.draft, side=side, attackers=(), defenders=()))

    # The area

    def _ask_target(self) -> None:
        change = self.root.desk.change
        areas = known_areas(change.state, self.draft) if change is not None else ()
        if not areas:
            self._type_target()
            return
        options = (*((area, area) for area in areas), ("", _("Another area")))
        self.root.ask(
            Choose(
                _("Which area is attacked?"), options, lambda a: self._target(a) if a else self._type_target()
            )
        )

    def _type_target(self) -> None:
        self.root.ask(TextEntry(_("Which area is attacked?"), self._target, value=self.draft.target))

    def _target(self, name: str) -> None:
        self._set(replace(self.draft, target=name))

    def _ask_area(self) -> None:
        options = tuple((key, word("area_kind", key)) for key in ("land", "coastal", "sea"))
        self.root.ask(
            Choose(_("Kind of area"), options, lambda area: self._set(replace(self.draft, area=area)))
        )

    # Attackers

    def _ask_attacker(self) -> None:
        if not self.draft.origin and self.draft.way != "inside":
            self._ask_from(then_add=True)
            return
        change = self.root.desk.change
        if change is None:
            return
        state = change.state
        options = unit_options(state, attacking_side(state, self.draft), defends=False)
        tables = slice_of(state).tables
        self.root.ask(
            Choose(
                _("Who attacks from {area}?").format(area=self.draft.origin or self.draft.target),
                options,
                lambda unit: self._set(add_attacker(self.draft, unit, tables)),
                columns=2,
            )
        )

    def _ask_from(self, *, then_add: bool = False) -> None:
        options = tuple((key, word("way", key)) for key in ("black", "road", "port", "sea", "inside"))

        def chosen(way: str) -> None:
            self.draft = replace(self.draft, way=way)
            if way == "inside":
                self._origin(self.draft.target, then_add=then_add)
            else:
                self._ask_origin(then_add=then_add)

        self.root.ask(Choose(_("How do they reach the area?"), options, chosen))

    def _ask_origin(self, *, then_add: bool) -> None:
        change = self.root.desk.change
        areas = origin_options(change.state, self.draft) if change is not None else ()
        ask = TextEntry(_("From which area?"), lambda name: self._origin(name, then_add=then_add), value="")
        if not areas:
            self.root.ask(ask)
            return
        options = (*((area, area) for area in areas), ("", _("Another area")))
        self.root.ask(
            Choose(
                _("From which area?"),
                options,
                lambda area: self._origin(area, then_add=then_add) if area else self.root.ask(ask),
            )
        )

    def _origin(self, name: str, *, then_add: bool) -> None:
        self._set(replace(self.draft, origin=name))
        if then_add:
            self._ask_attacker()

    def _ask_change_attacker(self, index: int) -> None:
        change = self.root.desk.change
        if change is None:
            return
        attacker: Attacker = self.draft.attackers[index]
        tables = slice_of(change.state).tables
        self._ask_change(
            unit_text(changed(attacker.unit, loaded=False)),
            attacker.unit.name,
            attacker_options(attacker, tables),
            lambda what, name: change_attacker_by(self.draft, index, what, tables, name),
        )

    def _ask_change(
        self,
        title: str,
        name: str,
        options: tuple[tuple[str, str], ...],
        change: Callable[[str, str], Draft],
    ) -> None:
        """Ask what becomes of a unit that was entered, and for its name where that is chosen."""

        def chosen(what: str) -> None:
            if what == "name":
                entered = TextEntry(
                    _("Name of the unit"), lambda text: self._set(change(what, text)), value=name
                )
                self.root.ask(entered)
            else:
                self._set(change(what, ""))

        self.root.ask(Choose(title, options, chosen))

    # Defenders

    def _ask_defender(self) -> None:
        change = self.root.desk.change
        if change is None:
            return
        state = change.state
        side = defending_side(state, self.draft)
        options = unit_options(state, side, defends=True)
        self.root.ask(
            Choose(
                _("Who defends?"),
                options,
                lambda unit: self._set(add_defender(self.draft, unit)),
                columns=2,
            )
        )

    def _ask_change_defender(self, index: int) -> None:
        unit: Unit = self.draft.defenders[index]
        self._ask_change(
            unit_text(unit),
            unit.name,
            defender_options(unit),
            lambda what, name: change_defender_by(self.draft, index, what, name),
        )

    # Declared attacks

    def _drop(self, number: int) -> None:
        change = self.root.desk.change
        if change is None:
            return
        step = change.state.step.id

        def drop(_touch: Any) -> None:
            self.draft = Draft()
            self.root.keep_args(draft=self.draft)
            self.send(cm.DropAttack(step, number))

        self.root.ask(
            Confirm(
                _("Give the attack up?"),
                _("The supply that was named for it stays used up."),
                _("Give it up"),
                drop,
                is_danger=True,
            )
        )

    def _again(self, number: int) -> None:
        change = self.root.desk.change
        if change is not None:
            declared = next(d for d in slice_of(change.state).attacks if d.number == number)
            self._set(draft_of(declared.attack))

    def _ask_overstack(self, origin: str) -> None:
        change = self.root.desk.change
        if change is None:
            return
        number, step = self.draft.number, change.state.step.id
        declared = next(d for d in slice_of(change.state).attacks if d.number == number)
        if declared.result is None or origin not in declared.result.overstacked:
            self.root.notify(Notice("info", _("This area is not overstacked any more")))
            return
        options = tuple((unit, unit_text(unit)) for unit in declared.result.overstacked[origin])
        self.root.ask(
            Choose(
                _("Which army in {area} is lost?").format(area=origin),
                options,
                lambda unit: self.send(cm.ClearOverstack(step, number, origin, unit)),
            )
        )


def _toggled(chosen: tuple[int, ...], n: int) -> tuple[int, ...]:
    return tuple(i for i in chosen if i != n) if n in chosen else (*chosen, n)
