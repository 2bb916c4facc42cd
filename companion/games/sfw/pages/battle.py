"""The Battle screen: declared battles and the one at hand, as one frozen view.

Composing is in `companion.games.sfw.pages.battle_compose`, fighting in `companion.games.sfw.pages.battle_fight`, odds and luck
in `companion.games.sfw.pages.battle_odds`, words in `companion.games.sfw.pages.battle_words`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.core.commands import Command
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Name
from companion.games.sfw.pages.battle_fight import (
    CombineChoice,
    LossChoice,
    RetreatChoice,
    RollLine,
    SilentRow,
    combine_choice,
    loss_choices,
    retreat_choice,
    roll_lines,
    silent_rows,
)
from companion.games.sfw.pages.battle_words import STATUS, TERRAINS, name_of
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, SIDES, Fight, Group, other_side
from companion.games.sfw.rules.battle_progress import Course, set_down
from companion.games.sfw.rules.battle_record import Declared, Progress
from companion.games.sfw.rules.battle_state import (
    acting_side,
    battles_of,
    conduct_of,
    edition_of,
    fight_of,
    loss_tables,
    returning_side,
)
from companion.games.sfw.rules.desert import can_roll
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.frame import Mark, nation_mark
from companion.pages.i18n import _
from companion.pages.labels import refusal
from companion.pages.speak import speak

__all__ = ["BattleRow", "BattleView", "battle_view", "other_occasions"]


_MOST_NAMED = 3
"""Sorts of units whose names fit into a row of the list."""


@dataclass(frozen=True, slots=True)
class BattleRow:
    """One battle in the list."""

    id: str
    space: str
    terrain: str
    occasion: str
    status: str
    status_text: str
    attacking: str
    defending: str
    is_open: bool
    """Its composition can still be changed."""


@dataclass(frozen=True, slots=True)
class BattleView:
    """The Battle screen."""

    rows: tuple[BattleRow, ...]
    selected: str
    can_declare: bool
    phase: str
    """``none``, ``compose``, ``roll``, ``losses``, ``combine``, ``retreat``, ``pass`` or ``over``."""
    title: str
    step: str
    lines: tuple[RollLine, ...] = ()
    silent: tuple[SilentRow, ...] = ()
    asked: tuple[tuple[str, int], ...] = ()
    """Dice asked for now: colour and count, over all lines."""
    losses: tuple[LossChoice, ...] = ()
    combine: CombineChoice | None = None
    retreat: RetreatChoice | None = None
    go_on: Command | None = None
    """Go on from a step without rolls."""
    attacking: tuple[tuple[Mark, str, int], ...] = ()
    """Units there now: nation, unit name, count."""
    defending: tuple[tuple[Mark, str, int], ...] = ()
    supporting: tuple[tuple[Mark, str, int], ...] = ()
    bombing: int = 0
    """Hits on the objective: each takes 1 from its Air, Sea and Land resupply in the coming Resupply Phase."""
    note: str = ""
    """What else the table has to do now."""


def battle_view(state: GameState, selected: str | None = None) -> BattleView:
    """Return the screen; without a selection the battle being fought, else the first that waits."""
    own = battles_of(state)
    rows = tuple(_row(state, entry) for entry in own.battles)
    declared = own.find(selected) if selected else None
    if declared is None:
        order = ("fighting", "declared", "over", "broken_off")
        declared = min(own.battles, key=lambda entry: order.index(entry.status), default=None)
    can_declare = acting_side(state) is not None
    if declared is None:
        return BattleView(rows, "", can_declare, "none", _("No battle is declared"), "")
    title = f"{declared.id}  {declared.space}"
    if declared.status == "declared":
        return BattleView(
            rows,
            declared.id,
            can_declare,
            "compose",
            title,
            "",
            attacking=_group_marks(state, declared.battle.attacking),
            defending=_group_marks(state, declared.battle.defending),
        )
    if declared.progress is None:
        return BattleView(
            rows, declared.id, can_declare, "over", title, speak(Name("battle_step", "end"), state)
        )
    return _fought(state, declared, declared.progress, rows, title)


def _row(state: GameState, entry: Declared) -> BattleRow:
    return BattleRow(
        entry.id,
        entry.space,
        _(TERRAINS.get(entry.battle.terrain, entry.battle.terrain)),
        speak(Name("occasion", entry.battle.occasion), state),
        entry.status,
        _(STATUS[entry.status]),
        _groups_text(state, entry.battle.attacking),
        _groups_text(state, entry.battle.defending),
        entry.status == "declared",
    )


def _groups_text(state: GameState, groups: Sequence[Group]) -> str:
    """Return who is there by name, or by the short names of the tiles where there are many."""
    totals: dict[str, int] = {}
    for group in groups:
        totals[group.unit] = totals.get(group.unit, 0) + group.count
    units = unit_table_of(state).units
    is_long = len(totals) > _MOST_NAMED
    return (
        ", ".join(
            f"{count} {units[unit].short if is_long and unit in units else name_of(state, unit)}"
            for unit, count in totals.items()
        )
        or "–"
    )


def _group_marks(state: GameState, groups: Sequence[Group]) -> tuple[tuple[Mark, str, int], ...]:
    setup = state.frozen_setup
    return tuple(
        (nation_mark(setup, group.nation), name_of(state, group.unit), group.count) for group in groups
    )


def other_occasions(state: GameState) -> tuple[tuple[str, str], ...]:
    """Return what else is rolled for in the current act in this edition: occasion and text."""
    is_acting = acting_side(state) is not None
    on_land = state.step.movement_step in (4, 5)
    offers = [
        (
            "movement",
            speak(Name("declared", "movement"), state),
            is_acting or returning_side(state) is not None,
        ),
        ("disengage", _("Full disengage"), is_acting and on_land and edition_of(state).has_disengage),
        ("desert", _("Desert roll"), "desert" in state.game and on_land and can_roll(state)),
    ]
    return tuple((occasion, text) for occasion, text, is_offered in offers if is_offered)


def _fought(
    state: GameState, declared: Declared, progress: Progress, rows: tuple[BattleRow, ...], title: str
) -> BattleView:
    can_declare = acting_side(state) is not None
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected):
        return BattleView(rows, declared.id, can_declare, "over", title, refusal(fight, state))
    course = Course(fight, conduct_of(state, declared), loss_tables(fight))
    lines = roll_lines(state, declared, course, progress)
    losses = loss_choices(state, declared, course, progress)
    combine = combine_choice(declared, course, progress)
    retreat = retreat_choice(state, declared, course, progress)
    if declared.status != "fighting":
        phase = "over"
    elif combine is not None:
        phase = "combine"
    elif losses:
        phase = "losses"
    elif retreat is not None:
        phase = "retreat"
    else:
        phase = "roll" if lines else "pass"
    asked: dict[str, int] = {}
    for line in lines:
        if line.dice:
            asked[line.colour] = asked.get(line.colour, 0) + line.dice
    there = {side: _counts_marks(state, fight, side, progress, support=False) for side in SIDES}
    return BattleView(
        rows,
        declared.id,
        can_declare,
        phase,
        title,
        speak(Name("battle_step", progress.step), state),
        lines,
        silent_rows(state, course, progress),
        tuple(asked.items()) if phase == "roll" else (),
        losses,
        combine,
        retreat,
        bc.PassStep(declared.id) if phase == "pass" else None,
        there[ATTACKING],
        there[other_side(ATTACKING)],
        tuple(row for side in SIDES for row in _counts_marks(state, fight, side, progress, support=True)),
        progress.bombing,
        _note(state, declared, fight, progress),
    )


def _note(state: GameState, declared: Declared, fight: Fight, progress: Progress) -> str:
    """Return what a battle leaves to be done elsewhere: bombed resupply, cargo set down in a push through."""
    notes = []
    if progress.bombing:
        text = _("Objective bombed: {n} less of each type at its next Resupply")
        notes.append(text.format(n=progress.bombing))
    dropped: dict[str, int] = {}
    if declared.battle.occasion == "movement":
        for kind in fight.attacking:
            for group in set_down(kind, progress.attacking[kind.index]):
                dropped[group.unit] = dropped.get(group.unit, 0) + group.count
    units = ", ".join(f"{count} {name_of(state, unit)}" for unit, count in dropped.items() if count)
    if units:
        notes.append(
            _("{units} set down in {space}: declare a battle there").format(units=units, space=declared.space)
        )
    return "  ·  ".join(notes)


def _counts_marks(
    state: GameState, fight: Fight, side: str, progress: Progress, *, support: bool
) -> tuple[tuple[Mark, str, int], ...]:
    counts = progress.counts(side)
    return tuple(
        (nation_mark(state.frozen_setup, kind.nation), name_of(state, kind.unit.id), counts[kind.index])
        for kind in fight.kinds(side)
        if counts[kind.index] and kind.is_active != support
    )
