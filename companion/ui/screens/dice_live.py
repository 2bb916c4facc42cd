"""The live view of a dice tray: a small moving picture, and beside it one line on what goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.graphics import Color, Rectangle
from kivy.graphics.texture import Texture
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.pages.dice_live import LiveView, live_line
from companion.pages.i18n import _
from companion.ui.theme import theme
from companion.ui.widgets import Plate, Progress, Text

__all__ = ["LivePanel", "LivePicture"]


class LivePicture(Widget):
    """The newest frame, as large as its box allows; one texture for all frames of a size."""

    def __init__(self, **kwargs: object) -> None:
        """Show nothing yet."""
        super().__init__(**kwargs)
        self._texture: Any = None
        with self.canvas:
            self._color = Color(*theme.color("surface"))
            self._rect = Rectangle()
        self.fbind("pos", self._place)
        self.fbind("size", self._place)

    def show(self, width_px: int, height_px: int, rgb: bytes) -> None:
        """Show a frame: rows from the top, three bytes a pixel."""
        if self._texture is None or tuple(self._texture.size) != (width_px, height_px):
            self._texture = Texture.create(size=(width_px, height_px), colorfmt="rgb")
            self._texture.flip_vertical()
            self._rect.texture = self._texture
            self._color.rgba = (1, 1, 1, 1)
        self._texture.blit_buffer(rgb, colorfmt="rgb", bufferfmt="ubyte")
        self._place()
        self.canvas.ask_update()

    def _place(self, *_args: object) -> None:
        if self._texture is None:
            self._rect.pos, self._rect.size = self.pos, self.size
            return
        wide, tall = self._texture.size
        scale = min(self.width / wide, self.height / tall)
        self._rect.size = (round(wide * scale), round(tall * scale))
        self._rect.pos = (
            round(self.center_x - self._rect.size[0] / 2),
            round(self.center_y - self._rect.size[1] / 2),
        )


class LivePanel(BoxLayout):
    """What stands beside the picture: the state, advice or trouble, how far the reading is, and two buttons."""

    def __init__(
        self, *, is_camera: bool, on_read: Callable[[], None], on_cancel: Callable[[], None], **kwargs: object
    ) -> None:
        """Show nothing yet; a folder has nothing to be read now."""
        super().__init__(orientation="vertical", spacing=theme.px(6), **kwargs)
        self.is_camera = is_camera
        self.line = Text(role="heading", size_hint_y=None, height=theme.px(56 if theme.is_portrait else 92))
        self.words = Text(role="small", tone="muted")
        self.bar = Progress(size_hint_y=None, height=theme.px(18))
        self.read = Plate(acts_on="release", size_hint_y=None, height=theme.target_px)
        self.read.bind(on_act=lambda _w, _t: on_read())
        cancel = Plate(
            text=_("Cancel"), kind="quiet", acts_on="release", size_hint_y=None, height=theme.target_px
        )
        cancel.bind(on_act=lambda _w, _t: on_cancel())
        for one in (self.line, self.words, self.bar, *((self.read,) if is_camera else ()), cancel):
            self.add_widget(one)

    def show(self, view: LiveView) -> None:
        """Show a state; what has not changed is not drawn again."""
        self.line.text = (
            ""
            if view.problem and view.state == "opening"
            else live_line(view.state, is_camera=self.is_camera)
        )
        self.words.tone = "danger" if view.problem else "muted"
        self.words.text = view.problem or " ".join(text[:1].upper() + text[1:] + "." for text in view.advice)
        self.read.text = _("Read again") if view.state == "read" else _("Read now")
        self.read.disabled = view.state in ("closing", "opening", "reading")
        self.bar.opacity = 1.0 if view.state == "reading" else 0.0
