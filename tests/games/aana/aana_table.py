"""A table to play at in tests: commands in, state out, over the real data files."""

from __future__ import annotations

from functools import cache
from typing import Any

from companion.core.codec import Codec
from companion.core.commands import Command, EndAct, JumpTo, StartGame
from companion.core.history import Entry, Timeline
from companion.core.ids import TABLE, StepId
from companion.core.rules import Context, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.games.aana.rules.battle_messages import (
    AttackGroup,
    DeclareAttack,
    GiveOrders,
    OpenCombat,
    RollFire,
    TakeLosses,
)
from companion.games.aana.rules.fight import Fight, VolleyRoll
from companion.games.aana.rules.fight_dice import expected_volleys
from companion.games.aana.rules.game_rules import aana_rules
from companion.games.aana.rules.ledger import Ledger, figures
from companion.games.aana.rules.ledger_messages import CountSpace
from companion.games.aana.rules.new_game import AanaFamily
from companion.pages.labels import refusal
from companion.session.scenario_loader import Loaded, load_game, make_setup

RULES = aana_rules()


@cache
def loaded() -> Loaded:
    return load_game(AanaFamily())


def setup(scenario: str = "rommel", **options: Any) -> Setup:
    return make_setup(AanaFamily(), loaded(), scenario, options)


class Table:
    """One game; every accepted command goes through the codec and back before it is applied."""

    def __init__(self, scenario: str = "rommel", **options: Any) -> None:
        self.line = Timeline(RULES)
        self.codec = Codec(RULES)
        self.now = 0
        self.ok(StartGame(setup(scenario, **options), 0))

    @property
    def state(self) -> GameState:
        return self.line.state

    @property
    def step(self) -> StepId:
        return self.state.step.id

    @property
    def ledger(self) -> Ledger:
        ledger: Ledger = self.state.game["ledger"]
        return ledger

    @property
    def fight(self) -> Fight:
        fight: Fight | None = self.state.game["battle"].fight
        assert fight is not None
        return fight

    def send(self, command: Command) -> Rejected | None:
        self.now += 1000
        handled = self.line.handle(command, Context(TABLE, self.now))
        for draft in handled.drafts:
            self.line.append(
                Entry(
                    self.line.next_seq,
                    self.codec.decode_command(self.codec.encode_command(draft.command)),
                    self.codec.decode_events(self.codec.encode_events(draft.events)),
                    TABLE,
                    "touch",
                    self.now,
                )
            )
        return handled.rejected

    def ok(self, command: Command) -> GameState:
        refused = self.send(command)
        assert refused is None, refused
        return self.state

    def no(self, command: Command, code: str, text: str = "") -> None:
        before = self.state
        refused = self.send(command)
        assert refused is not None, f"{command} was taken"
        assert refused.code == code, refused
        said = refusal(refused, before)
        assert text in said, said
        assert self.state is before

    def end(self, *, confirmed: bool = False) -> GameState:
        return self.ok(EndAct(self.step, self.now, confirmed))

    def jump(self, to: str) -> GameState:
        return self.ok(JumpTo(self.step, StepId(to), self.now))

    def tell(self, space: str, supply: int | None = None, **units: int) -> None:
        """Tell a space; units as uk_infantry=3."""
        pieces = {_piece(name): n for name, n in units.items()}
        self.ok(CountSpace(space, pieces, supply))

    def attack(self, space: str, *groups: AttackGroup, **given: Any) -> int:
        self.ok(DeclareAttack(self.step, space, groups, **given))
        return int(self.state.game["battle"].attacks[-1].id)

    def open(self, attack: int, **given: Any) -> Fight:
        self.ok(OpenCombat(self.step, attack, **given))
        return self.fight

    def orders(self, **given: Any) -> Fight:
        self.ok(GiveOrders(self.step, **given))
        return self.fight

    def needs(self) -> list[tuple[int, int]]:
        """Return (dice, number) of each volley waiting."""
        return [(v.dice, v.need) for v in expected_volleys(figures(self.state), self.fight)]

    def roll(self, *volleys: tuple[int, ...], forced: tuple[int | None, ...] | None = None) -> Fight:
        aims = forced or (None,) * len(volleys)
        rolls = tuple(VolleyRoll(values, aim) for values, aim in zip(volleys, aims, strict=True))
        self.ok(RollFire(self.step, rolls))
        return self.fight

    def lose(self, losses: dict[str, int] | None = None, cargo: dict[str, int] | None = None) -> Fight:
        self.ok(TakeLosses(self.step, losses, cargo))
        return self.fight

    def count(self, space: str, piece: str) -> int:
        return self.ledger.units.get(space, {}).get(piece, 0)


def _piece(name: str) -> str:
    for power in ("free_french", "germany", "italy", "vichy", "uk", "us"):
        if name.startswith(f"{power}_"):
            return f"{power}.{name[len(power) + 1 :]}"
    raise ValueError(name)
