"""The JSON form of commands and events of one game, and the lifting of older forms.

An entry's values are stored as tagged JSON objects: ``{"type": "EndAct", ...}``. When a field changes, the
schema number goes up and an upcaster lifts the older object before it is decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Union

import msgspec

from companion.core.commands import CORE_COMMANDS, Command
from companion.core.events import CORE_EVENTS, Event
from companion.core.rules import GameRules

__all__ = ["SCHEMA", "UPCASTERS", "Codec", "Upcaster"]

SCHEMA = 1
"""Number of the form in which entries are written now."""

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""(type name, schema it was written in) -> function to the next schema's object."""

_OBJECT = dict[str, Any]


class Codec:
    """Encode and decode the commands and events of the core and one game.

    Decoding raises msgspec.ValidationError or msgspec.DecodeError for damaged or unknown data.
    """

    def __init__(self, rules: GameRules, upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS) -> None:
        """Collect the closed unions of the core and of the game's rules."""
        self._upcasters, self.rules = upcasters, rules
        self._oldest = min((step for _name, step in upcasters), default=SCHEMA)
        commands = (*CORE_COMMANDS, *rules.commands)
        events = (*CORE_EVENTS, *rules.events)
        self.command_types = {cls.__name__: cls for cls in commands}
        self.event_types = {cls.__name__: cls for cls in events}
        for table, classes in ((self.command_types, commands), (self.event_types, events)):
            if len(table) != len(classes):
                raise ValueError("two commands or two events share a name")
        self._encoder = msgspec.json.Encoder(order="deterministic")
        self._command: msgspec.json.Decoder[Any] = msgspec.json.Decoder(_union(commands))
        self._events: msgspec.json.Decoder[Any] = msgspec.json.Decoder(tuple[_union(events), ...])  # type: ignore[misc]

    def encode_command(self, command: Command) -> bytes:
        """Return a command as JSON."""
        return self._encoder.encode(command)

    def encode_events(self, events: tuple[Event, ...]) -> bytes:
        """Return events as a JSON array."""
        return self._encoder.encode(events)

    def decode_command(self, data: bytes | str, schema: int = SCHEMA) -> Command:
        """Return the command of a stored object."""
        if schema != SCHEMA:
            data = self._encoder.encode(self._lift(msgspec.json.decode(data, type=_OBJECT), schema))
        command: Command = self._command.decode(data)
        return command

    def decode_events(self, data: bytes | str, schema: int = SCHEMA) -> tuple[Event, ...]:
        """Return the events of a stored array."""
        if schema != SCHEMA:
            items = msgspec.json.decode(data, type=list[_OBJECT])
            data = self._encoder.encode([self._lift(item, schema) for item in items])
        events: tuple[Event, ...] = self._events.decode(data)
        return events

    def command_from(self, name: str, args: Mapping[str, Any]) -> Command:
        """Build a command from its name and arguments, as a replay file gives them.

        Raises ValueError for an unknown name and msgspec.ValidationError for wrong arguments.
        """
        cls = self.command_types.get(name)
        if cls is None:
            known = ", ".join(sorted(self.command_types))
            raise ValueError(f"command {name!r} is unknown; expected one of {known}")
        return msgspec.convert({"type": name, **args}, cls)

    def _lift(self, item: dict[str, Any], schema: int) -> dict[str, Any]:
        if schema > SCHEMA:
            raise msgspec.ValidationError(
                f"written by a newer version (form {schema}, this one reads up to {SCHEMA})"
            )
        if schema < self._oldest:  # a number without end would be counted through
            raise msgspec.ValidationError(f"written in form {schema}, which there never was")
        for step in range(schema, SCHEMA):
            upcaster = self._upcasters.get((str(item.get("type")), step))
            if upcaster is not None:
                item = upcaster(item)
        return item


def _union(classes: tuple[type[msgspec.Struct], ...]) -> Any:
    return Union[classes]  # noqa: UP007
