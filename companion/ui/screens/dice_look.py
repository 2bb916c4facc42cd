"""What the screens share that read a photo of dice: the look that goes on, its bar, its Cancel, and its end."""

from __future__ import annotations

from typing import Any

from companion.pages.i18n import _
from companion.ui.theme import theme
from companion.ui.widgets import Plate, Progress

__all__ = ["Looking"]


class Looking:
    """One look at a time, in a thread of the reader's own; a class beside `Screen`."""

    root: Any
    refresh: Any
    _look: Any = None
    """None while nothing is read, True until the reader has answered that it began, then what cancels it."""
    _bar: Any = None
    share = 0.0
    """How much of the reading is done, 0 to 1."""

    def _hold(self, look: Any) -> None:
        """Keep what cancels a look, unless the reader has answered already."""
        if self._look is True:
            self._look = look

    def _add_bar(self, body: Any) -> None:
        """Show how far the reading is, and a key that ends it."""
        self._bar = Progress(part=self.share, size_hint_y=None, height=theme.px(18))
        body.add_widget(self._bar)
        plate = Plate(
            text=_("Cancel"), kind="quiet", acts_on="release", size_hint_y=None, height=theme.target_px
        )
        plate.bind(on_act=lambda _w, _t: self._cancel())
        body.add_widget(plate)

    def _progress(self, share: float) -> None:
        self.share = share
        if self._look is not None and self._bar is not None:
            self._bar.part = share

    def _cancel(self) -> None:
        self._stop()
        self.refresh(self.root.desk.change)

    def _stop(self) -> None:
        if self._look not in (None, True):
            self._look.cancel()
        self._look = None
