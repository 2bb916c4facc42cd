"""Whether a portable file that came from elsewhere is a game that can be played here: asked of every line, before anything is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.codec import Codec
from companion.core.commands import Command, StartGame
from companion.core.events import Event
from companion.core.history import Entry, Timeline
from companion.core.ids import ARBITER, SYSTEM, TABLE, Actor
from companion.core.rules import Context
from companion.core.sound import Misfit, setup_misfit, state_misfit
from companion.core.text import Name, Say, Typed
from companion.session.bounds import MOST_ENTRIES, MOST_FOLDED, MOST_GAME
from companion.session.errors import FileValueError, SessionError, Shown
from companion.session.opening import RulesOf, rules_for
from companion.session.outcome import made_by, size_of
from companion.session.pin import is_pin_hash, is_pin_name
from companion.session.portable import Line, Portable, command_of, misfit_error

__all__ = ["TryOut", "decided"]

TryOut = Callable[[Change, Timeline], None]
"""Shows a game once, in every way there is; whatever it raises says that the game cannot be shown."""


def decided(
    read: Portable, rules_of: RulesOf, app_version: str, try_out: TryOut | None = None
) -> tuple[Timeline, Codec]:
    """Return the game of a portable file, every entry decided and folded.

    The stored commands are decided again; what the same rules made must lead to the same events, what others made (`made_by`)
    is taken as it stands. After each entry the state must hold together, and at the end the game must let itself be shown.

    Raises:
        FileValueError: It names the line and what is wrong with it.
        JournalUnreadableError: This version does not have the game.
    """
    path, lines = read.path, read.lines
    if len(lines) > MOST_ENTRIES:
        raise FileValueError(
            path, expected=Say("at most {most} entries", most=MOST_ENTRIES), got=Typed(str(len(lines)))
        )
    setup_line, start = _start(path, read, rules_of)
    rules = rules_for(rules_of, start.setup.game)
    codec, timeline, own = Codec(rules), Timeline(rules), made_by(app_version, rules)
    actors = {TABLE, ARBITER, SYSTEM, *(side.id for side in start.setup.sides)}
    for number, line in lines:
        if line.actor not in actors:
            raise FileValueError(
                path,
                line=number,
                key="actor",
                expected=Say("a side of this game"),
                got=Typed(repr(line.actor)),
            )
        before = timeline.state if timeline.entries else None
        command = start if number == setup_line else command_of(path, number, line, codec)
        with _named(path, number):
            events = _events(path, number, line, codec)
            if events is None or line.app_version == own:
                again = _decide(line, timeline, command, events)
                if isinstance(again, Misfit):
                    raise misfit_error(path, number, again)
                events = again
            timeline.append(
                Entry(
                    seq=timeline.next_seq,
                    command=command,
                    events=events,
                    actor=Actor(line.actor),
                    source=line.source,
                    at_ms=line.at_ms,
                    boot_id=line.boot_id,
                    wall_ms=line.wall_ms,
                    app_version=line.app_version,
                )
            )
            misfit = state_misfit(timeline.state, before)
        if misfit is not None:
            raise misfit_error(path, number, misfit, "events." if misfit.key else "events")
        _check_pin(path, number, timeline.state.frozen_setup.arbiter_hash, "events.pin")
        if timeline.folded > MOST_FOLDED:
            raise FileValueError(
                path, line=number, key="command", expected=Say("fewer undos"), got=Typed(line.command)
            )
    if size_of(timeline.entries, codec) > MOST_GAME:
        most = Say("at most {most} MB", most=MOST_GAME >> 20)
        raise FileValueError(path, key="entries", expected=most, got=Say("more"))
    with _named(path, 0):
        _try_commands(timeline)
        if try_out is not None:
            try_out(_change(timeline), timeline)
    return timeline, codec


def _start(path: Path, read: Portable, rules_of: RulesOf) -> tuple[int, StartGame]:
    """Return the line that starts the game, and its command with a setup that holds together."""
    number, first = read.lines[0] if read.lines else (1, None)
    if first is None or first.command != StartGame.__name__:
        got: Shown = Say("no line") if first is None else Typed(repr(first.command))
        raise FileValueError(path, line=number, key="command", expected=Typed("'StartGame'"), got=got)
    setup = first.args.get("setup")
    game = setup.get("game") if isinstance(setup, dict) else None
    if not isinstance(game, str):
        raise FileValueError(
            path, line=number, key="args.setup.game", expected=Say("the key of a game"), got=Say("nothing")
        )
    command = command_of(path, number, first, Codec(rules_for(rules_of, game)))
    assert isinstance(command, StartGame)
    misfit = setup_misfit(command.setup)
    if misfit is not None:
        raise misfit_error(path, number, misfit, "args.setup.")
    _check_pin(path, number, command.setup.arbiter_hash, "args.setup.arbiter_hash")
    return number, command


def _check_pin(path: Path, number: int, pin: str, key: str) -> None:
    if pin and not is_pin_hash(pin) and not is_pin_name(pin):
        raise FileValueError(
            path,
            line=number,
            key=key,
            expected=Say("the hash of a PIN as this program makes it"),
            got=Say("something else"),
        )


def _events(path: Path, number: int, line: Line, codec: Codec) -> tuple[Event, ...] | None:
    if line.events is None:
        return None
    try:
        return codec.decode_events(msgspec.json.encode(line.events), line.schema)
    except msgspec.ValidationError as fault:
        raise FileValueError(
            path, line=number, key="events", expected=Say("events of this game"), got=Typed(str(fault))
        ) from fault


def _decide(
    line: Line, timeline: Timeline, command: Command, stored: tuple[Event, ...] | None
) -> tuple[Event, ...] | Misfit:
    """Decide a stored command again; a misfit when it is refused or leads to something else."""
    outcome = timeline.handle(command, Context(Actor(line.actor), line.at_ms))
    if outcome.rejected is not None and isinstance(command, cm.SetRuling) and stored is not None:
        # Tables settled rulings themselves before these were the arbiter's under tournament time: it stays as it was played.
        outcome = timeline.handle(command, Context(ARBITER, line.at_ms))
    if outcome.rejected is not None:
        detail = outcome.rejected.detail
        why = detail if isinstance(detail, Say) else Name("refusal", outcome.rejected.code)
        got = Say("{command}, refused: {why}", command=Typed(line.command), why=why)
        return Misfit("command", Say("a command that the game accepts"), got)
    events = tuple(event for draft in outcome.drafts for event in draft.events)
    if stored is not None and stored != events:
        return Misfit("events", Say("what the command leads to"), Say("other events"))
    return events


def _try_commands(timeline: Timeline) -> None:
    """Decide, without keeping anything, what is asked of every game that is opened: go on, end the act, undo, pause."""
    state, at_ms = timeline.state, timeline.entries[-1].at_ms + 1
    resume = cm.ResumeGame(at_ms=at_ms, last_ms=at_ms, gap_ms=None, cause="power")
    end = cm.EndAct(step=state.step.id, at_ms=at_ms, confirmed=True)
    undo, redo = cm.Undo(at_ms=at_ms, confirmed=True), cm.Redo(at_ms=at_ms)
    for command in (resume, end, undo, redo, cm.Pause(at_ms=at_ms), cm.Adjourn(at_ms=at_ms)):
        timeline.handle(command, Context(SYSTEM, at_ms))


def _change(timeline: Timeline) -> Change:
    undo, redo = timeline.undo_target(), timeline.redo_target()
    return Change(len(timeline.entries), timeline.state, undo=undo, redo=redo)


@contextmanager
def _named(path: Path, number: int) -> Iterator[None]:
    """Name the line at whose entry the game's own rules or words broke: its data fit together nowhere else."""
    try:
        yield
    except SessionError:
        raise
    except Exception as fault:
        raise FileValueError(
            path,
            line=number,
            key="command" if number else "",
            expected=Say("a game that fits together"),
            got=_unfit(fault),
        ) from fault


def _unfit(fault: Exception) -> Shown:
    """Say what a fault of the game's own rules means for whoever brings the file; its kind is kept as the cause."""
    match fault:
        case KeyError(args=(what, *_)) if isinstance(what, str | int):
            return Say("{what}, which this game does not have", what=Typed(repr(what)[:80]))
        case msgspec.ValidationError():
            return Typed(str(fault)[:200])
        case _:
            return Say("values that do not go together")
