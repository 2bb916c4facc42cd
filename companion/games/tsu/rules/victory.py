"""Happenings on the map, the German army's reorganization, and every victory at its moment.

Source: The Soft Underbelly, Determining Game Victory; Garrison Requirement; Special German Invasion Turn;
Reorganization of the German Army.
"""

from __future__ import annotations

import msgspec

from companion.core.events import Event, GameEnded
from companion.core.ids import Millis, Side
from companion.core.options import says
from companion.core.rules import Accepted, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Name, Say
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.state import (
    ALLIES,
    AXIS,
    GERMANY,
    ITALY,
    SIDE_OF,
    US,
    TsuSlice,
    holds_from,
    is_free_french,
    season_from,
    season_now,
    season_of,
    slice_of,
)

__all__ = [
    "Outcome",
    "end_of_turn",
    "if_ended_now",
    "invasion",
    "are_neutral_french",
    "lost_italian_star",
    "reorganization_fault",
    "reorganize",
    "report",
    "report_fault",
    "soviets",
    "star_side",
    "took_romania_in_time",
    "vichy_turns",
    "victory_stars",
]

_AXIS_END = ("no_garrison", "no_germans")


class Outcome(msgspec.Struct, frozen=True):
    """How a game ends."""

    winner: Side | None
    reason: str
    level: str


def star_side(state: GameState, star: str) -> Side | None:
    """Return which side holds a star for victory, as the ruling ``hold_stars`` says."""
    own = slice_of(state)
    if says(state, "hold_stars", "control") and star in own.controlled:
        return own.controlled[star]
    holder = own.stars.get(star)
    return None if holder is None else SIDE_OF.get(holder)


def took_romania_in_time(own: TsuSlice) -> bool:
    """Say whether the Western Allies took Romania before Summer 1944 and have not lost it since."""
    stage = own.happened.get("romania_taken")
    return stage is not None and not holds_from(own, "soviets", stage)


def invasion(own: TsuSlice) -> tuple[Event, ...]:
    """In the first Axis turn after a landing the whole German box comes back, once."""
    if "invasion_served" in own.happened or "landed_in_europe" not in own.happened:
        return ()
    box = own.boxes.get(GERMANY, {})
    back = tuple(cm.BoxChanged(GERMANY, unit, -count, "invasion_turn") for unit, count in box.items())
    return (*back, cm.HappeningReported("invasion_served", ""))


def report_fault(state: GameState, what: str) -> Rejected | None:
    """Say why a happening cannot be reported now; None when it can.

    Source: The Soft Underbelly, Determining Game Victory; Garrison Requirement; Special German Invasion Turn; Status of All
    Nations (Vichy France).
    """
    own, step = slice_of(state), state.step
    if what in _AXIS_END and not (step.phase == "end" and step.owners == (AXIS,)):
        return Rejected("other_phase", Say("This is checked at the end of an Axis turn."))
    if what == "allies_gone" and not (step.phase == "end" and step.owners == (ALLIES,)):
        return Rejected("other_phase", Say("This is checked at the end of an Allied turn."))
    if what == "no_garrison" and not holds_from(own, "garrison", step.stage):
        why = Say("No garrison is needed before {season}.", season=season_from(own, "garrison"))
        return Rejected("too_early", why)
    if what == "landed_in_europe" and not holds_from(own, "invasion_units", step.stage):
        season = season_from(own, "invasion_units")
        return Rejected("too_early", Say("Invasion-turn units do not arrive before {season}.", season=season))
    if what == "invaded_vichy" and not holds_from(own, "vichy", step.stage):
        season = season_from(own, "vichy")
        return Rejected("too_early", Say("France is allied until {season}.", season=season))
    if what in ("landed_in_europe", "invaded_vichy", "no_garrison") and what in own.happened:
        return Rejected(
            "already_done", Say("This has already been reported: {what}.", what=Name("happening", what))
        )
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
    if command.what == "invaded_vichy" and not says(state, "vichy_free", "fall_1942"):
        events.append(cm.HappeningReported("free_french", season_of(own, step.stage)))
    return Accepted(tuple(events))


def reorganization_fault(state: GameState) -> Rejected | None:
    """Say why the German army cannot be reorganized now; None when it can.

    Source: The Soft Underbelly, Reorganization of the German Army.
    """
    own, step = slice_of(state), state.step
    if step.owners != (AXIS,):
        return Rejected("other_phase", Say("The army is reorganized in an Axis turn."))
    if not holds_from(own, "reorganization", step.stage):
        season = season_from(own, "reorganization")
        return Rejected("too_early", Say("The army cannot be reorganized before {season}.", season=season))
    if own.reorganized_from is not None:
        return Rejected("already_done", Say("The army has already been reorganized, permanently."))
    return None


