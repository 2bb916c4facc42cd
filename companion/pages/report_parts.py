"""What a section of a report is made of: what it may read, its name and rank, and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from companion.core.change import Change
from companion.core.history import Entry
from companion.core.text import Say

__all__ = ["ReportSource", "Section", "section", "table_html"]


@dataclass(frozen=True, slots=True)
class ReportSource:
    """What a section may read."""

    change: Change
    entries: tuple[Entry, ...]
    counts: Callable[[int], bool]
    now_wall_ms: int
    loss: Say | None = None
    """What a damaged game has lost; None when it is whole."""
    pictures: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)
    """Entry to the photos that belong to it, as JPEG files."""
    with_decisions: bool = False
    """Whether the decisions that cost most were asked for; they take long."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the report."""

    key: str
    title: str
    """English source text."""
    rank: int
    make: Callable[[ReportSource], str]


def section(key: str, title: str, rank: int) -> Callable[[Callable[[ReportSource], str]], Section]:
    """Make a section of a function. Sections stand by rank, lowest first."""
    return lambda make: Section(key, title, rank, make)


def table_html(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; every text is escaped. The last column is set to the right."""
    cells = "".join(f"<th>{escape(text)}</th>" for text in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'
