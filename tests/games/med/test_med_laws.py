"""Laws of the card game over all kinds, sides, elements and seats: the rulebook said a second time, shorter."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core.commands import EnterPrintedValue
from companion.core.events import StepEntered
from companion.core.ids import ARBITER, SYSTEM, TABLE, Side, StepId
from companion.core.rules import Code, Context, Rejected
from companion.core.secrecy import Happened
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import Card, card_fault, is_victim, plain, printed_key
from companion.games.med.rules.effects import EFFECTS
from companion.games.med.rules.engagement import (
    Barred,
    Engagement,
    Options,
    Play,
    Removed,
    bonus_faults,
    lies_face_up,
)
from companion.games.med.rules.flow import engagement_steps, game_of, round_of, seated_from
from companion.games.med.rules.game_rules import RULES, MedPart
from companion.games.med.rules.new_game import MedFamily
from companion.games.med.rules.outcome import (
    Destroyed,
    Fighter,
    Outcome,
    dice_needed,
    fighters,
    outcome,
    share_faults,
    sharers,
    spoils,
)
from companion.games.med.rules.plays import would_drop
from companion.games.med.rules.points import hand_of, operations_of, points_of, ranking, series_over
from companion.games.med.rules.secrets import SECRETS, _left
from companion.games.med.rules.slice import again_done, known_cards, seen_by
from companion.session.scenario_loader import make_setup
from tests.games.med.table import LOADED, Table, battle, bonus, convoy, force
from tests.games.med.test_med_play import STORMS

P1, P2, P3 = Side("p1"), Side("p2"), Side("p3")
ELEMENTS = ("air", "surface", "sub")


# -- whose act -------------------------------------------------------------------------------------------------


def test_only_whose_turn_it_is_plays_and_the_table_the_arbiter_and_the_box_may_for_him() -> None:
    table = Table(convoy(), force("A01"), *STORMS)
    turn = cm.TurnOver(table.state.step.id, "O01", ("air",))
    assert whose(table, turn) == {P1, TABLE, ARBITER, SYSTEM}
    table.turn_over("O01", "air")
    step = table.state.step.id
    for command in (cm.PlayHand(step, "allies", ("A01",)), cm.DiscardHand(step, "one"), cm.TakeTrick(step)):
        assert whose(table, command) == {P1, TABLE, ARBITER, SYSTEM}
    for command in (cm.LayStorm(step, P2, "S02"), cm.DropInvalid("A01")):
        assert whose(table, command) == {P1, P2, P3, TABLE, ARBITER, SYSTEM}
    assert refusal(table, cm.DiscardHand(StepId("elsewhere"), "one"), P1) == Code.STALE_STEP


def refusal(table: Table, command: Any, actor: Any) -> str:
    answer = RULES.decide(table.state, command, Context(actor))
    return str(answer.code) if isinstance(answer, Rejected) else ""


def whose(table: Table, command: Any) -> set[Any]:
    actors = (P1, P2, P3, TABLE, ARBITER, SYSTEM)
    return {actor for actor in actors if refusal(table, command, actor) != Code.NOT_YOUR_ACT}


# -- steps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("kind", ["convoy", "battle"])
@pytest.mark.parametrize("fast", [False, True])
def test_the_steps_of_an_engagement(players: int, kind: str, fast: bool) -> None:
    """Convoy; Battle; Rules for 2 Players: two rounds in a battle and with two players, face down in a battle's second."""
    order = tuple(Side(f"p{n}") for n in range(1, players + 1))
    options = Options(players=players, fast=fast)
    operation = battle() if kind == "battle" else convoy()
    fought = kind == "battle" and not fast
    rounds = 2 if fought or players == 2 else 1
    assert (options.is_battle(operation), options.rounds(operation)) == (fought, rounds)
    steps = engagement_steps(
        3, Engagement(7, operation.number, ("air",), order, replay=1), operation, options
    )
    acts = []
    for number in range(1, rounds + 1):
        acts += ["draw_cards"] * (number > 1)
        acts += ["play_hidden" if fought and number == 2 else "play"] * players + ["play_again"] * players
    acts += ["reveal"] * fought + ["trick", "refill"]
    assert [step.act for step in steps] == acts
    assert {step.id.split(".again1.")[0] for step in steps} == {"g3.e7"}
    assert {game_of(step) for step in steps} == {3}
    for step in steps:
        assert step.owners == (
            () if step.act in ("draw_cards", "reveal", "trick", "refill") else (step.clock,)
        )
        number = next((n for n in (1, 2) if f".r{n}." in step.id), 0)
        assert round_of(step) == number
    assert len({step.id for step in steps}) == len(steps)
    assert [step.owners[0] for step in steps if step.id.endswith("again")] == [*order] * rounds


