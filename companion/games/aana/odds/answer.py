"""What is told of the odds of a North Africa combat: chances, expected losses, and every end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

import msgspec

from companion.games.aana.odds.sides import Attacking, Defending
from companion.games.aana.odds.states import States
from companion.games.aana.odds.tables import Floats, Ints, distinct, ordered
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Counts, total
from companion.games.aana.rules.rounds import ENDINGS, UNLIMITED
from companion.odds.arrays import np

__all__ = ["MAX_ROUNDS", "Ending", "Odds", "answer"]

MAX_ROUNDS: Final = 40
"""Rounds told apart; whatever ends later counts as `MAX_ROUNDS` + 1."""
_LEAVES: Final = ("", "retreat", "surrender")
T = TypeVar("T")


class Ending(msgspec.Struct, frozen=True, gc=False):
    """One way in which the combat can end."""

    result: str
    """One of `ENDINGS`."""
    attackers: Counts
    """Survivors by kind, retreated and submerged ones included."""
    defenders: Counts
    """Survivors by kind, retreated, submerged and surrendered ones included."""
    cargo: Cargo
    """Reinforcements still within reach of the enemy."""
    escaped: Cargo
    captures: bool
    """The attacker may move in."""
    leaves: str
    """How the last defenders left: ``""``, ``retreat`` or ``surrender``."""
    p: float


class Odds(msgspec.Struct, frozen=True):
    """What is to be expected of a combat; probabilities sum to 1."""

    results: Mapping[str, float]
    """Every word of `ENDINGS` to its chance."""
    p_capture: float
    p_retreat: float
    """The last defenders leave by retreating."""
    p_surrender: float
    rounds: Mapping[int, float]
    """Chance that the combat ends after so many rounds: 0 when anti-aircraft artillery alone is swept away,
    `MAX_ROUNDS` + 1 for more than `MAX_ROUNDS`."""
    expected_loss: Mapping[str, float]
    """Units lost on average, by role and ``cargo`` (supply in bundles of five)."""
    survivors: Mapping[str, tuple[float, ...]]
    """Units of each kind left on average, by role."""
    left: Mapping[str, Mapping[int, float]]
    """Chance of exactly so many units left, by role."""
    supply_left: Mapping[str, float]
    """Supply left on average, by role; only where it is counted."""
    endings: tuple[Ending, ...]
    """Every end, likeliest first."""


def answer(
    states: States,
    ends: Sequence[tuple[Ints, Ints, Ints, Floats]],
    rounds: Mapping[int, float],
    start: tuple[Attacking, Defending],
    *,
    tells_ends: bool,
) -> Odds:
    """Add up the ends that leave the same, and say what is to be expected.

    Args:
        ends: How the combat ended, a place in `ENDINGS`, with which attackers and defenders, by number, and its chance, 0 to 1; an
            array each.
        rounds: Chance, 0 to 1, that the combat ends after so many rounds.
        start: What both sides started with.
        tells_ends: Tell every end.
    """
    start_a, start_d = start
    kind, i, j, p = (np.concatenate(parts) for parts in zip(*ends, strict=True))
    wins = kind == ENDINGS.index("attacker")
    if states.arena.rules.aaa_last:
        j[wins] = states.swept.of(j[wins])
    (of_a, i), (of_d, j) = distinct(i), distinct(j)
    states_a = [states.a.values[n] for n in of_a.tolist()]
    states_d = [states.d.values[n] for n in of_d.tolist()]
    kept_a, rank_a = _ranked([_both(a.own, a.out) for a in states_a])
    kept_d, rank_d = _ranked([(_both(d.own, d.out), d.cargo, d.cargo_out) for d in states_d])
    leaves = np.array([_LEAVES.index(d.leaves) for d in states_d])
    if states.vichy:
        leaves = np.where([any(d.own) for d in states_d], _LEAVES.index("surrender"), leaves)
    enters = wins & (states.moves_in(of_a) == 1)[i]
    left_by = np.where(wins, leaves[j], 0)
    endings: tuple[Ending, ...] = ()
    supply: dict[str, float] = {}
    if tells_ends:
        differing = _Ends(kind, rank_a[i], rank_d[j], left_by, enters.astype(np.int64), p)
        endings = differing.told(kept_a, kept_d)
    p_leaves = np.bincount(left_by, p, len(_LEAVES))
    left_a: Floats = np.bincount(rank_a[i], p, len(kept_a)).astype(np.float64)
    left_d: Floats = np.bincount(rank_d[j], p, len(kept_d)).astype(np.float64)
    own_a, own_d = (np.array(own, dtype=np.int64) for own in (kept_a, [own for own, *_ in kept_d]))
    mean_a, mean_d = left_a @ own_a, left_d @ own_d
    convoys = [cargo.count + away.count for _, cargo, away in kept_d] if start_d.cargo.count else []
    cargo_left = left_d @ np.array(convoys) if convoys else 0.0
    if start_a.supply and UNLIMITED not in start_a.supply:
        supply[ATTACKER] = float(p @ np.array([sum(a.supply) for a in states_a])[i])
    if start_d.supply != UNLIMITED:
        supply[DEFENDER] = float(p @ np.array([d.supply for d in states_d])[j])
    return Odds(
        results=dict(zip(ENDINGS, np.bincount(kind, p, len(ENDINGS)).tolist(), strict=True)),
        p_capture=float(np.bincount(enters.astype(np.int64), p, 2)[1]),
        p_retreat=float(p_leaves[_LEAVES.index("retreat")]),
        p_surrender=float(p_leaves[_LEAVES.index("surrender")]),
        rounds=dict(sorted((n, p) for n, p in rounds.items() if p)),
        expected_loss={
            ATTACKER: total(start_a.own) - float(np.add.reduce(mean_a)),
            DEFENDER: total(start_d.own) - float(np.add.reduce(mean_d)),
            "cargo": start_d.cargo.count - float(cargo_left),
        },
        survivors={ATTACKER: tuple(mean_a.tolist()), DEFENDER: tuple(mean_d.tolist())},
        left={ATTACKER: _by_number(own_a, left_a), DEFENDER: _by_number(own_d, left_d)},
        supply_left=supply,
        endings=endings,
    )


class _Ends(NamedTuple):
    """Ends of a combat, one a place in every array: what is left is told by its rank among all that may be left."""

    kind: Ints
    attackers: Ints
    defenders: Ints
    left_by: Ints
    enters: Ints
    p: Floats

    def told(
        self, attackers: list[Counts], defenders: list[tuple[Counts, Cargo, Cargo]]
    ) -> tuple[Ending, ...]:
        """Return the ends that differ, likeliest first, those equally likely in the order of their fields."""
        names = sorted(ENDINGS)
        alphabetical = np.array([names.index(name) for name in ENDINGS])
        shape = (len(ENDINGS), len(attackers), len(defenders), len(_LEAVES), 2)
        key = (alphabetical[self.kind], self.attackers, self.defenders, self.left_by, self.enters)
        codes, at = ordered(np.ravel_multi_index(key, shape))
        chance = np.bincount(at, self.p)
        order = (-chance).argsort(kind="stable")
        parts = [part.tolist() for part in np.unravel_index(codes[order], shape)]
        return tuple(
            [
                Ending(
                    names[n],
                    attackers[a],
                    defenders[d][0],
                    defenders[d][1],
                    defenders[d][2],
                    captures > 0,
                    _LEAVES[leaving],
                    share,
                )
                for n, a, d, leaving, captures, share in zip(*parts, chance[order].tolist(), strict=True)
            ]
        )


def _ranked(values: list[T]) -> tuple[list[T], Ints]:
    """Return the values that occur, sorted, and the place of each of `values` among them."""
    some: list[T] = sorted(set(values))  # type: ignore[type-var]
    place = {value: n for n, value in enumerate(some)}
    return some, np.array([place[value] for value in values], dtype=np.int64)


def _by_number(left: Ints, chance: Floats) -> dict[int, float]:
    """Return the chance of each number of pieces left; `left` has a row for each of the chances."""
    numbers, at = distinct(np.add.reduce(left, axis=1))
    return dict(zip(numbers.tolist(), np.bincount(at, chance).tolist(), strict=True))


def _both(own: Counts, out: Counts) -> Counts:
    return tuple(x + y for x, y in zip(own, out, strict=True)) if any(out) else own
