"""The data files of Song for War as types: what a scenario file and the shared files may say.

Every table carries `source`, the rulebook section it rests on, and `status` for the keys that are not simply
stated: ``["inferred", reason]`` beside a value, ``["unknown", reason]`` in place of one. The units and the ledger give
one `source` for the whole file.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from companion.core.ids import Nation, Side
from companion.games.sfw.rules.units import Role

__all__ = [
    "AtSeaRow",
    "Board",
    "BoardTable",
    "CheckRow",
    "Commander",
    "Drop",
    "Family",
    "FlagLoss",
    "GameFile",
    "LedgerFile",
    "MovementStep",
    "NationRow",
    "PhaseRow",
    "RemovedCard",
    "RulingIs",
    "RulingRow",
    "RulingsFile",
    "ScenarioFile",
    "Seating",
    "SetupRow",
    "SideRow",
    "Sourced",
    "StageRow",
    "Standard",
    "Text",
    "Tournament",
    "UnitRow",
    "UnitsFile",
    "Victory",
]

Text = Annotated[str, msgspec.Meta(min_length=1)]
Family = Literal["theater", "operations", "short"]
Board = Literal["theater", "nafrica", "italy"]
Act = Literal[
    "setup", "begin", "move", "declare", "resolve", "return", "confirm", "check", "draw", "play", "lanes",
    "choose", "place",
]  # fmt: skip
"""What is done in a step."""

Phase = Literal["setup", "begin", "tactical", "victory", "national_support", "resupply"]
"""The four phases of a stage, and what surrounds them."""

GamePhase = Literal["tactical", "victory", "national_support", "resupply"]
StageNumber = Annotated[int, msgspec.Meta(ge=1, le=12)]
StepNumber = Annotated[int, msgspec.Meta(ge=1, le=6)]
Points = Annotated[float, msgspec.Meta(ge=0, le=200)]
Status = tuple[Literal["inferred", "unknown"], Text]


class Sourced(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a data file."""

    source: Text
    """Rulebook sections that its values rest on."""
    status: dict[str, Status] = {}
    """Key to how it is known, with the reason; a key that is not named here is stated."""


class SideRow(Sourced, frozen=True, kw_only=True):
    """A side."""

    id: Side
    name: Text
    emblem: Text


class PhaseRow(Sourced, frozen=True, kw_only=True):
    """A phase of a stage."""

    id: GamePhase
    number: int
    name: Text
    opening_act: Act | None = None
    """What the table does as a whole before both sides."""
    acts: tuple[Act, ...] = ()
    """What each side does in turn; empty for Tactical, whose acts are those of the movement steps."""
    closing_act: Act | None = None
    """What the table does as a whole after both sides."""
    clocked: bool
    """Whether the acting side's clock runs."""
    together: bool = False
    """Whether both sides may act at once where they agree."""
    families: tuple[Family, ...] = ()
    """Scenario families that know this phase; empty: all."""


class Drop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Units that are not active in a movement step where a ruling says so."""

    ruling: Text
    value: Text
    units: tuple[Text, ...]


class MovementStep(Sourced, frozen=True, kw_only=True):
    """A movement step of the Tactical Phase."""

    number: StepNumber
    units: tuple[Text, ...]
    """Standard units that are active."""
    acts: tuple[Act, ...]
    drops: tuple[Drop, ...] = ()


class CheckRow(Sourced, frozen=True, kw_only=True):
    """One line of a checklist and where it stands; an empty selector means everywhere."""

    id: Text
    phase: Phase
    acts: tuple[Act, ...]
    text: Text
    movement_steps: tuple[StepNumber, ...] = ()
    families: tuple[Family, ...] = ()
    boards: tuple[Board, ...] = ()
    scenarios: tuple[Text, ...] = ()
    sides: tuple[Side, ...] = ()
    commander: bool | None = None
    """True: only in the commander game; False: only outside it."""
    tournament: bool | None = None
    """True: only under tournament time; False: only without."""
    solo: bool | None = None
    """True: only where one player plays everybody; False: only with more."""
    before: Text | None = None
    """Line of the shared file that it is done before, where that is not the order of the files."""


class RulingIs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A condition: a ruling stands at a value."""

    id: Text
    value: Text


class FlagLoss(Sourced, frozen=True, kw_only=True):
    """What a side loses whose flag falls in a phase."""

    id: Text
    phase: GamePhase
    text: Text
    later_phase: GamePhase | None = None
    """The loss matters only where this phase of the stage is still to come."""
    ruling: RulingIs | None = None


class RulingRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An open point of the rulebook."""

    id: Text
    text: Text
    choices: tuple[Text, ...]
    default: Text
    source: Text
    choice_texts: dict[str, Text]
    families: tuple[Family, ...] = ()
    """Scenario families that it concerns; empty: all."""
    scenarios: tuple[Text, ...] = ()
    """Scenarios that it concerns; empty: all."""


class RulingsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``rulings.toml``."""

    source: Text
    rulings: tuple[RulingRow, ...]


class GameFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``game.toml``: what all scenarios share."""

    game: Text
    title: Text
    rules_version: Text
    source: Text
    scenarios: tuple[Text, ...]
    """Scenarios in the order in which New game lists them."""
    sides: tuple[SideRow, ...]
    phases: tuple[PhaseRow, ...]
    movement_steps: tuple[MovementStep, ...]
    checks: tuple[CheckRow, ...]
    flag_losses: tuple[FlagLoss, ...]


class NationRow(Sourced, frozen=True, kw_only=True):
    """A nation as this scenario names and colours it."""

    id: Nation
    name: Text
    side: Side
    colour: Literal["blue", "green", "red", "yellow"]
    emblem: Text
    """star, ring, diamond, triangle, or up to four letters."""


class Seating(Sourced, frozen=True, kw_only=True):
    """Who plays what for a number of players."""

    players: Annotated[int, msgspec.Meta(ge=1, le=4)]
    seats: tuple[tuple[Nation, ...], ...]
    """Nations of each player."""


class StageRow(Sourced, frozen=True, kw_only=True):
    """A stage: who acts first, which phases take place and why others do not."""

    number: StageNumber
    first_side: Side
    phases: tuple[GamePhase, ...]
    skipped: dict[GamePhase, Text] = {}
    """Phase to the reason why it does not take place."""


class Tournament(Sourced, frozen=True, kw_only=True):
    """Tournament time; None: the text gives no limit and the table chooses its own minutes."""

    minutes_per_stage: Annotated[int, msgspec.Meta(gt=0, le=600)] | None = None


class RemovedCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A support card that is taken out of a deck before the game."""

    nation: Nation
    card: Text


class SetupRow(Sourced, frozen=True, kw_only=True):
    """What is peculiar to the start of a scenario."""

    hidden_fleets: tuple[Nation, ...]
    """Nations that start with a Hidden Fleet."""
    hidden_fleet_spaces: dict[Nation, tuple[Text, ...]] | None = None
    """Sea spaces that a nation may choose from."""
    hidden_units: dict[Nation, Annotated[int, msgspec.Meta(ge=1, le=20)]] = {}
    """Hidden unit box tokens of a nation."""
    removed_cards: tuple[RemovedCard, ...] = ()


class Standard(Sourced, frozen=True, kw_only=True):
    """Victory at the last stage."""

    stage: StageNumber
    kind: Literal["denied", "most_points"]
    """denied: `winner` wins unless `side` has its automatic victory; most_points: the higher total wins."""
    side: Side | None = None
    winner: Side | None = None
    tie_control: Text | None = None
    """The objective whose controller wins a tie."""


class Victory(Sourced, frozen=True, kw_only=True):
    """How the game is won. Points are at the end of the Victory Phase."""

    kind: Literal["points", "control"]
    start: dict[Side, Points] = {}
    automatic: dict[Side, Points] = {}
    """Side to the points that win at once; a side that is missing has no automatic victory."""
    automatic_control: dict[Side, tuple[Text, ...]] = {}
    """Side to the objectives and airfields that win at once."""
    stages: tuple[StageNumber, ...]
    """Stages in which automatic victory is checked."""
    standard: Standard


class Commander(Sourced, frozen=True, kw_only=True):
    """The commander game, three against three."""

    recommended: bool


class ScenarioFile(Sourced, frozen=True, kw_only=True):
    """A scenario."""

    scenario: Text
    title: Text
    family: Family
    board: Board
    summary: Text
    players: tuple[Annotated[int, msgspec.Meta(ge=1)], Annotated[int, msgspec.Meta(le=4)]]
    """Fewest and most."""
    minutes: tuple[Annotated[int, msgspec.Meta(ge=1)], Annotated[int, msgspec.Meta(le=1440)]]
    """Printed minutes of play, without tournament time."""
    tournament: Tournament | None = None
    """None: the rules know no tournament time."""
    nations: tuple[NationRow, ...]
    seatings: tuple[Seating, ...]
    stages: tuple[StageRow, ...]
    setup: SetupRow
    victory: Victory
    commander: Commander | None = None
    """None: the commander game is not offered."""
    checks: tuple[CheckRow, ...] = ()
    """Lines of this scenario alone, beside those of the shared file."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table that rests on the source of its file."""


UnitType = Literal["air", "sea", "land"]
Dice = Annotated[int, msgspec.Meta(ge=1, le=99)]


class FireRow(_Strict, frozen=True, kw_only=True):
    """Dice of one colour against unit types; what the status calls unknown is left out."""

    level: Text | None = None
    number: Annotated[int, msgspec.Meta(ge=1, le=12)] | None = None
    targets: Annotated[tuple[UnitType, ...], msgspec.Meta(min_length=1)] | None = None
    dice: Dice = 1
    role: Role = "both"
    choice: str = ""


class CapacityRow(_Strict, frozen=True, kw_only=True):
    """Room aboard for so many of some units."""

    units: tuple[Text, ...]
    count: Annotated[int, msgspec.Meta(ge=1, le=99)] | None = None


