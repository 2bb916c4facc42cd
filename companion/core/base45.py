"""Bytes as text of 45 signs, which a QR code holds almost as densely as the bytes. Source: RFC 9285, 4."""

from __future__ import annotations

__all__ = ["Base45Error", "decode", "encode"]

_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
_VALUES = {sign: n for n, sign in enumerate(_SIGNS)}


class Base45Error(ValueError):
    """A text is none in base 45; `at` is the number of the first sign that cannot be, from 0."""

    def __init__(self, at: int) -> None:
        """Take the place."""
        super().__init__(f"no text in base 45: sign {at}")
        self.at = at


def encode(data: bytes) -> str:
    """Return bytes as text: two bytes are three signs, a last one is two.

    Example:
        >>> encode(b"AB")
        'BB8'
    """
    signs = []
    for at in range(0, len(data), 2):
        pair = data[at : at + 2]
        number = int.from_bytes(pair, "big")
        for _sign in range(len(pair) + 1):
            number, low = divmod(number, 45)
            signs.append(_SIGNS[low])
    return "".join(signs)


def decode(text: str) -> bytes:
    """Return the bytes of a text. Base45Error where it is none.

    Example:
        >>> decode("BB8")
        b'AB'
    """
    data = bytearray()
    for at in range(0, len(text), 3):
        part, wide = text[at : at + 3], len(text[at : at + 3]) - 1
        if wide == 0 or any(sign not in _VALUES for sign in part):
            raise Base45Error(at)
        number = sum(_VALUES[sign] * 45**place for place, sign in enumerate(part))
        if number >> 8 * wide:
            raise Base45Error(at)
        data += number.to_bytes(wide, "big")
    return bytes(data)
