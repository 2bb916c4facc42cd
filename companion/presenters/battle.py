"""The Battle screen: declared battles, composing one, the roll list, casualties, retreat.

`battle_view` turns the state into one frozen view; its parts carry the commands that their taps send. Odds and luck
are in `companion.presenters.battle_odds`, words and printed values in `companion.presenters.sfw_battle`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from companion.core.commands import Command
from companion.core.dice import DiceOrigin, DiceSource, Die, DieColour, DieKind, Roll
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.games.sfw import battle_commands as bc
from companion.games.sfw.battle import ATTACKING, SIDES, Battle, Fight, Group, other_side
from companion.games.sfw.battle_edition import EDITIONS
from companion.games.sfw.battle_fire import missing
from companion.games.sfw.battle_losses import Hit, combinations
from companion.games.sfw.battle_play import best_combination
from companion.games.sfw.battle_progress import Course, due_rolls, may_retreat, open_losses, volley_of
from companion.games.sfw.battle_record import Declared, Line, Progress
from companion.games.sfw.battle_rolls import OBJECTIVE, REASON_TEXTS, Reason
from companion.games.sfw.battle_state import (
    acting_side,
    battles_of,
    conduct_of,
    edition_of,
    fight_of,
    loss_tables,
    returning_side,
    side_id,
)
from companion.games.sfw.desert import can_roll
from companion.games.sfw.support import unit_table_of
from companion.games.sfw.units import UnitSpec
from companion.presenters.frame import Mark, mark, nation_mark
from companion.presenters.i18n import N_, _, ngettext
from companion.presenters.labels import UNITS, unit_name
from companion.presenters.sfw_words import term

__all__ = [
    "BattleRow",
    "BattleView",
    "CombineChoice",
    "Composer",
    "GroupRow",
    "LossChoice",
    "LossRow",
    "RetreatChoice",
    "RollLine",
    "SilentRow",
    "Tile",
    "battle_view",
    "composer",
    "die_colours",
    "figure_name",
    "hits_text",
    "loss_command",
    "name_of",
    "other_occasions",
    "retreat_command",
    "roll_command",
    "virtual_values",
]

TERRAINS: dict[str, str] = {
    "land": N_("Land"),
    "sea": N_("Sea"),
    "mountain": N_("Mountain"),
    "desert": N_("Desert"),
    "road": N_("Road"),
    "impassable": N_("Impassable"),
}

OCCASIONS: dict[str, str] = {
    "battle": N_("Battle"),
    "movement": N_("Entry or push through"),
    "disengage": N_("Full disengage"),
}

_STATUS: dict[str, str] = {
    "declared": N_("declared"),
    "fighting": N_("being fought"),
    "over": N_("over"),
    "broken_off": N_("broken off"),
}

STEP_TITLES: dict[str, str] = {
    "1": N_("1  Anti-air"),
    "2": N_("2  Fighters"),
    "3": N_("3  Bombers"),
    "4": N_("4  Destroyers and submarines"),
    "5": N_("5  Artillery and heavy ships"),
    "retreat": N_("Retreat"),
    "6": N_("6  Infantry and tanks"),
    "7A": N_("7A  Combined fire"),
    "7B": N_("7B  Unloading"),
    "7C": N_("7C  Landing defence"),
    "line": N_("Defensive line"),
    "bridge": N_("Bridge"),
    "mine": N_("Mine"),
    "push": N_("Push through"),
    "disengage": N_("Disengage"),
    "end": N_("Over"),
}

COLOURS: dict[str, str] = {
    "white": N_("White"),
    "gray": N_("Gray"),
    "black": N_("Black"),
    "purple": N_("Purple"),
    "blue": N_("Blue"),
    "yellow": N_("Yellow"),
    "red": N_("Red"),
}

_TARGETS: dict[str, str] = {
    "air": N_("Air"),
    "sea": N_("Sea"),
    "land": N_("Land"),
    OBJECTIVE: N_("Resupply"),
}


@dataclass(frozen=True, slots=True)
class BattleRow:
    """One battle in the list."""

    id: str
    space: str
    terrain: str
    occasion: str
    status: str
    status_text: str
    attacking: str
    defending: str
    is_open: bool
    """Its composition can still be changed."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One unit of one nation: a tap adds one, another takes one out."""

    unit: str
    name: str
    short: str
    mark: Mark
    count: int
    add: bc.ChangeUnits
    take: bc.ChangeUnits | None


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group as it stands, for its details."""

    side: str
    index: int
    group: Group
    mark: Mark
    text: str
    notes: str


@dataclass(frozen=True, slots=True)
class Composer:
    """Composing one side of one battle: a tile for every unit of every nation of the side that can be there."""

    battle: str
    side: str
    mark: Mark
    distance: int
    tiles: tuple[tuple[Tile, ...], ...]
    """One row for each unit; one tile for each nation of the side."""
    groups: tuple[GroupRow, ...]
    repeat: bc.RepeatComposition | None
    """Take the units last known in the space; None when none are known or some are entered."""
    repeat_text: str
    begin: bc.BeginBattle | None
    """Begin the battle; None while something is wrong or missing."""
    problem: str
    """What keeps it from beginning."""
    missing: tuple[str, ...]
    """Keys of printed values that it needs."""
    note: str = ""
    """A question that the rules leave to the table before the battle begins."""


@dataclass(frozen=True, slots=True)
class RollLine:
    """One line of the roll list."""

    index: int
    side: str
    mark: Mark
    units: str
    """Such as ``2 Tank``."""
    dice: int
    """Dice to roll now; 0 when done."""
    colour: str
    colour_name: str
    number: int
    targets: str
    abilities: str
    values: tuple[int, ...]
    hits: int
    is_extra: bool
    """These are bonus dice of an extra shot."""


@dataclass(frozen=True, slots=True)
class SilentRow:
    """A kind that does not roll on this step."""

    mark: Mark
    units: str
    why: str


@dataclass(frozen=True, slots=True)
class LossRow:
    """A kind of which casualties can be taken."""

    kind: int
    mark: Mark
    name: str
    count: int
    proposed: int
    cost: int


@dataclass(frozen=True, slots=True)
class LossChoice:
    """Casualties that a side owes."""

    side: str
    mark: Mark
    by_shooter: bool
    """A precise hit: the other side chooses."""
    hits: str
    rows: tuple[LossRow, ...]
    proposal: bc.ChooseLosses


@dataclass(frozen=True, slots=True)
class CombineChoice:
    """To what the hits of 7A may combine; the first is the proposal."""

    options: tuple[tuple[str, bc.CombineHits], ...]


@dataclass(frozen=True, slots=True)
class RetreatChoice:
    """Defending units that may leave."""

    mark: Mark
    rows: tuple[LossRow, ...]
    stand: bc.StandFast


@dataclass(frozen=True, slots=True)
class BattleView:
    """The Battle screen."""

    rows: tuple[BattleRow, ...]
    selected: str
    can_declare: bool
    phase: str
    """``none``, ``compose``, ``roll``, ``losses``, ``combine``, ``retreat``, ``pass`` or ``over``."""
    title: str
    step: str
    lines: tuple[RollLine, ...] = ()
    silent: tuple[SilentRow, ...] = ()
    asked: tuple[tuple[str, int], ...] = ()
    """Dice asked for now: colour and count, over all lines."""
    losses: tuple[LossChoice, ...] = ()
    combine: CombineChoice | None = None
    retreat: RetreatChoice | None = None
    go_on: Command | None = None
    """Go on from a step without rolls."""
    attacking: tuple[tuple[Mark, str, int], ...] = ()
    """Units there now: nation, unit name, count."""
    defending: tuple[tuple[Mark, str, int], ...] = ()
    supporting: tuple[tuple[Mark, str, int], ...] = ()
    bombing: int = 0
    """Hits on the objective: each takes 1 from its Air, Sea and Land resupply in the coming Resupply Phase."""


def battle_view(state: GameState, selected: str | None = None) -> BattleView:
    """Return the screen; without a selection the battle being fought, else the first that waits."""
    own = battles_of(state)
    rows = tuple(_row(state, entry) for entry in own.battles)
    declared = own.find(selected) if selected else None
    if declared is None:
        order = ("fighting", "declared", "over", "broken_off")
        declared = min(own.battles, key=lambda entry: order.index(entry.status), default=None)
    can_declare = acting_side(state) is not None
    if declared is None:
        return BattleView(rows, "", can_declare, "none", _("No battle is declared"), "")
    title = f"{declared.id}  {declared.space}"
    if declared.status == "declared":
        return BattleView(
            rows,
            declared.id,
            can_declare,
            "compose",
            title,
            "",
            attacking=_group_marks(state, declared.battle.attacking),
            defending=_group_marks(state, declared.battle.defending),
        )
    if declared.progress is None:
        return BattleView(rows, declared.id, can_declare, "over", title, _(STEP_TITLES["end"]))
    return _fought(state, declared, declared.progress, rows, title)


def _row(state: GameState, entry: Declared) -> BattleRow:
    return BattleRow(
        entry.id,
        entry.space,
        _(TERRAINS.get(entry.battle.terrain, entry.battle.terrain)),
        term(state, OCCASIONS[entry.battle.occasion]),
        entry.status,
        _(_STATUS[entry.status]),
        _groups_text(state, entry.battle.attacking),
        _groups_text(state, entry.battle.defending),
        entry.status == "declared",
    )


def name_of(state: GameState, unit: str) -> str:
    """Return a unit's name, that of a card or a token too."""
    table = unit_table_of(state)
    if unit in UNITS or unit not in table.units:
        return unit_name(unit)
    return table.units[unit].name


