"""What is done while nobody touches the screen: loading ahead, and clearing away the screens that were left.

A screen's module, its kv file and a game's words are loaded when first needed; on a small machine that is a good part
of a second. `WarmUp` loads them one by one after the start, each in a moment of its own, and never within `QUIET_S` of
a touch; of the games only those that this table plays, as each takes some MB. `settle_memory` keeps the collector from
walking everything in the middle of a press; so that memory does not grow for it, `Tidy` collects what a screen, a
dialog or the rows of a list left behind (widgets refer to each other) in the next quiet moment.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from kivy.clock import Clock

from companion.pages.i18n import current
from companion.pages.modules import modules
from companion.ui import registry
from companion.ui.render.screen import load

__all__ = ["LONGEST_S", "QUIET_S", "Tidy", "WarmUp", "settle_memory", "wake_memory"]

_log = logging.getLogger(__name__)

QUIET_S = 1.0
"""How long nobody must have touched anything before something is loaded, or cleared away."""
LONGEST_S = 4.0
"""Where nobody rests for so long, what was left is cleared away all the same: it would pile up, screen upon screen."""
_STEP_S = 0.15
_LOOK_S = 0.5

_LIBRARIES = (
    "babel.lists",
    "babel.numbers",
    "companion.pages.plots",
    "companion.ui.dialogs",
    "companion.ui.arbiter",
)


def wake_memory() -> None:
    """Switch the collector on again that start-up went without; to look at all it made waits for a still moment."""
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def settle_memory() -> None:
    """Let what start-up made stay out of the collector's way, and let it look at the rest seldom."""
    gc.collect()
    gc.freeze()
    wake_memory()


class WarmUp:
    """Loads ahead, piece by piece; `idle_s` says for how long nobody has touched anything."""

    def __init__(self, idle_s: Callable[[], float], played: Callable[[], Iterable[str]] = modules) -> None:
        """Plan what to load, of the games those that `played` names when it is their turn; nothing happens before `start`."""
        self._idle_s, self._played = idle_s, played
        self._event: Any = None
        self._wanted: set[str] = set()
        of_games = {one.key for module in modules().values() for one in module.screens}
        self.left: list[Callable[[], object]] = [
            settle_memory,
            *(lambda name=name: importlib.import_module(name) for name in _LIBRARIES),
            lambda: current().locale,
            *(lambda key=one.key: load(key) for one in registry.screens() if one.key not in of_games),
            self._want_played,
            settle_memory,
            _trim,
        ]

    def start(self) -> None:
        """Begin, a moment after the first frame."""
        self._event = Clock.schedule_interval(self._step, _STEP_S)

    def _want_played(self) -> None:
        for game in self._played():
            self.want(game)

    def want(self, game: str) -> None:
        """Load what a game's own screens need too, next; a game that is there already is not loaded again."""
        module = modules().get(game)
        if module is None or game in self._wanted:
            return
        self._wanted.add(game)
        was_done = not self.left
        screens = [lambda key=one.key: load(key) for one in module.screens]
        self.left = [module.rules, module.views, *screens, *(self.left or (settle_memory, _trim))]
        if was_done and self._event is not None:
            self.start()

    def _step(self, _dt: float) -> bool:
        if self._idle_s() >= QUIET_S and self.left:
            load = self.left.pop(0)
            try:
                load()
            except Exception:
                # A screen nobody opens must not end the evening; whoever opens it meets the fault again.
                _log.exception("something could not be loaded ahead")
        return bool(self.left)

    def stop(self) -> None:
        """Load no more; twice is safe."""
        if self._event is not None:
            self._event.cancel()


class Tidy:
    """Clears away widgets that were left; `idle_s` says for how long nobody has touched anything.

    After each screen, dialog and change, not after several: a screen is tens of thousands of objects, so the pause
    grows with their number, and Python's small objects leave holes that are filled again but not given back to the
    system. What the program takes is what it once needed at its fullest, so it must never be full of what was left.
    """

    def __init__(self, idle_s: Callable[[], float]) -> None:
        """Nothing is cleared away before something was left."""
        self._idle_s = idle_s
        self._event: Any = None
        self._looks = 0

    def left(self) -> None:
        """Note that a screen or a dialog was left, or that a change may have built rows anew."""
        if self._event is None:
            self._looks = 0
            self._event = Clock.schedule_interval(self._look, _LOOK_S)

    def _look(self, _dt: float) -> None:
        self._looks += 1
        if self._idle_s() >= QUIET_S or self._looks * _LOOK_S >= LONGEST_S:
            self.stop()
            gc.collect()
            _trim()

    def stop(self) -> None:
        """Clear away no more until something else was left; twice is safe."""
        if self._event is not None:
            self._event.cancel()
            self._event = None


def _trim() -> None:
    """Give freed memory back to the system, where the C library can: textures come and go in it."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
