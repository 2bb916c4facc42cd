"""The screens of the shell that every game has, as pages."""

from __future__ import annotations

from companion.pages.page import ScreenEntry

__all__ = ["SHARED"]

SHARED: tuple[ScreenEntry, ...] = ()
"""In the order of the menu."""
