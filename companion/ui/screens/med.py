"""Engagement: the Operation, the cards as they are laid, Storm effects, dice, the trick; new cards by a short form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.commands import Command, EnterPrintedValue
from companion.core.dice import DiceOrigin, joined
from companion.core.text import Say, Typed
from companion.games.med.pages.card import (
    OTHER,
    key_pressed,
    known_storm,
    name_choices,
    typed,
)
from companion.games.med.pages.draft import CAMERA, Ask, Draft, MedRow, MedView
from companion.games.med.pages.engagement import med_view
from companion.games.med.pages.taps import answered, card_entered, chosen, dice_entered, rolled, tapped
from companion.games.med.rules.cards import LONGEST_NAME, plain, printed_key
from companion.games.med.rules.slice import known_cards
from companion.pages.desk import Notice
from companion.pages.i18n import _, ngettext
from companion.pages.table import main_command
from companion.ui.dialogs import Choose
from companion.ui.letters import TextEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.med_pad import CardPad, FormBox, MedField
from companion.ui.theme import theme
from companion.ui.widgets import Choice, DicePad, Pages, Panel, Plate, Text

__all__ = ["MedLine", "MedScreen", "MedTally"]


class MedLine(BoxLayout):
    """A line that is only read: a side's emblem, two texts, what counts."""

    text = StringProperty("")
    sub = StringProperty("")
    side = StringProperty("")
    value = StringProperty("")
    tone = StringProperty("text")


class MedTally(Panel):
    """The Operation between the totals of the two sides."""

    tally = ObjectProperty(None, allownone=True, rebind=True)


