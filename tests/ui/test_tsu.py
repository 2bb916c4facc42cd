"""The Soft Underbelly by taps: the example turn of Spring 1941 of both sides, the calculator, stars, calendar."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.commands import JumpTo
from companion.core.ids import StepId
from companion.games.tsu.pages.draft import AttackDraft
from companion.games.tsu.rules.game_rules import RULES
from companion.games.tsu.rules.new_game import TsuFamily
from companion.games.tsu.rules.state import TsuSlice, slice_of
from companion.pages.page import Notice, Split
from companion.session.scenario_loader import load_game, make_setup
from companion.testing import harness, scenes
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading
from companion.ui.render.items import ItemRow, ItemTile
from companion.ui.widgets import Plate, TickLine

LOADED = load_game(TsuFamily())
SIZES = tuple(harness.SIZES)


def desk(step: str = "", **options: Any) -> MemoryDesk:
    made = MemoryDesk(make_setup(TsuFamily(), LOADED, "campaign", options), RULES)
    if step:
        state = made.change.state  # type: ignore[union-attr]
        made.send(JumpTo(state.step.id, StepId(step), made.now_ms()))
    return made


def own(made: MemoryDesk) -> TsuSlice:
    return slice_of(made.change.state)  # type: ignore[union-attr]


def step_of(made: MemoryDesk) -> str:
    return str(made.change.state.step.id)  # type: ignore[union-attr]


def lay(made: MemoryDesk, screen: str, size: tuple[int, int] = (800, 480), **look: Any) -> Laid:
    return harness.lay(made, screen=screen, size=size, **look)


def tap(laid: Laid, text: str) -> None:
    laid.tap(laid.find(text=text))


def _rows(laid: Laid) -> list[Any]:
    """Return what can be tapped by its text, topmost dialog first."""
    kinds = (Plate, ItemRow, ItemTile, TickLine)
    if laid.root.dialogs:
        return [w for w in laid.root.dialogs[-1].walk(restrict=True) if isinstance(w, kinds)]
    return [w for w in laid.walk() if isinstance(w, kinds)]


def _text(widget: Any) -> str:
    return str(widget.text)


def row(laid: Laid, start: str) -> Any:
    """Find the line that begins with a text, turning pages until it is there."""
    for _page in range(40):
        for widget in _rows(laid):
            if _text(widget).startswith(start):
                return widget
        forward = [
            w for w in _rows(laid) if isinstance(w, Plate) and w.icon in ("down", "forward") and not w.text
        ]
        able = [w for w in forward if w.is_enabled]
        if not able:
            break
        laid.tap(able[-1])
    raise LookupError(f"{start!r} is not among {[_text(w) for w in _rows(laid)]}")


def pick(laid: Laid, start: str) -> None:
    laid.tap(row(laid, start))


def plus(laid: Laid, start: str, times: int = 1) -> None:
    for _n in range(times):
        if isinstance(row(laid, start), ItemTile):
            laid.tap(row(laid, start))
            continue
        keys = [child for child in row(laid, start).walk(restrict=True) if isinstance(child, Plate)]
        laid.tap(max(keys, key=lambda key: key.x))


def use_up(laid: Laid, key: str) -> None:
    """Tap the tile of a nation's kind of supply."""
    laid.tap(next(w for w in laid.walk() if isinstance(w, ItemTile) and w.item.key == key))


def choose_way(laid: Laid, way: str, origin: str = "") -> None:
    """Say where units come from and how: the area before the way, where there is one."""
    if origin:
        pick(laid, origin)
    pick(laid, way)


def new_attack(laid: Laid, target: str) -> None:
    """Open a new attack and enter it line by line: how its units come is asked with the first of them."""
    pick(laid, "Declare an attack")
    pick(laid, target)
    tap(laid, "Cancel")
    tap(laid, "Details")


def reading(laid: Laid) -> Reading:
    return Reading(laid.root.screen.shown, laid.desk.change)


def page_texts(laid: Laid) -> list[str]:
    return reading(laid).texts


def lead(laid: Laid) -> str:
    """What is said of what is entered: in the head, below the bar of both values, or on the main button."""
    shown = reading(laid)
    told = [block for block in shown.page.blocks if isinstance(block, Split | Notice)]
    if shown.page.lead is not None or not told:
        return shown.lead
    (block,) = told
    words = block.note if isinstance(block, Split) else block.title
    if words is None and shown.page.main is not None:
        words = shown.page.main.why_not
    return shown.say(words)


