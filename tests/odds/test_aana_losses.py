"""What hits leave, kept by number and paid in steps, against the casualty rules asked once for all hits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.games.aana.odds.losses import ANY, HitNumbers, Left, Losses
from companion.games.aana.odds.tables import Numbers
from companion.games.aana.rules.casualties import Hits, LossPolicy, Payer
from companion.games.aana.rules.combat import DEFENDER, Arena, Counts, Kind, Rules, arena_of
from tests.odds.test_aana import book

MOST_UNPAID = 3
SEA = ("battleship", "destroyer", "submarine", "fighter", "bomber")


def fleet() -> Arena:
    kinds = [Kind(unit, "uk") for unit in SEA]
    arena, _, _ = arena_of(book(), Rules(domain="sea"), [Kind("bomber", "germany")], kinds)
    return arena


ARENA = fleet()
COUNTS = st.tuples(*[st.integers(0, 2)] * len(ARENA.defenders))
SOME = st.integers(0, 4)


def losses(policy: LossPolicy, firing: LossPolicy) -> tuple[Payer, Losses, HitNumbers]:
    hits = HitNumbers()
    payer = Payer(ARENA, DEFENDER, policy=policy, firing=firing)
    classes = tuple(row.hit_class for row in ARENA.defender_rows)
    return payer, Losses(lambda: payer, hits, classes=classes, most_unpaid=MOST_UNPAID, left=Numbers()), hits


@given(
    st.lists(COUNTS, min_size=1, max_size=3),
    st.lists(st.tuples(SOME, SOME, SOME, st.integers(0, 2)), min_size=1, max_size=4),
    st.permutations(SEA),
    st.booleans(),
)
def test_hits_paid_in_steps_leave_what_they_leave_at_once(
    left: list[Counts], fired: list[tuple[int, int, int, int]], order: list[str], is_named: bool
) -> None:
    firing = LossPolicy(aim_at=("fighter", "destroyer"))
    payer, found, hits = losses(LossPolicy(order=tuple(order) if is_named else ()), firing)
    rows = [Hits(plain, air, sub, (("sea", "any", n),) if n else ()) for plain, air, sub, n in fired]
    numbers = [found.left.of(Left(counts)) for counts in left]
    numbered = [hits.of(replace(row, any=0)) * ANY + row.any for row in rows]
    after = found.after(np.array(numbers), np.array(numbered))
    for counts, given_after in zip(left, after.tolist(), strict=True):
        for row, number in zip(rows, given_after, strict=True):
            expected = payer.pay(counts, row)
            assert found.left.values[number] == Left(expected.left, min(expected.unpaid, MOST_UNPAID)), row


def test_more_hits_than_before_are_paid_by_the_same_table() -> None:
    payer, found, _ = losses(LossPolicy(), LossPolicy())
    number = found.left.of(Left((1,) * len(ARENA.defenders)))
    for most in (1, 3, 12, 2):
        after = found.after(np.array([number]), np.arange(most + 1))
        own = [found.left.values[n].own for n in after[0].tolist()]
        assert own == [payer.pay((1,) * len(ARENA.defenders), Hits(any=n)).left for n in range(most + 1)]
