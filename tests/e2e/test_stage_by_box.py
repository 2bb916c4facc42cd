"""A tournament stage by the panel: pretended pins, or the box's firmware on a pseudo-terminal; the real desk and window.

Every act is ended by the panel's own buttons; what the window, the lamps and the digits show is looked at. Halfway the
panel is lost and the game goes on by finger until it is back.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.panel_link import PanelLink
from companion.adapters.shell import ShellDesk
from companion.core.clock import remaining
from companion.core.ids import Side
from companion.core.state import GameState
from companion.pages.desk import Notice
from companion.pages.frame import frame
from companion.testing import harness
from hardware.ports import Button, Display, Lamp, PanelState

ALLIES, AXIS = Side("allies"), Side("axis")
RULES = GameCatalogue().rules_of("sfw96")
PATIENCE_S = 20.0


def _kit() -> ModuleType:
    """The rigs of the hardware tests."""
    name = "hardware_rigs"
    if name not in sys.modules:
        path = Path(__file__).parents[1] / "hardware" / "conftest.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


class Table:
    """The window, the desk and the panel, all real but the display and the pins or the cable."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.posts: deque[Callable[[], None]] = deque()
        self.notices: list[Notice] = []
        self.asked: list[str] = []
        """The steps that a button did not end before a question was answered on the window."""
        self.desk = ShellDesk(folder, GameCatalogue(folder / "data"), post=self.posts.append)
        self.desk.start(self.desk.make_setup("sfw96", "italy", {"tournament": True}))
        self.rig = _kit().GpioRig() if kind == "gpio" else _kit().SerialRig(folder)
        self.link = PanelLink(
            self.rig.panel,
            self.desk,
            now_ns=time.monotonic_ns,
            post=self.posts.append,
            notify=self.notices.append,
            subscribe=self.desk.subscribe_at_once,
        )
        self.link.start()
        self.wait_for(lambda: self.rig.panel.status().state is PanelState.WORKING)
        self.laid = harness.lay(self.desk, screen="table")
        self.pause()

    def close(self) -> None:
        self.link.close()
        self.rig.close()
        self.desk.close()

    @property
    def state(self) -> GameState:
        change = self.desk.change
        assert change is not None
        return change.state

    @property
    def step(self) -> str:
        return self.state.step.id

    @property
    def owner(self) -> Side | None:
        owners = self.state.step.owners
        return owners[0] if len(owners) == 1 else None

    def drain(self) -> None:
        while self.posts:
            self.posts.popleft()()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, f"waited too long at {self.notices}"
            self.drain()
            self.rig.let_pass_ms(2)

    def pause(self) -> None:
        """Longer than the moment in which a second press of the same hand is not meant."""
        self.rig.let_pass_ms(260)
        self.drain()

    def push(self, button: Button) -> None:
        """Push a button of the box and let it go, and wait for what it does; what it asks is answered on the window."""
        before = self.step
        self.rig.contact(button, True)
        self.wait_for(lambda: self.step != before or bool(self.laid.root.dialogs))
        if self.step == before:
            self.asked.append(before)
            self.laid.settle()
            self.laid.tap(self.laid.find(text="Leave it open"))
            self.wait_for(lambda: self.step != before)
        self.rig.contact(button, False)
        self.pause()

    def shows_step(self) -> None:
        """Look at the window: its breadcrumb names the step that the button led to."""
        self.drain()
        self.laid.settle()
        crumbs = frame(self.desk.change, RULES).crumbs
        for crumb in crumbs:
            assert self.laid.has(crumb), f"{self.step}: the window does not show {crumb!r}"


@pytest.fixture(params=["gpio", "serial"])
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Table]:
    made = Table(tmp_path, request.param)
    yield made
    made.close()
    harness.clear()


BIG = {ALLIES: Button.LEFT, AXIS: Button.RIGHT}
LAMPS = {ALLIES: Lamp.LEFT, AXIS: Lamp.RIGHT}
DISPLAYS = {ALLIES: Display.LEFT, AXIS: Display.RIGHT}


def test_a_tournament_stage_by_the_panel(table: Table) -> None:
    seen = [table.step]
    clocked = 0
    pulled = False
    while table.state.step.stage <= 1:
        owner = table.owner
        button = BIG[owner] if owner is not None else Button.LEFT
        if owner is not None and table.state.clocks.running is not None:
            clocked += 1
            mine, other = LAMPS[owner], LAMPS[AXIS if owner == ALLIES else ALLIES]
            table.wait_for(
                lambda mine=mine, other=other: table.rig.lamp_level(mine) > table.rig.lamp_level(other)
            )
            assert table.rig.display_row(DISPLAYS[owner]).strip() not in ("", "0.00")
            if clocked == 2:
                wrong = BIG[AXIS if owner == ALLIES else ALLIES]
                before = table.step
                table.rig.contact(wrong, True)
                table.pause()
                table.rig.contact(wrong, False)
                table.pause()
                assert table.step == before
            if clocked == 4:
                table.rig.lose()
                table.wait_for(lambda: table.rig.panel.status().state is PanelState.LOST)
                pulled = True
                table.shows_step()
                table.laid.tap(table.laid.find(text=table.laid.root.screen.main_text))
                table.wait_for(lambda at=seen[-1]: table.step != at)
                table.rig.regain()
                table.wait_for(lambda: table.rig.panel.status().state is PanelState.WORKING)
                table.pause()
                seen.append(table.step)
                continue
        table.push(button)
        table.shows_step()
        seen.append(table.step)
    assert pulled, seen
    assert table.asked == ["s1.r.allies.choose", "s1.r.axis.choose"], "nobody has said who holds what"
    assert clocked >= 12
    assert len(seen) == len(set(seen))
    for side in (ALLIES, AXIS):
        left = remaining(table.state.clocks, side, table.desk.now_ms())
        assert left is not None
        assert left > 0
    warnings = [str(notice.text) for notice in table.notices if "not respond" in str(notice.text)]
    assert len(warnings) == 1
    sources = {entry.source for entry in table.desk.entries()}
    assert {"panel", "touch"} <= sources
