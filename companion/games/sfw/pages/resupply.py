"""The Resupply screen: what is bought and placed (`companion.games.sfw.pages.buying`), lanes, the state of the board."""

from __future__ import annotations

from collections.abc import Callable

from companion.core.commands import EnterPrintedValue
from companion.core.ids import Nation, Side, SiteId
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, nation, several, side, site
from companion.games.sfw.pages.buying import ResupplyDraft, buying_page, look_at, next_buyer, source_rows
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules import resupply_values as rv
from companion.games.sfw.rules.ledger import TYPES, Lane
from companion.games.sfw.rules.ledger_values import tables
from companion.pages.page import (
    Act,
    Acts,
    Answers,
    Ask,
    Block,
    Button,
    Choices,
    Counter,
    Field,
    Form,
    Item,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    Sight,
    Tick,
    asked,
)
from companion.pages.parts import (
    back_button,
    end_button,
    side_mark,
    taking_tool,
)

__all__ = ["ResupplyDraft", "resupply_page"]


def resupply_page(sight: Sight) -> Shown:
    """Return where and what a nation buys, the lanes, or what lowers the values on the board."""
    state, step, acts = sight.state, sight.state.step, Acts()
    draft = sight.entered(ResupplyDraft())
    is_open = step.phase == "resupply"
    acting = tuple(
        info.id
        for info in state.frozen_setup.nations
        if not is_open or not step.owners or info.side in step.owners
    )
    who = Nation(draft.nation) if draft.nation in acting else next_buyer(state, acting)
    has_lanes = bool(tables(state).lanes)
    names = {"lanes": Say("Lanes"), "buy": Say("Buying"), "board": Say("Board")}
    if not has_lanes:
        del names["lanes"]
    tab = draft.tab if draft.tab in names else "lanes" if step.act == "lanes" and has_lanes else "buy"
    main = end_button(state, acts) if is_open else back_button(acts)
    if tab == "buy":
        return Shown(buying_page(sight, acts, acting, who, is_taking=draft.is_taking, end=main), acts)
    if tab == "lanes":
        blocks = _lanes(state, acts, is_taking=draft.is_taking)
        tools = _lane_tools(state, acts, who, is_taking=draft.is_taking)
    else:
        blocks, tools = _board(state, acts, acting, who), _board_tools(state, acts, who)
    page = Page(
        f"{tab}.{who}",
        Say("Resupply"),
        tabs=tuple(
            Item(key, title, act=acts.put(f"tab.{key}", look_at(key, who))) for key, title in names.items()
        ),
        tab=tab,
        tools=tools,
        blocks=blocks,
        main=main,
    )
    return Shown(page, acts)


def _own(state: GameState) -> rs.ResupplyState:
    own: rs.ResupplyState = state.game["resupply"]
    return own


# Lanes


def _lanes(state: GameState, acts: Acts, *, is_taking: bool) -> tuple[Block, ...]:
    """Return lane by lane what each side alone holds of it and what comes of that, under how one is counted."""
    rows = [row for lane in tables(state).lanes for row in _lane(state, acts, lane, is_taking=is_taking)]
    is_counted = all(lane.id in _own(state).lanes for lane in tables(state).lanes)
    how = (
        None if is_counted else Say("Tap a side for each sea space of a lane in which it alone has warships")
    )
    return (Rows("lanes", tuple(rows), how, columns=3),)


def _lane(state: GameState, acts: Acts, lane: Lane, *, is_taking: bool) -> tuple[Item, ...]:
    """Return what a lane connects, or comes to once it is counted, and a row a side: a tap is one more sea space.

    A tap on what it comes to says who suffers.
    """
    what: Value = several(map(site, lane.sites), "comma")
    what = Say("{lane} (inferred, check)", lane=what) if lane.is_inferred else what
    act = (
        acts.put(f"victim.{lane.id}", _ask_victim(state, lane.id))
        if rv.lane_victims(state, lane.id)
        else None
    )
    is_counted = lane.id in _own(state).lanes
    if is_counted:
        what = _result(state, lane.id)
    title = Say("{lane}  {what}", lane=Typed(lane.id), what=what)
    is_next = lane.id == _at_hand(state)
    head = Item(f"of.{lane.id}", title, state="chosen" if is_next else "plain", act=act)
    sides = (info.id for info in state.frozen_setup.sides)
    return (head, *(_spaces(state, acts, lane, of, is_taking=is_taking) for of in sides))


