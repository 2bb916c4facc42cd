"""Evenings of all five games that differ in one secret alone, in great numbers."""

from __future__ import annotations

import pytest

from companion.games.registry import games_by_key
from tests.property.pairs import played


@pytest.mark.long
def test_twenty_thousand_pairs_of_evenings_tell_nobody_what_is_hidden() -> None:
    found = played(20_000, tell=print)
    assert {kind.partition(" ")[0] for kind in found} == {*games_by_key()}
