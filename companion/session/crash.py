"""Crash files: what we need to know to mend a fault, and nothing that a player typed in secret."""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import os
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from companion.session.files import free_path, read_at_most, write_whole

__all__ = ["CrashFolder"]

_KEPT = 20
_ENDED = ".ended"
"""Names the crash file of the fault that ended the program, until the next start has told of it."""
_NO_GAME = "game: none"
_ABOUT_BYTES = 160
_MOST_NAME = 255
_BELOW = "The program is running. A fault that ends it below Python is written here:"


class CrashFolder:
    """Writes one text file a crash and keeps the newest twenty.

    Only the kind of the exception, its text, the places in the code, the versions and what `note` was told are
    written: no local values, no command's arguments.
    """

    def __init__(
        self, folder: Path, app_version: str, on_unsaved: Callable[[str], None] = lambda _report: None
    ) -> None:
        """Take the folder; it is made when it is needed.

        `on_unsaved` hears, in the thread of the fault, a report that the disk did not take, to show it.
        """
        self._folder, self._app_version, self._on_unsaved = folder, app_version, on_unsaved
        self._about = _NO_GAME
        self._running: int | None = None
        self._about_at = 0
        self.unsaved = ""
        """The first report that the disk did not take, whole; empty when there is none. It is tried again with the next."""

    def note(self, game: str, entry: int, command: str) -> None:
        """Note what every crash file names from now on: the open game's key, its newest entry, the last command's type.

        An empty key: no game is open. Callable from any thread, cheap enough for every command.
        """
        self._about = f"game: {game}, entry: {entry}, last command: {command or 'none'}" if game else _NO_GAME
        if self._running is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._running, _padded(self._about), self._about_at)

    def write(
        self, fault: BaseException, where: str, *, ends_program: bool = False, is_shown: bool = True
    ) -> Path | None:
        """Write a crash file and return it; None when the disk does not take it: then `unsaved` has what it would say.

        With `ends_program` the next `take_ended` tells of it, and nobody else can; without `is_shown` nobody does:
        what shows it has failed.
        """
        now = datetime.now(UTC)
        lines = [
            f"Table Companion {self._app_version}",
            f"when: {now.isoformat(timespec='seconds')}",
            f"where: {where}",
            self._about,
            f"python: {platform.python_version()} on {platform.platform()}",
            "",
            *_stack(fault),
        ]
        text = "\n".join(lines)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if self.unsaved:
                write_whole(self._path(now), self.unsaved.encode(errors="replace"))
                self.unsaved = ""
            path = self._path(now)
            write_whole(path, text.encode(errors="replace"))
        except OSError:
            self.unsaved = self.unsaved or text
            with contextlib.suppress(OSError, ValueError):
                print(text, file=sys.stderr)
            if is_shown and not ends_program:
                self._on_unsaved(self.unsaved)
            return None
        with contextlib.suppress(OSError):
            if ends_program:
                write_whole(self._folder / _ENDED, path.name.encode())
            others = [old for old in self._folder.glob("crash *.txt") if old != path]
            for old in sorted(others, key=lambda old: old.stat().st_mtime)[: 1 - _KEPT]:
                old.unlink()
        return path

    def _path(self, now: datetime) -> Path:
        return free_path(self._folder / f"crash {now:%Y-%m-%d %H%M%S}.txt")

    def take_ended(self) -> Path | None:
        """Return the crash file of the fault that ended the program last time, once; None when it ended well.

        A program that was killed, or whose machine lost its power, left no fault and counts as ended well here.
        """
        found: Path | None = None
        with contextlib.suppress(OSError, ValueError):
            note = self._folder / _ENDED
            if note.exists():
                found = self._folder / read_at_most(note, _MOST_NAME).decode()
                note.unlink()
        with contextlib.suppress(OSError):
            for left in sorted(one for one in self._folder.glob("running *.txt") if one.is_file()):
                found = self._kept_of(left) or found
        return found if found is not None and found.is_file() else None

    def _kept_of(self, left: Path) -> Path | None:
        """Return the crash file made of what a dead program left; None when it holds no fault or its program lives."""
        with left.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return None
            if not file.read().partition(_BELOW.encode())[2].strip():
                left.unlink()
                return None
            died = datetime.fromtimestamp(left.stat().st_mtime, UTC)
            path = free_path(self._folder / f"crash {died:%Y-%m-%d %H%M%S} hard.txt")
            left.replace(path)
            return path

    def watch(self) -> Callable[[], None]:
        """Write a file for every exception that nobody caught, in any thread, and for a crash below Python.

        Call the result to stop watching.
        """
        before, before_thread = sys.excepthook, threading.excepthook

        def on_exception(
            kind: type[BaseException], fault: BaseException, trace: TracebackType | None
        ) -> None:
            if isinstance(fault, Exception):
                self.write(fault, "the main thread", ends_program=True)
            before(kind, fault, trace)

        def on_thread_exception(args: threading.ExceptHookArgs) -> None:
            if isinstance(args.exc_value, Exception):
                self.write(args.exc_value, f"thread {args.thread.name if args.thread else ''}")
            before_thread(args)

        sys.excepthook, threading.excepthook = on_exception, on_thread_exception
        end_hard = self._watch_hard_crashes()

        def stop() -> None:
            sys.excepthook, threading.excepthook = before, before_thread
            end_hard()

        return stop

    def _watch_hard_crashes(self) -> Callable[[], None]:
        """Let the interpreter write its stack when it dies of a signal; a run that ends well leaves no file.

        The file must be open before anything goes wrong. It is named for what it is, and its lock says that the
        program lives; `take_ended` makes a crash file of it when there is a fault in it.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = free_path(self._folder / f"running {os.getpid()}.txt")
            file = path.open("wb", buffering=0)
        except OSError:
            return lambda: None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            head = f"Table Companion {self._app_version}, python {platform.python_version()}\n".encode()
            text = head + _padded(self._about) + f"\n{_BELOW}\n".encode()
            if file.write(text) < len(text):
                raise OSError("the disk is full")
        except OSError:
            file.close()
            with contextlib.suppress(OSError):
                path.unlink()
            return lambda: None
        self._running, self._about_at = file.fileno(), len(head)
        faulthandler.enable(file)

        def end() -> None:
            faulthandler.disable()
            self._running = None
            file.close()
            with contextlib.suppress(OSError):
                path.unlink()

        return end


def _padded(about: str) -> bytes:
    """Return a line of always the same length, so that it can be written over in place."""
    return about.encode(errors="replace")[:_ABOUT_BYTES].ljust(_ABOUT_BYTES)


def _stack(fault: BaseException) -> tuple[str, ...]:
    """Return where a fault and those that led to it arose, the first one first, and their types.

    What they say is left out: it may quote what was typed.
    """
    found: list[str] = []
    one: BaseException | None = fault
    seen: set[int] = set()
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        kind = type(one)
        found.insert(
            0, "".join(traceback.format_tb(one.__traceback__)) + f"{kind.__module__}.{kind.__qualname__}"
        )
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    return tuple(found)