def _lane_tools(state: GameState, acts: Acts, who: str, *, is_taking: bool) -> tuple[Button, ...]:
    """Return that the next lane is level, how to set what an open lane connects, and to count down."""
    tools = []
    lane = _at_hand(state)
    if lane and lane not in _own(state).lanes:
        level = acts.put("level", Send(rs.EnterLane(lane, _counts(state, lane))))
        tools.append(Button(Say("Lane {lane}: level", lane=Typed(lane)), level))
    if any(lane.is_inferred for lane in tables(state).stated_lanes):
        tools.append(Button(Say("Lanes"), acts.put("sites", _ask_lane(state)), "edit"))
    turn = look_at("lanes", who, is_taking=not is_taking)
    return (*tools, taking_tool(acts, turn, is_on=is_taking))


def _at_hand(state: GameState) -> str:
    """Return the lane that is marked: the first that the end of the act would ask for, else the first not counted."""
    uncounted = (lane.id for lane in tables(state).lanes if lane.id not in _own(state).lanes)
    return next(iter((*rv.open_lanes(state), *uncounted)), "")


def _ask_victim(state: GameState, lane: str) -> Ask:
    options = tuple(Item(one, site(one)) for one in rv.lane_victims(state, lane))
    title = Say("Which Objective is affected?")
    return asked("victim", title, options, lambda one: Send(rs.CutLane(lane, SiteId(one))))


def _counts(state: GameState, lane: str) -> dict[str, int]:
    counted = _own(state).lanes.get(lane)
    return {info.id: counted.spaces.get(info.id, 0) if counted else 0 for info in state.frozen_setup.sides}


def _spaces(state: GameState, acts: Acts, lane: Lane, of: str, *, is_taking: bool) -> Item:
    """Return how many sea spaces of a lane a side alone holds."""
    counts = _counts(state, lane.id)

    def by(amount: int) -> Send:
        return Send(rs.EnterLane(lane.id, {**counts, of: max(0, counts[of] + amount)}))

    key, count = f"{of}.{lane.id}", counts[of]
    act = None if is_taking and not count else acts.put(key, by(-1 if is_taking else 1))
    return Item(key, side(of), value=count, mark=side_mark(state.frozen_setup, of), act=act)


def _result(state: GameState, lane: str) -> Say:
    """Return what a lane that is counted comes to."""
    winner, net = rv.lane_net(state, lane)
    if winner is None:
        return Say("level: no effect")
    won, victims = Say("{side} +{n}", side=side(winner), n=net), rv.lane_victims(state, lane)
    if not victims:
        return Say("{lane}, no enemy Objective in it", lane=won)
    cut = _own(state).cuts.get(lane)
    found = site(cut) if cut in victims else Say("which Objective?")
    return Say("{lane}: {site}", lane=won, site=found)


def _of_lanes(lanes: list[str], then: Callable[[str], Ask]) -> Ask:
    """Ask which lane, where there are several."""
    if len(lanes) == 1:
        return then(lanes[0])
    options = tuple(Item(lane, Say("Lane {lane}", lane=Typed(lane))) for lane in lanes)
    return asked("lane", Say("Which lane?"), options, then)


def _ask_lane(state: GameState) -> Ask:
    """Ask which Objectives a lane connects where the text at hand leaves it open: a tap adds one or takes it out."""
    table = tables(state)
    lanes = {lane.id: lane for lane in table.lanes}

    def sites(lane: str) -> Ask:
        inside = lanes[lane].sites
        outside = (one.id for one in table.sites.values() if one.id not in inside and one.kind != "line")
        options = (
            *(Item(one, Say("– {what}", what=site(one))) for one in inside),
            *(Item(one, Say("+ {what}", what=site(one))) for one in outside),
        )

        def turned(one: str) -> Send:
            kept = [other for other in inside if other != one]
            return Send(EnterPrintedValue(f"lane_sites.{lane}", kept if one in inside else [*inside, one]))

        title = Say("Lane {lane}: which Objectives?", lane=Typed(lane))
        return asked("sites", title, options, turned, is_wide=False)

    return _of_lanes([lane.id for lane in table.stated_lanes if lane.is_inferred], sites)


# Board


def _nations(acts: Acts, acting: tuple[str, ...], who: str) -> Choices:
    options = tuple(
        Item(one, nation(one), act=acts.put(f"board.{one}", look_at("board", one))) for one in acting
    )
    return Choices("nations", options, who)