def test_seats_wrap_around() -> None:
    for first in range(-3, 7):
        assert seated_from((P1, P2, P3), first) == tuple((P1, P2, P3)[(first + n) % 3] for n in range(3))


# -- values and who wins ---------------------------------------------------------------------------------------


def laid(
    *plays: tuple[Side, str, tuple[str, ...]], elements: tuple[str, ...] = ELEMENTS, **more: Any
) -> Engagement:
    made = tuple(Play(player, 1, side, cards) for player, side, cards in plays)
    return Engagement(1, "O01", elements, (P1, P2, P3), plays=made, **more)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(
    values=st.lists(st.tuples(*(st.integers(0, 6),) * 3), min_size=3, max_size=3),
    elements=st.sampled_from([*((e,) for e in ELEMENTS), ELEMENTS]),
    sides=st.lists(st.sampled_from(["allies", "axis"]), min_size=3, max_size=3),
)
def test_the_higher_total_of_what_is_fought_wins_and_its_highest_card_first_laid_takes_it(
    values: Any, elements: Any, sides: Any
) -> None:
    """Outcome of the Engagement; Winning the Trick; Tie; No Combat."""
    numbers = [f"{'A' if side == 'allies' else 'X'}0{n}" for n, side in enumerate(sides)]
    cards = {c.number: c for c in (convoy(), *(force(k, *v) for k, v in zip(numbers, values, strict=True)))}
    seats = (P1, P2, P3)
    plays = tuple((seats[n], sides[n], (numbers[n],)) for n in range(3))
    worth = [sum(v[ELEMENTS.index(e)] for e in elements) for v in values]
    won = outcome(laid(*plays, elements=elements), cards)
    total = {s: sum(w for w, of in zip(worth, sides, strict=True) if of == s) for s in ("allies", "axis")}
    assert won.totals == total
    if not any(worth):
        assert (won.kind, won.reason) == ("nobody", "no_value")
    elif total["allies"] == total["axis"]:
        assert (won.kind, won.reason) == ("tie", "equal_totals")
    else:
        side = max(total, key=lambda s: total[s])
        best = max((n for n in range(3) if sides[n] == side), key=lambda n: (worth[n], -n))
        assert (won.kind, won.side, won.player, won.card) == ("won", side, seats[best], numbers[best])
        losers = [numbers[n] for n in range(3) if sides[n] != side]
        assert list(spoils(laid(*plays, elements=elements), cards, won)) == losers


@pytest.mark.parametrize("operation", ["O01", "O32"])
@pytest.mark.parametrize("raise_all", [False, True])
@pytest.mark.parametrize("elements", [*((e,) for e in ELEMENTS), ELEMENTS])
def test_what_a_card_counts_with_bonus_bomb_alley_destiny_and_raised_air(
    operation: str, raise_all: bool, elements: tuple[str, ...]
) -> None:
    """Explanation of Significant Cards; Bomb alley; Victim of Destiny: a Bonus is not doubled, dice are."""
    raised = operation == "O32" and "air" in elements
    for air, bomb, doubled in product((0, 2, "?"), (False, True), (False, True)):
        cards = {
            card.number: card
            for card in (
                convoy(operation),
                force("A01", air, 3, 1, victim=operation if doubled else ""),
                bonus("A20", 1, 1, 0),
                Card("S06", "storm", effect="bomb_alley"),
            )
        }
        play = Play(
            P1, 1, "allies", ("A01", "A20", *(("S06",) if bomb else ())), bomb_alley_on="A01" if bomb else ""
        )
        dice = (4, 5) if bomb else (4,)
        rolled = {"A01:air": dice} if air == "?" else {}
        made = Engagement(1, operation, elements, (P1, P2), plays=(play,), rolls=rolled)  # type: ignore[arg-type]
        (found,) = fighters(made, cards, raise_all=raise_all)
        own_air = sum(dice) if air == "?" else int(air) * (2 if bomb else 1)
        values = {"air": own_air, "surface": 3, "sub": 1}
        lifts = {"air": raised and (raise_all or air != 0), "surface": False, "sub": False}
        own = sum(values[e] * (2 if doubled else 1) + lifts[e] for e in elements)
        plus = {"air": (2 if bomb else 1) + raised, "surface": 1, "sub": 0}
        assert found.own_value == own, (air, bomb, doubled)
        assert found.value == own + sum(plus[e] for e in elements), (air, bomb, doubled)
        missing = dice_needed(replace(made, rolls={}), cards)
        assert missing == ({"A01:air": len(dice)} if air == "?" and "air" in elements else {})
        assert dice_needed(made, cards) == {}


