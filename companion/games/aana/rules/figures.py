"""Unit figures by power: what the rulebook gives, what the table entered, and what is still missing.

A figure that neither the frozen tables nor the printed values give stays unknown; whoever needs it is told the
key to enter. Powers own pieces of a colour: the two French sides share the blue ones.
Source: rulebook, Game Components, Reference Chart and Unit Profiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec

from companion.core.ids import Nation, Side
from companion.core.newest import Newest
from companion.core.text import Name, Say, Typed, nation, several, unit
from companion.core.text import key as named

__all__ = [
    "ALLIES",
    "AXIS",
    "COLOURS",
    "FIGURES",
    "NO_POWER",
    "NO_SIDE",
    "POWERS",
    "SIDES",
    "SIDE_OF",
    "TRAITS",
    "TURN_POWERS",
    "FigureBook",
    "FigureError",
    "MissingFiguresError",
    "Row",
    "UnitType",
    "UnknownPieceError",
    "applies",
    "between",
    "colour_of",
    "enemy_of",
    "entered",
    "figure_book",
    "no_piece",
]

AXIS: Final = Side("axis")
ALLIES: Final = Side("allies")

SIDE_OF: Final[Mapping[Nation, Side]] = {
    Nation("germany"): AXIS,
    Nation("italy"): AXIS,
    Nation("vichy"): AXIS,
    Nation("uk"): ALLIES,
    Nation("us"): ALLIES,
    Nation("free_french"): ALLIES,
}
POWERS: Final = tuple(SIDE_OF)
NO_POWER: Final = Nation("")
"""Where no power is meant: outside of turns, and of a territory without a marker."""
NO_SIDE: Final = Side("")
SIDES: Final = (AXIS, ALLIES)
TURN_POWERS: Final = (Nation("germany"), Nation("uk"), Nation("italy"), Nation("us"))
"""Powers with a turn of their own, in the order of ruling aana.order."""

COLOURS: Final = tuple(map(Nation, ("germany", "italy", "uk", "us", "france")))

UnitType = Literal["land", "air", "surface", "submarine", "truck"]
_UNIT_TYPES: Final = ("land", "air", "surface", "submarine", "truck")

FIGURES: Final = ("cost", "attack", "defence", "move")

TRAITS: Final = (
    "air_defence",
    "anti_submarine",
    "blitz",
    "blitz_pair",
    "cannot_attack",
    "collateral",
    "hit_and_run",
    "no_requisition",
    "patrol",
    "raider",
    "road",
    "sahara",
    "self_sufficient",
    "submersible",
    "supported",
    "supports",
    "target_air",
    "target_land",
    "target_sea",
    "target_tanks",
    "transport",
    "two_hits",
)
"""Unit characteristics of the profiles, one word each; ``submersible`` stands for everything submarines share."""

_MAX: Final = {"cost": 99, "attack": 10, "defence": 10, "move": 20}


class FigureError(ValueError):
    """Broken unit data; the text lists every fault found, one a line."""


class MissingFiguresError(LookupError):
    """Figures are needed that neither the text nor the table has given; `keys` are the printed values to enter."""

    def __init__(self, keys: Iterable[str]) -> None:
        """Keep the keys, each once, in the order in which they were met."""
        self.keys: tuple[str, ...] = tuple(dict.fromkeys(keys))
        super().__init__(
            "printed values missing: " + ", ".join(self.keys) + "; enter them from your Reference Chart"
        )


class UnknownPieceError(LookupError):
    """The box holds no such piece of that power."""

    def __init__(self, power: Nation, unit_: str) -> None:
        """Keep the sentence that names both."""
        self.say = no_piece(power, unit_)
        super().__init__(str(self.say))


def no_piece(power: Nation, unit_: str) -> Say:
    """Say that the box holds no such piece of a power."""
    return Say("The box holds no such piece: {unit} ({power}).", unit=unit(unit_), power=nation(power))


class Row(msgspec.Struct, frozen=True):
    """One power's piece. None marks a figure that the text does not give and nobody has entered."""

    power: Nation
    """A colour of pieces: germany, italy, uk, us or france."""
    unit: str
    name: str
    short: str
    type: str
    cost: int | None
    attack: int | None
    defence: int | None
    move: int | None
    limit: int
    """Pieces in the box."""
    traits: frozenset[str]
    is_tank: bool
    status: Mapping[str, str]
    """Figure to ``stated``, ``inferred: reason``, ``printed`` or ``unknown``."""

    @property
    def is_combat(self) -> bool:
        """Whether it is a combat unit: everything but trucks."""
        return self.type != "truck"

    @property
    def is_sea(self) -> bool:
        """Whether it sails."""
        return self.type in ("surface", "submarine")

    @property
    def holds_ground(self) -> bool:
        """Whether it is a land unit that may move in, and is paid for: all but scout cars."""
        return self.type == "land" and "hit_and_run" not in self.traits

    def is_inferred(self, figure: str) -> bool:
        """Say whether a figure is concluded from the text rather than stated."""
        return self.status.get(figure, "").startswith("inferred")

    @property
    def hit_class(self) -> str:
        """What hits it may take depends on: ``air``, ``submarine`` or ``surface`` for all others."""
        return self.type if self.type in ("air", "submarine") else "surface"


