"""Joins the panel to the desk: presses become commands, changes become lamps, digits and tones.

The only place, with `companion.app`, that knows both a `hardware.ports.Panel` and a `Desk`; it translates and decides
nothing. Presses are stamped where they happen and sent from the panel's own thread. A thread of its own keeps the
digits running, so that they do so whatever the window does.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from companion.core import events as ev
from companion.core.change import Change
from companion.core.ids import Millis
from companion.core.stamps import game_ms
from companion.core.state import GameState
from companion.core.text import N_, Say
from companion.pages.desk import Desk, Notice, Subscription
from companion.pages.hardware import DeviceState, PartState, State, counted
from companion.pages.panel import PanelView, cues, panel_view, press_command
from companion.pages.watch import warning_at
from hardware.language import SIGNAL_PATTERNS, Cue, Signal, SoundSettings, cue_pattern
from hardware.patterns import clock_text
from hardware.ports import (
    Button,
    BuzzerPattern,
    Display,
    DisplayText,
    Lamp,
    LampPattern,
    LampStep,
    NoticeKind,
    Panel,
    PanelNotice,
    PanelState,
    PanelStatus,
    Part,
    PressEdge,
    part_of,
)

__all__ = ["PanelLink"]

_log = logging.getLogger(__name__)

_PRESSES: dict[Button, Any] = {Button.LEFT: "left", Button.RIGHT: "right", Button.PAUSE: "pause"}
_LEVELS = {
    NoticeKind.LOST: "warning",
    NoticeKind.STUCK: "warning",
    NoticeKind.CHATTER: "warning",
    NoticeKind.EDGES_MISSED: "warning",
    NoticeKind.LATE_DROPPED: "warning",
    NoticeKind.WRONG_VERSION: "error",
    NoticeKind.LISTENER_FAILED: "error",
}
_QUIET = {NoticeKind.CONNECTED, NoticeKind.UNSTUCK, NoticeKind.ABSENT}
"""Kept for the Hardware screen, not shown over the game."""
_MOVED = {NoticeKind.CONNECTED, NoticeKind.LOST, NoticeKind.REGAINED, NoticeKind.OTHER_BOX}
"""The panel, or a part of it, came, went or came back."""
_TEST_LAMP = LampPattern((LampStep(1.0, 250), LampStep(0.0, 250)) * 4, repeat=False)
_TEST_MS = 2_000
_MISSED_LAMP = LampPattern((LampStep(0.0, 170), LampStep(1.0, 170)) * 2, repeat=False)
_MISSED_MS = 700
"""How long the lamp of a press that asks nothing blinks: it was felt, and is to be pressed again if it is still meant."""
_KEY_MS = 1_000
"""How often a key that is on is looked at: one that was on at the start sends no edge when it is turned off."""
_PANELS = {"gpio": N_("Pins"), "none": N_("Pins"), "serial": N_("USB box"), "fake": N_("Simulated panel")}
_STATES: dict[PanelState, State] = {
    PanelState.WORKING: "working",
    PanelState.WAITING: "waiting",
    PanelState.LOST: "lost",
    PanelState.ABSENT: "absent",
    PanelState.CLOSED: "absent",
}
_KEPT = 20
_LIT = 8
"""So many changes may come between a press and its being taken, on a machine that has no time for it."""
_NOT_PAIRED = Notice(
    "warning",
    Say("The arbiter's key on the button box does not count yet"),
    Say("pair the box with the arbiter's PIN: Hardware screen, Devices"),
)


class PanelLink:
    """One panel at one desk, from `start` to `close`. Also the bench of the Hardware screen."""

    def __init__(
        self,
        panel: Panel,
        desk: Desk,
        *,
        now_ns: Callable[[], int],
        post: Callable[[Callable[[], None]], None],
        notify: Callable[[Notice], None] = lambda _notice: None,
        on_key: Callable[[bool], None] = lambda _is_on: None,
        subscribe: Callable[[Callable[[Change], None]], Subscription] | None = None,
    ) -> None:
        """Join them; `post` moves a call onto the interface thread, where `notify` and `on_key` are called.

        `subscribe` gives the changes, from any thread, where they can be had sooner than through the desk.
        """
        self._subscribe = subscribe if subscribe is not None else desk.subscribe
        self._showing = threading.RLock()
        """Held while the panel is told a state, so that an older one never comes after a newer one."""
        self._panel, self._desk = panel, desk
        self._now_ns, self._post, self._notify, self._on_key = now_ns, post, notify, on_key
        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._state: GameState | None = None
        self._lit: deque[tuple[int, GameState]] = deque(maxlen=_LIT)
        """What the panel showed last, each with the instant from which it did."""
        self._entered_ms: Millis | None = None
        self._has_key = False
        self._paired: tuple[str, ...] = ()
        """Which plugged-in panel's key counts, and in which game with which arbiter's PIN."""
        self._told_key: set[tuple[str, ...]] = set()
        """Panels of which it was told that their key does not count."""
        self._is_reading = False
        """Dice are being read, for which the tray is lit."""
        self._warned: str = ""
        self._testing: dict[str, int] = {}
        self._notices: deque[PanelNotice] = deque(maxlen=_KEPT)
        self._presses: dict[Part, int] = {}
        self._listeners: list[Callable[[], None]] = []
        self._held: Subscription | None = None
        self._thread: threading.Thread | None = None
        self._closing = False
        self._is_stale = False
        """Something changed since the digits' thread last looked."""

    def start(self, *, ticking: bool = True) -> None:
        """Open the panel and listen. Without `ticking` the caller asks `show` itself (tests)."""
        self._held = self._subscribe(self._changed)
        if self._desk.change is not None:
            self._take(self._desk.change)
        self._panel.start(self._listen)
        self.show()
        if ticking:
            self._thread = threading.Thread(target=self._run, name="panel-digits", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Let the panel go dark; twice is safe."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=2)
            self._thread = None
        if self._held is not None:
            self._held.cancel()
            self._held = None
        self._panel.close()

    # From the panel

    def _listen(self, event: PressEdge | PanelNotice) -> None:
        if isinstance(event, PressEdge) and event.pressed:
            with self._lock:
                self._presses[part_of(event.button)] = self._presses.get(part_of(event.button), 0) + 1
        if isinstance(event, PanelNotice):
            self._noticed(event)
        elif event.button is Button.ARBITER:
            self.show()
        elif event.pressed:
            self._pressed(event)
        self._tell()

    def _pressed(self, edge: PressEdge) -> None:
        change = self._desk.change
        if change is None:
            return
        settings = self._desk.settings()
        with self._lock:
            entered, has_key = self._entered_ms, self._has_key
            lit = next((state for since_ns, state in reversed(self._lit) if since_ns <= edge.at_ns), None)
            if lit is None and self._lit:
                lit = self._lit[0][1]
        asked = press_command(
            change.state,
            _PRESSES[edge.button],
            game_ms(edge.at_ns, self._now_ns, self._desk.now_ms),
            entered_ms=entered,
            swapped=settings.get("swap_seats") is True,
            has_key=has_key,
            lit=lit,
        )
        if asked is None:
            if change.state.setup is not None and change.state.ending is None:
                self._blink(edge.button)
            return
        self._sound(Cue.PRESS)
        command, actor = asked
        self._desk.send(command, actor=actor, source="panel")

    def _blink(self, button: Button) -> None:
        """Let the lamp of a button tell that a press did nothing; pause has none, so both big ones do."""
        until = self._now_ns() + _MISSED_MS * 1_000_000
        for lamp in (Lamp.LEFT, Lamp.RIGHT):
            if button is Button.PAUSE or lamp.value == button.value:
                with self._lock:
                    self._testing[f"lamp_{lamp.value}"] = until
                self._panel.set_lamp(lamp, _MISSED_LAMP)
        self._stir()

    def _look_at_key(self) -> None:
        """Take the arbiter's key as it stands: that of pins counts, that of a plugged-in panel once it was paired.

        Anybody can plug in a box that says that its key is on; the arbiter's PIN tells whose box it is.
        """
        turned = [
            one for one in self._members() if Part.BUTTON_ARBITER in one.parts and Button.ARBITER in one.down
        ]
        self._set_key(any(not one.guest or self._is_paired(one) for one in turned))
        for one in turned:
            if one.guest and not self._is_paired(one) and self._pairing(one) not in self._told_key:
                self._told_key.add(self._pairing(one))
                self._post(lambda: self._notify(_NOT_PAIRED))

    def _members(self) -> tuple[PanelStatus, ...]:
        status = self._panel.status()
        return status.members or (status,)

    def _pairing(self, one: PanelStatus) -> tuple[str, ...]:
        """Return what a pairing of a panel is good for: this connection, this game, this PIN of its arbiter."""
        with self._lock:
            setup = self._state.setup if self._state is not None else None
        return (one.guest,) if setup is None else (one.guest, setup.game_id, setup.arbiter_hash)

    def _is_paired(self, one: PanelStatus) -> bool:
        return len(self._paired) > 1 and self._pairing(one) == self._paired

    def _set_key(self, is_on: bool) -> None:
        with self._lock:
            if self._has_key == is_on:
                return
            self._has_key = is_on
        if is_on:
            self._sound(Cue.ARBITER)
        self._post(lambda: self._on_key(is_on))

    def _noticed(self, notice: PanelNotice) -> None:
        with self._lock:
            self._notices.appendleft(notice)
        if notice.kind not in _QUIET:
            self._post(lambda: self._notify(_in_words(notice)))
        if notice.part in (None, Part.BUTTON_ARBITER) and notice.kind in _MOVED:
            # The key is a switch: turned while nobody could see it, it sends no edge. And nobody can turn off a key that
            # is gone, so it counts as off then.
            self.show()

    # From the desk

    def _changed(self, change: Change) -> None:
        before = self._state
        self._take(change)
        for name in cues(change, before)[:1]:
            self._sound(Cue(name))
        self.show()
        self._stir()

    def _stir(self) -> None:
        """Let the digits' thread look again, also when it was just about to wait."""
        with self._wake:
            self._is_stale = True
            self._wake.notify_all()

    def _take(self, change: Change) -> None:
        stamps = [
            event.at_ms
            for entry in change.entries
            for event in entry.events
            if isinstance(event, ev.ActEnded)
        ]
        with self._lock:
            self._state = change.state
            if stamps:
                self._entered_ms = stamps[-1]
            elif any(isinstance(event, ev.GameResumed) for entry in change.entries for event in entry.events):
                self._entered_ms = None  # another boot's stamps mean nothing here

    def show(self) -> Millis | None:
        """Send the state to the panel; return after how many milliseconds it changes by itself."""
        self._look_at_key()
        with self._showing:
            shown, wait = self._show()
            with self._lock:
                if shown is not None and (not self._lit or self._lit[-1][1] is not shown):
                    self._lit.append((self._now_ns(), shown))
            return wait

    def _show(self) -> tuple[GameState | None, Millis | None]:
        settings = self._desk.settings()
        now_ms = self._desk.now_ms()
        with self._lock:
            state, has_key = self._state, self._has_key
            now_ns = self._now_ns()
            self._testing = {key: until for key, until in self._testing.items() if until > now_ns}
            testing = dict(self._testing)
        view = panel_view(
            GameState() if state is None else state,
            now_ms,
            swapped=settings.get("swap_seats") is True,
            hidden=settings.get("hide_clock") is True,
            has_key=has_key,
        )
        self._send(view, set(testing))
        waits = [wait for wait in (view.changes_in_ms, self._warn(state, now_ms)) if wait is not None]
        if has_key:
            waits.append(_KEY_MS)
        waits += [-(-(until - now_ns) // 1_000_000) for until in testing.values()]
        return state, min(waits) if waits else None

    def _send(self, view: PanelView, testing: set[str]) -> None:
        for place, signal in view.lamps:
            if f"lamp_{place}" not in testing:
                self._panel.set_lamp(Lamp(place), SIGNAL_PATTERNS[Signal(signal)])
        for place, seconds in view.display_s:
            if f"display_{place}" not in testing:
                text = DisplayText() if seconds is None else clock_text(seconds)
                self._panel.set_display(Display(place), text)
        if "tray_light" not in testing:
            self._light()

    def light_tray(self, is_on: bool) -> None:
        """Light the tray while dice are read, then leave the lamp as the setting says. Twice is safe; any thread."""
        with self._showing:
            self._is_reading = is_on
            self._light()

    def _light(self) -> None:
        is_lit = self._is_reading or self._desk.settings().get("tray_light") is True
        self._panel.set_tray_light(1.0 if is_lit else 0.0)

    def _warn(self, state: GameState | None, now_ms: Millis) -> Millis | None:
        """Sound the low-time cue once when a limit is crossed."""
        if state is None or state.setup is None:
            return None
        warning, wait = warning_at(state, now_ms)
        key = "" if warning is None else f"{state.step.stage}:{warning.side}:{warning.level}"
        if key and key != self._warned and warning is not None and warning.level in ("low", "last"):
            self._sound(Cue.LOW_TIME)
        self._warned = key or self._warned
        return wait

    def _sound(self, cue: Cue) -> None:
        settings = self._desk.settings()
        tones = cue_pattern(cue, SoundSettings(enabled=settings.get("sound", True) is not False))
        if tones is not None:
            self._panel.buzz(tones)

    def _run(self) -> None:
        while True:
            wait_ms = self.show()
            with self._wake:
                if self._closing:
                    return
                if not self._is_stale:
                    self._wake.wait(None if wait_ms is None else wait_ms / 1000 + 0.001)
                self._is_stale = False

    # The bench of the Hardware screen

    def parts(self) -> tuple[PartState, ...]:
        """Return every part: there or not, which buttons are down, and how often each was pressed."""
        status = self._panel.status()
        down = {part_of(button) for button in status.down}
        with self._lock:
            presses = dict(self._presses)
        return tuple(
            PartState(
                part.value,
                part in status.parts,
                part in down,
                presses.get(part, 0),
                is_missing=part in status.missing,
            )
            for part in Part
        )

    def devices(self) -> tuple[DeviceState, ...]:
        """Return pins and box, each with one line on how it is and what was counted."""
        return tuple(
            DeviceState(
                one.name,
                Say(_PANELS.get(one.name, N_("Panel"))),
                "partly" if one.state is PanelState.WORKING and one.missing else _STATES[one.state],
                one.line,
                counted(dict(one.counters)),
                can_pair=bool(one.guest) and Part.BUTTON_ARBITER in one.parts,
                is_paired=bool(one.guest) and self._is_paired(one),
            )
            for one in self._members()
        )

    def pair(self, key: str, *, is_on: bool = True) -> None:
        """Let the arbiter's key of a plugged-in panel count from now on, or no more; the caller has asked for the PIN.

        It counts for the open game and its PIN until the box restarts or another one takes its place.
        """
        for one in self._members():
            if one.name == key and one.guest:
                self._paired = self._pairing(one) if is_on else ()
        self.show()
        self._tell()

    def notices(self) -> tuple[Notice, ...]:
        """Return the newest notices, newest first."""
        with self._lock:
            return tuple(map(_in_words, self._notices))

    def test(self, key: str) -> None:
        """Let an output show itself for two seconds, then show the game again."""
        until = self._now_ns() + _TEST_MS * 1_000_000
        with self._lock:
            self._testing[key] = until
        kind, _, place = key.partition("_")
        if kind == "lamp":
            self._panel.set_lamp(Lamp(place), _TEST_LAMP)
        elif kind == "display":
            self._panel.set_display(Display(place), DisplayText("88.88"))
        elif key == "tray_light":
            self._panel.set_tray_light(1.0)
        elif key == "buzzer":
            tones = cue_pattern(Cue.YOUR_TURN, SoundSettings())
            self._panel.buzz(tones if tones is not None else BuzzerPattern())
        self._stir()

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the interface thread whenever a button, a part or a notice changed."""
        self._listeners.append(listener)
        link = self

        class _Held:
            def cancel(self) -> None:
                if listener in link._listeners:
                    link._listeners.remove(listener)

        return _Held()

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            self._post(listener)


def _in_words(notice: PanelNotice) -> Notice:
    return Notice(_LEVELS.get(notice.kind, "info"), notice.detail)
