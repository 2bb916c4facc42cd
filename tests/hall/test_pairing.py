"""Pairing: no rematch, no second bye, the best of all matchings, brackets and tables of everybody."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hall_table import played, tournament, with_results

from companion.hall import pairing as pa
from companion.hall.errors import PairingError
from companion.hall.happenings import Cut, Entered, Forbidden, Player, Rules, Withdrawn
from companion.hall.outcome import Result
from companion.hall.pairing import next_round
from companion.hall.record import Tournament, happen
from companion.hall.standings import games_of


def check(now: Tournament) -> None:
    """Everybody sits once in a round, meets nobody twice, and has one bye at most."""
    for one in now.rounds:
        seats = [p for t in one.tables for p in (t.first, t.second) if p is not None]
        assert len(seats) == len(set(seats))
    for games in games_of(now).values():
        met = [game.opponent for game in games if game.opponent is not None]
        assert len(met) == len(set(met))
        assert sum(game.opponent is None for game in games) <= 1


def test_random_tournaments_have_no_rematch_and_no_second_bye() -> None:
    for seed in range(40):
        check(played(seed))


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 10_000, 1_000))
def test_ten_thousand_tournaments_have_no_rematch_and_no_second_bye(first: int) -> None:
    for seed in range(first, first + 1_000):
        check(played(seed))


def matchings(players: list[int]) -> Iterator[list[tuple[int, int | None]]]:
    """Yield every way to pair players; of an odd number one has a bye."""
    if not players:
        yield []
        return
    first, rest = players[0], players[1:]
    if len(players) % 2:
        for bye in players:
            others = [p for p in players if p != bye]
            for found in matchings(others):
                yield [*found, (bye, None)]
        return
    for other in rest:
        for found in matchings([p for p in rest if p != other]):
            yield [(first, other), *found]


@pytest.mark.parametrize("seed", range(30))
def test_no_other_pairing_is_better_by_the_first_rule_that_tells_them_apart(seed: int) -> None:
    """Against every possible matching, rule by rule, as no single weight could show."""
    now = played(seed)
    if len(now.active) > 9:
        keep = sorted(player.id for player in now.active)[:9]
        for player in now.active:
            if player.id not in keep:
                now = happen(now, Withdrawn(player.id))
    swiss = pa._Swiss(now)

    def cost(found: list[tuple[int, int | None]]) -> tuple[int, ...]:
        each = [swiss.bye_costs(one) if other is None else swiss.costs(one, other) for one, other in found]
        return tuple(map(sum, zip(*each, strict=True)))

    ids = [player.id for player in swiss.players]
    allowed = [
        found
        for found in matchings(ids)
        if all(other is None or swiss.is_allowed(one, other) for one, other in found)
    ]
    if not allowed:
        with pytest.raises(PairingError, match="cannot be paired without a rematch"):
            next_round(now)
        return
    made = [(p.first, p.second) for p in next_round(now).tables]
    assert cost(made) == min(map(cost, allowed))


def test_forbidden_pairs_are_never_made_and_clubs_avoid_each_other() -> None:
    now = tournament(0)
    for n, club in enumerate("xxyyzz", 1):
        now = happen(now, Entered(Player(n, f"A{n}", club)))
    now = happen(now, Forbidden(1, 3))
    now = happen(now, Forbidden(1, 4))
    tables = next_round(now).tables
    assert {5, 6} & {p.second if p.first == 1 else p.first for p in tables if 1 in (p.first, p.second)}
    for pairing in tables:
        assert pairing.second is not None
        assert now.players[pairing.first].club != now.players[pairing.second].club


def test_a_round_that_cannot_be_paired_says_so_before_anybody_sits_twice() -> None:
    now = tournament(3)
    for _ in range(3):
        now = happen(now, next_round(now))
        now = with_results(now, (1, Result(now.rounds[-1].tables[0].first)))
    with pytest.raises(PairingError, match="round 4 cannot be paired without a rematch"):
        next_round(now)


def test_everybody_has_had_a_bye_before_anybody_has_a_second() -> None:
    now = tournament(5)
    for _ in range(5):
        now = happen(now, next_round(now))
        tables = now.rounds[-1].tables
        now = with_results(now, *((p.table, Result(p.first)) for p in tables if p.second is not None))
    assert all(sum(g.opponent is None for g in games) == 1 for games in games_of(now).values())


def test_the_same_seed_pairs_the_same_and_another_one_differently() -> None:
    rules = Rules(order="random")
    first = [next_round(tournament(12, rules, seed)).tables for seed in ("a", "a", "b")]
    assert first[0] == first[1] != first[2]


def test_a_round_waits_for_every_result_of_the_one_before() -> None:
    now = tournament(4)
    now = happen(now, next_round(now))
    with pytest.raises(PairingError, match="round 1 still lacks the result of table 1, 2"):
        next_round(now)


@pytest.mark.parametrize("size", range(2, 12))
def test_in_a_round_robin_everybody_meets_everybody_once(size: int) -> None:
    now = tournament(size)
    for _ in range(size - 1 + size % 2):
        now = happen(now, next_round(now, "robin"))
        tables = now.rounds[-1].tables
        now = with_results(now, *((p.table, Result(p.first)) for p in tables if p.second is not None))
    met = [frozenset((p.first, p.second)) for one in now.rounds for p in one.tables if p.second is not None]
    assert len(met) == len(set(met)) == size * (size - 1) // 2
    for games in games_of(now).values():
        sides = [game.side for game in games if game.side is not None]
        assert abs(sides.count(0) - sides.count(1)) <= 1
    with pytest.raises(PairingError, match="everybody against everybody"):
        next_round(now, "robin")


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 8, 11, 16])
def test_in_a_knock_out_the_best_two_can_meet_only_in_the_final(size: int) -> None:
    now = tournament(0)
    for n in range(1, size + 1):
        now = happen(now, Entered(Player(n, f"A{n}", rating=100 - n)))
    now = happen(now, Cut(tuple(range(1, size + 1))))
    while True:
        now = happen(now, next_round(now))
        tables = now.rounds[-1].tables
        if len(tables) == 1:
            assert {tables[0].first, tables[0].second} == {1, 2}
            break
        byes = {p.first for p in tables if p.second is None}
        # The best ones wait in the first round; from then on everybody plays.
        assert byes == (set(range(1, len(byes) + 1)) if len(now.rounds) == 1 else set())
        better = ((p.table, Result(min(p.first, p.second))) for p in tables if p.second is not None)
        now = with_results(now, *better)
    now = with_results(now, (1, Result(1)))
    with pytest.raises(PairingError, match="the final has been played"):
        next_round(now)


def test_two_hundred_players_stay_far_below_what_is_exact() -> None:
    now = tournament(200)
    paired = next_round(now)
    assert len(paired.tables) == 100


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rustworkx", None)
    with pytest.raises(PairingError, match=r"table-companion\[hall\]"):
        next_round(tournament(4))


def test_brackets_hold_every_seed_once() -> None:
    for size in (2, 4, 8, 16, 32):
        line = pa._bracket(size)
        assert sorted(line) == list(range(size))
        assert all(one + other == size - 1 for one, other in zip(line[::2], line[1::2], strict=True))
