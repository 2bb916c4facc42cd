"""Plots as inline pictures of a page; colours are classes, so that the page's style has the last word by day and by night."""

from __future__ import annotations

from html import escape

from companion.pages import plots

__all__ = ["bars_svg", "lines_svg", "spread_svg"]


_HALF_LETTER = 4.4
"""Half of what a letter of the actual result takes across, in units of the picture."""


def _tone(tone: str) -> str:
    """Return a tone as the end of a class name: letters alone."""
    return tone if tone.isalpha() else "other"


def lines_svg(model: plots.Lines, *, width: int = 720, height: int = 260, has_marker: bool = False) -> str:
    """Return lines as an inline picture; with a marker, a script finds where it may stand in its data."""
    left, right, top, bottom = 44, 110, 12, 26
    (x_low, x_high), (y_low, y_high) = model.x_range, model.y_range

    def place(x: float, y: float) -> tuple[float, float]:
        along, up = (x - x_low) / ((x_high - x_low) or 1), (y - y_low) / ((y_high - y_low) or 1)
        return left + along * (width - left - right), height - bottom - up * (height - top - bottom)

    parts = []
    for y, text in model.y_ticks:
        _px, py = place(x_low, y)
        parts.append(f'<line x1="{left}" y1="{py:.1f}" x2="{width - right}" y2="{py:.1f}" class="grid"/>')
        parts.append(f'<text x="{left - 8}" y="{py + 4:.1f}" class="right">{escape(text)}</text>')
    for x, text in model.x_ticks:
        px, _py = place(x, y_low)
        parts.append(f'<text x="{px:.1f}" y="{height - 6}" class="mid">{escape(text)}</text>')
    for line in model.lines:
        points = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in line.points)
        parts.append(f'<polyline points="{points}" class="l-{_tone(line.tone)}"/>')
    ended = [line for line in model.lines if line.points]
    ends = [place(*line.points[-1]) for line in ended]
    heights = plots.label_places([-py for _px, py in ends], 15, -float(top))
    for line, (px, _py), up in zip(ended, ends, heights, strict=True):
        parts.append(
            f'<text x="{px + 8:.1f}" y="{4 - up:.1f}" class="f-{_tone(line.tone)}">{escape(line.name)}</text>'
        )
    if has_marker:
        parts.append(
            f'<line class="marker" data-marker data-from="{left}" data-to="{width - right}" '
            f'x1="{width - right}" x2="{width - right}" y1="{top}" y2="{height - bottom}"/>'
        )
    return f'<svg viewBox="0 0 {width} {height}" role="img">{"".join(parts)}</svg>'


def bars_svg(model: plots.Bars, *, width: int = 720) -> str:
    """Return rows of bars as an inline picture."""
    left, right, thick, gap = 150, 80, 16, 10
    parts, y = [], 6.0
    for row in model.rows:
        middle = y + len(row.bars) * thick / 2
        parts.append(f'<text x="{left - 10}" y="{middle + 4:.1f}" class="right">{escape(row.name)}</text>')
        for bar in row.bars:
            length = max(1.0, (width - left - right) * bar.value / (model.most or 1))
            faint = ' opacity="0.45"' if bar.is_open else ""
            parts.append(
                f'<rect x="{left}" y="{y:.1f}" width="{length:.1f}" height="{thick - 3}" class="f-{_tone(bar.tone)}"{faint}/>'
            )
            parts.append(
                f'<text x="{left + length + 6:.1f}" y="{y + thick - 5:.1f}">{escape(bar.text)}</text>'
            )
            y += thick
        y += gap
    return f'<svg viewBox="0 0 {width} {y:.0f}" role="img">{"".join(parts)}</svg>'


def spread_svg(model: plots.Distribution, *, width: int = 340, height: int = 110) -> str:
    """Return a distribution as an inline picture, the actual result filled and named."""
    top, bottom = 20, 18
    count = max(1, len(model.bins))
    each = width / count
    most = max((one.share for one in model.bins), default=0.0) or 1.0
    every = max(1, -(-count * 26 // width))
    parts, over = [], ""
    for n, one in enumerate(model.bins):
        tall = max(1.0, (height - top - bottom) * one.share / most)
        is_actual = n == model.actual
        kind = f"f-{_tone(model.tone)}" if is_actual else "bin"
        x = n * each
        parts.append(
            f'<rect x="{x + 1:.1f}" y="{height - bottom - tall:.1f}" width="{max(1.0, each - 2):.1f}" '
            f'height="{tall:.1f}" class="{kind}"/>'
        )
        if n % every == 0 or is_actual:
            near = is_actual or model.actual is None or abs(n - model.actual) * each >= 26
            if near:
                parts.append(
                    f'<text x="{x + each / 2:.1f}" y="{height - 4}" class="mid">{escape(one.text)}</text>'
                )
        if is_actual:
            half = _HALF_LETTER * len(model.actual_text)
            at = min(max(x + each / 2, half), width - half)
            over = (
                f'<text x="{at:.1f}" y="{height - bottom - tall - 5:.1f}" class="mid over f-{_tone(model.tone)}">'
                f"{escape(model.actual_text)}</text>"
            )
    return f'<svg viewBox="0 0 {width} {height}" role="img">{"".join(parts)}{over}</svg>'
