"""Exact odds of an Axis & Allies: North Africa combat, round by round, under stop rules.

Given what both sides have, the losses of one hang only on the dice of the other. So a round is two families of
transitions over the states of each side (pieces, supply, what is out of the combat), joined by products of
matrices (`companion.games.aana.odds.round`). Dice, targets, losses, supply and stop rules are all asked of
`companion.games.aana`; nothing of the rules is kept here. Floats: every probability is a sum of products, total
error below 1e-12.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from threading import Lock
from typing import Any, Final, NamedTuple, TypedDict

from msgspec.structs import replace

from companion.core.ids import Nation
from companion.games.aana.odds.answer import MAX_ROUNDS, Odds, answer
from companion.games.aana.odds.dice import Dice, binomial
from companion.games.aana.odds.fires import Fires
from companion.games.aana.odds.round import Onward, Pairs, Regime, TooLargeError
from companion.games.aana.odds.sides import Attacking, Defending, Joint, Plans
from companion.games.aana.odds.states import States
from companion.games.aana.odds.tables import Floats, Ints
from companion.games.aana.odds.tail import Tail
from companion.games.aana.rules.casualties import Cargo, Hits, LossPolicy, Payer
from companion.games.aana.rules.combat import (
    AIR_DEFENCE_NEED,
    ATTACKER,
    Arena,
    Counts,
    air_defence_shots,
    total,
)
from companion.games.aana.rules.rounds import (
    ENDINGS,
    UNLIMITED,
    AttackPlan,
    DefencePlan,
    Pools,
    aaa_alone,
)
from companion.odds.arrays import np

__all__ = ["TooLargeError", "Work", "exact_odds", "start_work"]

_NEGLIGIBLE: Final = 1e-14
_FOREVER: Final = 20_000
_MOST_CELLS: Final = 300_000
"""Cells of products that are kept for the next combat of the same kinds."""
_MANY: Final = 4
"""Rounds of a kind for which it pays to prepare all of their states at once."""


def exact_odds(
    arena: Arena,
    attackers: Counts,
    defenders: Counts,
    *,
    attack: AttackPlan | None = None,
    defence: DefencePlan | None = None,
    cargo: Cargo | None = None,
    costs: Mapping[tuple[Nation, str], int] | None = None,
    attack_supply: tuple[int, ...] = (UNLIMITED,),
    defence_supply: int = UNLIMITED,
    pools: Pools | None = None,
    from_round: int = 1,
    opened: bool = False,
    work: Work | None = None,
    tells_ends: bool = True,
) -> Odds:
    """Return the odds of a combat from its start, or from the start of a later round. Mines have been dealt with.

    Args:
        attackers: Pieces by the arena's kinds; the declaration, or pressing into `from_round`, has been paid.
        cargo: The defender's reinforcements on transports.
        costs: Costs of reinforcements, for the choice of which are lost.
        attack_supply: Tokens left for pressing, by pool; `UNLIMITED` where nobody counts.
        defence_supply: Tokens within the defender's reach.
        from_round: The round that is fought first, 1 or more; rounds of the answer count from the combat's first.
        opened: The air defence of round 1 is over; after round 1 it always is.
        work: Its rounds, where they were started already; None: those kept from a combat like it, or new ones.
        tells_ends: Tell every end; else `endings` stays empty, which saves time and memory.

    Raises:
        TooLargeError: The combat has more states than are worked exactly.
    """
    plans = Plans(attack or AttackPlan(), defence or DefencePlan(), pools or Pools())
    a = Attacking(attackers, (0,) * len(attackers), attack_supply)
    d = Defending(defenders, (0,) * len(defenders), defence_supply, cargo or Cargo(), Cargo())

    opened = opened or from_round > 1
    if work is not None:
        return work.run(a, d, plans, from_round, opened=opened, tells_ends=tells_ends)
    work = _work_for(_question(arena, plans, costs or {}, d.cargo))
    found = work.run(a, d, plans, from_round, opened=opened, tells_ends=tells_ends)
    _keep(work)
    return found


def start_work(arena: Arena, plans: Plans, costs: Mapping[tuple[Nation, str], int], cargo: Cargo) -> Work:
    """Return the rounds of a combat, to be fought one by one; nothing of it is shared."""
    return _new_work(_question(arena, plans, costs, cargo))


class _Question(NamedTuple):
    """What decides the tables that a run fills: everything but how many pieces there are, tokens, and the numbers of rounds
    in the plans.
    """

    arena: Arena
    plans: Plans
    costs: dict[tuple[Nation, str], int]
    cargo: Cargo


def _question(arena: Arena, plans: Plans, costs: Mapping[tuple[Nation, str], int], cargo: Cargo) -> _Question:
    return _Question(arena, _in_rounds(plans, retreats=False, is_last=False), dict(costs), cargo)


def _in_rounds(plans: Plans, *, retreats: bool, is_last: bool) -> Plans:
    """Return plans as they are in rounds in which the defender's time to retreat, or the attacker's last round, has come."""
    attack = replace(plans.attack, rounds=0 if is_last else None)
    return Plans(attack, replace(plans.defence, retreat_round=0 if retreats else None), plans.pools)


_KEPT: list[Work] = []
"""Runs whose tables serve battles of the same kinds of pieces again, the latest last; nobody is using them."""
_LOCK: Final = Lock()
_MOST_KEPT: Final = 4
_MOST_BYTES: Final = 5_000_000
"""Size of the tables of all runs that are kept."""


def _work_for(question: _Question) -> Work:
    with _LOCK:
        for work in _KEPT:
            if work.question == question:
                _KEPT.remove(work)
                return work
    return _new_work(question)


def _new_work(question: _Question) -> Work:
    arena, plans = question.arena, question.plans
    dice = Dice(arena, **_policies(question), costs=question.costs, cargo=question.cargo)
    return Work(question, States(arena, dice, plans))


class _Policies(TypedDict):
    attacker: LossPolicy
    unspared: LossPolicy | None
    defender: LossPolicy


def _policies(question: _Question) -> _Policies:
    """Return how both sides choose losses, as `Dice` takes it."""
    attack, defence = question.plans.attack, question.plans.defence
    unspared = attack.unspared if attack.may_give_up(question.arena, question.plans.pools) else None
    return {"attacker": attack.first_losses, "unspared": unspared, "defender": defence.losses}


def _aims(plans: Plans) -> tuple[object, ...]:
    """Return at what both sides aim."""
    both = plans.attack.losses, plans.defence.losses
    return tuple((losses.aim, losses.aim_at) for losses in both)


def _keep(work: Work) -> None:
    work.clear()
    with _LOCK:
        _KEPT.append(work)
        while len(_KEPT) > _MOST_KEPT or sum(kept.states.nbytes for kept in _KEPT) > _MOST_BYTES:
            _KEPT.pop(0).end()


class Work:
    """One run: the rounds, and the ends they came to."""

    def __init__(self, question: _Question, states: States) -> None:
        self.question = question
        self.states = states
        self.arena = states.arena
        self.plans = states.plans
        self.onward = Onward(states)
        self.fires: dict[tuple[int, bool, bool], Fires] = {}
        self.regimes: dict[tuple[int, bool, bool], Regime] = {}
        self.ends: list[tuple[Ints, Ints, Ints, Floats]] = []
        self.rounds: dict[int, float] = {}

    def under(self, plans: Plans) -> Work:
        """Return the same combat under other plans; all but what `leave` lets go of is shared."""
        question = _question(self.arena, plans, self.question.costs, self.question.cargo)
        plans = question.plans
        if plans.pools != self.plans.pools or _aims(plans) != _aims(self.plans):
            return _new_work(question)
        dice = self.states.dice.under(**_policies(question))
        return Work(question, self.states.under(plans, dice))

    def clear(self) -> None:
        """Forget the combat, and products that take much memory; what is known of single states stays."""
        self.ends, self.rounds = [], {}
        self._drop_large(*self.regimes.values())

    def _drop_large(self, *regimes: Regime) -> None:
        """Forget the products of rounds that are over, where they take much memory together."""
        if sum(regime.cells for regime in regimes) > _MOST_CELLS:
            self.regimes = {key: one for key, one in self.regimes.items() if one not in regimes}

    def leave(self) -> None:
        """Let go of what hangs on its plans; what it shares with others stays."""
        for part in (self.onward, *self.fires.values(), *self.regimes.values()):
            vars(part).clear()

    def end(self) -> None:
        """Let go of every table at once; they know each other, and together would wait for the collector."""
        self.leave()
        for part in (*self.states.dice.tables, self.states):
            vars(part).clear()

    def run(
        self,
        a: Attacking,
        d: Defending,
        plans: Plans,
        from_round: int,
        *,
        opened: bool,
        tells_ends: bool,
    ) -> Odds:
        """Fight on from a round until every combat has ended; `opened`: the opening fire is over already.

        Args:
            plans: Its plans, with the rounds after which the attacker ceases and from which on the defender retreats.
            tells_ends: As for `exact_odds`.
        """
        joint = self.certain(a, d) if opened else self.opening(a, d)
        sums: list[tuple[Pairs, Floats]] = []
        before: Regime | None = None
        for round_no in range(from_round, _FOREVER):
            if not joint.p.size or np.add.reduce(joint.p, axis=None) <= _NEGLIGIBLE:
                break
            regime = self.regime(round_no, plans.attack.rounds, plans.defence.retreat_round)
            if before is not None and before is not regime:
                self._drop_large(before)
            before = regime
            closed = regime.run(joint, stays=self._stays(round_no, plans))
            _add_up(sums, closed.pairs, closed.after)
            _add(self.rounds, min(round_no, MAX_ROUNDS + 1), closed.ended)
            joint = closed.on
            if closed.tail is not None:
                some = self._finish(closed.tail, joint, round_no + 1)
                _add_up(sums, closed.pairs, regime.fought.fought.after(some))
                break
        else:
            self._never_ends(joint)
        for pairs, after in sums:
            ended = after * pairs.over
            rows, columns = ended.nonzero()
            left = pairs.attackers(rows, columns)
            self.ends.append((pairs.results[rows, columns], left, pairs.d[columns], ended[rows, columns]))
        return answer(self.states, self.ends, self.rounds, (a, d), tells_ends=tells_ends)

    @staticmethod
    def _stays(round_no: int, plans: Plans) -> bool:
        """Say whether all later rounds are like one."""
        turns = (plans.attack.rounds, plans.defence.retreat_round)
        return round_no > 1 and all(turn is None or turn <= round_no for turn in turns)

    def _finish(self, tail: Tail, joint: Joint, round_no: int) -> Joint:
        """Fight on from a round to the end; return how often each pair of states is expected to fight a round."""
        p, rounds = joint.p[tail.rows, tail.columns], np.zeros(len(tail.rows))
        for n in range(round_no, _FOREVER):
            if np.add.reduce(p) <= _NEGLIGIBLE:
                break
            rounds += p
            _add(self.rounds, min(n, MAX_ROUNDS + 1), float(p @ tail.ends))
            p = p @ tail.moves
        else:
            self._never_ends(_placed(joint, tail, p))
        return _placed(joint, tail, rounds)

    def regime(self, round_no: int, last: int | None, retreat: int | None) -> Regime:
        """Return the rounds that are like one, where the attacker has a last round and the defender retreats from one on."""
        late = retreat is not None and round_no >= retreat
        key = (min(round_no, 2), late, last is not None and round_no >= last)
        known = self.regimes.get(key)
        if known is None:
            plans = _in_rounds(self.plans, retreats=late, is_last=key[2])
            alike = key if self.states.dice.unspared is not None else (*key[:2], False)
            fires = self.fires.get(alike)
            if fires is None:
                fires = self.fires[alike] = Fires(self.states, round_no, plans)
            turns = [turn for turn in (retreat, last) if turn is not None]
            lasts = round_no > 1 and min(turns, default=_FOREVER) - round_no >= _MANY
            known = Regime(self.states, fires, self.onward, round_no, plans.attack, lasts=lasts)
            self.regimes[key] = known
        return known

    def certain(self, a: Attacking, d: Defending) -> Joint:
        """Return the one state that there is."""
        at_a, at_d = self.states.a.of(a), self.states.d.of(d)
        return Joint(np.array([at_a], dtype=np.int64), np.array([at_d], dtype=np.int64), np.ones((1, 1)))

    def opening(self, a: Attacking, d: Defending) -> Joint:
        """Let the air defence fire and sweep away artillery that stands alone."""
        arena = self.arena
        shots = air_defence_shots(arena, a.own, d.own)
        air = arena.of_type(ATTACKER, "air")
        planes = tuple(n if i in air else 0 for i, n in enumerate(a.own))
        found: dict[int, float] = {}
        attack = self.plans.attack
        if attack.losses == attack.first_losses:
            payer = self.states.dice.losses[ATTACKER].payer
        else:
            payer = Payer(arena, ATTACKER, policy=attack.losses, firing=self.plans.defence.losses)
        for hits, p in enumerate(binomial(shots, Fraction(AIR_DEFENCE_NEED, 10))):
            left = payer.pay(a.own, Hits(any=hits), planes).left if hits else a.own
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

    def _end(self, result: str, a: Attacking, d: Defending, p: float, *, round_no: int) -> None:
        _add(self.rounds, round_no, p)
        kind, i, j = (
            np.array([number], dtype=np.int64)
            for number in (ENDINGS.index(result), self.states.a.of(a), self.states.d.of(d))
        )
        self.ends.append((kind, i, j, np.array([p])))


def _placed(joint: Joint, tail: Tail, p: Floats) -> Joint:
    """Return pairs of a tail as states."""
    every = np.zeros(joint.p.shape)
    every[tail.rows, tail.columns] = p
    return joint._replace(p=every)


def _add_up(sums: list[tuple[Pairs, Floats]], pairs: Pairs, after: Floats) -> None:
    """Add chances of pairs to the sums of rounds, those of rounds that are alike together."""
    if sums and sums[-1][0] is pairs:
        sums[-1][1][:] += after
    else:
        sums.append((pairs, after))


def _add(dist: dict[Any, float], key: Any, p: float) -> None:
    dist[key] = dist.get(key, 0.0) + p
