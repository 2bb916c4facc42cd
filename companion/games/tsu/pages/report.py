"""The Soft Underbelly's sections of the report: stars and victory, replacements, every attack."""

from __future__ import annotations

from html import escape

from companion.core.ids import StepId
from companion.core.text import Typed
from companion.games.tsu.pages.calendar import if_ended_line
from companion.games.tsu.pages.fight import result_line
from companion.games.tsu.pages.score import victory_rows
from companion.games.tsu.pages.words import (
    attackers_text,
    counts_text,
    holder_text,
    nation_name,
    side_name_of,
    star_name,
    units_text,
)
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.forces import Attack
from companion.games.tsu.rules.state import slice_of
from companion.pages.i18n import N_, _
from companion.pages.labels import stage_name
from companion.pages.report_parts import ReportSource, Section, section, table_html
from companion.pages.speak import sentence, speak

__all__ = ["SECTIONS", "attacks_of"]


def attacks_of(source: ReportSource) -> tuple[tuple[str, str, Attack, cm.Result], ...]:
    """Return every attack that was fought and counts: stage, side, attack and result, in order."""
    setup = source.change.state.frozen_setup
    stages = {step.id: step.stage for step in source.change.state.itinerary.steps}
    found = []
    open_now: dict[int, Attack] = {}
    for entry in source.entries:
        if not source.counts(entry.seq):
            continue
        for event in entry.events:
            match event:
                case cm.AttackDeclared(number, attack):
                    open_now[number] = attack
                case cm.AttackResolved(number, side, result):
                    step = StepId(getattr(entry.command, "step", ""))
                    season = stage_name(setup, stages.get(step, 0))
                    found.append((season, side_name_of(side), open_now[number], result))
    return tuple(found)


@section("tsu_victory", N_("Stars and victory"), 31)
def _victory(source: ReportSource) -> str:
    state = source.change.state
    stars = [(star_name(state, star), holder_text(state, star)) for star in slice_of(state).stars]
    conditions = [
        (sentence(row.title, state), speak(row.sub or Typed(""), state)) for row in victory_rows(state)
    ]
    return (
        f"<p>{escape(sentence(if_ended_line(state), state))}</p>"
        + table_html((_("Star"), _("Holder")), stars)
        + table_html((_("Condition"), _("Status")), conditions)
    )


@section("tsu_replaced", N_("Replacements"), 35)
def _replaced(source: ReportSource) -> str:
    state = source.change.state
    counts: dict[str, dict[str, int]] = {}
    spent: dict[str, int] = {}
    for entry in source.entries:
        for event in entry.events if source.counts(entry.seq) else ():
            if isinstance(event, cm.Replaced):
                units = counts.setdefault(event.nation, {})
                units[event.unit] = units.get(event.unit, 0) + 1
                spent[event.nation] = spent.get(event.nation, 0) + event.cost
    rows = [
        (
            nation_name(state, nation),
            counts_text(units),
            str(spent[nation]),
        )
        for nation, units in counts.items()
    ]
    return table_html((_("Nation"), _("Units"), _("Stars")), rows) if rows else ""


@section("tsu_attacks", N_("Attacks"), 36)
def _attacks(source: ReportSource) -> str:
    rows = [
        (
            season,
            side,
            attack.target,
            f"{attackers_text(attack.attackers)} / {units_text(attack.defenders)}",
            sentence(result_line(result), source.change.state),
            f"{result.attack_value} : {result.defence_value}",
        )
        for season, side, attack, result in attacks_of(source)
    ]
    head = (_("Turn"), _("Side"), _("Area"), _("Attackers / defenders"), _("Result"), _("Values"))
    return table_html(head, rows) if rows else ""


SECTIONS: tuple[Section, ...] = (_victory, _replaced, _attacks)
"""What this adds to the report."""
