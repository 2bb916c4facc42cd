"""A socket that a process of this program's calls, served by a thread of its own: what phones and hall have in common.

The process has the network and none of the program's files; when it is killed it is started again. Nothing that it does
holds up the game.
"""

from __future__ import annotations

import logging
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import companion
from companion.gateway.wire import MOST_UP, Frames, WireError

__all__ = ["Caller", "ChildServer"]

_log = logging.getLogger(__name__)

_MOST_STRANGERS = 4
"""So many may call before they have said who they are."""
_AGAIN_S = 0.2
_SILENT_S, _LATE_S = 10.0, 2.0
"""A process says every two seconds that it lives; this thread, too, may once have been late."""
_STOPS_S = 8.0
"""So long the system may take to end a process that is not ours to end."""
_RESTARTS, RESTARTS_S = 5, 60.0

_AT_ONCE = 16 << 10
"""Bytes that are handed over together; what waits beyond them still gives way to its newer one."""


class Caller:
    """One connection at the socket: bounded frames in, and out no more than the other side takes."""

    def __init__(self, made: socket.socket, most: int = MOST_UP, *, pid: int) -> None:
        self._socket, self.pid = made, pid
        self.heard_at_s = time.monotonic()
        self._frames = Frames(most)
        self._out = bytearray()
        self._next: dict[str, bytes] = {}
        self._is_open = True

    def hear(self) -> list[bytes]:
        """Return the frames that came. OSError at its end."""
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return []
        self.heard_at_s = time.monotonic()
        if not data:
            raise ConnectionResetError("")
        return self._frames.feed(data)

    def send(self, frame: bytes) -> None:
        """Send a frame, in order."""
        self._out += frame
        with suppress(OSError):
            self.flush()

    def put(self, channel: str, frame: bytes) -> None:
        """Send a frame as soon as there is room; of a channel only the newest."""
        self._next.pop(channel, None)
        self._next[channel] = frame

    def flush(self) -> None:
        """Send as much as the other side takes now."""
        while self._out or self._next:
            while self._next and len(self._out) < _AT_ONCE:
                channel = next(iter(self._next))
                self._out += self._next.pop(channel)
            try:
                sent = self._socket.send(self._out)
            except BlockingIOError:
                return
            del self._out[:sent]

    def watch(self, watch: selectors.BaseSelector, heard: Callable[[int], None]) -> None:
        """Be told when it can take more, while there is more."""
        if not self._is_open:
            return
        mask = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._out or self._next else 0)
        with suppress(KeyError, ValueError):
            watch.modify(self._socket, mask, heard)

    def close(self, watch: selectors.BaseSelector) -> None:
        """Hang up; twice is safe."""
        if self._is_open:
            self._is_open = False
            with suppress(KeyError, ValueError):
                watch.unregister(self._socket)
            self._socket.close()


