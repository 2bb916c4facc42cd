"""A game of v0.96 at an in-memory table, driven through commands as a screen drives it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.games.sfw_editions import NEWER, Evening

# A busy machine is no fault.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A full set of tile values that fits every stated sum. The figures are made up for the tests.
TILES: dict[str, float] = {
    "algiers": 8, "gibraltar": 6, "malta": 4, "alexandria": 8,
    "bizerte": 2, "tripoli": 5, "benghazi": 1, "tobruk": 3, "bone": 0.5, "derna": 0.5,
    "tunis": 4, "messina": 3, "naples": 4, "athens": 9, "thessaloniki": 3, "rome": 9, "cagliari": 1, "taranto": 4,
    "larissa": 0.25, "maleme": 0.5, "heraklion": 0.5, "catania": 1, "ajaccio": 0.75,
}  # fmt: skip


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the collector from looking through some ten thousand tests again and again: they stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)


def pytest_pycollect_makeitem(
    collector: pytest.Collector, name: str, obj: object
) -> list[pytest.Item] | None:
    """Make no items of a long test in a run without them: of one alone there are twelve thousand."""
    is_long = any(mark.name == "long" for mark in getattr(obj, "pytestmark", ()))
    has_none = collector.config.option.markexpr.startswith("not long and ")
    return [] if is_long and has_none and name.startswith("test") else None


class Game(Evening):
    """One game of v0.96."""

    def __init__(self, scenario: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(NEWER, scenario, options)

    def enter_tiles(self) -> None:
        self.enter({f"vp.theater.{site}": vp for site, vp in TILES.items()})


@pytest.fixture
def ledger_game() -> Callable[..., Game]:
    return Game
