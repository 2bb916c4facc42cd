"""Naming colours by what was asked for: all dice of a photo at once, so many of each colour as the roll has.

A die's own look stays heard: it is given a colour against its look only as far as the others of the photo leave no better way,
and it may keep a colour that was not asked for at a price. Dice of one colour look alike on one table: named once by their own
words, they are named again with what each has in common with the others of a name.
"""

from __future__ import annotations

__all__ = ["Assigned", "assign_colours", "cheapest"]

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.types import COLOURS

_SURPLUS = 8.0
"""Price, in log odds, of a die that is none of those asked for: thrown by mistake, or one too many. The net is sure of a wrong
colour more often than a table throws a wrong die."""
_ALIKE = np.array([5.0, 5 / 3, 5 / 3])
"""How far bodies of one colour lie apart on one photo, CIE units L, a, b: light varies more over a table than hue does."""
_UNLIKE = 3.0
"""What looking unlike the others of a colour counts at most, in log odds; where there are no others to look like, half of it."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """The colours of one photo's dice."""

    names: tuple[int, ...]
    """Each die's colour, by its number in ``COLOURS``."""
    chances: tuple[float, ...]
    """How likely each of these is, the counts and the other dice considered, 0 to 1."""


def cheapest(cost: NDArray[np.float64]) -> list[int]:
    """Return for each row its own column, so that the sum of their costs is least: the Hungarian method.

    Args:
        cost: (rows, columns), finite; at least as many columns as rows, which is not checked.
    """
    rows, columns = cost.shape
    of_row, of_column = np.zeros(rows + 1), np.zeros(columns + 1)
    row_at = np.zeros(columns + 1, int)
    for row in range(1, rows + 1):
        row_at[0], column = row, 0
        least, before = np.full(columns + 1, np.inf), np.zeros(columns + 1, int)
        is_used = np.zeros(columns + 1, bool)
        while True:
            is_used[column] = True
            at = row_at[column]
            slack = np.append(np.inf, cost[at - 1] - of_row[at] - of_column[1:])
            better = ~is_used & (slack < least)
            least[better], before[better] = slack[better], column
            following = int(np.argmin(np.where(is_used, np.inf, least)))
            step = least[following]
            of_row[row_at[is_used]] += step
            of_column[is_used] -= step
            least[~is_used] -= step
            column = following
            if row_at[column] == 0:
                break
        while column:
            row_at[column] = row_at[before[column]]
            column = int(before[column])
    found = [0] * rows
    for column in range(1, columns + 1):
        if row_at[column]:
            found[row_at[column] - 1] = column - 1
    return found


def assign_colours(
    tones: NDArray[np.float64], counts: Sequence[tuple[str, int]], lab: NDArray[np.float64]
) -> Assigned:
    """Name every die of a photo, at most so many of each colour as were asked for.

    Args:
        tones: (n, 10) probabilities of each die's colours, each die's own word.
        counts: Colour and how many; at least one of them more than 0.
        lab: (n, 3) what their bodies look like, from ``body_lab``.
    """
    if not len(tones):
        return Assigned((), ())
    said = np.log(np.asarray(tones, np.float64) + 1e-6)
    wanted = [COLOURS.index(colour) for colour, count in counts for _die in range(count)]
    names = [wanted[c] if c < len(wanted) else -1 for c in _columns(said, wanted)]
    said = said + _among_others(lab, names, sorted(set(wanted)))
    columns = _columns(said, wanted)
    names = [wanted[c] if c < len(wanted) else int(said[i].argmax()) for i, c in enumerate(columns)]
    is_stray = [c >= len(wanted) for c in columns]
    free = {wanted[c] for c in set(range(len(wanted))) - set(columns)}
    return Assigned(tuple(names), tuple(_chance(said, names, is_stray, free, i) for i in range(len(said))))


def _columns(said: NDArray[np.float64], wanted: Sequence[int]) -> list[int]:
    """Return for each die the place in ``wanted`` that it takes, or one beyond: it is none of those."""
    n = len(said)
    return cheapest(
        np.hstack([-said[:, wanted], np.broadcast_to(_SURPLUS - said.max(axis=1)[:, None], (n, n))])
    )


def _among_others(
    lab: NDArray[np.float64], names: Sequence[int], wanted: Sequence[int]
) -> NDArray[np.float64]:
    """Return log odds (n, 10) to add: how unlike the other dice of each colour a die looks, against the likest of ``wanted``."""
    looks = np.asarray(lab, np.float64) / _ALIKE
    is_named = (np.array(names)[:, None] == np.array(wanted)).astype(float)
    others = is_named.sum(axis=0) - is_named  # (n, wanted): how many, without the die itself
    means = (looks.T @ is_named).T[None] - is_named[:, :, None] * looks[:, None]
    means /= np.maximum(others, 1)[:, :, None]
    far = ((looks[:, None] - means) ** 2).sum(axis=2) / (2 + 2 / np.maximum(others, 1))
    unlike = np.where(others > 0, np.minimum(_UNLIKE, far), _UNLIKE / 2)
    least = unlike.min(axis=1, keepdims=True)
    out = np.zeros((len(names), len(COLOURS)))
    # The only one of a colour may well look like others.
    out[:, wanted] = np.where(others > 0, least - unlike, 0.0)
    return out


def _chance(
    said: NDArray[np.float64], names: Sequence[int], is_stray: Sequence[bool], free: set[int], i: int
) -> float:
    """Return how likely a die's colour is against every other: the best way in which it has that one, of one exchange."""
    mine = names[i]
    best: dict[int, float] = {}

    def may(colour: int, loss: float) -> None:
        if colour != mine:
            best[colour] = min(loss, best.get(colour, np.inf))

    for colour in free:
        may(colour, said[i, mine] - said[i, colour])
    if not is_stray[i]:
        stray = int(said[i].argmax())
        may(stray, said[i, mine] - said[i, stray] + _SURPLUS)
    for j, other in enumerate(names):
        if is_stray[j] or is_stray[i]:
            continue
        may(other, said[i, mine] + said[j, other] - said[i, other] - said[j, mine])
    return float(1 / (1 + sum(np.exp(-np.clip(loss, -30, 30)) for loss in best.values())))
