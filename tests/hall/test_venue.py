"""The venue's own broker: mosquitto with a configuration, a certificate and users that are none of ours."""

from __future__ import annotations

import asyncio
import base64
import getpass
import random
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hall_net import needs_mosquitto, until
from test_enrolment import _hall, _start
from test_hall_table import Table

from companion.hall import orders as od
from companion.hall.desk.broker import free_port, hashed, mosquitto
from companion.hall.desk.ca import CA, CERT, KEY, ensure_certificates
from companion.hall.desk.director import Director
from companion.hall.desk.enrol import Asking, Granted, card_in, proof_of
from companion.hall.desk.hall import Hall
from companion.hall.desk.venue import venue_of
from companion.hall.errors import HallError
from companion.hall.link.enrolling import enrolled
from companion.hall.link.mqtt import MqttLink
from companion.hall.link.port import Where
from companion.hall.messages import topic_to
from companion.hall.orders import public_of
from companion.session.files import read_source
from companion.testing.waiting import until as waited_for

pytestmark = needs_mosquitto
USER, PASSWORD = "club-hall", "open sesame, 7 times"


class AtVenue(NamedTuple):
    """What the venue's people have set up, and what they tell the director."""

    folder: Path
    port: int
    child: list[subprocess.Popen[bytes]]

    def reload(self) -> None:
        """Have the broker read its users and rights anew, as its people do."""
        self.child[0].send_signal(signal.SIGHUP)

    @property
    def options(self) -> tuple[str, ...]:
        """The director's, on a command line."""
        given = ("--ca", str(self.folder / CA), "--user", USER, "--password-file", str(self.folder / "word"))
        return ("--broker", f"127.0.0.1:{self.port}", *given)

    def where(self, client: str) -> Where:
        return Where("127.0.0.1", self.port, USER, PASSWORD, (self.folder / CA).read_text(), client)


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[AtVenue]:
    made = AtVenue(tmp_path / "venue", free_port(), [])
    ensure_certificates(made.folder, ("127.0.0.1",))
    (made.folder / "word").write_text(PASSWORD + "\n")
    (made.folder / "users").write_text(f"{USER}:{hashed(PASSWORD)}\nlights:{hashed('on')}\n")
    (made.folder / "acl").write_text(
        f"user {USER}\ntopic readwrite tc/1/#\nuser lights\ntopic readwrite lights/#\n"
    )
    conf = made.folder / "venue.conf"
    conf.write_text(
        f"listener {made.port} 127.0.0.1\nallow_anonymous false\npersistence false\nuser {getpass.getuser()}\n"
        f"password_file {made.folder / 'users'}\nacl_file {made.folder / 'acl'}\n"
        f"certfile {made.folder / CERT}\nkeyfile {made.folder / KEY}\n"
    )
    (made.folder / "users").chmod(0o600)
    child = subprocess.Popen([mosquitto() or "", "-c", str(conf)], stderr=subprocess.DEVNULL)
    made.child.append(child)
    for _n in range(200):
        with suppress(OSError), socket.create_connection(("127.0.0.1", made.port), 0.5):
            break
        time.sleep(0.02)
    yield made
    child.terminate()
    child.wait(10)


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    assert _hall("new", tmp_path / "cup", "--name", "Cup") == 0
    return tmp_path / "cup"


@asynccontextmanager
async def _directing(hall: Hall, told: list[str]) -> AsyncIterator[Director]:
    director = hall.director(told.append, None)
    running = asyncio.create_task(director.run())
    try:
        await until(lambda: director.is_linked)
        yield director
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def _at(cup: Path, venue: AtVenue) -> Hall:
    hall = Hall(cup)
    hall.set_venue(
        f"127.0.0.1:{venue.port}", venue_of(venue.folder / CA, USER, venue.folder / "word", read_source)
    )
    return hall


def test_only_who_holds_the_card_is_let_in_and_only_by_the_cards_director(cup: Path, venue: AtVenue) -> None:
    """The venue's broker checks no card and bars nobody from a table's topics, so both sides prove that they know the secret."""
    hall, told = _at(cup, venue), list[str]()
    card = card_in(hall.card("17").text)
    assert card.venue == hall.venue
    assert (card.host, card.port) == ("127.0.0.1", venue.port)

    async def play() -> None:
        async with _directing(hall, told):
            rogue = MqttLink(venue.where("rogue"), (f"tc/1/{hall.id}/#",), chance=random.random)
            heard: list[tuple[str, bytes]] = []
            going = asyncio.create_task(
                rogue.run(lambda said: heard.append((said.topic, said.data)), lambda _up, _why: None)
            )
            await until(lambda: rogue.is_up)
            other = base64.b64encode(b"r" * 32).decode()
            for proof in ("", proof_of("A" * 26, b"r" * 32)):
                asking = Asking(other, "p" * 40, proof)
                assert await rogue.publish(topic_to(hall.id, "t", "17", "enrol"), msgspec.json.encode(asking))
            await until(lambda: sum("proof: expected" in one for one in told) >= 1)
            assert hall.logs.tables()["17"].state == "card"
            box = asyncio.create_task(enrolled(card, b"b" * 32, "w" * 40, wait_s=20, told=lambda _text: None))
            await until(lambda: any("table 17 asks to be let in" in one for one in told))
            seen = next(data for topic, data in heard if topic.endswith("/17/enrol") and b"r" * 9 not in data)
            proof = msgspec.json.decode(seen, type=Asking).proof
            forged = Granted(other, base64.b64encode(b"b" * 32).decode(), proof)
            await rogue.publish(topic_to(hall.id, "d", "17", "enrolled"), msgspec.json.encode(forged))
            await rogue.publish(topic_to(hall.id, "t", "17", "up"), b"1")
            hall.office().confirm("17")
            ca, director = await box
            assert director == public_of(hall.key), "not whom the rogue named"
            assert ca == venue.folder.joinpath(CA).read_text()
            going.cancel()
            await asyncio.gather(going, return_exceptions=True)

    asyncio.run(play())
    assert hall.logs.tables()["17"].key == b"b" * 32
    hall.close()


