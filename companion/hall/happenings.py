"""What can happen in a tournament, as values, and how each is written as a line of its record."""

from __future__ import annotations

from typing import Literal, Union

import msgspec

from companion.hall.errors import HallError, RecordError
from companion.hall.outcome import Report, Result

__all__ = [
    "Adjudicated",
    "Announced",
    "BoxKnown",
    "BoxRetired",
    "Cut",
    "Entered",
    "Forbidden",
    "HAPPENINGS",
    "Happening",
    "LONGEST_NAME",
    "LONGEST_TEXT",
    "MOST_PLAYERS",
    "MOST_ROUNDS",
    "Paired",
    "Pairing",
    "Player",
    "PlayerCorrected",
    "Reported",
    "ResultCorrected",
    "ResultTaken",
    "Returned",
    "RoundCancelled",
    "RoundStarted",
    "Rules",
    "RulesSet",
    "ScoreTable",
    "System",
    "TIE_BREAKS",
    "TournamentBegun",
    "VERSION",
    "Withdrawn",
    "decode",
    "encode",
]

VERSION = 1
"""The form in which happenings are written now."""

MOST_PLAYERS, MOST_ROUNDS, LONGEST_NAME, LONGEST_TEXT = 2_000, 50, 60, 300

System = Literal["swiss", "robin", "knockout"]


class ScoreTable(msgspec.Struct, frozen=True, omit_defaults=True):
    """What results are worth, in units of a point."""

    unit: int = 2
    """Units that make a point: 2 for halves."""
    win: int = 2
    draw: int = 1
    loss: int = 0
    bye: int = 2
    forfeit_win: int = 2
    forfeit_loss: int = 0
    by_difference: tuple[tuple[int, int, int], ...] = ()
    """Least difference in victory points, units of the winner, units of the loser; the highest row that is reached counts.

    Empty: `win` and `loss` whatever the difference. A result without victory points counts by `win` and `loss`.
    """


TIE_BREAKS = (
    "head_to_head",
    "buchholz",
    "median",
    "sonneborn_berger",
    "wins",
    "vp",
    "vp_difference",
    "time_left",
    "lot",
)
"""What may break a tie; a tournament states its order."""


