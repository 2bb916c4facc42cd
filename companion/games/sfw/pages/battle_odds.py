"""Odds of a battle as a distribution, the actual result marked afterwards.

Working the odds of a large battle takes up to a second: ask from outside the drawing thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.games.sfw.odds.answer import Odds
from companion.games.sfw.odds.play import TooLargeError, exact_odds
from companion.games.sfw.odds.simulate import simulated_odds
from companion.games.sfw.pages.battle_words import name_of
from companion.games.sfw.rules.battle import SIDES, Fight
from companion.games.sfw.rules.battle_fire import missing
from companion.games.sfw.rules.battle_losses import CHEAPEST, Policy
from companion.games.sfw.rules.battle_progress import END
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import fight_of, side_id
from companion.pages.frame import Mark, mark, nation_mark
from companion.pages.i18n import N_, _
from companion.pages.numbers import figure, percent
from companion.pages.plots import Bin, Distribution

__all__ = [
    "POLICIES",
    "OddsView",
    "SurvivalRow",
    "battle_odds",
    "odds_now",
    "odds_of",
    "order_choices",
    "order_text",
]

POLICIES: dict[str, str] = {
    "cheapest": N_("Cheapest losses"),
    "keep_control": N_("Keep one that holds"),
    "order": N_("Own order"),
}
"""Loss policy to its name."""

_MOST_BINS = 16
_KEPT = 7
_RUNS = 5_000
"""Virtual battles where exact odds would take too long; their error is shown."""


@dataclass(frozen=True, slots=True)
class SurvivalRow:
    """How the units of one kind fare."""

    mark: Mark
    name: str
    count: int
    each: float
    text: str


@dataclass(frozen=True, slots=True)
class OddsView:
    """What is to be expected of a battle."""

    is_exact: bool
    how: str
    clear: str
    """Chance that the attackers clear the space."""
    take: str
    hold: str
    lost: str
    """Chance that no attacker is left."""
    expected: dict[str, str]
    """Expected loss in cost, by side."""
    losses: dict[str, Distribution]
    """Chance of each cost lost, by side, with the actual one marked when the battle is over."""
    survival: tuple[SurvivalRow, ...]
    is_priced: bool = True
    """False: costs of some units are not entered, and losses are counted in armour levels."""


_KNOWN: list[tuple[Fight, Policy, Odds]] = []
"""Odds worked last: a screen asks for the same ones again and again."""


def order_choices(state: GameState, declared: Declared, order: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the units of a battle that an order of loss does not name yet: id and name."""
    battle = declared.started or declared.battle
    groups = (*battle.attacking, *battle.defending)
    units = [unit for group in groups for unit in (group.unit, *(load.unit for load in group.cargo))]
    return tuple((unit, name_of(state, unit)) for unit in dict.fromkeys(units) if unit not in order)


def order_text(state: GameState, policy: Policy) -> str:
    """Return a table's own order of loss in words; empty where a policy has none."""
    names = ", ".join(name_of(state, unit) for unit in policy.order)
    return _("Lost first: {units}").format(units=names) if names else ""


def battle_odds(state: GameState, declared: Declared, policy: Policy = CHEAPEST) -> OddsView | None:
    """Return the odds of a battle from its beginning; None while it cannot be fought as it stands."""
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected) or missing(fight):
        return None
    odds = odds_of(fight, policy)
    actual = _actual_losses(fight, declared)
    return _view(state, declared, odds, actual)


def odds_now(state: GameState, declared: Declared, policy: Policy = CHEAPEST) -> OddsView | None:
    """Return the odds of the rest of a battle being fought, before the dice of the step at hand."""
    fight, progress = fight_of(state, declared), declared.progress
    if isinstance(fight, Rejected) or progress is None or progress.step == END:
        return None
    try:
        odds = exact_odds(
            fight,
            dict.fromkeys(SIDES, policy),
            position=progress.position,
            attacking=progress.attacking,
            defending=progress.defending,
            retreats=False,
        )
    except TooLargeError:
        return None
    return _view(state, declared, odds, {})


def odds_of(fight: Fight, policy: Policy = CHEAPEST) -> Odds:
    """Return the odds of a fight from its beginning when nobody retreats: exact, else of virtual battles."""
    for known, under, odds in _KNOWN:
        same = known.battle == fight.battle and known.table is fight.table and known.edition == fight.edition
        if same and under == policy:
            return odds
    policies = dict.fromkeys(SIDES, policy)
    try:
        odds = exact_odds(fight, policies, retreats=False)
    except TooLargeError:
        odds = simulated_odds(fight, policies, runs=_RUNS)
    _KNOWN[:] = [(fight, policy, odds), *_KNOWN[:_KEPT]]
    return odds


def _actual_losses(fight: Fight, declared: Declared) -> dict[str, int]:
    """Return the cost that each side lost, once the battle is over."""
    progress = declared.progress
    if progress is None or declared.status != "over":
        return {}
    found = dict.fromkeys(SIDES, 0)
    for record in progress.records:
        for side in SIDES:
            for kind in fight.kinds(side):
                found[side] += record.losses[side][kind.index] * kind.cost
    return found


def _view(state: GameState, declared: Declared, odds: Odds, actual: dict[str, int]) -> OddsView:
    setup = state.frozen_setup
    if odds.method == "exact":
        how = _("exact")
    else:
        how = _("{n} virtual battles, ±{error}").format(n=odds.runs, error=_percent(odds.error))
    return OddsView(
        odds.method == "exact",
        how,
        _percent(odds.p_defender_cleared),
        _percent(odds.p_capture),
        _percent(odds.p_hold),
        _percent(odds.p_attacker_cleared),
        {side: figure(odds.expected_loss[side]) for side in SIDES},
        {
            side: _distribution(
                odds.loss_distribution[side],
                actual.get(side),
                mark(setup, side_id(state, declared.attacker, side)).tone,
            )
            for side in SIDES
        },
        tuple(
            SurvivalRow(
                nation_mark(setup, row.nation),
                name_of(state, row.unit),
                row.count,
                row.each,
                _percent(row.each),
            )
            for row in odds.survival
        ),
        not odds.costs_missing,
    )


def _percent(share: float) -> str:
    """Return a share as a percentage that never rounds a chance away: <0.1 % and >99.9 % stay visible."""
    if 0 < share < 0.001:
        return f"<{percent(0.001)}"
    if 0.999 < share < 1:
        return f">{percent(0.999)}"
    return percent(share)


def _distribution(losses: dict[int, float], actual: int | None, tone: str) -> Distribution:
    """Return costs lost as bins, of equal width where there are too many different ones."""
    if not losses:
        return Distribution(())
    least, most = min(losses), max(losses)
    width = -(-(most - least + 1) // _MOST_BINS)
    # A cost that cannot be lost keeps its place on the axis: no number is skipped.
    shares: dict[int, float] = dict.fromkeys(range(least, most + 1), 0.0) if width == 1 else {}
    for cost, share in losses.items():
        key = cost if width == 1 else (cost - least) // width
        shares[key] = shares.get(key, 0.0) + share
    bins, index = [], None
    for key in sorted(shares):
        low = key if width == 1 else least + key * width
        high = low + width - 1
        bins.append(Bin(str(low) if width == 1 else f"{low}–{high}", shares[key]))
        if actual is not None and low <= actual <= high:
            index = len(bins) - 1
    text = "" if actual is None else _("lost {n}").format(n=actual)
    return Distribution(tuple(bins), index, text, tone)
