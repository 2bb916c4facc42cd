"""Laws of North Africa over all spaces, sides, units and rounds: the rulebook said a second time, shorter."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core.commands import EnterPrintedValue
from companion.core.events import ClockStopped, GameEnded
from companion.core.ids import Side
from companion.core.judgement import Judgement
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.games.aana.rules.admission import defender_fault
from companion.games.aana.rules.battle_end import advance_room
from companion.games.aana.rules.battle_messages import AttackGroup, Conclude
from companion.games.aana.rules.board import board_key, landing_space, zone_number
from companion.games.aana.rules.casualties import (
    Cargo,
    LossPolicy,
    cargo_after_hits,
    cargo_value,
    escape,
    in_bundles,
    loss_order,
    transports_hit,
)
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Arena, Kind, Rules, arena_of
from companion.games.aana.rules.combat_acts import less_cargo
from companion.games.aana.rules.conditions import (
    enemies,
    held_by,
    hostile,
    landing,
    marker_known,
    neutral,
    route_open,
    supplied,
)
from companion.games.aana.rules.declare import may_join
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.fight_dice import no_face
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.games.aana.rules.ledger import board, chip_stack, figures, ledger_of, supply_spent
from companion.games.aana.rules.movement import movement_of
from companion.games.aana.rules.reinforce_messages import LayLandMine
from companion.games.aana.rules.requisition import lay_land_mine
from companion.games.aana.rules.rounds import (
    UNLIMITED,
    AttackPlan,
    DefencePlan,
    Field,
    Pools,
    aaa_alone,
    aaa_fate,
    aaa_stands,
    ending,
    has_surrendered,
    moves_in,
    needs_supply,
    orders,
    press,
    raids,
    sparing,
    supply_cost,
    wants_to_cease,
    without_scouts,
)
from companion.games.aana.rules.sequence import is_act
from companion.games.aana.rules.supply import near_supply
from companion.games.aana.rules.victory import end_events
from tests.games.aana.aana_table import Table, setup

SIDES = ("axis", "allies")
HOLDERS = ("", "germany", "italy", "uk", "us", "free_french", "vichy")


@pytest.fixture(scope="module")
def start() -> GameState:
    return Table(values="unofficial").state


def told(state: GameState, **changes: Any) -> GameState:
    return replace(state, game={**state.game, "ledger": replace(ledger_of(state), **changes)})


def word(judged: Judgement) -> str:
    return "yes" if judged.is_yes else "unknown" if judged.is_unknown else "no"


# -- spaces ----------------------------------------------------------------------------------------------------


def test_each_side_tells_who_plays_which_powers() -> None:
    told_ = {side.id: side.seats for side in setup(players=2, seats=["Ada", "Bo"]).sides}
    assert {side: [name.split(":")[0] for name in names] for side, names in told_.items()} in (
        {"axis": ["Ada"], "allies": ["Bo"]},
        {"axis": ["Bo"], "allies": ["Ada"]},
    )
    assert all("Germany" in name or "United" in name for names in told_.values() for name in names)


def test_names_of_spaces_and_of_printed_values() -> None:
    assert [zone_number(s) for s in ("sz.1", "sz.31", "sz.", "sz.x", "sea.3", "3", "sz")] == [
        1,
        31,
        *[None] * 5,
    ]
    assert [landing_space(s) for s in ("oran@landing", "oran", "oran@uk", "@landing")] == [
        "oran",
        None,
        None,
        "",
    ]
    assert board_key("rp.tunis") == ("rp", "tunis")
    assert [board_key(key) for key in ("rp.", "rp", "unit.uk", ".tunis")] == [None] * 4


def test_every_number_is_a_sea_zone_or_a_convoy(start: GameState) -> None:
    own = board(start)
    numbers = {row.number for row in own.convoys.values()} - {0}
    for n in range(-1, own.file.sea_zones + 3):
        is_sea = 1 <= n <= own.file.sea_zones and n not in numbers
        assert own.type_of(f"sz.{n}") == ("sea" if is_sea else None)
        assert (f"sz.{n}" in own.sea_zones()) == is_sea
    assert list(own.sea_zones()) == sorted(own.sea_zones(), key=lambda zone: int(zone[3:]))
    assert {own.type_of(zone) for zone in own.convoys} == {"convoy"}
    assert {own.type_of(row.id) for row in own.territories()} == {"land"}
    assert [own.type_of(place) for place in ("reinforcements", "pool", "atlantis")] == ["zone", "zone", None]


def test_only_a_territory_with_a_value_and_no_emblem_changes_hands(start: GameState) -> None:
    own = board(start)
    for row in own.territories():
        worth = own.rp(row.id)
        assert own.is_controllable(row.id) == bool(worth), row.id
        assert own.is_open_to_capture(row.id) == (bool(worth) and not row.owner), row.id
    for space in ("sz.1", "convoy.malta", "atlantis"):
        assert (own.rp(space), own.is_controllable(space), own.is_open_to_capture(space)) == (0, False, False)
        assert own.limit(space) == own.file.default_limit


# -- who holds what ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["tunis", "malta", "sirte", "italy", "gibraltar"])
def test_who_holds_a_territory_by_emblem_by_marker_or_unknown(space: str, start: GameState) -> None:
    """Spaces on the Game Board: an emblem is for good; without a value nobody holds it; else the marker, once told."""
    emblem = {"malta": "allies", "gibraltar": "allies", "italy": "axis"}.get(space, "")
    for holder, unmarked, side in product(HOLDERS, (False, True), SIDES):
        marked = bool(holder) and space == "tunis"
        state = told(
            start, control={space: holder} if marked else {}, unmarked=frozenset({space} if unmarked else ())
        )
        known = space != "tunis" or marked or unmarked
        assert marker_known(state, space) == known
        of = emblem or (SIDE_OF[holder] if marked else "")
        held = word(held_by(state, space, side))
        assert held == ("unknown" if not known else "yes" if of == side else "no"), (holder, unmarked, side)
        lands = "no" if space == "sirte" else held
        assert word(landing(state, space, side)) == ("yes" if emblem == side else "no" if emblem else lands)


def test_nobody_lands_where_his_side_has_only_moved_in_this_turn(start: GameState) -> None:
    held = told(start, control={"tunis": "germany", "tripoli": "italy"})
    moved = replace(movement_of(held), blitzed={"tunis": "uk"})
    taken = replace(held, game={**held.game, "movement": moved})
    assert [word(landing(state, "tunis", "axis")) for state in (held, taken)] == ["yes", "no"]
    assert word(landing(taken, "tripoli", "axis")) == "yes"


@pytest.mark.parametrize("there", ["", "germany.infantry", "uk.infantry", "germany.truck", "uk.fighter"])
def test_a_territory_is_hostile_neutral_or_unknown_by_marker_and_content(
    there: str, start: GameState
) -> None:
    for holder, marker, counted, side in product(("", "germany", "uk"), (False, True), (False, True), SIDES):
        if holder and not marker:
            continue
        state = told(
            start,
            control={"tunis": holder} if holder else {},
            unmarked=frozenset({"tunis"} if marker and not holder else ()),
            told=frozenset({"tunis"} if counted else ()),
            units={"tunis": {there: 1}} if there else {},
        )
        foe = enemy_of(side)
        mine = SIDE_OF.get(holder) == side
        theirs = SIDE_OF.get(holder) == foe
        army = there.partition(".")[0] if there.endswith("infantry") else ""
        stands = {s: bool(army) and SIDE_OF[army] == s for s in SIDES}
        fights = there.endswith(("infantry", "fighter")) and SIDE_OF[there.partition(".")[0]] == foe
        got = word(hostile(state, "tunis", side))
        if fights or theirs:
            assert got == "yes", (holder, marker, counted, side)
        elif mine or stands[side]:
            assert got == "no", (holder, marker, counted, side)
        elif not there:
            assert got == ("no" if marker and counted else "unknown"), (holder, marker, counted, side)
        free = not holder and not any(stands.values())
        if not free:
            assert word(neutral(state, "tunis", side)) == "no"
        elif not there:
            assert word(neutral(state, "tunis", side)) == ("yes" if marker and counted else "unknown")


def test_a_sea_zone_holds_the_enemy_by_ship_by_cargo_or_nobody_has_told(start: GameState) -> None:
    pieces = ("", "germany.submarine", "uk.destroyer", "italy.bomber")
    for piece, cargo, counted, side in product(pieces, ("", "uk", "germany"), (False, True), SIDES):
        state = told(
            start,
            units={"sz.20": {piece: 1}} if piece else {},
            supply={f"sz.20@{cargo}": 2} if cargo else {},
            told=frozenset({"sz.20"} if counted else ()),
        )
        powers = [power for power in (piece.partition(".")[0], cargo) if power]
        foes = any(SIDE_OF[power] != side for power in powers)
        assert word(enemies(state, "sz.20", side)) == ("yes" if foes else "no" if counted else "unknown")
    gone = told(
        start,
        units={"sz.20": {"germany.submarine": 0}},
        supply={"sz.20@germany": 0},
        told=frozenset({"sz.20"}),
    )
    assert word(enemies(gone, "sz.20", "allies")) == "no"


def test_a_convoy_route_hangs_on_who_holds_its_port(start: GameState) -> None:
    for zone, row in board(start).convoys.items():
        for holder, told_so in product(HOLDERS, (False, True)):
            if holder and not told_so:
                continue
            state = told(
                start,
                control={row.port: holder} if holder and row.port else {},
                unmarked=frozenset({row.port} if told_so else ()),
            )
            if not row.port or not row.direct:
                expected = "yes"
            elif zone == "convoy.malta":
                expected = "yes"  # its port bears the emblem of the power that the zone depicts
            else:
                expected = "yes" if holder in row.powers else "no" if told_so else "unknown"
            assert word(route_open(state, zone)) == expected, (zone, holder, told_so)


def test_a_territory_is_supplied_by_tokens_that_were_told(start: GameState) -> None:
    assert [word(supplied(told(start, supply={"tunis": n}), "tunis")) for n in (1, 0)] == ["yes", "no"]
    assert word(supplied(told(start, supply={}, told=frozenset()), "tunis")) == "unknown"


def test_supply_next_door_is_one_number_or_two_where_borders_are_not_known() -> None:
    state = Table().state
    for tokens, expected in ((4, (0, 4)), (0, (0,))):
        known = told(state, supply={"tripoli": tokens, "cairo": 5})
        assert near_supply(known, "sirte", "axis") == expected


def test_a_figure_and_its_chips_show_a_stack() -> None:
    for count in range(1, 20):
        green, gray = chip_stack(count)
        assert 1 + 3 * green + gray == count
        assert 0 <= gray < 3
    assert chip_stack(0) == (0, 0)


# -- rounds ------------------------------------------------------------------------------------------------------

LAND = ("infantry", "matilda", "artillery", "aaa", "scout_car", "fighter")


def arena(start: GameState, attackers: tuple[Kind, ...], defenders: tuple[Kind, ...], **rules: Any) -> Arena:
    return arena_of(figures(start), Rules(**{"domain": "land", **rules}), attackers, defenders)[0]


def field(made: Arena, attackers: dict[Kind, int], defenders: dict[Kind, int], **more: Any) -> Field:
    a = tuple(attackers.get(kind, 0) for kind in made.attackers)
    d = tuple(defenders.get(kind, 0) for kind in made.defenders)
    known: dict[str, Any] = {
        "cargo": Cargo(),
        "cargo_out": Cargo(),
        "attack_supply": (9,),
        "defence_supply": 9,
        "round_no": 1,
    }
    return Field(a, d, (0,) * len(a), (0,) * len(d), **{**known, **more})


def test_five_units_of_a_territory_fight_on_one_token() -> None:
    assert [supply_cost(n) for n in range(12)] == [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3]


def guns(start: GameState, **rules: Any) -> tuple[Arena, Any]:
    infantry, gun = Kind("infantry", "uk"), aaa(start)
    made = arena(start, (Kind("infantry", "germany", "tripoli"),), (infantry, gun), **rules)
    return made, lambda n, g: tuple({infantry: n, gun: g}[kind] for kind in made.defenders)


def aaa(start: GameState) -> Kind:
    unit = next(
        row.unit for row in figures(start).rows() if row.power == "uk" and "cannot_attack" in row.traits
    )
    return Kind(unit, "uk")


@pytest.mark.parametrize("rule", ["", "refuge", "at_once", "ends"])
def test_what_becomes_of_artillery_that_is_left_alone(rule: Any, start: GameState) -> None:
    """Phase 4: Conduct Combat; ruling aana.aaa_last."""
    for way_out, domain in product((False, True), ("land", "sea")):
        made, of = guns(start, aaa_last=rule, can_retreat=way_out, domain=domain)
        for n, g in product(range(2), range(3)):
            alone = domain == "land" and g > 0 and n == 0
            assert aaa_alone(made, of(n, g)) == alone
            fate = aaa_fate(made, of(n, g))
            expected = {
                "": "",
                "ends": "stalemate",
                "at_once": "attacker",
                "refuge": "" if way_out else "attacker",
            }
            assert fate == (expected[rule] if alone else ""), (way_out, n, g)
            stands = [aaa_stands(made, of(n, g), round_no) for round_no in (1, 2, 3)]
            assert stands == [False, *[alone and rule == "refuge"] * 2]


def test_hit_and_run_units_leave_a_land_combat(start: GameState) -> None:
    scout = next(
        row.unit for row in figures(start).rows() if row.power == "uk" and "hit_and_run" in row.traits
    )
    kinds = (Kind(scout, "uk", "cairo"), Kind("infantry", "uk", "cairo"))
    for domain in ("land", "sea"):
        made = arena(start, kinds, (Kind("infantry", "germany"),), domain=domain)
        counts = tuple(3 if kind.unit == scout else 2 for kind in made.attackers)
        left, out = without_scouts(made, counts, (1, 1))
        if domain == "sea":
            assert (left, out) == (counts, (1, 1))
        else:
            assert left == tuple(0 if kind.unit == scout else 2 for kind in made.attackers)
            assert out == tuple(4 if kind.unit == scout else 1 for kind in made.attackers)
        assert moves_in(made, counts)
        assert not moves_in(
            made,
            tuple(n if kind.unit == scout else 0 for kind, n in zip(made.attackers, counts, strict=True)),
        )


def test_a_plan_breaks_off_at_its_borders() -> None:
    for rounds, cease, most, round_no, ours, theirs in product(
        (None, 2), (None, 3), (None, 4), (1, 2, 3), (2, 3, 4), (4, 5)
    ):
        plan = AttackPlan(rounds=rounds, cease_at_most=cease, press_at_most=most)
        wants = (
            (rounds is not None and round_no >= rounds)
            or (cease is not None and ours <= cease)
            or (most is not None and theirs > most)
        )
        assert wants_to_cease(plan, round_no, ours, theirs) == wants
        assert plan.may_end(round_no) == (
            (rounds is not None and round_no >= rounds) or cease is not None or most is not None
        )


@pytest.mark.parametrize("values", [{"values": "unofficial"}, {}])
def test_a_ship_may_join_where_it_stands_and_from_anywhere_while_no_borders_are_known(
    values: dict[str, str],
) -> None:
    table = Table(**values)
    table.jump("r2.uk.combat_move.declare")
    assert may_join(table.state, "uk.destroyer", "sz.1", "sz.1")
    assert may_join(table.state, "uk.destroyer", "sz.1", "sz.36")


def test_at_sea_nobody_pays_to_defend(start: GameState) -> None:
    ships = (Kind("destroyer", "uk"),)
    made = arena(start, (Kind("submarine", "germany"),), ships, domain="sea")
    assert not needs_supply(made, field(made, {}, {ships[0]: 2}).defenders)


def test_nothing_is_spent_for_nothing(start: GameState) -> None:
    assert [supply_spent(start, "tobruk", count) for count in (-1, 0)] == [None, None]
    assert supply_spent(start, "tobruk", 1) is not None


def test_room_to_advance_is_what_the_stacking_limit_leaves(start: GameState) -> None:
    """Land Combat, step 5: until the limit is reached, of those who are there already, whatever their kind."""
    kinds = (Kind("infantry", "uk", "sidi_barrani"),)
    fight = Fight(1, "tobruk", Rules(), kinds, (), (1,), (), (0,), (), (1,), ())
    table, limit = Table(), board(start).limit("tobruk")
    for there in (0, 3, limit, limit + 1):
        table.tell("tobruk", uk_infantry=there)
        assert advance_room(table.state, fight, "uk") == max(0, limit - there)


def test_the_sequence_of_play_knows_its_own_acts_alone() -> None:
    acts = {"convoys": "advance", "requisition": "buy", "combat_move": "declare", "combat": "resolve"}
    for phase, act in product(acts, acts.values()):
        assert is_act(phase, act) == (acts[phase] == act)


def test_who_retreats_and_who_pays_to_defend(start: GameState) -> None:
    """Declaration of Attacks; General Combat Sequence step 1: a token a round for all who need one; else they leave."""
    kinds = (Kind("infantry", "uk"), Kind("fighter", "uk"))
    made = arena(start, (Kind("infantry", "germany", "tripoli"),), kinds)
    for n, planes, tokens, since, few, apart in product(
        (0, 2), (0, 1), (UNLIMITED, 0, 1), (None, 2), (None, 2), (False, True)
    ):
        plan = DefencePlan(retreat_round=since, retreat_at_most=few, exempt_fight=apart)
        for round_no in (1, 2, 3):
            there = field(made, {}, {kinds[0]: n, kinds[1]: planes}, defence_supply=tokens, round_no=round_no)
            assert needs_supply(made, there.defenders) == (n > 0)
            leaves = (since is not None and round_no >= since) or (few is not None and n + planes <= few)
            given = orders(made, plan, there)
            if not leaves and (not n or tokens != 0):
                paid = 1 if n else 0
                left = tokens if tokens == UNLIMITED else tokens - paid
                assert given == (there.defenders, (0, 0), left, paid)
            else:
                stay = tuple(
                    c if apart and n and kind == kinds[1] else 0
                    for kind, c in zip(made.defenders, there.defenders, strict=True)
                )
                gone = tuple(c - s for c, s in zip(there.defenders, stay, strict=True))
                assert given == (stay, gone, tokens, 0)


def test_lone_vichy_survivors_give_up_when_they_hit_nothing(start: GameState) -> None:
    kinds = (Kind("infantry", "vichy"), Kind("infantry", "italy"))
    made = arena(start, (Kind("infantry", "us", "oran"),), kinds)
    for vichy, italy, hit in product(range(2), range(2), (False, True)):
        counts = field(made, {}, {kinds[0]: vichy, kinds[1]: italy}).defenders
        assert has_surrendered(made, counts, hit) == (vichy > 0 and not italy and not hit)


def test_how_a_combat_ends(start: GameState) -> None:
    made = arena(start, (Kind("infantry", "germany", "tripoli"),), (Kind("infantry", "uk"),), domain="sea")
    for ours, theirs, cargo in product(
        range(2), range(2), (Cargo(), Cargo((("uk", "infantry", 1),)), Cargo((), (("uk", 1),)))
    ):
        there = Field((ours,), (theirs,), (0,), (0,), cargo, Cargo(), (9,), 9, 1)
        how = ending(made, there, acts=lambda *_: True)
        if not theirs and not cargo.count:
            assert how == ("attacker" if ours else "both")
        else:
            assert how == (None if ours else "defender")
    there = Field((1,), (1,), (0,), (0,), Cargo(), Cargo(), (9,), 9, 1)
    for idle in (ATTACKER, DEFENDER):
        assert ending(made, there, acts=lambda _arena, role, *_, idle=idle: role != idle) == "stalemate"


def test_raids_are_one_by_scouts_and_one_by_bombers_on_land(start: GameState) -> None:
    rows = [row for row in figures(start).rows() if row.power == "uk"]
    raider = next(row.unit for row in rows if "raider" in row.traits)
    bomber = next(row.unit for row in rows if "collateral" in row.traits)
    kinds = (Kind(raider, "uk", "cairo"), Kind(bomber, "uk", "cairo"), Kind("infantry", "uk", "cairo"))
    for domain, n, m, others in product(("land", "sea"), range(3), range(3), range(2)):
        made = arena(start, kinds, (Kind("infantry", "germany"),), domain=domain)
        counts = field(made, dict(zip(kinds, (n, m, others), strict=True)), {}).attackers
        assert raids(made, counts) == (0 if domain == "sea" else (n > 0) + (m > 0))


def test_what_cannot_be_paid_for_turns_aside_the_least_useful_first(start: GameState) -> None:
    """Press or Cease the Attack: one token for five land units a territory; a landing that must be pressed pays what it can."""
    tank = next(row.unit for row in figures(start).rows() if row.power == "germany" and row.is_tank)
    foot, armour, far = (
        Kind("infantry", "germany", "tripoli"),
        Kind(tank, "germany", "tripoli"),
        Kind("infantry", "germany", "sirte"),
    )
    for must, tokens, n, m in product((False, True), (UNLIMITED, 0, 1, 2), (0, 3, 6), (0, 2, 7)):
        made = arena(start, (foot, armour, far), (Kind("infantry", "uk"),), must_press=must)
        pools = Pools((("sirte", 1), ("tripoli", 0)))
        there = field(made, {foot: n, armour: m, far: 1}, {made.defenders[0]: 2}, attack_supply=(tokens, 1))
        after = press(made, AttackPlan(), pools, there)
        assert after is not None, "one unit of the other territory goes on"
        cost = supply_cost(n + m)
        keep = n + m if must or tokens == UNLIMITED or tokens >= cost else min(n + m, tokens * 5)
        best = min(m, keep)
        left = dict(zip(made.attackers, after.attackers, strict=True))
        assert (left[armour], left[foot], left[far]) == (best, keep - best, 1), (must, tokens, n, m)
        aside = dict(zip(made.attackers, after.attackers_out, strict=True))
        assert (aside[armour], aside[foot]) == (m - best, n - (keep - best))
        spent = tokens if tokens == UNLIMITED else max(0, tokens - cost)
        assert after.attack_supply == (spent, 0)
        assert after.round_no == 2


def test_of_units_that_hit_alike_the_cheaper_turn_aside(start: GameState) -> None:
    foot, guns = Kind("infantry", "uk", "cairo"), Kind("anti_tank", "uk", "cairo")
    made = arena(start, (guns, foot), (Kind("infantry", "germany"),))
    there = field(made, {guns: 3, foot: 4}, {made.defenders[0]: 2}, attack_supply=(1,))
    after = press(made, AttackPlan(), Pools((("cairo", 0),)), there)
    assert after is not None
    assert dict(zip(made.attackers, after.attackers, strict=True)) == {guns: 3, foot: 2}


def test_sparing_a_unit_helps_where_somebody_moves_in(start: GameState) -> None:
    foot, plane = Kind("infantry", "germany", "tripoli"), Kind("fighter", "germany")
    made = arena(start, (foot, plane), (Kind("infantry", "uk"),))
    foe = made.defenders[0]
    pools, plan = Pools(), AttackPlan(air_alone=True)
    assert sparing(made, plan, pools, field(made, {foot: 1}, {})) == "helps"
    assert sparing(made, plan, pools, field(made, {}, {foe: 1})) == "in_vain"
    assert sparing(made, plan, pools, field(made, {foot: 1}, {foe: 1})) == "helps"
    assert sparing(made, plan, pools, field(made, {plane: 1}, {foe: 1})) == "in_vain"
    assert sparing(made, replace(plan, rounds=1), pools, field(made, {foot: 1}, {foe: 1})) == "ceases"


def test_a_capital_that_falls_in_combat_ends_the_game_at_once() -> None:
    table = Table(values="unofficial")
    table.tell("cairo", supply=1, uk_infantry=1)
    table.tell("mersa_matruh", supply=3, germany_tank=3)
    table.jump("r2.germany.combat_move.declare")
    fight = table.attack("cairo", AttackGroup("mersa_matruh", {"germany.tank": 3}))
    table.jump("r2.germany.combat.resolve")
    table.open(fight)
    table.orders()
    while table.fight.stage != "over":
        if table.fight.stage == "losses":
            table.lose()
        else:
            table.roll(*((1,) * dice for dice, _need in table.needs()))
    table.ok(Conclude(table.step))
    ending_ = table.state.ending
    assert ending_ is not None
    assert (ending_.winner, ending_.level) == ("axis", "instant total")


@pytest.mark.parametrize(("at", "stopped", "ran"), [(6_000, 7_000, 2_000), (9_000, 9_000, 4_000)])
def test_the_end_of_the_game_stops_the_clock_that_runs(
    at: int, stopped: int, ran: int, start: GameState
) -> None:
    clocks = replace(start.clocks, running=Side("axis"), since_ms=5_000, last_ms=7_000)
    stop, over = end_events(replace(start, clocks=clocks), "axis", "why", "draw", at)
    assert stop == ClockStopped(Side("axis"), stopped, ran, start.step.id)
    assert over == GameEnded(Side("axis"), "why", "draw", stopped)
    (alone,) = end_events(replace(start, clocks=replace(clocks, running=None)), None, "why", "draw", at)
    assert alone == GameEnded(None, "why", "draw", stopped)


def test_a_die_has_ten_faces() -> None:
    assert str(no_face(11)) == "A ten-sided die shows 1-10, not 11."


# -- losses and convoys ------------------------------------------------------------------------------------------


def test_losses_go_by_the_owners_order_then_value_then_cost_a_whole_battleship_first(
    start: GameState,
) -> None:
    kinds = tuple(Kind(unit, "uk") for unit in ("battleship", "destroyer", "submarine", "fighter"))
    made, _, _ = arena_of(figures(start), Rules(domain="sea"), kinds, kinds)
    for role, order in product((ATTACKER, DEFENDER), ((), ("fighter",), ("destroyer", "battleship"))):
        rows, own = made.rows(role), made.kinds(role)
        values = made.attack_values if role == ATTACKER else made.defence_values
        found = loss_order(made, role, LossPolicy(order))
        assert own[found[0]] == Kind("battleship", "uk"), "its first hit removes nothing"
        rest = [own[i] for i in found[1:]]
        named = [k for unit in order for k in own if k.unit == unit and k != own[found[0]]]
        assert rest[: len(named)] == named
        worth = [(values[i], rows[i].cost or 0) for i in found[1 + len(named) :]]
        assert worth == sorted(worth)


cargoes = st.builds(
    Cargo,
    st.lists(
        st.tuples(
            st.sampled_from(["uk", "us"]), st.sampled_from(["infantry", "tank", "fighter"]), st.integers(1, 3)
        ),
        max_size=4,
        unique_by=lambda row: row[:2],
    ).map(tuple),
    st.lists(
        st.tuples(st.sampled_from(["uk", "us"]), st.integers(1, 12)), max_size=2, unique_by=lambda row: row[0]
    ).map(tuple),
)
COSTS = {
    ("uk", "infantry"): 3,
    ("us", "infantry"): 3,
    ("uk", "tank"): 6,
    ("us", "tank"): 7,
    ("uk", "fighter"): 10,
}


def bays(cargo: Cargo) -> list[tuple[int, str, str]]:
    """Every bay's worth, dearest last; supply in bundles, the last one smaller; a cost nobody told is the dearest."""
    units = [(COSTS.get((p, u), 10), p, u) for p, u, n in cargo.units for _ in range(n)]
    return sorted(units)


