"""What the Attack screen asks: areas, ways, units, and what may be changed about a unit that was entered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from msgspec.structs import replace as changed

from companion.core.places import same_place
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, nation, unit
from companion.games.tsu.names import in_full
from companion.games.tsu.pages.attack_list import attacking_side, defending_side
from companion.games.tsu.pages.draft import (
    WAYS,
    AttackDraft,
    add_attacker,
    add_defender,
    change_attacker,
    change_defender,
    edit,
    way_of,
)
from companion.games.tsu.rules.forces import Attacker
from companion.games.tsu.rules.legality import NEVER_ATTACK
from companion.games.tsu.rules.state import slice_of
from companion.games.tsu.rules.units import Tables, Unit
from companion.pages.page import Act, Ask, Field, Form, Item, asked
from companion.pages.parts import nation_mark
from companion.pages.place_names import named_like

__all__ = [
    "ask_area_kind",
    "ask_attacker",
    "ask_change_attacker",
    "ask_change_defender",
    "ask_defender",
    "ask_target",
    "ask_way",
    "attacker_options",
    "change_attacker_by",
    "change_defender_by",
    "defender_options",
    "known_areas",
    "origin_options",
    "unit_options",
]

_OTHER = "another area"
"""Key of the option that asks for a name; no area of the map is called so."""


# Areas


def _used(state: GameState, draft: AttackDraft) -> list[str]:
    found = [draft.target, *(a.origin for a in draft.attackers)]
    for declared in slice_of(state).attacks:
        found += [declared.attack.target, *(a.origin for a in declared.attack.attackers)]
    for target, origin, _way in draft.before:
        found += [target, origin]
    return [area for area in dict.fromkeys(found) if area]


def named_areas(state: GameState) -> tuple[str, ...]:
    """Return the areas that the rules name; the map has more, which are typed once and then offered."""
    return tuple(state.frozen_setup.tables["game"]["areas"]["names"])


def known_areas(state: GameState, draft: AttackDraft) -> tuple[str, ...]:
    """Return areas to choose from as a target: those that were used last first, never where its attackers start."""
    starts = [a.origin for a in draft.attackers if a.line != "inside"]
    return tuple(
        area
        for area in dict.fromkeys((*_used(state, draft), *named_areas(state)))
        if not any(same_place(area, start) for start in starts)
    )


def origin_options(state: GameState, draft: AttackDraft) -> tuple[str, ...]:
    """Return areas to choose from as an origin: those of this attack first, then what attacked the target before, never the target."""
    own = [a.origin for a in draft.attackers]
    own += [origin for target, origin, _way in draft.before if same_place(target, draft.target)]
    return tuple(
        a
        for a in dict.fromkeys((*own, *_used(state, draft), *named_areas(state)))
        if not same_place(a, draft.target)
    )


def ask_area_name(
    key: str, title: Say, areas: tuple[str, ...], then: Callable[[str], Act], value: str = ""
) -> Ask:
    """Ask for an area by its name, completed by a tap; one that is called otherwise elsewhere gets the map's name."""
    options = tuple(Item(area, Typed(area)) for area in areas)
    field = Field("name", title, "text", options=options, value=value)

    def named(answers: Mapping[str, str]) -> Act:
        typed = answers["name"]
        return then(named_like(typed, dict(zip(areas, areas, strict=True))) or " ".join(typed.split()))

    return Ask(Form(key, title, (field,)), named)


def _ask_place(
    key: str,
    title: Say,
    areas: tuple[str, ...],
    value: str,
    then: Callable[[str], Act],
    *,
    first: Mapping[str, tuple[Value, Act]] | None = None,
) -> Ask:
    """Ask for an area: one of those that are known, or another by its name.

    Args:
        first: What stands before the areas: key to text and act.
    """
    ways = first or {}
    if not areas and not ways:
        return ask_area_name(key, title, areas, then, value)
    options = (
        *(Item(way, text) for way, (text, _act) in ways.items()),
        *(Item(area, Typed(area)) for area in areas),
        Item(_OTHER, Say("Another area"), is_way=True),
    )

    def chosen(area: str) -> Act:
        if area == _OTHER:
            return ask_area_name(key, title, areas, then, value)
        return ways[area][1] if area in ways else then(area)

    return asked(key, title, options, chosen, is_wide=False)


def ask_target(
    state: GameState, draft: AttackDraft, then: Callable[[AttackDraft], Act | None] = lambda _entered: None
) -> Ask:
    """Ask which area is attacked; `then` goes on with what was entered."""
    areas = known_areas(state, draft)
    return _ask_place(
        "target",
        Say("Which area is attacked?"),
        areas,
        draft.target,
        lambda name: edit(lambda d: replace(d, target=name), then(replace(draft, target=name))),
    )


