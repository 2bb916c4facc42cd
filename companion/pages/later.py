"""Slow work of a page, done beside the thread that makes it; the page is made anew when it is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar

from companion.pages.page import UnwantedError

__all__ = ["Later", "while_wanted"]

_KEPT = 4
_NEWEST: dict[str, object] = {}
"""What each viewer asked last: work on an earlier question of the same viewer ends, and on nobody else's."""
T = TypeVar("T")


def while_wanted(who: str, key: object, make: Callable[[Callable[[], None]], T]) -> Callable[[], tuple[T]]:
    """Return work in a wrapping that is never None; it ends when the same viewer asks something else.

    `make` calls what it is given between pieces of work.
    """

    def work() -> tuple[T]:
        _NEWEST[who] = key

        def check() -> None:
            if _NEWEST[who] is not key:
                raise UnwantedError

        return (make(check),)

    return work


class Later:
    """Does one piece of work after another and knows what came of the newest ones."""

    def __init__(self, done: Callable[[], None], post: Callable[[Callable[[], None]], object]) -> None:
        """`done` is called after each piece, in the thread that `post` hands calls to."""
        self._done, self._post = done, post
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
            # In the language that the page is made in.
            run = copy_context().run
            self.worker = threading.Thread(target=run, args=(self._run, key, make), name="later", daemon=True)
            self.worker.start()
        return None

    def _run(self, key: object, make: Callable[[], Any]) -> None:
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
