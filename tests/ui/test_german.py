"""No English word is left on any screen of a game under German; names of places and pieces stay as the map has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from companion.testing.scenes import SCENES, open_scene
from tests.words.test_sentences import english, words

NAMES = frozenset(
    {"camera", "desert", "eastern", "fleet", "hidden", "home", "italy", "lease", "naples"}
    | {"lend", "mediterranean", "states", "tanks", "taranto", "united", "western"}
)
"""Words of names as they are printed on map and cards, or as the scene's players typed them."""


def _scenes() -> Iterator[Any]:
    keys = [key for key in sorted(SCENES) if key.startswith(("aana-", "med-", "sfw-", "sfw1-", "tsu-"))]
    for index, key in enumerate(keys):
        yield pytest.param(key, marks=() if index % 3 == 0 else (pytest.mark.long,))


@pytest.mark.parametrize("key", tuple(_scenes()))
def test_no_english_word_is_left(key: str) -> None:
    laid = open_scene(key, language="de")
    texts = {text for widget in laid.walk() if isinstance(text := getattr(widget, "text", ""), str)}
    left = {text: found for text in texts if (found := (words(text) & english("de")) - NAMES)}
    assert left == {}