@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[2], marks=pytest.mark.long)])
def test_the_spring_1941_turn_of_both_sides_by_taps(size: tuple[int, int]) -> None:
    made = desk("sp1941.axis.move")
    # The port of Tripoli is overstacked at the end of movement: the Infantry goes (U06).
    laid = lay(made, "tsu_stars", size)
    tap(laid, "Boxes")
    tap(laid, "Italians")
    plus(laid, "Infantry")
    assert laid.faults() == []
    tap(laid, "Table")
    tap(laid, "Moves done")
    assert laid.root.screen.key == "tsu_attack", "the supply phase leads to the attacks"

    # Malta: flotilla, Tactical and Parachute inside, against the Fort (U04).
    new_attack(laid, "Malta")
    tap(laid, "Units")
    tap(laid, "Attacker")
    choose_way(laid, "From inside")
    pick(laid, "Germany: Parachute")
    tap(laid, "Attacker")
    pick(laid, "Germany: Tactical")
    tap(laid, "Attacker")
    pick(laid, "Italy: Flotilla")
    tap(laid, "Defender")
    pick(laid, "Fort Malta")
    assert "it has 0." in lead(laid)
    tap(laid, "Supplies")
    use_up(laid, "germany.supply")
    assert lead(laid) == "2 against 1: wins by 1"
    assert laid.faults() == []
    tap(laid, "Declare the attack")

    # Tripoli to Tobruk (U05).
    new_attack(laid, "Tobruk")
    tap(laid, "Units")
    tap(laid, "Attacker")
    choose_way(laid, "By railway", "Tripoli")
    pick(laid, "Germany: Panzerarmee Afrika")
    tap(laid, "Attacker")
    pick(laid, "Italy: Tactical")
    tap(laid, "Defender")
    pick(laid, "Britain: 8th Army")
    tap(laid, "Supplies")
    use_up(laid, "italy.convoy")
    assert lead(laid) == "3 against 2: wins by 1"
    tap(laid, "Declare the attack")
    assert own(made).boxes["germany"] == {"supply": 1}
    assert own(made).boxes["italy"] == {"convoy": 2, "infantry": 1}
    tap(laid, "Supply declared")

    screen = laid.root.screen
    assert (screen.main_text, screen.second_text) == ("Fight: Malta", "Combat is over"), (
        "what waits comes first"
    )
    tap(laid, "Fight: Malta")
    assert laid.faults() == []
    tap(laid, "Carry it out")
    assert "Out of the game for good: Fort Malta" in page_texts(laid)
    tap(laid, "All attacks")
    pick(laid, "Tobruk: 3 against 2")
    tap(laid, "Advance")
    assert lead(laid) == "Choose who advances"
    pick(laid, "Panzerarmee Afrika")
    pick(laid, "Tactical")
    tap(laid, "Carry it out")
    assert lead(laid) == "Lost: 8th Army; advanced: Panzerarmee Afrika, Tactical Air"
    assert own(made).boxes["britain"] == {"panzer": 1}, "the Fort of Malta never comes back"
    tap(laid, "All attacks")
    tap(laid, "Combat is over")

    # No breakthrough: the only Panzer attacked (U08).
    assert "No breakthrough: Panzerarmee Afrika" in page_texts(laid)
    assert laid.faults() == []
    tap(laid, "Breakthrough done")
    assert laid.root.screen.key == "tsu_calendar"
    assert page_texts(laid)[0] == "Allied invasion of Vichy"
    assert "No Axis garrison in the Balkans" in page_texts(laid)
    tap(laid, "Turn is over")
    assert step_of(made) == "sp1941.allies.reinforcements"

    # Britain: Convoy 3 and 8th Army 2 of five stars (U09); the convoy lies in the box from an earlier turn.
    assert laid.root.screen.key == "tsu_stars"
    tap(laid, "Boxes")
    plus(laid, "Convoy")
    tap(laid, "Replace")
    assert lead(laid).startswith("Britain: 5 stars")
    pick(laid, "Convoy")
    pick(laid, "Panzer")
    assert lead(laid).startswith("Britain: 5 stars, 0 left")
    tap(laid, "Placed and replaced")
    tap(laid, "Moves done")

    # Western Desert to Tobruk by road with the fleet (U11): two supplies, 4 against 3.
    new_attack(laid, "Tobruk")
    tap(laid, "Units")
    tap(laid, "Attacker")
    choose_way(laid, "By road", "Western Desert")
    pick(laid, "Britain: 8th Army")
    tap(laid, "Attacker")
    pick(laid, "Britain: ANZAC")
    tap(laid, "Attacker")
    pick(laid, "From another area")
    choose_way(laid, "By sea lane, from a sea area", "Eastern Mediterranean")
    pick(laid, "Britain: Flotilla")
    tap(laid, "Defender")
    pick(laid, "Germany: Panzerarmee Afrika")
    tap(laid, "Defender")
    pick(laid, "Italy: Tactical")
    tap(laid, "Supplies")
    assert "At least 2 needed" in page_texts(laid)
    use_up(laid, "britain.supply")
    assert lead(laid) == "This attack needs 2 supplies; it has 1."
    use_up(laid, "britain.convoy")
    assert lead(laid) == "4 against 3: wins by 1"
    tap(laid, "Declare the attack")
    tap(laid, "Supply declared")
    pick(laid, "Tobruk: 4 against 3")
    assert not laid.root.screen.main_enabled, "two choices: the attacker picks one"
    pick(laid, "Panzerarmee Afrika")
    tap(laid, "Next: Retreat")
    assert laid.has("Tactical")
    tap(laid, "Next: Advance")
    pick(laid, "ANZAC")
    tap(laid, "Carry it out")
    # Panzer eliminated, the Tactical retreats, ANZAC alone advances (U12).
    assert lead(laid) == "Lost: Panzerarmee Afrika; retreated: Tactical Air; advanced: ANZAC"
    assert laid.faults() == []
    assert own(made).boxes["germany"] == {"supply": 1, "panzer": 1}
    assert own(made).boxes["britain"] == {"supply": 1, "convoy": 1}
    tap(laid, "All attacks")
    tap(laid, "Combat is over")
    tap(laid, "Breakthrough done")
    tap(laid, "Turn is over")
    assert step_of(made) == "su1941.axis.reinforcements"


