"""Serves phones while they are on: who sits where, what phones press, and the gateway that calls for their pages.

The gateway is a process of its own; when it is killed it is started again. Of a page only the newest frame waits for a slow
gateway, and nothing that the gateway does holds up the game.
"""

from __future__ import annotations

import base64
import logging
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from companion.adapters.child_server import Caller, ChildServer
from companion.adapters.phone_evening import EVENING_S, Kept, new_code, square_of
from companion.adapters.phone_frames import Frames
from companion.adapters.phone_notes import GameNotes
from companion.adapters.phone_own import TAKE_NOTE, OwnSeat
from companion.adapters.phone_photos import UNREADABLE, Parts, forget_photos, keep_photo, photo_file
from companion.adapters.phone_seal import Act
from companion.adapters.phone_seats import PRESS_OLD_MS, Offer, Seats
from companion.core import clock as ck
from companion.core.change import Change
from companion.core.ids import ARBITER
from companion.core.text import Say, Typed
from companion.gateway import wire
from companion.pages.dice import Photo
from companion.pages.dice_phone import DiceRoll, read_photo
from companion.pages.i18n import LANGUAGES, language, language_of
from companion.pages.later import Later
from companion.pages.page import OnBox
from companion.pages.phone_words import WORDS
from companion.pages.phones import OwnCode
from companion.pages.viewing import sight_of
from companion.session.files import explain

if TYPE_CHECKING:
    from companion.adapters.phones import PhoneLink

__all__ = ["Serving"]

_log = logging.getLogger(__name__)

_PORTS = 5
"""So many ports are tried, from the first one on."""
_WAIT_S = 1.5
"""So long a gateway of the program before has to call."""
_BOUNCE_MS = 220
"""How long a press rests where the same side acts on: as the box's button."""
_EXITS: Mapping[int, Say] = {
    1: Say("Phones need a part that is not installed: table-companion[phones]."),
    2: Say("Phones cannot use this address."),
    5: Say("Program and phone server are of different versions. Restart the program."),
}


