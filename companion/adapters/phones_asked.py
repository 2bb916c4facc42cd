"""What ``companion phones`` asks of the program that runs: a file with the question, a file with the answer, in the folder of keys.

No socket and no thread, so a program whose phones are off has neither; the program looks for the file twice a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from companion.pages.phones import Phones, Sitting
from companion.pages.speak import speak
from companion.session.files import read_at_most, write_whole
from companion.session.limits import MOST_SMALL_BYTES

__all__ = ["PhonesAsked", "Question", "Told", "What", "ask_file", "told_file"]

What = Literal["on", "off", "status", "kick", "lock", "open"]
_LOOK_S = 0.5
"""The program looks so often."""
_OLD_S = 15.0
"""A question that is older than this was asked of a program that did not run."""


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is asked."""

    id: str
    what: What
    value: str = ""
    """The address for ``on``; the side, or ``arbiter``, for ``kick``."""


class Told(msgspec.Struct, frozen=True):
    """The answer to one question: what was wrong with it, and how phones stand now (`PhonesState`)."""

    id: str
    fault: str = ""
    why_off: str = ""
    addresses: tuple[str, ...] = ()
    is_on: bool = False
    is_connected: bool = False
    is_locked: bool = False
    address: str = ""
    code: str = ""
    watching: int = 0
    seats: tuple[Sitting, ...] = ()
    wishes: tuple[Sitting, ...] = ()


_SHOWN = ("is_on", "is_connected", "is_locked", "address", "code", "watching", "seats", "wishes")
"""What is told of `PhonesState`."""


def ask_file(home: Path) -> Path:
    """Return where a question lies."""
    return home / "keys" / "phones.ask"


def told_file(home: Path) -> Path:
    """Return where its answer lies."""
    return home / "keys" / "phones.told"


class PhonesAsked:
    """The program's end."""

    def __init__(self, home: Path, phones: Phones) -> None:
        """Answer for the phones of a program whose data folder is `home`."""
        self._ask, self._told, self._phones = ask_file(home), told_file(home), phones

    def follow(self, every: Callable[[Callable[[float], None], float], object]) -> None:
        """Look from now on; `every` calls on the interface thread, with the seconds gone by, each so many seconds."""
        every(lambda _gone_s: self.look(), _LOOK_S)

    def look(self) -> None:
        """Answer a question where one lies; what is none is taken away. On the interface thread."""
        try:
            asked_at_s = self._ask.stat().st_mtime
            data = read_at_most(self._ask, MOST_SMALL_BYTES)
            self._ask.unlink()
            question = msgspec.json.decode(data, type=Question)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return
        if abs(time.time() - asked_at_s) < _OLD_S:
            fault = self._do(question)
            state = self._phones.state
            told = Told(
                question.id,
                fault,
                speak(state.fault) if state.fault is not None else "",
                self._phones.addresses(),
                **{name: getattr(state, name) for name in _SHOWN},
            )
            try:
                write_whole(self._told, msgspec.json.encode(told), mode=0o600)
            except OSError:  # a full disk, or no file in its place: whoever asked hears nothing, and says so
                with suppress(OSError):
                    self._told.unlink(missing_ok=True)

    def _do(self, question: Question) -> str:
        phones = self._phones
        state = phones.state
        match question.what:
            case "on" if not state.is_on:
                phones.look()
                found = phones.addresses()
                if question.value and question.value not in found:
                    return f"{question.value} is no address of this machine"
                own = [one for one in found if not one.startswith("127.")]
                if not question.value and len(own) != 1:
                    return "name the network" if own else "this machine has no network that a phone could use"
                phones.turn_on(question.value or own[0])
            case "off":
                phones.turn_off()
            case "kick":
                token = next((one.token for one in state.seats if one.seat == question.value), None)
                if token is None:
                    return f"no phone holds {question.value!r}"
                phones.seat("kick", token)
            case "lock" | "open":
                if not state.is_on:
                    return "phones are off"
                phones.seat(question.what)
            case _:
                pass
        return ""
