"""When to press and when to cease a North Africa combat, for one goal: the best there is, and simple rules.

A combat is a decision process over the same rounds as its odds: after each one that is not its last the attacker
presses or ceases, knowing what both sides have left. From the last round back to the first, a pair of states is worth
the better of the two. Dice, losses, supply and endings are all asked of `companion.games.aana`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from companion.core.ids import Nation
from companion.games.aana.odds.answer import Odds
from companion.games.aana.odds.play import TooLargeError, Work, exact_odds, start_work
from companion.games.aana.odds.round import Round
from companion.games.aana.odds.states import Attacking, Defending, Joint, Plans
from companion.games.aana.odds.tables import Floats, Ints
from companion.games.aana.rules.casualties import Cargo, LossPolicy, loss_order
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Arena, Counts, Role
from companion.games.aana.rules.rounds import ENDINGS, UNLIMITED, AttackPlan, DefencePlan, Pools

__all__ = [
    "Advice",
    "Combat",
    "Stopping",
    "Tried",
    "UnknownCostError",
    "advise",
    "all_advice",
    "first_advice",
    "goal_value",
    "more_advice",
    "reinforced",
]

_LEFT_OVER: Final = 1e-12
"""Chance of rounds that are not looked at any more; the attacker is taken to cease there."""
_MOST_ROUNDS: Final = 200
_TOLD: Final = 6
"""Rounds after which ceasing or retreating is tried as a rule."""
_EQUAL: Final = 1e-9
_MORE: Final = 2
"""Pieces that are added to see what more of them would change."""


class UnknownCostError(ValueError):
    """A goal by cost needs figures that nobody has entered; `units` names them."""

    def __init__(self, units: tuple[str, ...]) -> None:
        """Keep the units."""
        super().__init__(", ".join(units))
        self.units = units


class Combat(msgspec.Struct, frozen=True):
    """A combat before a round, and what both sides would do; as for `exact_odds`."""

    arena: Arena
    attackers: Counts
    defenders: Counts
    attack: AttackPlan = AttackPlan()
    defence: DefencePlan = DefencePlan()
    cargo: Cargo = Cargo()
    costs: Mapping[tuple[Nation, str], int] = {}
    attack_supply: tuple[int, ...] = (UNLIMITED,)
    defence_supply: int = UNLIMITED
    pools: Pools = Pools()
    from_round: int = 1
    """The round that is fought first; after round 1 the air defence is over."""
    is_opened: bool = False
    """The air defence of round 1 is over too."""

    def work(self, beside: Work | None = None) -> Work:
        """Return its rounds, to be fought one by one, with what another combat of the same pieces knows."""
        plans = Plans(self.attack, self.defence, self.pools)
        if beside is not None:
            return beside.under(plans)
        return start_work(self.arena, plans, self.costs, self.cargo)

    def odds(self, work: Work | None = None, *, tells_ends: bool = True) -> Odds:
        """Return its odds; `work` and `tells_ends` as for `exact_odds`."""
        return exact_odds(
            self.arena,
            self.attackers,
            self.defenders,
            attack=self.attack,
            defence=self.defence,
            cargo=self.cargo,
            costs=self.costs,
            attack_supply=self.attack_supply,
            defence_supply=self.defence_supply,
            pools=self.pools,
            from_round=self.from_round,
            opened=self.is_opened,
            work=work,
            tells_ends=tells_ends,
        )

    def start(self, role: Role) -> Counts:
        """Return the pieces of a role."""
        return self.attackers if role == ATTACKER else self.defenders


def _prices(combat: Combat, role: Role, goal: str) -> Floats:
    """Return what a piece of each kind costs; zeros where the goal is a chance."""
    rows = combat.arena.rows(role)
    if goal not in ("keep", "exchange"):
        return np.zeros(len(rows))
    unknown = [row.unit for row, n in zip(rows, combat.start(role), strict=True) if n and row.cost is None]
    if unknown:
        raise UnknownCostError(tuple(dict.fromkeys(unknown)))
    return np.array([float(row.cost or 0) for row in rows])


def goal_value(combat: Combat, odds: Odds, role: Role, goal: str) -> float:
    """Return what odds are worth for a side's goal: a chance, 0 to 1, or a cost on average, in reinforcement points.

    Under ``exchange`` a cost may be below 0. A convoy's cargo does not count.

    Raises:
        UnknownCostError: The goal needs a cost that nobody has entered.
    """
    foe: Role = DEFENDER if role == ATTACKER else ATTACKER
    if goal == "space":
        return odds.p_capture if role == ATTACKER else 1 - odds.p_capture
    if goal == "clear":
        return odds.results[role] + odds.results["both"]
    lost = {
        each: float(
            _prices(combat, each, goal) @ (np.array(combat.start(each)) - np.array(odds.survivors[each]))
        )
        for each in (role, foe)
    }
    if goal == "exchange":
        return lost[foe] - lost[role]
    return float(_prices(combat, role, goal) @ np.array(combat.start(role))) - lost[role]


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
        self._prices = {role: _prices(combat, role, goal) for role in (ATTACKER, DEFENDER)}
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


class Tried(msgspec.Struct, frozen=True):
    """A simple rule, and what the goal comes to by it."""

    kind: str
    """``last``: a unit is lost last; ``rounds``: cease after so many; ``retreat``: retreat from a round on;
    ``more``: so many more of a unit."""
    unit: str
    rounds: int
    """Rounds, or pieces."""
    value: float


class Advice(msgspec.Struct, frozen=True):
    """What is best for a side and a goal."""

    role: Role
    goal: str
    usual: float
    """As the battle file has it."""
    best: float | None
    """Attacker: the most that is found with the best times to cease under each order of loss tried; None: too large."""
    best_last: str
    """The unit that is lost last in it; empty: the losses of the file."""
    keeps_throughout: bool
    """The last unit that may move in was kept in all rounds or in none, though the ruling lets it hang on the round."""
    lines: tuple[Tried, ...]
    """Simple rules that are better than what the file has, the best first."""
    waits: tuple[str, ...] = ()
    """Orders of loss not tried yet, by the unit that is lost last; empty: the file's own."""

    @property
    def least(self) -> float:
        """What is certain to be reached, in the unit of `goal_value`: the best of all that was worked out."""
        return max(
            self.usual, *(line.value for line in self.lines), self.usual if self.best is None else self.best
        )


