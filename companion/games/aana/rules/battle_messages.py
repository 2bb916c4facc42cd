"""What the table may do in phases 3 and 4, what then happened, and the slice that keeps it.

Source: rulebook, Declaration of Attacks, Phase 4, Mine Token Detonation, Optional Rules.
"""

from __future__ import annotations

import msgspec

from companion.core.commands import Command
from companion.core.dice import DiceOrigin
from companion.core.events import Event
from companion.core.ids import Millis, Nation, SiteId, StepId
from companion.core.state import GameState
from companion.games.aana.rules.fight import Fight, VolleyRoll
from companion.games.aana.rules.ledger import ledger_of
from companion.games.aana.rules.pieces import Piece
from companion.games.aana.rules.sequence import LANDING_ROUND
from companion.games.aana.rules.tables import NO_SPACE

__all__ = [
    "Attack",
    "AttackChanged",
    "AttackDeclared",
    "AttackGroup",
    "Battles",
    "Cease",
    "CombatConcluded",
    "Conclude",
    "DeclareAttack",
    "FightChanged",
    "FireRolled",
    "GiveOrders",
    "JoinAttack",
    "LeaveCombat",
    "MinesRolled",
    "OpenCombat",
    "Press",
    "RollFire",
    "RollMines",
    "TakeLosses",
    "attack_of",
    "battles_of",
    "declared_units",
    "fight_of",
    "is_landing_open",
]


class AttackGroup(msgspec.Struct, frozen=True, omit_defaults=True):
    """Units that attack from one place; aircraft and ships stand in the attacked space or where they started."""

    origin: SiteId
    units: dict[Piece, int]
    """Power.unit to count."""
    supply_from: str = ""
    """Territory that pays; empty = the origin; ``A+B``: what A has, the rest from B."""
    spaces: int = 0
    """Spaces that aircraft and ships enter on the way from the origin into the attack; 0 = as the borders tell."""


class Attack(msgspec.Struct, frozen=True, omit_defaults=True):
    """A declared attack."""

    id: int
    space: SiteId
    power: Nation
    groups: tuple[AttackGroup, ...]
    is_landing: bool = False
    paid: int = 0
    result: str = ""
    """Empty while it waits."""


class DeclareAttack(Command, frozen=True, tag=True):
    """Declare an attack on a space and pay its supply."""

    step: StepId
    space: SiteId
    groups: tuple[AttackGroup, ...]
    defended: bool | None = None
    """Whether enemy combat units stand there; None = as the ledger says."""


class OpenCombat(Command, frozen=True, tag=True):
    """Begin a declared attack."""

    step: StepId
    attack: int
    defenders: dict[Piece, int] | None = None
    """None = as the ledger says, which must have been told."""
    cargo: dict[Piece, int] | None = None
    """Reinforcements on transports, supply as POWER.supply; None = as the ledger says."""
    main_origin: SiteId = NO_SPACE
    """Direction of the main attack where several are equally strong."""
    can_retreat: bool = True


class RollFire(Command, frozen=True, tag=True):
    """Enter the dice of the current stage, volley by volley."""

    step: StepId
    rolls: tuple[VolleyRoll, ...]
    origin: DiceOrigin = DiceOrigin()
    takes_losses: bool = False
    """Losses that leave nobody a choice are taken at once."""


class TakeLosses(Command, frozen=True, tag=True):
    """Pay the hits: as proposed, or as the owners choose within the rules."""

    step: StepId
    losses: dict[str, int] | None = None
    """Kind key to hits taken by it; None = as proposed."""
    cargo: dict[Piece, int] | None = None
    """Reinforcements and supply lost, supply as POWER.supply; None = as proposed."""


class GiveOrders(Command, frozen=True, tag=True):
    """Step 1: the defender fights or retreats, submarines strike or submerge, raids destroy supply."""

    step: StepId
    fight: bool = True
    exempt_fight: bool = False
    supply_from: str = ""
    """Territory that pays for the defence; empty = the defended one."""
    raids: int | None = None
    """Tokens destroyed by scout cars and bombers before the first dice; None = all that may be."""
    submerge_attack: int = 0
    submerge_defence: int = 0


class LeaveCombat(Command, frozen=True, tag=True):
    """Step 4: retreating units go to their territories, one transport escapes."""

    step: StepId
    to: dict[SiteId, dict[Piece, int]] = {}
    """Territory to pieces; what is not named is destroyed."""
    escape: dict[Piece, int] | None = None
    """Who escapes, up to two bays; None = as proposed."""
    nowhere: bool = False
    """No territory may take the retreating units: they are destroyed."""


