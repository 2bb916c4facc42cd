"""Standings against tables worked out by hand; every figure says the sum that it comes from."""

from __future__ import annotations

from hall_table import tournament

from companion.hall.happenings import Entered, Paired, Pairing, Player, ResultTaken, Rules, ScoreTable
from companion.hall.outcome import Result
from companion.hall.record import happen
from companion.hall.standings import points_text, scores, standings


def crosstable(rules: Rules):
    """Four players, three rounds: A1 beats all, A2 beats A3 and A4, A3 draws A4."""
    now = tournament(4, rules)
    for number, tables in enumerate((((1, 4), (2, 3)), ((1, 3), (2, 4)), ((1, 2), (3, 4))), 1):
        pairings = tuple(Pairing(t, *pair) for t, pair in enumerate(tables, 1))
        now = happen(now, Paired(number, "swiss", pairings))
        for table, pair in enumerate(tables, 1):
            winner = None if pair == (3, 4) else pair[0]
            vp = (5, 5) if winner is None else (10, 4)
            now = happen(now, ResultTaken(number, table, Result(winner, vp=vp, left_s=(60, 30))))
    return now


def by_name(rules: Rules) -> dict[str, tuple]:
    return {row.player.name: (row.rank, row.units, row.figures) for row in standings(crosstable(rules))}


def test_scores_and_tie_breaks_of_a_crosstable_worked_out_by_hand() -> None:
    """In halves: A1 6, A2 4, A3 and A4 1 each.

    Buchholz of A1: 1 + 1 + 4 = 6; A2: 1 + 1 + 6 = 8; A3: 4 + 6 + 1 = 11; A4: 6 + 4 + 1 = 11.
    Sonneborn-Berger (opponents' halves times own points): A1 6; A2 1 + 1 = 2; A3 and A4 half of 1.
    """
    found = by_name(
        Rules(tie_breaks=("buchholz", "sonneborn_berger", "median", "wins", "vp", "vp_difference"))
    )
    assert found["A1"] == (1, 6, (6, 6, 1, 3, 30, 18))
    assert found["A2"] == (2, 4, (8, 2, 1, 2, 24, 6))
    assert found["A3"] == (3, 1, (11, 0.5, 4, 0, 13, -12))
    assert found["A4"] == (3, 1, (11, 0.5, 4, 0, 13, -12)), "equal in everything shares a rank"


def test_each_figure_says_its_sum() -> None:
    row = standings(crosstable(Rules(tie_breaks=("buchholz", "vp", "time_left"))))[0]
    assert row.sums == ("1 + 1 + 1", "½ + ½ + 2", "10 + 10 + 10", "1:00 + 1:00 + 1:00")


def test_head_to_head_counts_only_where_all_tied_have_met() -> None:
    rules = Rules(tie_breaks=("head_to_head",))
    now = tournament(3, rules)
    now = happen(now, Paired(1, "swiss", (Pairing(1, 1, 2), Pairing(2, 3))))
    now = happen(now, ResultTaken(1, 1, Result(1)))
    assert [row.rank for row in standings(now)] == [1, 1, 3]
    now = happen(now, Paired(2, "swiss", (Pairing(1, 2, 3), Pairing(2, 1))))
    now = happen(now, ResultTaken(2, 1, Result(2)))
    rows = {row.player.name: row for row in standings(now)}
    assert (rows["A2"].rank, rows["A3"].rank) == (2, 3), "both have a point, and A2 won their game"
    assert rows["A2"].sums[1] == "1"


def test_an_unplayed_round_counts_as_an_opponent_with_the_own_score() -> None:
    now = tournament(3, Rules(tie_breaks=("buchholz",)))
    now = happen(now, Paired(1, "swiss", (Pairing(1, 1, 2), Pairing(2, 3))))
    now = happen(now, ResultTaken(1, 1, Result(1, "forfeit")))
    rows = {row.player.name: row.figures for row in standings(now)}
    assert rows == {"A1": (2,), "A2": (0,), "A3": (2,)}


def test_points_may_come_from_the_difference_of_victory_points() -> None:
    table = ScoreTable(unit=1, win=10, draw=5, loss=0, by_difference=((1, 11, 9), (5, 15, 5), (10, 20, 0)))
    now = tournament(2, Rules(score=table))
    for number, (vp, expected) in enumerate((((12, 10), (11, 9)), ((8, 3), (15, 5)), ((3, 20), (0, 20))), 1):
        now = happen(now, Paired(number, "robin", (Pairing(1, 1, 2),)))
        now = happen(now, ResultTaken(number, 1, Result(1 if vp[0] > vp[1] else 2, vp=vp)))
        before = scores(now, number - 1)
        after = scores(now)
        assert (after[1] - before[1], after[2] - before[2]) == expected


def test_standings_as_of_a_round_leave_out_what_came_later() -> None:
    now = crosstable(Rules())
    assert [row.units for row in standings(now, 1)] == [2, 2, 0, 0]
    assert [row.units for row in standings(now, 0)] == [0, 0, 0, 0]


def test_lots_can_be_drawn_again_from_the_seed() -> None:
    now = tournament(8, Rules(tie_breaks=("lot",)), "seed")
    again = happen(tournament(8, Rules(tie_breaks=("lot",)), "seed"), Entered(Player(9, "Z")))
    order = [row.player.id for row in standings(now)]
    assert [row.player.id for row in standings(again) if row.player.id != 9] == order


def test_points_are_written_in_halves() -> None:
    assert [points_text(units, 2) for units in (0, 1, 2, 5)] == ["0", "½", "1", "2½"]
