"""Named tokens: colours, sizes, type. The one place where the look is decided.

Screens say ``theme.px(8)`` and ``theme.color('muted')``, never a number of pixels or a colour of their own. Lengths
are given for 800x480 and grow with the shorter side of the window. A change of theme, text size, language or window
size rebuilds the screens, so tokens are plain values and bind nothing.
"""

from __future__ import annotations

import msgspec

__all__ = ["PALETTES", "TEXT_SCALES", "Palette", "Theme", "contrast", "mixed", "rgba", "theme"]

Rgba = tuple[float, float, float, float]


def rgba(hex_text: str, alpha: float = 1.0) -> Rgba:
    """Return ``#RRGGBB`` as four floats from 0 to 1."""
    value = hex_text.lstrip("#")
    return (int(value[0:2], 16) / 255, int(value[2:4], 16) / 255, int(value[4:6], 16) / 255, alpha)


def _luminance(colour: Rgba | tuple[float, float, float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Rgba | tuple[float, float, float], other: Rgba | tuple[float, float, float]) -> float:
    """Return the contrast ratio of two colours after WCAG 2, 1 to 21."""
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def mixed(one: Rgba, other: Rgba, share: float) -> Rgba:
    """Return a colour so far on the way from one to another."""
    r, g, b, a = (x + (y - x) * share for x, y in zip(one, other, strict=True))
    return (r, g, b, a)


class Palette(msgspec.Struct, frozen=True):
    """Colour tokens of one theme, as hex texts."""

    ground: str
    """Behind everything."""
    surface: str
    """Cards and bars."""
    raised: str
    """Buttons and what can be touched."""
    line: str
    """Hairlines and outlines; never text."""
    text: str
    muted: str
    off: str
    """Text and icon of what cannot be pressed now."""
    accent: str
    """Whose act it is, and the main button."""
    on_accent: str
    allies: str
    axis: str
    third: str
    fourth: str
    fifth: str
    sixth: str
    on_side: str
    """Text on a ground in a side's colour."""
    ok: str
    danger: str
    on_danger: str
    sea: str = "#0E2433"
    land: str = "#1C3A4C"
    coast: str = "#4D7892"
    """The chart."""
    pieces: dict[str, str] = msgspec.field(default_factory=dict)
    """Colour words of pieces in the box to shades that show on `surface`."""
    scrim: float = 0.6
    """How much a dialog darkens what is behind it."""
    line_px: float = 1.0
    off_edge: float = 0.5
    """How strong the outline is of what cannot be pressed now."""


PALETTES: dict[str, Palette] = {
    "night": Palette(
        ground="#0B1D2A",
        surface="#12293A",
        raised="#1B3B52",
        line="#3A6480",
        text="#EAF2F6",
        muted="#A9BFCA",
        off="#9BB2BE",
        accent="#F2B33D",
        on_accent="#14202A",
        allies="#6CBBE8",
        axis="#F79A87",
        third="#8FD0A5",
        fourth="#C9B3F0",
        fifth="#E6C46A",
        sixth="#E3A5CE",
        on_side="#071521",
        ok="#5CCB95",
        danger="#FF8B8B",
        on_danger="#2A0A0A",
        pieces={
            "green": "#7FCB8F",
            "blue": "#79B8F2",
            "red": "#F58F85",
            "yellow": "#EBC95C",
            "black": "#B9C4CC",
            "tan": "#D9BE94",
            "brown": "#CF9F78",
            "gray": "#B4C0C8",
            "white": "#EAF2F6",
            "purple": "#C9B3F0",
            "orange": "#F2A766",
        },
    ),
    "day": Palette(
        ground="#F4EFE3",
        surface="#FFFDF7",
        raised="#E9E2D1",
        line="#8FA3A8",
        text="#12303F",
        muted="#455D68",
        off="#4F6670",
        accent="#7F4507",
        on_accent="#FFFFFF",
        allies="#0A5186",
        axis="#96211A",
        third="#1C6340",
        fourth="#5B3A92",
        fifth="#6B5200",
        sixth="#8A2A68",
        on_side="#FFFFFF",
        ok="#1C6B43",
        danger="#A3121A",
        on_danger="#FFFFFF",
        sea="#E3EBEA",
        land="#EFE4C6",
        coast="#A08E5E",
        pieces={
            "green": "#2C6B3D",
            "blue": "#17589A",
            "red": "#A82A1E",
            "yellow": "#7A5A00",
            "black": "#2B3238",
            "tan": "#7D5F2E",
            "brown": "#6E4423",
            "gray": "#55616A",
            "white": "#54606A",
            "purple": "#5B3A92",
            "orange": "#97500F",
        },
        scrim=0.45,
    ),
    "contrast": Palette(
        ground="#000000",
        surface="#000000",
        raised="#2A2A2A",
        line="#FFFFFF",
        text="#FFFFFF",
        muted="#E4E4E4",
        off="#A6A6A6",
        accent="#FFD400",
        on_accent="#000000",
        allies="#7CD0FF",
        axis="#FFB09E",
        third="#9AF0B4",
        fourth="#DCC8FF",
        fifth="#FFE27A",
        sixth="#FFB8E4",
        on_side="#000000",
        ok="#7CFFB8",
        danger="#FF9A9A",
        on_danger="#000000",
        sea="#000000",
        land="#1A1A1A",
        coast="#FFFFFF",
        pieces={
            "green": "#8CF09E",
            "blue": "#8CC8FF",
            "red": "#FF9A9A",
            "yellow": "#FFE27A",
            "black": "#D5D5D5",
            "tan": "#F0D9B0",
            "brown": "#EBBE98",
            "gray": "#D5D5D5",
            "white": "#FFFFFF",
            "purple": "#DCC8FF",
            "orange": "#FFC38A",
        },
        scrim=0.75,
        line_px=2.0,
        off_edge=0.3,
    ),
}
"""Night: the chart room. Day: the paper chart. High contrast: black, white and few strong colours."""

TEXT_SCALES = (1.0, 1.15, 1.3)
"""The three text sizes."""

_ROLES = {
    "small": 16.0,
    "body": 17.0,
    "strong": 17.0,
    "button": 18.0,
    "heading": 21.0,
    "title": 27.0,
    "display": 36.0,
}
"""Type at 800x480, in pixels of font size."""

_BOLD = {"strong", "button", "heading", "title", "display"}


class Theme:
    """The tokens in force. `use` changes them; whoever calls it rebuilds the screens."""

    def __init__(self) -> None:
        """Start as night, normal text, 800x480."""
        self.name = "night"
        self.text_step = 0
        self.width_px, self.height_px = 800, 480
        self.palette = PALETTES["night"]

    def use(
        self,
        *,
        name: str | None = None,
        text_step: int | None = None,
        size_px: tuple[float, float] | None = None,
    ) -> None:
        """Change some of theme name, text step (0 to 2) and window size. KeyError for an unknown theme."""
        if name is not None:
            self.palette = PALETTES[name]
            self.name = name
        if text_step is not None:
            self.text_step = min(max(0, text_step), len(TEXT_SCALES) - 1)
        if size_px is not None:
            self.width_px, self.height_px = int(size_px[0]), int(size_px[1])

    @property
    def is_portrait(self) -> bool:
        """Whether the window is higher than wide."""
        return self.height_px > self.width_px

    @property
    def scale(self) -> float:
        """Pixels for one design pixel of 800x480."""
        return max(0.5, min(self.width_px, self.height_px) / 480)

    def px(self, length: float) -> float:
        """Return a length given for 800x480 in whole pixels of this window."""
        return float(round(length * self.scale))

    @property
    def target_px(self) -> float:
        """The least side of anything that can be touched: 9 mm on the panels that UI.md names."""
        return self.px(50)

    @property
    def gap_px(self) -> float:
        """The spacing unit."""
        return self.px(8)

    @property
    def radius_px(self) -> float:
        """Corner radius."""
        return self.px(8)

    @property
    def line_px(self) -> float:
        """Width of a hairline."""
        return max(1.0, float(round(self.palette.line_px * self.scale)))

    @property
    def least_font_px(self) -> float:
        """The smallest type that fitting may reach."""
        return self.px(15)

    def font_px(self, role: str) -> float:
        """Return the font size of a type role: small, body, strong, button, heading, title, display."""
        return self.px(_ROLES[role] * TEXT_SCALES[self.text_step])

    def is_bold(self, role: str) -> bool:
        """Whether a role is set in bold."""
        return role in _BOLD

    def color(self, token: str, alpha: float = 1.0) -> Rgba:
        """Return a colour token; ``piece:green`` gives the shade of a piece colour, ``clear`` nothing."""
        if token == "clear":
            return (0.0, 0.0, 0.0, 0.0)
        if token.startswith("piece:"):
            shade = self.palette.pieces.get(token[6:])
            return rgba(shade if shade is not None else self.palette.muted, alpha)
        return rgba(getattr(self.palette, token), alpha)


theme = Theme()
"""The tokens in force, one for the window."""
