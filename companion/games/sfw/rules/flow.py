"""Song for War's sequence of play: unfolding a scenario into steps, changing what is ahead, and what a flag costs.

Ids: ``setup``; per stage N ``sN.begin``, ``sN.t1.allies.move`` ... ``sN.t6.axis.return``, ``sN.v.allies.confirm``,
``sN.v.check``, ``sN.ns.allies.draw`` (or ``sN.ns.draw``, of the whole table), ``sN.ns.allies.play``,
``sN.r.allies.lanes``, ``.choose``, ``.place``. Where both sides act at once the side is ``both``. A phase that a
stage does not have has no steps.
Source: rulebook sections Order of Play, Movement Steps, Tournament Time, 6-Player Commander Game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command, EntryKind
from companion.core.events import Event, RulingSet, StepsReplaced
from companion.core.flow import CheckItem, Itinerary, Step
from companion.core.ids import RulingId, Side, StepId
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Context, Decision, Loss, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, several
from companion.games.sfw.rules.schema import (
    CheckRow,
    FlagLoss,
    GameFile,
    MovementStep,
    PhaseRow,
    ScenarioFile,
    StageRow,
)

__all__ = [
    "Choice",
    "FirstSideSet",
    "FlowPart",
    "FlowSlice",
    "SetFirstSide",
    "SetTogether",
    "TogetherSet",
    "active_units",
    "check_items",
    "open_stages",
    "skipped_phases",
    "together_phases",
    "unfold",
]

BOTH = "both"
"""Stands for the side in the ids of steps in which both sides act at once."""

_PREFIX = {"tactical": "t", "victory": "v", "national_support": "ns", "resupply": "r"}


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What of a new game's options changes its sequence of play."""

    commander: bool = False
    tournament: bool = False
    solo: bool = False
    """One player plays everybody."""
    together: tuple[str, ...] = ()
    """Phases in which both sides act at once."""
    first: dict[str, Side] = {}
    """Stage number, as text, to the side that acts first there instead of the data's."""
    rulings: dict[str, str] = {}


def unfold(game: GameFile, scenario: ScenarioFile, choice: Choice) -> tuple[Step, ...]:
    """Return the whole sequence of play of a checked scenario, from set-up to its last Victory."""
    return tuple(_Unfolding(game, scenario, choice).steps())


def check_items(game: GameFile, scenario: ScenarioFile) -> dict[str, CheckItem]:
    """Return every checklist line by id, those of other scenarios left out."""
    rows = (*game.checks, *scenario.checks)
    return {row.id: CheckItem(row.id, row.text, row.source) for row in rows if _is_of_scenario(row, scenario)}


def skipped_phases(
    game: GameFile, scenario: ScenarioFile, choice: Choice
) -> tuple[tuple[int, str, str], ...]:
    """Return stage, phase and reason of every phase that a stage goes without."""
    unfolding = _Unfolding(game, scenario, choice)
    return tuple(
        (stage.number, phase, reason)
        for stage in scenario.stages
        for phase, reason in unfolding.skipped(stage).items()
    )


def active_units(movement: MovementStep, rulings: Mapping[str, str]) -> tuple[str, ...]:
    """Return the standard units that are active in a movement step under the table's rulings."""
    dropped = {
        unit for drop in movement.drops if rulings.get(drop.ruling) == drop.value for unit in drop.units
    }
    return tuple(unit for unit in movement.units if unit not in dropped)


