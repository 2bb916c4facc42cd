"""Check Song for War's data files against each other; each file has been converted on its own before.

Every rule here guards something that the sequence of play, the ledger or the battles rely on without asking
again: known nations, stages without a gap, seats that cover every nation, rulings that exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from companion.core.collecting import one_of
from companion.core.scenario import Fault, GameData
from companion.games.sfw.rules import ledger, units
from companion.games.sfw.rules.schema import (
    CheckRow,
    Drop,
    GameFile,
    RulingsFile,
    ScenarioFile,
    Sourced,
    StageRow,
)

__all__ = ["check"]

_SHAPES = ("circle", "square", "star", "ring", "diamond", "triangle")
_MAX_LETTERS = 4


def check(data: GameData) -> Iterator[Fault]:
    """Return every fault that shows only when the files are seen together."""
    game, rulings = data.tables.get("game"), data.tables.get("rulings")
    for stem, value in {**data.tables, **data.scenarios}.items():
        yield from _statuses(data.file(stem), "", data.raw[stem], value)
    if isinstance(rulings, RulingsFile):
        yield from _rulings(data.file("rulings"), rulings, data.digests)
    if isinstance(game, GameFile):
        yield from _game(data, game, rulings if isinstance(rulings, RulingsFile) else None)
    if "units" in data.raw:
        build_units = partial(units.unit_table, data.raw["units"])
        yield from _own_words(data.file("units"), build_units, units.UnitError)
    for stem, scenario in data.scenarios.items():
        if isinstance(game, GameFile):
            yield from _scenario(data, stem, scenario, game)
        if "ledger" in data.raw:
            build = partial(ledger.ledger_table, data.raw["ledger"], data.raw[stem], commander=False)
            yield from _own_words(data.file(stem), build, ledger.LedgerError)


def _own_words(file: str, build: Callable[[], object], error_type: type[ValueError]) -> Iterator[Fault]:
    """Take over the faults of a table that is built and checked by its own module."""
    try:
        build()
    except error_type as error:
        for line in str(error).splitlines():
            key, _, rest = line.partition(": expected ")
            wanted, _, got = rest.partition(", got ")
            if rest:
                yield Fault(file, key, wanted, got or "something else")
            else:
                yield Fault(file, *_split(line))


def _split(line: str) -> tuple[str, str, str]:
    key, _, what = line.partition(": ")
    return key, "sound data", what or line


def _statuses(file: str, key: str, raw: Any, value: Any) -> Iterator[Fault]:
    """Check every `status`: it names keys of its table, inferred ones present, unknown ones absent."""
    if isinstance(value, Sourced):
        known = [name for name in value.__struct_fields__ if name not in ("source", "status")]
        for name, (how, _reason) in value.status.items():
            where = _join(_join(key, "status"), name)
            if name not in known:
                yield Fault(file, where, one_of(known, name), repr(name))
            elif how == "inferred" and name not in raw:
                yield Fault(file, where, f"a value of {name} beside the status inferred", "nothing")
            elif how == "unknown" and name in raw:
                yield Fault(file, where, "no value beside the status unknown", f"{name} = {raw[name]!r}")
    if isinstance(value, msgspec.Struct) and isinstance(raw, Mapping):
        for name in value.__struct_fields__:
            if name in raw:
                yield from _statuses(file, _join(key, name), raw[name], getattr(value, name))
    elif isinstance(value, tuple) and isinstance(raw, Sequence) and not isinstance(raw, str):
        for i, (raw_item, item) in enumerate(zip(raw, value, strict=True)):
            yield from _statuses(file, f"{key}[{i}]", raw_item, item)


def _rulings(file: str, rulings: RulingsFile, scenarios: Mapping[str, str]) -> Iterator[Fault]:
    yield from _unique(file, "rulings", [row.id for row in rulings.rulings])
    for i, row in enumerate(rulings.rulings):
        key = f"rulings[{i}] ({row.id})"
        for scenario in row.scenarios:
            if scenario not in scenarios:
                yield Fault(file, f"{key}.scenarios", "a scenario of this folder", repr(scenario))
        if len(row.choices) < 2:
            yield Fault(file, f"{key}.choices", "at least two choices", ", ".join(row.choices) or "none")
        if row.default not in row.choices:
            yield Fault(file, f"{key}.default", f"one of {', '.join(row.choices)}", row.default)
        if set(row.choice_texts) != set(row.choices):
            yield Fault(
                file, f"{key}.choice_texts", f"a text for each of {', '.join(row.choices)}",
                ", ".join(row.choice_texts) or "none",
            )  # fmt: skip


def _game(data: GameData, game: GameFile, rulings: RulingsFile | None) -> Iterator[Fault]:
    file = data.file("game")
    if game.game != data.game:
        yield Fault(file, "game", repr(data.game), repr(game.game))
    yield from _unique(file, "sides", [side.id for side in game.sides])
    for scenario in game.scenarios:
        if scenario not in data.digests:
            yield Fault(file, "scenarios", "scenarios of this folder", repr(scenario))
    if len(game.sides) != 2:
        yield Fault(file, "sides", "two sides", str(len(game.sides)))
    yield from _unique(file, "phases", [phase.id for phase in game.phases])
    yield from _unique(file, "checks", [row.id for row in game.checks])
    yield from _unique(file, "flag_losses", [row.id for row in game.flag_losses])
    numbers = [step.number for step in game.movement_steps]
    if numbers != list(range(1, 7)):
        yield Fault(file, "movement_steps", "numbers 1 to 6 in order", ", ".join(map(str, numbers)))
    choices = {} if rulings is None else {row.id: row.choices for row in rulings.rulings}
    for i, step in enumerate(game.movement_steps):
        for j, drop in enumerate(step.drops):
            key = f"movement_steps[{i}].drops[{j}]"
            yield from _drop(file, key, drop, step.units, choices)
    for i, loss in enumerate(game.flag_losses):
        if loss.ruling is not None:
            key = f"flag_losses[{i}] ({loss.id}).ruling"
            yield from _choice(file, key, loss.ruling.id, loss.ruling.value, choices)
    yield from _check_rows(file, game.checks, game, data.digests)
    unit_rows = data.raw.get("units", {}).get("unit")
    if unit_rows is not None:
        yield from _unit_steps(file, game, unit_rows)


def _drop(
    file: str, key: str, drop: Drop, active: Sequence[str], choices: Mapping[str, Sequence[str]]
) -> Iterator[Fault]:
    yield from _choice(file, key, drop.ruling, drop.value, choices)
    for unit in drop.units:
        if unit not in active:
            yield Fault(file, f"{key}.units", f"one of {', '.join(active)}", repr(unit))


def _choice(
    file: str, key: str, ruling: str, value: str, choices: Mapping[str, Sequence[str]]
) -> Iterator[Fault]:
    if not choices:
        return  # rulings.toml itself is broken and has its own faults
    if ruling not in choices:
        yield Fault(file, key, f"one of the rulings {', '.join(choices)}", repr(ruling))
    elif value not in choices[ruling]:
        yield Fault(file, key, f"one of {', '.join(choices[ruling])}", repr(value))


def _unit_steps(file: str, game: GameFile, unit_rows: Sequence[Mapping[str, Any]]) -> Iterator[Fault]:
    """Compare the active units of each movement step with the steps that units.toml gives each unit."""
    known = {str(row.get("id")): row.get("movement_steps", ()) for row in unit_rows}
    for i, step in enumerate(game.movement_steps):
        wanted = {unit for unit, steps in known.items() if step.number in steps}
        for unit in step.units:
            if unit not in known:
                yield Fault(file, f"movement_steps[{i}].units", f"one of {', '.join(known)}", repr(unit))
        differing = sorted(wanted ^ (set(step.units) & set(known)))
        if differing:
            yield Fault(
                file, f"movement_steps[{i}].units", f"the units that units.toml makes active on step {step.number}",
                f"a difference in {', '.join(differing)}",
            )  # fmt: skip


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
                yield Fault(file, f"{key}.acts", f"an act of the phase {row.phase}", repr(act))
        for side in row.sides:
            if side not in sides:
                yield Fault(file, f"{key}.sides", f"one of {', '.join(sides)}", repr(side))
        for scenario in row.scenarios:
            if scenario not in scenarios:
                yield Fault(file, f"{key}.scenarios", "a scenario of this folder", repr(scenario))


def _scenario(data: GameData, stem: str, scenario: ScenarioFile, game: GameFile) -> Iterator[Fault]:
    file = data.file(stem)
    if scenario.scenario != stem:
        yield Fault(file, "scenario", f"the file's own name {stem!r}", repr(scenario.scenario))
    shared = {row.id for row in game.checks}
    for i, row in enumerate(scenario.checks):
        if row.id in shared:
            yield Fault(file, f"checks[{i}].id", "an id that game.toml does not use", repr(row.id))
    yield from _unique(file, "checks", [row.id for row in scenario.checks])
    yield from _check_rows(file, scenario.checks, game, data.digests)
    yield from _nations(file, scenario, game)
    yield from _seatings(file, scenario)
    yield from _stages(file, scenario, game)
    yield from _setup(file, scenario)
    yield from _victory(file, scenario, game)
    fewest, most = scenario.minutes
    if fewest > most:
        yield Fault(file, "minutes", "the shorter time first", f"{fewest}, {most}")


def _nations(file: str, scenario: ScenarioFile, game: GameFile) -> Iterator[Fault]:
    sides = [side.id for side in game.sides]
    rows = scenario.nations
    yield from _unique(file, "nations", [row.id for row in rows])
    yield from _unique(file, "nations (colour)", [row.colour for row in rows])
    yield from _unique(file, "nations (emblem)", [row.emblem for row in rows])
    for i, row in enumerate(rows):
        if row.side not in sides:
            yield Fault(file, f"nations[{i}].side", f"one of {', '.join(sides)}", repr(row.side))
        if row.emblem not in _SHAPES and len(row.emblem) > _MAX_LETTERS:
            wanted = f"one of {', '.join(_SHAPES)}, or up to {_MAX_LETTERS} letters"
            yield Fault(file, f"nations[{i}].emblem", wanted, repr(row.emblem))
    for side in sides:
        if not any(row.side == side for row in rows):
            yield Fault(file, "nations", f"at least one nation of {side}", "none")


def _seatings(file: str, scenario: ScenarioFile) -> Iterator[Fault]:
    fewest, most = scenario.players
    side_of = {row.id: row.side for row in scenario.nations}
    wanted = list(range(fewest, most + 1))
    found = [row.players for row in scenario.seatings]
    if found != wanted:
        text = ", ".join(map(str, wanted)) or "the fewest players first"
        yield Fault(file, "seatings (players)", text, ", ".join(map(str, found)) or "none")
    for i, row in enumerate(scenario.seatings):
        key = f"seatings[{i}].seats"
        if len(row.seats) != row.players:
            yield Fault(file, key, f"{row.players} seats", str(len(row.seats)))
        seated = [nation for seat in row.seats for nation in seat]
        if sorted(seated) != sorted(side_of):
            yield Fault(
                file,
                key,
                f"each of {', '.join(sorted(side_of))} once",
                ", ".join(sorted(seated)) or "nobody",
            )
        for j, seat in enumerate(row.seats):
            if row.players > 1 and len({side_of.get(nation) for nation in seat}) > 1:
                yield Fault(file, f"{key}[{j}]", "nations of one side", ", ".join(seat))


def _stages(file: str, scenario: ScenarioFile, game: GameFile) -> Iterator[Fault]:
    sides = [side.id for side in game.sides]
    order = [phase.id for phase in game.phases if not phase.families or scenario.family in phase.families]
    if not scenario.stages:
        yield Fault(file, "stages", "at least one stage", "none")
    for i, row in enumerate(scenario.stages):
        key = f"stages[{i}]"
        if i and row.number != scenario.stages[i - 1].number + 1:
            before = scenario.stages[i - 1].number
            yield Fault(file, f"{key}.number", f"{before + 1}, the stage after {before}", str(row.number))
        if row.first_side not in sides:
            yield Fault(file, f"{key}.first_side", f"one of {', '.join(sides)}", repr(row.first_side))
        yield from _phases(file, key, row, order)
    if scenario.stages and scenario.stages[-1].phases[-1:] != ("victory",):
        got = ", ".join(scenario.stages[-1].phases) or "no phase"
        yield Fault(file, f"stages[{len(scenario.stages) - 1}].phases", "victory as the last phase", got)


def _phases(file: str, key: str, row: StageRow, order: Sequence[str]) -> Iterator[Fault]:
    phases, skipped = list(row.phases), list(row.skipped)
    if phases != [phase for phase in order if phase in phases]:
        yield Fault(file, f"{key}.phases", f"phases in the order {', '.join(order)}", ", ".join(phases))
    if "tactical" not in phases:
        yield Fault(file, f"{key}.phases", "tactical among them", ", ".join(phases) or "none")
    twice = [phase for phase in phases if phase in skipped]
    if twice:
        yield Fault(file, f"{key}.skipped", "phases that do not take place", ", ".join(twice))
    missing = [phase for phase in order if phase not in phases and phase not in skipped]
    if missing:
        yield Fault(file, f"{key}.skipped", f"a reason why {', '.join(missing)} is skipped", "nothing")
    unknown = [phase for phase in skipped if phase not in order]
    if unknown:
        yield Fault(file, f"{key}.skipped", f"phases among {', '.join(order)}", ", ".join(unknown))


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
                yield Fault(file, f"setup.{name}", f"one of {', '.join(sorted(nations))}", repr(nation))
    for nation in setup.hidden_fleets:
        if f"setup.hidden_fleet.{nation}" not in ids:
            yield Fault(file, "checks", f"a setup line setup.hidden_fleet.{nation}", "none")


def _victory(file: str, scenario: ScenarioFile, game: GameFile) -> Iterator[Fault]:
    sides = [side.id for side in game.sides]
    victory = scenario.victory
    checked = [row.number for row in scenario.stages if "victory" in row.phases]
    for stage in victory.stages:
        if stage not in checked:
            yield Fault(
                file,
                "victory.stages",
                f"stages with a Victory Phase: {', '.join(map(str, checked)) or 'none'}",
                str(stage),
            )
    if scenario.stages and victory.standard.stage != scenario.stages[-1].number:
        yield Fault(
            file,
            "victory.standard.stage",
            f"the last stage {scenario.stages[-1].number}",
            str(victory.standard.stage),
        )
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
                yield Fault(file, f"victory.{name}", f"one of {', '.join(sides)}", repr(side))
    wanted, other = (
        ("automatic", "automatic_control") if victory.kind == "points" else ("automatic_control", "automatic")
    )
    if not getattr(victory, wanted) or getattr(victory, other):
        yield Fault(file, f"victory.{wanted}", f"conditions of the kind {victory.kind} only", "others")
    if victory.kind == "points" and set(victory.start) != set(sides):
        yield Fault(
            file, "victory.start", f"points of {', '.join(sides)}", ", ".join(victory.start) or "nothing"
        )
    standard = victory.standard
    if standard.kind == "denied" and (standard.side is None or standard.winner is None):
        yield Fault(file, "victory.standard", "side and winner", "one of them missing")
    if standard.kind == "most_points" and not standard.tie_control:
        yield Fault(file, "victory.standard.tie_control", "the objective that settles a tie", "nothing")


def _unique(file: str, key: str, values: Sequence[str]) -> Iterator[Fault]:
    for value in dict.fromkeys(value for value in values if values.count(value) > 1):
        yield Fault(file, key, "each id once", f"{value!r} {values.count(value)} times")


def _join(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name
