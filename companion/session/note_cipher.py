"""What a sealed note is locked with: padding, the key that a PIN or code gives, and AES-256-GCM."""

from __future__ import annotations

from collections.abc import Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from companion.session.device_key import DeviceKey

__all__ = ["derived", "locked", "padded", "unlocked", "unpadded"]

_BLOCK = 512
_KEY = 32
_LEAST_N, _MOST_N = 1 << 10, 1 << 16
"""Between the cheapest and the dearest derivation that a file may ask for: 64 MB and well under a second on a desktop."""


def padded(note: bytes) -> bytes:
    """Pad to whole blocks with the length in front, so that the ciphertext's length says nothing."""
    framed = len(note).to_bytes(4, "big") + note
    return framed + bytes(-len(framed) % _BLOCK)


def unpadded(framed: bytes) -> bytes:
    """Return what was padded; ValueError when it cannot have been."""
    length = int.from_bytes(framed[:4], "big")
    if length > len(framed) - 4:
        raise ValueError("not a note")
    return framed[4 : 4 + length]


def locked(key: bytes, nonce: bytes, data: bytes, bound: bytes) -> bytes:
    """Return data under a key of 32 bytes, bound to what it is for."""
    return AESGCM(key).encrypt(nonce, data, bound)


def unlocked(key: bytes, nonce: bytes, data: bytes, bound: bytes) -> bytes | None:
    """Return what was locked; None under another key, and for data that was changed. ValueError for a key that is none."""
    try:
        return AESGCM(key).decrypt(nonce, data, bound)
    except InvalidTag:
        return None


def derived(cipher: str, secret: str, salt: bytes, kdf: Mapping[str, int], device: DeviceKey | None) -> bytes:
    """Return the key that a PIN or code gives, mixed with a device key; ValueError for costs out of range, KeyError for none."""
    n, r, p = kdf["n"], kdf["r"], kdf["p"]
    if not (_LEAST_N <= n <= _MOST_N and (r, p) == (8, 1)):
        raise ValueError("key parameters out of range")
    stretched = Scrypt(salt=salt, length=_KEY, n=n, r=r, p=p).derive(secret.encode())
    mixed = stretched + (device.secret if device is not None else b"")
    return HKDF(algorithm=SHA256(), length=_KEY, salt=salt, info=cipher.encode()).derive(mixed)