def colour_of(power: Nation) -> Nation:
    """Return the colour of pieces that a power uses."""
    return Nation("france") if power in ("vichy", "free_french") else power


def enemy_of(side: Side) -> Side:
    """Return the other side."""
    return ALLIES if side == AXIS else AXIS


class FigureBook:
    """Every row of the box, with the table's printed values worked in. Immutable; ask `row` and `need`."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Index the rows by colour and unit."""
        self._rows: dict[tuple[Nation, str], Row] = {(row.power, row.unit): row for row in rows}

    def rows(self) -> tuple[Row, ...]:
        """Return every row in the order of the data."""
        return tuple(self._rows.values())

    def has(self, power: Nation, unit: str) -> bool:
        """Say whether a power owns pieces of this unit."""
        return (colour_of(power), unit) in self._rows

    def row(self, power: Nation, unit: str) -> Row:
        """Return a power's row. UnknownPieceError when the box holds no such piece."""
        row = self._rows.get((colour_of(power), unit))
        if row is None:
            raise UnknownPieceError(power, unit)
        return row

    def need(self, power: Nation, unit: str, figure: str) -> int:
        """Return a figure. MissingFiguresError names the printed value to enter when it is unknown."""
        row = self.row(power, unit)
        value: int | None = getattr(row, figure)
        if value is None:
            raise MissingFiguresError((self.key(row, figure),))
        return value

    @staticmethod
    def key(row: Row, figure: str) -> str:
        """Return the printed-value key of a figure, such as ``unit.germany.tank.attack``."""
        return f"unit.{row.power}.{row.unit}.{figure}"

    @staticmethod
    def key_parts(key: str) -> tuple[Nation, str, str] | None:
        """Return (power, unit, figure) of a key that `key` made; None for keys of other values."""
        match key.split("."):
            case ["unit", power, unit, figure]:
                return Nation(power), unit, figure
            case _:
                return None

    def unknown_keys(self) -> tuple[str, ...]:
        """Return the keys of all figures still unknown, in the order of the data."""
        return tuple(
            self.key(row, figure)
            for row in self._rows.values()
            for figure in FIGURES
            if getattr(row, figure) is None and applies(row, figure)
        )

    def fault(self, key: str, value: object) -> Say | None:
        """Say what is wrong with a printed unit value; None when it can be taken.

        Raises:
            KeyError: The key names no figure of a piece in the box.
        """
        parts = self.key_parts(key)
        if parts is None:
            raise KeyError(key)
        power, unit, figure = parts
        if (power, unit) not in self._rows or figure not in (*FIGURES, "traits"):
            raise KeyError(key)
        if figure == "traits":
            return _traits_fault(value)
        if not applies(self._rows[power, unit], figure):
            raise KeyError(key)
        return between(key, value, 0, _MAX[figure])


def applies(row: Row, figure: str) -> bool:
    """Say whether a piece has a figure at all: trucks never fight, and what comes by lend-lease alone costs nothing.

    Source: rulebook, Allies Reference Chart; Trucks; Phase 2.
    """
    if figure == "cost" and "no_requisition" in row.traits:
        return False
    return row.is_combat or figure in ("cost", "move")


def _traits_fault(value: object) -> Say | None:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        return Say("Enter a list of characteristics, not {got}.", got=entered(value))
    odd = sorted(set(value) - set(TRAITS))
    if not odd:
        return None
    return Say(
        "No such characteristics: {odd}. Choose from these: {known}.",
        odd=several(map(Typed, odd), "comma"),
        known=several((Name("trait", trait) for trait in TRAITS), "comma"),
    )


