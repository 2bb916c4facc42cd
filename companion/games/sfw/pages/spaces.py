"""Spaces of the board: those that are known in a game, and asking for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from companion.core.state import GameState
from companion.core.text import Say, Typed, Value, site
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import sites_of
from companion.pages.page import Act, Ask, Field, Form, Item, asked
from companion.pages.speak import speak

__all__ = ["ask_space", "known_spaces"]


def known_spaces(state: GameState) -> dict[str, str]:
    """Return spaces where a battle may be, by name, with their terrain where it is known.

    Objectives and airfields of the scenario are land; then whatever the table has named in this game.
    """
    own = battles_of(state)
    spaces: dict[str, str] = {}
    for declared in (*own.battles, *own.history):
        spaces.setdefault(declared.space, declared.battle.terrain)
    for one in sites_of(state):
        spaces.setdefault(speak(site(one), state), "land")
    for space in own.compositions:
        spaces.setdefault(space, "")
    return spaces


def ask_space(title: Value, known: Iterable[str], then: Callable[[str], Act]) -> Ask:
    """Ask for a space: one that is known, or another by name; by name at once where none is known."""
    spaces = tuple(known)
    field = Field("name", Say("Which space?"), "text")
    other = Ask(Form("space", title, (field,)), lambda answers: then(answers["name"].strip()))
    if not spaces:
        return other
    options = (
        Item("other", Say("Another space")),
        *(Item(str(n), Typed(name)) for n, name in enumerate(spaces)),
    )
    return asked("space", title, options, lambda key: other if key == "other" else then(spaces[int(key)]),
                 is_wide=False)  # fmt: skip
