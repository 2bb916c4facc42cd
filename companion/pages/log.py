"""The Log screen: every entry, newest first, with what an undo to it would take back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from companion.core.change import Change
from companion.core.history import Entry
from companion.core.state import GameState
from companion.pages.i18n import N_, _, ngettext
from companion.pages.labels import entry_label, side_name
from companion.pages.times import wall

__all__ = ["LogRow", "LogView", "log_view"]

_SOURCES: dict[str, str] = {
    "touch": N_("touch"),
    "gpio": N_("button"),
    "serial": N_("serial"),
    "camera": N_("camera"),
    "key": N_("key"),
    "replay": N_("replay"),
    "app": N_("program"),
}


@dataclass(frozen=True, slots=True)
class LogRow:
    """One entry on one row."""

    seq: int
    when: str
    label: str
    by: str
    """Who and through what."""
    counts: bool
    can_undo: bool
    icon: str = ""


@dataclass(frozen=True, slots=True)
class LogView:
    """The Log screen."""

    rows: tuple[LogRow, ...] = ()
    undo_text: str = ""
    total: str = ""


_ICONS = {
    "Pause": "pause",
    "Resume": "play",
    "SettleClock": "flag",
    "AcknowledgeFlag": "flag",
    "CorrectTime": "arbiter",
    "JumpTo": "jump",
    "Undo": "undo",
    "Redo": "redo",
    "AddNote": "note",
    "ResumeGame": "plug",
    "StopForSleep": "plug",
    "DecideGap": "arbiter",
    "TickCheck": "check",
    "EnterPrintedValue": "edit",
    "SetRuling": "edit",
    "EndGame": "trophy",
    "StartGame": "play",
}


def _row(entry: Entry, state: GameState, counts: bool, now_wall_ms: int) -> LogRow:
    actor = side_name(state.frozen_setup, entry.actor)
    source = _(_SOURCES.get(entry.source, entry.source))
    return LogRow(
        entry.seq,
        wall(entry.wall_ms, now_wall_ms),
        entry_label(entry, state),
        f"{actor}, {source}",
        counts,
        counts and entry.command.kind == "act",
        _ICONS.get(type(entry.command).__name__, ""),
    )


def log_view(
    change: Change, entries: Sequence[Entry], counts: Callable[[int], bool], now_wall_ms: int
) -> LogView:
    """Return the log, newest entry first."""
    state = change.state
    rows = tuple(_row(entry, state, counts(entry.seq), now_wall_ms) for entry in reversed(entries))
    undo = "" if change.undo is None else entry_label(change.undo, state)
    total = ngettext("{n} entry", "{n} entries", len(rows)).format(n=len(rows))
    return LogView(rows, undo, total)