def ask_area_kind() -> Ask:
    """Ask which kind of area it is."""
    options = tuple(Item(key, Name("area_kind", key)) for key in ("land", "coastal", "sea"))
    return asked("area", Say("Kind of area"), options, lambda area: edit(lambda d: replace(d, area=area)))


def _way_say(way: str, target: str) -> Value:
    """Name a way to an area; units stand in it before they attack where Malta is meant, elsewhere a parachute alone."""
    is_on_top = way == "inside" and target and not same_place(target, "malta")
    return Say("From the air: a parachute on top") if is_on_top else Name("way", way)


def ask_way(state: GameState, draft: AttackDraft, then: Callable[[AttackDraft], Act | None]) -> Ask:
    """Ask from where the next attackers come, then how; `then` goes on with what was entered.

    Area and way that attacked this target before are one answer, and so is coming from inside.
    """

    def from_area(way: str, area: str) -> Act:
        entered = replace(draft, way=way, origin=area)
        return edit(lambda d: replace(d, way=way, origin=area), then(entered))

    def how(area: str) -> Act:
        options = tuple(Item(way, _way_say(way, draft.target)) for way in WAYS if way != "inside")
        return asked("way", Say("How do they reach the area?"), options, lambda way: from_area(way, area))

    first: dict[str, tuple[Value, Act]] = {}
    for way, area in _used_ways(state, draft):
        text = Say("{area}: {way}", area=Typed(area), way=_way_say(way, draft.target))
        first[f"{way}|{area}"] = (text, from_area(way, area))
    first["inside"] = (_way_say("inside", draft.target), from_area("inside", draft.target))
    areas = origin_options(state, draft)
    return _ask_place("origin", Say("From which area?"), areas, "", how, first=first)


def _used_ways(state: GameState, draft: AttackDraft) -> dict[tuple[str, str], None]:
    """Return the ways, each with its area, on which the target was attacked, the newest first."""
    found = [(draft.target, a.origin, way_of(a)) for a in reversed(draft.attackers)]
    for declared in reversed(slice_of(state).attacks):
        found += [(declared.attack.target, a.origin, way_of(a)) for a in declared.attack.attackers]
    return {
        (way, origin): None
        for target, origin, way in (*found, *draft.before)
        if way != "inside" and same_place(target, draft.target)
    }


# Units


def unit_options(state: GameState, side: str, *, defends: bool) -> tuple[tuple[Unit, Item], ...]:
    """Return the units that a side may put into an attack: those with names first, then kinds by nation."""
    game = state.frozen_setup.tables["game"]
    tables = slice_of(state).tables
    nations = [info.id for info in state.frozen_setup.nations if info.side == side]
    kinds = [
        kind
        for kind in tables.units
        if kind != "fort" and (defends or kind not in (*NEVER_ATTACK, "strategic"))
    ]
    found: list[tuple[Unit, Value]] = []
    for one in nations:
        for row in game["named"]:
            if row["nation"] == one:
                named = Unit(row["kind"], one, row["name"])
                found.append((named, Say("{nation}: {unit}", nation=nation(one), unit=in_full(named))))
        for kind in kinds:
            found.append((Unit(kind, one), Say("{nation}: {unit}", nation=nation(one), unit=unit(kind))))
    if defends:
        for fort in game["forts"]:
            own = Unit("fort", nations[0], fort["name"])
            found.append((own, in_full(own)))
    return tuple(
        (one, Item(str(n), title, mark=nation_mark(state.frozen_setup, one.nation)))
        for n, (one, title) in enumerate(found)
    )


def _ask_unit(key: str, title: Say, found: tuple[tuple[Unit, Item], ...], then: Callable[[Unit], Act]) -> Ask:
    options = tuple(item for _unit, item in found)
    return asked(key, title, options, lambda n: then(found[int(n)][0]), is_wide=False)


def ask_attacker(state: GameState, draft: AttackDraft) -> Ask:
    """Ask who attacks next; before the first one, from where."""
    if not draft.origin and draft.way != "inside":
        return ask_way(state, draft, lambda entered: ask_attacker(state, entered))
    tables = slice_of(state).tables
    found = unit_options(state, attacking_side(state, draft), defends=False)
    title = Say("Who attacks from {area}?", area=Typed(draft.origin or draft.target))

    def chosen(n: str) -> Act:
        if not n:
            return ask_way(state, draft, lambda entered: ask_attacker(state, entered))
        return edit(lambda d: add_attacker(d, found[int(n)][0], tables))

    elsewhere = Item("", Say("From another area"))
    return asked("attacker", title, (*(item for _unit, item in found), elsewhere), chosen, is_wide=False)


