"""Whether a submarine moved decides its colour where it fires from ambush: asked before the battle, never taken for granted."""

from __future__ import annotations

import pytest

from companion.core.rules import Rejected
from companion.games.sfw.pages.entries import entry
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.pages.page import Act, Send
from tests.games.sfw_editions import FIRST, NEWER, Fought


def _at_sea(
    game: str, step: int = 3, enemy: str = "cruiser", side: str = ATTACKING, count: int = 1
) -> Fought:
    fought = Fought(game, f"s3.t{step}.allies.declare", "E5", "sea")
    nations = ("us", "germany") if side == ATTACKING else ("germany", "us")
    fought.there(side, (nations[0], "submarine", count))
    return fought.there(DEFENDING if side == ATTACKING else ATTACKING, (nations[1], enemy, 1))


def _begun(fought: Fought) -> str:
    """Begin without a word about submarines: the code of what refuses it, or empty."""
    refused, _events = fought.evening.send(bc.BeginBattle(fought.id))
    return "" if refused is None else str(refused.code)


@pytest.mark.parametrize(
    ("game", "step", "enemy", "side", "code"),
    [
        (FIRST, 1, "cruiser", ATTACKING, "not_known"),
        (FIRST, 3, "cruiser", ATTACKING, "not_known"),
        (NEWER, 3, "cruiser", ATTACKING, "not_known"),
        (FIRST, 3, "destroyer", DEFENDING, "not_known"),
        (NEWER, 3, "destroyer", DEFENDING, ""),
        (FIRST, 2, "destroyer", DEFENDING, ""),
        (NEWER, 3, "fighter", ATTACKING, ""),
    ],
)
def test_it_is_asked_where_it_decides(game: str, step: int, enemy: str, side: str, code: str) -> None:
    """Source: first edition, Standard Unit Abilities and Limitations, Ambush; rulebook v0.96, Abilities, Ambush"""
    assert _begun(_at_sea(game, step, enemy, side)) == code


@pytest.mark.parametrize(("key", "colour"), [("stayed", "yellow"), ("moved", "blue")])
def test_the_answer_tells_the_colour(key: str, colour: str) -> None:
    fought = _at_sea(FIRST)
    refused, _events = fought.evening.send(bc.BeginBattle(fought.id))
    assert refused is not None
    _send(fought, _answer(fought, refused, key))
    assert _begun(fought) == ""
    assert fought.dice("submarine") == [(colour, 9, 1)]


def test_some_of_them_are_set_apart_and_each_is_asked_for() -> None:
    fought = _at_sea(NEWER, count=2)
    refused, _events = fought.evening.send(bc.BeginBattle(fought.id))
    assert refused is not None
    _send(fought, _answer(fought, refused, "apart"))
    for key in ("stayed", "moved"):
        refused, _events = fought.evening.send(bc.BeginBattle(fought.id))
        assert refused is not None
        _send(fought, _answer(fought, refused, key))
    fought.begin()
    assert sorted(fought.dice("submarine")) == [("gray", 9, 1), ("white", 9, 1)]


def _answer(fought: Fought, refused: Rejected, key: str) -> Act:
    ask = entry(fought.evening.state, refused.needs[0])
    assert ask is not None
    return ask.answered({ask.form.fields[0].key: key})


def _send(fought: Fought, act: Act) -> None:
    assert isinstance(act, Send)
    fought.evening.do(act.command)
