"""The Control screen: who holds what, victory points, the distance to each condition, and a capture step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.core.change import Change
from companion.core.commands import Command, EnterPrintedValue
from companion.core.ids import Nation
from companion.core.rules import Context, GameRules, Rejected
from companion.core.state import GameState
from companion.games.sfw.pages.ledger_view import points, site_name, who
from companion.games.sfw.rules.control import ControlCode, SetTotals, TakeControl, holder, totals, totals_line
from companion.games.sfw.rules.ledger import (
    base_table,
    nation_side,
    nations_of,
    other_side,
    printed_key,
    refused_values,
    tables,
)
from companion.games.sfw.rules.victory import Condition, conditions, missing_for
from companion.pages.frame import Mark, mark
from companion.pages.i18n import _
from companion.pages.labels import refusal, side_name, stage_name
from companion.pages.numbers import quarters
from companion.pages.speak import sentence

__all__ = [
    "CaptureDraft",
    "CaptureView",
    "ConditionRow",
    "ControlView",
    "SideColumn",
    "SiteRow",
    "capture_command",
    "capture_view",
    "change_rows",
    "control_view",
    "holder_key",
    "site_command",
    "totals_command",
]


@dataclass(frozen=True, slots=True)
class SiteRow:
    """One Objective or Airfield."""

    id: str
    name: str
    kind: str
    """``objective`` or ``airfield``."""
    holder: Mark | None
    """None while nobody has said which nation holds it."""
    note: str
    """Value and what is open, such as ``9 VP`` or ``who holds it?``."""


@dataclass(frozen=True, slots=True)
class SideColumn:
    """What one side holds."""

    mark: Mark
    total: str
    rows: tuple[SiteRow, ...]


@dataclass(frozen=True, slots=True)
class ConditionRow:
    """One victory condition and how far its side is from it."""

    mark: Mark
    text: str
    detail: str
    is_met: bool | None


@dataclass(frozen=True, slots=True)
class ControlView:
    """The Control screen."""

    columns: tuple[SideColumn, ...] = ()
    conditions: tuple[ConditionRow, ...] = ()
    changes: tuple[str, ...] = ()
    missing: str = ""
    """What must be entered before totals are known; empty when they are."""
    refused: tuple[str, ...] = ()
    """Remembered printed values that do not fit this scenario."""
    has_points: bool = True
    is_by_hand: bool = False
    unknown: tuple[SiteRow, ...] = ()
    """Sites whose side nobody has said."""
    can_add: bool = False
    """Whether the board has sites that the rules text does not name."""


@dataclass(frozen=True, slots=True)
class CaptureDraft:
    """The answers given so far about a capture."""

    site: str
    nation: str = ""
    own: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    is_agreed: bool = False


@dataclass(frozen=True, slots=True)
class CaptureView:
    """A capture as a form: units of both sides there, and what the rules say to it."""

    site: str
    title: str
    holder: Mark | None
    own: tuple[tuple[Mark, int], ...]
    """Nations of the taking side with their control-capable units there."""
    left: tuple[tuple[Mark, int], ...]
    """Nations of the holding side with theirs."""
    nation: Mark | None
    """Who takes it by the rules; None while nobody does."""
    needs_agreement: bool
    fault: str
    """Why it is not taken; empty when the main button takes it."""


def control_view(change: Change) -> ControlView:
    """Return the Control screen of an open game."""
    state = change.state
    setup, table, now = state.frozen_setup, tables(state), totals(state)
    rows = {site: _site_row(state, site) for site in table.sites}
    sides = {site: holder(state, site).side for site in table.sites}
    columns = tuple(
        SideColumn(
            mark(setup, info.id),
            points(now.quarters.get(info.id)) if table.counts_points else "",
            tuple(row for site, row in rows.items() if sides[site] == info.id),
        )
        for info in setup.sides
    )
    missing = missing_for(state)
    return ControlView(
        columns,
        tuple(_condition_row(state, item) for item in conditions(state)),
        change_rows(state),
        "" if missing is None else sentence(missing, state),
        tuple(sentence(line, state) for line in refused_values(base_table(setup), state.printed, setup)),
        table.counts_points,
        now.is_by_hand,
        tuple(row for site, row in rows.items() if sides[site] is None),
        table.counts_points and not table.is_complete,
    )


def _site_row(state: GameState, site: str) -> SiteRow:
    table, held = tables(state), holder(state, site)
    spot = table.sites[site]
    notes = []
    if table.counts_points:
        notes.append(_("{n} VP").format(n=quarters(spot.vp)) if spot.vp is not None else _("VP ?"))
    if held.nation is None:
        notes.append(_("whose?"))
    elif any(key in spot.status for key in ("side", "nation")) and site not in state.game["control"].holders:
        notes.append(_("inferred, check"))
    if any(item.site == site for item in state.game["control"].pending):
        notes.append(_("changes after step 6"))
    nation = None if held.nation is None else who(state.frozen_setup, held.nation)
    return SiteRow(site, _(spot.name), spot.kind, nation, ", ".join(notes))


def _condition_row(state: GameState, item: Condition) -> ConditionRow:
    stages = f"{item.stages[0]}–{item.stages[-1]}" if len(item.stages) > 1 else str(item.stages[0])
    side, short = side_name(state.frozen_setup, item.side), item.short_by
    match item.kind:
        case "points":
            text = _("{n} VP, stages {stages}").format(n=points(item.needs), stages=stages)
            detail = (
                _("unknown")
                if short is None
                else _("has {n}, {m} short").format(n=points(item.has), m=points(short))
                if short
                else _("has {n}: met").format(n=points(item.has))
            )
        case "control":
            wanted = tables(state).victory.control[item.side]
            text = _("{sites}, stages {stages}").format(
                sites=" + ".join(site_name(state, site) for site in wanted), stages=stages
            )
            missing = ", ".join(site_name(state, site) for site in item.sites)
            detail = _("still to take: {sites}").format(sites=missing) if missing else _("held: met")
        case "most":
            text = _("most VP at the end of stage {n}").format(n=stages)
            detail = (
                _("unknown")
                if short is None
                else _("{n} short").format(n=points(short))
                if short
                else _("ahead as things stand")
            )
            if item.sites and item.sites[0]:
                text += _("; tie: {site}").format(site=site_name(state, item.sites[0]))
        case _:
            text = _("no victory of the other side by the end of stage {n}").format(n=stages)
            detail = (
                _("unknown")
                if item.is_met is None
                else _("{side} as things stand").format(side=side)
                if item.is_met
                else _("the other side has it")
            )
    return ConditionRow(mark(state.frozen_setup, item.side), text, detail, item.is_met)


def change_rows(state: GameState) -> tuple[str, ...]:
    """Return every change of control with the totals after it, newest first."""
    rows = []
    setup = state.frozen_setup
    for change, now in totals_line(state)[1:]:
        if change is None:
            continue
        nation = next((info.name for info in setup.nations if info.id == change.nation), change.nation)
        both = " : ".join(points(now.quarters.get(info.id)) for info in setup.sides)
        rows.append(
            _("{stage}: {site} to {nation} ({both})").format(
                stage=stage_name(setup, change.stage),
                site=site_name(state, change.site),
                nation=_(nation),
                both=both,
            )
        )
    return tuple(reversed(rows))


def site_command(state: GameState, name: str, kind: str) -> Command:
    """Return the command that adds a site which the rules text does not name."""
    short = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in name.strip().lower())
    key = printed_key(tables(state), "site", short if short[:1].isalpha() else f"s_{short}")
    return EnterPrintedValue(key, {"name": name.strip(), "kind": kind})


def holder_key(state: GameState, site: str) -> str:
    """Return the key of the printed value that says which nation holds a site at the start."""
    return printed_key(tables(state), "holder", site)


def _taker(draft: CaptureDraft) -> str:
    """Return the nation that takes a site: the one with most units, or the one agreed on."""
    counts = {nation: count for nation, count in draft.own.items() if count > 0}
    if not counts:
        return ""
    most = [nation for nation, count in counts.items() if count == max(counts.values())]
    return draft.nation if draft.nation in most else most[0]


def capture_command(draft: CaptureDraft) -> Command | None:
    """Return the command that the form stands for; None while no unit of the taker is there."""
    nation = _taker(draft)
    if not nation:
        return None
    own = {key: count for key, count in draft.own.items() if count}
    left = {key: count for key, count in draft.left.items() if count}
    return TakeControl(draft.site, Nation(nation), own, left, draft.is_agreed)


def capture_view(change: Change, rules: GameRules, draft: CaptureDraft) -> CaptureView:
    """Return a capture's form; the rules themselves say whether it would be taken."""
    state = change.state
    setup, held = state.frozen_setup, holder(change.state, draft.site)
    side = held.side or setup.sides[0].id
    taker_side = other_side(setup, side)
    command = capture_command(draft)
    fault, agreement = _("Enter the control-capable units that are there."), False
    if command is not None:
        answer = rules.decide(state, command, Context())
        agreement = isinstance(answer, Rejected) and answer.code == ControlCode.TEAMMATES_AGREE
        fault = refusal(answer, state) if isinstance(answer, Rejected) else ""
    counts = {n: draft.own.get(n, 0) for n in nations_of(setup, taker_side)}
    mine = sorted(counts.values(), reverse=True)
    is_tie = len(mine) > 1 and mine[0] == mine[1] > 0
    nation = _taker(draft)
    return CaptureView(
        draft.site,
        site_name(state, draft.site),
        None if held.nation is None else who(setup, held.nation),
        tuple((who(setup, n), count) for n, count in counts.items()),
        tuple((who(setup, n), draft.left.get(n, 0)) for n in nations_of(setup, side)),
        who(setup, nation) if nation and nation_side(setup, nation) == taker_side else None,
        agreement or (is_tie and draft.is_agreed),
        fault,
    )


def totals_command(state: GameState, side: str, amount: int) -> Command | None:
    """Return the command that sets one side's total by hand, the other's following; None when out of range."""
    total = tables(state).total
    if total is None or not 0 <= amount <= total:
        return None
    return SetTotals({side: amount, other_side(state.frozen_setup, side): total - amount})
