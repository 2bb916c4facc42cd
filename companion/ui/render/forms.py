"""Forms on the box: one question at a time, each in the dialog that fits it; the last answer makes the act."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.core.decide import decide
from companion.core.rules import Code, Context, Rejected
from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.pages.i18n import _
from companion.pages.labels import refusal
from companion.pages.numbers import DECIMAL
from companion.pages.page import Act, ActId, Ask, Field, Item, Refuse, Send
from companion.ui import art
from companion.ui.dialogs import Choose, Confirm, Dialog, NumberEntry
from companion.ui.letters import TextEntry
from companion.ui.render.items import ItemRow
from companion.ui.render.pen import Pen
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets import DicePad, Text

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Asking", "carry_out"]

_SHORT = 18
"""Letters of options of which four fit side by side."""
_FAIR, _FEW_LONG = 22, 2
"""Letters of options of which three fit side by side, and how many longer ones may stand among them in two lines."""
_LONG_LIST = 10
"""Options of a list in one column; more of them, which take page after page, stand side by side."""
_NOTHING_TYPED = Say("Enter a number.")


class Asking:
    """One form that is being answered."""

    def __init__(self, root: Root, pen: Pen, ask: Ask, do: Callable[[Act, Press | None], None]) -> None:
        """Ask the first question; `do` gets the act that the answers make, with the touch of the last one."""
        self._root, self._pen, self._ask, self._do = root, pen, ask, do
        self._answers: dict[str, str] = {}
        self._next(0)

    def _next(self, n: int) -> None:
        self._root.ask(self._dialog(self._ask.form.fields[n], n))

    def _is_last(self, n: int) -> bool:
        return n == len(self._ask.form.fields) - 1

    def _answered(self, field: Field, n: int, answer: str, touch: Press | None = None) -> None:
        self._answers[field.key] = answer
        if self._is_last(n):
            self._do(self._ask.answered(self._answers), touch)
        else:
            self._next(n + 1)

    def _fault(self, field: Field, n: int, answer: str) -> str | None:
        """Return why an answer cannot be taken: by itself, or, of the last one, by what comes of it."""
        if field.kind == "count" and not field.least <= int(answer or 0) <= field.most:
            return self._pen.say(
                Say("Enter a number from {least} to {most}.", least=field.least, most=field.most)
            )
        if field.kind == "pin" and len(answer) < field.least:
            return self._pen.say(Say.counted("At least {n} digit", "At least {n} digits", field.least))
        if not answer and not field.may_be_empty:
            return self._pen.say(_NOTHING_TYPED)
        if self._is_last(n):
            act = self._ask.answered({**self._answers, field.key: answer})
            if isinstance(act, Refuse):
                return self._pen.title(act.why)
            if isinstance(act, Send) and field.kind in ("number", "count"):
                return self._refusal(act)
        return None

    def _refusal(self, act: Send) -> str | None:
        """Return why the rules would refuse a figure that is being typed, so that its pad can stay open for a better one.

        None where they would ask on instead, or where only the press tells the command.
        """
        rules, change, command = self._root.desk.rules, self._root.desk.change, act.command
        if (
            rules is None
            or change is None
            or callable(command)
            or getattr(command, "confirmed", None) is False
        ):
            return None
        decision = decide(rules, change.state, command, Context(act.actor))
        if not isinstance(decision, Rejected) or decision.needs or decision.code == Code.STALE_STEP:
            return None
        return refusal(decision, change.state)

    def _dialog(self, field: Field, n: int) -> Dialog:
        form, say = self._ask.form, self._pen
        title, text = say.title(field.title), say.title(field.sub)
        yes = say.title(form.yes) if form.yes is not None and self._is_last(n) else ""
        match field.kind:
            case "choose":
                ways = [one for one in field.options if one.is_way]
                options = [
                    (one.key, say.title(one.title))
                    for one in field.options
                    if one.why_not is None and one not in ways
                ]
                is_short = all(len(text) <= _SHORT for _key, text in options)
                is_list = field.is_wide and len(options) <= _LONG_LIST
                columns = 1 if is_list else 4 if is_short and len(options) > 4 else 2
                if columns == 2 and len(options) > _LONG_LIST:
                    columns += sum(len(text) > _FAIR for _key, text in options) <= _FEW_LONG
                shown = {one.key: one for one in field.options if one.mark or art.is_drawn(one.symbol)}
                return _Options(
                    title,
                    options,
                    lambda key: self._answered(field, n, key),
                    text,
                    columns=columns,
                    no=say.title(form.no) if form.no is not None else "",
                    make=lambda key, choose: _option(self._pen, shown.get(key), choose),
                    ways=[(one.key, say.title(one.title)) for one in ways],
                )
            case "confirm":
                return Confirm(
                    title,
                    text,
                    yes or _("Yes"),
                    lambda touch: self._answered(field, n, "yes", touch),
                    is_danger=form.is_danger,
                )
            case "text":
                return TextEntry(
                    title,
                    lambda typed: self._answered(field, n, typed),
                    text=text,
                    value=field.value,
                    most=field.most or 40,
                    done=yes,
                    names=tuple(say.title(one.title) for one in field.options),
                )
            case "dice":
                return DiceEntry(title, field, lambda faces: self._answered(field, n, faces))
            case _:
                return NumberEntry(
                    title,
                    lambda typed: self._answered(field, n, typed),
                    text=text or (_("How many?") if field.kind == "count" else ""),
                    extra=DECIMAL if field.has_fraction else "-" if field.has_sign else "",
                    is_secret=field.kind == "pin",
                    check=lambda typed: self._fault(field, n, typed),
                    most=field.most if field.most and field.kind != "count" else 8,
                    is_done_by_last=field.kind == "pin" and 0 < field.most == field.least,
                    done=yes,
                )


def carry_out(root: Root, pen: Pen, act: Act, touch: Press | None) -> None:
    """Do what the answers of a form make where no page asked: send, ask on, or say why not.

    ValueError for any other act: it needs the page that it belongs to.
    """
    match act:
        case Send():
            command, then = act.at(root.press.stamp_ms(touch)), act.then
            if then is not None:
                root.once_taken(command, lambda: carry_out(root, pen, then, touch))
            root.send(command, actor=act.actor)
        case Ask():
            Asking(root, pen, act, lambda after, given: carry_out(root, pen, after, given))
        case Refuse():
            root.notify(Notice("info", Typed(pen.title(act.why))))
        case _:
            raise ValueError(f"{type(act).__name__} is nothing that a value entered can lead to")


def _option(pen: Pen, item: Item | None, choose: Callable[[], None]) -> Widget:
    """Return an option with its emblem or symbol as a row; None where words say it all."""
    if item is None:
        return None
    row = ItemRow(pen.pressing(lambda _act, _touch: choose()))
    row.show(Item(item.key, item.title, mark=item.mark, symbol=item.symbol, act=ActId("choose")))
    return row


class _Options(Choose):
    """Options of which some bear the emblem of a side or nation, or the symbol of a unit.

    What only leads on, such as to another space than those offered, stands beside the way out, on every page of them.
    """

    def __init__(
        self,
        *args: Any,
        make: Callable[[Any, Callable[[], None]], Widget],
        ways: Sequence[tuple[str, str]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._make, self._ways = make, tuple(ways)

    def buttons(self) -> Sequence[tuple[str, str, Callable[[Press | None], None] | None]]:
        """A way out, and what leads on."""
        ways = [(text, "soft", lambda _touch, key=key: self._act(key)) for key, text in self._ways]
        return (*super().buttons(), *ways)

    def _row(self, option: tuple[object, str]) -> Widget:
        return self._make(option[0], lambda: self._chosen(option[0])) or super()._row(option)


class DiceEntry(Dialog):
    """Type what was rolled, one key a die; the last die closes it."""

    def __init__(self, title: str, field: Field, act: Callable[[str], None]) -> None:
        super().__init__(title)
        self.card_width, self.card_height = 520, 420
        self._wanted = [ask.faces for ask in field.dice for _n in range(ask.count)]
        self._act = act
        self._rolled: list[int] = []
        self._line: Any = None
        self._pad: Any = None

    def content(self) -> Widget:
        """What was rolled so far, and the keys of the next die."""
        box = BoxLayout(orientation="vertical", spacing=theme.px(6))
        self._line = Text(role="title", align="center", size_hint_y=None, height=theme.px(40), wraps=False)
        self._pad = DicePad()
        self._pad.bind(on_face=lambda _w, value: self._roll(int(value)))
        box.add_widget(self._line)
        box.add_widget(self._pad)
        self._show()
        return box

    def _show(self) -> None:
        if len(self._rolled) < len(self._wanted):
            self._pad.faces = self._wanted[len(self._rolled)]
        self._line.text = " ".join(map(str, self._rolled)) or "–"

    def _roll(self, value: int) -> None:
        self._rolled.append(value)
        self._show()
        if len(self._rolled) == len(self._wanted):
            self.close()
            self._act(",".join(map(str, self._rolled)))

    def buttons(self) -> Sequence[tuple[str, str, Callable[[Press | None], None] | None]]:
        """Only a way out."""
        return ((_("Cancel"), "quiet", None),)
