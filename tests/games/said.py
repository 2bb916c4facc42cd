"""What the rules say, put into every language with every id named: a check of all that they refuse."""

from __future__ import annotations

from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.core.text import Name, Say
from companion.games.registry import games_by_key
from companion.pages.i18n import LANGUAGES, language_of
from companion.pages.modules import words_of
from companion.pages.shared_words import SHARED
from companion.pages.speak import Voice

__all__ = ["assert_said", "assert_told"]


games_by_key()


def _nameless(name: Name) -> str:
    raise AssertionError(f"{name} has no word")


def assert_told(rejected: Rejected, state: GameState) -> None:
    """Assert that a refusal is whole sentences in every language, or that its code has words."""
    game = state.frozen_setup.game
    detail = rejected.detail
    if not isinstance(detail, Say):
        if isinstance(rejected.code, Code):
            return  # the core's own
        assert detail == "", f"{rejected} is a finished text"
        assert words_of(game).word("refusal", rejected.code) or SHARED.word("refusal", rejected.code), (
            rejected
        )
        return
    assert_said(detail, game, state)


def assert_said(say: Say, game: str, state: GameState | None = None) -> None:
    """Assert that a sentence is whole in every language, and that nothing in it is a bare id."""
    for code in LANGUAGES:
        text = Voice(language_of(code), game, state, _nameless).say(say)
        assert text.endswith((".", "?")), text
        assert "{" not in text, text
        assert ": ." not in text, text
