"""6 or 9: three votes that are kept apart until here.

The reading net sees the mark (bar or dot). Where it sees none it still prefers one of the two, the one that stands upright as
the pose net has turned it, and is right as often as a coin: so its word counts in full only where it all but rules the other
out. The pentagon of a d12 votes by its parity: a numeral stands on an edge or on a corner, and every face of one set does
the same, so turning a 9 into a 6 swaps the two. What the other dice of the same colour show says which the set does; without
them the common way (an edge below) is a weak hint. What none of this decides stays open: 6 or 9, and the table is asked.
"""

from __future__ import annotations

__all__ = ["COMMON", "edge_odds", "parity", "settle", "settle_photo", "share"]

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.numerals import FaceVote
from vision.types import Pose

_TELLING = (2, 3, 4, 5, 7, 10, 12)
"""Numbers that look like no number upside down."""
COMMON = 1.6
"""Log odds that a set stands its numerals on an edge: five of six do."""
_PARITY = 4.0
"""Log odds that a plain parity is worth: where it is over 0.9, one of a hundred is wrong, between 0.6 and 0.8 one of twenty."""
_MOST = 4.0
"""Log odds at most to which other dice tell what a set does: dice of one colour may be of two sets."""
_UNMARKED, _MARKED = 3.3, 4.5
"""Log odds of the reading net up to which no mark was seen, and from which one was."""
_FAINT = 0.2
"""Share of the net's word that counts where no mark was seen."""


def parity(pose: Pose, vote: FaceVote) -> float:
    """Return how plainly the numeral stands on an edge of the pentagon, -1 (on a corner) to +1 (on an edge)."""
    return float(np.cos(5 * (vote.turn - np.pi / 2) - pose.phase))


def edge_odds(poses: Sequence[Pose], votes: Sequence[FaceVote], others: Iterable[int]) -> float:
    """Return the log odds, -4 to 4, that a set stands its numerals on an edge, by its clearly read dice (indices ``others``)."""
    odds = COMMON
    for i in others:
        logp = votes[i].logp
        winner = int(np.argmax(logp))
        is_marked = winner in (6, 9) and logp[winner] - logp[15 - winner] > _MARKED
        if (winner in _TELLING or is_marked) and math.exp(logp[winner]) > 0.9 and votes[i].spread < 0.15:
            odds += _PARITY * parity(poses[i], votes[i])
    return float(np.clip(odds, -_MOST, _MOST))


def _both(a: float, b: float) -> float:
    """Return the log odds that two signs of these log odds point the same way."""
    return 2 * math.atanh(math.tanh(a / 2) * math.tanh(b / 2))


def settle(logp: NDArray[np.float64], seen: float = 0.0, edge: float = 0.0) -> NDArray[np.float64]:
    """Weigh 6 against 9 anew: the net's word as far as it saw a mark, and the pentagon's vote.

    Args:
        logp: (13,) log probabilities from the reading net.
        seen: This die's parity for its winner (``parity``); 0 where there is no pentagon.
        edge: Log odds that its set stands on an edge (``edge_odds``).

    Returns:
        (13,) log probabilities, normalised; unchanged where neither 6 nor 9 is likely.
    """
    out = np.array(logp, np.float64)
    if max(out[6], out[9]) < np.log(0.2):
        return out
    winner, other = (6, 9) if out[6] >= out[9] else (9, 6)
    word = float(out[winner] - out[other])
    is_seen = min(1.0, max(0.0, (word - _UNMARKED) / (_MARKED - _UNMARKED)))
    odds = word * (_FAINT + (1 - _FAINT) * is_seen) + _both(edge, _PARITY * seen)
    either = float(np.logaddexp(out[6], out[9]))
    out[winner], out[other] = either - np.logaddexp(0, -odds), either - np.logaddexp(0, odds)
    return np.asarray(out - np.logaddexp.reduce(out))


def share(logp: NDArray[np.float64]) -> float:
    """Return how likely the likelier of 6 and 9 is, of the two alone, 0.5 to 1; 1 where another number is the likeliest."""
    best = int(np.argmax(logp))
    return 1.0 if best not in (6, 9) else float(1 / (1 + np.exp(logp[15 - best] - logp[best])))


def settle_photo(
    poses: Sequence[Pose], votes: Sequence[FaceVote], kinds: Sequence[str], colours: Sequence[int]
) -> list[NDArray[np.float64]]:
    """Settle 6 and 9 of all d12 and d10 of a photo, d12 of one colour taken for one set; a d6 has no 9.

    Args:
        kinds: Of each die.
        colours: Of each die, by number.

    Returns:
        (13,) log probabilities of each die.
    """
    out = []
    for i, (pose, vote) in enumerate(zip(poses, votes, strict=True)):
        logp = np.array(vote.logp)
        if kinds[i] == "d12":
            others = [
                j for j in range(len(poses)) if j != i and kinds[j] == "d12" and colours[j] == colours[i]
            ]
            logp = settle(logp, parity(pose, vote), edge_odds(poses, votes, others))
        elif kinds[i] == "d10":
            logp = settle(logp)
        out.append(logp)
    return out
