"""The coach on the Battle screen: what it says, and when it refuses: a tournament, the arbiter, a setting."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from companion.core.change import Change
from companion.core.commands import LockCoach
from companion.core.decide import Context, decide
from companion.core.ids import ARBITER, TABLE
from companion.core.rules import Code, Rejected
from companion.games.sfw.odds.coach import BestPlay
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_coach import coach_refusal
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.battle_roll import roll_command, virtual_values
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Fight
from companion.games.sfw.rules.battle_state import battles_of, fight_of
from companion.odds.coaching import GOALS, goal_say
from companion.pages.page import TABLE_VIEWER, ActId, Draft, Rows, Sight
from companion.pages.settings import Settings
from companion.testing.reading import Reading
from companion.testing.sfw_evenings import SfwGame


def test_an_attacker_takes_a_space_and_a_defender_holds_it() -> None:
    assert goal_say("space", is_attacking=True).template == "Take the space"
    assert goal_say("space", is_attacking=False).template == "Hold the space"
    assert all(goal_say(goal, is_attacking=True).template for goal in GOALS)


def game(*, tournament: bool = False) -> SfwGame:
    """Return a game with a small battle entered."""
    found = SfwGame("apr43", {"tournament": tournament})
    found.go("s3.t4.allies.declare")
    found.enter({"tank.number": 8})
    found.do(bc.DeclareBattle("Taranto", "land"))
    for side, unit, nation, count in (
        ("attacking", "infantry", "us", 3),
        ("attacking", "artillery", "us", 1),
        ("attacking", "tank", "us", 2),
        ("defending", "infantry", "italy", 3),
        ("defending", "artillery", "italy", 1),
    ):
        for _n in range(count):
            found.do(bc.ChangeUnits("A", side, unit, nation))
    return found


def sight(found: SfwGame, draft: BattleDraft, **settings: Any) -> Sight:
    change = found.desk.change
    assert isinstance(change, Change)
    box: Any = SimpleNamespace(settings=Settings(**settings))
    return Sight(TABLE_VIEWER, change, None, draft, box=box)


def page(found: SfwGame, draft: BattleDraft, **settings: Any) -> Reading:
    shown = sight(found, draft, **settings)
    assert shown.change is not None
    return Reading(battle_page(shown), shown.change)


COACH = BattleDraft("A", "coach")


def told(reading: Reading) -> dict[str, str]:
    return {item.key: reading.say(item.value) for item in reading.items if item.value is not None}


def empty(reading: Reading) -> list[str]:
    """Return what stands where there are no rows."""
    return [
        reading.say(block.empty)
        for block in reading.page.blocks
        if isinstance(block, Rows) and not block.rows and block.empty is not None
    ]


def test_the_coach_is_reached_from_the_odds_and_tells_the_best_losses() -> None:
    found = game()
    odds = page(found, BattleDraft("A", "odds"))
    act = odds.shown.acts[ActId("coach")]
    assert isinstance(act, Draft)
    assert act.change(BattleDraft("A", "odds")).page == "coach"
    reading = page(found, COACH)
    fight = fight_of(found.state, battles_of(found.state).battles[0])
    assert isinstance(fight, Fight)
    best = BestPlay(fight, ATTACKING, "space", retreats=False).value
    values = told(reading)
    assert values["best"] == f"{best:.1%}".replace("%", "\u00a0%")
    added = {key.rpartition(".")[2] for key in values if key.startswith("more.")}
    assert "usual" in values
    assert {"tank", "infantry"} <= added, "what two more of a kind would change"


def test_every_side_and_goal_has_its_advice_and_a_rule_opens_its_odds() -> None:
    found = game()
    seen = set()
    for side in (ATTACKING, DEFENDING):
        for goal in ("space", "clear", "keep", "exchange"):
            reading = page(found, BattleDraft("A", "coach", coached=side, goal=goal))
            values = told(reading)
            assert {"usual", "best"} <= set(values), (side, goal)
            rules = [key for key in values if key.startswith("rule.")]
            for rule in rules:
                act = reading.shown.acts[ActId(rule)]
                assert isinstance(act, Draft)
                after = act.change(COACH)
                assert after.page == "odds"
                seen.add(after.policy.name)
    assert "order" in seen


def test_the_coach_follows_the_battle_being_fought() -> None:
    found = game()
    found.do(bc.BeginBattle("A"))
    values = told(page(found, COACH))
    assert {"usual", "best"} <= set(values)
    assert not any(key.startswith("more.") for key in values)


def refusal(found: SfwGame, **settings: Any) -> Rejected | None:
    return coach_refusal(sight(found, COACH, **settings))


def test_the_coach_never_speaks_under_tournament_time() -> None:
    found = game(tournament=True)
    for coach in (True, False):
        refused = refusal(found, coach=coach)
        assert refused is not None
        assert refused.code == "coach_tournament"
    reading = page(found, COACH)
    assert told(reading) == {}
    assert any("never available under tournament time" in text for text in empty(reading))


def test_the_arbiter_locks_the_coach_and_nobody_else_unlocks_it() -> None:
    found = game()
    assert refusal(found) is None
    rules = found.desk.rules
    assert rules is not None
    for is_locked in (True, False):
        answer = decide(rules, found.state, LockCoach(is_locked), Context(TABLE))
        assert isinstance(answer, Rejected)
        assert answer.code == Code.ARBITER_ONLY
    found.desk.send(LockCoach(True), actor=ARBITER)
    refused = refusal(found)
    assert refused is not None
    assert refused.code == "coach_locked"
    assert told(page(found, COACH)) == {}
    found.desk.send(LockCoach(False), actor=ARBITER)
    assert refusal(found) is None


def test_a_setting_turns_the_coach_off() -> None:
    found = game()
    refused = refusal(found, coach=False)
    assert refused is not None
    assert refused.code == "coach_off"
    assert told(page(found, COACH, coach=False)) == {}


def test_a_page_waits_for_slow_work_without_an_answer() -> None:
    found = game()
    waiting = Sight(
        TABLE_VIEWER,
        found.desk.change,
        None,
        COACH,
        box=sight(found, COACH).box,
        later=lambda _key, _make: None,
    )
    reading = Reading(battle_page(waiting), waiting.change)
    assert told(reading) == {}
    assert any("Looking for the best losses" in text for text in empty(reading))


def test_hits_that_have_fallen_are_paid_as_the_coach_says() -> None:
    seen = 0
    for seed in range(0, 400, 40):
        found = game()
        found.do(bc.BeginBattle("A"))
        for turn in range(40):
            view = battle_view(found.state, battles_of(found.state).battles[0])
            if view.phase == "roll":
                line = next(line for line in view.lines if line.dice)
                found.do(roll_command("A", line, *virtual_values(line, seed + turn)))
            elif view.phase == "losses":
                (choice,) = view.losses[:1]
                reading = page(found, BattleDraft("A", "coach", coached=choice.side, goal="keep"))
                item = next(item for item in reading.items if item.key == "now")
                assert reading.say(item.title).startswith("Lose now: ")
                seen += 1
                found.do(choice.command("A", {}))
            else:
                break
        if seen > 2:
            return
    raise AssertionError("no losses were chosen")


def test_the_smallest_force_for_a_chance_is_asked_by_a_tap() -> None:
    found = game()
    act = page(found, COACH).shown.acts[ActId("force")]
    assert isinstance(act, Draft)
    act = page(found, act.change(COACH)).shown.acts[ActId("wanted.50")]
    assert isinstance(act, Draft)
    draft = act.change(COACH)
    assert draft.wanted == 50
    assert any("do not reach that chance" in text for text in empty(page(found, draft)))
    for _n in range(4):
        found.do(bc.ChangeUnits("A", "attacking", "tank", "us"))
    reading = page(found, draft)
    item = next(item for item in reading.items if item.key == "force")
    assert float(reading.say(item.value).split("\u00a0")[0]) >= 50
    assert reading.say(item.sub).startswith("Cost ")
    assert page(found, BattleDraft("A", "coach", goal="keep")).shown.acts.get(ActId("force")) is None
