"""Icons, emblems and unit symbols out of the baked sheets: a name and a size give a texture, white, to be tinted."""

from __future__ import annotations

from pathlib import Path

from kivy.graphics.texture import Texture

__all__ = [
    "COLUMNS",
    "EMBLEMS",
    "NAMES",
    "SIZES",
    "UNITS",
    "UNIT",
    "UNIT_COLUMNS",
    "UNIT_WIDTHS",
    "is_drawn",
    "is_unit",
    "texture",
    "unit_high",
    "unit_texture",
]

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
    *("camera", "flag", "plug", "jump", "chart", "lock", "note", "die6", "die10", "die12"),
)

UNITS = (
    *("infantry", "mech", "artillery", "at_gun", "aa", "scout", "tank", "matilda", "sherman", "tiger"),
    *("truck", "parachute", "supply", "fort", "fighter", "light_bomber", "heavy_bomber", "air_transport"),
    *("sea_transport", "convoy", "submarine", "destroyer", "cruiser", "battleship", "carrier", "flotilla"),
    *("landing_craft", "mine", "line", "hub", "bridge", "card", "hidden", "storm"),
)
"""Symbols of units and tokens, three wide by two high, as they follow each other on a sheet."""
UNIT = "unit."
"""Begins the name of a unit's symbol wherever icons are named too."""
UNIT_COLUMNS = 8
UNIT_WIDTHS = (36, 42, 54, 63, 84, 112)
"""Widths of the symbols of a sheet in pixels: the three that screens use, at both scales."""

_WHOLE = 56
"""Sheets up to this size are kept as one texture. A larger one would take megabytes for the two or three icons that
are ever that large, so each of those is cut out of it."""

_sheets: dict[str, Texture] = {}
_regions: dict[tuple[str, int], Texture] = {}


def texture(name: str, size_px: float) -> Texture:
    """Return the texture of an icon for about this size; KeyError for an unknown name."""
    size = next((s for s in SIZES if s >= size_px - 0.5), SIZES[-1])
    key = (name, size)
    if key not in _regions:
        if name not in NAMES:
            raise KeyError(f"icon {name!r} is unknown; expected one of {', '.join(NAMES)}")
        pitch = size + 2
        index = NAMES.index(name)
        left, top = index % COLUMNS * pitch + 1, index // COLUMNS * pitch + 1
        _regions[key] = (
            _region(f"icons-{size}", left, top, size, size) if size <= _WHOLE else _cut(size, left, top)
        )
    return _regions[key]


def is_unit(name: str) -> bool:
    """Say whether a name is a unit's: it has a symbol, or letters where nobody drew one."""
    return name.startswith(UNIT)


def is_drawn(name: str) -> bool:
    """Say whether there is a picture for a name."""
    return name in NAMES or is_unit(name)


def unit_high(wide_px: int) -> int:
    """Return the height of a symbol of this width."""
    return wide_px * 2 // 3


def unit_texture(name: str, wide_px: float) -> Texture:
    """Return the texture of a unit's symbol for about this width; KeyError for an unknown name."""
    wide = next((one for one in UNIT_WIDTHS if one >= wide_px - 0.5), UNIT_WIDTHS[-1])
    key = (f"unit.{name}", wide)
    if key not in _regions:
        if name not in UNITS:
            raise KeyError(f"symbol {name!r} is unknown; expected one of {', '.join(UNITS)}")
        index, high = UNITS.index(name), unit_high(wide)
        left, top = index % UNIT_COLUMNS * (wide + 2) + 1, index // UNIT_COLUMNS * (high + 2) + 1
        _regions[key] = _region(f"units-{wide}", left, top, wide, high)
    return _regions[key]


def _load(sheet: str, *, keep_data: bool = False) -> Texture:
    from kivy.core.image import Image

    path = Path(__file__).parent / "art" / f"{sheet}.png"
    return Image(str(path), nocache=True, keep_data=keep_data)


def _region(sheet: str, left: int, top: int, wide: int, high: int) -> Texture:
    """Return a part of a sheet's texture."""
    if sheet not in _sheets:
        _sheets[sheet] = _load(sheet).texture
    whole = _sheets[sheet]
    # Loaded pictures are stored upside down: row 0 of the file is the texture's top.
    return whole.get_region(left, whole.height - top - high, wide, high)


def _cut(size: int, left: int, top: int) -> Texture:
    """Return a part of the sheet as a texture of its own; the sheet is let go."""
    from kivy.graphics.texture import Texture

    data = _load(f"icons-{size}", keep_data=True).image._data[0]
    pitch = data.width * 4
    rows = (data.data[(top + n) * pitch + left * 4 :][: size * 4] for n in range(size))
    part = Texture.create(size=(size, size), colorfmt="rgba")
    part.blit_buffer(b"".join(rows), colorfmt="rgba", bufferfmt="ubyte")
    part.flip_vertical()
    return part
