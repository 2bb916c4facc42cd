"""The conversation with one serial box, without a port, a thread or a clock: bytes in, values and bytes out.

Owns greeting, sequence numbers, resending, heartbeat, skew. Knows nothing of presses (it hands on raw edges in
the box's own time) nor of what is behind the bytes. README.md of this room has the protocol.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from companion.core.text import Say
from hardware import frames
from hardware.boxclock import BoxClock
from hardware.errors import FrameError
from hardware.frames import EdgeMessage, Frame, FrameReader, HelloMessage, MarkMessage

__all__ = ["BoxLink", "LinkDamage", "LinkDown", "LinkEdge", "LinkEvent", "LinkMark", "LinkNote", "LinkUp"]

_MS = 1_000_000
HELLO_EVERY_MS = 500
"""How often a hello is repeated until the box answers it."""
SILENCE_MS = 3_000
"""Without one good frame for this long, the box is gone."""
RESEND_MS = 100
"""Unacknowledged frames are sent again after this long."""
WINDOW = 8
"""Frames that may be unacknowledged at a time."""
PING_MS, PING_FAST_MS, PING_FAST_COUNT = 1_000, 50, 8
"""Pings: a few quick ones to learn the box's clock, then one a second."""
SURE_NS = 1_500_000
"""While the box's clock is not known as well as this, pings stay quick: on a busy machine few answers are."""


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The box answered our hello."""

    hello: HelloMessage
    same_boot: bool
    """True where it is the same box, not restarted, since the last LinkUp."""


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The box is gone or speaks another version; the link keeps greeting."""

    reason: str
    """``silence``, ``restarted`` or ``version``."""
    detail: Say | None = None
    """What the other end says, for a wrong version."""


@dataclass(frozen=True, slots=True)
class LinkEdge:
    """A raw edge, in order and exactly once, in the box's own time."""

    button: int
    closed: bool
    box_ns: int


@dataclass(frozen=True, slots=True)
class LinkMark:
    """Every edge before `box_ns` has been told; `levels` has a bit per button that is down."""

    box_ns: int
    levels: int


@dataclass(frozen=True, slots=True)
class LinkNote:
    """A word from the box (``overflow``: it saw more edges than it could keep)."""

    code: str


@dataclass(frozen=True, slots=True)
class LinkDamage:
    """A line that was not a frame, or a frame that made no sense."""

    code: str


LinkEvent = LinkUp | LinkDown | LinkEdge | LinkMark | LinkNote | LinkDamage


