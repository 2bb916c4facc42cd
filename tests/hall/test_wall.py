"""The wall: what a table needs, in order, and clocks that are never counted on past a silence."""

from __future__ import annotations

import itertools
import random
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hall_table import tournament
from msgspec.structs import replace

from companion.hall.desk.web.html import short_name
from companion.hall.desk.web.pages import document, wall_page
from companion.hall.desk.web.view import View, points_of
from companion.hall.happenings import Paired, Pairing, Reported, ResultTaken, RoundStarted, Rules
from companion.hall.messages import State
from companion.hall.outcome import Report, Result
from companion.hall.record import Tournament, happen
from companion.hall.wall import NEEDS, Live, clock_of, tiles
from companion.testing.chromium import CHROMIUM, Browser

NOW = 10_000_000
HASH = "0" * 64


def hall(tables: int) -> Tournament:
    now = tournament(2 * tables, Rules(minutes=270))
    pairs = tuple(Pairing(n, 2 * n - 1, 2 * n) for n in range(1, tables + 1))
    return happen(happen(now, Paired(1, "swiss", pairs)), RoundStarted(1, "2026-05-02T10:00:00+02:00"))


def state(**other: Any) -> State:
    whole = State(
        game="aa", branch=HASH, seq=1, digest=HASH, boot="b", now=500_000, round=1, run="axis", since=500_000,
        limit={"axis": 3_600_000, "allies": 3_600_000}, spent={"axis": 600_000},
    )  # fmt: skip
    return replace(whole, **other)


def live(heard: int = NOW, **other: Any) -> Live:
    return Live(state(**other), True, heard, heard, None, 0)


def test_the_one_that_needs_the_director_most_comes_first() -> None:
    """In the order that is promised: dispute, called, flag, gap, lost, behind, late, near, in play, to come, finished."""
    now = hall(12)
    now = happen(now, Reported(1, 1, Report("paper", Result(1), eyes=("a", "b"))))
    now = happen(now, Reported(1, 1, Report("paper", Result(2), eyes=("a", "b"))))
    now = happen(now, ResultTaken(1, 11, Result(21)))
    short = {"axis": 700_000, "allies": 600_000}
    heard = {
        "2": live(wants="rule", wants_at=490_000),
        "3": live(wants="rule", wants_at=400_000),
        "4": live(flag=("axis",)),
        "5": live(NOW - 20_000, limit=short),
        "6": live(),
        "7": live(round=3, limit=short),
        "8": live(limit={"axis": 800_000, "allies": 100_000}),
        "9": live(limit=short, paused=True),
        "11": live(wants=""),
        "12": live(gap=True, paused=True),
    }
    found = tiles(now, heard, NOW, left_ms=2_000_000)
    assert [tile.table for tile in found] == [1, 3, 2, 4, 12, 5, 6, 7, 8, 9, 10, 11]
    needs = [tile.need for tile in found]
    assert needs == [
        "dispute",
        "called",
        "called",
        "flag",
        "gap",
        "lost",
        "behind",
        "late",
        "near",
        "play",
        "paper",
        "done",
    ]
    ranks = [list(NEEDS).index(need) for need in needs]
    assert ranks == sorted(ranks)
    for order in itertools.islice(itertools.permutations(heard.items()), 50):
        assert tiles(now, dict(order), NOW, left_ms=2_000_000) == found, "what came first does not matter"


def test_a_clock_counts_on_while_its_box_is_heard_and_stands_in_silence() -> None:
    box = live(NOW)
    clock = clock_of(box, "axis", NOW + 4_000)
    assert clock is not None
    assert clock.left_ms == 3_000_000 - 4_000
    later = clock_of(box._replace(heard_ms=NOW + 10_000), "axis", NOW + 10_000)
    assert later is not None
    assert later.left_ms == 3_000_000 - 10_000
    silent = clock_of(box, "axis", NOW + 3_600_000)
    assert silent is not None
    assert (silent.left_ms, silent.zero_ms) == (3_000_000, None), "never past what was heard, never to a flag"
    other = clock_of(box, "allies", NOW)
    assert other is not None
    assert (other.left_ms, other.zero_ms) == (3_600_000, None)
    measured = clock_of(box._replace(offset_ms=500_000 - NOW - 250), "axis", NOW)
    assert measured is not None
    assert measured.left_ms == 3_000_250, "the box's clock is 250 ms behind what its message suggests"


