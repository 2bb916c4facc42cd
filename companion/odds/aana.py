"""Exact odds of an Axis & Allies: North Africa combat, round by round, under stop rules.

Given what both sides have, the losses of one hang only on the dice of the other. So a round is two families of
transitions over the states of each side (pieces, supply, what is out of the combat), joined by one product of
matrices. Dice, targets, losses, supply and stop rules are all asked of `companion.games.aana`; nothing of the rules
is kept here. Floats: every probability is a sum of products, total error below 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import Any, Final, Generic, NamedTuple, TypeVar

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
_SPECK: Final = 1e-17
"""States less likely than this are dropped; all of them together stay below 1e-12."""

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
T = TypeVar("T")


class TooLargeError(ValueError):
    """The combat has more states than are worked exactly."""


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
        self._dice: dict[tuple[Volley, ...], _Spread] = {}
        self._shots: dict[Any, _Spread] = {}
        self.hits = _Numbers[Hits]()
        self.on_attackers = _LossTable(self._attackers_left)
        self.on_defenders = _LossTable(self._defenders_left)
        self._endings: dict[Any, str | None] = {}
        self._entered: dict[Any, bool] = {}
        self.ends: dict[Any, float] = {}
        self.rounds: dict[int, float] = {}
        self.supply: dict[str, float] = {}

    def run(self, a: _Attacking, d: _Defending) -> Odds:
        attacking, defending, p = self._opening(a, d)
        round_no = 1
        while len(p) and p.sum() > _NEGLIGIBLE:
            before = (attacking, defending)
            attacking, defending, p = self._round(attacking, defending, p, round_no)
            round_no += 1
            if self._is_steady(round_no) and (attacking, defending) == before and len(p):
                self._exchange(attacking, defending, p, round_no)
                break
        return self._answer(a, d)

    def _is_steady(self, round_no: int) -> bool:
        """Say whether every later round is like the one before: nothing counts rounds or supply any more."""
        late = self.defence.retreat_round is None or self.defence.retreat_round <= round_no
        return round_no > 2 and late and self.attack.rounds is None

    def _exchange(
        self, attacking: list[_Attacking], defending: list[_Defending], p: _Floats, round_no: int
    ) -> None:
        """Fight on with the same transitions every round until nothing worth counting is left."""
        shape = p.shape
        strike = self._strikes(attacking, defending, np.ones(shape), round_no) if self.at_sea else None
        step = _Step(
            self,
            attacking if strike is None else strike.attacking,
            defending if strike is None else strike.defending,
            round_no,
        )
        step.prepare()
        closing = self._closing(step.new_a, step.new_d, round_no)
        ended = closing.results != ""
        over = np.zeros(ended.shape)
        into_a, into_d = closing.into(attacking, defending)
        for number in range(round_no, round_no + _FOREVER):
            joint = step.apply(p if strike is None else strike.apply(p))
            done = np.where(ended, joint, 0.0)
            over += done
            _add(self.rounds, min(number, MAX_ROUNDS + 1), float(done.sum()))
            p = into_a.T @ (joint - done) @ into_d
            if p.sum() <= _NEGLIGIBLE:
                break
        else:
            for i, j in zip(*np.nonzero(p), strict=True):
                self._end("stalemate", MAX_ROUNDS + 1, attacking[i], defending[j], float(p[i, j]))
        for i, j in zip(*np.nonzero(over), strict=True):
            self._end(str(closing.results[i, j]), None, step.new_a[i], step.new_d[j], float(over[i, j]))

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
            strike = self._strikes(attacking, defending, p, round_no)
            attacking, defending, p = strike.attacking, strike.defending, strike.apply(p)
        step = _Step(self, attacking, defending, round_no)
        step.prepare()
        joint = step.apply(p)
        closing = self._closing(step.new_a, step.new_d, round_no)
        ended = closing.results != ""
        shown = min(round_no, MAX_ROUNDS + 1)
        for i, j in zip(*np.nonzero(ended & (joint > 0)), strict=True):
            self._end(str(closing.results[i, j]), shown, step.new_a[i], step.new_d[j], float(joint[i, j]))
        into_a, into_d = closing.into(closing.attacking, closing.defending)
        on = into_a.T @ np.where(ended, 0.0, joint) @ into_d
        rows, used = on.sum(axis=1) > _SPECK, on.sum(axis=0) > _SPECK
        return (
            [a for a, keep in zip(closing.attacking, rows.tolist(), strict=True) if keep],
            [d for d, keep in zip(closing.defending, used.tolist(), strict=True) if keep],
            on[np.ix_(rows, used)],
        )

    def _strikes(
        self, attacking: list[_Attacking], defending: list[_Defending], p: _Floats, round_no: int
    ) -> _Strike:
        """Let submarines submerge or strike; every pair of states is its own case, as it hangs on destroyers."""
        new_a, new_d = _Numbers[_Attacking](), _Numbers[_Defending]()
        moves: list[tuple[int, int, int, float]] = []
        hunted_a = [any(d.own[i] for i in self.arena.having(DEFENDER, "anti_submarine")) for d in defending]
        hunted_d = [any(a.own[i] for i in self.arena.having(ATTACKER, "anti_submarine")) for a in attacking]
        seen: dict[tuple[bool, _Attacking], tuple[_Attacking, tuple[int, ...]]] = {}
        for i, j in zip(*np.nonzero(p), strict=True):
            a, first = self._submarines_a(attacking[i], hunted_a[j], seen)
            d, second = self._submarines_d(defending[j], hunted_d[i])
            on_d = self._hits(ATTACKER, a.own, round_no, a.at_start, only=first)
            on_a = self._hits(DEFENDER, d.own, round_no, d.at_start, only=second)
            after_a = [new_a.of(self.attacker_after(a, hit)) for hit in on_a.hits.tolist()]
            after_d = [new_d.of(self.defender_after(d, hit)) for hit in on_d.hits.tolist()]
            source = int(i) * p.shape[1] + int(j)
            for to_d, q in zip(after_d, on_d.p.tolist(), strict=True):
                for to_a, r in zip(after_a, on_a.p.tolist(), strict=True):
                    moves.append((source, to_a, to_d, q * r))
        return _Strike(new_a.values, new_d.values, moves)

    def _submarines_a(
        self,
        a: _Attacking,
        hunted: bool,
        seen: dict[tuple[bool, _Attacking], tuple[_Attacking, tuple[int, ...]]],
    ) -> tuple[_Attacking, tuple[int, ...]]:
        key = (hunted, a)
        if key not in seen:
            enemy = self._hunters(DEFENDER, hunted)
            first = strikers(self.arena, ATTACKER, a.own, enemy)
            after = a._replace(at_start=a.own)
            if first and self.attack.submerge:
                own, out = _moved(a.own, a.out, first)
                after, first = after._replace(own=own, out=out), ()
            seen[key] = (after._replace(struck=first), first)
        return seen[key]

    def _submarines_d(self, d: _Defending, hunted: bool) -> tuple[_Defending, tuple[int, ...]]:
        second = strikers(self.arena, DEFENDER, d.own, self._hunters(ATTACKER, hunted))
        after = d._replace(at_start=d.own)
        if second and self.defence.submerge:
            own, out = _moved(d.own, d.out, second)
            after, second = after._replace(own=own, out=out), ()
        return after._replace(struck=second), second

    def _hunters(self, role: Role, present: bool) -> Counts:
        """Return counts with or without a destroyer: all that strikes hang on."""
        hunters = self.arena.having(role, "anti_submarine")
        return tuple(int(present and i in hunters) for i in range(len(self.arena.kinds(role))))

    def _closing(self, attacking: list[_Attacking], defending: list[_Defending], round_no: int) -> _Closing:
        """Say how each pair ends, "ceased" included, and where the others go on."""
        results = self._results(attacking, defending)
        new_a, new_d = _Numbers[_Attacking](), _Numbers[_Defending]()
        moves = np.zeros(len(attacking), dtype=np.int64)
        limit = None if self.arena.rules.must_press else self.attack.press_at_most
        strong = np.array(
            [limit is not None and wants_to_cease(self.attack, round_no, 99, total(d.own)) for d in defending]
        )
        for i, a in enumerate(attacking):
            going = results[i] == ""
            to = self._pressed(a, round_no) if going.any() else None
            if to is None:
                results[i][going] = "ceased"
                moves[i] = -1
                continue
            results[i][going & strong] = "ceased"
            moves[i] = new_a.of(to)
        columns = np.array(
            [new_d.of(d._replace(at_start=(), struck=(), leaves="")) for d in defending], dtype=np.int64
        )
        return _Closing(results, moves, columns, new_a.values, new_d.values)

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

    def attacker_after(self, a: _Attacking, hit: int) -> _Attacking:
        """Return the attackers after the defender's hits."""
        return a._replace(own=self._attackers_left(a.own, hit))

    def defender_after(self, d: _Defending, hit: int) -> _Defending:
        """Return the defenders and their transports after the attacker's hits."""
        left, load = self._defenders_left((d.own, d.cargo), hit)
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
    ) -> _Spread:
        """Return the distribution of one side's hits."""
        if only == ():
            return self._thrown(())
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

    def main_hits_of_attackers(self, a: _Attacking, round_no: int) -> _Spread:
        """Return the attackers' main fire."""
        return self._hits(ATTACKER, a.own, round_no, a.at_start, without=a.struck)

    def main_hits_of_defenders(self, d: _Defending, round_no: int) -> _Spread:
        """Return the defenders' main fire, of those who have not chosen to retreat."""
        fighting = d.own if self.at_sea else self.ordered(d, round_no).fighting
        return self._hits(DEFENDER, fighting, round_no, d.at_start, without=d.struck)

    def _attackers_left(self, own: Any, hit: int) -> Any:
        return self._lost(DEFENDER, own, self.hits.values[hit])[0]

    def _defenders_left(self, core: Any, hit: int) -> Any:
        own, load = core
        left, unpaid = self._lost(ATTACKER, own, self.hits.values[hit])
        if unpaid and load.count and (self.arena.rules.spill or not any(left)):
            load = cargo_after_hits(load, unpaid, self.costs)
        return left, load

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

    def _thrown(self, shots: tuple[Volley, ...]) -> _Spread:
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
        numbers = np.array([self.hits.of(hits) for hits in joint], dtype=np.int64)
        found = _Spread(numbers, np.array(list(joint.values())))
        self._dice[shots] = found
        return found

    # Ends

    def _end(self, result: str, rounds: int | None, a: _Attacking, d: _Defending, p: float) -> None:
        leaves = d.leaves if result == "attacker" else ""
        if result == "attacker" and self.vichy and any(d.own):
            d = d._replace(own=(0,) * len(d.own), out=tuple(o + n for o, n in zip(d.out, d.own, strict=True)))
            leaves = "surrender"
        if rounds is not None:
            _add(self.rounds, rounds, p)
        if a.supply and UNLIMITED not in a.supply:
            _add(self.supply, ATTACKER, p * sum(a.supply))
        if d.supply != UNLIMITED:
            _add(self.supply, DEFENDER, p * d.supply)
        may_enter = result == "attacker" and self._may_enter(a.own)
        _add(
            self.ends,
            (result, _both(a.own, a.out), _both(d.own, d.out), d.cargo, d.cargo_out, may_enter, leaves),
            p,
        )

    def _answer(self, start_a: _Attacking, start_d: _Defending) -> Odds:
        results = dict.fromkeys(ENDINGS, 0.0)
        left: dict[str, dict[int, float]] = {ATTACKER: {}, DEFENDER: {}}
        mean = {
            str(ATTACKER): np.zeros(len(start_a.own)),
            str(DEFENDER): np.zeros(len(start_d.own)),
        }
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
            chances = np.array([e.p for e in endings])
            mean[ATTACKER] = chances @ np.array([e.attackers for e in endings]).reshape(len(endings), -1)
            mean[DEFENDER] = chances @ np.array([e.defenders for e in endings]).reshape(len(endings), -1)
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
            rounds=dict(sorted(self.rounds.items())),
            expected_loss=lost,
            survivors={role: tuple(values.tolist()) for role, values in mean.items()},
            left={role: dict(sorted(row.items())) for role, row in left.items()},
            supply_left=self.supply,
            endings=tuple(endings),
        )

    def _may_enter(self, attackers: Counts) -> bool:
        known = self._entered.get(attackers)
        if known is None:
            known = any(
                n and row.type == "land" and "hit_and_run" not in row.traits
                for n, row in zip(attackers, self.arena.attacker_rows, strict=True)
            )
            self._entered[attackers] = known
        return known


