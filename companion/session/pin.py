"""The arbiter's PIN: a salted hash in the game, and wrong tries that slow down.

The PIN itself never enters a command, a file or a text.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from pathlib import Path

from companion.core.ids import Millis
from companion.session.timesource import TimeSource
from companion.session.tries import Tell, Tries

__all__ = ["PinGuard", "hash_pin", "is_pin"]

_N, _R, _P = 1 << 14, 8, 1


def hash_pin(pin: str) -> str:
    """Return a PIN's salted hash as text; an empty PIN gives an empty text, which stands for no PIN."""
    if not pin:
        return ""
    salt = secrets.token_bytes(16)
    return f"scrypt${_N}${_R}${_P}${salt.hex()}${_scrypt(pin, salt, _N, _R, _P).hex()}"


def is_pin(pin: str, stored: str) -> bool:
    """Say whether a PIN belongs to a stored hash. ValueError when the text is no such hash."""
    parts = stored.split("$")
    if len(parts) != 6 or parts[0] != "scrypt":
        raise ValueError("not a PIN's hash: expected scrypt$N$r$p$salt$hash")
    n, r, p = (int(part) for part in parts[1:4])
    return hmac.compare_digest(_scrypt(pin, bytes.fromhex(parts[4]), n, r, p).hex(), parts[5])


def _scrypt(pin: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=n, r=r, p=p, maxmem=1 << 26, dklen=32)


class PinGuard:
    """Looks at PINs and counts wrong ones per game (`Tries`), so that a restart forgives nothing."""

    def __init__(self, path: Path, time: TimeSource, tell: Tell = lambda _text, _hint: None) -> None:
        """Take the file in which the tries are kept; `tell` hears when that cannot be used."""
        self._tries = Tries(path, time, tell)

    def wait_ms(self, game: str) -> Millis:
        """Return how long no try of this game is looked at; 0 when one may be made now."""
        return self._tries.wait_ms(game)

    def check(self, game: str, pin: str, stored: str) -> bool:
        """Say whether a PIN is right; a try during a wait is not looked at. No stored hash: every PIN is right."""
        if not stored:
            return True
        if self.wait_ms(game) > 0:
            return False
        if is_pin(pin, stored):
            self._tries.right(game)
            return True
        self._tries.wrong(game)
        return False
