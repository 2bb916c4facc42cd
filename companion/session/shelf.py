"""The folder of saved games: list, name, throw away, export and import."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from companion.core import commands as cm
from companion.core import events as ev
from companion.core.codec import Codec
from companion.core.history import Entry, Timeline
from companion.core.ids import Millis
from companion.core.setup import Setup
from companion.core.text import Say, Typed, several
from companion.session.bounds import safe_stem
from companion.session.errors import (
    CopyError,
    JournalLockedError,
    JournalMissingError,
    JournalUnreadableError,
    SessionError,
)
from companion.session.files import (
    copy_verified,
    explain,
    free_path,
    one_at_a_time,
    read_at_most,
    real_path,
    scratch_folder,
)
from companion.session.game_file import lock_path, look_at_kinds, too_large
from companion.session.game_session import RulesOf, fold
from companion.session.importing import TryOut, decided
from companion.session.journal import (
    SUFFIX,
    Heartbeat,
    Journal,
    finish_recovery,
    is_open_elsewhere,
    log_path,
    witness_path,
)
from companion.session.limits import MOST_FILE_BYTES
from companion.session.moving import dropped, free_game_path, held, move_game, own_folder
from companion.session.outcome import made_by
from companion.session.pictures import copy_pictures
from companion.session.portable import PORTABLE_SUFFIX, portable_bytes, read_portable
from companion.session.reading import peek_beat
from companion.session.summary import Summary, summary_of

__all__ = ["Bin", "Exported", "Imported", "ReadGame", "Shelf", "StoredGame"]

_MOST_MADE = 3
"""By so many other rules a game is said to be played; a file from elsewhere may name others in every entry."""


class ReadGame(NamedTuple):
    """A saved game that was read without being opened for play."""

    timeline: Timeline
    codec: Codec
    loss: Say | None
    """What a damaged file has lost, one sentence; None when the file is sound."""
    beat: Heartbeat | None = None


class Exported(NamedTuple):
    """A portable file that was written."""

    path: Path
    loss: Say | None
    """What the saved game has lost and the file therefore lacks, one sentence; None when it is whole."""


class Imported(NamedTuple):
    """A portable game that was taken in."""

    path: Path
    own: str
    """The program and the rules here, as `made_by` writes them."""
    others: tuple[str, ...]
    """Those by which some of its entries were made; empty where all were made by these."""

    @property
    def told(self) -> Say | None:
        """Say by which other rules it was played: what was decided by them stays."""
        if not self.others:
            return None
        left_off = ("…",) if len(self.others) > _MOST_MADE else ()
        made = several((Typed(one or "?") for one in (*self.others[:_MOST_MADE], *left_off)), "comma")
        return Say(
            "played by the rules of version {made}, here {own}; what they decided stays",
            made=made,
            own=Typed(self.own),
        )


class StoredGame(NamedTuple):
    """A game file as the shelf lists it."""

    path: Path
    summary: Summary
    saved_wall_ms: int
    fault: Say | None = None
    """Why it cannot be opened, and what to do; None when it can."""
    boot_id: str = ""
    at_ms: Millis = 0
    """The boot, and the instant in it, at which it was saved last."""


_BIN = "bin"


class Bin(NamedTuple):
    """The games that were deleted."""

    games: int
    bytes: int


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
        """Return every saved game, newest first; broken files stand in the list with their fault.

        Newest is what was opened last on this box, whatever its clock of day said then.
        """
        if not self.folder.is_dir():
            return ()
        for rebuilt in self.folder.glob(f".*{SUFFIX}.rebuilt"):
            with contextlib.suppress(OSError):  # a read-only card still shows its other games
                finish_recovery(self.folder / rebuilt.name[1 : -len(".rebuilt")])
        paths = [path for path in self.folder.glob(f"*{SUFFIX}") if ".damaged" not in path.suffixes]
        games = [self._game(path) for path in paths]
        return tuple(_newest_first(games))

    def next_turn(self) -> int:
        """Return the turn of the game that is opened next."""
        return 1 + max((game.summary.turn for game in self.games()), default=0)

    def bin(self) -> Bin:
        """Return how many games lie in the bin and what they take; nothing where it cannot be read."""
        games = taken = 0
        for place, _folders, files in os.walk(self.folder / _BIN):
            for name in files:
                games += name.endswith(SUFFIX)
                with contextlib.suppress(OSError):
                    taken += os.lstat(os.path.join(place, name)).st_size
        return Bin(games, taken)

    def empty_bin(self) -> None:
        """Delete what lies in the bin for good, photos too. OSError when the place does not let go of it."""
        if (self.folder / _BIN).exists():
            dropped(self.folder / _BIN)

    def delete(self, path: Path) -> Path:
        """Move a game to the bin, with all that belongs to it, and return where it is now; where that fails all stays.

        JournalLockedError while it is open, and nobody opens it meanwhile.
        """
        try:
            with held(path):
                target = free_game_path(own_folder(path.parent / _BIN) / path.name)
                move_game(path, target)
                lock_path(path).unlink(missing_ok=True)
        except JournalLockedError:
            raise JournalLockedError(
                Say("{file} is open", file=Typed(path.name)), Say("close the game first")
            ) from None
        return target

    def restore(self, binned: Path, path: Path) -> Path:
        """Take a game out of the bin and return where it is now: where it was, or beside what lies there since."""
        target = free_game_path(path)
        move_game(binned, target)
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
        path = real_path(path)
        look_at_kinds(path)
        with _scratch() as scratch:
            copy = scratch / path.name
            for name_of in (Path, log_path, witness_path):
                source, target = name_of(path), name_of(copy)
                try:
                    if not source.exists():
                        continue
                    data = read_at_most(source, MOST_FILE_BYTES)
                    if len(data) > MOST_FILE_BYTES:
                        raise too_large(path)
                except OSError as fault:
                    if name_of is witness_path:
                        continue
                    raise JournalUnreadableError(
                        Say("{file} cannot be read: {why}", file=Typed(str(path)), why=explain(fault)[0]),
                        Say("check its permissions, or copy it again"),
                    ) from fault
                _put(target, data)
            journal = Journal.open(copy)
            # The copy that is kept aside goes with the scratch folder: it is not to be named.
            loss = None if journal.recovery is None else journal.recovery._replace(kept=None).text
            with contextlib.closing(journal):
                return ReadGame(*fold(journal, self._rules_of), loss, journal.heartbeat())

    def export(self, path: Path, to: Path) -> Exported:
        """Write a saved game as one portable file into a folder, or under a name, and read it back.

        A damaged game is written as far as it can be read. CopyError when the place does not take it.
        """
        timeline, codec, loss, _beat = self.read(path)
        return Exported(self.export_entries(timeline.entries, codec, to, path.stem), loss)

    def export_entries(self, entries: Sequence[Entry], codec: Codec, to: Path, stem: str) -> Path:
        """Write entries as a portable file; `to` is a folder or the file's name."""
        folder = to if to.is_dir() else to.parent
        with one_at_a_time(folder), tempfile.TemporaryDirectory() as scratch:
            target = free_path(to / f"{stem}{PORTABLE_SUFFIX}") if to.is_dir() else to
            source = Path(scratch) / target.name
            source.write_bytes(portable_bytes(entries, codec, made_by(self._app_version, codec.rules)))
            copy_verified(source, target)
        return target

    def import_file(self, path: Path, try_out: TryOut | None = None) -> Path:
        """Take an exported game into the folder and return its game file, as `import_game` does."""
        return self.import_game(path, try_out).path

    def import_game(self, path: Path, try_out: TryOut | None = None) -> Imported:
        """Take an exported game into the folder, and tell by which other rules it was played.

        FileValueError names what is wrong, and nothing is left then; see `decided` for what is asked of a file.
        """
        timeline, codec = decided(
            read_portable(path, is_whole=True), self._rules_of, self._app_version, try_out
        )
        own = made_by(self._app_version, timeline.rules)
        others = tuple(
            dict.fromkeys(entry.app_version for entry in timeline.entries if entry.app_version != own)
        )
        return Imported(self._put_away(timeline, codec, path.stem), own, others)

    def branch(self, game: ReadGame, name: str, seq: int, *, path: Path | None = None) -> Path:
        """Copy a game up to an entry, that one included, as a game of its own that says what it was copied from.

        Undo counts as it did then. CopyError for an entry that the game does not have, OSError where there is no
        room; nothing is left then.

        Args:
            name: Name of the original, for the copy's own name and for its setup.
            seq: The last entry that is kept.
            path: The original's file, whose photos up to there are kept with the copy too.
        """
        entries = game.timeline.entries[:seq]
        if not 0 < seq <= len(game.timeline.entries):
            raise CopyError(
                Say("{game} has no entry {n}", game=Typed(name), n=seq),
                Say("its entries are 1 to {last}", last=len(game.timeline.entries)),
            )
        first = entries[0]
        if not isinstance(first.command, cm.StartGame):
            raise CopyError(Say("{game} does not begin with its start", game=Typed(name)))
        setup = replace(first.command.setup, what_if=name)
        events = tuple(
            replace(event, setup=setup) if isinstance(event, ev.GameStarted) else event
            for event in first.events
        )
        begun = replace(first, command=replace(first.command, setup=setup), events=events)
        timeline = Timeline(game.timeline.rules, (begun, *entries[1:]))
        return self._put_away(timeline, game.codec, f"{name} what if", photos=path)

    def _put_away(self, timeline: Timeline, codec: Codec, stem: str, *, photos: Path | None = None) -> Path:
        """Write a whole game as a new file of the folder, with another's photos; where that fails nothing is left."""
        entries, newest = timeline.entries, timeline.entries[-1]
        summary = msgspec.json.encode(summary_of(timeline.state, newest.at_ms, self.next_turn())).decode()
        self.folder.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(self.folder):
            target = free_path(self.folder / f"{safe_stem(stem)}{SUFFIX}")
            try:
                journal = Journal.create(target, entries, codec)
                try:
                    journal.beat(
                        Heartbeat(newest.boot_id, newest.at_ms, newest.wall_ms, newest.seq, True, summary)
                    )
                finally:
                    journal.close()
                if photos is not None:
                    copy_pictures(photos, target, newest.seq)
            except (JournalLockedError, FileExistsError):
                raise  # what has that name is another program's
            except BaseException:
                for left in (target, log_path(target), lock_path(target), witness_path(target)):
                    left.unlink(missing_ok=True)
                raise
        return target

    def _game(self, path: Path) -> StoredGame:
        legible = path.name.encode(errors="replace").decode()
        if legible != path.name:
            fault = Say("{file}: the name is not text in UTF-8; rename the file", file=Typed(legible))
            return StoredGame(path, Summary(title=Path(legible).stem), 0, fault)
        try:
            stat = path.stat()
            has_log = log_path(real_path(path)).exists()
        except OSError as fault:
            return StoredGame(path, Summary(), 0, SessionError(*explain(fault)).say)
        key = (path, stat.st_mtime_ns, stat.st_size, has_log)
        known = self._known.get(key)
        if known is None:
            known = self._looked_at(path, int(stat.st_mtime * 1000), stat.st_size, has_log)
            if not known.fault:
                self._known[key] = known
        return known

    def _looked_at(self, path: Path, modified_ms: int, size: int, has_log: bool) -> StoredGame:
        if size > MOST_FILE_BYTES:
            return StoredGame(path, Summary(), modified_ms, too_large(path).say)
        quick = _quick_look(path) if not has_log and path.is_file() else None
        if quick is not None:
            summary, beat = quick
            return StoredGame(path, summary, beat.wall_ms, None, beat.boot_id, beat.at_ms)
        try:
            timeline, _codec, _loss, last = self.read(path)
        except SessionError as fault:
            return StoredGame(path, Summary(), modified_ms, fault.say)
        newest = timeline.entries[-1]
        summary = summary_of(timeline.state, newest.at_ms, _told_by(last).turn)
        return StoredGame(path, summary, newest.wall_ms, None, newest.boot_id, newest.at_ms)


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """Lend a folder to read a copy in; JournalUnreadableError where the machine has no room for one."""
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(scratch_folder())
        except OSError as fault:
            raise _no_scratch(fault) from fault
        yield folder


