"""Scenes of the first edition of Song for War: its own screens and words. Figures of units are made up."""

from __future__ import annotations

from companion.core.dice import Die, DieColour, DieKind, Roll
from companion.core.ids import Nation
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.desert import DesertDraft
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import Group
from companion.games.sfw.rules.desert import RollDesert
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scenes import scene
from companion.testing.sfw_evenings import SfwGame

__all__: list[str] = []

_ITALY = Nation("italy")


def _game(step: str) -> SfwGame:
    game = SfwGame("first_apr43", {"minutes": 25}, "sfw1")
    game.enter({"tank.number": 8, "infantry.number": 9, "artillery.number": 8, "cruiser.number": 8})
    game.go(step)
    return game


def _desert(*values: int) -> MemoryDesk:
    game = _game("s3.t4.axis.move")
    if values:
        dice = tuple(Die(DieColour.YELLOW, value) for value in values)
        units = {"infantry": 3, "tank": 2, "artillery": 1}
        game.do(RollDesert("Siwa", _ITALY, units, Roll(DieKind.D12, dice)))
    return game.desk


def _fight() -> MemoryDesk:
    """Two and two submarines that concentrate their fire, and a Cruiser between them."""
    game = _game("s3.t3.allies.declare")
    game.do(bc.DeclareBattle("C4", "sea"))
    for side, unit, nation, count in (
        ("attacking", "submarine", "gb", 2),
        ("attacking", "destroyer", "us", 1),
        ("defending", "submarine", "italy", 2),
        ("defending", "cruiser", "germany", 1),
    ):
        game.do(bc.ChangeUnits("A", side, unit, nation, count))
    for side, nation in (("attacking", "gb"), ("defending", "italy")):
        game.do(bc.SetGroup("A", side, 0, Group("submarine", 2, nation, combined=True, moved=True)))
    game.do(bc.BeginBattle("A"))
    for line, colour in ((0, DieColour.BLUE), (0, DieColour.YELLOW), (1, DieColour.BLUE)):
        game.do(bc.RecordRoll("A", (line,), _one(colour)))
    return game.desk


def _one(colour: DieColour) -> Roll:
    return Roll(DieKind.D12, (Die(colour, 1),))


scene("sfw1-desert-halt", "desert", lambda: _desert(10, 3, 11, 4, 5, 6))


scene("sfw1-fire", "battle", _fight, draft=BattleDraft("A"))


@scene("sfw1-desert", "desert", _desert)
def _compose(laid: Laid) -> None:
    draft = DesertDraft("Siwa", "italy", {"infantry": 3, "tank": 2, "artillery": 1})
    laid.root.go("desert", draft=draft)


@scene("sfw1-desert-dice", "desert", _desert)
def _dice(laid: Laid) -> None:
    draft = DesertDraft("Siwa", "italy", {"infantry": 3, "tank": 2}, True, values=(10, 3))
    laid.root.go("desert", draft=draft)
