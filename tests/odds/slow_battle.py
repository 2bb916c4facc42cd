"""The oracle of battle odds: every face of every die, in Fractions, and casualties by trying everything.

Knows of the rules only who rolls what (`step_rolls`); what a hit kills and what a policy takes is written out here
from the table ruling, as plainly as can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight
from companion.games.sfw.rules.battle_play import step_rolls, unloaded
from companion.games.sfw.rules.battle_rolls import Aim, Volley, steps

Shot = tuple[int, Aim, bool]
WEIGHTS = {1: 1, 2: 2, 3: 4, 4: 8}
LISTED = {1: {1: 1}, 2: {2: 1, 1: 2}, 3: {3: 1, 2: 2, 1: 3}, 4: {4: 1, 3: 2, 2: 3, 1: 4}}
"""First edition: how many units of each armour a hit of a level removes. Mixes that use a hit up are not told apart."""


def _room(fight: Fight, level: int) -> Fraction:
    return Fraction(1) if fight.edition.key == "sfw1" else Fraction(WEIGHTS[level])


def _price(fight: Fight, level: int, armour: int) -> Fraction:
    return Fraction(1, LISTED[level][armour]) if fight.edition.key == "sfw1" else Fraction(WEIGHTS[armour])


def slow_odds(fight: Fight) -> dict[tuple[Counts, Counts], Fraction]:
    """Return the exact chance of every pair of counts at the end, under the cheapest policy."""
    states = {(fight.start(ATTACKING), fight.start(DEFENDING)): Fraction(1)}
    for step in steps(fight):
        after: dict[tuple[Counts, Counts], Fraction] = {}
        for (attacking, defending), chance in states.items():
            if step == "7B":
                attacking = unloaded(fight, attacking)
            both = step_rolls(fight, step, attacking, defending)
            for on_defender, p in _hits(both[0].volleys, fight):
                lost = _pay(fight, DEFENDING, defending, on_defender)
                for on_attacker, q in _hits(both[1].volleys, fight):
                    key = (_pay(fight, ATTACKING, attacking, on_attacker), lost)
                    after[key] = after.get(key, Fraction(0)) + chance * p * q
        states = after
    return states


def _hits(volleys: tuple[Volley, ...], fight: Fight) -> Iterator[tuple[tuple[Shot, ...], Fraction]]:
    dice = [_die(volley, fight) for volley in volleys for _ in range(volley.dice)]
    found: dict[tuple[Shot, ...], Fraction] = {}
    for faces in product(*dice):
        shots = tuple(sorted((shot for face in faces for shot in face[0]), key=repr))
        chance = Fraction(1)
        for face in faces:
            chance *= face[1]
        found[shots] = found.get(shots, Fraction(0)) + chance
    yield from found.items()


def _die(volley: Volley, fight: Fight, depth: int = 0) -> list[tuple[tuple[Shot, ...], Fraction]]:
    """Return what one die can come to: hits and chance.

    A chain of extra shots ends after as many hits as there are enemies: more of them would change nothing.
    """
    kinds = fight.kinds(DEFENDING if volley.side == ATTACKING else ATTACKING)
    enemies = [kinds[kind.source].start * kind.per if kind.source >= 0 else kind.start for kind in kinds]
    plain: Shot = (volley.level, volley.aim, False)
    level = min(4, volley.level + 1) if volley.level_up else volley.level
    special: Shot = (level, volley.aim, volley.precise)
    found = [((), Fraction(volley.number - 1, 12)), ((plain,), Fraction(12 - volley.number, 12))]
    if not volley.extra_shot or depth + 1 >= sum(enemies):
        found.append(((special,), Fraction(1, 12)))
    else:
        found += [((special, *shots), chance / 12) for shots, chance in _die(volley, fight, depth + 1)]
    return [entry for entry in found if entry[1]]


def _pay(fight: Fight, side: str, counts: Counts, shots: tuple[Shot, ...]) -> Counts:
    for shot in sorted((shot for shot in shots if shot[2]), key=lambda shot: -shot[0]):
        options = _payments(fight, side, counts, (shot,))
        counts = max(options, key=lambda after: _loss(fight, side, counts, after)[:2])
    plain = tuple(shot for shot in shots if not shot[2])
    return min(_payments(fight, side, counts, plain), key=lambda after: _loss(fight, side, counts, after))


def _loss(fight: Fight, side: str, before: Counts, after: Counts) -> tuple[int, int, tuple[int, ...]]:
    lost = [b - a for b, a in zip(before, after, strict=True)]
    kinds = fight.kinds(side)
    return (
        sum(kind.cost * n for kind, n in zip(kinds, lost, strict=True)),
        sum(n for kind, n in zip(kinds, lost, strict=True) if kind.unit.control),
        tuple(-n for n in lost),
    )


def _payments(fight: Fight, side: str, counts: Counts, shots: tuple[Shot, ...]) -> list[Counts]:
    """Return every way to pay that pays as much as any: each unit goes to one hit or to none."""
    units = [index for index, count in enumerate(counts) for _ in range(count)]
    best, found = Fraction(-1), set()
    seen: set[tuple[int, Counts, tuple[Fraction, ...]]] = set()

    def place(n: int, left: Counts, room: tuple[Fraction, ...], paid: Fraction) -> None:
        nonlocal best, found
        if (n, left, room) in seen:
            return
        seen.add((n, left, room))
        if n == len(units):
            if paid > best:
                best, found = paid, set()
            if paid == best:
                found.add(left)
            return
        place(n + 1, left, room, paid)
        index = units[n]
        kind = fight.kinds(side)[index]
        for shot, (level, aim, _) in enumerate(shots):
            armour = _armour(fight, side, index, aim, counts)
            fits = (
                kind.place == aim.place
                and kind.role == aim.role
                and kind.unit.type in aim.types
                and (aim.sonar or "submerged" not in kind.unit.abilities)
                and armour <= level
                and _price(fight, level, armour) <= room[shot]
            )
            if fits:
                price = _price(fight, level, armour)
                fewer = tuple(c - (i == index) for i, c in enumerate(left))
                less = tuple(r - price * (i == shot) for i, r in enumerate(room))
                place(n + 1, fewer, less, paid + price)

    place(0, counts, tuple(_room(fight, level) for level, _, _ in shots), Fraction(0))
    return sorted(found)


def _armour(fight: Fight, side: str, index: int, aim: Aim, counts: Counts) -> int:
    kind = fight.kinds(side)[index]
    covered = "coverage" in kind.unit.abilities and any(
        counts[other.index] and other.unit.id == "fighter" and other.nation == kind.nation
        for other in fight.kinds(side)
        if other.place == kind.place
    )
    return 3 if covered and (aim.air or fight.edition.key == "sfw1") else kind.unit.armour
