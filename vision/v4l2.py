"""Could a USB camera be used now? Asks the kernel without taking a picture; needs no OpenCV and disturbs nobody."""

from __future__ import annotations

__all__ = ["Use", "ask"]

import errno
import fcntl
import os
import struct
from collections.abc import Callable
from typing import Literal, TypeAlias

Use: TypeAlias = Literal["working", "busy", "denied", "lost"]
"""Whether a camera is free, in use by another program, not allowed for this user, or not there."""

_REQUEST_BUFFERS = 0xC0145608
"""VIDIOC_REQBUFS: with no buffers it changes nothing, and is refused while another program has the camera."""


def ask(device: str, ioctl: Callable[[int, int, bytes], object] = fcntl.ioctl) -> Use:
    """Say whether the camera behind a device file could be used now."""
    try:
        handle = os.open(device, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as fault:
        return _use_of(fault, "lost")
    try:
        ioctl(handle, _REQUEST_BUFFERS, struct.pack("=IIIIB3x", 0, 1, 1, 0, 0))
    except OSError as fault:
        return _use_of(fault, "working")  # a camera that does not know the question may still take pictures
    finally:
        os.close(handle)
    return "working"


def _use_of(fault: OSError, otherwise: Use) -> Use:
    known: dict[int | None, Use] = {
        errno.EBUSY: "busy",
        errno.EACCES: "denied",
        errno.EPERM: "denied",
        errno.ENODEV: "lost",
        errno.ENXIO: "lost",
        errno.ENOENT: "lost",
    }
    return known.get(fault.errno, otherwise)
