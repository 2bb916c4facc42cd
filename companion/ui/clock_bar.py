"""What tells whose time runs on every screen of a game: the line at the top, the clocks as chips, the ticks of the stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kivy.clock import Clock
from kivy.graphics import Color, InstructionGroup, Rectangle
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.core.change import Change
from companion.core.ids import Millis
from companion.pages.clocks import ClockFace, clock_face
from companion.pages.frame import Mark, StripCell
from companion.pages.settings import Settings
from companion.ui.still import RUN_LINE_PX
from companion.ui.theme import theme
from companion.ui.widgets import Digits, Emblem, Icon, Panel, Tap, Text
from companion.ui.widgets.basic import measure

__all__ = ["ClockBar", "RunLine", "Ticks"]


class RunLine(Widget):
    """A line across the window in the colour of whoever acts; of several, a part each."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(size_hint_y=None, height=theme.px(RUN_LINE_PX), **kwargs)
        self._tones: tuple[str, ...] = ()
        self._parts = InstructionGroup()
        self.canvas.add(self._parts)
        self._draw_soon = Clock.create_trigger(self._draw, -1)
        self.bind(pos=self._draw_soon, size=self._draw_soon)

    def show(self, actors: Sequence[Mark], is_calm: bool) -> None:
        """Take who acts; `is_calm` while nobody's time can run, as in a pause."""
        tones = tuple(mark.tone for mark in actors) if actors and not is_calm else ("line",)
        if tones != self._tones:
            self._tones = tones
            self._draw_soon()

    def _draw(self, *_args: object) -> None:
        self._parts.clear()
        wide = self.width / max(1, len(self._tones))
        for n, tone in enumerate(self._tones):
            self._parts.add(Color(*theme.color(tone)))
            self._parts.add(Rectangle(pos=(round(self.x + n * wide), self.y), size=(wide, self.height)))


class Ticks(Widget):
    """The cells of the stage as small marks, where the strip of the stage has no room."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(size_hint_y=None, height=theme.px(5), **kwargs)
        self._cells: tuple[str, ...] = ()
        self._marks = InstructionGroup()
        self.canvas.add(self._marks)
        self._draw_soon = Clock.create_trigger(self._draw, -1)
        self.bind(pos=self._draw_soon, size=self._draw_soon)

    def show(self, cells: Sequence[StripCell]) -> None:
        """Take the newest cells."""
        states = tuple(cell.state for cell in cells)
        if states != self._cells:
            self._cells = states
            self._draw_soon()

    def _draw(self, *_args: object) -> None:
        self._marks.clear()
        count = len(self._cells)
        if count < 2 or self.width < theme.px(20):
            return
        gap = theme.px(3)
        wide = min(theme.px(18), (self.width - gap * (count - 1)) / count)
        for n, state in enumerate(self._cells):
            tone = {"now": "accent", "done": "line"}.get(state, "raised")
            self._marks.add(Color(*theme.color(tone)))
            self._marks.add(Rectangle(pos=(self.x + n * (wide + gap), self.y), size=(wide, self.height)))


class ClockChip(Tap, Panel):
    """A side's clock in a line: emblem, name where there is room, digits, and what it does."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(acts_on="release", padding=(theme.px(10), 0), spacing=theme.px(6), **kwargs)
        self._emblem = Emblem(size_hint_x=None, width=theme.px(15))
        self._name = Text(wraps=False, size_hint_x=None, width=0)
        self.digits = Digits(template="00:00", most_font_px=_FONT * theme.scale, size_hint_x=None)
        self._sign = Icon(size_px=theme.px(15), size_hint_x=None, width=theme.px(15))
        for widget in (self._emblem, self._name, self.digits, self._sign):
            self.add_widget(widget)
        self._shown: tuple[object, ...] = ()

    def need_px(self, face: ClockFace, *, has_name: bool) -> float:
        """Return the width that this clock needs."""
        fixed = theme.px(10) * 2 + theme.px(15) * 2 + theme.px(6) * 2 + self._digits_px(face.text)
        return fixed + (self._name_px(face) + theme.px(6) if has_name else 0)

    @staticmethod
    def _name_px(face: ClockFace) -> float:
        return measure(face.mark.name, theme.font_px("body"), False)[0] + theme.px(2)

    @staticmethod
    def _digits_px(text: str) -> float:
        figures = sum(char.isdigit() for char in text)
        em = max(2.62, 0.585 * figures + 0.3 * (len(text) - figures))
        return em * _FONT * theme.scale

    def show(self, face: ClockFace, *, is_hidden: bool, has_name: bool) -> None:
        """Take the newest face; when only the digits have changed, nothing else is touched."""
        self.digits.is_hidden = is_hidden
        self.digits.text = face.text
        look = (face.mark, face.is_running, face.level, has_name, len(face.text))
        if look == self._shown:
            return
        self._shown = look
        self.digits.width = self._digits_px(face.text)
        is_lit, is_low = face.is_running, face.level in ("last", "fallen")
        self.ground = face.mark.tone if is_lit else "surface"
        self.outline = "clear" if is_lit else "danger" if is_low else "line"
        ink = "on_side" if is_lit else "text"
        self._emblem.emblem, self._emblem.tone = face.mark.emblem, ink if is_lit else face.mark.tone
        self._name.text, self._name.tone = (face.mark.name, "on_side" if is_lit else "muted")
        if not has_name:
            self._name.text = ""
        self._name.width = self._name_px(face) if has_name else 0
        self._name.opacity = 1 if has_name else 0
        self.digits.tone = "on_side" if is_lit else "muted" if face.level == "fallen" else "text"
        self._sign.name = "flag" if face.level == "fallen" else "play" if is_lit else ""
        self._sign.tone = "on_side" if is_lit else "danger"


