"""Every table of odds that a page shows adds up to its whole, whatever the battle."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.rules import GameRules
from companion.games.aana.pages.odds import odds_say
from companion.games.sfw.pages.battle_odds import odds_blocks
from companion.games.sfw.rules.battle_losses import CHEAPEST
from companion.pages.page import TABLE_VIEWER, Plot, Sight, Split, all_blocks
from companion.pages.plots import Distribution
from companion.pages.speak import speak
from tests.games.sfw_editions import FIRST, NEWER, Fought
from tests.pages.test_aana_odds import opened

few = st.integers(0, 2)
LAND = ("infantry", "tank", "artillery", "fighter", "light_bomber", "anti_air")
SEA = ("destroyer", "submarine", "cruiser", "battleship", "carrier", "fighter")
AFRICA = ("germany_infantry", "germany_tank", "germany_fighter", "germany_scout_car")
HOLD = ("uk_infantry", "uk_aaa", "uk_anti_tank", "uk_fighter")


@pytest.mark.parametrize("game", [NEWER, FIRST])
@pytest.mark.parametrize(("terrain", "kinds", "step"), [("land", LAND, 4), ("sea", SEA, 3)])
@settings(max_examples=6)
@given(data=st.data())
def test_bars_and_plots_of_song_for_war_are_whole(
    game: str, terrain: str, kinds: tuple[str, ...], step: int, data: st.DataObject
) -> None:
    forces = st.dictionaries(st.sampled_from(kinds), st.integers(1, 2), min_size=1, max_size=3)
    attack, defence = data.draw(forces), data.draw(forces)
    fought = Fought(game, f"s3.t{step}.allies.declare", terrain=terrain)
    fought.attack(
        ("us", "infantry" if terrain == "land" else "destroyer", 1),
        *(("us", k, n) for k, n in attack.items()),
    )
    fought.defend(*(("germany", k, n) for k, n in defence.items())).moved()
    sight = Sight(TABLE_VIEWER, fought.evening.desk.change, GameRules())
    blocks = tuple(all_blocks(odds_blocks(sight, fought.declared, CHEAPEST)))
    bars = [block for block in blocks if isinstance(block, Split)]
    plots = [block.model for block in blocks if isinstance(block, Plot)]
    assert len(bars) == 1
    assert len(plots) == 2
    for bar in bars:
        assert sum(part.amount for part in bar.parts) == pytest.approx(1, abs=1e-9)
        told = [
            float(speak(part.title, fought.evening.state).split()[0].strip("%\N{NO-BREAK SPACE}<>"))
            for part in bar.parts
        ]
        assert sum(told) == pytest.approx(100, abs=0.11)
    for plot in plots:
        assert isinstance(plot, Distribution)
        assert sum(one.share for one in plot.bins) == pytest.approx(1, abs=1e-9)


@settings(max_examples=6)
@given(
    st.dictionaries(st.sampled_from(AFRICA), st.integers(1, 2), min_size=1, max_size=2),
    st.dictionaries(st.sampled_from(HOLD), st.integers(1, 2), min_size=1, max_size=2),
)
def test_the_ends_of_a_north_african_combat_make_a_hundred(
    attack: dict[str, int], defence: dict[str, int]
) -> None:
    table = opened(
        defence, {"mersa_brega": attack}, supply={"bir_hacheim": 6, "tobruk": 18, "mersa_brega": 9}
    )
    text = speak(odds_say(table.state, table.fight), table.state)
    ends = [int(n) for n in re.findall(r"(\d+)\s%", text.partition(";")[0])]
    assert sum(ends) == (100 if ends else 0), text
    assert ends or "check again" in text, text
