"""Payments worked together in arrays are those that the rules find one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from companion.games.sfw.odds.payments import legal_payments
from companion.games.sfw.rules.battle_payments import Payments


@pytest.mark.parametrize("seed", range(40))
def test_payments_worked_together_are_those_worked_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    slots, classes = chance.randint(1, 5), chance.randint(1, 3)
    capacity = tuple(sorted(chance.choices((1, 2, 3, 4, 6, 8), k=classes)))
    rows = [
        tuple(chance.choice([0, *(n for n in (1, 2, 3, 4, 8) if n <= most)]) for most in capacity)
        for _ in range(slots)
    ]
    payments = Payments(
        tuple(row if any(row) else (capacity[0],) * classes for row in rows),
        capacity,
        one_colour=chance.random() < 0.3,
        short_pays=chance.random() < 0.7,
        listed_first=chance.random() < 0.3,
    )
    questions = set()
    for _ in range(30):
        hits = tuple(chance.choices(range(5), k=classes))
        wanted = [sum(map(int.__mul__, hits, demand)) for demand in payments.demand]
        questions.add((tuple(min(chance.randint(0, 5), most) for most in wanted), hits))
    rooms, numbers = (np.array(part, dtype=np.int64) for part in zip(*sorted(questions), strict=True))
    found = legal_payments(payments, rooms, numbers)
    assert found is not None
    for (room, hits), start, length in zip(sorted(questions), found.starts, found.lengths, strict=True):
        together = sorted(map(tuple, found.vectors[start : start + length].tolist()))
        codes, _worth = payments.codes_of(room, hits)
        assert together == sorted(map(payments.vector, codes))
        assert not any(code >> payments.worth_at for code in codes), (
            "units alone; the worth is told beside them"
        )


def test_hits_of_one_class_pay_like_one_that_has_room_for_all() -> None:
    chance = random.Random(7)
    pooled = 0
    for _ in range(200):
        capacity = chance.choice((1, 2, 4, 8))
        prices = tuple((chance.choice((0, 1, 2, 3, 4, 8)),) for _ in range(chance.randint(1, 3)))
        payments = Payments(prices, (capacity,), one_colour=False, short_pays=True)
        if not payments.is_pooled:
            continue
        pooled += 1
        there = tuple(chance.randint(0, 4) for _ in prices)
        pool = payments.pool(there)
        for hits in range(6):
            vectors, worth = payments.best(there, (hits,))
            assert worth == max(n for n in pool if n <= hits * capacity)
            assert sorted(pool[worth]) == sorted(vectors)
    assert pooled > 10


def test_payments_whose_numbers_would_be_too_large_are_left_to_be_worked_one_by_one() -> None:
    payments = Payments(((1,),) * 12, (8,), one_colour=False, short_pays=True)
    assert legal_payments(payments, np.full((2, 12), 40), np.array([[70], [69]])) is None


def test_a_hit_that_is_paid_alone_takes_all_that_fits() -> None:
    alone = Payments(((2,),), (4,), one_colour=False, short_pays=True, is_joint=False)
    assert alone.best((3,), (1,))[0] == ((2,),)
