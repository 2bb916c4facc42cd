"""The Resupply screen: lanes, values line by line, choices, baskets against budgets, what is placed."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.change import Change
from companion.core.commands import EnterPrintedValue
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, several
from companion.core.text import unit as unit_of
from companion.games.sfw.pages.ledger_view import kind_name, nation_name, site_name, who
from companion.games.sfw.rules import resupply as rs
from companion.games.sfw.rules.control import holder
from companion.games.sfw.rules.ledger import TYPES, nation_side, printed_key, tables
from companion.games.sfw.rules.resupply_record import ResupplyCode
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.frame import Mark, mark
from companion.pages.i18n import _
from companion.pages.labels import refusal, side_name
from companion.pages.speak import sentence, speak

__all__ = [
    "BasketRow",
    "BombingRow",
    "ConditionTick",
    "KindCard",
    "LaneRow",
    "ResupplyView",
    "SourceRow",
    "UnitRow",
    "at_sea_rows",
    "bombing_rows",
    "condition_ticks",
    "lane_rows",
    "lane_site_rows",
    "placed_rows",
    "resupply_view",
    "source_rows",
    "unit_rows",
]


@dataclass(frozen=True, slots=True)
class LaneRow:
    """One shipping lane."""

    id: str
    name: str
    counts: tuple[tuple[Mark, int], ...]
    """Spaces that each side alone holds."""
    is_counted: bool
    result: str
    victims: tuple[tuple[str, str], ...] = ()
    """Objectives that its winner may cut: id and name."""
    victim: str = ""
    is_open: bool = False
    """Whether the table may set which Objectives it connects: the text at hand leaves it open."""


@dataclass(frozen=True, slots=True)
class BasketRow:
    """Units of one kind in a basket."""

    unit: str
    text: str
    cost: int


@dataclass(frozen=True, slots=True)
class KindCard:
    """A nation's resupply of one type."""

    kind: str
    name: str
    source: str
    source_name: str
    value: str
    """Adjusted value, or why there is none."""
    lines: tuple[str, ...]
    """The sum, one line a text: ``16 on the board``, ``8 contested: halved``."""
    spent: int
    limit: int | None
    basket: tuple[BasketRow, ...]
    placed: str
    """Where it was placed; empty while it is not."""
    can_place: bool
    mines: int = 0
    """Mines still to be rolled for."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One place to take a resupply at."""

    id: str
    name: str
    detail: str
    can: bool
    key: str = ""
    """Printed value to be entered before it can be taken; empty: none is missing."""


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One unit that could be bought."""

    unit: str
    name: str
    cost: int | None
    """None while it is not known."""
    count: int
    can_more: bool
    can_less: bool
    why: str
    """Why not one more; empty when it can be bought."""


@dataclass(frozen=True, slots=True)
class ConditionTick:
    """How a source stands on the board, to be ticked."""

    source: str
    condition: str
    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class BombingRow:
    """Hits of targeted bombing on an Objective, for the coming Resupply."""

    site: str
    text: str
    hits: int


@dataclass(frozen=True, slots=True)
class ResupplyView:
    """The Resupply screen for one nation."""

    nations: tuple[Mark, ...] = ()
    """Those whose turn it is, or all outside the phase."""
    nation: Mark | None = None
    cards: tuple[KindCard, ...] = ()
    lanes: tuple[LaneRow, ...] = ()
    todo: str = ""
    """What is still undone in this act; empty when nothing is."""
    is_open: bool = False
    """Whether it is the Resupply Phase."""
    has_passed: bool = False
    abilities: tuple[str, ...] = ()


def resupply_view(change: Change, todo: Rejected | None, nation: str = "") -> ResupplyView:
    """Return the Resupply screen; `todo` is what the rules still ask for in this act."""
    state = change.state
    setup, step = state.frozen_setup, state.step
    is_open = step.phase == "resupply"
    acting = [n.id for n in setup.nations if not is_open or not step.owners or n.side in step.owners]
    chosen = nation if nation in acting else acting[0]
    own: rs.ResupplyState = state.game["resupply"]
    abilities = tuple(
        f"{side_name(setup, side)}, {kind_name(state, kind)}: {text}"
        for (side, kind), text in ((key.split(".", 1), text) for key, text in own.abilities.items())
    )
    return ResupplyView(
        tuple(who(setup, n) for n in acting),
        who(setup, chosen),
        tuple(_card(state, chosen, kind) for kind in TYPES),
        lane_rows(state),
        refusal(todo, state) if todo is not None else "",
        is_open,
        chosen in own.passed,
        abilities,
    )


def _card(state: GameState, nation: str, kind: str) -> KindCard:
    own: rs.ResupplyState = state.game["resupply"]
    key = rs.slot(nation, kind)
    source = own.choices.get(key, "")
    worth = rs.adjusted(state, source, kind) if source else None
    basket = own.baskets.get(key, {})
    units = unit_table_of(state).units
    rows = tuple(
        BasketRow(unit, speak(Count(count, unit_of(unit)), state), (units[unit].cost or 0) * count)
        for unit, count in basket.items()
        if count and unit in units
    )
    placement = own.placed.get(key)
    where = ""
    if placement is not None:
        name = site_name(state, placement.where) if placement.where == source else placement.where
        where = _("in the Hidden Fleet") if placement.into_fleet else _("placed: {where}").format(where=name)
    if worth is None:
        value = _("not chosen")
    else:
        value = sentence(worth.why, state) if worth.why is not None else str(worth.value)
    return KindCard(
        kind,
        kind_name(state, kind),
        source,
        site_name(state, source) if source else "",
        value,
        tuple(f"{line.value}  {speak(line.why, state)}" for line in worth.lines) if worth else (),
        sum(row.cost for row in rows),
        worth.value if worth else None,
        rows,
        where,
        bool(rows) and placement is None,
        placement.mines if placement is not None and not placement.is_resolved else 0,
    )


def lane_rows(state: GameState) -> tuple[LaneRow, ...]:
    """Return the shipping lanes with their counts and results."""
    own: rs.ResupplyState = state.game["resupply"]
    setup = state.frozen_setup
    rows = []
    for lane in tables(state).lanes:
        counted = own.lanes.get(lane.id)
        winner, net = rs.lane_net(state, lane.id)
        victims = tuple((site, site_name(state, site)) for site in rs.lane_victims(state, lane.id))
        victim = own.cuts.get(lane.id, "")
        if counted is None:
            result = _("not counted")
        elif winner is None:
            result = _("level: no effect")
        elif not victims:
            result = _("{side} +{n}, no enemy Objective in it").format(side=side_name(setup, winner), n=net)
        else:
            cut = site_name(state, victim) if victim in dict(victims) else _("which Objective?")
            result = _("{side} +{n}: {site}").format(side=side_name(setup, winner), n=net, site=cut)
        name = " – ".join(site_name(state, site) for site in lane.sites)
        counts = tuple(
            (mark(setup, info.id), counted.spaces.get(info.id, 0) if counted else 0) for info in setup.sides
        )
        rows.append(
            LaneRow(
                lane.id,
                f"{lane.id}  {name}" + (f" ({_('inferred, check')})" if lane.is_inferred else ""),
                counts,
                counted is not None,
                result,
                victims,
                victim,
                any(item.id == lane.id and item.is_inferred for item in tables(state).stated_lanes),
            )
        )
    return tuple(rows)


def lane_site_rows(state: GameState, lane: str) -> tuple[tuple[EnterPrintedValue, str], ...]:
    """Return, for every Objective and Airfield, the command that adds it to a lane or takes it out, and its text."""
    table = tables(state)
    sites = next(item.sites for item in table.lanes if item.id == lane)
    inside = [(site, f"– {site_name(state, site)}") for site in sites]
    outside = [
        (site.id, f"+ {site_name(state, site.id)}")
        for site in table.sites.values()
        if site.id not in sites and site.kind != "line"
    ]
    key = f"lane_sites.{lane}"
    return tuple(
        (
            EnterPrintedValue(key, [s for s in sites if s != site] if site in sites else [*sites, site]),
            text,
        )
        for site, text in (*inside, *outside)
    )


def source_rows(state: GameState, nation: str, kind: str) -> tuple[SourceRow, ...]:
    """Return where a nation could take a resupply, then those where it cannot, with the reason."""
    table = tables(state)
    side = nation_side(state.frozen_setup, nation)
    mine = rs.sources(state, nation)
    unclear = tuple(
        site.id
        for site in table.objectives()
        if site.id not in mine
        and holder(state, site.id).side == side
        and holder(state, site.id).nation is None
    )
    rows = []
    for source in (*mine, *unclear):
        refused = rs.why_not_source(state, nation, kind, source)
        worth = rs.adjusted(state, source, kind)
        name = site_name(state, source)
        detail = str(worth.value) if refused is None else refusal(refused, state)
        is_missing = refused is not None and refused.code == ResupplyCode.VALUE_UNKNOWN
        key = printed_key(table, "resupply", source, kind) if is_missing and source in table.sites else ""
        if key:
            detail = _("Enter the printed value: {site}").format(site=name)
        rows.append(SourceRow(source, name, detail, refused is None, key))
    return tuple(sorted(rows, key=lambda row: not row.can))


def unit_rows(state: GameState, nation: str, kind: str) -> tuple[UnitRow, ...]:
    """Return the units of one type with what keeps each from being bought."""
    own: rs.ResupplyState = state.game["resupply"]
    basket = own.baskets.get(rs.slot(nation, kind), {})
    rows = []
    for spec in unit_table_of(state).units.values():
        if spec.type != kind or spec.nation not in ("", nation):
            continue
        refused = rs.why_not(state, nation, kind, spec.id)
        count = basket.get(spec.id, 0)
        less = count > 0 and rs.why_not(state, nation, kind, spec.id, -1) is None
        why = _why_short(state, refused) if refused is not None else ""
        name = speak(unit_of(spec.id), state)
        rows.append(UnitRow(spec.id, name, spec.cost, count, refused is None, less, why))
    return tuple(sorted(rows, key=lambda row: row.cost or 0))


def _why_short(state: GameState, refused: Rejected) -> str:
    """Return why a unit cannot be bought, as its row has room for it."""
    if refused.code == ResupplyCode.OVER_BUDGET and isinstance(refused.detail, Say):
        figures = refused.detail.values
        return speak(Say("Needs {need}; you have {have}", need=figures["need"], have=figures["have"]), state)
    return refusal(refused, state)


def condition_ticks(state: GameState, nation: str) -> tuple[ConditionTick, ...]:
    """Return what may lower the values of a nation's sources, to be ticked as the board shows it."""
    own: rs.ResupplyState = state.game["resupply"]
    rows = []
    for source in rs.sources(state, nation):
        sea = rs.at_sea(state, source)
        for condition in tables(state).conditions:
            if sea is not None and (sea.kind == "fleet" or condition == "contested"):
                continue
            held = {"contested": own.halved, "blockade": own.blockaded, "sea_space": own.sea_halved}[
                condition
            ]
            label = f"{site_name(state, source)}: {speak(Name('condition_tick', condition), state)}"
            rows.append(ConditionTick(source, condition, label, source in held))
    return tuple(rows)


