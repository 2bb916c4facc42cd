"""Options of a new game that games share: names at the table, how time is kept, rulings; and how a table rules.

Each function that takes `faults` adds what is wrong and returns something usable: every fault is named at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.core.collecting import one_of, shown
from companion.core.ids import Millis
from companion.core.letters import can_show
from companion.core.scenario import OPTIONS, Fault
from companion.core.setup import RulingInfo
from companion.core.state import GameState
from companion.core.text import Say, Typed

__all__ = [
    "LONGEST_NAME",
    "MOST_MINUTES",
    "are_shown",
    "letters_wanted",
    "names",
    "names_wanted",
    "ruling_values",
    "says",
    "time_kept",
    "unknown_options",
]

LONGEST_NAME = 24
"""Letters of a player's name that fit the screens."""
MOST_MINUTES = 600


def unknown_options(options: Mapping[str, Any], known: Sequence[str], faults: list[Fault]) -> None:
    """Add a fault for every option that a game does not have; of dotted keys the part before the dot counts."""
    for key in options:
        if key.partition(".")[0] not in known:
            faults.append(Fault(OPTIONS, key, one_of(known, key), Typed(key)))


def names(options: Mapping[str, Any], players: int, faults: list[Fault]) -> tuple[str, ...]:
    """Return the players' names, ``Player 1`` and so on where none are given."""
    default = [f"Player {number}" for number in range(1, players + 1)]
    value = options.get("names", default)
    fits = (
        isinstance(value, list | tuple)
        and len(value) == players
        and len(set(map(str, value))) == players
        and all(isinstance(name, str) and 0 < len(name.strip()) <= LONGEST_NAME for name in value)
    )
    if not fits:
        faults.append(Fault(OPTIONS, "names", names_wanted(players), shown(value)))
    elif not are_shown(value):
        fits = False
        faults.append(Fault(OPTIONS, "names", letters_wanted(), shown(value)))
    return tuple(map(str, value)) if fits else tuple(default)


def are_shown(names: Sequence[str]) -> bool:
    """Return whether the screens can show every sign of some names."""
    return all(map(can_show, names))


def letters_wanted() -> Say:
    """Return which letters the names of a table may have."""
    return Say("names in Latin, Greek or Cyrillic letters, each on one line")


def names_wanted(players: int) -> Say:
    """Return what the names of a table should be."""
    return Say.counted(
        "a name of 1 to {most} letters",
        "{n} different names of 1 to {most} letters",
        players,
        most=LONGEST_NAME,
    )


def time_kept(options: Mapping[str, Any], minutes: Say, faults: list[Fault]) -> str | Millis:
    """Return the option ``clock``: ``none``, ``count_up``, or an allowance in milliseconds.

    Args:
        minutes: What the minutes are for and how many there may be; told where the value does not fit.
    """
    value = options.get("clock", "none")
    if value in ("none", "count_up"):
        return str(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST_MINUTES:
        wanted = one_of((Typed("none"), Typed("count_up"), minutes))
        faults.append(Fault(OPTIONS, "clock", wanted, shown(value)))
        return "none"
    return round(value * 60_000)


def ruling_values(
    infos: Sequence[RulingInfo], options: Mapping[str, Any], faults: list[Fault]
) -> dict[str, str]:
    """Return every ruling at its default or as the options set it, as a table or by dotted keys."""
    values = {info.id: info.default for info in infos}
    choices = {info.id: info.choices for info in infos}
    table = options.get("rulings", {})
    if not isinstance(table, Mapping):
        faults.append(Fault(OPTIONS, "rulings", Say("a table"), shown(table)))
        table = {}
    dotted = {key.partition(".")[2]: value for key, value in options.items() if key.startswith("rulings.")}
    for name, value in {**table, **dotted}.items():
        if name not in values:
            faults.append(Fault(OPTIONS, f"rulings.{name}", one_of(values, name), Typed(name)))
        elif value not in choices[name]:
            faults.append(Fault(OPTIONS, f"rulings.{name}", one_of(choices[name]), shown(value)))
        else:
            values[name] = value
    return values


def says(state: GameState, ruling: str, choice: str) -> bool:
    """Say whether the table plays a ruling in this way; False for a ruling that the game does not have."""
    return state.rulings.get(ruling) == choice
