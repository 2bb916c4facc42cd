"""The form of the data files: what the loader converts them to, and what the rules read them back as."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.core.flow import CheckItem
from companion.core.setup import RulingInfo

__all__ = [
    "BoardFile",
    "Convoy",
    "Free",
    "GameFile",
    "Landing",
    "MinesLine",
    "PhaseRow",
    "PowerRow",
    "RoutesTable",
    "RulingsFile",
    "ScenarioFile",
    "Seating",
    "SeaMinesLine",
    "SetupLine",
    "SideRow",
    "Strait",
    "Territory",
    "UnofficialFile",
    "UnofficialSetup",
    "VictoryTable",
]

Status = dict[str, tuple[str, ...]]


class SideRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A side."""

    id: str
    name: str
    emblem: str


class PowerRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A power with the colour of its pieces."""

    id: str
    name: str
    side: str
    colour: str
    emblem: str


class Seating(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which powers each player runs."""

    players: int
    seats: tuple[tuple[str, ...], ...]


class PhaseRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phase of a turn and the steps in it."""

    id: str
    number: int
    name: str
    acts: tuple[str, ...]


class OptionalRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An optional rule that New game offers."""

    id: str
    name: str


class GameFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``aana/game.toml``."""

    game: str
    title: str
    scenarios: tuple[str, ...]
    last_round: int
    source: str
    sides: tuple[SideRow, ...]
    powers: tuple[PowerRow, ...]
    seatings: tuple[Seating, ...]
    phases: tuple[PhaseRow, ...]
    optional: tuple[OptionalRow, ...]
    checks: tuple[CheckItem, ...]


class Territory(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A territory that the rules name."""

    id: str
    name: str
    rp: int | str = 0
    """A stated value, or ``printed``."""
    limit: int | None = None
    west: bool = False
    owner: str = ""
    """The power whose emblem marks it for good."""
    island: bool = False
    bonus_reroll: int = 0
    bonus_from: str = ""
    bonus_key: str = ""
    status: Status = {}


class Convoy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A convoy sea zone."""

    id: str
    name: str
    powers: tuple[str, ...]
    port: str = ""
    next: str = ""
    sea_exit: str = ""
    """Where warships leave the route instead of going ashore."""
    direct: bool = True
    """Reinforcements may be deployed into it."""
    entered_from: tuple[str, ...] = ()
    """The only spaces from which it is entered; empty = from all that touch it."""
    powers_only: bool = False
    """Nobody but `powers` enters it."""
    number: int = 0
    """The sea zone's number on the board; 0 where the text gives none."""
    status: Status = {}


class Strait(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A passage between two sea zones that only the ships of one side may use; aircraft pass freely."""

    name: str
    between: tuple[str, str]
    side: str


class Chips(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Plastic chips for combat land units."""

    source: str
    gray: int
    green: int
    green_worth: int


class BoardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``aana/board.toml``."""

    source: str
    default_limit: int
    sea_zones: int
    territory: tuple[Territory, ...]
    convoy: tuple[Convoy, ...]
    deployment: dict[str, Any]
    staging: dict[str, str]
    tokens: dict[str, Any]
    chips: Chips
    routes: dict[str, str]
    strait: tuple[Strait, ...] = ()
    status: Status = {}


class RulingsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``aana/rulings.toml``."""

    source: str
    rulings: tuple[RulingInfo, ...]


class SetupLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What stands in a space at the start."""

    space: str
    power: str
    units: dict[str, int] = {}
    supply: int = 0
    control: bool = False
    name: str = ""
    """Name of a space that the rules text does not name."""
    status: Status = {}


class MinesLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Land mines on a border at the start."""

    space: str
    toward: str
    icons: int


class SeaMinesLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sea mines in a zone at the start."""

    zone: str
    power: str
    tokens: int


class Free(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Combat units of the power's choice at the start, up to a total cost."""

    power: str
    space: str
    points: int


class Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The legible part of the setup charts."""

    lines: tuple[SetupLine, ...] = ()
    mines: tuple[MinesLine, ...] = ()
    free: tuple[Free, ...] = ()


class Landing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the three landings of round 7."""

    space: str
    units: dict[str, dict[str, int]]
    supply: int


class VictoryTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a side must control at the end; each level lists alternatives, each of them territories held together."""

    total: tuple[tuple[str, ...], ...] = ()
    major: tuple[tuple[str, ...], ...] = ()
    minor: tuple[tuple[str, ...], ...] = ()


class ScenarioFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario file."""

    scenario: str
    title: str
    summary: str
    source: str
    first_round: int
    us_from: int
    """The United States has no turn before this round."""
    west_closed_until: int
    axis_west_from: int
    start: Start
    landings: tuple[Landing, ...]
    reserve: dict[str, int]
    victory: dict[str, VictoryTable]
    germany_from: int = 1
    """Germany has no turn before this round."""
    italy_convoy_only: str = ""
    """The one convoy zone that Italy may use in the first round of landings."""
    landings_with_all: bool = False
    """The landings are pressed with all units."""
    trucks: dict[str, int] = {}
    """Trucks that a power may own before the landings, where fewer than the box holds."""
    status: Status = {}


class UnofficialSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fan-made set-up."""

    control: dict[str, tuple[str, ...]]
    lines: tuple[SetupLine, ...]
    mines: tuple[MinesLine, ...] = ()
    sea_mines: tuple[SeaMinesLine, ...] = ()
    status: Status = {}


class RoutesTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which spaces touch, frozen with a game that uses the unofficial set."""

    borders: dict[str, tuple[str, ...]]
    sahara: tuple[str, ...]


class UnofficialFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``aana/unofficial.toml``: fan-made values, loaded on request only."""

    label: str
    source: str
    units: dict[str, dict[str, tuple[int, int, int, int]]]
    """Colour, unit: cost, attack, defence, move."""
    rp: dict[str, int]
    base: dict[str, int]
    borders: dict[str, tuple[str, ...]]
    """Space to the spaces that touch it; each pair once."""
    spaces: dict[str, str]
    """Names of territories that `board.toml` does not know."""
    sahara: tuple[str, ...]
    """Sahara Desert territories: scout cars only, no aircraft."""
    rommel: UnofficialSetup
    torch: UnofficialSetup
