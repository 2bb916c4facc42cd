"""Texts: what is cut keeps whole words in as many lines as fit; buttons side by side share one type size."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.pages.i18n import LANGUAGES
from companion.testing import harness
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.testing.scenes import busy_desk, open_scene
from companion.ui.dialogs import Choose
from companion.ui.frame import NavPlate
from companion.ui.theme import TEXT_SCALES, theme
from companion.ui.widgets import Emblem, Tabs, Text
from companion.ui.widgets.basic import drawable, measure, shortened

_WORDS = st.lists(st.text("abcdefghijklm", min_size=1, max_size=12), min_size=1, max_size=40)


@settings(max_examples=40)
@given(_WORDS, st.floats(120, 500), st.floats(20, 90))
def test_a_shortened_text_is_the_longest_start_that_fits(
    words: list[str], width_px: float, height_px: float
) -> None:
    text = " ".join(words)
    found = shortened(text, 14, False, width_px, height_px)
    kept = found.removesuffix(" …").split()
    assert kept == words[: len(kept)]
    assert kept
    if len(kept) > 1:
        assert measure(found, 14, False, width_px)[1] <= height_px
    if len(kept) < len(words):
        longer = " ".join(words[: len(kept) + 1]) + " …"
        assert measure(longer, 14, False, width_px)[1] > height_px


def test_a_text_that_may_be_cut_stays_easy_to_read_and_uses_its_lines() -> None:
    laid = harness.lay(screen="home")
    long = (
        "Greece and Crete are neutral until the spring of the next year, France is allied until the summer. "
        * 3
    )
    text = Text(text=long, role="small", may_shorten=True, size_hint=(None, None), size=(360, 44))
    laid.root.add_widget(text)
    laid.frames(3)
    assert text.font_size >= 0.8 * theme.font_px("small")
    assert text.texture_size[1] > 1.8 * text.font_size
    assert text.texture_size[1] <= 44
    assert text._words.endswith(" …")
    text.size = (360, 400)
    laid.frames(3)
    assert text._words == long
    laid.root.remove_widget(text)


@pytest.mark.parametrize("side", [15, 22, 26, 40])
def test_letters_of_two_corps_that_begin_alike_are_told_apart_and_stay_in_their_place(side: int) -> None:
    """XXX and XIII Corps fight in one army: cut to two letters they were "XX" and "XI"."""
    marks = {}
    for letters in ("XX", "XXX", "XI", "XIII"):
        emblem = Emblem(emblem=letters, size=(side, side))
        texture = emblem._rect.texture
        assert texture.width <= side + 1
        marks[letters] = (texture.size, texture.pixels)
    assert len(set(marks.values())) == len(marks)


def test_tabs_share_the_type_size_of_the_widest_word() -> None:
    laid = harness.lay(screen="home")
    tabs = Tabs(options=[("a", "One die"), ("b", "Extraordinarily")], size_hint=(None, None), size=(220, 56))
    laid.root.add_widget(tabs)
    laid.frames(4)
    sizes = {w.font_size for w in tabs.walk(restrict=True) if isinstance(w, Text)}
    assert len(sizes) == 1
    assert sizes.pop() < theme.font_px("button")
    tabs.size = (700, 56)
    laid.frames(4)
    sizes = {w.font_size for w in tabs.walk(restrict=True) if isinstance(w, Text)}
    assert sizes == {theme.font_px("button")}
    laid.root.remove_widget(tabs)


def test_a_file_name_that_is_no_text_is_shown_and_ends_nothing() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()))
    for name in (os.fsdecode(b"caf\xe9.jsonl"), "a\x00b", "\u202eabc", "x" * 5_000):
        laid.root.notify(Notice("error", Say("{file} could not be imported", file=Typed(name))))
        laid.frames(2)
        laid.root.ask(Choose("Copy which game?", [(1, name), (2, "sound")], lambda _one: None))
        laid.frames(2)
        assert laid.has("sound")
        laid.root.dismiss()


@pytest.mark.parametrize("size", harness.SIZES)
def test_the_keys_of_the_foot_keep_their_places_whatever_they_say(size: tuple[int, int]) -> None:
    """Once a key stood between undo and main, its place stays: nothing moves under a finger from page to page."""
    laid = harness.lay(MemoryDesk(sample_setup()), size=size)
    bar = laid.root.frame._bottom
    places = set()
    for second, undo, main in (
        ("All battles", "Moves done", "Roll"),
        ("", "a sentence of many short words that fit one below the other in it", ""),
        ("", "", "Moves done"),
        ("Odds", "Step 4, Allies: Declare battles", "Enter the attackers first"),
    ):
        bar.second_text, bar.undo_text, bar.main_text = second, undo, main
        laid.frames(2)
        places.add(tuple((key.x, key.width) for key in (bar.ids.undo, bar.ids.main)))
        assert bar.ids.undo.right < bar.ids.main.x - bar.kept_px
        assert laid.faults() == []
    assert len(places) == 1
    laid.root.go("table")
    laid.frames(2)
    again = laid.root.frame._bottom
    assert {tuple((key.x, key.width) for key in (again.ids.undo, again.ids.main))} == places, (
        "the same screen again"
    )


def test_undo_keeps_its_word_and_is_cut_at_the_end_of_one() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()))
    bar, long = laid.root.frame._bottom, "a sentence of many short words, " * 6
    for second in ("", "All battles"):
        bar.second_text, bar.undo_text = second, long
        laid.frames(3)
        shown = bar.ids.undo.text
        assert shown.startswith("Undo: a sentence")
        assert shown.endswith(" …")
        assert f"Undo: {long}".startswith(shown.removesuffix(" …"))
        assert laid.faults() == []


def test_undo_says_in_few_words_what_would_need_two_lines_or_a_second_colon() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()))
    bar = laid.root.frame._bottom
    for whole, shown in (
        ("Moves done", "Undo: Moves done"),
        ("Ticked: Over", "Undo: a tick"),
        ("Active units may also declare on enemies in range or beside them", "Undo: a tick"),
    ):
        bar.undo_kind, bar.undo_text = "a tick", whole
        laid.frames(2)
        assert bar.ids.undo.text == shown


def test_a_long_notice_is_read_whole() -> None:
    for size in harness.SIZES:
        laid = harness.lay(MemoryDesk(sample_setup()), size=size)
        low = None
        for words in (4, 30):
            laid.root.notify(Notice("error", Typed("refused " * words), Typed("Copy it again.")))
            laid.frames(2)
            toast = laid.root.toast
            assert [fault for fault in laid.faults() if fault.kind != "contrast"] == []
            assert low is None or toast.height > low
            low = toast.height


def test_a_notice_on_the_table_hides_neither_stage_nor_clocks_nor_act() -> None:
    for size in harness.SIZES:
        laid = harness.lay(busy_desk(), size=size, screen="settings")
        laid.root.notify(Notice("error", Typed("refused " * 12), Typed("Copy it again.")))
        laid.root.go("table")
        laid.frames(3)
        screen, toast = laid.root.screen, laid.root.toast
        for kept in (laid.root.frame._top, laid.root.frame._strip, screen.ids.cards, screen.ids.act):
            x, y = kept.to_window(*kept.pos)
            apart = (
                toast.top <= y or toast.y >= y + kept.height or toast.x >= x + kept.width or toast.right <= x
            )
            assert apart, (size, kept)
        assert toast.y > laid.root.frame._bottom.top


@pytest.mark.parametrize("text", ["W" * 100_000, "word " * 20_000, "\u200b" * 90_000, "a\n" * 40_000])
@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("may_shorten", [False, True])
def test_a_text_without_end_is_drawn_as_far_as_a_window_goes(
    text: str, wraps: bool, may_shorten: bool
) -> None:
    table = harness.lay(screen="table")
    shown = Text(text=text, wraps=wraps, may_shorten=may_shorten, size=(300, 40), size_hint=(None, None))
    table.root.add_widget(shown)
    table.frames(2)
    assert 0 < len(shown._words) < 4_010
    assert len(drawable(text)) <= 4_001


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_rail_stands_whole(language: str) -> None:
    """Also where one language's word for a screen is longer than an equal part of the window."""
    for size in harness.SIZES:
        for step in range(len(TEXT_SCALES)):
            laid = open_scene("sfw-table", size=size, text_step=step, language=language)
            names = {plate.text for plate in laid.walk() if isinstance(plate, NavPlate)}
            assert len(names) == 5
            assert [fault for fault in laid.faults() if fault.what in names] == []


def test_the_mark_of_the_open_screen_covers_no_word_of_the_rail() -> None:
    laid = open_scene("aana-requisition", size=(800, 480), language="de")
    here = next(plate for plate in laid.walk() if isinstance(plate, NavPlate) and plate.is_here)
    word = next(part for part in here.children if isinstance(part, Text))
    assert word.x >= here.x + theme.px(4)
    assert laid.faults() == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_notice_has_room_for_its_words_beside_or_above_its_buttons(language: str) -> None:
    for size in harness.SIZES:
        for step in range(len(TEXT_SCALES)):
            laid = open_scene("sfw-battle-over", size=size, text_step=step, language=language)
            assert laid.faults() == []
