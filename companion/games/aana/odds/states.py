"""The states of both sides of a North Africa combat, by number, and what fire does to them.

`States` serves all rounds of a combat: it numbers what a side has, keeps what hits leave of each state, and says how
a pair of states has ended. Losses, retreats, escapes and endings are asked of `companion.games.aana`.
"""

from __future__ import annotations

from copy import copy
from typing import Final, TypeVar

from companion.games.aana.odds.dice import Dice
from companion.games.aana.odds.losses import Left
from companion.games.aana.odds.sides import Attacking, Defending, Leaving, Plans
from companion.games.aana.odds.tables import Batch, Column, Grid, Ints, Numbers, distinct
from companion.games.aana.rules.casualties import Cargo, escape
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Arena, Counts, Role, can_act
from companion.games.aana.rules.figures import NO_POWER
from companion.games.aana.rules.rounds import (
    ENDINGS,
    UNLIMITED,
    Field,
    aaa_alone,
    aaa_fate,
    ending,
    has_surrendered,
    moves_in,
)
from companion.odds.arrays import np

__all__ = ["ON", "States"]

ON: Final = len(ENDINGS)
"""In place of a result (a place in `ENDINGS`): the combat goes on."""
_LOAD: Final = Cargo(supply=((NO_POWER, 1),))
_NO_LOAD: Final = Cargo()
_FATES: Final = ("", "attacker", "stalemate")
_FATE_ENDS: Final = (ON, ENDINGS.index("attacker"), ENDINGS.index("stalemate"))
_TABLES: Final = (Column, Grid)
_RAIDS: Final = 4
"""More than the tokens that raids may destroy in one combat."""


S = TypeVar("S", Attacking, Defending)


