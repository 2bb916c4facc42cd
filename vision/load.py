"""From a file or bytes to pixels: checked before anything is unpacked, bounded in memory and time.

The header is read here first, so that a file that claims a hundred megapixels costs nothing. Large baseline JPEGs are
unpacked at a half, a quarter or an eighth. Turned as EXIF says; 16 bits, grey, alpha and CMYK become 8-bit BGR; of
animations the first picture counts. A JPEG whose data ends in the middle is refused, also where it has an end mark.
"""

from __future__ import annotations

__all__ = ["LEAST_SIDE_PX", "MOST_BYTES", "MOST_PIXELS", "Header", "decode_photo", "load_photo", "sniff"]

import re
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.text import Say, Typed
from vision.errors import PhotoError
from vision.heic import decode_heic, is_avif, is_heic

MOST_BYTES = 64 * 1024 * 1024
"""Largest file that is opened."""
MOST_PIXELS = 26_000_000
"""Most pixels that are unpacked; larger baseline JPEGs are unpacked smaller."""
MOST_CLAIMED = 400_000_000
"""Most pixels that a JPEG may have before shrinking."""
LEAST_SIDE_PX = 32
"""Shortest side in which a die could be seen at all."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of itself."""

    kind: str
    width: int
    height: int
    shrinkable: bool = False
    """A baseline JPEG, which can be unpacked smaller."""
    data_end: int = 0
    """Of a JPEG, the byte after its packed data."""
    restarts: int | None = None
    """How many restart marks a JPEG's last scan holds; None where it has none to hold."""


_MARK = re.compile(rb"\xff+[^\xff\x00\xd0-\xd7]")
"""A mark in packed picture data that is neither data nor a restart."""
_RESTART = re.compile(rb"\xff+[\xd0-\xd7]")
_BETWEEN_SCANS = frozenset((0xC4, 0xDA, 0xDB, 0xDC, 0xDD, 0xFE, *range(0xE0, 0xF0)))
_FILLER = np.random.default_rng(1).integers(0, 255, 4096).astype(np.uint8).tobytes()
"""Packed data of no picture, without marks."""
_MOST_CHANGED_PX = 1024
"""So much of a whole picture may still hang on its last bytes: some cameras leave the very last out."""


def _damaged(name: str, at: int) -> PhotoError:
    return PhotoError(
        Say(
            "{name}: the JPEG is damaged near byte {at}; take or copy the photo again",
            name=Typed(name),
            at=at,
        )
    )


def _check_scans(data: bytes, at: int, name: str, *, has_restarts: bool) -> tuple[int, int]:
    """Refuse a JPEG with marks in its packed data that cannot stand there, from its first scan at byte ``at`` to its end.

    Other bytes overwrote it then, or some are lost; the unpacker would fill the rest with gray and say nothing. Damage
    that leaves no such mark, a flipped bit say, is not found. Returned is where the packed data ends,
    and how many restart marks its last scan holds.
    """
    while True:
        restarts = 0
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        found = _MARK.search(data, at)
        end = len(data) if found is None else found.start()
        if has_restarts:
            for restart in _RESTART.finditer(data, at, end):
                if data[restart.end() - 1] != 0xD0 + restarts % 8:
                    raise _damaged(name, restart.end() - 2)
                restarts += 1
        if found is None or data[found.end() - 1] == 0xD9:
            return end, restarts
        at = found.end() - 2
        if data[at + 1] not in _BETWEEN_SCANS:
            raise _damaged(name, at)


def _is_gray_to_an_edge(image: NDArray[np.uint8]) -> bool:
    """Say whether two rows or columns at an edge are of one gray, as the unpacker paints what it has no data for."""
    edges = (
        image[-2:],
        image[:2],
        image[:, -2:],
        image[:, :2],
    )  # EXIF may have turned the end to any of them
    return any(32 < int(edge.min()) == int(edge.max()) < 224 for edge in edges)


