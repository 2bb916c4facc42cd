"""Models of plots: frozen values that say what is drawn, for the screen and for the report alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from companion.core import events as ev
from companion.core.clock import running_ms
from companion.core.history import Entry
from companion.core.ids import Millis, Side
from companion.core.state import GameState
from companion.pages.frame import Mark, mark
from companion.pages.i18n import _
from companion.pages.labels import phase_name, stage_name
from companion.pages.modules import game_view
from companion.pages.numbers import plain
from companion.pages.times import short

__all__ = [
    "Bar",
    "BarRow",
    "Bars",
    "Bin",
    "Distribution",
    "Line",
    "Lines",
    "act_lines",
    "label_places",
    "score_lines",
    "ticks",
    "time_by_phase",
    "time_used",
]


class Line(msgspec.Struct, frozen=True):
    """One line with its side's tone and emblem."""

    name: str
    tone: str
    emblem: str
    points: tuple[tuple[float, float], ...]


class Lines(msgspec.Struct, frozen=True):
    """Lines over a common axis."""

    lines: tuple[Line, ...]
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_ticks: tuple[tuple[float, str], ...] = ()
    y_ticks: tuple[tuple[float, str], ...] = ()
    goals: tuple[tuple[float, str, str], ...] = ()
    """Dashed lines: height, text, tone."""


class Bar(msgspec.Struct, frozen=True):
    """One bar."""

    value: float
    text: str
    tone: str
    emblem: str = ""
    is_open: bool = False
    """It still grows: drawn hollow, without an end."""


class BarRow(msgspec.Struct, frozen=True):
    """The bars of one category."""

    name: str
    bars: tuple[Bar, ...]


class Bars(msgspec.Struct, frozen=True):
    """Rows of bars on one scale."""

    rows: tuple[BarRow, ...]
    most: float


class Bin(msgspec.Struct, frozen=True):
    """One value of a distribution."""

    text: str
    share: float


class Distribution(msgspec.Struct, frozen=True):
    """Shares of outcomes with the actual one marked; `actual` is an index into `bins` or None."""

    bins: tuple[Bin, ...]
    actual: int | None = None
    actual_text: str = ""
    tone: str = "line"


