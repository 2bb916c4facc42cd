"""A battle of four players of the card game with made-up cards, played by commands."""

from __future__ import annotations

from typing import Any

from companion.core.commands import Command, EnterPrintedValue
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import Card, plain, printed_key
from companion.games.med.rules.game_rules import RULES
from companion.games.med.rules.new_game import MedFamily
from companion.pages.table import main_command
from companion.session.scenario_loader import load_game, make_setup
from companion.testing.memory_desk import MemoryDesk

LOADED = load_game(MedFamily())
FORCES = tuple(
    Card(
        f"{letter}{n:02}",
        "force",
        f"Ship {letter}{n}",
        (n % 4, 2, 1),
        (1942,),
        1 + n % 5,
        "all",
        victim=victim,
    )
    for letter in "AX"
    for n, victim in ((n, f"Ship X{n}" if letter == "A" and n % 3 == 0 else "") for n in range(1, 16))
)
OPERATION = Card("O05", "operation", years=(1942,), victory_points=3, operation="battle", freighter="none")
CARDS = (OPERATION, *FORCES)


class Evening:
    """A battle of four players, played by commands."""

    def __init__(self) -> None:
        self.desk = MemoryDesk(make_setup(MedFamily(), LOADED, "match", {"players": 4}), RULES)
        for card in CARDS:
            self.do(EnterPrintedValue(printed_key(card.number), plain(card)))
        self.next()
        self.do(cm.TurnOver(self.step, OPERATION.number))
        self.next()

    @property
    def state(self) -> Any:
        assert self.desk.change is not None
        return self.desk.change.state

    @property
    def step(self) -> Any:
        return self.state.step.id

    def do(self, command: Command) -> Any:
        self.desk.advance(1_000)
        self.desk.send(command)
        assert self.desk.change is not None
        return self.desk.change.rejected

    def next(self) -> None:
        self.do(main_command(self.state, self.desk.now_ms()))

    def lay(self, card: str) -> None:
        side = "allies" if card[0] == "A" else "axis"
        rejected = self.do(cm.PlayHand(self.step, side, (card,)))
        assert rejected is None, rejected
        self.next()
