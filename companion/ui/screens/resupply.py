"""Resupply: lanes, the state of the board, values line by line, baskets against budgets, placing."""

from __future__ import annotations

from typing import Any

from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.commands import EnterPrintedValue
from companion.core.ids import Nation, Side
from companion.games.sfw.pages.resupply import (
    ConditionTick,
    KindCard,
    LaneRow,
    ResupplyView,
    SourceRow,
    UnitRow,
    at_sea_rows,
    bombing_rows,
    condition_ticks,
    lane_site_rows,
    resupply_view,
    source_rows,
    unit_rows,
)
from companion.games.sfw.rules import resupply as rs
from companion.pages.i18n import _
from companion.pages.labels import done_name
from companion.pages.printed import value_fault
from companion.pages.table import main_command
from companion.ui.dialogs import Choose, NumberEntry
from companion.ui.kept import kept_pages
from companion.ui.letters import TextEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Plate, Stepper, Text, TickLine
from companion.ui.widgets.basic import measure

__all__ = ["ResupplyScreen"]

_EMPTY = ResupplyView()
_NO_CARD = KindCard("", "", "", "", "", (), 0, None, (), "", False)
_NO_LANE = LaneRow("", "", (), False, "")
_NO_UNIT = UnitRow("", "", 0, 0, False, False, "")


class LaneLine(BoxLayout):
    """One lane with both sides' spaces."""

    row = ObjectProperty(_NO_LANE, rebind=True)


class KindPanel(BoxLayout):
    """One type's resupply: where, how much, what is in the basket."""

    card = ObjectProperty(_NO_CARD, rebind=True)
    note = StringProperty("")
    note_tone = StringProperty("muted")

    def on_card(self, _widget: Any, card: KindCard) -> None:
        """Say what stands below the source: where it was placed, what is in the basket, or the sum."""
        basket = ", ".join(row.text for row in card.basket)
        lines = (", " if theme.is_portrait else "\n").join(card.lines[-3:])
        self.note = card.placed or basket or lines or (card.value if card.source else "")
        self.note_tone = "ok" if card.placed else "text" if basket else "muted"


class UnitLine(BoxLayout):
    """One unit with its cost and count."""

    row = ObjectProperty(_NO_UNIT, rebind=True)


