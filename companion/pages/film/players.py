"""Players over all saved evenings: games, results, luck and time per action, from the games that lie on this box."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from companion.core.text import Duration, Say, Share, Typed, Value, several
from companion.pages.desk import Desk, SavedGame
from companion.pages.film.draft import FilmDraft, PlayersDraft
from companion.pages.film.fold import film_game, film_of
from companion.pages.film.telling import LuckRow
from companion.pages.page import Acts, Button, Draft, Go, Item, OnBox, Page, Rows, Shown, Sight, sure
from companion.pages.parts import way_back
from companion.pages.player_names import SETTING, kept_names, names_of, seated
from companion.pages.report_parts import ReportSource
from companion.pages.times import wall

__all__ = ["PlayerGame", "player_games", "players_page", "pooled_luck"]


class PlayerGame(NamedTuple):
    """One evening of one player."""

    name: str
    path: Path
    title: str
    """The scenario's, before it is translated: an evening is read once, whichever language is looked at later."""
    saved_wall_ms: int
    side: str
    """The side's name, before it is translated."""
    result: str
    """``won``, ``lost``, ``draw`` or ``open``."""
    acts: int
    """Actions of the side."""
    used_ms: int
    """Time that the side used; 0 in a game without clocks."""
    luck: LuckRow | None
    """Hits of the whole evening; None where no luck is told."""


_RESULTS: dict[str, Say] = {
    "won": Say("won"),
    "lost": Say("lost"),
    "draw": Say("a draw"),
    "open": Say("not over"),
}

_READ: dict[tuple[Path, int], tuple[PlayerGame, ...]] = {}
"""Evenings that were read, by file and time of saving: a saved game does not change by itself."""
_MOST_READ = 500


def player_games(desk: Desk, saved: Iterable[SavedGame]) -> tuple[PlayerGame, ...]:
    """Return every named player's evenings, newest first; games that cannot be read are left out. Slow."""
    found: list[PlayerGame] = []
    for game in saved:
        if game.fault is not None:
            continue
        key = (game.path, game.saved_wall_ms)
        if key not in _READ:
            if len(_READ) >= _MOST_READ:
                _READ.clear()
            _READ[key] = _read(desk, game)
        found += _READ[key]
    return tuple(found)


def _read(desk: Desk, game: SavedGame) -> tuple[PlayerGame, ...]:
    read = desk.watch(game.path)
    if isinstance(read, Say):
        return ()
    state = read.change.state
    setup = state.frozen_setup
    if not names_of(setup):
        return ()
    source = ReportSource(read.change, read.entries, read.counts, game.saved_wall_ms)
    film = film_of(source)
    rows = film_game(setup.game).luck(source, is_brief=True).rows
    luck = {row.side: row for row in rows if row.scope == "evening" and row.group == "hits"}
    found = []
    for n, info in enumerate(setup.sides):
        end = state.ending
        result = (
            "open"
            if end is None
            else "draw"
            if end.winner is None
            else "won"
            if end.winner == info.id
            else "lost"
        )
        acts = [act for act in film.acts if act.by == info.id and not act.is_small]
        used = film.acts[-1].sides[n].spent_ms if film.acts else 0
        found += [
            PlayerGame(
                name,
                game.path,
                setup.title,
                game.saved_wall_ms,
                info.name,
                result,
                len(acts),
                used,
                luck.get(info.id),
            )
            for name in seated(setup, info)
        ]
    return tuple(found)


def pooled_luck(rows: Iterable[LuckRow]) -> float | None:
    """Return which share of all such series of evenings is less lucky, half of the equal ones included; None of none.

    Hits of different evenings are independent, so their sum is the convolution of their exact distributions.
    """
    import numpy as np  # not at a table, which looks at its own evening

    shares, actual, is_any = np.ones(1), 0, False
    for row in rows:
        shares = np.convolve(shares, np.array(row.shares))
        actual, is_any = actual + row.actual, True
    if not is_any:
        return None
    equal = float(shares[actual]) if actual < len(shares) else 0.0
    return min(1.0, max(0.0, float(shares[:actual].sum()) + equal / 2))


