"""Support: National Support cards, mines and lines, bridges, supply lines, pieces of the box."""

from __future__ import annotations

from typing import Any

from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.commands import EnterPrintedValue
from companion.core.ids import ARBITER, TABLE, Nation
from companion.games.sfw.pages.card_unit import ask_card, new_card
from companion.games.sfw.pages.support import (
    CARD_KINDS,
    CounterRow,
    SupportView,
    TokenRow,
    link_rows,
    standard_units,
    support_view,
)
from companion.games.sfw.rules import supply as sp
from companion.games.sfw.rules import support as su
from companion.games.sfw.rules import tokens as tk
from companion.pages.frame import Mark
from companion.pages.i18n import _
from companion.pages.labels import done_name
from companion.pages.page import Send
from companion.pages.table import main_command
from companion.ui.arbiter import as_arbiter
from companion.ui.dialogs import Choose, Confirm, NumberEntry
from companion.ui.kept import kept_pages
from companion.ui.letters import TextEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.card_dialog import ask_on
from companion.ui.theme import theme
from companion.ui.widgets import Pages, Plate, Stepper, Text
from companion.ui.widgets.basic import measure
from companion.ui.widgets.marks import _NOBODY

__all__ = ["SupportScreen"]


class MarkedLine(BoxLayout):
    """A line with a nation's mark, a text, a quieter text and buttons at its end."""

    mark = ObjectProperty(_NOBODY, rebind=True)
    text = StringProperty("")
    note = StringProperty("")
    note_tone = StringProperty("muted")

    def __init__(self, buttons: Any = (), **kwargs: Any) -> None:
        """Take also triples of text, whether it can be pressed, and what it does: the buttons at the end."""
        super().__init__(**kwargs)
        box = self.ids.buttons
        widths = [
            max(theme.px(72), measure(text, theme.font_px("body"), False)[0] + theme.px(52))
            for text, _can, _act in buttons
        ]
        box.width = sum(width + theme.px(6) for width in widths)
        for (text, can, act), width in zip(buttons, widths, strict=True):
            plate = Plate(
                text=text,
                kind="quiet",
                acts_on="release",
                is_enabled=can,
                role="body",
                size_hint_x=None,
                width=width,
            )
            plate.bind(on_act=lambda _w, _t, act=act: act())
            box.add_widget(plate)


