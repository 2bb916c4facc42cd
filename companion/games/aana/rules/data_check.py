"""Check the game's data files against each other; each file has been converted on its own before.

Source: rulebook, Component Limits; Spaces on the Game Board; Special Rules for the Scenarios.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from companion.core.collecting import each_once, one_of, shown, wrong_names
from companion.core.ids import Nation
from companion.core.scenario import Fault, GameData
from companion.core.text import Say, Typed, Value, several
from companion.games.aana.rules.board import Board
from companion.games.aana.rules.figures import (
    COLOURS,
    FIGURES,
    SIDE_OF,
    TRAITS,
    TURN_POWERS,
    FigureBook,
    figure_book,
)
from companion.games.aana.rules.sequence import is_act, unfold
from companion.games.aana.rules.tables import (
    BoardFile,
    GameFile,
    RulingsFile,
    ScenarioFile,
    SetupLine,
    UnitsFile,
    UnofficialFile,
)

__all__ = ["check"]


def check(data: GameData) -> Iterable[Fault]:
    """Return every fault that shows only when the files are seen together: what is named somewhere exists."""
    faults: list[Fault] = []
    units: UnitsFile | None = data.tables.get("units")
    board_file: BoardFile | None = data.tables.get("board")
    game: GameFile | None = data.tables.get("game")
    rulings: RulingsFile | None = data.tables.get("rulings")
    fan: UnofficialFile | None = data.tables.get("unofficial")
    faults += wrong_names(data)
    if rulings is not None:
        file = data.file("rulings")
        faults += each_once(file, "rulings", [row.id for row in rulings.rulings])
        for row in rulings.rulings:
            if row.default not in row.choices:
                faults.append(Fault(file, f"{row.id}.default", one_of(row.choices), Typed(row.default)))
    odd_units = [] if units is None else list(_unit_faults(data.file("units"), units))
    faults += odd_units
    if board_file is not None:
        faults += _board_faults(data.file("board"), board_file)
    if game is not None:
        faults += _game_faults(data, game)
    if board_file is None or units is None or odd_units:
        return faults
    book, own = figure_book(data.raw["units"], {}), Board(board_file, {})
    if fan is not None:
        faults += _fan_faults(data.file("unofficial"), fan, board_file, book)
    for name, scenario in data.scenarios.items():
        faults += _scenario_faults(data.file(name), scenario, own, book)
    return faults


def _unit_faults(file: str, table: UnitsFile) -> Iterator[Fault]:
    yield from each_once(file, "unit", [row.id for row in table.unit])
    for i, row in enumerate(table.unit):
        colours = {colour: own for colour in COLOURS if (own := getattr(row, colour)) is not None}
        if not colours:
            yield Fault(
                file, f"unit[{i}] ({row.id})", Say("a table for one power: {names}", names=_list(COLOURS))
            )
        for colour, own in colours.items():
            key = f"unit[{i}] ({row.id}).{colour}"
            for trait in own.traits:
                if trait not in TRAITS:
                    yield Fault(file, f"{key}.traits", one_of(TRAITS, trait), Typed(trait))
            for name in own.status:
                if name not in (*FIGURES, "limit", "traits"):
                    wanted = one_of((*FIGURES, "limit", "traits"), name)
                    yield Fault(file, f"{key}.status.{name}", wanted, Typed(name))


def _board_faults(file: str, table: BoardFile) -> Iterator[Fault]:
    own = Board(table, {})
    ids = [*(row.id for row in table.territory), *(row.id for row in table.convoy)]
    yield from each_once(file, "territory", ids)
    for i, convoy in enumerate(table.convoy):
        if convoy.port and own.territory(convoy.port) is None:
            yield Fault(file, f"convoy[{i}] ({convoy.id}).port", _TERRITORY, Typed(convoy.port))
        for name in ("next", "sea_exit"):
            value = getattr(convoy, name)
            if value and own.type_of(value) is None:
                yield Fault(file, f"convoy[{i}] ({convoy.id}).{name}", _SPACE, Typed(value))
    for power, space in table.staging.items():
        if power not in SIDE_OF:
            yield Fault(file, f"staging.{power}", one_of(SIDE_OF, power), Typed(power))
        if own.territory(space) is None:
            yield Fault(file, f"staging.{power}", _TERRITORY, Typed(space))
    for power in TURN_POWERS:
        zones = own.deployment_zones(power)
        if not zones:
            yield Fault(file, f"deployment.{power}", Say("a sea zone"))
        for zone in zones:
            if own.type_of(zone) not in ("sea", "convoy"):
                yield Fault(file, f"deployment.{power}", Say("a sea zone"), Typed(zone))


def _game_faults(data: GameData, game: GameFile) -> Iterator[Fault]:
    file = data.file("game")
    if game.game != data.game:
        yield Fault(file, "game", Typed(data.game), Typed(game.game))
    for name in game.scenarios:
        if name not in data.digests:
            yield Fault(file, "scenarios", Say("a scenario of this folder"), Typed(name))
    rows: dict[str, list[str]] = {
        "sides": [row.id for row in game.sides],
        "powers": [row.id for row in game.powers],
        "optional": [row.id for row in game.optional],
        "checks": [row.id for row in game.checks],
        "phases": [row.id for row in game.phases],
    }
    for key, ids in rows.items():
        yield from each_once(file, key, ids)
    for key, wanted in (("sides", ("allies", "axis")), ("powers", tuple(SIDE_OF))):
        for id_ in wanted:
            if id_ not in rows[key]:
                yield Fault(file, key, Say("a line {id}", id=Typed(id_)))
    for i, seating in enumerate(game.seatings):
        if len(seating.seats) != seating.players:
            count = Say("as many seats as players: {count}", count=seating.players)
            yield Fault(file, f"seatings[{i}].seats", count, len(seating.seats))
    unknown = [
        (f"phases[{i}] ({phase.id}).acts", act)
        for i, phase in enumerate(game.phases)
        for act in phase.acts
        if not is_act(phase.id, act)
    ]
    for key, act in unknown:
        yield Fault(file, key, Say("an act of this phase"), Typed(act))
    if unknown:
        return
    every = tuple(item.id for item in game.optional)
    steps = (step for row in data.scenarios.values() for step in unfold(game, row, every))
    lines = dict.fromkeys(line for step in steps for line in step.checks)
    for line in sorted(set(lines) - set(rows["checks"])):
        yield Fault(file, "checks", Say("a line {id}", id=Typed(line)))


def _fan_faults(file: str, fan: UnofficialFile, board_file: BoardFile, book: FigureBook) -> Iterator[Fault]:
    named = Board(board_file, {f"space.{key}": name for key, name in fan.spaces.items()})
    for end in sorted({end for here, there in fan.borders.items() for end in (here, *there)}):
        if named.type_of(end) is None:
            yield Fault(file, "borders", _NAMED_SPACE, Typed(end))
    for key, spaces in (("rp", tuple(fan.rp)), ("sahara", fan.sahara)):
        for space in spaces:
            if named.territory(space) is None:
                yield Fault(file, key, _NAMED_SPACE, Typed(space))
    for colour, pieces in fan.units.items():
        for piece in pieces:
            if not any(row.power == colour and row.unit == piece for row in book.rows()):
                wanted = Say("a piece of {power}", power=Typed(colour))
                yield Fault(file, f"units.{colour}.{piece}", wanted, Typed(piece))
    for name, table in (("rommel", fan.rommel), ("torch", fan.torch)):
        yield from _line_faults(file, f"{name}.lines", table.lines, named, book)
        for power in table.control:
            if power not in SIDE_OF:
                yield Fault(file, f"{name}.control.{power}", one_of(SIDE_OF, power), Typed(power))


def _line_faults(
    file: str, key: str, lines: Iterable[SetupLine], board: Board, book: FigureBook
) -> Iterator[Fault]:
    for number, line in enumerate(lines):
        if board.type_of(line.space) is None:
            yield Fault(file, f"{key}[{number}].space", _NAMED_SPACE, Typed(line.space))
        yield from _piece_faults(file, f"{key}[{number}].units", line.power, line.units, book)


def _piece_faults(
    file: str, key: str, power: Nation, units: Iterable[str], book: FigureBook
) -> Iterator[Fault]:
    for unit in units:
        if not book.has(power, unit):
            yield Fault(file, key, Say("pieces of {power}", power=Typed(power)), Typed(unit))


def _scenario_faults(file: str, scenario: ScenarioFile, own: Board, book: FigureBook) -> Iterator[Fault]:
    yield from _line_faults(file, "start.lines", scenario.start.lines, own, book)
    for number, landing in enumerate(scenario.landings):
        key = f"landings[{number}]"
        if own.type_of(landing.space) is None:
            yield Fault(file, f"{key}.space", _SPACE, Typed(landing.space))
        for power, units in landing.units.items():
            yield from _piece_faults(file, f"{key}.units.{power}", power, units, book)
    for side in scenario.reserve:
        if side not in ("allies", "axis"):
            yield Fault(file, f"reserve.{side}", one_of(("allies", "axis")), Typed(side))
    for owner in scenario.trucks:
        if owner not in SIDE_OF:
            yield Fault(file, f"trucks.{owner}", one_of(SIDE_OF, owner), Typed(owner))
    if scenario.italy_convoy_only and own.type_of(scenario.italy_convoy_only) != "convoy":
        wanted = one_of(own.convoys, scenario.italy_convoy_only)
        yield Fault(file, "italy_convoy_only", wanted, Typed(scenario.italy_convoy_only))
    for side in ("allies", "axis"):
        if side not in scenario.victory:
            yield Fault(file, f"victory.{side}", Say("a table"))
    for side, table in scenario.victory.items():
        for group in (*table.total, *table.major, *table.minor):
            for space in group:
                if not own.is_controllable(space):
                    wanted = Say("territories with control markers")
                    yield Fault(file, f"victory.{side}", wanted, Typed(space))


def _list(names: Iterable[object]) -> Value:
    return several(map(shown, names), "comma")


_SPACE = Say("a space of board.toml")


_TERRITORY = Say("a territory of board.toml")


_NAMED_SPACE = Say("a space that has a name")
