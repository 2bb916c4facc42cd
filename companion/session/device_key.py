"""The device key of a box: random bytes that outlive every game, kept with an id and a check sum.

Whatever a PIN protects needs this key too, so that neither a game file nor an export lets a PIN be tried elsewhere.
The id tells keys apart in words and says nothing about the key itself.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from companion.core.text import Say, Typed
from companion.session.errors import SessionError
from companion.session.files import aside_path, explain, read_at_most, sync_folder, write_whole
from companion.session.limits import MOST_SMALL_BYTES

__all__ = ["DeviceKey", "DeviceKeyError", "DeviceKeyFile", "DeviceKeyMissingError"]

_BYTES = 32
_LEGIBLE_ID = 9


class DeviceKeyError(SessionError, ValueError):
    """The device key cannot be used: damaged, or its file cannot be read."""


class DeviceKeyMissingError(DeviceKeyError):
    """This box has no device key yet."""


class DeviceKey(NamedTuple):
    """A key and the id that it is told apart by."""

    secret: bytes

    @property
    def id(self) -> str:
        """Eight hexadecimal digits in two groups, such as ``3F2A-91BC``."""
        digits = hashlib.sha256(b"table companion device key\0" + self.secret).hexdigest()[:8].upper()
        return f"{digits[:4]}-{digits[4:]}"

    def tag(self, what: str, data: bytes) -> str:
        """Return the authentication code of some data, base64; `what` keeps its uses apart."""
        return _text(hmac.digest(self.secret, what.encode() + b"\0" + data, "sha256"))

    def is_tag(self, tag: str, what: str, data: bytes) -> bool:
        """Say whether a text, whatever it is, is the authentication code of some data."""
        return hmac.compare_digest(tag.encode(), self.tag(what, data).encode())

    def __repr__(self) -> str:
        return f"DeviceKey({self.id})"


class _Stored(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    key: str
    sum: str


class DeviceKeyFile:
    """Where the device key lies. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Take its folder, which is no folder of games; it is made with the first key."""
        self.path = folder / "device.key"

    def read(self) -> DeviceKey:
        """Return the key. DeviceKeyMissingError without one, DeviceKeyError when it is damaged, with its id if legible."""
        try:
            data = read_at_most(self.path, MOST_SMALL_BYTES)
        except FileNotFoundError:
            raise DeviceKeyMissingError(
                Say("this box has no device key"), Say("use the recovery code")
            ) from None
        except OSError as fault:
            why, hint = explain(fault)
            code = Say("use the recovery code")
            raise DeviceKeyError(
                Say("{file} cannot be read: {why}", file=Typed(str(self.path)), why=why),
                code if hint is None else Say("{hint}, or use the recovery code", hint=hint),
            ) from fault
        if len(data) == _BYTES and not data.startswith(b'{"id"'):
            return self._lifted(DeviceKey(data))
        return self._decoded(data)

    def ensure(self) -> DeviceKey:
        """Return the key, or a new one where there is none or it is damaged; a damaged one is kept beside it.

        OSError when the place takes no file; DeviceKeyError when the key is there but cannot be read now.
        """
        try:
            return self.read()
        except DeviceKeyMissingError:
            pass
        except DeviceKeyError as fault:
            if isinstance(fault.__cause__, OSError):  # it may be sound: nothing is put in its place
                raise DeviceKeyError(fault.text, explain(fault.__cause__)[1]) from fault.__cause__
            self.path.replace(aside_path(self.path))
        key = DeviceKey(secrets.token_bytes(_BYTES))
        is_new = not self.path.parent.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if is_new:
            sync_folder(self.path.parent.parent)
        self._write(key)
        return key

    def _lifted(self, key: DeviceKey) -> DeviceKey:
        """Give a key of before, which was bare bytes, its id and check sum."""
        with suppress(OSError):  # a full or read-only disk keeps the old form
            self._write(key)
        return key

    def _write(self, key: DeviceKey) -> None:
        stored = _Stored(key.id, _text(key.secret), _sum(key))
        write_whole(self.path, msgspec.json.encode(stored) + b"\n", mode=0o600)

    def _decoded(self, data: bytes) -> DeviceKey:
        id_ = ""
        with suppress(msgspec.MsgspecError, ValueError, RecursionError):
            id_ = msgspec.json.decode(data, type=dict[str, str]).get("id", "")
            stored = msgspec.json.decode(data, type=_Stored)
            key = DeviceKey(base64.b64decode(stored.key, validate=True))
            if (len(key.secret), stored.sum) == (_BYTES, _sum(key)):
                return key
        raise _damaged(id_)


def _sum(key: DeviceKey) -> str:
    return _text(hashlib.sha256(f"{key.id} {_text(key.secret)}".encode()).digest())


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _damaged(id_: str) -> DeviceKeyError:
    hint = Say("restore {file} from a copy, or use the recovery code", file=Typed("device.key"))
    if len(id_) == _LEGIBLE_ID:
        return DeviceKeyError(Say("the device key {id} is damaged", id=Typed(id_)), hint)
    return DeviceKeyError(Say("the device key is damaged, and its id cannot be read"), hint)
