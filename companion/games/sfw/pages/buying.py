"""Buying and placing on one page: a line each for land, sea and air, with where it is taken, what is left, and its units.

A unit is bought by a tap on its tile. Where a nation took a resupply last time it is filled in; nothing is chosen before its
first unit is bought. What cannot be bought says why at a tap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.ids import Nation
from companion.core.judgement import Need
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, nation, several, site, unit
from companion.games.sfw.pages.entries import ask_clear
from companion.games.sfw.pages.spaces import ask_space, sea_spaces
from companion.games.sfw.rules import resupply_placing as rp
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules import resupply_values as rv
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.resupply_record import Placement, ResupplyCode
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.tokens import enemy_mines
from companion.games.sfw.rules.units import UnitSpec
from companion.pages.needs import enter_first
from companion.pages.page import (
    Act,
    Acts,
    Ask,
    Button,
    Draft,
    Field,
    Form,
    Item,
    Page,
    Refuse,
    Send,
    Sight,
    Tiles,
    Words,
    asked,
)
from companion.pages.parts import nation_mark, refusal_words, tapping
from companion.pages.rulings import ruling_tools
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["ResupplyDraft", "Source", "buying_page", "look_at", "next_buyer", "source_rows"]

_LINES = ("land", "sea", "air")
"""Types of units in the order of their lines."""
_MOST_SOURCES = 5
"""Places that stand side by side; more are asked for."""


class ResupplyDraft(msgspec.Struct, frozen=True):
    """What is looked at on the Resupply screen."""

    tab: str = ""
    """``lanes``, ``buy`` or ``board``; empty: what the act asks for."""
    nation: str = ""
    """Whose board is shown, and whose units are bought; empty: the first that acts."""
    is_taking: bool = False
    """A tap takes a unit off again."""


def look_at(tab: str, who: str = "", *, is_taking: bool = False) -> Draft[ResupplyDraft]:
    """Return an act that shows something else."""
    return Draft(lambda _draft: ResupplyDraft(tab, who, is_taking), ResupplyDraft())


def _own(state: GameState) -> rs.ResupplyState:
    own: rs.ResupplyState = state.game["resupply"]
    return own


def _may_buy(state: GameState, who: Nation) -> bool:
    """Say whether it is time to buy, and a nation has not done so."""
    return state.step.phase == "resupply" and who not in _own(state).passed


def next_buyer(state: GameState, acting: tuple[Nation, ...]) -> Nation:
    """Return the nation that is looked at first: one with units to place, else one that can still buy somewhere."""
    own = _own(state)

    def waits(who: Nation) -> bool:
        keys = (rs.slot(who, kind) for kind in _LINES)
        return any(key not in own.placed and any(own.baskets.get(key, {}).values()) for key in keys)

    def can_buy(who: Nation) -> bool:
        return who not in own.passed and any(
            rs.slot(who, kind) not in own.placed and any(row.can for row in source_rows(state, who, kind))
            for kind in _LINES
        )

    return next(
        (one for one in acting if waits(one)), next((one for one in acting if can_buy(one)), acting[0])
    )


def buying_page(
    sight: Sight, acts: Acts, acting: tuple[Nation, ...], who: Nation, *, is_taking: bool, end: Button
) -> Page:
    """Return what a nation buys, line by line; the main act places, or ends the act where nothing is left to place.

    Args:
        acting: The nations of the sides that act.
        end: What ends the act at hand.
    """
    state, is_open = sight.state, sight.state.step.phase == "resupply"
    place, elsewhere = _placing(state, acts, (who, *(one for one in acting if one != who)))
    passed = who in _own(state).passed
    then = None if passed else look_at("buy")
    turn = acts.put(f"pass.{who}", Send(rs.PassResupply(who, not passed), then=then)) if is_open else None
    done = Say("{nation}: done buying", nation=nation(who)) if len(acting) > 1 else Say("Done buying")
    passing = None if turn is None else Button(Say("Resume buying") if passed else done, turn)
    main, second = end, passing
    if place is not None and state.step.act == "place":
        main, second = place, elsewhere or passing
    elif place is not None:
        second = place
    return Page(
        f"buy.{who}",
        Say("Resupply"),
        tabs=tuple(Item(one, nation(one), act=acts.put(f"of.{one}", look_at("buy", one))) for one in acting),
        tab=who,
        tools=_tools(state, acts, who, is_taking=is_taking),
        blocks=tuple(_line(state, acts, who, kind, is_taking=is_taking) for kind in _LINES),
        main=main,
        second=second,
    )


def _tools(state: GameState, acts: Acts, who: Nation, *, is_taking: bool) -> tuple[Button, ...]:
    tools = [Button(Say("Board"), acts.put("board", look_at("board", who)))]
    if tables(state).lanes:
        tools.insert(0, Button(Say("Lanes"), acts.put("lanes", look_at("lanes", who))))
    if state.frozen_setup.options.get("commander"):
        tools += ruling_tools(state, acts, ("commander_resupply",))
    tools.append(Button(Say("Tray"), acts.put("tray", _ask_tray(who, unit_table_of(state).fielded(who)))))
    take = acts.put("taking", look_at("buy", who, is_taking=not is_taking))
    return (*tools, Button(Say("Remove"), take, is_on=is_taking))


# A line


def _line(state: GameState, acts: Acts, who: Nation, kind: str, *, is_taking: bool) -> Tiles:
    """Return a type's line: where it is taken and what is left, then its units, or where it could be taken."""
    own, key = _own(state), rs.slot(who, kind)
    placed, chosen = own.placed.get(key), own.choices.get(key, "")
    if placed is not None:
        tiles = (_where_placed(state, acts, who, kind, placed), *_bought(state, who, kind))
        return Tiles(f"line.{kind}", tiles, columns=max(5, len(tiles)))
    source = chosen or _usual(state, who, kind)
    rows = source_rows(state, who, kind)
    if not source:
        offered = tuple(row for row in rows if row.can or row.needs)[:_MOST_SOURCES]
        tiles = (
            _from_where(state, acts, who, kind),
            *(_source(state, acts, who, kind, row) for row in offered),
            *((_others(state, acts, who, kind),) if len(offered) < len(rows) else ()),
        )
        return Tiles(f"line.{kind}", tiles, columns=max(5, len(tiles)))
    after = _chosen(state, who, kind, source)
    table, basket = unit_table_of(state), own.baskets.get(key, {})
    bought = [table.units[one] for one, n in basket.items() if n and not table.fields(who, one)]
    specs = sorted(
        (spec for spec in (*table.fielded(who), *bought) if spec.type == kind),
        key=lambda spec: spec.cost or 0,
    )
    is_open = _may_buy(state, who)
    tiles = (
        _budget(after, acts, who, kind, source, is_usual=not chosen),
        *(_unit(after, acts, who, spec, first=None if chosen else source, is_taking=is_taking, is_open=is_open)
          for spec in specs),
    )  # fmt: skip
    return Tiles(f"line.{kind}", tiles, columns=max(5, len(tiles)))