def test_a_lone_intelligence_card_loses_a_draw_where_the_table_rules_so() -> None:
    cards = {c.number: c for c in (convoy(), force("A01", 2, 0, 0), force("X01", 2, 0, 0))}
    cards |= {"A41": Card("A41", "special", effect="ultra"), "X41": Card("X41", "special", effect="b_dienst")}
    for ours, theirs, rules in product((False, True), repeat=3):
        plays = [(P1, "allies", ("A01",)), (P2, "axis", ("X01",))]
        plays += [(P3, "allies", ("A41",))] * ours + [(P3, "axis", ("X41",))] * theirs
        won = outcome(laid(*plays), cards, intelligence_loses=rules)
        if rules and ours != theirs:
            assert (won.kind, won.side, won.reason) == ("won", "axis" if ours else "allies", "intelligence")
        else:
            assert (won.kind, won.side, won.reason) == ("tie", "", "equal_totals")
        gone = (Removed("A41", "sirocco"), Removed("X41", "sirocco"))
        assert outcome(laid(*plays, removed=gone), cards, intelligence_loses=rules).kind == "tie"


def test_a_bonus_counts_for_the_highest_card_only_where_the_table_rules_so() -> None:
    cards = {
        c.number: c for c in (convoy(), force("A01", 2, 0, 0), bonus("A20", 2, 0, 0), force("A02", 3, 0, 0))
    }
    made = laid((P1, "allies", ("A01", "A20")), (P2, "allies", ("A02",)))
    assert outcome(made, cards).player == P1
    assert outcome(made, cards, bonus_counts=False).player == P2


def test_of_two_force_cards_a_bonus_supports_the_one_it_lies_on() -> None:
    cards = {
        c.number: c for c in (convoy(), force("A01", 1, 0, 0), force("A02", 1, 0, 0), bonus("A20", 2, 0, 0))
    }
    for on in ("A01", "A02"):
        play = Play(P1, 1, "allies", ("A01", "A02", "A20"), bonus_on={"A20": on}, admiral="two")
        found = fighters(Engagement(1, "O01", ("air",), (P1, P2), plays=(play,)), cards)
        assert {one.card: (one.bonuses, one.value) for one in found} == {
            "A01": (("A20",), 3) if on == "A01" else ((), 1),
            "A02": (("A20",), 3) if on == "A02" else ((), 1),
        }


def test_a_destiny_card_finds_its_victim_by_number_or_name() -> None:
    for target, hit in (
        ("X01", True),
        (" x01 ", True),
        ("Roma", True),
        ("ROMA", True),
        ("", False),
        ("X0", False),
    ):
        assert is_victim(force("A01", victim=target), force("X01", name=" Roma")) == hit
    assert not is_victim(force("A01"), force("X01")), "two cards without a name are no victims"


# -- sharing ---------------------------------------------------------------------------------------------------

PRIZES = ("O01", "X01", "X02")


def test_prizes_are_given_once_each_and_evenly_to_those_who_share() -> None:
    """Advanced Rules."""
    for hands in product(((), ("O01",), ("X01",), ("O01", "X01"), ("X01", "X02"), PRIZES), repeat=3):
        shares = dict(zip((P1, P2, P3), hands, strict=True))
        found = [str(fault) for fault in share_faults(shares, PRIZES, (P1, P2))]
        expected = []
        if sorted(c for hand in hands for c in hand) != sorted(PRIZES):
            expected.append("Give each prize to exactly one player.")
        if hands[2]:
            expected.append("p3 has no share in the prizes.")
        if abs(len(hands[0]) - len(hands[1])) > 1:
            expected.append("Nobody gets another prize until everyone has the same number.")
        assert found == expected, hands


