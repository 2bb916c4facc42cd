"""The panel beside the screen: what its lamps and digits say of a state, and what its buttons ask.

One table for every game and phase. Places are left, right and arbiter; seats say which side sits where. Signals and
cues are the words of `hardware.language`, as texts, so that this module knows no device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.change import Change
from companion.core.ids import ARBITER, TABLE, Actor, Millis, Side
from companion.core.state import GameState
from companion.pages.controls import control_face, first_time_ms
from companion.pages.labels import end_command

__all__ = [
    "PLACES",
    "REACTION_MS",
    "PanelView",
    "Place",
    "Press",
    "cues",
    "panel_view",
    "press_command",
    "seats",
]

Place = Literal["left", "right", "arbiter"]
Press = Literal["left", "right", "pause"]

PLACES: tuple[Place, ...] = ("left", "right", "arbiter")

REACTION_MS = 250
"""A big button pressed sooner than this after its act began was meant for the act before: nobody reacts so fast."""


@dataclass(frozen=True, slots=True)
class PanelView:
    """What the panel shows."""

    lamps: tuple[tuple[Place, str], ...]
    """Place to signal: ``off``, ``paused``, ``running``, ``waiting``, ``low_time``, ``flag``, ``arbiter``."""
    display_s: tuple[tuple[Place, int | None], ...]
    """Place to whole seconds, rounded as on the screen; None: dark."""
    changes_in_ms: Millis | None
    """When the view changes by itself; None while nothing runs."""


def seats(state: GameState, *, swapped: bool = False) -> dict[Place, Side]:
    """Return who sits where: the first side left, the second right; swapped the other way round.

    With more than two sides (players of the card game) the panel serves whoever is to act on both places.
    """
    if state.setup is None:
        return {}
    sides = [info.id for info in state.setup.sides]
    if len(sides) != 2:
        owner = state.step.owners[0] if len(state.step.owners) == 1 else None
        return {} if owner is None else {"left": owner, "right": owner}
    left, right = reversed(sides) if swapped else sides
    return {"left": left, "right": right}


def panel_view(
    state: GameState, now_ms: Millis, *, swapped: bool = False, hidden: bool = False, has_key: bool = False
) -> PanelView:
    """Return what the panel shows at an instant.

    The arbiter comes before everything, then a fallen flag, low time, the running clock, and waiting: for the side that
    is to act, or for both where the step is the whole table's.

    Args:
        hidden: Digits stay dark although time runs.
        has_key: The arbiter's key is turned on.
    """
    if state.setup is None:
        lamps_off = tuple((place, "arbiter" if has_key else "off") for place in PLACES)
        return PanelView(lamps_off, (("left", None), ("right", None)), None)
    places = seats(state, swapped=swapped)
    lamps: list[tuple[Place, str]] = []
    digits: list[tuple[Place, int | None]] = []
    waits: list[Millis] = []
    for place in ("left", "right"):
        side = places.get(place)
        lamps.append((place, _of_table(state) if side is None else _signal(state, side, now_ms)))
        seconds, wait = (None, None) if side is None else _seconds(state, side, now_ms)
        digits.append((place, None if hidden else seconds))
        if wait is not None:
            waits.append(wait)
    if has_key or state.gap is not None:
        # Whoever has the floor is told everywhere, also on a panel that has no lamp for the arbiter.
        lamps = [(place, "arbiter") for place in PLACES]
    else:
        lamps.append(("arbiter", "off"))
    return PanelView(tuple(lamps), tuple(digits), min(waits) if waits else None)


def _of_table(state: GameState) -> str:
    """Return the signal of a place whose side is not known: it says what it says to the whole table."""
    return "off" if state.ending is not None else "paused" if state.clocks.is_paused else "waiting"


def _signal(state: GameState, side: Side, now_ms: Millis) -> str:
    clocks, step = state.clocks, state.step
    if state.ending is not None:
        return "off"
    if state.flag_prompt == side or (
        ck.fallen(clocks, side, step.stage) and step.phase == _phase_of_clock(state)
    ):
        return "flag"
    if clocks.running == side:
        left = ck.remaining(clocks, side, now_ms)
        first = max(clocks.config.warnings_ms, default=0)
        return "low_time" if left is not None and left <= first else "running"
    if step.owners and side not in step.owners:
        return "off"
    return "paused" if clocks.is_paused else "waiting"


def _phase_of_clock(state: GameState) -> str:
    """Return the current phase while clocks matter in it, else nothing: a fallen flag rests in Victory."""
    return state.step.phase if state.step.clock is not None else ""


def _seconds(state: GameState, side: Side, now_ms: Millis) -> tuple[int | None, Millis | None]:
    clocks = state.clocks
    if clocks.config.mode == "none":
        return None, None
    is_running = clocks.running == side
    left = ck.remaining(clocks, side, now_ms)
    if left is None and clocks.config.mode == "limit":
        return -(-first_time_ms(state, side) // 1000), None
    if left is None:
        used = ck.spent(clocks, side, now_ms)
        return used // 1000, (1000 - used % 1000) if is_running else None
    first = max((w for w in clocks.config.warnings_ms if w < left), default=None)
    added = control_face(state, side, now_ms)
    digits, ticks = (
        (left, left if is_running else None) if added is None else (added.digits_ms, added.ticks_ms)
    )
    wait = (ticks - 1) % 1000 + 1 if ticks else None
    if wait is not None and first is not None:
        wait = min(wait, left - first)
    return -(-digits // 1000), wait


def press_command(
    state: GameState,
    button: Press,
    at_ms: Millis,
    *,
    entered_ms: Millis | None,
    swapped: bool = False,
    has_key: bool = False,
    lit: GameState | None = None,
) -> tuple[cm.Command, Actor] | None:
    """Return what a press asks, and in whose name; None when it asks nothing here.

    A press in the other side's act is sent all the same: the core refuses it, and the refusal is heard. One made while the
    lamps still showed an act that this button ended, or a pause that it took, is the same wish again and asks nothing more.

    Args:
        entered_ms: When the current step was entered; None: before anything that was seen.
        lit: What the panel showed when the button was pressed; None: what it shows now.
    """
    if state.setup is None or state.ending is not None:
        return None
    if button == "pause":
        actor = ARBITER if has_key else TABLE
        if lit is not None and lit.clocks.is_paused != state.clocks.is_paused:
            return None
        if state.clocks.is_paused:
            return cm.Resume(at_ms=at_ms), actor
        return cm.Pause(at_ms=at_ms), actor
    if state.clocks.is_paused or state.flag_prompt is not None:
        return None
    if entered_ms is not None and at_ms < entered_ms + REACTION_MS:
        return None
    side = seats(state, swapped=swapped).get(button)
    if (
        lit is not None
        and lit.setup is not None
        and lit.step.id != state.step.id
        and _ends(lit, button, swapped)
    ):
        return None
    actor = ARBITER if has_key else TABLE if side is None or not state.step.owners else Actor(side)
    return end_command(state, at_ms), actor


def _ends(state: GameState, button: Literal["left", "right"], swapped: bool) -> bool:
    """Say whether a big button ends the act of a state."""
    if state.clocks.is_paused or state.flag_prompt is not None or state.ending is not None:
        return False
    side = seats(state, swapped=swapped).get(button)
    return side is None or not state.step.owners or side in state.step.owners


def cues(change: Change, before: GameState | None) -> tuple[str, ...]:
    """Return the sounds of a change, the most urgent first; a table plays the first."""
    if change.rejected is not None and not change.entries:
        return ("refused",) if change.rejected.code == "not_your_act" else ()
    happened = [event for entry in change.entries for event in entry.events]
    found: list[str] = []
    if any(isinstance(event, ev.FlagFell | ev.TimeOverrun) for event in happened):
        found.append("flag")
    if any(isinstance(event, ev.GameResumed) for event in happened) and change.state.gap is not None:
        found.append("arbiter")
    if any(isinstance(event, ev.ClocksPaused | ev.Adjourned | ev.GameResumed) for event in happened):
        found.append("paused")
    if any(isinstance(event, ev.ClocksResumed) for event in happened):
        found.append("resumed")
    if before is not None and before.setup is not None and change.state.setup is not None:
        owners = change.state.step.owners
        if owners != before.step.owners and owners:
            found.append("your_turn")
        elif change.state.step.id != before.step.id and not owners:
            found.append("waiting")
    return tuple(found)
