"""What opening a game file takes: its rules, its entries folded, and the gap since it was last alive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec.structs import replace

from companion.core import commands as cm
from companion.core.codec import Codec
from companion.core.events import GameStarted
from companion.core.history import Entry, Timeline
from companion.core.ids import MOST_MS
from companion.core.rules import GameRules
from companion.core.setup import Setup
from companion.core.sound import setup_misfit, state_misfit
from companion.core.text import Say, Typed
from companion.session.errors import JournalUnreadableError, SessionError
from companion.session.journal import Heartbeat, Journal
from companion.session.memory import uncollected
from companion.session.pin import is_pin_name
from companion.session.rows import entry_of, game_of, row_of
from companion.session.timesource import TimeSource

__all__ = ["RulesOf", "fold", "resume_command", "rules_for"]

RulesOf = Callable[[str], GameRules]
"""Key of a game to its rules. KeyError for a game that this version does not have."""


def fold(
    journal: Journal, rules_of: RulesOf, take_over: Callable[[str], str] | None = None
) -> tuple[Timeline, Codec]:
    """Fold what stands in an opened file. JournalUnreadableError when this version cannot.

    `take_over` keeps the hash of an arbiter's PIN that a game of before holds, and returns the name to be stored instead.
    """
    try:
        rules = rules_for(rules_of, game_of(journal.rows[0]))
        codec = Codec(rules)
        with uncollected():
            timeline = Timeline(rules, (entry_of(row, codec) for row in journal.rows))
    except JournalUnreadableError:
        raise
    except Exception as fault:  # whatever a file of unknown origin makes the rules do, it is told of the file
        why = (
            fault.say
            if isinstance(fault, SessionError)
            else Typed(f"{type(fault).__name__}: {str(fault)[:200]}")
        )
        raise _does_not_fit(journal, why) from fault
    if not all(_is_timed(entry) for entry in timeline.entries):
        raise _does_not_fit(journal, Say("its times are no times"))
    state = timeline.state
    misfit = state_misfit(state) or (None if state.setup is None else setup_misfit(state.setup))
    if misfit is not None:
        raise _does_not_fit(journal, misfit.say)
    if take_over is not None:
        timeline = _without_hash(journal, timeline, codec, take_over)
    journal.rows = []
    return timeline, codec


def _without_hash(
    journal: Journal, timeline: Timeline, codec: Codec, take_over: Callable[[str], str]
) -> Timeline:
    """Return the game with its arbiter's PIN named, and have its file written so; itself where it holds no hash."""
    start = timeline.entries[0]
    setup = getattr(start.command, "setup", None)
    if not isinstance(setup, Setup) or not setup.arbiter_hash or is_pin_name(setup.arbiter_hash):
        return timeline
    name = take_over(setup.arbiter_hash)
    if not name:
        return timeline
    named = replace(setup, arbiter_hash=name)
    events = tuple(
        replace(event, setup=named) if isinstance(event, GameStarted) else event for event in start.events
    )
    start = replace(start, command=replace(start.command, setup=named), events=events)
    journal.renew_first(row_of(start, codec))
    return Timeline(timeline.rules, (start, *timeline.entries[1:]))


def _is_timed(entry: Entry) -> bool:
    """Say whether times are times: a column of the file takes any number."""
    return 0 <= entry.at_ms <= MOST_MS and 0 <= entry.wall_ms <= MOST_MS


def _does_not_fit(journal: Journal, why: Say | Typed) -> JournalUnreadableError:
    return JournalUnreadableError(
        Say(
            "{file} is intact, but its entries do not fit together: {why}",
            file=Typed(journal.path.name),
            why=why,
        ),
        Say("please report this; nothing was changed"),
    )


def rules_for(rules_of: RulesOf, game: str) -> GameRules:
    """Return the rules of a game. JournalUnreadableError when this version does not have it."""
    try:
        return rules_of(game)
    except KeyError as fault:
        raise JournalUnreadableError(
            Say("this version of Table Companion does not have the game {game}", game=Typed(repr(game))),
            Say("update Table Companion"),
        ) from fault


def resume_command(timeline: Timeline, beat: Heartbeat | None, time: TimeSource) -> cm.ResumeGame:
    """Name the gap since the program was last alive with this game."""
    newest = timeline.entries[-1]
    last_ms, last_wall, boot_id, is_closed = newest.at_ms, newest.wall_ms, newest.boot_id, False
    if beat is not None and beat.boot_id == boot_id and beat.at_ms >= last_ms:
        last_ms, last_wall, is_closed = beat.at_ms, beat.wall_ms, beat.is_closed
    now = time.now_ms()
    gap: int | None = time.wall_ms() - last_wall
    if boot_id == time.boot_id:
        gap = max(0, now - last_ms)
    elif (
        gap is not None and not now <= gap <= MOST_MS
    ):  # shorter than this boot is long: the wall clock is wrong
        gap = None
    cause: Literal["closed", "crash", "power"] = "power"
    if is_closed:
        cause = "closed"
    elif boot_id == time.boot_id:
        cause = "crash"
    return cm.ResumeGame(at_ms=now, last_ms=last_ms, gap_ms=gap, cause=cause)
