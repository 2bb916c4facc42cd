"""The frame around a screen: run line, top bar with the clocks, rail, strip of the stage, undo and main act."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, Rectangle, SmoothRoundedRectangle
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ListProperty, NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.widget import Widget

from companion.core.change import Change
from companion.core.ids import Millis
from companion.pages.frame import Frame as FrameView
from companion.pages.i18n import _
from companion.ui import registry
from companion.ui.clock_bar import ClockBar, RunLine, Ticks
from companion.ui.screen import Screen
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets import Digits, Plate, Strip
from companion.ui.widgets.basic import measure, shortened
from companion.ui.widgets.tap import keep_even

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Frame", "NavPlate"]


class NavPlate(Plate):
    """One entry of the rail: icon over a short name, and how many things are open there."""

    is_here = BooleanProperty(False)
    key = StringProperty("")
    badge = NumericProperty(0)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        with self.canvas.after:
            self._disc_ink = Color(0, 0, 0, 0)
            self._disc = SmoothRoundedRectangle()
            self._figure_ink = Color(0, 0, 0, 0)
            self._figure = Rectangle()
        for name in ("badge", "pos", "size"):
            self.fbind(name, self._pin_badge)

    def _pin_badge(self, *_args: object) -> None:
        """Set the figure on the upper right of the icon."""
        if not self.badge:
            self._disc_ink.a = self._figure_ink.a = 0
            return
        label = CoreLabel(text=str(self.badge), font_size=theme.px(16), bold=True, font_name="Roboto")
        label.refresh()
        side = theme.px(22)
        wide = max(side, label.texture.width + theme.px(8))
        left = min(self.center_x + theme.px(10), self.right - wide - theme.px(2))
        low = self.top - max(theme.px(3), (self.height - theme.px(56)) / 2) - side
        self._disc_ink.rgba, self._figure_ink.rgba = theme.color("accent"), theme.color("on_accent")
        self._disc.pos, self._disc.size, self._disc.radius = (left, low), (wide, side), [side / 2]
        self._figure.texture, self._figure.size = label.texture, label.texture.size
        self._figure.pos = (
            round(left + (wide - label.texture.width) / 2),
            round(low + (side - label.texture.height) / 2),
        )


class Crumbs(BoxLayout):
    """Where we are, from the outside inward: on one line, or the stage in small over the rest.

    A high window always takes two lines, so that they do not come and go with the length of a name.
    """

    title = StringProperty("")
    """What stands there without parts."""
    parts = ListProperty([])
    above = StringProperty("")
    here = StringProperty("")

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.fbind("parts", self._split)
        self.fbind("width", self._split)

    def _split(self, *_args: object) -> None:
        parts = list(self.parts)
        is_bold = theme.is_bold("strong")
        wide = measure(_ARROW.join(parts), theme.font_px("strong"), is_bold)[0]
        is_split = len(parts) > 1 and (theme.is_portrait or wide > self.width)
        self.above = parts[0] if is_split else ""
        here = parts[1:] if is_split else parts
        # Who acts stands in the run line and the clocks too, so it goes first where room is short.
        while (
            len(here) > 1
            and self.width > theme.px(60)
            and measure(_ARROW.join(here), theme.least_font_px, is_bold)[0] > self.width
        ):
            here = here[:-1]
        self.here = _ARROW.join(here)


_ARROW = "  ›  "


class TopBar(BoxLayout):
    """Where we are on the left; clocks, pause and, where there is room, help on the right."""

    title = StringProperty("")
    crumbs = ListProperty([])
    is_paused = BooleanProperty(False)
    has_game = BooleanProperty(False)
    has_help = BooleanProperty(True)
    can_pause = BooleanProperty(False)
    """False without a game, and once it is over."""
    has_big_resume = BooleanProperty(True)
    """Whether resume stands out here while paused; the Table's main button does it there."""


_SECOND_SHARE, _MAIN_SHARE = 0.7, 1.15
"""What the buttons of the bottom bar take of its width beside undo's 1."""


_FEWEST = 2
"""Undo says more than so many words, with the dots that a cut text ends in, or nothing of what it is called."""


