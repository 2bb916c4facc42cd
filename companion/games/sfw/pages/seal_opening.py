"""Opening a sealed note: to its owner alone, to everybody, or to be sealed anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from companion.core.ledger import reseal_proof
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Typed, Value, several, unit
from companion.games.sfw.pages.seal_draft import NO_VAULT, NOTHING, Note, by_whom, open_note, vault_of
from companion.games.sfw.pages.seal_writing import begin
from companion.games.sfw.rules import seal_messages as sm
from companion.games.sfw.rules import seals as se
from companion.games.sfw.rules.ledger import nation_side
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.words_ledger import FORCED_TEXTS
from companion.pages.page import Act, Ask, Do, Field, Form, Item, Send, Sight, asked

__all__ = ["ask_what", "content_lines"]


def _holders(state: GameState, secret: sm.Secret) -> dict[str, Say]:
    """Return who can open a secret: its side, the arbiter where he has a key, and whoever has the recovery code."""
    words = {"arbiter": Say("the arbiter's PIN"), "recovery": Say("the recovery code")}
    keys = [key.holder for key in secret.versions[-1].envelope.keys]
    return {
        key: words.get(key, Say("the side's PIN"))
        for key in keys or [nation_side(state.frozen_setup, secret.nation)]
    }


def content_lines(state: GameState, secret: sm.Secret, content: sm.Content) -> tuple[Value, ...]:
    """Return what a note says, line by line, its units as their nation has them now."""
    units = se.units_of_note(state, secret, content)
    counts = [Count(count, unit(one)) for one, count in units.items() if count]
    found: list[Value] = []
    if content.space:
        found.append(Say("Space {space}", space=space_of(content.space)))
    if counts:
        found.append(several(counts, "comma"))
    return (*found, *((Typed(content.note),) if content.note else ()))


def ask_what(sight: Sight, secret: sm.Secret, *, can_reveal: bool) -> Ask:
    """Ask what to do with a note, and for the PIN or code that opens it."""
    holders = _holders(sight.state, secret)
    options = [
        *(Item(f"look.{key}", Say("Look: {who}", who=who)) for key, who in holders.items()),
        *(Item(f"reveal.{key}", Say("Reveal: {who}", who=who)) for key, who in holders.items() if can_reveal),
        Item("again", Say("It moved or changed: seal it again")),
        *(Item(f"owe.{key}", Name("forced", key)) for key in FORCED_TEXTS),
    ]

    def chosen(key: str) -> Act:
        what, _dot, which = key.partition(".")
        if what == "owe":
            return Send(sm.OweReveal(secret.id, which))
        if what == "again":
            return _ask_owner(sight, secret, holders)
        return _ask_key(sight, secret, which, holders[which], _revealed if what == "reveal" else _shown)

    return asked("secret", Typed(secret.label), tuple(options), chosen)


def _ask_owner(sight: Sight, secret: sm.Secret, holders: dict[str, Say]) -> Act:
    """Ask whoever seals a secret again to open it first, so that nobody replaces what somebody else sealed."""

    def opened(holder: str) -> Act:
        return _ask_key(sight, secret, holder, holders[holder], _written_again)

    if len(holders) == 1:
        return opened(next(iter(holders)))
    return asked(
        "owner",
        Say("Who opens it to seal it again?"),
        tuple(Item(key, who) for key, who in holders.items()),
        opened,
    )


Then = Callable[[Sight, sm.Secret, str, str, str], Act]
"""What follows an opening, of who opened it, the plain text and the commitment's opening."""


def _ask_key(sight: Sight, secret: sm.Secret, holder: str, title: Say, then: Then) -> Act:
    """Ask for the PIN or the code of whoever opens it."""
    if vault_of(sight) is None:
        return NO_VAULT
    field = Field("key", title, "text" if holder == "recovery" else "pin")
    return Ask(
        Form("key", title, (field,)),
        lambda answers: Do(lambda: _opened(sight, secret, holder, answers["key"], then)),
    )


def _opened(sight: Sight, secret: sm.Secret, holder: str, key: str, then: Then) -> Act:
    """Open a secret once; a wrong PIN or code is noted in the log, and nothing else is taken for one."""
    found = open_note(sight, secret, holder, key)
    if isinstance(found, tuple):
        return then(sight, secret, holder, *found)
    return found


def _revealed(_sight: Sight, secret: sm.Secret, _holder: str, text: str, opening: str) -> Act:
    return Send(sm.RevealSecret(secret.id, text, opening, secret.owed or "chosen"))


def _shown(sight: Sight, secret: sm.Secret, holder: str, text: str, _opening: str) -> Act:
    lines = reduce(
        lambda one, other: Say("{one}\n{other}", one=one, other=other),
        content_lines(sight.state, secret, se.content_of(text)),
    )
    field = Field("sure", Typed(secret.label), "confirm", lines, is_secret=True)
    show = Ask(Form("sure", field.title, (field,), yes=Say("Hide again")), lambda _answers: NOTHING)
    return Send(sm.RecordOpening(secret.id, by_whom(holder), True), then=show)


def _written_again(sight: Sight, secret: sm.Secret, holder: str, text: str, opening: str) -> Act:
    """Go on to the note as it was, which its owner now changes."""
    content = se.content_of(text)
    units = dict(content.units)
    note = Note(secret.nation, secret.kind, secret.id, content.space, units, reseal_proof(opening))
    return Send(sm.RecordOpening(secret.id, by_whom(holder), True), then=begin(sight, note))
