"""Wrong tries of secrets: counted in a file so that a restart forgives nothing, and in memory where no file can be had.

Three tries are free; each further wrong one doubles a wait that starts at 5 s and ends at 5 min.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec

from companion.core.ids import Millis
from companion.core.scenario import Fault
from companion.core.text import Say, Typed
from companion.session.files import explain, write_whole
from companion.session.settings import read_json_object, set_aside
from companion.session.timesource import TimeSource

__all__ = ["Tell", "Tries"]

Tell = Callable[[Say, Say | None], None]
"""Tells the table what happened to the file, and what to do."""

_FREE = 3
_FIRST_WAIT_MS, _LONGEST_WAIT_MS = 5_000, 300_000
_THEN = Say("No more wrong tries are free.")


class _Wrong(msgspec.Struct, forbid_unknown_fields=True):
    wrong: int
    boot_id: str
    until_ms: Millis


class _File(msgspec.Struct, forbid_unknown_fields=True):
    tries: dict[str, _Wrong]
    check: int
    """CRC-32 of the tries."""


class Tries:
    """The wrong tries of one file, by what was tried. Thread-safe.

    A damaged file forgives nothing: it is set aside, and every wrong try then means a wait. Where the disk takes
    nothing the tries count until the program ends.
    """

    def __init__(
        self, path: Path, time: TimeSource, tell: Tell = lambda _text, _hint: None, then: Say = _THEN
    ) -> None:
        """Take the file; it is read at the first try. `tell` hears of a damaged file and of a disk that takes none."""
        self._path, self._time, self._tell, self._then = path, time, tell, then
        self._known: dict[str, _Wrong] | None = None
        self._at_first = 0
        self._is_saved = True
        self._lock = threading.RLock()

    def wait_ms(self, key: str) -> Millis:
        """Return how long no try is looked at; 0 when one may be made now. After a restart the whole wait runs again."""
        with self._lock:
            found = self._all().get(key)
            if found is None or found.wrong < _FREE:
                return 0
            if found.boot_id != self._time.boot_id:
                return self._note(key, found.wrong)
            return min(max(0, found.until_ms - self._time.now_ms()), _wait_after(found.wrong))

    def wrong(self, key: str) -> Millis:
        """Count one wrong try more and return the wait that follows it."""
        with self._lock:
            found = self._all().get(key)
            return self._note(key, (self._at_first if found is None else found.wrong) + 1)

    def right(self, key: str) -> None:
        """Forget the wrong tries before a right one."""
        with self._lock:
            if self._all().pop(key, None) is not None:
                self._write()

    def _all(self) -> dict[str, _Wrong]:
        if self._known is None:
            self._known = self._read()
        return self._known

    def _note(self, key: str, wrong: int) -> Millis:
        wait = _wait_after(wrong)
        self._all()[key] = _Wrong(wrong, self._time.boot_id, self._time.now_ms() + wait)
        self._write()
        return wait

    def _read(self) -> dict[str, _Wrong]:
        found, warning = read_json_object(self._path, self._then)
        if warning is None:
            try:
                if "check" not in found:  # written before there was a check sum
                    return msgspec.convert(found, dict[str, _Wrong])
                file = msgspec.convert(found, _File)
                if file.check == _check(file.tries):
                    return file.tries
                what = Fault(self._path.name, "check", file.check, _check(file.tries))
            except msgspec.ValidationError as error:
                what = Fault(self._path.name, "", Say("wrong tries"), Typed(str(error)))
            warning = set_aside(self._path, (what,), self._then)
        self._at_first = _FREE - 1
        self._tell(warning, None)
        return {}

    def _write(self) -> None:
        tries = self._all()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            stored = msgspec.json.encode(_File(tries, _check(tries))) if tries else b"{}"
            write_whole(self._path, stored)
        except OSError as fault:
            if self._is_saved:
                why, hint = explain(fault)
                text = Say("Wrong tries cannot be saved: {why}. They count until the program ends", why=why)
                self._tell(text, hint)
            self._is_saved = False
        else:
            self._is_saved = True


def _check(tries: dict[str, _Wrong]) -> int:
    return zlib.crc32(msgspec.json.encode(tries, order="deterministic"))


def _wait_after(wrong: int) -> Millis:
    if wrong < _FREE:
        return 0
    return min(_LONGEST_WAIT_MS, _FIRST_WAIT_MS << min(wrong - _FREE, 10))
