"""Resupply values line by line, budgets, lanes, and the one place that says why something cannot be bought.

Source: rulebook v0.96, Resupply Values of Objectives; Shipping Lanes; US Fleet and German Resupply at Sea.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.core.ids import Nation, Side, SiteId
from companion.core.judgement import Need
from companion.core.ledger import Budget
from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.core.text import Count, Say, Typed, several
from companion.core.text import nation as nation_of
from companion.core.text import side as side_of
from companion.core.text import site as site_of
from companion.core.text import unit as unit_of
from companion.games.sfw.rules.control import held_by_nation, holder
from companion.games.sfw.rules.ledger import (
    TYPES,
    AtSea,
    Lane,
    kind_of,
    nation_side,
    not_in_game,
    other_side,
    ruling,
    turn_of,
)
from companion.games.sfw.rules.ledger_values import printed_key, tables
from companion.games.sfw.rules.resupply_record import (
    Adjusted,
    ResupplyCode,
    ResupplyState,
    SeaReport,
    ValueLine,
    slot,
)
from companion.games.sfw.rules.seals import dial_need
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import UnitSpec

__all__ = [
    "adjusted",
    "at_sea",
    "budget",
    "cost_of",
    "is_placed",
    "lane_net",
    "lane_victims",
    "no_fleet",
    "no_kind",
    "no_source",
    "open_lanes",
    "own_of",
    "refuse_now",
    "sources",
    "specs_of",
    "tray",
    "unclear",
    "why_not",
    "why_not_source",
]

_CARRIED = 4
"""Land Units aboard a Sea Transport, and Fighters or Light Bombers aboard a Carrier (Abilities, Capacity)."""

_ON_CARRIERS = ("fighter", "light_bomber")


def own_of(state: GameState) -> ResupplyState:
    """Return the resupply slice of a running game."""
    own: ResupplyState = state.game["resupply"]
    return own


def at_sea(state: GameState, source: str) -> AtSea | None:
    """Return a resupply at sea by its id, or None when the source is an Objective or unknown."""
    return next((item for item in tables(state).at_sea if item.id == source), None)


def unclear(state: GameState, nation: Nation) -> tuple[SiteId, ...]:
    """Return the Objectives that a nation may control or not, as nobody has entered which nation holds them."""
    return tuple(
        site.id for site in tables(state).objectives() if held_by_nation(state, site.id, nation).is_unknown
    )


def sources(state: GameState, nation: Nation) -> tuple[str, ...]:
    """Return what a nation could choose: its Objectives in board order, then its resupply at sea."""
    table = tables(state)
    held = [site.id for site in table.objectives() if _serves(state, site.id, nation)]
    return (*held, *(item.id for item in table.at_sea if item.nation == nation))


def _serves(state: GameState, site: SiteId, nation: Nation) -> bool:
    """Say whether a nation may take resupply at an Objective: it controls it, or its side where commanders share.

    Source: rulebook v0.96, 6-Player Commander Game; table ruling "commander_resupply"
    """
    held = holder(state, site)
    shares = ruling(state, "commander_resupply", "nation") == "side" and bool(
        state.frozen_setup.options.get("commander")
    )
    return held.nation == nation or (shares and held.side == nation_side(state.frozen_setup, nation))


def lane_net(state: GameState, lane: str) -> tuple[Side | None, int]:
    """Return the winner of a lane and by how many spaces; (None, 0) when level or not entered."""
    counted = own_of(state).lanes.get(lane)
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
    known = {site.id for site in tables(state).objectives()}
    sites = next(item.sites for item in tables(state).lanes if item.id == lane)
    enemy = other_side(state.frozen_setup, winner)
    return tuple(site for site in sites if site in known and holder(state, site).side == enemy)


def open_lanes(state: GameState) -> tuple[str, ...]:
    """Return the lanes that are asked for: not counted yet, or won by a side that has not said who suffers."""
    own = own_of(state)

    def is_open(lane: str) -> bool:
        victims = lane_victims(state, lane)
        return lane not in own.lanes or (bool(victims) and own.cuts.get(lane) not in victims)

    return tuple(lane.id for lane in tables(state).lanes if _uses_values(state, lane) and is_open(lane.id))


def _uses_values(state: GameState, lane: Lane) -> bool:
    """Say whether resupply values of a lane's Objectives are known; without any, it is not asked for."""
    return any(site.resupply for site in tables(state).objectives() if site.id in lane.sites)


