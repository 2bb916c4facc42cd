"""The words of the naval card game: what its ids are called, in one table."""

from __future__ import annotations

from companion.core.text import N_, Noun
from companion.games.med.help import HELP
from companion.games.med.log import LOG
from companion.games.med.names import named
from companion.games.med.words_undo import UNDONE
from companion.pages.words import GameWords

__all__ = ["WORDS"]

WORDS = GameWords(
    help=HELP,
    stage=N_("Engagement"),
    stages=Noun("{n} engagement", "{n} engagements"),
    name=named,
    symbols={
        **{"air": "fighter", "surface": "battleship", "sub": "submarine", "combined": "convoy"},
        **{"force": "card", "bonus": "card", "special": "card", "operation": "card"},
        **{"supply": "truck", "storm": "storm", "convoy": "convoy", "battle": "battleship"},
    },
    log=LOG,
    names={
        "undone": UNDONE,
        "phase": {"engagement": N_("Engagement"), "count": N_("Count")},
        "act": {
            "operation": N_("Turn over an Operation"),
            "play_hidden": N_("Lay cards face down"),
            "play_again": N_("Intelligence: play again"),
            "draw_cards": N_("Draw cards"),
            "reveal": N_("Turn the cards over"),
            "trick": N_("Roll and take the trick"),
            "taken": N_("Fight the Operation"),
            "refill": N_("Fill the hands"),
        },
        "done": {
            "operation": N_("Operation is face up"),
            "play_hidden": N_("Laid face down"),
            "play_again": N_("Played"),
            "draw_cards": N_("Drawn"),
            "reveal": N_("All cards face up"),
            "trick": N_("Trick taken"),
            "taken": N_("Operation fought"),
            "refill": N_("Hands are full"),
        },
        "place_count": {
            "g": N_("Game {n}"),
            "e": N_("Engagement {n}"),
            "r": N_("Round {n}"),
            "p": N_("Player {n}"),
            "again": N_("Replay {n}"),
        },
        "place": {"turn": N_("Operation")},
        "camp": {"allies": N_("Allies"), "axis": N_("Axis"), "": N_("none")},
        "side": {"table": N_("Table")},
        "element": {
            "air": N_("Air"),
            "surface": N_("Surface"),
            "sub": N_("Sub"),
            "all": N_("All three"),
        },
        "kind": {
            "force": N_("Force"),
            "bonus": N_("Bonus"),
            "supply": N_("Supply"),
            "storm": N_("Storm"),
            "special": N_("Special"),
            "operation": N_("Operation"),
        },
        "field": {"name": N_("Name"), "victim": N_("Target")},
        "effect": {
            "medway": N_("Medway"),
            "remo": N_("Remo & Romolo"),
            "la_spezia": N_("Raid on La Spezia"),
            "romanian_fuel": N_("Romanian Fuel"),
            "ultra": N_("Ultra"),
            "b_dienst": N_("B-Dienst"),
            "cunningham": N_("Admiral Cunningham"),
            "iachino": N_("Admiral Iachino"),
            "sirocco": N_("Sirocco"),
            "fog": N_("Fog"),
            "explosion": N_("Explosion"),
            "lost": N_("Lost"),
            "night_action": N_("Night action"),
            "bomb_alley": N_("Bomb alley"),
            "shallows": N_("Shallows"),
        },
        "nation": {
            "germany": N_("Germany"),
            "italy": N_("Italy"),
            "romania": N_("Romania"),
        },
        "freighter": {"none": N_("Empty"), "half": N_("Half"), "full": N_("Full")},
        "operation": {"convoy": N_("Convoy"), "battle": N_("Battle")},
        "reason": {
            "higher_total": N_("higher total"),
            "intelligence": N_("equal totals, the side of the Intelligence card loses"),
            "no_value": N_("no card with a value: nobody wins, the Operation is discarded"),
            "equal_totals": N_("equal totals: the Operation is fought again"),
        },
        "result": {"won": N_("taken"), "tie": N_("draw, fought again"), "nobody": N_("nobody takes it")},
        "why": {
            "invalid": N_("invalid"),
            "sirocco": N_("Sirocco"),
            "explosion": N_("Explosion"),
            "lost": N_("Lost"),
            "shallows": N_("Shallows"),
            "declined": N_("not used"),
            "destiny": N_("victim of Destiny"),
        },
        "discard": {
            "one": N_("discarded one card"),
            "all": N_("discarded all cards"),
            "out": N_("sits out"),
            "bluff": N_("a bluff, nothing counts"),
        },
        "how": {
            "trick": N_("Operation"),
            "spoil": N_("under the Operation"),
            "destiny": N_("victim of Destiny"),
            "explosion": N_("Explosion"),
        },
    },
)
"""Kinds of its own: ``camp`` (the side that cards are played for), ``element``, ``kind``, ``effect``, ``freighter`` (the load
line) and ``operation`` of cards, ``field`` of a card, ``reason`` of an outcome, ``why`` a card no longer counts, ``discard``
(what a player did who laid nothing that counts), ``how`` a card came into a pile."""