# The page


def players_page(sight: Sight) -> Shown:
    """Return all players with their evenings in figures, or one player's evenings."""
    assert sight.desk is not None, "saved games lie with the desk"
    desk, acts = sight.desk, Acts()
    saved = desk.saved_games()
    key = ("players", tuple((game.path, game.saved_wall_ms) for game in saved))
    games = sight.work(key, lambda: player_games(desk, saved))
    name = sight.entered(PlayersDraft()).name
    if games is None:
        empty = Say.counted("Reading {n} saved game", "Reading {n} saved games", len(saved))
        return Shown(
            Page(
                "players.wait",
                Say("Players"),
                blocks=(Rows("players", (), empty=empty),),
                main=way_back(acts),
            ),
            acts,
        )
    own = [game for game in games if game.name == name]
    return _one(sight, acts, name, own) if own else _all(acts, games)


def _show(name: str) -> Draft[PlayersDraft]:
    return Draft(lambda _draft: PlayersDraft(name), PlayersDraft())


def _all(acts: Acts, games: tuple[PlayerGame, ...]) -> Shown:
    names = dict.fromkeys(game.name for game in games)
    rows = tuple(
        Item(
            f"player.{n}",
            Typed(name),
            several(_figures([game for game in games if game.name == name]), "dots"),
            act=acts.put(f"player.{n}", _show(name)),
        )
        for n, name in enumerate(names)
    )
    empty = Say("No saved game has names of players. Enter them under New game.")
    blocks = (Rows("players", rows, empty=empty),)
    return Shown(Page("players", Say("Players"), blocks=blocks, main=way_back(acts)), acts)


def _one(sight: Sight, acts: Acts, name: str, games: list[PlayerGame]) -> Shown:
    rows = tuple(
        Item(
            f"game.{n}",
            several((Say(game.title), Say(game.side)), "comma"),
            several(_told(game), "dots"),
            value=_RESULTS[game.result],
            act=acts.put(f"game.{n}", Go("film", FilmDraft(game.path, saved_wall_ms=game.saved_wall_ms))),
        )
        for n, game in enumerate(games)
    )
    back = acts.put("back", _show(""))
    tools: tuple[Button, ...] = ()
    kept = kept_names(sight.desk.settings()) if sight.desk is not None else ()
    if name in kept:
        forget = sure(
            Say("Forget this name?"),
            OnBox("set", {"name": SETTING, "value": [one for one in kept if one != name]}),
            sub=Say("It is no longer offered under New game. Saved games keep it until they are deleted."),
            yes=Say("Forget"),
        )
        tools = (Button(Say("Forget this name"), acts.put("forget", forget)),)
    page = Page(
        "players.one",
        Typed(name),
        several((Typed(name), *_figures(games)), "dots"),
        tools=tools,
        blocks=(Rows("games", rows),),
        main=Button(Say("All players"), acts.put("all", _show(""))),
        back=back,
    )
    return Shown(page, acts)


def _figures(games: list[PlayerGame]) -> list[Value]:
    """Return a player's figures: games, won ones, luck over all of them, time per action."""
    told: list[Value] = [Say.counted("{n} game", "{n} games", len(games))]
    told.append(Say("{n} won", n=sum(game.result == "won" for game in games)))
    luck = pooled_luck(game.luck for game in games if game.luck is not None)
    if luck is not None:
        told.append(Say("luckier than {share}", share=Share(luck)))
    timed = [game for game in games if game.used_ms and game.acts]
    if timed:
        each = sum(game.used_ms for game in timed) // sum(game.acts for game in timed)
        told.append(Say("{time} per action", time=Duration(each)))
    return told


def _told(game: PlayerGame) -> list[Value]:
    told: list[Value] = [Typed(wall(game.saved_wall_ms, 0).partition(" ")[0])]
    if game.luck is not None:
        told.append(Say("luckier than {share}", share=Share(game.luck.luckier_than)))
    if game.used_ms and game.acts:
        told.append(Say("{time} per action", time=Duration(game.used_ms // game.acts)))
    return told
