"""Drawing readings over a photo. Decides nothing."""

from __future__ import annotations

__all__ = ["draw"]

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Reading, Readings

_SURE = (80, 200, 60)
_ASK = (0, 190, 255)
_NONE = (60, 60, 235)


def _text(die: Reading) -> str:
    if die.value is not None:
        return f"{die.value}" if die.is_sure else f"{die.value}?"
    return f"{die.flags[0].value}" if die.flags else "?"


def draw(image: NDArray[np.uint8], readings: Readings) -> NDArray[np.uint8]:
    """Return a copy of the photo (BGR) with every die's outline, value, colour and doubt on it.

    Green: sure; amber with a question mark: please check; red: not read. The words repeat what the colour says.
    """
    out = image.copy()
    h, w = out.shape[:2]
    for die in readings.dice:
        tone = _SURE if die.is_sure else _ASK if die.value is not None else _NONE
        thick = max(1, round(die.radius / 22))
        centre = (round(die.x), round(die.y))
        cv2.circle(out, centre, max(2, round(die.radius)), tone, thick, cv2.LINE_AA)
        if die.outline:
            cv2.polylines(
                out,
                [np.array(die.outline).round().astype(np.int32)],
                True,
                tone,
                max(1, thick // 2),
                cv2.LINE_AA,
            )
        scale = float(np.clip(die.radius / 42, 0.4, 3.0))
        for text, size, row in (
            (_text(die), scale, 0),
            (f"{die.colour or '?'} {die.confidence:.2f}", scale * 0.5, 1),
        ):
            (tw, th), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
            x = int(np.clip(die.x - tw / 2, 0, max(0, w - tw)))
            y = int(
                np.clip(
                    die.y - die.radius - th * (0.4 if row == 0 else 0) + (row * (2 * die.radius + 1.6 * th)),
                    th,
                    h - 2,
                )
            )
            cv2.putText(
                out,
                text,
                (x, y),
                cv2.FONT_HERSHEY_SIMPLEX,
                size,
                (0, 0, 0),
                max(2, round(size * 4)),
                cv2.LINE_AA,
            )
            cv2.putText(
                out,
                text,
                (x, y),
                cv2.FONT_HERSHEY_SIMPLEX,
                size,
                tone,
                max(1, round(size * 1.6)),
                cv2.LINE_AA,
            )
    for i, line in enumerate((*readings.mismatches, *readings.advice)):
        cv2.putText(out, line, (8, 24 + 24 * i), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 4, cv2.LINE_AA)
        cv2.putText(
            out, line, (8, 24 + 24 * i), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 255), 1, cv2.LINE_AA
        )
    return out
