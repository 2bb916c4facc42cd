"""Composing a battle: a tile for every unit that can be there, the groups as they stand, what is still missing."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Name, Say, several
from companion.core.text import side as side_name
from companion.games.sfw.pages.battle_words import COLOURS, figure_name, name_of
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, Battle, Group, ProblemCode
from companion.games.sfw.rules.battle_fire import missing
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import battles_of, fight_of, problems_of, side_id
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import TYPES, UnitSpec
from companion.pages.frame import Mark, mark, nation_mark
from companion.pages.i18n import _, ngettext
from companion.pages.labels import refusal, unit_name
from companion.pages.speak import speak

__all__ = ["Composer", "GroupRow", "Tile", "composer", "letters"]

_PER_LINE = 4
"""Units on a line of the list of letters."""


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


def letters(state: GameState) -> tuple[tuple[str, str], ...]:
    """Return what the letters on the tiles stand for: the units of this game by type, a few a line."""
    rows = []
    specs = list(unit_table_of(state).units.values())
    for kind in TYPES:
        names = [
            f"{spec.short} {name_of(state, spec.id)}".replace(" ", "\u00a0")  # no line ends inside a name
            for spec in specs
            if spec.type == kind
        ]
        rows += [
            ("" if at else unit_name(kind), " · ".join(names[at : at + _PER_LINE]))
            for at in range(0, len(names), _PER_LINE)
        ]
    return tuple(rows)


def _group_row(state: GameState, side: str, index: int, group: Group) -> GroupRow:
    notes = []
    if group.distance:
        notes.append(ngettext("{n} space away", "{n} spaces away", group.distance).format(n=group.distance))
    if group.origin:
        notes.append(_("paired with {space}").format(space=group.origin))
    elif group.home:
        notes.append(group.home)
    if group.terrain == "mountain" and group.distance:
        notes.append(_("in the mountains"))
    if group.spent:
        notes.append(_("has fired"))
    if group.moved is not None:
        notes.append(_("moved") if group.moved else _("did not move"))
    if group.combined:
        notes.append(speak(Name("fire", "combined"), state))
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
        empty = [p.side for p in problems_of(state, declared) if p.code == ProblemCode.NOBODY]
        if empty and fight.code == ProblemCode.NOBODY:
            sides = several((side_name(side_id(state, declared.attacker, side)) for side in empty), "comma")
            return speak(Say("Nobody is there: {sides}", sides=sides), state), ()
        return refusal(fight, state), ()
    needs = missing(fight)
    if needs:
        first = needs[0].partition(".")
        text = _("{figure} of {unit} is not in the rules: enter it from your box")
        return text.format(figure=figure_name(first[2]), unit=name_of(state, first[0])), needs
    other = next((entry for entry in battles_of(state).battles if entry.status == "fighting"), None)
    if other is not None:
        return _("Finish battle {id} first").format(id=other.id), ()
    return "", ()
