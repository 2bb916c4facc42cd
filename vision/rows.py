"""What ``read-dice`` prints of a photo: a JSON object in the scorer's format, or lines for a person; and its overlay's name."""

from __future__ import annotations

__all__ = ["as_json", "namesakes", "overlay_names", "plain"]

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vision.types import OTHER, Flag, Readings

_REFUSED = {
    Flag.STACKED: "it leans on another die: roll it again, or say what it shows",
    Flag.COCKED: "it leans: roll it again, or say what it shows",
    Flag.TOO_SMALL: "too small to be read: bring the camera closer, or say what it shows",
}
"""Why a die has no value, and what to do."""
_DOUBTED = {
    Flag.STACKED: "it lies on another die",
    Flag.CUT: "cut off by the edge of the photo",
    Flag.GLARE: "its top face shines",
    Flag.BLURRED: "blurred",
    Flag.SIX_NINE: "6 or 9",
}


def as_json(name: str, readings: Readings) -> dict[str, Any]:
    """Lay out readings as the scorer reads them; further keys are ours."""
    dice = []
    for d in readings.dice:
        row: dict[str, Any] = {
            "kind": d.kind, "color": d.colour, "value": d.value, "x": round(d.x, 1), "y": round(d.y, 1),
            "radius": round(d.radius, 1), "confidence": round(d.confidence, 4),
            "value_confidence": round(d.confidence if d.value_confidence is None else d.value_confidence, 4),
            "color_confidence": round(d.colour_confidence, 4), "ask": not d.is_sure,
        }  # fmt: skip
        if d.value is None and (Flag.COCKED in d.flags or Flag.STACKED in d.flags):
            row["cocked"] = True
        if d.flags:
            row["flags"] = [f.value for f in d.flags]
        if d.value is None:
            row["guess"] = d.guess
        dice.append(row)
    return {
        "image": name, "width": readings.width, "height": readings.height, "dice": dice,
        "mismatches": [str(m) for m in readings.mismatches], "advice": [str(a) for a in readings.advice],
    }  # fmt: skip


def plain(row: Mapping[str, Any]) -> str:
    """Say the same to a person: what lies there, what was not read and why, what is not sure, what to change."""
    words, refused, doubted = [], [], []
    for d in row["dice"]:
        flags = [Flag(f) for f in d.get("flags", ())]
        if d["kind"] == OTHER:
            words.append("a die of another kind")
            continue
        die = f"{d['color'] or 'some'} {d['kind']}"
        at = f"at {d['x']:.0f},{d['y']:.0f}"
        if d["value"] is None:
            words.append(f"{die} {flags[0].value if flags else 'not read'}")
            why = next((_REFUSED[f] for f in _REFUSED if f in flags), "not read: say what it shows")
            refused.append(f"{die} {at}: {why} (perhaps {d['guess']})")
        elif d["ask"]:
            words.append(f"{die} {d['value']}?")
            why = ", ".join(_DOUBTED[f] for f in flags if f in _DOUBTED)
            doubted.append(f"{die} {d['value']} {at}{f' ({why})' if why else ''}")
        else:
            words.append(f"{die} {d['value']}")
    count = f"{len(words)} {'die' if len(words) == 1 else 'dice'}"
    lines = [f"{row.get('path', row['image'])}: {count}: {', '.join(words) or 'none'}", *refused]
    if doubted:
        lines.append(f"not sure, check with your own eyes: {'; '.join(doubted)}")
    return "\n  ".join([*lines, *row["mismatches"], *row["advice"]])


def namesakes(photos: Sequence[Path]) -> frozenset[Path]:
    """Return the photos whose name without folder and ending is also another one's: in their rows stands the path."""
    count = Counter(p.stem.casefold() for p in dict.fromkeys(photos))
    return frozenset(p for p in photos if count[p.stem.casefold()] > 1)


def overlay_names(photos: Sequence[Path]) -> dict[Path, str]:
    """Give each photo's overlay a name of its own: ``roll.read.jpg``, of a second roll ``roll-2.read.jpg``."""
    names: dict[Path, str] = {}
    taken: set[str] = set()
    for photo in dict.fromkeys(photos):
        name, count = f"{photo.stem}.read.jpg", 1
        while name.casefold() in taken:
            count += 1
            name = f"{photo.stem}-{count}.read.jpg"
        taken.add(name.casefold())
        names[photo] = name
    return names
