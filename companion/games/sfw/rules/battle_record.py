"""What a running game remembers of its battles: the declared ones, the one being fought, the luck so far.

Frozen values only; the commands that change them are in `companion.games.sfw.rules.battle_commands`.

Source: rulebook v0.96, Declaring Battles; Resolving Battles; Battle Steps.
"""

from __future__ import annotations

import msgspec

from companion.core.dice import Roll
from companion.core.ids import Nation, Side
from companion.core.places import same_place
from companion.games.sfw.rules.battle import Battle, Counts, Group
from companion.games.sfw.rules.battle_losses import Hit

__all__ = [
    "BattleSlice",
    "Declared",
    "Line",
    "Luck",
    "Owed",
    "Progress",
    "StepRecord",
    "Thrown",
    "Used",
]


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the roll list: like dice of one side that are rolled together."""

    side: str
    colour: str
    number: int
    dice: int
    """Dice asked for at first; extra shots come on top."""
    nation: str
    units: tuple[str, ...]
    """Unit ids, or a token's name, that roll here."""
    kinds: tuple[int, ...]
    """Kinds of the fight that roll here; -1 for a token or an airfield."""
    volleys: tuple[int, ...]
    """Which of the side's volleys of this step."""


class Thrown(msgspec.Struct, frozen=True, omit_defaults=True):
    """What has been rolled for one line so far."""

    line: int
    rolls: tuple[Roll, ...] = ()
    hits: int = 0
    twelves: int = 0
    waiting: int = 0
    """Dice still to be rolled on this line."""


class Owed(msgspec.Struct, frozen=True, omit_defaults=True):
    """Casualties that one side has to take on this step."""

    side: str
    precise: tuple[Hit, ...]
    """Hits whose casualties the other side chooses, first."""
    plain: tuple[Hit, ...]
    to_combine: bool = False
    """The shooters may still combine their hits (7A)."""
    hits: tuple[Hit, ...] = ()
    """All hits of the step on this side, for the record."""
    taken: Counts = ()
    """Losses chosen so far, by kind; empty before the first choice."""
    is_settled: bool = False


class StepRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened on one battle step, for the report."""

    step: str
    lines: tuple[Line, ...]
    thrown: tuple[Thrown, ...]
    hits: dict[str, tuple[Hit, ...]]
    """By the side that was hit."""
    losses: dict[str, Counts]


class Progress(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a battle being fought stands."""

    position: int
    """Index into the steps of the fight."""
    step: str
    attacking: Counts
    defending: Counts
    lines: tuple[Line, ...] = ()
    thrown: tuple[Thrown, ...] = ()
    owed: tuple[Owed, ...] = ()
    """Casualties to be taken; empty while dice are rolled."""
    records: tuple[StepRecord, ...] = ()
    bombing: int = 0
    """Hits on the objective's resupply."""
    retreat_to: str = ""
    """Space to which units retreated; empty where nobody did or the table did not say."""

    def counts(self, side: str) -> Counts:
        """Return a side's strength now."""
        return self.attacking if side == "attacking" else self.defending


class Declared(msgspec.Struct, frozen=True):
    """A battle declared, or a bonus roll called for, with everything known of it."""

    id: str
    """Letter of its marker: A, B ... Z, then A2, B2 ..."""
    space: str
    stage: int
    movement_step: int
    attacker: Side
    battle: Battle
    status: str = "declared"
    """``declared``, ``fighting``, ``over`` or ``broken_off``."""
    progress: Progress | None = None
    started: Battle | None = None
    """Composition with which it was begun."""
    late: str = ""
    """Why it was declared after the first battle of its act had begun; empty: it was in time."""


class Used(msgspec.Struct, frozen=True, omit_defaults=True):
    """Units that have used their one attack or defence of this movement step."""

    role: str
    """``attacking`` or ``defending``."""
    home: str
    """Space in which they stand; empty: nobody has said."""
    nation: str
    unit: str
    count: int
    dice: tuple[str, ...] = ()
    """Colours of the dice that a supporter gave, where it kept others; empty: all of them."""


class Luck(msgspec.Struct, frozen=True, omit_defaults=True):
    """Hits of one nation so far: what was to be expected and what came."""

    dice: int = 0
    expected_132: int = 0
    """Expected hits in units of 1/132, so that extra shots stay exact."""
    hits: int = 0
    lost_cost: int = 0
    lost_units: int = 0

    @property
    def expected(self) -> float:
        """Expected hits, 0 or more, with fractions."""
        return self.expected_132 / 132


class BattleSlice(msgspec.Struct, frozen=True):
    """The battles of a game."""

    battles: tuple[Declared, ...] = ()
    """Battles of the current movement step, in order of declaration."""
    history: tuple[Declared, ...] = ()
    """Battles of earlier movement steps, oldest first."""
    compositions: dict[str, dict[str, tuple[Group, ...]]] = {}
    """Space to side to the units last known there, supporters included."""
    used: tuple[Used, ...] = ()
    luck: dict[Nation, Luck] = {}
    count: int = 0
    """Battles declared in this movement step so far, for the letters."""

    def with_enemies(self, space: str, sides: tuple[str, ...]) -> Declared | None:
        """Return a battle of some sides that has enemies of theirs in a space; None where none is known."""
        return next(
            (
                entry
                for entry in self.battles
                if entry.attacker in sides
                and same_place(entry.space, space)
                and any(group.count and not group.distance for group in entry.battle.defending)
            ),
            None,
        )

    def last_known(self, space: str) -> dict[str, tuple[Group, ...]]:
        """Return the units last known in a space by side, however it is spelled; empty where none are."""
        known = self.compositions.get(space)
        if known is not None:
            return known
        return next((left for name, left in self.compositions.items() if same_place(name, space)), {})

    def find(self, battle: str) -> Declared | None:
        """Return a battle of this movement step by its letter."""
        return next((entry for entry in self.battles if entry.id == battle), None)
