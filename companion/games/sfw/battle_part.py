"""The battles of a running game: deciding the commands of `battle_commands` and applying their events.

Who attacks is the side whose movement step it is. What only the board knows (who stands where, who moved) is what
the table enters; what follows from the rules is computed and refused where it does not fit.
Source: rulebook v0.96, Declaring Battles, Resolving Battles, Firepower (one attack, one defence).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core import clock
from companion.core.commands import Command
from companion.core.dice import DieKind
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Nation, Side
from companion.core.rules import Accepted, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.games.parts import BasePart
from companion.games.sfw import battle_commands as bc
from companion.games.sfw.battle import (
    ATTACKING,
    MAX_COUNT,
    SIDES,
    Battle,
    Counts,
    Fight,
    Group,
    ProblemCode,
)
from companion.games.sfw.battle_commands import BattleCode
from companion.games.sfw.battle_edition import SFW96, Edition, with_rulings
from companion.games.sfw.battle_fire import missing
from companion.games.sfw.battle_losses import LossTable, combinations, merge_hits
from companion.games.sfw.battle_play import expected_hits
from companion.games.sfw.battle_progress import (
    END,
    Conduct,
    Course,
    begin,
    combined,
    due_rolls,
    groups_left,
    losses_chosen,
    may_retreat,
    open_losses,
    passed,
    retreated,
    rolled,
    used_in,
)
from companion.games.sfw.battle_record import BattleSlice, Declared, Luck, Progress
from companion.games.sfw.battle_setup import set_up
from companion.games.sfw.support import unit_table_of
from companion.games.sfw.units import UnitTable, printed_fault

__all__ = [
    "BattlePart",
    "acting_side",
    "battles_of",
    "conduct_of",
    "edition_of",
    "fight_of",
    "loss_tables",
    "side_id",
]

_ACTS = ("move", "declare", "resolve")


def battles_of(state: GameState) -> BattleSlice:
    """Return the battle slice of a running game."""
    own: BattleSlice = state.game["battle"]
    return own


def edition_of(state: GameState) -> Edition:
    """Return the battle rules as this table has settled them."""
    return with_rulings(SFW96, state.rulings)


def acting_side(state: GameState) -> Side | None:
    """Return the side that attacks in the current step; None where nobody may."""
    step = state.step
    if step.movement_step is None or not 1 <= step.movement_step <= 5 or step.act not in _ACTS:
        return None
    return step.owners[0] if len(step.owners) == 1 else None


def side_id(state: GameState, attacker: Side, side: str) -> Side:
    """Return the game's side that is attacking or defending."""
    if side == ATTACKING:
        return attacker
    return next(info.id for info in state.frozen_setup.sides if info.id != attacker)


def fight_of(state: GameState, declared: Declared) -> Fight | Rejected:
    """Return the fight of a declared battle, or why it cannot be fought as it stands."""
    battle = declared.started or declared.battle
    return _fight(battle, edition_of(state), unit_table_of(state))


_FIGHTS: list[tuple[Battle, Edition, UnitTable, Fight, dict[str, LossTable]]] = []
"""The fights worked on last: the same battle is asked for again with every die."""


def _fight(battle: Battle, edition: Edition, table: UnitTable) -> Fight | Rejected:
    for known in _FIGHTS:
        if known[0] == battle and known[2] is table and known[1] == edition:
            return known[3]
    found = set_up(battle, edition, table)
    if not isinstance(found, Fight):
        return Rejected(found[0].code, "; ".join(problem.detail for problem in found))
    tables = {side: LossTable(found, side) for side in SIDES}
    _FIGHTS[:] = [(battle, edition, table, found, tables), *_FIGHTS[:3]]
    return found


def loss_tables(fight: Fight) -> dict[str, LossTable]:
    """Return the casualties of both sides of a fight, under the policy that proposals follow."""
    for known in _FIGHTS:
        if known[3] is fight:
            return known[4]
    return {side: LossTable(fight, side) for side in SIDES}


def conduct_of(state: GameState, declared: Declared) -> Conduct:
    """Return how this table conducts its battles at the moment."""
    silent: tuple[str, ...] = ()
    if state.rulings.get("fallen_side") == "no_defence":
        silent = tuple(
            side
            for side in SIDES
            if clock.fallen(state.clocks, side_id(state, declared.attacker, side), state.step.stage)
        )
    return Conduct(state.rulings.get("battle_end") == "all_steps", silent)


