"""Record a game's writes and syncs; rebuild what a dying disk may have kept, and open each picture.

Run as a program: ``crash_images.py FOLDER COUNT SEED``. Until a file is synced, the disk may have kept any of the
writes since the last sync, in any order, whole, torn at sectors, or not at all.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path
from zlib import crc32

from kill_game import CODEC, check, next_command, rules_of
from recording_vfs import Op, Recorder

from companion.core.change import Change, Envelope
from companion.session.chain import line_of
from companion.session.game_session import GameSession
from companion.session.journal import Journal
from companion.session.rows import row_of
from companion.session.timesource import ManualTime
from companion.testing.sample import sample_setup

SECTOR = 512
GAME = "game.tcgame"


def record(folder: Path) -> tuple[dict[str, bytes], list[Op]]:
    """Play a game of several sittings; return the files as they were at the start and everything after that."""
    time = ManualTime(1_000)
    setup = sample_setup(tournament=False, mode="count_up")
    GameSession.create(folder / GAME, setup, rules_of, time, app_version="1.2.3").close()
    start = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(".lock")}
    recorder = Recorder()

    def tell(change: Change) -> None:
        for entry in change.entries:
            recorder.mark(f"{entry.seq} {crc32(line_of(row_of(entry, CODEC)))}")

    for sitting in range(3):
        session = GameSession.open(folder / GAME, rules_of, time, app_version="1.2.3")
        tell(session.change)
        session.subscribe(tell)
        for number in range(1, 260):
            time.advance(700)
            session.ask(Envelope(next_command(session, time, number))).result(60)
            if number % 5 == 0:
                session.sync(60)
        if sitting == 1:
            before = len(recorder.ops)
            session.cut_power()
            del recorder.ops[before:]  # it puts the files back as they were
            time.reboot("boot-2", 5_000, away_ms=60_000)
        else:
            session.close()
    recorder.stop()
    return start, recorder.ops


class Disk:
    """What is surely on the disk, and what may be."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.sure: dict[str, bytearray] = {name: bytearray(data) for name, data in files.items()}
        self.pending: dict[str, list[Op]] = {}
        self.acknowledged: dict[int, int] = {}

    def take(self, op: Op) -> None:
        """Take in one op."""
        if op.kind == "mark":
            seq, crc = op.name.split()
            self.acknowledged[int(seq)] = int(crc)
        elif op.kind == "sync":
            for waiting in self.pending.pop(op.name, []):
                _apply(self.sure, waiting)
        else:
            self.pending.setdefault(op.name, []).append(op)

    def picture(self, dice: random.Random) -> dict[str, bytearray]:
        """Return files as the disk may have kept them."""
        files = {name: bytearray(data) for name, data in self.sure.items()}
        for name, ops in self.pending.items():
            manner = dice.choice(("none", "all", "some", "some", "torn", "torn"))
            for op in ops:
                if manner == "none" or (manner in ("some", "torn") and dice.random() < 0.4):
                    continue
                if op.kind == "write" and manner == "torn" and dice.random() < 0.5:
                    for part in _torn(op, dice):
                        _apply(files, part)
                else:
                    _apply(files, op)
            if manner == "some" and name in files and dice.random() < 0.3:
                _reorder(files, ops, dice)
        return files


def _apply(files: dict[str, bytearray], op: Op) -> None:
    if op.kind == "delete":
        files.pop(op.name, None)
        return
    data = files.setdefault(op.name, bytearray())
    if op.kind == "truncate":
        del data[op.at :]
        data.extend(bytes(op.at - len(data)))
        return
    data.extend(bytes(max(0, op.at + len(op.data) - len(data))))
    data[op.at : op.at + len(op.data)] = op.data


def _torn(op: Op, dice: random.Random) -> list[Op]:
    """Keep some sectors of a write."""
    cuts = range(0, len(op.data), SECTOR)
    return [
        op._replace(at=op.at + cut, data=op.data[cut : cut + SECTOR]) for cut in cuts if dice.random() < 0.6
    ]


def _reorder(files: dict[str, bytearray], ops: list[Op], dice: random.Random) -> None:
    """Let an older write of the same place win over a newer one."""
    writes = [op for op in ops if op.kind == "write"]
    for op in dice.sample(writes, min(2, len(writes))):
        _apply(files, op)


def main(argv: list[str]) -> int:
    """Record once, then break and open."""
    folder, count, seed = Path(argv[0]), int(argv[1]), int(argv[2])
    dice = random.Random(seed)
    played = folder / "played"
    played.mkdir()
    start, ops = record(played)
    # A picture is taken after some op; half of them while something is unsynced.
    moments = sorted(dice.randrange(len(ops)) for _ in range(count))
    disk, at = Disk(start), 0
    totals = {
        "ops": len(ops),
        "syncs": sum(op.kind == "sync" for op in ops),
        "images": 0,
        "unsynced": 0,
        "noted": 0,
    }
    for number, moment in enumerate(moments):
        while at <= moment:
            disk.take(ops[at])
            at += 1
        place = folder / f"image-{number}"
        place.mkdir()
        for name, data in disk.picture(dice).items():
            (place / name).write_bytes(data)
        _, is_noted = check(place / GAME, disk.acknowledged)
        again = Journal.open(place / GAME)
        assert again.recovery is None, "a recovered file is sound"
        again.close()
        totals["images"] += 1
        totals["unsynced"] += bool(disk.pending)
        totals["noted"] += is_noted
        shutil.rmtree(place)
    print(json.dumps(totals))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
