"""The Score screen of North Africa: what the victory chart would say now, each of its lines, and who holds what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from companion.core.ids import Side, SiteId
from companion.core.judgement import Judgement
from companion.core.state import GameState
from companion.core.text import Name, Say, Several, Typed, Value, area, nation, several, side
from companion.games.aana.pages.entries import ask_marker
from companion.games.aana.pages.words import chart_spaces
from companion.games.aana.rules.figures import ALLIES, AXIS
from companion.games.aana.rules.ledger import board, ledger_of, scenario_of
from companion.games.aana.rules.victory import (
    LEVELS,
    BreakDraw,
    Claim,
    condition,
    judged,
    missing_spaces,
    undecided,
)
from companion.pages.page import (
    Acts,
    Ask,
    Button,
    Field,
    Form,
    Go,
    Item,
    Mark,
    Send,
    Shown,
    Sight,
    sure,
)
from companion.pages.parts import back_button, end_button, nation_mark, side_mark
from companion.pages.rulings import deciding, ruling_items
from companion.pages.score import score_shown

__all__ = ["conditions", "score_page"]

Groups = tuple[tuple[SiteId, ...], ...]
"""Territories of which a side needs one group whole."""

_PLACES: dict[str, tuple[float, float]] = {
    "algiers": (3.1, 36.8), "benghazi": (20.1, 32.1), "bir_hacheim": (23.5, 31.0), "cairo": (31.2, 30.0),
    "casablanca": (-7.6, 33.6), "crete": (24.9, 35.2), "el_agheila": (19.2, 30.3), "gibraltar": (-5.3, 36.1),
    "italy": (14.3, 40.9), "kasserine": (8.8, 35.2), "malta": (14.4, 35.9), "mareth": (10.3, 33.6),
    "oran": (-0.6, 35.7), "sardinia": (9.1, 40.1), "sicily": (14.2, 37.5), "tobruk": (24.0, 32.0),
    "tripoli": (13.2, 32.9), "tunis": (10.2, 36.8),
}  # fmt: skip
"""Where the towns lie that a board can bear a marker on: longitude and latitude."""


def score_page(sight: Sight) -> Shown:
    """Return the chart's bar over the coast with its holders, or the chart line by line."""
    state, acts = sight.state, Acts()
    return score_shown(
        sight,
        acts,
        main=_main(state, acts),
        second=_second(state, acts),
        conditions=(
            *_conditions(state, acts),
            *ruling_items(state, acts, deciding(state, ("aana.levels",), judged)),
            *(_claims(state, acts) if state.ending is None else ()),
        ),
        places=tuple(_places(state, acts)),
        where=_PLACES,
    )


def conditions(state: GameState) -> Iterator[tuple[Side, str, Say, Judgement]]:
    """Yield every condition of the victory chart: its side, its level, its words, and whether it is met."""
    for one, level, words, groups in _lines(state):
        yield one, level, words, condition(state, one, groups)


def _lines(state: GameState) -> Iterator[tuple[Side, str, Say, Groups]]:
    """Yield every line of the victory chart: its side, its level, its words, and the groups that meet it."""
    for one, table in scenario_of(state).victory.items():
        for level in LEVELS:
            groups = getattr(table, level)
            if groups:
                spaces = Several(tuple(several(map(area, group)) for group in groups), "or")
                words = Say(
                    "{side}, {level}: {spaces}", side=side(one), level=Name("level", level), spaces=spaces
                )
                yield one, level, words, groups


def _conditions(state: GameState, acts: Acts) -> Iterator[Item]:
    """Yield the chart's conditions with what each lacks; one that an unknown marker decides asks for it."""
    for one, level, words, groups in _lines(state):
        met = condition(state, one, groups)
        mark, key = side_mark(state.frozen_setup, one), f"{one}.{level}"
        if met.is_unknown:
            need = met.needs[0]
            act = acts.put(f"marker.{key}", ask_marker(state, SiteId(need.id)))
            yield Item(key, words, Say("not known: {question}", question=need.question), mark=mark, act=act)
            continue
        lacks = missing_spaces(state, one, groups)
        far = Say("{n} short: {spaces}", n=len(lacks), spaces=several(map(area, lacks), "comma"))
        yield Item(
            key,
            words,
            Say("held: met") if met.is_yes else far,
            mark=mark,
            state="ok" if met.is_yes else "plain",
        )


