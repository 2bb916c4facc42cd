"""What can be touched: `Tap`, the behaviour, and `Plate`, the one button of the house in its kinds."""

from __future__ import annotations

from typing import Any

from kivy.properties import BooleanProperty, ColorProperty, NumericProperty, OptionProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.ui.theme import mixed, theme
from companion.ui.widgets.basic import measure

__all__ = ["Plate", "Tap"]


class Tap(Widget):
    """Something that acts when touched. `on_act` carries the touch, whose sight gives the press stamp.

    Main and clock acts act on press; list rows on release, and only when the finger did not travel. Each finger
    is its own press: a palm elsewhere on the screen blocks nothing. A disabled tap lets nothing through either.
    """

    acts_on = OptionProperty("press", options=("press", "release"))
    is_enabled = BooleanProperty(True)
    is_pressed = BooleanProperty(False)

    __events__ = ("on_act",)

    def on_act(self, touch: Any) -> None:
        """Announce the act; kv files and parents bind to it."""

    def on_touch_down(self, touch: Any) -> bool:
        """Take the press when it is ours."""
        if not self.collide_point(*touch.pos) or getattr(touch, "is_mouse_scrolling", False):
            return False
        if getattr(touch, "button", "left") not in ("left", None):
            return False
        if not self.is_enabled:
            return True
        touch.grab(self)
        self.is_pressed = True
        if self.acts_on == "press":
            self.dispatch("on_act", touch)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        """Keep the finger while it is ours."""
        return touch.grab_current is self

    def on_touch_up(self, touch: Any) -> bool:
        """Let go, and act where release acts."""
        if touch.grab_current is not self:
            return False
        touch.ungrab(self)
        self.is_pressed = False
        travelled = max(abs(touch.x - touch.ox), abs(touch.y - touch.oy))
        if (
            self.acts_on == "release"
            and not _is_stale(touch)
            and self.is_enabled
            and self.collide_point(*touch.pos)
            and travelled <= theme.px(24)
        ):
            self.dispatch("on_act", touch)
        return True


def _is_stale(touch: Any) -> bool:
    """Say whether another screen or dialog has come up since the finger went down."""
    stale = getattr(touch, "is_stale", None)
    return stale is not None and bool(stale())


_KINDS = {
    # kind: (ground, text, outline)
    "main": ("accent", "on_accent", "clear"),
    "soft": ("raised", "text", "clear"),
    "quiet": ("clear", "text", "line"),
    "bare": ("clear", "text", "clear"),
    "danger": ("danger", "on_danger", "clear"),
    "chosen": ("raised", "text", "accent"),
    "row": ("surface", "text", "clear"),
}


class Plate(Tap, BoxLayout):
    """A button: an icon, a text, or both, in a kind (main, soft, quiet, bare, danger, chosen, row)."""

    text = StringProperty("")
    sub = StringProperty("")
    """A second, quieter line."""
    icon = StringProperty("")
    icon_after = StringProperty("")
    kind = OptionProperty("soft", options=tuple(_KINDS))
    role = StringProperty("button")
    align = OptionProperty("center", options=("left", "center", "right"))
    fill = ColorProperty((0, 0, 0, 0))
    edge = ColorProperty((0, 0, 0, 0))
    ink = StringProperty("text")
    sub_ink = StringProperty("muted")
    icon_px = NumericProperty(0)
    tone = StringProperty("")
    """Another colour token for text and icon."""
    gap_px = NumericProperty(0)
    """Room between icon and text."""
    lead_px = NumericProperty(0)
    text_align = StringProperty("center")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for name in ("kind", "is_pressed", "is_enabled", "tone"):
            self.fbind(name, self._paint)
        for name in ("text", "icon", "role", "align", "width", "orientation", "padding", "gap_px"):
            self.fbind(name, self._arrange)
        self._paint()
        self._arrange()

    def _arrange(self, *_args: Any) -> None:
        """Set icon and text as one group in the middle, where they fit on one line."""
        self.lead_px = 0
        self.text_align = self.align
        if not (self.icon and self.text and self.align == "center" and self.orientation == "horizontal"):
            return
        room = self.width - self.padding[0] - self.padding[2] - self.icon_px - self.gap_px
        wide = measure(self.text, theme.font_px(self.role), theme.is_bold(self.role))[0] + theme.px(2)
        if 0 < wide < room:
            self.lead_px = (room - wide) / 2
            self.text_align = "left"

    def _paint(self, *_args: Any) -> None:
        ground, ink, outline = _KINDS[self.kind]
        fill = theme.color(ground)
        edge = theme.color(outline)
        if self.is_pressed:
            over = theme.color("text" if self.kind != "main" else "on_accent")
            base = fill if fill[3] else theme.color("surface")
            fill = mixed(base, over, 0.22)
        if not self.is_enabled:
            ink = "muted"
            fill = theme.color("surface" if fill[3] else "clear")
            edge = theme.color("line", 0.5)
        self.fill, self.edge = fill, edge
        self.ink = self.tone if self.tone and self.is_enabled else ink
        self.sub_ink = ink if self.kind in ("main", "danger") else "muted"
