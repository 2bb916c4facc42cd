"""The running program: the only place that builds the window, the desk and the real devices.

``companion run`` opens the window on this user's data folder. ``--demo`` plays the recorded Italy game instead, in a
folder of its own, through the same inbox as a finger; with ``--pictures`` it leaves numbered pictures and ends.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic_ns
from typing import Any

from companion.adapters.cameras import CameraWatch
from companion.adapters.catalogue import GameCatalogue
from companion.adapters.desk_host import DeskHost
from companion.adapters.dice_eye import VisionEye
from companion.adapters.dice_habit import KeptHabit
from companion.adapters.dice_sets import VisionSets
from companion.adapters.hall import HallPort
from companion.adapters.phones import PhoneLink
from companion.adapters.phones_asked import PhonesAsked
from companion.adapters.result_signer import ResultSigner
from companion.adapters.scanner import VisionScanner
from companion.adapters.shell import ShellDesk
from companion.adapters.sticks import is_stick_unread, usb_sticks
from companion.album import AT_THE_END, Album, Moment
from companion.cli import version
from companion.core.clock import is_tournament
from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.pages.i18n import LANGUAGES
from companion.pages.system import Wish
from companion.places import BATTLE_DEMO, DEMO, default_data_folder
from companion.session.files import explain, write_whole
from companion.session.portable import read_portable
from companion.session.replay import Player
from companion.session.timesource import ManualTime
from companion.start_checks import (
    WINDOW_SYSTEMS,
    call_fault,
    call_parser,
    photo_folder,
    screen_fault,
    start_fault,
)

__all__ = ["box_defaults", "main", "open_window"]

_log = logging.getLogger(__name__)


def main(argv: Sequence[str]) -> int:
    """Open the window and run until it is closed; return the exit code."""
    args = call_parser().parse_args(list(argv))
    fault = call_fault(args)
    if fault:
        print(f"companion run: {fault}", file=sys.stderr)
        return 2
    fault = start_fault(args) or _find_screen(args)
    if fault:
        print(f"companion run: {fault}", file=sys.stderr)
        return 1
    touch_turn, fault = open_window(args)
    if fault:
        print(f"companion run: {fault}", file=sys.stderr)
        return 1
    with ExitStack() as stack:
        if args.demo:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="companion-demo-")))
            program = _Program(folder, time=ManualTime(), args=args)
        elif args.smoke:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="companion-smoke-")))
            program = _Program(folder, time=None, args=args)
        else:
            program = _Program(
                args.home or default_data_folder(), time=None, args=args, touch_turn=touch_turn
            )
        return program.run()


def open_window(args: argparse.Namespace) -> tuple[Any, str]:
    """Open the one window of this process; return what turns its touches, where it reads them, and why there is none."""
    from companion.ui import env

    width, height = args.size
    is_offscreen = os.environ.get("SDL_VIDEODRIVER") == "offscreen"
    try:
        env.prepare(width, height, offscreen=is_offscreen, touch=args.touch)
    except RuntimeError as fault:
        return None, str(fault)
    touch_turn = None
    if args.touch:
        from companion.ui.touch_panel import TouchTurn, stamp_mtdev_touches

        touch_turn = TouchTurn()
        stamp_mtdev_touches(touch_turn)
    if args.fullscreen:
        os.environ["KCFG_GRAPHICS_FULLSCREEN"] = "auto"
        from kivy.config import Config

        Config.set("graphics", "fullscreen", "auto")
    if args.rotation:
        from kivy.config import Config

        Config.set("graphics", "rotation", str(args.rotation))
    window, why = _open_window()
    if window is None:
        return None, (
            f"no window could be opened: expected a display and a GL driver, got {why}; "
            "start it on the machine's own desktop, and on Debian install libgl1 and libegl1"
        )
    return touch_turn, ""


def _find_screen(args: argparse.Namespace) -> str:
    """Choose what SDL draws on; return that there is no screen. Pictures of the demo need none."""
    if args.smoke:
        os.environ["SDL_VIDEODRIVER"] = "offscreen"
        return ""
    fault = screen_fault(os.environ)
    if fault and args.pictures is not None:
        print("companion run: no screen here, so the demo plays on a virtual one", file=sys.stderr)
        os.environ["SDL_VIDEODRIVER"] = "offscreen"
        return ""
    if sys.platform.startswith("linux"):
        os.environ.setdefault("SDL_VIDEODRIVER", WINDOW_SYSTEMS)
    return fault


def _open_window() -> tuple[Any, str]:
    """Return Kivy's window, or None with why it has none, in the library's words."""
    told = io.StringIO()
    listener = logging.StreamHandler(told)
    logging.getLogger().addHandler(listener)
    try:
        from kivy.core.window import Window
    finally:
        logging.getLogger().removeHandler(listener)
    if Window is not None:
        sys.stderr.write(told.getvalue())
    why = [line.partition(": ")[2] for line in told.getvalue().splitlines() if line.startswith("sdl2 - ")]
    return Window, "; ".join(why).removeprefix("b").strip("'\"") or "none"


def box_defaults() -> dict[str, Any]:
    """Settings that the installer chose for this box; the table may change them."""
    language = os.environ.get("COMPANION_LANGUAGE")
    return {"language": language} if language in LANGUAGES else {}


class _Program:
    """One run of the program: desk, root, devices, and their orderly end."""

    def __init__(
        self, home: Path, *, time: ManualTime | None, args: argparse.Namespace, touch_turn: Any = None
    ) -> None:
        from kivy.core.window import Window

        from companion.ui.bridge import Bridge
        from companion.ui.drawn import wait_for_frames
        from companion.ui.root import Root
        from companion.ui.sound import KivySounds, NullSounds
        from companion.ui.theme import theme

        self.args, self.time = args, time
        self.window = Window
        self.bridge = Bridge()
        self.desk = ShellDesk(
            home,
            GameCatalogue(home / "data"),
            post=self.bridge.post,
            app_version=version(),
            time=time,
            settings_defaults={"data_folder": str(home)} | box_defaults(),
        )
        theme.use(size_px=Window.size)
        is_silent = args.silent or args.demo or os.environ.get("SDL_VIDEODRIVER") == "offscreen"
        self.root = Root(
            self.desk,
            sounds=NullSounds() if is_silent else KivySounds(),
            wall_ms=self.desk.time.wall_ms,
            on_quit=self._shut_down,
            on_report=self._write_report,
            sticks=usb_sticks,
        )
        Window.clearcolor = (0, 0, 0, 1)
        wait_for_frames(Window)
        Window.bind(on_key_down=self._key_down, on_key_up=self._key_up, on_request_close=self._closing)
        Window.bind(on_textinput=lambda _window, text: self.root.text_typed(text))
        self._link: Any = None
        eye = VisionEye(photo_folder(home), self.bridge.post, light=self._light_tray)
        sets = VisionSets(
            home / "dice-sets", self.bridge.post, eye, lambda: str(self.desk.settings().get("dice_set") or "")
        )
        eye.own_set = sets.in_use
        habit = KeptHabit(home / "dice-habit.json", self._is_tournament)
        eye.settle = habit.settle
        self.root.eye, self.root.dice_sets, self.root.dice_habit = eye, sets, habit
        self.root.scanner = VisionScanner(photo_folder(home), home / "printed" / "aids", sticks=usb_sticks)
        self.root.is_stick_unread = is_stick_unread
        self.root.cameras = CameraWatch(self.bridge.post)
        self.root.phones = self.phones = PhoneLink(
            self.desk,
            home / "keys",
            post=self.bridge.post,
            wall_ms=self.desk.time.wall_ms,
            on_fault=lambda fault: self.desk.crashes.write(fault, "phones"),
            notify=self.root.notify,
        )
        self.phones.eye = eye
        self.root.hall = self.hall = HallPort(
            self.desk,
            home / "keys",
            post=self.bridge.post,
            on_fault=lambda fault: self.desk.crashes.write(fault, "the hall"),
            notify=self.root.notify,
            begin=self.root.start_game,
            come=self._come_to_the_hall,
        )
        self.root.signer = ResultSigner(self.desk, home / "keys", self.hall.branch_of)
        self._ask_the_box()
        if touch_turn is not None:
            self._keep_touch_right(touch_turn)
        if not (args.no_panel or args.demo or args.smoke):
            self._link = self._join_panel()
        self.exit_code, self._shown = 0, ""

    def run(self) -> int:
        from kivy.base import ExceptionHandler, ExceptionManager, runTouchApp

        from companion.ui.warm import wake_memory

        desk = self.desk

        class CrashNote(ExceptionHandler):
            told: BaseException | None = None

            def handle_exception(self, fault: BaseException) -> int:
                if fault is not self.told:  # the event loop hands it on, and asks again on its way out
                    self.told = fault
                    desk.crashes.write(fault, "the window", ends_program=True)
                return int(ExceptionManager.RAISE)

        ExceptionManager.add_handler(CrashNote())
        stop_watching = desk.crashes.watch()
        notifier = self._tell_service()
        try:
            self._shown = self._first_screen()
            if self.args.smoke:
                self._smoke()
            wake_memory()
            self.root.warm.start()
            runTouchApp(self.root)
        finally:
            notifier.stopping()
            self.phones.close()
            self.hall.close()
            if self._link is not None:
                self._link.close()
            self.root.close()
            self.desk.close()
            stop_watching()
        return self.exit_code

    def _come_to_the_hall(self) -> None:
        """Show who sits here, unless somebody is about something else."""
        if self.root.screen is not None and self.root.screen.key in ("home", "table", "result", "hall"):
            self.root.go("hall")

    def _smoke(self) -> None:
        """End after ten drawn frames, as an update does before it is taken; four minutes without them are a failure."""
        from kivy.clock import Clock

        frames = [0]

        def drawn(*_args: Any) -> None:
            frames[0] += 1
            if frames[0] >= 10:
                self.stop()
            else:
                self.root.canvas.ask_update()  # nothing moves on a still screen

        def late(_dt: float) -> None:
            self.exit_code = 1
            self.stop()

        self.window.bind(on_flip=drawn)
        Clock.schedule_once(late, 240)

    def _tell_service(self) -> Any:
        """Tell the service manager, where there is one, that the window lives."""
        from kivy.clock import Clock

        from companion.ui.drawn import tell_when_shown
        from hardware.notify import Notifier

        notifier = Notifier.from_environment()
        tell_when_shown(self.window, lambda: notifier.ready(f"{version()}, began with: {self._shown}"))
        if notifier.watchdog_interval_s:
            Clock.schedule_interval(lambda _dt: notifier.watchdog(), notifier.watchdog_interval_s / 2)
        return notifier

    def _shut_down(self) -> None:
        """End the program; on the box the machine goes off too."""
        from hardware.requests import Request, SystemRequests

        SystemRequests.from_environment().ask(Request.POWER_OFF)
        self.stop()

    def _light_tray(self, is_on: bool) -> None:
        """Light the dice tray while dice are read; the reading thread calls it."""
        if self._link is not None:
            self._link.light_tray(is_on)

    def _is_tournament(self) -> bool:
        """Say whether the open game is played under tournament rules."""
        change = self.desk.change
        return change is not None and is_tournament(change.state.clocks)

    def _join_panel(self) -> Any:
        """Join the panel of this machine to the desk; without one the link still serves the Hardware screen."""
        from companion.adapters.panel_link import PanelLink
        from hardware.errors import HardwareError
        from hardware.group import open_panel
        from hardware.pinmap import load_pinmap

        try:
            pinmap = load_pinmap(self.args.pinmap)
        except (HardwareError, OSError) as fault:
            _log.warning("%s", fault)
            self.root.notify(
                Notice("error", Say("The pin map could not be used; the panel is off"), Typed(str(fault)))
            )
            return None
        link = PanelLink(
            open_panel(pinmap),
            self.desk,
            now_ns=monotonic_ns,
            post=self.bridge.post,
            notify=self.root.notify,
            on_key=self._turn_key,
            subscribe=self.desk.subscribe_at_once,
        )
        link.start()
        self.root.bench = link
        return link

    def _ask_the_box(self) -> None:
        """Let the screen ask for updates where this is a box, and tell how one ended that ended this program before."""
        from hardware.requests import Request, SystemRequests

        requests = SystemRequests.from_environment()
        if requests.is_available:
            from companion.adapters.phones_box import BoxPhones

            self.root.system = _BoxSystem(requests)
            assert requests.folder is not None, "a box has its folder"
            self.phones.box = BoxPhones(requests.folder, lambda word: requests.ask(Request(word)))
            self._hear_of_update(requests)

    def _hear_of_update(self, requests: Any) -> None:
        """Look for a minute whether an update that began before this program ended has been answered."""
        from kivy.clock import Clock

        since_ns = monotonic_ns()

        def look(_dt: float) -> bool:
            told = requests.answer()
            if told is not None and not self.root.dialogs:
                requests.forget()
                self.root.notify(Notice("info" if told.done else "error", Typed(told.text)))
                return False
            return monotonic_ns() - since_ns < 60_000_000_000

        Clock.schedule_interval(look, 2)

    def _keep_touch_right(self, touch_turn: Any) -> None:
        """Turn the touch panel as it was found to need, and let the corner test find it anew."""
        from companion.pages.corners import corrected
        from companion.ui.touch_panel import look_for_panels

        look_for_panels()
        touch_turn.turn = type(touch_turn)(self.desk.settings().get("touch_turn")).turn

        def turn(found: str) -> None:
            touch_turn.turn = corrected(touch_turn.turn, found, self.args.rotation)
            self.desk.change_setting("touch_turn", touch_turn.turn)

        self.root.turn_touch = turn

    def _turn_key(self, is_on: bool) -> None:
        """The arbiter's key: while it is on, nobody asks for his PIN."""
        if is_on:
            self.root.unlock_arbiter(seconds=24 * 3600.0)
        else:
            self.root.lock_arbiter()

    def _first_screen(self) -> str:
        """Show what a start begins with, and return it in a few words for the service's status."""
        from kivy.clock import Clock

        if self.args.demo:
            self.root.desk.change_setting("tour_done", True)
            self.root.go("home")
            self._start_demo()
            return "the demo"
        self.phones.go_on()
        PhonesAsked(self.desk.data_folder, self.phones).follow(Clock.schedule_interval)
        self.hall.start()
        left_open = self.desk.left_open()
        self.root.go("home")
        self._tell_of_crash()
        if left_open is not None:
            self.root.open_game(left_open)
            return "the game that was open"
        if self.root.settings.tour_done:
            return "the first screen"
        from companion.ui.first_start import first_start

        first_start(self.root, has_touch=self.args.touch)
        question = type(self.root.dialogs[-1]).__name__ if self.root.dialogs else "Tour"
        return f"the first start ({question})"

    def _tell_of_crash(self) -> None:
        """Say that a fault ended the program last time, and where its report lies: on the screen and the terminal."""
        path = self.desk.crashes.take_ended()
        if path is not None:
            print(f"companion run: the program ended unexpectedly last time; report: {path}", file=sys.stderr)
            self.root.notify(
                Notice(
                    "warning",
                    Say("The program ended unexpectedly last time. No game data was lost"),
                    Say("Report: {file}", file=Typed(str(path))),
                )
            )

    def stop(self) -> None:
        """End the program."""
        from kivy.base import stopTouchApp

        stopTouchApp()

    def _closing(self, *_args: Any, **_kwargs: Any) -> bool:
        self.stop()
        return True

    def _key_down(self, _window: Any, code: int, _scan: int, _text: str, modifiers: list[str]) -> bool:
        if {"ctrl", "alt", "meta"} & set(modifiers or ()):
            return False
        self.root.key_down(code)
        return True

    def _key_up(self, _window: Any, code: int, *_args: Any) -> bool:
        self.root.key_up(code)
        return False

    def _write_report(self, path: Path, text: str) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())
        except OSError as fault:
            why, hint = explain(fault)
            self.root.notify(Notice("error", Say("The report could not be written: {why}", why=why), hint))
        else:
            self.root.notify(Notice("info", Say("The report was written"), Typed(str(path))))

    # The demo

    def _start_demo(self) -> None:
        from kivy.clock import Clock

        if self.time is None:
            raise ValueError("the demo needs a clock that is moved by hand")
        catalogue = GameCatalogue()
        host = DeskHost(self.desk, self.bridge.drain)
        parts = [read_portable(one) for one in (DEMO, BATTLE_DEMO) if one is DEMO or self.args.pictures]
        players = [Player(part, host, self.time, catalogue.rules_of, catalogue.make_setup) for part in parts]
        self._album = Album(self.args.pictures, sum(len(list(part.lines)) for part in parts))
        self._script = self._play_demo(players)
        self._demo_event = Clock.schedule_interval(self._demo_step, 0)

    def _demo_step(self, _dt: float) -> bool:
        """Go on with the demo for one frame."""
        if next(self._script, self) is not self:
            return True
        self._end_demo()
        return False

    def _play_demo(self, players: list[Player]) -> Iterator[None]:
        """Play line by line; every yield is one frame of the window."""
        if self.args.pictures is not None:
            yield from self._picture(Moment("first start", "home", "The first start: what to begin with"))
        for player in players:
            for played in player.play():
                self.bridge.drain()
                if self.root.screen.key == "home" and self.desk.change is not None:
                    self.root.go("table")
                self._album.tell()
                for moment in self._album.wanted(played):
                    yield from self._picture(moment)
                yield
        if self.args.pictures is not None:
            for screen, caption in AT_THE_END.items():
                yield from self._picture(Moment(screen, screen, caption))

    def _picture(self, moment: Moment) -> Iterator[None]:
        """Show a screen, let it be laid out and its slow work be done, and take its picture, unless it was taken before."""
        before = self.root.screen.key
        self.root.go(moment.screen, **moment.args)
        for _n in range(5):
            yield
        while self.root.work.wait():
            yield
        for _n in range(2):
            yield
        self._album.keep(moment, self._pixels())
        if before not in (moment.screen, "home"):
            self.root.go(before)

    def _end_demo(self) -> None:
        change = self.desk.change
        if change is None:
            self.exit_code = 1
        else:
            state = change.state
            where = "over" if state.ending is not None else state.step.id
            print(f"demo: {len(self.desk.entries())} entries, {where}")
        if self.args.pictures is not None:
            self._album.close()
            self.stop()

    def _pixels(self) -> Any:
        """Return what is on screen, uint8 of shape (height, width, 3), row 0 on top."""
        import numpy as np
        from kivy.base import EventLoop
        from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels

        EventLoop.window.dispatch("on_draw")
        width, height = self.window.size
        raw = glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE)
        return np.frombuffer(raw, np.uint8).reshape(height, width, 4)[::-1, :, :3].copy()


class _BoxSystem:
    """The `System` port over the files through which the box is asked."""

    def __init__(self, requests: Any) -> None:
        self._requests = requests

    def ask(self, wish: Wish) -> bool:
        from hardware.requests import Request

        return bool(self._requests.ask(Request(wish)))

    def answer(self) -> tuple[bool, str] | None:
        told = self._requests.answer()
        if told is None:
            return None
        self._requests.forget()
        return told.done, told.text
