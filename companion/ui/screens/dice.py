"""Dice: read a roll from a photo, see every reading on it, correct by a tap, accept.

Opened from a battle it knows which dice are asked for and records them there; opened from More it only reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, Line, Rectangle
from kivy.graphics.texture import Texture
from kivy.properties import ListProperty, ObjectProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.core.change import Change
from companion.core.dice import DiceOrigin
from companion.presenters.battle_fight import RollLine, read_command
from companion.presenters.battle_words import COLOURS, die_colours
from companion.presenters.dice import (
    Asked,
    DiceDraft,
    DraftDie,
    Photo,
    colour_name,
    dice_text,
    draft_of,
    left_text,
    no_photo,
    photo_lines,
    problem,
)
from companion.presenters.dice_live import FOLDER, LiveView
from companion.presenters.dice_sets import trouble_text
from companion.presenters.i18n import _
from companion.ui.dialogs import Choose
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.dice_live import LivePanel, LivePicture
from companion.ui.screens.dice_look import Looking
from companion.ui.theme import theme
from companion.ui.widgets import DicePad, Pages, Plate, Text

__all__ = ["DiceScreen"]

_LOOK_AGAIN_MS = 2000
"""How often the folder is looked into while its photos are offered."""

_LARGE = 0.46
"""Side of the chosen die's picture, as a share of the photo's shorter side."""
_AROUND = 1.35
"""How far around a die it reaches, in the die's radii."""
_FACES = {"d6": 6, "d10": 10, "d12": 12}


class PhotoView(Widget):
    """A photo with a ring and its reading at every die; the chosen one stands large in the corner it is farthest from."""

    photo = ObjectProperty(None, allownone=True)
    rings = ListProperty([])
    """Per die of the photo: colour token, whether it is chosen, its reading; None where it was taken out."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._texture: Any = None
        self._large: tuple[float, float, float] | None = None
        """Where the chosen die stands large: left, low, side, in window pixels."""
        for name in ("photo", "rings", "pos", "size"):
            self.fbind(name, self._draw)

    def area(self) -> tuple[float, float, float, float]:
        """Return where the photo lies: x, y, width, height, in window pixels."""
        if self.photo is None:
            return (self.x, self.y, 0, 0)
        scale = min(self.width / self.photo.width_px, self.height / self.photo.height_px)
        width, height = self.photo.width_px * scale, self.photo.height_px * scale
        return (self.center_x - width / 2, self.center_y - height / 2, width, height)

    def spot(self, index: int) -> tuple[float, float, float]:
        """Return centre and radius of a die, in window pixels."""
        die = self.photo.dice[index]
        x, y, width, height = self.area()
        return (x + die.x * width, y + (1 - die.y) * height, max(die.radius * width, theme.px(10)))

    def at(self, x: float, y: float) -> int | None:
        """Return the die under a point, with a thumb's width to spare."""
        if self._large is not None:
            left, low, side = self._large
            if left <= x <= left + side and low <= y <= low + side:
                return next(i for i, ring in enumerate(self.rings) if ring is not None and ring[1])
        best, least = None, theme.target_px * 0.6
        for index in range(len(self.photo.dice) if self.photo is not None else 0):
            cx, cy, radius = self.spot(index)
            away = ((x - cx) ** 2 + (y - cy) ** 2) ** 0.5 - radius
            if away < least:
                best, least = index, away
        return best

    def _draw(self, *_args: Any) -> None:
        self.canvas.clear()
        self._large = None
        photo = self.photo
        if photo is None:
            return
        if self._texture is None:
            self._texture = Texture.create(size=(photo.width_px, photo.height_px), colorfmt="rgb")
            self._texture.blit_buffer(photo.rgb, colorfmt="rgb", bufferfmt="ubyte")
            self._texture.flip_vertical()
        x, y, width, height = self.area()
        with self.canvas:
            Color(1, 1, 1, 1)
            Rectangle(texture=self._texture, pos=(x, y), size=(width, height))
            for index, ring in enumerate(self.rings):
                if ring is None:
                    continue
                tone, is_chosen, _text = ring
                cx, cy, radius = self.spot(index)
                Color(*theme.color(tone))
                Line(circle=(cx, cy, radius), width=theme.px(3.0 if is_chosen else 1.8))
            for index, ring in enumerate(
                self.rings
            ):  # over all rings: a neighbour's must not cross a reading
                if ring is not None:
                    self._mark(index, ring[2], ring[0])
            for index, ring in enumerate(self.rings):
                if ring is not None and ring[1]:
                    self._enlarge(index, ring[0])

    def _enlarge(self, index: int, tone: str) -> None:
        """Show a die large in the corner of the photo that lies farthest from it."""
        die, photo = self.photo.dice[index], self.photo
        x, y, width, height = self.area()
        side = round(_LARGE * min(width, height))
        left = round(x + width - side if die.x < 0.5 else x)
        low = round(y if die.y < 0.5 else y + height - side)
        self._large = (left, low, side)
        # as much of the photo as is seen around the die, moved inside it where the die lies at its edge
        wide = min(1.0, 2 * _AROUND * die.radius)
        tall = min(1.0, wide * photo.width_px / photo.height_px)
        from_left = min(max(die.x - wide / 2, 0.0), 1 - wide)
        from_top = min(max(die.y - tall / 2, 0.0), 1 - tall)
        corners = self._texture.tex_coords
        (u0, v1), (u1, v0) = corners[0:2], corners[4:6]
        u = [u0 + share * (u1 - u0) for share in (from_left, from_left + wide)]
        v = [v0 + share * (v1 - v0) for share in (from_top, from_top + tall)]
        edge = theme.px(3)
        Color(*theme.color(tone))
        Rectangle(pos=(left, low), size=(side, side))
        Color(1, 1, 1, 1)
        Rectangle(
            texture=self._texture, pos=(left + edge, low + edge), size=(side - 2 * edge, side - 2 * edge),
            tex_coords=(u[0], v[1], u[1], v[1], u[1], v[0], u[0], v[0]),
        )  # fmt: skip

    def _mark(self, index: int, text: str, tone: str) -> None:
        """Write a reading on a dark plate at the upper right of its die, inside the photo."""
        label = CoreLabel(text=text, font_size=theme.font_px("small"), font_name="Roboto", bold=True)
        label.refresh()
        width, height = label.texture.size
        wide = width + theme.px(6)
        cx, cy, radius = self.spot(index)
        x, y, room, tall = self.area()
        left = round(min(max(cx + radius * 0.7 - theme.px(3), x), x + room - wide))
        low = round(min(max(cy + radius * 0.7 - height / 3, y), y + tall - height))
        Color(*theme.color("ground"))
        Rectangle(pos=(left, low), size=(wide, height))
        Color(*theme.color(tone))
        Rectangle(texture=label.texture, pos=(left + round(theme.px(3)), low), size=(width, height))