def _chosen(state: GameState, who: Nation, kind: str, source: str) -> GameState:
    """Return the state in which a resupply is taken at a source."""
    own = _own(state)
    choices = {**own.choices, rs.slot(who, kind): source}
    return replace(state, game={**state.game, "resupply": replace(own, choices=choices)})


def _usual(state: GameState, who: Nation, kind: str) -> str:
    """Return where a nation took this resupply last, where it could take it there now; empty where not."""
    if state.step.phase != "resupply":
        return ""
    before = (row for row in reversed(_own(state).records) if (row.nation, row.unit_type) == (who, kind))
    last = next(before, None)
    if last is None or rv.why_not_source(state, who, kind, last.source) is not None:
        return ""
    return last.source


def _head(acts: Acts, kind: str, title: Words, act: Act | None, **look: Any) -> Item:
    act_id = None if act is None else acts.put(f"kind.{kind}", act)
    return Item(kind, title, act=act_id, **look)


def _from_where(state: GameState, acts: Acts, who: Nation, kind: str) -> Item:
    title = Say("{kind}: where?", kind=Name("kind", kind))
    if not _may_buy(state, who):
        return _head(acts, kind, Name("kind", kind), None)
    return _head(acts, kind, title, _ask_source(state, who, kind), state="chosen")


def _budget(state: GameState, acts: Acts, who: Nation, kind: str, source: str, *, is_usual: bool) -> Item:
    """Return where a resupply is taken and what is left; a tap chooses another place, beside the sum line by line."""
    limit = rv.budget(state, who, kind)
    title = Say("{site} again", site=site(source)) if is_usual else site(source)
    left = Typed("–") if limit is None else Say("{n} left", n=limit.left)
    ask = _ask_source(state, who, kind) if _may_buy(state, who) else None
    return _head(acts, kind, title, ask, value=left)


def _where_placed(state: GameState, acts: Acts, who: Nation, kind: str, placed: Placement) -> Item:
    if placed.mines and not placed.is_resolved:
        return _head(acts, kind, Say("Confirm mines rolled"), Send(rs.ResolveMines(who)), state="danger")
    source = _own(state).choices.get(rs.slot(who, kind), "")
    where = site(placed.where) if placed.where == source else space_of(placed.where)
    told = Say("in the Hidden Fleet") if placed.into_fleet else Say("placed: {where}", where=where)
    return _head(acts, kind, told, None, state="ok")


