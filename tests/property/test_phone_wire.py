"""Whatever comes at the phones' socket is a frame or is refused, and no more than one frame is ever held."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.gateway import wire

SAID = (
    wire.Greeting(wire.PROTOCOL, 1, "127.0.0.1:8765"),
    wire.Wanted(("table.en", "mine-axis.de"), 3),
    wire.Ask("log.fr"),
    wire.Joined(),
    wire.Pressed("0" * 64, "press.s1", 5, {"name": "Anna"}),
    wire.Scanned("0" * 64, "ticket"),
    wire.SealedPress("f" * 64, "AAAA", 5),
    wire.PhotoPart("f" * 64, 3, True, b"\xff\xd8" * 2000),
)


@given(st.lists(st.binary(max_size=400), max_size=20))
def test_any_bytes_are_frames_or_a_fault(chunks: list[bytes]) -> None:
    frames = wire.Frames(1000)
    try:
        for chunk in chunks:
            for body in frames.feed(chunk):
                assert 0 < len(body) <= 1000
                wire.decode_up(body)
            assert len(frames._held) < 1004
    except wire.WireError:
        pass


@given(st.lists(st.sampled_from(SAID), max_size=8), st.data())
def test_what_was_said_arrives_in_order_however_it_is_cut(said: list[wire.Up], data: st.DataObject) -> None:
    stream = b"".join(map(wire.packed, said))
    frames, found, at = wire.Frames(wire.MOST_UP), [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, 90))
        found += [wire.decode_up(body) for body in frames.feed(stream[at : at + size])]
        at += size
    assert found == said


@pytest.mark.parametrize("count", [2_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_changed_frames_are_refused_or_read_and_never_anything_else(count: int) -> None:
    chance, refused = random.Random(7), 0
    for _n in range(count):
        body = bytearray(wire.packed(chance.choice(SAID))[4:])
        for _change in range(chance.randint(1, 4)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        try:
            wire.decode_up(bytes(body))
        except wire.WireError:
            refused += 1
    assert refused > count / 2
