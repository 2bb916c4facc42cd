"""Exact odds of an Axis & Allies: North Africa combat, round by round, under stop rules.

Given what both sides have, the losses of one hang only on the dice of the other. So a round is two families of
transitions over the states of each side (pieces, supply, what is out of the combat), joined by one product of
matrices. Dice, targets, losses, supply and stop rules are all asked of `companion.games.aana`; nothing of the rules
is kept here. Floats: every probability is a sum of products, total error below 1e-12.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.games.aana.casualties import Cargo, Hits, after_hits, cargo_after_hits, escape
from companion.games.aana.combat import (
    AIR_DEFENCE_NEED,
    ATTACKER,
    DEFENDER,
    Arena,
    Counts,
    Role,
    Volley,
    air_defence_shots,
    hit_chance,
    strikers,
    total,
    volleys,
)
from companion.games.aana.rounds import (
    ENDINGS,
    UNLIMITED,
    AttackPlan,
    DefencePlan,
    Field,
    Pools,
    aaa_alone,
    ending,
    has_surrendered,
    orders,
    press,
    raids,
    wants_to_cease,
)

__all__ = ["MAX_CELLS", "MAX_ROUNDS", "Ending", "Odds", "TooLargeError", "exact_odds"]

MAX_ROUNDS: Final = 40
"""Rounds told apart; whatever ends later counts as `MAX_ROUNDS` + 1."""
MAX_CELLS: Final = 20_000_000
"""Largest table (pairs of states times states after a round) that is worked."""
_NEGLIGIBLE: Final = 1e-15
_FOREVER: Final = 20_000

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class TooLargeError(ValueError):
    """The combat has more states than are worked exactly."""


class Ending(msgspec.Struct, frozen=True):
    """One way in which the combat can end."""

    result: str
    """One of `ENDINGS`."""
    rounds: int
    """Rounds fought; 0 when anti-aircraft artillery alone is swept away. `MAX_ROUNDS` + 1 stands for more."""
    attackers: Counts
    """Survivors by kind, retreated and submerged ones included."""
    defenders: Counts
    """Survivors by kind, retreated, submerged and surrendered ones included."""
    cargo: Cargo
    """Reinforcements still within reach of the enemy."""
    escaped: Cargo
    supply_left: tuple[int, ...]
    defence_supply_left: int
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
    """Chance that the combat ends after so many rounds."""
    expected_loss: Mapping[str, float]
    """Units lost on average, by role and ``cargo`` (supply in bundles of five)."""
    survivors: Mapping[str, tuple[float, ...]]
    """Units of each kind left on average, by role."""
    left: Mapping[str, Mapping[int, float]]
    """Chance of exactly so many units left, by role."""
    endings: tuple[Ending, ...]
    """Every end, likeliest first."""


class _Attacking(NamedTuple):
    """What the attacking side has. The last two matter within a round only."""

    own: Counts
    out: Counts
    supply: tuple[int, ...]
    at_start: Counts = ()
    """Pieces when the round began, at sea: they decide what may be hit."""
    struck: tuple[int, ...] = ()
    scored: bool = False
    """The defender scored a hit this round; kept only where Vichy may surrender."""


class _Defending(NamedTuple):
    own: Counts
    out: Counts
    supply: int
    cargo: Cargo
    cargo_out: Cargo
    at_start: Counts = ()
    struck: tuple[int, ...] = ()
    leaves: str = ""


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
        TooLargeError: The tables grew beyond `MAX_CELLS`.
    """
    work = _Work(
        arena,
        attack=attack or AttackPlan(),
        defence=defence or DefencePlan(),
        costs=costs or {},
        pools=pools or Pools(),
    )
    load = cargo or Cargo()
    a = _Attacking(attackers, (0,) * len(attackers), attack_supply)
    d = _Defending(defenders, (0,) * len(defenders), defence_supply, load, Cargo())
    return work.run(a, d)


