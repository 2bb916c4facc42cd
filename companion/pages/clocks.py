"""Clock faces: what the Clocks screen, the Table and the displays show of a side's time.

A face is asked for an instant; it also says after how long its text changes, so that nobody has to tick faster.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.change import Change
from companion.core.ids import Actor, Millis
from companion.core.state import GameState
from companion.pages import times
from companion.pages.controls import control_face, first_time_ms, token_side
from companion.pages.frame import Mark, mark
from companion.pages.i18n import _
from companion.pages.labels import act_name, done_text, end_command, step_path
from companion.pages.player_names import seats_of

__all__ = ["ClockFace", "ClocksView", "clock_face", "clocks_view", "press_half"]


@dataclass(frozen=True, slots=True)
class ClockFace:
    """One side's clock at one instant."""

    mark: Mark
    text: str = ""
    """Digits; empty in a game without clocks."""
    is_running: bool = False
    is_acting: bool = False
    """It is this side's act, whether or not a clock runs."""
    level: str = "calm"
    """``calm``, ``low`` (first warning), ``last`` (last warning) or ``fallen``."""
    note: str = ""
    """A line under the digits: what is carried over, or the warning."""
    changes_in_ms: Millis | None = None
    """When the text changes next; None while nothing runs."""
    players: str = ""
    """Who sits on this side, where the table gave names."""


@dataclass(frozen=True, slots=True)
class ClocksView:
    """The Clocks screen."""

    faces: tuple[ClockFace, ...] = ()
    where: str = ""
    """Stage, phase and movement step on one line."""
    act: str = ""
    done: str = ""
    """What pressing the acting half does."""
    is_paused: bool = False
    is_over: bool = False
    has_clock: bool = True
    """Whether the current step runs anybody's clock."""
    is_one_sided: bool = True
    """Whether exactly one side acts."""
    who: str = ""
    """Whose act it is, in words, for both sides at once or the whole table too."""
    token: str = ""
    """What the key says that spends an extension token, in the place of the one that swaps seats; empty: none can be spent."""


def _level(state: GameState, side: str, left: Millis) -> str:
    if ck.fallen(state.clocks, side, state.step.stage):  # type: ignore[arg-type]
        return "fallen"
    reached = [mark_ms for mark_ms in state.clocks.config.warnings_ms if left <= mark_ms]
    if not reached:
        return "calm"
    return "last" if len(reached) == len(state.clocks.config.warnings_ms) else "low"


def _carried_ms(state: GameState, side: str) -> Millis:
    """Return the time carried over into this stage, corrections of earlier stages included."""
    clocks = state.clocks
    upto = max(0, clocks.ordinal)
    given = clocks.config.allotted_ms.get(side, ())
    return sum(given[:upto]) + sum(clocks.corrected_ms[side][:upto]) - sum(clocks.spent_ms[side][:upto])


def _note(state: GameState, side: str, level: str, left: Millis) -> str:
    if level == "fallen":
        return _("Flag fallen")
    if level == "last":
        return _("Last minute") if left <= 60_000 else _("Little time left")
    if level == "low":
        minutes = -(-left // 60_000)
        return _("Under {n} min").format(n=minutes)
    carried = _carried_ms(state, side)
    if carried < 1000:
        return ""
    # Rounded as the clock rounds what is left, so that both are the same time.
    return _("{amount} carried over").format(amount=times.short(-(-carried // 1000) * 1000))


def _players(state: GameState, side: str) -> str:
    info = next(info for info in state.frozen_setup.sides if info.id == side)
    return ", ".join(str(seat) for seat in seats_of(state.frozen_setup, info) if seat.nations or seat.is_own)


def clock_face(state: GameState, side: str, now_ms: Millis, *, tenths: bool = False) -> ClockFace:
    """Return a side's clock face at an instant; `tenths` shows them in the last minute."""
    face = _face(state, side, now_ms, tenths=tenths)
    names = _players(state, side)
    return replace(face, players=names) if names else face


def _face(state: GameState, side: str, now_ms: Millis, *, tenths: bool) -> ClockFace:
    clocks = state.clocks
    who = mark(state.frozen_setup, side)
    is_acting = state.ending is None and side in state.step.owners
    if clocks.config.mode == "none" or side not in clocks.sides:
        return ClockFace(who, is_acting=is_acting)
    is_running = clocks.running == side
    left = ck.remaining(clocks, side, now_ms)  # type: ignore[arg-type]
    if left is None and clocks.config.mode == "limit":
        # Before the first stage nothing counts down yet: show what the side will have in it.
        left = first_time_ms(state, side)
        return ClockFace(who, times.countdown(left), is_acting=is_acting)
    if left is None:
        used = ck.spent(clocks, side, now_ms)  # type: ignore[arg-type]
        wait = times.next_change_ms(used, down=False) if is_running else None
        return ClockFace(who, times.countup(used), is_running, is_acting, changes_in_ms=wait)
    added = control_face(state, side, now_ms)  # type: ignore[arg-type]
    if added is not None:
        level = _level(state, side, added.level_ms)
        is_told = level == "fallen" or (level == "last" and not clocks.config.control.periods)  # type: ignore[union-attr]
        alarm = _note(state, side, level, added.level_ms) if is_told else ""
        ticks = added.ticks_ms
        return ClockFace(
            who,
            times.countdown(added.digits_ms, tenths=tenths and is_running),
            is_running,
            is_acting,
            level,
            " · ".join(part for part in (alarm, added.note) if part),
            times.next_change_ms(ticks, down=True, tenths=tenths) if ticks else None,
        )
    level = _level(state, side, left)
    wait = times.next_change_ms(left, down=True, tenths=tenths) if is_running and left else None
    return ClockFace(
        who,
        times.countdown(left, tenths=tenths and is_running),
        is_running,
        is_acting,
        level,
        _note(state, side, level, left),
        wait,
    )


def clocks_view(change: Change, now_ms: Millis, *, tenths: bool = False, swapped: bool = False) -> ClocksView:
    """Return the Clocks screen; `swapped` exchanges left and right, sides keep who they are."""
    state = change.state
    step = state.step
    faces = tuple(clock_face(state, info.id, now_ms, tenths=tenths) for info in state.frozen_setup.sides)
    path = step_path(state.frozen_setup, step)
    where = " · ".join(path[:-1] if len(step.owners) == 1 and step.nation is None else path)
    is_over = state.ending is not None
    if is_over:
        who = _("The game has ended")
    elif len(step.owners) == 1:
        who = mark(state.frozen_setup, step.owners[0]).name
    else:
        who = _("Everyone") if step.owners else _("The table")
    return ClocksView(
        faces=tuple(reversed(faces)) if swapped else faces,
        where=where,
        act=act_name(step.act, state.frozen_setup.game),
        done=done_text(state),
        is_paused=state.clocks.is_paused,
        is_over=is_over,
        has_clock=step.clock is not None and state.clocks.config.mode != "none",
        is_one_sided=len(step.owners) == 1,
        who=who,
        token="" if token_side(state) is None else _("Token"),
    )


def press_half(state: GameState, side: str, at_ms: Millis) -> tuple[cm.Command, Actor]:
    """Return what a press on a side's half asks: the end of the current act, in that side's name."""
    return end_command(state, at_ms), Actor(side)
