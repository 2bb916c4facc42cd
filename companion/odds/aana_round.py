"""One round of a North Africa combat over all states at once: strikes, fire, retreats, pressing.

States of a side are numbers into `States`. A `Regime` is a round with its orders: the first round, rounds before
and after the defender's retreat, the last one. Rounds of the same regime share all that was worked out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import numpy as np

from companion.games.aana.casualties import Cargo, escape
from companion.games.aana.combat import (
    ATTACKER,
    DEFENDER,
    Arena,
    Counts,
    Role,
    can_act,
    has_bonus,
    strikers,
    total,
)
from companion.games.aana.rounds import (
    ENDINGS,
    UNLIMITED,
    AttackPlan,
    DefencePlan,
    Field,
    Orders,
    Pools,
    ending,
    has_surrendered,
    orders,
    press,
    raids,
    wants_to_cease,
)
from companion.odds.aana_tables import (
    Column,
    Dice,
    Floats,
    Grid,
    Ints,
    Kernel,
    Left,
    Numbers,
    distinct,
)

__all__ = ["Attacking", "Closed", "Defending", "Joint", "Pairs", "Plans", "Regime", "States", "TooLargeError"]

MAX_CELLS: Final = 60_000_000
"""Largest table (attacking states, defending states before and after a round) that is worked."""
_MOST_AHEAD: Final = 400_000
"""Largest table for which states of later rounds are prepared with those of this one."""
_FEW: Final = 60
"""So many states of a side are kept when most of them are gone."""
_SPECK: Final = 1e-17
"""States less likely than this are dropped; all of them together stay below 1e-12."""
_LOAD: Final = Cargo(supply=(("", 1),))
_NO_LOAD: Final = Cargo()
_CEASED: Final = ENDINGS.index("ceased")
_ON: Final = len(ENDINGS)


class TooLargeError(ValueError):
    """The combat has more states than are worked exactly."""


class Attacking(NamedTuple):
    """What the attacking side has."""

    own: Counts
    out: Counts
    supply: tuple[int, ...]
    start: Counts = ()
    """Within a round at sea: destroyers when it began, which decide what aircraft may hit."""
    struck: tuple[int, ...] = ()
    """Within a round at sea: kinds that have struck by surprise."""
    scored: bool = False
    """After the fire: the defender scored a hit; kept only where Vichy may surrender."""


class Defending(NamedTuple):
    """What the defending side has."""

    own: Counts
    out: Counts
    supply: int
    cargo: Cargo
    cargo_out: Cargo
    start: Counts = ()
    struck: tuple[int, ...] = ()
    leaves: str = ""
    """After the fire: how the last defenders left."""


Side = TypeVar("Side", Attacking, Defending)


class Joint(NamedTuple):
    """A joint distribution over numbered states."""

    a: Ints
    d: Ints
    p: Floats


class Pairs(NamedTuple):
    """How pairs of states end, and where the others go on; rounds with the same states share it."""

    a: Ints
    d: Ints
    results: Ints
    """How each pair ends: a place in `ENDINGS`."""
    on_a: Ints
    on_d: Ints
    over: Floats
    """1 where the combat ends, 0 where it goes on."""
    onward: Ints
    """For each pair in turn its place in the table of `on_a` and `on_d`."""


class Closed(NamedTuple):
    """The end of a round."""

    on: Joint
    """What goes into the next round."""
    pairs: Pairs
    ended: Floats
    """Chance of each of the pairs to end here."""


class Plans(NamedTuple):
    """What both sides would do, and who pays for what."""

    attack: AttackPlan
    defence: DefencePlan
    pools: Pools


class _Leaving(NamedTuple):
    """What the defender ordered, as far as it decides what becomes of those whom the fire leaves."""

    kinds: tuple[bool, ...]
    """Kinds that retreat."""
    supply_left: int


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
        self.a = Numbers[Attacking]()
        self.d = Numbers[Defending]()
        self.orders = Numbers[_Leaving]()
        self._losses_a, self._losses_d = dice.losses[ATTACKER], dice.losses[DEFENDER]
        # Hits met so far, by who fired.
        self.met_a: set[int] = set()
        self.met_d: set[int] = set()
        # A state is its pieces, which hits fall on, and the rest, which they leave alone.
        self._rests_a = Numbers[Attacking]()
        self._rests_d = Numbers[Defending]()
        self._given_d = Numbers[tuple[int, int, int]]()
        self._own_a = Column(lambda a: self._losses_a.left.of(Left(self.a.values[a].own)))
        self._own_d = Column(self._pieces_d)
        self._rest_a = Column(lambda a: self._rests_a.of(self.a.values[a]._replace(own=())))
        self._rest_d = Column(lambda d: self._rests_d.of(self.d.values[d]._replace(own=())))
        self._struck_a, self._struck_d = Grid(self._strike_on_a), Grid(self._strike_on_d)
        self._fired_a, self._fired_d = Grid(self._fire_on_a), Grid(self._fire_on_d)
        self._marks_a = Numbers[tuple[Counts, bool]]()
        self._marks_d = Numbers[tuple[Counts, bool]]()
        self._mark_a = Column(lambda a: self._marks_a.of(_marks(self.a.values[a])))
        self._mark_d = Column(lambda d: self._marks_d.of(_marks_d(self.d.values[d])))
        self._result = Grid(self._ended)
        self._acts: dict[tuple[Role, Counts, Counts, int], bool] = {}
        self._alike: dict[tuple[Role, Counts], Counts] = {}

    # What fire does

    def strike_a(self, a: Ints, hits: Ints) -> Ints:
        """Return what surprise strikes make of attackers; shape (states, hits)."""
        return self._struck_a.of(self._rest_a.of(a)[:, None], self._losses_a.after(self._own_a.of(a), hits))

    def strike_d(self, d: Ints, hits: Ints) -> Ints:
        """Return what surprise strikes make of defenders; shape (states, hits)."""
        return self._struck_d.of(self._rest_d.of(d)[:, None], self._losses_d.after(self._own_d.of(d), hits))

    def fire_a(self, a: Ints, hits: Ints) -> Ints:
        """Return what the defenders' fire makes of attackers; shape (states, hits)."""
        scored = (hits != self.dice.none) & self.vichy
        left = self._losses_a.after(self._own_a.of(a), hits)
        return self._fired_a.of(2 * self._rest_a.of(a)[:, None] + scored[None, :], left)

    def fire_d(self, d: Ints, hits: Ints, orders: Ints, raid: int) -> Ints:
        """Return what the attackers' fire and step 4 make of defenders; shape (states, hits).

        Args:
            orders: Numbers into `orders`, one a state.
            raid: Tokens destroyed before the first dice.
        """
        left = self._losses_d.after(self._own_d.of(d), hits)
        spent = [
            (rest, order, raid)
            for rest, order in zip(self._rest_d.of(d).tolist(), orders.tolist(), strict=True)
        ]
        given = np.array([self._given_d.of(each) for each in spent], dtype=np.int64)
        return self._fired_d.of(given[:, None], left)

    def _pieces_d(self, number: int) -> int:
        d = self.d.values[number]
        return self._losses_d.left.of(Left(d.own, 0, self.dice.reachable(d.cargo)))

    def _strike_on_a(self, rest: int, left: int) -> int:
        return self.a.of(self._rests_a.values[rest]._replace(own=self._losses_a.left.values[left].own))

    def _strike_on_d(self, rest: int, left: int) -> int:
        d, after = self._rests_d.values[rest], self._losses_d.left.values[left]
        return self.d.of(d._replace(own=after.own, cargo=self.dice.cargo_left(d.cargo, after)))

    def _fire_on_a(self, rest: int, left: int) -> int:
        """Take hits; an odd number says that the defenders scored one."""
        rest, scored = divmod(rest, 2)
        a = self._rests_a.values[rest]
        own = self._losses_a.left.values[left].own
        return self.a.of(Attacking(own, a.out, a.supply, scored=bool(scored)))

    def _fire_on_d(self, spent: int, left: int) -> int:
        """Take hits, then resolve step 4: supply spent, retreats, escape."""
        rest, order, raid = self._given_d.values[spent]
        d, after = self._rests_d.values[rest], self._losses_d.left.values[left]
        given, own = self.orders.values[order], after.own
        cargo, away = self.dice.cargo_left(d.cargo, after), d.cargo_out
        supply, out, leaves = given.supply_left, d.out, ""
        if raid and supply > 0:
            supply = max(0, supply - raid)
        going = tuple(n if leaving else 0 for n, leaving in zip(own, given.kinds, strict=True))
        if any(going):
            own = tuple(n - g for n, g in zip(own, going, strict=True))
            if self.arena.rules.can_retreat:
                out = tuple(o + g for o, g in zip(out, going, strict=True))
                leaves = "retreat" if not any(own) else ""
        if cargo.count:
            cargo, away = escape(cargo, self.dice.costs, away)
        return self.d.of(Defending(own, out, supply, cargo, away, leaves=leaves))

    # How it ends

    def results(self, a: Ints, d: Ints) -> Ints:
        """Return how each pair has ended after step 4; that hangs on which kinds are left only."""
        return self._result.of(self._mark_a.of(a)[:, None], self._mark_d.of(d)[None, :])

    def _ended(self, mark_a: int, mark_d: int) -> int:
        attackers, scored = self._marks_a.values[mark_a]
        defenders, load = self._marks_d.values[mark_d]
        if self.vichy and has_surrendered(self.arena, defenders, scored):
            return ENDINGS.index("attacker")
        field = Field(attackers, defenders, (), (), _LOAD if load else _NO_LOAD, _NO_LOAD, (), UNLIMITED, 1)
        found = ending(self.arena, field, acts=self._can_act)
        return _ON if found is None else ENDINGS.index(found)

    def _can_act(self, arena: Arena, role: Role, own: Counts, enemy: Counts, cargo: int) -> bool:
        """Ask once for all enemies that differ in the kinds of a hit class only: these are the same to hit."""
        foe: Role = DEFENDER if role == ATTACKER else ATTACKER
        alike = self._alike.get((foe, enemy))
        if alike is None:
            kinds = [row.hit_class if n else "" for n, row in zip(enemy, arena.rows(foe), strict=True)]
            alike = tuple([int(kind != "" and kinds.index(kind) == i) for i, kind in enumerate(kinds)])
            self._alike[foe, enemy] = alike
        key = (role, own, alike, cargo)
        known = self._acts.get(key)
        if known is None:
            known = self._acts[key] = can_act(arena, role, own, alike, cargo)
        return known


