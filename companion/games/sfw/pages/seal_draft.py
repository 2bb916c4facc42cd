"""A note that is being written or opened: its draft, what seals and opens it, and who may."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec
from msgspec.structs import replace

from companion.core.ids import Nation, Side
from companion.core.ledger import SealedEnvelope
from companion.core.setup import Setup
from companion.core.text import Say
from companion.games.sfw.rules import seal_messages as sm
from companion.games.sfw.rules import seals as se
from companion.games.sfw.rules.ledger import nation_side
from companion.pages.notices import told
from companion.pages.page import TABLE_VIEWER, Draft, Refuse, Send, Sight

__all__ = [
    "NOTHING",
    "NO_VAULT",
    "Note",
    "SealedDraft",
    "Search",
    "Vault",
    "by_whom",
    "is_mine",
    "open_note",
    "put",
    "vault_of",
    "write",
]


class Vault(Protocol):
    """What seals and opens notes, outside the game's log; the screen is handed one. Texts never leave it stored."""

    def seal(
        self, text: str, label: str, *, side: Side, side_pin: str, arbiter_pin: str = ""
    ) -> tuple[SealedEnvelope, str]:
        """Return the envelope and a recovery code to show once. ValueError: why not."""
        ...

    def open(
        self, envelope: SealedEnvelope, label: str, holder: str, secret: str, *, tries_of: str
    ) -> tuple[str, str]:
        """Return plain text and opening. PermissionError: a wrong PIN or code; ValueError: why it cannot be opened."""
        ...

    def note(self, of: str, envelope: SealedEnvelope) -> None:
        """Remember on this box that a game has taken a note."""
        ...

    def lacking(self, of: str, commitments: frozenset[str]) -> int:
        """Return how many notes this box sealed for something that are not among those of a log."""
        ...


class Note(msgspec.Struct, frozen=True):
    """A note that its owner is writing."""

    nation: Nation
    kind: sm.SecretKind
    secret: str = ""
    """The secret that is sealed again; empty: a new one."""
    space: str = ""
    units: dict[str, int] = {}
    proof: str = ""
    """Of one that is sealed again: that its owner opened it."""

    @property
    def content(self) -> sm.Content:
        """What is sealed."""
        return sm.Content(self.space, {one: count for one, count in self.units.items() if count})


class Search(msgspec.Struct, frozen=True):
    """A search of a sea space that is being entered."""

    nation: str = ""
    """Who searches; empty: the first that may."""
    unit: str = ""
    """With which unit; empty: the first that may."""
    space: str = ""


class SealedDraft(msgspec.Struct, frozen=True):
    """What is being entered."""

    note: Note | None = None
    search: Search | None = None
    is_aboard: bool = False
    """Aircraft and cargo of a fleet are entered, not its ships."""
    is_taking: bool = False
    """A tap takes a unit off again."""


def put(**what: object) -> Draft[SealedDraft]:
    """Return an act that changes what is being entered."""
    return Draft(lambda draft: replace(draft, **what), SealedDraft())


def write(note: Note | None) -> Draft[SealedDraft]:
    """Return an act that goes on with a note; none: back to the list."""
    return put(note=note) if note is not None else Draft(lambda _draft: SealedDraft(), SealedDraft())


NOTHING = Draft(lambda draft: draft, SealedDraft())
"""Closes a question without more."""


def vault_of(sight: Sight) -> Vault | None:
    """Return what seals on this box; None where nothing does."""
    return getattr(sight.desk, "vault", None)


def is_mine(sight: Sight, who: Nation) -> bool:
    """Say whether a nation's secrets may be handled here: all of them on the box, on a side's own phone its own."""
    return sight.viewer == TABLE_VIEWER or nation_side(sight.state.frozen_setup, who) in sight.viewer.sees


def open_note(sight: Sight, secret: sm.Secret, holder: str, key: str) -> tuple[str, str] | Send | Refuse:
    """Return the plain text and the opening; else what notes a wrong PIN in the log and says so, or why it cannot be opened."""
    vault, state, last = vault_of(sight), sight.state, secret.versions[-1]
    assert vault is not None, "a key is asked for with a vault alone"
    foreign = se.why_not_genuine(state, secret)
    if foreign is not None:
        return Refuse(foreign)
    place = se.place_of(state.frozen_setup, secret.id, last.number)
    label = place if last.number else bound_before(state.frozen_setup, secret.nation, secret.kind)
    tries = f"{secret.id}|{last.envelope.commitment[:32]}"
    try:
        return vault.open(last.envelope, label, holder, key, tries_of=tries)
    except PermissionError as fault:
        return Send(sm.RecordOpening(secret.id, by_whom(holder), False), then=Refuse(told(fault)))
    except ValueError as fault:
        return Refuse(told(fault))


def by_whom(holder: str) -> Literal["side", "arbiter", "recovery"]:
    """Say by whose key a note was opened."""
    return "arbiter" if holder == "arbiter" else "recovery" if holder == "recovery" else "side"


NO_VAULT = Refuse(Say("This box cannot seal anything here"))


def bound_before(setup: Setup, who: str, kind: str) -> str:
    """Return what a note was bound to before notes named the one place that they were sealed for."""
    return f"{setup.game}|{who}|{kind}"
