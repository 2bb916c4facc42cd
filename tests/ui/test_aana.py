"""North Africa by taps: a land battle with air defence and a flank, a convoy attack, buying, deploying, the board."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.dice_eye import VisionEye
from companion.core.commands import JumpTo
from companion.core.dice import DiceSource
from companion.core.ids import StepId
from companion.core.text import Several
from companion.games.aana.rules.battle_messages import RollFire, battles_of
from companion.games.aana.rules.game_rules import aana_rules
from companion.games.aana.rules.ledger_messages import CorrectSupply, CountSpace
from companion.games.aana.rules.movement import free_moves
from companion.games.aana.rules.new_game import AanaFamily
from companion.pages.dice import Photo, SeenDie
from companion.pages.dice_eye import NoEye
from companion.pages.i18n import _
from companion.pages.page import Item, Tiles
from companion.session.scenario_loader import load_game, make_setup
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading
from companion.testing.scenes import open_scene
from companion.ui.render.items import ItemRow, ItemTile
from companion.ui.widgets import Plate, Stepper

LOADED = load_game(AanaFamily())
SIZES = tuple(harness.SIZES)
PHOTO = Path(__file__).parent / "photos" / "two_d10.jpg"
"""An own render of two white d10, 3 and 8, of a set that the reader was never trained on."""


def desk(step: str, scenario: str = "rommel", **options: Any) -> MemoryDesk:
    setup = make_setup(AanaFamily(), LOADED, scenario, {"values": "unofficial", **options})
    made = MemoryDesk(setup, aana_rules())
    jump(made, step)
    return made


def jump(made: MemoryDesk, step: str) -> None:
    state = made.change.state  # type: ignore[union-attr]
    made.send(JumpTo(state.step.id, StepId(step), made.now_ms()))


def lay(made: MemoryDesk, screen: str, size: tuple[int, int] = (800, 480)) -> Laid:
    return harness.lay(made, screen=screen, size=size)


def tap(laid: Laid, text: str) -> None:
    laid.tap(laid.find(text=text))


def reading(laid: Laid) -> Reading:
    return Reading(laid.root.screen.shown, laid.desk.change)


def _keys(laid: Laid) -> list[Any]:
    """Return what can be tapped by its text: of the topmost dialog, else of the window."""
    walk = laid.root.dialogs[-1].walk(restrict=True) if laid.root.dialogs else laid.walk()
    return [w for w in walk if isinstance(w, Plate | ItemRow | ItemTile)]


def row(laid: Laid, start: str) -> Any:
    """Find the line that begins with a text, turning pages until it is there: on to the last, then from the first."""
    is_again = False
    for _page in range(30):
        for widget in _keys(laid):
            if widget.text.startswith(start):
                return widget
        keys = (w for w in _keys(laid) if isinstance(w, Plate) and w.icon in ("down", "forward"))
        forward = [w for w in keys if not w.text and w.is_enabled]
        if not forward:
            sheet = getattr(laid.root.screen, "sheet", None)
            if is_again or sheet is None or laid.root.dialogs:
                break
            is_again = True
            sheet.turn(-sheet.page)
            laid.settle()
            continue
        laid.tap(forward[-1])
    raise LookupError(f"{start!r} is not among {[w.text for w in _keys(laid)]}")


def pick(laid: Laid, start: str) -> None:
    laid.tap(row(laid, start))


def _counter(laid: Laid, text: str) -> list[Any] | ItemTile:
    """Return minus and plus of the counter that stands in the row of a text, or the tile of a unit."""
    found = row(laid, text)
    while not any(isinstance(child, Stepper) for child in found.walk(restrict=True)):
        if isinstance(found, ItemTile):
            return found
        found = found.parent
    stepper = next(child for child in found.walk(restrict=True) if isinstance(child, Stepper))
    keys = [child for child in stepper.walk(restrict=True) if isinstance(child, Plate)]
    return sorted(keys, key=lambda key: key.x)


def plus(laid: Laid, text: str, times: int = 1) -> None:
    for _n in range(times):
        found = _counter(laid, text)
        laid.tap(found if isinstance(found, ItemTile) else found[-1])


def minus(laid: Laid, text: str) -> None:
    found = _counter(laid, text)
    if not isinstance(found, ItemTile):
        laid.tap(found[0])
        return
    tap(laid, "Remove")
    laid.tap(row(laid, text))
    tap(laid, "Remove")


def volleys(laid: Laid) -> list[Item]:
    return [item for item in reading(laid).items if item.key.startswith("volley.")]


def values(line: Item) -> tuple[int | None, ...]:
    """Return the dice of a volley, None for each that is still to come."""
    assert isinstance(line.value, Several)
    return tuple(value if isinstance(value, int) else None for value in line.value.items)


def enter(laid: Laid, *faces: int) -> None:
    for value in faces:
        laid.key(ord(str(value % 10)))


def test_the_table_declares_an_attack_and_no_battle() -> None:
    laid = lay(desk("r2.germany.combat_move.declare"), "table")
    assert not laid.has("Declare a battle")
    tap(laid, "Declare an attack")
    assert laid.root.screen.key == "aana_combat"


@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[2], marks=pytest.mark.long)])
def test_a_land_battle_with_air_defence_and_a_flank_by_taps(size: tuple[int, int]) -> None:
    made = desk("r2.germany.combat_move.declare")
    made.send(CountSpace("tobruk", {"uk.infantry": 1, "uk.aaa": 1}, 3))
    made.send(CountSpace("benghazi", {"germany.tank": 2, "germany.fighter": 1}, 4))
    made.send(CountSpace("bir_hacheim", {"germany.infantry": 1}, 2))
    made.send(CountSpace("mersa_matruh", {}, 0))
    made.send(CountSpace("el_agheila", {}, 0))
    made.send(CountSpace("tripoli", {}, 3))
    made.send(CountSpace("zella", {}, 0))
    made.send(CountSpace("sicily", {}, 0))
    laid = lay(made, "aana_combat", size)
    pick(laid, "Tobruk")
    plus(laid, "Tank, Benghazi", 2)
    plus(laid, "Infantry, Bir Hacheim")
    plus(laid, "Fighter, Benghazi")
    assert laid.faults() == []
    tap(laid, "Declare")
    state = made.change.state  # type: ignore[union-attr]
    assert state.game["ledger"].supply["benghazi"] == 3
    assert state.game["ledger"].supply["bir_hacheim"] == 1
    tap(laid, "Attacks declared")
    laid = lay(made, "aana_combat", size)
    pick(laid, "Tobruk")
    assert laid.has("Tobruk, round 1 · Air defence")
    enter(laid, 7)
    assert laid.faults() == []
    tap(laid, "Dice are correct")
    assert laid.has("Tobruk, round 1 · Orders")
    tap(laid, "Fight: pay 1 supply")
    # The flanking infantry rerolls 8 and above, tanks and fighter do not.
    subs = [reading(laid).say(line.sub) for line in volleys(laid)]
    assert any("eroll 8 and above" in sub for sub in subs), subs
    for line in volleys(laid):
        hits = int("Tank" in reading(laid).say(line.title))
        enter(laid, *([1] * hits), *([7] * (len(values(line)) - hits)))
    tap(laid, "Dice are correct")
    assert laid.has("Tobruk, round 1 · Losses")
    assert laid.faults() == []
    tap(laid, "Take the losses")
    if volleys(laid):
        enter(laid, *([8] * sum(len(values(line)) for line in volleys(laid))))
        tap(laid, "Dice are correct")
    assert "Press or cease" in reading(laid).say(laid.root.screen.page.title)
    assert laid.faults() == []
    tap(laid, "Cease the attack")
    tap(laid, "Conclude")
    assert made.change.state.game["battle"].attacks[0].result == "ceased"  # type: ignore[union-attr]
    tap(laid, "Combats done")
    assert made.change.state.step.id == "r2.germany.noncombat.move"  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [SIZES[0]])
def test_a_convoy_attack_by_taps(size: tuple[int, int]) -> None:
    made = desk("r3.uk.combat_move.declare")
    made.send(
        CountSpace(
            "convoy.tripoli",
            {"italy.infantry": 2, "italy.tank": 2, "germany.scout_car": 1, "uk.submarine": 2},
        )
    )
    made.send(CorrectSupply("convoy.tripoli", 5, "italy"))
    laid = lay(made, "aana_combat", size)
    pick(laid, "Tripoli convoy")
    plus(laid, "Submarine, Tripoli convoy", 2)
    tap(laid, "Declare")
    tap(laid, "Attacks declared")
    laid = lay(made, "aana_combat", size)
    pick(laid, "Tripoli convoy")
    tap(laid, "Submarines strike")
    enter(laid, 1, 9)
    tap(laid, "Dice are correct")
    supply = reading(laid).item("Supply").facet
    assert (supply.count, supply.most) == (5, 5)
    assert laid.has("Two per hit: the owner picks one, the attacker names the type of the other")
    tap(laid, "Take the losses")
    tap(laid, "The two most expensive escape")
    assert "Press or cease" in reading(laid).say(laid.root.screen.page.title)
    assert laid.faults() == []
    tap(laid, "Press the attack")
    tap(laid, "Submarines strike")
    tap(laid, "Roll for us")
    assert made.sent[-1].command.origin.seed is not None  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", [SIZES[0]])
def test_buying_and_deploying_by_taps(size: tuple[int, int]) -> None:
    made = desk("r1.uk.requisition.buy")
    laid = lay(made, "aana_reinforce", size)
    assert laid.faults() == []
    points = laid.root.screen.page.blocks[0]
    tap(laid, "Malta: 15 points")
    assert laid.root.screen.page.blocks[0].value == points.value + 15
    pick(laid, "Infantry")
    assert reading(laid).item("Infantry").value == 1
    jump(made, "r1.uk.deploy.place")
    laid = lay(made, "aana_reinforce", size)
    tap(laid, "1 Infantry")
    tap(laid, "1 → Gibraltar")
    assert made.change.state.game["ledger"].units["gibraltar"] == {"uk.infantry": 1}  # type: ignore[union-attr]
    tap(laid, "Units placed")
    assert made.change.state.step.nation == "italy"  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [SIZES[0]])
def test_counting_moving_and_markers_by_taps(size: tuple[int, int]) -> None:
    made = desk("r1.germany.noncombat.move")
    laid = lay(made, "aana_board", size)
    assert laid.faults() == []
    pick(laid, "Casablanca")
    tap(laid, "VIC")
    plus(laid, "Infantry")
    assert laid.faults() == []
    tap(laid, "Everything is entered")
    ledger = made.change.state.game["ledger"]  # type: ignore[union-attr]
    assert ledger.units["casablanca"] == {"vichy.infantry": 3}
    pick(laid, "Casablanca")
    tap(laid, "Marker")
    pick(laid, "United States")
    assert made.change.state.game["ledger"].control["casablanca"] == "us"  # type: ignore[union-attr]
    tap(laid, "Move")
    assert laid.has("not in this turn")
    tap(laid, "Move freely")
    plus(laid, "Infantry", 2)
    tap(laid, "Choose where they go")
    pick(laid, "Oran")
    assert made.change.state.game["ledger"].units["oran"]["vichy.infantry"] == 4  # type: ignore[union-attr]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "screen", ["aana_combat", "aana_board", "aana_score", "aana_reinforce", "aana_units"]
)
def test_nothing_is_cut_or_too_small(screen: str, size: tuple[int, int]) -> None:
    made = desk("r2.uk.combat_move.declare" if screen == "aana_combat" else "r2.uk.requisition.buy")
    assert lay(made, screen, size).faults() == []


@pytest.mark.parametrize("size", SIZES)
def test_the_set_up_and_the_questions_of_its_rulings_fit(size: tuple[int, int]) -> None:
    made = desk("setup")
    laid = lay(made, "aana_setup", size)
    assert laid.faults() == []
    tap(laid, "Ruling")
    assert laid.faults() == []
    tap(laid, "As your Setup Chart says: asked for")
    assert "cairo" not in made.change.state.game["ledger"].control  # type: ignore[union-attr]
    jump(made, "r1.uk.requisition.buy")
    laid = lay(made, "aana_reinforce", size)
    tap(laid, "Ruling")
    assert laid.faults() == []


def test_mines_go_off_by_taps() -> None:
    made = desk("r2.germany.combat_move.declare")
    made.send(CountSpace("mersa_matruh", {"germany.tank": 2}, 4))
    laid = lay(made, "aana_combat")
    pick(laid, "Cairo")
    plus(laid, "Tank, Mersa Matruh", 2)
    tap(laid, "Declare")
    tap(laid, "Mines go off")
    pick(laid, "Cairo, border to Mersa Matruh: 1 of 3")
    assert laid.has("3 dice at 3 or less")
    assert laid.faults() == []
    enter(laid, 3, 4, 10)
    plus(laid, "Germany: Tank")
    tap(laid, "Mines are done")
    state = made.change.state  # type: ignore[union-attr]
    assert state.game["ledger"].mines["cairo>mersa_matruh"] == 2
    assert state.game["battle"].attacks[0].groups[0].units == {"germany.tank": 1}


def test_victory_claims_and_own_territories_by_taps() -> None:
    made = desk("r2.germany.noncombat.move")
    laid = lay(made, "aana_score")
    tap(laid, "List")
    assert laid.faults() == []
    laid.root.screen.sheet.turn(1)
    laid.settle()
    pick(laid, "Axis: no Allied combat unit is left")
    tap(laid, "Claim victory")
    assert made.change.rejected is not None  # type: ignore[union-attr]
    assert made.change.rejected.code == "enemy_there"  # type: ignore[union-attr]
    laid.root.go("aana_board")
    laid.settle()
    pick(laid, "Add a territory from your board")
    assert laid.faults() == []


def test_the_free_set_up_by_taps() -> None:
    setup = make_setup(AanaFamily(), LOADED, "rommel", {})
    laid = lay(MemoryDesk(setup, aana_rules()), "aana_reinforce")
    pick(laid, "Set-up: United Kingdom, Suez")
    pick(laid, "Infantry")
    assert laid.desk.change.state.game["reinforce"].free == {"convoy.suez": 3}


def test_a_photo_of_two_d10_is_read_into_the_volley_at_hand(tmp_path: Path) -> None:
    made = desk("r2.germany.combat_move.declare")
    made.send(CountSpace("tobruk", {"uk.infantry": 1}, 3))
    made.send(CountSpace("benghazi", {"germany.tank": 2}, 4))
    laid = lay(made, "aana_combat")
    pick(laid, "Tobruk")
    plus(laid, "Tank, Benghazi", 2)
    tap(laid, "Declare")
    tap(laid, "Attacks declared")
    laid = lay(made, "aana_combat")
    answers: list[Callable[[], None]] = []
    laid.root.eye = VisionEye(tmp_path, answers.append)
    shutil.copy(PHOTO, tmp_path / "roll.jpg")
    pick(laid, "Tobruk")
    tap(laid, "Fight: pay 1 supply")
    tap(laid, "Photo")
    tap(laid, "roll.jpg")
    laid.root.screen._look.thread.join(timeout=60)
    while answers:
        answers.pop(0)()
    laid.settle()
    assert sorted(die.value for die in laid.root.screen.draft.dice) == [3, 8]
    assert laid.faults() == []
    while laid.has("That is right"):  # a reading that the models doubt is confirmed by a tap
        tap(laid, "That is right")
    tap(laid, "Accept")
    assert laid.root.screen.key == "aana_combat"
    (line,) = volleys(laid)
    assert sorted(values(line)) == [3, 8]  # type: ignore[type-var]
    tap(laid, "Dice are correct")
    command = made.sent[-1].command
    assert isinstance(command, RollFire)
    assert sorted(command.rolls[0].values) == [3, 8]
    assert command.origin.source == DiceSource.CAMERA
    assert command.origin.photo_sha256 is not None
    assert sorted(command.origin.proposed) == [3, 8]
    # A tank hits with 3 and misses with 8; the only defender falls without a question.
    assert not laid.has("Tobruk, round 1 · Losses")
    assert ledger(made).units.get("tobruk", {}) == {}


class Rolls(NoEye):
    """Photos of d10 that show what they are told, each read at once and surely."""

    def __init__(self, *rolls: tuple[int, ...]) -> None:
        self.rolls = list(rolls)

    def photos(self) -> tuple[tuple[str, str], ...]:
        return (("roll", "roll.jpg"),)

    def look(self, key: str, kind: str, asked: Any, *, done: Any, failed: Any, progress: Any) -> Any:  # noqa: ARG002
        dice = [SeenDie(n, "red", 0.99, 0.2 + i / 5, 0.5, 0.05) for i, n in enumerate(self.rolls.pop(0))]
        done(Photo(20, 10, bytes(600), f"{len(self.rolls):064}", tuple(dice)))


@pytest.mark.parametrize(
    ("language", "asked", "wrong"),
    [
        ("en", "Needed: 1 die", "1 die needed, 3 so far"),
        ("de", "Nötig: 1 Würfel", "1 Würfel nötig, bisher 3"),
    ],
)
def test_a_photo_gives_exactly_the_dice_of_one_volley(language: str, asked: str, wrong: str) -> None:
    made = desk("r2.germany.combat_move.declare")
    made.send(CountSpace("benghazi", {"uk.infantry": 1}, 3))
    made.send(CountSpace("mersa_brega", {"germany.tank": 2, "germany.mechanized": 1}, 4))
    laid = lay(made, "aana_combat")
    pick(laid, "Benghazi")
    assert laid.has("Attack another space"), "it stands before all units"
    plus(laid, "Mechanized Infantry, Mersa Brega")
    plus(laid, "Tank, Mersa Brega", 2)
    tap(laid, "Declare")
    tap(laid, "Attacks declared")
    laid = lay(made, "aana_combat")
    laid.root.eye = Rolls((2, 9, 1), (4,), (9, 1))
    pick(laid, "Benghazi")
    tap(laid, "Fight: pay 1 supply")
    laid.root.set("language", language)
    laid.settle()
    tap(laid, _("Photo"))
    assert laid.has(asked)
    assert laid.has(laid.root.screen.what)
    assert laid.root.screen.what.startswith(_("Mechanized Infantry"))
    tap(laid, "roll.jpg")
    screen = laid.root.screen
    assert [die.value for die in screen.draft.dice] == [2, 9, 1], "every die of the photo is shown"
    assert not screen.main_enabled
    assert laid.has(wrong)
    assert laid.faults() == []
    tap(laid, _("Another photo"))
    tap(laid, "roll.jpg")
    tap(laid, _("Accept"))
    assert [values(line) for line in volleys(laid)] == [(4,), (None, None)]
    tap(laid, _("Photo"))
    assert laid.has(asked.replace("1 die", "2 dice").replace("1 W", "2 W"))
    tap(laid, "roll.jpg")
    tap(laid, _("Accept"))
    assert [values(line) for line in volleys(laid)] == [(4,), (9, 1)]
    assert not laid.has(_("Photo")), "all dice are there"
    tap(laid, _("Dice are correct"))
    command = made.sent[-1].command
    assert isinstance(command, RollFire)
    assert [roll.values for roll in command.rolls] == [(4,), (9, 1)]
    assert command.origin.proposed == (4, 9, 1), "what both photos proposed is kept"
    assert command.origin.photos == (f"{1:064}", f"{0:064}"), "and what tells both photos"


def ledger(made: MemoryDesk) -> Any:
    return made.change.state.game["ledger"]  # type: ignore[union-attr]


def test_cargo_lost_and_cargo_saved_are_chosen_by_taps() -> None:
    made = desk("r3.uk.combat_move.declare")
    made.send(CountSpace("convoy.tripoli", {"italy.infantry": 2, "italy.tank": 2, "uk.submarine": 2}))
    laid = lay(made, "aana_combat")
    pick(laid, "Tripoli convoy")
    plus(laid, "Submarine, Tripoli convoy", 2)
    tap(laid, "Declare")
    tap(laid, "Attacks declared")
    laid = lay(made, "aana_combat")
    pick(laid, "Tripoli convoy")
    plus(laid, "Attackers submerge")
    tap(laid, "Orders given")
    enter(laid, 1)
    tap(laid, "Dice are correct")
    # Proposed: the owner's infantry, then a tank by the attacker's choice; here the attacker names infantry too.
    plus(laid, "Infantry")
    minus(laid, "Tank")
    assert laid.faults() == []
    tap(laid, "Take the losses")
    assert ledger(made).units["convoy.tripoli"] == {"italy.tank": 2, "uk.submarine": 2}
    assert laid.has("The two most expensive escape")
    minus(laid, "Tank")
    tap(laid, "They escape")
    command = made.sent[-1].command
    assert command.escape == {"italy.tank": 1}  # type: ignore[attr-defined]
    fight = made.change.state.game["battle"].fight  # type: ignore[union-attr]
    assert fight.cargo_out.units == (("italy", "tank", 1),)


@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[2], marks=pytest.mark.long)])
def test_an_aim_is_waived_and_a_retreat_is_split_by_taps(size: tuple[int, int]) -> None:
    made = desk("r1.germany.combat_move.declare")
    made.send(CountSpace("mersa_brega", {"uk.infantry": 5, "uk.matilda": 1}, 5))
    made.send(CountSpace("benghazi", {"uk.infantry": 7}, 0))
    made.send(CountSpace("jalo", {}, 0))
    made.send(CountSpace("bir_hacheim", {}, 0))
    laid = lay(made, "aana_combat", size)
    pick(laid, "Mersa Brega")
    plus(laid, "Anti-Tank Gun, El Agheila")
    plus(laid, "Bomber, Tripoli")
    tap(laid, "Declare")
    tap(laid, "Attacks declared")
    laid = lay(made, "aana_combat", size)
    pick(laid, "Mersa Brega")
    minus(laid, "Destroyed")
    laid.tap(row(laid, "Retreat"))
    for line in volleys(laid):
        enter(laid, *([2] * len(values(line))))
    aimed = {reading(laid).say(line.sub): line for line in volleys(laid)}
    tank = next(line for sub, line in aimed.items() if sub.startswith("1 at tanks"))
    pick(laid, reading(laid).say(tank.title))
    tap(laid, "Not aimed: the owner chooses")
    land = next(line for sub, line in aimed.items() if sub.startswith("1 at the most expensive land units"))
    pick(laid, reading(laid).say(land.title))
    pick(laid, "1 at Infantry")
    assert laid.faults() == []
    tap(laid, "Dice are correct")
    rolls = made.sent[-1].command.rolls  # type: ignore[attr-defined]
    assert {(roll.forced, tuple(roll.at.items())) for roll in rolls} == {(0, ()), (None, (("infantry", 1),))}
    tap(laid, "Take the losses")
    assert ledger(made).supply["mersa_brega"] == 5
    pick(laid, "Choose where they go")
    pick(laid, "Benghazi: room for 1")
    pick(laid, "Choose where the others go")
    pick(laid, "Jalo: room for 8")
    assert laid.faults() == []
    tap(laid, "Retreat")
    assert ledger(made).units["benghazi"]["uk.infantry"] == 8
    assert sum(ledger(made).units["jalo"].values()) == 3
    tap(laid, "Conclude")
    assert ledger(made).units["mersa_brega"].get("germany.anti_tank") == 1


def test_supply_is_taken_from_next_door_by_taps() -> None:
    made = desk("r1.germany.combat_move.declare")
    made.send(CountSpace("el_agheila", {"germany.infantry": 6}, 1))
    made.send(CountSpace("sirte", {}, 3))
    laid = lay(made, "aana_combat")
    pick(laid, "Mersa Brega")
    plus(laid, "Infantry, El Agheila", 6)
    pick(laid, "Supply for El Agheila: 2 from El Agheila")
    pick(laid, "1 from El Agheila, the rest from Sirte")
    assert laid.faults() == []
    tap(laid, "Declare")
    assert (ledger(made).supply["el_agheila"], ledger(made).supply["sirte"]) == (0, 2)


@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[2], marks=pytest.mark.long)])
def test_moves_by_the_rules_by_taps(size: tuple[int, int]) -> None:
    made = desk("r1.germany.combat_move.move")
    made.send(CountSpace("mersa_brega", {"germany.tank": 2}, 0))
    made.send(CountSpace("benghazi", {"uk.truck": 1}, 1))
    made.send(CountSpace("bir_hacheim", {}, 0))
    laid = lay(made, "aana_board", size)
    pick(laid, "Mersa Brega")
    tap(laid, "Move")
    assert laid.has("up to 1 space")
    tap(laid, "Blitz")
    plus(laid, "Tank")
    assert laid.faults() == []
    tap(laid, "Choose where they go")
    pick(laid, "Benghazi")
    pick(laid, "Bir Hacheim")
    assert ledger(made).control["benghazi"] == "germany"
    assert ledger(made).units["bir_hacheim"] == {"germany.tank": 1}
    jump(made, "r1.germany.noncombat.move")
    laid = lay(made, "aana_board", size)
    pick(laid, "Tripoli")
    tap(laid, "Move")
    plus(laid, "Fighter")
    tap(laid, "Choose where they go")
    assert laid.faults() == []
    pick(laid, "Sicily")
    assert ledger(made).units["sicily"]["germany.fighter"] == 1


def test_trucks_carry_and_bombers_carry_by_taps() -> None:
    made = desk("r1.italy.noncombat.move", air_transport=True)
    made.send(CountSpace("italy", {"italy.bomber": 1, "italy.infantry": 1}, 0))
    laid = lay(made, "aana_board")
    pick(laid, "Tripoli")
    tap(laid, "Move")
    plus(laid, "Truck")
    plus(laid, "Infantry", 2)
    plus(laid, "Supply", 3)
    assert laid.faults() == []
    tap(laid, "Choose where they go")
    pick(laid, "Sirte")
    assert ledger(made).supply["sirte"] == 3
    pick(laid, "Italy")
    tap(laid, "Move")
    tap(laid, "A bomber carries")
    tap(laid, "Infantry")
    pick(laid, "Sicily")
    assert ledger(made).units["sicily"]["italy.infantry"] == 1


def test_without_borders_the_table_counts_the_spaces() -> None:
    setup = make_setup(AanaFamily(), LOADED, "rommel", {"printed": {"unit.germany.fighter.move": 4}})
    made = MemoryDesk(setup, aana_rules())
    jump(made, "r1.germany.noncombat.move")
    laid = lay(made, "aana_board")
    pick(laid, "Tripoli")
    tap(laid, "Move")
    assert laid.has("Spaces moved through")
    plus(laid, "Spaces moved through", 4)
    plus(laid, "Fighter")
    assert laid.faults() == []
    tap(laid, "Choose where they go")
    assert not reading(laid).items, "five spaces are too far"
    assert laid.has("1 Fighter (Germany) cannot move 5 spaces. Pieces there: 1; none can move more than 4.")


def test_an_attack_from_afar_asks_how_far_it_flew_and_then_declares() -> None:
    """Nobody has entered the borders: the spaces decide what is left for the way home, so they are asked for, never guessed."""
    figures = {"unit.uk.fighter.move": 4, "unit.uk.fighter.attack": 3, "unit.germany.infantry.defence": 2}
    made = MemoryDesk(make_setup(AanaFamily(), LOADED, "rommel", {"printed": figures}), aana_rules())
    jump(made, "r2.uk.combat_move.declare")
    made.send(CountSpace("mersa_matruh", {"germany.infantry": 1}, 1))
    made.send(CountSpace("cairo", {"uk.fighter": 1}, 5))
    laid = lay(made, "aana_combat")
    pick(laid, "Mersa Matruh")
    plus(laid, "Fighter")
    tap(laid, "Declare")
    assert laid.faults() == []
    assert laid.has("Spaces moved from Cairo to Mersa Matruh?")
    assert not battles_of(made.change.state).attacks  # type: ignore[union-attr]
    tap(laid, "2")
    (attack,) = battles_of(made.change.state).attacks  # type: ignore[union-attr]
    assert attack.space == "mersa_matruh"
    jump(made, "r2.uk.noncombat.move")
    assert free_moves(made.change.state, "mersa_matruh", "uk.fighter") == (2,)  # type: ignore[union-attr]


def test_the_odds_of_an_attack_on_a_space_not_counted_ask_who_stands_there() -> None:
    figures = {
        f"unit.{power}.{row}": 3
        for power, row in (("germany", "mechanized.attack"), ("uk", "infantry.defence"))
    }
    made = MemoryDesk(make_setup(AanaFamily(), LOADED, "rommel", {"printed": figures}), aana_rules())
    jump(made, "r2.germany.combat_move.declare")
    laid = lay(made, "aana_combat")
    tap(laid, "Another space")
    assert laid.has("1/4"), "spaces stand side by side, not five a page"
    assert laid.faults() == []
    tap(laid, "Benghazi")
    assert laid.root.screen.main_text == "Nobody attacks yet"
    plus(laid, "Mechanized Infantry, Tripoli")
    tap(laid, "Declare")
    tap(laid, "United Kingdom")  # whose marker lies there
    tap(laid, "Odds")
    assert laid.has("Enter who defends Benghazi.")
    tap(laid, "Which pieces stand in Benghazi?")
    tap(laid, "United Kingdom")
    tap(laid, "Infantry")
    assert laid.has("United Kingdom: Infantry")
    tap(laid, "3")
    tap(laid, "Done")
    assert laid.has("United Kingdom: 3 Infantry"), "what was entered stands under the question"
    assert laid.faults() == []
    tap(laid, "Nobody else")
    assert laid.root.screen.main_text == "Back to the combat"
    assert laid.has("Press for as long as supply lasts"), "nothing is lacking now"
    assert ledger(made).units["benghazi"] == {"uk.infantry": 3}


def test_another_space_is_offered_only_where_there_is_one() -> None:
    laid = lay(desk("r2.germany.combat_move.declare"), "aana_combat")  # whose units are all counted
    assert not laid.has("Another space")


def test_points_of_which_some_are_not_known_are_told_as_a_least_figure() -> None:
    made = MemoryDesk(make_setup(AanaFamily(), LOADED, "rommel", {}), aana_rules())
    jump(made, "r1.germany.requisition.buy")
    assert lay(made, "aana_reinforce").has("0 or more")


def test_stranded_aircraft_are_lost_by_taps() -> None:
    made = desk("r1.germany.noncombat.move")
    made.send(CountSpace("mersa_brega", {"germany.fighter": 1}))
    laid = lay(made, "aana_board")
    tap(laid, "Aircraft with nowhere to land are lost")
    tap(laid, "They are lost")
    assert "mersa_brega" not in ledger(made).units or not ledger(made).units["mersa_brega"]


@pytest.mark.parametrize("size", [SIZES[0]])
def test_crowded_spaces_are_summed_up_on_the_board(size: tuple[int, int]) -> None:
    made = desk("r1.germany.noncombat.move")
    laid = lay(made, "aana_board", size)
    (spaces,) = (block for block in laid.root.screen.page.blocks if isinstance(block, Tiles))
    crowded = next(tile for tile in spaces.tiles if any(sign.key == "limit" for sign in tile.signs))
    assert [sign.key for sign in crowded.signs] == ["limit", "germany", "italy", "supply"]
    assert [sign.value for sign in crowded.signs] == [None, 5, 5, 5]
    assert laid.faults() == []
    pick(laid, reading(laid).say(crowded.title))
    assert "over the limit of 8" in reading(laid).lead
    assert laid.faults() == []


def test_the_rows_turn_to_the_volley_at_hand() -> None:
    laid = open_scene("aana-dice", size=(720, 1280))
    first = reading(laid).say(volleys(laid)[0].title)
    enter(laid, 4, 4, 4, 4)
    at_hand = reading(laid).say(next(line for line in volleys(laid) if line.state == "chosen").title)
    assert laid.has(at_hand)
    assert laid.root.screen.sheet.page > 0, "the first one no longer stands on its page"
    assert not laid.has(first)


@pytest.mark.parametrize("size", SIZES[:2])
def test_many_volleys_stand_in_sight_at_once_and_keys_enter_their_dice(size: tuple[int, int]) -> None:
    laid = open_scene("aana-dice", size=size)
    first = reading(laid).say(volleys(laid)[0].title)
    assert laid.root.screen.sheet.pages == 1
    assert all(laid.has(reading(laid).say(line.title)) for line in volleys(laid))

    def at_hand() -> str:
        return reading(laid).say(next(line for line in volleys(laid) if line.state == "chosen").title)

    assert at_hand() != first, "its first volleys have their dice"
    assert laid.has(at_hand())
    last_here = at_hand()
    enter(laid, 4)
    assert at_hand() != last_here
    assert laid.has(at_hand())
    for _n in range(4):
        tap(laid, "Erase")
    assert at_hand() == first
    assert laid.root.screen.sheet.page == 0
    assert laid.has(first)
    enter(laid, 10)
    assert values(volleys(laid)[0]) == (10,)
