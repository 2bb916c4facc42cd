"""Phones on and off: the port that the Phones page uses. What serves them is imported, and runs, only while they are on.

An evening is kept in a file while phones are on, so that a program that was killed goes on with it: same code, same cookies.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from companion.adapters.child_port import ChildPort
from companion.adapters.phone_evening import (
    EVENING_S,
    Kept,
    new_code,
    read_wifi,
    square,
    square_of,
    sum_of,
    wifi_text,
)
from companion.core.text import Name, Say, Typed
from companion.pages.desk import Notice
from companion.pages.dice import Photo
from companion.pages.dice_eye import DiceEye, NoEye
from companion.pages.dice_phone import RollSeen
from companion.pages.phones import PhonesDraft, PhonesState, WifiCode
from companion.session.files import explain, read_at_most, write_whole
from companion.session.limits import MOST_SMALL_BYTES
from companion.session.timesource import SystemTime

if TYPE_CHECKING:
    from companion.adapters.phone_server import Serving
    from companion.adapters.phones_box import BoxPhones

__all__ = [
    "PORT",
    "PhoneLink",
    "running_s",
    "runtime_folder",
]

PORT = 8765
_KEPT = "phones.json"
_OWN_NETWORK = "10.42.0."
"""Addresses of the table's own Wi-Fi begin so."""


