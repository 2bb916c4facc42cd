"""The corner-touch test over the whole window."""

from __future__ import annotations

import time
from typing import Any

from companion.presenters.corners import CORNERS, CornerCheck, touched
from companion.presenters.i18n import _
from companion.ui.dialogs import Dialog
from companion.ui.theme import theme
from companion.ui.widgets import Plate, Text

__all__ = ["CornerTest"]


class CornerTest(Dialog):
    """Asks for each corner in turn; a touch is judged by where it arrives, whatever it was meant for."""

    def __init__(self) -> None:
        super().__init__("", "")
        self.check = CornerCheck()

    def build(self) -> None:
        """Show the corner that is asked for and what was found."""
        self.clear_widgets()
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
        words = Text(text=self.check.text, role="heading", align="center", wraps=True)
        words.size_hint = (0.6, 0.4)
        words.pos_hint = {"center_x": 0.5, "center_y": 0.6}
        self.add_widget(words)
        done = Plate(text=_("Close"), kind="soft", acts_on="release")
        done.size_hint = (None, None)
        done.size = (theme.px(160), theme.target_px)
        done.pos_hint = {"center_x": 0.5, "center_y": 0.3}
        done.bind(on_act=lambda _w, _t: self.close())
        self.add_widget(done)
        self._done = done

    def on_touch_down(self, touch: Any) -> bool:
        """Judge the touch, unless it is on the close button."""
        if self._done.collide_point(*touch.pos):
            return bool(super().on_touch_down(touch))
        before = self.check
        at_ms = time.monotonic_ns() // 1_000_000
        self.check = touched(before, touch.x / max(1, self.width), touch.y / max(1, self.height), at_ms)
        if self.check != before:
            self.build()
        return True
