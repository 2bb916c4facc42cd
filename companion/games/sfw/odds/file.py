"""The battle file of Song for War, both editions: JSON in, a checked fight out.

    {"game": "sfw96", "movement_step": 4, "terrain": "land",
     "attacking": [{"unit": "tank", "count": 2, "nation": "us", "distance": 0}],
     "defending": [{"unit": "infantry", "count": 3, "nation": "germany"}],
     "printed_values": {"tank": {"number": 8}},
     "policy": "cheapest"}

`companion odds --help` lists every key. Numbers of spaces, dice and units are whole; a key that is not known is a
fault, so that a typing error never passes silently.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from companion.core.collecting import convert
from companion.core.text import Range, Say, Several, Typed, nation, several
from companion.games.sfw.rules.battle import (
    ATTACKING,
    DEFENDING,
    Battle,
    Fight,
    Group,
    Load,
    Problem,
    ProblemCode,
)
from companion.games.sfw.rules.battle_edition import EDITIONS, with_rulings
from companion.games.sfw.rules.battle_fire import missing
from companion.games.sfw.rules.battle_losses import Policy
from companion.games.sfw.rules.battle_rolls import steps
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.named import sentences
from companion.games.sfw.rules.units import (
    UnitError,
    UnitTable,
    as_ruled,
    unit_table,
    with_card,
    with_printed,
)
from companion.games.sfw.rules.upgrades import card_fault, is_upgraded
from companion.odds.battle_file import BAD_FILE, BattleFileError, known_as, misfits, ruling_faults, wrong

__all__ = [
    "DEFAULT_GAME",
    "BattleFile",
    "Dice",
    "Losses",
    "load_units",
    "nation_sides",
    "read_battle",
]


DEFAULT_GAME = "sfw96"
"""The game of a battle file that names none."""


class Dice(msgspec.Struct, frozen=True):
    """Dice given for one roll of one step."""

    step: str
    side: str
    values: tuple[int, ...]
    unit: str = ""
    colour: str = ""
    nation: str = ""


class Losses(msgspec.Struct, frozen=True):
    """Casualties chosen by hand on one step; a name is a unit or ``nation unit``."""

    step: str
    side: str
    units: dict[str, int]


class BattleFile(msgspec.Struct, frozen=True):
    """A battle file, checked."""

    game: str
    fight: Fight
    policies: dict[str, Policy]
    dice: tuple[Dice, ...] = ()
    losses: tuple[Losses, ...] = ()
    seed: int | None = None
    position: int = 0
    """Index of the battle step from which the odds are asked."""
    rulings: frozenset[str] = frozenset()
    """Open points of the rules that the file settles."""


class _RawLoad(msgspec.Struct, forbid_unknown_fields=True):
    unit: str
    count: int = 1


class _RawGroup(msgspec.Struct, forbid_unknown_fields=True):
    unit: str
    count: int = 1
    nation: str = ""
    distance: int = 0
    active: bool = False
    origin: str = ""
    terrain: str = ""
    moved: bool | None = None
    spent: bool = False
    choice: str = ""
    bombing: int = 0
    dice: list[str] = []
    combined_fire: bool = False
    cargo: list[_RawLoad] = []
    unload: bool = True


class _RawDice(msgspec.Struct, forbid_unknown_fields=True):
    step: str | int
    side: str
    values: list[int]
    unit: str = ""
    colour: str = ""
    nation: str = ""


class _RawLosses(msgspec.Struct, forbid_unknown_fields=True):
    step: str | int
    side: str
    units: dict[str, int]


class _Raw(msgspec.Struct, forbid_unknown_fields=True):
    movement_step: int
    terrain: str
    attacking: list[_RawGroup]
    defending: list[_RawGroup]
    game: str = DEFAULT_GAME
    title: str = ""
    occasion: str = "battle"
    airfield: str = ""
    sea_walls: int = 0
    wall_facing: list[str] = []
    lines: int = 0
    line_dice: list[int] = []
    bridge: bool = False
    mines: int = 0
    push_through: bool = False
    contested: bool = False
    revealed: bool | None = None
    retreat: list[str] = []
    printed_values: dict[str, dict[str, Any]] = {}
    units: list[dict[str, Any]] = []
    rulings: dict[str, str] = {}
    policy: Any = "cheapest"
    dice: list[_RawDice] = []
    losses: list[_RawLosses] = []
    seed: int | None = None
    from_step: str | int = ""


_ALIASES = {"aircraft_carrier": "carrier"}
_NATIONS = {
    "uk": "gb",
    "britain": "gb",
    "great_britain": "gb",
    "british": "gb",
    "usa": "us",
    "united_states": "us",
    "american": "us",
    "german": "germany",
    "italian": "italy",
}
"""Other ways to write a nation's id."""


