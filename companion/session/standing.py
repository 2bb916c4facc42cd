"""Whether an open game's files still stand where they were put: nobody deleted, moved, replaced or changed them.

SQLite goes on writing into a file that has lost its name, so nothing that it reports would ever tell.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from companion.core.text import Say, Typed

__all__ = ["Standing"]


class _Seen(NamedTuple):
    """A file as it was after our own last write."""

    device: int
    inode: int
    size: int
    changed_ns: int

    def is_same_file(self, other: _Seen) -> bool:
        return self[:2] == other[:2]


class Standing:
    """Remembers the files of one open game. One thread at a time; a look takes some microseconds a file."""

    def __init__(self, *paths: Path) -> None:
        """Take the game file and its log, as they are now; a file that is not there yet may come later."""
        self._paths = paths
        self._seen: dict[Path, _Seen] = {}
        self.note()

    def fault(self) -> Say | None:
        """Return what somebody else did to the files since our own last write; None when they are as they were."""
        for path, before in self._seen.items():
            now = _look(path)
            if now != before:
                return _named(path, before, now)
        return None

    def note(self) -> Say | None:
        """Remember the files after a write of our own; return what it was if it went into a file without its name."""
        for path in self._paths:
            before, now = self._seen.get(path), _look(path)
            if before is not None and (now is None or not now.is_same_file(before)):
                return _named(path, before, now)
            if now is not None:
                self._seen[path] = now
        return None

    def is_ours(self, path: Path) -> bool:
        """Whether a name still leads to the file that was opened under it, whatever has become of its content."""
        before, now = self._seen.get(path), _look(path)
        return before is not None and now is not None and now.is_same_file(before)

    def is_home(self, path: Path) -> bool:
        """Whether the folder of a file is still the one, on the same medium, in which it was opened."""
        before, now = self._seen.get(path), _look(path.parent)
        return before is not None and now is not None and now.device == before.device


def _look(path: Path) -> _Seen | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return _Seen(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _named(path: Path, before: _Seen, now: _Seen | None) -> Say:
    file = Typed(path.name)
    if now is None and not path.parent.is_dir():
        return Say("{file} has lost its folder", file=file)
    if now is None:
        return Say("{file} was moved or deleted", file=file)
    if now.is_same_file(before):
        return Say("{file} was changed by another program", file=file)
    return Say("{file} was replaced by another file", file=file)
