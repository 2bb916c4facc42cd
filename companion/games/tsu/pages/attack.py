"""The Attack screen of The Soft Underbelly: the list of attacks, the calculator, the planner, the fight.

`attack_page` turns the state and what is being entered (`AttackDraft`) into one page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec.structs import replace as changed

from companion.core.options import says
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, nation, several, unit
from companion.games.tsu.names import in_full, listed, side_or_nobody
from companion.games.tsu.pages.ask import (
    ask_area_kind,
    ask_attacker,
    ask_change_attacker,
    ask_change_defender,
    ask_defender,
    ask_target,
    ask_way,
)
from companion.games.tsu.pages.attack_list import attacking_side, can_declare, defending_side, list_page
from companion.games.tsu.pages.draft import (
    AttackDraft,
    attack_of,
    edit,
    spent_units,
    take_up,
    way_of,
)
from companion.games.tsu.pages.fight import all_attacks, done_page, fight_page, toggled, turn_to
from companion.games.tsu.pages.forces import declare, forces_page, removal, side_heads, supply_tiles
from companion.games.tsu.pages.ruled import deciding, faults_of
from companion.games.tsu.rules.attack import Verdict, by_road, landing_supply, planner, supply_needed, verdict
from companion.games.tsu.rules.combat import judged, shareable
from companion.games.tsu.rules.commands import DeclareAttack
from companion.games.tsu.rules.forces import Attack, attack_value, defence_value
from companion.games.tsu.rules.legality import is_unopposed
from companion.games.tsu.rules.losses import attackers_lost
from companion.games.tsu.rules.state import season_of, slice_of
from companion.games.tsu.rules.units import Unit, called
from companion.pages.page import (
    Act,
    Acts,
    Block,
    Button,
    Draft,
    Item,
    Mark,
    Notice,
    Page,
    Part,
    Rows,
    Shown,
    Side,
    Sides,
    Sight,
    Split,
    State,
    Tick,
)
from companion.pages.parts import nation_mark, side_mark
from companion.pages.rulings import ruling_tools
from companion.pages.symbols import unit_symbol

__all__ = ["attack_page"]


def attack_page(sight: Sight) -> Shown:
    """Return the list of attacks, the calculator, or one attack that is fought."""
    state, draft = sight.state, sight.entered(AttackDraft())
    if draft.mode == "edit":
        return _edit_page(state, draft)
    declared = next((d for d in slice_of(state).attacks if d.number == draft.number), None)
    if draft.mode == "fight" and declared is not None and not declared.done:
        return fight_page(state, declared, draft)
    if draft.mode in ("fight", "done") and declared is not None and declared.result is not None:
        return done_page(state, declared)
    return list_page(state, _begin(sight))


def _begin(sight: Sight) -> Act:
    """Open a new attack and ask at once for its area, and from where and how the first units come."""
    state = sight.state
    new = AttackDraft("edit", tab="forces", before=_before(sight))
    target = ask_target(state, new, lambda entered: ask_way(state, entered, lambda _entered: None))
    return Draft(lambda _draft: new, AttackDraft(), target)


def _before(sight: Sight) -> tuple[tuple[str, str, str], ...]:
    """Return target, origin and way of all that has attacked in this game, the newest first."""
    if sight.desk is None:
        return ()
    told = [
        entry.command.attack
        for entry in sight.desk.entries()
        if isinstance(entry.command, DeclareAttack) and sight.desk.counts(entry.seq)
    ]
    found = ((attack.target, a.origin, way_of(a)) for attack in reversed(told) for a in attack.attackers)
    return tuple(dict.fromkeys(found))


# The calculator


def _mark(state: GameState, unit: Unit) -> Mark:
    return nation_mark(state.frozen_setup, unit.nation)


def _supplied(state: GameState, draft: AttackDraft) -> Attack:
    """Return the attack with as many supplies as it has, or as it needs where it is tried out."""
    attack = judged(state, attack_of(draft))
    count = len(spent_units(draft)) + len(draft.shared) if can_declare(state) else draft.supplies
    return changed(attack, supplies=count)


def _fed(state: GameState, draft: AttackDraft) -> Verdict:
    """Return the verdict as if the supply were there: its values and removals are worth seeing all the same."""
    attack = judged(state, attack_of(draft))
    tables = slice_of(state).tables
    return verdict(changed(attack, supplies=max(1, supply_needed(attack, tables))), tables)


_UNITS = ("units", "attackers", "defenders")
"""Tabs that show both sides' units: they stand on one page."""


