"""What hidden fleets and units are made of: the note as its owner writes it, the secret as the log keeps it, commands and events.

What may be done with them, and when, is in `seals`.

Source: rulebook v0.96, Hidden Fleets.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Literal

import msgspec

from companion.core.commands import Command, EntryKind
from companion.core.events import Event
from companion.core.ids import Nation, Side, StepId
from companion.core.ledger import SealedEnvelope

__all__ = [
    "FORCED",
    "ConfirmHidden",
    "Content",
    "DialSaid",
    "HiddenConfirmed",
    "Opening",
    "OweReveal",
    "RecordOpening",
    "RevealOwed",
    "RevealSecret",
    "SayOnDial",
    "SealCode",
    "SealSecret",
    "SealsState",
    "SearchMade",
    "SearchSpace",
    "Secret",
    "SecretKind",
    "SecretOpened",
    "SecretRevealed",
    "SecretSealed",
    "Shown",
    "Version",
]

SecretKind = Literal["fleet", "units"]

FORCED = ("limits", "detected", "left_to_enemy", "fought", "joined_near_enemy", "loaded", "mined")
"""What may force a reveal; which of them an edition knows, and when, is in its ledger (`HiddenRules`)."""


class SealCode(StrEnum):
    """Why something about a secret was refused."""

    UNKNOWN_SECRET = "unknown_secret"
    NOT_HIDDEN = "not_hidden"
    HAS_FLEET = "has_fleet"
    """A nation can have one Hidden Fleet only."""
    NO_BOX = "no_box"
    NOT_NOW = "not_now"
    NO_SEARCH = "no_search"
    """The unit has no search, or is not active now."""
    COMMITMENT_BROKEN = "commitment_broken"
    """The text shown is not the one that was sealed."""
    MISPLACED = "misplaced"
    """The note was sealed for another game, secret or version."""
    NOT_OWNER = "not_owner"
    """Sealing again needs the proof of somebody who could open the note."""


class Content(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a sealed note says. Never part of a command before it is revealed."""

    space: str
    units: dict[str, int] = {}
    note: str = ""


class Version(msgspec.Struct, frozen=True, omit_defaults=True):
    """A note as it was sealed at one time; a fleet that moves is sealed again."""

    envelope: SealedEnvelope
    step: StepId
    number: int = 0
    """Which one of its secret, from 1; 0 of a note that names no place."""


class Opening(msgspec.Struct, frozen=True):
    """Someone opened a secret for themselves, or tried to."""

    by: str
    """``side``, ``arbiter`` or ``recovery``."""
    step: StepId
    is_right: bool


class Shown(msgspec.Struct, frozen=True):
    """A secret as it was revealed to all."""

    plain_text: str
    step: StepId
    reason: str
    sealed_step: str


class Secret(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sealed secret of one nation with its history."""

    id: str
    nation: Nation
    kind: SecretKind
    label: str
    versions: tuple[Version, ...]
    openings: tuple[Opening, ...] = ()
    owed: str = ""
    """Why it must be revealed now; empty when nothing forces it."""
    shown: Shown | None = None


class SealsState(msgspec.Struct, frozen=True):
    """The part's slice."""

    secrets: dict[str, Secret] = {}
    confirmed: frozenset[str] = frozenset()
    """``step.side`` at whose acts a side has said that its hidden units may stay hidden."""
    on_dial: frozenset[Nation] = frozenset()
    """Nations whose fleet is hidden by the printed dial, as the table says; the app has no proof of it."""

    def has_fleet(self, nation: Nation) -> bool:
        """Say whether a nation has a fleet that is hidden now, sealed here or on the dial."""
        return nation in self.on_dial or any(
            s.kind == "fleet" and s.nation == nation and s.shown is None for s in self.secrets.values()
        )


# Commands and events


class SealSecret(Command, frozen=True, tag=True):
    """Seal a secret, or seal one again that has changed. Encryption happened before this command."""

    nation: Nation
    secret_kind: SecretKind
    label: str
    envelope: SealedEnvelope
    secret: str = ""
    """The secret that is sealed again; empty for a new one."""
    proof: str = ""
    """Of a secret that is sealed again: what `reseal_proof` makes of the opening of its newest version."""

    @property
    def kind(self) -> EntryKind:  # type: ignore[override]
        """A note that is sealed again always counts: undone, its owner could choose between both contents."""
        return "sticky" if self.secret else "act"


class RevealSecret(Command, frozen=True, tag=True):
    """Reveal a secret to all, with the opening of its commitment."""

    secret: str
    plain_text: str
    opening: str
    reason: str = "chosen"


class SayOnDial(Command, frozen=True, tag=True):
    """Say that a nation's fleet is hidden on its printed dial, or that it is there no more; without proof."""

    nation: Nation
    is_there: bool


class OweReveal(Command, frozen=True, tag=True):
    """The rules force a reveal now; the owner makes it with the PIN."""

    secret: str
    reason: str


class ConfirmHidden(Command, frozen=True, tag=True):
    """A side says that nothing forces a reveal of its hidden units in this act."""

    step: StepId
    side: Side


class SearchSpace(Command, frozen=True, tag=True):
    """A unit has searched its sea space; the owners of hidden fleets answer."""

    nation: Nation
    space: str
    found: tuple[str, ...] = ()
    """Secrets that are there by their owners' word."""
    unit: str = ""
    """What searches, where the table says so: it must have the ability and be active now."""


class RecordOpening(Command, frozen=True, tag=True):
    """Note in the log that somebody opened a secret for themselves, or tried a wrong PIN."""

    kind: ClassVar[EntryKind] = "sticky"
    secret: str
    by: Literal["side", "arbiter", "recovery"]
    is_right: bool


class SecretSealed(Event, frozen=True, tag=True):
    """A secret was sealed, for the first time or again."""

    secret: str
    nation: Nation
    secret_kind: SecretKind
    label: str
    envelope: SealedEnvelope
    number: int = 0
    """Which version of the secret it is, from 1; 0 of a note that names no place."""
    step: StepId = StepId("")
    """The step at which it was sealed, whatever is undone later; empty of a note that names no place."""


class SecretRevealed(Event, frozen=True, tag=True):
    """A secret was revealed and the proof holds."""

    secret: str
    plain_text: str
    opening: str
    reason: str


class DialSaid(Event, frozen=True, tag=True):
    """A nation's fleet is on the printed dial, or no more."""

    nation: Nation
    is_there: bool


class RevealOwed(Event, frozen=True, tag=True):
    """A secret has to be revealed."""

    secret: str
    reason: str


class HiddenConfirmed(Event, frozen=True, tag=True):
    """A side said that its hidden units may stay hidden."""

    step: StepId
    side: Side


class SearchMade(Event, frozen=True, tag=True):
    """A space was searched."""

    nation: Nation
    space: str
    found: tuple[str, ...] = ()


class SecretOpened(Event, frozen=True, tag=True):
    """Somebody opened a secret for themselves, or failed to."""

    secret: str
    by: str
    is_right: bool
