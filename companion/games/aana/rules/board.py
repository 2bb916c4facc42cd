"""Spaces: territories, sea zones and convoys, as far as the rules text names them and the table added them.

The board itself is not in the text: borders and distances stay with the table.
Source: rulebook, Spaces on the Game Board; Phase 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec

from companion.core.ids import Nation, Side, SiteId
from companion.core.newest import Newest
from companion.core.text import Range, Say
from companion.core.text import key as named
from companion.games.aana.rules.figures import NO_SIDE, SIDE_OF, between, entered
from companion.games.aana.rules.tables import NO_SPACE, BoardFile, Convoy, Strait, Territory

__all__ = [
    "KEY_HEADS",
    "POOL",
    "RESERVE_ZONE",
    "Board",
    "SpaceType",
    "board_key",
    "board_of",
    "is_zone",
    "landing_space",
    "zone_number",
]

RESERVE_ZONE: Final = SiteId("reinforcements")
"""The Reinforcements Zone, where bought pieces wait."""
POOL: Final = SiteId("pool")
"""The box: pieces that are not in play."""
KEY_HEADS: Final = ("rp", "limit", "base", "bonus", "space", "free")
"""How the keys of the board's printed values begin."""

SpaceType = Literal["land", "sea", "convoy", "zone"]


def is_zone(space: SiteId) -> bool:
    """Say whether a place is the Reinforcements Zone or the box rather than a space of the board."""
    return space in (RESERVE_ZONE, POOL)


def zone_number(space: SiteId) -> int | None:
    """Return the number of a sea zone by its id, such as ``sz.31``; None for other spaces."""
    head, _dot, number = space.partition(".")
    return int(number) if head == "sz" and number.isdigit() else None


def landing_space(place: str) -> SiteId | None:
    """Return the territory whose landing force's supply is counted at a place, such as ``oran@landing``."""
    space, _at, what = place.partition("@")
    return SiteId(space) if what == "landing" else None


def board_key(key: str) -> tuple[str, str] | None:
    """Return what a printed value of the board tells, and of which space or power; None for other keys."""
    head, _dot, of = key.partition(".")
    return (head, of) if head in KEY_HEADS and of else None


