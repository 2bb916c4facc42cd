"""What the tabs of the Support screen share: both sides beside each other, and texts that are asked for one by one."""

from __future__ import annotations

from collections.abc import Callable

from companion.core.ids import Side as SideId
from companion.core.state import GameState
from companion.core.text import Say, side
from companion.pages.page import (
    Act,
    Ask,
    Block,
    Button,
    Field,
    Form,
    Head,
    Side,
    Sides,
    Words,
)
from companion.pages.parts import side_mark

__all__ = ["Tab", "ask_texts", "both_sides"]

Tab = tuple[Words | None, tuple[Button, ...], tuple[Block, ...]]
"""Lead, tools and blocks of a tab."""


def both_sides(
    state: GameState,
    blocks: Callable[[SideId], tuple[Block, ...]],
    tools: Callable[[SideId], tuple[Button, ...]] = lambda _side: (),
) -> Sides:
    """Return both sides as columns: what makes the blocks, and the tools of the head, of one."""
    setup = state.frozen_setup
    return Sides(
        "sides",
        tuple(
            Side(one, Head(one, side(one), mark=side_mark(setup, one), tools=tools(one)), blocks(one))
            for one in (info.id for info in setup.sides)
        ),
    )


def ask_texts(key: str, *titles: Say, then: Callable[[list[str]], Act]) -> Ask:
    """Ask for some texts, one after the other."""
    fields = tuple(Field(str(n), title, "text") for n, title in enumerate(titles))
    return Ask(Form(key, titles[0], fields), lambda answers: then([answers[field.key] for field in fields]))
