"""Freeze a new game or series of the card game.

Options: ``players`` (2-6), ``names``, ``dealer`` (a seat, 1 for the first player), ``keep`` (``cards`` or ``totals``),
``operations`` (any number that the deck allows), ``advanced``, ``change_sides``, ``fast``, ``historicity``, ``series``
(``single``, ``points`` or a number of games), ``goal`` (points that end a series by points), ``clock`` (``none``,
``count_up`` or minutes a player; none where totals are kept) and ``rulings``.

Source: Naval card game, The Game; End of the Game; Rules for 2 Players; Advanced Rules; Optional Rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec

from companion.core.clock import ClockConfig
from companion.core.collecting import one_of, shown, wrong_names
from companion.core.flow import CheckItem
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
from companion.core.setup import RulingInfo, Setup, SideInfo
from companion.core.text import Say, Typed, Value
from companion.games.med.rules.engagement import Options
from companion.games.med.rules.flow import opening_steps

__all__ = ["GameFile", "MedFamily", "ScenarioFile"]

_FLAGS = ("advanced", "change_sides", "fast", "historicity")
_KEPT = ("cards", "totals")
_KNOWN = ("players", "names", "dealer", "keep", "operations", "series", "goal", "clock", *_FLAGS, "rulings")
_MOST_GAMES = 20
_MOST_POINTS = 1_000


_Text = Annotated[str, msgspec.Meta(min_length=1)]
_Count = Annotated[int, msgspec.Meta(ge=1, le=999)]
_Counts = Annotated[tuple[_Count, ...], msgspec.Meta(min_length=1)]


class _Players(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fewest: Annotated[int, msgspec.Meta(ge=2, le=4)]
    most: Annotated[int, msgspec.Meta(ge=4, le=6)]
    minutes: _Count
    source: _Text


class _Length(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    operations: _Counts
    deck: _Count
    source: _Text


class _Hand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cards: _Count
    most: _Count
    source: _Text


class _Series(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    points: _Counts
    """Points that end a series, the rulebook's first."""
    source: _Text


class GameFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The form of ``med/game.toml``."""

    game: _Text
    title: _Text
    source: _Text
    players: _Players
    length: _Length
    hand: _Hand
    series: _Series
    checks: tuple[CheckItem, ...]
    rulings: tuple[RulingInfo, ...]
    status: dict[str, tuple[Literal["stated", "inferred", "unknown"], _Text]] = {}


class ScenarioFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The form of ``med/match.toml``."""

    scenario: _Text
    title: _Text
    summary: _Text
    source: _Text


