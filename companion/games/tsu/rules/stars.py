"""Stars and replacement boxes: what a nation may replace, who holds a star, what lies in a box.

Sections: Replacements; Production; Rebuild Costs; Lend-Lease; Italy; The Red Army.
"""

from __future__ import annotations

from companion.core.ids import Nation
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.state import (
    ALLIES,
    AXIS,
    ITALY,
    SIDE_OF,
    US,
    TsuSlice,
    budget,
    holds_from,
    is_italy_at_war,
    left_of,
    lendable,
    lender_of,
    slice_of,
)

__all__ = ["change_box", "control_star", "replace_unit", "replacement_fault", "take_star"]


def replacement_fault(state: GameState, nation: Nation, unit: str, lent: int) -> Rejected | None:
    """Say why a unit cannot be replaced now; None when it can."""
    own, step = slice_of(state), state.step
    if step.phase != "reinforcements":
        return Rejected("other_phase", "replacements come in the reinforcement phase")
    if nation not in own.boxes or SIDE_OF[nation] not in step.owners:
        return Rejected(Code.BAD_VALUE, f"{nation} does not act now")
    row = own.tables.units.get(unit)
    if row is None or row.cost is None:
        return Rejected("not_replaceable", f"{unit} is never replaced")
    if own.boxes[nation].get(unit, 0) < 1:
        return Rejected("box_empty", f"no {row.name} in the box of {nation}")
    if nation == ITALY and not is_italy_at_war(own, step.stage):
        return Rejected("not_at_war", "Italy replaces nothing now")
    if nation == US and not holds_from(own, "us_at_war", step.stage):
        return Rejected("not_at_war", "the United States are neutral still")
    if not 0 <= lent <= 1:
        return Rejected(Code.BAD_VALUE, f"0 or 1 star is lent, got {lent}")
    lender = lender_of(own, nation, step.stage) if lent else None
    if lent and (lender is None or lendable(own, lender, step.stage) < lent):
        return Rejected("not_lendable", f"nobody can lend {nation} a star now")
    left = left_of(own, nation, step.stage)
    if row.cost - lent > left:
        return Rejected("too_few_stars", f"{nation}: {left} stars left, {row.cost - lent} asked")
    return None


def replace_unit(state: GameState, command: cm.Replace) -> Decision:
    """Take a unit out of its box for stars."""
    own, step = slice_of(state), state.step
    fault = replacement_fault(state, command.nation, command.unit, command.lent)
    if fault is not None:
        return fault
    lender = lender_of(own, command.nation, step.stage) if command.lent else None
    cost = own.tables.units[command.unit].cost or 0
    return Accepted((cm.Replaced(command.nation, command.unit, cost, command.lent, lender),))


def change_box(state: GameState, command: cm.ChangeBox) -> Decision:
    """Correct a box by hand."""
    own = slice_of(state)
    row = own.tables.units.get(command.unit)
    if command.nation not in own.boxes or row is None:
        return Rejected(Code.BAD_VALUE, f"{command.nation} has no box for {command.unit}")
    if row.cost is None:
        return Rejected("not_replaceable", f"{row.name} never goes to a box")
    if command.nation == ITALY and own.italy_fallen and command.by > 0:
        return Rejected("not_at_war", "Italy has fallen: its units are out of the game")
    have = own.boxes[command.nation].get(command.unit, 0)
    if not command.by or have + command.by < 0:
        return Rejected(Code.BAD_VALUE, f"{have} in the box, {command.by:+d} asked")
    return Accepted((cm.BoxChanged(command.nation, command.unit, command.by, "by_hand"),))


def take_star(state: GameState, command: cm.TakeStar) -> Decision:
    """Give a star a new holder, or add one that the data do not list."""
    own = slice_of(state)
    if command.star not in own.stars and not command.name:
        return Rejected(Code.BAD_VALUE, f"{command.star} is not listed; give it a name to add it")
    if command.holder is not None and command.holder not in own.boxes:
        return Rejected(Code.BAD_VALUE, f"{command.holder} is no nation of this game")
    if command.holder == ITALY and own.italy_fallen:
        return Rejected("not_at_war", "Italy has fallen and holds no star again")
    before = own.stars.get(command.star)
    if before == command.holder and command.star in own.stars:
        return Accepted(())
    fault = _transfer_fault(state, own, command, before)
    if fault is not None:
        return fault
    return Accepted((cm.StarMoved(command.star, command.holder, before, command.name),))


def _transfer_fault(
    state: GameState, own: TsuSlice, command: cm.TakeStar, before: Nation | None
) -> Rejected | None:
    to = None if command.holder is None else SIDE_OF[command.holder]
    if command.star in own.star_roles["soviet"] and to == AXIS and "soviets" in own.happened:
        return Rejected("soviet", "the Axis cannot retake what the Red Army holds")
    if before is None or to != SIDE_OF[before]:
        return None
    is_shared = command.star in own.star_roles["vichy"] or (before == ITALY and own.italy_fallen)
    if to == AXIS and not is_shared:
        return Rejected("star_fixed", f"{command.star} stays with {before} unless it is lost and retaken")
    if own.spent.get(before, 0) > budget(own, before, state.step.stage) - 1:
        return Rejected("star_spent", f"{before} has used this star in this turn already")
    return None


def control_star(state: GameState, command: cm.ControlStar) -> Decision:
    """Say whose ships or aircraft stand alone on a star."""
    own = slice_of(state)
    if command.star not in own.stars:
        return Rejected(Code.BAD_VALUE, f"{command.star} is not listed")
    if command.side not in (None, AXIS, ALLIES):
        return Rejected(Code.UNKNOWN_SIDE, f"{command.side} is no side of this game")
    holder = own.stars[command.star]
    if command.side is not None and holder is not None and SIDE_OF[holder] == command.side:
        return Rejected(Code.BAD_VALUE, f"{holder} possesses {command.star} already")
    if own.controlled.get(command.star) == command.side:
        return Accepted(())
    return Accepted((cm.StarControlled(command.star, command.side),))
