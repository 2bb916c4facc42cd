"""More: every screen of this game, and what else the table can do."""

from __future__ import annotations

from companion.core import commands as cm
from companion.core.text import Say
from companion.pages.page import Acts, Go, Item, OnBox, Page, Send, Shown, Sight, Tiles, sure
from companion.pages.parts import back_button
from companion.pages.prompts import adjourn_text

__all__ = ["more_page"]

_ELSEWHERE = ("table", "clocks", "more")
"""What is one tap away everywhere."""


def more_page(sight: Sight) -> Shown:
    """Return a tile for each screen, then the arbiter, settings, and the ways out."""
    acts = Acts()
    tiles = [
        Item(one.key, Say(one.title), symbol=one.icon, act=acts.put(f"go.{one.key}", Go(one.key)))
        for one in sight.menu
        if one.key not in _ELSEWHERE
    ]
    adjourn = sure(
        Say("Adjourn the game?"),
        Send(lambda at_ms: cm.Adjourn(at_ms=at_ms), then=OnBox("adjourned")),
        sub=adjourn_text(sight.state),
        yes=Say("Adjourn"),
    )
    tiles += [
        Item("arbiter", Say("Arbiter"), symbol="arbiter", act=acts.put("arbiter", OnBox("arbiter"))),
        Item("phones", Say("Phones"), symbol="eye", act=acts.put("phones", Go("phones"))),
        Item("settings", Say("Settings"), symbol="settings", act=acts.put("settings", Go("settings"))),
        Item("adjourn", Say("Adjourn"), symbol="save", act=acts.put("adjourn", adjourn)),
        Item("home", Say("Home"), symbol="home", act=acts.put("home", Go("home"))),
    ]
    page = Page("more", Say("More"), blocks=(Tiles("more", tuple(tiles)),), main=back_button(acts))
    return Shown(page, acts)
