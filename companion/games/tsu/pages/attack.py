"""The Attack screen of The Soft Underbelly: the list of attacks, the calculator, the planner, the fight.

`attack_page` turns the state and what is being entered (`AttackDraft`) into one page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from msgspec.structs import replace as changed

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
    unit_options,
)
from companion.games.tsu.pages.attack_list import attacking_side, can_declare, defending_side, list_page
from companion.games.tsu.pages.draft import (
    AttackDraft,
    add_attacker,
    add_defender,
    attack_of,
    change_attacker,
    change_defender,
    edit,
    spent_units,
    take_up,
    way_of,
)
from companion.games.tsu.pages.fight import all_attacks, done_page, fight_page, toggled, turn_to
from companion.games.tsu.pages.tell import attackers_say
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.attack import Verdict, by_road, landing_supply, planner, supply_needed, verdict
from companion.games.tsu.rules.combat import SUPPLY_KINDS, declared_faults, judged, shareable
from companion.games.tsu.rules.forces import Attack, attack_value, defence_value
from companion.games.tsu.rules.legality import is_unopposed
from companion.games.tsu.rules.state import SIDE_OF, season_of, slice_of
from companion.games.tsu.rules.units import Unit
from companion.pages.page import (
    Act,
    Acts,
    Button,
    Counter,
    Draft,
    Item,
    Mark,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    Side,
    Sides,
    Sight,
    Tick,
    Tiles,
)
from companion.pages.parts import nation_mark, side_mark
from companion.pages.symbols import unit_short, unit_symbol

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
    return list_page(state, _begin(state))


def _begin(state: GameState) -> Act:
    """Open a new attack and ask at once for its area, and from where and how the first units come."""
    new = AttackDraft("edit", tab="forces")
    target = ask_target(state, new, lambda entered: ask_way(state, entered, lambda _entered: None))
    return Draft(lambda _draft: new, AttackDraft(), target)


# The calculator


def _mark(state: GameState, unit: Unit) -> Mark:
    return nation_mark(state.frozen_setup, unit.nation)


def _faults(state: GameState, draft: AttackDraft) -> tuple[Say, ...]:
    if can_declare(state):
        return declared_faults(state, attack_of(draft), spent_units(draft), draft.shared)
    return verdict(judged(state, attack_of(draft)), slice_of(state).tables).faults


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


def _edit_page(state: GameState, draft: AttackDraft) -> Shown:
    acts = Acts()
    faults = _faults(state, draft)
    found = _fed(state, draft)
    tabs = {
        "area": Say("Area"),
        "attackers": Say("Attackers"),
        "defenders": Say("Defenders"),
        "supply": Say("Supplies"),
        "result": Say("Result"),
    }
    tab = draft.tab or "forces"
    lead, tone = _lead(draft, found, faults)
    if tab == "forces":
        return _forces_page(state, acts, draft, lead, faults)
    if tab == "result":
        rows = _result_rows(state, draft)
    else:
        makers = {
            "area": _area_rows,
            "attackers": _attacker_rows,
            "defenders": _defender_rows,
            "supply": _supply_rows,
        }
        rows = makers[tab](state, acts, draft)
    main = all_attacks(acts) if not can_declare(state) else Button(Say("Declare the attack"), why_not=lead)
    if can_declare(state) and not faults and draft.target:
        main = Button(main.title, acts.put("declare", _declare(state, draft)))
    page = Page(
        f"edit.{tab}",
        Say("Attack on {area}", area=Typed(draft.target) if draft.target else Say("an area")),
        lead,
        tone,
        tabs=tuple(Item(key, name, act=acts.put(f"tab.{key}", turn_to(key))) for key, name in tabs.items()),
        tab=tab,
        blocks=(Rows(tab, rows, empty=Say("Nobody yet"), is_wide=tab in ("area", "result")),),
        main=main,
        second=Button(Say("Forces"), acts.put("forces", turn_to("forces")), "back"),
    )
    return Shown(page, acts)


def _declare(state: GameState, draft: AttackDraft) -> Send:
    command = cm.DeclareAttack(state.step.id, attack_of(draft), spent_units(draft), draft.shared)
    return Send(command, then=take_up(AttackDraft()))


# Forces: both sides and the supply at once


def _forces_page(state: GameState, acts: Acts, draft: AttackDraft, lead: Say, faults: Sequence[Say]) -> Shown:
    """Return who attacks, who defends and what is used up as tiles: a tap is one more, from the area and by the way at hand."""
    tables, is_taking = slice_of(state).tables, draft.is_taking

    def attacker(one: Unit) -> Draft[AttackDraft]:
        if is_taking:
            at = max((n for n, a in enumerate(draft.attackers) if _is_same(a.unit, one)), default=-1)
            return edit(lambda d: change_attacker(d, at, None) if at >= 0 else d)
        return edit(lambda d: add_attacker(d, one, tables))

    def defender(one: Unit) -> Draft[AttackDraft]:
        if is_taking:
            at = max((n for n, d in enumerate(draft.defenders) if _is_same(d, one)), default=-1)
            return edit(lambda d: change_defender(d, at, None) if at >= 0 else d)
        return edit(lambda d: add_defender(d, one))

    attackers = _tiles(state, acts, draft, "attacker", attacker)
    defenders = _tiles(state, acts, draft, "defender", defender)
    where = Typed(draft.origin) if draft.origin else Say("From where?")
    if draft.way == "inside":
        where = Say("From inside")
    begin = ask_target(state, draft) if not draft.target else ask_way(state, draft, lambda _entered: None)
    take = edit(lambda d: replace(d, is_taking=not is_taking))
    tools = (
        Button(where if draft.target else Say("Which area?"), acts.put("from", begin), "edit"),
        Button(Say("Take off"), acts.put("taking", take), is_on=is_taking),
        Button(Say("Details"), acts.put("details", turn_to("attackers"))),
    )
    title = Say("Attack on {area}", area=Typed(draft.target) if draft.target else Say("an area"))
    main = _main(state, acts, draft, lead, faults) if can_declare(state) else all_attacks(acts)
    leave = acts.put("leave", take_up(AttackDraft()))
    page = Page(
        "edit.forces",
        title,
        None if can_declare(state) else lead,
        "muted",
        tools=tools,
        blocks=(
            Sides(
                "forces",
                (
                    Side("attackers", None, (Tiles("attackers", attackers, columns=_SIDE_BY_SIDE),)),
                    Side("defenders", None, (Tiles("defenders", defenders, columns=_SIDE_BY_SIDE),)),
                ),
            ),
            _supply_tiles(state, acts, draft),
        ),
        main=main,
        back=leave,
    )
    return Shown(page, acts)


def _main(state: GameState, acts: Acts, draft: AttackDraft, lead: Say, faults: Sequence[Say]) -> Button:
    """Return the declaration with what comes of it, or what is missing for it; a rule that forbids it is told at a tap."""
    attack = judged(state, attack_of(draft))
    if not faults and draft.target:
        return Button(Say("Declare: {what}", what=lead), acts.put("declare", _declare(state, draft)))
    if not draft.target or not draft.attackers or not (draft.defenders or is_unopposed(attack_of(draft))):
        return Button(lead, why_not=lead)
    short = supply_needed(attack, slice_of(state).tables) - len(spent_units(draft)) - len(draft.shared)
    if len(faults) == 1 and short > 0:
        needed = Say.counted("Declare: {n} more supply needed", "Declare: {n} more supplies needed", short)
        return Button(needed, why_not=needed)
    return Button(Say("Not allowed: why?"), acts.put("why", Refuse(lead)))


_SIDE_BY_SIDE = 3


def _is_same(one: Unit, other: Unit) -> bool:
    """Say whether two units are the same piece, whatever is aboard."""
    return (one.kind, one.nation, one.name) == (other.kind, other.nation, other.name)


_RARE = ("carrier", "landing_craft", "strategic", "supply", "convoy")
"""Kinds that stand behind all others."""


def _tiles(
    state: GameState,
    acts: Acts,
    draft: AttackDraft,
    which: str,
    turned: Callable[[Unit], Draft[AttackDraft]],
) -> tuple[Item, ...]:
    """Return the units of a side: those that are there first, then named ones, kind by kind, what is rare last."""
    defends = which == "defender"
    side = defending_side(state, draft) if defends else attacking_side(state, draft)
    there = list(draft.defenders) if defends else [a.unit for a in draft.attackers]
    found = [one for one, _item in unit_options(state, side, defends=defends)]
    known = [one for one in there if not any(_is_same(one, other) for other in found)]
    kinds = list(slice_of(state).tables.units)

    def rank(one: Unit) -> tuple[bool, bool, int]:
        is_rare = one.kind in _RARE or (one.kind == "fort" and one.name != draft.target)
        return is_rare, not one.name, kinds.index(one.kind) if one.kind in kinds else 0

    tiles = []
    for one in sorted((*dict.fromkeys(known), *found), key=rank):
        count = sum(_is_same(one, other) for other in there)
        key = f"{which}.{one.nation}.{one.name or one.kind}"
        item = Item(
            key,
            Typed(_short(one.name)) if one.name else unit_short(state, one.kind),
            mark=_mark(state, one),
            symbol=unit_symbol(state, one.kind),
            state="chosen" if count else "plain",
        )
        act = acts.put(key, turned(one))
        if draft.is_taking:
            tiles.append(changed(item, value=count or None, act=act if count else None))
        else:
            tiles.append(changed(item, facet=Counter(count, more=act)))
    return tuple(tiles)


def _short(name: str) -> str:
    """Return a unit's own name as a tile has room for it: a long one by its first word."""
    return name if len(name) <= _LETTERS else name.split(maxsplit=1)[0]


