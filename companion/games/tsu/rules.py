"""The Soft Underbelly as a part of rules: seasons, stars, boxes, attacks and every victory at its moment."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event, GameEnded
from companion.core.flow import Step
from companion.core.ids import ARBITER, SYSTEM, TABLE, Millis, Nation, Side
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.games.parts import BasePart, ComposedRules, ForeignKeyError
from companion.games.tsu import commands as cm
from companion.games.tsu.attack import Attack, verdict
from companion.games.tsu.schema import GameFile, chart_of, season_key
from companion.games.tsu.units import Tables, Unit, label

__all__ = ["RULES", "TsuPart", "TsuSlice", "budget", "slice_of"]

AXIS, ALLIES = Side("axis"), Side("allies")
GERMANY, ITALY, BRITAIN, US = Nation("germany"), Nation("italy"), Nation("britain"), Nation("us")
_SIDE_OF: dict[str, Side] = {GERMANY: AXIS, ITALY: AXIS, BRITAIN: ALLIES, US: ALLIES}
_VICTORY_STARS = ("italy_1", "italy_2", "italy_3", "algiers")
_ITALY_STARS = _VICTORY_STARS[:3]


class Declared(msgspec.Struct, frozen=True):
    """An attack of this turn."""

    number: int
    attack: Attack
    done: bool = False


class TsuSlice(msgspec.Struct, frozen=True):
    """What the game keeps. Positions stay on the board."""

    tables: Tables
    production: dict[str, tuple[tuple[int, int], ...]]
    """Nation to season key and off-map stars from then on, in order of time."""
    first_season: int
    stars: dict[str, Nation | None]
    star_names: dict[str, str]
    boxes: dict[str, dict[str, int]]
    spent: dict[str, int] = {}
    """Stars used in this turn by nation, lent ones counted at the lender."""
    lent: dict[str, int] = {}
    """Stars lent in this turn by lender."""
    attacks: tuple[Declared, ...] = ()
    happened: dict[str, int] = {}
    """Happening to the stage in which it was last reported."""
    reorganized_from: int | None = None
    italy_fallen: bool = False
    invasion_served: bool = False
    axis_path: bool = True
    """An uncontested path from a German to an Italian star is open."""


def slice_of(state: GameState) -> TsuSlice:
    """Return the game's slice of a state."""
    own: TsuSlice = state.game["tsu"]
    return own


def season_of(own: TsuSlice, stage: int) -> str:
    """Return the season of a stage, such as ``fall 1942``."""
    key = own.first_season + max(1, stage) - 1
    return f"{('spring', 'summer', 'fall', 'winter')[key % 4]} {key // 4}"


def budget(own: TsuSlice, nation: Nation, stage: int) -> int:
    """Return a nation's stars in a season: off-map production and the on-map stars that it holds."""
    if nation == ITALY and (own.italy_fallen or stage <= 1):
        return 0  # fallen, or still neutral in the first season
    key = own.first_season + max(1, stage) - 1
    base = 0
    for start, count in own.production.get(nation, ()):
        if start <= key:
            base = count
    return base + sum(1 for holder in own.stars.values() if holder == nation)


def lenders(own: TsuSlice, nation: Nation, stage: int) -> Nation | None:
    """Return who may lend this nation a star now, or None."""
    key = own.first_season + max(1, stage) - 1
    if nation == BRITAIN and key >= season_key("winter 1941"):
        return US
    if nation == ITALY and own.axis_path and not own.italy_fallen and stage > 1:
        return GERMANY
    return None


def lendable(own: TsuSlice, lender: Nation, stage: int) -> int:
    """Return how many stars a lender can still lend in this turn: one at most.

    The United States lends one from Winter 1941 although its own stars begin in Fall 1942.
    """
    if own.lent.get(lender, 0) >= 1:
        return 0
    if lender == US and budget(own, US, stage) == 0:
        return 1
    return 1 if budget(own, lender, stage) - own.spent.get(lender, 0) >= 1 else 0


