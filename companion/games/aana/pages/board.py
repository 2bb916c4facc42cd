"""The Board screen of North Africa: who holds what, what stands where, and moving it.

One view for the list of spaces, one for a single space that is being counted or moved from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.core.change import Change
from companion.core.commands import Command, EnterPrintedValue
from companion.core.state import GameState
from companion.core.text import area, several
from companion.games.aana.pages.moves import MoveDraft, move_note, moves_by_rule, room_to_move
from companion.games.aana.pages.words import (
    kind_name,
    level_line,
    level_word,
    pieces_text,
    power_name,
    space_name,
    supply_text,
    unit_word,
    unofficial_note,
)
from companion.games.aana.rules.figures import SIDE_OF
from companion.games.aana.rules.ledger import (
    CountSpace,
    MoveUnits,
    SetMines,
    board,
    figures,
    held_units,
    known_supply,
    ledger_of,
    mines_of,
    occupants,
    scenario_of,
    stacked,
)
from companion.games.aana.rules.pieces import split
from companion.games.aana.rules.turn import turn_powers
from companion.games.aana.rules.victory import LEVELS, BreakDraw, Claim, SetControl, judged
from companion.pages.frame import Mark, nation_mark
from companion.pages.i18n import _
from companion.pages.speak import speak

__all__ = [
    "BoardView",
    "PieceRow",
    "SpaceRow",
    "SpaceView",
    "VictoryRow",
    "board_view",
    "claim_command",
    "control_command",
    "control_options",
    "destinations",
    "draw_command",
    "mines_command",
    "move_command",
    "moving_view",
    "neighbours",
    "power_options",
    "space_view",
    "territory_command",
    "victory_rows",
]


_LONGEST_LINE = 50
"""Letters of the pieces that a line of the list shows by kind."""


@dataclass(frozen=True, slots=True)
class SpaceRow:
    """One space in the list."""

    key: str
    name: str
    detail: str
    holder: Mark | None = None


@dataclass(frozen=True, slots=True)
class BoardView:
    """All spaces of a kind, and what the victory chart says."""

    rows: tuple[SpaceRow, ...] = ()
    chart: str = ""


@dataclass(frozen=True, slots=True)
class PieceRow:
    """One kind of piece with a count."""

    key: str
    text: str
    count: int
    most: int
    sub: str = ""


@dataclass(frozen=True, slots=True)
class SpaceView:
    """One space that is counted, or from which pieces move."""

    key: str = ""
    name: str = ""
    detail: str = ""
    holder: Mark | None = None
    rows: tuple[PieceRow, ...] = ()
    supply: int | None = None
    """Tokens entered, or None where the space holds none."""
    command: Command | None = None
    """What the main button sends; None where a question comes first."""
    can_change_control: bool = False


@dataclass(frozen=True, slots=True)
class VictoryRow:
    """One line of the victory tab."""

    key: str
    text: str
    sub: str = ""
    ask: str = ""
    """``claim.SIDE`` or ``draw``: what a tap asks; empty for a line to read."""


def victory_rows(change: Change) -> tuple[VictoryRow, ...]:
    """Return the chart's conditions, and the claims that the table may make."""
    state = change.state
    reached = judged(state).reached
    rows: list[VictoryRow] = []
    for side, table in scenario_of(state).victory.items():
        name = _("Axis") if side == "axis" else _("Allies")
        for level in LEVELS:
            groups = getattr(table, level)
            if groups:
                text = _(" or ").join(speak(several(map(area, group)), state) for group in groups)
                holds = _("met") if level in reached[side] else _("not met")
                rows.append(VictoryRow(f"{side}.{level}", f"{name}, {level_word(level)}: {text}", holds))
    for side, text in (
        ("axis", _("Axis: no Allied combat unit is left")),
        ("allies", _("Allies: no Axis combat unit is left")),
    ):
        rows.append(
            VictoryRow(f"claim.{side}", text, _("In North Africa; ends the game at once"), f"claim.{side}")
        )
    if state.step.phase == "victory" and state.ending is None:
        rows.insert(
            0, VictoryRow("draw", _("Break the draw"), _("Enter the cost of each side's land units"), "draw")
        )
    return tuple(rows)


def claim_command(side: str, at_ms: int) -> Claim:
    """Return the command that claims that the enemy is gone."""
    return Claim(side, at_ms)


