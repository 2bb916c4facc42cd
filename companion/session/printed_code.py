"""A set of printed values as one short text that fits a QR code: packed, checked, with its version, game and scenario.

``TCPV1:`` and then, in the 45 signs that a QR code packs best (RFC 9285), the deflated body: its CRC-32 and a MessagePack list
of game, scenario, a byte for each key of the game's ``printed_order.txt``, and a map of what such a byte cannot say. A byte
is 0 for a value that is not there, 1 to 252 for an amount in quarters and one, 253 for no and 254 for yes. The order only
ever grows at its end, so a code of an earlier version keeps its meaning.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from companion.core import base45
from companion.core.text import Say, Typed
from companion.session.errors import SessionError
from companion.session.limits import is_deep, unpack

__all__ = ["MOST_SIGNS", "PrintedCode", "PrintedCodeError", "key_order", "read_code", "written_code"]

_MARK, _VERSION = "TCPV", 1
_NO, _YES, _MOST_QUARTERS = 253, 254, 251
_MOST_BODY = 1 << 20
_Body = tuple[str, str, bytes, dict[str, Any]]
MOST_SIGNS = 4296
"""Signs that the largest QR code holds."""


class PrintedCodeError(SessionError, ValueError):
    """A text is no set of printed values, not a whole one, or does not fit a QR code."""


class PrintedCode(msgspec.Struct, frozen=True):
    """What a code says."""

    game: str
    scenario: str
    """The scenario that was open when it was made."""
    values: dict[str, Any]


@cache
def key_order(game: str) -> tuple[str, ...]:
    """Return the keys that a byte of a game's code stands for, in order; empty where the game has none."""
    if not game.isidentifier():
        return ()
    file = resources.files("scenarios") / game / "printed_order.txt"
    return tuple(file.read_text(encoding="utf-8").split()) if file.is_file() else ()


def written_code(code: PrintedCode, order: Sequence[str] | None = None) -> str:
    """Return a set of values as the text of a QR code.

    Raises:
        PrintedCodeError: There are more values than a QR code holds; the text says how many signs too many.
    """
    order = key_order(code.game) if order is None else order
    packed = bytes(_byte(code.values.get(key)) for key in order).rstrip(b"\0")
    told = {key for key, byte in zip(order, packed, strict=False) if byte}
    rest = {key: value for key, value in sorted(code.values.items()) if key not in told}
    body = msgspec.msgpack.encode([code.game, code.scenario, packed, rest])
    text = f"{_MARK}{_VERSION}:{base45.encode(zlib.compress(_crc(body) + body, 9))}"
    if len(text) > MOST_SIGNS:
        raise PrintedCodeError(
            Say(
                "These values do not fit one QR code: it holds {most} signs, they need {n}",
                most=MOST_SIGNS,
                n=len(text),
            ),
            Say("export them as a file"),
        )
    return text


def read_code(text: str, order: Sequence[str] | None = None) -> PrintedCode:
    """Return what a code says.

    Raises:
        PrintedCodeError: The text is another one, of a later version, incomplete or damaged.
    """
    text = text.strip()
    head, colon, signs = text.partition(":")
    version = head.removeprefix(_MARK)
    if not colon or not head.startswith(_MARK) or not re.fullmatch(r"[0-9]{1,4}", version):
        raise PrintedCodeError(Say("This QR code holds no printed values: {text}", text=Typed(_brief(text))))
    if int(version) != _VERSION:
        raise PrintedCodeError(
            Say("This QR code has form {version}; this program reads form {own}", version=int(version), own=_VERSION),
            Say("update Table Companion"),
        )  # fmt: skip
    body = _body(signs)
    if body is None:
        raise PrintedCodeError(
            Say("This QR code is incomplete or damaged"), Say("nothing was changed; read it again")
        )
    game, scenario, packed, rest = body
    order = key_order(game) if order is None else order
    if len(packed) > len(order):
        raise PrintedCodeError(
            Say("This QR code names values that this version does not know"), Say("update Table Companion")
        )
    values = {key: _value(byte) for key, byte in zip(order, packed, strict=False) if byte}
    return PrintedCode(game, scenario, {**values, **rest})


def _byte(value: object) -> int:
    """Return the byte of a value; 0 where a byte cannot say it."""
    if isinstance(value, bool):
        return _YES if value else _NO
    if not isinstance(value, int | float):
        return 0
    quarters = value * 4
    return int(quarters) + 1 if 0 <= quarters <= _MOST_QUARTERS and quarters == int(quarters) else 0


def _value(byte: int) -> Any:
    if byte in (_NO, _YES):
        return byte == _YES
    whole, part = divmod(byte - 1, 4)
    return whole + part / 4 if part else whole


def _crc(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(4, "big")


def _body(signs: str) -> _Body | None:
    """Return the parts of a body whose check sum is right; None for any other."""
    try:
        raw = unpack(base45.decode(signs), _MOST_BODY)
        if raw[:4] != _crc(raw[4:]):
            return None
        game, scenario, packed, rest = msgspec.msgpack.decode(raw[4:], type=_Body)
        return None if is_deep(rest) else (game, scenario, packed, rest)
    except (ValueError, zlib.error, msgspec.MsgspecError, RecursionError):
        return None


def _brief(text: str) -> str:
    plain = "".join(sign if sign.isprintable() else "�" for sign in text[:60])
    return plain if len(text) <= 60 else f"{plain}…"
