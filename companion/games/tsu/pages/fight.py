"""One declared attack while it is fought: losses to choose, retreats, the advance; and what it came to."""

from __future__ import annotations

from companion.core.state import GameState
from companion.games.tsu.pages.draft import Draft
from companion.games.tsu.pages.rows import Page, Row
from companion.games.tsu.pages.words import capital, unit_text, units_text
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.attack import Verdict, verdict
from companion.games.tsu.rules.losses import Advance, Removal, advance_of
from companion.games.tsu.rules.state import Declared, slice_of
from companion.games.tsu.rules.units import Unit
from companion.pages.frame import nation_mark
from companion.pages.i18n import _

__all__ = ["done_page", "fight_page", "result_line"]


def result_line(result: cm.Result) -> str:
    """Return what an attack came to on one line."""
    parts = []
    if result.removed:
        parts.append(_("lost: {units}").format(units=units_text(result.removed)))
    if result.retreated:
        parts.append(_("retreated: {units}").format(units=units_text(result.retreated)))
    if result.advanced:
        parts.append(_("advanced: {units}").format(units=units_text(result.advanced)))
    if result.attackers_lost:
        parts.append(_("attackers lost: {units}").format(units=units_text(result.attackers_lost)))
    if not result.removed and not result.is_taken:
        parts.insert(0, _("failed"))
    text = "; ".join(parts) or _("taken without a fight")
    return capital(text)


def fight_page(state: GameState, declared: Declared, draft: Draft) -> Page:
    """Return the page of an attack that is fought now."""
    attack, tables = declared.attack, slice_of(state).tables
    found = verdict(attack, tables)
    step = state.step.id
    title = _("{area}: {a} against {d}").format(
        area=attack.target, a=found.attack_value, d=found.defence_value
    )
    if declared.unopposed:
        title = _("{area}: unopposed landing").format(area=attack.target)
    key = f"fight.{declared.number}"
    removal = _chosen(found, draft)
    give_up = Row("drop", _("Give the attack up"), _("The supply stays used up"), "tap", ask="drop")
    if attack.defenders and not found.wins:
        rows = (*_early(state, declared, found), give_up)
        return Page(
            title,
            _("The attack fails: all units stay where they are"),
            "danger",
            rows=rows,
            main_text=_("It fails"),
            main_command=cm.ResolveAttack(step, declared.number),
            key=key,
        )
    staying = () if removal is None else removal.staying
    fighting = found.fighting if attack.defenders else attack.attackers
    known = removal is not None or not attack.defenders
    advance = advance_of(attack, fighting, staying, tables) if known else None
    lost = tuple(removal.retreating[i] for i in draft.lost) if removal is not None else ()
    command = None
    if known:
        choice = None if removal is None else found.removals.index(removal)
        command = cm.ResolveAttack(step, declared.number, choice, lost, draft.advance)
    tabs = [("losses", _("Losses"))]
    if removal is not None and removal.retreating:
        tabs.append(("retreat", _("Retreat")))
    if advance is not None and (advance.leaders or advance.followers):
        tabs.append(("advance", _("Advance")))
    tab = draft.tab if draft.tab in dict(tabs) else "losses"
    if tab == "retreat" and removal is not None:
        rows = _retreat_rows(state, removal, draft)
    elif tab == "advance" and advance is not None:
        rows = _advance_rows(state, declared, advance, draft)
    else:
        rows = (*_loss_rows(found, draft), *_early(state, declared, found), give_up)
    keys = [key for key, _text in tabs]
    following = keys[keys.index(tab) + 1] if tab != keys[-1] else ""
    lead = _("Nobody is left to fight: the area is empty")
    if declared.unopposed:
        lead = _("Nobody defends: an unopposed landing")
    if attack.defenders:
        lead = _("Choose what the defender loses: at least {n}").format(n=found.difference)
    return Page(
        title,
        lead,
        "ok",
        tuple(tabs),
        tab,
        rows,
        _("Next: {what}").format(what=dict(tabs)[following]) if following else _("Carry it out"),
        None if following else command,
        is_main_ready=command is not None,
        key=f"{key}.{tab}",
        next_tab=following,
    )


def _chosen(found: Verdict, draft: Draft) -> Removal | None:
    if not found.removals:
        return None
    if len(found.removals) == 1:
        return found.removals[0]
    if draft.choice is None or draft.choice >= len(found.removals):
        return None
    return found.removals[draft.choice]


