"""An evening of phones as it is kept while they are on: code, cookies, seats and keys; and the squares that a phone's camera reads."""

from __future__ import annotations

import re
import secrets
import zlib
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from companion.pages.phones import Sitting
from companion.session.files import read_at_most
from companion.session.limits import MOST_SMALL_BYTES

__all__ = [
    "EVENING_S",
    "Kept",
    "Keyed",
    "OwnWifi",
    "new_code",
    "read_wifi",
    "square",
    "square_of",
    "sum_of",
    "wifi_file",
    "wifi_text",
]

EVENING_S = 12 * 3600
_SIGNS, _ALPHABET = 8, "ABCDEFGHJKMNPQRSTVWXYZ23456789"

_Key = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}\\Z")]
_Address = Annotated[str, msgspec.Meta(pattern="^.{1,100}:[0-9]{1,5}\\Z")]
_Count = Annotated[int, msgspec.Meta(ge=0)]
_Short = Annotated[str, msgspec.Meta(max_length=128)]
"""What a square shows; a longer text fits in none."""


class Keyed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key of a phone, as it is kept for the case that this program is killed."""

    token: str
    key: _Key
    """In hex."""
    last: _Count = 0
    """The newest count taken from the phone: nothing up to it is taken again."""


class OwnWifi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table's own Wi-Fi, as ``companion phones-wifi`` made it."""

    name: _Short
    password: _Short
    kind: str = "wpa"
    """``wpa`` or ``sae``."""


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An evening as it is kept for the case that this program is killed."""

    evening: str
    code: _Short
    key: _Key
    tv: _Short
    address: _Address
    since_s: float
    """When it began, by `running_s` of its boot."""
    seats: tuple[Sitting, ...] = ()
    keys: tuple[Keyed, ...] = ()
    starts: _Count = 0
    """How often the program has begun with these keys; kept before anything is sealed."""
    may_tournament: bool = False
    boot: str = ""
    """The boot of the machine that `since_s` counts in."""
    spent_s: float = 0.0
    """How long it had lasted when it was kept; after another boot it goes on from there."""
    check: int | None = None
    """CRC-32 of all the rest: one wrong digit in it would let a count come twice."""

    @property
    def is_sound(self) -> bool:
        """Whether the check sum is right; a file of before it has none."""
        return self.check is None or self.check == sum_of(self)


def sum_of(kept: Kept) -> int:
    """Return the check sum of all the rest of a kept evening."""
    return zlib.crc32(msgspec.json.encode(replace(kept, check=None)))


def new_code(signs: int = _SIGNS) -> str:
    """Return a code that can be read aloud and typed."""
    return "".join(secrets.choice(_ALPHABET) for _n in range(signs))


def wifi_file(home: Path) -> Path:
    """Return where the program keeps how to join the table's own Wi-Fi."""
    return home / "keys" / "wifi.json"


def read_wifi(home: Path) -> OwnWifi | None:
    """Return how to join the table's own Wi-Fi; None where there is none."""
    try:
        return msgspec.json.decode(read_at_most(wifi_file(home), MOST_SMALL_BYTES), type=OwnWifi)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def wifi_text(wifi: OwnWifi) -> str:
    """Return what a phone's camera takes for a Wi-Fi to join."""

    def quoted(text: str) -> str:
        return re.sub(r'([\\;,:"])', r"\\\1", text)

    kind = "SAE" if wifi.kind == "sae" else "WPA"
    return f"WIFI:T:{kind};S:{quoted(wifi.name)};P:{quoted(wifi.password)};;"


def square_of(kept: Kept, path: str = "") -> tuple[str, ...]:
    """Return the address as a square, with the code or another path; empty where nothing draws it."""
    return square(f"http://{kept.address}/{path or f'j/{kept.code}'}")


def square(text: str) -> tuple[str, ...]:
    """Return a text as a square of rows of 0 and 1; empty where nothing draws it."""
    try:
        import segno
    except ImportError:
        return ()
    made = segno.make(text, error="m", micro=False)
    return tuple("".join("1" if dot else "0" for dot in row) for row in made.matrix)
