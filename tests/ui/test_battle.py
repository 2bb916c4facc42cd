"""The Taranto battle entered and fought by taps on the Battle screen, counted; odds and figures on screen."""

from __future__ import annotations

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.games.sfw.pages.battle import battle_view
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import battles_of
from companion.testing import harness
from companion.testing.memory_desk import MemoryDesk
from companion.ui.screens.battle import BattleScreen
from companion.ui.screens.battle_tiles import UnitTile

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
    def screen(self) -> BattleScreen:
        screen = self.ui.root.screen
        assert isinstance(screen, BattleScreen)
        return screen

    @property
    def battle(self) -> Declared:
        assert self.desk.change is not None
        return battles_of(self.desk.change.state).battles[0]

    def tap(self, text: str) -> None:
        self.taps += 1
        self.ui.tap(self.ui.find(text=text))

    def tile(self, short: str, row: int, times: int = 1) -> None:
        """Tap a unit's tile in the row of the first or second nation of the side."""
        for _ in range(times):
            tiles = [w for w in self.ui.walk() if isinstance(w, UnitTile)]
            rows = sorted({round(w.to_window(0, w.y)[1]) for w in tiles}, reverse=True)
            fitting = [
                w for w in tiles if w.text.split()[-1] == short and round(w.to_window(0, w.y)[1]) == rows[row]
            ]
            assert len(fitting) == 1, [w.text for w in tiles]
            self.taps += 1
            self.ui.tap(fitting[0])

    def dice(self, *values: int) -> None:
        for value in values:
            self.tap(str(value))

    def declare_taranto(self) -> None:
        self.tap("Declare a battle")
        for _ in range(4):
            if self.ui.has("Taranto"):
                break
            self.taps += 1
            self.ui.tap(self.ui.find(icon="forward" if self.ui.size[1] > self.ui.size[0] else "down"))
        self.tap("Taranto")

    def compose_taranto(self) -> None:
        """Three tanks, a Land Transport whose cargo is unloaded when the battle begins, and two supporters."""
        self.tile("T", 0)
        self.tile("T", 1, 2)
        self.tile("LT", 0)
        self.tile("I", 0)
        self.tile("AA", 0)
        self.tap("Axis")
        self.tile("I", 0, 3)
        self.tile("T", 0)
        self.tile("T", 1)
        self.tile("LB", 1)
        self.tile("AA", 1)
        self.tap("Allies support")
        self.tile("A", 0)
        self.tile("B", 1)


def test_help_says_what_the_letters_on_the_tiles_stand_for() -> None:
    laid = Table().ui
    laid.tap(laid.find(icon="help"))
    assert laid.has("F\u00a0Fighter")
    assert laid.has("LB\u00a0Light\u00a0Bomber")
    assert laid.faults() == []


def test_taranto_is_entered_in_few_taps_and_begins() -> None:
    table = Table()
    table.declare_taranto()
    table.compose_taranto()
    entered = table.taps
    table.tap("Begin battle")
    assert table.battle.status == "fighting"
    assert entered <= MOST_TAPS, f"{entered} taps"


def test_taranto_plays_by_taps_as_the_rulebook_tells_it() -> None:
    table = Table()
    table.declare_taranto()
    table.compose_taranto()
    table.tap("Begin battle")
    answered = 0
    while table.battle.status == "fighting":
        assert table.desk.change is not None
        view = battle_view(table.desk.change.state, table.battle.id)
        assert table.desk.change.rejected is None, table.desk.change.rejected
        answered += 1
        assert answered < 60
        if view.phase == "roll":
            line = table.screen.current(view)
            assert line is not None
            # Tanks, the battleship's black die and the light bomber hit; the rest misses.
            hits = any(name in line.units for name in ("Light Bomber",)) or line.colour == "black"
            table.dice(*([line.number if hits else 1] * line.dice))
        elif view.phase == "losses":
            table.tap("Take the losses")
        elif view.phase == "retreat":
            table.tap("Stand fast")
        else:
            table.tap("Go on")
    assert table.battle.status == "over"
    progress = table.battle.progress
    assert progress is not None
    assert progress.attacking != (), "somebody of the attackers is left"
    assert table.ui.has("Taranto")


