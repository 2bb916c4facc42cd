"""Sealing and opening of secrets, before the inbox: the only place that ever holds a PIN and a plain text.

A note is encrypted with a random key of its own (AES-256-GCM). That key is wrapped for every holder: for a side
and for the arbiter under scrypt(PIN) mixed with a device key that lies outside the game file, and for the recovery
code, which is long enough to need no device key. The plain text is padded, so that its length says nothing, and
carries the random opening of the commitment that goes into the log.

It protects against people at the table and against a copied game file, not against whoever takes the card.
"""

from __future__ import annotations

import base64
import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from companion.core.ids import Millis
from companion.core.ledger import SealedEnvelope, WrappedKey, commitment
from companion.core.text import Name, Say
from companion.session.errors import SessionError
from companion.session.timesource import TimeSource
from companion.session.tries import Tell, Tries

__all__ = [
    "ARBITER_HOLDER",
    "RECOVERY_HOLDER",
    "Opened",
    "PlainSecret",
    "SealError",
    "Sealed",
    "SealedByOtherDeviceError",
    "TableVault",
    "TooSoonError",
    "Vault",
    "WrongPinError",
]

ARBITER_HOLDER = "arbiter"
RECOVERY_HOLDER = "recovery"

_CIPHER = "aes256gcm-scrypt-1"
_KDF = {"n": 1 << 15, "r": 8, "p": 1}
_MOST_KDF_N = 1 << 18
_BLOCK = 512
_SALT, _NONCE, _KEY, _OPENING = 16, 12, 32, 32
_MIN_PIN = 4
_RECOVERY_GROUPS = 6
_ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""Letters and digits that are not taken for each other."""


class PlainSecret:
    """A PIN or a plain text on its way; prints as stars, so that no log or crash file can show it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """Take the text."""
        self._text = text

    def get(self) -> str:
        """Return the text."""
        return self._text

    def __repr__(self) -> str:
        return "PlainSecret(***)"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a secret is not copied or stored")


class SealError(SessionError, ValueError):
    """A secret cannot be sealed or opened."""


class WrongPinError(SealError, PermissionError):
    """The PIN or the recovery code is not the one."""


