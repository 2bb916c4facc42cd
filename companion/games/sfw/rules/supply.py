"""Supply lines of North Africa: a graph of hubs, what is in supply and what a lost hub would cut off.

Fixed hubs are supplied through links of at most three spaces to a Major hub of their side. Which hubs are that
near is entered once as printed values; mobile hubs name their neighbours when they are set up. Groups of Land
Units are watched only where the table wants them watched.

Source: rulebook v0.96, Supply Lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.ids import Nation, Side
from companion.core.judgement import NO, YES, Judgement, Need, all_of, unknown
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say
from companion.core.text import site as site_of
from companion.games.sfw.rules.control import holder, holder_need
from companion.games.sfw.rules.ledger import LedgerTable, link_key, nation_side, not_in_game, turn_of
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.places import ground_fault, spelled

__all__ = [
    "Group",
    "GroupForgotten",
    "GroupWatched",
    "HubRemoved",
    "HubSetUp",
    "MobileHub",
    "Network",
    "RemoveHub",
    "SetUpHub",
    "SupplyCode",
    "SupplyPart",
    "SupplyState",
    "WatchGroup",
    "ForgetGroup",
    "cut_off_by",
    "in_supply",
    "is_in_supply",
    "known_hubs",
    "link_need",
    "missing_links",
    "network",
    "out_of_supply",
]


class SupplyCode(StrEnum):
    """Why a hub or a group is refused."""

    NOT_IN_SCENARIO = "not_in_scenario"
    UNKNOWN_HUB = "unknown_hub"
    NOT_NOW = "not_now"


class MobileHub(msgspec.Struct, frozen=True):
    """A Land Transport flipped over as a hub."""

    id: str
    nation: Nation
    where: str
    near: tuple[str, ...]
    """Hubs within three spaces."""


class Group(msgspec.Struct, frozen=True):
    """Land Units that the table watches, with where they stand."""

    id: str
    nation: Nation
    label: str
    at: tuple[str, ...]
    """One hub; two hubs: on the road between them; none: anywhere else."""


class SupplyState(msgspec.Struct, frozen=True):
    """The part's slice."""

    mobile: tuple[MobileHub, ...] = ()
    groups: tuple[Group, ...] = ()
    next_id: int = 1


class Network(msgspec.Struct, frozen=True):
    """A side's hubs and which of them chain back to a Major hub."""

    side: Side
    hubs: tuple[str, ...]
    majors: tuple[str, ...]
    supplied: frozenset[str]
    unknown: tuple[str, ...] = ()
    """Pairs of own hubs of which nobody has said whether they are within three spaces."""
    possible: frozenset[str] = frozenset()
    """Hubs that chain back to a Major hub if all that is unknown turns out well."""
    links: dict[str, bool] = {}
    """Known pairs of hubs, and whether they are within three spaces."""
    holders: dict[str, Need] = {}
    """Hubs whose holder nobody has entered, and the question for it."""
    fixed: frozenset[str] = frozenset()
    """Hubs of the board; a mobile hub names all its neighbours, so only two of these can be unknown to each other."""

    def link(self, one: str, other: str) -> bool | None:
        """Say whether two hubs are within three spaces of each other; None when nobody has said."""
        is_fixed = one in self.fixed and other in self.fixed
        return self.links.get(link_key(one, other), None if is_fixed else False)

    def judge(self, hub: str) -> Judgement:
        """Judge whether a hub chains back to a Major hub of the side.

        Source: rulebook v0.96, Keeping Land Units in Supply
        """
        if hub in self.supplied:
            return YES
        return unknown(*self._deciding(hub)) if hub in self.possible else NO

    def _deciding(self, hub: str) -> tuple[Need, ...]:
        """Return the values that decide a hub whose supply is open, those that concern it itself first.

        Only what could join its own chain to a supplied hub counts: links and holders beyond change nothing for it.
        """
        chain = _reached(
            (hub,), self.possible - self.supplied, lambda one, other: self.link(one, other) is not False
        )
        order = (hub, *sorted(chain - {hub}))
        near = sorted(self.supplied)
        pairs = [(one, other) for one in order for other in near]
        pairs_within = [(one, other) for n, one in enumerate(order) for other in order[n + 1 :]]
        return tuple(
            dict.fromkeys(
                (
                    *(self.holders[one] for one in (hub,) if one in self.holders),
                    *(link_need(one, other) for one, other in pairs if self.link(one, other) is None),
                    *(self.holders[one] for one in order if one in self.holders),
                    *(link_need(one, other) for one, other in pairs_within if self.link(one, other) is None),
                )
            )
        )


class SetUpHub(Command, frozen=True, tag=True):
    """Flip a Land Transport into a mobile hub; its cargo is unloaded at once."""

    nation: Nation
    where: str
    near: tuple[str, ...]


class RemoveHub(Command, frozen=True, tag=True):
    """A mobile hub was flipped back or destroyed."""

    hub: str


