"""Fingers and keys: who gets a touch, what a key does, and the acts that every screen has."""

from __future__ import annotations

from kivy.clock import Clock

from companion.core import commands as cm
from companion.pages.take_back import take_back
from companion.ui import registry
from companion.ui.inputs import ERASE_KEY, is_sign
from companion.ui.root_part import RootPart
from companion.ui.touch import Press, Touch

__all__ = ["Hands", "SETTLE_MS"]

SETTLE_MS = 250
"""How long presses are swallowed after the first frame in which the screen under them has changed."""


class _KeyPress:
    """A key press with the instant at which it was seen, as a touch has it."""

    def __init__(self, seen_ns: int) -> None:
        self.seen_ns = seen_ns


class Hands(RootPart):
    """Stamps touches and keys and passes them on."""

    _hand = "touch"
    """What acts now, as the log names it: a finger unless a key is being handled."""
    _woke_by_key = False
    _asked_frame = -1
    """The frame of the newest change that is still to be drawn."""
    _view = 0

    def main_act(self, touch: Press) -> None:
        """Do what the big button says, unless it rests: its act has only just changed, so this press was not meant."""
        screen = self.screen
        if screen is None or not screen.main_text or not screen.main_enabled:
            return
        self.press.see(touch)
        self._frame_over()
        if not self._main_rest.takes(touch.seen_ns):
            self.miss(touch)
        elif self.is_first_contact("main", touch):
            screen.main_act(touch)

    def miss(self, touch: Press | None) -> None:
        """Show that a press was felt and not taken, since it was made before what it hit was drawn."""
        layer = self.tour or (self.dialogs[-1] if self.dialogs else self.frame)
        self._missed.tell(layer, getattr(touch, "pos", None))

    def is_first_contact(self, button: str, touch: Press) -> bool:
        """Say whether a press of a button is not a finger's second contact of it, which must not end two acts."""
        self.press.see(touch)
        self._frame_over()
        return self._contacts.is_first(button, touch.seen_ns)

    def _is_meant(self, control: object, touch: Press | None) -> bool:
        """Say whether a control of the frame stood there when it was pressed; what has no sight was no press."""
        seen_ns = getattr(touch, "seen_ns", None)
        return seen_ns is None or self._bars.takes(control, seen_ns)

    def undo(self, touch: Press | None, *, source: str = "") -> None:
        """Take back the newest act, or what the table has entered since."""
        change = self.desk.change
        if change is None or change.state.setup is None:
            return
        if not self._is_meant(self._undone, touch):
            self.miss(touch)
            return  # pressed before the button said what it takes back now
        entered = take_back(change, self.desk.entries())
        if entered is not None:
            self.send(entered[1], source=source)
        elif change.undo is not None:
            undo = cm.Undo(at_ms=self.press.stamp_ms(touch), keeps_clock=True)
            self.send(undo, source=source)

    def pause(self, touch: Press | None, *, source: str = "") -> None:
        """Pause the clocks, or let them run on."""
        change = self.desk.change
        if change is None or change.state.setup is None or change.state.ending is not None:
            return
        at_ms = self.press.stamp_ms(touch)
        is_paused = change.state.clocks.is_paused
        if not self._is_meant(is_paused, touch):
            self.miss(touch)
            return  # pressed again before the button said that the first press was taken
        self.send(cm.Resume(at_ms=at_ms) if is_paused else cm.Pause(at_ms=at_ms), source=source)

    def _settle(self) -> None:
        self._settling.begin(SETTLE_MS)
        self._missed.clear()
        self._view += 1
        self.wait_for_frame()

    def wait_for_frame(self) -> None:
        """Have what changed under the fingers count as seen once the next frame has been drawn."""
        self._asked_frame = Clock.frames
        Clock.schedule_once(self._is_drawn, 0)

    def _is_drawn(self, _dt: float) -> None:
        if Clock.frames == self._asked_frame:  # asked within this very frame, which is still to be drawn
            Clock.schedule_once(self._is_drawn, 0)
            return
        now_ns = self.now_ns()
        for one in (self._settling, self._main_rest, self._bars):
            one.drawn(now_ns)
        if self.screen is not None:
            self.screen.fresh.drawn(now_ns)

    def on_touch_down(self, touch: Touch) -> bool:
        """Stamp a touch, wake the screen, and give the touch to the topmost layer."""
        self.press.see(touch)
        self._frame_over()
        if not self.collide_point(*touch.pos):
            return False
        if self._waking.down(touch.uid, touch.seen_ns, woke=self._wake()):
            return True
        if not self._settling.takes(touch.seen_ns):
            self.miss(touch)
            return True
        # Several touches may come before one slow frame: what the first built anew lies at the lower left until it is laid out.
        Clock.tick_draw()
        view = self._view
        touch.is_stale = lambda: view != self._view
        if self.tour is not None:
            self.tour.on_touch_down(touch)
        elif self.dialogs:
            self.dialogs[-1].on_touch_down(touch)
        elif self.toast is not None and self.toast.on_touch_down(touch):
            pass
        elif self.frame is not None:
            self.frame.on_touch_down(touch)
        return True

    def on_touch_move(self, touch: Touch) -> bool:  # noqa: ARG002
        """Nothing follows a finger but what has grabbed it."""
        return True

    def on_touch_up(self, touch: Touch) -> bool:
        """Nothing hears a release but what has grabbed the touch."""
        self._waking.up(touch.uid, self.now_ns())
        return True

    def key_down(self, code: int) -> bool:
        """Act on a key; repeats of a held key never do. True when the key means something here."""
        typing = bool(self.dialogs) and self.tour is None and self.dialogs[-1].takes_text
        if typing and code == ERASE_KEY:
            self.keys.release(code)  # held, it takes back sign after sign
        name = self.keys.press(code)
        self._woke_by_key = False
        if name is None and not typing:
            return False
        event = _KeyPress(self.now_ns())
        if self._waking.down(("key", code), event.seen_ns, woke=self._wake()):
            self._woke_by_key = True
            return True
        if not self._settling.takes(event.seen_ns) or name is None or (typing and is_sign(code)):
            return True
        self._hand = "key"
        try:
            self._key(name, event)
        finally:
            self._hand = "touch"
        return True

    def text_typed(self, text: str) -> None:
        """Take signs that a real keyboard typed; they go to the dialog on top, where it takes any.

        What a key typed that woke the screen or opened the dialog is dropped.
        """
        if self.tour is not None or not self.dialogs or not self.dialogs[-1].takes_text:
            return
        if not self._woke_by_key and self._settling.takes(self.now_ns()):
            self.dialogs[-1].take_text(text)

    def key_up(self, code: int) -> None:
        """Note that a key was let go."""
        self.keys.release(code)
        self._waking.up(("key", code), self.now_ns())

    def _key(self, name: str, event: Press) -> None:
        if self.tour is not None:
            self.tour.on_key(name)
            return
        if self.dialogs:
            self.dialogs[-1].on_key(name, event)
            return
        screen = self.screen
        if screen is None or screen.on_key(name, event):
            return
        match name:
            case "main":
                self.main_act(event)
            case "undo":
                self.undo(event)
            case "redo":
                self.send(cm.Redo(at_ms=self.press.stamp_ms(event)))
            case "pause":
                self.pause(event)
            case "help":
                self.help()
            case "back" | "previous":
                self.go("table" if self.desk.change is not None and screen.key != "table" else "home")
            case "next_tab":
                self._next_tab()

    def _next_tab(self) -> None:
        change = self.desk.change
        if change is None or self.screen is None:
            return
        keys = [s.key for s in registry.for_game(change.state.frozen_setup.game) if s.rail]
        here = keys.index(self.screen.key) if self.screen.key in keys else -1
        self.go(keys[(here + 1) % len(keys)])