class ChildServer(ABC):
    """The serving thread's own. Nobody else touches it but by `wake`, `later` and `stop`."""

    def __init__(
        self,
        path: Path,
        command: Callable[[], list[str]],
        *,
        froze: Callable[[], None],
        mode: int = 0o600,
        most: int = MOST_UP,
        wait_s: float = 0.0,
    ) -> None:
        """Open the socket. OSError where that cannot be.

        Args:
            path: Of the socket; what lay there goes.
            command: Arguments of this program that start the process.
            froze: Called when the process stood still and was ended; where it is another user's, this is to end it.
            mode: Rights of the socket; who calls is checked in any case (`_may_call`).
            most: Bytes of a frame at most.
            wait_s: So long a process of the program before has to call before one is started.
        """
        self._path, self._command, self._froze, self._most = path, command, froze, most
        self._why, self._ends = "", threading.Event()
        self._is_dirty = True
        self._bell, self._rope = socket.socketpair()
        self._bell.setblocking(False)
        self._rope.setblocking(False)
        path.unlink(missing_ok=True)
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.bind(str(path))
        path.chmod(mode)
        self._door.listen(_MOST_STRANGERS)
        self._door.setblocking(False)
        self._caller: Caller | None = None
        self._strangers: list[Caller] = []
        self._child: subprocess.Popen[bytes] | None = None
        self._starts: deque[float] = deque(maxlen=_RESTARTS)
        self._child_at_s = time.monotonic() + wait_s
        self._todo: deque[Callable[[], None]] = deque()
        self._watch: selectors.BaseSelector = selectors.DefaultSelector()

    # From other threads

    def wake(self) -> None:
        """Something has changed."""
        self._is_dirty = True
        self._ring()

    def later(self, do: Callable[[], None]) -> None:
        """Have something done on the serving thread."""
        self._todo.append(do)
        self.wake()

    def stop(self, why: str) -> None:
        """Let all go; the process is told why."""
        self._why = why
        self._ends.set()
        self._ring()

    def _ring(self) -> None:
        with suppress(OSError):
            self._rope.send(b"!")

    # The thread

    def run(self) -> None:
        """Serve until told to stop."""
        with self._watch:
            self._watch.register(self._bell, selectors.EVENT_READ, self._rung)
            self._watch.register(self._door, selectors.EVENT_READ, self._accept)
            try:
                while not self._ends.is_set():
                    wait_s, at_s = self._wait_s(), time.monotonic()
                    for key, mask in self._watch.select(wait_s):
                        key.data(mask)
                    self._look_for_frozen(was_late=time.monotonic() - at_s > wait_s + _LATE_S)
                    self._step()
            except Exception as fault:
                self._on_fault(fault)
            finally:
                self._let_go()

    def _rung(self, _mask: int) -> None:
        with suppress(OSError):
            self._bell.recv(4096)

    def _do_waiting(self) -> None:
        while self._todo:
            self._todo.popleft()()

    def _let_go(self) -> None:
        bye = self._bye()
        if self._caller is not None:
            self._caller.send(bye)
            self._strangers.append(self._caller)
        for caller in self._strangers:
            caller.close(self._watch)
        self._caller, self._strangers = None, []
        for one in (self._door, self._bell, self._rope):
            one.close()
        self._path.unlink(missing_ok=True)
        child = self._child
        if child is None:
            return
        for end in (child.terminate, child.kill):
            with suppress(subprocess.TimeoutExpired):
                child.wait(2)
                return
            end()
        child.wait()

    # The process

    def _look_after_child(self) -> None:
        """Start the process where none calls, and again where it was killed."""
        now = time.monotonic()
        if self._child is not None:
            code = self._child.poll()
            if code is None:
                return
            self._child = None
            self._child_at_s = now + _AGAIN_S
            self._ended(code)
        if self._caller is not None or now < self._child_at_s:
            return
        if len(self._starts) == _RESTARTS and now - self._starts[0] < RESTARTS_S:
            self._ends_again_and_again()
            return
        self._starts.append(now)
        self._child = subprocess.Popen(
            [sys.executable, "-m", "companion", *self._command(), "--socket", str(self._path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=Path(companion.__file__).parents[1],
        )

    def _look_for_frozen(self, *, was_late: bool) -> None:
        """End a process that says nothing any more: it stands still and keeps its end of the socket open."""
        caller, now = self._caller, time.monotonic()
        for stranger in [one for one in self._strangers if now - one.heard_at_s >= _SILENT_S]:
            self._lose(stranger)  # others could not call
        if caller is None:
            return
        if was_late:  # the whole machine stood still
            caller.heard_at_s = now
        if now - caller.heard_at_s < _SILENT_S:
            return
        _log.warning("%s stands still and is ended", self._path.stem)
        self._lose(caller)
        try:
            os.kill(caller.pid, signal.SIGKILL)
        except OSError:
            self._child_at_s = now + _STOPS_S
        self._froze()

    # The socket

    def _accept(self, _mask: int) -> None:
        with suppress(OSError):
            made, _address = self._door.accept()
            made.setblocking(False)
            pid, uid, _gid = struct.unpack("3i", made.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            if not self._may_call(uid) or len(self._strangers) >= _MOST_STRANGERS:
                _log.warning("a caller of user %s was turned away", uid)
                made.close()
                return
            caller = Caller(made, self._most, pid=pid)
            self._strangers.append(caller)
            self._watch.register(made, selectors.EVENT_READ, lambda mask: self._hear(caller, mask))

    def _hear(self, caller: Caller, mask: int) -> None:
        try:
            if mask & selectors.EVENT_WRITE:
                caller.flush()
            for frame in caller.hear() if mask & selectors.EVENT_READ else ():
                self._heard(caller, frame)
        except (OSError, WireError) as fault:
            if str(fault):
                _log.warning("%s hung up: %s", self._path.stem, fault)
            self._lose(caller)
            return
        self._watch_for(caller)

    def _watch_for(self, caller: Caller) -> None:
        caller.watch(self._watch, lambda mask: self._hear(caller, mask))

    def _flush(self, caller: Caller) -> None:
        """Send all that was put, at once."""
        with suppress(OSError):
            caller.flush()
        self._watch_for(caller)

    def _tell(self, frame: bytes) -> None:
        """Send the process a frame, in order; nothing where none calls."""
        if self._caller is not None:
            self._caller.send(frame)
            self._watch_for(self._caller)

    def _know(self, caller: Caller) -> None:
        """From now on this is the process."""
        if caller in self._strangers:
            self._strangers.remove(caller)
        self._caller = caller

    def _lose(self, caller: Caller) -> None:
        caller.close(self._watch)
        if caller in self._strangers:
            self._strangers.remove(caller)
        if caller is self._caller:
            self._caller = None
            self._child_at_s = time.monotonic() + _AGAIN_S
            self._lost()

    # What each does in its own way

    def _may_call(self, uid: int) -> bool:
        return uid == os.getuid()

    @abstractmethod
    def _wait_s(self) -> float:
        """Return how long the next wait may be."""

    @abstractmethod
    def _step(self) -> None:
        """What is to be done after every wait; begins with what others left (`_do_waiting`)."""

    @abstractmethod
    def _heard(self, caller: Caller, frame: bytes) -> None:
        """Take a frame. WireError: hang up."""

    @abstractmethod
    def _lost(self) -> None:
        """The process has hung up."""

    @abstractmethod
    def _ended(self, code: int) -> None:
        """The process has ended; `_child_at_s` may be put off."""

    @abstractmethod
    def _ends_again_and_again(self) -> None:
        """Say that the process ends however often it is started."""

    @abstractmethod
    def _bye(self) -> bytes:
        """Finish; return the last frame that the process gets."""

    @abstractmethod
    def _on_fault(self, fault: Exception) -> None:
        """Take a fault that ended the thread."""
