"""What the screens share that read a photo of dice: where photos come from, the look that goes on, its bar, its Cancel, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kivy.uix.widget import Widget

from companion.pages.dice_eye import no_photo
from companion.pages.i18n import _
from companion.ui.theme import theme
from companion.ui.widgets import Pages, Plate, Progress

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Looking"]

_LOOK_AGAIN_MS = 2000
"""How often the folder is looked into while its photos are offered."""


class Looking:
    """One look at a time, in a thread of the reader's own; a class beside `Screen`."""

    root: Root
    refresh: Any
    look: Any
    """Reads what a key of the list stands for."""
    _offered: Any = ()
    _look: Any = None
    """None while nothing is read, True until the reader has answered that it began, then what cancels it."""
    _bar: Any = None
    share = 0.0
    """How much of the reading is done, 0 to 1."""

    @property
    def is_offering(self) -> bool:
        """Whether the list of photos and cameras is on the screen; a screen adds what else takes its place."""
        return self._look is None

    def _offers(self) -> list[tuple[str, str]]:
        return [*self.root.eye.sources(), *self.root.eye.photos()]

    def _show_offers(self, body: Widget) -> None:
        """List the cameras and photos; a tap reads one."""
        pages = Pages(row_px=theme.px(56), empty_text=no_photo(self.root.eye.place()))

        def make(row: tuple[str, str]) -> Widget:
            plate = Plate(text=row[1], icon="camera", kind="row", align="left", acts_on="release")
            plate.bind(on_act=lambda _w, _t: self.look(row[0]))
            return plate

        pages.make = make
        pages.items = self._offered = self._offers()
        body.add_widget(pages)

    def tick(self, now_ms: int) -> int | None:  # noqa: ARG002
        """Have photos and cameras looked for that came since the list was drawn; return when to look again."""
        if self.is_offering:
            self.root.eye.search(self._found)
        return _LOOK_AGAIN_MS

    def _found(self) -> None:
        if self.root.screen is self and self.is_offering and self._offers() != self._offered:
            self.refresh(self.root.desk.change)

    def _hold(self, look: Any) -> None:
        """Keep what cancels a look, unless the reader has answered already."""
        if self._look is True:
            self._look = look

    def _add_bar(self, body: Widget) -> None:
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
