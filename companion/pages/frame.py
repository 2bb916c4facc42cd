"""The frame around every screen of a game: where we are, the strip of the stage, undo, main act, side marks."""

from __future__ import annotations

import msgspec

from companion.core.change import Change
from companion.core.clock import OUT_OF_TIME
from companion.core.decide import skipped
from companion.core.flow import Step
from companion.core.newest import Newest
from companion.core.rules import GameRules
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.pages.i18n import _
from companion.pages.labels import (
    entry_label,
    phase_name,
    side_name,
    stage_name,
    step_path,
    strip_actor,
    strip_name,
)
from companion.pages.modules import game_view, words_of

__all__ = [
    "ending_text",
    "SIDE_SHAPES",
    "Frame",
    "Mark",
    "StripCell",
    "crumbs",
    "frame",
    "mark",
    "marks",
    "strip",
    "tone",
]

_TONES = ("allies", "axis", "third", "fourth", "fifth", "sixth")
SIDE_SHAPES = {"allies": "circle", "axis": "square"}
"""The shapes of the sides that every box shows alike."""


class Mark(msgspec.Struct, frozen=True):
    """How a side or nation is told apart: a colour token and, without colour, a shape or letter."""

    name: str
    tone: str
    """Colour token of the theme: ``allies``, ``axis``, ``third``, ``fourth`` or ``muted``; ``piece:green``
    for a nation with the colour of its pieces."""
    emblem: str
    """``circle``, ``square``, ``star``, ``ring``, ``diamond``, ``triangle`` or up to four letters."""
    id: str = ""


class StripCell(msgspec.Struct, frozen=True):
    """One cell of the stage strip: a movement step, a phase, or another one's whole turn."""

    text: str
    state: str
    """``done``, ``now`` or ``ahead``."""
    part: float = 0.0
    """How much of the current cell is done, 0 to 1."""
    weight: float = 1.0
    """Share of the width."""
    symbol: str = ""
    """An icon in place of the text."""
    act: str | None = None
    """What a tap on it does; None: it is only read."""


class Frame(msgspec.Struct, frozen=True):
    """What every screen of an open game shows around its own content."""

    crumbs: tuple[str, ...] = ()
    strip: tuple[StripCell, ...] = ()
    actor: Mark | None = None
    """Who acts; None when the table acts as a whole or both at once."""
    actors: tuple[Mark, ...] = ()
    """Everybody who acts; nobody when the table acts as a whole."""
    open_battles: int = 0
    """How many battles are declared or being fought."""
    battle_screen: str = ""
    """Where they are fought."""
    undo_text: str = ""
    """What undo takes back, as the log says it; empty when there is nothing to undo."""
    undo_kind: str = ""
    """The same in a few words, such as ``a tick``."""
    is_paused: bool = False
    is_over: bool = False
    progress: float = 0.0
    """Share of the whole game's steps that is over, 0 to 1."""


def tone(setup: Setup, side: str) -> str:
    """Return the colour token of a side; sides without a token of their own take them in order."""
    if side in _TONES:
        return side
    ids = [info.id for info in setup.sides]
    if side not in ids:
        return "muted"
    return _TONES[ids.index(side) % len(_TONES)]  # type: ignore[arg-type]


def mark(setup: Setup, side: str) -> Mark:
    """Return how a side is marked; anything that is no side gets a neutral mark."""
    for info in setup.sides:
        if info.id == side:
            fallback = SIDE_SHAPES.get(tone(setup, side), info.name[:1].upper())
            return Mark(_(info.name), tone(setup, side), info.emblem or fallback, side)
    return Mark(side_name(setup, side), "muted", "", side)


def nation_mark(setup: Setup, nation: str) -> Mark:
    """Return how a nation is marked: its own shape in the colour of its pieces."""
    for info in setup.nations:
        if info.id == nation:
            colour = f"piece:{info.colour}" if info.colour else tone(setup, info.side)
            return Mark(_(info.name), colour, info.emblem or info.name[:1].upper(), nation)
    return Mark(nation, "muted", "", nation)


def marks(setup: Setup) -> tuple[Mark, ...]:
    """Return the marks of all sides, in the order of the setup."""
    return tuple(mark(setup, info.id) for info in setup.sides)


def _cell_key(step: Step) -> tuple[str, int | None]:
    return step.phase, step.movement_step


