"""The port through which pages see pictures: QR codes, the photo of a player aid to type from, photos of an evening."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from companion.core.text import Say
from companion.pages.page import Photo

__all__ = ["NoScanner", "Scanner", "Shot"]


class Shot(msgspec.Struct, frozen=True):
    """A photo that a camera took, not kept anywhere yet."""

    photo: Photo
    jpeg: bytes
    """As it would be kept."""


class Scanner(Protocol):
    """What makes, reads and keeps pictures. Methods are slow, except `sources`: call them beside the thread that draws."""

    def sources(self) -> tuple[tuple[str, str], ...]:
        """Return key and name of every camera and photo that a picture can be taken from."""
        ...

    def cameras(self) -> tuple[tuple[str, str], ...]:
        """Return key and name of every camera of the box. Quick."""
        ...

    def take(self, key: str) -> Shot | Say:
        """Take a photo of an evening with a camera, or say why there is none."""
        ...

    def shown(self, jpeg: bytes) -> Photo | Say:
        """Return a kept photo as it is shown, or why it cannot be."""
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

    def cameras(self) -> tuple[tuple[str, str], ...]:
        """Return nothing."""
        return ()

    def take(self, key: str) -> Shot | Say:  # noqa: ARG002
        """Say that there is no camera."""
        return Say("There is no camera.")

    def shown(self, jpeg: bytes) -> Photo | Say:  # noqa: ARG002
        """Say that there are no photos."""
        return Say("This program shows no photos.")

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