class Rules(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a tournament is played and counted."""

    sides: tuple[str, str] = ("Axis", "Allies")
    score: ScoreTable = ScoreTable()
    tie_breaks: tuple[str, ...] = ("head_to_head", "buchholz", "sonneborn_berger", "vp_difference", "lot")
    rounds: int = 0
    """Planned rounds before a cut; 0: not stated."""
    minutes: int = 0
    """Minutes of a round; 0: not stated."""
    order: Literal["fold", "slide", "random"] = "fold"
    """Who meets whom within a group of equal scores: first with last, upper half with lower half, or by lot."""
    avoid: tuple[str, ...] = ("club", "country")
    """What two opponents should not share if that can be avoided."""


class Player(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody who plays."""

    id: int
    name: str
    club: str = ""
    country: str = ""
    rating: int = 0
    """Only seeds the first round and the brackets."""


class Pairing(msgspec.Struct, frozen=True, omit_defaults=True):
    """One table of a round: who plays whom, on which sides. No second player: a bye."""

    table: int
    first: int
    """Plays the first side of the tournament's rules."""
    second: int | None = None


class Happening(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Base of everything that can stand in a record."""


class TournamentBegun(Happening, frozen=True, tag=True):
    """The first entry."""

    id: str
    """Tells this tournament from every other; codes of slips are made with it."""
    name: str
    rules: Rules
    seed: str
    """What every drawing of lots comes from; shown, so that anybody can draw them again."""


class Entered(Happening, frozen=True, tag=True):
    """A player came in, from the next round on."""

    player: Player


class PlayerCorrected(Happening, frozen=True, tag=True):
    """A player's name or club was written wrongly."""

    player: Player


class Withdrawn(Happening, frozen=True, tag=True):
    """A player is not paired any more."""

    player: int


class Returned(Happening, frozen=True, tag=True):
    """A player who had withdrawn is paired again."""

    player: int


class Forbidden(Happening, frozen=True, tag=True):
    """Two players must not be paired, or may be again."""

    one: int
    other: int
    is_allowed: bool = False


class RulesSet(Happening, frozen=True, tag=True):
    """The rules were changed; after the first round that is told with its reason."""

    rules: Rules
    reason: str = ""


class Cut(Happening, frozen=True, tag=True):
    """Only the best go on, in brackets, seeded as they stand."""

    players: tuple[int, ...]
    """In the order of the standings."""


class Paired(Happening, frozen=True, tag=True):
    """A round was paired."""

    round: int
    system: System
    tables: tuple[Pairing, ...]


class RoundCancelled(Happening, frozen=True, tag=True):
    """The newest round was taken back before a result of it was in."""

    round: int
    reason: str


class ResultTaken(Happening, frozen=True, tag=True):
    """The first result of a table came in."""

    round: int
    table: int
    result: Result


class Reported(Happening, frozen=True, tag=True):
    """A table or two people with its slip reported a result; reports that agree are one, and others a dispute."""

    round: int
    table: int
    report: Report


class RoundStarted(Happening, frozen=True, tag=True):
    """The clock of the newest round runs from here."""

    round: int
    at: str
    """Wall time, ISO 8601 with its zone."""


class Announced(Happening, frozen=True, tag=True):
    """What the hall is told; an empty text takes it back."""

    text: str


class BoxKnown(Happening, frozen=True, tag=True):
    """The box at a table signs with the key of this fingerprint, as somebody saw on its screen."""

    table: int
    box: str


class BoxRetired(Happening, frozen=True, tag=True):
    """Nothing that this box signs counts from now on."""

    box: str


class ResultCorrected(Happening, frozen=True, tag=True):
    """A result was wrong."""

    round: int
    table: int
    result: Result
    reason: str


class Adjudicated(Happening, frozen=True, tag=True):
    """The director decided a game that could not be ended."""

    round: int
    table: int
    result: Result
    sum: tuple[str, ...]
    """The figures that it rests on, line by line."""
    reason: str = ""


HAPPENINGS: tuple[type[Happening], ...] = (
    Adjudicated,
    Announced,
    BoxKnown,
    BoxRetired,
    Cut,
    Entered,
    Forbidden,
    Paired,
    PlayerCorrected,
    Reported,
    ResultCorrected,
    ResultTaken,
    Returned,
    RoundCancelled,
    RoundStarted,
    RulesSet,
    TournamentBegun,
    Withdrawn,
)


_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(Union[HAPPENINGS])  # noqa: UP007


class _Line(msgspec.Struct, frozen=True):
    v: int
    at: str
    """Wall time as a label."""
    what: msgspec.Raw


def encode(happening: Happening, at: str) -> bytes:
    """Return a happening as one line of the record. HallError where a text in it is none."""
    try:
        return _encoder.encode(_Line(VERSION, at, msgspec.Raw(_encoder.encode(happening))))
    except UnicodeEncodeError as fault:
        raise HallError(f"expected text, got {fault.object[:LONGEST_NAME]!r}") from None


def decode(line: bytes | str, number: int) -> tuple[Happening, str]:
    """Return a line's happening and its time. RecordError when it is damaged or of a later version."""
    try:
        read = msgspec.json.decode(line, type=_Line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise RecordError(f"entry {number} of the record is damaged: {fault}") from None
    if read.v != VERSION:
        raise RecordError(
            f"entry {number} of the record was written by version {read.v}, this program reads {VERSION}: update it"
        )
    try:
        happening: Happening = _decoder.decode(read.what)
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise RecordError(f"entry {number} of the record is damaged: {fault}") from None
    return happening, read.at
