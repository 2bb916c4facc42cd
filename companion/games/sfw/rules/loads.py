"""What a transport carries together where the rules text shows only some of it: asked for load by load, never assumed.

The first edition prints the combinations on the player aid. The table says of one load at a time whether the aid shows
it, as the printed value ``air_transport.load.2_infantry+1_tank``; whatever is part of a load that fits fits too, and
whatever holds one that does not fit does not.

Source: first edition, Standard Unit Abilities and Limitations; Transporting Units; rulebook v0.96, Abilities, Transport
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.judgement import Need
from companion.core.text import Count, Say, Several, several, unit
from companion.games.sfw.rules.battle import Group
from companion.games.sfw.rules.units import UnitSpec, UnitTable, load_counts

__all__ = ["fits", "load_need", "load_of", "load_say"]


def load_of(table: UnitTable, group: Group) -> dict[str, int]:
    """Return what is aboard each transport of a group, by standard unit."""
    found: dict[str, int] = {}
    for load in group.cargo:
        spec = table.units.get(load.unit)
        if spec is not None and load.count > 0:
            found[spec.standard] = found.get(spec.standard, 0) + load.count
    return found


def fits(spec: UnitSpec, load: Mapping[str, int]) -> bool | None:
    """Say whether a load fits aboard, as far as the text or the table's aid tells; None where neither does.

    Only transports of which nobody has given the room are judged: the room of the others is a figure.
    """
    if not load or spec.status_of("capacity").status != "unknown":
        return True
    told = [(load_counts(text), is_there) for text, is_there in spec.loads.items()]
    if any(is_there and _is_part(load, whole) for whole, is_there in told):
        return True
    return False if any(not is_there and _is_part(part, load) for part, is_there in told) else None


def _is_part(part: Mapping[str, int], whole: Mapping[str, int]) -> bool:
    return all(count <= whole.get(one, 0) for one, count in part.items())


def load_need(spec: UnitSpec, load: Mapping[str, int]) -> Need:
    """Return the question whether the player aid shows a load."""
    text = "+".join(f"{load[one]}_{one}" for one in sorted(load))
    question = Say(
        "Does the player aid let {transport} carry this together: {load}?",
        transport=unit(spec.id),
        load=load_say(load),
    )
    return Need("printed", f"{spec.id}.load.{text}", question)


def load_say(load: Mapping[str, int]) -> Several:
    """Return a load in words."""
    return several((Count(n, unit(one)) for one, n in sorted(load.items())), "comma")
