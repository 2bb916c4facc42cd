"""Figures of the hall: act to durable at the director, a broker that is down, the director's and the link's memory and idle cost.

Run by hand: ``python tests/bench/bench_hall.py [acts | down | faults | table] [minutes]``. Real mosquitto over TLS, the director's
own process, recorded games at 200 tables that share one process here, so that what is measured of the acts contains their share too.
Each line states its budget; the exit code is 1 where one is not met.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from panel_bench import quantiles

from companion.hall_faults import Fault, faults_in
from companion.hall_simulation import Plan, simulated

TABLES, SPEED = 200, 0.06
"""At this speed 200 tables make about 10 acts a second."""
FAULTS = """
6 kill-broker
12 cut 1..20 10
20 black 21..60 15
28 restart 61..90
36 kill-director 4
46 restore 91..96
56 freeze-broker 6
66 half 101..130 15
76 slow 131..150 15
88 two-directors 6
100 reset 1..200 1
108 down 1..200 20
134 freeze-director 6
144 kill-broker
145 kill-director 3
156 black 1..200 12
174 restart 1..200
186 restore 97..100
194 kill-broker
196 kill-broker
206 half 1..100 10
218 kill-director 1
220 kill-director 1
230 restore 1..4
"""
"""Every kind of fault, in the four minutes of a run."""
FAULTS_S, FAULTS_SPEED, ACTS = 240.0, 0.9, 200_000
_misses: list[str] = []


def told(what: str, value: float, most: float, unit: str) -> None:
    """Print a figure beside its budget."""
    if value > most:
        _misses.append(what)
    print(f"{what}: {value:g} {unit} (budget {most:g}){'  MISSED' if value > most else ''}", flush=True)


def acts(minutes: float) -> None:
    """Act to durable at the director, at 10 acts a second, as the tables learn it."""
    figures = simulated(Plan(TABLES, minutes * 60, SPEED)).figures
    print(f"{figures['acts'] - TABLES} acts in {figures['seconds']:g} s")
    told("act to durable, p50", figures["lag_p50_ms"], 50, "ms")
    told("act to durable, p99", figures["lag_p99_ms"], 150, "ms")
    told("director", figures["director_mib"], 150, "MiB")
    told("director, share of a core", round(100 * figures["director_cpu_s"] / figures["seconds"], 1), 25, "%")


def down(minutes: float) -> None:
    """No broker for some minutes while all play on; everything is to be there 15 s after it is back."""
    fault = Fault(1.0, "down", tuple(range(1, TABLES + 1)), minutes * 60)
    figures = simulated(Plan(TABLES, minutes * 60 + 1, SPEED, (fault,))).figures
    print(f"{figures['acts'] - TABLES} acts while nothing was reached for {minutes:g} min")
    told("lost, doubled or differing", figures["lost"] + figures["doubled"] + figures["differing"], 0, "acts")
    told("all there after", figures["caught_up_s"] if figures["caught_up_s"] >= 0 else 999, 15, "s")


def faults(minutes: float) -> None:
    """Run after run in which everything dies, until 200,000 acts were played."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "faults").write_text(FAULTS, encoding="ascii")
        found = faults_in(Path(scratch) / "faults")
    began_s, acts, wrong, slowest_s, seed = time.monotonic(), 0, 0, 0.0, 0
    while acts < ACTS:
        seed += 1
        one = simulated(Plan(TABLES, FAULTS_S, FAULTS_SPEED, found, seed))
        figures = one.figures
        acts += int(figures["acts"]) - TABLES
        wrong += int(
            figures["lost"] + figures["doubled"] + figures["differing"] + figures["second_directors"]
        )
        slowest_s = max(slowest_s, figures["caught_up_s"] if figures["caught_up_s"] >= 0 else 999)
        print(f"seed {seed}: {one.text}", flush=True)
    print(
        f"{acts} acts in {seed} runs, {len(found)} faults in each; all there {slowest_s:g} s after the last act at most"
    )
    told("lost, doubled or differing, and second directors", wrong, 0, "acts")
    told("all runs together", round((time.monotonic() - began_s) / 60, 1), minutes, "min")


