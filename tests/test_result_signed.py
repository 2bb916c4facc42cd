"""From the last word of a game to the hall's record: confirmed on both halves, signed by the box, read from its code."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import numpy as np
import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.result_signer import ResultSigner
from companion.adapters.shell import ShellDesk
from companion.core import commands as cm
from companion.core.digest import first_digest
from companion.core.ids import Side
from companion.core.rules import Code as Refusal
from companion.core.text import Say
from companion.hall.happenings import BoxKnown, Entered, Paired, Pairing, Player, Rules, TournamentBegun
from companion.hall.intake import taken
from companion.hall.orders import legible
from companion.hall.outbox import Course, Cursor
from companion.hall.record import Tournament, code_of, fold
from companion.hall.result import hall_mark, read_result
from companion.pages.page import Code, Notice, Sides, all_blocks
from companion.pages.result import ResultDraft, SignedCode, is_agreed, outcome_of, told_of
from companion.session.portable import portable_bytes
from companion.session.signing_key import SigningKeyError, SigningKeyFile
from companion.session.timesource import ManualTime
from companion.testing.harness import lay
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.testing.scenes_result import SceneSigner, wait_for_signature
from vision.codes import read_qr

AXIS, ALLIES = Side("axis"), Side("allies")


def _hall(box: str) -> Tournament:
    players = [Entered(Player(1, "Anna")), Entered(Player(2, "Ben"))]
    return fold([
        TournamentBegun("t", "Cup", Rules(), "s"), *players, Paired(1, "swiss", (Pairing(1, 1, 2),)), BoxKnown(1, box),
    ])  # fmt: skip


def _table(folder: Path) -> ShellDesk:
    desk = ShellDesk(
        folder, GameCatalogue(None), post=lambda work: work(), app_version="1", time=ManualTime(1_000)
    )
    desk.start(desk.make_setup("sfw96", "italy", {"tournament": True}))
    return desk


def test_what_both_sides_confirm_reaches_the_hall_as_it_was(tmp_path: Path) -> None:
    desk = _table(tmp_path)
    signer = ResultSigner(desk, tmp_path / "keys")
    box = signer.box()
    assert isinstance(box, str)
    now = _hall(box)
    slip = f"{hall_mark(now.id)}.{code_of(now, 1, now.rounds[0].tables[0])}"
    session = desk.session
    desk.send(cm.ConfirmResult(AXIS, "x", slip))
    assert session.sync().state.confirmed == {}, "nothing is confirmed before the end"
    desk.send(cm.EndGame(at_ms=1_000, winner=AXIS, reason="conceded"))
    state = session.sync().state
    outcome = outcome_of(state)
    assert outcome is not None
    desk.send(cm.ConfirmResult(AXIS, told_of(outcome), slip))
    assert not is_agreed(session.sync().state)
    desk.send(cm.ConfirmResult(ALLIES, told_of(outcome), slip))
    change = session.sync()
    assert is_agreed(change.state)
    code = signer.signed(change, outcome, slip)
    assert isinstance(code, SignedCode)
    assert code.box == box
    signed = read_result(code.text)
    assert (signed.result.seq, signed.result.game) == (change.seq, session.claim.game)
    assert signed.result.digest == session.claim.digest
    assert signed.result.branch == b"", "its log was never damaged"
    lines = tuple(portable_bytes(session.entries(), session.codec, "").splitlines()[1:])
    course = Course(
        session.game, lines[:1], Cursor(session.game.hex(), first_digest(session.game).hex(), 9, "0" * 64)
    )
    again = ResultSigner(desk, tmp_path / "keys", lambda _game: course.fork).text(change, outcome, slip)
    assert isinstance(again, tuple)
    assert read_result(again[0]).result.branch == course.fork == first_digest(session.game), "it lost entries"
    what = taken(now, signed, "code")
    assert (what.report.result.winner, what.report.result.how) == (1, "conceded")
    assert what.report.result.vp == (outcome.vp["axis"], outcome.vp["allies"]) == (31, 12)
    desk.send(cm.Undo(at_ms=1_000))
    assert not is_agreed(session.sync().state), "a confirmation is taken back like any act"
    path = session.path
    desk.close()
    desk.open(path)
    assert set(desk.session.sync().state.confirmed) == {AXIS}, "it is in the file"
    desk.close()


def test_a_box_signs_results_with_the_one_key_that_a_hall_knows_it_by(tmp_path: Path) -> None:
    desk = _table(tmp_path / "games")
    box = ResultSigner(desk, tmp_path / "keys").box()
    assert box == legible(SigningKeyFile(tmp_path / "keys").ensure().public)
    desk.close()


def test_a_dispute_and_other_figures_keep_a_result_open() -> None:
    desk = MemoryDesk(sample_setup())
    desk.send(cm.EndGame(at_ms=desk.now_ms(), winner=ALLIES, reason="agreed"))
    outcome = outcome_of(desk.change.state)  # type: ignore[union-attr]
    assert outcome is not None
    for side in (AXIS, ALLIES):
        desk.send(cm.ConfirmResult(side, told_of(outcome), "1-1-AAAA"))
    assert is_agreed(desk.change.state)  # type: ignore[union-attr]
    desk.send(cm.ConfirmResult(AXIS, told_of(outcome), "1-2-AAAA"))
    assert not is_agreed(desk.change.state), "two slips are no agreement"  # type: ignore[union-attr]
    desk.send(cm.ConfirmResult(ALLIES, told_of(outcome), "1-2-AAAA"))
    desk.send(cm.DisputeResult(AXIS))
    assert not is_agreed(desk.change.state)  # type: ignore[union-attr]
    desk.send(cm.ConfirmResult(AXIS, told_of(outcome), "1-2-AAAA"))
    assert is_agreed(desk.change.state)  # type: ignore[union-attr]
    desk.send(cm.ConfirmResult(Side("p3"), "x"))
    rejected = desk.change.rejected  # type: ignore[union-attr]
    assert rejected is not None
    assert rejected.code == Refusal.UNKNOWN_SIDE


def test_each_side_presses_its_own_half_and_the_code_follows() -> None:
    laid = lay(MemoryDesk(sample_setup()), screen="result")
    laid.root.signer = SceneSigner()
    laid.desk.send(cm.EndGame(at_ms=laid.desk.now_ms(), winner=ALLIES, reason="agreed"))
    laid.root.go("result", draft=ResultDraft("2-14-K7QF"))
    laid.settle()
    for _side in (AXIS, ALLIES):
        assert any(isinstance(block, Sides) for block in laid.root.screen.page.blocks)
        laid.tap(laid.find(text="Confirm"))
    wait_for_signature(laid)
    (code,) = (block for block in laid.root.screen.page.blocks if isinstance(block, Code))
    seen = read_result(read_qr(np.ascontiguousarray(laid.pixels()))).result
    assert (seen.round, seen.table, seen.winner) == (2, 14, "allies"), "the window itself can be photographed"
    assert len(code.square) >= 57
    laid.desk.send(cm.DisputeResult(ALLIES))
    laid.settle()
    notices = [one for one in all_blocks(laid.root.screen.page.blocks) if isinstance(one, Notice)]
    assert "dispute" in [one.key for one in notices]


def test_the_signing_key_is_the_boxs_alone_and_is_checked(tmp_path: Path) -> None:
    file = SigningKeyFile(tmp_path / "keys")
    key = file.ensure()
    assert file.ensure().public == key.public
    assert stat.S_IMODE(os.stat(file.path).st_mode) == 0o600
    whole = file.path.read_bytes()
    for at in range(0, len(whole) - 1, 7):
        file.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(SigningKeyError):
            file.ensure()
    file.path.write_bytes(whole[:20])
    with pytest.raises(SigningKeyError, match="damaged"):
        file.ensure()
    assert file.path.read_bytes() == whole[:20], "nothing is put in the place of a damaged key"
    file.path.write_bytes(json.dumps(json.loads(whole)).encode())
    assert file.ensure().public == key.public
    assert whole.decode() not in repr(key)


def test_a_box_without_a_key_says_why(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file where the folder should be", encoding="utf-8")
    desk = ShellDesk(
        tmp_path / "games",
        GameCatalogue(None),
        post=lambda work: work(),
        app_version="1",
        time=ManualTime(1_000),
    )
    assert isinstance(ResultSigner(desk, tmp_path / "keys").box(), Say)
    desk.close()
