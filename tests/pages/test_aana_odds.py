"""The odds of a North Africa combat under way: from its own stage and round, with the supply that can pay."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from companion.games.aana.pages.draft import CombatDraft
from companion.games.aana.pages.odds import coach_say, odds_say
from companion.games.aana.pages.stages import coach_row
from companion.games.aana.rules.battle_messages import (
    AttackGroup,
    Cease,
    LeaveCombat,
    OpenCombat,
    Press,
    RollFire,
)
from companion.games.aana.rules.fight import VolleyRoll
from companion.games.aana.rules.ledger_messages import CorrectSupply
from companion.pages.page import Acts
from companion.pages.speak import speak
from tests.games.aana.aana_table import Table

GONE = "Defender eliminated {}, attacker eliminated {}, neither {}; territory taken {}"
BOTH = "Defender eliminated {}, attacker eliminated {}, both {}, neither {}; territory taken {}"
OPEN = "No odds: choose which supply pays first"


def told(table: Table) -> str:
    return speak(odds_say(table.state, table.fight), table.state).replace("\N{NO-BREAK SPACE}", " ")


def parts(text: str) -> tuple[int, ...]:
    """Return percent of: defender gone, attacker eliminated, neither, taken; both gone counts for each."""
    found = tuple(int(n) for n in re.findall(r"(\d+) %", text))
    assert sum(found[:-1]) == 100, text
    if len(found) == 5:
        return found[0] + found[2], found[1] + found[2], *found[3:]
    assert len(found) == 4, text
    return found


def opened(
    defenders: dict[str, int],
    groups: dict[str, dict[str, int]],
    *,
    supply: dict[str, int],
    space: str = "bir_hacheim",
    **given: Any,
) -> Table:
    """Open a German attack; every other territory that touches those in it is told to hold no supply."""
    table = Table(values="unofficial")
    near = ("zella", "jalo", "el_agheila", "benghazi", "mersa_brega", "mersa_matruh", "siwa", "tobruk")
    for place in near:
        table.tell(place, supply=supply.get(place, 0), **groups.get(place, {}))
    table.tell(space, supply=supply.get(space, 0), **defenders)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack(
        space,
        *(
            AttackGroup(place, {piece.replace("_", ".", 1): n for piece, n in units.items()})
            for place, units in groups.items()
        ),
    )
    table.jump("r2.germany.combat.resolve")
    table.open(attack, **given)
    return table


def miss(table: Table) -> Table:
    """Fight a round in which nobody hits."""
    table.orders(fight=True)
    while table.fight.stage != "press":
        table.roll(*[(7,) * dice for dice, _need in table.needs()])
    return table


def test_air_defence_that_is_over_does_not_fire_again() -> None:
    fighters = {"el_agheila": {"germany_fighter": 3}}
    table = opened({"uk_infantry": 2, "uk_aaa": 1}, fighters, supply={"bir_hacheim": 6, "tobruk": 18})
    assert told(table) == "No odds during a round; check again when it ends"
    table.roll((9, 9, 9))
    assert table.fight.stage == "orders"
    assert told(table) == BOTH.format("74 %", "22 %", "4 %", "0 %", "0 %")


def test_a_gun_that_is_left_alone_after_round_one_neither_fires_nor_is_swept_away() -> None:
    fighter = {"el_agheila": {"germany_fighter": 1}}
    table = opened({"uk_infantry": 1, "uk_aaa": 1}, fighter, supply={"bir_hacheim": 6})
    table.roll((9,))
    table.orders(fight=True)
    table.roll((1,))
    table.lose({"uk.infantry": 1})
    table.roll((10,))
    assert (table.fight.stage, table.fight.round_no) == ("press", 1)
    assert told(table) == GONE.format("100 %", "0 %", "0 %", "0 %")


def test_pressing_that_cannot_be_paid_for_ends_the_attack() -> None:
    groups = {"mersa_brega": {"germany_infantry": 4}}
    table = opened({"uk_infantry": 1}, groups, supply={"bir_hacheim": 6, "mersa_brega": 1})
    miss(table)
    assert table.ledger.supply["mersa_brega"] == 0
    assert told(table) == GONE.format("0 %", "0 %", "100 %", "0 %")
    table.no(Press(table.step), "no_supply")
    table.ok(Cease(table.step))


@pytest.mark.parametrize(("place", "pays"), [("jalo", True), ("benghazi", False), ("tobruk", False)])
def test_a_friendly_or_neutral_territory_next_to_the_attackers_pays_and_no_other(
    place: str, pays: bool
) -> None:
    """Jalo is neutral, Benghazi British, and Tobruk not next to Mersa Brega."""
    groups = {"mersa_brega": {"germany_infantry": 4}}
    table = opened({"uk_infantry": 1}, groups, supply={"bir_hacheim": 6, "mersa_brega": 1, place: 5})
    miss(table)
    if not pays:
        assert parts(told(table))[2] == 100
        table.no(Press(table.step, supply_from={"mersa_brega": place}), ANY[place])
        return
    assert parts(told(table))[3] > 80
    table.ok(Press(table.step, supply_from={"mersa_brega": place}))
    assert (table.fight.stage, table.fight.round_no) == ("orders", 2)


ANY = {"benghazi": "enemy_supply", "tobruk": "far_supply"}


def test_supply_that_runs_out_after_the_next_round_counts() -> None:
    """One token pays for round 2 alone: four infantry that attack once more, then cease."""
    groups = {"mersa_brega": {"germany_infantry": 4}}
    once = miss(opened({"uk_infantry": 2}, groups, supply={"bir_hacheim": 6, "mersa_brega": 2}))
    often = miss(opened({"uk_infantry": 2}, groups, supply={"bir_hacheim": 6, "mersa_brega": 12}))
    assert parts(told(once))[2] > 60
    assert parts(told(often))[2] < 5


def test_the_defence_is_paid_from_next_to_it_but_not_by_the_enemy() -> None:
    """A defender that cannot pay retreats at once and costs nobody anything."""
    groups = {"mersa_brega": {"germany_infantry": 4}}
    unpaid = opened({"uk_infantry": 2}, groups, supply={"mersa_brega": 9})
    assert told(unpaid) == GONE.format("100 %", "0 %", "0 %", "100 %")
    paid = opened({"uk_infantry": 2}, groups, supply={"mersa_brega": 9, "siwa": 9})
    assert parts(told(paid))[1] > 0


def test_a_raid_reaches_the_space_alone() -> None:
    """Scout cars destroy a token where they attack, none of those next to it, nor the one that was paid first."""
    groups = {"mersa_brega": {"germany_infantry": 1, "germany_scout_car": 1}}
    here = opened({"uk_infantry": 2}, groups, supply={"mersa_brega": 9, "bir_hacheim": 2})
    there = opened({"uk_infantry": 2}, groups, supply={"mersa_brega": 9, "bir_hacheim": 1, "siwa": 1})
    one = opened({"uk_infantry": 2}, groups, supply={"mersa_brega": 9, "bir_hacheim": 1})
    assert told(here) == told(one)
    assert told(there) != told(one)


def test_two_territories_that_share_their_supply_are_told_only_where_it_makes_no_difference() -> None:
    groups = {"mersa_brega": {"germany_infantry": 3}, "jalo": {"germany_infantry": 2}}
    given = {"space": "bir_hacheim", "main_origin": "mersa_brega"}
    near = {"bir_hacheim": 9, "mersa_brega": 2, "jalo": 1}
    both = miss(opened({"uk_infantry": 2}, groups, supply=near, **given))
    assert parts(told(both))[2] > 0, "either may pay for the other: one store"
    some = miss(opened({"uk_infantry": 2}, groups, supply={**near, "zella": 1}, **given))
    many = miss(opened({"uk_infantry": 2}, groups, supply={**near, "mersa_brega": 41, "jalo": 41}, **given))
    assert parts(told(many))[2] == 0
    large = {"mersa_brega": {"germany_infantry": 7}, "jalo": {"germany_infantry": 2}}
    paid = opened(
        {"uk_infantry": 6}, large, supply={**near, "mersa_brega": 6, "jalo": 3}, space="bir_hacheim"
    )
    assert parts(told(paid))[3] > 0, "two stores, each within reach of both: any payment can be shared"
    lone = miss(opened({"uk_infantry": 2}, groups, supply={**near, "el_agheila": 1}, **given))
    assert told(lone) == OPEN, "El Agheila is next to Mersa Brega, not to Jalo"
    assert told(some) != told(both)


def landed(ruling: str, tokens: int) -> Table:
    """Land five infantry at Casablanca in round 7, and miss each other in the first round but for one hit a side."""
    table = Table("torch", values="unofficial", **{"rulings.aana.landing_unpaid": ruling})
    table.jump("r7.us.combat_move.declare")
    table.ok(CorrectSupply("casablanca@landing", tokens))
    table.jump("r7.us.combat.resolve")
    table.open(table.state.game["battle"].attacks[0].id)
    table.orders()
    table.ok(RollFire(table.step, (VolleyRoll((9,) * 5),)))
    table.ok(RollFire(table.step, (VolleyRoll((1, 9)),)))
    table.lose()
    assert table.fight.stage == "press"
    return table


def test_a_landing_goes_on_unpaid_or_ceases_as_the_table_rules() -> None:
    assert parts(told(landed("pressed", 0)))[2] == 0
    assert told(landed("ceases", 0)) == GONE.format("0 %", "0 %", "100 %", "0 %")
    once, often = parts(told(landed("ceases", 1))), parts(told(landed("ceases", 40)))
    assert 0 < once[2] < 100
    assert often == parts(told(landed("pressed", 0)))


def test_odds_at_an_escape_are_those_after_it() -> None:
    table = Table(values="unofficial")
    table.tell("convoy.tripoli", italy_infantry=5, italy_destroyer=1, uk_submarine=2)
    table.jump("r3.uk.combat_move.declare")
    attack = table.attack("convoy.tripoli", AttackGroup("convoy.tripoli", {"uk.submarine": 2}))
    table.jump("r3.uk.combat.resolve")
    table.ok(OpenCombat(table.step, attack))
    while table.fight.stage != "leave":
        table.roll(*[(9,) * dice for dice, _need in table.needs()])
    before = told(table)
    table.ok(LeaveCombat(table.step))
    assert table.fight.stage == "press"
    assert told(table) == before
    assert parts(before)[0] not in (0, 100)


def advised(table: Table) -> str:
    return speak(coach_say(table.state, table.fight), table.state).replace("\N{NO-BREAK SPACE}", " ")


def test_the_coach_presses_the_stronger_attack_and_ceases_the_hopeless_one() -> None:
    strong = {"mersa_brega": {"germany_tank": 4}}
    table = opened({"uk_infantry": 1}, strong, supply={"bir_hacheim": 6, "mersa_brega": 4})
    miss(table)
    assert re.fullmatch(
        r"Press: .+ more destroyed than lost by cost, on average. Territory taken \d+ %", advised(table)
    )
    weak = {"mersa_brega": {"germany_infantry": 1}}
    table = opened({"uk_infantry": 8, "uk_artillery": 2}, weak, supply={"bir_hacheim": 6, "mersa_brega": 4})
    miss(table)
    assert advised(table) == ("Cease: pressing never destroys more than it costs. Territory taken 0 %")


def test_the_coach_ceases_where_nobody_can_be_paid_for() -> None:
    groups = {"mersa_brega": {"germany_infantry": 4}}
    table = opened({"uk_infantry": 1}, groups, supply={"bir_hacheim": 6, "mersa_brega": 1})
    miss(table)
    assert advised(table) == "Cease: nobody can be paid for"


def test_the_coach_row_is_dead_under_tournament_time_and_where_the_setting_is_off() -> None:
    groups = {"mersa_brega": {"germany_tank": 4}}
    table = opened({"uk_infantry": 1}, groups, supply={"bir_hacheim": 6, "mersa_brega": 4})
    miss(table)
    for speaks, locked, why in (
        (True, False, None),
        (False, False, "The coach is off. Turn it on in the settings."),
        (True, True, "The arbiter has locked the coach."),
    ):
        setup = replace(table.state.frozen_setup, coach_locked=locked)
        row = coach_row(replace(table.state, setup=setup), table.fight, Acts(), CombatDraft(coach=speaks))
        assert (row.act is None) == (why is not None)
        assert (None if row.why_not is None else speak(row.why_not)) == why
    clocks = replace(table.state.clocks, config=replace(table.state.clocks.config, tournament=True))
    row = coach_row(replace(table.state, clocks=clocks), table.fight, Acts(), CombatDraft())
    assert row.act is None
    assert row.why_not is not None
    assert speak(row.why_not) == "The coach is never available under tournament time."
