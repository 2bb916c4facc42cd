"""The firmware's main.py under MicroPython on a pretended board: greeted, told what to show, its left button pressed."""

import sys

import protocol

OUT = bytearray()
IN = bytearray(
    protocol.encode(None, "H", ("1", "0000004D", "01"))
    + protocol.encode(0, "L", ("0", "1", "255:5", "0:5"))
    + protocol.encode(1, "D", ("0", "12.34"))
    + protocol.encode(2, "B", ("880:5000",))
    + protocol.encode(3, "T", ("77",))
)


class Module:
    """A module that is not there, or stands in for one."""


class Pin:
    """A pin that is high until it is pressed."""

    IN, OUT, PULL_UP, IRQ_FALLING, IRQ_RISING = 0, 1, 2, 4, 8
    levels = {}
    handlers = {}

    def __init__(self, number, *_mode, value=1):
        self.number = number
        Pin.levels.setdefault(number, value)

    def value(self):
        return Pin.levels[self.number]

    def irq(self, handler, _trigger, hard):
        assert hard
        Pin.handlers[self.number] = handler

    def __call__(self, level):
        Pin.levels[self.number] = level


class PWM:
    def __init__(self, pin):
        self.number = pin.number

    def freq(self, hz):
        print("freq", self.number, hz)

    def duty_u16(self, duty):
        print("duty", self.number, duty)


class SPI:
    def __init__(self, *_port, **_pins):
        pass

    def write(self, data):
        print("spi", list(data))


class WDT:
    """Fed once a turn of the main loop: moves the button, and ends it all."""

    def __init__(self, timeout):
        assert timeout <= 8_388  # the longest a Pico knows
        self.turns = 0

    def feed(self):
        self.turns += 1
        if self.turns in (20, 60):
            Pin.levels[2] = int(self.turns == 60)
            Pin.handlers[2](None)
        if self.turns == 150:
            raise SystemExit


class Stream:
    def read(self, count):
        data = bytes(IN[:count])
        IN[:] = IN[count:]
        return data

    def write(self, data):
        OUT.extend(data)
        for line in data.split(b"\n"):
            frame = protocol.decode(line)
            if frame is not None and frame[0] is not None:
                IN.extend(protocol.encode(None, "A", (f"{frame[0]:02X}",)))


class Poll:
    def register(self, _stream, _what):
        pass

    def poll(self, _ms):
        return [1] if IN else []


def module(name, **content):
    made = Module()
    for key, value in content.items():
        setattr(made, key, value)
    sys.modules[name] = made
    return made


module("machine", Pin=Pin, PWM=PWM, SPI=SPI, WDT=WDT, unique_id=lambda: b"\x01\x02\x03\x04\x05\x06\x07\x08")
module(
    "micropython",
    const=lambda value: value,
    kbd_intr=lambda _code: None,
    alloc_emergency_exception_buf=lambda _size: None,
)
module("os", urandom=lambda count: b"\x01" * count)
module("select", poll=Poll, POLLIN=1)
console = module("console", buffer=Stream())
streams = module("streams", stdin=console, stdout=console)
with open("/main.py") as file:
    source = file.read().replace("import sys\n", "")
try:
    exec(compile(source, "main.py", "exec"), {"__name__": "main", "sys": streams})
except SystemExit:
    print(bytes(OUT).decode())
