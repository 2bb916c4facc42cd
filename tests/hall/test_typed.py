"""What people type and what files hold: a number that is none, or that cannot be meant, is refused in one line."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion import hall_command
from companion.hall import happenings as hp
from companion.hall import record as re
from companion.hall.desk.web.desk import Desk
from companion.hall.desk.web.lives import _add_time
from companion.hall.desk.web.port import NoLink
from companion.hall.errors import HallError
from companion.hall.intake import carded, taken
from companion.hall.orders import legible
from companion.hall.result import SignedResult, read_result, seat_of, written_result
from companion.hall.store import Store
from companion.hall.typed import amount_in, figure_in, host_in, whole_in

NUMBERS = ("²", "9" * 5000, "9" * 30, "--5", "-", "1e5", "1.5", "1_0", "٣", "")
"""Texts that Python takes for digits or for numbers, and no director means."""


def _hall(*args: object) -> int:
    return hall_command.main([str(one) for one in args])


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A tournament of four, its first round paired."""
    (tmp_path / "p.csv").write_text("name\nAnna\nBen\nCarl\nDora\n", encoding="utf-8")
    assert _hall("new", tmp_path / "cup", "--name", "Cup", "--sides", "Axis,Allies") == 0
    assert _hall("import", tmp_path / "cup", tmp_path / "p.csv") == 0
    assert _hall("pair", tmp_path / "cup") == 0
    return tmp_path / "cup"


def test_a_number_is_digits_and_none_that_nobody_means() -> None:
    assert [whole_in(one) for one in NUMBERS] == [None] * len(NUMBERS)
    assert [figure_in(one) for one in NUMBERS] == [None] * len(NUMBERS)
    assert (whole_in(" 12 "), figure_in("-12"), whole_in("-1"), figure_in("1000001")) == (12, -12, None, None)


