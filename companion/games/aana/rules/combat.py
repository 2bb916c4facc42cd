"""Who fires how many dice at which number in a combat, and what the fire may hit. Pure; rolls nothing.

A combat is an `Arena` (what never changes while it lasts) and counts of pieces by kind. Play and odds ask the
same functions. Casualties are chosen in `companion.games.aana.rules.casualties`.
Source: rulebook, Phase 4 (Conduct Combat), Flanking Attacks and Unit Profiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from typing import Final, Literal

import msgspec

from companion.core.ids import Nation, SiteId
from companion.core.text import Say, unit
from companion.games.aana.rules.figures import FigureBook, MissingFiguresError, Row
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.tables import NO_SPACE

__all__ = [
    "AIR_DEFENCE_NEED",
    "ATTACKER",
    "DEFENDER",
    "FACES",
    "SHOTS_PER_GUN",
    "Arena",
    "Counts",
    "Kind",
    "NoCombatUnitError",
    "Role",
    "Rules",
    "Volley",
    "air_defence_shots",
    "arena_of",
    "can_act",
    "has_bonus",
    "hit_chance",
    "shot_of",
    "strikers",
    "total",
    "volleys",
]

Counts = tuple[int, ...]
"""Pieces per kind, in the order of the arena's kinds of that role."""

Role = Literal["attacker", "defender"]
ATTACKER: Final[Role] = "attacker"
DEFENDER: Final[Role] = "defender"

AIR_DEFENCE_NEED: Final = 2
SHOTS_PER_GUN: Final = 3
FLANK_REROLL: Final = 8
FACES: Final = 10
"""Faces of a die of this game."""
SUPPORTED_ATTACK: Final = 3


class Kind(msgspec.Struct, frozen=True, omit_defaults=True, order=True):
    """Pieces that are alike in a combat."""

    unit: str
    power: Nation
    origin: SiteId = NO_SPACE
    """Territory attacked from; empty for air, sea and defenders."""
    damaged: bool = False
    """A battleship that has taken one hit."""
    late: bool = False
    """Joined while the attack was pressed: no targeted fire at tanks."""

    @property
    def piece(self) -> Piece:
        """Return the key of its pieces in the ledger."""
        return piece_key(self.power, self.unit, damaged=self.damaged)


class Rules(msgspec.Struct, frozen=True, omit_defaults=True):
    """What holds in one combat beyond its pieces."""

    domain: Literal["land", "sea"] = "land"
    main_origin: SiteId = NO_SPACE
    """Direction of the main attack; land units from elsewhere flank."""
    bonus_reroll: int = 0
    """Defending fire rerolls results from this face upward; 0 = no defensive bonus."""
    bonus_from: str = ""
    """The bonus holds only while land units attack from this territory; empty = against all."""
    bonus_once: bool = False
    """A rerolled result stands (ruling aana.bonus_reroll)."""
    spill: bool = True
    """A hit that no escort can take falls on transports (ruling aana.transport_hits)."""
    can_retreat: bool = True
    """The defender has somewhere to go; else whoever retreats is destroyed."""
    must_press: bool = False
    """A landing of round 7: pressed until one side is gone."""
    with_all: bool = False
    """Such a landing is pressed with all units: nobody turns aside."""
    aaa_last: Literal["", "refuge", "at_once", "ends"] = ""
    """What becomes of anti-aircraft artillery that is left alone after a round (ruling aana.aaa_last); empty: nothing."""
    vichy_binds: bool = False
    """Units that need no supply fight on where Vichy French units do (ruling aana.vichy_beside)."""


class NoCombatUnitError(ValueError):
    """A truck was named where only combat units fight."""

    def __init__(self, unit_: str) -> None:
        """Keep the sentence that names it."""
        self.say = Say("{unit} is not a combat unit.", unit=unit(unit_))
        super().__init__(str(self.say))


