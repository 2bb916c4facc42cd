"""A notice that stays a few seconds from its first frame on, above everything but dialogs; a tap sends it away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kivy.clock import Clock
from kivy.lang import Builder
from kivy.properties import NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.pages.desk import Notice
from companion.pages.notices import in_words
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets.basic import measure
from companion.ui.widgets.tap import Tap

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Toast"]

_LARGE = 72
"""Up to this height a notice is written as large as it may be; a longer one is written small."""
_LINE = 1.06
"""What lines take more when they are drawn than when they are measured."""
_SHOWN_S = {"info": 3.5, "warning": 5.0, "error": 12.0}
_READ_S = 0.06
"""How long a letter is read, where there are many of them."""


class Toast(Tap, BoxLayout):
    """One notice with what to do next."""

    text = StringProperty("")
    hint = StringProperty("")
    icon = StringProperty("info")
    tone = StringProperty("text")
    hint_height = NumericProperty(0)

    def height_for(self, text: str, hint: str, width: float) -> float:
        """Return the height in which text and hint are read whole: as large as they are written where they are short."""
        room = max(1.0, width - theme.px(68))  # what the padding, the icon and the gap beside it leave
        need, self.hint_height = (
            measure(one, theme.font_px(role), theme.is_bold(role), room)[1] * _LINE if one else 0.0
            for one, role in ((text, "body"), (hint, "small"))
        )
        if need > theme.px(_LARGE):
            need = measure(text, theme.font_px("small"), theme.is_bold("body"), room)[1] * _LINE
        return float(max(theme.px(76 if hint else 56), need + self.hint_height + theme.px(16)))

    def __init__(self, root: Root, notice: Notice, **kwargs: object) -> None:
        super().__init__(
            text=in_words(notice.text),
            hint="" if notice.hint is None else in_words(notice.hint),
            icon="info" if notice.level == "info" else "warning",
            tone={"info": "text", "warning": "accent", "error": "danger"}.get(notice.level, "text"),
            **kwargs,
        )
        self._root, self.notice = root, notice
        self.acts_on = "release"
        self.fbind("height", self.place)
        self._root.fbind("size", self.place)
        self.place()
        letters = len(self.text) + len(self.hint)
        self._event = Clock.create_trigger(
            self._expire, max(_SHOWN_S.get(notice.level, 5.0), letters * _READ_S)
        )
        # The seconds count from the first frame that shows it: a slow one would take them away.
        self._shown = Clock.create_trigger(lambda _dt: self._event(), 0)
        self._shown()

    def place(self, *_args: object) -> None:
        """Lie where the screen has room for a notice, else at the head of the window."""
        root, screen = self._root, self._root.screen
        room = None if screen is None else screen.notice_room()
        if room is None:
            width = min(root.width - theme.px(24), theme.px(560))
            room = root.center_x - width / 2, root.top - theme.px(6), width
        self.x, top, self.width = room
        self.top = top

    def stay(self) -> None:
        """Begin the few seconds again: the same notice came once more."""
        self._event.cancel()
        self._shown()

    def drop(self) -> None:
        """Follow the window no more."""
        self._root.funbind("size", self.place)

    def _expire(self, _dt: float) -> None:
        if self._root.toast is self:
            self._root.drop_toast()

    def on_act(self, _touch: Press | None) -> None:
        """Go away, and show what the notice is about where that has a screen of its own."""
        self._shown.cancel()
        self._event.cancel()
        if self._root.toast is self:
            self._root.drop_toast()
        self._root.show_report(self.notice)
        if self.notice.screen and not self._root.dialogs:
            self._root.go(self.notice.screen, draft=self.notice.draft)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
