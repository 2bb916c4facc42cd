"""Rulings of an open game: each open point of the rulebook with the table's answer, changed by one tap."""

from __future__ import annotations

from collections.abc import Iterable

from companion.core.commands import SetRuling
from companion.core.setup import RulingInfo
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value
from companion.pages.page import Act, Acts, Block, Item, Page, Rows, Send, Shown, Sight, asked
from companion.pages.parts import back_button

__all__ = ["ruling_block", "ruling_items", "rulings_page"]


def ruling_items(state: GameState, acts: Acts, rulings: Iterable[str]) -> tuple[Item, ...]:
    """Return how the table plays some open points; those that the game does not have are left out.

    A tap changes the answer at once where there are two, and asks which where there are more.
    """
    known = {info.id: info for info in state.frozen_setup.ruling_infos}
    return tuple(_item(state, acts, known[one]) for one in dict.fromkeys(rulings) if one in known)


def ruling_block(state: GameState, acts: Acts, rulings: Iterable[str]) -> tuple[Block, ...]:
    """Return the open points that decide something on a page, as a block; nothing where none does."""
    items = ruling_items(state, acts, rulings)
    return (Rows("rulings", items, Say("Open points of the rules"), is_wide=False),) if items else ()


def _choice(info: RulingInfo, choice: str) -> Value:
    text = info.choice_texts.get(choice)
    return Typed(choice) if text is None else Say(text)


def _item(state: GameState, acts: Acts, info: RulingInfo) -> Item:
    now = state.rulings.get(info.id, info.default)
    others = tuple(choice for choice in info.choices if choice != now)
    act: Act
    if len(others) == 1:
        act = Send(SetRuling(info.id, others[0]))
    else:
        options = tuple(
            Item(choice, _choice(info, choice), state="chosen" if choice == now else "plain")
            for choice in info.choices
        )
        act = asked(info.id, Name("ruling", info.id), options, lambda one: Send(SetRuling(info.id, one)))
    return Item(
        f"ruling.{info.id}",
        Name("ruling", info.id),
        _choice(info, now),
        symbol="edit",
        act=acts.put(f"ruling.{info.id}", act),
    )


def rulings_page(sight: Sight) -> Shown:
    """Return every open point of the game's rulebook with how this table plays it."""
    state, acts = sight.state, Acts()
    items = ruling_items(state, acts, (info.id for info in state.frozen_setup.ruling_infos))
    page = Page(
        "rulings",
        Say("Rulings"),
        blocks=(Rows("rulings", items, empty=Say("This game's rules leave nothing open"), is_wide=False),),
        main=back_button(acts),
    )
    return Shown(page, acts)
