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
from companion.core.judgement import Judgement, Need, all_of, any_of, judged
from companion.core.ledger import quarters_text
from companion.core.newest import Newest
from companion.core.parts import Part
from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.core.text import Say, several
from companion.core.text import site as site_of
from companion.games.sfw.rules.control import Totals, held_by, totals
from companion.games.sfw.rules.ledger import VictoryTable, other_side, ruling
from companion.games.sfw.rules.ledger_values import printed_key, tables

__all__ = [
    "Condition",
    "Verdict",
    "VictoryPart",
    "conditions",
    "is_last_check",
    "missing_for",
    "needs_for",
    "verdict",
]


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
    asks: tuple[Need, ...] = ()
    """The values that decide it while it is unknown."""

    @property
    def short_by(self) -> int | None:
        """Quarters or sites still missing; 0 when met, None when unknown."""
        if self.has is None or self.needs is None:
            return None
        return max(0, self.needs - self.has)


_CONDITIONS: Newest[tuple[Condition, ...]] = Newest(2)


def conditions(state: GameState) -> tuple[Condition, ...]:
    """Return every condition of the scenario as things stand, automatic ones first."""
    return _CONDITIONS.of(state, make=lambda: _conditions(state))


def _conditions(state: GameState) -> tuple[Condition, ...]:
    table = tables(state)
    rule, now = table.victory, totals(state)
    found: list[Condition] = []
    for side, needs in rule.points.items():
        has = now.quarters.get(side)
        is_met = _has_points(state, has, needs)
        open_tiles = _tile_needs(state, now) if is_met is None else ()
        found.append(Condition(side, "points", rule.stages, has, needs, is_met, (), open_tiles))
    for side, wanted in rule.control.items():
        each = {site: held_by(state, site, side) for site in wanted}
        open_sites = tuple(site for site, held in each.items() if not held.is_yes)
        met = all_of(each.values())
        has = None if any(held.is_unknown for held in each.values()) else len(wanted) - len(open_sites)
        found.append(
            Condition(side, "control", rule.stages, has, len(wanted), met.answer, open_sites, met.needs)
        )
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
        met = ~any_of(Judgement(item.is_met, item.asks) for item in rivals)
        return [Condition(Side(rule.last_stage), "denial", last, None, None, met.answer, (), met.needs)]
    found = []
    for info in state.frozen_setup.sides:
        has, rival = now.quarters.get(info.id), now.quarters.get(other_side(state.frozen_setup, info.id))
        if has is None or rival is None:
            open_tiles = _tile_needs(state, now)
            found.append(Condition(info.id, "most", last, None, None, None, (), open_tiles))
            continue
        # Only a tie asks who holds the deciding site.
        is_tied = has == rival and bool(rule.tie_site)
        wins = held_by(state, rule.tie_site, info.id) if is_tied else judged(has > rival)
        takes_tie = bool(rule.tie_site) and held_by(state, rule.tie_site, info.id).is_yes
        needs = rival if takes_tie else rival + 1
        found.append(Condition(info.id, "most", last, has, needs, wins.answer, (rule.tie_site,), wins.needs))
    return found


def _tile_needs(state: GameState, now: Totals) -> tuple[Need, ...]:
    """Return the tile values without which the totals cannot be told."""
    table = tables(state)
    return tuple(
        Need(
            "printed",
            printed_key(table, "vp", item.site),
            Say("How many victory points is {site} worth?", site=site_of(item.site)),
        )
        for item in now.missing
    )


def verdict(state: GameState, stage: int) -> Verdict | None:
    """Return who has won at the end of a stage's Victory Phase; None when nobody has, or nobody can tell."""
    rule = tables(state).victory
    if stage not in rule.stages:
        return None
    standing = conditions(state)
    for item in standing:
        if item.kind in ("points", "control") and item.is_met:
            return Verdict(item.side, "automatic", _reason(state, item))
    if stage != rule.stages[-1] or any(
        item.is_met is None for item in standing if item.kind in ("points", "control", "denial")
    ):
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


def needs_for(state: GameState, stage: int) -> tuple[Need, ...]:
    """Return the values that decide whether somebody has won at the end of a stage, the first to be asked first.

    Nothing once a side is known to have won; in the last stage also what its standard victory hangs on.
    """
    rule = tables(state).victory
    if stage not in rule.stages or verdict(state, stage) is not None:
        return ()
    kinds = ("points", "control", "denial", "most") if stage == rule.stages[-1] else ("points", "control")
    standing = [item for item in conditions(state) if item.kind in kinds and item.is_met is None]
    return tuple(dict.fromkeys(need for item in standing for need in item.asks))


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
        needs = needs_for(state, step.stage)
        if not needs:
            return None
        # Who holds the site that settles a tie decides who wins, and one look at the board tells it.
        is_tie = missing_for(state) is None and step.stage == tables(state).victory.stages[-1]
        code = Code.NOT_KNOWN if is_tie else Code.STILL_OPEN
        return Rejected(code, missing_for(state) or needs[0].question, needs)

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Check victory at the end of the Victory Phase."""
        if not is_last_check(state, step):
            return ()
        won = verdict(state, step.stage)
        return () if won is None else (GameEnded(won.winner, won.reason, won.kind, at_ms),)