class Board:
    """Look-up over the spaces. Immutable."""

    def __init__(self, file: BoardFile, printed: Mapping[str, Any]) -> None:
        """Index the file's spaces and work in the printed values of the board."""
        self.file = file
        self._printed = printed
        self._territories: dict[SiteId, Territory] = {row.id: row for row in file.territory}
        for key, value in printed.items():
            if key.startswith("space.") and isinstance(value, str):
                self._territories.setdefault(SiteId(key[6:]), Territory(SiteId(key[6:]), value))
        self.convoys: dict[SiteId, Convoy] = {row.id: row for row in file.convoy}
        self._convoy_numbers = {row.number for row in file.convoy if row.number}

    def territories(self) -> tuple[Territory, ...]:
        """Return every territory known, the table's own last."""
        return tuple(self._territories.values())

    def territory(self, space: SiteId) -> Territory | None:
        """Return a territory, or None when the space is none."""
        return self._territories.get(space)

    def type_of(self, space: SiteId) -> SpaceType | None:
        """Return what a space is, or None when nothing is known by that name."""
        if is_zone(space):
            return "zone"
        if space in self._territories:
            return "land"
        if space in self.convoys:
            return "convoy"
        return "sea" if self._is_sea_zone(space) else None

    def _is_sea_zone(self, space: SiteId) -> bool:
        number = zone_number(space)
        if number is None or not 1 <= number <= self.file.sea_zones:
            return False
        return number not in self._convoy_numbers

    def sea_zones(self) -> tuple[SiteId, ...]:
        """Return the sea zones that are no convoy zones, by number."""
        numbers = range(1, self.file.sea_zones + 1)
        return tuple(SiteId(f"sz.{n}") for n in numbers if n not in self._convoy_numbers)

    def space(self, space: SiteId) -> Territory | Convoy | None:
        """Return a space that has a name of its own: a territory or a convoy zone."""
        return self._territories.get(space) or self.convoys.get(space)

    def is_controllable(self, space: SiteId) -> bool:
        """Say whether a territory has reinforcement points and so may bear a control marker."""
        row = self._territories.get(space)
        if row is None:
            return False
        return bool(row.rp) and self._printed.get(f"rp.{space}") != 0

    def is_open_to_capture(self, space: SiteId) -> bool:
        """Say whether control of a territory can change: it has a value and no emblem."""
        row = self._territories.get(space)
        return row is not None and not row.owner and self.is_controllable(space)

    def rp(self, space: SiteId) -> int | None:
        """Return the reinforcement points of a territory; None when the value is still to be entered."""
        row = self._territories.get(space)
        if row is None:
            return 0
        value = self._printed.get(f"rp.{space}", row.rp)
        return value if isinstance(value, int) else None

    def limit(self, space: SiteId) -> int:
        """Return a territory's stacking limit."""
        row = self._territories.get(space)
        entered = self._printed.get(f"limit.{space}")
        if isinstance(entered, int):
            return entered
        return row.limit if row is not None and row.limit is not None else self.file.default_limit

    def bonus(self, space: SiteId) -> tuple[int, str] | None:
        """Return (face from which defenders reroll, from where attackers must come) of a territory.

        (0, "") where there is no bonus; None where there is one whose text is still to be entered.
        """
        row = self._territories.get(space)
        if row is None or not row.bonus_key:
            return (0, "")
        entered = self._printed.get(row.bonus_key)
        if isinstance(entered, int):
            return (entered, row.bonus_from)
        return (row.bonus_reroll, row.bonus_from) if row.bonus_reroll else None

    def staging(self, power: Nation) -> SiteId:
        """Return a power's staging territory, empty when it has none."""
        return self.file.staging.get(power, NO_SPACE)

    def deployment_zones(self, power: Nation) -> tuple[SiteId, ...]:
        """Return the sea zones in which a power's new warships appear."""
        return tuple(getattr(self.file.deployment, power, ()))

    def is_convoy_open(self, zone: SiteId, control: Mapping[SiteId, Nation]) -> bool:
        """Say whether a convoy route is open: its port is held by a power that the zone depicts."""
        row = self.convoys[zone]
        if not row.port:
            return True
        port = self._territories[row.port]
        holder = port.owner or control.get(row.port, "")
        return holder in row.powers or not row.direct

    def strait(self, one: SiteId, other: SiteId) -> Strait | None:
        """Return the strait between two sea zones, or None."""
        return next((row for row in self.file.strait if {one, other} == set(row.between)), None)

    def may_cross(self, origin: SiteId, to: SiteId) -> bool:
        """Say whether anybody may go straight from one space into another that touches it."""
        row = self.convoys.get(to)
        return row is None or not row.entered_from or origin in row.entered_from

    def convoys_of(self, port: SiteId) -> tuple[Convoy, ...]:
        """Return the convoy zones that lead to a port and hang on its control."""
        return tuple(row for row in self.convoys.values() if row.port == port and row.direct)

    def owner_side(self, space: SiteId) -> Side:
        """Return the side whose emblem marks a territory for good, else an empty text."""
        row = self._territories.get(space)
        return SIDE_OF[row.owner] if row is not None and row.owner else NO_SIDE

    def free_zones(self) -> dict[SiteId, int]:
        """Return the zones of the free set-up that the table has entered, with their points."""
        found = {SiteId(key[5:]): n for key, n in self._printed.items() if key.startswith("free.")}
        return {zone: n for zone, n in found.items() if isinstance(n, int) and n}

    def unknown_keys(self) -> tuple[str, ...]:
        """Return the keys of the board's printed values that are still to be entered."""
        keys = [f"rp.{row.id}" for row in self._territories.values() if self.rp(row.id) is None]
        keys += [row.bonus_key for row in self._territories.values() if self.bonus(row.id) is None]
        return tuple(keys)

    def fault(self, key: str, value: object) -> Say | None:
        """Say what is wrong with a printed value of the board; None when it can be taken.

        Raises:
            KeyError: The key names nothing of the board.
        """
        head, name = board_key(key) or ("", "")
        if head == "rp" and name in self._territories:
            return between(key, value, 0, 15)
        if head == "limit" and name in self._territories:
            return between(key, value, 1, 30)
        if head == "base" and name in SIDE_OF:
            return between(key, value, 0, 99)
        if head == "free" and self.type_of(SiteId(name)) in ("sea", "convoy"):
            return between(key, value, 0, 99)
        if any(row.bonus_key == key for row in self._territories.values()):
            if isinstance(value, int) and (value == 0 or 2 <= value <= 10) and not isinstance(value, bool):
                return None
            return Say(
                "Enter {faces} for this value, or 0 for none, not {got}: {key}.",
                faces=Range(2, 10),
                got=entered(value),
                key=named(key),
            )
        if head == "space" and name.replace("_", "").isalnum() and name == name.lower():
            ok = isinstance(value, str) and value.strip() and max(len(value), len(name)) <= 24
            if ok:
                return None
            return Say(
                "A name must have {letters} letters, not {got}.", letters=Range(1, 24), got=entered(value)
            )
        raise KeyError(key)


def board_of(table: Mapping[str, Any], printed: Mapping[str, Any]) -> Board:
    """Build the board from the frozen table and the printed values. ValueError when the table is broken."""
    return _NEWEST.of(table, printed, make=lambda: _alike(table, printed))


_NEWEST: Newest[Board] = Newest(4)


def _alike(table: Mapping[str, Any], printed: Mapping[str, Any]) -> Board:
    """Build a board once for all states whose tables and values of the board are the same."""
    own = tuple(sorted((key, value) for key, value in printed.items() if board_key(key) is not None))
    return _cached_board(msgspec.json.encode(table, order="deterministic"), own)


@lru_cache(maxsize=32)
def _cached_board(encoded: bytes, printed: Iterable[tuple[str, Any]]) -> Board:
    return Board(msgspec.json.decode(encoded, type=BoardFile), dict(printed))
