"""`Picture` as a chart: sea, land and coast with marks on it, and words over its upper left corner."""

from __future__ import annotations

from typing import Any

from kivy.clock import Clock
from kivy.graphics import Color, InstructionGroup, Line, Mesh, Rectangle
from kivy.graphics.tesselator import TYPE_POLYGONS, WINDING_ODD, Tesselator
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.widget import Widget

from companion.pages import page as pg
from companion.pages.coast import LAND, clipped, coast_lines
from companion.ui.render.pen import INKS, Pen
from companion.ui.theme import theme
from companion.ui.touch import Touch
from companion.ui.widgets import Emblem, Icon, Tap, Text
from companion.ui.widgets.basic import measure

__all__ = ["ChartBlock"]

_AIR = 0.1
"""Part of a name's height above and below its letters that another may reach into."""
_NEAR = 40
"""How far from a place a finger may be at 800x480: places stand closer than a finger is wide, and the nearest is meant."""


class _Sea(Widget):
    """Sea, land and coast."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._drawing = InstructionGroup()
        self.canvas.add(self._drawing)
        self._draw_soon = Clock.create_trigger(self._draw, -1)
        self.bind(pos=self._draw_soon, size=self._draw_soon)

    def _draw(self, *_args: object) -> None:
        self._drawing.clear()
        if self.width < 4 or self.height < 4:
            return
        self._drawing.add(Color(*theme.color("sea")))
        self._drawing.add(Rectangle(pos=self.pos, size=self.size))
        shapes = [clipped(land, self.width, self.height) for land in LAND]
        self._drawing.add(Color(*theme.color("land")))
        for shape in shapes:
            for mesh in self._filled(shape):
                self._drawing.add(mesh)
        self._drawing.add(Color(*theme.color("coast")))
        for shape in shapes:
            for line in coast_lines(shape, self.width, self.height):
                points = [value for x, y in line for value in (self.x + x, self.y + y)]
                self._drawing.add(Line(points=points, width=max(1.0, theme.scale)))

    def _filled(self, shape: list[tuple[float, float]]) -> list[Any]:
        if len(shape) < 3:
            return []
        tess = Tesselator()
        tess.add_contour([value for x, y in shape for value in (self.x + x, self.y + y)])
        if not tess.tesselate(WINDING_ODD, TYPE_POLYGONS):
            return []
        return [
            Mesh(vertices=vertices, indices=indices, mode="triangle_fan") for vertices, indices in tess.meshes
        ]


_NARROWER = (1.0, 0.8, 0.65, 0.5)
"""Parts of its width into which a note is wrapped where it lies over places."""


class ChartBlock(Tap, FloatLayout):
    """`Picture` named ``chart``. A tap means the nearest place with an act."""

    grids: tuple[Any, ...] = ()

    def __init__(self, pen: Pen, **kwargs: object) -> None:
        super().__init__(acts_on="release", **kwargs)
        self.pen = pen
        self._block = pg.Picture("", "", ())
        self._sea = _Sea()
        self._shade = Widget(size_hint=(None, None))
        with self._shade.canvas:
            self._dark, self._dark_area = Color(0, 0, 0, 0), Rectangle()
        self._title = Text(role="display", wraps=False)
        self._note = Text(role="body")
        self._marks: list[tuple[Color, Rectangle, Text]] = []
        for widget in (self._sea, self._shade, self._title, self._note):
            widget.size_hint = (None, None)
            self.add_widget(widget)
        self._place_soon = Clock.create_trigger(self._place, -1)
        self.bind(pos=self._place_soon, size=self._place_soon)

    @property
    def want_px(self) -> float:
        """The height at which a chart can be read; it takes all that is left. Large text beside it needs some of that."""
        if not theme.is_portrait:
            return float(theme.height_px)
        return theme.px(210 if theme.text_step else 300)

    @property
    def least_px(self) -> float:
        """The height of its words."""
        return theme.px(110)

    def show(self, block: pg.Picture) -> None:
        """Take the newest form of the block."""
        self._block = block
        self._title.text, self._note.text = self.pen.title(block.title), self.pen.title(block.note)
        while len(self._marks) > len(block.spots):
            for widget in self._marks.pop():
                self.remove_widget(widget)
        while len(self._marks) < len(block.spots):
            free = {"size_hint": (None, None)}
            mark = (Emblem(**free), Icon(**free), Text(role="small", wraps=False, **free))
            self._marks.append(mark)
            for widget in mark:
                self.add_widget(widget)
        for (emblem, icon, name), spot in zip(self._marks, block.spots, strict=True):
            item = spot.item
            tone = item.mark.tone if item.mark is not None else "muted"
            icon.name, icon.tone, emblem.tone = item.symbol, tone, tone
            emblem.emblem = "" if item.symbol else item.mark.emblem if item.mark is not None else "ring"
            name.text, name.tone = self.pen.title(item.title), INKS[item.state]
        self._place_soon()

    def _place(self, *_args: object) -> None:
        self._sea.pos, self._sea.size = self.pos, self.size
        pad, wide = theme.px(14), self.width - theme.px(28)
        high = theme.font_px("display") * 1.25 if self._title.text else 0
        self._title.pos, self._title.size = (self.x + pad, self.top - pad - high), (wide, high)
        wide, lines = self._note_px(wide, pad, high)
        self._note.pos = (self.x + pad, self.top - pad - high - lines - theme.px(4))
        self._note.size = (wide, lines)
        # Words on a coast are read from a quiet ground.
        self._dark.rgba = theme.color("sea", 0.72)
        told = [one for one in (self._title, self._note) if one.text]
        widths = [measure(one.text, theme.font_px(one.role), theme.is_bold(one.role))[0] for one in told]
        wide = min(wide, max(widths, default=0.0)) if not self._title.text else max(widths, default=0.0)
        low = self.top - 2 * pad - high - lines
        self._dark_area.pos, self._dark_area.size = (
            (self.x, low),
            (min(self.width, wide + 2 * pad), self.top - low) if told else (0, 0),
        )
        for text in (self._title, self._note):
            text.opacity = 1 if text.text else 0
        side = theme.px(16)
        taken: list[tuple[float, float, float, float]] = []
        if told:
            taken.append((self.x, low, self.x + self._dark_area.size[0], self.top))
        for (emblem, icon, _name), spot in zip(self._marks, self._block.spots, strict=True):
            x, y = self.x + spot.x * self.width, self.top - spot.y * self.height
            emblem.pos, emblem.size = (x - side / 2, y - side / 2), (side, side)
            icon.pos, icon.size = (x - theme.px(27), y - theme.px(18)), (theme.px(54), theme.px(36))
            taken.append((x - side / 2, y - side / 2, x + side / 2, y + side / 2))
        self._name(side, taken)

    def _note_px(self, most: float, pad: float, above: float) -> tuple[float, float]:
        """Return how wide and high the note is: in narrower lines where it would lie over a place, if that frees all."""
        if not self._note.text:
            return most, 0.0
        font = theme.font_px("body")
        whole = measure(self._note.text, font, False, max(1.0, most))
        if self._title.text:
            return most, whole[1]
        for part in _NARROWER:
            wide, high = measure(self._note.text, font, False, max(1.0, whole[0] * part))
            right, low = 2 * pad + wide, 2 * pad + above + high
            if all(spot.x * self.width > right or spot.y * self.height > low for spot in self._block.spots):
                return wide + theme.px(2), high
        return most, whole[1]

    def _name(self, side: float, taken: list[tuple[float, float, float, float]]) -> None:
        """Set the names beside their places, those with the least room first; one without any is left to the list."""
        waiting = []
        for (_emblem, _icon, name), spot in zip(self._marks, self._block.spots, strict=True):
            x, y = self.x + spot.x * self.width, self.top - spot.y * self.height
            width, height = measure(name.text, theme.font_px("small"), False)
            width += 2
            name.size, name.opacity = (width, height), 0
            near, far = side * 0.5, side * 0.8
            ways = [
                (x + far, y - height / 2), (x - far - width, y - height / 2),
                (x - width / 2, y + side * 0.6), (x - width / 2, y - side * 0.6 - height),
                (x + near, y + side * 0.2), (x + near, y - side * 0.2 - height),
                (x - near - width, y + side * 0.2), (x - near - width, y - side * 0.2 - height),
            ]  # fmt: skip
            free = sum(self._is_free(way, width, height, taken) for way in ways)
            waiting.append((free, name, ways))
        for _free, name, ways in sorted(waiting, key=lambda one: one[0]):
            place = next((way for way in ways if self._is_free(way, name.width, name.height, taken)), None)
            if place is not None:
                name.pos, name.opacity = place, 1
                # A name's own line has room above and below its letters.
                taken.append((name.x, name.y + _AIR * name.height, name.right, name.top - _AIR * name.height))

    def _is_free(
        self,
        at: tuple[float, float],
        width: float,
        height: float,
        taken: list[tuple[float, float, float, float]],
    ) -> bool:
        x, y = at
        if x < self.x + 2 or x + width > self.right - 2 or y < self.y + 2 or y + height > self.top - 2:
            return False
        return all(
            x >= right or x + width <= left or y >= top or y + height <= low
            for left, low, right, top in taken
        )

    def on_act(self, touch: Touch) -> None:
        """Mean the nearest place."""
        near = [
            (abs(touch.x - self.x - spot.x * self.width) + abs(touch.y - self.top + spot.y * self.height), n)
            for n, spot in enumerate(self._block.spots)
            if spot.item.act is not None
        ]
        if near and min(near)[0] <= theme.px(_NEAR):
            act = self._block.spots[min(near)[1]].item.act
            if act is not None:
                self.pen.press(act, touch)
