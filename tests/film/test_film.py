"""A film shows every act that counts, as the game stood then; what was undone or lies hidden is not in it."""

from __future__ import annotations

import csv
import io

import pytest
from evenings import EVENINGS, change_of, send, sfw96

from companion.core.clock import spent
from companion.core.commands import AddNote, Undo
from companion.pages.film.fold import Film, film_game, film_of
from companion.pages.film.sections import evening_of, figures_csv
from companion.pages.film.story import story_text
from companion.pages.modules import game_view
from companion.pages.report import report_html
from companion.pages.report_parts import ReportSource
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sfw_evenings import SfwGame


def source_of(desk: MemoryDesk) -> ReportSource:
    return ReportSource(change_of(desk), desk.entries(), desk.counts, 0)


@pytest.fixture(params=EVENINGS)
def evening(request: pytest.FixtureRequest) -> tuple[MemoryDesk, Film]:
    desk = EVENINGS[request.param]()
    return desk, film_of(source_of(desk))


def test_every_act_that_counts_is_in_the_film_in_order(evening: tuple[MemoryDesk, Film]) -> None:
    desk, film = evening
    acts = [entry.seq for entry in desk.entries() if entry.command.kind == "act" and desk.counts(entry.seq)]
    shown = [act.seq for act in film.acts]
    assert shown == sorted(shown)
    assert set(acts) <= set(shown)


def test_the_last_act_is_where_the_game_stands_now(evening: tuple[MemoryDesk, Film]) -> None:
    desk, film = evening
    state, game = change_of(desk).state, change_of(desk).state.frozen_setup.game
    last, own = film.acts[-1], film_game(game)
    assert dict(zip(film.sides, last.points, strict=True)) == {
        side: own.points(state).get(side) for side in film.sides
    }
    scores = {one.side: f"{one.text} {one.goal}".strip() for one in game_view(game).scores(state)}
    assert [side.score for side in last.sides] == [scores.get(side, "") for side in film.sides]
    at = desk.entries()[last.seq - 1].at_ms
    assert [side.spent_ms for side in last.sides] == [spent(state.clocks, side, at) for side in film.sides]  # type: ignore[arg-type]
    assert {one.key: one for one in film.held_at(len(film.acts) - 1)} == {
        one.key: one for one in own.held(state)
    }


def test_what_somebody_holds_changes_with_the_act_that_changed_it() -> None:
    film = film_of(source_of(sfw96()))
    n = max(n for n, act in enumerate(film.acts) if any(one.key == "tunis" for one in act.changed))
    assert type(sfw96().entries()[film.acts[n].seq - 1].command).__name__ == "TakeControl"
    before = next(one for one in film.held_at(n - 1) if one.key == "tunis")
    after = next(one for one in film.held_at(n) if one.key == "tunis")
    assert (before.side, after.side) == ("axis", "allies")


def test_a_battle_has_its_dice_its_odds_and_its_losses() -> None:
    film = film_of(source_of(sfw96()))
    tunis, bone = film.chapters
    assert tunis.last < bone.first
    rolled = sum(
        len(entry.command.roll.dice) for entry in sfw96().entries() if hasattr(entry.command, "roll")
    )
    assert sum(len(throw.dice) for one in film.chapters for throw in one.throws) == rolled
    for chapter in film.chapters:
        assert chapter.fought.chance is not None
        assert 0 < chapter.fought.chance < 1
        for throw in chapter.throws:
            assert throw.hits == sum(die.state == "hit" for die in throw.dice)
            assert 0 < throw.at_least <= 1
    assert {lost.side: lost.count for lost in tunis.fought.lost} == {"allies": 3, "axis": 3}


def test_an_act_of_an_earlier_battle_keeps_the_name_of_its_battle() -> None:
    film = film_of(source_of(sfw96()))
    first = film.acts[film.chapters[0].first + 6]
    assert "Bone" not in str(first.what)


def test_undone_acts_are_left_out_and_counted() -> None:
    game = SfwGame("italy")
    game.go("s1.t1.allies.move")
    kept = film_of(source_of(game.desk))
    game.desk.advance(1_000)
    seq = game.desk.entries()[-1].seq
    game.desk.send(Undo(game.desk.now_ms(), confirmed=True))
    film = film_of(source_of(game.desk))
    assert film.taken_back == 1
    assert [act.seq for act in film.acts] == [act.seq for act in kept.acts if act.seq != seq]


def test_a_note_stands_in_the_film_as_it_was_typed() -> None:
    game = SfwGame("italy")
    game.go("s1.t1.allies.move")
    send(game.desk, AddNote("  never again =1+1 "))
    film = film_of(source_of(game.desk))
    assert film.acts[-1].note == "  never again =1+1 "
    assert film.acts[-1].by == ""


def test_a_note_about_an_act_stands_with_it_in_film_page_and_story() -> None:
    game = SfwGame("italy")
    game.go("s1.t1.allies.move")
    seq = [entry.seq for entry in game.desk.entries() if entry.command.kind == "act"][-1]
    count = len(film_of(source_of(game.desk)).acts)
    send(game.desk, AddNote("Too late & too few", to_seq=seq), AddNote("of none", to_seq=None))
    film = film_of(source_of(game.desk))
    assert len(film.acts) == count + 1, "the one about an act is no act of its own"
    (about,) = (act for act in film.acts if act.seq == seq)
    assert about.notes == ("Too late & too few",)
    assert film.acts[-1].note == "of none"
    page = report_html(change_of(game.desk), game.desk.entries(), game.desk.counts, 0)
    own = page[page.index(f'id="a{seq}"') :]
    assert own.index("Too late &amp; too few") < own.index("</li>")
    evening = evening_of(source_of(game.desk))
    assert "Too late & too few" in story_text(evening.story, evening.film)


def test_the_figures_are_a_table_with_a_line_for_each_act(evening: tuple[MemoryDesk, Film]) -> None:
    _desk, film = evening
    rows = list(csv.DictReader(io.StringIO(figures_csv(film))))
    assert [int(row["entry"]) for row in rows] == [act.seq for act in film.acts]
    for row, act in zip(rows, film.acts, strict=True):
        assert row["dice"] == " ".join(str(die.value) for throw in act.throws for die in throw.dice)
        for side, shown in zip(film.sides, act.sides, strict=True):
            assert int(row[f"used_ms_{side}"]) == shown.spent_ms


def test_no_cell_is_taken_for_a_formula() -> None:
    game = SfwGame("italy", {"seats": ["=cmd|' /C calc'!A0", "@x"]})
    game.go("s1.t1.allies.move")
    for row in csv.reader(io.StringIO(figures_csv(film_of(source_of(game.desk))))):
        assert not any(cell.startswith(("=", "+", "@")) for cell in row)