class _Unfolding:
    """One unfolding of a scenario; holds what every step asks for."""

    def __init__(self, game: GameFile, scenario: ScenarioFile, choice: Choice) -> None:
        self.game, self.scenario, self.choice = game, scenario, choice
        self.phases: dict[str, PhaseRow] = {phase.id: phase for phase in game.phases}
        rows = [row for row in (*game.checks, *scenario.checks) if _is_of_scenario(row, scenario)]
        self.rows = _in_order_of_duty(rows)

    def steps(self) -> Iterator[Step]:
        """Yield all steps in playing order."""
        yield Step(StepId("setup"), 0, "setup", "setup", checks=self.checks("setup", "setup"))
        for stage in self.scenario.stages:
            number = stage.number
            yield Step(
                StepId(f"s{number}.begin"), number, "begin", "begin", checks=self.checks("begin", "begin")
            )
            for phase in stage.phases:
                if phase in self.skipped(stage):
                    continue
                if phase == "tactical":
                    yield from self.tactical(stage)
                else:
                    yield from self.phase(stage, self.phases[phase])

    def skipped(self, stage: StageRow) -> dict[str, str]:
        """Return the phases that a stage goes without, with the reason."""
        skipped: dict[str, str] = {str(phase): reason for phase, reason in stage.skipped.items()}
        if self.choice.commander and "national_support" in stage.phases:
            skipped["national_support"] = "The commander game has no National Support Phase."
        return skipped

    def order(self, stage: StageRow) -> tuple[Side, Side]:
        """Return the sides of a stage, the one that acts first at the front."""
        first = self.choice.first.get(str(stage.number), stage.first_side)
        second = next(side.id for side in self.game.sides if side.id != first)
        return first, second

    def tactical(self, stage: StageRow) -> Iterator[Step]:
        """Yield the movement steps: in each, one side does all its acts, then the other."""
        for movement in self.game.movement_steps:
            units = active_units(movement, self.choice.rulings)
            for side in self.order(stage):
                for act in movement.acts:
                    yield Step(
                        StepId(f"s{stage.number}.t{movement.number}.{side}.{act}"),
                        stage.number,
                        "tactical",
                        act,
                        movement.number,
                        (side,),
                        side,
                        units,
                        self.checks("tactical", act, side, movement.number),
                    )

    def phase(self, stage: StageRow, phase: PhaseRow) -> Iterator[Step]:
        """Yield the steps of Victory, National Support or Resupply."""
        first, second = self.order(stage)
        if phase.id in self.choice.together:
            turns: tuple[tuple[str, tuple[Side, ...]], ...] = ((BOTH, (first, second)),)
        else:
            turns = ((first, (first,)), (second, (second,)))
        prefix = f"s{stage.number}.{_PREFIX[phase.id]}"
        if phase.opening_act is not None:
            act = phase.opening_act
            yield Step(
                StepId(f"{prefix}.{act}"), stage.number, phase.id, act, checks=self.checks(phase.id, act)
            )
        for name, owners in turns:
            clock = owners[0] if phase.clocked and len(owners) == 1 else None
            for act in phase.acts:
                if act == "lanes" and self.scenario.family != "theater":
                    continue
                checks = self.checks(phase.id, act, *owners)
                yield Step(
                    StepId(f"{prefix}.{name}.{act}"),
                    stage.number,
                    phase.id,
                    act,
                    owners=owners,
                    clock=clock,
                    checks=checks,
                )
        if phase.closing_act is not None:
            act = phase.closing_act
            yield Step(
                StepId(f"{prefix}.{act}"), stage.number, phase.id, act, checks=self.checks(phase.id, act)
            )

    def checks(self, phase: str, act: str, *where: Side | int) -> tuple[str, ...]:
        """Return the ids of the checklist lines of a step; `where` holds its sides and its movement step."""
        return tuple(
            row.id
            for row in self.rows
            if row.phase == phase
            and act in row.acts
            and (not row.movement_steps or any(number in where for number in row.movement_steps))
            and (not row.sides or any(side in where for side in row.sides))
            and row.commander in (None, self.choice.commander)
            and row.tournament in (None, self.choice.tournament)
            and row.solo in (None, self.choice.solo)
        )


def _in_order_of_duty(rows: list[CheckRow]) -> list[CheckRow]:
    """Return lines in the order of the files, but each before the one that it has to be done before."""
    early: dict[str, list[CheckRow]] = {}
    for row in rows:
        if row.before is not None:
            early.setdefault(row.before, []).append(row)
    found: list[CheckRow] = []
    for row in rows:
        found += early.pop(row.id, [])
        if row.before is None:
            found.append(row)
    return [*found, *(row for waiting in early.values() for row in waiting)]


def _is_of_scenario(row: CheckRow, scenario: ScenarioFile) -> bool:
    return (
        (not row.families or scenario.family in row.families)
        and (not row.boards or scenario.board in row.boards)
        and (not row.scenarios or scenario.scenario in row.scenarios)
    )


class SetFirstSide(Command, frozen=True, tag=True):
    """Read from the board's flags which side acts first in a stage that has not begun."""

    kind: ClassVar[EntryKind] = "sticky"
    stage: int
    side: Side


