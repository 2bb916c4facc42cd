"""What a game file has lost, and how that is told to the table."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from companion.core.text import Say, Typed, several

__all__ = ["Recovery", "Why"]

Why = Literal["damaged", "restored", "older", "no_log", "other_course", "other_game"]
"""What is the matter with a file.

``damaged``: entries are missing, or may be. ``restored``: every known entry could be put together again. ``older``: it
is sound, but a newer state is known. ``no_log``: it was not put away, and its log is missing. ``other_course``: it is
sound, but other entries were seen in it before. ``other_game``: another game was played under its name before.
"""


class Recovery(NamedTuple):
    """What was found wrong when a file was opened."""

    path: Path
    kept: Path | None
    """Where the file as it was is kept."""
    last_seq: int
    """The last whole entry; the game goes on from there."""
    lost: int
    """Entries after it that are known to have been there; there may have been more. Of another game: all it had."""
    last_wall_ms: int = 0
    """When that last whole entry was made; 0 when nobody asked."""
    why: Why = "damaged"
    is_beat_lost: bool = False
    """The time after the last entry is not known: the clocks stand where they stood then."""

    @property
    def text(self) -> Say:
        """Say what is left, from when, and at least how many entries are gone."""
        lines = [self._what()]
        if self.is_beat_lost:
            lines.append(Say("The time after this entry is not known; the clocks stand as they stood then."))
        if self.kept is not None:
            lines.append(Say("The original file is kept as {kept}.", kept=Typed(self.kept.name)))
        return lines[0] if len(lines) == 1 else Say("{lines}", lines=several(lines, "sentences"))

    def _what(self) -> Say:
        file, last, lost = Typed(self.path.name), Typed(str(self.last_seq)), self.lost
        if self.last_wall_ms:
            made = datetime.fromtimestamp(self.last_wall_ms / 1000)
            last = Typed(f"{self.last_seq} ({made:%Y-%m-%d %H:%M:%S})")
        if self.why == "no_log":
            return _no_log(file, last, lost)
        if self.why == "older":
            return _older(file, last, lost)
        if self.why == "other_course":
            return Say(
                "{file} does not hold the entries that were last stored under this name; "
                "it goes on from entry {last}.",
                file=file,
                last=last,
            )
        if self.why == "other_game":
            return Say(
                "{file} is not the game that was last played under this name, which had reached entry {lost}; "
                "this one goes on from entry {last}.",
                file=file,
                lost=lost,
                last=last,
            )
        if self.why == "restored":
            return Say(
                "{file} was damaged, but everything up to entry {last}, the newest known one, was restored.",
                file=file,
                last=last,
            )
        if lost == 0:
            return Say(
                "{file} was damaged: entry {last} is the last readable one; later ones may be missing.",
                file=file,
                last=last,
            )
        return Say(
            "{file} was damaged: entry {last} is the last intact one; at least {lost} after it "
            "could not be used.",
            file=file,
            last=last,
            lost=lost,
        )


def _no_log(file: Typed, last: Typed, lost: int) -> Say:
    if lost == 0:
        return Say(
            "{file} was not put away, and its log is missing: entry {last} is the last one; "
            "later ones may be missing.",
            file=file,
            last=last,
        )
    return Say(
        "{file} was not put away, and its log is missing: entry {last} is the last one; "
        "missing after it: at least {lost}.",
        file=file,
        last=last,
        lost=lost,
    )


def _older(file: Typed, last: Typed, lost: int) -> Say:
    if lost == 0:
        return Say(
            "{file} is older than what was last stored here: entry {last} is its last one.",
            file=file,
            last=last,
        )
    return Say(
        "{file} is older than what was last stored here: entry {last} is its last one; "
        "missing after it: at least {lost}.",
        file=file,
        last=last,
        lost=lost,
    )
