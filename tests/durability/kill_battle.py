"""Kill a game with SIGKILL in the middle of a battle, at every point of it; open it again and play on.

Run as a program: ``kill_battle.py FOLDER``. It forks a child for every command of the battle; the child plays so
far, tells its battles through a pipe as soon as the command is published, and is killed. Prints how many points
there were.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import msgspec

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.ids import ARBITER, StepId
from companion.core.state import GameState
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.pages.battle_roll import roll_command
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, SIDES
from companion.games.sfw.rules.battle_state import battles_of
from companion.session.game_session import GameSession
from companion.session.timesource import ManualTime

CATALOGUE = GameCatalogue()
SPACE = "Taranto"
UNITS = (
    (ATTACKING, "tank", "us", 2),
    (ATTACKING, "infantry", "gb", 2),
    (ATTACKING, "light_bomber", "us", 1),
    (DEFENDING, "infantry", "germany", 3),
    (DEFENDING, "tank", "italy", 1),
    (DEFENDING, "anti_air", "italy", 1),
)


def ask(
    session: GameSession, time: ManualTime, command: cm.Command, *, as_arbiter: bool = False
) -> GameState:
    """Send a command and return the state; a refusal is a fault of this script."""
    time.advance(50)
    envelope = Envelope(command, actor=ARBITER) if as_arbiter else Envelope(command)
    change = session.ask(envelope).result(60)
    if change.rejected is not None:
        raise RuntimeError(f"{command}: {change.rejected}")
    return change.state


def prepare(session: GameSession, time: ManualTime) -> None:
    """Go to a step with battles and declare one."""
    jump = cm.JumpTo(session.change.state.step.id, StepId("s3.t4.allies.resolve"), time.now_ms())
    ask(session, time, jump, as_arbiter=True)
    ask(session, time, cm.EnterPrintedValue("tank.number", 8))
    ask(session, time, bc.DeclareBattle(SPACE, "land"))
    for side, unit, nation, count in UNITS:
        ask(session, time, bc.ChangeUnits("A", side, unit, nation, count))


def next_move(state: GameState) -> cm.Command | None:
    """Return the battle's next command, with dice that hit and miss by turns; None at its end."""
    view = battle_view(state, battles_of(state).battles[0])
    match view.phase:
        case "compose":
            return bc.BeginBattle("A")
        case "roll":
            line = next(line for line in view.lines if line.dice)
            return roll_command("A", line, [12 if n % 2 == 0 else 1 for n in range(line.dice)])
        case "losses":
            return view.losses[0].command("A", {})
        case "over":
            return None
        case _:
            return bc.PassStep("A")


def told(state: GameState) -> bytes:
    """Return the battles of a state as they would be journalled."""
    return msgspec.json.encode(battles_of(state))


def play(path: Path, point: int, pipe: int) -> None:
    """Play until the battle's command number `point` is published, tell the battles and die at once."""
    time = ManualTime(1_000)
    setup = CATALOGUE.make_setup("sfw96", "apr43", {})
    session = GameSession.create(path, setup, CATALOGUE.rules_of, time)
    prepare(session, time)
    for _ in range(point):
        command = next_move(session.change.state)
        if command is None:
            os._exit(7)
        ask(session, time, command)
    os.write(pipe, told(session.change.state))
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(path: Path, point: int) -> bool:
    """Kill at one point, open again, compare and play on; False when the battle has no such point."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            play(path, point, writer)
        finally:
            os._exit(3)
    os.close(writer)
    before = b""
    while chunk := os.read(reader, 65_536):
        before += chunk
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 7:
        return False
    if not os.WIFSIGNALED(status) or not before:
        raise RuntimeError(f"point {point}: the child ended by itself: {status}")
    time = ManualTime(90_000, boot_id="after")
    session = GameSession.open(path, CATALOGUE.rules_of, time)
    if told(session.change.state) != before:
        raise RuntimeError(f"point {point}: the battle is not as it was when the power went")
    while (command := next_move(session.change.state)) is not None:
        ask(session, time, command)
    entry = battles_of(session.change.state).battles[0]
    if entry.status != "over" or entry.progress is None:
        raise RuntimeError(f"point {point}: the battle does not come to its end")
    for side in SIDES:
        left = sum(entry.progress.counts(side))
        lost = sum(sum(record.losses[side]) for record in entry.progress.records)
        if left + lost != sum(count for of, _, _, count in UNITS if of == side):
            raise RuntimeError(f"point {point}: {side}: {left} left and {lost} lost")
    session.close()
    return True


def main() -> int:
    """Kill at every point."""
    folder, point = Path(sys.argv[1]), 0
    while kill_at(folder / f"{point}.tcg", point):
        point += 1
    print(point)
    return 0


if __name__ == "__main__":
    sys.exit(main())