def _board(state: GameState, acts: Acts, acting: tuple[str, ...], who: Nation) -> tuple[Block, ...]:
    """Return what lowers the values of a nation's sources, to be ticked as the board shows it, and what else is entered."""
    own, rows = _own(state), []
    held = {"contested": own.halved, "blockade": own.blockaded, "sea_space": own.sea_halved}
    mine = rv.sources(state, who)
    at_sea = {source: rv.at_sea(state, source) for source in mine}
    for source, sea in at_sea.items():
        for condition in tables(state).conditions:
            if sea is not None and (sea.kind == "fleet" or condition == "contested"):
                continue
            is_on, key = source in held[condition], f"{condition}.{source}"
            title = Say("{site}: {condition}", site=site(source), condition=Name("condition_tick", condition))
            turn = acts.put(key, Send(rs.ReportCondition(source, condition, not is_on)))
            rows.append(Item(key, title, act=turn, facet=Tick(is_on)))
    for source in (source for source, sea in at_sea.items() if sea is None):
        hits, key = own.bombed.get(source, 0), f"bombing.{source}"
        less = acts.put(f"{key}.less", Send(rs.RecordBombing(SiteId(source), max(0, hits - 1))))
        more = acts.put(f"{key}.more", Send(rs.RecordBombing(SiteId(source), hits + 1)))
        title = Say("{site}: bombing hits", site=site(source))
        rows.append(Item(key, title, facet=Counter(hits, less, more)))
    empty = Say("This nation holds no Objective that the app knows about")
    return _nations(acts, acting, who), Rows("board", tuple(rows), empty=empty)


def _board_tools(state: GameState, acts: Acts, who: Nation) -> tuple[Button, ...]:
    """Return what else is entered: what a card does, what is free aboard, abilities of commanders."""
    tools = [Button(Say("Card"), acts.put("card", _ask_card(state, who)), "plus")]
    for source in rv.sources(state, who):
        if rv.at_sea(state, source) is not None:
            tools.append(Button(Say("Room aboard"), acts.put(f"room.{source}", _ask_room(source))))
    if state.frozen_setup.options.get("commander"):
        tools.append(Button(Say("Abilities"), acts.put("abilities", _ask_ability(state))))
    return tuple(tools)


def _ask_card(state: GameState, who: Nation) -> Ask:
    """Ask what a card does to the values of one source: which card, where, which type, how much."""
    sources = tuple(Item(row.source, site(row.source)) for row in source_rows(state, who, "land"))
    kinds = (Item("all", Say("Air, Sea and Land")), *(Item(kind, Name("kind", kind)) for kind in TYPES))
    fields = (
        Field("card", Say("Which card?"), "text"),
        Field("source", Say("Where does it work?"), "choose", options=sources),
        Field("kind", Say("Which resupply?"), "choose", options=kinds),
        Field("by", Say("By how much?"), "number", most=3, has_sign=True),
    )

    def answered(answers: Answers) -> Act:
        by = answers["by"]
        if not by.lstrip("-").isdigit() or not int(by):
            return Refuse(Say("Enter a number."))
        wanted = TYPES if answers["kind"] == "all" else (answers["kind"],)
        return Send(rs.RecordCardEffect(answers["source"], dict.fromkeys(wanted, int(by)), answers["card"]))

    return Ask(Form("card", fields[0].title, fields), answered)


def _ask_room(source: str) -> Ask:
    """Ask what is free aboard at sea, by the owner's word."""
    land = Say("Free places for Land Units on Sea Transports")
    air = Say("Free places for aircraft on Carriers")
    fields = (
        Field("land", land, "number", most=2, may_be_empty=True),
        Field("air", air, "number", most=2, may_be_empty=True),
    )
    return Ask(
        Form("room", land, fields),
        lambda answers: Send(
            rs.ReportAtSea(source, True, int(answers["land"] or 0), int(answers["air"] or 0))
        ),
    )


def _ask_ability(state: GameState) -> Ask:
    """Commander game: ask for the ability that a commander picks."""
    known = _own(state).abilities

    def option(of: str, kind: str) -> Item:
        key, title = f"{of}.{kind}", Say("{side}, {kind}", side=side(of), kind=Name("kind", kind))
        ability = known.get(key)
        return Item(
            key, title if ability is None else Say("{who}: {ability}", who=title, ability=Typed(ability))
        )

    def picked(key: str) -> Ask:
        of, kind = key.split(".")
        field = Field("ability", Say("Special ability"), "text")
        return Ask(
            Form("ability", field.title, (field,)),
            lambda answers: Send(rs.PickAbility(Side(of), kind, answers["ability"])),
        )

    options = tuple(option(info.id, kind) for info in state.frozen_setup.sides for kind in TYPES)
    return asked("whose", Say("Whose special ability?"), options, picked)
