"""Composing a battle: a tile for every unit that can be there on both sides, the groups in detail, what is still missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Share, Typed, Value, nation, several, unit
from companion.core.text import side as side_name
from companion.games.sfw.pages.battle_draft import BattleDraft, all_battles, look
from companion.games.sfw.pages.battle_fight import nation_tiles
from companion.games.sfw.pages.battle_group import ask_circumstances, ask_group
from companion.games.sfw.pages.battle_odds import OddsView, battle_odds
from companion.games.sfw.pages.spaces import ask_space
from companion.games.sfw.pages.tell import counts_say
from companion.games.sfw.pages.units import enter_button
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import (
    ATTACKING,
    DEFENDING,
    SIDES,
    Battle,
    Group,
    ProblemCode,
    may_unload,
)
from companion.games.sfw.rules.battle_fire import has_twelves, missing
from companion.games.sfw.rules.battle_legal import used_count, why_not_bomb, why_not_fire, why_used
from companion.games.sfw.rules.battle_losses import CHEAPEST
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_setup import TRANSPORTS
from companion.games.sfw.rules.battle_state import (
    acting_side,
    battles_of,
    edition_of,
    fight_of,
    problems_of,
    side_id,
)
from companion.games.sfw.rules.battle_unsaid import Unsaid, unsaid
from companion.games.sfw.rules.named import colour
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import UnitSpec
from companion.pages.needs import enter_first, entry_of
from companion.pages.page import (
    Act,
    Acts,
    Button,
    Head,
    Item,
    Page,
    Refuse,
    Rows,
    Send,
    Side,
    Sides,
    Sight,
    Tiles,
)
from companion.pages.parts import nation_mark, refusal_words, side_mark, tapping
from companion.pages.rulings import ruling_block
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["compose_page", "composed", "fault_of", "supporters"]

_SUPPORT = "support"
_FEW = 20
"""Units of a battle whose odds are known at once, so that they stand on their button."""
_ON_TWO_LINES = 8
"""Tiles of a nation that have room on two lines of its side."""
_AWAY = 1
"""How many spaces away a supporter stands until the table says otherwise."""


def compose_page(sight: Sight, acts: Acts, declared: Declared, draft: BattleDraft) -> Page:
    """Return the tiles of both sides, or their groups in detail."""
    state = sight.state
    tabs = _tabs(declared.battle)
    tab = draft.tab if draft.tab in tabs else tabs[0]
    is_detailed = draft.page == "details"
    details = (_details(state, acts, declared), *ruling_block(state, acts, _deciding(state, declared)))
    turned = Button(
        Say("Details"), acts.put("details", look(page="" if is_detailed else "details")), is_on=is_detailed
    )
    space = Button(Say("Space"), acts.put("space", ask_circumstances(state, declared)))
    taking = Button(
        Say("Remove"), acts.put("taking", look(is_taking=not draft.is_taking)), "minus",
        is_on=draft.is_taking,
    )  # fmt: skip
    odds = Button(_odds_words(sight, declared), acts.put("odds", look(page="odds")), "chart")
    return Page(
        f"{declared.id}.{'details' if is_detailed else tab}",
        Say("{id}  {space}", id=Typed(declared.id), space=space_of(declared.space)),
        _landing_note(state, declared.battle) if is_detailed else None,
        "muted",
        tools=(odds, space, turned)
        if is_detailed
        else (*_counted(state, acts, declared), odds, taking, turned),
        tabs=() if is_detailed else tuple(_tab(acts, key) for key in tabs),
        tab=tab,
        blocks=details if is_detailed else (_both(state, acts, declared, tab, draft),),
        main=_main(state, acts, declared),
        second=_beside(state, acts),
    )


def _left_open(state: GameState, declared: Declared) -> tuple[Unsaid, ...]:
    """Return what nobody has said of a battle that is still composed."""
    return unsaid(declared.battle, edition_of(state), unit_table_of(state))


def _counted(state: GameState, acts: Acts, declared: Declared) -> tuple[Button, ...]:
    """Return what a tap says of artillery of which nobody said whether it moved: until then it counts as not moved.

    Asking for it before every battle would cost a tap in most of them.
    Source: rulebook v0.96, Abilities, Deployed; first edition, Standard Unit Abilities and Limitations, Deployed
    """
    one = next((one for one in _left_open(state, declared) if one.counted == "stayed"), None)
    if one is None:
        return ()
    group = composed(declared, one.side)[one.group]
    moved = Send(bc.SetGroup(declared.id, one.side, one.group, replace(group, moved=True)))
    return (Button(Say("{unit} moved", unit=unit(group.unit)), acts.put("counted", moved), is_on=False),)


def _beside(state: GameState, acts: Acts) -> Button:
    """Return the way on while battles are declared: to the next one at once; later to the list of them."""
    if acting_side(state) is None or state.step.act != "declare":
        return all_battles(acts)
    return Button(Say("Another battle"), acts.put("another", look(page="where")))


def _odds_words(sight: Sight, declared: Declared) -> Value:
    """Return the chance to take the space, where it is known at once; else what shows it."""
    state = sight.state
    few = 0 < sum(group.count for group in _all_groups(declared)) <= _FEW
    if not few or fault_of(state, declared) is not None:
        return Say("Odds")

    def work() -> tuple[OddsView | None]:
        return (battle_odds(state, declared),)

    done = sight.work(("odds", declared, CHEAPEST, state.printed), work)
    found = None if done is None else done[0]
    if found is None:
        return Say("Odds")
    if movers := declared.battle.movers:
        return Say("Past {share}", share=Share(found.odds.p_through(movers), 0))
    return Say("Taken {share}", share=Share(found.odds.p_capture, 0))


def _deciding(state: GameState, declared: Declared) -> Iterator[str]:
    """Yield the open points of the rules that bear on a battle as it is composed."""
    table = unit_table_of(state).units
    if any(
        group.unit in table and table[group.unit].standard in TRANSPORTS and not group.cargo
        for group in declared.battle.attacking
    ):
        yield "empty_transports"
    steps = edition_of(state).deployed_steps
    if declared.battle.movement_step in steps and any(
        group.moved and group.unit in table and table[group.unit].has("deployed")
        for group in _all_groups(declared)
    ):
        yield "deployed_step"
    if any(
        unit in table and table[unit].anti_air and has_twelves(table[unit])
        for unit in (group.unit for group in _all_groups(declared))
    ):
        yield "anti_air_abilities"


def _tabs(battle: Battle) -> tuple[str, ...]:
    return ("sea" if battle.terrain == "sea" else "land", "air", _SUPPORT)


def _all_groups(declared: Declared) -> tuple[Group, ...]:
    return (*declared.battle.attacking, *declared.battle.defending)


def composed(declared: Declared, side: str) -> tuple[Group, ...]:
    """Return the groups of a side."""
    return declared.battle.attacking if side == ATTACKING else declared.battle.defending


def _tab(acts: Acts, key: str) -> Item:
    title = Say("Supporting") if key == _SUPPORT else Name("kind", key)
    return Item(key, title, act=acts.put(f"tab.{key}", look(tab=key)))


def _both(state: GameState, acts: Acts, declared: Declared, tab: str, draft: BattleDraft) -> Sides:
    """Return both sides beside each other: a group of tiles for every nation."""
    setup = state.frozen_setup
    roles = {ATTACKING: Say("attack"), DEFENDING: Say("defend")}
    found = []
    for side in SIDES:
        of = side_id(state, declared.attacker, side)
        tiles = tuple(
            _tiles(state, acts, declared, tab, draft, side, info.id)
            for info in setup.nations
            if info.side == of
        )
        count = sum(group.count for group in composed(declared, side))
        found.append(Side(side, Head(side, side_name(of), roles[side], count, side_mark(setup, of)), tiles))
    return Sides("units", tuple(found))


def _tiles(  # noqa: PLR0917
    state: GameState, acts: Acts, declared: Declared, tab: str, draft: BattleDraft, side: str, of: str
) -> Tiles:
    """Return a tile for every kind of unit of a nation that can be there."""
    away = _AWAY if tab == _SUPPORT else 0
    kinds = _kinds(unit_table_of(state).fielded(of), declared.battle, tab)
    tiles = tuple(
        _tile(state, acts, declared, side, spec=spec, of=of, away=away, takes=draft.is_taking)
        for spec in kinds
    )
    return nation_tiles(state, f"{side}.{of}", of, tiles)


def _kinds(table: Iterable[UnitSpec], battle: Battle, tab: str) -> tuple[UnitSpec, ...]:
    """Return the kinds of a tab, with the aircraft that roll beside them where all stand on two lines."""
    kinds = tuple(table)
    own = tuple(spec for spec in kinds if _is_offered(spec, battle, tab))
    if tab in ("air", _SUPPORT):
        return own
    flying = tuple(spec for spec in kinds if spec.type == "air" and spec.fire)
    return (*own, *flying) if len(own) + len(flying) <= _ON_TWO_LINES else own


def _is_offered(spec: UnitSpec, battle: Battle, tab: str) -> bool:
    if tab == _SUPPORT:
        return supporters(spec, battle)
    if tab != spec.type:
        return False
    if tab == "air":
        return True
    if battle.terrain == "impassable":
        return False
    return not (battle.terrain == "mountain" and spec.has("heavy"))


def supporters(spec: UnitSpec, battle: Battle) -> bool:
    """Say whether a unit can take part from outside the space."""
    return spec.range != 0 or (spec.type == "sea" and bool(spec.capacity) and battle.terrain != "sea")


def _tile(
    state: GameState,
    acts: Acts,
    declared: Declared,
    side: str,
    *,
    spec: UnitSpec,
    of: str,
    away: int,
    takes: bool,
) -> Item:
    groups = [
        group
        for group in composed(declared, side)
        if (group.unit, group.nation) == (spec.id, of) and bool(group.distance) == bool(away)
    ]
    count = sum(group.count for group in groups)
    origin = "sea" if away and spec.type == "sea" and spec.range == 0 else ""
    # One that the table has set farther off is taken out where it stands.
    distance = groups[-1].distance if takes and groups else away
    by = -1 if takes else 1
    key = f"{side}.{of}.{spec.id}.{away}"
    change = acts.put(
        key,
        _change(state, declared, side, bc.ChangeUnits(declared.id, side, spec.id, of, by, distance, origin)),
    )
    item = Item(
        key,
        unit_short(state, spec.id),
        symbol=unit_symbol(state, spec.id),
        state="chosen" if count else "plain",
    )
    return tapping(item, count, change, takes=takes)


def _change(state: GameState, declared: Declared, side: str, change: bc.ChangeUnits) -> Act:
    """Add or take a unit; where one like it has fired in this step already, ask for another one and where it stands."""
    wanted = Group(change.unit, 1, change.nation, change.distance, change.origin, home=change.home)
    if change.by < 0 or not change.distance or why_used(state, declared, side, wanted) is None:
        return Send(change)
    used = used_count(state, declared, side, wanted)
    fired = Say.counted(
        "{units} has fired in this movement step. Where does the other one stand?",
        "{units} have fired in this movement step. Where does the other one stand?",
        used,
        units=Count(used, unit(change.unit)),
    )
    return ask_space(state, fired, lambda space: Send(replace(change, home=space)))


# Details


def _details(state: GameState, acts: Acts, declared: Declared) -> Rows:
    rows = []
    stayed = {(one.side, one.group) for one in _left_open(state, declared) if one.counted == "stayed"}
    for side in SIDES:
        for index, group in enumerate(composed(declared, side)):
            key = f"{side}.{index}"
            notes = tuple(_notes(state, declared.battle, side, group))
            if (side, index) in stayed:
                notes = (*notes, Say("counted as not moved"))
            told = Say(
                "{nation}: {units}", nation=nation(group.nation), units=Count(group.count, unit(group.unit))
            )
            rows.append(
                Item(
                    key,
                    told,
                    several(notes, "comma") if notes else Say("Tap for options"),
                    symbol=unit_symbol(state, group.unit),
                    mark=nation_mark(state.frozen_setup, group.nation),
                    act=acts.put(key, ask_group(state, declared, side, index)),
                )
            )
    return Rows("details", tuple(rows), empty=Say("No units are there yet."), is_wide=False)


def _notes(state: GameState, battle: Battle, side: str, group: Group) -> Iterator[Value]:
    if group.distance:
        yield Say.counted("{n} space away", "{n} spaces away", group.distance)
    if group.origin:
        yield Say("paired with {space}", space=space_of(group.origin))
    elif group.home:
        yield space_of(group.home)
    if group.terrain == "mountain" and group.distance:
        yield Say("in the mountains")
    if group.spent:
        yield Say("has fired")
    if group.moved is not None:
        yield Say("moved") if group.moved else Say("did not move")
    if group.combined:
        yield Name("fire", "combined")
    if group.choice:
        yield Name("target_choice", "air" if group.choice == "air" else "surface")
    if group.bombing:
        yield Say("{n} dice at the objective", n=group.bombing)
    yield from (colour(one) for one in group.dice)
    if group.cargo:
        lands = group.unload and may_unload(battle, unit_table_of(state).units[group.unit])
        if side == ATTACKING and battle.occasion == "battle" and not lands:
            yield Say("cargo stays aboard")
        yield counts_say((load.unit, load.count) for load in group.cargo)


# What keeps it from beginning


def _main(state: GameState, acts: Acts, declared: Declared) -> Button:
    """Return the way on: the units as last time, the figure that is missing, or the battle itself."""
    known = battles_of(state).last_known(declared.space)
    remembered = sum(group.count for groups in known.values() for group in groups)
    if remembered and not _all_groups(declared):
        again = Say.counted("Same as last time: {n} unit", "Same as last time: {n} units", remembered)
        return Button(again, acts.put("again", Send(bc.RepeatComposition(declared.id))))
    fault = fault_of(state, declared)
    if isinstance(fault, str):
        return enter_button(state, acts, fault)
    begin = Send(bc.BeginBattle(declared.id))
    fight = fight_of(state, declared)
    needs = fight.needs if isinstance(fight, Rejected) else ()
    if needs and needs[0].kind == "moved":
        ask = entry_of(state, needs[0])  # more may be said of those units before the battle begins
    else:
        ask = enter_first(state, needs, begin)
    if ask is not None:
        return Button(ask.form.title, acts.put("figure", ask))
    if isinstance(fight, Rejected) and fight.code == ProblemCode.INACTIVE:
        return Button(Say("Add an active unit: see which"), acts.put("why", Refuse(refusal_words(fight))))
    if fault is not None:
        return Button(fault, why_not=fault)
    attacking, defending = (sum(group.count for group in composed(declared, side)) for side in SIDES)
    return Button(Say("Begin: {a} against {d}", a=attacking, d=defending), acts.put("begin", begin))


def fault_of(state: GameState, declared: Declared) -> Value | str | None:
    """Return what keeps a battle from beginning: a reason, or the key of a printed value that it needs."""
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected):
        empty = [p.side for p in problems_of(state, declared) if p.code == ProblemCode.NOBODY]
        if empty and fight.code == ProblemCode.NOBODY:
            if len(empty) > 1:
                return Say("Tap the units that fight")
            return Say(
                "{side}: tap the units that fight",
                side=side_name(side_id(state, declared.attacker, empty[0])),
            )
        return refusal_words(fight)
    needs = missing(fight)
    if needs:
        return needs[0]
    barred = why_not_fire(state, declared, declared.battle) or why_not_bomb(
        state, declared.attacker, declared.space, declared.battle
    )
    if barred is not None:
        return refusal_words(barred)
    other = next((entry for entry in battles_of(state).battles if entry.status == "fighting"), None)
    return None if other is None else Say("Finish battle {id} first", id=Typed(other.id))


def _landing_note(state: GameState, battle: Battle) -> Say | None:
    """Return the question of a landing where the only friends in the space are aircraft."""
    if state.rulings.get("landing_air", "ask") != "ask" or battle.occasion != "battle":
        return None
    table = unit_table_of(state).units
    lands = any(group.cargo and table[group.unit].type in ("air", "sea") for group in battle.attacking)
    here = [group for group in battle.attacking if group.distance == 0 and not group.cargo]
    if not lands or {table[group.unit].type for group in here} != {"air"}:
        return None
    return Say("Only aircraft support the landing: landing defence applies unless you say otherwise")
