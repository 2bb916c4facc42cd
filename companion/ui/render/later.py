"""Slow work of a page, done beside the drawing thread; the page is made anew when it is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from kivy.clock import Clock

from companion.pages.page import UnwantedError

__all__ = ["Later"]

_KEPT = 4


class Later:
    """Does one piece of work after another and knows what came of the newest ones."""

    def __init__(self, done: Callable[[], None]) -> None:
        """`done` is called in the drawing thread after each piece."""
        self._done = done
        self._known: list[tuple[object, Any]] = []
        self._doing: list[object] = []
        self.worker: threading.Thread | None = None

    def __call__(self, key: object, make: Callable[[], Any]) -> Any:
        """Return what a piece of work made; None until it is done, which is begun here."""
        for known, made in self._known:
            if known == key:
                return made
        if key not in self._doing:
            self._doing.append(key)
            self.worker = threading.Thread(target=self._run, args=(key, make), name="later", daemon=True)
            self.worker.start()
        return None

    def _run(self, key: object, make: Callable[[], Any]) -> None:
        try:
            made = make()
        except UnwantedError:
            Clock.schedule_once(lambda _dt: self._drop(key), 0)
            return
        Clock.schedule_once(lambda _dt: self._take(key, made), 0)

    def _drop(self, key: object) -> None:
        self._doing.remove(key)
        self._done()

    def _take(self, key: object, made: Any) -> None:
        self._doing.remove(key)
        self._known = [(key, made), *self._known[: _KEPT - 1]]
        self._done()
