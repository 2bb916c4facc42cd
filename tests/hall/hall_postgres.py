"""A PostgreSQL server of our own for the tests of what directors share."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["Server", "program"]


def program(name: str) -> str | None:
    there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(there[-1]) if there else None)


def _who() -> str | None:
    """Return the user who may run a server: it refuses to be run by the root user."""
    if os.geteuid() != 0:
        return None
    with suppress(KeyError):
        return pwd.getpwnam("postgres").pw_name
    return "nobody"


class Server:
    """A server of our own, on a socket in a folder of its own."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hall-pg-"))
        self.user = _who()
        if self.user is not None:
            shutil.chown(self.folder, self.user)
        self._call("initdb", "-D", self.data, "-U", "hall", "-A", "trust", "-N")
        self.where = f"host={self.folder} user=hall dbname=postgres"
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def _call(self, name: str, *args: str) -> None:
        found = program(name)
        assert found is not None
        subprocess.run(
            [found, *args],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            user=self.user,
            cwd="/",
        )

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses=''"
        self._call("pg_ctl", "-D", self.data, "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def kill(self) -> None:
        self._call("pg_ctl", "-D", self.data, "-m", "immediate", "stop")

    def close(self) -> None:
        with suppress(subprocess.CalledProcessError):
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
