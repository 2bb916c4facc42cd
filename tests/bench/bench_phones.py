"""Figures of phones: what they cost a table that has none, the gateway, a change on its way to phones, and being right again.

Run by hand: ``python tests/bench/bench_phones.py [rounds]``. A real desk on a real disk, a real gateway, real sockets; with Chromium
the way to a page's own picture too. The first table is taken in turns, so that a busy machine weighs on all of it alike.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.adapters.phones_asked import PhonesAsked
from companion.core import commands as cm
from companion.pages.phone_pages import press_act
from companion.testing.chromium import CHROMIUM, Browser, Tab
from companion.testing.waiting import until
from tests.phones.conftest import Table, free_port
from tests.phones.crowd import Crowd, cpu_s, fetched, memory_kb
from tests.phones.own_phone import offered
from tests.phones.test_private import sealed_act

TOP = Path(__file__).parents[2]
PRESSES = 120


def turned(table: Table) -> float:
    """Pause or go on; return in how many ms it was stored and published."""
    seq, state = table.desk.change.seq, table.desk.change.state
    kind = cm.Resume if state.clocks.is_paused else cm.Pause
    start = time.monotonic()
    table.desk.send(kind(at_ms=table.desk.now_ms()))
    while table.desk.change.seq == seq:
        time.sleep(0.0002)
    return 1000 * (time.monotonic() - start)


def in_table(do: Callable[..., Any], *how: Any, is_on: bool = False) -> Any:
    """Do something at a table of its own."""
    with tempfile.TemporaryDirectory(prefix="companion-phones-") as home:
        table = Table(Path(home))
        try:
            table.start(players=2)
            table.press()
            table.press()
            if is_on:
                table.turn_on()
            return do(table, *how)
        finally:
            table.close()


def part(values: list[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


def acts(table: Table, phones: int, has_looks: bool) -> tuple[list[float], float]:
    """Return how long acts take to be published, and the CPU of this process for one, in ms."""
    crowd = Crowd(table, phones) if phones else None
    looks = PhonesAsked(table.home, table.link)
    try:
        for _n in range(10):
            turned(table)
        start = resource.getrusage(resource.RUSAGE_SELF)
        waits = []
        for n in range(PRESSES):
            waits.append(turned(table))
            if crowd is not None:
                crowd.listen(lambda: False, 0.02)
            else:
                time.sleep(0.02)
            if has_looks and n % 20 == 0:
                looks.look()
        end = resource.getrusage(resource.RUSAGE_SELF)
        spent = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
        return waits, 1000 * spent / PRESSES
    finally:
        if crowd is not None:
            crowd.close()


def beside(rounds: int) -> None:
    """Tell what an act takes without phones, with phones off, off once more, and with eight of them, in turns."""
    ways = {"none": (0, False), "off": (0, True), "off again": (0, True), "on, 8": (8, True)}
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ways}
    for _n in range(rounds):
        for name, (phones, has_looks) in ways.items():
            waits, cpu_ms = in_table(acts, phones, has_looks, is_on=phones > 0)
            found[name].append((part(waits, 0.5), part(waits, 0.99), cpu_ms))
    first = statistics.median(one[0] for one in found["none"])
    for name, figures in found.items():
        p50, p99, cpu_ms = (statistics.median(column) for column in zip(*figures, strict=True))
        print(
            f"  act stored and published, phones {name:<9} p50 {p50:6.2f} ms ({p50 / first:.2f} of none), "
            f"p99 {p99:6.1f} ms, CPU {cpu_ms:.2f} ms an act with the reading of it"
        )


def gateway(table: Table) -> None:
    """Tell what the gateway takes: at its start, idle with 8 phones and running clocks, with 30."""
    (pid,) = table.gateways()
    print(f"  gateway: started with {1000 * cpu_s(pid):.0f} ms of CPU, {memory_kb(pid) / 1024:.1f} MB")
    crowd = Crowd(table, 8)
    try:
        if table.desk.change.state.clocks.is_paused:
            turned(table)
        before, start = cpu_s(pid), time.monotonic()
        crowd.listen(lambda: False, 20)
        print(
            f"  gateway: 8 phones, clocks running, {100 * (cpu_s(pid) - before) / (time.monotonic() - start):.2f} % of a core"
        )
        seen = crowd.watch(12, 1.0, lambda: turned(table))
        print(f"  change to 8 phones' sockets: p50 {seen.part(0.5):.1f} ms, p99 {seen.part(0.99):.1f} ms")
    finally:
        crowd.close()
    until(lambda: table.link.state.watching == 0)
    crowd = Crowd(table, 30)
    try:
        seen = crowd.watch(12, 1.0, lambda: turned(table))
        times = f"p50 {seen.part(0.5):.1f} ms, p99 {seen.part(0.99):.1f} ms"
        print(f"  30 phones: {times}; gateway {memory_kb(pid) / 1024:.1f} MB, {100 * seen.cpu_share:.1f} %")
    finally:
        crowd.close()


def made(table: Table) -> None:
    """Tell what it costs this program to make the pages of eight phones, one of them a side's own, and how large they are."""
    keys = {side: seated(table, side) for side in table.desk.change.state.step.owners[:1]}
    frames, spent, sizes = table.link._serving._frames, list[float](), list[int]()
    make, put = frames._make, frames._put

    def timed(*channels: Any, **how: Any) -> None:
        start = time.thread_time()
        make(*channels, **how)
        spent.append(1000 * (time.thread_time() - start))

    def weighed(channel: str, frame: bytes) -> None:
        sizes.append(len(frame))
        put(channel, frame)

    crowd = Crowd(table, 8 - len(keys))
    own = [Phone(table.address, "127.0.2.1", cookie) for cookie, _key in keys.values()]
    try:
        crowd.listen(lambda: False, 1)
        frames._make, frames._put = timed, weighed
        for _n in range(60):
            turned(table)
            crowd.listen(lambda: False, 0.35)  # so that each change has its own pages
        told = f"p50 {part(spent, 0.5):.1f} ms, p99 {part(spent, 0.99):.1f} ms of CPU, none of it on the thread that draws"
        print(f"  pages of 8 phones, {len(keys)} of them a side's own, made anew for a change: {told}")
        frame = f"p50 {part(sizes, 0.5) / 1024:.1f} KiB, largest {max(sizes) / 1024:.1f} KiB"
        print(f"  a page on its way to the gateway, not packed: {frame}")
    finally:
        frames._make, frames._put = make, put
        crowd.close()
        for one in own:
            one.close()


