"""The corner-touch test over the whole window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.graphics import Color, Rectangle

from companion.pages.corners import CORNERS, CornerCheck, touched, turn_words
from companion.pages.i18n import _
from companion.ui.dialogs import Dialog
from companion.ui.theme import theme
from companion.ui.touch import Press, Touch
from companion.ui.widgets import Plate, Text

__all__ = ["CornerTest"]


class CornerTest(Dialog):
    """Asks for each corner in turn; a touch is judged by where it arrives, whatever it was meant for.

    The one button is in the middle, where a turned or mirrored touch finds it too. A turned touch is set right through
    the root's `turn_touch`, where the program has one, and asked for again.
    """

    is_closable = False

    def __init__(self, then: Callable[[], None] = lambda: None) -> None:
        """`then` is called once, when the test is closed."""
        super().__init__("", "")
        self.check = CornerCheck()
        self._then = then
        self._done: Any = None

    def build(self) -> None:
        """Show the corner that is asked for and what was found."""
        self.clear_widgets()
        self.canvas.before.clear()
        with self.canvas.before:
            Color(*theme.color("ground"))
            self._ground = Rectangle(pos=self.pos, size=self.size)
        size = theme.target_px * 1.6
        for index, name in enumerate(CORNERS):
            is_asked = index == self.check.asked and not self.check.is_done
            mark = Plate(
                kind="main" if is_asked else "soft", icon="check" if index < self.check.asked else ""
            )
            mark.size_hint = (None, None)
            mark.size = (size, size)
            mark.disabled = True
            mark.pos_hint = {
                "x" if name.endswith("left") else "right": 0.0 if name.endswith("left") else 1.0,
                "top" if name.startswith("top") else "y": 1.0 if name.startswith("top") else 0.0,
            }
            self.add_widget(mark)
        done = Plate(
            text=_("Continue") if self.check.is_well else _("Skip"),
            kind="main" if self.check.is_well else "soft",
            acts_on="release",
        )
        done.size_hint = (None, None)
        done.size = (theme.px(200), theme.target_px * 1.1)
        done.pos_hint = {"center_x": 0.5, "center_y": 0.5}
        done.bind(on_act=lambda _w, _t: self._finish())
        self.add_widget(done)
        self._done = done
        words = Text(
            text=self.check.text,
            role="heading",
            align="center",
            tone="danger" if self.check.fault or (self.check.is_done and not self.check.is_well) else "text",
        )
        words.size_hint = (0.78, 0.26)
        words.pos_hint = {"center_x": 0.5, "center_y": 0.76}
        self.add_widget(words)

    def on_size(self, *_args: object) -> None:
        """Keep the ground behind everything."""
        ground = getattr(self, "_ground", None)
        if ground is not None:
            ground.pos, ground.size = self.pos, self.size

    def _finish(self) -> None:
        then, self._then = self._then, lambda: None
        self.close()
        then()

    def on_key(self, name: str, event: Press) -> None:  # noqa: ARG002
        """Main and back end it: a keyboard needs no touch."""
        if name in ("main", "back", "previous"):
            self._finish()

    def on_touch_down(self, touch: Touch) -> bool:
        """Judge the touch, unless it is on the button."""
        if self._done.collide_point(*touch.pos):
            return bool(super().on_touch_down(touch))
        before = self.check
        at_ms = touch.seen_ns // 1_000_000
        check = touched(before, touch.x / max(1, self.width), touch.y / max(1, self.height), at_ms)
        turn_touch = None if self.root is None else self.root.turn_touch
        if check.turn is not None and turn_touch is not None:
            turn_touch(check.turn)
            note = turn_words(check.turn) + " " + _("It has been corrected.")
            check = CornerCheck(note=note, last_ms=at_ms)
        self.check = check
        if check != before:
            self.build()
        return True
