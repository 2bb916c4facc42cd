"""Forms as HTML: all questions of a form on one page, with the bounds that the box asks for too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.core.text import Say
from companion.pages.html_tags import escaped, tag, token
from companion.pages.page import Field, Form

if TYPE_CHECKING:
    from companion.pages.html import Writer

__all__ = ["ANSWER", "form_html"]

ANSWER = "answer."
"""Begins the name of every answer; what follows is the key of its field. Several of one name are joined by commas."""

_NO_ENTER = tag("input", type="submit", disabled=True, hidden=True)
"""Stands first, so that Enter in a field of text presses none of the tiles that follow."""
_MOST_LETTERS, _MOST_DIGITS = 40, 8


def form_html(writer: Writer, form: Form, hidden: str) -> str:
    """Return a form; `hidden` is what goes back with it."""
    # A question of one field that says it itself is said once.
    title = "" if len(form.fields) == 1 and form.fields[0].title == form.title else writer.title(form.title)
    inner = hidden + (tag("h2", title) if title else "")
    inner += writer.hold() if any(field.is_secret for field in form.fields) else ""
    *fields, last = form.fields
    if _is_tapped(form):
        inner = _NO_ENTER + inner + tag("input", type="hidden", name="act", value=form.act)
        inner += "".join(_field(writer, field) for field in fields) + _tiles(writer, last)
    else:
        inner += "".join(_field(writer, field) for field in form.fields)
        yes = writer.title(form.yes if form.yes is not None else Say("Done"))
        css = "main danger" if form.is_danger else "main"
        inner += tag("button", yes, name="act", value=form.act, class_=css)
    cancel = writer.title(form.no if form.no is not None else Say("Cancel"))
    if form.back:
        inner += tag("button", cancel, name="act", value=form.back, formnovalidate=True)
    return tag("form", inner, method="post", action="/act", class_="question", data_k=f"form.{form.key}")


def _is_tapped(form: Form) -> bool:
    """Say whether a form ends with its one choice: a tap on what is chosen answers it, as on the box."""
    kinds = [field.kind for field in form.fields]
    return kinds.count("choose") == 1 and kinds[-1] == "choose" and form.yes is None and not form.is_danger


def _tiles(writer: Writer, field: Field) -> str:
    name, tiles = f"{ANSWER}{field.key}", ""
    for option in field.options:
        words = tag("span", writer.title(option.title))
        sub = option.why_not if option.why_not is not None else option.sub
        words += tag("small", writer.say(sub)) if sub is not None else ""
        words += tag("b", writer.say(option.value)) if option.value is not None else ""
        mark = writer.mark(option.mark) + writer.symbol(option.symbol)
        tone = token(option.mark.tone) if option.mark is not None else None
        is_dead = option.why_not is not None
        pressed = "true" if option.key == field.value else None
        tiles += tag(
            "button",
            mark + words,
            name=name,
            value=option.key,
            class_=tone,
            disabled=is_dead,
            aria_pressed=pressed,
        )
    title = writer.title(field.title)
    told = tag("p", title, id="choice") if title else ""
    told += tag("small", writer.title(field.sub)) if field.sub is not None else ""
    group = {"role": "group", "aria_labelledby": "choice"} if title else {}
    return told + tag("div", tiles, class_="pick one" if field.is_wide else "pick", **group)


def _field(writer: Writer, field: Field) -> str:
    title, name = writer.title(field.title), f"{ANSWER}{field.key}"
    css = "secret" if field.is_secret else None
    sub = tag("small", writer.title(field.sub), class_=css) if field.sub is not None else ""
    if field.kind == "confirm":
        return tag("p", title + sub, class_="sure") + tag("input", type="hidden", name=name, value="yes")
    if field.kind == "choose":
        narrow = None if field.is_wide else "narrow"
        return tag("fieldset", tag("legend", title) + sub + _options(writer, field, name), class_=narrow)
    if field.kind == "dice":
        return tag("fieldset", tag("legend", title) + sub + _dice(writer, field, name))
    return tag("label", tag("span", title) + sub + _input(writer, field, name))


def _options(writer: Writer, field: Field, name: str) -> str:
    found = ""
    for option in field.options:
        if option.why_not is None:  # the box leaves out what cannot be chosen, too
            is_first = option.key == field.value
            dot = tag("input", type="radio", name=name, value=option.key, required=True, checked=is_first)
            words = tag("span", writer.title(option.title))
            words += tag("small", writer.say(option.sub)) if option.sub is not None else ""
            words += tag("b", writer.say(option.value)) if option.value is not None else ""
            found += tag("label", dot + writer.mark(option.mark) + writer.symbol(option.symbol) + words)
    return found


def _dice(writer: Writer, field: Field, name: str) -> str:
    found, n = "", 0
    for ask in field.dice:
        for _die in range(ask.count):
            n += 1
            heard = writer.voice.say(Say("Die {n}, a d{faces}", n=n, faces=ask.faces))
            found += tag(
                "input", type="number", name=name, min=1, max=ask.faces, required=True, aria_label=heard
            )
    return tag("div", found, class_="tray")


def _input(writer: Writer, field: Field, name: str) -> str:
    required = not field.may_be_empty
    if field.kind == "count":
        return tag(
            "input",
            type="number",
            name=name,
            value=field.value or None,
            min=field.least,
            max=field.most,
            required=required,
        )
    if field.kind == "pin":
        return tag(
            "input",
            type="password",
            name=name,
            inputmode="numeric",
            autocomplete="off",
            minlength=field.least or None,
            maxlength=_MOST_DIGITS,
            required=required,
        )
    if field.kind == "number":
        mode = "decimal" if field.has_fraction else "text" if field.has_sign else "numeric"
        most = field.most or _MOST_DIGITS
        return tag(
            "input",
            type="text",
            name=name,
            value=field.value or None,
            inputmode=mode,
            maxlength=most,
            required=required,
        )
    known = "".join(tag("option", value=writer.plain(one.title)) for one in field.options)
    list_id = f"{name}.known" if known else None
    typed = tag(
        "input",
        type="text",
        name=name,
        value=field.value or None,
        maxlength=field.most or _MOST_LETTERS,
        list=list_id,
        required=required,
    )
    return typed + (f'<datalist id="{escaped(list_id)}">{known}</datalist>' if list_id else "")
