"""The `Signer` port: a result that everybody has confirmed, signed with this box's own key and drawn as a code."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from companion.adapters.shell import ShellDesk
from companion.core.change import Change
from companion.core.text import Say
from companion.pages.result import Outcome, SignedCode
from companion.session.errors import SessionError
from companion.session.signing_key import SigningKeyFile

__all__ = ["ResultSigner"]

_log = logging.getLogger(__name__)


class ResultSigner:
    """Signs for the open game of a desk."""

    def __init__(
        self, desk: ShellDesk, keys: Path, branch_of: Callable[[bytes], bytes] = lambda _game: b""
    ) -> None:
        """Keep the key in the folder `keys`; it is made when it is first asked for.

        `branch_of` tells by its id which digest a game forks off from after a recovery; empty: from none.
        """
        self._desk, self._file, self._branch_of = desk, SigningKeyFile(keys), branch_of

    def box(self) -> str | Say:
        """Return the fingerprint of the box's key."""
        from companion.hall.orders import legible

        try:
            return legible(self._file.ensure().public)
        except SessionError as fault:
            return fault.say

    def text(self, change: Change, outcome: Outcome, slip: str) -> tuple[str, str] | Say:
        """Return a result, signed, as of the newest stored entry, and the fingerprint of the key; or why it cannot be."""
        from companion.hall.orders import legible
        from companion.hall.result import RESULT_VERSION, SignedResult, seat_of, written_result

        try:
            claim = self._desk.session.claim
            if claim.seq < change.seq:
                return Say("The newest entry is not stored yet.")
            key = self._file.ensure()
            number, table, seat = seat_of(slip)
            result = SignedResult(
                RESULT_VERSION,
                seat,
                number,
                table,
                claim.game,
                self._branch_of(claim.game),
                claim.seq,
                outcome.winner,
                outcome.how,
                outcome.level,
                outcome.vp,
                outcome.left_s,
                outcome.flags,
                claim.digest,
            )
            return written_result(result, key.public, key.sign), legible(key.public)
        except SessionError as fault:
            return fault.say
        except ValueError as fault:
            _log.warning("a result: %s", fault)
            return Say("This result cannot be signed; enter it by its slip.")

    def signed(self, change: Change, outcome: Outcome, slip: str) -> SignedCode | Say:
        """Return a result, signed, as of the newest stored entry, with its code."""
        from vision.codes import code_modules

        made = self.text(change, outcome, slip)
        if isinstance(made, Say):
            return made
        square = tuple("".join("1" if dark else "0" for dark in row) for row in code_modules(made[0]))
        return SignedCode(square, *made)
