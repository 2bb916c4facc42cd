"""The search of a sea space: where, who searches with what, and what the other side's owners answer, each by a tap."""

from __future__ import annotations

from companion.core.ids import Nation
from companion.core.state import GameState
from companion.core.text import Say, Typed, nation
from companion.games.sfw.pages.seal_draft import Search, put, write
from companion.games.sfw.pages.seal_writing import place_pad
from companion.games.sfw.pages.spaces import name_space, sea_spaces
from companion.games.sfw.rules import seal_messages as sm
from companion.games.sfw.rules import seals as se
from companion.games.sfw.rules.ledger import nation_side
from companion.pages.page import (
    Act,
    Acts,
    Block,
    Button,
    Choices,
    Item,
    Page,
    Rows,
    Send,
    Shown,
    Side,
    Sides,
    Tiles,
)
from companion.pages.parts import nation_mark
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["search_page", "search_tool"]


def search_tool(state: GameState, acts: Acts) -> tuple[Button, ...]:
    """Return the way to a search, where one can be made and there is something to find."""
    if not _searching(state) or not (_fleets(state) or _dials(state)):
        return ()
    return (Button(Say("Search a sea space"), acts.put("search", put(search=Search()))),)


def _searching(state: GameState) -> tuple[Nation, ...]:
    """Return who may search in this act."""
    if se.why_not_search(state) is not None:
        return ()
    return tuple(info.id for info in state.frozen_setup.nations if info.side in state.step.owners)


def _fleets(state: GameState) -> tuple[sm.Secret, ...]:
    """Return the sealed fleets that a search could find."""
    setup, owners = state.frozen_setup, state.step.owners
    return tuple(
        secret
        for secret in se.hidden(state)
        if secret.kind == "fleet" and nation_side(setup, secret.nation) not in owners
    )


def _dials(state: GameState) -> tuple[Nation, ...]:
    """Return the nations of the other side whose fleet is on its dial."""
    owners, setup = state.step.owners, state.frozen_setup
    return tuple(one for one in sorted(state.game["seals"].on_dial) if nation_side(setup, one) not in owners)


def search_page(state: GameState, acts: Acts, search: Search) -> Shown:
    """Return the place beside who searches; a tap on what was found there, or that nothing was, sends it."""
    nations, units = _searching(state), se.searchers(state)
    who = search.nation if search.nation in nations else next(iter(nations), Nation(""))
    what = search.unit if search.unit in units else next(iter(units), "")

    def change(**values: str) -> Act:
        return put(search=Search(**{"nation": who, "unit": what, "space": search.space, **values}))

    def send(*ids: str) -> Act:
        return Send(sm.SearchSpace(Nation(who), search.space, ids, what), then=write(None))

    by_name = name_space(
        state,
        Say("Which sea space?"),
        lambda one: change(space=one),
        value=search.space,
        known=sea_spaces(state),
    )
    place = place_pad(acts, search.space, lambda one: change(space=one), by_name)
    right: list[Block] = []
    if len(nations) > 1:
        options = tuple(
            Item(one, nation(one), act=acts.put(f"who.{one}", change(nation=one))) for one in nations
        )
        right.append(Choices("who", options, who))
    if len(units) > 1:
        tiles = tuple(
            Item(
                one,
                unit_short(state, one),
                symbol=unit_symbol(state, one),
                state="chosen" if one == what else "plain",
                act=acts.put(f"unit.{one}", change(unit=one)),
            )
            for one in units
        )
        right.append(Tiles("units", tiles))
    setup = state.frozen_setup
    found = [
        (one.id, Say("Found: {label}", label=Typed(one.label)), one.nation) for one in _fleets(state)
    ] + [
        (se.dial_id(one), Say("Found: the fleet of {nation}, on its dial", nation=nation(one)), one)
        for one in _dials(state)
    ]
    rows = tuple(
        Item(
            id_,
            words,
            mark=nation_mark(setup, whose),
            act=acts.put(f"found.{id_}", send(id_)) if search.space else None,
        )
        for id_, words, whose in found
    )
    right.append(Rows("found", rows))
    missing = Say("Name the space first")
    main = Button(Say("Nothing there"), why_not=missing)
    if search.space:
        main = Button(main.title, acts.put("nothing", send()))
    page = Page(
        "search",
        Say("Search a sea space"),
        tools=(Button(Say("Cancel"), acts.put("close", write(None)), "close"),),
        blocks=(Sides("search", (place, Side("who", None, tuple(right)))),),
        main=main,
    )
    return Shown(page, acts)
