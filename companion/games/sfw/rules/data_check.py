"""Check Song for War's data files against each other; each file has been converted on its own before.

Every rule here guards something that the sequence of play, the ledger or the battles rely on without asking
again: known nations, stages without a gap, seats that cover every nation, rulings that exist.

Source: rulebook v0.96, Scenarios and Set Up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from companion.core.collecting import each_once, join, one_of, shown, wrong_names
from companion.core.scenario import Fault, GameData
from companion.core.text import Say, Typed
from companion.games.sfw.rules.schema import (
    CheckRow,
    Drop,
    GameFile,
    LedgerFile,
    RulingsFile,
    ScenarioFile,
    Sourced,
    StageRow,
    UnitRow,
    UnitsFile,
)
from companion.games.sfw.rules.table_check import (
    A_SCENARIO,
    ledger_faults,
    list_say,
    quarter_faults,
    site_faults,
    unit_faults,
)

__all__ = ["check"]

_SHAPES = ("circle", "square", "star", "ring", "diamond", "triangle")
_MAX_LETTERS = 4


def check(data: GameData) -> Iterator[Fault]:
    """Return every fault that shows only when the files are seen together."""
    game, rulings = data.tables.get("game"), data.tables.get("rulings")
    units, ledger = data.tables.get("units"), data.tables.get("ledger")
    for stem, value in {**data.tables, **data.scenarios}.items():
        yield from _statuses(data.file(stem), "", data.raw[stem], value)
    if isinstance(rulings, RulingsFile):
        yield from _rulings(data.file("rulings"), rulings, data.digests)
    if isinstance(game, GameFile):
        yield from _game(data, game, rulings if isinstance(rulings, RulingsFile) else None)
    if isinstance(units, UnitsFile):
        yield from unit_faults(data, units)
    if isinstance(ledger, LedgerFile):
        yield from ledger_faults(data, ledger)
    yield from wrong_names(data)
    for stem, scenario in data.scenarios.items():
        if isinstance(game, GameFile):
            yield from _scenario(data, stem, scenario, game)
        if isinstance(ledger, LedgerFile):
            yield from site_faults(data.file(stem), scenario, ledger)


def _statuses(file: str, key: str, raw: Any, value: Any) -> Iterator[Fault]:
    """Check every `status`: it names keys of its table, inferred ones present, unknown ones absent."""
    if isinstance(value, Sourced):
        known = [name for name in value.__struct_fields__ if name not in ("source", "status")]
        for name, (how, _reason) in value.status.items():
            where = join(join(key, "status"), name)
            if name not in known:
                yield Fault(file, where, one_of(known, name), Typed(name))
            elif how == "inferred" and name not in raw:
                yield Fault(file, where, Say("a value for {key} with this status", key=Typed(name)))
            elif how == "unknown" and name in raw:
                yield Fault(
                    file,
                    where,
                    Say("no value for {key} with this status", key=Typed(name)),
                    shown(raw[name]),
                )
    if isinstance(value, msgspec.Struct) and isinstance(raw, Mapping):
        for name in value.__struct_fields__:
            if name in raw:
                yield from _statuses(file, join(key, name), raw[name], getattr(value, name))
    elif isinstance(value, tuple) and isinstance(raw, Sequence) and not isinstance(raw, str):
        for i, (raw_item, item) in enumerate(zip(raw, value, strict=True)):
            yield from _statuses(file, f"{key}[{i}]", raw_item, item)


def _rulings(file: str, rulings: RulingsFile, scenarios: Mapping[str, str]) -> Iterator[Fault]:
    yield from each_once(file, "rulings", [row.id for row in rulings.rulings])
    for i, row in enumerate(rulings.rulings):
        key = f"rulings[{i}] ({row.id})"
        for scenario in row.scenarios:
            if scenario not in scenarios:
                yield Fault(file, f"{key}.scenarios", A_SCENARIO, Typed(scenario))
        if len(row.choices) < 2:
            yield Fault(file, f"{key}.choices", Say("two choices or more"), list_say(row.choices))
        if row.default not in row.choices:
            yield Fault(file, f"{key}.default", one_of(row.choices), Typed(row.default))
        if set(row.choice_texts) != set(row.choices):
            wanted = Say("a string for each of {names}", names=list_say(row.choices))
            yield Fault(file, f"{key}.choice_texts", wanted, list_say(row.choice_texts))


def _game(data: GameData, game: GameFile, rulings: RulingsFile | None) -> Iterator[Fault]:
    file = data.file("game")
    if game.game != data.game:
        yield Fault(file, "game", Typed(data.game), Typed(game.game))
    yield from each_once(file, "sides", [side.id for side in game.sides])
    for scenario in game.scenarios:
        if scenario not in data.digests:
            yield Fault(file, "scenarios", A_SCENARIO, Typed(scenario))
    if len(game.sides) != 2:
        yield Fault(file, "sides", Say("two sides"), len(game.sides))
    yield from each_once(file, "phases", [phase.id for phase in game.phases])
    yield from each_once(file, "checks", [row.id for row in game.checks])
    yield from each_once(file, "flag_losses", [row.id for row in game.flag_losses])
    numbers = [step.number for step in game.movement_steps]
    if numbers != list(range(1, 7)):
        yield Fault(file, "movement_steps", Say("the numbers 1 to 6 in order"), shown(numbers))
    choices = {} if rulings is None else {row.id: row.choices for row in rulings.rulings}
    for i, step in enumerate(game.movement_steps):
        for j, drop in enumerate(step.drops):
            key = f"movement_steps[{i}].drops[{j}]"
            yield from _drop(file, key, drop, step.units, choices)
    for i, loss in enumerate(game.flag_losses):
        if loss.ruling is not None:
            key = f"flag_losses[{i}] ({loss.id}).ruling"
            ruling = loss.ruling
            yield from _choice(file, (f"{key}.id", f"{key}.value"), ruling.id, ruling.value, choices)
    yield from _check_rows(file, game.checks, game, data.digests)
    units = data.tables.get("units")
    if isinstance(units, UnitsFile):
        yield from _unit_steps(file, game, units.unit)


def _drop(
    file: str, key: str, drop: Drop, active: Sequence[str], choices: Mapping[str, Sequence[str]]
) -> Iterator[Fault]:
    yield from _choice(file, (f"{key}.ruling", f"{key}.value"), drop.ruling, drop.value, choices)
    for unit in drop.units:
        if unit not in active:
            yield Fault(file, f"{key}.units", one_of(active, unit), Typed(unit))


def _choice(
    file: str, keys: tuple[str, str], ruling: str, value: str, choices: Mapping[str, Sequence[str]]
) -> Iterator[Fault]:
    if not choices:
        return  # rulings.toml itself is broken and has its own faults
    if ruling not in choices:
        yield Fault(file, keys[0], one_of(choices, ruling), Typed(ruling))
    elif value not in choices[ruling]:
        yield Fault(file, keys[1], one_of(choices[ruling]), Typed(value))


def _unit_steps(file: str, game: GameFile, unit_rows: Sequence[UnitRow]) -> Iterator[Fault]:
    """Compare the active units of each movement step with the steps that units.toml gives each unit."""
    known = {row.id: row.movement_steps for row in unit_rows}
    for i, step in enumerate(game.movement_steps):
        wanted = {unit for unit, steps in known.items() if step.number in steps}
        for unit in step.units:
            if unit not in known:
                yield Fault(file, f"movement_steps[{i}].units", one_of(known, unit), Typed(unit))
        differing = sorted(wanted ^ (set(step.units) & set(known)))
        if differing:
            yield Fault(
                file,
                f"movement_steps[{i}].units",
                Say("the units that units.toml makes active in step {step}", step=step.number),
                Say("other units: {names}", names=list_say(differing)),
            )


def _check_rows(
    file: str, rows: Iterable[CheckRow], game: GameFile, scenarios: Mapping[str, str]
) -> Iterator[Fault]:
    sides = [side.id for side in game.sides]
    acts: dict[str, set[str | None]] = {
        phase.id: {phase.opening_act, *phase.acts, phase.closing_act} for phase in game.phases
    }
    acts["tactical"] = {act for step in game.movement_steps for act in step.acts}
    for i, row in enumerate(rows):
        key = f"checks[{i}] ({row.id})"
        for act in row.acts:
            if act not in acts.get(row.phase, {row.phase}):
                yield Fault(
                    file,
                    f"{key}.acts",
                    Say("an act of the phase {phase}", phase=Typed(row.phase)),
                    Typed(act),
                )
        if row.before is not None and row.before not in {other.id for other in game.checks}:
            yield Fault(file, f"{key}.before", Say("an id of game.toml"), Typed(row.before))
        for side in row.sides:
            if side not in sides:
                yield Fault(file, f"{key}.sides", one_of(sides), Typed(side))
        for scenario in row.scenarios:
            if scenario not in scenarios:
                yield Fault(file, f"{key}.scenarios", A_SCENARIO, Typed(scenario))


def _scenario(data: GameData, stem: str, scenario: ScenarioFile, game: GameFile) -> Iterator[Fault]:
    file = data.file(stem)
    shared = {row.id for row in game.checks}
    for i, row in enumerate(scenario.checks):
        if row.id in shared:
            yield Fault(file, f"checks[{i}].id", Say("an id that game.toml does not use"), Typed(row.id))
    yield from each_once(file, "checks", [row.id for row in scenario.checks])
    yield from _check_rows(file, scenario.checks, game, data.digests)
    yield from _nations(file, scenario, game)
    yield from _seatings(file, scenario)
    yield from _stages(file, scenario, game)
    yield from _setup(file, scenario)
    yield from _victory(file, scenario, game)
    fewest, most = scenario.minutes
    if fewest > most:
        yield Fault(file, "minutes", Say("the shorter time first"), shown(scenario.minutes))


def _nations(file: str, scenario: ScenarioFile, game: GameFile) -> Iterator[Fault]:
    sides = [side.id for side in game.sides]
    rows = scenario.nations
    yield from each_once(file, "nations", [row.id for row in rows])
    yield from each_once(file, "nations.colour", [row.colour for row in rows])
    yield from each_once(file, "nations.emblem", [row.emblem for row in rows])
    for i, row in enumerate(rows):
        if row.side not in sides:
            yield Fault(file, f"nations[{i}].side", one_of(sides), Typed(row.side))
        if row.emblem not in _SHAPES and len(row.emblem) > _MAX_LETTERS:
            letters = Say("up to {most} letters", most=_MAX_LETTERS)
            wanted = one_of((*map(Typed, _SHAPES), letters))
            yield Fault(file, f"nations[{i}].emblem", wanted, Typed(row.emblem))
    for side in sides:
        if not any(row.side == side for row in rows):
            yield Fault(file, "nations", Say("a nation of {side}", side=Typed(side)))


def _seatings(file: str, scenario: ScenarioFile) -> Iterator[Fault]:
    fewest, most = scenario.players
    side_of = {row.id: row.side for row in scenario.nations}
    wanted = list(range(fewest, most + 1))
    found = [row.players for row in scenario.seatings]
    if not wanted:
        yield Fault(file, "players", Say("the fewest players first"), shown(scenario.players))
    elif found != wanted:
        yield Fault(
            file,
            "seatings",
            Say("one for each number of players: {numbers}", numbers=list_say(wanted)),
            list_say(found),
        )
    for i, row in enumerate(scenario.seatings):
        key = f"seatings[{i}].seats"
        if len(row.seats) != row.players:
            yield Fault(
                file, key, Say("as many seats as players: {count}", count=row.players), len(row.seats)
            )
        seated = [nation for seat in row.seats for nation in seat]
        if sorted(seated) != sorted(side_of):
            yield Fault(
                file,
                key,
                Say("each of {names} once", names=list_say(sorted(side_of))),
                list_say(sorted(seated)),
            )
        for j, seat in enumerate(row.seats):
            if row.players > 1 and len({side_of.get(nation) for nation in seat}) > 1:
                yield Fault(file, f"{key}[{j}]", Say("nations of one side"), list_say(seat))


def _stages(file: str, scenario: ScenarioFile, game: GameFile) -> Iterator[Fault]:
    sides = [side.id for side in game.sides]
    order = [phase.id for phase in game.phases if not phase.families or scenario.family in phase.families]
    if not scenario.stages:
        yield Fault(file, "stages", Say("a stage"))
    for i, row in enumerate(scenario.stages):
        key = f"stages[{i}]"
        if i and row.number != scenario.stages[i - 1].number + 1:
            before = scenario.stages[i - 1].number
            wanted = Say("{next}, the stage after {stage}", next=before + 1, stage=before)
            yield Fault(file, f"{key}.number", wanted, row.number)
        if row.first_side not in sides:
            yield Fault(file, f"{key}.first_side", one_of(sides), Typed(row.first_side))
        yield from _phases(file, key, row, order)
    if scenario.stages and scenario.stages[-1].phases[-1:] != ("victory",):
        last = len(scenario.stages) - 1
        got = list_say(scenario.stages[last].phases)
        yield Fault(file, f"stages[{last}].phases", Say("victory as the last phase"), got)


def _phases(file: str, key: str, row: StageRow, order: Sequence[str]) -> Iterator[Fault]:
    phases, skipped = list(row.phases), list(row.skipped)
    if phases != [phase for phase in order if phase in phases]:
        wanted = Say("phases in the order {names}", names=list_say(order))
        yield Fault(file, f"{key}.phases", wanted, list_say(phases))
    if "tactical" not in phases:
        yield Fault(file, f"{key}.phases", Say("tactical among them"), list_say(phases))
    twice = [phase for phase in phases if phase in skipped]
    if twice:
        yield Fault(file, f"{key}.skipped", Say("phases that do not take place"), list_say(twice))
    missing = [phase for phase in order if phase not in phases and phase not in skipped]
    if missing:
        wanted = Say("a reason for each phase that is skipped: {names}", names=list_say(missing))
        yield Fault(file, f"{key}.skipped", wanted)
    unknown = [phase for phase in skipped if phase not in order]
    if unknown:
        yield Fault(file, f"{key}.skipped", one_of(order), list_say(unknown))


def _setup(file: str, scenario: ScenarioFile) -> Iterator[Fault]:
    nations = {row.id for row in scenario.nations}
    setup, ids = scenario.setup, {row.id for row in scenario.checks}
    named = {
        "hidden_fleets": setup.hidden_fleets,
        "hidden_fleet_spaces": tuple(setup.hidden_fleet_spaces or ()),
        "hidden_units": tuple(setup.hidden_units),
        "removed_cards": tuple(card.nation for card in setup.removed_cards),
    }
    for name, listed in named.items():
        for nation in listed:
            if nation not in nations:
                yield Fault(file, f"setup.{name}", one_of(sorted(nations)), Typed(nation))
    for nation in setup.hidden_fleets:
        if f"setup.hidden_fleet.{nation}" not in ids:
            wanted = Say("a line {id}", id=Typed(f"setup.hidden_fleet.{nation}"))
            yield Fault(file, "checks", wanted)


def _victory(file: str, scenario: ScenarioFile, game: GameFile) -> Iterator[Fault]:
    sides = [side.id for side in game.sides]
    victory = scenario.victory
    checked = [row.number for row in scenario.stages if "victory" in row.phases]
    for stage in victory.stages:
        if stage not in checked:
            wanted = Say("stages with a Victory Phase: {numbers}", numbers=list_say(checked))
            yield Fault(file, "victory.stages", wanted, stage)
    if scenario.stages and victory.standard.stage != scenario.stages[-1].number:
        wanted = Say("the last stage, {number}", number=scenario.stages[-1].number)
        yield Fault(file, "victory.standard.stage", wanted, victory.standard.stage)
    named: dict[str, Iterable[str | None]] = {
        "start": victory.start,
        "automatic": victory.automatic,
        "automatic_control": victory.automatic_control,
        "standard.side": [victory.standard.side],
        "standard.winner": [victory.standard.winner],
    }
    for name, listed in named.items():
        for side in listed:
            if side is not None and side not in sides:
                yield Fault(file, f"victory.{name}", one_of(sides), Typed(side))
    needed, other = (
        ("automatic", "automatic_control") if victory.kind == "points" else ("automatic_control", "automatic")
    )
    kind = Typed(victory.kind)
    if not getattr(victory, needed):
        yield Fault(file, f"victory.{needed}", Say("conditions of the kind {kind}", kind=kind))
    if getattr(victory, other):
        yield Fault(
            file,
            f"victory.{other}",
            Say("nothing else with the kind {kind}", kind=kind),
            shown(getattr(victory, other)),
        )
    if victory.kind == "points" and set(victory.start) != set(sides):
        wanted = Say("points of {names}", names=list_say(sides))
        yield Fault(file, "victory.start", wanted, list_say(victory.start))
    for name, by_side in (("start", victory.start), ("automatic", victory.automatic)):
        for side, points in by_side.items():
            yield from quarter_faults(file, f"victory.{name}.{side}", points)
    standard = victory.standard
    for name, value in (("side", standard.side), ("winner", standard.winner)):
        if standard.kind == "denied" and value is None:
            yield Fault(file, f"victory.standard.{name}", one_of(sides))
    if standard.kind == "most_points" and not standard.tie_control:
        yield Fault(file, "victory.standard.tie_control", Say("the objective that settles a tie"))
