"""Files that are whole or not there: atomic writes, verified copies, names for what is set aside."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from companion.core.text import Say, Typed
from companion.session.errors import CopyError, Shown

__all__ = [
    "NotAFileError",
    "aside_path",
    "clear_name",
    "copy_verified",
    "explain",
    "free_path",
    "one_at_a_time",
    "read_at_most",
    "read_source",
    "real_path",
    "scratch_folder",
    "sync_folder",
    "unchanged",
    "write_beside",
    "write_whole",
]

_CHUNK = 1 << 16
_MEMORY, _SCRATCH = "/dev/shm", "companion-scratch-"
_WAIT_S = 5.0
"""So long another may take to write its file into the same folder."""
_NEW_S = 60.0
"""A scratch folder may be so new that its program has not locked it yet."""


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Lend a folder that goes afterwards, in memory where the machine has such a place. OSError where it has none.

    What a program that was killed left of it goes with the next one.
    """
    with contextlib.ExitStack() as stack:
        for place in (_MEMORY, None):
            try:
                lent = tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=place, ignore_cleanup_errors=True)
                break
            except OSError:
                if place is None:
                    raise
        folder = Path(stack.enter_context(lent))
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, handle)
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # says that its program lives
        _clear_scratch(folder.parent)
        yield folder


def _clear_scratch(place: Path) -> None:
    """Remove the scratch folders of this user whose programs have died."""
    with contextlib.suppress(OSError):
        for left in place.glob(f"{_SCRATCH}*"):
            with contextlib.suppress(OSError):
                handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    found = os.fstat(handle)
                    if found.st_uid != os.geteuid() or time.time() - found.st_mtime < _NEW_S:
                        continue
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(left, ignore_errors=True)
                finally:
                    os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make names in a folder durable; file systems that cannot are left alone."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_whole(path: Path, data: bytes, *, mode: int = 0o666, is_folders: bool = False) -> None:
    """Replace a file's content so that after a power cut either the old or the new content is there.

    OSError when the place cannot be written; the old file is untouched then. `mode` is that of the new file, less
    the user's mask. With `is_folders` what root writes belongs to whoever owns the folder.
    """
    with one_at_a_time(path.parent):
        _write_whole(path, data, mode, is_folders=is_folders)


def write_beside(path: Path, data: bytes) -> Path:
    """Write a whole file under this name, or the first free numbered one beside it; return its name.

    Programs that do so at once each get a name of their own. OSError when the place cannot be written.
    """
    with one_at_a_time(path.parent):
        target = free_path(path)
        _write_whole(target, data, 0o666, is_folders=False)
    return target


@contextlib.contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Keep others of our own from writing whole files into a folder meanwhile: one would take the other's half-written one.

    One that holds on for long has stopped, and is not waited for; neither is anyone where a folder cannot be locked.
    """
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            held.callback(os.close, file)
            until = time.monotonic() + _WAIT_S
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until:
                        break
                    time.sleep(0.01)
        yield


def _write_whole(path: Path, data: bytes, mode: int, *, is_folders: bool) -> None:
    temporary = path.with_name(f".{path.name}.new")
    try:
        clear_name(temporary)  # one that a power cut left behind would keep its own mode
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            if is_folders and os.geteuid() == 0:  # by the open file: a name could lead elsewhere by now
                owner = path.parent.stat()
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


class NotAFileError(OSError):
    """Something else stands where a file should: a folder, a pipe, a device."""


def read_at_most(path: Path, most: int) -> bytes:
    """Return what a file begins with: `most` bytes, and one more where it is longer.

    OSError where it cannot be read: NotAFileError for a pipe, say, whose writer one would wait for, for ever.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotAFileError(errno.EINVAL, "not a file", str(path))
        return file.read(most + 1)


def read_source(path: Path, most: int) -> bytes:
    """Return what a source begins with: `most` bytes, and one more where it is longer; a pipe or a terminal serves too.

    OSError where it cannot be read: NotAFileError for a pipe into which nobody writes, since one would wait for ever.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        handle, begun = file.fileno(), b""
        if stat.S_ISFIFO(os.fstat(handle).st_mode):
            with contextlib.suppress(BlockingIOError):  # somebody is about to write
                begun = os.read(handle, 1)
                if not begun:
                    raise NotAFileError(errno.EINVAL, "a pipe into which nobody writes", str(path))
        os.set_blocking(handle, True)
        return begun + file.read(most + 1 - len(begun))


def _without_waiting(name: str, flags: int) -> int:
    try:
        handle = os.open(name, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as fault:
        if fault.errno == errno.ENXIO and stat.S_ISSOCK(os.stat(name).st_mode):  # no disk that fails
            raise NotAFileError(errno.ENXIO, "not a file", name) from fault
        raise
    if stat.S_ISDIR(os.fstat(handle).st_mode):
        os.close(handle)  # Python would say what kind it is in words of its own
        raise NotAFileError(errno.EISDIR, "not a file", name)
    return handle


def real_path(path: Path) -> Path:
    """Return where a file is that a link stands for: SQLite keeps its log there, and two names of a game are one game."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def clear_name(path: Path) -> None:
    """Free a name before something is written under it: a link that a stranger left there would lead the writing elsewhere."""
    path.unlink(missing_ok=True)


