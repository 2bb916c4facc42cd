"""Photos of an evening: files beside the game, never in its journal, each named by the entry that it belongs to.

A game ``evening.tcgame`` has them in ``evening.photos/``, as ``12-1.jpg``, ``12-2.jpg`` ... for entry 12.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from pathlib import Path

from companion.session.files import NotAFileError, read_at_most, write_whole

__all__ = [
    "MOST_PICTURE_BYTES",
    "copy_pictures",
    "drop_picture",
    "picture_folder",
    "picture_names",
    "pictures_of",
    "put_picture",
]

MOST_PICTURE_BYTES = 1_000_000
"""A larger file is none that was put here."""
_MOST_PICTURES = 200
_NAME = re.compile(r"([1-9][0-9]{0,5})-([1-9][0-9]{0,3})\.jpg")
_JPEG = b"\xff\xd8\xff"


def picture_folder(game: Path) -> Path:
    """Return the folder of a game's photos; it may not be there."""
    return game.with_name(f"{game.stem}.photos")


def put_picture(game: Path, seq: int, jpeg: bytes) -> Path:
    """Keep a photo beside a game, for one entry of it, whole or not at all. OSError where the place takes none.

    NotAFileError where a file, or a link that leads elsewhere, has the folder's name.
    """
    folder = picture_folder(game)
    is_new = not os.path.lexists(folder)
    if not is_new and not _is_own(folder):
        raise NotAFileError(errno.ENOTDIR, "not a folder", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (path := folder / f"{seq}-{number}.jpg").exists():
        number += 1
    try:
        write_whole(path, jpeg)
    except OSError:
        if is_new:
            folder.rmdir()
        raise
    return path


def picture_names(game: Path) -> tuple[tuple[int, int], ...]:
    """Return entry and number of each file that is named like a photo of a game, in order."""
    folder = picture_folder(game)
    try:
        names = [_NAME.fullmatch(path.name) for path in folder.iterdir() if not path.is_symlink()]
    except OSError:
        return ()
    if not _is_own(folder):
        return ()
    return tuple(sorted((int(name[1]), int(name[2])) for name in names if name is not None))[:_MOST_PICTURES]


def drop_picture(game: Path, seq: int, index: int) -> None:
    """Delete one of an entry's photos, counted from 0. OSError where it cannot be deleted or is not there."""
    numbers = [number for of, number in picture_names(game) if of == seq]
    if not 0 <= index < len(numbers):
        raise FileNotFoundError(f"entry {seq} has {len(numbers)} photos, not {index + 1}")
    (picture_folder(game) / f"{seq}-{numbers[index]}.jpg").unlink()


def pictures_of(game: Path) -> dict[int, tuple[bytes, ...]]:
    """Return a game's photos by entry, each entry's in order; what is no photo of this kind is left alone."""
    folder = picture_folder(game)
    pictures: dict[int, tuple[bytes, ...]] = {}
    for seq, number in picture_names(game):
        try:
            data = read_at_most(folder / f"{seq}-{number}.jpg", MOST_PICTURE_BYTES)
        except OSError:
            continue
        if data.startswith(_JPEG) and len(data) <= MOST_PICTURE_BYTES:
            pictures[seq] = (*pictures.get(seq, ()), data)
    return pictures


def copy_pictures(game: Path, to: Path, last: int) -> None:
    """Keep a game's photos with a copy of it too, up to those of entry `last`, or none. OSError where the place takes none."""
    try:
        for seq, photos in pictures_of(game).items():
            for jpeg in photos if seq <= last else ():
                put_picture(to, seq, jpeg)
    except OSError:
        shutil.rmtree(picture_folder(to), ignore_errors=True)
        raise


def _is_own(folder: Path) -> bool:
    """Say whether photos lie here: a link may lead to what was never taken at this table."""
    return folder.is_dir() and not folder.is_symlink()
