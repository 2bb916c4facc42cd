"""Games of both editions of Song for War at an in-memory table, and battles fought through their commands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from companion.core.commands import Command, EndAct, EnterPrintedValue, JumpTo, SetRuling
from companion.core.dice import Die, DieColour, DieKind, Roll
from companion.core.events import Event
from companion.core.ids import ARBITER, TABLE, Actor
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.games.registry import games_by_key
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Fight, Load
from companion.games.sfw.rules.battle_record import Declared, Progress
from companion.games.sfw.rules.battle_state import battles_of, fight_of
from companion.session.scenario_loader import Loaded, load_game, make_setup
from companion.testing.memory_desk import MemoryDesk

FIRST, NEWER = "sfw1", "sfw96"
BOTH = (FIRST, NEWER)

# Figures that the texts do not give; made up for the tests, alike in both editions where both have them.
FIGURES: dict[str, dict[str, Any]] = {
    FIRST: {
        "tank.number": 8,
        "infantry.number": 9,
        "artillery.number": 8,
        "anti_air.number": 9,
        "cruiser.number": 8,
        "battleship.number.red": 8,
        "battleship.number.yellow": 6,
        "battleship.range": 2,
        "carrier.number": 9,
        "carrier.targets": ["sea"],
        "carrier.anti_air": 1,
    },
    NEWER: {
        "tank.number": 8,
        "cruiser.anti_air": 1,
        "carrier.targets": ["sea"],
        "carrier.range": 1,
        "battleship.range": 2,
    },
}


@cache
def loaded(game: str) -> Loaded:
    """Return an edition's data, read once."""
    return load_game(games_by_key()[game].family)


def own_name(game: str, scenario: str) -> str:
    """Return the id under which an edition has a scenario that both have."""
    return f"first_{scenario}" if game == FIRST else scenario


class Evening:
    """One game of one edition; refusals of `do` fail the test, `refuse` wants one."""

    def __init__(self, game: str, scenario: str = "apr43", options: Mapping[str, Any] | None = None) -> None:
        self.game = game
        scenario = own_name(game, scenario)
        setup = make_setup(games_by_key()[game].family, loaded(game), scenario, dict(options or {}))
        self.desk = MemoryDesk(setup, games_by_key()[game].rules())

    @property
    def state(self) -> GameState:
        change = self.desk.change
        assert change is not None
        return change.state

    def send(self, command: Command, actor: Actor = TABLE) -> tuple[Rejected | None, tuple[Event, ...]]:
        self.desk.advance(1)
        self.desk.send(command, actor=actor)
        change = self.desk.change
        assert change is not None
        return change.rejected, tuple(event for entry in change.entries for event in entry.events)

    def do(self, *commands: Command, actor: Actor = TABLE) -> tuple[Event, ...]:
        events: tuple[Event, ...] = ()
        for command in commands:
            rejected, events = self.send(command, actor)
            assert rejected is None, f"{command}: {rejected}"
        return events

    def refuse(self, command: Command, code: str, *words: str, actor: Actor = TABLE) -> Rejected:
        before = self.state
        rejected, _events = self.send(command, actor)
        assert rejected is not None, f"{command} was taken"
        assert rejected.code == code, rejected
        for word in words:
            assert word in str(rejected.detail), f"{word!r} in {str(rejected.detail)!r}"
        assert self.state == before
        return rejected

    def go(self, step: str) -> None:
        """Walk to a step, going on over whatever is asked on the way."""
        while self.state.step.id != step:
            self.next(confirmed=True)

    def jump(self, step: str) -> None:
        self.do(JumpTo(self.state.step.id, step, self.desk.now_ms()), actor=ARBITER)  # type: ignore[arg-type]

    def end(self, *, confirmed: bool = False) -> EndAct:
        return EndAct(self.state.step.id, self.desk.now_ms() + 1, confirmed)

    def next(self, *, confirmed: bool = False) -> tuple[Event, ...]:
        return self.do(self.end(confirmed=confirmed))

    def enter(self, values: Mapping[str, Any] | None = None) -> None:
        for key, value in (FIGURES[self.game] if values is None else values).items():
            self.do(EnterPrintedValue(key, value))

    def rule(self, ruling: str, value: str) -> None:
        self.do(SetRuling(ruling, value), actor=ARBITER)

    def checks(self) -> dict[str, str]:
        """Return the checklist of the current step: id to text."""
        items = self.state.frozen_setup.checks
        return {check: items[check].text for check in self.state.step.checks}


