"""A counter says how far it goes: every press up to there counts, and none beyond is offered."""

from __future__ import annotations

from typing import Any

from companion.games.tsu.pages.draft import AttackDraft
from companion.games.tsu.pages.forces import supply_tiles
from companion.pages.page import Acts, Counter, Draft
from tests.games.tsu.test_tsu_play import Table as Underbelly


def counters(items: Any) -> dict[str, Counter]:
    return {one.key: one.facet for one in items if isinstance(one.facet, Counter)}


def test_what_an_attack_uses_up_counts_as_far_as_its_tile_says() -> None:
    table = Underbelly()
    table.to_step("su1943.allies.supply")
    draft, presses = AttackDraft(), 0
    while True:
        acts = Acts()
        (tiles,) = supply_tiles(table.state, acts, draft)
        counter = counters(tiles.tiles)["britain.supply"]
        assert counter.count == presses
        if counter.count == counter.most:
            break
        assert counter.more is not None
        act = acts[counter.more]
        assert isinstance(act, Draft)
        draft, presses = act.change(draft), presses + 1
    assert presses == 4