def _groups_text(state: GameState, groups: Sequence[Group]) -> str:
    totals: dict[str, int] = {}
    for group in groups:
        totals[group.unit] = totals.get(group.unit, 0) + group.count
    return ", ".join(f"{count} {name_of(state, unit)}" for unit, count in totals.items()) or "–"


def _group_marks(state: GameState, groups: Sequence[Group]) -> tuple[tuple[Mark, str, int], ...]:
    setup = state.frozen_setup
    return tuple(
        (nation_mark(setup, group.nation), name_of(state, group.unit), group.count) for group in groups
    )


def other_occasions(state: GameState) -> tuple[tuple[str, str], ...]:
    """Return what else is rolled for in the current act in this edition: occasion and text."""
    is_acting = acting_side(state) is not None
    on_land = state.step.movement_step in (4, 5)
    offers = [
        ("movement", term(state, N_("Entry under fire")), is_acting or returning_side(state) is not None),
        ("disengage", _("Full disengage"), is_acting and on_land and edition_of(state).has_disengage),
        ("desert", _("Desert roll"), "desert" in state.game and can_roll(state)),
    ]
    return tuple((occasion, text) for occasion, text, is_offered in offers if is_offered)


# Composing


def composer(state: GameState, battle: str, side: str, distance: int = 0) -> Composer | None:
    """Return the tiles of one side of a battle that is still open; None when it is not.

    `distance` 0 shows units of the battle space, more those that could support from so far away.
    """
    declared = battles_of(state).find(battle)
    if declared is None or declared.status != "declared":
        return None
    setup = state.frozen_setup
    game_side = side_id(state, declared.attacker, side)
    nations = [info.id for info in setup.nations if info.side == game_side]
    groups = declared.battle.attacking if side == ATTACKING else declared.battle.defending
    tiles = []
    for spec in unit_table_of(state).units.values():
        if not _could_be_there(spec, declared.battle, distance):
            continue
        of = [nation for nation in nations if spec.nation in ("", nation)]
        if of:
            tiles.append(tuple(_tile(state, declared, (side, distance), spec, nation) for nation in of))
    problem, needs = _problem(state, declared)
    known = battles_of(state).compositions.get(declared.space, {})
    is_empty = not declared.battle.attacking and not declared.battle.defending
    remembered = sum(group.count for groups in known.values() for group in groups)
    return Composer(
        declared.id,
        side,
        mark(setup, game_side),
        distance,
        tuple(tiles),
        tuple(_group_row(state, side, index, group) for index, group in enumerate(groups)),
        bc.RepeatComposition(declared.id) if is_empty and remembered else None,
        ngettext("As last time: {n} unit", "As last time: {n} units", remembered).format(n=remembered)
        if is_empty and remembered
        else "",
        None if problem else bc.BeginBattle(declared.id),
        problem,
        needs,
        _landing_note(state, declared.battle),
    )


