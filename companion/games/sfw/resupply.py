"""Resupply: adjusted values line by line, choices, baskets against the budget, placing, lanes and bombing.

A nation takes one Air, one Sea and one Land resupply, each at one of its own Objectives, or at sea where the
scenario allows it. What lowers a value is entered as the table sees it on the board; the sum is shown line by
line. `why_not` is the one place that says why something cannot be bought.

Source: rulebook v0.96, Phase 4: Resupply; Shipping Lanes; US Fleet and German Resupply at Sea; 6-Player
Commander Game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core.commands import Command
from companion.core.events import Event
from companion.core.flow import CheckItem, Step
from companion.core.ids import Millis, Nation, Side
from companion.core.ledger import Budget
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.games.parts import BasePart
from companion.games.sfw.battle_record import BattleSlice
from companion.games.sfw.control import holder
from companion.games.sfw.ledger import (
    TYPES,
    AtSea,
    nation_side,
    nations_of,
    other_side,
    printed_fault,
    ruling,
    tables,
)
from companion.games.sfw.support import unit_table_of
from companion.games.sfw.units import UnitSpec

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
    "LaneCut",
    "LaneEntered",
    "MinesResolved",
    "NationPassed",
    "PassResupply",
    "PickAbility",
    "Place",
    "Placed",
    "Purchase",
    "Purchased",
    "RecordBombing",
    "RecordCardEffect",
    "Record",
    "ReportAtSea",
    "ReportCondition",
    "ReserveSet",
    "ResolveMines",
    "ResupplyCode",
    "ResupplyPart",
    "ResupplyState",
    "SeaReported",
    "SetReserve",
    "ValueLine",
    "adjusted",
    "budget",
    "lane_net",
    "slot",
    "sources",
    "why_not",
    "why_not_source",
]

_CARRIED = 4
"""Land Units aboard a Sea Transport, and Fighters or Light Bombers aboard a Carrier (Abilities, Capacity)."""

_ON_CARRIERS = ("fighter", "light_bomber")


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
    detail: str = ""


class Adjusted(msgspec.Struct, frozen=True):
    """The adjusted value of one type at one source."""

    value: int | None
    lines: tuple[ValueLine, ...] = ()
    why: str = ""
    """Why it is not known."""


def slot(nation: str, kind: str) -> str:
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
    site: str


class RecordBombing(Command, frozen=True, tag=True):
    """Record hits of targeted bombing for the coming Resupply; the number is the total of this stage."""

    site: str
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
    site: str


class BombingRecorded(Event, frozen=True, tag=True):
    """An Objective was bombed."""

    site: str
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


# Questions


def _own(state: GameState) -> ResupplyState:
    own: ResupplyState = state.game["resupply"]
    return own


def at_sea(state: GameState, source: str) -> AtSea | None:
    """Return a resupply at sea by its id, or None when the source is an Objective or unknown."""
    return next((item for item in tables(state).at_sea if item.id == source), None)


def sources(state: GameState, nation: str) -> tuple[str, ...]:
    """Return what a nation could choose: its Objectives in board order, then its resupply at sea."""
    table = tables(state)
    held = [site.id for site in table.objectives() if holder(state, site.id).nation == nation]
    return (*held, *(item.id for item in table.at_sea if item.nation == nation))


def lane_net(state: GameState, lane: str) -> tuple[Side | None, int]:
    """Return the winner of a lane and by how many spaces; (None, 0) when level or not entered."""
    counted = _own(state).lanes.get(lane)
    if counted is None:
        return None, 0
    first, second = (info.id for info in state.frozen_setup.sides)
    net = counted.spaces.get(first, 0) - counted.spaces.get(second, 0)
    return (first if net > 0 else second if net < 0 else None), abs(net)


def lane_victims(state: GameState, lane: str) -> tuple[str, ...]:
    """Return the Objectives of a lane that its winner may cut."""
    winner, _ = lane_net(state, lane)
    if winner is None:
        return ()
    sites = next(item.sites for item in tables(state).lanes if item.id == lane)
    enemy = other_side(state.frozen_setup, winner)
    return tuple(site for site in sites if holder(state, site).side == enemy)


def adjusted(state: GameState, source: str, kind: str) -> Adjusted:
    """Return the adjusted value of one type at a source, line by line. KeyError for an unknown source."""
    own, sea = _own(state), at_sea(state, source)
    printed = (tables(state).sites[source] if sea is None else sea).resupply.get(kind)
    if printed is None:
        return Adjusted(None, (), f"the printed {kind.capitalize()} value is not entered")
    halvings: list[tuple[str, int | None, str]] = list(_halvings(own, sea, source, kind))
    cuts: list[tuple[str, int | None, str]] = list(_subtractions(state, sea, source, kind))
    first, second = halvings, cuts
    if ruling(state, "resupply_order", "halve_first") == "subtract_first":
        first, second = cuts, halvings
    value, lines = printed, [ValueLine("printed", printed)]
    for what, amount, detail in (*first, *second):
        value = value // 2 if amount is None else value + amount
        lines.append(ValueLine(what, value, detail))
    if kind == "sea" and source in own.blockaded and not (sea and sea.kind == "fleet"):
        value = 0
        lines.append(ValueLine("blockade", 0))
    if value < 0:
        value = 0
        lines.append(ValueLine("floor", 0))
    return Adjusted(value, tuple(lines))


def _halvings(
    own: ResupplyState, sea: AtSea | None, source: str, kind: str
) -> Iterable[tuple[str, int | None, str]]:
    if sea is None and source in own.halved:
        yield "contested", None, ""
    if kind == "sea" and source in own.sea_halved and not (sea and sea.kind == "fleet"):
        yield "sea_space", None, ""


def _subtractions(
    state: GameState, sea: AtSea | None, source: str, kind: str
) -> Iterable[tuple[str, int | None, str]]:
    own = _own(state)
    if sea is None:
        for lane, site in own.cuts.items():
            winner, net = lane_net(state, lane)
            if site == source and winner is not None and source in lane_victims(state, lane):
                yield "lane", -net, lane
        if own.bombed.get(source):
            yield "bombing", -own.bombed[source], ""
    for effect in own.effects:
        if effect.source == source and effect.by.get(kind):
            yield "card", effect.by[kind], effect.card


def _specs(state: GameState, basket: Mapping[str, int]) -> tuple[tuple[UnitSpec, int], ...]:
    units = unit_table_of(state).units
    return tuple((units[unit], count) for unit, count in basket.items() if unit in units)


def _cost(state: GameState, basket: Mapping[str, int]) -> int:
    return sum(spec.cost * count for spec, count in _specs(state, basket))


def budget(state: GameState, nation: str, kind: str) -> Budget | None:
    """Return what a nation may spend on one type and has spent; None when nothing is chosen or known."""
    own = _own(state)
    source = own.choices.get(slot(nation, kind))
    value = None if source is None else adjusted(state, source, kind).value
    return None if value is None else Budget(value, _cost(state, own.baskets.get(slot(nation, kind), {})))


def _refuse_now(state: GameState, nation: str) -> Rejected | None:
    setup = state.frozen_setup
    if nation not in {info.id for info in setup.nations}:
        return Rejected(Code.BAD_VALUE, f"{nation} is no nation of this game")
    if state.step.phase != "resupply":
        return Rejected(ResupplyCode.NOT_NOW, "only in the Resupply Phase")
    if state.step.owners and nation_side(setup, nation) not in state.step.owners:
        return Rejected(ResupplyCode.NOT_YOUR_ACT, f"now {' and '.join(state.step.owners)}")
    return None


def why_not_source(state: GameState, nation: str, kind: str, source: str) -> Rejected | None:
    """Say why a nation cannot take a resupply at a source; None when it can."""
    if kind not in TYPES:
        return Rejected(ResupplyCode.WRONG_TYPE, f"expected one of {', '.join(TYPES)}, got {kind!r}")
    table, sea = tables(state), at_sea(state, source)
    if sea is not None:
        return _why_not_at_sea(state, nation, kind, sea)
    site = table.sites.get(source)
    if site is None:
        return Rejected(ResupplyCode.UNKNOWN_SOURCE, source)
    if site.kind == "airfield":
        return Rejected(ResupplyCode.NO_VALUE, f"{site.name} is an Airfield: no resupply value")
    held = holder(state, source)
    if held.nation is None:
        return Rejected(ResupplyCode.HOLDER_UNKNOWN, f"enter in Control which nation holds {site.name}")
    if held.nation != nation:
        return Rejected(
            ResupplyCode.NOT_YOURS, f"{site.name} is controlled by {held.nation}, not by {nation}"
        )
    value = adjusted(state, source, kind)
    if value.value is None:
        return Rejected(ResupplyCode.VALUE_UNKNOWN, f"{site.name}: {value.why}")
    return None


def _why_not_at_sea(state: GameState, nation: str, kind: str, sea: AtSea) -> Rejected | None:
    if sea.nation != nation:
        return Rejected(ResupplyCode.NOT_YOURS, f"{sea.name} serves {sea.nation} only")
    report = _own(state).at_sea.get(sea.id)
    if sea.kind == "fleet":
        sealed = state.game.get("seals")
        if sealed is not None and not sealed.has_fleet(nation):
            return Rejected(ResupplyCode.NO_FLEET, f"{nation} has no Hidden Fleet")
        if report is None or not report.is_clear:
            return Rejected(
                ResupplyCode.FLEET_NOT_CLEAR,
                "say first that the fleet's space is not contested and no enemy is beside it",
            )
    if adjusted(state, sea.id, kind).value is None:
        return Rejected(ResupplyCode.VALUE_UNKNOWN, f"{sea.name}: its {kind} value")
    return None


def why_not(state: GameState, nation: str, kind: str, unit: str, count: int = 1) -> Rejected | None:
    """Say why units cannot be put into a basket (or, negative, out of it); None when they can."""
    own, key = _own(state), slot(nation, kind)
    source = own.choices.get(key)
    if source is None:
        return Rejected(ResupplyCode.NOT_CHOSEN, f"choose first where {nation} takes its {kind} resupply")
    if key in own.placed:
        return Rejected(ResupplyCode.ALREADY_PLACED, f"{nation}'s {kind} units stand on the board already")
    spec = unit_table_of(state).units.get(unit)
    if spec is None or spec.nation not in ("", nation):
        return Rejected(ResupplyCode.UNKNOWN_UNIT, f"{unit} is no unit of {nation}")
    if spec.type != kind:
        return Rejected(ResupplyCode.WRONG_TYPE, f"{spec.name} is bought with {spec.type} resupply")
    basket = own.baskets.get(key, {})
    if count == 0 or basket.get(unit, 0) + count < 0:
        return Rejected(Code.BAD_VALUE, f"{basket.get(unit, 0)} in the basket, {count} asked")
    if count < 0:
        return _why_not_room(state, nation, kind, {**basket, unit: basket[unit] + count})
    value = adjusted(state, source, kind)
    if value.value is None:
        return Rejected(ResupplyCode.VALUE_UNKNOWN, value.why)
    asked = _cost(state, basket) + spec.cost * count
    if asked > value.value:
        return Rejected(ResupplyCode.OVER_BUDGET, f"{kind.capitalize()} {value.value}, {asked} asked")
    left = own.reserve.get(f"{nation}.{unit}")
    if left is not None and basket.get(unit, 0) + count > left:
        return Rejected(ResupplyCode.NONE_LEFT, f"{left} {spec.name} left in the tray")
    return _why_not_room(state, nation, kind, {**basket, unit: basket.get(unit, 0) + count})


def _why_not_room(state: GameState, nation: str, kind: str, basket: Mapping[str, int]) -> Rejected | None:
    """Check the room aboard for what is bought at sea, with one basket as it would be."""
    own = _own(state)
    source = own.choices[slot(nation, kind)]
    sea = at_sea(state, source)
    if sea is None:
        return None
    report = own.at_sea.get(source, SeaReport(False))
    baskets = {
        name: own.baskets.get(slot(nation, name), {}) if own.choices.get(slot(nation, name)) == source else {}
        for name in TYPES
    } | {kind: basket}
    ships = {spec.standard: 0 for spec, _ in _specs(state, baskets["sea"])}
    for spec, count in _specs(state, baskets["sea"]):
        ships[spec.standard] += count
    land = sum(baskets["land"].values())
    room = report.land_room + _CARRIED * ships.get("sea_transport", 0)
    if land > room:
        return Rejected(
            ResupplyCode.NO_ROOM, f"{land} Land Units, room for {room} aboard Sea Transports there"
        )
    if sea.kind == "fleet":
        aboard = sum(count for spec, count in _specs(state, baskets["air"]) if spec.standard in _ON_CARRIERS)
        decks = report.air_room + _CARRIED * ships.get("carrier", 0)
        if aboard > decks:
            return Rejected(
                ResupplyCode.NO_ROOM, f"{aboard} aircraft, room for {decks} aboard Carriers there"
            )
        if report.ship_room is not None and sum(ships.values()) > report.ship_room:
            return Rejected(ResupplyCode.NO_ROOM, f"the fleet takes {report.ship_room} more Sea Units")
    return None


class ResupplyPart(BasePart):
    """Values, choices, baskets and placing of the Resupply Phase, and the bombing that lowers it."""

    name = "resupply"
    commands: tuple[type[Command], ...] = (
        ChooseResupply, CutLane, EnterLane, PassResupply, PickAbility, Place, Purchase, RecordBombing,
        RecordCardEffect, ReportAtSea, ReportCondition, ResolveMines, SetReserve,
    )  # fmt: skip
    events: tuple[type[Event], ...] = (
        AbilityPicked, BombingRecorded, CardEffectRecorded, ChoiceMade, ConditionReported, LaneCut, LaneEntered,
        MinesResolved, NationPassed, Placed, Purchased, ReserveSet, SeaReported,
    )  # fmt: skip

    def initial(self, setup: Setup) -> ResupplyState:
        """Return an empty slice at the first stage."""
        return ResupplyState(stage=next((step.stage for step in setup.steps if step.stage), 0))

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide one of this part's commands."""
        decider = _DECIDERS.get(type(command))
        return super().decide(state, command, ctx) if decider is None else decider(state, command)

    def evolve(self, own: Any, event: Event, state: GameState) -> ResupplyState:
        """Apply an event of this part."""
        return _evolve(own, event, state)

    def step_entered(self, own: Any, step: Step, state: GameState) -> ResupplyState:
        """Begin afresh in a new stage; take back what a side whose time ran out has not placed."""
        slice_: ResupplyState = own
        if step.stage > slice_.stage:
            return ResupplyState(
                stage=step.stage, reserve=slice_.reserve, abilities=slice_.abilities, records=slice_.records
            )
        if not slice_.baskets:
            return slice_
        setup = state.frozen_setup
        late = {
            nation
            for info in setup.sides
            if ck.fallen(state.clocks, info.id, step.stage)
            for nation in nations_of(setup, info.id)
        }
        kept = {
            key: basket
            for key, basket in slice_.baskets.items()
            if key in slice_.placed or key.split(".")[0] not in late
        }
        return slice_ if len(kept) == len(slice_.baskets) else replace(slice_, baskets=kept)

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Take over the hits of targeted bombing from the battles of the stage when its Resupply begins."""
        own = _own(state)
        if step.phase != "resupply" or own.choices:
            return ()
        hits = _bombing_hits(state, step.stage)
        return tuple(
            BombingRecorded(site, count) for site, count in hits.items() if count > own.bombed.get(site, 0)
        )

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Say what is still undone in a resupply step."""
        if step.phase != "resupply":
            return None
        open_points = list(_undone(state, step))
        return Rejected(Code.UNDONE, "; ".join(open_points)) if open_points else None

    def printed_fault(self, state: GameState, key: str, value: object) -> str | None:
        """Check a printed value of the ledger; one that would leave a basket unpaid is refused too."""
        fault = printed_fault(tables(state), state.frozen_setup, key, value)
        if fault is not None or not key.startswith("resupply."):
            return fault
        after = replace(state, printed={**state.printed, key: value})
        for info in state.frozen_setup.nations:
            for kind in TYPES:
                spent = None if slot(info.id, kind) in _own(state).placed else budget(after, info.id, kind)
                if spent is not None and spent.left < 0:
                    return f"{key}: {spent.spent} in {info.id}'s basket, {spent.limit} would be the value"
        return None

    def flag_losses(self, state: GameState, side: Side) -> tuple[CheckItem, ...]:
        """Name the units that go back to the tray because they were not placed in time."""
        if state.step.phase != "resupply":
            return ()
        names = [
            f"{count} {spec.name}"
            for nation in nations_of(state.frozen_setup, side)
            for kind in TYPES
            if slot(nation, kind) not in _own(state).placed
            for spec, count in _specs(state, _own(state).baskets.get(slot(nation, kind), {}))
            if count
        ]
        if not names:
            return ()
        text = f"Units not yet on the board go back to the tray: {', '.join(names)}."
        return (CheckItem("flag.resupply.unplaced", text, "Tournament Time, Game Play"),)


