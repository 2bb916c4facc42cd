"""More: the screens of this game that are not on the rail, and what else the table can do."""

from __future__ import annotations

from companion.core import commands as cm
from companion.core.text import Say
from companion.pages.film.draft import FilmDraft
from companion.pages.film.photo import has_camera
from companion.pages.page import Acts, Go, Item, OnBox, Page, Send, Shown, Sight, Tiles, sure
from companion.pages.parts import back_button
from companion.pages.prompts import adjourn_text

__all__ = ["more_page"]


def more_page(sight: Sight) -> Shown:
    """Return help, a tile for each screen that is not on the rail, then the arbiter, settings, and the ways out."""
    acts = Acts()
    tiles = [Item("help", Say("Help"), symbol="help", act=acts.put("help", OnBox("help")))]
    tiles += [
        Item(one.key, Say(one.title), symbol=one.icon, act=acts.put(f"go.{one.key}", Go(one.key)))
        for one in sight.menu
        if not one.rail and (one.key != "photo" or has_camera(sight))
    ]
    adjourn = sure(
        Say("Adjourn the game?"),
        Send(lambda at_ms: cm.Adjourn(at_ms=at_ms), then=OnBox("adjourned")),
        sub=adjourn_text(sight.state),
        yes=Say("Adjourn"),
    )
    tiles += [
        Item("arbiter", Say("Arbiter"), symbol="arbiter", act=acts.put("arbiter", OnBox("arbiter"))),
        Item(
            "film",
            Say("Watch this evening"),
            symbol="play",
            act=acts.put("film", Go("film", FilmDraft())),
        ),
        Item("phones", Say("Phones"), symbol="eye", act=acts.put("phones", Go("phones"))),
        Item("settings", Say("Settings"), symbol="settings", act=acts.put("settings", Go("settings"))),
        Item("adjourn", Say("Adjourn"), symbol="save", act=acts.put("adjourn", adjourn)),
        Item("home", Say("Home"), symbol="home", act=acts.put("home", Go("home"))),
    ]
    if sight.box is not None and sight.box.hall.state.is_enrolled:
        tiles.insert(0, Item("hall", Say("Hall"), symbol="flag", act=acts.put("hall", Go("hall"))))
    page = Page("more", Say("More"), blocks=(Tiles("more", tuple(tiles)),), main=back_button(acts))
    return Shown(page, acts)