class MedFamily:
    """The card game as the scenario loader sees it."""

    game = "med"
    tables: Mapping[str, type[Any]] = {"game": GameFile}
    scenario: type[Any] = ScenarioFile

    def check(self, data: GameData) -> Iterable[Fault]:
        """Check that every checklist line of the sequence of play exists and every default is a choice."""
        faults = list(wrong_names(data))
        game: GameFile | None = data.tables.get("game")
        if game is None:
            return faults
        file = data.file("game")
        if game.game != self.game:
            faults.append(Fault(file, "game", Typed(self.game), Typed(game.game)))
        faults += [
            Fault(file, f"rulings[{index}].default", one_of(row.choices), Typed(row.default))
            for index, row in enumerate(game.rulings)
            if row.default not in row.choices
        ]
        known = {item.id for item in game.checks}
        wanted = {check for step in opening_steps((Side("p1"),)) for check in step.checks}
        wanted |= {"play.choose", "play.intelligence", "battle.draw", "battle.reveal", "resolve.dice"}
        wanted |= {"resolve.trick", "hand.refill", "count.points"}
        faults.extend(
            Fault(file, "checks", Say("a line {id}", id=Typed(name))) for name in sorted(wanted - known)
        )
        return faults

    def order(self, data: GameData) -> Iterable[str]:
        """Return the scenarios in their order."""
        return data.scenarios

    def info(self, data: GameData, scenario: str) -> ScenarioInfo:
        """Describe the game for New game; of each option the default stands first."""
        game: GameFile = data.tables["game"]
        row: ScenarioFile = data.scenarios[scenario]
        options: dict[str, tuple[Any, ...]] = {
            "players": (4, *(n for n in range(game.players.fewest, game.players.most + 1) if n != 4)),
            "dealer": tuple(range(1, game.players.most + 1)),
            "keep": _KEPT,
            "operations": game.length.operations,
            "series": ("single", "points", 2, 3, 5),
            "goal": game.series.points,
            "clock": ("none", "count_up", 15, 20, 30),
            **dict.fromkeys(_FLAGS, (False, True)),
            **ruling_options(game.rulings),
        }
        return ScenarioInfo(
            data.game,
            scenario,
            row.title,
            game.title,
            (game.players.fewest, game.players.most),
            (game.players.minutes, game.players.minutes),
            game.length.operations[0],
            options,
            row.summary,
            names_players=True,
        )

    def make_setup(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Freeze a new game. DataError with every fault of the options."""
        return _NewGame(data, scenario, options).setup()


class _NewGame:
    def __init__(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> None:
        self.data = data
        self.game: GameFile = data.tables["game"]
        self.row: ScenarioFile = data.scenarios[scenario]
        self.options = options
        self.faults: list[Fault] = []

    def fault(self, key: str, expected: Value, got: object) -> None:
        self.faults.append(Fault(OPTIONS, key, expected, shown(got)))

    def setup(self) -> Setup:
        unknown_options(self.options, _KNOWN, self.faults)
        players = self.whole("players", 4, self.game.players.fewest, self.game.players.most)
        seats = names(self.options, players, self.faults)
        dealer = self.whole("dealer", 1, 1, players)
        agreed = self.agreed(players, dealer)
        rulings = ruling_values(self.game.rulings, self.options, self.faults)
        sides = tuple(
            SideInfo(Side(f"p{number}"), name, str(number), (name,)) for number, name in enumerate(seats, 1)
        )
        clock = self.clock(tuple(side.id for side in sides))
        by_totals = agreed.keep == "totals"
        if by_totals and rulings.get("totals") == "cards":
            self.fault("keep", one_of(_KEPT[:1]), agreed.keep)
        if by_totals and clock != ClockConfig():
            self.fault(
                "clock",
                Say("none, since a game kept by totals does not know whose turn it is"),
                self.options["clock"],
            )
        if self.faults:
            raise DataError(self.faults)
        return Setup(
            game=self.data.game,
            scenario=self.row.scenario,
            title=self.row.title,
            sides=sides,
            nations=(),
            steps=opening_steps(tuple(side.id for side in sides), dealer, by_totals=by_totals),
            clock=clock,
            checks={item.id: item for item in self.game.checks},
            rulings=rulings,
            ruling_infos=self.game.rulings,
            options={"players": players, "names": list(seats), "dealer": dealer},
            tables={"options": msgspec.to_builtins(agreed), "game": self.data.raw["game"]},
        )

    def whole(self, key: str, default: int, fewest: int, most: int) -> int:
        return whole(self.options, key, default, self.faults, fewest=fewest, most=most)

    def agreed(self, players: int, dealer: int) -> Options:
        # The advanced rules draw two Operations for each that is fought.
        most = self.game.length.deck // (2 if self.options.get("advanced") is True else 1)
        operations = self.whole("operations", self.game.length.operations[0], 1, most)
        flags = {name: flag(self.options, name, self.faults) for name in _FLAGS}
        if flags["change_sides"] and players == 2:
            # 6.1 lets a player change between the rounds of a battle, which 4.0 forbids for two.
            self.fault(
                "change_sides", Say("false, since two players never change sides between the rounds"), True
            )
        for name in ("change_sides", "historicity") if flags["fast"] else ():
            if flags[name]:
                self.fault(name, Say("false, since a fast game has no battles"), True)
        keep = self.options.get("keep", _KEPT[0])
        if keep not in _KEPT:
            self.fault("keep", one_of(_KEPT), keep)
            keep = _KEPT[0]
        series = self.options.get("series", "single")
        points, games = 0, 1
        if series == "points":
            points = self.whole("goal", self.game.series.points[0], 1, _MOST_POINTS)
        elif isinstance(series, int) and not isinstance(series, bool) and 1 <= series <= _MOST_GAMES:
            games = series
        elif series != "single":
            games_wanted = Say("a number of games from 1 to {most}", most=_MOST_GAMES)
            self.fault("series", one_of((Typed("single"), Typed("points"), games_wanted)), series)
        return Options(
            players=players,
            operations=operations,
            series_points=points,
            series_games=games,
            dealer=dealer,
            hand=self.game.hand.cards,
            largest_hand=self.game.hand.most,
            keep=keep,
            **flags,
        )

    def clock(self, sides: tuple[Side, ...]) -> ClockConfig:
        minutes = Say("minutes per player, up to {most}", most=MOST_MINUTES)
        kept = time_kept(self.options, minutes, self.faults)
        if kept == "none":
            return ClockConfig()
        if kept == "count_up":
            return ClockConfig("count_up")
        # One allowance for the whole evening: a single stage, which the clock enters with the first engagement.
        return ClockConfig("limit", dict.fromkeys(sides, (int(kept),)), (1,))
