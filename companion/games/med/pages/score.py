"""Points of the card game as the shared screens show them; piles stay hidden until a game is counted.

What the game adds to the shared screens.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.core.state import GameState
from companion.core.text import Say, Value, several, side
from companion.games.med.pages.words import card_facts, card_name
from companion.games.med.rules.by_totals import won_in
from companion.games.med.rules.cards import printed_key
from companion.games.med.rules.commands import Trophy
from companion.games.med.rules.points import Standing, points_of, ranking
from companion.games.med.rules.slice import known_cards, slice_of, totals
from companion.pages import game_view
from companion.pages.game_view import Figure, GameView, PrintedRow, Score, Series
from companion.pages.i18n import _, ngettext
from companion.pages.labels import side_name
from companion.pages.page import Part, Split
from companion.pages.parts import side_mark
from companion.pages.speak import speak

__all__ = ["is_counted", "open_points", "points_say", "standings"]


def _open(pile: Sequence[Trophy]) -> tuple[Trophy, ...]:
    return tuple(trophy for trophy in pile if trophy.how == "trick")


def open_points(state: GameState, player: str) -> tuple[int, int]:
    """Return the points of a player's Operations, which lie open, and how many cards of his lie hidden."""
    own = slice_of(state)
    if own.options.keep == "totals":
        return own.counted.get(player, 0), 0 if own.counted else won_in(own, player)  # type: ignore[call-overload,arg-type]
    pile = own.piles[player]  # type: ignore[index]
    shown = _open(pile)
    return points_of(shown, known_cards(state)), len(pile) - len(shown)


def points_say(points: int, *, has_more: bool) -> Value:
    """Return points, with a question mark where more lie hidden."""
    return Say("{n} + ?", n=points) if has_more else points


def standings(state: GameState) -> tuple[Standing, ...]:
    """Return the ranking over the series with every hidden pile counted."""
    return ranking(*totals(state))


def is_counted(state: GameState) -> bool:
    """Say whether the piles lie open to everybody."""
    own = slice_of(state)
    is_hidden = own.options.keep == "totals" and not own.counted
    return state.ending is not None or (state.step.act == "count" and not is_hidden)


class CardGameView(GameView):
    """What the game adds to the shared screens."""

    score_screen = "med_score"

    def follows(self, state: GameState) -> Say | None:
        """Return the engagement, whose steps stand once its Operation is turned over."""
        return Say("Engagement") if state.step.act == "operation" else None

    def scores(self, state: GameState) -> tuple[Score, ...]:
        """Return everybody's points: of hidden piles only what lies open, until the game is counted."""
        own = slice_of(state)
        goal = _("of {n}").format(n=own.options.series_points) if own.options.series_points else ""
        if is_counted(state):
            return tuple(
                Score(row.player, str(row.points), goal)
                for row in sorted(standings(state), key=lambda r: own.players.index(r.player))
            )
        found = []
        for player in own.players:
            points, hidden = open_points(state, player)
            total = own.series_points[player] + points
            found.append(Score(player, speak(points_say(total, has_more=bool(hidden))), goal))
        return tuple(found)

    def figures(self, state: GameState) -> tuple[Figure, ...]:
        """Return everybody's points; a pile that lies hidden makes them unknown until it is counted."""
        own = slice_of(state)
        if is_counted(state):
            return tuple(Figure(row.player, float(row.points)) for row in standings(state))
        found = []
        for player in own.players:
            points, hidden = open_points(state, player)
            total = own.series_points[player] + points
            lines = (
                (ngettext("{n} hidden card", "{n} hidden cards", hidden).format(n=hidden),) if hidden else ()
            )
            found.append(Figure(player, None if hidden else float(total), (str(total), *lines)))
        return tuple(found)

    def standing(self, state: GameState) -> game_view.Standing | None:
        """Return everybody's open points on one bar, and who leads by them."""
        own, setup = slice_of(state), state.frozen_setup
        if is_counted(state):
            points = {row.player: (row.points, 0) for row in standings(state)}
        else:
            points = {
                player: (
                    own.series_points[player] + open_points(state, player)[0],
                    open_points(state, player)[1],
                )
                for player in own.players
            }
        if not any(count for count, _hidden in points.values()):
            return None
        parts = tuple(
            Part(
                player, points[player][0], points_say(points[player][0], has_more=bool(points[player][1])),
                Say("VP"), side_mark(setup, player),
            )
            for player in own.players
        )  # fmt: skip
        most = max(count for count, _hidden in points.values())
        ahead = [side(player) for player, (count, _hidden) in points.items() if count == most]
        now = (
            Say("Ahead: {player} with {n}", player=ahead[0], n=most)
            if len(ahead) == 1
            else Say("Level with {n}: {players}", n=most, players=several(ahead))
        )
        return game_view.Standing(Split("players", parts, unit=Say("Victory points")), now)

    def score_series(self, state: GameState) -> tuple[Series, ...]:
        """Return each player's points after every engagement of this game; hidden cards only once it is counted."""
        own, cards = slice_of(state), known_cards(state)
        if own.options.keep == "totals":
            return ()  # points come at the end, all at once
        here = own.engagement.number if own.engagement is not None and own.decided is not None else 0
        last = max([here, *(t.engagement for pile in own.piles.values() for t in pile)])
        if not last:
            return ()
        lines = []
        for player in own.players:
            pile = own.piles[player] if is_counted(state) else _open(own.piles[player])
            base = own.series_points[player]
            points = tuple(
                (float(n), float(base + points_of(tuple(t for t in pile if t.engagement <= n), cards)))
                for n in range(last + 1)
            )
            lines.append(Series(player, "", points))
        return tuple(lines)

    def printed(self, state: GameState) -> tuple[PrintedRow, ...]:
        """Return the cards entered so far; their values are changed on the Engagement screen."""
        cards = known_cards(state)
        return tuple(
            PrintedRow(
                printed_key(number),
                card_name(number, cards),
                speak(card_facts(cards[number]), game="med"),
                _("Cards"),
                _("Cards are changed on the Engagement screen"),
                is_entered_here=False,
            )
            for number in sorted(cards)
        )

    def ending(self, state: GameState) -> str:
        """Return who won with how many points."""
        if state.ending is None:
            return ""
        rows = standings(state)
        first = [row for row in rows if row.place == 1]
        names = ", ".join(side_name(state.frozen_setup, row.player) for row in first)
        points = ngettext("{n} point", "{n} points", first[0].points).format(n=first[0].points)
        if len(first) > 1:
            return _("A tie between {names}: {points}").format(names=names, points=points)
        if len(rows) > 1 and rows[1].points == first[0].points:
            return _("{names} wins with {points}, by Operations won").format(names=names, points=points)
        return _("{names} wins with {points}").format(names=names, points=points)

    def last_stage(self, state: GameState) -> int:
        """Return the agreed number of Operations."""
        return slice_of(state).options.operations

    def screen_for(self, state: GameState) -> str:
        """Return the screen that the current phase leads to."""
        by_totals = slice_of(state).options.keep == "totals"
        if state.step.phase in ("operation", "engagement") or (by_totals and state.step.phase == "count"):
            return "med"
        return "med_score" if state.step.phase == "count" else ""
