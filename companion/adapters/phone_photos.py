"""Photos that phones send: put together from their parts, laid down for a moment, and kept with the evening."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from companion.core.text import Say
from companion.gateway import wire

__all__ = ["UNREADABLE", "Parts", "forget_photos", "keep_photo", "photo_file"]

_PART, _MOST_PHOTO, _MOST_PHOTOS = 32 << 10, 6 << 20, 2
"""Bytes of a part and of a photo; photos that may come at once."""
UNREADABLE = Say("This picture cannot be read. Take it as JPEG.")


class Parts:
    """The photos of which a part has come."""

    def __init__(self) -> None:
        self._held: dict[str, bytearray] = {}

    def take(self, said: wire.PhotoPart) -> bytes | None:
        """Return a photo with its last part, and nothing (b"") before; None where it is too large or lacks a part."""
        held = self._held.pop(said.token, bytearray()) if said.number else bytearray()
        if len(held) != said.number * _PART or len(held) + len(said.data) > _MOST_PHOTO:
            return None
        held += said.data
        if said.is_last:
            return bytes(held)
        self._held[said.token] = held
        while len(self._held) > _MOST_PHOTOS:
            self._held.pop(next(iter(self._held)))
        return b""


def forget_photos(folder: Path) -> None:
    """Remove what a program that was killed has left."""
    for left in folder.glob("photo-*.jpg"):
        left.unlink(missing_ok=True)


def photo_file(folder: Path, photo: bytes) -> Path:
    """Lay a photo where the program's own files of a moment are, for nobody else to read."""
    path = folder / f"photo-{secrets.token_hex(8)}.jpg"
    try:
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(photo)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return path


def keep_photo(folder: Path, game: Path, seq: int, photo: bytes) -> Say:
    """Keep a photo of the evening beside the game, shrunk and without where and when; say how it went."""
    from companion.adapters.game_pictures import add_picture, keep_picture

    def keep() -> None:
        path = photo_file(folder, photo)
        try:
            add_picture(game, seq, path)
        finally:
            path.unlink(missing_ok=True)

    return keep_picture(game, keep) or Say("The photo is kept with the evening.")
