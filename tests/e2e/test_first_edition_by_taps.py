"""A stage of the first edition by taps: New game, figures from the aid, battles, a desert, a line, cards, resupply.

The real shell and journal stand behind the real screens; only the display is off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.core.ledger import quarters_text
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Fight
from companion.games.sfw.rules.battle_progress import groups_left
from companion.games.sfw.rules.battle_state import battles_of, fight_of
from companion.games.sfw.rules.control import totals
from companion.pages.report import report_html
from companion.session.seals import TableVault, Vault
from companion.session.timesource import ManualTime
from companion.testing import harness
from tests.e2e.test_apr43_by_taps import Table


class First(Table):
    """Fingers at a window that starts at home, without a game."""

    def __init__(self, folder: Path, size: tuple[int, int] = (800, 480), language: str = "en") -> None:
        self.taps_all, self.taps = False, 0
        self.posts = deque()
        self.time = ManualTime(1_000_000)
        self.desk = ShellDesk(folder, GameCatalogue(folder / "data"), post=self.posts.append, time=self.time)
        self.desk.vault = TableVault(Vault(folder / "keys", self.time, kdf_n=1 << 10))
        self.laid = harness.lay(self.desk, size=size, screen="home", language=language)

    def tile(self, unit: str, nation: str, count: int = 1) -> None:
        """Tap a unit's tile in the row of a nation."""
        for _n in range(count):
            tiles = (w for w in self.laid.walk() if type(w).__name__ == "ItemTile")
            self.tap(where=next(w for w in tiles if f".{nation}.{unit}." in w.item.key))

    def figure(self, label: str, value: str) -> None:
        """Enter a figure on a unit's card."""
        if not any(getattr(w, "text", "") == label for w in self.laid.walk()):
            self.tap(where=self.laid.find(icon="forward"))
        self.tap(label)
        self.number(value)

    def dice(self, *values: int) -> None:
        for value in values:
            self.tap(str(value))

    def declare(self, space: str, terrain: str) -> None:
        self.rail("battle")
        for way in ("Another battle", "All battles"):
            if self.laid.has(way):
                self.tap(way)
                break
        if self.laid.has("Declare a battle"):  # else the page asks for the space at once
            self.tap("Declare a battle")
        self.tap("Another space")
        self.write(space)
        self.tap(terrain)

    @property
    def battle(self) -> Any:
        return battles_of(self.state).battles[-1]

    def battle_left(self, side: str) -> Any:
        """Return the units that stand in the space of the newest battle after it."""
        fight = fight_of(self.state, self.battle)
        assert isinstance(fight, Fight)
        attacker = ATTACKING if self.battle.attacker == side else DEFENDING
        return groups_left(fight, attacker, self.battle.progress)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[First]:
    table = First(tmp_path)
    yield table
    harness.clear()
    table.desk.close()


def start(table: First) -> None:
    table.tap("New game")
    table.tap("Song for War, first edition")
    table.tap("April 1943")
    table.tap(table.laid.root.screen.second_text)
    table.tap("Clock")
    assert not table.laid.has("Tournament")
    table.tap("Custom minutes")
    table.tap("Start the game")
    table.settle()
    table.laid.settle()
    setup = table.state.frozen_setup
    assert (setup.game, setup.scenario) == ("sfw1", "first_apr43")
    assert setup.clock.allotted_ms["axis"] == (20 * 60_000,) * 4
    assert table.laid.has("38.5")
    assert table.laid.has("40.5")
    rope = table.line("ScoreBar", lambda w: bool(w.height))._block
    assert [str(one.title.values["n"]) for one in rope.thresholds] == ["49", "51"]


