"""The director's one screen: the wall, the round, orders, standings and players as pages, pure."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from companion.core.text import Say, Typed
from companion.director.look import Director, DirectorDraft, Look, to
from companion.director.rounds import order_blocks, round_blocks, round_main, round_second
from companion.director.score import player_blocks, player_main, score_blocks, sum_blocks
from companion.director.table import table_page
from companion.director.wall import wall_blocks, wall_tools
from companion.hall.voice import speaking
from companion.pages.i18n import N_
from companion.pages.page import (
    Acts,
    Button,
    Go,
    Item,
    OnBox,
    Page,
    ScreenEntry,
    Shown,
    Sight,
    sure,
)
from companion.pages.speak import speak

__all__ = ["TABS", "director_page", "entry_of"]

TABS = {
    "wall": Say("Wall"),
    "round": Say("This round"),
    "orders": Say("Orders"),
    "standings": Say("Standings"),
    "players": Say("Players"),
}


def entry_of(director: Director) -> ScreenEntry:
    """Return the screen through which the window shows what a director has."""
    return ScreenEntry(
        key="director",
        title=N_("Director"),
        icon="trophy",
        make=lambda: partial(director_page, director),
        needs_game=False,
        is_bare=True,
        follow=lambda _box, moved: (director.subscribe(moved),),
    )


def director_page(director: Director, sight: Sight) -> Shown:
    """Return what the director looks at."""
    draft = sight.entered(DirectorDraft())
    look = director.look
    if look is None:
        return Shown(Page("director.none", Say("One moment …")), Acts())
    with speaking(speak):
        if draft.tab == "wall" and draft.table:
            try:
                return _footed(table_page(look, draft.table, director))
            except LookupError:
                pass  # another round was paired meanwhile
        return _footed(_tab(look, draft, director))


def _tab(look: Look, draft: DirectorDraft, director: Director) -> Shown:
    acts, tab = Acts(), draft.tab
    tabs = tuple(
        Item(key, words, act=acts.put(f"tab.{key}", to(tab=key, table=0, player=0)))
        for key, words in TABS.items()
    )
    back, main, second = None, None, None
    tools: tuple[Button, ...] = ()
    key = f"director.{tab}"
    match tab:
        case "round":
            blocks = round_blocks(look, director, acts)
            main, second = round_main(look, director, acts), round_second(look, director, acts)
        case "orders":
            blocks = order_blocks(look, director, acts)
        case "standings":
            try:
                blocks, key = sum_blocks(look, draft.player), "director.sums"
                back = acts.put("back", to(player=0))
            except LookupError:
                blocks = score_blocks(look, acts)
        case "players":
            blocks = player_blocks(look, director, acts)
            main = player_main(director, acts)
        case _:
            blocks, tools = wall_blocks(look, draft, director, acts), wall_tools(look, director, acts)
            main = round_main(look, director, acts)
    page = Page(
        key,
        Typed(look.view.now.name),
        tabs=tabs,
        tab=tab,
        tools=tools,
        blocks=blocks,
        main=main,
        second=second,
        back=back,
    )
    return Shown(page, acts)


def _footed(shown: Shown) -> Shown:
    """Return a page with what stands below all of them: the settings, and the way out."""
    acts = Acts(shown.acts)
    out = sure(
        Say("Close the director's window?"),
        OnBox("quit"),
        sub=Say("The tables play on, and the record stays as it is."),
        yes=Say("Close it"),
    )
    aside: tuple[Button, ...] = (
        Button(Say("Settings"), acts.put("settings", Go("settings")), "settings"),
        Button(Say("Exit"), acts.put("quit", out), "close"),
    )
    if shown.page.second is not None:  # long words leave no room for four
        aside = aside[1:]
    return Shown(replace(shown.page, aside=aside), acts)
