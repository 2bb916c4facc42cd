"""The board: control markers, pieces and supply by space; count a space, move from it, change its marker."""

from __future__ import annotations

from typing import Any

from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.presenters.aana_board import (
    BoardView,
    PieceRow,
    SpaceRow,
    SpaceView,
    VictoryRow,
    board_view,
    claim_command,
    control_command,
    control_options,
    destinations,
    draw_command,
    mines_command,
    move_command,
    neighbours,
    power_options,
    space_view,
    territory_command,
    victory_rows,
)
from companion.presenters.i18n import _
from companion.ui.dialogs import Choose, Confirm, NumberEntry
from companion.ui.letters import TextEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Emblem, Pages, Plate, Stepper, Tabs, Text

__all__ = ["AanaBoardScreen"]


class AanaBoardScreen(Screen):
    """Shows a `BoardView`, or the `SpaceView` of one space."""

    tab = StringProperty("land")
    space = StringProperty("")
    power = StringProperty("germany")
    board = ObjectProperty(BoardView(), rebind=True)

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = SpaceView()
        self.is_moving = False
        self.counts: dict[str, int] = {}
        self.supply: int | None = None
        self._page: dict[str, int] = {}
        self.victory: tuple[VictoryRow, ...] = ()
        super().__init__(root, **kwargs)

    def enter(self, space: str = "", **_args: Any) -> None:
        """Open at a space."""
        self.space = space

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        body = self.ids.body
        body.clear_widgets()
        self.board = board_view(change, "land" if self.tab == "victory" else self.tab)
        self.victory = victory_rows(change)
        if not self.space:
            self.vm = SpaceView()
            self.main_text, self.main_enabled = _("Back to the table"), True
            self._list(body)
            return
        self.vm = space_view(change, self.space, self.power, self.counts, self.supply, moving=self.is_moving)
        some = any(self.counts.values()) or bool(self.supply)
        self.main_text = _("Choose where they go") if self.is_moving else _("That is all here")
        self.main_enabled = some or not self.is_moving
        self._space(change, body)

    def _list(self, body: Any) -> None:
        tabs = Tabs(
            options=[
                ("land", _("Land")),
                ("sea", _("Sea")),
                ("convoy", _("Convoys")),
                ("victory", _("Victory")),
            ],
            chosen=self.tab,
        )
        tabs.bind(on_choose=lambda _w, key: self._show(tab=key))
        body.add_widget(tabs)
        pages = self._pages(theme.px(56), self.tab)
        if self.tab == "victory":
            pages.columns = 1
            pages.make = self._victory_row
            pages.items = list(self.victory)
            body.add_widget(pages)
            return
        pages.make = self._space_row
        pages.items = list(self.board.rows)
        body.add_widget(pages)
        if self.tab == "land":
            add = Plate(
                text=_("Add a territory of your board"),
                kind="quiet",
                acts_on="release",
                size_hint_y=None,
                height=theme.target_px,
            )
            add.bind(on_act=lambda _w, _t: self.root.ask(TextEntry(_("Name of the territory"), self._add)))
            body.add_widget(add)

    def _add(self, name: str) -> None:
        command = territory_command(name)
        if command is not None:
            self.send(command)

    def _victory_row(self, row: VictoryRow) -> Any:
        plate = Plate(text=row.text, sub=row.sub, kind="soft", align="left", acts_on="release")
        plate.is_enabled = bool(row.ask)
        plate.bind(on_act=lambda _w, touch: self._claim(row, touch))
        return plate

    def _claim(self, row: VictoryRow, touch: Any) -> None:
        at = self.stamp_ms(touch)
        if row.ask == "draw":
            self.root.ask(
                NumberEntry(
                    _("Axis: cost of land units in territories"),
                    lambda axis: self.root.ask(
                        NumberEntry(
                            _("Allies: cost of land units in territories"),
                            lambda allies: self.send(draw_command(axis, allies, at)),
                            most=3,
                        )
                    ),
                    most=3,
                )
            )
            return
        side = row.ask.removeprefix("claim.")
        self.root.ask(
            Confirm(
                row.text,
                row.sub,
                _("Claim victory"),
                lambda _t: self.send(claim_command(side, at)),
                is_danger=True,
            )
        )

    def _pages(self, row_px: float, key: str) -> Any:
        """Make pages that stay on their page when the same list is shown again."""
        pages = Pages(row_px=row_px, columns=1 if theme.is_portrait else 2, page=self._page.get(key, 0))
        pages.bind(page=lambda _w, page: self._page.update({key: int(page)}))
        return pages

    def _space_row(self, row: SpaceRow) -> Any:
        box = BoxLayout(spacing=theme.px(6))
        badge = BoxLayout(size_hint_x=None, width=theme.px(34))
        if row.holder is not None:
            badge.add_widget(Emblem(emblem=row.holder.emblem, tone=row.holder.tone))
        box.add_widget(badge)
        plate = Plate(text=row.name, sub=row.detail, kind="soft", align="left", acts_on="release")
        plate.bind(on_act=lambda _w, _t: self._show(space=row.key))
        box.add_widget(plate)
        return box

    def _space(self, change: Change, body: Any) -> None:
        head = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(6))
        back = Plate(text=_("All spaces"), icon="back", kind="quiet", acts_on="release")
        back.bind(on_act=lambda _w, _t: self._show(space=""))
        head.add_widget(back)
        move = Plate(
            text=_("Count") if self.is_moving else _("Move from here"), kind="quiet", acts_on="release"
        )
        move.bind(on_act=lambda _w, _t: self._show(moving=not self.is_moving))
        head.add_widget(move)
        if self.vm.can_change_control:
            marker = Plate(text=_("Control marker"), kind="quiet", acts_on="release")
            marker.bind(on_act=lambda _w, touch: self._marker(change, touch))
            head.add_widget(marker)
        if not self.is_moving and self.vm.supply is not None:
            mines = Plate(text=_("Mines"), kind="quiet", acts_on="release", size_hint_x=0.6)
            mines.bind(on_act=lambda _w, _t: self._mines(change))
            head.add_widget(mines)
        body.add_widget(head)
        if not self.is_moving:
            tabs = Tabs(options=list(power_options(change.state)), chosen=self.power)
            tabs.bind(on_choose=lambda _w, key: self._show(power=key))
            body.add_widget(tabs)
        pages = self._pages(theme.px(54), f"{self.space}.{self.power}.{self.is_moving}")
        pages.make = self._piece
        items = list(self.vm.rows)
        if self.vm.supply is not None:
            items.insert(0, PieceRow("supply", _("Supply"), self.vm.supply, 99))
        pages.items = items
        pages.empty_text = _("Nothing is known to stand here")
        body.add_widget(pages)

    def _piece(self, row: PieceRow) -> Any:
        box = BoxLayout(spacing=theme.px(8), padding=(theme.px(8), 0))
        box.add_widget(Text(text=row.text, role="strong", wraps=False, may_shorten=True))
        stepper = Stepper(
            text=str(row.count),
            can_less=row.count > 0,
            can_more=row.count < row.most,
            size_hint_x=None,
            width=theme.px(164),
        )
        stepper.bind(on_step=lambda _w, amount: self._step(row, int(amount)))
        box.add_widget(stepper)
        return box

    def _step(self, row: PieceRow, amount: int) -> None:
        value = min(row.most, max(0, row.count + amount))
        if row.key == "supply":
            self.supply = value
        else:
            self.counts = {**self.counts, row.key: value}
        self.refresh(self.root.desk.change)

    def _show(self, **what: Any) -> None:
        self.tab = what.get("tab", self.tab)
        self.power = what.get("power", self.power)
        if "space" in what or "moving" in what:
            self.space = what.get("space", self.space)
            self.is_moving = what.get("moving", False)
            self.counts, self.supply = {}, None
        self.refresh(self.root.desk.change)

    def _marker(self, change: Change, touch: Any) -> None:
        at = self.stamp_ms(touch)
        space = self.space
        self.root.ask(
            Choose(
                _("Whose control marker?"),
                control_options(change.state),
                lambda power: self.send(control_command(space, power, at)),
            )
        )

    def _mines(self, change: Change) -> None:
        space = self.space

        def chosen(toward: str) -> None:
            self.root.ask(
                NumberEntry(
                    _("Mine icons on this border"),
                    lambda count: self.send(mines_command(space, toward, count)),
                    most=1,
                )
            )

        self.root.ask(Choose(_("Facing which territory?"), neighbours(change.state, space), chosen))

    def main_act(self, touch: Any) -> None:
        """Count the space, ask where the pieces go, or go back."""
        change = self.root.desk.change
        if change is None or not self.space:
            super().main_act(touch)
            return
        if not self.is_moving:
            if self.vm.command is not None:
                self.send(self.vm.command)
            self._show(space="")
            return
        space, counts, supply = self.space, dict(self.counts), self.supply

        def chosen(to: str) -> None:
            self.send(move_command(space, to, counts, supply))
            self._show(space="")

        self.root.ask(Choose(_("Where do they go?"), destinations(change.state, space), chosen))


load_kv(__file__)
