"""The arbiter's acts: pause, correct a clock to the second, jump, one step back, the time sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout
from kivy.uix.widget import Widget

from companion.core import commands as cm
from companion.core.ids import ARBITER
from companion.pages import arbiter as pa
from companion.pages.i18n import _, ngettext
from companion.pages.labels import correction_why
from companion.pages.speak import speak
from companion.pages.times import countdown, signed
from companion.ui.dialogs import Act, Confirm, Dialog, NumberEntry, PinEntry
from companion.ui.letters import TextEntry
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets import NumberPad, Pages, Plate, Tabs, Text

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["ArbiterDialog", "CorrectDialog", "JumpDialog", "SheetDialog", "as_arbiter", "open_arbiter"]


def as_arbiter(root: Root, act: Callable[[], None]) -> None:
    """Do something in the arbiter's name: at once where no PIN is needed or it was just given, else after it."""
    change = root.desk.change
    if change is None:
        return
    if root.is_arbiter or not pa.needs_pin(change):
        act()
        return

    def unlocked() -> None:
        root.unlock_arbiter()
        act()

    if root.desk.knows_arbiter_pin():
        root.ask(PinEntry(root.desk.check_arbiter, unlocked))
    else:
        _ask_new_pin(root, unlocked)


_LEAST_PIN = 4


def _ask_new_pin(root: Root, unlocked: Callable[[], None], *, is_known: bool = False) -> None:
    """Ask for a new PIN, twice; where this box cannot check the one that the game has, it says so first. The log tells everybody."""

    def least(typed: str) -> str | None:
        if len(typed) >= _LEAST_PIN:
            return None
        return ngettext("At least {n} digit", "At least {n} digits", _LEAST_PIN).format(n=_LEAST_PIN)

    def typed(pin: str) -> None:
        root.ask(
            NumberEntry(
                _("Enter the same PIN again"),
                lambda again: repeated(pin, again),
                is_secret=True,
                done=_("Unlock"),
            )
        )

    def repeated(pin: str, again: str) -> None:
        if again != pin:  # nobody knows in which of the two the slip was
            ask_first(_("The PINs did not match. Enter both again."))
            return
        root.work(lambda: root.desk.new_arbiter_pin(pin), kept)

    def kept(name: str) -> None:
        if name:
            command = cm.SetArbiterPin(name)
            root.once_taken(command, unlocked)
            root.send(command, actor=ARBITER)

    def ask_first(slip: str = "") -> None:
        title = _("New arbiter's PIN")
        root.ask(NumberEntry(title, typed, text=slip, is_secret=True, check=least, done=_("Next")))

    if is_known:
        ask_first()
        return
    root.ask(
        Confirm(
            _("Set a new arbiter's PIN?"),
            _(
                "This box cannot check the arbiter's PIN of this game: it was set on another box, or the key of this "
                "box was lost. The log will show that a new one was set."
            ),
            _("Set a new PIN"),
            lambda _touch: ask_first(),
        )
    )


def change_pin(root: Root) -> None:
    """Set another arbiter's PIN for the open game, by whoever knows the one it has."""
    as_arbiter(root, lambda: _ask_new_pin(root, lambda: None, is_known=True))


def open_arbiter(root: Root) -> None:
    """Open the arbiter's acts, after the PIN where the game has one."""
    as_arbiter(root, lambda: root.ask(ArbiterDialog(root)))


def _view(root: Root) -> pa.ArbiterView | None:
    desk = root.desk
    if desk.change is None or desk.rules is None:
        return None
    return pa.arbiter_view(desk.change, desk.rules, desk.now_ms())