def _marks(a: Attacking) -> tuple[Counts, bool]:
    return tuple([int(n > 0) for n in a.own]), a.scored


def _marks_d(d: Defending) -> tuple[Counts, bool]:
    return tuple([int(n > 0) for n in d.own]), d.cargo.count > 0


@dataclass(slots=True)
class _Volley:
    """One simultaneous fire: what a state of either side rolls, and where hits bring it."""

    fire_a: Column
    fire_d: Column
    on_a: Callable[[Ints, Ints], Ints]
    on_d: Callable[[Ints, Ints], Ints]


class _Block(NamedTuple):
    """States between which a round goes the same way."""

    rows: Ints
    """Places of the attacking states."""
    columns: Ints
    """Places of the defending states."""
    fires: tuple[Kernel, ...]
    """One fire after the other."""


class _Fought:
    """The fires of a round between some states, to be used again for as long as the states serve."""

    def __init__(self, a: Ints, d: Ints, blocks: list[_Block]) -> None:
        """Take the states, their numbers sorted, and the blocks that they fall into."""
        self.a, self.d = a, d
        self._blocks = blocks
        ends = [block.fires[-1] for block in blocks]
        if len(blocks) == 1:
            self.new_a, self.new_d = ends[0].new_a, ends[0].new_d
        else:
            self.new_a, _ = distinct(np.concatenate([end.new_a for end in ends]))
            self.new_d, _ = distinct(np.concatenate([end.new_d for end in ends]))
        self._from = [np.ix_(block.rows, block.columns) for block in blocks]
        self._into = [
            np.ix_(self.new_a.searchsorted(end.new_a), self.new_d.searchsorted(end.new_d)) for end in ends
        ]

    @property
    def cells(self) -> int:
        """Size of the largest table."""
        return max(fire.cells for block in self._blocks for fire in block.fires)

    def serves(self, joint: Joint) -> bool:
        """Say whether all states of a joint distribution are known, and not far more."""
        return _covers(self.a, joint.a) and _covers(self.d, joint.d)

    def after(self, joint: Joint) -> Joint:
        """Return the joint distribution after the fires."""
        p = joint.p
        if p.shape != (len(self.a), len(self.d)):
            p = np.zeros((len(self.a), len(self.d)))
            p[np.ix_(self.a.searchsorted(joint.a), self.d.searchsorted(joint.d))] = joint.p
        found = np.zeros((len(self.new_a), len(self.new_d)))
        for block, origin, into in zip(self._blocks, self._from, self._into, strict=True):
            part = p[origin]
            if part.any():
                for fire in block.fires:
                    part = fire.apply(part)
                found[into] += part
        return Joint(self.new_a, self.new_d, found)


