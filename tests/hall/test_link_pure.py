"""The log's way from a table to the hall, in memory: nothing is lost, doubled or changed, whatever happens on the way."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import msgspec
import pytest
from hall_world import Director, Disk, Table, World
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.core.digest import digest_after, first_digest
from companion.hall import messages as ms
from companion.hall.desk.intake import Intake
from companion.hall.outbox import WINDOW, Course, Outbox

STEPS = ("play", "play", "play", "send", "send", "up", "up", "up", "down", "down", "wait")
FAULTS = (
    "long", "lose up", "lose down", "double up", "double down", "cut", "box restarts", "box restarts without cursor",
    "box loses its newest", "box is copied back", "copy", "director restarts", "director is copied back", "disk is full",
    "disk has room",
)  # fmt: skip
HISTORIES = st.lists(st.tuples(st.sampled_from(STEPS * 3 + FAULTS), st.integers(0, 7)), max_size=80)


def _step(world: World, what: str, at: int) -> None:
    table, director = world.table, world.director
    match what:
        case "play":
            table.play()
        case "long":
            table.play(40_000)
        case "send":
            world.send()
        case "up":
            world.carry_up(at)
        case "down":
            world.carry_down(at)
        case "wait":
            world.wait()
        case "lose up" if world.up:
            world.up.popleft()
        case "lose down" if world.down:
            world.down.popleft()
        case "double up" if world.up:
            world.up.append(world.up[0])
        case "double down" if world.down:
            world.down.append(world.down[0])
        case "cut":
            world.cut()
        case "box restarts" | "box restarts without cursor":
            if "without" in what:
                table.cursor = None
            table.start()
            world.greet()
        case "box loses its newest":
            del table.lines[len(table.lines) - min(at, len(table.lines)) :]
            table.start()
            world.greet()
        case "copy":
            world.copies.append((list(table.lines), table.cursor, director.disk.copy()))
        case "box is copied back":
            lines, cursor, _disk = world.copies[at % len(world.copies)]
            table.lines, table.cursor = list(lines), cursor
            table.start()
            world.greet()
        case "director is copied back":
            director.disk = world.copies[at % len(world.copies)][2].copy()
            director.restart()
            world.cut()
        case "director restarts":
            director.restart()
            world.cut()
        case "disk is full" | "disk has room":
            world.is_full = what == "disk is full"


def _judge(steps: list[tuple[str, int]]) -> World:
    world = World()
    world.greet()
    is_copied_back = False
    promised: dict[tuple[str, int], str] = {}
    for what, at in steps:
        _step(world, what, at)
        is_copied_back |= what == "director is copied back"
        for ack in world.down:  # what the director acknowledges is durable there, at this very moment
            if not is_copied_back and ack.seq:
                assert world.director.disk.entries[(ack.game, ack.digest)].seq == ack.seq
                promised[(ack.digest, ack.seq)] = ack.game
    world.heal()
    table, disk = world.table, world.director.disk
    if table.lines:
        assert disk.course(table.course.game, table.course.branch) == table.lines
    if not is_copied_back:
        assert all((game, digest) in disk.entries for (digest, _seq), game in promised.items())
    for one in disk.entries.values():  # nothing twice: every entry follows exactly one other
        assert digest_after(bytes.fromhex(one.before), one.line).hex() == one.digest
        assert one.seq == 1 or disk.entries[(one.game, one.before)].seq == one.seq - 1
    return world


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(HISTORIES)
def test_the_record_is_the_tables_own_log_after_any_history(steps: list[tuple[str, int]]) -> None:
    _judge(steps)


@pytest.mark.long
@settings(max_examples=10_000, suppress_health_check=list(HealthCheck))
@given(HISTORIES)
def test_the_record_is_the_tables_own_log_after_10000_histories(steps: list[tuple[str, int]]) -> None:
    _judge(steps)


def test_a_box_that_lost_entries_goes_on_as_a_branch_and_the_hall_keeps_both() -> None:
    world = World()
    for _n in range(8):
        world.table.play()
    world.heal()
    before = list(world.table.lines)
    game, first = world.table.course.game, world.table.course.branch
    del world.table.lines[5:]
    world.table.start()
    world.table.play()
    world.heal()
    disk = world.director.disk
    assert world.table.course.branch != first
    assert disk.course(game, first) == before
    assert disk.course(game, world.table.course.branch) == [*before[:5], world.table.lines[-1]]
    assert len(disk.entries) == 9  # the eight of before and the one that was played since: none is held twice


def test_a_quiet_table_is_sent_once() -> None:
    world = World()
    for _n in range(120):
        world.table.play()
    world.heal()
    assert world.director.doubled == 0
    world.cut()
    while world.up or world.down:
        world.carry_up()
        world.carry_down()
    assert not world.table.due(world.now_ms)


def test_nothing_is_sent_before_the_director_has_answered_and_never_more_than_the_window() -> None:
    box = Outbox(0, 200)
    assert not box.due(10)
    box.take(0, 10)
    assert box.due(10) == range(1, WINDOW + 1)
    assert not box.due(11)
    box.take(10, 20)
    assert box.due(20) == range(WINDOW + 1, WINDOW + 11)
    assert box.waits_ms == 3_020
    assert box.due(3_020) == range(11, WINDOW + 11)
    assert not box.due(6_020), "a hall that is slow is not given the more to do"
    assert box.due(9_020) == range(11, WINDOW + 11)
    assert (box.due(21_019), box.due(21_020)) == (range(61, 61), range(11, WINDOW + 11))
    assert (box.due(33_019), box.due(33_020)) == (range(61, 61), range(11, WINDOW + 11))
    box.take(4, 33_030)
    assert box.due(33_030) == range(5, WINDOW + 5), "a director restored from a copy gets all again"


def test_the_longest_entry_of_a_real_game_goes_in_parts_and_comes_back_the_same() -> None:
    demo = Path(__file__).parents[2] / "companion" / "session" / "demo" / "italy.jsonl"
    lines = [line for line in demo.read_bytes().splitlines() if b'"command"' in line]
    director, course = Director(), Course(b"demo", tuple(lines))
    lines.append(msgspec.json.encode({"command": "AddNote", "text": os.urandom(150_000).hex()}))
    course.add(lines[-1])
    messages = [
        part
        for seq in range(1, len(lines) + 1)
        for part in ms.log_parts(course.game, course.branch, seq, course.digest_at(seq - 1), lines[seq - 1])
    ]
    assert len(messages) > len(lines)
    assert max(map(len, messages)) <= ms.MOST_BYTES
    for message in messages:
        director.hear("log", message)
    assert director.disk.course(course.game, course.branch) == lines


LOG = {
    "v": 1, "game": "00", "branch": first_digest(b"\0").hex(), "seq": 1, "before": first_digest(b"\0").hex(),
    "line": '{"command":"EndAct"}',
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"v": 2}, "it speaks version 2, this program 1: update this program"),
        ({"v": 0}, "v: expected 1, got 0"),
        ({"v": None}, "v: Expected `int`, got `null`"),
        ({"seq": "1"}, "seq: Expected `int`, got `str`"),
        ({"seq": 0}, "seq: Expected `int` >= 1"),
        ({"seq": 100_001}, "seq: expected at most 100000, since 0 are held"),
        ({"branch": "main"}, "branch: Expected `str` matching regex"),
        ({"game": "ABC"}, "game: Expected `str` matching regex"),
        ({"line": "[]"}, "expected an entry with its command"),
        ({"line": "{"}, "expected one entry as JSON"),
        ({"line": "[" * 30_000}, "expected one entry as JSON"),
        ({"line": "x" * 60_000}, "Expected `str` of length <= 40960"),
        ({"line": "!!!", "packed": True}, "expected deflated text"),
        ({"part": 3, "parts": 2}, "part: expected at most 2, got 3"),
        ({"parts": 65}, "parts: Expected `int` <= 64"),
    ],
)
def test_a_message_that_is_none_names_table_topic_key_expected_and_got(
    changed: dict[str, object], said: str
) -> None:
    intake = Intake("17", Disk())
    with pytest.raises(ms.MessageError) as told:
        intake.take(ms.decode(ms.LogPart, json.dumps(LOG | changed).encode(), "table 17, log"))
    assert str(told.value).startswith("table 17, log")
    assert said in str(told.value)
    assert intake.take(ms.decode(ms.LogPart, json.dumps(LOG).encode(), "")).entries, "and play goes on"


def test_keys_of_a_later_version_are_ignored_and_a_missing_one_is_named() -> None:
    assert ms.decode(ms.LogPart, json.dumps(LOG | {"colour": "red"}).encode(), "").seq == 1
    with pytest.raises(ms.MessageError, match="missing required field `line`"):
        ms.decode(ms.LogPart, json.dumps({k: v for k, v in LOG.items() if k != "line"}).encode(), "t")


def test_a_small_message_that_unpacks_to_gigabytes_is_refused_without_unpacking_it() -> None:
    import base64
    import zlib

    bomb = base64.b64encode(zlib.compress(b"a" * (3 << 20), 9)).decode()
    part = ms.decode(ms.LogPart, json.dumps(LOG | {"line": bomb, "packed": True}).encode(), "t")
    with pytest.raises(ms.MessageError, match="expected at most 2097152 bytes"):
        ms.line_in((part,), "t")


_KINDS = [*ms.FROM_TABLE.values(), *ms.FROM_HALL.values()]
_VALUES = (
    None, True, -1, 1 << 70, 1e300, "", "x" * 300, "\u0000\ud800", [], [[[]]], {}, {"": {}}, [LOG] * 20, "0" * 64, "é" * 64,
)  # fmt: skip


def _corrupted(chance: random.Random) -> bytes:
    """One valid message with keys taken, changed and added, or with bytes of it changed, cut or put in."""
    said: dict[str, object] = dict(LOG)
    for _n in range(chance.randrange(4)):
        key = chance.choice(
            [*said, "digest", "games", "limit", "run", "n", "at", "boot", "packed", "parts", "x"]
        )
        if chance.random() < 0.2:
            said.pop(key, None)
        else:
            said[key] = chance.choice(_VALUES)
    data = bytearray(json.dumps(said).encode())
    for _n in range(chance.randrange(5)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(3):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at : at + chance.randrange(1, 40)]
            case 2:
                data[at:at] = chance.choice([b"[" * 5_000, b'"', b"\\u", b"{", b"\xff\xfe", b"9" * 400])
    return bytes(data)


def _survives(count: int) -> None:
    chance, told = random.Random(17), list[str]()
    intake = Intake("17", Disk())
    for _n in range(count):
        data = _corrupted(chance)
        for kind in _KINDS:
            try:
                found = ms.decode(kind, data, "table 17")
                if isinstance(found, ms.LogPart):
                    intake.take(found)
            except ms.MessageError as fault:
                told.append(str(fault))
    assert len(told) > count
    assert all(text.startswith("table 17") and len(text) < 1_000 for text in told)


def test_no_corrupt_message_ends_the_intake() -> None:
    _survives(1_000)


@pytest.mark.long
def test_none_of_100000_corrupt_messages_ends_the_intake() -> None:
    _survives(100_000)


def test_a_table_that_is_cut_off_for_long_keeps_all_and_sends_it_in_order() -> None:
    world = World()
    world.heal()
    for _n in range(1_000):
        world.table.play()
        world.send()
        world.up.clear()
    rounds = world.heal()
    assert rounds <= 1_000 // WINDOW + 2
    assert world.director.doubled == 0
    table = Table()
    assert table.course.end == 0
