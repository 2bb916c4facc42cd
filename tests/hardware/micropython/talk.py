"""One conversation of the box, told line by line: run under CPython and under MicroPython, it must say the same."""

from array import array

import parts
import protocol


class Clock:
    def __init__(self):
        self.us = 0


def show(*words):
    print(" ".join(str(word) for word in words))


def frame(seq, kind, *fields):
    return protocol.encode(seq, kind, fields)


show("crc", protocol.crc16(b"123456789"), protocol.crc16_by_hand(b"123456789"))
lamps = [lambda level, n=n: show("lamp", n, level) for n in range(3)]
outputs = parts.Outputs(
    lamps,
    lambda hz: show("tone", hz),
    lambda level: show("tray", level),
    lambda row: show("digits", list(row)),
)
box = protocol.Box(outputs, "pico-1", 0xDEADBEEF, 0x7FF, 1)


def step(us, data=b""):
    box.feed(data, us)
    box.poll(us)
    outputs.run(us)
    out = box.take_output()
    if out:
        show(us, out)


step(1000)
step(2000, frame(None, "H", "1", "0000004D", "01"))
step(3000, frame(0, "L", "0", "1", "255:100", "0:100") + frame(1, "D", "0", "12.34") + frame(2, "T", "99"))
step(4000, frame(3, "B", "880:50", "0:20") + frame(4, "D", "1", "-1.05"))
step(5000, b"\xff\x00noise$" + frame(5, "L", "1", "0", "128:10") + b"$05,L,9*0000\n" + b"x" * 500 + b"\n")
step(6000, frame(9, "T", "1") + frame(None, "P", "00FF") + frame(6, "L", "x") + frame(7, "T", "-7"))
for n in range(90):
    box.edge(n % 4, n % 2 == 0, 7000 + n)
step(8000, frame(None, "A", "00"))
for n in range(1, 90):
    step(8000 + n * 1000, frame(None, "A", f"{n:02X}"))
step(120000)
step(230000)
step(400000, frame(None, "X"))
step(1500000)
for bad in (b"", b"$", b"$*", b"$--,P*zzzz", b"$0x,P*1234", b"\xc3\xa9", frame(None, "P")[:-1].lower()):
    show(bad, protocol.decode(bad))
wrap = 1 << 30
clock_us = wrap - 500
clock = parts.LongClock(lambda: clock_us % wrap, lambda a, b: ((a - b + wrap // 2) % wrap) - wrap // 2)
clock_us += 1000
show("clock", clock.now(), clock.long((clock_us - 700) % wrap))
ring = parts.EdgeRing(array("I", [0] * 8), array("B", [0] * 8))
for n in range(9):
    ring.put(n * 3, n % 4, n % 2)
show("ring", ring.lost, [ring.take() for _ in range(8)])
for text in ("12.34", "8:8.8", "...", "-0.05", "HELLO", "1234567890"):
    show(text, parts.layout(text, 4))
show(
    [
        parts.level_at((repeat, [(255, 100), (0, 50), (9, 20)], 500), us)
        for repeat in (True, False)
        for us in range(0, 400000, 33000)
    ]
)
