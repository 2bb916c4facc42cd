"""What every panel shares: remembered outputs, safe delivery to the listener, counters.

Private to this room. A subclass adds a device and a thread; this class never touches either.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from companion.core.text import Say, Typed
from hardware.ports import (
    BuzzerPattern,
    Display,
    DisplayText,
    Lamp,
    LampPattern,
    Listener,
    NoticeKind,
    PanelEvent,
    PanelNotice,
    Part,
    PressEdge,
)

__all__ = ["PanelBase", "Wanted"]

_log = logging.getLogger("hardware")


@dataclass(slots=True)
class Wanted:
    """What the application last asked for, to be set again when a device comes back."""

    lamps: dict[Lamp, tuple[LampPattern, int]] = field(default_factory=dict)
    """Pattern and the time it was set, in nanoseconds."""
    displays: dict[Display, DisplayText] = field(default_factory=dict)
    tray_level: float = 0.0
    buzzer: tuple[BuzzerPattern, int] | None = None
    """Tones and the time they were asked for."""


class PanelBase:
    """Takes commands, remembers them and wakes the subclass's thread; delivers events without ever raising."""

    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self.now_ns = now_ns
        self.changed = threading.Condition()
        """Guards everything below; notified when there is work for the thread."""
        self.wanted = Wanted()
        self.counts: dict[str, int] = {}
        self._listener: Listener | None = None
        self._closed = False

    @property
    def is_open(self) -> bool:
        """True between ``start()`` and ``close()``."""
        return self._listener is not None and not self._closed

    def begin(self, listener: Listener) -> None:
        """Note the listener; RuntimeError where the panel was started before."""
        with self.changed:
            if self._listener is not None or self._closed:
                raise RuntimeError(f"{type(self).__name__}.start() was already called; make a new panel")
            self._listener = listener

    def end(self) -> bool:
        """Mark the panel closed; True the first time."""
        with self.changed:
            first = not self._closed
            self._closed = True
            self.changed.notify_all()
            return first

    def set_lamp(self, lamp: Lamp, pattern: LampPattern) -> None:
        """Show `pattern` from its beginning; setting the shown pattern again changes nothing."""
        with self.changed:
            shown = self.wanted.lamps.get(lamp)
            if shown is None or shown[0] != pattern:
                self.wanted.lamps[lamp] = (pattern, self.now_ns())
                self.output_changed(lamp)

    def set_display(self, display: Display, text: DisplayText) -> None:
        """Show `text`."""
        with self.changed:
            if self.wanted.displays.get(display) != text:
                self.wanted.displays[display] = text
                self.output_changed(display)

    def buzz(self, pattern: BuzzerPattern) -> None:
        """Play `pattern` once, in place of what is playing."""
        with self.changed:
            self.wanted.buzzer = (pattern, self.now_ns())
            self.output_changed(Part.BUZZER)

    def set_tray_light(self, level: float) -> None:
        """Light the dice tray; ValueError outside 0.0 to 1.0."""
        if not 0.0 <= level <= 1.0:
            raise ValueError(f"tray light level must be 0.0 to 1.0, got {level!r}")
        with self.changed:
            if self.wanted.tray_level != level:
                self.wanted.tray_level = level
                self.output_changed(Part.TRAY_LIGHT)

    def output_changed(self, _what: Lamp | Display | Part) -> None:
        """Wake the thread; called with the lock held."""
        self.changed.notify_all()

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        with self.changed:
            self.counts[name] = self.counts.get(name, 0) + by

    def notice(self, kind: NoticeKind, detail: Say, part: Part | None = None) -> None:
        """Tell the listener something in words."""
        self.deliver(PanelNotice(kind, detail, self.now_ns(), part))

    def deliver(self, event: PanelEvent) -> None:
        """Hand an event to the listener; whatever it raises is counted, logged and told once, never passed on."""
        listener = self._listener
        if listener is None or self._closed:
            return
        if isinstance(event, PanelNotice):
            _log.info("%s: %s", event.kind.value, event.detail)
            self.count(f"notice_{event.kind.value}")
        try:
            listener(event)
        except Exception as error:
            self.count("listener_failures")
            what = type(event).__name__ if isinstance(event, PressEdge) else event.kind.value
            _log.exception("the panel's listener failed on %s", what)
            if self.counts["listener_failures"] == 1:
                detail = Say(
                    "A press could not be handled ({error}); the buttons still work.",
                    error=Typed(type(error).__name__),
                )
                self.deliver(PanelNotice(NoticeKind.LISTENER_FAILED, detail, self.now_ns()))

    def stumbled(self, error: Exception) -> None:
        """Count a bug of the panel's own thread and tell the first one; the thread goes on."""
        self.count("panel_failures")
        _log.exception("the panel's thread stumbled")
        if self.counts["panel_failures"] == 1:
            self.notice(
                NoticeKind.LOST,
                Say("The panel had an error ({error}) and continues.", error=Typed(repr(error))),
            )

    def counters(self) -> tuple[tuple[str, int], ...]:
        """Counters by name, in a fixed order."""
        with self.changed:
            return tuple(sorted(self.counts.items()))
