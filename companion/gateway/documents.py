"""The documents around what the app sends: head, links, the line that says whether the page is live, and the way in."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from companion.gateway.hub import PAGES, SEAT
from companion.gateway.wire import Way

__all__ = ["SILENT_MS", "WORDS", "error_page", "join_page", "live_page", "scan_page", "tv_page"]

SILENT_MS = 25_000
"""A page that has heard nothing for so long says so and asks anew."""
_REFRESH_S = 5
_SCHEME = '<meta name="color-scheme" content="dark light">'
"""Left out of an overlay: with it a browser paints a ground of its own."""

WORDS: Mapping[str, str] = {
    "name": "Table Companion",
    "join": "Join",
    "welcome": "See the clocks, the score and the log of this table here. Nothing is installed.",
    "hint": "Enter tonight's code. It is on the box under Phones.",
    "code": "Tonight's code",
    "watch": "Watch the table",
    "wrong": "That is not tonight's code.",
    "wait": "Too many wrong codes. Wait a minute.",
    "fast": "Too many presses at once. Wait a moment.",
    "asked": "The box has been asked. Wait for its answer.",
    "live": "Live",
    "silent": "Not live. Last heard at",
    "gone": "The box does not answer.",
    "elsewhere": "This page was opened elsewhere. Reload to see it here.",
    "full": "Too many phones are watching.",
    "missing": "There is no such page.",
    "foreign": "This page must be opened by the address that the box shows.",
    "large": "That is too much.",
    "yours": "Your name",
    "ask": "Tap your side. The box asks the table.",
    "taken": "Has a phone",
    "sound": "Sound on",
    "sit": "Take my seat on this phone",
    "own": "This code is for one player's phone alone. Others look away.",
    "used": "Scan again: a code works once, for two minutes.",
    "slow": "The link is slow. Use the box.",
    "untaken": "Not taken yet.",
    "refused": "This was not taken. Reload the page, or scan your seat's code again.",
    "sending": "The photo is being sent.",
    "cookies": "This browser keeps no cookies, so it can only watch. For a side, allow cookies and scan again.",
    "unsealed": "Scan your seat's code on the box again.",
    "soon": "The table appears here in a moment.",
    **{page: page.capitalize() for page in PAGES},
}
"""The gateway's own words by their key, until the app has told them in the languages that it speaks."""


def _document(
    language: str,
    title: str,
    body: str,
    *,
    has_refresh: bool,
    css: str = "",
    scripts: tuple[str, ...] = (),
) -> str:
    refresh = (
        f'<noscript><meta http-equiv="refresh" content="{_REFRESH_S}"></noscript>' if has_refresh else ""
    )
    script = "".join(f'<script src="/{name}.js" defer></script>' for name in scripts)
    styles = "".join(
        f'<link rel="stylesheet" href="/{name}.css">' for name in ("phone", *(("tv",) if css else ()))
    )
    return (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{_SCHEME if 'overlay' not in css else ''}"
        f'<title>{escape(title)}</title><link rel="icon" href="/favicon.svg">{styles}'
        f'{refresh}{script}</head><body class="{escape(css)}">{body}</body></html>'
    )


def _line(words: Mapping[str, str], *, is_joined: bool) -> str:
    told = {
        name: words[name]
        for name in (
            "live",
            "silent",
            "gone",
            "elsewhere",
            "slow",
            "untaken",
            "refused",
            "unsealed",
            "sending",
            "large",
        )
    }
    data = "".join(f' data-{name}="{escape(text)}"' for name, text in told.items())
    text, state = ("", "old") if is_joined else (words["gone"], "gone")
    return (
        f'<p id="line" role="status" class="{state}"{data}>{escape(text)}</p><p id="told" role="alert"></p>'
    )


def _told(text: str) -> str:
    return f'<p class="told" role="status">{escape(text)}</p>' if text else ""


def live_page(
    language: str,
    words: Mapping[str, str],
    page: str,
    inner: str,
    box_ms: int | None,
    *,
    is_joined: bool,
    told: str = "",
    code: str = "",
) -> str:
    """Return a page that a phone watches. `inner` is the app's own and stands as it is.

    Args:
        code: Tonight's code, which stands in its addresses where the browser keeps no cookie.
    """
    at = "" if box_ms is None else f' data-box-ms="{box_ms}"'
    shown = inner or _soon(words)
    by_code = f"&amp;c={escape(code)}" if code else ""
    sound = f'<button id="sound" type="button" aria-pressed="false" hidden>{escape(words["sound"])}</button>'
    sound = sound if page == SEAT else ""
    body = (
        f"{_nav(words, page, code)}{_line(words, is_joined=is_joined)}"
        f'{_told(told)}<div id="page" data-live="/live/{escape(page)}?lang={escape(language)}{by_code}" '
        f'data-silent-ms="{SILENT_MS}"{at}>{shown}</div>{sound}'
    )
    is_asking = 'class="question"' in inner  # a refresh would take what is being typed
    scripts = ("seal", "phone") if page == SEAT else ("phone",)
    return _document(language, words["name"], body, has_refresh=not is_asking, scripts=scripts)


