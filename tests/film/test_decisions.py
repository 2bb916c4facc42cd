"""The decisions that cost most: each is judged against every legal one, and the best there was costs nothing."""

from __future__ import annotations

import random
from functools import cache

import pytest
from evenings import change_of, sfw96, tsu

from companion.core.ids import Side
from companion.games.sfw.odds.coach import BestPlay, options
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.pages.battle_roll import roll_command
from companion.games.sfw.pages.decisions import Decision, _decisions, costly
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import other_side
from companion.games.sfw.rules.battle_losses import LossTable
from companion.games.sfw.rules.battle_progress import open_losses
from companion.games.sfw.rules.battle_state import battles_of, fight_of
from companion.pages.film.draft import FilmDraft
from companion.pages.film.fold import film_of, folded
from companion.pages.film.page import film_page
from companion.pages.page import TABLE_VIEWER, Draft, Shown, Sight
from companion.pages.report import report_html
from companion.pages.report_parts import ReportSource
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sfw_evenings import SfwGame


@cache
def careless(seed: int) -> MemoryDesk:
    """Fight a battle of many kinds in which both sides lose whatever comes first, not what is best to lose."""
    chance = random.Random(seed)
    game = SfwGame("apr43")
    game.enter({"vp.theater.tunis": 4, "vp.theater.bone": 0.5, "tank.number": 8})
    game.go("s3.t4.allies.declare")
    game.do(bc.DeclareBattle("Tunis", "land"))
    for side, unit, nation, count in (
        ("attacking", "tank", "us", 2),
        ("attacking", "infantry", "us", 1),
        ("attacking", "artillery", "us", 3),
        ("defending", "infantry", "italy", 1),
        ("defending", "artillery", "germany", 2),
    ):
        game.do(bc.ChangeUnits("A", side, unit, nation, count))
    game.do(bc.BeginBattle("A"))
    while True:
        declared = next(one for one in battles_of(game.state).battles if one.id == "A")
        if declared.status != "fighting":
            return game.desk
        view = battle_view(game.state, declared)
        if view.phase == "losses":
            side = view.losses[0].side
            fight = fight_of(game.state, declared)
            counts, hits, _by = open_losses(declared.progress, side)  # type: ignore[misc,arg-type]
            worst = max(LossTable(fight, side).legal(counts, hits))  # type: ignore[arg-type]
            game.do(
                bc.ChooseLosses("A", side, tuple(bc.UnitLosses(kind, n) for kind, n in enumerate(worst) if n))
            )
        elif view.phase == "retreat":
            game.do(bc.StandFast("A"))
        else:
            line = next(line for line in view.lines if line.dice)
            game.do(roll_command("A", line, [chance.randint(6, 12) for _n in range(line.dice)]))


def source_of(desk: MemoryDesk) -> ReportSource:
    return ReportSource(change_of(desk), desk.entries(), desk.counts, 0, with_decisions=True)


def judged(seed: int) -> list[Decision]:
    return list(_decisions(source_of(careless(seed))))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_best_is_the_best_of_everything_legal(seed: int) -> None:
    desk = careless(seed)
    source = source_of(desk)
    found = {one.seq: one for one in judged(seed)}
    own = next(one for one in battles_of(change_of(desk).state).battles if one.id == "A")
    assert own.progress is not None
    checked = 0
    from companion.games.sfw.rules.game_rules import sfw96_rules

    for entry, before, _after in folded(sfw96_rules(), source):
        if entry.seq not in found or not isinstance(entry.command, bc.ChooseLosses):
            continue
        declared = battles_of(before).find("A")
        assert declared is not None
        progress, side = declared.progress, entry.command.side
        assert progress is not None
        fight = fight_of(before, declared)
        counts, hits, _by = open_losses(progress, side)  # type: ignore[misc]
        foe = other_side(side)
        lost = own.progress.records[len(progress.records)].losses[foe]
        enemy = tuple(n - gone for n, gone in zip(progress.counts(foe), lost, strict=True))
        values = [
            BestPlay(
                fight, side, "space", position=progress.position + 1, strength={side: left, foe: enemy}
            ).value  # type: ignore[arg-type]
            for left in options(LossTable(fight, side), progress.step, counts, hits)  # type: ignore[arg-type]
        ]
        assert found[entry.seq].best == pytest.approx(max(values))
        assert found[entry.seq].was <= max(values) + 1e-9
        checked += 1
    assert checked


def test_careless_losses_cost_something_and_the_dearest_come_first() -> None:
    costs = [one.cost for seed in (1, 2, 3) for one in costly(source_of(careless(seed)))]
    assert max(costs, default=0) > 0.005
    for seed in (1, 2, 3):
        found = costly(source_of(careless(seed)))
        assert len(found) <= 3
        assert [one.cost for one in found] == sorted((one.cost for one in found), reverse=True)
        assert all(0 < one.cost <= 1 for one in found)
        assert all(one.side in (Side("allies"), Side("axis")) for one in found)


def test_the_report_tells_them_on_request_alone() -> None:
    desk = careless(1)
    plain = report_html(change_of(desk), desk.entries(), desk.counts, 0)
    asked = report_html(change_of(desk), desk.entries(), desk.counts, 0, with_decisions=True)
    assert 'id="decisions"' not in plain
    assert 'id="decisions"' in asked


def test_of_a_tournament_they_are_never_told() -> None:
    desk = sfw96()
    asked = report_html(change_of(desk), desk.entries(), desk.counts, 0, with_decisions=True)
    assert "The coach is never available under tournament time." in asked


def test_the_box_names_them_on_request_and_leads_to_the_battle() -> None:
    desk = careless(2)

    def look(draft: FilmDraft, of: MemoryDesk) -> Shown:
        return film_page(Sight(TABLE_VIEWER, of.change, of.rules, draft, of, 0))

    ask = look(FilmDraft(None, 0, "luck"), desk).act("decisions")
    assert isinstance(ask, Draft)
    shown = look(ask.change(FilmDraft()), desk)
    (rows,) = shown.page.blocks
    found = costly(source_of(desk))
    assert len(rows.rows) == len(found) > 0  # type: ignore[union-attr]
    act = shown.act("decision.0")
    assert isinstance(act, Draft)
    at = act.change(FilmDraft())
    assert at.tab == "battle"
    assert film_of(source_of(desk)).acts[at.at].seq == found[0].seq
    (told,) = look(FilmDraft(None, 0, "decisions"), sfw96()).page.blocks
    assert "never available under tournament time" in str(told.empty)  # type: ignore[union-attr]


def test_a_game_without_a_coach_offers_none() -> None:
    desk = tsu()
    shown = film_page(Sight(TABLE_VIEWER, desk.change, desk.rules, FilmDraft(None, 0, "luck"), desk, 0))
    assert shown.act("decisions") is None
    assert 'id="decisions"' not in report_html(
        change_of(desk), desk.entries(), desk.counts, 0, with_decisions=True
    )
