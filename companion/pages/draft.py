"""What is being entered and not sent yet: a battle being composed, a basket, the tab at hand, kept by the app per seat.

A draft is a pure frozen value of the screen it belongs to. It is keyed by seat, screen and step, so that two seats and the box
may hold drafts side by side, a widget that is built anew loses nothing, and what was entered for a step that is over is out of
the way, yet back when that step is undone to.
"""

from __future__ import annotations

from typing import Any

import msgspec

from companion.core.ids import StepId
from companion.pages.page import Draft, Viewer

__all__ = ["DraftKey", "Drafts"]


class DraftKey(msgspec.Struct, frozen=True):
    """Whose draft, of which screen, for which step."""

    seat: str
    screen: str
    step: str = ""


_MOST = 64
"""Drafts that are kept; the oldest goes first."""


class Drafts:
    """The drafts of one open game."""

    def __init__(self) -> None:
        self._held: dict[DraftKey, object] = {}

    def get(self, viewer: Viewer, screen: str, step: str = "") -> object:
        """Return a draft; None where nothing is entered."""
        return self._held.get(DraftKey(viewer.seat, screen, step))

    def of_step(self, viewer: Viewer, step: StepId) -> tuple[object, ...]:
        """Return what a viewer is entering for a step, on whichever screens."""
        return tuple(held for key, held in self._held.items() if (key.seat, key.step) == (viewer.seat, step))

    def put(self, draft: object, viewer: Viewer, screen: str, step: str = "") -> None:
        """Keep a draft; None drops it."""
        key = DraftKey(viewer.seat, screen, step)
        self._held.pop(key, None)
        if draft is not None:
            self._held[key] = draft
        while len(self._held) > _MOST:
            self._held.pop(next(iter(self._held)))

    def change(self, act: Draft[Any], viewer: Viewer, screen: str, step: str = "") -> object:
        """Carry a change out and return the new draft."""
        held = self.get(viewer, screen, step)
        draft = act.change(held if isinstance(held, type(act.start)) else act.start)
        self.put(draft, viewer, screen, step)
        return draft

    def drop(self, viewer: Viewer, screen: str) -> None:
        """Drop what was entered on a screen, for whichever step."""
        self._held = {
            key: draft for key, draft in self._held.items() if (key.seat, key.screen) != (viewer.seat, screen)
        }

    def clear(self) -> None:
        """Drop all of them, as with another game."""
        self._held.clear()
