"""What a phone sees that only watches: the table, both clocks, the score, the log; and the spectators' page.

They know what a stranger knows who stands at the table. No hand, no draft, no note, nothing to press.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core.change import Change
from companion.core.history import Entry
from companion.core.ids import ARBITER, Millis, Side
from companion.core.newest import Newest
from companion.core.rules import GameRules
from companion.core.setup import SideInfo
from companion.core.state import GameState
from companion.core.text import Say, Typed, several, side
from companion.pages import plots
from companion.pages.clocks import clock_face
from companion.pages.controls import first_time_ms, steady_face
from companion.pages.frame import crumbs, strip
from companion.pages.game_view import Score
from companion.pages.i18n import current
from companion.pages.labels import done_say, entry_say, side_name
from companion.pages.modules import game_view, modules
from companion.pages.page import (
    ActId,
    Banner,
    Block,
    Button,
    Cell,
    Clock,
    ClockAnchor,
    Clocks,
    Field,
    Form,
    Item,
    Notice,
    Page,
    Plot,
    Rows,
    Sides,
    Sight,
    Strip,
    Words,
)
from companion.pages.page import Side as SideOf
from companion.pages.parts import side_mark
from companion.pages.read_only import read_only
from companion.pages.still import still
from companion.pages.table import TableView, table_view
from companion.pages.times import wall

__all__ = [
    "WATCHED",
    "Look",
    "Seating",
    "may_press",
    "mine_page",
    "press_act",
    "seat_page",
    "unsealed_page",
    "watched_page",
]

_LATEST, _LISTED = 5, 60
"""Lines of the log on the table's page, and on its own."""


def watched_page(key: str, sight: Sight, now_ms: Millis) -> Page:
    """Return a page of `WATCHED` for somebody who watches, at an instant, see `Look`."""
    return Look(sight, now_ms).page(key)


class Look:
    """What those see who only watch, at an instant and in one language; what several pages show is made once."""

    def __init__(self, sight: Sight, now_ms: Millis, other: Look | None = None) -> None:
        """Look at the table.

        Args:
            sight: Its viewer sees nothing hidden; its draft is not looked at.
            now_ms: The instant of clocks that stand.
            other: The same look in another language; what is in none is taken from it.
        """
        self.sight, self.now_ms, self._other = replace(sight, draft=None), now_ms, other

    def page(self, key: str) -> Page:
        """Return one of the pages of `WATCHED`."""
        sight, change = self.sight, self.sight.change
        if change is None or change.state.setup is None or sight.rules is None:
            return Page(f"phone.{key}", Say("Table Companion"), Say("No game is open at the table."), "muted")
        return WATCHED[key](self)

    @cached_property
    def steady(self) -> _Steady:
        """What stays while only time passes."""
        assert self.sight.rules is not None
        state, rules = still(self.sight.state), self.sight.rules
        return _STEADY.of(state, rules, current(), make=lambda: _Steady(state, rules))

    @cached_property
    def clocks(self) -> tuple[Clock, ...]:
        """The clocks of all sides; none where the game keeps no time or the table hides it."""
        sight = self.sight
        settings = sight.desk.settings() if sight.desk is not None else {}
        if sight.state.clocks.config.mode == "none" or settings.get("hide_clock"):
            return ()
        return _all_clocks(sight.state, self.now_ms, tenths=bool(settings.get("tenths", True)))

    @cached_property
    def lines(self) -> tuple[Item, ...]:
        """The newest lines of the log; what counts no more is crossed out."""
        return self._other.lines if self._other is not None else _lines(self.sight)