def test_who_shares_counts_in_the_last_round_on_the_winning_side_unhit() -> None:
    cards = {c.number: c for c in (battle("O01"), *(force(f"A0{n}") for n in range(1, 4)))}
    for side, round_, value, hit in product(("allies", "axis"), (1, 2), (0, 1), ("", "destiny", "sirocco")):
        one = Fighter("A02", P2, side, round_, 1, value=value)
        best = Fighter("A01", P1, "allies", 2, 0, value=5)
        blown = (Destroyed("A02", "X05", P3, True),) if hit == "destiny" else ()
        won = Outcome("won", "allies", P1, "A01", fighters=(best, one), destroyed=blown)
        made = laid((P1, "allies", ("A01",)), (P2, "allies", ("A02",)))
        if hit == "sirocco":
            made = replace(made, barred=(Barred(P2, 1),))
        able = side == "allies" and round_ == 2 and value == 1 and not hit
        assert sharers(made, won, Options(players=3), cards) == ((P1, P2) if able else (P1,))


# -- cards -----------------------------------------------------------------------------------------------------


def test_a_bonus_lies_on_its_own_side_nation_and_type() -> None:
    """Bonus Cards."""
    for own, of, nation, flag, frame, kind, taken in product(
        ("A20", "X20", "X54", "A53"), ("A01", "X01"), ("", "italy"), ("", "italy", "germany"),
        ("all", "air"), ("all", "air", "sub"), ("allies", "axis"),
    ):  # fmt: skip
        card, target = bonus(own, nation=nation, frame=frame), force(of, nation=flag, frame=kind)
        expected = set()
        mine, theirs = ("allies" if own[0] == "A" else "axis"), ("allies" if of[0] == "A" else "axis")
        if own in ("X54", "A53"):
            if mine == theirs:
                expected.add("{card} goes on Force cards of one side only: {side}.")
        else:
            if mine != theirs:
                expected.add("{card} and {force} are of different sides.")
            if mine == "axis" and nation and flag and nation != flag:
                expected.add("{card} goes on cards of its own nation only: {nation}.")
        if frame == "air" and kind == "sub":
            expected.add("{card} and {force} are of different types: {type} and {other}.")
        if theirs != taken:
            expected.add("{card} does not belong to the side that was chosen: {side}.")
        found = [fault.template for fault in bonus_faults(card, target, taken)]
        assert set(found) == expected
        assert len(found) == len(expected)
    assert bonus_faults(bonus("A20", alone=True), None, "allies") == ()
    assert len(bonus_faults(bonus("A20"), None, "allies")) == 1


@pytest.mark.parametrize("effect", list(EFFECTS))
def test_storm_cards_lie_face_up_but_night_action(effect: str) -> None:
    kind = EFFECTS[effect].kind
    number = "S09" if kind == "storm" else "A49"
    assert lies_face_up(Card(number, kind, effect=effect)) == (kind == "storm" and effect != "night_action")
    assert not lies_face_up(force("A01"))


def test_what_a_card_may_say() -> None:
    """Game Components: kind by letter, values, years, points, and one year and a kind of an Operation."""
    kinds = {"A": {"force", "bonus", "supply", "special"}, "S": {"storm"}, "O": {"operation"}}
    kinds["X"] = kinds["A"]
    for letter, kind in product("AXSO", ("force", "bonus", "supply", "special", "storm", "operation")):
        points = 1 if kind in ("force", "operation") else 0
        value = {"number": f"{letter}01", "kind": kind, "victory_points": points}
        if kind == "operation":
            value |= {"years": [1941], "operation": "convoy"}
        assert (card_fault(f"{letter}01", value) is None) == (kind in kinds[letter]), (letter, kind)
    good = {"number": "A01", "kind": "force", "victory_points": 1}
    orders = {
        "number": "O01",
        "kind": "operation",
        "victory_points": 1,
        "years": [1941],
        "operation": "battle",
    }
    for base, change, may in (
        (good, {"values": [0, 6, "??"]}, True), (good, {"values": [0, 7, 0]}, False), (good, {"values": [-1, 0, 0]}, False),
        (good, {"years": [1940, 1943]}, True), (good, {"years": [1939]}, False), (good, {"years": [1941, 1944]}, False),
        (good, {"name": "x" * 32}, True), (good, {"name": "x" * 33}, False),
        (good, {"victim": "x" * 32}, True), (good, {"victim": "x" * 33}, False),
        *((good, {"victory_points": n}, 1 <= n <= 5) for n in range(-1, 9)),
        *((orders, {"victory_points": n}, 1 <= n <= 7) for n in range(-1, 9)),
        *((good, {"kind": "bonus", "victory_points": n}, 0 <= n <= 5) for n in range(-1, 9)),
        (orders, {"years": []}, False), (orders, {"years": [1941, 1942]}, False), (orders, {"operation": ""}, False),
        (good, {"number": "A02"}, False),
    ):  # fmt: skip
        assert (card_fault(str(base["number"]), {**base, **change}) is None) == may, change
    for number, may in (("A01", True), ("A1", False), ("B01", False), ("A011", False), ("a01", False)):
        assert (card_fault(number, {**good, "number": number}) is None) == may


