"""Files made to hurt: each is refused within a second and 64 MB, opened or only listed on Home."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from session_helpers import Room, press, put_rows

from companion.session import copies
from companion.session.beats import unknown_beat
from companion.session.chain import Claim, digest_of
from companion.session.game_file import put_in_place
from companion.session.journal import witness_path
from companion.session.rows import Row

MB = 1 << 20
LOOK = """
import json, resource, sys, time
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from companion.session.errors import SessionError
from companion.session.game_session import GameSession
from companion.session.shelf import Shelf
from companion.session.timesource import ManualTime
from session_helpers import rules_of
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before, began = peak(), time.process_time()
folder = Path(sys.argv[1])
fault = str(Shelf(folder, rules_of).games()[0].fault)
listed, opened = time.process_time() - began, ""
try:
    GameSession.open(folder / "game.tcgame", rules_of, ManualTime(0)).close()
except SessionError as error:
    opened = str(error)
print(json.dumps([fault, opened, listed, time.process_time() - began - listed, peak() - before]))
"""


def rows_of(path: Path) -> list[Row]:
    """Return the rows that stand in a game file that was put away."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        found = connection.execute(f"SELECT {','.join(Row._fields)} FROM entries ORDER BY seq").fetchall()
    connection.close()
    return [Row(*row) for row in found]


def rewrite(path: Path, change: Callable[[list[Row]], None]) -> None:
    """Change the rows of a file, each with a right check sum."""
    rows = rows_of(path)
    change(rows)
    put_rows(path, rows)


def zeros(mb: int) -> bytes:
    """Return a zlib stream of so many megabytes of blanks."""
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(b" " * MB) for _ in range(mb)) + packer.flush()


def zlib_in_the_first_command(path: Path) -> None:
    """A first entry that unpacks to 300 MB."""
    rewrite(path, lambda rows: rows.__setitem__(0, rows[0]._replace(command=zeros(300))))


def zlib_in_later_events(path: Path) -> None:
    """A later entry that unpacks to 300 MB."""
    rewrite(path, lambda rows: rows.__setitem__(2, rows[2]._replace(events=zeros(300))))


def deep_command(path: Path) -> None:
    """A first entry nested 100,000 deep."""
    deep = '{"type":"StartGame","setup":' + '{"a":' * 100_000 + "1" + "}" * 100_000 + "}"
    rewrite(path, lambda rows: rows.__setitem__(0, rows[0]._replace(command=deep)))


def deep_events(path: Path) -> None:
    """Later events nested 100,000 deep."""
    deep = "[" * 100_000 + "]" * 100_000
    rewrite(path, lambda rows: rows.__setitem__(2, rows[2]._replace(events=deep)))


def deep_first_events_under_a_wrong_sum(path: Path) -> None:
    """A first entry that is damaged, and whose other half is nested too deep to be asked."""
    rows = rows_of(path)
    rows[0] = rows[0]._replace(command="x", events="[" + '{"type":"GameStarted",' + "[" * 100_000)
    newest = Claim(rows[-1].game, len(rows), digest_of(rows[-1]), 1)
    put_in_place(path, rows, unknown_beat(), newest).close()
    witness_path(path).unlink()


def endless_view(path: Path) -> None:
    """A view that never ends in place of a table."""
    names = ("boot_id", "at_ms", "wall_ms", "is_closed", "summary")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE heartbeat")
        columns = ", ".join(["max(x) AS seq", *(f"'{{}}' AS {name}" for name in names)])
        connection.execute(
            "CREATE VIEW heartbeat AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) "
            f"SELECT {columns} FROM n"
        )
    connection.close()


def endless_entries(path: Path) -> None:
    """A view that never ends in place of the entries."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE entries")
        connection.execute(
            "CREATE VIEW entries AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) "
            f"SELECT {', '.join(f'x AS {name}' for name in Row._fields)} FROM n"
        )
    connection.close()


def many_tables(path: Path) -> None:
    """Thousands of tables of its own."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for number in range(3_000):
            connection.execute(f"CREATE TABLE more{number} (x)")
    connection.close()


