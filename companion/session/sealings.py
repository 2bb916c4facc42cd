"""Which notes this box has sealed, by game: what tells that a log has lost one of them.

A game file proves what stands in it, not what was cut out of it: whoever writes an export anew can leave out the newer of two
notes. The box that sealed both still knows their commitments. It keeps no note, no key and no PIN.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from companion.core.scenario import Fault
from companion.core.text import Say, Typed
from companion.session.files import explain, write_whole
from companion.session.settings import read_json_object, set_aside
from companion.session.tries import Tell

__all__ = ["Sealings"]

_MOST_NOTES = 4_000
"""Notes that are remembered, those of the games sealed in last; an evening has a few dozen at most."""
_SIGNS = 32
"""Of a commitment: 128 bits of its digest."""
_THEN = Say("Which notes were sealed here before is not known anymore.")


class _File(msgspec.Struct, forbid_unknown_fields=True):
    made: dict[str, list[str]]
    check: int
    """CRC-32 of the rest."""


class Sealings:
    """The commitments of the notes sealed on this box, by what they were sealed for. One thread at a time.

    A damaged file is set aside and told; where the disk takes nothing they are known until the program ends.
    """

    def __init__(self, path: Path, tell: Tell = lambda _text, _hint: None) -> None:
        """Take the file; it is read when it is first asked."""
        self._path, self._tell = path, tell
        self._known: dict[str, list[str]] | None = None

    def note(self, of: str, commitment: str) -> None:
        """Remember a note that has been sealed; `of` names its game and whose it is."""
        made = self._all()
        made[of] = [*made.pop(of, ()), commitment[:_SIGNS]]  # what was sealed for last is forgotten last
        while sum(map(len, made.values())) > _MOST_NOTES and len(made) > 1:
            del made[next(iter(made))]
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, msgspec.json.encode(_File(made, _check(made))), mode=0o600)
        except OSError as fault:
            why, hint = explain(fault)
            self._tell(Say("That a note was sealed could not be remembered: {why}", why=why), hint)

    def lacking(self, of: str, commitments: frozenset[str]) -> int:
        """Return how many notes were sealed here for something, of which none of some commitments is one."""
        there = {commitment[:_SIGNS] for commitment in commitments}
        return sum(one not in there for one in self._all().get(of, ()))

    def _all(self) -> dict[str, list[str]]:
        if self._known is None:
            self._known = self._read()
        return self._known

    def _read(self) -> dict[str, list[str]]:
        found, warning = read_json_object(self._path, _THEN)
        if warning is None:
            if not found:
                return {}
            try:
                file = msgspec.convert(found, _File)
                if file.check == _check(file.made):
                    return file.made
                what = Fault(self._path.name, "check", file.check, _check(file.made))
            except msgspec.ValidationError as error:
                what = Fault(self._path.name, "", Say("the notes sealed here"), Typed(str(error)))
            warning = set_aside(self._path, (what,), _THEN)
        self._tell(warning, None)
        return {}


def _check(made: dict[str, list[str]]) -> int:
    return zlib.crc32(msgspec.json.encode(made))
