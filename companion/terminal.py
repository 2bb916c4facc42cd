"""What is printed stays text: names and texts from strangers' files move no cursor, clear no screen and turn no line round."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

__all__ = ["legible_output", "unfiltered"]

_RANGES = (
    (0x00, 0x09),
    (0x0B, 0x20),
    (0x7F, 0xA0),
    (0x200E, 0x2010),
    (0x202A, 0x202F),
    (0x2066, 0x206A),
    (0xD800, 0xE000),
)
"""Control characters but tab and line feed, marks of direction, and halves of characters, which no terminal can be sent."""
_SHOWN = {sign: f"\\u{sign:04x}" for first, end in _RANGES for sign in range(first, end)}
"""As JSON writes them, so that a line of JSON stays one."""


class _Legible:
    """A stream that shows such characters instead of sending them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(text.translate(_SHOWN))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def unfiltered(stream: TextIO) -> TextIO:
    """Return the stream behind one that shows such characters: for a line of our own that has to move the cursor."""
    return stream._stream if isinstance(stream, _Legible) else stream


@contextlib.contextmanager
def legible_output() -> Iterator[None]:
    """Let all that is printed meanwhile be text alone."""
    before = sys.stdout, sys.stderr
    ours = tuple(
        stream if stream is None or isinstance(stream, _Legible) else cast(TextIO, _Legible(stream))
        for stream in before
    )
    sys.stdout, sys.stderr = ours
    try:
        yield
    finally:
        if (sys.stdout, sys.stderr) == ours:
            sys.stdout, sys.stderr = before
