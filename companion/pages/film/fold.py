"""The film itself: an evening folded act by act, from any saved game, as far as it can be read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.evolve import evolve_all
from companion.core.flow import Step
from companion.core.history import Entry
from companion.core.ids import Millis
from companion.core.rules import GameRules
from companion.core.state import EMPTY_STATE, GameState
from companion.core.text import Say, Value
from companion.pages.clocks import clock_face
from companion.pages.film.telling import Fought, GameFilm, Held, Throw, Told
from companion.pages.labels import entry_say, has_clocks
from companion.pages.modules import game_view, modules
from companion.pages.report_parts import ReportSource
from companion.pages.steps import step_say

__all__ = ["Act", "Chapter", "Film", "Side", "film_game", "film_of", "folded", "photo_places"]

_SHOWN = (cm.StartGame, cm.AddNote, cm.SettleClock, cm.CorrectTime, cm.SetRuling, cm.DecideGap)
"""Commands that are no acts of play and belong to the story of an evening all the same."""

_BASE = GameFilm()


@dataclass(frozen=True, slots=True)
class Side:
    """How one side stands after an act."""

    clock: str
    """Its clock as it read; empty in a game without clocks."""
    spent_ms: Millis
    """All that it has used so far."""
    score: str
    """Its points as the table showed them, with the goal; empty where there are none."""


@dataclass(frozen=True, slots=True)
class Act:
    """One act of the evening."""

    seq: int
    """Number of its entry in the log."""
    stage: int
    step: Step
    where: Value
    """The step that it belongs to, without its stage."""
    by: str
    """The side whose act it was; empty: the table's as a whole."""
    what: Value
    wall_ms: int
    sides: tuple[Side, ...]
    points: tuple[float | None, ...]
    """By side, for the chart and the bar; None: not known."""
    changed: tuple[Held, ...] = ()
    """What changed hands with it, as it is held now."""
    battle: str = ""
    """Key of its battle; empty: none."""
    throws: tuple[Throw, ...] = ()
    note: str = ""
    """What was noted, as it was typed."""
    notes: tuple[str, ...] = ()
    """What was noted about it later, as it was typed."""
    may_branch: bool = False
    """Whether the game can go on otherwise from here: what was undone later hangs on an act, not on a note."""
    is_small: bool = False
    """A line of a checklist, a unit more in a battle that is being put together: what a long film can do without."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A battle and the acts that it lasted."""

    fought: Fought
    first: int
    """Index of its first act."""
    last: int
    throws: tuple[Throw, ...]
    """All its dice, in order."""


@dataclass(frozen=True, slots=True)
class Film:
    """A whole evening."""

    state: GameState
    """Where the game stands now."""
    sides: tuple[str, ...]
    acts: tuple[Act, ...]
    chapters: tuple[Chapter, ...]
    held: tuple[Held, ...]
    """What everybody held before the first act."""
    taken_back: int
    """Acts that were undone and are not shown."""

    def chapter_at(self, index: int) -> Chapter | None:
        """Return the battle that an act belongs to."""
        key = self.acts[index].battle
        return next((one for one in self.chapters if one.fought.key == key), None) if key else None

    def held_at(self, index: int) -> tuple[Held, ...]:
        """Return what everybody held after an act."""
        now = {one.key: one for one in self.held}
        for act in self.acts[: index + 1]:
            now.update({one.key: one for one in act.changed})
        return tuple(now.values())


def photo_places(seqs: Sequence[int], photos: Iterable[int]) -> dict[int, list[int]]:
    """Return by place among acts the entries whose photos stand there: with their own act, else with the one before.

    Args:
        seqs: Entries of the acts, rising; at least one.
        photos: Entries that photos belong to.
    """
    found: dict[int, list[int]] = {}
    for seq in sorted(photos):
        found.setdefault(max(0, bisect_right(seqs, seq) - 1), []).append(seq)
    return found


def film_game(game: str) -> GameFilm:
    """Return what a game tells of its evenings; the base answers where there is no such game."""
    found = modules().get(game)
    return found.film() if found is not None else _BASE


def folded(rules: GameRules, source: ReportSource) -> Iterator[tuple[Entry, GameState, GameState]]:
    """Yield every entry that counts with the states before and after it."""
    state = EMPTY_STATE
    for entry in source.entries:
        if source.counts(entry.seq):
            before, state = state, evolve_all(rules, state, entry.events)
            yield entry, before, state


