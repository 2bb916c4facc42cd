"""An evening of each game, played by commands with dice of one seed: what films, stories and luck are made of in tests."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from companion.core.change import Change
from companion.core.commands import AddNote, Command, EndGame, EnterPrintedValue, JumpTo
from companion.core.history import Entry
from companion.core.ids import ARBITER, Nation, StepId
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.fight import VolleyRoll
from companion.games.aana.rules.fight_dice import expected_volleys, rolled
from companion.games.aana.rules.game_rules import aana_rules
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.ledger_messages import CountSpace
from companion.games.aana.rules.new_game import AanaFamily
from companion.games.med.rules import commands as mc
from companion.games.med.rules.cards import Card, printed_key
from companion.games.med.rules.game_rules import RULES as MED
from companion.games.med.rules.new_game import MedFamily
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.pages.battle_roll import roll_command
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import TakeControl
from companion.games.tsu.rules import commands as tc
from companion.games.tsu.rules.game_rules import RULES as TSU
from companion.games.tsu.rules.new_game import TsuFamily
from companion.games.tsu.rules.units import Unit
from companion.pages.table import main_command
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scene_data import installed_data
from companion.testing.sfw_evenings import SfwGame
from companion.testing.tsu_turn import MALTA, TOBRUK

__all__ = ["EVENINGS", "aana", "change_of", "entries_of", "med", "sfw1", "sfw96", "tsu"]

Units = tuple[tuple[str, str, int], ...]


def change_of(desk: MemoryDesk) -> Change:
    """Return the newest change of an evening."""
    assert desk.change is not None
    return desk.change


def entries_of(desk: MemoryDesk) -> tuple[Entry, ...]:
    """Return all entries."""
    return desk.entries()


def _fight(game: SfwGame, space: str, units: tuple[Units, Units], chance: random.Random) -> None:
    """Declare a battle and fight it out with dice by chance."""
    terrain = "land"
    game.do(bc.DeclareBattle(space, terrain))
    battle = next(one for one in battles_of(game.state).battles if one.space == space).id
    for side, groups in zip(("attacking", "defending"), units, strict=True):
        for unit, nation, count in groups:
            game.do(bc.ChangeUnits(battle, side, unit, nation, count))
    game.desk.advance(140_000)
    game.do(bc.BeginBattle(battle))
    while True:
        declared = next(one for one in battles_of(game.state).battles if one.id == battle)
        if declared.status != "fighting":
            return
        view = battle_view(game.state, declared)
        game.desk.advance(11_000)
        if view.phase == "losses":
            game.do(view.losses[0].command(battle, {}))
        elif view.phase == "retreat":
            game.do(bc.StandFast(battle))
        else:
            line = next(line for line in view.lines if line.dice)
            game.do(roll_command(battle, line, [chance.randint(1, 12) for _n in range(line.dice)]))


def _sfw(game: SfwGame, seed: int, space: str, steps: tuple[str, str]) -> MemoryDesk:
    chance = random.Random(seed)
    game.go(steps[0])
    game.desk.advance(611_000)
    one = (("tank", "us", 2), ("infantry", "us", 3), ("tank", "gb", 2))
    other = (("infantry", "italy", 3), ("infantry", "germany", 1), ("tank", "germany", 1))
    _fight(game, "Tunis", (one, other), chance)
    game.do(TakeControl("tunis", Nation("us"), {"us": 2}))
    game.do(AddNote("Tunis! <b>Ben</b> wants the dice & their maker court-martialled."))
    game.go(steps[1])
    game.desk.advance(302_000)
    _fight(
        game, space, ((("tank", "germany", 3), ("infantry", "italy", 2)), (("infantry", "us", 4),)), chance
    )
    game.desk.advance(44_000)
    return game.desk


@cache
def sfw96() -> MemoryDesk:
    """April 1943 to the end of stage 3: Tunis falls, a counter-attack follows, and it ends by agreement."""
    game = SfwGame("apr43", {"tournament": True, "seats": ["Anna", "Ben"]})
    for site, nation in (("bizerte", "us"), ("tunis", "germany"), ("rome", "italy"), ("algiers", "us")):
        game.enter({f"holder.apr43.{site}": nation})
    game.enter({"vp.theater.tunis": 4, "vp.theater.bone": 0.5, "tank.number": 8})
    desk = _sfw(game, 7, "Bone", ("s3.t4.allies.declare", "s3.t4.axis.declare"))
    game.do(EndGame(desk.now_ms(), "allies", "agreed"), actor=ARBITER)  # type: ignore[arg-type]
    return desk


@cache
def sfw1() -> MemoryDesk:
    """The first edition: the same battles with the figures of that edition; the game is not over."""
    game = SfwGame("first_apr43", {"minutes": 25}, "sfw1")
    game.enter({"tank.number": 8, "infantry.number": 9, "artillery.number": 8})
    return _sfw(game, 5, "Bone", ("s3.t4.allies.declare", "s3.t4.axis.declare"))


def _jump(desk: MemoryDesk, step: str) -> None:
    desk.advance(171_000)
    send(desk, JumpTo(change_of(desk).state.step.id, StepId(step), desk.now_ms()))


def send(desk: MemoryDesk, *commands: Command) -> None:
    """Send commands that must be taken."""
    for command in commands:
        desk.advance(9_000)
        desk.send(command)
        rejected = change_of(desk).rejected
        assert rejected is None, (command, rejected)


@cache
def aana() -> MemoryDesk:
    """Rommel's Last Push: the combat for Mersa Brega, fought to its end."""
    chance = random.Random(11)
    family = AanaFamily()
    options = {"values": "unofficial", "clock": "count_up", "air_transport": True}
    desk = MemoryDesk(family.make_setup(installed_data(family), "rommel", options), aana_rules())
    defenders = {"uk.infantry": 4, "uk.artillery": 1, "uk.matilda": 1, "uk.aaa": 1, "uk.truck": 1}
    send(
        desk,
        CountSpace("mersa_brega", defenders, 5),
        CountSpace("el_agheila", {"germany.tank": 3, "germany.infantry": 3, "germany.artillery": 1}, 4),
        CountSpace("zella", {"germany.scout_car": 2, "germany.anti_tank": 1}, 2),
        CountSpace("benghazi", {"uk.infantry": 6}, 2),
    )
    _jump(desk, "r1.germany.combat_move.declare")
    groups = (
        bm.AttackGroup(
            "el_agheila", {"germany.tank": 3, "germany.infantry": 2, "germany.artillery": 1}, "el_agheila"
        ),
        bm.AttackGroup("zella", {"germany.scout_car": 2, "germany.anti_tank": 1}),
        bm.AttackGroup("tripoli", {"germany.bomber": 1}),
    )
    send(desk, bm.DeclareAttack(change_of(desk).state.step.id, "mersa_brega", groups))
    _jump(desk, "r1.germany.combat.resolve")
    step = change_of(desk).state.step.id
    send(desk, bm.OpenCombat(step, 1))
    for _turn in range(40):
        state = change_of(desk).state
        fight = bm.fight_of(state)
        if fight is None:
            break
        match fight.stage:
            case "orders":
                send(desk, bm.GiveOrders(step))
            case "losses":
                send(desk, bm.TakeLosses(step))
            case "leave":
                send(desk, bm.LeaveCombat(step))
            case "press":
                send(desk, bm.Press(step) if fight.round_no < 3 else bm.Cease(step))
            case "over":
                send(desk, bm.Conclude(step, at_ms=desk.now_ms()))
            case _:
                rolls = tuple(
                    VolleyRoll(rolled(volley, lambda: chance.randint(1, 10)))
                    for volley in expected_volleys(figures(state), fight)
                )
                send(desk, bm.RollFire(step, rolls))
    send(desk, AddNote("Mersa Brega again."))
    return desk


