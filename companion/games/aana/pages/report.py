"""North Africa's sections of the report: victory chart, points, and every combat with its luck."""

from __future__ import annotations

from html import escape

from companion.games.aana.pages.declare import RESULTS
from companion.games.aana.pages.score import conditions
from companion.games.aana.pages.tell import chart_say, fan_made
from companion.games.aana.pages.words import power_name, space_name
from companion.games.aana.rules.battle_messages import CombatConcluded, MinesRolled
from companion.games.aana.rules.combat import FACES
from companion.games.aana.rules.fight import Fight, Shot
from companion.games.aana.rules.fight_dice import expected_hits
from companion.games.aana.rules.figures import TURN_POWERS
from companion.games.aana.rules.ledger import board, ledger_of
from companion.games.aana.rules.mines import MINE_NEED
from companion.games.aana.rules.reinforce_messages import income, reinforce_of
from companion.pages.i18n import N_, _
from companion.pages.numbers import figure
from companion.pages.report_parts import ReportSource, Section, section, table_html
from companion.pages.speak import sentence, speak

__all__ = ["SECTIONS", "fights_of"]


def fights_of(source: ReportSource) -> tuple[Fight, ...]:
    """Return every combat that was concluded and counts, in order."""
    return tuple(
        event.fight
        for entry in source.entries
        if source.counts(entry.seq)
        for event in entry.events
        if isinstance(event, CombatConcluded)
    )


@section("aana_control", N_("Control and victory chart"), 31)
def _control(source: ReportSource) -> str:
    state = source.change.state
    ledger, own = ledger_of(state), board(state)
    held = [
        (
            space_name(state, row.id),
            power_name(state, holder),
            "–" if (n := own.rp(row.id)) is None else str(n),
        )
        for row in own.territories()
        if (holder := ledger.control.get(row.id) or row.owner) and own.is_controllable(row.id)
    ]
    rows = [
        (
            sentence(words, state),
            _("not known") if met.is_unknown else _("met") if met.is_yes else _("not met"),
        )
        for _side, _level, words, met in conditions(state)
    ]
    told = [speak(words, state) for words in (chart_say(state), fan_made(state)) if words is not None]
    return (
        f"<p>{escape(' '.join(told))}</p>"
        + table_html((_("Condition"), _("Status")), rows)
        + table_html((_("Territory"), _("Power"), _("Points")), held)
    )


@section("aana_points", N_("Reinforcement points"), 35)
def _points(source: ReportSource) -> str:
    state = source.change.state
    spent = reinforce_of(state).totals
    rows = [
        (power_name(state, power), str(income(state, power).total), str(spent.get(power, 0)))
        for power in TURN_POWERS
    ]
    return table_html((_("Power"), _("Income now"), _("Spent in the game")), rows)


@section("aana_combats", N_("Combats and luck"), 36)
def _combats(source: ReportSource) -> str:
    state = source.change.state
    fights = fights_of(source)
    mines = [
        event
        for entry in source.entries
        if source.counts(entry.seq)
        for event in entry.events
        if isinstance(event, MinesRolled)
    ]
    if not fights and not mines:
        return ""
    rows = []
    for fight in fights:
        lost_a = sum(fight.start_a) - sum(fight.a) - sum(fight.a_out)
        lost_d = sum(fight.start_d) - sum(fight.d) - sum(fight.d_out)
        rows.append(
            (
                space_name(state, fight.space),
                _(RESULTS[fight.result]),
                str(fight.round_no),
                f"{lost_a} : {lost_d}",
                f"{_luck(fight.shots, 'attacker')} | {_luck(fight.shots, 'defender')}",
            )
        )
    head = (_("Space"), _("Result"), _("Rounds"), _("Losses"), _("Attack | defence hits (expected)"))
    parts = [table_html(head, rows)] if rows else []
    shots = tuple(shot for fight in fights for shot in fight.shots)
    if shots:
        told = _("All combats: {attack} | {defence}").format(
            attack=_luck(shots, "attacker"), defence=_luck(shots, "defender")
        )
        parts.append(f"<p>{escape(told)}</p>")
    if mines:
        dice, hits = sum(len(m.values) for m in mines), sum(m.hits for m in mines)
        text = _("Mines, hits: {hits}, dice: {dice}, expected: {mean}").format(
            hits=hits, dice=dice, mean=figure(dice * MINE_NEED / FACES)
        )
        parts.append(f"<p>{escape(text)}</p>")
    return "".join(parts)


def _luck(shots: tuple[Shot, ...], role: str) -> str:
    own = [shot for shot in shots if shot.role == role]
    return f"{sum(shot.hits for shot in own)} ({figure(float(expected_hits(own)))})"


SECTIONS: tuple[Section, ...] = (_control, _points, _combats)
"""What this adds to the report."""
