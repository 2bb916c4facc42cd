"""The words of The Soft Underbelly: what its ids are called, in one table."""

from __future__ import annotations

from companion.core.setup import Setup
from companion.core.text import N_, Noun, Say
from companion.games.tsu.help import HELP
from companion.games.tsu.log import LOG
from companion.games.tsu.names import named, season
from companion.games.tsu.words_undo import UNDONE
from companion.pages.words import GameWords

__all__ = ["WORDS"]


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
    name=named,
    symbols={"panzer": "tank", "tactical": "light_bomber", "strategic": "heavy_bomber"},
    log=LOG,
    names={
        "undone": UNDONE,
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
            "supply": N_("Declare supply and attacks"),
            "attack": N_("Resolve the attacks"),
            "breakthrough": N_("Break through"),
            "end_turn": N_("End the turn"),
        },
        "done": {
            "reinforcements": N_("Placed and replaced"),
            "supply": N_("Supply declared"),
            "attack": N_("Combat is over"),
            "breakthrough": N_("Breakthrough done"),
            "end_turn": N_("Turn is over"),
        },
        "strip": {
            "reinforcements": N_("Reinf."),
        },
        "unit": {
            "panzer": N_("Panzer / Mechanized"),
            "infantry": N_("Infantry"),
            "parachute": Noun("Parachute", "Parachutes"),
            "supply": N_("Supply"),
            "fort": Noun("Fort", "Forts"),
            "tactical": N_("Tactical Air"),
            "strategic": N_("Strategic"),
            "flotilla": Noun("Flotilla", "Flotillas"),
            "carrier": Noun("Carrier", "Carriers"),
            "convoy": Noun("Convoy", "Convoys"),
            "landing_craft": N_("Landing Craft"),
        },
        "unit_short": {"panzer": N_("Panzer"), "tactical": N_("Tact. Air"), "landing_craft": N_("Landing")},
        "side": {"axis": N_("Axis"), "allies": N_("Allies"), "nobody": N_("nobody")},
        "group": {
            "land": N_("land"),
            "tactical": N_("air"),
            "naval": N_("ships"),
            "land_tactical": N_("land and air"),
            "land_naval": N_("land and ships"),
            "tactical_naval": N_("air and ships"),
            "all": N_("land, air and ships"),
        },
        "area_kind": {
            "land": N_("Land area (square)"),
            "coastal": N_("Coastal area or island (circle)"),
            "sea": N_("Sea area (diamond)"),
        },
        "way": {
            "black": N_("By railway"),
            "road": N_("By road"),
            "port": N_("By sea lane, from a port"),
            "sea": N_("By sea lane, from a sea area"),
            "inside": N_("From inside: Malta, with a parachute on top"),
        },
        "short_way": {
            "black": N_("railway"),
            "road": N_("road"),
            "port": N_("sea lane"),
            "sea": N_("sea lane"),
            "inside": N_("inside"),
        },
        "happening": {
            "landed_in_europe": N_("Allied landing in Europe"),
            "invaded_vichy": N_("Allied invasion of Vichy"),
            "no_garrison": N_("No Axis garrison in the Balkans"),
            "no_germans": N_("No German units and no German areas are left"),
            "allies_gone": N_("The Allies are off the map and the Axis holds every area"),
            "path_open": N_("Path from a German to an Italian star: open"),
            "path_cut": N_("Path from a German to an Italian star: cut"),
        },
        "level": {"strategic": N_("Strategic Victory"), "victory": N_("Victory")},
        "reason": {
            "no_germans": N_("no German units and no German areas are left"),
            "four_stars": N_("Italy's three stars and Algiers are Allied"),
            "allies_gone": N_("the Allies are off the map"),
            "holds_a_star": N_("the Axis holds a star"),
            "neither": N_("neither side has what it needs"),
        },
    },
)
"""Kinds of its own: ``group`` of the chart, ``area_kind``, ``way`` and ``short_way`` to a target, ``happening`` that a player
reports, ``level`` of a victory and ``reason`` of an ending."""
