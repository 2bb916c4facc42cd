"""A small process before the hall's own broker: it bounds how many connections one address holds, and passes bytes on.

The broker bounds only all connections together, so one device could hold every place. What goes through is TLS from end to end;
this process reads none of it. It is a process of its own, so that a flood costs the director's loop nothing, and ends with
the one that started it: when the pipe that is its input closes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["MOST_ALL", "MOST_EACH", "Guard", "main"]

MOST_EACH = 8
"""A box holds one connection, and a second one for as long as a broken one is not known to be."""
MOST_ALL = 400
"""Connections that the broker takes."""
_KEPT_FREE = 10
"""Connections that stay free for this machine's own, so that the director's end finds a place."""
_TOLD_EACH_S = 60.0
_MOST_TOLD = 256
_UP_S = 10.0


class Guard:
    """The process, as whoever starts it sees it. Not thread-safe."""

    def __init__(self, address: str, port: int, most_each: int = MOST_EACH) -> None:
        """Wait to be started before an address of this machine."""
        self._address, self._port, self.most_each = address, port, most_each
        self._child: subprocess.Popen[bytes] | None = None
        self._rest = b""

    @property
    def is_up(self) -> bool:
        """Whether it runs."""
        return self._child is not None and self._child.poll() is None

    def start(self, to: int) -> bool:
        """Start it before a port of the loopback, and wait until it listens; return whether it does."""
        self.stop()
        child = subprocess.Popen(
            [sys.executable, "-m", __name__]
            + [str(one) for one in (self._address, self._port, to, self.most_each)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert child.stdout is not None
        os.set_blocking(child.stdout.fileno(), False)
        self._child, self._rest = child, b""
        until = time.monotonic() + _UP_S
        while time.monotonic() < until and child.poll() is None:
            if "up" in self._lines():
                return True
            time.sleep(0.02)
        self.stop()
        return False

    def refused(self) -> list[str]:
        """Return the addresses that were refused a further connection since this was asked last."""
        return self._lines() if self.is_up else []

    def _lines(self) -> list[str]:
        assert self._child is not None
        assert self._child.stdout is not None
        with suppress(BlockingIOError):
            self._rest += os.read(self._child.stdout.fileno(), 1 << 16)
        *lines, self._rest = self._rest.split(b"\n")
        return [line.decode("ascii", "replace") for line in lines]

    def stop(self) -> None:
        """End it; twice is safe."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()  # it holds nothing that could be lost
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()


class _End(asyncio.Protocol):
    """One end of a connection that is passed on."""

    def __init__(self, other: _End | None = None) -> None:
        self.transport: asyncio.Transport | None = None
        self.other = other
        if other is not None:
            other.other = self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.write(data)

    def pause_writing(self) -> None:
        """Read no more from the other end than this one takes."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio calls it so
        if self.other is not None and self.other.transport is not None:
            self.other.transport.close()


class _Gate:
    """Who holds how many connections, and who was told that it is enough."""

    def __init__(self, to: int, most_each: int) -> None:
        self.to, self._most_each = to, most_each
        self.held: Counter[str] = Counter()
        self._told: dict[str, float] = {}

    def lets_in(self, peer: str, own: str) -> bool:
        """Say whether an address may have one more; this machine's own always may, and is not counted."""
        if peer == own:
            return True
        if self.held[peer] < self._most_each and self.held.total() < MOST_ALL - _KEPT_FREE:
            self.held[peer] += 1
            return True
        now = time.monotonic()
        if now - self._told.get(peer, -_TOLD_EACH_S) >= _TOLD_EACH_S:
            if len(self._told) >= _MOST_TOLD:
                self._told.clear()
            self._told[peer] = now
            with suppress(OSError):  # whoever reads this may be slow or gone; the count goes on
                os.write(1, f"{peer}\n".encode("ascii", "replace"))
        return False

    def lets_go(self, peer: str, own: str) -> None:
        """Count a connection no more."""
        if peer != own:
            self.held[peer] -= 1
            self.held += Counter()  # forgets those that hold none


class _Caller(_End):
    """The end of whoever calls."""

    def __init__(self, gate: _Gate) -> None:
        super().__init__()
        self._gate, self._ips, self._is_counted = gate, ("", ""), False
        self._joining: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert self.transport is not None
        peer, own = (self.transport.get_extra_info(name) for name in ("peername", "sockname"))
        self._ips = (peer[0], own[0]) if peer and own else ("", "?")
        self._is_counted = self._gate.lets_in(*self._ips)
        if not self._is_counted:
            self.transport.abort()
            return
        self.transport.pause_reading()
        self._joining = asyncio.ensure_future(self._join(self.transport))

    async def _join(self, transport: asyncio.Transport) -> None:
        try:
            loop = asyncio.get_running_loop()
            joined, _end = await loop.create_connection(lambda: _End(self), "127.0.0.1", self._gate.to)
        except OSError:
            transport.abort()
            return
        if transport.is_closing():
            joined.close()
        else:
            transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._is_counted:
            self._gate.lets_go(*self._ips)


async def _serve(address: str, port: int, to: int, most_each: int) -> None:
    loop, ends, gate = asyncio.get_running_loop(), asyncio.Event(), _Gate(to, most_each)
    loop.set_exception_handler(lambda _loop, _context: None)  # of sockets that a cut has closed
    loop.add_reader(0, lambda: ends.set() if not os.read(0, 1) else None)
    os.set_blocking(1, False)
    async with await loop.create_server(lambda: _Caller(gate), address, port, backlog=400):
        os.write(1, b"up\n")
        await ends.wait()


def main(argv: Sequence[str]) -> int:
    """Guard an address until whoever started this ends; 1 where the address cannot be had."""
    parser = argparse.ArgumentParser(prog="hall-guard", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("address")
    for name in ("port", "to", "most_each"):
        parser.add_argument(name, type=int)
    args = parser.parse_args(argv)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    try:
        asyncio.run(_serve(args.address, args.port, args.to, args.most_each))
    except OSError:
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
