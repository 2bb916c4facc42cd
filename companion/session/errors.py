"""What can go wrong in the shell, as a tree of errors whose text can be shown to the table.

SessionError
├── JournalError
│   ├── JournalMissingError       (FileNotFoundError)
│   ├── JournalLockedError        (BlockingIOError)   another Table Companion has the game open
│   ├── JournalDamagedError       (ValueError)        nothing readable is left
│   ├── JournalUnreadableError    (ValueError)        whole, but not for this version or not a game
│   └── NotStoredError            (OSError)           disk full, read-only place, failing card
│       └── JournalLostError                          an open game's file or its medium is gone
├── FileValueError                (ValueError)        file, line, key, expected, got
└── CopyError                (OSError)           a copy to a stick or folder failed
"""

from __future__ import annotations

from pathlib import Path

from companion.core.text import Say, Typed

__all__ = [
    "CopyError",
    "FileValueError",
    "JournalDamagedError",
    "JournalError",
    "JournalLockedError",
    "JournalLostError",
    "JournalMissingError",
    "JournalUnreadableError",
    "NotStoredError",
    "SessionError",
    "Shown",
]

_MOST_SHOWN = 200

Shown = Say | Typed
"""What a person is told: a sentence of ours, or the words of another program as they are."""


class SessionError(Exception):
    """Root of the package's errors: what is wrong, and what to do next, as values; its `str` is English, for logs."""

    def __init__(self, text: Shown, hint: Say | None = None) -> None:
        """Take the sentence and the hint."""
        super().__init__(str(text))
        self.text: Shown = text
        self.hint = hint

    @property
    def say(self) -> Say:
        """Both in one."""
        if self.hint is None:
            return self.text if isinstance(self.text, Say) else Say("{what}", what=self.text)
        return Say("{what}; {next}", what=self.text, next=self.hint)

    def __str__(self) -> str:
        return str(self.say)


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

    is_full: bool = False
    """Only room is lacking: what is there can be read, and a later try may succeed."""


class JournalLostError(NotStoredError):
    """An open game's file was taken away or changed, or its medium fails: what is written there now would be lost."""


class FileValueError(SessionError, ValueError):
    """A value in a file is wrong: which file and line, which key, what was expected and what stands there."""

    def __init__(
        self,
        path: Path | str,
        *,
        expected: Shown,
        got: Shown,
        line: int = 0,
        key: str = "",
        hint: Say | None = None,
    ) -> None:
        """Build the sentence from its parts; line 0 and an empty key are left out."""
        file, key, got = (
            Typed(str(path)),
            _brief(key),
            Typed(_brief(got.text)) if isinstance(got, Typed) else got,
        )
        if line and key:
            text = Say(
                "{file}, line {line}, key {key}: expected {expected}, got {got}",
                file=file,
                line=line,
                key=Typed(key),
                expected=expected,
                got=got,
            )
        elif line:
            text = Say(
                "{file}, line {line}: expected {expected}, got {got}",
                file=file,
                line=line,
                expected=expected,
                got=got,
            )
        elif key:
            text = Say(
                "{file}, key {key}: expected {expected}, got {got}",
                file=file,
                key=Typed(key),
                expected=expected,
                got=got,
            )
        else:
            text = Say("{file}: expected {expected}, got {got}", file=file, expected=expected, got=got)
        super().__init__(text, hint)
        self.path, self.line, self.key, self.expected, self.got = str(path), line, key, expected, got


def _brief(text: str) -> str:
    """Return a word of a file as one line of bounded length, with signs that cannot be shown made visible."""
    plain = "".join(sign if sign.isprintable() else "\ufffd" for sign in text[:_MOST_SHOWN])
    return plain if len(text) <= _MOST_SHOWN else f"{plain}…"


class CopyError(SessionError, OSError):
    """A copy did not arrive whole; the original is untouched."""