class WatchGroup(Command, frozen=True, tag=True):
    """Watch the supply of some Land Units, or tell where a watched group stands now."""

    nation: Nation
    label: str
    at: tuple[str, ...] = ()
    group: str = ""
    """A watched group that moved; empty for a new one."""


class ForgetGroup(Command, frozen=True, tag=True):
    """Stop watching a group."""

    group: str


class HubSetUp(Event, frozen=True, tag=True):
    """A mobile hub stands."""

    hub: MobileHub


class HubRemoved(Event, frozen=True, tag=True):
    """A mobile hub is gone."""

    hub: str


class GroupWatched(Event, frozen=True, tag=True):
    """A group stands somewhere."""

    group: Group


class GroupForgotten(Event, frozen=True, tag=True):
    """A group is no longer watched."""

    group: str


# Questions


def _own(state: GameState) -> SupplyState:
    own: SupplyState = state.game["supply"]
    return own


def _links(table: LedgerTable, own: SupplyState) -> Mapping[str, bool]:
    """Return every known pair of hubs with whether they are within three spaces."""
    mobile = {link_key(hub.id, other): True for hub in own.mobile for other in hub.near}
    return {**table.links, **mobile}


def _friendly(state: GameState, side: Side, without: str = "") -> tuple[str, ...]:
    table, own = tables(state), _own(state)
    fixed = [site.id for site in table.sites.values() if site.hub and holder(state, site.id).side == side]
    mobile = [hub.id for hub in own.mobile if nation_side(state.frozen_setup, hub.nation) == side]
    return tuple(hub for hub in (*fixed, *mobile) if hub != without)


def network(state: GameState, side: Side, *, without: str = "") -> Network:
    """Return a side's supply network, as it would be without one hub if one is named.

    A link or a holder that nobody has entered neither supplies nor cuts off: what hangs on it is open.
    """
    table = tables(state)
    hubs = _friendly(state, side, without)
    unheld = tuple(
        site.id for site in table.sites.values()
        if site.hub and site.id != without and holder(state, site.id).side is None
    )  # fmt: skip
    majors, might = (
        tuple(hub for hub in some if hub in table.sites and table.sites[hub].hub == "major")
        for some in (hubs, (*hubs, *unheld))
    )
    net = Network(
        Side(side),
        hubs,
        majors,
        frozenset(),
        links=dict(_links(table, _own(state))),
        holders={hub: holder_need(state, hub) for hub in unheld},
        fixed=frozenset(table.sites),
    )
    supplied = _reached(majors, hubs, lambda one, other: net.link(one, other) is True)
    possible = _reached(might, (*hubs, *unheld), lambda one, other: net.link(one, other) is not False)
    pairs = [link_key(a, b) for i, a in enumerate(hubs) for b in hubs[i + 1 :] if net.link(a, b) is None]
    return replace(net, supplied=frozenset(supplied), possible=frozenset(possible), unknown=tuple(pairs))


def _reached(start: Iterable[str], hubs: Iterable[str], is_linked: Callable[[str, str], bool]) -> set[str]:
    """Return the hubs that chain back to one of some."""
    found, todo, all_ = set(start), list(start), tuple(hubs)
    while todo:
        here = todo.pop()
        for hub in all_:
            if hub not in found and is_linked(here, hub):
                found.add(hub)
                todo.append(hub)
    return found


@lru_cache(maxsize=256)
def link_need(one: str, other: str) -> Need:
    """Return the question whether two hubs are within three spaces of each other."""
    question = Say(
        "Are {one} and {other} within three spaces of each other?", one=site_of(one), other=site_of(other)
    )
    return Need("printed", f"link.{link_key(one, other)}", question)


def in_supply(net: Network, at: Iterable[str]) -> Judgement:
    """Judge whether Land Units are in supply: on a supplied hub, or on a road between two of them.

    Source: rulebook v0.96, Keeping Land Units in Supply
    """
    hubs = tuple(at)
    return all_of(net.judge(hub) for hub in hubs) if hubs else NO


def is_in_supply(net: Network, at: Iterable[str]) -> bool:
    """Say whether Land Units are known to be in supply; `in_supply` also says what is not known."""
    return in_supply(net, at).is_yes


def cut_off_by(state: GameState, side: Side, hub: str) -> tuple[str, ...]:
    """Return the hubs that would fall out of supply if a hub were lost, itself left out."""
    now, then = network(state, side), network(state, side, without=hub)
    return tuple(other for other in now.hubs if other != hub and other in now.supplied - then.supplied)


def out_of_supply(state: GameState) -> tuple[Group, ...]:
    """Return the watched groups that may not move, as far as is known."""
    nets = {info.id: network(state, info.id) for info in state.frozen_setup.sides}
    setup = state.frozen_setup
    return tuple(
        group
        for group in _own(state).groups
        if in_supply(nets[nation_side(setup, group.nation)], group.at).is_no
    )


