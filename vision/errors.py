"""The errors of this package.

VisionError
├── PhotoError (ValueError)      a file or frame that cannot be read as a photo
├── ModelError (RuntimeError)    a model file that is missing or does not fit
├── SetError (ValueError)        a dice set that is missing, damaged or incomplete
│   └── OldSetError              a dice set that was learnt with another reading net
├── CameraError (OSError)        a camera that is missing, busy, unplugged or silent
└── Cancelled                    the caller asked to stop; nothing was decided
"""

from __future__ import annotations

from companion.core.text import Say

__all__ = ["CameraError", "Cancelled", "ModelError", "OldSetError", "PhotoError", "SetError", "VisionError"]


class VisionError(Exception):
    """Root of all errors of this package: one sentence as a value; its `str` is English, for a log or a command line."""

    def __init__(self, say: Say | None = None) -> None:
        """Take the sentence; None where nobody is told."""
        super().__init__(*(() if say is None else (str(say),)))
        self.say = Say("") if say is None else say


class PhotoError(VisionError, ValueError):
    """The file or frame cannot be read as a photo; the text names it and says what to do."""


class ModelError(VisionError, RuntimeError):
    """A model file is missing or does not fit this version."""


class SetError(VisionError, ValueError):
    """A calibrated dice set is missing, damaged or incomplete."""


class OldSetError(SetError):
    """A calibrated dice set was learnt with another reading net; it has to be learnt again."""


class CameraError(VisionError, OSError):
    """A camera is missing, busy, unplugged or silent; one line, fit for the screen."""


class Cancelled(VisionError):  # noqa: N818 - not a fault
    """The caller asked to stop."""