# -- points ----------------------------------------------------------------------------------------------------


def test_hands_grow_with_full_freighters_and_pairs_of_half_ones() -> None:
    for full, half in product(range(5), repeat=2):
        lines = ["full"] * full + ["half"] * half + ["none", ""]
        assert hand_of(lines, Options()) == min(9, 6 + full + half // 2)


def test_a_pile_counts_its_operations_and_all_its_points() -> None:
    cards = {c.number: c for c in (convoy("O01"), convoy("O02"), force("X01", victory_points=5))}
    pile = tuple(cm.Trophy(number, 1, "spoil") for number in ("O01", "X01", "O02", "X99"))
    assert [operations_of(pile[:n], cards) for n in range(5)] == [0, 1, 1, 2, 2]
    assert [points_of(pile[:n], cards) for n in range(5)] == [0, 3, 8, 11, 11]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=5))
def test_players_stand_by_points_then_operations_and_share_a_place(given_: list[tuple[int, int]]) -> None:
    players = {Side(f"p{n}"): one for n, one in enumerate(given_)}
    found = ranking({p: one[0] for p, one in players.items()}, {p: one[1] for p, one in players.items()})
    for standing in found:
        assert (standing.points, standing.operations) == players[standing.player]
        assert standing.place == 1 + sum(other > players[standing.player] for other in given_)
    assert [s.place for s in found] == sorted(s.place for s in found)


def test_a_series_ends_at_its_points_or_after_its_games() -> None:
    for most, games in product((99, 100, 101), (1, 2, 3)):
        points = {P1: most, P2: 5}
        assert series_over(points, games, 100, 2) == (most >= 100)
        assert series_over(points, games, 0, 2) == (games >= 2)


@pytest.mark.parametrize("won", range(4))
def test_by_totals_nobody_counts_fewer_points_than_operations(won: int) -> None:
    table = Table(keep="totals", operations=4)
    for n in range(4):
        mine = n < won
        table.do(cm.NoteOperation(table.state.step.id, "won" if mine else "nobody", P1 if mine else None))
        table.next()
    for points in range(5):
        answer = refusal(table, cm.CountPoints(table.state.step.id, {P1: points, P2: 0, P3: 0}), TABLE)
        assert (answer == "") == (points >= won)


# -- what waits, and what is asked before it is taken back ----------------------------------------------------------


def test_no_die_is_rolled_before_a_storm_has_done_its_work() -> None:
    table = Table(convoy(), force("A01", "?", 0, 0), force("X01", 0, 0, 0), force("X02", 0, 0, 0), *STORMS)
    table.turn_over("O01", "air")
    table.play("allies", "A01", "S03")
    table.play("axis", "X01")
    table.play("axis", "X02")
    assert table.refusal(cm.RollDice(table.state.step.id, "A01", "air", (3,))).code == "storm_waits"
    table.do(cm.UseEffect(table.state.step.id, "explosion", (1, 2), card="X02"))
    table.do(cm.RollDice(table.state.step.id, "A01", "air", (3,)))


@pytest.mark.parametrize("ruling", ["yes", "no"])
def test_what_an_explosion_destroys_goes_to_a_pile_as_the_table_rules(ruling: str) -> None:
    cards = (force("A01", 0, 3, 0), force("X01", 0, 2, 0), force("X02", 0, 1, 0))
    table = Table(convoy(), *cards, *STORMS, rulings={"explosion_prize": ruling})
    table.turn_over("O01", "surface")
    table.play("allies", "A01")
    table.play("axis", "X01", "S03")
    table.play("axis", "X02")
    table.do(cm.UseEffect(table.state.step.id, "explosion", (1, 2), card="A01"))
    table.decide()
    everywhere = [trophy.card for pile in table.own.piles.values() for trophy in pile]
    assert ("A01" in everywhere) == (ruling == "yes")


