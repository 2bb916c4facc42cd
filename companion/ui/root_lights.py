"""Dimming, frame rate, the running digits and the warnings of a clock."""

from __future__ import annotations

from typing import Any

from kivy.clock import Clock

from companion.core.text import Typed
from companion.pages.desk import Notice
from companion.pages.watch import warning_at
from companion.ui.root_part import RootPart

__all__ = ["IDLE_FPS", "Lights", "TOUCH_FPS"]

IDLE_FPS, TOUCH_FPS = 30, 60
_LIVELY_S = 5.0


class Lights(RootPart):
    """Lights, dims and ticks."""

    dark = 0.0
    _tick_event: Any = None
    _idle_event: Any = None
    _calm_event: Any = None
    _warn_event: Any = None

    def idle_s(self) -> float:
        """Return for how long nobody has touched anything."""
        return (self.now_ns() - self._active_ns) / 1e9

    def _wake(self) -> bool:
        """Note activity and light the screen; True when it was dark."""
        self._active_ns = self.now_ns()
        Clock._max_fps = float(TOUCH_FPS)
        if self._calm_event is not None:
            self._calm_event.cancel()
        self._calm_event = Clock.schedule_once(self._calm, _LIVELY_S)
        was_dark = self.dark > 0
        if was_dark:
            self._darken(0.0)
        self._schedule_idle()
        return was_dark

    def _calm(self, _dt: float) -> None:
        Clock._max_fps = float(IDLE_FPS)

    def _darken(self, share: float) -> None:
        self.dark = share
        self._dark_color.a = share
        # Blending nothing over the whole window would cost as much as the darkness itself.
        self._dark_rect.pos = self.pos
        self._dark_rect.size = self.size if share else (0, 0)

    def idle_check(self, *_args: object) -> None:
        """Dim or blank when nothing has happened for long enough; never while a clock runs or a flag waits."""
        idle_s = self.idle_s()
        change = self.desk.change
        settings = self.settings
        state = change.state if change is not None else None
        if state is not None and (state.clocks.running is not None or state.flag_prompt is not None):
            self._darken(0.0)
        elif settings.blank_after_s and idle_s >= settings.blank_after_s:
            self._darken(1.0)
        elif settings.dim_after_s and idle_s >= settings.dim_after_s:
            self._darken(0.7)
        self._schedule_idle()

    def _schedule_idle(self) -> None:
        if self._idle_event is not None:
            self._idle_event.cancel()
        idle_s = self.idle_s()
        marks = [s for s in (self.settings.dim_after_s, self.settings.blank_after_s) if s and s > idle_s]
        self._idle_event = (
            Clock.schedule_once(self.idle_check, max(0.5, min(marks) - idle_s + 0.05)) if marks else None
        )

    def _tick(self, *_args: object) -> None:
        if self._tick_event is not None:
            self._tick_event.cancel()
            self._tick_event = None
        if self.screen is None:
            return
        now_ms = self.desk.now_ms()
        waits = [self.screen.tick(now_ms), None if self.frame is None else self.frame.tick(now_ms)]
        self.still.lift((*self.screen.moving, *(() if self.frame is None else self.frame.moving)))
        wait_ms = min((wait for wait in waits if wait is not None), default=None)
        if wait_ms is not None:
            self._tick_event = Clock.schedule_once(self._tick, wait_ms / 1000 + 0.002)

    def _watch(self, *_args: object) -> None:
        """Sound each warning once a stage and side, and look again when the next is due."""
        if self._warn_event is not None:
            self._warn_event.cancel()
            self._warn_event = None
        change = self.desk.change
        if change is None or change.state.setup is None:
            return
        warning, wait_ms = warning_at(change.state, self.desk.now_ms())
        if warning is not None:
            key = (warning.side, change.state.step.stage, warning.level)
            if key not in self._warned:
                self._warned.add(key)
                self.sounds.play(warning.level)
                if warning.text:
                    self.notify(Notice("warning", Typed(warning.text)))
        if wait_ms is not None:
            self._warn_event = Clock.schedule_once(self._watch, wait_ms / 1000 + 0.002)
