"""Open points of the rulebook on a page without room for them: one tool, which asks of several which one first."""

from __future__ import annotations

import pytest

from companion.core.commands import SetRuling
from companion.core.ids import ARBITER, TABLE
from companion.pages.page import Acts, Ask, Button, Send
from companion.pages.rulings import ruling_items, ruling_tools
from tests.games.sfw_editions import NEWER, Evening


def _asked(acts: Acts, tools: tuple[Button, ...]) -> Ask:
    (tool,) = tools
    assert tool.act is not None
    ask = acts[tool.act]
    assert isinstance(ask, Ask)
    return ask


def test_of_several_open_points_each_can_be_ruled_by_one_tool() -> None:
    state = Evening(NEWER, "apr43").state
    points = ("capture_blocked_by", "joint_hits", "nothing_of_this_game")
    acts = Acts()
    which = _asked(acts, ruling_tools(state, acts, points))
    (field,) = which.form.fields
    assert [option.key for option in field.options] == ["capture_blocked_by", "joint_hits"]
    for point in points[:2]:
        how = which.answered({field.key: point})
        assert isinstance(how, Ask)
        (answer,) = how.form.fields
        keys = [option.key for option in answer.options]
        known = next(info for info in state.frozen_setup.ruling_infos if info.id == point)
        assert keys == list(known.choices)
        sent = how.answered({answer.key: keys[-1]})
        assert isinstance(sent, Send)
        assert sent.command == SetRuling(point, keys[-1])


def test_one_open_point_is_asked_at_once_and_none_has_no_tool() -> None:
    state, acts = Evening(NEWER, "apr43").state, Acts()
    how = _asked(acts, ruling_tools(state, acts, ("joint_hits",)))
    assert isinstance(how.answered({how.form.fields[0].key: how.form.fields[0].options[0].key}), Send)
    assert ruling_tools(state, acts, ("nothing_of_this_game",)) == ()


@pytest.mark.parametrize("tournament", [False, True])
def test_under_tournament_time_the_arbiter_alone_settles_an_open_point_once_play_has_begun(
    tournament: bool,
) -> None:
    """Two players cannot change what decides their battle by a tap; before the first act both still agree on it."""
    evening = Evening(NEWER, "apr43", {"tournament": tournament})
    evening.do(SetRuling("joint_hits", "one_by_one"))
    evening.jump("s3.t4.allies.declare")
    acts = Acts()
    (item,) = ruling_items(evening.state, acts, ("joint_hits",))
    assert item.act is not None
    sent = acts[item.act]
    assert isinstance(sent, Send)
    assert sent.actor == (ARBITER if tournament else TABLE)
    if tournament:
        evening.refuse(sent.at(0), "arbiter_only")
    evening.do(sent.at(0), actor=sent.actor)
    assert evening.state.rulings["joint_hits"] == "together"
