"""One combat under way, as a value: its stages, who is in it, the dice that fell.

Source: rulebook, General Combat Sequence.
"""

from __future__ import annotations

from typing import Final

import msgspec

from companion.core.ids import Nation, SiteId
from companion.core.text import Name, Say, area
from companion.games.aana.rules import combat as cb
from companion.games.aana.rules.casualties import Cargo, Hits
from companion.games.aana.rules.figures import FigureBook
from companion.games.aana.rules.pieces import Piece, piece

__all__ = [
    "DICE_STAGES",
    "Fight",
    "Shot",
    "VolleyRoll",
    "arena_for",
    "costs_of",
    "firing",
    "key_parts",
    "kind_key",
    "kind_name",
    "lost_of",
    "taken",
]


DICE_STAGES: Final = ("air_defence", "strike_attack", "strike_defence", "attack", "defence")


class VolleyRoll(msgspec.Struct, frozen=True, omit_defaults=True):
    """Final values of one volley's dice, rerolls carried out; `forced` = hits that the firer aims."""

    values: tuple[int, ...]
    forced: int | None = None
    """None: all hits of a volley that may aim are aimed."""
    at: dict[str, int] = {}
    """Aimed hits by the unit type that the firer names, ``transport`` at sea; the others fall on the dearest type."""


class Shot(msgspec.Struct, frozen=True, omit_defaults=True):
    """One volley as it fell, for the luck report."""

    round_no: int
    role: str
    stage: str
    dice: int
    need: int
    chance: tuple[int, int]
    """Chance of one die as a fraction: numerator, denominator."""
    hits: int
    values: tuple[int, ...] = ()


class Fight(msgspec.Struct, frozen=True, omit_defaults=True):
    """A combat between two decisions."""

    attack: int
    space: SiteId
    rules: cb.Rules
    attackers: tuple[cb.Kind, ...]
    defenders: tuple[cb.Kind, ...]
    a: cb.Counts
    d: cb.Counts
    a_out: cb.Counts
    d_out: cb.Counts
    start_a: cb.Counts
    start_d: cb.Counts
    stage: str = "open"
    """``air_defence``, ``orders``, a dice stage, ``losses``, ``leave``, ``press`` or ``over``."""
    round_no: int = 1
    fire_d: cb.Counts = ()
    """Defenders that fire in step 3: those who stayed, casualties of step 2 included."""
    retreating: cb.Counts = ()
    a_begin: cb.Counts = ()
    """Attackers at the start of the round, for what their air units may hit."""
    d_begin: cb.Counts = ()
    strike_a: bool = False
    """Attacking submarines strike this round."""
    strike_d: bool = False
    scored: bool = False
    """The defender scored a hit this round."""
    hits: Hits = Hits()
    """Hits to be paid in stage ``losses``."""
    fired_stage: str = ""
    """Dice stage that the hits came from."""
    cargo: Cargo = Cargo()
    cargo_out: Cargo = Cargo()
    shots: tuple[Shot, ...] = ()
    result: str = ""
    leaves: str = ""

    def kinds(self, role: cb.Role) -> tuple[cb.Kind, ...]:
        """Return the kinds of a side."""
        return self.attackers if role == cb.ATTACKER else self.defenders

    def counts(self, role: cb.Role) -> cb.Counts:
        """Return what a side has in the combat."""
        return self.a if role == cb.ATTACKER else self.d


def kind_key(kind: cb.Kind) -> str:
    """Return a kind as the table's inputs name it: ``uk.infantry@tobruk``, ``uk.battleship.damaged``."""
    where = f"@{kind.origin}" if kind.origin else ""
    return f"{kind.piece}{'+' if kind.late else ''}{where}"


def key_parts(key: str) -> tuple[Piece, SiteId]:
    """Return the piece that a kind key names and where it attacks from, empty where nothing is said of that."""
    body, _at, origin = key.partition("@")
    return Piece(body.removesuffix("+")), SiteId(origin)


def kind_name(key: str) -> Say | Name:
    """Return a kind key as a value of a sentence: its piece, and where it attacks from; it need not be one of a combat."""
    body, origin = key_parts(key)
    named = piece(body)
    return Say("{piece}, {space}", piece=named, space=area(origin)) if origin else named


def firing(stage: str) -> cb.Role:
    """Return the side that rolls in a dice stage."""
    return cb.ATTACKER if stage in ("strike_attack", "attack") else cb.DEFENDER


def arena_for(book: FigureBook, fight: Fight) -> cb.Arena:
    """Return the fixed part of a combat."""
    return cb.arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]


def costs_of(book: FigureBook, cargo: Cargo) -> dict[tuple[Nation, str], int]:
    """Return the known costs of reinforcements at sea."""
    found: dict[tuple[Nation, str], int] = {}
    for power, unit, _ in cargo.units:
        cost = book.row(power, unit).cost
        if cost is not None:
            found[power, unit] = cost
    return found


def lost_of(fight: Fight, role: str) -> dict[str, int]:
    """Return the units of a role that are gone, by kind; what retreated or was only damaged is not."""
    if role == cb.ATTACKER:
        kinds, counts = fight.attackers, (fight.start_a, fight.a, fight.a_out)
    else:
        kinds, counts = fight.defenders, (fight.start_d, fight.d, fight.d_out)
    gone: dict[str, int] = {}
    for kind, n, left, away in zip(
        kinds, *counts, strict=True
    ):  # what is damaged is one more of its other kind
        gone[kind.unit] = gone.get(kind.unit, 0) + n - left - away
    return {id_: n for id_, n in gone.items() if n > 0}


def taken(was: Fight, now: Fight, role: str) -> dict[str, int]:
    """Return the units of a role that are gone between two moments, by kind; what retreated or was only damaged is not."""
    before, after = lost_of(was, role), lost_of(now, role)
    return {id_: n - before.get(id_, 0) for id_, n in after.items() if n > before.get(id_, 0)}
