"""What a step of the sequence of play is called, as a value."""

from __future__ import annotations

from companion.core.flow import Step
from companion.core.text import Name, Say, Value, several

__all__ = ["step_say"]


def step_say(step: Step) -> Say:
    """Return a step on one line, without its stage: ``Step 4, Allies: Move units``."""
    where: list[Value] = []
    if step.movement_step is not None:
        where.append(Say("Step {n}", n=step.movement_step))
    elif step.phase != "begin" and (step.stage, step.phase) != (0, "setup"):
        where.append(Name("phase", step.phase))
    if step.nation is not None:
        where.append(Name("nation", step.nation))
    elif len(step.owners) == 1:
        where.append(Name("side", step.owners[0]))
    act = Name("act", step.act)
    return Say("{where}: {act}", where=several(where, "comma"), act=act) if where else Say("{act}", act=act)