def _is_cut_short(data: bytes, head: Header, image: NDArray[np.uint8], flag: int) -> bool:
    """Say whether a JPEG's data ends before its picture, although it has an end mark.

    Bytes put after the data of a whole picture change nothing; where data is missing they are unpacked in its place.
    That is tried where the picture is gray to an edge, and with every progressive one, which turns coarse, not gray.
    """
    if head.shrinkable and not _is_gray_to_an_edge(image):
        return False
    filler = _FILLER
    if head.restarts is not None:  # cut in pieces, each of which a restart mark would begin
        pieces = [filler[i : i + 64] for i in range(0, len(filler), 64)]
        filler = b"".join(
            piece + bytes((0xFF, 0xD0 + (head.restarts + i) % 8)) for i, piece in enumerate(pieces)
        )
    longer = data[: head.data_end] + filler + data[head.data_end :]
    again = cv2.imdecode(np.frombuffer(longer, np.uint8), flag)
    if again is None or again.shape != image.shape:
        return True
    if np.array_equal(again, image):
        return False
    changed = int((again != image).any(axis=2).sum())
    # of the same size in the photo, however much smaller it was unpacked
    changed = changed * head.width * head.height // (image.shape[0] * image.shape[1])
    return bool(changed > min(_MOST_CHANGED_PX, head.width * head.height // 20))


def _jpeg(data: bytes, name: str) -> Header:
    at, size, progressive, has_restarts = 2, None, False, False
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            raise _damaged(name, at)
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        if marker == 0xD9:
            break
        (length,) = struct.unpack_from(">H", data, at + 2)
        if length < 2:
            raise _damaged(name, at)
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            if at + 9 > len(data):
                break
            height, width = struct.unpack_from(">HH", data, at + 5)
            size, progressive = (width, height), marker not in (0xC0, 0xC1)
        if marker == 0xDD and at + 6 <= len(data):
            has_restarts = data[at + 4 : at + 6] != b"\x00\x00"
        if marker == 0xDA:
            if size is None:
                break
            if data.rfind(b"\xff\xd9", at) < 0:
                raise PhotoError(
                    Say("{name}: the JPEG is cut off (no end mark); copy the photo again", name=Typed(name))
                )
            end, restarts = _check_scans(data, at, name, has_restarts=has_restarts)
            return Header(
                "JPEG", size[0], size[1], shrinkable=not progressive, data_end=end,
                restarts=restarts if has_restarts else None,
            )  # fmt: skip
        at += 2 + length
    raise PhotoError(
        Say(
            "{name}: the JPEG is cut off or damaged (no picture in it); copy the photo again",
            name=Typed(name),
        )
    )


def _png(data: bytes, name: str) -> Header:
    at, size, ended = 8, None, False
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR" and length >= 8 and at + 16 <= len(data):
            size = struct.unpack_from(">II", data, at + 8)
        if kind == b"IEND":
            ended = at + 12 <= len(data)
            break
        at += 12 + length
    if size is None or not ended:
        raise PhotoError(Say("{name}: the PNG is cut off or damaged; copy the photo again", name=Typed(name)))
    return Header("PNG", size[0], size[1])


def _webp(data: bytes, name: str) -> Header:
    (claimed,) = struct.unpack_from("<I", data, 4)
    if claimed + 8 > len(data) + 1:
        raise PhotoError(
            Say(
                "{name}: the WebP is cut off ({got} of {expected} bytes); copy the photo again",
                name=Typed(name),
                got=len(data),
                expected=claimed + 8,
            )
        )
    kind = data[12:16]
    if kind == b"VP8X" and len(data) >= 30:
        return Header(
            "WebP", 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        )
    if kind == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return Header("WebP", 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF))
    if kind == b"VP8 " and len(data) >= 30:
        width, height = struct.unpack_from("<HH", data, 26)
        return Header("WebP", width & 0x3FFF, height & 0x3FFF)
    raise PhotoError(Say("{name}: the WebP is damaged; copy the photo again", name=Typed(name)))


def _tiff(data: bytes, name: str) -> Header:
    order = "<" if data[:2] == b"II" else ">"
    try:
        (at,) = struct.unpack_from(order + "I", data, 4)
        (count,) = struct.unpack_from(order + "H", data, at)
        found: dict[int, int] = {}
        for i in range(min(count, 200)):
            tag, kind, _, value = struct.unpack_from(order + "HHII", data, at + 2 + 12 * i)
            if tag in (256, 257):
                if kind == 3:
                    (value,) = struct.unpack_from(order + "H", data, at + 2 + 12 * i + 8)
                found[tag] = value
        return Header("TIFF", found[256], found[257])
    except (struct.error, KeyError):
        raise PhotoError(
            Say("{name}: the TIFF is cut off or damaged; copy the photo again", name=Typed(name))
        ) from None


def sniff(data: bytes, name: str = "photo") -> Header:
    """Read kind and size from a file's first bytes, and check that its end is there.

    Raises:
        PhotoError: Empty, cut off, damaged, or no picture of a known kind.
    """
    if not data:
        raise PhotoError(Say("{name}: the file is empty; copy the photo again", name=Typed(name)))
    if data[:2] == b"\xff\xd8":
        return _jpeg(data, name)
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return _png(data, name)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) > 16:
        return _webp(data, name)
    if data[:4] in (b"II*\x00", b"MM\x00*"):
        return _tiff(data, name)
    if data[:2] == b"BM" and len(data) >= 26:
        width, height = struct.unpack_from("<ii", data, 18)
        return Header("BMP", abs(width), abs(height))
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        width, height = struct.unpack_from("<HH", data, 6)
        return Header("GIF", width, height)
    if is_avif(data):
        raise PhotoError(
            Say("{name}: AVIF photos cannot be read here; set the phone's camera to JPEG", name=Typed(name))
        )
    raise PhotoError(
        Say(
            "{name}: not a picture of a known type; save it as JPEG, PNG, HEIC, WebP, TIFF, BMP or GIF",
            name=Typed(name),
        )
    )


