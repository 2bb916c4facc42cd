"""As many hits as possible: the greedy assignment against every assignment, and what transports lose."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games.aana.rules.casualties import (
    Cargo,
    Hits,
    LossPolicy,
    Payer,
    after_hits,
    cargo_after_hits,
    escape,
)
from companion.games.aana.rules.combat import DEFENDER, Arena, Kind, Rules, arena_of
from companion.games.aana.rules.figures import figure_book
from tests.games.aana.aana_table import loaded

PRINTED = {f"unit.uk.battleship.{figure}": 6 for figure in ("attack", "defence", "cost")}
BOOK = figure_book(loaded().data.raw["units"], PRINTED)
KINDS = tuple(Kind(unit, "uk") for unit in ("battleship", "destroyer", "fighter", "submarine"))


def arena() -> tuple[Arena, dict[Kind, int]]:
    made, _, at = arena_of(BOOK, Rules(domain="sea"), (), KINDS)
    return made, dict(at)


def best_by_trying(air: int, sub: int, surface: int, hits: Hits) -> int:
    """Try every way to give hits to slots, one each."""
    slots = ["air"] * air + ["sub"] * sub + ["surface"] * surface
    shots = ["any"] * hits.any + ["no_air"] * hits.no_air + ["no_sub"] * hits.no_sub
    best = 0
    padded = slots + [""] * len(shots)
    for order in set(itertools.permutations(padded, len(shots))):
        paid = sum(
            1
            for shot, slot in zip(shots, order, strict=True)
            if slot and not (shot == "no_air" and slot == "air") and not (shot == "no_sub" and slot == "sub")
        )
        best = max(best, paid)
    return best


small = st.integers(0, 2)


@given(small, small, small, small, st.integers(0, 2), st.integers(0, 1), st.integers(0, 1))
def test_as_many_hits_as_possible_are_assigned(  # noqa: PLR0917
    battleships: int, destroyers: int, fighters: int, submarines: int, plain: int, no_air: int, no_sub: int
) -> None:
    made, at = arena()
    counts = [0] * len(made.defenders)
    for kind, n in zip(KINDS, (battleships, destroyers, fighters, submarines), strict=True):
        counts[at[kind]] = n
    hits = Hits(plain, no_air, no_sub)
    left, unpaid, _ = after_hits(
        made, DEFENDER, tuple(counts), hits, policy=LossPolicy(), firing=LossPolicy()
    )
    best = best_by_trying(fighters, submarines, 2 * battleships + destroyers, hits)
    assert hits.count - unpaid == best
    assert all(n >= 0 for n in left)
    assert sum(left) <= sum(counts)


def best_with_aims(points: dict[str, int], hits: list[tuple[str, str]], transports: int) -> int:
    """Return the most hits in all, once as many aimed ones as possible are on their targets, by trying everything.

    Args:
        points: Hit points by class: air, submarine, destroyer, battleship.
        hits: (aim, reach) of every hit; the aim is empty, a class or ``transport``.
    """
    names = (*points, "transport")

    def may(name: str, aim: str, reach: str) -> bool:
        if (reach == "no_air" and name == "air") or (reach == "no_sub" and name == "submarine"):
            return False
        return name == aim if aim else name != "transport"

    # What is left of each class, to the best (aimed hits, hits) that lead there.
    found = {(*points.values(), transports): (0, 0)}
    for aim, reach in hits:
        after: dict[tuple[int, ...], tuple[int, int]] = {}
        for left, (aimed, paid) in found.items():
            after[left] = max(after.get(left, (0, 0)), (aimed, paid))
            for i, name in enumerate(names):
                forced = bool(aim) and may(name, aim, reach)
                if left[i] and (forced or may(name, "", reach)):
                    less = (*left[:i], left[i] - 1, *left[i + 1 :])
                    after[less] = max(after.get(less, (0, 0)), (aimed + forced, paid + 1))
        found = after
    return max(found.values())[1]


AIMED = st.sampled_from(["sea:destroyer", "sea:battleship", "sea:submarine", "transport"])


@given(small, small, small, small, st.lists(AIMED, max_size=3), small, small, small, st.booleans())
def test_as_many_hits_as_possible_are_assigned_with_aims(  # noqa: PLR0917
    battleships: int,
    destroyers: int,
    fighters: int,
    submarines: int,
    aims: list[str],
    plain: int,
    no_air: int,
    transports: int,
    hunts: bool,
) -> None:
    """As many aimed hits as possible fall on what they name; then as many hits as possible fall on anything."""
    made, at = arena()
    counts = [0] * len(made.defenders)
    for kind, n in zip(KINDS, (battleships, destroyers, fighters, submarines), strict=True):
        counts[at[kind]] = n
    reach = "any" if hunts else "no_sub"
    aimed = tuple((aim, reach, aims.count(aim)) for aim in dict.fromkeys(aims))
    paid = after_hits(
        made,
        DEFENDER,
        tuple(counts),
        Hits(plain, no_air, 0, aimed),
        policy=LossPolicy(),
        firing=LossPolicy(),
        transports=transports,
    )
    points = {
        "air": fighters,
        "submarine": submarines,
        "destroyer": destroyers,
        "battleship": 2 * battleships,
    }
    single = [(aim.removeprefix("sea:"), reach) for aim in aims]
    single += [("", "any")] * plain + [("", "no_air")] * no_air
    assert len(single) - paid.unpaid == best_with_aims(points, single, transports)
    assert paid.sunk == min(transports, aims.count("transport"))


def test_a_plan_aims_at_transports_only_when_it_names_them() -> None:
    made, at = arena()
    counts = [0] * len(made.defenders)
    counts[at[Kind("destroyer", "uk")]] = 1
    hits = Hits(aimed=(("sea", "any", 3),))

    def paid(*aim_at: str, transports: int = 1) -> tuple[int, int, int]:
        payer = Payer(made, DEFENDER, policy=LossPolicy(), firing=LossPolicy(aim_at=aim_at))
        left, unpaid, sunk = payer.pay(tuple(counts), hits, transports=transports)
        return sum(left), unpaid, sunk

    assert paid() == (0, 2, 0)
    assert paid("transport") == (0, 1, 1)
    assert paid("transport", transports=3) == (1, 0, 3)
    assert paid("destroyer", "transport", transports=3) == (0, 0, 2)


@pytest.mark.parametrize("order", [(), ("fighter",), ("submarine", "destroyer")])
def test_one_more_hit_on_anything_is_paid_by_whoever_is_next(order: tuple[str, ...]) -> None:
    """The odds pay such hits one by one after all others."""
    made, at = arena()
    payer = Payer(made, DEFENDER, policy=LossPolicy(order), firing=LossPolicy())
    aims = [(), *((("sea", reach, n),) for reach in ("any", "no_sub") for n in (1, 2))]
    for numbers in itertools.product(range(3), repeat=len(KINDS)):
        counts = [0] * len(made.defenders)
        for kind, n in zip(KINDS, numbers, strict=True):
            counts[at[kind]] = n
        for plain, no_air, no_sub, aimed in itertools.product(range(3), range(3), range(3), aims):
            before, unpaid, sunk = payer.pay(tuple(counts), Hits(plain, no_air, no_sub, aimed), transports=1)
            left, more, _ = payer.pay(before, Hits(any=1))
            found = payer.pay(tuple(counts), Hits(plain + 1, no_air, no_sub, aimed), transports=1)
            assert found == (left, unpaid + more, sunk), (counts, plain, no_air, no_sub, aimed)


def test_a_whole_battleship_is_marked_before_anything_is_lost() -> None:
    made, at = arena()
    counts = [0] * len(made.defenders)
    counts[at[Kind("battleship", "uk")]] = counts[at[Kind("destroyer", "uk")]] = 1
    left = after_hits(
        made, DEFENDER, tuple(counts), Hits(any=1), policy=LossPolicy(), firing=LossPolicy()
    ).left
    assert sum(left) == 2
    assert left[at[Kind("battleship", "uk", damaged=True)]] == 1


def test_the_order_named_by_the_table_comes_first() -> None:
    made, at = arena()
    counts = [0] * len(made.defenders)
    counts[at[Kind("fighter", "uk")]] = counts[at[Kind("destroyer", "uk")]] = 1
    left = after_hits(
        made,
        DEFENDER,
        tuple(counts),
        Hits(any=1),
        policy=LossPolicy(order=("fighter",)),
        firing=LossPolicy(),
    ).left
    assert left[at[Kind("fighter", "uk")]] == 0


COSTS = {("italy", "infantry"): 2, ("italy", "tank"): 4}


def test_a_transport_loses_the_owners_cheapest_then_the_firers_dearest() -> None:
    cargo = Cargo((("italy", "infantry", 2), ("italy", "tank", 2)), (("germany", 2), ("italy", 5)))
    after = cargo_after_hits(cargo, 1, COSTS)
    assert after.units == (("italy", "infantry", 1), ("italy", "tank", 2))
    assert after.tokens == 2  # five supply are worth more than a tank at 4


def test_one_transport_escapes_with_the_dearest_two_bays() -> None:
    cargo = Cargo((("italy", "infantry", 2), ("italy", "tank", 1)), (("italy", 3),))
    behind, away = escape(cargo, COSTS)
    assert away == Cargo((("italy", "tank", 1),), (("italy", 3),))
    assert behind == Cargo((("italy", "infantry", 2),))
    nothing, all_away = escape(behind, COSTS, away)
    assert nothing.count == 0
    assert all_away.count == cargo.count
