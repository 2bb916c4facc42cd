"""The battle file of North Africa, for ``companion odds`` and ``companion battle``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games.aana.odds.coach_report import coached
from companion.games.aana.odds.file import KEYS, AanaBattle, read_aana
from companion.games.aana.odds.play_report import battle_lines, battle_object
from companion.games.aana.odds.report import odds_lines, odds_object
from companion.games.aana.odds.unsaid import UNSAID
from companion.odds.battle_file import BattleAnswer
from companion.odds.coaching import Question

__all__ = ["BATTLE_FILES", "AanaBattleFiles"]


class AanaBattleFiles:
    """The battle file of North Africa, for the command line."""

    keys = KEYS

    def read(self, data: Mapping[str, Any], name: str) -> AanaBattle:
        """Return a combat that was checked whole. BattleFileError with every fault."""
        return read_aana(data, name)

    def answer(self, battle: AanaBattle, *, seed: int, top: int) -> BattleAnswer:  # noqa: ARG002 - always exact
        """Return the odds of a combat."""
        return _told(battle, BattleAnswer(odds_object(battle), tuple(odds_lines(battle, top))))

    def coach(self, battle: AanaBattle, question: Question) -> BattleAnswer:
        """Return what is best for a side and a goal."""
        return _told(battle, coached(battle, question))

    def play(self, battle: AanaBattle) -> BattleAnswer:
        """Return who rolls what, or the combat played through with the dice given."""
        return _told(battle, BattleAnswer(battle_object(battle), tuple(battle_lines(battle))))


def _told(battle: AanaBattle, answer: BattleAnswer) -> BattleAnswer:
    """Name beside an answer what the file leaves unsaid, and what was counted for it."""
    data = answer.data | {"not_stated": list(battle.unsaid)}
    return BattleAnswer(data, (*answer.lines, *(UNSAID[key] for key in battle.unsaid)))


BATTLE_FILES = AanaBattleFiles()