class States:
    """The numbered states of both sides, what fire does to them, and how a pair of them has ended.

    All regimes share it.
    """

    def __init__(self, arena: Arena, dice: Dice, plans: Plans) -> None:
        """Start without states."""
        self.arena = arena
        self.dice = dice
        self.plans = plans
        self.at_sea = arena.rules.domain == "sea"
        self.vichy = any(kind.power == "vichy" for kind in arena.defenders)
        self.a: Numbers[Attacking] = Numbers()
        self.d: Numbers[Defending] = Numbers()
        self.orders: Numbers[Leaving] = Numbers()
        self._losses_a, self._losses_d = dice.losses[ATTACKER], dice.losses[DEFENDER]
        # A state is its pieces, which hits fall on, and the rest, which they leave alone.
        self._rests_a: Numbers[Attacking] = Numbers()
        self._rests_d: Numbers[Defending] = Numbers()
        self._own_a, self._own_d = Batch(self._pieces_a), Batch(self._pieces_d)
        self._rest_a = Batch(lambda some: _rests(self.a, some, self._rests_a))
        self._rest_d = Batch(lambda some: _rests(self.d, some, self._rests_d))
        # A round may neither take the territory nor lead to another: then nobody is spared for moving in.
        self._unspared_losses = dice.unspared
        guns = arena.having(DEFENDER, "cannot_attack") if arena.rules.aaa_last in ("", "ends") else ()
        self.has_doubts = False
        """Some attackers after the fire hang on what the round came to."""
        self.may_stall = bool(guns)
        """The combat may end since nobody can hit anybody."""
        self._is_dry = Column(lambda rest: int(0 in self._rests_a.values[rest].supply))
        self.payable, self.unspared = Column(self._with_payable), Column(self._without_sparing)
        """Of attackers after the fire, what they are if a unit is spared that can be paid for, and if nobody is."""
        self._struck_a, self._struck_d = Grid(self._strike_on_a), Grid(self._strike_on_d)
        self._fired_a, self._fired_d = Grid(self._fire_on_a), Grid(self._fire_on_d)
        self._given: Numbers[tuple[int, int]] = Numbers()
        self._given_d = Grid(lambda rest, order: self._given.of((rest, order)))
        self._escaped: dict[tuple[Cargo, Cargo], tuple[Cargo, Cargo]] = {}
        # How a pair has ended hangs on which kinds are left only.
        self._marks_a: Numbers[tuple[Counts, bool]] = Numbers()
        self._marks_d: Numbers[tuple[Counts, bool]] = Numbers()
        self._mark_a, self._mark_d = Batch(self._marks_of_a), Batch(self._marks_of_d)
        self._enters = Column(lambda mark: int(moves_in(arena, self._marks_a.values[mark][0])))
        self._left_a = Column(lambda mark: int(any(self._marks_a.values[mark][0])))
        self._left_d = Column(self._load_and_left)
        self._foes: Numbers[tuple[Counts, bool]] = Numbers()
        self._firsts = {role: _firsts(arena, role) for role in (ATTACKER, DEFENDER)}
        self._foe_a, self._foe_d = Column(self._seen_as_a), Column(self._seen_as_d)
        self._acts_a, self._acts_d = Grid(self._can_act_a), Grid(self._can_act_d)
        self._alone: dict[tuple[Role, int, Counts, bool], bool] = {}
        self._endings = Column(self._ending)
        self._ended: tuple[Ints, Ints, Ints] | None = None
        self._given_up = Grid(self._surrender)
        self._fates = Column(lambda mark: _FATES.index(aaa_fate(arena, self._marks_d.values[mark][0])))
        self.swept = Column(self._without_guns)
        """Of defenders whom the attack has cleared away, what is left: no artillery that stood alone."""

    def under(self, plans: Plans, dice: Dice) -> States:
        """Return the same states where losses are chosen in other ways, with all that does not hang on these shared."""
        found = copy(self)
        found.plans, found.dice, found.has_doubts = plans, dice, False
        found._losses_a, found._losses_d = dice.losses[ATTACKER], dice.losses[DEFENDER]
        found._unspared_losses = dice.unspared
        return found

    @property
    def nbytes(self) -> int:
        """Memory of its tables, in bytes; values and what else knows them by number left out."""
        every = (*vars(self).values(), *vars(self._losses_a).values(), *vars(self._losses_d).values())
        return sum(table.nbytes for table in every if isinstance(table, _TABLES))

    # What fire does

    def strike_a(self, a: Ints, hits: Ints) -> Ints:
        """Return what surprise strikes make of attackers; shape (states, hits)."""
        return self._struck_a.of(self._rest_a.of(a)[:, None], self._losses_a.after(self._own_a.of(a), hits))

    def strike_d(self, d: Ints, hits: Ints) -> Ints:
        """Return what surprise strikes make of defenders; shape (states, hits)."""
        return self._struck_d.of(self._rest_d.of(d)[:, None], self._losses_d.after(self._own_d.of(d), hits))

    def fire_a(self, a: Ints, hits: Ints, *, may_end: bool) -> Ints:
        """Return what the defenders' fire makes of attackers; shape (states, hits).

        Args:
            may_end: The attack may end after this round for other reasons than supply.
        """
        own, rest = self._own_a.of(a), self._rest_a.of(a)
        given = 2 * rest[:, None]
        if self.vichy:
            given = given + (hits > 0)
        found = self._fired_a.of(given, self._losses_a.after(own, hits))
        if self._unspared_losses is not None:
            doubtful = ((self._is_dry.of(rest) == 1) | may_end).nonzero()[0]
            if doubtful.size:
                left = self._unspared_losses.after(own[doubtful], hits)
                unspared = self._fired_a.of(given[doubtful], left)
                payable = self._paid_for(
                    rest[doubtful], own[doubtful], given[doubtful], found[doubtful], hits
                )
                found[doubtful] = self._in_doubt(found[doubtful], payable, unspared)
        return found

    def _paid_for(self, rest: Ints, own: Ints, given: Ints, spared: Ints, hits: Ints) -> Ints:
        """Return attackers after the fire if a unit is spared whose supply is not spent; shape (states, hits)."""
        found, pools = spared.copy(), self.plans.pools
        if len(pools.by_origin) < 2:
            return found
        supplies = [self._rests_a.values[number].supply for number in rest.tolist()]
        for supply in dict.fromkeys(supplies):
            policy = self.plans.attack.payable(self.arena, pools, supply)
            if policy.unpaid_from:
                at = np.array([one == supply for one in supplies])
                found[at] = self._fired_a.of(given[at], self.dice.payable(policy).after(own[at], hits))
        return found

    def _in_doubt(self, spared: Ints, payable: Ints, unspared: Ints) -> Ints:
        """Return attackers after the fire that know, where it differs, what they are if others or nobody are spared."""
        differs = (spared != unspared) | (spared != payable)
        self.has_doubts = self.has_doubts or bool(differs.any())
        states = self.a.values
        ways = np.stack([each[differs] for each in (spared, payable, unspared)], axis=-1)
        some, at = np.unique(ways, axis=0, return_inverse=True)
        all_three = [
            self.a.of(states[one]._replace(payable=states[other].own, unspared=states[last].own))
            for one, other, last in some.tolist()
        ]
        found = spared.copy()
        found[differs] = np.array(all_three, dtype=np.int64)[at.ravel()]
        return found

    def _with_payable(self, number: int) -> int:
        a = self.a.values[number]
        return self.a.of(a._replace(own=a.payable, payable=(), unspared=())) if a.unspared else number

    def _without_sparing(self, number: int) -> int:
        a = self.a.values[number]
        return self.a.of(a._replace(own=a.unspared, payable=(), unspared=())) if a.unspared else number

    def fire_d(self, d: Ints, hits: Ints, orders: Ints, raid: int) -> Ints:
        """Return what the attackers' fire and step 4 make of defenders; shape (states, hits).

        Args:
            orders: Numbers into `orders`, one a state.
            raid: Tokens destroyed before the first dice.
        """
        left = self._losses_d.after(self._own_d.of(d), hits)
        given = self._given_d.of(self._rest_d.of(d), _RAIDS * orders + raid)
        return self._fired_d.of(given[:, None], left)

    def _pieces_a(self, numbers: list[int]) -> list[int]:
        values, of = self.a.values, self._losses_a.left.of
        return [of(Left(values[n].own)) for n in numbers]

    def _pieces_d(self, numbers: list[int]) -> list[int]:
        values, of, reachable = self.d.values, self._losses_d.left.of, self.dice.reachable
        return [of(Left(values[n].own, 0, reachable(values[n].cargo))) for n in numbers]

    def _strike_on_a(self, rest: int, left: int) -> int:
        return self.a.of(Attacking(self._losses_a.left.values[left].own, *self._rests_a.values[rest][1:]))

    def _strike_on_d(self, rest: int, left: int) -> int:
        d, after = self._rests_d.values[rest], self._losses_d.left.values[left]
        cargo = self.dice.cargo_left(d.cargo, after)
        return self.d.of(Defending(after.own, d.out, d.supply, cargo, *d[4:]))

    def _fire_on_a(self, rest: int, left: int) -> int:
        """Take hits; an odd number says that the defenders scored one."""
        rest, scored = divmod(rest, 2)
        a = self._rests_a.values[rest]
        own = self._losses_a.left.values[left].own
        return self.a.of(Attacking(own, a.out, a.supply, scored=bool(scored)))

    def _fire_on_d(self, spent: int, left: int) -> int:
        """Take hits, then resolve step 4: supply spent, retreats, escape."""
        rest, order = self._given.values[spent]
        order, raid = divmod(order, _RAIDS)
        d, after = self._rests_d.values[rest], self._losses_d.left.values[left]
        given, own = self.orders.values[order], after.own
        if given.swept:
            own = (0,) * len(own)
        cargo, away = self.dice.cargo_left(d.cargo, after), d.cargo_out
        supply, out, leaves = given.supply_left, d.out, ""
        if raid and supply > 0:
            supply = max(0, supply - raid)
        if any(given.kinds):
            going = tuple([n if leaving else 0 for n, leaving in zip(own, given.kinds, strict=True)])
            own = tuple([n - g for n, g in zip(own, going, strict=True)])
            if any(going) and self.arena.rules.can_retreat:
                out = tuple([o + g for o, g in zip(out, going, strict=True)])
                leaves = "retreat" if not any(own) else ""
        if cargo.units or cargo.supply:
            cargo, away = self._escape(cargo, away)
        return self.d.of(Defending(own, out, supply, cargo, away, leaves=leaves))

    def _escape(self, cargo: Cargo, away: Cargo) -> tuple[Cargo, Cargo]:
        known = self._escaped.get((cargo, away))
        if known is None:
            known = self._escaped[cargo, away] = escape(cargo, self.dice.costs, away)
        return known

    # How it ends

    def moves_in(self, a: Ints) -> Ints:
        """Say of attackers whether (1) somebody is among them who may move in."""
        return self._enters.of(self._mark_a.of(a))

    def results(self, a: Ints, d: Ints) -> Ints:
        """Return how each pair has ended after step 4; not to be changed."""
        # The first round and those that follow may lead to the same states.
        if self._ended is None or not (
            np.array_equal(self._ended[0], a) and np.array_equal(self._ended[1], d)
        ):
            self._ended = a, d, self._results(a, d)
        return self._ended[2]

    def _results(self, a: Ints, d: Ints) -> Ints:
        marks_a, at_a = distinct(self._mark_a.of(a))
        marks_d, at_d = distinct(self._mark_d.of(d))
        acts_a = self._acts_a.of(marks_a[:, None], self._foe_d.of(marks_d))
        acts_d = self._acts_d.of(self._foe_a.of(marks_a)[:, None], marks_d)
        left_a, left_d = self._left_a.of(marks_a)[:, None], self._left_d.of(marks_d)
        found = self._endings.of(acts_d + 2 * acts_a + 4 * left_d + 16 * left_a)
        if self.arena.rules.aaa_last:
            fates = self._fates.of(marks_d)
            falls = (left_a == 1) & (fates > 0)
            found = np.where(falls, np.array(_FATE_ENDS)[fates], found)
        if self.vichy:
            scored = np.array([self._marks_a.values[mark][1] for mark in marks_a.tolist()], dtype=np.int64)
            given_up = self._given_up.of(scored[:, None], marks_d) == 1
            found = np.where(given_up, ENDINGS.index("attacker"), found)
        return found[at_a[:, None], at_d]

    def _ending(self, code: int) -> int:
        """Ask how a pair has ended, by what `results` found out about it."""
        (left_a, left_d), (load, acts_a, acts_d) = divmod(code >> 3, 2), [code >> i & 1 for i in (2, 1, 0)]
        acts = {ATTACKER: bool(acts_a), DEFENDER: bool(acts_d)}
        cargo = _LOAD if load else _NO_LOAD
        field = Field((left_a,), (left_d,), (), (), cargo, _NO_LOAD, (), UNLIMITED, 1)
        found = ending(self.arena, field, acts=lambda _arena, role, *_others: acts[role])
        return ON if found is None else ENDINGS.index(found)

    def _without_guns(self, number: int) -> int:
        d = self.d.values[number]
        return self.d.of(d._replace(own=(0,) * len(d.own))) if aaa_alone(self.arena, d.own) else number

    def _surrender(self, scored: int, mark_d: int) -> int:
        return int(has_surrendered(self.arena, self._marks_d.values[mark_d][0], bool(scored)))

    def _load_and_left(self, mark_d: int) -> int:
        defenders, load = self._marks_d.values[mark_d]
        return 2 * any(defenders) + load

    def _marks_of_a(self, numbers: list[int]) -> list[int]:
        values, of = self.a.values, self._marks_a.of
        return [of((tuple([n and 1 for n in a.own]), a.scored)) for a in map(values.__getitem__, numbers)]

    def _marks_of_d(self, numbers: list[int]) -> list[int]:
        values, of = self.d.values, self._marks_d.of
        return [
            of((tuple([n and 1 for n in d.own]), bool(d.cargo.units or d.cargo.supply) and d.cargo.count > 0))
            for d in map(values.__getitem__, numbers)
        ]

    # Enemies that differ in the kinds of a hit class only are the same to hit: they are asked about once.

    def _seen_as_a(self, mark_a: int) -> int:
        return self._foes.of((_alike(self._firsts[ATTACKER], self._marks_a.values[mark_a][0]), False))

    def _seen_as_d(self, mark_d: int) -> int:
        defenders, load = self._marks_d.values[mark_d]
        return self._foes.of((_alike(self._firsts[DEFENDER], defenders), load))

    def _can_act_a(self, mark_a: int, foe: int) -> int:
        return int(self._can_act(ATTACKER, self._marks_a.values[mark_a][0], *self._foes.values[foe]))

    def _can_act_d(self, foe: int, mark_d: int) -> int:
        (own, load), (enemy, _) = self._marks_d.values[mark_d], self._foes.values[foe]
        return int(self._can_act(DEFENDER, own, enemy, load))

    def _can_act(self, role: Role, own: Counts, enemy: Counts, load: bool) -> bool:
        """Ask kind by kind first: who can act alone can act beside others. Where a side is gone nobody asks."""
        attackers, defenders = (own, enemy) if role == ATTACKER else (enemy, own)
        if not any(attackers) or not (any(defenders) or load):
            return False
        for i, n in enumerate(own):
            if n:
                known = self._alone.get((role, i, enemy, load))
                if known is None:
                    alone = (*(0,) * i, 1, *(0,) * (len(own) - i - 1))
                    known = can_act(self.arena, role, alone, enemy, int(load))
                    self._alone[role, i, enemy, load] = known
                if known:
                    return True
        return can_act(self.arena, role, own, enemy, int(load))


def _firsts(arena: Arena, role: Role) -> list[int]:
    """Return for each kind the first of its hit class; on land no fire spares any."""
    at_sea = arena.rules.domain == "sea"
    classes = [row.hit_class if at_sea else "" for row in arena.rows(role)]
    return [classes.index(one) for one in classes]


def _alike(firsts: list[int], enemy: Counts) -> Counts:
    """Put for all kinds of a hit class that are there the first that there may be."""
    there = {first for first, n in zip(firsts, enemy, strict=True) if n}
    return tuple([int(i in there) for i in range(len(firsts))])


def _rests(states: Numbers[S], numbers: list[int], rests: Numbers[S]) -> list[int]:
    """Return the numbers of what states have beside their pieces."""
    values, known = states.values, {}
    found = []
    for number in numbers:
        state = values[number]
        rest = state[1:]
        if rest not in known:
            known[rest] = rests.of(state._replace(own=()))
        found.append(known[rest])
    return found
