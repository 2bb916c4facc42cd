"""The list of attacks of a turn on The Soft Underbelly's Attack screen, and who attacks when."""

from __future__ import annotations

from companion.core.state import GameState
from companion.games.tsu.pages.draft import Draft
from companion.games.tsu.pages.fight import result_line
from companion.games.tsu.pages.rows import Page, Row
from companion.games.tsu.pages.words import attackers_text, side_name_of, units_text
from companion.games.tsu.rules.attack import verdict
from companion.games.tsu.rules.state import ALLIES, AXIS, Declared, season_of, slice_of
from companion.pages.i18n import _, ngettext
from companion.pages.labels import done_name

__all__ = ["attacking_side", "can_declare", "defending_side", "list_page"]


def attacking_side(state: GameState, draft: Draft) -> str:
    """Return the side whose attack is worked out: as chosen, else the one that acts, the Axis during set-up."""
    owners = state.step.owners
    acting = owners[0] if owners else AXIS
    return acting if can_declare(state) or not draft.side else draft.side


def defending_side(state: GameState, draft: Draft) -> str:
    """Return the other side."""
    return ALLIES if attacking_side(state, draft) == AXIS else AXIS


def can_declare(state: GameState) -> bool:
    """Say whether attacks are declared in the current phase."""
    return state.step.phase in ("supply", "attack") and state.ending is None


def list_page(state: GameState) -> Page:
    """Return the attacks of the turn, and what the phase asks."""
    phase, attacks = state.step.phase, slice_of(state).attacks
    waiting = sum(not declared.done for declared in attacks)
    ends = can_declare(state) or phase == "breakthrough"
    text = _("Declare an attack") if can_declare(state) else _("Work out an attack")
    sub = _("Allowed or not and why, what falls, what would win")
    rows = [Row("new", text, sub, "tap", ask="new")]
    if phase == "breakthrough":
        lead = _("Panzer and Mechanized that did not attack or land may move again")
        rows = [*_breakthrough(state), *rows]
    elif phase == "supply":
        lead = _("{side}: name each attack with the supply that it uses up").format(
            side=side_name_of(attacking_side(state, Draft()))
        )
    elif phase == "attack":
        lead = (
            ngettext("{n} attack waits: tap it to fight", "{n} attacks wait: tap one to fight", waiting)
            if waiting
            else _("All attacks are fought")
            if attacks
            else _("No attack was declared")
        ).format(n=waiting)
    else:
        lead = _("Try out any attack here; attacks are declared in the supply phase")
    rows += [_attack_row(state, declared) for declared in attacks]
    return Page(
        _("Attacks"),
        lead,
        rows=tuple(rows),
        main_text=done_name(state.step.act, "tsu") if ends else _("Back to the table"),
        ends_act=ends,
        key=f"list.{state.step.id}",
    )


def _breakthrough(state: GameState) -> list[Row]:
    attacked = [
        unit
        for declared in slice_of(state).attacks
        if declared.result is not None
        for unit in (a.unit for a in declared.attack.attackers)
        if unit.kind == "panzer"
    ]
    rows = []
    if attacked:
        rows.append(
            Row("tired", _("No breakthrough: {units}").format(units=units_text(attacked)), _("They attacked"))
        )
    if season_of(slice_of(state), state.step.stage).startswith("fall"):
        rows.append(Row("fall", _("No breakthrough in the winter zone"), _("It is Fall"), tone="danger"))
    return rows


def _attack_row(state: GameState, declared: Declared) -> Row:
    attack = declared.attack
    found = verdict(attack, slice_of(state).tables)
    text = _("{area}: {a} against {d}").format(
        area=attack.target, a=found.attack_value, d=found.defence_value
    )
    if declared.unopposed:
        text = _("{area}: unopposed landing").format(area=attack.target)
    key = str(declared.number)
    if declared.dropped:
        return Row(key, text, _("Given up; tap to work it out again"), "tap", ask="again")
    if declared.result is not None:
        if not declared.unopposed:
            text = _("{area}: {a} against {d}").format(
                area=attack.target, a=declared.result.attack_value, d=declared.result.defence_value
            )
        return Row(key, text, result_line(declared.result), "tap", ask="done")
    supplies = [s.unit for s in slice_of(state).supplies if s.number in declared.supplies]
    text = f"{text} ({units_text(supplies)})"
    sub = _("{attackers} against {defenders}").format(
        attackers=attackers_text(attack.attackers), defenders=units_text(attack.defenders)
    )
    return Row(key, text, sub, "tap", ask="fight" if state.step.phase == "attack" else "drop")
