"""What hits leave of one side's pieces in a North Africa combat, kept by number (`companion.games.aana.odds.tables`).

Who pays for a hit is asked of `companion.games.aana.rules.casualties`; nothing of the rules is kept here but how payments
hang together.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Final, NamedTuple

from companion.games.aana.odds.tables import Grid, Ints, Memo, Numbers, distinct
from companion.games.aana.rules.casualties import Hits, Payer
from companion.games.aana.rules.combat import Counts
from companion.odds.arrays import np

__all__ = ["ANY", "HitNumbers", "Left", "Losses"]

_BITS: Final = 12
ANY: Final = 1 << _BITS
"""Hits are numbered by those of them that may not fall on anything, times this, plus how many may; 0 = no hits."""

_SPARED: Final = {"any": "", "no_air": "air", "no_sub": "submarine"}
"""The hit class that a sort of hits spares."""


class HitNumbers(Numbers[Hits]):
    """Hits that may not fall on anything, by number; 0 = none."""

    def __init__(self) -> None:
        """Start with no hits."""
        super().__init__()
        self.of(Hits())


class Left(NamedTuple):
    """What hits leave of the pieces of a side."""

    own: Counts
    unpaid: int = 0
    """Hits that none of the pieces could take, as far as they matter."""
    reachable: int = 0
    """Transports that may still be aimed at; 0 where nobody would."""


class Losses:
    """What hits leave of one side: pieces, with the hits that none of them could take."""

    def __init__(
        self,
        payer: Callable[[], Payer],
        hits: HitNumbers,
        *,
        classes: tuple[str, ...],
        most_unpaid: int,
        left: Numbers[Left],
    ) -> None:
        """Take who pays, made when it is first asked, and the numbers of hits that may not fall on anything.

        Args:
            classes: Hit class of each kind of the side.
            most_unpaid: Unpaid hits beyond so many change nothing.
            left: Numbers of what is left; other ways to pay may share them.
        """
        self._make_payer = payer
        self._hits = hits
        self._classes = classes
        self._most_unpaid = most_unpaid
        self.left = left
        self._paid = Grid(self._pay)
        self._spared = Memo(self._has_spared)
        self._one = {sort: Memo(partial(self._pay_one, sort=sort)) for sort in _SPARED}
        self._forced: dict[tuple[str, str], Memo] = {}
        self._apart: dict[tuple[int, int, int], int] = {}
        # What is left after 0, 1, 2 ... hits that may fall on anything, by what was left before them.
        self._after: Ints = np.zeros((64, 1), dtype=np.int64)
        self._asked = np.zeros(64, dtype=bool)

    @cached_property
    def payer(self) -> Payer:
        """Who pays."""
        return self._make_payer()

    def after(self, left: Ints, hits: Ints) -> Ints:
        """Return what is left of some pieces after some hits by number, see `ANY`; shape (pieces, hits).

        Hits that may fall on anything are paid one by one after the others. That comes to the same: one more of them
        raises all limits of what can be paid by one, so that greedily whoever is next of those left pays for it.
        """
        firsts, at = distinct(hits >> _BITS)
        more = hits & (ANY - 1)
        only_any = firsts.item(-1) == 0
        paid = left[:, None] if only_any else self._paid.of(left[:, None], firsts)
        most = more.item(more.argmax())
        if not most:
            return paid[:, at]
        size, steps = self._after.shape
        if most >= steps or len(self.left.values) > size:
            # All that there are may be lost.
            size, steps = 2 * len(self.left.values), max(steps, most + 1, sum(self.left.values[0].own) + 1)
            self._after, self._asked = np.zeros((size, steps), dtype=np.int64), np.zeros(size, dtype=bool)
        asked: Ints = paid[~self._asked[paid]]
        if asked.size:
            some = distinct(asked)[0]
            self._after[some] = self._one_by_one(some.tolist(), steps)
            self._asked[some] = True
        found: Ints = self._after[paid[:, at], more]
        return found

    def _one_by_one(self, some: list[int], steps: int) -> list[list[int]]:
        """Return for some pieces what is left after 0, 1, 2 ... hits that may fall on anything, so many entries."""
        one, rows = self._one["any"], dict[int, list[int]]()
        for number in some:
            if number in rows:
                continue
            # Hit by hit, until no more hits matter or all that follows is known.
            chain, after = [number], one[number]
            while after != chain[-1] and after not in rows:
                chain.append(after)
                after = one[after]
            every = chain + (rows[after] if after in rows else [after] * steps)
            for n, each in enumerate(chain):
                rows[each] = every[n : n + steps]
        return [rows[number] for number in some]

    def _pay(self, left: int, hit: int) -> int:
        """Force aimed hits on their targets one by one, then pay those that have none with the others."""
        hits = self._hits.values[hit]
        plain, no_air, no_sub = 0, hits.no_air, hits.no_sub
        if hits.aimed:
            left, more = self._aim(left, hits.aimed)
            plain, no_air, no_sub = more["any"], no_air + more["no_air"], no_sub + more["no_sub"]
        if no_air and no_sub:
            # Where there is nobody to be spared, such hits may fall on anything.
            spared = self._spared[left]
            if not spared & 1:
                plain, no_air = plain + no_air, 0
            elif not spared & 2:
                plain, no_sub = plain + no_sub, 0
            else:
                left, no_air, no_sub = self._pay_apart(left, no_air, no_sub), 0, 0
        # Hits of one sort, and after all others those that may fall on anything, are paid one by one.
        for sort, count in (("no_air", no_air), ("no_sub", no_sub), ("any", plain)):
            one = self._one[sort]
            for _ in range(count):
                left = one[left]
        return left

    def _aim(self, left: int, aimed: tuple[tuple[str, str, int], ...]) -> tuple[int, dict[str, int]]:
        """Force aimed hits on their targets; return those that have none by what they may fall on instead."""
        more = {"any": 0, "no_air": 0, "no_sub": 0}
        for aim, reach, n in aimed:
            forced = self._forced.get((aim, reach))
            if forced is None:
                forced = self._forced[aim, reach] = Memo(partial(self._force, aim=aim, reach=reach))
            for done in range(n):
                after = forced[left]
                if after < 0:
                    more[reach] += n - done
                    break
                left = after
        return left, more

    def _has_spared(self, left: int) -> int:
        """Say whether a side has aircraft (1) and submarines (2)."""
        classes = {c for n, c in zip(self.left.values[left].own, self._classes, strict=True) if n}
        return ("air" in classes) + 2 * ("submarine" in classes)

    def _force(self, left: int, aim: str, reach: str) -> int:
        """Return what one aimed hit leaves, -1 where it has no target."""
        own, before, reachable = self.left.values[left]
        paid = self.payer.force_one(own, aim, reach, reachable)
        return -1 if paid is None else self._of(paid.left, before, reachable - paid.sunk)

    def _pay_apart(self, left: int, no_air: int, no_sub: int) -> int:
        """Return what hits that spare different pieces leave together."""
        known = self._apart.get((left, no_air, no_sub))
        if known is None:
            own, before, reachable = self.left.values[left]
            own, unpaid, _ = self.payer.pay(own, Hits(no_air=no_air, no_sub=no_sub))
            known = self._apart[left, no_air, no_sub] = self._of(own, before + unpaid, reachable)
        return known

    def _pay_one(self, left: int, sort: str) -> int:
        """Return what one hit leaves that is not aimed."""
        own, before, reachable = self.left.values[left]
        after = self.payer.pay_one(own, _SPARED[sort])
        return self._of(own, before + 1, reachable) if after is None else self._of(after, before, reachable)

    def _of(self, own: Counts, unpaid: int, reachable: int) -> int:
        return self.left.of(Left(own, min(unpaid, self._most_unpaid) if unpaid else 0, reachable))
