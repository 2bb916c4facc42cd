"""Exact odds of an Axis & Allies: North Africa combat, round by round, under stop rules.

Given what both sides have, the losses of one hang only on the dice of the other. So a round is two families of
transitions over the states of each side (pieces, supply, what is out of the combat), joined by products of
matrices (`companion.odds.aana_round`). Dice, targets, losses, supply and stop rules are all asked of
`companion.games.aana`; nothing of the rules is kept here. Floats: every probability is a sum of products, total
error below 1e-12.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec
import numpy as np

from companion.games.aana.casualties import Cargo, Hits, after_hits
from companion.games.aana.combat import (
    AIR_DEFENCE_NEED,
    ATTACKER,
    DEFENDER,
    Arena,
    Counts,
    air_defence_shots,
    total,
)
from companion.games.aana.rounds import ENDINGS, UNLIMITED, AttackPlan, DefencePlan, Pools, aaa_alone
from companion.odds.aana_round import (
    Attacking,
    Defending,
    Joint,
    Pairs,
    Plans,
    Regime,
    States,
    TooLargeError,
)
from companion.odds.aana_tables import Dice, Floats, binomial

__all__ = ["MAX_ROUNDS", "Ending", "Odds", "TooLargeError", "exact_odds"]

MAX_ROUNDS: Final = 40
"""Rounds told apart; whatever ends later counts as `MAX_ROUNDS` + 1."""
_NEGLIGIBLE: Final = 1e-14
_FOREVER: Final = 20_000


class Ending(msgspec.Struct, frozen=True):
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


def exact_odds(
    arena: Arena,
    attackers: Counts,
    defenders: Counts,
    *,
    attack: AttackPlan | None = None,
    defence: DefencePlan | None = None,
    cargo: Cargo | None = None,
    costs: Mapping[tuple[str, str], int] | None = None,
    attack_supply: tuple[int, ...] = (UNLIMITED,),
    defence_supply: int = UNLIMITED,
    pools: Pools | None = None,
) -> Odds:
    """Return the odds of a combat from its start, air defence included. Mines have been dealt with before.

    Args:
        attackers: Pieces by the arena's kinds; the declaration has been paid.
        cargo: The defender's reinforcements on transports.
        costs: Costs of reinforcements, for the choice of which are lost.
        attack_supply: Tokens left for pressing, by pool; `UNLIMITED` where nobody counts.
        defence_supply: Tokens within the defender's reach.

    Raises:
        TooLargeError: The combat has more states than are worked exactly.
    """
    plans = Plans(attack or AttackPlan(), defence or DefencePlan(), pools or Pools())
    a = Attacking(attackers, (0,) * len(attackers), attack_supply)
    d = Defending(defenders, (0,) * len(defenders), defence_supply, cargo or Cargo(), Cargo())
    dice = Dice(arena, attacker=plans.attack.losses, defender=plans.defence.losses, costs=costs or {})
    return _Work(States(arena, dice, plans)).run(a, d)


class _Work:
    """One run: the rounds, and the ends they came to."""

    def __init__(self, states: States) -> None:
        self.states = states
        self.arena = states.arena
        self.plans = states.plans
        self.regimes: dict[Any, Regime] = {}
        self.ends: dict[Any, float] = {}
        self.rounds: dict[int, float] = {}
        self.supply: dict[str, float] = {}

    def run(self, a: Attacking, d: Defending) -> Odds:
        joint = self._opening(a, d)
        sums: list[tuple[Pairs, Floats]] = []
        for round_no in range(1, _FOREVER):
            if not joint.p.size or joint.p.sum() <= _NEGLIGIBLE:
                break
            closed = self._regime(round_no).run(joint)
            if sums and sums[-1][0] is closed.pairs:
                sums[-1][1][:] += closed.ended
            else:
                sums.append((closed.pairs, closed.ended))
            _add(self.rounds, min(round_no, MAX_ROUNDS + 1), float(closed.ended.sum()))
            joint = closed.on
        else:
            self._never_ends(joint)
        for (result, i, j), p in _by_end(sums).items():
            self._end(ENDINGS[result], self.states.a.values[i], self.states.d.values[j], p)
        return self._answer(a, d)

    def _regime(self, round_no: int) -> Regime:
        retreat, last = self.plans.defence.retreat_round, self.plans.attack.rounds
        late = retreat is not None and round_no >= retreat
        key = (min(round_no, 2), late, last is not None and round_no >= last)
        if key not in self.regimes:
            self.regimes[key] = Regime(self.states, round_no)
        return self.regimes[key]

    def _opening(self, a: Attacking, d: Defending) -> Joint:
        """Let the air defence fire and sweep away artillery that stands alone."""
        arena = self.arena
        shots = air_defence_shots(arena, a.own, d.own)
        air = arena.of_type(ATTACKER, "air")
        planes = tuple(n if i in air else 0 for i, n in enumerate(a.own))
        found: dict[int, float] = {}
        for hits, p in enumerate(binomial(shots, Fraction(AIR_DEFENCE_NEED, 10))):
            left = after_hits(
                arena,
                ATTACKER,
                a.own,
                Hits(any=hits),
                policy=self.plans.attack.losses,
                firing=self.plans.defence.losses,
                fire_on=planes,
            ).left
            after = a._replace(own=left)
            if not total(left):
                self._end("defender", after, d, p, round_no=0)
            elif aaa_alone(arena, d.own):
                self._end("attacker", after, d._replace(own=(0,) * len(d.own)), p, round_no=0)
            else:
                _add(found, self.states.a.of(after), p)
        numbers = np.array(sorted(found), dtype=np.int64)
        chance = np.array([found[n] for n in numbers.tolist()]).reshape(-1, 1)
        return Joint(numbers, np.array([self.states.d.of(d)], dtype=np.int64), chance)

    def _never_ends(self, joint: Joint) -> None:
        for i, j in np.argwhere(joint.p > 0).tolist():
            a, d = self.states.a.values[int(joint.a[i])], self.states.d.values[int(joint.d[j])]
            self._end("stalemate", a, d, float(joint.p[i, j]), round_no=MAX_ROUNDS + 1)

    def _end(self, result: str, a: Attacking, d: Defending, p: float, *, round_no: int | None = None) -> None:
        leaves = d.leaves if result == "attacker" else ""
        if result == "attacker" and self.states.vichy and any(d.own):
            d = d._replace(own=(0,) * len(d.own), out=tuple(o + n for o, n in zip(d.out, d.own, strict=True)))
            leaves = "surrender"
        if round_no is not None:
            _add(self.rounds, round_no, p)
        if a.supply and UNLIMITED not in a.supply:
            _add(self.supply, ATTACKER, p * sum(a.supply))
        if d.supply != UNLIMITED:
            _add(self.supply, DEFENDER, p * d.supply)
        may_enter = result == "attacker" and self._may_enter(a.own)
        key = (result, _both(a.own, a.out), _both(d.own, d.out), d.cargo, d.cargo_out, may_enter, leaves)
        _add(self.ends, key, p)

    def _answer(self, start_a: Attacking, start_d: Defending) -> Odds:
        results = dict.fromkeys(ENDINGS, 0.0)
        left: dict[str, dict[int, float]] = {ATTACKER: {}, DEFENDER: {}}
        mean = {str(ATTACKER): np.zeros(len(start_a.own)), str(DEFENDER): np.zeros(len(start_d.own))}
        capture = retreat = surrender = cargo_left = 0.0
        endings: list[Ending] = []
        for (result, survivors_a, survivors_d, cargo, away, captures, leaves), p in self.ends.items():
            endings.append(Ending(result, survivors_a, survivors_d, cargo, away, captures, leaves, p))
            results[result] += p
            capture += p if captures else 0.0
            retreat += p if leaves == "retreat" else 0.0
            surrender += p if leaves == "surrender" else 0.0
            _add(left[ATTACKER], sum(survivors_a), p)
            _add(left[DEFENDER], sum(survivors_d), p)
            cargo_left += (cargo.count + away.count) * p
        if endings:
            chance = np.array([e.p for e in endings])
            mean[ATTACKER] = chance @ np.array([e.attackers for e in endings]).reshape(len(endings), -1)
            mean[DEFENDER] = chance @ np.array([e.defenders for e in endings]).reshape(len(endings), -1)
        endings.sort(key=lambda e: (-e.p, e.result, e.attackers, e.defenders))
        lost: dict[str, float] = {
            ATTACKER: total(start_a.own) - float(mean[ATTACKER].sum()),
            DEFENDER: total(start_d.own) - float(mean[DEFENDER].sum()),
            "cargo": start_d.cargo.count - cargo_left,
        }
        return Odds(
            results=results,
            p_capture=capture,
            p_retreat=retreat,
            p_surrender=surrender,
            rounds=dict(sorted((n, p) for n, p in self.rounds.items() if p)),
            expected_loss=lost,
            survivors={role: tuple(values.tolist()) for role, values in mean.items()},
            left={role: dict(sorted(row.items())) for role, row in left.items()},
            supply_left=self.supply,
            endings=tuple(endings),
        )

    def _may_enter(self, attackers: Counts) -> bool:
        return any(n and row.holds_ground for n, row in zip(attackers, self.arena.attacker_rows, strict=True))


def _by_end(sums: list[tuple[Pairs, Floats]]) -> dict[tuple[int, int, int], float]:
    """Add up the chances to end by (place in `ENDINGS`, attacking state, defending state)."""
    found: dict[tuple[int, int, int], float] = {}
    for pairs, ended in sums:
        rows, columns = np.nonzero(ended)
        kinds = pairs.results[rows, columns].tolist()
        keys = zip(kinds, pairs.a[rows].tolist(), pairs.d[columns].tolist(), strict=True)
        for key, p in zip(keys, ended[rows, columns].tolist(), strict=True):
            _add(found, key, p)
    return found


def _add(dist: dict[Any, float], key: Any, p: float) -> None:
    dist[key] = dist.get(key, 0.0) + p


def _both(own: Counts, out: Counts) -> Counts:
    return tuple(x + y for x, y in zip(own, out, strict=True)) if any(out) else own
