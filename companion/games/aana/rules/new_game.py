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
from companion.core.collecting import one_of, shown
from companion.core.ids import Side
from companion.core.options import (
    MOST_MINUTES,
    flag,
    names,
    ruling_options,
    ruling_values,
    time_kept,
    unknown_options,
    whole,
)
from companion.core.scenario import OPTIONS, DataError, Fault, GameData, ScenarioInfo
from companion.core.setup import NationInfo, Setup, SideInfo
from companion.core.text import Say, Typed, Value
from companion.games.aana.rules.board import Board
from companion.games.aana.rules.data_check import check
from companion.games.aana.rules.figures import FIGURES, NO_POWER, SIDE_OF, FigureBook, applies, figure_book
from companion.games.aana.rules.sequence import unfold
from companion.games.aana.rules.tables import (
    BoardFile,
    GameFile,
    RoutesTable,
    RulingsFile,
    ScenarioFile,
    UnitsFile,
    UnofficialFile,
    UnofficialSetup,
)

__all__ = ["AanaFamily", "unofficial_values"]


_KNOWN: Final = ("players", "seats", "values", "clock", "tournament", "bid", "bid_side", "printed", "rulings")
_MOST_BID: Final = 99


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
    tables: Mapping[str, type[Any]] = {
        "game": GameFile,
        "units": UnitsFile,
        "board": BoardFile,
        "rulings": RulingsFile,
        "unofficial": UnofficialFile,
    }
    scenario: type[Any] = ScenarioFile
    spare = ("unofficial",)
    """Without the unofficial set, games are begun with the figures of the rulebook."""

    def check(self, data: GameData) -> Iterable[Fault]:
        """Check the files against each other."""
        return check(data)

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
            "values": ("rulebook", "unofficial") if "unofficial" in data.tables else ("rulebook",),
            "clock": ("none", "count_up", 10, 15, 20, 30),
            "tournament": (False, True),
            "bid": tuple(range(13)),
            "bid_side": ("allies", "axis"),
            **{item.id: (False, True) for item in game.optional},
            **ruling_options(rulings.rulings),
        }
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


def _is_gone(book: FigureBook, key: str) -> bool:
    """Say whether a value of an earlier game is of a figure that the piece does not have: it is let be."""
    power, unit, figure = book.key_parts(key) or (NO_POWER, "", "")
    return figure in FIGURES and book.has(power, unit) and not applies(book.row(power, unit), figure)