def concentrate_at_sea(table: First) -> None:
    """Two submarines of each side fire together; whether they moved and the figures of a Cruiser are asked for first."""
    table.go("s3.t3.allies.declare")
    table.declare("C4", "Sea")
    table.tile("submarine", "gb", 2)
    table.tile("destroyer", "gb")
    table.tile("cruiser", "germany")
    table.tile("submarine", "italy", 2)
    for nation in ("Great Britain", "Italy"):
        table.tap(f"{nation}, 2 Submarines: did they move in this step?")
        table.tap("Yes, moved")
    for colour in ("Yellow", "Blue"):
        table.tap(f"Enter the hit number of the Cruiser ({colour})")
        table.number("8")
    table.tap("Details")
    for row in ("Italy: 2 Submarines", "Great Britain: 2 Submarines"):
        table.tap(row)
        table.tap("Concentrated fire")
    table.tap(table.laid.root.screen.main_text)
    table.dice(1)  # the Destroyer
    table.dice(12, 1)  # the Cruiser's yellow die, a 12 that levels up, and its blue one
    assert table.laid.has("7.\xa0Concentrated fire")
    table.tap("Great Britain: 2 Submarines")
    table.dice(9, 10)  # the Allies' submarines at the Cruiser
    table.dice(7, 8)
    assert table.battle.progress.owed
    table.tap("1 Yellow")
    table.tap("Take the losses")
    assert table.battle.status == "over"
    assert {group.unit for group in table.battle_left("axis")} == {"submarine"}
    table.tap("Undo: the losses")
    assert table.battle.status == "fighting"
    table.tap("Take the losses")


def cross_a_desert(table: First) -> None:
    table.go("s3.t4.axis.move")
    table.rail("battle")
    table.tap("Desert roll")
    assert table.laid.root.screen.key == "desert"
    table.tap("Which desert space?")
    table.write("Siwa")
    table.tap("Italy")
    for unit, count in (("Infantry", 2), ("Tank", 1), ("Artillery", 1)):
        for _n in range(count):
            table.tap(where=table.line("ItemTile", lambda w, unit=unit: w.text == unit))
    table.tap("Roll 4 yellow dice")
    table.dice(10, 12, 9)
    table.tap("Erase")
    table.dice(3, 1)
    entry = table.state.game["desert"].rolls[-1]
    assert (entry.space, entry.nation, entry.penalties, entry.sent_back) == ("Siwa", "italy", 2, 2)
    assert not entry.is_settled
    table.tap(where=table.line("ItemTile", lambda w: w.text == "Tank"))
    table.tap("They halt")
    assert table.state.game["desert"].rolls[-1].halted == {"tank": 1}
    assert table.laid.has("2 Infantry go back, 1 Tank halts")


def take_the_line(table: First) -> None:
    table.go("s3.t5.allies.resolve")
    table.site("Mareth Line")
    table.tap(where=table.line("ItemTile", lambda w: w.item.key == "own.gb"))
    table.main()
    assert quarters_text(totals(table.state).quarters["allies"]) == "39"


def push_through_on_step_6(table: First) -> None:
    table.go("s3.t6.axis.return")
    table.rail("battle")
    table.tap("Push through")
    table.tap("Another space")
    table.write("D5")
    table.tap("Sea")
    table.tap("Air")
    table.tile("fighter", "germany", 2)
    table.tile("fighter", "gb")
    table.tap(table.laid.root.screen.main_text)
    table.dice(7)
    assert table.battle.status == "over"
    assert table.battle_left("axis")[0].count == 1


def support_and_resupply(table: First) -> None:
    table.go("s3.ns.draw")
    table.go("s3.ns.allies.play")
    hands = table.state.game["support"].hands
    assert {hand.cards for hand in hands.values()} == {2}
    table.go("s3.r.allies.lanes")
    table.rail("resupply")
    assert table.laid.has("A  Gibraltar, Algiers")
    table.go("s3.r.allies.choose")
    table.rail("resupply")
    tripoli = table.line("ItemTile", lambda w: w.item.key == "land.tripoli")
    assert tripoli.item.value == 16
    table.tap(where=tripoli)
    table.rail("units")
    table.tap("Land")
    table.tap("Tank  (figures missing)")
    table.figure("Cost", "4")
    table.rail("resupply")
    assert table.buy_tanks(4, "Tripoli") == (16, "tripoli")


def test_a_stage_of_the_first_edition_by_taps(table: First) -> None:
    start(table)
    concentrate_at_sea(table)
    cross_a_desert(table)
    take_the_line(table)
    push_through_on_step_6(table)
    support_and_resupply(table)
    page = report_html(table.desk.change, table.desk.entries(), table.desk.counts, table.time.wall_ms())
    for words in ("7.\xa0Concentrated fire", "Siwa", "Mareth Line to Great Britain (39 : 40)", "4 Tank"):
        assert words in page