def _bombing_hits(state: GameState, stage: int) -> dict[str, int]:
    """Return the hits on each Objective's resupply from the battles of a stage, by the space they were named for."""
    fought: BattleSlice | None = state.game.get("battle")
    if fought is None:
        return {}
    names = {name.casefold(): site.id for site in tables(state).objectives() for name in (site.id, site.name)}
    hits: dict[str, int] = {}
    for battle in (*fought.history, *fought.battles):
        site = names.get(battle.space.strip().casefold())
        if (
            site is not None
            and battle.stage == stage
            and battle.progress is not None
            and battle.progress.bombing
        ):
            hits[site] = hits.get(site, 0) + battle.progress.bombing
    return hits


def _undone(state: GameState, step: Step) -> Iterable[str]:
    own, setup = _own(state), state.frozen_setup
    nations = [info.id for info in setup.nations if not step.owners or info.side in step.owners]
    match step.act:
        case "lanes":
            for lane in tables(state).lanes if _uses_values(state) else ():
                if lane.id not in own.lanes:
                    yield f"lane {lane.id} is not counted"
                elif lane_victims(state, lane.id) and own.cuts.get(lane.id) not in lane_victims(
                    state, lane.id
                ):
                    winner, net = lane_net(state, lane.id)
                    yield f"lane {lane.id}: {winner} +{net}, name the Objective that suffers"
        case "choose":
            for nation in nations:
                is_done = nation in own.passed or any(slot(nation, kind) in own.choices for kind in TYPES)
                if not is_done and _can_choose(state, nation):
                    yield f"{nation} has chosen no resupply"
        case "place":
            for nation in nations:
                yield from _unplaced(state, nation)


