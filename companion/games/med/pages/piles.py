"""The Piles screen of the card game: what lies open, hand sizes, a pile for its owner's eyes, ranking and series."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.change import Change
from companion.core.state import GameState
from companion.games.med.pages.score import is_counted, open_points, standings
from companion.games.med.pages.words import card_name, word
from companion.games.med.rules.points import operations_of
from companion.games.med.rules.slice import hands, known_cards, slice_of
from companion.pages.i18n import _, ngettext
from companion.pages.labels import side_name

__all__ = ["PileRow", "PilesView", "piles_view"]


@dataclass(frozen=True, slots=True)
class PileRow:
    """One player, or one card of a pile that is shown."""

    key: str
    text: str
    sub: str = ""
    is_tap: bool = False
    value: str = ""
    """Points, in large type at its end."""
    side: str = ""
    """Side of a card, whose emblem stands before it."""
    is_first: bool = False
    """Whether a player leads the final ranking."""


@dataclass(frozen=True, slots=True)
class PilesView:
    """What the screen shows."""

    title: str = ""
    lead: str = ""
    rows: tuple[PileRow, ...] = ()
    main_text: str = ""
    cover: str = ""
    """Whose pile waits to be shown: nothing of it is on screen before its owner says so."""


def piles_view(change: Change, player: str = "", *, is_shown: bool = False) -> PilesView:
    """Return the overview, or the pile of one player, covered until `is_shown`.

    Args:
        player: Whose pile was tapped; empty for the overview.
        is_shown: Whether its owner has said that only he looks.
    """
    state = change.state
    if player and not is_shown:
        name = side_name(state.frozen_setup, player)
        return PilesView(
            title=_("Pile of {player}").format(player=name),
            lead=_("Only {player} may look. Take the box and turn it away from the others.").format(
                player=name
            ),
            main_text=_("Show my pile"),
            cover=player,
        )
    if player:
        return _pile(state, player)
    is_over = is_counted(state)
    return PilesView(
        title=_("Ranking") if is_over else _("Piles"),
        lead=_series_line(state),
        rows=_final_rows(state) if is_over else _open_rows(state),
        main_text=_("Back to the table"),
    )


def _pile(state: GameState, player: str) -> PilesView:
    own, cards = slice_of(state), known_cards(state)
    pile = own.piles[player]  # type: ignore[index]
    total = sum(cards[t.card].victory_points for t in pile if t.card in cards)
    rows = tuple(
        PileRow(
            t.card,
            card_name(t.card, cards),
            f"{word('how', t.how)} · {_('Engagement {n}').format(n=t.engagement)}",
            value=str(cards[t.card].victory_points),
            side=cards[t.card].side or "",
        )
        for t in pile
        if t.card in cards
    )
    return PilesView(
        title=_("Pile of {player}").format(player=side_name(state.frozen_setup, player)),
        lead=ngettext("{n} point in this game", "{n} points in this game", total).format(n=total),
        rows=rows,
        main_text=_("Cover it again"),
    )


def _series_line(state: GameState) -> str:
    own = slice_of(state)
    options = own.options
    if not options.series_points and options.series_games < 2:
        return ""
    if options.series_points:
        text = _("Game {n}, series to {goal}").format(n=own.game, goal=options.series_points)
    else:
        text = _("Game {n} of {m}").format(n=own.game, m=options.series_games)
    if own.game == 1:
        return text
    points = ", ".join(
        f"{side_name(state.frozen_setup, player)} {own.series_points[player]}" for player in own.players
    )
    return _("{game}; before it: {points}").format(game=text, points=points)


def _final_rows(state: GameState) -> tuple[PileRow, ...]:
    rows = []
    for row in standings(state):
        tricks = ngettext("{n} Operation", "{n} Operations", row.operations).format(n=row.operations)
        name = side_name(state.frozen_setup, row.player)
        rows.append(
            PileRow(
                row.player,
                f"{row.place}. {name}",
                tricks,
                is_tap=True,
                value=str(row.points),
                is_first=row.place == 1,
            )
        )
    return tuple(rows)


def _open_rows(state: GameState) -> tuple[PileRow, ...]:
    own, cards = slice_of(state), known_cards(state)
    sizes = hands(state)
    rows = []
    for player in own.players:
        points, hidden = open_points(state, player)
        count = operations_of(own.piles[player], cards)
        parts = [
            ngettext("{n} Operation", "{n} Operations", count).format(n=count),
            ngettext("{n} card hidden", "{n} cards hidden", hidden).format(n=hidden),
            ngettext("hand of {n}", "hand of {n}", sizes[player]).format(n=sizes[player]),
        ]
        total = own.series_points[player] + points
        rows.append(
            PileRow(
                player,
                side_name(state.frozen_setup, player),
                " · ".join(parts),
                is_tap=True,
                value=f"{total} + ?" if hidden else str(total),
            )
        )
    return tuple(rows)
