"""Evenings of all five games that differ in one secret alone, in great numbers."""

from __future__ import annotations

from collections import Counter

import pytest

from companion.games.registry import games_by_key
from tests.property.pairs import played


@pytest.mark.long
def test_twenty_thousand_pairs_of_evenings_tell_nobody_what_is_hidden() -> None:
    games = Counter[str]()
    for kind, count in played(20_000, tell=print).items():
        assert count > 20, kind
        games[kind.partition(" ")[0]] += count
    assert games.keys() == games_by_key().keys()
    assert min(games.values()) >= 3_000
