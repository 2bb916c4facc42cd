"""Where fingers and keys come in: press stamps, the wake tap, settling after a change of screen, key repeat.

A touch of the panel carries the kernel's own stamp (`touch_panel`); all else is stamped here, when the window hands the event
over. Kivy's own touch time is wall time and is never used.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from companion.core.stamps import game_ms
from companion.ui.touch import Press

__all__ = [
    "ERASE_KEY",
    "KEYS",
    "KeyGate",
    "PressClock",
    "is_sign",
    "monotonic_ns",
]

monotonic_ns = time.monotonic_ns

KEYS: dict[int, str] = {
    32: "main",
    13: "main",
    271: "main",
    122: "undo",
    112: "pause",
    280: "previous",  # PageUp, a presenter's back
    281: "main",  # PageDown, a presenter's forward
    276: "left",
    275: "right",
    273: "up",
    274: "down",
    27: "back",
    98: "pause",  # a presenter's black-screen key
    46: "pause",  # the same key on other presenters
    9: "next_tab",
    282: "help",
    104: "help",
    8: "erase",
    121: "redo",
    44: "sign_half",  # a comma, as the decimal sign
    47: "sign_half",
    267: "sign_half",  # the keypad's slash
    43: "sign_more",
    270: "sign_more",  # the keypad's plus
    45: "sign_skip",
    269: "sign_skip",  # the keypad's minus
    **{48 + n: f"digit{n}" for n in range(10)},
    **{256 + n: f"digit{n}" for n in range(10)},
}
"""Kivy key code to what it means here."""

ERASE_KEY = 8


def is_sign(code: int) -> bool:
    """Say whether a key types a sign, which the keyboard's own text brings: a letter, digit, space, keypad digit."""
    return 32 <= code < 127 or 160 <= code < 256 or 256 <= code <= 270


class PressClock:
    """Turn the earliest sight of a touch or key into the game's time.

    `game_now_ms` is the desk's clock; `now_ns` the monotonic clock that sights are taken with.
    """

    def __init__(self, game_now_ms: Callable[[], int], now_ns: Callable[[], int] = monotonic_ns) -> None:
        """Take both clocks."""
        self._game_now_ms = game_now_ms
        self._now_ns = now_ns
        self._handed_ns: int | None = None

    def see(self, event: Press) -> None:
        """Note when a touch was first seen, unless its provider stamped it already.

        All that one frame hands over was made before the first of it: on a slow machine the last is heard much later.
        """
        if getattr(event, "seen_ns", None) is None:
            if self._handed_ns is None:
                self._handed_ns = self._now_ns()
            event.seen_ns = self._handed_ns

    def next_frame(self) -> None:
        """Note that what was handed over is dealt with: what comes now was made later."""
        self._handed_ns = None

    def stamp_ms(self, event: Press | None = None) -> int:
        """Return the press stamp of a touch in the game's time; now, for what carries no sight."""
        seen_ns = getattr(event, "seen_ns", None)
        if seen_ns is None:
            return self._game_now_ms()
        return game_ms(seen_ns, self._now_ns, self._game_now_ms)


class KeyGate:
    """Let a key act once a press: repeats of a held key are swallowed."""

    def __init__(self) -> None:
        """Start with no key held."""
        self._held: set[int] = set()

    def press(self, code: int) -> str | None:
        """Return what a fresh press of a key means; None for a repeat or a key without meaning."""
        if code in self._held:
            return None
        self._held.add(code)
        return KEYS.get(code)

    def release(self, code: int) -> None:
        """Note that a key was let go."""
        self._held.discard(code)
