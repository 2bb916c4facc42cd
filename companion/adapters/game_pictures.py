"""Put a photo beside a game: read like every photo, turned as it was taken, shrunk, without where and when."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.history import Entry
from companion.core.text import Say
from companion.session.errors import CopyError
from companion.session.files import explain
from companion.session.pictures import drop_picture, picture_names, pictures_of, put_picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["GamePhotos", "add_picture", "all_pictures", "corrected_photos", "keep_picture", "shrunk"]

_LONGEST_PX = 1280
_QUALITY = 80
_MOST_KEPT = 60
"""Photos of an evening that are kept."""
_MOST_LOOKED_AT = 500
"""Photos in the folder that are compared with those of an evening: the newest."""


def add_picture(game: Path, seq: int, photo: Path) -> Path:
    """Keep a photo with an entry of a game and return where. CopyError names what is wrong with it; OSError a full disk."""
    from vision.errors import PhotoError
    from vision.load import load_photo

    try:
        image = load_photo(photo)
    except PhotoError as fault:
        raise CopyError(fault.say) from fault
    return put_picture(game, seq, shrunk(image))


def shrunk(image: NDArray[np.uint8]) -> bytes:
    """Return a BGR picture as photos of an evening are kept. ValueError where it cannot be packed."""
    from vision.crops import small_jpeg

    return small_jpeg(image, _LONGEST_PX, _QUALITY)


def keep_picture(game: Path, keep: Callable[[], object]) -> Say | None:
    """Have one more photo kept beside a game, as many as an evening takes; return why it was not, None when it is kept."""
    if len(picture_names(game)) >= _MOST_KEPT:
        return Say("This evening has as many photos as it takes.")
    try:
        keep()
    except (CopyError, ValueError):
        return Say("This picture cannot be read. Take it as JPEG.")
    except OSError as fault:
        return Say("The photo could not be kept: {why}", why=explain(fault)[0])
    return None


class GamePhotos:
    """The `Photos` port over the files beside games."""

    def __init__(self, folder: Path, game: Callable[[], Path | None]) -> None:
        """Look for photos of dice in `folder`; `game` returns the open game's file."""
        self._folder, self._game = folder, game

    def of(self, path: Path | None, entries: tuple[Entry, ...]) -> Mapping[int, tuple[bytes, ...]]:
        """Return a game's photos by entry, and those of its corrected rolls."""
        game = path or self._game()
        return (
            all_pictures(pictures_of(game), corrected_photos(self._folder, entries))
            if game is not None
            else {}
        )

    def names(self, path: Path | None) -> tuple[tuple[int, int], ...]:
        """Return entry and number of each photo that is kept with a game."""
        game = path or self._game()
        return picture_names(game) if game is not None else ()

    def keep(self, seq: int, jpeg: bytes) -> Say | None:
        """Keep a photo with an entry of the open game; return why not, None when it is kept."""
        game = self._game()
        if game is None:
            return Say("No game is open")
        return keep_picture(game, lambda: put_picture(game, seq, jpeg))

    def drop(self, path: Path | None, seq: int, index: int) -> Say | None:
        """Delete one of an entry's kept photos, counted from 0; return why not, None when it is gone."""
        game = path or self._game()
        try:
            if game is not None:
                drop_picture(game, seq, index)
        except OSError as fault:
            return Say("The photo could not be deleted: {why}", why=explain(fault)[0])
        return None


def corrected_photos(folder: Path, entries: Iterable[Entry]) -> dict[int, tuple[bytes, ...]]:
    """Return the photos of rolls whose reading the table corrected, by entry, shrunk, as far as they still lie in the folder."""
    from companion.pages.dice_report import origin_of

    wanted: dict[str, int] = {}
    for entry in entries:
        origin = origin_of(entry.command)
        if origin is not None and origin.corrected:
            wanted.update(dict.fromkeys(origin.photos, entry.seq))
    if not wanted:
        return {}
    try:
        files = sorted((path for path in folder.iterdir() if path.is_file()), key=lambda p: p.stat().st_mtime)
    except OSError:
        return {}
    found: dict[int, tuple[bytes, ...]] = {}
    for path in files[-_MOST_LOOKED_AT:]:
        seq = wanted.get(_sha256(path))
        small = _small(path) if seq is not None else None
        if seq is not None and small is not None:
            found[seq] = (*found.get(seq, ()), small)
    return found


def all_pictures(
    kept: Mapping[int, tuple[bytes, ...]], corrected: Mapping[int, tuple[bytes, ...]]
) -> dict[int, tuple[bytes, ...]]:
    """Return the photos that were kept with an evening and those of its corrected rolls, by entry."""
    return {seq: (*kept.get(seq, ()), *corrected.get(seq, ())) for seq in {*kept, *corrected}}


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _small(path: Path) -> bytes | None:
    from vision.errors import PhotoError
    from vision.load import load_photo

    try:
        return shrunk(load_photo(path))
    except (PhotoError, OSError, ValueError):
        return None
