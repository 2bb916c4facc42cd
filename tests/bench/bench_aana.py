"""Time the odds and a round of commands of North Africa: ``python tests/bench/bench_aana.py`` prints a table.

Processor time of the best of five runs, one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from companion.odds.aana_file import read_aana
from companion.odds.aana_report import odds_of

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


def main() -> None:
    """Print one line a battle."""
    print(f"{'battle':<62} {'ms':>8} {'ends':>7}")
    for name, (attacking, defending, more) in BATTLES.items():
        raw = {
            "game": "aana",
            "values": "unofficial",
            "attacking": _rows(attacking),
            "defending": _rows(defending),
            **more,
        }
        found = read_aana(raw, name)
        print(
            f"{name:<62} {best_ms(lambda found=found: odds_of(found)):>8.1f} {len(odds_of(found).endings):>7}"
        )


if __name__ == "__main__":
    main()