class TooSoonError(SealError, PermissionError):
    """Too many wrong tries: wait."""

    def __init__(self, wait_ms: Millis) -> None:
        """Keep how long to wait."""
        super().__init__(
            Say("too many wrong attempts"), Say("try again in {seconds} s", seconds=-(-wait_ms // 1000))
        )
        self.wait_ms = wait_ms


class SealedByOtherDeviceError(SealError, PermissionError):
    """The note was sealed on another box, whose device key is not here."""


class Sealed(NamedTuple):
    """A sealed note, and the recovery code to be shown once and never stored."""

    envelope: SealedEnvelope
    recovery: PlainSecret | None


class Opened(NamedTuple):
    """What an envelope held, with the opening of its commitment."""

    plain_text: PlainSecret
    opening: str


class _Note(msgspec.Struct):
    text: str
    opening: str


class Vault:
    """Seals and opens notes with this box's device key, and slows down wrong tries.

    Thread-safe for one caller at a time. A derivation takes about 0.1 s on a desktop and under 1 s on a Pi: call
    it off the interface thread.
    """

    def __init__(
        self,
        folder: Path,
        time: TimeSource,
        *,
        kdf_n: int = _KDF["n"],
        tell: Tell = lambda _text, _hint: None,
    ) -> None:
        """Take the folder of the device key and the tries, which is no folder of games; `tell` as in `Tries`."""
        self._folder, self._kdf = folder, {**_KDF, "n": kdf_n}
        self._tries = Tries(folder / "seal-tries.json", time, tell)

    # Sealing

    def seal(
        self,
        text: PlainSecret,
        label: str,
        *,
        side: str,
        side_pin: PlainSecret,
        arbiter_pin: PlainSecret | None = None,
    ) -> Sealed:
        """Seal a text for a side and for the arbiter, or for a recovery code where there is no arbiter's PIN.

        `label` is bound to the note: it opens under no other one. Raises SealError for a PIN under 4 signs.
        """
        for pin in (side_pin, *([arbiter_pin] if arbiter_pin else [])):
            if len(pin.get()) < _MIN_PIN:
                raise SealError(
                    Say("a PIN needs at least {least} characters", least=_MIN_PIN), Say("choose a longer one")
                )
        key, opening = secrets.token_bytes(_KEY), secrets.token_hex(_OPENING)
        note = msgspec.json.encode(_Note(text.get(), opening))
        nonce = secrets.token_bytes(_NONCE)
        sealed = AESGCM(key).encrypt(nonce, _padded(note), _bound(label, "note"))
        keys = [self._wrap(key, label, side, side_pin.get(), needs_device=True)]
        recovery: PlainSecret | None = None
        if arbiter_pin is not None:
            keys.append(self._wrap(key, label, ARBITER_HOLDER, arbiter_pin.get(), needs_device=True))
        else:
            recovery = PlainSecret(_recovery_code())
            code = _plain_code(recovery.get())
            keys.append(self._wrap(key, label, RECOVERY_HOLDER, code, needs_device=False))
        envelope = SealedEnvelope(
            _CIPHER,
            _text(nonce),
            _text(sealed),
            tuple(keys),
            dict(self._kdf),
            commitment(opening, text.get()),
        )
        return Sealed(envelope, recovery)

    def _wrap(self, key: bytes, label: str, holder: str, secret: str, *, needs_device: bool) -> WrappedKey:
        salt, nonce = secrets.token_bytes(_SALT), secrets.token_bytes(_NONCE)
        wrapping = self._derive(secret, salt, self._kdf, needs_device)
        wrapped = AESGCM(wrapping).encrypt(nonce, key, _bound(label, holder))
        return WrappedKey(holder, _text(salt), _text(nonce), _text(wrapped), needs_device)

    # Opening

    def open(
        self, envelope: SealedEnvelope, label: str, holder: str, secret: PlainSecret, *, tries_of: str
    ) -> Opened:
        """Open a note for one of its holders.

        `tries_of` names what wrong tries are counted for (game and secret). Raises TooSoonError during a wait,
        WrongPinError for a wrong PIN or code, SealedByOtherDeviceError without the device key, SealError for an
        envelope that is damaged or was not sealed under this label.
        """
        wait = self.wait_ms(tries_of)
        if wait:
            raise TooSoonError(wait)
        wrapped = next((item for item in envelope.keys if item.holder == holder), None)
        if wrapped is None or envelope.cipher != _CIPHER:
            raise SealError(
                Say("this note has no key for {holder}", holder=Name("side", holder)),
                Say("ask someone who can open it"),
            )
        if wrapped.needs_device and not self._key_path.exists():
            raise SealedByOtherDeviceError(
                Say("this note was sealed on another box"), Say("open it there, or with the recovery code")
            )
        given = _plain_code(secret.get()) if holder == RECOVERY_HOLDER else secret.get()
        try:
            salt, nonce, body = (_bytes(text) for text in (wrapped.salt, wrapped.nonce, wrapped.wrapped))
            wrapping = self._derive(given, salt, envelope.kdf, wrapped.needs_device)
            key = AESGCM(wrapping).decrypt(nonce, body, _bound(label, holder))
        except InvalidTag:
            self._tries.wrong(tries_of)
            raise WrongPinError(Say("wrong PIN or code"), Say("try again")) from None
        except (KeyError, ValueError):
            raise SealError(Say("this note is damaged"), Say("use a copy of the game file")) from None
        try:
            plain = AESGCM(key).decrypt(_bytes(envelope.nonce), _bytes(envelope.text), _bound(label, "note"))
            note = msgspec.json.decode(_unpadded(plain), type=_Note)
        except (InvalidTag, ValueError, msgspec.MsgspecError):
            raise SealError(Say("this note is damaged"), Say("use a copy of the game file")) from None
        self._tries.right(tries_of)
        return Opened(PlainSecret(note.text), note.opening)

    def wait_ms(self, tries_of: str) -> Millis:
        """Return how long no try is looked at; 0 when one may be made now. A restart forgives nothing."""
        return self._tries.wait_ms(tries_of)

    # The device key and the tries

    @property
    def _key_path(self) -> Path:
        return self._folder / "device.key"

    def _device_key(self) -> bytes:
        with contextlib.suppress(FileNotFoundError):
            found = self._key_path.read_bytes()
            if len(found) == _KEY:
                return found
            raise SealError(
                Say("the device key is damaged"), Say("restore it, or open with the recovery code")
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        key = secrets.token_bytes(_KEY)
        temporary = self._key_path.with_suffix(".new")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._key_path)
        return key

    def _derive(self, secret: str, salt: bytes, kdf: Mapping[str, int], needs_device: bool) -> bytes:
        n, r, p = kdf["n"], kdf["r"], kdf["p"]
        if not (1 << 10 <= n <= _MOST_KDF_N and r == _KDF["r"] and p == _KDF["p"]):
            raise ValueError("key parameters out of range")
        stretched = Scrypt(salt=salt, length=_KEY, n=n, r=r, p=p).derive(secret.encode())
        mixed = stretched + (self._device_key() if needs_device else b"")
        return HKDF(algorithm=SHA256(), length=_KEY, salt=salt, info=_CIPHER.encode()).derive(mixed)


def _padded(note: bytes) -> bytes:
    """Pad to whole blocks with the length in front, so that the ciphertext's length says nothing."""
    framed = len(note).to_bytes(4, "big") + note
    return framed + bytes(-len(framed) % _BLOCK)


def _unpadded(framed: bytes) -> bytes:
    length = int.from_bytes(framed[:4], "big")
    if length > len(framed) - 4:
        raise ValueError("not a note")
    return framed[4 : 4 + length]


def _bound(label: str, holder: str) -> bytes:
    return f"{_CIPHER}|{label}|{holder}".encode()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _recovery_code() -> str:
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(_RECOVERY_GROUPS))
    return "-".join(groups)


def _plain_code(code: str) -> str:
    return "".join(sign for sign in code.upper() if sign in _ALPHABET)


class TableVault:
    """The vault as screens reach it: plain texts are wrapped at once, faults are ValueError or PermissionError."""

    def __init__(self, vault: Vault) -> None:
        """Take the vault."""
        self._vault = vault

    def seal(
        self, text: str, label: str, *, side: str, side_pin: str, arbiter_pin: str = ""
    ) -> tuple[SealedEnvelope, str]:
        """Return the envelope and a recovery code to show once; empty where the arbiter's PIN was given."""
        arbiter = PlainSecret(arbiter_pin) if arbiter_pin else None
        sealed = self._vault.seal(
            PlainSecret(text), label, side=side, side_pin=PlainSecret(side_pin), arbiter_pin=arbiter
        )
        return sealed.envelope, sealed.recovery.get() if sealed.recovery is not None else ""

    def open(
        self, envelope: SealedEnvelope, label: str, holder: str, secret: str, *, tries_of: str
    ) -> tuple[str, str]:
        """Return plain text and opening. PermissionError: wrong, or too soon; ValueError: damaged."""
        opened = self._vault.open(envelope, label, holder, PlainSecret(secret), tries_of=tries_of)
        return opened.plain_text.get(), opened.opening
