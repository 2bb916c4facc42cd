"""The Piles screen of the card game: what lies open, hand sizes, a pile for its owner's eyes."""

from __future__ import annotations

import msgspec

from companion.core.state import GameState
from companion.core.text import Name, Say, Value, card, several, side
from companion.games.med.pages.ranking import operations_say
from companion.games.med.pages.score import is_counted, open_points, points_say, standings
from companion.games.med.pages.words import camp_mark
from companion.games.med.rules.cards import NO_CAMP
from companion.games.med.rules.slice import hands, known_cards, operations_won, slice_of
from companion.pages.page import (
    TABLE_VIEWER,
    ActId,
    Acts,
    Banner,
    Button,
    Draft,
    Item,
    Page,
    Rows,
    Shown,
    Sight,
)
from companion.pages.parts import back_button

__all__ = ["PilesDraft", "piles_page"]


class PilesDraft(msgspec.Struct, frozen=True):
    """Whose pile was tapped, and whether its owner has said that only he looks."""

    player: str = ""
    is_shown: bool = False


def _turn(player: str = "", *, is_shown: bool = False) -> Draft[PilesDraft]:
    return Draft(lambda _draft: PilesDraft(player, is_shown), PilesDraft())


def piles_page(sight: Sight) -> Shown:
    """Return the overview, or the pile of one player: covered until its owner says that only he looks."""
    state, draft, acts = sight.state, sight.entered(PilesDraft()), Acts()
    if draft.player and _may_look(sight, draft.player):
        if draft.is_shown or sight.viewer != TABLE_VIEWER:  # a phone covers it itself
            return Shown(_pile_page(sight.known_to(draft.player), acts, draft.player), acts)
        return Shown(_cover_page(acts, draft.player), acts)
    rows = _open_rows(sight, acts)
    page = Page(
        "piles", Say("Piles"), _series(state), blocks=(Rows("players", rows),), main=back_button(acts)
    )
    return Shown(page, acts)


def _may_look(sight: Sight, player: str) -> bool:
    """Say whether a pile may be opened here: any of them on the box that is handed over, on a player's own phone his."""
    return sight.viewer == TABLE_VIEWER or player in sight.viewer.sees


def _cover_page(acts: Acts, player: str) -> Page:
    title = Say("Only {player} may look", player=side(player))
    cover = Banner("cover", title, Say("Take the box and turn it away from the others."), symbol="hide")
    return Page(
        "cover",
        Say("Pile of {player}", player=side(player)),
        blocks=(cover,),
        main=Button(Say("Show my pile"), acts.put("show", _turn(player, is_shown=True))),
        back=acts.put("back", _turn()),
        is_private=True,
        is_glance=True,
    )


def _pile_page(state: GameState, acts: Acts, player: str) -> Page:
    cards = known_cards(state)
    pile = [t for t in slice_of(state).piles[player] if t.card in cards]  # type: ignore[index]
    rows = tuple(
        Item(
            f"card.{n}",
            card(one.card),
            several((Name("how", one.how), Say("Engagement {n}", n=one.engagement)), "dots"),
            cards[one.card].victory_points,
            camp_mark(cards[one.card].side or NO_CAMP),
            is_secret=True,
        )
        for n, one in enumerate(pile)
    )
    total = sum(cards[one.card].victory_points for one in pile)
    cover = acts.put("cover", _turn())
    return Page(
        "pile",
        Say("Pile of {player}", player=side(player)),
        Say.counted("{n} point in this game", "{n} points in this game", total),
        blocks=(Rows("pile", rows, empty=Say("No cards yet"), is_wide=False),),
        main=Button(Say("Hide it again"), cover, "hide"),
        back=cover,
        is_private=True,
        is_glance=True,
    )


def _series(state: GameState) -> Say | None:
    own = slice_of(state)
    if own.options.series_points:
        text = Say("Game {n}, series to {goal}", n=own.game, goal=own.options.series_points)
    elif own.options.series_games > 1:
        text = Say("Game {n} of {m}", n=own.game, m=own.options.series_games)
    else:
        return None
    if own.game == 1:
        return text
    points = (
        Say("{player} {points}", player=side(one), points=own.series_points[one]) for one in own.players
    )
    return Say("{game}; before it: {points}", game=text, points=several(points, "comma"))


def _open(sight: Sight, acts: Acts, player: str) -> ActId | None:
    return acts.put(f"open.{player}", _turn(player)) if _may_look(sight, player) else None


def _open_rows(sight: Sight, acts: Acts) -> tuple[Item, ...]:
    state = sight.state
    own, sizes, won = slice_of(state), hands(state), operations_won(state)
    has_cards = own.options.keep == "cards"
    counted = {row.player: row.points for row in standings(state)} if is_counted(state) else {}
    rows = []
    for player in own.players:
        points, hidden = open_points(state, player)
        parts: tuple[Value, ...] = (
            operations_say(won[player]),
            *((Say.counted("{n} card hidden", "{n} cards hidden", hidden),) if has_cards else ()),
            *((Say.counted("hand of {n}", "hand of {n}", sizes[player]),) if player in sizes else ()),
        )
        rows.append(
            Item(
                player,
                side(player),
                several(parts, "dots"),
                counted[player]
                if counted
                else points_say(own.series_points[player] + points, has_more=bool(hidden)),
                act=_open(sight, acts, player) if has_cards else None,
            )
        )
    return tuple(rows)