@settings(max_examples=25)
@given(cargoes, st.integers(0, 4))
def test_transports_lose_and_save_bays_and_nothing_is_made_or_forgotten(cargo: Cargo, hits: int) -> None:
    """Transports: a hit sinks one, two bays: the owner gives the cheapest, the firer names the dearest."""
    tokens = sum(n for _, n in cargo.supply)
    assert cargo.tokens == tokens
    assert cargo.count == sum(n for _, _, n in cargo.units) + (tokens + 4) // 5
    assert cargo.transports == (cargo.count + 1) // 2
    left = cargo_after_hits(cargo, hits, COSTS)
    assert left.count == max(0, cargo.count - 2 * hits)
    assert in_bundles(cargo, left)
    lost = transports_hit(cargo, left)
    assert lost.tokens + left.tokens == tokens
    assert sorted([*bays(lost), *bays(left)]) == bays(cargo)
    assert transports_hit(cargo, left, lost).tokens == 2 * lost.tokens, "added to what was away before"
    for room in (1, 2):
        stays, away = escape(cargo, COSTS, bays=room)
        assert away.count <= room
        assert stays.count == max(0, cargo.count - room)
        assert away.tokens + stays.tokens == tokens
        assert sorted([*bays(away), *bays(stays)]) == bays(cargo)
        both = escape(stays, COSTS, away, room)[1]
        assert both.tokens + cargo_after(stays, room).tokens == tokens
        if not cargo.supply:
            assert [b[0] for b in bays(away)] == [b[0] for b in bays(cargo)[-room:]], "the dearest"


