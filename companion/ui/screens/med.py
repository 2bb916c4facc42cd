"""Engagement: the Operation, the cards as they are laid, Storm effects, dice, the trick; new cards by a short form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout

from companion.core.change import Change
from companion.core.commands import Command, EnterPrintedValue
from companion.games.med.cards import printed_key
from companion.games.med.slice import known_cards
from companion.presenters.i18n import _
from companion.presenters.med import (
    Ask,
    Draft,
    MedRow,
    MedView,
    answered,
    card_entered,
    chosen,
    die_entered,
    med_view,
    rolled,
    tapped,
)
from companion.presenters.med_card import FormRow, form_rows, key_pressed, known_storm, typed
from companion.presenters.table import main_command
from companion.ui.dialogs import Choose, Dialog
from companion.ui.letters import TextEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Choice, DicePad, Pages, Plate, Text

__all__ = ["CardPad", "MedScreen"]

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


def _parts(row: FormRow) -> tuple[FormRow, ...]:
    """Return a line as it fits the window: the nine keys of a value take two lines in portrait."""
    if row.kind != "keys" or not theme.is_portrait:
        return (row,)
    return (replace(row, options=row.options[:5]), replace(row, options=row.options[5:]))


class CardNumberEntry(Dialog):
    """Enter a card number; `act` gets it, or an empty text for none."""

    value = StringProperty("")

    def __init__(self, title: str, act: Callable[[str], None]) -> None:
        super().__init__(title)
        self.card_width, self.card_height = 460, 420
        self._act = act
        self._line: Any = None

    def content(self) -> Any:
        """The number and the keys."""
        box = BoxLayout(orientation="vertical", spacing=theme.px(6))
        self._line = Text(text="–", role="title", align="center", size_hint_y=None, height=theme.px(44))
        box.add_widget(self._line)
        pad = CardPad()
        pad.bind(on_key=lambda _w, key: self.type(key))
        box.add_widget(pad)
        return box

    def type(self, key: str) -> None:
        """Take a key."""
        self.value = typed(self.value, key)
        self._line.text = self.value or "–"

    def buttons(self) -> Any:
        """None, and done."""
        return (
            (_("None"), "quiet", lambda _touch: self._act("")),
            (_("Done"), "main", lambda _touch: self._act(self.value if len(self.value) == 3 else "")),
        )


class MedLine(BoxLayout):
    """A line that is only read."""

    text = StringProperty("")
    sub = StringProperty("")


class MedField(BoxLayout):
    """A label and what stands beside it."""

    label = StringProperty("")


class MedScreen(Screen):
    """Shows a `MedView`."""

    has_strip = False
    vm = ObjectProperty(MedView(), rebind=True)

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.draft = Draft()
        self._last: Command | None = None
        """A command after which the act ends by itself."""
        self._awaited = ""
        """Number of the card that joins the draft once it is remembered."""
        self._page: tuple[str, int] = ("", 0)
        super().__init__(root, **kwargs)

    def refresh(self, change: Change | None) -> None:
        """Show the newest change; end the act or take up the card that waited for it."""
        if change is None:
            return
        if self.draft.key != change.state.step.id:
            self.draft = Draft(key=change.state.step.id)
        command = change.envelope.command if change.envelope is not None else None
        if command is not None and command is self._last:
            self._last = None
            if change.rejected is None:
                self.send(main_command(change.state, self.root.desk.now_ms()))
                return
        if isinstance(command, EnterPrintedValue) and command.key == printed_key(self._awaited):
            number, self._awaited = self._awaited, ""
            if change.rejected is None:
                self._take_up(change, number)
        view = med_view(change, self.draft)
        self.vm = view
        self.main_text, self.main_enabled = view.main_text, view.is_main_ready
        self._fill()

    def _take_up(self, change: Change, number: str) -> None:
        draft = replace(self.draft, form=None)
        is_there = number in (*draft.cards, draft.operation, draft.put_away)
        self.draft = draft if is_there else card_entered(change.state, draft, number)

    def _fill(self) -> None:
        body = self.ids.body
        body.clear_widgets()
        box = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(10))
        body.add_widget(box)
        if self.vm.form is not None:
            rows = [part for row in form_rows(self.vm.form) for part in _parts(row)]
            pages = self._pages(theme.target_px + theme.px(3), self._form_row, rows)
            box.add_widget(pages)
            return
        box.add_widget(self._pages(theme.px(56), self._row, list(self.vm.rows)))
        if not self.vm.pad:
            return
        side = BoxLayout(orientation="vertical", spacing=theme.px(6))
        if theme.is_portrait:
            side.size_hint_y = None
            side.height = theme.font_px("title") * 1.3 + 3 * theme.target_px + theme.px(20)
        else:
            side.size_hint_x, side.width = None, theme.px(268)
        line = Text(text=self.vm.typed or "–", role="title", align="center", wraps=False)
        line.size_hint_y, line.height = None, theme.font_px("title") * 1.3
        side.add_widget(line)
        if self.vm.pad == "dice":
            dice = DicePad(faces=6)
            dice.bind(on_face=lambda _w, value: self._face(int(value)))
            side.add_widget(dice)
        else:
            pad = CardPad()
            pad.bind(on_key=lambda _w, key: self._type(key))
            side.add_widget(pad)
        box.add_widget(side)

    def _pages(self, row_px: float, make: Any, items: list[Any]) -> Pages:
        kept = self._page if self._page[0] == self.vm.key else (self.vm.key, 0)
        self._page = kept
        pages = Pages(row_px=row_px, page=kept[1])
        pages.bind(page=lambda _w, page: self._turned(int(page)))
        pages.make, pages.items = make, items
        pages.empty_text = _("No cards yet")
        return pages

    def _turned(self, page: int) -> None:
        self._page = (self.vm.key, page)

    def _row(self, row: MedRow) -> Any:
        if row.options:
            field = MedField(label=row.text)
            choice = Choice(role="small" if len(row.options) > 3 else "body")
            choice.options, choice.chosen = list(row.options), row.chosen
            choice.bind(on_choose=lambda _w, key: self._set(chosen(self.draft, row, key)))
            field.ids.slot.add_widget(choice)
            return field
        if not row.act and row.command is None:
            return MedLine(text=row.text, sub=row.sub)
        plate = Plate(text=row.text, sub=row.sub, kind="soft", align="left", role="body", acts_on="release")
        plate.bind(on_act=lambda _w, touch: self._tapped(row, touch))
        return plate

    def _form_row(self, row: FormRow) -> Any:
        field = MedField(label=row.label)
        slot = field.ids.slot
        if row.kind in ("choice", "values", "keys"):
            is_tight = len(row.options) > 3 and any(len(text) > 6 for _key, text in row.options)
            choice = Choice(role="small" if is_tight else "body")
            choice.options = list(row.options)
            choice.chosen = row.chosen[0] if row.chosen else None
            choice.bind(on_choose=lambda _w, key: self._form_key(row.key, key))
            slot.add_widget(choice)
            return field
        for key, text in row.options:
            plate = Plate(text=text, role="body", acts_on="release")
            plate.kind = "chosen" if key in row.chosen else "quiet"
            plate.icon = "check" if key in row.chosen else ""
            plate.icon_px = theme.px(18)
            act = self._form_entry if row.kind == "entry" else self._form_key
            plate.bind(on_act=lambda _w, _t, key=key, act=act: act(row.key, key))
            slot.add_widget(plate)
        return field

    # What is being entered

    def _set(self, draft: Draft) -> None:
        change = self.root.desk.change
        if change is None:
            return
        self.draft = replace(draft, key=change.state.step.id)
        view = med_view(change, self.draft)
        self.vm = view
        self.main_text, self.main_enabled = view.main_text, view.is_main_ready
        self._fill()

    def _form_key(self, field: str, value: Any) -> None:
        if self.draft.form is not None:
            self._set(replace(self.draft, form=key_pressed(self.draft.form, field, value)))

    def _form_entry(self, field: str, _value: Any) -> None:
        form = self.draft.form
        if form is None:
            return
        if field == "victim":
            self.root.ask(CardNumberEntry(_("Card in the target"), lambda text: self._form_key(field, text)))
        else:
            self.root.ask(
                TextEntry(_("Name of the card"), lambda text: self._form_key(field, text), value=form.name)
            )

    def _type(self, key: str) -> None:
        change = self.root.desk.change
        if change is None:
            return
        number = self.draft.number
        if not number and self.vm.typed == "O" and key.isdigit():
            number = "O"
        number = typed(number, key)
        if len(number) < 3:
            self._set(replace(self.draft, number=number))
            return
        storm = known_storm(number, change.state)
        if storm is not None and number not in known_cards(change.state):
            self.draft = replace(self.draft, number="")
            self._awaited = number
            self.send(EnterPrintedValue(printed_key(number), msgspec.to_builtins(storm)))
            return
        self._set(card_entered(change.state, self.draft, number))

    def _face(self, value: int) -> None:
        change = self.root.desk.change
        if change is not None:
            self._carry_out(die_entered(change.state, self.draft, value))

    def _tapped(self, row: MedRow, touch: Any) -> None:
        change = self.root.desk.change
        if change is None:
            return
        result = tapped(change.state, self.draft, row)
        if row.is_last:
            self._last = row.command
        self._carry_out(result, self.stamp_ms(touch))

    def _carry_out(self, result: Any, seed: int = 0) -> None:
        if isinstance(result, Draft):
            self._set(result)
        elif isinstance(result, Ask):
            columns = 3 if result.act in ("sirocco", "explosion") else 1
            self.root.ask(
                Choose(
                    result.title,
                    result.options,
                    lambda value: self._answered(result, value, seed),
                    columns=columns,
                )
            )
        elif result is not None:
            self.send(result)

    def _answered(self, ask: Ask, value: Any, seed: int) -> None:
        change = self.root.desk.change
        if change is not None:
            self._carry_out(answered(change.state, self.draft, ask, value, seed), seed)

    # Main button and keys

    def main_act(self, touch: Any) -> None:
        """Send what is ready, roll, or end the act."""
        change = self.root.desk.change
        if change is None:
            return
        command = self.vm.main_command
        if self.vm.pad == "dice":
            command = rolled(change.state, self.stamp_ms(touch))
            self.draft = replace(self.draft, dice=())
            if command is not None:
                self.send(command)
        elif isinstance(command, EnterPrintedValue) and self.vm.form is not None:
            self._awaited = self.vm.form.number
            self.send(command)
        elif command is not None:
            self._last = command if self.vm.is_last else None
            if not self.vm.is_last:
                self.draft = Draft()
            self.send(command)
        elif self.vm.is_main_ready:
            self.send(main_command(change.state, self.stamp_ms(touch)))

    def on_key(self, name: str, event: Any) -> bool:  # noqa: ARG002
        """Digits type numbers and dice, erase takes the last back, back leaves a form."""
        if name in ("back", "previous") and self.draft.form is not None:
            self._set(replace(self.draft, form=None))
            return True
        if name.startswith("digit") and self.vm.pad == "dice":
            self._face(int(name[5:]))
            return True
        if self.vm.pad == "cards" and (name.startswith("digit") or name == "erase"):
            self._type(name[5:] if name.startswith("digit") else "erase")
            return True
        return False

    def leave_form(self) -> None:
        """Give up the card that is being entered."""
        self._set(replace(self.draft, form=None))


load_kv(__file__)
