"""Keys and fields of the Engagement screen: card numbers, and the form in which a new card is entered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout

from companion.presenters.med_card import CardForm, FormRow, form_rows
from companion.ui.theme import theme
from companion.ui.widgets import Choice, Plate

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


class FormBox(BoxLayout):
    """The form of a card on one page: values with their keys, and a line for everything else on its print.

    Args:
        press: Takes the field and the value of a tap.
        name: Takes ``name`` or ``victim`` when it is to be entered.
    """

    form = ObjectProperty(None, allownone=True)

    def __init__(
        self,
        form: CardForm,
        press: Callable[[str, Any], None],
        name: Callable[[str], None],
        **kwargs: Any,
    ) -> None:
        super().__init__(spacing=theme.px(14), **kwargs)
        self.orientation = "vertical" if theme.is_portrait else "horizontal"
        self._press, self._name = press, name
        rows = form_rows(form)
        pad = [row for row in rows if row.place == "pad"]
        if pad:
            self.add_widget(self._values(pad))
        lines = BoxLayout(orientation="vertical", spacing=theme.px(5))
        shown = [row for row in rows if row.place == "side"]
        for row in shown:
            line = MedField(label=row.label, size_hint_y=None, height=theme.target_px)
            self._fill(line.ids.slot, row)
            lines.add_widget(line)
        lines.add_widget(BoxLayout())
        self.add_widget(lines)

    def _values(self, rows: list[FormRow]) -> Any:
        box = BoxLayout(orientation="vertical", spacing=theme.px(5))
        if theme.is_portrait:
            box.size_hint_y, box.height = None, 4 * theme.target_px + theme.px(20)
        else:
            box.size_hint_x = 0.55
        for row in rows:
            if row.kind == "values":
                line = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(5))
                self._fill(line, row)
                box.add_widget(line)
                continue
            grid = GridLayout(cols=3, spacing=theme.px(5), size_hint_y=None)
            grid.height = 3 * theme.target_px + theme.px(10)
            for key, text in row.options:
                plate = Plate(text=text, kind="soft", role="heading")
                plate.bind(on_act=lambda _w, _t, key=key: self._press("value", key))
                grid.add_widget(plate)
            box.add_widget(grid)
        box.add_widget(BoxLayout())
        return box

    def _fill(self, slot: Any, row: FormRow) -> None:
        if row.kind == "choice":
            slot.add_widget(form_choice(row, self._press))
            return
        for at, (key, text) in enumerate(row.options):
            sub = row.subs[at] if row.subs else ""
            plate = Plate(text=text, sub=sub, role="strong" if sub else "body", acts_on="release")
            plate.padding = (theme.px(4), theme.px(2))
            plate.kind = "chosen" if key in row.chosen else "quiet"
            if row.kind == "names":
                plate.bind(on_act=lambda _w, _t, key=key: self._name(key))
            else:
                plate.bind(on_act=lambda _w, _t, key=key: self._press(row.key, key))
            slot.add_widget(plate)


def form_choice(row: FormRow, press: Callable[[str, Any], None]) -> Any:
    """Return the widget of a line with exclusive choices."""
    choice = Choice(
        role="small" if len(row.options) > 3 and any(len(t) > 6 for _k, t in row.options) else "body"
    )
    choice.options = list(row.options)
    choice.chosen = row.chosen[0] if row.chosen else None
    choice.bind(on_choose=lambda _w, key: press(row.key, key))
    return choice
