"""What The Soft Underbelly keeps, and the questions that every part of its rules asks of it.

Positions stay on the board. Source: The Soft Underbelly, Production; Lend-Lease; Replacement Production; Possessing and Controlling.
"""

from __future__ import annotations

import msgspec

from companion.core.ids import Nation, Side
from companion.core.judgement import Judgement, Need, judged, unknown
from companion.core.options import says
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, several
from companion.core.text import nation as named
from companion.games.tsu.rules.commands import Result
from companion.games.tsu.rules.forces import Attack
from companion.games.tsu.rules.schema import DateId, StarRole, season_at
from companion.games.tsu.rules.units import Tables, Unit

__all__ = [
    "ALLIES",
    "AXIS",
    "BRITAIN",
    "GERMANY",
    "ITALY",
    "PATH",
    "SIDE_OF",
    "US",
    "Declared",
    "Spent",
    "StarMove",
    "TsuSlice",
    "attack_date",
    "budget",
    "holds_from",
    "is_at_war",
    "is_italy_at_war",
    "is_reorganized",
    "left_of",
    "lendable",
    "lender_of",
    "is_free_french",
    "may_attack",
    "may_supply",
    "not_at_war",
    "path_open",
    "season_from",
    "season_now",
    "season_of",
    "slice_of",
    "unknown_nation",
]

AXIS, ALLIES = Side("axis"), Side("allies")
GERMANY, ITALY, BRITAIN, US = Nation("germany"), Nation("italy"), Nation("britain"), Nation("us")
SIDE_OF: dict[str, Side] = {GERMANY: AXIS, ITALY: AXIS, BRITAIN: ALLIES, US: ALLIES}


class Declared(msgspec.Struct, frozen=True):
    """An attack of this turn."""

    number: int
    attack: Attack
    supplies: tuple[int, ...] = ()
    """Numbers of the supplies that support it."""
    dropped: bool = False
    unopposed: bool = False
    """A landing on an area in which nobody stood when it was declared."""
    result: Result | None = None

    @property
    def done(self) -> bool:
        """Say whether it was fought or given up."""
        return self.dropped or self.result is not None


class Spent(msgspec.Struct, frozen=True):
    """A supply that was used up in this turn."""

    number: int
    unit: Unit
    dedicated: bool = False
    """For one landing alone."""


class StarMove(msgspec.Struct, frozen=True):
    """A star that changed hands."""

    star: str
    holder: Nation | None
    stage: int


class TsuSlice(msgspec.Struct, frozen=True):
    """What the game keeps."""

    tables: Tables
    production: dict[str, tuple[tuple[int, int], ...]]
    """Nation to season key and off-map stars from then on, in order of time."""
    first_season: int
    last_season: int
    dates: dict[DateId, int]
    """Rule to the season key from which it holds."""
    star_roles: dict[StarRole, tuple[str, ...]]
    """Role to the stars that have it."""
    stars: dict[str, Nation | None]
    star_names: dict[str, str]
    boxes: dict[str, dict[str, int]]
    controlled: dict[str, Side] = {}
    """Stars on which ships or aircraft of a side stand alone: no production, but see ruling ``hold_stars``."""
    star_moves: tuple[StarMove, ...] = ()
    """Every change of holder, in order."""
    spent: dict[str, int] = {}
    """Stars used in this turn by nation, lent ones counted at the lender."""
    lent: dict[str, int] = {}
    """Stars lent in this turn by lender."""
    attacks: tuple[Declared, ...] = ()
    supplies: tuple[Spent, ...] = ()
    happened: dict[str, int] = {}
    """Happening to the stage in which it was first reported, or last where it is judged turn by turn."""
    invasion_units: dict[str, int] = {}
    """What came out of the German box in the invasion turn."""
    reorganized_from: int | None = None
    axis_path: bool | None = True
    """An uncontested path from a German to an Italian star is open; None: nobody has said so yet."""

    @property
    def italy_fallen(self) -> bool:
        """Say whether Italy is defeated: its units are out of the game."""
        return "italy_fell" in self.happened


def slice_of(state: GameState) -> TsuSlice:
    """Return the game's slice of a state."""
    own: TsuSlice = state.game["tsu"]
    return own


def season_now(own: TsuSlice, stage: int) -> int:
    """Return the season key of a stage; the set-up counts as the first season."""
    return own.first_season + max(1, stage) - 1


def season_of(own: TsuSlice, stage: int) -> str:
    """Return the season of a stage, such as ``fall 1942``."""
    return season_at(season_now(own, stage))


def holds_from(own: TsuSlice, date: DateId, stage: int) -> bool:
    """Say whether a rule that begins on a date holds in a stage."""
    return season_now(own, stage) >= own.dates[date]


def is_italy_at_war(own: TsuSlice, stage: int) -> bool:
    """Say whether Italy fights: no longer neutral, and not fallen."""
    return holds_from(own, "italy_at_war", stage) and not own.italy_fallen


