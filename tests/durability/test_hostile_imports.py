"""Files from strangers: whatever an exported game was changed to, it is refused in a line and leaves nothing, or it plays.

Promise of the README: no file that is imported or opened ends the program or writes outside the data folder.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.ids import ARBITER, TABLE
from companion.pages.desk import Notice
from companion.pages.home import home_page
from companion.pages.page import TABLE_VIEWER, Sight
from companion.pages.report import report_html
from companion.session.game_session import GameSession
from companion.session.shelf import Shelf
from companion.session.timesource import ManualTime

_CATALOGUE = GameCatalogue()
_WALL_MS = 1_764_000_000_000
_GOLDEN = Path(__file__).parents[1] / "golden" / "journals" / "2026-11-italy.tcgame"
_GAMES = (
    ("sfw96", "italy", {"tournament": True}),
    ("sfw1", "first_apr43", {}),
    ("aana", "torch", {}),
    ("tsu", "campaign", {}),
    ("med", "match", {"players": 2, "names": ["A", "B"], "operations": 10, "clock": 20}),
)

Lines = list[dict[str, Any]]


def _played(folder: Path, game: str, scenario: str, options: dict[str, Any]) -> Path:
    """Play a short game of ends, notes, a pause, a correction and an undo; return its file."""
    time = ManualTime(1_000_000, boot_id="boot-1", wall_ms=_WALL_MS)
    setup = _CATALOGUE.make_setup(game, scenario, options)
    path = folder / f"{game}.tcgame"
    session = GameSession.create(path, setup, _CATALOGUE.rules_of, time, app_version="1")

    def ask(command: cm.Command, actor: Any = TABLE) -> None:
        time.advance(1_500)
        session.ask(Envelope(command, actor, "touch")).result(20)

    for number in range(12):
        step = session.change.state.step.id
        ask(cm.EndAct(step=step, at_ms=time.now_ms(), confirmed=True))
        if number == 3:
            ask(cm.AddNote(text="a note"))
            ask(cm.Pause(at_ms=time.now_ms()))
            ask(cm.Resume(at_ms=time.now_ms()))
        elif number == 5:
            ask(cm.CorrectTime(setup.sides[0].id, 1_000, time.now_ms(), "why"), ARBITER)
        elif number == 8:
            ask(cm.Undo(at_ms=time.now_ms(), confirmed=True))
    session.close()
    return path


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> list[Lines]:
    """Export a short game of each kind, and a recorded evening with battles."""
    folder = tmp_path_factory.mktemp("exports")
    shutil.copy(_GOLDEN, folder / "evening.tcgame")
    paths = [_played(folder, *one) for one in _GAMES] + [folder / "evening.tcgame"]
    shelf = Shelf(folder, _CATALOGUE.rules_of, "1")
    return [
        [json.loads(line) for line in shelf.export(path, folder).path.read_bytes().splitlines()]
        for path in paths
    ]


def _written(path: Path, lines: Lines, body: bytes | None = None) -> Path:
    """Write lines with a header that fits them, as another program would."""
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines[1:]) if body is None else body
    count = sum(bool(line.strip()) for line in body.split(b"\n"))
    head = {**lines[0], "entries": count, "sha256": hashlib.sha256(body).hexdigest()}
    path.write_bytes(json.dumps(head).encode() + b"\n" + body)
    return path


class Stranger:
    """A box on which a file is imported, listed, opened, played on, reported and put away."""

    def __init__(self, home: Path) -> None:
        self.home, self.told = home, list[Notice]()
        self.time = ManualTime(10_000_000, boot_id="boot-9", wall_ms=_WALL_MS)
        self.desk = ShellDesk(home, _CATALOGUE, post=lambda act: act(), app_version="1", time=self.time)
        self.desk.subscribe_notices(self.told.append)

    def takes(self, path: Path) -> bool:
        """Import a file and do with it what a table does; True where it was taken."""
        self.desk.import_game(path)
        self._home()
        games = sorted((self.home / "games").glob("*")) if (self.home / "games").exists() else []
        if not any(game.suffix == ".tcgame" for game in games):
            assert games == [], "a refused file leaves nothing behind"
            (notice,) = self.told
            assert notice.level == "error"
            assert path.name in str(notice.text)
            assert len(str(notice.text)) < 2_000
            return False
        (game,) = [game for game in games if game.suffix == ".tcgame"]
        self.desk.open(game)
        assert self.desk.change is not None, [str(notice.text) for notice in self.told]
        self._play_on()
        self.desk.close()
        self._home()
        return True

    def _play_on(self) -> None:
        change = self.desk.change
        assert change is not None
        report_html(change, self.desk.entries(), self.desk.counts, self.time.wall_ms())
        self.desk.check_arbiter("1234")
        now = self.time.now_ms()
        for command in (
            cm.Resume(at_ms=now),
            cm.EndAct(step=change.state.step.id, at_ms=now, confirmed=True),
            cm.Undo(at_ms=now, confirmed=True),
            cm.Redo(at_ms=now),
        ):
            self.desk.send(command)
            self.desk.session.sync()

    def _home(self) -> None:
        home_page(Sight(TABLE_VIEWER, None, None, desk=self.desk, wall_ms=self.time.wall_ms()))


def _attacked(tmp_path: Path, write: Callable[[Path], Path]) -> bool:
    """Import one changed file on a fresh box; whatever happens, nothing escapes and nothing lies outside its folder."""
    stick, home = tmp_path / "stick", tmp_path / "box" / "home"
    for folder in (tmp_path / "box", stick):
        shutil.rmtree(folder, ignore_errors=True)
    stick.mkdir()
    home.mkdir(parents=True)
    box = Stranger(home)
    taken = box.takes(write(stick / "game.jsonl"))
    assert not list((home / "crashes").glob("crash *")), "an exception was caught only at the very end"
    assert [path.name for path in (tmp_path / "box").iterdir()] == ["home"]
    return taken


def test_the_exports_themselves_are_taken(exports: list[Lines], tmp_path: Path) -> None:
    for lines in exports:
        assert _attacked(tmp_path, lambda path, lines=lines: _written(path, lines))  # type: ignore[misc]


_BIG = (2**31, 2**53, 2**63 - 1, 2**63, 2**64, 10**40, -(2**63) - 1, -1, 1e308)
_WORDS = (
    "",
    "nowhere",
    "../../../PWNED",
    "/etc/passwd",
    "..",
    "\x00",
    "a\nb",
    "\u202eabc",
    "é" * 3_000,
    "{0}",
    "%s",
    "scrypt$0$8$1$zz$00",
)
_ODD = (None, True, False, [], {}, [[]], {"": {}}, [1] * 50, {"type": "Undone", "seqs": [1]})


def _deep(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in plain data: what holds it, and its key there."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def _hostile(dice: random.Random) -> Any:
    kind = dice.random()
    if kind < 0.3:
        return dice.choice(_BIG)
    if kind < 0.65:
        return dice.choice(_WORDS)
    if kind < 0.95:
        return copy.deepcopy(dice.choice(_ODD))
    return _deep(dice.choice((30, 60, 300)))


def _change(lines: Lines, dice: random.Random) -> None:
    """Change one thing, anywhere: a value, a key, a line, the order."""
    number = dice.choice((0, 1, *range(2, len(lines)), *range(2, len(lines))))
    line = lines[number]
    kind = dice.random()
    if kind < 0.75:
        holder, key = dice.choice(list(_places(line)))
        if isinstance(holder, dict) and dice.random() < 0.1:
            holder[dice.choice(_WORDS)] = holder.pop(key)
        elif dice.random() < 0.1:
            del holder[key]
        else:
            others = [place for other in lines[2:] for place in _places(other)]
            swaps = dice.random() < 0.3 and others
            there, its = dice.choice(others) if swaps else (None, None)
            holder[key] = copy.deepcopy(there[its]) if there is not None else _hostile(dice)
    elif kind < 0.85 and number > 0:
        lines.insert(dice.randrange(1, len(lines)), copy.deepcopy(line))
    elif kind < 0.92 and number > 0:
        del lines[number]
    elif number > 1:
        other = dice.randrange(1, len(lines))
        lines[number], lines[other] = lines[other], lines[number]


def _fuzzed(path: Path, lines: Lines, dice: random.Random) -> Path:
    lines = copy.deepcopy(lines)
    if dice.random() < 0.7:  # an older version's events are taken as they stand
        for line in lines[1:]:
            line["app_version"] = "0.0.1"
    for _ in range(dice.choice((1, 1, 1, 2, 5))):
        _change(lines, dice)
    if dice.random() < 0.15:
        body = bytearray(b"".join(json.dumps(line).encode() + b"\n" for line in lines[1:]))
        for _ in range(dice.choice((1, 3))):
            if body:
                body[dice.randrange(len(body))] = dice.randrange(256)
        return _written(path, lines, bytes(body))
    return _written(path, lines)


def _fuzz(exports: list[Lines], tmp_path: Path, rounds: range) -> None:
    taken = 0
    for seed in rounds:
        dice = random.Random(seed)
        lines = dice.choice(exports)
        try:
            taken += _attacked(tmp_path, lambda path, lines=lines, dice=dice: _fuzzed(path, lines, dice))  # type: ignore[misc]
        except BaseException as fault:
            fault.add_note(f"seed {seed}")
            raise
    assert 0 < taken < len(rounds), "some changes are harmless, most are not"


def test_a_changed_export_is_refused_in_a_line_or_plays(exports: list[Lines], tmp_path: Path) -> None:
    _fuzz(exports, tmp_path, range(60))


@pytest.mark.long
def test_two_thousand_changed_exports_are_refused_or_play(exports: list[Lines], tmp_path: Path) -> None:
    _fuzz(exports, tmp_path, range(2_000))
