"""The worked examples of the v0.96 rulebook as vectors, played through the commands (EXAMPLES A1-A10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Load
from companion.games.sfw.rules.battle_fire import rolls
from companion.games.sfw.rules.battle_progress import END, open_losses
from companion.games.sfw.rules.battle_rolls import Reason
from companion.games.sfw.rules.battle_state import battles_of
from tests.games import sfw_editions


class Fought(sfw_editions.Fought):
    """One battle at the table of v0.96."""

    def line(self, unit: str, colour: str, nation: str = "") -> int:
        for number, line in enumerate(self.progress.lines):
            if unit in line.units and line.colour == colour and nation in ("", line.nation):
                return number
        raise AssertionError(f"no line {unit} {colour} in {self.progress.lines}")

    def kind(self, side: str, unit: str, nation: str = "") -> int:
        return next(k.index for k in self.fight.kinds(side) if k.unit.id == unit and nation in ("", k.nation))

    def left(self, side: str) -> dict[tuple[str, str], int]:
        counts = self.progress.counts(side)
        found: dict[tuple[str, str], int] = {}
        for kind in self.fight.kinds(side):
            if counts[kind.index] and kind.is_active:
                key = (kind.nation, kind.unit.id)
                found[key] = found.get(key, 0) + counts[kind.index]
        return found


@pytest.fixture
def fought() -> Callable[..., Fought]:
    return partial(Fought, sfw_editions.NEWER)


def asked(lines: Iterable[Any]) -> list[tuple[str, str, str, int, int]]:
    return [(line.side, line.units[0], line.colour, line.number, line.dice) for line in lines]


def taranto(fought: Callable[..., Fought]) -> Fought:
    battle = fought("s3.t4.allies.resolve", "Taranto", "land")
    battle.there(ATTACKING, ("us", "tank", 2), ("gb", "tank", 1), ("gb", "land_transport", 1))
    battle.there(ATTACKING, ("gb", "infantry", 1), ("gb", "anti_air", 1))
    battle.there(ATTACKING, ("gb", "artillery", 1), ("gb", "battleship", 1), distance=1)
    battle.there(DEFENDING, ("germany", "infantry", 3), ("germany", "tank", 1), ("italy", "tank", 1))
    battle.there(DEFENDING, ("italy", "light_bomber", 1), ("italy", "anti_air", 1))
    battle.begin()
    return battle


def test_taranto(fought: Callable[..., Fought]) -> None:
    """S30-S36: the whole battle, dice and choices as told."""
    battle = taranto(fought)
    # 1: the British gun may roll at the bomber; the Italian one has no target.
    assert battle.progress.step == "1"
    assert asked(battle.progress.lines) == [(ATTACKING, "anti_air", "white", 9, 1)]
    silent = rolls(battle.fight, "1", DEFENDING, battle.progress.defending, battle.progress.attacking).silent
    gun = battle.kind(DEFENDING, "anti_air")
    assert [s.reason for s in silent if s.kind == gun] == [Reason.NO_TARGET]
    battle.roll("anti_air", "white", 8)
    # 2 is skipped; 3: the bomber defends against land and hits.
    assert battle.progress.step == "3"
    assert asked(battle.progress.lines) == [(DEFENDING, "light_bomber", "gray", 8, 1)]
    battle.roll("light_bomber", "gray", 9)
    battle.lose(ATTACKING, ("us", "tank", 1))
    # 4 is skipped; 5: supporting fire from one space away needs one more.
    assert battle.progress.step == "5"
    assert asked(battle.progress.lines) == [
        (ATTACKING, "artillery", "gray", 9, 1),
        (ATTACKING, "battleship", "black", 9, 1),
        (ATTACKING, "battleship", "gray", 7, 1),
    ]
    battle.roll("artillery", "gray", 8)
    battle.roll("battleship", "black", 9)
    battle.roll("battleship", "gray", 6)
    # One Black hit: 1 Gray and 2 White together are as much as it takes.
    battle.evening.refuse(
        battle.losses(DEFENDING, ("italy", "tank", 1), ("germany", "infantry", 1)),
        bc.BattleCode.ILLEGAL_LOSSES,
        "The hits remove more units. Choose as many casualties as they can remove.",
    )
    battle.lose(DEFENDING, ("italy", "tank", 1), ("germany", "infantry", 1), ("italy", "anti_air", 1))
    # 6: both sides at once.
    assert battle.progress.step == "6"
    battle.roll("tank", "gray", 8, nation="us")
    battle.roll("tank", "gray", 7, nation="gb")
    battle.roll("infantry", "white", 9, nation="gb")
    battle.roll("infantry", "white", 10, 2, nation="germany")
    battle.roll("tank", "gray", 12, nation="germany")
    # Gray and White pay Tank and Infantry at least: nothing else pays as much.
    assert battle.declared.status == "fighting"
    battle.lose(ATTACKING, ("us", "tank", 1), ("gb", "land_transport", 1))
    assert battle.progress.step == END
    assert battle.declared.status == "over"
    assert battle.left(ATTACKING) == {("gb", "tank"): 1, ("gb", "infantry"): 1, ("gb", "anti_air"): 1}
    assert battle.left(DEFENDING) == {("germany", "infantry"): 1, ("italy", "light_bomber"): 1}


def test_taranto_space_is_offered_again(fought: Callable[..., Fought]) -> None:
    """After the battle the survivors are the space's composition, at the next movement step."""
    battle = taranto(fought)
    battle.roll("anti_air", "white", 1)
    battle.roll("light_bomber", "gray", 1)
    for unit, colour, value in (
        ("artillery", "gray", 1),
        ("battleship", "black", 1),
        ("battleship", "gray", 1),
    ):
        battle.roll(unit, colour, value)
    battle.roll("tank", "gray", 1, 1, nation="us")
    battle.roll("tank", "gray", 1, nation="gb")
    battle.roll("infantry", "white", 1, nation="gb")
    battle.roll("infantry", "white", 1, 1, 1, nation="germany")
    battle.roll("tank", "gray", 1, nation="germany")
    battle.roll("tank", "gray", 1, nation="italy")
    assert battle.declared.status == "over"
    game = battle.evening
    game.jump("s3.t5.allies.declare")
    assert not battles_of(game.state).battles
    game.do(bc.DeclareBattle("Taranto", "land"))
    game.do(bc.RepeatComposition("A"))
    again = battles_of(game.state).battles[0].battle
    assert sum(group.count for group in again.attacking) == 8
    assert sum(group.count for group in again.defending) == 7
    assert not any(group.spent for group in (*again.attacking, *again.defending))


