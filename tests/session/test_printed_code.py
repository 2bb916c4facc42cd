"""A set of printed values as the text of a QR code: short, checked, and refused by name where it is none."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.adapters.catalogue import GameCatalogue
from companion.core import base45
from companion.core.events import GameStarted
from companion.core.evolve import evolve
from companion.core.state import EMPTY_STATE
from companion.pages.modules import game_view
from companion.session import printed_code
from companion.session.printed_code import (
    MOST_SIGNS,
    PrintedCode,
    PrintedCodeError,
    key_order,
    read_code,
    written_code,
)

CODE = PrintedCode("sfw96", "apr43", {"vp.theater.rome": 9.5, "link.benghazi.gazala": True, "deck.us": 16,
                                      "holder.apr43.rome": "italy", "resupply.theater.rome.air": 0})  # fmt: skip

_BODY = b"\x94\xa1a\xa1b\xc4\x00\x81\xa1k" + b"\x91" * 1_500 + b"\xc0"
NESTED = "TCPV1:" + base45.encode(zlib.compress(printed_code._crc(_BODY) + _BODY))
"""A body that is whole and nested beyond what anything reads."""

_VALUES: Any = st.one_of(
    st.integers(-5, 99), st.integers(0, 400).map(lambda n: n / 4), st.booleans(), st.text(max_size=8),
    st.floats(allow_nan=False, allow_infinity=False), st.lists(st.text(max_size=4), max_size=3),
    st.dictionaries(st.text(max_size=4), st.integers(0, 9), max_size=3),
)  # fmt: skip


@given(
    st.dictionaries(
        st.one_of(st.sampled_from(key_order("sfw96")), st.text(max_size=20)), _VALUES, max_size=40
    )
)
def test_what_is_written_is_read(values: dict[str, Any]) -> None:
    code = PrintedCode("sfw96", "nafrica", values)
    found = read_code(written_code(code))
    assert found == code
    assert {key: type(value) is bool for key, value in found.values.items()} == {
        key: type(value) is bool for key, value in values.items()
    }, "yes is not one"


def test_a_code_holds_only_signs_that_qr_packs_best() -> None:
    assert set(written_code(CODE)) <= set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")


def test_a_whole_box_of_the_largest_game_is_small() -> None:
    values = dict.fromkeys(key_order("sfw96"), 2.5)
    values |= {key: n % 13 for n, key in enumerate(values)}
    assert len(values) > 250
    assert len(written_code(PrintedCode("sfw96", "apr43", values))) < 500


@pytest.mark.parametrize(
    "info", GameCatalogue(Path("none")).scenarios(), ids=lambda info: f"{info.game}-{info.scenario}"
)
def test_every_figure_of_the_sheet_has_its_place_in_a_code(info: Any) -> None:
    catalogue = GameCatalogue(Path("none"))
    setup = catalogue.make_setup(info.game, info.scenario, {})
    state = evolve(catalogue.rules_of(info.game), EMPTY_STATE, GameStarted(setup, 0))
    asked = {row.key for row in game_view(info.game).printed(state) if row.is_entered_here}
    assert asked <= set(key_order(info.game))
    assert len(set(key_order(info.game))) == len(key_order(info.game))


def test_places_in_a_code_never_move() -> None:
    assert [key_order("sfw96")[n] for n in (0, 22, 23, 83)] == [
        "vp.theater.ajaccio", "vp.theater.tunis", "resupply.theater.alexandria.air", "tank.number",
    ]  # fmt: skip
    assert [len(key_order(game)) for game in ("sfw96", "sfw1", "aana", "tsu")] >= [286, 97, 130, 2]


@pytest.mark.parametrize("cut", [1, 2, 7, 30])
def test_a_code_cut_short_is_refused(cut: int) -> None:
    with pytest.raises(PrintedCodeError, match="incomplete or damaged"):
        read_code(written_code(CODE)[:-cut])


@given(st.integers(7, 10_000), st.sampled_from("0123456789ABC$%:"))
def test_no_wrong_sign_passes(at: int, sign: str) -> None:
    text = written_code(CODE)
    at = 7 + at % (len(text) - 7)
    spoilt = text[:at] + sign + text[at + 1 :]
    if spoilt == text:
        return
    with pytest.raises(PrintedCodeError, match="incomplete or damaged"):
        read_code(spoilt)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no printed values"),
        ("https://example.org/a?b=c", "holds no printed values: https://example.org/a?b=c"),
        ("WIFI:S:home;;", "holds no printed values"),
        ("TCPV:ABC", "holds no printed values"),
        ("TCPV2:" + "0" * 40, "has form 2; this program reads form 1"),
        ("TCPV1:", "incomplete or damaged"),
        ("TCPV1:äöü", "incomplete or damaged"),
        ("TCPV1:ZZZ", "incomplete or damaged"),
        ("x" * 5_000, "holds no printed values"),
        (f"TCPV{'9' * 5_000}:ABC", "holds no printed values"),
        (NESTED, "incomplete or damaged"),
    ],
)
def test_another_text_is_refused_by_name(text: str, words: str) -> None:
    with pytest.raises(PrintedCodeError) as fault:
        read_code(text)
    assert words in str(fault.value)
    assert len(str(fault.value)) < 200


def test_a_code_of_more_places_than_this_version_has_asks_for_an_update() -> None:
    later = written_code(CODE, [*key_order("sfw96"), "vp.theater.new"])
    assert read_code(later) == CODE, "as long as nothing new is in it"
    more = PrintedCode("sfw96", "apr43", {"vp.theater.new": 3})
    with pytest.raises(PrintedCodeError, match="values that this version does not know"):
        read_code(written_code(more, [*key_order("sfw96"), "vp.theater.new"]))


def test_what_does_not_fit_says_how_much() -> None:
    cards = {f"card.{n}": {"name": f"{n * 7919 % 99991:x} {n * n:x}", "air": n % 6} for n in range(400)}
    with pytest.raises(
        PrintedCodeError, match=f"holds {MOST_SIGNS} signs, they need \\d+; export them as a file"
    ):
        written_code(PrintedCode("med", "match", cards))
