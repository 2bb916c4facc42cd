"""Thirty phones that watch a table, as sockets: what each of them is sent, when, and what the gateway holds meanwhile."""

from __future__ import annotations

import http.client
import os
import selectors
import socket
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["SHOWING", "Crowd", "Watched", "fetched", "memory_kb"]

PAGES, LANGUAGES = ("table", "clocks", "score", "log"), ("en", "de", "fr")
SHOWING = ("table", "clocks", "log")
"""Pages that show whether clocks are paused; who looks at another one hears nothing of it."""
OF_ONE_ADDRESS = 6


class Watched(NamedTuple):
    """What was seen over a while."""

    changes: int
    waits_ms: tuple[float, ...]
    """From a change to its frame, of every phone and every change."""
    memory_kb: tuple[int, ...]
    """The gateway's, every few seconds."""
    cpu_share: float
    """Of one core, the gateway's."""
    frames: int
    bytes: int

    def part(self, share: float) -> float:
        """Return how long so many of the frames took at most, in ms."""
        return sorted(self.waits_ms)[int(share * (len(self.waits_ms) - 1))]


def memory_kb(pid: int) -> int:
    """Return what a process holds in memory."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def cpu_s(pid: int) -> float:
    """Return what a process has spent."""
    with open(f"/proc/{pid}/stat") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def fetched(address: str, path: str, cookie: str) -> tuple[str | None, bytes]:
    """Return how a file is packed for a browser that takes gzip, and its bytes as they come."""
    host, _colon, port = address.rpartition(":")
    asking = http.client.HTTPConnection(host, int(port), timeout=20)
    try:
        asking.request("GET", path, headers={"Cookie": cookie, "Accept-Encoding": "gzip, deflate"})
        answer = asking.getresponse()
        return answer.getheader("content-encoding"), answer.read()
    finally:
        asking.close()


class Phone:
    """One phone's open page."""

    def __init__(self, address: str, own: str, code: str, page: str, language: str) -> None:
        """Come in with the code from an address of its own, and open a stream."""
        host, _colon, port = address.rpartition(":")
        url = f"http://{address}"
        enters = http.client.HTTPConnection(host, int(port), timeout=20, source_address=(own, 0))
        enters.request("POST", "/join", f"code={code}", {"Origin": url, "Cookie": "met=1"})
        answer = enters.getresponse()
        cookie = str(answer.getheader("set-cookie")).partition(";")[0]
        assert answer.status == 303
        enters.close()
        self.page = page
        self.socket = socket.create_connection((host, int(port)), 20, source_address=(own, 0))
        asks = f"GET /live/{page}?lang={language} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n"
        self.socket.sendall(asks.encode())
        self.socket.setblocking(False)
        self.held, self.heard_s, self.frames, self.beats, self.bytes = b"", time.monotonic(), 0, 0, 0
        self.last = b""

    def hear(self) -> bool:
        """Read what came; say whether a whole frame was in it. AssertionError where the other side has hung up."""
        data = self.socket.recv(1 << 18)
        assert data, f"the page {self.page} was ended"
        self.heard_s, self.bytes = time.monotonic(), self.bytes + len(data)
        *events, self.held = (self.held + data).split(b"\n\n")
        frames = [event for event in events if b"event: frame" in event]
        self.beats += sum(b"event: beat" in event for event in events)
        self.frames += len(frames)
        if frames:
            self.last = frames[-1]
        return bool(frames)


class Crowd:
    """Many phones at one table."""

    def __init__(self, table: Any, size: int = 30) -> None:
        """Let so many in, each on one of the pages in one of the languages."""
        self.table = table
        self.phones = [
            Phone(
                table.address,
                f"127.0.1.{1 + n // OF_ONE_ADDRESS}",
                table.link.state.code,
                PAGES[n % len(PAGES)],
                LANGUAGES[n % len(LANGUAGES)],
            )
            for n in range(size)
        ]
        self._watch = selectors.DefaultSelector()
        for phone in self.phones:
            self._watch.register(phone.socket, selectors.EVENT_READ, phone)
        self.listen(lambda: all(phone.frames for phone in self.phones), 20)

    def listen(self, is_done: Callable[[], bool], most_s: float) -> None:
        """Read what comes until something is true, or for so long."""
        until = time.monotonic() + most_s
        while not is_done() and time.monotonic() < until:
            for key, _mask in self._watch.select(0.05):
                key.data.hear()

    def watch(self, seconds: float, every_s: float, change: Callable[[], None]) -> Watched:
        """Pause or go on every so often, as `change` does, and hear how long it takes to each phone that shows it."""
        (pid,) = self.table.gateways()
        waits, memory, changes = list[float](), list[int](), 0
        start_s, start_cpu_s = time.monotonic(), cpu_s(pid)
        before = [(phone.frames, phone.bytes) for phone in self.phones]
        while time.monotonic() - start_s < seconds:
            changed_s, missing = (
                time.monotonic(),
                {id(phone) for phone in self.phones if phone.page in SHOWING},
            )
            change()
            changes += 1
            until = changed_s + every_s
            while time.monotonic() < until:
                for key, _mask in self._watch.select(max(0.0, min(0.2, until - time.monotonic()))):
                    if key.data.hear() and id(key.data) in missing:
                        missing.discard(id(key.data))
                        waits.append((time.monotonic() - changed_s) * 1000)
            assert not missing, f"{len(missing)} phones missed change {changes}"
            memory.append(memory_kb(pid))
        spent_s = time.monotonic() - start_s
        frames = sum(phone.frames for phone in self.phones) - sum(one for one, _bytes in before)
        sent = sum(phone.bytes for phone in self.phones) - sum(size for _one, size in before)
        share = (cpu_s(pid) - start_cpu_s) / spent_s
        return Watched(changes, tuple(waits), tuple(memory), share, frames, sent)

    def close(self) -> None:
        """Go."""
        self._watch.close()
        for phone in self.phones:
            phone.socket.close()


def told(seen: Watched) -> str:
    """Return what was seen in a few lines."""
    middle = statistics.median(seen.memory_kb) / 1024
    return (
        f"{seen.changes} changes, {seen.frames} frames, {seen.bytes / 1e6:.1f} MB; to the phones p50 {seen.part(0.5):.0f} ms, "
        f"p99 {seen.part(0.99):.0f} ms, most {seen.part(1):.0f} ms; gateway {seen.memory_kb[0] / 1024:.1f} MB at first, "
        f"{middle:.1f} in the middle, {seen.memory_kb[-1] / 1024:.1f} at the end, most {max(seen.memory_kb) / 1024:.1f}; "
        f"{100 * seen.cpu_share:.2f} % of a core"
    )