def table(seconds: float = 20.0) -> None:
    """What a table's link costs: its own process, the app's memory, and what a command waits for it."""
    from companion.adapters import hall as hl
    from companion.adapters.catalogue import GameCatalogue
    from companion.adapters.shell import ShellDesk
    from companion.core import commands as cm
    from companion.games import registry  # the app has these, and the keys of seals, in any case
    from companion.hall.desk.broker import free_port, hashed
    from companion.hall.desk.ca import CA
    from companion.hall.desk.hall import Hall
    from companion.hall.desk.logs import Enrolled
    from companion.hall.orders import public_of
    from companion.pages import new_game, result, screens
    from companion.pages.i18n import speaking
    from companion.pages.modules import game_view
    from companion.pages.speak import speak
    from companion.session.signing_key import SigningKeyFile

    assert all((registry, new_game, result, screens))

    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        (home / "cup").mkdir()
        hall = Hall(home / "cup")
        hall.set_address(f"127.0.0.1:{free_port()}")
        hall.logs.put_table(Enrolled("1", "in", hashed("a password of table 1"), b""))
        broker = hall.broker()
        hall.office(broker.set_passwords)
        broker.start()
        desk = ShellDesk(home / "box", GameCatalogue(), post=lambda call: call())
        desk.start(desk.make_setup("sfw96", "italy", {}))

        def commands(count: int = 300) -> list[float]:
            found = []
            for n in range(count):
                began = time.perf_counter()
                desk.send(cm.AddNote(text=f"note {n}"))
                desk.session.sync()
                found.append((time.perf_counter() - began) * 1000)
            return found

        commands()
        SigningKeyFile(home / "box" / "keys").ensure()
        assert desk.change is not None
        with speaking("en"):  # the game's pages and the words of a language, which the app has loaded
            stands = game_view("sfw96").standing(desk.change.state)
            assert stands is not None
            speak(stands.now, desk.change.state)
        port: Any = hl.HallPort(desk, home / "box" / "keys", post=lambda call: call(), folder=lambda: home)
        ca = (hall.desk / "broker" / CA).read_text(encoding="ascii")
        host, number = hall.address
        member = hl.Membership(
            hall.id, "1", host, number, "a password of table 1", ca, public_of(hall.key).hex()
        )
        without = commands()
        hl.keep(home / "box" / "keys", member)
        before_kib = _rss_kib(os.getpid())
        port.start()
        linked = threading.Event()
        port.subscribe(lambda: linked.set() if port.state.is_linked else None)
        if not linked.wait(60):
            raise SystemExit("the link did not come up")
        after_kib = _rss_kib(os.getpid())
        with_it = commands()
        pid = port._serving._child.pid
        time.sleep(2)
        ticks = _ticks(pid)
        time.sleep(seconds)
        share = (_ticks(pid) - ticks) / os.sysconf("SC_CLK_TCK") / seconds * 100
        told("link's process", round(_rss_kib(pid) / 1024, 1), 30, "MiB")
        told("link's process, idle", round(share, 2), 0.2, "%")
        told("app, more memory", round((after_kib - before_kib) / 1024, 1), 2, "MiB")
        p99 = [quantiles(one) for one in (without, with_it)]
        print(f"a command, without and with the link, ms: {p99[0]} / {p99[1]}")
        port.close()
        desk.close()
        broker.stop()
        hall.close()


def _ticks(pid: int) -> int:
    words = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return int(words[11]) + int(words[12])


def _rss_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


if __name__ == "__main__":
    chosen, minutes = [*sys.argv[1:], "", ""][:2]
    if chosen in ("", "table"):
        table()
    if chosen in ("", "acts"):
        acts(float(minutes or 1))
    if chosen in ("", "down"):
        down(float(minutes or 10))
    if chosen == "faults":
        faults(float(minutes or 40))
    raise SystemExit(1 if _misses else 0)