def test_without_any_link_every_table_is_on_the_wall() -> None:
    now = hall(3)
    found = tiles(happen(now, ResultTaken(1, 2, Result(3))), {}, NOW)
    assert [(tile.table, tile.need) for tile in found] == [(1, "paper"), (3, "paper"), (2, "done")]
    assert tiles(tournament(4), {}, NOW) == ()


def test_points_stand_in_the_order_of_the_names_above_them() -> None:
    """A box says its sides in its game's own order; the tournament's is the one of the players."""
    said = state(vp={"allies": 12, "axis": 31}, far={"now": "Axis win", "far": "18 short"})
    assert points_of(said, ("Axis", "Allies")) == "31 : 12 VP · Axis win, 18 short"
    assert points_of(said, ("Allies", "Axis")) == "12 : 31 VP · Axis win, 18 short"
    assert points_of(state(vp={"red": 3, "blue": None}), ("Axis", "Allies")) == "3 : – VP"
    assert points_of(state(), ("Axis", "Allies")) == ""


@pytest.mark.parametrize(
    ("name", "most", "short"),
    [
        ("Anna Li", 7, "Anna Li"),
        ("Maximilian Oberhuber", 12, "M. Oberhuber"),
        ("Jean Pierre Dupont", 12, "J. P. Dupont"),
        ("Johannes van der Berg", 15, "J. van der Berg"),
        ("Johannes van der Berg", 12, "van der Berg"),
        ("Oberhuber, Maximilian", 12, "M. Oberhuber"),
        ("Karl Schmidt-Rottluff", 12, "Schmidt-R."),
        ("Grzegorzewski", 5, "Grzegorzewski"),
        ("Anna Grzegorzewski", 5, "Grzegorzewski"),
        ("", 5, ""),
    ],
)
def test_a_long_name_loses_its_given_names_first_and_never_its_family_name(
    name: str, most: int, short: str
) -> None:
    assert short_name(name, most) == short


_GIVEN = ("Maximilian", "Anna", "Jean-Pierre", "Élodie", "Friederike", "Bo", "Zbigniew")
_FAMILY = (
    "Oberhuber",
    "Li",
    "Dupont-Lefèvre",
    "van der Berg",
    "O'Sullivan",
    "Papadopoulos",
    "Schmidt-Rottluff",
)


@pytest.mark.skipif(CHROMIUM is None, reason="NOT TESTED: chromium is not installed")
@pytest.mark.parametrize("count", [pytest.param(64, marks=pytest.mark.long), 200])
def test_a_wall_of_many_tables_stands_whole_on_one_screen(tmp_path: Path, count: int) -> None:
    """At 1920x1080 nothing has to be scrolled to, and no name is cut; a table that was not heard for long still fits."""
    rng = random.Random(count)
    now = hall(count)
    now = replace(
        now,
        players={
            n: replace(one, name=f"{rng.choice(_GIVEN)} {rng.choice(_FAMILY)}")
            for n, one in now.players.items()
        },
    )
    spent = lambda: {side: rng.randint(0, 3_000_000) for side in ("axis", "allies")}  # noqa: E731
    heard = {
        str(n): live(NOW - (60_000 if n % 3 == 0 else 0), spent=spent(), wants="rule" if n % 9 == 0 else "")
        for n in range(1, count + 1)
    }
    view = View(now, heard, NOW, NOW + 7_200_000)
    static = resources.files("companion.hall.desk.web") / "static"
    own = f"<style>{(static / 'desk.css').read_text(encoding='utf-8')}</style></head>"
    (tmp_path / "wall.html").write_text(
        document(view, "/", wall_page(view)).replace("</head>", own), encoding="utf-8"
    )
    with Browser() as browser:
        for is_light in (False, True):
            tab = browser.open((tmp_path / "wall.html").as_uri(), size=(1920, 1080), is_light=is_light)
            assert tab.eval("document.querySelectorAll('.tile').length") == count
            assert tab.eval("document.documentElement.scrollHeight") <= 1080
            cut = "[...document.querySelectorAll('.tile .name, .tile .word')].filter(x => x.scrollWidth > x.clientWidth)"
            assert tab.eval(f"{cut}.map(x => x.textContent)") == []
            assert (
                tab.eval("parseFloat(getComputedStyle(document.querySelector('.tile .name')).fontSize)") >= 13
            )
            tab.close()
