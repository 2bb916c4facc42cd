"""Random evenings of The Soft Underbelly: whatever is sent, nothing breaks and the books stay in balance."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.commands import EndAct, Undo
from companion.core.ids import Nation, Side
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.attack import planner, verdict
from companion.games.tsu.rules.forces import Attack, Attacker
from companion.games.tsu.rules.losses import advance_of
from companion.games.tsu.rules.state import SIDE_OF
from companion.games.tsu.rules.units import Unit
from tests.games.said import assert_said
from tests.games.tsu.test_tsu_attack import TABLES
from tests.games.tsu.test_tsu_play import Table

KINDS = st.sampled_from([kind for kind in TABLES.units if kind != "strategic"])
NATIONS = st.sampled_from([Nation(nation) for nation in SIDE_OF])
UNITS = st.builds(Unit, KINDS, NATIONS, st.sampled_from(["", "8th Army", "Malta"]), st.none(), st.booleans())
ATTACKERS = st.builds(
    Attacker,
    UNITS,
    st.sampled_from(["A", "B"]),
    st.sampled_from(["black", "road", "blue", "inside"]),
    st.booleans(),
    st.none() | st.booleans(),
    st.booleans(),
)
ATTACKS = st.builds(
    Attack,
    st.sampled_from(["Malta", "Tobruk"]),
    st.sampled_from(["land", "coastal", "sea"]),
    st.sampled_from(["spring", "summer", "fall", "winter"]),
    st.lists(ATTACKERS, max_size=4).map(tuple),
    st.lists(UNITS, max_size=4).map(tuple),
    st.booleans(),
    st.integers(0, 6),
    st.booleans(),
)
COUNTS = st.integers(-2, 2)


@settings(max_examples=250)
@given(ATTACKS)
def test_any_attack_is_judged_and_its_losses_add_up(attack: Attack) -> None:
    judged = verdict(attack, TABLES)
    assert judged.allowed == (not judged.faults)
    for fault in judged.faults:
        assert_said(fault, "tsu")
    for removal in judged.removals:
        assert sorted((*removal.units, *removal.survivors), key=str) == sorted(attack.defenders, key=str)
        assert sorted((*removal.retreating, *removal.staying), key=str) == sorted(removal.survivors, key=str)
        cargo = sum(unit.loaded for unit in removal.survivors)
        ships = sum(unit.kind in ("convoy", "landing_craft") for unit in removal.survivors)
        assert cargo <= ships
        advance = advance_of(attack, judged.fighting, removal.staying, TABLES)
        assert (advance is None) == bool(removal.staying)
    if attack.attackers and not judged.wins:
        for plan in planner(attack, TABLES, "us"):
            assert plan.attack_value > plan.defence_value


@st.composite
def acts(draw: Any) -> Any:
    """Return a function that sends one random command to a table."""
    what = draw(
        st.sampled_from(
            ["next", "box", "star", "control", "replace", "declare", "fight", "drop", "undo", "report"]
        )
    )
    nation, kind, n = draw(NATIONS), draw(KINDS), draw(COUNTS)
    star = draw(st.sampled_from(["italy_1", "algiers", "romania", "nowhere"]))
    attack, spent = draw(ATTACKS), draw(st.lists(UNITS, max_size=3).map(tuple))
    shared = draw(st.lists(st.integers(1, 3), max_size=2).map(tuple))
    choice = draw(st.none() | st.integers(0, 2))
    happening = draw(st.sampled_from(["landed_in_europe", "invaded_vichy", "no_garrison", "path_cut"]))

    def send(table: Table) -> None:
        at = table.at
        command: Any = {
            "next": EndAct(at, table.now_ms, confirmed=True),
            "box": cm.ChangeBox(nation, kind, n),
            "star": cm.TakeStar(star, nation if n else None),
            "control": cm.ControlStar(star, Side("axis") if n > 0 else None),
            "replace": cm.Replace(at, nation, kind, abs(n) % 2),
            "declare": cm.DeclareAttack(at, attack, spent, shared),
            "fight": cm.ResolveAttack(at, 1, choice, (), (0,) if n > 0 else ()),
            "drop": cm.DropAttack(at, 1),
            "undo": Undo(table.now_ms),
            "report": cm.ReportHappening(at, happening),
        }[what]
        table.attempt(command)

    return send


@settings(max_examples=40)
@given(st.lists(acts(), max_size=30))
def test_any_evening_keeps_its_books(sends: list[Any]) -> None:
    table = Table()
    for send in sends:
        send(table)  # the table itself compares the fold with the live state
        own = table.own
        assert all(count > 0 for box in own.boxes.values() for count in box.values())
        assert set(own.boxes) == set(SIDE_OF)
        numbers = {spent.number for spent in own.supplies}
        assert all(set(declared.supplies) <= numbers for declared in own.attacks)
        for star, holder in own.stars.items():
            if holder is not None and star in own.controlled:
                assert own.controlled[star] != SIDE_OF[holder]
