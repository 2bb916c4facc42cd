"""Which photos of a folder have wholly arrived; goes by names, sizes and ends of files, and needs no OpenCV."""

from __future__ import annotations

__all__ = ["PHOTO_ENDINGS", "CompletePhotos"]

import os
from pathlib import Path

from companion.core.text import Say, Typed
from vision.errors import CameraError

PHOTO_ENDINGS = frozenset(
    (".jpg", ".jpeg", ".heic", ".heif", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif")
)
"""How the names of photos end, in small letters; every kind that `vision.load` reads."""


def _has_end(path: Path, size: int) -> bool:
    """Say whether a file ends as its kind ends; False for kinds that do not tell."""
    try:
        with path.open("rb") as file:
            head = file.read(12)
            file.seek(max(0, size - 12))
            tail = file.read(12)
    except OSError:
        return False
    if head.startswith(b"\xff\xd8"):
        return tail.endswith(b"\xff\xd9")
    if head.startswith(b"\x89PNG"):
        return tail[4:8] == b"IEND"
    if head.startswith(b"RIFF"):
        return int.from_bytes(head[4:8], "little") + 8 <= size
    return head.startswith(b"BM") and int.from_bytes(head[2:6], "little") <= size


class CompletePhotos:
    """The photos of a folder that have wholly arrived.

    A photo is complete when it ends as its kind ends, or when so many looks in a row found it unchanged.
    """

    def __init__(self, folder: Path | str, looks: int = 2) -> None:
        self.folder, self.looks = Path(folder), looks
        self._seen: dict[str, tuple[tuple[int, int], int]] = {}

    def look(self) -> dict[str, tuple[int, int]]:
        """Return name to size in bytes and time of change in ns. Raises CameraError for a folder that cannot be read."""
        whole, seen = {}, {}
        for name, stamp in self._list().items():
            before, times = self._seen.get(name, (None, 0))
            times = times + 1 if before == stamp else 1
            if times < self.looks and stamp[0] and _has_end(self.folder / name, stamp[0]):
                times = self.looks
            seen[name] = (stamp, times)
            if stamp[0] and times >= self.looks:
                whole[name] = stamp
        self._seen = seen
        return whole

    def _list(self) -> dict[str, tuple[int, int]]:
        out = {}
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if Path(entry.name).suffix.lower() in PHOTO_ENDINGS and not entry.name.startswith("."):
                        try:
                            stat = entry.stat()
                            if not entry.is_file():
                                continue
                        except OSError:  # gone between listing and asking
                            continue
                        out[entry.name] = (stat.st_size, stat.st_mtime_ns)
        except OSError as error:
            raise CameraError(
                Say(
                    "the photo folder {folder} cannot be read ({why})",
                    folder=Typed(str(self.folder)),
                    why=Typed(str(error.strerror or error)),
                )
            ) from error
        return out