class ArbiterDialog(Dialog):
    """All acts of the arbiter as large entries."""

    def __init__(self, root: Root) -> None:
        super().__init__(_("Arbiter"))
        self.card_width, self.card_height = (620, 520) if theme.is_portrait else (760, 446)
        self._window = root

    def content(self) -> Widget:
        """The acts."""
        view = _view(self._window)
        pages = Pages(row_px=theme.px(66), columns=1 if theme.is_portrait else 2)
        if view is None:
            return pages
        pages.make = self._row
        lock = _("Unlock the coach") if view.is_coach_locked else _("Lock the coach")
        pages.items = [
            (
                _("Resume") if view.is_paused else _("Pause"),
                "",
                "play" if view.is_paused else "pause",
                True,
                self._pause,
            ),
            (_("Correct a clock"), "", "clocks", view.can_correct, self._correct),
            (_("Step back"), view.back_text, "undo", bool(view.back_text), self._back),
            (_("Jump to a step"), "", "jump", True, self._jump),
            (_("Time sheet"), "", "log", True, self._sheet),
            *(((lock, "", "help", True, self._lock_coach),) if view.may_lock_coach else ()),
            (_("Lock again"), "", "lock", self._window.is_arbiter, self._lock),
        ]
        return pages

    def _row(self, item: Any) -> Widget:
        text, sub, icon, is_enabled, act = item
        plate = Plate(text=text, sub=sub, icon=icon, kind="soft", align="left", acts_on="release")
        plate.is_enabled = is_enabled
        plate.bind(on_act=lambda _w, touch: act(touch))
        return plate

    def _pause(self, touch: Press | None) -> None:
        self.close()
        self._window.pause(touch)

    def _correct(self, _touch: Press | None) -> None:
        self.close()
        self._window.ask(CorrectDialog(self._window))

    def _back(self, touch: Press | None) -> None:
        self.close()
        desk = self._window.desk
        if desk.change is not None and desk.rules is not None:
            command = pa.step_back_command(desk.change.state, desk.rules, self._window.press.stamp_ms(touch))
            if command is not None:
                self._window.send(command, actor=ARBITER)

    def _jump(self, _touch: Press | None) -> None:
        self.close()
        self._window.ask(JumpDialog(self._window))

    def _sheet(self, _touch: Press | None) -> None:
        self.close()
        self._window.ask(SheetDialog(self._window))

    def _lock_coach(self, _touch: Press | None) -> None:
        view = _view(self._window)
        self.close()
        if view is not None:
            self._window.send(cm.LockCoach(not view.is_coach_locked), actor=ARBITER)

    def _lock(self, _touch: Press | None) -> None:
        self.close()
        self._window.lock_arbiter()


