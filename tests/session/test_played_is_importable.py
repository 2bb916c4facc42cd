"""What an open game accepts, its export can be imported: one set of bounds, at the table and at the door."""

from __future__ import annotations

import enum
import os
import random
import tempfile
import types
import typing
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from session_helpers import VERSION, Room, press, rules_of

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.commands import Command
from companion.core.ids import ARBITER, TABLE, Actor, Side
from companion.core.rules import Code
from companion.core.text import Say
from companion.session import bounds
from companion.session.game_session import GameSession
from companion.session.importing import decided
from companion.session.portable import portable_bytes, read_portable
from companion.session.replay import state_digest
from companion.session.timesource import ManualTime

_CATALOGUE = GameCatalogue()
_SCENARIOS = [("sfw96", "italy"), ("sfw1", ""), ("aana", ""), ("tsu", ""), ("med", "")]
_NUMBERS = (0, 1, 2, 3, 6, 12, -1, 99, 100_000, 100_001, 1 << 31, 1 << 46, (1 << 46) + 1, 10**30, -(10**30))
_TEXTS = ("", "x", "N", "\0", "../../x", "é" * 90, "w" * 99_000, "w" * 100_001, "\ud800")


def absurd(now: int) -> tuple[Command, ...]:
    """Commands that no screen sends, with values that no file may hold."""
    return (
        cm.Undo(at_ms=now, to_seq=10**30),
        cm.Undo(at_ms=now, to_seq=-(10**30)),
        cm.ResumeGame(at_ms=now, last_ms=-(1 << 47), gap_ms=None),
        cm.ResumeGame(at_ms=now, last_ms=0, gap_ms=1 << 47),
        cm.ResumeGame(at_ms=now, last_ms=1 << 60, gap_ms=-(10**40)),
        cm.StopForSleep(at_ms=now, last_ms=-(1 << 47), gap_ms=1),
        cm.StopForSleep(at_ms=now, last_ms=now, gap_ms=1 << 47),
        cm.CorrectTime(Side("allies"), 1 << 47, now),
        cm.CorrectTime(Side("allies"), -(10**30), now),
        cm.Pause(-(1 << 47)),
        cm.AddNote("w" * 100_001),
        cm.AddNote("n", to_seq=10**20),
        cm.AddNote("\ud800"),
        cm.Pause(now, reason=typing.cast(str, 5)),
    )


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: this is about bounds, not about the disk."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


def is_importable(session: GameSession, folder: Path, rules_of: Any) -> None:
    """The export of a game, as it stands now, comes in and is the same game."""
    path = folder / "out.jsonl"
    path.write_bytes(portable_bytes(session.entries(), session.codec, VERSION))
    timeline, _codec = decided(read_portable(path, is_whole=True), rules_of, VERSION)
    assert state_digest(timeline.state) == state_digest(session.change.state)


@pytest.mark.parametrize("number", range(len(absurd(0))))
def test_an_absurd_value_is_refused_at_the_table_as_at_the_import(room: Room, number: int) -> None:
    session = room.new()
    for _ in range(3):
        press(session)
    change = session.ask(Envelope(absurd(session.time.now_ms())[number], ARBITER, "touch")).result(20)
    if change.rejected is not None:
        assert change.rejected.code != "bug"
    is_importable(session, room.folder, rules_of)
    press(session)
    session.close()
    room.open().close()


