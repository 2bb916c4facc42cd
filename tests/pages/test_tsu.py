"""The Soft Underbelly's presenters without a window: words, pages, printed values, endings, the report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as replace_unit

from companion.core import commands as core
from companion.core.change import Change
from companion.core.ids import Nation, Side, StepId
from companion.games.tsu.pages.ask import (
    ask_way,
    attacker_options,
    change_attacker_by,
    change_defender_by,
    defender_options,
    known_areas,
    origin_options,
    unit_options,
)
from companion.games.tsu.pages.attack import attack_page
from companion.games.tsu.pages.calendar import CalendarDraft, calendar_page, if_ended_line
from companion.games.tsu.pages.draft import AttackDraft, StarsDraft, add_attacker, draft_of
from companion.games.tsu.pages.score import score_page
from companion.games.tsu.pages.stars import holder_options, star_command, star_key, stars_page
from companion.games.tsu.pages.units import units_page
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.forces import Attack, Attacker
from companion.games.tsu.rules.game_rules import RULES
from companion.games.tsu.rules.new_game import TsuFamily
from companion.games.tsu.rules.units import Unit
from companion.pages.frame import frame
from companion.pages.i18n import speaking
from companion.pages.labels import entry_label, refusal
from companion.pages.modules import game_view
from companion.pages.page import TABLE_VIEWER, ActId, Ask, Draft, EndAct, Send, Sight, Tick
from companion.pages.report import report_html
from companion.pages.score import ScoreDraft
from companion.pages.speak import sentence, speak
from companion.pages.steps import places
from companion.session.scenario_loader import load_game, make_setup
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading, read
from companion.testing.tsu_turn import TOBRUK
from tests.games.tsu.test_tsu_attack import TABLES

LOADED = load_game(TsuFamily())
US, BRITAIN, ITALY, GERMANY = Nation("us"), Nation("britain"), Nation("italy"), Nation("germany")


def desk(step: str = "", **options: Any) -> MemoryDesk:
    made = MemoryDesk(make_setup(TsuFamily(), LOADED, "campaign", options), RULES)
    return jump(made, step) if step else made


def jump(made: MemoryDesk, step: str) -> MemoryDesk:
    made.send(core.JumpTo(change(made).state.step.id, StepId(step), made.now_ms()))
    return made


def change(made: MemoryDesk) -> Change:
    found = made.change
    assert found is not None
    return found


def attacks(made: MemoryDesk, draft: AttackDraft | None = None) -> Reading:
    return read(attack_page, change(made), RULES, draft)


def stars(made: MemoryDesk, tab: str) -> Reading:
    return read(stars_page, change(made), RULES, StarsDraft(tab))


def calendar(made: MemoryDesk, tab: str, season: str = "") -> Reading:
    return read(calendar_page, change(made), RULES, CalendarDraft(tab, season))


FAILING = AttackDraft(
    "edit",
    target="Tobruk",
    attackers=(Attacker(Unit("panzer", "britain", "8th Army"), "Western Desert", "road"),),
    defenders=(Unit("panzer", "germany"),),
)


@pytest.mark.parametrize("step", ["su1943.axis.attack", "su1943.axis.end", "su1943.allies.attack"])
def test_a_unit_that_lands_and_one_of_its_kind_that_walks_share_a_tile_whoever_acts(step: str) -> None:
    infantry = Unit("infantry", "italy")
    landing = Attacker(replace_unit(infantry, loaded=True), "Western Desert", "blue", landing=True)
    draft = AttackDraft(
        "edit", tab="forces", target="Gibraltar", attackers=(landing, Attacker(infantry, "Palestine", "road"))
    )
    shown = attack_page(Sight(TABLE_VIEWER, change(desk(step)), RULES, draft))
    assert sum(act.startswith("attacker.italy.infantry") for act in shown.acts) == 1


class TestWords:
    def test_the_season_stands_where_others_show_a_number(self) -> None:
        shown = frame(change(desk("fa1942.axis.move")), RULES)
        assert shown.crumbs == ("Fall 1942 (11/21)", "Movement", "Axis")
        assert [cell.text for cell in shown.strip][:6] == [
            "Reinf.",
            "Movement",
            "Supply",
            "Combat",
            "Breakthrough",
            "End",
        ]

    def test_a_saved_game_tells_its_season(self) -> None:
        told = [speak(one, game="tsu") for one in places("tsu", "wi1943.allies.attack")]
        assert told == ["Winter 1943", "Allies", "Combat"]

    def test_every_command_has_a_label(self) -> None:
        made = desk("su1943.allies.supply")
        step = StepId("su1943.allies.supply")
        attack = Attack(
            "Naples",
            "coastal",
            "",
            (
                Attacker(Unit("panzer", "us"), "Rome", "black"),
                Attacker(Unit("infantry", "us"), "Rome", "black"),
            ),
            (Unit("infantry", "italy"), Unit("supply", "italy")),
        )
        made.send(cm.DeclareAttack(step, attack, (Unit("supply", "us"),)))
        made.send(cm.TakeStar("algiers", BRITAIN))
        made.send(cm.ControlStar("italy_1", Side("allies")))
        made.send(cm.ReportHappening(step, "landed_in_europe"))
        jump(made, "su1943.allies.attack")
        step = StepId("su1943.allies.attack")
        made.send(cm.RetreatBefore(step, 1, (Unit("supply", "italy"),)))
        made.send(cm.ResolveAttack(step, 1, 0, advance=(0,)))
        labels = [entry_label(entry, change(made).state) for entry in made.entries()]
        assert labels[2:6] == [
            "Attack declared: Naples",
            "Star Algiers: Britain",
            "Only ships or aircraft on Italy, first star: Allies",
            "Allied landing in Europe",
        ]
        assert labels[-2:] == ["Left before the combat: Supply", "Attack fought: Naples"]


class TestAttackPage:
    def test_the_planner_says_which_unit_more_would_win(self) -> None:
        page = attacks(desk("su1941.allies.move"), replace(FAILING, tab="result"))
        assert page.lead == "2 against 2: allowed, but nothing happens"
        plans = [page.say(row.title) for row in page.items if row.key.startswith("plan.")]
        assert plans[0] == "One more would win: Infantry"
        assert page.sub("One more would win: Infantry") == "3 against 2 with 1 supply, from a separate area"

    def test_every_reason_is_listed(self) -> None:
        draft = replace(FAILING, tab="result", area="land", supplies=0)
        fleet = Attacker(Unit("flotilla", "britain"), "Sea", "black")
        page = attacks(desk("su1941.allies.move"), replace(draft, attackers=(fleet,)))
        faults = [page.say(row.title) for row in page.items if row.state == "danger"]
        assert faults[:2] == [
            "Flotilla: ships never attack across a black line.",
            "Flotilla: ships never fight in a land area.",
        ]
        assert page.lead.endswith(f" There are {len(faults) - 1} more reasons.")

    def test_only_the_own_supply_phase_declares(self) -> None:
        idle = attacks(desk("su1941.allies.move"), FAILING)
        assert idle.main == "All attacks"
        assert isinstance(idle.main_act, Draft)
        ready = replace(FAILING, spent={"britain.supply": 1})
        page = attacks(desk("su1941.allies.supply"), ready)
        assert isinstance(page.main_act, Send)
        assert isinstance(page.main_act.at(0), cm.DeclareAttack)
        bare = attacks(desk("su1941.allies.supply"), FAILING)
        assert (bare.main, bare.main_act) == ("Declare: 1 more supply needed", None)

    def test_the_other_side_may_be_tried_out(self) -> None:
        state = change(desk("su1941.allies.move")).state
        options = [sentence(item.title, state) for _unit, item in unit_options(state, "axis", defends=False)]
        assert "Germany: Panzerarmee Afrika (Panzer / Mechanized)" in options
        assert not any("Fort" in text or "Supply" in text for text in options)
        defenders = [
            sentence(item.title, state) for _unit, item in unit_options(state, "allies", defends=True)
        ]
        assert "Fort Malta" in defenders

    def test_an_army_over_the_sea_brings_its_landing_craft(self) -> None:
        tables = change(desk()).state.game["tsu"].tables
        draft = AttackDraft("edit", target="Naples", way="sea", origin="West Mediterranean")
        landed = add_attacker(draft, Unit("panzer", "us"), tables)
        assert [(a.unit.kind, a.landing, a.unit.loaded) for a in landed.attackers] == [
            ("panzer", True, True),
            ("landing_craft", True, False),
        ]
        page = attacks(desk("su1943.allies.supply"), landed)
        assert page.main == "Not allowed: see why"
        assert page.main_act.change(landed).tab == "result", (
            "every reason stands there, for as long as it takes"
        )  # type: ignore[union-attr]
        told = attacks(desk("su1943.allies.supply"), replace(landed, tab="result"))
        reasons = [row for row in told.items if row.key.startswith("fault.")]
        assert len(reasons) == 2
        assert told.say(reasons[0].title).startswith("This attack needs 1 supply; it has 0.")
        fed = replace(landed, spent={"us.convoy": 1})
        main = attacks(desk("su1943.allies.supply"), fed).main
        assert main == "Declare: Nobody defends: an unopposed landing"

    @pytest.mark.parametrize(
        ("nation", "ruling"), [("britain", "landing"), ("britain", "removed"), ("us", "landing")]
    )
    def test_what_becomes_of_the_craft_where_nobody_defends_is_told_before(
        self, nation: str, ruling: str
    ) -> None:
        made = desk("su1943.allies.supply")
        made.send(core.SetRuling("one_use", ruling))
        sea = AttackDraft("edit", tab="result", target="Crete", way="sea", origin="Ionian Sea")
        tables = change(made).state.game["tsu"].tables
        page = attacks(made, add_attacker(sea, Unit("panzer", nation), tables))
        is_lost = (nation, ruling) == ("britain", "landing")
        assert ("The Landing Craft is lost after the attack" in str(page.texts)) == is_lost
        assert ("The Landing Craft is not lost" in str(page.texts)) != is_lost

    def test_what_was_entered_can_be_changed(self) -> None:
        draft = change_attacker_by(FAILING, 0, "name", TABLES, "9th Army")
        assert draft.attackers[0].unit.name == "9th Army"
        assert change_attacker_by(draft, 0, "zone", TABLES).attackers[0].in_winter_zone is True
        assert change_attacker_by(draft, 0, "lands", TABLES).attackers[0].landing
        assert change_attacker_by(draft, 0, "remove", TABLES).attackers == ()
        aboard = change_defender_by(draft, 0, "aboard").defenders[0]
        assert aboard.loaded
        offered = [
            [item.key for item in defender_options(one, area, TABLES)]
            for one, area in (
                (draft.defenders[0], "coastal"),
                (draft.defenders[0], "sea"),
                (aboard, "coastal"),
                (Unit("flotilla", "italy"), "sea"),
            )
        ]
        assert offered == [
            ["remove", "name"],
            ["remove", "name", "aboard"],
            ["remove", "name", "aboard"],
            ["remove", "name"],
        ]
        assert [item.key for item in attacker_options(draft.attackers[0], TABLES)] == [
            "remove",
            "name",
            "zone",
            "lands",
        ]

    def test_areas_that_were_used_come_first(self) -> None:
        state = change(desk("su1941.allies.move")).state
        assert known_areas(state, FAILING)[:2] == ("Tobruk", "Malta")

    def test_a_given_up_attack_comes_back_as_it_was(self) -> None:
        attack = Attack("Tobruk", "coastal", "spring", FAILING.attackers, FAILING.defenders)
        assert draft_of(attack).attackers == FAILING.attackers


class TestStars:
    def test_a_unit_that_cannot_be_had_says_why(self) -> None:
        page = stars(desk("sp1940.axis.reinforcements"), "replace")
        assert page.sub("Convoy") == "Italy: neutral until the summer of 1940."
        assert (page.item("Convoy").value, page.item("Convoy").why_not is not None) == (1, True)
        assert isinstance(page.main_act, EndAct)

    def test_a_lent_star_is_a_line_of_its_own(self) -> None:
        made = desk("wi1941.allies.reinforcements")
        made.send(cm.ChangeBox(BRITAIN, "panzer", 1))
        page = stars(made, "replace")
        assert [page.say(row.sub) for row in page.items] == ["Costs 2 stars", "A star lent by United States"]
        assert [row.value for row in page.items] == [1, 1]

    def test_the_spent_stars_are_told(self) -> None:
        made = desk("sp1941.allies.reinforcements")
        made.send(cm.ChangeBox(BRITAIN, "convoy", 1))
        made.send(cm.Replace(StepId("sp1941.allies.reinforcements"), BRITAIN, "convoy"))
        assert stars(made, "replace").lead.startswith("Britain: 5 stars, 2 left")

    def test_holders_and_control(self) -> None:
        made = desk("su1943.allies.move")
        keys = [item.key for item in holder_options(change(made).state, "italy_1")]
        assert keys == ["hold.germany", "hold.italy", "hold.britain", "hold.us", "hold.", "control.allies"]
        made.send(star_command("italy_1", "control.allies"))
        page = stars(made, "stars")
        assert page.sub("Italy, first star") == "Italy; only ships or aircraft: Allies"
        made.send(star_command(star_key("Ploesti Fields"), "hold.germany", "Ploesti Fields"))
        assert change(made).state.game["tsu"].star_names["ploesti_fields"] == "Ploesti Fields"


class TestCalendar:
    def test_the_lines_of_both_sides_stand_in_the_turn(self) -> None:
        page = calendar(desk("sp1941.axis.reinforcements"), "now")
        kinds = {page.say(row.title): row.facet for row in page.items}
        assert kinds["Place the German occupation markers in Greece and Belgrade."] == Tick(False)
        assert any(text.startswith("Mud:") for text in page.texts)
        assert "Garrison: an Axis unit in Greece, Albania or Belgrade" in page.texts

    def test_the_invasion_turn_names_what_comes(self) -> None:
        made = desk("fa1943.allies.move")
        made.send(cm.ReportHappening(StepId("fa1943.allies.move"), "landed_in_europe"))
        made.send(cm.ChangeBox(GERMANY, "infantry", 2))
        jump(made, "fa1943.allies.end")
        made.send(core.EndAct(StepId("fa1943.allies.end"), made.now_ms()))
        page = calendar(made, "now")
        assert page.texts[0] == "Invasion turn: 5 Infantry to the northern edge"
        assert page.sub("Invasion") == "and from the box, at no cost in stars: 2 Infantry"

    def test_italys_fall_is_told_where_the_next_phase_begins(self) -> None:
        made = desk("su1943.axis.end")
        made.send(cm.TakeStar("italy_1", US))
        made.send(core.EndAct(StepId("su1943.axis.end"), made.now_ms()))
        page = stars(made, "replace")
        assert page.texts[0] == "Italy has fallen: take all its units off the map"
        jump(made, "fa1943.axis.reinforcements")
        assert "Italy has fallen" not in " ".join(stars(made, "replace").texts)

    @pytest.mark.parametrize(
        ("step", "text"),
        [
            ("fa1942.axis.reinforcements", "Vichy is now Free French, under the United States"),
            ("su1944.allies.reinforcements", "The Red Army takes Romania and Bulgaria"),
        ],
    )
    def test_what_comes_by_itself_is_told(self, step: str, text: str) -> None:
        assert text in stars(desk(step), "replace").texts

    def test_reports_say_when_they_are_due(self) -> None:
        page = calendar(desk("sp1941.axis.move"), "reports")
        assert page.sub("Allied landing in Europe") == "From the fall of 1942 on"
        assert page.sub("No German unit") == "At the end of an Axis turn"
        end = calendar(desk("sp1941.axis.end"), "reports")
        assert isinstance(end.act("No Axis garrison"), Ask)
        assert end.sub("No Axis garrison").startswith("Greece, Albania and Belgrade become Allied")

    @pytest.mark.parametrize(
        ("stars", "line"),
        [
            ((), "If the game ended now: Axis, Victory: the Axis holds a star"),
            (
                ("italy_1", "italy_2", "italy_3", "algiers"),
                "If the game ended now: Allies, Victory: Italy's three stars and Algiers are Allied",
            ),
        ],
    )
    def test_if_it_ended_now(self, stars: tuple[str, ...], line: str) -> None:
        made = desk("su1943.allies.move")
        for star in stars:
            made.send(cm.TakeStar(star, US))
        state = change(made).state
        assert sentence(if_ended_line(state), state) == line

    def test_the_victory_page_counts_and_names_what_is_missing(self) -> None:
        made = desk("su1943.allies.move")
        made.send(cm.TakeStar("algiers", US))
        page = read(score_page, change(made), draft=ScoreDraft("list"))
        assert page.sub("Allies: Italy's") == (
            "1 of 4; missing: Italy, first star; Italy, second star; Italy, third star"
        )

    def test_the_score_says_who_would_win_and_how_many_stars_are_short(self) -> None:
        made = desk("su1943.allies.move")
        made.send(cm.TakeStar("algiers", US))
        page = read(score_page, change(made))
        assert page.say(page.page.title) == "If it ended now: Axis win"
        assert page.say(page.block("holders").note) == "Allies 3 stars short\nAxis have what they need"
        assert [page.say(part.title) for part in page.block("stars").parts] == ["3", "1"]

    def test_all_seasons_are_there(self) -> None:
        page = calendar(desk("su1943.allies.move"), "seasons")
        assert (len(page.items), page.texts[0], page.texts[-1]) == (21, "Spring 1940", "Spring 1945")
        assert [page.say(one.title) for one in page.items if one.state == "chosen"] == ["Summer 1943"]
        assert page.sub("Fall 1942") == "5 events", "the lines that stand there once it is opened"
        opened = calendar(desk("su1943.allies.move"), "seasons", "fall 1942")
        assert "The United States has 3 stars from now on." in opened.texts


def test_printed_values_are_the_forts() -> None:
    rows = game_view("tsu").printed(change(desk()).state)
    assert [(row.key, row.value) for row in rows] == [("fort.malta.value", 1), ("fort.gibraltar.value", None)]
    assert "Inferred" in rows[0].hint


def test_units_tell_what_is_unknown() -> None:
    page = read(units_page, change(desk()))
    assert page.sub("Panzer") == "combat 2 (1 with a Fort), 2 stars"
    assert page.sub("Strategic") == "combat 0, no cost listed"
    assert page.sub("Fort Gibraltar").startswith("defence –, never replaced; printed on the counter")


def test_the_phase_leads_to_its_screen() -> None:
    view = game_view("tsu")
    found = {
        phase: view.screen_for(change(desk(f"sp1941.axis.{phase}")).state)
        for phase in ("reinforcements", "move", "supply", "attack", "breakthrough", "end")
    }
    assert found == {
        "reinforcements": "tsu_stars",
        "move": "",
        "supply": "tsu_attack",
        "attack": "tsu_attack",
        "breakthrough": "tsu_attack",
        "end": "tsu_calendar",
    }


def test_scores_and_their_line() -> None:
    made = desk("su1943.allies.move")
    view = game_view("tsu")
    told = [f"{score.text} {score.goal}" for score in view.scores(change(made).state)]
    assert told == ["3 stars, needs 1", "0 stars, needs 4"]
    assert view.score_series(change(made).state) == ()
    made.send(cm.TakeStar("italy_1", US))
    axis, allies = view.score_series(change(made).state)
    assert axis.points[-2:] == ((13.0, 3.0), (14.0, 2.0))
    assert allies.points[-1] == (14.0, 1.0)


def test_refusals_are_told_in_words() -> None:
    made = desk("sp1940.axis.reinforcements")
    made.send(cm.Replace(StepId("sp1940.axis.reinforcements"), ITALY, "convoy"))
    rejected = change(made).rejected
    assert rejected is not None
    assert refusal(rejected, change(made).state) == "Italy: neutral until the summer of 1940."
    with speaking("fr"):
        assert refusal(rejected, change(made).state) == "Italie\xa0: neutre avant l’été 1940."


def test_the_report_tells_stars_replacements_and_attacks() -> None:
    made = desk("sp1941.axis.supply")
    made.send(cm.DeclareAttack(StepId("sp1941.axis.supply"), TOBRUK, (Unit("convoy", "italy"),)))
    jump(made, "sp1941.axis.attack")
    made.send(cm.ResolveAttack(StepId("sp1941.axis.attack"), 1, 0, advance=(0, 1)))
    jump(made, "sp1941.allies.reinforcements")
    made.send(cm.Replace(StepId("sp1941.allies.reinforcements"), BRITAIN, "panzer"))
    page = report_html(change(made), made.entries(), made.counts, 0)
    for words in (
        "Spring 1941",
        "Lost: 8th Army; advanced: Panzerarmee Afrika, Tactical Air",
        "3 : 2",
        "1 Panzer / Mechanized",
        "Stars and victory",
    ):
        assert words in page


def test_a_list_of_areas_never_offers_what_only_the_end_would_refuse() -> None:
    made = desk("su1943.allies.supply")
    state = change(made).state
    draft = AttackDraft(
        "edit", target="greece", attackers=(Attacker(Unit("panzer", "us"), "Ionian Sea", "blue"),)
    )
    assert "Ionian Sea" not in known_areas(state, draft)
    assert "Greece" not in origin_options(state, draft)
    ways = {
        item.key: sentence(item.title, state)
        for item in ask_way(state, draft, lambda _d: None).form.fields[0].options
    }
    assert "Malta" not in ways["inside"]


def test_what_a_dated_line_says_is_not_said_again() -> None:
    for season, told in (("sp1940", 1), ("su1940", 1), ("sp1941", 1)):
        page = calendar(desk(f"{season}.axis.move"), "now")
        said = [text for text in page.texts if "France" in text or "Vichy" in text]
        assert len(said) == told, season


def test_the_area_and_the_way_that_attacked_the_target_before_are_one_answer() -> None:
    """The first attack on an area is asked from where and how; the next one has both on the first key."""
    made = desk("sp1941.axis.supply")
    state = change(made).state
    draft = AttackDraft("edit", target="Tobruk", attackers=TOBRUK.attackers)
    options = ask_way(state, draft, lambda _d: None).form.fields[0].options
    assert [sentence(one.title, state) for one in options][:2] == [
        "Tripoli: By railway",
        "From the air: a parachute on top",
    ]
    first = ask_way(state, draft, lambda _d: None).answered({"one": options[0].key})
    assert isinstance(first, Draft)
    assert (first.change(draft).origin, first.change(draft).way) == ("Tripoli", "black")
    new = ask_way(state, AttackDraft("edit", target="Tobruk"), lambda _d: None)
    asks_way = new.answered({"one": "Tripoli"})
    assert isinstance(asks_way, Ask)
    by_road = asks_way.answered({"one": "road"})
    assert isinstance(by_road, Draft)
    assert (by_road.change(draft).origin, by_road.change(draft).way) == ("Tripoli", "road")


def test_what_attacked_in_an_earlier_turn_stands_first_when_it_attacks_again() -> None:
    made = desk("sp1941.axis.supply")
    made.send(cm.DeclareAttack(StepId("sp1941.axis.supply"), TOBRUK, (Unit("supply", "germany"),)))
    jump(made, "su1941.axis.supply")
    shown = attack_page(Sight(TABLE_VIEWER, change(made), RULES, desk=made))
    begin = shown.acts[ActId("new")]
    assert isinstance(begin, Draft)
    new = begin.change(AttackDraft())
    assert new.before == (("Tobruk", "Tripoli", "black"),)
    assert known_areas(change(made).state, new)[:2] == ("Tobruk", "Tripoli")
    again = ask_way(change(made).state, replace(new, target="Tobruk"), lambda _d: None)
    assert again.form.fields[0].options[0].key == "black|Tripoli"
