"""Draws the five steps from a download to the picture: ``python3 deploy/card/steps.py`` writes steps.svg beside it."""

from __future__ import annotations

from pathlib import Path

WIDTH_PX, HEIGHT_PX = 1000, 250
PANEL_PX = WIDTH_PX / 5
INK, PAPER, SOFT, BLUE, GREEN = "#20303c", "#fbf8f1", "#d9e2e7", "#2f6f9f", "#3c7d4a"
CAPTIONS = (
    ("Imager writes", "Pi OS Lite (64-bit)"),
    ("Card in again:", "drive bootfs"),
    ("Copy the folder", "and user-data"),
    ("Card into the Pi,", "plug in"),
    ("Lines, then", "the picture"),
)


def box(x: float, y: float, width: float, height: float, fill: str = PAPER, round_px: float = 6) -> str:  # noqa: PLR0917
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_px:g}" fill="{fill}" '
        f'stroke="{INK}" stroke-width="2"/>'
    )


def words(x: float, y: float, text: str, size: int = 16, anchor: str = "middle", fill: str = INK) -> str:  # noqa: PLR0917
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}">{text}</text>'


def arrow(x: float, y: float, dx: float, dy: float) -> str:
    """An arrow from a point, along one axis."""
    length = abs(dx) + abs(dy)
    across, along = (abs(dy) / length, abs(dx) / length)
    tip_x, tip_y = x + dx, y + dy
    back_x, back_y = tip_x - 10 * dx / length, tip_y - 10 * dy / length
    return (
        f'<path d="M{x:g} {y:g}L{back_x:g} {back_y:g}" stroke="{GREEN}" stroke-width="5"/>'
        f'<path d="M{tip_x:g} {tip_y:g}L{back_x - 9 * across:g} {back_y - 9 * along:g}'
        f'L{back_x + 9 * across:g} {back_y + 9 * along:g}Z" fill="{GREEN}"/>'
    )


def laptop(x: float, inside: str) -> str:
    return box(x, 60, 110, 74, "#ffffff") + inside + box(x - 14, 134, 138, 12, SOFT, 4)


def card(x: float, y: float, name: str = "") -> str:
    path = f"M{x:g} {y:g}h26l10 10v38h-36z"
    return f'<path d="{path}" fill="{BLUE}" stroke="{INK}" stroke-width="2"/>' + words(
        x + 18, y + 32, name, 13, fill="#ffffff"
    )


def folder(x: float, y: float) -> str:
    path = f"M{x:g} {y:g}h14l5 6h23v26h-42z"
    return f'<path d="{path}" fill="#e8c66a" stroke="{INK}" stroke-width="2"/>'


def panels() -> list[str]:
    """Return what each step shows, drawn from its left edge on."""
    writing = laptop(
        45, words(100, 92, "Imager", 15) + box(60, 104, 80, 10, "#ffffff", 3) + box(60, 104, 50, 10, GREEN, 3)
    )
    drive = laptop(45, box(62, 72, 76, 48, SOFT) + words(100, 101, "bootfs", 15))
    copying = laptop(
        45,
        folder(53, 68)
        + box(108, 66, 30, 36, "#ffffff", 2)
        + words(74, 122, "180 MB", 13)
        + words(123, 122, "file", 13),
    )
    board = box(48, 84, 104, 62, "#7fae86") + box(60, 96, 24, 24, INK, 2) + box(126, 92, 30, 18, SOFT, 2)
    screen = box(30, 62, 140, 90, INK) + "".join(
        box(40, 72 + 14 * n, length, 6, GREEN, 2) for n, length in enumerate((96, 60, 44))
    )
    picture = (
        box(104, 90, 58, 54, PAPER, 3) + box(110, 96, 20, 18, BLUE, 2) + box(136, 96, 20, 18, "#b5493c", 2)
    )
    plug = f'<path d="M156 101h24v26" fill="none" stroke="{INK}" stroke-width="4"/>'
    return [
        writing + arrow(100, 150, 0, 24) + card(82, 178),
        card(8, 70) + arrow(14, 128, 22, 0) + drive,
        copying + arrow(100, 150, 0, 24) + card(82, 178),
        board + card(20, 118) + plug,
        screen + picture + box(88, 152, 24, 12, SOFT, 2) + words(100, 192, "some minutes", 14),
    ]


def drawn() -> str:
    """Return the whole drawing as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH_PX} {HEIGHT_PX}" font-family="DejaVu Sans, sans-serif">',
        f'<rect width="{WIDTH_PX}" height="{HEIGHT_PX}" fill="{PAPER}"/>',
    ]
    for number, (panel, (first, second)) in enumerate(zip(panels(), CAPTIONS, strict=True)):
        parts.append(f'<g transform="translate({number * PANEL_PX:g} 0)">')
        if number:
            parts.append(f'<path d="M0 16V{HEIGHT_PX - 16}" stroke="{SOFT}" stroke-width="2"/>')
        parts.append(
            f'<circle cx="24" cy="26" r="16" fill="{INK}"/>' + words(24, 32, str(number + 1), 17, fill=PAPER)
        )
        parts.append(words(48, 24, first, 16, "start") + words(48, 44, second, 16, "start"))
        parts.append(panel + "</g>")
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_name("steps.svg").write_text(drawn(), encoding="utf-8")
