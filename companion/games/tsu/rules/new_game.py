"""Unfold the 21 seasons and freeze a new game of The Soft Underbelly.

Options: ``names`` (Axis, Allies), ``clock`` (``none``, ``count_up`` or minutes a side and season) and ``rulings``.
Source: The Soft Underbelly, Turn Sequence; At Start Conditions; Reinforcements/Withdrawals; Weather Summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from companion.core.clock import ClockConfig
from companion.core.collecting import each_once, one_of, shown, wrong_names
from companion.core.flow import CheckItem, Step
from companion.core.ids import Side, StepId
from companion.core.options import (
    MOST_MINUTES,
    names,
    ruling_options,
    ruling_values,
    time_kept,
    unknown_options,
)
from companion.core.scenario import OPTIONS, DataError, Fault, GameData, ScenarioInfo
from companion.core.setup import NationInfo, Setup, SideInfo
from companion.core.text import Say, Typed, several
from companion.games.tsu.rules.schema import DateId, GameFile, ScenarioFile, fort_key, season_key

__all__ = ["TsuFamily", "season_id", "unfold"]

_KNOWN = ("players", "names", "clock", "rulings")


def season_id(season: str) -> str:
    """Return the short id of a season: ``sp1940``, ``su1941``, ``fa1942``, ``wi1943``."""
    name, _, year = season.partition(" ")
    return f"{name[:2]}{year}"


def unfold(game: GameFile, scenario: ScenarioFile) -> tuple[tuple[Step, ...], dict[str, CheckItem]]:
    """Return all steps, Axis first in every season, and the checklist lines that they name."""
    checks: dict[str, CheckItem] = {}

    def line(id_: str, text: str, section: str) -> str:
        checks[id_] = CheckItem(id_, text, section)
        return id_

    opening = tuple(
        line(f"setup.{number}", item.text, scenario.setup_source)
        for number, item in enumerate(scenario.setup, 1)
    )
    steps = [Step(StepId("setup"), 0, "setup", "setup", checks=opening)]
    for stage, row in enumerate(scenario.calendar, 1):
        season = season_id(row.season)
        weather = [w for w in game.weather if row.season.startswith(w.season)]
        for side in (Side("axis"), Side("allies")):
            for phase in game.phases:
                wanted: list[str] = []
                if phase.id == "reinforcements":
                    own = [item for item in row.lines if item.side == side]
                    wanted += [
                        line(f"{season}.{side}.{number}", item.text, scenario.calendar_source)
                        for number, item in enumerate(own, 1)
                    ]
                bounds = {
                    line(f"weather.{w.season}.{phase.id}", w.text, w.source): w.is_last
                    for w in weather
                    if phase.id in w.phases
                }
                wanted += [id_ for id_, is_last in bounds.items() if not is_last]
                wanted += [
                    line(f"{phase.id}.{c.id}", c.text, phase.source)
                    for c in phase.checks
                    if c.side in ("", side) and (not c.since or season_key(row.season) >= season_key(c.since))
                ]
                wanted += [id_ for id_, is_last in bounds.items() if is_last]
                steps.append(
                    Step(
                        id=StepId(f"{season}.{side}.{phase.id}"),
                        stage=stage,
                        phase=phase.id,
                        act="end_turn" if phase.id == "end" else phase.id,
                        owners=(side,),
                        clock=side,
                        checks=tuple(wanted),
                    )
                )
    return tuple(steps), checks


class TsuFamily:
    """The Soft Underbelly as the scenario loader sees it."""

    game = "tsu"
    tables: Mapping[str, type[Any]] = {"game": GameFile}
    scenario: type[Any] = ScenarioFile

    def check(self, data: GameData) -> Iterable[Fault]:
        """Check what is named in one place and defined in another, and the calendar for every season in its order."""
        game: GameFile | None = data.tables.get("game")
        faults: list[Fault] = []
        if game is not None:
            faults.extend(_name_faults(game, data.file("game")))
            faults.extend(_since_faults(game, data.file("game")))
            faults.extend(_date_faults(game, data.file("game")))
        for stem, row in data.scenarios.items():
            faults.extend(_calendar_faults(row, data.file(stem)))
        return [*faults, *wrong_names(data)]

    def order(self, data: GameData) -> Iterable[str]:
        """Return the scenarios in their order."""
        return data.scenarios

    def info(self, data: GameData, scenario: str) -> ScenarioInfo:
        """Describe the game for New game; of each option the default stands first."""
        game: GameFile = data.tables["game"]
        row: ScenarioFile = data.scenarios[scenario]
        clock = ("none", "count_up", 10, 15, 20)
        options = {"players": (2,), "clock": clock, **ruling_options(game.rulings)}
        return ScenarioInfo(
            data.game,
            scenario,
            row.title,
            game.title,
            row.players,
            None,
            len(row.calendar),
            options,
            row.summary,
        )

    def make_setup(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Freeze a new game. DataError with every fault of the options."""
        game: GameFile = data.tables["game"]
        row: ScenarioFile = data.scenarios[scenario]
        faults: list[Fault] = []
        unknown_options(options, _KNOWN, faults)
        if options.get("players", 2) != 2:
            faults.append(Fault(OPTIONS, "players", 2, shown(options["players"])))
        seats = names(options, 2, faults)
        clock = _clock(game, len(row.calendar), options, faults)
        rulings = ruling_values(game.rulings, options, faults)
        if faults:
            raise DataError(faults)
        steps, checks = unfold(game, row)
        return Setup(
            game=data.game,
            scenario=row.scenario,
            title=row.title,
            sides=tuple(
                SideInfo(side.id, side.name, side.emblem, (seats[index],))
                for index, side in enumerate(game.sides)
            ),
            nations=tuple(NationInfo(n.id, n.name, n.side, "", n.emblem) for n in game.nations),
            steps=steps,
            clock=clock,
            checks=checks,
            rulings=rulings,
            ruling_infos=game.rulings,
            printed={fort_key(fort.id): fort.value for fort in game.forts if fort.value is not None},
            options={"players": 2, "names": list(seats)},
            tables={
                "game": data.raw["game"],
                "seasons": [item.season for item in row.calendar],
            },
        )