@cache
def tsu() -> MemoryDesk:
    """The Soft Underbelly: Malta and Tobruk in the spring of 1941, and stars that changed hands."""
    family = TsuFamily()
    options = {"clock": "count_up", "names": ["Anna", "Ben"]}
    desk = MemoryDesk(family.make_setup(installed_data(family), "campaign", options), TSU)
    _jump(desk, "sp1941.axis.supply")
    step = StepId("sp1941.axis.supply")
    send(desk, tc.DeclareAttack(step, MALTA, (Unit("supply", "germany"),)))
    send(desk, tc.DeclareAttack(step, TOBRUK, (Unit("convoy", "italy"),)))
    _jump(desk, "sp1941.axis.attack")
    desk.advance(700_000)
    send(desk, tc.ResolveAttack(StepId("sp1941.axis.attack"), 1, 0))
    _jump(desk, "fa1943.allies.move")
    for star, holder in (("algiers", "us"), ("italy_1", "britain"), ("romania", "britain")):
        desk.advance(60_000)
        send(desk, tc.TakeStar(star, Nation(holder)))
    return desk


CARDS = (
    Card("O11", "operation", years=(1941,), victory_points=3, operation="convoy", freighter="full"),
    Card("O12", "operation", years=(1942,), victory_points=5, operation="convoy", freighter="half"),
    Card("A02", "force", "Ajax", (0, 4, 1), (1941, 1942), 2, "surface", "britain"),
    Card("A03", "force", "Upholder", (0, 0, "?"), (1941, 1942), 3, "sub", "britain"),
    Card("X01", "force", "Vittorio Veneto", (0, 6, 0), (1941, 1942), 5, "surface", "italy"),
    Card("X04", "force", "Fliegerkorps X", (4, 1, 0), (1941, 1942), 3, "air", "germany"),
)
"""Made up: the values of the real cards are not in the rulebook's text."""


@cache
def med() -> MemoryDesk:
    """The card game: two engagements of four players."""
    family = MedFamily()
    options = {
        "players": 4,
        "names": ["Anna", "Ben", "Cleo", "David"],
        "operations": 15,
        "series": "points",
        "clock": "count_up",
    }
    desk = MemoryDesk(family.make_setup(installed_data(family), "match", options), MED)

    def step() -> Any:
        return change_of(desk).state.step.id

    def on() -> None:
        send(desk, main_command(change_of(desk).state, desk.now_ms()))

    for card in CARDS:
        send(desk, EnterPrintedValue(printed_key(card.number), msgspec.to_builtins(card)))
    on()
    for operation, elements, plays in (
        ("O11", ("surface",), ("A02", "X04", "", "")),
        ("O12", ("air", "surface", "sub"), ("X01", "A03", "", "")),
    ):
        send(desk, mc.TurnOver(step(), operation, elements))  # type: ignore[arg-type]
        on()
        for card_no in plays:
            if card_no:
                side = "allies" if card_no[0] == "A" else "axis"
                send(desk, mc.PlayHand(step(), side, (card_no,)))
            else:
                send(desk, mc.DiscardHand(step(), "one"))
            on()
        if "A03" in plays:
            send(desk, mc.RollDice(step(), "A03", "sub", (4,)))
        send(desk, mc.TakeTrick(step()))
        on()
        on()
    return desk


EVENINGS: dict[str, Callable[[], MemoryDesk]] = {
    "sfw96": sfw96,
    "sfw1": sfw1,
    "aana": aana,
    "tsu": tsu,
    "med": med,
}
