"""Luck as plots and sentences: a result marked in its distribution, and what the percentile says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from companion.core.state import GameState
from companion.core.text import N_, Say, Share, Value
from companion.pages.film.telling import LuckRow
from companion.pages.frame import tone
from companion.pages.plots import Bin, Distribution
from companion.pages.speak import speak

__all__ = ["GROUPS", "Scope", "luck_row", "luck_say", "spread_plot"]

_MOST_BINS = 24
_RARE = 0.0005
"""Results rarer than this, at the ends, are not drawn."""

GROUPS: dict[str, str] = {"hits": N_("Hits"), "losses": N_("Losses")}
"""What luck is told of: a title each."""


class Scope(NamedTuple):
    """Whose luck it is, and over what."""

    key: str
    kind: str
    """``evening``, ``nation`` or ``battle``."""
    who: Value
    side: str
    what: Value | None = None
    """The battle, of one battle alone."""


def luck_row(
    state: GameState,
    group: str,
    scope: Scope,
    shares: Sequence[float],
    actual: int,
    *,
    luckier_than: float,
    dice: int = 0,
    is_exact: bool = True,
) -> LuckRow:
    """Return a result with its place among all that might have been.

    Args:
        group: ``hits`` or ``losses``.
        shares: Entry n is the chance of exactly n.
    """
    text = Say.counted("{n} hit", "{n} hits", actual) if group == "hits" else Say("lost {n}", n=actual)
    return LuckRow(
        f"{group}.{scope.kind}.{scope.key}.{scope.side}",
        group,
        scope.who,
        scope.side,
        scope.kind,
        scope.what,
        dice,
        float(sum(n * share for n, share in enumerate(shares))),
        actual,
        luckier_than,
        spread_plot(shares, actual, tone(state.frozen_setup, scope.side), speak(text, state)),
        is_exact,
        tuple(shares),
    )


def spread_plot(shares: Sequence[float], actual: int | None, tone: str, text: str = "") -> Distribution:
    """Return shares by amount as bins of one width with the actual amount marked; rare ends are left out.

    Args:
        shares: Entry n is the chance of exactly n.
        actual: None: there is no result yet.
        text: What stands at the mark.
    """
    common = [n for n, share in enumerate(shares) if share >= _RARE]
    shown = [*([] if actual is None else [actual]), *common[:1], *common[-1:]]
    least, most = min(shown, default=0), max(shown, default=0)
    width = max(1, -(-(most - least + 1) // _MOST_BINS))
    bins, index = [], None
    for low in range(least, most + 1, width):
        high = min(low + width - 1, most)
        share = sum(float(one) for one in shares[low : high + 1])
        bins.append(Bin(str(low) if low == high else f"{low}\N{EN DASH}{high}", share))
        if actual is not None and low <= actual <= high:
            index = len(bins) - 1
    return Distribution(tuple(bins), index, text, tone)


def luck_say(row: LuckRow) -> Say:
    """Return in one sentence how lucky a result was."""
    share: Value = Share(row.luckier_than)
    if row.luckier_than < 0.005:
        share = Say("<{share}", share=Share(0.01))
    elif row.luckier_than > 0.995:
        share = Say(">{share}", share=Share(0.99))
    if row.scope == "battle":
        return Say("Luckier than {share} of such battles", share=share)
    return Say("Luckier than {share} of such evenings", share=share)
