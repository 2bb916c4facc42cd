"""The draft of a roll on the Dice screen: the photo with its readings, and the panel that corrects them die by die."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.pages.dice import COLOURS, Asked, DiceDraft, Photo, colour_name, photo_lines
from companion.pages.dice_groups import dice_blocks
from companion.pages.dice_live import FOLDER
from companion.pages.dice_sets import KINDS
from companion.pages.i18n import _
from companion.pages.modules import game_view
from companion.pages.page import ActId
from companion.ui.dialogs import Choose
from companion.ui.render.pen import Pen
from companion.ui.screens.dice_photo import PhotoView, Ring
from companion.ui.screens.dice_rows import DiceRows
from companion.ui.theme import theme
from companion.ui.touch import Touch
from companion.ui.widgets import DicePad, Plate, Text

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Drafting"]

_FACES = dict(KINDS)
_MOST = max(_FACES.values())


class Drafting:
    """Shows a photo and its draft and changes the draft by taps; a class beside `Screen`."""

    root: Root
    refresh: Any
    look: Any
    """Reads a source; the screen's."""
    kind: str
    """Of the dice that are asked for; empty: whatever lies there is read, and nothing is asked for."""
    asked: Asked
    photo: Photo | None
    draft: DiceDraft
    chosen: int
    """Index in the draft of the die that is corrected; -1 for none."""
    _key: str
    _view: PhotoView | None = None

    def _show_photo(self, body: Widget) -> None:
        view = PhotoView()
        view.photo = self.photo
        view.rings = self._rings()
        self._view = view
        body.add_widget(view)
        if self.chosen < 0 or self.photo is None:
            return
        for line in photo_lines(self.photo, self.draft):  # beside the pad there is no room under the heading
            text = Text(text=line, role="small", wraps=theme.is_portrait, may_shorten=True)
            text.size_hint_y, text.height = None, theme.px(40 if theme.is_portrait else 22)
            body.add_widget(text)

    def _rings(self) -> list[Ring | None]:
        rings: list[Ring | None] = [None] * (len(self.photo.dice) if self.photo is not None else 0)
        for index, die in enumerate(self.draft.dice):
            if die.seen >= 0:
                tone = "accent" if index == self.chosen else "ok" if die.is_sure else "danger"
                text = die.mark if die.value is None or die.is_sure else f"{die.mark}?"
                rings[die.seen] = (tone, index == self.chosen, text)
        return rings

    def _takes_tap(self, touch: Touch) -> bool:
        """Choose the die of the photo that a tap is on; say whether there was one."""
        view = self._view
        if self.photo is None or view is None or view.parent is None or not view.collide_point(*touch.pos):
            return False
        seen = view.at(*touch.pos)
        found = [i for i, die in enumerate(self.draft.dice) if die.seen == seen] if seen is not None else []
        if found:
            self.choose(found[0])
        return seen is not None

    def choose(self, index: int) -> None:
        """Make a die the one that is corrected."""
        self.chosen = index
        self.refresh(self.root.desk.change)

    def _show_draft(self, body: Widget) -> None:
        if 0 <= self.chosen < len(self.draft.dice):
            self._show_die(body, self.chosen)
            return
        acts = [ActId(str(index)) for index in range(len(self.draft.dice))]
        pen = Pen(lambda act, _touch: self.choose(int(act)), lambda _words: None)
        body.add_widget(DiceRows(pen, dice_blocks(self.draft, self._faces(), acts)))
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        is_camera = self._key not in ("", FOLDER) and self.root.eye.can_watch(self._key)
        again = [(_("Read again"), self._read_again)] if is_camera else []
        for text, act in ((_("Add a die"), self._add), *again, (_("Another photo"), self._again)):
            plate = Plate(text=text, kind="quiet", acts_on="release", role="body")
            plate.bind(on_act=lambda _w, _t, act=act: act())
            foot.add_widget(plate)
        body.add_widget(foot)

    def _show_die(self, body: Widget, index: int) -> None:
        die = self.draft.dice[index]
        colour = colour_name(die.colour)
        note = f": {die.note}" if die.note else ""
        head = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        every = Plate(icon="back", kind="quiet", acts_on="release", size_hint_x=None, width=theme.target_px)
        every.bind(on_act=lambda _w, _t: self.choose(-1))
        head.add_widget(every)
        head.add_widget(Text(text=f"{die.mark}  {colour}{note}", role="small" if note else "strong"))
        body.add_widget(head)
        pad = DicePad(faces=self._faces(die.kind))
        pad.cols = 6 if theme.is_portrait else 4
        pad.spacing = theme.px(4)
        pad.bind(on_face=lambda _w, value: self._set(index, value))
        body.add_widget(pad)
        asked = self.colours_to_say
        if asked:
            body.add_widget(self._colour_row(index, asked))
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(6))
        value = die.value
        right = [] if value is None else [(_("That is right"), lambda: self._set(index, value))]
        for text, act in (
            *right,
            *([] if asked else [(_("Colour"), lambda: self._ask_colour(index))]),
            (_("Not a die"), lambda: self._remove(index)),
        ):
            plate = Plate(text=text, kind="quiet", acts_on="release", role="body", padding=(theme.px(4), 0))
            plate.bind(on_act=lambda _w, _t, act=act: act())
            foot.add_widget(plate)
        body.add_widget(foot)

    def _faces(self, kind: str = "") -> int:
        """Return how many faces a die of a kind, or of the kind that is asked for, has; the most where neither is told."""
        return _FACES.get(kind or self.kind, _MOST)

    @property
    def colours_to_say(self) -> list[str]:
        """The colours that a die can be said to have by one tap, where the roll asks for several; else none."""
        asked = [colour for colour, _count in self.asked if colour]
        return asked if len(asked) > 1 else []

    def _colour_row(self, index: int, colours: list[str]) -> Widget:
        """The colours that the roll asks for, each a tap away; the die's own is marked."""
        row = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(4))
        for colour in colours:
            kind = "chosen" if colour == self.draft.dice[index].colour else "soft"
            plate = Plate(
                text=colour_name(colour), kind=kind, acts_on="release", role="body", padding=(theme.px(2), 0)
            )
            plate.bind(on_act=lambda _w, _t, colour=colour: self._recolour(index, colour))
            row.add_widget(plate)
        return row

    def _recolour(self, index: int, colour: str) -> None:
        """Say a die's colour; one that is settled by that makes room for the next."""
        self.draft = self.draft.with_colour(index, colour)
        if self.draft.dice[index].is_sure:
            self._next_doubt()
        else:
            self.refresh(self.root.desk.change)

    def _set(self, index: int, value: int) -> None:
        self.draft = self.draft.with_value(index, value)
        self._next_doubt()

    def _remove(self, index: int) -> None:
        self.draft = self.draft.without(index)
        self._next_doubt()

    def _colours(self) -> tuple[str, ...]:
        """Return the colours that a die can be said to have: those of the open game, else the usual ones."""
        change = self.root.desk.change
        state = None if change is None or change.state.setup is None else change.state
        own = () if state is None else game_view(state.frozen_setup.game).dice_colours(state)
        return own or COLOURS

    def _ask_colour(self, index: int) -> None:
        options = [(colour, colour_name(colour)) for colour in self._colours()]

        self.root.ask(Choose(_("Which colour?"), options, lambda colour: self._recolour(index, colour)))

    def _add(self) -> None:
        options = [(value, str(value)) for value in range(1, self._faces() + 1)]
        colour = self.draft.colour_to_add if self.asked else self._colours()[0]

        def chosen(value: int) -> None:
            self.draft = self.draft.with_die(value, colour)
            self.refresh(self.root.desk.change)

        self.root.ask(Choose(_("What does it show?"), options, chosen, columns=4))

    def _clear(self) -> None:
        """Forget the photo and what was made of it."""
        self.photo, self.draft, self.chosen = None, DiceDraft(asked=self.asked), -1

    def _again(self) -> None:
        self._clear()
        self.refresh(self.root.desk.change)

    def _read_again(self) -> None:
        """Read the same tray once more."""
        self._clear()
        self.look(self._key, now=True)

    @property
    def is_counted(self) -> bool:
        """Whether what is read goes into a roll; else it is only looked at."""
        raise NotImplementedError

    def _first_doubt(self) -> int:
        """Return the first die that is not sure; -1 where all are, or where nothing counts them."""
        if not self.is_counted:
            return -1
        return next((i for i, die in enumerate(self.draft.dice) if not die.is_sure), -1)

    def _next_doubt(self) -> None:
        self.choose(self._first_doubt())
