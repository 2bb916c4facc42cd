"""The JSON form of commands and events, and the lifting of older forms."""

from __future__ import annotations

import json

import msgspec
import pytest
from core_table import ALLIES, MINUTE, Roll, Rolled, Table, ToyRules, toy_setup

from companion.core import commands as cm
from companion.core import events as ev
from companion.core.codec import SCHEMA, Codec
from companion.core.commands import CORE_COMMANDS
from companion.core.events import CORE_EVENTS
from companion.core.ids import StepId
from companion.core.rules import GameRules

CODEC = Codec(ToyRules())


def test_every_command_and_event_of_the_core_is_known() -> None:
    assert set(CORE_COMMANDS) == {cls for cls in vars(cm).values() if _is_leaf(cls, cm.Command)}
    assert set(CORE_EVENTS) == {cls for cls in vars(ev).values() if _is_leaf(cls, ev.Event)}


def _is_leaf(cls: object, base: type) -> bool:
    return isinstance(cls, type) and issubclass(cls, base) and cls is not base


def test_a_whole_game_comes_back_from_its_json() -> None:
    table = Table()
    table.do(Roll(4))
    table.press_to("s1.t1.axis.move", 1_000)
    table.do(cm.Undo(table.now))
    for entry in table.entries:
        assert CODEC.decode_command(CODEC.encode_command(entry.command)) == entry.command
        assert CODEC.decode_events(CODEC.encode_events(entry.events)) == entry.events


def test_values_are_stored_as_tagged_objects_without_defaults() -> None:
    data = json.loads(CODEC.encode_command(cm.EndAct(StepId("a"), 5)))
    assert data == {"type": "EndAct", "step": "a", "at_ms": 5}
    assert json.loads(CODEC.encode_events((Rolled(3),))) == [{"type": "Rolled", "value": 3}]


def test_a_command_is_built_from_its_name_and_arguments() -> None:
    assert CODEC.command_from("Roll", {"value": 3}) == Roll(3)
    with pytest.raises(
        ValueError, match="command 'Fly' is unknown; expected one of AcknowledgeFlag, AddNote"
    ):
        CODEC.command_from("Fly", {})
    with pytest.raises(msgspec.ValidationError, match=r"Expected `int`, got `str` - at `\$.at_ms`"):
        CODEC.command_from("Undo", {"at_ms": "soon"})


def test_damaged_data_is_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        CODEC.decode_command(b'{"type": "EndAct", "st')
    with pytest.raises(msgspec.ValidationError, match="Invalid value 'Nobody'"):
        CODEC.decode_events(b'[{"type": "Nobody"}]')


def test_older_forms_are_lifted_step_by_step() -> None:
    def renamed(item: dict[str, object]) -> dict[str, object]:
        return {"type": "Rolled", "value": item["pips"]}

    old = Codec(
        ToyRules(), {("Rolled", SCHEMA - 1): renamed, ("Roll", SCHEMA - 1): lambda i: {**i, "value": 2}}
    )
    assert old.decode_events(b'[{"type": "Rolled", "pips": 4}]', SCHEMA - 1) == (Rolled(4),)
    assert old.decode_command(b'{"type": "Roll"}', SCHEMA - 1) == Roll(2)
    assert old.decode_command(b'{"type": "Undo", "at_ms": 1}', SCHEMA - 1) == cm.Undo(1)


def test_newer_forms_are_refused_in_words() -> None:
    with pytest.raises(msgspec.ValidationError, match=f"written by a newer version .form {SCHEMA + 1}"):
        CODEC.decode_command(b'{"type": "Undo", "at_ms": 1}', SCHEMA + 1)


@pytest.mark.parametrize("form", [SCHEMA - 1, -1, -100_000, -(1 << 63)])
def test_a_form_of_before_the_first_is_refused_at_once(form: int) -> None:
    """Counting up to today's from the least number that a file takes would not end."""
    with pytest.raises(msgspec.ValidationError, match=f"written in form {form}, which there never was"):
        CODEC.decode_command(b'{"type": "Undo", "at_ms": 1}', form)
    with pytest.raises(msgspec.ValidationError, match="which there never was"):
        CODEC.decode_events(b'[{"type": "Rolled", "value": 4}]', form)


@pytest.mark.parametrize("data", [b"7", b"[7]", b"[[]]", b'"x"', b"null"])
def test_what_is_no_object_is_not_lifted(data: bytes) -> None:
    old = Codec(ToyRules(), {("Rolled", SCHEMA - 1): lambda item: item})
    for decode in (old.decode_command, old.decode_events):
        with pytest.raises(msgspec.ValidationError):
            decode(data, SCHEMA - 1)


def test_two_classes_of_one_name_are_a_bug() -> None:
    class Undo(cm.Command, frozen=True, tag=True):
        """Takes the name of a core command."""

    class Twice(GameRules):
        commands = (Undo,)

    with pytest.raises(ValueError, match="two commands or two events share a name"):
        Codec(Twice())


def test_a_setup_comes_back_equal() -> None:
    setup = toy_setup(allotted={ALLIES: (MINUTE, 1, 2)})
    assert msgspec.json.decode(msgspec.json.encode(setup), type=type(setup)) == setup
