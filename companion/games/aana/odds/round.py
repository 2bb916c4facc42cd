"""One round of a North Africa combat over all states at once: fire, endings, pressing.

A `Regime` is a run of rounds with the same orders: the first round, rounds before and after the defender's retreat,
the last one. They share all that was worked out: the fires (`companion.games.aana.odds.fires`), how pairs of states end, and
where the others go on.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from companion.games.aana.odds.ahead import led_to
from companion.games.aana.odds.fires import Fires, Fought
from companion.games.aana.odds.kernel import SPECK
from companion.games.aana.odds.sides import Attacking, Defending, Joint
from companion.games.aana.odds.states import ON, States
from companion.games.aana.odds.tables import Batch, Column, Floats, Ints, Numbers, distinct, joined
from companion.games.aana.odds.tail import Tail, apart, likely, tail_of
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, total
from companion.games.aana.rules.rounds import (
    ENDINGS,
    UNLIMITED,
    AttackPlan,
    Field,
    press,
    presses_on,
    wants_to_cease,
)
from companion.odds.arrays import np

__all__ = ["Closed", "Onward", "Pairs", "Regime", "Round", "TooLargeError"]

MAX_CELLS: Final = 60_000_000
"""Largest table (attacking states, defending states before and after a round) that is worked."""
_MOST_AHEAD: Final = 400_000
"""Largest table for which states of later rounds are prepared with those of this one."""
_SHRINKS: Final = 4
"""So many times fewer pairs of states make it worth while to work with these alone."""
_FEW: Final = 1000
"""So many pairs of states are kept when most of them are gone."""
_CEASED: Final = ENDINGS.index("ceased")
_NO_CARGO: Final = Cargo()


_FEW_WITH_TAIL: Final = 2000
"""That where the last rounds are told by pair."""


class TooLargeError(ValueError):
    """The combat has more states than are worked exactly."""


_TAKEN: Final = [ENDINGS.index("attacker"), ENDINGS.index("both")]


class Pairs(NamedTuple):
    """How pairs of states end after a round."""

    a: Ints
    d: Ints
    results: Ints
    """How each pair ends: a place in `ENDINGS`."""
    over: Floats
    """1 where the combat ends, 0 where it goes on."""
    left: Ints | None = None
    """The attackers of each pair, where they hang on what the round came to; None: those of `a`."""

    def attackers(self, rows: Ints, columns: Ints) -> Ints:
        """Return the attacking states of some pairs."""
        return self.a[rows] if self.left is None else self.left[rows, columns]


class Closed(NamedTuple):
    """The end of a round."""

    on: Joint
    """What goes into the next round."""
    pairs: Pairs
    after: Floats
    """Chance of each of the pairs after the fires."""
    ended: float
    """Chance to end here."""
    tail: Tail | None = None
    """The pairs among which all further rounds take place, once they are few and all rounds to come are like this."""


_PLAIN_A: Final = Attacking((), (), ())[3:]
_PLAIN_D: Final = Defending((), (), 0, _NO_CARGO, _NO_CARGO)[5:]
"""What is told of a state at the start of a round beside what it has."""


class Onward:
    """What both sides are in the next round; all rounds of a combat share it."""

    def __init__(self, states: States) -> None:
        """Start without states."""
        self._states = states
        self.d = Batch(self._go_on)
        """Next round's defenders."""
        self._a: dict[bool, Column] = {}

    def a(self, round_no: int, attack: AttackPlan) -> Column:
        """Return next round's attackers by state, -1 where they cease: this hangs on whether the plan ends here."""
        last = attack.rounds is not None and round_no >= attack.rounds
        known = self._a.get(last)
        if known is None:
            # The defender's strength is asked by pair.
            plan = msgspec.structs.replace(attack, press_at_most=None)
            known = self._a[last] = Batch(partial(self._press_all, round_no=round_no, plan=plan))
        return known

    def _press_all(self, numbers: list[int], round_no: int, plan: AttackPlan) -> list[int]:
        states = self._states
        values = states.a.values
        on: dict[tuple[int, ...], bool] = {}
        found = []
        for number in numbers:
            a = values[number]
            as_is = on.get(a.supply)
            if as_is is None:
                as_is = on[a.supply] = presses_on(states.arena, plan, a.supply, round_no)
            if not as_is or a[3:] != _PLAIN_A:
                found.append(self._press(a, round_no, plan))
            else:
                found.append(number if any(a.own) else -1)
        return found

    def _press(self, a: Attacking, round_no: int, plan: AttackPlan) -> int:
        states = self._states
        field = Field(a.own, (), a.out, (), _NO_CARGO, _NO_CARGO, a.supply, UNLIMITED, round_no)
        after = press(states.arena, plan, states.plans.pools, field)
        if after is None:
            return -1
        return states.a.of(Attacking(after.attackers, after.attackers_out, after.attack_supply))

    def _go_on(self, numbers: list[int]) -> list[int]:
        values, of = self._states.d.values, self._states.d.of
        return [n if values[n][5:] == _PLAIN_D else of(Defending(*values[n][:5])) for n in numbers]


