"""Watching a tray for the Dice screen: a thread that steps a `LiveTable`, shows what it sees and reads a roll at rest.

Part of `companion.adapters.dice_eye`. A place is watched by one look at a time: the next one waits until the last has let the
camera go.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from companion.core.text import Say, Typed
from companion.pages.dice_live import LiveState, LiveView
from companion.pages.speak import speak

if TYPE_CHECKING:
    from vision.frames import FrameSource
    from vision.live import LiveNews, LiveTable

__all__ = ["Tray", "Watching", "watch_tray"]

_STEP_S = 0.1
"""Between two frames while something happens..."""
_CALM_STEP_S = 0.25
"""...and while nothing does."""
_AGAIN_S = 1.0
"""Between two tries at a camera that failed."""
_SHOWN_S = 0.2
"""At least so long between two frames that are shown."""
_LONG_S = 8.0
"""Dice that move for so long may spin on."""
_IDLE_S = 600.0
"""After so long in which nothing happens the camera is let go."""
_PREVIEW_PX = 640
"""Longer side of a frame that is shown."""


class Tray:
    """A place that dice are watched at, kept from look to look with what was read there."""

    def __init__(self, source: FrameSource, light: Callable[[bool], None] | None) -> None:
        """Open nothing yet; `light` lights the tray, or leaves it as it was."""
        from vision.live import LiveTable
        from vision.types import Readings

        self.lock = threading.Lock()
        """Held while a look has the camera."""
        self.table: LiveTable = LiveTable(
            source, lambda image: Readings(image.shape[1], image.shape[0], ()), light=_lamp(light)
        )
        self.has_read = False
        """Whether the last picture that was read showed dice."""


def _lamp(light: Callable[[bool], None] | None) -> Any:
    class Lamp:
        def set(self, on: bool) -> None:
            if light is not None:
                light(on)

    return Lamp()


class Watching:
    """A look at a watched tray, or at a photo."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self.thread: threading.Thread | None = None
        self.wake = threading.Event()
        """Set when there is a reason not to wait any longer."""
        self.wants_now = False
        """Read at once, whatever moves."""
        self.is_showing = False
        """A frame is on its way to the screen; the next one is left out until it is there."""
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._source: FrameSource | None = None

    def cancel(self) -> None:
        """Stop it; its answer no longer comes, and a camera is let go at once. Twice is safe."""
        self._stop.set()
        self.wake.set()
        with self._lock:
            if self._source is not None:
                self._source.interrupt()

    def read_now(self) -> None:
        """Read the tray now instead of waiting for the dice to lie still."""
        self.wants_now = True
        self.wake.set()

    def is_cancelled(self) -> bool:
        """Say whether it was stopped."""
        return self._stop.is_set()

    def has(self, source: FrameSource | None) -> None:
        """Note which source is in use, so that `cancel` can end its waiting."""
        with self._lock:
            self._source = source


def watch_tray(
    tray: Tray,
    running: Watching,
    reader: Callable[[Any], Any],
    tell: Callable[[LiveView], None],
    pause: Callable[[threading.Event, float], object],
) -> LiveNews | None:
    """Watch until a roll was read; return its news, or None when it was cancelled.

    Raises CameraError after ten minutes in which nothing happened. A camera that fails is told and tried again.

    Args:
        reader: Reads a photo.
        tell: Takes what is to be seen; the caller brings it to the screen.
        pause: Waits for an event, or so many seconds.
    """
    from vision.errors import Cancelled

    if not tray.lock.acquire(blocking=False):
        tell(LiveView("closing"))
        while not tray.lock.acquire(timeout=0.05):
            if running.is_cancelled():
                return None
    table = tray.table
    running.has(table.source)
    try:
        return _Loop(tray, running, reader, tell).run(pause)
    except Cancelled:
        return None
    finally:
        running.has(None)
        table.close()
        tray.lock.release()


class _Loop:
    """One watch, from opening the camera to the roll."""

    def __init__(
        self, tray: Tray, running: Watching, reader: Callable[[Any], Any], tell: Callable[[LiveView], None]
    ) -> None:
        from vision.crops import small_rgb
        from vision.errors import Cancelled

        self.tray, self.running, self.tell = tray, running, tell
        self.state: LiveState = "opening"
        self.told: LiveView | None = None
        self.since_shown_s = _SHOWN_S
        self.moving_s = self.idle_s = 0.0

        def read(image: Any) -> Any:
            if running.is_cancelled():  # while the photo was taken
                raise Cancelled()
            self._say(LiveView("reading", *small_rgb(image, _PREVIEW_PX)))
            return reader(image)

        tray.table.reader = read

    def run(self, pause: Callable[[threading.Event, float], object]) -> LiveNews | None:
        from vision.errors import CameraError

        table, running = self.tray.table, self.running
        self._say(LiveView("opening"))
        while not running.is_cancelled():
            is_asked = running.wants_now
            news = table.read_again() if is_asked else table.step()
            if running.is_cancelled():
                return None
            if news.readings is not None:
                self.tray.has_read = bool(news.readings.dice)
                if is_asked or news.readings.dice:
                    return news
            wait_s = self._follow(news)
            pause(running.wake, wait_s)
            running.wake.clear()
            self.since_shown_s += wait_s
            self.moving_s = self.moving_s + wait_s if self.state in ("moving", "spinning") else 0.0
            self.idle_s = self.idle_s + wait_s if self.state in ("waiting", "read") else 0.0
            if self.idle_s > _IDLE_S:
                raise CameraError(
                    Say(
                        "{name}: nothing happened for ten minutes; choose it again when you next roll dice",
                        name=Typed(table.source.name),
                    )
                )
        return None

    def _follow(self, news: LiveNews) -> float:
        """Tell what a step brought; return how long to wait for the next."""
        if news.problem is not None:
            self.state = "opening"
            self._say(LiveView("opening", problem=speak(news.problem.say)))
            return _AGAIN_S
        self.state = self._state_of(news)
        skipped = getattr(self.tray.table.source, "skipped", ())
        view = LiveView(
            self.state,
            advice=tuple(speak(note) for note in news.advice),
            problem=speak(skipped[-1].say) if skipped else "",
        )
        if news.preview is not None and self.since_shown_s >= _SHOWN_S and not self.running.is_showing:
            self.since_shown_s = 0.0
            from vision.crops import small_rgb

            width, height, rgb = small_rgb(news.preview, _PREVIEW_PX)
            self._say(LiveView(view.state, width, height, rgb, view.advice, view.problem))
        elif self.told is None or (view.state, view.advice, view.problem) != (
            self.told.state, self.told.advice, self.told.problem,
        ):  # fmt: skip
            self._say(view)
        return _STEP_S if self.state in ("opening", "moving", "still", "spinning") else _CALM_STEP_S

    def _state_of(self, news: LiveNews) -> LiveState:
        from vision.settle import Moment

        match news.moment:
            case Moment.MOVING:
                return "spinning" if self.moving_s > _LONG_S else "moving"
            case Moment.CALMING:
                return "still"
            case Moment.STILL:
                return "read" if self.tray.has_read else "waiting"
            case Moment.SETTLED:
                return "waiting"
            case None if self.tray.table.source.is_live:
                return self.state
            case None:
                return "waiting"
            case _:
                return "opening"

    def _say(self, view: LiveView) -> None:
        self.told = view
        self.tell(view)