def _bought(state: GameState, who: Nation, kind: str) -> Iterator[Item]:
    """Yield what was placed."""
    for one, count in _own(state).baskets.get(rs.slot(who, kind), {}).items():
        if count:
            mark, symbol = nation_mark(state.frozen_setup, who), unit_symbol(state, one)
            yield Item(f"bought.{one}", unit_short(state, one), value=count, mark=mark, symbol=symbol)


def _unit(
    state: GameState,
    acts: Acts,
    who: Nation,
    spec: UnitSpec,
    *,
    first: str | None,
    is_taking: bool,
    is_open: bool,
) -> Item:
    """Return a unit with its cost, or how many are bought: a tap is one more or one off, says why not, or asks its cost."""
    kind, one = spec.type, who
    count = _own(state).baskets.get(rs.slot(who, kind), {}).get(spec.id, 0)
    by = -1 if is_taking else 1
    refused = rv.why_not(state, who, kind, spec.id, by) if is_open else None
    buy = Send(rs.Purchase(one, kind, spec.id, by))
    act: Act = buy if first is None else Send(rs.ChooseResupply(one, kind, first), then=buy)
    if refused is not None:
        act = enter_first(state, refused.needs, act) or Refuse(refusal_words(refused))
    cost = Say("cost unknown") if spec.cost is None else Say("costs {n}", n=spec.cost)
    item = Item(
        spec.id,
        unit_short(state, spec.id),
        cost,
        symbol=unit_symbol(state, spec.id),
        state="chosen" if count else "plain" if refused is None else "muted",
    )
    if not is_open:
        return item
    if not count and refused is not None and refused.code == ResupplyCode.OVER_BUDGET:
        return item  # it is too dear: its cost stands there, and what is left
    return tapping(item, count, acts.put(f"{kind}.{spec.id}", act), takes=is_taking)


def _ask_tray(who: Nation, units: tuple[UnitSpec, ...]) -> Ask:
    """Ask how many tiles of a unit the tray still holds."""

    def tiles(of: str) -> Ask:
        field = Field("left", Say("{unit}: tiles left in the tray", unit=unit(of)), "number", most=2)
        return Ask(
            Form("tray", field.title, (field,)),
            lambda answers: Send(rs.SetReserve(who, of, int(answers["left"]))),
        )

    options = tuple(Item(spec.id, unit(spec.id)) for spec in units)
    return asked("tray", Say("Which unit?"), options, tiles, is_wide=False)


# Where it is taken


class Source(msgspec.Struct, frozen=True):
    """One place to take a resupply at."""

    source: str
    text: Value
    can: bool
    needs: tuple[Need, ...] = ()
    """What is to be entered before it can be taken."""


def source_rows(state: GameState, who: Nation, kind: str) -> tuple[Source, ...]:
    """Return where a nation could take a resupply, then those where it cannot, with the reason."""
    rows = []
    for source in (*rv.sources(state, who), *rv.unclear(state, who)):
        refused = rv.why_not_source(state, who, kind, source)
        value = rv.adjusted(state, source, kind).value
        detail = Typed("–") if value is None else value
        text = Say("{site}: {n}", site=site(source), n=detail if refused is None else refusal_words(refused))
        needs = () if refused is None else refused.needs
        if refused is not None and needs and refused.code == ResupplyCode.VALUE_UNKNOWN:
            text = Say("Enter the printed value of {site}", site=site(source))
        if refused is not None and needs and refused.code == ResupplyCode.HOLDER_UNKNOWN:
            text = Say("{site}: say which nation holds it", site=site(source))
        rows.append(Source(source, text, refused is None, needs))
    return tuple(sorted(rows, key=lambda row: not row.can))


def _source(state: GameState, acts: Acts, who: Nation, kind: str, row: Source) -> Item:
    """Return a place as a tile: what there is to spend, or what is asked first."""
    value = rv.adjusted(state, row.source, kind).value if row.can else None
    act = acts.put(f"{kind}.at.{row.source}", _take(state, who, kind, row)) if _may_buy(state, who) else None
    return Item(
        f"{kind}.{row.source}", site(row.source), value=Typed("–") if value is None else value, act=act
    )


def _others(state: GameState, acts: Acts, who: Nation, kind: str) -> Item:
    act = acts.put(f"{kind}.others", _ask_source(state, who, kind)) if _may_buy(state, who) else None
    return Item(f"{kind}.others", Say("Others"), act=act)


def _cleared(source: str, choose: Send, *, is_clear: bool) -> Send:
    """Note whether a fleet's space is free, and take the resupply there where it is."""
    return Send(rs.ReportAtSea(source, is_clear), then=choose if is_clear else None)


