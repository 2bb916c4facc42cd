"""Supply lines of North Africa: a graph of hubs, what is in supply and what a lost hub would cut off.

Fixed hubs are supplied through links of at most three spaces to a Major hub of their side. Which hubs are that
near is entered once as printed values; mobile hubs name their neighbours when they are set up. Groups of Land
Units are watched only where the table wants them watched.

Source: rulebook v0.96, Supply Lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.ids import Nation, Side
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say
from companion.core.text import site as site_of
from companion.games.sfw.rules.control import holder
from companion.games.sfw.rules.ledger import (
    LedgerTable,
    link_key,
    nation_side,
    not_in_game,
    tables,
    turn_of,
)

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
    "is_in_supply",
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


def _friendly(state: GameState, side: str, without: str = "") -> tuple[str, ...]:
    table, own = tables(state), _own(state)
    fixed = [site.id for site in table.sites.values() if site.hub and holder(state, site.id).side == side]
    mobile = [hub.id for hub in own.mobile if nation_side(state.frozen_setup, hub.nation) == side]
    return tuple(hub for hub in (*fixed, *mobile) if hub != without)


def network(state: GameState, side: str, *, without: str = "") -> Network:
    """Return a side's supply network, as it would be without one hub if one is named."""
    table = tables(state)
    hubs = _friendly(state, side, without)
    links = _links(table, _own(state))
    majors = tuple(hub for hub in hubs if hub in table.sites and table.sites[hub].hub == "major")
    supplied, reached = set(majors), list(majors)
    while reached:
        here = reached.pop()
        for hub in hubs:
            if hub not in supplied and links.get(link_key(here, hub)):
                supplied.add(hub)
                reached.append(hub)
    pairs = [link_key(a, b) for i, a in enumerate(hubs) for b in hubs[i + 1 :]]
    fixed = [pair for pair in pairs if all(hub in table.sites for hub in pair.split("."))]
    return Network(Side(side), hubs, majors, frozenset(supplied), tuple(p for p in fixed if p not in links))


def is_in_supply(net: Network, at: Iterable[str]) -> bool:
    """Say whether Land Units are in supply: on a supplied hub, or on a road between two of them."""
    hubs = tuple(at)
    return bool(hubs) and all(hub in net.supplied for hub in hubs)


def cut_off_by(state: GameState, side: str, hub: str) -> tuple[str, ...]:
    """Return the hubs that would fall out of supply if a hub were lost, itself left out."""
    now, then = network(state, side), network(state, side, without=hub)
    return tuple(other for other in now.hubs if other != hub and other in now.supplied - then.supplied)


def out_of_supply(state: GameState) -> tuple[Group, ...]:
    """Return the watched groups that may not move."""
    nets = {info.id: network(state, info.id) for info in state.frozen_setup.sides}
    setup = state.frozen_setup
    return tuple(
        group
        for group in _own(state).groups
        if not is_in_supply(nets[nation_side(setup, group.nation)], group.at)
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


def _known_hubs(state: GameState) -> set[str]:
    fixed = {site.id for site in tables(state).sites.values() if site.hub}
    return fixed | {hub.id for hub in _own(state).mobile}


def _no_hub(hub: str) -> Rejected:
    return Rejected(SupplyCode.UNKNOWN_HUB, Say("There is no such hub: {hub}.", hub=site_of(hub)))


def _not_watched() -> Rejected:
    return Rejected(Code.BAD_VALUE, Say("This group is not watched."))


def _set_up(state: GameState, command: SetUpHub) -> Decision:
    if command.nation not in {info.id for info in state.frozen_setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    if not command.where.strip():
        return Rejected(Code.BAD_VALUE, Say("Name the space of the hub."))
    step = state.step
    if step.phase != "tactical" or step.movement_step not in (4, 5) or step.act not in ("move", "declare"):
        return Rejected(
            SupplyCode.NOT_NOW, Say("A Land Transport is flipped in movement step 4 or 5, before battles.")
        )
    if nation_side(state.frozen_setup, command.nation) not in step.owners:
        return Rejected(SupplyCode.NOT_NOW, turn_of(step))
    for near in command.near:
        if near not in _known_hubs(state):
            return _no_hub(near)
    hub = MobileHub(f"mobile_{_own(state).next_id}", command.nation, command.where.strip(), command.near)
    return Accepted((HubSetUp(hub),))


def _watch(state: GameState, command: WatchGroup) -> Decision:
    if command.nation not in {info.id for info in state.frozen_setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    if not command.label.strip():
        return Rejected(Code.BAD_VALUE, Say("Give the group a name."))
    if len(command.at) > 2 or len(set(command.at)) != len(command.at):
        return Rejected(Code.BAD_VALUE, Say("Name one hub, the two hubs of a road, or none."))
    for hub in command.at:
        if hub not in _known_hubs(state):
            return _no_hub(hub)
    if command.group and command.group not in {group.id for group in _own(state).groups}:
        return _not_watched()
    group_id = command.group or f"group_{_own(state).next_id}"
    return Accepted((GroupWatched(Group(group_id, command.nation, command.label.strip(), command.at)),))
