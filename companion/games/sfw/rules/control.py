"""Who controls each Objective and Airfield, how that changed, and the victory points of both sides.

Totals need only the tiles that changed sides: they start from the stated totals, or from totals that the table
set by hand, and move by the value of every tile that has another side now. A value that nobody has entered is
named, never guessed.

Source: rulebook v0.96, Phase 2: Victory; Maintaining Control and Taking It Away; Contested vs. Controlled.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command, EntryKind
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import ARBITER, Millis, Nation, Side, SiteId, StepId
from companion.core.judgement import NO, Judgement, Need, judged, unknown
from companion.core.ledger import points
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Context, Decision, Rejected, not_known
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say
from companion.core.text import nation as nation_of
from companion.core.text import side as side_of
from companion.core.text import site as site_of
from companion.games.sfw.rules.ledger import LedgerTable, nation_side, not_in_game, other_side, ruling
from companion.games.sfw.rules.ledger_values import base_table, printed_key, tables

__all__ = [
    "CaptureReported",
    "Change",
    "ControlChanged",
    "ControlCode",
    "ControlCorrected",
    "ControlPart",
    "ControlState",
    "CorrectControl",
    "Holder",
    "Loss",
    "SetTotals",
    "TakeControl",
    "Totals",
    "TotalsSet",
    "held_by",
    "held_by_nation",
    "holder",
    "holder_need",
    "totals",
    "totals_line",
]


class ControlCode(StrEnum):
    """Why a change of control was refused."""

    UNKNOWN_SITE = "unknown_site"
    UNKNOWN_NATION = "unknown_nation"
    OWN_SITE = "own_site"
    """The site is the side's own already; control cannot be given to a teammate."""
    NO_CONTROL_UNITS = "no_control_units"
    """The nation has no control-capable unit there."""
    STILL_DEFENDED = "still_defended"
    """Contested is not lost: control-capable units of the holder remain."""
    TEAMMATE_HAS_MORE = "teammate_has_more"
    TEAMMATES_AGREE = "teammates_agree"
    """Equal numbers: the teammates have to agree first."""
    NOT_NOW = "not_now"
    UNBALANCED = "unbalanced"
    """The totals set by hand do not add up to all tiles together."""
    SPENT_THERE = "spent_there"


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change of control, for the record and the VP line."""

    step: StepId
    stage: int
    site: SiteId
    before: Side
    """The side that held it."""
    after: Side
    nation: Nation
    cause: str = "captured"
    """``captured`` or ``corrected``."""


class Base(msgspec.Struct, frozen=True):
    """Totals set by hand: they hold for the changes up to `count` and move with the later ones."""

    quarters: dict[str, int]
    count: int
    step: StepId


class Pending(msgspec.Struct, frozen=True):
    """A capture that counts only from the end of the Tactical Phase."""

    site: SiteId
    nation: Nation


class ControlState(msgspec.Struct, frozen=True):
    """The part's slice: only what changed since the start."""

    holders: dict[str, Nation] = {}
    changes: tuple[Change, ...] = ()
    bases: tuple[Base, ...] = ()
    pending: tuple[Pending, ...] = ()


class Holder(msgspec.Struct, frozen=True):
    """Who controls a site: side and nation as far as they are known."""

    side: Side | None
    nation: Nation | None


class Loss(msgspec.Struct, frozen=True):
    """A tile whose unknown value keeps the totals from being computed."""

    site: SiteId
    side: Side
    """The side that holds it now."""


class Moved(msgspec.Struct, frozen=True):
    """A tile that has changed sides, and what it adds to the one and takes from the other."""

    site: SiteId
    side: Side
    """Whose it is now."""
    quarters: int


class Totals(msgspec.Struct, frozen=True):
    """Victory points of both sides in quarters, or the tiles whose values are missing for them."""

    quarters: dict[str, int]
    """Empty when `missing` is not, or when the scenario counts no points."""
    missing: tuple[Loss, ...] = ()
    is_by_hand: bool = False
    start: dict[str, int] = {}
    """What both sides began with: as the scenario states it, or as it was last set by hand."""
    moved: tuple[Moved, ...] = ()
    """The tiles that have changed sides since, with what each is worth."""


