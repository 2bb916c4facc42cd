"""What a person would see: nothing cut, overlapping, too small, too pale or outside, on every screen and dialog."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest

from companion.pages.i18n import LANGUAGES
from companion.pages.page import Button
from companion.testing import harness
from companion.testing.scenes import SCENES, open_scene
from companion.ui.theme import PALETTES, TEXT_SCALES, theme

_LOOKS = (
    ((800, 480), "night", 0, "en"),
    ((800, 480), "day", 2, "de"),
    ((1280, 720), "contrast", 1, "de"),
    ((720, 1280), "day", 0, "de"),
)
"""Every size, theme, text size and language at least once; the long run takes them all with all."""

_OF_A_GAME = re.compile(r"(aana|med|sfw1?|tsu|hardware)-")
"""Scenes of one game or of the panel: a look each in turn. Those that every evening shows take all four."""

MOST_INSTRUCTIONS = 350
"""Colours and shapes that a screen may draw: what a Raspberry Pi has time for in a frame."""

_SAMPLE = [
    (key, look)
    for index, key in enumerate(sorted(SCENES))
    for look in ((_LOOKS[index % len(_LOOKS)],) if _OF_A_GAME.match(key) else _LOOKS)
]


def _buttons(part: object) -> Iterator[Button]:
    """Yield the buttons of a page: each does something, or says why it cannot be pressed."""
    if isinstance(part, Button):
        yield part
    fields = part.__struct_fields__ if isinstance(part, msgspec.Struct) else ()
    for one in part if isinstance(part, tuple) else (getattr(part, name) for name in fields):
        yield from _buttons(one)


@pytest.mark.parametrize(
    ("key", "look"), _SAMPLE, ids=lambda v: "-".join(map(str, v)) if isinstance(v, tuple) else v
)
def test_scene_has_no_fault(key: str, look: tuple[tuple[int, int], str, int, str]) -> None:
    size, name, step, language = look
    laid = open_scene(key, size=size, look=name, text_step=step, language=language)
    assert laid.faults() == []
    assert laid.instructions <= MOST_INSTRUCTIONS
    page = getattr(laid.root.screen, "page", None)
    assert [button for button in _buttons(page) if button.act is None and not button.why_not] == []


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("step", range(len(TEXT_SCALES)))
@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("key", sorted(SCENES))
def test_scene_has_no_fault_in_any_look(
    key: str, size: tuple[int, int], name: str, step: int, language: str
) -> None:
    laid = open_scene(key, size=size, look=name, text_step=step, language=language)
    assert laid.faults() == []


@pytest.mark.parametrize("step", range(len(TEXT_SCALES)))
def test_home_shows_three_saved_games_without_a_page_turn_in_a_high_window(step: int) -> None:
    laid = open_scene("home", size=(720, 1280), text_step=step, language="de")
    assert laid.root.screen.sheet.pages == 1
    assert all(laid.has(title) for title in ("Tobruk", "Italien", "November 1942"))


@pytest.mark.parametrize(
    ("key", "step", "language"),
    [
        ("aana-victory-list", 0, "de"),
        ("film-held", 0, "de"),
        ("sfw-sealed", 0, "fr"),
        ("tsu-score-list", 0, "de"),
    ],
)
def test_one_long_text_does_not_cost_a_page(key: str, step: int, language: str) -> None:
    laid = open_scene(key, text_step=step, language=language)
    assert laid.root.screen.sheet.pages == 2
    assert laid.faults() == []


def test_faults_are_found_when_they_are_there() -> None:
    from companion.ui.widgets import Plate, Text

    laid = open_scene("table")
    frame = laid.root.frame
    long = Text(text="Unabridgedness " * 9, size_hint=(None, None), size=(60, 16), pos=(300, 100))
    pale = Text(text="pale", tone="ground", size_hint=(None, None), size=(80, 24), pos=(300, 200))
    small = Plate(text="x", size_hint=(None, None), size=(20, 20), pos=(790, 300))
    for widget in (long, pale, small):
        frame.add_widget(widget)
    laid.frames(3)
    laid.root.screen.main_enabled = False
    kinds = {fault.kind for fault in laid.faults()}
    assert kinds >= {"cut", "contrast", "small", "outside", "overlap", "dead"}
    laid.root.screen.why_not = "Enter the dice first"
    assert "dead" not in {fault.kind for fault in laid.faults()}


def test_a_word_broken_inside_is_a_fault_and_a_text_in_lines_is_none() -> None:
    from companion.ui.widgets import Text

    laid = open_scene("table")
    text = Text(
        text="Unabridgedness", most_font_px=24, size_hint=(None, None), size=(200, 60), pos=(300, 100)
    )
    laid.root.frame.add_widget(text)
    for width, is_broken in ((200, False), (60, True)):
        text.width = width
        laid.frames(3)
        broken = [fault.what for fault in laid.faults() if fault.kind == "broken"]
        assert broken == (["Unabridgedness"] if is_broken else [])
    text.text, text.width = "of the\n\nsea and  of the land", 60
    laid.frames(3)
    assert not [fault for fault in laid.faults() if fault.kind == "broken"]


@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_the_names_that_a_game_gives_by_itself_are_read_whole_in_the_largest_text(
    size: tuple[int, int],
) -> None:
    from companion.testing.scenes_med import evening
    from companion.ui.widgets import Text

    desk = evening(names=tuple(f"Player {n}" for n in range(1, 5))).desk
    laid = harness.lay(desk, size=size, screen="table", text_step=2, language="de")
    assert laid.faults() == []
    shown = [w for w in laid.walk() if isinstance(w, Text) and w.text.startswith("Spieler ")]
    assert {w.text for w in shown} >= {"Spieler 1", "Spieler 2", "Spieler 3", "Spieler 4"}
    assert not any(w._shortens for w in shown)


def test_a_checklist_takes_the_room_there_is_before_its_type_shrinks() -> None:
    from companion.testing.scenes_med import evening

    laid = harness.lay(evening().desk, screen="table", text_step=2, language="de")
    assert laid.root.screen.ids.checks.font_px == theme.font_px("body")


@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_help_has_one_type_size(size: tuple[int, int]) -> None:
    from companion.ui.dialogs import HelpLine

    laid = open_scene("med-play", size=size, text_step=2, language="de")
    laid.root.help()
    laid.settle()
    assert laid.faults() == []
    lines = [w for w in laid.walk() if isinstance(w, HelpLine)]
    assert len(lines) > 1
    assert len({line.children[0].font_size for line in lines}) == 1


def test_help_of_a_high_window_stands_on_one_page() -> None:
    assert not open_scene("help", size=(720, 1280)).has("1/2")
