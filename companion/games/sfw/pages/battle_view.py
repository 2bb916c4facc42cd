"""What battles add to the shared screens: printed unit figures, report sections."""

from __future__ import annotations

from html import escape

from companion.core.ids import StepId
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Name, Say, nation, several, unit
from companion.games.sfw.pages.battle_draft import BattleDraft, look
from companion.games.sfw.pages.battle_luck import forecast_of, is_priced, luck_rows
from companion.games.sfw.pages.battle_odds import share_say
from companion.games.sfw.pages.tell import counts_say, hits_say
from companion.games.sfw.rules.battle import SIDES
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import (
    acting_side,
    are_over,
    as_now,
    battles_of,
    fight_of,
    side_id,
)
from companion.games.sfw.rules.named import colour
from companion.games.sfw.rules.named import figure as figure_name
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import number_figures
from companion.pages import numbers
from companion.pages.game_view import GameView, OpenBattle, PrintedRow
from companion.pages.i18n import N_, _, labelled
from companion.pages.labels import side_name
from companion.pages.page import Act
from companion.pages.report_parts import ReportSource, Section, section, table_html
from companion.pages.speak import speak

__all__ = ["SECTIONS", "BattleGameView"]

_PADDED = ("move", "number", "range", "anti_air", "cost")
"""Figures that fit a number pad, in the order of the player aid; colours, targets and icons are entered on the Units screen."""
_SHORT = {"number": N_("Hits from"), "anti_air": N_("Anti-air")}
"""What stands below a figure where its name would be too long."""


class BattleGameView(GameView):
    """Printed values of the unit table, and the colours of its dice."""

    def dice_colours(self, state: GameState) -> tuple[str, ...]:
        """Return the colours of this edition's levels."""
        return unit_table_of(state).levels

    def ends_too(self, state: GameState) -> tuple[StepId, Say] | None:
        """Return the step in which battles are resolved, where none is left for it: the side is asked once, not twice."""
        here, following = state.step, state.itinerary.steps[state.index + 1 : state.index + 2]
        battles = battles_of(state).battles
        if here.act != "declare" or not are_over(state) or not following:
            return None
        (after,) = following
        if (after.act, after.movement_step, after.owners) != ("resolve", here.movement_step, here.owners):
            return None
        return after.id, Say("Battles over: next step") if battles else Say("No battles: next step")

    def printed(self, state: GameState) -> tuple[PrintedRow, ...]:
        """Return the unit figures that are unknown or were entered, for the number pad."""
        table = unit_table_of(state)
        rows = []
        for id_, spec in table.units.items():
            numbers_ = number_figures(table, spec)
            for figure in (one for name in _PADDED for one in (numbers_ if name == "number" else (name,))):
                key = f"{id_}.{figure}"
                status = spec.status_of(figure.partition(".")[0])
                if (
                    status.status == "unknown" and spec.figure(table, figure) is None
                ) or key in state.printed:
                    label = Say("{unit}: {figure}", unit=unit(id_), figure=figure_name(figure))
                    rows.append(
                        PrintedRow(
                            key,
                            speak(label, state),
                            state.printed.get(key),
                            _("Units"),
                            of=speak(unit(id_), state),
                            figure=_short(state, figure),
                        )
                    )
        return tuple(rows)

    def new_battle(self, state: GameState) -> tuple[str, Act | None, Say] | None:
        """Return the Battle screen with the spaces to choose from."""
        if acting_side(state) is None or state.step.act != "declare":
            return None
        return "battle", look(page="where"), Say("Declare a battle")

    def battles(self, state: GameState) -> tuple[OpenBattle, ...]:
        """Return the battles that are declared or fought, with how many units each side has there."""
        waiting = [one for one in battles_of(state).battles if one.status in ("fighting", "declared")]
        return tuple(
            _open_battle(state, as_now(state, one))
            for one in sorted(waiting, key=lambda one: one.status != "fighting")
        )


