"""Sequence of play: steps with stable ids in one line, and walking over them.

A scenario unfolds into an `Itinerary` once, when its game starts. Next, back, jump, progress and
"what comes next" are walks over that line; a step that does not take place (a fallen flag, say) is
skipped by a predicate over the state and never removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from companion.core.ids import Nation, Side, StepId

__all__ = ["CheckItem", "Itinerary", "Step"]


class CheckItem(msgspec.Struct, frozen=True):
    """One line of a step's checklist, in our own words."""

    id: str
    """Stable within the game, such as ``resupply.lanes.net``."""
    text: str
    """English source text; the screen translates it through the catalogue."""
    section: str
    """The rulebook section that the line rests on."""


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One act of the sequence of play: the smallest thing that the main button ends."""

    id: StepId
    stage: int
    """The number printed on the track: stage, round, season or operation. 0 before the first."""
    phase: str
    act: str
    """What is done: ``move``, ``declare``, ``resolve``, ``return``, ``lanes``, ``place``, ``begin`` ..."""
    movement_step: int | None = None
    owners: tuple[Side, ...] = ()
    """Who acts. Empty: the table as a whole. Several: at the same time."""
    clock: Side | None = None
    """Whose clock runs; None: all clocks stand."""
    active_units: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    """Ids of `CheckItem` in the frozen game's list."""
    nation: Nation | None = None
    """The one nation or power that acts, where the game goes nation by nation."""


class Itinerary:
    """An immutable line of steps with look-up by id.

    Positions are indices into `steps`. Ids are unique; building with a repeated id raises ValueError.
    """

    __slots__ = ("_index", "_stages", "steps")

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        """Take the steps in playing order."""
        self.steps: tuple[Step, ...] = tuple(steps)
        self._index: dict[StepId, int] = {step.id: i for i, step in enumerate(self.steps)}
        self._stages: tuple[int, ...] | None = None
        if len(self._index) != len(self.steps):
            ids = [step.id for step in self.steps]
            twice = next(step_id for step_id in ids if ids.count(step_id) > 1)
            raise ValueError(f"step id {twice!r} stands twice in the sequence of play")

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itinerary) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(tuple(step.id for step in self.steps))

    def __repr__(self) -> str:
        return f"Itinerary(<{len(self.steps)} steps>)"

    def __contains__(self, step_id: object) -> bool:
        return step_id in self._index

    def index(self, step_id: StepId) -> int:
        """Return the position of a step; KeyError when the line has no such step."""
        return self._index[step_id]

    def with_segment(self, steps: Iterable[Step]) -> Itinerary:
        """Return a longer line; ValueError when an id stands in it already."""
        return Itinerary((*self.steps, *steps))

    def following(self, index: int, skips: Callable[[Step], bool]) -> int | None:
        """Return the next position after `index` that takes place, or None at the end."""
        for i in range(index + 1, len(self.steps)):
            if not skips(self.steps[i]):
                return i
        return None

    def preceding(self, index: int, skips: Callable[[Step], bool]) -> int | None:
        """Return the last position before `index` that takes place, or None at the start."""
        for i in range(index - 1, -1, -1):
            if not skips(self.steps[i]):
                return i
        return None

    def stage_span(self, index: int) -> range:
        """Return the positions of the stage that `index` lies in, for the strip and the progress."""
        stage = self.steps[index].stage
        first = last = index
        while first > 0 and self.steps[first - 1].stage == stage:
            first -= 1
        while last + 1 < len(self.steps) and self.steps[last + 1].stage == stage:
            last += 1
        return range(first, last + 1)

    def stages(self) -> tuple[int, ...]:
        """Return the stage numbers in playing order, without 0."""
        if self._stages is None:
            self._stages = tuple(dict.fromkeys(step.stage for step in self.steps if step.stage))
        return self._stages
