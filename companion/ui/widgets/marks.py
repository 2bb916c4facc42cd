"""How the game's things look: side badges, clock cards, the two halves, score lines, the strip of the stage."""

from __future__ import annotations

from operator import eq

from kivy.properties import (
    BooleanProperty,
    ColorProperty,
    ListProperty,
    NumericProperty,
    ObjectProperty,
    StringProperty,
)
from kivy.uix.boxlayout import BoxLayout

from companion.pages.clocks import ClockFace
from companion.pages.frame import Mark, StripCell
from companion.pages.game_view import Score
from companion.pages.i18n import _
from companion.ui.theme import mixed, theme
from companion.ui.touch import Press
from companion.ui.widgets.basic import Icon, measure
from companion.ui.widgets.tap import Tap

__all__ = ["Badge", "ClockCard", "Half", "ScoreLine", "Strip", "StripBox"]

_NOBODY = Mark("", "muted", "")
_NO_FACE = ClockFace(_NOBODY)


class Badge(BoxLayout):
    """A side or nation: its emblem and its name."""

    mark = ObjectProperty(_NOBODY, rebind=True, comparator=eq)
    role = StringProperty("strong")
    tone = StringProperty("")
    """Another colour token for both; empty: the side's own."""
    may_shorten = BooleanProperty(False)
    """Whether a long name may end in an ellipsis instead of taking two lines."""
    is_narrow = BooleanProperty(False)
    """Whether the name needs every pixel: the emblem is small then."""

    def word_px(self, text: str) -> float:
        """Return the width of the longest word in the least type: what is narrower ends in an ellipsis too."""
        least, is_bold = theme.least_font_px, theme.is_bold(self.role)
        return max((measure(word, least, is_bold)[0] for word in text.split()), default=0.0)


class ClockCard(Tap, BoxLayout):
    """A side's clock in a card, as the Table shows it; its ground tells who acts."""

    face = ObjectProperty(_NO_FACE, rebind=True, comparator=eq)
    score = ObjectProperty(None, allownone=True, rebind=True)
    fill = ColorProperty((0, 0, 0, 0))
    ink = StringProperty("text")
    mark_ink = StringProperty("text")
    note_ink = StringProperty("muted")
    is_hidden = BooleanProperty(False)
    is_narrow = BooleanProperty(False)
    """Whether the points stand under the clock, beside which they have no room."""
    is_over = BooleanProperty(False)
    """Whether the game has ended, so that no clock waits any longer."""
    says = StringProperty("")
    """Whether the clock runs or waits, in a word; without clocks, whether the side is to play."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.fbind("face", self._paint)
        self.fbind("is_over", self._paint)
        self._paint()

    def _paint(self, *_args: object) -> None:
        face = self.face
        acting = _("runs") if face.text else _("to play")
        is_lit = face.is_running or (face.is_acting and not face.text)
        self.says = "" if self.is_over else acting if is_lit else _("waits")
        self.fill = theme.color(face.mark.tone if is_lit else "surface")
        self.ink = "on_side" if is_lit else "muted" if face.level == "fallen" else "text"
        self.mark_ink = "on_side" if is_lit else face.mark.tone
        calm = "on_side" if is_lit else "muted"
        self.note_ink = calm if face.level == "calm" or is_lit else "danger"

    def beside_px(self, text: str, room_px: float) -> float:
        """Return the width of a text beside the name: its own, or less where the name needs the room."""
        if not text:
            return 0.0
        is_bold, full_px, least_px = theme.is_bold("strong"), theme.font_px("strong"), theme.least_font_px
        name_px = measure(self.face.mark.name, full_px, is_bold)[0] + theme.px(40)
        own_px, small_px = (measure(text, px, is_bold)[0] + theme.px(2) for px in (full_px, least_px))
        return min(own_px, max(small_px, room_px - name_px), _MOST_BESIDE * room_px)


_MOST_BESIDE = 0.55
"""The most of a clock card's first line that what stands right of the name takes."""


