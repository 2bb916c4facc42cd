"""Edges, time and outputs of the box, over whatever pins main.py gives it; runs under CPython for the tests."""


class LongClock:
    """Microseconds since the start that never wrap, from a counter that does (MicroPython: every 18 minutes).

    `ticks` gives the counter, `difference(later, earlier)` its wrapped difference. Ask at least every 8 minutes.
    """

    def __init__(self, ticks, difference):
        self.ticks = ticks
        self.difference = difference
        self.last = ticks()
        self.total = 0

    def now(self):
        """Microseconds since the start."""
        ticks = self.ticks()
        self.total += self.difference(ticks, self.last)
        self.last = ticks
        return self.total

    def long(self, ticks):
        """Long time of a recent counter value, not later than the last ``now()``."""
        return self.total + self.difference(ticks, self.last)


class EdgeRing:
    """Edges from interrupt handlers: no memory is taken while one runs."""

    def __init__(self, times, codes):
        """Use two preallocated arrays of one length, a power of two: counter values, and button * 2 + closed."""
        self.times = times
        self.codes = codes
        self.mask = len(times) - 1
        self.head = 0
        self.tail = 0
        self.lost = False

    def put(self, ticks, button, closed):
        """Keep one edge; called from an interrupt."""
        after = (self.head + 1) & self.mask
        if after == self.tail:
            self.lost = True
            return
        self.times[self.head] = ticks
        self.codes[self.head] = button * 2 + closed
        self.head = after

    def take(self):
        """The oldest edge as (ticks, button, closed), or None."""
        if self.tail == self.head:
            return None
        ticks, code = self.times[self.tail], self.codes[self.tail]
        self.tail = (self.tail + 1) & self.mask
        return ticks, code >> 1, bool(code & 1)


SHAPES = {
    # MAX7219 undecoded: bit 7 the point, bit 6 a, then b c d e f, bit 0 g.
    " ": 0x00, "0": 0x7E, "1": 0x30, "2": 0x6D, "3": 0x79, "4": 0x33, "5": 0x5B, "6": 0x5F, "7": 0x70,
    "8": 0x7F, "9": 0x7B, "-": 0x01, "_": 0x08, "=": 0x09, "A": 0x77, "b": 0x1F, "C": 0x4E, "d": 0x3D,
    "E": 0x4F, "F": 0x47, "G": 0x5E, "H": 0x37, "h": 0x17, "I": 0x06, "i": 0x04, "J": 0x3C, "L": 0x0E,
    "l": 0x06, "n": 0x15, "N": 0x76, "o": 0x1D, "O": 0x7E, "P": 0x67, "q": 0x73, "r": 0x05, "S": 0x5B,
    "t": 0x0F, "u": 0x1C, "U": 0x3E, "y": 0x3B, "Y": 0x3B,
}  # fmt: skip


def layout(text, digits):
    """Segment bytes of `text`, right-aligned on `digits` cells."""
    row = []
    for character in text:
        if character in ".:":
            if row and not row[-1] & 0x80:
                row[-1] |= 0x80
            else:
                row.append(0x80)
        else:
            row.append(SHAPES.get(character, 0))
    row = row[-digits:]
    return [0] * (digits - len(row)) + row


class Outputs:
    """Runs what the host asked for.

    `lamps` is a list of functions taking 0-255 (None where there is none), `tone` takes hertz, `tray_light`
    takes 0-255, `digits` takes the eight segment bytes of both sides; each may be None.
    """

    def __init__(self, lamps, tone, tray_light, digits, digits_per_side=4):
        self.set_lamps = lamps
        self.set_tone = tone
        self.set_tray = tray_light
        self.set_digits = digits
        self.digits_per_side = digits_per_side
        self.patterns = [None] * len(lamps)
        self.levels = [-1] * len(lamps)
        self.texts = ["", ""]
        self.tones = []
        self.tones_since = 0
        self.hz = -1
        self.now = 0
        self.dark()

    def lamp(self, index, repeat, steps):
        """Show a pattern from its beginning."""
        if 0 <= index < len(self.patterns):
            self.patterns[index] = (repeat, steps, self.now)

    def display(self, index, text):
        """Show a text on one side."""
        if self.set_digits and 0 <= index < 2:
            self.texts[index] = text
            self.set_digits(
                layout(self.texts[0], self.digits_per_side) + layout(self.texts[1], self.digits_per_side)
            )

    def buzz(self, tones):
        """Play tones once; none is silence."""
        self.tones = tones
        self.tones_since = self.now

    def tray(self, level):
        """Light the tray."""
        if self.set_tray:
            self.set_tray(level)

    def dark(self):
        """Everything off: the host is gone."""
        self.patterns = [None] * len(self.patterns)
        self.texts = ["", ""]
        self.tones = []
        if self.set_digits:
            self.set_digits([0] * (2 * self.digits_per_side))
        self.tray(0)
        self.run(self.now)

    def run(self, us):
        """Bring every output to what is due at `us`."""
        self.now = us
        for index, pattern in enumerate(self.patterns):
            level = 0 if pattern is None else level_at(pattern, us)
            if level != self.levels[index]:
                self.levels[index] = level
                if self.set_lamps[index]:
                    self.set_lamps[index](level)
        hz = self._hz()
        if hz != self.hz:
            self.hz = hz
            if self.set_tone:
                self.set_tone(hz)

    def _hz(self):
        at = (self.now - self.tones_since) // 1000
        for hz, ms in self.tones:
            if at < ms:
                return hz
            at -= ms
        return 0


def level_at(pattern, us):
    """Level of (repeat, [(level, ms)], since) at a time."""
    repeat, steps, since = pattern
    at = (us - since) // 1000
    whole = 0
    for _, ms in steps:
        whole += ms
    if not repeat and at >= whole:
        return steps[-1][0]
    at %= whole
    for level, ms in steps:
        if at < ms:
            return level
        at -= ms
    return steps[-1][0]
