"""Edge trains as text: recorded from real switches or written by hand, replayed through the edge filter.

One edge a line, ``<microseconds> <button> <1 closed | 0 open>``; lines beginning with ``#`` are words, and
``# key: value`` lines before the first edge are kept (``origin``, ``down`` at the start, ``expect``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hardware.edges import RawEdge
from hardware.ports import Button

__all__ = ["Train", "format_train", "parse_train"]


@dataclass(frozen=True, slots=True)
class Train:
    """Edges in order of time, with what was written about them."""

    edges: tuple[RawEdge, ...]
    """Times in nanoseconds from the start of the recording."""
    down: frozenset[Button] = frozenset()
    """Buttons that were down at the start."""
    notes: dict[str, str] = field(default_factory=dict)
    """The ``# key: value`` lines."""

    @property
    def expected(self) -> tuple[tuple[Button, int], ...]:
        """Presses that ``# expect: left@120000 right@500000`` promises, times in microseconds."""
        words = self.notes.get("expect", "").split()
        pairs = (word.split("@") for word in words)
        return tuple((Button(name), int(us)) for name, us in pairs)


def parse_train(text: str, source: str) -> Train:
    """Read a train; ValueError names `source`, line, what was expected and what was found."""
    notes: dict[str, str] = {}
    edges: list[RawEdge] = []
    last_us = -1
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line.startswith("#"):
            key, colon, value = line[1:].partition(":")
            if colon and not edges:
                notes[key.strip()] = value.strip()
            continue
        if not line:
            continue
        try:
            us_text, name, level = line.split()
            us, button, closed = int(us_text), Button(name), {"0": False, "1": True}[level]
        except (ValueError, KeyError):
            raise ValueError(
                f"{source}: line {number}: expected '<microseconds> <button> <0|1>', got {line!r}"
            ) from None
        if us < last_us:
            raise ValueError(
                f"{source}: line {number}: expected a time of at least {last_us}, got {us}; sort the lines"
            )
        last_us = us
        edges.append(RawEdge(button, closed, us * 1000))
    down = frozenset(Button(name) for name in notes.get("down", "").split())
    return Train(tuple(edges), down, notes)


def format_train(edges: Iterable[RawEdge], start_ns: int, notes: dict[str, str]) -> str:
    """Write edges as text, times counted from `start_ns`."""
    lines = [f"# {key}: {value}" for key, value in notes.items()]
    lines += [f"{(edge.at_ns - start_ns) // 1000} {edge.button.value} {int(edge.closed)}" for edge in edges]
    return "\n".join(lines) + "\n"
