"""The Desert screen of the first edition: who enters, the yellow dice, who goes back and who halts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.core.dice import DiceOrigin, Die, DieColour, DieKind, Roll
from companion.core.ids import Nation
from companion.core.state import GameState
from companion.games.sfw.pages.battle_words import name_of
from companion.games.sfw.pages.ledger_view import nation_name
from companion.games.sfw.rules.desert import (
    HALTING,
    DesertRoll,
    RollDesert,
    SettleDesert,
    can_roll,
    dice_needed,
    open_roll,
)
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.dice import virtual_dice
from companion.pages.entered_dice import EnteredDice
from companion.pages.frame import Mark, nation_mark
from companion.pages.i18n import N_, _, ngettext
from companion.pages.labels import stage_name
from companion.pages.report import ReportSource, Section, section, table_html

__all__ = [
    "DesertDraft",
    "DesertView",
    "HaltRow",
    "MoverRow",
    "desert_view",
    "result_text",
    "roll_command",
    "settle_command",
    "virtual_values",
]


@dataclass(frozen=True, slots=True)
class DesertDraft(EnteredDice):
    """What has been entered of a desert roll and is not sent yet."""

    space: str = ""
    nation: str = ""
    units: Mapping[str, int] = field(default_factory=dict)
    is_rolling: bool = False
    """The units stand and the dice are being entered."""

    @property
    def dice(self) -> int:
        """How many yellow dice are rolled."""
        return dice_needed(self.units)

    def with_step(self, unit: str, amount: int) -> DesertDraft:
        """Add units, or take some out."""
        count = max(0, min(20, self.units.get(unit, 0) + amount))
        return replace(self, units={**self.units, unit: count})


@dataclass(frozen=True, slots=True)
class MoverRow:
    """One unit that may enter, with its count."""

    unit: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class HaltRow:
    """One unit that may have to halt."""

    unit: str
    name: str
    most: int


@dataclass(frozen=True, slots=True)
class DesertView:
    """The Desert screen."""

    phase: str
    """``closed``, ``compose``, ``roll`` or ``settle``."""
    title: str
    text: str = ""
    nations: tuple[Mark, ...] = ()
    movers: tuple[MoverRow, ...] = ()
    halts: tuple[HaltRow, ...] = ()
    to_halt: int = 0
    entry: int = 0
    """The roll to be settled."""
    left: int = 0
    """Dice still to be entered."""
    problem: str = ""
    """What keeps the dice from being rolled."""
    past: tuple[str, ...] = ()
    """The rolls of this act, newest first."""


def desert_view(state: GameState, draft: DesertDraft) -> DesertView:
    """Return the screen for a draft; the nation is the draft's, else the first of the acting side."""
    rolls = state.game["desert"].rolls
    past = tuple(
        result_text(state, entry)
        for entry in reversed(rolls)
        if entry.step == state.step.id and entry.is_settled
    )
    waiting = open_roll(state)
    if waiting is not None:
        return _settling(state, waiting, past)
    if not can_roll(state):
        text = _("Land units enter deserts while their side moves; the dice are rolled then")
        return DesertView("closed", _("Desert"), text, past=past)
    setup = state.frozen_setup
    nations = tuple(nation_mark(setup, info.id) for info in setup.nations if info.side in state.step.owners)
    title = draft.space or _("Which desert space?")
    if draft.is_rolling:
        left = draft.dice - len(draft.values)
        return DesertView("roll", title, _movers_text(state, draft), nations, left=left, past=past)
    nation = draft.nation or nations[0].id
    movers = tuple(
        MoverRow(spec.id, name_of(state, spec.id), draft.units.get(spec.id, 0))
        for spec in unit_table_of(state).units.values()
        if spec.type == "land" and spec.nation in ("", nation)
    )
    problem = ""
    if not draft.space:
        problem = _("Name the space first")
    elif not draft.dice:
        problem = _("Who enters? Units aboard a transport go with it")
    return DesertView("compose", title, "", nations, movers, problem=problem, past=past)


def _settling(state: GameState, entry: DesertRoll, past: tuple[str, ...]) -> DesertView:
    table = unit_table_of(state)
    halts = tuple(
        HaltRow(unit, name_of(state, unit), count)
        for unit, count in entry.units.items()
        if table.units[unit].standard in HALTING
    )
    text = ngettext(
        "{nation}: {n} unit halts in the desert. Which one?",
        "{nation}: {n} units halt in the desert. Which ones?",
        entry.to_halt,
    ).format(nation=nation_name(state.frozen_setup, entry.nation), n=entry.to_halt)
    if entry.sent_back:
        text += " " + _("{n} Infantry go back.").format(n=entry.sent_back)
    return DesertView(
        "settle", entry.space, text, halts=halts, to_halt=entry.to_halt, entry=entry.id, past=past
    )


def _movers_text(state: GameState, draft: DesertDraft) -> str:
    units = ", ".join(f"{count} {name_of(state, unit)}" for unit, count in draft.units.items() if count)
    return f"{nation_name(state.frozen_setup, draft.nation)}: {units}"


def result_text(state: GameState, entry: DesertRoll) -> str:
    """Return what a roll came to, such as ``Siwa, Italy: 4 11 10 – 2 Infantry go back, 1 Tank halts``."""
    values = " ".join(str(value) for value in entry.roll.values())
    parts = []
    if entry.sent_back:
        parts.append(_("{n} Infantry go back").format(n=entry.sent_back))
    for unit, count in entry.halted.items():
        if count:
            text = ngettext("{n} {unit} halts", "{n} {unit} halt", count)
            parts.append(text.format(n=count, unit=name_of(state, unit)))
    outcome = ", ".join(parts) or _("all go on")
    nation = nation_name(state.frozen_setup, entry.nation)
    return f"{entry.space}, {nation}: {values} – {outcome}"


def roll_command(draft: DesertDraft) -> RollDesert:
    """Return the command for a draft whose dice are all entered."""
    dice = tuple(Die(DieColour.YELLOW, value) for value in draft.values)
    units = {unit: count for unit, count in draft.units.items() if count}
    return RollDesert(draft.space, Nation(draft.nation), units, Roll(DieKind.D12, dice, draft.origin))


def settle_command(view: DesertView, chosen: Mapping[str, int]) -> SettleDesert:
    """Return the command for the units that halt."""
    return SettleDesert(view.entry, {unit: count for unit, count in chosen.items() if count})


def virtual_values(draft: DesertDraft, seed: int) -> tuple[Sequence[int], DiceOrigin]:
    """Roll the dice that are still to be entered virtually."""
    rolled = len(draft.values)
    return virtual_dice(seed, draft.dice - rolled, 12, f"desert/{rolled}")


@section("desert", N_("Desert rolls"), 42)
def _report(source: ReportSource) -> str:
    state = source.change.state
    rows = [
        (
            stage_name(state.frozen_setup, entry.stage),
            entry.space,
            nation_name(state.frozen_setup, entry.nation),
            ", ".join(f"{count} {name_of(state, unit)}" for unit, count in entry.units.items()),
            " ".join(str(value) for value in entry.roll.values()),
            result_text(state, entry).partition(" – ")[2],
        )
        for entry in state.game["desert"].rolls
    ]
    head = (_("Stage"), _("Space"), _("Nation"), _("Units"), _("Dice"), _("Result"))
    return table_html(head, rows) if rows else ""


SECTIONS: tuple[Section, ...] = (_report,)
"""What this adds to the report."""
