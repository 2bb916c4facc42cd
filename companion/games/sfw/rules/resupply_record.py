"""What Resupply keeps: its slice, its commands and its events, and the codes of its refusals.

Source: rulebook v0.96, Phase 4: Resupply; Shipping Lanes; 6-Player Commander Game.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.ids import Nation, Side, SiteId
from companion.core.text import Say

__all__ = [
    "AbilityPicked",
    "Adjusted",
    "BombingRecorded",
    "CardEffect",
    "CardEffectRecorded",
    "ChoiceMade",
    "ChooseResupply",
    "ConditionReported",
    "CutLane",
    "EnterLane",
    "LaneCount",
    "LaneCut",
    "LaneEntered",
    "MinesResolved",
    "NationPassed",
    "PassResupply",
    "PickAbility",
    "Place",
    "Placed",
    "Placement",
    "Purchase",
    "Purchased",
    "Record",
    "RecordBombing",
    "RecordCardEffect",
    "ReportAtSea",
    "ReportCondition",
    "ReserveSet",
    "ResolveMines",
    "ResupplyCode",
    "ResupplyState",
    "SeaReport",
    "SeaReported",
    "SetReserve",
    "ValueLine",
    "slot",
]


class ResupplyCode(StrEnum):
    """Why something was refused in Resupply."""

    NOT_NOW = "not_now"
    NOT_YOUR_ACT = "not_your_act"
    UNKNOWN_SOURCE = "unknown_source"
    NOT_YOURS = "not_yours"
    NO_VALUE = "no_value"
    """An Airfield, or nothing left after all effects."""
    HOLDER_UNKNOWN = "holder_unknown"
    VALUE_UNKNOWN = "value_unknown"
    COST_UNKNOWN = "cost_unknown"
    """The rules text does not give the unit's cost and nobody has entered it."""
    NO_FLEET = "no_fleet"
    FLEET_NOT_CLEAR = "fleet_not_clear"
    NOT_CHOSEN = "not_chosen"
    OVER_BUDGET = "over_budget"
    WRONG_TYPE = "wrong_type"
    UNKNOWN_UNIT = "unknown_unit"
    NONE_LEFT = "none_left"
    """The tray has no tile of this unit left."""
    NO_ROOM = "no_room"
    ALREADY_PLACED = "already_placed"
    WRONG_SPACE = "wrong_space"
    """New units are placed on the Objective, beside it, or in the named sea spaces."""
    NOTHING_BOUGHT = "nothing_bought"
    UNKNOWN_LANE = "unknown_lane"
    LANE_NOT_WON = "lane_not_won"


class LaneCount(msgspec.Struct, frozen=True):
    """Sea spaces of a lane that each side alone holds with ships that count."""

    spaces: dict[str, int]


class CardEffect(msgspec.Struct, frozen=True):
    """What a card does to one source's values in this phase."""

    source: str
    by: dict[str, int]
    """Type to what is added (negative: taken away)."""
    card: str


