"""The arbiter's PIN: what checks it lies on this box, bound to the device key, and wrong tries slow down.

A game names its PIN and holds nothing by which one could be tried. The PIN itself never enters a command, a file or a
text. Games of before hold a salted hash: their exports leave it out, and a box that opens one keeps it in the game's place.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from pathlib import Path

import msgspec

from companion.core.ids import Millis
from companion.core.scenario import Fault
from companion.core.text import Say, Typed
from companion.session.device_key import DeviceKey, DeviceKeyError, DeviceKeyFile
from companion.session.files import write_whole
from companion.session.settings import read_json_object, set_aside
from companion.session.timesource import TimeSource
from companion.session.tries import Tell, Tries

__all__ = [
    "PIN_ELSEWHERE",
    "ArbiterPins",
    "PinGuard",
    "hash_pin",
    "is_pin",
    "is_pin_hash",
    "is_pin_name",
    "public_name",
]

PIN_ELSEWHERE = "pin:elsewhere"
"""What an export calls a PIN of which the game holds a hash."""

_NAME = re.compile(r"pin:(?:[0-9a-f]{16}|elsewhere)")

_N, _R, _P = 1 << 14, 8, 1
_HASH = re.compile(rf"scrypt\${_N}\${_R}\${_P}\$(?P<salt>[0-9a-f]{{32}})\$(?P<hash>[0-9a-f]{{64}})")


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
    """Say whether a text names a PIN, or is a hash as `hash_pin` makes it; another one's cost is anybody's guess."""
    return is_pin_name(stored) or _HASH.fullmatch(stored) is not None


def _scrypt(pin: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=n, r=r, p=p, maxmem=1 << 26, dklen=32)


def is_pin_name(stored: str) -> bool:
    """Say whether a text names an arbiter's PIN without telling anything about it."""
    return _NAME.fullmatch(stored) is not None


def public_name(stored: str) -> str:
    """Return how a PIN is named where others may read it: a hash of before is left out."""
    return stored if not stored or is_pin_name(stored) else PIN_ELSEWHERE


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


_NONE_KNOWN = Say("The arbiters' PINs of earlier games are lost; set new ones.")


class _Kept(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    hash: str
    """Of the PIN as the device key changes it."""
    tag: str
    """Authentication code of name and hash under the device key."""
    is_bare: bool = False
    """The hash is of the PIN itself: a game of before held it, which does no more."""


class ArbiterPins:
    """The arbiters' PINs of this box's games: what checks them, by the names that the games hold. Not thread-safe."""

    def __init__(self, folder: Path, guard: PinGuard, tell: Tell = lambda _text, _hint: None) -> None:
        """Take the folder of the device key, and who counts wrong tries; `tell` hears of a damaged file."""
        self._path, self._keys = folder / "arbiter-pins.json", DeviceKeyFile(folder)
        self._guard, self._tell = guard, tell

    def new(self, pin: str) -> str:
        """Keep a PIN and return its name; an empty PIN has an empty name, which stands for none.

        OSError when the disk takes no file, DeviceKeyError when the device key cannot be read. Slow: off the interface
        thread.
        """
        if not pin:
            return ""
        device = self._keys.ensure()
        name = f"pin:{secrets.token_hex(8)}"
        hashed = hash_pin(_bound(device, pin))
        kept = {**self._all(), name: _Kept(hashed, device.tag(_KEPT, _tagged(name, hashed)))}
        write_whole(self._path, msgspec.json.encode(kept), mode=0o600)
        return name

    def take_over(self, hashed: str) -> str:
        """Keep the hash that a game of before holds, and return the name that it may hold instead; empty where none can be had.

        The same hash has the same name on this box.
        """
        try:
            device = self._keys.ensure()
            name = f"pin:{hashlib.sha256(device.tag('hash of before', hashed.encode()).encode()).hexdigest()[:16]}"
            kept = {
                **self._all(),
                name: _Kept(hashed, device.tag(_KEPT, _tagged(name, hashed)), is_bare=True),
            }
            write_whole(self._path, msgspec.json.encode(kept), mode=0o600)
        except (OSError, DeviceKeyError):
            return ""
        return name

    def is_known(self, stored: str) -> bool:
        """Say whether a game's PIN can be checked here; one of another box, or of a lost device key, cannot."""
        return not stored or self._found(stored) is not None

    def check(self, game: str, pin: str, stored: str) -> bool:
        """Say whether a PIN is right. One that cannot be checked here is not, and counts as no try. Slow."""
        if not stored:
            return True
        found = self._found(stored)
        if found is None:
            return False
        device, hashed = found
        return self._guard.check(game, pin if device is None else _bound(device, pin), hashed)

    def _found(self, stored: str) -> tuple[DeviceKey | None, str] | None:
        """Return the device key and the hash of a name, a hash of before alone, or None."""
        if not is_pin_name(stored):
            return (None, stored) if _HASH.fullmatch(stored) is not None else None
        kept = self._all().get(stored)
        if kept is None:
            return None
        try:
            device = self._keys.read()
        except DeviceKeyError:
            return None
        if not device.is_tag(kept.tag, _KEPT, _tagged(stored, kept.hash)):
            return None
        return None if kept.is_bare else device, kept.hash

    def _all(self) -> dict[str, _Kept]:
        found, warning = read_json_object(self._path, _NONE_KNOWN)
        try:
            kept = msgspec.convert(found, dict[str, _Kept])
        except msgspec.ValidationError as error:
            fault = Fault(self._path.name, "", Say("the arbiters' PINs"), Typed(str(error)))
            kept, warning = {}, set_aside(self._path, (fault,), _NONE_KNOWN)
        if warning is not None:
            self._tell(warning, None)
        return kept


def _bound(device: DeviceKey, pin: str) -> str:
    return device.tag("arbiter's PIN", pin.encode())


_KEPT = "kept PIN"


def _tagged(name: str, hashed: str) -> bytes:
    return f"{name} {hashed}".encode()