class _Steady:
    """What a look at one still state shows in one language, see `still`; each part is made when it is first asked for."""

    def __init__(self, state: GameState, rules: GameRules) -> None:
        self._state, self._rules = state, rules

    @cached_property
    def view(self) -> TableView:
        """What is done now."""
        return table_view(Change(0, self._state), self._rules, Millis(0), is_watched=True)

    @cached_property
    def lead(self) -> Typed:
        """The line under a title."""
        return Typed(" · ".join(crumbs(self._state)))

    @cached_property
    def strip(self) -> tuple[Block, ...]:
        """The stage at hand, cell by cell."""
        states = {"done": "done", "now": "now", "ahead": "next"}
        cells = tuple(
            Cell(str(n), Typed(cell.text), states[cell.state], part=cell.part, weight=cell.weight)  # type: ignore[arg-type]
            for n, cell in enumerate(strip(self._state, self._rules))
        )
        return (Strip("stage", cells),) if cells else ()

    @cached_property
    def to_do(self) -> tuple[Block, ...]:
        """The reminders of the act at hand, and what follows it."""
        view = self.view
        checks = tuple(
            Item(
                one.id,
                Typed(one.text),
                symbol="check" if one.is_done else "",
                state="done" if one.is_done else "plain",
            )
            for one in view.checks
        )
        blocks = (Rows("checks", checks, Say("To do")),) if checks else ()
        following = Rows("next", (Item("next", Typed(view.next_text)),), Say("Next"))
        return (*blocks, following) if view.next_text else blocks

    @cached_property
    def points(self) -> tuple[Block, ...]:
        """Victory points, where they are kept."""
        return _points(self._state, self.view.scores)

    @cached_property
    def score(self) -> tuple[Block, ...]:
        """Victory points and their line over the stages."""
        lines = plots.score_lines(self._state)
        return self.points if lines is None else (*self.points, Plot("points", lines))


_STEADY: Newest[_Steady] = Newest(8)


def _table(look: Look) -> Page:
    steady = look.steady
    blocks = (
        *steady.strip,
        *_now(look.sight.state, steady.view),
        *_clocks(look),
        *steady.to_do,
        *steady.points,
        Rows("latest", look.lines[:_LATEST], Say("Log")),
    )
    return Page("phone.table", Say("Table"), steady.lead, "muted", blocks=blocks)


def _now(state: GameState, view: TableView) -> tuple[Block, ...]:
    """Return whose act it is, or how it ended."""
    if view.is_over:
        lines = tuple(Item(str(n), Typed(line)) for n, line in enumerate(view.summary))
        return Banner("now", Say("Game over"), Typed(view.ending), symbol="trophy"), Rows("summary", lines)
    owners = state.step.owners
    who = side_mark(state.frozen_setup, owners[0]) if len(owners) == 1 else None
    told = ", ".join((view.who, *view.units))
    banner = Banner("now", Typed(view.act), Typed(told), mark=who)
    if state.flag_prompt is not None:
        who_fell = Typed(side_name(state.frozen_setup, state.flag_prompt))
        return banner, Notice("flag", Say("{side}: the flag has fallen", side=who_fell), state="danger")
    if state.clocks.is_paused:
        return banner, Notice("paused", Say("Paused"))
    return (banner,)


def _clocks(look: Look, *, is_large: bool = False) -> tuple[Block, ...]:
    return (Clocks("clocks", look.clocks, is_large),) if look.clocks else ()


def _all_clocks(state: GameState, now_ms: Millis, *, tenths: bool) -> tuple[Clock, ...]:
    return tuple(_clock(state, info, now_ms, tenths=tenths) for info in state.frozen_setup.sides)


def _clock(state: GameState, info: SideInfo, now_ms: Millis, *, tenths: bool) -> Clock:
    clocks, own = state.clocks, Side(info.id)
    face = clock_face(state, info.id, now_ms)
    is_running = clocks.running == own
    at = clocks.since_ms if is_running else 0
    left = ck.remaining(clocks, own, at if is_running else now_ms)
    if left is None and clocks.config.mode == "limit":  # before the first stage
        left = first_time_ms(state, own)
    told = face.note
    if (steady := steady_face(state, own, at if is_running else now_ms)) is not None:
        left, told = steady
    if left is None:
        anchor = ClockAnchor(ck.spent(clocks, own, at if is_running else now_ms), at, is_running, True)
    else:
        anchor = ClockAnchor(left, at, is_running, False, 60_000 if tenths and is_running else 0)
    note = Typed(told or face.players) if told or face.players else None
    return Clock(info.id, side_mark(state.frozen_setup, info.id), anchor, face.level, note)  # type: ignore[arg-type]


def _points(state: GameState, scores: tuple[Score, ...]) -> tuple[Block, ...]:
    if not scores:
        return ()
    rows = (
        Item(
            score.side,
            Typed(side_name(state.frozen_setup, score.side)),
            Typed(score.goal) if score.goal else None,
            Typed(score.text),
            side_mark(state.frozen_setup, score.side),
        )
        for score in scores
    )
    return (Rows("points", tuple(rows), Say("Victory points")),)