class Arena(msgspec.Struct, frozen=True, dict=True):
    """The fixed part of a combat. Build it with `arena_of`."""

    rules: Rules
    attackers: tuple[Kind, ...]
    defenders: tuple[Kind, ...]
    attacker_rows: tuple[Row, ...]
    defender_rows: tuple[Row, ...]
    attack_values: tuple[int, ...]
    defence_values: tuple[int, ...]

    def kinds(self, role: Role) -> tuple[Kind, ...]:
        """Return the kinds of a role."""
        return self.attackers if role == ATTACKER else self.defenders

    def rows(self, role: Role) -> tuple[Row, ...]:
        """Return the figures of a role's kinds."""
        return self.attacker_rows if role == ATTACKER else self.defender_rows

    def having(self, role: Role, trait: str) -> tuple[int, ...]:
        """Return the positions of the kinds that have a characteristic."""
        known = self._having.get((role, trait))
        if known is None:
            known = tuple(i for i, row in enumerate(self.rows(role)) if trait in row.traits)
            self._having[role, trait] = known
        return known

    @cached_property
    def holding_ground(self) -> tuple[int, ...]:
        """Positions of the attacking kinds that may move in."""
        return tuple(i for i, row in enumerate(self.attacker_rows) if row.holds_ground)

    @cached_property
    def supported(self) -> tuple[int, ...]:
        """Positions of the attacking kinds that gain by artillery, those first that gain most."""
        main = self.rules.main_origin

        def gain(i: int) -> int:
            """Compare chances over a common denominator: a flanking die shows one of fewer faces in the end."""
            raised = max(0, SUPPORTED_ATTACK - self.attack_values[i])
            return raised * (FACES if self.attackers[i].origin != main else FLANK_REROLL - 1)

        able = [i for i in self.having(ATTACKER, "supported") if gain(i) > 0]
        return tuple(sorted(able, key=lambda i: (-gain(i), i)))

    @cached_property
    def exempt(self) -> tuple[bool, ...]:
        """Whether each defending kind needs no supply to defend: air, scout cars, the French."""
        return tuple(
            row.type in ("air", "surface", "submarine") or "self_sufficient" in row.traits
            for row in self.defender_rows
        )

    @cached_property
    def _having(self) -> dict[tuple[Role, str], tuple[int, ...]]:
        return {}

    def of_type(self, role: Role, *types: str) -> tuple[int, ...]:
        """Return the positions of the kinds of some unit types."""
        return tuple(i for i, row in enumerate(self.rows(role)) if row.type in types)


class Volley(msgspec.Struct, frozen=True):
    """Dice that are rolled together at one number and may hit the same things."""

    kinds: tuple[int, ...]
    """Positions of the firing kinds."""
    dice: int
    need: int
    """A die hits on this or less."""
    reroll_from: int = 0
    """Results from this face upward are rolled again; 0 = none."""
    reroll_once: bool = False
    reach: Literal["any", "no_air", "no_sub"] = "any"
    aim: Literal["", "tanks", "air", "land", "sea"] = ""
    """What the firing player may force the owner to lose."""
    supported: int = 0
    """How many of the dice fire with artillery support."""


def total(counts: Counts) -> int:
    """Return the number of pieces."""
    return sum(counts)


def arena_of(
    book: FigureBook, rules: Rules, attackers: Iterable[Kind], defenders: Iterable[Kind]
) -> tuple[Arena, Mapping[Kind, int], Mapping[Kind, int]]:
    """Build an arena and the positions of the kinds; damaged twins of two-hit ships are added.

    Raises:
        MissingFiguresError: Attack or defence values that the fire needs are unknown; all keys are named.
        NoCombatUnitError: A truck is among the pieces.
        UnknownPieceError: A power has no such piece.
    """
    missing: list[str] = []
    built: list[tuple[tuple[Kind, ...], tuple[Row, ...], tuple[int, ...]]] = []
    for kinds, figure in ((attackers, "attack"), (defenders, "defence")):
        own = _with_twins(book, kinds)
        rows = tuple(book.row(kind.power, kind.unit) for kind in own)
        values: list[int] = []
        for row in rows:
            if not row.is_combat:
                raise NoCombatUnitError(row.unit)
            value = row.attack if figure == "attack" else row.defence
            if value is None:
                missing.append(FigureBook.key(row, figure))
            values.append(value or 0)
        built.append((own, rows, tuple(values)))
    if missing:
        raise MissingFiguresError(missing)
    (ak, ar, av), (dk, dr, dv) = built
    arena = Arena(rules, ak, dk, ar, dr, av, dv)
    return arena, {kind: i for i, kind in enumerate(ak)}, {kind: i for i, kind in enumerate(dk)}


def _with_twins(book: FigureBook, kinds: Iterable[Kind]) -> tuple[Kind, ...]:
    own: dict[Kind, None] = {}
    for kind in kinds:
        own[kind] = None
        if "two_hits" in book.row(kind.power, kind.unit).traits:
            own[msgspec.structs.replace(kind, damaged=False)] = None
            own[msgspec.structs.replace(kind, damaged=True)] = None
    return tuple(sorted(own))