def adjusted(state: GameState, source: str, kind: str) -> Adjusted:
    """Return the adjusted value of one type at a source, line by line. KeyError for an unknown source."""
    own, sea = own_of(state), at_sea(state, source)
    printed = (tables(state).sites[source] if sea is None else sea).resupply.get(kind)
    if printed is None:
        return Adjusted(None, (), Say("The printed {kind} value is not entered yet.", kind=kind_of(kind)))
    halvings, cuts = (
        list(_halvings(own, sea, source, kind)),
        list(_subtractions(state, sea, source, kind)),
    )
    first, second = halvings, cuts
    if ruling(state, "resupply_order", "halve_first") == "subtract_first":
        first, second = cuts, halvings
    value, lines = printed, [ValueLine("printed", printed, Say("on the board"))]
    for what, amount, why in (*first, *second):
        value = value // 2 if amount is None else value + amount
        lines.append(ValueLine(what, value, why))
    if kind == "sea" and source in own.blockaded and not (sea and sea.kind == "fleet"):
        value = 0
        lines.append(ValueLine("blockade", 0, Say("blockade")))
    if value < 0:
        value = 0
        lines.append(ValueLine("floor", 0, Say("never below 0")))
    return Adjusted(value, tuple(lines))


_Effect = tuple[str, int | None, Say]
"""What lowers a value: its name, by how much (None: to half), and the same in words."""


def _halvings(own: ResupplyState, sea: AtSea | None, source: str, kind: str) -> Iterable[_Effect]:
    if sea is None and source in own.halved:
        yield "contested", None, Say("contested: halved")
    if kind == "sea" and source in own.sea_halved and not (sea and sea.kind == "fleet"):
        yield "sea_space", None, Say("ships among enemies: halved")


def _subtractions(state: GameState, sea: AtSea | None, source: str, kind: str) -> Iterable[_Effect]:
    own = own_of(state)
    if sea is None:
        for lane, site in own.cuts.items():
            winner, net = lane_net(state, lane)
            if site == source and winner is not None and source in lane_victims(state, lane):
                yield "lane", -net, Say("lane {lane}", lane=Typed(lane))
        if own.bombed.get(source):
            yield "bombing", -own.bombed[source], Say("bombed")
    for effect in own.effects:
        if effect.source == source and effect.by.get(kind):
            yield "card", effect.by[kind], Say("card {card}", card=Typed(effect.card))


def specs_of(state: GameState, basket: Mapping[str, int]) -> tuple[tuple[UnitSpec, int], ...]:
    """Return the units of a basket with their counts; unknown ids are left out."""
    units = unit_table_of(state).units
    return tuple((units[unit], count) for unit, count in basket.items() if unit in units)


def cost_of(state: GameState, basket: Mapping[str, int]) -> int:
    """Return what a basket costs; units whose cost nobody has entered cannot be in one."""
    return sum((spec.cost or 0) * count for spec, count in specs_of(state, basket))


def budget(state: GameState, nation: Nation, kind: str) -> Budget | None:
    """Return what a nation may spend on one type and has spent; None when nothing is chosen or known."""
    own = own_of(state)
    source = own.choices.get(slot(nation, kind))
    value = None if source is None else adjusted(state, source, kind).value
    return None if value is None else Budget(value, cost_of(state, own.baskets.get(slot(nation, kind), {})))


def refuse_now(state: GameState, nation: Nation) -> Rejected | None:
    """Say why a nation cannot act in Resupply now; None when it can."""
    setup = state.frozen_setup
    if nation not in {info.id for info in setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(nation))
    if state.step.phase != "resupply":
        return Rejected(ResupplyCode.NOT_NOW, Say("This is done in the Resupply Phase."))
    if state.step.owners and nation_side(setup, nation) not in state.step.owners:
        return Rejected(ResupplyCode.NOT_YOUR_ACT, turn_of(state.step))
    return None


def no_kind(kind: str) -> Rejected:
    """Refuse what is no kind of resupply."""
    kinds = several((kind_of(known) for known in TYPES), "or")
    return Rejected(
        ResupplyCode.WRONG_TYPE, Say("Choose {kinds} resupply, not {kind}.", kinds=kinds, kind=Typed(kind))
    )


def no_source(source: str) -> Rejected:
    """Refuse a place where there is no resupply."""
    return Rejected(
        ResupplyCode.UNKNOWN_SOURCE, Say("There is no resupply at this place: {site}.", site=site_of(source))
    )