class _Step:
    """The main fire of one round over all pairs of states."""

    def __init__(
        self, work: _Work, attacking: list[_Attacking], defending: list[_Defending], round_no: int
    ) -> None:
        self.work = work
        self.attacking = attacking
        self.defending = defending
        self.round_no = round_no
        self.new_a: list[_Attacking] = []
        self.new_d: list[_Defending] = []
        self._by_d: _Floats = np.zeros((0, 0, 0))
        self._by_a: _Floats = np.zeros((0, 0))

    def prepare(self) -> None:
        """Work out the states after the fire of both sides and the transitions to them."""
        work, round_no = self.work, self.round_no
        fire_a = [work.main_hits_of_attackers(a, round_no) for a in self.attacking]
        fire_d = [work.main_hits_of_defenders(d, round_no) for d in self.defending]
        to_a, self.new_a, chance_d = self._attackers(fire_d)
        raid = [work.raided(a, round_no) for a in self.attacking]
        to_d, self.new_d, chance_a = self._defenders(fire_a, sorted(set(raid)))
        pairs, wide = len(self.attacking) * len(self.defending), (len(self.new_a), len(self.new_d))
        if pairs * sum(wide) > MAX_CELLS:
            raise TooLargeError(
                f"round {round_no}: {len(self.attacking)} x {len(self.defending)} states lead to "
                f"{wide[0]} x {wide[1]}; fewer kinds of pieces make it smaller"
            )
        self._by_d = np.stack([_moves(to_a, row, wide[0]) for row in chance_d], axis=1)
        by_a = [_moves(to_d[tokens], row, wide[1]) for row, tokens in zip(chance_a, raid, strict=True)]
        self._by_a = np.stack(by_a).reshape(pairs, wide[1])

    def apply(self, p: _Floats) -> _Floats:
        """Return the joint distribution over the states after the fire."""
        weighed = (self._by_d * p[:, :, None]).reshape(p.size, len(self.new_a))
        joint: _Floats = weighed.T @ self._by_a
        return joint

    def _attackers(self, fire: list[_Spread]) -> tuple[_Ints, list[_Attacking], _Floats]:
        """Return where every attacking state goes by hits, the states gone to, and the chances of the hits."""
        table, vichy = self.work.on_attackers, self.work.vichy
        hits, chances = _table(fire)
        none = self.work.hits.of(Hits())
        aux = _Numbers[tuple[Any, ...]]()
        rest = np.array([aux.of((a.out, a.supply)) for a in self.attacking])
        after = table.rows([a.own for a in self.attacking], hits)
        scored = (hits != none).astype(np.int64) if vichy else np.zeros(len(hits), dtype=np.int64)
        codes = (after * len(aux.values) + rest[:, None]) * 2 + scored[None, :]
        unique, inverse = np.unique(codes, return_inverse=True)
        states = []
        for code in unique.tolist():
            pair, hit = divmod(code, 2)
            own, number = divmod(pair, len(aux.values))
            out, supply = aux.values[number]
            states.append(_Attacking(table.owns.values[own], out, supply, scored=bool(hit)))
        return inverse.reshape(codes.shape), states, chances

    def _defenders(
        self, fire: list[_Spread], raids_seen: list[int]
    ) -> tuple[dict[int, _Ints], list[_Defending], _Floats]:
        """Return the same for the defenders, by tokens raided; step 4 is carried out."""
        work, table = self.work, self.work.on_defenders
        hits, chances = _table(fire)
        aux = _Numbers[tuple[Any, ...]]()
        rest = np.array(
            [aux.of((d.out, d.supply, d.cargo_out, work.ordered(d, self.round_no))) for d in self.defending]
        )
        after = table.rows([(d.own, d.cargo) for d in self.defending], hits)
        codes = after * len(aux.values) + rest[:, None]
        unique, inverse = np.unique(codes, return_inverse=True)
        new: dict[_Defending, int] = {}
        found: dict[int, _Ints] = {}
        for tokens in raids_seen:
            index = []
            for code in unique.tolist():
                core, number = divmod(code, len(aux.values))
                own, load = table.owns.values[core]
                out, supply, away, given = aux.values[number]
                state = work.defender_closed(_Defending(own, out, supply, load, away), given, tokens)
                index.append(new.setdefault(state, len(new)))
            found[tokens] = np.array(index, dtype=np.int64)[inverse].reshape(codes.shape)
        return found, list(new), chances


