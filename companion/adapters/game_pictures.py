"""Put a photo beside a game: read like every photo, turned as it was taken, shrunk, without where and when."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from companion.core.history import Entry
from companion.session.errors import CopyError
from companion.session.pictures import put_picture

__all__ = ["add_picture", "all_pictures", "corrected_photos"]

_LONGEST_PX = 1280
_QUALITY = 80
_MOST_LOOKED_AT = 500
"""Photos in the folder that are compared with those of an evening: the newest."""


def add_picture(game: Path, seq: int, photo: Path) -> Path:
    """Keep a photo with an entry of a game and return where. CopyError names what is wrong with it; OSError a full disk."""
    from vision.crops import small_jpeg
    from vision.errors import PhotoError
    from vision.load import load_photo

    try:
        image = load_photo(photo)
    except PhotoError as fault:
        raise CopyError(fault.say) from fault
    return put_picture(game, seq, small_jpeg(image, _LONGEST_PX, _QUALITY))


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
    from vision.crops import small_jpeg
    from vision.errors import PhotoError
    from vision.load import load_photo

    try:
        return small_jpeg(load_photo(path), _LONGEST_PX, _QUALITY)
    except (PhotoError, OSError, ValueError):
        return None
