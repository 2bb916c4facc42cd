"""Which presses are not meant: the gesture that wakes a dark screen, and a main button pressed right after its act changed.

Pure rules over instants in nanoseconds; the root asks them, nothing here knows a widget.
"""

from __future__ import annotations

from companion.core.change import Change
from companion.core.events import StepEntered

__all__ = ["BOUNCE_MS", "WAKE_REST_MS", "MainRest", "WakeGesture"]

WAKE_REST_MS = 300
"""How long after the last finger of a waking gesture presses are still part of it."""
BOUNCE_MS = 220
"""How long the main button rests after its step changed but not whose act it is: a second contact of the same finger."""
_MS = 1_000_000


class WakeGesture:
    """Swallows the whole gesture that wakes a dark screen: every finger of it, and what follows within a rest time."""

    def __init__(self) -> None:
        """Start with no finger down."""
        self._fingers: set[object] = set()
        self._rest_until_ns = 0

    def down(self, finger: object, seen_ns: int, *, woke: bool) -> bool:
        """Note a finger that came down; True when it belongs to a waking gesture and must do nothing else."""
        if not woke and not self._fingers and seen_ns >= self._rest_until_ns:
            return False
        self._fingers.add(finger)
        self._rest_until_ns = seen_ns + WAKE_REST_MS * _MS
        return True

    def up(self, finger: object, now_ns: int) -> None:
        """Note a finger that was lifted; one that never came down is ignored."""
        if finger in self._fingers:
            self._fingers.discard(finger)
            self._rest_until_ns = max(self._rest_until_ns, now_ns + WAKE_REST_MS * _MS)


class MainRest:
    """Lets the shared main button rest after its step changed: longer where it changed whose act it is.

    The rest begins once the new act has been drawn: what was pressed while a slow frame was still being drawn could not
    have been meant for it.
    """

    def __init__(self) -> None:
        """Start rested."""
        self._until_ns = 0
        self._rest_ms: int | None = None
        """How long to rest from the next frame on; None where nothing waits to be drawn."""
        self._owners: tuple[str, ...] | None = None

    def changed(self, change: Change, rest_ms: int) -> bool:
        """Note a change as it reaches the screen; True where the button rests, and `drawn` is to be called.

        `rest_ms` is the table's setting.
        """
        if change.state.setup is None:
            return False
        owners = tuple(change.state.step.owners)
        passed_on = self._owners is not None and owners != self._owners
        self._owners = owners
        if any(isinstance(event, StepEntered) for entry in change.entries for event in entry.events):
            self._rest_ms = rest_ms if passed_on else min(rest_ms, BOUNCE_MS)
            return True
        return False

    def drawn(self, now_ns: int) -> None:
        """Note that a frame was drawn since the change; twice is safe."""
        if self._rest_ms is not None:
            self._until_ns = now_ns + self._rest_ms * _MS
            self._rest_ms = None

    def takes(self, seen_ns: int) -> bool:
        """Say whether a press that was first seen at an instant is meant."""
        return self._rest_ms is None and seen_ns >= self._until_ns