def _places(state: GameState, acts: Acts) -> Iterator[Item]:
    """Yield every territory that bears a marker or an emblem, those that the chart names first; a tap changes its marker."""
    own, control, setup = board(state), ledger_of(state).control, state.frozen_setup
    named = chart_spaces(state)
    rows = [row for row in own.territories() if row.owner or own.is_controllable(row.id)]
    for row in sorted(rows, key=lambda row: row.id not in named):
        holder = control.get(row.id) or row.owner
        act = (
            acts.put(f"site.{row.id}", ask_marker(state, row.id)) if own.is_open_to_capture(row.id) else None
        )
        mark = nation_mark(setup, holder) if holder else Mark("?", "muted")
        whose: Value = Say("Nobody") if row.id in ledger_of(state).unmarked else Say("not known")
        points = own.rp(row.id)
        worth: Value = Typed("–") if points is None else points
        yield Item(row.id, area(row.id), nation(holder) if holder else whose, worth, mark, act=act)


def _claims(state: GameState, acts: Acts) -> Iterator[Item]:
    """Yield what the table can claim, and the count that breaks a draw."""
    if _is_draw(state):
        sub = Say("Enter the cost of each side's land units")
        yield Item("draw", Say("Break the draw"), sub, act=acts.put("draw", _ask_costs()))
    for claimant, title in (
        (AXIS, Say("Axis: no Allied combat unit is left")),
        (ALLIES, Say("Allies: no Axis combat unit is left")),
    ):
        sub = Say("In North Africa; ends the game at once")
        ask = sure(title, _claim(claimant), sub=sub, yes=Say("Claim victory"), is_danger=True)
        mark = side_mark(state.frozen_setup, claimant)
        yield Item(f"claim.{claimant}", title, sub, mark=mark, act=acts.put(f"claim.{claimant}", ask))


def _is_draw(state: GameState) -> bool:
    """Say whether the chart was judged and waits for the count that breaks its draw."""
    is_judged = state.step.phase == "victory" and state.ending is None and not undecided(state)
    return is_judged and judged(state).winner is None


def _main(state: GameState, acts: Acts) -> Button:
    """Return the main act: the count that breaks a draw, the end of the judgement, else back to what is fought."""
    if _is_draw(state):
        return Button(Say("Break the draw"), acts.put("break", _ask_costs()))
    if state.step.phase == "victory" and state.ending is None:
        return end_button(state, acts)
    if state.step.phase == "combat" and state.ending is None:
        return Button(Say("Back to the battles"), acts.put("battles", Go("aana_combat")))
    return back_button(acts)


def _second(state: GameState, acts: Acts) -> Button | None:
    """Return the question for the first marker that decides something and that nobody has told."""
    needs = undecided(state)
    if not needs or state.ending is not None:
        return None
    words = Say.counted("{n} marker is not known yet", "{n} markers are not known yet", len(needs))
    return Button(words, acts.put("marker", ask_marker(state, SiteId(needs[0].id))))


def _claim(claimant: Side) -> Send:
    return Send(lambda at_ms: Claim(claimant, at_ms))


def _ask_costs() -> Ask:
    fields = (
        Field(
            "axis", Say("Axis: cost of its land units in territories"), "number", most=3, may_be_empty=True
        ),
        Field(
            "allies",
            Say("Allies: cost of their land units in territories"),
            "number",
            most=3,
            may_be_empty=True,
        ),
    )

    def told(answers: Mapping[str, str]) -> Send:
        axis, allies = int(answers["axis"] or 0), int(answers["allies"] or 0)
        return Send(lambda at_ms: BreakDraw(axis, allies, at_ms))

    return Ask(Form("draw", Say("Break the draw"), fields), told)
