"""Icons and emblems out of the baked sheets: a name and a size give a texture, white, to be tinted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["COLUMNS", "EMBLEMS", "NAMES", "SIZES", "texture"]

SIZES = (20, 28, 40, 56, 80, 112, 160, 224)
"""Sheet sizes in pixels; a texture is taken from the next larger one and drawn smaller."""
COLUMNS = 10
EMBLEMS = ("circle", "square", "star", "ring", "diamond", "triangle")
NAMES = (
    *EMBLEMS,
    *("back", "forward", "up", "down", "home", "table", "clocks", "battle", "dice", "control"),
    *("resupply", "support", "sealed", "log", "units", "hardware", "settings", "help", "undo", "redo"),
    *("pause", "play", "check", "close", "plus", "minus", "swap", "more", "arbiter", "backspace"),
    *("warning", "info", "trophy", "power", "save", "eye", "hide", "sound", "trash", "edit"),
    *("camera", "flag", "plug", "jump", "chart", "lock", "note"),
)

_WHOLE = 56
"""Sheets up to this size are kept as one texture. A larger one would take megabytes for the two or three icons that
are ever that large, so each of those is cut out of it."""

_sheets: dict[int, Any] = {}
_regions: dict[tuple[str, int], Any] = {}


def texture(name: str, size_px: float) -> Any:
    """Return the texture of an icon for about this size; KeyError for an unknown name."""
    size = next((s for s in SIZES if s >= size_px - 0.5), SIZES[-1])
    key = (name, size)
    if key not in _regions:
        if name not in NAMES:
            raise KeyError(f"icon {name!r} is unknown; expected one of {', '.join(NAMES)}")
        pitch = size + 2
        index = NAMES.index(name)
        left, top = index % COLUMNS * pitch + 1, index // COLUMNS * pitch + 1
        _regions[key] = _region(size, left, top) if size <= _WHOLE else _cut(size, left, top)
    return _regions[key]


def _sheet(size: int) -> Any:
    from kivy.core.image import Image

    path = Path(__file__).parent / "art" / f"icons-{size}.png"
    return Image(str(path), nocache=True, keep_data=size > _WHOLE)


def _region(size: int, left: int, top: int) -> Any:
    """Return a part of the sheet's texture."""
    if size not in _sheets:
        _sheets[size] = _sheet(size).texture
    whole = _sheets[size]
    # Loaded pictures are stored upside down: row 0 of the file is the texture's top.
    return whole.get_region(left, whole.height - top - size, size, size)


def _cut(size: int, left: int, top: int) -> Any:
    """Return a part of the sheet as a texture of its own; the sheet is let go."""
    from kivy.graphics.texture import Texture

    data = _sheet(size).image._data[0]
    pitch = data.width * 4
    rows = (data.data[(top + n) * pitch + left * 4 :][: size * 4] for n in range(size))
    part = Texture.create(size=(size, size), colorfmt="rgba")
    part.blit_buffer(b"".join(rows), colorfmt="rgba", bufferfmt="ubyte")
    part.flip_vertical()
    return part
