"""The first-run tour over everything else: one stop at a time, skippable, by finger and by key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.lang import Builder
from kivy.properties import NumericProperty, StringProperty
from kivy.uix.floatlayout import FloatLayout

from companion.pages.i18n import _
from companion.pages.tour import STOPS

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

    def __init__(self, root: Root, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._window = root
        self._show()

    def _show(self) -> None:
        one = STOPS[int(self.stop)]
        self.icon, self.title, self.text = one.icon, _(one.title), _(one.text)
        self.next_text = _("Next") if self.stop + 1 < len(STOPS) else _("Start")

    def on_touch_down(self, touch: Any) -> bool:
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


Builder.load_string(
    """
#:import theme companion.ui.theme.theme
#:import _ companion.pages.i18n._
<Tour>:
    canvas.before:
        Color:
            rgba: theme.color('ground')
        Rectangle:
            pos: self.pos
            size: self.size
    BoxLayout:
        orientation: 'vertical'
        padding: theme.px(48) if not theme.is_portrait else theme.px(32), theme.px(24)
        spacing: theme.px(12)
        BoxLayout:
            size_hint_y: None
            height: theme.target_px
            Text:
                text: _('{n} of {m}').format(n=int(root.stop) + 1, m=int(root.count))
                tone: 'muted'
            Plate:
                text: _('Skip the tour')
                kind: 'bare'
                role: 'body'
                align: 'right'
                padding: 0, theme.px(4)
                acts_on: 'release'
                size_hint_x: None
                width: theme.px(190) * (1 + 0.12 * theme.text_step)
                on_act: root.end()
        Widget:
            size_hint_y: 0.25
        Icon:
            name: root.icon
            tone: 'accent'
            size_px: theme.px(84)
            size_hint_y: None
            height: theme.px(92)
        Text:
            text: root.title
            role: 'display'
            align: 'center'
            size_hint_y: None
            height: theme.font_px('display') * 1.4
        Text:
            text: root.text
            role: 'heading'
            bold: False
            tone: 'muted'
            align: 'center'
            size_hint_y: 0.6 if theme.is_portrait else 1
        Widget:
            size_hint_y: 0.6 if theme.is_portrait else None
            height: 0
        Progress:
            part: (root.stop + 1) / root.count
        BoxLayout:
            size_hint_y: None
            height: theme.px(72)
            spacing: theme.px(10)
            Plate:
                text: _('Back')
                kind: 'quiet'
                acts_on: 'release'
                is_enabled: root.stop > 0
                on_act: root.back()
            Plate:
                text: root.next_text
                kind: 'main'
                role: 'heading'
                acts_on: 'release'
                on_act: root.forward()
""",
    filename=str(Path(__file__)),
)
