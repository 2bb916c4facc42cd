"""What may be known, by whom and until when: a game's secrets as a table, and the one thing that covers them.

A game names its secrets once (`Secrets`, in its ``secrets.py``): what each is, which commands and events hold it, and what
opens it. From that table `View` makes the log as some eyes may know it: an entry that holds a closed secret is replaced by
one from which it was taken, and the state is folded from those entries. So nothing that is made of a view can tell what its
eyes may not see, wherever it is shown: no page, label or report masks anything by itself.

Views do not decide anything: commands are decided against the true state. What a rule refuses before a secret is opened it
judges by what the asker may know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from companion.core import events as ev
from companion.core.change import Change
from companion.core.commands import Command
from companion.core.history import Entry, Timeline
from companion.core.rules import Code, GameRules, Rejected
from companion.core.state import GameState

__all__ = ["NOBODY", "Cover", "Eyes", "Happened", "Secret", "Secrets", "Seen", "View", "Views"]

Eyes = frozenset[str]
"""The sides or players whose hidden things are seen."""

NOBODY: Eyes = frozenset()
"""What everybody at the table may know, and a stranger beside it."""


class Happened(msgspec.Struct, frozen=True):
    """A command and what it led to; of a refused command nothing."""

    command: Command
    events: tuple[ev.Event, ...] = ()


Cover = Callable[[Happened, GameState, Eyes], Happened]
"""Takes from an act what some eyes may not know, by the state as they knew it before; the same object where it is nothing.

It must never depend on what it takes: two acts that differ in the secret alone are covered by equal ones.
"""


class Secret(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of thing that not everybody may know."""

    key: str
    """Its id within its game, such as ``face_down``."""
    text: str
    """One English sentence: what is hidden, from whom, and what opens it, with the section of the rulebook."""
    kept: Literal["covered", "sealed", "outside"]
    """``covered``: the log holds it, and views cover it. ``sealed``: the log holds ciphertext until it is opened.
    ``outside``: the log never holds it; what is being entered and what a player notes for himself stay on their screen."""
    held_in: tuple[type[Command] | type[ev.Event], ...] = ()
    """The commands and events that hold it; none of what is kept outside."""
    opened_by: tuple[type[ev.Event], ...] = ()
    """The events that open it. The end of a game opens all that its log holds in clear."""
    opens: Callable[[ev.Event], bool] | None = None
    """Which of those events do; None: all of them."""
    cover: Cover | None = None
    """Of a covered one: how it is taken from an act."""
    stays: str = ""
    """Why a copy of the game may leave the box while it is closed; empty: none may."""

    def is_opened(self, event: ev.Event) -> bool:
        """Say whether an event opens what was closed before it."""
        return isinstance(event, self.opened_by) and (self.opens is None or self.opens(event))


class Secrets(msgspec.Struct, frozen=True, kw_only=True):
    """All secrets of a game. Nothing is left open by forgetting it: a game without any says why."""

    held: tuple[Secret, ...] = ()
    none_because: str = ""
    """One English sentence: why nothing in this game's log is hidden; empty where something is."""

    @property
    def covered(self) -> tuple[Secret, ...]:
        """Those that views cover."""
        return tuple(secret for secret in self.held if secret.kept == "covered")


