"""Stars and replacement boxes: what a nation may replace, who holds a star, what lies in a box.

Source: The Soft Underbelly, Replacements; Production; Rebuild Costs; Lend-Lease; Italy; The Red Army.
"""

from __future__ import annotations

from companion.core.ids import Nation
from companion.core.options import says
from companion.core.rules import Accepted, Code, Decision, Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Name, Say, Signed, Typed, unit
from companion.core.text import nation as named
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.state import (
    ALLIES,
    AXIS,
    GERMANY,
    ITALY,
    SIDE_OF,
    US,
    TsuSlice,
    budget,
    holds_from,
    is_at_war,
    is_free_french,
    left_of,
    lendable,
    lender_of,
    not_at_war,
    path_open,
    slice_of,
    unknown_nation,
)

__all__ = ["change_box", "control_star", "replace_unit", "replacement_fault", "take_star"]


def replacement_fault(state: GameState, nation: Nation, kind: str, lent: int) -> Rejected | None:
    """Say why a unit cannot be replaced now; None when it can.

    Source: The Soft Underbelly, Replacements; Lend-Lease.
    """
    own, step = slice_of(state), state.step
    if step.phase != "reinforcements":
        return Rejected("other_phase", Say("Units are replaced in the reinforcement phase."))
    if nation not in own.boxes:
        return Rejected(Code.BAD_VALUE, unknown_nation(nation))
    if SIDE_OF[nation] not in step.owners:
        return Rejected(Code.BAD_VALUE, Say("It is not this nation's turn: {nation}.", nation=named(nation)))
    row = own.tables.units.get(kind)
    if row is None or row.cost is None:
        told = Typed(kind) if row is None else unit(kind)
        return Rejected("not_replaceable", Say("{unit} is never replaced.", unit=told))
    if own.boxes[nation].get(kind, 0) < 1:
        why = Say("{nation} has none of these in its box: {unit}.", nation=named(nation), unit=unit(kind))
        return Rejected("box_empty", why)
    if not is_at_war(own, nation, step.stage):
        return Rejected("not_at_war", not_at_war(own, nation))
    if not 0 <= lent <= 1:
        return Rejected(Code.BAD_VALUE, Say("A nation may be lent 1 star, not {n}.", n=lent))
    lender = lender_of(own, nation, step.stage) if lent else None
    if lent and (lender is None or lendable(own, lender, step.stage) < lent):
        return Rejected(
            "not_lendable", Say("Nobody can lend this nation a star now: {nation}.", nation=named(nation))
        )
    if lender == GERMANY and (path := path_open(own)).is_unknown:
        return not_known(path)
    left = left_of(own, nation, step.stage)
    if row.cost - lent > left:
        why = Say.counted(
            "{nation} has {n} star left; this takes {need}.",
            "{nation} has {n} stars left; this takes {need}.",
            left,
            nation=named(nation),
            need=row.cost - lent,
        )
        return Rejected("too_few_stars", why)
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
    if command.nation not in own.boxes:
        return Rejected(Code.BAD_VALUE, unknown_nation(command.nation))
    if row is None:
        why = Say(
            "{nation} has no box for this: {unit}.", nation=named(command.nation), unit=Typed(command.unit)
        )
        return Rejected(Code.BAD_VALUE, why)
    if row.cost is None:
        return Rejected("not_replaceable", Say("{unit} never goes into a box.", unit=unit(command.unit)))
    if command.nation == ITALY and own.italy_fallen and command.by > 0:
        return Rejected("not_at_war", not_at_war(own, ITALY))
    have = own.boxes[command.nation].get(command.unit, 0)
    if not command.by or have + command.by < 0:
        why = Say("The box holds {have}. It cannot change by {by}.", have=have, by=Signed(command.by))
        return Rejected(Code.BAD_VALUE, why)
    return Accepted((cm.BoxChanged(command.nation, command.unit, command.by, "by_hand"),))


