"""The first-run tour over everything else: one stop at a time, skippable, by finger and by key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kivy.lang import Builder
from kivy.properties import NumericProperty, StringProperty
from kivy.uix.floatlayout import FloatLayout

from companion.pages.i18n import _
from companion.pages.tour import STOPS
from companion.ui.touch import Touch

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Tour", "start_tour"]


class Tour(FloatLayout):
    """The tour; it swallows every touch beside its own buttons."""

    stop = NumericProperty(0)
    icon = StringProperty("")
    title = StringProperty("")
    text = StringProperty("")
    count = NumericProperty(len(STOPS))
    next_text = StringProperty("")

    def __init__(self, root: Root, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._window = root
        self._show()

    def _show(self) -> None:
        one = STOPS[int(self.stop)]
        self.icon, self.title, self.text = one.icon, _(one.title), _(one.text)
        self.next_text = _("Next") if self.stop + 1 < len(STOPS) else _("Done")

    def on_touch_down(self, touch: Touch) -> bool:
        """Give the touch to the buttons, and swallow it in any case."""
        super().on_touch_down(touch)
        return True

    def forward(self) -> None:
        """Go to the next stop, or end."""
        if self.stop + 1 < len(STOPS):
            self.stop += 1
            self._show()
        else:
            self.end()

    def back(self) -> None:
        """Go to the stop before."""
        if self.stop > 0:
            self.stop -= 1
            self._show()

    def on_key(self, name: str) -> None:
        """Main goes on, back ends."""
        if name in ("main", "right"):
            self.forward()
        elif name in ("left", "previous"):
            self.back()
        elif name == "back":
            self.end()

    def end(self) -> None:
        """Put the tour away for good; twice is safe."""
        self._window.end_tour()


def start_tour(root: Root) -> None:
    """Show the tour over the screen that is up; starting twice is safe."""
    root.start_tour(Tour)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
