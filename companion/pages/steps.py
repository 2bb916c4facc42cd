"""What a step of the sequence of play is called, and where a saved game stands, as values."""

from __future__ import annotations

from companion.core.flow import Step
from companion.core.text import Name, Say, Typed, Value, several
from companion.pages.modules import words_of
from companion.pages.shared_words import SHARED

__all__ = ["places", "step_say"]


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


_PARTS = ("place", "nation", "phase")
"""Kinds of names that a part of a step's id may be, in the order in which they are looked for."""


def places(game: str, step: str) -> tuple[Value, ...]:
    """Return where a saved game stands, from the outside inward, told from its step's id without opening it."""
    parts = step.split(".")
    return tuple(_place(game, part, part == parts[-1]) for part in parts)


def _place(game: str, part: str, is_last: bool) -> Value:
    own = words_of(game)
    counted = part.rstrip("0123456789")
    row = own.word("place_count", counted) or SHARED.word("place_count", counted)
    if isinstance(row, str) and counted != part:
        return Say(row, n=Typed(part[len(counted) :]))
    kinds = _PARTS[:1] if is_last else _PARTS
    found = next((kind for kind in kinds if own.word(kind, part) or SHARED.word(kind, part)), "act")
    return Name(found, part)
