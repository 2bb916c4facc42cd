"""Scenes of The Soft Underbelly: its screens in the middle of the example turn of Spring 1941 and late in the war."""

from __future__ import annotations

from functools import cache
from typing import Any

from companion.core.ids import Nation, StepId
from companion.core.setup import Setup
from companion.games.tsu.pages.calendar import CalendarDraft
from companion.games.tsu.pages.draft import AttackDraft, StarsDraft
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.game_rules import RULES
from companion.games.tsu.rules.new_game import TsuFamily
from companion.games.tsu.rules.units import Unit
from companion.pages.score import ScoreDraft
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scene_data import installed_data
from companion.testing.scenes import jump, scene
from companion.testing.tsu_turn import MALTA, TOBRUK, TOBRUK_BACK

__all__ = ["before_tobruk", "setup"]

_GERMANY, _ITALY, _BRITAIN, _US = (Nation(n) for n in ("germany", "italy", "britain", "us"))


@cache
def setup(clock: str = "count_up") -> Setup:
    """Return a new game from the installed data."""
    family = TsuFamily()
    options = {"clock": clock, "names": ["Anna", "Ben"]}
    return family.make_setup(installed_data(family), "campaign", options)


def _desk(step: str) -> MemoryDesk:
    desk = MemoryDesk(setup(), RULES)
    jump(desk, step)
    return desk


def _start() -> MemoryDesk:
    return _desk("sp1941.axis.move")


def _axis() -> MemoryDesk:
    desk = _desk("sp1941.axis.supply")
    step = StepId("sp1941.axis.supply")
    desk.send(cm.DeclareAttack(step, MALTA, (Unit("supply", "germany"),)))
    desk.send(cm.DeclareAttack(step, TOBRUK, (Unit("convoy", "italy"),)))
    jump(desk, "sp1941.axis.attack")
    desk.send(cm.ResolveAttack(StepId("sp1941.axis.attack"), 1, 0))
    return desk


def _allies() -> MemoryDesk:
    desk = _desk("sp1941.allies.supply")
    step = StepId("sp1941.allies.supply")
    desk.send(cm.DeclareAttack(step, TOBRUK_BACK, (Unit("convoy", "britain"), Unit("supply", "britain"))))
    jump(desk, "sp1941.allies.attack")
    return desk


def before_tobruk() -> MemoryDesk:
    """Return the step of the Axis in which supply is declared for its attacks."""
    return _desk("sp1941.axis.supply")


def _boxes() -> MemoryDesk:
    desk = _desk("wi1941.axis.end")
    for nation, unit, n in (
        (_BRITAIN, "panzer", 1),
        (_BRITAIN, "infantry", 2),
        (_BRITAIN, "convoy", 1),
        (_GERMANY, "supply", 1),
    ):
        desk.send(cm.ChangeBox(nation, unit, n))
    jump(desk, "wi1941.allies.reinforcements")
    return desk


def _late() -> MemoryDesk:
    desk = _desk("fa1943.allies.move")
    desk.send(cm.ReportHappening(StepId("fa1943.allies.move"), "landed_in_europe"))
    for star, holder in (("algiers", _US), ("italy_1", _BRITAIN), ("romania", _GERMANY)):
        desk.send(cm.TakeStar(star, holder))
    desk.send(cm.ChangeBox(_GERMANY, "infantry", 2))
    jump(desk, "fa1943.axis.end")
    desk.send(cm.DeclareReorganization(StepId("fa1943.axis.end")))
    jump(desk, "wi1943.axis.reinforcements")
    return desk


def _edit(**what: Any) -> AttackDraft:
    made = {
        "target": "Tobruk",
        "attackers": TOBRUK_BACK.attackers,
        "defenders": TOBRUK_BACK.defenders,
        "origin": "Western Desert",
        "way": "road",
        "spent": {"britain.convoy": 1},
    }
    return AttackDraft("edit", **{**made, **what})


def _shown(laid: Laid, draft: AttackDraft) -> None:
    laid.root.go("tsu_attack", draft=draft)


scene("tsu-table", "table", _axis)
scene("tsu-attacks", "tsu_attack", _axis)
scene("tsu-stars-replace", "tsu_stars", _boxes)
scene("tsu-calendar", "tsu_calendar", _late)
scene("tsu-units", "tsu_units", _late)


@scene("tsu-attack-attackers", "tsu_attack", lambda: _desk("sp1941.allies.supply"))
def _attackers(laid: Laid) -> None:
    _shown(laid, _edit(tab="attackers"))


@scene("tsu-attack-supply", "tsu_attack", lambda: _desk("sp1941.allies.supply"), is_screen=False)
def _supply(laid: Laid) -> None:
    _shown(laid, _edit(tab="supply"))


@scene("tsu-attack-result", "tsu_attack", lambda: _desk("sp1941.allies.supply"))
def _result(laid: Laid) -> None:
    _shown(laid, _edit(tab="result", spent={"britain.convoy": 1, "britain.supply": 1}))


@scene("tsu-attack-planner", "tsu_attack", lambda: _desk("sp1941.allies.move"), is_screen=False)
def _planner(laid: Laid) -> None:
    _shown(laid, _edit(tab="result", attackers=TOBRUK_BACK.attackers[:1]))


scene("tsu-fight", "tsu_attack", _allies, draft=AttackDraft("fight", number=1, choice=0))


@scene("tsu-fight-advance", "tsu_attack", _allies, is_screen=False)
def _advance(laid: Laid) -> None:
    _shown(laid, AttackDraft("fight", number=1, choice=0, tab="advance", advance=(1,)))


scene("tsu-stars", "tsu_stars", _late, draft=StarsDraft("stars"))


scene("tsu-stars-box", "tsu_stars", _boxes, is_screen=False, draft=StarsDraft("box", "britain"))


scene("tsu-calendar-reports", "tsu_calendar", _late, is_screen=False, draft=CalendarDraft("reports"))


scene("tsu-score", "tsu_score", _late)


scene("tsu-score-list", "tsu_score", _late, draft=ScoreDraft("list"))


scene("tsu-calendar-seasons", "tsu_calendar", _late, is_screen=False, draft=CalendarDraft("seasons"))
