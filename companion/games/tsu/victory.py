"""Happenings on the map, the German army's reorganization, and every victory at its moment.

Sections: Determining Game Victory; Garrison Requirement; Special German Invasion Turn; Reorganization of the German Army.
"""

from __future__ import annotations

import msgspec

from companion.core.events import Event, GameEnded
from companion.core.ids import Millis, Side
from companion.core.rules import Accepted, Decision, Rejected
from companion.core.state import GameState
from companion.games.tsu import commands as cm
from companion.games.tsu.schema import season_key
from companion.games.tsu.state import (
    ALLIES,
    AXIS,
    GERMANY,
    ITALIAN_STARS,
    ITALY,
    SIDE_OF,
    US,
    VICTORY_STARS,
    TsuSlice,
    season_now,
    season_of,
    slice_of,
)

__all__ = [
    "Outcome",
    "end_of_turn",
    "if_ended_now",
    "invasion",
    "is_free_french",
    "reorganize",
    "report",
    "report_fault",
    "soviets",
    "star_side",
    "took_romania_in_time",
    "vichy_turns",
]

_AXIS_END = ("no_garrison", "no_germans")
_SUMMER_1944 = season_key("summer 1944")


class Outcome(msgspec.Struct, frozen=True):
    """How a game ends."""

    winner: Side | None
    reason: str
    level: str


def star_side(state: GameState, star: str) -> Side | None:
    """Return which side holds a star for victory, as the ruling ``hold_stars`` says."""
    own = slice_of(state)
    if state.rulings.get("hold_stars", "possession") == "control" and star in own.controlled:
        return own.controlled[star]
    holder = own.stars.get(star)
    return None if holder is None else SIDE_OF.get(holder)


def took_romania_in_time(own: TsuSlice) -> bool:
    """Say whether the Western Allies took Romania before Summer 1944 and have not lost it since."""
    stage = own.happened.get("romania_taken")
    return stage is not None and season_now(own, stage) < _SUMMER_1944


def is_free_french(state: GameState) -> bool:
    """Say whether Vichy has turned Free French, as the ruling ``vichy_free`` says."""
    own = slice_of(state)
    dated = season_now(own, state.step.stage) >= season_key("fall 1942")
    invaded = "invaded_vichy" in own.happened
    ruling = state.rulings.get("vichy_free", "first")
    return invaded if ruling == "invasion" else dated if ruling == "fall_1942" else dated or invaded


def invasion(own: TsuSlice) -> tuple[Event, ...]:
    """In the first Axis turn after a landing the whole German box comes back, once."""
    if own.invasion_served or "landed_in_europe" not in own.happened:
        return ()
    box = own.boxes.get(GERMANY, {})
    back = tuple(cm.BoxChanged(GERMANY, unit, -count, "invasion_turn") for unit, count in box.items())
    return (*back, cm.HappeningReported("invasion_served", ""))


def report_fault(state: GameState, what: str) -> Rejected | None:
    """Say why a happening cannot be reported now; None when it can."""
    own, step = slice_of(state), state.step
    key = season_now(own, step.stage)
    if what in _AXIS_END and not (step.phase == "end" and step.owners == (AXIS,)):
        return Rejected("other_phase", "judged at the end of an Axis turn")
    if what == "allies_gone" and not (step.phase == "end" and step.owners == (ALLIES,)):
        return Rejected("other_phase", "judged at the end of an Allied turn")
    if what == "no_garrison" and key < season_key("spring 1941"):
        return Rejected("too_early", "a garrison is needed from Spring 1941 on")
    if what == "landed_in_europe" and key < season_key("fall 1942"):
        return Rejected("too_early", "invasion-turn units come from Fall 1942 on")
    if what in ("landed_in_europe", "invaded_vichy", "no_garrison") and what in own.happened:
        return Rejected("already_done", f"{what} was reported before")
    return None


def report(state: GameState, command: cm.ReportHappening) -> Decision:
    """Take what only the map shows."""
    fault = report_fault(state, command.what)
    if fault is not None:
        return fault
    own, step = slice_of(state), state.step
    events: list[Event] = [cm.HappeningReported(command.what, season_of(own, step.stage))]
    if command.what == "landed_in_europe" and step.phase == "reinforcements" and step.owners == (AXIS,):
        # Allies who stand in Europe already when the units may first come bring them at once.
        told = msgspec.structs.replace(own, happened={**own.happened, command.what: step.stage})
        events += invasion(told)
    if command.what == "invaded_vichy" and state.rulings.get("vichy_free", "first") != "fall_1942":
        events.append(cm.HappeningReported("free_french", season_of(own, step.stage)))
    return Accepted(tuple(events))