def first_advice(combat: Combat, role: Role, goal: str) -> Advice:
    """Return what a goal comes to as the battle file has it, every order of loss still waiting to be tried.

    Raises:
        TooLargeError: Not even the odds can be worked exactly.
        UnknownCostError: The goal needs a cost that nobody has entered.
    """
    usual = goal_value(combat, combat.odds(tells_ends=False), role, goal)
    hangs = role == ATTACKER and combat.attack.may_give_up(combat.arena, combat.pools)
    return Advice(role, goal, usual, None, "", hangs, (), tuple(_orders(combat, role)))


def more_advice(combat: Combat, advice: Advice, check: Callable[[], None] = lambda: None) -> Advice:
    """Return advice with one more order of loss tried, the file's own with every rule for ceasing or retreating.

    `check` is called between pieces of work; what it raises ends it. Errors as for `first_advice`.
    """
    role, goal = advice.role, advice.goal
    last, *waits = advice.waits
    one = _with_losses(combat, role, _orders(combat, role)[last])
    ways = [("last", last, 0, one)] if last else _timed(one, role)
    tried = []
    shared = one.work()
    best, best_last = advice.best, advice.best_last
    try:
        for kind, named, rounds, way in ways:
            check()
            # The file's own order of loss has been worked before, and is kept.
            odds = way.odds(shared if last else None, tells_ends=False)
            tried.append(Tried(kind, named, rounds, goal_value(way, odds, role, goal)))
        shared.leave()
        for keep in dict.fromkeys((combat.attack.keep, "never")) if role == ATTACKER else ():
            check()
            try:
                stopping = Stopping(replace(one, attack=replace(one.attack, keep=keep)), goal, shared)
            except TooLargeError:
                continue
            if best is None or stopping.value > best + _EQUAL:
                best, best_last = stopping.value, last
    finally:
        shared.end()
    better = (line for line in (*advice.lines, *tried) if line.value > advice.usual + _EQUAL)
    lines = tuple(sorted(better, key=lambda line: -line.value))
    if best is not None and not waits:
        # In the last round of a limit losses may hang on whether the territory is taken in it.
        best = max(best, advice.usual, *(line.value for line in lines))
    return Advice(role, goal, advice.usual, best, best_last, advice.keeps_throughout, lines, tuple(waits))