_FONT = 26
"""Size of the digits at 800x480: table text."""


class ClockBar(BoxLayout):
    """The clocks of all sides as chips; a tap opens the Clocks."""

    def __init__(self, go: Callable[[], None], **kwargs: object) -> None:
        super().__init__(spacing=theme.px(8), size_hint_y=None, height=theme.target_px, **kwargs)
        self._go = go
        self._chips: list[ClockChip] = []
        self.room_px = 0.0
        """The width that the chips may take; 0: what they need."""

    @property
    def moving(self) -> tuple[Digits, ...]:
        """The digits that tick."""
        return tuple(chip.digits for chip in self._chips)

    def show(self, change: Change, now_ms: Millis, settings: Settings) -> Millis | None:
        """Show an instant; return after how long a digit changes. A game that keeps no time has no chips."""
        setup = change.state.frozen_setup
        faces = [
            clock_face(change.state, info.id, now_ms, tenths=settings.tenths)
            for info in setup.sides
            if change.state.clocks.config.mode != "none"
        ]
        faces = [face for face in faces if face.text]
        if settings.swap_seats:
            faces.reverse()
        self._lay(len(faces))
        if not faces:
            return None
        gaps = theme.px(8) * (len(faces) - 1)
        needs = [chip.need_px(face, has_name=True) for chip, face in zip(self._chips, faces, strict=True)]
        room = self.room_px or theme.width_px
        has_name = sum(needs) + gaps <= room
        for chip, face in zip(self._chips, faces, strict=True):
            chip.show(face, is_hidden=settings.hide_clock, has_name=has_name)
            width = chip.need_px(face, has_name=has_name)
            if chip.size_hint_x is None and chip.width != width:
                chip.width = width
        if self.size_hint_x is None:
            self.width = sum(chip.width for chip in self._chips) + gaps
        return min((face.changes_in_ms for face in faces if face.changes_in_ms is not None), default=None)

    def _lay(self, count: int) -> None:
        if len(self._chips) == count:
            return
        self.clear_widgets()
        is_fixed = self.size_hint_x is None
        self._chips = [ClockChip(size_hint_x=None if is_fixed else 1) for _n in range(count)]
        for chip in self._chips:
            chip.bind(on_act=lambda _w, _touch: self._go())
            self.add_widget(chip)
        if not count:
            self.width = 0
            self.height = 0
