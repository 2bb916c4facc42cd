"""New game by taps over the real rules: every scenario of every game opens, takes its choices and names, and starts."""

from __future__ import annotations

from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.pages import new_game
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.ui.screens.new_game import OptionLine, ScenarioLine
from companion.ui.widgets import Choice, Plate

_CATALOGUE = GameCatalogue()
_SCENARIOS = sorted((info.game, info.scenario) for info in _CATALOGUE.scenarios())


def _open(game: str, scenario: str, **look: Any) -> Laid:
    desk = MemoryDesk(rules=_CATALOGUE.rules_of(game), scenarios=_CATALOGUE.scenarios())
    desk.offer(game, scenario, lambda options: _CATALOGUE.make_setup(game, scenario, options))
    laid = harness.lay(desk, screen="new_game", size=(800, 480), **look)
    laid.root.screen.choose_tab(game)
    laid.settle()
    for _page in range(9):
        for line in laid.walk():
            if isinstance(line, ScenarioLine) and line.row.scenario == scenario:
                laid.tap(line)
                return laid
        _turn(laid)
    raise LookupError(scenario)


def _turn(laid: Laid, way: str = "down") -> bool:
    for widget in laid.walk():
        if isinstance(widget, Plate) and widget.icon == way and not widget.text and widget.is_enabled:
            laid.tap(widget)
            return True
    return False


def _lines(laid: Laid) -> list[OptionLine]:
    return [w for w in laid.walk() if isinstance(w, OptionLine)]


def _labels(laid: Laid) -> list[str]:
    seen = [line.label for line in _lines(laid)]
    while _turn(laid):
        seen += [line.label for line in _lines(laid)]
    while _turn(laid, "up"):
        pass
    return seen


@pytest.mark.parametrize(("game", "scenario"), _SCENARIOS, ids=str)
def test_every_scenario_starts(game: str, scenario: str) -> None:
    laid = _open(game, scenario)
    assert laid.root.screen.page == "options"
    assert laid.faults() == []
    labels = _labels(laid)
    assert len(labels) == len(set(labels)) > 1
    laid.tap(laid.find(text="Start"))
    assert laid.desk.change is not None, [str(n.text) for n in laid.root.notices]
    assert laid.desk.change.state.frozen_setup.scenario == scenario


@pytest.mark.parametrize(("game", "scenario"), _SCENARIOS, ids=str)
def test_every_choice_can_be_tapped(game: str, scenario: str) -> None:
    """Each choice of each option in its turn, in the largest type; whatever is left at the end starts or says why not."""
    laid = _open(game, scenario, text_step=2)
    tapped: set[tuple[str, str]] = set()
    for _n in range(200):
        choice = next(
            (
                (line.label, plate)
                for line in _lines(laid)
                for choice in line.walk(restrict=True)
                if isinstance(choice, Choice)
                for plate in choice.children
                if (line.label, plate.text) not in tapped
            ),
            None,
        )
        if choice is None:
            if not _turn(laid):
                break
            continue
        label, plate = choice
        tapped.add((label, plate.text))
        laid.tap(plate)
        if laid.root.dialogs:  # the PIN's
            laid.root.dismiss()
            laid.settle()
    assert tapped
    laid.tap(laid.find(text="Start"))
    assert laid.desk.change is not None or laid.root.toast is not None


def test_north_africa_names_who_plays_which_powers() -> None:
    laid = _open("aana", "rommel")
    assert "Axis: Germany + Italy + Vichy France" in _labels(laid)
    while not (named := [line for line in _lines(laid) if line.label.startswith("Axis:")]):
        assert _turn(laid)
    laid.tap(next(w for w in named[0].walk(restrict=True) if isinstance(w, Plate)))
    for key in "EVA":
        laid.tap(laid.find(text=key))
    laid.tap(laid.find(text="Done"))
    laid.tap(laid.find(text="Start"))
    setup = laid.desk.change.state.frozen_setup
    assert ("Eva: Germany, Italy, Vichy France",) in [side.seats for side in setup.sides]


@pytest.mark.parametrize(("game", "scenario"), _SCENARIOS, ids=str)
def test_no_option_is_named_by_its_key(game: str, scenario: str) -> None:
    info = next(i for i in _CATALOGUE.scenarios() if (i.game, i.scenario) == (game, scenario))
    for row in new_game.option_rows(info, new_game.starting_options(info)):
        if row.name.partition(".")[0] in ("first", "minutes", "name", "seat"):
            continue
        assert row.name in new_game.LABELS or row.name in info.option_names, row.name
        for key, text in row.values:
            assert not isinstance(key, str) or key in new_game.VALUES, (row.name, key, text)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_the_games_names_are_read_whole_in_the_largest_text(size: tuple[int, int], language: str) -> None:
    desk = MemoryDesk(rules=_CATALOGUE.rules_of("aana"), scenarios=_CATALOGUE.scenarios())
    desk.offer("aana", "rommel", lambda options: _CATALOGUE.make_setup("aana", "rommel", options))
    laid = harness.lay(desk, screen="new_game", size=size, text_step=2, language=language)
    assert laid.faults() == []
    for act in (lambda: laid.root.screen.choose_tab("aana"), lambda: _open_first(laid), lambda: _start(laid)):
        act()
        laid.settle()
        assert laid.faults() == []
    assert laid.root.screen.key == "table"


def _open_first(laid: Laid) -> None:
    laid.tap(next(w for w in laid.walk() if isinstance(w, ScenarioLine)))


def _start(laid: Laid) -> None:
    laid.root.screen.main_act(None)


@pytest.mark.parametrize(("language", "word"), [("en", "Options"), ("de", "Optionen")])
def test_options_open_on_their_first_page_and_the_list_stays_where_it_was(language: str, word: str) -> None:
    laid = _open("sfw96", "italy", text_step=2, language=language)
    screen = laid.root.screen
    first = screen.ids.pages.items[0].label
    assert screen.ids.pages.page == 0
    assert _lines(laid)[0].label == first
    while _turn(laid):
        pass
    screen.back()
    laid.settle()
    assert screen.ids.pages.page > 0
    assert "italy" in [w.row.scenario for w in laid.walk() if isinstance(w, ScenarioLine)]
    assert screen.main_text == f"{word}: {screen.info.title if language == 'en' else 'Italien'}"
    assert laid.faults() == []
    laid.tap(laid.find(text=screen.main_text))
    assert screen.ids.pages.page == 0
    assert _lines(laid)[0].label == first


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_the_way_back_to_the_options_names_the_longest_scenario_whole(
    size: tuple[int, int], language: str
) -> None:
    desk = MemoryDesk(rules=_CATALOGUE.rules_of("sfw96"), scenarios=_CATALOGUE.scenarios())
    desk.offer("sfw96", "salerno43", lambda options: _CATALOGUE.make_setup("sfw96", "salerno43", options))
    laid = harness.lay(
        desk, screen="new_game", size=size, text_step=2, language=language, scenario="salerno43"
    )
    laid.root.screen.back()
    laid.settle()
    assert laid.faults() == []