def _edit_page(state: GameState, draft: AttackDraft) -> Shown:
    acts = Acts()
    faults = faults_of(state, draft)
    found = _fed(state, draft)
    tabs = {
        "forces": Say("Forces"),
        "area": Say("Area"),
        "units": Say("Units"),
        "supply": Say("Supplies"),
        "result": Say("Result"),
    }
    tab = "units" if draft.tab in _UNITS else draft.tab or "forces"
    lead, tone = _lead(draft, found, faults)
    if tab == "forces":
        return forces_page(state, acts, draft, lead, faults)
    tools: tuple[Button, ...] = ()
    blocks: tuple[Block, ...]
    if tab == "units":
        fed = (_fed_row(state, acts, draft),) if draft.attackers else ()
        blocks = (_both(state, acts, draft), *fed, _bar(state, draft, found, faults))
    elif tab == "result":
        rows = Rows(tab, _result_rows(state, draft), is_wide=False)
        has_values = draft.attackers and draft.defenders
        blocks = (_bar(state, draft, found, faults, is_noted=False), rows) if has_values else (rows,)
    elif tab == "supply":
        tools = (removal(acts, draft),)
        blocks = (
            Rows(tab, _supply_rows(state, acts, draft)),
            *supply_tiles(state, acts, draft, by_nation=True),
        )
    else:
        blocks = (Rows(tab, _area_rows(state, acts, draft)),)
    main = all_attacks(acts) if not can_declare(state) else Button(Say("Declare the attack"), why_not=lead)
    if can_declare(state) and not faults and draft.target:
        main = Button(main.title, acts.put("declare", declare(state, draft)))
    area = Typed(draft.target) if draft.target else Say("an area")
    page = Page(
        f"edit.{tab}",
        Say("{area}", area=area) if tab == "units" else Say("Attack on {area}", area=area),
        None if tab == "units" else lead,
        tone,
        tabs=tuple(Item(key, name, act=acts.put(f"tab.{key}", turn_to(key))) for key, name in tabs.items()),
        tab=tab,
        tools=(*tools, *ruling_tools(state, acts, deciding(state, draft))),
        blocks=blocks,
        main=main,
    )
    return Shown(page, acts)


def _name(one: Unit) -> Value:
    """Name a unit beside its symbol, which tells the kind of one that has a name of its own."""
    return called(one) if one.name and one.kind != "fort" and not one.loaded else in_full(one)


def _both(state: GameState, acts: Acts, draft: AttackDraft) -> Sides:
    """Return the units of both sides beside each other."""
    attackers, defenders = side_heads(state, draft)
    more = Button(Say("Attacker"), acts.put("add", ask_attacker(state, draft)), "plus")
    other = Button(Say("Defender"), acts.put("add_defender", ask_defender(state, draft)), "plus")
    halves = (
        (attackers, more, _attacker_rows(state, acts, draft)),
        (defenders, other, _defender_rows(state, acts, draft)),
    )
    return Sides(
        "units",
        tuple(
            Side(
                head.key,
                changed(head, tools=(tool,)),
                (Rows(head.key, rows, empty=Say("Nobody yet")),),
            )
            for head, tool, rows in halves
        ),
    )


def _fed_row(state: GameState, acts: Acts, draft: AttackDraft) -> Rows:
    """Return how many supplies the attack has of how many it needs, under both halves: a tap gives some."""
    attack = judged(state, attack_of(draft))
    needed = supply_needed(attack, slice_of(state).tables)
    given = len(spent_units(draft)) + len(draft.shared)
    is_short = given < needed and can_declare(state)
    title = Say.counted("{n} supply needed", "{n} supplies needed", needed)
    value = Say("{given} given", given=given) if can_declare(state) else None
    row = Item(
        "fed",
        title,
        value=value,
        symbol=unit_symbol(state, "supply"),
        state="danger" if is_short else "plain",
        act=acts.put("fed", turn_to("supply")),
    )
    return Rows("fed", (row,))


def _bar(
    state: GameState, draft: AttackDraft, found: Verdict, faults: Sequence[Say], *, is_noted: bool = True
) -> Block:
    """Return both values on one bar over what comes of them, unless the page or its main button says that."""
    lead, tone = _lead(draft, found, faults)
    state_of: dict[str, State] = {"danger": "danger", "ok": "ok", "muted": "muted"}
    if not draft.attackers or not draft.defenders:
        return Notice("value", lead, state=state_of.get(tone, "plain"))
    setup = state.frozen_setup
    parts = (
        ("attack", found.attack_value, Say("attack"), attacking_side(state, draft)),
        ("defence", found.defence_value, Say("defence"), defending_side(state, draft)),
    )
    return Split(
        "value",
        tuple(Part(key, max(n, 0.5), n, word, side_mark(setup, of)) for key, n, word, of in parts),
        note=lead if is_noted and not (faults and can_declare(state)) else None,
        state=state_of.get(tone, "plain"),
    )


