"""Saved games, sticks and the report: what the window does with files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from companion.core.setup import Setup
from companion.core.sound import is_id
from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.pages.i18n import _
from companion.pages.modules import modules
from companion.ui.dialogs import Choose
from companion.ui.root_part import RootPart

__all__ = ["Games"]


class Games(RootPart):
    """Opens, starts, copies and reports games."""

    _wants_table = False

    def open_game(self, path: Path) -> None:
        """Open a saved game; the table comes up with its first change, or a notice says why not."""
        self._wants_table = True
        self.desk.open(path)
        self._show_table()

    def start_game(self, setup: Setup, arbiter_pin: str = "") -> None:
        """Start a new game; the table, or the screen of its first act, comes up with its first change."""

        def start(named: Setup) -> None:
            self._wants_table = True
            self.desk.start(named, arbiter_pin=arbiter_pin)
            self._show_table()

        def kept(name: str) -> None:
            if name:
                start(replace(setup, arbiter_hash=name))

        if arbiter_pin:
            self.work(lambda: self.desk.new_arbiter_pin(arbiter_pin), kept)
        else:
            start(setup)

    def _games_played(self) -> Iterable[str]:
        """Return the games of the table: the open one, else those that lie here, else any."""
        if self.desk.change is not None:
            return (self.desk.change.state.frozen_setup.game,)
        return {saved.game for saved in self.desk.saved_games()} or modules()

    def _show_table(self) -> None:
        if self._wants_table and self.desk.change is not None:
            self._wants_table = False
            self._warned.clear()
            self.drafts.clear()
            self.lock_arbiter()
            self._lead_from(self.desk.change)

    def export(self, path: Path) -> None:
        """Copy a saved game to a USB stick, asking which where there are several."""
        self._on_stick(lambda stick: self.desk.export(path, stick))

    def import_game(self) -> None:
        """Take a game from a USB stick."""

        def choose(stick: Path) -> None:
            files = sorted(stick.glob("*.jsonl"))
            if not files:
                self.notify(Notice("warning", Say("No saved games on this USB stick"), Typed(str(stick))))
            else:
                options = [(file, file.stem) for file in files]
                self.ask(Choose(_("Copy which game?"), options, self._import))

        self._on_stick(choose)

    def export_printed(self, game: str) -> None:
        """Copy the printed values of a game to a USB stick, where this desk keeps any."""
        keep = getattr(self.desk, "export_printed", None)
        if keep is not None:
            self._on_stick(lambda stick: keep(game, stick))

    def import_printed(self) -> None:
        """Take printed values from a USB stick, where this desk keeps any."""
        keep = getattr(self.desk, "import_printed", None)

        def choose(stick: Path) -> None:
            files = sorted(stick.glob("*.json"))
            if not files:
                self.notify(Notice("warning", Say("No printed values on this USB stick"), Typed(str(stick))))
            elif keep is not None:
                self.ask(Choose(_("Use which file?"), [(file, file.stem) for file in files], keep))

        self._on_stick(choose)

    def _import(self, path: Path) -> None:
        self.desk.import_game(path)
        self.refresh()

    def _on_stick(self, act: Callable[[Path], None]) -> None:
        sticks = self.sticks()
        if not sticks and self.is_stick_unread():
            what_to_do = Say("Use one that is formatted as FAT32 or exFAT.")
            self.notify(Notice("warning", Say("This USB stick cannot be read"), what_to_do))
        elif not sticks:
            self.notify(Notice("warning", Say("No USB stick was found"), Say("Plug one in and try again.")))
        elif len(sticks) == 1:
            act(sticks[0])
        else:
            self.ask(Choose(_("Which stick?"), [(stick, stick.name) for stick in sticks], act))

    def report(self) -> None:
        """Write the report of the open game, to a stick where there is one, else into the data folder."""
        change, rules = self.desk.change, self.desk.rules
        if change is None or rules is None:
            return
        sticks = self.sticks()
        folder = sticks[0] if sticks else Path(self.settings.data_folder or ".") / "reports"
        scenario = change.state.frozen_setup.scenario
        stem = scenario if is_id(scenario) else "game"  # a file's own word must not lead out of the folder
        name = f"{stem}-{time.strftime('%Y%m%d-%H%M', time.localtime(self.wall_ms() / 1000))}.html"
        entries, now_ms = self.desk.entries(), self.wall_ms()

        def make() -> str:
            """The odds of an evening's battles take seconds: clocks and presses do not wait for them."""
            from companion.pages.report import report_html

            return report_html(
                change, entries, self.desk.counts, now_ms, pictures=self.desk.photos.of(None, entries)
            )

        self.work(make, lambda text: self.on_report(folder / name, text))