class _Strike:
    """The strikes of one round: from pairs of states to pairs of states."""

    def __init__(
        self,
        attacking: list[_Attacking],
        defending: list[_Defending],
        moves: list[tuple[int, int, int, float]],
    ) -> None:
        self.attacking = attacking
        self.defending = defending
        self._from = np.array([move[0] for move in moves], dtype=np.int64)
        self._to = np.array([move[1] * len(defending) + move[2] for move in moves], dtype=np.int64)
        self._chance = np.array([move[3] for move in moves])

    def apply(self, p: _Floats) -> _Floats:
        """Return the joint distribution after the strikes."""
        size = len(self.attacking) * len(self.defending)
        found = np.bincount(self._to, weights=self._chance * p.ravel()[self._from], minlength=size)
        return found.astype(np.float64).reshape(len(self.attacking), len(self.defending))


class _Closing(NamedTuple):
    """Steps 4 and 5 of one round."""

    results: NDArray[np.str_]
    """How each pair of states ended; "" where it goes on."""
    moves: _Ints
    """Attacking state to its number in the next round; -1 where it ceases."""
    columns: _Ints
    attacking: list[_Attacking]
    defending: list[_Defending]

    def into(self, attacking: list[_Attacking], defending: list[_Defending]) -> tuple[_Floats, _Floats]:
        """Return the matrices from states after this round to given states of the next."""
        at_a = {a: n for n, a in enumerate(attacking)}
        at_d = {d: n for n, d in enumerate(defending)}
        into_a = np.zeros((len(self.moves), len(attacking)))
        into_d = np.zeros((len(self.columns), len(defending)))
        for i, to in enumerate(self.moves.tolist()):
            if to >= 0 and self.attacking[to] in at_a:
                into_a[i, at_a[self.attacking[to]]] = 1.0
        for j, to in enumerate(self.columns.tolist()):
            if self.defending[to] in at_d:
                into_d[j, at_d[self.defending[to]]] = 1.0
        return into_a, into_d


