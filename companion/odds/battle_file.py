"""The battle file of both editions: JSON in, a checked fight out.

    {"game": "sfw96", "movement_step": 4, "terrain": "land",
     "attacking": [{"unit": "tank", "count": 2, "nation": "us", "distance": 0}],
     "defending": [{"unit": "infantry", "count": 3, "nation": "germany"}],
     "printed_values": {"tank": {"number": 8}},
     "policy": "cheapest"}

`companion odds --help` lists every key. Numbers of spaces, dice and units are whole; a key that is not known is a
fault, so that a typing error never passes silently.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from companion.core.collecting import convert, one_of
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
from companion.games.sfw.rules.units import (
    UnitError,
    UnitTable,
    as_ruled,
    unit_table,
    with_card,
    with_printed,
)

__all__ = [
    "DEFAULT_GAME",
    "BattleFile",
    "BattleFileError",
    "Dice",
    "Losses",
    "decode",
    "load_units",
    "nation_sides",
    "read_battle",
]


DEFAULT_GAME = "sfw96"
"""The game of a battle file that names none."""


class BattleFileError(ValueError):
    """A battle file that cannot be worked; `code` says what sort of fault, the text every fault, one a line."""

    def __init__(self, code: str, faults: list[str], missing_values: tuple[str, ...] = ()) -> None:
        """Keep the faults and, where figures are missing, their printed value keys."""
        super().__init__("\n".join(faults))
        self.code = code
        self.faults = faults
        self.missing = missing_values


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
    lines: int = 0
    line_dice: list[int] = []
    bridge: bool = False
    mines: int = 0
    push_through: bool = False
    contested: bool = False
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
_BAD_FILE = "bad_file"


def load_units(game: str) -> UnitTable:
    """Return the standard unit table of a game from the installed data. KeyError for a game without one."""
    if game not in EDITIONS:
        raise KeyError(game)
    text = resources.files(f"scenarios.{game}").joinpath("units.toml").read_text(encoding="utf-8")
    return unit_table(tomllib.loads(text))


def decode(text: str, name: str) -> dict[str, Any]:
    """Return what a battle file says, whatever its game.

    Raises:
        BattleFileError: ``bad_file`` when it is no JSON object in UTF-8.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BattleFileError(_BAD_FILE, [f"{name}: {where}: not JSON: {error.msg}"]) from error
    except RecursionError as error:
        fault = f"{name}: nested too deeply; a battle file nests lists and objects five deep at most"
        raise BattleFileError(_BAD_FILE, [fault]) from error
    except ValueError as error:
        raise BattleFileError(_BAD_FILE, [f"{name}: {error}"]) from error
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        fault = f"{name}: expected text in UTF-8, got the lone surrogate {error.object[error.start]!a}"
        raise BattleFileError(_BAD_FILE, [fault]) from error
    if not isinstance(data, dict):
        raise BattleFileError(_BAD_FILE, [f"{name}: expected an object, got {type(data).__name__}"])
    return data


def read_battle(data: Mapping[str, Any], name: str = "battle file", *, complete: bool = True) -> BattleFile:
    """Check a battle file of Song for War that is decoded already.

    Args:
        data: What `decode` returns.
        name: What the file is called in messages.
        complete: Also refuse a battle whose dice cannot all be told for want of printed values.

    Raises:
        BattleFileError: With every fault found and a code.
    """
    raw, wrong = convert(dict(data), _Raw, name)
    if wrong:
        raise BattleFileError(_BAD_FILE, [*map(str, wrong)])
    _check_rulings(raw, name)
    table = _table(raw, name)
    edition = with_rulings(EDITIONS[raw.game], raw.rulings)
    battle = _battle(raw, name)
    _check_nations(raw.game, battle, name)
    found = set_up(battle, edition, table)
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
    )


def _position(step: str | int, fight: Fight, name: str) -> int:
    order = steps(fight)
    wanted = str(step)
    wanted = wanted.upper() if wanted[:1].isdigit() else wanted
    if wanted and wanted not in order:
        fault = f"{name}: from_step: expected one of {', '.join(dict.fromkeys(order))}, got {step!r}"
        raise BattleFileError(_BAD_FILE, [fault])
    return order.index(wanted) if wanted else 0


