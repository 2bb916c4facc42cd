"""A lesson on the Dice sets screen: the photo with what counts in it, and beside it what is still lacking."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.pages.dice import colour_name
from companion.pages.dice_sets import (
    COLOURS,
    KINDS,
    ColourRow,
    Lesson,
    LessonPhoto,
    colour_text,
    left_out_text,
)
from companion.pages.i18n import _
from companion.ui.dialogs import Choose, Confirm
from companion.ui.screens.dice_photo import PhotoView, Ring
from companion.ui.theme import theme
from companion.ui.touch import Press, Touch
from companion.ui.widgets import Pages, Plate, Space, Text

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Learning"]

_FACES = dict(KINDS)


class Learning:
    """Shows the last photo and what the lesson knows, and changes both by taps; a class beside `Screen`."""

    root: Root
    refresh: Any
    _keep: Callable[[], None]
    """Remembers the lesson for when the screen is built anew, and shows it; the screen's."""
    _ask_stop: Any
    """Ends the lesson, asked where something would be lost; the screen's."""
    lesson: Lesson | None
    shown: LessonPhoto | None
    text: str
    is_fault: bool
    _view: PhotoView | None = None

    def _show_photo(self, body: Widget) -> None:
        view = PhotoView()
        view.photo = self.shown.photo if self.shown is not None else None
        view.rings = self._rings()
        self._view = view
        body.add_widget(view)
        plate = Plate(
            text=_("Another photo"),
            icon="camera",
            acts_on="release",
            size_hint_y=None,
            height=theme.target_px,
        )
        plate.bind(on_act=lambda _w, _t: self._another())
        body.add_widget(plate)

    def _another(self) -> None:
        self.shown, self.text, self.is_fault = None, "", False
        self._keep()

    def _rings(self) -> list[Ring | None]:
        """Mark every die: what it stands for, or that it does not count."""
        rings: list[Ring | None] = []
        for number in self.shown.numbers if self.shown is not None else ():
            mark = self.lesson.mark(number) if number is not None and self.lesson is not None else None
            if mark is None:
                rings.append(("danger", False, "×"))
            elif mark.counts:
                rings.append(("ok", False, str(mark.value)))
            else:
                rings.append(("danger", False, "?" if mark.value is None else f"{mark.value}?"))
        return rings

    def _takes_tap(self, touch: Touch) -> bool:
        """Ask what the die of the photo shows that a tap is on; say whether the tap was on the photo."""
        view = self._view
        if view is None or view.parent is None or not view.collide_point(*touch.pos):
            return False
        at = view.at(*touch.pos)
        if at is not None:
            self._ask_die(at)
        return True

    def _ask_die(self, index: int) -> None:
        """Let the table say what a die shows, which colour it has, or that it is none."""
        shown, lesson = self.shown, self.lesson
        if shown is None or lesson is None:
            return
        number, die = shown.numbers[index], shown.photo.dice[index]
        mark = lesson.mark(number) if number is not None else None
        if number is None or mark is None:
            why = left_out_text(die.colour, shown.why[index]) if shown.why[index] else _("Removed")
            self.root.notify(Notice("info", Typed(why), Say("Photograph it again so that it counts.")))
            return
        title = (
            _("What does it show?") if mark.value is None else _("Read as {value}").format(value=mark.value)
        )
        options: list[tuple[int | str, str]] = [
            (value, str(value)) for value in range(1, _FACES[lesson.kind] + 1)
        ]
        options += [("colour", _("Colour")), ("out", _("Not a die"))]

        def chosen(what: int | str) -> None:
            if what == "colour":
                colours = [(colour, colour_name(colour)) for colour in COLOURS]
                self.root.ask(Choose(_("Which colour?"), colours, recolour, columns=4))
                return
            if what == "out":
                lesson.drop(number)
            else:
                lesson.tell(number, int(what))
            self._keep()

        def recolour(colour: str) -> None:
            lesson.recolour(number, colour)
            self._keep()

        self.root.ask(Choose(title, options, chosen, columns=4))

    def _show_lesson(self, body: Widget, lesson: Lesson) -> None:
        head = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        head.add_widget(
            Text(text=f"{lesson.name} · {lesson.kind}", role="strong", may_shorten=True, wraps=False)
        )
        stop = Plate(icon="close", kind="quiet", acts_on="release", size_hint_x=None, width=theme.target_px)
        stop.bind(on_act=lambda _w, _t: self._ask_stop())
        head.add_widget(stop)
        body.add_widget(head)
        rows = lesson.colours()
        if rows:
            pages = Pages(row_px=theme.px(60))
            pages.make = self._colour_line
            pages.items = list(rows)
            body.add_widget(pages)
        else:
            body.add_widget(
                Text(
                    text=_(
                        "Show every value of each colour once: lay the dice flat and apart and take one photo "
                        "after another."
                    ),
                    size_hint_y=None,
                    height=theme.px(150),
                )
            )
            body.add_widget(Space())
        if self.text:
            tone = "danger" if self.is_fault else "muted"
            body.add_widget(
                Text(text=self.text, role="small", tone=tone, size_hint_y=None, height=theme.px(56))
            )

    def _colour_line(self, row: ColourRow) -> Widget:
        line = BoxLayout(spacing=theme.px(6))
        words = BoxLayout(orientation="vertical")
        words.add_widget(Text(text=colour_name(row.colour), role="strong", size_hint_y=0.7))
        tone = "ok" if not row.missing else "text"
        words.add_widget(Text(text=colour_text(row), role="small", tone=tone))
        line.add_widget(words)
        again = Plate(icon="undo", kind="quiet", acts_on="release", size_hint_x=None, width=theme.target_px)
        again.bind(on_act=lambda _w, _t: self._ask_again(row.colour))
        line.add_widget(again)
        return line

    def _ask_again(self, colour: str) -> None:
        def again(_touch: Press | None) -> None:
            if self.lesson is not None:
                self.lesson.forget(colour)
                self._keep()

        title = _("Start over with {colour}?").format(colour=colour_name(colour))
        text = _("What the photos showed of this colour is lost; the other colours stay.")
        self.root.ask(Confirm(title, text, _("Start over"), again, is_danger=True))
