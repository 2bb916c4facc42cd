"""Files that nobody else may read, and files in whose place something else may stand."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

__all__ = ["opened_new", "read_plain", "write_private"]


def read_plain(path: Path) -> bytes:
    """Return what a file holds. OSError for what is none: the writer of a pipe might never come."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a file", str(path))
        return file.read()


def opened_new(path: Path, mode: int = 0o666) -> int:
    """Make a file that nobody has: a link left under its name would lead the writing elsewhere. OSError where it cannot be."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)


def write_private(path: Path, data: bytes) -> None:
    """Write a file that nobody else may read, whole or not at all."""
    fresh = path.with_name(path.name + ".new")
    with os.fdopen(opened_new(fresh, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
