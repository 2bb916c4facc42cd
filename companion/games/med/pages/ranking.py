"""The Score screen of the card game: everybody's points on one bar, the ranking with what each lacks, points over time."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Say, Value, several, side
from companion.games.med.pages.score import is_counted, open_points, points_say, standings
from companion.games.med.rules.points import ranking
from companion.games.med.rules.slice import operations_won, slice_of
from companion.pages.page import Acts, Button, Go, Item, Shown, Sight
from companion.pages.parts import back_button, end_button, side_mark
from companion.pages.score import score_shown

__all__ = ["operations_say", "ranking_page"]


def ranking_page(sight: Sight) -> Shown:
    """Return the ranking by what lies open, or by everything once the piles are counted."""
    state, acts = sight.state, Acts()
    is_count = state.step.phase == "count" and state.ending is None
    main = end_button(state, acts) if is_count and is_counted(state) else back_button(acts)
    if is_count and not is_counted(state):
        main = Button(Say("Enter the points"), acts.put("count", Go("med")))
    return score_shown(
        sight,
        acts,
        main=main,
        second=Button(Say("Piles"), acts.put("piles", Go("med_piles"))),
        conditions=_rows(state),
    )


def operations_say(count: int) -> Say:
    """Return a number of Operations won."""
    return Say.counted("{n} Operation", "{n} Operations", count)


def _rows(state: GameState) -> tuple[Item, ...]:
    """Return everybody by place with his points, how far he is behind, and how far from the series' goal."""
    own, goal = slice_of(state), slice_of(state).options.series_points
    is_open = is_counted(state)
    hidden = {one: 0 if is_open else open_points(state, one)[1] for one in own.players}
    rows = standings(state)
    if not is_open:
        points = {one: own.series_points[one] + open_points(state, one)[0] for one in own.players}
        won = operations_won(state)
        rows = ranking(points, {one: own.series_operations[one] + won[one] for one in own.players})
    found = []
    for row in rows:
        behind = rows[0].points - row.points
        parts: list[Value] = [operations_say(row.operations)]
        if behind:
            parts.append(Say("{n} behind", n=behind))
        if goal and row.points < goal:
            parts.append(Say("{n} short of {goal}", n=goal - row.points, goal=goal))
        if hidden[row.player]:
            parts.append(Say.counted("{n} card hidden", "{n} cards hidden", hidden[row.player]))
        found.append(
            Item(
                row.player,
                Say("{place}. {player}", place=row.place, player=side(row.player)),
                several(parts, "dots"),
                points_say(row.points, has_more=bool(hidden[row.player])),
                side_mark(state.frozen_setup, row.player),
                symbol="trophy" if row.place == 1 and is_open else "",
            )
        )
    return tuple(found)