def missing_links(state: GameState) -> tuple[str, ...]:
    """Return the pairs of fixed hubs that matter now and that nobody has entered, in a fixed order."""
    found = (network(state, info.id).unknown for info in state.frozen_setup.sides)
    return tuple(dict.fromkeys(pair for pairs in found for pair in pairs))


class SupplyPart(Part):
    """Mobile hubs and watched groups."""

    name = "supply"
    commands: tuple[type[Command], ...] = (SetUpHub, RemoveHub, WatchGroup, ForgetGroup)
    events: tuple[type[Event], ...] = (HubSetUp, HubRemoved, GroupWatched, GroupForgotten)

    def initial(self, setup: Setup) -> SupplyState:  # noqa: ARG002
        """Return an empty slice."""
        return SupplyState()

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide one of this part's commands."""
        if type(command) not in self.commands:
            return super().decide(state, command, ctx)
        if not tables(state).has_supply:
            return Rejected(SupplyCode.NOT_IN_SCENARIO, Say("Supply lines do not matter in this scenario."))
        match command:
            case SetUpHub():
                return _set_up(state, command)
            case RemoveHub():
                if command.hub not in {hub.id for hub in _own(state).mobile}:
                    return _no_hub(command.hub)
                return Accepted((HubRemoved(command.hub),))
            case WatchGroup():
                return _watch(state, command)
            case ForgetGroup():
                if command.group not in {group.id for group in _own(state).groups}:
                    return _not_watched()
                return Accepted((GroupForgotten(command.group),))
        return super().decide(state, command, ctx)

    def evolve(self, own: Any, event: Event, state: GameState) -> SupplyState:  # noqa: ARG002
        """Apply an event of this part."""
        slice_: SupplyState = own
        match event:
            case HubSetUp():
                return replace(slice_, mobile=(*slice_.mobile, event.hub), next_id=slice_.next_id + 1)
            case HubRemoved():
                mobile = tuple(
                    replace(hub, near=tuple(other for other in hub.near if other != event.hub))
                    for hub in slice_.mobile
                    if hub.id != event.hub
                )
                return replace(slice_, mobile=mobile)
            case GroupWatched():
                known = any(group.id == event.group.id for group in slice_.groups)
                groups = tuple(event.group if g.id == event.group.id else g for g in slice_.groups)
                groups = groups if known else (*groups, event.group)
                return replace(slice_, groups=groups, next_id=slice_.next_id + (not known))
            case GroupForgotten():
                return replace(slice_, groups=tuple(g for g in slice_.groups if g.id != event.group))
        return slice_


def known_hubs(state: GameState) -> tuple[str, ...]:
    """Return every hub: those whose side is known, the mobile ones, then those of which nobody has said who holds them."""
    fixed = [site.id for site in tables(state).sites.values() if site.hub]
    unheld = [hub for hub in fixed if holder(state, hub).side is None]
    held = [hub for hub in fixed if hub not in unheld]
    return (*held, *(hub.id for hub in _own(state).mobile), *unheld)


def _no_hub(hub: str) -> Rejected:
    return Rejected(SupplyCode.UNKNOWN_HUB, Say("There is no such hub: {hub}.", hub=site_of(hub)))


def _not_watched() -> Rejected:
    return Rejected(Code.BAD_VALUE, Say("This group is not watched."))


def _set_up(state: GameState, command: SetUpHub) -> Decision:
    if command.nation not in {info.id for info in state.frozen_setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    if not command.where.strip():
        return Rejected(Code.BAD_VALUE, Say("Name the space of the hub."))
    ground = ground_fault(state, command.where, is_sea=False)
    if ground is not None:
        return Rejected(Code.BAD_VALUE, ground)
    step = state.step
    if step.phase != "tactical" or step.movement_step not in (4, 5) or step.act not in ("move", "declare"):
        return Rejected(
            SupplyCode.NOT_NOW, Say("A Land Transport is flipped in movement step 4 or 5, before battles.")
        )
    if nation_side(state.frozen_setup, command.nation) not in step.owners:
        return Rejected(SupplyCode.NOT_NOW, turn_of(step))
    for near in command.near:
        if near not in known_hubs(state):
            return _no_hub(near)
    hub = MobileHub(
        f"mobile_{_own(state).next_id}", command.nation, spelled(state, command.where), command.near
    )
    return Accepted((HubSetUp(hub),))


def _watch(state: GameState, command: WatchGroup) -> Decision:
    if command.nation not in {info.id for info in state.frozen_setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    if not command.label.strip():
        return Rejected(Code.BAD_VALUE, Say("Give the group a name."))
    if len(command.at) > 2 or len(set(command.at)) != len(command.at):
        return Rejected(Code.BAD_VALUE, Say("Name one hub, the two hubs of a road, or none."))
    for hub in command.at:
        if hub not in known_hubs(state):
            return _no_hub(hub)
    if command.group and command.group not in {group.id for group in _own(state).groups}:
        return _not_watched()
    group_id = command.group or f"group_{_own(state).next_id}"
    return Accepted((GroupWatched(Group(group_id, command.nation, command.label.strip(), command.at)),))
