"""Whether the printed values of a code belong to the open game: what another game or board needs is refused by name."""

from __future__ import annotations

from collections.abc import Sequence

from companion.core.state import GameState
from companion.core.text import Say, Typed
from companion.pages.desk import ScenarioInfo
from companion.pages.modules import game_view
from companion.session.printed_code import PrintedCode, PrintedCodeError, read_code

__all__ = ["code_for"]


def code_for(text: str, state: GameState | None, scenarios: Sequence[ScenarioInfo]) -> PrintedCode:
    """Return what a code says, for the open game or, where none is open, for the games to come.

    Raises:
        PrintedCodeError: It is no code of this version, of a game that is not open, or without a value that the open
            scenario can use.
    """
    code = read_code(text)
    theirs = [info for info in scenarios if info.game == code.game]
    if not theirs:
        raise PrintedCodeError(Say("This version has no game {game}", game=Typed(code.game)))
    if state is None:
        return code
    setup = state.frozen_setup
    if code.game != setup.game:
        raise PrintedCodeError(
            Say("These values belong to {game}, which is not the open game", game=Say(theirs[0].game_title)),
            Say("open a game of it, and read the code again"),
        )
    usable = {row.key for row in game_view(setup.game).printed(state)} | set(state.printed)
    if code.scenario != setup.scenario and not usable & set(code.values):
        titles = {info.scenario: Say(info.title) for info in theirs}
        raise PrintedCodeError(
            Say(
                "These values were entered for {theirs}; none of them is used in {ours}",
                theirs=titles.get(code.scenario, Typed(code.scenario)),
                ours=titles.get(setup.scenario, Typed(setup.scenario)),
            )
        )
    return code