class DiceScreen(Looking, Screen):
    """Reads one roll."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.kind = "d12"
        self.asked: Asked = ()
        self.what = ""
        """What the dice are rolled for, as the screen that asks words it."""
        self.back: tuple[str, dict[str, Any]] = ("table", {})
        self.record: (
            tuple[str, tuple[RollLine, ...]] | Callable[[tuple[int, ...], DiceOrigin], dict[str, Any]] | None
        ) = None
        """The battle with its lines that are recorded, or what makes of values and origin the arguments for the way back."""
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
        self._offered: list[tuple[str, str]] = []
        super().__init__(root, **kwargs)

    def enter(
        self,
        kind: str = "d12",
        asked: Any = (),
        what: str = "",
        back: Any = ("table", {}),
        record: Any = None,
        **_args: Any,
    ) -> None:
        """Take what a roll asks for, and where it goes."""
        self.kind, self.asked, self.back, self.record = kind, tuple(asked), back, record
        self.what = what
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
        right.size_hint_y = (0.8 if theme.is_portrait else 1) if has_two else None
        right.size = (0, 0)
        told = right if has_two else left
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
        names = {key: _(text) for key, text in COLOURS.items()}
        fault = problem(self.draft, names)
        can_accept = self.photo is not None and not fault and self._look is None
        if self.photo is not None and self.record is not None:
            self.main_text, self.main_enabled = _("Accept"), can_accept
        else:
            self.main_text, self.main_enabled = _("Back"), True
        words = self.fault or (
            (fault or left_text(self.draft, names)) if has_two and self.live is None else ""
        )
        if words and self.chosen < 0:
            tone = "danger" if self.fault else "muted"
            told.add_widget(Text(text=words, role="small", tone=tone, size_hint_y=None, height=theme.px(44)))

    # Where photos come from

    def _heading(self, body: Any) -> None:
        wanted = ", ".join(dice_text(count, _(COLOURS.get(colour, colour))) for colour, count in self.asked)
        text = _("Asked for: {dice}").format(dice=wanted) if wanted else _("Read dice")
        is_long = len(self.asked) > 1 and not theme.is_portrait
        head = Text(text=text, role="strong", wraps=is_long, may_shorten=True, size_hint_y=None)
        head.height = theme.px(44 if is_long else 28)
        body.add_widget(head)
        if self.what and self.chosen < 0:
            body.add_widget(Text(text=self.what, role="small", size_hint_y=None, height=theme.px(40)))
        if self.photo is not None and self.chosen < 0:
            for line in photo_lines(self.photo, self.draft):
                body.add_widget(Text(text=line, role="small", size_hint_y=None, height=theme.px(40)))

    def _show_sources(self, body: Any) -> None:
        eye = self.root.eye
        offered = self._offers()
        if [key for key, _name in offered] == [FOLDER]:
            text = Text(text=no_photo(eye.place()), role="small", tone="muted")
            text.size_hint_y, text.height = None, theme.px(40)
            body.add_widget(text)
        pages = Pages(row_px=theme.px(56), empty_text=no_photo(eye.place()))

        def make(row: tuple[str, str]) -> Any:
            plate = Plate(text=row[1], icon="camera", kind="row", align="left", acts_on="release")
            plate.bind(on_act=lambda _w, _t: self.look(row[0]))
            return plate

        pages.make = make
        pages.items = self._offered = offered
        body.add_widget(pages)
        body.add_widget(self._set_plate())

    def _set_plate(self) -> Any:
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
        }
        plate.bind(on_act=lambda _w, _t: self.root.go("dice_sets", back=("dice", here)))
        return plate

    def _offers(self) -> list[tuple[str, str]]:
        return [*self.root.eye.sources(), *self.root.eye.photos()]

    def tick(self, now_ms: int) -> int:  # noqa: ARG002
        """Have photos and cameras looked for that came since the list was drawn; return when to look again."""
        if self.photo is None and self._look is None:
            self.root.eye.search(self._found)
        return _LOOK_AGAIN_MS

    def _found(self) -> None:
        is_shown = self.root.screen is self and self.photo is None and self._look is None
        if is_shown and self._offers() != self._offered:
            self.refresh(self.root.desk.change)

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

    def _show_live(self, left: Any, right: Any) -> None:
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

    def _read_again(self) -> None:
        """Read the same tray once more."""
        self.photo, self.draft, self.chosen = None, DiceDraft(asked=self.asked), -1
        self.look(self._key, now=True)

    def _show_reading(self, body: Any) -> None:
        body.add_widget(Text(text=_("Reading the dice"), role="heading", align="center"))
        self._add_bar(body)

    def _done(self, photo: Photo) -> None:
        self._look, self.live, self.photo = None, None, photo
        self.draft = draft_of(photo, self.asked, self.kind)
        doubtful = [i for i, die in enumerate(self.draft.dice) if not die.is_sure]
        self.chosen = doubtful[0] if doubtful else -1
        if self.root.screen is self:
            self.refresh(self.root.desk.change)

    def _failed(self, text: str) -> None:
        self._look, self.live, self.fault = None, None, text
        if self.root.screen is self:
            self.refresh(self.root.desk.change)

    def _stop(self) -> None:
        super()._stop()
        self.live = None

    # Photo and draft

    def _show_photo(self, body: Any) -> None:
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

    def _rings(self) -> list[Any]:
        rings: list[Any] = [None] * (len(self.photo.dice) if self.photo is not None else 0)
        for index, die in enumerate(self.draft.dice):
            if die.seen >= 0:
                tone = "accent" if index == self.chosen else "ok" if die.is_sure else "danger"
                unread = die.strange or "?"
                text = unread if die.value is None else str(die.value) if die.is_sure else f"{die.value}?"
                rings[die.seen] = (tone, index == self.chosen, text)
        return rings

    def on_touch_down(self, touch: Any) -> bool:
        """A tap on a die of the photo chooses it."""
        view = getattr(self, "_view", None)
        if (
            self.photo is not None
            and view is not None
            and view.parent is not None
            and view.collide_point(*touch.pos)
        ):
            seen = view.at(*touch.pos)
            if seen is not None:
                found = [i for i, die in enumerate(self.draft.dice) if die.seen == seen]
                if found:
                    self.choose(found[0])
                return True
        return bool(super().on_touch_down(touch))

    def choose(self, index: int) -> None:
        """Make a die the one that is corrected."""
        self.chosen = index
        self.refresh(self.root.desk.change)

    def _show_draft(self, body: Any) -> None:
        if 0 <= self.chosen < len(self.draft.dice):
            self._show_die(body, self.chosen)
            return
        pages = Pages(row_px=theme.target_px, columns=6 if theme.is_portrait else 4)
        pages.make = self._value_tile
        pages.items = list(enumerate(self.draft.dice))
        body.add_widget(pages)
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        is_camera = self._key not in ("", FOLDER) and self.root.eye.can_watch(self._key)
        again = [(_("Read again"), self._read_again)] if is_camera else []
        for text, act in ((_("Add a die"), self._add), *again, (_("Another photo"), self._again)):
            plate = Plate(text=text, kind="quiet", acts_on="release", role="body")
            plate.bind(on_act=lambda _w, _t, act=act: act())
            foot.add_widget(plate)
        body.add_widget(foot)

    def _value_tile(self, item: tuple[int, DraftDie]) -> Any:
        index, die = item
        text = (die.strange or "?") if die.value is None else str(die.value)
        plate = Plate(text=text, kind="soft" if die.is_sure else "danger", acts_on="release")
        if len(self.asked) > 1:  # which colour it counts for is told too
            plate.sub = colour_name(die.colour)
        plate.padding = (theme.px(2), theme.px(2))
        plate.bind(on_act=lambda _w, _t: self.choose(index))
        return plate

    def _show_die(self, body: Any, index: int) -> None:
        die = self.draft.dice[index]
        shown = (die.strange or "?") if die.value is None else str(die.value)
        colour = colour_name(die.colour)
        note = f": {die.note}" if die.note else ""
        head = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        every = Plate(icon="back", kind="quiet", acts_on="release", size_hint_x=None, width=theme.target_px)
        every.bind(on_act=lambda _w, _t: self.choose(-1))
        head.add_widget(every)
        head.add_widget(Text(text=f"{shown}  {colour}{note}", role="small" if note else "strong"))
        body.add_widget(head)
        pad = DicePad(faces=_FACES[self.kind])
        pad.cols = 6 if theme.is_portrait else 4
        pad.spacing = theme.px(4)
        pad.bind(on_face=lambda _w, value: self._set(index, value))
        body.add_widget(pad)
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(6))
        value = die.value
        right = [] if value is None else [(_("Right"), lambda: self._set(index, value))]
        for text, act in (
            *right,
            (_("Colour"), lambda: self._ask_colour(index)),
            (_("No die"), lambda: self._remove(index)),
        ):
            plate = Plate(text=text, kind="quiet", acts_on="release", role="body", padding=(theme.px(4), 0))
            plate.bind(on_act=lambda _w, _t, act=act: act())
            foot.add_widget(plate)
        body.add_widget(foot)

    def _set(self, index: int, value: int) -> None:
        self.draft = self.draft.with_value(index, value)
        self._next_doubt()

    def _remove(self, index: int) -> None:
        self.draft = self.draft.without(index)
        self._next_doubt()

    def _ask_colour(self, index: int) -> None:
        change = self.root.desk.change
        options = list(die_colours(None if change is None else change.state).items())

        def chosen(colour: str) -> None:
            self.draft = self.draft.with_colour(index, colour)
            self.refresh(self.root.desk.change)

        self.root.ask(Choose(_("Which colour?"), options, chosen))

    def _add(self) -> None:
        options = [(value, str(value)) for value in range(1, _FACES[self.kind] + 1)]
        change = self.root.desk.change
        first = next(iter(die_colours(None if change is None else change.state)))
        colour = self.draft.colour_to_add if self.asked else first

        def chosen(value: int) -> None:
            self.draft = self.draft.with_die(value, colour)
            self.refresh(self.root.desk.change)

        self.root.ask(Choose(_("What does it show?"), options, chosen, columns=4))

    def _again(self) -> None:
        self.photo, self.draft, self.chosen = None, DiceDraft(asked=self.asked), -1
        self.refresh(self.root.desk.change)

    def _next_doubt(self) -> None:
        doubtful = [i for i, die in enumerate(self.draft.dice) if not die.is_sure]
        self.chosen = doubtful[0] if doubtful else -1
        self.refresh(self.root.desk.change)

    def on_key(self, name: str, event: Any) -> bool:  # noqa: ARG002
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

    def main_act(self, touch: Any) -> None:  # noqa: ARG002
        """Accept the roll, or go back."""
        args: dict[str, Any] = {}
        if self.photo is not None and callable(self.record):
            args = self.record(self.draft.values(), self.draft.origin())
        elif self.photo is not None and isinstance(self.record, tuple):
            self.send(read_command(*self.record, self.draft), source="camera")
        self._go_back(args)

    def _go_back(self, entered: dict[str, Any]) -> None:
        key, args = self.back
        if key == "table" and self.root.desk.change is None:
            key = "home"
        self.root.go(key, **{**args, **entered})


load_kv(__file__)