class View:
    """The log of one game as some eyes may know it, kept up to date entry by entry. Single-threaded.

    What was opened stays open, whatever is undone later: it was seen. What was taken back before it was opened stays closed
    until the game ends: it went back to its owner.
    """

    def __init__(self, rules: GameRules, secrets: Secrets, eyes: Eyes = NOBODY) -> None:
        """Begin with an empty log."""
        self._rules, self._secrets, self._eyes = rules, secrets.covered, eyes
        self._true: list[Entry] = []
        self._closed: dict[int, tuple[Secret, ...]] = {}
        self._opened: set[tuple[int, str]] = set()
        self._line = Timeline(rules)

    def take(self, log: Sequence[Entry]) -> None:
        """Take what is new in the true log, which is given whole, oldest first."""
        if not self._secrets:
            return
        fresh = log[len(self._true) :]
        is_whole = not self._true and len(fresh) > 1
        for entry in fresh:
            self._true.append(entry)
            self._append(entry, is_survey=is_whole)
            if self._open(entry) and not is_whole:
                self._anew()
        if is_whole:  # now it is known what was opened: once more, with everything else covered
            self._anew()

    def _append(self, entry: Entry, *, is_survey: bool = False) -> None:
        covered, closed = Happened(entry.command, entry.events), []
        for secret in self._secrets:
            if (entry.seq, secret.key) in self._opened:
                continue
            seen = self._covered(secret, covered)
            if seen is not None:
                covered = seen
                closed.append(secret)
        if closed:
            self._closed[entry.seq] = tuple(closed)
            if not is_survey:
                entry = replace(entry, command=covered.command, events=covered.events)
        self._line.append(entry)

    def _covered(self, secret: Secret, act: Happened) -> Happened | None:
        """Return an act without a secret; None where it holds none that these eyes may not know."""
        if secret.cover is None or not any(
            isinstance(one, secret.held_in) for one in (act.command, *act.events)
        ):
            return None
        seen = secret.cover(act, self._line.state, self._eyes)
        return None if seen is act else seen

    def _open(self, entry: Entry) -> bool:
        """Note what an entry opens; say whether it opened anything."""
        found = {
            (seq, one.key)
            for event in entry.events
            for seq, secrets in self._closed.items()
            for one in secrets
            if isinstance(event, ev.GameEnded) or (self._line.counts(seq) and one.is_opened(event))
        } - self._opened
        self._opened |= found
        return bool(found)

    def _anew(self) -> None:
        self._closed.clear()
        self._line = Timeline(self._rules)
        for entry in self._true:
            self._append(entry)

    # What these eyes may know

    def entries(self, true: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Return the log as these eyes may know it; the true one itself while nothing is closed."""
        return tuple(self._line.entries) if self._closed else true

    def change(self, true: Change) -> Change:
        """Return a change as these eyes may know it, once its entries were taken; itself while nothing is closed.

        What was asked in secret and refused is told to these eyes as refused, without a reason.
        """
        taken = {entry.seq: self._entry(entry) for entry in true.entries}
        envelope, rejected = true.envelope, true.rejected
        if envelope is not None:
            own = next(
                (
                    seq
                    for seq, one in zip(taken, true.entries, strict=True)
                    if one.command is envelope.command
                ),
                0,
            )
            asked = taken[own].command if own else self._asked(envelope.command)
            if asked is not envelope.command:
                if rejected is not None and envelope.actor in self._seats():
                    rejected = Rejected(Code.IN_SECRET)
                envelope = replace(envelope, command=asked)
        if not self._closed and envelope is true.envelope:
            return true
        return replace(
            true,
            state=self._line.state if self._closed else true.state,
            entries=tuple(taken.values()),
            envelope=envelope,
            rejected=rejected,
            undo=self._entry(true.undo),
            redo=self._entry(true.redo),
        )

    def _asked(self, command: Command) -> Command:
        """Return a refused command without what these eyes may not know."""
        seen = Happened(command)
        for secret in self._secrets:
            seen = self._covered(secret, seen) or seen
        return seen.command

    def _seats(self) -> frozenset[str]:
        setup = self._line.state.setup
        return frozenset(one.id for one in setup.sides) if setup is not None else frozenset()

    def _entry(self, entry: Any) -> Any:
        return entry if entry is None or not self._closed else self._line.entries[entry.seq - 1]

    def first_held(self) -> int | None:
        """Return the first entry that counts and holds a secret of which no copy may leave the box; None where none does."""
        return min(
            (
                seq
                for seq, secrets in self._closed.items()
                if self._line.counts(seq) and not all(one.stays for one in secrets)
            ),
            default=None,
        )


class Seen(msgspec.Struct, frozen=True):
    """A game as some eyes may know it at its newest change."""

    change: Change
    entries: tuple[Entry, ...]
    """The log, oldest first; which of them count is the same for all eyes."""


class Views:
    """The views of one open game, made when they are asked for and kept. Single-threaded."""

    def __init__(self, rules: GameRules, secrets: Secrets, entries: Iterable[Entry], change: Change) -> None:
        """Take the true log and its newest change."""
        self._rules, self._secrets = rules, secrets
        self._true = list(entries)
        self._change = change
        self._views: dict[Eyes, View] = {}
        self._shown: dict[Eyes, Change] = {}

    def take(self, change: Change) -> None:
        """Take a change with its entries; those taken before are left alone."""
        self._true += [entry for entry in change.entries if entry.seq > len(self._true)]
        self._change = change
        self._shown.clear()

    def change(self, eyes: Eyes = NOBODY) -> Change:
        """Return the newest change as these eyes may know it; the same object until the next one."""
        if eyes not in self._shown:
            self._shown[eyes] = self._view(eyes).change(self._change)
        return self._shown[eyes]

    def seen(self, eyes: Eyes = NOBODY) -> Seen:
        """Return the game as these eyes may know it."""
        change = self.change(eyes)
        return Seen(change, self._view(eyes).entries(tuple(self._true)))

    @property
    def length(self) -> int:
        """How many entries the log has."""
        return len(self._true)

    def free_until(self) -> int:
        """Return the number of the newest entry up to which a copy of the log may leave the box now."""
        held = self._view(NOBODY).first_held()
        return len(self._true) if held is None else held - 1

    def _view(self, eyes: Eyes) -> View:
        view = self._views.setdefault(eyes, View(self._rules, self._secrets, eyes))
        view.take(self._true)
        return view
