"""Which presses are not meant: the gesture that wakes a dark screen, a finger's second contact, what was not drawn yet when it was pressed.

Pure rules over instants in nanoseconds; the root asks them, nothing here knows a widget.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from companion.core.change import Change

__all__ = [
    "BOUNCE_MS", "CONTACT_MS", "FRESH_MS", "LONGEST_MS", "WAKE_REST_MS", "Contacts", "Fresh", "MainRest", "Rest",
    "WakeGesture",
]  # fmt: skip

WAKE_REST_MS = 300
"""How long after the last finger of a waking gesture presses are still part of it."""
LONGEST_MS = 5_000
"""How long a finger that never lifts keeps a waking gesture going: a palm that rests on the glass must not lock it."""
CONTACT_MS = 160
"""Two contacts of one button closer than this are one finger's, whatever the button says by then."""
BOUNCE_MS = 220
"""How long the main button rests after its step changed but not whose act it is: a second contact of the same finger."""
FRESH_MS = 80
"""How long after the first frame that shows a control presses are older than it: a slow machine sees them late."""
_MS = 1_000_000


class WakeGesture:
    """Swallows the whole gesture that wakes a dark screen: every finger of it, and what follows within a rest time."""

    def __init__(self) -> None:
        """Start with no finger down."""
        self._fingers: set[object] = set()
        self._rest_until_ns = self._over_ns = 0

    def down(self, finger: object, seen_ns: int, *, woke: bool) -> bool:
        """Note a finger that came down; True when it belongs to a waking gesture and must do nothing else."""
        if seen_ns >= self._over_ns:
            self._fingers.clear()
        if not woke and not self._fingers and seen_ns >= self._rest_until_ns:
            return False
        self._fingers.add(finger)
        self._over_ns = seen_ns + LONGEST_MS * _MS
        self._rest_until_ns = seen_ns + WAKE_REST_MS * _MS
        return True

    def up(self, finger: object, now_ns: int) -> None:
        """Note a finger that was lifted; one that never came down is ignored."""
        if finger in self._fingers:
            self._fingers.discard(finger)
            self._rest_until_ns = max(self._rest_until_ns, now_ns + WAKE_REST_MS * _MS)


class Contacts:
    """Takes one finger's two contacts of one button as one press."""

    def __init__(self) -> None:
        """Start with nothing pressed."""
        self._pressed_ns: dict[object, int] = {}

    def is_first(self, button: object, seen_ns: int) -> bool:
        """Note a press first seen at an instant; False where it is the second contact of the one before."""
        pressed_ns = self._pressed_ns.get(button)
        if pressed_ns is not None and 0 <= seen_ns - pressed_ns < CONTACT_MS * _MS:
            return False
        self._pressed_ns[button] = seen_ns
        return True


class Rest:
    """Takes no press until a while after the next frame.

    What was pressed while a slow frame was still being drawn could not have been meant for what that frame shows.
    """

    def __init__(self) -> None:
        """Start rested."""
        self._until_ns = 0
        self._rest_ms: int | None = None
        """How long to rest from the next frame on; None where nothing waits to be drawn."""

    def begin(self, rest_ms: int) -> None:
        """Rest so long from the next frame on."""
        self._rest_ms = rest_ms

    def drawn(self, now_ns: int) -> None:
        """Note that a frame was drawn since; twice is safe."""
        if self._rest_ms is not None:
            self._until_ns = now_ns + self._rest_ms * _MS
            self._rest_ms = None

    def takes(self, seen_ns: int) -> bool:
        """Say whether a press that was first seen at an instant is meant."""
        return self._rest_ms is None and seen_ns >= self._until_ns


class MainRest(Rest):
    """Lets the shared main button rest after what it does has changed: longer where it changed whose act it is.

    What it does changes with the step, with an undo, and with a pause.
    """

    def __init__(self) -> None:
        """Start rested."""
        super().__init__()
        self._does: tuple[object, ...] | None = None
        self._owners: tuple[str, ...] = ()

    def changed(self, change: Change, rest_ms: int) -> bool:
        """Note a change as it reaches the screen; True where the button rests, and `drawn` is to be called.

        `rest_ms` is the table's setting.
        """
        state = change.state
        if state.setup is None:
            return False
        owners, before = tuple(state.step.owners), self._owners
        does = (state.step.id, state.clocks.is_paused, state.flag_prompt, state.ending is not None)
        is_new = self._does is not None and does != self._does
        self._does, self._owners = does, owners
        if is_new:
            self.begin(rest_ms if owners != before else min(rest_ms, BOUNCE_MS))
        return is_new


class Fresh:
    """Knows since when each control of a picture can be meant: a press made before the control was drawn aimed at another.

    A control that stays, such as a counter, takes every press, however slow the frames.
    """

    def __init__(self) -> None:
        """Start with nothing shown."""
        self._from_ns: dict[Hashable, int | None] = {}

    def show(self, controls: Iterable[Hashable], *, known: Iterable[Hashable] = ()) -> bool:
        """Note what the next frame shows; True where anything in it is new, and `drawn` is to be called.

        Args:
            known: New controls that can be meant at once.
        """
        before = dict.fromkeys(known, 0) | self._from_ns
        self._from_ns = {control: before.get(control) for control in controls}
        return None in self._from_ns.values()

    def drawn(self, now_ns: int) -> None:
        """Note that a frame was drawn since; twice is safe."""
        for control, from_ns in self._from_ns.items():
            if from_ns is None:
                self._from_ns[control] = now_ns + FRESH_MS * _MS

    def takes(self, control: Hashable, seen_ns: int) -> bool:
        """Say whether a press of a control that was first seen at an instant is meant; of one unknown here it is."""
        from_ns = self._from_ns.get(control, 0)
        return from_ns is not None and seen_ns >= from_ns
