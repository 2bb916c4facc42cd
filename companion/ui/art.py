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

_sheets: dict[int, Any] = {}
_regions: dict[tuple[str, int], Any] = {}


def texture(name: str, size_px: float) -> Any:
    """Return the texture of an icon for about this size; KeyError for an unknown name."""
    size = next((s for s in SIZES if s >= size_px - 0.5), SIZES[-1])
    key = (name, size)
    if key not in _regions:
        from kivy.core.image import Image

        if name not in NAMES:
            raise KeyError(f"icon {name!r} is unknown; expected one of {', '.join(NAMES)}")
        if size not in _sheets:
            _sheets[size] = Image(str(Path(__file__).parent / "art" / f"icons-{size}.png")).texture
        whole = _sheets[size]
        pitch = size + 2
        index = NAMES.index(name)
        # Loaded pictures are stored upside down: row 0 of the file is the texture's top.
        left, top = index % COLUMNS * pitch + 1, index // COLUMNS * pitch + 1
        region = whole.get_region(left, whole.height - top - size, size, size)
        _regions[key] = region
    return _regions[key]
