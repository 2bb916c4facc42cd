"""The form of The Soft Underbelly's data files.

Source: The Soft Underbelly, At Start Conditions; Permissible Attacks Chart; Turn Sequence.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from companion.core.ids import Nation, Side
from companion.core.setup import RulingInfo
from companion.games.tsu.rules.units import Cell, Chart, UnitRow

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

Text = Annotated[str, msgspec.Meta(min_length=1)]
Status = dict[str, tuple[Literal["stated", "inferred", "unknown"], Text]]
"""Key to how it is known, with the reason."""
Amount = Annotated[int, msgspec.Meta(ge=0, le=99)]

SEASONS = ("spring", "summer", "fall", "winter")


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class SideRow(_Strict, frozen=True):
    """A side."""

    id: Side
    name: Text
    emblem: Text
    source: Text


class NationRow(_Strict, frozen=True):
    """A nation."""

    id: Nation
    name: Text
    side: Side
    emblem: Text


class Areas(_Strict, frozen=True):
    """Areas that the rules name; the map has more."""

    names: tuple[str, ...]
    source: Text


class FortRow(_Strict, frozen=True):
    """A fort whose value is printed on its counter."""

    id: Text
    name: Text
    source: Text
    value: Amount | None = None
    status: Status = {}


class StarCount(_Strict, frozen=True):
    """Stars from a season on."""

    season: Text = msgspec.field(name="from")
    count: Amount = 0


class Production(_Strict, frozen=True):
    """Off-map stars of a nation."""

    nation: Nation
    stars: tuple[StarCount, ...]
    source: Text


StarRole = Literal["victory", "italian", "vichy", "soviet"]
"""One of those that the Allies need; its loss defeats Italy; Vichy's, shifted freely; taken by the Red Army."""


class StarRow(_Strict, frozen=True):
    """A star on the map; an empty holder is nobody."""

    id: Text
    name: Text
    holder: str
    source: Text
    roles: tuple[StarRole, ...] = ()
    status: Status = {}


DateId = Literal[
    "italy_at_war",
    "vichy",
    "garrison",
    "us_at_war",
    "us_units",
    "free_french",
    "invasion_units",
    "italy_may_fall",
    "reorganization",
    "soviets",
]


class DateRow(_Strict, frozen=True):
    """The season from which a rule holds."""

    id: DateId
    season: Text
    source: Text


class Invasion(_Strict, frozen=True):
    """Units that Germany gets in its invasion turn, beside its whole box."""

    units: dict[str, Amount]
    source: Text


class Start(_Strict, frozen=True):
    """What lies in the replacement boxes at the start."""

    boxes: dict[str, dict[str, Amount]]
    source: Text


class CheckRow(_Strict, frozen=True):
    """One line of a phase's checklist."""

    id: Text
    text: Text
    side: str = ""
    """Only in this side's turn; empty: in both."""
    since: str = ""
    """Only from this season on."""


class NamedUnit(_Strict, frozen=True):
    """A unit with a name of its own whose kind the rules tell."""

    name: Text
    nation: Nation
    kind: Text
    source: Text


class PhaseRow(_Strict, frozen=True):
    """One phase of a side's turn."""

    id: Text
    name: Text
    checks: tuple[CheckRow, ...]
    source: Text


class WeatherRow(_Strict, frozen=True):
    """What a season does everywhere."""

    season: Text
    phases: tuple[str, ...]
    """Phases whose checklist shows it."""
    text: Text
    source: Text
    is_last: bool = False
    """It is checked when all has been done; else it bounds what may be done, and stands first."""


class ChartRow(_Strict, frozen=True):
    """What one kind of attacker may do to each kind of defender."""

    land: Cell
    tactical: Cell
    naval: Cell
    land_tactical: Cell
    land_naval: Cell
    tactical_naval: Cell
    all: Cell


class ChartTable(_Strict, frozen=True):
    """The permissible attacks chart, by attacker."""

    source: Text
    land: ChartRow
    tactical: ChartRow
    naval: ChartRow
    land_tactical: ChartRow
    land_naval: ChartRow
    tactical_naval: ChartRow
    all: ChartRow


class GameFile(_Strict, frozen=True):
    """``tsu/game.toml``."""

    game: Text
    title: Text
    rules_version: Text
    source: Text
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
    chart: ChartTable
    phases: tuple[PhaseRow, ...]
    weather: tuple[WeatherRow, ...]
    rulings: tuple[RulingInfo, ...]
    asks_path: bool = False
    """Whether the overland path from Germany to Italy counts only once the table has said so; not so in games of before."""


class CalendarLine(_Strict, frozen=True):
    """Something that comes, goes or changes in a side's reinforcement phase."""

    side: Side
    text: Text


class CalendarRow(_Strict, frozen=True):
    """What a season brings each side."""

    season: Text
    lines: tuple[CalendarLine, ...] = ()


class SetupLine(_Strict, frozen=True):
    """One line of the set-up."""

    text: Text


class ScenarioFile(_Strict, frozen=True):
    """``tsu/campaign.toml``."""

    scenario: Text
    title: Text
    summary: Text
    players: tuple[Amount, Amount]
    first: Text
    last: Text
    source: Text
    setup: tuple[SetupLine, ...]
    setup_source: Text
    calendar_source: Text
    calendar: tuple[CalendarRow, ...]
    status: Status = {}


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
    """Return the chart by the names of its rows and columns."""
    return {
        attacker: {
            defender: getattr(getattr(game.chart, attacker), defender)
            for defender in ChartRow.__struct_fields__
        }
        for attacker in ChartRow.__struct_fields__
    }