def _landing_note(state: GameState, battle: Battle) -> str:
    """Return the question of a landing where the only friends in the space are aircraft."""
    if state.rulings.get("landing_air", "ask") != "ask" or battle.occasion != "battle":
        return ""
    table = unit_table_of(state).units
    lands = any(group.cargo and table[group.unit].type in ("air", "sea") for group in battle.attacking)
    friends = {
        table[group.unit].type for group in battle.attacking if group.distance == 0 and not group.cargo
    }
    if not lands or friends != {"air"}:
        return ""
    return _("Only aircraft are with the landing: landing defence applies unless you say otherwise")


def _could_be_there(spec: UnitSpec, battle: Battle, distance: int) -> bool:
    if distance:
        return spec.range != 0 or (spec.type == "sea" and bool(spec.capacity) and battle.terrain != "sea")
    if spec.type == "air":
        return True
    if battle.terrain == "impassable":
        return False
    if battle.terrain == "mountain" and spec.has("heavy"):
        return False
    return (spec.type == "sea") == (battle.terrain == "sea")


def _tile(state: GameState, declared: Declared, place: tuple[str, int], spec: UnitSpec, nation: str) -> Tile:
    side, distance = place
    battle = declared.id
    groups = declared.battle.attacking if side == ATTACKING else declared.battle.defending
    origin = "sea" if distance and spec.type == "sea" and spec.range == 0 else ""
    count = sum(
        group.count
        for group in groups
        if (group.unit, group.nation, group.distance) == (spec.id, nation, distance)
    )
    return Tile(
        spec.id,
        name_of(state, spec.id),
        spec.short,
        nation_mark(state.frozen_setup, nation),
        count,
        bc.ChangeUnits(battle, side, spec.id, nation, 1, distance, origin),
        bc.ChangeUnits(battle, side, spec.id, nation, -1, distance, origin) if count else None,
    )