def why_not_source(state: GameState, nation: Nation, kind: str, source: str) -> Rejected | None:
    """Say why a nation cannot take a resupply at a source; None when it can."""
    if kind not in TYPES:
        return no_kind(kind)
    table, sea = tables(state), at_sea(state, source)
    if sea is not None:
        return _why_not_at_sea(state, nation, kind, sea)
    site = table.sites.get(source)
    if site is None:
        return no_source(source)
    here = site_of(source)
    if site.kind != "objective":
        return Rejected(
            ResupplyCode.NO_VALUE, Say("{site} is not an Objective and has no resupply value.", site=here)
        )
    if _serves(state, site.id, nation):
        return _unknown_value(state, source, kind)
    mine, held = held_by_nation(state, site.id, nation), holder(state, site.id)
    if mine.is_unknown:
        why = Say("Enter in Control which nation holds {site}.", site=here)
        return Rejected(ResupplyCode.HOLDER_UNKNOWN, why, mine.needs)
    if held.nation is None:
        return Rejected(
            ResupplyCode.NOT_YOURS,
            Say("{site} is controlled by {side}, not by {nation}.", site=here, side=side_of(held.side or ""),
                nation=nation_of(nation)),
        )  # fmt: skip
    if held.nation != nation:
        return Rejected(
            ResupplyCode.NOT_YOURS,
            Say(
                "{site} is controlled by {holder}, not by {nation}.",
                site=here, holder=nation_of(held.nation), nation=nation_of(nation),
            ),
        )  # fmt: skip
    return _unknown_value(state, source, kind)


def _unknown_value(state: GameState, source: str, kind: str) -> Rejected | None:
    if adjusted(state, source, kind).value is not None:
        return None
    key = printed_key(tables(state), "resupply", source, kind)
    question = Say("{site}: {kind} resupply", site=site_of(source), kind=kind_of(kind))
    return Rejected(
        ResupplyCode.VALUE_UNKNOWN,
        Say(
            "The printed {kind} value of {site} is not entered yet.", kind=kind_of(kind), site=site_of(source)
        ),
        (Need("printed", key, question),) if source in tables(state).sites else (),
    )


def _why_not_at_sea(state: GameState, nation: Nation, kind: str, sea: AtSea) -> Rejected | None:
    if sea.nation != nation:
        return Rejected(
            ResupplyCode.NOT_YOURS,
            Say("{site} serves {nation} only.", site=site_of(sea.id), nation=nation_of(sea.nation)),
        )
    report = own_of(state).at_sea.get(sea.id)
    if sea.kind == "fleet":
        sealed = state.game.get("seals")
        if sealed is not None and not sealed.has_fleet(nation):
            return no_fleet(state, nation)
        if report is None or not report.is_clear:
            return Rejected(
                ResupplyCode.FLEET_NOT_CLEAR,
                Say("First say that the fleet's space is not contested and no enemy is beside it."),
                (Need("clear", sea.id, Say("The fleet's space")),),
            )
    return _unknown_value(state, sea.id, kind)


def no_fleet(state: GameState, nation: Nation) -> Rejected:
    """Refuse what a nation needs a Hidden Fleet for; one on the printed dial is taken by the table's word."""
    needs = () if ruling(state, "fleet_place", "either") == "sealed" else (dial_need(nation),)
    return Rejected(
        ResupplyCode.NO_FLEET, Say("{nation} has no Hidden Fleet.", nation=nation_of(nation)), needs
    )


def is_placed(nation: Nation, kind: str) -> Rejected:
    """Refuse to change what stands on the board already."""
    return Rejected(
        ResupplyCode.ALREADY_PLACED,
        Say("{nation} has already placed its {kind} units.", nation=nation_of(nation), kind=kind_of(kind)),
    )


