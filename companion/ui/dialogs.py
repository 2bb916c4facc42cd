"""Dialogs: ask, confirm, choose, enter a number or the arbiter's PIN, and help.

A dialog lies over everything, darkens it and swallows every touch beside its own buttons; a tap on its edge or
outside does nothing. Its buttons act on release. `build` makes the content anew, so that a change of theme or size
finds it too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.lang import Builder
from kivy.properties import NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.widget import Widget

from companion.pages.i18n import _
from companion.pages.numbers import DECIMAL, decimal
from companion.ui.theme import theme
from companion.ui.touch import Press, Touch
from companion.ui.widgets import NumberPad, Pages, Plate, Text
from companion.ui.widgets.basic import measure

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = [
    "Choose",
    "Confirm",
    "Dialog",
    "Help",
    "NumberEntry",
    "PinEntry",
    "Report",
]

Act = Callable[[Press | None], None]

_LEAST_LIST = 104
"""Height that a list of a few rows has at least on its card."""


class DialogCard(BoxLayout):
    """The card in the middle."""


class Dialog(FloatLayout):
    """Base: a title, a text, a content and a row of buttons. Subclasses fill `content` and `buttons`."""

    title = StringProperty("")
    text = StringProperty("")
    card_width = NumericProperty(560)
    """Width of the card at 800x480."""
    card_height = NumericProperty(300)
    """Height of the card at 800x480; it grows in portrait."""
    is_closable = True
    """Whether the back key closes it without an answer."""
    closes_beside = False
    """Whether a tap beside the card closes it; only where nothing is asked and nothing can be lost."""
    takes_text = False
    """Whether signs that a real keyboard types come to `take_text`; its letters then mean nothing else."""

    def __init__(self, title: str, text: str = "", **kwargs: object) -> None:
        super().__init__(title=title, text=text, **kwargs)
        self.root: Root | None = None

    def content(self) -> Widget:
        """Return the widget between text and buttons, or None."""
        return None

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Return the buttons from left to right: text, kind, what it does (None: just close)."""
        return ((_("Close"), "main", None),)

    def build(self) -> None:
        """Make card and content anew."""
        self.clear_widgets()
        card = DialogCard()
        most_width = theme.width_px - theme.px(24)
        most_height = theme.height_px - theme.px(24)
        card.width = min(theme.px(self.card_width), most_width)
        card.height = min(theme.px(self.card_height) * (1.25 if theme.is_portrait else 1.0), most_height)
        card.title_text, card.body_text = self.title, self.text
        self.add_widget(card)
        inner = self.content()
        if inner is not None:
            card.ids.slot.add_widget(inner)
            if isinstance(inner, Pages):
                card.ids.buttons.add_widget(inner.lend_bar())
        buttons = self.buttons()
        if not buttons:
            card.ids.buttons.height = 0
        if inner is None:
            self._fit(card, most_height)
        elif isinstance(inner, Pages) and not inner.has_own_heights:
            card.height = min(card.height, self._around_px(card) + max(inner.want_px, theme.px(_LEAST_LIST)))
        for text, kind, act in buttons:
            plate = Plate(text=text, kind=kind, acts_on="release")
            plate.bind(on_act=lambda _w, touch, act=act: self._press(act, touch))
            card.ids.buttons.add_widget(plate)

    @staticmethod
    def _around_px(card: Widget) -> float:
        """Return the height of a card without what is in its slot."""
        others = sum(child.height for child in card.children if child is not card.ids.slot.__self__)
        return float(others + card.padding[1] + card.padding[3] + 3 * card.spacing)

    def _fit(self, card: Widget, most_px: float) -> None:
        """Make a card that only says something as high as its words."""
        body = card.ids.body
        wide = measure(
            self.text, theme.font_px("body"), False, card.width - card.padding[0] - card.padding[2]
        )[1]
        body.height = round(wide + theme.px(16)) if self.text else 0
        card.ids.slot.size_hint_y, card.ids.slot.height = None, 0
        card.height = min(most_px, round(self._around_px(card)))
        if card.height == most_px:
            body.size_hint_y = 1

    def _press(self, act: Act | None, touch: Press | None) -> None:
        self.close()
        if act is not None:
            act(touch)

    def close(self) -> None:
        """Go away; twice is safe."""
        if self.root is not None:
            self.root.dismiss(self)

    def on_touch_down(self, touch: Touch) -> bool:
        """Give the touch to the card's content, and swallow it in any case."""
        if self.closes_beside and not any(card.collide_point(*touch.pos) for card in self.children):
            self.close()
        else:
            super().on_touch_down(touch)
        return True

    def take_text(self, text: str) -> None:
        """Take what a real keyboard typed, where `takes_text` says so."""

    def on_key(self, name: str, event: Press) -> None:
        """Main key presses the last button; back closes where that is allowed."""
        if name == "main":
            text, _kind, act = tuple(self.buttons())[-1]
            if text:
                self._press(act, event)
        elif name in ("back", "previous") and self.is_closable:
            self.close()


