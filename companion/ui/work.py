"""Slow work that a press asked for, such as trying a PIN: done beside the drawing thread, behind a card that swallows presses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kivy.clock import Clock

from companion.pages.i18n import _
from companion.ui.dialogs import Act, Dialog
from companion.ui.touch import Press

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["OneMoment", "Work"]


class OneMoment(Dialog):
    """Says that something is being done; it goes by itself."""

    is_closable = False

    def __init__(self) -> None:
        super().__init__(_("One moment …"))

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Nothing to press."""
        return ()

    def on_key(self, name: str, event: Press) -> None:
        """No key does anything meanwhile."""


class Work:
    """Does one piece of work at a time; the window keeps drawing, and clocks and lamps go on."""

    def __init__(self, root: Root) -> None:
        """Take the window whose presses are held off meanwhile."""
        self._root = root
        self._thread: threading.Thread | None = None

    def __call__(self, run: Callable[[], object], then: Callable[[Any], None]) -> None:
        """Do `run` in a thread of its own, then `then` with what came of it, in the drawing thread.

        What `run` raises is raised in the drawing thread.
        """
        card = OneMoment()
        self._root.ask(card)

        def done(made: Any, fault: BaseException | None) -> None:
            self._thread = None
            card.close()
            if fault is not None:
                raise fault
            then(made)

        def worker() -> None:
            made, fault = None, None
            try:
                made = run()
            except BaseException as raised:
                fault = raised
            Clock.schedule_once(lambda _dt: done(made, fault), 0)

        self._thread = threading.Thread(target=worker, name="work", daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float = 60.0) -> bool:
        """Wait until the work at hand is done; False when there is none. Its `then` comes with the next frame."""
        if self._thread is None:
            return False
        self._thread.join(timeout_s)
        return True
