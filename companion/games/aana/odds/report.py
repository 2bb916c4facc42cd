"""What ``companion odds`` and ``companion battle`` say of a North Africa combat, as plain objects and as lines."""

from __future__ import annotations

import random
from typing import Any

from msgspec.structs import replace

from companion.core.text import Say
from companion.games.aana.odds.file import AanaBattle
from companion.games.aana.odds.play import Odds, exact_odds
from companion.games.aana.odds.round import TooLargeError
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, FACES, Kind, Volley
from companion.games.aana.rules.fight import DICE_STAGES, Fight, VolleyRoll, firing, kind_key
from companion.games.aana.rules.fight_dice import expected_volleys, fire_fault, raid_tokens, rolled
from companion.games.aana.rules.fight_flow import begin, fired, leave, ordered, pressed, with_losses
from companion.games.aana.rules.fight_losses import loser, proposed, spared
from companion.games.aana.rules.rounds import Field, orders, press
from companion.odds.battle_file import TOO_LARGE, BattleFileError

__all__ = ["battle_lines", "battle_object", "odds_lines", "odds_object", "odds_of"]

_RESULTS = {
    "attacker": "defender gone",
    "defender": "attacker gone",
    "both": "both gone",
    "ceased": "attack ceased",
    "stalemate": "stalemate",
}
_MOST_ROUNDS = 8
"""Rounds that are told one by one; those beyond are told together."""
_SIDES: dict[str, str] = {ATTACKER: "attacking", DEFENDER: "defending"}


def odds_of(found: AanaBattle) -> Odds:
    """Work out the odds of a battle file. BattleFileError when they are too many to be worked out."""
    try:
        return exact_odds(
            found.arena,
            found.attackers,
            found.defenders,
            attack=found.attack,
            defence=found.defence,
            cargo=found.cargo,
            costs=found.costs,
            attack_supply=found.attack_supply,
            defence_supply=found.defence_supply,
            pools=found.pools,
        )
    except TooLargeError as error:
        fault = Say(
            "This battle is too large to be worked out exactly. Name fewer kinds of pieces, or fewer pieces."
        )
        raise BattleFileError(TOO_LARGE, [fault]) from error


def odds_object(found: AanaBattle) -> dict[str, Any]:
    """Return the odds in the same shape as for Song for War, with results and rounds beside them."""
    odds = odds_of(found)
    arena = found.arena
    losses: dict[str, dict[str, Any]] = {}
    survival: list[dict[str, Any]] = []
    for role in (ATTACKER, DEFENDER):
        start = found.attackers if role == ATTACKER else found.defenders
        costs = [row.cost for row in arena.rows(role)]
        left = odds.survivors[role]
        known = all(cost is not None for cost, n in zip(costs, start, strict=True) if n)
        lost_cost = (
            sum((n - m) * (c or 0) for n, m, c in zip(start, left, costs, strict=True)) if known else None
        )
        losses[_SIDES[role]] = {"units": odds.expected_loss[role], "cost": lost_cost}
        survival += _survival(_SIDES[role], arena.kinds(role), start, left)
    cleared = sum(e.p for e in odds.endings if not any(e.defenders)) + odds.p_retreat + odds.p_surrender
    return {
        "method": "exact",
        "results": dict(odds.results),
        "p_defender_cleared": min(1.0, cleared),
        "p_attacker_cleared": odds.results["defender"] + odds.results["both"],
        "p_capture": odds.p_capture,
        "p_hold": 1 - odds.p_capture,
        "p_retreat": odds.p_retreat,
        "p_surrender": odds.p_surrender,
        "rounds": [{"rounds": n, "p": p} for n, p in odds.rounds.items()],
        "expected_loss": losses,
        "expected_cargo_loss": odds.expected_loss["cargo"],
        "expected_supply_left": {_SIDES[role]: n for role, n in odds.supply_left.items()},
        "declared_supply": found.declared,
        "survival": survival,
        "outcomes": _outcomes(found, odds),
        "inferred": list(found.inferred),
    }