def _uses_values(state: GameState) -> bool:
    """Say whether the table has entered resupply values; without any, lanes and choices are not asked for."""
    return any(site.resupply for site in tables(state).objectives())


def _can_choose(state: GameState, nation: str) -> bool:
    return any(
        why_not_source(state, nation, kind, source) is None
        for source in sources(state, nation)
        for kind in TYPES
    )


def _unplaced(state: GameState, nation: str) -> Iterable[str]:
    own = _own(state)
    for kind in TYPES:
        key = slot(nation, kind)
        spent, placement = budget(state, nation, kind), own.placed.get(key)
        if placement is not None:
            if not placement.is_resolved:
                yield f"{nation}: roll for {placement.mines} mines in {placement.where}"
        elif any(own.baskets.get(key, {}).values()):
            yield f"{nation}: {kind} units bought and not placed"
        elif spent is not None and spent.left and nation not in own.passed:
            yield f"{nation}: {spent.left} {kind} unspent, it would be lost"


# Decisions


def _choose(state: GameState, command: ChooseResupply) -> Decision:
    refused = _refuse_now(state, command.nation)
    own, key = _own(state), slot(command.nation, command.unit_type)
    if refused is None and key in own.placed:
        refused = Rejected(
            ResupplyCode.ALREADY_PLACED, f"{command.nation}'s {command.unit_type} units are placed"
        )
    if refused is None and any(own.baskets.get(key, {}).values()):
        refused = Rejected(ResupplyCode.ALREADY_PLACED, "put back what is in the basket first")
    if refused is None and command.source:
        refused = why_not_source(state, command.nation, command.unit_type, command.source)
    if refused is not None:
        return refused
    if own.choices.get(key, "") == command.source:
        return Accepted(())
    return Accepted((ChoiceMade(command.nation, command.unit_type, command.source),))