def _lead(draft: AttackDraft, found: Verdict, faults: Sequence[Say]) -> tuple[Say, str]:
    is_landing = is_unopposed(attack_of(draft))
    if not draft.target and not draft.attackers and not draft.defenders:
        return Say("Enter the area, who attacks and who defends"), "muted"
    if not draft.attackers:
        return Say("Enter who attacks"), "muted"
    if not (draft.defenders or is_landing):
        return Say("Enter who defends"), "muted"
    if faults:
        why = faults[0]
        more = len(faults) - 1
        return (
            Say.counted("{why} There is {n} more reason.", "{why} There are {n} more reasons.", more, why=why)
            if more
            else why
        ), "danger"
    if is_landing:
        return Say("Nobody defends: an unopposed landing"), "ok"
    values = Say("{a} against {d}", a=found.attack_value, d=found.defence_value)
    if found.wins:
        return Say("{values}: wins by {n}", values=values, n=found.difference), "ok"
    return Say("{values}: allowed, but nothing happens", values=values), "accent"


def _area_rows(state: GameState, acts: Acts, draft: AttackDraft) -> tuple[Item, ...]:
    season = season_of(slice_of(state), state.step.stage).split(" ")[0]
    notes = {
        "winter": Say("Winter: double supply, no landings"),
        "spring": Say("Spring: no two armies in one area"),
        "fall": Say("Fall: no breakthrough there"),
    }
    rows = () if can_declare(state) else (_side_row(state, acts, draft),)
    target = Typed(draft.target) if draft.target else Say("Which area is attacked?")
    turn_winter = acts.put("winter", edit(lambda d: replace(d, winter=not d.winter)))
    leave = acts.put("leave", take_up(AttackDraft()))
    return (
        *rows,
        Item("target", target, Say("Name of the area"), act=acts.put("target", ask_target(state, draft))),
        Item(
            "area", Name("area_kind", draft.area), Say("Kind of area"), act=acts.put("area", ask_area_kind())
        ),
        Item(
            "winter",
            Say("North of the winter line"),
            notes.get(season, Say("Changes nothing in Summer")),
            act=turn_winter,
            facet=Tick(draft.winter),
        ),
        Item("leave", Say("All attacks"), Say("What was entered here is dropped"), act=leave),
    )


def _side_row(state: GameState, acts: Acts, draft: AttackDraft) -> Item:
    side, other = attacking_side(state, draft), defending_side(state, draft)
    return Item(
        "side",
        Say("Attackers: {side}", side=side_or_nobody(side)),
        Say("Tap to let the other side attack"),
        mark=side_mark(state.frozen_setup, side),
        act=acts.put("side", edit(lambda d: replace(d, side=other, attackers=(), defenders=()))),
    )


def _attacker_rows(state: GameState, acts: Acts, draft: AttackDraft) -> tuple[Item, ...]:
    has_fort = any(one.kind == "fort" for one in draft.defenders)
    full = judged(state, attack_of(draft))
    fighting = _fed(state, draft).fighting
    rows = []
    for i, attacker in enumerate(draft.attackers):
        value = attack_value(attacker, slice_of(state).tables, has_fort, full.reorganized)
        parts: list[Value] = [Typed(attacker.origin)] if attacker.origin else []
        parts.append(Name("short_way", way_of(attacker)))
        if attacker.landing:
            parts.append(Say("lands"))
        if draft.defenders and fighting and attacker not in fighting:
            parts.append(Say("takes no part"))
        own = changed(attacker.unit, loaded=False) if attacker.landing else attacker.unit
        rows.append(
            Item(
                f"attacker.{i}",
                _name(own),
                several(parts, "comma"),
                value,
                _mark(state, attacker.unit),
                unit_symbol(state, attacker.unit.kind),
                act=acts.put(f"attacker.{i}", ask_change_attacker(draft, i, slice_of(state).tables)),
            )
        )
    return tuple(rows)


def _defender_rows(state: GameState, acts: Acts, draft: AttackDraft) -> tuple[Item, ...]:
    full = judged(state, attack_of(draft))
    facing = _fed(state, draft).facing
    rows = []
    for i, one in enumerate(full.defenders):
        is_open = one.kind == "fort" and one.fort_value is None
        value = Typed("–") if is_open else defence_value(one, slice_of(state).tables, full.reorganized)
        is_out = draft.attackers and facing and one not in facing
        act = acts.put(f"defender.{i}", ask_change_defender(draft, i, slice_of(state).tables))
        sub = Say("takes no part") if is_out else Typed(draft.target) if draft.target else None
        symbol = unit_symbol(state, one.kind)
        rows.append(Item(f"defender.{i}", _name(one), sub, value, _mark(state, one), symbol, act=act))
    return tuple(rows)