def test_a_game_that_is_as_long_as_a_file_may_be_can_still_be_stopped(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_ENTRIES", 1_005)
    session = room.new()
    changes = [press(session) for _ in range(8)]
    refused = changes[-1].rejected
    assert refused is not None
    assert refused.code == Code.BAD_VALUE
    assert isinstance(refused.detail, Say)
    assert session.ask(Envelope(cm.Pause(session.time.now_ms()), TABLE, "touch")).result(20).rejected is None
    is_importable(session, room.folder, rules_of)


@pytest.mark.long
def test_a_game_never_grows_beyond_what_can_be_opened_and_imported(memory: Path) -> None:
    room = Room(memory)
    session, dice = room.new(), random.Random(1)
    for _ in range(80):
        text = "".join(dice.choices("".join(map(chr, range(33, 127))), k=99_000))
        change = session.ask(Envelope(cm.AddNote(text), TABLE, "touch")).result(20)
        if change.rejected is not None:
            break
    assert change.rejected is not None
    assert session.ask(Envelope(cm.Pause(session.time.now_ms()), TABLE, "touch")).result(20).rejected is None
    is_importable(session, memory, rules_of)
    session.close()
    room.open().close()
    room.close()


def vocabulary(session: GameSession) -> list[str]:
    """Every short text that stands in the setup: ids of steps, sides, units, places, rulings."""
    found: set[str] = set()
    left: list[Any] = [msgspec.to_builtins(session.change.state.setup)]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            found.update(one)
            left.extend(one.values())
        elif isinstance(one, list | tuple):
            left.extend(one)
        elif isinstance(one, str) and len(one) < 60:
            found.add(one)
    return sorted(found)


def value_of(kind: Any, dice: random.Random, words: list[str], depth: int = 0) -> Any:
    """Return some value of a type, now and then one that nobody would give."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if hasattr(kind, "__supertype__"):
        return value_of(kind.__supertype__, dice, words, depth)
    if origin is typing.Literal:
        return dice.choice(inside)
    if origin in (typing.Union, types.UnionType):
        return value_of(dice.choice(inside), dice, words, depth)
    if origin is tuple and inside[-1:] != (...,):
        return tuple(value_of(one, dice, words, depth + 1) for one in inside)
    if origin in (tuple, list, frozenset, set):
        items = [value_of(inside[0], dice, words, depth + 1) for _ in range(dice.choice((0, 1, 1, 2, 3)))]
        return typing.cast(Any, origin)(items)
    if isinstance(origin, type) and issubclass(origin, typing.cast(Any, typing.Mapping)):
        return {value_of(inside[0], dice, words, 9): value_of(inside[1], dice, words, 9) for _ in range(2)}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return built(kind, dice, words, depth + 1)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return dice.choice(list(kind))
    if kind is type(None):
        return None
    if kind is bool:
        return dice.random() < 0.6
    if kind is int:
        return dice.choice(_NUMBERS[:6] if dice.random() < 0.7 else _NUMBERS)
    if kind is float:
        return float(dice.choice(_NUMBERS[:9]))
    if kind is str:
        return dice.choice(words if dice.random() < 0.9 else _TEXTS)
    if kind is Any:
        return dice.choice((1, 2.5, "x", [1], {"a": [[[]]]}, None, 10**30))
    raise TypeError(kind)


def built(kind: type[msgspec.Struct], dice: random.Random, words: list[str], depth: int = 0) -> Any:
    """Return some value of a Struct, its defaults mostly kept."""
    hints = typing.get_type_hints(kind)
    given = {
        field.encode_name: value_of(hints[field.name], dice, words, depth)
        for field in msgspec.structs.fields(kind)
        if field.required or dice.random() < 0.4
    }
    return kind(**given)


def any_command(session: GameSession, dice: random.Random, words: list[str]) -> Command:
    """Return some command of the core or of the game, aimed at the step that is current."""
    kinds = [kind for kind in session.codec.command_types.values() if kind is not cm.StartGame]
    kind = dice.choice(kinds)
    command: Command = built(kind, dice, words)
    fields = {field.name for field in msgspec.structs.fields(kind)}
    now: dict[str, Any] = {}
    if "step" in fields and dice.random() < 0.9:
        now["step"] = session.change.state.step.id
    if "at_ms" in fields and dice.random() < 0.9:
        now["at_ms"] = session.time.now_ms()
    return msgspec.structs.replace(command, **now)


def play(folder: Path, game: str, seed: int, count: int) -> Counter[str]:
    """Send what comes by chance to a game, and import its export at the end; return what was taken, by kind."""
    scenario = dict(_SCENARIOS)[game] or next(
        one.scenario for one in _CATALOGUE.scenarios() if one.game == game
    )
    dice, time, taken = random.Random(seed), ManualTime(1_000_000), Counter[str]()
    path = folder / f"{game}-{seed}.tcgame"
    setup = _CATALOGUE.make_setup(game, scenario, {})
    session = GameSession.create(path, setup, _CATALOGUE.rules_of, time, app_version=VERSION)
    words = vocabulary(session)
    sides = [Actor(side.id) for side in setup.sides]
    for _ in range(count):
        time.advance(dice.choice((0, 10, 900, 30_000)))
        if dice.random() < 0.3:
            command: Command = cm.EndAct(session.change.state.step.id, time.now_ms(), confirmed=True)
        else:
            command = any_command(session, dice, words)
            if isinstance(command, cm.EndGame) and dice.random() < 0.9:
                continue
        actor = dice.choice((TABLE, ARBITER, *sides))
        change = session.ask(Envelope(command, actor, "touch")).result(20)
        if change.rejected is None:
            taken[type(command).__name__] += 1
        else:
            assert change.rejected.code != "bug", (command, change.rejected)
        if len(session.entries()) % 40 == 0:
            is_importable(session, folder, _CATALOGUE.rules_of)
    is_importable(session, folder, _CATALOGUE.rules_of)
    session.close()
    GameSession.open(path, _CATALOGUE.rules_of, time, app_version=VERSION).close()
    return taken


@pytest.mark.parametrize("game", [game for game, _ in _SCENARIOS])
def test_what_a_game_takes_can_be_imported(memory: Path, game: str) -> None:
    taken = play(memory, game, seed=7, count=120)
    assert len(taken) > 4


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("game", [game for game, _ in _SCENARIOS])
def test_whatever_a_game_takes_can_be_imported(memory: Path, game: str, seed: int) -> None:
    play(memory, game, seed=seed, count=1_500)