def ticks(low: float, high: float, about: int = 4) -> tuple[float, ...]:
    """Return round values from below `low` to above `high`, about so many."""
    span = max(high - low, 1e-9)
    step = 10.0 ** (len(str(int(max(1, span)))) - 1)
    for factor in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0):
        if span / (step * factor) <= about:
            step *= factor
            break
    first = int(low // step)
    values = []
    i = first
    while True:
        values.append(round(i * step, 6))
        if values[-1] >= high:
            return tuple(values)
        i += 1


def label_places(wanted: Sequence[float], gap: float, most: float) -> tuple[float, ...]:
    """Return where labels stand that want to be at these heights: at least `gap` apart and none beyond `most`.

    Labels that would touch make room towards growing values, and back from `most` where that is not enough.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    places = list(wanted)
    for before, index in pairwise(order):
        places[index] = max(wanted[index], places[before] + gap)
    limit = most
    for index in reversed(order):
        places[index] = min(places[index], limit)
        limit = places[index] - gap
    return tuple(places)


def time_used(entries: Sequence[Entry], state: GameState) -> dict[tuple[int, str, str], Millis]:
    """Return the time charged by stage, phase and side, from the stops in the log.

    Undone entries are included: time used is kept. The running interval is not in it.
    """
    steps = {step.id: step for step in state.itinerary.steps}
    used: dict[tuple[int, str, str], Millis] = {}
    for entry in entries:
        for event in entry.events:
            if isinstance(event, ev.ClockStopped) and event.charged_ms:
                step = steps.get(event.step)
                key = (step.stage if step else 0, step.phase if step else "", str(event.side))
                used[key] = used.get(key, 0) + event.charged_ms
    return used


def time_by_phase(
    entries: Sequence[Entry], state: GameState, *, stage: int | None = None, now_ms: Millis | None = None
) -> Bars:
    """Return the time used per phase and side, of one stage or of the whole game; the act at hand as a bar of its own.

    Args:
        entries: The log.
        state: How it stands.
        stage: Of this stage alone.
        now_ms: The instant up to which the act at hand is told; None: it is left out.
    """
    used = time_used(entries, state)
    phases = tuple(dict.fromkeys(step.phase for step in state.itinerary.steps if step.clock is not None))
    names = {phase: phase_name(phase, state.frozen_setup.game) for phase in phases}
    own = {(phase, side): 0 for phase in phases for side in _sides(state)}
    for (at_stage, phase, side), ms in used.items():
        if stage in (None, at_stage) and (phase, side) in own:
            own[phase, side] += ms
    is_shown = stage in (None, state.step.stage)
    return _time_bars(state, names, own, state.step.phase if is_shown else "", now_ms)


def time_by_stage(entries: Sequence[Entry], state: GameState, *, now_ms: Millis | None = None) -> Bars:
    """Return the time used per stage and side; the act at hand as a bar of its own, up to an instant where one is given."""
    stages = state.itinerary.stages()
    names = {stage: stage_name(state.frozen_setup, stage) for stage in stages}
    own = {(stage, side): 0 for stage in stages for side in _sides(state)}
    for (stage, _phase, side), ms in time_used(entries, state).items():
        if (stage, side) in own:
            own[stage, side] += ms
    return _time_bars(state, names, own, state.step.stage, now_ms)


def _sides(state: GameState) -> tuple[str, ...]:
    return tuple(info.id for info in state.frozen_setup.sides)


def _time_bars(
    state: GameState,
    names: Mapping[Any, str],
    used: Mapping[tuple[Any, str], Millis],
    here: object,
    now_ms: Millis | None,
) -> Bars:
    """Return a row for each name with a bar a side, and below them in the row at hand whose clock runs on."""
    rows = []
    for key, name in names.items():
        bars = []
        for side in _sides(state):
            who = mark(state.frozen_setup, side)
            bars.append(Bar(float(used[key, side]), short(used[key, side]), who.tone, who.emblem))
            if key != here or now_ms is None:
                continue
            running = running_ms(state.clocks, Side(side), now_ms)
            if running:
                bars.append(Bar(float(running), f"{short(running)} …", who.tone, who.emblem, is_open=True))
        rows.append(BarRow(name, tuple(bars)))
    most = max((bar.value for row in rows for bar in row.bars), default=0.0)
    return Bars(tuple(rows), most or 1.0)


def score_lines(state: GameState) -> Lines | None:
    """Return the VP line over the stages, or None when the game has none yet."""
    setup = state.frozen_setup
    series = game_view(setup.game).score_series(state)
    points = [point for one in series for point in one.points]
    if not points:
        return None
    lines = []
    for one in series:
        who = mark(setup, one.side)
        lines.append(Line(one.name or who.name, who.tone, who.emblem, one.points))
    stages = state.itinerary.stages()
    x_ticks = tuple((float(stage), str(stage)) for stage in stages)
    x_values = [x for x, _y in points] + [x for x, _t in x_ticks]
    y_values = ticks(min(0.0, *(y for _x, y in points)), max(y for _x, y in points))
    return Lines(
        tuple(lines),
        (min(x_values), max(x_values)),
        (y_values[0], y_values[-1]),
        x_ticks,
        tuple((y, plain(y)) for y in y_values),
        (),
    )


def act_lines(series: Sequence[tuple[Mark, Sequence[float | None]]], at: int | None = None) -> Lines | None:
    """Return points act by act as lines that step where they change, or None where there are none.

    Args:
        series: A side's mark, and its points after each act; None: not known.
        at: The act at hand, marked on the axis; None: none is.
    """
    lines = []
    for who, amounts in series:
        points: list[tuple[float, float]] = []
        before: float | None = None
        for n, amount in enumerate(amounts):
            if amount is None or amount == before:
                continue
            if before is not None:
                points.append((float(n), before))
            points.append((float(n), amount))
            before = amount
        if before is not None:
            points.append((float(max(1, len(amounts) - 1)), before))
            lines.append(Line(who.name, who.tone, who.emblem, tuple(points)))
    count = max((len(amounts) for _who, amounts in series), default=0)
    heights = [y for line in lines for _x, y in line.points]
    if not lines or count < 2:
        return None
    y_values = ticks(min(0.0, *heights), max(1.0, *heights))
    return Lines(
        tuple(lines),
        (0.0, float(count - 1)),
        (y_values[0], y_values[-1]),
        () if at is None else ((float(at), _("Action {n}").format(n=at + 1)),),
        tuple((y, plain(y)) for y in y_values),
    )


def no_scores() -> str:
    """Return what stands where the VP line would be."""
    return _("Victory points are not tracked for this game yet")
