"""The Taranto battle entered and fought by taps on the Battle screen, counted; odds and figures on screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kivy.animation import Animation

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.core.text import Typed
from companion.games.sfw.pages.battle_course import BattleView, RollLine, battle_view
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import battles_of
from companion.pages.hardware import DeviceState, NoCameras, State
from companion.pages.page import TABLE_VIEWER, Sides
from companion.testing import harness, scenes_sfw
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scenes import open_scene
from companion.ui.render.die import DieFace
from companion.ui.render.items import ItemTile
from companion.ui.widgets import Tap

CATALOGUE = GameCatalogue()
MOST_TAPS = 20


class Table:
    """A running April 1943 game at movement step 4, with every tap counted."""

    def __init__(
        self, size: tuple[int, int] = (800, 480), *, printed: bool = True, language: str = "en"
    ) -> None:
        setup = CATALOGUE.make_setup("sfw96", "apr43", {})
        self.desk = MemoryDesk(setup, CATALOGUE.rules_of("sfw96"))
        while self.step != "s3.t4.allies.declare":
            self.desk.send(cm.EndAct(self.step, self.desk.now_ms(), True))  # type: ignore[arg-type]
        if printed:
            self.desk.send(cm.EnterPrintedValue("tank.number", 8))
            self.desk.send(cm.EnterPrintedValue("battleship.range", 1))
        self.ui = harness.lay(self.desk, size=size, screen="battle", look="night", language=language)
        self.taps = 0

    @property
    def step(self) -> str:
        assert self.desk.change is not None
        return self.desk.change.state.step.id

    @property
    def battle(self) -> Declared:
        assert self.desk.change is not None
        return battles_of(self.desk.change.state).battles[0]

    @property
    def view(self) -> BattleView:
        assert self.desk.change is not None
        assert self.desk.change.rejected is None, self.desk.change.rejected
        return battle_view(self.desk.change.state, self.battle)

    @property
    def draft(self) -> BattleDraft:
        draft = self.ui.root.drafts.get(TABLE_VIEWER, "battle", self.step)
        return draft if isinstance(draft, BattleDraft) else BattleDraft()

    def current(self) -> RollLine:
        """The line of the roll list that dice are typed for."""
        draft = self.draft.at(self.battle.progress)
        waiting = [line for line in self.view.lines if line.dice]
        return next((line for line in waiting if line.index == draft.line), waiting[0])

    def tap(self, text: str) -> None:
        self.taps += 1
        self.ui.tap(self.ui.find(text=text))

    def tile(self, unit: str, nation: str, times: int = 1) -> None:
        """Tap a unit's tile in the row of a nation."""
        for _ in range(times):
            tiles = [w for w in self.ui.walk() if isinstance(w, ItemTile) and w.item.key.count(".") == 3]
            (one,) = (w for w in tiles if w.item.key.split(".")[1:3] == [nation, unit])
            self.taps += 1
            self.ui.tap(one)

    def odds(self) -> None:
        """Tap the chance that stands on its button, once it is worked out."""
        self.wait()
        self.taps += 1
        taken = next(
            w for w in self.ui.walk() if isinstance(w, Tap) and getattr(w, "text", "")[:5] == "Taken"
        )
        self.ui.tap(taken)

    def dice(self, *values: int) -> None:
        for value in values:
            self.tap(str(value))

    def wait(self) -> None:
        """Let what is worked out beside come to its end."""
        worker = self.ui.root.screen.later.worker
        assert worker is not None
        worker.join(timeout=20)
        self.ui.settle()

    def declare_taranto(self) -> None:
        """Tap the space on the page that asks for it while no battle is declared."""
        self.tap("Taranto")

    def compose_taranto(self) -> None:
        """Three tanks, a Land Transport whose cargo is unloaded when the battle begins, and two supporters."""
        self.tile("tank", "us")
        self.tile("tank", "gb", 2)
        self.tile("land_transport", "us")
        self.tile("infantry", "us")
        self.tile("anti_air", "us")
        self.tile("infantry", "germany", 3)
        self.tile("tank", "germany")
        self.tile("tank", "italy")
        self.tile("anti_air", "italy")
        self.tap("Air")
        self.tile("light_bomber", "italy")
        self.tap("Supporting")
        self.tile("artillery", "us")
        self.tile("battleship", "gb")


