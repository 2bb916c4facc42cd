"""The box's side of the line protocol, in the part of Python that MicroPython has.

Written apart from hardware/frames.py and hardware/link.py on purpose: the tests run this file under CPython
against them over a pseudo-terminal, so each side proves the other. No pins, no time and no port in here: main.py
gives it bytes, edges and microseconds, and takes bytes.

See hardware/README.md for the protocol.
"""

import binascii

VERSION = 1
MAX_LINE = 200
WINDOW = 8  # numbered frames that may be unacknowledged
KEEP = 64  # edges and marks waiting to be sent; more are dropped, and the host is told
RESEND_US = 100_000
HELLO_US = 1_000_000
SILENCE_US = 3_000_000
MARK_US = 500_000  # heartbeat while nothing moves
MARK_FAST_US = 5_000  # while a press is being judged
MARK_FAST_FOR_US = 60_000
PRINTABLE = range(0x20, 0x7F)
HEX = b"0123456789ABCDEF"


def crc16(data):
    """CRC-16/CCITT-FALSE; MicroPython's binascii has no crc_hqx, so it is done by hand there."""
    if hasattr(binascii, "crc_hqx"):
        return binascii.crc_hqx(data, 0xFFFF)
    return crc16_by_hand(data)


def crc16_by_hand(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x1021) & 0xFFFF if crc & 0x8000 else crc << 1
    return crc


def encode(seq, kind, fields):
    """One line; seq is a number or None."""
    head = "--" if seq is None else f"{seq:02X}"
    body = ",".join([head, kind] + list(fields)).encode()  # noqa: RUF005  (MicroPython has no (*fields,))
    return b"$" + body + f"*{crc16(body):04X}\n".encode()


def decode(line):
    """(seq, kind, fields), or None for anything that is not a frame."""
    if len(line) > MAX_LINE or line[:1] != b"$" or line[-5:-4] != b"*":
        return None
    body = line[1:-5]
    for byte in body:
        if byte not in PRINTABLE or byte in b"$*":
            return None
    for byte in line[-4:]:
        if byte not in HEX:
            return None
    if int(line[-4:], 16) != crc16(body):
        return None
    parts = body.decode().split(",")
    head = parts[0]
    if (
        len(parts) < 2
        or len(head) != 2
        or (head != "--" and not (ord(head[0]) in HEX and ord(head[1]) in HEX))
    ):
        return None
    return None if head == "--" else int(head, 16), parts[1], parts[2:]


