"""Both sides' forces of an attack of The Soft Underbelly as tiles on one page, with the supply that it uses up.

A tap is one more, from the area and by the way at hand; what is special about a unit is entered in the details.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from msgspec.structs import replace as changed

from companion.core.state import GameState
from companion.core.text import Say, Typed, nation
from companion.games.tsu.names import side_or_nobody
from companion.games.tsu.pages.ask import ask_target, ask_way, unit_options
from companion.games.tsu.pages.attack_list import attacking_side, can_declare, defending_side
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
)
from companion.games.tsu.pages.fight import all_attacks, turn_to
from companion.games.tsu.pages.ruled import deciding
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.attack import supply_needed
from companion.games.tsu.rules.combat import SUPPLY_KINDS, judged
from companion.games.tsu.rules.legality import is_unopposed
from companion.games.tsu.rules.state import SIDE_OF, slice_of
from companion.games.tsu.rules.units import Unit
from companion.pages.page import (
    Acts,
    Button,
    Draft,
    Head,
    Item,
    Page,
    Send,
    Shown,
    Side,
    Sides,
    Tiles,
)
from companion.pages.parts import counting, nation_mark, side_mark, taking_tool
from companion.pages.rulings import ruling_tools
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["declare", "forces_page", "removal", "side_heads", "supply_tiles"]


def planned(by: int) -> Draft[AttackDraft]:
    """Return an act that has more or fewer supplies for an attack that is only tried out."""
    return edit(lambda d: replace(d, supplies=min(9, max(0, d.supplies + by))))


_MOST_SPENT = 4
"""Supplies of a nation and kind that one attack can use up."""


def spend(key: str, by: int) -> Draft[AttackDraft]:
    """Return an act that uses up more or fewer supplies of a nation and kind."""
    return edit(
        lambda d: replace(d, spent={**d.spent, key: min(_MOST_SPENT, max(0, d.spent.get(key, 0) + by))})
    )


def declare(state: GameState, draft: AttackDraft) -> Send:
    """Return the declaration of what was entered."""
    command = cm.DeclareAttack(state.step.id, attack_of(draft), spent_units(draft), draft.shared)
    return Send(command, then=take_up(AttackDraft()))


def forces_page(state: GameState, acts: Acts, draft: AttackDraft, lead: Say, faults: Sequence[Say]) -> Shown:
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

    across = _SIDE_BY_SIDE
    attackers = Tiles("attackers", _tiles(state, acts, draft, "attacker", attacker), columns=across)
    defenders = Tiles("defenders", _tiles(state, acts, draft, "defender", defender), columns=across)
    heads = side_heads(state, draft)
    where = Say("From {area}", area=Typed(draft.origin)) if draft.origin else Say("Choose the origin")
    if draft.way == "inside":
        where = Say("From inside")
    begin = ask_target(state, draft) if not draft.target else ask_way(state, draft, lambda _entered: None)
    tools = (
        Button(where if draft.target else Say("Choose the area"), acts.put("from", begin)),
        removal(acts, draft),
        Button(Say("Details"), acts.put("details", turn_to("units"))),
    )
    title = Say("Attack on {area}", area=Typed(draft.target) if draft.target else Say("an area"))
    main = _main(state, acts, draft, lead, faults) if can_declare(state) else all_attacks(acts)
    leave = acts.put("leave", take_up(AttackDraft()))
    page = Page(
        "edit.forces",
        title,
        None if can_declare(state) else lead,
        "muted",
        tools=(*tools, *ruling_tools(state, acts, deciding(state, draft))),
        blocks=(
            Sides(
                "forces",
                (
                    Side("attackers", heads[0], (attackers,)),
                    Side("defenders", heads[1], (defenders,)),
                ),
            ),
            *supply_tiles(state, acts, draft),
        ),
        main=main,
        back=leave,
    )
    return Shown(page, acts)


def side_heads(state: GameState, draft: AttackDraft) -> tuple[Head, Head]:
    """Return the heads of both halves: which side attacks and which defends, with how many units."""

    def head(key: str, of: str, role: Say, count: int) -> Head:
        return Head(key, side_or_nobody(of), role, count, side_mark(state.frozen_setup, of))

    return (
        head("attackers", attacking_side(state, draft), Say("attack"), len(draft.attackers)),
        head("defenders", defending_side(state, draft), Say("defend"), len(draft.defenders)),
    )


def _main(state: GameState, acts: Acts, draft: AttackDraft, lead: Say, faults: Sequence[Say]) -> Button:
    """Return the declaration with what comes of it, or what is missing for it; a rule that forbids it is told at a tap."""
    attack = judged(state, attack_of(draft))
    if not faults and draft.target:
        return Button(Say("Declare: {what}", what=lead), acts.put("declare", declare(state, draft)))
    is_whole = draft.attackers and (draft.defenders or is_unopposed(attack_of(draft)))
    if not draft.target or not is_whole:
        missing = Say("Enter the area that is attacked") if is_whole else lead
        return Button(missing, why_not=missing)
    short = supply_needed(attack, slice_of(state).tables) - len(spent_units(draft)) - len(draft.shared)
    if len(faults) == 1 and short > 0:
        needed = Say.counted("Declare: {n} more supply needed", "Declare: {n} more supplies needed", short)
        return Button(needed, why_not=needed)
    return Button(Say("Not allowed: see why"), acts.put("why", turn_to("result")))


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
    known: list[
        Unit
    ] = []  # one tile also for those that stand beside each other differently, such as aboard and not
    for one in there:
        if not any(_is_same(one, other) for other in (*found, *known)):
            known.append(one)
    kinds = list(slice_of(state).tables.units)

    def rank(one: Unit) -> tuple[bool, bool, int]:
        is_rare = one.kind in _RARE or (one.kind == "fort" and one.name != draft.target)
        return is_rare, not one.name, kinds.index(one.kind) if one.kind in kinds else 0

    tiles = []
    for one in sorted((*known, *found), key=rank):
        count = sum(_is_same(one, other) for other in there)
        key = f"{which}.{one.nation}.{one.name or one.kind}"
        item = Item(
            key,
            Typed(_short(one.name)) if one.name else unit_short(state, one.kind),
            mark=nation_mark(state.frozen_setup, one.nation),
            symbol=unit_symbol(state, one.kind),
            state="chosen" if count else "plain",
        )
        act = acts.put(key, turned(one))
        tiles.append(counting(item, count, act, act, takes=draft.is_taking))
    return tuple(tiles)


def _short(name: str) -> str:
    """Return a unit's own name as a tile has room for it: a long one by its first word."""
    return name if len(name) <= _LETTERS else name.split(maxsplit=1)[0]