class ResupplyScreen(Screen):
    """Shows a `ResupplyView`: tabs for lanes, board and baskets, one nation at a time."""

    tab = StringProperty("")
    nation = StringProperty("")
    kind = StringProperty("")
    """The type whose units are shown; empty: all three cards."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = _EMPTY
        self._kept: dict[str, int] = {}
        super().__init__(root, **kwargs)

    def enter(self, tab: str = "", **_args: Any) -> None:
        """Open at a tab."""
        self.tab = tab

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        rules = self.root.desk.rules
        if change is None or rules is None:
            return
        state = change.state
        todo = rules.leaving(state, state.step) if state.step.phase == "resupply" else None
        self.vm = resupply_view(change, todo, self.nation)
        self.nation = self.vm.nation.id if self.vm.nation else ""
        tabs = [("buy", _("Baskets")), ("board", _("Board"))]
        if self.vm.lanes:
            tabs.insert(0, ("lanes", _("Lanes")))
        if not self.tab or self.tab not in dict(tabs):
            self.tab = "lanes" if state.step.act == "lanes" and self.vm.lanes else "buy"
        self.ids.tabs.options = tabs
        self.ids.tabs.chosen = self.tab
        self.ids.nations.options = [(m.id, m.name) for m in self.vm.nations]
        self.ids.nations.chosen = self.nation
        self._share_tabs()
        body = self.ids.body
        body.clear_widgets()
        {"lanes": self._show_lanes, "board": self._show_board, "buy": self._show_buy}[self.tab](change, body)
        if self.kind and self.tab == "buy":
            self.main_text = _("Basket done")
        else:
            self.main_text = done_name(state.step.act) if self.vm.is_open else _("Back to the table")

    def _share_tabs(self) -> None:
        """Share the width of one line evenly; with many nations by the longest words, so that none is broken."""
        is_even = theme.is_portrait or len(self.vm.nations) <= len(self.ids.tabs.options)
        is_bold = theme.is_bold("button")
        for row in (self.ids.tabs, self.ids.nations):
            words = [word for _key, text in row.options for word in text.split()]
            longest = max((measure(word, theme.font_px("button"), is_bold)[0] for word in words), default=1.0)
            row.size_hint_x = 1 if is_even else len(row.options) * (longest + theme.px(8))

    def choose(self, key: str) -> None:
        """Show another tab."""
        self.tab, self.kind = key, ""
        self.refresh(self.root.desk.change)

    def choose_nation(self, key: str) -> None:
        """Show another nation."""
        self.nation, self.kind = key, ""
        self.refresh(self.root.desk.change)

    def main_act(self, touch: Any) -> None:
        """Close the basket, end the act, or go back."""
        change = self.root.desk.change
        if self.kind and self.tab == "buy":
            self.kind = ""
            self.refresh(change)
        elif change is not None and self.vm.is_open:
            self.tab = ""
            self.send(main_command(change.state, self.stamp_ms(touch)))
        else:
            super().main_act(touch)

    # Lanes

    def _show_lanes(self, _change: Change, body: Any) -> None:
        rows = 2 if theme.is_portrait else 1
        pages = kept_pages(
            self._kept, "lanes", row_px=rows * (theme.target_px + theme.px(6)) + theme.font_px("small") * 1.35
        )
        pages.make = self._lane
        pages.items = list(self.vm.lanes)
        body.add_widget(pages)

    def _lane(self, row: LaneRow) -> Any:
        line = LaneLine(row=row)
        for mark, count in row.counts:
            stepper = Stepper(text=str(count) if row.is_counted else "–", label=mark.name, can_less=count > 0)
            stepper.side = mark.id
            stepper.bind(on_step=lambda w, amount, row=row: self._count(row, w.side, amount))
            line.ids.counts.add_widget(stepper)
        result = Plate(
            text=row.result, kind="soft" if row.victims else "quiet", acts_on="release", role="body"
        )
        if row.victims:
            result.bind(on_act=lambda _w, _t: self._victim(row))
        else:
            result.bind(on_act=lambda _w, _t: self._count(row, "", 0))
        line.ids.result.add_widget(result)
        if row.is_open:
            edit = Plate(
                icon="edit", kind="quiet", acts_on="release", size_hint_x=None, width=theme.target_px
            )
            edit.bind(on_act=lambda _w, _t: self._ask_lane(row))
            line.ids.result.add_widget(edit)
        return line

    def _ask_lane(self, row: LaneRow) -> None:
        """Set from the board which Objectives a lane connects."""
        change = self.root.desk.change
        if change is None:
            return
        options = lane_site_rows(change.state, row.id)
        title = _("Lane {lane}: which Objectives?").format(lane=row.id)
        self.root.ask(Choose(title, options, self.send, columns=4))

    def _count(self, row: LaneRow, side: str, amount: int) -> None:
        spaces = {mark.id: max(0, count + (amount if mark.id == side else 0)) for mark, count in row.counts}
        self.send(rs.EnterLane(row.id, spaces))

    def _victim(self, row: LaneRow) -> None:
        self.root.ask(
            Choose(
                _("Which Objective suffers?"), row.victims, lambda site: self.send(rs.CutLane(row.id, site)),
                row.result,
            )
        )  # fmt: skip

    # Board

    def _show_board(self, change: Change, body: Any) -> None:
        state = change.state
        pages = kept_pages(
            self._kept,
            f"board.{self.nation}",
            row_px=theme.px(54),
            empty_text=_("This nation holds no Objective that the app knows of"),
        )
        pages.make = self._board_row
        pages.items = [*condition_ticks(state, self.nation), *bombing_rows(state, self.nation)]
        body.add_widget(pages)
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        acts: list[tuple[str, Any]] = [(_("Effect of a card"), lambda: self._card_effect(change))]
        acts += [
            (_("Room aboard: {site}").format(site=row.name), lambda source=row.id: self._room(source))
            for row in at_sea_rows(state, self.nation)
        ]
        if state.frozen_setup.options.get("commander"):
            acts.append((_("Commanders' abilities"), lambda: self._abilities(change)))
        for text, act in acts:
            plate = Plate(text=text, kind="quiet", role="body", acts_on="release")
            plate.bind(on_act=lambda _w, _t, act=act: act())
            foot.add_widget(plate)
        body.add_widget(foot)

    def _board_row(self, row: Any) -> Any:
        if isinstance(row, ConditionTick):
            line = TickLine(text=row.text, is_done=row.holds)
            line.bind(
                on_act=lambda _w, _t: self.send(rs.ReportCondition(row.source, row.condition, not row.holds))
            )
            return line
        box = BoxLayout(spacing=theme.px(12), padding=(theme.px(10), 0))
        box.add_widget(Text(text=row.text, wraps=False))
        stepper = Stepper(text=str(row.hits), can_less=row.hits > 0, size_hint_x=None, width=theme.px(180))
        stepper.bind(
            on_step=lambda _w, amount: self.send(rs.RecordBombing(row.site, max(0, row.hits + amount)))
        )
        box.add_widget(stepper)
        return box

    def _card_effect(self, change: Change) -> None:
        """Enter what a card does to the values of one source: which card, where, which type, how much."""
        sources = [(row.id, row.name) for row in source_rows(change.state, self.nation, "land")]
        kinds = [("all", _("Air, Sea and Land")), *((card.kind, card.name) for card in self.vm.cards)]

        def named(card: str) -> None:
            self.root.ask(Choose(card, sources, lambda source: placed(card, source)))

        def placed(card: str, source: str) -> None:
            self.root.ask(Choose(card, kinds, lambda kind: typed(card, source, kind)))

        def typed(card: str, source: str, kind: str) -> None:
            wanted = [c.kind for c in self.vm.cards] if kind == "all" else [kind]
            self.root.ask(
                NumberEntry(
                    _("By how much?"),
                    lambda text: self.send(
                        rs.RecordCardEffect(source, dict.fromkeys(wanted, int(text)), card)
                    ),
                    extra="-",
                    most=3,
                    check=lambda text: (
                        None if text.lstrip("-").isdigit() and int(text) else _("Enter a number")
                    ),
                )
            )

        self.root.ask(TextEntry(_("Which card?"), named))

    def _room(self, source: str) -> None:
        """Enter what is free aboard at sea, by the owner's word."""

        def land(room: str) -> None:
            self.root.ask(
                NumberEntry(
                    _("Free places for aircraft on Carriers"),
                    lambda air: self.send(rs.ReportAtSea(source, True, int(room or 0), int(air or 0))),
                    most=2,
                )
            )

        self.root.ask(NumberEntry(_("Free places for Land Units on Sea Transports"), land, most=2))

    def _abilities(self, change: Change) -> None:
        setup = change.state.frozen_setup
        options = [
            ((info.id, card.kind), f"{_(info.name)}, {card.name}")
            for info in setup.sides
            for card in self.vm.cards
        ]
        text = "; ".join(self.vm.abilities)
        self.root.ask(Choose(_("Whose special ability?"), options, lambda key: self.pick_ability(*key), text))

    # Baskets

    def _show_buy(self, change: Change, body: Any) -> None:
        if self.kind:
            self._show_units(change, body)
            return
        box = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(8))
        for card in self.vm.cards:
            box.add_widget(self._panel(card))
        body.add_widget(box)
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        foot.add_widget(Text(text=self.vm.todo, role="small", tone="muted"))
        if self.vm.is_open:
            text = _("Buys again") if self.vm.has_passed else _("Nothing more")
            plate = Plate(text=text, kind="quiet", acts_on="release", size_hint_x=None, width=theme.px(150))
            plate.bind(
                on_act=lambda _w, _t: self.send(rs.PassResupply(Nation(self.nation), not self.vm.has_passed))
            )
            foot.add_widget(plate)
        body.add_widget(foot)

    def _panel(self, card: KindCard) -> Any:
        panel = KindPanel(card=card)
        panel.ids.source.bind(on_act=lambda _w, _t: self._source(card))
        panel.ids.source.is_enabled = self.vm.is_open and not card.placed
        panel.ids.buy.bind(on_act=lambda _w, _t: self._open(card.kind))
        panel.ids.buy.is_enabled = bool(card.source) and not card.placed and card.limit is not None
        panel.ids.place.bind(on_act=lambda _w, _t: self._place(card))
        panel.ids.place.is_enabled = card.can_place or card.mines > 0
        return panel

    def _open(self, kind: str) -> None:
        self.kind = kind
        self.refresh(self.root.desk.change)

    def _source(self, card: KindCard) -> None:
        change = self.root.desk.change
        if change is None:
            return
        rows = source_rows(change.state, self.nation, card.kind)
        options = [(row.id, row.detail if row.key else f"{row.name}: {row.detail}") for row in rows]
        missing = {row.id: row for row in rows if row.key}
        options.append(("", _("None")))

        def chosen(source: str) -> None:
            if source in missing:
                self._enter_value(missing[source], card)
            elif rs.at_sea(change.state, source) is not None and not next(
                r.can for r in rows if r.id == source
            ):
                self._report_at_sea(source, card.kind)
            else:
                self.send(rs.ChooseResupply(Nation(self.nation), card.kind, source))

        self.root.ask(Choose(_("{kind} resupply at").format(kind=card.name), options, chosen))

    def _enter_value(self, row: SourceRow, card: KindCard) -> None:
        """Enter a source's printed value, then take the resupply there."""
        change, rules = self.root.desk.change, self.root.desk.rules
        if change is None or rules is None:
            return

        def entered(text: str) -> None:
            self.send(EnterPrintedValue(row.key, int(text)))
            self.send(rs.ChooseResupply(Nation(self.nation), card.kind, row.id))

        self.root.ask(
            NumberEntry(
                _("Printed value, {site}, {kind}").format(site=row.name, kind=card.name),
                entered,
                text=_("As printed for this Objective on the board."),
                most=3,
                check=lambda text: (
                    value_fault(rules, change.state, row.key, int(text)) if text else _("Enter a number")
                ),
            )
        )

    def _report_at_sea(self, source: str, kind: str) -> None:
        def answered(is_clear: bool) -> None:
            self.send(rs.ReportAtSea(source, is_clear))
            if is_clear:
                self.send(rs.ChooseResupply(Nation(self.nation), kind, source))

        options = [
            (True, _("Not contested, and no enemy beside it")),
            (False, _("Contested, or an enemy beside it")),
        ]
        self.root.ask(Choose(_("The fleet's space"), options, answered))

    def _show_units(self, change: Change, body: Any) -> None:
        card = next(card for card in self.vm.cards if card.kind == self.kind)
        limit = "–" if card.limit is None else str(card.limit)
        head = BoxLayout(size_hint_y=None, height=theme.px(32), spacing=theme.px(8))
        head.add_widget(Text(text=f"{card.name}, {card.source_name}", role="heading", wraps=False))
        head.add_widget(
            Text(
                text=_("{n} of {m} spent").format(n=card.spent, m=limit),
                role="heading",
                align="right",
                wraps=False,
            )
        )
        body.add_widget(head)
        body.add_widget(
            Text(
                text=" · ".join(card.lines), role="small", tone="muted", wraps=False, may_shorten=True,
                size_hint_y=None, height=theme.px(20),
            )
        )  # fmt: skip
        pages = kept_pages(
            self._kept,
            f"{self.nation}.{self.kind}",
            row_px=theme.px(56),
            columns=1 if theme.is_portrait else 2,
        )
        pages.make = self._unit
        pages.items = list(unit_rows(change.state, self.nation, self.kind))
        body.add_widget(pages)

    def _unit(self, row: UnitRow) -> Any:
        line = UnitLine(row=row)
        line.ids.tray.bind(on_act=lambda _w, _t: self._tray(row))
        line.ids.stepper.bind(
            on_step=lambda _w, amount: self.send(
                rs.Purchase(Nation(self.nation), self.kind, row.unit, int(amount))
            )
        )
        return line

    def _tray(self, row: UnitRow) -> None:
        """Enter how many tiles of a unit the tray still holds."""
        self.root.ask(
            NumberEntry(
                _("{unit}: tiles left in the tray").format(unit=row.name),
                lambda text: self.send(rs.SetReserve(Nation(self.nation), row.unit, int(text))),
                most=2,
                check=lambda text: None if text else _("Enter a number"),
            )
        )

    def _place(self, card: KindCard) -> None:
        nation = Nation(self.nation)
        if card.mines:
            self.send(rs.ResolveMines(nation))
            return
        if card.kind != "sea":
            self.send(rs.Place(nation, card.kind))
            return

        def spaced(space: str) -> None:
            options = [
                ("board", _("On the board")),
                ("fleet", _("Into the Hidden Fleet")),
                ("mines", _("On the board, among enemy mines")),
            ]
            self.root.ask(
                Choose(_("New ships in {space}").format(space=space), options, lambda how: go(space, how))
            )

        def go(space: str, how: str) -> None:
            if how == "mines":
                self.root.ask(
                    NumberEntry(
                        _("Enemy mines in {space}").format(space=space),
                        lambda text: self.send(rs.Place(nation, "sea", space, mines=int(text))),
                        most=1,
                        check=lambda text: None if text in tuple("123456") else _("1 to 6"),
                    )
                )
            else:
                self.send(rs.Place(nation, "sea", space, how == "fleet"))

        self.root.ask(TextEntry(_("Sea space of the new ships"), spaced))

    def pick_ability(self, side: str, command: str) -> None:
        """Commander game: enter the ability that a commander picks."""
        self.root.ask(
            TextEntry(_("Special ability"), lambda text: self.send(rs.PickAbility(Side(side), command, text)))
        )


load_kv(__file__)
