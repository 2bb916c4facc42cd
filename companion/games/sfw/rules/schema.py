"""The data files of Song for War as types: what a scenario file and the shared files may say.

Every table carries `source`, the rulebook section it rests on, and `status` for the keys that are not simply
stated: ``["inferred", reason]`` beside a value, ``["unknown", reason]`` in place of one.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from companion.core.ids import Nation, Side

__all__ = [
    "BOARDS",
    "Board",
    "CheckRow",
    "Commander",
    "Drop",
    "Family",
    "FlagLoss",
    "GameFile",
    "MovementStep",
    "NationRow",
    "PhaseRow",
    "RemovedCard",
    "RulingIs",
    "RulingRow",
    "RulingsFile",
    "ScenarioFile",
    "Seating",
    "SetupRow",
    "SideRow",
    "Sourced",
    "StageRow",
    "Standard",
    "Text",
    "Tournament",
    "Victory",
]

Text = Annotated[str, msgspec.Meta(min_length=1)]
Family = Literal["theater", "operations", "short"]
Board = Literal["theater", "nafrica", "italy"]
BOARDS: tuple[Board, ...] = ("theater", "nafrica", "italy")
Act = Literal[
    "setup", "begin", "move", "declare", "resolve", "return", "confirm", "check", "draw", "play", "lanes",
    "choose", "place",
]  # fmt: skip
"""What is done in a step."""

Phase = Literal["setup", "begin", "tactical", "victory", "national_support", "resupply"]
"""The four phases of a stage, and what surrounds them."""

GamePhase = Literal["tactical", "victory", "national_support", "resupply"]
StageNumber = Annotated[int, msgspec.Meta(ge=1, le=12)]
StepNumber = Annotated[int, msgspec.Meta(ge=1, le=6)]
Points = Annotated[float, msgspec.Meta(ge=0, le=200)]
Status = tuple[Literal["inferred", "unknown"], Text]


class Sourced(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a data file."""

    source: Text
    """Rulebook sections that its values rest on."""
    status: dict[str, Status] = {}
    """Key to how it is known, with the reason; a key that is not named here is stated."""


class SideRow(Sourced, frozen=True, kw_only=True):
    """A side."""

    id: Side
    name: Text
    emblem: Text


class PhaseRow(Sourced, frozen=True, kw_only=True):
    """A phase of a stage."""

    id: GamePhase
    number: int
    name: Text
    opening_act: Act | None = None
    """What the table does as a whole before both sides."""
    acts: tuple[Act, ...] = ()
    """What each side does in turn; empty for Tactical, whose acts are those of the movement steps."""
    closing_act: Act | None = None
    """What the table does as a whole after both sides."""
    clocked: bool
    """Whether the acting side's clock runs."""
    together: bool = False
    """Whether both sides may act at once where they agree."""
    families: tuple[Family, ...] = ()
    """Scenario families that know this phase; empty: all."""


class Drop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Units that are not active in a movement step where a ruling says so."""

    ruling: Text
    value: Text
    units: tuple[Text, ...]


class MovementStep(Sourced, frozen=True, kw_only=True):
    """A movement step of the Tactical Phase."""

    number: StepNumber
    units: tuple[Text, ...]
    """Standard units that are active."""
    acts: tuple[Act, ...]
    drops: tuple[Drop, ...] = ()


class CheckRow(Sourced, frozen=True, kw_only=True):
    """One line of a checklist and where it stands; an empty selector means everywhere."""

    id: Text
    phase: Phase
    acts: tuple[Act, ...]
    text: Text
    movement_steps: tuple[StepNumber, ...] = ()
    families: tuple[Family, ...] = ()
    boards: tuple[Board, ...] = ()
    scenarios: tuple[Text, ...] = ()
    sides: tuple[Side, ...] = ()
    commander: bool | None = None
    """True: only in the commander game; False: only outside it."""
    tournament: bool | None = None
    """True: only under tournament time; False: only without."""
    solo: bool | None = None
    """True: only where one player plays everybody; False: only with more."""


class RulingIs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A condition: a ruling stands at a value."""

    id: Text
    value: Text


class FlagLoss(Sourced, frozen=True, kw_only=True):
    """What a side loses whose flag falls in a phase."""

    id: Text
    phase: GamePhase
    text: Text
    later_phase: GamePhase | None = None
    """The loss matters only where this phase of the stage is still to come."""
    ruling: RulingIs | None = None


class RulingRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An open point of the rulebook."""

    id: Text
    text: Text
    choices: tuple[Text, ...]
    default: Text
    source: Text
    choice_texts: dict[str, Text]
    families: tuple[Family, ...] = ()
    """Scenario families that it concerns; empty: all."""
    scenarios: tuple[Text, ...] = ()
    """Scenarios that it concerns; empty: all."""


class RulingsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``rulings.toml``."""

    source: Text
    rulings: tuple[RulingRow, ...]


class GameFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``game.toml``: what all scenarios share."""

    game: Text
    title: Text
    rules_version: Text
    source: Text
    scenarios: tuple[Text, ...]
    """Scenarios in the order in which New game lists them."""
    sides: tuple[SideRow, ...]
    phases: tuple[PhaseRow, ...]
    movement_steps: tuple[MovementStep, ...]
    checks: tuple[CheckRow, ...]
    flag_losses: tuple[FlagLoss, ...]


class NationRow(Sourced, frozen=True, kw_only=True):
    """A nation as this scenario names and colours it."""

    id: Nation
    name: Text
    side: Side
    colour: Literal["blue", "green", "red", "yellow"]
    emblem: Text
    """star, ring, diamond, triangle, or up to four letters."""


class Seating(Sourced, frozen=True, kw_only=True):
    """Who plays what for a number of players."""

    players: Annotated[int, msgspec.Meta(ge=1, le=4)]
    seats: tuple[tuple[Nation, ...], ...]
    """Nations of each player."""


class StageRow(Sourced, frozen=True, kw_only=True):
    """A stage: who acts first, which phases take place and why others do not."""

    number: StageNumber
    first_side: Side
    phases: tuple[GamePhase, ...]
    skipped: dict[GamePhase, Text] = {}
    """Phase to the reason why it does not take place."""


class Tournament(Sourced, frozen=True, kw_only=True):
    """Tournament time; None: the text gives no limit and the table chooses its own minutes."""

    minutes_per_stage: Annotated[int, msgspec.Meta(gt=0, le=600)] | None = None


class RemovedCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A support card that is taken out of a deck before the game."""

    nation: Nation
    card: Text


class SetupRow(Sourced, frozen=True, kw_only=True):
    """What is peculiar to the start of a scenario."""

    hidden_fleets: tuple[Nation, ...]
    """Nations that start with a Hidden Fleet."""
    hidden_fleet_spaces: dict[Nation, tuple[Text, ...]] | None = None
    """Sea spaces that a nation may choose from."""
    hidden_units: dict[Nation, Annotated[int, msgspec.Meta(ge=1, le=20)]] = {}
    """Hidden unit box tokens of a nation."""
    removed_cards: tuple[RemovedCard, ...] = ()


class Standard(Sourced, frozen=True, kw_only=True):
    """Victory at the last stage."""

    stage: StageNumber
    kind: Literal["denied", "most_points"]
    """denied: `winner` wins unless `side` has its automatic victory; most_points: the higher total wins."""
    side: Side | None = None
    winner: Side | None = None
    tie_control: Text | None = None
    """The objective whose controller wins a tie."""


class Victory(Sourced, frozen=True, kw_only=True):
    """How the game is won. Points are at the end of the Victory Phase."""

    kind: Literal["points", "control"]
    start: dict[Side, Points] = {}
    automatic: dict[Side, Points] = {}
    """Side to the points that win at once; a side that is missing has no automatic victory."""
    automatic_control: dict[Side, tuple[Text, ...]] = {}
    """Side to the objectives and airfields that win at once."""
    stages: tuple[StageNumber, ...]
    """Stages in which automatic victory is checked."""
    standard: Standard


class Commander(Sourced, frozen=True, kw_only=True):
    """The commander game, three against three."""

    recommended: bool


class ScenarioFile(Sourced, frozen=True, kw_only=True):
    """A scenario."""

    scenario: Text
    title: Text
    family: Family
    board: Board
    summary: Text
    players: tuple[Annotated[int, msgspec.Meta(ge=1)], Annotated[int, msgspec.Meta(le=4)]]
    """Fewest and most."""
    minutes: tuple[Annotated[int, msgspec.Meta(ge=1)], Annotated[int, msgspec.Meta(le=1440)]]
    """Printed minutes of play, without tournament time."""
    tournament: Tournament | None = None
    """None: the rules know no tournament time."""
    nations: tuple[NationRow, ...]
    seatings: tuple[Seating, ...]
    stages: tuple[StageRow, ...]
    setup: SetupRow
    victory: Victory
    commander: Commander | None = None
    """None: the commander game is not offered."""
    checks: tuple[CheckRow, ...] = ()
    """Lines of this scenario alone, beside those of the shared file."""