def _is_gone(side: Numbers[Attacking] | Numbers[Defending]) -> bool:
    """Say whether a side may have nobody left: then whatever else it may become is hardly more than what is known."""
    return not all(any(state.own) for state in side.values)


class Round(NamedTuple):
    """A round between some states: its fires, how they end, and where the others go on."""

    fought: Fought
    pairs: Pairs
    next_a: Ints
    """Next round's attackers, by attackers after the fires, or by pair; -1 where they cease."""
    next_d: Ints
    on_a: Ints
    """The states of the next round."""
    on_d: Ints
    goes: Floats
    """0 where the combat ends, 1 where it goes on."""
    onward: Ints
    """For each pair in turn its place in the table of `on_a` and `on_d`; any place where the combat ends."""

    @property
    def is_closed(self) -> bool:
        """Say whether all states that go on are those of this round."""
        return self.on_a is self.fought.a and self.on_d is self.fought.d

    def run(self, joint: Joint) -> Closed:
        """Fight the round on all states at once; what goes on and what ends add up to `joint`."""
        after = self.fought.after(joint)
        shape = (len(self.on_a), len(self.on_d))
        going: Floats = np.bincount(self.onward, (after * self.goes).ravel(), shape[0] * shape[1]).astype(
            np.float64, copy=False
        )
        on = Joint(self.on_a, self.on_d, going.reshape(shape))
        return Closed(on, self.pairs, after, float(np.vdot(after, self.pairs.over)))

    def worth(self, ends: Floats, stops: Floats, later: Floats) -> Floats:
        """Return what each pair of states is worth before the round, shape (`fought.a`, `fought.d`).

        Args:
            ends: What each pair after the fires is worth where the combat ends.
            stops: What it is worth where the attacker ceases there; minus infinity where it must press.
            later: What each pair of `on_a` and `on_d` is worth; minus infinity where that is not known.
        """
        goes_on = np.maximum(stops, later.ravel()[self.onward].reshape(stops.shape))
        return self.fought.back(np.where(self.pairs.over > 0, ends, goes_on))


