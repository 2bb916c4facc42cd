"""Time the odds of North Africa: ``python tests/bench/bench_aana.py`` prints two tables.

Processor time on one core: the first call of a process that has just started, and the best of five more. After the
battles by name come forty made up by chance, 4 to 12 pieces a side on land and 4 to 8 at sea.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable

from companion.games.aana.odds.file import read_aana
from companion.games.aana.odds.report import odds_of

Groups = list[tuple[str, str, int, str]]

BATTLES: dict[str, tuple[Groups, Groups, dict[str, object]]] = {
    "9 against 5, supply counted": (
        [
            ("germany", "tank", 2, "west"),
            ("germany", "infantry", 5, "west"),
            ("germany", "artillery", 2, "west"),
        ],
        [("uk", "infantry", 4, ""), ("uk", "anti_tank", 1, "")],
        {"supply": {"attacking": 6, "defending": 4}},
    ),
    "5 against 4, no limit": (
        [("us", "tank", 2, "west"), ("us", "infantry", 3, "west")],
        [("italy", "infantry", 3, ""), ("italy", "tank", 1, "")],
        {},
    ),
    "convoy": (
        [("uk", "submarine", 2, ""), ("uk", "fighter", 2, "")],
        [("italy", "fighter", 1, "")],
        {"terrain": "sea", "cargo": [{"nation": "italy", "unit": "infantry", "count": 4}]},
    ),
    "17 against 10, flank, bonus, bombers, no limit": (
        [
            ("germany", "tank", 4, "west"),
            ("germany", "infantry", 4, "west"),
            ("germany", "artillery", 2, "west"),
            ("germany", "infantry", 3, "south"),
            ("germany", "anti_tank", 2, "west"),
            ("germany", "bomber", 2, ""),
        ],
        [
            ("uk", "infantry", 4, ""),
            ("uk", "aaa", 1, ""),
            ("uk", "anti_tank", 2, ""),
            ("uk", "matilda", 2, ""),
            ("uk", "artillery", 1, ""),
        ],
        {"territory": "tobruk"},
    ),
    "fleet, 11 against 10 with a convoy": (
        [
            ("italy", "destroyer", 3, ""),
            ("italy", "submarine", 3, ""),
            ("italy", "fighter", 3, ""),
            ("italy", "bomber", 2, ""),
        ],
        [
            ("uk", "battleship", 2, ""),
            ("uk", "destroyer", 3, ""),
            ("uk", "submarine", 2, ""),
            ("uk", "fighter", 3, ""),
        ],
        {"terrain": "sea", "cargo": [{"nation": "uk", "unit": "infantry", "count": 4}]},
    ),
    "12 against 12, five kinds a side": (
        [
            ("germany", "infantry", 4, "west"),
            ("germany", "artillery", 2, "west"),
            ("germany", "tank", 3, "west"),
            ("germany", "anti_tank", 1, "south"),
            ("germany", "fighter", 2, ""),
        ],
        [
            ("uk", "infantry", 5, ""),
            ("uk", "artillery", 2, ""),
            ("uk", "anti_tank", 2, ""),
            ("uk", "matilda", 2, ""),
            ("uk", "aaa", 1, ""),
        ],
        {},
    ),
    "40 against 40 on land": (
        [
            ("us", "infantry", 16, "west"),
            ("us", "artillery", 6, "west"),
            ("us", "tank", 8, "west"),
            ("us", "infantry", 4, "south"),
            ("us", "fighter", 3, ""),
            ("us", "bomber", 3, ""),
        ],
        [
            ("germany", "infantry", 14, ""),
            ("germany", "mechanized", 6, ""),
            ("germany", "artillery", 6, ""),
            ("germany", "anti_tank", 4, ""),
            ("germany", "tank", 8, ""),
            ("germany", "fighter", 2, ""),
        ],
        {},
    ),
    "every ship and plane of Italy against the United Kingdom's": (
        [
            ("italy", "destroyer", 3, ""),
            ("italy", "submarine", 3, ""),
            ("italy", "fighter", 3, ""),
            ("italy", "bomber", 2, ""),
        ],
        [
            ("uk", "battleship", 2, ""),
            ("uk", "destroyer", 4, ""),
            ("uk", "submarine", 2, ""),
            ("uk", "fighter", 6, ""),
            ("uk", "bomber", 3, ""),
        ],
        {"terrain": "sea"},
    ),
}


def _rows(groups: Groups) -> list[dict[str, object]]:
    return [{"nation": n, "unit": u, "count": c, "origin": o} for n, u, c, o in groups]


def best_ms(act: Callable[[], object], runs: int = 5) -> float:
    """Return the least processor time of some runs, in milliseconds."""
    found = []
    for _run in range(runs):
        start = time.process_time()
        act()
        found.append(time.process_time() - start)
    return min(found) * 1000


MIX = range(1, 41)
LAND_ATTACK = {
    "infantry": 5,
    "artillery": 2,
    "tank": 3,
    "anti_tank": 1,
    "scout_car": 1,
    "fighter": 1,
    "bomber": 1,
}
LAND_DEFENCE = {"infantry": 5, "artillery": 2, "anti_tank": 2, "matilda": 2, "aaa": 1, "fighter": 1}
SEA_ATTACK = {"destroyer": 3, "submarine": 3, "fighter": 2, "bomber": 1}
SEA_DEFENCE = {"battleship": 1, "destroyer": 3, "submarine": 2, "fighter": 2}


def made_up(seed: int) -> dict[str, object]:
    """Return a battle made up by chance: three in four on land, half of these with a flank, half counting supply."""
    dice = random.Random(seed)

    def force(nation: str, count: int, units: dict[str, int], origins: list[str]) -> list[dict[str, object]]:
        found: dict[tuple[str, str], int] = {}
        for _piece in range(count):
            unit = dice.choices(list(units), list(units.values()))[0]
            origin = "" if unit in ("fighter", "bomber") else dice.choice(origins)
            found[unit, origin] = found.get((unit, origin), 0) + 1
        return [{"nation": nation, "unit": u, "origin": o, "count": n} for (u, o), n in found.items()]

    sizes = dice.randint(4, 12), dice.randint(4, 12)
    raw: dict[str, object] = {"game": "aana", "values": "unofficial"}
    if dice.random() < 0.75:
        raw["attacking"] = rows = force(
            "germany", sizes[0], LAND_ATTACK, ["west"] if dice.random() < 0.5 else ["west", "west", "south"]
        )
        raw["defending"] = force("uk", sizes[1], LAND_DEFENCE, [""])
        strength: dict[str, int] = {}
        for row in rows:
            if row["origin"]:
                strength[str(row["origin"])] = strength.get(str(row["origin"]), 0) + int(str(row["count"]))
        if strength:
            raw["main"] = max(sorted(strength), key=lambda origin: strength[origin])
        if dice.random() < 0.5:
            raw["supply"] = {"attacking": dice.randint(4, 9), "defending": dice.randint(2, 6)}
        return raw
    raw["terrain"] = "sea"
    raw["attacking"] = force("italy", min(8, sizes[0]), SEA_ATTACK, [""])
    raw["defending"] = force("uk", min(8, sizes[1]), SEA_DEFENCE, [""])
    if dice.random() < 0.5:
        raw["cargo"] = [{"nation": "uk", "unit": "infantry", "count": dice.randint(2, 6)}]
    return raw


def measured(raw: dict[str, object]) -> tuple[float, float, int]:
    """Return the first call's and later calls' processor time in milliseconds, and the number of ends."""
    found = read_aana(raw, "bench")
    first = best_ms(lambda: odds_of(found), runs=1)
    return first, best_ms(lambda: odds_of(found)), len(odds_of(found).endings)


def in_new_process(raw: dict[str, object]) -> tuple[float, float, int]:
    """Measure a battle in a process of its own."""
    told = subprocess.run(
        [sys.executable, __file__, "--one"],
        input=json.dumps(raw),
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    first, again, ends = json.loads(told)
    return float(first), float(again), int(ends)


def main() -> None:
    """Print one line a battle, then what the battles made up by chance take."""
    if "--one" in sys.argv:
        print(json.dumps(measured(json.load(sys.stdin))))
        return
    print(f"{'battle':<62} {'first ms':>9} {'then ms':>8} {'ends':>7}")
    for name, (attacking, defending, more) in BATTLES.items():
        raw = {
            "game": "aana",
            "values": "unofficial",
            "attacking": _rows(attacking),
            "defending": _rows(defending),
            **more,
        }
        first, again, ends = in_new_process(raw)
        print(f"{name:<62} {first:>9.1f} {again:>8.1f} {ends:>7}")
    print(f"\n{'made up by chance':<24} {'battles':>7} {'median':>7} {'95 %':>7} {'worst':>7}")
    raws = [made_up(seed) for seed in MIX]
    times = [in_new_process(raw) for raw in raws]
    for place, call in ((0, "first call"), (1, "then")):
        for at_sea in (False, True):
            some = sorted(
                t[place] for t, raw in zip(times, raws, strict=True) if ("terrain" in raw) == at_sea
            )
            label = f"{call}, {'sea' if at_sea else 'land'}"
            cut = min(len(some) - 1, int(0.95 * len(some)))
            print(
                f"{label:<24} {len(some):>7} {some[len(some) // 2]:>7.1f} {some[cut]:>7.1f} {some[-1]:>7.1f}"
            )


if __name__ == "__main__":
    main()
