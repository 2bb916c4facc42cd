"""What the ids of units and battles are called, and what the first edition calls otherwise."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import N_, Name, Noun, Typed, Value
from companion.games.sfw.rules.battle_rolls import OBJECTIVE, Reason
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import TYPES
from companion.games.sfw.words_ledger import KINDS
from companion.pages.words import Word

__all__ = [
    "ABILITIES",
    "BATTLE_NAMES",
    "COLOURS",
    "FIGURES",
    "FIRST_EDITION",
    "TARGET_SETS",
    "TERRAINS",
    "card_unit",
]

UNITS: dict[str, Word] = {
    "fighter": Noun("Fighter", "Fighters"),
    "light_bomber": Noun("Light Bomber", "Light Bombers"),
    "heavy_bomber": Noun("Heavy Bomber", "Heavy Bombers"),
    "air_transport": Noun("Air Transport", "Air Transports"),
    "submarine": Noun("Submarine", "Submarines"),
    "destroyer": Noun("Destroyer", "Destroyers"),
    "cruiser": Noun("Cruiser", "Cruisers"),
    "battleship": Noun("Battleship", "Battleships"),
    "carrier": Noun("Aircraft Carrier", "Aircraft Carriers"),
    "sea_transport": Noun("Sea Transport", "Sea Transports"),
    "infantry": N_("Infantry"),
    "tank": Noun("Tank", "Tanks"),
    "artillery": N_("Artillery"),
    "anti_air": N_("Anti-Air"),
    "land_transport": Noun("Land Transport", "Land Transports"),
    "airfield": Noun("Airfield", "Airfields"),
    "defensive_line": Noun("Defensive line", "Defensive lines"),
    "mine": Noun("Mine", "Mines"),
}

NATIONS: dict[str, Word] = {
    "us": N_("United States"),
    "gb": N_("Great Britain"),
    "germany": N_("Germany"),
    "italy": N_("Italy"),
}

TERRAINS: dict[str, str] = {
    "land": N_("Land"),
    "sea": N_("Sea"),
    "mountain": N_("Mountain"),
    "desert": N_("Desert"),
    "road": N_("Road"),
    "impassable": N_("Impassable"),
}

COLOURS: dict[str, str] = {
    "white": N_("White"),
    "gray": N_("Gray"),
    "black": N_("Black"),
    "purple": N_("Purple"),
    "blue": N_("Blue"),
    "yellow": N_("Yellow"),
    "red": N_("Red"),
}

FIGURES: dict[str, str] = {
    "number": N_("Hit number"),
    "level": N_("Firepower colour"),
    "targets": N_("Targets"),
    "range": N_("Range"),
    "anti_air": N_("Anti-air icons"),
    "armour": N_("Armour"),
    "move": N_("Move"),
    "cost": N_("Cost"),
    "abilities": N_("Ability icons"),
}

ABILITIES: dict[str, str] = {
    "extra_shot": N_("Extra shot"),
    "level_up": N_("Level up"),
    "precise_hit": N_("Precise hit"),
    "retreat": N_("Retreat"),
    "disengage": N_("Disengage"),
    "ambush": N_("Ambush"),
    "coverage": N_("Coverage"),
    "deployed": N_("Deployed"),
    "engineer": N_("Engineer"),
    "escort": N_("Escort"),
    "heavy": N_("Heavy"),
    "high_ground": N_("High ground"),
    "land_bridge": N_("Land bridge"),
    "long_range": N_("Long range"),
    "mine_layer": N_("Mine layer"),
    "mobile": N_("Mobile"),
    "search": N_("Search"),
    "sonar": N_("Sonar"),
    "submerged": N_("Submerged"),
    "supply_hub": N_("Supply hub"),
    "targeted_bombing": N_("Targeted bombing"),
}

TARGET_SETS: tuple[tuple[str, ...], ...] = (("air",), ("sea",), ("land",), ("land", "sea"), TYPES)
"""Targets that a unit or a card is likely to name together."""

BATTLE_NAMES: dict[str, dict[str, Word]] = {
    "unit": UNITS,
    "unit_short": {
        "air_transport": N_("Air tr."),
        "heavy_bomber": N_("Heavy B."),
        "land_transport": N_("Land tr."),
        "light_bomber": N_("Light B."),
        "battleship": N_("Battlesh."),
        "carrier": N_("Carrier"),
        "sea_transport": N_("Sea tr."),
    },
    "nation_short": {
        "gb": N_("GB"),
        "germany": N_("DE"),
        "italy": N_("IT"),
        "us": N_("US"),
    },
    "terrain": {**TERRAINS},
    "colour": {**COLOURS},
    "figure": {**ABILITIES, **FIGURES},
    "ability": {**ABILITIES},
    "nation": NATIONS,
    "target": {**KINDS, OBJECTIVE: N_("Resupply")},
    "figure_status": {
        "inferred": N_("inferred, check your tile"),
        "unknown": N_("not in the rules: enter it"),
        "printed": N_("from your copy"),
        "card": N_("from its card"),
    },
    "shot": {
        "level": N_("colour"),
        "number": N_("number"),
        "dice": N_("dice"),
        "targets": N_("targets"),
    },
    "battle_status": {
        "declared": N_("declared"),
        "fighting": N_("being fought"),
        "over": N_("over"),
        "broken_off": N_("broken off"),
    },
    "battle_side": {"attacking": N_("Attackers"), "defending": N_("Defenders")},
    "target_choice": {"surface": N_("against land and sea"), "air": N_("against air")},
    "reason": {
        Reason.OTHER_STEP: N_("rolls in another battle step"),
        Reason.NO_FIREPOWER: N_("has no firepower"),
        Reason.NO_TARGET: N_("no enemy that it may hit is in the battle and in range"),
        Reason.ATTACK_ONLY: N_("its firepower is for attack only"),
        Reason.DEFENCE_ONLY: N_("its firepower is for defence only"),
        Reason.NO_SONAR: N_("only submerged submarines are left and it has no sonar"),
        Reason.SPENT: N_("has used its one attack or defence of this movement step"),
        Reason.MOVED: N_("moved in this movement step and is deployed"),
        Reason.COMBINED: N_("rolls in combined fire in step 7A"),
        Reason.ALONE: N_("too few units for combined fire are left"),
        Reason.CANNOT_HIT: N_("would need more than 12 from that far away"),
        Reason.BOMBING: N_("aims all its dice at the objective"),
        Reason.UNLOADING: N_("is on its way ashore"),
        Reason.MOVERS: N_("units that move never roll"),
        Reason.NOT_LAND: N_("only land units roll against units that leave"),
        Reason.OUT_OF_SPACE: N_("this roll is for units in the space only"),
    },
    "declared": {
        "battle": N_("Battle declared"),
        "movement": N_("Entry under fire"),
        "disengage": N_("Full disengage"),
    },
}
"""Words of battles by kind; `reason` says why a unit does not roll, `declared` what was called for."""

FIRST_EDITION: dict[str, dict[str, Word]] = {
    "reason": {
        Reason.COMBINED: N_("rolls in concentrated fire in step 7"),
        Reason.ALONE: N_("too few units for concentrated fire are left"),
    },
    "declared": {"movement": N_("Push through")},
}
"""Rows in which the first edition has its own words."""


def card_unit(name: Name, state: GameState | None) -> Value | None:
    """Return what a unit on a card is called: as the table entered it. None where it is no such unit."""
    if name.kind != "unit" or name.id in UNITS or state is None or state.setup is None:
        return None
    spec = unit_table_of(state).units.get(name.id)
    return None if spec is None else Typed(spec.name)
