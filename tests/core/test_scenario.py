"""The values between data files, games and the shell."""

from __future__ import annotations

from companion.core.collecting import one_of
from companion.core.scenario import OPTIONS, DataError, Fault, GameData
from companion.core.text import Name, Say, Typed


def test_a_fault_says_where_what_was_expected_and_what_was_found() -> None:
    fault = Fault("sfw96/italy.toml", "stages[1].first_side", one_of(("allies", "axis")), Typed("Axis"))
    assert str(fault) == "sfw96/italy.toml: stages[1].first_side: expected allies or axis, got Axis"
    assert str(fault.say) == "sfw96/italy.toml, stages[1].first_side: expected allies or axis, got Axis."


def test_a_fault_names_a_line_or_an_option_where_it_has_no_key_of_a_file() -> None:
    wanted = Say("text")
    assert str(Fault("a.toml", "", wanted, line=3).say) == "a.toml, line 3: expected text, got nothing."
    assert str(Fault("a.toml", "k", wanted, line=3).say) == "a.toml, k (line 3): expected text, got nothing."
    assert str(Fault("a.toml", "", wanted).say) == "a.toml: expected text, got nothing."
    assert str(Fault("a.toml", "", wanted, line=3)) == "a.toml: line 3: expected text, got nothing"
    option = Fault(OPTIONS, "clock", wanted).say
    assert option.values["option"] == Name("option", "clock")


def test_an_error_names_every_fault_and_what_to_do_next() -> None:
    faults = [Fault("a", "k", Typed("x"), Typed("y")), Fault("b", "k", Typed("x"), Typed("z"))]
    assert str(DataError(faults)) == "a: k: expected x, got y\nb: k: expected x, got z"
    assert str(DataError(faults, Say("Mend it."))).endswith("\nMend it.")
    assert DataError(faults).faults == tuple(faults)


def test_files_are_named_as_the_user_knows_them() -> None:
    assert GameData("sfw96", {}, {}, {}, {}).file("italy") == "sfw96/italy.toml"
