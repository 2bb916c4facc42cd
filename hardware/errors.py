"""Everything this room raises, drawn as one tree.

::

    HardwareError
    ├── PinMapError (also ValueError)     a pin map file that cannot be used
    ├── FrameError (also ValueError)      bytes from the serial line that are not a frame
    ├── NoHeaderError (also LookupError)  a machine without the Raspberry Pi's pins
    └── DeviceLostError (also OSError)    a pin, port or box that was there and is gone

Refused input never travels further than the room: the panels turn losses into notices.
"""

__all__ = ["DeviceLostError", "FrameError", "HardwareError", "NoHeaderError", "PinMapError"]


class HardwareError(Exception):
    """Root of every error of this room."""


class PinMapError(HardwareError, ValueError):
    """A pin map file that cannot be used; the text names file, key, expected, got and what to do."""


class FrameError(HardwareError, ValueError):
    """A line from the serial port that is not a frame; ``code`` is one short word for counting."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        """One of: long, start, ascii, checksum, sequence, kind, field."""


class NoHeaderError(HardwareError, LookupError):
    """No GPIO chip of this machine is the 40-pin header's."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__(f"no GPIO chip of a Raspberry Pi header; found: {', '.join(labels) or 'none'}")
        self.labels = labels
        """What the chips that are here are called."""


class DeviceLostError(HardwareError, OSError):
    """A pin, port or box that was there and is gone, or that this user may not use."""

    def __init__(self, text: str, *, is_denied: bool = False) -> None:
        super().__init__(text)
        self.is_denied = is_denied
        """Whether it is there and this user may not open it."""