class _Work:
    """One run; caches dice, losses and ends."""

    def __init__(
        self,
        arena: Arena,
        *,
        attack: AttackPlan,
        defence: DefencePlan,
        costs: Mapping[tuple[str, str], int],
        pools: Pools,
    ) -> None:
        self.arena = arena
        self.attack = attack
        self.defence = defence
        self.costs = costs
        self.pools = pools
        self.at_sea = arena.rules.domain == "sea"
        self.vichy = any(kind.power == "vichy" for kind in arena.defenders)
        self._losses: dict[Any, tuple[Counts, int]] = {}
        self._dice: dict[tuple[Volley, ...], dict[Hits, float]] = {}
        self._shots: dict[Any, dict[Hits, float]] = {}
        self._endings: dict[Any, str | None] = {}
        self.ends: dict[Any, float] = {}

    def run(self, a: _Attacking, d: _Defending) -> Odds:
        attacking, defending, p = self._opening(a, d)
        round_no = 1
        while len(p) and p.sum() > _NEGLIGIBLE and round_no < _FOREVER:
            attacking, defending, p = self._round(attacking, defending, p, round_no)
            round_no += 1
        if len(p) and p.sum() > _NEGLIGIBLE:
            for i, j in zip(*np.nonzero(p), strict=True):
                self._end("stalemate", MAX_ROUNDS + 1, attacking[i], defending[j], float(p[i, j]))
        return self._answer(a, d)

    def _opening(self, a: _Attacking, d: _Defending) -> tuple[list[_Attacking], list[_Defending], _Floats]:
        """Let the air defence fire and sweep away artillery that stands alone."""
        arena = self.arena
        shots = air_defence_shots(arena, a.own, d.own)
        air = arena.of_type(ATTACKER, "air")
        planes = tuple(n if i in air else 0 for i, n in enumerate(a.own))
        states: dict[_Attacking, float] = {}
        for hits, p in enumerate(_binomial(shots, Fraction(AIR_DEFENCE_NEED, 10))):
            left, _ = after_hits(
                arena,
                ATTACKER,
                a.own,
                Hits(any=hits),
                policy=self.attack.losses,
                firing=self.defence.losses,
                fire_on=planes,
            )
            after = a._replace(own=left)
            if not total(left):
                self._end("defender", 0, after, d, p)
            elif aaa_alone(arena, d.own):
                self._end("attacker", 0, after, d._replace(own=(0,) * len(d.own)), p)
            else:
                _add(states, after, p)
        return list(states), [d], np.array(list(states.values())).reshape(-1, 1)

    def _round(
        self, attacking: list[_Attacking], defending: list[_Defending], p: _Floats, round_no: int
    ) -> tuple[list[_Attacking], list[_Defending], _Floats]:
        if self.at_sea:
            attacking, defending, p = self._strike(attacking, defending, p, round_no)
        step = _Step(self, attacking, defending, round_no)
        attacking, defending, p = step.main(p)
        return self._close(attacking, defending, p, round_no)

    def _strike(
        self, attacking: list[_Attacking], defending: list[_Defending], p: _Floats, round_no: int
    ) -> tuple[list[_Attacking], list[_Defending], _Floats]:
        """Let submarines submerge or strike; every pair of states is its own case, as it hangs on destroyers."""
        arena = self.arena
        pairs: dict[tuple[_Attacking, _Defending], float] = {}
        for i, j in zip(*np.nonzero(p), strict=True):
            a, d = attacking[i], defending[j]
            a, d = a._replace(at_start=a.own), d._replace(at_start=d.own)
            first, second = strikers(arena, ATTACKER, a.own, d.own), strikers(arena, DEFENDER, d.own, a.own)
            if first and self.attack.submerge:
                own, out = _moved(a.own, a.out, first)
                a, first = a._replace(own=own, out=out), ()
            if second and self.defence.submerge:
                own, out = _moved(d.own, d.out, second)
                d, second = d._replace(own=own, out=out), ()
            a, d = a._replace(struck=first), d._replace(struck=second)
            on_d = self._hits(ATTACKER, a.own, round_no, a.at_start, only=first) if first else _NO_HITS
            on_a = self._hits(DEFENDER, d.own, round_no, d.at_start, only=second) if second else _NO_HITS
            for hits_d, q in on_d.items():
                after_d = self.defender_after(d, hits_d)
                for hits_a, r in on_a.items():
                    after_a = self.attacker_after(a, hits_a)
                    _add(pairs, (after_a, after_d), float(p[i, j]) * q * r)
        new_a = {a: n for n, a in enumerate(dict.fromkeys(a for a, _ in pairs))}
        new_d = {d: n for n, d in enumerate(dict.fromkeys(d for _, d in pairs))}
        joint = np.zeros((len(new_a), len(new_d)))
        for (a, d), q in pairs.items():
            joint[new_a[a], new_d[d]] += q
        return list(new_a), list(new_d), joint

    def _close(
        self, attacking: list[_Attacking], defending: list[_Defending], p: _Floats, round_no: int
    ) -> tuple[list[_Attacking], list[_Defending], _Floats]:
        """Note the ends, and let the attacker press or cease."""
        arena = self.arena
        shown = min(round_no, MAX_ROUNDS + 1)
        results = self._results(attacking, defending)
        going = (results == "") & (p > 0)
        for i, j in zip(*np.nonzero((p > 0) & ~going), strict=True):
            self._end(str(results[i, j]), shown, attacking[i], defending[j], float(p[i, j]))
        new_a: dict[_Attacking, int] = {}
        moves: list[int] = []
        for i, a in enumerate(attacking):
            to = self._pressed(a, round_no) if going[i].any() else None
            moves.append(-1 if to is None else new_a.setdefault(to, len(new_a)))
        ceases = np.zeros(p.shape, dtype=bool)
        for i, a in enumerate(attacking):
            if moves[i] < 0:
                ceases[i] = going[i]
            elif self.attack.press_at_most is not None and not arena.rules.must_press:
                for j in np.nonzero(going[i])[0]:
                    ceases[i, j] = wants_to_cease(
                        self.attack, round_no, total(a.own), total(defending[j].own)
                    )
        for i, j in zip(*np.nonzero(ceases), strict=True):
            self._end("ceased", shown, attacking[i], defending[j], float(p[i, j]))
        on = np.where(going & ~ceases, p, 0.0)
        joint = np.zeros((len(new_a), len(defending)))
        for i, to_index in enumerate(moves):
            if to_index >= 0:
                joint[to_index] += on[i]
        new_d: dict[_Defending, int] = {}
        columns = [
            new_d.setdefault(d._replace(at_start=(), struck=(), leaves=""), len(new_d)) for d in defending
        ]
        merged = np.zeros((len(new_a), len(new_d)))
        for j, column in enumerate(columns):
            merged[:, column] += joint[:, j]
        rows, used = merged.sum(axis=1) > 0, merged.sum(axis=0) > 0
        return (
            [a for a, keep in zip(new_a, rows.tolist(), strict=True) if keep],
            [d for d, keep in zip(new_d, used.tolist(), strict=True) if keep],
            merged[np.ix_(rows, used)],
        )

    def _pressed(self, a: _Attacking, round_no: int) -> _Attacking | None:
        """Ask for the next round's attackers; the wish to cease by the defender's strength is asked by pair."""
        plan = msgspec.structs.replace(self.attack, press_at_most=None)
        field = Field(a.own, (), a.out, (), Cargo(), Cargo(), a.supply, UNLIMITED, round_no)
        after = press(self.arena, plan, self.pools, field)
        if after is None:
            return None
        return _Attacking(after.attackers, after.attackers_out, after.attack_supply)

    def _results(self, attacking: list[_Attacking], defending: list[_Defending]) -> NDArray[np.str_]:
        """Return how each pair has ended, "" where it goes on; that hangs on which kinds are there only."""
        seen_a = [(tuple(n > 0 for n in a.own), a.scored) for a in attacking]
        seen_d = [(tuple(n > 0 for n in d.own), d.cargo.count > 0) for d in defending]
        kinds_a, kinds_d = list(dict.fromkeys(seen_a)), list(dict.fromkeys(seen_d))
        table = np.zeros((len(kinds_a), len(kinds_d)), dtype="<U9")
        for i, (own, scored) in enumerate(kinds_a):
            for j, (foe, load) in enumerate(kinds_d):
                table[i, j] = self._result(own, foe, load, scored)
        index_a = {key: i for i, key in enumerate(kinds_a)}
        index_d = {key: j for j, key in enumerate(kinds_d)}
        return table[np.ix_([index_a[key] for key in seen_a], [index_d[key] for key in seen_d])]

    def _result(self, own: tuple[bool, ...], foe: tuple[bool, ...], load: bool, scored: bool) -> str:
        key = (own, foe, load, scored)
        known = self._endings.get(key, _UNSEEN)
        if known is _UNSEEN:
            attackers, defenders = tuple(map(int, own)), tuple(map(int, foe))
            if self.vichy and has_surrendered(self.arena, defenders, scored):
                known = "attacker"
            else:
                one = Cargo(supply=(("", 1),)) if load else Cargo()
                field = Field(attackers, defenders, (), (), one, Cargo(), (), UNLIMITED, 1)
                known = ending(self.arena, field)
            self._endings[key] = known
        return known or ""

    # What fire does

    def attacker_after(self, a: _Attacking, hits: Hits) -> _Attacking:
        """Return the attackers after the defender's hits."""
        left, _ = self._lost(DEFENDER, a.own, hits)
        return a._replace(own=left, scored=self.vichy and (a.scored or hits.count > 0))

    def defender_after(self, d: _Defending, hits: Hits) -> _Defending:
        """Return the defenders and their transports after the attacker's hits."""
        left, unpaid = self._lost(ATTACKER, d.own, hits)
        load = d.cargo
        if unpaid and load.count and (self.arena.rules.spill or not any(left)):
            load = cargo_after_hits(load, unpaid, self.costs)
        return d._replace(own=left, cargo=load)

    def _lost(self, role: Role, enemy: Counts, hits: Hits) -> tuple[Counts, int]:
        key = (role, enemy, hits)
        known = self._losses.get(key)
        if known is None:
            own, other = self.attack.losses, self.defence.losses
            policy, firing = (other, own) if role == ATTACKER else (own, other)
            foe: Role = DEFENDER if role == ATTACKER else ATTACKER
            known = after_hits(self.arena, foe, enemy, hits, policy=policy, firing=firing)
            self._losses[key] = known
        return known

    def _hits(
        self,
        role: Role,
        own: Counts,
        round_no: int,
        escort: Counts,
        *,
        only: tuple[int, ...] | None = None,
        without: tuple[int, ...] = (),
    ) -> dict[Hits, float]:
        """Return the distribution of one side's hits."""
        key = (role, own, min(round_no, 2), escort, only, without)
        known = self._shots.get(key)
        if known is None:
            shots = volleys(
                self.arena,
                role,
                own,
                round_no=round_no,
                only=only,
                without=without,
                escort=escort or None,
            )
            known = self._thrown(shots)
            self._shots[key] = known
        return known

    def main_hits_of_attackers(self, a: _Attacking, round_no: int) -> dict[Hits, float]:
        """Return the attackers' main fire."""
        return self._hits(ATTACKER, a.own, round_no, a.at_start, without=a.struck)

    def main_hits_of_defenders(self, d: _Defending, round_no: int) -> dict[Hits, float]:
        """Return the defenders' main fire, of those who have not chosen to retreat."""
        fighting = d.own if self.at_sea else self.ordered(d, round_no).fighting
        return self._hits(DEFENDER, fighting, round_no, d.at_start, without=d.struck)

    def ordered(self, d: _Defending, round_no: int) -> Any:
        """Return the defender's orders for the round."""
        field = Field((), d.own, (), d.out, d.cargo, d.cargo_out, (), d.supply, round_no)
        return orders(self.arena, self.defence, field)

    def raided(self, a: _Attacking, round_no: int) -> int:
        """Return the tokens that the attackers destroy before the first dice."""
        return raids(self.arena, a.own) if round_no == 1 else 0

    def defender_closed(self, d: _Defending, given: Any, raid: int) -> _Defending:
        """Resolve step 4 for the defender: supply spent, retreats, escape."""
        supply = given.supply_left
        if raid and supply > 0:
            supply = max(0, supply - raid)
        own, out, leaves = d.own, d.out, ""
        if any(given.retreating):
            going = tuple(map(min, given.retreating, own))
            if any(going):
                own = tuple(n - g for n, g in zip(own, going, strict=True))
                if self.arena.rules.can_retreat:
                    out = tuple(o + g for o, g in zip(out, going, strict=True))
                    leaves = "retreat" if not any(own) else ""
        cargo, away = d.cargo, d.cargo_out
        if cargo.count:
            cargo, away = escape(cargo, self.costs, away)
        return _Defending(own, out, supply, cargo, away, leaves=leaves)

    def _thrown(self, shots: tuple[Volley, ...]) -> dict[Hits, float]:
        known = self._dice.get(shots)
        if known is not None:
            return known
        classes: dict[tuple[str, str], _Floats] = {}
        for volley in shots:
            row = np.array(_binomial(volley.dice, hit_chance(volley)))
            name = (volley.aim, volley.reach)
            classes[name] = np.convolve(classes[name], row) if name in classes else row
        joint: dict[Hits, float] = {Hits(): 1.0}
        for (aim, reach), row in classes.items():
            joint = {
                _with(hits, aim, reach, n): p * q
                for hits, p in joint.items()
                for n, q in enumerate(row.tolist())
            }
        self._dice[shots] = joint
        return joint

    # Ends

    def _end(self, result: str, rounds: int, a: _Attacking, d: _Defending, p: float) -> None:
        leaves = d.leaves if result == "attacker" else ""
        if result == "attacker" and self.vichy and any(d.own):
            d = d._replace(own=(0,) * len(d.own), out=tuple(o + n for o, n in zip(d.out, d.own, strict=True)))
            leaves = "surrender"
        _add(
            self.ends, (result, rounds, a.own, a.out, a.supply, d._replace(at_start=(), struck=()), leaves), p
        )

    def _answer(self, start_a: _Attacking, start_d: _Defending) -> Odds:
        results = dict.fromkeys(ENDINGS, 0.0)
        rounds: dict[int, float] = {}
        left: dict[str, dict[int, float]] = {ATTACKER: {}, DEFENDER: {}}
        mean = {
            str(ATTACKER): np.zeros(len(start_a.own)),
            str(DEFENDER): np.zeros(len(start_d.own)),
        }
        capture = retreat = surrender = cargo_left = 0.0
        endings: list[Ending] = []
        for (result, n_rounds, own, out, supply, d, leaves), p in self.ends.items():
            survivors_a = tuple(x + y for x, y in zip(own, out, strict=True))
            survivors_d = tuple(x + y for x, y in zip(d.own, d.out, strict=True))
            captures = result == "attacker" and self._may_enter(own)
            endings.append(
                Ending(
                    result,
                    n_rounds,
                    survivors_a,
                    survivors_d,
                    d.cargo,
                    d.cargo_out,
                    supply,
                    d.supply,
                    captures,
                    leaves,
                    p,
                )
            )
            results[result] += p
            _add(rounds, n_rounds, p)
            capture += p if captures else 0.0
            retreat += p if leaves == "retreat" else 0.0
            surrender += p if leaves == "surrender" else 0.0
            for role, counts in ((ATTACKER, survivors_a), (DEFENDER, survivors_d)):
                _add(left[role], sum(counts), p)
                mean[role] += np.array(counts) * p
            cargo_left += (d.cargo.count + d.cargo_out.count) * p
        endings.sort(key=lambda e: (-e.p, e.result, e.rounds))
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
            rounds=dict(sorted(rounds.items())),
            expected_loss=lost,
            survivors={role: tuple(values.tolist()) for role, values in mean.items()},
            left={role: dict(sorted(row.items())) for role, row in left.items()},
            endings=tuple(endings),
        )

    def _may_enter(self, attackers: Counts) -> bool:
        return any(
            n and row.type == "land" and "hit_and_run" not in row.traits
            for n, row in zip(attackers, self.arena.attacker_rows, strict=True)
        )


