"""Figures of battle odds; prints a table. Run by hand: ``python tests/bench/bench_odds.py``.

Every battle is worked exactly, by 20,000 virtual battles with the same rules, and by a plain grid: one dictionary
of both sides' counts, every pair of hit results of every step, nothing shared. The first call is timed in processes
of its own, right after the imports.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from companion.games.sfw.odds.file import load_units
from companion.games.sfw.odds.play import exact_odds
from companion.games.sfw.odds.simulate import simulated_odds
from companion.games.sfw.rules.battle import DEFENDING, Battle, Fight, Group
from companion.games.sfw.rules.battle_edition import SFW96
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.units import with_printed
from tests.odds.plain_grid import plain_grid

FRESH = 5
"""Fresh processes for the first call; the best and the worst are told."""

TABLE = with_printed(
    load_units("sfw96"),
    {"tank.number": 8, "cruiser.anti_air": 1, "carrier.targets": ["sea"], "infantry.abilities": ["level_up"]},
)
PLAIN = with_printed(
    load_units("sfw96"), {"tank.number": 8, "cruiser.anti_air": 1, "carrier.targets": ["sea"]}
)

LAND_12 = (
    ("infantry", 4), ("tank", 2), ("artillery", 2), ("anti_air", 1), ("fighter", 1), ("light_bomber", 1),
    ("land_transport", 1),
)  # fmt: skip
LAND_40 = (
    ("infantry", 14), ("tank", 7), ("artillery", 6), ("anti_air", 3), ("fighter", 4), ("light_bomber", 3),
    ("land_transport", 3),
)  # fmt: skip
SEA_12 = (
    ("submarine", 2), ("destroyer", 3), ("cruiser", 2), ("carrier", 1), ("battleship", 1), ("sea_transport", 1),
    ("fighter", 1), ("light_bomber", 1),
)  # fmt: skip


SEA_MIXED = (
    ("submarine", 1), ("destroyer", 2), ("cruiser", 3), ("carrier", 2), ("battleship", 2), ("sea_transport", 1),
    ("fighter", 1),
)  # fmt: skip
SEA_40 = (("submarine", 10), ("destroyer", 10), ("cruiser", 10), ("battleship", 10))


def battle(units: tuple[tuple[str, int], ...], terrain: str, *, level_up: bool = False) -> Fight:
    """Return both sides with the same units."""
    sides = (tuple(Group(unit, count, nation) for unit, count in units) for nation in ("us", "germany"))
    step = 4 if terrain == "land" else 3  # in which some of the units are active
    found = set_up(Battle(step, terrain, *sides), SFW96, TABLE if level_up else PLAIN)
    if not isinstance(found, Fight):
        raise RuntimeError(found)
    return found


def timed(work: Callable[[], object], repeats: int) -> list[float]:
    """Return processor times in milliseconds, in the order taken."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append((time.process_time() - begin) * 1000)
    return times


BATTLES: dict[str, tuple[Callable[[], Fight], int]] = {
    "12 mixed land a side": (lambda: battle(LAND_12, "land"), 30),
    "12 mixed land, infantry levels up": (lambda: battle(LAND_12, "land", level_up=True), 30),
    "12 mixed sea a side": (lambda: battle(SEA_12, "sea"), 30),
    "12 mixed sea, more heavy ships": (lambda: battle(SEA_MIXED, "sea"), 30),
    "40 mixed land a side": (lambda: battle(LAND_40, "land"), 3),
    "40 ships a side": (lambda: battle(SEA_40, "sea"), 3),
}
"""Battle by name, and how often it is asked again."""


def first(name: str) -> list[float]:
    """Return the processor times of the first call in fresh processes, in milliseconds, rising."""
    call = [sys.executable, __file__, "--first", name]
    runs = [subprocess.run(call, capture_output=True, text=True, check=True) for _ in range(FRESH)]
    return sorted(float(run.stdout) for run in runs)


def main() -> None:
    """Print the table."""
    print(
        "Processor time. First: fresh processes, best and worst; again: as on every change, best and median."
    )
    print(f"{'battle':<35}{'first':>20}{'again':>18}{'20,000 runs':>13}{'plain grid':>12}   p cleared")
    for name, (make, repeats) in BATTLES.items():
        fight, fresh = make(), first(name)
        exact = exact_odds(fight)
        again = timed(lambda fight=fight: exact_odds(fight), repeats)  # type: ignore[misc]
        rolled = timed(lambda fight=fight: simulated_odds(fight), 1)[0]  # type: ignore[misc]
        begin = time.process_time()
        states = plain_grid(fight, seconds=30.0)
        told = f"{(time.process_time() - begin) * 1000:,.0f} ms" if states is not None else "> 30 s"
        if states is not None:
            grid = sum(p for (_, counts), p in states.items() if not fight.in_space(DEFENDING, counts))
            if abs(grid - exact.p_defender_cleared) > 1e-12:
                raise RuntimeError(f"{name}: the grid says {grid}, the exact odds {exact.p_defender_cleared}")
        print(
            f"{name:<35}{fresh[0]:>8.1f}{fresh[-1]:>9.1f} ms{min(again):>7.1f}{statistics.median(again):>8.1f} ms"
            f"{rolled:>10,.0f} ms{told:>12}   {exact.p_defender_cleared:.3e}"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--first"]:
        work = BATTLES[sys.argv[2]][0]()
        print(timed(lambda: exact_odds(work), 1)[0])
    else:
        main()
