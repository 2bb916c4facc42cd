"""The Table screen: where we are, whose act it is, what to do in it and what comes next."""

from __future__ import annotations

import msgspec

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.decide import skipped
from companion.core.ids import Millis
from companion.core.rules import GameRules
from companion.core.state import GameState
from companion.pages.clocks import ClockFace, clock_face
from companion.pages.frame import Mark, ending_text, mark, nation_mark
from companion.pages.game_view import OpenBattle, Score, Standing
from companion.pages.i18n import _, labelled, ngettext
from companion.pages.labels import (
    act_name,
    check_text,
    done_text,
    end_command,
    phase_name,
    step_label,
    step_path,
    unit_name,
)
from companion.pages.modules import game_view
from companion.pages.result import is_agreed
from companion.pages.speak import speak
from companion.pages.symbols import unit_short, unit_symbol
from companion.pages.times import duration

__all__ = ["MOST_CHECKS", "CheckRow", "TableView", "at_hand", "main_command", "next_line", "table_view"]


MOST_CHECKS = 4
"""So many reminders stand on the screen at once: none needs a page turn, and the next one comes as one is ticked."""


class CheckRow(msgspec.Struct, frozen=True):
    """One line of the step's checklist."""

    id: str
    text: str
    is_done: bool
    section: str = ""
    command: cm.Command | None = None
    """What ticks it; None: a line of the step's own checklist."""


class TableView(msgspec.Struct, frozen=True):
    """The Table screen without its running digits."""

    act: str = ""
    """Headline: what is done now."""
    who: str = ""
    actors: tuple[Mark, ...] = ()
    phase: str = ""
    units: tuple[str, ...] = ()
    """Names of the active units."""
    cells: tuple[tuple[str, str, str], ...] = ()
    """The active units as symbol, short name and full name; empty where a name says more than that, such as whose they are."""
    battles: tuple[OpenBattle, ...] = ()
    """The battles that wait or are being fought."""
    declare: str = ""
    """The key that declares one more, in the game's words; empty where none can be declared now."""
    standing: Standing | None = None
    """How the game stands."""
    checks: tuple[CheckRow, ...] = ()
    """All reminders of the step, in the order of duty; `at_hand` says which of them a screen shows."""
    next_text: str = ""
    """What comes next, on one line."""
    main_text: str = ""
    """The main button; empty when there is no main act."""
    end_text: str = ""
    """The second button, which ends the act while the main one goes to the battle that waits; else empty."""
    can_act: bool = True
    status: str = ""
    """Why the main act is not to be had: paused, over."""
    faces: tuple[ClockFace, ...] = ()
    scores: tuple[Score, ...] = ()
    is_over: bool = False
    ending: str = ""
    """Who won and why, once the game is over."""
    summary: tuple[str, ...] = ()
    """Where it ended, the score and the time used, once the game is over."""


def _active_units(state: GameState) -> tuple[str, ...]:
    setup = state.frozen_setup
    told = game_view(setup.game).active_units(state)
    return tuple(unit_name(unit, setup.game) for unit in state.step.active_units) if told is None else told


def _cells(state: GameState) -> tuple[tuple[str, str, str], ...]:
    """Return the active units as symbol, short name and full name, where their kinds say it all."""
    kinds = game_view(state.frozen_setup.game).active_kinds(state)
    plain = tuple(unit_name(kind, state.frozen_setup.game) for kind in kinds)
    if plain != _active_units(state):
        return ()
    short = (speak(unit_short(state, kind), state) for kind in kinds)
    return tuple(zip((unit_symbol(state, kind) for kind in kinds), short, plain, strict=True))


def _next_text(state: GameState, rules: GameRules) -> str:
    following = state.itinerary.following(state.index, skipped(rules, state))
    if following is None:
        later = game_view(state.frozen_setup.game).follows(state)
        return _("This is the last step of the game") if later is None else speak(later, state)
    step = state.itinerary.steps[following]
    if step.stage != state.step.stage:
        from companion.pages.labels import stage_name

        return f"{stage_name(state.frozen_setup, step.stage)}, {step_label(state.frozen_setup, step)}"
    return step_label(state.frozen_setup, step)


def at_hand(duties: tuple[CheckRow, ...], room: int = MOST_CHECKS, first: int = 0) -> tuple[CheckRow, ...]:
    """Return the reminders that a screen shows: the first open ones in order, and the last ticked ones while there is room.

    Args:
        first: How many open ones were passed over.
    """
    most = max(1, min(room, MOST_CHECKS))
    opened = [row for row in duties if not row.is_done][first : first + most]
    ticked = [row for row in duties if row.is_done]
    room = 0 if first else most - len(opened)
    shown = {row.id for row in (*(ticked[-room:] if room else ()), *opened)}
    return tuple(row for row in duties if row.id in shown)