@pytest.mark.parametrize("number", NUMBERS[:-1])
def test_every_command_refuses_a_number_that_is_none(
    cup: Path, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (cup / "tournament.jsonl").read_bytes()
    players = cup / "more.csv"
    players.write_text(f"name,rating\nEve,{number}\n", encoding="utf-8")
    capsys.readouterr()
    for command in (
        ("import", cup, players),
        ("result", cup, "1", "Anna", f"--vp={number}:1"),
        ("result", cup, "1", "Anna", f"--left={number}:0,1:0"),
        ("result", cup, f"0{number}-1-AAAA", "draw"),
        ("result", cup, f"1-{number}-AAAA", "draw"),
        ("withdraw", cup, f"0{number} "),
    ):
        assert _hall(*command) == 1, command
        told = capsys.readouterr().err
        assert told.startswith("companion hall: "), command
        assert told.count("\n") == 1, command
        assert "Traceback" not in told
    assert (cup / "tournament.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "text", ['name\n"' + "A" * 200_000 + '"\n', "name,rating\nEve,²\n", "name\rEve\rEve\r", 'name\n"Eve\n']
)
def test_a_file_of_players_that_is_no_table_enters_nobody_or_all(
    cup: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (cup / "more.csv").write_bytes(text.encode())
    code = _hall("import", cup, cup / "more.csv")
    told = capsys.readouterr().err
    assert code in (0, 1)
    assert code == 0 or told.startswith(f"companion hall: {cup / 'more.csv'}")
    assert code == 0 or len(Store(cup).tournament.players) == 4


def test_a_file_of_players_with_a_column_twice_enters_nobody(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.csv").write_text("name,Rating,rating\nAnna,1500,1900\n", "utf-8")
    assert _hall("import", cup, tmp_path / "p.csv") == 1
    assert "expected each column once, got 'rating' twice; nobody was entered" in capsys.readouterr().err


def test_a_file_of_players_that_is_no_file_is_refused_at_once(
    cup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(cup / "pipe.csv")
    with (cup / "large.csv").open("wb") as file:
        file.truncate(1 << 33)
    for name in (cup / "pipe.csv", cup / "large.csv", "/dev/zero", cup):
        assert _hall("import", cup, name) == 1
        assert capsys.readouterr().err.startswith(f"companion hall: {name}: ")


def test_a_form_with_a_number_that_is_none_is_refused(cup: Path) -> None:
    desk = Desk(cup, NoLink(), now_ms=lambda: 0, wall=lambda: datetime.now(UTC))
    for number in NUMBERS:
        for fields in (
            {"act": "paper", "round": "1", "table": "1", "winner": "draw", "vp1": number or "x", "vp2": "1"},
            {"act": "decide", "round": number, "table": "1", "winner": "draw"},
            {"act": "swap", "one": number, "other": "1"},
            {"act": "box", "table": number, "box": "A" * 16},
        ):
            with pytest.raises(HallError):
                desk.act(fields)
        with pytest.raises(HallError):
            _add_time({"seconds": number, "side": "axis", "reason": "fire"})
        with pytest.raises(HallError):
            seat_of(f"1-{number}-K7QF")
        assert carded(desk.now, [(number, b"k" * 32, True)]) == []
    with pytest.raises(HallError, match="player 0 is not in round 1"):
        desk.act({"act": "swap", "one": "0", "other": "1"})


def test_a_signed_result_with_figures_that_no_game_has_is_refused(cup: Path) -> None:
    store, key = Store(cup), Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    now = store.add([hp.BoxKnown(1, legible(public))], "now")
    sign = re.code_of(now, 1, re.pairing_at(now, 1, 1)).rpartition("-")[2]

    def text(vp: dict[str, int], left: dict[str, int]) -> str:
        made = SignedResult(1, sign, 1, 1, b"\xab", b"", 5, None, "played", "", vp, left, (), b"\0" * 32)
        return written_result(made, public, key.sign)

    for high in (1 << 63, -(1 << 63), 1_000_001):
        for figures in (({"axis": high, "allies": 1}, {}), ({}, {"axis": 1, "allies": high})):
            with pytest.raises(HallError, match="table 1 names"):
                taken(now, read_result(text(*figures)), "code")
    assert taken(now, read_result(text({"axis": -3, "allies": 12}, {})), "code").table == 1


def test_an_address_is_a_name_and_a_card_is_for_its_table_alone(
    cup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("aiomqtt")
    for address in (
        "127.0.0.1\nallow_anonymous true",
        "127.0.0.1 x",
        "127.0.0.1\n",
        "\x1b[2J",
        "ü.de",
        "#x",
        "/x",
        "a" * 101,
        "127.0.0.1:",
        *(f"127.0.0.1:{number}" for number in NUMBERS),
    ):
        assert _hall("table", "add", cup, "7", "--address", address) == 1, address
        assert "--address: expected IP or IP:PORT" in capsys.readouterr().err
    assert _hall("table", "add", cup, "7", "--address", "hall-1.lan:8884", "--out", cup / "cards.html") == 0
    assert (cup / "cards.html").stat().st_mode & 0o077 == 0, "whoever reads a card can be that table"
    assert "hall-1.lan 8884" in (cup / "cards.html").read_text(encoding="utf-8")
    for tables in ("1..²", "²..3", "9" * 5000 + "..1"):
        assert _hall("table", "add", cup, tables) == 1


def test_an_address_is_one_that_a_machine_can_have_or_a_name_of_one() -> None:
    fine = ("192.168.1.20", "127.0.0.1", "localhost", "hall.local", "broker-2.venue.example")
    assert [host_in(one) for one in fine] == list(fine)
    none = (
        "999.1.1.1",
        "1.2.3",
        "1.2.3.4.5",
        "256.0.0.1",
        "0x7f.1",
        "123",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
    )
    assert [host_in(one) for one in (*none, "", "a..b", "-x", "a b", "x" * 101, "1.2.3.4\n", "١.1.1.1")] == [
        None
    ] * 16


def test_an_amount_is_digits_with_decimals_at_most() -> None:
    assert [amount_in(one) for one in ("nan", "inf", "-1", "1e3", "1_0", ".5", "5.", "9" * 9)] == [None] * 8
    assert (amount_in("0.5"), amount_in("30")) == (0.5, 30.0)


@pytest.mark.parametrize("address", ["999.1.1.1", "256.0.0.1:1883", "0.0.0.0", "1.1.1.1:0"])
def test_no_card_is_made_for_an_address_that_is_none(
    cup: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("aiomqtt")
    capsys.readouterr()
    assert _hall("table", "add", cup, 1, f"--address={address}") == 1
    told = capsys.readouterr()
    assert (told.out, "--address: expected IP or IP:PORT" in told.err) == ("", True)
    assert _hall("table", "list", cup) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "content",
    [
        "name,name\nEve,Fay\n",
        "name,club,Club\nEve,a,b\n",
        "name,rating\nEve,1,2\n",
        "name\n",
        'name\n"Eve\n',
    ],
)
def test_a_list_whose_columns_are_not_clear_enters_nobody(
    cup: Path, tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (cup / "tournament.jsonl").read_bytes()
    players = tmp_path / "more.csv"
    players.write_text(content, encoding="utf-8")
    capsys.readouterr()
    assert _hall("import", cup, players) == 1
    assert "nobody was entered" in capsys.readouterr().err
    assert (cup / "tournament.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "call",
    [
        ("table", "add", "{cup}", 3, 3),
        ("table", "add", "{cup}", 5, "007"),
        ("table", "retire", "{cup}", 1, "zzz"),
        ("table", "confirm", "{cup}", 1),
        ("show", "{cup}", "--round", 9),
        ("add", "{cup}", "Eve", "--rating", -5),
        ("cancel", "{cup}", "--reason", " "),
        ("box", "{cup}", 1, "K7QF-2MHD-X4PR-9018"),
        ("run", "{cup}", "--headless", "--ca", "x.pem"),
        ("new", "{cup}2", "--name", "X", "--sides", "Axis,axis"),
        ("new", "{cup}2", "--name", "X", "--tie-breaks", "vp,vp"),
        ("new", "{cup}2", "--name", "X", "--by-difference", "5=15:5,5=16:4"),
        ("new", "{cup}2", "--name", "X", "--by-difference", "5=-15:5"),
        ("new", "{cup}2", "--name", "X", "--points", "1e0,0,0,0,0,0"),
        ("new", "{cup}2", "--name", "X", "--seed", ""),
    ],
)
def test_a_call_that_cannot_be_meant_changes_nothing(
    cup: Path, call: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("aiomqtt")
    assert _hall("table", "add", cup, 1, "--address", "127.0.0.1") == 0
    capsys.readouterr()
    assert _hall("table", "list", cup) == 0
    before = ((cup / "tournament.jsonl").read_bytes(), capsys.readouterr().out)
    assert _hall(*(str(one).replace("{cup}", str(cup)) for one in call)) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert _hall("table", "list", cup) == 0
    assert ((cup / "tournament.jsonl").read_bytes(), capsys.readouterr().out) == before
    assert not cup.with_name("cup2").exists()


def test_faults_of_a_simulation_are_seconds_kinds_and_tables(tmp_path: Path) -> None:
    pytest.importorskip("aiomqtt")
    from companion.hall_faults import faults_in

    for line in (
        "nan kill-broker",
        "-5 kill-broker",
        "5 cut 9..1",
        "5 cut 300",
        "5 kill-broker 3 4",
        "5 cut 1 nan",
        "5 cut 1_0",
    ):
        (tmp_path / "faults").write_text(line, encoding="utf-8")
        with pytest.raises(HallError, match="line 1: expected SECOND KIND"):
            faults_in(tmp_path / "faults")
    (tmp_path / "faults").write_bytes(b"\xff\xfe")
    with pytest.raises(HallError, match="expected text saved as UTF-8"):
        faults_in(tmp_path / "faults")
    with pytest.raises(HallError, match="expected at most 1048576 bytes"):
        faults_in(Path("/dev/zero"))


def test_a_club_that_no_sheet_can_show_is_refused(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (cup / "tournament.jsonl").read_bytes()
    (tmp_path / "in.csv").write_text("name,country\nZoe,\u202edne\n", encoding="utf-8")
    assert _hall("add", cup, "Zoe", "--club", "\x1b[31m") == 1
    assert _hall("import", cup, tmp_path / "in.csv") == 1
    told = capsys.readouterr().err
    assert "--club: expected up to 60 letters, got" in told
    assert "in.csv, line 2: country: expected up to 60 letters, got" in told
    assert (cup / "tournament.jsonl").read_bytes() == before


def test_a_folder_that_is_a_file_holds_no_tournament(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes").write_text("none")
    assert _hall("standings", tmp_path / "notes") == 1
    assert "holds no tournament" in capsys.readouterr().err


def test_an_address_of_another_machine_is_named_at_once_with_those_of_this_one(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("uvicorn")
    pytest.importorskip("aiomqtt")
    from companion.gateway.addresses import is_elsewhere, own_addresses
    from companion.hall.desk.broker import Broker
    from companion.hall.desk.hall import Hall

    other = "192.0.2.7"  # RFC 5737: nobody's
    why = f"{other} is no address of this machine, which has "
    assert "127.0.0.1" in map(str, own_addresses())
    assert not any(is_elsewhere(str(one)) for one in own_addresses())
    assert _hall("table", "add", cup, 1, "--address", "127.0.0.1") == 0
    assert _hall("run", cup, "--port", 0, "--headless", "--tables", other) == 1
    told = capsys.readouterr().err
    assert f"--tables: {why}" in told
    assert "127.0.0.1" in told
    with closing(Hall(cup)) as hall:
        assert hall.address.host == "127.0.0.1", "nothing was changed"
    assert _hall("run", cup, "--port", 0, "--headless", "--address", "192.168.255.254") == 1
    assert "--address: 192.168.255.254 is no address of this machine" in capsys.readouterr().err
    if Path("/usr/sbin/mosquitto").exists():  # such as a card's address, once another network is plugged in
        with pytest.raises(HallError, match=why):
            Broker(tmp_path / "broker", "cup", other, 1883).start()


def test_no_field_of_the_page_takes_a_sign_that_cannot_be_shown(cup: Path) -> None:
    desk = Desk(cup, NoLink(), now_ms=lambda: 0, wall=lambda: datetime(2026, 5, 2, tzinfo=UTC))
    before = (cup / "tournament.jsonl").read_bytes()
    for field in ("name", "club"):
        for bad in ("\u202edne", "\x1b[31m", "a\x00b"):
            with pytest.raises(HallError, match="has a character that cannot be shown"):
                desk.act({"act": "enter", "name": "Zoe", field: bad})
    with pytest.raises(HallError, match="Club: expected up to 60 letters"):
        desk.act({"act": "enter", "name": "Zoe", "club": "x" * 61})
    with pytest.raises(HallError, match="has a character that cannot be shown"):
        desk.act({"act": "announce", "text": "\u202eLunch"})
    assert (cup / "tournament.jsonl").read_bytes() == before
    told, _page = desk.act({"act": "announce", "text": "Repas \u00e0\u202f13\u202fh"})
    assert (str(told), desk.now.announcement) == ("The hall sees it.", "Repas \u00e0 13 h")
