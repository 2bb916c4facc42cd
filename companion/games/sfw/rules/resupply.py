"""Resupply: adjusted values line by line, choices, baskets against the budget, placing, lanes and bombing.

A nation takes one Air, one Sea and one Land resupply, each at one of its own Objectives, or at sea where the
scenario allows it. What lowers a value is entered as the table sees it on the board; the sum is shown line by
line. `why_not` is the one place that says why something cannot be bought.

Source: rulebook v0.96, Phase 4: Resupply; Shipping Lanes; US Fleet and German Resupply at Sea; 6-Player
Commander Game.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from companion.core import clock as ck
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Millis, Nation, Side, SiteId
from companion.core.judgement import Need
from companion.core.ledger import Budget
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Decision, Loss, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Typed, several
from companion.core.text import nation as nation_of
from companion.core.text import side as side_of
from companion.core.text import site as site_of
from companion.core.text import unit as unit_of
from companion.games.sfw.rules.battle_record import BattleSlice
from companion.games.sfw.rules.control import holder_need
from companion.games.sfw.rules.ledger import TYPES, kind_of, nations_of, not_in_game
from companion.games.sfw.rules.ledger_values import printed_fault, tables
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import site_at
from companion.games.sfw.rules.resupply_placing import place, resolve_mines
from companion.games.sfw.rules.resupply_record import (
    AbilityPicked,
    BombingRecorded,
    CardEffect,
    CardEffectRecorded,
    ChoiceMade,
    ChooseResupply,
    ConditionReported,
    CutLane,
    EnterLane,
    LaneCount,
    LaneCut,
    LaneEntered,
    MinesResolved,
    NationPassed,
    PassResupply,
    PickAbility,
    Place,
    Placed,
    Purchase,
    Purchased,
    RecordBombing,
    RecordCardEffect,
    ReportAtSea,
    ReportCondition,
    ReserveSet,
    ResolveMines,
    ResupplyCode,
    ResupplyState,
    SeaReport,
    SeaReported,
    SetReserve,
    slot,
)
from companion.games.sfw.rules.resupply_values import (
    at_sea,
    budget,
    is_placed,
    lane_net,
    lane_victims,
    no_kind,
    no_source,
    open_lanes,
    own_of,
    refuse_now,
    sources,
    specs_of,
    unclear,
    why_not,
    why_not_source,
)
from companion.games.sfw.rules.support import unit_table_of

__all__ = ["ResupplyPart"]


def _bombing_hits(state: GameState, stage: int) -> dict[str, int]:
    """Return the hits on each Objective's resupply from the battles of a stage, by the space they were named for."""
    fought: BattleSlice | None = state.game.get("battle")
    if fought is None:
        return {}
    hits: dict[str, int] = {}
    for battle in (*fought.history, *fought.battles):
        if battle.stage != stage or battle.progress is None or not battle.progress.bombing:
            continue
        found = site_at(state, battle.space)
        if found is not None and found.kind == "objective":
            hits[found.id] = hits.get(found.id, 0) + battle.progress.bombing
    return hits


def _open(state: GameState, step: Step) -> Iterable[Need]:
    """Yield the holders that decide whether a nation still has a resupply to choose."""
    if step.act == "choose":
        for nation in _undecided(state, step):
            yield from (holder_need(state, site) for site in unclear(state, nation))


def _undecided(state: GameState, step: Step) -> Iterable[Nation]:
    """Yield the acting nations that have not chosen, and of which nobody has entered what they hold."""
    own = own_of(state)
    for info in state.frozen_setup.nations:
        is_acting = not step.owners or info.side in step.owners
        is_done = info.id in own.passed or any(slot(info.id, kind) in own.choices for kind in TYPES)
        if is_acting and not is_done and not _can_choose(state, info.id) and unclear(state, info.id):
            yield info.id


def _undone(state: GameState, step: Step) -> Iterable[Say]:
    own, setup = own_of(state), state.frozen_setup
    nations = [info.id for info in setup.nations if not step.owners or info.side in step.owners]
    match step.act:
        case "lanes":
            for lane in open_lanes(state):
                if lane not in own.lanes:
                    yield Say("Lane {lane} is not counted.", lane=Typed(lane))
                else:
                    winner, net = lane_net(state, lane)
                    yield Say(
                        "{side} won lane {lane} by {n}: name the Objective that suffers.",
                        side=side_of(winner or ""), lane=Typed(lane), n=net,
                    )  # fmt: skip
        case "choose":
            for nation in nations:
                is_done = nation in own.passed or any(slot(nation, kind) in own.choices for kind in TYPES)
                if not is_done and _can_choose(state, nation):
                    yield Say("{nation} has chosen no resupply.", nation=nation_of(nation))
            for waiting in _undecided(state, step):
                yield Say.counted(
                    "{nation} has chosen no resupply: nobody has entered which nation holds {n} Objective.",
                    "{nation} has chosen no resupply: nobody has entered which nation holds {n} Objectives.",
                    len(unclear(state, waiting)),
                    nation=nation_of(waiting),
                )
        case "place":
            for nation in nations:
                yield from _unplaced(state, nation)


