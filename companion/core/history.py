"""Which entries of the log count, and the state that they fold to.

Undo is an entry like any other: it names the entries that no longer count. Corrections, rulings and printed
values always count. Undo is linear, across steps and stages; a new act drops what could be redone. The time
used is kept: after every undo and redo a `TimeKept` sets the clocks to what was really used, paused under
tournament time, unless only an entry of the act at hand went, running on for whoever is to act otherwise.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.decide import Draft, Handled, handle, settled, stopping
from companion.core.evolve import evolve_all
from companion.core.ids import Actor, Millis
from companion.core.rules import Accepted, Code, Context, Decision, GameRules, Rejected
from companion.core.state import EMPTY_STATE, GameState
from companion.core.text import Say
from companion.core.turns import begun_in, kept

__all__ = ["Entry", "Timeline"]

_SNAPSHOT_EVERY = 32


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One entry of the log, as stored."""

    seq: int
    """1, 2, 3 ... without gaps."""
    command: cm.Command
    events: tuple[ev.Event, ...]
    actor: Actor
    source: str
    """Where the command came from: ``touch``, ``gpio``, ``serial``, ``camera``, ``key``, ``replay``, ``app``."""
    at_ms: Millis
    """When it was decided, on its boot's monotonic clock."""
    boot_id: str = ""
    wall_ms: int = 0
    """Wall time as a label only; nothing is ever computed from it but the named length of a gap."""
    app_version: str = ""


