"""A round of Axis & Allies: North Africa by taps: set-up, purchases, a flank, an air defence, a convoy attack, three turns.

The real shell and journal stand behind the real screens; only the display is off. No command is sent past the
screens. Halfway through a combat the plug is pulled, and an act is taken back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.pages.report import report_html
from companion.session.timesource import ManualTime
from companion.testing import harness
from companion.testing.reading import Reading
from companion.ui.render.blocks import PadBlock
from companion.ui.render.items import ItemRow, ItemTile
from companion.ui.widgets import Plate, Stepper


class Table:
    """Fingers at a window over a real data folder; after every tap the writer is waited for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.posts: deque[Callable[[], None]] = deque()
        self.time = ManualTime(1_000_000)
        self.taps = 0
        self._open()
        setup = self.desk.make_setup("aana", "rommel", {"values": "unofficial", "clock": "count_up"})
        self.desk.start(setup)
        self.settle()
        self._lay()

    def _open(self) -> None:
        catalogue = GameCatalogue(self.folder / "data")
        self.desk = ShellDesk(self.folder, catalogue, post=self.posts.append, time=self.time)

    def _lay(self) -> None:
        self.laid = harness.lay(self.desk, size=(800, 480), screen="table")

    def pull_the_plug(self) -> None:
        """Cut the power and start the box again on the game that was open."""
        path = self.desk.left_open()
        assert path is not None
        self.desk.cut_power()
        harness.clear()
        self.posts.clear()
        self._open()
        self.desk.open(path)
        self.settle()
        self._lay()

    def settle(self) -> None:
        self.time.advance(10)
        if self.desk._session is not None:
            self.desk._session.sync()
        while self.posts:
            self.posts.popleft()()

    def press(self, where: Any) -> None:
        self.laid.tap(where, settle=False)
        self.settle()
        self.laid.settle()
        self.taps += 1

    def tap(self, text: str) -> None:
        self.press(self.laid.find(text=text))

    def pick(self, start: str) -> None:
        """Tap the line that begins with a text, turning pages until it is there."""
        for _page in range(40):
            for widget in self.plates():
                if widget.text.startswith(start):
                    self.press(widget)
                    return
            self.turn()
        raise LookupError(start)

    def plus(self, text: str, times: int = 1) -> None:
        """Press the plus of the counter in the row of a text."""
        for _page in range(40):
            if self.laid.has(text):
                break
            self.turn()
        for _n in range(times):
            row = self.laid.find(text=text)
            if isinstance(row, ItemTile):
                self.press(row)
                continue
            while not any(isinstance(child, Stepper) for child in row.walk(restrict=True)):
                row = row.parent
            keys = [w for w in row.walk(restrict=True) if isinstance(w, Plate)]
            self.press(max(keys, key=lambda key: key.x))

    def turn(self) -> None:
        forward = (w for w in self.plates() if isinstance(w, Plate) and not w.text and w.is_enabled)
        forward = (w for w in forward if w.icon in ("down", "forward"))
        self.press(next(forward))

    def plates(self) -> Iterator[Any]:
        """Yield what can be tapped by its text, of the topmost dialog where one is open."""
        dialogs = self.laid.root.dialogs
        walk = dialogs[-1].walk(restrict=True) if dialogs else self.laid.walk()
        return (w for w in walk if isinstance(w, Plate | ItemRow | ItemTile))

    def screen(self, name: str) -> None:
        self.tap(name)

    def main(self) -> None:
        """Tap the main button, and go on over what is asked."""
        self.tap(self.laid.root.screen.main_text)
        for word in ("End the step", "Leave it open"):
            if self.laid.root.dialogs and self.laid.has(word):
                self.tap(word)

    def dice(self, *values: int) -> None:
        """Tap dice on the pad."""
        for value in values:
            pad = next(w for w in self.laid.walk() if isinstance(w, PadBlock))
            self.press(next(w for w in pad.walk(restrict=True) if getattr(w, "text", "") == str(value)))

    def roll(self, hit: Callable[[Any], int]) -> None:
        """Enter the dice of a stage: so many ones a volley, the others miss."""
        for line in self.volleys():
            hits, dice = hit(line), len(line.value.items)
            self.dice(*([1] * hits), *([7] * (dice - hits)))
        self.tap("Dice are correct")

    def volleys(self) -> list[Any]:
        return [item for item in self.reading.items if item.key.startswith("volley.")]

    @property
    def reading(self) -> Reading:
        return Reading(self.laid.root.screen.shown, self.desk.change)

    @property
    def state(self) -> Any:
        change = self.desk.change
        assert change is not None
        return change.state

    @property
    def step(self) -> str:
        return str(self.state.step.id)

    @property
    def ledger(self) -> Any:
        return self.state.game["ledger"]

    @property
    def fight(self) -> Any:
        return self.state.game["battle"].fight


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.desk.close()
    harness.clear()


