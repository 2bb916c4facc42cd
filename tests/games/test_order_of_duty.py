"""Reminders of a step stand in the order of duty: what bounds the act, what is rolled for on the way, what is checked at its end."""

from __future__ import annotations

from functools import cache

import pytest

from companion.core.setup import Setup
from companion.games.registry import games_by_key
from companion.session.scenario_loader import load_game, make_setup


@cache
def setup(game: str, scenario: str) -> Setup:
    family = games_by_key()[game].family
    return make_setup(family, load_game(family), scenario, {})


@pytest.mark.parametrize(
    ("game", "scenario", "lines"),
    [
        # A space is left, passed through, and entered; a bridge is crossed before the line behind it fires.
        ("sfw96", "apr43", ("move.active", "move.disengage", "move.push_through", "move.lines")),
        ("sfw96", "nafrica", ("move.supply", "move.disengage", "move.push_through", "move.lines")),
        ("sfw96", "italy", ("move.push_through", "move.bridges", "move.blown_bridges", "move.lines", "move.mountains")),
        ("sfw96", "apr43", ("move.lines", "move.engineer", "move.lines_left")),
        ("sfw96", "apr43", ("resolve.order", "resolve.bombing", "resolve.control", "resolve.lines", "resolve.markers")),
        ("sfw1", "first_apr43", ("move.push_through", "move.mountains")),
        ("sfw1", "first_apr43", ("resolve.order", "resolve.control", "resolve.markers")),
        # What a round alone allows or forbids comes before what every round does.
        ("aana", "rommel", ("event.closed_west", "move.end", "move.blitz", "move.blitz_must", "move.air", "move.mines")),
        ("aana", "rommel", ("event.uk_algiers", "move.end")),
        ("aana", "rommel", ("event.us_air", "requisition.mines")),
        ("aana", "rommel", ("requisition.malta", "requisition.repair", "requisition.mines")),
        ("aana", "rommel", ("event.us_casablanca", "deploy.all", "deploy.mines")),
        ("aana", "torch", ("event.italy_tripoli", "deploy.all")),
        ("aana", "torch", ("convoys.air", "convoys.port", "convoys.closed", "convoys.chain")),
        # The weather bounds what is moved and attacked; mud is looked at when all has moved.
        ("tsu", "campaign", ("weather.winter.move", "move.move", "move.overrun", "move.stack")),
        ("tsu", "campaign", ("weather.winter.supply", "supply.declare", "supply.landing")),
        ("tsu", "campaign", ("weather.fall.breakthrough", "breakthrough.panzer")),
        ("tsu", "campaign", ("move.stack", "weather.spring.move")),
        ("tsu", "campaign", ("end.stack", "end.garrison", "end.victory")),
        ("med", "match", ("turn.operation", "turn.declare")),
    ],
)  # fmt: skip
def test_lines_stand_in_the_order_of_duty(game: str, scenario: str, lines: tuple[str, ...]) -> None:
    steps = [step.checks for step in setup(game, scenario).steps if set(lines) <= set(step.checks)]
    assert steps, "they stand together in no step"
    for checks in steps:
        assert [check for check in checks if check in lines] == list(lines)