def is_at_war(own: TsuSlice, nation: Nation, stage: int) -> bool:
    """Say whether a nation fights: not neutral any more, and not fallen.

    Source: The Soft Underbelly, Set Up; Italy; Lend-Lease.
    """
    if nation == ITALY:
        return is_italy_at_war(own, stage)
    return nation != US or holds_from(own, "us_at_war", stage)


def attack_date(state: GameState, nation: Nation) -> DateId:
    """Return the rule's date from which a late nation attacks: at war, or with its first units as the table rules.

    Source: The Soft Underbelly, Set Up.
    """
    if nation == ITALY:
        return "italy_at_war"
    return "us_units" if says(state, "us_attacks", "first_units") else "us_at_war"


def is_free_french(state: GameState) -> bool:
    """Say whether Vichy has turned Free French, as the ruling ``vichy_free`` says."""
    own = slice_of(state)
    dated = holds_from(own, "free_french", state.step.stage)
    invaded = "invaded_vichy" in own.happened
    return (dated and not says(state, "vichy_free", "invasion")) or (
        invaded and not says(state, "vichy_free", "fall_1942")
    )


def may_attack(state: GameState, nation: Nation) -> bool:
    """Say whether a nation may attack now; units entered as American before the United States fight are Free French.

    Source: The Soft Underbelly, Set Up; US-Britain-France; table rulings "us_attacks" and "french_attacks"
    """
    own, stage = slice_of(state), state.step.stage
    if nation == US and says(state, "french_attacks", "at_once") and is_free_french(state):
        return True
    return is_at_war(own, nation, stage) and (nation != US or holds_from(own, attack_date(state, US), stage))


def may_supply(state: GameState, nation: Nation) -> bool:
    """Say whether a nation's Supply, Convoys and Landing Craft may be used now.

    Source: The Soft Underbelly, Lend-Lease; The Axis Pact; Set Up.
    """
    own, stage = slice_of(state), state.step.stage
    is_lent = nation == ITALY and not own.italy_fallen and not says(state, "italian_supply", "at_war")
    return is_lent or is_at_war(own, nation, stage)


def season_from(own: TsuSlice, date: DateId) -> Name:
    """Name the season from which a rule holds."""
    return Name("season", season_at(own.dates[date]))


def not_at_war(own: TsuSlice, nation: Nation, date: DateId | None = None) -> Say:
    """Say why Italy or the United States do not fight now; `date`: what they wait for, if not for war itself.

    Source: The Soft Underbelly, Italy; Lend-Lease.
    """
    if nation == ITALY and own.italy_fallen:
        return Say("{nation} has fallen and is out of the game.", nation=named(nation))
    if date == "us_units":
        return Say(
            "{nation}: no attacks until {season}.", nation=named(nation), season=season_from(own, date)
        )
    date = "italy_at_war" if nation == ITALY else "us_at_war"
    return Say("{nation}: neutral until {season}.", nation=named(nation), season=season_from(own, date))


def unknown_nation(*nations: str) -> Say:
    """Say that a game has no such nations."""
    return Say("This game has no such nation: {nations}.", nations=several(map(Typed, nations)))


def budget(own: TsuSlice, nation: Nation, stage: int) -> int:
    """Return a nation's stars in a season: off-map production and the on-map stars that it holds."""
    if nation == ITALY and not is_italy_at_war(own, stage):
        return 0
    key = season_now(own, stage)
    base = 0
    for start, count in own.production.get(nation, ()):
        if start <= key:
            base = count
    return base + sum(1 for holder in own.stars.values() if holder == nation)


def left_of(own: TsuSlice, nation: Nation, stage: int) -> int:
    """Return the stars that a nation can still use in this turn."""
    return budget(own, nation, stage) - own.spent.get(nation, 0)


def lender_of(own: TsuSlice, nation: Nation, stage: int) -> Nation | None:
    """Return who may lend this nation a star now, or None."""
    if nation == BRITAIN and holds_from(own, "us_at_war", stage):
        return US
    if nation == ITALY and own.axis_path is not False and is_italy_at_war(own, stage):
        return GERMANY
    return None


PATH = "axis_path"
"""How the question for the overland path is named."""


def path_open(own: TsuSlice) -> Judgement:
    """Say whether an uncontested overland path leads from a German to an Italian star; only the map knows.

    Source: The Soft Underbelly, Replacements (Italy).
    """
    if own.axis_path is not None:
        return judged(own.axis_path)
    question = Say("Is an overland path from a German to an Italian star free of enemies?")
    return unknown(Need(PATH, "", question))


def lendable(own: TsuSlice, lender: Nation, stage: int) -> int:
    """Return how many stars a lender can still lend in this turn: one at most.

    The United States lends one as soon as it is at war, although its own stars begin later.
    """
    if own.lent.get(lender, 0) >= 1:
        return 0
    if lender == US and budget(own, US, stage) == 0:
        return 1
    return 1 if left_of(own, lender, stage) >= 1 else 0


def is_reorganized(own: TsuSlice, stage: int) -> bool:
    """Say whether Germany's reorganized army is in force."""
    return own.reorganized_from is not None and stage >= own.reorganized_from
