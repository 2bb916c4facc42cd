"""Frames: written, damaged, flooded and read; and the firmware's own reading of the same bytes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.errors import FrameError
from hardware.frames import (
    MAX_LINE,
    Frame,
    FrameReader,
    crc16,
    decode,
    encode,
    lamp_fields,
    parse_edge,
    parse_hello,
    parse_mark,
    parse_pong,
    text_field,
    tone_fields,
)
from hardware.language import CUE_PATTERNS, SIGNAL_PATTERNS
from hardware.ports import DisplayText, LampPattern, LampStep

field_text = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters="$*,"), max_size=8
)
any_frame = st.builds(
    Frame,
    st.one_of(st.none(), st.integers(0, 255)),
    st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    st.lists(field_text, max_size=12).map(tuple),
)


def test_the_checksum_is_the_published_one(firmware):
    assert crc16(b"123456789") == 0x29B1
    assert firmware.crc16_by_hand(b"123456789") == 0x29B1


@given(data=st.binary(max_size=60))
def test_both_checksums_agree(firmware, data):
    assert firmware.crc16_by_hand(data) == crc16(data)


@given(any_frame)
def test_frames_survive_the_line(frame):
    line = encode(frame)
    assert line.endswith(b"\n")
    assert decode(line[:-1]) == frame
    assert FrameReader().feed(line) == [frame]


@given(frame=any_frame)
def test_the_firmware_reads_and_writes_the_same_frames(firmware, frame):
    line = encode(frame)
    assert firmware.encode(frame.seq, frame.kind, frame.fields) == line
    assert firmware.decode(line[:-1]) == (frame.seq, frame.kind, list(frame.fields))


@settings(max_examples=200)
@given(any_frame, st.integers(0, 10_000), st.integers(1, 255))
def test_one_changed_byte_is_never_a_frame(firmware, frame, where, change):
    line = bytearray(encode(frame)[:-1])
    line[where % len(line)] ^= change
    if b"\n" in line:
        return
    with pytest.raises(FrameError):
        decode(bytes(line))
    assert firmware.decode(bytes(line)) is None


def with_head(head):
    body = f"{head},M,5,00".encode()
    return b"$" + body + b"*" + b"%04X" % crc16(body)


@pytest.mark.parametrize("head", ["+1", "1", "0x1", " 1", "1_0", "0a", "100", "-1", "-", ""])
def test_both_sides_take_a_sequence_number_in_two_hex_digits_only(firmware, head):
    with pytest.raises(FrameError, match="sequence: expected two hex digits or --"):
        decode(with_head(head))
    assert firmware.decode(with_head(head)) is None


def test_both_sides_take_a_checksum_in_four_hex_digits_only(firmware):
    """Whatever else a reader of numbers would take for the same number: lower case, a sign, a prefix, spaces."""
    for number in range(70_000):
        body = f"--,P,{number:05X}".encode()
        if crc16(body) < 0x10:
            break
    for check in (b"0x%X0", b"+%03X", b" %03X", b"%X   "):
        line = b"$" + body + b"*" + (check % crc16(body))[:4]
        with pytest.raises(FrameError, match="checksum"):
            decode(line)
        assert firmware.decode(line) is None
    assert firmware.decode(b"$" + body + b"*%04X" % crc16(body)) is not None


@given(st.lists(any_frame, min_size=1, max_size=6), st.data())
def test_it_does_not_matter_how_bytes_are_cut(frames, data):
    line = b"".join(encode(frame) for frame in frames)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(line)), max_size=6)))
    reader = FrameReader()
    out = []
    for start, end in zip([0, *cuts], [*cuts, len(line)], strict=True):
        out += reader.feed(line[start:end])
    assert out == frames


@given(st.binary(max_size=400), any_frame)
def test_noise_before_a_line_feed_costs_nothing(noise, frame):
    reader = FrameReader()
    reader.feed(noise + b"\n")
    assert reader.feed(encode(frame)) == [frame]


def test_noise_without_a_line_feed_is_stepped_over():
    out = FrameReader().feed(b"\x00\xff~~" + encode(Frame(1, "M", ("5", "00"))))
    assert isinstance(out[0], FrameError)
    assert out[0].code == "start"
    assert out[1] == Frame(1, "M", ("5", "00"))


def test_half_a_frame_before_a_frame_costs_only_itself():
    half, whole = encode(Frame(0, "E", ("0", "1", "12")))[:9], Frame(1, "M", ("5", "00"))
    out = FrameReader().feed(half + encode(whole))
    assert [getattr(one, "code", one) for one in out] == ["start", whole]


def test_a_half_line_is_dropped_on_a_new_connection():
    reader = FrameReader()
    reader.feed(b"$01,E,0,1,12")
    reader.reset()
    assert reader.feed(encode(Frame(2, "M", ("5", "00")))) == [Frame(2, "M", ("5", "00"))]


def test_a_flood_without_line_feeds_is_told_once_and_kept_small():
    reader = FrameReader()
    out = []
    for _ in range(1_000):
        out += reader.feed(b"x" * 1_000)
    assert [error.code for error in out] == ["long"]
    assert len(reader._buffer) == 0
    assert reader.feed(b"\n" + encode(Frame(None, "A", ("00",)))) == [Frame(None, "A", ("00",))]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (b"hello", "start", "does not begin with $"),
        (b"$01,E,0,1,5", "checksum", "has no checksum at its end"),
        (b"$01,E,0,1,5*0000", "checksum", "got 0000"),
        (b"$\xff*0000", "ascii", "not printable ASCII"),
        (b"$" + b"1" * 250 + b"*0000", "long", f"at most {MAX_LINE}"),
    ],
)
def test_what_is_no_frame_says_why(line, code, words):
    with pytest.raises(FrameError) as error:
        decode(line)
    assert error.value.code == code
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("body", "code"), [(b"1,E", "sequence"), (b"XY,E", "sequence"), (b"01,ee", "kind"), (b"01", "kind")]
)
def test_good_checksum_and_bad_form(body, code):
    with pytest.raises(FrameError) as error:
        decode(b"$" + body + b"*%04X" % crc16(body))
    assert error.value.code == code


@pytest.mark.parametrize(
    ("parse", "fields"),
    [
        (parse_edge, ("4", "1", "5")),
        (parse_edge, ("0", "2", "5")),
        (parse_edge, ("0", "1", "-5")),
        (parse_edge, ("0", "1", "1e9")),
        (parse_edge, ("0", "1", "9" * 19)),
        (parse_edge, ("0", "1")),
        (parse_mark, ("5", "1FF")),
        (parse_mark, ("", "00")),
        (parse_pong, ("10000", "5")),
        (parse_hello, ()),
        (parse_hello, ("x",)),
        (parse_hello, ("1", "0", "0", "bad name", "1", "5", "7FF", "00")),
        (parse_hello, ("1", "0", "0", "b", "1", "5", "7FF")),
    ],
)
def test_fields_that_make_no_sense_are_damage(parse, fields):
    with pytest.raises(FrameError) as error:
        parse(Frame(0, "E", fields))
    assert error.value.code == "field"


def test_another_version_is_read_as_far_as_the_version():
    assert parse_hello(Frame(None, "H", ("7", "whatever"))).version == 7


def test_what_cannot_be_sent_is_refused():
    for bad in (
        Frame(0, "D", ("a,b",)),
        Frame(0, "D", ("ü",)),
        Frame(0, "D", ("$",)),
        Frame(0, "L", ("1" * 300,)),
    ):
        with pytest.raises(ValueError):
            encode(bad)


def test_every_signal_and_cue_fits_a_line():
    longest = LampPattern(tuple(LampStep(1.0, 60_000) for _ in range(16)))
    for pattern in (*SIGNAL_PATTERNS.values(), longest):
        encode(Frame(255, "L", lamp_fields(2, pattern)))
    for tones in CUE_PATTERNS.values():
        encode(Frame(255, "B", tone_fields(tones)))
    assert text_field(DisplayText("1:23")) == "1.23"


def fuzz(count, seed):
    """Feed random and damaged lines to both readers; return how many good frames came through each."""
    chance = random.Random(seed)
    reader = FrameReader()
    good = 0
    for _ in range(count):
        kind = chance.random()
        frame = Frame(chance.randrange(256), chance.choice("EMNLDBTHAPQX"), (str(chance.randrange(99)),))
        line = bytearray(encode(frame))
        if kind < 0.3:
            for _ in range(chance.randint(1, 4)):
                line[chance.randrange(len(line))] = chance.randrange(256)
        elif kind < 0.4:
            line = bytearray(chance.randbytes(chance.randint(0, 300)))
        elif kind < 0.5:
            line = line[: chance.randrange(len(line))]
        for item in reader.feed(bytes(line)):
            good += isinstance(item, Frame)
    return good


def test_random_lines_never_break_the_reader():
    assert 800 < fuzz(2_000, 3) < 1_300


@pytest.mark.long
def test_a_hundred_thousand_random_lines_never_break_the_reader():
    assert 40_000 < fuzz(100_000, 4) < 65_000
