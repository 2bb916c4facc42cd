"""Every scene in a language that nobody speaks: no text is unmarked, and none is cut where words are a third longer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from companion.pages.i18n import LANGUAGES
from companion.testing import harness, pseudo
from companion.testing.scenes import SCENES, open_scene

_PRINTED = """
Naples Taranto Siwa Malta Tobruk Western Desert Eastern Mediterranean ANZAC th Army Panzerarmee Afrika Ark Royal Nelson Gorizia
Zone Vigorous Fliegerkorps Radar Hidden Fleet United States Italy Lend Lease Tanks AT LB HB LT AA Mersa Brega
"""
"""As maps, counters and cards of the games have them in every language, and as a rulebook abbreviates its units."""
_TYPED = """
http tv overlay BZMB GVK QM XPA GV Land Anna Ben Bert Cleo David Evening Club dice From last year white jpg UVC Camera HD Webcam the desert
home pi companion
"""
"""What people typed, and what devices and files are called."""
_LANGUAGES = (*LANGUAGES.values(), "Language Sprache Langue")
"""What every language is called, and the heading of their list, both as each of them writes it."""
NAMES = frozenset((*_PRINTED.split(), *_TYPED.split(), *pseudo.unmarked(" ".join(_LANGUAGES))))
"""Words that no catalogue translates."""

PRODUCT = "Table Companion"
"""The name of the product, and of its Wi-Fi."""

TOLD = frozenset(
    {
        "The panel on the GPIO pins works, except: The right display.",
        "The box pico-4F2A does not respond; plug it in again.",
        "The box pico-4F2A does not respond; the game goes on.",
        "The left lamp works again.",
        "Pi camera: no answer; check the ribbon cable",
        "Pi camera",
        "The disk is full",
        "Play goes on; delete old games to save again.",
        "Writing the game to the stick.",
        "Copying",
        "North seat",
        "South seat",
    }
)
"""What a scene says itself, in place of the shell, the devices and the players who typed their names."""


TIGHT = frozenset(
    map(
        pseudo.pseudo,
        (
            "Reinforce",
            "an Italian star is Allied: Italy falls at the end of an Axis turn from 1943 on",
            "Constantine",  # as the board prints them, in every language
            "Mersa Matruh",
        ),
    )
)
"""Texts that a longer language would cut today, and those that begin with the ones below; to go with the screens that pages replace."""
TIGHT_STARTS = (pseudo.pseudo("by road, one per land unit").removesuffix("»"),)


def _scenes() -> Iterator[Any]:
    for index, key in enumerate(sorted(SCENES)):
        for turn, size in enumerate(harness.SIZES):
            always = index % 9 == turn * 3
            yield pytest.param(
                key, size, id=f"{key}-{size[0]}x{size[1]}", marks=() if always else (pytest.mark.long,)
            )


def _texts(laid: harness.Laid) -> set[str]:
    texts = {text for widget in laid.walk() if isinstance(text := getattr(widget, "text", ""), str)}
    return {text.replace(PRODUCT, "") for text in texts - TOLD}


@pytest.mark.parametrize(("key", "size"), tuple(_scenes()))
def test_every_text_is_marked_and_has_room(key: str, size: tuple[int, int]) -> None:
    with pseudo.spoken():
        laid = open_scene(key, size=size)
        left = {text: words for text in _texts(laid) if (words := set(pseudo.unmarked(text)) - NAMES)}
        assert left == {}, "not marked for the catalogue"
        cut = [fault for fault in laid.faults() if fault.kind in ("cut", "broken")]
        assert [f for f in cut if f.what not in TIGHT and not f.what.startswith(TIGHT_STARTS)] == []


def test_an_unmarked_text_is_found() -> None:
    with pseudo.spoken():
        laid = harness.lay(screen="home")
        assert {word for text in _texts(laid) for word in pseudo.unmarked(text)} <= NAMES
        assert pseudo.unmarked("«Ñö» of Rommel") == ("of", "Rommel")