def test_a_card_that_lies_open_is_not_laid_face_down() -> None:
    table = Table(battle(), *(force(number) for number in ("A01", "A02", "X03", "A04")))
    table.turn_over("O02")
    table.play("allies", "A01")
    table.play("allies", "A02")
    table.play("axis", "X03")
    table.to("play_hidden")
    for number in ("A01", "X03"):
        assert "is already on the table" in str(table.refused("allies", number).detail)
    table.lay("allies", "A04")


def test_only_dice_and_tricks_ask_before_they_are_taken_back() -> None:
    rolled = cm.EffectUsed("sirocco", P1, dice=(3,))
    asks = (cm.DiceRolled("A01:air", (3,)), rolled, cm.EngagementDecided("tie"))
    plain = (
        cm.EffectUsed("lost", P1),
        cm.PlayMade(Play(P1, 1, "allies", ("A01",))),
        StepEntered(StepId("x"), 0),
    )
    assert [RULES.is_irreversible(event) for event in (*asks, *plain)] == [True] * 3 + [False] * 3


def test_an_operation_is_turned_over_once_an_engagement_in_the_second_game_too() -> None:
    table = Table(*(convoy(f"O0{n}") for n in range(1, 5)), operations=1, series=2)
    for first in ("O01", "O02"):
        table.do(cm.TurnOver(table.state.step.id, first, ("air",)))
        assert table.refusal(cm.TurnOver(table.state.step.id, "O03", ("air",))).code == "already_open"
        if first == "O01":
            table.next()
            for _player in range(3):
                table.discard()
            table.decide()
            table.to("operation")
            assert table.state.step.id == "g2.e1.turn"


def test_a_checklist_line_that_is_missing_is_named() -> None:
    game = LOADED.data.tables["game"]
    for name in ("play.choose", "resolve.trick", "hand.refill", "count.points", "setup.deal"):
        fewer = replace(game, checks=tuple(item for item in game.checks if item.id != name))
        faults = list(MedFamily().check(replace(LOADED.data, tables={"game": fewer})))
        assert [(fault.key, str(fault.expected)) for fault in faults] == [("checks", f"a line {name}")]
    assert (
        list(MedFamily().check(LOADED.data)) == list(MedFamily().check(replace(LOADED.data, tables={}))) == []
    )


def test_new_game_offers_what_the_rulebook_names_and_each_offer_can_be_played() -> None:
    info = MedFamily().info(LOADED.data, "match")
    offered = info.options
    assert (info.players, info.names_players) == ((2, 6), True)
    assert (offered["players"], offered["dealer"]) == ((4, 2, 3, 5, 6), (1, 2, 3, 4, 5, 6))
    assert (offered["series"], offered["clock"]) == (
        ("single", "points", 2, 3, 5),
        ("none", "count_up", 15, 20, 30),
    )
    for name, choices in offered.items():
        for choice in choices:
            plain = {"players": 6, **({"series": "points"} if name == "goal" else {})}
            assert make_setup(MedFamily(), LOADED, "match", {**plain, name: choice}).options["players"], (
                name,
                choice,
            )


def test_one_allowance_of_time_lasts_the_whole_evening() -> None:
    clock = make_setup(MedFamily(), LOADED, "match", {"players": 3, "clock": 40}).clock
    assert (clock.mode, clock.stages) == ("limit", (1,))
    assert clock.allotted_ms == dict.fromkeys((P1, P2, P3), (40 * 60000,))


@pytest.mark.parametrize("gone", ["A43", "S07", "A01"])
def test_a_raid_and_a_ban_of_submarines_end_with_their_card(gone: str) -> None:
    table = Table(convoy())
    made = laid(
        (P1, "allies", ("A01", "A43", "S07")),
        only_side="allies", only_round=2, only_card="A43", sub_ban_round=2, sub_ban_card="S07",
    )  # fmt: skip
    own = replace(table.own, engagement=made)
    event = cm.EffectUsed("sirocco", P2, removed=(Removed(gone, "sirocco", P2, "S01"),))
    after = MedPart().evolve(own, event, table.state).engagement
    assert after is not None
    raid, ban = (
        ("", 0, "") if gone == "A43" else ("allies", 2, "A43"),
        (0, "") if gone == "S07" else (2, "S07"),
    )
    assert (after.only_side, after.only_round, after.only_card) == raid
    assert (after.sub_ban_round, after.sub_ban_card) == ban
    assert (after.lying(), after.used) == (tuple(n for n in ("A01", "A43", "S07") if n != gone), ("sirocco",))