class Placement(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a basket was placed."""

    where: str
    into_fleet: bool = False
    mines: int = 0
    """Enemy mines there that detonate under the new ships."""
    is_resolved: bool = True


class Record(msgspec.Struct, frozen=True):
    """One placed basket, kept for the report."""

    stage: int
    nation: Nation
    unit_type: str
    source: str
    units: dict[str, int]
    cost: int
    where: str


class SeaReport(msgspec.Struct, frozen=True):
    """What the owner says about a resupply at sea."""

    is_clear: bool
    land_room: int = 0
    air_room: int = 0
    ship_room: int | None = None


class ResupplyState(msgspec.Struct, frozen=True):
    """The part's slice. Keys of choices, baskets and placements are ``nation.type`` (`slot`)."""

    stage: int = 0
    halved: frozenset[str] = frozenset()
    """Objectives that were contested or held only enemies when the phase began."""
    blockaded: frozenset[str] = frozenset()
    sea_halved: frozenset[str] = frozenset()
    """Sources whose new ships go into a sea space held by enemy ships alone."""
    lanes: dict[str, LaneCount] = {}
    cuts: dict[str, str] = {}
    """Lane to the Objective that its winner cuts."""
    bombed: dict[str, int] = {}
    effects: tuple[CardEffect, ...] = ()
    at_sea: dict[str, SeaReport] = {}
    choices: dict[str, str] = {}
    baskets: dict[str, dict[str, int]] = {}
    placed: dict[str, Placement] = {}
    passed: frozenset[str] = frozenset()
    reserve: dict[str, int] = {}
    """``nation.unit`` to the tiles left in the tray, where the table said so."""
    abilities: dict[str, str] = {}
    """``side.type`` to the commander's special ability for the whole game."""
    records: tuple[Record, ...] = ()

    def spends_at(self, source: str) -> bool:
        """Say whether something is bought at a source in this phase."""
        return any(self.choices.get(key) == source and basket for key, basket in self.baskets.items())


class ValueLine(msgspec.Struct, frozen=True):
    """One line of the sum from the printed to the adjusted value."""

    what: str
    """``printed``, ``contested``, ``sea_space``, ``blockade``, ``lane``, ``bombing``, ``card`` or ``floor``."""
    value: int
    """The value after this line."""
    why: Say
    """What made it so: ``contested: halved``."""


class Adjusted(msgspec.Struct, frozen=True):
    """The adjusted value of one type at one source."""

    value: int | None
    lines: tuple[ValueLine, ...] = ()
    why: Say | None = None
    """Why it is not known; None when it is."""


def slot(nation: Nation, kind: str) -> str:
    """Return the key of a nation's resupply of one type."""
    return f"{nation}.{kind}"


# Commands and events


class ReportCondition(Command, frozen=True, tag=True):
    """Say how a source stands on the board when the phase begins."""

    source: str
    condition: str
    """``contested`` (or enemies only), ``blockade`` or ``sea_space`` (new ships among enemy ships alone)."""
    holds: bool = True


class EnterLane(Command, frozen=True, tag=True):
    """Enter how many sea spaces of a lane each side alone holds."""

    lane: str
    spaces: dict[str, int]


class CutLane(Command, frozen=True, tag=True):
    """The winner of a lane names the enemy Objective that suffers."""

    lane: str
    site: SiteId


class RecordBombing(Command, frozen=True, tag=True):
    """Record hits of targeted bombing for the coming Resupply; the number is the total of this stage."""

    site: SiteId
    hits: int


class RecordCardEffect(Command, frozen=True, tag=True):
    """Record what a played card does to a source's values in this phase."""

    source: str
    by: dict[str, int]
    card: str


class ReportAtSea(Command, frozen=True, tag=True):
    """The owner says whether a resupply at sea is possible and what room there is."""

    source: str
    is_clear: bool
    land_room: int = 0
    air_room: int = 0
    ship_room: int | None = None


class ChooseResupply(Command, frozen=True, tag=True):
    """Choose where a nation takes its resupply of one type; an empty source takes the choice back."""

    nation: Nation
    unit_type: str
    source: str


class Purchase(Command, frozen=True, tag=True):
    """Put units into a basket, or back with a negative count."""

    nation: Nation
    unit_type: str
    unit: str
    count: int = 1


class Place(Command, frozen=True, tag=True):
    """Place a basket on the board."""

    nation: Nation
    unit_type: str
    where: str = ""
    """Sea space for ships; empty: on the Objective."""
    into_fleet: bool = False
    mines: int = 0


class ResolveMines(Command, frozen=True, tag=True):
    """The mines under placed ships were rolled for; these ships were lost."""

    nation: Nation
    lost: dict[str, int] = msgspec.field(default_factory=dict)


class PassResupply(Command, frozen=True, tag=True):
    """A nation buys nothing more in this phase."""

    nation: Nation
    passes: bool = True


class SetReserve(Command, frozen=True, tag=True):
    """Say how many tiles of a unit a nation's tray still holds."""

    nation: Nation
    unit: str
    left: int


class PickAbility(Command, frozen=True, tag=True):
    """Commander game: the special ability of one command for the whole game."""

    side: Side
    command: str
    """``air``, ``sea`` or ``land``."""
    ability: str


class ConditionReported(Event, frozen=True, tag=True):
    """A source's condition was set."""

    source: str
    condition: str
    holds: bool


class LaneEntered(Event, frozen=True, tag=True):
    """A lane was counted."""

    lane: str
    spaces: dict[str, int]


class LaneCut(Event, frozen=True, tag=True):
    """A lane's winner named its Objective."""

    lane: str
    site: SiteId


class BombingRecorded(Event, frozen=True, tag=True):
    """An Objective was bombed."""

    site: SiteId
    hits: int


class CardEffectRecorded(Event, frozen=True, tag=True):
    """A card changed values."""

    effect: CardEffect


class SeaReported(Event, frozen=True, tag=True):
    """A resupply at sea was reported on."""

    source: str
    report: SeaReport


class ChoiceMade(Event, frozen=True, tag=True):
    """A nation chose a source, or none."""

    nation: Nation
    unit_type: str
    source: str


class Purchased(Event, frozen=True, tag=True):
    """A basket holds this many of a unit now."""

    nation: Nation
    unit_type: str
    unit: str
    count: int


class Placed(Event, frozen=True, tag=True):
    """A basket was placed."""

    record: Record
    placement: Placement


class MinesResolved(Event, frozen=True, tag=True):
    """Mines under new ships detonated."""

    nation: Nation
    lost: dict[str, int]


class NationPassed(Event, frozen=True, tag=True):
    """A nation buys nothing more, or does again."""

    nation: Nation
    passes: bool


class ReserveSet(Event, frozen=True, tag=True):
    """A tray was counted."""

    nation: Nation
    unit: str
    left: int


class AbilityPicked(Event, frozen=True, tag=True):
    """A commander picked an ability."""

    side: Side
    command: str
    ability: str
