"""A plugin of pytest that keeps every sentence the program makes while tests run; `companion.testing.sentences` runs it.

It has to be loaded before anything else imports the rules (``-p companion.testing.recorder``): refusals are told apart from
other sentences by their own type, which is replaced by one that reports itself. Nothing is recorded unless the environment
names a folder. A refusal that is still a bare text is left out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from companion.core import rules
from companion.core.ids import StepId
from companion.core.text import Count, Name, Say, Several, Value

if TYPE_CHECKING:
    from companion.core.state import GameState
    from companion.testing.sentences import Sentence

__all__ = ["FOLDER", "Recorder", "collected", "pytest_sessionfinish"]

FOLDER = "COMPANION_SENTENCES"
"""The environment variable that names the folder."""

OF_TESTS = frozenset({"What counts?", "No less", "damaged", "Fort X"})
"""What the program says only of the data that tests hand it."""

Key = tuple[Any, ...]
_DEPTH = 40


class Recorder:
    """What was said so far: of each sentence, by game, code, template and kinds of values, one example."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.kept: dict[Key, tuple[str, str, str, str, Say, GameState | None]] = {}
        self.parts: set[str] = set()
        """Templates that stood inside another sentence."""
        self._makers: dict[Say, str] = {}
        """Who made a sentence first: a refusal may be handed on by another room."""
        self._rests = False

    def made(self, say: Say) -> None:
        """Take a sentence that was just made."""
        if self._rests:
            return
        self.parts.update(item.template for value in say.values.values() for item in _inside(value))
        self._makers.setdefault(say, _room(_maker()))
        self.take(say, "")

    def refused(self, refusal: rules.Rejected) -> None:
        """Take a refusal."""
        if isinstance(refusal.detail, Say) and not self._rests:
            self.take(refusal.detail, str(refusal.code))

    def take(self, say: Say, code: str) -> None:
        """Keep a sentence, with the room of whoever made it; nothing that a test itself made."""
        room = self._makers.get(say) or _room(_maker())
        if not room:
            return
        state = _state_at_hand()
        game = state.frozen_setup.game if state is not None else ""
        self._keep(room, game, code, say, state)

    def log_line(self, command: Any, state: GameState) -> None:
        """Take what the log says of a command that was accepted."""
        from companion.pages.modules import words_of
        from companion.testing.sentences import LOG

        if state.setup is None or self._rests:
            return
        game = state.setup.game
        make = words_of(game).log.get(type(command))
        if make is None:
            return
        self._rests = True
        try:
            say = make if isinstance(make, Say) else make(command, state)
        finally:
            self._rests = False
        self._keep(game, game, LOG, say, state)

    def _keep(self, room: str, game: str, code: str, say: Say, state: GameState | None) -> None:
        key = _key(room, game if room.startswith("companion.games.") else "", code, say)
        before = self.kept.get(key)
        # With an open game at hand its own names are known too.
        if before is None or (state is None, str(say), game) < (before[5] is None, before[0], before[2]):
            self.kept[key] = (str(say), room, game, code, say, state)

    def save(self, path: Path) -> None:
        """Write what was kept, in the form of `companion.testing.sentences`, and which templates were parts."""
        from companion.testing.sentences import Sentence, write

        self._rests = True
        rows = []
        for _order, room, game, code, say, state in self.kept.values():
            if room.startswith("companion.games."):
                keys = _keys(room)
                own, state = (game, state) if game in keys else (next(iter(keys), ""), None)
                rows.append(Sentence(own or room, own, code, say, dict(_own_words(say, own, state))))
            else:
                rows.append(Sentence(room, game, code, say, dict(_own_words(say, game, state))))
        write(path.with_suffix(".jsonl"), rows)
        path.with_suffix(".parts").write_text("\0".join(sorted(self.parts)), encoding="utf-8")


def _inside(value: Value) -> Iterator[Say]:
    if isinstance(value, Say):
        yield value
    elif isinstance(value, Several) and value.style != "sentences":
        for item in value.items:
            yield from _inside(item)


def _shape(value: Any) -> Any:
    match value:
        case (str(), _):
            return value[0], _shape(value[1])
        case Say():
            return ("Say", value.template)
        case Name():
            return ("Name", value.kind)
        case Count():
            return ("Count", value.of.kind, value.n == 1)
        case Several():
            return (
                "Several",
                value.style,
                min(len(value.items), 3),
                *sorted({str(_shape(item)) for item in value.items}),
            )
        case _:
            return type(value).__name__


def _key(by: str, game: str, code: str, say: Say) -> Key:
    shapes = tuple(_shape(value) for value in say.values.items())
    return (by, game, code, say.template, say.many, bool(say.many) and say.values["n"] == 1, shapes)


