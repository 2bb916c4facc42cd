"""Options of a new game that games share: flags, numbers, names at the table, how time is kept, rulings; and how a table rules.

Each function that takes `faults` adds what is wrong and returns something usable: every fault is named at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from companion.core.collecting import one_of, shown
from companion.core.ids import Millis
from companion.core.letters import can_show
from companion.core.scenario import OPTIONS, Fault
from companion.core.state import GameState
from companion.core.text import Say, Typed

__all__ = [
    "LONGEST_NAME",
    "MOST_MINUTES",
    "flag",
    "names",
    "ruling_options",
    "ruling_values",
    "says",
    "time_kept",
    "unknown_options",
    "whole",
]

LONGEST_NAME = 24
"""Letters of a player's name that fit the screens."""
MOST_MINUTES = 600


def unknown_options(options: Mapping[str, Any], known: Sequence[str], faults: list[Fault]) -> None:
    """Add a fault for every option that a game does not have; of dotted keys the part before the dot counts."""
    for key in options:
        if key.partition(".")[0] not in known:
            faults.append(Fault(OPTIONS, key, one_of(known, key), Typed(key)))


def flag(options: Mapping[str, Any], key: str, faults: list[Fault]) -> bool:
    """Return whether an option is set; False where it is missing."""
    value = options.get(key, False)
    if not isinstance(value, bool):
        faults.append(Fault(OPTIONS, key, Say("true or false"), shown(value)))
    return value is True


def whole(
    options: Mapping[str, Any], key: str, default: int, faults: list[Fault], *, fewest: int, most: int
) -> int:
    """Return a whole number within bounds; the lower one where it does not fit."""
    value = options.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not fewest <= value <= most:
        wanted = Say("a whole number from {low} to {high}", low=fewest, high=most)
        faults.append(Fault(OPTIONS, key, wanted, shown(value)))
        return fewest
    return value


def names(
    options: Mapping[str, Any],
    players: int,
    faults: list[Fault],
    *,
    key: str = "names",
    default: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the players' names, ``Player 1`` and so on where none are given and no others are the default."""
    default = default or [f"Player {number}" for number in range(1, players + 1)]
    value = options.get(key, default)
    fits = (
        isinstance(value, list | tuple)
        and len(value) == players
        and len(set(map(str, value))) == players
        and all(isinstance(name, str) and 0 < len(name.strip()) <= LONGEST_NAME for name in value)
    )
    if fits and all(map(can_show, value)):
        return tuple(map(str, value))
    wanted = Say("names in Latin, Greek or Cyrillic letters, each on one line")
    if not fits:
        wanted = Say.counted(
            "a name of 1 to {most} letters",
            "{n} different names of 1 to {most} letters",
            players,
            most=LONGEST_NAME,
        )
    faults.append(Fault(OPTIONS, key, wanted, shown(value)))
    return tuple(default)


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


class _Ruling(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def choices(self) -> tuple[str, ...]: ...
    @property
    def default(self) -> str: ...


def ruling_options(infos: Iterable[_Ruling]) -> dict[str, tuple[str, ...]]:
    """Return the rulings as options for New game, of each the default first; one without a choice is none."""
    return {
        f"rulings.{info.id}": (info.default, *(one for one in info.choices if one != info.default))
        for info in infos
        if len(info.choices) > 1
    }


def ruling_values(
    infos: Sequence[_Ruling], options: Mapping[str, Any], faults: list[Fault]
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
