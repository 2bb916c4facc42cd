"""The card game's sections of the report: ranking with the piles, every engagement, a series' games, the dice."""

from __future__ import annotations

from collections import Counter
from html import escape

from companion.games.med.pages.score import standings
from companion.games.med.pages.words import CAMPS, card_name, word
from companion.games.med.rules import commands as cm
from companion.games.med.rules.slice import known_cards, slice_of
from companion.pages.i18n import N_, _, labelled
from companion.pages.labels import side_name
from companion.pages.numbers import figure
from companion.pages.report_parts import ReportSource, Section, section, table_html

__all__ = ["SECTIONS", "dice_rolled"]


@section("med_ranking", N_("Ranking"), 30)
def _ranking(source: ReportSource) -> str:
    state = source.change.state
    if state.ending is None:
        return ""
    own, cards = slice_of(state), known_cards(state)
    rows = [
        (str(row.place), side_name(state.frozen_setup, row.player), str(row.operations), str(row.points))
        for row in standings(state)
    ]
    parts = [table_html((_("Place"), _("Player"), _("Operations"), _("Points")), rows)]
    for player in own.players:
        if not own.piles[player]:
            continue
        parts.append(f"<h3>{escape(side_name(state.frozen_setup, player))}</h3>")
        pile = [
            (card_name(t.card, cards), word("how", t.how), str(cards[t.card].victory_points))
            for t in own.piles[player]
            if t.card in cards
        ]
        parts.append(table_html((_("Card"), _("How"), _("VP")), pile))
    return "".join(parts)


@section("med_series", N_("Games of the series"), 35)
def _series(source: ReportSource) -> str:
    state = source.change.state
    players = slice_of(state).players
    before = dict.fromkeys(players, 0)
    rows: list[tuple[str, ...]] = []
    games = [
        event.points
        for entry in source.entries
        if source.counts(entry.seq)
        for event in entry.events
        if isinstance(event, cm.SeriesContinued)
    ]
    if games and state.ending is not None:
        games.append({row.player: row.points for row in standings(state)})
    for number, points in enumerate(games, 1):
        cells = (f"{points[p] - before[p]} ({points[p]})" for p in players)
        rows.append((str(number), *cells))
        before = dict(points)
    names = tuple(side_name(state.frozen_setup, p) for p in players)
    return table_html((_("Game"), *names), rows) if rows else ""


@section("med_engagements", N_("Engagements"), 40)
def _engagements(source: ReportSource) -> str:
    state = source.change.state
    cards = known_cards(state)
    rows: list[tuple[str, ...]] = []
    opened: cm.EngagementOpened | None = None
    plays: list[str] = []
    noted: dict[str, tuple[str, ...]] = {}
    for entry in source.entries:
        if not source.counts(entry.seq):
            continue
        for event in entry.events:
            if isinstance(event, cm.EngagementOpened):
                opened, plays = event, []
            elif isinstance(event, cm.PlayMade):
                name = side_name(state.frozen_setup, event.play.player)
                plays.append(labelled(name, ", ".join(card_name(n, cards) for n in event.play.cards)))
            elif isinstance(event, cm.EngagementDecided) and opened is not None:
                totals = " : ".join(str(event.totals.get(side, 0)) for side in CAMPS)
                who = side_name(state.frozen_setup, event.player) if event.player else "–"
                operation = card_name(opened.engagement.operation, cards)
                why = word("reason", event.reason)
                number = str(opened.engagement.number)
                rows.append((number, operation, " · ".join(plays), totals, who, event.card or "–", why))
                plays = []
            elif isinstance(event, cm.OperationNoted):
                who = side_name(state.frozen_setup, event.player) if event.player else "–"
                noted[event.step] = (
                    str(event.number),
                    "–",
                    "–",
                    "–",
                    who,
                    "–",
                    word("result", event.result),
                )
    rows += noted.values()
    head = ("#", _("Operation"), _("Cards"), _("Allies : Axis"), _("Trick"), _("Card"), _("Why"))
    return table_html(head, rows) if rows else ""


def dice_rolled(source: ReportSource) -> tuple[int, ...]:
    """Return every d6 of the game that counts, in order: of values and of Storm cards."""
    return tuple(
        value
        for entry in source.entries
        if source.counts(entry.seq)
        for event in entry.events
        if isinstance(event, cm.DiceRolled | cm.EffectUsed)
        for value in event.dice
    )


@section("med_dice", N_("Dice"), 45)
def _dice(source: ReportSource) -> str:
    dice = dice_rolled(source)
    if not dice:
        return ""
    count = Counter(dice)
    rows = [(str(face), str(count[face]), figure(len(dice) / 6)) for face in range(1, 7)]
    return table_html((_("Face"), _("Rolled"), _("Expected")), rows)


SECTIONS: tuple[Section, ...] = (_ranking, _series, _engagements, _dice)
"""What this adds to the report."""