def _can_choose(state: GameState, nation: Nation) -> bool:
    return any(
        why_not_source(state, nation, kind, source) is None
        for source in sources(state, nation)
        for kind in TYPES
    )


def _unplaced(state: GameState, nation: Nation) -> Iterable[Say]:
    own = own_of(state)
    for kind in TYPES:
        key = slot(nation, kind)
        spent, placement = budget(state, nation, kind), own.placed.get(key)
        if placement is not None:
            if not placement.is_resolved:
                yield Say.counted(
                    "{nation}: roll for {n} mine in {space}.", "{nation}: roll for {n} mines in {space}.",
                    placement.mines, nation=nation_of(nation), space=space_of(placement.where),
                )  # fmt: skip
        elif any(own.baskets.get(key, {}).values()):
            yield Say(
                "{nation} has bought {kind} units and not placed them.",
                nation=nation_of(nation), kind=kind_of(kind),
            )  # fmt: skip
        elif spent is not None and spent.left and nation not in own.passed:
            yield Say(
                "{nation} still has {n} to spend on {kind} units. What is not spent is lost.",
                nation=nation_of(nation), n=spent.left, kind=kind_of(kind),
            )  # fmt: skip


# Decisions


def _choose(state: GameState, command: ChooseResupply) -> Decision:
    refused = refuse_now(state, command.nation)
    own, key = own_of(state), slot(command.nation, command.unit_type)
    if refused is None and key in own.placed:
        refused = is_placed(command.nation, command.unit_type)
    if refused is None and any(own.baskets.get(key, {}).values()):
        refused = Rejected(ResupplyCode.ALREADY_PLACED, Say("First put back what is in the basket."))
    if refused is None and command.source:
        refused = why_not_source(state, command.nation, command.unit_type, command.source)
    if refused is not None:
        return refused
    if own.choices.get(key, "") == command.source:
        return Accepted(())
    return Accepted((ChoiceMade(command.nation, command.unit_type, command.source),))


def _purchase(state: GameState, command: Purchase) -> Decision:
    refused = refuse_now(state, command.nation) or why_not(
        state, command.nation, command.unit_type, command.unit, command.count
    )
    if refused is not None:
        return refused
    before = own_of(state).baskets.get(slot(command.nation, command.unit_type), {}).get(command.unit, 0)
    return Accepted((Purchased(command.nation, command.unit_type, command.unit, before + command.count),))


def _pass(state: GameState, command: PassResupply) -> Decision:
    refused = refuse_now(state, command.nation)
    if refused is not None:
        return refused
    if (command.nation in own_of(state).passed) == command.passes:
        return Accepted(())
    return Accepted((NationPassed(command.nation, command.passes),))


def _unpaid(nation: Nation, kind: str, spent: Budget) -> Say:
    return Say(
        "{nation} would have only {have} to spend on {kind} units and has spent {need}. First put something back.",
        have=spent.limit, kind=kind_of(kind), nation=nation_of(nation), need=spent.spent,
    )  # fmt: skip


def _over_after(state: GameState, event: Event) -> Rejected | None:
    """Refuse an effect that would leave something bought that could not be paid any more."""
    after = replace(state, game={**state.game, "resupply": _evolve(own_of(state), event, state)})
    for info in state.frozen_setup.nations:
        for kind in TYPES:
            key = slot(info.id, kind)
            if key in own_of(state).placed:
                continue
            spent = budget(after, info.id, kind)
            if spent is not None and spent.left < 0:
                return Rejected(ResupplyCode.OVER_BUDGET, _unpaid(info.id, kind, spent))
    return None


def _effect(state: GameState, event: Event) -> Decision:
    refused = _over_after(state, event)
    return refused if refused is not None else Accepted((event,))


def _report(state: GameState, command: ReportCondition) -> Decision:
    known = {site.id for site in tables(state).objectives()} | {item.id for item in tables(state).at_sea}
    if command.source not in known:
        return no_source(command.source)
    if command.condition not in tables(state).conditions:
        conditions = several((Name("condition", name) for name in tables(state).conditions), "or")
        return Rejected(
            Code.BAD_VALUE,
            Say(
                "A source can be {conditions}, not {condition}.",
                conditions=conditions,
                condition=Typed(command.condition),
            ),
        )
    if state.step.phase != "resupply":
        return _not_in_resupply()
    current: frozenset[str] = getattr(own_of(state), _CONDITIONS[command.condition])
    if (command.source in current) == command.holds:
        return Accepted(())
    return _effect(state, ConditionReported(command.source, command.condition, command.holds))


