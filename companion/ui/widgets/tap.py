"""What can be touched: `Tap`, the behaviour, and `Plate`, the one button of the house in its kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kivy.clock import Clock
from kivy.graphics import Color, InstructionGroup, SmoothRoundedRectangle
from kivy.properties import BooleanProperty, NumericProperty, OptionProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.ui.theme import mixed, theme
from companion.ui.touch import Press, Touch
from companion.ui.widgets.basic import Icon, Text, fitting_font_px, measure

__all__ = ["Plate", "Tap", "keep_even", "set_evenly"]


class Tap(Widget):
    """Something that acts when touched. `on_act` carries the touch, whose sight gives the press stamp.

    Main and clock acts act on press; list rows on release, and only when the finger did not travel. Each finger
    is its own press: a palm elsewhere on the screen blocks nothing. A disabled tap lets nothing through either.
    """

    acts_on = OptionProperty("press", options=("press", "release"))
    is_enabled = BooleanProperty(True)
    is_pressed = BooleanProperty(False)

    __events__ = ("on_act",)

    def on_act(self, touch: Touch) -> None:
        """Announce the act; kv files and parents bind to it."""

    def on_touch_down(self, touch: Touch) -> bool:
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

    def on_touch_move(self, touch: Touch) -> bool:
        """Keep the finger while it is ours."""
        return touch.grab_current is self

    def on_touch_up(self, touch: Touch) -> bool:
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


def _is_stale(touch: Press) -> bool:
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
    """A button: an icon, a text, or both, in a kind (main, soft, quiet, bare, danger, chosen, row).

    Its parts are made when they are first shown: most buttons have two of the five, and buttons are most of what a
    screen is made of, in memory and in the time it takes to build.
    """

    text = StringProperty("")
    sub = StringProperty("")
    """A second, quieter line."""
    icon = StringProperty("")
    icon_after = StringProperty("")
    kind = OptionProperty("soft", options=tuple(_KINDS))
    role = StringProperty("button")
    align = OptionProperty("center", options=("left", "center", "right"))
    icon_px = NumericProperty(0)
    tone = StringProperty("")
    """Another colour token for text and icon."""
    side_px = NumericProperty(0)
    """Room at the left and right edge; 0: the usual."""
    gap_px = NumericProperty(0)
    """Room between icon and text."""
    font_px = NumericProperty(0)
    """Type size where the role's own is not wanted; 0: the role's."""

    def __init__(self, **kwargs: object) -> None:
        self._ink = self._sub_ink = "text"
        self._shown: tuple[bool, ...] = ()
        self._parts: dict[str, Widget] = {}
        self._edge: tuple[Any, Any] | None = None
        self._fill: tuple[Any, Any] | None = None
        super().__init__(**kwargs)
        self._ground = InstructionGroup()
        self.canvas.before.insert(0, self._ground)
        for name in ("kind", "is_pressed", "is_enabled", "tone"):
            self.fbind(name, self._paint)
        for name in (
            "text", "sub", "icon", "icon_after", "role", "align", "width", "orientation", "padding", "gap_px", "icon_px",
            "font_px",
        ):  # fmt: skip
            self.fbind(name, self._arrange)
        self.fbind("pos", self._place)
        self.fbind("size", self._place)
        self._paint()

    def _arrange(self, *_args: object) -> None:
        """Show the parts there are; set icon and text as one group in the middle, where they fit on one line."""
        shown = (bool(self.icon), bool(self.text), bool(self.sub and self.text), bool(self.icon_after))
        if shown != self._shown:
            self._shown = shown
            self._assemble()
        is_flat = self.orientation == "horizontal"
        self.spacing = 0 if is_flat or not (self.icon and self.text) else self.gap_px
        lead, align = 0.0, self.align
        if self.icon and self.text and align == "center" and is_flat:
            room = self.width - self.padding[0] - self.padding[2] - self.icon_px - self.gap_px
            wide = measure(self.text, theme.font_px(self.role), theme.is_bold(self.role))[0] + theme.px(2)
            if 0 < wide < room:
                lead, align = (room - wide) / 2, "left"
        if self.icon:
            icon = self._parts["icon"]
            icon.name, icon.tone, icon.size_px = self.icon, self._ink, self.icon_px
            is_lead = bool(self.text) and is_flat
            icon.lead_px = lead if is_lead else None
            icon.size_hint_x = None if is_lead else 1
            icon.width = lead + self.icon_px + self.gap_px if is_lead else 0
        if self.text:
            text = self._parts["text"]
            text.text, text.role, text.tone, text.align = self.text, self.role, self._ink, align
            text.most_font_px = self.font_px
        if self.text and self.sub:
            sub = self._parts["sub"]
            sub.text, sub.tone, sub.align = self.sub, self._sub_ink, align
        if self.icon_after:
            after, gap = self._parts["after"], self.gap_px if self.text else 0
            after.name, after.tone, after.size_px = self.icon_after, self._ink, self.icon_px
            after.lead_px, after.width = gap, self.icon_px + gap

    def _assemble(self) -> None:
        """Put the parts that are shown into the row, in order; make those that are new."""
        has_icon, has_text, has_sub, has_after = self._shown
        self.clear_widgets()
        if "lines" in self._parts:
            self._parts["lines"].clear_widgets()
        if has_icon:
            self.add_widget(self._part("icon", Icon))
        if has_sub:
            lines = self._part("lines", BoxLayout, orientation="vertical")
            lines.add_widget(self._part("text", Text))
            lines.add_widget(self._part("sub", Text, role="small", size_hint_y=0.8))
            self.add_widget(lines)
        elif has_text:
            self.add_widget(self._part("text", Text))
        if has_after:
            self.add_widget(self._part("after", Icon, size_hint_x=None))

    def _part(self, name: str, make: Callable[..., Widget], **kwargs: object) -> Widget:
        if name not in self._parts:
            self._parts[name] = make(**kwargs)
        return self._parts[name]

    def _paint(self, *_args: object) -> None:
        ground, ink, outline = _KINDS[self.kind]
        fill = theme.color(ground)
        edge = theme.color(outline)
        if self.is_pressed:
            over = theme.color("text" if self.kind != "main" else "on_accent")
            base = fill if fill[3] else theme.color("surface")
            fill = mixed(base, over, 0.22)
        if not self.is_enabled:
            ink = "off"
            fill = theme.color("clear")
            edge = theme.color("line", theme.palette.off_edge)
        self._ink = self.tone if self.tone and self.is_enabled else ink
        self._sub_ink = ink if self.kind in ("main", "danger") else "muted"
        self._lay_ground(fill, edge)
        self._arrange()

    def _lay_ground(self, fill: Sequence[float], edge: Sequence[float]) -> None:
        """Draw an outline where there is one, and the area in it where either is seen."""
        wanted = (bool(edge[3]), bool(fill[3] or edge[3]))
        if wanted != (self._edge is not None, self._fill is not None):
            self._ground.clear()
            self._edge, self._fill = (
                (Color(0, 0, 0, 0), SmoothRoundedRectangle(radius=[theme.radius_px])) if is_drawn else None
                for is_drawn in wanted
            )
            for drawn in (*(self._edge or ()), *(self._fill or ())):
                self._ground.add(drawn)
            if self._edge is not None and self._fill is not None:
                self._fill[1].radius = [theme.radius_px - theme.px(1.6)]
        if self._edge is not None:
            self._edge[0].rgba = edge
        if self._fill is not None:
            self._fill[0].rgba = fill if fill[3] else theme.color("ground")
        self._place()

    def _place(self, *_args: object) -> None:
        inset = 0.0
        if self._edge is not None:
            inset = theme.px(1.6)
            self._edge[1].pos, self._edge[1].size = self.pos, self.size
        if self._fill is not None:
            self._fill[1].pos = (self.x + inset, self.y + inset)
            self._fill[1].size = (self.width - 2 * inset, self.height - 2 * inset)


def set_evenly(plates: Iterable[Plate]) -> None:
    """Set the texts of plates that stand side by side in one type size: the largest at which every one fits its width."""
    named = [plate for plate in plates if plate.text]
    sizes = [
        fitting_font_px(
            plate.text, theme.font_px(plate.role), theme.least_font_px, theme.is_bold(plate.role),
            max(1.0, plate.width - plate.padding[0] - plate.padding[2]), 1e6, True,
        )
        for plate in named
    ]  # fmt: skip
    for plate in named:
        plate.font_px = min(sizes)


def keep_even(plates: Iterable[Plate]) -> None:
    """Set plates that stand side by side evenly now and whenever their widths change."""
    kept = list(plates)
    even = Clock.create_trigger(lambda _dt: set_evenly(kept), -1)
    for plate in kept:
        plate.fbind("width", lambda *_args: even())
    even()
