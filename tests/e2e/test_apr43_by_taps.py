"""A whole game of April 1943 by taps: control, cards, lanes, bombing, a sealed fleet, an automatic victory, its report.

The real shell and journal stand behind the real screens; only the display is off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.core.commands import EndAct
from companion.core.ledger import quarters_text
from companion.games.sfw.rules.control import totals
from companion.pages.report import report_html
from companion.session.seals import TableVault, Vault
from companion.session.timesource import ManualTime
from companion.testing import harness

SECRET = "J4"


class Table:
    """Fingers at a window over a real data folder; after every tap the writer is waited for."""

    def __init__(self, folder: Path, *, taps_all: bool) -> None:
        self.taps_all = taps_all
        """Whether acts in which nothing happens are ended by taps too, or by commands."""
        self.posts: deque[Callable[[], None]] = deque()
        self.time = ManualTime(1_000_000)
        self.desk = ShellDesk(folder, GameCatalogue(folder / "data"), post=self.posts.append, time=self.time)
        self.desk.vault = TableVault(Vault(folder / "keys", self.time, kdf_n=1 << 10))
        self.desk.start(self.desk.make_setup("sfw96", "apr43", {}))
        self.settle()
        self.laid = harness.lay(self.desk, size=(800, 480), screen="table")
        self.taps = 0

    def settle(self) -> None:
        """Wait for what was sent, and for what is sent only once that is taken."""
        self.write_out()
        while self.posts:
            self.posts.popleft()()
            self.write_out()

    def write_out(self) -> None:
        """Let the writer do what was sent."""
        self.time.advance(10)
        if self.desk._session is not None:
            self.desk._session.sync()

    def tap(self, text: str = "", *, icon: str = "", nth: int = 0, where: Any = None) -> None:
        if where is None:
            where = self.laid.find(text=text or None, icon=icon or None, nth=nth)
        self.laid.tap(where, settle=False)
        self.settle()
        self.laid.settle()
        self.taps += 1

    def main(self) -> None:
        """Tap the main button, and go on over what is asked."""
        self.tap(self.laid.root.screen.main_text)
        for word in ("End the step", "Leave it open"):
            if self.laid.root.dialogs and self.laid.has(word):
                self.tap(word)

    @property
    def step(self) -> str:
        change = self.desk.change
        assert change is not None
        return change.state.step.id

    @property
    def state(self) -> Any:
        change = self.desk.change
        assert change is not None
        return change.state

    def go(self, step: str) -> None:
        for _n in range(200):
            if self.step == step:
                self.settle()
                self.laid.settle()
                return
            if not self.taps_all:
                self.desk.send(EndAct(self.step, self.desk.now_ms(), confirmed=True))
                self.posts.clear()  # the screens need to show the last change only
                self.write_out()
                continue
            if self.laid.root.screen.key not in ("table", "control", "support", "resupply"):
                self.rail("table")
            self.main()
        raise AssertionError(f"never came to {step}, stands at {self.step}")

    def rail(self, key: str) -> None:
        """Open a screen: by the rail, or by More where the rail has no room for it."""
        try:
            self.tap(where=self.laid.find(icon=key))
        except LookupError:
            self.tap(where=self.laid.find(icon="more"))
            self.tap(key.capitalize())
        assert self.laid.root.screen.key == key

    def write(self, text: str) -> None:
        for sign in text:
            self.tap("Space bar" if sign == " " else sign.upper())
        self.tap("Done")

    def number(self, text: str, done: str = "Done") -> None:
        for sign in text:
            self.tap(sign)
        self.tap(done)

    def plus(self, widget: Any) -> None:
        """Tap the plus of a stepper."""
        plus = next(child for child in walk(widget) if getattr(child, "icon", "") == "plus")
        self.tap(where=plus)

    def line(self, cls: str, wanted: Callable[[Any], bool]) -> Any:
        return next(w for w in self.laid.walk() if type(w).__name__ == cls and wanted(w))

    def site(self, name: str) -> None:
        """Open a site in Control, turning pages."""
        self.rail("control")
        self.tap("Objectives")
        for turn in ("back", "forward", "forward", "forward", "forward"):
            found = [w for w in self.laid.walk() if type(w).__name__ == "ItemTile" and w.text == name]
            if found:
                self.tap(where=found[0])
                return
            self.tap(where=self.laid.find(icon=turn))
        raise AssertionError(f"{name} is on no page")

    def buy_tanks(self, count: int, where: str = "Algiers") -> tuple[int, str]:
        """Buy and place tanks with the Land resupply that is chosen; return what they cost and where they stand."""
        for _n in range(count):
            self.tap(where=self.line("ItemTile", lambda w: w.item.key == "tank"))
        self.tap(f"Place {count} units: {where}")
        record = self.state.game["resupply"].records[0]
        assert record.units == {"tank": count}
        return record.cost, record.where

    def take(self, name: str, vp: str, nation: str) -> None:
        """Enter a tile's value, then take its site with one unit."""
        self.site(name)
        self.tap("Value")
        self.number(vp)
        self.tap(where=self.line("ItemTile", lambda w: w.item.key == f"own.{nation}"))
        self.main()


def walk(widget: Any) -> Iterator[Any]:
    yield widget
    for child in widget.children:
        yield from walk(child)


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=["acts", "every_tap"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path, taps_all=request.param)
    yield table
    harness.clear()
    table.desk.close()


