"""A player's evenings add up: games, results, luck over all of them, and names that the box keeps and forgets."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from evenings import change_of, sfw1, sfw96, tsu
from msgspec.structs import replace

from companion.odds import luck
from companion.pages import i18n
from companion.pages.desk import SavedGame, Watched
from companion.pages.film.draft import FilmDraft, PlayersDraft
from companion.pages.film.players import player_games, players_page, pooled_luck
from companion.pages.page import TABLE_VIEWER, Ask, Draft, Go, OnBox, Sight, act_ids
from companion.pages.player_names import kept_names, names_of, seated, seats_of, with_names
from companion.pages.speak import speak
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scene_data import installed_data
from companion.testing.sfw_evenings import SfwGame, setup


def _shelf(tmp_path: Path) -> MemoryDesk:
    """A box with three saved games, one of which nobody gave names."""
    saved = []
    games = {"new": sfw96(), "old": tsu(), "nameless": sfw1()}
    watched = {}
    for n, (name, desk) in enumerate(games.items()):
        path = tmp_path / f"{name}.tcgame"
        state = change_of(desk).state
        found = state.frozen_setup
        watched[path] = Watched(change_of(desk), desk.entries(), desk.counts)
        saved.append(
            SavedGame(
                path,
                found.game,
                found.scenario,
                found.title,
                state.step.id,
                1_795_000_000_000 - n,
                state.ending is not None,
            )
        )
    box = MemoryDesk(saved=tuple(saved), settings={"player_names": ["Ben", "Anna", "Cleo"]})
    box.watched.update(watched)
    return box


def test_the_evenings_of_all_named_players_are_found(tmp_path: Path) -> None:
    box = _shelf(tmp_path)
    games = player_games(box, box.saved_games())
    assert [(game.name, game.path.stem, game.result) for game in games] == [
        ("Anna", "new", "won"),
        ("Ben", "new", "lost"),
        ("Anna", "old", "open"),
        ("Ben", "old", "open"),
    ]
    for game in games:
        assert game.acts > 0
        assert (game.luck is None) == (game.path.stem == "old"), "a game without dice tells no luck"


def test_the_page_leads_to_a_player_and_to_the_film(tmp_path: Path) -> None:
    box = _shelf(tmp_path)
    shown = players_page(Sight(TABLE_VIEWER, None, None, None, box, 0))
    assert set(act_ids(shown.page)) <= set(shown.acts)
    act = shown.act("player.0")
    assert isinstance(act, Draft)
    assert act.change(PlayersDraft()) == PlayersDraft("Anna")
    own = players_page(Sight(TABLE_VIEWER, None, None, PlayersDraft("Anna"), box, 0))
    assert own.act("game.1") == Go(
        "film", FilmDraft(tmp_path / "old.tcgame", saved_wall_ms=1_795_000_000_000 - 1)
    )
    forget = own.act("forget")
    assert isinstance(forget, Ask)
    assert forget.answered({}) == OnBox("set", {"name": "player_names", "value": ["Ben", "Cleo"]})


def test_evenings_that_were_read_are_told_in_the_language_of_now(tmp_path: Path) -> None:
    box, said = _shelf(tmp_path), i18n.language()
    titles = []
    try:
        for code in ("en", "de"):
            i18n.use_language(code)
            (rows,) = players_page(Sight(TABLE_VIEWER, None, None, PlayersDraft("Anna"), box, 0)).page.blocks
            titles.append([speak(row.title) for row in rows.rows])  # type: ignore[union-attr]
    finally:
        i18n.use_language(said)
    english, german = titles
    assert all(one != other for one, other in zip(english, german, strict=True))
    assert all(", A" in title for title in german)


def test_a_box_without_names_says_where_they_come_from() -> None:
    shown = players_page(Sight(TABLE_VIEWER, None, None, None, MemoryDesk(), 0))
    (rows,) = shown.page.blocks
    assert "New game" in str(rows.empty)  # type: ignore[union-attr]


def test_luck_over_several_evenings_is_that_of_all_their_dice() -> None:
    chance = random.Random(2)
    from companion.games.sfw.pages.film import SongForWarFilm
    from companion.pages.report_parts import ReportSource

    rows = [
        row
        for desk in (sfw96(), sfw1())
        for row in SongForWarFilm()
        .luck(ReportSource(change_of(desk), desk.entries(), desk.counts, 0), is_brief=True)
        .rows
        if row.scope == "evening" and row.side == "allies"
    ]
    assert {row.group for row in rows} == {"hits"}
    told = pooled_luck(rows)
    actual = sum(row.actual for row in rows)
    found = [
        sum(chance.choices(range(len(row.shares)), row.shares)[0] for row in rows) for _run in range(20_000)
    ]
    share = (sum(one < actual for one in found) + sum(one == actual for one in found) / 2) / len(found)
    assert told == pytest.approx(share, abs=0.015)
    whole = luck.total(luck.of_table(dict(enumerate(row.shares))) for row in rows)
    assert told == pytest.approx(luck.luckier_than(whole, actual, more_is_lucky=True))
    assert pooled_luck(()) is None


def test_names_are_kept_used_last_first_and_never_the_given_ones() -> None:
    named = setup("italy", {"seats": ["Anna", "Ben"]})
    assert names_of(named) == ("Anna", "Ben")
    assert names_of(setup("italy", {})) == ()
    assert with_names(("Cleo", "Ben"), named) == ("Anna", "Ben", "Cleo")
    assert len(with_names(tuple(f"P{n}" for n in range(90)), named)) == 40
    assert kept_names({"player_names": ["Anna", 3, None]}) == ("Anna",)
    assert kept_names({"player_names": "Anna"}) == ()
    assert kept_names({}) == ()


def test_names_are_told_from_what_a_game_gives_with_them() -> None:
    """North Africa stores what a seat plays behind its name, the commander game names seats that nobody named."""
    from companion.games.aana.rules.new_game import AanaFamily

    family = AanaFamily()
    three = {"players": 3, "seats": ["Anna", "Player 2", "Ben: the second"]}
    found = family.make_setup(installed_data(family), "rommel", three)
    assert names_of(found) == ("Anna", "Ben: the second")
    assert [seated(found, info) for info in found.sides] == [("Anna",), ("Ben: the second",)]
    with i18n.speaking("de"):
        told = [str(seat) for info in found.sides for seat in seats_of(found, info)]
    assert told == [
        "Anna: Deutschland, Vichy-Frankreich",
        "Spieler 2: Italien",
        "Ben: the second: Vereinigtes Königreich, Vereinigte Staaten, Freies Frankreich",
    ]
    for strange in (
        5,
        [5],
        [{"player": 1}],
        [{"player": "Anna", "side": "axis", "plays": 2}],
        {"a": "b"},
        [],
    ):
        foreign = replace(found, options={"seats": strange})
        assert [str(seat) for info in foreign.sides for seat in seats_of(foreign, info)] == [
            seat for info in found.sides for seat in info.seats
        ]
    commanders = setup("apr43", {"commander": True})
    assert len(commanders.sides[0].seats) == 3
    assert names_of(commanders) == ()


def test_new_game_completes_a_name_by_a_tap() -> None:
    from companion.games.sfw.rules.new_game import SfwFamily
    from companion.pages.new_game import NewGameDraft, new_game_page
    from companion.testing.scene_data import installed_data

    info = SfwFamily().info(installed_data(SfwFamily()), "italy")
    box = MemoryDesk(scenarios=(info,), settings={"player_names": ["Anna", "Ben"]})
    box.offer("sfw96", "italy", lambda options: setup("italy", options))
    draft = NewGameDraft(info.game, info.scenario, "options")
    shown = new_game_page(Sight(TABLE_VIEWER, None, None, draft, box, 0))
    asks = [act for act in shown.acts.values() if isinstance(act, Ask) and act.form.fields[0].kind == "text"]
    assert asks
    assert [str(one.title) for one in asks[0].form.fields[0].options] == ["Anna", "Ben"]
    assert SfwGame("italy").desk.change is not None