# Commands and events


class TakeControl(Command, frozen=True, tag=True):
    """Report that a nation has taken a site, with the answers to the rule's questions."""

    site: SiteId
    nation: Nation
    own: dict[str, int]
    """Control-capable Land Units there, by nation of the taking side."""
    left: dict[str, int] = msgspec.field(default_factory=dict)
    """Control-capable Land Units left there, by nation of the side that holds it."""
    is_agreed: bool = False
    """With equal numbers: the teammates have agreed on this nation."""


class CorrectControl(Command, frozen=True, tag=True):
    """Set a site's nation by hand, without the rule's questions; the arbiter's under tournament time."""

    kind: ClassVar[EntryKind] = "sticky"
    site: SiteId
    nation: Nation


class SetTotals(Command, frozen=True, tag=True):
    """Set both sides' victory points by hand, in quarters, as they stand on the track."""

    quarters: dict[str, int]


class CaptureReported(Event, frozen=True, tag=True):
    """A capture waits for the end of the Tactical Phase."""

    site: SiteId
    nation: Nation


class ControlChanged(Event, frozen=True, tag=True):
    """A site changed hands."""

    site: SiteId
    nation: Nation
    before: Side
    after: Side


class ControlCorrected(Event, frozen=True, tag=True):
    """A site's nation was set by hand."""

    site: SiteId
    nation: Nation
    before: Side
    after: Side


class TotalsSet(Event, frozen=True, tag=True):
    """Both totals were set by hand."""

    quarters: dict[str, int]


# Questions


def holder(state: GameState, site: SiteId) -> Holder:
    """Return who controls a site now. KeyError for an unknown site."""
    table, own = tables(state), state.game["control"]
    start = table.sites[site]
    nation = own.holders.get(site, start.nation)
    if nation is not None:
        return Holder(nation_side(state.frozen_setup, nation), nation)
    first = next((change.before for change in own.changes if change.site == site), None)
    return Holder(start.side or first, None)


def holder_need(state: GameState, site: SiteId) -> Need:
    """Return the question who holds a site, as the value that only the board or the player aids give."""
    key = printed_key(tables(state), "holder", site)
    return Need("printed", key, Say("Which nation holds {site}?", site=site_of(site)))


def held_by(state: GameState, site: SiteId, side: Side) -> Judgement:
    """Judge whether a side controls a site now. KeyError for an unknown site.

    Source: rulebook v0.96, Objective and Airfield Control
    """
    held = holder(state, site).side
    return unknown(holder_need(state, site)) if held is None else judged(held == side)


def held_by_nation(state: GameState, site: SiteId, nation: Nation) -> Judgement:
    """Judge whether a nation controls a site now; the other side's sites are never its own. KeyError for an unknown site.

    Source: rulebook v0.96, Objective and Airfield Control
    """
    held = holder(state, site)
    if held.nation is not None:
        return judged(held.nation == nation)
    if held.side is not None and held.side != nation_side(state.frozen_setup, nation):
        return NO
    return unknown(holder_need(state, site))


def totals(state: GameState) -> Totals:
    """Return both sides' victory points now."""
    return _totals(tables(state), state.game["control"], len(state.game["control"].changes))


def totals_line(state: GameState) -> tuple[tuple[Change | None, Totals], ...]:
    """Return the totals at the start and after each change of control."""
    table, own = tables(state), state.game["control"]
    later = tuple((change, _totals(table, own, i + 1)) for i, change in enumerate(own.changes))
    return ((None, _totals(table, own, 0)), *later)


