"""The same evening at several tables: one is played, then it goes on at others from the very same moment."""

from __future__ import annotations

import copy
from typing import Any

from companion.core.secrecy import View
from companion.testing.memory_desk import MemoryDesk

__all__ = ["twin"]


def twin(desk: MemoryDesk) -> MemoryDesk:
    """Return a desk at the same moment of the same evening, which goes on by itself; nobody listens to it yet."""
    made = _copied(desk)
    made._listeners, made._notice_listeners = [], []
    made._timeline, made._views = _copied(desk._timeline), _copied(desk._views)
    if made._views is not None:
        made._views._views = {eyes: _view(view) for eyes, view in made._views._views.items()}
    return made


def _view(view: View) -> View:
    made: View = _copied(view)
    made._line = _copied(view._line)
    return made


def _copied(one: Any) -> Any:
    """Return a copy that holds the same values in lists, sets and tables of its own."""
    made = copy.copy(one)
    for name, value in vars(one).items() if one is not None else ():
        if isinstance(value, list | set | dict):
            setattr(made, name, value.copy())
    return made