_CONDITIONS = {"contested": "halved", "blockade": "blockaded", "sea_space": "sea_halved"}


def _lane(state: GameState, command: EnterLane) -> Decision:
    lane = next((item for item in tables(state).lanes if item.id == command.lane), None)
    if lane is None:
        return _no_lane(command.lane)
    if state.step.phase != "resupply":
        return _not_in_resupply()
    sides = {info.id for info in state.frozen_setup.sides}
    counts = command.spaces.values()
    if set(command.spaces) != sides or any(count < 0 for count in counts):
        return Rejected(Code.BAD_VALUE, Say("Enter a count of 0 or more for each side."))
    if lane.spaces is not None and sum(counts) > lane.spaces:
        return Rejected(
            Code.BAD_VALUE,
            Say.counted(
                "Lane {lane} has {n} sea space, not {sum}.", "Lane {lane} has {n} sea spaces, not {sum}.",
                lane.spaces, lane=Typed(lane.id), sum=sum(counts),
            ),
        )  # fmt: skip
    return _effect(state, LaneEntered(command.lane, command.spaces))


def _cut(state: GameState, command: CutLane) -> Decision:
    if command.lane not in {item.id for item in tables(state).lanes}:
        return _no_lane(command.lane)
    if state.step.phase != "resupply":
        return _not_in_resupply()
    victims = lane_victims(state, command.lane)
    if command.site not in victims:
        lane, site = Typed(command.lane), site_of(command.site)
        sites = several((site_of(victim) for victim in victims), "or")
        return Rejected(
            ResupplyCode.LANE_NOT_WON,
            Say("Lane {lane} cannot cut {site}. Choose {sites}.", lane=lane, sites=sites, site=site)
            if victims
            else Say(
                "Lane {lane} cannot cut {site}: the lane is level or has no enemy Objective.",
                lane=lane, site=site,
            ),
        )  # fmt: skip
    return _effect(state, LaneCut(command.lane, command.site))


def _no_lane(lane: str) -> Rejected:
    return Rejected(ResupplyCode.UNKNOWN_LANE, Say("There is no lane {lane}.", lane=Typed(lane)))


def _not_in_resupply() -> Rejected:
    return Rejected(ResupplyCode.NOT_NOW, Say("This is entered in the Resupply Phase."))


def _not_yet(state: GameState) -> Rejected | None:
    """Refuse what only play can bring about while the board is being set up."""
    if state.step.stage:
        return None
    return Rejected(ResupplyCode.NOT_NOW, Say("Nothing lowers or raises a Resupply before play has begun."))


def _bomb(state: GameState, command: RecordBombing) -> Decision:
    site = tables(state).sites.get(command.site)
    if site is None or site.kind != "objective":
        return Rejected(
            ResupplyCode.UNKNOWN_SOURCE, Say("{site} is not an Objective.", site=site_of(command.site))
        )
    if not 0 <= command.hits <= 99:
        return Rejected(Code.BAD_VALUE, Say("Enter a whole number from {least} to {most}.", least=0, most=99))
    return _not_yet(state) or _effect(state, BombingRecorded(command.site, command.hits))


def _card(state: GameState, command: RecordCardEffect) -> Decision:
    known = {site.id for site in tables(state).objectives()} | {item.id for item in tables(state).at_sea}
    if command.source not in known:
        return no_source(command.source)
    if not command.by or any(kind not in TYPES for kind in command.by) or not command.card.strip():
        kinds = several(kind_of(kind) for kind in TYPES)
        return Rejected(
            Code.BAD_VALUE, Say("Enter the card's name and what it adds or takes: {kinds}.", kinds=kinds)
        )
    effect = CardEffect(command.source, command.by, command.card.strip())
    return _not_yet(state) or _effect(state, CardEffectRecorded(effect))


def _report_sea(state: GameState, command: ReportAtSea) -> Decision:
    if at_sea(state, command.source) is None:
        return no_source(command.source)
    if min(command.land_room, command.air_room, command.ship_room or 0) < 0:
        return Rejected(Code.BAD_VALUE, Say("The number of free places cannot be below 0."))
    if own_of(state).spends_at(command.source):
        return Rejected(
            ResupplyCode.ALREADY_PLACED,
            Say("First put back what was bought at {site}.", site=site_of(command.source)),
        )
    report = SeaReport(command.is_clear, command.land_room, command.air_room, command.ship_room)
    return Accepted((SeaReported(command.source, report),))