def _put(target: Path, data: bytes) -> None:
    try:
        target.write_bytes(data)
    except OSError as fault:
        raise _no_scratch(fault) from fault


def _no_scratch(fault: OSError) -> JournalUnreadableError:
    why, hint = explain(fault)
    return JournalUnreadableError(Say("no copy of it can be made for reading: {why}", why=why), hint)


def _newest_first(games: Iterable[StoredGame]) -> list[StoredGame]:
    """Sort by turn; games of one turn by the time of day, and those of one boot by its own clock, which never goes back."""
    by_day = sorted(games, key=lambda game: (-game.summary.turn, -game.saved_wall_ms, game.path.name))
    boots: dict[tuple[int, str], list[StoredGame]] = {}
    for game in by_day:
        boots.setdefault((game.summary.turn, game.boot_id), []).append(game)
    newest = {
        key: iter(sorted(held, key=lambda game: -game.at_ms) if key[1] else held)
        for key, held in boots.items()
    }
    return [next(newest[game.summary.turn, game.boot_id]) for game in by_day]


def _quick_look(path: Path) -> tuple[Summary, Heartbeat] | None:
    """Read the summary of a game that was put away in order; None when it must be folded."""
    if is_open_elsewhere(path):
        return None
    beat = peek_beat(path, is_for_list=True)
    summary = _told_by(None if beat is None else beat.heartbeat)
    return None if beat is None or summary == Summary() else (summary, beat.heartbeat)


def _told_by(beat: Heartbeat | None) -> Summary:
    """Return the summary in a heartbeat; an empty one where it holds none."""
    try:
        return Summary() if beat is None else msgspec.json.decode(beat.summary, type=Summary)
    except (msgspec.MsgspecError, RecursionError):
        return Summary()
