"""Automatic and standard victory of every scenario, and how far each side is from each condition.

Checked when the last Victory step of a stage ends, at the stages that the scenario names. A result that an
unknown tile value hides is named as unknown, never guessed.

Source: rulebook v0.96, Victory Conditions; Short-Play Scenarios; Tournament Time, Ending the Game.
"""

from __future__ import annotations

import msgspec

from companion.core.events import Event, GameEnded
from companion.core.flow import Step
from companion.core.ids import Millis, Side
from companion.core.ledger import quarters_text
from companion.core.parts import Part
from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.core.text import Say, several
from companion.core.text import site as site_of
from companion.games.sfw.rules.control import Totals, holder, totals
from companion.games.sfw.rules.ledger import VictoryTable, other_side, ruling, tables

__all__ = ["Condition", "Verdict", "VictoryPart", "conditions", "is_last_check", "missing_for", "verdict"]


class Verdict(msgspec.Struct, frozen=True):
    """Who has won, how and why."""

    winner: Side | None
    kind: str
    """``automatic`` or ``standard``."""
    reason: str
    """For the record alone: it stands in the log as it was written, and no screen shows it."""


class Condition(msgspec.Struct, frozen=True, omit_defaults=True):
    """One condition of a scenario with how far its side is from it."""

    side: Side
    kind: str
    """``points``, ``control``, ``denial`` (the last stage passes) or ``most`` (most points at the end)."""
    stages: tuple[int, ...]
    """Stages at whose end it is checked."""
    has: int | None
    """Quarters, or sites held; None when an unknown value hides it."""
    needs: int | None
    is_met: bool | None
    """As things stand now; None when unknown."""
    sites: tuple[str, ...] = ()
    """With ``control``: the sites still to take."""

    @property
    def short_by(self) -> int | None:
        """Quarters or sites still missing; 0 when met, None when unknown."""
        if self.has is None or self.needs is None:
            return None
        return max(0, self.needs - self.has)


def conditions(state: GameState) -> tuple[Condition, ...]:
    """Return every condition of the scenario as things stand, automatic ones first."""
    table = tables(state)
    rule, now = table.victory, totals(state)
    found: list[Condition] = []
    for side, needs in rule.points.items():
        has = now.quarters.get(side)
        found.append(Condition(Side(side), "points", rule.stages, has, needs, _has_points(state, has, needs)))
    for side, wanted in rule.control.items():
        open_sites = tuple(site for site in wanted if holder(state, site).side != side)
        found.append(
            Condition(
                Side(side), "control", rule.stages, len(wanted) - len(open_sites), len(wanted), not open_sites,
                open_sites,
            )
        )  # fmt: skip
    found.extend(_at_the_end(state, rule, now, found))
    return tuple(found)


def _has_points(state: GameState, has: int | None, needs: int) -> bool | None:
    if has is None:
        return None
    return has == needs if ruling(state, "have_vp", "at_least") == "exactly" else has >= needs


def _at_the_end(
    state: GameState, rule: VictoryTable, now: Totals, automatic: list[Condition]
) -> list[Condition]:
    last = rule.stages[-1:]
    if rule.last_stage != "most":
        rivals = [item for item in automatic if item.side != rule.last_stage]
        met = None if any(item.is_met is None for item in rivals) else not any(item.is_met for item in rivals)
        return [Condition(Side(rule.last_stage), "denial", last, None, None, met)]
    found = []
    for info in state.frozen_setup.sides:
        has, rival = now.quarters.get(info.id), now.quarters.get(other_side(state.frozen_setup, info.id))
        if has is None or rival is None:
            found.append(Condition(info.id, "most", last, None, None, None))
            continue
        wins_tie = bool(rule.tie_site) and holder(state, rule.tie_site).side == info.id
        needs = rival if wins_tie else rival + 1
        found.append(Condition(info.id, "most", last, has, needs, has >= needs, (rule.tie_site,)))
    return found


def verdict(state: GameState, stage: int) -> Verdict | None:
    """Return who has won at the end of a stage's Victory Phase; None when nobody has, or nobody can tell."""
    rule = tables(state).victory
    if stage not in rule.stages:
        return None
    standing = conditions(state)
    for item in standing:
        if item.kind in ("points", "control") and item.is_met:
            return Verdict(item.side, "automatic", _reason(state, item))
    if stage != rule.stages[-1] or any(item.is_met is None for item in standing):
        return None
    for item in standing:
        if item.kind in ("denial", "most") and item.is_met:
            return Verdict(item.side, "standard", _reason(state, item))
    # A tie whose deciding site nobody is known to hold.
    return None


def _reason(state: GameState, item: Condition) -> str:
    name = next(info.name for info in state.frozen_setup.sides if info.id == item.side)
    table = tables(state)
    match item.kind:
        case "points":
            return f"{name} {quarters_text(item.has or 0)} VP, {quarters_text(item.needs or 0)} needed"
        case "control":
            return f"{name} control {' and '.join(table.sites[s].name for s in table.victory.control[item.side])}"
        case "most":
            tie = table.sites[item.sites[0]].name if item.has == item.needs and item.sites[0] else ""
            return f"{name} {quarters_text(item.has or 0)} VP" + (
                f", tied and {tie} theirs" if tie else ", the most"
            )
    return f"the last Stage passed without a victory of the other side; {name} win"


def missing_for(state: GameState) -> Say | None:
    """Say what must be entered before victory can be checked; None when nothing is missing."""
    now = totals(state)
    if not tables(state).counts_points or not now.missing:
        return None
    return Say.counted(
        "The tile value of {sites} is missing. Enter it, or set both totals by hand.",
        "The tile values of {sites} are missing. Enter them, or set both totals by hand.",
        len(now.missing),
        sites=several(site_of(item.site) for item in now.missing),
    )


def is_last_check(state: GameState, step: Step) -> bool:
    """Say whether a step is the last of its stage's Victory Phase."""
    if step.phase != "victory":
        return False
    after = state.itinerary.steps[state.itinerary.index(step.id) + 1 :][:1]
    return not after or after[0].phase != "victory" or after[0].stage != step.stage


class VictoryPart(Part):
    """Ends the game when a condition is met at the end of a Victory Phase; keeps no slice of its own."""

    name = "victory"

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Ask for the values without which victory cannot be checked."""
        if not is_last_check(state, step) or step.stage not in tables(state).victory.stages:
            return None
        missing = missing_for(state)
        return None if missing is None else Rejected(Code.STILL_OPEN, missing)

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Check victory at the end of the Victory Phase."""
        if not is_last_check(state, step):
            return ()
        won = verdict(state, step.stage)
        return () if won is None else (GameEnded(won.winner, won.reason, won.kind, at_ms),)