class Timeline:
    """The log in memory with its live state. Single-threaded; owned by whoever writes the journal.

    Snapshots of the immutable state are kept every few entries, so that an undo folds little again.
    """

    def __init__(self, rules: GameRules, entries: Iterable[Entry] = ()) -> None:
        """Fold stored entries, oldest first."""
        self.rules = rules
        self.entries: list[Entry] = []
        self.state: GameState = EMPTY_STATE
        self._dropped: set[int] = set()
        self._acts: list[int] = []
        """The acts that count, oldest first: what an undo can take back."""
        self._redo: list[tuple[int, ...]] = []
        self._snapshots: list[tuple[int, GameState]] = [(0, EMPTY_STATE)]
        self.folded = 0
        """Entries that undos and redos in the log have folded again: what it costs to open it, and so bounded."""
        self._folded_last = 0
        for entry in entries:
            self.append(entry)

    @property
    def next_seq(self) -> int:
        """The number that the next entry gets."""
        return len(self.entries) + 1

    def counts(self, seq: int) -> bool:
        """Say whether an entry counts."""
        return seq not in self._dropped

    def undo_target(self) -> Entry | None:
        """Return the entry that an undo would take back now; its label names the undo button."""
        return self.entries[self._acts[-1] - 1] if self._acts else None

    def redo_target(self) -> Entry | None:
        """Return the oldest entry that a redo would bring back now."""
        return self.entries[self._redo[-1][0] - 1] if self._redo else None

    def handle(self, command: cm.Command, ctx: Context) -> Handled:
        """Decide a command, undo and redo included. Appends nothing: the shell stores first."""
        if isinstance(command, cm.Undo | cm.Redo):
            before = settled(self.rules, self.state, command, ctx)
            if before.rejected is not None:
                return before
            # A flag that falls now becomes an entry of its own before the undo; the fold does not know it yet.
            fell = tuple(event for draft in before.drafts for event in draft.events)
            decision = self._decide_history(command, before.state, fell, ctx)
            if isinstance(decision, Rejected):
                return replace(before, rejected=decision)
            state = evolve_all(self.rules, self._without(decision.events), (*fell, *decision.events))
            return Handled((*before.drafts, Draft(command, decision.events)), state)
        return handle(self.rules, self.state, command, ctx)

    def append(self, entry: Entry) -> GameState:
        """Take a stored entry and return the live state after it.

        ValueError when its number is not the next, or when it takes back what does not stand before it.
        """
        if entry.seq != self.next_seq:
            raise ValueError(f"entry {entry.seq} comes after {len(self.entries)}; expected {self.next_seq}")
        if entry.command.kind == "history":
            _check_seqs(entry)
            self.state = evolve_all(self.rules, self._without(entry.events), entry.events)
            self.folded += self._folded_last
            self._mark(entry.events)
            self.entries.append(entry)
            return self.state
        self.entries.append(entry)
        if entry.command.kind == "act":
            self._redo.clear()
            self._acts.append(entry.seq)
        self.state = evolve_all(self.rules, self.state, entry.events)
        if entry.seq - self._snapshots[-1][0] >= _SNAPSHOT_EVERY:
            self._snapshots.append((entry.seq, self.state))
        return self.state

    def state_at(self, seq: int) -> GameState:
        """Return the state after entry `seq`, counting what counts now."""
        return self._fold(self._dropped, seq)

    # Undo and redo

    def _decide_history(
        self, command: cm.Undo | cm.Redo, state: GameState, fell: tuple[ev.Event, ...], ctx: Context
    ) -> Decision:
        if state.setup is None:
            return Rejected(Code.NOT_STARTED)
        if state.ending is not None and state.ending.reason == ck.OUT_OF_TIME:
            return Rejected(
                Code.GAME_OVER, Say("The game was lost on time. Only a correction by the arbiter reopens it.")
            )
        if isinstance(command, cm.Undo):
            seqs = self._undo_seqs(command.to_seq)
            if not seqs:
                return Rejected(Code.NOTHING_TO_UNDO)
            if not command.confirmed and self._is_irreversible(seqs):
                return Rejected(Code.CONFIRM_UNDO)
            event: ev.Undone | ev.Redone = ev.Undone(seqs)
        elif self._redo:
            event = ev.Redone(self._redo[-1])
        else:
            return Rejected(Code.NOTHING_TO_REDO)
        asked = command.at_ms if ctx.now_ms is None else min(command.at_ms, ctx.now_ms)
        at = max(asked, state.clocks.last_ms)
        target = evolve_all(self.rules, self._without((event,)), fell)
        is_small = (
            isinstance(command, cm.Undo)
            and command.keeps_clock
            and target.step.id == state.step.id
            and not self._is_irreversible(event.seqs)
        )
        return Accepted(
            (
                *stopping(state, at),
                event,
                self._time_kept(state, target, (event, *fell), at, is_small=is_small),
            )
        )

    def _undo_seqs(self, to_seq: int | None) -> tuple[int, ...]:
        first = len(self._acts) - 1 if to_seq is None else bisect_left(self._acts, to_seq)
        return tuple(self._acts[max(0, first) :])

    def _is_irreversible(self, seqs: tuple[int, ...]) -> bool:
        return any(
            self.rules.is_irreversible(event) for seq in seqs for event in self.entries[seq - 1].events
        )

    def _time_kept(
        self, state: GameState, target: GameState, events: tuple[ev.Event, ...], at: Millis, *, is_small: bool
    ) -> ev.TimeKept:
        """Keep every millisecond used; only the stage and the turns go back with the position. What is small pauses no clock."""
        clocks = ck.with_stage(ck.stopped(state.clocks, at), target.step.stage)
        if clocks.turns is not UNSET:
            clocks = kept(clocks, target, self._begun_turns(events))
        if clocks.config.mode == "none" or target.ending is not None or clocks.is_paused:
            return ev.TimeKept(clocks)
        if clocks.config.tournament and not is_small:
            return ev.TimeKept(replace(clocks, is_paused=True))
        side = target.step.clock
        # While a side is out of time in the target's stage the table is asked first, or its steps are skipped.
        is_held = any(
            who is not None and ck.fallen(clocks, who, target.step.stage)
            for who in (side, target.flag_prompt)
        )
        return ev.TimeKept(clocks if side is None or is_held else ck.started(clocks, side, at))

    def _begun_turns(self, events: tuple[ev.Event, ...]) -> set[str]:
        """Return the turns whose beginning counts after an undo or redo."""
        dropped = self._dropped_with(events)
        return begun_in(e for entry in self.entries if entry.seq not in dropped for e in entry.events)

    def _mark(self, events: tuple[ev.Event, ...]) -> None:
        """Take in which entries count after an undo or redo, and drop the snapshots that no longer hold."""
        for event in events:
            if isinstance(event, ev.Undone):
                self._dropped.update(event.seqs)
                self._redo.append(event.seqs)
                first = bisect_left(self._acts, min(event.seqs))
                self._acts[first:] = [seq for seq in self._acts[first:] if seq not in self._dropped]
                self._forget_from(min(event.seqs))
            elif isinstance(event, ev.Redone):
                for seq in self._dropped.intersection(event.seqs):
                    if self.entries[seq - 1].command.kind == "act":
                        insort(self._acts, seq)
                self._dropped.difference_update(event.seqs)
                del self._redo[-1:]
                self._forget_from(min(event.seqs))

    def _without(self, events: tuple[ev.Event, ...]) -> GameState:
        """Return the state before an undo or redo entry's own events, with its entries taken out or back in."""
        return self._fold(self._dropped_with(events), len(self.entries))

    def _dropped_with(self, events: tuple[ev.Event, ...]) -> set[int]:
        """Return which entries do not count once these events have happened."""
        dropped = set(self._dropped)
        for event in events:
            if isinstance(event, ev.Undone):
                dropped.update(event.seqs)
            elif isinstance(event, ev.Redone):
                dropped.difference_update(event.seqs)
        return dropped

    def _fold(self, dropped: set[int], upto: int) -> GameState:
        """Fold the entries that count, up to number `upto`, from the newest snapshot that still holds."""
        changed = dropped ^ self._dropped
        first_changed = min(changed, default=upto + 1)
        start, state = next(
            (seq, snap) for seq, snap in reversed(self._snapshots) if seq < first_changed and seq <= upto
        )
        self._folded_last = upto - start
        for entry in self.entries[start:upto]:
            if entry.seq not in dropped:
                state = evolve_all(self.rules, state, entry.events)
        return state

    def _forget_from(self, seq: int) -> None:
        while self._snapshots[-1][0] >= seq:
            self._snapshots.pop()


def _check_seqs(entry: Entry) -> None:
    for event in entry.events:
        if isinstance(event, ev.Undone | ev.Redone) and not (
            event.seqs and all(0 < seq < entry.seq for seq in event.seqs)
        ):
            raise ValueError(f"entry {entry.seq} takes back entries that are not there: {event.seqs}")
