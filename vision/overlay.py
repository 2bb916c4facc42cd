"""Drawing readings over a photo. Decides nothing."""

from __future__ import annotations

__all__ = ["draw", "label_boxes"]

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Reading, Readings

_SURE = (80, 200, 60)
_ASK = (0, 190, 255)
_NONE = (60, 60, 235)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def _text(die: Reading) -> str:
    if die.value is not None:
        return f"{die.value}" if die.is_sure else f"{die.value}?"
    return f"{die.flags[0].value}" if die.flags else "?"


def _room(
    die: Reading, size: tuple[float, float], row: int, frame: tuple[int, int]
) -> list[tuple[float, ...]]:
    """Return where a text of a size may stand around a die, boxes (left, top, right, bottom) in order of preference."""
    w, h = size
    r, up, aside = die.radius, die.radius + 0.75 * h, die.radius + 0.55 * w
    places = [(0.0, -up), (0.0, up), (aside, 0.0), (-aside, 0.0)]
    places += [(sx * 0.75 * aside, sy * (0.8 * r + 0.6 * h)) for sy in (-1, 1) for sx in (1, -1)]
    places += [(0.0, -up - 1.3 * h), (0.0, up + 1.3 * h)]
    if row:
        places[:2] = places[1::-1]
    boxes: list[tuple[float, ...]] = []
    for dx, dy in places:
        left = float(np.clip(die.x + dx - w / 2, 0, max(0.0, frame[0] - w)))
        top = float(np.clip(die.y + dy - h / 2, 0, max(0.0, frame[1] - h)))
        boxes.append((left, top, left + w, top + h))
    return boxes


def _shared(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Return the area that two boxes share."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, wide) * max(0.0, high)


def label_boxes(
    readings: Readings, frame: tuple[int, int]
) -> list[tuple[Reading, str, float, tuple[float, ...]]]:
    """Place the words of all dice where they hide one another least: die, text, font scale (a factor), box in pixels.

    Args:
        readings: What was read.
        frame: Width and height of the photo.
    """
    out: list[tuple[Reading, str, float, tuple[float, ...]]] = []
    taken: list[tuple[float, ...]] = []
    for row in (0, 1):
        for die in readings.dice:
            scale = float(np.clip(die.radius / 42, 0.4, 3.0)) * (0.5 if row else 1.0)
            text = f"{die.colour or '?'} {die.confidence:.2f}" if row else _text(die)
            (tw, th), below = cv2.getTextSize(text, _FONT, scale, max(2, round(scale * 4)))
            room = _room(die, (tw, th + below), row, frame)
            best = min(room, key=lambda box: sum(_shared(box, other) for other in taken))
            taken.append(best)
            out.append((die, text, scale, best))
    return out


def _tone(die: Reading) -> tuple[int, int, int]:
    return _SURE if die.is_sure else _ASK if die.value is not None else _NONE


def _write(
    out: NDArray[np.uint8], text: str, at: tuple[int, int], *, scale: float, tone: tuple[int, int, int]
) -> None:
    for ink, thick in (((0, 0, 0), max(2, round(scale * 4))), (tone, max(1, round(scale * 1.6)))):
        cv2.putText(out, text, at, _FONT, scale, ink, thick, cv2.LINE_AA)


def draw(image: NDArray[np.uint8], readings: Readings) -> NDArray[np.uint8]:
    """Return a copy of the photo (BGR) with every die's outline, value, colour and doubt on it.

    Green: sure; amber with a question mark: please check; red: not read. The words repeat what the colour says.
    """
    out = image.copy()
    h, w = out.shape[:2]
    for die in readings.dice:
        thick = max(1, round(die.radius / 22))
        centre = (round(die.x), round(die.y))
        cv2.circle(out, centre, max(2, round(die.radius)), _tone(die), thick, cv2.LINE_AA)
        if die.outline:
            face = [np.array(die.outline).round().astype(np.int32)]
            cv2.polylines(out, face, True, _tone(die), max(1, thick // 2), cv2.LINE_AA)
    for die, text, scale, (left, _top, _right, bottom) in label_boxes(readings, (w, h)):
        below = cv2.getTextSize(text, _FONT, scale, max(2, round(scale * 4)))[1]
        _write(out, text, (round(left), round(bottom - below)), scale=scale, tone=_tone(die))
    for i, line in enumerate((*readings.mismatches, *readings.advice)):
        _write(out, str(line), (8, 24 + 24 * i), scale=0.6, tone=(255, 255, 255))
    return out
