"""Plays a recording on the desk of the running program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.adapters.shell import ShellDesk

__all__ = ["DeskHost"]


class DeskHost:
    """Plays a recording on the desk's own open game."""

    def __init__(self, desk: ShellDesk, drain: Callable[[], None]) -> None:
        """Play on a desk; `drain` has what waits for the interface thread done."""
        self._desk, self._drain = desk, drain

    def start(self, setup: Any) -> None:
        """Start a game."""
        self._desk.start(setup)

    def session(self) -> Any:
        """The open game. ValueError when none is."""
        return self._desk.session

    def reopen(self, *, is_cut: bool, wake: Callable[[], None]) -> None:
        """Close the game or drop it, call `wake`, and open its file again."""
        path = self._desk.path
        if path is None:
            raise ValueError("no game is open")
        if is_cut:
            self._desk.cut_power()
        else:
            self._desk.close()
        self._drain()
        wake()
        self._desk.open(path)