def _frames() -> Iterator[FrameType]:
    """Yield the callers from inside out, without this module's own."""
    frame: FrameType | None = sys._getframe(1)
    for _n in range(_DEPTH):
        if frame is None:
            return
        if frame.f_globals.get("__name__") not in (__name__, "companion.core.text"):
            yield frame
        frame = frame.f_back


def _maker() -> str:
    """Return the module that made a sentence."""
    frame = next(_frames(), None)
    return str(frame.f_globals.get("__name__", "")) if frame is not None else ""


def _room(module: str) -> str:
    """Return the room of a module, a game's folder as its whole name; empty for what is no part of the program."""
    parts = module.split(".")
    if parts[0] in ("hardware", "vision"):
        return parts[0]
    if parts[0] != "companion" or len(parts) < 3 or parts[1] == "testing":
        return ""
    return ".".join(parts[:3]) if parts[1] == "games" else parts[1]


def _state_at_hand() -> GameState | None:
    """Return the open game that whoever is speaking has before them."""
    for frame in _frames():
        found: Any = frame.f_locals.get("state") or getattr(frame.f_locals.get("film"), "state", None)
        if getattr(found, "setup", None) is not None and type(found).__name__ == "GameState":
            made: GameState = found
            return made
    return None


def _keys(folder: str) -> tuple[str, ...]:
    from companion.games.registry import games_by_key

    return tuple(
        key for key, game in games_by_key().items() if game.rules.__module__.startswith(f"{folder}.")
    )


def _own_words(say: Say, game: str, state: GameState | None) -> Iterator[tuple[str, Say]]:
    """Yield the names that only the open game knows."""
    from companion.pages.i18n import language_of
    from companion.pages.modules import words_of
    from companion.pages.shared_words import SHARED
    from companion.pages.speak import Voice
    from companion.pages.steps import step_say
    from companion.testing.sentences import leaves

    words, speaker = words_of(game), Voice(language_of("en"), game, state)
    for value in leaves(say):
        name = value.of if isinstance(value, Count) else value
        if not isinstance(name, Name):
            continue
        own = words.name(name, state) if words.name is not None else None
        if own is None and (words.word(name.kind, name.id) or SHARED.word(name.kind, name.id)):
            continue
        if own is None and name.kind == "step" and state is not None and name.id in state.itinerary:
            own = step_say(state.itinerary.steps[state.itinerary.index(StepId(name.id))])
        text = speaker._word(name) if own is None else None
        if own is not None:
            told = own if isinstance(own, Say) else Say("{name}", name=own)
            yield f"{name.kind}.{name.id}", told
            yield from _own_words(told, game, state)
        elif text is not None:
            yield f"{name.kind}.{name.id}", Say(text)


def _order(one: Sentence) -> tuple[bool, str, str]:
    return (not one.names, str(one.say), one.game)


def collected(folder: Path) -> list[Sentence]:
    """Return what all workers kept: of each sentence one example, and none that is only ever a part of another."""
    from companion.testing.sentences import read

    parts = {text for path in folder.glob("*.parts") for text in path.read_text(encoding="utf-8").split("\0")}
    kept: dict[Key, Sentence] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for one in read(path):
            key = _key(one.by, "", one.code, one.say)
            before = kept.get(key)
            if before is None or _order(one) < _order(before):
                kept[key] = one
    told = {(one.by, one.say.template) for one in kept.values() if one.code}
    return [
        one
        for one in kept.values()
        if one.code or (one.say.template not in parts | OF_TESTS and (one.by, one.say.template) not in told)
    ]


_recorder = Recorder()


def _install() -> None:
    plain = Say._fill

    def filled(self: Say, template: str, many: str, values: Any) -> None:
        plain(self, template, many, values)
        _recorder.made(self)

    Say._fill = filled  # type: ignore[method-assign]

    class Rejected(rules.Rejected, frozen=True):
        def __post_init__(self) -> None:
            _recorder.refused(self)

    rules.Rejected = Rejected  # type: ignore[misc]
    from companion.core import decide as deciding

    decide = deciding.decide

    def decided(one: Any, state: GameState, command: Any, ctx: Any) -> Any:
        decision = decide(one, state, command, ctx)
        if isinstance(decision, rules.Accepted):
            _recorder.log_line(command, state)
        return decision

    deciding.decide = decided  # type: ignore[assignment]


if os.environ.get(FOLDER):
    _install()  # at import: the tests' own helpers import the rules before any hook is called


def pytest_sessionfinish() -> None:
    """Write what was heard, one file a worker."""
    folder = os.environ.get(FOLDER)
    if folder:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        _recorder.save(Path(folder) / worker)
