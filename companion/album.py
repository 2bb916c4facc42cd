"""The pictures of the demo: which moments are worth one, what each of them shows, and the files they are kept in."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from companion.pages.modules import game_view

__all__ = ["AT_THE_END", "Album", "Moment"]


@dataclass(frozen=True)
class Moment:
    """A picture to take: its name, the screen, what it shows in a sentence, and what the screen is entered with."""

    name: str
    screen: str
    caption: str
    args: Mapping[str, Any] = field(default_factory=dict)


AT_THE_END = {
    "clocks": "The clocks as the players see them",
    "log": "The log: every entry, each can be noted on or undone to",
    "charts": "Where the time went",
    "more": "Everything else that the table can do",
    "home": "The last game, ready to go on",
    "new_game": "A new game on one page",
    "settings": "The settings",
}
"""Screens of which a picture is taken at the end."""
_LAST_UNIT = 12
"""Units of the battle whose composing is shown."""


class Album:
    """Which moments of the demo are worth a picture, what each of them shows, and how far the demo has come."""

    def __init__(self, folder: Path | None, lines: int) -> None:
        self.folder, self._lines = folder, max(1, lines)
        self.count = self._played = self._told = 0
        self._seen: set[str] = set()
        self._digests: set[bytes] = set()
        self._captions: list[str] = []
        self._units = 0
        self._draft: Any = None
        """What the Battle screen is entered with to show the battle of the demo."""

    def tell(self) -> None:
        """Count a line that was played, and print how far the demo has come, a line a tenth."""
        self._played += 1
        tenth = 10 * self._played // self._lines
        if self.folder is not None and tenth > self._told:
            self._told = tenth
            print(f"demo: {10 * tenth:3d} %, {self.count} pictures", file=sys.stderr, flush=True)

    def wanted(self, played: Any) -> list[Moment]:
        """Return what has happened for the first time and shows something."""
        if self.folder is None:
            return []
        fresh = [moment for moment in self._moments(played) if moment.name not in self._seen]
        self._seen.update(moment.name for moment in fresh)
        return fresh

    def _moments(self, played: Any) -> Iterator[Moment]:
        state, name = played.change.state, played.line.command
        if state.setup is None:
            return
        if name == "EndAct" and state.step.stage:
            yield Moment("table", "table", "The Table: whose act, how long, with which units")
        if name == "CorrectTime":
            yield Moment("corrected clock", "clocks", "The arbiter has corrected a clock")
        if state.flag_prompt is not None:
            yield Moment(
                "flag", "clocks", "A flag has fallen: the penalty is carried out before play goes on"
            )
        if state.gap is not None:
            yield Moment("gap", "table", "After a power cut: who pays for the time in between")
        self._units += name == "ChangeUnits"
        shown = {} if self._draft is None else {"draft": self._draft}
        battles = game_view(state.setup.game).battles(state)
        if battles and name == "ChangeUnits" and self._units == _LAST_UNIT:
            yield Moment("battle", "battle", "A battle is put together, both sides on one page")
            self._draft = battles[0].draft
            odds = {"draft": replace(self._draft, page="odds")}
            yield Moment("odds", "battle", "The exact odds before the first die", odds)
        if name == "BeginBattle":
            yield Moment("battle on table", "table", "The running battle stands on the Table")
            yield Moment("roll", "battle", "Who rolls which dice, and what hits", shown)
        if name == "RecordRoll" and battles:
            told = "The dice of a group are entered, hits counted as they come"
            yield Moment("dice", "battle", told, shown)
        if self._units and not battles and "roll" in self._seen:
            yield Moment("battle over", "battle", "The battle is over: what each side has lost", shown)
        if name == "TakeControl":
            yield Moment("control", "score", "A place has changed hands: who would win now, and by how much")
        if name == "Purchase":
            yield Moment(
                f"resupply {state.step.id}",
                "resupply",
                "Resupply: what the shipping lanes carry, and what it buys",
            )

    def keep(self, moment: Moment, pixels: Any) -> None:
        """Write a picture with its number and tell what it shows; none is kept twice."""
        from companion.ui.picture import write_png

        digest = hashlib.sha256(pixels.tobytes()).digest()
        if self.folder is None or digest in self._digests:
            return
        self._digests.add(digest)
        self.count += 1
        label = "".join(c if c.isalnum() else "-" for c in moment.name.lower())
        path = self.folder / f"{self.count:02d}-{label}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_png(path, pixels)
        self._captions.append(f"{path.name}: {moment.caption}")
        print(f"demo: {self._captions[-1]}", flush=True)

    def close(self) -> None:
        """Write what each picture shows beside them, and how many there are."""
        if self.folder is not None:
            text = "".join(f"{caption}\n" for caption in self._captions)
            (self.folder / CAPTIONS).write_text(text, encoding="utf-8")
        print(f"demo: {self.count} pictures in {self.folder}")


CAPTIONS = "pictures.txt"
"""What each picture of the demo shows, a line each; it is there once the demo has been played to its end."""
