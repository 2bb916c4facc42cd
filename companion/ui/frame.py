"""The frame around a screen: the rail, the top bar with the breadcrumb, the strip of the stage, undo and main act."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.lang import Builder
from kivy.properties import BooleanProperty, ListProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout

from companion.pages.frame import Frame as FrameView
from companion.pages.i18n import _
from companion.ui import registry
from companion.ui.theme import theme
from companion.ui.widgets import Plate, Strip
from companion.ui.widgets.basic import measure
from companion.ui.widgets.tap import keep_even

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Frame", "NavPlate"]


class NavPlate(Plate):
    """One entry of the rail: icon over a short name."""

    is_here = BooleanProperty(False)
    key = StringProperty("")


class Crumbs(BoxLayout):
    """Where we are, from the outside inward: on one line, or the stage in small over the rest.

    A high window always takes two lines, so that they do not come and go with the length of a name.
    """

    title = StringProperty("")
    """What stands there without parts."""
    parts = ListProperty([])
    above = StringProperty("")
    here = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.fbind("parts", self._split)
        self.fbind("width", self._split)

    def _split(self, *_args: Any) -> None:
        parts = list(self.parts)
        wide = measure(_ARROW.join(parts), theme.font_px("strong"), theme.is_bold("strong"))[0]
        is_split = len(parts) > 1 and (theme.is_portrait or wide > self.width)
        self.above = parts[0] if is_split else ""
        self.here = _ARROW.join(parts[1:] if is_split else parts)


_ARROW = "  ›  "


class TopBar(BoxLayout):
    """Breadcrumb on the left, pause and help on the right."""

    title = StringProperty("")
    crumbs = ListProperty([])
    actor = ObjectProperty(None, allownone=True)
    is_paused = BooleanProperty(False)
    has_game = BooleanProperty(False)
    can_pause = BooleanProperty(False)
    """False without a game, and once it is over."""
    has_big_resume = BooleanProperty(True)
    """Whether resume stands out here while paused; the Table's main button does it there."""


_SECOND_SHARE, _MAIN_SHARE, _WIDE_UNDO = 0.7, 1.15, 1.2
"""What the buttons of the bottom bar take of its width beside undo's 1, and what undo takes where it needs more."""


class BottomBar(BoxLayout):
    """Undo on the left, named; the main act on the right, always in this place."""

    undo_text = StringProperty("")
    main_text = StringProperty("")
    main_icon = StringProperty("")
    main_enabled = BooleanProperty(True)
    second_text = StringProperty("")
    second_icon = StringProperty("")
    second_enabled = BooleanProperty(True)
    has_undo = BooleanProperty(True)
    second_share, main_share = _SECOND_SHARE, _MAIN_SHARE

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._second = self.ids.second.__self__
        self.fbind("second_text", self._place_second)
        self._place_second()

    def undo_share(self, text: str, width: float, second: str) -> float:
        """Return what undo takes of the bar: more where its text would not fit beside the others even in the least type."""
        if width <= 1 or not text:
            return 1.0
        spare = theme.px(24) + theme.px(32)  # the edges, and the icon with its gap
        room = (width - theme.px(20)) / (1 + _SECOND_SHARE * bool(second) + _MAIN_SHARE) - spare
        size, is_bold = theme.least_font_px, theme.is_bold("body")
        widest = max(measure(word, size, is_bold)[0] for word in text.split())
        fits = widest <= room and measure(text, size, is_bold, max(1.0, room))[1] <= self.height - theme.px(8)
        return 1.0 if fits else _WIDE_UNDO

    def _place_second(self, *_args: Any) -> None:
        """Have the button beside the main one only where it says something."""
        if bool(self.second_text) == (self._second.parent is not None):
            return
        if self.second_text:
            self.add_widget(self._second, index=1)
        else:
            self.remove_widget(self._second)


