"""What can go wrong in the shell, as a tree of errors whose text can be shown to the table.

SessionError
├── JournalError
│   ├── JournalMissingError       (FileNotFoundError)
│   ├── JournalLockedError        (BlockingIOError)   another Table Companion has the game open
│   ├── JournalDamagedError       (ValueError)        nothing readable is left
│   ├── JournalUnreadableError    (ValueError)        whole, but not for this version or not a game
│   └── NotStoredError            (OSError)           disk full, read-only place, failing card
├── FileValueError                (ValueError)        file, line, key, expected, got
└── CopyError                (OSError)           a copy to a stick or folder failed
"""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "CopyError",
    "FileValueError",
    "JournalDamagedError",
    "JournalError",
    "JournalLockedError",
    "JournalMissingError",
    "JournalUnreadableError",
    "NotStoredError",
    "SessionError",
]


class SessionError(Exception):
    """Root of the package's errors: one sentence that says what is wrong, and what to do next."""

    def __init__(self, text: str, hint: str = "") -> None:
        """Take the sentence and the hint."""
        super().__init__(text)
        self.text = text
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.text}; {self.hint}" if self.hint else self.text


class JournalError(SessionError):
    """A game file cannot be used."""


class JournalMissingError(JournalError, FileNotFoundError):
    """There is no such game file."""


class JournalLockedError(JournalError, BlockingIOError):
    """The game is open elsewhere."""


class JournalDamagedError(JournalError, ValueError):
    """Not one entry of the file can be read."""


class JournalUnreadableError(JournalError, ValueError):
    """The file is whole, but it is not a game, or this version cannot read it."""


class NotStoredError(JournalError, OSError):
    """The disk did not take an entry. Nothing was applied."""


class FileValueError(SessionError, ValueError):
    """A value in a file is wrong: which file and line, which key, what was expected and what stands there."""

    def __init__(
        self, path: Path | str, *, expected: str, got: str, line: int = 0, key: str = "", hint: str = ""
    ) -> None:
        """Build the sentence from its parts; line 0 and an empty key are left out."""
        where = f"{path}, line {line}" if line else str(path)
        at = f", key {key}" if key else ""
        super().__init__(f"{where}{at}: expected {expected}, got {got}", hint)
        self.path, self.line, self.key, self.expected, self.got = str(path), line, key, expected, got


class CopyError(SessionError, OSError):
    """A copy did not arrive whole; the original is untouched."""