def _need_row(state: GameState, draft: AttackDraft) -> Item:
    attack = judged(state, attack_of(draft))
    needed = supply_needed(attack, slice_of(state).tables) if draft.attackers else 1
    alone = landing_supply(attack)
    parts = []
    if attack.season == "winter" and attack.winter_zone:
        parts.append(Say("double in Winter"))
    if by_road(attack, slice_of(state).tables) > 1:
        parts.append(Say("by road, one per land unit"))
    if alone:
        parts.append(Say.counted("{n} for the landing alone", "{n} for the landings alone", alone))
    parts.append(Say("check the reach yourself"))
    return Item("need", Say("At least {n} needed", n=needed), several(parts, "comma"))


def _share(number: int) -> Draft[AttackDraft]:
    return edit(lambda d: replace(d, shared=toggled(d.shared, number)))


def _supply_rows(state: GameState, acts: Acts, draft: AttackDraft) -> tuple[Item, ...]:
    rows = [_need_row(state, draft)]
    for spent in shareable(slice_of(state)) if can_declare(state) else ():
        where = [
            Typed(d.attack.target)
            for d in slice_of(state).attacks
            if spent.number in d.supplies and not d.dropped
        ]
        key = f"shared.{spent.number}"
        rows.append(
            Item(
                key,
                Say("{nation}: {unit}", nation=nation(spent.unit.nation), unit=unit(spent.unit.kind)),
                Say("used up already for {areas}", areas=several(where, "comma"))
                if where
                else Say("used up already"),
                act=acts.put(key, _share(spent.number)),
                facet=Tick(spent.number in draft.shared),
            )
        )
    return tuple(rows)


def _result_rows(state: GameState, draft: AttackDraft) -> tuple[Item, ...]:
    is_landing = is_unopposed(attack_of(draft))
    if not draft.attackers or not (draft.defenders or is_landing):
        return (Item("none", Say("Enter who attacks and who defends"), state="muted"),)
    faults, found = faults_of(state, draft), _fed(state, draft)
    rows = [Item(f"fault.{n}", fault, state="danger") for n, fault in enumerate(faults)]
    if is_landing:
        text = Say("No combat; the area is taken at the end of the combat phase")
        rows.append(Item("empty", text, state="ok"))
        lost = attackers_lost(
            attack_of(draft),
            is_taken=True,
            advanced=(),
            is_stranded_lost=False,
            is_unopposed=True,
            is_one_use=says(state, "one_use", "landing"),
        )
        craft = (
            Say("The Landing Craft is lost after the attack")
            if lost
            else Say("The Landing Craft is not lost")
        )
        rows.append(Item("kept", craft, Say("No breakthrough after a landing")))
        return tuple(rows)
    if found.wins:
        for n, removal in enumerate(found.removals, 1):
            goes = (
                Say("Back one area or lost: {units}", units=listed(removal.retreating))
                if removal.retreating
                else Say("a Fort holds the rest")
                if removal.staying and _holds(removal.staying)
                else Say("the others stay")
                if removal.staying
                else Say("nobody is left")
            )
            text = Say("Choice {n}: lose {units}", n=n, units=listed(removal.units))
            rows.append(Item(f"choice.{n}", text, goes, state="ok"))
        rows.append(_possession_row(found))
    if found.may_retreat_before:
        text = Say("May leave before the combat: {units}", units=listed(found.may_retreat_before))
        rows.append(Item("early", text, Say("No aircraft attacks")))
    if found.landing_craft_lost:
        rows.append(Item("craft", Say("The Landing Craft is lost after the attack")))
    return (*rows, *_planner_rows(state, _supplied(state, draft), found))


def _holds(units: Sequence[Unit]) -> bool:
    return any(unit.kind == "fort" for unit in units)


def _possession_row(found: Verdict) -> Item:
    if found.possession:
        return Item("take", Say("A land unit that advances takes the area"))
    return Item("take", Say("No possession: ships and aircraft can only control"))


def _planner_rows(state: GameState, attack: Attack, found: Verdict) -> tuple[Item, ...]:
    if found.wins:
        return ()
    plans = planner(attack, slice_of(state).tables, attack.attackers[0].unit.nation)
    if not plans:
        return (Item("plan", Say("No single extra unit would win this attack"), state="muted"),)
    rows = []
    for plan in plans:
        more = Say("Landing Craft with an Infantry") if plan.kind == "landing_craft" else unit(plan.kind)
        sub = Say.counted(
            "{a} against {d} with {n} supply, from a separate area",
            "{a} against {d} with {n} supplies, from a separate area",
            plan.supplies_needed,
            a=plan.attack_value,
            d=plan.defence_value,
        )
        rows.append(Item(f"plan.{plan.kind}", Say("One more would win: {unit}", unit=more), sub))
    return tuple(rows)