class Confirm(Dialog):
    """Ask once before something is lost. The yes button names what it does."""

    def __init__(self, title: str, text: str, yes: str, act: Act, *, is_danger: bool = False) -> None:
        super().__init__(title, text)
        self.card_height = 240
        self._yes, self._act, self._is_danger = yes, act, is_danger

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Cancel, and the act."""
        return ((_("Cancel"), "quiet", None), (self._yes, "danger" if self._is_danger else "main", self._act))


_MOST_READ = 2
"""Options in more columns than these are read at a glance."""


class Choose(Dialog):
    """Choose one of several: each option is a row; a choice closes the dialog."""

    def __init__(
        self,
        title: str,
        options: Sequence[tuple[object, str]],
        act: Callable[[Any], None],
        text: str = "",
        *,
        columns: int = 1,
        no: str = "",
    ) -> None:
        super().__init__(title, text)
        self._no = no
        self.card_height = 430 if columns == 1 else 460
        self.card_width = 560 if columns == 1 else 780
        self._options, self._act, self._columns = tuple(options), act, columns

    def content(self) -> Widget:
        """Pages of options."""
        many = self._columns > 1
        columns = 2 if many and theme.is_portrait else self._columns
        pages = Pages(row_px=theme.px(48 if many else 52), columns=columns)
        pages.make = self._row
        pages.items = list(self._options)
        return pages

    def _row(self, option: tuple[object, str]) -> Widget:
        # Short texts in many columns are keys; longer ones are lines to read.
        align = "center" if self._columns > _MOST_READ else "left"
        plate = Plate(text=option[1], kind="soft", align=align, acts_on="release")
        plate.bind(on_act=lambda _w, _touch: self._chosen(option[0]))
        return plate

    def _chosen(self, key: object) -> None:
        self.close()
        self._act(key)

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Only a way out."""
        return ((self._no or _("Cancel"), "quiet", None),)

    def on_key(self, name: str, event: Press) -> None:  # noqa: ARG002
        """Back closes."""
        if name in ("back", "previous"):
            self.close()


_HINT, _HINT_LINES = 376, 40
"""The width of a line above a number pad, and the height of the two that leave its keys large enough."""


class NumberEntry(Dialog):
    """Enter a number on a pad. `check` returns a fault as text, or None; then `act` gets the text.

    The text has a point before its fraction, whatever sign the language in use shows there.
    """

    takes_text = True
    value = StringProperty("")

    def __init__(
        self,
        title: str,
        act: Callable[[str], None],
        *,
        text: str = "",
        extra: str = "",
        is_secret: bool = False,
        check: Callable[[str], str | None] | None = None,
        most: int = 8,
        is_done_by_last: bool = False,
        done: str = "",
    ) -> None:
        """Ask for a number of at most so many signs; the last of them enters it where `is_done_by_last` says so."""
        # A text of up to two lines stands where a fault would, so that the keys stay large.
        self._hint_px = max(theme.px(20), measure(text, theme.least_font_px, False, theme.px(_HINT))[1])
        self._hint = text if self._hint_px <= theme.px(_HINT_LINES) else ""
        super().__init__(title, "" if self._hint else text)
        self.card_width, self.card_height = 420, 456
        self._act, self._extra, self._is_secret, self._done = act, extra, is_secret, done
        self._check, self._most, self._is_done_by_last = check, most, is_done_by_last
        self._line: Any = None
        self._fault: Any = None

    def content(self) -> Widget:
        """The value and the pad."""
        box = BoxLayout(orientation="vertical", spacing=theme.px(6))
        self._line = Text(role="title", align="center", size_hint_y=None, height=theme.px(40), wraps=False)
        high = self._hint_px if self._hint else theme.px(20)
        self._fault = Text(role="small", align="center", size_hint_y=None, height=high)
        self._fault.text, self._fault.tone = self._hint, "muted"
        box.add_widget(self._line)
        box.add_widget(self._fault)
        pad = NumberPad(extra=self._extra)
        pad.bind(on_key=lambda _w, key: self.type(key))
        box.add_widget(pad)
        self._show()
        return box

    def type(self, key: str) -> None:
        """Take a key of the pad."""
        if key == "erase":
            self.value = self.value[:-1]
        elif len(self.value) < self._most and not (key == DECIMAL and key in self.value):
            self.value += key
        if self._fault is not None:
            self._fault.text = ""
        self._show()
        if self._is_done_by_last and key != "erase" and len(self.value) == self._most:
            self._press(lambda _touch: None, None)

    def _show(self) -> None:
        if self._line is not None:
            shown = "•" * len(self.value) if self._is_secret else self.value
            if self._extra == DECIMAL:
                shown = decimal(shown)
            self._line.text = shown or "–"

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Cancel and done."""
        return ((_("Cancel"), "quiet", None), (self._done or _("Done"), "main", lambda _t: None))

    def _press(self, act: Act | None, touch: Press | None) -> None:
        if act is None:
            super()._press(None, touch)
            return
        fault = self._check(self.value) if self._check is not None else None
        if fault is not None:
            self._fault.text, self._fault.tone = fault, "danger"
            if self._is_secret:
                self.value = ""
                self._show()
            return
        self.close()
        self._act(self.value)

    def on_key(self, name: str, event: Press) -> None:
        """Erase erases, main is done; digits come as text."""
        if name == "erase":
            self.type("erase")
        else:
            super().on_key(name, event)

    def take_text(self, text: str) -> None:
        """Take the digits that a real keyboard typed, and the pad's one more key; a comma is a point too."""
        for sign in text.replace(",", DECIMAL) if self._extra == DECIMAL else text:
            if sign in "0123456789" or (self._extra and sign == self._extra):
                self.type(sign)


