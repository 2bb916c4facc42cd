"""The renderer of pages in a real window: what compares equal keeps its widget, quick taps count, every kind of block is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from companion.core.text import N_, Say, Typed
from companion.games.tsu.pages.draft import StarsDraft
from companion.games.tsu.rules.state import slice_of
from companion.pages import page as pg
from companion.pages.plots import Bin, Distribution
from companion.testing import harness, scenes, scenes_med, scenes_tsu  # noqa: F401 - it adds its scenes
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import dangling
from companion.testing.sample import sample_setup
from companion.ui import registry
from companion.ui.render.items import ItemRow, ItemTile, KeyLine
from companion.ui.render.screen import PageScreen

SHELL = ("log", "more", "charts-time", "printed")
OURS = [
    key
    for key, scene in scenes.SCENES.items()
    if key in SHELL or (key.startswith(("tsu-", "med-")) and scene.is_screen and scene.screen != "table")
]


def rows(laid: Laid) -> set[str]:
    return {w.text for w in laid.walk() if isinstance(w, ItemRow)}


def tiles(laid: Laid) -> dict[str, Any]:
    return {w.item.key: w for w in laid.walk() if isinstance(w, ItemTile)}


def tile(laid: Laid, key: str) -> Any:
    return next(w for w in laid.walk() if isinstance(w, ItemTile) and w.item.key == key)


def boxes() -> Laid:
    laid = scenes.open_scene("tsu-stars-replace", size=(800, 480))
    laid.root.go("tsu_stars", draft=StarsDraft("box", "britain"))
    laid.settle()
    return laid


def test_what_compares_equal_keeps_its_widget_and_so_does_what_was_tapped() -> None:
    laid = boxes()
    before, block = tiles(laid), laid.root.screen.sheet.stack.widget_of("box")
    parts = {name: list(widget.walk(restrict=True)) for name, widget in before.items()}
    laid.tap(before["infantry"])
    after = tiles(laid)
    assert after.keys() == before.keys()
    assert all(after[name] is widget for name, widget in before.items())
    assert {name: list(widget.walk(restrict=True)) for name, widget in after.items()} == parts
    assert laid.root.screen.sheet.stack.widget_of("box") is block
    assert after["infantry"].item.facet.count == 3


def test_ten_quick_taps_on_a_counter_count_ten() -> None:
    laid = boxes()
    where = tile(laid, "panzer")
    for _n in range(10):
        laid.tap(where, settle=False)
    assert slice_of(laid.desk.change.state).boxes["britain"]["panzer"] == 11
    laid.settle()
    assert laid.faults() == []


def test_a_draft_counts_quick_taps_too_and_outlives_the_screen() -> None:
    laid = scenes.open_scene("tsu-attack-supply", size=(800, 480))
    where = tile(laid, "britain.supply")
    for _n in range(3):
        laid.tap(where, settle=False)
    laid.settle()
    assert tile(laid, "britain.supply").item.facet.count == 3
    laid.root.go("table")
    laid.settle()
    laid.root.go("tsu_attack")
    laid.settle()
    assert tile(laid, "britain.supply").item.facet.count == 3


def test_a_screen_that_is_built_again_shows_what_was_entered_since() -> None:
    laid = boxes()
    laid.tap(laid.find(text="Replace"))
    assert laid.root.screen.page.tab == "replace"
    laid.root.set("theme", "day")
    laid.settle()
    assert laid.root.screen.page.tab == "replace"


@pytest.mark.parametrize("key", OURS)
def test_every_act_of_a_page_leads_somewhere_and_nothing_is_cut(key: str) -> None:
    laid = scenes.open_scene(key, size=(800, 480))
    screen = laid.root.screen
    assert isinstance(screen, PageScreen)
    for tab in screen.page.tabs:
        assert tab.act is not None
        screen.press(tab.act, None)
        laid.settle()
        assert dangling(screen.shown) == []
        assert laid.faults() == [], tab.key


def test_a_second_page_is_reached_by_key_by_swipe_and_by_arrow() -> None:
    laid = scenes.open_scene("aana-units", size=(800, 480))
    sheet, tab = laid.root.screen.sheet, laid.root.screen.page.tab
    first = rows(laid)
    finger = laid.press((600, 220))
    laid.move(finger, 300, 222)
    laid.lift(finger)
    laid.settle()
    assert sheet.page == 1
    assert first.isdisjoint(rows(laid))
    assert laid.root.screen.page.tab == tab, "a swipe opens nothing"
    laid.root.screen.on_key("left", None)
    laid.settle()
    assert rows(laid) == first
    laid.tap(laid.find(icon="forward"))
    assert sheet.page == 1
    assert sheet.pages > 1
    assert laid.has(f"2/{sheet.pages}")


def test_no_page_is_turned_for_what_a_slightly_tighter_grid_holds() -> None:
    laid = scenes.open_scene("tsu-calendar-seasons", size=(800, 480))
    assert laid.root.screen.sheet.pages == 1, "all 21 seasons"
    laid = scenes.open_scene("new-game", size=(800, 480), text_step=2)
    assert laid.root.screen.sheet.pages == 1


@dataclass(frozen=True, slots=True)
class _Count:
    n: int = 0


def _put(n: int) -> pg.Draft[_Count]:
    return pg.Draft(lambda d: replace(d, n=n), _Count())


def _everything(sight: pg.Sight) -> pg.Shown:
    acts, count = pg.Acts(), sight.entered(_Count())
    more = acts.put("more", pg.Draft(lambda d: replace(d, n=d.n + 1), _Count()))
    less = acts.put("less", pg.Draft(lambda d: replace(d, n=d.n - 1), _Count()))
    no = acts.put("no", pg.Refuse(Say("This is only shown.")))
    allies, axis = pg.Mark("circle", "allies", Say("Allies")), pg.Mark("square", "axis", Say("Axis"))
    tile = pg.Item("tank", Typed("Tank"), symbol="units", mark=allies, facet=pg.Counter(count.n, less, more))
    tiles = pg.Tiles(
        "tiles", (tile, *(pg.Item(f"t{n}", Typed(f"Kind {n}"), value=n, act=no) for n in range(3)))
    )
    keys = pg.Keys(
        tuple(
            pg.Item(str(n), n, state="chosen" if n == count.n else "plain", act=acts.put(f"key.{n}", _put(n)))
            for n in (1, 2, 3)
        )
    )
    rows_x = pg.Rows(
        "rows",
        (pg.Item("keys", Typed("Years"), facet=keys), pg.Item("x", Typed("Panzer"), value=2, mark=axis)),
    )
    cells = tuple(pg.Cell(str(n), n, "done" if n < 3 else "now" if n == 3 else "next") for n in range(1, 8))
    blocks: dict[str, tuple[pg.Block, ...]] = {
        "a": (
            pg.Strip("strip", cells),
            pg.Pad("pad", tuple(pg.Item(str(n), n, act=no) for n in range(1, 13)), entered=Say("Die 3")),
        ),
        "b": (
            pg.Sides(
                "sides",
                (
                    pg.Side("l", pg.Head("l", Say("Allies"), Say("attack"), 3, allies), (tiles,)),
                    pg.Side("r", pg.Head("r", Say("Axis"), Say("defend"), 2, axis), (rows_x,)),
                ),
            ),
            pg.Split(
                "split",
                (pg.Part("a", 4, 4, Say("attack"), allies), pg.Part("d", 3, 3, Say("defence"), axis)),
                note=Say("Wins by 1"),
                state="ok",
            ),
        ),
        "c": (
            pg.Notice(
                "notice",
                Say("The table has not answered"),
                Say("Two supplies are needed"),
                acts=(pg.Button(Say("Give"), no),),
            ),
            pg.Clocks(
                "clocks",
                (
                    pg.Clock("a", allies, pg.ClockAnchor(65_000, _NOW_MS, True)),
                    pg.Clock("x", axis, pg.ClockAnchor(71_000, _NOW_MS)),
                ),
            ),
        ),
        "d": (
            pg.Choices(
                "wide",
                (pg.Item("one", Say("Retreat"), Say("one area"), act=no, facet=pg.Pick(True)),),
                "one",
                is_wide=True,
            ),
            pg.Picture(
                "map", "coast", (pg.Spot(0.5, 0.5, pg.Item("malta", Typed("Malta"), mark=allies, act=no)),)
            ),
        ),
        "e": (
            pg.Banner("banner", Say("United States rolls"), value=Typed("9+"), unit=Say("hits"), mark=allies),
            pg.Dice(
                "dice",
                (
                    pg.Die("1", 12, 11, state="hit"),
                    pg.Die("2", 12, 4, state="miss"),
                    pg.Die("3", 12, state="unsure"),
                ),
            ),
        ),
        "f": (
            pg.Choices(
                "choices", (pg.Item("one", Say("Land"), act=no), pg.Item("two", Say("Sea"), act=no)), "one"
            ),
            pg.Plot("plot", Distribution((Bin("0", 0.2), Bin("1", 0.8)), tone="allies")),
        ),
    }
    page = pg.Page(
        "everything",
        Say("Everything"),
        tabs=tuple(pg.Item(key, Typed(key.upper()), act=no) for key in blocks),
        tab="a",
        tools=(pg.Button(Say("Remove from board"), no, "minus"),),
        blocks=blocks[_AT],
        main=pg.Button(Say("Begin: {n} against {m}", n=count.n, m=5), no),
        second=pg.Button(Say("Roll for us"), no, "dice"),
    )
    return pg.Shown(page, acts)


_AT = "a"
_NOW_MS = 0


@pytest.mark.parametrize("size", harness.SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("at", ["a", "b", "c", "d", "e", "f"])
def test_every_kind_of_block_is_drawn_without_a_fault(
    at: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = pg.ScreenEntry(key="everything", title=N_("Log"), icon="log", make=lambda: _everything)
    monkeypatch.setattr(registry, "SHARED", (*registry.SHARED, entry))
    monkeypatch.setattr(f"{__name__}._AT", at)
    desk = MemoryDesk(sample_setup())
    monkeypatch.setattr(f"{__name__}._NOW_MS", desk.now_ms())
    laid = harness.lay(desk, screen="everything", size=size)
    screen = laid.root.screen
    assert dangling(screen.shown) == []
    assert screen.main_text == "Begin: 0 against 5"
    assert laid.faults() == []
    if at == "b":
        laid.tap(laid.find(text="Tank"))
        assert screen.main_text == "Begin: 1 against 5"
        laid.tap(laid.find(cls=KeyLine)._plates["3"])
        assert screen.main_text == "Begin: 3 against 5"
        assert laid.find(cls=KeyLine)._plates["3"].kind == "chosen"
        assert laid.faults() == []
    if at == "c":
        assert [digits.text for digits in screen.moving] == ["01:05", "01:11"]
        laid.pass_ms(3_000)
        assert [digits.text for digits in screen.moving] == ["01:02", "01:11"]
    laid.tap(laid.find(text="Roll for us"))
    assert laid.has("This is only shown.")
