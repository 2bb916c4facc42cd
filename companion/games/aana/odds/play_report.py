"""What ``companion battle`` says of a North Africa combat: its dice, or how it is played through with the dice given."""

from __future__ import annotations

import random
from typing import Any, Final

from msgspec.structs import replace

from companion.core.text import Name, Say, Several, several
from companion.games.aana.odds.file import AanaBattle
from companion.games.aana.odds.report import END_WORDS, SIDE_WORDS, inferred_line, pieces_say, units_of
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, FACES, Volley
from companion.games.aana.rules.fight import DICE_STAGES, Fight, VolleyRoll, firing, kind_key, kind_name
from companion.games.aana.rules.fight_dice import expected_volleys, fire_fault, raid_tokens, rolled
from companion.games.aana.rules.fight_flow import begin, fired, leave, ordered, pressed, with_losses
from companion.games.aana.rules.fight_losses import loser, proposed, ruled
from companion.games.aana.rules.rounds import Field, orders, press
from companion.games.aana.rules.tables import NO_SPACE
from companion.odds.battle_file import BattleFileError

__all__ = ["battle_lines", "battle_object"]

_SIDES: Final = {ATTACKER: "attacking", DEFENDER: "defending"}


def battle_object(found: AanaBattle) -> dict[str, Any]:
    """Play a combat with the dice given, or list the first dice of every stage when there are none."""
    return _Play(found).run()


class _Play:
    """One combat through the same stages as at the table."""

    def __init__(self, found: AanaBattle) -> None:
        self.found = found
        self.book = found.book
        self.given = {(dice.round, dice.stage): dice.values for dice in found.dice}
        self.random = None if found.seed is None else random.Random(found.seed)
        self.attack_supply, self.defence_supply = found.attack_supply, found.defence_supply
        self.ceases = False
        """The attack ends with this round, whoever is spared for moving in."""
        self.steps: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        fight = begin(self.book, self.start())
        while fight.stage != "over":
            following = self.next(fight)
            if following is None:
                break
            fight = following
        return {
            "steps": self.steps,
            "finished": fight.stage == "over",
            "result": fight.result,
            "survivors": {
                "attacking": units_of(
                    fight.attackers, tuple(map(sum, zip(fight.a, fight.a_out, strict=True)))
                ),
                "defending": units_of(
                    fight.defenders, tuple(map(sum, zip(fight.d, fight.d_out, strict=True)))
                ),
            },
            "cargo_left": fight.cargo.count + fight.cargo_out.count,
            "inferred": list(self.found.inferred),
        }

    def start(self) -> Fight:
        found = self.found
        nobody_a, nobody_d = (0,) * len(found.attackers), (0,) * len(found.defenders)
        return Fight(
            1,
            NO_SPACE,
            found.arena.rules,
            found.arena.attackers,
            found.arena.defenders,
            found.attackers,
            found.defenders,
            nobody_a,
            nobody_d,
            found.attackers,
            found.defenders,
            cargo=found.cargo,
        )

    def next(self, fight: Fight) -> Fight | None:
        """Return the combat after its next stage; None where dice are missing."""
        found = self.found
        if fight.stage in DICE_STAGES:
            return self.roll(fight)
        if fight.stage == "losses":
            role = loser(fight)
            if role == ATTACKER:
                left, cargo, use = ruled(
                    self.book,
                    fight,
                    found.attack,
                    found.pools,
                    self.attack_supply,
                    aiming=found.defence.losses,
                )
                self.ceases = use == "ceases"
            else:
                left, cargo = proposed(self.book, fight, found.defence.losses, found.attack.first_losses)
            gone = (n - m for n, m in zip(fight.counts(role), left, strict=True))
            lost = zip(fight.kinds(role), gone, strict=True)
            self.steps[-1]["loser"] = _SIDES[role]
            self.steps[-1]["losses"] = {kind_key(kind): n for kind, n in lost if n > 0}
            if cargo.count != fight.cargo.count:
                self.steps[-1]["cargo_lost"] = fight.cargo.count - cargo.count
            return with_losses(self.book, fight, left, cargo)
        if fight.stage == "orders":
            return self.order(fight)
        if fight.stage == "leave":
            return leave(self.book, fight, lost=None if fight.rules.can_retreat else fight.retreating)
        field = self.field(fight)
        after = None if self.ceases else press(found.arena, found.attack, found.pools, field)
        if after is None:
            return replace(fight, stage="over", result="ceased")
        self.attack_supply = after.attack_supply
        return pressed(self.book, fight, after.attackers)

    def field(self, fight: Fight) -> Field:
        return Field(
            fight.a,
            fight.d,
            fight.a_out,
            fight.d_out,
            fight.cargo,
            fight.cargo_out,
            self.attack_supply,
            self.defence_supply,
            fight.round_no,
        )

    def order(self, fight: Fight) -> Fight:
        found = self.found
        given = orders(found.arena, found.defence, self.field(fight))
        self.defence_supply = given.supply_left
        if self.defence_supply > 0:
            self.defence_supply = max(0, self.defence_supply - raid_tokens(self.book, fight))
        subs_a, subs_d = (
            sum(fight.a) if found.attack.submerge else 0,
            sum(fight.d) if found.defence.submerge else 0,
        )
        return ordered(
            self.book,
            fight,
            fights=not any(given.retreating),
            exempt_fight=found.defence.exempt_fight,
            submerge_attack=subs_a,
            submerge_defence=subs_d,
        )

    def roll(self, fight: Fight) -> Fight | None:
        wanted = expected_volleys(self.book, fight)
        values = self.given.get((fight.round_no, fight.stage))
        step: dict[str, Any] = {
            "round": fight.round_no,
            "stage": fight.stage,
            "volleys": [self.volley(fight, volley) for volley in wanted],
        }
        self.steps.append(step)
        if values is None:
            if self.random is None:
                return None
            dice = self.random
            values = tuple(rolled(volley, lambda: dice.randint(1, FACES)) for volley in wanted)
        rolls = tuple(VolleyRoll(row) for row in values)
        fault = fire_fault(self.book, fight, rolls)
        if fault is not None:
            stage = Name("fight_stage", fight.stage)
            told = Say("dice: round {n}, {stage}: {fault}", n=fight.round_no, stage=stage, fault=fault)
            raise BattleFileError("bad_dice", [told])
        for volley, told, row in zip(wanted, step["volleys"], values, strict=True):
            told["values"] = list(row)
            told["hits"] = sum(value <= volley.need for value in row)
        return fired(self.book, fight, rolls)

    def volley(self, fight: Fight, volley: Volley) -> dict[str, Any]:
        role = firing(fight.stage)
        kinds = fight.kinds(role)
        return {
            "side": _SIDES[role],
            "units": [kind_key(kinds[i]) for i in volley.kinds],
            "dice": volley.dice,
            "number": volley.need,
            "reroll_from": volley.reroll_from,
            "reach": volley.reach,
            "aim": volley.aim,
        }


