"""Victory: instant total at any time, and the chart at the end of the last round.

Source: rulebook, How the Campaign Is Won.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Final, Literal

import msgspec

from companion.core import events as ev
from companion.core.commands import Command
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Millis, Nation, Side, SiteId
from companion.core.judgement import Judgement as Known
from companion.core.judgement import Need, all_of, any_of
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, Typed, area, several
from companion.games.aana.rules import figures as fg
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.conditions import held_by, marker_known, marker_need
from companion.games.aana.rules.ledger_messages import ControlChanged
from companion.games.aana.rules.pieces import Piece

__all__ = [
    "CAPITALS",
    "CHART",
    "LEVELS",
    "BreakDraw",
    "Claim",
    "Claimed",
    "Judgement",
    "SetControl",
    "VictoryPart",
    "condition",
    "instant_events",
    "judged",
    "land_worth",
    "missing_spaces",
    "undecided",
]

CAPITALS: Final[Mapping[SiteId, Side]] = {SiteId("cairo"): fg.ALLIES, SiteId("tunis"): fg.AXIS}
"""Regional capitals and the side that must not lose them."""

Level = Literal["total", "major", "minor"]
LEVELS: Final[tuple[Level, ...]] = ("total", "major", "minor")

CHART: Final = "victory chart"
"""Why a game ended, as its last event keeps it: the chart was judged."""

_AFRICA_EXCLUDED: Final = ("malta", "gibraltar", "italy", "sicily", "sardinia", "crete")


class SetControl(Command, frozen=True, tag=True):
    """Put a control marker on a territory, or take it away: a correction, or a capture outside a battle."""

    territory: SiteId
    power: Nation | None
    at_ms: Millis = 0


class Claim(Command, frozen=True, tag=True):
    """Say that the enemy has no combat unit left in a territory of North Africa."""

    side: Side
    at_ms: Millis


class BreakDraw(Command, frozen=True, tag=True):
    """Break a draw by the cost of land units in territories, counted by the table."""

    axis: int
    allies: int
    at_ms: Millis


class Claimed(Event, frozen=True, tag=True):
    """A side was found without combat units in North Africa."""

    side: Side


class DrawBroken(Event, frozen=True, tag=True):
    """The table counted the cost of land units."""

    axis: int
    allies: int


class Judgement(msgspec.Struct, frozen=True):
    """What the chart says now."""

    reached: dict[str, tuple[Level, ...]]
    """Side to the levels whose conditions it meets."""
    winner: str | None
    level: str
    """Empty for a draw."""


def condition(state: GameState, side: Side, groups: Iterable[Iterable[SiteId]]) -> Known:
    """Judge a line of the chart: a side holds all territories of one of the groups.

    Source: rulebook, How the Campaign Is Won.
    """
    return any_of(all_of(held_by(state, space, side) for space in group) for group in groups)


def missing_spaces(state: GameState, side: Side, groups: Iterable[Iterable[SiteId]]) -> tuple[SiteId, ...]:
    """Return the territories that a side lacks of the group that it is nearest to; none where it holds one whole.

    Source: rulebook, How the Campaign Is Won.
    """
    lacks = [tuple(space for space in group if not held_by(state, space, side).is_yes) for group in groups]
    return min(lacks, key=len, default=())


def undecided(state: GameState, control: Mapping[SiteId, Nation] | None = None) -> tuple[Need, ...]:
    """Return the markers that nobody has told and that may still change what the chart says.

    Args:
        control: The markers, where they are not those of now.
    """
    known = lg.ledger_of(state).control if control is None else control
    named = dict.fromkeys(
        space
        for table in lg.scenario_of(state).victory.values()
        for level in LEVELS
        for group in getattr(table, level)
        for space in group
    )
    open_ = [space for space in named if not known.get(space) and not marker_known(state, space)]
    if not open_:
        return ()
    verdicts: dict[tuple[str, ...], Judgement] = {}
    for holders in product((Nation("germany"), Nation("uk"), fg.NO_POWER), repeat=len(open_)):
        told = {space: power for space, power in zip(open_, holders, strict=True) if power}
        verdicts[holders] = judged(state, {**known, **told})
    return tuple(
        marker_need(space)
        for i, space in enumerate(open_)
        if any(
            _decided(verdicts[holders]) != _decided(verdicts[*holders[:i], other, *holders[i + 1 :]])
            for holders in verdicts
            for other in ("germany", "uk", "")
        )
    )


def _decided(verdict: Judgement) -> tuple[str | None, str]:
    return verdict.winner, verdict.level


def judged(state: GameState, control: Mapping[SiteId, Nation] | None = None) -> Judgement:
    """Judge the chart by the control markers of now, or by others; what nobody has told counts for nobody."""
    control = lg.ledger_of(state).control if control is None else control
    holds = {
        side: {space for space, power in control.items() if fg.SIDE_OF.get(power) == side}
        for side in (fg.AXIS, fg.ALLIES)
    }
    reached: dict[str, tuple[Level, ...]] = {}
    for side, table in lg.scenario_of(state).victory.items():
        reached[side] = tuple(
            level for level in LEVELS if any(set(group) <= holds[side] for group in getattr(table, level))
        )
    best = {side: LEVELS.index(levels[0]) if levels else len(LEVELS) for side, levels in reached.items()}
    axis, allies = best[fg.AXIS], best[fg.ALLIES]
    if axis == allies:
        return Judgement(reached, None, "")
    both = axis < len(LEVELS) and allies < len(LEVELS)
    if both and state.rulings.get("aana.levels", "higher") == "draw":
        return Judgement(reached, None, "")
    winner = fg.AXIS if axis < allies else fg.ALLIES
    return Judgement(reached, winner, LEVELS[min(axis, allies)])


def land_worth(state: GameState) -> dict[str, int | None]:
    """Return the cost of each side's land units in territories; None when spaces or costs are not known."""
    ledger, own, book = lg.ledger_of(state), lg.board(state), lg.figures(state)
    territories = [row.id for row in own.territories()]
    if any(space not in ledger.told for space in territories):
        return {fg.AXIS: None, fg.ALLIES: None}
    found: dict[str, int | None] = {fg.AXIS: 0, fg.ALLIES: 0}
    for space in territories:
        for piece, n in ledger.units.get(space, {}).items():
            power, unit, _ = lg.split(piece)
            row, side = book.row(power, unit), fg.SIDE_OF[power]
            so_far = found[side]
            if row.type not in ("land", "truck") or so_far is None:
                continue
            found[side] = None if row.cost is None else so_far + n * row.cost
    return found


