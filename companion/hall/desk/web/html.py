"""Pieces of HTML that the desk's pages are made of; what is text is escaped here, what is HTML already is named so."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from companion.core.text import Say, Typed
from companion.hall.voice import shown

__all__ = [
    "cells",
    "choice",
    "digits_of",
    "field",
    "form",
    "grid",
    "hidden",
    "key",
    "opens",
    "page",
    "short_name",
]


def page(title: str, body: str, css: str = "", now_ms: int | None = None, language: str = "en") -> str:
    """Return a whole document around a body of HTML; `now_ms` is the director's clock, for the clocks in it."""
    at = "" if now_ms is None else f' data-now="{now_ms}"'
    gone = Say("Not live: last heard {time} ago", time=Typed("{time}"))
    at += f' data-live="{shown(Say("Live"))}" data-gone="{shown(gone)}"'
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(title)}</title><link rel="stylesheet" href="/desk.css">'
        f'<script src="/desk.js" defer></script></head><body class="{css}"{at}>{body}</body></html>\n'
    )


def form(act: str, token: str, *inside: str, sure: Say | str = "") -> str:
    """Return a form that asks for an act; `inside` is HTML, `sure` the question that comes first."""
    asks = f' data-sure="{shown(sure)}"' if sure else ""
    return f'<form method="post" action="/act"{asks}>{hidden("act", act)}{hidden("token", token)}{"".join(inside)}</form>'


def hidden(name: str, value: object) -> str:
    """Return a value that a form carries along."""
    return f'<input type="hidden" name="{name}" value="{escape(str(value))}">'


def field(
    label: Say, name: str, css: str = "", *, value: str = "", most: int = 120, is_needed: bool = True
) -> str:
    """Return a line to type in."""
    need = " required" if is_needed else ""
    return f'<label>{shown(label)}<input class="{css}" name="{name}" value="{escape(value)}" maxlength="{most}"{need}></label>'


def choice(label: Say, name: str, options: Iterable[tuple[object, Say | str]]) -> str:
    """Return one of several."""
    told = "".join(f'<option value="{escape(str(value))}">{shown(text)}</option>' for value, text in options)
    return f'<label>{shown(label)}<select name="{name}">{told}</select></label>'


def key(text: Say, css: str = "") -> str:
    """Return the key that sends a form: ``main`` or ``risk`` where it stands out."""
    return f'<button class="{css}">{shown(text)}</button>'


def cells(row: Iterable[str], numbers: Iterable[int] = ()) -> str:
    """Return a row of cells that are HTML already; those at `numbers` hold figures."""
    at = set(numbers)
    return (
        "<tr>"
        + "".join(f"<td{' class=n' if n in at else ''}>{cell}</td>" for n, cell in enumerate(row))
        + "</tr>"
    )


def grid(heads: Iterable[Say | str], rows: Iterable[Iterable[str]], numbers: Iterable[int] = ()) -> str:
    """Return a table; cells are HTML already."""
    at = tuple(numbers)
    top = "".join(f"<th{' class=n' if n in at else ''}>{shown(head)}</th>" for n, head in enumerate(heads))
    body = "".join(cells(row, at) for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def opens(figure: Say | str, text: Say | str) -> str:
    """Return a figure that opens to a text; without one the figure alone."""
    return f"<details><summary>{shown(figure)}</summary>{shown(text)}</details>" if text else shown(figure)


def digits_of(ms: int) -> str:
    """Return a time as a clock shows it, rounded up to a second, never below zero."""
    seconds = max(0, -(-ms // 1000))
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def short_name(name: str, most: int) -> str:
    """Return a name in `most` characters where that can be: given names as initials, then none, then half a double name.

    What stands before a comma is the family name; without one it is the last word and the small words before it.
    """
    family, comma, given = name.partition(", ")
    words = [*given.split(), family] if comma else name.split()
    if len(name) <= most or not words:
        return name
    first = len(words) - 1
    while first > 1 and words[first - 1][:1].islower():
        first -= 1
    last = " ".join(words[first:])
    half, dash, other = last.partition("-") if last[:1].isupper() else (last, "", "")
    ways = [" ".join((*(f"{word[0]}." for word in words[:n]), *words[n:])) for n in range(1, first + 1)]
    ways += [f"{words[0][0]}. {last}"] if first else []
    ways += [last, f"{half}-{other[:1]}."] if dash else [last]
    return next((one for one in ways if len(one) <= most), min(ways, key=len))
