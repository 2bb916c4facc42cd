"""The order of play: what the table may set, and what it becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.games.sfw.pages.order import order_command, order_rows
from companion.pages.labels import entry_label


def test_flags_that_the_rulebook_does_not_state_may_be_set_until_their_stage_begins(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("italy")
    rows = {row.key: row for row in order_rows(game.desk.change)}
    firsts = [key for key in rows if key.startswith("first.")]
    assert firsts
    row = rows[firsts[-1]]
    other = next(key for key, _text in row.values if key != row.chosen)
    game.do(order_command(game.state, row.key, other))
    assert {r.key: r.chosen for r in order_rows(game.desk.change)}[row.key] == other
    stage = int(row.key.removeprefix("first."))
    first = next(s for s in game.state.itinerary.steps if s.stage == stage and len(s.owners) == 1)
    assert first.owners == (other,)
    game.jump(first.id)
    assert row.key not in {r.key for r in order_rows(game.desk.change)}


def test_sides_may_act_at_once_where_agreed(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("italy")
    row = next(r for r in order_rows(game.desk.change) if r.key.startswith("together."))
    assert row.chosen == "apart"
    game.do(order_command(game.state, row.key, "together"))
    now = {r.key: r.chosen for r in order_rows(game.desk.change)}
    assert now[row.key] == "together"
    assert sum(value == "together" for value in now.values()) == 1
    entry = game.desk.entries()[-1]
    assert entry_label(entry, game.state).startswith("Both at once: ")
    game.do(order_command(game.state, row.key, "apart"))
    assert entry_label(game.desk.entries()[-1], game.state) == "Sides act one after the other"