class Half(Tap, BoxLayout):
    """Half of the Clocks screen: one side's giant clock; pressing it ends that side's act."""

    face = ObjectProperty(_NO_FACE, rebind=True, comparator=eq)
    hint = StringProperty("")
    sub = StringProperty("")
    is_small = BooleanProperty(False)
    """More than two sides share the window: smaller words."""
    fill = ColorProperty((0, 0, 0, 0))
    ink = StringProperty("text")
    mark_ink = StringProperty("text")
    note_ink = StringProperty("muted")
    is_hidden = BooleanProperty(False)
    edge = ColorProperty((0, 0, 0, 0))

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        for name in ("face", "is_pressed"):
            self.fbind(name, self._paint)
        self._paint()

    def _paint(self, *_args: object) -> None:
        face = self.face
        is_lit = face.is_running or (face.is_acting and not face.text)
        fill = theme.color(face.mark.tone if is_lit else "surface")
        if self.is_pressed:
            over = theme.color("on_side" if is_lit else "text")
            fill = mixed(fill, over, 0.18)
        self.fill = fill
        self.ink = "on_side" if is_lit else "muted" if face.level == "fallen" else "text"
        self.mark_ink = "on_side" if is_lit else face.mark.tone
        self.note_ink = "on_side" if is_lit else "muted" if face.level == "calm" else "danger"
        self.edge = theme.color(face.mark.tone if face.is_acting and not is_lit else "clear")


class ScoreLine(BoxLayout):
    """One side's victory points."""

    mark = ObjectProperty(_NOBODY, rebind=True, comparator=eq)
    score = ObjectProperty(Score("", ""), rebind=True)


class StripBox(BoxLayout):
    """One cell of the strip."""

    text = StringProperty("")
    state = StringProperty("ahead")
    part = ObjectProperty(0.0)
    font_px = NumericProperty(0)
    """The one type size of all cells."""
    fill = ColorProperty((0, 0, 0, 0))
    edge = ColorProperty((0, 0, 0, 0))
    bar = ColorProperty((0, 0, 0, 0))
    ink = StringProperty("muted")

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.fill = theme.color({"now": "accent", "done": "raised"}.get(self.state, "clear"))
        self.edge = theme.color("line" if self.state == "ahead" else "clear")
        self.bar = theme.color("on_accent" if self.state == "now" else "clear")
        self.ink = {"now": "on_accent", "done": "text"}.get(self.state, "muted")


class StripKey(Tap, StripBox):
    """One cell that is tapped, as high as a finger."""


class Strip(BoxLayout):
    """The whole stage in cells: what is over, where we stand, what is ahead. No cell is narrower than its word.

    All words have one size. A sequence with more cells than a line has room for takes two lines where the window is
    high, and shows those around where we stand where two are not enough.
    """

    cells = ListProperty([])

    __events__ = ("on_cell",)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(orientation="vertical", size_hint_y=None, height=_LINE_PX * theme.scale, **kwargs)
        self.spacing = theme.px(4)
        self.shown: tuple[StripCell, ...] = ()
        """The cells that are drawn; those at the ends may stand for more."""
        self._drawn: list[list[StripCell]] = []
        self.fbind("cells", self._build)
        self.fbind("width", self._share)
        self._build()

    def on_cell(self, act: str, touch: Press) -> None:
        """Announce the act of a cell that was tapped."""

    def _build(self, *_args: object) -> None:
        self._drawn = []
        self._share()

    def _box(self, cell: StripCell) -> StripBox:
        """Return what draws a cell, and takes its taps where it has an act."""
        words = {"text": cell.text, "state": cell.state, "part": cell.part}
        if cell.act is None:
            box = StripBox(size_hint_x=None, **words)
        else:
            box = StripKey(size_hint_x=None, acts_on="release", **words)
            box.bind(on_act=lambda _key, touch: self.dispatch("on_cell", cell.act, touch))
        if cell.symbol:
            box.clear_widgets()
            box.add_widget(Icon(name=cell.symbol, tone=box.ink, size_px=theme.px(20)))
        return box

    def _share(self, *_args: object) -> None:
        """Lay the cells on their lines, wide by weight, with whole words."""
        if not self.cells or self.width < 2:
            self.clear_widgets()
            self.shown, self._drawn = (), []
            return
        lines = self._lines(list(self.cells))
        font_px = min(self._fitting_px(line) for line in lines)
        if lines != self._drawn:
            self._drawn = lines
            self.shown = tuple(cell for line in lines for cell in line)
            self.clear_widgets()
            for line in lines:
                row = BoxLayout(spacing=self.spacing)
                for cell in line:
                    row.add_widget(self._box(cell))
                self.add_widget(row)
            high = theme.target_px if any(cell.act is not None for cell in self.cells) else theme.px(_LINE_PX)
            self.height = len(lines) * (high + self.spacing) - self.spacing
        for row, line in zip(reversed(self.children), lines, strict=True):
            needs = [_cell_px(cell, font_px) for cell in line]
            widths = _shared(self._room(line), needs, [max(0.1, cell.weight) for cell in line])
            for box, width in zip(reversed(row.children), widths, strict=True):
                box.width, box.font_px = width, font_px

    def _room(self, line: list[StripCell]) -> float:
        return float(self.width - self.spacing * (len(line) - 1))

    def _fits(self, line: list[StripCell], font_px: float) -> bool:
        return sum(_cell_px(cell, font_px) for cell in line) <= self._room(line)

    def _fitting_px(self, line: list[StripCell]) -> float:
        """Return the largest type in which all words of a line are whole."""
        font_px = theme.font_px("small")
        while font_px > theme.least_font_px and not self._fits(line, font_px):
            font_px = max(theme.least_font_px, font_px - 0.5)
        return font_px

    def _lines(self, cells: list[StripCell]) -> list[list[StripCell]]:
        """Return what stands on each line: all cells, or those around where we stand with a mark for the others."""
        least = theme.least_font_px
        if self._fits(cells, least):
            return [cells]
        if theme.is_portrait and len(cells) > 1:
            # The first of two lines ends where both need about the same.
            wide = [_cell_px(cell, least) + self.spacing for cell in cells]
            cut = min(range(1, len(cells)), key=lambda n: abs(sum(wide[:n]) - sum(wide[n:])))
            halves = [cells[:cut], cells[cut:]]
            if all(self._fits(half, least) for half in halves):
                return halves
        needs = [_cell_px(cell, least) for cell in cells]
        now = next((i for i, cell in enumerate(cells) if cell.state != "done"), len(cells) - 1)
        first, last = _window(needs, now, self.width, self.spacing, _word_px(_CUT, least) + self.spacing)
        kept = cells[first : last + 1]
        if first > 0:
            kept.insert(0, StripCell(_CUT, "done", 0.0, 0.1))
        if last < len(cells) - 1:
            kept.append(StripCell(_CUT, "ahead", 0.0, 0.1))
        return [kept]


