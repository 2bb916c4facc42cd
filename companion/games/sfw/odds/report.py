"""What ``companion odds`` and ``companion battle`` tell of a Song for War battle file, as plain data and as lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core.text import Name, Say, Several, Share, Typed, Value, several, unit
from companion.games.sfw.odds.answer import Odds
from companion.games.sfw.odds.coach_report import coached
from companion.games.sfw.odds.file import BattleFile, read_battle
from companion.games.sfw.odds.file_play import counted_word, owned_word, plan, play, unit_word
from companion.games.sfw.odds.play import TooLargeError, exact_odds
from companion.games.sfw.odds.simulate import RUNS, simulated_odds
from companion.games.sfw.odds.unsaid_report import unsaid_data, unsaid_lines
from companion.games.sfw.rules.battle import SIDES
from companion.games.sfw.rules.battle_fire import inferred
from companion.games.sfw.rules.named import battle_side, figures_of, some_dice
from companion.odds.battle_file import BattleAnswer
from companion.odds.coaching import Question

__all__ = ["BATTLE_FILES", "SfwBattleFiles", "best_odds", "odds_data"]

KEYS = """\
Battle file (JSON). Needed: movement_step 1-5, terrain (land sea mountain desert road impassable), attacking,
defending. A group: {"unit": ..., "count": 1, "nation": "us", "distance": 0}; distance above 0 is supporting fire.
Units: air_transport fighter light_bomber heavy_bomber sea_transport submarine destroyer cruiser carrier battleship
land_transport infantry artillery anti_air tank. Nations: those of the game's scenarios (gb us germany italy ...; also as
uk, usa, british, american, german, italian) or none.
More of a group: active (its own space is activated, as with paired markers), terrain (of its own space), moved,
spent (its one attack or defence is used), choice (light bomber: surface or air), bombing (dice at the objective),
dice (split supporting fire: colours used here), combined_fire, cargo [{"unit", "count"}] of each transport, unload.
More of the battle: game, printed_values, units (cards; with "kind": "upgrade" one replaces its nation's base unit),
policy (cheapest, keep_control, a list of units in order of loss, or one for each side), airfield (side that controls
it), sea_walls, wall_facing (origin that each wall faces), retreat (unit ids), rulings,
from_step (odds of the rest of a battle, the groups being what is left), occasion (battle, movement, disengage),
lines, line_dice, bridge, mines, push_through, contested, revealed (ships that are not active: a revealed Hidden Fleet).
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
"""Every key of the battle file."""


class SfwBattleFiles:
    """The battle file of Song for War, for the command line."""

    keys = KEYS

    def read(self, data: Mapping[str, Any], name: str) -> BattleFile:
        """Return a battle that was checked whole. BattleFileError with every fault."""
        return read_battle(data, name)

    def answer(self, battle: BattleFile, *, seed: int, top: int) -> BattleAnswer:
        """Return the odds of a battle; `seed` for one too large to be exact, `top` outcomes as lines."""
        odds = best_odds(battle, seed)
        return _told(battle, BattleAnswer(odds_data(battle, odds), tuple(_odds_lines(battle, odds, top))))

    def coach(self, battle: BattleFile, question: Question) -> BattleAnswer:
        """Return what is best for a side and a goal."""
        return _told(battle, coached(battle, question))

    def play(self, battle: BattleFile) -> BattleAnswer:
        """Return who rolls what, or the battle played through with the dice given."""
        data = play(battle) if battle.dice or battle.seed is not None else plan(battle)
        return _told(battle, BattleAnswer(data, tuple(_play_lines(battle, data))))


def _told(battle: BattleFile, answer: BattleAnswer) -> BattleAnswer:
    """Name beside an answer what the file leaves unsaid, and what was counted for it."""
    data = answer.data | {"not_stated": unsaid_data(battle)}
    return BattleAnswer(data, (*answer.lines, *unsaid_lines(battle)))


BATTLE_FILES = SfwBattleFiles()


def best_odds(found: BattleFile, seed: int = 1) -> Odds:
    """Return exact odds, or those of a simulation where the battle is too large."""
    try:
        return exact_odds(found.fight, found.policies, position=found.position)
    except TooLargeError:
        return simulated_odds(found.fight, found.policies, position=found.position, runs=RUNS, seed=seed)


def odds_data(found: BattleFile, odds: Odds) -> dict[str, Any]:
    """Return the odds of a battle as plain data."""
    answer: dict[str, Any] = {
        "method": odds.method,
        "p_defender_cleared": odds.p_defender_cleared,
        "p_attacker_cleared": odds.p_attacker_cleared,
        "p_capture": odds.p_capture,
        "p_hold": odds.p_hold,
        "p_neither": odds.p_neither,
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


def _odds_lines(found: BattleFile, odds: Odds, top: int) -> list[Say]:
    lines = [
        Say("Odds (exact)")
        if odds.method == "exact"
        else Say("Odds (simulated, {runs} battles, ±{error})", runs=odds.runs, error=_share(odds.error, 2)),
        Say(
            "  defender cleared {cleared}, attacker cleared {lost}",
            cleared=_share(odds.p_defender_cleared),
            lost=_share(odds.p_attacker_cleared),
        ),
        Say("  some get through {through}", through=_share(odds.p_through(movers)))
        if (movers := found.fight.battle.movers)
        else Say(
            "  space taken {taken}, held {held}, neither {neither}",
            taken=_share(odds.p_capture),
            held=_share(odds.p_hold),
            neither=_share(odds.p_neither),
        ),
    ]
    lines += [
        Say(
            "  expected loss, {side}: units worth {cost} resupply",
            side=battle_side(side),
            cost=round(odds.expected_loss[side], 3),
        )
        for side in SIDES
    ]
    if odds.costs_missing:
        lines.append(
            Say(
                "  costs not entered: {costs}; losses there are weighed by armour level",
                costs=several((unit(key.partition(".")[0]) for key in odds.costs_missing), "comma"),
            )
        )
    lines.append(Say("Units"))
    lines += [
        Say(
            "  {side}, {units}: each survives {share}",
            side=battle_side(entry.side),
            units=owned_word(found.fight, entry.nation, entry.unit, entry.count),
            share=_share(entry.each, 2),
        )
        for entry in odds.survival
    ]
    lines.append(Say("Outcomes"))
    lines += [
        Say(
            "  {share}  {attackers}  |  {defenders}",
            share=_share(outcome.p),
            attackers=_units(found, outcome.attacking),
            defenders=_units(found, outcome.defending),
        )
        for outcome in odds.outcomes[:top]
    ]
    rest = odds.outcomes[top:]
    if rest:
        share = _share(sum(outcome.p for outcome in rest))
        lines.append(
            Say.counted("  {share}  {n} more outcome", "  {share}  {n} more outcomes", len(rest), share=share)
        )
    return [*lines, *_inferred_line(found)]


def _play_lines(found: BattleFile, data: dict[str, Any]) -> list[Say]:
    lines: list[Say] = []
    for step in data["steps"]:
        lines.append(Say("Battle step {step}", step=Typed(step["step"])))
        for side in SIDES:
            lines += [_roll_line(side, roll) for roll in step[side]["rolls"]]
            lines += [
                Say(
                    "  {side}, {units}: no roll, {reason}",
                    side=battle_side(side),
                    units=counted_word(silent["count"], silent["name"]),
                    reason=silent["why"],
                )
                for silent in step[side]["silent"]
            ]
        for side in SIDES:
            lost = step[side].get("losses")
            if lost:
                units = several(
                    (owned_word(found.fight, *_split(name), count) for name, count in lost.items()), "comma"
                )
                lines.append(Say("  {side}: lost {units}", side=battle_side(side), units=units))
    for side, left in data.get("survivors", {}).items():
        units = several(
            (owned_word(found.fight, row["nation"], row["unit"], row["count"]) for row in left), "comma"
        )
        lines.append(
            Say("Left, {side}: {units}", side=battle_side(side), units=units if left else Say("nobody"))
        )
    return [*lines, *_inferred_line(found)]


def _roll_line(side: str, roll: dict[str, Any]) -> Say:
    plain = Say(
        "  {side}, {units}: {dice} @{number} vs {targets}",
        side=battle_side(side),
        units=counted_word(roll["units"], roll["name"]),
        dice=some_dice(roll["dice"], roll["colour"]),
        number=roll["number"],
        targets=several((Name("unit", target) for target in roll["targets"]), "or"),
    )
    if "values" not in roll:
        return plain
    values = Several(tuple(roll["values"]), "comma")
    return Say.counted(
        "{roll}: {values}: {n} hit", "{roll}: {values}: {n} hits", roll["hits"], roll=plain, values=values
    )


def _split(owned: str) -> tuple[str, str]:
    """Return nation and unit of a loss as the data name it."""
    of, _space, id_ = owned.rpartition(" ")
    return of, id_


def _units(found: BattleFile, units: dict[str, int]) -> Value:
    if not units:
        return Say("nobody")
    return several((counted_word(n, unit_word(found.fight, id_)) for id_, n in units.items()), "comma")


def _share(of_one: float, digits: int = 3) -> Share:
    return Share(of_one, digits)


def _inferred_line(found: BattleFile) -> list[Say]:
    figures = inferred(found.fight)
    return [Say("Inferred, check your tiles: {figures}", figures=figures_of(figures))] if figures else []