def copies_that_unpack_to_much(path: Path) -> None:
    """Hundreds of copies that unpack to 6 MB each, and a page that is gone, so that they are asked."""
    row = rows_of(path)[-1]
    body = [*row._replace(command=" " * 2_000_000, events=" " * 2_000_000)[:-3], row.crc]
    packed = zlib.compress(msgspec.msgpack.encode([body]))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for number in range(500):
            copy = copies.Copy(100 + number, 100 + number, row.game, row.before, b"", packed, 0)
            values = copy._replace(crc=copies._crc(copy[:-1]))
            connection.execute(f"INSERT INTO copies VALUES ({','.join('?' * len(values))})", values)
    connection.close()


def deep_copies(path: Path) -> None:
    """A copy nested 100,000 deep in place of the first."""
    row = rows_of(path)[0]
    copy = copies.Copy(1, 1, row.game, row.before, b"", zlib.compress(b"\x91" * 100_000 + b"\x00"), 0)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        columns = ",".join(f"{name}=?" for name in copy._fields)
        connection.execute(
            f"UPDATE copies SET {columns} WHERE first=1", copy._replace(crc=copies._crc(copy[:-1]))
        )
    connection.close()


def far_too_large(path: Path) -> None:
    """A file of 40 GB without a byte in it."""
    with path.open("r+b") as file:
        file.truncate(40 << 30)


BOMBS = [
    zlib_in_the_first_command,
    zlib_in_later_events,
    deep_command,
    deep_events,
    deep_first_events_under_a_wrong_sum,
    endless_view,
    endless_entries,
    many_tables,
    copies_that_unpack_to_much,
    deep_copies,
    far_too_large,
]


HARMLESS = [endless_view, endless_entries, many_tables, copies_that_unpack_to_much, deep_copies]
"""Every entry of theirs, or its copy, stands in the file all the same: they are opened, and cost no more than any other."""


def look(folder: Path) -> tuple[str, str, float, float, int]:
    """List a folder of one game and open the game, in a process of its own."""
    helpers = str(Path(__file__).parent.parent / "session")
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(folder), helpers],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    fault, opened, listed_s, opened_s, mb = json.loads(done.stdout)
    return fault, opened, listed_s, opened_s, mb


@pytest.mark.parametrize("bomb", [None, *BOMBS], ids=lambda bomb: bomb.__name__ if bomb else "sound")
def test_a_file_made_to_hurt_is_refused_quickly(
    bomb: Callable[[Path], None] | None, quick_folder: Path
) -> None:
    session = Room(quick_folder).new(tournament=False)
    for _ in range(4):
        press(session)
    session.close()
    if bomb is not None:
        bomb(session.path)
    fault, opened, listed_s, opened_s, mb = look(quick_folder)
    if bomb is None:
        assert (fault, opened) == ("None", "")
    elif bomb not in HARMLESS:
        assert fault != "None"
        assert opened
    assert listed_s < 1
    assert opened_s < 1
    assert mb < 64
    shutil.rmtree(quick_folder / "bin", ignore_errors=True)


@pytest.mark.parametrize("pointer", [2, 7])
def test_cells_that_lead_in_circles_are_left_quickly(pointer: int, quick_folder: Path) -> None:
    """Pages full of cells that each claim a gigabyte, on pages that follow themselves."""
    page_size, pages = 4096, 2_000
    head = bytearray(Room(quick_folder).new().path.read_bytes()[:page_size])
    size = b"\x83\xe0\x80\x80\x00" if pointer == 2 else b"\xfd\x80\x00"  # 1 GB, 2 MB
    cell = size + b"\x01" + bytes(600)
    leaf = bytearray(page_size)
    leaf[0], leaf[3:5] = 0x0D, (2_000).to_bytes(2, "big")
    for number in range(2_000):
        leaf[8 + 2 * number : 10 + 2 * number] = (100).to_bytes(2, "big")
    leaf[100 : 100 + len(cell)] = cell
    for at in range(700, page_size - 4, 4):
        leaf[at : at + 4] = pointer.to_bytes(4, "big")
    leaf[:4] = bytes([0x0D]) + pointer.to_bytes(3, "big")
    path = quick_folder / "bomb" / "game.tcgame"
    path.parent.mkdir()
    path.write_bytes(bytes(head) + bytes(leaf) * pages)
    fault, opened, listed_s, opened_s, mb = look(path.parent)
    assert fault != "None"
    assert opened
    assert listed_s < 1
    assert opened_s < 1
    assert mb < 64