def _group_row(state: GameState, side: str, index: int, group: Group) -> GroupRow:
    notes = []
    if group.distance:
        notes.append(ngettext("{n} space away", "{n} spaces away", group.distance).format(n=group.distance))
    if group.home:
        notes.append(group.home)
    if group.spent:
        notes.append(_("has fired"))
    if group.moved is not None:
        notes.append(_("moved") if group.moved else _("did not move"))
    if group.combined:
        notes.append(term(state, N_("combined fire")))
    if group.choice:
        notes.append(_("against air") if group.choice == "air" else _("against land and sea"))
    if group.bombing:
        notes.append(_("{n} dice at the objective").format(n=group.bombing))
    if group.dice:
        notes.append(" + ".join(_(COLOURS.get(colour, colour)) for colour in group.dice))
    if group.cargo and not group.unload and unit_table_of(state).units[group.unit].has("mobile"):
        notes.append(_("cargo stays aboard"))
    if group.cargo:
        notes.append(", ".join(f"{load.count} {name_of(state, load.unit)}" for load in group.cargo))
    return GroupRow(
        side,
        index,
        group,
        nation_mark(state.frozen_setup, group.nation),
        f"{group.count} {name_of(state, group.unit)}",
        " · ".join(notes),
    )


def _problem(state: GameState, declared: Declared) -> tuple[str, tuple[str, ...]]:
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected):
        if fight.code == "nobody":
            empty = [
                mark(state.frozen_setup, side_id(state, declared.attacker, side)).name
                for side in SIDES
                if f"{side}: nobody" in fight.detail
            ]
            return _("Nobody is there: {sides}").format(sides=", ".join(empty)), ()
        return fight.detail, ()
    needs = missing(fight)
    if needs:
        first = needs[0].partition(".")
        text = _("{figure} of {unit} is not in the rules: enter it from your box")
        return text.format(figure=figure_name(first[2]), unit=name_of(state, first[0])), needs
    other = next((entry for entry in battles_of(state).battles if entry.status == "fighting"), None)
    if other is not None:
        return _("Finish battle {id} first").format(id=other.id), ()
    return "", ()


def die_colours(state: GameState | None) -> dict[str, str]:
    """Return the colours of battle dice that a die can be said to have: those of the running game's edition."""
    if state is not None and state.setup is not None and state.setup.game in EDITIONS:
        levels = unit_table_of(state).levels
        return {level: _(COLOURS.get(level, level)) for level in levels}
    return {key: _(COLOURS[key]) for key in ("white", "gray", "black", "purple")}


FIGURES: dict[str, str] = {
    "number": N_("Hit number"),
    "level": N_("Firepower colour"),
    "targets": N_("Targets"),
    "range": N_("Range"),
    "anti_air": N_("Anti-air icons"),
    "armour": N_("Armour"),
    "move": N_("Move"),
    "cost": N_("Cost"),
    "abilities": N_("Ability icons"),
}


def figure_name(figure: str) -> str:
    """Return the name of a unit's figure, such as ``Hit number, red``."""
    name, _dot, colour = figure.partition(".")
    text = _(FIGURES.get(name, name))
    return f"{text}, {_(COLOURS.get(colour, colour))}" if colour else text


# Fighting