def test_combined_fire(fought: Callable[..., Fought]) -> None:
    """S42: two destroyers, a bomber and a cruiser from range against a battleship and a cruiser."""
    battle = fought("s3.t3.axis.resolve", "B4", "sea")
    battle.there(ATTACKING, ("germany", "destroyer", 2), ("italy", "light_bomber", 1))
    battle.there(ATTACKING, ("italy", "cruiser", 1), distance=1)
    battle.there(DEFENDING, ("us", "battleship", 1), ("us", "cruiser", 1))
    for index in range(3):
        battle.set(ATTACKING, index, combined=True)
    battle.begin()
    # 1: the cruiser's anti-air icon has the bomber as its target.
    assert battle.progress.step == "1"
    battle.roll("cruiser", "white", 2)
    # 3 and 4: who combines fire waits; 5: the Americans roll.
    assert battle.progress.step == "5"
    assert {line.side for line in battle.progress.lines} == {DEFENDING}
    battle.roll("battleship", "black", 7)
    battle.roll("battleship", "gray", 5)
    battle.roll("cruiser", "white", 8)
    battle.roll("cruiser", "gray", 7)
    # One White hit at sea: a destroyer is all that it can take, so nothing is asked.
    assert battle.progress.step == "7A"
    assert battle.left(ATTACKING)[("germany", "destroyer")] == 1
    battle.roll("destroyer", "white", 7)
    battle.roll("light_bomber", "gray", 8)
    # The cruiser puts both its rolls in, from range, needing 9.
    assert {(line.colour, line.number) for line in battle.progress.lines if "cruiser" in line.units} == {
        ("white", 9),
        ("gray", 9),
    }
    battle.roll("cruiser", "white", 3)
    battle.roll("cruiser", "gray", 9)
    owed = next(entry for entry in battle.progress.owed if entry.side == DEFENDING)
    assert owed.to_combine
    assert sum(hit.count for hit in owed.hits) == 2
    game = battle.evening
    choose = bc.ChooseLosses(battle.id, DEFENDING, (bc.UnitLosses(0, 1),))
    game.refuse(choose, bc.BattleCode.COMBINE_FIRST)
    gray = owed.hits[0]
    black = replace(gray, level=3, count=1)
    game.refuse(bc.CombineHits(battle.id, (replace(black, count=2),)), bc.BattleCode.BAD_COMBINATION)
    game.do(bc.CombineHits(battle.id, (black,)))
    # A Black hit may take the battleship or, falling short, not the cruiser alone.
    assert battle.declared.status == "over"
    assert battle.left(DEFENDING) == {("us", "cruiser"): 1}


