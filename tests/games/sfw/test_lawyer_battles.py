"""Battles of Song for War as a rules lawyer reads them: who unloads when, and at whom a bridge's enemies roll."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.sfw.odds.file import read_battle
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.battle_group import group_choices
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.games.sfw.rules.battle_fire import rolls
from companion.odds.battle_file import BattleFileError
from companion.pages.speak import speak
from companion.testing.reading import read
from tests.games.sfw_editions import BOTH, Fought

FIGURES = {"tank": {"number": 8}}


def ashore(game: str, transport: str, step: int, *, unload: bool = True) -> bool:
    """Say whether a loaded transport's infantry lands in a battle of a movement step."""
    where: dict[str, Any] = {"distance": 1, "origin": "Sea"} if transport == "sea_transport" else {}
    cargo = [{"unit": "infantry", "count": 2}]
    attacking = [
        {"unit": transport, "nation": "us", "cargo": cargo, "unload": unload, **where},
        {"unit": "infantry", "nation": "us"},
        {"unit": "fighter", "nation": "us"},
        {
            "unit": "sea_transport",
            "nation": "us",
            "distance": 1,
            "origin": "Sea",
            "cargo": cargo,
            "unload": False,
        },
    ]
    fight = fought(game, attacking, [{"unit": "infantry", "nation": "germany"}], movement_step=step)
    return any(kind.role == "landing" or kind.is_ashore for kind in fight.kinds(ATTACKING))


def fought(game: str, attacking: list[Any], defending: list[Any], **more: Any) -> Any:
    figures = {"infantry": {"number": 9}, "anti_air": {"number": 8}} if game == "sfw1" else FIGURES
    battle = {
        "game": game,
        "terrain": "land",
        "attacking": attacking,
        "defending": defending,
        "printed_values": figures,
        **more,
    }
    return read_battle(battle).fight


@pytest.mark.parametrize("game", ["sfw96", "sfw1"])
@pytest.mark.parametrize(("transport", "steps"), [("air_transport", {2}), ("sea_transport", {2, 3})])
def test_transports_unload_in_their_own_movement_steps_only(
    game: str, transport: str, steps: set[int]
) -> None:
    """Transporting Units: unloading is performed on the Movement Steps of the Transport."""
    assert {step for step in range(1, 6) if ashore(game, transport, step)} == steps
    assert not any(ashore(game, transport, step, unload=False) for step in range(1, 6))


def test_only_land_units_draw_fire_at_a_bridge() -> None:
    """Bridges: they impact the movement of Land Units only, and the bonus roll is against the units that cross."""
    guard = [{"unit": "anti_air", "nation": "us"}, {"unit": "infantry", "nation": "us"}]
    movers = [{"unit": "fighter", "nation": "germany"}, {"unit": "tank", "nation": "germany"}]
    found = {}
    for way in ("bridge", "push_through"):
        fight = fought("sfw96", movers, guard, movement_step=4, occasion="movement", **{way: True})
        step = "bridge" if way == "bridge" else "push"
        volleys = rolls(fight, step, DEFENDING, fight.start(DEFENDING), fight.start(ATTACKING)).volleys
        found[way] = [(volley.source, volley.aim.types) for volley in volleys]
    assert found["bridge"] == [("infantry", ("land",))]
    assert found["push_through"] == [("anti_air", ("air",)), ("infantry", ("land",))]
    with pytest.raises(BattleFileError, match="Only Land Units cross a bridge"):
        fought("sfw96", movers[:1], guard, movement_step=2, occasion="movement", bridge=True)


@pytest.mark.parametrize(
    ("leaves", "said"),
    [
        ("us tank", r"retreat\[0\]: expected one of tank, infantry \(nearest: tank\), got us tank"),
        ("artillery", r"retreat\[0\]: expected one of tank, infantry, got artillery"),
        ("infantry", "No retreat icon"),
    ],
)
def test_only_who_defends_retreats(leaves: str, said: str) -> None:
    """Abilities, Retreat: used when defending; a name that nobody there has is no missing icon."""
    guard = [{"unit": "tank", "nation": "us"}, {"unit": "infantry", "nation": "us"}]
    with pytest.raises(BattleFileError, match=said):
        fought("sfw96", [{"unit": "tank", "nation": "germany"}], guard, movement_step=4, retreat=[leaves])


@pytest.mark.parametrize("game", BOTH)
@pytest.mark.parametrize(
    ("step", "may_unload"), [("s3.t2.allies.declare", True), ("s3.t4.allies.declare", False)]
)
def test_the_page_offers_to_unload_where_a_transport_may_and_says_where_it_may_not(
    game: str, step: str, may_unload: bool
) -> None:
    table = Fought(game, step, "P")
    table.attack(("us", "air_transport", 1), ("us", "infantry", 1)).load(0, ("infantry", 2))
    table.defend(("italy", "infantry", 1))
    state = table.evening.state
    offered = {speak(text, state) for text, _act in group_choices(state, table.declared, ATTACKING, 0)}
    assert ("Does not unload" in offered) is may_unload
    change = table.evening.desk.change
    assert change is not None
    details = read(battle_page, change, draft=BattleDraft(table.id, "details"))
    notes = " ".join(details.say(item.sub) for item in details.items)
    assert ("cargo stays aboard" in notes.casefold()) is not may_unload
