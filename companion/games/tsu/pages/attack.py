"""The Attack screen of The Soft Underbelly: the list of attacks, the calculator, the planner, the fight.

`attack_page` turns the state and what is being entered (`Draft`) into one frozen page.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace as changed

from companion.core.change import Change
from companion.core.state import GameState
from companion.core.text import Say
from companion.games.tsu.pages.attack_list import attacking_side, can_declare, list_page
from companion.games.tsu.pages.draft import Draft, attack_of, spent_units, way_of
from companion.games.tsu.pages.fight import done_page, fight_page
from companion.games.tsu.pages.rows import Page, Row
from companion.games.tsu.pages.words import (
    attackers_text,
    nation_name,
    reason_line,
    short_way,
    side_name_of,
    unit_text,
    unit_word,
    units_text,
    word,
)
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.attack import Verdict, by_road, landing_supply, planner, supply_needed, verdict
from companion.games.tsu.rules.combat import SUPPLY_KINDS, declared_faults, judged, shareable
from companion.games.tsu.rules.forces import Attack, attack_value, defence_value
from companion.games.tsu.rules.legality import NEVER_ATTACK, is_unopposed
from companion.games.tsu.rules.state import SIDE_OF, season_of, slice_of
from companion.games.tsu.rules.units import Unit
from companion.pages.frame import Mark, mark, nation_mark
from companion.pages.i18n import _, ngettext

__all__ = ["attack_page", "unit_options"]

TABS = ("area", "attackers", "defenders", "supply", "result")


def attack_page(change: Change, draft: Draft) -> Page:
    """Return the page of the newest change."""
    state = change.state
    if draft.mode == "edit":
        return _edit_page(state, draft)
    declared = next((d for d in slice_of(state).attacks if d.number == draft.number), None)
    if draft.mode == "fight" and declared is not None and not declared.done:
        return fight_page(state, declared, draft)
    if draft.mode in ("fight", "done") and declared is not None and declared.result is not None:
        return done_page(declared)
    return list_page(state)


# The calculator


def unit_options(state: GameState, side: str, *, defends: bool) -> tuple[tuple[Unit, str], ...]:
    """Return the units that a side may put into an attack: those with names first, then kinds by nation."""
    game = state.frozen_setup.tables["game"]
    tables = slice_of(state).tables
    nations = [info.id for info in state.frozen_setup.nations if info.side == side]
    kinds = [
        kind
        for kind in tables.units
        if kind != "fort" and (defends or kind not in (*NEVER_ATTACK, "strategic"))
    ]
    found: list[tuple[Unit, str]] = []
    for nation in nations:
        for row in game["named"]:
            if row["nation"] == nation:
                unit = Unit(row["kind"], nation, row["name"])
                found.append((unit, f"{nation_name(state, nation)}: {unit_text(unit)}"))
        for kind in kinds:
            found.append((Unit(kind, nation), f"{nation_name(state, nation)}: {unit_word(kind)}"))
    if defends:
        for fort in game["forts"]:
            unit = Unit("fort", nations[0], fort["name"])
            found.append((unit, unit_text(unit)))
    return tuple(found)


def _mark(state: GameState, unit: Unit) -> Mark:
    return nation_mark(state.frozen_setup, unit.nation)


def _faults(state: GameState, draft: Draft) -> tuple[Say, ...]:
    if can_declare(state):
        return declared_faults(state, attack_of(draft), spent_units(draft), draft.shared)
    return verdict(judged(state, attack_of(draft)), slice_of(state).tables).faults


def _supplied(state: GameState, draft: Draft) -> Attack:
    """Return the attack with as many supplies as it has, or as it needs where it is tried out."""
    attack = judged(state, attack_of(draft))
    count = len(spent_units(draft)) + len(draft.shared) if can_declare(state) else draft.supplies
    return changed(attack, supplies=count)


def _fed(state: GameState, draft: Draft) -> Verdict:
    """Return the verdict as if the supply were there: its values and removals are worth seeing all the same."""
    tables = slice_of(state).tables
    attack = judged(state, attack_of(draft))
    return verdict(changed(attack, supplies=max(1, supply_needed(attack, tables))), tables)


def _edit_page(state: GameState, draft: Draft) -> Page:
    faults = _faults(state, draft)
    found = _fed(state, draft)
    tab = draft.tab or "area"
    lead, tone = _lead(draft, found, faults)
    maker = {
        "area": _area_rows,
        "attackers": _attacker_rows,
        "defenders": _defender_rows,
        "supply": _supply_rows,
        "result": _result_rows,
    }[tab]
    is_ready = not faults and bool(draft.target)
    command = None
    if can_declare(state) and is_ready:
        command = cm.DeclareAttack(state.step.id, attack_of(draft), spent_units(draft), draft.shared)
    words = {
        "area": _("Area"),
        "attackers": _("Attackers"),
        "defenders": _("Defenders"),
        "supply": _("Supplies"),
        "result": _("Result"),
    }
    target = draft.target or _("an area")
    return Page(
        _("Attack on {area}").format(area=target),
        lead,
        tone,
        tuple((key, words[key]) for key in TABS),
        tab,
        maker(state, draft),
        _("Declare the attack") if can_declare(state) else _("All attacks"),
        command,
        is_main_ready=not can_declare(state) or is_ready,
        columns=2 if tab in ("attackers", "defenders", "supply") else 1,
        empty=_("Nobody yet"),
        key=f"edit.{tab}",
    )


def _lead(draft: Draft, found: Verdict, faults: Sequence[Say]) -> tuple[str, str]:
    is_landing = is_unopposed(attack_of(draft))
    if not draft.attackers or not (draft.defenders or is_landing):
        return _("Enter the area, who attacks and who defends"), "muted"
    if faults:
        more = "" if len(faults) == 1 else f" (+{len(faults) - 1})"
        return _("Not allowed: {why}").format(why=reason_line(faults[0])) + more, "danger"
    if is_landing:
        return _("Nobody defends: an unopposed landing"), "ok"
    values = _("{a} against {d}").format(a=found.attack_value, d=found.defence_value)
    if found.wins:
        return _("{values}: wins by {n}").format(values=values, n=found.difference), "ok"
    return _("{values}: allowed, but nothing happens").format(values=values), "accent"


def _area_rows(state: GameState, draft: Draft) -> tuple[Row, ...]:
    season = season_of(slice_of(state), state.step.stage).split(" ")[0]
    notes = {
        "winter": _("Winter: double supply, no landings"),
        "spring": _("Spring: no two armies in one area"),
        "fall": _("Fall: no breakthrough there"),
    }
    rows = () if can_declare(state) else (_side_row(state, draft),)
    return (
        *rows,
        Row(
            "target", draft.target or _("Which area is attacked?"), _("Name of the area"), "tap", ask="target"
        ),
        Row("area", word("area_kind", draft.area), _("Kind of area"), "tap", ask="area"),
        Row(
            "winter",
            _("North of the winter line"),
            notes.get(season, _("Changes nothing in Summer")),
            "tick",
            ask="winter",
            is_on=draft.winter,
        ),
        Row("leave", _("All attacks"), _("What was entered here is dropped"), "tap", ask="leave"),
    )


def _side_row(state: GameState, draft: Draft) -> Row:
    side = attacking_side(state, draft)
    text = _("Attackers: {side}").format(side=side_name_of(side))
    badge = mark(state.frozen_setup, side)
    return Row("side", text, _("Tap to let the other side attack"), "tap", ask="side", mark=badge)


def _attacker_rows(state: GameState, draft: Draft) -> tuple[Row, ...]:
    tables = slice_of(state).tables
    has_fort = any(unit.kind == "fort" for unit in draft.defenders)
    full = judged(state, attack_of(draft))
    fighting = _fed(state, draft).fighting
    rows = [
        Row("add", _("Add a unit"), _("{n} so far").format(n=len(draft.attackers)), "tap", ask="attacker"),
        Row(
            "from",
            _("From {area}").format(area=draft.origin or "…"),
            word("way", draft.way),
            "tap",
            ask="from",
        ),
    ]
    for i, attacker in enumerate(draft.attackers):
        value = attack_value(attacker, tables, has_fort, full.reorganized)
        parts = [_("value {n}").format(n=value), attacker.origin, short_way(way_of(attacker))]
        if attacker.landing:
            parts.append(_("lands"))
        if draft.defenders and fighting and attacker not in fighting:
            parts.append(_("takes no part"))
        rows.append(
            Row(
                str(i),
                unit_text(attacker.unit)
                if not attacker.landing
                else unit_text(changed(attacker.unit, loaded=False)),
                ", ".join(part for part in parts if part),
                "tap",
                ask="change_attacker",
                mark=_mark(state, attacker.unit),
            )
        )
    return tuple(rows)


def _defender_rows(state: GameState, draft: Draft) -> tuple[Row, ...]:
    tables = slice_of(state).tables
    full = judged(state, attack_of(draft))
    facing = _fed(state, draft).facing
    rows = [
        Row("add", _("Add a unit"), _("{n} so far").format(n=len(draft.defenders)), "tap", ask="defender")
    ]
    for i, unit in enumerate(full.defenders):
        value = str(defence_value(unit, tables, full.reorganized))
        if unit.kind == "fort" and unit.fort_value is None:
            value = "–"
        sub = _("value {n}").format(n=value)
        if draft.attackers and facing and unit not in facing:
            sub = f"{sub}, {_('takes no part')}"
        rows.append(Row(str(i), unit_text(unit), sub, "tap", ask="change_defender", mark=_mark(state, unit)))
    return tuple(rows)


def _need_row(state: GameState, draft: Draft) -> Row:
    attack = judged(state, attack_of(draft))
    needed = supply_needed(attack, slice_of(state).tables) if draft.attackers else 1
    alone = landing_supply(attack)
    parts = []
    if attack.season == "winter" and attack.winter_zone:
        parts.append(_("double in Winter"))
    if by_road(attack, slice_of(state).tables) > 1:
        parts.append(_("by road one a land unit"))
    if alone:
        parts.append(
            ngettext("{n} for the landing alone", "{n} for the landings alone", alone).format(n=alone)
        )
    parts.append(_("reach is for you to check"))
    return Row("need", _("At least {n} needed").format(n=needed), ", ".join(parts))


def _supply_rows(state: GameState, draft: Draft) -> tuple[Row, ...]:
    rows = [_need_row(state, draft)]
    if not can_declare(state):
        return (
            *rows,
            Row("plan", _("Supplies at hand"), "", "count", ask="plan", count=draft.supplies, most=9),
        )
    side = attacking_side(state, draft)
    for spent in shareable(slice_of(state)):
        where = ", ".join(
            d.attack.target for d in slice_of(state).attacks if spent.number in d.supplies and not d.dropped
        )
        unit = f"{nation_name(state, spent.unit.nation)}: {unit_word(spent.unit.kind)}"
        sub = _("used up already for {areas}").format(areas=where) if where else _("used up already")
        on = spent.number in draft.shared
        rows.append(Row(str(spent.number), unit, sub, "tick", ask="share", is_on=on))
    for nation, of in SIDE_OF.items():
        if of != side:
            continue
        for kind in SUPPLY_KINDS:
            key = f"{nation}.{kind}"
            text = f"{nation_name(state, nation)}: {unit_word(kind)}"
            rows.append(Row(key, text, "", "count", ask="spend", count=draft.spent.get(key, 0), most=4))
    return tuple(rows)


def _result_rows(state: GameState, draft: Draft) -> tuple[Row, ...]:
    is_landing = is_unopposed(attack_of(draft))
    if not draft.attackers or not (draft.defenders or is_landing):
        return (Row("none", _("Enter who attacks and who defends"), tone="muted"),)
    faults, found = _faults(state, draft), _fed(state, draft)
    full = _supplied(state, draft)
    if is_landing:
        rows = [Row(f"fault.{n}", reason_line(fault), tone="danger") for n, fault in enumerate(faults)]
        rows.append(Row("empty", _("No combat; the area is taken at the end of the combat phase"), tone="ok"))
        rows.append(Row("kept", _("The Landing Craft is not lost"), _("No breakthrough after a landing")))
        return tuple(rows)
    rows = [Row(f"fault.{n}", reason_line(fault), tone="danger") for n, fault in enumerate(faults)]
    rows += [
        Row(
            "attack",
            _("Attack {n}").format(n=found.attack_value),
            attackers_text(found.fighting),
        ),
        Row("defence", _("Defence {n}").format(n=found.defence_value), units_text(found.facing)),
    ]
    if found.wins:
        for n, removal in enumerate(found.removals, 1):
            goes = (
                _("Back one area or lost: {units}").format(units=units_text(removal.retreating))
                if removal.retreating
                else _("a Fort holds the rest")
                if removal.staying and _holds(removal.staying)
                else _("the others stay")
                if removal.staying
                else _("nobody is left")
            )
            text = _("Choice {n}: lose {units}").format(n=n, units=units_text(removal.units))
            rows.append(Row(f"choice.{n}", text, goes, tone="ok"))
        rows.append(_possession_row(found))
    if found.may_retreat_before:
        text = _("May leave before the combat: {units}").format(units=units_text(found.may_retreat_before))
        rows.append(Row("early", text, _("No aircraft attacks")))
    if found.landing_craft_lost:
        rows.append(Row("craft", _("The Landing Craft is lost after the attack")))
    return (*rows, *_planner_rows(state, full, found))


def _holds(units: Sequence[Unit]) -> bool:
    return any(unit.kind == "fort" for unit in units)


def _possession_row(found: Verdict) -> Row:
    if found.possession:
        return Row("take", _("A land unit that advances takes the area"))
    return Row("take", _("No possession: ships and aircraft control at most"))


def _planner_rows(state: GameState, attack: Attack, found: Verdict) -> tuple[Row, ...]:
    if found.wins:
        return ()
    tables = slice_of(state).tables
    nation = attack.attackers[0].unit.nation
    plans = planner(attack, tables, nation)
    if not plans:
        return (Row("plan", _("No single unit more would win this attack"), tone="muted"),)
    rows = []
    for plan in plans:
        unit = unit_word(plan.kind)
        if plan.kind == "landing_craft":
            unit = _("Landing Craft with an Infantry")
        text = _("One more would win: {unit}").format(unit=unit)
        sub = ngettext(
            "{a} against {d} with {n} supply, from an area of its own",
            "{a} against {d} with {n} supplies, from an area of its own",
            plan.supplies_needed,
        ).format(a=plan.attack_value, d=plan.defence_value, n=plan.supplies_needed)
        rows.append(Row(f"plan.{plan.kind}", text, sub))
    return tuple(rows)
