"""The root of the window: one screen at a time in its frame, dialogs and notices over it. Its other parts are `root_*`.

Layers from below: the still layer with frame, screen and the running digits over them, toast, dialogs, tour, the dark
of a dimmed screen. A touch goes to the topmost layer only. After a screen or dialog has changed, presses are swallowed
for a moment, so that the second half of a double tap never hits what has just appeared under the finger; the moment counts from
the first frame that shows it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.clock import Clock
from kivy.graphics import Color, Rectangle
from kivy.properties import ObjectProperty
from kivy.uix.widget import Widget

from companion.core.change import Change
from companion.pages import i18n
from companion.pages.desk import Desk, Notice
from companion.pages.dice_eye import DiceEye, DiceHabit, NoEye, NothingLearnt
from companion.pages.dice_sets import DiceSets, NoSets
from companion.pages.draft import Drafts
from companion.pages.frame import frame
from companion.pages.hall import Hall, NoHall
from companion.pages.hardware import Bench, Cameras, NoBench, NoCameras
from companion.pages.help import lines as help_lines
from companion.pages.i18n import _
from companion.pages.phones import NoPhones, Phones
from companion.pages.prompts import prompt_for
from companion.pages.result import NoSigner, Signer
from companion.pages.scanner import NoScanner, Scanner
from companion.pages.settings import read_settings
from companion.pages.system import System
from companion.pages.take_back import undo_kind, undo_label
from companion.ui import registry
from companion.ui.dialogs import Dialog, Help, Report
from companion.ui.frame import Frame
from companion.ui.inputs import KeyGate, PressClock, monotonic_ns
from companion.ui.missed import Missed
from companion.ui.prompts import prompt_dialog
from companion.ui.render.screen import load
from companion.ui.rest import Contacts, Fresh, MainRest, Rest, WakeGesture
from companion.ui.root_answers import Answers
from companion.ui.root_games import Games
from companion.ui.root_hands import SETTLE_MS, Hands
from companion.ui.root_lights import IDLE_FPS, TOUCH_FPS, Lights
from companion.ui.sound import NullSounds, Sounds
from companion.ui.still import Still
from companion.ui.theme import theme
from companion.ui.toast import Toast
from companion.ui.warm import Tidy, WarmUp
from companion.ui.work import Work

__all__ = ["IDLE_FPS", "SETTLE_MS", "TOUCH_FPS", "Root"]

_TRAIL = 12
"""How many screens are remembered, to go back to."""
_LAYERS = 30
"""How deep one layout may lie in another and still be done within a frame."""


class Root(Games, Answers, Hands, Lights):
    """Everything in the window. Give it a desk; `go` shows a screen."""

    screen = ObjectProperty(None, allownone=True)

    def __init__(
        self,
        desk: Desk,
        *,
        sounds: Sounds | None = None,
        now_ns: Callable[[], int] = monotonic_ns,
        wall_ms: Callable[[], int] = lambda: int(time.time() * 1000),
        on_quit: Callable[[], None] = lambda: None,
        on_report: Callable[[Path, str], None] = lambda _path, _text: None,
        sticks: Callable[[], list[Path]] = list,
        **kwargs: object,
    ) -> None:
        """Build an empty root on a desk.

        `wall_ms` is for labels only. `on_report` writes a report's text to a path; `sticks` lists USB sticks.
        """
        super().__init__(**kwargs)
        Clock.max_iteration = _LAYERS
        self.desk = desk
        self.sounds: Sounds = sounds or NullSounds()
        self.now_ns, self.wall_ms, self.on_quit = now_ns, wall_ms, on_quit
        self.on_report, self.sticks = on_report, sticks
        self.is_stick_unread: Callable[[], bool] = lambda: False
        """Whether a stick is plugged in that cannot be read; the program sets it."""
        self.bench: Bench = NoBench()
        """The panel beside the screen; the program sets it when there is one."""
        self.cameras: Cameras = NoCameras()
        """Says which cameras are there; the program sets it."""
        self.eye: DiceEye = NoEye()
        """Reads photographed dice; the program sets it."""
        self.dice_habit: DiceHabit = NothingLearnt()
        self.scanner: Scanner = NoScanner()
        """Makes and reads QR codes, and keeps photos of player aids; the program sets it."""
        self.signer: Signer = NoSigner()
        """Signs the result of a tournament's game; the program sets it."""
        self.dice_sets: DiceSets = NoSets()
        """Keeps and learns sets of own dice; the program sets it."""
        self.phones: Phones = NoPhones()
        """Lets phones watch; the program sets it."""
        self.hall: Hall = NoHall()
        """Holds the link to a hall of many tables; the program sets it."""
        self.system: System | None = None
        """The box itself, where this is one; the program sets it."""
        self.turn_touch: Callable[[str], None] | None = None
        """Sets a turned touch panel right; the program sets it where it reads the panel itself."""
        self.press = PressClock(desk.now_ms, now_ns)
        self._frame_over = Clock.create_trigger(lambda _dt: self.press.next_frame(), 0)
        self.keys = KeyGate()
        self._waking = WakeGesture()
        self._main_rest, self._settling, self._bars = MainRest(), Rest(), Fresh()
        self._undone = (None, 0)
        self._contacts = Contacts()
        self.settings = read_settings(desk.settings())
        self.arbiter_until_ns = 0
        self.dialogs: list[Dialog] = []
        self.toast: Toast | None = None
        self._is_grave = False
        """The toast is a warning from the files or devices, not an answer to what was touched last."""
        self._later: Notice | None = None
        self.tour: Any = None
        self.drafts = Drafts()
        """What is being entered on the screens that are pages."""
        self._args: dict[str, object] = {}
        self._trail: tuple[str, ...] = ()
        """Keys of the screens that were up, the last one last."""
        self._active_ns = now_ns()
        self._prompt: Any = None
        self._warned: set[tuple[str, int, str]] = set()
        self.frame: Frame | None = None
        self.feet: dict[str, float] = {}
        """The least width of the place beside the main button of each screen on which a button has stood there in this act."""
        self._foot_step = ""
        self.still = Still()
        self.add_widget(self.still)
        with self.canvas.after:
            self._dark_color = Color(0, 0, 0, 0)
            self._dark_rect = Rectangle()
        self._missed = Missed(self.canvas.after)
        self.bind(pos=self._resize, size=self._resize)
        self._held = (desk.subscribe(self._changed), desk.subscribe_notices(self._noticed))
        self._apply_settings()
        self._schedule_idle()
        self.warm = WarmUp(self.idle_s, self._games_played)
        """Loads ahead what later presses need; the program starts it."""
        self._tidy = Tidy(self.idle_s)
        self.work = Work(self)
        """Does what is too slow for the drawing thread."""

    # Screens

    def go(self, key: str, **args: object) -> None:
        """Show a screen, built anew; args go to its `enter`."""
        if self.screen is not None:
            if key != self.screen.key:
                self._trail = (*self._trail, self.screen.key)[-_TRAIL:]
            self.screen.leave()
            self._tidy.left()
        self._args = args
        one = load(key)(self)
        one.key = key
        if self.frame is not None:
            self.still.lift(())
            self.still.remove_widget(self.frame)
        self.frame = Frame(self, one)
        self.still.add_widget(self.frame)
        self.screen = one
        one.enter(**args)
        self._settle()
        self.refresh()
        if self.toast is not None:
            self.toast.place()

    def came_from(self, *beside: str) -> str:
        """Return the key of the screen that was up before, none of those named; empty where there was none."""
        is_open = self.desk.change is not None
        kept = (key for key in reversed(self._trail) if key not in beside)
        return next((key for key in kept if is_open or not registry.spec(key).needs_game), "")

    def keep_args(self, **args: object) -> None:
        """Change what the screen that is up is entered with when it is built again."""
        self._args = {**self._args, **args}

    def rebuild(self) -> None:
        """Build the screen again, after theme, text size, language or window size changed."""
        self.still.paint()
        self.feet.clear()
        if self.screen is not None:
            kept = self.screen.key
            self.go(kept, **self._args)
        for dialog in self.dialogs:
            dialog.build()

    @property
    def words(self) -> dict[str, str]:
        """Words that many screens need, in the current language."""
        return {"resume": _("Resume"), "back": _("Back to the table"), "done": _("Done")}

    def undo_words(self, change: Change) -> str:
        """Return what an undo would take back, or nothing."""
        return undo_label(change, self.desk.entries())

    def undo_kind(self, change: Change) -> str:
        """Return the same in a few words."""
        return undo_kind(change, self.desk.entries())

    def refresh(self) -> None:
        """Show the newest change everywhere."""
        change = self.desk.change
        if self.screen is None or self.frame is None:
            return
        if change is None and registry.spec(self.screen.key).needs_game:
            self.go("home")
            return
        self.screen.refresh(change)
        step = "" if change is None or change.state.setup is None else str(change.state.step.id)
        if step != self._foot_step:
            self._foot_step = step
            self.feet.clear()
            self.frame.new_act()
        undo = None if change is None or change.state.setup is None else self.undo_words(change)
        self._undone = (undo, 0 if change is None or change.undo is None else change.undo.seq)
        is_paused = change is not None and change.state.clocks.is_paused
        if self._bars.show([self._undone, is_paused]):
            self.wait_for_frame()
        kind = self.undo_kind(change) if undo and change is not None else ""
        self.frame.show(frame(change, self.desk.rules, undo, kind))
        self._prompt_for(change)
        self._tick()
        self._watch()

    def _resize(self, *_args: object) -> None:
        self._darken(self.dark)
        if self.width > 1 and (theme.width_px, theme.height_px) != (int(self.width), int(self.height)):
            theme.use(size_px=self.size)
            self.rebuild()

    # Leaving

    def quit(self) -> None:
        """Close the program; the game is saved as it stands."""
        self.on_quit()

    # The tour

    def start_tour(self, make: Callable[[Root], Widget]) -> None:
        """Lay the tour over everything; twice is safe."""
        if self.tour is None:
            self.tour = make(self)
            self.add_widget(self.tour)
            self._settle()

    def end_tour(self) -> None:
        """Take the tour away and remember that it was seen."""
        if self.tour is not None:
            self.remove_widget(self.tour)
            self.tour = None
            self.desk.change_setting("tour_done", True)
            self.settings = read_settings(self.desk.settings())
            self._settle()

    # Settings

    def set(self, name: str, value: object) -> None:
        """Store a setting and let it take effect at once."""
        self.desk.change_setting(name, value)
        self.settings = read_settings(self.desk.settings())
        self._apply_settings()

    def _apply_settings(self) -> None:
        wanted = (self.settings.theme, self.settings.text_step, self.settings.language)
        self.sounds.set_volume(self.settings.volume if self.settings.sound else 0.0)
        if wanted != (theme.name, theme.text_step, i18n.language()):
            theme.use(name=self.settings.theme, text_step=self.settings.text_step)
            i18n.use_language(self.settings.language)
            self.rebuild()
        elif self.screen is not None:
            self.refresh()

    # Dialogs and notices

    def ask(self, dialog: Dialog) -> None:
        """Open a dialog over everything; it lights a dark screen and swallows every touch beside it."""
        self._wake()
        dialog.root = self
        dialog.build()
        self.dialogs.append(dialog)
        self.add_widget(dialog)
        self._settle()

    def dismiss(self, dialog: Dialog | None = None) -> None:
        """Close a dialog, the topmost one when none is named; closing twice is safe."""
        dialog = dialog if dialog is not None else (self.dialogs[-1] if self.dialogs else None)
        if dialog is None or dialog not in self.dialogs:
            return
        self.dialogs.remove(dialog)
        self.remove_widget(dialog)
        self._tidy.left()
        self._settle()
        if dialog is self._prompt:
            self._prompt = None
            self._prompt_for(self.desk.change)

    def _prompt_for(self, change: Change | None) -> None:
        """Keep the one dialog that the game itself wants (fallen flag, gap) in step with the state."""
        wanted = prompt_for(change, self.desk.rules)
        current = self._prompt
        if current is not None and (wanted is None or not current.shows(wanted)):
            self._prompt = None
            self.dismiss(current)
            current = None
        if wanted is None:
            return
        if current is None:
            self._prompt = prompt_dialog(wanted)
            self.ask(self._prompt)
        else:
            current.show(wanted)

    def notify(self, notice: Notice) -> None:
        """Show a notice for a few seconds, in the table's language; it lights a dark screen."""
        self._wake()
        if self.toast is not None and self.toast.notice == notice:
            self.toast.stay()
            return
        if self.toast is not None and self._is_grave and notice.level == "info":
            self._later = notice  # what a player does next would wipe away what the box had to say
            return
        if self.toast is not None:
            self.toast.drop()
            self.remove_widget(self.toast)
        self._is_grave = False
        self.toast = Toast(self, notice)
        self.add_widget(self.toast, index=len(self.dialogs) + (1 if self.tour else 0))
        if notice.level == "error":
            self.sounds.play("error")
        self.show_report(notice)

    def show_report(self, notice: Notice) -> None:
        """Show the long text of a notice, where it has one, until it is closed."""
        if notice.report and not any(isinstance(dialog, Report) for dialog in self.dialogs):
            self.ask(Report(_("Crash report"), notice.report))

    def _noticed(self, notice: Notice) -> None:
        self.notify(notice)
        self._is_grave = self._is_grave or notice.level != "info"

    def drop_toast(self) -> None:
        """Take the notice away; twice is safe."""
        if self.toast is not None:
            self.toast.drop()
            self.remove_widget(self.toast)
            self.toast, self._is_grave = None, False
        if self._later is not None:
            later, self._later = self._later, None
            self.notify(later)

    def help(self, of: str = "") -> None:
        """Open the help of the screen that is up, or of the one named."""
        if self.screen is not None and not any(isinstance(d, Help) for d in self.dialogs):
            key = of or self.screen.key
            game = self.desk.change.state.frozen_setup.game if self.desk.change is not None else ""
            own = self.screen.help_lines() if key == self.screen.key else ()
            told = ((_(what), _(why)) for what, why in help_lines(key, game))
            self.ask(Help(_(registry.spec(key).title), (*own, *told)))

    # The arbiter

    @property
    def is_arbiter(self) -> bool:
        """Whether the arbiter's PIN was given a short while ago."""
        return self.now_ns() < self.arbiter_until_ns

    def unlock_arbiter(self, seconds: float = 120.0) -> None:
        """Trust the arbiter for a while."""
        self.arbiter_until_ns = self.now_ns() + int(seconds * 1e9)

    def lock_arbiter(self) -> None:
        """Ask for the PIN again next time."""
        self.arbiter_until_ns = 0

    def close(self) -> None:
        """Leave the screen, stop listening and ticking; twice is safe."""
        if self.screen is not None:
            self.screen.leave()
        self.warm.stop()
        self._tidy.stop()
        for held in self._held:
            held.cancel()
        for event in (self._tick_event, self._idle_event, self._calm_event, self._warn_event):
            if event is not None:
                event.cancel()
