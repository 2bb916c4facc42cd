"""One table of lamps, digits and presses, total over every step of every scenario of every game."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.core.flow import Step
from companion.core.ids import ARBITER, TABLE, Actor, Side
from companion.core.state import GameState
from companion.pages.desk import ScenarioInfo
from companion.pages.panel import PLACES, cues, panel_view, press_command, seats
from companion.testing.memory_desk import MemoryDesk
from hardware.language import SIGNAL_PATTERNS, Cue, Signal
from hardware.patterns import clock_text

CATALOGUE = GameCatalogue()
SCENARIOS = {f"{info.game}-{info.scenario}": info for info in CATALOGUE.scenarios()}
WORDS = {signal.value for signal in Signal}


def opened(info: ScenarioInfo) -> MemoryDesk:
    """A game under tournament time where it has that, else as it comes."""
    wanted: dict[str, object] = {}
    if True in info.options.get("tournament", ()):
        wanted["tournament"] = True
    minutes = [one for one in info.options.get("clock", ()) if isinstance(one, int)]
    if minutes:
        wanted["clock"] = minutes[0]
    elif wanted:
        wanted["minutes"] = 20
    setup = CATALOGUE.make_setup(info.game, info.scenario, wanted)
    return MemoryDesk(setup, CATALOGUE.rules_of(info.game))


def state_of(desk: MemoryDesk) -> GameState:
    assert desk.change is not None
    return desk.change.state


def walk(desk: MemoryDesk) -> Iterator[Step]:
    """Stand on every step of the game in turn, by the arbiter's jump."""
    for step in state_of(desk).itinerary.steps:
        if step.id != state_of(desk).step.id:
            at_ms = desk.now_ms()
            desk.send(cm.JumpTo(step=state_of(desk).step.id, to=step.id, at_ms=at_ms), actor=ARBITER)
        if state_of(desk).step.id == step.id:
            yield step


def look(state: GameState, now_ms: int) -> dict[str, str]:
    """Ask the table in every way, check what must always hold, and return the lamps of the plain one."""
    for swapped in (False, True):
        for has_key in (False, True):
            view = panel_view(state, now_ms, swapped=swapped, has_key=has_key)
            assert [place for place, _signal in view.lamps] == list(PLACES)
            assert {signal for _place, signal in view.lamps} <= WORDS
            assert view.changes_in_ms is None or view.changes_in_ms > 0
            for _place, seconds in view.display_s:
                assert seconds is None or clock_text(seconds).text
            if has_key or state.gap is not None:
                assert {signal for _place, signal in view.lamps} == {"arbiter"}
            for button in ("left", "right", "pause"):
                asked = press_command(
                    state, button, now_ms, entered_ms=None, swapped=swapped, has_key=has_key
                )
                assert asked is None or asked[1] == (ARBITER if has_key else asked[1])
                if asked is not None and isinstance(asked[0], cm.EndAct):
                    assert asked[0].step == state.step.id
    return dict(panel_view(state, now_ms).lamps)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_step_of_every_scenario_has_its_lamps_and_presses(name: str) -> None:
    desk = opened(SCENARIOS[name])
    seen = 0
    for step in walk(desk):
        seen += 1
        desk.advance(1_000)
        desk.send(cm.Resume(at_ms=desk.now_ms()))
        state = state_of(desk)
        lamps = look(state, desk.now_ms())
        if state.ending is not None:
            assert set(lamps.values()) == {"off"}
            continue
        places = seats(state)
        for place in ("left", "right"):
            side = places.get(place)
            if state.clocks.running is not None and side == state.clocks.running:
                assert lamps[place] in ("running", "low_time"), step.id
            elif not step.owners or side in step.owners:
                assert lamps[place] in ("waiting", "flag", "paused"), step.id
            elif side is not None:
                assert lamps[place] in ("off", "flag"), step.id
        assert lamps["left"] != "off" or lamps["right"] != "off", f"{step.id}: nobody is asked for anything"
        desk.send(cm.Pause(at_ms=desk.now_ms()))
        paused = state_of(desk)
        lamps = look(paused, desk.now_ms())
        if paused.clocks.is_paused:
            assert "running" not in lamps.values()
            assert press_command(paused, "left", desk.now_ms(), entered_ms=None) is None
            asked = press_command(paused, "pause", desk.now_ms(), entered_ms=None)
            assert asked == (cm.Resume(at_ms=desk.now_ms()), TABLE)
    assert seen >= len(state_of(desk).itinerary.steps) / 2
    desk.send(cm.EndGame(at_ms=desk.now_ms(), winner=None, reason="agreed"), actor=ARBITER)
    over = state_of(desk)
    if over.ending is not None:
        assert set(look(over, desk.now_ms()).values()) == {"off"}
        for button in ("left", "right", "pause"):
            assert press_command(over, button, desk.now_ms(), entered_ms=None) is None


@pytest.mark.parametrize(
    "name", [name for name, info in SCENARIOS.items() if True in info.options.get("tournament", ())]
)
def test_low_time_and_flag_light_on_every_clock_of_a_tournament(name: str) -> None:
    desk = opened(SCENARIOS[name])
    clocked = next((step for step in walk(desk) if step.clock is not None), None)
    assert clocked is not None, "a tournament without a clock"
    desk.send(cm.Resume(at_ms=desk.now_ms()))
    side = state_of(desk).clocks.running
    assert side is not None
    seen = set()
    for _n in range(5_000):
        state = state_of(desk)
        lamps = look(state, desk.now_ms())
        place = next(place for place, one in seats(state).items() if one == side)
        seen.add(lamps[place])
        if state.flag_prompt == side:
            break
        desk.advance(max(1_000, panel_view(state, desk.now_ms()).changes_in_ms or 1_000) + 30_000)
    assert {"running", "low_time", "flag"} <= seen


PRESSES = st.lists(
    st.tuples(st.sampled_from(("left", "right", "pause", "key")), st.integers(0, 400_000)), max_size=40
)


@given(st.sampled_from(sorted(SCENARIOS)), PRESSES)
@settings(max_examples=40)
def test_any_presses_in_any_game_give_a_whole_table_and_known_sounds(
    name: str, presses: list[tuple[str, int]]
) -> None:
    desk = opened(SCENARIOS[name])
    has_key = False
    for button, later_ms in presses:
        desk.advance(later_ms)
        if button == "key":
            has_key = not has_key
            continue
        before = state_of(desk)
        asked = press_command(before, button, desk.now_ms(), entered_ms=None, has_key=has_key)
        if asked is not None:
            desk.send(asked[0], actor=asked[1])
            assert desk.change is not None
            assert {Cue(cue) for cue in cues(desk.change, before)} <= set(Cue)
        look(state_of(desk), desk.now_ms())


def test_the_words_of_the_table_are_those_of_the_lamps() -> None:
    assert {signal.value for signal in SIGNAL_PATTERNS} == WORDS


def test_more_than_two_sides_share_both_places() -> None:
    """The card game: whoever is to act sits at both buttons; where several are to act, both are asked."""
    many = [name for name, info in SCENARIOS.items() if info.game == "med"]
    assert many
    desk = opened(SCENARIOS[many[0]])
    state = state_of(desk)
    if len(state.frozen_setup.sides) > 2 and len(state.step.owners) == 1:
        owner = state.step.owners[0]
        assert seats(state) == {"left": owner, "right": owner}
        asked = press_command(state, "right", desk.now_ms(), entered_ms=None)
        assert asked is not None
        assert asked[1] == Actor(Side(owner))
    lamps = dict(panel_view(state, desk.now_ms()).lamps)
    assert lamps["left"] == lamps["right"] != "off"
