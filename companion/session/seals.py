"""Sealing and opening of secrets, before the inbox: the only place that ever holds a PIN and a plain text.

A note is encrypted with a random key of its own (AES-256-GCM). That key is wrapped for every holder: for a side
and for the arbiter under scrypt(PIN) mixed with a device key that lies outside the game file, and for the recovery
code, which is long enough to need no device key. The plain text is padded, so that its length says nothing, and
carries the random opening of the commitment that goes into the log. An authentication code under the device key tells
a note that was changed from a wrong PIN.

It protects against people at the table and against a copied game file, not against whoever takes the card.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from companion.core.ids import Millis
from companion.core.ledger import (
    SealedEnvelope,
    WrappedKey,
    commitment,
    is_commitment_kept,
    reseal_lock,
    reseal_proof,
)
from companion.core.text import Name, Say, Typed
from companion.session.device_key import DeviceKey, DeviceKeyError, DeviceKeyFile, DeviceKeyMissingError
from companion.session.errors import SessionError
from companion.session.files import explain
from companion.session.sealings import Sealings
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

_CIPHER = "aes256gcm-scrypt-2"
_FIRST_CIPHER = "aes256gcm-scrypt-1"
"""The scheme of notes sealed before keys had an id and notes a code of their own; they still open."""
_KDF = {"n": 1 << 15, "r": 8, "p": 1}
_SALT, _NONCE, _KEY, _OPENING = 16, 12, 32, 32
_MIN_PIN = 4
_ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""Letters and digits that are not taken for each other."""
_CODE_SIGNS, _GROUP = 28, 4
"""Of a recovery code: 27 signs drawn by chance, which are 132 bits, and one that tells a typing mistake."""


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