class _Lines:
    """Lines of the log as they were made before: of a change all but the newest are the same."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Entry, bool, Item]] = {}

    def of(self, sight: Sight) -> tuple[Item, ...]:
        """Return the newest lines of the log; what counts no more is crossed out."""
        desk, state, before = sight.desk, sight.state, self._known
        if desk is None:
            return ()
        self._known = {}
        for entry in desk.entries()[: -_LISTED - 1 : -1]:
            counts, known = desk.counts(entry.seq), before.get(entry.seq)
            if known is None or known[0] is not entry or known[1] != counts:
                when = Typed(wall(entry.wall_ms, sight.wall_ms))
                told = Say("{when} · {actor}", when=when, actor=side(entry.actor))
                row = Item(str(entry.seq), entry_say(entry, state), told, state="plain" if counts else "lost")
                known = entry, counts, row
            self._known[entry.seq] = known
        return tuple(item for _entry, _counts, item in self._known.values())


_LINES: Newest[_Lines] = Newest(2)


def _lines(sight: Sight) -> tuple[Item, ...]:
    """Return the newest lines of the log. What an entry did is told by the game as it stands, and when by the day."""
    state, day = sight.state, time.localtime(sight.wall_ms / 1000)[:3]
    told_by = (state.setup, state.itinerary, state.printed, state.game, state.clocks.config)
    return _LINES.of(*told_by, _day(*day), make=_Lines).of(sight)


@lru_cache(2)
def _day(*day: int) -> object:
    """Return the one value that stands for a day."""
    return day


def _both_clocks(look: Look) -> Page:
    clocks = _clocks(look, is_large=True)
    missing = Rows("none", (), empty=Say("The clock is hidden, or this game does not track time."))
    blocks = (*(clocks or (missing,)), *_now(look.sight.state, look.steady.view))
    return Page("phone.clocks", Say("Clocks"), look.steady.lead, "muted", blocks=blocks)


def _score(look: Look) -> Page:
    none = Rows("none", (), empty=Say("Victory points are not tracked for this game yet"))
    blocks = look.steady.score or (none,)
    return Page("phone.score", Say("Score"), look.steady.lead, "muted", blocks=blocks)


def _log(look: Look) -> Page:
    rows = Rows("log", look.lines)
    return Page("phone.log", Say("Log"), look.steady.lead, "muted", blocks=(rows,))


def _tv(look: Look) -> Page:
    """Return what spectators see: large clocks, the score, and beside them the battle at hand: nobody scrolls a screen."""
    sight = look.sight
    blocks: tuple[Block, ...] = (
        *_clocks(look, is_large=True),
        *_now(sight.state, look.steady.view),
        *look.steady.strip,
        *look.steady.points,
    )
    hand = _at_hand(sight)
    if hand:
        blocks = (Sides("tv", (SideOf("table", None, blocks), SideOf("hand", None, hand))),)
    lead: Words = look.steady.lead
    delay_s = int(sight.desk.settings().get("phones_delay_s") or 0) if sight.desk is not None else 0
    if delay_s >= 60:
        lead = several((lead, Say("Shown {n} min late", n=delay_s // 60)), "dots")
    return Page("phone.tv", Say(sight.state.frozen_setup.title), lead, "muted", blocks=blocks)


def _at_hand(sight: Sight) -> tuple[Block, ...]:
    """Return the game's own page of what is done now, to be looked at: where its act leads, or its battles."""
    game, step = sight.state.frozen_setup.game, sight.state.step
    module = modules().get(game)
    key = game_view(game).screen_for(sight.state)
    is_fought = step.act in _FOUGHT and not key
    entry = next(
        (
            one
            for one in (module.screens if module is not None else ())
            if one.key == key or (is_fought and one.icon == _BATTLE)
        ),
        None,
    )
    if entry is None or sight.state.ending is not None:
        return ()
    blocks = read_only(entry.make()(sight).page).blocks
    return tuple(replace(block, key=f"hand.{block.key}") for block in blocks)


_FOUGHT, _BATTLE = ("declare", "resolve"), "battle"
"""Acts in which battles are fought, and the icon of the screen that shows them."""


