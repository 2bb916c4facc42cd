"""What the table may overrule is asked in words that say what it does; anything else is only told."""

from __future__ import annotations

from companion.core.commands import Command, EndAct, Pause
from companion.core.ids import StepId
from companion.core.rules import Code, Rejected
from companion.core.text import Say
from companion.pages.needs import anyway
from companion.pages.speak import speak


def told(code: str, command: Command | None) -> tuple[str, ...] | None:
    found = anyway(Rejected(code, Say("Two battles wait")), command)
    return None if found is None else tuple(map(speak, found))


def test_a_question_about_what_is_refused_names_what_its_answer_does() -> None:
    end = EndAct(StepId("s1.t1.allies.move"), 0)
    assert told(Code.STILL_OPEN, end) == ("End this step anyway?", "End the step")
    assert told("over_limit", end) == ("Exceed the limit?", "Exceed it")
    assert told(Code.PAUSED, end) is None
    assert told(Code.STILL_OPEN, EndAct(StepId("s1.t1.allies.move"), 0, confirmed=True)) is None
    assert told(Code.STILL_OPEN, Pause(at_ms=0)) is None
    assert told(Code.STILL_OPEN, None) is None
