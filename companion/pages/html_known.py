"""Blocks and rows that were written as HTML before: those of the next page that are the same need not be written again."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_

from companion.core.state import GameState
from companion.core.text import Say, Typed, Value
from companion.pages.page import Block, Clocks, Item, Sides

__all__ = ["Known", "Names"]

_MOST = 500


class Names:
    """What the names of things are taken from, at one state of a game."""

    def __init__(self, state: GameState | None) -> None:
        """Take them from a state; None: no game is open."""
        self._of = _named_by(state)

    def hold(self, state: GameState | None) -> bool:
        """Say whether they are the same at another state."""
        now = _named_by(state)
        return len(now) == len(self._of) and all(map(is_, now, self._of))


def _named_by(state: GameState | None) -> tuple[object, ...]:
    return () if state is None else (state.setup, state.itinerary, state.printed, state.game)


class Known:
    """Blocks and rows in one language, by their key; pages that say the same things may share one."""

    def __init__(self) -> None:
        """Know none yet."""
        self._rows: dict[str, tuple[Item, str]] = {}
        self._named: dict[str, tuple[Item, str]] = {}
        """Those that name something: names are the game's, and may change with its state."""
        self._names = Names(None)
        self._blocks: dict[tuple[str, str], tuple[Block, str]] = {}
        """Whole blocks stand while no name may have changed."""

    def begin(self, state: GameState | None) -> None:
        """Begin a page; what was written with names stands while nothing has changed that a name is taken from."""
        if not self._names.hold(state):
            self._names = Names(state)
            self._named.clear()
            self._blocks.clear()

    def block(self, block: Block) -> str | None:
        """Return what was written for a block that is the same; None where there was none."""
        before = self._blocks.get((type(block).__name__, block.key))
        return before[1] if before is not None and (before[0] is block or before[0] == block) else None

    def put_block(self, block: Block, html: str) -> None:
        """Keep what was written for a block without secrets; clocks go on by themselves, so they are never kept."""
        if isinstance(block, Clocks | Sides):
            return
        if len(self._blocks) >= _MOST:
            self._blocks.clear()
        self._blocks[type(block).__name__, block.key] = block, html

    def get(self, item: Item) -> str | None:
        """Return what was written for a row that is the same; None where there was none."""
        before = self._rows.get(item.key) or self._named.get(item.key)
        return before[1] if before is not None and (before[0] is item or before[0] == item) else None

    def put(self, item: Item, html: str) -> None:
        """Keep what was written for a row."""
        if item.facet is not None:
            return
        mark = item.mark.name if item.mark is not None else None
        signs = (one.value for one in item.signs)
        said = (item.title, item.sub, item.value, item.why_not, mark, *signs)
        rows, other = (self._rows, self._named) if all(map(_is_plain, said)) else (self._named, self._rows)
        if len(rows) >= _MOST:
            rows.clear()
        other.pop(item.key, None)
        rows[item.key] = item, html


def _is_plain(words: Value | None) -> bool:
    """Say whether words name nothing."""
    if isinstance(words, Say):
        values: Mapping[str, Value] = words.values
        return all(map(_is_plain, values.values()))
    return isinstance(words, Typed | int | None)
