"""The director's window: the desk runs in a thread of its own with all its network, the window draws what it says once a second."""

from __future__ import annotations

import argparse
import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion.core.text import Say
from companion.director.look import Look
from companion.director.pages import entry_of
from companion.hall.desk.web.desk import Desk
from companion.hall.errors import HallError
from companion.pages.desk import Subscription
from companion.pages.page import Refuse, Tell
from companion.session.listeners import Listeners

__all__ = ["DeskDirector", "Serving", "show"]

_EACH_S, _WAIT_S = 1.0, 60.0
Serve = Callable[[Callable[[Desk], None], asyncio.Event], Awaitable[object]]
"""Serves until the event is set, and says first which desk it serves."""


class Serving:
    """A desk that is served in a thread of its own."""

    def __init__(self, serve: Serve) -> None:
        """Start it; `wait` says when it is there."""
        self._serve = serve
        self._is_there = threading.Event()
        self._fault: BaseException | None = None
        self._desk: Desk | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._ends: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        async def serve() -> None:
            self.loop, self._ends = asyncio.get_running_loop(), asyncio.Event()
            await self._serve(self._take, self._ends)

        try:
            asyncio.run(serve())
        except BaseException as fault:
            self._fault = fault
        self._is_there.set()

    def _take(self, desk: Desk) -> None:
        self._desk = desk
        self._is_there.set()

    def wait(self) -> Desk:
        """Return the desk once it is there, or raise why it never will be."""
        self._is_there.wait()
        if self._desk is None:
            raise self._fault or HallError("the desk ended before it began")
        return self._desk

    @property
    def fault(self) -> BaseException | None:
        """Why it has ended; None: it has not, or in order."""
        return self._fault

    def stop(self) -> None:
        """End it, and wait for that; twice is safe."""
        if self._thread.is_alive() and self.loop is not None and self._ends is not None:
            self.loop.call_soon_threadsafe(self._ends.set)
        self._thread.join(30)


class DeskDirector:
    """The `Director` of a desk that is served on another thread's loop."""

    def __init__(
        self,
        desk: Desk,
        loop: asyncio.AbstractEventLoop,
        post: Callable[[Callable[[], None]], None],
        now_ms: Callable[[], int],
    ) -> None:
        """Look at a desk. `post` runs a call on the thread of the window, whose clock is `now_ms`."""
        self._desk, self._loop, self._post, self._now_ms = desk, loop, post, now_ms
        self._listeners: Listeners[None] = Listeners(_raised)
        self._look: Look | None = None
        self._table = 0
        self._is_asked = False

    @property
    def look(self) -> Look | None:
        """What there is to show."""
        return self._look

    def turn_to(self, table: int) -> None:
        """Have the log of a table come along from now on, and wait for the first of it."""
        self._table = table
        with suppress(TimeoutError):  # it comes with one of the next looks
            look = asyncio.run_coroutine_threadsafe(self._looked(table), self._loop).result(_WAIT_S)
            self._post(lambda: self._take(look))

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the window's thread whenever `look` has changed."""
        return self._listeners.add(lambda _none: listener())

    def ask(self) -> None:
        """Have the desk say how it stands; one question at a time is under way."""
        if not self._is_asked:
            self._is_asked = True
            self._loop.call_soon_threadsafe(self._say, self._table)

    def _say(self, table: int) -> None:
        look = self._look_at(table)
        self._post(lambda: self._take(look))

    async def _looked(self, table: int) -> Look:
        return self._look_at(table)

    def _look_at(self, table: int) -> Look:
        """Return how the desk stands; on its own loop alone."""
        desk, lives = self._desk, self._desk.lives
        desk.reread()
        log, sent = lives.log(str(table)) if table else (), lives.sent(desk.now.rules.sides)
        return Look(desk.view(), 0, sent, lives.asking(), tuple(lives.games), table, log)

    def _take(self, look: Look) -> None:
        self._is_asked = False
        self._look = look._replace(at_ms=self._now_ms())
        self._listeners.tell(None)

    def act(self, fields: Mapping[str, str]) -> Tell | Refuse:
        """Do what a form asks and return what came of it; it waits for the desk."""
        try:
            told, _page = asyncio.run_coroutine_threadsafe(self._desk.do(fields), self._loop).result(_WAIT_S)
        except HallError as fault:
            return Refuse(fault.say)
        except TimeoutError:
            return Refuse(Say("The desk did not answer. Check whether it was done."))
        self._post(self.ask)
        return Tell(told)


def _raised(fault: BaseException) -> None:
    raise fault


def show(args: argparse.Namespace, folder: Path, serve: Serve) -> int:
    """Open the window on what `serve` serves, until it is closed; HallError where there is none."""
    from companion.app import box_defaults, open_window

    _turn, why = open_window(args)
    if why:
        raise HallError(why)
    from kivy.base import runTouchApp, stopTouchApp
    from kivy.clock import Clock
    from kivy.core.window import Window

    from companion.adapters.catalogue import GameCatalogue
    from companion.adapters.shell import ShellDesk
    from companion.ui import registry
    from companion.ui.bridge import Bridge
    from companion.ui.drawn import wait_for_frames
    from companion.ui.root import Root
    from companion.ui.theme import theme

    def end(*_args: Any) -> bool:
        Clock.schedule_once(lambda _dt: stopTouchApp(), 0)
        return True

    serving = Serving(serve)
    try:
        desk = serving.wait()
        assert serving.loop is not None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, end)
        bridge = Bridge()
        kept = ShellDesk(folder, GameCatalogue(), post=bridge.post, settings_defaults=box_defaults())
        theme.use(size_px=Window.size)
        director = DeskDirector(desk, serving.loop, bridge.post, kept.now_ms)
        registry.offer(entry_of(director))
        root = Root(kept, wall_ms=kept.time.wall_ms, on_quit=stopTouchApp)
        Window.set_title(desk.now.name)
        Window.clearcolor = (0, 0, 0, 1)
        wait_for_frames(Window)
        Window.bind(on_request_close=end, on_textinput=lambda _window, text: root.text_typed(text))
        Window.bind(on_key_down=lambda _w, code, *rest: _pressed(root, code, rest))
        Window.bind(on_key_up=lambda _w, code, *_rest: root.key_up(code))
        director.ask()
        Clock.schedule_interval(lambda _dt: director.ask(), _EACH_S)
        Clock.schedule_interval(lambda _dt: end() if serving.fault is not None else None, _EACH_S)
        root.go("director")
        runTouchApp(root)
        root.close()
        kept.close()
    finally:
        serving.stop()
    if serving.fault is not None:
        raise serving.fault
    return 0


def _pressed(root: Any, code: int, rest: tuple[Any, ...]) -> bool:
    if {"ctrl", "alt", "meta"} & set(rest[2] or ()) if len(rest) > 2 else False:
        return False
    root.key_down(code)
    return True