def odds_lines(found: AanaBattle, top: int) -> list[str]:
    """Return the odds as lines."""
    told = odds_object(found)
    words = _RESULTS
    lines = ["Odds (exact)"]
    lines += [f"  {words[name]:<15} {p:8.3%}" for name, p in told["results"].items()]
    lines.append(f"  territory taken {told['p_capture']:8.3%}")
    shown = told["rounds"][:_MOST_ROUNDS]
    lines += [f"  after round {row['rounds']:>2}  {row['p']:8.3%}" for row in shown]
    if len(told["rounds"]) > len(shown):
        lines.append(f"  after more      {1 - sum(row['p'] for row in shown):8.3%}")
    for side, loss in told["expected_loss"].items():
        cost = "" if loss["cost"] is None else f" ({loss['cost']:.2f} reinforcement points)"
        lines.append(f"  expected loss of the {side} side: {loss['units']:.3f} units{cost}")
    if found.cargo.count:
        lines.append(
            f"  expected loss of the convoy: {told['expected_cargo_loss']:.3f} cargo bays "
            "(a bay is one unit or up to five supply)"
        )
    for unit in told["survival"]:
        line = f"  {unit['side']:<10} {unit['count']:>2} {unit['nation']} {unit['unit']:<14} "
        line += f"each survives {unit['each']:7.2%}"
        if unit["two_hits"]:
            line += f", {unit['damaged']:.2%} damaged"
        lines.append(line)
    for outcome in told["outcomes"][:top]:
        lines.append(f"  {outcome['p']:8.3%}  {_ending(outcome, with_cargo=bool(found.cargo.count))}")
    rest = told["outcomes"][top:]
    if rest:
        lines.append(f"  {sum(outcome['p'] for outcome in rest):8.3%}  {len(rest)} more")
    if found.inferred:
        lines.append(f"Inferred, check your chart: {', '.join(found.inferred)}")
    return lines


def _survival(
    side: str, kinds: tuple[Kind, ...], start: tuple[int, ...], left: tuple[float, ...]
) -> list[dict[str, Any]]:
    """Return how many of each kind are left on average: a ship that takes two hits is one, whole or damaged."""
    alike: dict[Kind, list[int]] = {}
    for i, kind in enumerate(kinds):
        alike.setdefault(replace(kind, damaged=False), []).append(i)
    found = []
    for kind, places in alike.items():
        count, expected = sum(start[i] for i in places), sum(left[i] for i in places)
        hurt = [i for i in places if kinds[i].damaged]
        if count:
            found.append(
                {
                    "side": side,
                    "nation": kind.power,
                    "unit": kind.unit,
                    "origin": kind.origin,
                    "count": count,
                    "expected": expected,
                    "each": min(1.0, expected / count),
                    "two_hits": bool(hurt),
                    "damaged": min(1.0, sum(left[i] for i in hurt) / count),
                }
            )
    return found


def _outcomes(found: AanaBattle, odds: Odds) -> list[dict[str, Any]]:
    """Return what may be left with its chance, likeliest first; ends that leave the same are one.

    The convoy's cargo is all that still floats, whoever escaped rejoins it.
    """
    arena = found.arena
    merged: dict[tuple[Any, ...], dict[str, Any]] = {}
    for e in odds.endings:
        cargo = _afloat(e.cargo, e.escaped)
        key = (e.result, e.attackers, e.defenders, tuple(cargo.items()), e.captures, e.leaves)
        if key in merged:
            merged[key]["p"] += e.p
            continue
        merged[key] = {
            "result": e.result,
            "attacking": _units(arena.attackers, e.attackers),
            "defending": _units(arena.defenders, e.defenders),
            "cargo": cargo,
            "captures": e.captures,
            "leaves": e.leaves,
            "p": e.p,
        }
    return sorted(merged.values(), key=lambda outcome: -outcome["p"])


