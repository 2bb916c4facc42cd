"""What the card game tells of an evening: Operations won, engagements, dice of cards. What lies hidden stays hidden.

Points are those that lie open, until everybody has counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.core.history import Entry
from companion.core.state import GameState
from companion.core.text import Name, Say, card, side
from companion.games.med.pages.score import is_counted, open_points, standings
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import ALLIES, AXIS
from companion.games.med.rules.engagement import Engagement
from companion.games.med.rules.slice import known_cards, slice_of
from companion.pages.film.telling import Fought, GameFilm, Held, Luck, Throw, Told
from companion.pages.page import Die
from companion.pages.report_parts import ReportSource

__all__ = ["CardGameFilm"]


class CardGameFilm(GameFilm):
    """Engagements and the Operations that they were fought for."""

    title = Say("Naval card game")
    points_title = Say("Points that lie open")
    held_title = Say("Operations won")

    def points(self, state: GameState) -> Mapping[str, float]:
        """Return everybody's points as far as they lie open."""
        own = slice_of(state)
        if is_counted(state):
            return {row.player: float(row.points) for row in standings(state)}
        return {
            player: float(own.series_points.get(player, 0) + open_points(state, player)[0])
            for player in own.players
        }

    def held(self, state: GameState) -> tuple[Held, ...]:
        """Return who has won which Operation of the game at hand; they lie open."""
        own, cards = slice_of(state), known_cards(state)
        found = [
            Held(f"g{own.game}.{trophy.card}", card(trophy.card), player)
            for player, pile in own.piles.items()
            for trophy in pile
            if trophy.how == "trick" and trophy.card in cards and cards[trophy.card].kind == "operation"
        ]
        found += [
            Held(f"g{own.game}.n{noted.number}", Say("Engagement {n}", n=noted.number), noted.player)
            for noted in own.noted
            if noted.player
        ]
        return tuple(found)

    def told(self, entry: Entry, before: GameState, after: GameState) -> Told:
        """Return the engagement of an act, and the dice of a card."""
        own = slice_of(after) if slice_of(before).engagement is None else slice_of(before)
        engagement = own.engagement
        is_open = engagement is not None and before.step.phase in ("engagement", "operation")
        key = _key(own.game, engagement) if engagement is not None and is_open else ""
        if isinstance(entry.command, cm.TurnOver) and slice_of(after).engagement is not None:
            key = _key(own.game, slice_of(after).engagement)
        throws = []
        for event in entry.events:
            if isinstance(event, cm.DiceRolled | cm.EffectUsed) and event.dice:
                throws.append(_throw(entry, before, event))
        return Told(key, tuple(throws))

    def battles(self, source: ReportSource, around: Callable[[int], GameState]) -> tuple[Fought, ...]:
        """Return every engagement, with what each camp came to and who took the trick."""
        found: dict[str, Fought] = {}
        key = ""
        for entry in source.entries:
            if not source.counts(entry.seq):
                continue
            for event in entry.events:
                match event:
                    case cm.EngagementOpened(engagement):
                        key = _key(slice_of(around(entry.seq)).game, engagement)
                        title = Say(
                            "Engagement {n}, {operation}",
                            n=engagement.number,
                            operation=card(engagement.operation),
                        )
                        found[key] = Fought(key, title, "")
                    case cm.EngagementDecided() if key in found:
                        found[key] = Fought(key, found[key].title, event.player or "", result=_result(event))
                    case _:
                        pass
        return tuple(found.values())

    def battles_say(self, count: int) -> Say:
        """Return how many engagements there were."""
        return Say.counted("{n} engagement was fought.", "{n} engagements were fought.", count)

    def luck(self, source: ReportSource, *, is_brief: bool = False) -> Luck:  # noqa: ARG002 - not told
        """Say why none is told."""
        return Luck((), (Say("Luck is not worked out for this game: what was drawn lies in hidden hands."),))


def _key(game: int, engagement: Engagement | None) -> str:
    if engagement is None:
        return ""
    return f"g{game}.e{engagement.number}.{engagement.replay}"


def _throw(entry: Entry, state: GameState, event: cm.DiceRolled | cm.EffectUsed) -> Throw:
    owners = state.step.owners
    of = event.by if isinstance(event, cm.EffectUsed) else owners[0] if len(owners) == 1 else ""
    who = Name("effect", event.effect) if isinstance(event, cm.EffectUsed) else None
    number = getattr(entry.command, "card", "")
    dice = tuple(Die(str(n), 6, value) for n, value in enumerate(event.dice))
    return Throw(of, who or (card(number) if number else None), dice)


def _result(event: cm.EngagementDecided) -> Say:
    totals = Say(
        "{allies} {a}, {axis} {b}",
        allies=Name("camp", "allies"),
        a=event.totals.get(ALLIES, 0),
        axis=Name("camp", "axis"),
        b=event.totals.get(AXIS, 0),
    )
    if event.kind == "won" and event.player:
        return Say("won by {player} ({totals})", player=side(event.player), totals=totals)
    if event.kind == "tie":
        return Say("a draw ({totals})", totals=totals)
    return Say("won by nobody ({totals})", totals=totals)