class TooSoonError(SealError):
    """Too many wrong tries: wait. Nothing was tried, so it is no wrong PIN."""

    def __init__(self, wait_ms: Millis) -> None:
        """Keep how long to wait."""
        super().__init__(
            Say("too many wrong attempts"), Say("try again in {seconds} s", seconds=-(-wait_ms // 1000))
        )
        self.wait_ms = wait_ms


class SealedByOtherDeviceError(SealError):
    """The note was sealed under another device key than this box has; no PIN can be tried here."""


class Sealed(NamedTuple):
    """A sealed note, and the recovery code to be shown once and never stored."""

    envelope: SealedEnvelope
    recovery: PlainSecret


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
        self._kdf = {**_KDF, "n": kdf_n}
        self._keys = DeviceKeyFile(folder)
        self._tries = Tries(folder / "seal-tries.json", time, tell)
        self.made = Sealings(folder / "sealings.json", tell)
        """Which notes were sealed here and taken into a game."""

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
        """Seal a text for a side, for the arbiter where a PIN is given, and for a recovery code that needs no device.

        `label` is bound to the note: it opens under no other one. Raises SealError for a PIN under 4 signs or where no
        device key can be made, DeviceKeyError where there is one that cannot be read.
        """
        for pin in (side_pin, *([arbiter_pin] if arbiter_pin else [])):
            if len(pin.get()) < _MIN_PIN:
                raise SealError(
                    Say("a PIN needs at least {least} characters", least=_MIN_PIN), Say("choose a longer one")
                )
        try:
            device = self._keys.ensure()
        except OSError as fault:
            why, hint = explain(fault)
            raise SealError(Say("the device key cannot be saved: {why}", why=why), hint) from fault
        from companion.session import note_cipher  # a start is not held up by what only a note needs

        key, opening = secrets.token_bytes(_KEY), secrets.token_hex(_OPENING)
        recovery = PlainSecret(_recovery_code())
        holders = [(side, side_pin.get(), device)]
        if arbiter_pin is not None:
            holders.append((ARBITER_HOLDER, arbiter_pin.get(), device))
        note = msgspec.json.encode(_Note(text.get(), opening))
        nonce = secrets.token_bytes(_NONCE)
        sealed = note_cipher.locked(key, nonce, note_cipher.padded(note), _bound(_CIPHER, label, "note"))
        envelope = SealedEnvelope(
            _CIPHER,
            _text(nonce),
            _text(sealed),
            (
                *(self._wrap(key, label, *holder) for holder in holders),
                self._wrap(key, label, RECOVERY_HOLDER, _plain_code(recovery.get()), None),
            ),
            dict(self._kdf),
            commitment(opening, text.get(), label),
            bound=label,
            lock=reseal_lock(reseal_proof(opening)),
            device=device.id,
        )
        return Sealed(replace(envelope, mac=device.tag("note", _all_else(envelope))), recovery)

    def _wrap(self, key: bytes, label: str, holder: str, secret: str, device: DeviceKey | None) -> WrappedKey:
        from companion.session import note_cipher

        salt, nonce = secrets.token_bytes(_SALT), secrets.token_bytes(_NONCE)
        wrapping = note_cipher.derived(_CIPHER, secret, salt, self._kdf, device)
        wrapped = note_cipher.locked(wrapping, nonce, key, _bound(_CIPHER, label, holder))
        return WrappedKey(holder, _text(salt), _text(nonce), _text(wrapped), device is not None)

    # Opening

    def open(
        self, envelope: SealedEnvelope, label: str, holder: str, secret: PlainSecret, *, tries_of: str
    ) -> Opened:
        """Open a note for one of its holders.

        `tries_of` names what wrong tries are counted for (game and secret). Raises WrongPinError for a wrong PIN or
        code, the only fault that counts as a try; TooSoonError during a wait, SealedByOtherDeviceError without the
        note's own device key, DeviceKeyError for a damaged one, SealError for an envelope that is damaged, was changed,
        or does not hold what its commitment says.
        """
        from companion.session import note_cipher

        wait = self.wait_ms(tries_of)
        if wait:
            raise TooSoonError(wait)
        wrapped = next((item for item in envelope.keys if item.holder == holder), None)
        if wrapped is None or envelope.cipher not in (_CIPHER, _FIRST_CIPHER):
            raise SealError(
                Say("this note has no key for {holder}", holder=Name("side", holder)),
                Say("ask someone who can open it"),
            )
        device = self._device_for(envelope, wrapped)
        given = _code_given(secret, envelope) if holder == RECOVERY_HOLDER else secret.get()
        try:
            salt, nonce, body = (_bytes(text) for text in (wrapped.salt, wrapped.nonce, wrapped.wrapped))
            needed = device if wrapped.needs_device else None
            wrapping = note_cipher.derived(envelope.cipher, given, salt, envelope.kdf, needed)
            key = note_cipher.unlocked(wrapping, nonce, body, _bound(envelope.cipher, label, holder))
        except (KeyError, ValueError):
            raise _damaged() from None
        if key is None:
            self._tries.wrong(tries_of)
            raise WrongPinError(Say("wrong PIN or code"), Say("try again"))
        try:
            bound = _bound(envelope.cipher, label, "note")
            plain = note_cipher.unlocked(key, _bytes(envelope.nonce), _bytes(envelope.text), bound)
            note = msgspec.json.decode(note_cipher.unpadded(plain or b""), type=_Note)
        except (ValueError, msgspec.MsgspecError, RecursionError):
            raise _damaged() from None
        if not is_commitment_kept(envelope, note.opening, note.text):
            raise _damaged()
        self._tries.right(tries_of)
        return Opened(PlainSecret(note.text), note.opening)

    def _device_for(self, envelope: SealedEnvelope, wrapped: WrappedKey) -> DeviceKey | None:
        """Return this box's key where it is the note's own, and check the note by it; None where none is needed."""
        try:
            device = self._keys.read()
        except DeviceKeyMissingError:
            device = None
        except DeviceKeyError:
            if wrapped.needs_device:
                raise
            return None
        is_own = device is not None and envelope.device in (device.id, "")
        if wrapped.needs_device and not is_own:
            hint = Say("open it there, or with the recovery code")
            if envelope.device and device is not None:
                hint = Say(
                    "open it there (device key {id}; this box has {own}), or with the recovery code",
                    id=Typed(envelope.device),
                    own=Typed(device.id),
                )
            elif envelope.device:
                hint = Say(
                    "open it there (device key {id}), or with the recovery code", id=Typed(envelope.device)
                )
            raise SealedByOtherDeviceError(Say("this note was sealed on another box"), hint)
        if not is_own or device is None:
            return None
        # One of before has none of these: what was made to look like one is told as changed, and no PIN as wrong.
        is_tagged = envelope.cipher == _CIPHER or any(
            (envelope.mac, envelope.device, envelope.bound, envelope.lock)
        )
        if is_tagged and not device.is_tag(envelope.mac, "note", _all_else(envelope)):
            raise _damaged()
        return device

    def wait_ms(self, tries_of: str) -> Millis:
        """Return how long no try is looked at; 0 when one may be made now. A restart forgives nothing."""
        return self._tries.wait_ms(tries_of)


def _all_else(envelope: SealedEnvelope) -> bytes:
    """Return what the authentication code of an envelope is over: everything else that stands in it."""
    return msgspec.json.encode(replace(envelope, mac=""), order="deterministic")


def _damaged() -> SealError:
    return SealError(Say("this note is damaged or was changed"), Say("use a copy of the game file"))


def _bound(cipher: str, label: str, holder: str) -> bytes:
    return f"{cipher}|{label}|{holder}".encode()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _recovery_code() -> str:
    signs = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_SIGNS - 1))
    signs += _check_sign(signs)
    return "-".join(signs[at : at + _GROUP] for at in range(0, _CODE_SIGNS, _GROUP))