class Phone:
    """The open stream of a side's own phone; nobody reads it."""

    def __init__(self, address: str, own: str, cookie: str) -> None:
        host, _colon, port = address.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), 20, source_address=(own, 0))
        asks = f"GET /live/seat HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n"
        self._socket.sendall(asks.encode())

    def close(self) -> None:
        self._socket.close()


def seated(table: Table, side: str) -> tuple[str, bytes]:
    """Let a phone have a side by its own code; return its cookie and key."""
    ticket, key = offered(table, side)
    _status, told, _text = table.ask("POST", f"/s/{ticket}", "x=", Origin=table.url, Cookie="met=1")
    until(lambda: any(one.seat == side for one in table.link.state.seats))
    return told["set-cookie"].partition(";")[0], key


def pressed(table: Table) -> None:
    """Tell how long a sealed press of a side's own clock takes until it is stored and published; each is undone again."""
    state = table.desk.change.state
    cookie, key = seated(table, state.step.owners[0])
    act, waits = press_act(state), list[float]()
    for count in range(1, 62):
        seq, box = table.desk.change.seq, sealed_act(key, count, act)
        start = time.monotonic()
        asking = threading.Thread(
            target=table.ask, args=("POST", "/sealed", box), kwargs={"Origin": table.url, "Cookie": cookie}
        )
        asking.start()
        while table.desk.change.seq == seq and time.monotonic() - start < 10:
            time.sleep(0.0002)
        waits.append(1000 * (time.monotonic() - start))
        asking.join()
        table.desk.send(cm.Undo(at_ms=table.desk.now_ms(), confirmed=True))
        until(lambda: table.desk.change.state.step.id == state.step.id)
        time.sleep(0.4)  # a button that has just changed whose it is rests
    del waits[0]  # the first one loads what it needs
    print(
        f"  a sealed press until it is stored and published: p50 {part(waits, 0.5):.0f} ms, p99 {part(waits, 0.99):.0f} ms"
    )


def weight(table: Table) -> None:
    """Tell what a phone loads at first, and how large a frame is."""
    cookie = table.join()
    files = ("/seat", "/phone.css", "/phone.js", "/seal.js", "/favicon.svg", "/symbols.svg")
    whole = sum(len(fetched(table.address, path, cookie)[1]) for path in files)
    pages = {
        path: len(table.ask("GET", path, Cookie=cookie)[2].encode())
        for path in ("/table", "/clocks", "/score", "/log")
    }
    print(f"  first load with sealing {whole / 1024:.1f} KiB on the way; documents {pages}")


