"""Asks the form of a page from a screen that is made by hand."""

from __future__ import annotations

from typing import Any

from companion.pages.page import Act, Ask, Send
from companion.ui.render.forms import Asking
from companion.ui.render.pen import Pen

__all__ = ["ask_on"]


def ask_on(screen: Any, ask: Ask) -> None:
    """Ask a form; its answers ask on, or are sent."""
    pen = Pen(lambda _act, _touch: None, lambda _why: None)
    pen.use(screen.root.desk.change.state)

    def do(act: Act, touch: Any) -> None:
        if isinstance(act, Ask):
            Asking(screen.root, pen, act, do)
        elif isinstance(act, Send):
            screen.send(act.at(screen.stamp_ms(touch)), actor=act.actor)

    do(ask, None)