@pytest.mark.filterwarnings(  # of the client library, whose handshake failed
    "ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
)
def test_what_the_venue_does_not_let_in_is_told(cup: Path, venue: AtVenue, tmp_path: Path) -> None:
    hall = _at(cup, venue)
    card = card_in(hall.card("17").text)
    assert card.venue is not None

    def refused(other: object) -> str:
        with pytest.raises(HallError) as found:
            asyncio.run(enrolled(other, b"b" * 32, "w" * 40, wait_s=8, told=lambda _t: None))  # type: ignore[arg-type]
        return str(found.value)

    wrong = msgspec.structs.replace(card, venue=card.venue._replace(password="guessed"))
    assert f"the venue's broker refuses user {USER}" in refused(wrong)
    ensure_certificates(tmp_path / "other", ("127.0.0.1",))
    foreign = msgspec.structs.replace(
        card, venue=card.venue._replace(ca=(tmp_path / "other" / CA).read_text())
    )
    assert "the certificate is not of this hall; nothing was sent" in refused(foreign)
    named = msgspec.structs.replace(card, host="localhost")  # the venue's authority has not signed this name
    assert "the certificate is not of this hall" in refused(named)
    hall.close()


def test_the_options_of_a_venue_name_what_is_wrong(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    word, ca = tmp_path / "word", tmp_path / "ca.pem"
    word.write_text("one\ntwo\n")
    ca.write_text("no certificate")
    run = ("run", cup, "--headless", "--port", "0", "--broker", "10.0.0.5:8883")
    for more, said in (
        ((), "--ca and --user and --password-file as well"),
        (("--ca", ca, "--user", "x", "--password-file", tmp_path / "none"), "cannot be read"),
        (
            ("--ca", ca, "--user", "x", "--password-file", word),
            "expected one line of 1 to 120 characters, got 2 lines",
        ),
        (
            ("--ca", ca, "--user", "x", "--password-file", "/dev/zero"),
            "expected one line of 1 to 120 characters, got more",
        ),
        (("--ca", ca, "--user", "a b", "--password-file", word), "without spaces, got 'a b'"),
    ):
        assert _hall(*run, *more) == 1
        assert said in capsys.readouterr().err
    word.write_text("one\n")
    assert _hall(*run, "--ca", ca, "--user", "x", "--password-file", word) == 1
    assert "expected the certificate of the venue's authority (PEM)" in capsys.readouterr().err
    assert _hall(*run, "--ca", "/dev/zero", "--user", "x", "--password-file", word) == 1
    assert "expected the certificate of the venue's authority (PEM)" in capsys.readouterr().err
    for text in ("TCHALL2 10.0.0.5 8883 ab 1 " + "A" * 26 + " " + "0" * 64 + " eA== eA== " + "A" * 120,):
        with pytest.raises(HallError, match="expected an enrolment card of a hall"):
            card_in(text)


@pytest.mark.long
def test_a_user_without_rights_is_told_at_the_start(cup: Path, venue: AtVenue) -> None:
    """Brokers mostly take what they forbid and say nothing, so the director asks whether its own word comes back."""
    hall = _at(cup, venue)
    given = hall.venue
    assert given is not None
    assert asyncio.run(hall.rights(given)) == ""
    lights = given._replace(user="lights", password="on")
    assert "does not let lights speak and listen at tc/1/" in asyncio.run(hall.rights(lights))
    assert asyncio.run(hall.rights(given._replace(password="guessed"))) == "", "that is told by the link"
    hall.close()


@pytest.mark.long
def test_each_table_can_have_its_own_user_and_rights_that_are_too_wide_are_told(
    cup: Path, venue: AtVenue, tmp_path: Path
) -> None:
    """The director hands two files to the venue; until they are added, and where they were added wrongly, `run` says so."""
    hall = _at(cup, venue)
    given = hall.venue
    assert given is not None
    assert _hall("rights", cup, "1..2", "--out", tmp_path / "for-venue") == 0
    written = {name: (tmp_path / "for-venue" / name).read_text() for name in ("acl", "passwords")}
    user, word = hall.venue_users["1"]
    assert word not in written["passwords"]
    assert f"does not let table 1 in ({user})" in asyncio.run(hall.rights(given))
    (venue.folder / "users").write_text(f"{USER}:{hashed(PASSWORD)}\n{written['passwords']}")
    wide = f"user {USER}\ntopic readwrite tc/1/#\nuser {user}\ntopic readwrite tc/1/#\n"
    for acl, said in ((wide, "speak and listen as another table"), (written["acl"], "")):
        (venue.folder / "acl").write_text(acl)
        venue.reload()
        waited_for(
            lambda said=said: said in (got := asyncio.run(hall.rights(given))) and bool(got) == bool(said)
        )  # type: ignore[misc]
    card = card_in(hall.card("1").text)
    assert card.venue is not None
    assert (card.venue.user, card.venue.password) == (user, word)
    assert _hall("rights", cup, "1..3", "--out", tmp_path / "for-venue") == 0
    assert hall.venue_users["1"] == (user, word), "a card that was printed stays good"

    async def play() -> None:
        other = Where("127.0.0.1", venue.port, *hall.venue_users["2"], card.venue.ca, "")  # type: ignore[union-attr]
        spy, heard = MqttLink(other, (f"tc/1/{hall.id}/#",), chance=random.random), list[str]()
        going = asyncio.create_task(spy.run(lambda said: heard.append(said.topic), lambda _up, _why: None))
        async with _directing(hall, told := list[str]()):
            box = asyncio.create_task(enrolled(card, b"b" * 32, "w" * 40, wait_s=20, told=lambda _text: None))
            await until(lambda: any("table 1 asks to be let in" in one for one in told))
            hall.office().confirm("1")
            await box
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)
        assert {topic.split("/")[3:5][1] for topic in heard} <= {"all"}, "another table hears what is for all"

    asyncio.run(play())
    hall.close()


