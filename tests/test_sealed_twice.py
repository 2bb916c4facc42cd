"""Two sealings of one note are told to the whole table: in the log by every page, and what was cut out of it by the box itself.

An owner who seals, takes back and seals anew has had two contents to choose from. The log says so at the reveal; and who writes
an export anew without one of them meets the box that sealed both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.core import commands as cm
from companion.core.ids import Nation
from companion.games.sfw.pages.ledger_report import SECTIONS
from companion.games.sfw.pages.seal_draft import Note, SealedDraft
from companion.games.sfw.pages.sealed import sealed_page
from companion.games.sfw.rules.seal_messages import SealSecret
from companion.pages.page import Act, Ask, Do, Draft, Send, Sight, Viewer
from companion.pages.report_parts import ReportSource
from companion.pages.speak import speak
from companion.session.sealings import Sealings
from companion.session.seals import TableVault, Vault
from tests.test_shell import Table

US = Nation("us")
PIN = "4829"


class Owner:
    """The owner of the American fleet at a real desk, by the acts of the Sealed screen."""

    def __init__(self, folder: Path) -> None:
        self.table = Table(folder)
        self.desk = self.table.desk
        self.desk.vault = TableVault(Vault(folder / "keys", self.table.time, kdf_n=1 << 10))

    def begin(self) -> None:
        self.desk.start(self.desk.make_setup("sfw96", "apr43", {}))
        self.table.hear()

    def sight(self, draft: object = None) -> Sight:
        return Sight(Viewer(), self.desk.change, self.desk.rules, draft, self.desk)

    def seal(self, space: str) -> None:
        """Write a note, seal it and say that this is done."""
        shown = sealed_page(self.sight(SealedDraft(Note(US, "fleet", "", space, {"destroyer": 3}))))
        act: Act | None = shown.acts["seal"]
        while act is not None:
            match act:
                case Ask():
                    keys = {field.key for field in act.form.fields}
                    act = act.answered(dict.fromkeys(keys, PIN) if "pin" in keys else {"one": "done"})
                case Do():
                    act = act.run()
                case Draft():
                    act = act.then
                case Send():
                    self.desk.send(act.at(0))
                    self.table.hear()
                    assert self.desk.change is not None
                    assert self.desk.change.rejected is None
                    act = act.then
                case _:
                    raise AssertionError(act)

    def undo(self) -> None:
        self.desk.send(cm.Undo(self.desk.now_ms(), confirmed=True))
        self.table.hear()

    def told(self) -> list[str]:
        """Return what the Sealed screen says, line by line."""
        page = sealed_page(self.sight()).page
        assert self.desk.change is not None
        return [
            speak(one, self.desk.change.state)
            for block in page.blocks
            for item in getattr(block, "rows", ())
            for one in (item.title, item.sub)
            if one is not None
        ]


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    made = Owner(tmp_path / "data")
    made.begin()
    yield made
    made.desk.close()


def test_a_note_sealed_again_after_an_undo_is_told_with_both_times(owner: Owner) -> None:
    owner.seal("J4")
    assert not any("times: " in line or "taken back" in line for line in owner.told()), (
        "sealed once there is nothing to tell"
    )
    owner.undo()
    owner.seal("K5")
    (line,) = (line for line in owner.told() if line.startswith("Sealed 2 times: "))
    assert line.count("(taken back ") == 1
    assert "more note" not in "\n".join(owner.told()), "nothing is missing in this log"
    assert owner.desk.change is not None
    source = ReportSource(owner.desk.change, owner.desk.entries(), owner.desk.counts, 0)
    report = "".join(section.make(source) for section in SECTIONS)
    assert "Sealed 2 times: " in report


def cut_after(export: Path, entries: int) -> Path:
    """Write an export anew with its first entries alone, its header made right: an owner goes back to the first content."""
    head, *lines = export.read_text().splitlines()
    body = "".join(f"{line}\n" for line in lines[:entries])
    header = json.loads(head) | {"entries": entries, "sha256": hashlib.sha256(body.encode()).hexdigest()}
    path = export.with_name("cut.jsonl")
    path.write_text(f"{json.dumps(header)}\n{body}")
    return path


def test_a_log_from_which_one_of_two_notes_was_cut_is_told_on_the_box_that_sealed_both(
    owner: Owner, tmp_path: Path
) -> None:
    owner.seal("J4")
    owner.undo()
    owner.seal("K5")
    stick = tmp_path / "stick"
    stick.mkdir()
    assert owner.desk.path is not None
    owner.desk.export(owner.desk.path, stick)
    owner.desk.wait_for_copy()
    (export,) = stick.iterdir()
    first = next(entry for entry in owner.desk.entries() if isinstance(entry.command, SealSecret))
    cut = cut_after(export, first.seq)
    owner.desk.close()
    for path, lacks in ((cut, True), (export, False)):
        before = {game.path for game in owner.desk.saved_games()}
        owner.desk.import_game(path)
        owner.table.hear()
        (taken,) = {game.path for game in owner.desk.saved_games()} - before
        owner.desk.open(taken)
        owner.table.hear()
        found = any("more note for it that this log lacks" in line for line in owner.told())
        assert found is lacks
        owner.desk.close()


def test_what_a_box_sealed_is_known_after_a_restart_and_a_damaged_file_is_told(tmp_path: Path) -> None:
    path, told = tmp_path / "keys" / "sealings.json", []
    made = Sealings(path, lambda text, _hint: told.append(str(text)))
    made.note("game|us|fleet", "ab" * 32)
    made.note("game|us|fleet", "cd" * 32)
    again = Sealings(path)
    assert again.lacking("game|us|fleet", frozenset({"ab" * 32})) == 1
    assert again.lacking("game|us|fleet", frozenset({"ab" * 32, "cd" * 32})) == 0
    assert again.lacking("other|us|fleet", frozenset()) == 0
    for damage in (path.read_bytes().replace(b"abab", b"abac", 1), b"[" * 5_000, b"\xff", b'{"made":1}'):
        path.write_bytes(damage)
        told.clear()
        damaged = Sealings(path, lambda text, _hint: told.append(str(text)))
        assert damaged.lacking("game|us|fleet", frozenset()) == 0
        assert len(told) == 1
        damaged.note("game|us|fleet", "ef" * 32)
        assert Sealings(path).lacking("game|us|fleet", frozenset()) == 1


def test_a_disk_that_takes_nothing_is_told_and_the_sealing_counts_until_the_program_ends(
    tmp_path: Path,
) -> None:
    (tmp_path / "keys").write_text("no folder")
    told: list[str] = []
    made = Sealings(tmp_path / "keys" / "sealings.json", lambda text, _hint: told.append(str(text)))
    made.note("game|us|fleet", "ab" * 32)
    assert told
    assert made.lacking("game|us|fleet", frozenset()) == 1