class Serving(ChildServer):
    """The phones' serving thread. Nobody else touches it but by `heard`, `wake`, `later` and `stop`."""

    def __init__(self, link: PhoneLink, kept: Kept, path: Path, *, is_new: bool) -> None:
        super().__init__(
            path,
            lambda: ["gateway", "--bind", self._kept.address],
            froze=link.froze,
            mode=0o600 if link.box is None else 0o666,  # there the caller's user is what counts
            wait_s=0.0 if is_new else _WAIT_S,
        )
        self._link, self._kept, self._desk = link, kept, link.desk
        forget_photos(path.parent)
        self._tried, self._rests_until_ms = 0, 0
        self.seats = Seats(kept.seats, kept.keys, start=kept.starts)
        self._frames = Frames(link, self.seats, self._own_seat, self._put)
        self._parts, self._notes = Parts(), GameNotes(link.desk, link.keys)
        self._does: tuple[object, ...] | None = None
        self._own: dict[str, tuple[str, OwnSeat]] = {}

    # The thread

    def _step(self) -> None:
        self._do_waiting()
        self._look_after_child()
        if self._is_dirty:
            self._is_dirty, self._frames.is_dirty = False, True
        if self._caller is not None:
            self._frames.make_due()
            self._flush(self._caller)
        self._look_at_offer()
        if self._link.clock() - self._kept.since_s > EVENING_S:
            self._fail(Say("The evening's phones ended after 12 hours."))

    def _wait_s(self) -> float:
        return self._frames.wait_s()

    def _fail(self, why: Say) -> None:
        """End; the interface thread turns phones off."""
        self._link.failed(self, why)
        self._ends.set()

    def _on_fault(self, fault: Exception) -> None:
        self._link.on_fault(fault)
        self._fail(Say("Phones stopped because of a fault in the program."))

    def _bye(self) -> bytes:
        return wire.packed(wire.Stop(self._why))

    def _let_go(self) -> None:
        super()._let_go()
        if self._link.box is not None:
            self._link.box.stop()

    # The gateway's process

    def _look_after_child(self) -> None:
        """Start the gateway where none calls; on a box the system does, when it is told that one is wanted."""
        if self._link.box is None:
            super()._look_after_child()
        elif self._caller is None and time.monotonic() >= self._child_at_s:
            self._link.box.start()

    def _ended(self, code: int) -> None:
        """Try the next port where another program has this one; give up where starting again does not help."""
        host, _colon, port = self._kept.address.rpartition(":")
        if code == 3 and self._tried < _PORTS - 1:
            self._tried += 1
            self._keep(address=f"{host}:{int(port) + 1}")
            self._link.moved(self, address=self._kept.address, square=square_of(self._kept))
            self._child_at_s = time.monotonic()
        elif code == 3:
            self._give_up(Say("Phones could not be turned on: port {port} is in use.", port=Typed(port)))
        elif code in _EXITS:
            self._give_up(_EXITS[code])
        else:
            _log.warning("the gateway ended with %s", code)

    def _ends_again_and_again(self) -> None:
        self._give_up(Say("Phones stopped: their server ended again and again."))

    def _give_up(self, why: Say) -> None:
        self._child_at_s = float("inf")
        self._link.failed(self, why)

    # The socket

    def _may_call(self, uid: int) -> bool:
        return super()._may_call(uid) if self._link.box is None else self._link.box.may_call(uid)

    def _lost(self) -> None:
        self._frames.lose()
        self._link.moved(self, is_connected=False, watching=0)

    def _heard(self, caller: Caller, frame: bytes) -> None:
        said = wire.decode_up(frame)
        match said:
            case wire.Greeting():
                self._greet(caller, said)
            case _ if caller is not self._caller:
                raise wire.WireError("a caller spoke before it said who it is")
            case wire.Wanted():
                self._frames.want(said.channels)
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
                self._frames.ask(said.channel)

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

    def _for_arbiter(self, act: OnBox) -> Say | None:
        """Do what the arbiter's phone has the box do; return what came of it, or None where it is nothing of the kind."""
        match act.what:
            case "phones_presses":
                self._let_press(is_on=bool(act.args["is_on"]))
            case "phones_kick":
                token = self.seats.token_of(act.args["seat"])
                if not token:
                    return Say("No phone has this side.")
                self.seats.kick(token)
                self._is_dirty = True
            case _:
                return None
        self._tell_seats()
        return Say("Done")

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
        """Put the parts of a photo together; what it is for stands sealed in it."""
        whole = self._parts.take(said)
        if whole == b"":
            return
        found = self.seats.open_photo(said.token, whole) if whole is not None else None
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
            why = explain(fault)[0]
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
            self._link.unkept(explain(fault)[0])

    def _use_photo(self, own: OwnSeat, act: Act, photo: bytes) -> None:
        change = self._desk.change
        if change is None or change.state.setup is None or act.at != own.stamp:
            own.say(Say("The table has moved on."))
            return
        if act.act == TAKE_NOTE:
            own.say(Say("One moment …"))
            seq, game = change.seq, self._desk.path
            self._work(
                lambda: keep_photo(self._path.parent, game, seq, photo),
                lambda told: own.say(told or UNREADABLE),
            )
            return
        roll = own.roll
        if roll is None:
            own.say(Say("The table has moved on."))
        elif ck.is_tournament(change.state.clocks) and not self._kept.may_tournament:
            own.say(Say("In a tournament only the box reads dice."))
        else:
            self._read_dice(own, roll, photo)

    def _read_dice(self, own: OwnSeat, roll: DiceRoll, photo: bytes) -> None:
        """Have the dice of a photo read; what is read stands on that phone, and on the box as a notice."""
        try:
            path = photo_file(self._path.parent, photo)
        except OSError as fault:
            own.say(Say("The photo could not be kept: {why}", why=explain(fault)[0]))
            return

        def put(change: Callable[[DiceRoll], DiceRoll]) -> None:
            def do() -> None:
                path.unlink(missing_ok=True)
                now = own.roll
                if now is not None:
                    own.put_roll(change(now))

            self.later(do)

        def done(found: Photo) -> None:
            self.later(lambda: self._link.read_dice(self, own.side, found))
            put(lambda now: read_photo(now, found))

        def failed(why: str) -> None:
            put(lambda now: msgspec.structs.replace(now, is_reading=False, fault=why))

        own.put_roll(msgspec.structs.replace(roll, is_reading=True, read=None, fault=""))
        self._link.eye.look(
            f"photo:{path}", roll.kind, roll.asked, done=done, failed=failed, progress=lambda _part: None
        )

    def _answer_phone(self, token: str, *, is_taken: bool) -> None:
        self._tell(wire.packed(wire.Answered(token, is_taken)))

    def _do(self, token: str, act: Act, at_ms: int) -> None:
        """Do what a phone at its own seat asks for; a press that comes late counts for nothing, as one by cable does."""
        now_ms, own = self._desk.now_ms(), self._own_seat(self.seats.seat_of(token))
        if not now_ms - PRESS_OLD_MS <= at_ms <= now_ms:
            own.say(Say("That came too late. Press again."))
        elif not self._rests(act.act, at_ms):
            # What was pressed just before is not on the phone yet, but counts: two keys of a pad come close together.
            own.page(sight_of(self._desk, own.viewer, wall_ms=self._link.wall_ms()), now_ms)
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
                    *(self._work, self._for_arbiter, self._notes),
                    later=Later(self.wake, self.later),
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
            self.later(lambda: then(made))

        threading.Thread(target=worker, name="phones-work", daemon=True).start()

    def heard(self, change: Change) -> None:
        """Take a change from the writer's thread."""
        self._rest(change)
        envelope = change.envelope
        if envelope is not None and envelope.source == "phone":
            seen = self._desk.seen(frozenset({envelope.actor}))  # why not, too, is told to whoever asked
            answer = change if seen is None else seen.change
            self._todo.append(lambda: self._tell_own(answer))
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
        self._tell(wire.packed(wire.Seated({one.token: self.seats.page_of(one.token) for one in held})))
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
        if self._caller is not None and caller is not self._caller:
            _log.warning("a second gateway, process %s, was sent away", said.pid)
            caller.send(wire.packed(wire.Stop("another gateway serves this app already")))
            raise wire.WireError("")
        if said.protocol != wire.PROTOCOL:
            caller.send(wire.packed(wire.Evening(wire.PROTOCOL, "", "", "0" * 64, "")))
            raise wire.WireError(f"the gateway speaks protocol {said.protocol}; expected {wire.PROTOCOL}")
        self._know(caller)
        self._tell_evening()
        self._tell_seats()
        self._link.moved(self, is_connected=True)

    def _tell_evening(self) -> None:
        kept, own = self._kept, language()
        languages = (own, *(code for code in LANGUAGES if code != own))
        words = {
            code: {key: language_of(code).text(text) for key, text in WORDS.items()} for code in languages
        }
        # A gateway whose port was opened for it does not know by which name phones ask.
        hosts = (kept.address,) if self._link.box is not None else ()
        evening = (kept.evening, kept.code, kept.key, kept.tv, hosts, languages, words)
        self._tell(wire.packed(wire.Evening(wire.PROTOCOL, *evening)))

    def _put(self, channel: str, frame: bytes) -> None:
        """Send a frame; one that waits for a slow gateway gives way to its newer one."""
        if self._caller is not None:
            self._caller.put(channel, frame)