def hit_chance(volley: Volley) -> Fraction:
    """Return the chance that one die of a volley hits."""
    return _hit_chance(volley.need, volley.reroll_from, volley.reroll_once)


@cache
def _hit_chance(need: int, reroll_from: int, reroll_once: bool) -> Fraction:
    if not reroll_from:
        return Fraction(min(need, 10), 10)
    kept = reroll_from - 1
    low = min(need, kept)
    if reroll_once:
        return Fraction(low, 10) + Fraction(10 - kept, 10) * Fraction(min(need, 10), 10)
    return Fraction(low, kept)


def air_defence_shots(arena: Arena, attackers: Counts, defenders: Counts) -> int:
    """Return the number of air defence dice before the first round: three a gun, one an attacking plane at most."""
    if arena.rules.domain != "land":
        return 0
    guns = sum(defenders[i] for i in arena.having(DEFENDER, "air_defence"))
    planes = sum(attackers[i] for i in arena.of_type(ATTACKER, "air"))
    return min(SHOTS_PER_GUN * guns, planes)


def strikers(arena: Arena, role: Role, own: Counts, enemy: Counts) -> tuple[int, ...]:
    """Return the kinds that may strike by surprise or submerge: submarines facing no destroyer."""
    if arena.rules.domain != "sea":
        return ()
    foe: Role = DEFENDER if role == ATTACKER else ATTACKER
    if any(enemy[i] for i in arena.having(foe, "anti_submarine")):
        return ()
    return tuple(i for i in arena.having(role, "submersible") if own[i])


def volleys(
    arena: Arena,
    role: Role,
    own: Counts,
    *,
    round_no: int,
    only: Sequence[int] | None = None,
    without: Sequence[int] = (),
    escort: Counts | None = None,
    enemy: Counts | None = None,
    cargo: int = 0,
    bonus: bool | None = None,
) -> tuple[Volley, ...]:
    """Return the dice of one side's fire.

    Args:
        own: Pieces that fire; casualties that still fire are in it, whoever retreats or has fired is not.
        only: Positions that fire now (a surprise strike); None = all.
        without: Positions that do not fire now (struck already).
        escort: Pieces of the own side whose presence at the start of the round decides what air units may hit
            (destroyers); None = `own`.
        enemy: Pieces that could be hit; a volley without any target is left out. None = do not ask.
        cargo: Enemy reinforcements on transports that could be hit.
        bonus: Whether the defensive bonus holds this round; None = as `enemy` has it, or who attacked at the start.
    """
    firing = [i for i in range(len(own)) if own[i] and i not in without and (only is None or i in only)]
    if role == DEFENDER and bonus is None:
        bonus = has_bonus(arena, enemy)
    merged: dict[Volley, list[tuple[int, int, int]]] = {}
    for i, shot, dice, supported in _fired(
        arena, role, own, firing, round_no=round_no, escort=escort, bonus=bool(bonus)
    ):
        if enemy is None or _has_target(arena, role, shot.reach, enemy, cargo):
            merged.setdefault(shot, []).append((i, dice, supported))
    return tuple(
        msgspec.structs.replace(
            shot,
            kinds=tuple([i for i, _, _ in parts]),
            dice=sum([dice for _, dice, _ in parts]),
            supported=sum([helped_dice for _, _, helped_dice in parts]),
        )
        for shot, parts in merged.items()
    )


def _fired(
    arena: Arena,
    role: Role,
    own: Counts,
    firing: Sequence[int],
    *,
    round_no: int,
    escort: Counts | None,
    bonus: bool,
) -> Iterator[tuple[int, Volley, int, int]]:
    """Yield what the kinds of one side fire that can hit: the kind, volley without pieces, dice, and how many are supported."""
    on_land = arena.rules.domain == "land"
    present = own if escort is None else escort
    helped = _supported(arena, own, firing) if role == ATTACKER and on_land else {}
    for i in firing:
        raised = helped.get(i, 0)
        for dice, is_helped in ((raised, True), (own[i] - raised, False)):
            if dice > 0:
                shot = shot_of(arena, role, i, round_no, present, is_helped=is_helped, bonus=bonus)
                if shot is not None:
                    yield i, shot, dice, dice if is_helped else 0


