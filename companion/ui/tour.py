"""The first-run tour over everything else: one stop at a time, skippable, by finger and by key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kivy.lang import Builder
from kivy.properties import NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout

from companion.pages.i18n import _
from companion.pages.page import Button
from companion.pages.tour import STOPS
from companion.ui.render.pen import Pen
from companion.ui.render.sheet import Stack
from companion.ui.theme import theme
from companion.ui.touch import Touch
from companion.ui.widgets import Plate

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Tour", "start_tour"]


class Drawing(BoxLayout):
    """What a stop is about, in small: it looks like the screens and takes no touch."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._pen = Pen(lambda _act, _touch: None, lambda _words: None)

    def show(self, stop: int) -> None:
        """Draw a stop's blocks, or the keys of a foot."""
        one = STOPS[stop]
        self.clear_widgets()
        if one.drawn:
            stack = Stack(self._pen)
            stack.show(one.drawn)
            for block in stack.walk_blocks():
                getattr(block, "tick", int)(0)
            self.height = stack.want_px
            self.add_widget(stack)
            return
        self.height = theme.px(60)
        for button in one.foot:
            self.add_widget(self._key(button, one.foot))

    def _key(self, button: Button, foot: tuple[Button, ...]) -> Plate:
        """Return a key as a foot has it: the one without an icon is the main one, and wider."""
        is_main = not button.symbol
        return Plate(
            text=self._pen.say(button.title),
            icon=button.symbol,
            kind="main" if is_main else "quiet",
            role="heading" if is_main else "body",
            size_hint_x=1.5 if is_main and len(foot) > 1 else 1,
        )

    def on_touch_down(self, _touch: Touch) -> bool:
        """Take nothing."""
        return False


class Tour(FloatLayout):
    """The tour; it swallows every touch beside its own buttons."""

    stop = NumericProperty(0)
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
        self.title, self.text = _(one.title), _(one.text)
        self.ids.drawing.show(int(self.stop))
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
