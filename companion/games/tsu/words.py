"""The words of The Soft Underbelly: what its ids are called, in one table."""

from __future__ import annotations

from companion.core.setup import Setup
from companion.core.text import N_, Noun, Say, Typed
from companion.games.tsu.help import HELP
from companion.pages.words import GameWords

__all__ = ["SEASONS", "WORDS", "season"]


SEASONS: dict[str, str] = {
    "spring": N_("Spring {year}"),
    "summer": N_("Summer {year}"),
    "fall": N_("Fall {year}"),
    "winter": N_("Winter {year}"),
}
"""A season of a year."""


def season(name: str) -> Say:
    """Say a season such as ``winter 1942``."""
    of, _, year = name.partition(" ")
    return Say(SEASONS[of], year=Typed(year))


def _stage_name(setup: Setup, stage: int) -> Say:
    seasons = setup.tables.get("seasons", ())
    return season(str(seasons[stage - 1])) if 0 < stage <= len(seasons) else Say("Turn {n}", n=stage)


_PHASES: dict[str, str] = {
    "reinforcements": N_("Reinforcements"),
    "move": N_("Movement"),
    "supply": N_("Supply"),
    "attack": N_("Combat"),
    "breakthrough": N_("Breakthrough"),
}

WORDS = GameWords(
    help=HELP,
    stage=N_("Turn"),
    stage_name=_stage_name,
    stages=Noun("{n} turn", "{n} turns"),
    names={
        "unit": {
            "panzer": N_("Panzer / Mechanized"),
            "infantry": N_("Infantry"),
            "parachute": N_("Parachute"),
            "supply": N_("Supply"),
            "fort": N_("Fort"),
            "tactical": N_("Tactical Air"),
            "strategic": N_("Strategic"),
            "flotilla": N_("Flotilla"),
            "carrier": N_("Carrier"),
            "convoy": N_("Convoy"),
            "landing_craft": N_("Landing Craft"),
        },
        "phase": _PHASES,
        "place": {**_PHASES, "end": N_("End")},
        "place_count": {
            "sp": N_("Spring {n}"),
            "su": N_("Summer {n}"),
            "fa": N_("Fall {n}"),
            "wi": N_("Winter {n}"),
        },
        "act": {
            "reinforcements": N_("Place and replace units"),
            "supply": N_("Name supply and attacks"),
            "attack": N_("Fight the attacks"),
            "breakthrough": N_("Break through"),
            "end_turn": N_("End the turn"),
        },
        "done": {
            "reinforcements": N_("Placed and replaced"),
            "supply": N_("Supply is named"),
            "attack": N_("Combat is over"),
            "breakthrough": N_("Broken through"),
            "end_turn": N_("Turn is over"),
        },
        "strip": {
            "reinforcements": N_("Reinf."),
        },
        "refusal": {
            "already_done": N_("That was reported or declared before."),
            "no_advance": N_("These units may not advance so: one land unit first, then others that fought."),
            "box_empty": N_("There is none in the box."),
            "choose_losses": N_("Choose first what is lost."),
            "illegal_attack": N_("This attack is not allowed; the Result page says why."),
            "may_not_retreat": N_("That unit may not leave before this combat."),
            "attack_over": N_("This attack is over already."),
            "not_at_war": N_("This nation is not at war now."),
            "not_lendable": N_("Nobody can lend a star now."),
            "other_phase": N_("That belongs to another phase."),
            "not_replaceable": N_("This unit is never replaced."),
            "too_few_stars": N_("There are not enough stars left."),
            "soviet": N_("The Axis cannot retake what the Red Army holds."),
            "star_fixed": N_("This star stays with its nation unless it is lost and retaken."),
            "star_spent": N_("This star was used in this turn already."),
            "too_early": N_("It is too early for that."),
        },
    },
)