def test_combined_fire_of_a_lone_survivor_fails(fought: Callable[..., Fought]) -> None:
    battle = fought("s3.t3.axis.resolve", "B4", "sea")
    battle.there(ATTACKING, ("germany", "destroyer", 2))
    battle.there(DEFENDING, ("us", "destroyer", 1))
    battle.set(ATTACKING, 0, combined=True)
    battle.begin()
    battle.roll("destroyer", "white", 8)
    assert battle.declared.status == "over", "the destroyer that is left gets no roll"
    assert battle.left(ATTACKING) == {("germany", "destroyer"): 1}


def test_amphibious_assault(fought: Callable[..., Fought]) -> None:
    """S45-S47: two transports unload at Tobruk under landing defence, a bomber being the only friend there."""
    battle = fought("s3.t2.axis.resolve", "Tobruk", "land")
    battle.there(ATTACKING, ("germany", "light_bomber", 1))
    battle.there(
        ATTACKING, ("italy", "sea_transport", 1), ("germany", "sea_transport", 1), distance=1, origin="E5"
    )
    battle.set(ATTACKING, 1, cargo=(Load("tank", 2),))
    battle.set(ATTACKING, 2, cargo=(Load("artillery", 1), Load("infantry", 1)))
    battle.there(DEFENDING, ("us", "tank", 1), ("us", "artillery", 1))
    battle.begin()
    assert battle.progress.step == "3"
    battle.roll("light_bomber", "gray", 2)
    # 5: the artillery fires at the transports from range; 6: the tank has nobody to hit yet.
    assert asked(battle.progress.lines) == [(DEFENDING, "artillery", "gray", 9, 1)]
    battle.roll("artillery", "gray", 3)
    assert battle.progress.step == "7C"
    assert asked(battle.progress.lines) == [
        (DEFENDING, "tank", "gray", 8, 1),
        (DEFENDING, "artillery", "gray", 8, 1),
    ]
    battle.roll("tank", "gray", 8)
    battle.roll("artillery", "gray", 11)
    owed = open_losses(battle.progress, ATTACKING)
    assert owed is not None
    battle.lose(ATTACKING, ("germany", "artillery", 1), ("italy", "tank", 1))
    assert battle.declared.status == "over"
    left = battle.left(ATTACKING)
    assert left[("italy", "tank")] == 1
    assert left[("germany", "infantry")] == 1
    assert ("germany", "artillery") not in left


