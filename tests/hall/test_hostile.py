"""One table that says what no table would: it is told and thrown away, and the others are heard as before."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hall_net import HALL, Net, until
from hall_world import Disk

from companion.core import base45
from companion.core.digest import first_digest
from companion.hall import happenings as hp
from companion.hall import messages as ms
from companion.hall import orders as od
from companion.hall import result
from companion.hall.desk.enrol import Asking, Office
from companion.hall.desk.intake import Intake
from companion.hall.desk.logs import Enrolled, Logs
from companion.hall.errors import HallError
from companion.hall.link.port import Said
from companion.hall.outbox import Cursor
from companion.hall.store import Store, repaired
from companion.hall_check import written

HASH = "0" * 64
FIRST = first_digest(b"\xab").hex()


def _part(**other: object) -> bytes:
    whole = {"v": 1, "game": "ab", "branch": HASH, "seq": 1, "before": FIRST, "line": '{"command":"x"}'}
    return json.dumps({**whole, **other}).encode()


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"packed": True, "line": "é" * 40}, "line: expected deflated text"),
        ({"packed": True, "line": "eJw=="}, "line: expected deflated text"),
        ({"game": "ab\n"}, "game"),
        ({"branch": f"{HASH}\n"}, "branch"),
        ({"before": f"{FIRST}\n"}, "before"),
        ({"line": '{"command":\n"x"}'}, "line: expected one line, got several"),
        ({"line": '{"command":"x"}\r'}, "line: expected one line, got several"),
    ],
)
def test_an_entry_that_is_none_is_thrown_away_with_the_reason(other: dict[str, object], told: str) -> None:
    with pytest.raises(ms.MessageError, match=told):
        Intake("1", Disk()).take(ms.decode(ms.LogPart, _part(**other), "table 1, log"))


def test_a_key_and_a_signature_that_are_no_base64_are_refused(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    office = Office(logs, b"", lambda _known, _waiting: None, "word")
    office.add("1", "127.0.0.1", 8883, HALL, "0" * 64)
    asking = msgspec.json.encode(Asking("é" * 20, "p" * 40))
    with pytest.raises(ms.MessageError, match="table 1, enrol"):
        office.ask("1", asking, "table 1, enrol")
    logs.close()
    envelope = json.dumps({"order": "{}", "sig": "é" * 20}).encode()
    public = od.public_of(Ed25519PrivateKey.from_private_bytes(b"d" * 32))
    with pytest.raises(ms.MessageError, match="sig: expected base64"):
        od.order_in(envelope, public, HALL, "1", "table 1, order")


def test_only_a_second_box_stands_as_a_fault_at_its_table(tmp_path: Path) -> None:
    def shows_its_card(key: bytes) -> Said:
        asking = Asking(base64.b64encode(key * 32).decode(), "p" * 40)
        return Said(f"tc/1/{HALL}/t/7/enrol", msgspec.json.encode(asking), False)

    async def play() -> None:
        async with Net(tmp_path, ("1",), is_real=False) as net:
            net.office.add("7", "127.0.0.1", 8883, HALL, "0" * 64)
            net.director._heard(shows_its_card(b"a"))
            assert net.told[-1].startswith("table 7 asks to be let in")
            assert not net.director.seen["7"].told, (
                "who asks is on the list of those who do, and nowhere once he is in"
            )
            net.director._heard(shows_its_card(b"b"))
            assert net.director.seen["7"].told[-1].startswith("ALARM: a second box shows the card of table 7")

    asyncio.run(play())


def test_who_takes_a_dead_boxs_place_does_not_leave_by_an_order_to_that_one(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    office = Office(logs, b"", lambda _known, _waiting: None, "word")
    office.add("7", "127.0.0.1", 8883, HALL, "0" * 64)
    each = [("7", msgspec.json.encode(what)) for what in (od.Retire(), od.Message("x"))]
    gone, kept = logs.add_orders(each, 5, None)
    (other,) = logs.add_orders([("8", each[0][1])], 5, None)
    assert logs.answers() == {}
    office.add("7", "127.0.0.1", 8883, HALL, "0" * 64)
    assert logs.answers() == {(gone, "7"): ("done", "", 5)}, "its other orders are for whoever sits there"
    assert {kept, other}.isdisjoint(n for n, _table in logs.answers())
    logs.close()


def test_an_answer_that_comes_again_takes_no_box_out_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with Net(tmp_path, ("1",), is_real=False) as net:
            box = net.boxes["1"]
            box.play(1)
            await until(lambda: "1" in net.director.seen and net.director.seen["1"].is_up)
            n = net.director.order("1", od.Retire())
            await until(lambda: net.logs.tables()["1"].state == "retired")
            net.logs.put_table(Enrolled("1", "in", "", od.public_of(box.key)))
            net.office.read()
            did = ms.encode(od.did_signed(ms.Did(n=n, code="done"), box.key, HALL, "1"))
            net.director._heard(Said(f"tc/1/{HALL}/t/1/did", did, False))
            assert net.logs.tables()["1"].state == "in"

    asyncio.run(play())


def test_one_tables_messages_end_nothing_and_the_others_are_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with Net(tmp_path, ("1", "2"), is_real=False) as net:
            bad, good = net.boxes["1"], net.boxes["2"]
            good.play(2)
            await until(lambda: net.director.seen.get("2") is not None and net.director.seen["2"].is_up)

            def say(what: str, data: bytes) -> None:
                net.fake.take("1", f"tc/1/{HALL}/t/1/{what}", data, is_retained=False)

            def broken(_table: str, _text: str) -> str:
                raise RuntimeError("a fault of the program")

            net.director.on_result = broken
            say("log", _part(packed=True, line="é" * 40))
            say("enrol", msgspec.json.encode(Asking("é" * 20, "p" * 40)))
            say("result", b"\xff" * 100)
            did = ms.Did(n=999, code="done")
            say("did", ms.encode(od.did_signed(did, bad.key, HALL, "1")))
            await until(lambda: len(net.told) >= 4)
            assert all(one.startswith("table 1") for one in net.told)
            assert any("RuntimeError: a fault of the program" in one for one in net.told)
            assert any("an order that was given, got 999" in one for one in net.told)
            good.play(3)
            await until(lambda: good.book.course is not None and good.book.course.acked == len(good.lines))
            assert not net._running.done()
            assert net.logs.answers() == {}
            # A fault where what came is stored: the table is told nothing, so it sends it again.
            real, faults = Intake.take, [RuntimeError("while storing")]

            def take(self: Intake, part: ms.LogPart) -> object:
                if faults:
                    raise faults.pop()
                return real(self, part)

            monkeypatch.setattr(Intake, "take", take)
            good.play(1)
            await until(lambda: good.book.course is not None and good.book.course.acked == len(good.lines))
            assert not net._running.done()

    asyncio.run(play())


def test_a_log_whose_setup_is_none_is_still_written_for_a_dead_box(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    line = '{"command":"x","args":{"setup":[1]}}'
    taken = Intake("1", logs.of("1")).take(ms.decode(ms.LogPart, _part(line=line), "t"))
    logs.add([("1", one) for one in taken.entries])
    (made,) = written(logs, tmp_path / "out")
    assert made.read_bytes().splitlines()[1].decode() == line
    logs.close()


@pytest.mark.parametrize("acked", [-1, 1 << 50])
def test_how_far_the_hall_had_come_is_read_strictly(acked: int) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(json.dumps(["ab", HASH, acked, HASH]), type=Cursor)


@pytest.mark.parametrize("body", [b"\x91" * 1150 + b"\xc0", b"\x92\x01" + b"\x91" * 1100 + b"\xc0"])
def test_a_result_nested_without_end_is_refused_whoever_signed_it(body: bytes) -> None:
    key = Ed25519PrivateKey.generate()
    signed = od.public_of(key) + key.sign(result._PREFIX + body) + body
    with pytest.raises(HallError, match="the signed result cannot be read"):
        result.read_result(f"{result.MARK}{base45.encode(signed)}/")


def test_a_record_whose_copy_is_nested_without_end_is_repaired_before_it(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    begun = hp.TournamentBegun("a" * 32, "Cup", hp.Rules(), "seed")
    store = Store.begin(folder, begun, "now")
    whole = (folder / "tournament.jsonl").read_bytes()
    for line in (b"[" * 100_000, b'{"v":1,"at":"x","what":' + b"[" * 5000 + b"]" * 5000 + b"}"):
        store.path.unlink()
        (folder / "tournament.jsonl").write_bytes(whole + line + b"\n")
        assert repaired(folder, lambda: "now") == (1, "tournament.jsonl")
        assert Store(folder).tournament.name == "Cup"


@pytest.mark.parametrize(
    "kind", ["a pipe", "an endless device", "a link to another's file", "a link to nowhere"]
)
def test_what_stands_in_the_copys_place_holds_nobody_up_and_leads_no_writing_elsewhere(
    tmp_path: Path, kind: str
) -> None:
    store = Store.begin(tmp_path / "cup", hp.TournamentBegun("a" * 32, "Cup", hp.Rules(), "seed"), "now")
    copy, mine = store.folder / "tournament.jsonl", tmp_path / "mine"
    mine.write_text("mine")
    for name in (copy, copy.with_name(f"{copy.name}.new")):
        name.unlink(missing_ok=True)
        if kind == "a pipe":
            os.mkfifo(name)
        else:
            leads = {"an endless device": Path("/dev/zero"), "a link to nowhere": tmp_path / "new"}
            name.symlink_to(leads.get(kind, mine))
    assert "differs" in store.check()
    assert repaired(store.folder, lambda: "now") == (1, "tournament.hall")
    assert Store(store.folder).check() == ""
    copy.unlink()
    os.mkfifo(copy) if kind == "a pipe" else copy.symlink_to(mine)
    Store(store.folder).add([hp.Entered(hp.Player(1, "Anna"))], "now")
    assert Store(store.folder).check() == ""
    assert copy.is_file()
    assert not copy.is_symlink()
    assert mine.read_text() == "mine"
    assert not (tmp_path / "new").exists()
