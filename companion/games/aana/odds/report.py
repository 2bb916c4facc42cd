"""What ``companion odds`` says of a North Africa combat, as plain data and as lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from companion.core.ids import Nation, Side, SiteId
from companion.core.text import Count, Say, Share, Value, area, key, nation, several, unit
from companion.games.aana.odds.answer import Odds
from companion.games.aana.odds.file import AanaBattle
from companion.games.aana.odds.play import exact_odds
from companion.games.aana.odds.round import TooLargeError
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Kind
from companion.games.aana.rules.fight import key_parts, kind_key
from companion.games.aana.rules.pieces import split
from companion.odds.battle_file import TOO_LARGE, BattleFileError

__all__ = [
    "END_WORDS",
    "SIDE_WORDS",
    "inferred_line",
    "odds_lines",
    "odds_object",
    "odds_of",
    "pieces_say",
    "units_of",
]

END_WORDS: Final[Mapping[str, Say]] = {
    "attacker": Say("defender gone"),
    "defender": Say("attacker gone"),
    "both": Say("both gone"),
    "ceased": Say("attack ceased"),
    "stalemate": Say("nobody can hit or leave"),
}
"""How a combat has ended."""
SIDE_WORDS: Final[Mapping[str, Say]] = {"attacking": Say("attackers"), "defending": Say("defenders")}
"""The sides of a battle file."""
_LEFT_BY: Final[Mapping[str, Say]] = {"retreat": Say("retreated"), "surrender": Say("surrendered")}
_MOST_ROUNDS = 8
"""Rounds that are told one by one; those beyond are told together."""
_SIDES: Final[Mapping[str, str]] = {ATTACKER: "attacking", DEFENDER: "defending"}


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


def odds_lines(found: AanaBattle, top: int) -> list[Say]:
    """Return the odds as lines."""
    told = odds_object(found)
    lines = [Say("Odds (exact)")]
    lines += [
        Say("  {ending}: {share}", ending=END_WORDS[name], share=_share(p))
        for name, p in told["results"].items()
    ]
    if found.arena.rules.domain == "land":
        lines.append(Say("  territory taken: {share}", share=_share(told["p_capture"])))
    shown = told["rounds"][:_MOST_ROUNDS]
    lines += [
        Say("  over after round {n}: {share}", n=row["rounds"], share=_share(row["p"])) for row in shown
    ]
    if len(told["rounds"]) > len(shown):
        lines.append(Say("  over later: {share}", share=_share(1 - sum(row["p"] for row in shown))))
    lines += [_loss_line(side, loss) for side, loss in told["expected_loss"].items()]
    if found.cargo.count:
        lines.append(
            Say(
                "  expected loss, convoy: cargo bays {n} (a bay is one unit or up to five supply)",
                n=round(told["expected_cargo_loss"], 3),
            )
        )
    lines += [_survival_line(unit_left) for unit_left in told["survival"]]
    lines += [
        _outcome_line(outcome, with_cargo=bool(found.cargo.count)) for outcome in told["outcomes"][:top]
    ]
    rest = told["outcomes"][top:]
    if rest:
        share = _share(sum(outcome["p"] for outcome in rest))
        lines.append(
            Say.counted("  {share}  {n} more outcome", "  {share}  {n} more outcomes", len(rest), share=share)
        )
    return [*lines, *inferred_line(found)]


def _share(of_one: float, digits: int = 3) -> Share:
    return Share(of_one, digits)


def _loss_line(side: Side, loss: dict[str, Any]) -> Say:
    of, n = SIDE_WORDS[side], round(loss["units"], 3)
    if loss["cost"] is None:
        return Say("  expected loss, {side}: units {n}", side=of, n=n)
    return Say(
        "  expected loss, {side}: units {n}, reinforcement points {cost}",
        side=of,
        n=n,
        cost=round(loss["cost"], 2),
    )


def _survival_line(left: dict[str, Any]) -> Say:
    side, units = (
        SIDE_WORDS[left["side"]],
        _pieces(left["count"], left["nation"], left["unit"], left["origin"]),
    )
    share = _share(left["each"], 2)
    if left["two_hits"]:
        damaged = _share(left["damaged"], 2)
        return Say(
            "  {side}, {units}: each afloat {share}, damaged {damaged}",
            side=side,
            units=units,
            share=share,
            damaged=damaged,
        )
    return Say("  {side}, {units}: each survives {share}", side=side, units=units, share=share)


def inferred_line(found: AanaBattle) -> list[Say]:
    """Return the line that names figures which the text does not state, where there are some."""
    names = several((key(f"unit.{figure}") for figure in found.inferred), "comma")
    return [Say("Inferred, check your chart: {figures}", figures=names)] if found.inferred else []


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
            "attacking": units_of(arena.attackers, e.attackers),
            "defending": units_of(arena.defenders, e.defenders),
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
            *((f"{power}.{kind}", n) for power, kind, n in cargo.units),
            *((f"{power}.supply", n) for power, n in cargo.supply),
        ):
            found[piece] = found.get(piece, 0) + n
    return dict(sorted(found.items()))


def _outcome_line(outcome: dict[str, Any], *, with_cargo: bool) -> Say:
    """Return what an end leaves on one line; two ends never read alike."""
    notes = [END_WORDS[outcome["result"]]]
    notes += [_LEFT_BY[outcome["leaves"]]] if outcome["leaves"] in _LEFT_BY else []
    notes += [Say("territory taken")] if outcome["captures"] else []
    share, ending = _share(outcome["p"]), several(notes, "comma")
    attackers, defenders = pieces_say(outcome["attacking"]), pieces_say(outcome["defending"])
    if with_cargo:
        return Say(
            "  {share}  {attackers}  |  {defenders}  |  convoy: {cargo}  ({ending})",
            share=share,
            attackers=attackers,
            defenders=defenders,
            cargo=pieces_say(outcome["cargo"]),
            ending=ending,
        )
    return Say(
        "  {share}  {attackers}  |  {defenders}  ({ending})",
        share=share,
        attackers=attackers,
        defenders=defenders,
        ending=ending,
    )


def units_of(kinds: tuple[Kind, ...], counts: tuple[int, ...]) -> dict[str, int]:
    """Return pieces by kind key, without those of which there are none."""
    return {kind_key(kind): n for kind, n in zip(kinds, counts, strict=True) if n}


def pieces_say(units: Mapping[str, int]) -> Value:
    """Return pieces by kind key in words, with where they attack from and whether they are damaged."""
    if not units:
        return Say("nobody")
    words: list[Value] = []
    for one, n in units.items():
        body, origin = key_parts(one)
        power, kind, damaged = split(body)
        words.append(_pieces(n, power, kind, SiteId(origin), damaged=damaged))
    return several(words, "comma")


def _pieces(n: int, power: Nation, kind: str, origin: SiteId, *, damaged: bool = False) -> Say:
    units: Value = Count(n, unit(kind))
    if damaged:
        return Say("{unit}, damaged ({power})", unit=units, power=nation(power))
    if origin:
        return Say("{units} ({nation}, {space})", units=units, nation=nation(power), space=area(origin))
    return Say("{units} ({nation})", units=units, nation=nation(power))
