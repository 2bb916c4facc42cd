"""A real table in a hall: the app's own desk with a real game, the real link as a process, a real broker, the real director."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hall_net import HALL, Net, needs_mosquitto, until

from companion.adapters import hall as hl
from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.core import commands as cm
from companion.hall import orders as od
from companion.hall.desk.ca import CA
from companion.pages.hall import hall_line
from companion.pages.table import main_command
from companion.session.portable import portable_bytes
from companion.session.signing_key import SigningKeyFile

pytestmark = [needs_mosquitto, pytest.mark.long]


class Table:
    """A box with a data folder."""

    def __init__(self, home: Path) -> None:
        self.home, self.faults, self.notices = home, list[BaseException](), list[object]()
        self.start()

    def start(self) -> None:
        self.desk = ShellDesk(self.home / "data", GameCatalogue(), post=lambda call: call())
        self.port = hl.HallPort(
            self.desk,
            self.home / "data" / "keys",
            post=lambda call: call(),
            on_fault=self.faults.append,
            folder=lambda: self.home,
            notify=self.notices.append,
            begin=self.desk.start,
        )

    def enrol(self, net: Net, *, ca: str = "", table: str = "17") -> None:
        assert net.broker is not None
        ca = ca or (net.broker.folder / CA).read_text(encoding="ascii")
        member = hl.Membership(
            HALL, table, "127.0.0.1", net.broker.port, net.passwords[table], ca, net.public.hex()
        )
        hl.keep(self.home / "data" / "keys", member)

    def begin(self, scenario: str = "italy") -> None:
        self.desk.start(self.desk.make_setup("sfw96", scenario, {"players": 2, "tournament": True}))
        self.desk.session.sync()

    def press(self, count: int) -> None:
        for _n in range(count):
            change = self.desk.session.sync()
            self.desk.send(main_command(change.state, self.desk.now_ms()))
        self.desk.session.sync()

    def play(self, count: int) -> None:
        for n in range(count):
            self.desk.send(cm.AddNote(text=f"note {n}"))
        self.desk.session.sync()

    def lines(self) -> list[bytes]:
        session = self.desk.session
        return portable_bytes(session.entries(), session.codec, "").splitlines()[1:]

    def stop(self) -> None:
        self.port.close()
        self.desk.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.stop()
    assert not made.faults


def _held(net: Net) -> dict[str, list[bytes]]:
    return {one.branch: net.logs.course(one) for one in net.logs.branches("17")}


def _is_held(net: Net, table: Table) -> bool:
    return table.lines() in _held(net).values()


def _play(tmp_path: Path, play: object) -> None:
    async def run() -> None:
        async with Net(tmp_path / "hall", (), is_real=True) as net:
            net.passwords["17"] = "a password of table 17"
            from companion.hall.desk.broker import hashed
            from companion.hall.desk.logs import Enrolled

            public = SigningKeyFile(tmp_path / "data" / "keys").ensure().public
            net.logs.put_table(Enrolled("17", "in", hashed(net.passwords["17"]), public))
            net.office.read()
            await play(net)  # type: ignore[operator]

    asyncio.run(run())


def test_the_hall_holds_a_tables_own_log_whatever_process_dies(tmp_path: Path, table: Table) -> None:
    async def play(net: Net) -> None:
        table.enrol(net)
        table.begin()
        table.port.start()
        table.play(20)
        await until(lambda: _is_held(net, table))
        state = lambda: net.director.seen["17"].state  # noqa: E731
        await until(lambda: state() is not None and state().seq == len(table.lines()))  # type: ignore[union-attr]
        assert state().kind == "sfw96"  # type: ignore[union-attr]
        serving = table.port._serving
        assert serving is not None
        child = serving._child
        assert child is not None
        child.kill()
        table.play(5)
        await until(lambda: not net.director.seen["17"].is_up)
        await until(lambda: _is_held(net, table))
        net.kill_broker()
        table.play(5)
        net.start_broker()
        await until(lambda: _is_held(net, table))
        table.desk.cut_power()
        table.port.close()
        table.start()
        left = table.desk.left_open()
        assert left is not None
        table.desk.open(left)
        table.play(3)
        table.port.start()
        await until(lambda: _is_held(net, table))
        assert len(_held(net)) == 1, "a power cut that loses nothing makes no branch"

    _play(tmp_path, play)


@pytest.mark.long
def test_a_link_that_stays_frozen_is_told_and_started_again(tmp_path: Path, table: Table) -> None:
    async def play(net: Net) -> None:
        table.enrol(net)
        table.begin()
        table.port.start()
        table.play(3)
        await until(lambda: _is_held(net, table))
        serving = table.port._serving
        assert serving is not None
        child = serving._child
        assert child is not None
        os.kill(child.pid, signal.SIGSTOP)
        table.play(5)
        await until(lambda: serving._child is not child and table.port.state.is_linked)
        table.play(5)
        await until(lambda: _is_held(net, table))
        assert "The link to the hall stood still. It was started again; play goes on." in [
            str(getattr(one, "text", "")) for one in table.notices
        ]

    _play(tmp_path, play)


def test_a_game_that_ended_while_the_hall_was_away_comes_when_it_is_back(
    tmp_path: Path, table: Table
) -> None:
    async def play(net: Net) -> None:
        net.stop_director()
        table.enrol(net)
        table.begin()
        table.port.start()
        table.play(8)
        first = table.lines()
        table.stop()
        table.start()
        table.begin("apr43")
        table.port.start()
        table.play(2)
        net.start_director()
        await until(lambda: first in _held(net).values() and _is_held(net, table))

    _play(tmp_path, play)


def test_orders_become_entries_of_the_arbiter_from_the_hall_or_are_refused_with_the_usual_codes(
    tmp_path: Path, table: Table
) -> None:
    async def play(net: Net) -> None:
        table.enrol(net)
        table.begin()
        table.port.start()
        await until(lambda: "17" in net.director.seen)

        async def answer(what: od.Any_) -> str:
            n = net.director.order("17", what)
            await until(lambda: net.director.answers(n))
            return net.director.answers(n)["17"][0]

        while table.desk.session.change.state.clocks.running is None:
            table.press(1)
        side = str(table.desk.change.state.frozen_setup.sides[0].id)  # type: ignore[union-attr]
        assert await answer(od.AddTime(side, 60_000, "slow dice")) == "done"
        assert await answer(od.Adjourn()) == "done"
        assert await answer(od.Pause("lunch")) == "paused"
        assert await answer(od.Resume()) == "done"
        assert await answer(od.Resume()) == "not_paused"
        assert await answer(od.AddTime("nobody", 60_000, "x")) == "unknown_side"
        assert await answer(od.Message("Lunch at one.")) == "done"
        assert table.port.state.message == "Lunch at one."
        assert await answer(od.LastRound("4:00")) == "done"
        assert table.port.state.is_last_round
        assert await answer(od.End(None, "agreed")) == "done"
        assert await answer(od.Pause()) == "game_over"
        entries = [one for one in table.desk.entries() if one.source == "hall"]
        kinds = [type(one.command).__name__ for one in entries]
        assert kinds == ["CorrectTime", "Adjourn", "Resume", "AddNote", "EndGame"]
        assert {one.actor for one in entries} == {"arbiter"}
        await until(lambda: _is_held(net, table))

    _play(tmp_path, play)


def test_a_table_is_seated_begun_by_the_director_or_a_tap_and_signs_with_the_slip_it_was_given(
    tmp_path: Path, table: Table
) -> None:
    async def play(net: Net) -> None:
        table.enrol(net)
        table.port.start()
        await until(lambda: "17" in net.director.seen)

        async def answer(what: od.Any_) -> str:
            n = net.director.order("17", what)
            await until(lambda: net.director.answers(n))
            return net.director.answers(n)["17"][0]

        names = {"axis": "Ben", "allies": "Anna"}
        first = od.Seat(1, "sfw96", "italy", names, code="9F3A21C0.1-17-K7QF")
        assert await answer(od.Start(1)) == "not_seated"
        assert await answer(first) == "done"
        assert table.desk.change is None
        assert await answer(od.Start(1)) == "done"
        state = lambda: net.director.seen["17"].state  # noqa: E731
        await until(lambda: state() is not None and state().round == 1)  # type: ignore[union-attr]
        assert state().names == {"axis": "Ben", "allies": "Anna"}  # type: ignore[union-attr]
        assert await answer(od.Start(1)) == "done", "it goes on already, and only once"
        assert len(table.desk.saved_games()) == 1
        assert await answer(od.Seat(2, "sfw96", "italy", names)) == "already_started"
        assert await answer(od.End(None, "agreed")) == "done"
        assert await answer(od.Seat(2, "sfw96", "nowhere", names)) == "bad_value"
        second = net.director.order("17", od.Seat(2, "tsu", "campaign", names))
        await until(lambda: net.director.answers(second))
        assert table.port.state.seat is not None
        table.port.decline()
        await until(lambda: net.director.answers(second)["17"][0] == "declined")
        assert await answer(od.Seat(2, "tsu", "campaign", names)) == "done"
        table.port.begin()
        await until(lambda: state().kind == "tsu" and state().round == 2)  # type: ignore[union-attr]
        await until(lambda: _is_held(net, table))

    _play(tmp_path, play)


def test_calling_the_director_reaches_him_with_the_reason(tmp_path: Path, table: Table) -> None:
    async def play(net: Net) -> None:
        table.enrol(net)
        table.begin()
        table.port.start()
        await until(lambda: net.director.seen.get("17") and net.director.seen["17"].state)
        net.director.round_now = lambda: (3, 90_000)
        await until(lambda: table.port.state.round_left_ms is not None)
        line = hall_line(table.port.state, table.desk.now_ms())
        assert line is not None
        assert str(line[0]).startswith("Table 17 · Round 3 · 8")
        assert net.director.seen["17"].state.round == 0, "its game is of no round"  # type: ignore[union-attr]
        table.port.call("dice")
        await until(lambda: net.director.seen["17"].state.wants == "dice")  # type: ignore[union-attr]
        table.port.call("")
        await until(lambda: net.director.seen["17"].state.wants == "")  # type: ignore[union-attr]

    _play(tmp_path, play)


def test_a_wrong_certificate_and_a_retired_table_are_told_by_name_and_the_table_plays_on(
    tmp_path: Path, table: Table
) -> None:
    async def play(net: Net) -> None:
        from companion.hall.desk.ca import ensure_certificates

        ensure_certificates(tmp_path / "other", ("127.0.0.1",))
        table.enrol(net, ca=(tmp_path / "other" / CA).read_text(encoding="ascii"))
        table.begin()
        table.port.start()
        await until(lambda: table.port.state.why)
        assert table.port.state.why == "certificate"
        table.play(3)
        assert not _held(net)
        table.port.close()
        table.enrol(net)
        net.office.retire("17")
        table.port.start()
        await until(lambda: table.port.state.why == "refused")
        table.play(3)
        assert not _held(net)

    _play(tmp_path, play)


def test_the_app_has_no_socket_to_the_network_and_its_link_no_game_file(tmp_path: Path, table: Table) -> None:
    def sockets(pid: int) -> set[str]:
        inodes = set()
        for one in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                target = os.readlink(one)
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
        return inodes

    def network(pid: int) -> set[str]:
        rows = [
            line.split()[9]
            for name in ("tcp", "tcp6", "udp", "udp6")
            for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
        ]
        return sockets(pid) & set(rows)

    async def play(net: Net) -> None:
        table.enrol(net)
        table.begin()
        await until(lambda: net.director._link.is_up)
        before = network(os.getpid())
        table.port.start()
        await until(lambda: _is_held(net, table))
        serving = table.port._serving
        assert serving is not None
        assert serving._child is not None
        child = serving._child.pid
        assert len(network(child)) == 1
        assert network(os.getpid()) - before == set(), "the test itself holds the director's, nothing else"
        files = {os.readlink(one) for one in Path(f"/proc/{child}/fd").iterdir() if one.is_symlink()}
        assert not [one for one in files if str(table.home / "data") in one]
        modules = Path(f"/proc/{child}/maps").read_text()
        assert "kivy" not in modules
        status = Path(f"/proc/{child}/status").read_text()
        rss = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
        assert rss < 64 << 10, f"{rss} KiB"
        print("link's process:", rss, "KiB")

    _play(tmp_path, play)
