"""Entering the unit of a card: figure by figure, until the table plays it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.core.state import GameState
from companion.core.text import Typed
from companion.games.sfw.pages.card_unit import Card, CardRow, card_fault, card_rows
from companion.pages.desk import Notice
from companion.pages.i18n import _
from companion.ui.dialogs import Choose

__all__ = ["ask_card"]


def ask_card(screen: Any, state: GameState, card: Card, play: Callable[[Card], None]) -> None:
    """Show a card's unit as it stands; each figure can be changed until the card is played."""

    def again(changed: Card) -> None:
        ask_card(screen, state, changed, play)

    def chosen(row: CardRow | None) -> None:
        if row is None:
            fault = card_fault(state, card)
            if fault:
                screen.root.notify(Notice("error", Typed(fault)))
                again(card)
            else:
                play(card)
        else:
            options = [(changed, text) for text, changed in row.options]
            screen.root.ask(Choose(row.text, options, again, columns=4))

    rows: list[tuple[CardRow | None, str]] = [(None, _("Play the card as it stands"))]
    rows += [(row, row.text) for row in card_rows(state, card)]
    screen.root.ask(Choose(str(card["name"]), rows, chosen, columns=2))
