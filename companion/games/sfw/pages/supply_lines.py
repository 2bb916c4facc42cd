"""The supply lines on the Support screen: hubs, watched groups, and what nobody has entered of them yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from companion.core.ids import Nation, SiteId
from companion.core.ids import Side as SideId
from companion.core.state import GameState
from companion.core.text import Say, Typed, Value, nation, several, site
from companion.games.sfw.pages.control_words import unknown_say
from companion.games.sfw.pages.spaces import ask_space
from companion.games.sfw.pages.support_parts import Tab, ask_texts, both_sides
from companion.games.sfw.rules import supply as sp
from companion.games.sfw.rules.control import holder, holder_need
from companion.games.sfw.rules.ledger import nation_side, nations_of
from companion.games.sfw.rules.ledger_values import tables
from companion.pages.needs import entry_of
from companion.pages.page import (
    Act,
    Acts,
    Ask,
    Block,
    Button,
    Item,
    Rows,
    Send,
    State,
    asked,
    sure,
)
from companion.pages.parts import nation_mark

__all__ = ["supply_tab"]


def supply_tab(state: GameState, acts: Acts) -> Tab:
    def tools(of: SideId) -> tuple[Button, ...]:
        return (
            Button(Say("Hub"), acts.put(f"hub.{of}", _of_side(state, of, _ask_hub))),
            Button(Say("Group"), acts.put(f"watch.{of}", _of_side(state, of, _ask_watch))),
        )

    def rows(of: SideId) -> tuple[Block, ...]:
        net, nations = sp.network(state, of), nations_of(state.frozen_setup, of)
        groups = (
            _group(state, acts, net, one) for one in state.game["supply"].groups if one.nation in nations
        )
        cuts = {hub: sp.cut_off_by(state, of, hub) for hub in net.hubs}
        hubs = [
            _hub(state, acts, net, hub, [one for one, fallen in cuts.items() if hub in fallen])
            for hub in net.hubs
        ]
        fed = tuple(hub for hub in hubs if hub.sub is None)
        told = (*groups, *(hub for hub in hubs if hub.sub is not None))
        if not hubs:
            return (Rows("told", told, empty=Say("Enter who holds the hubs on the Control screen")),)
        blocks = (Rows("told", told), Rows("fed", fed, Say("In supply"), is_dense=True))
        return tuple(block for block in blocks if block.rows)

    return None, _missing(state, acts), (both_sides(state, rows, tools),)


def _missing(state: GameState, acts: Acts) -> tuple[Button, ...]:
    """Return the tool that asks for what nobody has entered yet of holders and links; none where all is known."""
    links = sp.missing_links(state)
    holders = _unheld(state)
    asks = {
        "holders": (Say("Holders ({n})", n=len(holders)), _ask_unheld(holders), len(holders)),
        "links": (Say("Links ({n})", n=len(links)), _ask_link(state, links), len(links)),
    }
    missing = {key: ask for key, ask in asks.items() if ask[2]}
    if not missing:
        return ()
    if len(missing) == 1:
        ((title, ask, _n),) = missing.values()
        return (Button(title, acts.put("missing", ask)),)
    options = tuple(Item(key, title) for key, (title, _ask, _n) in missing.items())
    ask = asked("missing", Say("What is not entered yet?"), options, lambda key: missing[key][1])
    return (Button(Say("Missing ({n})", n=len(links) + len(holders)), acts.put("missing", ask)),)


def _unheld(state: GameState) -> dict[str, Ask]:
    """Return the hubs that nobody holds as far as is entered, each with the question for who does."""
    asks: dict[str, Ask] = {}
    for one in tables(state).sites.values():
        is_open = one.hub and holder(state, one.id).side is None
        ask = entry_of(state, holder_need(state, one.id)) if is_open else None
        if ask is not None:
            asks[one.id] = ask
    return asks


def _ask_unheld(asks: dict[str, Ask]) -> Ask:
    """Ask which of the hubs is meant, then who holds it."""
    return asked(
        "unheld", Say("Which hub?"), tuple(Item(one, site(one)) for one in asks), lambda one: asks[one]
    )


def _group(state: GameState, acts: Acts, net: sp.Network, group: sp.Group) -> Item:
    fed = sp.in_supply(net, group.at)
    at: Value = several(map(site, group.at)) if group.at else Say("away from hubs and roads")
    moved = _ask_near(
        state,
        group.nation,
        Say("At a hub, or between two on a road"),
        lambda near: Send(sp.WatchGroup(group.nation, group.label, near, group.id)),
        most=2,
    )
    name = Typed(group.label)
    told = Say("{group}: may move", group=name) if fed.is_yes else Say("{group}: may not move", group=name)
    return Item(
        f"group.{group.id}",
        name if fed.is_unknown else told,
        unknown_say(fed.needs) if fed.is_unknown else at,
        mark=nation_mark(state.frozen_setup, group.nation),
        state=_SUPPLY[fed.answer],
        act=acts.put(f"group.{group.id}", moved),
    )


def _hub(state: GameState, acts: Acts, net: sp.Network, hub: str, through: Sequence[str]) -> Item:
    """Return how a hub stands; one that is in supply, with nothing more to say or to do about it, is its name alone.

    Args:
        through: The hubs without any one of which it would be out of supply.
    """
    table = tables(state)
    mobile = next((one for one in state.game["supply"].mobile if one.id == hub), None)
    owner = mobile.nation if mobile is not None else holder(state, SiteId(hub)).nation
    fed = net.judge(hub)
    sub: Say | None = None if fed.is_yes else Say("out of supply: units there may not move")
    if fed.is_unknown:
        sub = unknown_say(fed.needs)
    elif fed.is_yes and through:
        sub = Say("in supply only through {hubs}", hubs=several(map(site, through)))
    elif fed.is_yes and mobile is not None:
        sub = Say("in supply")
    is_major = hub in table.sites and table.sites[hub].hub == "major"
    act: Ask | None = entry_of(state, fed.needs[0]) if fed.is_unknown else None
    if mobile is not None:
        act = sure(Say("Is it gone?"), Send(sp.RemoveHub(hub)), sub=site(hub))
    return Item(
        hub,
        Say("{hub} (major)", hub=site(hub)) if is_major else site(hub),
        sub,
        mark=None if owner is None else nation_mark(state.frozen_setup, owner),
        state=_SUPPLY[fed.answer],
        act=None if act is None else acts.put(f"open.{hub}", act),
    )


_SUPPLY: dict[bool | None, State] = {True: "ok", False: "danger", None: "muted"}
"""How a hub or a group stands: in supply, out of it, or not known."""


def _of_side(state: GameState, of: SideId, then: Callable[[GameState, Nation], Ask]) -> Ask:
    """Ask which nation of a side, where it has several."""
    nations = nations_of(state.frozen_setup, of)
    if len(nations) == 1:
        return then(state, nations[0])
    options = tuple(Item(one, nation(one)) for one in nations)
    return asked("nation", Say("Which nation?"), options, lambda one: then(state, Nation(one)))


def _ask_hub(state: GameState, who: Nation) -> Ask:
    def placed(where: str) -> Ask:
        return _ask_near(
            state,
            who,
            Say("Hubs within three spaces"),
            lambda near: Send(sp.SetUpHub(Nation(who), where, near)),
        )

    return ask_space(state, Say("Where is it set up?"), placed)


def _ask_watch(state: GameState, who: Nation) -> Ask:
    def named(name: str) -> Ask:
        return _ask_near(
            state,
            who,
            Say("At a hub, or between two on a road"),
            lambda at: Send(sp.WatchGroup(Nation(who), name, at, "")),
            most=2,
        )

    return ask_texts("watch", Say("Name of the group"), then=lambda names: named(*names))


def _ask_near(
    state: GameState,
    who: Nation,
    title: Say,
    then: Callable[[tuple[str, ...]], Act],
    near: tuple[str, ...] = (),
    *,
    most: int = 12,
) -> Ask:
    """Collect hubs one by one until the table says that these are all; those of the nation's own side stand first."""
    own = nation_side(state.frozen_setup, who)
    sides = sorted((info.id for info in state.frozen_setup.sides), key=lambda side: side != own)
    held = [hub for side in sides for hub in sp.network(state, side).hubs]
    others = tuple(Item(hub, site(hub)) for hub in sp.known_hubs(state) if hub not in (*held, *near))
    options = (
        Item("", Say("That is all: {n}", n=len(near))),
        *(Item(hub, site(hub)) for hub in dict.fromkeys(held) if hub not in near),
        *((Item("other", Say("Another hub")),) if others else ()),
    )

    def chosen(hub: str) -> Act:
        if hub == "other":
            return asked("other", title, others, chosen)
        if hub and len(near) + 1 < most:
            return _ask_near(state, who, title, then, (*near, hub), most=most)
        return then((*near, hub) if hub else near)

    return asked("near", title, options, chosen)


def _ask_link(state: GameState, missing: tuple[str, ...]) -> Ask:
    """Ask which of two hubs lie within three spaces, those that matter now first."""

    def pair(of: str) -> Say:
        one, other = of.split(".")
        return Say("{site} and {other}", site=site(one), other=site(other))

    def ask(of: str) -> Act:
        found = entry_of(state, sp.link_need(*of.split(".")))
        assert found is not None, "a link is asked for"
        return found

    title = Say("Are they within three spaces of each other?")
    return asked("link", title, tuple(Item(of, pair(of)) for of in missing), ask)
