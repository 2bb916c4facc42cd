"""Dice sets: choose the set that helps to read your own dice, delete one, or learn one photo by photo.

Opened from Settings or from the Dice screen, it goes back there. A lesson lives as long as the screen, also when theme,
size or language change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.core.change import Change
from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.pages.dice_sets import (
    KINDS,
    Lesson,
    LessonPhoto,
    SetRow,
    lesson_fault,
    photo_text,
    set_text,
)
from companion.pages.i18n import _
from companion.pages.settings import SettingsDraft
from companion.ui.dialogs import Choose, Confirm
from companion.ui.letters import TextEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.dice_lesson import Learning
from companion.ui.screens.dice_look import Looking
from companion.ui.theme import theme
from companion.ui.touch import Press, Touch
from companion.ui.widgets import Pages, Plate, Text

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["DiceSetsScreen"]

_BACK: tuple[str, dict[str, object]] = ("settings", {"draft": SettingsDraft("dice")})


class DiceSetsScreen(Learning, Looking, Screen):
    """Lists the sets, or learns one."""

    def __init__(self, root: Root, **kwargs: object) -> None:
        self.back: tuple[str, dict[str, object]] = _BACK
        self.lesson: Lesson | None = None
        self.shown: LessonPhoto | None = None
        """The photo that was shown last, while it is on the screen."""
        self.text = ""
        """What came of it, or why it could not be read."""
        self.is_fault = False
        self._going_on = ""
        self._line: Any = None
        super().__init__(root, **kwargs)

    def enter(
        self,
        back: tuple[str, dict[str, object]] = _BACK,
        lesson: Lesson | None = None,
        shown: LessonPhoto | None = None,
        **_args: object,
    ) -> None:
        """Take where to go back to, and a lesson that is under way."""
        self.back, self.lesson, self.shown = back, lesson, shown
        if shown is not None:
            self.text = photo_text(shown)

    def leave(self) -> None:
        """Stop a reading that is under way."""
        self._stop()

    def refresh(self, change: Change | None) -> None:  # noqa: ARG002
        """Show the sets, or the lesson."""
        left, right = self.ids.left, self.ids.right
        left.clear_widgets()
        right.clear_widgets()
        self._view = None
        has_two = self.lesson is not None
        right.size_hint_x = (1 if theme.is_portrait else 0.8) if has_two else None
        right.size_hint_y = 1 if has_two else (None if theme.is_portrait else 1)
        right.size = (0, 0)
        self.spacing = theme.px(10) if has_two else 0
        if self.lesson is None:
            self._show_sets(left)
            self.main_text, self.main_enabled, self.why_not = _("Done"), True, ""
            return
        if self._look is not None:
            self._show_reading(left)
        elif self.shown is not None:
            self._show_photo(left)
        else:
            self._show_offers(left)
        self._show_lesson(right, self.lesson)
        self.main_text = _("Save the set")
        self.why_not = lesson_fault(self.lesson.colours()) if self._look is None else _("Reading the dice")
        self.main_enabled = not self.why_not

    # The sets there are

    def _show_sets(self, body: Widget) -> None:
        pages = Pages(row_px=theme.px(60))
        pages.make = self._set_line
        chosen = self.root.dice_sets.chosen()
        rows = [row for row in self.root.dice_sets.sets() if chosen is None or row.name != chosen.name]
        first = [] if chosen is None else [(chosen.name, chosen)]  # also one that is gone
        pages.items = [("", None), *first, *((row.name, row) for row in rows)]
        body.add_widget(pages)
        plate = Plate(
            text=_("Learn a set"), icon="plus", acts_on="release", size_hint_y=None, height=theme.target_px
        )
        plate.bind(on_act=lambda _w, _t: self._ask_name())
        body.add_widget(plate)

    def _set_line(self, item: tuple[str, SetRow | None]) -> Widget:
        name, row = item
        line = BoxLayout(spacing=theme.px(6))
        is_chosen = name == self.root.settings.dice_set
        plate = Plate(
            text=name or _("No set"),
            sub=set_text(row),
            icon="warning" if row is not None and row.trouble else "check" if is_chosen else "",
            kind="chosen" if is_chosen else "row",
            align="left",
            acts_on="release",
        )
        plate.bind(on_act=lambda _w, _t: self._choose(name, row))
        line.add_widget(plate)
        if row is not None:
            trash = Plate(
                icon="trash", kind="quiet", acts_on="release", size_hint_x=None, width=theme.target_px
            )
            trash.bind(on_act=lambda _w, _t: self._ask_delete(row))
            line.add_widget(trash)
        return line

    def _choose(self, name: str, row: SetRow | None) -> None:
        """Use a set; one that cannot be used is learnt again instead."""
        if row is not None and row.trouble:
            self._ask_kind(name)
        else:
            self.root.set("dice_set", name)

    def _ask_delete(self, row: SetRow) -> None:
        def delete(_touch: Press | None) -> None:
            fault = self.root.dice_sets.delete(row.name)
            if fault:
                self.root.notify(Notice("error", Typed(fault)))
            elif self.root.settings.dice_set == row.name:
                self.root.set("dice_set", "")
            self.refresh(self.root.desk.change)

        title = _("Delete {name}?").format(name=row.name)
        text = _("What was learnt from these dice is lost. To get it back, photograph every value again.")
        self.root.ask(Confirm(title, text, _("Delete"), delete, is_danger=True))

    # A new lesson

    def _ask_name(self, value: str = "") -> None:
        self.root.ask(TextEntry(_("Name of the set"), self._named, value=value, done=_("Next")))

    def _named(self, name: str) -> None:
        fault = self.root.dice_sets.name_fault(name)
        if fault:
            self._ask_name(name)
            self.root.notify(Notice("warning", Typed(fault)))
        elif name in {row.name for row in self.root.dice_sets.sets()}:
            text = _("A set with this name exists. It stays until the new one is saved.")
            title = _("Learn {name} again?").format(name=name)
            self.root.ask(Confirm(title, text, _("Learn again"), lambda _touch: self._ask_kind(name)))
        else:
            self._ask_kind(name)

    def _ask_kind(self, name: str) -> None:
        options = [(kind, _("{kind}, 1 to {faces}").format(kind=kind, faces=faces)) for kind, faces in KINDS]
        self.root.ask(Choose(_("Which dice are in it?"), options, lambda kind: self._begin(name, kind)))

    def _begin(self, name: str, kind: str) -> None:
        self.lesson, self.shown, self.text, self.is_fault = (
            self.root.dice_sets.begin(name, kind),
            None,
            "",
            False,
        )
        self._keep()

    def _keep(self) -> None:
        """Remember the lesson for when the screen is built again, and show it."""
        self.root.keep_args(lesson=self.lesson, shown=self.shown)
        self.refresh(self.root.desk.change)

    def _ask_stop(self) -> None:
        if self.lesson is None or not self.lesson.colours():
            self._end()
            return
        title = _("Stop learning {name}?").format(name=self.lesson.name)
        text = _("What these photos showed is lost; a set saved earlier stays as it is.")
        self.root.ask(Confirm(title, text, _("Stop"), lambda _touch: self._end(), is_danger=True))

    def _end(self) -> None:
        self._stop()
        self.lesson = self.shown = None
        self._keep()

    # Photos

    @property
    def is_offering(self) -> bool:
        """Whether a lesson waits for its next photo."""
        return self.lesson is not None and self.shown is None and super().is_offering

    def tick(self, now_ms: int) -> int | None:
        """Look for photos and cameras during a lesson; the list of sets never changes by itself."""
        return None if self.lesson is None else super().tick(now_ms)

    def look(self, key: str) -> None:
        """Show a photo to the lesson."""
        if self.lesson is None:
            return
        self._stop()
        self.text, self.is_fault, self.share = "", False, 0.0
        self._look = True  # a reader may answer before it returns
        self._going_on = _("Reading the dice")
        look = self.root.dice_sets.show(
            key, self.lesson, done=self._done, failed=self._failed, progress=self._progress, told=self._told
        )
        self._hold(look)
        self.refresh(self.root.desk.change)

    def _show_reading(self, body: Widget) -> None:
        self._line = Text(text=self._going_on, role="heading", align="center")
        body.add_widget(self._line)
        self._add_bar(body)

    def _told(self, text: str) -> None:
        self._going_on = text
        if self._look is not None and self._line is not None:
            self._line.text = text

    def _done(self, shown: LessonPhoto) -> None:
        self._look, self.shown, self.text = None, shown, photo_text(shown)
        if self.root.screen is self:
            self._keep()

    def _failed(self, text: str) -> None:
        self._look, self.text, self.is_fault = None, text, True
        if self.root.screen is self:
            self.refresh(self.root.desk.change)

    # Going on

    def on_touch_down(self, touch: Touch) -> bool:
        """A tap on a die of the photo asks what it shows."""
        return self._takes_tap(touch) or bool(super().on_touch_down(touch))

    def on_key(self, name: str, event: Press) -> bool:  # noqa: ARG002
        """The back key stops a reading, leaves a photo, asks before it leaves a lesson, then goes back."""
        if name not in ("back", "previous"):
            return False
        if self._look is not None:
            self._cancel()
        elif self.shown is not None:
            self._another()
        elif self.lesson is not None:
            self._ask_stop()
        else:
            self._go_back()
        return True

    def main_act(self, touch: Press | None) -> None:  # noqa: ARG002
        """Save the set and use it, or go back."""
        lesson = self.lesson
        if lesson is None:
            self._go_back()
            return
        fault = lesson.save()
        if fault:
            self.text, self.is_fault = fault, True
            self.refresh(self.root.desk.change)
            return
        self._end()
        self.root.set("dice_set", lesson.name)
        self.root.notify(
            Notice("info", Say("{name} has been learnt and is used from now on", name=Typed(lesson.name)))
        )

    def _go_back(self) -> None:
        key, args = self.back
        self.root.go(key, **args)


load_kv(__file__)