def instant_events(
    state: GameState,
    control: Mapping[SiteId, Nation],
    units: Mapping[SiteId, Mapping[Piece, int]],
    at_ms: Millis,
) -> tuple[Event, ...]:
    """Return the end of the game when a capital has fallen, or a side is gone from North Africa."""
    for capital, owner in CAPITALS.items():
        holder = control.get(capital, fg.NO_POWER)
        if fg.SIDE_OF.get(holder) == fg.enemy_of(owner):
            return end_events(state, fg.enemy_of(owner), f"captured {capital}", "instant total", at_ms)
    own, ledger, book = lg.board(state), lg.ledger_of(state), lg.figures(state)
    africa = [row.id for row in own.territories() if row.id not in _AFRICA_EXCLUDED]
    if any(space not in ledger.told for space in africa):
        return ()
    alive = {
        fg.SIDE_OF[lg.split(piece)[0]]
        for space in africa
        for piece, n in units.get(space, {}).items()
        if n and book.row(*lg.split(piece)[:2]).is_combat
    }
    for side in (fg.AXIS, fg.ALLIES):
        if side not in alive and fg.enemy_of(side) in alive:
            return end_events(
                state, fg.enemy_of(side), "no enemy combat unit left in North Africa", "instant total", at_ms
            )
    return ()


def end_events(
    state: GameState, winner: str | None, reason: str, level: str, at_ms: Millis
) -> tuple[Event, ...]:
    """Return the end of the game, the running clock stopped first."""
    clocks = state.clocks
    at = max(at_ms, clocks.last_ms)
    stop: tuple[Event, ...] = ()
    if clocks.running is not None:
        stop = (ev.ClockStopped(clocks.running, at, max(0, at - clocks.since_ms), state.step.id),)
    return (*stop, ev.GameEnded(None if winner is None else Side(winner), reason, level, at))


def _set_control(state: GameState, command: SetControl) -> Decision:
    own, ledger = lg.board(state), lg.ledger_of(state)
    if command.power is not None and (command.power not in fg.SIDE_OF or command.power == "free_french"):
        return Rejected(Code.BAD_VALUE, Say("{power} is not a power.", power=Typed(command.power)))
    if not own.is_open_to_capture(command.territory):
        return Rejected(
            "no_control", Say("{space} has no control marker that can change.", space=area(command.territory))
        )
    before = ledger.control.get(command.territory)
    if before == command.power and (before is not None or command.territory in ledger.unmarked):
        return Accepted(())
    control = {**ledger.control, command.territory: command.power or fg.NO_POWER}
    over = instant_events(state, control, ledger.units, command.at_ms)
    changed = ControlChanged(command.territory, command.power, before)
    if not over and state.step.phase == "victory" and state.ending is None and undecided(state):
        told = {need.id for need in undecided(state, control)} - {command.territory}
        over = () if told else chart_events(state, control, command.at_ms)
    return Accepted((changed, *over))


