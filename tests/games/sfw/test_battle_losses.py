"""What a hit kills: legal casualties by trying everything, policies, precise hits, combined fire, rulings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.sfw.odds.file import load_units
from companion.games.sfw.rules.battle import DEFENDING, Battle, Counts, Fight, Group
from companion.games.sfw.rules.battle_combine import combinations
from companion.games.sfw.rules.battle_edition import SFW96, with_rulings
from companion.games.sfw.rules.battle_losses import CHEAPEST, KEEP_CONTROL, Hit, LossTable, Policy, merge_hits
from companion.games.sfw.rules.battle_rolls import Aim
from companion.games.sfw.rules.battle_setup import set_up
from tests.odds.slow_battle import _payments as slow_payments

TABLE = load_units("sfw96")
LAND = Aim(("land",), False, "", False)
SEA = Aim(("sea",), False, "", False)
SONAR = Aim(("sea",), True, "", False)
AIR_SHOT = Aim(("sea",), True, "", True)
AIR = Aim(("air",), False, "", False)
WHITE, GRAY, BLACK, PURPLE = 1, 2, 3, 4


def table(
    *units: tuple[str, int],
    terrain: str = "land",
    policy: Policy = CHEAPEST,
    rulings: dict[str, str] | None = None,
) -> LossTable:
    enemy = Group("fighter", 1, "us")
    groups = tuple(Group(unit, count, "germany") for unit, count in units)
    found = set_up(Battle(1, terrain, (enemy,), groups), with_rulings(SFW96, rulings or {}), TABLE)
    assert isinstance(found, Fight), found
    return LossTable(found, DEFENDING, policy)


def start(work: LossTable) -> Counts:
    return work.fight.start(DEFENDING)


def hits(*levels: int, aim: Aim = LAND, precise: bool = False) -> tuple[Hit, ...]:
    return merge_hits(tuple(Hit(level, aim, 1, precise) for level in levels))


@pytest.mark.parametrize(
    ("units", "levels", "lost"),
    [
        ([("infantry", 3)], [WHITE], (1,)),
        ([("infantry", 3)], [GRAY], (2,)),
        ([("infantry", 1)], [GRAY], (1,)),
        ([("tank", 1), ("infantry", 1)], [GRAY], (1, 0)),
        ([("tank", 1), ("infantry", 2)], [GRAY], (0, 2)),
        ([("tank", 2)], [WHITE], (0,)),
        ([("tank", 1), ("infantry", 3)], [BLACK], (1, 2)),
        ([("tank", 2), ("infantry", 1)], [BLACK], (2, 0)),
        ([("infantry", 5)], [BLACK], (4,)),
        ([("tank", 1), ("infantry", 1), ("land_transport", 1)], [WHITE, GRAY], (1, 0, 1)),
        ([("artillery", 1), ("tank", 1)], [GRAY], (1, 0)),
        ([("infantry", 2), ("anti_air", 2)], [WHITE, WHITE], (2, 0)),
    ],
)
def test_cheapest_payment(units: list[tuple[str, int]], levels: list[int], lost: Counts) -> None:
    work = table(*units)
    assert work.proposal(start(work), hits(*levels)) == lost


def test_hits_of_a_step_are_paid_together() -> None:
    """A White and a Gray hit on a tank and two infantry: paying the Gray with both infantry would pay less."""
    work = table(("tank", 1), ("infantry", 2))
    assert work.proposal(start(work), hits(WHITE, GRAY)) == (1, 1)
    assert work.fault(start(work), hits(WHITE, GRAY), (0, 2)) is not None


@settings(max_examples=120)
@given(
    units=st.lists(
        st.tuples(
            st.sampled_from(["submarine", "destroyer", "cruiser", "battleship", "carrier"]), st.integers(1, 2)
        ),
        min_size=1,
        max_size=3,
        unique_by=lambda pair: pair[0],
    ),
    shots=st.lists(st.tuples(st.integers(1, 3), st.sampled_from([SEA, SONAR, AIR_SHOT])), max_size=4),
    fighter=st.booleans(),
)
def test_legal_casualties_are_what_trying_everything_finds(
    units: list[tuple[str, int]], shots: list[tuple[int, Aim]], *, fighter: bool
) -> None:
    work = table(*units, *([("fighter", 1)] if fighter else []), terrain="sea")
    owed = merge_hits(tuple(Hit(level, aim) for level, aim in shots))
    before = start(work)
    slow = slow_payments(work.fight, DEFENDING, before, tuple((level, aim, False) for level, aim in shots))
    expected = {tuple(b - a for b, a in zip(before, after, strict=True)) for after in slow}
    assert set(work.legal(before, owed)) == expected
    for losses in expected:
        assert work.fault(before, owed, losses) is None
    assert work.proposal(before, owed) in expected
    assert work.is_forced(before, owed) == (len(expected) == 1)
    more = tuple(min(b, loss + 1) for b, loss in zip(before, max(expected), strict=True))
    if more not in expected:
        assert work.fault(before, owed, more) is not None


def test_the_shooter_chooses_after_a_precise_hit() -> None:
    work = table(("light_bomber", 1), ("heavy_bomber", 1))
    assert work.proposal(start(work), hits(WHITE, aim=AIR)) == (1, 0), "the owner gives the cheap one"
    assert work.proposal(start(work), hits(WHITE, aim=AIR, precise=True)) == (0, 1)


def test_a_covered_carrier_is_black_against_air_only() -> None:
    work = table(("carrier", 1), ("fighter", 1), terrain="sea")
    assert work.proposal(start(work), hits(GRAY, aim=AIR_SHOT)) == (0, 0)
    assert work.proposal(start(work), hits(BLACK, aim=AIR_SHOT)) == (1, 0)
    assert work.proposal(start(work), hits(GRAY, aim=SEA)) == (1, 0)
    assert work.proposal((1, 0), hits(GRAY, aim=AIR_SHOT)) == (1, 0), "the fighter is gone"


def test_a_lone_black_hit_does_not_take_purple() -> None:
    assert SFW96.price_of(BLACK, PURPLE) == 0
    assert SFW96.price_of(PURPLE, PURPLE) == 8


def test_policies() -> None:
    units = [("infantry", 2), ("anti_air", 2), ("tank", 1)]
    assert table(*units).proposal((2, 2, 1), hits(GRAY)) == (2, 0, 0)
    assert table(*units, policy=Policy("order", ("tank",))).proposal((2, 2, 1), hits(GRAY)) == (0, 0, 1)
    assert table(*units, policy=Policy("order", ("anti_air", "infantry", "tank"))).proposal(
        (2, 2, 1), hits(GRAY)
    ) == (0, 2, 0)
    keep = table(("infantry", 1), ("anti_air", 2), policy=KEEP_CONTROL)
    assert keep.proposal((1, 2), hits(GRAY)) == (0, 2)
    assert keep.proposal((1, 1), hits(GRAY)) == (1, 1), "as much as the rules let it"


def test_rulings_on_what_a_hit_removes() -> None:
    one_colour = table(("tank", 1), ("infantry", 2), rulings={"hit_weights": "one_colour"})
    legal = set(one_colour.legal((1, 2), hits(BLACK)))
    assert legal == {(1, 0), (0, 2)}, "not the tank and the infantry together"
    strict = table(("infantry", 1), rulings={"short_hit": "takes_nothing"})
    assert strict.proposal((1,), hits(GRAY)) == (0,)
    assert strict.proposal((1,), hits(WHITE)) == (1,)


def test_combined_fire_table() -> None:
    """Four White hits: two Gray or one Black; four Gray: two Black or one Purple."""
    whites = {
        tuple((hit.level, hit.count) for hit in option) for option in combinations(hits(*[WHITE] * 4), 4)
    }
    assert {((GRAY, 2),), ((BLACK, 1),), ((WHITE, 4),), ((WHITE, 2), (GRAY, 1))} == whites
    grays = {tuple((hit.level, hit.count) for hit in option) for option in combinations(hits(*[GRAY] * 4), 4)}
    assert ((BLACK, 2),) in grays
    assert ((PURPLE, 1),) in grays


def test_combined_hits_aim_where_all_could() -> None:
    both = Aim(("land", "sea"), True, "", False)
    mixed = combinations((Hit(GRAY, both), Hit(GRAY, SEA)), 4)
    assert any(option == (Hit(BLACK, SEA),) for option in mixed)
    apart = combinations((Hit(GRAY, LAND), Hit(GRAY, SEA)), 4)
    assert len(apart) == 1


def test_combined_hits_on_a_landing_keep_from_where_it_comes() -> None:
    walls = {facing: Aim(("land", "sea"), False, "", False, "landing", facing) for facing in ("e5", "e6")}
    one = Aim(("land",), False, "", False, "landing", "e5")
    joined = combinations((Hit(GRAY, walls["e5"]), Hit(GRAY, one)), 4)
    assert any(option == (Hit(BLACK, one),) for option in joined)
    assert len(combinations((Hit(GRAY, walls["e5"]), Hit(GRAY, walls["e6"])), 4)) == 1
