"""Write the icons as one SVG file: ``python -m companion.testing.icons_svg`` writes ``gateway/static/icons.svg``.

The same shapes as on the baked sheets, for pages that a phone draws itself. A test writes them again and compares.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from companion import gateway
from companion.testing.art_make import SHAPES
from companion.ui.art import NAMES

__all__ = ["PATH", "icons_svg", "main"]

PATH = Path(gateway.__file__).parent / "static" / "icons.svg"

_STROKE = 'fill="none" stroke="currentColor"'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _points(points: Any) -> str:
    return " ".join(f"{_n(x)},{_n(24 - y)}" for x, y in points)


def _disc(x: float, y: float, r: float) -> str:
    across = _n(2 * r)
    left = f"M{_n(x - r)} {_n(24 - y)}"
    return f"{left}a{_n(r)} {_n(r)} 0 1 0 {across} 0a{_n(r)} {_n(r)} 0 1 0 -{across} 0z"


def _shape(parts: list[Any]) -> str:
    lines, inner, round_ = dict[float, str](), "", ""
    for part in parts:
        match part:
            case ("line", points, width):
                lines[width] = f"{lines.get(width, '')}M{_points(points).replace(',', ' ')}"
            case ("fill", points):
                inner += f'<polygon points="{_points(points)}"/>'
            case ("disc", x, y, r):
                round_ += _disc(x, y, r)
            case ("cut", ("disc", x, y, r)):  # even-odd: a disc in a disc is a hole
                round_ += _disc(x, y, r)
            case _:
                raise ValueError(f"{part[0]!r} cannot be written as a path")
    strokes = (f'<path d="{d}" stroke-width="{width}" {_STROKE}/>' for width, d in lines.items())
    return "".join(strokes) + inner + (f'<path d="{round_}"/>' if round_ else "")


def icons_svg() -> str:
    """Return the file's text."""
    symbols = "".join(
        f'<symbol id="{name}" viewBox="0 0 24 24">{_shape(SHAPES[name])}</symbol>\n' for name in NAMES
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{symbols}</svg>\n'


def main() -> None:
    """Write the file."""
    PATH.write_text(icons_svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