class Seating(Struct, frozen=True):
    """Who has a side by phone, and who asks for one."""

    held: frozenset[str] = frozenset()
    wishes: Mapping[str, str] = {}
    """Names of those who ask, by side."""
    is_locked: bool = False


_EMPTY = Seating()


def press_act(state: GameState) -> str:
    """Return the id of the press that ends the act at hand; of another act it is another one."""
    return f"press.{state.step.id}"


def may_press(state: GameState, seat: str, *, may_tournament: bool = False) -> Say | None:
    """Return why a side's phone may not press now; None where it may, as that side's half of the Clocks screen may.

    In a tournament only where the arbiter lets both sides' phones (`may_tournament`).
    """
    if state.ending is not None:
        return Say("The game is over.")
    if ck.is_tournament(state.clocks) and not may_tournament:
        return Say("In a tournament only the box is pressed.")
    if state.clocks.is_paused or state.flag_prompt is not None:
        return Say("The clocks are paused.")
    if tuple(state.step.owners) != (seat,):
        return Say("It is not your act.")
    return None


def seat_page(sight: Sight, seating: Seating = _EMPTY) -> Page:
    """Return the way to a side, for a phone that holds none: every side with who plays it, who has it, and who asks."""
    if sight.change is None or sight.change.state.setup is None:
        return Page("phone.seat", Say("Your seat"), Say("No game is open at the table."), "muted")
    setup = sight.state.frozen_setup
    sides = tuple(
        Item(
            info.id,
            side(info.id),
            _players(sight.state, info),
            Say("{name} asks", name=Typed(seating.wishes[info.id])) if info.id in seating.wishes else None,
            side_mark(setup, info.id),
            why_not=Say("Has a phone")
            if info.id in seating.held
            else Say("Locked")
            if seating.is_locked
            else None,
        )
        for info in setup.sides
    )
    fields = (
        Field("name", Say("Your name"), "text", most=24, may_be_empty=True),
        Field("seat", Say("Which side are you?"), "choose", options=sides, is_wide=False),
    )
    form = Form("seat", Typed(""), fields, ActId("sit"), ActId(""))
    told = Say("Tap your side. The box asks the table.")
    if seating.is_locked:
        told = Say("The table lets nobody else ask for a side.")
    own = Say(
        "Your own pages, such as a hand or a sealed fleet, come with your side's code: on the box, Phones, Seats."
    )
    notice = Notice("own", Say("A phone at a side may press that side's clock."), own)
    return Page("phone.seat", Say("Your seat"), told, "muted", blocks=(notice,), form=form)


def _players(state: GameState, info: SideInfo) -> Typed | None:
    """Return who plays a side, where that is not its name already."""
    players = clock_face(state, info.id, 0).players
    return Typed(players) if players and players != info.name else None


def seat_name(seat: str) -> Words:
    """Return the name of a side, or of the arbiter."""
    return Say("Arbiter") if seat == ARBITER else side(seat)


def unsealed_page(seat: str) -> Page:
    """Return what stands where a sealed page cannot be opened: no key on this phone, or no script."""
    return Page("phone.sealed", seat_name(seat), Say("Scan your seat's code on the box again."), "muted")


def mine_page(seat: str, sight: Sight, now_ms: Millis, *, may_tournament: bool = False) -> Page:
    """Return the clock of a side's own phone: one button, dead with its reason while it may not be pressed."""
    if sight.change is None or sight.change.state.setup is None:
        return seat_page(sight)
    state = sight.state
    why = may_press(state, seat, may_tournament=may_tournament)
    main = Button(done_say(state), ActId(press_act(state)) if why is None else None, why_not=why)
    look = Look(sight, now_ms)
    own = tuple(one for one in look.clocks if one.key == seat)
    clocks = (Clocks("clocks", own, is_large=True),) if look.clocks else ()
    blocks = (*clocks, *_now(state, look.steady.view))
    return Page("phone.mine", side(seat), look.steady.lead, "muted", blocks=blocks, main=main)


WATCHED: Mapping[str, Callable[[Look], Page]] = {
    "table": _table,
    "clocks": _both_clocks,
    "score": _score,
    "log": _log,
    "tv": _tv,
}
"""Every page that is watched, by its key."""
