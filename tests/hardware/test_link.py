"""The conversation between the program's link and the firmware's protocol, over a line that does its worst.

Time is moved by hand; the line delays, drops, repeats and damages. Whatever it does, every edge arrives once and
in order, every lamp ends as it was last told, and nothing arrives that was not sent.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.text import Say
from hardware import frames
from hardware.frames import Frame, encode
from hardware.link import (
    SILENCE_MS,
    BoxLink,
    LinkDamage,
    LinkDown,
    LinkEdge,
    LinkMark,
    LinkNote,
    LinkUp,
)

MS = 1_000_000


class Shown:
    def __init__(self):
        self.lamps = {}
        self.displays = {}
        self.buzzes = []
        self.level = None
        self.darks = 0

    def lamp(self, index, repeat, steps):
        self.lamps[index] = (repeat, steps)

    def display(self, index, text):
        self.displays[index] = text

    def buzz(self, tones):
        self.buzzes.append(tones)

    def tray(self, level):
        self.level = level

    def dark(self):
        self.darks += 1


class Line:
    """Two ends and the wire between them, in simulated time."""

    def __init__(
        self, firmware, seed=0, *, slowest_ms=0.0, drop=0.0, damage=0.0, repeat=0.0, skew_us=3_000_000
    ):
        self.firmware = firmware
        self.chance = random.Random(seed)
        self.slowest_ms, self.drop, self.damage, self.repeat = slowest_ms, drop, damage, repeat
        self.skew_us = skew_us
        self.now = 1_000 * MS
        self.shown = Shown()
        self.box = firmware.Box(self.shown, "box", 1, 0x7FF, 0)
        self.link = BoxLink(host=77)
        self.to_box, self.to_host = [], []
        self.last = {"box": 0, "host": 0}
        self.events = []
        self.is_cut = False

    def us(self):
        return self.now // 1000 + self.skew_us

    def _carry(self, queue, name, data):
        if not data or self.is_cut:
            return
        for piece in data.splitlines(keepends=True):
            if self.chance.random() < self.drop:
                continue
            for _ in range(1 + (self.chance.random() < self.repeat)):
                out = bytearray(piece)
                if self.chance.random() < self.damage:
                    out[self.chance.randrange(len(out))] ^= self.chance.randint(1, 255)
                at = self.now + round(self.chance.uniform(0.1, max(self.slowest_ms, 0.1)) * MS)
                at = max(at, self.last[name])  # a serial line never lets one byte overtake another
                self.last[name] = at
                queue.append((at, bytes(out)))

    def run(self, ms, step_ms=1):
        for _ in range(int(ms / step_ms)):
            self.now += int(step_ms * MS)
            while self.to_box and self.to_box[0][0] <= self.now:
                self.box.feed(self.to_box.pop(0)[1], self.us())
            self.box.poll(self.us())
            while self.to_host and self.to_host[0][0] <= self.now:
                self.events += self.link.receive(self.to_host.pop(0)[1], self.now)
            if self.now >= self.link.next_due_ns():
                self.events += self.link.tick(self.now)
            self._carry(self.to_host, "host", self.box.take_output())
            self._carry(self.to_box, "box", self.link.take_output())

    def connect(self):
        self.link.opened(self.now)
        for _ in range(100):
            self.run(100)
            if self.link.is_up and self.box.is_up:
                return
        raise AssertionError("never came up")

    def edges(self):
        return [
            (event.button, event.closed, event.box_ns // 1000)
            for event in self.events
            if isinstance(event, LinkEdge)
        ]


def lamp(level):
    return ("0", "1", f"{level}:1000")


def test_it_greets_and_comes_up(firmware):
    line = Line(firmware)
    line.connect()
    up = [event for event in line.events if isinstance(event, LinkUp)]
    assert len(up) == 1
    assert (up[0].hello.box, up[0].hello.parts, up[0].same_boot) == ("box", 0x7FF, False)


def test_edges_arrive_with_the_boxes_own_time(firmware):
    line = Line(firmware)
    line.connect()
    at = line.us()
    line.box.edge(1, True, at)
    line.run(5)
    line.box.edge(1, False, at + 4_000)
    line.run(50)
    assert line.edges() == [(1, True, at), (1, False, at + 4_000)]
    marks = [event for event in line.events if isinstance(event, LinkMark)]
    assert marks[-1].levels == 0
    assert marks[-1].box_ns >= (at + 4_000) * 1000


def test_a_mark_follows_an_edge_soon_enough_to_judge_a_press(firmware):
    line = Line(firmware)
    line.connect()
    at = line.us()
    line.box.edge(0, True, at)
    line.run(20)
    after = [
        event for event in line.events if isinstance(event, LinkMark) and event.box_ns >= (at + 5_000) * 1000
    ]
    assert after
    assert after[0].box_ns < (at + 15_000) * 1000
    assert after[0].levels == 1


def test_commands_reach_the_outputs(firmware):
    line = Line(firmware)
    line.connect()
    line.link.command("lamp", "L", lamp(200), line.now)
    line.link.command("display", "D", ("1", "12.34"), line.now)
    line.link.command("buzzer", "B", ("880:100", "0:20"), line.now)
    line.link.command("tray", "T", ("99",), line.now)
    line.run(20)
    assert line.shown.lamps == {0: (True, [(200, 1000)])}
    assert line.shown.displays == {1: "12.34"}
    assert line.shown.buzzes == [[(880, 100), (0, 20)]]
    assert line.shown.level == 99


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("L", ("0", "1", "300:100")), ("L", ("0", "1", "9:0")), ("L", ("x", "1", "9:9")), ("L", ("0", "1")),
        ("L", ()), ("D", ("1",)), ("B", ("440",)), ("B", ("440:9999",)), ("T", ("",)), ("Z", ("1",)),
    ],
)  # fmt: skip
def test_the_box_steps_over_commands_that_make_no_sense(firmware, kind, fields):
    line = Line(firmware)
    line.connect()
    before = (dict(line.shown.lamps), dict(line.shown.displays), list(line.shown.buzzes), line.shown.level)
    line.link.command("x", kind, fields, line.now)
    line.run(20)
    assert (line.shown.lamps, line.shown.displays, line.shown.buzzes, line.shown.level) == before
    line.link.command("tray", "T", ("99",), line.now)
    line.run(20)
    assert line.shown.level == 99


@pytest.mark.parametrize(("asked", "shown"), [("-5", 0), ("300", 255)])
def test_a_tray_level_outside_the_scale_is_brought_into_it(firmware, asked, shown):
    line = Line(firmware)
    line.connect()
    line.link.command("tray", "T", (asked,), line.now)
    line.run(20)
    assert line.shown.level == shown


def test_only_the_latest_word_on_a_thing_is_kept_waiting(firmware):
    line = Line(firmware)
    line.connect()
    line.is_cut = True
    for level in range(100):
        line.link.command("lamp", "L", lamp(level), line.now)
    assert len(line.link._queue) == 1
    line.is_cut = False
    line.run(2_000)
    assert line.shown.lamps[0] == (True, [(99, 1000)])


def test_a_command_while_down_is_dropped(firmware):
    line = Line(firmware)
    line.link.command("lamp", "L", lamp(5), line.now)
    line.connect()
    line.run(100)
    assert line.shown.lamps == {}


def test_silence_is_noticed_and_the_box_greeted_until_it_answers(firmware):
    line = Line(firmware)
    line.connect()
    line.is_cut = True
    line.run(SILENCE_MS + 500)
    assert [event for event in line.events if isinstance(event, LinkDown)] == [LinkDown("silence")]
    assert not line.link.is_up
    assert line.shown.darks == 1  # the box noticed as well
    line.is_cut = False
    line.run(2_500)
    assert line.link.is_up
    ups = [event for event in line.events if isinstance(event, LinkUp)]
    assert [up.same_boot for up in ups] == [False, True]


def test_edges_while_cut_off_are_not_told_later(firmware):
    line = Line(firmware)
    line.connect()
    line.is_cut = True
    line.run(100)
    line.box.edge(0, True, line.us())
    line.run(SILENCE_MS + 1_500)
    line.box.edge(0, False, line.us())
    line.run(100)
    line.is_cut = False
    line.run(3_000)
    assert line.link.is_up
    assert line.edges() == []


def test_a_box_that_restarts_is_noticed(firmware):
    line = Line(firmware)
    line.connect()
    line.box = firmware.Box(line.shown, "box", 2, 0x7FF, 0)
    line.run(1_000)
    downs = [event for event in line.events if isinstance(event, LinkDown)]
    assert downs == [LinkDown("restarted")]
    ups = [event for event in line.events if isinstance(event, LinkUp)]
    assert [up.same_boot for up in ups] == [False, False]
    assert line.link.is_up


def test_the_same_hello_again_changes_nothing(firmware):
    line = Line(firmware)
    line.connect()
    line.link.command("lamp", "L", lamp(7), line.now)
    line.box.edge(0, True, line.us())
    line.run(50)
    again = encode(Frame(None, "H", ("1", f"{77:08X}", f"{line.link._epoch:02X}")))
    line.box.feed(again, line.us())
    line.run(50)
    line.link.command("lamp", "L", lamp(8), line.now)
    line.box.edge(0, False, line.us())
    line.run(50)
    assert [edge[:2] for edge in line.edges()] == [(0, True), (0, False)]
    assert line.shown.lamps[0] == (True, [(8, 1000)])
    assert line.link.resent == 0


def test_another_version_is_refused_and_named():
    link = BoxLink(5)
    link.opened(0)
    events = link.receive(encode(Frame(None, "H", ("9", "x"))), 10)
    assert events == [
        LinkDown("version", Say("it uses protocol version {theirs}, this program {ours}", theirs=9, ours=1))
    ]
    assert not link.is_up


def test_the_box_does_not_obey_another_version(firmware):
    box = firmware.Box(Shown(), "box", 1, 0x7FF, 0)
    box.feed(encode(Frame(None, "H", ("9", "00000001", "00"))), 10)
    assert not box.is_up
    assert b",H,1,00000000," in box.take_output()


def test_frames_before_the_greeting_are_ignored():
    link = BoxLink(5)
    link.opened(0)
    assert link.receive(encode(Frame(0, "E", ("0", "1", "5"))), 10) == []


def test_frames_that_make_no_sense_are_damage_and_do_not_stop_the_line(firmware):
    line = Line(firmware)
    line.connect()
    line.run(1_500)
    expected = line.link._expected
    for kind, fields in (("E", ("9", "1", "5")), ("M", ("x", "00")), ("Z", ())):
        line.events += line.link.receive(encode(Frame(line.link._expected, kind, fields)), line.now)
    line.events += line.link.receive(encode(Frame(None, "A", ("zz",))), line.now)
    line.events += line.link.receive(encode(Frame(None, "Q", ("zz",))), line.now)
    line.events += line.link.receive(b"rubbish\n", line.now)
    assert (line.link._expected - expected) % 256 == 3
    codes = [event.code for event in line.events if isinstance(event, LinkDamage)]
    assert codes == ["field", "field", "kind", "field", "field", "start"]


def test_the_boxs_words_are_handed_on(firmware):
    line = Line(firmware)
    line.connect()
    line.box.lost_edges()
    line.run(50)
    assert LinkNote("overflow") in line.events


def test_a_box_that_sees_more_edges_than_it_can_keep_says_so_and_stays_right(firmware):
    line = Line(firmware)
    line.connect()
    for index in range(400):
        line.box.edge(0, index % 2 == 0, line.us() + index)
    line.run(2_000)
    assert LinkNote("overflow") in line.events
    marks = [event for event in line.events if isinstance(event, LinkMark)]
    assert marks[-1].levels == 0
    line.box.edge(2, True, line.us())
    line.run(100)
    assert line.edges()[-1][0] == 2


def play(line, presses, rng):
    """Move contacts and set a lamp now and then; return what was really sent."""
    sent = []
    for index in range(presses):
        button = rng.randrange(4)
        closed = not line.box.levels & (1 << button)
        at = line.us()
        line.box.edge(button, closed, at)
        sent.append((button, closed, at))
        line.link.command("lamp0", "L", lamp(index % 256), line.now)
        line.run(rng.randint(5, 120))
    return sent


@pytest.mark.parametrize(
    "faults",
    [
        {"slowest_ms": 250},
        {"drop": 0.2},
        {"damage": 0.2},
        {"repeat": 0.3},
        {"slowest_ms": 60, "drop": 0.1, "damage": 0.1, "repeat": 0.1},
    ],
    ids=["late", "dropping", "damaging", "repeating", "all"],
)
def test_every_edge_once_and_in_order_on_a_bad_line(firmware, faults):
    line = Line(firmware, seed=5, **faults)
    line.connect()
    sent = play(line, 60, random.Random(1))
    line.run(4_000)
    assert not [event for event in line.events if isinstance(event, LinkDown)]
    assert line.edges() == sent
    assert line.shown.lamps[0] == (True, [(59, 1000)])


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    faults=st.fixed_dictionaries(
        {
            "slowest_ms": st.sampled_from([0, 20, 100, 250]),
            "drop": st.sampled_from([0.0, 0.05, 0.15]),
            "damage": st.sampled_from([0.0, 0.05, 0.15]),
            "repeat": st.sampled_from([0.0, 0.2]),
        }
    ),
)
def test_bad_lines_of_every_kind(firmware, seed, faults):
    line = Line(firmware, seed, **faults)
    line.connect()
    sent = play(line, 12, random.Random(seed))
    line.run(3_000)
    if not [event for event in line.events if isinstance(event, LinkDown)]:
        assert line.edges() == sent
    else:  # cut off for three seconds: then edges may be missing, never wrong, never invented
        assert set(line.edges()) <= set(sent)


@pytest.mark.parametrize(("slowest_ms", "most", "least"), [(0.0, 8, 5), (250.0, 40, 10)])
def test_the_box_is_asked_for_its_time_until_that_is_known(firmware, slowest_ms, most, least):
    """Once a second on a quick line; on one of which no answer is quick, soon after each answer."""
    line = Line(firmware, seed=3, slowest_ms=slowest_ms)
    line.connect()
    line.run(1_000)
    before = line.link._pings
    line.run(5_000)
    assert least <= line.link._pings - before <= most


def test_late_lines_cost_no_player_time(firmware):
    """Every frame up to 250 ms late, both ways: the press is charged at its own time all the same."""
    line = Line(firmware, seed=11, slowest_ms=250, skew_us=123_456_789)
    line.connect()
    line.run(20_000)
    worst = 0
    for _ in range(40):
        pressed_ns = line.now
        at = line.us()
        line.box.edge(0, not line.box.levels & 1, at)
        seen = len(line.edges())
        while len(line.edges()) == seen:
            line.run(1)
        ours = line.link.clock.to_ours_ns(at * 1000, line.now)
        assert ours <= line.now
        worst = max(worst, abs(ours - pressed_ns))
        line.run(300)
    assert worst < 60 * MS  # the grace is 250 ms; arrival times alone would be off by up to 250
    bound = line.link.clock.uncertainty_ns(line.now)
    assert bound is not None
    assert worst <= bound + 2 * MS


def fuzz_link(firmware, count, seed):
    """Random, damaged and misplaced frames into a live link and a live box; edges that nobody made."""
    chance = random.Random(seed)
    line = Line(firmware, seed)
    line.connect()
    line.run(500)
    invented = 0
    for index in range(count):
        line.now += MS
        kind = chance.choice("EMNHAPQLDBTXZ")
        fields = tuple(
            chance.choice(["0", "1", "7", "FF", "x", "", "99999999999", "255:10"])
            for _ in range(chance.randint(0, 8))
        )
        data = bytearray(encode(Frame(chance.choice([None, chance.randrange(256)]), kind, fields)))
        how = chance.random()
        if how < 0.9:  # almost everything is damaged: a good frame would be a real one
            data[chance.randrange(len(data) - 1)] ^= chance.randint(1, 127)
        elif how < 0.95:
            data = bytearray(chance.randbytes(chance.randint(1, 250)))
        else:
            data = data[: chance.randrange(len(data))]
        if index % 2:
            line.events = line.link.receive(bytes(data), line.now)
            invented += len(line.edges())
        else:
            line.box.feed(bytes(data), line.us())
            line.box.poll(line.us())
            line.box.take_output()
        line.link.tick(line.now)
        line.link.take_output()
    return invented


def test_random_frames_make_no_crash_and_no_press(firmware):
    assert fuzz_link(firmware, 3_000, 9) == 0


@pytest.mark.long
def test_a_hundred_thousand_random_frames_make_no_crash_and_no_press(firmware):
    assert fuzz_link(firmware, 100_000, 10) == 0


def test_the_version_is_told_in_the_first_field():
    link = BoxLink(0xABCDEF01)
    link.opened(0)
    assert frames.decode(link.take_output().strip()) == Frame(None, "H", ("1", "ABCDEF01", "01"))