def _purchase(state: GameState, command: Purchase) -> Decision:
    refused = _refuse_now(state, command.nation) or why_not(
        state, command.nation, command.unit_type, command.unit, command.count
    )
    if refused is not None:
        return refused
    before = _own(state).baskets.get(slot(command.nation, command.unit_type), {}).get(command.unit, 0)
    return Accepted((Purchased(command.nation, command.unit_type, command.unit, before + command.count),))


def _place(state: GameState, command: Place) -> Decision:
    refused = _refuse_now(state, command.nation)
    if refused is not None:
        return refused
    own, key = _own(state), slot(command.nation, command.unit_type)
    basket = {unit: count for unit, count in own.baskets.get(key, {}).items() if count}
    source = own.choices.get(key)
    if key in own.placed:
        return Rejected(
            ResupplyCode.ALREADY_PLACED, f"{command.nation}'s {command.unit_type} units are placed"
        )
    if source is None or not basket:
        return Rejected(
            ResupplyCode.NOTHING_BOUGHT, f"{command.nation} has no {command.unit_type} units to place"
        )
    sea = at_sea(state, source)
    where = command.where.strip() or ("" if command.unit_type == "sea" and sea is None else source)
    if not where:
        return Rejected(Code.BAD_VALUE, "name the sea space, beside the Objective by an edge")
    sealed = state.game.get("seals")
    if command.into_fleet and sealed is not None and not sealed.has_fleet(command.nation):
        return Rejected(ResupplyCode.NO_FLEET, f"{command.nation} has no Hidden Fleet to join")
    if command.mines < 0 or (command.mines and (command.unit_type != "sea" or (sea and sea.kind == "fleet"))):
        return Rejected(Code.BAD_VALUE, f"{command.mines} mines under {command.unit_type} units")
    record = Record(own.stage, command.nation, command.unit_type, source, basket, _cost(state, basket), where)
    placement = Placement(where, command.into_fleet, command.mines, command.mines == 0)
    return Accepted((Placed(record, placement),))