def _check_rulings(raw: _Raw, name: str) -> None:
    """Refuse rulings and choices that the game does not know: a slip of the pen must not decide a battle."""
    text = resources.files(f"scenarios.{raw.game}").joinpath("rulings.toml").read_text(encoding="utf-8")
    known = {ruling["id"]: ruling["choices"] for ruling in tomllib.loads(text)["rulings"]}
    faults: list[str] = []
    for ruling, choice in raw.rulings.items():
        if ruling not in known:
            faults.append(f"{name}: rulings: expected {one_of(known, ruling)}, got {ruling!r}")
        elif choice not in known[ruling]:
            faults.append(
                f"{name}: rulings: {ruling}: expected one of {', '.join(known[ruling])}, got {choice!r}"
            )
    if faults:
        raise BattleFileError(_BAD_FILE, faults)


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
                fault = f"{name}: {side}[{number}].nation: expected {one_of(known, group.nation)}, got {group.nation!r}"
                raise BattleFileError("unknown_nation", [fault])
            sides[side].setdefault(known[group.nation], group.nation)
    for side, found in sides.items():
        if len(found) > 1:
            fault = f"{name}: {side}: {' and '.join(found.values())} are never on one side"
            raise BattleFileError(ProblemCode.WRONG_NATION, [fault])
    for both in sides[ATTACKING].keys() & sides[DEFENDING].keys():
        pair = f"{sides[ATTACKING][both]} and {sides[DEFENDING][both]}"
        if sides[ATTACKING][both] != sides[DEFENDING][both]:
            fault = f"{name}: {pair} are on the same side and never fight each other"
            raise BattleFileError(ProblemCode.WRONG_NATION, [fault])


def _table(raw: _Raw, name: str) -> UnitTable:
    faults: list[str] = []
    table = as_ruled(load_units(raw.game), raw.rulings)
    for card in raw.units:
        try:
            table = with_card(table, card)
        except UnitError as error:
            faults.append(f"{name}: units: {error}")
    printed: dict[str, Any] = {}
    for unit, figures in raw.printed_values.items():
        unit = _ALIASES.get(unit, unit)
        if unit not in table.units:
            faults.append(f"{name}: printed_values: expected {one_of(table.units, unit)}, got {unit!r}")
        for figure, value in figures.items():
            printed[f"{unit}.{figure}"] = value
    if faults:
        raise BattleFileError(_BAD_FILE, faults)
    try:
        return with_printed(table, printed, strict=True)
    except UnitError as error:
        raise BattleFileError(
            "bad_printed_value", [f"{name}: printed_values: {line}" for line in str(error).splitlines()]
        ) from error


def _battle(raw: _Raw, name: str) -> Battle:
    if raw.occasion not in ("battle", "movement", "disengage"):
        fault = f"{name}: occasion: expected battle, movement or disengage, got {raw.occasion!r}"
        raise BattleFileError(_BAD_FILE, [fault])
    return Battle(
        movement_step=raw.movement_step,
        terrain=raw.terrain,
        attacking=tuple(_group(group) for group in raw.attacking),
        defending=tuple(_group(group) for group in raw.defending),
        occasion=msgspec.convert(raw.occasion, Any),
        airfield=raw.airfield,
        sea_walls=raw.sea_walls,
        lines=raw.lines,
        line_dice=tuple(raw.line_dice),
        bridge=raw.bridge,
        mines=raw.mines,
        push_through=raw.push_through,
        contested=raw.contested,
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
            raise BattleFileError(
                _BAD_FILE,
                [
                    f"{name}: policy: order: expected units such as 'infantry' or 'us tank', got {unknown[0]!r}"
                ],
            )
        return Policy("order", tuple(names))
    if raw in ("cheapest", "keep_control"):
        return Policy(raw)
    fault = (
        f"{name}: policy: expected cheapest, keep_control, a list of units in order of loss, "
        f"or an object with attacking and defending, got {raw!r}"
    )
    raise BattleFileError(_BAD_FILE, [fault])


def _side(side: str, name: str) -> str:
    if side not in (ATTACKING, DEFENDING):
        raise BattleFileError(_BAD_FILE, [f"{name}: side: expected attacking or defending, got {side!r}"])
    return side


def _dice(raw: _RawDice, name: str) -> Dice:
    for value in raw.values:
        if not 1 <= value <= 12:
            fault = f"{name}: dice: step {raw.step}: expected values of 1-12, got {value}"
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


def _problems(problems: tuple[Problem, ...], name: str) -> BattleFileError:
    return BattleFileError(problems[0].code, [f"{name}: {problem.detail}" for problem in problems])


def _missing_line(name: str, table: UnitTable, key: str) -> str:
    unit, _, figure = key.partition(".")
    spec = table.units[unit]
    why = spec.status_of(figure.partition(".")[0]).reason
    because = f" ({why})" if why else ""
    return (
        f"{name}: the {figure} of {spec.name} is not in the rules text{because}; read it from your own box and "
        f'add it: "printed_values": {{"{unit}": {{"{figure}": ...}}}}'
    )
