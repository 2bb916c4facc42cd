"""The one way from other threads into the interface thread: calls in the order in which they came."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable

from kivy.clock import Clock

__all__ = ["Bridge"]

_TURN_S = 0.001
"""How long a frame that is being made may hold Python while another thread waits: the writer stores an act in several turns."""


class Bridge:
    """A queue of calls that the window's loop works off. `post` may be called from any thread."""

    def __init__(self) -> None:
        """Start empty, and from now on take short turns with the threads that post."""
        sys.setswitchinterval(_TURN_S)
        self._calls: deque[Callable[[], None]] = deque()

    def post(self, call: Callable[[], None]) -> None:
        """Have a call made on the interface thread, soon."""
        self._calls.append(call)
        Clock.schedule_once(self._work, -1)

    def _work(self, _dt: float) -> None:
        self.drain()

    def drain(self) -> None:
        """Make every waiting call now; only on the interface thread."""
        while self._calls:
            self._calls.popleft()()
