"""The values between data files, games and the shell."""

from __future__ import annotations

from companion.core.scenario import DataError, Fault, GameData


def test_a_fault_says_where_what_was_expected_and_what_was_found() -> None:
    fault = Fault("sfw96/italy.toml", "stages[1].first_side", "one of allies, axis", "'france'")
    assert str(fault) == "sfw96/italy.toml: stages[1].first_side: expected one of allies, axis, got 'france'"


def test_an_error_names_every_fault_and_what_to_do_next() -> None:
    faults = [Fault("a", "k", "x", "y"), Fault("b", "k", "x", "z")]
    assert str(DataError(faults)) == "a: k: expected x, got y\nb: k: expected x, got z"
    assert str(DataError(faults, "Mend it.")).endswith("\nMend it.")
    assert DataError(faults).faults == tuple(faults)


def test_files_are_named_as_the_user_knows_them() -> None:
    assert GameData("sfw96", {}, {}, {}, {}).file("italy") == "sfw96/italy.toml"
