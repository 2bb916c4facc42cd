"""The hall's own broker: mosquitto as a child with a private configuration, rights of each table, and nothing kept on disk.

The journal of each table is the only queue, so the broker may be killed at any time; it is started again. The service that
installing the package may have enabled is left alone.
"""

from __future__ import annotations

import base64
import errno
import getpass
import hashlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from companion.gateway.addresses import elsewhere, is_elsewhere
from companion.hall.desk.ca import CA, CERT, KEY, ensure_certificates, write_private
from companion.hall.desk.guard import MOST_ALL, Guard
from companion.hall.errors import HallError
from companion.hall.messages import MOST_BYTES, SAYS

__all__ = [
    "DIRECTOR",
    "GUESTS",
    "GUEST_PASSWORD",
    "Broker",
    "free_port",
    "hashed",
    "mosquitto",
    "table_rights",
]

DIRECTOR, GUEST_PASSWORD = "director", "guest"
GUESTS = tuple(f"guest-{n}" for n in range(32))
"""Names of boxes that only fetch the authority's certificate to hold it against their card. Each takes any: a second caller of a
name ends the first, so one name alone could be kept from everybody."""
_ROUNDS, _UP_S = 101, 10.0
_AGAIN_S = 0.5
_FIGHTS, _FIGHT_S = 6, 60.0
"""So often within so long a table's connection is taken by another caller before that is told; a bad network does it now and then."""
_MOST_LOG = 4 << 20
_TAKEN_OVER = re.compile(r": Client (\S{1,40}) already connected, closing old connection")


def mosquitto() -> str | None:
    """Return where the broker's program is; None where it is not installed."""
    found = shutil.which("mosquitto")
    return found or next((p for p in ("/usr/sbin/mosquitto",) if Path(p).exists()), None)


def free_port() -> int:
    """Return a port of the loopback that nothing listens at just now."""
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


def hashed(password: str) -> str:
    """Return a password as the broker keeps it. Ours are random and long, so few rounds do."""
    salt = secrets.token_bytes(12)
    made = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS, 64)
    return f"$7${_ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(made).decode()}"


