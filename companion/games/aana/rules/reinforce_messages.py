"""Money and reinforcements: what the table may do, what then happened, the slice that keeps it, and income.

Source: rulebook, Phase 1, Phase 2, Phase 6, Optional Rules.
"""

from __future__ import annotations

from typing import Final

import msgspec

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.ids import Nation, Side, SiteId, StepId
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Say, area, key, several
from companion.games.aana.rules.board import RESERVE_ZONE
from companion.games.aana.rules.conditions import marker_need
from companion.games.aana.rules.figures import SIDE_OF
from companion.games.aana.rules.ledger import board, held_units, ledger_of, scenario_of
from companion.games.aana.rules.pieces import Piece
from companion.games.aana.rules.turn import printed_need, turn_of, turn_powers

__all__ = [
    "MALTA",
    "SUPPLY_FIVE",
    "SUPPLY_ONE",
    "TOKENS",
    "AdvanceConvoys",
    "ConvoysAdvanced",
    "Deploy",
    "FreePlaced",
    "Income",
    "LayLandMine",
    "LaySeaMine",
    "LoseUndeployed",
    "MaltaPaid",
    "MaltaSkipped",
    "MinePlaced",
    "Paid",
    "PayMalta",
    "PlaceFree",
    "Reinforce",
    "RepairBattleship",
    "Requisition",
    "SkipMalta",
    "SpecialEvent",
    "income",
    "over_budget",
    "pay",
    "points_left",
    "reinforce_of",
    "waiting",
]

SUPPLY_ONE: Final = "supply"
SUPPLY_FIVE: Final = "supply5"
"""A five-supply piece: counts five, is not split before it is in a territory or a convoy zone."""
TOKENS: Final = {SUPPLY_ONE: 1, SUPPLY_FIVE: 5}
"""Supply pieces to the tokens they are worth."""
MALTA: Final = SiteId("malta")


class PayMalta(Command, frozen=True, tag=True):
    """Spend one supply from Malta for its points, before anything is bought."""

    step: StepId


class SkipMalta(Command, frozen=True, tag=True):
    """Malta's token is not paid this turn: its points are not earned."""

    step: StepId


class Requisition(Command, frozen=True, tag=True):
    """Buy pieces or supply tokens; `supply5` buys five tokens as one piece."""

    step: StepId
    power: Nation
    unit: str
    count: int


class RepairBattleship(Command, frozen=True, tag=True):
    """Repair a damaged battleship in sea zone 31 with one supply from Cairo."""

    step: StepId


class LayLandMine(Command, frozen=True, tag=True):
    """Buy and place, or upgrade, one land mine on a border."""

    step: StepId
    territory: SiteId
    toward: SiteId


class LaySeaMine(Command, frozen=True, tag=True):
    """Buy and place one sea mine."""

    step: StepId
    zone: SiteId


class AdvanceConvoys(Command, frozen=True, tag=True):
    """Bring the power's convoys in, send those without a port back, and move the southern route on."""

    step: StepId
    confirmed: bool = False


class Deploy(Command, frozen=True, tag=True):
    """Put pieces from the Reinforcements Zone, or from the staging territory, where they may go."""

    step: StepId
    power: Nation
    unit: str
    count: int
    to: SiteId
    origin: SiteId = RESERVE_ZONE
    confirmed: bool = False


class LoseUndeployed(Command, frozen=True, tag=True):
    """Take back to the box what has nowhere to go (United States without an open convoy)."""

    step: StepId


class PlaceFree(Command, frozen=True, tag=True):
    """Place combat units of the set-up that are the power's own choice, up to the points of the space."""

    power: Nation
    space: SiteId
    unit: str
    count: int


class Paid(Event, frozen=True, tag=True):
    """Points were spent by the power whose turn it is."""

    power: Nation
    what: str
    count: int
    cost: int
    from_bid: int = 0


class MaltaPaid(Event, frozen=True, tag=True):
    """Malta's points were earned this turn."""


class MaltaSkipped(Event, frozen=True, tag=True):
    """Malta's points were given up this turn."""


class ConvoysAdvanced(Event, frozen=True, tag=True):
    """The power's convoys have moved this turn."""

    power: Nation


class MinePlaced(Event, frozen=True, tag=True):
    """A place has had its mine of this turn."""

    place: SiteId


class FreePlaced(Event, frozen=True, tag=True):
    """Points of the free set-up were used."""

    space: SiteId
    cost: int


class SpecialEvent(Event, frozen=True, tag=True):
    """A special event of the round track took place."""

    event: str


