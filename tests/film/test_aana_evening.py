"""North Africa's evening: losses ranked among the ends of the same combats, and the decisions that cost most."""

from __future__ import annotations

import random

import pytest
from evenings import aana, change_of
from msgspec.structs import replace

from companion.core.text import Say
from companion.games.aana.pages.decisions import _decisions, costly
from companion.games.aana.pages.evening import ROLES
from companion.games.aana.pages.luck import _combats, _shares, evening_luck
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.fight import DICE_STAGES, Fight, VolleyRoll, lost_of
from companion.games.aana.rules.fight_dice import expected_volleys, rolled
from companion.games.aana.rules.fight_flow import fired, leave, ordered, pressed, with_losses
from companion.games.aana.rules.fight_losses import proposed
from companion.games.aana.rules.figures import FigureBook
from companion.games.aana.rules.ledger import figures
from companion.odds import luck
from companion.pages.film.fold import film_game
from companion.pages.report import report_html
from companion.pages.report_parts import ReportSource
from companion.testing.memory_desk import MemoryDesk


def source_of(desk: MemoryDesk) -> ReportSource:
    return ReportSource(change_of(desk), desk.entries(), desk.counts, 0)


def fought(book: FigureBook, fight: Fight, rounds: int, chance: random.Random) -> Fight:
    """Fight a combat again with other dice: pressed for so many rounds, the proposed losses taken."""
    while fight.stage != "over":
        if fight.stage in DICE_STAGES:
            volleys = expected_volleys(book, fight)
            fight = fired(
                book, fight, tuple(VolleyRoll(rolled(one, lambda: chance.randint(1, 10))) for one in volleys)
            )
        elif fight.stage == "losses":
            fight = with_losses(book, fight, *proposed(book, fight))
        elif fight.stage == "orders":
            fight = ordered(book, fight, fights=True, exempt_fight=False)
        elif fight.stage == "leave":
            fight = leave(book, fight)
        elif fight.round_no >= rounds:
            return fight
        else:
            fight = pressed(book, fight, fight.a)
    return fight


def ranks(runs: int) -> None:
    """Compare the percentiles of losses with many combats that are fought again."""
    source = source_of(aana())
    book = figures(source.change.state)
    ((_key, begun, first, end),) = _combats(source)
    shares = _shares(begun, first, replace(end, result="ceased", round_no=2))
    assert shares is not None
    chance = random.Random(5)
    found = [fought(book, first, 2, chance) for _run in range(runs)]
    for role in ROLES:
        lost = [sum(lost_of(one, role).values()) for one in found]
        for actual in range(len(shares[role])):
            less = sum(n > actual for n in lost) + sum(n == actual for n in lost) / 2
            told = luck.luckier_than(shares[role], actual, more_is_lucky=False)
            assert abs(less / runs - told) <= 4 * (0.25 / runs) ** 0.5, (role, actual)


def test_losses_are_ranked_among_the_ends_of_the_same_combats() -> None:
    ranks(300)
    rows = [row for row in evening_luck(source_of(aana()), is_brief=False).rows if row.group == "losses"]
    assert [row.scope for row in rows] == ["evening", "evening", "battle", "battle"]
    assert all(0 < row.luckier_than < 1 and row.actual > 0 for row in rows)


@pytest.mark.long
def test_twenty_thousand_combats_agree_with_the_percentile_of_losses() -> None:
    ranks(20_000)


def careless() -> MemoryDesk:
    """The same evening, in which the attackers lose a Tank for each hit on them."""
    desk = MemoryDesk(aana().change.state.frozen_setup, aana().rules)  # type: ignore[union-attr]
    for entry in aana().entries()[1:]:
        command = entry.command
        if isinstance(command, bm.TakeLosses):
            fight = bm.fight_of(change_of(desk).state)
            assert fight is not None
            if fight.fired_stage == "defence":
                tanks = min(
                    fight.hits.count,
                    next(n for kind, n in zip(fight.attackers, fight.a, strict=True) if kind.unit == "tank"),
                )
                rest = fight.hits.count - tanks
                keys = {"germany.tank@el_agheila": tanks, "germany.infantry@el_agheila": rest}
                command = bm.TakeLosses(command.step, {key: n for key, n in keys.items() if n})
        desk.advance(9_000)
        desk.send(command)
        if change_of(desk).rejected is not None:
            break
    return desk


def test_careless_losses_cost_most_and_nothing_legal_is_better_than_what_is_named() -> None:
    source = source_of(careless())
    found = costly(source)
    assert found
    assert str(found[0].chosen).startswith("lost: ")
    dearest = max(_decisions(source), key=lambda one: one.best - one.was)
    assert dearest.seq == found[0].seq
    assert dearest.best > dearest.was + 0.5


def test_the_report_tells_them_on_request_with_what_they_are_judged_by() -> None:
    desk = careless()
    text = report_html(change_of(desk), desk.entries(), desk.counts, 0, with_decisions=True)
    assert "Exchange by cost, from there on" in text
    assert "Exchange by cost" not in report_html(change_of(desk), desk.entries(), desk.counts, 0)


def test_of_a_locked_game_they_are_never_told() -> None:
    desk = careless()
    change = change_of(desk)
    state = replace(change.state, setup=replace(change.state.frozen_setup, coach_locked=True))
    source = ReportSource(replace(change, state=state), desk.entries(), desk.counts, 0)
    assert isinstance(film_game("aana").costly(source), Say)