def test_a_second_play_is_done_once_it_was_made_or_declined_by_its_player() -> None:
    made = laid((P1, "allies", ("A01",)))
    again = Play(P1, 2, "allies", ("A02",), again=True)
    for player, round_ in product((P1, P2), (1, 2)):
        assert not again_done(made, player, round_)
        assert again_done(replace(made, plays=(again,)), player, round_) == (player == P1 and round_ == 2)
        for why, by in product(("declined", "lost"), (P1, P2)):
            gone = replace(made, removed=(Removed("A01", why, by),))  # type: ignore[arg-type]
            assert again_done(gone, player, round_) == (why == "declined" and by == player)


def test_nothing_drops_out_where_nothing_is_fought_or_all_is_allowed() -> None:
    table = Table(convoy(), force("A01"), force("A02"))
    play = Play(P1, 1, "allies", ("A01",))
    assert would_drop(table.state, play) == ()
    table.turn_over("O01", "air")
    assert would_drop(table.state, play) == ()
    assert would_drop(table.state, replace(play, cards=("A01", "A02"))) == ("A02",), (
        "one Force card is allowed"
    )


# -- secrets ---------------------------------------------------------------------------------------------------


def test_a_sharing_shows_its_operation_and_how_many_lie_beneath_to_all_but_who_got_them() -> None:
    pile = next(secret for secret in SECRETS.held if secret.key == "pile")
    assert pile.cover is not None
    own = (cm.Trophy("O01", 1, "trick"), cm.Trophy("X01", 1, "spoil"))
    decided = cm.EngagementDecided("won", trophies={P1: own, P2: own})
    command = cm.TakeTrick(StepId("x"), shares={P1: ("O01", "X01")})
    shown = pile.cover(Happened(command, (decided,)), Table(convoy()).state, frozenset({P2}))
    assert shown.command == replace(command, shares={})
    (event,) = shown.events
    assert event.trophies == {P1: (own[0], cm.Trophy("", 1, "spoil")), P2: own}  # type: ignore[attr-defined]
    other = cm.DiscardHand(StepId("x"), "one")
    assert pile.cover(Happened(other, ()), Table(convoy()).state, frozenset()) == Happened(other, ())


def test_what_lies_face_down_is_seen_by_its_player_alone() -> None:
    """Battle: Storm cards lie face up, all else is known to who laid it, until the cards are turned over."""
    table = Table(battle(), *(force(number) for number in ("A01", "A02", "X03", "A04")), *STORMS)
    table.turn_over("O02")
    table.play("allies", "A01")
    table.play("allies", "A02")
    table.play("axis", "X03")
    open_ = table.own.engagement
    assert open_ is not None
    assert seen_by(table.state, open_, P2) == seen_by(table.state, open_) == open_, (
        "the first round lies open"
    )
    table.to("play_hidden")
    table.lay("allies", "A04", "S02")
    there = table.own.engagement
    assert there is not None
    there = replace(there, removed=(Removed("A04", "invalid"), Removed("A01", "lost")))
    assert seen_by(table.state, there, P1) == there
    for eyes in (P2, None):
        seen = seen_by(table.state, there, eyes)
        assert [play.cards for play in seen.plays] == [("A01",), ("A02",), ("X03",), ("S02",)]
        assert seen.plays[-1].side == "allies"
        assert [one.card for one in seen.removed] == ["A01"], "what left a hidden play is not told"