def reorganize(state: GameState) -> Decision:
    """Declare the reorganization of the German army."""
    return reorganization_fault(state) or Accepted((cm.ReorganizationDeclared(state.step.stage + 1),))


def victory_stars(state: GameState, side: Side) -> tuple[str, ...]:
    """Return which of the stars that the Allies need count as a side's."""
    return tuple(star for star in slice_of(state).star_roles["victory"] if star_side(state, star) == side)


def lost_italian_star(state: GameState) -> bool:
    """Say whether an Italian star counts as the Allies'."""
    return any(star_side(state, star) == ALLIES for star in slice_of(state).star_roles["italian"])


def _hold_all(state: GameState) -> bool:
    """Say whether the Allies hold every star that they need."""
    return victory_stars(state, ALLIES) == slice_of(state).star_roles["victory"]


def if_ended_now(state: GameState) -> Outcome:
    """Judge the stars as at the end of the last season."""
    own = slice_of(state)
    counted = own.stars if says(state, "one_star", "any") else own.star_roles["victory"]
    if any(star_side(state, star) == AXIS for star in counted):
        return Outcome(AXIS, "holds_a_star", "victory")
    if _hold_all(state) and says(state, "last_turn", "stars"):
        return _allied_stars(own)
    return Outcome(None, "neither", "draw")


def _allied_stars(own: TsuSlice) -> Outcome:
    return Outcome(ALLIES, "four_stars", "strategic" if took_romania_in_time(own) else "victory")


def end_of_turn(state: GameState, at_ms: Millis) -> tuple[Event, ...]:
    """Return what follows when an end step is ended: Italy's fall and every victory, at its moment.

    Source: The Soft Underbelly, Determining Game Victory; rulings ``hold_stars``, ``last_turn`` and ``one_star``.
    """
    own, step = slice_of(state), state.step
    if step.owners == (AXIS,):
        if own.happened.get("no_germans") == step.stage:
            return _ended(Outcome(ALLIES, "no_germans", "strategic"), at_ms)
        if _hold_all(state):
            return _ended(_allied_stars(own), at_ms)
        may_fall = holds_from(own, "italy_may_fall", step.stage) and not own.italy_fallen
        if may_fall and lost_italian_star(state):
            return _italy_falls(own, season_of(own, step.stage))
        return ()
    if own.happened.get("allies_gone") == step.stage:
        return _ended(Outcome(AXIS, "allies_gone", "strategic"), at_ms)
    if season_now(own, step.stage) < own.last_season:
        return ()
    return _ended(if_ended_now(state), at_ms)


def _ended(outcome: Outcome, at_ms: Millis) -> tuple[Event, ...]:
    return (GameEnded(outcome.winner, outcome.reason, outcome.level, at_ms),)


def _italy_falls(own: TsuSlice, season: str) -> tuple[Event, ...]:
    """Take Italy out: its box is gone, and its stars are nobody's until somebody has or reaches them."""
    gone = tuple(cm.BoxChanged(ITALY, unit, -count, "italy_fell") for unit, count in own.boxes[ITALY].items())
    stars = tuple(cm.StarMoved(star, None, ITALY) for star, holder in own.stars.items() if holder == ITALY)
    return (*gone, *stars, cm.HappeningReported("italy_fell", season))


def soviets(own: TsuSlice, stage: int) -> tuple[Event, ...]:
    """In Summer 1944 the Red Army takes Romania where the Western Allies do not stand."""
    if not holds_from(own, "soviets", stage) or "soviets" in own.happened:
        return ()
    holders = {star: own.stars[star] for star in own.star_roles["soviet"]}
    moved = tuple(
        cm.StarMoved(star, None, holder)
        for star, holder in holders.items()
        if holder is not None and SIDE_OF[holder] == AXIS
    )
    return (*moved, cm.HappeningReported("soviets", season_of(own, stage)))


def are_neutral_french(state: GameState) -> bool:
    """Say whether units entered as American are neutral Vichy French ones: the United States have none of their own yet.

    Source: The Soft Underbelly, Status of All Nations (Vichy France); Reinforcements/Withdrawals
    """
    own, stage = slice_of(state), state.step.stage
    is_vichy = holds_from(own, "vichy", stage) and not is_free_french(state)
    return is_vichy and not holds_from(own, "us_units", stage)


def vichy_turns(state: GameState) -> tuple[Event, ...]:
    """When Vichy turns Free French, its star at Algiers is the United States', which may pass it on."""
    own = slice_of(state)
    if "free_french" in own.happened or not is_free_french(state):
        return ()
    told = cm.HappeningReported("free_french", season_of(own, state.step.stage))
    if "invaded_vichy" in own.happened:
        return (told,)  # only what the Allies occupy is theirs: the table says who has Vichy's star
    passed = (star for star in own.star_roles["vichy"] if own.stars[star] is None)
    return (*(cm.StarMoved(star, US, None) for star in passed), told)
