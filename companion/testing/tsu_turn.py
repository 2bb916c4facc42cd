"""The attacks of the rulebook's example turn, Spring 1941."""

from __future__ import annotations

from companion.games.tsu.rules.forces import Attack, Attacker
from companion.games.tsu.rules.units import Unit

__all__ = ["MALTA", "TOBRUK", "TOBRUK_BACK"]

MALTA = Attack(
    "Malta",
    "coastal",
    "",
    (
        Attacker(Unit("flotilla", "italy"), "Malta", "inside"),
        Attacker(Unit("tactical", "germany"), "Malta", "inside"),
        Attacker(Unit("parachute", "germany"), "Malta", "inside", landing=True),
    ),
    (Unit("fort", "britain", "Malta"),),
)
TOBRUK = Attack(
    "Tobruk",
    "coastal",
    "",
    (
        Attacker(Unit("panzer", "germany", "Panzerarmee Afrika"), "Tripoli", "black"),
        Attacker(Unit("tactical", "italy"), "Tripoli", "black"),
    ),
    (Unit("panzer", "britain", "8th Army"),),
)
TOBRUK_BACK = Attack(
    "Tobruk",
    "coastal",
    "",
    (
        Attacker(Unit("panzer", "britain", "8th Army"), "Western Desert", "road"),
        Attacker(Unit("infantry", "britain", "ANZAC"), "Western Desert", "road"),
        Attacker(Unit("flotilla", "britain"), "Eastern Mediterranean", "blue", from_sea=True),
    ),
    (Unit("panzer", "germany", "Panzerarmee Afrika"), Unit("tactical", "italy")),
)
"""The British counterattack."""
