"""Scenes of the Result screen: a game that goes on, one that both sides look at, a dispute, and what was signed."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.text import Say
from companion.hall.result import RESULT_VERSION, SignedResult, seat_of, written_result
from companion.pages.result import Outcome, ResultDraft, SignedCode, outcome_of, told_of
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scenes import busy_desk, scene
from vision.codes import code_modules

__all__ = ["SceneSigner", "wait_for_signature"]

SLIP, BOX = "2-14-7394", "2345-6789-4732-9586"
"""Without letters: a scene's own words would pass for text that lacks a translation."""
_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
_PUBLIC = _KEY.public_key().public_bytes_raw()


class SceneSigner:
    """Signs with a key that everybody knows."""

    def box(self) -> str | Say:
        """Return what stands for the key's fingerprint."""
        return BOX

    def signed(self, change: Change, outcome: Outcome, slip: str) -> SignedCode | Say:
        """Return the result as a box would."""
        number, table, seat = seat_of(slip)
        result = SignedResult(
            RESULT_VERSION, seat, number, table, b"g" * 16, b"", change.seq, outcome.winner, outcome.how,
            outcome.level, outcome.vp, outcome.left_s, outcome.flags, b"d" * 32,
        )  # fmt: skip
        text = written_result(result, _PUBLIC, _KEY.sign)
        square = tuple("".join("1" if dark else "0" for dark in row) for row in code_modules(text))
        return SignedCode(square, text, BOX)


def _over(confirmed: int = 0, disputed: int = 0) -> Callable[[], MemoryDesk]:
    def make() -> MemoryDesk:
        desk = busy_desk()
        assert desk.change is not None, "a game is open"
        sides = [info.id for info in desk.change.state.frozen_setup.sides]
        desk.send(cm.EndGame(at_ms=desk.now_ms(), winner=sides[0], reason="conceded"))
        outcome = outcome_of(desk.change.state)
        assert outcome is not None, "the game is over"
        for side in sides[:confirmed]:
            desk.send(cm.ConfirmResult(side, told_of(outcome), SLIP))
        for side in sides[confirmed : confirmed + disputed]:
            desk.send(cm.DisputeResult(side))
        return desk

    return make


def _at_result(laid: Laid) -> None:
    laid.root.signer = SceneSigner()
    laid.root.go("result", draft=ResultDraft(SLIP))
    wait_for_signature(laid)


def wait_for_signature(laid: Laid) -> None:
    """Let the box sign, which it does beside the thread that draws, and show what came of it."""
    laid.settle()
    worker = laid.root.screen.later.worker
    if worker is not None:
        worker.join(timeout=20)
    laid.settle()


scene("result-open", "home", busy_desk)(_at_result)
scene("result", "home", _over(1))(_at_result)
scene("result-disputed", "home", _over(1, 1))(_at_result)
scene("result-code", "home", _over(2))(_at_result)