def test_undo_in_mid_battle_takes_back_one_die_roll() -> None:
    table = Table()
    table.declare_taranto()
    table.compose_taranto()
    table.tap("Begin battle")
    before = table.battle.progress
    view = battle_view(table.desk.change.state, table.battle.id)  # type: ignore[union-attr]
    line = table.screen.current(view)
    assert line is not None
    table.dice(*([1] * line.dice))
    assert table.battle.progress != before
    assert table.desk.change is not None
    table.desk.send(cm.Undo(table.desk.now_ms(), confirmed=True))
    assert table.battle.progress == before


def test_a_missing_figure_is_asked_for_once_where_the_battle_needs_it() -> None:
    table = Table(printed=False)
    table.declare_taranto()
    table.tile("T", 0)
    table.tap("Axis")
    table.tile("I", 0)
    assert table.ui.has("Hit number of Tank is not in the rules: enter it from your box")
    table.tap("Enter figures")
    assert table.ui.has("Tank: Hit number")
    assert table.ui.faults() == []
    table.tap("8")
    table.tap("Done")
    assert table.desk.change is not None
    assert table.desk.change.state.printed["tank.number"] == 8
    table.tap("Begin battle")
    assert table.battle.status == "fighting"


def test_dice_can_be_rolled_by_the_box_and_typed_ones_erased() -> None:
    table = Table()
    table.declare_taranto()
    table.tile("I", 0, 2)
    table.tap("Axis")
    table.tile("I", 0)
    table.tap("Begin battle")
    table.dice(4)
    assert table.ui.has("4")
    table.tap("Erase")
    assert table.screen.typed == []
    table.tap("Roll for us")
    assert table.desk.sent[-1].command.roll.origin.seed is not None  # type: ignore[attr-defined]


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
    table.tile("I", 0, 2)
    table.tap("Axis")
    table.tile("I", 0)
    table.tap("Odds")
    worker = table.screen.worker
    assert worker is not None
    worker.join(timeout=20)
    table.ui.settle()
    assert table.ui.has("Space taken")
    assert table.ui.faults() == []
    table.tap("Back to the battle")
    assert table.ui.has("Begin battle")


def test_the_odds_follow_the_way_of_choosing_casualties() -> None:
    table = Table()
    table.declare_taranto()
    table.tile("I", 0, 2)
    table.tile("T", 0)
    table.tap("Axis")
    table.tile("T", 0)

    def shown() -> str:
        worker = table.screen.worker
        assert worker is not None
        worker.join(timeout=20)
        table.ui.settle()
        assert table.ui.faults() == []
        texts = [str(getattr(widget, "text", "")) for widget in table.ui.walk()]
        return next(text for text in texts if text.startswith("Attackers lose"))

    table.tap("Odds")
    cheapest = shown()
    table.tap("Own order")
    table.tap("Tank")
    assert table.ui.has("Lost first: Tank, Infantry")
    own = shown()
    assert float(own.split()[2]) > float(cheapest.split()[2]), "the dear unit is lost first"
    table.tap("Cheapest losses")
    assert shown() == cheapest
    assert not table.ui.has("Lost first")


def test_a_retreat_says_where_to() -> None:
    table = Table(printed=True)
    table.desk.send(cm.EnterPrintedValue("infantry.abilities", ["retreat"]))
    table.declare_taranto()
    table.tile("T", 0)
    table.tap("Axis")
    table.tile("I", 0, 2)
    table.tap("Begin battle")
    assert table.ui.has("They retreat to: not said")
    table.ui.tap(table.ui.find(icon="plus"))
    table.tap("They retreat to: not said")
    assert table.ui.faults() == []
    table.tap("Naples")
    assert table.ui.has("They retreat to: Naples")
    assert table.ui.faults() == []
    table.tap("Retreat")
    assert table.battle.progress is not None
    assert table.battle.progress.retreat_to == "Naples"
