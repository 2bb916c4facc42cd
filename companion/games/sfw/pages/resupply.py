"""The Resupply screen: lanes, the state of the board, baskets against budgets, what is placed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from companion.core.commands import EnterPrintedValue
from companion.core.ids import Nation, Side
from companion.core.judgement import Need
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Typed, Value, nation, several, side, site, unit
from companion.games.sfw.pages.entries import ask_clear
from companion.games.sfw.pages.spaces import ask_space, name_space, sea_spaces
from companion.games.sfw.rules import resupply as rs
from companion.games.sfw.rules.ledger import TYPES, Lane, nation_side, tables
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.resupply_record import Placement, ResupplyCode
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.tokens import enemy_mines
from companion.games.sfw.rules.units import UnitSpec
from companion.pages.needs import enter_first
from companion.pages.page import (
    Act,
    Acts,
    Answers,
    Ask,
    Block,
    Button,
    Choices,
    Counter,
    Draft,
    Field,
    Form,
    Head,
    Item,
    Notice,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    Sight,
    Tick,
    Tiles,
    Words,
    asked,
)
from companion.pages.parts import (
    back_button,
    end_button,
    nation_mark,
    refusal_words,
    side_mark,
)
from companion.pages.rulings import ruling_block

__all__ = ["ResupplyDraft", "resupply_page"]


class ResupplyDraft(msgspec.Struct, frozen=True):
    """What is looked at."""

    tab: str = ""
    """``lanes``, ``buy`` or ``board``; empty: what the act asks for."""
    nation: str = ""
    """Whose board is shown, and whose units are bought; empty: the first that acts."""
    kind: str = ""
    """The type whose units are shown; empty: all baskets."""


def _to(tab: str, who: str = "", kind: str = "") -> Draft[ResupplyDraft]:
    return Draft(lambda _draft: ResupplyDraft(tab, who, kind), ResupplyDraft())


def resupply_page(sight: Sight) -> Shown:
    """Return the tab at hand, or the units of one basket."""
    state, step, acts = sight.state, sight.state.step, Acts()
    draft = sight.entered(ResupplyDraft())
    is_open = step.phase == "resupply"
    acting = tuple(
        info.id
        for info in state.frozen_setup.nations
        if not is_open or not step.owners or info.side in step.owners
    )
    who = draft.nation if draft.nation in acting else acting[0]
    if draft.kind and rs.slot(who, draft.kind) in _own(state).choices:
        return _basket_page(sight, acts, who, draft.kind)
    names = {"lanes": Say("Lanes"), "buy": Say("Baskets"), "board": Say("Board")}
    if not tables(state).lanes:
        del names["lanes"]
    first = "lanes" if step.act == "lanes" and "lanes" in names else "buy"
    tab = draft.tab if draft.tab in names else first
    tools: tuple[Button, ...] = ()
    if tab == "lanes":
        blocks = _lanes(state, acts)
        tools = _lane_tools(state, acts)
    elif tab == "buy":
        blocks = _baskets(sight, acts, acting, who)
        if state.frozen_setup.options.get("commander"):
            blocks = (*blocks, *ruling_block(state, acts, ("commander_resupply",)))
    else:
        blocks, tools = _board(state, acts, acting, who), _board_tools(state, acts, who)
    todo = None
    if is_open and tab == "buy" and sight.rules is not None:
        todo = sight.rules.leaving(state, step)
    page = Page(
        f"{tab}.{who}",
        Say("Resupply"),
        None if todo is None else refusal_words(todo),
        "muted",
        tabs=tuple(
            Item(key, title, act=acts.put(f"tab.{key}", _to(key, who))) for key, title in names.items()
        ),
        tab=tab,
        tools=tools,
        blocks=blocks,
        main=end_button(state, acts) if is_open else back_button(acts),
    )
    return Shown(page, acts)


def _own(state: GameState) -> rs.ResupplyState:
    own: rs.ResupplyState = state.game["resupply"]
    return own


# Lanes


def _lanes(state: GameState, acts: Acts) -> tuple[Block, ...]:
    """Return what each side alone holds of every lane, under the next lane that is open."""
    setup, lanes = state.frozen_setup, tables(state).lanes
    rows = tuple(_spaces(state, acts, lane, info.id) for lane in lanes for info in setup.sides)
    block = Rows("lanes", rows, is_wide=False)
    lane = next((lane for lane in lanes if _is_open(state, lane.id)), None)
    if lane is None:
        return (block,)
    if lane.id not in _own(state).lanes:
        level = acts.put("level", Send(rs.EnterLane(lane.id, _counts(state, lane.id))))
        title, button = Say("Lane {lane} is not counted", lane=Typed(lane.id)), Button(Say("Level"), level)
    else:
        result = _result(state, lane.id)
        title = Say("Lane {lane}: {result}", lane=Typed(lane.id), result=result)
        button = Button(Say("Which Objective?"), acts.put("victim", _ask_victim(state, lane.id)))
    return Notice("open", title, acts=(button,)), block


def _lane_tools(state: GameState, acts: Acts) -> tuple[Button, ...]:
    """Return how to name another Objective that suffers, and how to set what an open lane connects."""
    won = [
        lane.id
        for lane in tables(state).lanes
        if lane.id in _own(state).cuts and rs.lane_victims(state, lane.id)
    ]
    tools = []
    if won:
        again = acts.put("again", _of_lanes(won, lambda lane: _ask_victim(state, lane)))
        tools.append(Button(Say("Objectives hit"), again, "edit"))
    if any(lane.is_inferred for lane in tables(state).stated_lanes):
        tools.append(Button(Say("Lanes"), acts.put("sites", _ask_lane(state)), "edit"))
    return tuple(tools)


def _is_open(state: GameState, lane: str) -> bool:
    """Whether a lane is not counted yet, or its winner has not said who suffers."""
    own, victims = _own(state), rs.lane_victims(state, lane)
    return lane not in own.lanes or (bool(victims) and own.cuts.get(lane) not in victims)


def _ask_victim(state: GameState, lane: str) -> Ask:
    options = tuple(Item(one, site(one)) for one in rs.lane_victims(state, lane))
    title = Say("Which Objective is affected?")
    return asked("victim", title, options, lambda one: Send(rs.CutLane(lane, one)))


def _counts(state: GameState, lane: str) -> dict[str, int]:
    counted = _own(state).lanes.get(lane)
    return {info.id: counted.spaces.get(info.id, 0) if counted else 0 for info in state.frozen_setup.sides}


def _spaces(state: GameState, acts: Acts, lane: Lane, of: str) -> Item:
    """Return what a side alone holds of a lane: its first side beside the lane's name, the other beside the result."""
    counts = _counts(state, lane.id)

    def by(amount: int) -> Send:
        return Send(rs.EnterLane(lane.id, {**counts, of: max(0, counts[of] + amount)}))

    key = f"{of}.{lane.id}"
    less, more = acts.put(f"{key}.less", by(-1)), acts.put(f"{key}.more", by(1))
    title = _result(state, lane.id)
    if of == state.frozen_setup.sides[0].id:
        title = Say("{lane}  {sites}", lane=Typed(lane.id), sites=several(map(site, lane.sites), "comma"))
        title = Say("{lane} (inferred, check)", lane=title) if lane.is_inferred else title
    mark = side_mark(state.frozen_setup, of)
    return Item(key, title, mark=mark, facet=Counter(counts[of], less, more))


