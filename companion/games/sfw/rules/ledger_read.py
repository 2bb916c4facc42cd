"""Reads the ledger's tables of one scenario out of what was frozen with the game.

Source: rulebook v0.96, Phase 2, Phase 4, Supply Lines, Scenarios and Set Up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.ledger import Sum, quarters
from companion.core.text import Say
from companion.core.text import side as side_of
from companion.games.sfw.rules.ledger import (
    CONDITIONS,
    TYPES,
    AtSea,
    HiddenRules,
    Lane,
    LedgerError,
    LedgerTable,
    Limits,
    Site,
    VictoryTable,
    link_key,
)

__all__ = ["ledger_table", "start_tiles"]


def ledger_table(data: Mapping[str, Any], scenario: Mapping[str, Any], *, commander: bool) -> LedgerTable:
    """Build the table of one scenario from plain data: the parsed ``ledger.toml`` and the scenario's own file.

    Raises LedgerError that names every broken key, what was expected and what was found.
    """
    faults: list[str] = []
    name, family = str(scenario.get("scenario", "")), scenario.get("family")
    board = data.get("board", {}).get(scenario.get("board"))
    if not isinstance(board, Mapping):
        known = ", ".join(data.get("board", {}))
        raise LedgerError(
            f"ledger board: expected one of {known or 'nothing'}, got {scenario.get('board')!r}"
        )
    where = f"board.{scenario['board']}"
    sites = _sites(board, faults, where)
    held = data.get("start", {}).get(name, {})
    _start(held, sites, faults, f"start.{name}")
    raw_victory = scenario.get("victory", {})
    start = {
        side: _vp(vp, faults, f"{name}.victory.start.{side}")
        for side, vp in raw_victory.get("start", {}).items()
    }
    if not start and held:
        wanted = {site for group in held.values() for site in _ids(group)}
        sites = {key: site for key, site in sites.items() if key in wanted}
    victory = _victory(raw_victory, sites, faults, f"{name}.victory")
    sums = (*_stated_sums(board, sites, faults, f"{where}.sum"), *_start_sums(held, start)) if start else ()
    limits = dict(data.get("limits", {}))
    fleet = limits.pop("hidden_fleet", {"least": 3, "most": 10})
    card = limits.pop("card_cost", {})
    for key in limits:
        if key not in Limits.__struct_fields__:
            faults.append(f"limits.{key}: expected one of {', '.join(Limits.__struct_fields__)}, got {key!r}")
    conditions = tuple(data.get("resupply", {}).get("conditions", CONDITIONS))
    faults.extend(
        f"resupply.conditions: expected some of {', '.join(CONDITIONS)}, got {name!r}"
        for name in conditions
        if name not in CONDITIONS
    )
    try:
        hidden = msgspec.convert(data.get("hidden", {}), HiddenRules)
    except msgspec.ValidationError as error:
        faults.append(f"hidden: {error}")
        hidden = HiddenRules()
    if faults:
        raise LedgerError("\n".join(faults))
    prepared = scenario.get("setup", {})
    removed: dict[str, tuple[str, ...]] = {}
    for item in prepared.get("removed_cards", ()):
        removed[item["nation"]] = (*removed.get(item["nation"], ()), item["card"])
    is_short = family == "short"
    lanes = tuple(
        Lane(str(lane["id"]), tuple(lane["sites"]), None, "sites" in lane.get("status", {}))
        for lane in board.get("lane", ())
        if family == "theater"
    )
    return LedgerTable(
        scenario=name,
        board=scenario["board"],
        sites=sites,
        is_complete=bool(board.get("complete", False)) and bool(start),
        boards=tuple(data.get("board", {})),
        victory=victory,
        sums=tuple({item.keys: item for item in sums}.values()),
        lanes=lanes,
        stated_lanes=lanes,
        at_sea=() if is_short else tuple(_at_sea(item) for item in board.get("at_sea", ())),
        start=start,
        links={link_key(*link["hubs"]): True for link in board.get("link", ())},
        conditions=conditions,
        limits=Limits(
            **limits,
            fleet_least=fleet["least"],
            fleet_most=fleet["most"],
            card_least=card.get("least", 0),
            card_most=card.get("most"),
        ),
        hidden=hidden,
        has_support=family == "theater" and not commander,
        has_supply=scenario["board"] == "nafrica" and not is_short,
        has_tokens=not is_short and limits.get("tokens_each", 6) > 0,
        has_bridges=bool(board.get("bridges", False)),
        hidden_fleets=tuple(prepared.get("hidden_fleets", ())),
        hidden_units=dict(prepared.get("hidden_units", {})),
        removed_cards=removed,
        start_spaces={
            nation: tuple(spaces) for nation, spaces in (prepared.get("hidden_fleet_spaces") or {}).items()
        },
        sea_spaces=tuple(board.get("sea_spaces", ())),
    )


def _ids(group: Any) -> tuple[str, ...]:
    """Return site ids that stand as a list, or by nation."""
    return (
        tuple(site for ids in group.values() for site in ids) if isinstance(group, Mapping) else tuple(group)
    )


def _vp(value: object, faults: list[str], where: str) -> int:
    try:
        return quarters(value)
    except ValueError as error:
        faults.append(f"{where}: {error}")
        return 0


def _sites(board: Mapping[str, Any], faults: list[str], where: str) -> dict[str, Site]:
    sites: dict[str, Site] = {}
    known = {"id", "name", "kind", "side", "nation", "vp", "hub", "status", *TYPES}
    for raw in board.get("site", ()):
        here = f"{where}.site {raw.get('id', '?')}"
        faults.extend(f"{here}: key {key!r} is unknown" for key in raw if key not in known)
        if raw.get("id") in sites:
            faults.append(f"{here}: id given twice")
        values = {key: value for key, value in raw.items() if key not in TYPES and key != "vp"}
        values["resupply"] = {key: raw[key] for key in TYPES if key in raw}
        if "vp" in raw:
            values["vp"] = _vp(raw["vp"], faults, f"{here}.vp")
        try:
            site = msgspec.convert(values, Site)
        except msgspec.ValidationError as error:
            faults.append(f"{here}: {error}")
            continue
        sites[site.id] = site
    if not sites:
        faults.append(f"{where}.site: expected at least one, got none")
    return sites


def _start(held: Mapping[str, Any], sites: dict[str, Site], faults: list[str], where: str) -> None:
    seen: set[str] = set()
    for side, group in held.items():
        nations = dict(group) if isinstance(group, Mapping) else {None: group}
        for nation, ids in nations.items():
            for site in ids:
                if site not in sites:
                    faults.append(f"{where}.{side}: expected a site of the board, got {site!r}")
                elif site in seen:
                    faults.append(f"{where}.{side}: {site!r} is held twice")
                else:
                    sites[site] = replace(sites[site], side=side, nation=nation or sites[site].nation)
                seen.add(site)


def _victory(
    raw: Mapping[str, Any], sites: Mapping[str, Site], faults: list[str], where: str
) -> VictoryTable:
    """Read the scenario's victory conditions: points or control, and what the last stage decides."""
    standard = raw.get("standard", {})
    kind = standard.get("kind")
    if kind not in ("denied", "most_points"):
        faults.append(f"{where}.standard.kind: expected denied or most_points, got {kind!r}")
    values = {
        "stages": raw.get("stages", ()),
        "points": {
            side: _vp(vp, faults, f"{where}.automatic.{side}")
            for side, vp in raw.get("automatic", {}).items()
        },
        "control": raw.get("automatic_control", {}),
        "last_stage": "most" if kind == "most_points" else standard.get("winner", ""),
        "tie_site": standard.get("tie_control", ""),
    }
    try:
        victory = msgspec.convert(values, VictoryTable)
    except msgspec.ValidationError as error:
        faults.append(f"{where}: {error}")
        return VictoryTable(stages=())
    for side, wanted in victory.control.items():
        faults.extend(
            f"{where}.automatic_control.{side}: expected a site of the board, got {site!r}"
            for site in wanted
            if site not in sites
        )
    if victory.tie_site and victory.tie_site not in sites:
        faults.append(f"{where}.standard.tie_control: expected a site of the board, got {victory.tie_site!r}")
    return victory


def _stated_sums(
    board: Mapping[str, Any], sites: Mapping[str, Site], faults: list[str], where: str
) -> Iterable[Sum]:
    for item in board.get("sum", ()):
        faults.extend(
            f"{where}: expected a site of the board, got {site!r}"
            for site in item["sites"]
            if site not in sites
        )
        yield Sum(tuple(item["sites"]), _vp(item["vp"], faults, where), Say(item["text"]))


def _start_sums(held: Mapping[str, Any], start: Mapping[str, int]) -> Iterable[Sum]:
    for side, group in held.items():
        if side in start:
            yield Sum(_ids(group), start[side], start_tiles(side))


def start_tiles(side: str) -> Say:
    """Name the sum of what a side's tiles are worth at the start."""
    return Say("the starting tiles of {side} together", side=side_of(side))


def _at_sea(item: Mapping[str, Any]) -> AtSea:
    values = {key: item[key] for key in TYPES}
    return AtSea(
        item["id"], item["name"], item["nation"], item["kind"], values, tuple(item.get("spaces", ()))
    )
