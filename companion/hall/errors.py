"""What goes wrong at the director's desk, each as one line that names what, expected, got and the next step.

HallError (ValueError)
├── RecordError: the file of the record cannot be read, or holds something that this version does not know
└── PairingError: a round cannot be paired as asked
"""

from __future__ import annotations

__all__ = ["HallError", "PairingError", "RecordError"]


class HallError(ValueError):
    """Something that was asked cannot be done; nothing was changed."""


class RecordError(HallError):
    """The record of a tournament cannot be read whole."""


class PairingError(HallError):
    """No pairing fits what was asked."""
