"""The Score screen: who would win now and by how much on one bar, who holds which place, the points over time."""

from __future__ import annotations

from companion.core.ids import SiteId
from companion.core.state import GameState
from companion.core.text import Say, several, site
from companion.games.sfw.pages.control import Capture, ControlDraft
from companion.games.sfw.pages.control_words import condition_says, holder_mark, site_notes
from companion.games.sfw.pages.ledger_view import points_value
from companion.games.sfw.pages.spaces import by_name
from companion.games.sfw.rules.ledger_values import base_table, refused_values, tables
from companion.games.sfw.rules.victory import conditions, missing_for
from companion.pages.modules import game_view
from companion.pages.needs import entry_of
from companion.pages.page import Act, Acts, Button, Go, Item, Shown, Sight, State
from companion.pages.parts import back_button, end_button, side_mark
from companion.pages.score import score_shown

__all__ = ["score_page"]

_PLACES: dict[str, tuple[float, float]] = {
    "ajaccio": (8.7, 41.9), "alexandria": (29.9, 31.2), "alexandria_xiii": (29.2, 31.0),
    "alexandria_xxx": (30.6, 31.2), "algiers": (3.1, 36.8), "athens": (23.7, 38.0), "benghazi": (20.1, 32.1),
    "bir_hakeim": (23.5, 31.0), "bizerte": (9.5, 37.3), "bone": (7.6, 36.9), "cagliari": (9.1, 39.2),
    "cassino": (13.8, 41.6), "catania": (15.0, 37.4), "crete": (24.9, 35.2), "derna": (22.6, 32.7),
    "el_alamein": (28.9, 30.8), "foggia": (15.5, 41.5), "gazala": (23.0, 32.0), "gibraltar": (-5.3, 36.1),
    "heraklion": (25.1, 35.3), "larissa": (22.4, 39.6), "maleme": (23.6, 35.5), "malta": (14.4, 35.9),
    "mareth": (10.3, 33.6), "mersa_brega": (19.6, 30.4), "mersa_matruh": (27.2, 31.3), "messina": (15.5, 38.2),
    "metaxas": (24.0, 41.4), "naples": (14.2, 40.9), "palermo": (13.3, 38.1), "rome": (12.5, 41.9),
    "salerno": (14.8, 40.6), "sollum": (25.2, 31.5), "taranto": (17.2, 40.5), "thessaloniki": (22.9, 40.6),
    "tobruk": (24.0, 32.0), "tobruk_east": (24.6, 31.7), "tobruk_west": (23.5, 31.8), "tripoli": (13.2, 32.9),
    "tripoli_germany": (12.6, 32.9), "tripoli_italy": (13.8, 32.7), "tunis": (10.2, 36.8),
}  # fmt: skip
"""Where the places lie: longitude and latitude of the towns, and beside each other where one has two."""


def score_page(sight: Sight) -> Shown:
    """Return the bar of both sides over the chart with its holders, their list, or the points over the stages."""
    state, acts = sight.state, Acts()
    return score_shown(
        sight,
        acts,
        main=_main(state, acts),
        second=_second(state, acts),
        conditions=_conditions(state, acts),
        places=_places(state, acts),
        where=_PLACES,
        open_=missing_for(state),
        faults=refused_values(base_table(state.frozen_setup), state.printed, state.frozen_setup),
    )


def _main(state: GameState, acts: Acts) -> Button:
    """Return the main act: the end of the victory check where that is at hand, else back to what is fought."""
    if state.step.phase == "victory" and state.ending is None:
        return end_button(state, acts)
    battles = game_view(state.frozen_setup.game).battles(state)
    if battles and state.ending is None:
        return Button(Say("Back to the battles"), acts.put("battles", Go(battles[0].screen)))
    return back_button(acts)


def _second(state: GameState, acts: Acts) -> Button | None:
    """Return the way to the points that are still open, counted."""
    open_ = [one for one, held in tables(state).sites.items() if held.vp is None]
    if not tables(state).counts_points or not open_:
        return Button(Say("Change control"), acts.put("control", Go("control", ControlDraft())))
    words = Say.counted("{n} tile still needs its points", "{n} tiles still need their points", len(open_))
    return Button(words, acts.put("printed", Go("printed")))


def _places(state: GameState, acts: Acts) -> tuple[Item, ...]:
    """Return every place with who holds it and its points; a tap opens its change of hands."""
    table = tables(state)
    found = []
    for one in map(SiteId, by_name(state, table.sites, site)):
        notes = site_notes(state, one)
        act: Act = Go("control", ControlDraft("sites", Capture(one)))
        points = points_value(table.sites[one].vp) if table.counts_points else None
        mark = holder_mark(state, one)
        sub = several(notes, "comma") if notes else None
        found.append(Item(one, site(one), sub, points, mark=mark, act=acts.put(f"site.{one}", act)))
    return tuple(found)


def _conditions(state: GameState, acts: Acts) -> tuple[Item, ...]:
    """Return what wins the game for whom, and how far each side is; one that an open value decides asks for it."""
    states: dict[bool | None, State] = {True: "ok", False: "plain", None: "muted"}
    found = []
    for n, item in enumerate(conditions(state)):
        text, detail = condition_says(state, item)
        ask = entry_of(state, item.asks[0]) if item.asks else None
        act = None if ask is None else acts.put(f"enter.{n}", ask)
        mark = side_mark(state.frozen_setup, item.side)
        found.append(Item(str(n), text, detail, mark=mark, state=states[item.is_met], act=act))
    return tuple(found)