def _result(state: GameState, lane: str) -> Say:
    winner, net = rs.lane_net(state, lane)
    if lane not in _own(state).lanes:
        return Say("not counted")
    if winner is None:
        return Say("level: no effect")
    won, victims = Say("{side} +{n}", side=side(winner), n=net), rs.lane_victims(state, lane)
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
    options = tuple(Item(one, nation(one), act=acts.put(f"board.{one}", _to("board", one))) for one in acting)
    return Choices("nations", options, who)


def _board(state: GameState, acts: Acts, acting: tuple[str, ...], who: str) -> tuple[Block, ...]:
    """Return what lowers the values of a nation's sources, to be ticked as the board shows it, and what else is entered."""
    own, rows = _own(state), []
    held = {"contested": own.halved, "blockade": own.blockaded, "sea_space": own.sea_halved}
    mine = rs.sources(state, who)
    at_sea = {source: rs.at_sea(state, source) for source in mine}
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
        less = acts.put(f"{key}.less", Send(rs.RecordBombing(source, max(0, hits - 1))))
        more = acts.put(f"{key}.more", Send(rs.RecordBombing(source, hits + 1)))
        title = Say("{site}: bombing hits", site=site(source))
        rows.append(Item(key, title, facet=Counter(hits, less, more)))
    empty = Say("This nation holds no Objective that the app knows about")
    return _nations(acts, acting, who), Rows("board", tuple(rows), empty=empty)


