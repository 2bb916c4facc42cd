"""The one screen of all pages: asks the page function, shows what it returns, and carries out what is pressed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from kivy.clock import Clock

from companion.core.change import Change
from companion.core.ids import ARBITER, Millis
from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.pages.later import Later
from companion.pages.page import (
    TABLE_VIEWER,
    Act,
    ActId,
    Answer,
    Ask,
    At,
    Button,
    Do,
    Draft,
    EndAct,
    Go,
    OnBox,
    Pad,
    Page,
    Refuse,
    ScreenEntry,
    Send,
    Shown,
    Sight,
    Tell,
    Words,
    all_blocks,
)
from companion.pages.table import main_command
from companion.ui import registry
from companion.ui.arbiter import as_arbiter
from companion.ui.on_box import do_on_box
from companion.ui.render.forms import Asking
from companion.ui.render.pen import Pen
from companion.ui.render.sheet import Sheet
from companion.ui.screen import Screen
from companion.ui.touch import Press
from companion.ui.widgets import Digits

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["load", "PageScreen"]

_LOOK_MS = 2000
_NOTHING = Shown(Page("", 0), {})


def _words_of(button: Button) -> Words:
    """Return what a button of the foot says: a dead one what is missing, for nothing else stands on it."""
    return button.title if button.why_not is None else button.why_not


class PageScreen(Screen):
    """Shows the page of an entry. What is being entered lies in the root's drafts, so nothing is lost with the widgets."""

    def __init__(self, root: Root, entry: ScreenEntry, **kwargs: object) -> None:
        self.entry = entry
        self.shown, self._was_private = _NOTHING, False
        self._aside: tuple[Button, ...] = ()
        self._first: Act | None = None
        self._change: Change | None = None
        self._make = entry.make()
        super().__init__(root, orientation="vertical", **kwargs)
        self.key = entry.key
        self.has_strip = entry.has_strip
        self.later = Later(
            lambda: self.refresh(root.desk.change) if root.screen is self else None,
            lambda call: Clock.schedule_once(lambda _dt: call(), 0),
        )
        self.pen = Pen(self.press, self.tell)
        self.sheet = Sheet(self.pen, has_title=entry.needs_game)
        self.add_widget(self.sheet)
        self._held = entry.follow(root, self._moved) if entry.follow is not None else ()

    @property
    def page(self) -> Page:
        """The page that is shown."""
        return self.shown.page

    def enter(self, draft: object = None, act: Act | None = None, **_args: object) -> None:
        """Take up what is to be entered here, where something is given, and what is done at once, such as with dice read."""
        if draft is not None:
            self.root.drafts.put(draft, TABLE_VIEWER, self.key, self._step)
        self._first = act
        self.root.keep_args(draft=None, act=None)

    def leave(self) -> None:
        """Stop following the box, end slow work, and forget what was entered for its owner's eyes alone."""
        self.later.settle()
        for held in self._held:
            held.cancel()
        if self._was_private:
            self.root.drafts.drop(TABLE_VIEWER, self.key)

    def _moved(self) -> None:
        if self.root.screen is self:
            self.refresh(self.root.desk.change)

    @property
    def _step(self) -> str:
        change = self.root.desk.change
        if change is None or change.state.setup is None or not self.entry.needs_game:
            return ""
        return str(change.state.step.id)

    def _sight(self) -> Sight:
        desk = self.root.desk
        draft = self.root.drafts.get(TABLE_VIEWER, self.key, self._step)
        change = desk.change
        is_open = change is not None and change.state.setup is not None
        menu = registry.for_game(change.state.frozen_setup.game) if is_open and change is not None else ()
        return Sight(
            TABLE_VIEWER, change, desk.rules, draft, desk, self.root.wall_ms(), self.root, menu, self.later
        )

    def refresh(self, change: Change | None) -> None:
        """Make the page of the newest change and show it."""
        if change is None and self.entry.needs_game:
            return
        if change is not self._change:
            if self.page.is_glance:
                self.root.drafts.drop(TABLE_VIEWER, self.key)
            self._change = change
        self.pen.use(change.state if change is not None else None)
        self.shown = self._make(self._sight())
        if self.fresh.show(map(self._control, self.shown.acts)):
            self.root.wait_for_frame()
        self.later.settle()
        page = self.shown.page
        self._was_private |= page.is_private
        if page.aside != self._aside:  # such as the first saved game came, or the last one went
            self.root.go(self.key)
            return
        self.sheet.show(page)
        main, second = page.main, page.second
        self.main_text = self.pen.title(_words_of(main)) if main is not None else ""
        self.main_icon = main.symbol if main is not None else ""
        self.main_enabled = main is not None and main.act is not None and main.why_not is None
        self.why_not = self.main_text if main is not None and main.why_not is not None else ""
        self.second_text = self.pen.title(_words_of(second)) if second is not None else ""
        self.second_icon = second.symbol if second is not None else ""
        self.second_enabled = second is not None and second.act is not None and second.why_not is None
        if self._first is not None:
            first, self._first = self._first, None
            self.do(first, None)

    def side_actions(self) -> tuple[tuple[str, str, Callable[[], None]], ...]:
        """Return what stands beside the main button while no game is open. Asked for before anything is shown."""
        self._aside = self._make(self._sight()).page.aside
        return tuple((self.pen.title(one.title), one.symbol, self._presses(one)) for one in self._aside)

    def _presses(self, button: Button) -> Callable[[], None]:
        return lambda: self.press(button.act, None) if button.act is not None else None

    # Presses

    def press(self, act_id: ActId, touch: Press | None) -> None:
        """Carry out the act of an id; one that has gone with the last change does nothing."""
        act = self.shown.act(act_id)
        if act is None:
            return
        if self._is_meant(act_id, touch):
            self.do(act, touch)
        else:
            self.root.miss(touch)

    def _is_meant(self, act_id: ActId, touch: Press | None) -> bool:
        """Say whether an act stood there when the finger came down; what has no sight was no press of a finger or key."""
        seen_ns = getattr(touch, "seen_ns", None)
        return seen_ns is None or self.fresh.takes(self._control(act_id), seen_ns)

    def _control(self, act_id: ActId) -> tuple[str, ...]:
        """Return what tells an act from those of other pages, and of the main button what it says of it."""
        page = self.shown.page
        says = [one.title for one in (page.main, page.second) if one is not None and one.act == act_id]
        return (page.key, page.tab, act_id, *(one.template for one in says if isinstance(one, Say)))

    def do(self, act: Act, touch: Press | None) -> None:
        """Carry an act out."""
        match act:
            case Send():
                self._send(act, touch)
            case Draft():
                self.root.drafts.change(act, TABLE_VIEWER, self.key, self._step)
                self.refresh(self.root.desk.change)
                if act.then is not None:
                    self.do(act.then, touch)
            case Ask():
                Asking(self.root, self.pen, act, self.do)
            case Go():
                spoken = {k: self.pen.title(v) if isinstance(v, Say) else v for k, v in act.args.items()}
                args = {**spoken, **({} if act.draft is None else {"draft": act.draft})}
                self.root.go(act.screen, **args)
            case At():
                self.do(act.make(self.stamp_ms(touch)), touch)
            case EndAct():
                change = self.root.desk.change
                if change is not None:
                    self.send(main_command(change.state, self.stamp_ms(touch)))
            case Refuse():
                self.tell(act.why)
            case Tell():
                self.tell(act.what)
            case Do():
                self.root.work(act.run, lambda made: self.do(made, touch))
            case OnBox():
                do_on_box(self.root, act)
            case Answer():
                raise ValueError("a form on the box is asked in dialogs, never answered by an act")

    def _send(self, act: Send, touch: Press | None) -> None:
        command = act.at(self.stamp_ms(touch))

        step, then = self._step, act.then

        def taken() -> None:
            if isinstance(then, Draft):
                self.root.drafts.change(then, TABLE_VIEWER, self.key, step)
                if then.then is not None:
                    self.do(then.then, touch)
            elif then is not None:
                self.do(then, touch)

        def send() -> None:
            if then is not None:
                self.root.once_taken(command, taken)
            self.send(command, actor=act.actor)

        if act.actor == ARBITER:
            as_arbiter(self.root, send)
        else:
            send()

    def tell(self, why: Words) -> None:
        """Show why something cannot be had."""
        self.root.notify(Notice("info", Typed(self.pen.title(why))))

    def main_act(self, touch: Press | None) -> None:
        """Do what the main button says."""
        main = self.page.main
        if main is not None and main.act is not None and main.why_not is None:
            self.press(main.act, touch)

    def second_act(self, touch: Press | None) -> None:
        """Do what the second button says."""
        second = self.page.second
        if second is not None and second.act is not None and second.why_not is None:
            self.press(second.act, touch)

    def on_key(self, name: str, event: Press) -> bool:
        """Turn pages of rows, press keys of a pad by digits (0 is the tenth) and signs, erase what was entered last, go back within."""
        if name in ("left", "right"):
            self.sheet.turn(-1 if name == "left" else 1)
            return True
        if name == "erase":
            act: ActId | None = self._pad_key("erase") or ActId("erase")
        elif name in ("back", "previous"):
            act = self.page.back
        else:
            key = name.removeprefix("digit").removeprefix("sign_")
            act = self._pad_key(key) or (self._pad_key("10") if key == "0" else None)
        if act is None or act not in self.shown.acts:
            return False
        self.press(act, event)
        return True

    def _pad_key(self, key: str) -> ActId | None:
        pads = (block for block in all_blocks(self.page.blocks) if isinstance(block, Pad))
        return next((item.act for pad in pads for item in pad.keys if item.key == key), None)

    # Time

    def tick(self, now_ms: Millis) -> Millis | None:
        """Let the clocks of the page go on, and the box look again where the page wants it."""
        wait = self.sheet.tick(now_ms)
        if self.entry.look is None:
            return wait
        self.entry.look(self.root)
        return min(wait or _LOOK_MS, _LOOK_MS)

    @property
    def moving(self) -> tuple[Digits, ...]:  # type: ignore[override]
        """The digits that are drawn over the still rest."""
        return self.sheet.digits


def load(key: str) -> Callable[[Root], Screen]:
    """Return what builds a screen on a root: a class, or the one screen of all pages."""
    one = registry.spec(key)
    if isinstance(one, ScreenEntry):
        entry = one
        entry.make()
        return lambda root: PageScreen(root, entry)
    made: Callable[[Root], Screen] = getattr(importlib.import_module(one.module), one.cls)
    return made