def next_line(view: TableView, room: int = MOST_CHECKS, first: int = 0) -> str:
    """Return what comes next; while reminders wait for room on the screen, how many there are, and after them the way back."""
    shown = at_hand(view.checks, room, first)
    waiting = sum(not row.is_done for row in view.checks) - first - sum(not row.is_done for row in shown)
    if not waiting:
        return _("the first reminders again") if first else view.next_text
    return ngettext("{n} more reminder", "{n} more reminders", waiting).format(n=waiting)


def _summary(state: GameState) -> tuple[str, ...]:
    """Return the last lines of an evening: where it ended, each side's score and the time it used."""
    if state.ending is None:
        return ()
    setup = state.frozen_setup
    lines = [_("Ended in: {where}").format(where=", ".join(step_path(setup, state.step)))]
    scores = {score.side: score for score in game_view(setup.game).scores(state)}
    for info in setup.sides:
        score, used = scores.get(info.id), sum(state.clocks.spent_ms.get(info.id, ()))
        facts = [] if score is None else [_("{points} points").format(points=score.text)]
        facts += [_("{time} used").format(time=duration(used))] if used >= 1000 else []
        if facts:
            lines.append(labelled(mark(setup, info.id).name, ", ".join(facts)))
    if state.clocks.config.tournament and not is_agreed(state):
        lines.append(_("In a tournament: confirm the result under More, Result"))
    return tuple(lines)


def table_view(
    change: Change, rules: GameRules, now_ms: Millis, *, swapped: bool = False, is_watched: bool = False
) -> TableView:
    """Return the Table screen at an instant; `is_watched`: without what only the box draws, which costs the most."""
    state = change.state
    setup = state.frozen_setup
    step = state.step
    is_over = state.ending is not None
    ticked = state.ticked.get(step.id, frozenset())
    if step.nation is not None:
        actors: tuple[Mark, ...] = (nation_mark(setup, step.nation),)
    else:
        actors = tuple(mark(setup, owner) for owner in step.owners)
    duties = _own_checks(state) + tuple(
        CheckRow(
            check,
            check_text(state, check),
            check in ticked,
            setup.checks[check].section if check in setup.checks else "",
        )
        for check in (() if is_over else step.checks)
    )
    status = _("Paused") if state.clocks.is_paused else ""
    faces = () if is_watched else tuple(clock_face(state, info.id, now_ms) for info in setup.sides)
    view = game_view(setup.game)
    is_bare = is_over or is_watched
    battles = () if is_bare else view.battles(state)
    new = None if is_bare else view.new_battle(state)
    main, end = _("Write the report") if is_over else "" if is_watched else done_text(state), ""
    if battles and new is not None:
        main = f"{main} · {len(battles)}"
    elif battles:
        main, end = _("Fight: {area}").format(area=battles[0].title), main
    return TableView(
        act=_("Game over") if is_over else act_name(step.act, setup.game),
        who=" + ".join(actor.name for actor in actors) if actors else _("The table"),
        actors=actors,
        phase=phase_name(step.phase, setup.game),
        units=() if is_over else _active_units(state),
        cells=() if is_bare else _cells(state),
        battles=battles,
        declare="" if new is None else speak(new[2]),
        standing=None if is_watched else view.standing(state),
        checks=duties,
        next_text="" if is_over else _next_text(state, rules),
        main_text=main,
        end_text=end,
        is_over=is_over,
        can_act=not (state.clocks.is_paused or state.flag_prompt is not None),
        status="" if is_over else status,
        faces=tuple(reversed(faces)) if swapped else faces,
        scores=view.scores(state),
        ending=ending_text(state),
        summary=_summary(state),
    )


def _own_checks(state: GameState) -> tuple[CheckRow, ...]:
    """Return what the game adds to the checklist of the act at hand."""
    if state.ending is not None:
        return ()
    own = game_view(state.frozen_setup.game).own_checks(state)
    return tuple(CheckRow(one.id, one.text, one.is_done, command=one.command) for one in own)


def main_command(state: GameState, at_ms: Millis) -> cm.Command:
    """Return what the main button asks: resume when paused, else the end of the current act."""
    if state.clocks.is_paused and state.ending is None:
        return cm.Resume(at_ms=at_ms)
    return end_command(state, at_ms)
