"""Freeze a new game of Axis & Allies: North Africa.

Options: ``players`` (2-4), ``seats`` (names), ``values`` (``rulebook`` or ``unofficial``), ``clock`` (``none``,
``count_up`` or minutes a side and round), ``tournament``, the optional rules by their id, ``bid`` with ``bid_side``,
``printed`` (values known from earlier games) and ``rulings``.
Source: rulebook, The Combatants, Setup, Optional Rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from companion.core.clock import ClockConfig
from companion.core.collecting import one_of
from companion.core.ids import Nation, Side
from companion.core.scenario import DataError, Fault, GameData, ScenarioInfo
from companion.core.setup import NationInfo, Setup, SideInfo
from companion.core.text import Say
from companion.games.aana.rules.board import Board
from companion.games.aana.rules.figures import FIGURES, SIDE_OF, FigureError, figure_book
from companion.games.aana.rules.sequence import unfold
from companion.games.aana.rules.tables import (
    BoardFile,
    GameFile,
    RoutesTable,
    RulingsFile,
    ScenarioFile,
    UnofficialFile,
    UnofficialSetup,
)

__all__ = ["AanaFamily", "unofficial_values"]

_KNOWN: Final = ("players", "seats", "values", "clock", "tournament", "bid", "bid_side", "printed", "rulings")
_MOST_MINUTES: Final = 240
_LONGEST_NAME: Final = 24


def unofficial_values(file: UnofficialFile) -> dict[str, int]:
    """Return the fan-made figures as printed values; figures that the rulebook states stay as they are."""
    found: dict[str, int] = {}
    for colour, units in file.units.items():
        for unit, row in units.items():
            for figure, value in zip(FIGURES, row, strict=True):
                found[f"unit.{colour}.{unit}.{figure}"] = value
    found |= {f"rp.{space}": value for space, value in file.rp.items()}
    found |= {f"base.{power}": value for power, value in file.base.items()}
    return found


class AanaFamily:
    """The game as the scenario loader sees it."""

    game = "aana"
    tables: Mapping[str, type[Any] | None] = {
        "game": GameFile,
        "units": None,
        "board": BoardFile,
        "rulings": RulingsFile,
        "unofficial": UnofficialFile,
    }
    scenario: type[Any] = ScenarioFile

    def check(self, data: GameData) -> Iterable[Fault]:
        """Check the files against each other: powers, pieces, spaces and checklist lines that are named exist."""
        faults: list[Fault] = []
        book = None
        if "units" in data.tables:
            try:
                book = figure_book(data.tables["units"], {})
            except FigureError as error:
                faults += [
                    Fault(data.file("units"), line, "sound unit rows", "a fault")
                    for line in str(error).splitlines()
                ]
        board_file: BoardFile | None = data.tables.get("board")
        game: GameFile | None = data.tables.get("game")
        rulings: RulingsFile | None = data.tables.get("rulings")
        for row in () if rulings is None else rulings.rulings:
            if row.default not in row.choices:
                faults.append(
                    Fault(
                        data.file("rulings"),
                        f"{row.id}.default",
                        f"one of {', '.join(row.choices)}",
                        row.default,
                    )
                )
        if game is None or board_file is None or book is None:
            return faults
        own = Board(board_file, {})
        for row_id in (c.id for c in board_file.convoy if c.port and own.territory(c.port) is None):
            faults.append(Fault(data.file("board"), f"convoy {row_id}.port", "a territory", "an unknown one"))
        fan: UnofficialFile | None = data.tables.get("unofficial")
        if fan is not None:
            named = Board(board_file, {f"space.{key}": name for key, name in fan.spaces.items()})
            for end in sorted({e for here, there in fan.borders.items() for e in (here, *there)}):
                if named.type_of(end) is None:
                    expected = "spaces of board.toml or of [spaces]"
                    faults.append(Fault(data.file("unofficial"), "borders", expected, repr(end)))
        known = {item.id for item in game.checks}
        for name, scenario in data.scenarios.items():
            every = tuple(item.id for item in game.optional)
            wanted = {check for step in unfold(game, scenario, every) for check in step.checks}
            faults += [
                Fault(data.file("game"), "checks", f"a line {line!r}", "nothing")
                for line in sorted(wanted - known)
            ]
            faults += _line_faults(data, name, scenario, own, book.has)
        return faults

    def order(self, data: GameData) -> Iterable[str]:
        """Return the scenarios in the order of ``game.toml``."""
        game: GameFile = data.tables["game"]
        return game.scenarios

    def info(self, data: GameData, scenario: str) -> ScenarioInfo:
        """Describe a scenario for New game; of each option the default stands first."""
        game: GameFile = data.tables["game"]
        row: ScenarioFile = data.scenarios[scenario]
        rulings: RulingsFile = data.tables["rulings"]
        options: dict[str, tuple[Any, ...]] = {
            "players": tuple(seating.players for seating in game.seatings),
            "values": ("rulebook", "unofficial"),
            "clock": ("none", "count_up", 10, 15, 20, 30),
            "tournament": (False, True),
            "bid": tuple(range(13)),
            "bid_side": ("allies", "axis"),
            **{item.id: (False, True) for item in game.optional},
        }
        for ruling in rulings.rulings:
            if len(ruling.choices) > 1:
                others = (choice for choice in ruling.choices if choice != ruling.default)
                options[f"rulings.{ruling.id}"] = (ruling.default, *others)
        counts = [seating.players for seating in game.seatings]
        return ScenarioInfo(
            data.game,
            scenario,
            row.title,
            game.title,
            (min(counts), max(counts)),
            None,
            game.last_round - row.first_round + 1,
            options,
            row.summary,
            {item.id: item.name for item in game.optional},
        )

    def make_setup(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Freeze a new game. DataError with every fault of the options."""
        return _NewGame(data, scenario, options).setup()


