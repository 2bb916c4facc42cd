"""The Table: where we are, both clocks, what to do now, what comes next."""

from __future__ import annotations

from typing import Any

from kivy.properties import BooleanProperty, StringProperty

from companion.core import commands as cm
from companion.core.change import Change
from companion.pages.clocks import clock_face
from companion.pages.i18n import _
from companion.pages.table import MOST_CHECKS, TableView, at_hand, main_command, next_line, table_view
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import ClockCard, TickLine

__all__ = ["TableScreen"]

_EMPTY = TableView()


class TableScreen(Screen):
    """Shows a `TableView`; the main act ends the current act, or resumes."""

    has_strip = True
    is_hidden = BooleanProperty(False)
    next_line = StringProperty("")

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = _EMPTY
        super().__init__(root, **kwargs)
        checks = self.ids.checks
        checks.make, checks.text_of = self._row, lambda check: check.text
        checks.inset_px = theme.px(44)
        checks.fbind("size", self._show_checks)
        self._cards: list[Any] = []

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        rules = self.root.desk.rules
        if change is None or rules is None:
            return
        settings = self.root.settings
        view = table_view(change, rules, self.root.desk.now_ms(), swapped=settings.swap_seats)
        self.is_hidden = settings.hide_clock
        self.vm = view
        self._lay_cards(len(view.faces))
        self._show(view.faces)
        self._show_checks()
        is_paused = bool(view.status)
        self.main_text = self.root.words["resume"] if is_paused else view.main_text
        self.main_icon = "play" if is_paused else ""
        self.main_enabled = is_paused or view.can_act

    def tick(self, now_ms: int) -> int | None:
        """Show the digits of this instant."""
        change = self.root.desk.change
        if change is None:
            return None
        sides = [info.id for info in change.state.frozen_setup.sides]
        if self.root.settings.swap_seats:
            sides.reverse()
        faces = [clock_face(change.state, side, now_ms, tenths=self.root.settings.tenths) for side in sides]
        self._show(faces)
        waits = [face.changes_in_ms for face in faces if face.changes_in_ms is not None]
        return min(waits, default=None)

    def main_act(self, touch: Any) -> None:
        """End the act, or resume."""
        change = self.root.desk.change
        if self.vm.is_over:
            self.root.report()
        elif change is not None:
            self.send(main_command(change.state, self.stamp_ms(touch)))

    def _show_checks(self, *_args: Any) -> None:
        """Show as many reminders as there is room for without a page turn; the next one comes as one is ticked."""
        room = self.ids.checks.page_size if self.ids.checks.height > 1 else MOST_CHECKS
        self.ids.checks.items = list(at_hand(self.vm.checks, room))
        self.next_line = next_line(self.vm, room)

    def help_lines(self) -> tuple[tuple[str, str], ...]:
        """Tell all reminders of this step, those too that are not on the screen yet."""
        return tuple(
            (_("Reminder {n}").format(n=n), check.text) for n, check in enumerate(self.vm.checks, start=1)
        )

    def _row(self, check: Any) -> Any:
        line = TickLine(key=check.id, text=check.text, is_done=check.is_done, font_px=self.ids.checks.font_px)
        line.bind(on_act=lambda _widget, _touch: self._tick_check(check))
        return line

    def _tick_check(self, check: Any) -> None:
        change = self.root.desk.change
        if change is not None and check.command is None:
            self.send(cm.TickCheck(change.state.step.id, check.id, not check.is_done))
        elif not check.is_done:
            self.send(check.command)

    def _lay_cards(self, count: int) -> None:
        """Make a clock card a side: one column, two from four sides on and in portrait."""
        if len(self._cards) == count:
            return
        grid = self.ids.cards
        grid.clear_widgets()
        grid.cols = 2 if theme.is_portrait or count > 3 else 1
        if theme.is_portrait:
            grid.height = max(theme.px(132), -(-count // 2) * theme.px(108))
        self._cards = [ClockCard(acts_on="release") for _n in range(count)]
        for card in self._cards:
            card.bind(on_act=lambda _w, _touch: self.root.go("clocks"))
            grid.add_widget(card)
        self.moving = tuple(card.ids.digits for card in self._cards)

    def _show(self, faces: Any) -> None:
        scores = {score.side: score for score in self.vm.scores}
        for card, face in zip(self._cards, faces, strict=True):
            card.is_hidden = self.is_hidden
            card.score = scores.get(face.mark.id)
            card.face = face


load_kv(__file__)
