"""What differs between editions in battle, as one value.

Level numbers: 1 the weakest. A hit has a `capacity`; each unit that it destroys uses up its `price` for that
hit, and a unit heavier than the hit has no price (0). v0.96 (table ruling on one hit): White 1, Gray 2, Black 4
whatever the hit, Purple 8. First edition: a hit removes so many units of one colour by its list, so each unit
costs its share of the hit, in twelfths.
Source: rulebook v0.96, Standard Unit Abilities, Removing Casualties, Combined Fire, Defensive Lines, Mines; first
edition, Standard Unit Abilities and Limitations, Order of casualty removal, Concentrated Fire, Landing Defense.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

__all__ = ["EDITIONS", "SFW1", "SFW96", "BonusDice", "Edition", "with_rulings"]


class BonusDice(msgspec.Struct, frozen=True):
    """Dice of a token: a defensive line or a mine."""

    dice: int
    level: int
    number: int
    targets: tuple[str, ...]
    level_up: bool = False
    precise: bool = False


class Edition(msgspec.Struct, frozen=True):
    """Rules of battle that an edition settles."""

    key: str
    capacity: tuple[int, ...]
    """Capacity of a hit by level."""
    price: tuple[tuple[int, ...], ...]
    """``price[hit level - 1][armour level - 1]``; 0: too heavy for the hit."""
    range_penalty: int
    """Added to the number needed for each space of distance."""
    ambush: Literal["attack", "both"]
    """In which role a submarine that did not move fires one level stronger."""
    ambush_steps: tuple[int, ...]
    """Movement steps on which ambush is possible."""
    high_ground: Literal["level", "number"]
    """Infantry defending from a mountain: one level stronger, or hitting on `high_ground_number`."""
    high_ground_number: int
    deployed_steps: tuple[int, ...]
    """Movement steps on which artillery that moved does not roll."""
    coverage: Literal["air", "all"]
    """Against whom a covered carrier's armour is stronger."""
    coverage_level: int
    combined_sides: tuple[str, ...]
    """Who may combine fire."""
    combined_mixed: bool
    """Different colours may be combined."""
    combined_heavy_bomber: int | None
    """Number that a heavy bomber needs in combined fire; None: its own."""
    combined_minimum: int
    """Units that must be declared for combined fire."""
    combined_left: int
    """Units that must be left of those declared for them to roll at all."""
    line_dice: tuple[BonusDice, ...]
    """Dice of one defensive line."""
    mine: BonusDice | None
    has_retreat: bool
    has_disengage: bool
    has_bridges: bool = True
    bridge_all: bool = False
    """Table ruling: all who cross in one move draw the fire, also once the first have made the space contested."""
    has_airfield_fire: bool = True
    """A controlled airfield rolls against air units."""
    has_split_support: bool = True
    """A supporter with several dice may share them out among battles."""
    push_contested: bool = True
    """Passing a contested space takes a push through too."""
    push_anti_air: bool = False
    """Anti-air symbols roll at those who push through as well."""
    contested_landing: Literal["step_7", "at_once"] = "step_7"
    """When units land where friends stand: on battle step 7 without landing defence, or before the battle."""
    is_anti_air_free: bool = True
    """The bonus rolls of anti-air symbols are outside the one attack and one defence of a movement step."""
    listed_first: bool = False
    """A hit is paid by a listed exchange, units of one colour, wherever there are enough for one."""
    is_support_locked: bool = True
    """Units in a marked space support no other battle until theirs is resolved."""
    is_cargo_chosen: bool = False
    """Table ruling: the owner says whether a land transport's cargo takes part."""
    extra_shot_again: bool = True
    """A 12 on the bonus roll of an extra shot gives another."""
    landing_needs_empty: bool = True
    """Landing defence only where the space holds no friends of the landing units."""
    one_colour: bool = False
    """Table ruling: one hit removes units of one armour colour only."""
    deployed_bonus: bool = False
    """Artillery that moved gets no bonus rolls on those steps either."""
    deployed_whole_step: bool = True
    """Table ruling: artillery that moved does not roll in the enemy's half of the step either."""
    bars_empty_transports: bool = False
    """Empty transports neither declare a battle nor enter a contested or enemy-held space."""
    empty_transports_stay: bool = True
    """Table ruling: empty transports may stay in a space that becomes contested."""
    joint_hits: bool = True
    """Table ruling: all hits of a step are paid together, as much as can be; False: hit by hit as the owner orders."""
    anti_air_abilities: bool = False
    """Table ruling: extra shot, level up and precise hit of a unit work on the dice of its anti-air icons too."""
    short_hit_pays: bool = True
    """Table ruling: a hit that faces less than it could take removes what there is."""
    retreat_land_only: bool = False
    """Table ruling: only land units roll at units in full retreat."""
    disengage_land_only: bool = True
    """Table ruling: only land units roll at units in full disengage."""

    @property
    def only_pushes(self) -> bool:
        """Whether push through is the only fire at units that move."""
        return not (self.line_dice or self.mine or self.has_bridges)

    def price_of(self, hit: int, armour: int) -> int:
        """Return what a unit of an armour level uses up of a hit; 0 when the hit is too weak for it."""
        return self.price[hit - 1][armour - 1]