def _board_tools(state: GameState, acts: Acts, who: str) -> tuple[Button, ...]:
    """Return what else is entered: what a card does, what is free aboard, abilities of commanders."""
    tools = [Button(Say("Card"), acts.put("card", _ask_card(state, who)), "plus")]
    for source in rs.sources(state, who):
        if rs.at_sea(state, source) is not None:
            tools.append(Button(Say("Room aboard"), acts.put(f"room.{source}", _ask_room(source))))
    if state.frozen_setup.options.get("commander"):
        tools.append(Button(Say("Abilities"), acts.put("abilities", _ask_ability(state))))
    return tuple(tools)


def _ask_card(state: GameState, who: str) -> Ask:
    """Ask what a card does to the values of one source: which card, where, which type, how much."""
    sources = tuple(Item(row.source, site(row.source)) for row in _sources(state, who, "land"))
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


# Baskets


def _baskets(sight: Sight, acts: Acts, acting: tuple[str, ...], who: str) -> tuple[Block, ...]:
    """Return the three baskets of each nation of one side."""
    setup = sight.state.frozen_setup
    of = nation_side(setup, who)
    sides = {nation_side(setup, one): one for one in reversed(acting)}
    shown = tuple(one for one in acting if nation_side(setup, one) == of)
    blocks: list[Block] = [_nation(sight, acts, one) for one in shown]
    bought = tuple(row for one in shown for row in _bought(sight.state, one))
    if bought:
        blocks.append(Rows("bought", bought, is_wide=False))
    if len(sides) == 1:
        return tuple(blocks)
    options = tuple(
        Item(info.id, side(info.id), act=acts.put(f"of.{info.id}", _to("buy", sides[info.id])))
        for info in setup.sides
        if info.id in sides
    )
    return (Choices("sides", options, of), *blocks)


def _bought(state: GameState, who: str) -> Iterator[Item]:
    """Yield what a nation's baskets hold."""
    own = _own(state)
    for kind in TYPES:
        key = rs.slot(who, kind)
        units = [Count(count, unit(one)) for one, count in own.baskets.get(key, {}).items() if count]
        if units:
            where = Say("{kind}, {site}", kind=Name("kind", kind), site=site(own.choices.get(key, "")))
            mark = nation_mark(state.frozen_setup, who)
            yield Item(f"bought.{key}", several(units, "comma"), where, mark=mark)


def _nation(sight: Sight, acts: Acts, who: str) -> Tiles:
    state = sight.state
    tiles = [_kind(sight, acts, who, kind) for kind in TYPES]
    if state.step.phase == "resupply":
        passed = who in _own(state).passed
        act = acts.put(f"pass.{who}", Send(rs.PassResupply(Nation(who), not passed)))
        title = Say("Resume buying") if passed else Say("Done buying")
        tiles.append(Item("pass", title, act=act, symbol="undo" if passed else "check"))
    return Tiles(f"kinds.{who}", tuple(tiles), title=nation(who), mark=nation_mark(state.frozen_setup, who))


def _kind(sight: Sight, acts: Acts, who: str, kind: str) -> Item:
    """Return a basket: a tap asks where it is taken, then opens its units."""
    state, key = sight.state, rs.slot(who, kind)
    own = _own(state)
    source, placed = own.choices.get(key, ""), own.placed.get(key)
    limit = rs.budget(state, who, kind)
    act: Act | None = None
    if placed is not None:
        act = Send(rs.ResolveMines(Nation(who))) if placed.mines and not placed.is_resolved else None
    elif source and limit is not None:
        act = _to("buy", who, kind)
    elif state.step.phase == "resupply":
        act = _ask_source(sight, who, kind)
    return Item(
        kind,
        Name("kind", kind),
        _told(state, who, kind, placed),
        None if limit is None else Say("{n} / {m}", n=limit.spent, m=limit.limit),
        act=None if act is None else acts.put(f"kind.{key}", act),
        state="ok" if placed is not None else "plain",
    )


