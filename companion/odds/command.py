"""``companion odds`` and ``companion battle``: a battle file from disk or standard input.

Exit codes: 0 done, 1 the battle was refused (the reasons are told), 2 the call itself was wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from companion.core.plaintext import text_of
from companion.games.aana.odds.file import KEYS as AANA_KEYS
from companion.games.aana.odds.file import AanaBattle, read_aana
from companion.games.aana.odds.report import battle_lines, battle_object, odds_lines, odds_object
from companion.games.sfw.odds.answer import Odds
from companion.games.sfw.odds.play import TooLargeError, exact_odds
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.games.sfw.rules.battle_edition import EDITIONS
from companion.games.sfw.rules.battle_fire import inferred
from companion.odds.battle_file import DEFAULT_GAME, BattleFile, BattleFileError, decode, read_battle
from companion.odds.battle_report import plan, play
from companion.odds.simulate import RUNS, simulated_odds

__all__ = ["best_odds", "main_battle", "main_odds"]

_KEYS = """\
Battle file (JSON). Needed: movement_step 1-5, terrain (land sea mountain desert road impassable), attacking,
defending. A group: {"unit": ..., "count": 1, "nation": "us", "distance": 0}; distance above 0 is supporting fire.
Units: air_transport fighter light_bomber heavy_bomber sea_transport submarine destroyer cruiser carrier battleship
land_transport infantry artillery anti_air tank. Nations: those of the game's scenarios (gb us germany italy ...; also as
uk, usa, british, american, german, italian) or none.
More of a group: active (its own space is activated, as with paired markers), terrain (of its own space), moved,
spent (its one attack or defence is used), choice (light bomber: surface or air), bombing (dice at the objective),
dice (split supporting fire: colours used here), combined_fire, cargo [{"unit", "count"}] of each transport, unload.
More of the battle: game, printed_values, units (cards), policy (cheapest, keep_control, a list of units in order
of loss, or one for each side), airfield (side that controls it), sea_walls, retreat (unit ids), rulings,
from_step (odds of the rest of a battle, the groups being what is left), occasion (battle, movement, disengage),
lines, line_dice, bridge, mines, push_through, contested.
companion battle also takes: dice [{"step": "5", "side": "attacking", "unit": "battleship", "colour": "black",
"values": [9]}], losses [{"step", "side", "units": {...}}] and seed (roll what is not given).
game: sfw96 or sfw1, the first edition (dice blue, yellow, red; "number.red" for one colour of several); what is
peculiar to it stands in companion/odds/BATTLE_FILE.md.

Example:
  {"game": "sfw96", "movement_step": 4, "terrain": "land",
   "attacking": [{"unit": "tank", "count": 2, "nation": "us"}],
   "defending": [{"unit": "infantry", "count": 3, "nation": "germany"}],
   "printed_values": {"tank": {"number": 8}}, "policy": "cheapest"}