def take_star(state: GameState, command: cm.TakeStar) -> Decision:
    """Give a star a new holder, or add one that the data do not list."""
    own = slice_of(state)
    if command.star not in own.stars and not command.name:
        why = Say("This star is not listed: {star}. Give it a name to add it.", star=Typed(command.star))
        return Rejected(Code.BAD_VALUE, why)
    if command.holder is not None and command.holder not in own.boxes:
        return Rejected(Code.BAD_VALUE, unknown_nation(command.holder))
    if command.holder == ITALY and own.italy_fallen:
        return Rejected("not_at_war", not_at_war(own, ITALY))
    before = own.stars.get(command.star)
    if before == command.holder and command.star in own.stars:
        return Accepted(())
    closed = _closed(state, own, command)
    if closed is not None:
        return closed
    fault = _transfer_fault(state, own, command, before)
    if fault is not None:
        return fault
    return Accepted((cm.StarMoved(command.star, command.holder, before, command.name),))


def _closed(state: GameState, own: TsuSlice, command: cm.TakeStar) -> Rejected | None:
    """Refuse a star to a nation that may not enter its area: the neutral, the Axis where Vichy is, the Allies where Italy is.

    Source: The Soft Underbelly, Set Up; Status of All Nations; table ruling "neutral_target"
    """
    holder, stage = command.holder, state.step.stage
    if holder is None or not stage:
        return None
    if holder in (ITALY, US) and not is_at_war(own, holder, stage):
        return Rejected("not_at_war", not_at_war(own, holder))
    is_italian = own.stars.get(command.star) == ITALY and not holds_from(own, "italy_at_war", stage)
    if is_italian and SIDE_OF[holder] == ALLIES and says(state, "neutral_target", "spared"):
        return Rejected("not_at_war", not_at_war(own, ITALY))
    is_neutral = holds_from(own, "vichy", stage) and not is_free_french(state)
    if command.star in own.star_roles["vichy"] and SIDE_OF[holder] == AXIS and is_neutral:
        star = Name("star", command.star)
        return Rejected(
            "vichy_closed",
            Say("The Axis cannot enter Vichy areas while they are neutral: {star}.", star=star),
        )
    return None


def _transfer_fault(
    state: GameState, own: TsuSlice, command: cm.TakeStar, before: Nation | None
) -> Rejected | None:
    to, star = None if command.holder is None else SIDE_OF[command.holder], Name("star", command.star)
    if command.star in own.star_roles["soviet"] and to == AXIS and "soviets" in own.happened:
        return Rejected("soviet", Say("The Axis cannot retake what the Red Army holds: {star}.", star=star))
    if before is None or to != SIDE_OF[before]:
        return None
    is_shared = command.star in own.star_roles["vichy"] or (before == ITALY and own.italy_fallen)
    if to == AXIS and not is_shared:
        why = Say(
            "{star} stays with its nation unless it is lost and retaken: {nation}.",
            star=star,
            nation=named(before),
        )
        return Rejected("star_fixed", why)
    if own.spent.get(before, 0) > budget(own, before, state.step.stage) - 1:
        why = Say("{nation} has already used this star this turn: {star}.", nation=named(before), star=star)
        return Rejected("star_spent", why)
    return None


def control_star(state: GameState, command: cm.ControlStar) -> Decision:
    """Say whose ships or aircraft stand alone on a star."""
    own = slice_of(state)
    if command.star not in own.stars:
        return Rejected(Code.BAD_VALUE, Say("This star is not listed: {star}.", star=Typed(command.star)))
    if command.side not in (None, AXIS, ALLIES):
        return Rejected(
            Code.UNKNOWN_SIDE, Say("This game has no such side: {side}.", side=Typed(str(command.side)))
        )
    holder = own.stars[command.star]
    if command.side is not None and holder is not None and SIDE_OF[holder] == command.side:
        why = Say("{nation} already holds {star}.", nation=named(holder), star=Name("star", command.star))
        return Rejected(Code.BAD_VALUE, why)
    if own.controlled.get(command.star) == command.side:
        return Accepted(())
    return Accepted((cm.StarControlled(command.star, command.side),))
