"""Printed values of the ledger: what the table enters of what the rules text does not give, with its keys and its checks.

``vp.BOARD.SITE`` quarter steps · ``resupply.BOARD.SITE.TYPE`` · ``site.BOARD.NAME`` a site that the text does not
name · ``holder.SCENARIO.SITE`` nation at the start · ``start_space.SCENARIO.NATION`` sea spaces a hidden fleet may
start in · ``link.HUB.HUB`` whether two hubs are within three spaces · ``lane.ID`` sea spaces of a lane ·
``icon.BOARD.SITE`` whether
an Airfield shows the anti-air icon · ``lane_sites.ID`` its Objectives where the text leaves them open ·
``bridges.NATION`` · ``deck.NATION``. Values of other boards and scenarios are kept beside them and left alone.

Source: rulebook v0.96, Phase 2, Phase 4, Supply Lines, Scenarios and Set Up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from companion.core.ids import Nation, Side, SiteId
from companion.core.ledger import Sum, quarters, sum_faults
from companion.core.newest import Newest
from companion.core.parts import ForeignKeyError
from companion.core.rules import no_printed_value
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, Typed, several
from companion.core.text import key as key_name
from companion.core.text import side as side_of
from companion.core.text import site as site_of
from companion.games.sfw.rules.ledger import (
    TYPES,
    LedgerError,
    LedgerTable,
    Site,
    kind_of,
    link_key,
    nation_side,
    not_in_game,
)
from companion.games.sfw.rules.ledger_read import ledger_table, start_tiles

__all__ = [
    "base_table",
    "printed_fault",
    "printed_key",
    "printed_keys",
    "refused_values",
    "stated_sums",
    "tables",
    "with_printed",
]

_SITE_ID = re.compile(r"[a-z][a-z0-9_]*\Z")
_MAX_VP = 100
_MAX_RESUPPLY = 99
_BASES: Newest[LedgerTable] = Newest(4)
_FILLED: Newest[LedgerTable] = Newest(4)


def base_table(setup: Setup) -> LedgerTable:
    """Return the table of a game as frozen at its start. LedgerError when the frozen data are broken."""
    return _BASES.of(setup, make=lambda: _base_table(setup))


def _base_table(setup: Setup) -> LedgerTable:
    data, scenario = setup.tables.get("ledger"), setup.tables.get("scenario")
    if not isinstance(data, Mapping) or not isinstance(scenario, Mapping):
        raise LedgerError(
            f"{setup.scenario}: expected the tables ledger and scenario, got {sorted(setup.tables)}"
        )
    return ledger_table(data, scenario, commander=bool(setup.options.get("commander")))


def tables(state: GameState) -> LedgerTable:
    """Return the table of a running game with its printed values filled in."""
    setup = state.frozen_setup
    return with_printed(base_table(setup), state.printed, setup)


def printed_key(table: LedgerTable, group: str, subject: str, figure: str = "") -> str:
    """Return the key of a printed value of this board or scenario."""
    scope = {"board": table.board, "scenario": table.scenario}.get(_SCOPES.get(group, ""), "")
    return ".".join(part for part in (group, scope, subject, figure) if part)


_SCOPES = {
    "vp": "board",
    "resupply": "board",
    "site": "board",
    "icon": "board",
    "holder": "scenario",
    "start_space": "scenario",
}


def _parsed(table: LedgerTable, key: str) -> tuple[str, str, str] | None:
    """Return group, subject and figure of a key of this board and scenario; None for any other key."""
    group, _, rest = key.partition(".")
    scope = _SCOPES.get(group)
    if scope is not None:
        wanted = table.board if scope == "board" else table.scenario
        found, _, rest = rest.partition(".")
        if found != wanted:
            return None
        subject, _, figure = rest.partition(".")
        return group, subject, figure
    return (group, rest, "") if group in ("link", "lane", "lane_sites", "bridges", "deck") else None


def with_printed(table: LedgerTable, printed: Mapping[str, Any], setup: Setup) -> LedgerTable:
    """Return a table with printed values filled in; what belongs elsewhere or cannot be taken is left alone.

    Values are taken one by one against all earlier ones, so that a set from another box that breaks a stated sum
    is taken only as far as it fits.
    """
    return _FILLED.of(table, printed, setup, make=lambda: _with_printed(table, printed, setup))


def _with_printed(table: LedgerTable, printed: Mapping[str, Any], setup: Setup) -> LedgerTable:
    filled = _with_sides(table, setup)
    for key, value in sorted(printed.items(), key=lambda item: not item[0].startswith("site.")):
        parsed = _parsed(table, key)
        if parsed is not None and printed_fault(filled, setup, key, value) is None:
            filled = _with_value(filled, setup, parsed, value)
    return filled


def refused_values(table: LedgerTable, printed: Mapping[str, Any], setup: Setup) -> tuple[Say, ...]:
    """Say which of the stored printed values of this scenario were not taken, and why."""
    filled, faults = _with_sides(table, setup), []
    for key, value in sorted(printed.items(), key=lambda item: not item[0].startswith("site.")):
        parsed = _parsed(table, key)
        if parsed is None:
            continue
        fault = printed_fault(filled, setup, key, value)
        if fault is None:
            filled = _with_value(filled, setup, parsed, value)
        else:
            faults.append(Say("{value}: {fault}", value=key_name(key), fault=fault))
    return tuple(faults)


def _with_sides(table: LedgerTable, setup: Setup) -> LedgerTable:
    """Fill in the side where only the nation is known."""
    sites = {
        key: replace(site, side=nation_side(setup, site.nation))
        if site.side is None and site.nation is not None
        else site
        for key, site in table.sites.items()
    }
    return replace(table, sites=sites)


def _with_value(table: LedgerTable, setup: Setup, parsed: tuple[str, str, str], value: Any) -> LedgerTable:
    group, subject, figure = parsed
    site = table.sites.get(subject)
    match group:
        case "site" if table.counts_points:
            new = Site(SiteId(subject), value["name"], value["kind"], status={"name": ("printed", "")})
            return replace(table, sites={**table.sites, subject: new})
        case "vp" if site is not None:
            return _with_site(table, replace(site, vp=quarters(value)))
        case "icon" if site is not None:
            return _with_site(table, replace(site, icon=bool(value)))
        case "holder" if site is not None:
            status = {key: reason for key, reason in site.status.items() if key not in ("side", "nation")}
            side = nation_side(setup, value)
            return _with_site(table, replace(site, nation=value, side=side, status=status))
        case "resupply" if site is not None:
            return _with_site(table, replace(site, resupply={**site.resupply, figure: value}))
        case "link":
            return replace(table, links={**table.links, subject: value})
        case "lane":
            lanes = tuple(replace(lane, spaces=value) if lane.id == subject else lane for lane in table.lanes)
            return replace(table, lanes=lanes)
        case "lane_sites":
            lanes = tuple(
                replace(lane, sites=tuple(value), is_inferred=False) if lane.id == subject else lane
                for lane in table.lanes
            )
            return replace(table, lanes=lanes)
        case "bridges":
            return replace(table, bridges_each={**table.bridges_each, subject: value})
        case "deck":
            return replace(table, decks={**table.decks, subject: value})
        case "start_space":
            return replace(table, start_spaces={**table.start_spaces, subject: tuple(value)})
    return table


def _with_site(table: LedgerTable, site: Site) -> LedgerTable:
    return replace(table, sites={**table.sites, site.id: site})


def printed_keys(table: LedgerTable, setup: Setup) -> tuple[str, ...]:
    """Return the keys that the table can still enter for this scenario, in board order."""
    keys: list[str] = []
    for site in table.sites.values():
        if site.nation is None:
            keys.append(printed_key(table, "holder", site.id))
        if table.counts_points and site.vp is None:
            keys.append(printed_key(table, "vp", site.id))
        if table.start and site.kind == "objective":
            keys.extend(
                printed_key(table, "resupply", site.id, kind) for kind in TYPES if kind not in site.resupply
            )
    keys.extend(f"lane.{lane.id}" for lane in table.lanes if lane.spaces is None)
    if table.has_supply:
        hubs = [site.id for site in table.sites.values() if site.hub]
        pairs = [link_key(a, b) for i, a in enumerate(hubs) for b in hubs[i + 1 :]]
        keys.extend(f"link.{pair}" for pair in pairs if pair not in table.links)
    nations = [nation.id for nation in setup.nations]
    if table.has_bridges:
        keys.extend(f"bridges.{nation}" for nation in nations if nation not in table.bridges_each)
    if table.has_support:
        keys.extend(f"deck.{nation}" for nation in nations if nation not in table.decks)
    keys.extend(
        printed_key(table, "start_space", nation)
        for nation in table.hidden_fleets
        if nation not in table.start_spaces
    )
    return tuple(keys)


def printed_fault(table: LedgerTable, setup: Setup, key: str, value: object) -> Say | None:
    """Say what is wrong with one of the ledger's printed values; None when it can be taken.

    `table` holds the values entered so far. Every stated sum is checked. ForeignKeyError for other keys.
    """
    group = key.partition(".")[0]
    parsed = _parsed(table, key)
    if parsed is None:
        return _foreign_fault(table, key)
    _, subject, figure = parsed
    nations: dict[str, Side] = {nation.id: nation.side for nation in setup.nations}
    if group in ("vp", "resupply", "site") and not table.counts_points and subject not in table.sites:
        return None if subject.isidentifier() else _no_site(subject)  # kept for longer scenarios
    if group in ("vp", "holder", "resupply", "icon") and subject not in table.sites:
        return _no_site(subject)
    match group:
        case "vp":
            return _vp_fault(table, subject, value)
        case "holder":
            return _holder_fault(table, subject, value, nations)
        case "resupply":
            if table.sites[subject].kind != "objective":
                return Say("{site} is not an Objective and has no resupply value.", site=site_of(subject))
            return _whole(value, 0, _MAX_RESUPPLY) if figure in TYPES else _no_kind(figure)
        case "icon":
            return None if isinstance(value, bool) else Say("Answer yes or no.")
        case "site":
            return _site_fault(table, subject, value)
        case "link":
            pair = subject.split(".")
            if not table.has_supply:
                is_fit = len(pair) == 2 and isinstance(value, bool)
                return None if is_fit else Say("Name two hubs, and answer yes or no.")
            if len(pair) != 2 or link_key(*pair) != subject or any(hub not in table.sites for hub in pair):
                return Say("Name two hubs of this board in alphabetical order.")
            return None if isinstance(value, bool) else Say("Answer yes or no.")
        case "lane":
            known = [lane.id for lane in table.lanes]
            if known and subject not in known:
                return _no_lane(subject, known)
            return _whole(value, 1, 30)
        case "lane_sites":
            return _lane_sites_fault(table, subject, value)
    if (group == "start_space" and subject not in nations) or not subject.isidentifier():
        return not_in_game(subject)
    if group == "start_space":
        is_list = isinstance(value, list | tuple) and value and all(isinstance(v, str) for v in value)
        return None if is_list else Say("Name the sea spaces.")
    return _whole(value, 0, 12 if group == "bridges" else table.limits.support_cards_box)


def _no_site(site: str) -> Say:
    return Say("{site} is not on the board of this scenario.", site=site_of(site))


def _no_kind(kind: str) -> Say:
    kinds = several((kind_of(known) for known in TYPES), "or")
    return Say("Choose {kinds} resupply, not {kind}.", kinds=kinds, kind=Typed(kind))


def _no_lane(lane: str, known: Iterable[str]) -> Say:
    lanes = several((Typed(id_) for id_ in known), "or")
    return Say("There is no lane {lane}. Name lane {lanes}.", lane=Typed(lane), lanes=lanes)


def _lane_sites_fault(table: LedgerTable, lane: str, value: object) -> Say | None:
    open_lanes = [item.id for item in table.stated_lanes if item.is_inferred]
    if lane not in open_lanes:
        return (
            _no_lane(lane, open_lanes)
            if open_lanes
            else Say("The rulebook says what lane {lane} connects.", lane=Typed(lane))
        )
    known = isinstance(value, list | tuple) and all(site in table.sites for site in value)
    if not isinstance(value, list | tuple) or not known or len(set(value)) != len(value) or len(value) < 2:
        return Say("A lane connects two or more different sites of the board.")
    return None


def _foreign_fault(table: LedgerTable, key: str) -> Say | None:
    """Let values of other boards and scenarios be kept; they are checked where they count."""
    group, _, rest = key.partition(".")
    scope, _, subject = rest.partition(".")
    if group not in _SCOPES:
        raise ForeignKeyError(key)
    is_known = subject and (_SCOPES[group] == "scenario" or scope in table.boards) and scope.isidentifier()
    return None if is_known else no_printed_value(key)


def _whole(value: object, low: int, high: int) -> Say | None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        return Say("Enter a whole number from {least} to {most}.", least=low, most=high)
    return None


def _vp_fault(table: LedgerTable, site: str, value: object) -> Say | None:
    try:
        amount = quarters(value)
    except ValueError:
        return Say("Victory points go in steps of {step}.", step=0.25)
    if not 0 <= amount <= _MAX_VP * 4:
        return Say("Enter a number from {least} to {most}.", least=0, most=_MAX_VP)
    known: dict[str, int] = {item.id: item.vp for item in table.sites.values() if item.vp is not None} | {
        site: amount
    }
    faults = sum_faults((*table.sums, *_side_sums(table, table.sites)), known)
    return faults[0] if faults else None


def stated_sums(table: LedgerTable, site: str) -> tuple[Sum, ...]:
    """Return the sums that the rulebook states over a tile's value and others, the one with fewest tiles first."""
    sums = (*table.sums, *_side_sums(table, table.sites))
    known = {item.keys: item for item in sums if site in item.keys and "" not in item.keys}
    return tuple(sorted(known.values(), key=lambda item: len(item.keys)))