def test_a_play_in_the_log_shows_its_storms_and_the_rest_to_who_laid_it() -> None:
    table = Table(battle(), *(force(number) for number in ("A01", "A02", "X03", "A04")), *STORMS)
    table.turn_over("O02")
    table.play("allies", "A01")
    table.play("allies", "A02")
    table.play("axis", "X03")
    table.to("play_hidden")
    cover = next(secret for secret in SECRETS.held if secret.key == "face_down").cover
    assert cover is not None
    command = cm.PlayHand(table.state.step.id, "allies", ("A04", "S02"))
    made = cm.PlayMade(Play(P1, 2, "allies", ("A04", "S02")))
    act = Happened(command, (made,))
    assert cover(act, table.state, frozenset({P1})) == act
    shown = cover(act, table.state, frozenset({P2, P3}))
    assert (shown.command.cards, shown.command.side) == (("S02",), "")  # type: ignore[attr-defined]
    assert [event.play.cards for event in shown.events] == [("S02",)]  # type: ignore[attr-defined]
    table.lay("allies", "A04", "S02")
    used = cm.UseEffect(table.state.step.id, "lost")
    out = (Removed("A01", "lost"), Removed("A04", "lost"))
    for eyes, left in (({P1}, out), ({P2, P3}, out[:1])):
        happened = cover(
            Happened(used, (cm.EffectUsed("lost", P2, removed=out),)), table.state, frozenset(eyes)
        )
        assert [event.removed for event in happened.events] == [left]  # type: ignore[attr-defined]
    for effect, removed in (("lost", out[:1]), ("lost", ()), ("invalid", out[:1])):
        whose = P1 if effect == "invalid" else P2
        open_ = Happened(
            used, (cm.EffectUsed(effect, whose, removed=removed), cm.DiceRolled("A01:air", (3,)))
        )  # type: ignore[arg-type]
        assert cover(open_, table.state, frozenset()) == open_, "what lay open is told whole"
    dropped = Happened(used, (cm.EffectUsed("invalid", P1, removed=out[1:]),))
    assert cover(dropped, table.state, frozenset({P1})) == dropped
    assert cover(dropped, table.state, frozenset({P2})).events == (), "what dropped out lay hidden"
    silent = Happened(used, (cm.EffectUsed("lost", P1, removed=out[1:]),))
    assert [e.removed for e in cover(silent, table.state, frozenset({P2})).events] == [()]  # type: ignore[attr-defined]
    apart = Happened(
        cm.LayStorm(table.state.step.id, P2, "S06"), (cm.PlayMade(Play(P2, 2, "", ("S06",), apart=True)),)
    )
    assert cover(apart, table.state, frozenset()) == apart


def test_a_lost_that_a_sirocco_cancelled_counts_again_once_that_sirocco_is_invalid() -> None:
    plays = (
        Play(P1, 1, "allies", ("A01",)),
        Play(P2, 1, "axis", ("S04",)),
        Play(Side("p3"), 1, "axis", ("S01",)),
    )
    lost, cancelled = Removed("A01", "lost", P2, "S04", P1), Removed("S04", "sirocco", Side("p3"), "S01", P2)
    dropped = Removed("S01", "invalid", of=Side("p3"))
    engagement = Engagement(1, "O01", ("air",), (P1, P2, Side("p3")), plays=plays)

    def lies(*removed: Removed) -> bool:
        return not replace(engagement, removed=removed).is_removed("A01", P1)

    assert [lies(), lies(lost), lies(lost, cancelled), lies(lost, cancelled, dropped)] == [
        True,
        False,
        True,
        False,
    ]


def test_what_an_effect_takes_of_a_card_that_two_hold_says_nothing_of_the_other() -> None:
    """Whoever laid one of the two sees his own lie there: that another's was taken out must not tell him of it."""
    own, other = Play(Side("p3"), 2, "axis", ("X17",)), Play(Side("p1"), 2, "axis", ())
    gone = Removed("X17", "sirocco", Side("p1"), "S01")

    def left(effect: str, by: str, barred: str = "", *removed: Removed) -> tuple[Removed, ...]:
        who = Barred(Side(barred), 2) if barred else None
        return _left(cm.EffectUsed(effect, Side(by), removed=removed or (gone,), barred=who), [own, other])

    assert left("sirocco", "p1", "p1") == left("invalid", "p1") == ()
    assert left("sirocco", "p1", "p3") == left("invalid", "p3") == (gone,)
    assert left("shallows", "p2", "", gone, gone) == left("shallows", "p2", "", gone) == (gone,)


@pytest.mark.parametrize(
    ("key", "ends"), [("face_down", {"reveal", "resolve", "refill"}), ("pile", {"count"})]
)
def test_steps_that_open_what_was_hidden(key: str, ends: set[str]) -> None:
    secret = next(one for one in SECRETS.held if one.key == key)
    assert secret.opens is not None
    for name in ("reveal", "resolve", "refill", "count", "turn", "r2.p1", "draw2"):
        assert secret.opens(StepEntered(StepId(f"g1.e2.{name}"), 0)) == (name in ends)
    assert secret.opens(cm.SeriesContinued({}, {}))


def test_cards_are_read_once_and_anew_when_one_is_entered() -> None:
    """Every rule and every name asks for them; reading all of them took most of an evening's time."""
    table = Table(battle(), force("A01"), players=3)
    cards = known_cards(table.state)
    assert known_cards(table.state) is cards
    table.do(EnterPrintedValue(printed_key("A02"), plain(force("A02"))))
    assert {*known_cards(table.state)} == {*cards, "A02"}
    assert known_cards(table.state)["A02"] == force("A02")