class _Spread(NamedTuple):
    """A distribution of hits: their numbers and chances."""

    hits: _Ints
    p: _Floats


class _Numbers(Generic[T]):
    """Values numbered in the order in which they are met."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._index: dict[T, int] = {}

    def of(self, value: T) -> int:
        """Return a value's number."""
        number = self._index.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


class _LossTable:
    """What is left of pieces after hits, worked out once for each pair and kept as numbers."""

    def __init__(self, left: Callable[[Any, int], Any]) -> None:
        self.owns = _Numbers[Any]()
        self._left = left
        self._known: _Ints = np.full((64, 64), -1, dtype=np.int64)

    def rows(self, owns: list[Any], hits: _Ints) -> _Ints:
        """Return the numbers of what is left, one row for each of `owns`, one column for each hit."""
        numbers = np.array([self.owns.of(own) for own in owns])
        unique = np.unique(numbers)
        self._grow(len(self.owns.values), int(hits.max(initial=0)) + 1)
        block = self._known[np.ix_(unique, hits)]
        for i, j in zip(*np.nonzero(block < 0), strict=True):
            after = self.owns.of(self._left(self.owns.values[unique[i]], int(hits[j])))
            self._known[unique[i], hits[j]] = after
        found: _Ints = self._known[np.ix_(numbers, hits)]
        return found

    def _grow(self, owns: int, hits: int) -> None:
        have = self._known.shape
        if owns > have[0] or hits > have[1]:
            wider = np.full((max(2 * owns, have[0]), max(2 * hits, have[1])), -1, dtype=np.int64)
            wider[: have[0], : have[1]] = self._known
            self._known = wider


