"""Dice: read a roll from a photo, see every reading on it, correct by a tap, accept.

Opened from a battle it knows which dice are asked for and records them there; from Settings it only reads, and from Home
whatever lies there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kivy.uix.widget import Widget
from msgspec.structs import replace

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.dice import DiceOrigin
from companion.pages.dice import (
    Asked,
    DiceDraft,
    Photo,
    colour_name,
    counted_in,
    dice_text,
    draft_of,
    left_text,
    lessons,
    photo_lines,
    problem,
)
from companion.pages.dice_eye import no_photo
from companion.pages.dice_live import FOLDER, LiveView
from companion.pages.dice_sets import trouble_text
from companion.pages.i18n import _, ngettext
from companion.pages.labels import entry_label
from companion.ui.dialogs import Confirm
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.dice_draft import Drafting
from companion.ui.screens.dice_live import LivePanel, LivePicture
from companion.ui.screens.dice_look import Looking
from companion.ui.theme import theme
from companion.ui.touch import Press, Touch
from companion.ui.widgets import Plate, Text

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["DiceScreen"]


class DiceScreen(Drafting, Looking, Screen):
    """Reads one roll."""

    def __init__(self, root: Root, **kwargs: object) -> None:
        self.kind = ""
        self.asked: Asked = ()
        self.what = ""
        """What the dice are rolled for, as the screen that asks words it."""
        self.back: tuple[str, dict[str, object]] = ("table", {})
        self.record: Callable[[tuple[int, ...], DiceOrigin], dict[str, object]] | None = None
        """Makes of values and origin the arguments for the way back."""
        self.command: Callable[[DiceDraft], Command] | None = None
        """Makes of the accepted dice what is sent at once."""
        self.photo: Photo | None = None
        self.draft = DiceDraft()
        self.chosen = -1
        self.fault = ""
        self.live: LiveView | None = None
        """What a watched tray looks like now; its picture is the newest that came."""
        self._key = ""
        """The source that was last chosen."""
        self._panel: LivePanel | None = None
        self._picture: LivePicture | None = None
        super().__init__(root, **kwargs)

    def enter(
        self,
        kind: str = "",
        asked: Asked = (),
        what: str = "",
        back: tuple[str, dict[str, object]] = ("table", {}),
        record: Callable[[tuple[int, ...], DiceOrigin], dict[str, object]] | None = None,
        *,
        command: Callable[[DiceDraft], Command] | None = None,
        **_args: object,
    ) -> None:
        """Take what a roll asks for, and where it goes."""
        self.kind, self.asked, self.back, self.record = kind, tuple(asked), back, record
        self.what, self.command = what, command
        self.draft = DiceDraft(asked=self.asked)

    def leave(self) -> None:
        """Stop a reading that is under way."""
        self._stop()

    def refresh(self, change: Change | None) -> None:  # noqa: ARG002
        """Show the photo and the draft, or where photos come from."""
        left, right = self.ids.left, self.ids.right
        left.clear_widgets()
        right.clear_widgets()
        has_two = self._look is not None or self.photo is not None
        right.size_hint_x = (1 if theme.is_portrait else 0.62) if has_two else None
        right.size_hint_y = (1.1 if theme.is_portrait else 1) if has_two else None
        right.size = (0, 0)
        told = right if has_two else left
        if (
            self.chosen < 0 or not self.colours_to_say
        ):  # their row needs the room, and says which are asked for
            self._heading(told)
        self._panel = self._picture = None
        if self._look is not None and self.live is not None:
            self._show_live(left, right)
        elif self._look is not None:
            self._show_reading(left)
        elif self.photo is not None:
            self._show_photo(left)
            self._show_draft(right)
        else:
            self._show_sources(left)
        names = {colour: colour_name(colour) for colour, _count in self.asked if colour}
        fault = problem(self.draft, names)
        can_accept = self.photo is not None and not fault and self._look is None
        if self.photo is not None and self.is_counted:
            self.main_text, self.main_enabled, self.why_not = _("Accept"), can_accept, fault
        else:
            self.main_text, self.main_enabled, self.why_not = _("Back"), True, ""
        words = self.fault or (
            left_text(self.draft, names) if has_two and self.live is None and self.is_counted else ""
        )
        if words and self.chosen < 0:
            tone = "danger" if self.fault else "muted"
            told.add_widget(Text(text=words, role="small", tone=tone, size_hint_y=None, height=theme.px(44)))

    # Where photos come from

    def _heading(self, body: Widget) -> None:
        wanted = ", ".join(
            dice_text(count, colour_name(colour) if colour else "") for colour, count in self.asked
        )
        text = _("Needed: {dice}").format(dice=wanted) if wanted else _("Read dice")
        is_long = len(self.asked) > 1 and not theme.is_portrait
        head = Text(text=text, role="strong", wraps=is_long, may_shorten=True, size_hint_y=None)
        head.height = theme.px(44 if is_long else 28)
        body.add_widget(head)
        if self.what and self.chosen < 0:
            body.add_widget(Text(text=self.what, role="small", size_hint_y=None, height=theme.px(40)))
        if self.photo is not None and self.chosen < 0:
            for line in photo_lines(self.photo, self.draft):
                body.add_widget(Text(text=line, role="small", size_hint_y=None, height=theme.px(40)))

    def _show_sources(self, body: Widget) -> None:
        if [key for key, _name in self._offers()] == [FOLDER]:
            text = Text(text=no_photo(self.root.eye.place()), role="small", tone="muted")
            text.size_hint_y, text.height = None, theme.px(40)
            body.add_widget(text)
        self._show_offers(body)
        body.add_widget(self._set_plate())
        learned = self.root.dice_habit.learned()
        if learned:
            body.add_widget(self._learned_plate(learned))

    def _set_plate(self) -> Widget:
        """The set of own dice that helps to read, or why it does not; a tap opens the list of sets."""
        chosen = self.root.dice_sets.chosen()
        trouble = trouble_text(chosen)
        plate = Plate(
            text=trouble or _("Dice set: {name}").format(name=chosen.name if chosen is not None else _("none")),
            icon="warning" if trouble else "dice", kind="quiet", role="body", align="left", acts_on="release",
            size_hint_y=None, height=theme.target_px,
        )  # fmt: skip
        here = {
            "kind": self.kind,
            "asked": self.asked,
            "what": self.what,
            "back": self.back,
            "record": self.record,
            "command": self.command,
        }
        plate.bind(on_act=lambda _w, _t: self.root.go("dice_sets", back=("dice", here)))
        return plate

    def _learned_plate(self, count: int) -> Widget:
        """Of how many answers the reader learnt how sure it may be; a tap asks whether to forget that."""
        text = ngettext("Learned from {n} answer", "Learned from {n} answers", count).format(n=count)
        plate = Plate(
            text=text, icon="undo", kind="quiet", role="body", align="left", acts_on="release",
            size_hint_y=None, height=theme.target_px,
        )  # fmt: skip
        why = _("Corrections make the reader ask about more or fewer dice. It starts afresh.")

        def forget(_touch: Press | None) -> None:
            self.root.dice_habit.forget()
            self.refresh(self.root.desk.change)

        plate.bind(
            on_act=lambda _w, _t: self.root.ask(
                Confirm(_("Forget what was learned?"), why, _("Forget"), forget)
            )
        )
        return plate

    @property
    def is_counted(self) -> bool:
        """Whether what is read goes into a roll; else it is only looked at."""
        return self.record is not None or self.command is not None

    @property
    def is_offering(self) -> bool:
        """Whether neither a photo nor a reading takes the place of the list of photos and cameras."""
        return self.photo is None and super().is_offering

    def look(self, key: str, *, now: bool = False) -> None:
        """Read a photo, or watch a tray until a roll was made; `now` reads the tray without waiting."""
        self._stop()
        self.fault, self.share = "", 0.0
        self._key = key
        eye, want = self.root.eye, (key, self.kind, self.asked)
        self._look = True  # a reader may answer before it returns
        if eye.can_watch(key):
            self.live = LiveView("opening")
            look = eye.watch(
                *want,
                shown=self._shown,
                done=self._done,
                failed=self._failed,
                progress=self._progress,
                now=now,
            )
        else:
            look = eye.look(*want, done=self._done, failed=self._failed, progress=self._progress)
        self._hold(look)
        self.refresh(self.root.desk.change)

    def _show_live(self, left: Widget, right: Widget) -> None:
        view = self.live
        assert view is not None
        self._picture = LivePicture()
        left.add_widget(self._picture)
        self._panel = LivePanel(is_camera=self._key != FOLDER, on_read=self._read_now, on_cancel=self._cancel)
        self._bar = self._panel.bar
        right.add_widget(self._panel)
        self._panel.show(view)
        if view.rgb:
            self._picture.show(view.width_px, view.height_px, view.rgb)

    def _shown(self, view: LiveView) -> None:
        """Show a state and, where there is one, a new frame, without laying out anything anew."""
        if self._look is None or self.live is None:
            return
        kept = self.live
        self.live = (
            view
            if view.rgb
            else replace(view, width_px=kept.width_px, height_px=kept.height_px, rgb=kept.rgb)
        )
        if self._panel is not None:
            self._panel.show(view)
        if self._picture is not None and view.rgb:
            self._picture.show(view.width_px, view.height_px, view.rgb)

    def _read_now(self) -> None:
        if self._look not in (None, True):
            self._look.read_now()

    def _show_reading(self, body: Widget) -> None:
        body.add_widget(Text(text=_("Reading the dice"), role="heading", align="center"))
        self._add_bar(body)

    def _done(self, photo: Photo) -> None:
        self._look, self.live, self.photo = None, None, photo
        self.draft = draft_of(photo, self.asked, self.kind)
        self.chosen = self._first_doubt()
        if self.root.screen is self:
            self.refresh(self.root.desk.change)

    def _failed(self, text: str) -> None:
        self._look, self.live, self.fault = None, None, text
        if self.root.screen is self:
            self.refresh(self.root.desk.change)

    def _stop(self) -> None:
        super()._stop()
        self.live = None

    def on_touch_down(self, touch: Touch) -> bool:
        """A tap on a die of the photo chooses it."""
        return self._takes_tap(touch) or bool(super().on_touch_down(touch))

    def on_key(self, name: str, event: Press) -> bool:  # noqa: ARG002
        """The back key closes a die, then stops a reading, then goes where the screen was opened from."""
        if name not in ("back", "previous"):
            return False
        if self._look is not None:
            self._cancel()
        elif self.photo is not None and self.chosen >= 0:
            self.choose(-1)
        else:
            self._go_back({})
        return True

    def main_act(self, touch: Press | None) -> None:
        """Accept the roll, or go back; a photo whose dice were counted before is counted again only when that is wanted."""
        desk = self.root.desk
        if self.photo is None or not self.is_counted or desk.change is None:
            self._accept(touch)
            return
        before = counted_in(desk.entries(), desk.counts, self.photo.sha256)
        if before is None:
            self._accept(touch)
            return
        text = _("Its dice were counted before: {entry}").format(entry=entry_label(before, desk.change.state))
        self.root.ask(Confirm(_("Count this photo again?"), text, _("Count it again"), self._accept))

    def _accept(self, _touch: Press | None) -> None:
        args: dict[str, object] = {}
        if self.photo is not None and self.is_counted:
            self.root.dice_habit.learn(lessons(self.photo, self.draft))
        if self.photo is not None and self.record is not None:
            args = self.record(self.draft.values(), self.draft.origin())
        elif self.photo is not None and self.command is not None:
            self.send(self.command(self.draft), source="camera")
        self._go_back(args)

    def _go_back(self, entered: dict[str, object]) -> None:
        key, args = self.back
        if key == "table" and self.root.desk.change is None:
            key = "home"
        self.root.go(key, **{**args, **entered})


load_kv(__file__)
