"""Tell systemd that the service is ready, alive or going: the sd_notify protocol in a few lines.

Does nothing and raises nothing where systemd did not start the program, so that the caller needs no case.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

__all__ = ["Notifier"]


class Notifier:
    """A line to the service manager.

    Feed ``watchdog()`` from the running interface itself (a frame callback), at most every
    ``watchdog_interval_s / 2``: a feed from a side thread would keep a frozen screen alive.
    """

    def __init__(self, address: str | None, watchdog_interval_s: float | None = None) -> None:
        """Speak to the socket at `address` (``@name`` is an abstract one); None stays silent."""
        self._address = address
        self.watchdog_interval_s = watchdog_interval_s
        """Seconds without a feed after which the manager restarts the service; None where it does not watch."""

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] | None = None, pid: int | None = None
    ) -> Notifier:
        """Read NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID as systemd sets them.

        A watchdog that is meant for another process id, or whose interval is not a number, is not fed.
        """
        env = os.environ if environment is None else environment
        mine = os.getpid() if pid is None else pid
        interval: float | None = None
        usec = env.get("WATCHDOG_USEC", "")
        watched = env.get("WATCHDOG_PID", str(mine))
        if usec.isdecimal() and int(usec) > 0 and watched == str(mine):
            interval = int(usec) / 1_000_000
        return cls(env.get("NOTIFY_SOCKET") or None, interval)

    @property
    def is_active(self) -> bool:
        """True where a service manager listens."""
        return self._address is not None

    def ready(self, status: str = "") -> bool:
        """Say that the service has started; `status` is one line for ``systemctl status``."""
        return self._send("READY=1" + (f"\nSTATUS={_one_line(status)}" if status else ""))

    def status(self, text: str) -> bool:
        """Show one line in ``systemctl status``."""
        return self._send(f"STATUS={_one_line(text)}")

    def watchdog(self) -> bool:
        """Say that the interface is alive. Returns whether the message was handed over."""
        return self._send("WATCHDOG=1")

    def stopping(self) -> bool:
        """Say that the service is going down on purpose."""
        return self._send("STOPPING=1")

    def _send(self, message: str) -> bool:
        if self._address is None:
            return False
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
                line.setblocking(False)  # a full queue must never hold the interface up
                line.sendto(message.encode(), address)
        except OSError:
            return False
        return True


def _one_line(text: str) -> str:
    return " ".join(text.split())