class Reinforce(msgspec.Struct, frozen=True):
    """The slice of this part: what happened this turn, and what remains of the bid."""

    turn: str = ""
    spent: int = 0
    bought: dict[str, int] = {}
    """Power.unit to pieces bought this turn; supply in tokens."""
    malta_paid: bool = False
    malta_skipped: bool = False
    mined: frozenset[str] = frozenset()
    advanced: bool = False
    bid_left: int = 0
    bid_side: Side = Side("")
    free: dict[str, int] = {}
    """Space to points used in the free set-up."""
    events: frozenset[str] = frozenset()
    totals: dict[str, int] = {}
    """Power to points spent in the whole game."""


class Income(msgspec.Struct, frozen=True):
    """A power's points this turn, line by line."""

    lines: tuple[tuple[str, int | None], ...]
    """(territory id, ``base`` or ``bid``; points, None = still to be entered)."""
    missing: tuple[str, ...]
    """Keys of printed values that the sum lacks."""
    markers: tuple[SiteId, ...] = ()
    """Territories of which nobody has told whose marker they bear."""

    @property
    def total(self) -> int:
        """The sum of what is known."""
        return sum(n or 0 for _, n in self.lines)


def reinforce_of(state: GameState) -> Reinforce:
    """Return the slice of a state."""
    own: Reinforce = state.game["reinforce"]
    return own


def income(state: GameState, power: Nation) -> Income:
    """Return what a power has to spend this turn."""
    own, ledger, slice_ = board(state), ledger_of(state), reinforce_of(state)
    lines: list[tuple[str, int | None]] = []
    missing: list[str] = []
    base = state.printed.get(f"base.{power}")
    lines.append(("base", base if isinstance(base, int) else None))
    if not isinstance(base, int):
        missing.append(f"base.{power}")
    for row in own.territories():
        if row.id == MALTA or ledger.control.get(row.id) != power:
            continue
        points = own.rp(row.id)
        lines.append((row.id, points))
        if points is None:
            missing.append(f"rp.{row.id}")
    if power == "uk" and slice_.malta_paid:
        lines.append((MALTA, own.rp(MALTA)))
    if slice_.bid_left and slice_.bid_side == SIDE_OF[power] and _is_bid_round(state):
        lines.append(("bid", slice_.bid_left))
    unmarked = ledger.unmarked
    markers = tuple(
        row.id
        for row in own.territories()
        if own.is_open_to_capture(row.id) and row.id not in ledger.control and row.id not in unmarked
    )
    return Income(tuple(lines), tuple(missing), markers)


def _is_bid_round(state: GameState) -> bool:
    return state.step.stage == scenario_of(state).first_round


def points_left(state: GameState, power: Nation) -> int:
    """Return what a power may still spend; the bid that earlier purchases of the turn used is off already."""
    slice_ = reinforce_of(state)
    own = slice_.spent if slice_.turn == turn_of(state.step) else 0
    return income(state, power).total - own


def waiting(state: GameState) -> dict[Piece, int]:
    """Return what the powers of this turn have in the Reinforcements Zone."""
    return held_units(ledger_of(state), RESERVE_ZONE, turn_powers(state))


def over_budget(cost: int, left: int, whole: int) -> Say:
    """Say that points do not suffice."""
    return Say("This costs {need}. Points left: {have} of {whole}.", need=cost, have=left, whole=whole)


def pay(state: GameState, power: Nation, what: str, count: int, cost: int) -> Paid | Rejected:
    """Return the payment of points, the bid last, or why the power cannot pay."""
    whole = income(state, power)
    left = points_left(state, power)
    if cost > left:
        needs = (*map(printed_need, whole.missing), *map(marker_need, whole.markers))
        if needs and not whole.missing:
            return Rejected(
                "printed_value_missing",
                Say(
                    "This costs {need}. Points known so far: {have}. Enter who holds these first: {spaces}.",
                    need=cost,
                    have=left,
                    spaces=several(map(area, whole.markers)),
                ),
                needs,
            )
        if needs:
            return Rejected(
                "printed_value_missing",
                Say(
                    "This costs {need}. Points known so far: {have}. Enter these values from your board first: {keys}.",
                    need=cost,
                    have=left,
                    keys=several(map(key, whole.missing)),
                ),
                needs,
            )
        return Rejected("over_budget", over_budget(cost, left, whole.total))
    bid = dict(whole.lines).get("bid") or 0
    from_bid = max(0, cost - (left - bid))
    return Paid(power, what, count, cost, from_bid)
