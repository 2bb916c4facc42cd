"""Cards that lie face down, over the real shell: what the box tells, watches, writes and copies while they do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.adapters.hall import HallPort, Membership
from companion.adapters.hall_server import HallServing
from companion.core import commands as cm
from companion.core.ids import Side
from companion.core.rules import Code
from companion.core.secrecy import NOBODY
from companion.games.med.rules.cards import printed_key
from companion.games.med.rules.commands import PlayHand, TurnOver
from companion.hall.orders import public_of
from companion.pages.desk import Watched
from companion.pages.page import Viewer
from companion.pages.viewing import sight_of
from companion.replay_command import main_export, main_film, main_what_if
from companion.session.portable import portable_bytes
from tests.games.med.table import battle, force
from tests.test_shell import Table

NAME = "Abdiel of the minelayers"
HIDDEN = force("A05", name=NAME)
CARDS = (battle(), HIDDEN, force("A06", name="Aurora"), *(force(f"X{n:02}") for n in range(1, 4)))


class MedTable(Table):
    """A battle of three whose first player has laid a card face down."""

    def ask(self, command: cm.Command) -> None:
        self.desk.send(command)
        self.hear()
        assert self.changes[-1].rejected is None, self.changes[-1].rejected

    def lay(self, side: str, card: str) -> None:
        assert self.desk.change is not None
        self.ask(PlayHand(self.desk.change.state.step.id, side, (card,)))
        self.press()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[MedTable]:
    table = MedTable(tmp_path / "home")
    desk = table.desk
    desk.start(desk.make_setup("med", "match", {"players": 3}))
    table.hear()
    for card in CARDS:
        table.ask(cm.EnterPrintedValue(printed_key(card.number), msgspec.to_builtins(card)))
    step = table.press().state.step.id
    table.ask(TurnOver(step, "O02"))
    table.press()
    for card in ("X01", "X02", "X03"):
        table.lay("axis", card)
    while table.changes[-1].state.step.act != "play_hidden":
        table.press()
    assert table.desk.change is not None
    table.ask(PlayHand(table.desk.change.state.step.id, "axis", ("A05",)))  # a bluff: it is of the other side
    yield table
    desk.close()


def _hidden_acts(table: MedTable) -> str:
    """Return all that the box tells of what was laid, as it is: values, not words."""
    desk = table.desk
    assert desk.path is not None
    watched = desk.watch(desk.path)
    assert isinstance(watched, Watched)
    told = (table.changes[-1], desk.change, desk.entries(), watched.change, watched.entries)
    return str([_without_print(one) for one in told])


def _without_print(told: object) -> str:
    """Return what is told without the print of the card: that it exists is no secret, that it was laid is."""
    return str(told).replace("card.A05", "").replace("'number': 'A05'", "").replace(NAME, "")


def _tells(file: Path) -> bool:
    """Say whether a file names the card as one that somebody laid; that it was entered is no secret."""
    return re.search(rf"Player \d: A05 {NAME}", file.read_text("utf-8-sig")) is not None


def test_the_box_tells_nobody_what_lies_face_down(table: MedTable) -> None:
    desk, player = table.desk, table.changes[-1].state.step.owners[0]
    assert "A05" not in _hidden_acts(table)
    assert "A05" in str(desk.session.entries()[-1]), "the log has it"
    for who, sees in ((player, True), *((other, False) for other in ("p1", "p2", "p3") if other != player)):
        sight = sight_of(desk, Viewer(who, frozenset({who})))
        assert sight.change is not None
        assert sight.desk is not None
        assert ("A05" in str(sight.desk.entries()[-1].command)) is sees
        assert ("A05" in str(sight.state.game["med"].engagement)) is sees
    table.press()
    table.press()
    assert "A05" not in _hidden_acts(table)
    assert table.press().state.step.act == "reveal"
    assert "A05" in _hidden_acts(table)


def test_a_game_that_is_opened_again_tells_no_more(table: MedTable) -> None:
    path = table.desk.path
    assert path is not None
    table.desk.close()
    watched = table.desk.watch(path)
    assert isinstance(watched, Watched)
    assert "A05" not in _without_print((watched.change, watched.entries))
    table.desk.open(path)
    table.hear()
    assert "A05" not in _hidden_acts(table)
    assert table.desk.seen(NOBODY) is not None


def test_no_copy_leaves_the_box_while_a_card_lies_face_down(table: MedTable, tmp_path: Path) -> None:
    desk, stick = table.desk, tmp_path / "stick"
    stick.mkdir()
    path, laid = desk.path, len(desk.entries())
    assert path is not None
    desk.export(path, stick)
    desk.wait_for_copy()
    assert desk.branch(path, laid) is None
    table.hear()
    assert [str(notice.text) for notice in table.notices] == [
        f"{path.stem} could not be exported: something in it is still hidden from the others",
        f"{path.stem} could not be copied: something in it is still hidden from the others",
    ]
    assert desk.path == path, "the game goes on"
    assert not list(stick.iterdir())
    home = ["--home", str(desk.data_folder)]
    desk.close()
    assert main_export([path.stem, str(stick), *home]) == 1
    assert main_what_if([path.stem, str(laid), *home]) == 1
    assert main_film([path.stem, str(stick), "--texts", *home]) == 0
    written = list(stick.iterdir())
    assert {one.suffix for one in written} == {".html", ".txt", ".md", ".csv"}
    assert not any(_tells(one) for one in written)
    copy = desk.branch(path, laid - 1)
    assert copy is not None, "up to what was laid a copy is free"
    desk.open(path)
    for _ in range(3):
        table.press()
    desk.export(path, stick)
    desk.wait_for_copy()
    table.hear()
    assert list(stick.glob("*.jsonl")), "turned over, it may be copied"
    desk.close()
    (stick / "after").mkdir()
    assert main_film([path.stem, str(stick / "after"), *home]) == 0
    assert any(_tells(one) for one in (stick / "after").iterdir())


def test_what_a_seat_asks_in_vain_is_told_to_that_seat_alone(table: MedTable) -> None:
    desk, state = table.desk, table.press().state
    player = state.step.owners[0]
    desk.send(PlayHand(state.step.id, "axis", ("X60",)), actor=Side(player), source="phone")
    table.hear()
    shown, own = table.changes[-1], desk.seen(frozenset({player}))
    assert shown.rejected is not None
    assert shown.rejected.code == Code.IN_SECRET
    assert "X60" not in str(shown)
    assert own is not None
    assert own.change.rejected is not None
    assert "X60" in str(own.change.rejected.detail)


def test_a_crash_file_names_no_card(table: MedTable) -> None:
    written = table.desk.crashes.write(RuntimeError("lost"), "a test")
    assert written is not None
    text = written.read_text()
    assert "last command: PlayHand" in text
    assert "A05" not in text


def test_a_hall_gets_the_tables_own_lines_but_what_lies_face_down_waits(
    table: MedTable, tmp_path: Path
) -> None:
    """The director's record is the log itself, line by line; it ends before the card until that is turned over."""
    faults: list[BaseException] = []
    desk = table.desk
    keys = desk.data_folder / "keys"
    port = HallPort(
        desk,
        keys,
        post=lambda call: call(),
        on_fault=faults.append,
        folder=lambda: tmp_path,
        notify=faults.append,
    )  # type: ignore[arg-type]
    key = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
    member = Membership("H", "17", "127.0.0.1", 1, "word", "", public_of(key).hex(), (b"k" * 32).hex())
    serving = HallServing(port, member, tmp_path / "hall.sock")
    listening = desk.subscribe_at_once(serving.take)
    assert desk.change is not None
    laid = len(desk.entries())
    serving.take(desk.change)
    serving._take_changes()
    (lines,) = serving._lines.values()
    assert len(lines) == laid - 1
    for _ in range(2):
        table.press()
        serving._take_changes()
        assert len(lines) == laid - 1
    assert table.press().state.step.act == "reveal"
    serving._take_changes()
    assert lines == portable_bytes(desk.session.entries(), desk.session.codec, "").splitlines()[1:]
    assert b'"A05"' in lines[laid - 1]
    listening.cancel()
    serving._let_go()
    assert not faults