class TsuPart(BasePart):
    """All rules of The Soft Underbelly that need no map."""

    name = "tsu"
    commands = cm.COMMANDS
    events = cm.EVENTS

    def initial(self, setup: Setup) -> TsuSlice:
        """Set the boxes, the stars and the tables from the frozen data."""
        game = msgspec.convert(setup.tables["game"], GameFile)
        tables = Tables({row.id: row for row in game.units}, chart_of(game))
        production: dict[str, tuple[tuple[int, int], ...]] = {
            row.nation: tuple((season_key(item.season), item.count) for item in row.stars)
            for row in game.production
        }
        return TsuSlice(
            tables=tables,
            production=production,
            first_season=season_key(str(setup.tables["first"])),
            stars={row.id: Nation(row.holder) if row.holder else None for row in game.stars},
            star_names={row.id: row.name for row in game.stars},
            boxes={nation.id: dict(game.start.boxes.get(nation.id, {})) for nation in game.nations},
        )

    def printed_fault(self, state: GameState, key: str, value: object) -> str | None:  # noqa: ARG002
        """Take fort values under ``fort.<name>.value``."""
        parts = key.split(".")
        if len(parts) != 3 or parts[0] != "fort" or parts[2] != "value":
            raise ForeignKeyError(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 9:
            return f"{key}: expected a whole number from 0 to 9, got {value!r}"
        return None

    def step_entered(self, own: TsuSlice, step: Step, state: GameState) -> TsuSlice:  # noqa: ARG002
        """A new turn forgets what was spent and which attacks were made."""
        if step.phase == "reinforcements":
            return replace(own, spent={}, lent={}, attacks=())
        return own

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Bring the German invasion-turn units."""
        own = slice_of(state)
        if step.phase == "reinforcements" and step.owners == (AXIS,):
            return _invasion(own)
        return ()

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Check every victory when a side's turn is ended."""
        return end_of_turn(state, at_ms) if step.phase == "end" else ()

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Hold back attacks that were declared and not fought."""
        own = slice_of(state)
        if step.phase == "combat" and any(not declared.done for declared in own.attacks):
            return Rejected(Code.UNDONE, "declared attacks are still to be resolved or given up")
        return None

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide one of the game's commands."""
        step = getattr(command, "step", state.step.id)
        if step != state.step.id:
            return Rejected(Code.STALE_STEP, f"aimed at {step}, now {state.step.id}")
        owners = state.step.owners
        if owners and ctx.actor not in (TABLE, ARBITER, SYSTEM, *owners):
            return Rejected(Code.NOT_YOUR_ACT, f"{step} belongs to {', '.join(owners)}")
        match command:
            case cm.Replace():
                return _replace(state, command)
            case cm.ChangeBox():
                return _change_box(state, command)
            case cm.TakeStar():
                return _take_star(state, command)
            case cm.DeclareAttack():
                return _declare(state, command)
            case cm.DropAttack():
                return _drop(state, command)
            case cm.ResolveAttack():
                return _resolve(state, command)
            case cm.ReportHappening():
                return _report(state, command)
            case cm.DeclareReorganization():
                return _reorganize(state)
        return Rejected(Code.UNKNOWN_COMMAND, type(command).__name__)

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
            case cm.BoxChanged(nation, unit, by):
                return replace(own, boxes=_boxes(own, nation, unit, by))
            case cm.StarMoved(star, holder, _, name):
                names = {**own.star_names, star: name} if name else own.star_names
                return replace(own, stars={**own.stars, star: holder}, star_names=names)
            case cm.AttackDeclared(number, attack, _):
                return replace(own, attacks=(*own.attacks, Declared(number, attack)))
            case cm.AttackDropped(number) | cm.AttackResolved(number):
                done = tuple(replace(d, done=True) if d.number == number else d for d in own.attacks)
                return replace(own, attacks=done)
            case cm.HappeningReported(what):
                return _happen(own, what, state.step.stage)
            case cm.ReorganizationDeclared(from_stage):
                return replace(own, reorganized_from=from_stage)
        return own


def _boxes(own: TsuSlice, nation: str, unit: str, by: int) -> dict[str, dict[str, int]]:
    box = dict(own.boxes.get(nation, {}))
    box[unit] = max(0, box.get(unit, 0) + by)
    return {**own.boxes, nation: {kind: count for kind, count in box.items() if count}}


def _happen(own: TsuSlice, what: str, stage: int) -> TsuSlice:
    if what == "path_open":
        return replace(own, axis_path=True)
    if what == "path_cut":
        return replace(own, axis_path=False)
    happened = {**own.happened, what: stage}
    if what == "romania_lost":
        happened.pop("romania_taken", None)
    changed = replace(own, happened=happened)
    if what == "italy_fell":
        return replace(changed, italy_fallen=True)
    if what == "invasion_served":
        return replace(changed, invasion_served=True)
    return changed


def _invasion(own: TsuSlice) -> tuple[Event, ...]:
    """In the first Axis turn after a landing the whole German box comes back, once."""
    if own.invasion_served or "landed_in_europe" not in own.happened:
        return ()
    box = own.boxes.get(GERMANY, {})
    back = tuple(cm.BoxChanged(GERMANY, unit, -count, "invasion_turn") for unit, count in box.items())
    return (*back, cm.HappeningReported("invasion_served", ""))


def _replace(state: GameState, command: cm.Replace) -> Decision:
    own, step = slice_of(state), state.step
    if step.phase != "reinforcements":
        return Rejected("not_now", "replacements come in the reinforcement phase")
    if command.nation not in own.boxes or _SIDE_OF[command.nation] not in step.owners:
        return Rejected(Code.BAD_VALUE, f"{command.nation} does not act now")
    row = own.tables.units.get(command.unit)
    if row is None or row.cost is None:
        return Rejected("not_replaceable", f"{command.unit} is never replaced")
    if own.boxes[command.nation].get(command.unit, 0) < 1:
        return Rejected("box_empty", f"no {row.name} in the box of {command.nation}")
    if command.nation == ITALY and (own.italy_fallen or step.stage <= 1):
        return Rejected("not_at_war", "Italy replaces nothing now")
    if not 0 <= command.lent <= 1:
        return Rejected(Code.BAD_VALUE, f"0 or 1 star is lent, got {command.lent}")
    lender = lenders(own, command.nation, step.stage) if command.lent else None
    if command.lent and (lender is None or lendable(own, lender, step.stage) < command.lent):
        return Rejected("not_lendable", f"nobody can lend {command.nation} a star now")
    left = budget(own, command.nation, step.stage) - own.spent.get(command.nation, 0)
    if row.cost - command.lent > left:
        return Rejected(
            "over_budget", f"{command.nation}: {left} stars left, {row.cost - command.lent} asked"
        )
    return Accepted((cm.Replaced(command.nation, command.unit, row.cost, command.lent, lender),))


def _change_box(state: GameState, command: cm.ChangeBox) -> Decision:
    own = slice_of(state)
    row = own.tables.units.get(command.unit)
    if command.nation not in own.boxes or row is None:
        return Rejected(Code.BAD_VALUE, f"{command.nation} has no box for {command.unit}")
    if row.cost is None:
        return Rejected("not_replaceable", f"{row.name} never goes to a box")
    if not command.by or own.boxes[command.nation].get(command.unit, 0) + command.by < 0:
        have = own.boxes[command.nation].get(command.unit, 0)
        return Rejected(Code.BAD_VALUE, f"{have} in the box, {command.by:+d} asked")
    return Accepted((cm.BoxChanged(command.nation, command.unit, command.by, "by_hand"),))


def _take_star(state: GameState, command: cm.TakeStar) -> Decision:
    own = slice_of(state)
    if command.star not in own.stars and not command.name:
        return Rejected(Code.BAD_VALUE, f"{command.star} is not listed; give it a name to add it")
    if command.holder is not None and command.holder not in own.boxes:
        return Rejected(Code.BAD_VALUE, f"{command.holder} is no nation of this game")
    if command.holder == ITALY and own.italy_fallen:
        return Rejected("not_at_war", "Italy has fallen and holds no star again")
    before = own.stars.get(command.star)
    if before == command.holder and command.star in own.stars:
        return Accepted(())
    return Accepted((cm.StarMoved(command.star, command.holder, before, command.name),))


def _in_force(own: TsuSlice, stage: int) -> bool:
    return own.reorganized_from is not None and stage >= own.reorganized_from


def _judged(state: GameState, attack: Attack) -> Attack:
    """Return an attack with what the log knows better: the season, the army's order, printed fort values."""
    own, step = slice_of(state), state.step
    defenders = tuple(
        replace(unit, fort_value=_fort_value(state, unit)) if unit.kind == "fort" else unit
        for unit in attack.defenders
    )
    season = season_of(own, step.stage).split(" ")[0]
    return replace(attack, season=season, defenders=defenders, reorganized=_in_force(own, step.stage))


def _fort_value(state: GameState, unit: Unit) -> int | None:
    printed = state.printed.get(f"fort.{unit.name.lower()}.value")
    return printed if isinstance(printed, int) else unit.fort_value


def _declare(state: GameState, command: cm.DeclareAttack) -> Decision:
    own, step = slice_of(state), state.step
    if step.phase not in ("supply", "combat"):
        return Rejected("not_now", "attacks are supplied in the supply phase")
    if any(unit.kind not in ("supply", "convoy", "landing_craft") for unit in command.spent):
        return Rejected(Code.BAD_VALUE, "only Supply, Convoys and empty Landing Craft give supply")
    nations = {attacker.unit.nation for attacker in command.attack.attackers}
    strangers = sorted(nation for nation in nations if _SIDE_OF.get(nation) not in step.owners)
    if strangers:
        return Rejected(Code.NOT_YOUR_ACT, f"{', '.join(strangers)} does not attack now")
    if step.stage <= 1 and ITALY in nations:
        return Rejected("not_at_war", "Italy does not attack in Spring 1940")
    attack = _judged(state, command.attack)
    judged = verdict(attack, own.tables)
    if not judged.allowed:
        return Rejected("illegal_attack", "; ".join(judged.faults))
    number = len(own.attacks) + 1
    events: list[Event] = [cm.AttackDeclared(number, attack, command.spent)]
    events += [cm.BoxChanged(Nation(unit.nation), unit.kind, 1, "supply_spent") for unit in command.spent]
    return Accepted(tuple(events))


def _open_attack(own: TsuSlice, number: int) -> Declared | None:
    return next((d for d in own.attacks if d.number == number and not d.done), None)


def _drop(state: GameState, command: cm.DropAttack) -> Decision:
    if _open_attack(slice_of(state), command.attack) is None:
        return Rejected("no_attack", f"attack {command.attack} is not open")
    return Accepted((cm.AttackDropped(command.attack),))


def _resolve(state: GameState, command: cm.ResolveAttack) -> Decision:
    own, step = slice_of(state), state.step
    if step.phase != "combat":
        return Rejected("not_now", "attacks are fought in the combat phase")
    declared = _open_attack(own, command.attack)
    if declared is None:
        return Rejected("no_attack", f"attack {command.attack} is not open")
    judged = verdict(declared.attack, own.tables)
    removed: tuple[Unit, ...] = ()
    survivors = declared.attack.defenders
    if judged.wins:
        if command.choice is None or not 0 <= command.choice < len(judged.removals):
            return Rejected(
                "choose_losses", f"choose one of {len(judged.removals)} ways to lose {judged.difference}"
            )
        chosen = judged.removals[command.choice]
        removed, survivors = chosen.units, chosen.survivors
    elif command.choice is not None:
        return Rejected(
            Code.BAD_VALUE, f"{judged.attack_value} against {judged.defence_value}: nobody is lost"
        )
    stray = [unit for unit in command.lost_in_retreat if unit not in survivors]
    if stray:
        return Rejected(Code.BAD_VALUE, f"{label(stray[0])} did not survive")
    lost = (*removed, *command.lost_in_retreat)
    left = tuple(unit for unit in survivors if unit not in command.lost_in_retreat)
    side = step.owners[0]
    result = cm.Result(judged.attack_value, judged.defence_value, lost, left, judged.landing_craft_lost)
    events: list[Event] = [cm.AttackResolved(command.attack, side, result)]
    events += [
        cm.BoxChanged(Nation(unit.nation), unit.kind, 1, "lost")
        for unit in lost
        if own.tables.units[unit.kind].cost
    ]
    if judged.landing_craft_lost:
        events += [
            cm.BoxChanged(Nation(a.unit.nation), "landing_craft", 1, "landed")
            for a in declared.attack.attackers
            if a.landing and a.unit.kind == "landing_craft"
        ]
    return Accepted(tuple(events))


def _reorganize(state: GameState) -> Decision:
    own, step = slice_of(state), state.step
    if step.owners != (AXIS,):
        return Rejected("not_now", "declared in a German turn")
    if own.first_season + step.stage - 1 < season_key("spring 1943"):
        return Rejected("too_early", "from Spring 1943 on")
    if own.reorganized_from is not None:
        return Rejected("already_done", "the army is reorganized and stays so")
    return Accepted((cm.ReorganizationDeclared(step.stage + 1),))


_AXIS_END = ("no_garrison", "no_germans")
_ALLIED_END = ("allies_gone",)


def _report(state: GameState, command: cm.ReportHappening) -> Decision:
    own, step = slice_of(state), state.step
    season = season_of(own, step.stage)
    key = season_key(season)
    what = command.what
    if what in _AXIS_END and not (step.phase == "end" and step.owners == (AXIS,)):
        return Rejected("not_now", "judged at the end of an Axis turn")
    if what in _ALLIED_END and not (step.phase == "end" and step.owners == (ALLIES,)):
        return Rejected("not_now", "judged at the end of an Allied turn")
    if what == "no_garrison" and key < season_key("spring 1941"):
        return Rejected("too_early", "a garrison is needed from Spring 1941 on")
    if what == "landed_in_europe" and key < season_key("fall 1942"):
        return Rejected("too_early", "invasion-turn units come from Fall 1942 on")
    return Accepted((cm.HappeningReported(what, season),))


def end_of_turn(state: GameState, at_ms: Millis) -> tuple[Event, ...]:
    """Return what follows when an end step is ended: Italy's fall and every victory, at its moment.

    Sections: Determining Game Victory; rulings ``hold_stars`` and ``last_turn``.
    """
    own, step = slice_of(state), state.step
    key = own.first_season + step.stage - 1
    held = {
        star for star, holder in own.stars.items() if holder is not None and _SIDE_OF.get(holder) == ALLIES
    }
    if step.owners == (AXIS,):
        if own.happened.get("no_germans") == step.stage:
            return (GameEnded(ALLIES, "no_germans", "strategic", at_ms),)
        if held.issuperset(_VICTORY_STARS):
            bonus = "romania_taken" in own.happened and key < season_key("summer 1944")
            return (GameEnded(ALLIES, "four_stars", "strategic" if bonus else "victory", at_ms),)
        if not own.italy_fallen and key >= season_key("spring 1943") and held & set(_ITALY_STARS):
            return _italy_falls(own, season_of(own, step.stage))
        return ()
    if own.happened.get("allies_gone") == step.stage:
        return (GameEnded(AXIS, "allies_gone", "strategic", at_ms),)
    if key < season_key("spring 1945"):
        return ()
    axis_holds = any(
        own.stars.get(star) is not None and _SIDE_OF.get(own.stars[star] or "") == AXIS
        for star in _VICTORY_STARS
    )
    if axis_holds:
        return (GameEnded(AXIS, "holds_a_star", "victory", at_ms),)
    if state.rulings.get("last_turn", "stars") == "stars" and held.issuperset(_VICTORY_STARS):
        return (GameEnded(ALLIES, "four_stars", "victory", at_ms),)
    return (GameEnded(None, "neither", "draw", at_ms),)


def _italy_falls(own: TsuSlice, season: str) -> tuple[Event, ...]:
    """Take Italy out: its box is gone, and its stars are nobody's until somebody has or reaches them."""
    gone = tuple(cm.BoxChanged(ITALY, unit, -count, "italy_fell") for unit, count in own.boxes[ITALY].items())
    stars = tuple(cm.StarMoved(star, None, ITALY) for star, holder in own.stars.items() if holder == ITALY)
    return (*gone, *stars, cm.HappeningReported("italy_fell", season))


def tables_of(setup_tables: Mapping[str, object]) -> Tables:
    """Return the calculator's tables from frozen or freshly read data."""
    game = msgspec.convert(setup_tables["game"], GameFile)
    return Tables({row.id: row for row in game.units}, chart_of(game))


RULES = ComposedRules("tsu", (TsuPart(),))
"""The rules of The Soft Underbelly."""
