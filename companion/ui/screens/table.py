"""The Table: large clocks over the score, what to do now and with which units, its battles, what comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kivy.clock import Clock
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget
from msgspec.structs import replace

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.ids import CheckId
from companion.pages.clocks import clock_face
from companion.pages.game_view import OpenBattle
from companion.pages.hall import hall_line
from companion.pages.i18n import _
from companion.pages.modules import game_view
from companion.pages.speak import speak
from companion.pages.table import (
    MOST_CHECKS,
    CheckRow,
    TableView,
    at_hand,
    main_command,
    next_line,
    table_view,
)
from companion.ui.render.pen import Pen
from companion.ui.render.split import SplitBlock
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets import ClockCard, Plate, Tap, TickLine
from companion.ui.widgets.basic import measure

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["TableScreen"]

_EMPTY = TableView()
_HALL_PX = 36
"""Height at 800x480 of the line of a table in a hall."""
_HEAD_PX, _BATTLE_PX, _UNIT_PX = 42, 54, 54
"""Heights at 800x480 of what is done now, of a battle's tile and of a unit's symbol over its name."""
_FEW_CHECKS = 2
"""So many reminders stand there in any case, however small they are written."""
_MOST_PARTS = 2
_MOST_BATTLES = 3
"""More battles than these stand on their own screen alone."""


class ScoreBar(Tap, SplitBlock):
    """How the game stands on one bar; a tap opens the Score."""

    slim_px = 44

    def __init__(self, pen: Pen, on_open: Callable[[], None], **kwargs: object) -> None:
        super().__init__(pen, acts_on="release", **kwargs)
        self._on_open = on_open

    def on_act(self, _touch: Press | None) -> None:
        """Open the Score."""
        self._on_open()


class ThenLine(Tap, BoxLayout):
    """What comes next; while reminders wait, a tap shows them."""


class UnitCell(BoxLayout):
    """An active unit: its symbol over its name."""

    symbol = StringProperty("")
    text = StringProperty("")


class TableScreen(Screen):
    """Shows a `TableView`; the main act ends the current act, or resumes."""

    has_strip = True
    is_hidden = BooleanProperty(False)
    next_line = StringProperty("")
    has_more = BooleanProperty(False)
    """Reminders wait that are not on the screen: the line of what follows shows them."""

    def __init__(self, root: Root, **kwargs: object) -> None:
        self.vm = _EMPTY
        super().__init__(root, **kwargs)
        checks = self._checks = self.ids.checks
        checks.make, checks.text_of = self._row, lambda check: check.text
        checks.inset_px, checks.has_own_heights, checks.turned = theme.px(44), True, self._turn_checks
        self._first = 0
        """How many open reminders a swipe has passed over."""
        checks.fbind("size", self._show_checks)
        self._cards: list[Widget] = []
        self.pen = Pen(lambda _act, _touch: None, lambda _why: None)
        self._bar = ScoreBar(self.pen, self._open_score)
        self._drawn: tuple[object, ...] = ()
        self._hall: tuple[Widget, Widget] | None = None
        self._cells: tuple[tuple[str, str], ...] = ()
        self._share_soon = Clock.create_trigger(self._share, -1)
        self.ids.right.bind(size=self._share_soon)
        self.ids.act.bind(pos=self._place_notice, size=self._place_notice)

    def _place_notice(self, *_args: object) -> None:
        if self.root.toast is not None:
            self.root.toast.place()

    def notice_room(self) -> tuple[float, float, float] | None:
        """Return the place below the act: stage, clocks and the act itself stay to be seen."""
        room, head = self.ids.right, self.ids.act
        if room.width < theme.px(300):  # not laid out yet
            return None
        return room.x + room.padding[0], head.y - theme.px(4), room.width - room.padding[0]

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        rules = self.root.desk.rules
        if change is None or rules is None:
            return
        settings = self.root.settings
        view = table_view(change, rules, self.root.desk.now_ms(), swapped=settings.swap_seats)
        self.is_hidden = settings.hide_clock
        self.vm = view
        self.pen.use(change.state)
        self._show_bar(view)
        self._lay_cards(len(view.faces))
        self._show(view.faces)
        self._show_checks()
        is_paused = bool(view.status)
        self.main_text = self.root.words["resume"] if is_paused else view.main_text
        self.main_icon = "play" if is_paused else ""
        self.main_enabled = self.second_enabled = is_paused or view.can_act
        self.why_not = "" if self.main_enabled else _("Settle the fallen flag first")
        self.second_text = "" if is_paused else view.end_text
        self._show_battles(view)
        self._show_hall()
        self._share_soon()

    def tick(self, now_ms: int) -> int | None:
        """Show the digits of this instant."""
        change = self.root.desk.change
        if change is None:
            return None
        sides = [info.id for info in change.state.frozen_setup.sides]
        if self.root.settings.swap_seats:
            sides.reverse()
        faces = [clock_face(change.state, side, now_ms, tenths=self.root.settings.tenths) for side in sides]
        self._show(faces)
        if self.ids.hall.height:
            self._show_hall()
        waits = [face.changes_in_ms for face in faces if face.changes_in_ms is not None]
        return min(waits, default=None)

    def _show_hall(self) -> None:
        """Show how the table stands in its hall; nothing stands there in none."""
        hall = self.root.hall
        if self._hall is None or self._hall[0] is not hall:
            if self._hall is not None:
                self._hall[1].cancel()
            self._hall = (hall, hall.subscribe(self._show_hall))
        plate, line = self.ids.hall, hall_line(hall.state, self.root.desk.now_ms())
        if line is not None:
            plate.text, plate.tone = speak(line[0]), line[1]
            plate.icon, plate.kind = "trophy", "chosen" if line[1] == "accent" else "bare"
        height = theme.px(_HALL_PX) if line is not None else 0
        if plate.height != height:
            plate.height = height
            self._share_soon()

    def main_act(self, touch: Press | None) -> None:
        """Go to the battle that waits, else end the act, or resume."""
        if self.vm.is_over:
            self.root.report()
        elif self.second_text:
            self._open(self.vm.battles[0])
        else:
            self.second_act(touch)

    def second_act(self, touch: Press | None) -> None:
        """End the act, or resume."""
        change = self.root.desk.change
        if change is not None:
            self.send(main_command(change.state, self.stamp_ms(touch)))

    @staticmethod
    def word_px(text: str) -> float:
        """Return the width of a word before a line."""
        return measure(text, theme.font_px("strong"), True)[0] + theme.px(2) if text else 0.0

    def _show_checks(self, *_args: object) -> None:
        """Show as many reminders as there is room for without a page turn; the next one comes as one is ticked."""
        room = self._room()
        self._first = min(self._first, max(0, sum(not row.is_done for row in self.vm.checks) - 1))
        self._checks.items = list(at_hand(self.vm.checks, room, self._first))
        self.next_line = next_line(self.vm, room, self._first)
        shown = sum(not row.is_done for row in self._checks.items)
        has_more = sum(not row.is_done for row in self.vm.checks) > shown
        if has_more != self.has_more:
            self.has_more = has_more
            self._share_soon()

    def turn_reminders(self) -> None:
        """Show the reminders that wait, after the last ones the first again."""
        was = self._first
        self._turn_checks(1)
        if self._first == was:
            self._first = 0
            self._show_checks()

    def _turn_checks(self, by: int) -> None:
        """Show the reminders that follow those at hand, or those before them."""
        was, shown = self._first, sum(not row.is_done for row in self._checks.items)
        self._first = max(0, was + shown if by > 0 else was - self._room())
        if self._first >= sum(not row.is_done for row in self.vm.checks):
            self._first = was
        self._show_checks()

    def _room(self) -> int:
        """Return how many reminders stand below each other, each as high as it wants; two at least, where that many rows fit.

        They stand there in full size, or for a third one in a smaller one.
        """
        checks = self._checks
        if checks.height <= 1 or checks.width <= 1:
            return MOST_CHECKS
        most = min(checks.room, MOST_CHECKS)
        for room in range(most, _FEW_CHECKS, -1):
            font = checks.own_font(row.text for row in at_hand(self.vm.checks, room, self._first))
            if font == checks.own_fonts[0] or (font and room == _FEW_CHECKS + 1):
                return room
        return min(most, _FEW_CHECKS)

    def help_lines(self) -> tuple[tuple[str, str], ...]:
        """Tell all reminders of this step, those too that are not on the screen yet."""
        return tuple(
            (_("Reminder {n}").format(n=n), check.text) for n, check in enumerate(self.vm.checks, start=1)
        )

    def _row(self, check: CheckRow) -> Widget:
        line = TickLine(key=check.id, text=check.text, is_done=check.is_done, font_px=self.ids.checks.font_px)
        line.bind(on_act=lambda _widget, _touch: self._tick_check(check))
        return line

    def _tick_check(self, check: CheckRow) -> None:
        change = self.root.desk.change
        if check.command is not None:
            if not check.is_done:
                self.send(check.command)
        elif change is not None:
            self.send(cm.TickCheck(change.state.step.id, CheckId(check.id), not check.is_done))

    # Clocks and score

    def _lay_cards(self, count: int) -> None:
        """Make a clock card a side: one column, two from four sides on and in portrait."""
        if len(self._cards) == count:
            return
        grid, left = self.ids.cards, self.ids.left
        grid.clear_widgets()
        grid.cols = 2 if theme.is_portrait or count > 3 else 1
        if theme.is_portrait:
            bar = self._bar.height + theme.px(8) if self._bar.parent is not None else 0
            left.height = max(theme.px(124), -(-count // 2) * theme.px(108)) + bar
        self._cards = [ClockCard(acts_on="release") for _n in range(count)]
        for card in self._cards:
            card.bind(on_act=lambda _w, _touch: self.root.go("clocks"))
            grid.add_widget(card)
        self.moving = tuple(card.ids.digits for card in self._cards)

    def _show_bar(self, view: TableView) -> None:
        """Show how the game stands below the clocks, where anything is scored."""
        bar, left = self._bar, self.ids.left
        # The points of more than two stand on their cards: a bar this short would not hold their figures.
        split = None if view.standing is None or len(view.faces) > _MOST_PARTS else view.standing.split
        if split is not None:
            bar.show(replace(split, is_slim=True))
        if (split is not None) != (bar.parent is not None):
            if split is not None:
                left.add_widget(bar)
            else:
                left.remove_widget(bar)

    def _open_score(self) -> None:
        change = self.root.desk.change
        key = "" if change is None else game_view(change.state.frozen_setup.game).score_screen
        if key:
            self.root.go(key)

    def _show(self, faces: Any) -> None:
        scores = {} if self._bar.parent is not None else {score.side: score for score in self.vm.scores}
        for card, face in zip(self._cards, faces, strict=True):
            card.is_hidden, card.is_over = self.is_hidden, self.vm.is_over
            card.score = scores.get(face.mark.id)
            card.face = face

    # The act at hand

    def _show_battles(self, view: TableView) -> None:
        """Show the battles that wait as tiles, each one tap away, and a key for one more."""
        drawn = (view.battles, view.declare)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        row = self.ids.battles
        row.clear_widgets()
        for battle in view.battles[:_MOST_BATTLES]:
            plate = Plate(
                text=battle.title, sub=battle.note, align="left", acts_on="release",
                icon="battle" if battle.is_running else "", kind="chosen" if battle.is_running else "soft",
                role="strong",
            )  # fmt: skip
            plate.bind(on_act=lambda _w, _touch, battle=battle: self._open(battle))
            row.add_widget(plate)
        rest = len(view.battles) - _MOST_BATTLES
        if rest > 0:
            more = Plate(text=f"+{rest}", acts_on="release", size_hint_x=None, width=theme.px(60))
            more.bind(on_act=lambda _w, _touch: self.root.go(view.battles[0].screen))
            row.add_widget(more)
        if view.declare:
            plus = Plate(icon="plus", acts_on="release")
            if view.battles:
                plus.size_hint_x, plus.width = None, theme.px(60)
            else:
                plus.text, plus.align = view.declare, "left"
            plus.bind(on_act=lambda _w, _touch: self._declare())
            row.add_widget(plus)

    def _open(self, battle: OpenBattle) -> None:
        self.root.go(battle.screen, **({} if battle.draft is None else {"draft": battle.draft}))

    def _declare(self) -> None:
        change = self.root.desk.change
        found = None
        if change is not None:
            found = game_view(change.state.frozen_setup.game).new_battle(change.state)
        if found is not None:
            self.root.go(found[0], **({} if found[1] is None else {"act": found[1]}))

    def _share(self, *_args: object) -> None:
        """Share the height: first the checks and battles of the act, then its units, as symbols where there is room, and what follows."""
        view, ids = self.vm, self.ids
        has_battles = bool(view.battles or view.declare)
        gap, tight = theme.px(4), theme.px(1)
        ids.battles.height, ids.battles.opacity = (theme.px(_BATTLE_PX), 1) if has_battles else (0, 0)
        summary = theme.font_px("body") * 1.5 * len(view.summary)
        above = ids.hall.height + theme.px(_HEAD_PX) + ids.battles.height + summary
        line = theme.font_px("body") * 1.5
        text = _("Active: {units}").format(units=", ".join(view.units)) if view.units else ""
        lines = measure(text, theme.font_px("body"), False, max(1.0, ids.right.width))[1] if text else 0.0
        units = ((self._symbols_px(), 0.0), (0.0, lines))
        beside = self.word_px(_("Then")) + theme.px(8) + ids.right.padding[0]
        room = max(1.0, ids.right.width - beside)
        whole = min(measure(self.next_line, theme.font_px("body"), False, room)[1], 2 * line)
        every = len(at_hand(view.checks))
        drawn = named = follows = 0.0
        between = gap
        # With which units comes before a third reminder: those that wait are counted in the line of what follows.
        for rows in range(every, min(every, 2) - 1, -1):
            # The way to the reminders that wait is as high as a finger, if there is room; the gaps give some.
            waits = rows < every or self.has_more
            then = line if self.vm.next_text or waits else 0.0
            heights = (theme.target_px,) if waits else (max(then, whole), then) if then else ()
            above_all = above + (ids.checks.row_px + gap) * rows
            wide, close = (
                ids.right.height - above_all - 6 * gap,
                ids.right.height - above_all - 7 * tight + gap,
            )
            # (the gap, the room, symbols, names, what follows), the best first; the first that has room.
            rooms = ((tight, close),) if waits else ((gap, wide), (tight, close))
            ways = [(*one, *unit, high) for high in heights for one in rooms for unit in units]
            if not waits or rows == min(every, 2):
                ways += [(*rooms[0], *unit, then if waits else 0.0) for unit in units]
            told = (way for way in ways if way[2] or way[3] or not text)
            found = next((way for way in told if sum(way[2:]) <= way[1]), None)
            if found is not None:
                between, _room, drawn, named, follows = found
                break
            if rows == every:
                between, room = rooms[0]
                follows = next((high for high in (*heights, then) if high and high <= room), 0.0)
        else:
            between = tight if waits else gap
        ids.right.spacing = between
        ids.units.height, ids.units.opacity = drawn, 1 if drawn else 0
        names, columns = self._named()
        cells = tuple((cell[0], name) for cell, name in zip(view.cells, names, strict=True)) if drawn else ()
        if cells != self._cells:
            self._cells = cells
            ids.units.clear_widgets()
            for symbol, name in cells:
                ids.units.add_widget(UnitCell(symbol=symbol, text=name))
        ids.units.cols = columns
        ids.named.text, ids.named.height = (text, named) if named else ("", 0)
        ids.then.height, ids.then.opacity = follows, 1 if follows else 0

    def _named(self) -> tuple[tuple[str, ...], int]:
        """Return the names of the active units and how many stand side by side: in full where that takes no more lines."""
        short, full = (tuple(cell[n] for cell in self.vm.cells) for n in (1, 2))
        few, most = self._columns(full), self._columns(short)
        return (full, few) if -(-len(full) // few) == -(-len(short) // most) else (short, most)

    def _columns(self, names: tuple[str, ...]) -> int:
        """Return how many active units stand side by side: as many on every line, and no name cut."""
        if not names:
            return 1
        wide = max(measure(name, theme.least_font_px, False)[0] for name in names) + theme.px(8)
        most = max(1, int(self.ids.right.width // wide))
        return -(-len(names) // -(-len(names) // most))

    def _symbols_px(self) -> float:
        """Return the height of the active units as symbols over their names."""
        line = theme.px(_UNIT_PX) + max(0.0, 1.3 * (theme.font_px("small") - theme.px(16)))
        return -(-len(self.vm.cells) // self._named()[1]) * line


load_kv(__file__)