def _fought(
    state: GameState, declared: Declared, progress: Progress, rows: tuple[BattleRow, ...], title: str
) -> BattleView:
    can_declare = acting_side(state) is not None
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected):
        return BattleView(rows, declared.id, can_declare, "over", title, fight.detail)
    course = Course(fight, conduct_of(state, declared), loss_tables(fight))
    lines = _lines(state, declared, course, progress)
    losses = _loss_choices(state, declared, course, progress)
    combine = _combine_choice(declared, course, progress)
    retreat = _retreat_choice(state, declared, course, progress)
    if declared.status != "fighting":
        phase = "over"
    elif combine is not None:
        phase = "combine"
    elif losses:
        phase = "losses"
    elif retreat is not None:
        phase = "retreat"
    else:
        phase = "roll" if lines else "pass"
    asked: dict[str, int] = {}
    for line in lines:
        if line.dice:
            asked[line.colour] = asked.get(line.colour, 0) + line.dice
    there = {side: _counts_marks(state, fight, side, progress, support=False) for side in SIDES}
    return BattleView(
        rows,
        declared.id,
        can_declare,
        phase,
        title,
        term(state, STEP_TITLES.get(progress.step, progress.step)),
        lines,
        _silent_rows(state, course, progress),
        tuple(asked.items()) if phase == "roll" else (),
        losses,
        combine,
        retreat,
        bc.PassStep(declared.id) if phase == "pass" else None,
        there[ATTACKING],
        there[other_side(ATTACKING)],
        tuple(row for side in SIDES for row in _counts_marks(state, fight, side, progress, support=True)),
        progress.bombing,
    )


def _counts_marks(
    state: GameState, fight: Fight, side: str, progress: Progress, *, support: bool
) -> tuple[tuple[Mark, str, int], ...]:
    counts = progress.counts(side)
    return tuple(
        (nation_mark(state.frozen_setup, kind.nation), name_of(state, kind.unit.id), counts[kind.index])
        for kind in fight.kinds(side)
        if counts[kind.index] and kind.is_active != support
    )


def _line_mark(state: GameState, declared: Declared, line: Line) -> Mark:
    if line.nation:
        return nation_mark(state.frozen_setup, line.nation)
    return mark(state.frozen_setup, side_id(state, declared.attacker, line.side))


def _lines(state: GameState, declared: Declared, course: Course, progress: Progress) -> tuple[RollLine, ...]:
    if not progress.lines:
        return ()
    both = due_rolls(course, progress)
    found = []
    for index, (line, thrown) in enumerate(zip(progress.lines, progress.thrown, strict=True)):
        part = both[0 if line.side == ATTACKING else 1]
        volley = volley_of(line, both)
        units = ", ".join(
            f"{part.volleys[n].units} {name_of(state, part.volleys[n].source)}" for n in line.volleys
        )
        abilities = [
            text
            for has, text in (
                (volley.extra_shot, _("12 rolls again")),
                (volley.level_up, _("12 is one level up")),
                (volley.precise, _("12 is precise")),
            )
            if has
        ]
        found.append(
            RollLine(
                index,
                line.side,
                _line_mark(state, declared, line),
                units,
                thrown.waiting,
                line.colour,
                _(COLOURS.get(line.colour, line.colour)),
                line.number,
                " / ".join(_(_TARGETS.get(target, target)) for target in volley.aim.types),
                ", ".join(abilities),
                tuple(value for roll in thrown.rolls for value in roll.values()),
                thrown.hits,
                bool(thrown.rolls) and thrown.waiting > 0,
            )
        )
    return tuple(found)


def _silent_rows(state: GameState, course: Course, progress: Progress) -> tuple[SilentRow, ...]:
    found = []
    for side, part in zip(SIDES, due_rolls(course, progress), strict=True):
        for silent in part.silent:
            if silent.reason in (Reason.OTHER_STEP, Reason.NO_FIREPOWER):
                continue
            kind = course.fight.kinds(side)[silent.kind]
            found.append(
                SilentRow(
                    nation_mark(state.frozen_setup, kind.nation),
                    f"{silent.units} {name_of(state, kind.unit.id)}",
                    term(state, REASON_TEXTS[silent.reason]),
                )
            )
    return tuple(found)