def test_aircraft_may_cancel_the_landing_defence_by_ruling(fought: Callable[..., Fought]) -> None:
    battle = fought("s3.t2.axis.resolve", "Tobruk", "land")
    battle.there(ATTACKING, ("germany", "light_bomber", 1))
    battle.there(ATTACKING, ("germany", "sea_transport", 1), distance=1, origin="E5")
    battle.set(ATTACKING, 1, cargo=(Load("infantry", 2),))
    battle.there(DEFENDING, ("us", "tank", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, air_cancels_landing=True))
    battle.begin()
    battle.roll("light_bomber", "gray", 1)
    assert battle.declared.status == "over"
    assert battle.left(ATTACKING)[("germany", "infantry")] == 2


def test_a_sea_wall_fires_before_the_landing_defence(fought: Callable[..., Fought]) -> None:
    """The line's land dice on 7B, at those who unload; then the defenders on 7C at those who are left."""
    battle = fought("s3.t2.axis.resolve", "Tobruk", "land")
    battle.there(ATTACKING, ("germany", "sea_transport", 1), distance=1, origin="E5")
    battle.set(ATTACKING, 0, cargo=(Load("infantry", 3),))
    battle.there(DEFENDING, ("us", "infantry", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, sea_walls=1))
    battle.begin()
    assert battle.progress.step == "7B"
    assert asked(battle.progress.lines) == [
        (DEFENDING, "defensive_line", "white", 9, 2),
        (DEFENDING, "defensive_line", "gray", 8, 1),
    ]
    battle.roll("defensive_line", "white", 9, 1)
    battle.roll("defensive_line", "gray", 1)
    assert battle.progress.step == "7C"
    battle.roll("infantry", "white", 9)
    assert battle.declared.status == "over"
    assert battle.left(ATTACKING) == {("germany", "sea_transport"): 1, ("germany", "infantry"): 1}


def test_cargo_goes_down_with_its_transport(fought: Callable[..., Fought]) -> None:
    battle = fought("s3.t2.axis.resolve", "Tobruk", "land")
    battle.there(ATTACKING, ("germany", "sea_transport", 1), distance=1, origin="E5")
    battle.set(ATTACKING, 0, cargo=(Load("infantry", 2),))
    battle.there(DEFENDING, ("us", "artillery", 1), ("us", "tank", 1))
    battle.begin()
    battle.roll("artillery", "gray", 9)
    assert battle.declared.status == "over", "nobody is left to land"
    assert battle.left(ATTACKING) == {}


def test_push_through(fought: Callable[..., Fought]) -> None:
    """S23: two fighters through a space with a gun and a bomber."""
    battle = fought("s3.t1.axis.move", "desert", "desert", occasion="movement")
    battle.there(ATTACKING, ("germany", "fighter", 2))
    battle.there(DEFENDING, ("gb", "anti_air", 1), ("gb", "light_bomber", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, push_through=True, contested=True))
    battle.begin()
    assert battle.progress.step == "push"
    assert asked(battle.progress.lines) == [
        (DEFENDING, "anti_air", "white", 9, 1),
        (DEFENDING, "light_bomber", "white", 10, 1),
    ]
    battle.roll("anti_air", "white", 9)
    battle.roll("light_bomber", "white", 9)
    assert battle.declared.status == "over"
    assert battle.left(ATTACKING) == {("germany", "fighter"): 1}
    assert battle.left(DEFENDING) == {("gb", "anti_air"): 1, ("gb", "light_bomber"): 1}


