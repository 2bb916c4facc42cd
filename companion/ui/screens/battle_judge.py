"""Judging battles on the Battle screen: odds before and after, who is left, the luck of the whole game."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from kivy.clock import Clock
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.state import GameState
from companion.games.sfw.pages.battle import BattleView
from companion.games.sfw.pages.battle_luck import LuckRow, is_priced, luck_bars, luck_rows
from companion.games.sfw.pages.battle_odds import (
    POLICIES,
    OddsView,
    battle_odds,
    odds_now,
    order_choices,
    order_text,
)
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.games.sfw.rules.battle_losses import Policy
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import battles_of
from companion.pages.frame import Mark
from companion.pages.i18n import _
from companion.ui.dialogs import Choose
from companion.ui.theme import theme
from companion.ui.widgets import BarPlot, Histogram, Tabs, Text

__all__ = ["show_end", "show_luck", "show_odds"]


def show_end(screen: Any, change: Change, view: BattleView, body: Any) -> None:
    """Show who is left, and how the result stands in the odds."""
    left = BoxLayout(
        orientation="vertical" if theme.is_portrait else "horizontal",
        size_hint_y=None,
        height=theme.px(112 if theme.is_portrait else 60),
        spacing=theme.px(12),
    )
    for units in (view.attacking, view.defending):
        left.add_widget(Text(text=_units(units) or _("Nobody is left"), role="body"))
    body.add_widget(left)
    if view.note:
        body.add_widget(
            Text(text=view.note, role="strong", tone="accent", size_hint_y=None, height=theme.px(30))
        )
    show_odds(screen, change, body)
    waiting = [row for row in view.rows if row.is_open]
    screen.main_text = _("Next battle") if waiting else _("Back to the table")


def show_odds(screen: Any, change: Change, body: Any) -> None:
    """Show the odds: of the rest while the battle is fought, of the whole with the result marked afterwards."""
    declared = battles_of(change.state).find(screen.battle)
    if screen.page == "odds":
        screen.main_text = _("Back to the battle")
    if declared is None:
        return
    state, battle, policy = change.state, screen.battle, screen.policy
    if screen.page == "odds":
        _policies(screen, state, declared, body)

    def work() -> OddsView | None:
        found = odds_now(state, declared, policy) if declared.status == "fighting" else None
        return found or battle_odds(state, declared, policy)

    def show(found: OddsView | None) -> None:
        if (screen.battle, screen.policy) != (battle, policy):
            return
        if found is None:
            body.add_widget(Text(text=_("The battle cannot be judged as it stands"), align="center"))
        else:
            _draw_odds(found, body)

    _work_out(screen, body, _("Working out the odds"), work, show)


def _policies(screen: Any, state: GameState, declared: Declared, body: Any) -> None:
    """Offer the ways of choosing casualties that the odds may assume of both sides."""

    def assume(policy: Policy) -> None:
        screen.policy = policy
        screen.refresh(screen.root.desk.change)

    def ask_order(order: tuple[str, ...] = ()) -> None:
        left = order_choices(state, declared, order)
        if len(left) < 2:
            assume(Policy("order", (*order, *(unit for unit, _name in left))))
            return

        def chosen(unit: str) -> None:
            if unit:
                ask_order((*order, unit))
            else:
                assume(Policy("order", order))

        title = _("What is lost next?") if order else _("What is lost first?")
        rest = [("", _("The others as they cost"))] if order else []
        screen.root.ask(Choose(title, [*left, *rest], chosen, columns=2))

    tabs = Tabs(size_hint_y=None, height=theme.target_px)
    tabs.options = [(key, _(text)) for key, text in POLICIES.items()]
    tabs.chosen = screen.policy.name
    tabs.bind(on_choose=lambda _w, key: ask_order() if key == "order" else assume(Policy(key)))
    body.add_widget(tabs)
    order = order_text(state, screen.policy)
    if order:
        body.add_widget(Text(text=order, role="small", tone="muted", size_hint_y=None, height=theme.px(24)))


def show_luck(screen: Any, change: Change, body: Any) -> None:
    """Show hits and losses of every nation in the whole game against what was to be expected."""
    screen.main_text = _("Back to the battles")
    state = change.state

    def show(rows: tuple[LuckRow, ...]) -> None:
        if not any(row.dice or row.lost for row in rows):
            body.add_widget(Text(text=_("No dice have been rolled in this game yet"), align="center"))
            return
        losses = (
            _("Losses in cost: expected, then taken")
            if is_priced(state)
            else _("Losses in armour levels: expected, then taken")
        )
        plots = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(16))
        for title, model in zip(
            (_("Hits: expected, then rolled"), losses),
            luck_bars(rows),
            strict=True,
        ):
            box = BoxLayout(orientation="vertical")
            box.add_widget(Text(text=title, role="body", size_hint_y=None, height=theme.px(28)))
            box.add_widget(BarPlot(model=model))
            plots.add_widget(box)
        body.add_widget(plots)

    _work_out(screen, body, _("Adding up the luck of the game"), lambda: luck_rows(state), show)


def _work_out(
    screen: Any, body: Any, text: str, work: Callable[[], Any], show: Callable[[Any], None]
) -> None:
    """Do work away from the drawing thread and show what came of it, if it is still wanted."""
    waiting = Text(text=text, tone="muted", align="center")
    body.add_widget(waiting)

    def finish(found: Any) -> None:
        if screen.root.screen is screen and waiting.parent is not None:
            body.remove_widget(waiting)
            show(found)

    def run() -> None:
        found = work()
        Clock.schedule_once(lambda _dt: finish(found), 0)

    screen.worker = threading.Thread(target=run, name="odds", daemon=True)
    screen.worker.start()


def _draw_odds(odds: OddsView, body: Any) -> None:
    head = _("Space taken {take}  ·  no defender left {clear}  ·  no attacker left {lost}  ({how})").format(
        clear=odds.clear, take=odds.take, lost=odds.lost, how=odds.how
    )
    body.add_widget(Text(text=head, role="strong", size_hint_y=None, height=theme.px(30)))
    height = theme.font_px("small") * (2.9 if theme.is_portrait or theme.text_step else 1.5)
    note = _("Taken: attackers that can hold the space are left, and no such defender; others may be.")
    body.add_widget(Text(text=note, role="small", tone="muted", size_hint_y=None, height=height))
    plots = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(12))
    titles = {ATTACKING: _("Attackers lose"), DEFENDING: _("Defenders lose")}
    for side, model in odds.losses.items():
        box = BoxLayout(orientation="vertical")
        unit = (
            _("{who} {n} on average, by the units' cost")
            if odds.is_priced
            else _("{who} {n} armour levels on average (costs not entered)")
        )
        text = unit.format(who=titles[side], n=odds.expected[side])
        box.add_widget(Text(text=text, role="small", tone="muted", size_hint_y=None, height=theme.px(24)))
        box.add_widget(Histogram(model=model))
        plots.add_widget(box)
    body.add_widget(plots)


def _units(units: tuple[tuple[Mark, str, int], ...]) -> str:
    """Return who is left, nation by nation."""
    found: dict[str, list[str]] = {}
    for mark, name, count in units:
        found.setdefault(mark.name, []).append(f"{count} {name}")
    return "  ·  ".join(f"{nation}: {', '.join(names)}" for nation, names in found.items())
