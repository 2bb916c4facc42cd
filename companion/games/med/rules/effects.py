"""The fifteen Supply, Storm and Special cards: what each does and where it may be played.

Numbers of Storm cards follow the rulebook's list (S01 and the name of S05 are stated, the rest inferred; ruling
``storm_numbers``). The numbers of Supply and Special cards are not in the text: the table enters them.
Source: Naval card game, Supply, Storm & Special Cards; Explanation of Significant Cards.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from companion.games.med.rules.cards import ALLIES, AXIS, NO_CAMP, Camp, CardNo

__all__ = [
    "ADMIRALS",
    "AT_END_OF_PLAY",
    "EFFECTS",
    "EXPLOSION_AT_HOME",
    "INTELLIGENCE",
    "RAIDS",
    "SIROCCO_PASSES",
    "STORM_NUMBERS",
    "WAITING",
    "WITH_A_PLAY",
    "Effect",
]


class Effect(msgspec.Struct, frozen=True, omit_defaults=True):
    """A named effect."""

    id: str
    kind: Literal["supply", "storm", "special"]
    side: Camp = NO_CAMP
    """The only side that can hold it; empty for Storm cards."""
    twin: str = ""
    """The other side's card with the same effect: a player plays only one of the two in an engagement."""
    alone: bool = False
    """May be played without a Force card."""
    replaces_force: bool = False
    rounds: tuple[int, ...] = (1, 2)
    """Rounds of a battle in which it may be played."""
    convoy: bool = True
    """May be played in a convoy."""
    elements: tuple[str, ...] = ()
    """The engagement must hold one of these elements; empty: any."""
    section: str = ""


_ALL: tuple[Effect, ...] = (
    Effect("medway", "supply", ALLIES, "remo", alone=True, section="Supply Cards"),
    Effect("remo", "supply", AXIS, "medway", alone=True, section="Supply Cards"),
    Effect(
        "la_spezia",
        "special",
        ALLIES,
        "romanian_fuel",
        alone=True,
        rounds=(1,),
        elements=("surface",),
        section="Raid on La Spezia",
    ),
    Effect(
        "romanian_fuel",
        "special",
        AXIS,
        "la_spezia",
        alone=True,
        rounds=(1,),
        elements=("surface",),
        section="Romanian Fuel",
    ),
    Effect(
        "ultra",
        "special",
        ALLIES,
        "b_dienst",
        alone=True,
        replaces_force=True,
        rounds=(1,),
        section="Intelligence Cards",
    ),
    Effect(
        "b_dienst",
        "special",
        AXIS,
        "ultra",
        alone=True,
        replaces_force=True,
        rounds=(1,),
        section="Intelligence Cards",
    ),
    Effect("cunningham", "special", ALLIES, "iachino", section="Admirals"),
    Effect("iachino", "special", AXIS, "cunningham", section="Admirals"),
    Effect("sirocco", "storm", alone=True, section="Sirocco; S01"),
    Effect("fog", "storm", alone=True, section="S02"),
    Effect("explosion", "storm", alone=True, section="Explosion; S03"),
    Effect("lost", "storm", alone=True, section="S04"),
    Effect("night_action", "storm", rounds=(2,), convoy=False, section="S05"),
    Effect("bomb_alley", "storm", alone=True, section="Bomb alley; S06"),
    Effect("shallows", "storm", alone=True, rounds=(1,), section="S07"),
)

EFFECTS: dict[str, Effect] = {effect.id: effect for effect in _ALL}

ADMIRALS = ("cunningham", "iachino")
INTELLIGENCE = ("ultra", "b_dienst")
RAIDS = {"la_spezia": ALLIES, "romanian_fuel": AXIS}
"""Effect to the side to which it holds the players after it."""
WAITING = ("sirocco", "explosion", "lost")
"""Storm effects that are carried out by a command of their own after the card was laid."""
AT_END_OF_PLAY = ("sirocco", "shallows")
"""Storm effects that their player lays at the end of his own play."""
WITH_A_PLAY = ("night_action",)
"""Storm effects that are laid with a play only."""
SIROCCO_PASSES = 4
"""From this die on a Sirocco goes on to the left; below it cancels a player's part."""
EXPLOSION_AT_HOME = 7
"""Two dice of this sum hit the Explosion's own player; less hits the right-hand neighbour, more the left-hand one."""

STORM_NUMBERS: dict[CardNo, str] = {
    CardNo("S01"): "sirocco",
    CardNo("S02"): "fog",
    CardNo("S03"): "explosion",
    CardNo("S04"): "lost",
    CardNo("S05"): "night_action",
    CardNo("S06"): "bomb_alley",
    CardNo("S07"): "shallows",
}
"""Number of each Storm card to its effect, as the rulebook lists them."""
