"""The signing key of a box: an Ed25519 key of its own that proves where a result comes from, kept with a check sum.

It is no key that protects anything: whoever has it can sign for the box, and cannot open what is sealed.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from pathlib import Path

import msgspec

from companion.core.text import Say, Typed
from companion.session.errors import SessionError
from companion.session.files import explain, read_at_most, sync_folder, write_whole
from companion.session.limits import MOST_SMALL_BYTES

__all__ = ["SigningKey", "SigningKeyError", "SigningKeyFile"]

_BYTES = 32


class SigningKeyError(SessionError, ValueError):
    """The signing key is damaged, or its file cannot be read or written."""


class SigningKey:
    """What signs; prints as its public half."""

    def __init__(self, secret: bytes) -> None:
        """Take 32 secret bytes."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # not at every start

        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.public: bytes = self._key.public_key().public_bytes_raw()

    def sign(self, data: bytes) -> bytes:
        """Return the signature of some bytes, 64 bytes."""
        return self._key.sign(data)

    def __repr__(self) -> str:
        return f"SigningKey({self.public.hex()})"


class _Stored(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    sum: str


class SigningKeyFile:
    """Where the signing key lies. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Take its folder, which is no folder of games; it is made with the first key."""
        self.path = folder / "signing.key"

    def ensure(self) -> SigningKey:
        """Return the key, or a new one where there is none.

        Raises:
            SigningKeyError: It is damaged, or its file cannot be read or written; nothing was put in its place.
        """
        try:
            return self._read()
        except FileNotFoundError:
            pass
        except OSError as fault:
            raise self._unusable(fault) from fault
        return self._new()

    def _new(self) -> SigningKey:
        secret = secrets.token_bytes(_BYTES)
        stored = _Stored(_text(secret), _sum(secret))
        try:
            is_new = not self.path.parent.exists()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if is_new:
                sync_folder(self.path.parent.parent)
            write_whole(self.path, msgspec.json.encode(stored) + b"\n", mode=0o600)
        except OSError as fault:
            raise self._unusable(fault) from fault
        return SigningKey(secret)

    def _read(self) -> SigningKey:
        data = read_at_most(self.path, MOST_SMALL_BYTES)
        try:
            stored = msgspec.json.decode(data, type=_Stored)
            secret = base64.b64decode(stored.key, validate=True)
            if (len(secret), stored.sum) == (_BYTES, _sum(secret)):
                return SigningKey(secret)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            pass
        raise SigningKeyError(
            Say("{file} is damaged", file=Typed(str(self.path))),
            Say("move it away for a new key, and tell the hall the new fingerprint"),
        )

    def _unusable(self, fault: OSError) -> SigningKeyError:
        why, hint = explain(fault)
        return SigningKeyError(
            Say("{file} cannot be used: {why}", file=Typed(str(self.path)), why=why),
            hint or Say("check the disk, then try again"),
        )


def _sum(secret: bytes) -> str:
    return _text(hashlib.sha256(b"table companion signing key file\0" + secret).digest())


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
