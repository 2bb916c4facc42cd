"""The strip of the stage: every game's phases fit, in both languages, at every size."""

from __future__ import annotations

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.core.commands import JumpTo
from companion.core.ids import ARBITER, StepId
from companion.pages.frame import strip
from companion.pages.i18n import LANGUAGES, use_language
from companion.testing import harness
from companion.testing.memory_desk import MemoryDesk
from companion.ui.widgets import Strip
from companion.ui.widgets.marks import _shared, _window

CATALOGUE = GameCatalogue()
FIRST = {info.game: info.scenario for info in reversed(CATALOGUE.scenarios())}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("game", sorted(FIRST))
def test_no_word_is_cut(game: str, size: tuple[int, int], language: str) -> None:
    desk = MemoryDesk(CATALOGUE.make_setup(game, FIRST[game], {}), CATALOGUE.rules_of(game))
    laid = harness.lay(desk, size=size, language=language, look="day", text_step=2)
    (shown,) = [w for w in laid.walk() if isinstance(w, Strip)]
    assert shown.cells
    assert shown.shown == tuple(shown.cells), "nothing is left out"
    assert [fault for fault in laid.faults() if fault.what in {cell.text for cell in shown.cells}] == []
    assert any(cell.state == "now" for cell in shown.shown)


@pytest.mark.parametrize(
    ("game", "step"), [("aana", "r1.uk.combat.resolve"), ("tsu", "su1940.allies.attack")]
)
def test_only_the_turn_that_is_on_shows_its_phases(game: str, step: str) -> None:
    desk = MemoryDesk(CATALOGUE.make_setup(game, FIRST[game], {}), CATALOGUE.rules_of(game))
    assert desk.change is not None
    state = desk.change.state
    desk.send(JumpTo(state.step.id, StepId(step), desk.now_ms()), actor=ARBITER)
    cells = [(cell.text, cell.state) for cell in strip(desk.change.state, CATALOGUE.rules_of(game))]
    assert (
        cells
        == {
            "aana": [
                ("Set-up", "done"),
                ("Germany", "done"),
                ("Convoys", "done"),
                ("Requisition", "done"),
                ("Combat Move", "done"),
                ("Combat", "now"),
                ("Noncombat", "ahead"),
                ("Deployment", "ahead"),
                ("Italy", "ahead"),
            ],
            "tsu": [
                ("Axis", "done"),
                ("Reinf.", "done"),
                ("Movement", "done"),
                ("Supply", "done"),
                ("Combat", "now"),
                ("Breakthrough", "ahead"),
                ("End", "ahead"),
            ],
        }[game]
    )


def test_a_high_window_takes_two_lines_of_equal_type_for_a_long_stage() -> None:
    desk = MemoryDesk(CATALOGUE.make_setup("aana", FIRST["aana"], {}), CATALOGUE.rules_of("aana"))
    desk.end_acts(2)
    for size, lines in (((800, 480), 1), ((720, 1280), 2)):
        laid = harness.lay(desk, size=size, language="de")
        shown = laid.find(cls=Strip)
        assert len(shown.children) == lines
        assert shown.shown == tuple(shown.cells)
        assert len({box.font_px for row in shown.children for box in row.children}) == 1
    use_language("en")


def test_long_sequence_shows_where_we_stand_and_more_ahead_than_behind() -> None:
    needs = [10.0] * 20
    assert _window(needs, 0, 196, 0, 4) == (0, 18)
    assert _window(needs, 0, 1000, 0, 4) == (0, 19)
    first, last = _window(needs, 10, 100, 0, 4)
    assert first < 10 < last
    assert last - 10 >= 10 - first
    assert 10 * (last - first + 1) + 8 <= 100
    assert _window(needs, 19, 100, 0, 4) == (11, 19)


def test_cells_share_the_room_by_weight_but_keep_their_words_whole() -> None:
    assert _shared(100, [10, 10], [1, 3]) == [25, 75]
    assert _shared(100, [60, 10], [1, 1]) == [60, 40]
    assert _shared(100, [60, 30, 5], [1, 1, 8]) == [60, 30, 10]


def test_too_many_words_shorten_evenly() -> None:
    assert sum(_shared(100, [80, 80], [1, 1])) == pytest.approx(100)
