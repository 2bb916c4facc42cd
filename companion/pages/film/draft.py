"""What is looked at on the screens of evenings; nothing else is imported here, since menus lead there."""

from __future__ import annotations

from pathlib import Path

import msgspec

__all__ = ["FilmDraft", "PlayersDraft"]


class FilmDraft(msgspec.Struct, frozen=True):
    """What is watched."""

    path: Path | None = None
    """A saved game; None: the open one."""
    at: int = 0
    """Index of the act."""
    tab: str = "act"
    photo: int = 0
    """Number of the photo, from 0, among all of the evening; another one where the act has none of that number."""
    saved_wall_ms: int = 0
    """When the saved game was saved: saved at another time it is read anew."""


class PlayersDraft(msgspec.Struct, frozen=True):
    """Whose evenings are looked at."""

    name: str = ""
    """Empty: everybody's names."""