def all_advice(combat: Combat, advice: Advice, check: Callable[[], None] = lambda: None) -> Advice:
    """Return advice with every order of loss tried; `check` and errors as for `more_advice`."""
    while advice.waits:
        advice = more_advice(combat, advice, check)
    return advice


def advise(combat: Combat, role: Role, goal: str) -> Advice:
    """Return what is best for a side; errors as for `first_advice`."""
    return all_advice(combat, first_advice(combat, role, goal))


def _timed(combat: Combat, role: Role) -> list[tuple[str, str, int, Combat]]:
    """Return the rules for ceasing or retreating after each of some rounds, as a line names them, with their combats."""
    rounds = range(combat.from_round, combat.from_round + _TOLD)
    if role == ATTACKER and not combat.arena.rules.must_press:
        return [("rounds", "", n, replace(combat, attack=replace(combat.attack, rounds=n))) for n in rounds]
    if role == DEFENDER and combat.arena.rules.can_retreat:
        return [
            ("retreat", "", n, replace(combat, defence=replace(combat.defence, retreat_round=n)))
            for n in rounds
        ]
    return []


def reinforced(
    combat: Combat, role: Role, goal: str, check: Callable[[], None] = lambda: None
) -> tuple[Tried, ...]:
    """Return what two more pieces of each kind would change from the beginning, the best first; `check` as for `more_advice`.

    Raises:
        TooLargeError, UnknownCostError: As `advise`.
    """
    found: dict[str, Tried] = {}
    start = combat.start(role)
    for i, (row, n) in enumerate(zip(combat.arena.rows(role), start, strict=True)):
        if n and row.unit not in found:
            check()
            counts = (*start[:i], n + _MORE, *start[i + 1 :])
            more = (
                replace(combat, attackers=counts) if role == ATTACKER else replace(combat, defenders=counts)
            )
            value = goal_value(more, more.odds(tells_ends=False), role, goal)
            found[row.unit] = Tried("more", row.unit, _MORE, value)
    return tuple(sorted(found.values(), key=lambda one: -one.value))


def _orders(combat: Combat, role: Role) -> dict[str, LossPolicy]:
    """Return ways of taking losses by the unit that is lost last, each order of kinds once; first that of the file."""
    now = combat.attack.losses if role == ATTACKER else combat.defence.losses
    rows = [row for row, n in zip(combat.arena.rows(role), combat.start(role), strict=True) if n]
    units = list(dict.fromkeys(row.unit for row in sorted(rows, key=lambda row: row.cost or 0)))
    if len(units) < 2:
        return {"": now}
    ways, known = {"": now}, {loss_order(combat.arena, role, now)}
    for last in units:
        way = replace(now, order=tuple(one for one in units if one != last))
        order = loss_order(combat.arena, role, way)
        if order not in known:
            ways[last] = way
            known.add(order)
    return ways


def _with_losses(combat: Combat, role: Role, policy: LossPolicy) -> Combat:
    if role == ATTACKER:
        return replace(combat, attack=replace(combat.attack, losses=policy))
    return replace(combat, defence=replace(combat.defence, losses=policy))
