"""The Clocks: two giant halves for the players at the table, the arbiter's and the table's acts between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.widget import Widget

from companion.core.change import Change
from companion.pages.clocks import ClocksView, clocks_view, press_half
from companion.pages.controls import token_command, token_side
from companion.pages.i18n import _
from companion.pages.table import main_command
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets import Half

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["ClocksScreen"]

_EMPTY = ClocksView()


class ClocksScreen(Screen):
    """Shows a `ClocksView` over the whole window; a press on a half ends that side's act."""

    is_framed = False
    is_hidden = BooleanProperty(False)
    undo_text = StringProperty("")

    def __init__(self, root: Root, **kwargs: object) -> None:
        self.vm = _EMPTY
        self._acting: set[str] = set()
        """The sides whose half ends an act."""
        self._step = ""
        super().__init__(root, **kwargs)
        self._halves: list[Widget] = []

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        settings = self.root.settings
        view = clocks_view(
            change, self.root.desk.now_ms(), tenths=settings.tenths, swapped=settings.swap_seats
        )
        self.is_hidden = settings.hide_clock
        self.vm = view
        self._lay_halves(len(view.faces))
        is_open = not (view.is_paused or view.is_over)
        acting = {face.mark.id for face in view.faces if is_open and face.is_acting}
        step = change.state.step.id if acting else ""
        # Whose act it was not had nothing to end: a quick press of that half is meant for the act that has just come.
        if self.fresh.show(
            [(side, step) for side in acting], known=[(side, step) for side in acting - self._acting]
        ):
            self.root.wait_for_frame()
        self._acting, self._step = acting, step
        for half, face in zip(self._halves, view.faces, strict=True):
            is_acting = is_open and face.is_acting
            half.is_hidden = self.is_hidden
            half.hint = view.act if is_acting else ""
            half.sub = _("Press: {done}").format(done=view.done) if is_acting else ""
            half.face = face
        taken = "" if change.undo is None else self.root.undo_words(change)
        self.undo_text = (self.root.undo_kind(change) or taken) if taken else ""
        self.main_text = view.done

    def tick(self, now_ms: int) -> int | None:
        """Show the digits of this instant."""
        change = self.root.desk.change
        if change is None:
            return None
        settings = self.root.settings
        view = clocks_view(change, now_ms, tenths=settings.tenths, swapped=settings.swap_seats)
        for half, face in zip(self._halves, view.faces, strict=True):
            half.face = face
        return min((f.changes_in_ms for f in view.faces if f.changes_in_ms is not None), default=None)

    def _lay_halves(self, count: int) -> None:
        """Make a half a side; more than two sides share the window as a grid."""
        if len(self._halves) == count:
            return
        grid = self.ids.halves
        grid.clear_widgets()
        if theme.is_portrait:
            grid.cols = 1 if count <= 3 else 2
        else:
            grid.cols = max(1, count if count <= 3 else -(-count // 2))
        self._halves = [Half() for _n in range(count)]
        for index, half in enumerate(self._halves):
            half.is_small = count > 2
            half.bind(on_act=lambda _w, touch, index=index: self.press(index, touch))
            grid.add_widget(half)
        self.moving = tuple(half.ids.digits for half in self._halves)

    def press(self, index: int, touch: Press) -> None:
        """Take a press on a half: the end of that side's act."""
        change = self.root.desk.change
        if change is None or index >= len(self.vm.faces) or self.vm.is_over:
            return
        side = self.vm.faces[index].mark.id
        if not self.root.is_first_contact(f"half {side}", touch):
            return
        if self.fresh.takes((side, self._step), touch.seen_ns):
            command, actor = press_half(change.state, side, self.stamp_ms(touch))
            self.send(command, actor=actor)
        else:
            self.root.miss(touch)

    def main_act(self, touch: Press | None) -> None:
        """End the current act in the table's name, or resume; the space bar's act."""
        change = self.root.desk.change
        if change is not None and not self.vm.is_over:
            self.send(main_command(change.state, self.stamp_ms(touch)))

    def on_key(self, name: str, event: Press) -> bool:
        """Left and right are the two halves."""
        if name in ("left", "right"):
            self.press(0 if name == "left" else 1, event)
            return True
        return False

    def use_token(self, touch: Press) -> None:
        """Spend an extension token in the name of the side whose clock runs."""
        change = self.root.desk.change
        side = None if change is None else token_side(change.state)
        if change is not None and side is not None:
            command, actor = token_command(change.state, side, self.stamp_ms(touch))
            self.send(command, actor=actor)

    def swap(self) -> None:
        """Exchange left and right."""
        self.root.set("swap_seats", not self.root.settings.swap_seats)

    def hide(self) -> None:
        """Hide the digits, or show them again."""
        self.root.set("hide_clock", not self.root.settings.hide_clock)

    def arbiter(self) -> None:
        """Open the arbiter's acts."""
        from companion.ui.arbiter import open_arbiter

        open_arbiter(self.root)


load_kv(__file__)