_LETTERS = 12


def removal(acts: Acts, draft: AttackDraft) -> Button:
    """Return the tool that turns taps on tiles into taking off."""
    return taking_tool(acts, edit(lambda d: replace(d, is_taking=not d.is_taking)), is_on=draft.is_taking)


def supply_tiles(
    state: GameState, acts: Acts, draft: AttackDraft, *, by_nation: bool = False
) -> tuple[Tiles, ...]:
    """Return what is used up, or, where an attack is only tried out, how many supplies there would be.

    On one line, or a line for each nation.
    """
    by = -1 if draft.is_taking else 1
    if not can_declare(state):
        act = acts.put("plan", planned(by))
        plan = Item("plan", Say("Supplies at hand"), symbol=unit_symbol(state, "supply"))
        return (Tiles("supply", (changed(plan, value=draft.supplies, act=act),)),)
    tiles: dict[str, list[Item]] = {}
    for one, of in SIDE_OF.items():
        for kind in SUPPLY_KINDS if of == attacking_side(state, draft) else ():
            key, count = f"{one}.{kind}", draft.spent.get(f"{one}.{kind}", 0)
            mark = None if by_nation else nation_mark(state.frozen_setup, one)
            act = acts.put(key, spend(key, by))
            item = Item(key, unit_short(state, kind), mark=mark, symbol=unit_symbol(state, kind))
            item = changed(item, state="chosen" if count else "plain")
            item = counting(item, count, act, act, takes=draft.is_taking, most=_MOST_SPENT)
            tiles.setdefault(one if by_nation else "", []).append(item)
    return tuple(
        Tiles(
            f"supply.{whose}",
            tuple(some),
            # It stands below both sides: whose it is, stands beside it.
            nation(whose) if by_nation else Say("pays"),
            nation_mark(state.frozen_setup, whose)
            if by_nation
            else side_mark(state.frozen_setup, attacking_side(state, draft)),
            columns=max(4, len(some)),
        )
        for whose, some in tiles.items()
    )