class CorrectDialog(Dialog):
    """Give or take time to the second, typed as the clock shows it, and say why."""

    takes_text = True

    side = StringProperty("")
    typed = StringProperty("")
    """Digits of minutes and seconds, as they would stand on the clock."""
    is_taken = BooleanProperty(False)
    reason = StringProperty("")

    def __init__(self, root: Root) -> None:
        super().__init__(_("Correct a clock"))
        self.card_width, self.card_height = (640, 620) if theme.is_portrait else (760, 456)
        self._window = root
        change = root.desk.change
        if change is not None:
            self.side = str(change.state.clocks.running or change.state.clocks.sides[0])

    def content(self) -> Widget:
        """The sides, the pad, and beside it what comes of it and why."""
        view = _view(self._window)
        box = BoxLayout(orientation="vertical", spacing=theme.px(8))
        if view is None:
            return box
        sides = BoxLayout(spacing=theme.px(8), size_hint_y=None, height=theme.px(54))
        for who, left in zip(view.sides, view.remaining, strict=True):
            plate = Plate(
                text=f"{who.name}  {left}",
                icon=who.emblem,
                kind="chosen" if who.id == self.side else "quiet",
                tone=who.tone,
                acts_on="release",
            )
            plate.bind(on_act=lambda _w, _t, side=who.id: self._put(side=side))
            sides.add_widget(plate)
        box.add_widget(sides)
        below = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(12))
        pad = NumberPad()
        pad.bind(on_key=lambda _w, key: self.type(key))
        below.add_widget(pad)
        below.add_widget(self._beside())
        box.add_widget(below)
        return box

    def _beside(self) -> Widget:
        """Give or take, what the clock shows then, and the reasons."""
        column = BoxLayout(orientation="vertical", spacing=theme.px(6))
        ways = BoxLayout(spacing=theme.px(6), size_hint_y=None, height=theme.target_px)
        for is_taken, word in ((False, _("More time")), (True, _("Less time"))):
            chosen = "chosen" if is_taken == self.is_taken else "quiet"
            plate = Plate(text=word, kind=chosen, acts_on="release")
            plate.bind(on_act=lambda _w, _t, is_taken=is_taken: self._put(is_taken=is_taken))
            ways.add_widget(plate)
        column.add_widget(ways)
        line = Text(
            role="heading", align="center", size_hint_y=None, height=theme.px(32), text=self._result()
        )
        column.add_widget(line)
        reasons = GridLayout(cols=2, spacing=theme.px(6))
        for key, word in self._reasons():
            kind = "chosen" if key == self.reason else "soft"
            plate = Plate(text=word, kind=kind, role="body", acts_on="release")
            plate.bind(on_act=lambda _w, _t, key=key: self._because(key))
            reasons.add_widget(plate)
        column.add_widget(reasons)
        return column

    def _reasons(self) -> Sequence[tuple[str, str]]:
        """Return the usual reasons, and one that was typed or can be."""
        own = self.reason if self.reason and self.reason not in _USUAL else ""
        usual = tuple((key, speak(correction_why(key))) for key in _USUAL)
        return (*usual, (own, own) if own else (_OTHER, _("Another reason")))

    def _because(self, key: str) -> None:
        if key in _USUAL:
            self._put(reason=key)
            return
        title, typed = _("Why is the clock corrected?"), "" if key == _OTHER else key
        self._window.ask(TextEntry(title, lambda text: self._put(reason=text), value=typed))

    def _left_ms(self) -> int:
        from companion.core import clock as ck
        from companion.core.ids import Side

        desk = self._window.desk
        if desk.change is None:
            return 0
        return ck.remaining(desk.change.state.clocks, Side(self.side), desk.now_ms()) or 0

    @property
    def delta_s(self) -> int:
        """The correction in seconds, no more taken than there is."""
        digits = self.typed.rjust(3, "0")
        amount = 60 * int(digits[:-2]) + int(digits[-2:])
        return -min(amount, self._left_ms() // 1000) if self.is_taken else amount

    def _result(self) -> str:
        after = countdown(max(0, self._left_ms() + self.delta_s * 1000))
        return _("{change}  makes  {after}").format(change=signed(self.delta_s * 1000), after=after)

    def _put(self, **what: object) -> None:
        for name, value in what.items():
            setattr(self, name, value)
        self.build()

    def type(self, key: str) -> None:
        """Take a key of the pad."""
        if key == "erase":
            self._put(typed=self.typed[:-1])
        elif len(self.typed) < _MOST_DIGITS and (self.typed or key != "0"):
            self._put(typed=self.typed + key)

    def take_text(self, text: str) -> None:
        """Take the digits and the sign that a real keyboard typed."""
        for sign in text:
            if sign in "+-":
                self._put(is_taken=sign == "-")
            elif sign in "0123456789":
                self.type(sign)

    def on_key(self, name: str, event: Press) -> None:
        """Erase erases; main corrects."""
        if name == "erase":
            self.type("erase")
        else:
            super().on_key(name, event)

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Cancel, and correct; what is still missing stands there instead."""
        change = self._window.desk.change
        needs_reason = change is not None and change.state.clocks.config.tournament and not self.reason
        text = _("Enter the time") if not self.delta_s else _("Say why") if needs_reason else _("Correct")
        is_ready = bool(self.delta_s) and not needs_reason
        return ((_("Cancel"), "quiet", None), (text, "main" if is_ready else "soft", self._do))

    def _press(self, act: Act | None, touch: Press | None) -> None:
        if act is None or self.buttons()[-1][1] == "main":
            super()._press(act, touch)

    def _do(self, touch: Press | None) -> None:
        at_ms = self._window.press.stamp_ms(touch)
        command = pa.correct_command(self.side, self.delta_s * 1000, at_ms, self.reason)
        self._window.send(command, actor=ARBITER)


_USUAL = ("question", "late_press", "wrong_press")
_OTHER = "?"
"""Key of the reason that is typed."""
_MOST_DIGITS = 4


class JumpDialog(Dialog):
    """Every step of the game, by stage; a tap moves the position there and reverts nothing."""

    stage = NumericProperty(0)

    def __init__(self, root: Root) -> None:
        super().__init__(_("Jump to a step"))
        self.card_width, self.card_height = 700, 456
        self._window = root
        change = root.desk.change
        self._aimed_at = change.state.step.id if change is not None else ""
        self.stage = change.state.step.stage if change is not None else 0

    def content(self) -> Widget:
        """Tabs of stages over the steps."""
        box = BoxLayout(orientation="vertical", spacing=theme.px(6))
        change = self._window.desk.change
        if change is None:
            return box
        stages = pa.jump_stages(change.state)
        is_many = len(stages) > 7
        tabs = Tabs(chosen=int(self.stage))
        tabs.options = [(n, str(n) if is_many else text) for n, text in stages]
        tabs.bind(on_choose=lambda _w, key: self._choose(key))
        box.add_widget(tabs)
        pages = Pages(row_px=theme.px(52), columns=1 if theme.is_portrait else 2)
        pages.make = self._row
        pages.items = list(pa.jump_rows(change.state, int(self.stage)))
        box.add_widget(pages)
        return box

    def _choose(self, stage: int) -> None:
        self.stage = stage
        self.build()

    def _row(self, row: pa.JumpRow) -> Widget:
        plate = Plate(text=row.text, role="small", kind="chosen" if row.is_here else "soft", align="left")
        plate.acts_on = "release"
        plate.bind(on_act=lambda _w, touch: self._jump(row.step, touch))
        return plate

    def _jump(self, step: str, touch: Press | None) -> None:
        self.close()
        command = cm.JumpTo(self._aimed_at, step, self._window.press.stamp_ms(touch))  # type: ignore[arg-type]
        self._window.send(command, actor=ARBITER)

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Only a way out."""
        return ((_("Cancel"), "quiet", None),)


_WHEN_PX, _AMOUNT_PX = 66, 80
"""Width of the time sheet's first and last column at 800x480."""


class SheetDialog(Dialog):
    """The arbiter's sheet: time used per step, corrections, undos, falls and gaps."""

    def __init__(self, root: Root) -> None:
        super().__init__(_("Time sheet"))
        self.card_width, self.card_height = 700, 456
        self._window = root

    def content(self) -> Widget:
        """The rows, newest last."""
        pages = Pages(row_px=theme.px(40), empty_text=_("No times recorded yet"), text_wraps=False)
        change = self._window.desk.change
        if change is None:
            return pages
        pages.text_of = lambda row: row.text
        pages.inset_px = theme.px(_WHEN_PX + _AMOUNT_PX + 20)
        pages.make = lambda row: self._row(row, pages.font_px)
        rows = pa.sheet_rows(change, self._window.desk.entries(), self._window.wall_ms())
        pages.items = list(reversed(rows))
        return pages

    def _row(self, row: pa.SheetRow, font_px: float) -> Widget:
        line = BoxLayout(spacing=theme.px(10))
        when = Text(text=row.when, role="small", tone="muted", size_hint_x=None, width=theme.px(_WHEN_PX))
        line.add_widget(when)
        line.add_widget(Text(text=row.text, most_font_px=font_px))
        amount = Text(
            text=row.amount, role="strong", align="right", size_hint_x=None, width=theme.px(_AMOUNT_PX)
        )
        line.add_widget(amount)
        return line
