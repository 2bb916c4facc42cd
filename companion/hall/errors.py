"""What goes wrong at the director's desk, each as one line that names what, expected, got and the next step.

HallError (ValueError)
├── RecordError: the file of the record cannot be read, or holds something that this version does not know
└── PairingError: a round cannot be paired as asked
"""

from __future__ import annotations

from companion.core.text import Say, Typed

__all__ = ["HallError", "PairingError", "RecordError"]


class HallError(ValueError):
    """Something that was asked cannot be done; nothing was changed."""

    def __init__(self, why: Say | str) -> None:
        """Take the reason; what the director's page shows of people's doing is words as a value, in his language."""
        super().__init__(str(why))
        self.say = Say("{why}", why=Typed(why)) if isinstance(why, str) else why


class RecordError(HallError):
    """The record of a tournament cannot be read whole."""


class PairingError(HallError):
    """No pairing fits what was asked."""
