"""The form that all screens of The Soft Underbelly share: a headline, tabs, rows, and what the main button sends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.core.commands import Command
from companion.pages.frame import Mark

__all__ = ["Page", "Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line: to read, to tap, to tick, to choose, or to count."""

    key: str
    text: str
    sub: str = ""
    kind: Literal["read", "tap", "tick", "choice", "count"] = "read"
    command: Command | None = None
    """Sent by a tap."""
    ask: str = ""
    """What the screen asks or does at a tap, where no command is sent."""
    is_on: bool = False
    is_enabled: bool = True
    count: int = 0
    most: int = 99
    tone: str = "text"
    """``text``, ``muted``, ``ok`` or ``danger``: how a line to read is coloured."""
    mark: Mark | None = None
    shortens: bool = False
    """The second line may end in an ellipsis."""


@dataclass(frozen=True, slots=True)
class Page:
    """One screen, or one tab of it."""

    title: str = ""
    lead: str = ""
    lead_tone: str = "accent"
    tabs: tuple[tuple[str, str], ...] = ()
    tab: str = ""
    rows: tuple[Row, ...] = ()
    main_text: str = ""
    main_command: Command | None = None
    """None: the main button ends the act or goes back."""
    is_main_ready: bool = True
    ends_act: bool = False
    columns: int = 1
    """Rows side by side in a wide window."""
    empty: str = ""
    key: str = ""
    """Names what is shown; another key starts at its first page."""
    subtabs: tuple[tuple[str, str], ...] = ()
    """A second row of tabs, such as nations."""
    subtab: str = ""
    next_tab: str = ""
    """Tab that the main button goes on to before anything is sent."""
