"""Serves phones while they are on: makes their pages off the drawing thread, and holds the socket that the gateway calls.

The gateway is a process of its own; when it is killed it is started again. Of a page only the newest frame waits for a slow
gateway, and nothing that the gateway does holds up the game.
"""

from __future__ import annotations

import base64
import logging
import os
import secrets
import selectors
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import companion
from companion.adapters.phone_caller import Caller
from companion.adapters.phone_own import TAKE_NOTE, OwnSeat
from companion.adapters.phone_seal import Act
from companion.adapters.phone_seats import PRESS_OLD_MS, Offer, Seats
from companion.adapters.phones import EVENING_S, Kept, new_code, square_of
from companion.core import clock as ck
from companion.core.change import Change
from companion.core.ids import ARBITER
from companion.core.text import Say, Typed
from companion.gateway import wire
from companion.pages.dice import Photo
from companion.pages.dice_phone import DiceRoll, read_photo
from companion.pages.html import page_html
from companion.pages.i18n import LANGUAGES, language, language_of, speaking
from companion.pages.page import OnBox, Page, Sight, Viewer
from companion.pages.phone_pages import WATCHED, WORDS, mine_page, seat_page, unsealed_page, watched_page
from companion.pages.phones import OwnCode
from companion.pages.speak import Voice
from companion.pages.viewing import sight_of
from companion.pages.watch import warning_at

if TYPE_CHECKING:
    from companion.adapters.phones import PhoneLink

__all__ = ["Serving", "drawn_symbols"]

_log = logging.getLogger(__name__)

_PORTS = 5
"""So many ports are tried, from the first one on."""
_APART_S = 0.1
"""Pages are made at most ten times a second."""
_WAIT_S = 1.5
"""So long a gateway of the program before has to call."""
_RESTARTS, _RESTARTS_S = 5, 60.0
_MOST_WANTED = 24
"""Channels that are made; there are as many pages times languages."""
_MOST_LATE = 5000
_PART, _MOST_PHOTO, _MOST_PHOTOS = 32 << 10, 6 << 20, 2
"""Bytes of a part and of a photo; photos that may come at once, and that an evening keeps from phones."""
_UNREADABLE = Say("This picture cannot be read. Take it as JPEG.")
_BOUNCE_MS = 220
"""How long a press rests where the same side acts on: as the box's button."""
_TV = "tv"
_SETTINGS = ("hide_clock", "tenths", "phones_delay_s")
"""What changes the pages without a change of the game."""
_WATCHER = Viewer("watch", may_act=False)
_EXITS: Mapping[int, Say] = {
    1: Say("Phones need a part that is not installed: table-companion[phones]."),
    2: Say("Phones cannot use this address."),
    5: Say("Program and phone server are of different versions. Restart the program."),
}


def drawn_symbols() -> frozenset[str]:
    """Return the names that the sprite has."""
    top = Path(companion.__file__).parent
    icons = (top / "gateway" / "static" / "icons.svg").read_text(encoding="utf-8").split('<symbol id="')[1:]
    units = (f"unit.{path.stem}" for path in (top / "ui" / "art" / "units").glob("*.svg"))
    return frozenset((*(one.partition('"')[0] for one in icons), *units))


