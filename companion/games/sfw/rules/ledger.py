"""The ledger's tables of one scenario: sites, sums, lanes, hubs, victory and limits, with printed values filled in.

The tables come frozen with the game (``setup.tables["ledger"]``, the resolved ``ledger.toml``). What the rules
text does not give is entered by the table as printed values; this module owns their keys:

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
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from companion.core.flow import Step
from companion.core.ids import Nation, Side
from companion.core.ledger import Sum, quarters, sum_faults
from companion.core.newest import Newest
from companion.core.parts import ForeignKeyError
from companion.core.rules import no_printed_value
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, several
from companion.core.text import key as key_name
from companion.core.text import nation as nation_of
from companion.core.text import side as side_of
from companion.core.text import site as site_of

__all__ = [
    "CONDITIONS",
    "TYPES",
    "AtSea",
    "HiddenRules",
    "Lane",
    "LedgerError",
    "LedgerTable",
    "Limits",
    "Site",
    "VictoryTable",
    "base_table",
    "ledger_table",
    "kind_of",
    "link_key",
    "nation_side",
    "nations_of",
    "not_in_game",
    "other_side",
    "printed_fault",
    "printed_key",
    "printed_keys",
    "refused_values",
    "stated_sums",
    "ruling",
    "tables",
    "turn_of",
    "with_printed",
]

TYPES = ("air", "sea", "land")
"""The three kinds of resupply, which are also the unit types."""

CONDITIONS = ("contested", "blockade", "sea_space")
"""How a source may stand on the board: contested or enemies only, blockaded, new ships among enemy ships alone."""

_SITE_ID = re.compile(r"[a-z][a-z0-9_]*\Z")
_MAX_VP = 100
_MAX_RESUPPLY = 99


class LedgerError(ValueError):
    """Broken ledger data; the text lists every fault found, one a line."""


class Site(msgspec.Struct, frozen=True, omit_defaults=True):
    """A space that is controlled: an Objective, an Airfield or, in the first edition, a Defensive Line."""

    id: str
    name: str
    kind: Literal["objective", "airfield", "line"]
    side: Side | None = None
    """Who holds it at the start; None: only the board says."""
    nation: Nation | None = None
    vp: int | None = None
    """Tile value in quarters; None: only the board says."""
    resupply: dict[str, int] = {}
    """Printed resupply value by type, as far as known; an Airfield has none."""
    hub: Literal["", "minor", "major"] = ""
    icon: bool | None = None
    """Whether an Airfield shows the anti-air icon; None: nobody has said."""
    status: dict[str, tuple[str, str]] = {}
    """Figure to its status and reason, where it is not simply stated."""


class Lane(msgspec.Struct, frozen=True):
    """A shipping lane and the Objectives that it connects."""

    id: str
    sites: tuple[str, ...]
    spaces: int | None = None
    """Number of its sea spaces; None: unknown, so any count is taken."""
    is_inferred: bool = False
    """Whether its group of sites is read from a damaged text: the table may set it from its board."""


class AtSea(msgspec.Struct, frozen=True, omit_defaults=True):
    """A resupply that is not an Objective: the US fleet (``fleet``) or the German sea spaces (``point``)."""

    id: str
    name: str
    nation: Nation
    kind: Literal["fleet", "point"]
    resupply: dict[str, int]
    spaces: tuple[str, ...] = ()
    """Sea spaces in which its units are placed; empty: where the fleet is, or not told."""


class VictoryTable(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a scenario is won."""

    stages: tuple[int, ...]
    """Stages whose Victory Phase is checked."""
    points: dict[str, int] = {}
    """Side to quarters for an automatic victory."""
    control: dict[str, tuple[str, ...]] = {}
    """Side to sites that it must hold, all of them, for an automatic victory."""
    last_stage: str = ""
    """Who wins when the last stage passes without one: a side's id, or ``most``."""
    tie_site: str = ""
    """With ``most``: its controller's side wins a tie."""


_FORCED: Mapping[str, tuple[int, ...]] = {
    "limits": (1, 2, 3),
    "detected": (1, 2, 3, 4, 5),
    "left_to_enemy": (1, 2, 3),
    "fought": (1, 2, 3, 4, 5),
    "joined_near_enemy": (1, 2, 3),
    "mined": (3,),
}
"""What forces a reveal in v0.96. Source: rulebook v0.96, Hidden Fleets."""


class HiddenRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When Hidden Fleets are searched for and revealed, on which movement steps."""

    last_step: int = 5
    """Last movement step on which a fleet may be revealed."""
    search_steps: tuple[int, ...] = (1, 2, 3, 4, 5)
    forced: dict[str, tuple[int, ...]] = msgspec.field(default_factory=lambda: dict(_FORCED))
    """What forces a reveal, with the movement steps on which it can happen.

    Members are ships (steps 1-3), aircraft on carriers (1, 2) and land units aboard; support may be given on any step.
    """


class Limits(msgspec.Struct, frozen=True):
    """Counts of the box and of the rules."""

    tokens_each: int = 6
    mines_in_space: int = 6
    support_tokens_each: int = 2
    support_cards_each: int = 2
    support_tokens_box: int = 16
    support_cards_box: int = 64
    bridges: int = 12
    control_markers: int = 16
    fortifications: int = 8
    battle_markers: int = 12
    fleet_least: int = 3
    fleet_most: int = 10
    card_least: int = 0
    """Least tokens that a support card costs."""
    card_most: int | None = None
    """Most tokens that a support card costs; None: not stated."""
    counters: dict[str, int] = {}
    """Pieces that the table counts itself, by name; empty: those named above."""


class LedgerTable(msgspec.Struct, frozen=True):
    """Everything that the ledger needs to know about one scenario."""

    scenario: str
    board: str
    sites: dict[str, Site]
    is_complete: bool
    """Whether the text names every site of the board."""
    boards: tuple[str, ...]
    """All boards of this edition; values of the others are kept unchecked."""
    victory: VictoryTable
    sums: tuple[Sum, ...] = ()
    lanes: tuple[Lane, ...] = ()
    stated_lanes: tuple[Lane, ...] = ()
    """The lanes as the data give them."""
    at_sea: tuple[AtSea, ...] = ()
    start: dict[str, int] = {}
    """Side to quarters at the start; empty where the scenario counts no points."""
    links: dict[str, bool] = {}
    """Pair of hubs (`link_key`) to whether they are within three spaces."""
    limits: Limits = Limits()
    hidden: HiddenRules = HiddenRules()
    conditions: tuple[str, ...] = CONDITIONS
    """What of the board may lower resupply values in this edition."""
    has_support: bool = False
    has_supply: bool = False
    has_tokens: bool = True
    """Whether new mines and lines may be placed."""
    has_bridges: bool = False
    hidden_fleets: tuple[Nation, ...] = ()
    hidden_units: dict[str, int] = {}
    """Nation to its boxes of hidden units."""
    removed_cards: dict[str, tuple[str, ...]] = {}
    bridges_each: dict[str, int] = {}
    decks: dict[str, int] = {}
    start_spaces: dict[str, tuple[str, ...]] = {}
    sea_spaces: tuple[str, ...] = ()
    """Further sea spaces that the text names; the board has more."""

    @property
    def counts_points(self) -> bool:
        """Whether victory points matter in this scenario."""
        return bool(self.victory.points) or self.victory.last_stage == "most"

    @property
    def total(self) -> int | None:
        """Quarters of all tiles together, which never changes; None where no points are counted."""
        return sum(self.start.values()) if self.start else None

    def objectives(self) -> tuple[Site, ...]:
        """Return the Objectives in board order."""
        return tuple(site for site in self.sites.values() if site.kind == "objective")


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
            yield Sum(_ids(group), start[side], _start_tiles(side))


def _start_tiles(side: str) -> Say:
    return Say("the starting tiles of {side} together", side=side_of(side))


def _at_sea(item: Mapping[str, Any]) -> AtSea:
    values = {key: item[key] for key in TYPES}
    return AtSea(
        item["id"], item["name"], item["nation"], item["kind"], values, tuple(item.get("spaces", ()))
    )


# Printed values


def link_key(a: str, b: str) -> str:
    """Return the key of a pair of hubs, the same in either order."""
    return ".".join(sorted((a, b)))


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


_BASES: Newest[LedgerTable] = Newest(4)
_FILLED: Newest[LedgerTable] = Newest(4)


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
            new = Site(subject, value["name"], value["kind"], status={"name": ("printed", "")})
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
    known = {item.id: item.vp for item in table.sites.values() if item.vp is not None} | {site: amount}
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
        yield Sum(keys, total, _start_tiles(side))


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
    known = {item.id: item.vp for item in sites.values() if item.vp is not None}
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


# Small questions about a setup


def nation_side(setup: Setup, nation: str) -> Side:
    """Return the side of a nation. KeyError when the game has no such nation."""
    return next(info.side for info in setup.nations if info.id == nation)


def nations_of(setup: Setup, side: str) -> tuple[Nation, ...]:
    """Return a side's nations in the setup's order."""
    return tuple(info.id for info in setup.nations if info.side == side)


def other_side(setup: Setup, side: str) -> Side:
    """Return the opposing side."""
    return next(info.id for info in setup.sides if info.id != side)


def not_in_game(nation: str) -> Say:
    """Say that a nation does not take part."""
    return Say("{nation} is not in this game.", nation=nation_of(nation))


def turn_of(step: Step) -> Say:
    """Say whose turn it is, to somebody else."""
    sides = several(side_of(owner) for owner in step.owners)
    return Say.counted(
        "This side acts now: {sides}.", "These sides act now: {sides}.", len(step.owners), sides=sides
    )


def kind_of(kind: str) -> Name:
    """Name a kind of resupply: Land, Sea or Air."""
    return Name("kind", kind)


def ruling(state: GameState, name: str, default: str) -> str:
    """Return how the table settled an open point; `default` where the game carries no such ruling."""
    return state.rulings.get(name, default)