class Box:
    """One conversation with a host.

    `outputs` is told what to show: ``lamp(index, repeat, [(level 0-255, ms)])``, ``display(index, text)``,
    ``buzz([(hz, ms)])``, ``tray(level 0-255)`` and ``dark()`` when the host is gone.
    """

    def __init__(self, outputs, name, boot, parts, levels):
        self.outputs = outputs
        self.name = name
        self.boot = boot
        self.parts = parts
        self.levels = levels
        self.host = 0
        self.epoch = 0
        self.is_up = False
        self.out = bytearray()
        self.line = bytearray()
        self.skipping = False
        self.expected = 0
        self.next = 0
        self.waiting = []  # (kind, fields) not yet numbered
        self.unacked = []  # (seq, bytes)
        self.resend_at = 0
        self.hello_at = 0
        self.heard_at = 0
        self.mark_at = 0
        self.fast_until = 0
        self.overflow = False

    def take_output(self):
        """Bytes to send now."""
        out = bytes(self.out)
        self.out = bytearray()
        return out

    def edge(self, button, closed, us):
        """A contact moved at `us`."""
        bit = 1 << button
        self.levels = (self.levels | bit) if closed else (self.levels & ~bit)
        self.fast_until = us + MARK_FAST_FOR_US
        self.mark_at = min(self.mark_at, us + MARK_FAST_US + 1000)
        if self.is_up:
            self._number("E", (str(button), "1" if closed else "0", str(us)), us)

    def lost_edges(self):
        """main.py saw more edges than it could keep."""
        self.overflow = True

    def poll(self, us):
        """Do what is due; call it often. All edges before `us` must have been handed in."""
        if self.is_up and us - self.heard_at >= SILENCE_US:
            self._down(us)
        if not self.is_up:
            if us >= self.hello_at:
                self.hello_at = us + HELLO_US
                self._hello(us)
            return
        if self.overflow and len(self.waiting) < KEEP:
            self.overflow = False
            self._number("N", ("overflow",), us)
        if us >= self.mark_at:
            self.mark_at = us + (MARK_FAST_US if us < self.fast_until else MARK_US)
            # A mark that waits says less than the next one: it is replaced, so they never pile up.
            if self.waiting and self.waiting[-1][0] == "M":
                self.waiting.pop()
            self._number("M", (str(us), f"{self.levels:02X}"), us)
        if self.unacked and us >= self.resend_at:
            self.resend_at = us + RESEND_US
            for _, data in self.unacked:
                self.out += data

    def feed(self, data, us):
        """Bytes from the host."""
        for byte in data:
            if byte == 10:
                if not self.skipping:
                    self._line(bytes(self.line), us)
                self.line = bytearray()
                self.skipping = False
            elif not self.skipping:
                if byte == 36:  # a frame starts here, whatever stood before it
                    self.line = bytearray()
                self.line.append(byte)
                if len(self.line) > MAX_LINE:
                    self.line = bytearray()
                    self.skipping = True

    def _line(self, line, us):
        frame = decode(line)
        if frame is None:
            return
        seq, kind, fields = frame
        if kind == "H":
            self._greeted(fields, us)
            return
        if not self.is_up:
            return
        self.heard_at = us
        if seq is not None:
            if seq == self.expected:
                self.expected = (self.expected + 1) & 255
                self._obey(kind, fields)
            self.out += encode(None, "A", (f"{(self.expected - 1) & 255:02X}",))
        elif kind == "A" and len(fields) == 1:
            self._acked(fields[0], us)
        elif kind == "P" and len(fields) == 1:
            self.out += encode(None, "Q", (fields[0], str(us)))
        elif kind == "X":
            self._down(us)

    def _greeted(self, fields, us):
        try:
            version, host, epoch = int(fields[0]), int(fields[1], 16), int(fields[2], 16)
        except (ValueError, IndexError):
            return
        if version != VERSION or not host:
            self._hello(us)
            return
        if not self.is_up or (host, epoch) != (self.host, self.epoch):
            self.host = host
            self.epoch = epoch
            self.is_up = True
            self.expected = 0
            self.next = 0
            self.waiting = []
            self.unacked = []
            self.overflow = False
            self.mark_at = us
        self.heard_at = us
        self._hello(us)

    def _down(self, us):
        self.is_up = False
        self.host = 0
        self.epoch = 0
        self.waiting = []
        self.unacked = []
        self.hello_at = us
        self.outputs.dark()

    def _hello(self, us):
        fields = (
            str(VERSION),
            f"{self.host:08X}",
            f"{self.epoch:02X}",
            self.name,
            f"{self.boot:08X}",
            str(us),
            f"{self.parts:04X}",
            f"{self.levels:02X}",
        )
        self.out += encode(None, "H", fields)

    def _number(self, kind, fields, us):
        if len(self.waiting) >= KEEP:
            self.overflow = True
            return
        self.waiting.append((kind, fields))
        self._pump(us)

    def _pump(self, us):
        while self.waiting and len(self.unacked) < WINDOW:
            kind, fields = self.waiting.pop(0)
            data = encode(self.next, kind, fields)
            if not self.unacked:
                self.resend_at = us + RESEND_US
            self.unacked.append((self.next, data))
            self.next = (self.next + 1) & 255
            self.out += data

    def _acked(self, field, us):
        try:
            acked = int(field, 16)
        except ValueError:
            return
        for index, (seq, _) in enumerate(self.unacked):
            if seq == acked:
                self.unacked = self.unacked[index + 1 :]
                self.resend_at = us + RESEND_US
                self._pump(us)
                return

    def _obey(self, kind, fields):
        try:
            if kind == "L":
                steps = [_pair(field, 255, 60000) for field in fields[2:]]
                if 1 <= len(steps) <= 16:
                    self.outputs.lamp(int(fields[0]), fields[1] == "1", steps)
            elif kind == "D":
                self.outputs.display(int(fields[0]), fields[1])
            elif kind == "B":
                self.outputs.buzz([_pair(field, 5000, 5000) for field in fields])
            elif kind == "T":
                self.outputs.tray(max(0, min(255, int(fields[0]))))
        except (ValueError, IndexError):
            return  # nonsense in a good frame: a host that knows more than this box


def _pair(field, high, longest):
    first, second = field.split(":")
    value, ms = int(first), int(second)
    if not 0 <= value <= high or not 1 <= ms <= longest:
        raise ValueError(field)
    return value, ms
