"""The root of the window: one screen at a time in its frame, dialogs and notices over it, keys, dimming, ticking.

Layers from below: the still layer with frame, screen and the running digits over them, toast, dialogs, tour, the dark
of a dimmed screen. A touch goes to the topmost layer only. After a screen or dialog has changed, presses are swallowed
for a moment, so that the second half of a double tap never hits what has just appeared under the finger.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.clock import Clock
from kivy.graphics import Color, Rectangle
from kivy.properties import ObjectProperty
from kivy.uix.floatlayout import FloatLayout
from msgspec.structs import replace

from companion.core import commands as cm
from companion.core.change import Change, Envelope
from companion.core.commands import Command
from companion.core.events import GameEnded, StepEntered
from companion.core.ids import TABLE, Actor
from companion.core.rules import Code, Rejected
from companion.core.sound import is_id
from companion.core.text import Say, Typed
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
from companion.pages.labels import refusal
from companion.pages.modules import game_view
from companion.pages.needs import ask_again
from companion.pages.page import Ask
from companion.pages.phones import NoPhones, Phones
from companion.pages.prompts import prompt_for
from companion.pages.result import NoSigner, Signer
from companion.pages.scanner import NoScanner, Scanner
from companion.pages.settings import read_settings
from companion.pages.system import System
from companion.pages.take_back import stays, take_back, undo_label
from companion.pages.watch import warning_at
from companion.ui import registry
from companion.ui.dialogs import Choose, Confirm, Dialog, Help, Report, prompt_dialog
from companion.ui.frame import Frame
from companion.ui.inputs import ERASE_KEY, KeyGate, PressClock, is_sign, monotonic_ns
from companion.ui.rest import Contacts, MainRest, WakeGesture
from companion.ui.sound import NullSounds, Sounds
from companion.ui.still import Still
from companion.ui.theme import theme
from companion.ui.toast import Toast
from companion.ui.warm import Tidy, WarmUp
from companion.ui.work import Work

__all__ = ["IDLE_FPS", "SETTLE_MS", "TOUCH_FPS", "Root"]

SETTLE_MS = 250
"""How long presses are swallowed after the screen under them has changed."""
IDLE_FPS, TOUCH_FPS = 30, 60
_LIVELY_S = 5.0
_TRAIL = 12
"""How many screens are remembered, to go back to."""
_LAYERS = 30
"""How deep one layout may lie in another and still be done within a frame."""

_SILENT = {Code.STALE_STEP, Code.NOT_PAUSED}
"""Refusals that need no words: a bounce or a second finger; nothing was meant and nothing was lost."""

_NOT_STORED = "not_stored"
"""The code of a refusal by the disk."""


class Root(FloatLayout):
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
        **kwargs: Any,
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
        self._wants_table = False
        self.press = PressClock(desk.now_ms, now_ns)
        self.keys = KeyGate()
        self._woke_by_key = False
        self._waking = WakeGesture()
        self._main_rest = MainRest()
        self._contacts = Contacts()
        self._hand = "touch"
        """What acts now, as the log names it: a finger unless a key is being handled."""
        self.settings = read_settings(desk.settings())
        self.arbiter_until_ns = 0
        self.dialogs: list[Dialog] = []
        self.toast: Toast | None = None
        self._is_grave = False
        """The toast is a warning from the files or devices, not an answer to what was touched last."""
        self._later: Notice | None = None
        self.tour: Any = None
        self.dark = 0.0
        self.drafts = Drafts()
        """What is being entered on the screens that are pages."""
        self._once: tuple[Command, Callable[[], None]] | None = None
        self._again: tuple[Command, Callable[[], None]] | None = None
        """What follows a command that was refused for want of a value, should it be sent again."""
        self._args: dict[str, Any] = {}
        self._trail: tuple[str, ...] = ()
        """Keys of the screens that were up, the last one last."""
        self._settled_ns = 0
        self._view = 0
        self._active_ns = now_ns()
        self._tick_event: Any = None
        self._idle_event: Any = None
        self._calm_event: Any = None
        self._warn_event: Any = None
        self._prompt: Any = None
        self._told_why: tuple[Dialog, ...] = ()
        """What the newest refusal asked; while it stands, a further refusal adds no question to it."""
        self._warned: set[tuple[str, int, str]] = set()
        self.frame: Frame | None = None
        self._led_to = ""
        self.still = Still()
        self.add_widget(self.still)
        with self.canvas.after:
            self._dark_color = Color(0, 0, 0, 0)
            self._dark_rect = Rectangle()
        self.bind(pos=self._resize, size=self._resize)
        self._held = (desk.subscribe(self._changed), desk.subscribe_notices(self._noticed))
        self._apply_settings()
        self._schedule_idle()
        self.warm = WarmUp(self.idle_s)
        """Loads ahead what later presses need; the program starts it."""
        self._tidy = Tidy(self.idle_s)
        self.work = Work(self)
        """Does what is too slow for the drawing thread."""

    def idle_s(self) -> float:
        """Return for how long nobody has touched anything."""
        return (self.now_ns() - self._active_ns) / 1e9

    # Screens

    def go(self, key: str, **args: Any) -> None:
        """Show a screen, built anew; args go to its `enter`."""
        if self.screen is not None:
            if key != self.screen.key:
                self._trail = (*self._trail, self.screen.key)[-_TRAIL:]
            self.screen.leave()
            self._tidy.left()
        self._args = args
        one = registry.load(key)(self)
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

    def keep_args(self, **args: Any) -> None:
        """Change what the screen that is up is entered with when it is built again."""
        self._args = {**self._args, **args}

    def rebuild(self) -> None:
        """Build the screen again, after theme, text size, language or window size changed."""
        self.still.paint()
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

    def refresh(self) -> None:
        """Show the newest change everywhere."""
        change = self.desk.change
        if self.screen is None or self.frame is None:
            return
        if change is None and registry.spec(self.screen.key).needs_game:
            self.go("home")
            return
        self.screen.refresh(change)
        undo = None if change is None or change.state.setup is None else self.undo_words(change)
        self.frame.show(frame(change, self.desk.rules, undo))
        self._prompt_for(change)
        self._tick()
        self._watch()

    def _resize(self, *_args: Any) -> None:
        self._darken(self.dark)
        if self.width > 1 and (theme.width_px, theme.height_px) != (int(self.width), int(self.height)):
            theme.use(size_px=self.size)
            self.rebuild()

    # Games

    def open_game(self, path: Path) -> None:
        """Open a saved game; the table comes up with its first change, or a notice says why not."""
        self._wants_table = True
        self.desk.open(path)
        self._show_table()

    def start_game(self, setup: Any, arbiter_pin: str = "") -> None:
        """Start a new game; the table comes up with its first change."""

        def start(named: Any) -> None:
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

    def _show_table(self) -> None:
        if self._wants_table and self.desk.change is not None:
            self._wants_table = False
            self._warned.clear()
            self.drafts.clear()
            self.lock_arbiter()
            self.go("table")

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
        if not sticks:
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

    def quit(self) -> None:
        """Close the program; the game is saved as it stands."""
        self.on_quit()

    # The tour

    def start_tour(self, make: Any) -> None:
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

    def set(self, name: str, value: Any) -> None:
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

    # Commands and their answers

    def send(self, command: Command, *, actor: Actor = TABLE, source: str = "") -> None:
        """Hand a command to the desk; the answer comes as a change. An empty source is the hand that acts now."""
        if self._again is not None and self._again[0] == command:
            self._once, self._again = self._again, None
        self.desk.send(command, actor=actor, source=source or self._hand)

    def once_taken(self, command: Command, act: Callable[[], None]) -> None:
        """Do something once a command that is about to be sent is taken; never where it is refused."""
        self._once = (command, act)

    def _changed(self, change: Change) -> None:
        if self._main_rest.changed(change, self.settings.rest_ms):
            Clock.schedule_once(self._act_is_drawn, 0)
        self._wake()  # whatever arrives lights the screen, also what is refused
        if (
            self._once is not None
            and change.envelope is not None
            and change.envelope.command == self._once[0]
        ):
            once, self._once = self._once, None
            if change.rejected is None:
                once[1]()
            elif change.rejected.needs:
                self._again = once
        if change.rejected is not None:
            self._refused(change)
        elif change.envelope is not None and isinstance(change.envelope.command, cm.EndAct):
            self.sounds.play("press")
        elif reason := stays(change):
            self.notify(Notice("info", Typed(reason)))
        if self._wants_table:
            self._show_table()
        elif not self._lead(change):
            self.refresh()
        self._tidy.left()

    def _act_is_drawn(self, _dt: float) -> None:
        self._main_rest.drawn(self.now_ns())

    def _lead(self, change: Change) -> bool:
        """Show the screen that a newly entered act leads to, and the table after the last of them."""
        moved = any(isinstance(event, StepEntered) for entry in change.entries for event in entry.events)
        is_over = any(isinstance(event, GameEnded) for entry in change.entries for event in entry.events)
        if self.screen is None or not (moved or is_over) or change.state.setup is None:
            return False
        wanted = game_view(change.state.setup.game).screen_for(change.state)
        here = self.screen.key
        came_by_itself = here == self._led_to
        self._led_to = wanted
        target = wanted or ("table" if came_by_itself and here != "table" else "")
        if not target or target == here or not (here == "table" or came_by_itself):
            return False
        self.go(target)
        return True

    def _refused(self, change: Change) -> None:
        rejected, envelope = change.rejected, change.envelope
        if rejected is None or rejected.code in _SILENT:
            return
        if any(dialog in self.dialogs for dialog in self._told_why):
            return  # the panel's button again under the question of its first press
        before = tuple(self.dialogs)
        self._tell_why(change, rejected, envelope)
        self._told_why = tuple(dialog for dialog in self.dialogs if dialog not in before)

    def _tell_why(self, change: Change, rejected: Rejected, envelope: Envelope | None) -> None:
        command = envelope.command if envelope is not None else None
        is_theirs = envelope is not None and envelope.source == "phone" and not isinstance(command, cm.EndAct)
        if is_theirs and rejected.code != _NOT_STORED:
            return  # told on that phone alone: why may name what only its owner knows
        if rejected.code == Code.CONFIRM_UNDO and isinstance(command, cm.Undo):
            self._confirm_again(command, change, _("Undo this?"), _("Undo it"))
        elif envelope is not None and (
            ask := ask_again(change.state, rejected, envelope.command, envelope.actor)
        ):
            self._ask_needed(change, ask)
        elif (rejected.code == Code.STILL_OPEN and isinstance(command, cm.EndAct)) or (
            rejected.code == "over_limit" and getattr(command, "confirmed", None) is False
        ):
            self._confirm_again(command, change, _("Continue anyway?"), _("Continue"))
        else:
            self.notify(Notice("warning", Typed(refusal(rejected, change.state))))
        if rejected.code == _NOT_STORED:
            self._ask_place()

    def _ask_place(self) -> None:
        """Ask, where there is another place, whether the open game is to be kept there: its own takes nothing more."""
        move = getattr(self.desk, "move_game", None)
        places = [(stick, stick.name) for stick in self.sticks()]
        if move is None or not places or self.dialogs:
            return
        self.ask(
            Choose(
                _("Save the game on a USB stick?"),
                places,
                move,
                _("Its own place takes nothing more. The whole game is written to the stick and kept there."),
            )
        )

    def _ask_needed(self, change: Change, ask: Ask) -> None:
        """Ask for the value that a refused command needs, and do what its answer says."""
        from companion.ui.render.forms import Asking, carry_out
        from companion.ui.render.pen import Pen

        pen = Pen(lambda _act, _touch: None, lambda why: self.notify(Notice("info", Typed(pen.title(why)))))
        pen.use(change.state)
        Asking(self, pen, ask, lambda act, touch: carry_out(self, pen, act, touch))

    def _confirm_again(self, command: Any, change: Change, title: str, yes: str) -> None:
        """Ask, and send the refused command again as confirmed, with the stamp of its first press."""
        import msgspec

        envelope, rejected = change.envelope, change.rejected
        if envelope is None or rejected is None:
            return
        confirmed = msgspec.structs.replace(command, confirmed=True)

        def go_on(_touch: Any) -> None:
            self.send(confirmed, actor=envelope.actor, source=envelope.source)

        self.ask(Confirm(title, refusal(rejected, change.state), yes, go_on))

    def main_act(self, touch: Any) -> None:
        """Do what the big button says, unless it rests: its act has only just changed, so this press was not meant."""
        screen = self.screen
        if screen is None or not screen.main_text or not screen.main_enabled:
            return
        self.press.see(touch)
        if self._main_rest.takes(touch.seen_ns) and self.is_first_contact("main", touch):
            screen.main_act(touch)

    def is_first_contact(self, button: str, touch: Any) -> bool:
        """Say whether a press of a button is not a finger's second contact of it, which must not end two acts."""
        self.press.see(touch)
        return self._contacts.is_first(button, touch.seen_ns)

    def undo(self, touch: Any, *, source: str = "") -> None:
        """Take back the newest act, or what the table has entered since."""
        change = self.desk.change
        if change is None or change.state.setup is None:
            return
        entered = take_back(change, self.desk.entries())
        if entered is not None:
            self.send(entered[1], source=source)
        elif change.undo is not None:
            undo = cm.Undo(at_ms=self.press.stamp_ms(touch), keeps_clock=True)
            self.send(undo, source=source)

    def pause(self, touch: Any, *, source: str = "") -> None:
        """Pause the clocks, or let them run on."""
        change = self.desk.change
        if change is None or change.state.setup is None or change.state.ending is not None:
            return
        at_ms = self.press.stamp_ms(touch)
        is_paused = change.state.clocks.is_paused
        self.send(cm.Resume(at_ms=at_ms) if is_paused else cm.Pause(at_ms=at_ms), source=source)

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

    # Touch

    def _settle(self) -> None:
        self._settled_ns = self.now_ns() + SETTLE_MS * 1_000_000
        self._view += 1

    def on_touch_down(self, touch: Any) -> bool:
        """Stamp a touch, wake the screen, and give the touch to the topmost layer."""
        self.press.see(touch)
        if not self.collide_point(*touch.pos):
            return False
        if self._waking.down(touch.uid, touch.seen_ns, woke=self._wake()):
            return True
        if touch.seen_ns < self._settled_ns:
            return True
        view = self._view
        touch.is_stale = lambda: view != self._view
        if self.tour is not None:
            self.tour.on_touch_down(touch)
        elif self.dialogs:
            self.dialogs[-1].on_touch_down(touch)
        elif self.toast is not None and self.toast.on_touch_down(touch):
            pass
        elif self.frame is not None:
            self.frame.on_touch_down(touch)
        return True

    def on_touch_move(self, touch: Any) -> bool:  # noqa: ARG002
        """Nothing follows a finger but what has grabbed it."""
        return True

    def on_touch_up(self, touch: Any) -> bool:
        """Nothing hears a release but what has grabbed the touch."""
        self._waking.up(touch.uid, self.now_ns())
        return True

    # Keys

    def key_down(self, code: int) -> bool:
        """Act on a key; repeats of a held key never do. True when the key means something here."""
        typing = bool(self.dialogs) and self.tour is None and self.dialogs[-1].takes_text
        if typing and code == ERASE_KEY:
            self.keys.release(code)  # held, it takes back sign after sign
        name = self.keys.press(code)
        self._woke_by_key = False
        if name is None and not typing:
            return False
        event = _KeyPress(self.now_ns())
        if self._waking.down(("key", code), event.seen_ns, woke=self._wake()):
            self._woke_by_key = True
            return True
        if event.seen_ns < self._settled_ns or name is None or (typing and is_sign(code)):
            return True
        self._hand = "key"
        try:
            self._key(name, event)
        finally:
            self._hand = "touch"
        return True

    def text_typed(self, text: str) -> None:
        """Take signs that a real keyboard typed; they go to the dialog on top, where it takes any.

        What a key typed that woke the screen or opened the dialog is dropped.
        """
        if self.tour is not None or not self.dialogs or not self.dialogs[-1].takes_text:
            return
        if not self._woke_by_key and self.now_ns() >= self._settled_ns:
            self.dialogs[-1].take_text(text)

    def key_up(self, code: int) -> None:
        """Note that a key was let go."""
        self.keys.release(code)
        self._waking.up(("key", code), self.now_ns())

    def _key(self, name: str, event: Any) -> None:
        if self.tour is not None:
            self.tour.on_key(name)
            return
        if self.dialogs:
            self.dialogs[-1].on_key(name, event)
            return
        screen = self.screen
        if screen is None or screen.on_key(name, event):
            return
        match name:
            case "main":
                self.main_act(event)
            case "undo":
                self.undo(event)
            case "redo":
                self.send(cm.Redo(at_ms=self.press.stamp_ms(event)))
            case "pause":
                self.pause(event)
            case "help":
                self.help()
            case "back" | "previous":
                self.go("table" if self.desk.change is not None and screen.key != "table" else "home")
            case "next_tab":
                self._next_tab()

    def _next_tab(self) -> None:
        change = self.desk.change
        if change is None or self.screen is None:
            return
        keys = [s.key for s in registry.for_game(change.state.frozen_setup.game) if s.rail]
        here = keys.index(self.screen.key) if self.screen.key in keys else -1
        self.go(keys[(here + 1) % len(keys)])

    # Dimming, frame rate

    def _wake(self) -> bool:
        """Note activity and light the screen; True when it was dark."""
        self._active_ns = self.now_ns()
        Clock._max_fps = float(TOUCH_FPS)
        if self._calm_event is not None:
            self._calm_event.cancel()
        self._calm_event = Clock.schedule_once(self._calm, _LIVELY_S)
        was_dark = self.dark > 0
        if was_dark:
            self._darken(0.0)
        self._schedule_idle()
        return was_dark

    def _calm(self, _dt: float) -> None:
        Clock._max_fps = float(IDLE_FPS)

    def _darken(self, share: float) -> None:
        self.dark = share
        self._dark_color.a = share
        # Blending nothing over the whole window would cost as much as the darkness itself.
        self._dark_rect.pos = self.pos
        self._dark_rect.size = self.size if share else (0, 0)

    def idle_check(self, *_args: Any) -> None:
        """Dim or blank when nothing has happened for long enough; never while a clock runs or a flag waits."""
        idle_s = self.idle_s()
        change = self.desk.change
        settings = self.settings
        state = change.state if change is not None else None
        if state is not None and (state.clocks.running is not None or state.flag_prompt is not None):
            self._darken(0.0)
        elif settings.blank_after_s and idle_s >= settings.blank_after_s:
            self._darken(1.0)
        elif settings.dim_after_s and idle_s >= settings.dim_after_s:
            self._darken(0.7)
        self._schedule_idle()

    def _schedule_idle(self) -> None:
        if self._idle_event is not None:
            self._idle_event.cancel()
        idle_s = self.idle_s()
        marks = [s for s in (self.settings.dim_after_s, self.settings.blank_after_s) if s and s > idle_s]
        self._idle_event = (
            Clock.schedule_once(self.idle_check, max(0.5, min(marks) - idle_s + 0.05)) if marks else None
        )

    # Time on screen

    def _tick(self, *_args: Any) -> None:
        if self._tick_event is not None:
            self._tick_event.cancel()
            self._tick_event = None
        if self.screen is None:
            return
        now_ms = self.desk.now_ms()
        waits = [self.screen.tick(now_ms), None if self.frame is None else self.frame.tick(now_ms)]
        self.still.lift((*self.screen.moving, *(() if self.frame is None else self.frame.moving)))
        wait_ms = min((wait for wait in waits if wait is not None), default=None)
        if wait_ms is not None:
            self._tick_event = Clock.schedule_once(self._tick, wait_ms / 1000 + 0.002)

    def _watch(self, *_args: Any) -> None:
        """Sound each warning once a stage and side, and look again when the next is due."""
        if self._warn_event is not None:
            self._warn_event.cancel()
            self._warn_event = None
        change = self.desk.change
        if change is None or change.state.setup is None:
            return
        warning, wait_ms = warning_at(change.state, self.desk.now_ms())
        if warning is not None:
            key = (warning.side, change.state.step.stage, warning.level)
            if key not in self._warned:
                self._warned.add(key)
                self.sounds.play(warning.level)
                if warning.text:
                    self.notify(Notice("warning", Typed(warning.text)))
        if wait_ms is not None:
            self._warn_event = Clock.schedule_once(self._watch, wait_ms / 1000 + 0.002)

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


class _KeyPress:
    """A key press with the instant at which it was seen, as a touch has it."""

    def __init__(self, seen_ns: int) -> None:
        self.seen_ns = seen_ns
