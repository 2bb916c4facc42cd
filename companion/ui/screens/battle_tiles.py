"""Composing a battle on the Battle screen: tabs of sides and supporters, unit tiles, and the groups in detail."""

from __future__ import annotations

from functools import partial
from typing import Any

from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout

from companion.core.change import Change
from companion.games.sfw.pages.battle import BattleView
from companion.games.sfw.pages.battle_compose import Composer, composer
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.pages.i18n import _
from companion.ui.screens.battle_dialogs import ask_circumstances, ask_group
from companion.ui.theme import theme
from companion.ui.widgets import Badge, Emblem, Pages, Plate, Space, Tabs, Text

__all__ = ["PLACES", "UnitTile", "show_composing"]

PLACES = ((ATTACKING, 0), (DEFENDING, 0), (ATTACKING, 1), (DEFENDING, 1))
"""Side and distance of each tab: in the space, then in support."""


class UnitTile(Plate):
    """One unit of one nation: a tap adds one."""


def show_composing(screen: Any, change: Change, view: BattleView, body: Any) -> None:
    """Show the tiles of one side, or the details of its groups."""
    side, distance = PLACES[screen.place]
    model = composer(change.state, view.selected, side, distance)
    if model is None:
        return
    _compose_tabs(screen, change, view, body)
    if screen.page == "details":
        _details(screen, change, model, body)
    else:
        body.add_widget(_tiles(screen, model))
    body.add_widget(_compose_foot(screen, change, model))
    if model.missing:
        screen.main_text = _("Enter figures")
    else:
        screen.main_text, screen.main_enabled = _("Begin battle"), model.begin is not None


def _compose_tabs(screen: Any, change: Change, view: BattleView, body: Any) -> None:
    models = [composer(change.state, view.selected, side, distance) for side, distance in PLACES]
    tabs = Tabs(size_hint_y=None, height=theme.target_px)
    tabs.options = [
        (index, (_("{side} support") if PLACES[index][1] else "{side}").format(side=model.mark.name))
        for index, model in enumerate(models)
        if model is not None
    ]
    tabs.chosen = screen.place
    tabs.bind(on_choose=lambda _w, key: _choose_place(screen, key))
    body.add_widget(tabs)


def _choose_place(screen: Any, index: int) -> None:
    screen.place = index
    screen.refresh(screen.root.desk.change)


def _tiles(screen: Any, model: Composer) -> Any:
    """One tile for every unit of every nation; nations in rows, or in columns in portrait."""
    nations = max((len(row) for row in model.tiles), default=0)
    if theme.is_portrait:
        grid = GridLayout(cols=max(1, nations), spacing=(theme.px(6), theme.px(1)))
        for tile in model.tiles[0] if model.tiles else ():
            grid.add_widget(Badge(mark=tile.mark, size_hint_y=None, height=theme.px(24)))
        for row in model.tiles:
            for index in range(nations):
                grid.add_widget(_tile(screen, row[index]) if index < len(row) else Space())
        return grid
    box = BoxLayout(orientation="vertical", spacing=theme.px(6))
    for index in range(nations):
        line = BoxLayout(spacing=theme.px(4))
        tiles = [row[index] for row in model.tiles if index < len(row)]
        if tiles:
            mark = tiles[0].mark
            line.add_widget(Emblem(emblem=mark.emblem, tone=mark.tone, size_hint_x=None, width=theme.px(24)))
        for tile in tiles:
            line.add_widget(_tile(screen, tile))
        box.add_widget(line)
    return box


def _tile(screen: Any, tile: Any) -> Any:
    text = f"{tile.count} {tile.short}" if tile.count else tile.short
    if theme.is_portrait:
        text = f"{tile.count or ''} {tile.name}".strip()
    plate = UnitTile(text=text, kind="chosen" if tile.count else "soft")
    plate.bind(on_act=lambda _w, _t: _tap_tile(screen, tile))
    return plate


def _tap_tile(screen: Any, tile: Any) -> None:
    command = tile.take if screen.is_taking else tile.add
    if command is not None:
        screen.send(command)


def _compose_foot(screen: Any, change: Change, model: Composer) -> Any:
    foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
    foot.add_widget(
        Text(
            text=model.problem or model.repeat_text,
            role="small",
            tone="danger" if model.missing else "muted",
        )
    )
    if model.repeat is not None:
        foot.add_widget(_button(model.repeat_text, lambda: screen.send(model.repeat), "soft", 200))
    taking = _("Taking out") if screen.is_taking else _("Take out")
    foot.add_widget(
        _button(taking, partial(_switch_taking, screen), "chosen" if screen.is_taking else "quiet", 124)
    )
    if model.groups:
        label = _("Units") if screen.page == "details" else _("Details")
        foot.add_widget(_button(label, partial(_switch_details, screen), "quiet", 124))
    foot.add_widget(
        _button(_("Space"), lambda: ask_circumstances(screen, change.state, model.battle), "quiet", 90)
    )
    return foot


def _button(text: str, act: Any, kind: str, width: int) -> Any:
    plate = Plate(
        text=text, kind=kind, acts_on="release", role="body", size_hint_x=None, width=theme.px(width)
    )
    plate.bind(on_act=lambda _w, _t: act())
    return plate


def _switch_taking(screen: Any) -> None:
    screen.is_taking = not screen.is_taking
    screen.refresh(screen.root.desk.change)


def _switch_details(screen: Any) -> None:
    screen.page = "" if screen.page == "details" else "details"
    screen.refresh(screen.root.desk.change)


def _details(screen: Any, change: Change, model: Composer, body: Any) -> None:
    pages = Pages(row_px=theme.px(54), columns=1 if theme.is_portrait else 2)

    def make(row: Any) -> Any:
        plate = Plate(
            text=f"{row.mark.name}: {row.text}",
            sub=row.notes or _("Tap to say more"),
            kind="row",
            align="left",
            acts_on="release",
            role="body",
        )
        plate.bind(on_act=lambda _w, _t: ask_group(screen, change.state, model.battle, row))
        return plate

    pages.make = make
    pages.items = list(model.groups)
    body.add_widget(pages)