def _resolve_mines(state: GameState, command: ResolveMines) -> Decision:
    key = slot(command.nation, "sea")
    placement, basket = _own(state).placed.get(key), _own(state).baskets.get(key, {})
    if placement is None or placement.is_resolved:
        return Rejected(ResupplyCode.NOT_NOW, f"no mines wait under new ships of {command.nation}")
    for unit, lost in command.lost.items():
        if not 0 <= lost <= basket.get(unit, 0):
            return Rejected(Code.BAD_VALUE, f"{lost} {unit} lost of {basket.get(unit, 0)} placed")
    return Accepted((MinesResolved(command.nation, command.lost),))


def _pass(state: GameState, command: PassResupply) -> Decision:
    refused = _refuse_now(state, command.nation)
    if refused is not None:
        return refused
    if (command.nation in _own(state).passed) == command.passes:
        return Accepted(())
    return Accepted((NationPassed(command.nation, command.passes),))


def _over_after(state: GameState, event: Event, what: str) -> Rejected | None:
    """Refuse an effect that would leave something bought that could not be paid any more."""
    after = replace(state, game={**state.game, "resupply": _evolve(_own(state), event, state)})
    for info in state.frozen_setup.nations:
        for kind in TYPES:
            key = slot(info.id, kind)
            if key in _own(state).placed:
                continue
            spent = budget(after, info.id, kind)
            if spent is not None and spent.left < 0:
                return Rejected(
                    ResupplyCode.OVER_BUDGET,
                    f"{what}: {kind.capitalize()} {spent.limit}, {spent.spent} in {info.id}'s basket; put back first",
                )
    return None


