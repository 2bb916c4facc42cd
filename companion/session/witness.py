"""The witness: what stood in a game file last, written down outside that file and its log.

A small file beside the game, ``NAME.tcgame-witness``. It is overwritten after every entry and synced with every
heartbeat, in two places by turns, so that one of them is always whole. It never runs ahead of the game file. A
game file alone is complete; the witness only tells when a file, or its log, is older than it should be.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
import zlib
from pathlib import Path

from companion.session.chain import Claim
from companion.session.files import read_at_most, sync_folder

__all__ = ["Witness", "read_witness", "witness_path"]

_FORM = struct.Struct(">4sQ16sQ32sQ")
_MAGIC = b"TCW1"
_PLACE = 512


def witness_path(path: Path) -> Path:
    """Return the witness of a game file."""
    return path.with_name(path.name + "-witness")


def read_witness(path: Path) -> Claim | None:
    """Return what the witness of a game file says; None when there is none, or nothing whole in it."""
    return _newest(path)[1]


class Witness:
    """An open witness. Where it cannot be written the game goes on without one."""

    def __init__(self, path: Path) -> None:
        """Open the witness of a game file, or make it."""
        self._number = _newest(path)[0]
        self._handle: int | None = None
        with contextlib.suppress(OSError):
            is_new = not witness_path(path).exists()
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            self._handle = os.open(witness_path(path), flags, 0o644)
            if not stat.S_ISREG(os.fstat(self._handle).st_mode):  # a pipe, say, keeps nothing
                self.close()
            elif is_new:
                sync_folder(path.parent)

    def tell(self, claim: Claim, *, is_synced: bool = False) -> None:
        """Write down what now stands in the game file; with `is_synced` it is durable when this returns."""
        if self._handle is None:
            return
        self._number += 1
        record = _FORM.pack(_MAGIC, self._number, claim.game, claim.seq, claim.digest, claim.number)
        record += zlib.crc32(record).to_bytes(4, "big")
        with contextlib.suppress(OSError):
            os.pwrite(self._handle, record.ljust(_PLACE, b"\0"), self._number % 2 * _PLACE)
            if is_synced:
                os.fsync(self._handle)

    def close(self) -> None:
        """Let the file go; twice is safe."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)


def _newest(path: Path) -> tuple[int, Claim | None]:
    try:
        data = read_at_most(witness_path(path), 2 * _PLACE)
    except OSError:
        return 0, None
    found: list[tuple[int, Claim]] = []
    for at in (0, _PLACE):
        record, crc = data[at : at + _FORM.size], data[at + _FORM.size : at + _FORM.size + 4]
        if len(crc) < 4 or zlib.crc32(record).to_bytes(4, "big") != crc:
            continue
        magic, number, game, seq, digest, count = _FORM.unpack(record)
        if magic == _MAGIC:
            found.append((number, Claim(game, seq, digest, count)))
    return max(found, default=(0, None))
