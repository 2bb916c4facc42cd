"""The Reinforcements screen of North Africa: convoys, income and baskets, mines, deployment."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.state import GameState
from companion.games.aana.pages.words import (
    level_line,
    pieces_text,
    power_name,
    space_name,
    supply_text,
    unit_word,
    unofficial_note,
)
from companion.games.aana.rules import reinforce_messages as rf
from companion.games.aana.rules.board import RESERVE_ZONE
from companion.games.aana.rules.deploy import deploy_targets
from companion.games.aana.rules.ledger import (
    board,
    figures,
    held_units,
    in_play,
    known_supply,
    ledger_of,
    scenario_of,
    split,
)
from companion.games.aana.rules.requisition import LAND_MINE_COST, SEA_MINE_COST, purchase_fault
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.turn import turn_powers
from companion.pages.i18n import _
from companion.pages.labels import done_name, refusal

__all__ = ["ReinforceRow", "ReinforceView", "deploy_options", "free_options", "mine_places", "reinforce_view"]


@dataclass(frozen=True, slots=True)
class ReinforceRow:
    """One line: a tap with a command, or a question first."""

    key: str
    text: str
    sub: str = ""
    command: Command | None = None
    ask: str = ""
    """``deploy``, ``free``, ``land_mine`` or ``sea_mine``."""
    is_enabled: bool = True


@dataclass(frozen=True, slots=True)
class ReinforceView:
    """What the screen shows."""

    title: str = ""
    lead: str = ""
    detail: str = ""
    rows: tuple[ReinforceRow, ...] = ()
    main_text: str = ""
    main_command: Command | None = None
    ends_act: bool = False
    empty: str = ""


def reinforce_view(change: Change) -> ReinforceView:
    """Return the view of the newest change."""
    view = _view(change.state)
    is_paused = change.state.clocks.is_paused and change.state.ending is None
    # The main button of an act resumes first, and says so.
    return replace(view, main_text=_("Resume")) if view.ends_act and is_paused else view


def _view(state: GameState) -> ReinforceView:
    phase = state.step.phase
    if phase == "convoys":
        return _convoys(state)
    if phase == "requisition":
        return _buy(state)
    if phase == "deploy":
        return _deploy(state)
    rows = []
    for power in ("germany", "uk", "italy", "us"):
        whole = rf.income(state, power)
        text = f"{power_name(state, power)}: {whole.total}"
        rows.append(ReinforceRow(power, text, _income_text(state, whole)))
    return ReinforceView(_("Reinforcements"), level_line(state), "", tuple(rows), _("Back to the table"))


def _income_text(state: GameState, whole: rf.Income) -> str:
    words = {"base": _("basic"), "bid": _("bid")}
    parts = [
        f"{words.get(name) or space_name(state, name)} {'–' if n is None else n}" for name, n in whole.lines
    ]
    if whole.missing:
        parts.append(_("missing: {n} printed values").format(n=len(whole.missing)))
    return ", ".join(parts)


def _free_rows(state: GameState) -> list[ReinforceRow]:
    """Return the free set-up, at the very start only."""
    if state.index:
        return []
    used = rf.reinforce_of(state).free
    rows = []
    for free in scenario_of(state).start.free:
        left = free.points - used.get(free.space, 0)
        text = _("Set-up: {power}, {space}").format(
            power=power_name(state, free.power), space=space_name(state, free.space)
        )
        sub = _("{n} points left").format(n=left)
        rows.append(ReinforceRow(f"{free.power}|{free.space}", text, sub, ask="free", is_enabled=left > 0))
    return rows


def free_options(state: GameState, key: str) -> tuple[tuple[Command, str], ...]:
    """Return the combat units that still fit the points of a space of the free set-up."""
    power, _bar, space = key.partition("|")
    free = next(row for row in scenario_of(state).start.free if (row.power, row.space) == (power, space))
    left = free.points - rf.reinforce_of(state).free.get(space, 0)
    return tuple(
        (rf.PlaceFree(power, space, row.unit, 1), f"{unit_word(row.unit)}: {row.cost}")
        for row in figures(state).rows()
        if row.power == power and row.is_combat and row.cost is not None and row.cost <= left
    )


def _convoys(state: GameState) -> ReinforceView:
    power, own, ledger = state.step.nation or "", board(state), ledger_of(state)
    rows = []
    for zone, row in own.convoys.items():
        held = held_units(ledger, zone, (power,))
        tokens = known_supply(ledger, f"{zone}@{power}") or 0
        if not held and not tokens:
            continue
        if row.next:
            goes = _("moves to {space}").format(space=space_name(state, row.next))
        elif own.is_convoy_open(zone, ledger.control):
            goes = _("lands in {space}").format(space=space_name(state, row.port))
        else:
            goes = _("route closed: back to the Reinforcements Zone")
        parts = [
            text for text in (pieces_text(state, held), supply_text(tokens) if tokens else "", goes) if text
        ]
        rows.append(ReinforceRow(zone, space_name(state, zone), ", ".join(parts)))
    advanced = rf.reinforce_of(state).advanced
    waits = bool(rows) and not advanced
    rows = [*_free_rows(state), *rows]
    return ReinforceView(
        _("Advance Convoys"),
        power_name(state, power),
        _("Aircraft on escort land by hand, or are lost"),
        tuple(rows),
        _("Advance convoys") if waits else done_name("advance", "aana"),
        rf.AdvanceConvoys(state.step.id) if waits else None,
        not waits,
        _("No convoy of this power is at sea"),
    )


def _buy(state: GameState) -> ReinforceView:
    power, step = state.step.nation or "", state.step.id
    whole, left = rf.income(state, power), rf.points_left(state, power)
    slice_, book = rf.reinforce_of(state), figures(state)
    rows: list[ReinforceRow] = []
    if power == "uk":
        if not slice_.malta_paid and not slice_.bought:
            rows.append(
                ReinforceRow("malta", _("Malta: pay 1 supply for 15 points"), command=rf.PayMalta(step))
            )
        rows.append(
            ReinforceRow(
                "repair", _("Repair a battleship: 1 supply from Cairo"), command=rf.RepairBattleship(step)
            )
        )
    for owner in turn_powers(state):
        for row in book.rows():
            if not book.has(owner, row.unit) or book.row(owner, row.unit) is not row:
                continue
            if row.unit == "tiger" and "tiger" not in state.frozen_setup.options.get("optional", ()):
                continue
            fault = purchase_fault(state, owner, row.unit, 1)
            have = slice_.bought.get(f"{owner}.{row.unit}", 0)
            cost = "–" if row.cost is None else str(row.cost)
            sub = _("cost {cost}, {n} in play").format(
                cost=cost, n=in_play(ledger_of(state), owner, row.unit)
            )
            if fault is not None:
                sub = refusal(fault, state)
            who = "" if owner == power else f"{power_name(state, owner)}: "
            text = f"{who}{unit_word(row.unit)}" + (f" × {have}" if have else "")
            can = fault is None and row.cost is not None and row.cost <= left
            rows.append(
                ReinforceRow(
                    f"{owner}.{row.unit}", text, sub, rf.Requisition(step, owner, row.unit, 1), is_enabled=can
                )
            )
    for unit in (rf.SUPPLY_ONE, rf.SUPPLY_FIVE):
        fault = purchase_fault(state, power, unit, 1)
        have = slice_.bought.get(f"{power}.{rf.SUPPLY_ONE}", 0)
        price = rf.TOKENS[unit]
        sub = (
            refusal(fault, state)
            if fault is not None
            else _("cost {cost}, {n} bought this turn").format(cost=price, n=have)
        )
        can = fault is None and price <= left
        rows.append(
            ReinforceRow(unit, unit_word(unit), sub, rf.Requisition(step, power, unit, 1), is_enabled=can)
        )
    rows.append(
        ReinforceRow(
            "land_mine", _("Land mine"), _("cost {cost}").format(cost=LAND_MINE_COST), ask="land_mine"
        )
    )
    rows.append(
        ReinforceRow("sea_mine", _("Sea mine"), _("cost {cost}").format(cost=SEA_MINE_COST), ask="sea_mine")
    )
    return ReinforceView(
        _("{power}: {n} points left").format(power=power_name(state, power), n=left),
        _income_text(state, whole),
        unofficial_note(state),
        tuple(rows),
        done_name("buy", "aana"),
        None,
        True,
    )


def _deploy(state: GameState) -> ReinforceView:
    power, step = state.step.nation or "", state.step.id
    rows: list[ReinforceRow] = []
    stuck = False
    for piece, n in rf.waiting(state).items():
        unit = split(piece)[1]
        targets = deploy_targets(state, power, unit)
        stuck = stuck or not targets
        sub = ", ".join(space_name(state, space) for space in targets[:4]) or _("nowhere to go")
        rows.append(
            ReinforceRow(piece, f"{n} × {unit_word(unit)}", sub, ask="deploy", is_enabled=bool(targets))
        )
    if stuck:
        rows.append(ReinforceRow("lose", _("Lose what has nowhere to go"), command=rf.LoseUndeployed(step)))
    staging = board(state).staging(power)
    if staging:
        for piece, n in held_units(ledger_of(state), staging, (power,)).items():
            unit = split(piece)[1]
            text = _("{n} × {unit} in {space}").format(
                n=n, unit=unit_word(unit), space=space_name(state, staging)
            )
            rows.append(ReinforceRow(f"{staging}|{piece}", text, _("staged: may sail"), ask="deploy"))
        tokens = known_supply(ledger_of(state), staging) or 0
        if tokens:
            text = _("{supply} in {space}").format(
                supply=supply_text(tokens), space=space_name(state, staging)
            )
            key = f"{staging}|{power}.{rf.SUPPLY_ONE}"
            rows.append(ReinforceRow(key, text, _("staged: may sail"), ask="deploy"))
    return ReinforceView(
        _("Deploy Reinforcements"),
        power_name(state, power),
        _("Tap a line, then choose where it goes"),
        tuple(rows),
        done_name("place", "aana"),
        None,
        True,
        _("Nothing waits in the Reinforcements Zone"),
    )


def deploy_options(state: GameState, key: str) -> tuple[tuple[Command, str], ...]:
    """Return where a waiting line may go: all of it, or one piece."""
    origin, _bar, piece = key.rpartition("|")
    power, unit, _damaged = split(piece)
    place = origin or RESERVE_ZONE
    n = ledger_of(state).units.get(place, {}).get(piece, 0)
    if origin and unit == rf.SUPPLY_ONE:
        n = known_supply(ledger_of(state), origin) or 0
    found: list[tuple[Command, str]] = []
    for space in deploy_targets(state, power, unit):
        if space == place:
            continue
        for count in dict.fromkeys((n, 1)):
            text = f"{count} → {space_name(state, space)}"
            found.append((rf.Deploy(state.step.id, power, unit, count, space, place), text))
    return tuple(found)


def mine_places(state: GameState, kind: str, border: str = "") -> tuple[tuple[str, str], ...]:
    """Return spaces for a new mine: territories, or sea and convoy zones.

    Args:
        border: The mined territory: only what may touch it is listed.
    """
    own, ways = board(state), routes(state)
    if kind == "land_mine":
        spaces = [row.id for row in own.territories() if not row.owner and row.id != border]
        if border and ways is not None and ways.knows(border):
            spaces = [space for space in spaces if space in ways.neighbours(border)]
    else:
        spaces = [*own.convoys, *own.sea_zones()]
    return tuple((space, space_name(state, space)) for space in spaces)