def _totals(table: LedgerTable, own: ControlState, count: int) -> Totals:
    """Return the totals after the first `count` changes."""
    base = next((item for item in reversed(own.bases) if item.count <= count), None)
    amounts = dict(table.start if base is None else base.quarters)
    if not amounts:
        return Totals({})
    start, moved = dict(amounts), []
    before: dict[str, Side] = {}
    after: dict[str, Side] = {}
    for change in own.changes[0 if base is None else base.count : count]:
        before.setdefault(change.site, change.before)
        after[change.site] = change.after
    missing = []
    for site, side in after.items():
        if side == before[site]:
            continue
        vp = table.sites[site].vp if site in table.sites else None
        if vp is None:
            missing.append(Loss(SiteId(site), side))
            continue
        amounts[side] += vp
        amounts[before[site]] -= vp
        moved.append(Moved(SiteId(site), side, vp))
    if missing:
        return Totals({}, tuple(missing), base is not None, start, tuple(moved))
    return Totals(amounts, (), base is not None, start, tuple(moved))


class ControlPart(Part):
    """Control of sites and totals."""

    name = "control"
    commands: tuple[type[Command], ...] = (TakeControl, CorrectControl, SetTotals)
    events: tuple[type[Event], ...] = (CaptureReported, ControlChanged, ControlCorrected, TotalsSet)

    def initial(self, setup: Setup) -> ControlState:
        """Return an empty slice; LedgerError when the frozen tables are broken."""
        base_table(setup)
        return ControlState()

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide a change of control or totals set by hand."""
        match command:
            case TakeControl():
                return _take(state, command)
            case CorrectControl():
                return _correct(state, command, ctx)
            case SetTotals():
                return _set_totals(state, command)
        return super().decide(state, command, ctx)

    def evolve(self, own: Any, event: Event, state: GameState) -> ControlState:
        """Apply an event of this part."""
        slice_: ControlState = own
        match event:
            case CaptureReported():
                kept = tuple(item for item in slice_.pending if item.site != event.site)
                return replace(slice_, pending=(*kept, Pending(event.site, event.nation)))
            case ControlChanged() | ControlCorrected():
                cause = "captured" if isinstance(event, ControlChanged) else "corrected"
                step = state.step
                change = Change(
                    step.id, step.stage, event.site, event.before, event.after, event.nation, cause
                )
                return replace(
                    slice_,
                    holders={**slice_.holders, event.site: event.nation},
                    changes=(*slice_.changes, change),
                    pending=tuple(item for item in slice_.pending if item.site != event.site),
                )
            case TotalsSet():
                base = Base(event.quarters, len(slice_.changes), state.step.id)
                return replace(slice_, bases=(*slice_.bases, base))
        return slice_

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Let captures count that waited for the end of the Tactical Phase."""
        if step.phase == "tactical":
            return ()
        own: ControlState = state.game["control"]
        return tuple(_changed(state, item.site, item.nation) for item in own.pending)


def _known(state: GameState, site: SiteId, nation: Nation) -> Rejected | None:
    table, setup = tables(state), state.frozen_setup
    if site not in table.sites:
        return Rejected(
            ControlCode.UNKNOWN_SITE,
            Say("{site} is not an Objective or Airfield of this scenario.", site=site_of(site)),
        )
    if nation not in {info.id for info in setup.nations}:
        return Rejected(ControlCode.UNKNOWN_NATION, not_in_game(nation))
    return None


