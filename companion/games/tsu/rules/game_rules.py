"""The Soft Underbelly as a part of rules: who may do what, what follows by itself, how the state moves on.

Source: The Soft Underbelly, Turn Sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import get_args

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import ARBITER, SYSTEM, TABLE, Millis, Nation
from companion.core.parts import ComposedRules, ForeignKeyError, Part
from companion.core.rules import Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, Typed, several
from companion.core.text import side as named_side
from companion.games.tsu.rules import combat, stars, victory
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.attack import landing_supply
from companion.games.tsu.rules.forces import Attack
from companion.games.tsu.rules.legality import FORT_VALUES
from companion.games.tsu.rules.schema import GameFile, StarRole, chart_of, fort_of, season_key
from companion.games.tsu.rules.state import (
    ALLIES,
    AXIS,
    SIDE_OF,
    Declared,
    Spent,
    StarMove,
    TsuSlice,
    slice_of,
)
from companion.games.tsu.rules.units import Tables, Unit

__all__ = ["RULES", "TsuPart", "tables_of"]

_EITHER_SIDE = (cm.RetreatBefore, cm.TakeStar, cm.ControlStar, cm.ChangeBox)
"""Commands that the side that does not act may give too: its own units leave, a count is put right."""


class TsuPart(Part):
    """All rules of The Soft Underbelly that need no map."""

    name = "tsu"
    commands = cm.COMMANDS
    events = cm.EVENTS

    def initial(self, setup: Setup) -> TsuSlice:
        """Set the boxes, the stars and the tables from the frozen data."""
        game = msgspec.convert(setup.tables["game"], GameFile)
        production: dict[str, tuple[tuple[int, int], ...]] = {
            row.nation: tuple((season_key(item.season), item.count) for item in row.stars)
            for row in game.production
        }
        return TsuSlice(
            tables=tables_of(setup.tables),
            production=production,
            first_season=season_key(setup.tables["seasons"][0]),
            last_season=season_key(setup.tables["seasons"][-1]),
            dates={row.id: season_key(row.season) for row in game.dates},
            star_roles={
                role: tuple(row.id for row in game.stars if role in row.roles) for role in get_args(StarRole)
            },
            stars={row.id: Nation(row.holder) if row.holder else None for row in game.stars},
            star_names={row.id: row.name for row in game.stars},
            boxes={nation.id: dict(game.start.boxes.get(nation.id, {})) for nation in game.nations},
            axis_path=None if game.asks_path else True,
        )

    def printed_fault(self, state: GameState, key: str, value: object) -> Say | None:
        """Take the values of the game's Forts under ``fort.<id>.value``; ForeignKeyError for another key."""
        fort = fort_of(key)
        if fort is None:
            raise ForeignKeyError(key)
        forts = {row["id"]: row["name"] for row in state.frozen_setup.tables["game"]["forts"]}
        if fort not in forts:
            return Say(
                "This game has no such Fort: {fort}. Its Forts: {forts}.",
                fort=Typed(fort),
                forts=several(map(Typed, forts.values())),
            )
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 9:
            return Say(
                "The value of Fort {fort} is a whole number, {range}. Entered: {value}.",
                fort=Typed(forts[fort]),
                range=FORT_VALUES,
                value=Typed(repr(value)),
            )
        return None

    def step_entered(self, own: TsuSlice, step: Step, state: GameState) -> TsuSlice:  # noqa: ARG002
        """A new turn forgets what was spent and which attacks were made."""
        if step.phase == "reinforcements":
            return replace(own, spent={}, lent={}, attacks=(), supplies=())
        return own

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Bring the German invasion-turn units, the Red Army and the Free French on their dates."""
        if step.phase != "reinforcements":
            return ()
        events = victory.vichy_turns(state)
        if step.owners == (AXIS,):
            events += victory.invasion(slice_of(state))
        if step.owners == (ALLIES,):
            events += victory.soviets(slice_of(state), step.stage)
        return events

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Check every victory when a side's turn is ended."""
        return victory.end_of_turn(state, at_ms) if step.phase == "end" else ()

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Hold back attacks that were declared and not fought."""
        own = slice_of(state)
        waiting = sum(not declared.done for declared in own.attacks)
        if step.phase == "attack" and waiting:
            why = Say.counted(
                "{n} declared attack is still to be fought or given up.",
                "{n} declared attacks are still to be fought or given up.",
                waiting,
            )
            return Rejected(Code.STILL_OPEN, why)
        return None

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide one of the game's commands."""
        step = getattr(command, "step", state.step.id)
        if step != state.step.id:
            return Rejected(Code.STALE_STEP)
        owners = state.step.owners
        allowed = (
            TABLE,
            ARBITER,
            SYSTEM,
            *(SIDE_OF.values() if isinstance(command, _EITHER_SIDE) else owners),
        )
        if owners and ctx.actor not in allowed:
            whose = several(named_side(owner) for owner in owners)
            return Rejected(Code.NOT_YOUR_ACT, Say("It is the other side's turn: {sides}.", sides=whose))
        match command:
            case cm.Replace():
                return stars.replace_unit(state, command)
            case cm.ChangeBox():
                return stars.change_box(state, command)
            case cm.TakeStar():
                return stars.take_star(state, command)
            case cm.ControlStar():
                return stars.control_star(state, command)
            case cm.DeclareAttack():
                return combat.declare(state, command)
            case cm.DropAttack():
                return combat.drop(state, command)
            case cm.RetreatBefore():
                return combat.retreat_before(state, command)
            case cm.ResolveAttack():
                return combat.resolve(state, command)
            case cm.ClearOverstack():
                return combat.clear_overstack(state, command)
            case cm.ReportHappening():
                return victory.report(state, command)
            case cm.DeclareReorganization():
                return victory.reorganize(state)
        return Rejected(Code.UNKNOWN_COMMAND)

    def evolve(self, own: TsuSlice, event: Event, state: GameState) -> TsuSlice:
        """Apply one of the game's events."""
        match event:
            case cm.Replaced(nation, unit, cost, lent, lender):
                spent = dict(own.spent)
                spent[nation] = spent.get(nation, 0) + cost - lent
                given = dict(own.lent)
                if lender is not None and lent:
                    spent[lender] = spent.get(lender, 0) + lent
                    given[lender] = given.get(lender, 0) + lent
                return replace(own, boxes=_boxes(own, nation, unit, -1), spent=spent, lent=given)
            case cm.BoxChanged(nation, unit, by, why):
                boxes = _boxes(own, nation, unit, by)
                if why != "invasion_turn":
                    return replace(own, boxes=boxes)
                return replace(own, boxes=boxes, invasion_units={**own.invasion_units, unit: -by})
            case cm.StarMoved(star, holder, _, name):
                return _star_moved(own, star, holder, name, state.step.stage)
            case cm.StarControlled(star, side):
                left = {key: value for key, value in own.controlled.items() if key != star}
                return replace(own, controlled=left if side is None else {**left, star: side})
            case cm.AttackDeclared():
                return _declared(own, event)
            case cm.RetreatedBefore(number, units):
                return _changed(own, number, lambda d: replace(d, attack=_without(d.attack, units)))
            case cm.AttackDropped(number):
                return _changed(own, number, lambda d: replace(d, dropped=True))
            case cm.AttackResolved(number, _, result):
                return _changed(own, number, lambda d: replace(d, result=result))
            case cm.OverstackCleared(number, origin):
                return _changed(own, number, lambda d: _cleared(d, origin))
            case cm.HappeningReported(what):
                return _happen(own, what, state.step.stage)
            case cm.ReorganizationDeclared(from_stage):
                return replace(own, reorganized_from=from_stage)
        return own