def test_rights_are_asked_for_where_the_broker_is_a_venues(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _hall("rights", cup, "1", "--out", tmp_path / "x") == 1
    assert "a broker of this hall's own, which has their rights already" in capsys.readouterr().err
    assert _hall("rights", cup, "all", "--out", tmp_path / "x") == 1
    assert "expected a table of one to twelve small letters and digits" in capsys.readouterr().err


@pytest.mark.long
def test_two_tables_play_over_the_venues_broker_by_the_commands_a_person_types(
    cup: Path, venue: AtVenue, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run, cards, enrolment, then real boxes with their links: the hall holds both logs, entry by entry, and nothing is mixed up."""
    running = _start("run", cup, "--headless", "--port", "0", *venue.options)
    assert running.stdout is not None
    first = running.stdout.readline()
    assert f"the venue's broker, as {USER}: every box can read all logs there" in first
    assert f"tables call at 127.0.0.1:{venue.port}" in running.stdout.readline()
    tables = {name: Table(tmp_path / name) for name in ("1", "2")}
    try:
        assert _hall("table", "add", cup, "1", "2") == 0
        cards = capsys.readouterr().out.splitlines()
        for name, text in zip(tables, cards, strict=True):
            (tmp_path / f"{name}.txt").write_text(text + "\n")
            box = _start(
                "enrol", tmp_path / f"{name}.txt", "--data", tmp_path / name / "data", "--wait", "30"
            )
            while "asks to be let in" not in running.stdout.readline():
                pass
            assert _hall("table", "confirm", cup, name) == 0
            assert box.wait(40) == 0
            assert box.stdout is not None
            box.stdout.close()
            assert card_in(text).secret not in (tmp_path / name / "data" / "keys" / "hall.json").read_text()
        for count, one in enumerate(tables.values(), 3):
            one.begin()
            one.port.start()
            one.play(count)
        hall = Hall(cup)
        held = lambda name: [hall.logs.course(one) for one in hall.logs.branches(name)]  # noqa: E731

        async def wait() -> None:
            for name, one in tables.items():
                await until(lambda name=name, one=one: held(name) == [one.lines()])  # type: ignore[misc]

        asyncio.run(wait())
        running.terminate()
        running.wait(20)

        async def order() -> None:
            async with _directing(hall, []) as director:  # another run, which knows the venue from the folder
                sent = {
                    director.order("1", od.Message("Lunch at one.")): "1",
                    director.order("2", od.Adjourn()): "2",
                }
                await until(lambda: all(director.answers(n) for n in sent))
                assert {n: list(director.answers(n)) for n in sent} == {n: [to] for n, to in sent.items()}
                assert {director.answers(n)[to][0] for n, to in sent.items()} == {"done"}
                assert tables["1"].port.state.message == "Lunch at one."
                assert tables["2"].desk.session.change.state.is_adjourned

        asyncio.run(order())
        hall.close()
        assert not any(one.faults for one in tables.values())
    finally:
        for one in tables.values():
            one.stop()
        running.terminate()
        running.wait(20)
        running.stdout.close()
