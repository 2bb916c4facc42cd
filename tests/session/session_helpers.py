"""What the session's tests share: a small game and a room in which it is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from companion.core.change import Change, Envelope
from companion.core.commands import Command, EndAct
from companion.core.history import Entry, Timeline
from companion.core.ids import TABLE, Actor
from companion.core.rules import GameRules
from companion.session.chain import Claim, chained, digest_of
from companion.session.game_file import put_in_place
from companion.session.game_session import GameSession, fold
from companion.session.journal import Heartbeat, Journal, witness_path
from companion.session.rows import Row
from companion.session.timesource import ManualTime
from companion.testing.sample import sample_setup

__all__ = ["GAME", "RULES", "VERSION", "Room", "do", "press", "put_rows", "rules_of", "stored", "timeline_of"]

RULES = GameRules()
GAME = "sample"
VERSION = "1.2.3"


def rules_of(game: str) -> GameRules:
    """Every game of these tests goes by its sequence of play alone."""
    if game != GAME:
        raise KeyError(game)
    return RULES


def do(session: GameSession, command: Command, actor: Actor = TABLE, source: str = "touch") -> Change:
    """Send a command and wait for its answer."""
    return session.ask(Envelope(command, actor, source)).result(30)


def press(session: GameSession, **fields: Any) -> Change:
    """Press the main button now."""
    return do(session, EndAct(step=session.change.state.step.id, at_ms=session.time.now_ms(), **fields))


def timeline_of(path: Path) -> Timeline:
    """Fold a game file that nobody has open."""
    journal = Journal.open(path)
    try:
        return fold(journal, rules_of)[0]
    finally:
        journal.close()


def stored(path: Path) -> list[Entry]:
    """Read the entries of a game file that nobody has open."""
    return timeline_of(path).entries


def put_rows(path: Path, rows: list[Row]) -> None:
    """Write rows into a game file, chained anew, as another version would have written them; forget the witness."""
    game = rows[0].game
    whole = list(chained(rows, game))
    beat = Heartbeat("boot-1", whole[-1].at_ms, whole[-1].wall_ms, len(whole), True)
    put_in_place(path, whole, beat, Claim(game, len(whole), digest_of(whole[-1]), 1)).close()
    witness_path(path).unlink(missing_ok=True)


class Room:
    """A folder, a hand-moved clock, and the sessions that were opened in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.time = ManualTime(1_000)
        self.crashes: list[tuple[BaseException, str]] = []
        self._sessions: list[GameSession] = []

    def new(
        self,
        name: str = "game.tcgame",
        *,
        rules: GameRules = RULES,
        refuge: Path | None = None,
        turn: int = 0,
        arbiter_pin: str = "",
        **options: Any,
    ) -> GameSession:
        """Start the sample game; `arbiter_pin` names what checks the arbiter's PIN."""
        session = GameSession.create(
            self.folder / name,
            replace(sample_setup(**options), game=GAME, arbiter_hash=arbiter_pin),
            lambda _game: rules,
            self.time,
            app_version=VERSION,
            on_crash=lambda fault, where: self.crashes.append((fault, where)),
            refuge=refuge,
            turn=turn,
        )
        self._sessions.append(session)
        return session

    def open(self, name: str = "game.tcgame", refuge: Path | None = None, turn: int = 0) -> GameSession:
        """Open a saved game."""
        session = GameSession.open(
            self.folder / name, rules_of, self.time, app_version=VERSION, refuge=refuge, turn=turn
        )
        self._sessions.append(session)
        return session

    def close(self) -> None:
        """Close every session."""
        for session in self._sessions:
            session.close()