def _changed(own: TsuSlice, number: int, change: Callable[[Declared], Declared]) -> TsuSlice:
    return replace(own, attacks=tuple(change(d) if d.number == number else d for d in own.attacks))


def _cleared(declared: Declared, origin: str) -> Declared:
    if declared.result is None:
        return declared
    left = {area: units for area, units in declared.result.overstacked.items() if area != origin}
    return replace(declared, result=replace(declared.result, overstacked=left))


def _without(attack: Attack, units: tuple[Unit, ...]) -> Attack:
    left = list(attack.defenders)
    for unit in units:
        left.remove(unit)
    return replace(attack, defenders=tuple(left))


def _declared(own: TsuSlice, event: cm.AttackDeclared) -> TsuSlice:
    first = len(own.supplies) + 1
    alone = landing_supply(event.attack)
    spent = tuple(Spent(first + n, unit, n < alone) for n, unit in enumerate(event.spent))
    numbers = (*(item.number for item in spent), *event.shared)
    is_empty = not event.attack.defenders
    declared = Declared(event.number, event.attack, supplies=numbers, unopposed=is_empty)
    return replace(own, attacks=(*own.attacks, declared), supplies=(*own.supplies, *spent))


def _star_moved(own: TsuSlice, star: str, holder: Nation | None, name: str, stage: int) -> TsuSlice:
    names = {**own.star_names, star: name} if name else own.star_names
    happened = own.happened
    if star in own.star_roles["soviet"]:
        happened = {key: value for key, value in happened.items() if key != "romania_taken"}
        if holder is not None and SIDE_OF[holder] == ALLIES:
            happened["romania_taken"] = own.happened.get("romania_taken", stage)
    controlled = {key: side for key, side in own.controlled.items() if key != star}
    return replace(
        own,
        stars={**own.stars, star: holder},
        star_names=names,
        happened=happened,
        controlled=controlled,
        star_moves=(*own.star_moves, StarMove(star, holder, stage)),
    )


def _boxes(own: TsuSlice, nation: Nation, unit: str, by: int) -> dict[str, dict[str, int]]:
    box = dict(own.boxes.get(nation, {}))
    box[unit] = max(0, box.get(unit, 0) + by)
    return {**own.boxes, nation: {kind: count for kind, count in box.items() if count}}


def _happen(own: TsuSlice, what: str, stage: int) -> TsuSlice:
    if what == "path_open":
        return replace(own, axis_path=True)
    if what == "path_cut":
        return replace(own, axis_path=False)
    return replace(own, happened={**own.happened, what: stage})


def tables_of(setup_tables: Mapping[str, object]) -> Tables:
    """Return the calculator's tables from frozen or freshly read data; a game of before does not say what ships carry."""
    game = msgspec.convert(setup_tables["game"], GameFile)
    rows = game.units
    if not any(row.cargo for row in rows):
        rows = tuple(replace(row, cargo=row.group != "naval" and row.cost is not None) for row in rows)
    return Tables({row.id: row for row in rows}, chart_of(game))


RULES = ComposedRules("tsu", (TsuPart(),))
"""The rules of The Soft Underbelly."""
