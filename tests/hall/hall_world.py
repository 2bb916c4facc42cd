"""One table, one director and a network that may do anything to what is under way; all in memory, no time, no chance of its own."""

from __future__ import annotations

from collections import deque

import msgspec

from companion.hall import messages as ms
from companion.hall.desk.intake import Entry, Intake, Tip
from companion.hall.outbox import AGAIN_MS, Course, Cursor, Outbox

__all__ = ["Director", "Table", "World"]


class Disk:
    """What a director holds of one table, durable."""

    def __init__(self) -> None:
        self.tips: dict[tuple[str, str], Tip] = {}
        self.entries: dict[tuple[str, str], Entry] = {}

    def tip(self, game: str, branch: str) -> Tip | None:
        return self.tips.get((game, branch))

    def seq_of(self, game: str, digest: str) -> int | None:
        found = self.entries.get((game, digest))
        return None if found is None else found.seq

    def commit(self, entries: tuple[Entry, ...]) -> None:
        for one in entries:
            self.entries.setdefault((one.game, one.digest), one)
            self.tips[(one.game, one.branch)] = Tip(one.seq, one.digest)

    def copy(self) -> Disk:
        made = Disk()
        made.tips, made.entries = dict(self.tips), dict(self.entries)
        return made

    def course(self, game: str, branch: str) -> list[bytes]:
        """The lines of a branch, first to newest, by following each entry to the one before it."""
        tip = self.tips.get((game, branch))
        digest, lines = ("", []) if tip is None else (tip.digest, [])
        while (one := self.entries.get((game, digest))) is not None:
            lines.append(one.line)
            digest = one.before
        return lines[::-1]


class Director:
    def __init__(self) -> None:
        self.disk = Disk()
        self.intake = Intake("17", self.disk)
        self.doubled = 0

    def hear(self, topic: str, data: bytes, *, is_full: bool = False) -> list[ms.Ack]:
        """Take a message; a full disk stores nothing and so acknowledges nothing."""
        if topic == "have":
            have = ms.decode(ms.Have, data, "t")
            return [self.intake.answer(one) for one in have.games]
        taken = self.intake.take(ms.decode(ms.LogPart, data, "t"))
        self.doubled += taken.is_doubled
        if is_full and taken.entries:
            self.restart()
            return []
        self.disk.commit(taken.entries)
        return [] if taken.ack is None else [taken.ack]

    def restart(self) -> None:
        self.intake = Intake("17", self.disk)


class Table:
    def __init__(self, game: bytes = b"game") -> None:
        self.game = game
        self.lines: list[bytes] = []
        self.made = 0
        self.cursor: Cursor | None = None
        self.start()

    def start(self) -> None:
        """Start the box: what is durable are its lines and, as it happens, its cursor."""
        self.course = Course(self.game, tuple(self.lines), self.cursor)
        self.connect()

    def connect(self) -> None:
        self.box = Outbox(self.course.acked, self.course.end)

    def play(self, size: int = 0) -> None:
        self.made += 1
        line = msgspec.json.encode({"command": "EndAct", "n": self.made, "pad": f"{self.made:x}" * size})
        self.lines.append(line)
        self.course.add(line)
        self.box.grow(self.course.end)

    def greeting(self) -> bytes:
        return ms.encode(ms.Have(games=(self.course.standing,)))

    def due(self, now_ms: int) -> list[bytes]:
        return [
            part
            for seq in self.box.due(now_ms)
            for part in ms.log_parts(
                self.course.game,
                self.course.branch,
                seq,
                self.course.digest_at(seq - 1),
                self.lines[seq - 1],
            )
        ]

    def hear(self, ack: ms.Ack, now_ms: int) -> bool:
        """Take an answer; say whether the box has to introduce itself anew."""
        heard = self.course.hear(ack)
        if heard == "ours":
            self.box.take(self.course.acked, now_ms)
            self.cursor = self.course.cursor
        elif heard == "forked":
            self.cursor = self.course.cursor
            self.connect()
        return heard == "forked"


class World:
    """Steps are done one at a time; `heal` then lets everything through until nothing moves."""

    def __init__(self) -> None:
        self.table, self.director = Table(), Director()
        self.up: deque[tuple[str, bytes]] = deque()
        self.down: deque[ms.Ack] = deque()
        self.now_ms = 0
        self.acked: set[bytes] = set()
        self.copies = [(list[bytes](), None, Disk())]
        self.is_full = False

    def greet(self) -> None:
        self.up.append(("have", self.table.greeting()))

    def send(self) -> None:
        self.up.extend(("log", part) for part in self.table.due(self.now_ms))

    def carry_up(self, at: int = 0) -> None:
        """Bring one message to the director, out of its order where `at` says so."""
        if self.up:
            self.up.rotate(-(at % len(self.up)))
            topic, data = self.up.popleft()
            self.down.extend(self.director.hear(topic, data, is_full=self.is_full))

    def carry_down(self, at: int = 0) -> None:
        if self.down:
            self.down.rotate(-(at % len(self.down)))
            ack = self.down.popleft()
            if self.table.hear(ack, self.now_ms):
                self.greet()

    def wait(self) -> None:
        self.now_ms += AGAIN_MS

    def cut(self) -> None:
        """The connection breaks: all that was under way is gone."""
        self.up.clear()
        self.down.clear()
        self.table.connect()
        self.greet()

    def heal(self) -> int:
        """Let all through, in order; return how many rounds it took."""
        self.is_full = False
        self.cut()
        for rounds in range(400):
            while self.up or self.down:
                while self.up:
                    self.carry_up()
                while self.down:
                    self.carry_down()
            if self.table.course.acked == self.table.course.end:
                return rounds
            self.send()
            if not self.up:
                self.wait()
        raise AssertionError("table and director do not come together")