class Frame(FloatLayout):
    """A screen in its frame; full-window screens get no bars."""

    def __init__(self, root: Root, screen: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.root, self.screen = root, screen
        self._top: Any = None
        self._bottom: Any = None
        self._strip: Any = None
        if not screen.is_framed:
            self.add_widget(screen)
            return
        self._build()

    def _build(self) -> None:
        root, screen = self.root, self.screen
        change = root.desk.change
        own = registry.spec(screen.key)
        in_game = change is not None and change.state.setup is not None and own.needs_game
        column = BoxLayout(orientation="vertical", padding=(theme.px(12), 0, theme.px(12), theme.px(10)))
        column.spacing = theme.px(8)
        title = _("Table Companion") if own.key == "home" else _(own.title)
        self._top = TopBar(title=title, has_game=in_game, has_big_resume=own.key != "table")
        column.add_widget(self._top)
        if in_game and screen.has_strip:
            self._strip = Strip()
            column.add_widget(self._strip)
        column.add_widget(screen)
        self._bottom = BottomBar(has_undo=in_game)
        column.add_widget(self._bottom)
        self._bottom.ids.undo.bind(on_act=lambda _w, touch: root.undo(touch))
        actions = () if in_game else screen.side_actions()
        if actions:
            if theme.is_portrait:
                self._bottom.ids.main.size_hint_x = 0.8
            self._bottom.remove_widget(self._bottom.ids.undo)
            for text, icon, act in reversed(actions):
                plate = Plate(
                    text=text, icon="" if theme.is_portrait else icon, acts_on="release", kind="soft"
                )
                plate.padding = (theme.px(6), theme.px(4))
                plate.size_hint_x = _need(text) / sum(_need(other) for other, _icon, _act in actions)
                plate.bind(on_act=lambda _w, _touch, act=act: act())
                self._bottom.add_widget(plate, index=len(self._bottom.children))
        self._top.ids.pause.bind(on_act=lambda _w, touch: root.pause(touch))
        self._top.ids.help.bind(on_act=lambda _w, _touch: root.help())
        self._bottom.ids.main.bind(on_act=lambda _w, touch: root.main_act(touch))
        self._bottom.ids.second.bind(on_act=lambda _w, touch: screen.second_act(touch))
        for name in (
            "main_text", "main_icon", "main_enabled", "second_text", "second_icon", "second_enabled"
        ):  # fmt: skip
            screen.bind(**{name: lambda _w, value, name=name: setattr(self._bottom, name, value)})
            setattr(self._bottom, name, getattr(screen, name))
        if not in_game:
            self.add_widget(column)
            return
        rail = self._rail(change)
        body = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal")
        if theme.is_portrait:
            body.add_widget(column)
            body.add_widget(rail)
        else:
            body.add_widget(rail)
            body.add_widget(column)
        self.add_widget(body)

    def _rail(self, change: Any) -> Any:
        is_portrait = theme.is_portrait
        rail = Rail(orientation="horizontal" if is_portrait else "vertical")
        if is_portrait:
            rail.size_hint_y, rail.height = None, theme.px(62)
        else:
            rail.size_hint_x, rail.width = None, theme.px(84)
        for one in registry.for_game(change.state.frozen_setup.game):
            if not one.rail:
                continue
            word = _(one.rail_word or one.title)
            plate = NavPlate(text=word, icon=one.icon, key=one.key, is_here=one.key == self.screen.key)
            plate.bind(on_act=self._navigate)
            rail.add_widget(plate)
        if is_portrait:
            self._make_room(rail.children)
        keep_even(rail.children)
        return rail

    def _make_room(self, plates: list[Any]) -> None:
        """Give a word that does not fit its equal part of the rail even in the least type the width that it needs."""
        for plate in plates:
            word_px = measure(plate.text, theme.least_font_px, theme.is_bold(plate.role))[0]
            need_px = word_px + plate.padding[0] + plate.padding[2] + theme.px(2)
            if need_px > self.root.width / len(plates):
                plate.size_hint_x, plate.width = None, need_px

    def _navigate(self, plate: Any, _touch: Any) -> None:
        if plate.key != self.screen.key:
            self.root.go(plate.key)

    def show(self, view: FrameView) -> None:
        """Show the newest frame around the screen."""
        if self._top is None:
            return
        self._top.crumbs = list(view.crumbs) if self._top.has_game else []
        self._top.actor = view.actor
        self._top.is_paused = view.is_paused
        self._top.can_pause = self._top.has_game and not view.is_over
        if self._strip is not None:
            self._strip.cells = list(view.strip)
        self._bottom.undo_text = view.undo_text


def _need(text: str) -> int:
    """Return how many letters a button's lines need, when a text of more than one word may take two."""
    return max(*map(len, text.split()), min(len(text), _SHORT_WORD))


_SHORT_WORD = 8


class Rail(BoxLayout):
    """The rail's ground."""


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
