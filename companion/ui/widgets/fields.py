"""Ways to enter something: steppers, choices, ticks, the number pad and the dice pad. Never a slider."""

from __future__ import annotations

from kivy.clock import Clock
from kivy.properties import (
    BooleanProperty,
    ListProperty,
    NumericProperty,
    ObjectProperty,
    OptionProperty,
    StringProperty,
)
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout
from kivy.uix.widget import Widget

from companion.pages.numbers import decimal
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets.basic import fitting_font_px, measure
from companion.ui.widgets.tap import Plate, Tap

__all__ = ["Choice", "DicePad", "NumberPad", "Stepper", "TickLine"]

_LEAST_WITH_TICK = 0.75
"""Type size of a choice beside its tick, as a share of its role's; below it the frame alone tells the choice."""


class Stepper(BoxLayout):
    """Minus, a value, plus. `on_step` announces minus or plus `amount`; the owner sets `text`."""

    text = StringProperty("")
    label = StringProperty("")
    amount = NumericProperty(1)
    can_less = BooleanProperty(True)
    can_more = BooleanProperty(True)

    __events__ = ("on_step",)

    def on_step(self, amount: int) -> None:
        """Announce a step."""


class Choice(BoxLayout):
    """Few exclusive choices side by side. `on_choose` announces the key; the owner sets `chosen`."""

    options = ListProperty([])
    """Pairs of key and text."""
    chosen = ObjectProperty(None, allownone=True)
    role = StringProperty("button")

    __events__ = ("on_choose",)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.spacing = theme.px(6)
        self._share_soon = Clock.create_trigger(self._share, -1)
        self.fbind("options", self._build)
        self.fbind("chosen", self._mark)
        self.fbind("size", self._share_soon)
        self._build()

    def on_choose(self, key: object) -> None:
        """Announce what was chosen."""

    def _share(self, *_args: object) -> None:
        """Make all equally wide, but one whose text is not whole in an equal share as wide as that text needs."""
        plates = self.children
        if not plates or self.width <= 1 or self.height <= 1:
            return
        equal = (self.width - self.spacing * (len(plates) - 1)) / len(plates)
        needs = [self._need_px(plate) for plate in plates]
        spare = equal * len(plates) - sum(needs)
        is_uneven = max(needs) > equal and spare >= 0
        for plate, need in zip(plates, needs, strict=True):
            plate.size_hint_x = (need + spare / len(plates)) / equal if is_uneven else 1

    def _need_px(self, plate: Plate) -> float:
        """Return the least width, in steps of a word, at which the text of an option is whole in the least type."""
        font, is_bold = theme.least_font_px, theme.is_bold(self.role)
        beside = plate.padding[0] + plate.padding[2] + theme.px(2)
        room = self.height - plate.padding[1] - plate.padding[3]
        words = plate.text.split()
        heads = sorted(
            measure(" ".join(words[first : last + 1]), font, is_bold)[0]
            for first in range(len(words))
            for last in range(first, len(words))
        )
        least = max((measure(word, font, is_bold)[0] for word in words), default=0.0)
        fitting = (
            wide
            for wide in heads
            if wide >= least and measure(plate.text, font, is_bold, wide + 1)[1] <= room
        )
        return float(next(fitting, heads[-1] if heads else 0.0) + beside)

    def _build(self, *_args: object) -> None:
        self.clear_widgets()
        for key, text in self.options:
            plate = Plate(text=text, kind="quiet", role=self.role, acts_on="release")
            plate.padding = (theme.px(6), theme.px(4))
            plate.icon_px = theme.px(18)
            plate.bind(size=self._mark)
            plate.key = key
            plate.bind(on_act=lambda widget, _touch: self.dispatch("on_choose", widget.key))
            self.add_widget(plate)
        self._mark()
        self._share_soon()

    def _mark(self, *_args: object) -> None:
        for plate in self.children:
            is_chosen = plate.key == self.chosen
            plate.kind = "chosen" if is_chosen else "quiet"
            # The tick tells the choice without colour where there is room; the frame does everywhere.
            most = theme.font_px(self.role)
            room = (max(1.0, plate.width - theme.px(48)), max(1.0, plate.height - theme.px(8)))
            fits_at = fitting_font_px(plate.text, most, theme.px(10), theme.is_bold(self.role), *room, True)
            has_room = fits_at >= _LEAST_WITH_TICK * most
            plate.icon = "check" if is_chosen and has_room else ""


class TickLine(Tap, BoxLayout):
    """A checklist line with its box. Acts on release; `on_act` asks the owner to tick or untick it."""

    text = StringProperty("")
    is_done = BooleanProperty(False)
    key = StringProperty("")
    font_px = NumericProperty(0)
    """Type size of its text; 0: the theme's."""
    acts_on = OptionProperty("release", options=("press", "release"))


class NumberPad(GridLayout):
    """Digits, erase and one more key. `on_key` announces ``0`` to ``9``, ``erase`` or `extra`."""

    extra = StringProperty("")
    """The key left of 0: `DECIMAL`, which shows as the language writes it, a minus; empty: none."""

    __events__ = ("on_key",)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.cols = 3
        self.spacing = theme.px(6)
        self.fbind("extra", self._build)
        self._build()

    def on_key(self, key: str) -> None:
        """Announce a key."""

    def _build(self, *_args: object) -> None:
        self.clear_widgets()
        for key in ("1", "2", "3", "4", "5", "6", "7", "8", "9", self.extra, "0", "erase"):
            plate = Plate(
                text="" if key == "erase" else decimal(key),
                icon="backspace" if key == "erase" else "",
                kind="soft" if key else "bare",
                role="heading",
                is_enabled=bool(key),
            )
            plate.key = key
            if not key:
                plate.opacity = 0
            plate.bind(on_act=self._announce)
            self.add_widget(plate)

    def _announce(self, plate: Widget, _touch: Press) -> None:
        self.dispatch("on_key", plate.key)


class DicePad(GridLayout):
    """One key a face of a die. `on_face` announces the value; every press is one die."""

    faces = NumericProperty(12)

    __events__ = ("on_face",)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.spacing = theme.px(6)
        self.fbind("faces", self._build)
        self._build()

    def on_face(self, value: int) -> None:
        """Announce a die."""

    def _build(self, *_args: object) -> None:
        self.clear_widgets()
        count = int(self.faces)
        self.cols = 3 if count <= 6 else 5 if count == 10 else 6
        if theme.is_portrait:
            self.cols = min(self.cols, 5 if count == 10 else 4 if count > 6 else 3)
        for value in range(1, count + 1):
            plate = Plate(text=str(value), kind="soft", role="heading")
            plate.value = value
            plate.bind(on_act=lambda widget, _touch: self.dispatch("on_face", widget.value))
            self.add_widget(plate)
