"""Which dice a combat under way waits for, and what they may name.

Source: rulebook, General Combat Sequence steps 1 to 3; Targeted Fire and Targeted Attack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from companion.core.text import Range, Say
from companion.core.text import unit as named
from companion.games.aana.rules.casualties import TRANSPORT, is_target
from companion.games.aana.rules.combat import (
    AIR_DEFENCE_NEED,
    ATTACKER,
    DEFENDER,
    FACES,
    Volley,
    air_defence_shots,
    volleys,
)
from companion.games.aana.rules.fight import (
    DICE_STAGES,
    Fight,
    Shot,
    VolleyRoll,
    arena_for,
    firing,
)
from companion.games.aana.rules.figures import FigureBook
from companion.games.aana.rules.rounds import (
    raids,
)

__all__ = [
    "aim_types",
    "expected_hits",
    "expected_volleys",
    "fire_fault",
    "no_face",
    "raid_tokens",
    "rolled",
]


def expected_volleys(book: FigureBook, fight: Fight) -> tuple[Volley, ...]:
    """Return the volleys that the current dice stage asks for, in a fixed order."""
    arena = arena_for(book, fight)
    if fight.stage not in DICE_STAGES:
        return ()
    if fight.stage == "air_defence":
        shots = air_defence_shots(arena, fight.a, fight.d)
        guns = tuple(i for i in arena.having(DEFENDER, "air_defence") if fight.d[i])
        return (Volley(guns, shots, AIR_DEFENCE_NEED),) if shots else ()
    role = firing(fight.stage)
    if role == ATTACKER:
        own, escort, enemy, has_struck = fight.a, fight.a_begin, fight.d, fight.strike_a
    else:
        own, escort, enemy, has_struck = fight.fire_d, fight.d_begin, fight.a, fight.strike_d
    strikes = fight.stage in ("strike_attack", "strike_defence")
    if strikes and not has_struck:
        return ()
    submarines = arena.having(role, "submersible")
    return volleys(
        arena,
        role,
        own,
        round_no=fight.round_no,
        only=submarines if strikes else None,
        without=submarines if has_struck and not strikes else (),
        escort=escort,
        enemy=enemy,
        cargo=fight.cargo.count if role == ATTACKER else 0,
    )


def rolled(volley: Volley, die: Callable[[], int]) -> tuple[int, ...]:
    """Return the final values of a volley, rerolls carried out.

    Args:
        die: Throws one ten-sided die.
    """
    values = []
    for _die in range(volley.dice):
        value, again = die(), False
        while volley.reroll_from and value >= volley.reroll_from and not (volley.reroll_once and again):
            value, again = die(), True
        values.append(value)
    return tuple(values)


def fire_fault(book: FigureBook, fight: Fight, rolls: tuple[VolleyRoll, ...]) -> Say | None:
    """Say what is wrong with the dice of a stage; None when they can be taken."""
    wanted = expected_volleys(book, fight)
    if len(rolls) != len(wanted):
        return Say.counted(
            "Roll {n} volley; you entered {have}.",
            "Roll {n} volleys; you entered {have}.",
            len(wanted),
            have=len(rolls),
        )
    for volley, roll in zip(wanted, rolls, strict=True):
        if len(roll.values) != volley.dice:
            return Say.counted(
                "Roll {n} die that hits on {need} or less; you entered {have}.",
                "Roll {n} dice that hit on {need} or less; you entered {have}.",
                volley.dice,
                need=volley.need,
                have=len(roll.values),
            )
        for value in roll.values:
            if not 1 <= value <= FACES:
                return no_face(value)
            if volley.reroll_from and not volley.reroll_once and value >= volley.reroll_from:
                return Say(
                    "Reroll every {face} and above in this volley, then enter the final results.",
                    face=volley.reroll_from,
                )
        hits = sum(value <= volley.need for value in roll.values)
        if roll.forced is not None and (not volley.aim or not 0 <= roll.forced <= hits):
            most = hits if volley.aim else 0
            return Say.counted(
                "You aimed {n} hit; possible: {most}.",
                "You aimed {n} hits; possible: {most}.",
                roll.forced,
                most=most,
            )
        fault = _named_fault(book, fight, volley, roll, hits)
        if fault is not None:
            return fault
    return None


def no_face(value: int) -> Say:
    """Say that a die of this game does not show a value."""
    return Say("A ten-sided die shows {faces}, not {value}.", faces=Range(1, FACES), value=value)


def _named_fault(book: FigureBook, fight: Fight, volley: Volley, roll: VolleyRoll, hits: int) -> Say | None:
    """Say what is wrong with the types that aimed fire names."""
    most = hits if roll.forced is None else roll.forced
    if not roll.at:
        return None
    if volley.aim not in ("land", "sea"):
        return Say("Only bombers with a targeted attack choose a unit type.")
    if any(n < 0 for n in roll.at.values()) or sum(roll.at.values()) > most:
        return Say.counted(
            "You chose a target for {n} hit; aimed: {most}.",
            "You chose targets for {n} hits; aimed: {most}.",
            sum(roll.at.values()),
            most=most,
        )
    for unit in roll.at:
        if unit not in aim_types(book, fight, volley):
            return Say("{unit} is not a target here.", unit=named(unit))
    return None


def aim_types(book: FigureBook, fight: Fight, volley: Volley) -> tuple[str, ...]:
    """Return the unit types that a volley with a targeted attack may name, ``transport`` for reinforcements at sea."""
    if volley.aim not in ("land", "sea"):
        return ()
    arena = arena_for(book, fight)
    found = [
        kind.unit
        for kind, row, n in zip(arena.defenders, arena.defender_rows, fight.d, strict=True)
        if n and is_target(row, volley.aim) and (volley.reach == "any" or row.type != "submarine")
    ]
    if volley.aim == "sea" and fight.cargo.count:
        found.append(TRANSPORT)
    return tuple(dict.fromkeys(found))


def raid_tokens(book: FigureBook, fight: Fight) -> int:
    """Return how many tokens the attackers may destroy before the first dice."""
    return raids(arena_for(book, fight), fight.a) if fight.round_no == 1 else 0


def expected_hits(shots: Iterable[Shot]) -> Fraction:
    """Return the mean number of hits of some volleys."""
    return sum((shot.dice * Fraction(*shot.chance) for shot in shots), Fraction(0))