def _reserve(state: GameState, command: SetReserve) -> Decision:
    if command.nation not in {info.id for info in state.frozen_setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    if command.unit not in unit_table_of(state).units:
        return Rejected(
            ResupplyCode.UNKNOWN_UNIT, Say("This game has no such unit: {unit}.", unit=unit_of(command.unit))
        )
    if command.left < 0:
        return Rejected(Code.BAD_VALUE, Say("The number of units cannot be below 0."))
    return Accepted((ReserveSet(command.nation, command.unit, command.left),))


def _ability(state: GameState, command: PickAbility) -> Decision:
    setup = state.frozen_setup
    if not setup.options.get("commander"):
        return Rejected(ResupplyCode.NOT_NOW, Say("Only commanders of the commander game have abilities."))
    if command.side not in {info.id for info in setup.sides}:
        return Rejected(
            Code.BAD_VALUE, Say("This game has no such side: {side}.", side=side_of(command.side))
        )
    if command.command not in TYPES:
        return Rejected(Code.BAD_VALUE, no_kind(command.command).detail)
    if not command.ability.strip():
        return Rejected(Code.BAD_VALUE, Say("Name the ability."))
    chosen = own_of(state).abilities.get(f"{command.side}.{command.command}")
    if chosen is not None:
        return Rejected(
            ResupplyCode.ALREADY_PLACED,
            Say("{ability} was picked for the whole game. Undo to change it.", ability=Typed(chosen)),
        )
    return Accepted((AbilityPicked(command.side, command.command, command.ability.strip()),))


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


class ResupplyPart(Part):
    """Values, choices, baskets and placing of the Resupply Phase, and the bombing that lowers it."""

    name = "resupply"
    deciders = {
        ChooseResupply: _choose,
        CutLane: _cut,
        EnterLane: _lane,
        PassResupply: _pass,
        PickAbility: _ability,
        Place: place,
        Purchase: _purchase,
        RecordBombing: _bomb,
        RecordCardEffect: _card,
        ReportAtSea: _report_sea,
        ReportCondition: _report,
        ResolveMines: resolve_mines,
        SetReserve: _reserve,
    }
    commands = tuple(deciders)
    events: tuple[type[Event], ...] = (
        AbilityPicked, BombingRecorded, CardEffectRecorded, ChoiceMade, ConditionReported, LaneCut, LaneEntered,
        MinesResolved, NationPassed, Placed, Purchased, ReserveSet, SeaReported,
    )  # fmt: skip

    def initial(self, setup: Setup) -> ResupplyState:
        """Return an empty slice at the first stage."""
        return ResupplyState(stage=next((step.stage for step in setup.steps if step.stage), 0))

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
        own = own_of(state)
        if step.phase != "resupply" or own.choices:
            return ()
        hits = _bombing_hits(state, step.stage)
        return tuple(
            BombingRecorded(SiteId(site), count)
            for site, count in hits.items()
            if count > own.bombed.get(site, 0)
        )

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Say what is still undone in a resupply step."""
        if step.phase != "resupply":
            return None
        points = several(_undone(state, step), "sentences")
        if not points.items:
            return None
        return Rejected(Code.STILL_OPEN, Say("{points}", points=points), tuple(_open(state, step)))

    def printed_fault(self, state: GameState, key: str, value: object) -> Say | None:
        """Check a printed value of the ledger; one that would leave a basket unpaid is refused too."""
        fault = printed_fault(tables(state), state.frozen_setup, key, value)
        if fault is not None or not key.startswith("resupply."):
            return fault
        after = replace(state, printed={**state.printed, key: value})
        for info in state.frozen_setup.nations:
            for kind in TYPES:
                spent = None if slot(info.id, kind) in own_of(state).placed else budget(after, info.id, kind)
                if spent is not None and spent.left < 0:
                    return _unpaid(info.id, kind, spent)
        return None

    def flag_losses(self, state: GameState, side: Side) -> tuple[Loss, ...]:
        """Name the units that go back to the tray because they were not placed in time.

        Source: rulebook v0.96, Tournament Time, Game Play
        """
        if state.step.phase != "resupply":
            return ()
        units = [
            Count(count, unit_of(spec.id))
            for nation in nations_of(state.frozen_setup, side)
            for kind in TYPES
            if slot(nation, kind) not in own_of(state).placed
            for spec, count in specs_of(state, own_of(state).baskets.get(slot(nation, kind), {}))
            if count
        ]
        if not units:
            return ()
        text = Say("Units not yet on the board go back to the tray: {units}.", units=several(units))
        return (Loss("flag.resupply.unplaced", text),)
