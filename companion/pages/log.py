"""The Log screen: every entry, newest first, with what an undo to it would take back."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from companion.core import commands as cm
from companion.core.history import Entry
from companion.core.text import N_, Say, Typed
from companion.pages.film.photo import PhotoDraft, has_camera
from companion.pages.labels import after_say, entry_label, side_name
from companion.pages.page import (
    Act,
    Acts,
    Ask,
    Button,
    Draft,
    Field,
    Form,
    Go,
    Item,
    OnBox,
    Page,
    Rows,
    Send,
    Shown,
    Sight,
    asked,
    sure,
)
from companion.pages.parts import back_button
from companion.pages.times import wall

__all__ = ["SOURCES", "log_page"]

SOURCES: dict[str, str] = {
    "touch": N_("touch"),
    "gpio": N_("button"),
    "panel": N_("panel"),
    "serial": N_("serial"),
    "camera": N_("camera"),
    "key": N_("keyboard"),
    "phone": N_("phone"),
    "hall": N_("hall"),
    "replay": N_("replay"),
    "app": N_("program"),
}


_ICONS = {
    "Pause": "pause",
    "Resume": "play",
    "SettleClock": "flag",
    "SpendToken": "clocks",
    "AcknowledgeFlag": "flag",
    "CorrectTime": "arbiter",
    "JumpTo": "jump",
    "Undo": "undo",
    "Redo": "redo",
    "AddNote": "note",
    "ResumeGame": "plug",
    "StopForSleep": "plug",
    "DecideGap": "arbiter",
    "SetArbiterPin": "arbiter",
    "LockCoach": "arbiter",
    "TickCheck": "check",
    "EnterPrintedValue": "edit",
    "SetRuling": "edit",
    "EndGame": "trophy",
    "ConfirmResult": "check",
    "DisputeResult": "flag",
    "StartGame": "play",
}


class LogDraft(msgspec.Struct, frozen=True):
    """How far back the log is shown."""

    count: int = 0
    """Entries more than at first."""


_AT_FIRST = 200
"""Entries that are listed at once: a long evening has thousands, and a press must not wait for all of them."""


def log_page(sight: Sight) -> Shown:
    """Return the log, newest entry first; a tap on one notes something about it, or undoes all down to it."""
    state, desk, acts = sight.state, sight.desk, Acts()
    entries = desk.entries() if desk is not None else ()
    counts = desk.counts if desk is not None else (lambda _seq: True)
    rows: list[Item] = []
    above, most = 0, _AT_FIRST + sight.entered(LogDraft()).count
    notes, may_photo = _notes(entries), has_camera(sight)
    for entry in entries[: -most - 1 : -1]:
        is_counted = counts(entry.seq)
        can_undo = is_counted and entry.command.kind == "act"
        above += can_undo
        label = entry_label(entry, state)
        actor = Typed(side_name(state.frozen_setup, entry.actor))
        source = Say(SOURCES[entry.source]) if entry.source in SOURCES else Typed(entry.source)
        when = Typed(wall(entry.wall_ms, sight.wall_ms))
        told = Say("{when} · {actor}, {source}", when=when, actor=actor, source=source)
        after = after_say(entry, state)
        told = told if after is None else Say("{what} · {told}", what=after, told=told)
        key = str(entry.seq)
        if entry.seq in notes:
            told = Say("{when} · {note}", when=told, note=Typed(notes[entry.seq]))
        rows.append(
            Item(
                key,
                Typed(label),
                told if is_counted else Say("{when} · undone", when=when),
                symbol=_ICONS.get(type(entry.command).__name__, ""),
                state="plain" if is_counted else "lost",
                act=acts.put(
                    f"entry.{key}", _choices(entry.seq, label, above if can_undo else 0, has_photo=may_photo)
                ),
            )
        )
    if len(entries) > most:
        more = Draft(lambda d: LogDraft(d.count + _AT_FIRST), LogDraft())
        rows.append(Item("older", Say("Older entries"), symbol="down", act=acts.put("older", more)))
    page = Page(
        "log",
        Say("Log"),
        Say.counted("{n} entry", "{n} entries", len(entries)),
        "muted",
        tools=(
            Button(Say("Redo"), acts.put("redo", Send(lambda at_ms: cm.Redo(at_ms=at_ms))), "redo"),
            Button(Say("Report"), acts.put("report", OnBox("report")), "save"),
        ),
        blocks=(Rows("log", tuple(rows), is_wide=False),),
        main=back_button(acts),
    )
    return Shown(page, acts)


def _notes(entries: Sequence[Entry]) -> dict[int, str]:
    """Return what was noted about entries, by their numbers, the newest note last."""
    found: dict[int, str] = {}
    for entry in entries:
        if isinstance(entry.command, cm.AddNote) and entry.command.to_seq is not None:
            before = found.get(entry.command.to_seq)
            found[entry.command.to_seq] = f"{before} · {entry.command.text}" if before else entry.command.text
    return found


def _choices(seq: int, label: str, above: int, *, has_photo: bool) -> Act:
    """Ask what is done with an entry: a note or a photo with it, or, where it is an act, undoing everything down to it."""
    title = Say("Note on: {what}", what=Typed(label))
    field = Field("text", title, "text", most=_MOST_NOTE)
    note = Ask(Form("note", title, (field,)), lambda answers: Send(cm.AddNote(answers["text"].strip(), seq)))
    ways: dict[str, tuple[Say, Act]] = {"note": (Say("Write a note"), note)}
    if above:
        ways = {"undo": (Say("Undo to here"), _undo_to(seq, label, above)), **ways}
    if has_photo:
        ways["photo"] = (Say("Take a photo"), Go("photo", PhotoDraft(seq)))
    if len(ways) == 1:
        return note
    options = tuple(Item(key, words) for key, (words, _act) in ways.items())
    return asked("entry", Typed(label), options, lambda key: ways[key][1])


_MOST_NOTE = 80
"""Signs of a note: what is told on a line."""


def _undo_to(seq: int, label: str, count: int) -> Act:
    text = Say.counted(
        "This undoes {n} action: {what}. Time used is kept.",
        "This undoes {n} actions, back to and including: {what}. Time used is kept.",
        count,
        what=Typed(label),
    )
    undo = Send(lambda at_ms: cm.Undo(at_ms=at_ms, to_seq=seq))
    return sure(Say("Undo to here?"), undo, sub=text, yes=Say("Undo to here"), is_danger=True)
