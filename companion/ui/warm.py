"""Loading ahead: what the first press of a kind would have to wait for is loaded while nobody touches the screen.

A screen's module, its kv file and a game's words are loaded when first needed; on a small machine that is a good part
of a second. `WarmUp` loads them one by one after the start, each in a moment of its own, and never within `QUIET_S` of
a touch. `settle_memory` keeps the collector from walking everything in the middle of a press.
"""

from __future__ import annotations

import gc
import importlib
import logging
from collections.abc import Callable
from typing import Any

from kivy.clock import Clock

from companion.presenters import game_view
from companion.ui import registry

__all__ = ["QUIET_S", "WarmUp", "settle_memory"]

_log = logging.getLogger(__name__)

QUIET_S = 1.0
"""How long nobody must have touched anything before something is loaded."""
_STEP_S = 0.15

_LIBRARIES = ("numpy", "companion.presenters.plots", "companion.ui.dialogs", "companion.ui.arbiter")


def settle_memory() -> None:
    """Let what start-up made stay out of the collector's way, and let it look at the rest seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


class WarmUp:
    """Loads ahead, piece by piece; `idle_s` says for how long nobody has touched anything."""

    def __init__(self, idle_s: Callable[[], float]) -> None:
        """Plan what to load; nothing happens before `start`."""
        self._idle_s = idle_s
        self._event: Any = None
        self.left: list[Callable[[], Any]] = [
            *(lambda name=name: importlib.import_module(name) for name in (*_LIBRARIES, *game_view.MODULES)),
            *(lambda key=one.key: registry.load(key) for one in registry.SCREENS),
            settle_memory,
        ]

    def start(self) -> None:
        """Begin, a moment after the first frame."""
        self._event = Clock.schedule_interval(self._step, _STEP_S)

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