def hits_text(hits: Sequence[Hit], levels: Sequence[str]) -> str:
    """Return hits in words, such as ``1 Black, 2 White``."""
    totals: dict[int, int] = {}
    for hit in hits:
        totals[hit.level] = totals.get(hit.level, 0) + hit.count
    return ", ".join(
        f"{count} {_(COLOURS.get(levels[level - 1], levels[level - 1]))}"
        for level, count in sorted(totals.items(), reverse=True)
    )


def _loss_choices(
    state: GameState, declared: Declared, course: Course, progress: Progress
) -> tuple[LossChoice, ...]:
    found = []
    for side in SIDES:
        choice = open_losses(progress, side)
        if choice is None or not progress.owed or declared.status != "fighting":
            continue
        counts, hits, by_shooter = choice
        proposed = course.tables[side].proposal(counts, hits)
        reachable = {
            index
            for losses in course.tables[side].legal(counts, hits)
            for index, loss in enumerate(losses)
            if loss
        }
        rows = tuple(
            LossRow(
                kind.index,
                nation_mark(state.frozen_setup, kind.nation),
                name_of(state, kind.unit.id),
                counts[kind.index],
                proposed[kind.index],
                kind.cost,
            )
            for kind in course.fight.kinds(side)
            if kind.index in reachable
        )
        losses = tuple(bc.UnitLosses(index, loss) for index, loss in enumerate(proposed) if loss)
        found.append(
            LossChoice(
                side,
                mark(state.frozen_setup, side_id(state, declared.attacker, side)),
                by_shooter,
                hits_text(hits, course.fight.table.levels),
                rows,
                bc.ChooseLosses(declared.id, side, losses),
            )
        )
    return tuple(found)


def _combine_choice(declared: Declared, course: Course, progress: Progress) -> CombineChoice | None:
    owed = next((entry for entry in progress.owed if entry.to_combine), None)
    if owed is None or declared.status != "fighting":
        return None
    levels = course.fight.table.levels
    hits = (*owed.precise, *owed.plain)
    best = best_combination(hits, progress.counts(owed.side), course.tables[owed.side])
    options = sorted(combinations(hits, len(levels)), key=lambda option: option != best)
    return CombineChoice(
        tuple((hits_text(option, levels), bc.CombineHits(declared.id, option)) for option in options)
    )


def _retreat_choice(
    state: GameState, declared: Declared, course: Course, progress: Progress
) -> RetreatChoice | None:
    if declared.status != "fighting" or not may_retreat(course.fight, progress):
        return None
    kinds = course.fight.defending
    sources = [kind.source for kind in kinds if kind.role == "leaving"]
    rows = tuple(
        LossRow(
            index,
            nation_mark(state.frozen_setup, kinds[index].nation),
            name_of(state, kinds[index].unit.id),
            progress.defending[index],
            0,
            kinds[index].cost,
        )
        for index in sources
        if progress.defending[index]
    )
    side = side_id(state, declared.attacker, "defending")
    return RetreatChoice(mark(state.frozen_setup, side), rows, bc.StandFast(declared.id))


# Commands of taps


def loss_command(battle: str, choice: LossChoice, chosen: Sequence[tuple[int, int]]) -> bc.ChooseLosses:
    """Return the command for casualties chosen by hand: pairs of kind and count."""
    return bc.ChooseLosses(
        battle, choice.side, tuple(bc.UnitLosses(kind, count) for kind, count in chosen if count)
    )


def retreat_command(battle: str, chosen: Sequence[tuple[int, int]], to: str = "") -> bc.RetreatUnits:
    """Return the command for units that leave: pairs of kind and count."""
    return bc.RetreatUnits(battle, tuple(bc.UnitLosses(kind, count) for kind, count in chosen if count), to)


def roll_command(
    battle: str, line: RollLine, values: Sequence[int], origin: DiceOrigin | None = None
) -> bc.RecordRoll:
    """Return the command for dice typed, read or rolled for one line."""
    dice = tuple(Die(DieColour(line.colour), value) for value in values)
    return bc.RecordRoll(battle, (line.index,), Roll(DieKind.D12, dice, origin or DiceOrigin()))


def virtual_values(line: RollLine, seed: int) -> tuple[tuple[int, ...], DiceOrigin]:
    """Roll a line's dice virtually: the same seed, line and dice give the same values.

    The seed comes from outside and is kept with the roll.
    """
    chance = random.Random(f"{seed}/{line.index}/{len(line.values)}")
    values = tuple(chance.randint(1, 12) for _die in range(line.dice))
    return values, DiceOrigin(DiceSource.VIRTUAL, seed=seed)