_LINE_PX = 28
"""Height of a line of cells at 800x480."""

_CUT = "…"
"""Stands at either end for the cells that the window has no room for."""


def _word_px(text: str, font_px: float) -> float:
    return measure(text, font_px, False)[0] + theme.px(11)


def _cell_px(cell: StripCell, font_px: float) -> float:
    """Return the width that a cell needs: its word, and a finger where it is tapped."""
    return max(_word_px(cell.text, font_px), theme.target_px if cell.act is not None else 0.0)


def _window(needs: list[float], now: int, room: float, gap: float, cut: float) -> tuple[int, int]:
    """Return the first and last cell to show: all where they fit, else those around `now`, more ahead than behind."""
    first, last, used = now, now, needs[now]

    def rest() -> float:
        return (cut if first > 0 else 0.0) + (cut if last < len(needs) - 1 else 0.0)

    if sum(needs) + gap * (len(needs) - 1) <= room:
        return 0, len(needs) - 1
    while True:
        ahead, behind = last - now, now - first
        order = ("ahead", "behind") if ahead <= 2 * behind or first == 0 else ("behind", "ahead")
        for way in order:
            index = last + 1 if way == "ahead" else first - 1
            if not 0 <= index < len(needs):
                continue
            before = (first, last)
            first, last = (first, index) if way == "ahead" else (index, last)
            if used + needs[index] + gap * (last - first) + rest() <= room:
                used += needs[index]
                break
            first, last = before
        else:
            return first, last


def _shared(room: float, needs: list[float], weights: list[float]) -> list[float]:
    """Return widths that fill the room: by weight, but none below its need where all needs fit together."""
    if sum(needs) >= room:
        return [room * need / sum(needs) for need in needs]
    fixed: set[int] = set()
    while True:
        left = room - sum(needs[i] for i in fixed)
        free = sum(weight for i, weight in enumerate(weights) if i not in fixed)
        short = {i for i, weight in enumerate(weights) if i not in fixed and left * weight / free < needs[i]}
        if not short:
            return [needs[i] if i in fixed else left * weight / free for i, weight in enumerate(weights)]
        fixed |= short