def reorganize(state: GameState) -> Decision:
    """Declare the reorganization of the German army."""
    own, step = slice_of(state), state.step
    if step.owners != (AXIS,):
        return Rejected("other_phase", "declared in a German turn")
    if season_now(own, step.stage) < season_key("spring 1943"):
        return Rejected("too_early", "from Spring 1943 on")
    if own.reorganized_from is not None:
        return Rejected("already_done", "the army is reorganized and stays so")
    return Accepted((cm.ReorganizationDeclared(step.stage + 1),))


def _last_turn(state: GameState) -> Outcome:
    """Judge the stars as at the end of Spring 1945."""
    stars = tuple(slice_of(state).stars)
    counted = stars if state.rulings.get("one_star", "four") == "any" else VICTORY_STARS
    if any(star_side(state, star) == AXIS for star in counted):
        return Outcome(AXIS, "holds_a_star", "victory")
    allied = all(star_side(state, star) == ALLIES for star in VICTORY_STARS)
    if allied and state.rulings.get("last_turn", "stars") == "stars":
        return _allied_stars(slice_of(state))
    return Outcome(None, "neither", "draw")


def _allied_stars(own: TsuSlice) -> Outcome:
    return Outcome(ALLIES, "four_stars", "strategic" if took_romania_in_time(own) else "victory")


def if_ended_now(state: GameState) -> Outcome:
    """Return how the game would be judged if this were the end of Spring 1945."""
    return _last_turn(state)


def end_of_turn(state: GameState, at_ms: Millis) -> tuple[Event, ...]:
    """Return what follows when an end step is ended: Italy's fall and every victory, at its moment.

    Sections: Determining Game Victory; rulings ``hold_stars``, ``last_turn`` and ``one_star``.
    """
    own, step = slice_of(state), state.step
    key = season_now(own, step.stage)
    if step.owners == (AXIS,):
        if own.happened.get("no_germans") == step.stage:
            return _ended(Outcome(ALLIES, "no_germans", "strategic"), at_ms)
        if all(star_side(state, star) == ALLIES for star in VICTORY_STARS):
            return _ended(_allied_stars(own), at_ms)
        lost = any(star_side(state, star) == ALLIES for star in ITALIAN_STARS)
        if lost and not own.italy_fallen and key >= season_key("spring 1943"):
            return _italy_falls(own, season_of(own, step.stage))
        return ()
    if own.happened.get("allies_gone") == step.stage:
        return _ended(Outcome(AXIS, "allies_gone", "strategic"), at_ms)
    if key < season_key("spring 1945"):
        return ()
    return _ended(_last_turn(state), at_ms)


def _ended(outcome: Outcome, at_ms: Millis) -> tuple[Event, ...]:
    return (GameEnded(outcome.winner, outcome.reason, outcome.level, at_ms),)


def _italy_falls(own: TsuSlice, season: str) -> tuple[Event, ...]:
    """Take Italy out: its box is gone, and its stars are nobody's until somebody has or reaches them."""
    gone = tuple(cm.BoxChanged(ITALY, unit, -count, "italy_fell") for unit, count in own.boxes[ITALY].items())
    stars = tuple(cm.StarMoved(star, None, ITALY) for star, holder in own.stars.items() if holder == ITALY)
    return (*gone, *stars, cm.HappeningReported("italy_fell", season))


def soviets(own: TsuSlice, stage: int) -> tuple[Event, ...]:
    """In Summer 1944 the Red Army takes Romania where the Western Allies do not stand."""
    if season_now(own, stage) < _SUMMER_1944 or "soviets" in own.happened:
        return ()
    holder = own.stars.get("romania")
    lost = holder is not None and SIDE_OF.get(holder) == AXIS
    moved = (cm.StarMoved("romania", None, holder),) if lost else ()
    return (*moved, cm.HappeningReported("soviets", season_of(own, stage)))


def vichy_turns(state: GameState) -> tuple[Event, ...]:
    """When Vichy turns Free French, its star at Algiers is the United States', which may pass it on."""
    own = slice_of(state)
    if "free_french" in own.happened or not is_free_french(state):
        return ()
    told = cm.HappeningReported("free_french", season_of(own, state.step.stage))
    if own.stars.get("algiers") is not None or "invaded_vichy" in own.happened:
        # After an invasion only what the Allies occupy is theirs: the table says who has Algiers.
        return (told,)
    return (cm.StarMoved("algiers", US, None), told)
