"""Watch this evening: every act of every game can be gone through on the box, forward, back and from battle to battle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evenings import EVENINGS, change_of, sfw96

from companion.core.text import Say
from companion.pages.desk import Watched
from companion.pages.film.draft import FilmDraft
from companion.pages.film.fold import film_game, film_of
from companion.pages.film.page import film_page
from companion.pages.page import TABLE_VIEWER, Ask, Draft, Go, OnBox, Shown, Sight, act_ids
from companion.pages.report_parts import ReportSource
from companion.testing.memory_desk import MemoryDesk

SAVED = Path("games/2026 evening.tcgame")


_READ: dict[tuple[int, object], Any] = {}


def look(desk: MemoryDesk, draft: FilmDraft, box: MemoryDesk | None = None) -> Shown:
    """Show the film as the box does; `box` is another desk, on which the evening is a saved game."""

    def later(key: object, make: Callable[[], Any]) -> Any:
        known = (id(desk), key)
        if known not in _READ:
            _READ[known] = make()
        return _READ[known]

    if box is not None:
        box.watched[SAVED] = Watched(change_of(desk), desk.entries(), desk.counts)
        return film_page(Sight(TABLE_VIEWER, None, None, draft, box, 0, later=later))
    return film_page(Sight(TABLE_VIEWER, desk.change, desk.rules, draft, desk, 0, later=later))


def after(shown: Shown, act_id: str, draft: FilmDraft) -> FilmDraft:
    act = shown.act(act_id)
    assert isinstance(act, Draft)
    changed = act.change(draft)
    assert isinstance(changed, FilmDraft)
    return changed


@pytest.fixture(params=EVENINGS)
def desk(request: pytest.FixtureRequest) -> MemoryDesk:
    return EVENINGS[request.param]()


def test_the_main_button_goes_through_every_act_and_back(desk: MemoryDesk) -> None:
    film = film_of(ReportSource(change_of(desk), desk.entries(), desk.counts, 0))
    draft, box = FilmDraft(SAVED), MemoryDesk()
    for n in range(len(film.acts)):
        shown = look(desk, draft, box)
        assert draft.at == n
        assert set(act_ids(shown.page)) <= set(shown.acts), "no tap leads nowhere"
        back, on = shown.page.turns
        assert (back is None) == (n == 0)
        if on is None:
            assert n == len(film.acts) - 1
            break
        assert shown.page.main is not None
        assert shown.page.main.act == on
        draft = after(shown, on, draft)
    for n in range(len(film.acts) - 1, 0, -1):
        assert draft.at == n
        back = look(desk, draft, box).page.turns[0]
        assert back is not None
        draft = after(look(desk, draft, box), back, draft)
    assert draft.at == 0


@pytest.mark.parametrize("tab", ["act", "battle", "held", "points", "luck", "story"])
def test_every_tab_is_there_at_every_act(desk: MemoryDesk, tab: str) -> None:
    count = len(film_of(ReportSource(change_of(desk), desk.entries(), desk.counts, 0)).acts)
    for at in range(0, count, 5):
        shown = look(desk, FilmDraft(None, at, tab))
        assert shown.page.blocks
        assert set(act_ids(shown.page)) <= set(shown.acts)


def test_the_battle_keys_go_to_the_first_act_of_a_battle() -> None:
    film = film_of(ReportSource(change_of(sfw96()), sfw96().entries(), sfw96().counts, 0))
    first, second = film.chapters
    shown = look(sfw96(), FilmDraft())
    assert after(shown, "battle.on", FilmDraft()).at == first.first
    inside = FilmDraft(None, first.first + 2)
    assert after(look(sfw96(), inside), "battle.on", inside).at == second.first
    end = FilmDraft(None, len(film.acts) - 1)
    assert after(look(sfw96(), end), "battle.back", end).at == second.first
    assert look(sfw96(), end).act("battle.on") is None


def test_the_strip_reaches_every_part_of_the_evening(desk: MemoryDesk) -> None:
    shown = look(desk, FilmDraft())
    (strip,) = (block for block in shown.page.blocks if type(block).__name__ == "Strip")
    places = [after(shown, cell.act, FilmDraft()).at for cell in strip.cells]  # type: ignore[union-attr]
    assert places[0] == 0
    assert places == sorted(set(places))
    assert strip.cells[0].state == "now"  # type: ignore[union-attr]


def test_the_strip_marks_each_battle_once_where_it_begins() -> None:
    film = film_of(ReportSource(change_of(sfw96()), sfw96().entries(), sfw96().counts, 0))
    shown = look(sfw96(), FilmDraft())
    (strip,) = (block for block in shown.page.blocks if type(block).__name__ == "Strip")
    marked = [after(shown, cell.act, FilmDraft()).at for cell in strip.cells if cell.symbol]  # type: ignore[union-attr]
    assert len(marked) == len(film.chapters) == 2
    assert [place <= one.first for place, one in zip(marked, film.chapters, strict=True)] == [True, True]


def test_what_if_asks_first_and_names_the_entry_of_the_act() -> None:
    film = film_of(ReportSource(change_of(sfw96()), sfw96().entries(), sfw96().counts, 0))
    for at in (0, 10, len(film.acts) - 1):
        shown = look(sfw96(), FilmDraft(SAVED, at), MemoryDesk())
        ask = shown.act("what_if")
        assert film.acts[at].may_branch == (ask is not None)
        if ask is not None:
            assert isinstance(ask, Ask)
            assert ask.answered({}) == OnBox("branch_game", {"path": SAVED, "seq": film.acts[at].seq})


def test_from_a_note_nothing_goes_on() -> None:
    film = film_of(ReportSource(change_of(sfw96()), sfw96().entries(), sfw96().counts, 0))
    (at,) = (n for n, act in enumerate(film.acts) if act.note)
    assert look(sfw96(), FilmDraft(None, at)).act("what_if") is None


def test_a_game_that_cannot_be_read_says_why_and_leads_back() -> None:
    box = MemoryDesk()
    shown = film_page(Sight(TABLE_VIEWER, None, None, FilmDraft(SAVED), box, 0))
    (rows,) = shown.page.blocks
    assert rows.empty == Say("there is no saved game {file}", file=rows.empty.values["file"])  # type: ignore[union-attr]
    assert shown.page.main is not None
    assert shown.page.main.act is not None
    assert shown.act(shown.page.main.act) == Go("home")
    unread = film_page(
        Sight(TABLE_VIEWER, None, None, FilmDraft(SAVED), box, 0, later=lambda _key, _make: None)
    )
    assert unread.page.blocks


def test_a_saved_game_of_another_kind_is_told_in_its_own_words() -> None:
    shown = look(EVENINGS["med"](), FilmDraft(SAVED, 12), MemoryDesk())
    text = str(shown.page.blocks[0])
    assert "play_card" not in text
    assert film_game("med").points_title is not None