def why_not(state: GameState, nation: Nation, kind: str, unit: str, count: int = 1) -> Rejected | None:
    """Say why units cannot be put into a basket (or, negative, out of it); None when they can."""
    own, key = own_of(state), slot(nation, kind)
    source = own.choices.get(key)
    if source is None:
        return Rejected(
            ResupplyCode.NOT_CHOSEN,
            Say(
                "First choose where {nation} takes {kind} resupply.",
                nation=nation_of(nation),
                kind=kind_of(kind),
            ),
        )
    if key in own.placed:
        return is_placed(nation, kind)
    table = unit_table_of(state)
    spec, now = table.units.get(unit), table.owned(nation, unit)
    if now != unit and count >= 0:
        return Rejected(
            ResupplyCode.UNKNOWN_UNIT,
            Say(
                "{nation} has upgraded this unit. It now has: {unit}.",
                nation=nation_of(nation),
                unit=unit_of(now),
            ),
        )
    if spec is None or spec.nation not in ("", nation):
        return Rejected(
            ResupplyCode.UNKNOWN_UNIT,
            Say("{nation} has no such unit: {unit}.", nation=nation_of(nation), unit=unit_of(unit)),
        )
    if spec.type != kind:
        return Rejected(
            ResupplyCode.WRONG_TYPE,
            Say("{unit} is bought with {kind} resupply.", unit=unit_of(unit), kind=kind_of(spec.type)),
        )
    basket = own.baskets.get(key, {})
    if count == 0 or basket.get(unit, 0) + count < 0:
        return Rejected(
            Code.BAD_VALUE,
            Say(
                "In the basket: {units}, not {n}.",
                units=Count(basket.get(unit, 0), unit_of(unit)),
                n=-count,
            )
            if count
            else Say("Enter how many units."),
        )
    if count < 0:
        return _why_not_room(state, nation, kind, {**basket, unit: basket[unit] + count})
    value = adjusted(state, source, kind)
    if value.value is None:
        return _unknown_value(state, source, kind)
    if spec.cost is None:
        question = Say("What does {unit} cost?", unit=unit_of(unit))
        return Rejected(
            ResupplyCode.COST_UNKNOWN,
            Say("The cost of {unit} is on the player aid. Enter it in Units.", unit=unit_of(unit)),
            (Need("printed", f"{unit}.cost", question),),
        )
    asked = cost_of(state, basket) + spec.cost * count
    if asked > value.value:
        return Rejected(
            ResupplyCode.OVER_BUDGET,
            Say(
                "Only {have} to spend on {kind} units; you need {need}.",
                kind=kind_of(kind),
                have=value.value,
                need=asked,
            ),
        )
    left = tray(state, nation, unit)
    if left is not None and basket.get(unit, 0) + count > left:
        return Rejected(
            ResupplyCode.NONE_LEFT,
            Say(
                "Left in the tray: {units}; you need {need}.",
                units=Count(left, unit_of(unit)),
                need=basket.get(unit, 0) + count,
            ),
        )
    return _why_not_room(state, nation, kind, {**basket, unit: basket.get(unit, 0) + count})


def tray(state: GameState, nation: Nation, unit: str) -> int | None:
    """Return how many tiles of a unit a nation's tray still holds; None where nobody has said.

    What was said of a unit holds for its upgrade too: they are the same tiles.
    """
    reserve, spec = own_of(state).reserve, unit_table_of(state).units.get(unit)
    standard = unit if spec is None or unit_table_of(state).owned(nation, spec.base) != unit else spec.base
    return reserve.get(f"{nation}.{unit}", reserve.get(f"{nation}.{standard}"))


def _why_not_room(state: GameState, nation: Nation, kind: str, basket: Mapping[str, int]) -> Rejected | None:
    """Check the room aboard for what is bought at sea, with one basket as it would be."""
    own = own_of(state)
    source = own.choices[slot(nation, kind)]
    sea = at_sea(state, source)
    if sea is None:
        return None
    report = own.at_sea.get(source, SeaReport(False))
    baskets = {
        name: own.baskets.get(slot(nation, name), {}) if own.choices.get(slot(nation, name)) == source else {}
        for name in TYPES
    } | {kind: basket}
    ships = {spec.standard: 0 for spec, _ in specs_of(state, baskets["sea"])}
    for spec, count in specs_of(state, baskets["sea"]):
        ships[spec.standard] += count
    land = sum(baskets["land"].values())
    room = report.land_room + _CARRIED * ships.get("sea_transport", 0)
    if land > room:
        return Rejected(
            ResupplyCode.NO_ROOM,
            Say.counted(
                "No room for {n} Land Unit: the Sea Transports there can take {room}.",
                "No room for {n} Land Units: the Sea Transports there can take {room}.",
                land,
                room=room,
            ),
        )
    if sea.kind == "fleet":
        aboard = sum(
            count for spec, count in specs_of(state, baskets["air"]) if spec.standard in _ON_CARRIERS
        )
        decks = report.air_room + _CARRIED * ships.get("carrier", 0)
        if aboard > decks:
            return Rejected(
                ResupplyCode.NO_ROOM,
                Say("No room for {n} aircraft: the Carriers there can take {room}.", n=aboard, room=decks),
            )
        if report.ship_room is not None and sum(ships.values()) > report.ship_room:
            return Rejected(
                ResupplyCode.NO_ROOM,
                Say.counted(
                    "The fleet can take {n} more Sea Unit; you need {need}.",
                    "The fleet can take {n} more Sea Units; you need {need}.",
                    report.ship_room,
                    need=sum(ships.values()),
                ),
            )
    return None