class BottomBar(BoxLayout):
    """Undo on the left, named; the main act on the right, always in this place.

    Once there was a button between them on a screen, its place stays for the act, so that the others never move under a
    finger; but not where their words would be broken for the sake of an empty place.
    """

    kept_px = NumericProperty(0)
    """The least width of the place between undo and main; 0: nothing has stood there yet."""
    undo_text = StringProperty("")
    undo_kind = StringProperty("")
    main_text = StringProperty("")
    main_icon = StringProperty("")
    main_enabled = BooleanProperty(True)
    second_text = StringProperty("")
    second_icon = StringProperty("")
    second_enabled = BooleanProperty(True)
    has_undo = BooleanProperty(True)
    second_share, main_share = _SECOND_SHARE, _MAIN_SHARE

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        # Held, since either may stand outside the bar for a while.
        self._second, self._undo = self.ids.second.__self__, self.ids.undo.__self__
        for name in (
            "second_text",
            "second_icon",
            "main_text",
            "main_icon",
            "undo_text",
            "undo_kind",
            "width",
        ):
            self.fbind(name, self._fit_second)
        for name in ("undo_text", "undo_kind", "has_undo", "width", "kept_px"):
            self.fbind(name, self._name_undo)
        self._fit_second()
        self._name_undo()

    def _name_undo(self, *_args: object) -> None:
        """Say on the button that it undoes, and what: in one line, or else in a few words where there are some.

        Without them as much is said as fits, cut at the end of a word; where not even the word for it fits, what it
        takes back stands alone under the icon's arrow, and nothing beside the arrow of a key that takes nothing back.
        """
        undo = self._undo  # held: an old frame may still be told of a text after its ids are gone
        if not self.has_undo:
            undo.text = ""
            return
        whole = _("Undo: {what}").format(what=self.undo_text) if self.undo_text else _("Nothing to undo")
        if self.undo_text and self.undo_kind and not self._is_line(whole):
            whole = _("Undo: {what}").format(what=self.undo_kind)
        undo.text = whole
        if not any(self._holds(whole, size) for size in (theme.font_px("body"), theme.least_font_px)):
            font, high = theme.least_font_px, self.height - theme.px(4)
            cut = shortened(whole, font, theme.is_bold("body"), self._room_px, high)
            is_told = len(cut.split()) > _FEWEST and self._holds(cut, font)
            undo.text = cut if is_told else self.undo_kind or self.undo_text

    @property
    def _room_px(self) -> float:
        """The width that undo's words have."""
        has_place = self._second.parent is not None
        spare = theme.px(16) + theme.px(32)  # the edges, and the icon with its gap
        return self._rest_px(has_place=has_place) / (1 + _MAIN_SHARE) - spare

    def _rest_px(self, *, has_place: bool) -> float:
        """Return the width that undo and the main button share: with a place between them, or without."""
        bar = self.width - theme.px(10) * (2 if has_place else 1)
        if has_place:
            bar -= max(bar * _SECOND_SHARE / (1 + _SECOND_SHARE + _MAIN_SHARE), self.kept_px)
        return bar

    @property
    def _has_place(self) -> bool:
        """Whether there is a place between undo and main: an empty one only where their words stay whole beside it."""
        if self.second_text or not self.kept_px:
            return bool(self.kept_px)
        unit = self._rest_px(has_place=True) / (1 + _MAIN_SHARE)
        undone = self.undo_kind or self.undo_text or _("Nothing to undo")
        icon = theme.px(32)
        main_px = unit * _MAIN_SHARE - theme.px(24) - (icon if self.main_icon else 0)
        undo_px = unit - theme.px(16) - icon
        return (
            _widest_px(undone if self.has_undo else "", "body") <= undo_px
            and _widest_px(self.main_text, "heading") <= main_px
        )

    def _holds(self, text: str, size: float) -> bool:
        """Say whether a text in a type size fits the button."""
        room, is_bold = self._room_px, theme.is_bold("body")
        widest = max((measure(word, size, is_bold)[0] for word in text.split()), default=0.0)
        high = self.height - theme.px(4)
        return widest <= room and measure(text, size, is_bold, max(1.0, room))[1] <= high

    def let_go(self) -> None:
        """Keep no place between undo and main but that of the button which stands there now."""
        self.kept_px = 0
        self._fit_second()

    def _is_line(self, text: str) -> bool:
        """Say whether a text stands on the button in one line, and with its first colon alone."""
        wide, _high = measure(text, theme.font_px("body"), theme.is_bold("body"))
        return ":" not in self.undo_text and wide <= self._room_px

    def _fit_second(self, *_args: object) -> None:
        """Make the place of the second button no narrower than the longest word that stood there, beside its icon."""
        if self.second_text:
            spare = theme.px(24) + (theme.px(32) if self.second_icon else 0.0)
            self.kept_px = max(self.kept_px, _widest_px(self.second_text, "body") + spare)
        self._second.size_hint_min_x = self.kept_px
        has_place = self._has_place
        if has_place == (self._second.parent is not None):
            return
        if has_place:
            self.add_widget(self._second, index=1)
        else:
            self.remove_widget(self._second)
        self._name_undo()


def _widest_px(text: str, role: str) -> float:
    """Return the width of a text's longest word in the least type."""
    is_bold = theme.is_bold(role)
    return max((measure(word, theme.least_font_px, is_bold)[0] for word in text.split()), default=0.0)