class _NewGame:
    """One resolution of options; collects faults and freezes only when there are none."""

    def __init__(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> None:
        self.data = data
        self.game: GameFile = data.tables["game"]
        self.row: ScenarioFile = data.scenarios[scenario]
        self.rulings_file: RulingsFile = data.tables["rulings"]
        self.fan: UnofficialFile | None = data.tables.get("unofficial")
        self.options = dict(options)
        self.faults: list[Fault] = []

    def fault(self, key: str, expected: Value, got: Value) -> None:
        self.faults.append(Fault(OPTIONS, key, expected, got))

    def setup(self) -> Setup:
        optional = [item.id for item in self.game.optional]
        unknown_options(self.options, (*_KNOWN, *optional), self.faults)
        chosen = [name for name in optional if flag(self.options, name, self.faults)]
        tournament = flag(self.options, "tournament", self.faults)
        rulings = ruling_values(self.rulings_file.rulings, self.options, self.faults)
        players, sides, seats = self.sides()
        clock = self.clock(tournament)
        values, printed = self.printed()
        bid = self.bid()
        fan = self.fan if values == "unofficial" else None
        if self.faults:
            raise DataError(self.faults)
        tables: dict[str, Any] = {
            "units": self.data.raw["units"],
            "board": self.data.raw["board"],
            "game": self.data.raw["game"],
            "scenario": self.data.raw[self.row.scenario],
        }
        if fan is not None:
            tables["unofficial_setup"] = msgspec.to_builtins(self.fan_setup(fan))
            tables["routes"] = msgspec.to_builtins(RoutesTable(fan.borders, fan.sahara))
        return Setup(
            game=self.data.game,
            scenario=self.row.scenario,
            title=self.row.title,
            sides=sides,
            nations=tuple(
                NationInfo(row.id, row.name, Side(row.side), row.colour, row.emblem)
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

    def sides(self) -> tuple[int, tuple[SideInfo, ...], list[dict[str, Any]]]:
        """Return the number of players, the sides, and who sits where and plays what; no sides after a fault."""
        players = self.options.get("players", self.game.seatings[0].players)
        seating = next((item for item in self.game.seatings if item.players == players), None)
        if seating is None or isinstance(players, bool):
            known = one_of(str(item.players) for item in self.game.seatings)
            self.fault("players", known, shown(players))
            return 2, (), []
        seated = names(self.options, players, self.faults, key="seats")
        label = {row.id: row.name for row in self.game.powers}
        seats: list[dict[str, Any]] = [
            {"player": name, "side": SIDE_OF[powers[0]], "plays": list(powers)}
            for name, powers in zip(seated, seating.seats, strict=True)
        ]
        told: dict[str, list[str]] = {side.id: [] for side in self.game.sides}
        for seat in seats:
            told[seat["side"]].append(
                f"{seat['player']}: {', '.join(label[power] for power in seat['plays'])}"
            )
        return (
            players,
            tuple(
                SideInfo(Side(side.id), side.name, side.emblem, tuple(told[side.id]))
                for side in self.game.sides
            ),
            seats,
        )

    def clock(self, tournament: bool) -> ClockConfig:
        stages = tuple(range(self.row.first_round, self.game.last_round + 1))
        kept = time_kept(
            self.options,
            Say("minutes per side and round, up to {most}", most=MOST_MINUTES),
            self.faults,
        )
        if kept in ("none", "count_up"):
            if tournament:
                wanted = Say("minutes per side and round under tournament time")
                self.fault("clock", wanted, shown(self.options.get("clock", "none")))
            return ClockConfig("count_up", {}, stages) if kept == "count_up" else ClockConfig(stages=stages)
        allotted: dict[str, tuple[int, ...]] = {
            side.id: (int(kept),) * len(stages) for side in self.game.sides
        }
        return ClockConfig("limit", allotted, stages, tournament)

    def printed(self) -> tuple[str, dict[str, Any]]:
        """Return the chosen set and the printed values: the unofficial ones first, the table's own above them."""
        values = self.options.get("values", "rulebook")
        if values not in ("rulebook", "unofficial"):
            self.fault("values", one_of(("rulebook", "unofficial")), shown(values))
            values = "rulebook"
        found: dict[str, Any] = {}
        if values == "unofficial" and self.fan is None:
            self.fault("values", Say("rulebook, because the unofficial set has errors"), Typed(values))
        elif values == "unofficial" and self.fan is not None:
            found.update(self.without_stated(unofficial_values(self.fan)))
            found |= {f"space.{space}": name for space, name in self.fan.spaces.items()}
        own = self.options.get("printed", {})
        if not isinstance(own, Mapping):
            self.fault("printed", Say("a table of printed values"), shown(own))
            return values, found
        book = figure_book(self.data.raw["units"], {})
        board = Board(self.data.tables["board"], {})
        for key, value in own.items():
            if _is_gone(book, key):
                continue
            try:
                fault = book.fault(key, value)
            except KeyError:
                try:
                    fault = board.fault(key, value)
                except KeyError:
                    fault = Say("This game has no such printed value.")
            if fault is not None:
                self.fault(f"printed.{key}", Say("a valid printed value"), fault)
            else:
                found[key] = value
        return values, found

    def without_stated(self, values: Mapping[str, int]) -> dict[str, int]:
        """Leave out fan values for figures that the rulebook text gives."""
        book = figure_book(self.data.raw["units"], {})
        unknown = set(book.unknown_keys())
        return {key: value for key, value in values.items() if not key.startswith("unit.") or key in unknown}

    def fan_setup(self, fan: UnofficialFile) -> UnofficialSetup:
        return fan.torch if self.row.scenario == "torch" else fan.rommel

    def bid(self) -> dict[str, Any]:
        """Return the bid as (side that receives it, amount)."""
        amount = whole(self.options, "bid", 0, self.faults, fewest=0, most=_MOST_BID)
        side = self.options.get("bid_side", "allies")
        if side not in ("allies", "axis"):
            self.fault("bid_side", one_of(("allies", "axis")), shown(side))
        return {"side": side, "amount": amount} if amount else {}