def shot_of(
    arena: Arena,
    role: Role,
    i: int,
    round_no: int,
    present: Counts,
    *,
    is_helped: bool = False,
    bonus: bool = False,
) -> Volley | None:
    """Return how the die of one piece of a kind is rolled, with neither pieces nor dice; None where it can hit nothing.

    Args:
        present: Pieces of its side at the start of the round, which decide what it may hit at sea.
        is_helped: Artillery supports it.
        bonus: The defensive bonus holds this round.
    """
    kind, row = arena.kinds(role)[i], arena.rows(role)[i]
    on_land = arena.rules.domain == "land"
    if role == ATTACKER:
        flank = on_land and row.type == "land" and kind.origin != arena.rules.main_origin
        reroll, once = (FLANK_REROLL if flank else 0), False
        need = arena.attack_values[i]
        need = max(need, SUPPORTED_ATTACK) if is_helped else need
    else:
        reroll = arena.rules.bonus_reroll if bonus else 0
        once = arena.rules.bonus_once and reroll > 0
        need = arena.defence_values[i]
    if need <= 0:
        return None
    reach = "any" if on_land else _reach(arena, role, i, present)
    return Volley((), 0, need, reroll, once, reach, _aim(arena, role, kind, row, round_no))


def has_bonus(arena: Arena, attackers: Counts | None = None) -> bool:
    """Say whether the defensive bonus holds: on land, against all, or while land units attack from its territory.

    Without `attackers` it asks for who attacked at the start.
    """
    rules = arena.rules
    if rules.domain != "land" or not rules.bonus_from:
        return rules.domain == "land"
    return any(
        kind.origin == rules.bonus_from and (attackers is None or attackers[i] > 0)
        for i, kind in enumerate(arena.attackers)
    )


def _aim(
    arena: Arena, role: Role, kind: Kind, row: Row, round_no: int
) -> Literal["", "tanks", "air", "land", "sea"]:
    on_land = arena.rules.domain == "land"
    if on_land and "target_tanks" in row.traits and round_no == 1 and not kind.late:
        return "tanks"
    if role == DEFENDER:
        return ""
    if on_land and "target_air" in row.traits:
        return "air"
    if on_land and "target_land" in row.traits:
        return "land"
    if not on_land and "target_sea" in row.traits:
        return "sea"
    return ""


def _supported(arena: Arena, own: Counts, firing: Sequence[int]) -> dict[int, int]:
    """Pair artillery one for one with the infantry that gains most by it, from whatever territory."""
    guns = sum([own[i] for i in arena.having(ATTACKER, "supports") if i in firing])
    pairs: dict[int, int] = {}
    for i in arena.supported:
        if guns and i in firing:
            pairs[i] = min(guns, own[i])
            guns -= pairs[i]
    return pairs


def _reach(arena: Arena, role: Role, i: int, present: Counts) -> Literal["any", "no_air", "no_sub"]:
    """Say what a shot at sea may hit, by who was there at the start of the round."""
    row, kind = arena.rows(role)[i], arena.kinds(role)[i]
    if row.type == "submarine":
        return "no_air"
    if row.type != "air":
        return "any"
    hunters = [j for j in arena.having(role, "anti_submarine") if present[j]]
    if role == ATTACKER:
        hunters = [j for j in hunters if arena.attackers[j].power == kind.power]
    return "any" if hunters else "no_sub"


def _has_target(arena: Arena, role: Role, reach: str, enemy: Counts, cargo: int) -> bool:
    foe: Role = DEFENDER if role == ATTACKER else ATTACKER
    if cargo and role == ATTACKER:
        escorted = any(enemy)
        if arena.rules.spill or not escorted:
            return True
    hidden = {"any": "", "no_air": "air", "no_sub": "submarine"}[reach]
    return any(n and row.type != hidden for n, row in zip(enemy, arena.rows(foe), strict=True))


def can_act(arena: Arena, role: Role, own: Counts, enemy: Counts, cargo: int = 0) -> bool:
    """Say whether a side still has something that can fire at a valid target or retreat.

    Args:
        cargo: The defender's reinforcements on transports in the combat: they may escape, and be hit.
    """
    if role == DEFENDER:
        if cargo:
            return True
        if arena.rules.domain == "land" and arena.rules.can_retreat:
            movable = [i for i, kind in enumerate(arena.defenders) if kind.power != "vichy"]
            if any(own[i] for i in movable):
                return True
    firing = [i for i, n in enumerate(own) if n]
    shots = _fired(arena, role, own, firing, round_no=2, escort=None, bonus=False)
    load = cargo if role == ATTACKER else 0
    return any(_has_target(arena, role, shot.reach, enemy, load) for _, shot, _, _ in shots)
