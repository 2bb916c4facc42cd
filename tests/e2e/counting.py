"""A scene in a real window whose frames are slow, for a hand from outside: prints where a counter is, and what it counted.

Called as ``counting.py SCENE FRAME_MS``. It prints one JSON line a counter: where to press and how often it can go up; it
then looks at its counters until its input says a line, prints how far each has come, and goes on with the next.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import threading
import time
from queue import Empty, SimpleQueue
from typing import Any

from kivy.base import EventLoop
from kivy.core.window import Window

import companion.testing
from companion.pages.page import Counter
from companion.testing.scenes import open_scene
from companion.ui.render.items import ItemRow, ItemTile
from companion.ui.root import SETTLE_MS

_MOST_COUNTERS = 4
_FRAMES_AFTER = 5
"""Frames in which the last press, which the window may not have seen yet when it is asked, can still count."""


def main() -> None:
    """Show the scene and answer."""
    for module in pkgutil.iter_modules(companion.testing.__path__):
        if module.name.startswith("scenes"):
            importlib.import_module(f"companion.testing.{module.name}")
    laid = open_scene(sys.argv[1])
    laid.root.now_ns = laid.root.press._now_ns = time.monotonic_ns
    laid.root._settling.drawn(-SETTLE_MS * 1_000_000)
    laid.root.screen.fresh.drawn(0)
    frame_s = int(sys.argv[2]) / 1000
    asked: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=lambda: [asked.put(line) for line in sys.stdin], daemon=True).start()

    def frames(until: Any) -> None:
        left = _FRAMES_AFTER
        while left:
            left -= left < _FRAMES_AFTER or until()
            EventLoop.idle()
            Window.mainloop()
            end = time.monotonic() + frame_s
            while time.monotonic() < end:  # a busy machine: not idle, slow
                pass

    def is_asked() -> bool:
        try:
            asked.get_nowait()
        except Empty:
            return False
        return True

    keys = [widget.item.key for widget in _counters(laid) if _room(widget)]
    for key in keys[:: max(1, len(keys) // _MOST_COUNTERS)][:_MOST_COUNTERS]:
        widget = _of(laid, key)
        before, room = widget.item.facet.count, _room(widget)
        x, y = _plus(widget)
        print(json.dumps({"key": key, "x": x, "y": y, "room": room}), flush=True)
        frames(is_asked)
        print(json.dumps({"counted": _of(laid, key).item.facet.count - before}), flush=True)
    print(json.dumps({}), flush=True)


def _counters(laid: Any) -> list[Any]:
    return [
        widget
        for widget in laid.walk()
        if isinstance(widget, ItemRow | ItemTile) and isinstance(widget.item.facet, Counter)
    ]


def _of(laid: Any, key: str) -> Any:
    return next(widget for widget in _counters(laid) if widget.item.key == key)


def _room(widget: Any) -> int:
    facet = widget.item.facet
    return 0 if facet.more is None or widget.is_dead else int(facet.most - facet.count)


def _plus(widget: Any) -> tuple[float, float]:
    """Return where a press is one more, in window pixels from the bottom left."""
    if isinstance(widget, ItemTile):
        return tuple(widget.to_window(*widget.center))
    stepper = widget._parts["stepper"]
    return tuple(stepper.to_window(stepper.right - stepper.height * 0.4, stepper.center_y))


if __name__ == "__main__":
    main()