def test_units_are_taken_out_by_taps_too() -> None:
    table = Table()
    table.declare_taranto()
    table.tile("tank", "us", 2)
    table.tap("Remove")
    table.tile("tank", "us")
    table.tap("Remove")
    table.tile("infantry", "gb")
    assert [(g.unit, g.count) for g in table.battle.battle.attacking] == [("tank", 1), ("infantry", 1)]


def test_taranto_is_entered_in_few_taps_and_begins() -> None:
    table = Table()
    table.declare_taranto()
    table.compose_taranto()
    entered = table.taps
    table.tap(table.ui.root.screen.main_text)
    assert table.battle.status == "fighting"
    assert entered <= MOST_TAPS, f"{entered} taps"


def test_taranto_plays_by_taps_as_the_rulebook_tells_it() -> None:
    table = Table()
    table.declare_taranto()
    table.compose_taranto()
    table.tap(table.ui.root.screen.main_text)
    answered = 0
    while table.battle.status == "fighting":
        view = table.view
        answered += 1
        assert answered < 60
        if view.phase == "roll":
            line = table.current()
            # Tanks, the battleship's black die and the light bomber hit; the rest misses.
            hits = "light_bomber" in line.line.units or line.colour == "black"
            table.dice(*([line.number if hits else 1] * line.dice))
        elif view.phase == "losses":
            table.tap("Take the losses")
        elif view.phase == "retreat":
            table.tap("Stand fast")
        else:
            table.tap("Continue")
    assert table.battle.status == "over"
    progress = table.battle.progress
    assert progress is not None
    assert progress.attacking != (), "somebody of the attackers is left"
    assert table.ui.has("Taranto")


def test_undo_in_mid_battle_takes_back_one_die_roll() -> None:
    table = Table()
    table.declare_taranto()
    table.compose_taranto()
    table.tap(table.ui.root.screen.main_text)
    before = table.battle.progress
    table.dice(*([1] * table.current().dice))
    assert table.battle.progress != before
    assert table.desk.change is not None
    table.desk.send(cm.Undo(table.desk.now_ms(), confirmed=True))
    assert table.battle.progress == before


def test_a_missing_figure_is_asked_for_once_where_the_battle_needs_it() -> None:
    table = Table(printed=False)
    table.declare_taranto()
    table.tile("tank", "us")
    table.tile("infantry", "italy")
    table.tap("Enter the hit number of the Tank")
    assert table.ui.has("Tank: Hit number")
    assert table.ui.faults() == []
    table.tap("8")
    table.tap("Done")
    assert table.desk.change is not None
    assert table.desk.change.state.printed["tank.number"] == 8
    table.tap(table.ui.root.screen.main_text)
    assert table.battle.status == "fighting"


def test_the_head_shows_which_of_the_seven_steps_is_fought_where_it_has_room() -> None:
    from companion.testing.scenes import open_scene
    from companion.ui.render.blocks import StepLine

    laid = open_scene("sfw-battle-roll", size=(800, 480))
    page = laid.root.screen.page
    assert [(cell.key, cell.state) for cell in page.steps] == [
        *((n, "done") for n in "12345"), ("6", "now"), ("7", "next"),
    ]  # fmt: skip
    assert page.steps[5].symbol == "unit.tank"
    assert len(laid.find(cls=StepLine).children) == 7
    narrow = open_scene("sfw-battle-roll", size=(720, 1280), text_step=2, language="de")
    assert narrow.faults() == []


def test_a_twelve_that_rolls_again_is_seen_before_the_next_die() -> None:
    table = Table()
    table.declare_taranto()
    table.tile("artillery", "us")
    table.tile("infantry", "italy")
    table.tap(table.ui.root.screen.main_text)
    assert table.ui.has("United States to roll: 1 Gray die")
    table.dice(12)
    assert table.ui.has("United States to roll again: 1 Gray die")
    assert table.ui.has("rolled 12, and again")
    assert table.ui.has("1 so far")
    assert table.ui.faults() == []


