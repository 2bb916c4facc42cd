"""Rulings of an open game: each open point of the rulebook with the table's answer, changed by one tap."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from msgspec.structs import replace

from companion.core.commands import SetRuling
from companion.core.decide import is_ruling_locked
from companion.core.ids import ARBITER, TABLE, RulingId
from companion.core.setup import RulingInfo
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value
from companion.pages.page import Act, Acts, Ask, Block, Button, Item, Page, Rows, Send, Shown, Sight, asked
from companion.pages.parts import back_button

__all__ = ["ask_ruling", "deciding", "ruling_block", "ruling_items", "ruling_tools", "rulings_page", "settle"]


def deciding(
    state: GameState, rulings: Iterable[str], seen: Callable[[GameState], object]
) -> tuple[str, ...]:
    """Return those of some open points without whose answer `seen` would be another: they decide here."""
    now = seen(state)
    infos = [info for info in state.frozen_setup.ruling_infos if info.id in set(rulings)]
    return tuple(
        info.id
        for info in infos
        if any(seen(replace(state, rulings={**state.rulings, info.id: one})) != now for one in info.choices)
    )


def ruling_items(state: GameState, acts: Acts, rulings: Iterable[str]) -> tuple[Item, ...]:
    """Return how the table plays some open points; those that the game does not have are left out.

    A tap changes the answer at once where there are two, and asks which where there are more.
    """
    known = {info.id: info for info in state.frozen_setup.ruling_infos}
    return tuple(_item(state, acts, known[one]) for one in dict.fromkeys(rulings) if one in known)


def ruling_block(state: GameState, acts: Acts, rulings: Iterable[str]) -> tuple[Block, ...]:
    """Return the open points that decide something on a page, as a block; nothing where none does."""
    items = ruling_items(state, acts, rulings)
    return (Rows("rulings", items),) if items else ()


def ruling_tools(state: GameState, acts: Acts, rulings: Iterable[str]) -> tuple[Button, ...]:
    """Return the open points that decide something on a page without room for them, as a tool that asks how they are played.

    Of several it asks which one first.
    """
    known = {info.id for info in state.frozen_setup.ruling_infos}
    found = tuple(dict.fromkeys(one for one in rulings if one in known))
    if not found:
        return ()
    key = f"ruling.{found[0]}" if len(found) == 1 else "ruling"
    return (Button(Say("Ruling"), acts.put(key, ask_ruling(state, found, partial(settle, state)))),)


def ask_ruling(state: GameState, rulings: Iterable[str], settled: Callable[[str, str], Act]) -> Ask:
    """Ask how an open point of some is played, of several which one first; `settled` is given the point and its answer."""
    known = {info.id: info for info in state.frozen_setup.ruling_infos}
    asks = {one: _ask(state, known[one], settled) for one in rulings}
    if len(asks) == 1:
        return next(iter(asks.values()))
    options = tuple(Item(one, Name("ruling", one)) for one in asks)
    return asked("which", Say("Ruling"), options, asks.__getitem__)


def settle(state: GameState, ruling: str, choice: str) -> Send:
    """Return the act that settles an open point: under tournament time the arbiter's, once play has begun."""
    return Send(SetRuling(RulingId(ruling), choice), ARBITER if is_ruling_locked(state) else TABLE)


def _ask(state: GameState, info: RulingInfo, settled: Callable[[str, str], Act]) -> Ask:
    """Ask how an open point is played, each answer in full."""
    now = state.rulings.get(info.id, info.default)
    options = tuple(
        Item(choice, _choice(info, choice), state="chosen" if choice == now else "plain")
        for choice in info.choices
    )
    return asked(info.id, Name("ruling", info.id), options, partial(settled, info.id))


def _choice(info: RulingInfo, choice: str) -> Value:
    text = info.choice_texts.get(choice)
    return Typed(choice) if text is None else Say(text)


def _item(state: GameState, acts: Acts, info: RulingInfo) -> Item:
    now = state.rulings.get(info.id, info.default)
    others = tuple(choice for choice in info.choices if choice != now)
    act: Act = (
        settle(state, info.id, others[0]) if len(others) == 1 else _ask(state, info, partial(settle, state))
    )
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
        blocks=(Rows("rulings", items, empty=Say("This game's rules leave nothing open")),),
        main=back_button(acts),
    )
    return Shown(page, acts)
