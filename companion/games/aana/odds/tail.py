"""The last rounds of a North Africa combat, once few pairs of states are left: each is one product with a small matrix."""

from __future__ import annotations

from typing import Final, NamedTuple

from companion.games.aana.odds.kernel import SPECK, Kernel
from companion.games.aana.odds.tables import Floats, Ints, distinct
from companion.odds.arrays import NDArray, np

__all__ = ["Tail", "apart", "likely", "tail_of"]

_MOST: Final = 128
"""So many pairs are few."""


class Tail(NamedTuple):
    """Pairs of states among which all further rounds take place."""

    rows: Ints
    """Place of each pair's attackers among those of the round."""
    columns: Ints
    """Place of each pair's defenders."""
    moves: Floats
    """Chance of each pair to go on as each of them, shape (pairs, pairs)."""
    ends: Floats
    """Chance of each to end."""


def likely(p: Floats) -> NDArray[np.bool_] | None:
    """Return which pairs are likely at all; None where these are not few."""
    met: NDArray[np.bool_] = p > SPECK
    return met if np.count_nonzero(met) <= _MOST else None


def tail_of(fire: Kernel, met: NDArray[np.bool_], at_a: Ints, at_d: Ints, goes: Floats) -> Tail | None:
    """Return some pairs with all that they lead to; None where these are not few.

    Args:
        fire: The one fire of the round, which serves for all that follow.
        met: Which pairs of states there are before the round; those that follow are added.
        at_a: Place of the round's attackers that each of the new attackers becomes, each another one; -1 where they cease.
        at_d: That of the defenders.
        goes: 1 where new attackers and new defenders go on, else 0.
    """
    known = np.count_nonzero(met)
    while 0 < known <= _MOST:
        rows, columns = met.nonzero()
        new_a, new_d = fire.alone(rows, columns)
        on_a, on_d = (((new_a > 0).T.astype(np.float64) @ (new_d > 0)) * goes).nonzero()
        met[at_a[on_a], at_d[on_d]] = True
        before, known = known, np.count_nonzero(met)
        if known == before:
            from_a, from_d = _turned(at_a, met.shape[0])[rows], _turned(at_d, met.shape[1])[columns]
            moves = new_a.take(from_a, axis=1)
            moves *= new_d.take(from_d, axis=1)
            comes = (from_a >= 0) & (from_d >= 0) & (goes[from_a, from_d] > 0)
            if np.count_nonzero(comes) < comes.size:
                moves *= comes
            return Tail(rows, columns, moves, 1 - np.add.reduce(moves, axis=1))
    return None


def apart(places: Ints) -> bool:
    """Say whether whoever goes on becomes another state each; -1 = does not go on."""
    some = places[places >= 0]
    return len(distinct(some)[0]) == len(some)


def _turned(places: Ints, count: int) -> Ints:
    """Return who comes to each of so many places, -1 where nobody does."""
    found = np.full(count, -1, dtype=np.int64)
    who = (places >= 0).nonzero()[0]
    found[places[who]] = who
    return found