def seatless_page(language: str, words: Mapping[str, str], code: str) -> str:
    """Return why a browser that keeps no cookie has no seat; it goes on watching by tonight's code."""
    told = f'<main class="page"><h1>{escape(words[SEAT])}</h1>{_told(words["cookies"])}</main>'
    body = f'{_nav(words, SEAT, code)}<div id="page">{told}</div>'
    return _document(language, words["name"], body, has_refresh=False)


def _nav(words: Mapping[str, str], page: str, code: str) -> str:
    query = f"?c={escape(code)}" if code else ""
    links = "".join(
        f'<a href="/{one}{query}"{" aria-current=page" if one == page else ""}>{escape(words[one])}</a>'
        for one in PAGES
    )
    return f"<nav>{links}</nav>"


def _soon(words: Mapping[str, str]) -> str:
    return f'<main class="page"><h1>{escape(words["name"])}</h1><p class="lead">{escape(words["soon"])}</p></main>'


def tv_page(
    language: str,
    words: Mapping[str, str],
    inner: str,
    box_ms: int | None,
    *,
    live: str,
    css: str,
    is_joined: bool,
) -> str:
    """Return the spectators' page, which asks for nothing and links nowhere."""
    at = "" if box_ms is None else f' data-box-ms="{box_ms}"'
    body = (
        f"{_line(words, is_joined=is_joined)}"
        f'<div id="page" data-live="{escape(live)}" data-silent-ms="{SILENT_MS}"{at}>{inner}</div>'
    )
    return _document(language, words["name"], body, has_refresh=True, css=css, scripts=("phone",))


def join_page(
    language: str, words: Mapping[str, str], code: str, fault: str = "", way: Way | None = None
) -> str:
    """Return the way in: by the code of a link, which one press uses, or by typing it.

    With a code it says which table this is, and offers its free sides.
    """
    told = f'<p class="fault" role="alert">{escape(fault)}</p>' if fault else ""
    if code and not fault:
        field = f'<input type="hidden" name="code" value="{escape(code)}">'
        field += _seats(language, words, way) if way is not None else ""
        press = words["watch"]
    else:
        field = (
            f'<p>{escape(words["hint"])}</p><input type="hidden" name="typed" value="1"><label><span>{escape(words["code"])}</span>'
            '<input name="code" required maxlength="16" autocomplete="off" autocapitalize="characters" '
            'spellcheck="false"></label>'
        )
        press = words["join"]
    table = way.table.get(language, "") if way is not None else ""
    head = (
        f"<h1>{escape(table)}</h1>"
        if table
        else f"<h1>{escape(words['name'])}</h1><p>{escape(words['welcome'])}</p>"
    )
    body = (
        f'<main class="page join"><img src="/favicon.svg" alt="" width="72" height="72">'
        f"{head}{told}"
        f'<form method="post" action="/join">{field}<button class="main">{escape(press)}</button></form></main>'
    )
    return _document(language, words["name"], body, has_refresh=False)


def _seats(language: str, words: Mapping[str, str], way: Way) -> str:
    """Return a row for every side, one tap each; those that have a phone are dead and say so."""
    if not way.seats:
        return ""
    tiles = ""
    for seat in way.seats:
        name, tone = escape(seat.names.get(language, seat.id)), f"t-{seat.tone}"
        use = f'<svg class="emblem" aria-hidden="true"><use href="/symbols.svg#{seat.emblem}"></use></svg>'
        sub = "" if seat.is_free else f"<small>{escape(words['taken'])}</small>"
        dead = "" if seat.is_free else " disabled"
        inner = f"{use if seat.emblem else ''}<span>{name}</span>{sub}"
        tiles += f'<button name="seat" value="{escape(seat.id)}"{dead} class="{tone}">{inner}</button>'
    label = (
        f'<input type="submit" disabled hidden><label><span>{escape(words["yours"])}</span>'
        '<input name="name" maxlength="24" autocomplete="nickname"></label>'
    )
    return f'{label}<p>{escape(words["ask"])}</p><div class="pick">{tiles}</div>'


def scan_page(language: str, words: Mapping[str, str], fault: str = "") -> str:
    """Return the one button that uses a side's own code up; its script keeps the key that stands behind the address."""
    told = f'<p class="fault" role="alert">{escape(fault)}</p>' if fault else ""
    press = (
        ""
        if fault
        else f'<p>{escape(words["own"])}</p><form method="post">'
        f'<button class="main">{escape(words["sit"])}</button></form>'
    )
    body = f'<main class="page join"><h1>{escape(words["name"])}</h1>{told}{press}</main>'
    return _document(language, words["name"], body, has_refresh=False, scripts=("seal",))


def error_page(language: str, words: Mapping[str, str], text: str) -> str:
    """Return a page with one sentence."""
    told = f'<h1>{escape(words["name"])}</h1><p class="fault" role="alert">{escape(text)}</p>'
    body = f'<main class="page join">{told}<p><a href="/">{escape(words["join"])}</a></p></main>'
    return _document(language, words["name"], body, has_refresh=False)
