"""A side's own phone as a screen of its own: its pages, its drafts, the question that is open, and what its presses do.

The pages are the box's, made for this viewer. What may be sent is the game's to say (`OwnPages.may`), whatever a page offers:
a side does its own acts and nobody else's, and what only the box does stays there. Pure of sockets; one thread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.commands import Command
from companion.core.ids import ARBITER, TABLE, Actor, Millis, Side
from companion.core.text import Say
from companion.pages import page as pg
from companion.pages.answers import taken
from companion.pages.arbiter_phone import ARBITER_ENTRY
from companion.pages.clocks import press_half
from companion.pages.dice_phone import DICE_ENTRY, DiceRoll, roll_of
from companion.pages.draft import Drafts
from companion.pages.later import Later
from companion.pages.modules import OwnPages, modules
from companion.pages.needs import anyway, ask_again
from companion.pages.page import Act, ActId, Page, ScreenEntry, Shown, Sight, Viewer
from companion.pages.parts import refusal_words
from companion.pages.phone_pages import may_press, mine_page, press_act
from companion.pages.read_only import read_only
from companion.session.files import explain

__all__ = ["CLOCK", "TAKE_NOTE", "OwnSeat"]

TAKE_NOTE = ActId("photo.note")
"""The act of the button that opens the phone's camera for a photo of the evening."""
CLOCK = "clock"
"""The page that every seat has."""
_GO, _CLOSE, _SAID, _NOTE = "own.go.", "own.close", "own.said", ActId("own.note")
_ON_BOX = Say("This is done on the box.")
_MOVED = Say("The table has moved on.")
_NOT_YOURS = Say("It is not your act.")
_LOST_NOTES = Say("What was noted here earlier cannot be read on this box. It is kept beside the game.")
_MOST_WAITING = 8


class Notes(Protocol):
    """Keeps what players note of their own."""

    def read(self, key: str) -> str:
        """Return a note; empty where there is none."""
        ...

    def is_unreadable(self) -> bool:
        """Say whether notes were kept that cannot be read here."""
        ...

    def write(self, key: str, text: str) -> None:
        """Keep a note. OSError where the place takes none."""
        ...