class Serving:
    """The serving thread's own: socket, gateway, frames. Nobody else touches it but by `wake` and `stop`."""

    def __init__(self, link: PhoneLink, kept: Kept, path: Path, *, is_new: bool) -> None:
        self._link, self._kept, self._path = link, kept, path
        self._desk: Any = link.desk
        self._is_dirty, self._why, self._ends = True, "", threading.Event()
        self._bell, self._rope = socket.socketpair()
        self._bell.setblocking(False)
        self._rope.setblocking(False)
        path.unlink(missing_ok=True)
        for left in path.parent.glob("photo-*.jpg"):  # of a program that was killed
            left.unlink(missing_ok=True)
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.bind(str(path))
        path.chmod(0o600 if link.box is None else 0o666)  # there the caller's user is what counts
        self._door.listen(4)
        self._door.setblocking(False)
        self._gateway: Caller | None = None
        self._strangers: list[Caller] = []
        self._child: subprocess.Popen[bytes] | None = None
        self._starts: deque[float] = deque(maxlen=_RESTARTS)
        self._child_at_s = time.monotonic() + (0.0 if is_new else _WAIT_S)
        self._tried = 0
        self._wanted: tuple[str, ...] = ()
        self._rev = 0
        self._made_at_s = 0.0
        self._due_at_s: float | None = None
        self._late: dict[str, deque[tuple[float, str]]] = {}
        self._shown: dict[str, str] = {}
        self._symbols = drawn_symbols()
        self._seen: tuple[Any, ...] = ()
        self.seats = Seats(kept.seats, kept.keys, start=kept.starts)
        self._said: dict[str, tuple[int, str]] = {}
        self._photos: dict[str, bytearray] = {}
        self._does: tuple[object, ...] | None = None
        self._rests_until_ms = 0
        self._own: dict[str, tuple[str, OwnSeat]] = {}
        self._todo: deque[Callable[[Serving], None]] = deque()

    # From other threads

    def wake(self) -> None:
        """Something has changed."""
        self._is_dirty = True
        with suppress(OSError):
            self._rope.send(b"!")

    def later(self, do: Callable[[Serving], None]) -> None:
        """Have something done on the serving thread."""
        self._todo.append(do)
        self.wake()

    def stop(self, why: str) -> None:
        """Let all go."""
        self._why = why
        self._ends.set()
        with suppress(OSError):
            self._rope.send(b"!")

    # The thread

    def run(self) -> None:
        """Serve until told to stop."""
        with selectors.DefaultSelector() as self._watch:
            self._watch.register(self._bell, selectors.EVENT_READ, self._rung)
            self._watch.register(self._door, selectors.EVENT_READ, self._accept)
            try:
                while not self._ends.is_set():
                    for key, mask in self._watch.select(self._wait_s()):
                        key.data(mask)
                    self._look_after_child()
                    self._make_due()
                    self._look_at_offer()
                    if self._link.clock() - self._kept.since_s > EVENING_S:
                        self._link.failed(self, Say("The evening's phones ended after 12 hours."))
                        break
            except Exception as fault:
                self._link.on_fault(fault)
                self._link.failed(self, Say("Phones stopped because of a fault in the program."))
            finally:
                self._let_go()

    def _wait_s(self) -> float:
        now = time.monotonic()
        waits = [0.5]
        if self._is_dirty and self._wanted:
            waits.append(self._made_at_s + _APART_S - now)
        if self._due_at_s is not None:
            waits.append(self._due_at_s - now)
        waits += [queue[0][0] + self._delay_s() - now for queue in self._late.values() if queue]
        return max(0.0, min(waits))

    def _rung(self, _mask: int) -> None:
        with suppress(OSError):
            self._bell.recv(4096)
        while self._todo:
            self._todo.popleft()(self)

    def _let_go(self) -> None:
        if self._gateway is not None:
            self._gateway.say(wire.Stop(self._why))
        for caller in (*self._strangers, *((self._gateway,) if self._gateway is not None else ())):
            caller.close(self._watch)
        self._gateway, self._strangers = None, []
        for one in (self._door, self._bell, self._rope):
            one.close()
        self._path.unlink(missing_ok=True)
        if self._link.box is not None:
            self._link.box.stop()
        child = self._child
        if child is not None and child.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                child.wait(1)
                return
            child.terminate()
            with suppress(subprocess.TimeoutExpired):
                child.wait(2)
                return
            child.kill()
            child.wait()

    # The gateway's process

    def _look_after_child(self) -> None:
        """Start the gateway where none calls, and again where it was killed; give up where that does not help."""
        now = time.monotonic()
        if self._link.box is not None:
            if self._gateway is None and now >= self._child_at_s:
                self._link.box.start()
            return
        if self._child is not None:
            code = self._child.poll()
            if code is None:
                return
            self._child = None
            if code == 3 and self._tried < _PORTS - 1:  # taken by another program
                self._tried += 1
                host, _colon, port = self._kept.address.rpartition(":")
                self._keep(address=f"{host}:{int(port) + 1}")
                self._link.moved(self, address=self._kept.address, square=square_of(self._kept))
                self._child_at_s = now
            elif code == 3:
                port = self._kept.address.rpartition(":")[2]
                self._link.failed(
                    self, Say("Phones could not be turned on: port {port} is in use.", port=Typed(port))
                )
                return
            elif code in _EXITS:
                self._link.failed(self, _EXITS[code])
                return
            else:
                _log.warning("the gateway ended with %s", code)
                self._child_at_s = now + 0.2
        if self._gateway is not None or now < self._child_at_s:
            return
        if len(self._starts) == _RESTARTS and now - self._starts[0] < _RESTARTS_S:
            self._link.failed(self, Say("Phones stopped: their server ended again and again."))
            return
        self._starts.append(now)
        command = [sys.executable, "-m", "companion", "gateway", "--socket", str(self._path)]
        command += ["--bind", self._kept.address]
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=Path(companion.__file__).parents[1],
        )

    # The socket

    def _accept(self, _mask: int) -> None:
        with suppress(OSError):
            made, _address = self._door.accept()
            made.setblocking(False)
            _pid, uid, _gid = struct.unpack("3i", made.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            box = self._link.box
            is_known = uid == os.getuid() if box is None else box.may_call(uid)
            if not is_known or len(self._strangers) >= 4:
                _log.warning("a caller of user %s was turned away", uid)
                made.close()
                return
            caller = Caller(made)
            self._strangers.append(caller)
            self._watch.register(made, selectors.EVENT_READ, lambda mask: self._hear(caller, mask))

    def _hear(self, caller: Caller, mask: int) -> None:
        try:
            if mask & selectors.EVENT_WRITE:
                caller.flush()
            for said in caller.hear() if mask & selectors.EVENT_READ else ():
                self._answer(caller, wire.decode_up(said))
        except (OSError, wire.WireError) as fault:
            if str(fault):
                _log.warning("the gateway hung up: %s", fault)
            self._lose(caller)
            return
        caller.watch(self._watch, lambda mask: self._hear(caller, mask))

    def _lose(self, caller: Caller) -> None:
        caller.close(self._watch)
        if caller in self._strangers:
            self._strangers.remove(caller)
        if caller is self._gateway:
            self._gateway, self._wanted = None, ()
            self._said.clear()
            self._child_at_s = time.monotonic() + 0.2
            self._link.moved(self, is_connected=False, watching=0)

    def _answer(self, caller: Caller, said: wire.Up) -> None:
        match said:
            case wire.Greeting():
                self._greet(caller, said)
            case _ if caller is not self._gateway:
                raise wire.WireError("a caller spoke before it said who it is")
            case wire.Wanted():
                fresh = said.channels[:_MOST_WANTED]
                is_more = not set(fresh) <= set(self._wanted)
                self._wanted = fresh
                self._is_dirty |= is_more
                if is_more:
                    self._said.clear()
                self._made_at_s = 0.0 if is_more else self._made_at_s
                self._link.moved(self, watching=said.phones)
            case wire.Joined():
                if self._link.is_once:
                    self._keep(code=new_code())
                    self._link.moved(self, code=self._kept.code, square=square_of(self._kept))
                    self._tell_evening()
            case wire.Pressed():
                self._press(said)
            case wire.Scanned():
                self._scan(said)
            case wire.SealedPress():
                self._press_sealed(said)
            case wire.PhotoPart():
                self._take_part(said)
            case wire.Ask():
                self._said.pop(said.channel, None)
                self._make((said.channel,), is_asked=True)

    # Seats

    def seat(self, what: str, token: str) -> None:
        """Do what the table says of a phone's seat."""
        match what:
            case "yes" | "no":
                self.seats.answer(token, is_let_in=what == "yes")
            case "kick":
                self.seats.kick(token)
            case "own" if token in (*self._sides(), ARBITER):
                self.seats.offer_own(token, time.monotonic())
            case "own_done":
                self.seats.offer = None
            case "presses" | "no_presses":
                self._let_press(is_on=what == "presses")
            case _:
                self.seats.lock(is_locked=what == "lock")
        self._tell_seats()

    def _let_press(self, *, is_on: bool) -> None:
        """Let both sides' own phones press in a tournament, or neither's."""
        self._keep(may_tournament=is_on)
        self._is_dirty = True

    def _for_arbiter(self, act: OnBox) -> bool:
        """Do what the arbiter's phone has the box do."""
        if act.what != "phones_presses":
            return False
        self._let_press(is_on=bool(act.args["is_on"]))
        self._tell_seats()
        return True

    def _sides(self) -> tuple[str, ...]:
        """Return the sides of the open game."""
        change = self._desk.change
        if change is None or change.state.setup is None:
            return ()
        return tuple(info.id for info in change.state.setup.sides)

    def _look_at_offer(self) -> None:
        """Put a code away that nobody scanned in time."""
        offer = self.seats.offer
        if offer is not None and time.monotonic() > offer.until_s:
            self.seats.offer = None
            self._tell_seats()

    def _scan(self, said: wire.Scanned) -> None:
        """Let the phone that scanned a side's own code have that side."""
        is_taken = self.seats.scan(said.token, said.ticket, "", time.monotonic())
        if is_taken:
            self._tell_seats()
        self._answer_phone(said.token, is_taken=is_taken)

    def _press_sealed(self, said: wire.SealedPress) -> None:
        """Take a sealed act. What cannot be opened, or was taken before, does nothing."""
        found = self.seats.open(said.token, said.sealed)
        if isinstance(found, Act):
            found = self._keep_counts(said.token) and found
        if isinstance(found, Act):
            self._do(said.token, found, said.at_ms)
        elif self.seats.line(said.token) is None:
            self._tell_seats()
        self._is_dirty = True
        self._answer_phone(said.token, is_taken=bool(found))

    # Photos

    def _take_part(self, said: wire.PhotoPart) -> None:
        """Put the parts of a photo together; one that is too large, or lacks a part, is dropped."""
        held = self._photos.pop(said.token, bytearray()) if said.number else bytearray()
        if len(held) != said.number * _PART or len(held) + len(said.data) > _MOST_PHOTO:
            self._answer_phone(said.token, is_taken=False)
            return
        held += said.data
        if not said.is_last:
            self._photos[said.token] = held
            while len(self._photos) > _MOST_PHOTOS:
                self._photos.pop(next(iter(self._photos)))
            return
        found = self.seats.open_photo(said.token, bytes(held))
        if found is not None and not self._keep_counts(said.token):
            found = None
        if found is not None:
            act, photo = found
            self._use_photo(self._own_seat(self.seats.seat_of(said.token)), act, photo)
        self._is_dirty = True
        self._answer_phone(said.token, is_taken=found is not None)

    def _keep_counts(self, token: str) -> bool:
        """Keep what was taken before anything is done, so that a program that is killed takes nothing twice.

        Where the disk takes nothing, nothing is done, and the phone is told why.
        """
        kept = msgspec.structs.replace(self._kept, keys=self.seats.keys)
        try:
            self._link.keep(kept)
        except OSError as fault:
            line = self.seats.line(token)
            if line is not None:
                line.give_back()
            why = Typed(fault.strerror or str(fault))
            self._own_seat(self.seats.seat_of(token)).say(
                Say("Nothing was done, since nothing can be saved: {why}", why=why)
            )
            return False
        self._kept = kept
        return True

    def _keep(self, **fields: Any) -> None:
        """Keep the evening as it is now; where the disk takes nothing it goes on, and the table is told."""
        self._kept = msgspec.structs.replace(self._kept, **fields)
        try:
            self._link.keep(self._kept)
        except OSError as fault:
            self._link.unkept(fault.strerror or str(fault))

    def _use_photo(self, own: OwnSeat, act: Act, photo: bytes) -> None:
        change = self._desk.change
        if change is None or change.state.setup is None or act.at != own.stamp:
            own.say(Say("The table has moved on."))
            return
        if act.act == TAKE_NOTE:
            own.say(Say("One moment …"))
            seq, game = change.seq, self._desk.path
            self._work(lambda: self._keep_photo(game, seq, photo), lambda told: own.say(told or _UNREADABLE))
            return
        roll = own.roll
        if roll is None:
            own.say(Say("The table has moved on."))
        elif ck.is_tournament(change.state.clocks) and not self._kept.may_tournament:
            own.say(Say("In a tournament only the box reads dice."))
        else:
            self._read_dice(own, roll, photo)

    def _photo_file(self, photo: bytes) -> Path:
        """Lay a photo where the program's own files of a moment are, for nobody else to read."""
        path = self._path.with_name(f"photo-{secrets.token_hex(8)}.jpg")
        try:
            with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(photo)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        return path

    def _keep_photo(self, game: Path, seq: int, photo: bytes) -> Say:
        """Keep a photo of the evening beside the game, shrunk and without where and when; say how it went."""
        from companion.adapters.game_pictures import add_picture, keep_picture

        def keep() -> None:
            path = self._photo_file(photo)
            try:
                add_picture(game, seq, path)
            finally:
                path.unlink(missing_ok=True)

        return keep_picture(game, keep) or Say("The photo is kept with the evening.")

    def _read_dice(self, own: OwnSeat, roll: DiceRoll, photo: bytes) -> None:
        """Have the dice of a photo read; what is read stands on that phone, and on the box as a notice."""
        try:
            path = self._photo_file(photo)
        except OSError as fault:
            why = Typed(fault.strerror or str(fault))
            own.say(Say("The photo could not be kept: {why}", why=why))
            return

        def put(change: Callable[[DiceRoll], DiceRoll]) -> None:
            def do(_serving: Serving) -> None:
                path.unlink(missing_ok=True)
                now = own.roll
                if now is not None:
                    own.put_roll(change(now))

            self.later(do)

        def done(found: Photo) -> None:
            self._link.read_dice(own.side, found)
            put(lambda now: read_photo(now, found))

        def failed(why: str) -> None:
            put(lambda now: msgspec.structs.replace(now, is_reading=False, fault=why))

        own.put_roll(msgspec.structs.replace(roll, is_reading=True, read=None, fault=""))
        self._link.eye.look(
            f"photo:{path}", roll.kind, roll.asked, done=done, failed=failed, progress=lambda _part: None
        )

    def _answer_phone(self, token: str, *, is_taken: bool) -> None:
        if self._gateway is not None:
            self._gateway.say(wire.Answered(token, is_taken))

    def _do(self, token: str, act: Act, at_ms: int) -> None:
        """Do what a phone at its own seat asks for; a press that comes late counts for nothing, as one by cable does."""
        now_ms, own = self._desk.now_ms(), self._own_seat(self.seats.seat_of(token))
        if not now_ms - PRESS_OLD_MS <= at_ms <= now_ms:
            own.say(Say("That came too late. Press again."))
        elif not self._rests(act.act, at_ms):
            own.press(act.act, act.answers, at_ms, act.at)

    def _own_seat(self, side: str) -> OwnSeat:
        """Return a side's own screen; it is forgotten with the phone that held it."""
        token = next(token for token, one in self.seats.held.items() if one.seat == side)
        held = self._own.get(side)
        if held is None or held[0] != token:
            held = self._own[side] = (
                token,
                OwnSeat(
                    side,
                    lambda command, actor: self._desk.send(command, actor=actor, source="phone"),
                    self._work,
                    self._for_arbiter,
                ),
            )
        held[1].may_tournament = self._kept.may_tournament
        return held[1]

    def _work(self, run: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do something slow beside, such as trying a PIN, then go on here with what came of it."""

        def worker() -> None:
            made = None
            try:
                made = run()
            except Exception as fault:
                self._link.on_fault(fault)
            self.later(lambda _serving: then(made))

        threading.Thread(target=worker, name="phones-work", daemon=True).start()

    def heard(self, change: Change) -> None:
        """Take a change from the writer's thread."""
        self._rest(change)
        envelope = change.envelope
        if envelope is not None and envelope.source == "phone":
            seen = self._desk.seen(frozenset({envelope.actor}))  # why not, too, is told to whoever asked
            answer = change if seen is None else seen.change
            self._todo.append(lambda serving: serving._tell_own(answer))
        self.wake()

    def _rest(self, change: Change) -> None:
        """Note that presses do something else now: for a moment they were not meant, as with the box's button."""
        if change.state.setup is None:
            return
        step = change.state.step
        does = (step.id, change.state.clocks.is_paused, tuple(step.owners))
        if self._does is not None and does != self._does:
            rest_ms = int(self._desk.settings().get("rest_ms") or 0)
            wait_ms = rest_ms if does[2] != self._does[2] else min(rest_ms, _BOUNCE_MS)
            self._rests_until_ms = self._desk.now_ms() + wait_ms
        self._does = does

    def _rests(self, act: str, at_ms: int) -> bool:
        """Say whether a press of the clock came while it rests."""
        return act.startswith("press.") and at_ms < self._rests_until_ms

    def _tell_own(self, change: Change) -> None:
        for _token, own in self._own.values():
            if own.heard(change):
                return

    def _press(self, said: wire.Pressed) -> None:
        """Take a press in the open: a wish for a side, or the clock of one's own."""
        change = self._desk.change
        state = change.state if change is not None else None
        if said.act == "sit":
            name = said.answers.get("name", "")
            if self.seats.wish(said.token, said.answers.get("seat", ""), name, state):
                self._tell_seats()
                self._link.asked(self.seats.wishes[said.token].name)
            return
        found = self.seats.press(said.token, said.act, said.at_ms, self._desk.now_ms(), state)
        if found is not None and not self._rests(said.act, said.at_ms):
            command, actor = found
            self._desk.send(command, actor=actor, source="phone")

    def _tell_seats(self) -> None:
        """Tell gateway, box and the file who sits where."""
        held, keys, offer = tuple(self.seats.held.values()), self.seats.keys, self.seats.offer
        self._own = {side: one for side, one in self._own.items() if self.seats.line(one[0]) is not None}
        if (held, keys) != (self._kept.seats, self._kept.keys):
            self._keep(seats=held, keys=keys)
        if self._gateway is not None:
            self._gateway.say(wire.Seated({one.token: self.seats.page_of(one.token) for one in held}))
        self._link.moved(
            self,
            seats=held,
            wishes=tuple(self.seats.wishes.values()),
            is_locked=self.seats.is_locked,
            may_tournament=self._kept.may_tournament,
            own=None if offer is None else OwnCode(offer.seat, self._own_square(offer)),
        )

    def _own_square(self, offer: Offer) -> tuple[str, ...]:
        key = base64.urlsafe_b64encode(offer.key).decode().rstrip("=")
        return square_of(self._kept, f"s/{offer.ticket}#{key}")

    def _greet(self, caller: Caller, said: wire.Greeting) -> None:
        if self._gateway is not None and caller is not self._gateway:
            _log.warning("a second gateway, process %s, was sent away", said.pid)
            caller.say(wire.Stop("another gateway serves this app already"))
            raise wire.WireError("")
        if said.protocol != wire.PROTOCOL:
            caller.say(wire.Evening(wire.PROTOCOL, "", "", "0" * 64, ""))
            raise wire.WireError(f"the gateway speaks protocol {said.protocol}; expected {wire.PROTOCOL}")
        if caller in self._strangers:
            self._strangers.remove(caller)
        self._gateway = caller
        self._tell_evening()
        self._tell_seats()
        self._link.moved(self, is_connected=True)

    def _tell_evening(self) -> None:
        gateway, kept, own = self._gateway, self._kept, language()
        assert gateway is not None
        languages = (own, *(code for code in LANGUAGES if code != own))
        words = {
            code: {key: language_of(code).text(text) for key, text in WORDS.items()} for code in languages
        }
        # A gateway whose port was opened for it does not know by which name phones ask.
        hosts = (kept.address,) if self._link.box is not None else ()
        gateway.say(
            wire.Evening(wire.PROTOCOL, kept.evening, kept.code, kept.key, kept.tv, hosts, languages, words)
        )

    # Pages

    def _delay_s(self) -> float:
        return float(self._desk.settings().get("phones_delay_s") or 0)

    def _make_due(self) -> None:
        """Make the pages that are looked at, where something has changed or a clock has reached a warning."""
        now = time.monotonic()
        if self._gateway is None:
            return
        self._send_late(now)
        settings = self._desk.settings()
        seen = (self._desk.change, *(settings.get(name) for name in _SETTINGS))
        if any(one is not other for one, other in zip(seen, self._seen or (None,) * len(seen), strict=True)):
            self._seen, self._is_dirty = seen, True
        is_due = self._due_at_s is not None and now >= self._due_at_s
        if not (self._is_dirty or is_due) or not self._wanted or now - self._made_at_s < _APART_S:
            return
        self._is_dirty, self._made_at_s, self._due_at_s = False, now, None
        change = self._desk.change
        if change is not None and change.state.setup is not None:
            _warning, wait_ms = warning_at(change.state, self._desk.now_ms())
            self._due_at_s = None if wait_ms is None else now + wait_ms / 1000 + 0.05
        self._make(self._wanted)

    def _make(self, channels: tuple[str, ...], *, is_asked: bool = False) -> None:
        change, desk = self._desk.change, self._desk
        sight = Sight(_WATCHER, change, desk.rules, desk=desk, wall_ms=self._link.wall_ms())
        state = change.state if change is not None else None
        game = state.setup.game if state is not None and state.setup is not None else ""
        delay_s = self._delay_s()
        for channel in channels:
            key, _dot, code = channel.partition(".")
            where, _dash, seat = key.partition("-")
            if code not in LANGUAGES or not (key in WATCHED or key == "seat" or key in self._held_pages()):
                continue
            if key == _TV and delay_s and is_asked:
                self._repeat_late(channel, delay_s)
                continue
            now_ms = desk.now_ms()
            try:
                with speaking(code) as spoken:
                    voice = Voice(spoken, game, state)
                    if where == "own":
                        html = self._sealed(channel, seat, sight, voice)
                    else:
                        page = _page(key, seat, sight, now_ms)
                        html = page_html(page, voice, now_ms=now_ms, symbols=self._symbols)
            except Exception as fault:
                self._link.on_fault(fault)
                continue
            if not html:
                continue
            if key == _TV and delay_s:
                queue = self._late.setdefault(channel, deque(maxlen=_MOST_LATE))
                queue.append((time.monotonic(), html))
            else:
                self._send(channel, html, now_ms)

    def _held_pages(self) -> set[str]:
        return {self.seats.page_of(token) for token in self.seats.held}

    def _sealed(self, channel: str, seat: str, sight: Sight, voice: Voice) -> str:
        """Return a seat's own page, sealed for the phone that has its key; empty where the phone has it as it is."""
        token = next(token for token, one in self.seats.held.items() if one.seat == seat)
        line = self.seats.line(token)
        assert line is not None, "a page of one's own has a key"
        own = self._own_seat(seat)
        seen = sight_of(self._desk, own.viewer, wall_ms=sight.wall_ms)
        page = own.page(seen, self._desk.now_ms())
        # Its clocks are counted there.
        html = page_html(page, voice, symbols=self._symbols, hidden={"page": own.stamp})
        if self._said.get(channel) == (line.last, html):
            return ""
        self._said[channel] = (line.last, html)
        hint = page_html(unsealed_page(seat), voice)
        return hint.replace("<main ", f'<main data-sealed="{line.seal(html)}" ', 1)

    def _send_late(self, now: float) -> None:
        """Send what spectators may see by now."""
        delay_s = self._delay_s()
        for channel, queue in self._late.items():
            newest = None
            while queue and queue[0][0] + delay_s <= now:
                newest = queue.popleft()[1]
            if newest is not None:
                self._shown[channel] = newest
                self._send(channel, newest, self._desk.now_ms() - int(delay_s * 1000))

    def _repeat_late(self, channel: str, delay_s: float) -> None:
        if channel in self._shown:
            self._send(channel, self._shown[channel], self._desk.now_ms() - int(delay_s * 1000))
        elif channel not in self._late:
            self._make_first_late(channel)

    def _make_first_late(self, channel: str) -> None:
        self._late[channel] = deque(maxlen=_MOST_LATE)
        self._make((channel,))

    def _send(self, channel: str, html: str, at_ms: int) -> None:
        """Send a frame; one that waits for a slow gateway gives way to its newer one."""
        gateway = self._gateway
        if gateway is None:
            return
        self._rev += 1
        try:
            frame = wire.packed(wire.Frame(channel, self._rev, at_ms, html))
        except wire.WireError as fault:
            self._link.on_fault(fault)
            return
        gateway.put(channel, frame)
        with suppress(OSError):
            gateway.flush()
        gateway.watch(self._watch, lambda mask: self._hear(gateway, mask))


def _page(key: str, seat: str, sight: Sight, now_ms: int) -> Page:
    """Return what a channel shows."""
    if seat:
        return mine_page(seat, sight, now_ms)
    return seat_page(sight) if key == "seat" else watched_page(key, sight, now_ms)
