"""A battle file played through step by step, as plain objects for ``companion battle``.

`plan` lists what both sides would roll on every step if nobody were lost; `play` rolls the dice given in the file
(or with its seed), takes the casualties chosen there or by policy, and tells each step.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from companion.core.text import Count, Name, Say, Typed, Value, nation, several, unit
from companion.games.sfw.odds.file import BattleFile
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight, other_side
from companion.games.sfw.rules.battle_losses import Hit, LossTable, merge_hits
from companion.games.sfw.rules.battle_play import (
    best_combination,
    hits_of,
    is_over,
    read_dice,
    retreating,
    step_rolls,
    survivors,
    unloaded,
)
from companion.games.sfw.rules.battle_rolls import Reason, Rolls, Volley, steps
from companion.games.sfw.rules.named import colour as colour_name
from companion.games.sfw.rules.named import some_dice
from companion.odds.battle_file import BattleFileError

__all__ = ["counted_word", "owned_word", "plan", "play", "unit_word"]


def plan(found: BattleFile) -> dict[str, Any]:
    """Return what is rolled on each step left as long as nobody is lost, and why others do not roll."""
    fight = found.fight
    strength = {side: fight.start(side) for side in (ATTACKING, DEFENDING)}
    told = []
    for step in steps(fight)[found.position :]:
        _before(fight, step, strength)
        both = step_rolls(fight, step, strength[ATTACKING], strength[DEFENDING])
        if any(part.volleys or part.needs for part in both):
            told.append(_told(fight, step, both))
    return {"game": found.game, "steps": told}


def _before(fight: Fight, step: str, strength: dict[str, Counts]) -> None:
    """Let those retreat or unload whose step has come, before anybody rolls on it."""
    if step == "7B":
        strength[ATTACKING] = unloaded(fight, strength[ATTACKING])
    if step == "retreat" and fight.battle.retreat and fight.in_space(ATTACKING, strength[ATTACKING]):
        strength[DEFENDING] = retreating(fight, strength[DEFENDING])


def play(found: BattleFile) -> dict[str, Any]:
    """Play the battle with its dice and return every step and the survivors.

    Raises BattleFileError when dice are missing, left over or of the wrong number, or losses are not legal.
    """
    return _Play(found).run()


def _told(fight: Fight, step: str, both: tuple[Rolls, Rolls]) -> dict[str, Any]:
    told: dict[str, Any] = {"step": step}
    for side, part in zip((ATTACKING, DEFENDING), both, strict=True):
        kinds = fight.kinds(side)
        told[side] = {
            "rolls": [_roll(fight, volley) for volley in part.volleys],
            "silent": [
                {
                    "unit": kinds[silent.kind].unit.id,
                    "name": unit_word(fight, kinds[silent.kind].unit.id),
                    "nation": kinds[silent.kind].nation,
                    "count": silent.units,
                    "reason": silent.reason,
                    "why": Name("reason", silent.reason),
                }
                for silent in part.silent
                if silent.reason not in (Reason.OTHER_STEP, Reason.NO_FIREPOWER)
            ],
        }
    return told


def unit_word(fight: Fight, id_: str) -> Name | Typed:
    """Return what a unit is called; one of a card as the file names it."""
    spec = fight.table.units.get(id_)
    return Typed(spec.name) if spec is not None and spec.base else unit(id_)


def counted_word(count: int, name: Name | Typed) -> Value:
    """Return so many of a unit, by what it is called."""
    return Count(count, name) if isinstance(name, Name) else Say("{n} {unit}", n=count, unit=name)


def owned_word(fight: Fight, of: str, id_: str, count: int) -> Value:
    """Return so many units and whose they are, where that is known."""
    units = counted_word(count, unit_word(fight, id_))
    return Say("{units} ({nation})", units=units, nation=nation(of)) if of else units


def _roll(fight: Fight, volley: Volley) -> dict[str, Any]:
    return {
        "unit": volley.source,
        "name": unit_word(fight, volley.source),
        "nation": volley.nation,
        "units": volley.units,
        "dice": volley.dice,
        "colour": fight.table.level_name(volley.level),
        "number": volley.number,
        "targets": list(volley.aim.types),
        "sonar": volley.aim.sonar,
        "extra_shot": volley.extra_shot,
        "level_up": volley.level_up,
        "precise_hit": volley.precise,
    }


def _at(what: str, step: str, side: str, fault: Say) -> Say:
    """Say what is wrong at a step of the file's dice or losses."""
    where = Typed(f"{what}: step {step}, {side}")
    return Say("{key}: {fault}", key=where, fault=fault)


