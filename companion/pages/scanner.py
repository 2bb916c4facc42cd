"""The port through which the sheet of printed values sees pictures: QR codes, and the photo of a player aid to type from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from companion.core.text import Say
from companion.pages.page import Photo

__all__ = ["NoScanner", "Scanner"]


class Scanner(Protocol):
    """What makes, reads and keeps pictures. Methods are slow, except `sources`: call them beside the thread that draws."""

    def sources(self) -> tuple[tuple[str, str], ...]:
        """Return key and name of every camera and photo that a picture can be taken from."""
        ...

    def place(self) -> str:
        """Return the folder that photos are taken from, as a person would write it."""
        ...

    def code(self, game: str, scenario: str, values: Mapping[str, Any]) -> tuple[str, ...] | Say:
        """Return a set of values as the rows of a QR code, ``1`` for dark; or why it is none."""
        ...

    def read(self, key: str) -> str | Say:
        """Return the text of the QR code in a picture, or why there is none."""
        ...

    def keep(self, key: str, game: str) -> Say | None:
        """Keep a picture, shrunk, as the player aid of a game; return why not, None when it is kept."""
        ...

    def kept(self, game: str) -> Photo | None:
        """Return the player aid of a game; None where none is kept."""
        ...

    def drop(self, game: str) -> None:
        """Forget the player aid of a game; nothing where none is kept."""
        ...


class NoScanner:
    """A program that sees no pictures."""

    def sources(self) -> tuple[tuple[str, str], ...]:
        """Return nothing."""
        return ()

    def place(self) -> str:
        """Return no folder."""
        return ""

    def code(self, game: str, scenario: str, values: Mapping[str, Any]) -> tuple[str, ...] | Say:  # noqa: ARG002
        """Say that there are no codes."""
        return Say("This program makes no QR codes.")

    def read(self, key: str) -> str | Say:  # noqa: ARG002
        """Say that there are no codes."""
        return Say("This program reads no QR codes.")

    def keep(self, key: str, game: str) -> Say | None:  # noqa: ARG002
        """Say that nothing is kept."""
        return Say("This program keeps no photos.")

    def kept(self, game: str) -> Photo | None:  # noqa: ARG002
        """Return nothing."""
        return None

    def drop(self, game: str) -> None:
        """Do nothing."""