def set_up(table: Table) -> None:
    """Place the United Kingdom's reinforcements of its own choice."""
    table.screen("Reinforce")
    table.pick("Set-up: United Kingdom, Suez")
    table.pick("Scout Car")
    assert table.ledger.units["convoy.suez"] == {"uk.scout_car": 1}
    table.tap("Set-up done")
    assert table.step == "r1.germany.convoys.advance"


def germany(table: Table) -> None:
    """A flank on Mersa Brega and an air attack on Malta's guns; a convoy sets sail for Tripoli."""
    table.main()
    assert table.step == "r1.germany.requisition.buy"
    table.pick("Infantry")
    table.pick("Tank")
    table.pick("Supply")
    table.main()
    assert table.step == "r1.germany.combat_move.move"
    table.screen("Board")
    table.pick("Malta")
    table.plus("Supply token", 2)
    table.tap("UK")
    table.plus("AA gun")
    table.tap("Everything is entered")
    table.screen("Table")
    table.screen("Board")
    table.pick("Zella")
    table.tap("Move")
    assert table.laid.has("up to 2 spaces")
    table.screen("Table")
    table.main()
    assert table.step == "r1.germany.combat_move.declare"
    table.screen("Combat")
    table.pick("Mersa Brega")
    table.plus("Mechanized Infantry, El Agheila")
    table.plus("Tank, El Agheila", 2)
    table.plus("Scout Car, Zella")
    assert table.laid.has("Supply: El Agheila 1")
    table.tap("Declare")
    table.pick("Malta")
    table.plus("Bomber, Sicily")
    table.tap("Declare")
    assert table.ledger.supply["el_agheila"] == 4
    table.tap("Attacks declared")
    assert table.step == "r1.germany.combat.resolve"
    table.screen("Combat")
    table.pick("Malta")
    assert table.fight.stage == "air_defence"
    table.roll(lambda _line: 0)
    assert table.fight.stage == "orders"
    table.tap("Fight: pay 1 supply")
    table.roll(lambda _line: 0)
    table.roll(lambda _line: 0)
    table.tap("Cease the attack")
    table.tap("Conclude")
    # One token for the defence, one that the bomber destroyed.
    assert table.ledger.supply["malta"] == 2
    flank(table)
    table.tap("Resume")
    table.tap("Combats done")
    assert table.step == "r1.germany.noncombat.move"
    table.screen("Board")
    table.pick("Malta")
    table.tap("Move")
    table.plus("Bomber")
    table.tap("Choose where they go")
    table.pick("Sicily")
    table.screen("Table")
    table.screen("Board")
    table.pick("Zella")
    table.tap("Move")
    table.plus("Scout Car")
    table.tap("Choose where they go")
    table.pick("Sokna")
    assert table.ledger.units["sokna"] == {"germany.scout_car": 1}
    table.screen("Table")
    table.main()
    assert table.step == "r1.germany.deploy.place"
    table.screen("Reinforce")
    for line in ("1 Infantry", "1 Tank", "1 Supply"):
        table.pick(line)
        table.pick("1 → Tripoli convoy")
    table.main()
    assert table.step == "r1.uk.convoys.advance"


