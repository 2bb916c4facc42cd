"""A tired Wi-Fi between a phone and the gateway: it delays, stalls and cuts, but makes nothing up. A process's own thread."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections import deque
from typing import Any

__all__ = ["TiredWifi"]


class _Way:
    """One direction of one connection: what came, and when it may go on."""

    def __init__(self, come: socket.socket, go: socket.socket, *, is_up: bool) -> None:
        self.come, self.go, self.is_up = come, go, is_up
        self.waiting: deque[tuple[float, bytes]] = deque()


class TiredWifi:
    """Listens on a port of its own; use it in a ``with``. Every figure may be changed while it runs."""

    def __init__(self, address: str) -> None:
        """Lead to the gateway at an address."""
        host, _colon, port = address.rpartition(":")
        self._to = (host, int(port))
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        self.delay_s = 0.0
        """Of every byte, each way."""
        self.is_stalled = False
        """Nothing goes on, nothing is lost."""
        self.loses_answers = False
        """What goes up arrives; what comes down is lost, and the connection with it."""
        self.lost = 0
        self._cuts = threading.Event()
        self._ends = threading.Event()
        self._watch = selectors.DefaultSelector()
        self._ways: list[_Way] = []
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> TiredWifi:
        """Let it run."""
        self._door.setblocking(False)
        self._watch.register(self._door, selectors.EVENT_READ, None)
        self._thread.start()
        return self

    def __exit__(self, *_fault: Any) -> None:
        """End it."""
        self._ends.set()
        self._thread.join()

    @property
    def flag(self) -> str:
        """What has a browser come by here under the gateway's own name."""
        return f"--host-resolver-rules=MAP {self._to[0]}:{self._to[1]} 127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Cut every connection at once."""
        self._cuts.set()

    def _run(self) -> None:
        while not self._ends.is_set():
            for key, _mask in self._watch.select(0.005):
                if key.data is None:
                    self._let_in()
                else:
                    self._take(key.data)
            if self._cuts.is_set():
                self._cuts.clear()
                for way in tuple(self._ways):
                    self._drop(way)
            if not self.is_stalled:
                for way in tuple(self._ways):
                    self._pass_on(way)
        for way in tuple(self._ways):
            self._drop(way)
        self._door.close()
        self._watch.close()

    def _let_in(self) -> None:
        phone, _address = self._door.accept()
        try:
            box = socket.create_connection(self._to, 5)
        except OSError:
            phone.close()
            return
        for way in (_Way(phone, box, is_up=True), _Way(box, phone, is_up=False)):
            self._ways.append(way)
            self._watch.register(way.come, selectors.EVENT_READ, way)

    def _take(self, way: _Way) -> None:
        try:
            data = way.come.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self._drop(way)
        elif self.loses_answers and not way.is_up and data.startswith(b"HTTP/1.1 2"):
            self.lost += 1
            self._drop(way)
        else:
            way.waiting.append((time.monotonic() + self.delay_s, data))

    def _pass_on(self, way: _Way) -> None:
        while way.waiting and way.waiting[0][0] <= time.monotonic():
            try:
                way.go.sendall(way.waiting.popleft()[1])
            except OSError:
                self._drop(way)
                return

    def _drop(self, way: _Way) -> None:
        for one in [one for one in self._ways if {one.come, one.go} == {way.come, way.go}]:
            self._ways.remove(one)
            self._watch.unregister(one.come)
            one.come.close()
