"""Reads a page as a person would: its texts in the language at hand, its items by how they begin. For tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.core.change import Change
from companion.core.rules import GameRules
from companion.pages.desk import Desk
from companion.pages.i18n import current
from companion.pages.page import TABLE_VIEWER, Act, Item, PageMaker, Shown, Sight, Words, act_ids
from companion.pages.speak import Voice

__all__ = ["Reading", "dangling", "items_of", "read"]


def items_of(value: Any) -> Iterator[Item]:
    """Yield every item of a page or of a part of it, in order; tabs are no items."""
    if isinstance(value, Item):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from items_of(one)
    elif hasattr(value, "__struct_fields__"):
        for name in value.__struct_fields__:
            if name not in ("tabs", "form"):
                yield from items_of(getattr(value, name))


def dangling(shown: Shown) -> list[str]:
    """Return the acts that a page offers and that lead nowhere."""
    return [act for act in act_ids(shown.page) if act not in shown.acts]


class Reading:
    """A page as it is read."""

    def __init__(self, shown: Shown, change: Change | None) -> None:
        """Read it in the words of the open game."""
        state = change.state if change is not None else None
        game = state.setup.game if state is not None and state.setup is not None else ""
        self.shown, self.page = shown, shown.page
        self._voice = Voice(current(), game, state)

    def say(self, words: Words | None) -> str:
        """Return words as text with a capital."""
        text = "" if words is None else self._voice.say(words)
        return text[:1].upper() + text[1:]

    @property
    def lead(self) -> str:
        """The lead."""
        return self.say(self.page.lead)

    @property
    def main(self) -> str:
        """What the main button says."""
        return self.say(self.page.main.title) if self.page.main is not None else ""

    @property
    def main_act(self) -> Act | None:
        """What the main button does; None while it is dead."""
        main = self.page.main
        if main is None or main.act is None or main.why_not is not None:
            return None
        return self.shown.acts[main.act]

    def block(self, key: str) -> Any:
        """Return a block of the page by its key."""
        return next(block for block in self.page.blocks if block.key == key)

    @property
    def items(self) -> list[Item]:
        """All items."""
        return list(items_of(self.page))

    @property
    def texts(self) -> list[str]:
        """The titles of all items."""
        return [self.say(item.title) for item in self.items]

    def item(self, start: str) -> Item:
        """Return the item whose title begins so."""
        return next(item for item in self.items if self.say(item.title).startswith(start))

    def sub(self, start: str) -> str:
        """Return the second line of an item, as it is written."""
        item = self.item(start)
        words = item.why_not if item.why_not is not None else item.sub
        return "" if words is None else self._voice.say(words)

    def act(self, start: str) -> Act:
        """Return what a tap on an item does."""
        item = self.item(start)
        assert item.act is not None, f"nothing can be asked of {start!r}"
        return self.shown.acts[item.act]


def read(
    make: PageMaker,
    change: Change,
    rules: GameRules | None = None,
    draft: object = None,
    desk: Desk | None = None,
) -> Reading:
    """Make a page for the box and read it."""
    return Reading(make(Sight(TABLE_VIEWER, change, rules, draft, desk)), change)
