"""A hall in fast motion: tables that replay recorded games over their own links against a real broker and a real director.

Broker and director are processes of their own, as at an event, and may be killed and frozen; tables may be cut off, restarted
and restored from an old copy. At the end the record is held against the tables' own logs, entry by entry.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

import companion
from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.change import Change
from companion.core.codec import Codec
from companion.core.history import Entry, Timeline
from companion.hall.book import Book
from companion.hall.desk.broker import free_port, hashed
from companion.hall.desk.ca import CA
from companion.hall.desk.hall import Hall
from companion.hall.desk.logs import Enrolled
from companion.hall.errors import HallError
from companion.hall.happenings import Rules, TournamentBegun
from companion.hall.link.mqtt import MqttLink
from companion.hall.link.port import Where, ended
from companion.hall.link.table import TableLink, topics_of, will_of
from companion.hall.messages import encode
from companion.hall.outbox import Cursor
from companion.hall.store import FILE, Store
from companion.hall.wire import Acked, Linked, Shown, Up, Wanted
from companion.hall_faults import NETWORKS, Fault, Proxy
from companion.hall_load import Load, wakes
from companion.pages.hall_state import state_of
from companion.session.game_session import rules_for
from companion.session.journal import SUFFIX, Journal
from companion.session.portable import exported_line, read_portable
from companion.session.replay import FileHost, Player
from companion.session.timesource import ManualTime

__all__ = ["Outcome", "Plan", "simulated"]

_WITH_FILES = 20
"""So many tables keep real game files."""
_STATE_S, _LOOK_S, _STILL_S = 2.0, 0.05, 90.0
"""How often a table says how it stands, how often is looked, and how long nothing may come on before a hall counts as standing still."""
_AT_ONCE, _MOST_WRONG_MS = 64, 11 * 24 * 3_600_000
"""Hundreds of tables share one process here, so each of them is slower than a box of its own."""


class Plan(NamedTuple):
    """What is simulated."""

    tables: int
    seconds: float
    speed: float
    faults: tuple[Fault, ...] = ()
    seed: int = 1
    folder: Path | None = None


class Outcome(NamedTuple):
    """What came of it."""

    figures: dict[str, float | int]
    is_equal: bool
    text: str


class _Recorded(NamedTuple):
    entries: tuple[Entry, ...]
    codec: Codec
    rules: Any


def _recordings() -> list[_Recorded]:
    """Play the recordings that come with the program once, for real, and return their entries."""
    catalogue, found = GameCatalogue(), []
    for path in sorted((Path(companion.__file__).parent / "session" / "demo").glob("*.jsonl")):
        with tempfile.TemporaryDirectory() as scratch:
            clock = ManualTime()
            host = FileHost(Path(scratch), catalogue.rules_of, clock)
            player = Player(read_portable(path), host, clock, catalogue.rules_of, catalogue.make_setup)
            for _played in player.play():
                pass
            session = host.session()
            entries, codec = session.entries(), session.codec
            host.close()
        rules = rules_for(catalogue.rules_of, entries[0].command.setup.game)  # type: ignore[attr-defined]
        found.append(_Recorded(entries, codec, rules))
    return found


class _Table:
    """One table: a recorded game that is played again and again, and its link."""

    def __init__(
        self, number: int, plan: Plan, where: Where, *, hall: str, recorded: _Recorded, games: Path
    ) -> None:
        self.id, self._plan, self._where, self._hall, self._recorded = (
            str(number),
            plan,
            where,
            hall,
            recorded,
        )
        self._chance = random.Random(plan.seed * 1000 + number)
        self._folder = games / f"table-{number}" if number <= _WITH_FILES else None
        self._journal: Journal | None = None
        self.logs: dict[str, list[bytes]] = {}
        self.files: dict[str, Path] = {}
        self._game, self._played = b"", 0
        self._entries: list[Entry] = []
        self._timeline = Timeline(recorded.rules)
        self._copy: tuple[int, tuple[Cursor, ...]] = (0, ())
        self.made: dict[tuple[str, int], float] = {}
        self.lags_ms: list[float] = []
        self.acts = self.lost_on_purpose = 0
        self.is_linked = False
        self._state_s = 0.0
        self._running: asyncio.Task[None] | None = None
        self._book = Book((), self._lines_of)
        self.end: TableLink | None = None
        named = {n for fault in plan.faults if fault.kind in NETWORKS for n in fault.tables}
        self.proxy = Proxy(where.host, where.port) if number in named else None
        self._boot()

    def _boot(self) -> None:
        """Draw the box's own clock and the name of its boot: it has no right time, and after a restart another wrong one."""
        self._ahead_ms = self._chance.randrange(-_MOST_WRONG_MS, _MOST_WRONG_MS)
        self._boot_id = f"sim-{self.id}-{self._chance.randrange(1 << 32):08x}"

    def _now_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000 + self._ahead_ms

    def _lines_of(self, game: str, first: int, last: int) -> Sequence[bytes]:
        return self.logs.get(game, [])[first - 1 : last]

    def connect(self) -> None:
        """Start the box's link, unless another fault has done so: two of one box would end each other for ever."""
        if self._running is not None:
            return
        proxy = self.proxy
        link = MqttLink(
            self._where if proxy is None else self._where._replace(port=proxy.port),
            topics_of(self._hall, self.id),
            will_of(self._hall, self.id),
            chance=self._chance.random,
        )
        self.end = TableLink(link, self._hall, self.id, self._hear, now_ms=self._now_ms, boot=self._boot_id)
        self.end.take(self._book.known())
        self._running = asyncio.create_task(self.end.run())

    async def cut(self) -> None:
        """The link goes."""
        running, self._running = self._running, None
        self.end = None
        if running is not None:
            await ended(running)

    async def restart(self) -> None:
        """The box starts again with what it has on its disk, and with another wrong time."""
        await self.cut()
        self._boot()
        cursors = self._book.cursors
        self._book = Book(cursors, self._lines_of)
        for game, lines in self.logs.items():
            self._book.play(bytes.fromhex(game), lines, is_at_table=game == self._game.hex())
        self.connect()

    async def restore(self) -> None:
        """The box goes on from an older copy of itself: what it played since is only at the hall."""
        await self.cut()
        game = self._game.hex()
        kept, cursors = self._copy
        lines = self.logs[game]
        if 0 < kept < len(lines):
            self.lost_on_purpose += len(lines) - kept
            del lines[kept:]
            del self._entries[kept:]
            self._timeline = Timeline(self._recorded.rules, tuple(self._entries))
            if self._journal is not None:
                self._journal.close()
                path = self.files[game]
                path.unlink()
                self._journal = Journal.create(path, self._entries, self._recorded.codec, self._game)
        self._book = Book(cursors, self._lines_of)
        for one, held in self.logs.items():
            self._book.play(bytes.fromhex(one), held, is_at_table=one == game)
        self.connect()

    async def play(self, until_s: float) -> None:
        """Play recordings, one after another, each entry at its time."""
        while time.monotonic() < until_s:
            first = self._recorded.entries[0]
            if len(self._entries) != 1:
                self.begin()
            begun_s, last_ms = time.monotonic(), first.at_ms
            passed_s = self._chance.random() * 2
            while len(self._entries) < len(self._recorded.entries):
                source = self._recorded.entries[len(self._entries)]
                passed_s += min(60_000, max(0, source.at_ms - last_ms)) / 1000 / self._plan.speed
                last_ms = source.at_ms
                await asyncio.sleep(max(0.0, min(begun_s + passed_s, until_s) - time.monotonic()))
                if time.monotonic() >= until_s:
                    return
                if len(self._entries) < len(self._recorded.entries):
                    self._add(self._recorded.entries[len(self._entries)])

    def begin(self) -> None:
        """Begin a new game."""
        first = self._recorded.entries[0]
        if self._journal is not None:
            self._journal.close()
        self._game = self._chance.randbytes(16)
        setup = replace(first.command.setup, game_id=self._game.hex()[:16])  # type: ignore[attr-defined]
        events = tuple(
            replace(one, setup=setup) if isinstance(one, ev.GameStarted) else one for one in first.events
        )
        assert isinstance(first.command, cm.StartGame)
        begun = replace(first, command=replace(first.command, setup=setup), events=events)
        self._entries, self._timeline = [begun], Timeline(self._recorded.rules, (begun,))
        game = self._game.hex()
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.files[game] = self._folder / f"{game}{SUFFIX}"
            self._journal = Journal.create(self.files[game], [begun], self._recorded.codec, self._game)
        self.logs[game] = [exported_line(begun, self._recorded.codec)]
        self._copy = (1, self._book.cursors)
        known = self._book.play(self._game, self.logs[game])
        self._note(1)
        if self.end is not None:
            self.end.take(known)

    def _add(self, source: Entry) -> None:
        entry = replace(source, seq=len(self._entries) + 1, wall_ms=int(time.time() * 1000))
        if self._journal is not None:
            self._journal.append([entry], self._recorded.codec)
        self._timeline.append(entry)
        self._entries.append(entry)
        line = exported_line(entry, self._recorded.codec)
        self.logs[self._game.hex()].append(line)
        self._note(entry.seq)
        for frame in self._book.grow([line]):
            if self.end is not None:
                self.end.take(frame)
        if self._chance.random() < 0.02:
            self._copy = (len(self._entries), self._book.cursors)
        if time.monotonic() - self._state_s >= _STATE_S:
            self._state_s = time.monotonic()
            self._say_state()

    def _note(self, seq: int) -> None:
        self.acts += 1
        self.made[(self._game.hex(), seq)] = time.monotonic()

    def _say_state(self) -> None:
        course = self._book.course
        if course is None or self.end is None:
            return
        change = Change(len(self._entries), self._timeline.state)
        state = state_of(change, course.standing, self._now_ms(), self._boot_id)
        self.end.take(Shown(encode(state).decode()))

    def _hear(self, said: Up) -> None:
        if isinstance(said, Linked):
            self.is_linked = said.is_director_there
        if isinstance(said, Acked):
            now = time.monotonic()
            for key in [key for key in self.made if key[0] == said.ack.game and key[1] <= said.ack.seq]:
                self.lags_ms.append((now - self.made.pop(key)) * 1000)
        if isinstance(said, Acked | Wanted):
            for frame in self._book.hear(said):
                if self.end is not None:
                    self.end.take(frame)

    @property
    def waiting(self) -> int:
        """How many entries the hall is not known to hold."""
        return self._book.waiting()

    def close(self) -> None:
        """Put the newest game away."""
        if self._journal is not None:
            self._journal.close()


