"""In the machine: the program itself, and one thread beside it that tells what is on the screen. It changes nothing."""

from __future__ import annotations

import contextlib
import json
import queue
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

SOCKET = Path(tempfile.gettempdir(), "looks")

touches: list[tuple[float, float, int]] = []
"""Where and when each finger came down, as the program takes it."""


def seen(Window: Any) -> dict[str, Any]:  # noqa: N803  (Kivy's name of it)
    """Return every text with where its middle is in the window, from the lowest to the topmost, and how the game stands."""
    found: list[tuple[str, float, float]] = []

    def look(widget: Any) -> None:
        if widget.opacity < 0.05 or widget.width < 1 or widget.height < 1:
            return
        text = getattr(widget, "text", "")
        if isinstance(text, str) and text:
            found.append((text, *widget.to_window(*widget.center)))
        for child in reversed(widget.children):
            look(child)

    for child in reversed(Window.children):
        look(child)
    told: dict[str, Any] = {"size": list(Window.size), "texts": found, "touches": touches}
    root = Window.children[-1] if Window.children else None
    if getattr(root, "screen", None) is not None:
        told["screen"] = root.screen.key
        told["dialog"] = type(root.dialogs[-1]).__name__ if root.dialogs else ""
        told["is_dark"] = root.dark > 0
        told["is_drawn"] = is_drawn(root)
        if root.desk.change is not None and root.desk.change.state.setup is not None:
            told |= game(root.desk, root.desk.change.state)
    return told


def is_drawn(root: Any) -> bool:
    """Say whether all that is shown has been on the glass for long enough to be pressed: sooner, a press is not meant for it."""
    now_ns, shown = root.now_ns(), (root.screen.fresh, root._bars)
    return all(one.takes(now_ns) for one in (root._settling, root._main_rest)) and all(
        one.takes(control, now_ns) for one in shown for control in one._from_ns
    )


def game(desk: Any, state: Any) -> dict[str, Any]:
    """Return where the game stands, what each clock has used, and every entry with the time of its press."""
    from companion.core.clock import spent
    from companion.core.events import ClockStopped

    clocks = state.clocks
    return {
        "step": state.step.id,
        "owners": list(state.step.owners),
        "clocks": {
            "running": clocks.running,
            "is_paused": clocks.is_paused,
            "spent": {str(side.id): spent(clocks, side.id, desk.now_ms()) for side in state.setup.sides},
        },
        "entries": [
            [one.seq, type(one.command).__name__, getattr(one.command, "at_ms", None), one.source, one.actor]
            for one in desk.entries()
        ],
        "charges": [
            [event.side, event.charged_ms]
            for one in desk.entries()
            for event in one.events
            if isinstance(event, ClockStopped)
        ],
    }


def answer() -> None:
    """Answer each that connects with what is seen now, asked in the window's own thread."""
    # The program prepares Kivy's environment itself, so nothing of Kivy may be imported here before it does.
    while getattr(sys.modules.get("kivy.core.window"), "Window", None) is None:
        time.sleep(0.2)
    window, clock = sys.modules["kivy.core.window"].Window, sys.modules["kivy.clock"].Clock
    window.bind(on_touch_down=lambda _window, touch: touches.append((touch.x, touch.y, touch.seen_ns)))
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(SOCKET))
    server.listen()
    while True:
        link, _address = server.accept()
        told: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        clock.schedule_once(lambda _dt, told=told: told.put(seen(window)), 0)
        with link, contextlib.suppress(OSError):  # who asked may have given up
            link.sendall(json.dumps(told.get()).encode())


if __name__ == "__main__":
    from companion.app import main

    SOCKET.unlink(missing_ok=True)
    threading.Thread(target=answer, daemon=True).start()
    sys.exit(main(sys.argv[1:]))
