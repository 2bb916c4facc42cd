"""The unit table of one edition: figures with their status, printed values and cards.

A table is built from plain data (the game's frozen tables) and checked whole. Figures that the rules text does
not give stay None with the status ``unknown``; the table enters them as printed values, key ``unit.figure``.
Levels are numbers here, 1 the weakest; their colour names belong to the edition's table.
Source: rulebook section Standard Units.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from companion.core.text import Name, Range, Say, Several, Typed, Value, several, unit
from companion.games.sfw.rules.named import colour, figure_of, found, sentences
from companion.games.sfw.rules.named import figure as figure_name

__all__ = [
    "ABILITIES",
    "ICONS",
    "MOST_FIGURE",
    "TYPES",
    "Capacity",
    "Fire",
    "Role",
    "Status",
    "UnitError",
    "UnitSpec",
    "UnitTable",
    "as_ruled",
    "is_figure",
    "load_counts",
    "number_figure",
    "number_figures",
    "printed_fault",
    "unit_table",
    "with_card",
    "with_printed",
]

Role = Literal["both", "attack", "defence"]
TYPES = ("air", "sea", "land")
"""Unit types, which are also what a shot may be allowed to hit."""

ICONS = ("extra_shot", "level_up", "precise_hit", "retreat", "disengage")
"""Abilities printed as icons; which unit has which is not all in the text, so a printed list may settle it."""

ABILITIES = (
    *ICONS,
    "ambush",
    "coverage",
    "deployed",
    "engineer",
    "escort",
    "heavy",
    "high_ground",
    "land_bridge",
    "long_range",
    "mine_layer",
    "mobile",
    "search",
    "sonar",
    "submerged",
    "supply_hub",
    "targeted_bombing",
)
"""Every named ability; what each does in battle is in `companion.games.sfw.rules.battle_rolls`."""

_MOST_LOAD = 99
_STATUSES = ("stated", "inferred", "unknown", "printed", "card")
_FIGURES = ("move", "armour", "cost", "level", "number", "targets", "range", "anti_air", "abilities")
MOST_FIGURE = {"move": 20, "cost": 99, "range": 9, "anti_air": 9}
"""Highest figure that a printed value or a card may have."""


class UnitError(ValueError):
    """Broken unit data or a card that cannot be; names every fault found."""

    def __init__(self, faults: Iterable[Say]) -> None:
        """Keep the faults; as text they stand one a line."""
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))

    def say(self) -> Say:
        """Return every fault, one sentence after another."""
        return sentences(self.faults)


def _words(words: Iterable[object]) -> Several:
    """Return ids as a data file writes them."""
    return several((Typed(str(word)) for word in words), "comma")


def _wrong(key: str, expected: Value, got: object) -> Say:
    """Say that a value of a file or a card is not what it should be."""
    return Say(
        "{key}: expected {expected}, got {found}.", key=Typed(key), expected=expected, found=found(got)
    )


def _unlike(key: str, known: Iterable[object], got: object) -> Say:
    """Say that a value is none of those known."""
    return Say(
        "{key}: expected one of {known}, got {found}.", key=Typed(key), known=_words(known), found=found(got)
    )


class Status(msgspec.Struct, frozen=True):
    """Where a figure comes from: stated, inferred, unknown, printed (the table's box) or card."""

    status: str
    reason: str = ""


class Fire(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a unit's firepower box: dice of one level at one number against unit types."""

    level: int | None
    """Highest armour level that a hit destroys; also names the colour of the dice."""
    number: int | None
    """Hit on this roll or higher."""
    targets: tuple[str, ...] | None
    dice: int = 1
    role: Role = "both"
    choice: str = ""
    """Lines with different non-empty choices exclude each other: one roll, the owner chooses the line."""


class Capacity(msgspec.Struct, frozen=True):
    """Room aboard: up to `count` in all of the named units."""

    units: tuple[str, ...]
    count: int | None = None
    """None: the figure is not known, and nothing is checked against it."""


class UnitSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """One unit as the rules see it."""

    id: str
    name: str
    short: str
    type: str
    armour: int
    cost: int | None = None
    """None: not known; nothing can be bought until it is entered."""
    move: int | None = None
    movement_steps: tuple[int, ...] = ()
    battle_steps: tuple[int, ...] = ()
    """Battle steps on which it rolls, 1-6."""
    abilities: tuple[str, ...] = ()
    fire: tuple[Fire, ...] = ()
    range: int | None = 0
    """Spaces from which it fights and supports; None: it has range, the figure is unknown."""
    range_at_least: int = 0
    anti_air: int | None = 0
    """Anti-air icons, one bonus roll each; None: unknown."""
    targets_at_least: tuple[str, ...] = ()
    """Where the targets are unknown: what it may hit in any case."""
    control: bool = False
    """Control-capable."""
    capacity: tuple[Capacity, ...] = ()
    loads: dict[str, bool] = {}
    """Of a transport whose room is not known: whether it carries a load, such as ``2_infantry+1_tank``."""
    base: str = ""
    """The standard unit behind an upgraded or unique one; empty for a standard unit."""
    nation: str = ""
    """The only nation that has it; empty for all."""
    status: dict[str, Status] = {}
    """Figure or ability to its status, where it is not simply stated."""

    def has(self, ability: str) -> bool:
        """Say whether it has a named ability."""
        return ability in self.abilities

    @property
    def standard(self) -> str:
        """Return the id of the standard unit that it is or stands for."""
        return self.base or self.id

    @property
    def weight(self) -> int:
        """Return what its loss weighs when casualties are proposed: its cost, or its armour level while unknown."""
        return self.armour if self.cost is None else self.cost

    def figure(self, table: UnitTable, figure: str) -> Any:
        """Return a figure's value, ``number.red`` too; None while it is unknown. AttributeError for no figure."""
        name, _, colour = figure.partition(".")
        if name not in ("level", "number", "targets"):
            return getattr(self, name)
        lines = [line for line in self.fire if not colour or line.level == table.level_of(colour)]
        return next((getattr(line, name) for line in lines), None)

    def status_of(self, figure: str) -> Status:
        """Return the status of a figure or ability."""
        return self.status.get(figure, Status("stated"))

    def unknown(self) -> tuple[str, ...]:
        """Return the figures that nobody has given yet."""
        return tuple(key for key, value in self.status.items() if value.status == "unknown")


class UnitTable(msgspec.Struct, frozen=True):
    """All units of one edition by id, in the order of the aid."""

    edition: str
    levels: tuple[str, ...]
    """Level names from the weakest; level n is ``levels[n - 1]``."""
    units: dict[str, UnitSpec]
    upgrades: dict[str, str] = {}
    """``nation.unit`` to the unit that has taken the place of all of that nation's units of this sort."""

    def owned(self, nation: str, unit: str) -> str:
        """Return what a nation's unit is now: its upgrade where the nation has upgraded it, else the unit itself."""
        return self.upgrades.get(f"{nation}.{unit}", unit)

    def fields(self, nation: str, unit: str) -> bool:
        """Say whether a nation has a unit: it exists, belongs to no other nation and has not been upgraded away."""
        spec = self.units.get(unit)
        return spec is not None and spec.nation in ("", nation) and self.owned(nation, unit) == unit

    def fielded(self, nation: str) -> tuple[UnitSpec, ...]:
        """Return the units that a nation has, each upgrade in the place of the unit that it upgrades."""
        upgrades = {unit for key, unit in self.upgrades.items() if key.startswith(f"{nation}.")}
        owned = (self.owned(nation, unit) for unit in self.units if unit not in upgrades)
        return tuple(self.units[unit] for unit in owned if self.fields(nation, unit))

    def level_name(self, level: int) -> str:
        """Return the colour word of a level."""
        return self.levels[level - 1]

    def level_of(self, name: str) -> int:
        """Return the level of a colour word. ValueError when the edition has no such level."""
        return self.levels.index(name) + 1


def unit_table(data: Mapping[str, Any]) -> UnitTable:
    """Build a table from plain data (the parsed ``units.toml``).

    Raises UnitError that names every broken key, what was expected and what was found.
    """
    faults: list[Say] = []
    levels = tuple(data.get("levels", ()))
    if len(levels) < 2 or not all(isinstance(level, str) for level in levels):
        faults.append(_wrong("levels", Say("a list of colour words"), data.get("levels")))
    units: dict[str, UnitSpec] = {}
    for raw in data.get("unit", ()):
        where = f"unit {raw.get('id', '?')}"
        if raw.get("id") in units:
            faults.append(Say("{key}: this id is given twice.", key=Typed(where)))
        spec = _unit(raw, levels, where, faults)
        if spec is not None:
            units[spec.id] = spec
    if not units:
        faults.append(Say("The file names no unit."))
    if faults:
        raise UnitError(faults)
    return UnitTable(str(data.get("edition", "")), levels, units)


def _unit(raw: Mapping[str, Any], levels: tuple[str, ...], where: str, faults: list[Say]) -> UnitSpec | None:
    before = len(faults)
    known = {field.name for field in msgspec.structs.fields(UnitSpec)}
    faults.extend(_unknown_key(where, key) for key in raw if key not in known)
    status = {key: Status(*value) for key, value in dict(raw.get("status", {})).items()}
    for key in ("id", "name", "short", "type", "armour", "cost"):
        if key not in raw and not (key == "cost" and key in status):
            faults.append(Say("{key}: a value is missing.", key=Typed(f"{where}: {key}")))
    for key, value in status.items():
        if value.status not in _STATUSES:
            faults.append(_unlike(f"{where}: status of {key}", _STATUSES, value.status))
        if not value.reason:
            faults.append(Say("{key}: a reason is missing.", key=Typed(f"{where}: status of {key}")))
    unknown = {key for key, value in status.items() if value.status == "unknown"}
    if raw.get("type") not in TYPES:
        faults.append(_unlike(f"{where}: type", TYPES, raw.get("type")))
    if raw.get("armour") not in levels:
        faults.append(_unlike(f"{where}: armour", levels, raw.get("armour")))
    for ability in raw.get("abilities", ()):
        if ability not in ABILITIES:
            faults.append(_unlike(f"{where}: abilities", ABILITIES, ability))
    fire = []
    for line in raw.get("fire", ()):
        for key in ("level", "number", "targets"):
            partly = key == "number" and any("number" not in other for other in raw["fire"])
            if (key in line) == (key in unknown) and not (partly and key in unknown):
                faults.append(_beside(where, key) if key in line else _neither(where, key))
        level = line.get("level")
        if level is not None and level not in levels:
            faults.append(_unlike(f"{where}: level", levels, level))
            level = None
        faults.extend(_fire_faults(where, line))
        fire.append({**line, "level": None if level is None else levels.index(level) + 1})
    for key in ("range", "anti_air", "cost", "move"):
        if key in raw and key in unknown:
            faults.append(_beside(where, key))
    if len(faults) > before:
        return None
    values = {
        "range": None if "range" in unknown else 0,
        "anti_air": None if "anti_air" in unknown else 0,
        **raw,
        "armour": levels.index(raw["armour"]) + 1,
        "fire": [{"number": None, "targets": None, **line} for line in fire],
        "status": {key: {"status": value.status, "reason": value.reason} for key, value in status.items()},
    }
    try:
        return msgspec.convert(values, UnitSpec)
    except msgspec.ValidationError as error:
        faults.append(Say("{key}: {fault}", key=Typed(where), fault=Typed(str(error))))
        return None


def _unknown_key(where: str, key: str) -> Say:
    return Say("{key}: no such key.", key=Typed(f"{where}: {key}"))


def _beside(where: str, key: str) -> Say:
    return Say(
        "{key}: a value and the status unknown cannot be given together.", key=Typed(f"{where}: {key}")
    )


def _neither(where: str, key: str) -> Say:
    return Say("{unit}, {figure}: a value is missing.", unit=Typed(where), figure=figure_name(key))


def _fire_faults(where: str, line: Mapping[str, Any]) -> list[Say]:
    faults = []
    number = line.get("number")
    if number is not None and not (isinstance(number, int) and 1 <= number <= 12):
        faults.append(_wrong(f"{where}: number", Range(1, 12), number))
    targets = line.get("targets")
    if targets is not None and (not targets or any(target not in TYPES for target in targets)):
        faults.append(_wrong(f"{where}: targets", _words(TYPES), targets))
    return faults


def number_figure(table: UnitTable, spec: UnitSpec, level: int | None) -> str:
    """Return the name of the hit number of one colour: ``number``, or ``number.red`` where a unit fires several."""
    colours = {line.level for line in spec.fire}
    is_open = spec.status_of("number").status in ("unknown", "printed")
    if level is None or len(colours) < 2 or not is_open:
        return "number"
    return f"number.{table.level_name(level)}"


def number_figures(table: UnitTable, spec: UnitSpec) -> tuple[str, ...]:
    """Return the names of a unit's hit numbers, one for each colour that has its own."""
    return tuple(dict.fromkeys(number_figure(table, spec, line.level) for line in spec.fire))


def is_figure(table: UnitTable, figure: str) -> bool:
    """Say whether a name is that of a figure: ``cost``, ``number``, or ``number.red`` for one colour alone."""
    name, dot, colour = figure.partition(".")
    if name == "load":
        return bool(counts := load_counts(colour)) and counts.keys() <= table.units.keys()
    return name in _FIGURES and (not dot or (name == "number" and colour in table.levels))


def load_counts(text: str) -> dict[str, int]:
    """Return a load such as ``2_infantry+1_tank`` by unit; empty where the text is none."""
    found: dict[str, int] = {}
    for part in text.split("+"):
        count, _, one = part.partition("_")
        if (
            not (count.isascii() and count.isdigit() and 0 < int(count[:3]) <= _MOST_LOAD)
            or not one
            or one in found
        ):
            return {}
        found[one] = int(count)
    return found


def printed_fault(table: UnitTable, key: str, value: Any) -> Say | None:
    """Say what is wrong with a printed value ``unit.figure``; None when it can be taken.

    Figures: move, armour, cost, level, number, targets, range, anti_air, abilities. A list of abilities is the
    whole list of icons on the unit's tile; what the rules text states holds in any case. ``number.red`` is the
    number of the red dice of a unit that fires several colours; ``number`` that of all its dice.
    """
    id_, _, figure = key.partition(".")
    if id_ not in table.units:
        return _unlike(key, table.units, id_)
    if not is_figure(table, figure):
        return _unlike(key, _FIGURES, figure)
    spec, named = table.units[id_], figure_of(key)
    if figure.startswith("load."):
        if spec.status_of("capacity").status != "unknown":
            return Say("The rules say what {unit} carries.", unit=unit(id_))
        return None if isinstance(value, bool) else Say("Say yes or no, not {found}.", found=found(value))
    figure, _, of = figure.partition(".")
    if of and table.level_of(of) not in {line.level for line in spec.fire}:
        return Say("{unit} rolls no dice of this colour: {colour}.", unit=unit(id_), colour=colour(of))
    if figure in ("number", "level", "targets") and not spec.fire:
        return Say("{unit} has no firepower.", unit=unit(id_))
    if figure in ("level", "armour"):
        colours = several(map(colour, table.levels), "or")
        return None if value in table.levels else _unfit(named, colours, value)
    if figure in ("targets", "abilities"):
        allowed = TYPES if figure == "targets" else ABILITIES
        if not isinstance(value, list | tuple) or any(item not in allowed for item in value):
            kind = "unit" if figure == "targets" else "ability"
            return _unfit(named, several((Name(kind, item) for item in allowed), "or"), value)
        if figure == "targets" and not value:
            return Say("{figure}: choose at least one.", figure=named)
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        return Say("{figure}: enter a whole number, not {found}.", figure=named, found=found(value))
    low, high = (1, 12) if figure == "number" else (0, MOST_FIGURE[figure])
    if not low <= value <= high:
        return Say("{figure}: enter {range}, not {value}.", figure=named, range=Range(low, high), value=value)
    if figure == "range" and value < spec.range_at_least:
        return Say.counted(
            "{figure}: the rules show it supporting from {n} space away, so not {value}.",
            "{figure}: the rules show it supporting from {n} spaces away, so not {value}.",
            spec.range_at_least,
            figure=named,
            value=value,
        )
    return None


def _unfit(named: Say, allowed: Several, value: object) -> Say:
    return Say(
        "{figure}: choose from {allowed}, not {found}.", figure=named, allowed=allowed, found=found(value)
    )


def with_printed(table: UnitTable, printed: Mapping[str, Any], *, strict: bool = False) -> UnitTable:
    """Return the table with printed values filled in.

    Keys of other tables (no known unit or figure) are left alone, unless `strict`.
    Raises UnitError when a value cannot be taken.
    """
    units = dict(table.units)
    faults = []
    for key, value in printed.items():
        unit, _, figure = key.partition(".")
        if not strict and (unit not in units or not is_figure(table, figure)):
            continue
        fault = printed_fault(table, key, value)
        if fault is not None:
            faults.append(fault)
            continue
        units[unit] = _with_figure(table, units[unit], figure, value, "printed")
    if faults:
        raise UnitError(faults)
    return replace(table, units=units)


def _with_figure(table: UnitTable, spec: UnitSpec, figure: str, value: Any, how: str) -> UnitSpec:
    if figure.startswith("load."):
        return replace(spec, loads={**spec.loads, figure.partition(".")[2]: value})
    figure, _, colour = figure.partition(".")
    status = {**spec.status, figure: Status(how)}
    if colour:
        level = table.level_of(colour)
        lines = tuple(replace(line, number=value) if line.level == level else line for line in spec.fire)
        if any(line.number is None for line in lines):
            status = dict(spec.status)
        return replace(spec, fire=lines, status=status)
    if figure in ("level", "number", "targets"):
        new = table.level_of(value) if figure == "level" else tuple(value) if figure == "targets" else value
        lines = tuple(replace(line, **{figure: new}) for line in spec.fire)
        return replace(spec, fire=lines, status=status)
    if figure == "abilities":
        kept = tuple(a for a in spec.abilities if spec.status_of(a).status != "inferred")
        added = tuple(a for a in value if a not in kept)
        status = {key: entry for key, entry in status.items() if key not in spec.abilities}
        return replace(spec, abilities=(*kept, *added), status=status)
    if figure == "armour":
        value = table.level_of(value)
    return replace(spec, **{figure: value}, status=status)


def as_ruled(table: UnitTable, rulings: Mapping[str, str]) -> UnitTable:
    """Return the table as a table's rulings have it: what is to be entered from the box becomes unknown.

    Rulings: ``inferred_figures``, ``unit_rows`` (Tank, Artillery, Anti-Air) and ``carrier_anti_air``.
    """
    units = dict(table.units)
    for id_, spec in table.units.items():
        for figure, status in spec.status.items():
            shifted = id_ in ("tank", "artillery", "anti_air") and "shifted" in status.reason
            entered = (
                rulings.get("inferred_figures") == "enter"
                or (shifted and rulings.get("unit_rows") == "enter")
                or (id_ == "carrier" and figure == "anti_air" and rulings.get("carrier_anti_air") == "enter")
            )
            if status.status == "inferred" and entered:
                units[id_] = _forgotten(units[id_], figure, status.reason)
    return replace(table, units=units)


def _forgotten(spec: UnitSpec, figure: str, reason: str) -> UnitSpec:
    """Return a unit with an inferred figure taken as unknown, where a battle can do without it until entered."""
    status = {**spec.status, figure: Status("unknown", reason)}
    if figure in ("level", "number", "targets"):
        lines = tuple(replace(line, **{figure: None}) for line in spec.fire)
        return replace(spec, fire=lines, status=status)
    if figure in ABILITIES:
        return replace(spec, abilities=tuple(a for a in spec.abilities if a != figure), status=status)
    if figure in ("anti_air", "move"):
        return replace(spec, **{figure: None}, status=status)
    return spec


def with_card(table: UnitTable, card: Mapping[str, Any], *, is_upgrade: bool = False) -> UnitTable:
    """Add a unit from its card: a unique one beside the others, an upgrade in the place of its nation's base unit.

    A card names itself and its base unit and gives only what differs: ``{"id": "mountain_infantry", "name":
    "Mountain Infantry", "base": "infantry", "nation": "italy", "add_battle_steps": [4], "add_movement_steps":
    [], "add_abilities": [], ...}`` plus any of move, armour, cost, range, anti_air, control, abilities and
    ``fire`` (lines as in the unit table). Everything else functions like the base unit.

    Raises UnitError that says what is wrong with the card.

    Source: rulebook v0.96, NS Cards; first edition, National Support Cards.
    """
    where = str(card.get("name") or card.get("id", "?"))
    misshapen = _misshapen(where, card)
    if misshapen:
        raise UnitError(misshapen)
    base = table.units.get(str(card.get("base", "")))
    if base is None:
        raise UnitError([_unlike(f"{where}: base", table.units, card.get("base"))])
    unit_id = str(card.get("id", ""))
    if not unit_id or not card.get("name"):
        raise UnitError([Say("{key}: a card needs an id and a name.", key=Typed(where))])
    standing = table.units.get(unit_id)
    if standing is not None and not standing.base:
        raise UnitError(
            [Say("{key}: this is the id of a standard unit: {unit}.", key=Typed(where), unit=unit(unit_id))]
        )
    raw: dict[str, Any] = {
        "id": unit_id,
        "name": str(card["name"]),
        "short": str(card.get("short", base.short + "*")),
        "type": base.type,
        "armour": card.get("armour", table.level_name(base.armour)),
        "battle_steps": sorted({*base.battle_steps, *card.get("add_battle_steps", ())}),
        "movement_steps": sorted({*base.movement_steps, *card.get("add_movement_steps", ())}),
        "abilities": [
            *card.get("abilities", base.abilities),
            *(a for a in card.get("add_abilities", ()) if a not in card.get("abilities", base.abilities)),
        ],
        "control": card.get("control", base.control),
        "range_at_least": base.range_at_least,
        "base": base.id,
        "nation": str(card.get("nation", "")),
    }
    known = {
        *raw, "fire", "cost", "move", "range", "anti_air", "capacity", "add_battle_steps", "add_movement_steps",
        "add_abilities",
    }  # fmt: skip
    faults = [_unknown_key(where, key) for key in card if key not in known]
    for key in ("cost", "move", "range", "anti_air"):
        value = card.get(key, getattr(base, key))
        if value is not None:
            raw[key] = value
    unknown = {
        key: [value.status, value.reason]
        for key, value in base.status.items()
        if value.status == "unknown" and key not in card and not ("fire" in card and key in _FIRE_FIGURES)
    }
    raw["status"] = unknown
    if "fire" in card:
        raw["fire"] = list(card["fire"])
    else:
        raw["fire"] = [
            {
                key: value
                for key, value in msgspec.to_builtins(line).items()
                if value is not None and key != "level"
            }
            | ({} if line.level is None else {"level": table.level_name(line.level)})
            for line in base.fire
        ]
        raw["targets_at_least"] = base.targets_at_least
    raw["capacity"] = card.get("capacity", msgspec.to_builtins(base.capacity))
    raw["loads"] = {} if "capacity" in card else dict(base.loads)
    for step in raw["battle_steps"]:
        if not isinstance(step, int) or not 1 <= step <= 6:
            faults.append(_wrong(f"{where}: battle step", Range(1, 6), step))
    spec = _unit(raw, table.levels, where, faults)
    if faults or spec is None:
        raise UnitError(faults)
    given = {key: Status("card") for key in card if key in _FIGURES or key == "fire"}
    spec = replace(spec, status={**spec.status, **given})
    upgrades = {**table.upgrades, f"{spec.nation}.{base.id}": spec.id} if is_upgrade else table.upgrades
    return replace(table, units={**table.units, spec.id: spec}, upgrades=upgrades)


_FIRE_FIGURES = ("level", "number", "targets")
_CARD_TEXTS = ("id", "name", "short", "base", "nation")
_CARD_LISTS = ("add_battle_steps", "add_movement_steps", "abilities", "add_abilities", "fire")


def _misshapen(where: str, card: Mapping[str, Any]) -> list[Say]:
    """Say which entries of a card are not of their kind: text, a whole number in bounds, a list."""
    faults = [
        _wrong(f"{where}: {key}", Say("text"), card[key])
        for key in _CARD_TEXTS
        if key in card and not isinstance(card[key], str)
    ]
    for key in ("move", "cost", "range", "anti_air"):
        value = card.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and not 0 <= value <= MOST_FIGURE[key]:
            faults.append(_wrong(f"{where}: {key}", Range(0, MOST_FIGURE[key]), value))
    for key in _CARD_LISTS:
        items = card.get(key, ())
        if not isinstance(items, list | tuple):
            faults.append(_wrong(f"{where}: {key}", Say("a list"), items))
        elif key in ("add_battle_steps", "add_movement_steps"):
            faults += [
                _wrong(f"{where}: {key}", Say("whole numbers"), item)
                for item in items
                if isinstance(item, bool) or not isinstance(item, int)
            ]
        elif key == "fire":
            faults += [
                _wrong(f"{where}: fire", Say("an object"), item)
                for item in items
                if not isinstance(item, dict)
            ]
    return faults