def cargo_after(cargo: Cargo, room: int) -> Cargo:
    return escape(cargo, COSTS, bays=room)[0]


def test_reinforcements_are_taken_from_what_there_is() -> None:
    cargo = Cargo((("uk", "infantry", 2), ("us", "tank", 1)), (("uk", 3),))
    for infantry, tanks, tokens in product(range(4), range(3), range(5)):
        left = less_cargo(cargo, {"uk.infantry": infantry, "us.tank": tanks, "uk.supply": tokens})
        if infantry > 2 or tanks > 1 or tokens > 3:
            assert isinstance(left, Rejected)
            continue
        units = (("uk", "infantry", 2 - infantry), ("us", "tank", 1 - tanks))
        supply = (("uk", 3 - tokens),) if tokens < 3 else ()
        assert left == Cargo(tuple(row for row in units if row[2]), supply)


@pytest.mark.parametrize("at_sea", [False, True])
def test_who_defends_on_land_and_at_sea(at_sea: bool, start: GameState) -> None:
    """Territories; Sea Zones; Trucks: ships at sea, land units ashore, aircraft in both, trucks nowhere."""
    for row in figures(start).rows():
        power = {"france": "vichy"}.get(row.power, row.power)
        fault = defender_fault(figures(start), f"{power}.{row.unit}", at_sea=at_sea)
        code = "" if fault is None else fault.code
        if row.type == "truck":
            assert code == "unknown_piece"
        else:
            wrong = (row.is_sea and not at_sea) or (row.type == "land" and at_sea)
            assert code == ("cannot_attack" if wrong else ""), row.unit
        assert row.is_sea == (row.type in ("surface", "submarine"))
        assert row.is_combat == (row.type != "truck")


def test_a_land_mine_lies_on_a_border_that_is_known_or_may_be_there() -> None:
    table = Table(values="unofficial")
    table.ok(EnterPrintedValue("space.oasis", "Oasis"))
    table.jump("r2.italy.requisition.buy")
    for toward, may in (("cairo", False), ("malta", False), ("oasis", True), ("sirte", True)):
        answer = lay_land_mine(table.state, LayLandMine(table.step, "tripoli", toward))
        assert isinstance(answer, Rejected) != may, (toward, answer)


def test_supply_leaves_in_bundles_of_five_or_all() -> None:
    for before, after in product(range(13), repeat=2):
        if after <= before:
            fits = (before - after) % 5 == 0 or after == 0
            assert in_bundles(Cargo((), (("uk", before),)), Cargo((), (("uk", after),))) == fits


def test_an_unknown_cost_counts_as_the_dearest() -> None:
    assert cargo_value(COSTS, "uk", "tank") == 6
    assert cargo_value(COSTS, "us", "fighter") == 10
    assert cargo_value({}, "us", "fighter") == 5
    assert cargo_value({("uk", "infantry"): 3}, "us", "fighter") == 5