def copy_verified(source: Path, target: Path) -> str:
    """Copy a file to a stick or folder, make it durable, read it back and return its SHA-256.

    CopyError with a text for the table when anything fails; no half file keeps the target's name.
    """
    if target.exists() and not target.is_file():
        raise CopyError(Say("{file} is not a file", file=Typed(str(target))), Say("choose another name"))
    temporary = target.with_name(f".{target.name}.part")
    try:
        clear_name(temporary)
        with source.open("rb") as reader, temporary.open("xb") as writer:
            shutil.copyfileobj(reader, writer, _CHUNK)
            writer.flush()
            os.fsync(writer.fileno())
            if hasattr(os, "posix_fadvise"):  # read back from the medium, not from memory
                os.posix_fadvise(writer.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        wanted, got = _sha256(source), _sha256(temporary)
        if wanted != got:
            raise CopyError(
                Say("{file} does not read back the way it was written", file=Typed(str(target))),
                Say("use another stick: this one loses data"),
            )
        temporary.replace(target)
    except CopyError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    except OSError as fault:
        with contextlib.suppress(OSError):
            temporary.unlink()
        text, hint = explain(fault)
        raise CopyError(
            Say(
                "{file} could not be copied to {folder}: {why}",
                file=Typed(source.name),
                folder=Typed(str(target.parent)),
                why=text,
            ),
            hint,
        ) from fault
    sync_folder(target.parent)
    return wanted


def explain(fault: OSError) -> tuple[Shown, Say | None]:
    """Return what an operating system's error means for the table, and what to do next."""
    if fault.errno in (errno.EEXIST, errno.ENOTDIR):
        return Say("something else has the name of a folder"), _moved_away(fault)
    if isinstance(fault, NotAFileError) or fault.errno in (errno.EISDIR, errno.ELOOP):
        return Say("it is not a file"), Say("move away what has that name, then try again")
    if fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return Say("the disk is full"), Say("empty the bin (Settings, Box) or delete files, then try again")
    if fault.errno == errno.EROFS:
        return Say("the disk is read-only"), Say("remove the write protection, or check the card for errors")
    if fault.errno in (errno.EACCES, errno.EPERM):
        return Say("this user may not write there"), Say("choose another folder or change its permissions")
    if fault.errno in (errno.EIO, errno.ENXIO, errno.ENODEV):
        return Say("the disk or stick reports errors"), Say(
            "plug it in again; if the errors persist, replace it"
        )
    if fault.errno == errno.ENOENT:
        return Say("no such file or folder"), Say("check the name, or plug in the stick it is on")
    if fault.errno == errno.EFBIG:
        return Say("the file is too large"), Say("choose another file")
    if fault.errno == errno.ENAMETOOLONG:
        return Say("the name is too long"), Say("give the file a shorter name")
    return Typed(fault.strerror or str(fault)), None


def _moved_away(fault: OSError) -> Say:
    """Say what to move away, by its name where that can be told: it may be above what was asked for."""
    asked = Path(os.fsdecode(fault.filename)) if isinstance(fault.filename, str | bytes | Path) else Path()
    for path in (asked, *asked.parents):
        with contextlib.suppress(OSError, ValueError):
            if path.exists() and not path.is_dir():
                return Say("move away {file}, then try again", file=Typed(str(path)))
    return Say("move away what has that name, then try again")


def aside_path(path: Path) -> Path:
    """Return a free name beside `path` under which a damaged file is kept."""
    return free_path(path.with_name(f"{path.stem}.damaged{path.suffix}"))


def free_path(path: Path) -> Path:
    """Return `path`, or the first free numbered name beside it."""
    if not path.exists():
        return path
    number = 2
    while (numbered := path.with_name(f"{path.stem}-{number}{path.suffix}")).exists():
        number += 1
    return numbered


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def unchanged(*paths: Path) -> Iterator[None]:
    """Leave files at the end as they are now, whatever is done to them meanwhile; one that is not there is left out."""
    copies = [(path.with_name(f".{path.name}.cut"), path) for path in paths if path.exists()]
    for copy, path in copies:
        shutil.copy2(path, copy)
    yield
    for copy, path in copies:
        copy.replace(path)
