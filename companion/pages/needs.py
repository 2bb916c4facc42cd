"""Asking for exactly the value that decides: its entry is opened at once, and what was refused for want of it is done again.

A refusal with `needs` says which values nobody has entered. The game says how each is asked for (`GameModule.entry`); a
printed value that it says nothing of is a plain number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from companion.core.commands import Command, EndAct
from companion.core.ids import Actor
from companion.core.judgement import Need
from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.core.text import Say
from companion.pages.modules import modules
from companion.pages.page import Act, Answers, Ask, Field, Form, Item, Refuse, Send, asked
from companion.pages.parts import as_words, refusal_words
from companion.pages.printed import entry_command, parse_value

__all__ = ["WHERE_PRINTED", "anyway", "ask_again", "enter_first", "entry_of", "followed"]

WHERE_PRINTED = Say("Look on its tile, chart or player aid.")
"""Where a figure is found that no rulebook gives."""
_ANYWAY = "anyway"


def entry_of(state: GameState, need: Need) -> Ask | None:
    """Return the question for a value, made by the game or as a plain number; None where nothing can enter it."""
    found = modules().get(state.frozen_setup.game)
    own = found.entry() if found is not None and found.entry is not None else None
    ask = None if own is None else own(state, need)
    if ask is not None or need.kind != "printed":
        return ask
    return _number(state, need)


def enter_first(state: GameState, needs: Iterable[Need], after: Act) -> Ask | None:
    """Return the question for the first value of some that can be entered, and then an act; None where there is none."""
    ask = next((found for need in needs if (found := entry_of(state, need)) is not None), None)
    return None if ask is None else _then(ask, after)


def anyway(rejected: Rejected, command: Command | None) -> tuple[Say, Say] | None:
    """Return what is asked, and what the button says, of a refusal that the table may overrule; None of any other.

    The command is then sent again with `confirmed` set.
    """
    if getattr(command, "confirmed", None) is not False:
        return None
    if rejected.code == Code.STILL_OPEN and isinstance(command, EndAct):
        return Say("End this step anyway?"), Say("End the step")
    return (Say("Exceed the limit?"), Say("Exceed it")) if rejected.code == "over_limit" else None


def ask_again(state: GameState, rejected: Rejected, command: Command, actor: Actor) -> Ask | None:
    """Return the question for the first value that a refused command needs; its answer is sent, then the command again.

    A command that may be sent confirmed, such as the end of an act, may also be done without the value. None: the refusal
    asks for nothing that can be entered.
    """
    ask = enter_first(state, rejected.needs, Send(command, actor))
    if ask is None:
        return None
    if rejected.code != Code.STILL_OPEN or getattr(command, "confirmed", None) is not False:
        return ask
    confirmed: Any = replace(command, confirmed=True)
    return _or_without(ask, refusal_words(rejected), Send(confirmed, actor))


def followed(act: Act, after: Act) -> Act:
    """Return an act after whose last command another act is done; a refusal stays one."""
    match act:
        case Send():
            return replace(act, then=after if act.then is None else followed(act.then, after))
        case Ask():
            return _then(act, after)
    return act


def _then(ask: Ask, after: Act) -> Ask:
    return Ask(ask.form, lambda answers: followed(ask.answered(answers), after))


def _or_without(ask: Ask, why: Any, anyway: Send) -> Ask:
    """Say why a value is asked for and offer to go on without it: beside its options, else before the question."""
    field = ask.form.fields[0]
    if field.kind == "choose" and len(ask.form.fields) == 1:
        options = (*field.options, Item(_ANYWAY, Say("Leave it open")))
        form = replace(ask.form, fields=(replace(field, options=options, sub=why),))
        return Ask(form, lambda given: anyway if given[field.key] == _ANYWAY else ask.answered(given))
    options = (Item("enter", ask.form.title), Item(_ANYWAY, Say("Leave it open")))
    return asked("needed", why, options, lambda key: anyway if key == _ANYWAY else ask)


def _number(state: GameState, need: Need) -> Ask:
    """Ask for a printed value as a number; one that the rules refuse leaves the question open."""

    def answered(answers: Answers) -> Act:
        typed = answers["value"]
        value = parse_value(typed)
        if value is None:
            return Refuse(Say("Enter a number."))
        module = modules().get(state.frozen_setup.game)
        fault = None if module is None else module.rules().printed_fault(state, need.id, value)
        return Send(entry_command(need.id, typed)) if fault is None else Refuse(as_words(fault))

    field = Field("value", need.question, "number", WHERE_PRINTED, has_fraction=True)
    return Ask(Form("needed", need.question, (field,)), answered)
