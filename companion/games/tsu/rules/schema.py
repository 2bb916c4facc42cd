"""The form of The Soft Underbelly's data files."""

from __future__ import annotations

from typing import Literal

import msgspec

from companion.core.ids import Nation, Side
from companion.core.setup import RulingInfo
from companion.games.tsu.rules.units import Chart, UnitRow

__all__ = [
    "SEASONS",
    "CalendarRow",
    "DateId",
    "GameFile",
    "NamedUnit",
    "PhaseRow",
    "Production",
    "ScenarioFile",
    "StarRole",
    "StarRow",
    "fort_key",
    "fort_of",
    "season_at",
    "season_key",
]

SEASONS = ("spring", "summer", "fall", "winter")


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class SideRow(_Strict, frozen=True):
    """A side."""

    id: Side
    name: str
    emblem: str
    source: str


class NationRow(_Strict, frozen=True):
    """A nation."""

    id: Nation
    name: str
    side: Side
    emblem: str


class Areas(_Strict, frozen=True):
    """Areas that the rules name; the map has more."""

    names: tuple[str, ...]
    source: str


class FortRow(_Strict, frozen=True):
    """A fort whose value is printed on its counter."""

    id: str
    name: str
    source: str
    value: int | None = None
    status: dict[str, tuple[str, ...]] = {}


class StarCount(_Strict, frozen=True):
    """Stars from a season on."""

    season: str = msgspec.field(name="from")
    count: int = 0


class Production(_Strict, frozen=True):
    """Off-map stars of a nation."""

    nation: Nation
    stars: tuple[StarCount, ...]
    source: str


StarRole = Literal["victory", "italian", "vichy", "soviet"]
"""One of those that the Allies need; its loss defeats Italy; Vichy's, shifted freely; taken by the Red Army."""


class StarRow(_Strict, frozen=True):
    """A star on the map; an empty holder is nobody."""

    id: str
    name: str
    holder: str
    source: str
    roles: tuple[StarRole, ...] = ()
    status: dict[str, tuple[str, ...]] = {}


DateId = Literal[
    "italy_at_war",
    "vichy",
    "garrison",
    "us_at_war",
    "free_french",
    "invasion_units",
    "italy_may_fall",
    "reorganization",
    "soviets",
]


class DateRow(_Strict, frozen=True):
    """The season from which a rule holds."""

    id: DateId
    season: str
    source: str


class Invasion(_Strict, frozen=True):
    """Units that Germany gets in its invasion turn, beside its whole box."""

    units: dict[str, int]
    source: str


class Start(_Strict, frozen=True):
    """What lies in the replacement boxes at the start."""

    boxes: dict[str, dict[str, int]]
    source: str


class CheckRow(_Strict, frozen=True):
    """One line of a phase's checklist."""

    id: str
    text: str
    side: str = ""
    """Only in this side's turn; empty: in both."""
    since: str = ""
    """Only from this season on."""


class NamedUnit(_Strict, frozen=True):
    """A unit with a name of its own whose kind the rules tell."""

    name: str
    nation: Nation
    kind: str
    source: str


class PhaseRow(_Strict, frozen=True):
    """One phase of a side's turn."""

    id: str
    name: str
    checks: tuple[CheckRow, ...]
    source: str


class WeatherRow(_Strict, frozen=True):
    """What a season does everywhere."""

    season: str
    phases: tuple[str, ...]
    """Phases whose checklist shows it."""
    text: str
    source: str


class GameFile(_Strict, frozen=True):
    """``tsu/game.toml``."""

    game: str
    title: str
    rules_version: str
    source: str
    sides: tuple[SideRow, ...]
    nations: tuple[NationRow, ...]
    units: tuple[UnitRow, ...]
    areas: Areas
    named: tuple[NamedUnit, ...]
    forts: tuple[FortRow, ...]
    dates: tuple[DateRow, ...]
    invasion: Invasion
    production: tuple[Production, ...]
    stars: tuple[StarRow, ...]
    start: Start
    chart: dict[str, str | dict[str, object]]
    phases: tuple[PhaseRow, ...]
    weather: tuple[WeatherRow, ...]
    rulings: tuple[RulingInfo, ...]


class CalendarLine(_Strict, frozen=True):
    """Something that comes, goes or changes in a side's reinforcement phase."""

    side: Side
    text: str


class CalendarRow(_Strict, frozen=True):
    """What a season brings each side."""

    season: str
    lines: tuple[CalendarLine, ...] = ()


class SetupLine(_Strict, frozen=True):
    """One line of the set-up."""

    text: str


class ScenarioFile(_Strict, frozen=True):
    """``tsu/campaign.toml``."""

    scenario: str
    title: str
    summary: str
    players: tuple[int, int]
    first: str
    last: str
    source: str
    setup: tuple[SetupLine, ...]
    setup_source: str
    calendar_source: str
    calendar: tuple[CalendarRow, ...]
    status: dict[str, tuple[str, ...]] = {}


def fort_key(fort: str) -> str:
    """Return the key of a Fort's printed value."""
    return f"fort.{fort}.value"


def fort_of(key: str) -> str | None:
    """Return the Fort whose printed value a key names; None for another key."""
    parts = key.split(".")
    return parts[1] if len(parts) == 3 and key == fort_key(parts[1]) else None


def season_key(season: str) -> int:
    """Return a season's place in time, such as ``fall 1942``. ValueError when it is none."""
    name, _, year = season.partition(" ")
    if name not in SEASONS or not year.isdigit():
        raise ValueError(f"{season!r} is no season")
    return int(year) * 4 + SEASONS.index(name)


def season_at(key: int) -> str:
    """Return the season of a season key; the other way round than `season_key`."""
    return f"{SEASONS[key % 4]} {key // 4}"


def chart_of(game: GameFile) -> Chart:
    """Return the chart without its source line. msgspec.ValidationError when a field is broken."""
    return msgspec.convert({key: value for key, value in game.chart.items() if key != "source"}, Chart)