def _told(state: GameState, who: str, kind: str, placed: Placement | None) -> Words:
    """Return where a resupply is taken and why not, or where it was placed."""
    key = rs.slot(who, kind)
    source = _own(state).choices.get(key, "")
    if placed is not None:
        if placed.mines and not placed.is_resolved:
            return Say("Confirm mines rolled")
        where = site(placed.where) if placed.where == source else space_of(placed.where)
        return Say("in the Hidden Fleet") if placed.into_fleet else Say("placed: {where}", where=where)
    if not source:
        return Say("Choose where")
    why = rs.adjusted(state, source, kind).why
    return site(source) if why is None else why


class _Source(msgspec.Struct, frozen=True):
    """One place to take a resupply at."""

    source: str
    text: Value
    can: bool
    needs: tuple[Need, ...] = ()
    """What is to be entered before it can be taken."""


def _sources(state: GameState, who: str, kind: str) -> tuple[_Source, ...]:
    """Return where a nation could take a resupply, then those where it cannot, with the reason."""
    rows = []
    for source in (*rs.sources(state, who), *rs.unclear(state, who)):
        refused = rs.why_not_source(state, who, kind, source)
        value = rs.adjusted(state, source, kind).value
        detail = Typed("–") if value is None else value
        text = Say("{site}: {n}", site=site(source), n=detail if refused is None else refusal_words(refused))
        needs = () if refused is None else refused.needs
        if refused is not None and needs and refused.code == ResupplyCode.VALUE_UNKNOWN:
            text = Say("Enter the printed value: {site}", site=site(source))
        rows.append(_Source(source, text, refused is None, needs))
    return tuple(sorted(rows, key=lambda row: not row.can))


def _cleared(source: str, choose: Send, *, is_clear: bool) -> Send:
    """Note whether a fleet's space is free, and take the resupply there where it is."""
    return Send(rs.ReportAtSea(source, is_clear), then=choose if is_clear else None)


def _ask_source(sight: Sight, who: str, kind: str) -> Ask:
    """Ask where a resupply is taken; its units come next."""
    state = sight.state
    rows = {row.source: row for row in _sources(state, who, kind)}
    options = (*(Item(row.source, row.text) for row in rows.values()), Item("", Say("None")))

    def chosen(source: str) -> Act:
        choose = Send(
            rs.ChooseResupply(Nation(who), kind, source), then=_to("buy", who, kind if source else "")
        )
        if source and rows[source].needs and rows[source].needs[0].kind == "clear":
            clear = ask_clear(source, choose)
            return Ask(clear.form, lambda given: _cleared(source, choose, is_clear=given["one"] == "yes"))
        ask = enter_first(state, rows[source].needs, choose) if source else None
        return choose if ask is None else ask

    return asked("source", Say("{kind} resupply at", kind=Name("kind", kind)), options, chosen)


# One basket


def _basket_page(sight: Sight, acts: Acts, who: str, kind: str) -> Shown:
    """Return the units of one type against the budget, each with what keeps it from being bought."""
    state, own, key = sight.state, _own(sight.state), rs.slot(who, kind)
    source, placed = own.choices[key], own.placed.get(key)
    worth, limit = rs.adjusted(state, source, kind), rs.budget(state, who, kind)
    table, basket = unit_table_of(state), own.baskets.get(key, {})
    bought = [table.units[one] for one, n in basket.items() if n and not table.fields(who, one)]
    units = [spec for spec in (*table.fielded(who), *bought) if spec.type == kind]
    rows = tuple(_unit(state, acts, who, spec) for spec in sorted(units, key=lambda spec: spec.cost or 0))
    tools = [Button(Say("Tray"), acts.put("tray", _ask_tray(who, units)))]
    if state.step.phase == "resupply" and placed is None:
        tools.insert(0, Button(Say("Where"), acts.put("source", _ask_source(sight, who, kind)), "down"))
    close = _to("buy", who)
    done = acts.put("close", close)
    can_place = placed is None and any(own.baskets.get(key, {}).values())
    spent = limit.spent if limit is not None else 0
    if can_place:
        tools.append(Button(Say("Baskets"), done, "back"))
    head = Head(
        "budget",
        Say("{kind}, {site}", kind=Name("kind", kind), site=site(source)),
        value=Say("{n} of {m} spent", n=spent, m=Typed("–") if limit is None else limit.limit),
        mark=nation_mark(state.frozen_setup, who),
    )
    page = Page(
        f"basket.{key}",
        nation(who),
        several((Say("{n} {why}", n=line.value, why=line.why) for line in worth.lines), "comma"),
        "muted",
        tools=tuple(tools),
        blocks=(head, Rows("units", rows, is_wide=False)),
        main=Button(Say("Place the units"), acts.put("place", _place(state, who, kind, close)))
        if can_place
        else Button(Say("Basket done"), done),
    )
    return Shown(page, acts)


