"""Figures of battle odds; prints a table. Run by hand: ``python tests/bench/bench_odds.py``.

Every battle is worked exactly, by 20,000 virtual battles with the same rules, and by a plain grid: one dictionary
of both sides' counts, every pair of hit results of every step, nothing shared.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from companion.games.sfw.battle import ATTACKING, DEFENDING, Battle, Counts, Fight, Group
from companion.games.sfw.battle_edition import SFW96
from companion.games.sfw.battle_losses import Hit, LossTable
from companion.games.sfw.battle_play import step_rolls
from companion.games.sfw.battle_rolls import Volley, steps
from companion.games.sfw.battle_setup import set_up
from companion.games.sfw.units import with_printed
from companion.odds.battle_file import load_units
from companion.odds.distributions import Part, combine
from companion.odds.sfw import exact_odds
from companion.odds.simulate import simulated_odds

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


def battle(units: tuple[tuple[str, int], ...], terrain: str, *, level_up: bool = False) -> Fight:
    """Return both sides with the same units."""
    sides = (tuple(Group(unit, count, nation) for unit, count in units) for nation in ("us", "germany"))
    found = set_up(Battle(3, terrain, *sides), SFW96, TABLE if level_up else PLAIN)
    if not isinstance(found, Fight):
        raise RuntimeError(found)
    return found


def plain_grid(fight: Fight, seconds: float) -> float | None:
    """Return the chance that the defender is cleared; None when it takes longer than `seconds`."""
    tables = {side: LossTable(fight, side) for side in (ATTACKING, DEFENDING)}
    end = time.perf_counter() + seconds
    states: dict[tuple[Counts, Counts], float] = {(fight.start(ATTACKING), fight.start(DEFENDING)): 1.0}
    for step in steps(fight):
        after: dict[tuple[Counts, Counts], float] = {}
        for (attacking, defending), chance in states.items():
            both = step_rolls(fight, step, attacking, defending)
            on_defender = _spread(both[0].volleys, sum(defending))
            on_attacker = _spread(both[1].volleys, sum(attacking))
            for hits, p in on_defender:
                lost = tables[DEFENDING].after(defending, hits)
                for shots, q in on_attacker:
                    key = (tables[ATTACKING].after(attacking, shots), lost)
                    after[key] = after.get(key, 0.0) + chance * p * q
            if time.perf_counter() > end:
                return None
        states = after
    return sum(p for (_, defending), p in states.items() if not fight.in_space(DEFENDING, defending))


def _spread(volleys: tuple[Volley, ...], most: int) -> list[tuple[tuple[Hit, ...], float]]:
    classes = sorted(
        {
            (v.level + extra * v.level_up, v.aim, bool(extra and v.precise))
            for v in volleys
            for extra in (0, 1)
        },
        key=lambda c: (c[0], c[2], repr(c[1])),
    )
    if not classes:
        return [((), 1.0)]
    shape = (most + 1,) * len(classes)
    parts = tuple(
        Part(
            v.dice,
            v.number,
            classes.index((v.level, v.aim, False)),
            classes.index((v.level + v.level_up, v.aim, v.precise)),
            v.extra_shot,
        )
        for v in volleys
    )
    joint = combine(parts, 12, shape)
    found = []
    for index in zip(*joint.nonzero(), strict=True):
        hits = tuple(
            Hit(level, aim, int(count), precise)
            for (level, aim, precise), count in zip(classes, index, strict=True)
            if count
        )
        found.append((hits, float(joint[index])))
    return found


def timed(work: Callable[[], object], repeats: int) -> list[float]:
    """Return processor times in milliseconds, in the order taken."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append((time.process_time() - begin) * 1000)
    return times


def main() -> None:
    """Print the table."""
    rows = [
        ("12 mixed land a side", battle(LAND_12, "land"), 30),
        ("12 mixed land, infantry levels up", battle(LAND_12, "land", level_up=True), 30),
        ("12 mixed sea a side", battle(SEA_12, "sea"), 10),
        ("40 mixed land a side", battle(LAND_40, "land"), 3),
    ]
    print("Processor time of one core. First: nothing remembered yet; then: asked again, as on every change.")
    print(
        f"{'battle':<36}{'first':>11}{'best':>11}{'median':>11}{'20,000 runs':>13}{'plain grid':>12}   p cleared"
    )
    for name, fight, repeats in rows:
        first, *again = timed(lambda fight=fight: exact_odds(fight), repeats + 1)  # type: ignore[misc]
        exact = exact_odds(fight)
        rolled = timed(lambda fight=fight: simulated_odds(fight), 1)[0]  # type: ignore[misc]
        begin = time.process_time()
        grid = plain_grid(fight, 30.0)
        told = f"{(time.process_time() - begin) * 1000:,.0f} ms" if grid is not None else "> 30 s"
        if grid is not None and abs(grid - exact.p_defender_cleared) > 1e-12:
            raise RuntimeError(f"{name}: the grid says {grid}, the exact odds {exact.p_defender_cleared}")
        print(
            f"{name:<36}{first:>8.1f} ms{min(again):>8.1f} ms{statistics.median(again):>8.1f} ms"
            f"{rolled:>10,.0f} ms{told:>12}   {exact.p_defender_cleared:.3e}"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
