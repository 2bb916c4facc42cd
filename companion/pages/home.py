"""The Home page: the game to resume, and the shelf of saved games."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.text import Say, Typed, Value, several
from companion.pages.desk import SavedGame
from companion.pages.film.draft import FilmDraft
from companion.pages.new_game import NewGameDraft
from companion.pages.notices import without_file
from companion.pages.page import (
    Act,
    Acts,
    Button,
    Go,
    Head,
    Item,
    Notice,
    OnBox,
    Page,
    Rows,
    Shown,
    Sight,
    Words,
    asked,
    sure,
)
from companion.pages.speak import sentence, speak
from companion.pages.steps import places
from companion.pages.times import countdown, wall, wall_brief

__all__ = ["home_page", "where"]

_BRIEF = 3
"""So many places of where a game stands are shown on a short line: all but the act."""


def home_page(sight: Sight) -> Shown:
    """Return the newest game that can go on, and below it all others, newest first."""
    assert sight.desk is not None, "saved games lie with the desk"
    acts, games = Acts(), sight.desk.saved_games()
    resume = next((game for game in games if not game.is_over and game.fault is None), None)
    change = sight.change
    is_open = change is not None and change.state.ending is None
    main = Button(Say("New game"), acts.put("new", Go("new_game", NewGameDraft())), "plus")
    aside = [Button(Say("Settings"), acts.put("settings", Go("settings")), "settings")]
    if resume is not None or is_open:
        aside.insert(0, main)
        on = OnBox("open_game", {"path": resume.path}) if resume is not None else Go("table")
        main = Button(Say("Resume"), acts.put("resume", on), "play")
    rows = tuple(_row(game, sight.wall_ms, acts) for game in games if game is not resume)
    empty = Say("Older games will appear here") if resume is not None else Say("No saved games yet")
    usb = Button(Say("From USB"), acts.put("usb", OnBox("import_game")), "save")
    is_watched = sight.box is not None and sight.box.phones.state.is_on
    phones = Button(Say("Phones"), acts.put("phones", Go("phones")), "eye", is_on=is_watched or None)
    players = Button(Say("Players"), acts.put("players", Go("players")), "trophy")
    blocks = (
        _last(resume, sight.wall_ms, acts),
        Head("shelf", Say("Saved games"), tools=(players, phones, usb)),
        Rows("saved", rows, empty=empty, is_wide=False),
    )
    return Shown(Page("home", Say("Home"), blocks=blocks, main=main, aside=tuple(aside)), acts)


def where(game: SavedGame) -> tuple[Words, ...]:
    """Return where a game stands, from the outside inward, read from its step's id, without opening it."""
    if game.fault is not None:
        return (Say("Cannot be opened · Why?"),)
    if game.is_over:
        return (Say("Game over"),)
    # Each in the words of its own game, of which none is open.
    return tuple(Typed(speak(one, game=game.game)) for one in places(game.game, game.step))


def _title(game: SavedGame) -> Words:
    if not game.scenario:
        return Typed(game.title)  # it is the file's own name
    return Say("What if: {title}", title=Say(game.title)) if game.what_if else Say(game.title)


def _clocks(game: SavedGame) -> Iterator[Words]:
    for side, left in game.remaining_ms.items():
        if left is not None:
            name = Typed(speak(next(iter(places(game.game, side))), game=game.game))
            yield Say("{side} {time}", side=name, time=Typed(countdown(left)))


def _last(game: SavedGame | None, now_ms: int, acts: Acts) -> Notice:
    if game is None:
        return Notice("last", Say("No game is waiting"), Say("Start one with the button below."))
    saved = Say("Saved {when}", when=Typed(wall(game.saved_wall_ms, now_ms)))
    told = several((*where(game), *_clocks(game), saved), "dots")
    more = Button(Say("More"), acts.put("more", _choices(game, now_ms)), "more")
    return Notice("last", _title(game), told, acts=(more,))


def _row(game: SavedGame, now_ms: int, acts: Acts) -> Item:
    when = Typed(wall_brief(game.saved_wall_ms, now_ms))
    told: tuple[Value, ...] = (*where(game)[:_BRIEF], when)
    return Item(
        game.path.name,
        _title(game),
        several(told, "dots"),
        state="danger" if game.fault is not None else "plain",
        act=acts.put(f"game.{game.path.name}", _choices(game, now_ms)),
        may_shorten=True,
    )


def _choices(game: SavedGame, now_ms: int) -> Act:
    """Return what can be done with a game; with one that cannot be opened, what can still be done with its file."""
    ways: dict[str, tuple[Words, Act]] = {
        "open": (Say("Open"), OnBox("open_game", {"path": game.path})),
        "watch": (
            Say("Watch this evening"),
            Go("film", FilmDraft(game.path, saved_wall_ms=game.saved_wall_ms)),
        ),
        "export": (Say("Copy to a USB stick"), OnBox("export_game", {"path": game.path})),
        "delete": (Say("Move to bin"), _delete(game)),
    }
    told: Words = several((*where(game), Typed(wall(game.saved_wall_ms, now_ms))), "dots")
    if game.fault is not None:
        del ways["open"], ways["watch"]
        why = Typed(f"{sentence(without_file(game.fault)).rstrip('.')}.")
        told = several((why, Say("Copying to a stick or moving to the bin loses nothing.")), "sentences")
    options = tuple(Item(key, words) for key, (words, _act) in ways.items())
    return asked("game", _title(game), options, lambda key: ways[key][1], sub=told, is_wide=False)


def _delete(game: SavedGame) -> Act:
    return sure(
        Say("Move this game to the bin?"),
        OnBox("delete_game", {"path": game.path}),
        sub=Say(
            "{title}, {where}. You can get it back from the bin folder.",
            title=_title(game),
            where=several(where(game), "dots"),
        ),
        yes=Say("Move to bin"),
        is_danger=True,
    )
