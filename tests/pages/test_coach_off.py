"""The coach is off wherever the box's setting says so: on the box, on a side's own phone, and after the game."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from companion.games.aana.pages.combat import combat_page
from companion.games.aana.pages.draft import CombatDraft
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.rules import battle_commands as bc
from companion.pages.film.draft import FilmDraft
from companion.pages.film.page import film_page
from companion.pages.page import TABLE_VIEWER, Rows, Shown, Sight, Viewer
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scenes_aana import _battle
from companion.testing.sfw_evenings import SfwGame


def sfw() -> MemoryDesk:
    game = SfwGame("apr43", {"seats": ["Anna", "Ben"]})
    game.enter({"tank.number": 8})
    game.go("s3.t4.allies.declare")
    game.do(bc.DeclareBattle("Tunis", "land"))
    game.do(bc.ChangeUnits("A", "attacking", "tank", "us", 2))
    game.do(bc.ChangeUnits("A", "defending", "infantry", "italy", 1))
    return game.desk


def look(desk: MemoryDesk, make: Any, draft: object, viewer: Viewer) -> Shown:
    shown = make(Sight(viewer, desk.change, desk.rules, draft, desk))
    assert isinstance(shown, Shown)
    return shown


def refusal(shown: Shown) -> str:
    return " ".join(
        str(block.empty) for block in shown.page.blocks if isinstance(block, Rows) and block.empty
    )


ASKED = {
    "sfw96": (sfw, battle_page, BattleDraft("A", "coach")),
    "aana": (
        lambda: _battle("orders"),
        combat_page,
        dataclasses.replace(CombatDraft(), outlook="fight", tab="coach"),
    ),
}


@pytest.mark.parametrize("game", ASKED)
@pytest.mark.parametrize("viewer", [Viewer("allies", frozenset({"allies"}))])
def test_a_setting_turns_it_off_and_tournament_time_always(game: str, viewer: Viewer) -> None:
    make, page, draft = ASKED[game]
    desk = make()
    assert "coach" not in refusal(look(desk, page, draft, viewer)).lower()
    desk.change_setting("coach", False)
    assert "The coach is off" in refusal(look(desk, page, draft, viewer))
    desk.change_setting("coach", True)
    change = desk.change
    assert change is not None
    clocks = change.state.clocks
    tournament = replace(clocks, config=replace(clocks.config, tournament=True))
    shown = page(
        Sight(
            viewer, replace(change, state=replace(change.state, clocks=tournament)), desk.rules, draft, desk
        )
    )
    assert "never available under tournament time" in refusal(shown)


def test_after_the_game_it_names_no_decisions_where_it_is_off() -> None:
    desk = sfw()
    game_on = look(desk, film_page, FilmDraft(tab="luck"), TABLE_VIEWER)
    assert game_on.act("decisions") is not None
    desk.change_setting("coach", False)
    assert look(desk, film_page, FilmDraft(tab="luck"), TABLE_VIEWER).act("decisions") is None
