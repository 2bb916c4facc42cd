"""Photos that phones send: put together from their parts, laid down for a moment, and kept with the evening."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from companion.core.text import Say, Typed
from companion.gateway import wire

__all__ = ["UNREADABLE", "Parts", "forget_photos", "keep_photo", "photo_file"]

_PART, _MOST_PHOTO, _MOST_PHOTOS, _MOST_KEPT = 32 << 10, 6 << 20, 2, 60
"""Bytes of a part and of a photo; photos that may come at once, and that an evening keeps from phones."""
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
    from companion.adapters.game_pictures import add_picture
    from companion.session.errors import CopyError
    from companion.session.pictures import pictures_of

    if sum(map(len, pictures_of(game).values())) >= _MOST_KEPT:
        return Say("This evening has as many photos as it takes.")
    path: Path | None = None
    try:
        path = photo_file(folder, photo)
        add_picture(game, seq, path)
    except (CopyError, ValueError):
        return UNREADABLE
    except OSError as fault:
        return Say("The photo could not be kept: {why}", why=Typed(fault.strerror or str(fault)))
    finally:
        if path is not None:
            path.unlink(missing_ok=True)
    return Say("The photo is kept with the evening.")
