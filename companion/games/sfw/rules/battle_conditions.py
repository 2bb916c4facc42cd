"""What of a battle is judged without a look at its units: step, terrain, airfield, lines, mines, bridges, retreats.

Source: rulebook v0.96, Battle Declaration; Defensive Lines; Mines; Bridges; Objective and Airfield Control.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from companion.core.text import Range, Say, several, unit
from companion.games.sfw.rules.battle import NOBODY, SIDES, TERRAINS, Battle, ProblemCode
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.named import battle_side, terrain
from companion.games.sfw.rules.named import found as as_found
from companion.games.sfw.rules.units import UnitTable

__all__ = ["condition_faults", "no_terrain"]

_TOKENS = 24
"""Most lines or mines that a roll could involve: all tokens in the box."""


def condition_faults(battle: Battle, edition: Edition, table: UnitTable) -> Iterator[tuple[str, Say]]:
    """Yield what is wrong with a battle whoever takes part, each with its code."""
    if not 1 <= battle.movement_step <= 5 and (battle.occasion, battle.movement_step) != ("movement", 6):
        yield (
            ProblemCode.BAD_STEP,
            Say(
                "Battles happen in movement steps {steps}, not {step}.",
                steps=Range(1, 5),
                step=battle.movement_step,
            ),
        )
    if battle.terrain not in TERRAINS:
        yield (
            ProblemCode.UNKNOWN_TERRAIN,
            no_terrain(battle.terrain),
        )
    if battle.airfield not in ("", NOBODY, *SIDES):
        yield (
            ProblemCode.BAD_CHOICE,
            Say(
                "The airfield belongs to one of these sides: {sides}. Not {found}.",
                sides=several(map(battle_side, SIDES), "or"),
                found=as_found(battle.airfield),
            ),
        )
    elif battle.airfield and not edition.has_airfield_fire:
        yield (ProblemCode.NOT_IN_EDITION, Say("Airfields have no roll in this edition."))
    for key, most in (("sea_walls", _TOKENS), ("lines", _TOKENS), ("mines", 6)):
        value = getattr(battle, key)
        if not 0 <= value <= most:
            yield (ProblemCode.BAD_COUNT, _TOKEN_COUNT[key](most, value))
        if value and not (edition.mine if key == "mines" else edition.line_dice):
            yield (
                ProblemCode.NOT_IN_EDITION,
                Say("There are no mines in this edition.")
                if key == "mines"
                else Say("There are no defensive lines in this edition."),
            )
    yield from _at_sea(battle)
    if len(battle.wall_facing) > battle.sea_walls:
        yield (
            ProblemCode.BAD_COUNT,
            Say(
                "Sea walls: {most}. Sea spaces named for them: {count}.",
                most=battle.sea_walls,
                count=len(battle.wall_facing),
            ),
        )
    sorts = len(edition.line_dice)
    if any(count < 0 for count in battle.line_dice) or len(battle.line_dice) not in (0, sorts):
        yield (
            ProblemCode.BAD_COUNT,
            Say(
                "Enter {sorts} numbers for the dice of defensive lines, not {found}.",
                sorts=sorts,
                found=as_found(list(battle.line_dice)),
            ),
        )
    elif any(
        count > dice.dice * _TOKENS for count, dice in zip(battle.line_dice, edition.line_dice, strict=False)
    ):
        yield (
            ProblemCode.BAD_COUNT,
            Say(
                "{most} defensive lines together roll fewer dice than {found}.",
                most=_TOKENS,
                found=as_found(list(battle.line_dice)),
            ),
        )
    yield from _misplaced(battle)
    if battle.bridge and not edition.has_bridges:
        yield (ProblemCode.NOT_IN_EDITION, Say("Bridges matter on the Italy board only."))
    if battle.push_through and battle.contested and not edition.push_contested:
        yield (
            ProblemCode.BAD_CHOICE,
            Say("Units move freely through a contested space in this edition."),
        )
    if battle.occasion == "movement" and battle.bridge and battle.contested and not edition.bridge_all:
        yield (ProblemCode.BAD_CHOICE, Say("Crossing a bridge into a contested space draws no fire."))
    if battle.retreat and not edition.has_retreat:
        yield (ProblemCode.NOT_IN_EDITION, Say("There is no retreat in this edition."))
    if battle.occasion == "disengage":
        if not edition.has_disengage:
            yield (ProblemCode.NOT_IN_EDITION, Say("Units do not disengage in this edition."))
        if battle.movement_step not in (4, 5):
            yield (
                ProblemCode.BAD_STEP,
                Say(
                    "Land units disengage in movement steps {steps}, not {step}.",
                    steps=several((4, 5)),
                    step=battle.movement_step,
                ),
            )
    for retreats in battle.retreat:
        if retreats not in table.units or not table.units[retreats].has("retreat"):
            yield (
                ProblemCode.NO_RETREAT,
                Say(
                    "No retreat icon: {unit}. If its tile shows one, enter it in Units.",
                    unit=unit(retreats),
                ),
            )


def _misplaced(battle: Battle) -> Iterator[tuple[str, Say]]:
    """Yield what is rolled on another occasion, and would be left out without a word here."""
    if battle.occasion == "battle":
        if battle.lines or any(battle.line_dice) or battle.mines:
            yield (
                ProblemCode.BAD_CHOICE,
                Say("Defensive lines and mines fire while units move in, not in the battle that follows."),
            )
        if battle.contested:
            yield (
                ProblemCode.BAD_CHOICE,
                Say("Friendly units in the space take part in the battle. List them."),
            )
        if battle.bridge:
            yield ProblemCode.BAD_CHOICE, Say("A bridge is crossed while units move in, before the battle.")
    elif battle.sea_walls or battle.airfield in SIDES:
        yield (
            ProblemCode.BAD_CHOICE,
            Say("Sea walls and Airfields roll only in a battle that has been declared."),
        )
    if battle.occasion == "disengage" and (
        battle.lines or any(battle.line_dice) or battle.mines or battle.bridge or battle.contested
    ):
        yield (
            ProblemCode.BAD_CHOICE,
            Say("Nothing but the enemy's Land Units rolls at units that disengage."),
        )
    if battle.push_through and battle.occasion != "movement":
        yield ProblemCode.BAD_CHOICE, Say("Units push through while they move, not in a battle.")


def _at_sea(battle: Battle) -> Iterator[tuple[str, Say]]:
    """Yield what a battle at sea cannot have: it stands on land, or faces it."""
    if battle.terrain != "sea":
        return
    if battle.lines or any(battle.line_dice) or battle.sea_walls:
        yield ProblemCode.WRONG_TERRAIN, Say("Defensive lines defend land spaces. None fires in a sea space.")
    if battle.bridge:
        yield ProblemCode.WRONG_TERRAIN, Say("No bridge leads into a sea space.")
    if battle.airfield in SIDES:
        yield ProblemCode.WRONG_TERRAIN, Say("No Airfield is in a sea space.")
    if any(group.bombing for group in battle.attacking):
        yield (
            ProblemCode.WRONG_TERRAIN,
            Say("No Objective is in a sea space, so nothing can be bombed there."),
        )


_TOKEN_COUNT: dict[str, Callable[[int, int], Say]] = {
    "sea_walls": lambda most, n: Say("Enter {most} sea walls, not {count}.", most=Range(0, most), count=n),
    "lines": lambda most, n: Say("Enter {most} defensive lines, not {count}.", most=Range(0, most), count=n),
    "mines": lambda most, n: Say("Enter {most} mines, not {count}.", most=Range(0, most), count=n),
}


def no_terrain(got: str) -> Say:
    """Say that there is no such terrain, and which there are."""
    return Say(
        "There is no such terrain: {found}. Choose {terrains}.",
        found=as_found(got),
        terrains=several(map(terrain, TERRAINS), "or"),
    )