def _take(state: GameState, command: TakeControl) -> Decision:
    refused = _known(state, command.site, command.nation)
    if refused is not None:
        return refused
    setup, site = state.frozen_setup, site_of(command.site)
    if state.step.phase not in ("tactical", "victory"):
        return Rejected(
            ControlCode.NOT_NOW, Say("Control changes in the Tactical Phase. Correct it by hand instead.")
        )
    is_late = state.step.act == "return"
    if is_late and ruling(state, "late_control", "noted") == "refused":
        return Rejected(
            ControlCode.NOT_NOW,
            Say(
                "No battle belongs to this step: control is taken when its battle ends. Correct it by hand instead."
            ),
        )
    side = nation_side(setup, command.nation)
    held = holder(state, command.site)
    theirs = held_by(state, command.site, side)
    if theirs.is_unknown:
        return not_known(theirs)
    if theirs.is_yes:
        return Rejected(
            ControlCode.OWN_SITE,
            Say(
                "Your side ({side}) already holds {site}. Control is never given to a teammate.",
                site=site,
                side=side_of(side),
            ),
        )
    if any(count < 0 for count in (*command.own.values(), *command.left.values())):
        return Rejected(Code.BAD_VALUE, Say("The number of units cannot be below 0."))
    sides = {info.id: info.side for info in setup.nations}
    for nation, wanted in ((n, side) for n in command.own):
        if sides.get(Nation(nation)) != wanted:
            return Rejected(
                Code.BAD_VALUE,
                Say("{nation} is not on this side: {side}.", nation=nation_of(nation), side=side_of(side)),
            )
    left = _blocking(state, command.left, held)
    if left:
        return Rejected(
            ControlCode.STILL_DEFENDED,
            Say.counted(
                "{site} is contested, not lost: its holder still has {n} unit there that can hold it.",
                "{site} is contested, not lost: its holder still has {n} units there that can hold it.",
                left,
                site=site,
            ),
        )
    mine = command.own.get(command.nation, 0)
    if mine < 1:
        return Rejected(
            ControlCode.NO_CONTROL_UNITS,
            Say(
                "{nation} has no unit in {site} that can take control.",
                nation=nation_of(command.nation),
                site=site,
            ),
        )
    mates = max((count for nation, count in command.own.items() if nation != command.nation), default=0)
    if mates > mine:
        return Rejected(
            ControlCode.TEAMMATE_HAS_MORE,
            Say(
                "A teammate has more units there that can take control, and takes {site}: {theirs} against {yours}.",
                site=site, theirs=mates, yours=mine,
            ),
        )  # fmt: skip
    if mates == mine and not command.is_agreed:
        return Rejected(
            ControlCode.TEAMMATES_AGREE,
            Say.counted(
                "Each teammate has {n} unit there: agree who takes {site}.",
                "Each teammate has {n} units there: agree who takes {site}.",
                mine,
                site=site,
            ),
        )
    waits = ruling(state, "control_change", "at_once") == "end_of_tactical" and state.step.phase == "tactical"
    if waits:
        return Accepted((CaptureReported(command.site, command.nation),))
    return Accepted((_changed(state, command.site, command.nation),))


def _blocking(state: GameState, left: Mapping[str, int], held: Holder) -> int:
    """Count the holder's control-capable units that keep a site, by the table's ruling."""
    if ruling(state, "capture_blocked_by", "side") == "nation" and held.nation is not None:
        return left.get(held.nation, 0)
    return sum(left.values())


def _changed(state: GameState, site: SiteId, nation: Nation) -> ControlChanged:
    setup = state.frozen_setup
    side = nation_side(setup, nation)
    before = holder(state, site).side or other_side(setup, side)
    return ControlChanged(SiteId(site), Nation(nation), before, side)


def _correct(state: GameState, command: CorrectControl, ctx: Context) -> Decision:
    refused = _known(state, command.site, command.nation)
    if refused is not None:
        return refused
    if state.clocks.config.tournament and ctx.actor != ARBITER:
        return Rejected(Code.ARBITER_ONLY)
    held = holder(state, command.site)
    if held.nation == command.nation:
        return Accepted(())
    bought = state.game.get("resupply")
    if bought is not None and bought.spends_at(command.site):
        return Rejected(
            ControlCode.SPENT_THERE,
            Say("First put back what was bought at {site}.", site=site_of(command.site)),
        )
    side = nation_side(state.frozen_setup, command.nation)
    return Accepted((ControlCorrected(command.site, command.nation, held.side or side, side),))


def _set_totals(state: GameState, command: SetTotals) -> Decision:
    table = tables(state)
    sides = {info.id for info in state.frozen_setup.sides}
    if not table.counts_points or table.total is None:
        return Rejected(Code.BAD_VALUE, Say("This scenario counts no victory points."))
    if set(command.quarters) != sides or any(amount < 0 for amount in command.quarters.values()):
        return Rejected(Code.BAD_VALUE, Say("Enter a total of 0 or more for each side."))
    together = sum(command.quarters.values())
    if together != table.total:
        return Rejected(
            ControlCode.UNBALANCED,
            Say(
                "Both sides together have {total} points, not {sum}.",
                total=points(table.total),
                sum=points(together),
            ),
        )
    return Accepted((TotalsSet(command.quarters),))
