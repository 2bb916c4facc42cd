"""Record the second part of the demo: stage 3 of April 1943 with a battle, a change of hands and a resupply.

Run by hand when the rules, the scenario or the commands change: ``python tests/session/record_battle_demo.py``. What
it writes is input only; whoever plays it decides everything again.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from companion.core.commands import Command
from companion.core.ids import TABLE, Actor, Nation
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.pages.battle_roll import roll_command
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import TakeControl
from companion.places import BATTLE_DEMO
from companion.testing import sfw_evenings

START_MS = 36_000_000
"""After the first part, since the demo's clock only goes on."""
FORCES = (
    ("attacking", "tank", "us", 2), ("attacking", "infantry", "us", 3), ("attacking", "tank", "gb", 2),
    ("defending", "infantry", "italy", 3), ("defending", "infantry", "germany", 1), ("defending", "tank", "germany", 1),
)  # fmt: skip


class Recorded(sfw_evenings.SfwGame):
    """A game at a desk, and everything that was sent to it."""

    def __init__(self, scenario: str, options: dict[str, Any]) -> None:
        super().__init__(scenario, options)
        start = {"game": "sfw96", "scenario": scenario, "options": options}
        self.lines: list[dict[str, Any]] = []
        self._note(TABLE, "StartGame", start)

    def do(self, *commands: Command, actor: Actor = TABLE) -> None:
        for command in commands:
            super().do(command, actor=actor)
            args = msgspec.to_builtins(command)
            name = args.pop("type")
            if "at_ms" in args:
                args["at_ms"] += START_MS
            self._note(actor, name, args)

    def _note(self, actor: str, name: str, args: dict[str, Any]) -> None:
        at_ms = self.desk.now_ms() + START_MS
        self.lines.append({"at_ms": at_ms, "source": "touch", "actor": actor, "command": name, "args": args})


def play(game: Recorded) -> None:
    """Play stage 3 of April 1943 from the declaration for Taranto to the resupply."""
    us, gb = Nation("us"), Nation("gb")
    del gb
    for site, nation in (
        ("algiers", "us"),
        ("bizerte", "us"),
        ("tunis", "germany"),
        ("rome", "italy"),
        ("taranto", "italy"),
    ):
        game.enter({f"holder.apr43.{site}": nation})
        game.enter({f"resupply.theater.{site}.{kind}": 12 for kind in ("air", "sea", "land")})
    game.enter({"vp.theater.tunis": 4, "vp.theater.bone": 0.5, "vp.theater.taranto": 2})
    game.go("s3.t4.allies.declare")
    game.enter({"tank.number": 8, "battleship.range": 1})
    game.do(bc.DeclareBattle("Taranto", "land"))
    (battle,) = (one.id for one in battles_of(game.state).battles)
    for side, unit, nation, count in FORCES:
        for _n in range(count):
            game.do(bc.ChangeUnits(battle, side, unit, Nation(nation)))
    game.do(bc.BeginBattle(battle))
    turn = 0
    while (view := battle_view(game.state, battles_of(game.state).battles[0])).phase != "over":
        if view.phase == "losses":
            game.do(view.losses[0].command(battle, {}))
        elif view.phase == "retreat":
            game.do(bc.StandFast(battle))
        else:
            line = next(line for line in view.lines if line.dice)
            turn += 1
            dice = [
                11 if line.side == "attacking" and n % 2 == 0 else (4 + n + turn) % 7 + 1
                for n in range(line.dice)
            ]
            game.do(roll_command(battle, line, dice))
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl("taranto", us, {"us": 2}))
    game.go("s3.r.allies.lanes")
    game.do(rs.EnterLane("1", {"allies": 0, "axis": 2}), rs.CutLane("1", "algiers"))
    game.do(rs.EnterLane("2", {"allies": 2, "axis": 0}))
    game.do(rs.ChooseResupply(us, "land", "algiers"), rs.Purchase(us, "land", "infantry", 2))
    game.do(rs.ChooseResupply(us, "sea", "bizerte"), rs.Purchase(us, "sea", "destroyer"))


def main() -> None:
    """Write the recording beside the first one."""
    game = Recorded("apr43", {"tournament": True})
    play(game)
    text = "".join(json.dumps(line, separators=(", ", ": ")) + "\n" for line in game.lines)
    BATTLE_DEMO.write_text(text, encoding="utf-8")
    print(f"{len(game.lines)} lines")


if __name__ == "__main__":
    main()
