"""Whether a game that came from a file holds together: ids that are ids, sides that exist, clocks of those sides.

Play can only lead to games that do. What a stranger wrote may decode and fold and still name a side that nobody has, which
would be met much later, on a screen. So a file is asked once, when it comes in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from companion.core.clock import ClockConfig, Clocks
from companion.core.collecting import shown
from companion.core.control import TimeControl, Turns
from companion.core.flow import Step
from companion.core.ids import MOST_MS
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, Typed, Value

__all__ = ["Misfit", "is_id", "setup_misfit", "state_misfit"]

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,79}")
_MOST_SIDES, _MOST_NATIONS, _MOST_STEPS, _MOST_STAGES = 16, 64, 5_000, 1_000
_MOST_GRACE_MS = 60_000
_MOST_TOKENS = 100
_MOST_NAME = 200
"""Letters of a title or of the name of a side or nation; ours have 40."""


class Misfit(NamedTuple):
    """One thing that does not fit: where it stands, what could stand there, what does."""

    key: str
    expected: Value
    got: Value

    @property
    def say(self) -> Say:
        """Return it as part of a sentence."""
        return Say(
            "{key}: expected {expected}, got {got}",
            key=Typed(self.key),
            expected=self.expected,
            got=self.got,
        )


def is_id(text: str) -> bool:
    """Say whether a text can be the id of a game, scenario, side or step; so nothing that leads out of a folder is one."""
    return _ID.fullmatch(text) is not None


def setup_misfit(setup: Setup) -> Misfit | None:
    """Return the first thing in a setup that no game can be played with; None when it holds together."""
    return next(_setup_misfits(setup), None)


def state_misfit(state: GameState, before: GameState | None = None) -> Misfit | None:
    """Return the first thing in a state that play cannot have led to; None when it holds together.

    The game's own slice is its rules' matter. What a state has unchanged from a sound one `before` it is not asked again.
    """
    if state.setup is None:
        return Misfit("", Say("a game that was started"), Say("nothing"))
    if before is not None and not _is_same_game(before.setup, state.setup):
        return Misfit("", Say("one game"), Say("another one in the middle"))
    return next(_state_misfits(state, state.setup, before), None)


def _is_same_game(before: Setup | None, setup: Setup) -> bool:
    """Say whether a setup is the one of before, apart from what the arbiter may change of it while the game goes on."""
    if before is setup or before is None:
        return before is setup
    return setup == replace(before, arbiter_hash=setup.arbiter_hash, coach_locked=setup.coach_locked)


def _setup_misfits(setup: Setup) -> Iterator[Misfit]:
    sides = tuple(side.id for side in setup.sides)
    nations = tuple(nation.id for nation in setup.nations)
    for key, text in (("game", setup.game), ("scenario", setup.scenario)):
        if not is_id(text):
            yield Misfit(key, _AN_ID, shown(text))
    for key, count, most in (
        ("sides", len(sides), _MOST_SIDES),
        ("nations", len(nations), _MOST_NATIONS),
        ("steps", len(setup.steps), _MOST_STEPS),
        ("clock.stages", len(setup.clock.stages), _MOST_STAGES),
    ):
        if count > most:
            yield Misfit(key, Say("at most {most}", most=most), count)
    names = [("title", setup.title)]
    names += [(f"sides.{side.id}.name", side.name) for side in setup.sides]
    names += [(f"nations.{nation.id}.name", nation.name) for nation in setup.nations]
    for key, name in names:
        if len(name) > _MOST_NAME:
            yield Misfit(key[:_MOST_NAME], Say("at most {most} letters", most=_MOST_NAME), len(name))
    yield from _ids("sides", sides)
    yield from _ids("nations", nations)
    for nation in setup.nations:
        if nation.side not in sides:
            yield Misfit(f"nations.{nation.id}.side", _A_SIDE, shown(nation.side))
    yield from _step_misfits(setup.steps, sides, nations)
    yield from _config_misfits("clock", setup.clock, sides)


def _state_misfits(state: GameState, setup: Setup, before: GameState | None) -> Iterator[Misfit]:
    sides = tuple(side.id for side in setup.sides)
    if not 0 <= state.index < len(state.itinerary):
        yield Misfit("steps", Say("the step that is current"), Say("nothing"))
    if before is None or state.itinerary is not before.itinerary:
        if len(state.itinerary) > _MOST_STEPS:
            yield Misfit("steps", Say("at most {most}", most=_MOST_STEPS), len(state.itinerary))
        yield from _step_misfits(state.itinerary.steps, sides, tuple(n.id for n in setup.nations))
    if before is None or state.clocks is not before.clocks:
        yield from _clock_misfits(state.clocks, sides)
    for key, who in (
        ("flag", state.flag_prompt),
        ("gap", state.gap and state.gap.was_running),
        ("winner", state.ending and state.ending.winner),
    ):
        if who is not None and who not in sides:
            yield Misfit(key, _A_SIDE, shown(who))


def _step_misfits(
    steps: tuple[Step, ...], sides: tuple[str, ...], nations: tuple[str, ...]
) -> Iterator[Misfit]:
    seen: set[str] = set()
    for step in steps:
        where = f"steps.{step.id}"
        if not is_id(step.id) or step.id in seen:
            yield Misfit("steps", _AN_ID, shown(step.id))
        seen.add(step.id)
        for who in (*step.owners, *(() if step.clock is None else (step.clock,))):
            if who not in sides:
                yield Misfit(where, _A_SIDE, shown(who))
        if step.nation is not None and step.nation not in nations:
            yield Misfit(f"{where}.nation", Say("a nation of this game"), shown(step.nation))
        if not 0 <= step.stage <= _MOST_STAGES:
            yield Misfit(f"{where}.stage", Say("at most {most}", most=_MOST_STAGES), step.stage)


def _config_misfits(key: str, config: ClockConfig, sides: tuple[str, ...]) -> Iterator[Misfit]:
    stages = max(1, len(config.stages))
    for side, allotted in config.allotted_ms.items():
        if side not in sides:
            yield Misfit(f"{key}.allotted_ms", _A_SIDE, shown(side))
        if len(allotted) > stages:
            yield Misfit(f"{key}.allotted_ms.{side}", Say("at most {most}", most=stages), len(allotted))
        if any(not 0 <= ms <= MOST_MS for ms in allotted):
            yield Misfit(f"{key}.allotted_ms.{side}", _A_TIME, Say("something else"))
    if config.control is not None:
        yield from _control_misfits(f"{key}.control", config.control)
    if not 0 <= config.grace_ms <= _MOST_GRACE_MS:
        yield Misfit(
            f"{key}.grace_ms", Say("at most {most}", most=_MOST_GRACE_MS), shown(str(config.grace_ms))
        )


def _control_misfits(key: str, control: TimeControl) -> Iterator[Misfit]:
    times = (control.increment_ms, control.delay_ms, control.token_ms, control.period_ms)
    if any(not 0 <= ms <= MOST_MS for ms in (*times, *control.turn_ms.values())):
        yield Misfit(key, _A_TIME, Say("something else"))
    for name, count, each_ms in (
        ("tokens", control.tokens, control.token_ms),
        ("periods", control.periods, control.period_ms),
    ):
        if not 0 <= count <= _MOST_TOKENS:
            yield Misfit(f"{key}.{name}", Say("at most {most}", most=_MOST_TOKENS), count)
        # One that gives no time would begin again and again at the same instant.
        elif count and each_ms < 1:
            yield Misfit(f"{key}.{name}", _A_TIME, each_ms)
    if len(control.title) > _MOST_NAME:
        yield Misfit(f"{key}.title", Say("at most {most} letters", most=_MOST_NAME), len(control.title))


def _turn_misfits(turns: Turns, sides: tuple[str, ...], stages: int) -> Iterator[Misfit]:
    for who in (*(turn.side for turn in turns.ledger.values()), *turns.open, *turns.over):
        if who not in sides:
            yield Misfit("clocks.turns", _A_SIDE, shown(who))
    if len(turns.ledger) > _MOST_STEPS:
        yield Misfit("clocks.turns", Say("at most {most}", most=_MOST_STEPS), len(turns.ledger))
    for turn in turns.ledger.values():
        given = (turn.increment_ms, turn.free_ms, turn.token_ms, turn.period_ms)
        times = (*given, turn.spent_ms, turn.token_rest_ms, turn.period_rest_ms)
        counts = (turn.tokens, turn.periods_gone)
        if not 0 <= turn.slot < stages or any(not 0 <= count <= _MOST_TOKENS + 1 for count in counts):
            yield Misfit("clocks.turns", Say("at most {most}", most=_MOST_TOKENS), turn.slot)
        if any(not 0 <= ms <= MOST_MS for ms in times) or abs(turn.back_ms) > MOST_MS:
            yield Misfit("clocks.turns", _A_TIME, Say("something else"))


def _clock_misfits(clocks: Clocks, sides: tuple[str, ...]) -> Iterator[Misfit]:
    stages = max(1, len(clocks.config.stages))
    if clocks.sides != sides:
        yield Misfit("clocks.sides", _A_SIDE, shown(", ".join(clocks.sides)))
    for key, times in (("clocks.spent_ms", clocks.spent_ms), ("clocks.corrected_ms", clocks.corrected_ms)):
        if set(times) != set(sides) or any(len(row) != stages for row in times.values()):
            yield Misfit(key, Say("the time of every side in every stage"), Say("something else"))
        elif any(abs(ms) > MOST_MS for row in times.values() for ms in row):
            yield Misfit(key, _A_TIME, Say("something else"))
    if not -1 <= clocks.ordinal < stages:
        yield Misfit("clocks.ordinal", Say("at most {most}", most=stages - 1), clocks.ordinal)
    for who in (
        *(fall.side for fall in clocks.falls),
        *(() if clocks.running is None else (clocks.running,)),
    ):
        if who not in sides:
            yield Misfit("clocks", _A_SIDE, shown(who))
    if max(abs(clocks.since_ms), abs(clocks.last_ms)) > MOST_MS:
        yield Misfit("clocks.last_ms", _A_TIME, shown(str(clocks.last_ms)))
    yield from _config_misfits("clocks.config", clocks.config, sides)
    if (clocks.turns is UNSET) != (clocks.config.control is None):
        yield Misfit("clocks.turns", Say("the turns of a time control"), Say("something else"))
    elif clocks.turns is not UNSET:
        yield from _turn_misfits(clocks.turns, sides, stages)


def _ids(key: str, ids: Iterable[str]) -> Iterator[Misfit]:
    seen: set[str] = set()
    for one in ids:
        if not is_id(one) or one in seen:
            yield Misfit(key, _AN_ID, shown(one))
        seen.add(one)


_AN_ID = Say("an id of its own: letters, digits, dots, dashes")
_A_SIDE = Say("a side of this game")
_A_TIME = Say("a time that a clock can hold")