def _take(state: GameState, who: Nation, kind: str, row: Source) -> Act:
    """Return the choice of a place, with what has to be entered first."""
    choose = Send(rs.ChooseResupply(who, kind, row.source))
    if row.needs and row.needs[0].kind == "clear":
        clear = ask_clear(row.source, choose)
        return Ask(clear.form, lambda given: _cleared(row.source, choose, is_clear=given["one"] == "yes"))
    return enter_first(state, row.needs, choose) or choose


def _ask_source(state: GameState, who: Nation, kind: str) -> Ask:
    """Ask where a resupply is taken, under the sum of the place at hand line by line."""
    rows: Mapping[str, Source] = {row.source: row for row in source_rows(state, who, kind)}
    options = (*(Item(row.source, row.text) for row in rows.values()), Item("", Say("None")))
    here = _own(state).choices.get(rs.slot(who, kind), "")
    lines = rv.adjusted(state, here, kind).lines if here else ()
    sub = (
        several((Say("{n} {why}", n=line.value, why=line.why) for line in lines), "comma") if lines else None
    )

    def chosen(source: str) -> Act:
        return _take(state, who, kind, rows[source]) if source else Send(rs.ChooseResupply(who, kind, ""))

    title = Say("{kind} resupply at", kind=Name("kind", kind))
    return asked("source", title, options, chosen, sub=None if sub is None else Say("{lines}", lines=sub))


# Placing


def _placing(
    state: GameState, acts: Acts, nations: tuple[Nation, ...]
) -> tuple[Button | None, Button | None]:
    """Return what places the next units, all that go to the same place at once, and another place for them where there is one."""
    own = _own(state)
    waiting = [
        (one, kind)
        for one in nations
        for kind in _LINES
        if rs.slot(one, kind) not in own.placed and any(own.baskets.get(rs.slot(one, kind), {}).values())
    ]
    if not waiting or state.step.phase != "resupply":
        return None, None
    who, kind = waiting[0]
    source = own.choices.get(rs.slot(who, kind), "")
    if not _asks_space(state, source, kind):
        together = [
            (one, other)
            for one, other in waiting
            if one == who
            and own.choices.get(rs.slot(one, other), "") == source
            and not _asks_space(state, source, other)
        ]
        act: Act | None = None
        for one, other in reversed(together):
            act = Send(rs.Place(one, other), then=act)
        assert act is not None
        n = sum(sum(own.baskets[rs.slot(*pair)].values()) for pair in together)
        title = Say.counted("Place {n} unit: {site}", "Place {n} units: {site}", n, site=site(source))
        return Button(title, acts.put("place", act)), None
    n = sum(own.baskets[rs.slot(who, kind)].values())
    ask = _place(state, who, kind)
    before = (first := rp.space_at_sea(state, who, source)) or _used_before(state, who, kind, source)
    if not before or enemy_mines(state, before, who):
        title = Say.counted("Place {n} unit", "Place {n} units", n)
        return Button(title, acts.put("place", ask)), None
    there = Say.counted(
        "Place {n} unit: {space}, no mines", "Place {n} units: {space}, no mines", n, space=space_of(before)
    )
    place = Button(there, acts.put("place", Send(rs.Place(who, kind, before))))
    return place, None if first else Button(Say("Elsewhere"), acts.put("elsewhere", ask))


def _asks_space(state: GameState, source: str, kind: str) -> bool:
    """Say whether it has to be said where new units stand: ships, and whatever comes in at sea."""
    sea = rv.at_sea(state, source)
    return kind == "sea" or (sea is not None and bool(sea.spaces))


def _used_before(state: GameState, who: Nation, kind: str, source: str) -> str:
    """Return the space in which a nation placed such units from this place last; empty where there is none."""
    for row in reversed(_own(state).records):
        if (row.nation, row.unit_type, row.source) == (who, kind, source):
            return "" if row.where == source else row.where
    return ""


def _place(state: GameState, who: Nation, kind: str) -> Act:
    """Place what waits: the space is asked, and whether the ships join the fleet or meet mines.

    Mines that the ledger knows in the space are proposed; nobody is asked for the place of a fleet.
    """
    one = who
    sea = rv.at_sea(state, _own(state).choices.get(rs.slot(who, kind), ""))
    spaces = sea.spaces if sea is not None else ()

    def put(where: str, mines: int = 0) -> Send:
        return Send(rs.Place(one, kind, where, mines=mines))

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
        on_board = ask_space(state, space, at, known=sea_spaces(state))
    ways = (Item("board", Say("On the board")), Item("fleet", Say("Into the Hidden Fleet")))
    fleet = Send(rs.Place(one, kind, into_fleet=True))
    title = Say("New ships") if kind == "sea" else Name("kind", kind)
    return asked("how", title, ways, lambda key: fleet if key == "fleet" else on_board)
