"""What every widget of a page is given: how words are spoken, and where a press goes."""

from __future__ import annotations

from collections.abc import Callable

from companion.core.state import GameState
from companion.pages.i18n import current
from companion.pages.page import ActId, Words
from companion.pages.speak import Voice
from companion.ui.touch import Press

__all__ = ["INKS", "Pen"]

INKS = {
    "plain": "text",
    "muted": "muted",
    "ok": "ok",
    "danger": "danger",
    "chosen": "text",
    "done": "muted",
    "lost": "muted",
}
"""State of a thing to the colour token of its words."""


class Pen:
    """Speaks for the viewer of a page, and hands presses on."""

    def __init__(self, press: Callable[[ActId, Press | None], None], tell: Callable[[Words], None]) -> None:
        """Hand presses to `press`, as the id of an act and the touch; `tell` shows why something cannot be had."""
        self.press, self.tell = press, tell
        self._voice = Voice(current())

    def use(self, state: GameState | None) -> None:
        """Speak the words of the open game, in the language at hand."""
        game = state.setup.game if state is not None and state.setup is not None else ""
        self._voice = Voice(current(), game, state)

    def pressing(self, press: Callable[[ActId, Press | None], None]) -> Pen:
        """Return one that speaks alike and hands presses elsewhere."""
        other = Pen(press, self.tell)
        other._voice = self._voice
        return other

    def say(self, words: Words | None) -> str:
        """Return words as text; nothing where there are none."""
        return "" if words is None else self._voice.say(words)

    def title(self, words: Words | None) -> str:
        """Return words as text that begins with a capital."""
        text = self.say(words)
        return text[:1].upper() + text[1:]
