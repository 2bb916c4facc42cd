"""Keys and fields of the Engagement screen: card numbers, and the form in which a new card is entered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout

from companion.games.med.pages.card import CardForm, FormRow, form_rows
from companion.ui.theme import theme
from companion.ui.widgets import Choice, Plate, Text

__all__ = ["CardPad", "FormBox", "MedField"]

_KEYS = ("A", "X", "S", "O", "erase", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0")


class CardPad(GridLayout):
    """Letters and digits of card numbers. `on_key` announces a key or ``erase``."""

    __events__ = ("on_key",)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(cols=5, spacing=theme.px(5), **kwargs)
        for key in _KEYS:
            is_erase = key == "erase"
            plate = Plate(
                text="" if is_erase else key,
                icon="backspace" if is_erase else "",
                kind="quiet" if key in "AXSO" else "soft",
                role="heading",
            )
            plate.padding = (0, 0)
            plate.key = key
            plate.bind(on_act=lambda widget, _touch: self.dispatch("on_key", widget.key))
            self.add_widget(plate)

    def on_key(self, key: str) -> None:
        """Announce a key."""


class MedField(BoxLayout):
    """A label and what stands beside it."""

    label = StringProperty("")
    is_wide = BooleanProperty(False)
    """Whether the label takes the width of a sentence."""
    is_short = BooleanProperty(False)
    """Whether the label is one short word."""


class FormBox(BoxLayout):
    """The form of a card on one page: values with their keys, and a line for everything else on its print.

    Args:
        press: Takes the field and the value of a tap.
        name: Takes ``name`` or ``victim`` when it is to be entered.
        back: Gives the card up.
    """

    def __init__(
        self,
        form: CardForm,
        press: Callable[[str, Any], None],
        name: Callable[[str], None],
        back: Callable[[], None],
        **kwargs: Any,
    ) -> None:
        super().__init__(orientation="vertical", spacing=theme.px(4), **kwargs)
        self._press, self._name, self._back = press, name, back
        self._plates: dict[tuple[str, Any], Plate] = {}
        self._choices: dict[str, Choice] = {}
        self._shape: Any = None
        self.show(form)

    def show(self, form: CardForm) -> None:
        """Show a form; only what changed is drawn anew while it asks for the same."""
        rows = form_rows(form)
        shape = (form.number, tuple((row.key, tuple(key for key, _text in row.options)) for row in rows))
        if shape != self._shape:
            self._shape = shape
            self._build(form, rows)
        for row in rows:
            choice = self._choices.get(row.key)
            if choice is not None:
                choice.chosen = row.chosen[0] if row.chosen else None
                continue
            for key, text in row.options:
                plate = self._plates[row.key, key]
                plate.text = text
                if row.kind != "keys":
                    plate.kind = "chosen" if key in row.chosen else "quiet"

    def _build(self, form: CardForm, rows: tuple[FormRow, ...]) -> None:
        self.clear_widgets()
        self._plates, self._choices = {}, {}
        head = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        back = Plate(icon="back", kind="bare", acts_on="release", size_hint_x=None, width=theme.target_px)
        back.bind(on_act=lambda _w, _t: self._back())
        head.add_widget(back)
        width = theme.font_px("heading") * 2.6
        head.add_widget(Text(text=form.number, role="heading", wraps=False, size_hint_x=None, width=width))
        self.add_widget(head)
        body = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(14))
        pad = [row for row in rows if row.place == "pad"]
        if pad:
            body.add_widget(self._values(pad))
        lines = BoxLayout(orientation="vertical", spacing=theme.px(4), size_hint_y=None, pos_hint={"top": 1})
        lines.bind(minimum_height=lambda widget, height: setattr(widget, "height", height))
        for row in rows:
            if row.place == "head":
                slot = head
                if theme.is_portrait:
                    slot = BoxLayout(size_hint_y=None, height=theme.target_px)
                    self.add_widget(slot)
                self._fill(slot, row)
            elif row.place == "side":
                line = MedField(label=row.label, is_short=bool(pad), size_hint_y=None, height=theme.target_px)
                self._fill(line.ids.slot, row)
                lines.add_widget(line)
        body.add_widget(lines)
        if theme.is_portrait:
            body.add_widget(BoxLayout())
        self.add_widget(body)

    def _values(self, rows: list[FormRow]) -> Any:
        box = BoxLayout(orientation="vertical", spacing=theme.px(5))
        if theme.is_portrait:
            box.size_hint_y, box.height = None, 4 * theme.target_px + theme.px(20)
        else:
            box.size_hint_x = 0.7
        for row in rows:
            if row.kind == "values":
                line: Any = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(5))
            else:
                line = GridLayout(cols=3, spacing=theme.px(5), size_hint_y=None)
                line.height = 3 * theme.target_px + theme.px(10)
            self._fill(line, row)
            box.add_widget(line)
        box.add_widget(BoxLayout())
        return box

    def _fill(self, slot: Any, row: FormRow) -> None:
        if row.kind == "choice" and row.place == "head":
            is_tight = len(row.options) > 3 and any(len(text) > 6 for _key, text in row.options)
            choice = Choice(role="small" if is_tight else "body")
            choice.options = list(row.options)
            choice.bind(on_choose=lambda _w, key: self._press(row.key, key))
            self._choices[row.key] = choice
            slot.add_widget(choice)
            return
        is_keys = row.kind == "keys"
        is_tight = len(row.options) > 2 and any(len(text) > 6 for _key, text in row.options)
        for at, (key, text) in enumerate(row.options):
            sub = row.subs[at] if row.subs else ""
            plate = Plate(text=text, sub=sub, kind="soft" if is_keys else "quiet")
            plate.role = "heading" if is_keys else "strong" if sub else "small" if is_tight else "body"
            plate.acts_on = "press" if is_keys else "release"
            plate.padding = (theme.px(4), theme.px(2))
            if row.kind == "names":
                plate.bind(on_act=lambda _w, _t, key=key: self._name(key))
            else:
                plate.bind(on_act=lambda _w, _t, key=key: self._press(row.key, key))
            self._plates[row.key, key] = plate
            slot.add_widget(plate)