def at_sea_rows(state: GameState, nation: str) -> tuple[SourceRow, ...]:
    """Return a nation's resupplies at sea, for what is free aboard there."""
    return tuple(
        SourceRow(source, site_name(state, source), "", True)
        for source in rs.sources(state, nation)
        if rs.at_sea(state, source) is not None
    )


def bombing_rows(state: GameState, nation: str) -> tuple[BombingRow, ...]:
    """Return the Objectives of a nation with the hits of targeted bombing on each."""
    own: rs.ResupplyState = state.game["resupply"]
    return tuple(
        BombingRow(
            source, _("{site}: bombing hits").format(site=site_name(state, source)), own.bombed.get(source, 0)
        )
        for source in rs.sources(state, nation)
        if rs.at_sea(state, source) is None
    )


def placed_rows(state: GameState) -> tuple[tuple[str, ...], ...]:
    """Return every placed basket of the game: stage, nation, type, units, cost, where; for the report."""
    own: rs.ResupplyState = state.game["resupply"]
    return tuple(
        (
            str(record.stage),
            nation_name(state.frozen_setup, record.nation),
            kind_name(state, record.unit_type),
            speak(
                several((Count(count, unit_of(unit)) for unit, count in record.units.items()), "comma"), state
            ),
            str(record.cost),
            site_name(state, record.where),
        )
        for record in own.records
    )