class _Step:
    """The main fire of one round over all pairs of states."""

    def __init__(
        self, work: _Work, attacking: list[_Attacking], defending: list[_Defending], round_no: int
    ) -> None:
        self.work = work
        self.attacking = attacking
        self.defending = defending
        self.round_no = round_no

    def main(self, p: _Floats) -> tuple[list[_Attacking], list[_Defending], _Floats]:
        """Return the states after the fire of both sides and the joint distribution over them."""
        work, round_no = self.work, self.round_no
        fire_a = [work.main_hits_of_attackers(a, round_no) for a in self.attacking]
        fire_d = [work.main_hits_of_defenders(d, round_no) for d in self.defending]
        raid = [work.raided(a, round_no) for a in self.attacking]
        given = [work.ordered(d, round_no) for d in self.defending]
        new_a: dict[_Attacking, int] = {}
        new_d: dict[_Defending, int] = {}
        hits_d = list(dict.fromkeys(hits for dist in fire_d for hits in dist))
        hits_a = list(dict.fromkeys(hits for dist in fire_a for hits in dist))
        to_a = np.array(
            [
                [new_a.setdefault(work.attacker_after(a, hits), len(new_a)) for hits in hits_d]
                for a in self.attacking
            ]
        )
        raids_seen = sorted(set(raid))
        to_d = np.array(
            [
                [
                    [
                        new_d.setdefault(
                            work.defender_closed(work.defender_after(d, hits), orders_d, tokens), len(new_d)
                        )
                        for hits in hits_a
                    ]
                    for d, orders_d in zip(self.defending, given, strict=True)
                ]
                for tokens in raids_seen
            ]
        )
        if p.size * (len(new_a) + len(new_d)) > MAX_CELLS:
            raise TooLargeError(
                f"round {round_no}: {p.shape[0]} x {p.shape[1]} states lead to "
                f"{len(new_a)} x {len(new_d)}; fewer kinds of pieces make it smaller"
            )
        chance_d, chance_a = _table(fire_d, hits_d), _table(fire_a, hits_a)
        by_d = np.stack([_moves(to_a, row, len(new_a)) for row in chance_d], axis=1)
        by_a = np.stack(
            [
                _moves(to_d[raids_seen.index(tokens)], row, len(new_d))
                for row, tokens in zip(chance_a, raid, strict=True)
            ]
        )
        weighed = (by_d * p[:, :, None]).reshape(p.size, len(new_a))
        joint = weighed.T @ by_a.reshape(p.size, len(new_d))
        return list(new_a), list(new_d), joint