def test_contiguous_defensive_lines_stack(fought: Callable[..., Fought]) -> None:
    """The rulebook's line example: a tank and an artillery face four White and two Gray dice."""
    battle = fought("s3.t4.allies.move", "hills", "land", occasion="movement")
    battle.there(ATTACKING, ("us", "tank", 1), ("us", "artillery", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, lines=2))
    battle.begin()
    assert asked(battle.progress.lines) == [
        (DEFENDING, "defensive_line", "white", 9, 4),
        (DEFENDING, "defensive_line", "gray", 8, 2),
    ]
    battle.roll("defensive_line", "white", 12, 1, 1, 1)
    battle.roll("defensive_line", "gray", 1, 1)
    # A 12 levels the White hit up to Gray: one of the two is lost, the owner says which.
    battle.lose(ATTACKING, ("us", "artillery", 1))
    assert battle.left(ATTACKING) == {("us", "tank"): 1}


def test_order_of_bonus_fire_on_a_bridge(fought: Callable[..., Fought]) -> None:
    evening = sfw_editions.Evening(sfw_editions.NEWER, "italy")  # the only board with bridges
    evening.enter()
    evening.jump("s1.t4.allies.move")
    battle = fought(space="far bank", occasion="movement", evening=evening)
    battle.there(ATTACKING, ("us", "tank", 2))
    battle.there(DEFENDING, ("germany_14", "infantry", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, lines=1, bridge=True, mines=1, push_through=True))
    battle.begin()
    seen = []
    while battle.declared.status == "fighting":
        seen.append(battle.progress.step)
        for line in battle.progress.lines:
            battle.roll(line.units[0], line.colour, *([1] * line.dice))
    assert seen == ["line", "bridge", "mine", "push"]


def test_mines_detonate_one_by_one_and_spare_air(fought: Callable[..., Fought]) -> None:
    battle = fought("s3.t2.allies.move", "C3", "sea", occasion="movement")
    battle.there(ATTACKING, ("us", "destroyer", 1), ("us", "fighter", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, mines=3))
    battle.begin()
    assert asked(battle.progress.lines) == [(DEFENDING, "mine", "gray", 6, 1)]
    battle.roll("mine", "gray", 6)
    assert battle.declared.status == "over", "the others stay: nobody is left whom they could hit"
    assert battle.left(ATTACKING) == {("us", "fighter"): 1}
    assert len(battle.progress.records) == 1


def test_full_disengage_draws_fire_from_land_units_only(fought: Callable[..., Fought]) -> None:
    """The side that acts leaves; the land units that stay behind roll, the bomber among them does not."""
    battle = fought("s3.t4.allies.move", "Taranto", "land", occasion="disengage")
    assert battle.declared.attacker == "axis"
    battle.evening.refuse(
        bc.ChangeUnits(battle.id, ATTACKING, "tank", "us"), bc.BattleCode.WRONG_NATION, "attacking"
    )
    battle.there(ATTACKING, ("germany", "infantry", 1), ("italy", "light_bomber", 1))
    battle.there(DEFENDING, ("us", "tank", 1), ("us", "infantry", 1))
    battle.begin()
    assert battle.progress.step == "disengage"
    assert asked(battle.progress.lines) == [(ATTACKING, "infantry", "white", 9, 1)]
    battle.roll("infantry", "white", 9)
    assert battle.declared.status == "over"
    assert battle.left(DEFENDING) == {("us", "tank"): 1}
    assert battle.left(ATTACKING) == {("germany", "infantry"): 1, ("italy", "light_bomber"): 1}
    # The battle stays in sight while the same side goes on to declare.
    battle.evening.jump("s3.t4.allies.declare")
    assert battles_of(battle.evening.state).find(battle.id) is not None


def test_split_supporting_fire(fought: Callable[..., Fought]) -> None:
    """S40: a battleship gives one die to each of two battles."""
    battle = fought("s3.t5.axis.resolve", "A", "land")
    battle.there(ATTACKING, ("germany", "infantry", 1))
    battle.there(DEFENDING, ("gb", "infantry", 1))
    battle.there(DEFENDING, ("gb", "artillery", 1), ("us", "battleship", 1), distance=1)
    battle.set(DEFENDING, 2, dice=("black",))
    battle.begin()
    assert asked(battle.progress.lines) == [
        (DEFENDING, "artillery", "gray", 9, 1),
        (DEFENDING, "battleship", "black", 9, 1),
    ]


