"""What people type: numbers of digits 0 to 9 alone, none so large that it cannot be meant; addresses; reasons that say something."""

from __future__ import annotations

import ipaddress
import re

from companion.core.text import Say, Typed
from companion.hall.errors import HallError

__all__ = [
    "MOST_FIGURE",
    "amount_in",
    "figure_in",
    "host_in",
    "line_in",
    "reason_in",
    "shown_in",
    "whole_in",
]

MOST_FIGURE = 1_000_000
"""No number of a tournament is larger: table, round, player, rating, victory points, seconds."""
_WHOLE = re.compile(r"[0-9]{1,7}")
_FIGURE = re.compile(r"-?[0-9]{1,7}")
_AMOUNT = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?")
_MOST_LINE = 60
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_NAME = re.compile(rf"(?=.{{1,100}}\Z)({_LABEL}\.)*(?=[A-Za-z]){_LABEL}")
_BROADCAST = ipaddress.IPv4Address("255.255.255.255")


def whole_in(text: str) -> int | None:
    """Return a number from 0 to `MOST_FIGURE`, None where the text is none."""
    found = _WHOLE.fullmatch(text.strip())
    return int(found[0]) if found is not None and int(found[0]) <= MOST_FIGURE else None


def figure_in(text: str) -> int | None:
    """Return a number that may be below zero, from ``-MOST_FIGURE`` to `MOST_FIGURE`; None where the text is none."""
    found = _FIGURE.fullmatch(text.strip())
    return int(found[0]) if found is not None and abs(int(found[0])) <= MOST_FIGURE else None


def amount_in(text: str) -> float | None:
    """Return a number from 0 to `MOST_FIGURE` that may have decimals, as ``0.5``; None where the text is none."""
    found = _AMOUNT.fullmatch(text.strip())
    return float(found[0]) if found is not None and float(found[0]) <= MOST_FIGURE else None


def host_in(text: str) -> str | None:
    """Return an IPv4 address that one machine can have, or a name of one; None where the text is neither."""
    try:
        found = ipaddress.IPv4Address(text)
    except ValueError:
        return text if _NAME.fullmatch(text) else None
    is_one = not (found.is_unspecified or found.is_multicast or found == _BROADCAST)
    return text if is_one else None


def line_in(what: Say | str, text: str) -> str:
    """Return a short text that can be shown and printed, or none; HallError, naming what it is of, for what no sheet can show."""
    found = text.strip()
    if len(found) > _MOST_LINE or not found.isprintable():
        raise HallError(
            Say(
                "{field}: expected up to {most} letters, got {got}",
                field=what if isinstance(what, Say) else Typed(what),
                most=_MOST_LINE,
                got=Typed(repr(found[:_MOST_LINE])),
            )
        )
    return found


def shown_in(text: str) -> str:
    """Return what was typed into a field, as one line. HallError where a sign of it cannot be shown, as one that turns the line round."""
    found = "".join(" " if sign.isspace() else sign for sign in text)
    if not found.isprintable():
        raise HallError(
            Say(
                "{got} has a character that cannot be shown; nothing was changed",
                got=Typed(repr(found[:40])),
            )
        )
    return found


def reason_in(text: str) -> str:
    """Return why something that stands is changed. HallError where blanks are all there is."""
    found = " ".join(text.split())
    if not found:
        raise HallError(Say("a reason is needed, in words; nothing was changed"))
    return found