def running_s() -> float:
    """Return for how many seconds the machine runs, its sleep included; nobody can set this clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def runtime_folder() -> Path:
    """Return this user's own folder for sockets, made where it is missing. OSError where it is somebody else's."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(base) / "table-companion" if base else Path("/tmp") / f"table-companion-{os.getuid()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077 or folder.is_symlink():
        raise PermissionError(13, "the folder for sockets is open to others", str(folder))
    return folder


class PhoneLink(ChildPort[PhonesState]):
    """The `Phones` port of a machine whose app starts the gateway itself."""

    name = "phones"
    _serving: Serving | None

    def __init__(
        self,
        desk: Any,
        keys: Path,
        *,
        post: Callable[[Callable[[], None]], None],
        wall_ms: Callable[[], int],
        on_fault: Callable[[BaseException], object] = lambda _fault: None,
        folder: Callable[[], Path] = runtime_folder,
        port: int = PORT,
        is_once: bool = False,
        notify: Callable[[Notice], None] = lambda _notice: None,
        clock: Callable[[], float] = running_s,
    ) -> None:
        """Wait to be turned on; see `ChildPort`.

        Args:
            wall_ms: Wall time, for labels.
            port: The first port to try.
            is_once: A code lets one browser in; the next needs another one.
            clock: For how many seconds the machine runs.
        """
        super().__init__(
            desk, keys, PhonesState(), post=post, on_fault=on_fault, folder=folder, notify=notify
        )
        self.wall_ms, self._port, self.is_once, self.clock = wall_ms, port, is_once, clock
        self._boot = SystemTime().boot_id
        self.box: BoxPhones | None = None
        """What the system does where this is a box; None: the program starts the gateway itself."""
        self.eye: DiceEye = NoEye()
        """Reads photos of dice; the program sets it."""

    # The port

    def addresses(self) -> tuple[str, ...]:
        """Return this machine's private addresses, its own loopback last; on a box there is none for itself alone."""
        if self.box is not None:
            return self.box.addresses()
        return (*_private_addresses(), "127.0.0.1")

    def look(self) -> None:
        """Look again at which addresses there are; whoever listens is told."""
        if self.box is not None and self._serving is None:
            self.box.look()
            self._tell_listeners()

    def turn_on(self, address: str) -> None:
        """Let phones ask at an address of this machine, with a new code."""
        if self._serving is not None:
            return
        made = Kept(
            secrets.token_hex(8),
            new_code(),
            secrets.token_hex(32),
            new_code(16),
            f"{address}:{self._port}",
            self.clock(),
            boot=self._boot,
        )
        self._start(made, is_new=True)

    def turn_off(self) -> None:
        """Let nobody ask anymore, and forget the evening."""
        self._stop("phones were turned off")
        with suppress(OSError):
            (self.keys / _KEPT).unlink(missing_ok=True)
        self._set(PhonesState())

    def seat(self, what: str, token: str = "") -> None:
        """Let a phone sit or not, take its side, or say whether more may ask."""
        if self._serving is not None:
            serving = self._serving
            serving.later(lambda: serving.seat(what, token))

    def go_on(self) -> None:
        """Take up the evening of a program that was killed; nothing where none was left, or it is too old."""
        try:
            kept = msgspec.json.decode(read_at_most(self.keys / _KEPT, MOST_SMALL_BYTES), type=Kept)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return
        if not kept.is_sound:
            return
        from companion.adapters.phone_seal import MOST_STARTS

        if kept.boot != self._boot:
            kept = replace(kept, boot=self._boot, since_s=self.clock() - kept.spent_s)
        if 0 <= self.clock() - kept.since_s < EVENING_S and kept.starts + 1 < MOST_STARTS:
            # The count of starts is on the disk before anything is sealed: no nonce comes twice.
            self._start(replace(kept, starts=kept.starts + 1), is_new=False)
        else:
            self.turn_off()

    def close(self) -> None:
        """The evening ends with the program."""
        if self._serving is not None:
            self.turn_off()

    # Between the threads

    def socket_path(self) -> Path:
        """Return where the gateway calls this program. OSError where there is no folder for it."""
        if self.box is not None:
            return self.box.folder / "phones.sock"
        return super().socket_path()

    def _start(self, kept: Kept, *, is_new: bool) -> None:
        from companion.adapters.phone_server import Serving

        try:
            self.keep(kept)
            serving = Serving(self, kept, self.socket_path(), is_new=is_new)
        except OSError as fault:
            why = Say("Phones could not be turned on: {why}", why=explain(fault)[0])
            self._set(PhonesState(fault=why))
            return
        state = PhonesState(True, False, kept.address, kept.code, kept.tv, square_of(kept))
        self._set(
            replace(
                state, may_tournament=kept.may_tournament, seats=kept.seats, wifi=self._wifi(kept.address)
            )
        )
        self._serve(serving, serving.heard)

    def _wifi(self, address: str) -> WifiCode | None:
        """Return how to join the table's own Wi-Fi, where phones ask in it."""
        wifi = read_wifi(self.keys.parent) if address.startswith(_OWN_NETWORK) else None
        return None if wifi is None else WifiCode(wifi.name, wifi.password, square(wifi_text(wifi)))

    def moved(self, serving: Serving, **fields: Any) -> None:
        """Take what the serving thread tells of how it stands."""
        if self._serving is serving:
            self._set(replace(self._state, **fields))

    def asked(self, name: str) -> None:
        """Tell the table that somebody asks for a side."""
        text = Say("{name} asks for a seat with a phone.", name=Typed(name))
        self.tell(Notice("info", text, Say("Answer under More, Phones, Seats.")))

    def read_dice(self, serving: Serving, side: str, photo: Photo) -> None:
        """Tell the table what was read in a phone's photo, so that the other side can object."""
        values = " ".join("?" if die.value is None else str(die.value) for die in photo.dice)
        text = Say("Dice by phone, {side}: {values}", side=Name("side", side), values=Typed(values))
        hint = Say("Tap here to see the photo.")
        self.tell(Notice("info", text, hint, screen="phones", draft=PhonesDraft("dice")))
        self.moved(serving, roll=RollSeen(side, photo))

    def failed(self, serving: Serving, why: Say) -> None:
        """Take that nothing more can be served; the interface thread turns phones off."""

        def off() -> None:
            if self._serving is serving:
                self.turn_off()
                self._set(PhonesState(fault=why))

        self._post(off)

    def keep(self, kept: Kept) -> None:
        """Keep the evening for the case that this program is killed. OSError where the disk takes nothing."""
        kept = replace(kept, spent_s=self.clock() - kept.since_s)
        self.keys.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(self.keys / _KEPT, msgspec.json.encode(replace(kept, check=sum_of(kept))), mode=0o600)

    def froze(self) -> None:
        """Tell the table that what shows the phones their pages stood still."""
        text = Say("The phones' server stood still. It was started again; play goes on.")
        self.tell(Notice("warning", text))
        if self.box is not None:  # another user's: the system ends it, and starts it when it is asked again
            self.box.stop()

    def unkept(self, why: Say | Typed) -> None:
        """Tell the table that who sits where is not on the disk."""
        text = Say("Who holds a seat with a phone could not be saved: {why}", why=why)
        self.tell(Notice("warning", text, Say("Make room on the disk.")))


def _private_addresses() -> tuple[str, ...]:
    """Return the addresses of this machine's networks that are nobody else's to reach."""
    from companion.gateway.addresses import own_addresses

    return tuple(str(one) for one in own_addresses() if one.is_private and not one.is_loopback)
