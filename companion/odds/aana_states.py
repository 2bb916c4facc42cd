"""The states of both sides of a North Africa combat, by number, and what fire does to them.

`States` serves all rounds of a combat: it numbers what a side has, keeps what hits leave of each state, and says how
a pair of states has ended. Losses, retreats, escapes and endings are asked of `companion.games.aana`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from companion.games.aana.casualties import Cargo, escape
from companion.games.aana.combat import ATTACKER, DEFENDER, Arena, Counts, Role, can_act
from companion.games.aana.rounds import (
    ENDINGS,
    UNLIMITED,
    AttackPlan,
    DefencePlan,
    Field,
    Pools,
    ending,
    has_surrendered,
)
from companion.odds.aana_dice import Dice, Left
from companion.odds.aana_tables import Column, Floats, Grid, Ints, Numbers

__all__ = ["ON", "Attacking", "Defending", "Joint", "Leaving", "Plans", "States"]

ON: Final = len(ENDINGS)
"""In place of a result (a place in `ENDINGS`): the combat goes on."""
_LOAD: Final = Cargo(supply=(("", 1),))
_NO_LOAD: Final = Cargo()


class Attacking(NamedTuple):
    """What the attacking side has."""

    own: Counts
    """Pieces in the combat, by the arena's kinds."""
    out: Counts
    """Pieces that have left it alive."""
    supply: tuple[int, ...]
    """Tokens left for pressing, by pool; `UNLIMITED` where nobody counts."""
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
    """Reinforcements on transports within reach of the enemy."""
    cargo_out: Cargo
    """Reinforcements that have escaped."""
    start: Counts = ()
    struck: tuple[int, ...] = ()
    leaves: str = ""
    """After the fire: how the last defenders left."""


class Joint(NamedTuple):
    """A joint distribution over numbered states."""

    a: Ints
    """Numbers of attacking states, sorted."""
    d: Ints
    """Numbers of defending states, sorted."""
    p: Floats
    """Chances, shape (attacking states, defending states)."""


class Plans(NamedTuple):
    """What both sides would do, and who pays for what."""

    attack: AttackPlan
    defence: DefencePlan
    pools: Pools


class Leaving(NamedTuple):
    """What the defender ordered, as far as it decides what becomes of those whom the fire leaves."""

    kinds: tuple[bool, ...]
    """Kinds that retreat."""
    supply_left: int
    """Tokens left after the orders; raids come off later."""


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
        self.orders = Numbers[Leaving]()
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
        return ON if found is None else ENDINGS.index(found)

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
