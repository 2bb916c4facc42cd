"""The arbiter's PIN: a salted hash in the game, and wrong tries that slow down.

The PIN itself never enters a command, a file or a text.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from pathlib import Path

import msgspec

from companion.core.ids import Millis
from companion.session.files import write_whole
from companion.session.settings import read_json_object
from companion.session.timesource import TimeSource

__all__ = ["PinGuard", "hash_pin", "is_pin", "is_pin_hash"]

_N, _R, _P = 1 << 14, 8, 1
_HASH = re.compile(rf"scrypt\${_N}\${_R}\${_P}\$(?P<salt>[0-9a-f]{{32}})\$(?P<hash>[0-9a-f]{{64}})")
_FREE_TRIES = 3
_FIRST_WAIT_MS = 5_000
_LONGEST_WAIT_MS = 300_000


def hash_pin(pin: str) -> str:
    """Return a PIN's salted hash as text; an empty PIN gives an empty text, which stands for no PIN."""
    if not pin:
        return ""
    salt = secrets.token_bytes(16)
    return f"scrypt${_N}${_R}${_P}${salt.hex()}${_scrypt(pin, salt, _N, _R, _P).hex()}"


def is_pin(pin: str, stored: str) -> bool:
    """Say whether a PIN belongs to a stored hash; to a text that is no such hash none does."""
    found = _HASH.fullmatch(stored)
    if found is None:
        return False
    salt, wanted = bytes.fromhex(found["salt"]), found["hash"]
    return hmac.compare_digest(_scrypt(pin, salt, _N, _R, _P).hex(), wanted)


def is_pin_hash(stored: str) -> bool:
    """Say whether a text is a hash as `hash_pin` makes it; what another one would cost to try is anybody's guess."""
    return _HASH.fullmatch(stored) is not None


def _scrypt(pin: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=n, r=r, p=p, maxmem=1 << 26, dklen=32)


class _Tries(msgspec.Struct):
    wrong: int
    boot_id: str
    until_ms: Millis


class PinGuard:
    """Counts wrong tries per game in a file, so that a restart forgives nothing.

    Three tries are free; each further wrong one doubles a wait that starts at 5 s and ends at 5 min. After a
    restart the whole wait runs again.
    """

    def __init__(self, path: Path, time: TimeSource) -> None:
        """Take the file in which the tries are kept."""
        self._path, self._time = path, time

    def wait_ms(self, game: str) -> Millis:
        """Return how long no try of this game is looked at; 0 when one may be made now."""
        tries = self._tries().get(game)
        if tries is None or tries.wrong < _FREE_TRIES:
            return 0
        if tries.boot_id != self._time.boot_id:
            self._note(game, tries.wrong)
            return _wait_after(tries.wrong)
        return max(0, tries.until_ms - self._time.now_ms())

    def check(self, game: str, pin: str, stored: str) -> bool:
        """Say whether a PIN is right; a try during a wait is not looked at. No stored hash: every PIN is right."""
        if not stored:
            return True
        if self.wait_ms(game) > 0:
            return False
        if is_pin(pin, stored):
            self._forget(game)
            return True
        tries = self._tries().get(game)
        self._note(game, (tries.wrong if tries else 0) + 1)
        return False

    def _tries(self) -> dict[str, _Tries]:
        found, _ = read_json_object(self._path)
        try:
            return msgspec.convert(found, dict[str, _Tries])
        except msgspec.ValidationError:
            return {}

    def _note(self, game: str, wrong: int) -> None:
        until = self._time.now_ms() + _wait_after(wrong)
        self._write({**self._tries(), game: _Tries(wrong, self._time.boot_id, until)})

    def _forget(self, game: str) -> None:
        tries = self._tries()
        if tries.pop(game, None) is not None:
            self._write(tries)

    def _write(self, tries: dict[str, _Tries]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._path, msgspec.json.encode(tries))


def _wait_after(wrong: int) -> Millis:
    if wrong < _FREE_TRIES:
        return 0
    return int(min(_LONGEST_WAIT_MS, _FIRST_WAIT_MS << min(wrong - _FREE_TRIES, 10)))