class _Desk:
    """The director's process, with the broker as its child."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.most_kib, self.cpu_s = 0, 0.0
        self.let_in = 0
        """Second directors of this very hall that were not refused."""
        self.one_at_a_time = asyncio.Lock()
        """Held by what kills or doubles the director: beside one who was just killed a second would rightly be let in."""

    def start(self) -> None:
        """Start it, unless another fault has done so meanwhile: of two one would be refused, and end nothing at the end."""
        if self._process is None or self._process.poll() is not None:
            self._process = self._run(self._folder)

    @staticmethod
    def _run(folder: Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "companion", "hall", "run", str(folder), "--headless", "--port", "0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=Path(companion.__file__).parents[1],
        )

    def second(self, for_s: float) -> None:
        """Start a second director beside it, and one on a copy of its folder, as of a laptop's backup."""
        with tempfile.TemporaryDirectory(prefix="hall-copy-") as copy:
            shutil.copytree(self._folder, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("games"))
            both = [self._run(self._folder), self._run(Path(copy))]
            with suppress(
                subprocess.TimeoutExpired
            ):  # who is refused ends by himself, however slow the machine is
                both[0].wait(max(for_s, _STILL_S))
            self.let_in += both[0].returncode in (None, 0)
            with suppress(subprocess.TimeoutExpired):
                both[1].wait(for_s)
            for one in both:
                one.terminate()  # in order, or its own broker would keep the port
            for one in both:
                try:
                    one.wait(10)
                except subprocess.TimeoutExpired:
                    one.kill()
                    one.wait()

    @property
    def pid(self) -> int:
        """Of the director."""
        assert self._process is not None
        return self._process.pid

    def broker(self) -> int:
        """Return the broker's process; 0 where there is none now."""
        with suppress(OSError, ValueError):
            return int((self._folder / "desk" / "broker" / "pid").read_text(encoding="ascii"))
        return 0

    def measure(self) -> None:
        """Take what the director costs."""
        with suppress(OSError, ValueError, StopIteration, IndexError):
            status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
            line = next(one for one in status.splitlines() if one.startswith("VmRSS"))
            self.most_kib = max(self.most_kib, int(line.split()[1]))
            ticks = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            self.cpu_s = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """Kill it; its broker goes on, as after a crash, until a new director ends it."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it in order."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def simulated(plan: Plan, told: Callable[[str], None] = lambda _text: None) -> Outcome:
    """Run a plan and compare. HallError where no broker can be started."""
    with (
        tempfile.TemporaryDirectory(prefix="hall-", ignore_cleanup_errors=True) as scratch,
        ExitStack() as opened,
    ):
        folder = plan.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / FILE).exists():  # the director's process runs a tournament
            begun = TournamentBegun(uuid.uuid4().hex, "Simulation", Rules(), str(plan.seed))
            Store.begin(folder, begun, datetime.now().astimezone().isoformat(timespec="seconds"))
        hall = opened.enter_context(closing(Hall(folder)))
        hall.set_address(f"127.0.0.1:{free_port()}")
        words = {str(n): f"simulated table {n} {hall.id}" for n in range(1, plan.tables + 1)}
        for name, word in words.items():
            hall.logs.put_table(Enrolled(name, "in", hashed(word), b""))
        hall.office()
        hall.broker()  # says at once where it is not installed
        ca = (hall.desk / "broker" / CA).read_text(encoding="ascii")
        host, port = hall.address
        recorded = _recordings()
        tables = [
            _Table(
                n,
                plan,
                Where(host, port, str(n), words[str(n)], ca),
                hall=hall.id,
                recorded=recorded[n % len(recorded)],
                games=folder / "games",
            )
            for n in range(1, plan.tables + 1)
        ]  # fmt: skip
        desk = _Desk(folder)
        desk.start()
        try:
            began_s, late_s = time.process_time(), list[float]()
            caught_up_s = asyncio.run(_play(plan, tables, desk, told, late_s))
            cpu_s = time.process_time() - began_s
        finally:
            desk.stop()
            for table in tables:
                table.close()
        return _judged(plan, hall, tables, desk, Load(late_s, cpu_s, caught_up_s))


async def _play(
    plan: Plan,
    tables: Sequence[_Table],
    desk: _Desk,
    told: Callable[[str], None],
    late_s: list[float],
) -> float:
    """Play the plan; return how long the hall took to have all after the last act, or -1 where it never had."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, _context: None)
    loop.set_default_executor(ThreadPoolExecutor(_AT_ONCE))
    for table in tables:
        if table.proxy is not None:
            await table.proxy.open()
        table.begin()
        table.connect()
    if not await _none_left(lambda: sum(not (one.is_linked and not one.waiting) for one in tables)):
        raise HallError(f"{sum(not one.is_linked for one in tables)} tables did not reach the hall")
    for table in tables:
        table.lags_ms.clear()
    begun = time.monotonic()
    waking = asyncio.create_task(wakes(late_s))
    playing = [asyncio.create_task(one.play(begun + plan.seconds)) for one in tables]
    failing = asyncio.create_task(_fail(plan, tables, desk, begun, told))
    await asyncio.gather(failing, *playing)
    ended = time.monotonic()
    is_all_there = await _none_left(lambda: sum(one.waiting for one in tables), desk.measure)
    took = time.monotonic() - ended if is_all_there else -1.0
    waking.cancel()
    await asyncio.gather(*(one.cut() for one in tables))
    await asyncio.gather(*(one.proxy.close() for one in tables if one.proxy is not None))
    return took