def _loss_rows(found: Verdict, draft: Draft) -> tuple[Row, ...]:
    only = len(found.removals) == 1
    rows = []
    for n, removal in enumerate(found.removals):
        if removal.retreating:
            sub = _("Back one area or lost: {units}").format(units=units_text(removal.retreating))
        elif removal.staying:
            sub = _("Stay: {units}").format(units=units_text(removal.staying))
        else:
            sub = _("nobody is left")
        on = only or draft.choice == n
        rows.append(Row(str(n), units_text(removal.units), sub, "choice", ask="choice", is_on=on))
    return tuple(rows)


def _early(state: GameState, declared: Declared, found: Verdict) -> tuple[Row, ...]:
    step = state.step.id
    return tuple(
        Row(
            f"early.{n}",
            _("{unit} leaves before the combat").format(unit=unit_text(unit)),
            _("The defender decides; it needs a friendly area next to it"),
            "tap",
            cm.RetreatBefore(step, declared.number, (unit,)),
            mark=nation_mark(state.frozen_setup, unit.nation),
        )
        for n, unit in enumerate(found.may_retreat_before)
    )


def _retreat_rows(state: GameState, removal: Removal, draft: Draft) -> tuple[Row, ...]:
    head = Row(
        "how",
        _("The owner moves each one area, to a friendly area or an empty sea area"),
        _("Tick who has nowhere to go: it is lost"),
        tone="muted",
    )
    return (
        head,
        *(
            Row(
                str(n),
                unit_text(unit),
                _("nowhere to go: lost") if n in draft.lost else _("retreats one area"),
                "tick",
                ask="lost",
                is_on=n in draft.lost,
                mark=nation_mark(state.frozen_setup, unit.nation),
            )
            for n, unit in enumerate(removal.retreating)
        ),
    )


def _advance_rows(state: GameState, declared: Declared, advance: Advance, draft: Draft) -> tuple[Row, ...]:
    attackers = declared.attack.attackers
    rows = []
    if advance.kind == "land":
        rows.append(
            Row("how", _("One land unit may advance, then ships and aircraft that fought"), tone="muted")
        )
    else:
        rows.append(Row("how", _("Ships and aircraft that fought may advance"), tone="muted"))
    for i in advance.inside:
        unit = attackers[i].unit
        rows.append(
            Row(
                f"in.{i}",
                unit_text(unit),
                _("stands there already"),
                mark=nation_mark(state.frozen_setup, unit.nation),
            )
        )
    for i in (*advance.leaders, *advance.followers):
        unit = Unit(attackers[i].unit.kind, attackers[i].unit.nation, attackers[i].unit.name)
        rows.append(
            Row(
                str(i),
                unit_text(unit),
                _("from {area}").format(area=attackers[i].origin),
                "tick",
                ask="advance",
                is_on=i in draft.advance,
                mark=nation_mark(state.frozen_setup, unit.nation),
            )
        )
    return tuple(rows)


def done_page(declared: Declared) -> Page:
    """Return what an attack came to, and what the table has to do now."""
    result = declared.result
    assert result is not None
    rows = []
    forts = [unit for unit in result.removed if unit.kind == "fort"]
    others = [unit for unit in result.removed if unit.kind != "fort"]
    if others:
        rows.append(Row("lost", _("To the replacement box: {units}").format(units=units_text(others))))
    if forts:
        text = _("Out of the game for good: {units}").format(units=units_text(forts))
        rows.append(Row("fort", text))
    if result.retreated:
        text = _("Retreat one area: {units}").format(units=units_text(result.retreated))
        rows.append(Row("retreat", text, _("Their owner chooses where")))
    if result.attackers_lost:
        text = _("The attackers lose: {units}").format(units=units_text(result.attackers_lost))
        rows.append(Row("ours", text))
    if result.advanced:
        text = _("Advance to {area}: {units}").format(
            area=declared.attack.target, units=units_text(result.advanced)
        )
        rows.append(Row("advance", text))
    if result.is_taken:
        rows.append(
            Row("star", _("Is there a star? Set its holder on the Stars screen"), "", "tap", ask="stars")
        )
    for origin, units in result.overstacked.items():
        text = _("Overstacked: {area}").format(area=origin)
        sub = _("Choose which army is lost: {units}").format(units=units_text(units))
        rows.append(Row(origin, text, sub, "tap", ask="overstack"))
    if not rows:
        rows.append(Row("none", _("All units stay where they are")))
    return Page(
        _("{area}: {a} against {d}").format(
            area=declared.attack.target, a=result.attack_value, d=result.defence_value
        ),
        result_line(result),
        "ok" if result.removed or result.is_taken else "muted",
        rows=tuple(rows),
        main_text=_("All attacks"),
        key=f"done.{declared.number}",
    )