def _effect(state: GameState, event: Event, what: str) -> Decision:
    refused = _over_after(state, event, what)
    return refused if refused is not None else Accepted((event,))


def _report(state: GameState, command: ReportCondition) -> Decision:
    known = {site.id for site in tables(state).objectives()} | {item.id for item in tables(state).at_sea}
    if command.source not in known:
        return Rejected(ResupplyCode.UNKNOWN_SOURCE, command.source)
    if command.condition not in tables(state).conditions:
        expected = ", ".join(tables(state).conditions)
        return Rejected(Code.BAD_VALUE, f"condition: expected one of {expected}, got {command.condition!r}")
    if state.step.phase != "resupply":
        return Rejected(ResupplyCode.NOT_NOW, "the board is looked at when Resupply begins")
    current: frozenset[str] = getattr(_own(state), _CONDITIONS[command.condition])
    if (command.source in current) == command.holds:
        return Accepted(())
    event = ConditionReported(command.source, command.condition, command.holds)
    return _effect(state, event, command.condition)


_CONDITIONS = {"contested": "halved", "blockade": "blockaded", "sea_space": "sea_halved"}


def _lane(state: GameState, command: EnterLane) -> Decision:
    lane = next((item for item in tables(state).lanes if item.id == command.lane), None)
    if lane is None:
        return Rejected(ResupplyCode.UNKNOWN_LANE, f"lane {command.lane}")
    if state.step.phase != "resupply":
        return Rejected(ResupplyCode.NOT_NOW, "lanes are counted when Resupply begins")
    sides = {info.id for info in state.frozen_setup.sides}
    counts = command.spaces.values()
    if set(command.spaces) != sides or any(count < 0 for count in counts):
        return Rejected(
            Code.BAD_VALUE, f"expected a count of 0 or more for each of {', '.join(sorted(sides))}"
        )
    if lane.spaces is not None and sum(counts) > lane.spaces:
        return Rejected(Code.BAD_VALUE, f"lane {lane.id} has {lane.spaces} sea spaces, {sum(counts)} given")
    return _effect(state, LaneEntered(command.lane, command.spaces), f"lane {lane.id}")


