"""The line protocol of the serial box, as values: bytes to frames and back, and nothing else.

One frame is one line of printable ASCII::

    $SS,K,field,field*CCCC\\n

``SS`` is the sequence number in two hex digits, or ``--`` for frames outside the sequence; ``K`` one letter;
``CCCC`` the CRC-16/CCITT-FALSE of everything between ``$`` and ``*``, four hex digits. A line has at most 200
bytes. README.md of this room has the whole protocol; deploy/firmware/protocol.py is the other side, written
apart so that each proves the other.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass

from hardware.errors import FrameError
from hardware.ports import BuzzerPattern, DisplayText, LampPattern

__all__ = [
    "MAX_LINE",
    "VERSION",
    "EdgeMessage",
    "Frame",
    "FrameReader",
    "HelloMessage",
    "MarkMessage",
    "PongMessage",
    "crc16",
    "decode",
    "encode",
    "lamp_fields",
    "parse_edge",
    "parse_hello",
    "parse_mark",
    "parse_pong",
    "text_field",
    "tone_fields",
]

VERSION = 1
"""Protocol version spoken here."""
MAX_LINE = 200
"""Bytes of the longest line, without its line feed."""

_HEX = frozenset("0123456789ABCDEF")
_PRINTABLE = frozenset(range(0x20, 0x7F))


@dataclass(frozen=True, slots=True)
class Frame:
    """One line that passed every check of form."""

    seq: int | None
    """Sequence number 0 to 255; None for a frame outside the sequence."""
    kind: str
    """One capital letter."""
    fields: tuple[str, ...] = ()


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF.

    Example:
        >>> hex(crc16(b"123456789"))
        '0x29b1'
    """
    return binascii.crc_hqx(data, 0xFFFF)


def encode(frame: Frame) -> bytes:
    """Write a frame as its line, line feed included. Raises ValueError for a field that cannot be sent."""
    seq = "--" if frame.seq is None else f"{frame.seq:02X}"
    body = ",".join((seq, frame.kind, *frame.fields))
    if any(ord(character) not in _PRINTABLE or character in "$*" for character in body):
        raise ValueError(f"cannot be sent in a frame: {body!r}")
    if any("," in field for field in frame.fields):
        raise ValueError(f"a field contains a comma: {frame.fields!r}")
    line = f"${body}*{crc16(body.encode()):04X}".encode()
    if len(line) > MAX_LINE:
        raise ValueError(f"the line would have {len(line)} bytes, at most {MAX_LINE} are allowed")
    return line + b"\n"


def decode(line: bytes) -> Frame:
    """Read one line (without its line feed) as a frame.

    What the fields mean is not checked here. Raises FrameError with a code for counting.
    """
    line = line.rstrip(b"\r")
    if len(line) > MAX_LINE:
        raise FrameError("long", f"{len(line)} bytes, at most {MAX_LINE}")
    if not line.startswith(b"$"):
        raise FrameError("start", f"does not begin with $: {line[:20]!r}")
    if any(byte not in _PRINTABLE for byte in line):
        raise FrameError("ascii", f"holds bytes that are not printable ASCII: {line[:20]!r}")
    body, star, check = line[1:].decode().partition("*")
    if star != "*" or len(check) != 4 or not _HEX.issuperset(check):
        raise FrameError("checksum", f"has no checksum at its end: {line[-20:]!r}")
    if "$" in body or int(check, 16) != crc16(body.encode()):
        raise FrameError("checksum", f"expected {crc16(body.encode()):04X}, got {check}")
    parts = body.split(",")
    if parts[0] == "--":
        seq = None
    elif len(parts[0]) == 2 and _HEX.issuperset(parts[0]):
        seq = int(parts[0], 16)
    else:
        raise FrameError("sequence", f"expected two hex digits or --, got {parts[0]!r}")
    if len(parts) < 2 or len(parts[1]) != 1 or not "A" <= parts[1] <= "Z":
        raise FrameError("kind", f"expected one capital letter, got {parts[1:2]!r}")
    return Frame(seq, parts[1], tuple(parts[2:]))


