"""Answers of a form that came from elsewhere: held against its fields, in the sentences that the box says too."""

from __future__ import annotations

import re
from collections.abc import Mapping

from companion.core.text import Say
from companion.pages.page import Answers, Field, Form, Refuse

__all__ = ["taken"]

_NUMBER = re.compile(r"\d{1,8}")
_LETTERS, _DIGITS = 40, 8
_UNKNOWN = Say("The table has moved on.")


def taken(form: Form, given: Mapping[str, str]) -> Answers | Refuse:
    """Return the answers of a form's own fields; why not, where one is missing or none that its field takes."""
    answers = {}
    for field in form.fields:
        answer = given.get(field.key, "").strip() if field.kind == "text" else given.get(field.key, "")
        fault = _fault(field, answer)
        if fault is not None:
            return Refuse(fault)
        answers[field.key] = answer
    return answers


def _fault(field: Field, answer: str) -> Say | None:
    if field.kind == "confirm":
        return None if answer == "yes" else _UNKNOWN
    if not answer:
        is_empty_fine = field.may_be_empty and field.kind != "dice"
        is_option = field.kind == "choose" and any(
            one.key == "" and one.why_not is None for one in field.options
        )
        return None if is_empty_fine or is_option else Say("Something is still missing.")
    match field.kind:
        case "choose":
            is_there = any(one.key == answer and one.why_not is None for one in field.options)
            return None if is_there else _UNKNOWN
        case "count":
            if not _NUMBER.fullmatch(answer) or not field.least <= int(answer) <= field.most:
                return Say("Enter a number from {least} to {most}.", least=field.least, most=field.most)
        case "pin":
            if len(answer) < field.least:
                return Say.counted("At least {n} digit", "At least {n} digits", field.least)
            if not answer.isdecimal() or len(answer) > _DIGITS:
                return Say("Enter a number.")
        case "number":
            bare = answer.removeprefix("-") if field.has_sign else answer
            whole, _dot, part = (
                bare.replace(",", ".").partition(".") if field.has_fraction else (bare, "", "0")
            )
            is_number = whole.isascii() and whole.isdecimal() and (not part or part.isdecimal())
            if not is_number or len(answer) > (field.most or _DIGITS):
                return Say("Enter a number.")
        case "dice":
            wanted = [ask.faces for ask in field.dice for _n in range(ask.count)]
            rolled = answer.split(",")
            are_dice = len(rolled) == len(wanted) and all(
                _NUMBER.fullmatch(one) and 1 <= int(one) <= faces
                for one, faces in zip(rolled, wanted, strict=True)
            )
            if not are_dice:
                return Say("Something is still missing.")
        case _:
            if len(answer) > (field.most or _LETTERS) or not answer.isprintable():
                return Say("This text is too long, or has signs that cannot be shown.")
    return None
