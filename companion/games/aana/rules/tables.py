"""The form of the data files: what the loader converts them to, and what the rules read them back as."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from companion.core.flow import CheckItem
from companion.core.ids import Nation, Side, SiteId
from companion.core.setup import RulingInfo

__all__ = [
    "NO_SPACE",
    "BoardFile",
    "ColourRow",
    "Convoy",
    "Deployment",
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
    "Tokens",
    "UnitRow",
    "UnitsFile",
    "UnofficialFile",
    "UnofficialSetup",
    "VictoryTable",
]

Text = Annotated[str, msgspec.Meta(min_length=1)]
Space = Annotated[SiteId, msgspec.Meta(min_length=1)]
NO_SPACE: Final = SiteId("")
"""Where no space is meant."""
Status = dict[str, tuple[Literal["stated", "inferred", "unknown"], Text]]
"""Key to how it is known, with the reason."""
Amount = Annotated[int, msgspec.Meta(ge=0, le=999)]
Round = Annotated[int, msgspec.Meta(ge=1, le=99)]
Place = Annotated[int, msgspec.Meta(ge=0, le=99)]
Die = Annotated[int, msgspec.Meta(ge=0, le=10)]

if TYPE_CHECKING:
    SideId = Side
    Power = Nation
    Colour = Nation
else:  # what a file may say; once it is read, it is an id
    SideId = Literal["axis", "allies"]
    Power = Literal["germany", "italy", "vichy", "uk", "us", "free_french"]
    Colour = Literal["germany", "italy", "uk", "us", "france"]


class ColourRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the text gives for one power's piece; a figure that is left out is unknown."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=999)]
    """Pieces in the box."""
    cost: Place | None = None
    attack: Die | None = None
    defence: Die | None = None
    move: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    traits: tuple[Text, ...] = ()
    status: Status = {}


class UnitRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A kind of piece, by the colours that have it."""

    id: Text
    name: Text
    short: Text
    type: Literal["land", "air", "surface", "submarine", "truck"]
    is_tank: bool | None = None
    germany: ColourRow | None = None
    italy: ColourRow | None = None
    uk: ColourRow | None = None
    us: ColourRow | None = None
    france: ColourRow | None = None


class UnitsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``aana/units.toml``."""

    source: Text
    unit: Annotated[tuple[UnitRow, ...], msgspec.Meta(min_length=1)]


class SideRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A side."""

    id: SideId
    name: Text
    emblem: Text


class PowerRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A power with the colour of its pieces."""

    id: Power
    name: Text
    side: SideId
    colour: Text
    emblem: Text


class Seating(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which powers each player runs."""

    players: Annotated[int, msgspec.Meta(ge=1, le=6)]
    seats: tuple[Annotated[tuple[Power, ...], msgspec.Meta(min_length=1)], ...]


class PhaseRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phase of a turn and the steps in it."""

    id: Text
    number: Place
    name: Text
    acts: tuple[str, ...]


class OptionalRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An optional rule that New game offers."""

    id: Text
    name: Text


class GameFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``aana/game.toml``."""

    game: Text
    title: Text
    scenarios: tuple[str, ...]
    last_round: Round
    source: Text
    sides: tuple[SideRow, ...]
    powers: tuple[PowerRow, ...]
    seatings: Annotated[tuple[Seating, ...], msgspec.Meta(min_length=1)]
    phases: tuple[PhaseRow, ...]
    optional: tuple[OptionalRow, ...]
    checks: tuple[CheckItem, ...]


class Territory(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A territory that the rules name."""

    id: Space
    name: Text
    rp: Amount | Literal["printed"] = 0
    """A stated value, or ``printed``."""
    limit: Amount | None = None
    west: bool = False
    owner: Power | Literal[""] = ""
    """The power whose emblem marks it for good."""
    island: bool = False
    bonus_reroll: Place = 0
    bonus_from: str = ""
    bonus_key: str = ""
    status: Status = {}


class Convoy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A convoy sea zone."""

    id: Space
    name: Text
    powers: tuple[Power, ...]
    port: SiteId = NO_SPACE
    next: SiteId = NO_SPACE
    sea_exit: SiteId = NO_SPACE
    """Where warships leave the route instead of going ashore."""
    direct: bool = True
    """Reinforcements may be deployed into it."""
    entered_from: tuple[SiteId, ...] = ()
    """The only spaces from which it is entered; empty = from all that touch it."""
    powers_only: bool = False
    """Nobody but `powers` enters it."""
    number: Place = 0
    """The sea zone's number on the board; 0 where the text gives none."""
    status: Status = {}