class BattlePart(BasePart):
    """Battles as a part of the game's rules."""

    name = "battle"
    commands: tuple[type[Command], ...] = bc.BATTLE_COMMANDS
    events: tuple[type[Event], ...] = bc.BATTLE_EVENTS

    def initial(self, setup: Setup) -> BattleSlice:
        """Return a slice without battles."""
        return BattleSlice(luck={info.id: Luck() for info in setup.nations})

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:  # noqa: ARG002
        """Decide one of the battle commands."""
        return _DECIDERS[type(command)](state, command)

    def evolve(self, own: Any, event: Event, state: GameState) -> BattleSlice:
        """Apply one of the battle events."""
        return _evolve(own, event, state)

    def step_entered(self, own: Any, step: Step, state: GameState) -> BattleSlice:  # noqa: ARG002
        """Put the battles of the last movement step away when another side or step begins."""
        slice_: BattleSlice = own
        if not slice_.battles and not slice_.used:
            return slice_
        last = slice_.battles[-1] if slice_.battles else None
        same_step = last is None or (last.stage, last.movement_step) == (step.stage, step.movement_step)
        same_side = last is None or step.owners == (last.attacker,)
        if step.movement_step is not None and same_step and same_side and step.act in _ACTS:
            return slice_
        kept = slice_.used if step.movement_step is not None and same_step else ()
        return replace(slice_, battles=(), history=(*slice_.history, *slice_.battles), used=kept, count=0)

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Name the battles that are still to be fought when the side resolves them."""
        if step.act != "resolve":
            return None
        waiting = [
            entry.id for entry in battles_of(state).battles if entry.status in ("declared", "fighting")
        ]
        if not waiting:
            return None
        return Rejected("undone", f"battles still to be resolved: {', '.join(waiting)}")

    def is_irreversible(self, event: Event) -> bool:
        """Dice that were rolled cannot be unrolled."""
        return isinstance(event, bc.DiceRecorded)

    def printed_fault(self, state: GameState, key: str, value: object) -> str | None:
        """Check a printed value of the unit table."""
        table = unit_table_of(state)
        if key.partition(".")[0] not in table.units:
            raise NotImplementedError(key)
        return printed_fault(table, key, value)


# Declaring and composing


def _now(state: GameState) -> Side | Rejected:
    side = acting_side(state)
    if side is None:
        return Rejected(BattleCode.NOT_NOW, "battles belong to movement steps 1-5 of the side that acts")
    return side


def _open(state: GameState, battle: str) -> Declared | Rejected:
    found = battles_of(state).find(battle)
    if found is None:
        return Rejected(BattleCode.NO_BATTLE, f"there is no battle {battle}")
    if found.status != "declared":
        return Rejected(BattleCode.NOT_OPEN, f"battle {battle} has begun: its composition stands")
    return found


def _declare(state: GameState, command: bc.DeclareBattle) -> Decision:
    side = _now(state)
    if isinstance(side, Rejected):
        return side
    own = battles_of(state)
    space = command.space.strip()
    if not space:
        return Rejected("bad_value", "name the space")
    for entry in own.battles:
        taken = entry.space == space and entry.status in ("declared", "fighting")
        if taken and entry.battle.occasion == command.occasion:
            return Rejected(BattleCode.SPACE_TAKEN, f"battle {entry.id} is declared in {space} already")
    step = state.step.movement_step or 0
    if command.occasion == "disengage" and step not in (4, 5):
        return Rejected(BattleCode.NOT_NOW, "land units disengage on movement steps 4 and 5")
    battle = Battle(step, command.terrain, (), (), command.occasion)
    problem = _terrain_problem(battle, state)
    if problem is not None:
        return problem
    return Accepted((bc.BattleDeclared(_letter(own.count), space, side, battle),))


def _terrain_problem(battle: Battle, state: GameState) -> Rejected | None:
    found = set_up(battle, edition_of(state), unit_table_of(state))
    if isinstance(found, Fight):
        return None
    problem = next((p for p in found if p.code != ProblemCode.NOBODY), None)
    return None if problem is None else Rejected(problem.code, problem.detail)


def _letter(count: int) -> str:
    letter = chr(ord("A") + count % 26)
    return letter if count < 26 else f"{letter}{count // 26 + 1}"


def _change(state: GameState, command: bc.ChangeUnits) -> Decision:
    declared = _open(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    if command.side not in SIDES:
        return Rejected(
            ProblemCode.BAD_CHOICE, f"side: expected attacking or defending, got {command.side!r}"
        )
    wrong = _nation_problem(state, declared, command.side, command.nation)
    if wrong is not None:
        return wrong
    if not command.by or abs(command.by) > MAX_COUNT:
        return Rejected(
            ProblemCode.BAD_COUNT, f"by: expected 1-{MAX_COUNT} or minus so many, got {command.by}"
        )
    groups = list(_groups(declared.battle, command.side))
    used = _used_count(state, declared, command)
    locked = _locked(state, declared, command)
    if locked is not None:
        return locked
    if command.by > 0 and used is not None and command.distance and not command.others:
        word = "attack" if command.side == ATTACKING else "defence"
        return Rejected(
            BattleCode.ALREADY_USED,
            f"{used} {command.unit} in {command.home} used their {word} of this movement step",
        )
    spent = bool(used) and not command.distance and not command.others
    wanted = Group(
        command.unit, 0, command.nation, command.distance, command.origin, home=command.home, spent=spent
    )
    index = _like(groups, wanted)
    if index is None:
        if command.by < 0:
            return Rejected(BattleCode.TOO_FEW, f"there is no {command.nation} {command.unit} to take out")
        groups.append(replace(wanted, count=command.by))
    else:
        count = groups[index].count + command.by
        if count < 0:
            return Rejected(
                BattleCode.TOO_FEW,
                f"{groups[index].count} {command.unit} are there, {-command.by} to take out",
            )
        if count:
            groups[index] = replace(groups[index], count=count)
        else:
            del groups[index]
    return _changed(state, declared, _with_groups(declared.battle, command.side, tuple(groups)))


def _like(groups: list[Group], wanted: Group) -> int | None:
    """Return the newest group of the same unit, nation and place."""
    for index in range(len(groups) - 1, -1, -1):
        group = groups[index]
        same = (group.unit, group.nation, group.distance, group.origin, group.home)
        if same == (wanted.unit, wanted.nation, wanted.distance, wanted.origin, wanted.home):
            return index
    return None


def _nation_problem(state: GameState, declared: Declared, side: str, nation: str) -> Rejected | None:
    game_side = side_id(state, declared.attacker, side)
    known = {info.id: info.side for info in state.frozen_setup.nations}
    if known.get(Nation(nation)) == game_side:
        return None
    names = ", ".join(name for name, of in known.items() if of == game_side)
    return Rejected(BattleCode.WRONG_NATION, f"{side}: expected one of {names}, got {nation!r}")


def _used_count(state: GameState, declared: Declared, command: bc.ChangeUnits) -> int | None:
    home = command.home if command.distance else declared.space
    if not home:
        return None
    count = sum(
        entry.count
        for entry in battles_of(state).used
        if (entry.role, entry.home, entry.nation, entry.unit)
        == (command.side, home, command.nation, command.unit)
    )
    return count or None


def _locked(state: GameState, declared: Declared, command: bc.ChangeUnits) -> Rejected | None:
    """Refuse support out of a space that is itself activated and not yet resolved."""
    if command.by < 0 or not command.distance or command.origin or not command.home:
        return None
    for entry in battles_of(state).battles:
        active = entry.status in ("declared", "fighting") and entry.battle.occasion == "battle"
        if active and entry.id != declared.id and command.home in (entry.space, *_origins(entry.battle)):
            return Rejected(
                BattleCode.LOCKED_IN_BATTLE,
                f"{command.home} is active in battle {entry.id}: its units fight there",
            )
    return None


def _origins(battle: Battle) -> tuple[str, ...]:
    return tuple(group.origin for group in (*battle.attacking, *battle.defending) if group.origin)


def _groups(battle: Battle, side: str) -> tuple[Group, ...]:
    return battle.attacking if side == ATTACKING else battle.defending


def _with_groups(battle: Battle, side: str, groups: tuple[Group, ...]) -> Battle:
    if side == ATTACKING:
        return replace(battle, attacking=groups)
    return replace(battle, defending=groups)


def _changed(state: GameState, declared: Declared, battle: Battle) -> Decision:
    """Accept a composition unless something in it can never be right."""
    found = set_up(battle, edition_of(state), unit_table_of(state))
    if not isinstance(found, Fight):
        # Nobody yet, or a first unit of two for combined fire: that is settled when the battle begins.
        later = (ProblemCode.NOBODY, ProblemCode.COMBINED_TOO_FEW)
        problem = next((p for p in found if p.code not in later), None)
        if problem is not None:
            return Rejected(problem.code, problem.detail)
    if battle == declared.battle:
        return Accepted(())
    return Accepted((bc.BattleChanged(declared.id, battle),))


def _set_group(state: GameState, command: bc.SetGroup) -> Decision:
    declared = _open(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    if command.side not in SIDES:
        return Rejected(
            ProblemCode.BAD_CHOICE, f"side: expected attacking or defending, got {command.side!r}"
        )
    groups = list(_groups(declared.battle, command.side))
    if not 0 <= command.index < len(groups):
        return Rejected(BattleCode.NO_GROUP, f"{command.side}: there is no group {command.index}")
    wrong = _nation_problem(state, declared, command.side, command.group.nation)
    if wrong is not None:
        return wrong
    if command.group.count < 1:
        return Rejected(ProblemCode.BAD_COUNT, f"count: expected 1-{MAX_COUNT}, got {command.group.count}")
    groups[command.index] = command.group
    return _changed(state, declared, _with_groups(declared.battle, command.side, tuple(groups)))


def _set_circumstances(state: GameState, command: bc.SetCircumstances) -> Decision:
    declared = _open(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    given = {
        name: value
        for name in command.__struct_fields__
        if name != "battle" and (value := getattr(command, name)) is not None
    }
    return _changed(state, declared, replace(declared.battle, **given))


def _repeat(state: GameState, command: bc.RepeatComposition) -> Decision:
    declared = _open(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    known = battles_of(state).compositions.get(declared.space)
    if not known:
        return Rejected(BattleCode.NOTHING_KNOWN, f"no units are known in {declared.space} yet")
    battle = declared.battle
    for side in SIDES:
        groups = known.get(side_id(state, declared.attacker, side), ())
        battle = _with_groups(battle, side, tuple(_as_used(state, declared, side, group) for group in groups))
    return _changed(state, declared, battle)


def _as_used(state: GameState, declared: Declared, side: str, group: Group) -> Group:
    """Mark a known group whose one attack or defence of this movement step is spent."""
    home = group.home if group.distance else declared.space
    used = any(
        (entry.role, entry.home, entry.nation, entry.unit) == (side, home, group.nation, group.unit)
        for entry in battles_of(state).used
    )
    return replace(group, spent=used)


def _withdraw(state: GameState, command: bc.WithdrawBattle) -> Decision:
    declared = _open(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    return Accepted((bc.BattleWithdrawn(declared.id),))


# Fighting


def _begin(state: GameState, command: bc.BeginBattle) -> Decision:
    declared = _open(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    other = next((entry for entry in battles_of(state).battles if entry.status == "fighting"), None)
    if other is not None:
        return Rejected(BattleCode.ANOTHER_BATTLE, f"battle {other.id} is being fought: finish it first")
    table = unit_table_of(state)
    battle = _with_retreats(declared.battle, table, edition_of(state))
    fight = _fight(battle, edition_of(state), table)
    if isinstance(fight, Rejected):
        return fight
    needs = missing(fight)
    if needs:
        return Rejected(ProblemCode.PRINTED_VALUE_MISSING, ", ".join(needs))
    started = replace(declared, battle=battle)
    progress = begin(Course(fight, conduct_of(state, declared), loss_tables(fight)))
    first: tuple[Event, ...] = () if battle == declared.battle else (bc.BattleChanged(declared.id, battle),)
    events = (*first, bc.BattleBegun(declared.id, progress), *_end(fight, started, progress, state))
    return Accepted(events)


def _with_retreats(battle: Battle, table: UnitTable, edition: Edition) -> Battle:
    """Name the defending units that may retreat: land units whose tile shows the icon."""
    if battle.occasion != "battle" or not edition.has_retreat:
        return battle
    units = dict.fromkeys(
        group.unit
        for group in battle.defending
        if group.unit in table.units
        and table.units[group.unit].has("retreat")
        and table.units[group.unit].type == "land"
    )
    return replace(battle, retreat=tuple(units))


class _Fighting(msgspec.Struct):
    """A battle being fought with what the deciders need."""

    declared: Declared
    progress: Progress
    course: Course

    @property
    def fight(self) -> Fight:
        """The fight as it was begun."""
        return self.course.fight


def _fighting(state: GameState, battle: str) -> _Fighting | Rejected:
    declared = battles_of(state).find(battle)
    if declared is None:
        return Rejected(BattleCode.NO_BATTLE, f"there is no battle {battle}")
    if declared.status != "fighting" or declared.progress is None:
        return Rejected(BattleCode.NOT_FIGHTING, f"battle {battle} is not being fought")
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected):
        return fight
    course = Course(fight, conduct_of(state, declared), loss_tables(fight))
    return _Fighting(declared, declared.progress, course)


def _record(state: GameState, command: bc.RecordRoll) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    progress = found.progress
    if not progress.lines or progress.owed:
        detail = "casualties are to be chosen first" if progress.owed else "nobody rolls now"
        return Rejected(BattleCode.LOSSES_FIRST if progress.owed else BattleCode.NO_LINE, detail)
    shared = _shared(progress, command)
    if isinstance(shared, Rejected):
        return shared
    after = rolled(found.course, progress, shared)
    luck = _luck_of_dice(state, found, shared)
    return _progressed(state, found, after, luck, dice=True)


def _shared(progress: Progress, command: bc.RecordRoll) -> list[tuple[int, Any]] | Rejected:
    """Share dice out to the lines, checking number, colour and value."""
    roll = command.roll
    if roll.kind != DieKind.D12:
        return Rejected(BattleCode.WRONG_DIE, f"battle dice have twelve faces, got {roll.kind}")
    for die in roll.dice:
        if not 1 <= die.value <= 12:
            return Rejected(BattleCode.WRONG_DIE, f"a battle die shows 1-12, got {die.value}")
    wanted: dict[str, int] = {}
    if not command.lines or len(set(command.lines)) != len(command.lines):
        return Rejected(BattleCode.NO_LINE, "name each line of the roll list once")
    for number in command.lines:
        if not 0 <= number < len(progress.lines) or not progress.thrown[number].waiting:
            return Rejected(BattleCode.NO_LINE, f"line {number} waits for no dice")
        colour = progress.lines[number].colour
        wanted[colour] = wanted.get(colour, 0) + progress.thrown[number].waiting
    given: dict[str, list[Any]] = {}
    for die in roll.dice:
        given.setdefault(str(die.colour), []).append(die)
    strange = next((colour for colour in given if colour not in wanted), None)
    asked = ", ".join(f"{count} {colour}" for colour, count in wanted.items())
    if strange is not None:
        return Rejected(BattleCode.WRONG_COLOUR, f"asked for {asked}; got {len(given[strange])} {strange}")
    for colour, count in wanted.items():
        if len(given.get(colour, ())) != count:
            return Rejected(
                BattleCode.WRONG_COUNT, f"asked for {asked}; got {len(given.get(colour, ()))} {colour}"
            )
    shared = []
    for number in command.lines:
        line = progress.lines[number]
        rivals = [progress.lines[other] for other in command.lines if other != number]
        if any(other.colour == line.colour and _differ(other, line) for other in rivals):
            return Rejected(
                BattleCode.SAME_COLOUR,
                f"several lines roll {line.colour} at different numbers: roll them apart",
            )
        dice = given[line.colour]
        count = progress.thrown[number].waiting
        shared.append((number, replace(roll, dice=tuple(dice[:count]))))
        del dice[:count]
    return shared


def _differ(left: Any, right: Any) -> bool:
    return (left.number, left.side, left.nation) != (right.number, right.side, right.nation)


def _luck_of_dice(state: GameState, found: _Fighting, shared: list[tuple[int, Any]]) -> dict[str, Luck]:
    """Return the new totals of the nations whose lines were begun or went on."""
    luck = dict(battles_of(state).luck)
    both = due_rolls(found.course, found.progress)
    changed: dict[str, Luck] = {}
    for number, roll in shared:
        line = found.progress.lines[number]
        nation = Nation(line.nation)
        if nation not in luck:
            continue
        values = roll.values()
        hits = sum(value >= line.number for value in values)
        expected = 0
        if not found.progress.thrown[number].rolls:
            part = both[0 if line.side == ATTACKING else 1]
            for volley in line.volleys:
                numerator, denominator = expected_hits(part.volleys[volley])
                expected += numerator * (132 // denominator)
        old = luck[nation]
        luck[nation] = changed[nation] = replace(
            old,
            dice=old.dice + len(values),
            expected_132=old.expected_132 + expected,
            hits=old.hits + hits,
        )
    return changed


def _progressed(
    state: GameState, found: _Fighting, after: Progress, luck: dict[str, Luck], *, dice: bool = False
) -> Decision:
    """Wrap a new progress into events: losses into the luck, and the end of the battle where it is reached."""
    luck = _luck_of_losses(state, found, after, luck)
    event: Event = (
        bc.DiceRecorded(found.declared.id, after, luck)
        if dice
        else bc.BattleProgressed(found.declared.id, after, luck)
    )
    return Accepted((event, *_end(found.fight, found.declared, after, state)))


def _luck_of_losses(
    state: GameState, found: _Fighting, after: Progress, changed: dict[str, Luck]
) -> dict[str, Luck]:
    luck = {**{str(nation): value for nation, value in battles_of(state).luck.items()}, **changed}
    result = dict(changed)
    for record in after.records[len(found.progress.records) :]:
        for side in SIDES:
            for kind in found.fight.kinds(side):
                lost = record.losses[side][kind.index]
                nation = kind.nation
                if lost and nation in luck:
                    old = luck[nation]
                    luck[nation] = result[nation] = replace(
                        old, lost_cost=old.lost_cost + lost * kind.cost, lost_units=old.lost_units + lost
                    )
    return result


def _end(fight: Fight, declared: Declared, progress: Progress, state: GameState) -> tuple[Event, ...]:
    if progress.step != END:
        return ()
    return (_ended(fight, declared, progress, state, "over"),)


def _ended(
    fight: Fight, declared: Declared, progress: Progress, state: GameState, reason: str
) -> bc.BattleEnded:
    left = {
        str(side_id(state, declared.attacker, side)): groups_left(fight, side, progress) for side in SIDES
    }
    return bc.BattleEnded(declared.id, reason, left, used_in(fight, progress, declared.space))


def _combine(state: GameState, command: bc.CombineHits) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    owed = next((entry for entry in found.progress.owed if entry.to_combine), None)
    if owed is None:
        return Rejected(BattleCode.NOTHING_OWED, "there are no hits to combine")
    hits = merge_hits(command.hits)
    if hits not in combinations((*owed.precise, *owed.plain), len(found.fight.edition.capacity)):
        return Rejected(BattleCode.BAD_COMBINATION, "two hits of one colour make one of the next")
    after = combined(found.course, found.progress, owed.side, hits)
    return _progressed(state, found, after, {})


def _choose(state: GameState, command: bc.ChooseLosses) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    if any(entry.to_combine and entry.side == command.side for entry in found.progress.owed):
        return Rejected(BattleCode.COMBINE_FIRST, "say first to what the hits combine")
    choice = open_losses(found.progress, command.side)
    if choice is None:
        detail = (
            "roll first" if found.progress.lines and not found.progress.owed else "no casualties are owed"
        )
        return Rejected(BattleCode.NOTHING_OWED, detail)
    counts, hits, _ = choice
    losses = _by_kind(command.losses, len(counts))
    if losses is None:
        return Rejected(BattleCode.ILLEGAL_LOSSES, "a kind is named that is not in this battle")
    fault = found.course.tables[command.side].fault(counts, hits, losses)
    if fault is not None:
        return Rejected(BattleCode.ILLEGAL_LOSSES, fault)
    after = losses_chosen(found.course, found.progress, command.side, losses)
    return _progressed(state, found, after, {})


def _by_kind(entries: tuple[bc.UnitLosses, ...], kinds: int) -> Counts | None:
    found = [0] * kinds
    for entry in entries:
        if not 0 <= entry.kind < kinds or entry.count < 0:
            return None
        found[entry.kind] += entry.count
    return tuple(found)


def _retreat(state: GameState, command: bc.RetreatUnits) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    if not may_retreat(found.fight, found.progress):
        return Rejected(
            BattleCode.NO_RETREAT, "units retreat between battle steps 5 and 6, and must have the icon"
        )
    kinds = found.fight.defending
    leaving = _by_kind(command.leaving, len(kinds))
    movable = {kind.source for kind in kinds if kind.role == "leaving"}
    if leaving is None or not any(leaving):
        return Rejected(BattleCode.NO_RETREAT, "name the units that leave")
    for index, count in enumerate(leaving):
        if count and (index not in movable or count > found.progress.defending[index]):
            return Rejected(BattleCode.NO_RETREAT, f"{count} {kinds[index].unit.name} cannot retreat")
    after = retreated(found.course, found.progress, leaving, command.to)
    return _progressed(state, found, after, {})


def _stand(state: GameState, command: bc.StandFast) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    if not may_retreat(found.fight, found.progress):
        return Rejected(BattleCode.NO_RETREAT, "nobody is asked to retreat now")
    return _progressed(state, found, passed(found.course, found.progress), {})


def _pass(state: GameState, command: bc.PassStep) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    if found.progress.lines:
        code = BattleCode.LOSSES_FIRST if found.progress.owed else BattleCode.ROLL_FIRST
        return Rejected(code, "this step has rolls")
    if may_retreat(found.fight, found.progress):
        return Rejected(BattleCode.RETREAT_FIRST, "say first whether anybody retreats")
    return _progressed(state, found, passed(found.course, found.progress), {})


def _break_off(state: GameState, command: bc.BreakOff) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    return Accepted((_ended(found.fight, found.declared, found.progress, state, "broken_off"),))


_DECIDERS: dict[type, Callable[[GameState, Any], Decision]] = {
    bc.BeginBattle: _begin,
    bc.BreakOff: _break_off,
    bc.ChangeUnits: _change,
    bc.ChooseLosses: _choose,
    bc.CombineHits: _combine,
    bc.DeclareBattle: _declare,
    bc.PassStep: _pass,
    bc.RecordRoll: _record,
    bc.RepeatComposition: _repeat,
    bc.RetreatUnits: _retreat,
    bc.SetCircumstances: _set_circumstances,
    bc.SetGroup: _set_group,
    bc.StandFast: _stand,
    bc.WithdrawBattle: _withdraw,
}


def _evolve(own: BattleSlice, event: Event, state: GameState) -> BattleSlice:
    match event:
        case bc.BattleDeclared():
            declared = Declared(
                event.battle,
                event.space,
                state.step.stage,
                event.composition.movement_step,
                event.attacker,
                event.composition,
            )
            return replace(own, battles=(*own.battles, declared), count=own.count + 1)
        case bc.BattleChanged():
            return _replaced(own, event.battle, battle=event.composition)
        case bc.BattleWithdrawn():
            return replace(own, battles=tuple(b for b in own.battles if b.id != event.battle))
        case bc.BattleBegun():
            begun = own.find(event.battle)
            started = begun.battle if begun is not None else None
            return _replaced(own, event.battle, status="fighting", progress=event.progress, started=started)
        case bc.DiceRecorded() | bc.BattleProgressed():
            after = _replaced(own, event.battle, progress=event.progress)
            luck = {**own.luck, **{Nation(nation): value for nation, value in event.luck.items()}}
            return replace(after, luck=luck) if event.luck else after
        case bc.BattleEnded():
            return _after_end(own, event)
        case _:
            return own


def _after_end(own: BattleSlice, event: bc.BattleEnded) -> BattleSlice:
    ended = own.find(event.battle)
    if ended is None:
        return own
    after = _replaced(own, event.battle, status=event.reason)
    compositions = own.compositions
    if ended.battle.occasion == "battle":
        compositions = {**compositions, ended.space: event.left}
    return replace(after, compositions=compositions, used=(*own.used, *event.used))


def _replaced(own: BattleSlice, battle_id: str, **changes: Any) -> BattleSlice:
    battles = tuple(replace(entry, **changes) if entry.id == battle_id else entry for entry in own.battles)
    return replace(own, battles=battles)
