"""Rows that were written as HTML before: those of the next page that are the same need not be written again."""

from __future__ import annotations

from companion.core.text import Say, Typed
from companion.pages.page import Item, Words

__all__ = ["Known"]

_MOST = 500


class Known:
    """The rows of one page in one language, by their key."""

    def __init__(self) -> None:
        """Know none yet."""
        self._rows: dict[str, tuple[Item, str]] = {}

    def get(self, item: Item) -> str | None:
        """Return what was written for a row that is the same; None where there was none."""
        before = self._rows.get(item.key)
        return before[1] if before is not None and before[0] == item else None

    def put(self, item: Item, html: str) -> None:
        """Keep what was written for a row, where it is the same whatever the state of the game is."""
        if item.facet is not None or not all(map(_is_plain, _said(item))):
            return
        if len(self._rows) >= _MOST:
            self._rows.clear()
        self._rows[item.key] = item, html


def _said(item: Item) -> tuple[Words | None, ...]:
    mark = item.mark.name if item.mark is not None else None
    return item.title, item.sub, item.value, item.why_not, mark


def _is_plain(words: Words | None) -> bool:
    """Say whether words name nothing: names are the game's, and may change with its state."""
    plain = Typed | int
    return isinstance(words, plain | None) or (
        isinstance(words, Say) and all(isinstance(one, plain) for one in words.values.values())
    )
