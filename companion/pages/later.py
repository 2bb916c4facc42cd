"""Slow work of a page, done beside the thread that makes it; the page is made anew when it is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

from companion.pages.page import UnwantedError

__all__ = ["Later", "while_wanted"]

_KEPT = 4
_ENDS: ContextVar[Callable[[], bool]] = ContextVar("ends", default=lambda: False)
"""Says in the thread that does a piece of work whether nobody wants it any more."""
T = TypeVar("T")


def while_wanted(make: Callable[[Callable[[], None]], T]) -> Callable[[], tuple[T]]:
    """Return work in a wrapping that is never None; it ends when the page that asked for it no longer does.

    `make` calls what it is given between pieces of work.
    """

    def check() -> None:
        if _ENDS.get()():
            raise UnwantedError

    return lambda: (make(check),)


class Later:
    """Does one piece of work after another and knows what came of the newest ones."""

    def __init__(self, done: Callable[[], None], post: Callable[[Callable[[], None]], object]) -> None:
        """`done` is called after each piece, in the thread that `post` hands calls to."""
        self._done, self._post = done, post
        self._known: list[tuple[object, Any]] = []
        self._doing: list[object] = []
        self._asked: list[object] = []
        self._unwanted: list[object] = []
        self.worker: threading.Thread | None = None

    def __call__(self, key: object, make: Callable[[], Any]) -> Any:
        """Return what a piece of work made; None until it is done, which is begun here."""
        self._asked.append(key)
        self._unwanted = [other for other in self._unwanted if other != key]
        for known, made in self._known:
            if known == key:
                return made
        if key not in self._doing:
            self._doing.append(key)
            # In the language that the page is made in.
            run = copy_context().run
            self.worker = threading.Thread(target=run, args=(self._run, key, make), name="later", daemon=True)
            self.worker.start()
        return None

    def settle(self) -> None:
        """End the work that was not asked for since the last call: another page has been made, or none is looked at."""
        self._unwanted = [key for key in self._doing if key not in self._asked]
        self._asked = []

    def _run(self, key: object, make: Callable[[], Any]) -> None:
        _ENDS.set(lambda: key in self._unwanted)
        try:
            made = make()
        except UnwantedError:
            self._post(lambda: self._drop(key))
            return
        self._post(lambda: self._take(key, made))

    def _drop(self, key: object) -> None:
        self._doing.remove(key)
        self._done()

    def _take(self, key: object, made: Any) -> None:
        self._doing.remove(key)
        self._known = [(key, made), *self._known[: _KEPT - 1]]
        self._done()
