"""What players note of their own on their phones, such as a hand of cards: beside the game and in none of its parts.

It is no part of the game, so it stands in no log, export or report. The file is encrypted under the device key; elsewhere, or
with another key, nothing of it can be read, and then there is none.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from companion.session.device_key import DeviceKeyError, DeviceKeyFile
from companion.session.files import aside_path, read_at_most, write_whole

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

__all__ = ["Hands", "hands_path"]

_NONCE, _MOST_BYTES, _PAD = 12, 64 << 10, 1024
_USE = b"table companion hands\0"


def hands_path(game: Path) -> Path:
    """Return where the notes of a game lie; they move with it."""
    return game.with_name(game.name + "-hands")


class Hands:
    """Notes by whose they are and on which page, each as the JSON of a draft."""

    def __init__(self, keys: Path) -> None:
        """Take the folder of the device key."""
        self._keys = DeviceKeyFile(keys)

    def read(self, game: Path, game_id: str) -> dict[str, str]:
        """Return a game's notes; none where there are none or they cannot be read here."""
        return self._opened(game, game_id) or {}

    def is_unreadable(self, game: Path, game_id: str) -> bool:
        """Say whether there are notes that cannot be read here, such as those of another box."""
        return os.path.lexists(hands_path(game)) and self._opened(game, game_id) is None

    def write(self, game: Path, game_id: str, notes: dict[str, str]) -> None:
        """Keep a game's notes, whole or not at all. OSError where the place takes none or there is no device key.

        A file of notes that cannot be read here is kept aside first: it may be read under its own key again.
        """
        plain = msgspec.json.encode(notes)
        plain += b" " * (-len(plain) % _PAD)  # its length says little
        nonce = secrets.token_bytes(_NONCE)
        try:
            sealed = self._cipher().encrypt(nonce, plain, game_id.encode())
        except DeviceKeyError as fault:
            raise OSError(str(fault)) from fault
        place = hands_path(game)
        if self.is_unreadable(game, game_id):
            place.rename(aside_path(place))
        write_whole(place, nonce + sealed, mode=0o600)

    def _opened(self, game: Path, game_id: str) -> dict[str, str] | None:
        """Return a game's notes; None where there are none or they cannot be read here."""
        try:
            data = read_at_most(hands_path(game), _MOST_BYTES)
        except OSError:
            return None
        from cryptography.exceptions import InvalidTag  # a table without such notes goes without ciphers

        try:
            plain = self._cipher().decrypt(data[:_NONCE], data[_NONCE:], game_id.encode())
            return msgspec.json.decode(plain, type=dict[str, str])
        except (OSError, DeviceKeyError, InvalidTag, ValueError):
            return None

    def _cipher(self) -> ChaCha20Poly1305:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        return ChaCha20Poly1305(hmac.digest(self._keys.read().secret, _USE, "sha256"))