def _side_sums(table: LedgerTable, sites: Mapping[str, Site]) -> Iterable[Sum]:
    """Return the sums over the starting holders, where the board's sites are only known from the table's box."""
    for side, total in table.start.items():
        held = tuple(site.id for site in sites.values() if site.side == side)
        complete = all(site.side is not None for site in sites.values()) and table.is_complete
        keys = (
            held if complete else (*held, "")
        )  # an unnamed rest keeps the sum open: only "too much" is a fault
        yield Sum(keys, total, start_tiles(side))


def _holder_fault(table: LedgerTable, site: str, value: object, nations: Mapping[str, Side]) -> Say | None:
    if value not in nations:
        return not_in_game(str(value))
    side, stated = nations[str(value)], table.sites[site].side
    inferred = "side" in table.sites[site].status or "nation" in table.sites[site].status
    if table.is_complete and stated is not None and side != stated and not inferred:
        return Say(
            "The rulebook says who holds {site} at the start: {side}.",
            site=site_of(site),
            side=side_of(stated),
        )
    sites = {**table.sites, site: replace(table.sites[site], side=side, nation=Nation(str(value)))}
    known: dict[str, int] = {item.id: item.vp for item in sites.values() if item.vp is not None}
    faults = sum_faults(_side_sums(table, sites), known)
    return faults[0] if faults else None


def _site_fault(table: LedgerTable, site: str, value: object) -> Say | None:
    if table.is_complete:
        return Say("The rulebook names every Objective and Airfield of this board.")
    if not _SITE_ID.match(site):
        return Say("Use only lowercase letters, digits and _ in the name: {name}.", name=Typed(site))
    if site in table.sites and "name" not in table.sites[site].status:
        return Say("{site} is already on the board.", site=site_of(site))
    is_fit = isinstance(value, Mapping) and set(value) == {"name", "kind"} and bool(value["name"])
    if not is_fit or not isinstance(value, Mapping) or value["kind"] not in ("objective", "airfield"):
        return Say("Give its name, and say whether it is an Objective or an Airfield.")
    return None
