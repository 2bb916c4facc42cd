"""Read the bytes of a text file as other programs save it: with a byte order mark, or as UTF-16 or UTF-32.

Whoever edits a file with the editor at hand may not know that it was saved so; the text is the same.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from companion.core.text import Say

__all__ = ["LongNumber", "NoTextError", "has_long_key", "long_number", "text_of"]

_LONG = re.compile(r"\d[\d_]{308,}")
"""A number that no floating-point number holds; readers of JSON and TOML refuse some, each in words of its own."""

_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.){0,60}+"|'[^'\n]{0,60}+')"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{12}}")
"""A dotted key of more parts than any file of ours has."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Longer marks first: that of UTF-32 begins with one of UTF-16."""


class NoTextError(ValueError):
    """Bytes that are no text; `expected` and `got` say it in words, `line` where it stands."""

    expected = Say("text saved as UTF-8")

    def __init__(self, line: int) -> None:
        """Keep the line on which the first strange byte stands."""
        self.line = line
        self.got = Say("a character in another encoding")
        super().__init__(f"line {line}: expected {self.expected}, got {self.got}")


class LongNumber(NamedTuple):
    """A number in a file that has too many digits to be read."""

    line: int
    digits: int
    got: Say
    expected: Say = Say("a number of at most {most} digits", most=308)


def long_number(text: str) -> LongNumber | None:
    """Return the first number of a text that is too long for any figure; None where there is none."""
    found = _LONG.search(text)
    if found is None:
        return None
    digits = len(found[0].replace("_", ""))
    return LongNumber(text.count("\n", 0, found.start()) + 1, digits, Say("one of {n} digits", n=digits))


def has_long_key(text: str) -> bool:
    """Whether a text of TOML has a key with so many dots that reading it could take minutes: it is read once for each dot."""
    return _LONG_KEY.search(text) is not None


def text_of(data: bytes) -> str:
    """Return the text of a file without its byte order mark.

    Raises:
        NoTextError: It is text in no encoding of Unicode.

    Example:
        >>> text_of("tank".encode("utf-16"))
        'tank'
        >>> text_of(b"\\xef\\xbb\\xbftank")
        'tank'
    """
    mark, encoding = next((row for row in _MARKS if data.startswith(row[0])), (b"", _unmarked(data)))
    body = data[len(mark) :]
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, "replace")
        raise NoTextError(before.count("\n") + 1) from None


def _unmarked(data: bytes) -> str:
    """Guess the encoding of text without a mark: in UTF-16, every second byte of most text is zero."""
    head = data[:4096]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) * 4 <= len(head):
        return "utf-8"
    return "utf-16-be" if even > odd else "utf-16-le"
