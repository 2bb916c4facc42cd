"""A judgement with three answers: yes, no, or not known, and then which value decides it.

What nobody has entered is neither a yes nor a no. A judgement that hangs on it names the value, so that whoever asked can ask
for exactly that one, and go on. Three-valued logic joins judgements: a no decides "all of", a yes decides "any of", and only
what could still turn the answer is asked for.

    held = held_by(state, "tobruk", "axis")
    if held.is_unknown:
        return not_known(held)   # a refusal that asks; whoever shows it offers the entry and repeats the act
    if held.is_yes: ...
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

import msgspec

from companion.core.text import Say

__all__ = ["NO", "YES", "Judgement", "Need", "all_of", "any_of", "judged", "unknown"]


class Need(msgspec.Struct, frozen=True):
    """One value that nobody has entered yet and that decides something."""

    kind: str
    """How it is entered: ``printed`` for a printed value, or a kind of the game's own."""
    id: str
    """Which one: the key of a printed value, the id of a space ..."""
    question: Say
    """The question to the table, one sentence."""


class Judgement(msgspec.Struct, frozen=True):
    """Yes, no, or not known with the values that could decide it, the likeliest to decide first.

    It has no truth value, so that an unknown can never pass for a no by mistake: ask `is_yes`, `is_no` or `is_unknown`.
    """

    answer: bool | None
    needs: tuple[Need, ...] = ()
    """What is not known; empty where the answer is known."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a judgement has three answers: ask is_yes, is_no or is_unknown")

    @property
    def is_yes(self) -> bool:
        """It is known to be so."""
        return self.answer is True

    @property
    def is_no(self) -> bool:
        """It is known not to be so."""
        return self.answer is False

    @property
    def is_unknown(self) -> bool:
        """A value is missing that decides it."""
        return self.answer is None

    def __invert__(self) -> Judgement:
        return self if self.answer is None else judged(not self.answer)

    def __and__(self, other: Judgement) -> Judgement:
        return all_of((self, other))

    def __or__(self, other: Judgement) -> Judgement:
        return any_of((self, other))


YES, NO = Judgement(True), Judgement(False)


def judged(answer: bool) -> Judgement:
    """Return a judgement that is known."""
    return YES if answer else NO


def unknown(*needs: Need) -> Judgement:
    """Return a judgement that hangs on values. ValueError without any: then nothing could ever decide it."""
    if not needs:
        raise ValueError("what is not known names the value that decides it")
    return Judgement(None, needs)


def all_of(parts: Iterable[Judgement]) -> Judgement:
    """Return yes where every part is, no where one is not, else not known with what the open parts need."""
    return _joined(parts, decisive=False)


def any_of(parts: Iterable[Judgement]) -> Judgement:
    """Return yes where one part is, no where none is, else not known with what the open parts need."""
    return _joined(parts, decisive=True)


def _joined(parts: Iterable[Judgement], *, decisive: bool) -> Judgement:
    needs: dict[Need, None] = {}
    is_open = False
    for part in parts:
        if part.answer is decisive:
            return judged(decisive)
        if part.answer is None:
            is_open = True
            needs.update(dict.fromkeys(part.needs))
    return Judgement(None, tuple(needs)) if is_open else judged(not decisive)
