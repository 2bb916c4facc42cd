"""Figures of phones: what they cost a table that has none, the gateway, a change on its way to phones, and being right again.

Run by hand: ``python tests/bench/bench_phones.py [rounds]``. A real desk on a real disk, a real gateway, real sockets; with Chromium
the way to a page's own picture too. The first table is taken in turns, so that a busy machine weighs on all of it alike.
"""

from __future__ import annotations

import os
import resource
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.adapters.phones_asked import PhonesAsked
from companion.core import commands as cm
from companion.testing.chromium import CHROMIUM, Browser
from companion.testing.waiting import until
from tests.phones.conftest import Table
from tests.phones.crowd import Crowd, cpu_s, fetched, memory_kb

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
        seen = crowd.watch(6, 0.25, lambda: turned(table))
        print(f"  change to 8 phones' sockets: p50 {seen.part(0.5):.1f} ms, p99 {seen.part(0.99):.1f} ms")
    finally:
        crowd.close()
    until(lambda: table.link.state.watching == 0)
    crowd = Crowd(table, 30)
    try:
        seen = crowd.watch(6, 0.5, lambda: turned(table))
        times = f"p50 {seen.part(0.5):.1f} ms, p99 {seen.part(0.99):.1f} ms"
        print(f"  30 phones: {times}; gateway {memory_kb(pid) / 1024:.1f} MB, {100 * seen.cpu_share:.1f} %")
    finally:
        crowd.close()


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


def pictured(table: Table) -> None:
    """Tell how long a change takes to the page of a real browser while 8 sockets watch too; then how long being right again takes."""
    marks = (
        "window.marks = []; new MutationObserver(() => marks.push(performance.timeOrigin + performance.now()))"
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
            waits = []
            for _n in range(40):
                tab.eval("marks.length = 0")
                start = time.time()
                turned(table)
                tab.wait("marks.length > 0")
                waits.append(tab.eval("marks[0]") - 1000 * start)
                crowd.listen(lambda: False, 0.15)
            print(
                f"  change sent to a browser's page: p50 {part(waits, 0.5):.0f} ms, p99 {part(waits, 0.99):.0f} ms"
            )
            (pid,) = table.gateways()
            start = time.monotonic()
            os.kill(pid, signal.SIGKILL)
            tab.wait("document.getElementById('line').className !== 'live'")
            tab.wait(live)
            print(f"  right again after the gateway was killed: {time.monotonic() - start:.1f} s")
    finally:
        crowd.close()


def main(rounds: int) -> int:
    print(f"phones, {rounds} rounds of {PRESSES} acts; load {os.getloadavg()[0]:.1f}")
    beside(rounds)
    in_table(gateway, is_on=True)
    in_table(weight, is_on=True)
    if CHROMIUM is not None:
        in_table(pictured, is_on=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
