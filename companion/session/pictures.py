"""Photos of an evening: files beside the game, never in its journal, each named by the entry that it belongs to.

A game ``evening.tcgame`` has them in ``evening.photos/``, as ``12-1.jpg``, ``12-2.jpg`` ... for entry 12.
"""

from __future__ import annotations

import re
from pathlib import Path

from companion.session.files import free_path, read_at_most, write_whole

__all__ = ["MOST_PICTURE_BYTES", "move_pictures", "picture_folder", "pictures_of", "put_picture"]

MOST_PICTURE_BYTES = 1_000_000
"""A larger file is none that was put here."""
_MOST_PICTURES = 200
_NAME = re.compile(r"(\d{1,6})-(\d{1,4})\.jpg")
_JPEG = b"\xff\xd8\xff"


def picture_folder(game: Path) -> Path:
    """Return the folder of a game's photos; it may not be there."""
    return game.with_name(f"{game.stem}.photos")


def put_picture(game: Path, seq: int, jpeg: bytes) -> Path:
    """Keep a photo beside a game, for one entry of it, whole or not at all. OSError where the place takes none."""
    folder = picture_folder(game)
    is_new = not folder.exists()
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


def pictures_of(game: Path) -> dict[int, tuple[bytes, ...]]:
    """Return a game's photos by entry, each entry's in order; what is no photo of this kind is left alone."""
    folder = picture_folder(game)
    found: list[tuple[int, int, Path]] = []
    try:
        for path in folder.iterdir():
            name = _NAME.fullmatch(path.name)
            if name is not None:
                found.append((int(name[1]), int(name[2]), path))
    except OSError:
        return {}
    pictures: dict[int, tuple[bytes, ...]] = {}
    for seq, _number, path in sorted(found)[:_MOST_PICTURES]:
        try:
            data = read_at_most(path, MOST_PICTURE_BYTES)
        except OSError:
            continue
        if data.startswith(_JPEG) and len(data) <= MOST_PICTURE_BYTES:
            pictures[seq] = (*pictures.get(seq, ()), data)
    return pictures


def move_pictures(game: Path, to: Path) -> None:
    """Take a game's photos along to where the game goes. OSError where they cannot be moved."""
    folder = picture_folder(game)
    if folder.is_dir():
        folder.replace(free_path(picture_folder(to)))