def _table(dists: list[dict[Hits, float]], hits: list[Hits]) -> _Floats:
    """Return one row of chances for each distribution over the same list of hits."""
    index = {value: i for i, value in enumerate(hits)}
    rows = np.zeros((len(dists), len(hits)))
    for i, dist in enumerate(dists):
        for value, p in dist.items():
            rows[i, index[value]] = p
    return rows


def _moves(to: _Ints, chances: _Floats, width: int) -> _Floats:
    """Return the matrix (states before, states after) of one distribution of hits."""
    used = np.nonzero(chances)[0]
    flat = (np.arange(len(to))[:, None] * width + to[:, used]).ravel()
    weights = np.broadcast_to(chances[used], (len(to), len(used))).ravel()
    found: _Floats = np.bincount(flat, weights=weights, minlength=len(to) * width).astype(np.float64)
    return found.reshape(len(to), width)


_NO_HITS: Final[dict[Hits, float]] = {Hits(): 1.0}
_UNSEEN: Final[Any] = object()


def _binomial(dice: int, chance: Fraction) -> list[float]:
    p = float(chance)
    return [comb(dice, k) * p**k * (1 - p) ** (dice - k) for k in range(dice + 1)]


def _add(dist: dict[Any, float], key: Any, p: float) -> None:
    dist[key] = dist.get(key, 0.0) + p


def _with(hits: Hits, aim: str, reach: str, n: int) -> Hits:
    if not n:
        return hits
    if aim:
        return msgspec.structs.replace(hits, aimed=(*hits.aimed, (aim, reach, n)))
    return Hits(
        hits.any + (n if reach == "any" else 0),
        hits.no_air + (n if reach == "no_air" else 0),
        hits.no_sub + (n if reach == "no_sub" else 0),
        hits.aimed,
    )


def _moved(counts: Counts, out: Counts, kinds: Iterable[int]) -> tuple[Counts, Counts]:
    own, gone = list(counts), list(out)
    for i in kinds:
        gone[i] += own[i]
        own[i] = 0
    return tuple(own), tuple(gone)
