"""Check Song for War's units and boards: figures that are given or said to be unknown, sites that exist, who holds what.

Source: rulebook v0.96, Units; Scenarios and Set Up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from companion.core.collecting import each_once, one_of, shown
from companion.core.ledger import quarters
from companion.core.scenario import NOTHING, Fault, GameData
from companion.core.text import Say, Typed, several
from companion.games.sfw.rules.schema import (
    BoardTable,
    FireRow,
    LedgerFile,
    ScenarioFile,
    SiteRow,
    Status,
    UnitRow,
    UnitsFile,
)
from companion.games.sfw.rules.units import ABILITIES, load_counts

__all__ = ["A_SCENARIO", "ledger_faults", "list_say", "quarter_faults", "site_faults", "unit_faults"]

_ID = re.compile(r"[a-z][a-z0-9_]*\Z")
_FIRE_FIGURES = ("level", "number", "targets")
_OR_UNKNOWN = Say("a value, or the status unknown")
A_SCENARIO = Say("a scenario of this folder")
"""What was expected where a name is none of the folder's scenarios."""


def unit_faults(data: GameData, table: UnitsFile) -> Iterator[Fault]:
    """Check the unit rows: colours that exist, figures that are given or said to be unknown."""
    file = data.file("units")
    if table.edition != data.game:
        yield Fault(file, "edition", Typed(data.game), Typed(table.edition))
    yield from each_once(file, "levels", table.levels)
    yield from each_once(file, "unit", [row.id for row in table.unit])
    known = [row.id for row in table.unit]
    for i, row in enumerate(table.unit):
        key = f"unit[{i}] ({row.id})"
        yield from _id(file, f"{key}.id", row.id)
        if row.armour not in table.levels:
            yield Fault(file, f"{key}.armour", one_of(table.levels), Typed(row.armour))
        for ability in row.abilities:
            if ability not in ABILITIES:
                yield Fault(file, f"{key}.abilities", one_of(ABILITIES, ability), Typed(ability))
        for j, room in enumerate(row.capacity):
            for unit in room.units:
                if unit not in known:
                    yield Fault(file, f"{key}.capacity[{j}].units", one_of(known, unit), Typed(unit))
        for load in row.loads:
            if not load_counts(load).keys() & set(known):
                yield Fault(file, f"{key}.loads", Typed("2_infantry+1_tank"), Typed(load))
        yield from _figures(file, key, row)
        for j, line in enumerate(row.fire):
            if line.level is not None and line.level not in table.levels:
                yield Fault(file, f"{key}.fire[{j}].level", one_of(table.levels), Typed(line.level))
            yield from _fire(file, f"{key}.fire[{j}]", line, row)


def _figures(file: str, key: str, row: UnitRow) -> Iterator[Fault]:
    """Check that the status of a unit names figures, and that no figure has a value which it calls unknown."""
    unknown = [name for name, (how, _reason) in row.status.items() if how == "unknown"]
    fields = (name for name in row.__struct_fields__ if name not in ("id", "status", "fire"))
    figures = (*fields, *_FIRE_FIGURES, *ABILITIES)
    for name in row.status:
        if name not in figures:
            yield Fault(file, f"{key}.status.{name}", one_of(figures, name), Typed(name))
    for name in ("cost", "move", "range", "anti_air"):
        value = getattr(row, name)
        if value is not None and name in unknown:
            yield Fault(file, f"{key}.{name}", Say("no value with the status unknown"), value)
    for name in ("cost", "move"):
        if getattr(row, name) is None and name not in unknown:
            yield Fault(file, f"{key}.{name}", _OR_UNKNOWN)


def _fire(file: str, key: str, line: FireRow, row: UnitRow) -> Iterator[Fault]:
    """Check that each figure of a line of dice has a value or the status unknown, and not both."""
    for name in _FIRE_FIGURES:
        value = getattr(line, name)
        is_unknown = name in row.status and row.status[name][0] == "unknown"
        if value is None and not is_unknown:
            yield Fault(file, f"{key}.{name}", _OR_UNKNOWN)
        partly = name == "number" and any(other.number is None for other in row.fire)
        if value is not None and is_unknown and not partly:
            yield Fault(file, f"{key}.{name}", Say("no value with the status unknown"), shown(value))


