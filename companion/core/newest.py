"""Results that are made once for the very same frozen values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Newest"]

T = TypeVar("T")


class Newest(Generic[T]):
    """Remembers the newest results, each with the very values it was made of.

    Values are compared by identity, which for a state costs nothing. They are held, so that none can be mistaken for a later one
    in its place; they must never change. From outside it is as if everything were made anew. Any thread may ask.
    """

    def __init__(self, kept: int) -> None:
        """Remember at most `kept` results."""
        self._kept = kept
        self._found: tuple[tuple[tuple[object, ...], T], ...] = ()

    def of(self, *values: object, make: Callable[[], T]) -> T:
        """Return what `make` makes of the values; it is asked only if they are not among the newest."""
        for known, made in self._found:
            if all(one is other for one, other in zip(known, values, strict=True)):
                return made
        made = make()
        self._found = ((values, made), *self._found[: self._kept - 1])
        return made