def _check_sign(signs: str) -> str:
    return _ALPHABET[hashlib.sha256(signs.encode()).digest()[0] % len(_ALPHABET)]


def _plain_code(code: str) -> str:
    return "".join(sign for sign in code.upper() if sign in _ALPHABET)


def _code_given(code: PlainSecret, envelope: SealedEnvelope) -> str:
    """Return a recovery code as it was typed, without its dashes. SealError when it cannot be one."""
    given = _plain_code(code.get())
    is_whole = len(given) == _CODE_SIGNS and _check_sign(given[:-1]) == given[-1]
    if envelope.cipher == _CIPHER and not is_whole:
        raise SealError(
            Say("this is not a recovery code: one has {n} letters and digits", n=_CODE_SIGNS),
            Say("compare it with the paper, letter by letter"),
        )
    return given


class TableVault:
    """The vault as screens reach it: plain texts are wrapped at once, faults are ValueError or PermissionError."""

    def __init__(self, vault: Vault) -> None:
        """Take the vault."""
        self._vault = vault

    def seal(
        self, text: str, label: str, *, side: str, side_pin: str, arbiter_pin: str = ""
    ) -> tuple[SealedEnvelope, str]:
        """Return the envelope and a recovery code to show once."""
        arbiter = PlainSecret(arbiter_pin) if arbiter_pin else None
        sealed = self._vault.seal(
            PlainSecret(text), label, side=side, side_pin=PlainSecret(side_pin), arbiter_pin=arbiter
        )
        return sealed.envelope, sealed.recovery.get()

    def open(
        self, envelope: SealedEnvelope, label: str, holder: str, secret: str, *, tries_of: str
    ) -> tuple[str, str]:
        """Return plain text and opening. PermissionError: a wrong PIN or code, which was counted; ValueError: why not."""
        opened = self._vault.open(envelope, label, holder, PlainSecret(secret), tries_of=tries_of)
        return opened.plain_text.get(), opened.opening

    def note(self, of: str, envelope: SealedEnvelope) -> None:
        """Remember on this box that a game has taken a note; `of` names the game and whose note it is."""
        self._vault.made.note(of, envelope.commitment)

    def lacking(self, of: str, commitments: frozenset[str]) -> int:
        """Return how many notes this box sealed for something that are not among those of a log."""
        return self._vault.made.lacking(of, commitments)