def ledger_faults(data: GameData, table: LedgerFile) -> Iterator[Fault]:
    """Check boards, and who holds what at the start of each scenario."""
    file = data.file("ledger")
    for name, board in table.board.items():
        yield from _board(file, f"board.{name}", board)
    for bounds in ("hidden_fleet", "card_cost"):
        value = getattr(table.limits, bounds)
        if value is not None and value.least > value.most:
            yield Fault(file, f"limits.{bounds}.least", Say("{most} or less", most=value.most), value.least)
    for id_, held in table.start.items():
        key = f"start.{id_}"
        if id_ not in data.digests:
            yield Fault(file, key, A_SCENARIO, Typed(id_))
        scenario: ScenarioFile | None = data.scenarios.get(id_)
        board_of = None if scenario is None else table.board.get(scenario.board)
        if scenario is None or board_of is None:
            continue  # the scenario's own fault
        sites = [row.id for row in board_of.site]
        nations = {row.id: row.side for row in scenario.nations}
        seen: list[str] = []
        for side, group in held.items():
            if side not in nations.values():
                yield Fault(file, f"{key}.{side}", one_of(dict.fromkeys(nations.values())), Typed(side))
            by_nation = group if isinstance(group, Mapping) else {"": group}
            for nation, ids in by_nation.items():
                where = f"{key}.{side}.{nation}".rstrip(".")
                if nation and nation not in nations:
                    yield Fault(file, where, one_of(nations), Typed(nation))
                yield from _known(file, where, sites, ids)
                seen += ids
        yield from each_once(file, key, seen)


def _board(file: str, key: str, board: BoardTable) -> Iterator[Fault]:
    sites = [row.id for row in board.site]
    yield from each_once(file, f"{key}.site", sites)
    yield from each_once(file, f"{key}.lane", [row.id for row in board.lane])
    yield from each_once(file, f"{key}.at_sea", [row.id for row in board.at_sea])
    for i, row in enumerate(board.site):
        where = f"{key}.site[{i}] ({row.id})"
        yield from _id(file, f"{where}.id", row.id)
        yield from quarter_faults(file, f"{where}.vp", row.vp)
        yield from _site_status(file, f"{where}.status", row, row.status)
    for i, total in enumerate(board.sum):
        yield from _known(file, f"{key}.sum[{i}].sites", sites, total.sites)
        yield from quarter_faults(file, f"{key}.sum[{i}].vp", total.vp)
    for i, lane in enumerate(board.lane):
        yield from _known(file, f"{key}.lane[{i}].sites", sites, lane.sites)
    hubs = [row.id for row in board.site if row.hub is not None]
    for i, link in enumerate(board.link):
        yield from _known(file, f"{key}.link[{i}].hubs", hubs, link.hubs)


def _site_status(file: str, key: str, row: SiteRow, status: Mapping[str, Status]) -> Iterator[Fault]:
    known = [name for name in row.__struct_fields__ if name not in ("id", "status")]
    for name in status:
        if name not in known:
            yield Fault(file, f"{key}.{name}", one_of(known, name), Typed(name))


def site_faults(file: str, scenario: ScenarioFile, ledger: LedgerFile) -> Iterator[Fault]:
    """Check that the board of a scenario is there, and that its victory is judged on sites of this board."""
    board = ledger.board.get(scenario.board)
    if board is None:
        yield Fault(file, "board", one_of(ledger.board), Typed(scenario.board))
        return
    sites = [row.id for row in board.site]
    held = ledger.start.get(scenario.scenario)
    victory = scenario.victory
    if held and not victory.start:  # judged on the sites that somebody holds, and on no others
        groups = (
            ids
            for group in held.values()
            for ids in (group.values() if isinstance(group, Mapping) else (group,))
        )
        wanted = {site for ids in groups for site in ids}
        sites = [site for site in sites if site in wanted]
    for side, ids in victory.automatic_control.items():
        yield from _known(file, f"victory.automatic_control.{side}", sites, ids)
    if victory.standard.tie_control:
        yield from _known(file, "victory.standard.tie_control", sites, [victory.standard.tie_control])


def _known(file: str, key: str, known: Sequence[str], ids: Iterable[str]) -> Iterator[Fault]:
    for id_ in ids:
        if id_ not in known:
            yield Fault(file, key, one_of(known, id_), Typed(id_))


def _id(file: str, key: str, value: str) -> Iterator[Fault]:
    if not _ID.match(value):
        yield Fault(file, key, Say("lowercase letters, digits and underscores"), shown(value))


def quarter_faults(file: str, key: str, value: float | None) -> Iterator[Fault]:
    """Check that victory points, where there are any, come in quarters."""
    try:
        quarters(0 if value is None else value)
    except ValueError:
        yield Fault(file, key, Say("a multiple of {step}", step=0.25), shown(value))


def list_say(names: Iterable[object]) -> Say:
    """Return what stands in a list; the word for nothing where it is empty."""
    items = several(map(shown, names), "comma")
    return Say("{names}", names=items) if items.items else NOTHING