def test_a_fighter_may_declare_on_infantry_and_rolls_nothing(fought: Callable[..., Fought]) -> None:
    """S19: the battle is lawful; the fighter has no target."""
    battle = fought("s3.t1.axis.resolve", "Gela", "land")
    battle.there(ATTACKING, ("italy", "fighter", 1))
    battle.there(DEFENDING, ("us", "infantry", 1))
    battle.begin()
    assert battle.declared.status == "over"
    silent = rolls(battle.fight, "2", ATTACKING, (1,), (1,)).silent
    assert [entry.reason for entry in silent] == [Reason.NO_TARGET]


def test_support_out_of_an_active_space_is_refused(fought: Callable[..., Fought]) -> None:
    """S20: who stands in an active space fights there."""
    battle = fought("s3.t4.allies.declare", "Taranto", "land")
    game = battle.evening
    game.do(bc.DeclareBattle("Bari", "land"))
    game.refuse(
        bc.ChangeUnits("B", ATTACKING, "artillery", "gb", 1, 1, home="Taranto"),
        bc.BattleCode.LOCKED_IN_BATTLE,
        "Taranto is active in battle A",
    )


def test_support_uses_up_the_one_attack(fought: Callable[..., Fought]) -> None:
    """S21: an artillery that supported has used its attack of this movement step."""
    battle = fought("s3.t4.allies.resolve", "Taranto", "land")
    battle.there(ATTACKING, ("gb", "artillery", 1), distance=1, home="Lecce")
    battle.there(DEFENDING, ("italy", "infantry", 1))
    battle.begin()
    battle.roll("artillery", "gray", 1)
    game = battle.evening
    game.do(bc.DeclareBattle("Bari", "land", forced="moved"))
    again = bc.ChangeUnits("B", ATTACKING, "artillery", "gb", 1, 1, home="Lecce")
    game.refuse(
        again, bc.BattleCode.ALREADY_USED, "Already attacked in this movement step: 1 artillery in Lecce."
    )
    game.do(replace(again, others=True))
    # The next movement step gives it a new attack.
    game.jump("s3.t5.allies.declare")
    game.do(bc.DeclareBattle("Bari", "land"))
    game.do(bc.ChangeUnits("A", ATTACKING, "artillery", "gb", 1, 1, home="Lecce"))


def test_supporters_that_fired_are_marked_as_spent_when_units_are_repeated(
    fought: Callable[..., Fought],
) -> None:
    known = fought("s3.t4.allies.resolve", "Bari", "land")
    known.there(ATTACKING, ("us", "tank", 1)).there(
        ATTACKING, ("us", "artillery", 1), distance=1, home="Lecce"
    )
    known.there(DEFENDING, ("italy", "anti_air", 1))
    known.begin().miss()
    game = known.evening
    game.jump("s3.t5.allies.declare")
    game.do(bc.DeclareBattle("Taranto", "land"), bc.DeclareBattle("Bari", "land"))
    game.do(bc.ChangeUnits("A", ATTACKING, "tank", "us"), bc.ChangeUnits("A", DEFENDING, "anti_air", "italy"))
    game.do(bc.ChangeUnits("A", ATTACKING, "artillery", "us", 1, 1, home="Lecce"))
    game.do(bc.BeginBattle("A"))
    first = battles_of(game.state).find("A")
    assert first is not None
    Fought.miss(_same(known, "A"))
    game.do(bc.RepeatComposition("B"))
    again = battles_of(game.state).battles[-1].battle
    assert [(group.unit, group.spent) for group in again.attacking] == [("tank", False), ("artillery", True)]


def _same(fought: Fought, battle: str) -> Fought:
    fought.id = battle
    return fought
