"""The folder of saved games: list, name, throw away, export and import."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from companion.core.codec import Codec
from companion.core.history import Entry, Timeline
from companion.core.setup import Setup
from companion.core.text import Say, Typed
from companion.session.bounds import safe_stem
from companion.session.errors import (
    JournalLockedError,
    JournalMissingError,
    JournalUnreadableError,
    SessionError,
)
from companion.session.files import copy_verified, explain, free_path, sync_folder
from companion.session.game_file import lock_path
from companion.session.game_session import RulesOf, fold
from companion.session.importing import TryOut, decided
from companion.session.journal import SUFFIX, Heartbeat, Journal, finish_recovery, is_open_elsewhere, log_path
from companion.session.portable import PORTABLE_SUFFIX, portable_bytes, read_portable
from companion.session.summary import Summary, summary_of

__all__ = ["Exported", "ReadGame", "Shelf", "StoredGame"]


class ReadGame(NamedTuple):
    """A saved game that was read without being opened for play."""

    timeline: Timeline
    codec: Codec
    loss: Say | None
    """What a damaged file has lost, one sentence; None when the file is sound."""


class Exported(NamedTuple):
    """A portable file that was written."""

    path: Path
    loss: Say | None
    """What the saved game has lost and the file therefore lacks, one sentence; None when it is whole."""


class StoredGame(NamedTuple):
    """A game file as the shelf lists it."""

    path: Path
    summary: Summary
    saved_wall_ms: int
    fault: Say | None = None
    """Why it cannot be opened, and what to do; None when it can."""


class Shelf:
    """Saved games in one folder. Not thread-safe; the game that is open in this program is listed as locked."""

    def __init__(self, folder: Path, rules_of: RulesOf, app_version: str = "") -> None:
        """Take the folder; it is made when the first game is."""
        self.folder = folder
        self._rules_of = rules_of
        self._app_version = app_version
        self._known: dict[tuple[Path, int, int, bool], StoredGame] = {}

    def new_path(self, setup: Setup, wall_ms: int) -> Path:
        """Return a free name for a new game, by date and scenario; makes the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        day = datetime.fromtimestamp(wall_ms / 1000).strftime("%Y-%m-%d")
        stem = safe_stem(f"{day} {setup.game} {setup.scenario}")
        return free_path(self.folder / f"{stem}{SUFFIX}")

    def games(self) -> tuple[StoredGame, ...]:
        """Return every saved game, newest first; broken files stand in the list with their fault."""
        if not self.folder.is_dir():
            return ()
        for rebuilt in self.folder.glob(f".*{SUFFIX}.rebuilt"):
            finish_recovery(self.folder / rebuilt.name[1 : -len(".rebuilt")])
        paths = [path for path in self.folder.glob(f"*{SUFFIX}") if ".damaged" not in path.suffixes]
        games = [self._game(path) for path in paths]
        return tuple(sorted(games, key=lambda game: (-game.saved_wall_ms, game.path.name)))

    def delete(self, path: Path) -> Path:
        """Move a game to the bin and return where it is now. JournalLockedError while it is open."""
        if is_open_elsewhere(path):
            raise JournalLockedError(
                Say("{file} is open", file=Typed(path.name)), Say("close the game first")
            )
        target_folder = path.parent / "bin"
        target_folder.mkdir(exist_ok=True)
        target = free_path(target_folder / path.name)
        if log_path(path).exists():
            log_path(path).replace(log_path(target))
        path.replace(target)
        path.with_name(f".{path.name}.lock").unlink(missing_ok=True)
        sync_folder(target_folder)
        sync_folder(path.parent)
        return target

    def read(self, path: Path) -> ReadGame:
        """Fold a saved game without opening it for play; of a damaged one, what can be read.

        Raises what `Journal.open` raises; nothing is written beside it.
        """
        if not path.exists():
            raise JournalMissingError(
                Say("there is no game file {file}", file=Typed(str(path))),
                Say("it may have been moved or deleted"),
            )
        if not path.is_file():
            raise JournalUnreadableError(
                Say(
                    "{file}: expected a saved game (a file that ends in {suffix}), got a folder",
                    file=Typed(str(path)),
                    suffix=Typed(SUFFIX),
                ),
                Say("name the file inside it"),
            )
        if is_open_elsewhere(path):
            raise JournalLockedError(
                Say("{file} is open in another Table Companion", file=Typed(path.name)),
                Say("close it there first"),
            )
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / path.name
            for source, target in ((path, copy), (log_path(path), log_path(copy))):
                try:
                    if source.exists():
                        target.write_bytes(source.read_bytes())
                except OSError as fault:
                    raise JournalUnreadableError(
                        Say("{file} cannot be read: {why}", file=Typed(str(path)), why=explain(fault)[0]),
                        Say("check its permissions, or copy it again"),
                    ) from fault
            journal = Journal.open(copy)
            # The copy that is kept aside goes with the scratch folder: it is not to be named.
            loss = None if journal.recovery is None else journal.recovery._replace(kept=None).text
            with contextlib.closing(journal):
                return ReadGame(*fold(journal, self._rules_of), loss)

    def export(self, path: Path, to: Path) -> Exported:
        """Write a saved game as one portable file into a folder, or under a name, and read it back.

        A damaged game is written as far as it can be read. CopyError when the place does not take it.
        """
        timeline, codec, loss = self.read(path)
        return Exported(self.export_entries(timeline.entries, codec, to, path.stem), loss)

    def export_entries(self, entries: Sequence[Entry], codec: Codec, to: Path, stem: str) -> Path:
        """Write entries as a portable file; `to` is a folder or the file's name."""
        target = free_path(to / f"{stem}{PORTABLE_SUFFIX}") if to.is_dir() else to
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(scratch) / target.name
            source.write_bytes(portable_bytes(entries, codec, self._app_version))
            copy_verified(source, target)
        return target

    def import_file(self, path: Path, try_out: TryOut | None = None) -> Path:
        """Take an exported game into the folder and return its game file.

        FileValueError names what is wrong, and nothing is left then; see `decided` for what is asked of a file.
        """
        timeline, codec = decided(
            read_portable(path, is_whole=True), self._rules_of, self._app_version, try_out
        )
        entries, newest = timeline.entries, timeline.entries[-1]
        summary = msgspec.json.encode(summary_of(timeline.state, newest.at_ms)).decode()
        self.folder.mkdir(parents=True, exist_ok=True)
        target = free_path(self.folder / f"{safe_stem(path.stem)}{SUFFIX}")
        try:
            journal = Journal.create(target, entries, codec)
            try:
                journal.beat(
                    Heartbeat(newest.boot_id, newest.at_ms, newest.wall_ms, newest.seq, True, summary)
                )
            finally:
                journal.close()
        except BaseException:
            for left in (target, log_path(target), lock_path(target)):
                left.unlink(missing_ok=True)
            raise
        return target

    def _game(self, path: Path) -> StoredGame:
        try:
            stat = path.stat()
            has_log = log_path(path).exists()
        except OSError as fault:
            return StoredGame(path, Summary(), 0, SessionError(*explain(fault)).say)
        key = (path, stat.st_mtime_ns, stat.st_size, has_log)
        known = self._known.get(key)
        if known is None:
            known = self._looked_at(path, int(stat.st_mtime * 1000), has_log)
            if not known.fault:
                self._known[key] = known
        return known

    def _looked_at(self, path: Path, modified_ms: int, has_log: bool) -> StoredGame:
        quick = None if has_log else _quick_look(path)
        if quick is not None:
            return StoredGame(path, quick[0], quick[1])
        try:
            timeline = self.read(path).timeline
        except SessionError as fault:
            return StoredGame(path, Summary(), modified_ms, fault.say)
        newest = timeline.entries[-1]
        return StoredGame(path, summary_of(timeline.state, newest.at_ms), newest.wall_ms)


def _quick_look(path: Path) -> tuple[Summary, int] | None:
    """Read the summary of a game that was put away in order; None when it must be folded."""
    if is_open_elsewhere(path):
        return None
    try:
        uri = f"file:{quote(str(path))}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
            seq, wall_ms, text = connection.execute("SELECT seq, wall_ms, summary FROM heartbeat").fetchone()
            (newest,) = connection.execute("SELECT max(seq) FROM entries").fetchone()
        summary = msgspec.json.decode(text, type=Summary)
    except (sqlite3.Error, TypeError, ValueError, msgspec.MsgspecError):
        return None
    return (summary, int(wall_ms)) if seq == newest else None
