"""A list of listeners that can be left at any time, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Listeners", "Listening"]

T = TypeVar("T")


class Listening:
    """A held subscription; cancelling twice is safe."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        """Take what ends the subscription."""
        self._cancel = cancel

    def cancel(self) -> None:
        """Stop listening."""
        self._cancel()


class Listeners(Generic[T]):
    """Callables that are told every value; one that raises never keeps the value from the others."""

    def __init__(self, on_error: Callable[[BaseException], object]) -> None:
        """Take what is told of a listener's exception."""
        self._lock = threading.Lock()
        self._listeners: dict[int, Callable[[T], None]] = {}
        self._next = 0
        self._on_error = on_error

    def add(self, listener: Callable[[T], None]) -> Listening:
        """Start listening."""
        with self._lock:
            key, self._next = self._next, self._next + 1
            self._listeners[key] = listener
        return Listening(lambda: self._remove(key))

    def tell(self, value: T) -> None:
        """Call every listener, in the order in which they came."""
        with self._lock:
            listeners = tuple(self._listeners.values())
        for listener in listeners:
            try:
                listener(value)
            except Exception as fault:
                self._on_error(fault)

    def _remove(self, key: int) -> None:
        with self._lock:
            self._listeners.pop(key, None)