class Frame(FloatLayout):
    """A screen in its frame; full-window screens get no bars."""

    def __init__(self, root: Root, screen: Screen, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.root, self.screen = root, screen
        self._top: Any = None
        self._bottom: Any = None
        self._strip: Any = None
        self._line: RunLine | None = None
        self._ticks: Ticks | None = None
        self._clocks: ClockBar | None = None
        self._plates: tuple[NavPlate, ...] = ()
        if not screen.is_framed:
            self.add_widget(screen)
            return
        self._build()

    @property
    def moving(self) -> tuple[Digits, ...]:
        """The digits of the clocks in the bar."""
        return () if self._clocks is None else self._clocks.moving

    def _build(self) -> None:
        """Set run line and top bar over rail and screen; in a high window the rail lies below."""
        screen, own = self.screen, registry.spec(self.screen.key)
        change = self.root.desk.change
        is_open = change is not None and change.state.setup is not None
        in_game = is_open and own.needs_game
        column = BoxLayout(orientation="vertical")
        if is_open and own.key not in _OUTSIDE:
            self._line = RunLine()
            column.add_widget(self._line)
        has_bar = in_game or not getattr(own, "is_bare", False)
        if has_bar:
            self._build_top(column, is_open=is_open and own.key not in _OUTSIDE, in_game=in_game)
        content = BoxLayout(orientation="vertical", padding=_edges(has_rail=in_game), spacing=theme.px(8))
        if not has_bar:
            content.padding[1] = theme.px(10)
        if in_game and screen.has_strip:
            self._strip = Strip()
            content.add_widget(self._strip)
        content.add_widget(screen)
        self._build_bottom(content, in_game=in_game)
        body = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal")
        body.add_widget(content)
        if in_game and change is not None:
            body.add_widget(self._rail(change), index=0 if theme.is_portrait else len(body.children))
        column.add_widget(body)
        self.add_widget(column)

    def _build_top(self, column: BoxLayout, *, is_open: bool, in_game: bool) -> None:
        root, screen, own = self.root, self.screen, registry.spec(self.screen.key)
        has_large = own.key == "table"
        title = _("Table Companion") if own.key == "home" else _(own.title)
        top = self._top = TopBar(
            title=title, has_game=in_game, has_big_resume=not has_large, has_help=has_large or not in_game
        )
        column.add_widget(top)
        if in_game and not screen.has_strip:
            self._ticks = Ticks()
            top.ids.place.add_widget(self._ticks)
        top.ids.pause.bind(on_act=lambda _w, touch: root.pause(touch))
        top.ids.help.bind(on_act=lambda _w, _touch: root.help())
        if not is_open or has_large:
            return
        if theme.is_portrait:
            self._clocks = ClockBar(lambda: root.go("clocks"))
            line = BoxLayout(
                size_hint_y=None, height=theme.target_px, padding=(theme.px(12), 0, theme.px(12), 0)
            )
            line.add_widget(self._clocks)
            self._clocks.bind(height=line.setter("height"))
            column.add_widget(line)
        else:
            self._clocks = ClockBar(lambda: root.go("clocks"), size_hint_x=None, pos_hint={"center_y": 0.5})
            top.add_widget(self._clocks, index=len(top.children) - 2)

    def _build_bottom(self, column: BoxLayout, *, in_game: bool) -> None:
        root, screen = self.root, self.screen
        kept = root.feet.get(screen.key, 0.0) if in_game else 0.0
        bottom = self._bottom = BottomBar(has_undo=in_game, kept_px=kept)
        if in_game:
            bottom.fbind("kept_px", lambda _w, px: root.feet.update({screen.key: px}))
        if theme.is_portrait:
            bottom.height = theme.px(
                78
            )  # three buttons share a narrow line, so their words take more of them
        column.add_widget(bottom)
        bottom.ids.undo.bind(on_act=lambda _w, touch: root.undo(touch))
        actions = () if in_game else screen.side_actions()
        if actions:
            if theme.is_portrait:
                bottom.ids.main.size_hint_x = 0.8
            bottom.remove_widget(bottom.ids.undo)
            for text, icon, act in reversed(actions):
                plate = Plate(
                    text=text, icon="" if theme.is_portrait else icon, acts_on="release", kind="soft"
                )
                plate.padding = (theme.px(6), theme.px(4))
                plate.size_hint_x = _need(text) / sum(_need(other) for other, _icon, _act in actions)
                if not text:
                    plate.icon, plate.size_hint_x, plate.width = icon, None, theme.px(64)
                plate.bind(on_act=lambda _w, _touch, act=act: act())
                bottom.add_widget(plate, index=len(bottom.children))
        bottom.ids.main.bind(on_act=lambda _w, touch: root.main_act(touch))
        bottom.ids.second.bind(on_act=lambda _w, touch: screen.second_act(touch))
        for name in (
            "main_icon", "main_enabled", "second_text", "second_icon", "second_enabled"
        ):  # fmt: skip
            screen.bind(**{name: lambda _w, value, name=name: setattr(bottom, name, value)})
            setattr(bottom, name, getattr(screen, name))

        def say(*_args: object) -> None:
            bottom.main_text = screen.why_not or screen.main_text

        screen.bind(main_text=say, why_not=say)
        say()
        if actions and theme.is_portrait:  # as beside it: the words need the icon's room
            bottom.ids.second.icon = ""
            bottom.fbind("second_icon", lambda *_args: setattr(bottom.ids.second, "icon", ""))

    def new_act(self) -> None:
        """Let the foot take the places that it needs in an act that has just begun."""
        if self._bottom is not None:
            self._bottom.let_go()

    def _rail(self, change: Change) -> Widget:
        is_portrait = theme.is_portrait
        rail = Rail(orientation="horizontal" if is_portrait else "vertical")
        if is_portrait:
            rail.size_hint_y, rail.height = None, theme.px(72)
        else:
            rail.size_hint_x = None
        for one in registry.for_game(change.state.frozen_setup.game):
            if not one.rail:
                continue
            word = _(one.rail_word or one.title)
            plate = NavPlate(text=word, icon=one.icon, key=one.key, is_here=one.key == self.screen.key)
            plate.bind(on_act=self._navigate)
            rail.add_widget(plate)
        self._plates = tuple(reversed(rail.children))
        if is_portrait:
            self._make_room(rail.children)
        else:
            rail.width = max(theme.px(76), *map(_word_px, self._plates))
        keep_even(rail.children)
        return rail

    def _make_room(self, plates: list[Widget]) -> None:
        """Give a word that does not fit its equal part of the rail even in the least type the width that it needs."""
        for plate in plates:
            need_px = _word_px(plate)
            if need_px > self.root.width / len(plates):
                plate.size_hint_x, plate.width = None, need_px

    def _navigate(self, plate: Widget, _touch: Press | None) -> None:
        if plate.key != self.screen.key:
            self.root.go(plate.key)

    def show(self, view: FrameView) -> None:
        """Show the newest frame around the screen."""
        is_calm = self._line is None or view.is_paused or view.is_over
        self.root.still.pass_on(() if is_calm else [mark.tone for mark in view.actors])
        if self._line is not None:
            self._line.show(view.actors, is_calm=is_calm)
        for plate in self._plates:
            plate.badge = view.open_battles if plate.key == view.battle_screen else 0
        if self._top is not None:
            self._top.crumbs = list(view.crumbs) if self._top.has_game else []
            self._top.is_paused = view.is_paused
            self._top.can_pause = self._top.has_game and not view.is_over
        if self._strip is not None:
            self._strip.cells = list(view.strip)
        if self._ticks is not None:
            self._ticks.show(view.strip)
        self._bottom_text(view)

    def _bottom_text(self, view: FrameView) -> None:
        if self._bottom is not None:
            self._bottom.undo_kind, self._bottom.undo_text = view.undo_kind, view.undo_text

    def tick(self, now_ms: Millis) -> Millis | None:
        """Show the clocks in the bar at an instant; return after how long a digit changes."""
        change = self.root.desk.change
        if self._clocks is None or change is None or change.state.setup is None:
            return None
        if self._top is not None and not theme.is_portrait:
            resume = theme.px(150 if self._top.is_paused else 50)
            self._clocks.room_px = self.root.width - theme.px(36) - resume - theme.px(_LEAST_PLACE)
        return self._clocks.show(change, now_ms, self.root.settings)


def _word_px(plate: NavPlate) -> float:
    """Return the width of an entry of the rail in which its word is whole in the least type."""
    wide = measure(plate.text, theme.least_font_px, theme.is_bold(plate.role))[0]
    return wide + float(plate.padding[0] + plate.padding[2]) + theme.px(2)


_OUTSIDE = ("home", "new_game")
"""Screens that are not about the open game."""
_LEAST_PLACE = 230
"""The width that the text of where we are has at least before the clocks show names."""


def _edges(*, has_rail: bool) -> tuple[float, ...]:
    """Return the empty edges around a screen: left, top, right, bottom."""
    left = 8 if has_rail and not theme.is_portrait else 12
    return (theme.px(left), theme.px(2), theme.px(8), theme.px(8))


def _need(text: str) -> int:
    """Return how many letters a button's lines need, when a text of more than one word may take two."""
    return max([1, *map(len, text.split()), min(len(text), _SHORT_WORD)])


_SHORT_WORD = 8


class Rail(BoxLayout):
    """The rail's ground."""


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
