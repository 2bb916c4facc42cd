"""Compose a game's rules from parts (sequence of play, battles, ledger ...), each with its own slice.

The game's slice is a frozen mapping of part name to part slice: a part reads any slice (``state.game["ledger"]``)
and changes only its own. Parts never import the composed rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.core.commands import Command
from companion.core.events import Event, StepEntered
from companion.core.evolve import evolve_all
from companion.core.flow import Step
from companion.core.ids import Millis, RulingId, Side
from companion.core.rules import Code, Context, Decision, GameRules, Hooks, Loss, Rejected, no_printed_value
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say

__all__ = ["ComposedRules", "ForeignKeyError", "Part"]


class ForeignKeyError(KeyError):
    """A printed value that is not a part's own: the next part is asked."""


class Part(Hooks):
    """One part of a game's rules: the same questions as `GameRules`, answered for one slice."""

    name: str = ""
    deciders: Mapping[type[Command], Callable[[GameState, Any], Decision]] = {}
    """What decides each of the part's own commands; a part that needs to know who acts overrides `decide`."""

    def initial(self, setup: Setup) -> Any:  # noqa: ARG002
        """Return the part's slice at the start."""
        return None

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:  # noqa: ARG002
        """Decide one of the part's own commands."""
        decider = self.deciders.get(type(command))
        return Rejected(Code.UNKNOWN_COMMAND) if decider is None else decider(state, command)

    def evolve(self, own: Any, event: Event, state: GameState) -> Any:  # noqa: ARG002
        """Return the part's slice after one of its own events."""
        return own

    def step_entered(self, own: Any, step: Step, state: GameState) -> Any:  # noqa: ARG002
        """Return the part's slice after the position moved to `step`."""
        return own

    def printed_fault(self, state: GameState, key: str, value: object) -> Say | None:  # noqa: ARG002
        """None: this part takes the value. A sentence: it knows the key and refuses. ForeignKeyError: not its key."""
        raise ForeignKeyError(key)


class ComposedRules(GameRules):
    """`GameRules` made of parts; part names and the names of their commands and events are unique."""

    def __init__(self, game: str, parts: tuple[Part, ...]) -> None:
        """Collect the parts' closed unions."""
        self.game = game
        self.parts = parts
        self.commands = tuple(c for part in parts for c in part.commands)
        self.events = tuple(e for part in parts for e in part.events)
        self._by_command = {command: part for part in parts for command in part.commands}
        self._by_event = {event: part for part in parts for event in part.events}
        # Steps are the commonest event, and what takes place is the commonest question: only the parts that care are asked.
        self._on_steps = tuple(
            part for part in parts if getattr(type(part), "step_entered", None) is not Part.step_entered
        )
        self._skipping = tuple(part for part in parts if getattr(type(part), "skips", None) is not Part.skips)
        if len({part.name for part in parts}) != len(parts):
            raise ValueError("two parts share a name")

    def initial(self, setup: Setup) -> dict[str, Any]:
        """Return every part's slice."""
        return {part.name: part.initial(setup) for part in self.parts}

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Let the command's part decide."""
        return self._by_command[type(command)].decide(state, command, ctx)

    def evolve(self, state: GameState, event: Event) -> Any:
        """Let the event's part, or for a new step every part, change its slice."""
        slices: dict[str, Any] = state.game
        part = self._by_event.get(type(event))
        if part is not None:
            before = slices[part.name]
            after = part.evolve(before, event, state)
            return slices if after is before else {**slices, part.name: after}
        if isinstance(event, StepEntered):
            step = state.step
            changed: dict[str, Any] = {}
            for part in self._on_steps:
                before = slices[part.name]
                after = part.step_entered(before, step, state)
                if after is not before:
                    changed[part.name] = after
            return {**slices, **changed} if changed else slices
        return slices

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Collect what happens by itself; later parts see what earlier ones did."""
        events: list[Event] = []
        rules: GameRules = self
        for part in self.parts:
            own = part.entering(state, step, at_ms)
            events.extend(own)
            state = evolve_all(rules, state, own)
        return tuple(events)

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Return the first part's objection."""
        return next((r for part in self.parts if (r := part.leaving(state, step)) is not None), None)

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Collect what happens by itself; later parts see what earlier ones did, and nothing follows an end."""
        events: list[Event] = []
        rules: GameRules = self
        for part in self.parts:
            if state.ending is not None:
                break
            own = part.ending(state, step, at_ms)
            events.extend(own)
            state = evolve_all(rules, state, own)
        return tuple(events)

    def ruled(self, state: GameState, ruling: RulingId) -> tuple[Event, ...]:
        """Collect what follows from a ruling; later parts see what earlier ones did."""
        events: list[Event] = []
        rules: GameRules = self
        for part in self.parts:
            own = part.ruled(state, ruling)
            events.extend(own)
            state = evolve_all(rules, state, own)
        return tuple(events)

    def skips(self, state: GameState, step: Step) -> bool:
        """Skip when any part says so."""
        return any(part.skips(state, step) for part in self._skipping)

    def flag_losses(self, state: GameState, side: Side) -> tuple[Loss, ...]:
        """Collect the losses of all parts."""
        return tuple(item for part in self.parts for item in part.flag_losses(state, side))

    def is_irreversible(self, event: Event) -> bool:
        """Ask the event's part."""
        part = self._by_event.get(type(event))
        return part is not None and part.is_irreversible(event)

    def printed_fault(self, state: GameState, key: str, value: object) -> Say | None:
        """Ask the parts in turn; refuse a key that none knows."""
        for part in self.parts:
            try:
                return part.printed_fault(state, key, value)
            except ForeignKeyError:
                continue
        return no_printed_value(key)
