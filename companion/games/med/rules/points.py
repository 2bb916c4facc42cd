"""Victory points, hands and ranking. Source: Naval card game, Aim of the Game; End of the Game; Size of the Hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from companion.core.ids import Side
from companion.games.med.rules.cards import Card, CardNo
from companion.games.med.rules.commands import Trophy
from companion.games.med.rules.engagement import Options

__all__ = ["Standing", "hand_of", "hand_size", "operations_of", "points_of", "ranking", "series_over"]


class Standing(msgspec.Struct, frozen=True):
    """A player's place."""

    player: Side
    points: int
    operations: int
    """Operations won: the tie-break."""
    place: int
    """1 is first; tied players share a place."""


def points_of(pile: tuple[Trophy, ...], cards: Mapping[CardNo, Card]) -> int:
    """Add up the victory points of a pile."""
    return sum(cards[trophy.card].victory_points for trophy in pile if trophy.card in cards)


def operations_of(pile: tuple[Trophy, ...], cards: Mapping[CardNo, Card]) -> int:
    """Count the Operations in a pile."""
    return sum(1 for trophy in pile if trophy.card in cards and cards[trophy.card].kind == "operation")


def hand_size(
    pile: tuple[Trophy, ...], cards: Mapping[CardNo, Card], options: Options, *, battles: bool = False
) -> int:
    """Return to how many cards a player fills his hand: one more a full freighter and a pair of half ones.

    Args:
        battles: Whether load lines of battles count too (ruling ``battle_freighters``).
    """
    won = [cards[trophy.card] for trophy in pile if trophy.card in cards]
    return hand_of([card.freighter for card in won if battles or card.operation == "convoy"], options)


def hand_of(lines: Sequence[str], options: Options) -> int:
    """Return to how many cards a hand is filled by the load lines that were won.

    Source: Naval card game, Size of the Hand.
    """
    return min(options.largest_hand, options.hand + lines.count("full") + lines.count("half") // 2)


def ranking(points: Mapping[Side, int], operations: Mapping[Side, int]) -> tuple[Standing, ...]:
    """Order the players by points, then by Operations won; still equal players share a place."""
    order = sorted(points, key=lambda player: (-points[player], -operations[player]))
    standings: list[Standing] = []
    for index, player in enumerate(order):
        tied = index > 0 and (points[player], operations[player]) == (
            standings[-1].points,
            standings[-1].operations,
        )
        place = standings[-1].place if tied else index + 1
        standings.append(Standing(player, points[player], operations[player], place))
    return tuple(standings)


def series_over(points: Mapping[Side, int], games: int, series_points: int, series_games: int) -> bool:
    """Say whether a series ends after this game: somebody has the points, or the games are played."""
    if series_points:
        return max(points.values(), default=0) >= series_points
    return games >= series_games
