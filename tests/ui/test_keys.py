"""Everything by keyboard and by a presenter's keys; a held key acts once."""

from __future__ import annotations

import pytest
from sample_laid import lay

from companion.pages import i18n
from companion.pages.numbers import DECIMAL
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.ui.dialogs import Confirm, NumberEntry
from companion.ui.inputs import KEYS, KeyGate, PressClock
from companion.ui.letters import TextEntry

SPACE, Z, P, TAB, ESCAPE, LEFT, RIGHT, PAGE_UP, PAGE_DOWN, H, Y = (
    32,
    122,
    112,
    9,
    27,
    276,
    275,
    280,
    281,
    104,
    121,
)


def _kinds(laid: Laid) -> list[str]:
    return [type(envelope.command).__name__ for envelope in laid.desk.sent]


@pytest.mark.parametrize("code", [SPACE, 13, PAGE_DOWN], ids=["space", "enter", "presenter"])
def test_main_act(code: int) -> None:
    laid = lay()
    laid.key(code)
    assert _kinds(laid) == ["EndAct"]


def test_held_key_acts_once() -> None:
    laid = lay()
    laid.key(SPACE, repeats=40)
    assert _kinds(laid) == ["EndAct"]
    laid.key(SPACE)
    assert _kinds(laid) == ["EndAct", "EndAct"]


def test_undo_and_redo() -> None:
    laid = lay()
    laid.key(SPACE)
    laid.key(Z)
    assert laid.desk.change.state.step.id == "s1.t1.allies.move"
    laid.key(Y)
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"


@pytest.mark.parametrize("code", [P, 98, 46], ids=["p", "b", "full-stop"])
def test_pause_and_resume(code: int) -> None:
    laid = lay()
    laid.key(code)
    assert laid.desk.change.state.clocks.is_paused
    laid.key(code)
    assert not laid.desk.change.state.clocks.is_paused


def test_undo_with_nothing_to_undo_sends_nothing() -> None:
    laid = lay()
    laid.key(Z)
    assert laid.desk.sent == []


def test_left_and_right_are_the_halves() -> None:
    laid = lay("clocks")
    laid.key(RIGHT)
    assert laid.desk.change.rejected is not None
    assert laid.desk.change.rejected.code == "not_your_act"
    laid.key(LEFT)
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"


def test_tab_walks_the_rail_and_escape_goes_back() -> None:
    laid = lay()
    laid.key(TAB)
    assert laid.root.screen.key == "more"
    laid.key(ESCAPE)
    assert laid.root.screen.key == "table"
    laid.key(PAGE_UP)
    assert laid.root.screen.key == "home"


def test_help_opens_and_escape_closes_it() -> None:
    laid = lay()
    laid.key(H)
    assert laid.has("Checklist")
    laid.key(ESCAPE)
    assert laid.root.dialogs == []


@pytest.mark.parametrize("way", ["h", "space", "beside", "question-mark"])
def test_help_closes_in_every_way_that_one_would_try(way: str) -> None:
    laid = lay()
    mark = laid.find(icon="help")
    laid.tap(mark)
    assert len(laid.root.dialogs) == 1
    if way == "beside":
        laid.tap((4, 240))
    elif way == "question-mark":
        laid.tap(mark)
    else:
        laid.key(H if way == "h" else SPACE)
    assert laid.root.dialogs == []
    assert laid.desk.sent == []


def test_dialog_takes_the_keys_before_the_screen() -> None:
    laid = lay()
    done: list[int] = []
    laid.root.ask(Confirm("Sure?", "", "Yes", lambda _t: done.append(1)))
    laid.settle()
    laid.key(Z)
    assert laid.desk.sent == []
    laid.key(SPACE)
    assert done == [1]
    assert laid.desk.sent == []


def test_digits_type_into_a_number_entry() -> None:
    laid = lay()
    got: list[str] = []
    laid.root.ask(NumberEntry("How many?", got.append))
    laid.settle()
    for code in (49, 256 + 2, 51, 8):
        laid.key(code)
    laid.key(13)
    assert got == ["12"]


def test_number_entry_takes_its_extra_key_from_a_keyboard_and_no_letters() -> None:
    laid = lay()
    got: list[str] = []
    laid.root.ask(NumberEntry("Tile value", got.append, extra="."))
    laid.settle()
    for sign in "0,7z5":
        laid.key(ord(sign))
    laid.key(13)
    assert got == ["0.75"]
    assert laid.desk.sent == []


def _text_entry(value: str = "", language: str = "en") -> tuple[Laid, list[str]]:
    laid = harness.lay(MemoryDesk(sample_setup()), language=language)
    got: list[str] = []
    laid.root.ask(TextEntry("Whose name?", got.append, value=value))
    laid.settle()
    return laid, got


