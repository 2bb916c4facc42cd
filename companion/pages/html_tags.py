"""Elements of HTML as text: escaping, attributes, the classes of colour tokens, symbols of the sprite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape

from companion.core.ids import Millis
from companion.pages.page import ClockAnchor
from companion.pages.times import countdown, countup

__all__ = ["clock_text", "escaped", "square", "tag", "token", "use"]

_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
"""Signs that show nothing themselves, and those that would turn the direction of the text after them."""
_PLAIN = re.compile("[A-Za-z0-9 .,:_/#-]*")
"""What stands for itself: most of a page, and quick to tell."""
_TOKEN = re.compile("[a-z0-9_:]+")


def escaped(text: str) -> str:
    """Return a text as it may stand anywhere in a document, in an attribute too; what shows nothing is left out."""
    return text if _PLAIN.fullmatch(text) else escape(_UNSHOWN.sub("", text), quote=True)


@cache
def _attribute(key: str) -> str:
    return key.strip("_").replace("_", "-")


def tag(name: str, inner: str = "", /, **attributes: str | bool | int | float | None) -> str:
    """Return an element. Attribute values are escaped here, `inner` is not; None and False leave an attribute out."""
    parts = [name]
    for key, value in attributes.items():
        if value is True:
            parts.append(f'{_attribute(key)}=""')
        elif value is not None and value is not False:
            parts.append(f'{_attribute(key)}="{escaped(str(value))}"')
    start = " ".join(parts)
    return f"<{start}/>" if name == "input" else f"<{start}>{inner}</{name}>"


def token(tone: str) -> str:
    """Return the class of a colour token; one that nobody can have written is plain text's."""
    return f"t-{tone.replace(':', '-')}" if _TOKEN.fullmatch(tone) else "t-text"


def use(name: str, css: str) -> str:
    """Return a symbol of the sprite; it is a picture alone, so nobody hears it."""
    return tag(
        "svg", tag("use", href=f"/symbols.svg#{name}"), class_=css, aria_hidden="true", focusable="false"
    )


def square(rows: Sequence[str], heard: str) -> str:
    """Return a square code as a picture, dark where a sign is ``1``; nothing where it has no rows."""
    dots = "".join(
        tag("rect", x=x, y=y, width=1, height=1)
        for y, row in enumerate(rows)
        for x, sign in enumerate(row)
        if sign == "1"
    )
    side = len(rows) + 4
    view = f"-2 -2 {side} {side}"
    return tag("svg", dots, viewBox=view, class_="square", role="img", aria_label=heard) if rows else ""


def clock_text(anchor: ClockAnchor, now_ms: Millis | None) -> str:
    """Return what a clock shows at an instant; None: at its anchor. The phone's script follows the same rule."""
    gone = now_ms - anchor.at_ms if anchor.is_running and now_ms is not None else 0
    if anchor.is_counting_up:
        return countup(anchor.left_ms + gone)
    left = anchor.left_ms - gone
    return countdown(left, tenths=left < anchor.tenths_below_ms != 0)