def _afloat(*cargoes: Cargo) -> dict[str, int]:
    """Return the cargo of some convoys together: pieces, and supply as POWER.supply."""
    found: dict[str, int] = {}
    for cargo in cargoes:
        for piece, n in (
            *((f"{power}.{unit}", n) for power, unit, n in cargo.units),
            *((f"{power}.supply", n) for power, n in cargo.supply),
        ):
            found[piece] = found.get(piece, 0) + n
    return dict(sorted(found.items()))


def _ending(outcome: dict[str, Any], *, with_cargo: bool) -> str:
    """Return what an end leaves on one line; two ends never read alike."""
    left = f"{_list(outcome['attacking'])}  |  {_list(outcome['defending'])}"
    if with_cargo:
        left += f"  |  convoy: {_list(outcome['cargo']) if outcome['cargo'] else 'nothing'}"
    how = {"retreat": "retreated", "surrender": "surrendered"}.get(outcome["leaves"], "")
    notes = [note for note in (_RESULTS[outcome["result"]], how) if note]
    notes += ["territory taken"] if outcome["captures"] else []
    return f"{left}  ({', '.join(notes)})"


def _units(kinds: tuple[Kind, ...], counts: tuple[int, ...]) -> dict[str, int]:
    return {kind_key(kind): n for kind, n in zip(kinds, counts, strict=True) if n}


def _list(units: dict[str, int]) -> str:
    return ", ".join(f"{n} {unit}" for unit, n in units.items()) or "nobody"


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
                "attacking": _units(fight.attackers, tuple(map(sum, zip(fight.a, fight.a_out, strict=True)))),
                "defending": _units(fight.defenders, tuple(map(sum, zip(fight.d, fight.d_out, strict=True)))),
            },
            "cargo_left": fight.cargo.count + fight.cargo_out.count,
            "inferred": list(self.found.inferred),
        }

    def start(self) -> Fight:
        found = self.found
        nobody_a, nobody_d = (0,) * len(found.attackers), (0,) * len(found.defenders)
        return Fight(
            1,
            "",
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
            own, foe = found.attack.first_losses, found.defence.losses
            policy, aiming = (own, foe) if role == ATTACKER else (foe, own)
            left, cargo = proposed(self.book, fight, policy, aiming)
            if role == ATTACKER:
                kept = replace(fight, a=left)
                use = spared(self.book, kept, found.attack, found.pools, self.attack_supply)
                self.ceases = use == "ceases"
                if use != "helps":
                    left, cargo = proposed(self.book, fight, found.attack.unspared, aiming)
            gone = (n - m for n, m in zip(fight.counts(role), left, strict=True))
            lost = zip(fight.kinds(role), gone, strict=True)
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
            raise BattleFileError("bad_dice", [f"dice: round {fight.round_no}, {fight.stage}: {fault}"])
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


def battle_lines(found: AanaBattle) -> list[str]:
    """Return the play, or the first dice, as lines."""
    told = battle_object(found)
    lines: list[str] = []
    for step in told["steps"]:
        lines.append(f"Round {step['round']}, {step['stage'].replace('_', ' ')}")
        for volley in step["volleys"]:
            who = f"  {volley['side']:<10} {', '.join(volley['units'])}"
            dice = "1 die" if volley["dice"] == 1 else f"{volley['dice']} dice"
            line = f"{who}: {dice} at {volley['number']} or less"
            if volley["reroll_from"]:
                line += f", reroll {volley['reroll_from']} and above"
            if "values" in volley:
                line += f" -> {volley['values']}: {volley['hits']} hit"
            lines.append(line)
        if step.get("losses"):
            lines.append(f"  lost: {_list(step['losses'])}")
    if told["finished"]:
        lines.append(f"Ends: {told['result']}")
    for side, units in told["survivors"].items():
        lines.append(f"Left, {side}: {_list(units)}")
    if told["inferred"]:
        lines.append(f"Inferred, check your chart: {', '.join(told['inferred'])}")
    return lines