def _unit(state: GameState, acts: Acts, who: str, spec: UnitSpec) -> Item:
    kind = spec.type
    refused = rs.why_not(state, who, kind, spec.id)
    count = _own(state).baskets.get(rs.slot(who, kind), {}).get(spec.id, 0)
    can_less = count > 0 and rs.why_not(state, who, kind, spec.id, -1) is None
    less, more = (
        acts.put(f"{spec.id}.{name}", Send(rs.Purchase(Nation(who), kind, spec.id, by)))
        for name, by in (("less", -1), ("more", 1))
    )
    cost: Value = Say("cost {n}", n=Typed("–") if spec.cost is None else spec.cost)
    return Item(
        spec.id,
        unit(spec.id),
        cost if refused is None else _why_short(refused),
        facet=Counter(
            count,
            less,
            more,
            least=0 if can_less else count,
            most=99 if refused is None else count,
        ),
    )


def _why_short(refused: Rejected) -> Words:
    """Return why a unit cannot be bought, as its row has room for it."""
    if refused.code == ResupplyCode.OVER_BUDGET and isinstance(refused.detail, Say):
        figures = refused.detail.values
        return Say("Needs {need}; you have {have}", need=figures["need"], have=figures["have"])
    return refusal_words(refused)


def _ask_tray(who: str, units: list[UnitSpec]) -> Ask:
    """Ask how many tiles of a unit the tray still holds."""

    def tiles(of: str) -> Ask:
        field = Field("left", Say("{unit}: tiles left in the tray", unit=unit(of)), "number", most=2)
        return Ask(
            Form("tray", field.title, (field,)),
            lambda answers: Send(rs.SetReserve(Nation(who), of, int(answers["left"]))),
        )

    options = tuple(Item(spec.id, unit(spec.id)) for spec in units)
    return asked("tray", Say("Which unit?"), options, tiles, is_wide=False)


def _place(state: GameState, who: str, kind: str, close: Draft[ResupplyDraft]) -> Act:
    """Place a basket: at sea and for ships the space is asked, and whether they join the fleet or meet mines.

    Mines that the ledger knows in the space are proposed; nobody is asked for the place of a fleet.
    """
    one = Nation(who)
    sea = rs.at_sea(state, _own(state).choices.get(rs.slot(who, kind), ""))
    spaces = sea.spaces if sea is not None else ()
    if kind != "sea" and not spaces:
        return Send(rs.Place(one, kind), then=close)

    def put(where: str, mines: int = 0) -> Send:
        return Send(rs.Place(one, kind, where, mines=mines), then=close)

    def some(where: str) -> Ask:
        title = Say("Enemy mines in {space}", space=space_of(where))
        field = Field("mines", title, "count", least=1, most=6)
        return Ask(Form("mines", title, (field,)), lambda found: put(where, int(found["mines"])))

    def at(where: str) -> Act:
        if kind != "sea":
            return put(where)
        known = len(enemy_mines(state, where, who))
        none = Item("none", Say("No enemy mine there"))
        if known:
            there = Item("known", Say.counted("{n} enemy mine there", "{n} enemy mines there", known))
            options: tuple[Item, ...] = (there, none, Item("some", Say("Another number of mines")))
        else:
            options = (none, Item("some", Say("On the board, among enemy mines")))
        counts = {"none": 0, "known": known}
        return asked(
            "mined",
            space_of(where),
            options,
            lambda key: put(where, counts[key]) if key in counts else some(where),
        )

    space = Say("Sea space of the new ships") if kind == "sea" else Say("Which sea space?")
    if spaces:
        on_board = ask_space(state, space, at, known=spaces, is_free=False)
    else:
        on_board = name_space(state, space, at, known=sea_spaces(state))
    ways = (Item("board", Say("On the board")), Item("fleet", Say("Into the Hidden Fleet")))
    fleet = Send(rs.Place(one, kind, into_fleet=True), then=close)
    title = Say("New ships") if kind == "sea" else Name("kind", kind)
    return asked("how", title, ways, lambda key: fleet if key == "fleet" else on_board)