def battle_lines(found: AanaBattle) -> list[Say]:
    """Return the play, or the first dice, as lines."""
    told = battle_object(found)
    lines: list[Say] = []
    for step in told["steps"]:
        lines.append(Say("Round {n}, {stage}", n=step["round"], stage=Name("fight_stage", step["stage"])))
        lines += [_volley_line(volley) for volley in step["volleys"]]
        if step.get("losses"):
            side, units = SIDE_WORDS[step["loser"]], pieces_say(step["losses"])
            lines.append(Say("  {side}: lost {units}", side=side, units=units))
        if step.get("cargo_lost"):
            lines.append(Say("  convoy: cargo bays lost {n}", n=step["cargo_lost"]))
    if told["finished"]:
        lines.append(Say("Ends: {ending}", ending=END_WORDS[told["result"]]))
    for side, units_left in told["survivors"].items():
        lines.append(Say("Left, {side}: {units}", side=SIDE_WORDS[side], units=pieces_say(units_left)))
    return [*lines, *inferred_line(found)]


def _volley_line(volley: dict[str, Any]) -> Say:
    names = several((kind_name(one) for one in volley["units"]), "comma")
    line = Say.counted(
        "  {side}, {units}: {n} die that hits on {number} or less",
        "  {side}, {units}: {n} dice that hit on {number} or less",
        volley["dice"],
        side=SIDE_WORDS[volley["side"]],
        units=names,
        number=volley["number"],
    )
    if volley["reroll_from"]:
        line = Say("{roll}, reroll {face} and above", roll=line, face=volley["reroll_from"])
    if "values" not in volley:
        return line
    values = Several(tuple(volley["values"]), "comma")
    return Say.counted(
        "{roll}: {values}: {n} hit", "{roll}: {values}: {n} hits", volley["hits"], roll=line, values=values
    )
