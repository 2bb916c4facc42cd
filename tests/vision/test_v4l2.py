"""What the kernel answers about a camera, without taking a picture."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from vision.v4l2 import Use, ask


@pytest.mark.parametrize(
    ("code", "use"),
    [
        (None, "working"),
        (errno.EBUSY, "busy"),
        (errno.ENOTTY, "working"),
        (errno.EPERM, "denied"),
        (errno.ENXIO, "lost"),
    ],
)
def test_what_the_kernel_answers(tmp_path: Path, code: int | None, use: Use) -> None:
    device = tmp_path / "video0"
    device.touch()
    asked: list[tuple[int, bytes]] = []

    def ioctl(_file: int, request: int, buffers: bytes) -> object:
        asked.append((request, buffers[:4]))
        if code is not None:
            raise OSError(code, "no")
        return 0

    assert ask(str(device), ioctl) == use
    assert asked == [(0xC0145608, bytes(4))], "no buffers are asked for"


def test_a_device_that_is_not_there_is_lost() -> None:
    assert ask("/dev/video-that-is-not-there") == "lost"