class PinEntry(NumberEntry):
    """The arbiter's PIN, tried beside the drawing thread; a wrong one is said and cleared."""

    def __init__(self, check: Callable[[str], bool], act: Callable[[], None]) -> None:
        super().__init__(_("Arbiter's PIN"), lambda _value: act(), is_secret=True, done=_("Unlock"))
        self._is_right = check

    def _press(self, act: Act | None, touch: Press | None) -> None:
        if act is None or self.root is None:
            super()._press(act, touch)
            return
        pin, self.value = self.value, ""
        self._show()
        self.root.work(lambda: self._is_right(pin), self._tried)

    def _tried(self, is_right: bool) -> None:
        if is_right:
            self.close()
            self._act("")
        else:
            self._fault.text = _("Wrong PIN")


class Help(Dialog):
    """What a screen is for, in pages. A tap beside it, its own key and the back key close it."""

    closes_beside = True

    def __init__(self, title: str, lines: Sequence[tuple[str, str]]) -> None:
        super().__init__(title)
        self.card_width, self.card_height = 700, 620 if theme.is_portrait else 440
        self._lines = lines

    def content(self) -> Widget:
        """One line a row."""
        pages = Pages(row_px=theme.px(54) * (1.0, 1.25, 1.5)[theme.text_step])
        pages.text_of = lambda line: line[1]
        wide = min(theme.px(self.card_width), theme.width_px - theme.px(24)) - theme.px(40)
        pages.inset_px = 0.3 * wide + theme.px(12)
        # As high as the longest line in the least type, so that a page takes no more lines than it can show whole.
        least = (
            measure(text, theme.least_font_px, False, wide - pages.inset_px)[1] for _what, text in self._lines
        )
        pages.row_px = max(pages.row_px, max(least, default=0.0) + theme.px(6))
        pages.make = lambda line: HelpLine(head=line[0], text=line[1], font_px=pages.font_px)
        pages.items = self._lines
        return pages

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """The tour, and close."""
        return ((_("Show the tour"), "quiet", self._tour), (_("Close"), "main", None))

    def on_key(self, name: str, event: Press) -> None:
        """Help's own key closes it too."""
        if name == "help":
            self.close()
        else:
            super().on_key(name, event)

    def _tour(self, _touch: Press | None) -> None:
        if self.root is not None:
            from companion.ui.tour import start_tour

            start_tour(self.root)


class Report(Help):
    """A long text that could not be saved, to be read or photographed; lines of ``what: text`` stand side by side."""

    def __init__(self, title: str, text: str) -> None:
        lines = [line.partition(": ") for line in text.splitlines() if line.strip()]
        super().__init__(
            title, [(head if tail else "", (tail or head).strip()) for head, _colon, tail in lines]
        )

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Close."""
        return ((_("Close"), "main", None),)


class HelpLine(BoxLayout):
    """One line of help: what, and why."""

    head = StringProperty("")
    text = StringProperty("")
    font_px = NumericProperty(0)
    """The one type size of all lines of a help."""


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