def flank(table: Table) -> None:
    """Two tanks and infantry from the west, a scout car on the flank; power fails before the defenders fire."""
    table.pick("Mersa Brega")
    assert table.fight.stage == "orders"
    table.tap("Fight: pay 1 supply")
    say = table.reading.say
    flanking = [say(line.title) for line in table.volleys() if "eroll 8 and above" in say(line.sub)]
    assert flanking == ["Scout Car: 1 die at 2 or less"]
    table.roll(lambda line: 1 if "Tank" in say(line.title) else 0)
    assert table.fight.stage == "losses"
    seen = table.fight
    table.pull_the_plug()
    assert table.fight == seen
    table.tap("Continue")
    table.screen("Combat")
    table.tap("Take the losses")
    assert table.fight.stage == "defence"
    undo = next(w for w in table.plates() if w.text.startswith("Undo"))
    table.press(undo)
    if table.laid.root.dialogs:
        table.tap("Undo it")
    assert table.fight == seen
    assert table.ledger.units["mersa_brega"]["uk.infantry"] == 1
    table.tap("Take the losses")
    table.roll(lambda _line: 0)
    assert table.fight.stage == "press"
    while table.fight is not None and table.fight.stage != "over":
        stage = table.fight.stage
        if stage == "press":
            table.tap("Press the attack")
        elif stage == "orders":
            table.tap("Fight: pay 1 supply")
        elif stage == "losses":
            table.tap("Take the losses")
        else:
            table.roll(lambda line: len(line.value.items) if table.fight.stage == "attack" else 0)
    table.tap("Conclude")
    held = table.ledger.units["mersa_brega"]
    assert (held["germany.tank"], held["germany.mechanized"], held["germany.truck"]) == (2, 1, 1)
    assert "germany.scout_car" not in held


def uk(table: Table) -> None:
    """The submarine from Malta's zone falls upon the convoy; one transport is hit, what is left of it escapes."""
    table.screen("Reinforce")
    table.main()  # the convoys of the southern route
    assert table.ledger.units["cairo"]["uk.scout_car"] == 1
    table.main()
    table.pick("Malta: 15 points")
    table.main()
    assert table.step == "r1.uk.combat_move.move"
    table.screen("Board")
    table.tap("Convoys")
    table.pick("Malta convoy")
    table.tap("Move")
    table.plus("Submarine")
    table.tap("Choose where they go")
    table.pick("Tripoli convoy")
    table.screen("Table")
    table.main()
    table.screen("Combat")
    table.pick("Tripoli convoy")
    table.plus("Submarine, Tripoli convoy")
    table.tap("Declare")
    table.tap("Attacks declared")
    table.screen("Combat")
    table.pick("Tripoli convoy")
    table.tap("Submarines strike")
    table.dice(1)
    table.tap("Dice are correct")
    assert table.laid.has("Two per hit: the owner picks one, the attacker names the type of the other")
    table.tap("Take the losses")
    # The owner gave the token, the attacker named the tank; the infantry escapes.
    assert table.ledger.units["convoy.tripoli"] == {"germany.infantry": 1, "uk.submarine": 1}
    assert table.ledger.supply["convoy.tripoli@germany"] == 0
    table.tap("The two most expensive escape")
    table.tap("Conclude")
    table.tap("Combats done")
    for _n in range(2):
        table.screen("Table")
        table.main()
    assert table.step == "r1.italy.convoys.advance"


def italy(table: Table) -> None:
    for _n in range(12):
        if table.step.startswith("r2."):
            break
        table.screen("Table")
        table.main()
        if table.step == "r1.italy.deploy.place":
            break
    table.screen("Table")
    table.main()
    assert table.step == "r2.germany.convoys.advance"


def test_a_round_by_taps(table: Table) -> None:
    set_up(table)
    germany(table)
    uk(table)
    italy(table)
    table.screen("Reinforce")
    table.main()
    assert table.ledger.units["tripoli"]["germany.infantry"] == 1
    page = report_html(table.desk.change, table.desk.entries(), table.desk.counts, table.time.wall_ms())
    for words in ("Mersa Brega", "Malta", "Tripoli convoy"):
        assert words in page
    assert table.taps > 100
