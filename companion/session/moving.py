"""A game's files as one: they move together or stay, and are thrown away together."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from companion.session.errors import NotStoredError
from companion.session.files import NotAFileError, real_path, sync_folder
from companion.session.game_file import SUFFIX, log_path, take_lock
from companion.session.hands import hands_path
from companion.session.pictures import picture_folder
from companion.session.witness import witness_path

__all__ = ["dropped", "free_game_path", "held", "move_game", "own_folder"]

_BESIDE = (log_path, witness_path, hands_path, picture_folder)
"""What belongs to a game, beside its file."""


def free_game_path(path: Path) -> Path:
    """Return `path`, or the first numbered name beside it under which nothing of any game lies."""
    free, number = path, 2
    while any(os.path.lexists(name_of(free)) for name_of in (Path, *_BESIDE)):
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return free


def move_game(path: Path, target: Path) -> None:
    """Give a game with all that belongs to it another name; OSError where that fails, and then all is where it was."""
    done: list[tuple[Path, Path]] = []
    try:
        for name_of in (*_BESIDE, Path):  # the game itself comes last: until then it is where it was
            old, new = name_of(path), name_of(target)
            if old.is_symlink() and name_of is picture_folder:
                continue  # it leads to what was never taken at this table
            if os.path.lexists(old):
                old.rename(new)
                done.append((old, new))
    except OSError:
        for old, new in reversed(done):
            with contextlib.suppress(OSError):
                new.rename(old)
        raise
    sync_folder(target.parent)
    sync_folder(path.parent)


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep every Table Companion from opening a game meanwhile. JournalLockedError while one has it open."""
    handle = None
    with contextlib.suppress(NotStoredError):  # nobody can open it there either
        handle = take_lock(real_path(path))
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def own_folder(folder: Path) -> Path:
    """Return a folder, made where it is not there. NotAFileError where a file or a link that leads elsewhere has its name."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise NotAFileError(errno.ENOTDIR, "not a folder", str(folder))
    folder.mkdir(exist_ok=True)
    return folder


def dropped(folder: Path) -> None:
    """Delete for good all that a folder of thrown-away games holds. OSError when the place does not let go of it."""
    for found in sorted(own_folder(folder).iterdir()):
        if found.is_symlink() or not found.is_dir():
            found.unlink(missing_ok=True)
        elif found.name.endswith(picture_folder(Path(f"x{SUFFIX}")).suffix):
            shutil.rmtree(found)
    sync_folder(folder)