def _cut(state: GameState, command: CutLane) -> Decision:
    if command.lane not in {item.id for item in tables(state).lanes}:
        return Rejected(ResupplyCode.UNKNOWN_LANE, f"lane {command.lane}")
    if state.step.phase != "resupply":
        return Rejected(ResupplyCode.NOT_NOW, "lanes are applied when Resupply begins")
    victims = lane_victims(state, command.lane)
    if command.site not in victims:
        found = f"one of {', '.join(victims)}" if victims else "nothing: the lane is level or holds no enemy"
        return Rejected(
            ResupplyCode.LANE_NOT_WON, f"lane {command.lane}: expected {found}, got {command.site}"
        )
    return _effect(state, LaneCut(command.lane, command.site), f"lane {command.lane}")


def _bomb(state: GameState, command: RecordBombing) -> Decision:
    site = tables(state).sites.get(command.site)
    if site is None or site.kind == "airfield":
        return Rejected(ResupplyCode.UNKNOWN_SOURCE, f"{command.site} is no Objective")
    if not 0 <= command.hits <= 99:
        return Rejected(Code.BAD_VALUE, f"{command.hits} hits")
    return _effect(state, BombingRecorded(command.site, command.hits), f"bombing of {site.name}")


def _card(state: GameState, command: RecordCardEffect) -> Decision:
    known = {site.id for site in tables(state).objectives()} | {item.id for item in tables(state).at_sea}
    if command.source not in known:
        return Rejected(ResupplyCode.UNKNOWN_SOURCE, command.source)
    if not command.by or any(kind not in TYPES for kind in command.by) or not command.card.strip():
        return Rejected(Code.BAD_VALUE, f"a card's name and values for {', '.join(TYPES)}")
    effect = CardEffect(command.source, command.by, command.card.strip())
    return _effect(state, CardEffectRecorded(effect), command.card)


def _report_sea(state: GameState, command: ReportAtSea) -> Decision:
    if at_sea(state, command.source) is None:
        return Rejected(ResupplyCode.UNKNOWN_SOURCE, command.source)
    if min(command.land_room, command.air_room, command.ship_room or 0) < 0:
        return Rejected(Code.BAD_VALUE, "room cannot be less than none")
    if _own(state).spends_at(command.source):
        return Rejected(ResupplyCode.ALREADY_PLACED, "put back first what was bought there")
    report = SeaReport(command.is_clear, command.land_room, command.air_room, command.ship_room)
    return Accepted((SeaReported(command.source, report),))


