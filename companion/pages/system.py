"""The port through which screens ask the box itself: install what is on a stick, go back to the version before."""

from __future__ import annotations

from typing import Literal, Protocol

__all__ = ["System", "Wish"]

Wish = Literal["update", "back"]


class System(Protocol):
    """A box that can be asked. A machine that is none has no such port."""

    def ask(self, wish: Wish) -> bool:
        """Ask; False where nobody can hear it. The answer comes later, unless the program is ended first."""
        ...

    def answer(self) -> tuple[bool, str] | None:
        """Return how the last wish ended, done or not and in one line, once; None while nothing is known."""
        ...