class Press(Command, frozen=True, tag=True):
    """Step 5: pay and go on; units in `aside` retreat."""

    step: StepId
    aside: dict[str, int] = {}
    supply_from: dict[SiteId, str] = {}
    """Attacking territory to the territory that pays, as in an attack; missing = itself."""


class JoinAttack(Command, frozen=True, tag=True):
    """Optional rule: add land units to an attack that is about to be pressed."""

    step: StepId
    group: AttackGroup


class Cease(Command, frozen=True, tag=True):
    """Step 5: break the attack off."""

    step: StepId


class Conclude(Command, frozen=True, tag=True):
    """Step 6: move in, capture, clear away."""

    step: StepId
    advance: dict[str, int] | None = None
    """Kind key to pieces that move in; None = as many as the stacking limit takes, strongest defenders first."""
    at_ms: Millis = 0
    raids: int = 0
    """Tokens that scout cars and bombers destroy where no combat was fought."""


class RollMines(Command, frozen=True, tag=True):
    """Detonate mines: three dice an icon on land, one a token at sea; 3 or less hits."""

    step: StepId
    place: SiteId
    owner: str
    """The territory from which the border is crossed, or the power that owns the sea mines."""
    mines: int
    values: tuple[int, ...]
    attack: int | None = None
    """Attack whose units cross the border; None for a blitz or a move."""
    hit: dict[Piece, int] = {}
    """Pieces that are turned back (land) or take a hit (sea); cargo two bays a hit, supply as POWER.supply."""
    origin: DiceOrigin = DiceOrigin()


class AttackDeclared(Event, frozen=True, tag=True):
    """An attack was declared."""

    attack: Attack


class AttackChanged(Event, frozen=True, tag=True):
    """Mines turned units of an attack back, or it is over."""

    attack: Attack


class FightChanged(Event, frozen=True, tag=True):
    """A combat went on; the whole of it after what happened."""

    what: str
    """``opened``, ``ordered``, ``losses``, ``left``, ``pressed``, ``joined``, ``ceased`` or ``ruled``."""
    fight: Fight


class FireRolled(Event, frozen=True, tag=True):
    """Dice of a combat fell."""

    fight: Fight
    origin: DiceOrigin


class MinesRolled(Event, frozen=True, tag=True):
    """Mines went off."""

    place: SiteId
    owner: str
    values: tuple[int, ...]
    hits: int
    hit: dict[Piece, int] = {}
    origin: DiceOrigin = DiceOrigin()


class CombatConcluded(Event, frozen=True, tag=True):
    """A combat is over and its space settled."""

    fight: Fight
    stayed: dict[SiteId, dict[Piece, int]] = {}
    """Place to the attacking pieces that are left and did not move in: they have fought this turn."""


class Battles(msgspec.Struct, frozen=True):
    """The slice of this part."""

    attacks: tuple[Attack, ...] = ()
    """Attacks of the turn, in order of declaration."""
    next_id: int = 1
    fight: Fight | None = None
    fought: tuple[Fight, ...] = ()
    """Combats of the turn that are over, for the screen; the log has all."""
    turn: str = ""
    turned: dict[str, dict[Piece, int]] = {}
    """Territory to the pieces that land mines turned back this turn: they do nothing more."""
    stayed: dict[SiteId, dict[Piece, int]] = {}
    """Place to the pieces that have fought this turn and stand there."""


def battles_of(state: GameState) -> Battles:
    """Return the slice of a state."""
    own: Battles = state.game["battle"]
    return own


def fight_of(state: GameState) -> Fight | None:
    """Return the combat under way."""
    return battles_of(state).fight


def attack_of(state: GameState, fight: Fight) -> Attack:
    """Return the attack that a combat fights out."""
    return next(item for item in battles_of(state).attacks if item.id == fight.attack)


def is_landing_open(state: GameState) -> bool:
    """Say whether landings of round 7 still stand in their territories."""
    return any(key.endswith("@landing") for key in ledger_of(state).supply) and (
        state.step.stage == LANDING_ROUND
    )


def declared_units(state: GameState) -> dict[tuple[SiteId, str], int]:
    """Count the pieces that attack or have fought this turn, by place and piece."""
    used: dict[tuple[SiteId, str], int] = {}
    slice_ = battles_of(state)
    for attack in slice_.attacks:
        for group in () if attack.result else attack.groups:
            for piece, n in group.units.items():
                used[group.origin, piece] = used.get((group.origin, piece), 0) + n
    for place, pieces in slice_.stayed.items():
        for piece, n in pieces.items():
            used[place, piece] = used.get((place, piece), 0) + n
    return used
