"""A notice that stays a few seconds, above everything but dialogs; a tap sends it away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.clock import Clock
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.pages.desk import Notice
from companion.pages.notices import in_words
from companion.ui.widgets.tap import Tap

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Toast"]

_SHOWN_S = {"info": 3.5, "warning": 5.0, "error": 12.0}


class Toast(Tap, BoxLayout):
    """One notice with what to do next."""

    text = StringProperty("")
    hint = StringProperty("")
    icon = StringProperty("info")
    tone = StringProperty("text")

    def __init__(self, root: Root, notice: Notice, **kwargs: Any) -> None:
        super().__init__(
            text=in_words(notice.text),
            hint="" if notice.hint is None else in_words(notice.hint),
            icon="info" if notice.level == "info" else "warning",
            tone={"info": "text", "warning": "accent", "error": "danger"}.get(notice.level, "text"),
            **kwargs,
        )
        self._root, self.notice = root, notice
        self.acts_on = "release"
        self._event = Clock.schedule_once(self._expire, _SHOWN_S.get(notice.level, 5.0))

    def stay(self) -> None:
        """Begin the few seconds again: the same notice came once more."""
        self._event.cancel()
        self._event()

    def _expire(self, _dt: float) -> None:
        if self._root.toast is self:
            self._root.drop_toast()

    def on_act(self, _touch: Any) -> None:
        """Go away."""
        self._event.cancel()
        if self._root.toast is self:
            self._root.drop_toast()


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