class _Play:
    """One battle file on its way through the steps."""

    def __init__(self, found: BattleFile) -> None:
        self.found = found
        self.fight = found.fight
        self.levels = len(found.fight.edition.capacity)
        self.tables = {
            side: LossTable(found.fight, side, found.policies[side]) for side in (ATTACKING, DEFENDING)
        }
        self.queues = [(entry, list(entry.values)) for entry in found.dice]
        self.chance = None if found.seed is None else random.Random(found.seed)

    def run(self) -> dict[str, Any]:
        """Play all steps that are left; BattleFileError where what the file gives does not fit them."""
        fight = self.fight
        strength = {side: fight.start(side) for side in (ATTACKING, DEFENDING)}
        told = []
        for position, step in enumerate(steps(fight)):
            if position < self.found.position:
                continue
            if is_over(fight, position, strength[ATTACKING], strength[DEFENDING]):
                break
            _before(fight, step, strength)
            played = self._step(step, strength)
            if any(played[side]["rolls"] for side in strength):
                told.append(played)
        left = [(entry, values) for entry, values in self.queues if values]
        if left:
            entry, values = left[0]
            fault = Say("These dice are not needed: {dice}.", dice=several(values, "comma"))
            raise BattleFileError("wrong_dice", [_at("dice", entry.step, entry.side, fault)])
        return {
            "game": self.found.game,
            "steps": told,
            "survivors": {
                side: [
                    {"nation": nation, "unit": unit, "count": count}
                    for (nation, unit), count in survivors(
                        fight, side, strength[side], ashore="7B" in steps(fight), supporters=False
                    ).items()
                ]
                for side in (ATTACKING, DEFENDING)
            },
        }

    def _step(self, step: str, strength: dict[str, Counts]) -> dict[str, Any]:
        both = step_rolls(self.fight, step, strength[ATTACKING], strength[DEFENDING])
        told = _told(self.fight, step, both)
        hits = {
            side: self._throw(step, part, told[side]["rolls"])
            for side, part in zip((ATTACKING, DEFENDING), both, strict=True)
        }
        for side in (ATTACKING, DEFENDING):
            on_side = hits[other_side(side)]
            if step == "7A" and on_side:
                on_side = best_combination(on_side, strength[side], self.tables[side])
            told[other_side(side)]["hits"] = [
                {"colour": self.fight.table.level_name(hit.level), "count": hit.count, "precise": hit.precise}
                for hit in on_side
            ]
            hits[other_side(side)] = on_side
        for side in (ATTACKING, DEFENDING):
            after = self._lose(step, side, strength[side], hits[other_side(side)])
            lost: dict[str, int] = {}
            for kind, was, now in zip(self.fight.kinds(side), strength[side], after, strict=True):
                if was > now:
                    name = f"{kind.nation} {kind.unit.id}".strip()
                    lost[name] = lost.get(name, 0) + was - now
            told[side]["losses"] = lost
            strength[side] = after
        return told

    def _throw(self, step: str, part: Rolls, told: list[dict[str, Any]]) -> tuple[Hit, ...]:
        found: list[Hit] = []
        for volley, line in zip(part.volleys, told, strict=True):
            take = self._source(step, volley)
            values: list[int] = []
            hits = twelves = 0
            dice = volley.dice
            while dice:
                thrown = take(dice)
                read = read_dice(volley, thrown, is_bonus=bool(values))
                values += thrown
                hits += read.hits
                twelves += read.twelves
                dice = read.again
            line["values"] = values
            line["hits"] = hits
            found.extend(hits_of(volley, hits, twelves, self.levels))
        return merge_hits(tuple(found))

    def _source(self, step: str, volley: Volley) -> Callable[[int], list[int]]:
        colour = self.fight.table.level_name(volley.level)
        for entry, values in self.queues:
            fits = (
                entry.step == step
                and entry.side == volley.side
                and entry.unit in ("", volley.source)
                and entry.colour in ("", colour)
                and entry.nation in ("", volley.nation)
            )
            if fits and values:
                return lambda count: self._given(values, count, step, volley, colour)
        chance = self.chance
        if chance is not None:
            return lambda count: [chance.randint(1, 12) for _ in range(count)]
        fault = Say(
            "Missing: {dice} for {units}, hitting on {number} or more.",
            dice=some_dice(volley.dice, colour),
            units=Count(volley.units, unit(volley.source)),
            number=volley.number,
        )
        raise BattleFileError("wrong_dice", [_at("dice", step, volley.side, fault)])

    def _given(self, values: list[int], count: int, step: str, volley: Volley, colour: str) -> list[int]:
        if len(values) < count:
            fault = Say(
                "{unit} needs {count} more of this colour, {colour}; only {have} given.",
                unit=unit(volley.source),
                count=count,
                colour=colour_name(colour),
                have=len(values),
            )
            raise BattleFileError("wrong_dice", [_at("dice", step, volley.side, fault)])
        taken = values[:count]
        del values[:count]
        return taken

    def _lose(self, step: str, side: str, counts: Counts, hits: Sequence[Hit]) -> Counts:
        table = self.tables[side]
        chosen = next((e for e in self.found.losses if e.step == step and e.side == side), None)
        if chosen is None:
            return table.after(counts, tuple(hits))
        losses = [0] * len(counts)
        for name, wanted in chosen.units.items():
            left = wanted
            for kind in self.fight.kinds(side):
                if name in (kind.unit.id, f"{kind.nation} {kind.unit.id}"):
                    taken = min(left, counts[kind.index] - losses[kind.index])
                    losses[kind.index] += taken
                    left -= taken
            if left or wanted < 0:
                fault = Say("There are not that many: {count} {name}.", count=wanted, name=Typed(name))
                raise BattleFileError("illegal_losses", [_at("losses", step, side, fault)])
        why_not = table.fault(counts, tuple(hits), tuple(losses))
        if why_not is not None:
            raise BattleFileError("illegal_losses", [_at("losses", step, side, why_not)])
        return tuple(count - loss for count, loss in zip(counts, losses, strict=True))