"""


def main_odds(argv: Sequence[str]) -> int:
    """Print the odds of a battle file."""
    parser = _parser("companion odds", "Work out the exact odds of a battle.")
    parser.add_argument("--seed", type=int, default=1, help="seed of the simulation of a battle too large")
    parser.add_argument("--top", type=int, default=12, help="outcomes to list without --json (default 12)")
    args = parser.parse_args(argv)
    return _run(
        args,
        "companion odds",
        lambda found: _tell_odds(found, args),
        lambda found: _tell_aana(odds_object(found), odds_lines(found, args.top), args),
    )


def main_battle(argv: Sequence[str]) -> int:
    """Print who rolls what in a battle file, or play it through with the dice given."""
    parser = _parser("companion battle", "List the rolls of a battle, or play it with the dice given.")
    args = parser.parse_args(argv)
    return _run(
        args,
        "companion battle",
        lambda found: _tell_battle(found, args),
        lambda found: _tell_aana(battle_object(found), battle_lines(found), args),
    )


def best_odds(found: BattleFile, seed: int = 1) -> Odds:
    """Return exact odds, or those of a simulation where the battle is too large."""
    try:
        return exact_odds(found.fight, found.policies, position=found.position)
    except TooLargeError:
        return simulated_odds(found.fight, found.policies, position=found.position, runs=RUNS, seed=seed)


def _parser(prog: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description=description,
        epilog=f"{_KEYS}\n{AANA_KEYS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="battle file, - for standard input")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _tell_aana(told: dict[str, Any], lines: list[str], args: argparse.Namespace) -> None:
    print(json.dumps(told, indent=2, ensure_ascii=False) if args.json else "\n".join(lines))


def _run(
    args: argparse.Namespace,
    prog: str,
    tell: Callable[[BattleFile], None],
    tell_aana: Callable[[AanaBattle], None],
) -> int:
    name = "standard input" if args.file == "-" else args.file
    try:
        text = (
            sys.stdin.read().removeprefix("\ufeff")
            if args.file == "-"
            else text_of(Path(args.file).read_bytes())
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        _refuse(prog, args, "unreadable_file", [f"{name}: {why}"])
        return 2
    try:
        data = decode(text, name)
        game = data.get("game", DEFAULT_GAME)
        if game == "aana":
            tell_aana(read_aana(data, name))
        elif isinstance(game, str) and game in EDITIONS:
            tell(read_battle(data, name))
        else:
            known = ", ".join((*EDITIONS, "aana"))
            raise BattleFileError("unknown_game", [f"{name}: game: expected one of {known}, got {game!r}"])
    except BattleFileError as error:
        _refuse(prog, args, error.code, error.faults, error.missing)
        if not error.missing:
            print(f"{prog}: mend the file and try again; {prog} --help tells every key", file=sys.stderr)
        return 1
    return 0


def _refuse(
    prog: str, args: argparse.Namespace, code: str, faults: Sequence[str], missing: Sequence[str] = ()
) -> None:
    """Tell what is wrong, with --json as an object too."""
    for fault in faults:
        print(f"{prog}: {fault}", file=sys.stderr)
    if args.json:
        refusal: dict[str, Any] = {"code": code, "faults": list(faults)}
        if missing:
            refusal["missing"] = list(missing)
        print(json.dumps({"error": refusal}, indent=2, ensure_ascii=False))


def _tell_odds(found: BattleFile, args: argparse.Namespace) -> None:
    odds = best_odds(found, args.seed)
    if args.json:
        print(json.dumps(_odds_object(found, odds), indent=2, ensure_ascii=False))
        return
    how = "exact" if odds.method == "exact" else f"simulated, {odds.runs} battles, +-{odds.error:.2%}"
    print(f"Odds ({how})")
    print(
        f"  defender cleared {odds.p_defender_cleared:8.3%}   attacker cleared {odds.p_attacker_cleared:8.3%}"
    )
    print(f"  space taken      {odds.p_capture:8.3%}   space held       {odds.p_hold:8.3%}")
    for side in (ATTACKING, DEFENDING):
        print(f"  expected loss of the {side} side: {odds.expected_loss[side]:.3f}")
    if odds.costs_missing:
        print(
            f"  costs not entered: {', '.join(odds.costs_missing)}; losses there are weighed by armour level"
        )
    print("Units")
    for unit in odds.survival:
        name = found.fight.table.units[unit.unit].name
        who = f"{unit.nation} {name}".strip()
        print(f"  {unit.side:<10} {unit.count:>2} {who:<28} each survives {unit.each:7.2%}")
    print("Outcomes")
    for outcome in odds.outcomes[: args.top]:
        print(
            f"  {outcome.p:8.3%}  {_units(found, outcome.attacking)}  |  {_units(found, outcome.defending)}"
        )
    if len(odds.outcomes) > args.top:
        print(f"  ... and {len(odds.outcomes) - args.top} more")
    _print_inferred(found)


def _units(found: BattleFile, units: dict[str, int]) -> str:
    names = found.fight.table.units
    return ", ".join(f"{count} {names[unit].name}" for unit, count in units.items()) or "nobody"


def _print_inferred(found: BattleFile) -> None:
    figures = inferred(found.fight)
    if figures:
        print(f"Inferred, check your tiles: {', '.join(figures)}")


def _odds_object(found: BattleFile, odds: Odds) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "method": odds.method,
        "p_defender_cleared": odds.p_defender_cleared,
        "p_attacker_cleared": odds.p_attacker_cleared,
        "p_capture": odds.p_capture,
        "p_hold": odds.p_hold,
        "expected_loss": odds.expected_loss,
        "costs_missing": list(odds.costs_missing),
        "survival": [
            {
                "side": unit.side,
                "nation": unit.nation,
                "unit": unit.unit,
                "count": unit.count,
                "expected": unit.expected,
                "each": unit.each,
                "none_left": unit.none_left,
            }
            for unit in odds.survival
        ],
        "loss_distribution": {
            side: [{"cost": cost, "p": p} for cost, p in losses.items()]
            for side, losses in odds.loss_distribution.items()
        },
        "outcomes": [
            {"attacking": outcome.attacking, "defending": outcome.defending, "p": outcome.p}
            for outcome in odds.outcomes
        ],
        "inferred": list(inferred(found.fight)),
    }
    if odds.method != "exact":
        answer |= {"runs": odds.runs, "standard_error": odds.error, "seed": odds.seed}
    return answer


def _tell_battle(found: BattleFile, args: argparse.Namespace) -> None:
    is_played = bool(found.dice) or found.seed is not None
    report = play(found) if is_played else plan(found)
    if args.json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return
    for step in report["steps"]:
        print(f"Battle step {step['step']}")
        for side in (ATTACKING, DEFENDING):
            for roll in step[side]["rolls"]:
                print(f"  {side:<10} {_roll_line(roll)}")
            for silent in step[side]["silent"]:
                print(f"  {side:<10} {silent['count']} {silent['name']}: no roll, {silent['why']}")
        for side in (ATTACKING, DEFENDING):
            lost = step[side].get("losses")
            if lost:
                print(f"  {side:<10} loses {', '.join(f'{count} {unit}' for unit, count in lost.items())}")
    if is_played:
        for side in (ATTACKING, DEFENDING):
            left = report["survivors"][side]
            names = ", ".join(f"{entry['count']} {entry['nation']} {entry['unit']}" for entry in left)
            print(f"Left, {side}: {names or 'nobody'}")
    _print_inferred(found)


def _roll_line(roll: dict[str, Any]) -> str:
    targets = "/".join(roll["targets"])
    line = f"{roll['units']} {roll['name']}: {roll['dice']} {roll['colour']} @{roll['number']} vs {targets}"
    if "values" in roll:
        line += f" -> {roll['values']}: {roll['hits']} hit"
    return line
