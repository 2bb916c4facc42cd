"""What a command becomes before it is stored: stamped, held to the bounds of a file, labelled."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.codec import Codec
from companion.core.decide import Draft, Handled
from companion.core.history import Entry, Timeline
from companion.core.ids import MOST_MS, SYSTEM, Millis
from companion.core.rules import GameRules
from companion.core.sound import Misfit, state_misfit
from companion.core.text import Say, Typed
from companion.session import bounds
from companion.session.timesource import TimeSource

__all__ = ["entries_of", "made_by", "outcome_misfit", "size_of", "stamped"]

_LAST_ENTRIES = 1_000
"""Entries that are kept for stopping clocks and for ending a game that has become too long."""
_LAST = (cm.EndGame, cm.ResumeGame, cm.StopForSleep)


def size_of(entries: Iterable[Entry | Draft], codec: Codec) -> int:
    """Return how many bytes commands and events take as JSON."""
    return sum(
        len(codec.encode_command(one.command)) + len(codec.encode_events(one.events)) for one in entries
    )


def outcome_misfit(line: Timeline, handled: Handled, codec: Codec, held: int) -> Misfit | None:
    """Return why what a command led to must not be stored, since no file may hold it; None when one may.

    Asks of play what `importing.decided` asks of a file. What stops a clock or ends the game is taken when nothing else is.
    `held` is the size of all entries so far (`size_of`).
    """
    is_last = all(
        draft.command.kind == "clock" or isinstance(draft.command, _LAST) for draft in handled.drafts
    )
    most = bounds.MOST_ENTRIES if is_last else bounds.MOST_ENTRIES - _LAST_ENTRIES
    if len(line.entries) + len(handled.drafts) > most:
        return Misfit("entries", Say("at most {most}", most=most), len(line.entries) + len(handled.drafts))
    if line.folded + len(line.entries) > bounds.MOST_FOLDED and any(
        draft.command.kind == "history" for draft in handled.drafts
    ):
        return Misfit("command", Say("fewer undos"), Say("more"))
    left = bounds.MOST_GAME - held - (0 if is_last else bounds.MOST_LINE)
    for draft in handled.drafts:
        try:
            command, events = codec.encode_command(draft.command), codec.encode_events(draft.events)
            # A list and a tuple are the same in a file.
            is_kept = codec.encode_command(codec.decode_command(command)) == command
            is_kept = is_kept and codec.encode_events(codec.decode_events(events)) == events
        except (msgspec.MsgspecError, UnicodeError, OverflowError, TypeError) as fault:
            return Misfit("args", Say("values that can be stored"), Typed(str(fault)[:200]))
        if not is_kept:
            return Misfit("args", Say("values that can be stored"), Say("something else"))
        if len(command) + len(events) > bounds.MOST_LINE - (bounds.MOST_LINE >> 4):
            return Misfit("args", Say("at most {most} MB", most=bounds.MOST_LINE >> 20), Say("more"))
        left -= len(command) + len(events)
        if left < 0:
            return Misfit("entries", Say("at most {most} MB", most=bounds.MOST_GAME >> 20), Say("more"))
        for name, data in (("args", command), ("events", events)):
            misfit = None if bounds.is_plain(data) else bounds.excess(msgspec.json.decode(data), name)
            if misfit is not None:
                return misfit
    return state_misfit(handled.state, line.state)


def stamped(command: cm.Command, now_ms: Millis) -> cm.Command:
    """Move a stamp that lies in the future back to now: it must not let a flag fall early."""
    at_ms = getattr(command, "at_ms", None)
    if at_ms is not None and at_ms > now_ms:
        return replace(command, at_ms=now_ms)
    return command


def made_by(app_version: str, rules: GameRules) -> str:
    """Return by which program and which rules of the game an entry is made: ``0.1.0/3fa9c1d2``."""
    return f"{app_version}/{rules.version}" if rules.version else app_version


def entries_of(
    handled: Handled, envelope: Envelope, seq: int, time: TimeSource, app_version: str
) -> tuple[Entry, ...]:
    """Return the entries that one command leads to; a flag that was due is the program's own."""
    now, wall = time.now_ms(), min(max(0, time.wall_ms()), MOST_MS)
    return tuple(
        Entry(
            seq=seq + index,
            command=draft.command,
            events=draft.events,
            actor=envelope.actor if draft.command is envelope.command else SYSTEM,
            source=envelope.source if draft.command is envelope.command else "app",
            at_ms=now,
            boot_id=time.boot_id,
            wall_ms=wall,
            app_version=app_version,
        )
        for index, draft in enumerate(handled.drafts)
    )