def _name_faults(game: GameFile, file: str) -> list[Fault]:
    """Name every nation, side, phase and kind of unit that is used and not there, and every id that is there twice."""
    sides, nations = [row.id for row in game.sides], [row.id for row in game.nations]
    kinds, phases = [row.id for row in game.units], [row.id for row in game.phases]
    used: list[tuple[str, str, Iterable[str]]] = [
        ("game", game.game, ("tsu",)),
        *((f"nations.{row.id}.side", row.side, sides) for row in game.nations),
        *((f"named.{row.name}.nation", row.nation, nations) for row in game.named),
        *((f"named.{row.name}.kind", row.kind, kinds) for row in game.named),
        *((f"units.{row.id}.nations", nation, nations) for row in game.units for nation in row.nations),
        *((f"production.{row.nation}.nation", row.nation, nations) for row in game.production),
        *((f"stars.{row.id}.holder", row.holder, nations) for row in game.stars if row.holder),
        *(("invasion.units", kind, kinds) for kind in game.invasion.units),
        *(("start.boxes", nation, nations) for nation in game.start.boxes),
        *((f"start.boxes.{of}", kind, kinds) for of, box in game.start.boxes.items() for kind in box),
        *(
            (f"phases.{phase.id}.checks.{row.id}.side", row.side, sides)
            for phase in game.phases
            for row in phase.checks
            if row.side
        ),
        *((f"weather.{row.season}.phases", phase, phases) for row in game.weather for phase in row.phases),
        *((f"rulings.{row.id}.default", row.default, row.choices) for row in game.rulings),
    ]
    faults = [
        Fault(file, key, one_of(known, got), Typed(got)) for key, got, known in used if got not in known
    ]
    twice: dict[str, list[str]] = {
        "sides": [str(id_) for id_ in sides],
        "nations": [str(id_) for id_ in nations],
        "units": kinds,
        "phases": phases,
        "forts": [row.id for row in game.forts],
        "stars": [row.id for row in game.stars],
        "dates": [str(row.id) for row in game.dates],
        "rulings": [row.id for row in game.rulings],
    }
    for key, ids in twice.items():
        faults += each_once(file, key, ids)
    return faults


def _season_faults(seasons: Iterable[tuple[str, str]], file: str) -> list[Fault]:
    """Name every key whose season is none."""
    faults = []
    for key, season in seasons:
        try:
            season_key(season)
        except ValueError:
            faults.append(Fault(file, key, Say("a season and a year"), shown(season)))
    return faults


def _since_faults(game: GameFile, file: str) -> list[Fault]:
    since = (
        (f"phases.{phase.id}.checks.{check.id}.since", check.since)
        for phase in game.phases
        for check in phase.checks
        if check.since
    )
    return _season_faults(since, file)


def _date_faults(game: GameFile, file: str) -> list[Fault]:
    known = {row.id for row in game.dates}
    missing = [id_ for id_ in get_args(DateId) if id_ not in known]
    return [
        *_season_faults(((f"dates.{row.id}.season", row.season) for row in game.dates), file),
        *(Fault(file, "dates", Say("a line {id}", id=Typed(id_))) for id_ in missing),
    ]


def _calendar_faults(row: ScenarioFile, file: str) -> list[Fault]:
    dated = ((f"calendar[{index}].season", item.season) for index, item in enumerate(row.calendar))
    faults = _season_faults((*dated, ("first", row.first), ("last", row.last)), file)
    if faults:
        return faults
    wanted = list(range(season_key(row.first), season_key(row.last) + 1))
    if [season_key(item.season) for item in row.calendar] != wanted:
        seasons = several((Typed(item.season) for item in row.calendar), "comma")
        first, last = Typed(row.first), Typed(row.last)
        expected = Say("every season from {first} to {last} in order", first=first, last=last)
        faults.append(Fault(file, "calendar", expected, Say("{names}", names=seasons)))
    return faults


def _clock(game: GameFile, seasons: int, options: Mapping[str, Any], faults: list[Fault]) -> ClockConfig:
    stages = tuple(range(1, seasons + 1))
    minutes = Say("minutes per side and season, up to {most}", most=MOST_MINUTES)
    kept = time_kept(options, minutes, faults)
    if kept == "none":
        return ClockConfig(stages=stages)
    if kept == "count_up":
        return ClockConfig("count_up", {}, stages)
    return ClockConfig("limit", {side.id: (int(kept),) * seasons for side in game.sides}, stages)