class SetTogether(Command, frozen=True, tag=True):
    """Agree in which phases, from the next one on, both sides act at once; none: one after the other."""

    kind: ClassVar[EntryKind] = "sticky"
    phases: tuple[str, ...]


class FirstSideSet(Event, frozen=True, tag=True):
    """A stage's first side was set."""

    stage: int
    side: Side


class TogetherSet(Event, frozen=True, tag=True):
    """Both sides act at once in these phases."""

    phases: tuple[str, ...]


class FlowSlice(msgspec.Struct, frozen=True):
    """What the sequence of play keeps for itself."""

    losses: tuple[FlagLoss, ...] = ()
    """The losses of a fallen flag, as frozen with the game."""
    first: dict[str, Side] = {}
    """Stage number, as text, to a first side that the table set."""
    together: tuple[str, ...] = ()
    """Phases in which both sides act at once."""


def open_stages(state: GameState) -> tuple[tuple[int, Side], ...]:
    """Return the stages ahead whose first side the table may read from its board, each with who is first now."""
    own: FlowSlice = state.game[FlowPart.name]
    return tuple(
        (row.number, own.first.get(str(row.number), row.first_side))
        for row in _tables(state.frozen_setup)[1].stages
        if row.status.get("first_side", ("",))[0] == "inferred" and _is_ahead(state, row.number)
    )


def together_phases(state: GameState) -> tuple[tuple[str, bool], ...]:
    """Return the phases in which sides may agree to act at once, each with whether they do."""
    own: FlowSlice = state.game[FlowPart.name]
    phases = _tables(state.frozen_setup)[0].phases
    return tuple((phase.id, phase.id in own.together) for phase in phases if phase.together)


