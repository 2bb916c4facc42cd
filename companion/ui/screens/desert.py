"""Desert: the first edition's yellow dice for land units that enter a desert space, and who goes back or halts."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.dice import DiceOrigin, joined
from companion.games.sfw.pages.battle_view import known_spaces
from companion.games.sfw.pages.desert import (
    DesertDraft,
    DesertView,
    desert_view,
    roll_command,
    settle_command,
    virtual_values,
)
from companion.pages.entered_dice import with_read, without_last
from companion.pages.i18n import _, ngettext
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.battle_dialogs import ask_space
from companion.ui.theme import theme
from companion.ui.widgets import DicePad, Pages, Plate, Tabs, Text

__all__ = ["DesertScreen"]


class DesertLine(BoxLayout):
    """One unit with its count between minus and plus."""

    text = StringProperty("")
    count_text = StringProperty("0")

    __events__ = ("on_count",)

    def on_count(self, amount: int) -> None:
        """Announce a tap on minus or plus."""


class DesertScreen(Screen):
    """Shows a `DesertView`: who enters, then the dice, then who halts where that is a choice."""

    headline = StringProperty("")

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.draft = DesertDraft()
        self.chosen: dict[str, int] = {}
        super().__init__(root, **kwargs)

    def enter(self, draft: DesertDraft | None = None, **_args: Any) -> None:
        """Take up what was being entered."""
        self.draft = draft or DesertDraft()

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        view = desert_view(change.state, self.draft)
        if not self.draft.nation and view.nations:
            self.draft = replace(self.draft, nation=view.nations[0].id)
        self.vm = view
        self.headline = _("Desert roll") + (f" · {view.title}" if view.phase in ("roll", "settle") else "")
        body = self.ids.body
        body.clear_widgets()
        self.main_enabled = True
        getattr(self, f"_{view.phase}")(change, view, body)
        for line in view.past[: 1 if view.phase == "roll" else 2]:
            body.add_widget(
                Text(text=line, role="small", tone="muted", size_hint_y=None, height=theme.px(24))
            )

    def _set(self, draft: DesertDraft) -> None:
        self.draft = draft
        self.refresh(self.root.desk.change)

    # Who enters

    def _closed(self, _change: Change, view: DesertView, body: Any) -> None:
        body.add_widget(Text(text=view.text, role="heading", align="center"))
        self.main_text = _("Back to the table")

    def _compose(self, change: Change, view: DesertView, body: Any) -> None:
        head = BoxLayout(
            orientation="vertical" if theme.is_portrait else "horizontal",
            size_hint_y=None,
            height=theme.target_px * 2 + theme.px(8) if theme.is_portrait else theme.target_px,
            spacing=theme.px(8),
        )
        space = Plate(text=view.title, icon_after="down", kind="soft", acts_on="release")
        space.icon_px = theme.px(18)
        space.bind(on_act=lambda _w, _t: self._ask_space(change))
        head.add_widget(space)
        tabs = Tabs()
        tabs.options = [(mark.id, mark.name) for mark in view.nations]
        tabs.chosen = self.draft.nation
        tabs.bind(on_choose=lambda _w, key: self._set(replace(self.draft, nation=key, units={})))
        head.add_widget(tabs)
        body.add_widget(head)
        pages = Pages(row_px=theme.px(58), columns=1 if theme.is_portrait else 2)
        pages.make = self._mover
        pages.items = list(view.movers)
        body.add_widget(pages)
        n = self.draft.dice
        self.main_enabled = not view.problem
        self.main_text = view.problem or _("Roll {n} yellow dice").format(n=n)

    def _ask_space(self, change: Change) -> None:
        def named(space: str) -> None:
            self._set(replace(self.draft, space=space.strip()))

        deserts = [name for name, terrain in known_spaces(change.state).items() if terrain == "desert"]
        past = [entry.space for entry in change.state.game["desert"].rolls]
        ask_space(self, _("Which desert space?"), dict.fromkeys([*deserts, *past]), named)

    def _mover(self, row: Any) -> Any:
        line = DesertLine(text=row.name, count_text=str(row.count))
        line.bind(on_count=lambda _w, amount: self._set(self.draft.with_step(row.unit, amount)))
        return line

    # The dice

    def _roll(self, _change: Change, view: DesertView, body: Any) -> None:
        asked = ngettext("{n} yellow die to enter", "{n} yellow dice to enter", view.left).format(n=view.left)
        values = " ".join(map(str, self.draft.values))
        body.add_widget(
            Text(
                text=view.text,
                role="strong",
                size_hint_y=None,
                height=theme.font_px("strong") * 1.6,
            )
        )
        body.add_widget(
            Text(text=f"{asked}   {values}", size_hint_y=None, height=theme.font_px("strong") * 1.6)
        )
        if view.left > 0:
            pad = DicePad(faces=12)
            pad.bind(on_face=lambda _w, value: self._face(value))
            body.add_widget(pad)
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        for text, act, is_on in (
            (_("Erase"), self._erase, bool(self.draft.values)),
            (_("Roll for us"), self._virtual, view.left > 0),
            (
                _("Change the units"),
                lambda: self._set(
                    replace(self.draft, is_rolling=False, values=(), read=frozenset(), origin=DiceOrigin())
                ),
                True,
            ),
        ):
            plate = Plate(text=text, kind="soft", acts_on="release", role="body", is_enabled=is_on)
            plate.bind(on_act=lambda _w, _t, act=act: act())
            foot.add_widget(plate)
        body.add_widget(foot)
        self.main_text = _("Read the dice") if view.left > 0 else _("Take the roll")

    def _face(self, value: int) -> None:
        draft = replace(self.draft, values=(*self.draft.values, value))
        if len(draft.values) == draft.dice:
            self._finish(draft)
        else:
            self._set(draft)

    def _erase(self) -> None:
        self._set(without_last(self.draft))

    def _virtual(self) -> None:
        values, origin = virtual_values(self.draft, secrets.randbits(31))
        whole = joined(self.draft.origin, origin)
        self._finish(replace(self.draft, values=(*self.draft.values, *values), origin=whole))

    def _finish(self, draft: DesertDraft, source: str = "") -> None:
        self.draft, self.chosen = DesertDraft(nation=draft.nation), {}
        self.send(roll_command(draft), source=source)

    def _read(self) -> None:
        draft = self.draft
        left = draft.dice - len(draft.values)

        def record(values: tuple[int, ...], origin: DiceOrigin) -> dict[str, Any]:
            return {"draft": with_read(draft, values[:left], origin)}

        self.root.go(
            "dice", kind="d12", asked=(("yellow", left),), back=("desert", {"draft": draft}), record=record
        )

    # Who halts

    def _settle(self, _change: Change, view: DesertView, body: Any) -> None:
        body.add_widget(Text(text=view.text, role="strong", size_hint_y=None, height=theme.px(52)))
        pages = Pages(row_px=theme.px(58), columns=1)
        pages.make = self._halt
        pages.items = list(view.halts)
        body.add_widget(pages)
        self.main_text = _("They halt")
        self.main_enabled = sum(self.chosen.values()) == view.to_halt

    def _halt(self, row: Any) -> Any:
        count = self.chosen.get(row.unit, 0)
        line = DesertLine(text=row.name, count_text=f"{count} / {row.most}")

        def step(_w: Any, amount: int) -> None:
            self.chosen[row.unit] = max(0, min(row.most, self.chosen.get(row.unit, 0) + amount))
            self.refresh(self.root.desk.change)

        line.bind(on_count=step)
        return line

    # Keys and the big button

    def main_act(self, touch: Any) -> None:
        """Roll, read or record the dice, settle, or go back."""
        view = self.vm
        if view is None or view.phase == "closed":
            super().main_act(touch)
        elif view.phase == "compose":
            if not view.problem:
                self._set(replace(self.draft, is_rolling=True))
        elif view.phase == "roll":
            if view.left > 0:
                self._read()
            else:
                self._finish(self.draft, "camera")
        elif sum(self.chosen.values()) == view.to_halt:
            self.send(settle_command(view, self.chosen))

    def on_key(self, name: str, event: Any) -> bool:  # noqa: ARG002
        """Digits are dice; erase takes the last one back."""
        if self.vm is None or self.vm.phase != "roll":
            return False
        if name.startswith("digit") and self.vm.left > 0:
            self._face(int(name.removeprefix("digit")) or 10)
            return True
        if name == "erase":
            self._erase()
            return True
        return False


load_kv(__file__)