_LETTERS = 12


def _supply_tiles(state: GameState, acts: Acts, draft: AttackDraft) -> Tiles:
    """Return what is used up, or, where an attack is only tried out, how many supplies there would be."""
    by = -1 if draft.is_taking else 1
    if not can_declare(state):
        act = acts.put("plan", _planned(by))
        plan = Item("plan", Say("Supplies at hand"), symbol=unit_symbol(state, "supply"))
        return Tiles("supply", (changed(plan, value=draft.supplies, act=act),))
    tiles = []
    for one, of in SIDE_OF.items():
        for kind in SUPPLY_KINDS if of == attacking_side(state, draft) else ():
            key, count = f"{one}.{kind}", draft.spent.get(f"{one}.{kind}", 0)
            mark = nation_mark(state.frozen_setup, one)
            act = acts.put(key, _spend(key, by))
            item = Item(key, unit_short(state, kind), mark=mark, symbol=unit_symbol(state, kind))
            item = changed(item, state="chosen" if count else "plain")
            tiles.append(changed(item, facet=Counter(count, more=act)) if by > 0 else
                         changed(item, value=count or None, act=act if count else None))  # fmt: skip
    return Tiles("supply", tuple(tiles), columns=max(4, len(tiles)))


def _lead(draft: AttackDraft, found: Verdict, faults: Sequence[Say]) -> tuple[Say, str]:
    is_landing = is_unopposed(attack_of(draft))
    if not draft.attackers or not (draft.defenders or is_landing):
        return Say("Enter the area, who attacks and who defends"), "muted"
    if faults:
        why = faults[0]
        more = len(faults) - 1
        return (
            Say.counted("{why} ({n} more reason)", "{why} ({n} more reasons)", more, why=why) if more else why
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
    add = acts.put("add", ask_attacker(state, draft))
    origin = Typed(draft.origin or "…")
    change_way = acts.put("from", ask_way(state, draft, lambda _entered: None))
    rows = [
        Item("add", Say("Add a unit"), Say("{n} so far", n=len(draft.attackers)), act=add),
        Item("from", Say("From {area}", area=origin), Name("way", draft.way), act=change_way),
    ]
    for i, attacker in enumerate(draft.attackers):
        value = attack_value(attacker, slice_of(state).tables, has_fort, full.reorganized)
        parts: list[Value] = [Say("value {n}", n=value)]
        if attacker.origin:
            parts.append(Typed(attacker.origin))
        parts.append(Name("short_way", way_of(attacker)))
        if attacker.landing:
            parts.append(Say("lands"))
        if draft.defenders and fighting and attacker not in fighting:
            parts.append(Say("takes no part"))
        own = changed(attacker.unit, loaded=False) if attacker.landing else attacker.unit
        rows.append(
            Item(
                f"attacker.{i}",
                in_full(own),
                several(parts, "comma"),
                mark=_mark(state, attacker.unit),
                act=acts.put(f"attacker.{i}", ask_change_attacker(draft, i, slice_of(state).tables)),
            )
        )
    return tuple(rows)


def _defender_rows(state: GameState, acts: Acts, draft: AttackDraft) -> tuple[Item, ...]:
    full = judged(state, attack_of(draft))
    facing = _fed(state, draft).facing
    add = acts.put("add", ask_defender(state, draft))
    rows = [Item("add", Say("Add a unit"), Say("{n} so far", n=len(draft.defenders)), act=add)]
    for i, one in enumerate(full.defenders):
        is_open = one.kind == "fort" and one.fort_value is None
        value = Typed("–") if is_open else defence_value(one, slice_of(state).tables, full.reorganized)
        parts: list[Value] = [Say("value {n}", n=value)]
        if draft.attackers and facing and one not in facing:
            parts.append(Say("takes no part"))
        act = acts.put(f"defender.{i}", ask_change_defender(draft, i))
        sub, badge = several(parts, "comma"), _mark(state, one)
        rows.append(Item(f"defender.{i}", in_full(one), sub, mark=badge, act=act))
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


def _planned(by: int) -> Draft[AttackDraft]:
    return edit(lambda d: replace(d, supplies=min(9, max(0, d.supplies + by))))


def _spend(key: str, by: int) -> Draft[AttackDraft]:
    return edit(lambda d: replace(d, spent={**d.spent, key: min(4, max(0, d.spent.get(key, 0) + by))}))


def _share(number: int) -> Draft[AttackDraft]:
    return edit(lambda d: replace(d, shared=toggled(d.shared, number)))


def _supply_rows(state: GameState, acts: Acts, draft: AttackDraft) -> tuple[Item, ...]:
    rows = [_need_row(state, draft)]
    if not can_declare(state):
        less, more = acts.put("plan.less", _planned(-1)), acts.put("plan.more", _planned(1))
        counter = Counter(draft.supplies, less, more, most=9)
        return (*rows, Item("plan", Say("Supplies at hand"), facet=counter))
    side = attacking_side(state, draft)
    for spent in shareable(slice_of(state)):
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
    for one, of in SIDE_OF.items():
        for kind in SUPPLY_KINDS if of == side else ():
            key = f"{one}.{kind}"
            less, more = acts.put(f"{key}.less", _spend(key, -1)), acts.put(f"{key}.more", _spend(key, 1))
            text = Say("{nation}: {unit}", nation=nation(one), unit=unit(kind))
            rows.append(Item(key, text, facet=Counter(draft.spent.get(key, 0), less, more, most=4)))
    return tuple(rows)


def _result_rows(state: GameState, draft: AttackDraft) -> tuple[Item, ...]:
    is_landing = is_unopposed(attack_of(draft))
    if not draft.attackers or not (draft.defenders or is_landing):
        return (Item("none", Say("Enter who attacks and who defends"), state="muted"),)
    faults, found = _faults(state, draft), _fed(state, draft)
    rows = [Item(f"fault.{n}", fault, state="danger") for n, fault in enumerate(faults)]
    if is_landing:
        text = Say("No combat; the area is taken at the end of the combat phase")
        rows.append(Item("empty", text, state="ok"))
        rows.append(
            Item("kept", Say("The Landing Craft is not lost"), Say("No breakthrough after a landing"))
        )
        return tuple(rows)
    rows += [
        Item("attack", Say("Attack {n}", n=found.attack_value), attackers_say(found.fighting)),
        Item("defence", Say("Defence {n}", n=found.defence_value), listed(found.facing)),
    ]
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