class OwnSeat:
    """One seat's screen."""

    def __init__(
        self,
        side: str,
        send: Callable[[Command, Actor], None],
        work: Callable[[Callable[[], Act], Callable[[Act | None], None]], None],
        on_box: Callable[[pg.OnBox], Say | None] = lambda _act: None,
        notes: Notes | None = None,
        *,
        later: Later | None = None,
    ) -> None:
        """Show a side its pages.

        Args:
            side: Whose they are: a side's, or the arbiter's.
            send: Hands a command to the writer.
            work: Does something slow beside, then calls back with what came of it (None: a fault), on this thread.
            on_box: Does what the arbiter may have the box do and returns what came of it; None: nothing of the kind.
            notes: Keeps what its owner notes of his own; None: only while the program runs.
            later: Does slow work of a page beside; None: a page waits for it.
        """
        self.side, self._send, self._work, self._on_box = side, send, work, on_box
        self._notes, self._later = notes, later
        self._first = ARBITER_ENTRY.key if side == ARBITER else CLOCK
        self.viewer = Viewer(side, frozenset() if side == ARBITER else frozenset({side}))
        self._drafts = Drafts()
        self._screen, self._game = self._first, ""
        self._ask: pg.Ask | None = None
        self._note: pg.Words | None = None
        self._shown = Shown(Page("", 0), {})
        self._waiting: tuple[tuple[Command, Act | None], ...] = ()
        self._change: Change | None = None
        self.may_tournament = False
        self._is_busy = False

    # What is shown

    def page(self, sight: Sight, now_ms: Millis) -> Page:
        """Return the page as it is now; its acts stay here."""
        change = sight.change
        setup = change.state.setup if change is not None else None
        game = f"{setup.game}.{setup.game_id}" if setup is not None else ""
        if game != self._game:
            self._game, self._screen = game, self._first
            self._drafts.clear()
            self._forget()
            self._take_notes(change)
        if change is None or not game:
            self._shown = Shown(mine_page(self.side, sight, now_ms), {})
            return self._shown.page
        if change is not self._change and self._shown.page.is_glance:
            self._drafts.drop(self.viewer, self._screen)
        self._change = change
        own = self._pages(change)
        entry = _entry_of(own, self._screen)
        if entry is None:
            self._screen = CLOCK
            page = mine_page(self.side, sight, now_ms, may_tournament=self.may_tournament)
            tools = (
                pg.Button(Say("Write a note"), _NOTE, "edit"),
                pg.Button(Say("Add a photo"), TAKE_NOTE, "camera"),
            )
            acts: dict[ActId, Act] = {ActId(press_act(change.state)): pg.EndAct(), _NOTE: _ask_note()}
            shown = Shown(replace(page, tools=tools), acts)
        else:
            shown = entry.make()(self._sight(sight, entry))
            if entry is not DICE_ENTRY and not own.can_act(change.state, Side(self.side), entry.key):
                shown = Shown(read_only(shown.page), {})
        if self._later is not None:
            self._later.settle()
        self._shown = self._framed(shown, own)
        return self._shown.page

    def _sight(self, sight: Sight, entry: ScreenEntry) -> Sight:
        draft = self._drafts.get(self.viewer, entry.key, self._step(entry))
        return replace(sight, viewer=self.viewer, draft=draft, later=self._later)

    def _step(self, entry: ScreenEntry) -> str:
        return str(self._change.state.step.id) if entry.needs_game and self._change is not None else ""

    def _framed(self, shown: Shown, own: OwnPages) -> Shown:
        """Return a page with the ways to the seat's others, what was said to it, and its open question."""
        acts: dict[ActId, Act] = dict(shown.acts)
        options = []
        clock = ((CLOCK, Say("Clock")),) if self._first == CLOCK else ()
        for key, title in (*clock, *((one.key, Say(one.title)) for one in own.screens)):
            id_ = ActId(f"{_GO}{key}")
            acts[id_] = pg.Go(key)
            options.append(pg.Item(key, title, act=id_))
        above: list[pg.Block] = []
        if self._is_busy:
            above.append(pg.Notice("own.busy", Say("One moment …")))
        if self._note is not None:
            close = ActId(_SAID)
            acts[close] = pg.Draft(lambda draft: draft, None)
            above.append(pg.Notice("own.said", self._note, acts=(pg.Button(Say("OK"), close),)))
        if self._ask is not None:
            return self._asking(self._ask, replace(shown.page, blocks=(*above, *shown.page.blocks)))
        if len(options) > 1:
            above.insert(0, pg.Choices("own.screens", tuple(options), self._screen))
        main, second = (self._foot(one, shown, own) for one in (shown.page.main, shown.page.second))
        page = replace(
            shown.page, blocks=(*above, *shown.page.blocks), main=main, second=second, is_private=True
        )
        return Shown(page, acts)

    def _asking(self, ask: pg.Ask, page: Page) -> Shown:
        """Return a page with its open question, which is the only thing on it to press."""
        under = replace(read_only(page, has_keys=False), is_private=True, is_glance=page.is_glance)
        form = replace(ask.form, back=ActId(_CLOSE))
        return pg.opened(Shown(under, {}), pg.Ask(form, ask.answered), pg.Draft(lambda draft: draft, None))

    def _foot(self, button: pg.Button | None, shown: Shown, own: OwnPages) -> pg.Button | None:
        """Return an act of the foot; the way back is above already, and what is another's to send is dead and says so."""
        act = shown.act(button.act) if button is not None and button.act is not None else None
        if button is None or act == pg.Go("table"):
            return None
        if self._change is None or self.side == ARBITER:
            return button
        why = None
        if isinstance(act, pg.Send):
            why = self._why_not(act.at(0), act.actor, own)
        elif isinstance(act, pg.EndAct):
            why = may_press(self._change.state, self.side, may_tournament=self.may_tournament)
        return button if why is None else replace(button, act=None, why_not=why)

    # Presses

    @property
    def stamp(self) -> str:
        """Names what is shown: an act of another page, another question or another step is none of this one."""
        step = self._change.state.step.id if self._change is not None and self._game else ""
        form = self._ask.form.key if self._ask is not None else ""
        told = f"{self._game}|{step}|{self._screen}|{self._shown.page.key}|{form}"
        return hashlib.sha256(told.encode()).hexdigest()[:12]

    def say(self, note: pg.Words) -> None:
        """Say something to this phone alone."""
        self._note = note

    def press(self, act_id: str, answers: Mapping[str, str], at_ms: Millis, stamp: str = "") -> None:
        """Do what an act of the page that is shown does; one that has gone says so. A press names its step itself."""
        self._note = None
        act = self._shown.act(act_id)
        if stamp != self.stamp and not isinstance(act, pg.EndAct) and not act_id.startswith(_GO):
            act = None
        if act is not None and act_id in (_CLOSE, _SAID):
            self._ask = None if act_id == _CLOSE else self._ask
        elif act is None or self._is_busy:
            self._note = _MOVED if act is None else self._note
        elif isinstance(act, pg.Answer):
            assert self._ask is not None, "an answer belongs to a question"
            given = taken(self._ask.form, answers)
            after = given if isinstance(given, pg.Refuse) else act.answered(given)
            if not isinstance(after, pg.Refuse):
                self._ask = None
            self._do(after, at_ms)
        else:
            self._ask = None
            self._do(act, at_ms)

    def _do(self, act: Act, at_ms: Millis) -> None:
        match act:
            case pg.Send():
                self._offer(act.at(at_ms), act.actor, act.then)
            case pg.Draft():
                entry = self._entry()
                if entry is not None:
                    self._keep_note(
                        entry, self._drafts.change(act, self.viewer, entry.key, self._step(entry))
                    )
                if act.then is not None:
                    self._do(act.then, at_ms)
            case pg.Ask():
                self._ask = act
            case pg.At():
                self._do(act.make(at_ms), at_ms)
            case pg.EndAct():
                self._end_act(at_ms)
            case pg.Go():
                self._go(act, at_ms)
            case pg.Refuse():
                self._note = act.why
            case pg.Tell():
                self._note = act.what
            case pg.Do():
                self._is_busy = True
                self._work(act.run, lambda made: self._done(made, at_ms))
            case pg.OnBox(what="return"):
                self._screen = self._first
            case pg.OnBox() if self.side == ARBITER:
                self._note = self._on_box(act) or _ON_BOX
            case _:
                self._note = _ON_BOX

    def _done(self, made: Act | None, at_ms: Millis) -> None:
        self._is_busy = False
        if made is not None:
            self._do(made, at_ms)

    def _go(self, act: pg.Go, at_ms: Millis) -> None:
        keys = (CLOCK, *(one.key for one in self._pages(self._change).screens))
        if act.screen == DICE_ENTRY.key:
            self._screen = DICE_ENTRY.key
            self._drafts.put(roll_of(act.args), self.viewer, DICE_ENTRY.key, self._step(DICE_ENTRY))
            return
        if act.screen not in keys:
            self._note = _ON_BOX if act.screen != "table" else None
            self._screen = self._first if act.screen == "table" else self._screen
            return
        if self._shown.page.is_private and self._screen != act.screen and not self._keeps():
            self._drafts.drop(self.viewer, self._screen)
        self._screen = act.screen
        entry = self._entry()
        if entry is not None and act.draft is not None:
            self._drafts.put(act.draft, self.viewer, entry.key, self._step(entry))
        if act.args.get("act") is not None:
            self._do(act.args["act"], at_ms)

    def _keeps(self) -> bool:
        entry = self._entry()
        return entry is None or not entry.needs_game

    def _entry(self) -> ScreenEntry | None:
        return _entry_of(self._pages(self._change), self._screen)

    def _end_act(self, at_ms: Millis) -> None:
        assert self._change is not None, "an act ends in a game"
        state = self._change.state
        why = may_press(state, self.side, may_tournament=self.may_tournament)
        if why is not None:
            self._note = why
            return
        command, actor = press_half(state, self.side, at_ms)
        self._pass_on(command, actor, None)

    def _offer(self, command: Command, actor: Actor, then: Act | None) -> None:
        """Send a command where it is this side's to send."""
        assert self._change is not None, "a command belongs to a game"
        if self.side == ARBITER:
            if actor == ARBITER:
                self._pass_on(command, ARBITER, then)
            return
        self._note = self._why_not(command, actor, self._pages(self._change))
        if self._note is None:
            self._pass_on(command, Actor(Side(self.side)), then)

    def _why_not(self, command: Command, actor: Actor, own: OwnPages) -> Say | None:
        """Return why a command is not this side's to send; None where it is."""
        assert self._change is not None, "a command belongs to a game"
        state = self._change.state
        if isinstance(command, cm.EndAct):
            return may_press(state, self.side, may_tournament=self.may_tournament)
        if isinstance(command, cm.AddNote) or (actor != ARBITER and own.may(state, Side(self.side), command)):
            return None
        others = (one.id for one in state.frozen_setup.sides if one.id != self.side)
        is_others = actor != ARBITER and any(own.may(state, one, command) for one in others)
        return _NOT_YOURS if is_others or self.side not in state.step.owners else _ON_BOX

    def _pass_on(self, command: Command, actor: Actor, then: Act | None) -> None:
        self._waiting = (*self._waiting[1 - _MOST_WAITING :], (command, then))
        self._send(command, actor)

    # Photos of dice

    @property
    def roll(self) -> DiceRoll | None:
        """The roll that a photo would be read for now; None: none is asked for."""
        if self._screen != DICE_ENTRY.key:
            return None
        held = self._drafts.get(self.viewer, DICE_ENTRY.key, self._step(DICE_ENTRY))
        return held if isinstance(held, DiceRoll) else None

    def put_roll(self, roll: DiceRoll) -> None:
        """Take how the reading of a photo goes, while its roll is still asked for."""
        if self.roll is not None:
            self._drafts.put(roll, self.viewer, DICE_ENTRY.key, self._step(DICE_ENTRY))

    # Answers

    def heard(self, change: Change) -> bool:
        """Take what the writer answered to a command of this seat; say whether it was one. It answers in order."""
        envelope = change.envelope
        if envelope is None or not self._waiting or envelope.actor != self.side:
            return False
        (command, then), self._waiting = self._waiting[0], self._waiting[1:]
        self._change, rejected = change, change.rejected
        if rejected is None:
            if then is not None:
                self._do(then, getattr(command, "at_ms", 0))
            return True
        asks = ask_again(change.state, rejected, command, TABLE)
        overruled = anyway(rejected, command)
        if asks is not None:
            self._ask = asks
        elif overruled is not None:
            confirmed: Any = msgspec.structs.replace(command, confirmed=True)
            title, yes = overruled
            self._ask = pg.sure(title, pg.Send(confirmed), sub=refusal_words(rejected), yes=yes)
        else:
            self._note = refusal_words(rejected)
        return True

    # Notes of one's own

    def _take_notes(self, change: Change | None) -> None:
        """Lay out what this seat noted before the program ended; notes that cannot be read here are told."""
        notes, kept = self._notes, self._pages(change).kept
        if notes is None or not kept:
            return
        if notes.is_unreadable():
            self._note = _LOST_NOTES
        for screen, kind in kept.items():
            told = notes.read(f"{self.side}.{screen}")
            if not told:
                continue
            try:
                self._drafts.put(msgspec.json.decode(told, type=kind), self.viewer, screen)
            except msgspec.DecodeError:
                self._note = _LOST_NOTES

    def _keep_note(self, entry: ScreenEntry, draft: object) -> None:
        if self._notes is not None and entry.key in self._pages(self._change).kept:
            try:
                self._notes.write(f"{self.side}.{entry.key}", msgspec.json.encode(draft).decode())
            except OSError as fault:
                why = explain(fault)[0]
                self._note = Say("Your note could not be saved: {why}", why=why)

    def _forget(self) -> None:
        self._ask, self._note, self._waiting = None, None, ()

    def _pages(self, change: Change | None) -> OwnPages:
        if change is None or change.state.setup is None:
            return OwnPages()
        if self.side == ARBITER:
            return _ARBITERS
        module = modules().get(change.state.setup.game)
        return OwnPages() if module is None or module.own is None else module.own()


def _ask_note() -> pg.Ask:
    """Ask for a note on what was done last; everybody reads it in the log."""
    field = pg.Field("note", Say("Note"), "text", Say("Everybody can read it in the log."), most=120)
    return pg.Ask(
        pg.Form("note", Say("Write a note"), (field,)), lambda answers: pg.Send(cm.AddNote(answers["note"]))
    )


def _entry_of(own: OwnPages, screen: str) -> ScreenEntry | None:
    found = next((one for one in own.screens if one.key == screen), None)
    return DICE_ENTRY if found is None and screen == DICE_ENTRY.key and own is not _ARBITERS else found


_ARBITERS = OwnPages(screens=(ARBITER_ENTRY,), can_act=lambda _state, _side, _screen: True)
