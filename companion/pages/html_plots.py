"""Plots as HTML: a picture of lines, and bars as a table, so that they are read aloud too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from companion.pages.plots import label_places

if TYPE_CHECKING:
    from companion.pages.plots import Bars, Distribution, Lines

__all__ = ["plot_html"]

Tag = Callable[..., str]
Escape = Callable[[str], str]

_WIDE, _HIGH = 360, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 90, 12, 28


def plot_html(model: Lines | Bars | Distribution, tag: Tag, token: Escape, escaped: Escape) -> str:
    """Return a plot; its texts are finished already."""
    match type(model).__name__:
        case "Lines":
            return _lines(model, tag, token, escaped)  # type: ignore[arg-type]
        case "Bars":
            return _bars(model, tag, token, escaped)  # type: ignore[arg-type]
        case _:
            return _bins(model, tag, token, escaped)  # type: ignore[arg-type]


def _lines(model: Lines, tag: Tag, token: Escape, escaped: Escape) -> str:
    (x_low, x_high), (y_low, y_high) = model.x_range, model.y_range

    def place(x: float, y: float) -> tuple[float, float]:
        along, up = (x - x_low) / ((x_high - x_low) or 1), (y - y_low) / ((y_high - y_low) or 1)
        wide, high = _WIDE - _LEFT - _RIGHT, _HIGH - _TOP - _BOTTOM
        return round(_LEFT + along * wide, 1), round(_HIGH - _BOTTOM - up * high, 1)

    inner = ""
    for height, text in model.y_ticks:
        _x, y = place(x_low, height)
        inner += tag("line", x1=_LEFT, y1=y, x2=_WIDE - _RIGHT, y2=y, class_="grid-line")
        inner += tag("text", escaped(text), x=_LEFT - 5, y=y + 4, text_anchor="end")
    for along, text in model.x_ticks:
        x, _y = place(along, y_low)
        inner += tag("text", escaped(text), x=x, y=_HIGH - 6, text_anchor="middle")
    for height, text, tone in model.goals:
        x, y = place(x_low, height)
        inner += tag("line", x1=x, y1=y, x2=_WIDE - _RIGHT, y2=y, class_=f"goal {token(tone)}")
        inner += tag("text", escaped(text), x=x + 3, y=y - 3, class_=token(tone))
    drawn = [line for line in model.lines if line.points]
    ends = [place(*line.points[-1]) for line in drawn]
    heights = label_places([-y for _x, y in ends], 19, -float(_TOP))
    for line, (x, y), up in zip(drawn, ends, heights, strict=True):
        points = " ".join(f"{px},{py}" for px, py in (place(*point) for point in line.points))
        inner += tag("polyline", points=points, class_=f"line {token(line.tone)}")
        inner += tag("circle", cx=x, cy=y, r=4, class_=token(line.tone))
        inner += tag("text", escaped(line.name), x=x + 5, y=round(4 - up, 1), class_=token(line.tone))
    names = ", ".join(line.name for line in model.lines)
    return tag("svg", inner, viewBox=f"0 0 {_WIDE} {_HIGH}", class_="lines", role="img", aria_label=names)


def _bar(share: float, tone: str, tag: Tag) -> str:
    wide = round(100 * min(1.0, max(0.0, share)), 1)
    rect = tag("rect", x=0, y=0, width=wide, height=10, class_=tone)
    return tag(
        "svg", rect, viewBox="0 0 100 10", preserveAspectRatio="none", class_="bar", aria_hidden="true"
    )


def _bars(model: Bars, tag: Tag, token: Escape, escaped: Escape) -> str:
    rows = ""
    for row in model.rows:
        for n, bar in enumerate(row.bars):
            name = tag("th", escaped(row.name), scope="rowgroup", rowspan=len(row.bars)) if n == 0 else ""
            drawn = _bar(bar.value / (model.most or 1), token(bar.tone), tag)
            rows += tag("tr", name + tag("td", drawn) + tag("td", escaped(bar.text), class_=token(bar.tone)))
    return tag("table", tag("tbody", rows), class_="bars")


def _bins(model: Distribution, tag: Tag, token: Escape, escaped: Escape) -> str:
    most = max((one.share for one in model.bins), default=0.0) or 1.0
    rows = ""
    for n, one in enumerate(model.bins):
        is_actual = n == model.actual
        tone = token(model.tone) if is_actual else "t-line"
        told = escaped(model.actual_text) if is_actual else ""
        cells = tag("th", escaped(one.text), scope="row") + tag("td", _bar(one.share / most, tone, tag))
        rows += tag("tr", cells + tag("td", told), class_="actual" if is_actual else None)
    return tag("table", tag("tbody", rows), class_="bars")