class UnitRow(_Strict, frozen=True, kw_only=True):
    """A standard unit."""

    id: Text
    name: Text
    short: Text
    type: UnitType
    armour: Text
    cost: Annotated[int, msgspec.Meta(ge=0, le=99)] | None = None
    move: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    movement_steps: tuple[StepNumber, ...]
    battle_steps: tuple[StepNumber, ...]
    abilities: tuple[Text, ...] = ()
    fire: tuple[FireRow, ...] = ()
    range: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None
    range_at_least: Annotated[int, msgspec.Meta(ge=0, le=9)] = 0
    anti_air: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None
    targets_at_least: tuple[UnitType, ...] = ()
    control: bool = False
    capacity: tuple[CapacityRow, ...] = ()
    loads: dict[str, bool] = {}
    """Of a transport whose room is not known: a load such as ``2_infantry+1_tank`` to whether it carries it."""
    status: dict[str, Status] = {}
    """Figure or ability to how it is known, with the reason."""


class UnitsFile(_Strict, frozen=True, kw_only=True):
    """``units.toml``."""

    edition: Text
    levels: Annotated[tuple[Text, ...], msgspec.Meta(min_length=2)]
    """Colours from the weakest to the strongest."""
    source: Text
    unit: Annotated[tuple[UnitRow, ...], msgspec.Meta(min_length=1)]


Resupply = Annotated[int, msgspec.Meta(ge=0, le=99)]
Pieces = Annotated[int, msgspec.Meta(ge=0, le=999)]


class SiteRow(_Strict, frozen=True, kw_only=True):
    """A space that is controlled."""

    id: Text
    name: Text
    kind: Literal["objective", "airfield", "line"]
    side: Side | None = None
    nation: Nation | None = None
    vp: Points | None = None
    air: Resupply | None = None
    sea: Resupply | None = None
    land: Resupply | None = None
    hub: Literal["minor", "major"] | None = None
    status: dict[str, Status] = {}


class SumRow(_Strict, frozen=True, kw_only=True):
    """What the text says about some tiles together."""

    sites: tuple[Text, ...]
    vp: Points
    text: Text


class LaneRow(_Strict, frozen=True, kw_only=True):
    """A shipping lane."""

    id: Text
    sites: tuple[Text, ...]
    status: dict[str, Status] = {}


class LinkRow(_Strict, frozen=True, kw_only=True):
    """Two hubs within three spaces."""

    hubs: tuple[Text, Text]


class AtSeaRow(_Strict, frozen=True, kw_only=True):
    """A resupply that is no Objective."""

    id: Text
    name: Text
    nation: Nation
    kind: Literal["fleet", "point"]
    air: Resupply
    sea: Resupply
    land: Resupply
    spaces: tuple[Text, ...] = ()


class BoardTable(_Strict, frozen=True, kw_only=True):
    """The sites of a board and what lies between them."""

    complete: bool = False
    bridges: bool = False
    site: Annotated[tuple[SiteRow, ...], msgspec.Meta(min_length=1)]
    sum: tuple[SumRow, ...] = ()
    lane: tuple[LaneRow, ...] = ()
    link: tuple[LinkRow, ...] = ()
    at_sea: tuple[AtSeaRow, ...] = ()
    sea_spaces: tuple[Text, ...] = ()
    """Sea spaces that the text names besides."""


class Conditions(_Strict, frozen=True, kw_only=True):
    """What of the board may lower resupply values."""

    conditions: tuple[Literal["contested", "blockade", "sea_space"], ...]


class LeastMost(_Strict, frozen=True, kw_only=True):
    """Bounds, both included."""

    least: Pieces
    most: Pieces


class LimitsTable(_Strict, frozen=True, kw_only=True):
    """Counts of the box and of the rules; what is left out stands in `companion.games.sfw.rules.ledger.Limits`."""

    tokens_each: Pieces | None = None
    mines_in_space: Pieces | None = None
    support_tokens_each: Pieces | None = None
    support_cards_each: Pieces | None = None
    support_tokens_box: Pieces | None = None
    support_cards_box: Pieces | None = None
    bridges: Pieces | None = None
    control_markers: Pieces | None = None
    fortifications: Pieces | None = None
    battle_markers: Pieces | None = None
    hidden_fleet: LeastMost | None = None
    card_cost: LeastMost | None = None
    counters: dict[Text, Pieces] = {}


class HiddenTable(_Strict, frozen=True, kw_only=True):
    """When Hidden Fleets are searched for and revealed; see `companion.games.sfw.rules.ledger.HiddenRules`."""

    last_step: StepNumber
    search_steps: tuple[StepNumber, ...]
    forced: dict[
        Literal["limits", "detected", "left_to_enemy", "fought", "joined_near_enemy", "loaded", "mined"],
        tuple[StepNumber, ...],
    ]


class LedgerFile(_Strict, frozen=True, kw_only=True):
    """``ledger.toml``."""

    source: Text
    board: dict[Board, BoardTable]
    start: dict[Text, dict[Side, tuple[Text, ...] | dict[Nation, tuple[Text, ...]]]] = {}
    """Scenario, side (and nation) to the sites that it holds at the start."""
    resupply: Conditions
    hidden: HiddenTable | None = None
    limits: LimitsTable
