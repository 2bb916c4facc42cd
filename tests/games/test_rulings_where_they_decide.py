"""A ruling stands on the page on which it decides something, with one tap to change it, and nowhere without need."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.core.change import Change
from companion.core.commands import SetRuling
from companion.core.ids import Side
from companion.core.state import GameState
from companion.games.aana.pages.reinforce import reinforce_page
from companion.games.aana.pages.waiting import list_page
from companion.games.aana.rules.battle_messages import AttackGroup
from companion.games.aana.rules.reinforce_messages import Requisition
from companion.games.med.pages.draft import MedDraft
from companion.games.med.pages.engagement import med_page
from companion.games.med.rules.commands import PlayHand
from companion.games.sfw.pages.control import Capture, ControlDraft, control_page
from companion.games.tsu.pages.attack import attack_page
from companion.games.tsu.pages.calendar import CalendarDraft, calendar_page
from companion.games.tsu.pages.draft import AttackDraft, draft_of
from companion.games.tsu.pages.fight import fight_page
from companion.games.tsu.pages.score import score_page
from companion.games.tsu.rules.commands import ControlStar, DeclareAttack, ReportHappening
from companion.games.tsu.rules.forces import Attacker
from companion.games.tsu.rules.units import Unit
from companion.pages.page import TABLE_VIEWER, Ask, Send, Shown, Sight
from companion.pages.score import ScoreDraft
from tests.games.aana.aana_table import Table as NorthAfrica
from tests.games.med.table import Table as Cards
from tests.games.med.table import battle, bonus, convoy, force
from tests.games.med.test_med_play import STORMS
from tests.games.sfw_editions import NEWER, Evening
from tests.games.tsu.test_tsu_attack import landing
from tests.games.tsu.test_tsu_lawyer import against
from tests.games.tsu.test_tsu_play import Table as Underbelly


def sight(state: GameState, draft: object = None) -> Sight:
    return Sight(TABLE_VIEWER, Change(0, state), None, draft)


def ruled(shown: Shown) -> set[str]:
    """Return the rulings that can be changed on a page, by one tap or by the choice that it opens."""
    found = {name.removeprefix("ruling.") for name in shown.acts if name.startswith("ruling.")}
    several = shown.act("ruling")
    if isinstance(several, Ask):
        found |= {option.key for option in several.form.fields[0].options}
    return found


# The Soft Underbelly


def test_who_holds_a_star_for_victory_and_what_the_last_turn_brings() -> None:
    table = Underbelly()
    table.to_step("sp1945.allies.end")
    list_ = ScoreDraft("list")
    before = ruled(score_page(sight(table.state, list_)))
    assert "hold_stars" not in before, "no ship stands on a star"
    table.do(ControlStar("italy_1", Side("allies")))
    shown = score_page(sight(table.state, list_))
    assert "hold_stars" in ruled(shown)
    act = shown.act("ruling.hold_stars")
    assert isinstance(act, Send), "one tap"
    table.do(SetRuling("hold_stars", "control"))
    assert "hold_stars" in ruled(score_page(sight(table.state, list_))), "and back by one more"


def test_what_a_landing_in_europe_is_while_it_can_be_reported() -> None:
    table = Underbelly()
    table.to_step("su1941.allies.end")
    assert not ruled(calendar_page(sight(table.state, CalendarDraft("reports")))) & {"europe"}
    table.to_step("fa1942.allies.end")
    assert "europe" in ruled(calendar_page(sight(table.state, CalendarDraft("reports"))))
    assert "vichy_free" in ruled(calendar_page(sight(table.state, CalendarDraft("reports")))), (
        "it has just turned"
    )


@pytest.mark.parametrize(
    ("nation", "expected"), [("us", {"failed_landing"}), ("britain", {"failed_landing", "one_use"})]
)
def test_what_a_landing_costs(nation: str, expected: set[str]) -> None:
    table = Underbelly()
    table.to_step("su1943.allies.supply")
    made = against("Naples", *landing("panzer", nation), defenders=(Unit("infantry", "italy"),))
    table.do(DeclareAttack(table.at, made, (Unit("convoy", nation),)))
    table.to_step("su1943.allies.attack")
    assert ruled(fight_page(table.state, table.own.attacks[0], AttackDraft())) == expected


def test_what_a_landing_in_a_port_and_the_free_french_may_do() -> None:
    table = Underbelly()
    table.to_step("su1941.allies.supply")
    italian = (Unit("infantry", "italy"),)
    in_port = tuple(replace(one, from_sea=False) for one in landing("infantry", "britain", "Malta"))
    french = Attacker(Unit("infantry", "us"), "Tunis", "black")
    joint = (french, replace(french, unit=Unit("panzer", "britain")))
    for attackers, ruling in ((in_port, "port_landing"), (joint, "french_attacks")):
        draft = draft_of(against("Tripoli", *attackers, defenders=italian))
        assert (ruling in ruled(attack_page(sight(table.state, draft)))) == (attackers is in_port)
    table.do(ReportHappening(table.at, "invaded_vichy"))
    assert "french_attacks" in ruled(attack_page(sight(table.state, draft)))


# The card game


def engagement(table: Cards, draft: object = None) -> Shown:
    return med_page(sight(table.state, draft))


def test_a_bonus_and_the_load_line_of_a_battle_decide_a_trick() -> None:
    table = Cards(
        convoy(), force("A01", 0, 3, 0), force("A02", 0, 2, 0), bonus("A50", 0, 2, 0), force("X01", 0, 1, 0)
    )
    table.turn_over("O01", "surface")
    table.play("allies", "A01")
    table.play("axis", "X01")
    table.play("allies", "A02", "A50", bonus_on={"A50": "A02"})
    table.to("trick")
    assert "bonus_in_highest" in ruled(engagement(table))
    assert "intelligence_draw" not in ruled(engagement(table)), "nobody drew"
    assert "air_plus_one" not in ruled(engagement(table))


def test_the_load_line_of_a_battle_may_enlarge_a_hand() -> None:
    laid = (("allies", "A01", "A04"), ("axis", "X01", "X04"), ("allies", "A02", "A05"))
    known = [force(card, 0, 3 if side == "allies" else 1, 0) for side, *cards in laid for card in cards]
    table = Cards(battle(freighter="full"), *known)
    table.turn_over("O02")
    for side, card, _hidden in laid:
        table.play(side, card)
    table.to("reveal")
    for player, (side, _card, hidden) in zip(("p1", "p2", "p3"), laid, strict=True):
        table.do(PlayHand(table.state.step.id, side, (hidden,), player=Side(player)))
    table.next()
    assert "battle_freighters" in ruled(engagement(table))


def test_a_storm_card_alone_and_its_number() -> None:
    table = Cards(convoy(), force("A01", 0, 3, 0), *STORMS)
    table.turn_over("O01", "surface")
    assert not ruled(engagement(table, MedDraft(cards=("A01",), side="allies")))
    assert ruled(engagement(table, MedDraft(cards=("S01",), side="allies"))) == {
        "storm_alone",
        "storm_numbers",
    }


def test_how_far_shallows_reach_in_the_second_of_two_rounds() -> None:
    table = Cards(convoy(), force("A01", frame="sub"), force("X01"), force("X02"), *STORMS, players=2)
    draft = MedDraft(cards=("X02", "S07"), side="axis")
    table.turn_over("O01", "sub")
    table.play("allies", "A01")
    assert "shallows_reach" not in ruled(engagement(table, draft)), "the first round alone"
    table.play("axis", "X01")
    table.next()
    table.discard()
    assert "shallows_reach" in ruled(engagement(table, draft))


def test_how_far_a_sirocco_reaches() -> None:
    table = Cards(convoy(), force("A01", 0, 3, 0), *STORMS)
    table.turn_over("O01", "surface")
    table.lay("allies", "A01", "S01")
    assert ruled(engagement(table, MedDraft(effect="sirocco"))) == {"sirocco_reach"}


# North Africa


def test_the_limit_of_supply_once_it_is_reached() -> None:
    table = NorthAfrica(values="unofficial")
    table.jump("r1.germany.requisition.buy")
    assert "aana.supply_limit" not in ruled(reinforce_page(sight(table.state)))
    table.ok(Requisition(table.step, "germany", "supply", 5))
    assert ruled(reinforce_page(sight(table.state))) == {"aana.supply_limit"}


def test_a_convoy_before_a_full_port() -> None:
    table = NorthAfrica(values="unofficial")
    table.tell("convoy.tripoli", italy_infantry=1)
    table.jump("r2.italy.convoys.advance")
    assert not ruled(reinforce_page(sight(table.state)))
    table.tell("convoy.tripoli", italy_infantry=8)
    assert ruled(reinforce_page(sight(table.state))) == {"aana.port_full"}


def test_a_defensive_bonus_is_ruled_on_before_the_combat() -> None:
    table = NorthAfrica(values="unofficial")
    table.tell("tobruk", supply=3, uk_infantry=2)
    table.tell("benghazi", supply=3, germany_infantry=2)
    table.jump("r2.germany.combat_move.declare")
    table.attack("tobruk", AttackGroup("benghazi", {"germany.infantry": 2}))
    table.jump("r2.germany.combat.resolve")
    assert "aana.bonus_reroll" in ruled(list_page(table.state))
    assert "aana.transport_hits" not in ruled(list_page(table.state)), "no convoy is attacked"


# Song for War


@pytest.mark.parametrize(("step", "own", "expected"), [
    ("s3.t6.axis.return", 2, {"late_control"}),
    ("s3.t5.axis.resolve", 2, set()),
    ("s3.t6.axis.return", 0, set()),
])  # fmt: skip
def test_whether_a_capture_is_noted_in_step_6_stands_on_its_page(
    step: str, own: int, expected: set[str]
) -> None:
    evening = Evening(NEWER)
    evening.jump(step)
    draft = ControlDraft(capture=Capture("algiers", own={"germany": own}))
    shown = control_page(Sight(TABLE_VIEWER, Change(0, evening.state), evening.desk.rules, draft))
    assert ruled(shown) == expected
