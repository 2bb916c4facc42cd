"""New game by taps over the real rules: every scenario of every game opens, takes its choices and names, and starts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from companion.adapters.catalogue import GameCatalogue
from companion.core.presets import OWN
from companion.pages import game_options, new_game
from companion.pages.new_game import NewGameDraft
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.ui.render.items import ItemRow
from companion.ui.widgets import Choice

_CATALOGUE = GameCatalogue()
_SCENARIOS = sorted((info.game, info.scenario) for info in _CATALOGUE.scenarios())


def _open(game: str, scenario: str, **look: Any) -> Laid:
    desk = MemoryDesk(rules=_CATALOGUE.rules_of(game), scenarios=_CATALOGUE.scenarios())
    desk.offer(game, scenario, lambda options: _CATALOGUE.make_setup(game, scenario, options))
    laid = harness.lay(desk, screen="new_game", size=(800, 480), draft=NewGameDraft(game), **look)
    while True:
        for line in _lines(laid):
            if line.item.key == scenario:
                laid.tap(line)
                laid.tap(laid.find(text=laid.root.screen.second_text))
                return laid
        if not _turn(laid):
            raise LookupError(scenario)


def _turn(laid: Laid, by: int = 1) -> bool:
    sheet = laid.root.screen.sheet
    before = sheet.page
    sheet.turn(by)
    laid.settle()
    return bool(sheet.page != before)


def _lines(laid: Laid) -> list[ItemRow]:
    return [w for w in laid.walk() if isinstance(w, ItemRow)]


def _labels(laid: Laid) -> list[str]:
    seen = {line.item.key: line.text for line in _lines(laid)}
    while _turn(laid):
        seen |= {line.item.key: line.text for line in _lines(laid)}
    while _turn(laid, -1):
        pass
    return list(seen.values())


@pytest.mark.parametrize(("game", "scenario"), _SCENARIOS, ids=str)
def test_every_scenario_starts(game: str, scenario: str) -> None:
    laid = _open(game, scenario)
    assert laid.root.screen.page.tab == "options"
    assert laid.faults() == []
    labels = _labels(laid)
    assert len(labels) == len(set(labels)) > 1
    laid.tap(laid.find(text="Start the game"))
    assert laid.desk.change is not None, [str(n.text) for n in laid.root.notices]
    assert laid.desk.change.state.frozen_setup.scenario == scenario


_FIRST = dict(reversed(_SCENARIOS))


@pytest.mark.parametrize(
    ("game", "scenario"),
    [
        pytest.param(*one, marks=() if _FIRST[one[0]] == one[1] else pytest.mark.long, id="-".join(one))
        for one in _SCENARIOS
    ],
)
def test_every_choice_can_be_tapped(game: str, scenario: str) -> None:
    """Each choice of each option in its turn, in the largest type; whatever is left at the end starts or says why not."""
    laid = _open(game, scenario, text_step=2)
    tapped: set[tuple[str, str]] = set()
    for _n in range(200):
        choice = next(
            (
                (line.text, plate)
                for line in _lines(laid)
                for choice in line.walk(restrict=True)
                if isinstance(choice, Choice)
                for plate in choice.children
                if (line.text, plate.text) not in tapped
            ),
            None,
        )
        if choice is None:
            if _turn(laid):
                continue
            if laid.root.screen.page.tab != "options":
                break
            laid.tap(laid.find(text="Clock"))
            continue
        label, plate = choice
        tapped.add((label, plate.text))
        laid.tap(plate)
        if laid.root.dialogs:  # the PIN's
            laid.root.dismiss()
            laid.settle()
    assert tapped
    laid.tap(laid.find(text="Start the game"))
    assert laid.desk.change is not None or laid.root.toast is not None


def test_north_africa_names_who_plays_which_powers() -> None:
    laid = _open("aana", "rommel")
    assert "Axis: Germany + Italy + Vichy France" in _labels(laid)
    while not (named := [line for line in _lines(laid) if line.text.startswith("Axis:")]):
        assert _turn(laid)
    laid.tap(named[0])
    for key in "EVA":
        laid.tap(laid.find(text=key))
    laid.tap(laid.find(text="Done"))
    laid.tap(laid.find(text="Start the game"))
    setup = laid.desk.change.state.frozen_setup
    assert ("Eva: Germany, Italy, Vichy France",) in [side.seats for side in setup.sides]
    laid.settle()
    laid.tap(laid.find(text="Set-up done"))
    laid.settle()
    assert laid.root.screen.key == "aana_reinforce", "and on to the screen of the first phase"


@pytest.mark.parametrize(("game", "scenario"), _SCENARIOS, ids=str)
def test_no_option_is_named_by_its_key(game: str, scenario: str) -> None:
    info = next(i for i in _CATALOGUE.scenarios() if (i.game, i.scenario) == (game, scenario))
    for row in game_options.option_rows(info, game_options.starting_options(info)):
        if row.name.partition(".")[0] in ("first", "minutes", "name", "seat"):
            continue
        assert row.name in game_options.LABELS or row.name in info.option_names, row.name
        for key, words in row.values:
            if row.name == "control" and key in {one.id for one in (*info.controls, OWN)} | {"none"}:
                assert key not in str(words)
                continue
            assert not isinstance(key, str) or key in game_options.VALUES, (row.name, key, words)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_the_games_names_are_read_whole_in_the_largest_text(size: tuple[int, int], language: str) -> None:
    desk = MemoryDesk(rules=_CATALOGUE.rules_of("aana"), scenarios=_CATALOGUE.scenarios())
    desk.offer("aana", "rommel", lambda options: _CATALOGUE.make_setup("aana", "rommel", options))
    laid = harness.lay(desk, screen="new_game", size=size, text_step=2, language=language)
    assert laid.faults() == []
    for act in (
        lambda: laid.root.go("new_game", draft=NewGameDraft("aana")),
        lambda: _open_first(laid),
        lambda: _start(laid),
    ):
        act()
        laid.settle()
        assert laid.faults() == []
    assert laid.root.screen.key == "aana_setup", "the first act has a screen of its own"


def _open_first(laid: Laid) -> None:
    laid.tap(next(line for line in _lines(laid) if line.item.key == "rommel"))


def _start(laid: Laid) -> None:
    laid.root.screen.main_act(None)


@pytest.mark.parametrize(("language", "word"), [("en", "Start the game"), ("de", "Spiel beginnen")])
def test_options_open_on_their_first_page_and_the_list_stays_where_it_was(language: str, word: str) -> None:
    laid = _open("sfw96", "italy", text_step=2, language=language)
    screen = laid.root.screen
    first = screen.sheet.stack.grids[0].items[0].key
    assert screen.sheet.page == 0
    assert _lines(laid)[0].item.key == first
    while _turn(laid):
        pass
    assert screen.on_key("back", None)
    laid.settle()
    assert screen.page.tab == ""
    assert screen.main_text == word
    assert laid.faults() == []


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_the_way_back_to_the_options_names_the_longest_scenario_whole(
    size: tuple[int, int], language: str
) -> None:
    desk = MemoryDesk(rules=_CATALOGUE.rules_of("sfw96"), scenarios=_CATALOGUE.scenarios())
    desk.offer("sfw96", "salerno43", lambda options: _CATALOGUE.make_setup("sfw96", "salerno43", options))
    info = next(one for one in desk.scenarios() if one.scenario == "salerno43")
    draft = replace(new_game.opened(info), tab="scenarios")
    laid = harness.lay(desk, screen="new_game", size=size, text_step=2, language=language, draft=draft)
    assert laid.root.screen.main_enabled
    assert laid.faults() == []


@pytest.mark.parametrize("size", [(800, 480), (720, 1280)], ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("game", sorted({game for game, _scenario in _SCENARIOS}))
def test_every_game_and_its_scenarios_stand_on_one_page(game: str, size: tuple[int, int]) -> None:
    desk = MemoryDesk(rules=_CATALOGUE.rules_of(game), scenarios=_CATALOGUE.scenarios())
    laid = harness.lay(desk, screen="new_game", size=size, draft=NewGameDraft(game), language="de")
    assert laid.root.screen.sheet.pages == 1
    assert laid.faults() == []


def test_a_game_is_for_a_home_evening_until_the_tournament_is_tapped() -> None:
    desk = MemoryDesk(rules=_CATALOGUE.rules_of("sfw96"), scenarios=_CATALOGUE.scenarios())
    desk.offer("sfw96", "apr43", lambda options: _CATALOGUE.make_setup("sfw96", "apr43", options))
    laid = harness.lay(desk, screen="new_game", size=(800, 480), draft=NewGameDraft("sfw96"))

    def chosen() -> str:
        return str(laid.root.screen.second_text)

    assert "Count up" in chosen()
    laid.tap(laid.find(text="Tournament"))
    assert "Tournament" in chosen()
    laid.tap(laid.find(text="Home evening"))
    assert "Count up" in chosen()
