"""An open point of the rulebook, shown where it decides something: how this table plays it, and one tap to change it."""

from __future__ import annotations

from companion.core.commands import SetRuling
from companion.core.setup import RulingInfo
from companion.core.state import GameState
from companion.core.text import Say, Typed
from companion.pages.labels import humanise
from companion.pages.page import Acts, Button, Item, Send, Words, asked

__all__ = ["ruling_items", "ruling_tools"]


def ruling_items(state: GameState, acts: Acts, *rulings: str) -> tuple[Item, ...]:
    """Return a line for each ruling: its question, how it is played, and a tap to play it another way.

    A game that was begun before a ruling existed has no line for it.
    """
    infos = {info.id: info for info in state.frozen_setup.ruling_infos}
    return tuple(_item(state, acts, infos[ruling]) for ruling in rulings if ruling in infos)


def ruling_tools(state: GameState, acts: Acts, *rulings: str) -> tuple[Button, ...]:
    """Return the same as small buttons for the head of a page that has no room for lines."""
    return tuple(Button(Say("Ruling"), item.act) for item in ruling_items(state, acts, *rulings))


def _item(state: GameState, acts: Acts, info: RulingInfo) -> Item:
    options = tuple(Item(choice, _choice(info, choice)) for choice in info.choices)
    held = _choice(info, state.rulings.get(info.id, info.default))
    key, question = f"ruling.{info.id}", Say(info.text)
    ask = asked(
        key,
        question,
        options,
        lambda choice: Send(SetRuling(info.id, choice)),
        sub=Say("Ruling: {choice}", choice=held),
    )
    return Item(key, Say("Ruling"), question, symbol="edit", act=acts.put(key, ask), may_shorten=True)


def _choice(info: RulingInfo, choice: str) -> Words:
    words = info.choice_texts.get(choice)
    return Say(words) if words else Typed(humanise(choice))