def entered(value: object) -> Typed:
    """Return a value that somebody entered as it stands in a sentence."""
    return Typed(value if isinstance(value, str) and value else repr(value))


def between(key: str, value: object, low: int, high: int) -> Say | None:
    """Say that a printed value is no whole number from `low` to `high`; None when it is."""
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return None
    return Say(
        "Enter a whole number from {low} to {high} for this value, not {got}: {key}.",
        low=low,
        high=high,
        got=entered(value),
        key=named(key),
    )


def figure_book(table: Mapping[str, Any], printed: Mapping[str, Any]) -> FigureBook:
    """Build the book from the frozen unit table and the printed values.

    Printed values of other kinds (territories, set-up) are left alone; unit values are taken as checked.

    Raises:
        FigureError: The table is broken; every fault is named.
    """
    return _NEWEST.of(table, printed, make=lambda: _alike(table, printed))


_NEWEST: Newest[FigureBook] = Newest(4)


def _alike(table: Mapping[str, Any], printed: Mapping[str, Any]) -> FigureBook:
    """Build a book once for all states whose table and unit values are the same."""
    own = tuple(
        sorted(
            (key, tuple(value) if isinstance(value, list) else value)
            for key, value in printed.items()
            if key.startswith("unit.")
        )
    )
    return _cached_book(msgspec.json.encode(table, order="deterministic"), own)


@lru_cache(maxsize=32)
def _cached_book(encoded: bytes, printed: tuple[tuple[str, Any], ...]) -> FigureBook:
    table = msgspec.json.decode(encoded)
    values = dict(printed)
    faults: list[str] = []
    rows: list[Row] = []
    for item in table.get("unit", ()):
        for colour in COLOURS:
            if item.get(colour) is not None:
                rows.append(_row(item, colour, values, faults))
    if not rows:
        faults.append("units: expected at least one [[unit]], got none")
    if faults:
        raise FigureError("\n".join(faults))
    return FigureBook(rows)


def _row(item: Mapping[str, Any], colour: Nation, printed: Mapping[str, Any], faults: list[str]) -> Row:
    data = item[colour]
    where = f"unit {item.get('id', '?')}.{colour}"
    given = data.get("status", {})
    status: dict[str, str] = {}
    figures: dict[str, int | None] = {}
    for figure in FIGURES:
        key = f"unit.{colour}.{item.get('id')}.{figure}"
        value = data.get(figure)
        if value is not None and (not isinstance(value, int) or not 0 <= value <= _MAX[figure]):
            faults.append(f"{where}.{figure}: expected 0 to {_MAX[figure]}, got {value!r}")
        if key in printed:
            figures[figure], status[figure] = printed[key], "printed"
        else:
            figures[figure] = value
            status[figure] = "unknown" if value is None else _status(given.get(figure))
    traits = data.get("traits", [])
    fault = _traits_fault(traits)
    if fault:
        faults.append(f"{where}.traits: {fault}")
    status["traits"] = _status(given.get("traits"))
    key = f"unit.{colour}.{item.get('id')}.traits"
    if key in printed:
        traits, status["traits"] = printed[key], "printed"
    kind = item.get("type")
    if kind not in _UNIT_TYPES:
        faults.append(f"{where}.type: expected one of {', '.join(_UNIT_TYPES)}, got {kind!r}")
    limit = data.get("limit")
    if not isinstance(limit, int) or limit < 1:
        faults.append(f"{where}.limit: expected a number of pieces, got {limit!r}")
        limit = 1
    return Row(
        power=colour,
        unit=str(item.get("id")),
        name=str(item.get("name", item.get("id"))),
        short=str(item.get("short", item.get("id"))),
        type=str(kind),
        cost=figures["cost"],
        attack=figures["attack"],
        defence=figures["defence"],
        move=figures["move"],
        limit=limit,
        traits=frozenset(traits) if fault is None else frozenset(),
        is_tank=bool(item.get("is_tank", item.get("id") == "tank")),
        status=status,
    )


def _status(given: Any) -> str:
    if given is None:
        return "stated"
    if isinstance(given, list) and len(given) == 2:
        return f"{given[0]}: {given[1]}"
    return str(given)
