"""Freeze a new game of Song for War, of either edition: resolve the options of New game against a checked scenario.

Options: ``players``, ``seats`` (names), ``tournament``, ``minutes`` (per side: one number for every stage, or a
list, one a stage), ``count_up``, ``commander``, ``together`` (true, or phases), ``first`` (stage to side, where the
flags are inferred) and ``rulings`` (id to value). Keys may be dotted: ``{"first.2": "axis"}``.
Source: rulebook sections Scenarios & Set Up, Tournament Time, 6-Player Commander Game, Which Side Acts First.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from companion.core.clock import ClockConfig
from companion.core.collecting import one_of, shown
from companion.core.ids import Nation, Side
from companion.core.options import MOST_MINUTES, flag, names, ruling_options, ruling_values, unknown_options
from companion.core.scenario import NOTHING, DataError, Fault, GameData, ScenarioInfo
from companion.core.scenario import OPTIONS as NEW_GAME
from companion.core.setup import NationInfo, RulingInfo, Setup, SideInfo
from companion.core.text import Say, Typed, Value, several
from companion.games.sfw.rules.data_check import check
from companion.games.sfw.rules.flow import Choice, check_items, skipped_phases, unfold
from companion.games.sfw.rules.schema import (
    GameFile,
    LedgerFile,
    RulingRow,
    RulingsFile,
    ScenarioFile,
    UnitsFile,
)

__all__ = ["COMMANDERS", "OPTIONS", "SfwFamily"]

OPTIONS = (
    "players",
    "seats",
    "tournament",
    "minutes",
    "count_up",
    "commander",
    "together",
    "first",
    "rulings",
)
COMMANDERS = ("Air", "Sea", "Land")
"""Commands of a side in the commander game."""

_MINUTE_MS = 60_000
_TRUE = Say("true")


class SfwFamily:
    """An edition of Song for War as the scenario loader sees it."""

    tables: Mapping[str, type[Any]] = {
        "game": GameFile,
        "rulings": RulingsFile,
        "units": UnitsFile,
        "ledger": LedgerFile,
    }
    scenario: type[Any] = ScenarioFile

    def __init__(self, game: str = "sfw96") -> None:
        """Take an edition by the key of its game."""
        self.game = game

    def check(self, data: GameData) -> Iterable[Fault]:
        """Check the files against each other."""
        return check(data)

    def order(self, data: GameData) -> Iterable[str]:
        """Return the scenarios in the order of ``game.toml``."""
        game: GameFile = data.tables["game"]
        return game.scenarios

    def info(self, data: GameData, scenario: str) -> ScenarioInfo:
        """Describe a scenario for New game; of each option the default stands first."""
        row: ScenarioFile = data.scenarios[scenario]
        game: GameFile = data.tables["game"]
        options: dict[str, tuple[Any, ...]] = {"players": tuple(_player_counts(row))}
        if row.tournament is not None:
            options["tournament"] = (False, True)
        options["count_up"] = (False, True)
        if row.commander is not None:
            options["commander"] = (False, True)
        options["together"] = (False, True)
        for stage in _open_stages(row):
            first = row.stages[stage - row.stages[0].number].first_side
            options[f"first.{stage}"] = (first, *(side.id for side in game.sides if side.id != first))
        options |= ruling_options(_rulings_of(data.tables["rulings"], row))
        return ScenarioInfo(
            data.game,
            scenario,
            row.title,
            game.title,
            row.players,
            row.minutes,
            len(row.stages),
            options,
            row.summary,
        )

    def make_setup(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Freeze a new game. DataError with every fault of the options."""
        return _NewGame(data, scenario, options).setup()


def _player_counts(row: ScenarioFile) -> list[int]:
    """Return the possible numbers of players, two first."""
    counts = [seating.players for seating in row.seatings]
    return sorted(counts, key=lambda count: (count != 2, count))


def _open_stages(row: ScenarioFile) -> tuple[int, ...]:
    """Return the stages whose first side is inferred, so that the table may set it from its board."""
    return tuple(
        stage.number for stage in row.stages if stage.status.get("first_side", ("",))[0] == "inferred"
    )


def _rulings_of(rulings: RulingsFile, row: ScenarioFile) -> tuple[RulingRow, ...]:
    return tuple(
        ruling
        for ruling in rulings.rulings
        if (not ruling.families or row.family in ruling.families)
        and (not ruling.scenarios or row.scenario in ruling.scenarios)
    )