def draw_command(axis: str, allies: str, at_ms: int) -> BreakDraw:
    """Return the command that breaks a draw by the counted costs."""
    return BreakDraw(int(axis or 0), int(allies or 0), at_ms)


def territory_command(name: str) -> EnterPrintedValue | None:
    """Return the command that adds a territory of the board by its name; None when the name has no letter."""
    key = "_".join("".join(c if c.isalnum() and c.isascii() else " " for c in name.lower()).split())
    return EnterPrintedValue(f"space.{key}", name.strip().title()) if key else None


def mines_command(space: str, toward: str, count: str) -> SetMines:
    """Return the command that sets the mines of a border."""
    return SetMines(space, toward, int(count or 0))


def neighbours(state: GameState, space: str) -> tuple[tuple[str, str], ...]:
    """Return the other territories: which of them touch is the table's matter."""
    return tuple((row.id, space_name(state, row.id)) for row in board(state).territories() if row.id != space)


def board_view(change: Change, tab: str) -> BoardView:
    """Return the spaces of a tab: ``land``, ``sea`` or ``convoy``."""
    state = change.state
    own, ledger = board(state), ledger_of(state)
    if tab == "land":
        spaces = [row.id for row in own.territories()]
    elif tab == "convoy":
        spaces = list(own.convoys)
    else:
        spaces = list(own.sea_zones())
    if moves_by_rule(state):
        # Where the acting power stands comes first: from there it moves.
        powers = turn_powers(state)
        spaces.sort(key=lambda space: not held_units(ledger, space, powers))
    rows = tuple(_space_row(state, space) for space in spaces)
    if tab == "sea":
        busy = [row for row in rows if ledger.units.get(row.key) or _mines(state, row.key)]
        rows = (*busy, *(row for row in rows if row not in busy))
    note = unofficial_note(state)
    return BoardView(rows, f"{level_line(state)} ({note})" if note else level_line(state))


def _mines(state: GameState, space: str) -> str:
    found = []
    for key, n in ledger_of(state).mines.items():
        place, other, is_border = mines_of(key)
        if place == space:
            who = space_name(state, other) if is_border else power_name(state, other)
            found.append(_("{n} mines: {where}").format(n=n, where=who))
    return ", ".join(found)


def _space_row(state: GameState, space: str) -> SpaceRow:
    own, ledger, book = board(state), ledger_of(state), figures(state)
    parts: list[str] = []
    held = pieces_text(state, held_units(ledger, space))
    if len(held) > _LONGEST_LINE:
        held = _totals(state, held_units(ledger, space))
    if held:
        parts.append(held)
    kind = own.type_of(space)
    if kind == "land":
        tokens = known_supply(ledger, space)
        if tokens:
            parts.append(supply_text(tokens))
        if space == "malta" and (tokens or 0) > 3:
            parts.append(_("the damaged chart names a limit of 3"))
        for side in ("axis", "allies"):
            n = stacked(ledger, book, space, side) if occupants(ledger, book, space, side) else 0
            if n > own.limit(space):
                parts.append(_("over the limit of {n}").format(n=own.limit(space)))
    if kind == "convoy":
        tokens = sum(known_supply(ledger, f"{space}@{power}") or 0 for power in SIDE_OF)
        if tokens:
            parts.append(supply_text(tokens))
        parts.append(_("open") if own.is_convoy_open(space, ledger.control) else _("closed"))
    mines = _mines(state, space)
    if mines:
        parts.append(mines)
    if kind != "convoy" and not parts and space not in ledger.told:
        parts.append(_("not counted"))
    row = own.territory(space)
    holder = ledger.control.get(space) or (row.owner if row is not None else "")
    mark = nation_mark(state.frozen_setup, holder) if holder else None
    return SpaceRow(space, space_name(state, space), ", ".join(parts) or _("empty"), mark)


def _totals(state: GameState, pieces: Mapping[str, int]) -> str:
    """Return how many pieces each power has: what a line of the list can hold of a crowded space."""
    found: dict[str, int] = {}
    for piece, n in pieces.items():
        power = split(piece)[0]
        found[power] = found.get(power, 0) + n
    return ", ".join(f"{power_name(state, power)} {n}" for power, n in found.items())


