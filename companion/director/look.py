"""What the director's window shows at an instant, the port to what it shows, and how a form becomes an act of the desk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from companion.core.ids import Millis
from companion.core.text import Say, Typed
from companion.hall.desk.web.port import Sent
from companion.hall.desk.web.view import Playable, View
from companion.pages.desk import Subscription
from companion.pages.page import Act, Ask, Do, Draft, Field, Form, Item, Mark, Refuse, Tell, Words, sure

__all__ = [
    "NEED_MARKS",
    "Director",
    "DirectorDraft",
    "Look",
    "chosen",
    "done",
    "filled",
    "opened",
    "options",
    "to",
    "words_in",
]


class Look(NamedTuple):
    """All that the pages are made of, as it was at one instant."""

    view: View
    at_ms: Millis = 0
    """That instant by the clock of the window."""
    sent: tuple[Sent, ...] = ()
    asking: tuple[tuple[str, str], ...] = ()
    games: Sequence[Playable] = ()
    table: int = 0
    """Of the table that is looked at."""
    log: tuple[str, ...] = ()


class Director(Protocol):
    """What the pages look at, and what does what they ask for."""

    @property
    def look(self) -> Look | None:
        """What there is to show; None before the first of it came."""
        ...

    def turn_to(self, table: int) -> None:
        """Have the log of a table come along from now on, and wait for the first of it; never call it where is drawn."""
        ...

    def act(self, fields: Mapping[str, str]) -> Tell | Refuse:
        """Do what a form asks, as the browser's pages do it, and return what came of it; it waits, so never call it where is drawn."""
        ...

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener whenever `look` has changed."""
        ...


class DirectorDraft(msgspec.Struct, frozen=True):
    """What is looked at."""

    tab: str = "wall"
    table: int = 0
    """One table of the wall; 0: the wall."""
    player: int = 0
    """Whose sums of the standings are open; 0: nobody's."""
    need: str = "all"


NEED_MARKS: Mapping[str, Mark] = {
    "dispute": Mark("star", "danger"),
    "called": Mark("triangle", "accent"),
    "flag": Mark("diamond", "danger"),
    "gap": Mark("square", "danger"),
    "lost": Mark("ring", "danger"),
    "behind": Mark("square", "accent"),
    "late": Mark("diamond", "accent"),
    "near": Mark("ring", "accent"),
    "play": Mark("circle", "ok"),
    "paper": Mark("ring", "muted"),
    "done": Mark("square", "muted"),
}
"""What a table needs, by shape and colour; no two are alike, and the word stands beside it."""


def to(**other: object) -> Draft[DirectorDraft]:
    """Return the act that looks at something else."""
    start = DirectorDraft()
    return Draft(lambda draft: msgspec.structs.replace(draft, **other), start)


def done(director: Director, fields: Mapping[str, str]) -> Do:
    """Return the act that has the desk do something and tells what came of it."""
    return Do(lambda: director.act(fields))


def opened(director: Director, table: int) -> Do:
    """Return the act that looks at one table of the wall, with its log."""

    def turned() -> Act:
        director.turn_to(table)
        return to(tab="wall", table=table)

    return Do(turned)


def filled(
    director: Director,
    key: str,
    title: Words,
    fields: tuple[Field, ...],
    fixed: Mapping[str, str],
    *,
    yes: Words | None = None,
) -> Ask:
    """Return the act that asks some questions and has the desk do what is answered, with what is `fixed`."""
    return Ask(Form(key, title, fields, yes=yes), lambda answers: done(director, {**fixed, **answers}))


def chosen(director: Director, title: Words, fixed: Mapping[str, str], *, is_danger: bool = False) -> Ask:
    """Return the act that asks once and has the desk do it then."""
    return sure(title, done(director, fixed), is_danger=is_danger)


def options(pairs: Iterable[tuple[object, Say | str]]) -> tuple[Item, ...]:
    """Return what can be chosen of."""
    return tuple(Item(str(key), words_in(words)) for key, words in pairs)


def words_in(words: Say | str) -> Words:
    """Return words of the hall as words of a page; a bare text is what a person typed."""
    return words if isinstance(words, Say) else Typed(words)
