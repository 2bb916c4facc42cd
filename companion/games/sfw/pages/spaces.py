"""Spaces of the board: those that are known in a game, and asking for one by tap, with names completed as they are typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from companion.core.places import Place
from companion.core.state import GameState
from companion.core.text import Say, Value
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import places_of
from companion.pages.page import Act, Ask, Field, Form, Item, asked
from companion.pages.place_names import named_like, plain_letters
from companion.pages.speak import speak

__all__ = [
    "ask_space",
    "by_name",
    "known_spaces",
    "known_terrain",
    "meant",
    "name_space",
    "sea_spaces",
    "space_field",
]


def by_name(state: GameState, places: Iterable[str], name: Callable[[str], Value]) -> list[str]:
    """Return places in the order of what they are called in the language at hand, as an index has them.

    Args:
        name: The name of one of them as a value.
    """
    return sorted(places, key=lambda one: plain_letters(speak(name(one), state)))


def known_spaces(state: GameState) -> dict[str, str]:
    """Return every known space by its one spelling, with its terrain where it is known.

    Those fought over last stand first, then the Objectives and airfields of the scenario, which are land, then its named sea
    spaces and whatever the table has named in this game, each in the order of their names.
    """
    fought, places = _fought(state), list(places_of(state))
    sites = {place.name for place in places if place.id} - fought.keys()
    others = {place.name for place in places} - fought.keys() - sites
    terrain = {place.name: _terrain(place) for place in places}
    names = (*by_name(state, sites, space_of), *by_name(state, others, space_of))
    return fought | {name: terrain[name] for name in names}


def known_terrain(state: GameState, space: str) -> str | None:
    """Return the terrain of a known space, empty where nobody has told; None for one that is not known."""
    places = places_of(state)
    place = places.find(space)
    return _fought(state).get(places.spelled(space), None if place is None else _terrain(place))


def _fought(state: GameState) -> dict[str, str]:
    """Return the spaces fought over with their terrain, the last one first."""
    own, places = battles_of(state), places_of(state)
    spaces: dict[str, str] = {}
    for declared in (*own.battles, *own.history):
        spaces.setdefault(places.spelled(declared.space), declared.battle.terrain)
    return spaces


def _terrain(place: Place) -> str:
    return "" if not place.kind else "sea" if place.kind == "sea" else "land"


def sea_spaces(state: GameState) -> tuple[str, ...]:
    """Return the known spaces that may be sea: those that are, and those of which the terrain is not known."""
    return tuple(name for name, terrain in known_spaces(state).items() if terrain in ("sea", ""))


def meant(state: GameState, typed: str) -> str:
    """Return the one spelling of the space that was typed, as the list has it or as it is called in another language."""
    places = places_of(state)
    if places.find(typed) is None:
        shown = {place.name: speak(space_of(place.name), state) for place in places}
        return named_like(typed, shown) or places.spelled(typed)
    return places.spelled(typed)


def space_field(
    state: GameState, key: str, title: Value, value: str = "", known: Iterable[str] | None = None
) -> Field:
    """Return the question for a space by name, which is completed by tap; `meant` tells which one it is."""
    spaces = known_spaces(state) if known is None else known
    names = tuple(Item(str(n), space_of(name)) for n, name in enumerate(spaces))
    return Field(key, title, "text", options=names, value=value)


def name_space(
    state: GameState,
    title: Value,
    then: Callable[[str], Act],
    *,
    value: str = "",
    known: Iterable[str] | None = None,
) -> Ask:
    """Ask for a space by name, completed by tap: where it is mostly one that no list has, such as a sea space."""
    field = space_field(state, "name", title, value, known)
    return Ask(Form("space", title, (field,)), lambda answers: then(meant(state, answers["name"])))


def ask_space(
    state: GameState,
    title: Value,
    then: Callable[[str], Act],
    *,
    known: Iterable[str] | None = None,
    is_free: bool = True,
) -> Ask:
    """Ask for a space: one of the list, or another by name, which is completed by tap; by name at once where none is known.

    `known`: the spaces that are offered, where they are not all of the list. `is_free`: others may be named.
    """
    spaces = tuple(known_spaces(state) if known is None else known)
    other = name_space(state, Say("Which space?"), then)
    if not spaces:
        return other
    options = tuple(Item(str(n), space_of(name)) for n, name in enumerate(spaces))
    if is_free:
        options = (*options, Item("other", Say("Another space"), is_way=True))
    return asked("space", title, options, lambda key: other if key == "other" else then(spaces[int(key)]),
                 is_wide=False)  # fmt: skip
