"""The states that rounds of a North Africa combat lead to, found before these rounds are worked.

Rounds that are alike can then be worked with the same products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.games.aana.odds.fires import Fires
from companion.games.aana.odds.tables import Ints, joined, without
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Role

__all__ = ["led_to"]


def led_to(
    fires: Fires, a: Ints, d: Ints, *, after: Mapping[Role, Callable[[Ints, Ints], Ints]], most: int
) -> tuple[Ints, Ints] | None:
    """Return attacking and defending states with those that they lead to round by round.

    Whoever could make a hit is taken to meet whoever it may fall on, and strikes to be all that their side fires, so
    that some of the states may never occur and some may be missing.

    Args:
        after: By the side that is hit: what some of its states become by the next round under some hits.
        most: None is returned where that takes more pairs than this.
    """
    states: dict[Role, Ints] = {ATTACKER: a, DEFENDER: d}
    sides: tuple[tuple[Role, Role], ...] = ((DEFENDER, ATTACKER), (ATTACKER, DEFENDER))
    # How many states and hits there were when these led nowhere new.
    settled: dict[tuple[Role, int], tuple[int, int]] = {}
    is_new = True
    while is_new:
        is_new = False
        for role, foe in sides:
            for hunts in (0, 1):
                own = states[role]
                met = own[fires.hunting(role, own) == hunts]
                if not met.size:
                    continue
                hits = fires.hits(foe, states[foe], hunts)
                if settled.get((role, hunts)) == (len(met), len(hits)):
                    continue
                count, is_new = 0, True
                while met.size:
                    count += len(met)
                    new = without(after[role](met, hits), own)
                    own = joined(own, new)
                    met = new[fires.hunting(role, new) == hunts]
                    if len(own) * max(len(hits), len(states[foe])) > most:
                        return None
                states[role] = own
                settled[role, hunts] = count, len(hits)
    return states[ATTACKER], states[DEFENDER]