def load_units(game: str) -> UnitTable:
    """Return the standard unit table of a game from the installed data. KeyError for a game without one."""
    if game not in EDITIONS:
        raise KeyError(game)
    text = resources.files(f"scenarios.{game}").joinpath("units.toml").read_text(encoding="utf-8")
    return unit_table(tomllib.loads(text))


def read_battle(data: Mapping[str, Any], name: str = "battle file", *, complete: bool = True) -> BattleFile:
    """Check a battle file of Song for War that is decoded already.

    Args:
        data: What `decode` returns.
        name: What the file is called in messages.
        complete: Also refuse a battle whose dice cannot all be told for want of printed values.

    Raises:
        BattleFileError: With every fault found and a code.
    """
    raw, faults = convert(dict(data), _Raw, name)
    if faults:
        raise BattleFileError(BAD_FILE, misfits(faults))
    slips = list(ruling_faults(raw.game, raw.rulings, name))
    if slips:
        raise BattleFileError(BAD_FILE, slips)
    table = _table(raw, name)
    edition = with_rulings(EDITIONS[raw.game], raw.rulings)
    battle = _battle(raw, name)
    _check_nations(raw.game, battle, name)
    if edition.has_retreat and not raw.from_step:
        _check_retreat(battle, name)
    found = set_up(battle, edition, table, has_begun=bool(str(raw.from_step)))
    if not isinstance(found, Fight):
        raise _problems(found, name)
    policies = {
        side: _policy(raw.policy, side, table, nation_sides(raw.game), name)
        for side in (ATTACKING, DEFENDING)
    }
    if complete:
        needs = missing(found)
        if needs:
            raise BattleFileError(
                ProblemCode.PRINTED_VALUE_MISSING, [_missing_line(name, table, key) for key in needs], needs
            )
    return BattleFile(
        raw.game,
        found,
        policies,
        tuple(_dice(entry, name) for entry in raw.dice),
        tuple(Losses(str(entry.step).upper(), _side(entry.side, name), entry.units) for entry in raw.losses),
        raw.seed,
        _position(raw.from_step, found, name),
        frozenset(raw.rulings),
    )


def _position(step: str | int, fight: Fight, name: str) -> int:
    order = steps(fight)
    wanted = str(step)
    wanted = wanted.upper() if wanted[:1].isdigit() else wanted
    if wanted and wanted not in order:
        fault = wrong(name, "from_step", known_as(dict.fromkeys(order), wanted), step)
        raise BattleFileError(BAD_FILE, [fault])
    return order.index(wanted) if wanted else 0