def changed(tab: Tab, table: Table, crowd: Crowd) -> tuple[list[float], list[float]]:
    """Change something again and again; return how long it took in ms until it stood in the page, and until that was painted."""
    marked, painted = list[float](), list[float]()
    for _n in range(40):
        tab.eval("marks.length = paints.length = 0")
        start = time.time()
        turned(table)
        tab.wait("paints.length > 0")
        marked.append(tab.eval("marks[0]") - 1000 * start)
        painted.append(tab.eval("paints[0]") - 1000 * start)
        crowd.listen(lambda: False, 0.15)
    return marked, painted


def pictured(table: Table) -> None:
    """Tell how long a change takes to the page of a real browser while 8 sockets watch too; then how long being right again takes."""
    marks = (
        "window.marks = []; window.paints = []; const now = () => performance.timeOrigin + performance.now();"
        "new MutationObserver(() => { marks.push(now()); requestAnimationFrame(() => setTimeout(() => paints.push(now()))); })"
        ".observe(document.querySelector('[data-k=\"Rows.latest\"]'), {subtree: true, childList: true, characterData: true})"
    )
    crowd = Crowd(table, 8)
    live = "document.getElementById('line').className === 'live'"
    try:
        with Browser() as browser:
            tab = browser.open(f"{table.url}/j/{table.link.state.code}")
            tab.press("button.main")
            tab.wait(f"location.pathname === '/table' && {live}")
            tab.eval(marks)
            for slowed in (1, 6):
                tab.call("Emulation.setCPUThrottlingRate", rate=slowed)
                marked, painted = changed(tab, table, crowd)
                print(
                    f"  change sent to a browser's page, slowed {slowed}x: there p50 {part(marked, 0.5):.0f} ms, "
                    f"p99 {part(marked, 0.99):.0f} ms; painted p50 {part(painted, 0.5):.0f} ms, p99 {part(painted, 0.99):.0f} ms"
                )
            tab.call("Emulation.setCPUThrottlingRate", rate=1)
            (pid,) = table.gateways()
            start = time.monotonic()
            os.kill(pid, signal.SIGKILL)
            tab.wait("document.getElementById('line').className !== 'live'")
            tab.wait(live)
            print(f"  right again after the gateway was killed: {time.monotonic() - start:.1f} s")
            tab.call("Page.setWebLifecycleState", state="frozen")
            turned(table)
            time.sleep(1)
            start = time.monotonic()
            tab.call("Page.setWebLifecycleState", state="active")
            tab.wait(f"{live} && !!document.querySelector('[data-k=\"{table.desk.entries()[-1].seq}\"]')")
            print(f"  right again after the phone woke: {time.monotonic() - start:.1f} s")
    finally:
        crowd.close()


def restarted() -> None:
    """Tell how long a browser's page takes to be right again after the program was killed and started again at once."""
    with tempfile.TemporaryDirectory(prefix="companion-phones-") as home:
        command = [sys.executable, "-m", "companion", "browser", "--port", str(free_port()), "--home", home]
        made: list[subprocess.Popen[str]] = []

        def start() -> str:
            made.append(subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, text=True))
            assert made[-1].stdout is not None
            return re.findall(r"http://\S+", made[-1].stdout.readline())[0]

        live = "document.getElementById('line').className === 'live'"
        try:
            with Browser() as browser:
                tab = browser.open(start())
                tab.press("button.main")
                tab.wait(f"location.pathname === '/table' && {live}")
                begin = time.monotonic()
                made[0].kill()
                made[0].wait()
                tab.wait("document.getElementById('line').className !== 'live'")
                told = time.monotonic()
                start()
                tab.wait(live)
                print(
                    f"  after the program was killed: told after {told - begin:.1f} s, right again {time.monotonic() - begin:.1f} s"
                )
        finally:
            for process in made:
                process.kill()
                process.wait()


def main(rounds: int) -> int:
    print(f"phones, {rounds} rounds of {PRESSES} acts; load {os.getloadavg()[0]:.1f}")
    beside(rounds)
    in_table(gateway, is_on=True)
    in_table(made, is_on=True)
    in_table(pressed, is_on=True)
    in_table(weight, is_on=True)
    if CHROMIUM is not None:
        in_table(pictured, is_on=True)
        restarted()
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