@pytest.mark.parametrize(("language", "sign"), [("en", "."), ("de", ",")])
def test_the_decimal_key_has_the_language_s_sign_and_both_are_taken(language: str, sign: str) -> None:
    got: list[str] = []
    laid = harness.lay(language=language)
    try:
        for typed in (",", "."):
            entry = NumberEntry("Tile value", got.append, extra=DECIMAL)
            laid.root.ask(entry)
            laid.settle()
            for key in ("0", sign, sign, "7"):
                laid.tap(laid.find(text=key))
            assert entry.value == "0.7", "a second sign is not taken"
            assert laid.has(f"0{sign}7")
            laid.key(8)
            laid.key(8)
            laid.key(ord(typed))
            laid.key(ord("5"))
            assert laid.has(f"0{sign}5")
            laid.tap(laid.find(text=sign))
            laid.key(13)
        assert got == ["0.5", "0.5"]
    finally:
        i18n.use_language("en")


def test_a_real_keyboard_types_any_letters_into_a_text_entry() -> None:
    laid, got = _text_entry()
    for code, text in (
        (0, "J"),
        (252, "ü"),
        (114, "r"),
        (103, "g"),
        (32, " "),
        (122, "z"),
        (0, "é"),
        (120, "x"),
    ):
        laid.root.key_down(code)
        laid.root.text_typed(text)
        laid.root.key_up(code)
    laid.key(8)
    assert laid.root.dialogs[-1].value == "Jürg zé"
    laid.key(13)
    assert got == ["Jürg zé"]
    assert laid.desk.sent == []


def test_backspace_repeats_while_it_is_held_and_escape_leaves_a_text_entry() -> None:
    laid, got = _text_entry("Malta")
    laid.key(8, repeats=2)
    assert laid.root.dialogs[-1].value == "Ma"
    laid.key(ESCAPE)
    assert laid.root.dialogs == []
    assert got == []


def test_the_key_that_wakes_the_screen_types_nothing() -> None:
    laid, _got = _text_entry()
    laid.root._darken(0.7)
    laid.key(ord("m"))
    assert laid.root.dialogs[-1].value == ""
    laid.key(ord("m"))
    assert laid.root.dialogs[-1].value == "m"


def test_the_keys_on_the_screen_have_the_language_s_letters_and_a_space_in_words() -> None:
    laid, got = _text_entry(language="de")
    for key in ("Ö", "ß", "Leertaste", "Ü"):
        laid.tap(laid.find(text=key))
    assert laid.root.dialogs[-1].value == "Öß Ü"
    laid.key(13)
    assert got == ["Öß Ü"]


def test_every_letter_of_a_name_is_on_the_keys_whatever_the_language() -> None:
    laid, _got = _text_entry()
    for key in ("J", "Äéł", "Ü", "R", "G", "Äéł", "É"):
        laid.tap(laid.find(text=key))
    assert laid.root.dialogs[-1].value == "Jürgé", "one letter with an accent, and the usual keys are back"
    assert laid.faults() == []
    laid.tap(laid.find(text="Äéł"))
    assert laid.faults() == []


def test_a_sign_that_no_font_has_is_left_out_and_said() -> None:
    laid, _got = _text_entry()
    for text in ("A", "李", "\U0001f600", "b"):
        laid.root.text_typed(text)
    assert laid.root.dialogs[-1].value == "Ab"
    assert laid.has("This sign cannot be shown here and was left out.")


def test_key_means_nothing_is_not_taken() -> None:
    laid = lay()
    assert laid.root.key_down(ord("q")) is False


def test_gate_lets_each_press_through_once() -> None:
    gate = KeyGate()
    assert [gate.press(SPACE) for _n in range(3)] == ["main", None, None]
    gate.release(SPACE)
    assert gate.press(SPACE) == "main"


def test_every_key_has_a_known_meaning() -> None:
    known = {
        "main",
        "undo",
        "redo",
        "pause",
        "previous",
        "left",
        "right",
        "up",
        "down",
        "back",
        "next_tab",
        "help",
        "erase",
        "sign_half",
        "sign_more",
        "sign_skip",
    }
    assert {name for name in KEYS.values() if not name.startswith("digit")} == known


def test_press_clock_dates_back_by_the_age_of_the_sight() -> None:
    now = [5_000_000_000]
    clock = PressClock(lambda: 70_000, lambda: now[0])

    class Touch:
        seen_ns: int | None = None

    touch = Touch()
    clock.see(touch)
    now[0] += 37_900_000
    assert clock.stamp_ms(touch) == 70_000 - 37
    clock.see(touch)
    assert touch.seen_ns == 5_000_000_000
    assert clock.stamp_ms(None) == 70_000