def _table(fire: list[_Spread]) -> tuple[_Ints, _Floats]:
    """Return all hits that can happen and, for each distribution, a row of their chances."""
    hits = np.unique(np.concatenate([spread.hits for spread in fire]))
    rows = np.zeros((len(fire), len(hits)))
    for i, spread in enumerate(fire):
        rows[i, np.searchsorted(hits, spread.hits)] = spread.p
    return hits, rows


def _moves(to: _Ints, chances: _Floats, width: int) -> _Floats:
    """Return the matrix (states before, states after) of one distribution of hits."""
    used = np.nonzero(chances)[0]
    flat = (np.arange(len(to))[:, None] * width + to[:, used]).ravel()
    weights = np.broadcast_to(chances[used], (len(to), len(used))).ravel()
    found: _Floats = np.bincount(flat, weights=weights, minlength=len(to) * width).astype(np.float64)
    return found.reshape(len(to), width)


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


def _both(own: Counts, out: Counts) -> Counts:
    return tuple(x + y for x, y in zip(own, out, strict=True)) if any(out) else own


def _moved(counts: Counts, out: Counts, kinds: Iterable[int]) -> tuple[Counts, Counts]:
    own, gone = list(counts), list(out)
    for i in kinds:
        gone[i] += own[i]
        own[i] = 0
    return tuple(own), tuple(gone)