def seal_the_us_fleet(table: Table) -> None:
    table.rail("sealed")
    table.tap(where=table.line("ItemRow", lambda w: w.item.key == "new.us.fleet"))
    for key in (*SECRET, "battleship", "destroyer", "destroyer"):
        table.tap(where=table.line("ItemTile", lambda w, key=key: w.item.key == key))
    table.main()
    for sign in "48294829":
        table.tap(sign)
    table.tap("Done")
    assert table.state.game["seals"].has_fleet("us")


def reveal_it(table: Table) -> None:
    table.rail("sealed")
    table.tap("Hidden Fleet, United States")
    table.tap("Reveal: the side's PIN")
    table.number("1111")
    assert table.state.game["seals"].secrets["us.fleet.1"].shown is None
    table.tap("Hidden Fleet, United States")
    table.tap("Reveal: the side's PIN")
    table.number("4829")
    assert table.state.game["seals"].secrets["us.fleet.1"].shown is not None


def play_a_card(table: Table) -> None:
    table.tap(where=table.line("ItemTile", lambda w: w.item.act == "play.us"))
    table.write("Lend Lease")
    table.tap("Strategy")
    table.number("1")
    table.tap("Discarded at once, as its symbol says")
    assert table.state.game["support"].hands["us"].tokens == 1


def enter_algiers(table: Table) -> None:
    """Enter which nation holds Algiers, and its resupply values on the printed-values form."""
    table.site("Algiers")
    table.tap("Enter the nation")
    table.tap("United States")
    table.tap(where=table.laid.find(icon="more"))
    table.tap("Printed values")
    table.tap("Sheets")
    table.tap("Resupply")
    row = table.line("ItemRow", lambda w: w.text == "Algiers")
    air = next(w for w in walk(row) if getattr(w, "sub", "") == "Air")
    table.tap(where=air)
    for key in ("9", "8", "More than 11", "1", "2"):
        table.tap(key)  # the pad stands beside the sheet and moves on


def resupply_algiers(table: Table) -> None:
    table.tap(where=table.line("ItemRow", lambda w: w.item.key == "axis.1"))
    table.tap(where=table.line("ItemRow", lambda w: w.item.key == "of.1"))
    table.tap("Algiers")
    for lane in range(2, 6):
        table.tap(f"Lane {lane}: level")
    table.main()
    assert table.step == "s3.r.allies.choose"
    table.tap("United States")
    table.tap(where=table.line("ItemTile", lambda w: w.item.key == "land.algiers"))
    table.tap(where=table.line("ItemTile", lambda w: w.item.key == "land"))
    assert "bombed" in table.laid.root.dialogs[-1].text
    table.tap("Cancel")
    assert table.buy_tanks(2) == (8, "algiers")


def bomb_algiers(table: Table) -> None:
    table.rail("resupply")
    table.tap("Board")
    table.tap("United States")

    def wanted(widget: Any) -> bool:
        return type(widget).__name__ == "ItemRow" and bool(widget.item.key == "bombing.algiers")

    while not any(map(wanted, table.laid.walk())):
        table.tap(where=table.laid.find(icon="forward"))
    for _n in range(2):  # the page stays where it is
        table.plus(next(filter(wanted, table.laid.walk())))
    assert table.state.game["resupply"].bombed == {"algiers": 2}
    table.rail("table")


def test_a_whole_game_of_april_1943_by_taps(table: Table, tmp_path: Path) -> None:
    seal_the_us_fleet(table)
    enter_algiers(table)
    table.rail("table")
    table.go("s3.t1.allies.move")
    table.rail("sealed")
    table.main()  # stays hidden
    assert "s3.t1.allies.move.allies" in table.state.game["seals"].confirmed
    table.rail("table")
    table.go("s3.t2.axis.resolve")
    bomb_algiers(table)
    table.go("s3.t3.allies.move")
    before = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b'"space":"J4"' in content or b"4829" in content for content in before)
    reveal_it(table)
    table.rail("table")
    table.go("s3.t4.allies.resolve")
    table.take("Catania", "1", "us")
    assert quarters_text(totals(table.state).quarters["allies"]) == "39"
    table.rail("table")
    table.go("s3.ns.allies.play")
    play_a_card(table)
    table.go("s3.r.allies.lanes")
    resupply_algiers(table)
    table.go("s6.t4.allies.resolve")
    table.take("Heraklion", "0.5", "gb")
    table.take("Rome", "9", "us")
    table.rail("table")
    assert quarters_text(totals(table.state).quarters["allies"]) == "48.5"
    for _n in range(40):
        if table.state.ending is not None:
            break
        table.main()
    ending = table.state.ending
    assert (ending.winner, ending.level) == ("allies", "automatic")
    assert ending.reason == "Allies 48.5 VP, 48.5 needed"
    assert table.step == "s6.v.check"
    page = report_html(table.desk.change, table.desk.entries(), table.desk.counts, table.time.wall_ms())
    for words in (
        "Automatic victory: Allies",
        "2 Tank",
        "Lend Lease",
        "Space J4",
        "Rome to United States (48.5 : 29.5)",
    ):
        assert words in page
    assert "4829" not in page
    (tmp_path / "report.html").write_text(page)
    assert table.taps > (250 if table.taps_all else 100)