class Broker:
    """A broker as a child. Not thread-safe."""

    def __init__(
        self,
        folder: Path,
        hall: str,
        address: str,
        port: int,
        names: Sequence[str] = ("127.0.0.1",),
        *,
        most_each: int = 0,
    ) -> None:
        """Lay out its private folder: certificates for `names`, and who may do what in `hall`.

        Args:
            most_each: So many connections of one other address, watched by a `Guard` before it; 0: as many as it likes.

        Raises:
            HallError: The program is missing.
        """
        program = mosquitto()
        if program is None:
            raise HallError(
                "mosquitto is not installed: sudo apt install mosquitto, or name the venue's broker with --broker"
            )
        self._program, self.folder, self.address, self.port = program, folder.absolute(), address, port
        self._child: subprocess.Popen[bytes] | None = None
        self._started_s, self._is_wanted = 0.0, False
        self._guest = hashed(GUEST_PASSWORD)
        self._guard = Guard(address, port, most_each) if most_each else None
        self._inner = (address, port)
        """Where it listens itself: behind its guard on the loopback."""
        ensure_certificates(self.folder, names)
        self._hall = hall
        self._known: frozenset[str] = frozenset()
        self._taken_s: dict[str, deque[float]] = {}
        self._log_read = 0
        self.set_passwords({})

    def _config(self) -> str:
        return "\n".join(
            (
                "per_listener_settings false",
                f"listener {self._inner[1]} {self._inner[0]}",
                "allow_anonymous false",
                f"password_file {self.folder / 'passwords'}",
                f"acl_file {self.folder / 'acl'}",
                "use_username_as_clientid true",
                f"max_packet_size {MOST_BYTES + 1024}",
                f"max_connections {MOST_ALL}",
                "max_queued_messages 1000",
                "max_inflight_messages 1000",  # the director takes what hundreds of tables say at once
                "persistence false",
                f"cafile {self.folder / CA}",
                f"certfile {self.folder / CERT}",
                f"keyfile {self.folder / KEY}",
                "tls_version tlsv1.3",
                f"user {getpass.getuser()}",
                f"log_dest file {self.folder / 'broker.log'}",
                "log_type error",
                "log_type warning",
                "log_type notice",
                "",
            )
        )

    def set_passwords(self, known: Mapping[str, str], waiting: Collection[str] = ()) -> None:
        """Say who may connect: user name to `hashed` password; those `waiting` may only ask to be let in. It holds at once."""
        all_ = {**dict.fromkeys(GUESTS, self._guest), **known}
        self._known = frozenset(known)
        write_private(self.folder / "acl", _rights(self._hall, known, waiting).encode())
        lines = "".join(f"{name}:{password}\n" for name, password in sorted(all_.items()))
        write_private(self.folder / "passwords", lines.encode())
        if self._child is not None and self._runs:
            self._child.send_signal(signal.SIGHUP)

    @property
    def is_up(self) -> bool:
        """Whether the child runs, and its guard where it has one."""
        return self._runs and (self._guard is None or self._guard.is_up)

    @property
    def _runs(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def refused(self) -> list[str]:
        """Return a line for each address that asked for more connections than one may hold, and each table that two devices call as.

        Of what came since this was asked last.
        """
        each = self._guard.most_each if self._guard is not None else 0
        return [
            *self._fought_for(),
            *(
                f"{address} holds {each} connections and was refused more: one device that floods, or many tables behind one "
                "address; for these, end this and run it again with --each-address 400"
                for address in (self._guard.refused() if self._guard is not None else ())
            ),
        ]

    def _fought_for(self) -> list[str]:
        """Return a line for each table whose connection is taken again and again by a second caller with its password."""
        path, found = self.folder / "broker.log", list[str]()
        with suppress(OSError):
            size = path.stat().st_size
            with path.open(encoding="ascii", errors="replace") as log:
                log.seek(self._log_read if self._log_read <= size else 0)
                lines = log.read(_MOST_LOG).splitlines()
                self._log_read = log.tell()
            if size > _MOST_LOG:  # whoever calls again and again fills no disk
                os.truncate(path, 0)
            now = time.monotonic()
            for name in filter(None, map(_taken_over, lines)):
                if name in self._known:
                    self._taken_s.setdefault(name, deque(maxlen=_FIGHTS)).append(now)
            for name, at_s in self._taken_s.items():
                if len(at_s) == _FIGHTS and now - at_s[0] < _FIGHT_S:
                    at_s.clear()
                    found.append(
                        f"table {name}: two devices call with its password and end each other's connection; it plays on, and what it "
                        f"plays comes late: companion hall table retire, then add, makes a new card"
                    )
        return found

    @property
    def pid(self) -> int:
        """Of the child; 0 where none runs."""
        return self._child.pid if self._child is not None and self._runs else 0

    def start(self) -> None:
        """Start the child and wait until it answers. HallError with its own words where it does not; `look_after` tries again.

        One that a killed director left behind is ended first.
        """
        self._is_wanted, self._started_s = True, time.monotonic()
        self._end_child()
        self._end_orphan()
        self._ask_for_port()
        if self._guard is not None:
            self._inner = ("127.0.0.1", free_port())
        write_private(self.folder / "mosquitto.conf", self._config().encode())
        self._child = subprocess.Popen(
            [self._program, "-c", str(self.folder / "mosquitto.conf")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._started_s = time.monotonic()
        (self.folder / "pid").write_text(str(self._child.pid), encoding="ascii")
        until = self._started_s + _UP_S
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(self._inner, 0.5):
                if self._guard is None or self._guard.start(self._inner[1]):
                    return
                break
            if not self._runs:
                break
            time.sleep(0.02)
        self._end_child()
        raise HallError(f"the broker does not start at {self.address}:{self.port}: {self._last_words()}")

    def _ask_for_port(self) -> None:
        """HallError where another program listens already, which would be taken for our child."""
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        if is_elsewhere(self.address):
            raise HallError(elsewhere(self.address))
        with socket.socket(family, socket.SOCK_STREAM) as asking:
            asking.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                asking.bind((self.address, self.port))
            except OSError as fault:
                if fault.errno != errno.EADDRINUSE:
                    return  # the broker says in its own words what is wrong
                raise HallError(
                    f"another program listens at {self.address}:{self.port}, perhaps a director on a copy of this folder; end it first"
                ) from None

    def _end_orphan(self) -> None:
        with suppress(OSError, ValueError):
            pid = int((self.folder / "pid").read_text(encoding="ascii"))
            config = str(self.folder / "mosquitto.conf").encode()
            command = Path(f"/proc/{pid}/cmdline")
            until = time.monotonic() + 3
            while config in command.read_bytes().split(b"\0"):
                os.kill(pid, signal.SIGKILL if time.monotonic() > until - 2 else signal.SIGTERM)
                if time.monotonic() > until:
                    return
                time.sleep(0.05)

    def look_after(self) -> bool:
        """Start the child again where it has died or did not start; return whether it runs now and did not before."""
        if self.is_up or not self._is_wanted or time.monotonic() - self._started_s < _AGAIN_S:
            return False
        with suppress(HallError):
            self.start()
        return self.is_up

    def stop(self) -> None:
        """End the child; twice is safe."""
        self._is_wanted = False
        self._end_child()

    def _end_child(self) -> None:
        if self._guard is not None:
            self._guard.stop()
        child, self._child = self._child, None
        if child is None or child.poll() is not None:
            return
        child.send_signal(signal.SIGCONT)
        child.terminate()
        try:
            child.wait(3)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = (self.folder / "broker.log").read_text(errors="replace").splitlines()
            if lines:
                return lines[-1].partition(": ")[2][:200]
        return f"it said nothing (started as user {os.getuid()})"


def _taken_over(line: str) -> str:
    """Return who was ended by a second caller of the same name, as a line of the broker's log says; empty: nobody."""
    found = _TAKEN_OVER.search(line)
    return "" if found is None else found[1]


def _rights(hall: str, users: Iterable[str], waiting: Collection[str]) -> str:
    """Return who may do what: each table what is its own, a box with a card ask, the director all, a guest the authority's certificate."""
    root = f"tc/1/{hall}"
    lines = [f"user {DIRECTOR}", f"topic readwrite {root}/#"]
    for guest in GUESTS:
        lines += [f"user {guest}", f"topic read {root}/d/all/ca"]
    for table in users:
        if table in waiting:
            lines += [
                f"user {table}",
                f"topic write {root}/t/{table}/enrol",
                f"topic read {root}/d/{table}/enrolled",
            ]
        elif table != DIRECTOR:
            lines += [f"user {table}", *table_rights(hall, table)]
    return "\n".join((*lines, ""))


def table_rights(hall: str, table: str) -> list[str]:
    """Return what a table may do at a broker, as the lines below its user in a file of rights."""
    root = f"tc/1/{hall}"
    return [
        *(f"topic write {root}/t/{table}/{what}" for what in SAYS),
        *(f"topic read {root}/d/{one}/#" for one in (table, "all")),
    ]
