"""The board: control markers, pieces and supply by space; count a space, move from it, change its marker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.text import Typed
from companion.games.aana.pages.board import (
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
    moving_view,
    neighbours,
    power_options,
    space_view,
    territory_command,
    victory_rows,
)
from companion.games.aana.pages.moves import (
    MoveDraft,
    blitz_targets,
    can_blitz,
    carry_destinations,
    carry_units,
    is_mapped,
    lose_aircraft,
    move_destinations,
    moves_by_rule,
    why_not,
)
from companion.pages.desk import Notice
from companion.pages.i18n import _
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
        self.is_correcting = False
        """Pieces move as a correction, whatever the phase allows."""
        self.is_road = False
        self.is_blitz = False
        self.spaces = 1
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
            self._list(change, body)
            return
        if self._by_rule(change):
            self.vm = moving_view(change, self._draft(change), blitz=self.is_blitz)
            # What is shown is what goes: a counter never stands above what may move.
            self.counts = {row.key: row.count for row in self.vm.rows if row.count}
        else:
            self.vm = space_view(
                change, self.space, self.power, self.counts, self.supply, moving=self.is_moving
            )
        some = any(self.counts.values()) or bool(self.supply and not self._by_rule(change))
        self.main_text = _("Choose where they go") if self.is_moving else _("That is all here")
        self.main_enabled = some or not self.is_moving
        self._space(change, body)

    def _by_rule(self, change: Change) -> bool:
        return self.is_moving and not self.is_correcting and moves_by_rule(change.state)

    def _draft(self, change: Change, via: str = "") -> MoveDraft:
        told = 0 if is_mapped(change.state) else self.spaces
        return MoveDraft(self.space, self.counts, self.supply or 0, told, self.is_road, via)

    def _list(self, change: Change, body: Any) -> None:
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
        lost = lose_aircraft(change.state)
        if lost is not None:
            command, planes = lost
            text = _("Aircraft without a landing are lost")
            plate = Plate(
                text=text, sub=planes, kind="danger", align="left", acts_on="release", size_hint_y=None
            )
            plate.height = theme.px(54)
            plate.bind(
                on_act=lambda _w, _t: self.root.ask(
                    Confirm(text, planes, _("They are lost"), lambda _t: self.send(command), is_danger=True)
                )
            )
            body.add_widget(plate)
        pages = self._pages(theme.px(74), self.tab)
        if self.tab == "victory":
            pages.columns = 1
            pages.make = self._victory_row
            pages.items = list(self.victory)
            body.add_widget(pages)
            return
        pages.make = self._space_row
        pages.items = [*self.board.rows, *([None] if self.tab == "land" else [])]
        body.add_widget(pages)

    def _add_row(self) -> Any:
        """Return what adds a territory: it stands behind all others, so that more of them are seen at once."""
        add = Plate(text=_("Add a territory of your board"), kind="quiet", acts_on="release")
        add.bind(on_act=lambda _w, _t: self.root.ask(TextEntry(_("Name of the territory"), self._add)))
        return add

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

    def _space_row(self, row: SpaceRow | None) -> Any:
        if row is None:
            return self._add_row()
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
        head.add_widget(self._plate(_("All spaces"), lambda _t: self._show(space=""), icon="back"))
        text = _("Count") if self.is_moving else _("Move from here")
        head.add_widget(self._plate(text, lambda _t: self._show(moving=not self.is_moving)))
        if self.is_moving and moves_by_rule(change.state):
            text = _("By the rules") if self.is_correcting else _("Correct instead")
            head.add_widget(self._plate(text, lambda _t: self._switch("is_correcting")))
        if not self.is_moving and self.vm.can_change_control:
            head.add_widget(self._plate(_("Control marker"), lambda touch: self._marker(change, touch)))
        if not self.is_moving and self.vm.supply is not None:
            mines = self._plate(_("Mines"), lambda _t: self._mines(change))
            mines.size_hint_x = 0.6
            head.add_widget(mines)
        body.add_widget(head)
        if self._by_rule(change):
            ways = self._ways(change)
            if ways.children:
                body.add_widget(ways)
        elif not self.is_moving:
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

    def _plate(self, text: str, act: Callable[[Any], None], *, icon: str = "", chosen: bool = False) -> Any:
        kind = "soft" if chosen else "quiet"
        plate = Plate(text=text, icon=icon, kind=kind, acts_on="release")
        plate.bind(on_act=lambda _w, touch: act(touch))
        return plate

    def _ways(self, change: Change) -> Any:
        """Make the line of what a move by the rules may be besides: coast road, blitz, spaces, a bomber's load."""
        state = change.state
        line = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(6))
        if state.step.phase == "noncombat":
            text = _("Coast road: yes") if self.is_road else _("Coast road: no")
            line.add_widget(self._plate(text, lambda _t: self._switch("is_road"), chosen=self.is_road))
        if can_blitz(state, self.space):
            text = _("Blitz: yes") if self.is_blitz else _("Blitz: no")
            line.add_widget(self._plate(text, lambda _t: self._switch("is_blitz"), chosen=self.is_blitz))
        units = carry_units(state, self.space)
        if units:
            line.add_widget(self._plate(_("A bomber carries"), lambda _t: self._carry(change)))
        if not is_mapped(state):
            words = Text(text=_("Spaces on the way"), role="small", align="right", wraps=False)
            stepper = Stepper(
                text=str(self.spaces), can_less=self.spaces > 1, can_more=self.spaces < 6, size_hint_x=None
            )
            stepper.width = theme.px(164)
            stepper.bind(on_step=lambda _w, amount: self._count_spaces(int(amount)))
            line.add_widget(words)
            line.add_widget(stepper)
        return line

    def _switch(self, name: str) -> None:
        setattr(self, name, not getattr(self, name))
        self.counts = {}
        self.refresh(self.root.desk.change)

    def _count_spaces(self, amount: int) -> None:
        self.spaces = min(6, max(1, self.spaces + amount))
        self.refresh(self.root.desk.change)

    def _carry(self, change: Change) -> None:
        """Ask which unit a bomber carries, and where to."""
        told = 0 if is_mapped(change.state) else self.spaces

        def chosen(unit: str) -> None:
            options = carry_destinations(change.state, unit, told)
            self.root.ask(Choose(_("Where do they land?"), options, self.send))

        self.root.ask(Choose(_("Which unit is carried?"), carry_units(change.state, self.space), chosen))

    def _piece(self, row: PieceRow) -> Any:
        box = BoxLayout(spacing=theme.px(8), padding=(theme.px(8), 0))
        words = BoxLayout(orientation="vertical")
        words.add_widget(Text(text=row.text, role="strong", wraps=False, may_shorten=True))
        if row.sub:
            words.add_widget(Text(text=row.sub, role="small", tone="muted", wraps=False, may_shorten=True))
        box.add_widget(words)
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
            self.is_correcting = self.is_road = self.is_blitz = False
            self.spaces = 1
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
        if self._by_rule(change):
            if self.is_blitz:
                self._ask_blitz(change)
            else:
                self._ask_move(change, self._draft(change))
            return
        space, counts, supply = self.space, dict(self.counts), self.supply

        def chosen(to: str) -> None:
            self.send(move_command(space, to, counts, supply))
            self._show(space="")

        self.root.ask(Choose(_("Where do they go?"), destinations(change.state, space), chosen))

    def _ask_blitz(self, change: Change) -> None:
        """Ask which territory the tanks take, then where they stop."""
        self.root.ask(
            Choose(
                _("Which territory is taken?"),
                blitz_targets(change.state, self.space),
                lambda via: self._ask_move(change, self._draft(change, via)),
                _("Hostile, without combat units"),
            )
        )

    def _ask_move(self, change: Change, draft: MoveDraft) -> None:
        options = move_destinations(change.state, draft)
        if not options:
            self.root.notify(Notice("info", Typed(why_not(change.state, draft) or _("Nowhere to go"))))
            return

        def chosen(command: Command) -> None:
            self.send(command)
            self._show(space="")

        self.root.ask(Choose(_("Where do they go?"), options, chosen))


load_kv(__file__)