async def _none_left(count: Callable[[], int], each: Callable[[], None] = lambda: None) -> bool:
    """Wait for as long as a count still falls, which on a busy machine takes its time; return whether it came to nothing."""
    least, at_s = count(), time.monotonic()
    while True:
        each()
        left, now_s = count(), time.monotonic()
        if left < least:
            least, at_s = left, now_s
        if not left or now_s - at_s >= _STILL_S:
            return not left
        await asyncio.sleep(_LOOK_S)


async def _fail(
    plan: Plan, tables: Sequence[_Table], desk: _Desk, begun: float, told: Callable[[str], None]
) -> None:
    """Let everything go wrong at its time."""
    waiting: list[asyncio.Task[None]] = []
    for fault in plan.faults:
        await asyncio.sleep(max(0.0, begun + fault.at_s - time.monotonic()))
        told(f"{fault.at_s:6.1f} s  {fault.kind} {' '.join(map(str, fault.tables))}".rstrip())
        chosen = [one for one in tables if int(one.id) in fault.tables]
        waiting.append(asyncio.create_task(_go_wrong(fault, chosen, desk)))
    await asyncio.gather(*waiting)


async def _go_wrong(fault: Fault, chosen: Sequence[_Table], desk: _Desk) -> None:
    match fault.kind:
        case "kill-broker":
            _signal(desk.broker(), signal.SIGKILL)
        case "freeze-broker" | "freeze-director":
            pid = desk.broker() if fault.kind == "freeze-broker" else desk.pid
            _signal(pid, signal.SIGSTOP)
            await asyncio.sleep(fault.for_s)
            _signal(pid, signal.SIGCONT)
        case "kill-director":
            async with desk.one_at_a_time:
                desk.kill()
                await asyncio.sleep(fault.for_s)
                desk.start()
        case "two-directors":
            async with desk.one_at_a_time:
                await asyncio.to_thread(desk.second, fault.for_s)
        case kind if kind in NETWORKS:
            await asyncio.gather(
                *(one.proxy.be(kind, fault.for_s) for one in chosen if one.proxy is not None)
            )
        case "cut":
            await asyncio.gather(*(one.cut() for one in chosen))
            await asyncio.sleep(fault.for_s)
            for one in chosen:
                one.connect()
        case "restart":
            await asyncio.gather(*(one.restart() for one in chosen))
        case "restore":
            await asyncio.gather(*(one.restore() for one in chosen))