class Regime:
    """Rounds that are alike."""

    def __init__(
        self, states: States, fires: Fires, onward: Onward, round_no: int, attack: AttackPlan, *, lasts: bool
    ) -> None:
        """Take the round that stands for all of its kind, and the attacker's plan for it.

        Args:
            lasts: There may be many rounds of this kind.
        """
        self.states = states
        self.round_no = round_no
        self._fires = fires
        self._next_a, self._next_d = onward.a(round_no, attack), onward.d
        self._lasts = lasts
        self._whole: Round | None = None
        self._in_vain = _SHRINKS * MAX_CELLS
        self._round: Round | None = None
        self._tail: tuple[Floats, Tail | None] | None = None

    @property
    def fought(self) -> Round:
        """The round that was fought last."""
        assert self._round is not None, "a round was fought"
        return self._round

    @property
    def cells(self) -> int:
        """Size of the largest tables that it holds."""
        return sum(
            known.fought.cells for known in {id(k): k for k in (self._whole, self._round) if k}.values()
        )

    def run(self, joint: Joint, *, stays: bool = False) -> Closed:
        """Fight one round; the products of an earlier round serve again while they know all states.

        Args:
            stays: All later rounds are like this one, and the tail may be told.
        """
        known = self._round
        if known is None or known.fought.a is not joint.a or known.fought.d is not joint.d:
            known = self._round = self._prepared(joint)
        closed = known.run(joint)
        tail = self._tail_of(known, closed.on) if stays and known.is_closed else None
        if tail is not None:
            return closed._replace(tail=tail)
        return closed._replace(on=self._without_specks(closed.on))

    def _tail_of(self, known: Round, joint: Joint) -> Tail | None:
        """Return the pairs among which all further rounds take place; None: they are not few yet, or it is not so simple."""
        fire = known.fought.only
        met = None if fire is None or known.next_a.ndim > 1 else likely(joint.p)
        if fire is None or met is None:
            return None
        if self._tail is None or not np.array_equal(self._tail[0], joint.p):
            at_a = np.where(known.next_a < 0, -1, known.on_a.searchsorted(known.next_a))
            at_d = known.on_d.searchsorted(known.next_d)
            found = tail_of(fire, met, at_a, at_d, known.goes) if apart(at_a) and apart(at_d) else None
            self._tail = joint.p, found
        return self._tail[1]

    def _prepared(self, joint: Joint) -> Round:
        whole = self._whole
        if whole is None or not whole.fought.knows(joint.a, joint.d):
            self._whole = whole = self._fight(joint)
            return whole
        base = whole.fought
        # The same fires between those states that are left, and those that they lead to.
        a, d = joint.a, joint.d
        while _SHRINKS * len(a) * len(d) <= len(base.a) * len(base.d):
            found = self._part(whole, base.among(a, d))
            if found.is_closed or not base.knows(found.on_a, found.on_d):
                return found
            a, d = joined(a, found.on_a), joined(d, found.on_d)
        self._in_vain = joint.p.size
        return whole

    def _without_specks(self, joint: Joint) -> Joint:
        """Drop states that hardly ever occur, once they are most of them."""
        known = self._round
        may_tail = known is not None and known.is_closed and known.fought.only is not None
        if joint.p.size <= (_FEW_WITH_TAIL if may_tail else _FEW):
            return joint
        rows, columns = (np.add.reduce(joint.p, axis=axis) > SPECK for axis in (1, 0))
        few = np.count_nonzero(rows) * np.count_nonzero(columns)
        if _SHRINKS * few > min(joint.p.size, self._in_vain):
            return joint
        return Joint(joint.a[rows], joint.d[columns], joint.p[rows][:, columns])

    # Fires

    def _fight(self, joint: Joint) -> Round:
        """Prepare a round, with all states that later rounds of its kind lead to."""
        a, d = joint.a, joint.d
        many = self._lasts and self._returns(joint)
        if many and not (_is_gone(self.states.a) and _is_gone(self.states.d)):
            after = {ATTACKER: self._after_a, DEFENDER: self._after_d}
            a, d = led_to(self._fires, a, d, after=after, most=_MOST_AHEAD) or (a, d)
        while True:
            fought = self._fires.between(a, d)
            if fought.cells > MAX_CELLS:
                raise TooLargeError(
                    f"round {self.round_no}: {len(a)} x {len(d)} states lead to {len(fought.new_a)} x "
                    f"{len(fought.new_d)}; fewer kinds of pieces make it smaller"
                )
            found = self._closing(fought)
            if not many or found.is_closed or fought.cells > _MOST_AHEAD:
                return found
            a, d = joined(a, found.on_a), joined(d, found.on_d)

    def _returns(self, joint: Joint) -> bool:
        """Say whether a later round may have states of this one again: not where tokens of supply are spent."""
        if self.states.at_sea:
            return True
        a, d = self.states.a.values[int(joint.a[0])], self.states.d.values[int(joint.d[0])]
        return d.supply == UNLIMITED and all(tokens == UNLIMITED for tokens in a.supply)

    def _after_a(self, a: Ints, hits: Ints) -> Ints:
        fired = self._fires.fire_on_a(a, hits)
        after = self._next_a.of(fired)
        if self.states.has_doubts:
            others = (column.of(fired) for column in (self.states.payable, self.states.unspared))
            after = np.stack((after, *map(self._next_a.of, others)))
        return after[after >= 0]

    def _after_d(self, d: Ints, hits: Ints) -> Ints:
        return self._next_d.of(self._fires.fire_on_d(d, hits))

    # How it ends, and who goes on

    def _closing(self, fought: Fought) -> Round:
        """Say how each pair ends, "ceased" included, and where the others go on."""
        a, d = fought.new_a, fought.new_d
        results = self.states.results(a, d)
        next_a, next_d = self._next_a.of(a), self._next_d.of(d)
        results = self._ceased(results, next_a, d)
        left = None
        if self.states.has_doubts:
            results, next_a, left = self._unspared(results, next_a, a, d)
        pairs = Pairs(a, d, results, (results != ON).astype(np.float64), left)
        return self._onward(fought, pairs, next_a, next_d)

    def _ceased(self, results: Ints, next_a: Ints, d: Ints) -> Ints:
        """Return how pairs end, with those that the plan ends."""
        ceasing = (results == ON) & ((next_a < 0)[:, None] | self._too_strong(d))
        return np.where(ceasing, _CEASED, results)

    def _unspared(self, results: Ints, next_a: Ints, a: Ints, d: Ints) -> tuple[Ints, Ints, Ints | None]:
        """Return how pairs end, who goes on and who is left where a unit was spared for moving in without need."""
        other = self.states.unspared.of(a)
        doubtful = (other != a).nonzero()[0]
        if not doubtful.size:
            return results, next_a, None
        # Of these rows alone what follows is worked out by pair.
        following, left = (np.repeat(each[:, None], len(d), axis=1) for each in (next_a, a))
        ends = results[doubtful]
        in_vain = ~self._helps(ends, next_a[doubtful])
        payable, free = self.states.payable.of(a[doubtful]), other[doubtful]
        for option in (payable, free) if (payable != free).any() else (free,):
            on = self._next_a.of(option)
            anew = self._ceased(self.states.results(option, d), on, d)
            takes = in_vain if option is free else in_vain & self._helps(anew, on)
            # Where the attack ceases with nobody who can be paid for, it does so whoever is spared.
            stays = (ends == _CEASED) & (option is free)
            results[doubtful] = ends = np.where(takes & ~stays, anew, ends)
            following[doubtful] = np.where(takes, on[:, None], following[doubtful])
            left[doubtful] = np.where(takes, option[:, None], left[doubtful])
            in_vain &= ~takes
        return results, following, left

    def _helps(self, ends: Ints, next_a: Ints) -> Any:
        """Say for pairs whether a unit that may move in is of use: the territory is taken, or the attack goes on with one."""
        goes_in = (next_a >= 0) & (self.states.moves_in(next_a.clip(0)) == 1)
        return np.isin(ends, _TAKEN) | ((ends == ON) & goes_in[:, None])

    def _part(self, whole: Round, fought: Fought) -> Round:
        """Return a round between some of the states of another."""
        rows = whole.pairs.a.searchsorted(fought.new_a)
        columns = whole.pairs.d.searchsorted(fought.new_d)
        both = rows[:, None], columns
        known = whole.pairs
        left = None if known.left is None else known.left[both]
        pairs = Pairs(fought.new_a, fought.new_d, known.results[both], known.over[both], left)
        return self._onward(
            fought, pairs, whole.next_a[rows if left is None else both], whole.next_d[columns]
        )

    def _onward(self, fought: Fought, pairs: Pairs, next_a: Ints, next_d: Ints) -> Round:
        ceases = next_a < 0
        on_a, on_d = distinct(next_a[~ceases])[0], distinct(next_d)[0]
        if not on_a.size:
            on_a = fought.a[:1]
        if fought.knows(on_a, on_d):
            on_a, on_d = fought.a, fought.d
        at_a = on_a.searchsorted(np.where(ceases, on_a[0], next_a))
        by_pair = at_a if at_a.ndim > 1 else at_a[:, None]
        onward = (by_pair * len(on_d) + on_d.searchsorted(next_d)).ravel()
        return Round(fought, pairs, next_a, next_d, on_a, on_d, 1 - pairs.over, onward)

    def _too_strong(self, d: Ints) -> Any:
        plan = self.states.plans.attack
        if plan.press_at_most is None or self.states.arena.rules.must_press:
            return np.zeros(len(d), dtype=bool)
        values = self.states.d.values
        return np.array([wants_to_cease(plan, self.round_no, 99, total(values[n].own)) for n in d.tolist()])
