"""What the table refuses, a battle file of North Africa is refused for in the same sentence.

Source: rulebook, as each check of `companion.games.aana.rules.admission` names it.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from companion.core.ids import Nation, SiteId
from companion.core.rules import Rejected
from companion.core.text import Say
from companion.games.aana.odds.plans import Keys
from companion.games.aana.rules.admission import (
    attacker_fault,
    cargo_fault,
    crossing_fault,
    defender_fault,
    ground_fault,
    reach_fault,
    together_fault,
)
from companion.games.aana.rules.board import Board
from companion.games.aana.rules.figures import SIDE_OF, FigureBook, enemy_of
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.routes import Routes
from companion.games.aana.rules.tables import NO_SPACE

__all__ = ["Group", "Table", "check_pieces", "check_sides"]


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pieces of one kind in a battle file."""

    unit: str
    count: int = 1
    nation: Nation = Nation("")
    origin: SiteId = NO_SPACE
    damaged: bool = False
    spaces: int = 0
    """Spaces that aircraft and ships move into the combat; 0: as the borders tell."""

    @property
    def piece(self) -> Piece:
        """Return the key of its pieces, as the ledger has it."""
        return piece_key(self.nation, self.unit, damaged=self.damaged)


class Table(NamedTuple):
    """What is known of figures and board."""

    book: FigureBook
    board: Board
    routes: Routes | None
    """Borders, where they are known."""


def check_sides(keys: Keys, attackers: list[Group], defenders: list[Group]) -> None:
    """Refuse a battle that is not between one side and the other."""
    mine = {SIDE_OF[group.nation] for group in attackers if group.nation in SIDE_OF}
    theirs = {SIDE_OF[group.nation] for group in defenders if group.nation in SIDE_OF}
    if len(mine) > 1 or len(theirs) > 1 or (mine and theirs and theirs != {enemy_of(next(iter(mine)))}):
        keys.fault("nation", Say("one side attacking and the other defending"), sorted(mine | theirs))


def check_pieces(
    keys: Keys,
    table: Table,
    terrain: str,
    *,
    attackers: list[Group],
    defenders: list[Group],
    cargo: list[Group],
) -> None:
    """Refuse what is refused at the table: pieces that never fight there, powers together, places out of reach."""
    book, board, routes = table
    at_sea = terrain == "sea"
    space = SiteId(str(keys.raw.get("territory", "")))
    sides = {SIDE_OF[group.nation] for group in attackers if group.nation in SIDE_OF}
    known = [(n, group) for n, group in enumerate(attackers) if book.has(group.nation, group.unit)]
    for n, group in known:
        keys.refuse(f"attacking[{n}]", attacker_fault(book, group.piece, at_sea=at_sea))
    for n, group in enumerate(defenders):
        if book.has(group.nation, group.unit):
            keys.refuse(f"defending[{n}]", defender_fault(book, group.piece, at_sea=at_sea))
    for n, group in enumerate(cargo):
        ours = SIDE_OF.get(group.nation) not in sides
        keys.refuse(f"cargo[{n}]", cargo_fault(book, group.piece, group.count, ours))
    powers = {group.nation for group in attackers if group.nation in SIDE_OF}
    landing = keys.raw.get("landing") is True and not at_sea
    keys.refuse("attacking", together_fault(powers, space=space, landing=landing))
    for n, group in known:
        keys.refuse(f"attacking[{n}].spaces", _reach_fault(table, group, space))
    if at_sea or board.territory(space) is None:
        return
    rows = {n: book.row(group.nation, group.unit) for n, group in known}
    sahara = () if routes is None else routes.sahara
    keys.refuse("territory", ground_fault(board, sahara, space, rows.values()))
    for n, group in known:
        if rows[n].type == "land" and group.origin and not landing:
            places = (group.origin, space)
            borders = (
                {} if routes is None else {at: routes.neighbours(at) for at in places if routes.knows(at)}
            )
            keys.refuse(f"attacking[{n}].origin", crossing_fault(board, borders, group.origin, space))


def _reach_fault(table: Table, group: Group, space: SiteId) -> Rejected | None:
    """Refuse aircraft and ships that cannot get there; of a flight home no more is known than that it takes a space.

    Aircraft may fly further than the borders make it, as the file says, never less far.
    """
    book, board, routes = table
    row = book.row(group.nation, group.unit)
    there = group.spaces
    if row.type == "air" and routes is not None and routes.knows(group.origin):
        least = routes.distances(group.origin, lambda at: at not in routes.sahara, board.may_cross)
        there = max(there, least.get(space, 0))
    return reach_fault(row, there) if there else None
