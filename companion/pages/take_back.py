"""What the Undo button takes back besides acts: printed values and rulings entered since the newest act.

The log never drops a printed value or a ruling, so that an act's undo cannot lose what the table copied from its box.
Undo enters the value that stood there before. A second undo does not undo the first: the two cancel each other.
Once an act was undone, what was entered before that stays: going back over acts loses no figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.history import Entry
from companion.core.ids import StepId
from companion.core.state import GameState
from companion.core.text import Name
from companion.pages.i18n import _
from companion.pages.labels import entry_label, figure_say
from companion.pages.modules import words_of
from companion.pages.shared_words import SHARED
from companion.pages.speak import speak

__all__ = ["stays", "take_back", "undo_kind", "undo_label"]

_QUIET = (cm.StartGame, cm.EnterPrintedValue, cm.SetRuling, cm.ResumeGame, cm.StopForSleep, cm.DecideGap)
"""Commands that always count and need no word about it: they can be taken back, or nobody gave them."""

_Key = tuple[type, str]


def _entered(entry: Entry) -> tuple[_Key, Any] | None:
    """Return what an entry of the table sets, and to which value; None for all else."""
    command = entry.command
    if entry.source == "app":
        return None
    if isinstance(command, cm.EnterPrintedValue):
        return (cm.EnterPrintedValue, command.key), command.value
    if isinstance(command, cm.SetRuling):
        return (cm.SetRuling, command.ruling), command.value
    return None


def _value_before(key: _Key, earlier: Sequence[Entry], state: GameState) -> Any:
    """Return what stood there before an entry: what was entered last, else what the game began with."""
    for entry in reversed(earlier):
        found = _entered(entry)
        if found is not None and found[0] == key:
            return found[1]
    kind, name = key
    setup = state.frozen_setup
    return (setup.printed if kind is cm.EnterPrintedValue else setup.rulings).get(name)


def take_back(change: Change, entries: Sequence[Entry]) -> tuple[Entry, cm.Command] | None:
    """Return the newest value entered after the newest act, and the command that takes it back; None: undo the act."""
    since = change.undo.seq if change.undo is not None else 0
    # Who goes back over acts does not mean the figures that were copied from the box on the way.
    for number, entry in enumerate(entries[since : change.seq], since + 1):
        if isinstance(entry.command, cm.Undo):
            since = number
    standing: list[tuple[Entry, _Key, Any]] = []
    for index in range(since, min(change.seq, len(entries))):
        found = _entered(entries[index])
        if found is None:
            continue
        key, value = found
        same = next((n for n in reversed(range(len(standing))) if standing[n][1] == key), None)
        if same is not None and standing[same][2] == value:
            del standing[same]
        else:
            standing.append((entries[index], key, _value_before(key, entries[:index], change.state)))
    if not standing:
        return None
    entry, (kind, name), before = standing[-1]
    if kind is cm.SetRuling and before is None:
        return None
    return entry, kind(name, before)


def undo_label(change: Change, entries: Sequence[Entry]) -> str:
    """Return what the Undo button would take back; empty: nothing."""
    found = take_back(change, entries)
    entry = found[0] if found is not None else change.undo
    command = None if entry is None else entry.command
    if isinstance(command, cm.EnterPrintedValue) and command.value is not None:
        return speak(figure_say(command), change.state)  # what it is says enough beside "Undo"
    return "" if entry is None else entry_label(entry, change.state)


def undo_kind(change: Change, entries: Sequence[Entry]) -> str:
    """Return what sort of thing the Undo button would take back, in a few words: ``a tick``; empty: nothing."""
    found = take_back(change, entries)
    entry = found[0] if found is not None else change.undo
    if entry is None:
        return ""
    state, command = change.state, entry.command
    words = words_of(state.frozen_setup.game)
    if isinstance(command, cm.EndAct) and not command.also and command.step in state.itinerary:
        act = state.itinerary.steps[state.itinerary.index(StepId(command.step))].act
        if words.word("done", act) is not None or SHARED.word("done", act) is not None:
            return speak(Name("done", act), state)
    kind = type(command).__name__
    known = words.word("undone", kind) or SHARED.word("undone", kind)
    return "" if known is None else speak(Name("undone", kind), state)


def stays(change: Change) -> str:
    """Return why Undo leaves what was just done in place, and what to do instead; empty where it does not."""
    command = change.envelope.command if change.envelope is not None else None
    if command is None or command.kind != "sticky" or isinstance(command, _QUIET) or not change.entries:
        return ""
    what = entry_label(change.entries[-1], change.state)
    return _("{what}. Undo does not change this; enter it again to change it.").format(what=what)