class Fought:
    """One battle at the table of one edition."""

    def __init__(
        self,
        game: str,
        step: str = "s3.t4.allies.declare",
        space: str = "Arena",
        terrain: str = "land",
        *,
        rulings: Mapping[str, str] | None = None,
        printed: Mapping[str, Any] | None = None,
        occasion: Any = "battle",
        evening: Evening | None = None,
    ) -> None:
        self.evening = evening or Evening(game)
        if evening is None:
            self.evening.jump(step)
            self.evening.enter()
            self.evening.enter(printed or {})
            for name, value in (rulings or {}).items():
                self.evening.rule(name, value)
        self.evening.do(bc.DeclareBattle(space, terrain, occasion))
        self.id = battles_of(self.evening.state).battles[-1].id

    @property
    def declared(self) -> Declared:
        found = battles_of(self.evening.state).find(self.id)
        assert found is not None
        return found

    @property
    def progress(self) -> Progress:
        assert self.declared.progress is not None
        return self.declared.progress

    @property
    def fight(self) -> Fight:
        fight = fight_of(self.evening.state, self.declared)
        assert isinstance(fight, Fight), fight
        return fight

    def there(
        self, side: str, *units: tuple[str, str, int], distance: int = 0, home: str = "", origin: str = ""
    ) -> Fought:
        for nation, unit, count in units:
            self.evening.do(bc.ChangeUnits(self.id, side, unit, nation, count, distance, origin, home))
        return self

    def attack(self, *units: tuple[str, str, int], **where: Any) -> Fought:
        return self.there(ATTACKING, *units, **where)

    def defend(self, *units: tuple[str, str, int], **where: Any) -> Fought:
        return self.there(DEFENDING, *units, **where)

    def group(self, side: str, index: int, **changes: Any) -> bc.SetGroup:
        groups = self.declared.battle.attacking if side == ATTACKING else self.declared.battle.defending
        return bc.SetGroup(self.id, side, index, replace(groups[index], **changes))

    def set(self, side: str, index: int, **changes: Any) -> Fought:
        self.evening.do(self.group(side, index, **changes))
        return self

    def load(self, index: int, *cargo: tuple[str, int]) -> Fought:
        return self.set(ATTACKING, index, cargo=tuple(Load(unit, count) for unit, count in cargo))

    def moved(self) -> Fought:
        """Let submarines of which nothing was said have moved, where they may."""
        for side in (ATTACKING, DEFENDING):
            groups = self.declared.battle.attacking if side == ATTACKING else self.declared.battle.defending
            for index, group in enumerate(groups):
                may = self.declared.battle.movement_step in (1, 3)
                if may and group.unit == "submarine" and group.moved is None:
                    self.set(side, index, moved=True)
        return self

    def begin(self) -> Fought:
        """Begin; submarines of which nothing was said have moved where they may."""
        self.moved()
        self.evening.do(bc.BeginBattle(self.id))
        return self

    def asked(self) -> list[tuple[str, str, str, int, int]]:
        """Return the roll list: side, first unit, colour, number, dice."""
        return [
            (line.side, line.units[0], line.colour, line.number, line.dice) for line in self.progress.lines
        ]

    def dice(self, unit: str, side: str = "") -> list[tuple[str, int, int]]:
        """Return what a unit rolls on this step: colour, number, dice."""
        return [
            (line.colour, line.number, line.dice)
            for line in self.progress.lines
            if unit in line.units and side in ("", line.side)
        ]

    def roll(self, unit: str, colour: str, *values: int, side: str = "", nation: str = "") -> Fought:
        number = next(
            n
            for n, line in enumerate(self.progress.lines)
            if unit in line.units
            and line.colour == colour
            and side in ("", line.side)
            and nation in ("", line.nation)
            and self.progress.thrown[n].waiting
        )
        dice = tuple(Die(DieColour(colour), value) for value in values)
        self.evening.do(bc.RecordRoll(self.id, (number,), Roll(DieKind.D12, dice)))
        return self

    def miss(self, *, until: str = "") -> Fought:
        """Roll ones for everything that waits, to the end of the battle or until a battle step is reached."""
        while self.declared.status == "fighting" and self.progress.step != until:
            number = next((n for n, thrown in enumerate(self.progress.thrown) if thrown.waiting), None)
            assert number is not None, f"nobody rolls on {self.progress.step}"
            line, count = self.progress.lines[number], self.progress.thrown[number].waiting
            dice = (Die(DieColour(line.colour), 1),) * count
            self.evening.do(bc.RecordRoll(self.id, (number,), Roll(DieKind.D12, dice)))
        assert not until or self.progress.step == until, f"{until} was never reached"
        return self

    def losses(self, side: str, *units: tuple[str, str, int]) -> bc.ChooseLosses:
        kinds = self.fight.kinds(side)
        chosen = tuple(
            bc.UnitLosses(next(k.index for k in kinds if (k.nation, k.unit.id) == (nation, unit)), count)
            for nation, unit, count in units
        )
        return bc.ChooseLosses(self.id, side, chosen)

    def lose(self, side: str, *units: tuple[str, str, int]) -> Fought:
        self.evening.do(self.losses(side, *units))
        return self

    def left(self, side: str) -> dict[str, int]:
        """Return the units of a side that are left, supporters not counted."""
        counts, found = self.progress.counts(side), dict[str, int]()
        for kind in self.fight.kinds(side):
            if counts[kind.index] and kind.is_active:
                found[kind.unit.id] = found.get(kind.unit.id, 0) + counts[kind.index]
        return found
