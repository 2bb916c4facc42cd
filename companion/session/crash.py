"""Crash files: what we need to know to mend a fault, and nothing that a player typed in secret."""

from __future__ import annotations

import contextlib
import faulthandler
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from companion.session.files import free_path, write_whole

__all__ = ["CrashFolder"]

_KEPT = 20


class CrashFolder:
    """Writes one text file a crash and keeps the newest twenty.

    Only the kind of the exception, its text, the places in the code and the versions are written: no local
    values, no command's arguments.
    """

    def __init__(self, folder: Path, app_version: str) -> None:
        """Take the folder; it is made when it is needed."""
        self._folder, self._app_version = folder, app_version

    def write(self, fault: BaseException, where: str) -> Path | None:
        """Write a crash file and return it; None when the disk does not take it (the fault itself matters more)."""
        now = datetime.now(UTC)
        lines = [
            f"Table Companion {self._app_version}",
            f"when: {now.isoformat(timespec='seconds')}",
            f"where: {where}",
            f"python: {platform.python_version()} on {platform.platform()}",
            "",
            *traceback.format_exception(fault),
        ]
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            path = free_path(self._folder / f"crash {now:%Y-%m-%d %H%M%S}.txt")
            write_whole(path, "\n".join(lines).encode())
            for old in sorted(self._folder.glob("crash *.txt"), key=lambda p: p.stat().st_mtime)[:-_KEPT]:
                old.unlink()
            return path
        return None

    def watch(self) -> Callable[[], None]:
        """Write a file for every exception that nobody caught, in any thread, and for a crash below Python.

        Call the result to stop watching.
        """
        before, before_thread = sys.excepthook, threading.excepthook

        def on_exception(
            kind: type[BaseException], fault: BaseException, trace: TracebackType | None
        ) -> None:
            if isinstance(fault, Exception):
                self.write(fault, "the main thread")
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
        """Let the interpreter write its stack when it dies of a signal; a run that ends well leaves no file."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = free_path(self._folder / f"crash {datetime.now(UTC):%Y-%m-%d %H%M%S} hard.txt")
            file = path.open("w", encoding="utf-8")
        except OSError:
            return lambda: None
        file.write(f"Table Companion {self._app_version}, python {platform.python_version()}\n")
        file.flush()
        faulthandler.enable(file)

        def end() -> None:
            faulthandler.disable()
            file.close()
            with contextlib.suppress(OSError):
                path.unlink()

        return end