def _open_battle(state: GameState, declared: Declared) -> OpenBattle:
    """Return how a battle stands in a line: the units of both sides that are in it now."""
    progress, battle = declared.progress, declared.battle
    if progress is None:
        own, foes = (sum(group.count for group in groups) for groups in (battle.attacking, battle.defending))
    else:
        own, foes = sum(progress.attacking), sum(progress.defending)
    note = Say("{a} against {d}", a=own, d=foes) if own or foes else Say("No units yet")
    return OpenBattle(
        declared.id,
        speak(space_of(declared.space), state),
        speak(note, state),
        "battle",
        BattleDraft(declared.id),
        is_running=declared.status == "fighting",
    )


def _short(state: GameState, figure: str) -> str:
    """Return a figure in as few words as can be: one of several hit numbers is told by its colour."""
    name, _dot, of = figure.partition(".")
    if of:
        return speak(colour(of), state)
    return _(_SHORT[name]) if name in _SHORT else speak(figure_name(figure), state)


# The report


@section("battles", N_("Battles"), 40)
def _battles(source: ReportSource) -> str:
    state = source.change.state
    own = battles_of(state)
    parts = []
    for declared in (*own.history, *own.battles):
        if declared.progress is not None:
            parts.append(_battle_html(state, declared))
    return "".join(parts)


def _battle_html(state: GameState, declared: Declared) -> str:
    progress, fight = declared.progress, fight_of(state, declared)
    if progress is None or isinstance(fight, Rejected):
        return ""
    rows = []
    for record in progress.records:
        for side in SIDES:
            other = next(name for name in SIDES if name != side)
            dice = " · ".join(
                labelled(
                    f"{speak(several(map(unit, line.units), 'comma'), state)}, "
                    + speak(Say("{colour}, {n}+", colour=colour(line.colour), n=line.number), state),
                    " ".join(str(value or "–") for roll in thrown.rolls for value in roll.values()),
                )
                for line, thrown in zip(record.lines, record.thrown, strict=True)
                if line.side == side
            )
            losses = record.losses[side]
            gone = [(kind.unit.id, n) for kind in fight.kinds(side) if (n := losses[kind.index])]
            lost = speak(counts_say(gone), state)
            if dice or lost:
                rows.append(
                    (
                        speak(Name("battle_step", record.step), state),
                        side_name(state.frozen_setup, side_id(state, declared.attacker, side)),
                        dice,
                        speak(hits_say(record.hits.get(other, ()), fight.table.levels), state),
                        lost,
                    )
                )
    head = (_("Step"), _("Side"), _("Dice"), _("Hits"), _("Lost"))
    title = _("Stage {stage}, movement step {step}: battle {id}, {space}").format(
        stage=declared.stage, step=declared.movement_step, id=declared.id, space=declared.space
    )
    forecast = forecast_of(state, declared) if declared.battle.occasion == "battle" else None
    before = ""
    if forecast is not None:
        said = Say(
            "Before the battle: space taken {take}, held {hold} ({how})",
            take=share_say(forecast.p_capture),
            hold=share_say(forecast.p_hold),
            how=forecast.how,
        )
        before = speak(said, state)
    late = speak(Say("Declared after the first battle of the act had begun."), state) if declared.late else ""
    told = "".join(f"<p>{escape(text)}</p>" for text in ((late, before) if late else (before,)))
    return f"<h3>{escape(title)}</h3>{told}{table_html(head, rows)}"


@section("luck", N_("Luck"), 45)
def _luck(source: ReportSource) -> str:
    state = source.change.state
    if not battles_of(state).luck:
        return ""
    rows = [
        (
            speak(nation(row.nation), state),
            str(row.dice),
            numbers.figure(row.expected_hits),
            str(row.hits),
            numbers.figure(row.expected_lost),
            str(row.lost),
        )
        for row in luck_rows(state)
        if row.dice or row.lost or row.expected_lost
    ]
    if not rows:
        return ""
    lost = _("Lost (cost)") if is_priced(state) else _("Lost (armour levels)")
    head = (_("Nation"), _("Dice"), _("Hits expected"), _("Hits"), _("Loss expected"), lost)
    return table_html(head, rows)


SECTIONS: tuple[Section, ...] = (_battles, _luck)
"""What this adds to the report."""