@cache
def nation_sides(game: str) -> Mapping[str, str]:
    """Return every nation of a game's scenarios with its side."""
    found: dict[str, str] = {}
    for file in sorted(resources.files(f"scenarios.{game}").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            for nation in tomllib.loads(file.read_text(encoding="utf-8")).get("nations", ()):
                found[nation["id"]] = nation["side"]
    return found


def _check_nations(game: str, battle: Battle, name: str) -> None:
    """Refuse nations that the game does not have, and those of one side who stand against each other."""
    known = nation_sides(game)
    sides: dict[str, dict[str, str]] = {ATTACKING: {}, DEFENDING: {}}
    for side, groups in ((ATTACKING, battle.attacking), (DEFENDING, battle.defending)):
        for number, group in enumerate(groups):
            if not group.nation:
                continue
            if group.nation not in known:
                key = f"{side}[{number}].nation"
                fault = wrong(name, key, known_as(known, group.nation), group.nation)
                raise BattleFileError("unknown_nation", [fault])
            sides[side].setdefault(known[group.nation], group.nation)
    for side, found in sides.items():
        if len(found) > 1:
            fault = Say(
                "{file}: {side}: {nations} are never on the same side.",
                file=Typed(name),
                side=Typed(side),
                nations=several(map(nation, found.values())),
            )
            raise BattleFileError(ProblemCode.WRONG_NATION, [fault])
    for both in sides[ATTACKING].keys() & sides[DEFENDING].keys():
        if sides[ATTACKING][both] != sides[DEFENDING][both]:
            fault = Say(
                "{file}: {nations} are on the same side and never fight each other.",
                file=Typed(name),
                nations=several((nation(sides[ATTACKING][both]), nation(sides[DEFENDING][both]))),
            )
            raise BattleFileError(ProblemCode.WRONG_NATION, [fault])


def _table(raw: _Raw, name: str) -> UnitTable:
    """Return the unit table of a file as a running game has it: printed values first, so that cards copy them."""
    table = as_ruled(load_units(raw.game), raw.rulings)
    printed = {
        f"{_ALIASES.get(given, given)}.{key}": value
        for given, figures in raw.printed_values.items()
        for key, value in figures.items()
    }
    standard = {key: value for key, value in printed.items() if key.partition(".")[0] in table.units}
    table = _printed(table, standard, name)
    faults: list[Say] = []
    for card in raw.units:
        try:
            table = _with_card(table, card)
        except UnitError as error:
            faults.extend(_in_file(name, "units", fault) for fault in error.faults)
    for given in raw.printed_values:
        of = _ALIASES.get(given, given)
        if of not in table.units:
            faults.append(wrong(name, "printed_values", known_as(table.units, of), of))
    if faults:
        raise BattleFileError(BAD_FILE, faults)
    return _printed(table, {key: value for key, value in printed.items() if key not in standard}, name)


def _printed(table: UnitTable, printed: Mapping[str, Any], name: str) -> UnitTable:
    try:
        return with_printed(table, printed, strict=True)
    except UnitError as error:
        raise BattleFileError(
            "bad_printed_value", [_in_file(name, "printed_values", fault) for fault in error.faults]
        ) from error


_CARD_KINDS = ("unique", "upgrade")


def _with_card(table: UnitTable, entry: Mapping[str, Any]) -> UnitTable:
    """Add a unit of a file; an upgrade takes the place of its nation's base unit. UnitError where it cannot."""
    card = {key: value for key, value in entry.items() if key != "kind"}
    kind, where = entry.get("kind", "unique"), str(entry.get("id", "?"))
    if kind not in _CARD_KINDS:
        known = several(map(Typed, _CARD_KINDS), "or")
        raise UnitError([Say("{key}: choose {known}.", key=Typed(f"{where}: kind"), known=known)])
    if kind == "upgrade" and not card.get("nation"):
        raise UnitError([Say("{key}: an upgrade belongs to one nation.", key=Typed(f"{where}: nation"))])
    nation_id = str(card.get("nation", ""))
    card["nation"] = _NATIONS.get(nation_id.casefold(), nation_id)
    again = is_upgraded(table, card["nation"], str(card.get("base"))) if kind == "upgrade" else None
    fault = again or card_fault(table, card)
    if fault is not None:
        raise UnitError([fault])
    return with_card(table, card, is_upgrade=kind == "upgrade")


def _battle(raw: _Raw, name: str) -> Battle:
    if raw.occasion not in ("battle", "movement", "disengage"):
        occasions = known_as(("battle", "movement", "disengage"), raw.occasion)
        raise BattleFileError(BAD_FILE, [wrong(name, "occasion", occasions, raw.occasion)])
    return Battle(
        movement_step=raw.movement_step,
        terrain=raw.terrain,
        attacking=tuple(_group(group) for group in raw.attacking),
        defending=tuple(_group(group) for group in raw.defending),
        occasion=msgspec.convert(raw.occasion, Any),
        airfield=raw.airfield,
        sea_walls=raw.sea_walls,
        wall_facing=tuple(raw.wall_facing),
        lines=raw.lines,
        line_dice=tuple(raw.line_dice),
        bridge=raw.bridge,
        mines=raw.mines,
        push_through=raw.push_through,
        contested=raw.contested,
        revealed=raw.revealed,
        air_cancels_landing=raw.rulings.get("landing_air") == "falls_away",
        retreat=tuple(raw.retreat),
    )


def _group(raw: _RawGroup) -> Group:
    return Group(
        unit=_ALIASES.get(raw.unit, raw.unit),
        count=raw.count,
        nation=_NATIONS.get(raw.nation.casefold(), raw.nation),
        distance=raw.distance,
        origin=raw.origin or ("origin" if raw.active and raw.distance else ""),
        terrain=raw.terrain,
        moved=raw.moved,
        spent=raw.spent,
        choice=raw.choice,
        bombing=raw.bombing,
        dice=tuple(raw.dice),
        combined=raw.combined_fire,
        cargo=tuple(Load(_ALIASES.get(load.unit, load.unit), load.count) for load in raw.cargo),
        unload=raw.unload,
    )


def _policy(raw: Any, side: str, table: UnitTable, nations: Collection[str], name: str) -> Policy:
    if isinstance(raw, dict) and set(raw) <= {ATTACKING, DEFENDING}:
        raw = raw.get(side, "cheapest")
    if isinstance(raw, list):
        raw = {"order": raw}
    if isinstance(raw, dict) and set(raw) == {"order"} and isinstance(raw["order"], list):
        names = [str(item) for item in raw["order"]]
        unknown = [
            item
            for item in names
            if item.split(" ")[-1] not in table.units or (" " in item and item.split(" ")[0] not in nations)
        ]
        if unknown:
            expected = Say("units such as {one} or {other}", one=Typed("infantry"), other=Typed("us tank"))
            raise BattleFileError(BAD_FILE, [wrong(name, "policy.order", expected, unknown[0])])
        return Policy("order", tuple(names))
    if raw in ("cheapest", "keep_control"):
        return Policy(raw)
    expected = Say(
        "{policies}, a list of units in order of loss, or an object with {sides}",
        policies=Several((Typed("cheapest"), Typed("keep_control")), "comma"),
        sides=several((Typed(ATTACKING), Typed(DEFENDING))),
    )
    raise BattleFileError(BAD_FILE, [wrong(name, "policy", expected, raw)])


def _side(side: str, name: str) -> str:
    if side not in (ATTACKING, DEFENDING):
        raise BattleFileError(BAD_FILE, [wrong(name, "side", known_as((ATTACKING, DEFENDING), side), side)])
    return side


def _dice(raw: _RawDice, name: str) -> Dice:
    for value in raw.values:
        if not 1 <= value <= 12:
            fault = wrong(name, f"dice.step {raw.step}", Range(1, 12), value)
            raise BattleFileError("bad_dice", [fault])
    step = str(raw.step)
    step = step.upper() if step[:1].isdigit() else step
    return Dice(
        step,
        _side(raw.side, name),
        tuple(raw.values),
        _ALIASES.get(raw.unit, raw.unit),
        raw.colour,
        _NATIONS.get(raw.nation.casefold(), raw.nation),
    )


def _check_retreat(battle: Battle, name: str) -> None:
    """Refuse a retreat of what does not defend: it would be left out without a word.

    Source: rulebook v0.96, Abilities, Retreat
    """
    there = dict.fromkeys(group.unit for group in battle.defending if group.count and not group.distance)
    faults = [
        wrong(name, f"retreat[{number}]", known_as(there, leaves), leaves)
        for number, leaves in enumerate(battle.retreat)
        if leaves not in there
    ]
    if faults and there:
        raise BattleFileError(BAD_FILE, faults)


def _problems(problems: tuple[Problem, ...], name: str) -> BattleFileError:
    return BattleFileError(problems[0].code, [_problem(problem, name) for problem in problems])


def _problem(problem: Problem, name: str) -> Say:
    if problem.group is None:
        return Say("{file}: {fault}", file=Typed(name), fault=problem.say)
    return _in_file(name, f"{problem.side}[{problem.group}] {problem.unit}".strip(), problem.say)


def _in_file(name: str, key: str, fault: Say) -> Say:
    return Say("{file}: {key}: {fault}", file=Typed(name), key=Typed(key), fault=fault)


def _missing_line(name: str, table: UnitTable, key: str) -> Say:
    id_, _, of = key.partition(".")
    why = table.units[id_].status_of(of.partition(".")[0]).reason
    add = Typed(f'"printed_values": {{"{id_}": {{"{of}": ...}}}}')
    says = [
        Say("{file}: the rules do not give this value: {key}.", file=Typed(name), key=Typed(key)),
        *([Say("Why: {reason}.", reason=Typed(why))] if why else []),
        Say("Read it from your own box and add it to the file: {entry}", entry=add),
    ]
    return sentences(says)
