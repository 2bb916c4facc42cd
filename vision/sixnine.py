"""6 or 9: three votes that are kept apart until here.

The reading net sees the mark (bar or dot). The pentagon votes by its parity: a numeral stands on an edge or on a
corner, and every face of one set does the same, so turning a 9 into a 6 swaps the two. What the other dice of the same
colour show says which the set does; without them the common way (an edge below) is a weak hint.
"""

from __future__ import annotations

__all__ = ["parity", "set_parity", "settle", "settle_photo"]

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.numerals import FaceVote
from vision.types import Pose

_TELLING = (2, 3, 4, 5, 7, 10, 12)
"""Numbers that look like no number upside down."""
COMMON = 0.5
"""Prior parity: most d12 stand their numerals on an edge."""
STRENGTH = 5.0
"""Log odds that a full vote of the pentagon is worth: of 0 to 10 the best on own renders."""


def parity(pose: Pose, vote: FaceVote) -> float:
    """Return +1 where the numeral stands on an edge of the pentagon, -1 on a corner, 0 where neither is seen."""
    return float(np.cos(5 * (vote.turn - np.pi / 2) - pose.phase))


def set_parity(poses: Sequence[Pose], votes: Sequence[FaceVote], group: Sequence[int]) -> float:
    """Average the parity over the clearly read dice of one set (indices ``group``); the common way when unknown."""
    seen = [COMMON * 2.0]
    weight = 2.0
    for i in group:
        winner = int(np.argmax(votes[i].logp))
        if winner in _TELLING and np.exp(votes[i].logp[winner]) > 0.9 and votes[i].spread < 0.15:
            seen.append(parity(poses[i], votes[i]))
            weight += 1
    return float(np.clip(sum(seen) / weight, -1, 1))


def settle(
    logp: NDArray[np.float64], seen: float, usual: float, *, strength: float = STRENGTH
) -> NDArray[np.float64]:
    """Move the log odds of 6 against 9 by the pentagon's vote.

    Args:
        logp: (13,) log probabilities from the reading net.
        seen: This die's parity for its winner (``parity``).
        usual: The set's parity (``set_parity``).
        strength: Log odds that a full vote is worth.

    Returns:
        (13,) log probabilities, normalised; unchanged where neither 6 nor 9 is likely.
    """
    out = np.array(logp, np.float64)
    if max(out[6], out[9]) < np.log(0.2):
        return out
    vote = strength * seen * usual
    winner, other = (6, 9) if out[6] >= out[9] else (9, 6)
    out[winner] += vote / 2
    out[other] -= vote / 2
    top = out.max()
    return np.asarray(out - (top + np.log(np.exp(out - top).sum())))


def settle_photo(
    poses: Sequence[Pose], votes: Sequence[FaceVote], kinds: Sequence[str], colours: Sequence[int]
) -> list[NDArray[np.float64]]:
    """Settle 6 and 9 of all d12 of a photo, those of one colour taken for one set; other kinds keep their own word.

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
            group = [j for j in range(len(poses)) if kinds[j] == "d12" and colours[j] == colours[i]]
            logp = settle(logp, parity(pose, vote), set_parity(poses, votes, group))
        out.append(logp)
    return out