class _NewGame:
    """One resolution of options; collects faults and freezes only when there are none."""

    def __init__(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> None:
        self.data = data
        self.row: ScenarioFile = data.scenarios[scenario]
        self.game: GameFile = data.tables["game"]
        self.rulings = _rulings_of(data.tables["rulings"], self.row)
        self.options = _nested(options)
        self.sides = tuple(side.id for side in self.game.sides)
        self.faults: list[Fault] = []

    def fault(self, key: str, expected: Value, got: Value) -> None:
        self.faults.append(Fault(NEW_GAME, key, expected, got))

    def setup(self) -> Setup:
        unknown_options(self.options, OPTIONS, self.faults)
        commander = flag(self.options, "commander", self.faults)
        if commander and self.row.commander is None:
            self.fault("commander", Say("false, as this scenario has no commander game"), _TRUE)
        tournament = flag(self.options, "tournament", self.faults)
        if tournament and self.row.tournament is None:
            self.fault("tournament", Say("false, as these rules know no tournament time"), _TRUE)
        rulings = ruling_values(self.rulings, self.options, self.faults)
        first = self.first_sides(rulings)
        together = self.together(tournament, rulings)
        clock = self.clock(tournament, commander)
        players, seats = self.seats(commander)
        choice = Choice(
            commander=commander,
            tournament=tournament,
            solo=players == 1,
            together=together,
            first=first,
            rulings=rulings,
        )
        if self.faults:
            raise DataError(self.faults)
        resolved = {
            "players": players,
            "tournament": tournament,
            "count_up": clock.mode == "count_up",
            "commander": commander,
            "together": together,
            "first": first,
            "seats": [{"player": name, "side": side, "plays": plays} for name, side, plays in seats],
        }
        return Setup(
            game=self.data.game,
            scenario=self.row.scenario,
            title=self.row.title,
            sides=tuple(
                SideInfo(
                    side.id, side.name, side.emblem, tuple(name for name, of, _ in seats if of == side.id)
                )
                for side in self.game.sides
            ),
            nations=tuple(
                NationInfo(row.id, row.name, row.side, row.colour, row.emblem) for row in self.row.nations
            ),
            steps=unfold(self.game, self.row, choice),
            clock=clock,
            checks=check_items(self.game, self.row),
            rulings=rulings,
            ruling_infos=tuple(
                RulingInfo(row.id, row.text, row.choices, row.default, row.source, dict(row.choice_texts))
                for row in self.rulings
            ),
            options=_plain(resolved),
            tables=_plain(
                {
                    **{stem: self.data.raw[stem] for stem in self.data.tables if stem != "rulings"},
                    "scenario": self.data.raw[self.row.scenario],
                    "skipped": skipped_phases(self.game, self.row, choice),
                }
            ),
        )

    def first_sides(self, rulings: dict[str, str]) -> dict[str, Side]:
        """Return first sides set by the table, by stage; they settle the ruling ``first_side``."""
        stages = _open_stages(self.row)
        chosen: dict[str, Side] = {}
        for stage, side in self.table_option("first").items():
            if stage not in map(str, stages):
                known = several(stages, "comma")
                wanted = (
                    Say("a stage whose flags are inferred: {stages}", stages=known) if stages else NOTHING
                )
                self.fault(f"first.{stage}", wanted, Typed(stage))
            elif side not in self.sides:
                self.fault(f"first.{stage}", one_of(self.sides), shown(side))
            else:
                chosen[stage] = Side(side)
        if chosen and "first_side" in rulings:
            rulings["first_side"] = "board"
        return chosen

    def table_option(self, name: str) -> dict[str, Any]:
        value = self.options.get(name, {})
        if not isinstance(value, Mapping):
            self.fault(name, Say("a table"), shown(value))
            return {}
        return {str(key): item for key, item in value.items()}

    def together(self, tournament: bool, rulings: Mapping[str, str]) -> tuple[str, ...]:
        """Return the phases in which both sides act at once, in playing order."""
        able = [phase.id for phase in self.game.phases if phase.together]
        value = self.options.get("together", False)
        if isinstance(value, bool):
            asked = set(able) if value else set()
        elif isinstance(value, list | tuple) and all(phase in able for phase in value):
            asked = set(value)
        else:
            some = Say("some of {names}", names=several(map(Typed, able), "comma"))
            self.fault("together", one_of((_TRUE, Say("false"), some)), shown(value))
            return ()
        if asked and tournament:
            self.fault(
                "together", Say("false under tournament time, where both clocks never run at once"), _TRUE
            )
        if asked and rulings.get("act_together") == "never":
            self.fault("together", Say("false, as the ruling act_together says never"), _TRUE)
        return tuple(phase for phase in able if phase in asked)

    def clock(self, tournament: bool, commander: bool) -> ClockConfig:
        """Return how time is kept: tournament minutes, the table's own minutes, counted up, or not at all."""
        count_up = flag(self.options, "count_up", self.faults)
        own = self.options.get("minutes")
        stages = tuple(stage.number for stage in self.row.stages)
        if count_up and (tournament or own is not None):
            self.fault("count_up", Say("false where the clocks count down"), _TRUE)
        if own is not None:
            allotted = self.minutes(own, len(stages))
            return ClockConfig("limit", allotted, stages, tournament)
        if tournament:
            limit = self.row.tournament
            printed = None if commander or limit is None else limit.minutes_per_stage
            if printed is None:
                wanted = (
                    Say("minutes for each side, as none are printed for the commander game")
                    if commander
                    else Say("minutes for each side, as none are printed for this scenario")
                )
                self.fault("minutes", wanted, NOTHING)
                return ClockConfig()
            allotted = {side: (printed * _MINUTE_MS,) * len(stages) for side in self.sides}
            return ClockConfig("limit", allotted, stages, True)
        return ClockConfig("count_up", {}, stages) if count_up else ClockConfig(stages=stages)

    def minutes(self, own: object, stages: int) -> dict[str, tuple[int, ...]]:
        """Return the table's own minutes as milliseconds per side and stage."""
        by_side: Mapping[Any, Any] = own if isinstance(own, Mapping) else dict.fromkeys(self.sides, own)
        for name in by_side:
            if name not in self.sides:
                self.fault(f"minutes.{name}", one_of(self.sides, name), shown(name))
        allotted: dict[str, tuple[int, ...]] = {}
        for side in self.sides:
            value = by_side.get(side)
            values: list[Any] = list(value) if isinstance(value, list | tuple) else [value] * stages
            if len(values) != stages:
                wanted = Say("one number, or one per stage: {count}", count=stages)
                self.fault(f"minutes.{side}", wanted, len(values))
                continue
            if not all(map(_is_minutes, values)):
                self.fault(
                    f"minutes.{side}",
                    Say("minutes above 0 and up to {most}", most=MOST_MINUTES),
                    shown(value),
                )
                continue
            allotted[side] = tuple(round(item * _MINUTE_MS) for item in values)
        return allotted

    def seats(self, commander: bool) -> tuple[int, list[tuple[str, Side, tuple[Nation, ...]]]]:
        """Return the number of players and, for each seat, the player's name, side and nations or command."""
        row = self.row
        side_of = {nation.id: nation.side for nation in row.nations}
        counts = _player_counts(row)
        players = self.options.get("players", 6 if commander else counts[0])
        if commander:
            if players != 6:
                self.fault("players", Say("{count} in the commander game", count=6), shown(players))
            plan: list[tuple[Side, tuple[Nation, ...]]] = [
                (side, (Nation(command.lower()),)) for side in self.sides for command in COMMANDERS
            ]
        else:
            seating = next((item for item in row.seatings if item.players == players), None)
            if seating is None or isinstance(players, bool):
                self.fault("players", one_of(map(str, sorted(counts))), shown(players))
                return counts[0], []
            plan = [(side_of[seat[0]], seat) for seat in seating.seats]
        wanted = len(plan)
        if commander:
            default = [f"{side.name} {command}" for side in self.game.sides for command in COMMANDERS]
        else:
            default = []
        seated = names(self.options, wanted, self.faults, key="seats", default=default)
        if wanted == 1:
            return 1, [
                (seated[0], side, tuple(n for n in plan[0][1] if side_of[n] == side)) for side in self.sides
            ]
        return players, [(name, side, plays) for name, (side, plays) in zip(seated, plan, strict=True)]


def _nested(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with dotted keys as tables; a dotted key wins over the table it goes into."""
    nested: dict[str, Any] = {key: value for key, value in options.items() if "." not in key}
    for key, value in options.items():
        name, dot, rest = key.partition(".")
        if dot:
            before = nested.get(name, {})
            nested[name] = {**before, rest: value} if isinstance(before, Mapping) else {rest: value}
    return nested


def _is_minutes(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 < value <= MOST_MINUTES and round(value * _MINUTE_MS) > 0


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """Return a value in the form in which the journal gives it back: lists for tuples, texts for ids."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    return plain