class BoxLink:
    """One conversation. Not safe for threads: its owner calls it from one."""

    def __init__(self, host: int) -> None:
        """Begin as host number `host` (1 to 0xFFFFFFFF, drawn anew by every start of the program)."""
        self.clock = BoxClock()
        self.is_up = False
        self.resent = 0
        """Frames sent again."""
        self.repeated = 0
        """Frames received more than once."""
        self._host = host
        self._epoch = 0
        self._reader = FrameReader()
        self._out = bytearray()
        self._boot: tuple[str, int] | None = None
        self._heard_ns = 0
        self._hello_ns: int | None = None
        self._expected = 0
        self._next = 0
        self._queue: OrderedDict[str, Frame] = OrderedDict()
        """Commands not yet sent, the latest for each thing."""
        self._unacked: list[Frame] = []
        self._resend_ns: int | None = None
        self._ping_ns: int | None = None
        self._pings = 0
        self._nonce = 0
        self._asked: dict[int, int] = {}

    def opened(self, now_ns: int) -> None:
        """A port has just been opened: forget half lines and greet."""
        self._reader.reset()
        self._out.clear()
        self._restart(now_ns)

    def _restart(self, now_ns: int) -> None:
        self.is_up = False
        self._epoch = (self._epoch + 1) % 256
        self._heard_ns = now_ns
        self._expected = self._next = 0
        self._queue.clear()
        self._unacked.clear()
        self._resend_ns = self._ping_ns = None
        self._asked.clear()
        self._greet(now_ns)

    def _greet(self, now_ns: int) -> None:
        self._hello_ns = now_ns + HELLO_EVERY_MS * _MS
        self._send(Frame(None, "H", (str(frames.VERSION), f"{self._host:08X}", f"{self._epoch:02X}")))

    def _send(self, frame: Frame) -> None:
        self._out += frames.encode(frame)

    def take_output(self) -> bytes:
        """Bytes to write now; each is handed out once."""
        out = bytes(self._out)
        self._out.clear()
        return out

    # -- commands -----------------------------------------------------------------------------------------

    def command(self, thing: str, kind: str, fields: tuple[str, ...], now_ns: int) -> None:
        """Tell the box something about `thing`; a later word on it replaces one that has not been sent yet.

        Nothing is kept while the link is down: the owner sets everything again on LinkUp.
        """
        if self.is_up:
            self._queue[thing] = Frame(None, kind, fields)
            self._queue.move_to_end(thing)
            self._pump(now_ns)

    def _pump(self, now_ns: int) -> None:
        while self._queue and len(self._unacked) < WINDOW:
            _, frame = self._queue.popitem(last=False)
            numbered = Frame(self._next, frame.kind, frame.fields)
            self._next = (self._next + 1) % 256
            self._unacked.append(numbered)
            self._send(numbered)
            if self._resend_ns is None:
                self._resend_ns = now_ns + RESEND_MS * _MS

    # -- time ---------------------------------------------------------------------------------------------

    def next_due_ns(self) -> int:
        """When ``tick`` has something to do."""
        silence_ns = self._heard_ns + SILENCE_MS * _MS if self.is_up else None
        times = (self._hello_ns, self._resend_ns, self._ping_ns, silence_ns)
        return min(time_ns for time_ns in times if time_ns is not None)

    def tick(self, now_ns: int) -> list[LinkEvent]:
        """Do what is due: greet, resend, ping, or give the box up."""
        if self.is_up and now_ns - self._heard_ns >= SILENCE_MS * _MS:
            self._restart(now_ns)
            return [LinkDown("silence")]
        if self._hello_ns is not None and now_ns >= self._hello_ns:
            self._greet(now_ns)
        if self._resend_ns is not None and now_ns >= self._resend_ns:
            for frame in self._unacked:
                self._send(frame)
            self.resent += len(self._unacked)
            self._resend_ns = now_ns + RESEND_MS * _MS
        if self._ping_ns is not None and now_ns >= self._ping_ns:
            self._ping(now_ns)
        return []

    def _ping(self, now_ns: int) -> None:
        self._nonce = (self._nonce + 1) % 0x10000
        if len(self._asked) > 64:
            self._asked.clear()
        self._asked[self._nonce] = now_ns
        self._send(Frame(None, "P", (f"{self._nonce:04X}",)))
        self._pings += 1
        self._ping_ns = now_ns + (PING_FAST_MS if self._pings < PING_FAST_COUNT else PING_MS) * _MS

    def _ask_again(self, now_ns: int) -> None:
        """Ask soon again while the box's clock is not known well: only after an answer, so that nothing piles up."""
        error_ns = self.clock.uncertainty_ns(now_ns)
        if self._ping_ns is not None and (error_ns is None or error_ns > SURE_NS):
            self._ping_ns = min(self._ping_ns, now_ns + PING_FAST_MS * _MS)

    # -- receiving ----------------------------------------------------------------------------------------

    def receive(self, data: bytes, now_ns: int) -> list[LinkEvent]:
        """Take bytes that arrived by `now_ns`; say what they mean. Never raises for bad bytes."""
        events: list[LinkEvent] = []
        for item in self._reader.feed(data):
            if isinstance(item, FrameError):
                events.append(LinkDamage(item.code))
                continue
            try:
                events.extend(self._take(item, now_ns))
            except FrameError as error:
                events.append(LinkDamage(error.code))
        return events

    def _take(self, frame: Frame, now_ns: int) -> list[LinkEvent]:
        if frame.kind == "H":
            return self._take_hello(frames.parse_hello(frame), now_ns)
        if not self.is_up:
            return []  # the tail of an earlier conversation
        self._heard_ns = now_ns
        if frame.seq is not None:
            return self._take_numbered(frame, now_ns)
        if frame.kind == "A":
            self._take_ack(frame, now_ns)
        elif frame.kind == "Q":
            pong = frames.parse_pong(frame)
            sent_ns = self._asked.pop(pong.nonce, None)
            if sent_ns is not None:
                self.clock.exchange(sent_ns, pong.us * 1000, now_ns)
                self._ask_again(now_ns)
        return []

    def _take_hello(self, hello: HelloMessage, now_ns: int) -> list[LinkEvent]:
        if hello.version != frames.VERSION:
            return [
                LinkDown(
                    "version",
                    Say(
                        "it uses protocol version {theirs}, this program {ours}",
                        theirs=hello.version,
                        ours=frames.VERSION,
                    ),
                )
            ]
        if (hello.host, hello.epoch) != (self._host, self._epoch):
            if self.is_up and hello.host == 0:
                self._restart(now_ns)
                return [LinkDown("restarted")]
            if not self.is_up and hello.host == 0:
                self._greet(now_ns)  # it is awake: do not wait for the next turn
            return []
        if self.is_up:
            return []  # it answered twice
        identity = (hello.box, hello.boot)
        same = identity == self._boot
        if not same:
            self.clock = BoxClock()
        self._boot = identity
        self.is_up = True
        self._heard_ns = now_ns
        self._hello_ns = None
        self._pings = 0
        self._ping(now_ns)
        return [LinkUp(hello, same)]

    def _take_numbered(self, frame: Frame, now_ns: int) -> list[LinkEvent]:
        assert frame.seq is not None
        ahead = (frame.seq - self._expected) % 256
        if ahead:
            self.repeated += ahead >= 128
            self._ack()  # a gap or an echo: say again what we have
            return []
        events = self._understand(frame, now_ns)
        self._expected = (self._expected + 1) % 256
        self._ack()
        return events

    def _ack(self) -> None:
        self._send(Frame(None, "A", (f"{(self._expected - 1) % 256:02X}",)))

    def _understand(self, frame: Frame, now_ns: int) -> list[LinkEvent]:
        """Read a numbered frame; one that makes no sense is damage, told and then passed over."""
        try:
            if frame.kind == "E":
                edge: EdgeMessage = frames.parse_edge(frame)
                self.clock.arrival(edge.us * 1000, now_ns)
                return [LinkEdge(edge.button, edge.closed, edge.us * 1000)]
            if frame.kind == "M":
                mark: MarkMessage = frames.parse_mark(frame)
                self.clock.arrival(mark.us * 1000, now_ns)
                return [LinkMark(mark.us * 1000, mark.levels)]
            if frame.kind == "N":
                return [LinkNote(frame.fields[0] if frame.fields else "")]
        except FrameError as error:
            return [LinkDamage(error.code)]
        return [LinkDamage("kind")]

    def _take_ack(self, frame: Frame, now_ns: int) -> None:
        if len(frame.fields) != 1 or len(frame.fields[0]) != 2:
            raise FrameError("field", f"A: expected two hex digits, got {frame.fields!r}")
        try:
            acked = int(frame.fields[0], 16)
        except ValueError:
            raise FrameError("field", f"A: expected two hex digits, got {frame.fields!r}") from None
        for index, sent in enumerate(self._unacked):
            if sent.seq == acked:
                del self._unacked[: index + 1]
                self._resend_ns = now_ns + RESEND_MS * _MS if self._unacked else None
                self._pump(now_ns)
                return
