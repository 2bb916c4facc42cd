"""Put a photo beside a game: read like every photo, turned as it was taken, shrunk, without where and when."""

from __future__ import annotations

from pathlib import Path

from companion.session.errors import CopyError
from companion.session.pictures import put_picture

__all__ = ["add_picture"]

_LONGEST_PX = 1280
_QUALITY = 80


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