def _refuse_small(width: int, height: int, name: str) -> None:
    if width < LEAST_SIDE_PX or height < LEAST_SIDE_PX:
        raise PhotoError(
            Say(
                "{name}: {width} x {height} pixels is too small; at least {least} per side. Take a "
                "larger photo",
                name=Typed(name),
                width=width,
                height=height,
                least=LEAST_SIDE_PX,
            )
        )


def decode_photo(data: bytes, name: str = "photo") -> NDArray[np.uint8]:
    """Unpack a photo from bytes.

    Returns:
        (h, w, 3) uint8, BGR, at most ``MOST_PIXELS`` pixels.

    Raises:
        PhotoError: The text names the file, what is wrong, and what to do.
    """
    if len(data) > MOST_BYTES:
        raise PhotoError(
            Say(
                "{name}: {size} MB is too large; at most {most} MB. Save the photo as JPEG",
                name=Typed(name),
                size=len(data) >> 20,
                most=MOST_BYTES >> 20,
            )
        )
    if is_heic(data):
        photo = decode_heic(data, name, MOST_PIXELS)
        _refuse_small(photo.shape[1], photo.shape[0], name)
        return photo
    head = sniff(data, name)
    w, h = head.width, head.height
    _refuse_small(w, h, name)
    flag, pixels = cv2.IMREAD_COLOR, w * h
    if pixels > MOST_PIXELS:
        if not head.shrinkable or pixels > MOST_CLAIMED:
            raise PhotoError(
                Say(
                    "{name}: {width} x {height} is {size} megapixels; at most {most} as {kind}. "
                    "Set the camera to a smaller photo or to baseline JPEG",
                    name=Typed(name),
                    width=w,
                    height=h,
                    size=round(pixels / 1e6),
                    most=round(MOST_PIXELS / 1e6),
                    kind=Typed(head.kind),
                )
            )
        for divisor, smaller in (
            (2, cv2.IMREAD_REDUCED_COLOR_2), (4, cv2.IMREAD_REDUCED_COLOR_4), (8, cv2.IMREAD_REDUCED_COLOR_8),
        ):  # fmt: skip
            flag = smaller
            if pixels / divisor**2 <= MOST_PIXELS:
                break
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flag)
    except (cv2.error, MemoryError) as error:
        raise PhotoError(
            Say(
                "{name}: the {kind} cannot be decoded ({why}); copy the photo again",
                name=Typed(name),
                kind=Typed(head.kind),
                why=Typed(type(error).__name__),
            )
        ) from error
    if image is None or image.ndim != 3 or image.size == 0:
        raise PhotoError(
            Say(
                "{name}: the {kind} is damaged and cannot be decoded; copy the photo again",
                name=Typed(name),
                kind=Typed(head.kind),
            )
        )
    photo = np.ascontiguousarray(image, np.uint8)
    if head.kind == "JPEG" and _is_cut_short(data, head, photo, flag):
        raise PhotoError(
            Say(
                "{name}: the JPEG ends in the middle; part of the photo is missing. Copy the photo again",
                name=Typed(name),
            )
        )
    return photo


def load_photo(path: Path | str) -> NDArray[np.uint8]:
    """Read a photo file; see ``decode_photo``. A pipe, socket or device is refused at once, never waited for.

    Raises:
        PhotoError: With one sentence for a person: what lies there is no photo, too large, damaged or cannot be read.
    """
    path = Path(path)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise PhotoError(
                Say(
                    "{name}: this is a folder, not a photo file; name a photo inside it",
                    name=Typed(str(path)),
                )
            )
        if not stat.S_ISREG(status.st_mode):
            raise PhotoError(
                Say(
                    "{name}: this is a pipe, socket or device, not a photo file; save the photo as a file "
                    "and name that file",
                    name=Typed(str(path)),
                )
            )
        if status.st_size > MOST_BYTES:
            raise PhotoError(
                Say(
                    "{name}: {size} MB is too large; at most {most} MB. Save the photo as JPEG",
                    name=Typed(str(path)),
                    size=status.st_size >> 20,
                    most=MOST_BYTES >> 20,
                )
            )
        with path.open("rb") as file:  # room is made for what is asked for: not for the most that is allowed
            data = file.read(status.st_size)
    except FileNotFoundError:
        if any(c in path.name for c in "*?["):
            raise PhotoError(
                Say(
                    "{name}: no file matches this pattern; check the folder and the extension",
                    name=Typed(str(path)),
                )
            ) from None
        raise PhotoError(
            Say("{name}: no such file; check the name and the folder", name=Typed(str(path)))
        ) from None
    except OSError as error:
        raise PhotoError(
            Say(
                "{name}: cannot be opened ({why}); check the file and its permissions",
                name=Typed(str(path)),
                why=Typed(str(error.strerror or error)),
            )
        ) from error
    return decode_photo(data, str(path))