def test_dice_can_be_rolled_by_the_box_and_typed_ones_erased() -> None:
    table = Table()
    table.declare_taranto()
    table.tile("infantry", "us", 2)
    table.tile("infantry", "italy")
    table.tap(table.ui.root.screen.main_text)
    table.dice(4)
    assert table.ui.has("4")
    table.tap("Erase")
    assert table.draft.typed == ()
    table.tap("Roll for us")
    assert table.desk.sent[-1].command.roll.origin.seed is not None  # type: ignore[attr-defined]


class Plugged(NoCameras):
    """A camera whose state is set by hand."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.listeners: list[Callable[[], None]] = []

    def devices(self) -> tuple[DeviceState, ...]:
        return (DeviceState("/dev/video0", Typed("Camera"), self.state, Typed("line")),)

    def subscribe(self, listener: Callable[[], None]) -> Any:
        self.listeners.append(listener)
        return super().subscribe(listener)


@pytest.mark.parametrize(("state", "main"), [("working", "Read the dice"), ("lost", "Type 2 White dice")])
def test_the_main_act_of_a_roll_reads_dice_only_where_a_camera_is(state: State, main: str) -> None:
    table, camera = Table(), Plugged(state)
    table.ui.root.cameras = camera
    table.ui.root.go("battle")
    table.ui.settle()
    table.declare_taranto()
    table.tile("infantry", "us", 2)
    table.tile("infantry", "italy")
    table.tap(table.ui.root.screen.main_text)
    screen = table.ui.root.screen
    assert (screen.main_text, screen.main_enabled) == (main, state == "working")
    assert table.ui.has("Photo") == (state == "lost")
    if state == "lost":
        table.dice(4)
        assert screen.main_text == "Type 1 White die"
        camera.state = "working"  # it is plugged in
        for listener in camera.listeners:
            listener()
        table.ui.settle()
        assert screen.main_text == "Read the dice"


def test_one_tap_tells_the_hits_of_a_group_and_the_next_group_is_asked_the_same_way() -> None:
    table = Table()
    table.declare_taranto()
    table.tile("infantry", "us", 3)
    table.tile("infantry", "italy", 2)
    table.tap(table.ui.root.screen.main_text)
    table.tap("Hits only")
    assert table.ui.root.screen.main_text == "Tap how many hit"
    before = table.taps
    table.dice(1)
    assert table.ui.has("1 hit")
    assert table.ui.faults() == []
    table.dice(0)
    assert table.taps == before + 2
    assert table.view.phase != "roll"
    assert table.battle.progress is not None
    record = table.battle.progress.records[0]
    assert [(one.hits, one.rolls[0].values()) for one in record.thrown] == [(1, (0, 0, 0)), (0, (0, 0))]


@pytest.mark.parametrize("size", harness.SIZES)
def test_every_page_is_whole_at_every_size(size: tuple[int, int]) -> None:
    table = Table(size)
    assert table.ui.faults() == []
    table.declare_taranto()
    assert table.ui.faults() == []
    table.desk.send(cm.AddNote("kept"))
    from companion.games.sfw.rules.battle_commands import BeginBattle, ChangeUnits

    for side, unit, nation, count in (
        ("attacking", "tank", "us", 3),
        ("attacking", "infantry", "gb", 2),
        ("defending", "infantry", "germany", 3),
        ("defending", "tank", "italy", 1),
    ):
        for _ in range(count):
            table.desk.send(ChangeUnits(table.battle.id, side, unit, nation))
    table.ui.settle()
    assert table.ui.faults() == []
    table.tap("Details")
    assert table.ui.faults() == []
    table.desk.send(BeginBattle(table.battle.id))
    table.ui.settle()
    assert table.ui.faults() == []


def test_the_odds_are_drawn_from_a_thread_of_their_own() -> None:
    table = Table()
    table.declare_taranto()
    table.tile("infantry", "us", 2)
    table.tile("infantry", "italy")
    table.odds()
    table.wait()
    assert table.ui.has("Space taken")
    assert table.ui.faults() == []
    table.tap("Back to the battle")
    assert table.ui.has("Begin: ")


def test_the_odds_follow_the_way_of_choosing_casualties() -> None:
    table = Table()
    table.declare_taranto()
    table.tile("infantry", "us", 2)
    table.tile("tank", "us")
    table.tile("tank", "italy")

    def shown() -> float:
        table.wait()
        assert table.ui.faults() == []
        (block,) = (b for b in table.ui.root.screen.page.blocks if isinstance(b, Sides))
        value = block.sides[0].head.value
        assert isinstance(value, float)
        return value

    table.odds()
    cheapest = shown()
    table.tap("Custom order")
    table.tap("Tank")
    assert table.ui.has("Lost first: Tank, Infantry")
    own = shown()
    assert own > cheapest, "the dear unit is lost first"
    table.tap("Cheapest losses")
    assert shown() == cheapest
    assert not table.ui.has("Lost first")


def test_a_retreat_says_where_to() -> None:
    table = Table(printed=True)
    table.desk.send(cm.EnterPrintedValue("infantry.abilities", ["retreat"]))
    table.declare_taranto()
    table.tile("tank", "us")
    table.tile("infantry", "italy", 2)
    table.tap(table.ui.root.screen.main_text)
    assert table.ui.has("Retreat to: not stated")
    table.ui.tap(table.ui.find(icon="plus"))
    table.tap("Retreat to: not stated")
    assert table.ui.faults() == []
    table.tap("Naples")
    assert table.ui.has("Retreat to: Naples")
    assert table.ui.faults() == []
    table.tap("Retreat")
    assert table.battle.progress is not None
    assert table.battle.progress.retreat_to == "Naples"


def test_a_tile_says_the_whole_name_of_a_unit_where_it_fits_and_a_short_one_where_it_does_not() -> None:
    from companion.core.text import Name
    from companion.pages.page import Item
    from companion.ui.render.pen import Pen

    table = Table()
    pen = Pen(lambda _act, _touch: None, lambda _why: None)
    pen.use(table.desk.change.state)  # type: ignore[union-attr]
    tile = ItemTile(pen, size_hint=(None, None), size=(300, 80))
    tile.show(Item("one", Name("unit_short", "light_bomber"), symbol="unit.light_bomber"))
    for width, name in ((300, "Light Bomber"), (70, "Light B."), (300, "Light Bomber")):
        tile.width = width
        assert tile.text == name


def test_losses_chosen_otherwise_are_not_called_the_cheapest() -> None:
    laid = harness.lay(scenes_sfw.fought("losses"), screen="battle")
    assert laid.has("The cheapest losses are filled in. Tap a unit to lose it instead.")
    spared = next(
        w for w in laid.walk() if isinstance(w, ItemTile) and w.is_enabled and w.item.state != "lost"
    )
    laid.tap(spared)
    assert not laid.has("The cheapest losses")
    assert laid.has("Tap a unit to lose it instead.")


@pytest.mark.parametrize(("text_step", "language"), [(0, "fr"), (1, "de"), (2, "en")])
def test_both_sides_are_entered_on_one_page_in_every_language(text_step: int, language: str) -> None:
    laid = open_scene("sfw-battle-units", text_step=text_step, language=language)
    assert (laid.root.screen.sheet.pages, laid.faults()) == (1, [])


def test_a_die_that_hits_pops_once_and_one_that_misses_never() -> None:
    laid = open_scene("sfw-battle-roll")

    def popping() -> list[int | None]:
        faces = [one for one in laid.walk() if isinstance(one, DieFace)]
        return [
            one._die.value
            for one in faces
            if any(a.have_properties_to_animate(one) for a in Animation._instances)
        ]

    assert popping() == []
    laid.tap(laid.find(text="11"))
    assert popping() == [11]
    for face in (one for one in laid.walk() if isinstance(one, DieFace)):
        Animation.cancel_all(face, "pop")
    laid.root.go("battle", draft=BattleDraft("B"))
    laid.settle()
    assert popping() == [], "a page drawn anew moves nothing"
    laid.tap(laid.find(text="3"))
    assert popping() == []