def chart_events(state: GameState, control: Mapping[SiteId, Nation], at_ms: Millis) -> tuple[Event, ...]:
    """Return the end of the game by the chart; a draw waits only where the table wants to break it.

    Source: rulebook, How the Campaign Is Won.
    """
    verdict = judged(state, control)
    if verdict.winner is not None:
        return end_events(state, verdict.winner, CHART, verdict.level, at_ms)
    if "tie_break" not in state.frozen_setup.options.get("optional", ()):
        return end_events(state, None, CHART, "", at_ms)
    worth = land_worth(state)
    axis, allies = worth[fg.AXIS], worth[fg.ALLIES]
    if axis is None or allies is None:
        return ()
    winner = None if axis == allies else fg.AXIS if axis > allies else fg.ALLIES
    reason = f"cost of land units in territories: Axis {axis}, Allies {allies}"
    return end_events(state, winner, reason, "tie-break" if winner else "", at_ms)


class VictoryPart(Part):
    """Claims, the chart at the end, and the broken draw."""

    name = "victory"
    commands: tuple[type[Command], ...] = (SetControl, Claim, BreakDraw)
    events: tuple[type[Event], ...] = (Claimed, DrawBroken)

    def initial(self, setup: Setup) -> None:  # noqa: ARG002
        """Keep nothing: the ledger says it all."""
        return

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide a claim or a broken draw."""
        if isinstance(command, SetControl):
            return _set_control(state, command)
        if isinstance(command, Claim):
            if command.side not in (fg.AXIS, fg.ALLIES):
                return Rejected(
                    Code.UNKNOWN_SIDE, Say("{side} is not a side of this game.", side=Typed(command.side))
                )
            loser = fg.enemy_of(command.side)
            left = [
                area(row.id)
                for row in lg.board(state).territories()
                if row.id not in _AFRICA_EXCLUDED
                for piece, n in lg.ledger_of(state).units.get(row.id, {}).items()
                if n
                and fg.SIDE_OF[lg.split(piece)[0]] == loser
                and lg.figures(state).row(*lg.split(piece)[:2]).is_combat
            ]
            if left:
                return Rejected(
                    "enemy_there",
                    Say(
                        "The ledger still shows enemy units in {spaces}.", spaces=several(dict.fromkeys(left))
                    ),
                )
            reason = "no enemy combat unit left in North Africa"
            return Accepted(
                (Claimed(loser), *end_events(state, command.side, reason, "instant total", command.at_ms))
            )
        if isinstance(command, BreakDraw):
            if state.step.phase != "victory":
                return Rejected("wrong_phase", Say("The chart is judged at the end of the last round."))
            needs = undecided(state)
            if needs:
                return Rejected(Code.NOT_KNOWN, needs[0].question, needs)
            if judged(state).winner is not None:
                return Rejected("no_draw", Say("The chart already has a winner."))
            if command.axis < 0 or command.allies < 0:
                return Rejected(Code.BAD_VALUE, Say("Costs cannot be negative."))
            winner = None
            if command.axis != command.allies:
                winner = fg.AXIS if command.axis > command.allies else fg.ALLIES
            reason = f"cost of land units in territories: Axis {command.axis}, Allies {command.allies}"
            return Accepted(
                (
                    DrawBroken(command.axis, command.allies),
                    *end_events(state, winner, reason, "tie-break" if winner else "", command.at_ms),
                )
            )
        return super().decide(state, command, ctx)

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Judge the chart at the end, once it is known who holds what decides it."""
        if step.phase != "victory" or undecided(state):
            return ()
        return chart_events(state, lg.ledger_of(state).control, at_ms)

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Judge by what is known where the table goes on without telling the rest."""
        if step.phase != "victory" or not undecided(state):
            return ()
        return chart_events(state, lg.ledger_of(state).control, at_ms)

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """A draw that is to be broken waits for the table's count, the chart for markers that decide it."""
        if step.phase != "victory":
            return None
        needs = undecided(state)
        if needs:
            return Rejected(Code.STILL_OPEN, needs[0].question, needs)
        return Rejected(Code.STILL_OPEN, Say("Count the cost of land units to break the draw."))
