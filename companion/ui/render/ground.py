"""A space of a board as a tile: in the colour of who holds it, hatched where it is fought for, and what stands there."""

from __future__ import annotations

from kivy.graphics import Color, Rectangle
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.pages.page import Item
from companion.ui.render.items import ItemTile
from companion.ui.render.pen import Pen
from companion.ui.render.split import HATCH, hatch
from companion.ui.theme import mixed, theme
from companion.ui.widgets import Emblem, Icon, Text
from companion.ui.widgets.basic import measure

__all__ = ["GroundTile"]

_SHARE = 0.3
"""How much of the holder's colour is in the ground under the words."""


class GroundTile(ItemTile):
    """Its name above the signs of what stands there, each with its number."""

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(pen, **kwargs)
        self.padding = (theme.px(4), theme.px(2))
        with self.canvas.before:
            self._stripe, self._stripes = Color(0, 0, 0, 0), Rectangle(size=(0, 0))
        self._words = Text(align="center")
        self._line = BoxLayout(spacing=theme.px(2))
        self._signs: tuple[Item, ...] = ()
        self.add_widget(self._words)
        self.fbind("width", self._set_line)

    def show(self, item: Item) -> None:
        """Take the newest form of the item."""
        self._take(item)
        self._words.text, self._words.tone = self.text, "muted" if item.state == "muted" else "text"
        # Who holds it is told by more than a colour, where no piece of his does.
        emblems = {sign.mark.emblem for sign in item.signs if sign.mark is not None}
        is_told = item.mark is None or item.mark.emblem in emblems
        signs = item.signs if is_told else (Item("holder", 0, mark=item.mark), *item.signs)
        if signs != self._signs:
            self._signs = signs
            self._set_line()
        self._paint()

    def _set_line(self, *_args: object) -> None:
        """Show the signs side by side in the middle; of too many, those that have room."""
        self._line.clear_widgets()
        if self._line.parent is not None:
            self.remove_widget(self._line)
        if not self._signs:
            return
        self.add_widget(self._line)
        self._line.add_widget(Widget())
        room = self.width - theme.px(10)
        for n, sign in enumerate(self._signs):
            text = self.pen.say(sign.value)
            wide = (
                measure(text, theme.font_px("small"), theme.is_bold("small"))[0] + theme.px(3) if text else 0
            )
            side = theme.px(14 if sign.mark is not None else 24)
            room -= side + wide + theme.px(4)
            if n and room < 0:
                self._line.add_widget(Text(text="…", role="small", size_hint_x=None, width=theme.px(12)))
                break
            self._line.add_widget(
                Emblem(emblem=sign.mark.emblem, tone=sign.mark.tone, size_hint_x=None, width=side)
                if sign.mark is not None
                else Icon(name=sign.symbol, size_hint_x=None, width=side)
            )
            if text:
                self._line.add_widget(
                    Text(text=text, role="small", wraps=False, size_hint_x=None, width=wide)
                )
        self._line.add_widget(Widget())

    def _fit_lines(self, *_args: object) -> None:
        """Both lines share the height alike."""

    def _paint(self, *_args: object) -> None:
        super()._paint()
        if "fill" in self._areas and self.item.mark is not None:
            fill, tone = self._areas["fill"][0], theme.color(self.item.mark.tone)
            fill.rgba = mixed(tuple(fill.rgba), tone, _SHARE)

    def _place(self, *_args: object) -> None:
        super()._place()
        is_hatched = self.item.state == "danger"
        self._stripe.rgba = theme.color("ground", 0.4 if is_hatched else 0.0)
        inset, side = theme.px(3), int(theme.px(HATCH))
        wide, high = self.width - 2 * inset, self.height - 2 * inset
        self._stripes.pos, self._stripes.size = (self.x + inset, self.y + inset), (0, 0)
        if is_hatched and wide > 0 and high > 0:
            self._stripes.texture, self._stripes.size = hatch(side), (wide, high)
            across, up = wide / side, high / side
            self._stripes.tex_coords = (0, 0, across, 0, across, up, 0, up)
