"""The key that signs the director's orders: a private file, and behind a PIN where the director wants that.

Who takes a laptop with a locked key can read the hall's logs, but order nothing. Each guess at a PIN costs a tenth of a second, so
a long one that is no number holds far longer than six digits.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from companion.hall.desk.ca import alone_in
from companion.hall.errors import HallError
from companion.hall.private import read_plain, write_private

__all__ = ["LEAST_PIN", "MOST_PIN", "DirectorKey"]

LEAST_PIN, MOST_PIN = 6, 64
_FILE, _LOCKED = "director.key", "PIN1"
_SALT_BYTES, _COST = 16, 1 << 15


class DirectorKey:
    """The file of the key in a hall's private folder."""

    def __init__(self, folder: Path) -> None:
        """Make the key where it is missing, without a PIN."""
        self.path = folder / _FILE
        with alone_in(folder):
            if not self.path.exists():
                self._write(Ed25519PrivateKey.generate(), "")

    @property
    def is_locked(self) -> bool:
        """Whether it takes a PIN to open it."""
        return self._read().startswith(f"{_LOCKED} ")

    def open(self, pin: str = "") -> Ed25519PrivateKey:
        """Return the key. HallError where the PIN is wrong or the file is damaged."""
        text = self._read()
        if text.startswith(f"{_LOCKED} "):
            if not pin:
                raise HallError("the director's key is behind a PIN; it is asked for by companion hall run")
            try:
                _mark, salt, token = text.split(" ")
                text = Fernet(_stretched(pin, bytes.fromhex(salt))).decrypt(token).decode("ascii")
            except InvalidToken:
                raise HallError("that is not the PIN of the director's key; nothing was changed") from None
            except ValueError:
                raise HallError(f"{self.path} is damaged; restore it from a copy") from None
        try:
            return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text))
        except ValueError:
            raise HallError(
                f"{self.path}: expected 64 hexadecimal digits; restore it from a copy, or delete it and enrol all tables again"
            ) from None

    def lock(self, new: str, old: str = "") -> None:
        """Put the key behind another PIN; an empty one takes it away. HallError as `open`, and for a PIN that is none."""
        if new and not (LEAST_PIN <= len(new) <= MOST_PIN and new.isprintable()):
            raise HallError(f"a PIN has {LEAST_PIN} to {MOST_PIN} characters; nothing was changed")
        key = self.open(old)
        with alone_in(self.path.parent):
            self._write(key, new)

    def _read(self) -> str:
        try:
            return read_plain(self.path).decode("ascii").strip()
        except UnicodeDecodeError:
            raise HallError(f"{self.path} is damaged; restore it from a copy") from None

    def _write(self, key: Ed25519PrivateKey, pin: str) -> None:
        text = key.private_bytes_raw().hex()
        if pin:
            salt = os.urandom(_SALT_BYTES)
            text = f"{_LOCKED} {salt.hex()} {Fernet(_stretched(pin, salt)).encrypt(text.encode()).decode()}"
        write_private(self.path, text.encode())


def _stretched(pin: str, salt: bytes) -> bytes:
    made = Scrypt(salt=salt, length=32, n=_COST, r=8, p=1).derive(pin.encode())
    return base64.urlsafe_b64encode(made)