SFW96 = Edition(
    key="sfw96",
    capacity=(1, 2, 4, 8),
    price=((1, 0, 0, 0), (1, 2, 0, 0), (1, 2, 4, 0), (1, 2, 4, 8)),
    range_penalty=1,
    ambush="attack",
    ambush_steps=(1, 3),
    high_ground="level",
    high_ground_number=0,
    deployed_steps=(4,),
    coverage="air",
    coverage_level=3,
    combined_sides=("attacking",),
    combined_mixed=True,
    combined_heavy_bomber=10,
    combined_minimum=2,
    combined_left=2,
    line_dice=(
        BonusDice(2, 1, 9, ("land",), level_up=True),
        BonusDice(1, 2, 8, ("land",), level_up=True),
        BonusDice(1, 1, 9, ("air",), precise=True),
    ),
    mine=BonusDice(1, 2, 6, ("land", "sea"), level_up=True),
    has_retreat=True,
    has_disengage=True,
    bars_empty_transports=True,
    deployed_bonus=True,
)

SFW1 = Edition(
    key="sfw1",
    capacity=(12, 12, 12, 12),
    price=((12, 0, 0, 0), (6, 12, 0, 0), (4, 6, 12, 0), (3, 4, 6, 12)),
    range_penalty=0,
    ambush="both",
    ambush_steps=(1, 2, 3, 4, 5),
    high_ground="number",
    high_ground_number=7,
    deployed_steps=(4, 5),
    coverage="all",
    coverage_level=3,
    combined_sides=("attacking", "defending"),
    combined_mixed=False,
    combined_heavy_bomber=None,
    combined_minimum=2,
    combined_left=1,
    line_dice=(),
    mine=None,
    has_retreat=False,
    has_disengage=False,
    has_bridges=False,
    has_airfield_fire=False,
    has_split_support=False,
    push_contested=False,
    push_anti_air=True,
    contested_landing="at_once",
    is_anti_air_free=False,
    listed_first=True,
)

EDITIONS: Mapping[str, Edition] = {SFW96.key: SFW96, SFW1.key: SFW1}
"""Rules of battle by the key of the game."""


def with_rulings(edition: Edition, rulings: Mapping[str, str]) -> Edition:
    """Return an edition as a table has settled its open points; rulings of other matters are left alone."""
    leaving = rulings.get("leaving_rolls", "as_written")
    unlisted = rulings.get("unlisted_hit", "shares")
    return replace(
        edition,
        one_colour=rulings.get("hit_weights", "weights") == "one_colour" or unlisted != "shares",
        short_hit_pays=rulings.get("short_hit", "takes_what_there_is") == "takes_what_there_is"
        and unlisted != "nothing",
        empty_transports_stay=rulings.get("empty_transports", "stay") == "stay",
        deployed_whole_step=rulings.get("deployed_step", "whole_step") == "whole_step",
        joint_hits=rulings.get("joint_hits", "together") == "together",
        anti_air_abilities=rulings.get("anti_air_abilities", "no") == "yes",
        retreat_land_only=leaving == "land_units",
        disengage_land_only=leaving != "all_units",
        bridge_all=rulings.get("bridge_together", "first") == "all",
        is_support_locked=rulings.get("support_active", "forbidden") == "forbidden",
        is_cargo_chosen=rulings.get("transport_cargo", "unloaded") == "owner_chooses",
        extra_shot_again=rulings.get("extra_shot_again", "yes") == "yes",
        combined_left=2 if rulings.get("last_concentrating") == "silent" else edition.combined_left,
    )
