"""The Stars screen of The Soft Underbelly: replacements for stars, the boxes by nation, who holds which star."""

from __future__ import annotations

from companion.core.change import Change
from companion.core.ids import Nation
from companion.core.state import GameState
from companion.games.tsu.pages.calendar import news_rows
from companion.games.tsu.pages.rows import Page, Row
from companion.games.tsu.pages.words import (
    holder_text,
    nation_name,
    side_name_of,
    star_name,
    stars_text,
    unit_word,
)
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.stars import replacement_fault
from companion.games.tsu.rules.state import (
    ALLIES,
    AXIS,
    ITALY,
    SIDE_OF,
    budget,
    left_of,
    lendable,
    lender_of,
    slice_of,
)
from companion.pages.frame import nation_mark
from companion.pages.i18n import N_, _
from companion.pages.labels import done_name, refusal

__all__ = ["first_nation", "holder_options", "star_command", "star_key", "stars_page"]

_PEOPLE: dict[str, str] = {
    "germany": N_("Germans"),
    "italy": N_("Italians"),
    "britain": N_("British"),
    "us": N_("Americans"),
}
"""Nations as tabs, short in every language."""


def stars_page(change: Change, tab: str) -> Page:
    """Return a tab: ``replace``, ``stars`` or a nation whose box is shown."""
    state = change.state
    nations = [info.id for info in state.frozen_setup.nations]
    tabs = (
        ("replace", _("Replace")),
        ("stars", _("Stars")),
        ("box", _("Boxes")),
    )
    maker = {"replace": _replace_rows, "stars": _star_rows}
    is_box = tab in nations
    rows = _box_rows(state, Nation(tab)) if is_box else maker[tab](state)
    ends = state.step.phase == "reinforcements" and state.ending is None
    return Page(
        _("Stars"),
        _lead(state),
        "accent",
        tabs,
        "box" if is_box else tab,
        rows,
        done_name(state.step.act, "tsu") if ends else _("Back to the table"),
        ends_act=ends,
        columns=2,
        empty=_("Nothing lies in the boxes of the side that acts"),
        key=tab,
        subtabs=tuple((nation, _(_PEOPLE[nation])) for nation in nations) if is_box else (),
        subtab=tab if is_box else "",
    )


def _acting(state: GameState) -> list[Nation]:
    owners = state.step.owners
    return [Nation(nation) for nation, side in SIDE_OF.items() if not owners or side in owners]


def first_nation(state: GameState) -> str:
    """Return the nation whose box is shown first: one of the side that acts."""
    return _acting(state)[0]


def _lead(state: GameState) -> str:
    own, stage = slice_of(state), state.step.stage
    parts = []
    for nation in _acting(state):
        whole = budget(own, nation, stage)
        left = left_of(own, nation, stage)
        text = f"{nation_name(state, nation)}: {stars_text(whole)}"
        parts.append(text if left == whole else f"{text}, {_('{n} left').format(n=left)}")
    return " · ".join(parts)


def _replace_rows(state: GameState) -> tuple[Row, ...]:
    own, stage = slice_of(state), state.step.stage
    rows = list(news_rows(state)) if state.step.phase == "reinforcements" else []
    for nation in _acting(state):
        for unit, count in own.boxes[nation].items():
            rows.append(_replace_row(state, nation, unit, count))
            lender = lender_of(own, nation, stage)
            if lender is not None and lendable(own, lender, stage):
                rows.append(_replace_row(state, nation, unit, count, lent=1))
    if AXIS in state.step.owners and not own.italy_fallen:
        is_open = own.axis_path
        toggle = cm.ReportHappening(state.step.id, "path_cut" if is_open else "path_open")
        rows.append(
            Row(
                "path",
                _("Overland path from Germany to Italy is open"),
                _("Germany may lend Italy one star a turn only then"),
                "tick",
                toggle,
                is_on=is_open,
            )
        )
    return tuple(rows)


def _replace_row(state: GameState, nation: Nation, unit: str, count: int, *, lent: int = 0) -> Row:
    cost = slice_of(state).tables.units[unit].cost or 0
    fault = replacement_fault(state, nation, unit, lent)
    text = f"{unit_word(unit)}: {stars_text(cost)}"
    sub = _("{n} in the box").format(n=count)
    if lent:
        lender = lender_of(slice_of(state), nation, state.step.stage)
        name = nation_name(state, lender or "")
        sub = _("one lent: {nation}").format(nation=name)
    if fault is not None:
        sub = f"{sub}; {refusal(fault, state)}"
    command = cm.Replace(state.step.id, nation, unit, lent)
    where = nation_mark(state.frozen_setup, nation)
    return Row(f"{nation}.{unit}.{lent}", text, sub, "tap", command, is_enabled=fault is None, mark=where)


def _box_rows(state: GameState, nation: Nation) -> tuple[Row, ...]:
    own = slice_of(state)
    gone = nation == ITALY and own.italy_fallen
    return tuple(
        Row(
            unit,
            unit_word(unit),
            stars_text(row.cost),
            "count",
            ask="box",
            count=own.boxes[nation].get(unit, 0),
            most=0 if gone else 30,
        )
        for unit, row in own.tables.units.items()
        if row.cost is not None
    )


def _star_rows(state: GameState) -> tuple[Row, ...]:
    own = slice_of(state)
    rows = [
        Row(
            star,
            star_name(state, star),
            holder_text(state, star),
            "tap",
            ask="star",
            mark=None if holder is None else nation_mark(state.frozen_setup, holder),
        )
        for star, holder in own.stars.items()
    ]
    rows.append(
        Row("new", _("Add a star of your map"), _("The rules name only these"), "tap", ask="new_star")
    )
    return tuple(rows)


def holder_options(state: GameState, star: str) -> tuple[tuple[str, str], ...]:
    """Return who may hold a star, and whose ships or aircraft may stand on it, as (key, text)."""
    own = slice_of(state)
    found = [
        (f"hold.{nation}", nation_name(state, nation))
        for nation in own.boxes
        if not (nation == ITALY and own.italy_fallen)
    ]
    found.append(("hold.", _("Nobody")))
    holder = own.stars.get(star)
    for side in (AXIS, ALLIES):
        if star in own.stars and (holder is None or SIDE_OF[holder] != side):
            text = _("Only ships or aircraft: {side}").format(side=side_name_of(side))
            found.append((f"control.{side}", text))
    if star in own.controlled:
        found.append(("control.", _("No ships or aircraft any more")))
    return tuple(found)


def star_command(star: str, option: str, name: str = "") -> cm.TakeStar | cm.ControlStar:
    """Return the command of an option of `holder_options`."""
    what, _dot, who = option.partition(".")
    if what == "control":
        side = AXIS if who == AXIS else ALLIES if who == ALLIES else None
        return cm.ControlStar(star, side)
    return cm.TakeStar(star, Nation(who) if who else None, name)


def star_key(name: str) -> str:
    """Return the key of a star that is added by its name; empty when the name has no letter or digit."""
    return "_".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
