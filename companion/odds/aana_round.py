"""One round of a North Africa combat over all states at once: fire, endings, pressing.

A `Regime` is a round with its orders: the first round, rounds before and after the defender's retreat, the last one.
Rounds of the same regime share all that was worked out: the fires (`companion.odds.aana_fires`), how pairs of states
end, and where the others go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from companion.games.aana.casualties import Cargo
from companion.games.aana.combat import total
from companion.games.aana.rounds import ENDINGS, UNLIMITED, Field, press, wants_to_cease
from companion.odds.aana_fires import Fires, Fought
from companion.odds.aana_states import ON, Attacking, Defending, Joint, States
from companion.odds.aana_tables import Column, Floats, Ints, distinct

__all__ = ["Closed", "Pairs", "Regime", "TooLargeError"]

MAX_CELLS: Final = 60_000_000
"""Largest table (attacking states, defending states before and after a round) that is worked."""
_MOST_AHEAD: Final = 400_000
"""Largest table for which states of later rounds are prepared with those of this one."""
_SPECK: Final = 1e-17
"""States less likely than this are dropped; all of them together stay below 1e-12."""
_CEASED: Final = ENDINGS.index("ceased")


class TooLargeError(ValueError):
    """The combat has more states than are worked exactly."""


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


class Regime:
    """Rounds that are alike."""

    def __init__(self, states: States, round_no: int) -> None:
        """Take the round that stands for all of its kind."""
        self.states = states
        self.round_no = round_no
        self._fires = Fires(states, round_no)
        self._fought: Fought | None = None
        self._closing: Pairs | None = None
        # The defender's strength is asked by pair.
        self._attack = msgspec.structs.replace(states.plans.attack, press_at_most=None)
        self._next_a, self._next_d = Column(self._press), Column(self._go_on)

    # One round

    def run(self, joint: Joint) -> Closed:
        """Fight one round; the products of an earlier round serve again while they know all states."""
        fought = self._fought
        if fought is None or not fought.serves(joint):
            fought = self._fought = self._fight(joint)
        return self._close(fought.after(joint))

    def _fight(self, joint: Joint) -> Fought:
        """Prepare a round, at sea with all states that later rounds lead to: these are alike but for their states."""
        fought = self._fires.between(joint.a, joint.d)
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
                wider = self._fires.between(a, d)
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
        return self._next_d.of(distinct(self._fires.fire_on_d(d, hits))[0])

    # How it ends, and who goes on

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
        ceasing = (results == ON) & ((next_a < 0)[:, None] | self._too_strong(d)[None, :])
        results = np.where(ceasing, _CEASED, results)
        on_a, at_a = distinct(np.maximum(next_a, 0))
        on_d, at_d = distinct(next_d)
        onward = (at_a[:, None] * len(on_d) + at_d[None, :]).ravel()
        return Pairs(a, d, results, on_a, on_d, (results != ON).astype(np.float64), onward)

    def _too_strong(self, d: Ints) -> Any:
        plan = self.states.plans.attack
        if plan.press_at_most is None or self.states.arena.rules.must_press:
            return np.zeros(len(d), dtype=bool)
        values = self.states.d.values
        return np.array([wants_to_cease(plan, self.round_no, 99, total(values[n].own)) for n in d.tolist()])

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