class FrameReader:
    """Cuts a stream of bytes into frames, stepping over noise, half lines and floods without end."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._skipping = False

    def reset(self) -> None:
        """Forget a half line: what follows comes from a new connection."""
        self._buffer.clear()
        self._skipping = False

    def feed(self, data: bytes) -> list[Frame | FrameError]:
        """Take bytes; return the frames they complete and a FrameError for every line that is none.

        At most one line is kept in memory; an overlong one is told once, when it is given up.
        """
        out: list[Frame | FrameError] = []
        for index, chunk in enumerate(data.split(b"\n")):
            if index:
                out.extend(self._end_of_line())
            if self._skipping:
                continue
            self._buffer += chunk
            if len(self._buffer) > MAX_LINE + 1:
                self._buffer.clear()
                self._skipping = True
                out.append(FrameError("long", f"a line of more than {MAX_LINE} bytes"))
        return out

    def _end_of_line(self) -> list[Frame | FrameError]:
        line = bytes(self._buffer)
        self._buffer.clear()
        if self._skipping:
            self._skipping = False
            return []
        if not line.strip(b"\r"):
            return []
        # A frame that follows noise or half a frame without a line feed between still counts: it begins at the last $.
        at = line.rfind(b"$")
        if at > 0:
            return [FrameError("start", f"noise before a frame: {line[:at][:20]!r}"), *_try(line[at:])]
        return _try(line)


def _try(line: bytes) -> list[Frame | FrameError]:
    try:
        return [decode(line)]
    except FrameError as error:
        return [error]


# -- what the box says --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HelloMessage:
    """The box introduces itself, unasked (`host` 0) or in answer to a hello."""

    version: int
    host: int
    """Number of the host it answers; 0 where it was not asked."""
    epoch: int
    """Which hello of that host it answers."""
    box: str
    """Its name, for telling two boxes apart."""
    boot: int
    """A number that differs with every start of the box."""
    us: int
    """Its time in microseconds since its start; it never wraps."""
    parts: int
    """Bit mask of the parts it has, bit order of ``serial_panel.PART_ORDER``."""
    levels: int
    """Bit mask of the buttons that are down, bit order of ``Button``."""


@dataclass(frozen=True, slots=True)
class EdgeMessage:
    """A contact closed or opened, unfiltered."""

    button: int
    closed: bool
    us: int


@dataclass(frozen=True, slots=True)
class MarkMessage:
    """All edges before `us` have been sent, and these are the levels now; also the heartbeat."""

    us: int
    levels: int


@dataclass(frozen=True, slots=True)
class PongMessage:
    """Answer to a ping, with the box's time."""

    nonce: int
    us: int


def _whole(text: str, name: str, high: int, base: int = 10) -> int:
    digits = "0123456789ABCDEF"[:base]
    if not text or len(text) > 20 or any(character not in digits for character in text):
        raise FrameError("field", f"{name}: expected a number, got {text!r}")
    value = int(text, base)
    if value > high:
        raise FrameError("field", f"{name}: expected at most {high}, got {value}")
    return value


def _expect(frame: Frame, count: int) -> None:
    if len(frame.fields) != count:
        raise FrameError("field", f"{frame.kind}: expected {count} fields, got {len(frame.fields)}")


_MAX_US = 2**53  # 285 years; the limit keeps the arithmetic exact in floats too


def parse_hello(frame: Frame) -> HelloMessage:
    """Read a box's hello. A version other than ours may have other fields: only the version is read then.

    Raises:
        FrameError: ``field``, with the field, what was expected and what came.
    """
    if not frame.fields:
        raise FrameError("field", "H: expected a version")
    version = _whole(frame.fields[0], "version", 999)
    if version != VERSION:
        return HelloMessage(version, 0, 0, "", 0, 0, 0, 0)
    _expect(frame, 8)
    _, host, epoch, box, boot, us, parts, levels = frame.fields
    if not 1 <= len(box) <= 32 or not all(c.isalnum() or c in "-_." for c in box):
        raise FrameError("field", f"box: expected 1 to 32 letters, digits, - _ ., got {box!r}")
    return HelloMessage(
        version,
        _whole(host, "host", 0xFFFFFFFF, 16),
        _whole(epoch, "epoch", 0xFF, 16),
        box,
        _whole(boot, "boot", 0xFFFFFFFF, 16),
        _whole(us, "us", _MAX_US),
        _whole(parts, "parts", 0xFFFF, 16),
        _whole(levels, "levels", 0xFF, 16),
    )


def parse_edge(frame: Frame) -> EdgeMessage:
    """Read an edge."""
    _expect(frame, 3)
    button, closed, us = frame.fields
    return EdgeMessage(
        _whole(button, "button", 3), bool(_whole(closed, "closed", 1)), _whole(us, "us", _MAX_US)
    )


def parse_mark(frame: Frame) -> MarkMessage:
    """Read a mark."""
    _expect(frame, 2)
    return MarkMessage(_whole(frame.fields[0], "us", _MAX_US), _whole(frame.fields[1], "levels", 0xFF, 16))


def parse_pong(frame: Frame) -> PongMessage:
    """Read a pong."""
    _expect(frame, 2)
    return PongMessage(_whole(frame.fields[0], "nonce", 0xFFFF, 16), _whole(frame.fields[1], "us", _MAX_US))


# -- what the box is told -----------------------------------------------------------------------------------


def lamp_fields(lamp: int, pattern: LampPattern) -> tuple[str, ...]:
    """Fields of a lamp command.

    Example:
        >>> from hardware.ports import LampStep
        >>> lamp_fields(0, LampPattern((LampStep(1.0, 500), LampStep(0.0, 500))))
        ('0', '1', '255:500', '0:500')
    """
    steps = (f"{round(step.level * 255)}:{step.ms}" for step in pattern.steps)
    return (str(lamp), "1" if pattern.repeat else "0", *steps)


def tone_fields(pattern: BuzzerPattern) -> tuple[str, ...]:
    """Fields of a buzzer command; none for silence."""
    return tuple(f"{tone.hz}:{tone.ms}" for tone in pattern.tones)


def text_field(text: DisplayText) -> str:
    """Text of a display command; the colon is sent as the point it lights."""
    return text.text.replace(":", ".")
