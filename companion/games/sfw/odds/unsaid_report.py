"""What a battle file leaves unsaid although dice hang on it, as data and as lines: nothing is counted without a word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.core.text import Say, Typed, Value, several
from companion.games.sfw.odds.file import BattleFile
from companion.games.sfw.odds.file_play import owned_word, unit_word
from companion.games.sfw.rules.battle import ATTACKING, Group
from companion.games.sfw.rules.battle_unsaid import Counted, Unsaid, unsaid
from companion.games.sfw.rules.loads import load_of, load_say

__all__ = ["unsaid_data", "unsaid_lines"]

_TEXTS: dict[Counted, Callable[[Value, Value], Say]] = {
    "moved": lambda units, _: Say(
        "Not stated: whether {units} moved; counted as moved, so no ambush", units=units
    ),
    "stayed": lambda units, _: Say(
        "Not stated: whether {units} moved; counted as not moved, so able to roll", units=units
    ),
    "covered": lambda units, _: Say(
        "Not stated: the nation of {units} or of Fighters there; counted as one nation, so covered",
        units=units,
    ),
    "bare": lambda units, _: Say(
        "Not stated: the nation of {units} or of Fighters there; counted as not covered", units=units
    ),
    "surface": lambda units, _: Say(
        "Not stated: the targets of {units} in defence; counted as land and sea", units=units
    ),
    "every_sea": lambda _, __: Say(
        "Not stated: which sea space each sea wall faces; counted as every one of them"
    ),
    "revealed": lambda _, __: Say(
        "Not stated: whether these ships, which are not active, are a revealed Hidden Fleet; counted as one"
    ),
    "defended": lambda _, __: Say(
        "Not stated: whether landing defence applies where aircraft are the only friends; counted as yes"
    ),
    "fits": lambda units, load: Say(
        "Not stated: whether {transport} can carry {load}; counted as able", transport=units, load=load
    ),
    "named": lambda units, _: Say(
        "Not stated: the icons of {units} on the player aid; counted as those that the rules name",
        units=units,
    ),
}


def unsaid_data(found: BattleFile) -> list[dict[str, Any]]:
    """Return what is unsaid, by key of the file, side and place in its list, with what is counted."""
    return [
        {"key": one.key, "side": one.side, "counted": one.counted}
        | ({} if one.group < 0 else {"group": one.group, "unit": _group(found, one).unit})
        for one in _unsaid(found)
    ]


def unsaid_lines(found: BattleFile) -> list[Say]:
    """Return a line for each sort of thing that is unsaid, its units together."""
    fight = found.fight
    units: dict[tuple[Counted, str], list[Value]] = {}
    loads: dict[tuple[Counted, str], Value] = {}
    for one in _unsaid(found):
        group = _group(found, one) if one.group >= 0 else None
        # What fits aboard is said of each transport; everything else of all units together.
        key = (one.counted, str(len(loads)) if one.counted == "fits" else "")
        named = units.setdefault(key, [])
        if group is None:
            continue
        if one.counted == "fits":
            loads[key] = load_say(load_of(fight.table, group))
        said = _said(found, one, group)
        if said not in named:
            named.append(said)
    return [
        _TEXTS[key[0]](several(named, "comma"), loads.get(key, Typed(""))) for key, named in units.items()
    ]


def _unsaid(found: BattleFile) -> tuple[Unsaid, ...]:
    """Return what is unsaid; a ruling that the file gives is said."""
    fight = found.fight
    return tuple(
        one for one in unsaid(fight.battle, fight.edition, fight.table) if one.key not in found.rulings
    )


def _group(found: BattleFile, one: Unsaid) -> Group:
    battle = found.fight.battle
    return (battle.attacking if one.side == ATTACKING else battle.defending)[one.group]


def _said(found: BattleFile, one: Unsaid, group: Group) -> Value:
    """Return the units that it is about: how many and whose, or their kind alone where it is about the kind."""
    if one.counted in ("fits", "named"):
        return unit_word(found.fight, group.unit)
    return owned_word(found.fight, group.nation, group.unit, group.count)
