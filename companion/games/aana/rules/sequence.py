"""The sequence of play: rounds, turns of powers, phases and special events as steps with stable ids.

Ids: ``setup``; ``r3.uk.combat_move.declare``; ``r7.begin`` before round 7 in Rommel's Last Push; ``end`` for the victory chart.
Source: rulebook, How the Campaign Is Won, Order of Play, Special Rules for the Scenarios.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from companion.core.flow import Step
from companion.core.ids import Nation, StepId
from companion.games.aana.rules.figures import SIDE_OF, TURN_POWERS
from companion.games.aana.rules.tables import GameFile, ScenarioFile

__all__ = ["LANDING_ROUND", "LEND_LEASE_ROUND", "TIGER_ROUND", "turns", "unfold"]

LANDING_ROUND: Final = 7
LEND_LEASE_ROUND: Final = 4
TIGER_ROUND: Final = 8

_CHECKS: Final = {
    "convoys.advance": ("convoys.air", "convoys.port", "convoys.closed"),
    "requisition.buy": ("requisition.mines",),
    "combat_move.move": ("move.end", "move.blitz", "move.blitz_must", "move.air", "move.mines"),
    "combat_move.declare": ("declare.all", "declare.mines"),
    "combat.resolve": ("combat.order",),
    "noncombat.move": ("noncombat.land", "noncombat.air", "noncombat.scouts", "noncombat.ships"),
    "deploy.place": ("deploy.all", "deploy.mines", "deploy.escorts"),
}

_SETUP_CHECKS: Final = ("setup.markers", "setup.pieces", "setup.free", "setup.values")

_EVENT_CHECKS: Final = (
    "event.trucks",
    "event.german_markers",
    "event.italian_marker",
    "event.tunis_convoy",
    "event.tunis_supply",
    "event.landings",
)


def is_act(phase: str, act: str) -> bool:
    """Say whether the sequence of play knows an act of a phase."""
    return f"{phase}.{act}" in _CHECKS


def turns(game: GameFile, scenario: ScenarioFile) -> Iterator[tuple[int, Nation]]:
    """Yield (round, power) in playing order; turns that the scenario skips are left out."""
    for number in range(scenario.first_round, game.last_round + 1):
        for power in TURN_POWERS:
            if power == "us" and number < scenario.us_from:
                continue
            if power == "germany" and number < scenario.germany_from:
                continue
            yield number, power


def unfold(
    game: GameFile, scenario: ScenarioFile, optional: Collection[str] = (), *, blitz_must: bool = True
) -> tuple[Step, ...]:
    """Unfold a scenario into its steps, the victory chart at the end.

    Args:
        optional: Optional rules in play that the table must be reminded of.
        blitz_must: Ruling aana.blitz_second: a blitzing unit that does not attack must go on.
    """
    steps = [Step(StepId("setup"), scenario.first_round, "setup", "lay", checks=_SETUP_CHECKS)]
    begun: set[int] = set()
    for number, power in turns(game, scenario):
        if number == LANDING_ROUND and scenario.first_round < number and number not in begun:
            steps.append(Step(StepId(f"r{number}.begin"), number, "event", "begin", checks=_EVENT_CHECKS))
        begun.add(number)
        side = SIDE_OF[power]
        for phase in game.phases:
            for act in phase.acts:
                steps.append(
                    Step(
                        StepId(f"r{number}.{power}.{phase.id}.{act}"),
                        number,
                        phase.id,
                        act,
                        owners=(side,),
                        clock=side,
                        checks=(
                            *(
                                line
                                for line in _checks(scenario, number, power, f"{phase.id}.{act}")
                                if blitz_must or line != "move.blitz_must"
                            ),
                            *_chosen(power, f"{phase.id}.{act}", optional),
                        ),
                        nation=power,
                    )
                )
    steps.append(Step(StepId("end"), game.last_round, "victory", "check", checks=("event.victory",)))
    return tuple(steps)


def _chosen(power: Nation, act: str, optional: Collection[str]) -> Iterator[str]:
    """Yield the lines that hang on optional rules."""
    if act == "combat.resolve" and "reinforce_attacks" in optional:
        yield "combat.reinforce"
    if act == "noncombat.move" and "air_transport" in optional and SIDE_OF[power] == "axis":
        yield "noncombat.air_transport"


def _checks(scenario: ScenarioFile, number: int, power: Nation, act: str) -> tuple[str, ...]:
    """Return the lines of an act in the order of duty: what holds in this round alone bounds all the others."""
    lines: list[str] = []
    landing = number == LANDING_ROUND
    if act == "convoys.advance" and power == "uk":
        return (*_CHECKS[act], "convoys.chain")
    if act == "requisition.buy":
        if power == "uk":
            lines += ["requisition.malta", "requisition.repair"]
        if power == "us":
            lines.append("event.free_french")
            if landing:
                lines.append("event.us_air")
    if act == "combat_move.move":
        if number < scenario.west_closed_until:
            lines.append("event.closed_west")
        if SIDE_OF[power] == "axis" and scenario.west_closed_until <= number < scenario.axis_west_from:
            lines.append("event.axis_barred")
        if landing and power == "uk":
            lines.append("event.uk_algiers")
        if (
            power == "germany"
            and number == scenario.axis_west_from
            and scenario.axis_west_from > LANDING_ROUND
        ):
            lines.append("event.axis_free")
    if act == "deploy.place":
        if number == LEND_LEASE_ROUND and power == "uk" and scenario.first_round <= LEND_LEASE_ROUND:
            lines.append("event.lend_lease")
        if landing and power == "us":
            lines.append("event.us_casablanca")
        if landing and power == "italy" and scenario.italy_convoy_only:
            lines.append("event.italy_tripoli")
    return (*lines, *_CHECKS[act])