def film_of(source: ReportSource) -> Film:
    """Return the film of a game as it stands in its log; what was undone is left out.

    Words are those of the state that an act left, as the log said it then.
    """
    last = source.change.state
    game = last.frozen_setup.game
    module = modules().get(game)
    rules = module.rules() if module is not None else GameRules()
    own, view = film_game(game), game_view(game)
    sides = tuple(info.id for info in last.frozen_setup.sides)
    acts: list[Act] = []
    befores: dict[int, GameState] = {}
    held: dict[str, Held] = {}
    first_held: tuple[Held, ...] = ()
    looked: object = None
    scores: dict[str, str] = {}
    points: tuple[float | None, ...] = ()
    changed: list[Held] = []
    for entry, before, state in folded(rules, source):
        befores[entry.seq] = before
        if state.setup is None:
            continue
        looks = (state.game, state.printed, state.rulings, state.ending, state.index)
        if looked is None or any(one is not other for one, other in zip(looks, looked, strict=True)):  # type: ignore[call-overload]
            scores = {one.side: f"{one.text} {one.goal}".strip() for one in view.scores(state)}
            known = own.points(state)
            points = tuple(known.get(side) for side in sides)
            for one in own.held(state):
                if held.get(one.key) != one:
                    changed.append(one)
                    held[one.key] = one
            looked = looks
        if not acts and not first_held:
            first_held, changed = tuple(changed), []
        if not _is_shown(entry) and not changed:
            continue
        about = _about(entry, acts)
        if about is not None:
            acts[about] = replace(acts[about], notes=(*acts[about].notes, entry.command.text))  # type: ignore[attr-defined]
            continue
        told = own.told(entry, before, state) if before.setup is not None else None
        step = (before if before.setup is not None else state).step
        acts.append(
            Act(
                entry.seq,
                step.stage,
                step,
                step_say(step),
                _by(entry, step, sides),
                _what(entry, state, told),
                entry.wall_ms,
                tuple(_side(state, side, entry.at_ms, scores) for side in sides),
                points,
                tuple(changed),
                told.battle if told is not None else "",
                told.throws if told is not None else (),
                entry.command.text if isinstance(entry.command, cm.AddNote) else "",
                may_branch=entry.command.kind == "act" or isinstance(entry.command, cm.StartGame),
                is_small=isinstance(entry.command, cm.TickCheck),
            )
        )
        changed = []
    if changed and acts:
        acts[-1] = replace(acts[-1], changed=(*acts[-1].changed, *changed))
    undone = sum(entry.command.kind == "act" and not source.counts(entry.seq) for entry in source.entries)
    chapters = _chapters(own.battles(source, lambda seq: befores[seq]), acts)
    return Film(last, sides, tuple(acts), chapters, first_held, undone)


def _what(entry: Entry, state: GameState, told: Told | None) -> Value:
    said = entry_say(entry, state)
    return said if told is None or told.more is None else Say("{what}: {more}", what=said, more=told.more)


def _is_shown(entry: Entry) -> bool:
    return entry.command.kind == "act" or isinstance(entry.command, _SHOWN)


def _about(entry: Entry, acts: list[Act]) -> int | None:
    """Return the index of the act that a note is about; None where it stands for itself."""
    to = entry.command.to_seq if isinstance(entry.command, cm.AddNote) else None
    if to is None:
        return None
    n = bisect_left(acts, to, key=lambda act: act.seq)
    return n if n < len(acts) and acts[n].seq == to else None


def _by(entry: Entry, step: Step, sides: tuple[str, ...]) -> str:
    if entry.actor in sides:
        return entry.actor
    if isinstance(entry.command, cm.AddNote | cm.StartGame | cm.CorrectTime | cm.SetRuling | cm.DecideGap):
        return ""
    return step.owners[0] if len(step.owners) == 1 else ""


def _side(state: GameState, side: str, at_ms: Millis, scores: dict[str, str]) -> Side:
    if not has_clocks(state):
        return Side("", 0, scores.get(side, ""))
    spent = ck.spent(state.clocks, side, at_ms)  # type: ignore[arg-type]
    return Side(clock_face(state, side, at_ms).text, spent, scores.get(side, ""))


def _chapters(battles: tuple[Fought, ...], acts: list[Act]) -> tuple[Chapter, ...]:
    """Return the battles that acts belong to, by their first act."""
    places: dict[str, list[int]] = {}
    for n, act in enumerate(acts):
        if act.battle:
            places.setdefault(act.battle, []).append(n)
    found = []
    for fought in battles:
        own = places.get(fought.key)
        if own:
            throws = tuple(throw for n in own for throw in acts[n].throws)
            found.append(Chapter(fought, own[0], own[-1], throws))
    return tuple(sorted(found, key=lambda one: one.first))