def test_the_table_declares_an_attack_and_no_battle() -> None:
    laid = lay(desk("su1941.axis.supply"), "table")
    assert not laid.has("Declare a battle")
    tap(laid, "Declare an attack")
    assert laid.root.screen.key == "tsu_attack"


def test_a_refused_attack_says_why_and_cannot_be_declared() -> None:
    made = desk("su1941.axis.supply")
    laid = lay(made, "tsu_attack")
    new_attack(laid, "Malta")
    tap(laid, "Units")
    tap(laid, "Attacker")
    choose_way(laid, "By sea lane, from a sea area", "Ionian Sea")
    pick(laid, "Italy: Flotilla")
    tap(laid, "Defender")
    pick(laid, "Britain: Carrier")
    tap(laid, "Supplies")
    use_up(laid, "italy.convoy")
    tap(laid, "Result")
    assert (
        "Flotilla: a Flotilla attacks a Tactical or Carrier only when stacked with one of your own."
        in page_texts(laid)
    )
    assert not laid.root.screen.main_enabled
    before = len(made.sent)
    laid.key(32)
    assert len(made.sent) == before, "the main key declares nothing either"
    assert laid.faults() == []


def test_a_dead_main_button_says_what_is_missing() -> None:
    laid = scenes.open_scene("tsu-fight", size=(800, 480))
    laid.root.go("tsu_attack", draft=AttackDraft("fight", number=1))
    laid.settle()
    assert not laid.root.screen.main_enabled
    assert laid.root.screen.main_text == "Choose what the defender loses: at least 1"
    assert laid.faults() == []


def test_forces_are_entered_on_one_page_and_taken_off_again() -> None:
    made = desk("su1941.allies.supply")
    laid = lay(made, "tsu_attack")
    pick(laid, "Declare an attack")
    for answer in ("Tobruk", "Western Desert", "By road"):
        pick(laid, answer)
    for unit in (
        "attacker.britain.8th Army",
        "attacker.britain.infantry",
        "defender.italy.infantry",
        "britain.convoy",
    ):
        laid.tap(next(w for w in laid.walk() if isinstance(w, ItemTile) and w.item.key == unit))
        if unit == "attacker.britain.infantry":
            assert laid.root.screen.main_text == "Enter who defends", "only what is missing is asked for"
    assert laid.faults() == []
    for word in ("Allies", "attack", "Axis", "defend"):
        assert laid.has(word), "each half is headed by its side and what it does"
    assert laid.root.screen.main_text == "Declare: 1 more supply needed"
    tap(laid, "Remove")
    laid.tap(
        next(w for w in laid.walk() if isinstance(w, ItemTile) and w.item.key == "attacker.britain.infantry")
    )
    tap(laid, "Remove")
    laid.tap(laid.find(text="Declare: 2 against 1: wins by 1"))
    (declared,) = own(made).attacks
    assert [(a.unit.name, a.origin) for a in declared.attack.attackers] == [("8th Army", "Western Desert")]