class MedScreen(Screen):
    """Shows a `MedView`."""

    has_strip = False
    vm = ObjectProperty(MedView(), rebind=True)

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.draft = Draft()
        self._last: Command | None = None
        """A command after which the act ends by itself."""
        self._next: tuple[Command, ...] = ()
        """Commands that follow the one just sent, each when the one before was taken."""
        self._awaited = ""
        """Number of the card that joins the draft once it is remembered."""
        self._page: tuple[str, int] = ("", 0)
        self._read: tuple[Ask | None, Any] | None = None
        self._parts: Any = None
        """What the screen is built of now."""
        self._rows: Any = None
        super().__init__(root, **kwargs)

    def enter(self, **args: Any) -> None:
        """Take dice that the Dice screen read, and what they are for; what was entered before stays."""
        self._read = args.get("read")
        self.draft = args.get("draft", self.draft)

    def refresh(self, change: Change | None) -> None:
        """Show the newest change; end the act, go on with what follows, or take up the card that waited for it."""
        if change is None:
            return
        if self.draft.key != change.state.step.id:
            self.draft = Draft(key=change.state.step.id)
        command = change.envelope.command if change.envelope is not None else None
        if self._next and command is not None:
            following, self._next = self._next, ()
            if change.rejected is None:
                self._send_all(following)
                return
        if command is not None and command is self._last:
            self._last = None
            if change.rejected is None:
                self.send(main_command(change.state, self.root.desk.now_ms()))
                return
        if isinstance(command, EnterPrintedValue) and command.key == printed_key(self._awaited):
            number, self._awaited = self._awaited, ""
            if change.rejected is None:
                self._take_up(change, number)
        if self._read is not None:
            read, self._read = self._read, None
            self._show(change)
            self._take_read(change, *read)
            return
        self._show(change)

    def _show(self, change: Change) -> None:
        view = med_view(change, self.draft)
        self.vm = view
        self.main_text, self.main_enabled = view.main_text, view.is_main_ready
        self._fill()

    def _take_up(self, change: Change, number: str) -> None:
        draft = replace(self.draft, form=None)
        is_there = number in (*draft.cards, draft.operation, draft.put_away)
        self.draft = draft if is_there else card_entered(change.state, draft, number)

    # What stands on the screen: built anew only when its parts change, for a tap must show at once

    def _fill(self) -> None:
        view = self.vm
        parts = ("form",) if view.form is not None else ("table", view.tally is not None, view.pad)
        if parts != self._parts:
            self._parts = parts
            self._build()
        if view.form is not None:
            self._form.show(view.form)
            return
        if view.tally is not None:
            self._tally.tally = view.tally
        else:
            self._title.text = view.title
        if view.pad:
            self._line.text = view.typed or "–"
        if self._page[0] != view.key:
            self._page = (view.key, 0)
            self._pages.page = 0
        if self._rows != view.rows:
            self._rows = view.rows
            self._pages.items = list(view.rows)

    def _build(self) -> None:
        head, body, view = self.ids.head, self.ids.body, self.vm
        head.clear_widgets()
        body.clear_widgets()
        self._rows = None
        if view.form is not None:
            head.height = 0
            self._form = FormBox(view.form, self._form_key, self._form_name, self.leave_form)
            body.add_widget(self._form)
            return
        if view.tally is not None:
            head.height = theme.font_px("strong") * (3.4 if theme.is_portrait else 2.7) + theme.px(8)
            self._tally = MedTally(height=head.height)
            head.add_widget(self._tally)
        else:
            head.height = theme.font_px("heading") * 1.35
            self._title = Text(role="heading", wraps=False, may_shorten=True)
            head.add_widget(self._title)
        box = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(10))
        body.add_widget(box)
        self._pages = Pages(row_px=theme.target_px + theme.px(2), empty_text=_("No cards yet"))
        self._pages.bind(page=lambda _w, page: self._turned(int(page)))
        self._pages.make = self._row
        box.add_widget(self._pages)
        if view.pad:
            box.add_widget(self._pad())

    def _pad(self) -> Any:
        side = BoxLayout(orientation="vertical", spacing=theme.px(6))
        high = theme.font_px("title") * 1.3
        if theme.is_portrait:
            side.size_hint_y = None
            side.height = high + 3 * theme.target_px + theme.px(20)
        else:
            side.size_hint_x, side.width = None, theme.px(268)
        self._line = Text(role="title", align="center", wraps=False, size_hint_y=None, height=high)
        side.add_widget(self._line)
        if self.vm.pad == "dice":
            dice = DicePad(faces=6)
            dice.bind(on_face=lambda _w, value: self._dice((int(value),)))
            side.add_widget(dice)
            photo = Plate(text=_("Read the dice"), icon="camera", kind="quiet", acts_on="release")
            photo.size_hint_y, photo.height = None, theme.target_px
            photo.bind(on_act=lambda _w, _t: self._photo(None))
            side.add_widget(photo)
        else:
            pad = CardPad()
            pad.bind(on_key=lambda _w, key: self._type(key))
            side.add_widget(pad)
        return side

    def _turned(self, page: int) -> None:
        self._page = (self.vm.key, page)

    def _row(self, row: MedRow) -> Any:
        if row.acts:
            line = BoxLayout(spacing=theme.px(6))
            for act in row.acts:
                line.add_widget(self._plate(act, "center"))
            return line
        if row.options:
            field = MedField(label=row.text, is_wide=row.key.startswith("share."))
            choice = Choice(role="small" if len(row.options) > 3 else "body")
            choice.options, choice.chosen = list(row.options), row.chosen
            choice.bind(on_choose=lambda _w, key: self._set(chosen(self.draft, row, key)))
            field.ids.slot.add_widget(choice)
            return field
        if not row.act and row.command is None:
            return MedLine(text=row.text, sub=row.sub, side=row.side, value=row.value, tone=row.tone)
        return self._plate(row, "left")

    def _plate(self, row: MedRow, align: str) -> Any:
        kind = "quiet" if align == "center" else "soft"
        plate = Plate(text=row.text, sub=row.sub, kind=kind, align=align, role="body", acts_on="release")
        plate.padding = (theme.px(6 if align == "center" else 12), theme.px(3))
        plate.bind(on_act=lambda _w, touch: self._tapped(row, touch))
        return plate

    # What is being entered

    def _set(self, draft: Draft) -> None:
        change = self.root.desk.change
        if change is not None:
            self.draft = replace(draft, key=change.state.step.id)
            self._show(change)

    def _form_key(self, field: str, value: Any) -> None:
        if self.draft.form is not None:
            self._set(replace(self.draft, form=key_pressed(self.draft.form, field, value)))

    def _form_name(self, field: str) -> None:
        change, form = self.root.desk.change, self.draft.form
        if change is None or form is None:
            return
        title = _("Name of the card") if field == "name" else _("Card in the target")

        def type_it() -> None:
            def take(text: str) -> None:
                self._form_key(field, text.strip())

            self.root.ask(TextEntry(title, take, value=getattr(form, field), most=LONGEST_NAME))

        def answer(value: str) -> None:
            if value == OTHER:
                type_it()
            else:
                self._form_key(field, value)

        options = name_choices(change.state, form, field)
        if len(options) > 2 or getattr(form, field):
            self.root.ask(Choose(title, options, answer))
        else:
            type_it()

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
            self.send(EnterPrintedValue(printed_key(number), plain(storm)))
            return
        self._set(card_entered(change.state, self.draft, number))

    # Dice

    def _dice(self, values: tuple[int, ...], origin: DiceOrigin | None = None) -> None:
        change = self.root.desk.change
        if change is None:
            return
        result = dice_entered(change.state, self.draft, values, origin)
        if result is None:
            self._wrong_count(self.vm.dice_left, len(values))
        else:
            self._carry_out(result)

    def _wrong_count(self, wanted: int, read: int) -> None:
        text = ngettext("{n} die is rolled, {m} were read", "{n} dice are rolled, {m} were read", wanted)
        text = text.format(n=wanted, m=read)
        self.root.notify(
            Notice("warning", Typed(text), Say("Take out what is no die of this roll, or type the dice."))
        )

    def _photo(self, ask: Ask | None) -> None:
        """Read dice from a photo, for a value or for the question of a Storm card."""

        def record(values: tuple[int, ...], origin: DiceOrigin) -> dict[str, Any]:
            return {"read": (ask, (values, origin))}

        self.root.go("dice", kind="d6", back=("med", {"draft": self.draft}), record=record)

    def _take_read(self, change: Change, ask: Ask | None, read: tuple[tuple[int, ...], DiceOrigin]) -> None:
        values, origin = read
        if ask is None:
            self._dice(values, origin)
        elif len(values) != ask.count - len(ask.dice):
            self._wrong_count(ask.count - len(ask.dice), len(values))
            self._carry_out(ask)
        else:
            self._carry_out(
                answered(change.state, self.draft, replace(ask, origin=joined(ask.origin, origin)), values, 0)
            )

    # Taps and questions

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
            columns = 3 if result.count else 1
            self.root.ask(
                Choose(
                    result.title,
                    result.options,
                    lambda value: self._answered(result, value, seed),
                    columns=columns,
                )
            )
        elif isinstance(result, tuple):
            self._send_all(result)
        elif result is not None:
            self.send(result)

    def _send_all(self, commands: tuple[Command, ...]) -> None:
        self._next = commands[1:]
        self.send(commands[0])

    def _answered(self, ask: Ask, value: Any, seed: int) -> None:
        change = self.root.desk.change
        if change is None:
            return
        if value == CAMERA:
            self._photo(ask)
            return
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
            self.leave_form()
            return True
        if name.startswith("digit") and self.vm.pad == "dice":
            self._dice((int(name[5:]),))
            return True
        if self.vm.pad == "cards" and (name.startswith("digit") or name == "erase"):
            self._type(name[5:] if name.startswith("digit") else "erase")
            return True
        return False

    def leave_form(self) -> None:
        """Give up the card that is being entered."""
        self._set(replace(self.draft, form=None))


load_kv(__file__)