class FlowPart(Part):
    """The sequence of play as a part of Song for War's rules."""

    name = "flow"
    commands: tuple[type[Command], ...] = (SetFirstSide, SetTogether)
    events: tuple[type[Event], ...] = (FirstSideSet, TogetherSet)

    def initial(self, setup: Setup) -> FlowSlice:
        """Read the losses from the frozen tables. ValueError when they are broken."""
        raw: Mapping[str, Any] = setup.tables.get("game", {})
        losses = msgspec.convert(raw.get("flag_losses", []), tuple[FlagLoss, ...])
        options = setup.options
        return FlowSlice(losses, dict(options.get("first", {})), tuple(options.get("together", ())))

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide who acts first in a stage, and where both sides act at once. Source: Which Side Acts First."""
        match command:
            case SetFirstSide():
                return self._set_first_side(state, command)
            case SetTogether():
                return self._set_together(state, command)
            case _:
                return super().decide(state, command, ctx)

    def evolve(self, own: FlowSlice, event: Event, state: GameState) -> FlowSlice:  # noqa: ARG002
        """Keep what the table settled."""
        match event:
            case FirstSideSet(stage, side):
                return replace(own, first={**own.first, str(stage): side})
            case TogetherSet(phases):
                return replace(own, together=phases)
            case _:
                return own

    def ruled(self, state: GameState, ruling: RulingId) -> tuple[Event, ...]:
        """Let the rest of the sequence of play follow a ruling that decides it."""
        own: FlowSlice = state.game[self.name]
        if ruling == "step5_guns":
            return self._replaced(state, own)
        if ruling == "act_together" and state.rulings[ruling] == "never" and own.together:
            return (TogetherSet(()), *self._replaced(state, replace(own, together=())))
        if ruling == "first_side" and state.rulings[ruling] == "alternates":
            usual = {row.number: row.first_side for row in _tables(state.frozen_setup)[1].stages}
            back = tuple(
                FirstSideSet(int(stage), usual[int(stage)])
                for stage in own.first
                if _is_ahead(state, int(stage))
            )
            first = {**own.first, **{str(event.stage): event.side for event in back}}
            return (*back, *self._replaced(state, replace(own, first=first))) if back else ()
        return ()

    def _set_first_side(self, state: GameState, command: SetFirstSide) -> Decision:
        own: FlowSlice = state.game[self.name]
        game, scenario = _tables(state.frozen_setup)
        rows = {row.number: row for row in scenario.stages}
        row = rows.get(command.stage)
        if row is None or row.status.get("first_side", ("",))[0] != "inferred":
            return Rejected(
                "first_side_stated",
                Say("The rulebook fixes who acts first in stage {stage}.", stage=command.stage),
            )
        if command.side not in [side.id for side in game.sides]:
            return Rejected(
                Code.UNKNOWN_SIDE, Say("This game has no such side: {found}.", found=Typed(command.side))
            )
        if not _is_ahead(state, command.stage):
            return Rejected("stage_begun", Say("Stage {stage} has already begun.", stage=command.stage))
        if own.first.get(str(command.stage), row.first_side) == command.side:
            return Accepted(())
        events: list[Event] = [FirstSideSet(command.stage, command.side)]
        before = state.rulings.get("first_side", "board")
        if before != "board":
            events.append(RulingSet(RulingId("first_side"), "board", before))
        after = replace(own, first={**own.first, str(command.stage): command.side})
        return Accepted((*events, *self._replaced(state, after)))

    def _set_together(self, state: GameState, command: SetTogether) -> Decision:
        own: FlowSlice = state.game[self.name]
        able = [phase.id for phase in _tables(state.frozen_setup)[0].phases if phase.together]
        unknown = [phase for phase in command.phases if phase not in able]
        if unknown:
            return Rejected(
                Code.BAD_VALUE,
                Say(
                    "Both sides can act at once only in these phases: {phases}. Not in {unknown}.",
                    phases=several(Name("phase", phase) for phase in able),
                    unknown=several(Name("phase", phase) for phase in unknown),
                ),
            )
        phases = tuple(phase for phase in able if phase in command.phases)
        if phases and state.clocks.config.tournament:
            return Rejected("never_both_clocks", Say("Under tournament time, one side acts after the other."))
        if phases and state.rulings.get("act_together") == "never":
            return Rejected("never_together", Say("Your table has ruled that both sides never act at once."))
        if phases == own.together:
            return Accepted(())
        return Accepted((TogetherSet(phases), *self._replaced(state, replace(own, together=phases))))

    def _replaced(self, state: GameState, own: FlowSlice) -> tuple[Event, ...]:
        """Return the event that lets the rest of the game follow new choices; none where nothing changes.

        A phase that both sides are in the middle of is played out as it began.
        """
        setup, steps, index = state.frozen_setup, state.itinerary.steps, state.index
        choice = Choice(
            commander=bool(setup.options.get("commander")),
            tournament=setup.clock.tournament,
            solo=setup.options.get("players") == 1,
            together=own.together,
            first=own.first,
            rulings=state.rulings,
        )
        line = Itinerary(unfold(*_tables(setup), choice))
        step = steps[index]
        if step.id in line:
            rest = line.steps[line.index(step.id) :]
        else:
            phase = (step.stage, step.phase)
            old_end = max(i for i, other in enumerate(steps) if (other.stage, other.phase) == phase)
            new_end = max(i for i, other in enumerate(line.steps) if (other.stage, other.phase) == phase)
            rest = (*steps[index : old_end + 1], *line.steps[new_end + 1 :])
        return () if rest == steps[index:] else (StepsReplaced(step.id, rest),)

    def flag_losses(self, state: GameState, side: Side) -> tuple[Loss, ...]:
        """Return what a side loses whose flag fell at the current step, for the table to tick off.

        Losses of a later phase are named only where this stage still has that phase before it.
        Source: Tournament Time, Game Play; table ruling ``fallen_side``.
        """
        own: FlowSlice = state.game[self.name]
        step = state.step
        coming = {
            later.phase
            for later in state.itinerary.steps[state.index :]
            if later.stage == step.stage and side in later.owners
        }
        return tuple(
            Loss(loss.id, Say(loss.text))
            for loss in own.losses
            if loss.phase == step.phase
            and loss.later_phase in (None, *coming)
            and (loss.ruling is None or state.rulings.get(loss.ruling.id) == loss.ruling.value)
        )


def _tables(setup: Setup) -> tuple[GameFile, ScenarioFile]:
    """Return the frozen tables that the sequence of play was unfolded from. KeyError where a game has none."""
    game = msgspec.convert(setup.tables["game"], GameFile)
    return game, msgspec.convert(setup.tables["scenario"], ScenarioFile)


def _is_ahead(state: GameState, stage: int) -> bool:
    """Say whether a stage has not begun: the position is before it or at its very beginning."""
    return state.index <= state.itinerary.index(StepId(f"s{stage}.begin"))
