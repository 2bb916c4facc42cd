"""Which pieces may be in a combat at all: one list of checks for the table and for battle files.

Knows the figures and the board, no state of play: whatever holds of every combat at all times is refused here, in one
sentence, whoever asks. Source: rulebook, Phase 4; Multinational Forces; Territories; Unit Profiles; French Units.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from companion.core.ids import Nation, SiteId
from companion.core.rules import Code, Rejected
from companion.core.text import Say, area, nation, several
from companion.core.text import unit as named
from companion.games.aana.rules.board import Board
from companion.games.aana.rules.figures import POWERS, FigureBook, Row, no_piece
from companion.games.aana.rules.pieces import Piece, counted, split
from companion.games.aana.rules.pieces import piece as piece_name

__all__ = [
    "attacker_fault",
    "cargo_fault",
    "crossing_fault",
    "defender_fault",
    "ground_fault",
    "piece_fault",
    "reach_fault",
    "together_fault",
]

_LANDED_TOGETHER = "algiers"
"""The one territory that two powers attack together, in the landing of round 7."""


def piece_fault(book: FigureBook, piece: Piece) -> Rejected | None:
    """Refuse a piece that the box does not hold, or one marked as damaged that takes no two hits.

    Source: rulebook, Game Components; Battleships.
    """
    power, unit, damaged = split(piece)
    if power not in POWERS or not book.has(power, unit):
        return Rejected("unknown_piece", no_piece(power, unit))
    if damaged and "two_hits" not in book.row(power, unit).traits:
        return Rejected(Code.BAD_VALUE, Say("{unit} cannot be damaged.", unit=named(unit)))
    return None


def attacker_fault(book: FigureBook, piece: Piece, *, at_sea: bool) -> Rejected | None:
    """Refuse a piece that never attacks, or that never attacks there.

    Source: rulebook, Unit Profiles (AAA, Trucks), Vichy French Units, Territories, Sea Zones.
    """
    fault = piece_fault(book, piece)
    if fault is not None:
        return fault
    power, unit, _damaged = split(piece)
    row = book.row(power, unit)
    if power == "vichy":
        return Rejected("cannot_attack", Say("Vichy French units never attack."))
    if not row.is_combat or "cannot_attack" in row.traits:
        return Rejected("cannot_attack", Say("{unit} never attacks.", unit=named(unit)))
    return _element_fault(row, at_sea=at_sea)


def defender_fault(book: FigureBook, piece: Piece, *, at_sea: bool) -> Rejected | None:
    """Refuse a piece that never defends there; land units at sea are cargo and defend nothing.

    Source: rulebook, Territories, Sea Zones, Trucks.
    """
    fault = piece_fault(book, piece)
    if fault is not None:
        return fault
    row = book.row(*split(piece)[:2])
    if not row.is_combat:
        return Rejected("unknown_piece", Say("{unit} is not a combat unit.", unit=named(row.unit)))
    return _element_fault(row, at_sea=at_sea)


def _element_fault(row: Row, *, at_sea: bool) -> Rejected | None:
    if row.is_sea and not at_sea:
        return Rejected("cannot_attack", Say("{unit} stays at sea.", unit=named(row.unit)))
    if row.type in ("land", "truck") and at_sea:
        return Rejected("cannot_attack", Say("{unit} goes to sea only by convoy.", unit=named(row.unit)))
    return None


def cargo_fault(book: FigureBook, piece: Piece, n: int, power_is_right: bool) -> Rejected | None:
    """Refuse what transports do not carry: they carry land units, trucks and supply of the defending side.

    Source: rulebook, Transports.
    """
    power, unit, _damaged = split(piece)
    if not power_is_right or n < 0:
        return Rejected(
            Code.BAD_VALUE,
            Say("The defender's transports cannot carry this: {pieces}.", pieces=counted(piece, n)),
        )
    if unit == "supply" or (book.has(power, unit) and book.row(power, unit).type in ("land", "truck")):
        return None
    return Rejected(
        "unknown_piece",
        Say("{piece} is not a reinforcement that transports carry.", piece=piece_name(piece)),
    )


def together_fault(powers: Collection[Nation], *, space: SiteId, landing: bool) -> Rejected | None:
    """Refuse an attack of several powers: each attacks alone, Free France as the United States.

    Args:
        powers: Whose pieces attack.
        space: What is attacked; empty where that is not said.
        landing: It is a landing of round 7; that at Algiers the two powers press together.

    Source: rulebook, Multinational Forces; Free French Units; Special Rules for the Scenarios.
    """
    nations = {"us" if power == "free_french" else power for power in powers}
    if len(nations) < 2 or (landing and space in ("", _LANDED_TOGETHER) and nations <= {"uk", "us"}):
        return None
    names = several(nation(power) for power in POWERS if power in nations)
    return Rejected(
        "attack_alone",
        Say("Each power attacks alone, but for the landing at Algiers in round 7: {powers}.", powers=names),
    )


def ground_fault(
    own: Board, sahara: Collection[SiteId], space: SiteId, rows: Collection[Row]
) -> Rejected | None:
    """Refuse attackers of a territory that they may never enter: one marked for good, or the Sahara Desert.

    Args:
        sahara: The territories of the Sahara Desert, as far as they are known.

    Source: rulebook, Territories; The Sahara Desert.
    """
    if own.owner_side(space) and any(row.type == "land" for row in rows):
        return Rejected(
            "permanent",
            Say("{space} bears an emblem: land units never attack or enter it.", space=area(space)),
        )
    if space in sahara and any("sahara" not in row.traits for row in rows):
        return Rejected("sahara", Say("Only scout cars may enter {space}.", space=area(space)))
    return None


def crossing_fault(
    own: Board, borders: Mapping[SiteId, Collection[SiteId]], origin: SiteId, space: SiteId
) -> Rejected | None:
    """Refuse land units that attack a territory which theirs does not touch.

    Args:
        borders: Space to the spaces that touch it, as far as they are known; of others the table knows.

    Source: rulebook, Declaration of Attacks; Islands.
    """
    if own.owner_side(origin):
        return Rejected(
            "wrong_place", Say("{space}: no land attack leads across the sea.", space=area(origin))
        )
    if origin in borders and space in borders and space not in borders[origin]:
        return Rejected(
            "not_adjacent", Say("{origin} and {space} do not touch.", origin=area(origin), space=area(space))
        )
    return None


def reach_fault(row: Row, there: int, back: int | None = None) -> Rejected | None:
    """Refuse aircraft and ships that cannot get into an attack, or aircraft that could not land after it.

    Args:
        there: Spaces that they enter on the way.
        back: Spaces from there to the nearest place to land, as far as that is known; nobody lands where they attack.

    Source: rulebook, Phase 3 (Air Unit Movement, Sea Unit Movement).
    """
    if there < 0:
        return Rejected(Code.BAD_VALUE, Say("Spaces moved are {n} or more, not {got}.", n=0, got=there))
    if row.move is None:
        return None
    if row.is_sea and there > row.move:
        return Rejected(
            "too_far",
            Say(
                "{unit} moves {move}: {there} to get there.", unit=named(row.unit), move=row.move, there=there
            ),
        )
    if row.type != "air" or there + (back or 1) <= row.move:
        return None
    if back is None:
        fault = Say(
            "{unit} moves {move}: {there} to get there, and 1 more at least to land.",
            unit=named(row.unit),
            move=row.move,
            there=there,
        )
    else:
        fault = Say(
            "{unit} moves {move}: {there} to get there, and {back} more to the nearest place to land.",
            unit=named(row.unit),
            move=row.move,
            there=there,
            back=back,
        )
    return Rejected("no_landing", fault)