def ask_defender(state: GameState, draft: AttackDraft) -> Ask:
    """Ask who defends."""
    found = unit_options(state, defending_side(state, draft), defends=True)
    return _ask_unit("defender", Say("Who defends?"), found, lambda one: edit(lambda d: add_defender(d, one)))


def _ask_change(
    key: str,
    title: Value,
    name: str,
    options: tuple[Item, ...],
    change: Callable[[AttackDraft, str, str], AttackDraft],
) -> Ask:
    """Ask what becomes of a unit that was entered, and for its name where that is chosen."""

    def chosen(what: str) -> Act:
        if what == "name":
            field = Field("name", Say("Name of the unit"), "text", value=name)
            return Ask(
                Form(key, field.title, (field,)), lambda typed: edit(lambda d: change(d, what, typed["name"]))
            )
        return edit(lambda d: change(d, what, ""))

    return asked(key, title, options, chosen)


def ask_change_attacker(draft: AttackDraft, index: int, tables: Tables) -> Ask:
    """Ask what becomes of an attacker."""
    attacker = draft.attackers[index]
    return _ask_change(
        f"attacker.{index}",
        in_full(changed(attacker.unit, loaded=False)),
        attacker.unit.name,
        attacker_options(attacker, tables),
        lambda d, what, name: change_attacker_by(d, index, what, tables, name),
    )


def ask_change_defender(draft: AttackDraft, index: int, tables: Tables) -> Ask:
    """Ask what becomes of a defender."""
    one = draft.defenders[index]
    return _ask_change(
        f"defender.{index}",
        in_full(one),
        one.name,
        defender_options(one, draft.area, tables),
        lambda d, what, name: change_defender_by(d, index, what, name),
    )


def attacker_options(attacker: Attacker, tables: Tables) -> tuple[Item, ...]:
    """Return what may be changed about an attacker."""
    zones = {
        None: Say("Its area lies in the winter zone: same as the target"),
        True: Say("Its area lies in the winter zone: yes"),
        False: Say("Its area lies in the winter zone: no"),
    }
    found = [
        Item("remove", Say("Remove it")),
        Item("name", Say("Give it a name")),
        Item("zone", zones[attacker.in_winter_zone]),
    ]
    kind = attacker.unit.kind
    if tables.is_army(kind) or kind in ("parachute", "landing_craft"):
        found.append(Item("lands", Say("It lands: yes") if attacker.landing else Say("It lands: no")))
    return tuple(found)


def change_attacker_by(
    draft: AttackDraft, index: int, what: str, tables: Tables, name: str = ""
) -> AttackDraft:
    """Carry an option of `attacker_options` out."""
    attacker = draft.attackers[index]
    match what:
        case "remove":
            return change_attacker(draft, index, None)
        case "name":
            named = changed(attacker.unit, name=name)
            return change_attacker(draft, index, changed(attacker, unit=named))
        case "zone":
            following: dict[bool | None, bool | None] = {None: True, True: False, False: None}
            zone = following[attacker.in_winter_zone]
            # The zone is the area's: all that start there follow.
            attackers = tuple(
                changed(a, in_winter_zone=zone) if a.origin == attacker.origin else a for a in draft.attackers
            )
            return replace(draft, attackers=attackers)
        case _:
            lands = not attacker.landing
            loaded = lands and tables.is_army(attacker.unit.kind)
            aboard = changed(attacker.unit, loaded=loaded)
            return change_attacker(draft, index, changed(attacker, unit=aboard, landing=lands))


def defender_options(one: Unit, area: str, tables: Tables) -> tuple[Item, ...]:
    """Return what may be changed about a defender; aboard ship it is at sea alone: in a port ships are unloaded."""
    found = [Item("remove", Say("Remove it"))]
    if one.kind != "fort":
        found.append(Item("name", Say("Give it a name")))
    if one.loaded or (tables.units[one.kind].cargo and area == "sea"):
        found.append(
            Item("aboard", Say("It is aboard ship: yes") if one.loaded else Say("It is aboard ship: no"))
        )
    return tuple(found)


def change_defender_by(draft: AttackDraft, index: int, what: str, name: str = "") -> AttackDraft:
    """Carry an option of `defender_options` out."""
    one = draft.defenders[index]
    match what:
        case "remove":
            return change_defender(draft, index, None)
        case "name":
            return change_defender(draft, index, changed(one, name=name))
        case _:
            return change_defender(draft, index, changed(one, loaded=not one.loaded))