def _covers(known: Ints, asked: Ints) -> bool:
    """Say whether sorted numbers contain all of some others, and not far more."""
    if known is asked:
        return True
    if len(known) > 3 * len(asked) and len(known) > _FEW:
        return False
    at = known.searchsorted(asked)
    return bool(at.max(initial=0) < len(known) and (known[at] == asked).all())


class Regime:
    """Rounds that are alike."""

    def __init__(self, states: States, round_no: int) -> None:
        """Take the round that stands for all of its kind."""
        self.states = states
        self.round_no = round_no
        arena = states.arena
        self._hunters = {role: arena.having(role, "anti_submarine") for role in (ATTACKER, DEFENDER)}
        self._hunts_a = Column(lambda a: int(any(states.a.values[a].own[i] for i in self._hunters[ATTACKER])))
        self._hunts_d = Column(lambda d: int(any(states.d.values[d].own[i] for i in self._hunters[DEFENDER])))
        self._given: dict[tuple[Counts, Counts, int], Orders] = {}
        self._orders = Column(self._leaving)
        self._begun_a = {hunted: Column(partial(self._begin_a, hunted=hunted)) for hunted in (0, 1)}
        self._begun_d = {hunted: Column(partial(self._begin_d, hunted=hunted)) for hunted in (0, 1)}
        self._strike = _Volley(
            Column(self._strike_of_a), Column(self._strike_of_d), states.strike_a, states.strike_d
        )
        self._strikes_a = Column(lambda a: int(bool(states.a.values[a].struck)))
        self._strikes_d = Column(lambda d: int(bool(states.d.values[d].struck)))
        self._main: dict[int, _Volley] = {}
        self._fought: _Fought | None = None
        self._closing: Pairs | None = None
        # The defender's strength is asked by pair.
        self._attack = msgspec.structs.replace(states.plans.attack, press_at_most=None)
        # Tokens raided before the first dice, and a defensive bonus that hangs on where attackers are left.
        self._fixed = has_bonus(arena)
        self._has_cases = round_no == 1 or bool(arena.rules.bonus_from and self._fixed)
        self._cases = Column(self._case)
        self._next_a, self._next_d = Column(self._press), Column(self._go_on)

    # One round

    def run(self, joint: Joint) -> Closed:
        """Fight one round; the products of an earlier round serve again while they know all states."""
        fought = self._fought
        if fought is None or not fought.serves(joint):
            fought = self._fought = self._fight(joint)
        return self._close(fought.after(joint))

    def _fight(self, joint: Joint) -> _Fought:
        """Prepare a round, at sea with all states that later rounds lead to: these are alike but for their states."""
        fought = self._between(joint.a, joint.d)
        if self.states.at_sea and self.round_no > 1:
            wider = fought
            while wider.cells < _MOST_AHEAD:
                on_a, on_d = self._next_a.of(wider.new_a), self._next_d.of(wider.new_d)
                a, _ = distinct(np.concatenate([wider.a, on_a[on_a >= 0]]))
                d, _ = distinct(np.concatenate([wider.d, on_d]))
                if len(a) == len(wider.a) and len(d) == len(wider.d):
                    return wider
                a = _ahead(a, np.array(sorted(self.states.met_d)), self._after_a)
                d = _ahead(d, np.array(sorted(self.states.met_a)), self._after_d)
                if len(a) * len(d) > _MOST_AHEAD:
                    break
                wider = self._between(a, d)
        if fought.cells > MAX_CELLS:
            raise TooLargeError(
                f"round {self.round_no}: {len(fought.a)} x {len(fought.d)} states lead to {len(fought.new_a)} x "
                f"{len(fought.new_d)}; fewer kinds of pieces make it smaller"
            )
        return fought

    def _after_a(self, a: Ints, hits: Ints) -> Ints:
        after = self._next_a.of(distinct(self.states.fire_a(a, hits))[0])
        return after[after >= 0]

    def _after_d(self, d: Ints, hits: Ints) -> Ints:
        return self._next_d.of(distinct(self._fire_on_d(d, hits, 0))[0])

    def _between(self, a: Ints, d: Ints) -> _Fought:
        """Say who fires at whom in a round between some states."""
        if self.states.at_sea:
            return _Fought(a, d, self._at_sea(a, d))
        everybody = np.arange(len(d))
        if not self._has_cases:
            fire = self._kernel(self._volley(int(self._fixed)), a, d)
            return _Fought(a, d, [_Block(np.arange(len(a)), everybody, (fire,))])
        # Apart by what else of the attackers decides the fire on both sides.
        cases = self._cases.of(a)
        blocks = []
        for case in distinct(cases)[0].tolist():
            rows = (cases == case).nonzero()[0]
            blocks.append(_Block(rows, everybody, (self._kernel(self._volley(case), a[rows], d),)))
        return _Fought(a, d, blocks)

    def _at_sea(self, a: Ints, d: Ints) -> list[_Block]:
        """Let submarines submerge or strike before the others fire.

        What they may do hangs on whether the enemy has a destroyer.
        """
        hunts_a, hunts_d = self._hunts_a.of(a), self._hunts_d.of(d)
        blocks = []
        for i in (0, 1):
            for j in (0, 1):
                rows, columns = (hunts_a == i).nonzero()[0], (hunts_d == j).nonzero()[0]
                if not rows.size or not columns.size:
                    continue
                begun_a, begun_d = self._begun_a[j].of(a[rows]), self._begun_d[i].of(d[columns])
                fires = []
                if self._strikes_a.of(begun_a).any() or self._strikes_d.of(begun_d).any():
                    strike = self._kernel(self._strike, begun_a, begun_d)
                    begun_a, begun_d = strike.new_a, strike.new_d
                    fires.append(strike)
                fires.append(self._kernel(self._volley(0), begun_a, begun_d))
                blocks.append(_Block(rows, columns, tuple(fires)))
        return blocks

    def _volley(self, case: int) -> _Volley:
        known = self._main.get(case)
        if known is None:
            raid, bonus = divmod(case, 2)
            known = self._main[case] = _Volley(
                Column(self._fire_of_a),
                Column(partial(self._fire_of_d, bonus=bool(bonus))),
                self.states.fire_a,
                partial(self._fire_on_d, raid=raid),
            )
        return known

    def _kernel(self, volley: _Volley, a: Ints, d: Ints) -> Kernel:
        hits_a, by_a = self.states.dice.chances(volley.fire_a.of(a))
        hits_d, by_d = self.states.dice.chances(volley.fire_d.of(d))
        self.states.met_a.update(hits_a.tolist())
        self.states.met_d.update(hits_d.tolist())
        return Kernel(by_a, volley.on_d(d, hits_a), by_d, volley.on_a(a, hits_d))

    def _close(self, joint: Joint) -> Closed:
        """Say how each pair ends, "ceased" included, and where the others go on."""
        last = self._closing
        if last is None or last.a is not joint.a or last.d is not joint.d:
            last = self._closing = self._pairs(joint.a, joint.d)
        ended = joint.p * last.over
        shape = (len(last.on_a), len(last.on_d))
        going = (joint.p - ended).ravel()
        p: Floats = np.bincount(last.onward, going, shape[0] * shape[1]).astype(np.float64).reshape(shape)
        on = _without_specks(Joint(last.on_a, last.on_d, p))
        return Closed(on, last, ended)

    def _pairs(self, a: Ints, d: Ints) -> Pairs:
        results = self.states.results(a, d)
        next_a, next_d = self._next_a.of(a), self._next_d.of(d)
        ceasing = (results == _ON) & ((next_a < 0)[:, None] | self._too_strong(d)[None, :])
        results = np.where(ceasing, _CEASED, results)
        on_a, at_a = distinct(np.maximum(next_a, 0))
        on_d, at_d = distinct(next_d)
        onward = (at_a[:, None] * len(on_d) + at_d[None, :]).ravel()
        return Pairs(a, d, results, on_a, on_d, (results != _ON).astype(np.float64), onward)

    def _too_strong(self, d: Ints) -> Any:
        plan = self.states.plans.attack
        if plan.press_at_most is None or self.states.arena.rules.must_press:
            return np.zeros(len(d), dtype=bool)
        values = self.states.d.values
        return np.array([wants_to_cease(plan, self.round_no, 99, total(values[n].own)) for n in d.tolist()])

    # What one state does

    def _begin(self, role: Role, side: Side, hunted: int) -> Side:
        """Let a side's submarines submerge, or say which strike; `hunted` = the enemy has a destroyer."""
        arena, foe = self.states.arena, DEFENDER if role == ATTACKER else ATTACKER
        hunters = self._hunters[foe] if hunted else ()
        enemy = tuple(int(i in hunters) for i in range(len(arena.kinds(foe))))
        start = tuple(int(n > 0 and i in self._hunters[role]) for i, n in enumerate(side.own))
        first = strikers(arena, role, side.own, enemy)
        plans = self.states.plans
        if first and (plans.attack.submerge if role == ATTACKER else plans.defence.submerge):
            own, out = _moved(side.own, side.out, first)
            return side._replace(own=own, out=out, start=start)
        return side._replace(start=start, struck=first)

    def _begin_a(self, number: int, hunted: int) -> int:
        return self.states.a.of(self._begin(ATTACKER, self.states.a.values[number], hunted))

    def _begin_d(self, number: int, hunted: int) -> int:
        return self.states.d.of(self._begin(DEFENDER, self.states.d.values[number], hunted))

    def _strike_of_a(self, number: int) -> int:
        a = self.states.a.values[number]
        return self.states.dice.fire(ATTACKER, a.own, self.round_no, a.start, only=a.struck)

    def _strike_of_d(self, number: int) -> int:
        d = self.states.d.values[number]
        return self.states.dice.fire(DEFENDER, d.own, self.round_no, d.start, only=d.struck)

    def _fire_of_a(self, number: int) -> int:
        a = self.states.a.values[number]
        return self.states.dice.fire(ATTACKER, a.own, self.round_no, a.start, without=a.struck)

    def _fire_of_d(self, number: int, bonus: bool) -> int:
        d = self.states.d.values[number]
        fighting = d.own if self.states.at_sea else self._ordered(d).fighting
        return self.states.dice.fire(
            DEFENDER, fighting, self.round_no, d.start, without=d.struck, bonus=bonus
        )

    def _case(self, number: int) -> int:
        """Return what of an attacking state decides the main fire beside its own dice: tokens raided, the bonus."""
        arena, own = self.states.arena, self.states.a.values[number].own
        raid = raids(arena, own) if self.round_no == 1 else 0
        return 2 * raid + has_bonus(arena, own)

    def _ordered(self, d: Defending) -> Orders:
        key = (d.own, d.out, d.supply)
        known = self._given.get(key)
        if known is None:
            field = Field((), d.own, (), d.out, d.cargo, d.cargo_out, (), d.supply, self.round_no)
            known = self._given[key] = orders(self.states.arena, self.states.plans.defence, field)
        return known

    def _leaving(self, number: int) -> int:
        given = self._ordered(self.states.d.values[number])
        return self.states.orders.of(_Leaving(tuple(n > 0 for n in given.retreating), given.supply_left))

    def _fire_on_d(self, d: Ints, hits: Ints, raid: int) -> Ints:
        return self.states.fire_d(d, hits, self._orders.of(d), raid)

    # What one state does after the fire

    def _press(self, number: int) -> int:
        """Return the next round's attackers, -1 where they cease."""
        a = self.states.a.values[number]
        field = Field(a.own, (), a.out, (), Cargo(), Cargo(), a.supply, UNLIMITED, self.round_no)
        after = press(self.states.arena, self._attack, self.states.plans.pools, field)
        if after is None:
            return -1
        return self.states.a.of(Attacking(after.attackers, after.attackers_out, after.attack_supply))

    def _go_on(self, number: int) -> int:
        d = self.states.d.values[number]
        return self.states.d.of(Defending(d.own, d.out, d.supply, d.cargo, d.cargo_out))


def _ahead(states: Ints, hits: Ints, after: Callable[[Ints, Ints], Ints]) -> Ints:
    """Return states with those that some hits lead to round by round, or as many as are worth it."""
    new = states
    while new.size and len(states) * len(hits) < _MOST_AHEAD:
        found = after(new, hits)
        wider, _ = distinct(np.concatenate([states, found]))
        new = wider[~np.isin(wider, states, assume_unique=True)]
        states = wider
    return states


def _without_specks(joint: Joint) -> Joint:
    """Drop states that hardly ever occur, once they are most of them or the whole is gone."""
    rows, columns = joint.p.sum(axis=1) > _SPECK, joint.p.sum(axis=0) > _SPECK
    if 2 * np.count_nonzero(rows) * np.count_nonzero(columns) > joint.p.size:
        return joint
    return Joint(joint.a[rows], joint.d[columns], joint.p[np.ix_(rows, columns)])


def _moved(counts: Counts, out: Counts, kinds: tuple[int, ...]) -> tuple[Counts, Counts]:
    own, gone = list(counts), list(out)
    for i in kinds:
        gone[i] += own[i]
        own[i] = 0
    return tuple(own), tuple(gone)
