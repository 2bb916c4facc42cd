"""Words of The Soft Underbelly's pages as values: units, areas, stars, seasons, outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce

from companion.core.state import GameState
from companion.core.text import N_, Count, Say, Typed, Value, nation, several, side, unit
from companion.games.tsu.pages.words import AREA_WORDS, HAPPENING_WORDS, WAY_WORDS
from companion.games.tsu.rules.forces import Attacker
from companion.games.tsu.rules.reasons import TEXTS, Reason
from companion.games.tsu.rules.state import slice_of
from companion.games.tsu.rules.units import Tables, Unit
from companion.games.tsu.words import season

__all__ = [
    "apart",
    "area_kind",
    "attackers_say",
    "counts_say",
    "happening",
    "holder_say",
    "outcome_say",
    "reason_say",
    "reorganized_say",
    "season",
    "short_way",
    "side_say",
    "star_say",
    "stars_say",
    "unit_say",
    "units_say",
    "way_say",
]

_GROUPS: dict[str, str] = {
    "land": N_("land"),
    "tactical": N_("air"),
    "naval": N_("ships"),
    "land_tactical": N_("land and air"),
    "land_naval": N_("land and ships"),
    "tactical_naval": N_("air and ships"),
    "all": N_("land, air and ships"),
}
_SHORT_WAYS: dict[str, str] = {
    "black": N_("railway"),
    "road": N_("road"),
    "port": N_("sea lane"),
    "sea": N_("sea lane"),
    "inside": N_("inside"),
}
_LEVELS: dict[str, str] = {"strategic": N_("Strategic Victory"), "victory": N_("Victory")}
_ENDINGS: dict[str, str] = {
    "no_germans": N_("no German unit and no German area is left"),
    "four_stars": N_("Italy's three stars and Algiers are Allied"),
    "allies_gone": N_("the Allies are off the map"),
    "holds_a_star": N_("the Axis holds a star"),
    "neither": N_("neither side has what it needs"),
}


def apart(values: Iterable[Value]) -> Value:
    """Return values one after another, where single ones hold commas."""
    return reduce(lambda one, other: Say("{one}; {other}", one=one, other=other), values)


def unit_say(one: Unit) -> Value:
    """Return a unit by its own name with its kind, or by its kind, with cargo told."""
    word: Value = unit(one.kind)
    if one.name:
        if one.kind == "fort":
            word = Say("Fort {name}", name=Typed(one.name))
        else:
            word = Say("{name} ({kind})", name=Typed(one.name), kind=word)
    return Say("{unit}, aboard ship", unit=word) if one.loaded else word


def counts_say(units: Mapping[str, int]) -> Value:
    """Return kinds of units with their numbers on one line."""
    return several((Count(n, unit(kind)) for kind, n in units.items()), "comma")


def units_say(units: Iterable[Unit]) -> Value:
    """Return units on one line, equal ones counted; a dash when there are none."""
    counts: Counter[tuple[str, str]] = Counter((one.name, one.kind) for one in units)
    if not counts:
        return Typed("–")
    return several((_counted(name, kind, n) for (name, kind), n in counts.items()), "comma")


def _counted(name: str, kind: str, n: int) -> Value:
    if not name:
        return unit(kind) if n == 1 else Count(n, unit(kind))
    word: Value = Say("Fort {name}", name=Typed(name)) if kind == "fort" else Typed(name)
    return word if n == 1 else Say("{n} {noun}", n=n, noun=word)


def attackers_say(attackers: Iterable[Attacker]) -> Value:
    """Return attackers on one line."""
    return units_say(attacker.unit for attacker in attackers)


def reorganized_say(tables: Tables) -> Say:
    """Return what German Infantry counts in the reorganized army."""
    values = tables.units["infantry"].reorganized
    assert values is not None, "the data give it"
    return Say("German Infantry: attack {a}, defence {d}", a=values.attack, d=values.defence)


def short_way(way: str) -> Say:
    """Return a way to the target in a word or two."""
    return Say(_SHORT_WAYS[way])


def way_say(way: str) -> Say:
    """Return a way to the target."""
    return Say(WAY_WORDS[way])


def area_kind(kind: str) -> Say:
    """Return a kind of area."""
    return Say(AREA_WORDS[kind])


def happening(what: str) -> Say:
    """Return what is reported from the map."""
    return Say(HAPPENING_WORDS[what])


def side_say(id_: str | None) -> Value:
    """Return a side; nobody where there is none."""
    return side(id_) if id_ else Say("nobody")


def star_say(state: GameState, star: str) -> Value:
    """Return a star's name: of the data, or as the table typed it."""
    name = slice_of(state).star_names.get(star, star)
    is_listed = any(row["id"] == star for row in state.frozen_setup.tables["game"]["stars"])
    return Say(name) if is_listed else Typed(name)


def holder_say(state: GameState, star: str) -> Value:
    """Return who holds a star, and whose ships or aircraft stand on it."""
    own = slice_of(state)
    holder = own.stars.get(star)
    found: Value = nation(holder) if holder else Say("nobody")
    if star in own.controlled:
        on_it = side_say(own.controlled[star])
        return Say("{holder}; ships or aircraft alone: {side}", holder=found, side=on_it)
    return found


def stars_say(count: int) -> Say:
    """Return a number of stars."""
    return Say.counted("{n} star", "{n} stars", count)


def _named(word: str, tables: Mapping[str, object], *, is_group: bool) -> Value:
    if is_group:
        return Say(_GROUPS[word]) if word in _GROUPS else Typed(word)
    return unit(word) if word in tables else Typed(word)


def reason_say(reason: Reason, tables: Tables) -> Say:
    """Return why an attack is not allowed."""
    template = TEXTS[reason.code]
    is_group = "{who} against {where}" in template
    values: dict[str, Value] = {
        "who": _named(reason.who, tables.units, is_group=is_group),
        "where": _named(reason.where, tables.units, is_group=is_group),
        "need": reason.need,
        "have": reason.have,
    }
    return Say(template, **{name: value for name, value in values.items() if f"{{{name}}}" in template})


def outcome_say(winner: str | None, level: str, reason: str) -> Say:
    """Return how a game ends in one sentence."""
    why = Say(_ENDINGS[reason]) if reason in _ENDINGS else Typed(reason)
    if winner is None:
        return Say("Draw: {why}", why=why)
    what = Say(_LEVELS[level]) if level in _LEVELS else Typed(level)
    return Say("{side}, {level}: {why}", side=side_say(winner), level=what, why=why)
