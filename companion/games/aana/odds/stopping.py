"""When to press and when to cease a North Africa combat, for one goal: the best there is, and simple rules.

A combat is a decision process over the same rounds as its odds: after each one that is not its last the attacker
presses or ceases, knowing what both sides have left. From the last round back to the first, a pair of states is worth
the better of the two. Dice, losses, supply and endings are all asked of `companion.games.aana`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from companion.games.aana.odds.goals import Combat, prices_of
from companion.games.aana.odds.play import Work
from companion.games.aana.odds.round import Round
from companion.games.aana.odds.sides import Attacking, Defending, Joint
from companion.games.aana.odds.tables import Floats, Ints
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import ATTACKER, DEFENDER
from companion.games.aana.rules.rounds import ENDINGS
from companion.odds.arrays import np

__all__ = ["Stopping"]

_LEFT_OVER: Final = 1e-12
"""Chance of rounds that are not looked at any more; the attacker is taken to cease there."""
_MOST_ROUNDS: Final = 200


class _Fought(NamedTuple):
    """One round of a kind, and what its pairs are worth."""

    round: Round
    stops: Floats
    later: Floats
    worth: Floats
    """Before the round."""


class Stopping:
    """The best times to press and to cease under a way of taking losses; `value` is what the goal comes to."""

    def __init__(self, combat: Combat, goal: str, beside: Work | None = None) -> None:
        """Work all decisions of the attacker.

        Args:
            beside: A combat of the same pieces, whose tables are used and stay; then `value` alone is kept.

        Raises:
            TooLargeError: The combat has more states than are worked exactly.
            UnknownCostError: The goal needs a cost that nobody has entered.
        """
        self.combat, self.goal = combat, goal
        self._prices = {role: prices_of(combat, role, goal) for role in (ATTACKER, DEFENDER)}
        self._start = {
            role: float(self._prices[role] @ np.array(combat.start(role))) for role in self._prices
        }
        keep = "never" if combat.attack.keep == "never" else "always"
        plan = replace(combat.attack, keep=keep, rounds=None, cease_at_most=None, press_at_most=None)
        self._work = replace(combat, attack=plan).work(beside)
        self._is_brief = beside is not None
        self._rounds: dict[int, _Fought] = {}
        nobody_a, nobody_d = (0,) * len(combat.attackers), (0,) * len(combat.defenders)
        a = Attacking(combat.attackers, nobody_a, combat.attack_supply)
        d = Defending(combat.defenders, nobody_d, combat.defence_supply, combat.cargo, Cargo())
        is_opened = combat.is_opened or combat.from_round > 1
        first = self._work.certain(a, d) if is_opened else self._work.opening(a, d)
        self.value = self._ended() + self._valued(first.a, first.d, first.p)
        if self._is_brief:
            self._work.leave()

    def _ended(self) -> float:
        """Return what the ends before the first round are worth, each by its chance."""
        return sum(float((self._worth(kind, a, d) * p).sum()) for kind, a, d, p in self._work.ends)

    def _valued(self, a: Ints, d: Ints, p: Floats) -> float:
        fought: list[Round] = []
        joint = Joint(a, d, p)
        while joint.p.size and joint.p.sum() > _LEFT_OVER and len(fought) < _MOST_ROUNDS:
            late = self.combat.defence.retreat_round
            regime = self._work.regime(self.combat.from_round + len(fought), None, late)
            closed = regime.run(joint)
            fought.append(regime.fought)
            joint = closed.on
        if not fought:
            return 0.0
        later: tuple[Ints, Ints, Floats] | None = None
        before, (ends, may_stop) = fought[-1], self._ends_and_stops(fought[-1])
        for number in range(len(fought), 0, -1):
            one = fought.pop()
            if one is not before:
                before, (ends, may_stop) = one, self._ends_and_stops(one)
            stops = may_stop
            if later is None:
                # Hardly anything is left: a combat that must be pressed is valued as if it ceased.
                stops = np.where(np.isfinite(stops), stops, ends)
            known = _known(one, later)
            worth = one.worth(ends, stops, known)
            if not self._is_brief:
                self._rounds[self.combat.from_round - 1 + number] = _Fought(one, stops, known, worth)
            later = one.fought.a, one.fought.d, worth
        assert later is not None, "a round was fought"
        rows, columns = later[0].searchsorted(a), later[1].searchsorted(d)
        return float((later[2][rows[:, None], columns] * p).sum())

    def _ends_and_stops(self, one: Round) -> tuple[Floats, Floats]:
        """Return what each pair after a round's fires is worth where the combat ends, and where the attacker ceases."""
        pairs = one.pairs
        wins, cleared = self._outcomes(pairs.results)
        if self.goal == "exchange":
            mine, theirs, swept = self._left(pairs.a, pairs.d)
            ends = self._exchange(mine[:, None], np.where(wins, swept, theirs))
            stops = self._exchange(mine[:, None], theirs)
        elif self.goal == "keep":
            ends = stops = np.repeat(self._left_a(pairs.a)[:, None], len(pairs.d), axis=1)
        else:
            ends = self._reached(wins, cleared, (self._work.states.moves_in(pairs.a) == 1)[:, None])
            stops = np.zeros(ends.shape)
        if self.combat.arena.rules.must_press:
            stops = np.full(ends.shape, -np.inf)
        return ends, stops

    def _worth(self, results: Ints, a: Ints, d: Ints) -> Floats:
        """Return what ends are worth, one a place in every array."""
        wins, cleared = self._outcomes(results)
        if self.goal == "exchange":
            mine, theirs, swept = self._left(a, d)
            return self._exchange(mine, np.where(wins, swept, theirs))
        if self.goal == "keep":
            return self._left_a(a)
        return self._reached(wins, cleared, self._work.states.moves_in(a) == 1)

    def _outcomes(self, results: Ints) -> tuple[Any, Any]:
        """Say which results leave nobody to defend, with attackers left and with any or none."""
        wins = results == ENDINGS.index("attacker")
        return wins, wins | (results == ENDINGS.index("both"))

    def _reached(self, wins: Any, cleared: Any, enters: Any) -> Floats:
        """Return 1 where a goal by chance is reached, else 0."""
        return np.asarray(cleared if self.goal == "clear" else wins & enters, dtype=np.float64)

    def _exchange(self, mine: Floats, theirs: Floats) -> Floats:
        """Return what the defender has lost by cost, less what the attacker has."""
        found: Floats = (self._start[DEFENDER] - theirs) - (self._start[ATTACKER] - mine)
        return found

    def _left(self, a: Ints, d: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the cost of what is left of attackers, of defenders, and of these once artillery left alone is gone."""
        theirs = self._left_d(d)
        is_swept = self.combat.arena.rules.aaa_last
        return self._left_a(a), theirs, self._left_d(self._work.states.swept.of(d)) if is_swept else theirs

    def _left_a(self, a: Ints) -> Floats:
        states = self._work.states.a.values
        return _cost([states[n] for n in a.tolist()], self._prices[ATTACKER])

    def _left_d(self, d: Ints) -> Floats:
        states = self._work.states.d.values
        return _cost([states[n] for n in d.tolist()], self._prices[DEFENDER])

    def presses(self, round_no: int, a: Attacking, d: Defending) -> bool:
        """Say whether to press after a round that has not ended the combat; states that never occur cease."""
        fought = self._rounds.get(round_no)
        if fought is None:
            return False
        states, pairs = self._work.states, fought.round.pairs
        row = int(pairs.a.searchsorted(states.a.of(a)))
        column = int(pairs.d.searchsorted(states.d.of(d)))
        flat = row * len(pairs.d) + column
        return bool(fought.later.ravel()[fought.round.onward[flat]] > fought.stops[row, column])


def _cost(states: Sequence[Attacking | Defending], prices: Floats) -> Floats:
    """Return what the pieces of states cost, those that have left the combat alive among them."""
    pieces = np.array([(*state.own, *state.out) for state in states], dtype=np.float64)
    found: Floats = pieces.reshape(len(states), -1) @ np.concatenate((prices, prices))
    return found


def _known(one: Round, later: tuple[Ints, Ints, Floats] | None) -> Floats:
    """Return what the pairs of the next round are worth, as far as they are known; minus infinity for the others."""
    if later is not None and later[0] is one.on_a and later[1] is one.on_d:
        return later[2]
    known = np.full((len(one.on_a), len(one.on_d)), -np.inf)
    if later is None:
        return known
    a, d, worth = later
    rows, columns = a.searchsorted(one.on_a), d.searchsorted(one.on_d)
    has_a = (rows < len(a)) & (a[np.minimum(rows, len(a) - 1)] == one.on_a)
    has_d = (columns < len(d)) & (d[np.minimum(columns, len(d) - 1)] == one.on_d)
    known[np.ix_(has_a, has_d)] = worth[np.ix_(rows[has_a], columns[has_d])]
    return known