def _counted(state: GameState, space: str, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the pieces of a space as they are being entered."""
    return {**held_units(ledger_of(state), space), **counts}


def moving_view(change: Change, draft: MoveDraft, *, blitz: bool) -> SpaceView:
    """Return one space from which pieces move by the rules: what may go, and how far."""
    state = change.state
    row = _space_row(state, draft.origin)
    rows = []
    for piece in held_units(ledger_of(state), draft.origin):
        able, far = room_to_move(state, draft.origin, piece, road=draft.road, blitz=blitz)
        count = min(able, draft.counts.get(piece, 0))
        rows.append(PieceRow(piece, kind_name(state, piece, with_power=True), count, able, far))
    there = known_supply(ledger_of(state), draft.origin) or 0
    trucks = any(n and split(piece)[1] == "truck" for piece, n in draft.counts.items())
    tokens = min(there, draft.supply) if trucks and there else None
    return SpaceView(draft.origin, row.name, move_note(state), row.holder, tuple(rows), tokens)


def space_view(
    change: Change, space: str, power: str, counts: Mapping[str, int], supply: int | None, *, moving: bool
) -> SpaceView:
    """Return one space.

    Args:
        power: Whose pieces the rows list while counting.
        counts: Piece to count as entered; while moving, what goes.
        supply: Tokens as entered, or to be moved; None = as they are, or none to move.
        moving: Choose what leaves, instead of counting what is there.
    """
    state = change.state
    own, ledger, book = board(state), ledger_of(state), figures(state)
    row = _space_row(state, space)
    there = known_supply(ledger, space) if own.type_of(space) == "land" else None
    if moving:
        held = held_units(ledger, space)
        rows = tuple(
            PieceRow(piece, kind_name(state, piece, with_power=True), min(n, counts.get(piece, 0)), n)
            for piece, n in held.items()
        )
        tokens = None if not there else min(there, supply or 0)
        return SpaceView(space, row.name, row.detail, row.holder, rows, tokens)
    sea = own.type_of(space) == "sea"
    units = _counted(state, space, counts)
    rows = tuple(
        PieceRow(f"{power}.{unit.unit}", unit_word(unit.unit), units.get(f"{power}.{unit.unit}", 0), 99)
        for unit in book.rows()
        if book.has(power, unit.unit)
        and book.row(power, unit.unit) is unit
        and not (sea and unit.type in ("land", "truck"))
        and not (own.type_of(space) == "land" and unit.is_sea)
    )
    tokens = supply if supply is not None else (there or 0)
    is_land = own.type_of(space) == "land"
    command = CountSpace(space, {piece: n for piece, n in units.items() if n}, tokens if is_land else None)
    return SpaceView(
        space,
        row.name,
        row.detail,
        row.holder,
        rows,
        tokens if is_land else None,
        command,
        own.is_open_to_capture(space),
    )


def control_options(state: GameState) -> tuple[tuple[str, str], ...]:
    """Return the powers that may hold a territory, and nobody."""
    powers = [
        (nation.id, _(nation.name)) for nation in state.frozen_setup.nations if nation.id != "free_french"
    ]
    return (*powers, ("", _("Nobody")))


def control_command(space: str, power: str, at_ms: int) -> SetControl:
    """Return the command that puts a marker, or takes it away."""
    return SetControl(space, power or None, at_ms)


def destinations(state: GameState, space: str) -> tuple[tuple[str, str], ...]:
    """Return where pieces may go, the same kind of space first, the box last."""
    own, ledger = board(state), ledger_of(state)
    land = [row.id for row in own.territories()]
    sea = [*own.sea_zones(), *own.convoys]
    ordered = [*land, *sea] if own.type_of(space) == "land" else [*sea, *land]
    return (
        *((other, f"{space_name(state, other)}: {pieces_text(state, held_units(ledger, other))}".rstrip(": "))
          for other in ordered if other != space),
        ("pool", _("Back to the box")),
    )  # fmt: skip


def move_command(space: str, to: str, counts: Mapping[str, int], supply: int | None) -> MoveUnits:
    """Return the command that moves what was chosen."""
    return MoveUnits(space, to, {piece: n for piece, n in counts.items() if n}, supply or 0)


def power_options(state: GameState) -> tuple[tuple[str, str], ...]:
    """Return the powers as tabs, by their first letters."""
    short = {
        "germany": _("GER"),
        "italy": _("ITA"),
        "vichy": _("VIC"),
        "uk": _("UK"),
        "us": _("US"),
        "free_french": _("FR"),
    }
    return tuple((nation.id, short[nation.id]) for nation in state.frozen_setup.nations)