def test_a_unit_is_named_changed_and_taken_out() -> None:
    laid = lay(desk("su1941.allies.supply"), "tsu_attack")
    new_attack(laid, "Tobruk")
    tap(laid, "Units")
    tap(laid, "Attacker")
    choose_way(laid, "By railway", "Egypt")
    pick(laid, "Britain: Infantry")
    pick(laid, "Infantry")
    pick(laid, "Its area lies in the winter zone")
    pick(laid, "Infantry")
    pick(laid, "Remove it")
    assert not any(text.startswith("Infantry") for text in page_texts(laid))


def test_a_given_up_attack_keeps_its_supply_spent_and_comes_back_for_another_try() -> None:
    made = desk("su1941.allies.supply")
    laid = lay(made, "tsu_attack")
    new_attack(laid, "Tobruk")
    tap(laid, "Units")
    tap(laid, "Attacker")
    choose_way(laid, "By railway", "Egypt")
    pick(laid, "Britain: Infantry")
    tap(laid, "Defender")
    pick(laid, "Italy: Supply")
    tap(laid, "Supplies")
    use_up(laid, "britain.convoy")
    tap(laid, "Declare the attack")
    pick(laid, "Tobruk: 1 against 0")
    tap(laid, "Give it up")
    assert own(made).boxes["britain"] == {"convoy": 1}
    pick(laid, "Tobruk: 1 against 0")
    tap(laid, "Supplies")
    pick(laid, "Britain: Convoy")  # used up already, and still to be had
    assert lead(laid) == "1 against 0: wins by 1"
    tap(laid, "Declare the attack")
    assert own(made).attacks[1].supplies == (1,)


def test_the_other_sides_attack_is_worked_out_too() -> None:
    laid = lay(desk("su1941.allies.move"), "tsu_attack")
    pick(laid, "Work out an attack")
    tap(laid, "Cancel")
    tap(laid, "Details")
    tap(laid, "Area")
    pick(laid, "Attackers: Allies")
    assert page_texts(laid)[0] == "Attackers: Axis"


def test_stars_change_hands_and_new_ones_are_added() -> None:
    made = desk("su1943.allies.move")
    laid = lay(made, "tsu_stars")
    pick(laid, "Italy, first star")
    pick(laid, "Britain")
    assert own(made).stars["italy_1"] == "britain"
    pick(laid, "Add a star of your map")
    for key in "PLO":
        laid.tap(laid.find(text=key))
    tap(laid, "Done")
    pick(laid, "Germany")
    assert own(made).stars["plo"] == "germany"
    assert laid.faults() == []


def test_reports_ask_first_and_follow() -> None:
    made = desk("fa1943.allies.move")
    laid = lay(made, "tsu_calendar")
    tap(laid, "Reports")
    pick(laid, "Allied landing in Europe")
    assert laid.faults() == []
    tap(laid, "Report it")
    assert "landed_in_europe" in own(made).happened
    tap(laid, "Seasons")
    pick(laid, "Spring 1940")
    assert "Red Sea: ANZAC Infantry loaded on a Convoy." in page_texts(laid)
    pick(laid, "All seasons")
    tap(laid, "This turn")
    assert laid.root.screen.page.tab == "now"


def test_a_printed_value_is_entered_and_counts() -> None:
    made = desk("su1941.axis.move")
    laid = lay(made, "printed")
    laid.tap(next(w for w in laid.walk() if isinstance(w, ItemRow) and "Gibraltar" in w.text))
    laid.tap(laid.find(text="2"))
    assert made.change.state.printed["fort.gibraltar.value"] == 2  # type: ignore[union-attr]


def test_paused_clocks_are_resumed_from_a_screen_that_ends_its_act() -> None:
    made = desk("su1941.axis.supply", clock="count_up")
    laid = lay(made, "tsu_attack")
    laid.root.pause(None)
    laid.settle()
    assert laid.root.screen.main_text == "Resume"
    tap(laid, "Resume")
    assert step_of(made) == "su1941.axis.supply"
    assert laid.root.screen.main_text == "Supply declared"


def test_an_attack_that_is_half_entered_is_asked_about_before_its_act_ends() -> None:
    made = desk("sp1941.axis.supply")
    laid = lay(made, "tsu_attack", SIZES[0])
    new_attack(laid, "Greece")
    laid.root.go("table")
    laid.settle()
    step = step_of(made)
    laid.root.go("tsu_attack")
    laid.settle()
    tap(laid, "Units")
    tap(laid, "Attacker")
    choose_way(laid, "By railway", "Albania")
    pick(laid, "Germany: Panzer")
    laid.root.go("table")
    laid.settle()
    tap(laid, "Supply declared")
    assert step_of(made) == step
    assert laid.has("The attack on Greece has not been declared.")
    assert laid.faults() == []
    tap(laid, "End the step")
    assert step_of(made) != step
