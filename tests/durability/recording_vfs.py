"""Write down every write, sync, truncation and deletion that SQLite does, without compiling anything.

The library that Python's own sqlite3 has loaded is given a new default file system: the old one with the methods
of its open files replaced by wrappers (ctypes). What is written down is exactly what reaches the system.
"""

from __future__ import annotations

import ctypes
import re
import sqlite3  # noqa: F401 - loads the library that is looked for below
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p, cast
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

__all__ = ["Op", "Recorder", "why_not"]

_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
_DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
_SYNC = CFUNCTYPE(c_int, c_void_p, c_int)
_CLOSE = CFUNCTYPE(c_int, c_void_p)


class _Methods(ctypes.Structure):
    _fields_ = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        ("rest", c_void_p * 13),
    ]


class _Vfs(ctypes.Structure):
    _fields_ = [
        ("version", c_int),
        ("file_size", c_int),
        ("path_size", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("delete", c_void_p),
        ("rest", c_void_p * 16),
    ]


class Op(NamedTuple):
    """One thing that reached the system, or a mark that was put in between."""

    kind: str
    """``write``, ``sync``, ``truncate``, ``delete``, or ``mark``."""
    name: str
    """File name, or the mark's text."""
    at: int = 0
    data: bytes = b""


def _library() -> Any:
    for line in Path("/proc/self/maps").read_text().splitlines():
        found = re.search(r"(/\S*libsqlite3\S*)$", line)
        if found:
            return ctypes.CDLL(found[1])
    raise OSError("Python's sqlite3 is not linked to a shared libsqlite3")


def why_not() -> str:
    """Say why nothing can be recorded on this machine; empty when it can."""
    try:
        _library()
    except OSError as fault:
        return str(fault)
    return ""


class Recorder:
    """Records from its making until `stop`. SQLite keeps pointers into it, so it never goes away."""

    _alive: ClassVar[list[Recorder]] = []

    def __init__(self) -> None:
        self._alive.append(self)
        self.ops: list[Op] = []
        library = self._sqlite = _library()
        library.sqlite3_vfs_find.restype = POINTER(_Vfs)
        library.sqlite3_vfs_find.argtypes = [c_char_p]
        base = library.sqlite3_vfs_find(None)
        self._real_open = cast(base.contents.open, _OPEN)
        self._real_delete = cast(base.contents.delete, _DELETE)
        self._names: dict[int, str] = {}
        self._patched: dict[int, tuple[Any, ...]] = {}
        self._vfs = _Vfs()
        ctypes.memmove(ctypes.byref(self._vfs), base, ctypes.sizeof(_Vfs))
        self._keep = (_OPEN(self._open), _DELETE(self._delete), b"recorder")
        self._vfs.name = self._keep[2]
        self._vfs.open = cast(self._keep[0], c_void_p)
        self._vfs.delete = cast(self._keep[1], c_void_p)
        if library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1) != 0:
            raise OSError("SQLite did not take the recording file system")

    def stop(self) -> None:
        """Give SQLite its own file system back."""
        self._sqlite.sqlite3_vfs_unregister(ctypes.byref(self._vfs))

    def mark(self, text: str) -> None:
        """Put a mark between the ops."""
        self.ops.append(Op("mark", text))

    def _open(self, vfs: int, name: int | None, file: int, flags: int, out: Any) -> int:
        # The name is handed on as the pointer that it is: SQLite keeps it and reads what stands behind it.
        result = int(self._real_open(vfs, name, file, flags, out))
        if result == 0 and name is not None:
            self._names[file] = Path(ctypes.string_at(name).decode()).name
            methods = cast(file, POINTER(c_void_p))
            address = methods[0]
            if address is not None:
                methods[0] = self._patch(address)
        return result

    def _patch(self, address: int) -> int:
        """Return the address of a copy of a method table whose writing methods are written down."""
        if address not in self._patched:
            real = cast(address, POINTER(_Methods)).contents
            copy = _Methods()
            ctypes.memmove(ctypes.byref(copy), address, ctypes.sizeof(_Methods))
            write, truncate = cast(real.write, _WRITE), cast(real.truncate, _TRUNCATE)
            sync, close = cast(real.sync, _SYNC), cast(real.close, _CLOSE)

            def on_write(file: int, data: int, size: int, at: int) -> int:
                self.ops.append(Op("write", self._names[file], at, ctypes.string_at(data, size)))
                return int(write(file, data, size, at))

            def on_truncate(file: int, size: int) -> int:
                self.ops.append(Op("truncate", self._names[file], size))
                return int(truncate(file, size))

            def on_sync(file: int, flags: int) -> int:
                result = int(sync(file, flags))
                self.ops.append(Op("sync", self._names[file]))
                return result

            def on_close(file: int) -> int:
                self._names.pop(file, None)
                return int(close(file))

            wrappers = (_WRITE(on_write), _TRUNCATE(on_truncate), _SYNC(on_sync), _CLOSE(on_close))
            copy.write, copy.truncate, copy.sync, copy.close = (cast(w, c_void_p) for w in wrappers)
            self._patched[address] = (copy, wrappers)
        return ctypes.addressof(self._patched[address][0])

    def _delete(self, vfs: int, name: bytes, sync_dir: int) -> int:
        self.ops.append(Op("delete", Path(name.decode()).name, sync_dir))
        return int(self._real_delete(vfs, name, sync_dir))