def _reserve(state: GameState, command: SetReserve) -> Decision:
    if command.nation not in {info.id for info in state.frozen_setup.nations}:
        return Rejected(Code.BAD_VALUE, f"{command.nation} is no nation of this game")
    if command.unit not in unit_table_of(state).units:
        return Rejected(ResupplyCode.UNKNOWN_UNIT, command.unit)
    if command.left < 0:
        return Rejected(Code.BAD_VALUE, f"{command.left} left")
    return Accepted((ReserveSet(command.nation, command.unit, command.left),))


def _ability(state: GameState, command: PickAbility) -> Decision:
    setup = state.frozen_setup
    if not setup.options.get("commander"):
        return Rejected(ResupplyCode.NOT_NOW, "only in the commander game")
    if command.side not in {info.id for info in setup.sides} or command.command not in TYPES:
        return Rejected(Code.BAD_VALUE, f"{command.side} {command.command} is no command")
    if not command.ability.strip():
        return Rejected(Code.BAD_VALUE, "name the ability")
    chosen = _own(state).abilities.get(f"{command.side}.{command.command}")
    if chosen is not None:
        return Rejected(
            ResupplyCode.ALREADY_PLACED, f"{chosen} was picked for the whole game; undo to change it"
        )
    return Accepted((AbilityPicked(command.side, command.command, command.ability.strip()),))


_DECIDERS: dict[type, Any] = {
    ChooseResupply: _choose,
    CutLane: _cut,
    EnterLane: _lane,
    PassResupply: _pass,
    PickAbility: _ability,
    Place: _place,
    Purchase: _purchase,
    RecordBombing: _bomb,
    RecordCardEffect: _card,
    ReportAtSea: _report_sea,
    ReportCondition: _report,
    ResolveMines: _resolve_mines,
    SetReserve: _reserve,
}


def _evolve(own: ResupplyState, event: Event, state: GameState) -> ResupplyState:  # noqa: ARG001
    match event:
        case ConditionReported():
            name = _CONDITIONS[event.condition]
            current: frozenset[str] = getattr(own, name)
            changed = current | {event.source} if event.holds else current - {event.source}
            return replace(own, **{name: changed})
        case LaneEntered():
            return replace(own, lanes={**own.lanes, event.lane: LaneCount(event.spaces)})
        case LaneCut():
            return replace(own, cuts={**own.cuts, event.lane: event.site})
        case BombingRecorded():
            return replace(own, bombed={**own.bombed, event.site: event.hits})
        case CardEffectRecorded():
            return replace(own, effects=(*own.effects, event.effect))
        case SeaReported():
            return replace(own, at_sea={**own.at_sea, event.source: event.report})
        case ChoiceMade():
            choices = {**own.choices, slot(event.nation, event.unit_type): event.source}
            return replace(own, choices={key: source for key, source in choices.items() if source})
        case Purchased():
            key = slot(event.nation, event.unit_type)
            basket = {**own.baskets.get(key, {}), event.unit: event.count}
            kept = {unit: count for unit, count in basket.items() if count}
            return replace(own, baskets={**own.baskets, key: kept})
        case Placed():
            return _placed(own, event)
        case MinesResolved():
            key = slot(event.nation, "sea")
            done = replace(own.placed[key], is_resolved=True) if key in own.placed else None
            return own if done is None else replace(own, placed={**own.placed, key: done})
        case NationPassed():
            nations = own.passed | {event.nation} if event.passes else own.passed - {event.nation}
            return replace(own, passed=nations)
        case ReserveSet():
            return replace(own, reserve={**own.reserve, f"{event.nation}.{event.unit}": event.left})
        case AbilityPicked():
            return replace(own, abilities={**own.abilities, f"{event.side}.{event.command}": event.ability})
    return own


def _placed(own: ResupplyState, event: Placed) -> ResupplyState:
    record = event.record
    reserve = {
        key: left - record.units.get(key.split(".", 1)[1], 0) if key.startswith(f"{record.nation}.") else left
        for key, left in own.reserve.items()
    }
    return replace(
        own,
        placed={**own.placed, slot(record.nation, record.unit_type): event.placement},
        records=(*own.records, record),
        reserve=reserve,
    )
