"""The one screen of the game."""

from __future__ import annotations

from companion.games.nim.rules import Take

from companion.core.text import Say
from companion.pages.page import Acts, Item, Page, Send, Shown, Sight, Tiles
from companion.pages.parts import end_button


def pile_page(sight: Sight) -> Shown:
    """Return the pile, and what may be taken of it."""
    state, acts = sight.state, Acts()
    pile = state.game
    tiles = tuple(
        Item(str(n), Say("Take {n}", n=n), act=acts.put(f"take.{n}", Send(Take(state.step.id, n))))
        for n in range(1, min(pile.most, pile.left) + 1)
    )
    left = Say.counted("{n} match left", "{n} matches left", pile.left)
    page = Page("pile", Say("The pile"), left, blocks=(Tiles("take", tiles),), main=end_button(state, acts))
    return Shown(page, acts)
