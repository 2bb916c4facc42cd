"""Laws of The Soft Underbelly over all kinds of units, all lines, all seasons: the rulebook said a second time, shorter."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core.rules import Accepted, Rejected
from companion.core.scenario import DataError
from companion.core.state import GameState
from companion.core.text import Typed
from companion.games.tsu.rules import combat, victory
from companion.games.tsu.rules.attack import supply_needed, verdict
from companion.games.tsu.rules.commands import (
    ChangeBox,
    ClearOverstack,
    DeclareAttack,
    ResolveAttack,
    RetreatBefore,
)
from companion.games.tsu.rules.forces import Attack, Attacker, attack_value, defence_value
from companion.games.tsu.rules.legality import sides_of, turn_faults
from companion.games.tsu.rules.losses import (
    advance_fault,
    advance_of,
    attackers_lost,
    early_retreats,
    overstacked,
    removals,
)
from companion.games.tsu.rules.new_game import TsuFamily
from companion.games.tsu.rules.schema import season_at, season_key
from companion.games.tsu.rules.stars import change_box, replacement_fault
from companion.games.tsu.rules.state import (
    Declared,
    TsuSlice,
    attack_date,
    budget,
    is_at_war,
    is_free_french,
    is_reorganized,
    lendable,
    lender_of,
    may_attack,
    may_supply,
    not_at_war,
    season_of,
)
from companion.games.tsu.rules.units import Cell, Tables, Unit
from companion.session.scenario_loader import make_setup
from tests.games.tsu.test_tsu_attack import TABLES, attack, by_rail, by_sea, landing, unit
from tests.games.tsu.test_tsu_play import BRITAIN, GERMANY, ITALY, LOADED, US, Table

KINDS = tuple(TABLES.units)
LAND = {"panzer", "infantry", "parachute", "supply", "fort"}
TACTICAL = {"tactical", "strategic"}
NAVAL = {"flotilla", "carrier", "convoy", "landing_craft"}
ARMIES = {"panzer", "infantry"}
SEASONS = [season_at(key) for key in range(season_key("spring 1940"), season_key("spring 1945") + 1)]


# -- who may attack from where ---------------------------------------------------------------------------------


def told(made: Attack, words: str) -> bool:
    return any(words in fault.template or words in str(fault) for fault in verdict(made, TABLES).faults)


INSIDE = "{unit}: only a parachute unit on top, or an Axis unit in Malta against its lone Fort, attacks from inside."


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_attacks_only_over_its_own_lines(kind: str) -> None:
    """Combat; Sea and Air Landings; Stacking: every reason stands exactly where the rule does."""
    for line, area, landed, loaded, at_sea in product(
        ("black", "road", "blue", "inside"), ("land", "coastal", "sea"), *((False, True),) * 3
    ):
        one = Attacker(Unit(kind, "us", "X", loaded=loaded), "A", line, from_sea=at_sea, landing=landed)  # type: ignore[arg-type]
        made = attack((one,), unit("infantry", "italy", "Y"), area=area, supplies=9)
        expected = {
            "{unit} cannot attack.": kind in ("fort", "supply", "convoy"),
            "A Landing Craft attacks only when it lands its land unit.": kind == "landing_craft"
            and not landed,
            "{unit}: ships never attack across a black line.": kind in NAVAL and line in ("black", "road"),
            "{unit}: ships never fight in a land area.": kind in NAVAL and area == "land",
            "{unit}: a land unit crosses a sea lane only in a landing.": kind in LAND
            and line == "blue"
            and not landed,
            "{unit} is aboard ship.": loaded and (kind in TACTICAL or (kind in LAND and not landed)),
            "{unit}: no land unit fights in a sea area.": kind in LAND and area == "sea",
            "{unit}: a Tactical does not attack from one sea area into another.": (
                kind in TACTICAL and at_sea and area == "sea" and line == "blue"
            ),
            INSIDE: line == "inside" and kind != "parachute",
            "Landings are possible only in coastal areas and on islands.": landed and area != "coastal",
        }
        faults = verdict(made, TABLES).faults
        found = {fault.template for fault in faults if fault.values.get("unit", Typed("X")) == Typed("X")}
        where = (kind, line, area, landed, loaded, at_sea)
        assert found & set(expected) == {text for text, is_so in expected.items() if is_so}, where


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_defends_only_where_it_can_stand(kind: str) -> None:
    for area in ("land", "coastal", "sea"):
        made = attack((by_rail("panzer"),), Unit(kind, "italy", "Y", fort_value=1), area=area)
        assert told(made, "Y: no land unit fights in a sea area.") == (kind in LAND and area == "sea")
        assert told(made, "Y: ships never fight in a land area.") == (kind in NAVAL and area == "land")


@pytest.mark.parametrize(("lifts", "cargo"), [(0, 1), (1, 1), (1, 2), (2, 2), (2, 3)])
def test_a_ship_carries_one_unit(lifts: int, cargo: int) -> None:
    ships = (unit("convoy", "italy"), unit("landing_craft", "italy"))[:lifts]
    there = (*ships, *(unit("infantry", "italy", f"I{n}", loaded=True) for n in range(cargo)))
    made = attack((by_sea("flotilla"),), *there, unit("flotilla", "italy"), area="sea")
    assert told(made, "aboard ship, but too few ships here") == (cargo > lifts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nation", ["germany", "italy", "britain", "us"])
def test_only_axis_ships_and_aircraft_attack_from_inside_malta_while_its_fort_stands_alone(
    kind: str, nation: str
) -> None:
    foe = "britain" if nation in ("germany", "italy") else "italy"
    fort = Unit("fort", foe, "F", fort_value=1)
    for target, more in (("Malta", ()), ("MALTA ", ()), ("Crete", ()), ("Malta", (unit("infantry", foe),))):
        one = Attacker(Unit(kind, nation, "X"), target, "inside")
        made = attack((one,), fort, *more, target=target)
        able = kind in ("tactical", "flotilla", "carrier") and nation in ("germany", "italy")
        allowed = kind == "parachute" or (able and target.strip().lower() == "malta" and not more)
        assert told(made, "attacks from inside.") != allowed, (target, more)


# -- the chart's permissions and sides ---------------------------------------------------------------------------


def charted(cell: Cell) -> Tables:
    """The tables with one field of the chart for everybody."""
    return Tables(TABLES.units, {a: dict.fromkeys(row, cell) for a, row in TABLES.chart.items()})


ALLOWED = {
    "yes": {(False, False), (False, True), (True, False), (True, True)},
    "no": set(),
    "own_carrier": {(True, False), (True, True)},
    "no_enemy_carrier": {(False, False), (True, False)},
    "match_carrier": {(False, False), (True, False), (True, True)},
}
"""Permission of the chart to the cases in which it permits: a Carrier of one's own, one of the enemy's."""


@pytest.mark.parametrize("permission", list(ALLOWED))
def test_a_carrier_opens_or_closes_a_landing_as_the_chart_says(permission: Any) -> None:
    drop = (Attacker(unit("parachute", "us"), "B", "blue", landing=True),)
    for own, enemy in product((False, True), repeat=2):
        escort = (by_sea("carrier", "us"),) if own else ()
        foes = (unit("infantry", "italy"), *((unit("carrier", "italy"),) if enemy else ()))
        may = (own, enemy) in ALLOWED[permission]
        for landers, field in ((landing("panzer"), "landing"), (drop, "paradrop")):
            cell = Cell(combat="full", **{field: permission})
            found = verdict(attack((*landers, *escort), *foes, supplies=9), charted(cell)).faults
            refused = [str(fault) for fault in found if f"No {field}" in str(fault)]
            assert bool(refused) != may, (field, own, enemy, refused)


@pytest.mark.parametrize("area", ["land", "coastal", "sea"])
def test_a_field_of_the_chart_forbids_what_it_says(area: Any) -> None:
    made = attack((by_sea("carrier"),), unit("flotilla", "italy"), area=area)
    for coastal, overrun, fought in product((False, True), (False, True), COUNTED):
        found = verdict(made, charted(Cell(combat=fought, coastal=coastal, overrun=overrun))).faults  # type: ignore[arg-type]
        texts = " ".join(str(fault) for fault in found)
        assert ("Only in a coastal area" in texts) == (coastal and area != "coastal")
        assert ("Not a permissible attack" in texts) == (fought == "none")
        assert ("may overrun" in texts) == (fought == "none" and overrun)
        idle = fought in ("air", "carrier_air")  # no aircraft stands on the other side
        assert ("Nobody here may fight the other side" in texts) == idle


COUNTED: dict[str, tuple[set[str], set[str]]] = {
    "full": (set(KINDS), set(KINDS)),
    "none": (set(), set()),
    "air": ({"tactical", "carrier"}, {"tactical", "carrier"}),
    "carrier_air": ({"carrier"}, {"tactical"}),
    "naval": (TACTICAL | NAVAL, NAVAL),
    "air_naval": (TACTICAL | NAVAL, TACTICAL | NAVAL),
}


@pytest.mark.parametrize("combat", list(COUNTED))
def test_the_charts_combat_says_who_counts_on_each_side(combat: Any) -> None:
    made = attack(
        tuple(Attacker(unit(kind, "us"), "A", "black") for kind in KINDS),
        *(unit(kind, "italy") for kind in KINDS),
        unit("tactical", "italy", loaded=True),
    )
    fighting, facing = sides_of(made, Cell(combat=combat), TABLES)
    ours, theirs = COUNTED[combat]
    assert {a.unit.kind for a in fighting} == ours
    assert {u.kind for u in facing if not u.loaded} == theirs
    assert any(u.loaded for u in facing) == (combat in ("full", "air_naval"))
    ashore, _ = sides_of(
        replace(made, attackers=(*made.attackers, *landing("panzer"))), Cell(combat=combat), TABLES
    )
    everybody = combat in ("full", "carrier_air", "air_naval")
    assert (len(ashore) == len(KINDS) + 2) == everybody


@pytest.mark.parametrize("foe", [*KINDS, ""])
def test_a_landing_needs_air_cover_only_against_aircraft_and_no_parachute_meets_a_tactical(foe: str) -> None:
    foes = (unit("infantry", "italy"), *((unit(foe, "italy"),) if foe else ()))
    drop = (Attacker(unit("parachute", "us"), "B", "blue", landing=True),)
    for cover in ("", "carrier", "tactical", "flotilla"):
        escort = (by_sea(cover, "us"),) if cover else ()
        bare = foe in ("tactical", "carrier") and cover in ("", "flotilla")
        assert told(attack((*landing("panzer"), *escort), *foes), "without one of your own.") == bare
        assert not told(attack((*drop, *escort), *foes), "No sea landing against")
        assert told(attack((*drop, *escort), *foes), "cannot enter an area with an enemy Tactical") == (
            foe == "tactical"
        )


@pytest.mark.parametrize("season", ["spring", "summer", "fall", "winter"])
def test_only_winter_closes_the_winter_zone_to_landings_and_doubles_supply(season: str) -> None:
    army = unit("infantry", "italy")
    for zone, own in product((False, True), (None, False, True)):
        ship = attack(landing("panzer"), army, season=season, winter_zone=zone, supplies=9)
        assert told(ship, "No landings in the winter zone") == (season == "winter" and zone)
        drop = Attacker(unit("parachute", "us"), "B", "blue", landing=True, in_winter_zone=own)
        flown = attack((drop,), army, season=season, winter_zone=zone, supplies=9)
        assert told(flown, "No landings in the winter zone") == (season == "winter" and (zone or own is True))
        rail = attack((by_rail("panzer", in_winter_zone=own),), army, season=season, winter_zone=zone)
        assert supply_needed(rail, TABLES) == (2 if season == "winter" and zone else 1)
        muddy = zone if own is None else own
        pair = (by_rail("panzer", in_winter_zone=own), by_rail("infantry", in_winter_zone=own))
        both = attack(pair, army, season=season, winter_zone=zone, supplies=9)
        assert told(both, "spring mud") == (season == "spring" and muddy)


# -- stacks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_how_many_of_a_kind_attack_from_one_area(kind: str) -> None:
    """Stacking: two armies; one Tactical, Flotilla, Carrier, Parachute and landing craft; the rest is not counted."""
    for count in range(1, 5):
        stack = tuple(Attacker(Unit(kind, "us", f"U{n}"), "A", "blue", landing=True) for n in range(count))
        one = count > 1 and kind in ("tactical", "flotilla", "carrier", "parachute", "landing_craft")
        found = [str(fault) for fault in turn_faults(stack, TABLES)]
        armies = count > 2 and kind in ARMIES
        assert len(found) == one + armies, found
        assert all(("at most 2 armies" if armies else "only one unit of this kind") in text for text in found)
        apart = tuple(replace(a, origin=f"A{n}") for n, a in enumerate(stack))
        assert turn_faults(apart, TABLES) == ()


def test_a_named_unit_attacks_once_whatever_its_case_and_another_nations_namesake_is_another() -> None:
    def named(name: str, nation: str, origin: str) -> Attacker:
        return Attacker(Unit("infantry", nation, name), origin, "black")

    eighth = named("8th", "britain", "A")
    (twice,) = turn_faults((eighth, named("8TH ", "britain", "B")), TABLES)
    assert "may attack only once per turn." in str(twice)
    assert turn_faults((eighth, named("8th", "us", "B")), TABLES) == ()
    assert turn_faults((named("", "us", "A"), named("", "us", "B")), TABLES) == ()


@pytest.mark.parametrize("armies", [0, 1, 2])
@pytest.mark.parametrize("crafts", [0, 1, 2])
def test_a_landing_army_has_its_own_craft_and_a_craft_its_land_unit(armies: int, crafts: int) -> None:
    army, craft = landing("panzer")
    foot = replace(army, unit=Unit("parachute", "us", loaded=True))
    for others in (0, 1):
        made = attack(
            (*(army,) * armies, *(craft,) * crafts, *(foot,) * others), unit("supply", "italy"), supplies=9
        )
        if not made.attackers:
            continue
        assert told(made, "each landing army needs its own Landing Craft") == (armies > crafts)
        assert told(made, "counts only with the land unit that it lands") == (crafts > armies + others)


# -- values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nation", ["germany", "italy", "britain", "us"])
def test_what_a_unit_counts(kind: str, nation: str) -> None:
    """Unit Combat Values; Reorganization of the German Army."""
    plain = {"panzer": 2, "infantry": 1, "tactical": 1, "flotilla": 1, "carrier": 1}.get(kind, 0)
    for loaded, landed, fort, again in product((False, True), repeat=4):
        changed = again and nation == "germany" and kind == "infantry"
        attacking = 0 if changed else 1 if kind == "panzer" and fort else plain
        if kind == "landing_craft" and landed:
            attacking = 1
        if loaded and not landed:
            attacking = 0
        one = Attacker(Unit(kind, nation, loaded=loaded), "A", "blue", landing=landed)
        assert attack_value(one, TABLES, fort, again) == attacking, (loaded, landed, fort, again)
        defending = 0 if loaded else 2 if changed else plain
        assert defence_value(Unit(kind, nation, loaded=loaded), TABLES, again) == defending
    assert [defence_value(Unit("fort", nation, fort_value=n), TABLES, False) for n in (None, 0, 3)] == [
        0,
        0,
        3,
    ]


# -- losses ------------------------------------------------------------------------------------------------------


def picked(facing: tuple[Unit, ...], loss: int) -> set[frozenset[int]]:
    """Every end of picking units one by one until the loss is met, forts after all others."""
    worth = [defence_value(one, TABLES, False) for one in facing]
    ends: set[frozenset[int]] = set()
    for order in permutations(range(len(facing))):
        kinds = [facing[i].kind == "fort" for i in order]
        if kinds != sorted(kinds):
            continue
        sum_of, taken = 0, 0
        while sum_of < loss and taken < len(order):
            sum_of += worth[order[taken]]
            taken += 1
        ends.add(frozenset(order[:taken]))
    return ends


@settings(max_examples=40)
@given(
    st.lists(
        st.sampled_from(["panzer", "infantry", "supply", "tactical", "flotilla", "fort"]),
        min_size=1,
        max_size=4,
    ),
    st.integers(-1, 7),
    st.integers(1, 3),
)
def test_losses_are_picked_one_by_one_until_they_are_met_and_a_fort_comes_last(
    kinds: list[str], loss: int, fort: int
) -> None:
    kinds = [kind for n, kind in enumerate(kinds) if kind != "fort" or "fort" not in kinds[:n]]
    facing = tuple(
        Unit(k, "italy", f"N{n}", fort_value=fort if k == "fort" else None) for n, k in enumerate(kinds)
    )
    stays = Unit("supply", "italy", "aside")
    found = removals(facing, (*facing, stays), loss, TABLES)
    if loss <= 0:
        assert found == ()
        return
    assert {frozenset(facing.index(one) for one in choice.units) for choice in found} == picked(facing, loss)
    assert [len(choice.units) for choice in found] == sorted(len(choice.units) for choice in found)
    for choice in found:
        assert stays in choice.survivors
        holds = any(one.kind == "fort" for one in choice.survivors)
        assert choice.retreating == (() if holds else tuple(u for u in choice.survivors if u in facing))
        assert choice.retreats == bool(choice.retreating)
        assert choice.staying == (choice.survivors if holds else (stays,))


def test_like_units_are_one_choice_of_losses() -> None:
    pair = (unit("infantry", "italy"),) * 2
    for loss, kinds in ((1, 1), (2, 2)):
        (choice,) = removals((*pair,), (*pair,), loss, TABLES)
        assert len(choice.units) == kinds
    mixed = (*pair, unit("tactical", "italy"))
    assert sorted(sorted(u.kind for u in c.units) for c in removals(mixed, mixed, 1, TABLES)) == [
        ["infantry"],
        ["tactical"],
    ]


@pytest.mark.parametrize("fort", [False, True])
@pytest.mark.parametrize("ships", [("convoy",), ("landing_craft", "convoy"), ("convoy", "flotilla")])
def test_cargo_sinks_beyond_what_is_left_to_carry_it_and_sails_with_a_ship_that_fought(
    ships: tuple[str, ...], fort: bool
) -> None:
    """Losses and Disruption; Convoys and Landing Craft."""
    fleet = tuple(unit(kind, "italy", kind) for kind in ships)
    army = unit("infantry", "italy", "ashore")
    wall = (Unit("fort", "italy", "wall", fort_value=1),) if fort else ()
    lifts = [one for one in fleet if one.kind != "flotilla"]
    cargo = tuple(unit("infantry", "italy", f"aboard{n}", loaded=True) for n in range(len(lifts)))
    for facing in ((*fleet, army, *wall), (army, *wall)):
        for choice in removals(facing, (*fleet, army, *wall, *cargo), 1, TABLES):
            afloat = [one for one in choice.survivors if one in lifts]
            aboard = [one for one in choice.survivors if one in cargo]
            assert len(aboard) == min(len(cargo), len(afloat))
            fought = [one for one in choice.survivors if one in facing]
            sail = aboard if any(one in lifts for one in fought) else []
            assert set(choice.retreating) == (set() if fort else {*fought, *sail}), choice


@pytest.mark.parametrize("attacker", ["panzer", "flotilla", "tactical", "carrier"])
def test_before_a_combat_only_what_counts_nothing_leaves_and_nothing_leaves_aircraft(attacker: str) -> None:
    foes = tuple(Unit(kind, "italy", fort_value=0 if kind == "fort" else None) for kind in KINDS)
    cargo = Unit("infantry", "italy", loaded=True)
    left = {u.kind for u in early_retreats(attack((by_sea(attacker),), *foes, cargo), TABLES)}
    flown = attacker in ("tactical", "carrier")
    assert left == (set() if flown else {"parachute", "supply", "strategic", "convoy", "landing_craft"})


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_attackers_lose_after_a_combat(kind: str) -> None:
    for landed, inside, at_sea, taken, ashore, lost, empty in product((False, True), repeat=7):
        line = "inside" if inside else "blue"
        one = Attacker(unit(kind, "us"), "A", line, from_sea=at_sea, landing=landed)  # type: ignore[arg-type]
        made = attack((by_rail("panzer"), one), unit("infantry", "italy"))
        gone = attackers_lost(
            made,
            is_taken=taken,
            advanced=(1,) if ashore else (),
            is_stranded_lost=lost,
            is_unopposed=empty,
        )
        sunk = landed and at_sea and lost and not ashore and kind != "parachute"
        used = kind == "landing_craft" and landed
        fell = kind == "parachute" and inside and not taken
        assert gone == ((one.unit,) if (sunk or used or fell) and not empty else ())


def test_two_armies_that_did_not_advance_overstack_their_area() -> None:
    for kinds in product(KINDS, repeat=2):
        pair = tuple(Attacker(unit(kind, "us", f"U{n}"), "A", "black") for n, kind in enumerate(kinds))
        made = attack((*pair, by_rail("panzer", origin="B")), unit("infantry", "italy"))
        armies = set(kinds) <= ARMIES
        assert overstacked(made, (), TABLES) == ({"A": tuple(a.unit for a in pair)} if armies else {})
        assert overstacked(made, (1,), TABLES) == {}
        landed = replace(made, attackers=(pair[0], replace(pair[1], landing=True)))
        assert overstacked(landed, (), TABLES) == {}


# -- advance -----------------------------------------------------------------------------------------------------


def fault_of(made: Attack, chosen: tuple[int, ...], staying: tuple[Unit, ...] = ()) -> str:
    fault = advance_fault(made, advance_of(made, made.attackers, staying, TABLES), chosen, TABLES)
    return "" if fault is None else str(fault)


def test_one_land_unit_leads_an_advance_and_one_of_a_kind_follows() -> None:
    """Advance after Combat: with a land unit in the combat it goes first; ships and aircraft alone may go without."""
    stack = tuple(
        Attacker(unit(kind, "us", f"{kind}{n}"), f"A{n}", "black") for kind in KINDS for n in (0, 1)
    )
    made = attack(stack, unit("infantry", "italy"))
    for i, j in product(range(len(stack)), repeat=2):
        kinds = [stack[i].unit.kind, stack[j].unit.kind]
        lands = sum(kind in LAND for kind in kinds)
        if i == j or "landing_craft" in kinds:
            assert fault_of(made, (i, j)) == "Only units that fought may advance, each only once."
        elif lands == 2:
            assert fault_of(made, (i, j)) == "At most one land unit may advance."
        elif lands == 0:
            assert fault_of(made, (i, j)) == "A land unit must advance first, then others."
        else:
            assert fault_of(made, (i, j)) == ""
    for i, kind in enumerate(a.unit.kind for a in stack):
        alone = kind in LAND
        assert (fault_of(made, (i,)) == "") == alone, kind
        assert (fault_of(made, (i,), (unit("fort", "italy"),)) == "") is False
    assert fault_of(made, (), (unit("fort", "italy"),)) == ""


def test_ships_and_aircraft_advance_alone_where_no_land_unit_fought_one_of_a_kind() -> None:
    able = ("tactical", "flotilla", "carrier", "convoy", "strategic")
    stack = tuple(Attacker(unit(kind, "us", f"{kind}{n}"), f"A{n}", "blue") for kind in able for n in (0, 1))
    made = attack(stack, unit("flotilla", "italy"))
    for i, j in product(range(len(stack)), repeat=2):
        if i == j:
            continue
        same = stack[i].unit.kind == stack[j].unit.kind and stack[i].unit.kind in (
            "tactical",
            "flotilla",
            "carrier",
        )
        assert ("only one unit of this kind" in fault_of(made, (i, j))) == same
        assert bool(fault_of(made, (i, j))) == same


def test_a_parachute_inside_holds_the_area_for_those_who_follow() -> None:
    inside = Attacker(unit("parachute", "us", "P"), "T", "inside")
    other = Attacker(unit("tactical", "us", "T"), "A", "black")
    guard = Attacker(unit("infantry", "us", "I"), "B", "black")
    made = attack((inside, other, guard), unit("infantry", "italy"))
    assert fault_of(made, (1,)) == "", "the parachute is there already"
    assert fault_of(made, (2, 1)) == ""
    assert fault_of(made, (0,)) == "Only units that fought may advance, each only once."
    flown = replace(made, attackers=(replace(inside, unit=unit("tactical", "us", "T2")), other, guard))
    assert fault_of(flown, (1,)) == "A land unit must advance first, then others."
    assert "only one unit of this kind" in fault_of(flown, (2, 1)), "one Tactical stands inside"


# -- the calendar ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def start() -> Table:
    return Table()


def at(state: GameState, season: str, phase: str = "reinforcements", side: str = "axis") -> GameState:
    """The state as it stands, in another season."""
    short = f"{season[:2]}{season[-4:]}.{side}.{phase}"
    return replace(state, index=[step.id for step in state.itinerary.steps].index(short))


def own_of(state: GameState, **changes: Any) -> GameState:
    return replace(state, game={**state.game, "tsu": replace(state.game["tsu"], **changes)})


def since(first: str) -> list[bool]:
    return [season_key(season) >= season_key(first) for season in SEASONS]


def test_who_is_at_war_attacks_and_supplies_in_each_of_the_21_seasons(start: Table) -> None:
    """Set Up; Italy; Lend-Lease; The Axis Pact."""
    states = [at(start.state, season) for season in SEASONS]
    assert [season_of(state.game["tsu"], state.step.stage) for state in states] == SEASONS
    always = [True] * len(SEASONS)
    war = {GERMANY: always, BRITAIN: always, ITALY: since("summer 1940"), US: since("winter 1941")}
    for nation, expected in war.items():
        assert [is_at_war(s.game["tsu"], nation, s.step.stage) for s in states] == expected, nation
        assert [may_attack(s, nation) for s in states] == expected, nation
        lends = always if nation == ITALY else expected
        assert [may_supply(s, nation) for s in states] == lends, nation
    late = [
        replace(s, rulings={**s.rulings, "us_attacks": "first_units", "italian_supply": "at_war"})
        for s in states
    ]
    assert [may_attack(s, US) for s in late] == since("fall 1942")
    assert [may_supply(s, US) for s in late] == since("winter 1941")
    assert (
        [may_supply(s, ITALY) for s in late] == [may_attack(s, ITALY) for s in late] == since("summer 1940")
    )
    fallen = [own_of(s, happened={"italy_fell": 1}) for s in states]
    assert not any(may_supply(s, ITALY) or may_attack(s, ITALY) for s in fallen)
    assert all(may_supply(s, GERMANY) for s in fallen)


def test_the_stars_of_each_nation_in_each_season(start: Table) -> None:
    """Production: off-map stars by season, and the stars on the map that it holds."""
    off_map = {
        GERMANY: [2] * 21,
        BRITAIN: [3] * 2 + [5] * 5 + [3] * 14,
        US: [0] * 10 + [3] * 11,
        ITALY: [0] * 21,
    }
    for nation, stars in off_map.items():
        own: TsuSlice = replace(start.own, stars={"a": nation, "b": nation, "c": None})
        neutral = nation == ITALY
        assert [budget(own, nation, stage) for stage in range(1, 22)] == [
            0 if neutral and stage == 1 else n + 2 for stage, n in enumerate(stars, 1)
        ]


def test_who_lends_to_whom_in_each_season(start: Table) -> None:
    """Lend-Lease; Replacements (Italy): one star a turn."""
    stages = range(1, 22)
    own = start.own
    assert [lender_of(own, BRITAIN, n) == US for n in stages] == since("winter 1941")
    for path in (None, True, False):
        lends = [lender_of(replace(own, axis_path=path), ITALY, n) == GERMANY for n in stages]
        assert lends == [one and path is not False for one in since("summer 1940")]
    assert {lender_of(own, nation, n) for nation in (GERMANY, US) for n in stages} == {None}
    for spent in range(5):
        after = replace(own, spent={GERMANY: spent, US: spent})
        assert lendable(after, GERMANY, 3) == (1 if spent < 3 else 0), "two off the map and Romania"
        assert lendable(after, US, 8) == 1, "at war, and its own stars begin later"
        assert lendable(after, US, 11) == (1 if spent < 3 else 0)
    assert lendable(replace(own, lent={GERMANY: 1}), GERMANY, 3) == 0
    assert lendable(replace(own, lent={US: 1}), US, 8) == 0


def test_the_reorganized_army_is_in_force_from_its_turn_on(start: Table) -> None:
    again = replace(start.own, reorganized_from=14)
    assert [n for n in range(1, 22) if is_reorganized(again, n)] == list(range(14, 22))
    assert not any(is_reorganized(start.own, n) for n in range(1, 22))


REPORTS: dict[str, tuple[str, str, str]] = {
    "no_germans": ("end", "axis", "spring 1940"),
    "no_garrison": ("end", "axis", "spring 1941"),
    "allies_gone": ("end", "allies", "spring 1940"),
    "landed_in_europe": ("", "", "fall 1942"),
    "invaded_vichy": ("", "", "summer 1940"),
}
"""Happening to the phase and side in which alone it is reported, and the season from which."""


@pytest.mark.parametrize("what", list(REPORTS))
def test_a_happening_is_reported_in_its_phase_from_its_season_on(what: Any, start: Table) -> None:
    phase, side, first = REPORTS[what]
    for season, now, whose in product(SEASONS, ("supply", "end"), ("axis", "allies")):
        state = at(start.state, season, now, whose)
        may = phase in ("", now) and side in ("", whose) and season_key(season) >= season_key(first)
        fault = victory.report_fault(state, what)
        assert (fault is None) == may, (season, now, whose)
        told_before = victory.report_fault(own_of(state, happened={what: 1}), what)
        once = what in ("landed_in_europe", "invaded_vichy", "no_garrison")
        assert (told_before is None) == (may and not once)


def test_the_army_is_reorganized_in_an_axis_turn_from_its_season_on_and_once(start: Table) -> None:
    for season, whose in product(SEASONS, ("axis", "allies")):
        state = at(start.state, season, "move", whose)
        may = whose == "axis" and season_key(season) >= season_key("spring 1943")
        assert (victory.reorganization_fault(state) is None) == may
        assert victory.reorganization_fault(own_of(state, reorganized_from=12)) is not None


def test_attacks_are_declared_and_fought_and_units_replaced_in_their_phases_only(start: Table) -> None:
    made = attack((Attacker(unit("panzer", "germany"), "A", "black"),), unit("infantry"))
    for phase in {step.phase for step in start.state.itinerary.steps[1:13]}:
        state = at(start.state, "summer 1941", phase)
        step = state.step.id
        declared = combat.declare(state, DeclareAttack(step, made, (Unit("supply", "germany"),)))
        assert isinstance(declared, Accepted) == (phase in ("supply", "attack"))
        fought = combat.resolve(state, ResolveAttack(step, 1))
        left = combat.retreat_before(state, RetreatBefore(step, 1, ()))
        for answer in (fought, left):
            assert isinstance(answer, Rejected)
            assert answer.code == ("attack_over" if phase == "attack" else "other_phase")
        bought = replacement_fault(own_of(state, boxes={"germany": {"panzer": 1}}), GERMANY, "panzer", 0)
        assert (bought is None) == (phase == "reinforcements")


def test_data_that_do_not_fit_together_are_named() -> None:
    data, family = LOADED.data, TsuFamily()
    game, row = data.tables["game"], data.scenarios["campaign"]

    def told(game: Any = game, row: Any = row) -> list[str]:
        changed = replace(data, tables={**data.tables, "game": game}, scenarios={"campaign": row})
        return [fault.key for fault in family.check(changed)]

    assert told() == []
    nation = game.nations[0]
    assert told(replace(game, nations=(replace(nation, side="x"), *game.nations[1:]))) == [
        f"nations.{nation.id}.side"
    ]
    assert told(replace(game, nations=(*game.nations, nation))) == ["nations"]
    assert told(row=replace(row, calendar=row.calendar[::-1])) == ["calendar"]
    assert told(row=replace(row, first="nowhen 1940")) == ["first"]
    assert list(family.check(replace(data, tables={}))) == []


@pytest.mark.parametrize("players", [1, 3])
def test_two_play(players: int) -> None:
    with pytest.raises(DataError, match=f"players: expected 2, got {players}"):
        make_setup(TsuFamily(), LOADED, "campaign", {"players": players})


def test_each_side_has_its_minutes_in_each_of_the_21_seasons() -> None:
    stages = tuple(range(1, 22))
    limit = make_setup(TsuFamily(), LOADED, "campaign", {"clock": 15}).clock
    assert (limit.mode, limit.stages) == ("limit", stages)
    assert limit.allotted_ms == {"axis": (900_000,) * 21, "allies": (900_000,) * 21}
    for kept in ("none", "count_up"):
        clock = make_setup(TsuFamily(), LOADED, "campaign", {"clock": kept}).clock
        assert (clock.mode, clock.stages, clock.allotted_ms) == (kept, stages, {})


@pytest.mark.parametrize("where", ["attacker", "defender", "supply"])
def test_a_unit_of_a_nation_that_is_not_in_the_game_is_refused_by_its_name(where: str, start: Table) -> None:
    state = at(start.state, "summer 1941", "supply")
    of = {"attacker": "germany", "defender": "britain", "supply": "germany", where: "france"}
    made = attack((Attacker(Unit("panzer", of["attacker"]), "A", "black"),), Unit("infantry", of["defender"]))
    answer = combat.declare(state, DeclareAttack(state.step.id, made, (Unit("supply", of["supply"]),)))
    assert isinstance(answer, Rejected)
    assert (answer.code, str(answer.detail)) == ("bad_value", "This game has no such nation: france.")


def test_a_failed_attack_takes_no_losses_and_a_won_one_names_which(start: Table) -> None:
    state = at(start.state, "summer 1941", "attack")
    for armies, choice in product((1, 3), (None, -1, 0, 1)):
        ours = tuple(Attacker(unit("infantry", "germany", f"I{n}"), f"A{n}", "black") for n in range(armies))
        made = attack(ours, unit("infantry", name="Y"), unit("supply", name="Z"), season="", supplies=9)
        fought = own_of(state, attacks=(Declared(1, made),))
        wins = armies > 1
        choices = len(verdict(made, TABLES).removals)
        legal = (choice is not None and 0 <= choice < choices) if wins else choice is None
        assert verdict(made, TABLES).difference == (armies - 1 if wins else 0)
        answer = combat.resolve(fought, ResolveAttack(state.step.id, 1, choice))
        assert isinstance(answer, Accepted) == legal, (armies, choice)
        if isinstance(answer, Rejected):
            assert answer.code == ("choose_losses" if wins else "bad_value")


def test_one_of_two_armies_left_in_an_area_goes_into_its_box() -> None:
    table = Table()
    table.to_step("su1941.axis.supply")
    foe = Unit("supply", "britain")
    for n, target in enumerate("YZ"):
        pair = tuple(Attacker(Unit("infantry", "germany", f"I{n}{m}"), f"A{n}", "black") for m in range(2))
        made = Attack(target, "coastal", "", pair, (foe,))
        table.do(DeclareAttack(table.at, made, (Unit("supply", "germany"),)))
    table.next()
    one = Unit("infantry", "germany", "I00")
    assert table.refusal(ClearOverstack(table.at, 1, "A0", one)).code == "attack_over"
    for number in (1, 2):
        table.do(ResolveAttack(table.at, number, 0))
    assert {area for d in table.own.attacks for area in d.result.overstacked} == {"A0", "A1"}
    before = table.own.boxes[GERMANY].get("infantry", 0)
    assert table.refusal(ClearOverstack(table.at, 1, "A1", one)).code == "bad_value"
    assert table.refusal(ClearOverstack(table.at, 3, "A0", one)).code == "attack_over"
    table.do(ClearOverstack(table.at, 1, "A0", one))
    assert table.own.boxes[GERMANY]["infantry"] == before + 1
    assert [set(d.result.overstacked) for d in table.own.attacks] == [set(), {"A1"}]
    assert table.refusal(ClearOverstack(table.at, 1, "A0", one)).code == "bad_value"


@pytest.mark.parametrize("ruling", ["at_war", "first_units"])
def test_who_may_not_attack_yet_is_told_from_when_he_may(ruling: str, start: Table) -> None:
    state = replace(start.state, rulings={**start.state.rulings, "us_attacks": ruling})
    texts = {n: str(not_at_war(start.own, n, attack_date(state, n))) for n in (ITALY, US)}
    assert texts[ITALY] == "italy: neutral until summer 1940."
    late = {"at_war": "us: neutral until winter 1941.", "first_units": "us: no attacks until fall 1942."}
    assert texts[US] == late[ruling]
    assert str(not_at_war(start.own, US)) == late["at_war"]
    fallen = replace(start.own, happened={"italy_fell": 9})
    assert str(not_at_war(fallen, ITALY)) == "italy has fallen and is out of the game."


@pytest.mark.parametrize("nation", [GERMANY, ITALY, BRITAIN, US])
def test_a_box_changes_within_what_it_holds_and_nothing_comes_back_for_fallen_italy(
    nation: Any, start: Table
) -> None:
    for have, by, fallen in product(range(3), range(-3, 3), (False, True)):
        box = {nation: {"infantry": have}} if have else {nation: {}}
        state = own_of(
            start.state, boxes={**start.own.boxes, **box}, happened={"italy_fell": 1} if fallen else {}
        )
        answer = change_box(state, ChangeBox(nation, "infantry", by))
        may = by != 0 and have + by >= 0 and not (nation == ITALY and fallen and by > 0)
        assert isinstance(answer, Accepted) == may, (have, by, fallen)


def test_vichy_turns_by_date_or_by_invasion_as_the_table_rules(start: Table) -> None:
    for season, ruling, invaded in product(
        ("summer 1942", "fall 1942"), ("first", "invasion", "fall_1942"), (False, True)
    ):
        state = replace(at(start.state, season), rulings={**start.state.rulings, "vichy_free": ruling})
        state = own_of(state, happened={"invaded_vichy": 9} if invaded else {})
        dated = season == "fall 1942" and ruling != "invasion"
        assert is_free_french(state) == (dated or (invaded and ruling != "fall_1942"))


def test_a_star_counts_for_who_controls_it_only_where_the_table_rules_so(start: Table) -> None:
    for controller, ruling in product(("axis", "allies", None), ("control", "possession")):
        state = replace(start.state, rulings={**start.state.rulings, "hold_stars": ruling})
        state = own_of(state, controlled={} if controller is None else {"italy_1": controller})
        side = controller if ruling == "control" and controller is not None else "axis"
        assert victory.star_side(state, "italy_1") == side
        assert victory.lost_italian_star(state) == (side == "allies")
        assert ("italy_1" in victory.victory_stars(state, "allies")) == (side == "allies")  # type: ignore[arg-type]
        assert victory.star_side(state, "algiers") is None
