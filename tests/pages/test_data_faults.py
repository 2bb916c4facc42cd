"""What New game says of data files and options that are wrong."""

from __future__ import annotations

from companion.core.collecting import one_of
from companion.core.scenario import OPTIONS, DataError, Fault
from companion.core.text import Say, Typed
from companion.pages.new_game import fault_lines, refusal

SIDES = one_of(("allies", "axis"))


def test_the_faults_of_a_file_stand_in_one_notice_with_what_to_do_next() -> None:
    faults = [Fault("sfw96/italy.toml", f"stages[{n}].first_side", SIDES, Typed("Axis")) for n in range(5)]
    faults.append(Fault("med/game.toml", "", Say("a data file")))
    (italy, cure), (other, _cure) = [(str(text), str(hint)) for text, hint in fault_lines(faults)]
    assert italy.startswith("sfw96/italy.toml, stages[0].first_side: expected allies or axis, got Axis. ")
    assert italy.endswith("2 more errors.")
    assert cure == "Fix the file, or remove it from the data folder."
    assert other == "med/game.toml: expected a data file, got nothing."


def test_a_wrong_option_is_named_as_the_screen_names_it() -> None:
    error = DataError([Fault(OPTIONS, "bid_side", SIDES, Typed("x"))], Say("Change what is named."))
    assert refusal(error) == (
        Typed("Side that gets the bid: expected allies or axis, got x."),
        Say("Change what is named."),
    )
    assert refusal(ValueError("no such game")) == (Typed("no such game"), None)