class Strait(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A passage between two sea zones that only the ships of one side may use; aircraft pass freely."""

    name: Text
    between: tuple[SiteId, SiteId]
    side: SideId


class Chips(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Plastic chips for combat land units."""

    source: Text
    gray: Amount
    green: Amount
    green_worth: Annotated[int, msgspec.Meta(ge=1, le=99)]


class Deployment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The sea zones in which a power's new warships appear."""

    germany: tuple[Space, ...] = ()
    italy: tuple[Space, ...] = ()
    uk: tuple[Space, ...] = ()
    us: tuple[Space, ...] = ()
    status: Status = {}


class Tokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Tokens in the box."""

    source: Text
    supply: Amount
    land_mines: Amount
    allied_sea_mines: Amount
    axis_sea_mines: Amount
    status: Status = {}


class Origin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the rules that is laid down in code alone: where it stands in the rulebook."""

    source: Text


class BoardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``aana/board.toml``."""

    source: Text
    default_limit: Amount
    sea_zones: Amount
    territory: tuple[Territory, ...]
    convoy: tuple[Convoy, ...]
    deployment: Deployment
    staging: dict[str, Space]
    tokens: Tokens
    chips: Chips
    routes: Origin
    strait: tuple[Strait, ...] = ()
    status: Status = {}


class RulingsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``aana/rulings.toml``."""

    source: Text
    rulings: tuple[RulingInfo, ...]


class SetupLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What stands in a space at the start."""

    space: Space
    power: Power
    units: dict[str, Amount] = {}
    supply: Amount = 0
    control: bool = False
    name: str = ""
    """Name of a space that the rules text does not name."""
    status: Status = {}


class MinesLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Land mines on a border at the start."""

    space: Space
    toward: Space
    icons: Amount


class SeaMinesLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sea mines in a zone at the start."""

    zone: Space
    power: Power
    tokens: Amount


class Free(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Combat units of the power's choice at the start, up to a total cost."""

    power: Power
    space: Space
    points: Amount


class Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The legible part of the setup charts."""

    lines: tuple[SetupLine, ...] = ()
    mines: tuple[MinesLine, ...] = ()
    free: tuple[Free, ...] = ()


class Landing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the three landings of round 7."""

    space: Space
    units: dict[Power, dict[str, Amount]]
    supply: Amount


class VictoryTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a side must control at the end; each level lists alternatives, each of them territories held together."""

    total: tuple[tuple[SiteId, ...], ...] = ()
    major: tuple[tuple[SiteId, ...], ...] = ()
    minor: tuple[tuple[SiteId, ...], ...] = ()


class ScenarioFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario file."""

    scenario: Text
    title: Text
    summary: Text
    source: Text
    first_round: Place
    us_from: Place
    """The United States has no turn before this round."""
    west_closed_until: Place
    axis_west_from: Place
    start: Start
    landings: tuple[Landing, ...]
    reserve: dict[str, Amount]
    victory: dict[SideId, VictoryTable]
    germany_from: Place = 1
    """Germany has no turn before this round."""
    italy_convoy_only: SiteId = NO_SPACE
    """The one convoy zone that Italy may use in the first round of landings."""
    landings_with_all: bool = False
    """The landings are pressed with all units."""
    free_printed: Power | Literal[""] = ""
    """The power whose free set-up is printed on its chart alone: zones and points are entered."""
    trucks: dict[str, Amount] = {}
    """Trucks that a power may own before the landings, where fewer than the box holds."""
    status: Status = {}


class UnofficialSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fan-made set-up."""

    control: dict[str, tuple[SiteId, ...]]
    lines: tuple[SetupLine, ...]
    mines: tuple[MinesLine, ...] = ()
    sea_mines: tuple[SeaMinesLine, ...] = ()
    status: dict[str, tuple[Literal["stated", "inferred", "unknown", "unofficial"], Text]] = {}


class RoutesTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which spaces touch, frozen with a game that uses the unofficial set."""

    borders: dict[SiteId, tuple[SiteId, ...]]
    sahara: tuple[SiteId, ...]


class UnofficialFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``aana/unofficial.toml``: fan-made values, loaded on request only."""

    label: Text
    source: Text
    units: dict[Colour, dict[str, tuple[Place, Place, Place, Place]]]
    """Colour, unit: cost, attack, defence, move."""
    rp: dict[SiteId, Amount]
    base: dict[Power, Amount]
    borders: dict[SiteId, tuple[SiteId, ...]]
    """Space to the spaces that touch it; each pair once."""
    spaces: dict[SiteId, Text]
    """Names of territories that `board.toml` does not know."""
    sahara: tuple[SiteId, ...]
    """Sahara Desert territories: scout cars only, no aircraft."""
    rommel: UnofficialSetup
    torch: UnofficialSetup
