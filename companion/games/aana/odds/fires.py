"""The fires of one round of a North Africa combat between some states: strikes, then everybody else.

`Fires` prepares a round as products of matrices, apart where the other side's pieces decide who may fire: at sea by
destroyers, on land by bombers that raid and by the defensive bonus. `Fought` is a prepared round: it takes a joint
distribution of states through the fires and serves again for as long as it knows all states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from companion.games.aana.odds.kernel import SPECK, Kernel
from companion.games.aana.odds.sides import Attacking, Defending, Joint, Leaving, Plans
from companion.games.aana.odds.states import States
from companion.games.aana.odds.tables import Batch, Column, Floats, Ints, distinct, joined
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Counts, Role, has_bonus, strikers
from companion.games.aana.rules.rounds import Field, Orders, aaa_stands, orders, raids
from companion.odds.arrays import np

__all__ = ["Fires", "Fought"]


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


class Fought:
    """The fires of a round between some states, to be used again for as long as the states serve."""

    def __init__(self, a: Ints, d: Ints, blocks: list[_Block]) -> None:
        """Take the states, their numbers sorted, and the blocks that they fall into."""
        self.a, self.d = a, d
        self._blocks = blocks
        ends = [block.fires[-1] for block in blocks]
        self.new_a, self.new_d = ends[0].new_a, ends[0].new_d
        for end in ends[1:]:
            self.new_a, self.new_d = joined(self.new_a, end.new_a), joined(self.new_d, end.new_d)
        # One block that begins and ends with all states needs no places.
        self._whole = len(blocks) == 1
        if not self._whole:
            self._from = [(block.rows[:, None], block.columns) for block in blocks]
            self._into = [
                (self.new_a.searchsorted(end.new_a)[:, None], self.new_d.searchsorted(end.new_d))
                for end in ends
            ]

    @property
    def cells(self) -> int:
        """Size of the largest table."""
        return max(fire.cells for block in self._blocks for fire in block.fires)

    @property
    def only(self) -> Kernel | None:
        """The fire of everybody at once, where the round is no more than that."""
        return self._blocks[0].fires[0] if self._whole and len(self._blocks[0].fires) == 1 else None

    def knows(self, a: Ints, d: Ints) -> bool:
        """Say whether all of some states are among those of this round."""
        return _covers(self.a, a) and _covers(self.d, d)

    def among(self, a: Ints, d: Ints) -> Fought:
        """Return the same fires between some of the states, which are known and sorted."""
        at_a, at_d = self.a.searchsorted(a), self.d.searchsorted(d)
        blocks = []
        for block in self._blocks:
            rows, those_a = _met(at_a, block.rows)
            columns, those_d = _met(at_d, block.columns)
            if not rows.size or not columns.size:
                continue
            first = block.fires[0].some(those_a, those_d)
            fires = [first]
            for before, fire in pairwise(block.fires):
                met_a = before.new_a.searchsorted(fires[-1].new_a)
                fires.append(fire.some(met_a, before.new_d.searchsorted(fires[-1].new_d)))
            blocks.append(_Block(rows, columns, tuple(fires)))
        return Fought(a, d, blocks)

    def after(self, joint: Joint) -> Floats:
        """Return the chances after the fires, shape (`new_a`, `new_d`)."""
        p = joint.p
        if joint.a is not self.a or joint.d is not self.d:
            p = np.zeros((len(self.a), len(self.d)))
            p[self.a.searchsorted(joint.a)[:, None], self.d.searchsorted(joint.d)] = joint.p
        if self._whole:
            for fire in self._blocks[0].fires:
                p = fire.apply(p)
            return p
        found = np.zeros((len(self.new_a), len(self.new_d)))
        for block, origin, into in zip(self._blocks, self._from, self._into, strict=True):
            part = p[origin]
            if part.sum() > SPECK:
                for fire in block.fires:
                    part = fire.apply(part)
                found[into] += part
        return found

    def back(self, value: Floats) -> Floats:
        """Return what each pair of states (`a`, `d`) is worth before the fires; `value` has shape (`new_a`, `new_d`)."""
        if self._whole:
            for fire in reversed(self._blocks[0].fires):
                value = fire.back(value)
            return value
        found = np.zeros((len(self.a), len(self.d)))
        for block, origin, into in zip(self._blocks, self._from, self._into, strict=True):
            part = value[into]
            for fire in reversed(block.fires):
                part = fire.back(part)
            found[origin] = part
        return found


def _met(places: Ints, some: Ints) -> tuple[Ints, Ints]:
    """Return which of the sorted places are among some others, also sorted, and where these stand there."""
    at = some.searchsorted(places)
    met = (at < len(some)) & (some[np.minimum(at, len(some) - 1)] == places)
    return met.nonzero()[0], at[met]


def _covers(known: Ints, asked: Ints) -> bool:
    """Say whether sorted numbers contain all of some others."""
    if known is asked:
        return True
    at = known.searchsorted(asked)
    return not at.size or bool(at[-1] < len(known) and (known[at] == asked).all())


class Fires:
    """Who fires at whom in rounds that are alike, and where that brings the states of both sides."""

    def __init__(self, states: States, round_no: int, plans: Plans) -> None:
        """Take the states of the combat, and the round that stands for all of its kind, with the plans for it."""
        self.states = states
        self.round_no = round_no
        self._plans = plans
        self._may_end = states.may_stall or plans.attack.may_end(round_no)
        arena = states.arena
        self._hunters = {role: arena.having(role, "anti_submarine") for role in (ATTACKER, DEFENDER)}
        self._hunts_a = Column(lambda a: int(any(states.a.values[a].own[i] for i in self._hunters[ATTACKER])))
        self._hunts_d = Column(lambda d: int(any(states.d.values[d].own[i] for i in self._hunters[DEFENDER])))
        self._given: dict[tuple[Counts, Counts, int], Orders] = {}
        self._orders = Column(self._leaving)
        self._first: dict[tuple[Role, Counts, int], tuple[int, ...]] = {}
        self._begun_a = {hunted: Column(partial(self._begin_a, hunted=hunted)) for hunted in (0, 1)}
        self._begun_d = {hunted: Column(partial(self._begin_d, hunted=hunted)) for hunted in (0, 1)}
        self._strike = _Volley(
            Batch(self._strikes_of_a), Batch(self._strikes_of_d), states.strike_a, states.strike_d
        )
        self._strikes_a = Column(lambda a: int(bool(states.a.values[a].struck)))
        self._strikes_d = Column(lambda d: int(bool(states.d.values[d].struck)))
        self._main: dict[int, _Volley] = {}
        # Tokens raided before the first dice, and a defensive bonus that hangs on where attackers are left.
        self._fixed = has_bonus(arena)
        self._has_cases = round_no == 1 or bool(arena.rules.bonus_from and self._fixed)
        self._cases = Column(self._case)

    def between(self, a: Ints, d: Ints) -> Fought:
        """Prepare a round between some states, their numbers sorted; nothing is multiplied out yet."""
        if self.states.at_sea:
            return Fought(a, d, self._at_sea(a, d))
        everybody = np.arange(len(d))
        if not self._has_cases:
            fire = self._kernel(self._volley(int(self._fixed)), a, d)
            return Fought(a, d, [_Block(np.arange(len(a)), everybody, (fire,))])
        # Apart by what else of the attackers decides the fire on both sides.
        cases = self._cases.of(a)
        blocks = []
        for case in distinct(cases)[0].tolist():
            rows = (cases == case).nonzero()[0]
            blocks.append(_Block(rows, everybody, (self._kernel(self._volley(case), a[rows], d),)))
        return Fought(a, d, blocks)

    def hunting(self, role: Role, states: Ints) -> Ints:
        """Return for states of a side whether (1) they have what decides the enemy's fire: destroyers, at sea."""
        if not self.states.at_sea:
            return np.zeros_like(states)
        return (self._hunts_a if role == ATTACKER else self._hunts_d).of(states)

    def hits(self, role: Role, states: Ints, hunted: int) -> Ints:
        """Return the hits that states of a side can make, in a strike or later in the round.

        Args:
            hunted: What `hunting` says of the enemy.
        """
        volley = self._volley(int(self._fixed))
        main, strike, begun, strikes = (
            (volley.fire_a, self._strike.fire_a, self._begun_a[hunted], self._strikes_a)
            if role == ATTACKER
            else (volley.fire_d, self._strike.fire_d, self._begun_d[hunted], self._strikes_d)
        )
        if not self.states.at_sea:
            return self.states.dice.chances(main.of(states))[0]
        states = begun.of(states)
        fires = main.of(states)
        if strikes.of(states).any():
            fires = joined(fires, strike.of(states))
        return self.states.dice.chances(fires)[0]

    # At sea: submarines first

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

    def _begin(
        self, role: Role, side: Attacking | Defending, hunted: int
    ) -> tuple[Counts, Counts, Counts, tuple[int, ...]]:
        """Let a side's submarines submerge, or say which strike; `hunted` = the enemy has a destroyer.

        Return the pieces, those out of the combat, the destroyers that there are, and who strikes.
        """
        start = tuple([int(n > 0 and i in self._hunters[role]) for i, n in enumerate(side.own)])
        first = self._strikers(role, tuple([n > 0 for n in side.own]), hunted)
        plans = self._plans
        if first and (plans.attack.submerge if role == ATTACKER else plans.defence.submerge):
            own, out = _moved(side.own, side.out, first)
            return own, out, start, ()
        return side.own, side.out, start, first

    def _strikers(self, role: Role, own: Counts, hunted: int) -> tuple[int, ...]:
        """Return the kinds that may strike by surprise or submerge, by which kinds there are."""
        known = self._first.get((role, own, hunted))
        if known is None:
            arena, foe = self.states.arena, DEFENDER if role == ATTACKER else ATTACKER
            hunters = self._hunters[foe] if hunted else ()
            enemy = tuple(int(i in hunters) for i in range(len(arena.kinds(foe))))
            known = self._first[role, own, hunted] = strikers(arena, role, own, enemy)
        return known

    def _begin_a(self, number: int, hunted: int) -> int:
        a = self.states.a.values[number]
        own, out, start, struck = self._begin(ATTACKER, a, hunted)
        return self.states.a.of(Attacking(own, out, a.supply, start, struck))

    def _begin_d(self, number: int, hunted: int) -> int:
        d = self.states.d.values[number]
        own, out, start, struck = self._begin(DEFENDER, d, hunted)
        return self.states.d.of(Defending(own, out, d.supply, d.cargo, d.cargo_out, start, struck))

    def _strikes_of_a(self, numbers: list[int]) -> list[int]:
        some = [self.states.a.values[n] for n in numbers]
        firing = [(_apart(a.own, a.struck)[0], a.start) for a in some]
        return self.states.dice.fires(ATTACKER, firing, self.round_no)

    def _strikes_of_d(self, numbers: list[int]) -> list[int]:
        some = [self.states.d.values[n] for n in numbers]
        firing = [(_apart(d.own, d.struck)[0], d.start) for d in some]
        return self.states.dice.fires(DEFENDER, firing, self.round_no)

    # The main fire

    def _volley(self, case: int) -> _Volley:
        known = self._main.get(case)
        if known is None:
            raid, bonus = divmod(case, 2)
            known = self._main[case] = _Volley(
                Batch(self._fires_of_a),
                Batch(partial(self._fires_of_d, bonus=bool(bonus))),
                self.fire_on_a,
                partial(self.fire_on_d, raid=raid),
            )
        return known

    def _kernel(self, volley: _Volley, a: Ints, d: Ints) -> Kernel:
        hits_a, by_a = self.states.dice.chances(volley.fire_a.of(a))
        hits_d, by_d = self.states.dice.chances(volley.fire_d.of(d))
        return Kernel(by_a, volley.on_d(d, hits_a), by_d, volley.on_a(a, hits_d))

    def _fires_of_a(self, numbers: list[int]) -> list[int]:
        some = [self.states.a.values[n] for n in numbers]
        firing = [(_apart(a.own, a.struck)[1] if a.struck else a.own, a.start) for a in some]
        return self.states.dice.fires(ATTACKER, firing, self.round_no)

    def _fires_of_d(self, numbers: list[int], bonus: bool) -> list[int]:
        some = [self.states.d.values[n] for n in numbers]
        if self.states.at_sea:
            firing = [(_apart(d.own, d.struck)[1] if d.struck else d.own, d.start) for d in some]
        else:
            firing = [(self._ordered(d).fighting, d.start) for d in some]
        return self.states.dice.fires(DEFENDER, firing, self.round_no, bonus=bonus)

    def _case(self, number: int) -> int:
        """Return what of an attacking state decides the main fire beside its own dice: tokens raided, the bonus."""
        arena, own = self.states.arena, self.states.a.values[number].own
        raid = raids(arena, own) if self.round_no == 1 else 0
        return 2 * raid + has_bonus(arena, own)

    def _ordered(self, d: Defending) -> Orders:
        # At sea there is nothing to order: what is asked for one state goes for all.
        key = ((), (), d.supply) if self.states.at_sea else (d.own, d.out, d.supply)
        known = self._given.get(key)
        if known is None:
            field = Field((), d.own, (), d.out, d.cargo, d.cargo_out, (), d.supply, self.round_no)
            known = self._given[key] = orders(self.states.arena, self._plans.defence, field)
        return known

    def _leaving(self, number: int) -> int:
        d = self.states.d.values[number]
        given = self._ordered(d)
        going = tuple([n > 0 for n in given.retreating])
        swept = not any(going) and aaa_stands(self.states.arena, d.own, self.round_no)
        return self.states.orders.of(Leaving(going, given.supply_left, swept))

    def fire_on_a(self, a: Ints, hits: Ints) -> Ints:
        """Return what the defenders' fire makes of attackers; shape (states, hits)."""
        return self.states.fire_a(a, hits, may_end=self._may_end)

    def fire_on_d(self, d: Ints, hits: Ints, raid: int = 0) -> Ints:
        """Return what the attackers' fire makes of defenders under this round's orders; shape (states, hits).

        Args:
            raid: Tokens destroyed before the first dice.
        """
        return self.states.fire_d(d, hits, self._orders.of(d), raid)


def _apart(counts: Counts, kinds: tuple[int, ...]) -> tuple[Counts, Counts]:
    """Return the pieces of some kinds, and those of all others."""
    every = [(n, 0) if i in kinds else (0, n) for i, n in enumerate(counts)]
    return tuple([n for n, _ in every]), tuple([n for _, n in every])


def _moved(counts: Counts, out: Counts, kinds: tuple[int, ...]) -> tuple[Counts, Counts]:
    own, gone = list(counts), list(out)
    for i in kinds:
        gone[i] += own[i]
        own[i] = 0
    return tuple(own), tuple(gone)