class SupportScreen(Screen):
    """Shows a `SupportView` in tabs."""

    tab = StringProperty("")

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = SupportView()
        self._kept: dict[str, int] = {}
        super().__init__(root, **kwargs)

    def enter(self, tab: str = "", **_args: Any) -> None:
        """Open at a tab."""
        self.tab = tab

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        self.vm = support_view(change)
        keys = [key for key, _text in self.vm.tabs]
        if self.tab not in keys:
            self.tab = keys[0]
        self.ids.tabs.options = list(self.vm.tabs)
        self.ids.tabs.chosen = self.tab
        body = self.ids.body
        body.clear_widgets()
        getattr(self, f"_show_{self.tab}")(change, body)
        self.main_text = done_name(change.state.step.act) if self.vm.is_play_time else _("Back to the table")

    def choose(self, key: str) -> None:
        """Show another tab."""
        self.tab = key
        self.refresh(self.root.desk.change)

    def main_act(self, touch: Any) -> None:
        """End the act of National Support, or go back."""
        change = self.root.desk.change
        if change is not None and self.vm.is_play_time:
            self.send(main_command(change.state, self.stamp_ms(touch)))
        else:
            super().main_act(touch)

    def _pages(self, body: Any, rows: list[Any], empty: str = "") -> None:
        pages = kept_pages(
            self._kept, self.tab, row_px=theme.px(62 if theme.is_portrait else 54), empty_text=empty
        )
        pages.make = lambda row: MarkedLine(**row)
        pages.items = rows
        body.add_widget(pages)

    def _foot(self, body: Any, *buttons: tuple[str, Any]) -> None:
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        for text, act in buttons:
            plate = Plate(text=text, kind="soft", acts_on="release")
            plate.bind(on_act=lambda _w, _t, act=act: act())
            foot.add_widget(plate)
        body.add_widget(foot)

    # Cards

    def _show_cards(self, _change: Change, body: Any) -> None:
        rows: list[Any] = []
        for hand in self.vm.hands:
            text = _("{t} tokens, {c} cards in hand, {d} discarded").format(
                t=hand.tokens, c=hand.cards, d=hand.discarded
            )
            rows.append(
                {
                    "mark": hand.mark,
                    "text": hand.mark.name,
                    "note": text,
                    "buttons": [
                        (_("Correct"), True, lambda m=hand.mark: self._correct(m)),
                        (_("Play"), hand.can_play, lambda m=hand.mark: self._play(m)),
                    ],
                }
            )
        for card in self.vm.played:
            buttons = (
                [(_("Discard"), True, lambda c=card: self._discard(c.mark, c.name))]
                if card.can_discard
                else []
            )
            rows.append(
                {
                    "mark": card.mark,
                    "text": card.name,
                    "note": card.detail,
                    "note_tone": "ok" if card.is_lasting else "muted",
                    "buttons": buttons,
                }
            )
        self._pages(body, rows)

    def _discard(self, mark: Mark, name: str) -> None:
        self.root.ask(
            Confirm(
                _("Discard {card}?").format(card=name),
                _("Its effect ends."),
                _("Discard"),
                lambda _t: self.send(su.DiscardCard(Nation(mark.id), name)),
            )
        )

    def _correct(self, mark: Mark) -> None:
        change = self.root.desk.change
        if change is None:
            return
        actor = ARBITER if change.state.clocks.config.tournament else TABLE

        def ask_cards(tokens: str) -> None:
            self.root.ask(
                NumberEntry(
                    _("Cards in hand, {nation}").format(nation=mark.name),
                    lambda cards: self.send(
                        su.CorrectSupport(Nation(mark.id), int(tokens or 0), int(cards or 0)), actor=actor
                    ),
                    most=2,
                )
            )

        as_arbiter(
            self.root,
            lambda: self.root.ask(
                NumberEntry(_("Tokens, {nation}").format(nation=mark.name), ask_cards, most=2)
            ),
        )

    def _play(self, mark: Mark) -> None:
        given: dict[str, Any] = {}

        def named(name: str) -> None:
            given["name"] = name
            options = [(key, _(text)) for key, text in CARD_KINDS.items()]
            self.root.ask(Choose(name, options, kinded))

        def kinded(kind: str) -> None:
            given["kind"] = kind
            self.root.ask(NumberEntry(_("Cost in tokens"), costed, most=1))

        def costed(cost: str) -> None:
            given["cost"] = int(cost or 0)
            if given["kind"] in ("upgrade", "unique"):
                change = self.root.desk.change
                units = () if change is None else standard_units(change.state)
                self.root.ask(Choose(_("Which unit is it based on?"), units, based))
            else:
                options = [(False, _("Discarded at once, by its symbol")), (True, _("Stays in force"))]
                self.root.ask(Choose(given["name"], options, send))

        def based(base: str) -> None:
            change = self.root.desk.change
            if change is not None:
                card = new_card(given["name"], base, mark.id)
                ask_on(self, ask_card(change.state, card, lambda card: Send(played(True, dict(card)))))

        def played(is_lasting: bool, unit: dict[str, Any] | None = None) -> su.PlayCard:
            return su.PlayCard(
                Nation(mark.id), given["name"], given["kind"], given["cost"], is_lasting, unit=unit or {}
            )

        def send(is_lasting: bool) -> None:
            self.send(played(is_lasting))

        self.root.ask(TextEntry(_("Card of {nation}").format(nation=mark.name), named))

    # Mines and lines

    def _show_tokens(self, _change: Change, body: Any) -> None:
        rows: list[Any] = []
        for token in self.vm.tokens:
            rows.append(
                {
                    "mark": token.mark,
                    "text": token.mark.name,
                    "note": ", ".join([token.text, *(text for _n, text in token.on_board)]),
                    "buttons": [
                        (_("Mine"), not token.why_mine, lambda t=token: self._mine(t)),
                        (_("Line"), not token.why_line, lambda t=token: self._line(t)),
                        (_("Take off"), bool(token.on_board), lambda t=token: self._take_off(t)),
                    ],
                }
            )
        self._pages(body, rows)
        why = next((token.why_mine for token in self.vm.tokens if token.why_mine), "")
        body.add_widget(Text(text=why, role="small", tone="muted", size_hint_y=None, height=theme.px(40)))

    def _mine(self, token: TokenRow) -> None:
        nation = Nation(token.mark.id)
        self.root.ask(
            TextEntry(
                _("Mine in which space?"), lambda where: self.send(tk.PlaceToken(nation, "mine", where))
            )
        )

    def _line(self, token: TokenRow) -> None:
        nation = Nation(token.mark.id)

        def placed(where: str) -> None:
            self.root.ask(
                TextEntry(
                    _("Which space does it face?"),
                    lambda facing: self.send(tk.PlaceToken(nation, "line", where, facing)),
                )
            )

        self.root.ask(TextEntry(_("Which space does the line defend?"), placed))

    def _take_off(self, token: TokenRow) -> None:
        self.root.ask(
            Choose(
                _("Detonated or destroyed"), token.on_board, lambda number: self.send(tk.RemoveToken(number))
            )
        )

    # Bridges

    def _show_bridges(self, _change: Change, body: Any) -> None:
        marks = {row.mark.id: row.mark for row in self.vm.tokens}
        rows: list[Any] = [
            {
                "mark": marks.get(row.key, _NOBODY),
                "text": row.name,
                "note": row.text,
                "buttons": [(_("Blow up"), True, lambda r=row: self._blow(r))],
            }
            for row in self.vm.bridges
        ]
        rows += [{"text": name, "note": _("blown, cannot be repaired")} for name in self.vm.blown]
        self._pages(body, rows)

    def _blow(self, row: CounterRow) -> None:
        nation = Nation(row.key)
        self.root.ask(TextEntry(_("Which bridge?"), lambda name: self.send(tk.BlowBridge(nation, name))))

    # Supply lines

    def _show_supply(self, change: Change, body: Any) -> None:
        rows: list[Any] = []
        for group in self.vm.groups:
            rows.append(
                {
                    "mark": group.mark,
                    "text": group.name,
                    "note": group.detail,
                    "note_tone": "ok" if group.is_supplied else "danger",
                    "buttons": [(_("Moved"), True, lambda g=group: self._watch(g.mark.id, g.name, g.id))],
                }
            )
        for hub in self.vm.hubs:
            buttons = (
                [(_("Gone"), True, lambda h=hub: self.send(sp.RemoveHub(h.id)))] if hub.is_mobile else []
            )
            rows.append(
                {
                    "mark": hub.mark or _NOBODY,
                    "text": hub.name,
                    "note": hub.detail,
                    "note_tone": "ok" if hub.is_supplied else "danger",
                    "buttons": buttons,
                }
            )
        self._pages(body, rows, _("Enter in Control who holds the hubs"))
        links = _("Links ({n})").format(n=self.vm.missing_links) if self.vm.missing_links else ""
        self._foot(
            body,
            (_("Mobile hub"), lambda: self._hub(change)),
            (_("Watch units"), lambda: self._nation(change, self._watch)),
            *([(links, lambda: self._link(change))] if links else []),
        )

    def _nation(self, change: Change, act: Any) -> None:
        options = [(info.id, _(info.name)) for info in change.state.frozen_setup.nations]
        self.root.ask(Choose(_("Which nation?"), options, act))

    def _hub(self, change: Change) -> None:
        def placed(nation: str, where: str) -> None:
            self._near(
                _("Hubs within three spaces"),
                (),
                lambda near: self.send(sp.SetUpHub(Nation(nation), where, near)),
            )

        def chosen(nation: str) -> None:
            self.root.ask(TextEntry(_("Where is it set up?"), lambda where: placed(nation, where)))

        self._nation(change, chosen)

    def _near(self, title: str, near: tuple[str, ...], act: Any, most: int = 12) -> None:
        """Collect hubs one by one until the table says that these are all."""
        options = [("", _("These are all: {n}").format(n=len(near)))]
        options += [(hub.id, hub.name) for hub in self.vm.hubs if hub.id not in near]

        def chosen(hub: str) -> None:
            if hub and len(near) + 1 < most:
                self._near(title, (*near, hub), act, most)
            else:
                act((*near, hub) if hub else near)

        self.root.ask(Choose(title, options, chosen))

    def _watch(self, nation: str, label: str = "", group: str = "") -> None:
        def named(name: str) -> None:
            self._near(
                _("At a hub, or between two on a road"),
                (),
                lambda at: self.send(sp.WatchGroup(Nation(nation), name, at, group)),
                most=2,
            )

        if label:
            named(label)
        else:
            self.root.ask(TextEntry(_("Name of the group"), named))

    def _link(self, change: Change) -> None:
        def asked(key: str) -> None:
            options = [(True, _("Yes, within three spaces")), (False, _("No, further apart"))]
            self.root.ask(
                Choose(dict(rows)[key], options, lambda yes: self.send(EnterPrintedValue(key, yes)))
            )

        rows = link_rows(change.state)
        self.root.ask(Choose(_("Are they within three spaces?"), rows, asked))

    # The box

    def _show_box(self, _change: Change, body: Any) -> None:
        pages = Pages(row_px=theme.px(54))
        pages.make = self._counter
        pages.items = list(self.vm.box)
        body.add_widget(pages)

    def _counter(self, row: CounterRow) -> Any:
        box = BoxLayout(spacing=theme.px(12))
        box.add_widget(Text(text=row.name, wraps=False))
        stepper = Stepper(
            text=row.text, can_less=row.used > 0, can_more=row.limit is None or row.used < row.limit,
            size_hint_x=None, width=theme.px(220),
        )  # fmt: skip
        stepper.bind(on_step=lambda _w, amount: self.send(tk.SetCounter(row.key, row.used + int(amount))))
        box.add_widget(stepper)
        return box


load_kv(__file__)