def _signal(pid: int, number: int) -> None:
    if pid:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _judged(plan: Plan, hall: Hall, tables: Sequence[_Table], desk: _Desk, load: Load) -> Outcome:
    """Hold the record against the tables' own logs, entry by entry, and the files of those that have any."""
    held: dict[tuple[str, str], list[list[bytes]]] = {}
    for one in hall.logs.branches():
        held.setdefault((one.table, one.game), []).append(hall.logs.course(one))
    acts = lost = doubled = differing = branches = 0
    for table in tables:
        for game, lines in table.logs.items():
            acts += len(lines)
            courses = held.get((table.id, game), [])
            branches += max(0, len(courses) - 1)
            best = max(courses, key=lambda one, lines=lines: _same(one, lines), default=[])  # type: ignore[misc]
            same = _same(best, lines)
            lost += len(lines) - same
            differing += best[same : len(lines)] != lines[same:][: len(best) - same]
            # What a restored box had played before stays at the hall as a course of its own; nothing else may be longer.
            doubled += max(0, len(best) - len(lines)) if not table.lost_on_purpose else 0
    lags = sorted(lag for table in tables for lag in table.lags_ms)
    from companion.hall_check import compared

    files = 0
    if plan.tables:
        rows, _faults = compared([hall.logs], hall.folder / "games")
        mine = [row for row in rows if row.file]
        files = len({row.file for row in mine})
        differing += sum(not row.is_equal for row in mine)
    figures: dict[str, float | int] = {
        "tables": plan.tables,
        "acts": acts,
        "lost": lost,
        "doubled": doubled,
        "differing": differing,
        "branches": branches,
        "second_directors": desk.let_in,
        "restored_away": sum(table.lost_on_purpose for table in tables),
        "files_compared": files,
        "lag_p50_ms": round(lags[len(lags) // 2], 1) if lags else -1,
        "lag_p99_ms": round(lags[len(lags) * 99 // 100], 1) if lags else -1,
        "caught_up_s": round(load.caught_up_s, 1),
        "director_mib": round(desk.most_kib / 1024, 1),
        "director_cpu_s": round(desk.cpu_s, 1),
        "tables_cpu_s": round(load.cpu_s, 1),
        "woken_late_p99_ms": load.late_p99_ms,
        "seconds": plan.seconds,
    }
    is_equal = not (lost or doubled or differing or desk.let_in) and load.caught_up_s >= 0
    text = (
        f"{acts} acts at {plan.tables} tables: {lost} lost, {doubled} doubled, {differing} differing; "
        f"act to durable p50 {figures['lag_p50_ms']} ms, p99 {figures['lag_p99_ms']} ms; "
        f"all there {figures['caught_up_s']} s after the last act; director {figures['director_mib']} MiB; "
        f"this machine woke its tables {figures['woken_late_p99_ms']} ms late (p99)"
    )
    return Outcome(figures, is_equal, text)


def _same(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
