"""Luck and odds of the North Africa combat under way, as one line of text each."""

from __future__ import annotations

from companion.core.state import GameState
from companion.games.aana.combat import arena_of
from companion.games.aana.fight import Fight, costs_of
from companion.games.aana.fight_dice import expected_hits
from companion.games.aana.figures import MissingFiguresError
from companion.games.aana.ledger import figures, known_supply, ledger_of
from companion.games.aana.rounds import UNLIMITED
from companion.odds.aana import TooLargeError, exact_odds
from companion.presenters.aana_refusals import key_text
from companion.presenters.i18n import _
from companion.presenters.numbers import figure, percent

__all__ = ["luck_text", "odds_text"]


def luck_text(fight: Fight) -> str:
    """Return hits against expectation so far, by side."""
    parts = []
    for role, word in (("attacker", _("Attack")), ("defender", _("Defence"))):
        shots = [shot for shot in fight.shots if shot.role == role]
        if shots:
            hits = sum(shot.hits for shot in shots)
            mean = float(expected_hits(shots))
            parts.append(
                _("{side} {hits} hits, {mean} expected").format(side=word, hits=hits, mean=figure(mean))
            )
    return " · ".join(parts)


def odds_text(state: GameState, fight: Fight) -> str:
    """Return the odds of the combat from here on, or why there are none."""
    try:
        arena = arena_of(figures(state), fight.rules, fight.attackers, fight.defenders)[0]
        there = known_supply(ledger_of(state), fight.space)
        found = exact_odds(
            arena,
            fight.a,
            fight.d,
            cargo=fight.cargo,
            costs=costs_of(figures(state), fight.cargo),
            defence_supply=UNLIMITED if there is None else there,
        )
    except TooLargeError:
        return _("Too many kinds of pieces for exact odds")
    except MissingFiguresError as error:
        return _("Printed values are missing: {keys}").format(keys="; ".join(map(key_text, error.keys)))
    chance = found.results
    return _("Defender gone {a}, attacker gone {d}, neither {n}; territory taken {c}").format(
        a=_percent(chance["attacker"] + chance["both"]),
        d=_percent(chance["defender"] + chance["both"]),
        n=_percent(chance["ceased"] + chance["stalemate"]),
        c=_percent(found.p_capture),
    )


def _percent(p: float) -> str:
    return percent(p, 0)
