"""The Set-up screen of North Africa: markers, pieces, the free part and printed values, in the order of the rulebook."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.commands import EnterPrintedValue
from companion.core.ids import SiteId
from companion.core.state import GameState
from companion.core.text import Say, area, nation, unit
from companion.games.aana.pages.entries import ask_marker
from companion.games.aana.pages.tell import choose
from companion.games.aana.rules import reinforce_messages as rf
from companion.games.aana.rules.conditions import marker_known
from companion.games.aana.rules.deploy import frees
from companion.games.aana.rules.ledger import board, figures, ledger_of, scenario_of
from companion.pages.page import Acts, Ask, Field, Form, Go, Item, Page, Rows, Send, Shown, Sight, asked
from companion.pages.parts import end_button, nation_mark
from companion.pages.rulings import ruling_tools

__all__ = ["free_rows", "setup_page"]


def setup_page(sight: Sight) -> Shown:
    """Return what is to be done before the first turn; everything may also be told later, when it is asked for."""
    state, acts = sight.state, Acts()
    markers = tuple(_markers(state, acts))
    own, ledger = board(state), ledger_of(state)
    spaces = [row.id for row in own.territories()]
    counted = sum(space in ledger.told for space in spaces)
    places = Say("{n} of {m} territories are counted", n=counted, m=len(spaces))
    pieces = Item("pieces", Say("Units, supply and mines"), places, act=acts.put("pieces", Go("aana_board")))
    missing = len(figures(state).unknown_keys()) + len(own.unknown_keys())
    left = Say.counted("{n} value is missing", "{n} values are missing", missing)
    values = Item("values", Say("Printed values"), left, act=acts.put("values", Go("printed")))
    rows = (
        *(item for item in markers if item.state != "done"),
        pieces,
        *free_rows(state, acts),
        values,
        *(item for item in markers if item.state == "done"),
    )
    page = Page(
        "setup",
        Say("Set-up"),
        Say("What is left out is asked for as soon as it decides something"),
        "muted",
        tools=ruling_tools(state, acts, ("aana.cairo",)),
        blocks=(Rows("setup", rows, is_wide=False),),
        main=end_button(state, acts),
    )
    return Shown(page, acts)


def _markers(state: GameState, acts: Acts) -> Iterator[Item]:
    """Yield every territory that may bear a marker, those first of which nobody has told."""
    own, control = board(state), ledger_of(state).control
    spaces = [row.id for row in own.territories() if own.is_open_to_capture(row.id)]
    for space in sorted(spaces, key=lambda one: marker_known(state, one)):
        power = control.get(space)
        known = marker_known(state, space)
        sub = nation(power) if power else Say("Nobody") if known else Say("Whose marker?")
        mark = nation_mark(state.frozen_setup, power) if power else None
        act = acts.put(f"marker.{space}", ask_marker(state, space))
        yield Item(space, area(space), sub, mark=mark, state="done" if known else "plain", act=act)


def free_rows(state: GameState, acts: Acts) -> Iterator[Item]:
    """Yield the zones of the free set-up with the combat units that still fit their points."""
    used = rf.reinforce_of(state).free
    if scenario_of(state).free_printed and state.step.phase == "setup":
        sub = Say("Zones and points are printed on the Setup Chart")
        yield Item("zone", Say("Add a zone of the free set-up"), sub, act=acts.put("zone", _ask_zone(state)))
    for free in frees(state):
        left = free.points - used.get(free.space, 0)
        title = Say("Set-up: {power}, {space}", power=nation(free.power), space=area(free.space))
        key, mark = f"free.{free.power}.{free.space}", nation_mark(state.frozen_setup, free.power)
        fits = [
            (
                Send(rf.PlaceFree(free.power, free.space, row.unit, 1)),
                Say("{unit}: {n}", unit=unit(row.unit), n=row.cost),
            )
            for row in figures(state).rows()
            if row.power == free.power and row.is_combat and row.cost is not None and row.cost <= left
        ]
        sub = Say.counted("{n} point left", "{n} points left", left)
        yield Item(key, title, sub, mark=mark, act=acts.put(key, choose(key, title, fits)) if fits else None)


def _ask_zone(state: GameState) -> Ask:
    """Ask for a zone and its points, as the Setup Chart has them."""
    own = board(state)
    zones = tuple(Item(zone, area(zone)) for zone in (*own.convoys, *own.sea_zones()))

    def points(zone: SiteId) -> Ask:
        title = Say("Points of {space}", space=area(zone))
        form = Form("points", title, (Field("n", title, "number", most=2),))
        return Ask(form, lambda answers: Send(EnterPrintedValue(f"free.{zone}", int(answers["n"] or 0))))

    return asked("zone", Say("Which sea zone?"), zones, lambda key: points(SiteId(key)), is_wide=False)
