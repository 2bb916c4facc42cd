"""Phones on the box, whose program has no network at all: the system opens the port, starts the gateway, tells the addresses."""

from __future__ import annotations

import ipaddress
import os
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["BoxPhones"]

_GATEWAY_USER = "companion-phones"
_MOST_BYTES, _MOST_ADDRESSES = 1000, 8
_FRESH_S, _ASKED_S = 10.0, 4.0


class BoxPhones:
    """What the system does for phones, asked for by a word each."""

    def __init__(self, folder: Path, ask: Callable[[str], bool]) -> None:
        """Take the program's runtime folder and what hands a word to the system (`hardware.requests`)."""
        self.folder, self._ask = folder, ask
        self._asked_at_s: dict[str, float] = {}

    def start(self) -> None:
        """Have the port opened and the gateway started; asked again while none has called."""
        self._say("phoneson")

    def stop(self) -> None:
        """Have both ended."""
        self._asked_at_s.clear()
        self._ask("phonesoff")

    def look(self) -> None:
        """Have the addresses written down anew where they are old."""
        try:
            age_s = time.time() - (self.folder / "addresses").stat().st_mtime
        except OSError:
            age_s = _FRESH_S
        if not 0 <= age_s < _FRESH_S:
            self._say("addresses")

    def addresses(self) -> tuple[str, ...]:
        """Return the box's private addresses as they were written down last."""
        try:
            with open(self.folder / "addresses", encoding="ascii") as file:
                lines = file.read(_MOST_BYTES).split()
        except (OSError, UnicodeDecodeError):
            return ()
        return tuple(line for line in lines[:_MOST_ADDRESSES] if _is_private(line))

    def may_call(self, uid: int) -> bool:
        """Say whether a caller of this user is the gateway."""
        import pwd

        if uid == os.getuid():
            return True
        try:
            return uid == pwd.getpwnam(_GATEWAY_USER).pw_uid
        except KeyError:
            return False

    def _say(self, word: str) -> None:
        now_s = time.monotonic()
        if now_s - self._asked_at_s.get(word, -_ASKED_S) >= _ASKED_S:
            self._asked_at_s[word] = now_s
            self._ask(word)


def _is_private(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.version == 4 and address.is_private and not address.is_loopback