def _line_faults(data: GameData, name: str, scenario: ScenarioFile, own: Board, has: Any) -> Iterable[Fault]:
    for number, line in enumerate(scenario.start.lines):
        where = f"start.lines[{number}]"
        if own.type_of(line.space) is None:
            yield Fault(data.file(name), f"{where}.space", "a space of board.toml", repr(line.space))
        for unit in line.units:
            if not has(line.power, unit):
                yield Fault(data.file(name), f"{where}.units", f"pieces of {line.power}", repr(unit))
    for side, table in scenario.victory.items():
        for group in (*table.total, *table.major, *table.minor):
            for space in group:
                if not own.is_controllable(space):
                    yield Fault(
                        data.file(name), f"victory.{side}", "territories with control markers", repr(space)
                    )


class _NewGame:
    """One resolution of options; collects faults and freezes only when there are none."""

    def __init__(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> None:
        self.data = data
        self.game: GameFile = data.tables["game"]
        self.row: ScenarioFile = data.scenarios[scenario]
        self.rulings_file: RulingsFile = data.tables["rulings"]
        self.fan: UnofficialFile = data.tables["unofficial"]
        self.options = dict(options)
        self.faults: list[Fault] = []

    def fault(self, key: str, expected: str, got: object) -> None:
        self.faults.append(Fault("options", key, expected, got if isinstance(got, str) else repr(got)))

    def setup(self) -> Setup:
        optional = [item.id for item in self.game.optional]
        for key in self.options:
            if key.partition(".")[0] not in (*_KNOWN, *optional):
                self.fault(key, one_of((*_KNOWN, *optional), key), repr(key))
        chosen = [name for name in optional if self.flag(name)]
        tournament = self.flag("tournament")
        rulings = self.rulings()
        players, sides, seats = self.sides()
        clock = self.clock(tournament)
        values, printed = self.printed()
        bid = self.bid()
        fan = self.fan_setup() if values == "unofficial" else None
        if self.faults:
            raise DataError(self.faults)
        tables: dict[str, Any] = {
            "units": self.data.raw["units"],
            "board": self.data.raw["board"],
            "game": self.data.raw["game"],
            "scenario": self.data.raw[self.row.scenario],
        }
        if fan is not None:
            tables["unofficial_setup"] = msgspec.to_builtins(fan)
            tables["routes"] = msgspec.to_builtins(RoutesTable(self.fan.borders, self.fan.sahara))
        return Setup(
            game=self.data.game,
            scenario=self.row.scenario,
            title=self.row.title,
            sides=sides,
            nations=tuple(
                NationInfo(Nation(row.id), row.name, Side(row.side), row.colour, row.emblem)
                for row in self.game.powers
            ),
            steps=unfold(self.game, self.row, chosen, blitz_must=rulings.get("aana.blitz_second") != "may"),
            clock=clock,
            checks={item.id: item for item in self.game.checks},
            rulings=rulings,
            ruling_infos=self.rulings_file.rulings,
            printed=printed,
            options={
                "players": players,
                "values": values,
                "tournament": tournament,
                "optional": chosen,
                "bid": bid,
                "seats": seats,
            },
            tables=msgspec.json.decode(msgspec.json.encode(tables)),
        )

    def flag(self, name: str) -> bool:
        value = self.options.get(name, False)
        if not isinstance(value, bool):
            self.fault(name, "true or false", value)
            return False
        return value

    def rulings(self) -> dict[str, str]:
        values = {row.id: row.default for row in self.rulings_file.rulings}
        choices = {row.id: row.choices for row in self.rulings_file.rulings}
        given: dict[str, Any] = {}
        table = self.options.get("rulings", {})
        if isinstance(table, Mapping):
            given.update(table)
        else:
            self.fault("rulings", "a table", table)
        given.update({key[8:]: value for key, value in self.options.items() if key.startswith("rulings.")})
        for name, value in given.items():
            if name not in values:
                self.fault(f"rulings.{name}", one_of(values, name), repr(name))
            elif value not in choices[name]:
                self.fault(f"rulings.{name}", f"one of {', '.join(choices[name])}", value)
            else:
                values[name] = value
        return values

    def sides(self) -> tuple[int, tuple[SideInfo, ...], list[dict[str, Any]]]:
        """Return the number of players, the sides, and who sits where and plays what; no sides after a fault."""
        players = self.options.get("players", self.game.seatings[0].players)
        seating = next((item for item in self.game.seatings if item.players == players), None)
        if seating is None or isinstance(players, bool):
            known = ", ".join(str(item.players) for item in self.game.seatings)
            self.fault("players", f"one of {known}", players)
            return 2, (), []
        names = self.options.get("seats", [f"Player {n + 1}" for n in range(players)])
        sound = isinstance(names, list | tuple) and len(names) == players
        if not sound or not all(isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME for name in names):
            self.fault("seats", f"{players} names of 1 to {_LONGEST_NAME} letters", names)
            return players, (), []
        label = {row.id: row.name for row in self.game.powers}
        seats = [
            {"player": name, "side": SIDE_OF[powers[0]], "plays": list(powers)}
            for name, powers in zip(names, seating.seats, strict=True)
        ]
        shown: dict[str, list[str]] = {side.id: [] for side in self.game.sides}
        for seat in seats:
            shown[seat["side"]].append(
                f"{seat['player']}: {', '.join(label[power] for power in seat['plays'])}"
            )
        return (
            players,
            tuple(
                SideInfo(Side(side.id), side.name, side.emblem, tuple(shown[side.id]))
                for side in self.game.sides
            ),
            seats,
        )

    def clock(self, tournament: bool) -> ClockConfig:
        value = self.options.get("clock", "none")
        stages = tuple(range(self.row.first_round, self.game.last_round + 1))
        if value in ("none", "count_up"):
            if tournament:
                self.fault("clock", "minutes a side and round under tournament time", value)
            return ClockConfig("count_up", {}, stages) if value == "count_up" else ClockConfig(stages=stages)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MOST_MINUTES:
            self.fault("clock", f"none, count_up or minutes up to {_MOST_MINUTES} a side and round", value)
            return ClockConfig()
        allotted = {side.id: (round(value * 60_000),) * len(stages) for side in self.game.sides}
        return ClockConfig("limit", allotted, stages, tournament)

    def printed(self) -> tuple[str, dict[str, Any]]:
        """Return the chosen set and the printed values: the unofficial ones first, the table's own above them."""
        values = self.options.get("values", "rulebook")
        if values not in ("rulebook", "unofficial"):
            self.fault("values", "rulebook or unofficial", values)
            values = "rulebook"
        found: dict[str, Any] = {}
        if values == "unofficial":
            found.update(self.without_stated(unofficial_values(self.fan)))
            found |= {f"space.{space}": name for space, name in self.fan.spaces.items()}
        own = self.options.get("printed", {})
        if not isinstance(own, Mapping):
            self.fault("printed", "a table of printed values", own)
            return values, found
        book = figure_book(self.data.tables["units"], {})
        board = Board(self.data.tables["board"], {})
        for key, value in own.items():
            try:
                fault = book.fault(key, value)
            except KeyError:
                try:
                    fault = board.fault(key, value)
                except KeyError:
                    fault = Say("This game has no such printed value.")
            if fault is not None:
                self.fault(f"printed.{key}", "a sound printed value", str(fault))
            else:
                found[key] = value
        return values, found

    def without_stated(self, values: Mapping[str, int]) -> dict[str, int]:
        """Leave out fan values for figures that the rulebook text gives."""
        book = figure_book(self.data.tables["units"], {})
        unknown = set(book.unknown_keys())
        return {key: value for key, value in values.items() if not key.startswith("unit.") or key in unknown}

    def fan_setup(self) -> UnofficialSetup:
        return self.fan.torch if self.row.scenario == "torch" else self.fan.rommel

    def bid(self) -> dict[str, Any]:
        """Return the bid as (side that receives it, amount)."""
        amount = self.options.get("bid", 0)
        if isinstance(amount, bool) or not isinstance(amount, int) or not 0 <= amount <= 99:
            self.fault("bid", "a whole number of points from 0", amount)
            return {}
        side = self.options.get("bid_side", "allies")
        if side not in ("allies", "axis"):
            self.fault("bid_side", "allies or axis: the side that receives the points", side)
        return {"side": side, "amount": amount} if amount else {}