def strip(state: GameState, rules: GameRules) -> tuple[StripCell, ...]:
    """Return the cells of the current stage; steps that do not take place are left out.

    Where a stage is the same phases for one after the other, only the turn that is on shows its phases: every other
    turn is one cell with its nation or side.
    """
    setup = state.frozen_setup
    groups = _GROUPS.of(state, rules, make=lambda: _groups(state, rules))
    texts = [
        (strip_name(phase, setup.game) if movement_step is None else str(movement_step), indices)
        for (phase, movement_step), indices in groups
    ]
    if len({key for key, _indices in groups}) < len(groups):
        texts = _by_turns(state, texts, setup)
    cells = []
    for text, indices in texts:
        done = sum(index < state.index for index in indices)
        is_now = state.index in indices and state.ending is None
        where = "now" if is_now else "done" if indices[-1] <= state.index else "ahead"
        cells.append(StripCell(text, where, done / len(indices), 1.0 if text.isdigit() else 2.2))
    return tuple(cells)


_Groups = tuple[tuple[tuple[str, int | None], list[int]], ...]
_GROUPS: Newest[_Groups] = Newest(2)
"""The box and phones in every language show the same stage of the same state."""


def _groups(state: GameState, rules: GameRules) -> _Groups:
    """Return the positions of the current stage that take place, those of one phase or movement step after the other together."""
    skips = skipped(rules, state)
    groups: list[tuple[tuple[str, int | None], list[int]]] = []
    for index in state.itinerary.stage_span(state.index):
        step = state.itinerary.steps[index]
        if index != state.index and skips(step):
            continue
        if not groups or groups[-1][0] != _cell_key(step):
            groups.append((_cell_key(step), []))
        groups[-1][1].append(index)
    return tuple(groups)


def _by_turns(
    state: GameState, cells: list[tuple[str, list[int]]], setup: Setup
) -> list[tuple[str, list[int]]]:
    """Return the cells with each turn that is not on as one cell."""
    steps = state.itinerary.steps
    turns: list[tuple[str, list[tuple[str, list[int]]]]] = []
    for text, indices in cells:
        actors = {strip_actor(setup, steps[index]) for index in indices}
        actor = actors.pop() if len(actors) == 1 else ""
        if not turns or not actor or turns[-1][0] != actor:
            turns.append((actor, []))
        turns[-1][1].append((text, indices))
    found = []
    for actor, own in turns:
        inside = [index for _text, indices in own for index in indices]
        if len(own) == 1 or state.index in inside:
            found += own
        else:
            found.append((actor, inside))
    return found


def crumbs(state: GameState) -> tuple[str, ...]:
    """Return where the game stands, from the stage inward."""
    setup, step = state.frozen_setup, state.step
    stages = state.itinerary.stages()
    where = stage_name(setup, step.stage)
    last = game_view(setup.game).last_stage(state) or max(stages, default=0)
    if step.stage in stages and words_of(setup.game).stage_name is not None:
        where = f"{where} ({step.stage}/{stages[-1]})"
    elif step.stage in stages and last > 1:
        where = _("{stage} of {last}").format(stage=where, last=last)
    if step.phase == "setup":  # which scenario is set up: nothing else on the table says it
        return (_(setup.title), phase_name(step.phase, setup.game))
    return (where, *step_path(setup, step)[1:])


def frame(
    change: Change | None, rules: GameRules | None, undo: str | None = None, undo_kind: str = ""
) -> Frame:
    """Return the frame of the open game; an empty one when no game is open.

    `undo` names what Undo takes back; None: the newest act. `undo_kind` says the same in a few words.
    """
    if change is None or change.state.setup is None or rules is None:
        return Frame()
    state = change.state
    setup = state.frozen_setup
    step = state.step
    if undo is None:
        undo = "" if change.undo is None else entry_label(change.undo, state)
    is_over = state.ending is not None
    battles = game_view(setup.game).battles(state)
    return Frame(
        crumbs=crumbs(state),
        strip=strip(state, rules),
        actor=mark(setup, step.owners[0]) if len(step.owners) == 1 else None,
        actors=tuple(mark(setup, owner) for owner in step.owners),
        open_battles=len(battles),
        battle_screen=battles[0].screen if battles else "",
        undo_text=undo,
        undo_kind=undo_kind,
        is_paused=state.clocks.is_paused,
        is_over=is_over,
        progress=1.0 if is_over else state.index / max(1, len(state.itinerary)),
    )


def ending_text(state: GameState) -> str:
    """Return in one sentence how the game ended; empty while it is not over."""
    if state.ending is None:
        return ""
    setup = state.frozen_setup
    if state.ending.reason == OUT_OF_TIME:
        winner = state.ending.winner
        return (
            _("Time is up. Victory: {side}").format(side=mark(setup, winner).name)
            if winner
            else _("Time is up")
        )
    own = game_view(setup.game).ending(state)
    if own:
        return own
    if state.ending.winner is None:
        return _("The game has ended without a winner")
    return _("Victory: {side}").format(side=mark(setup, state.ending.winner).name)
