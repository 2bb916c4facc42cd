"""The Home page: the game to resume, and the shelf of saved games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from companion.core.text import Say, Typed, several
from companion.pages.desk import SavedGame
from companion.pages.film.draft import FilmDraft
from companion.pages.labels import PLAYERS
from companion.pages.modules import game_view, modules
from companion.pages.new_game import NewGameDraft
from companion.pages.notices import without_file
from companion.pages.page import (
    Act,
    Acts,
    Block,
    Button,
    Clock,
    ClockAnchor,
    Clocks,
    Go,
    Head,
    Item,
    Mark,
    OnBox,
    Page,
    Picture,
    Rows,
    Shown,
    Side,
    Sides,
    Sight,
    Spot,
    Tiles,
    Words,
    asked,
    sure,
)
from companion.pages.parts import far_mark
from companion.pages.speak import sentence, speak
from companion.pages.steps import places
from companion.pages.times import wall, wall_brief

__all__ = ["home_page", "where"]

_BRIEF = 2
"""So many places of where a game stands are shown on a short line."""
_SHORT = 14
"""Letters of a game's name that the main button has room for."""
_READ_DICE = Go("dice", args={"back": ("home", {})})
"""Whatever lies there is read: no roll asks for any."""
_FLEET = (
    ("heavy_bomber", "allies", 0.24, 0.6),
    ("fighter", "axis", 0.66, 0.34),
    ("battleship", "allies", 0.6, 0.68),
    ("submarine", "axis", 0.8, 0.72),
    ("tank", "axis", 0.62, 0.9),
)
"""What lies on the chart that welcomes a table: symbol, colour, place from the top left corner."""


def home_page(sight: Sight) -> Shown:
    """Return the last game as a picture beside all others, newest first; what to begin with where there is none yet."""
    assert sight.desk is not None, "saved games lie with the desk"
    acts, games = Acts(), sight.desk.saved_games()
    new = Button(
        Say("New game"), acts.put("new", Go("new_game", NewGameDraft(games[0].game if games else ""))), "plus"
    )
    settings = Button(Say("Settings"), acts.put("settings", Go("settings")), "settings")
    help_ = Button(Say("Help"), acts.put("help", OnBox("help")), "help")
    if getattr(sight.desk, "can_restore", False):
        back = Item(
            "restore", Say("Undo: move to bin"), symbol="undo", act=acts.put("restore", OnBox("restore_game"))
        )
    else:
        back = None
    if not games:
        page = Page("home.first", Say("Home"), blocks=_welcome(acts, back), main=new, aside=(settings, help_))
        return Shown(page, acts)
    resume = next((game for game in games if not game.is_over and game.fault is None), None)
    is_open = sight.change is not None and sight.change.state.ending is None
    days = Counter(
        (game.title, wall_brief(game.saved_wall_ms, sight.wall_ms).split(" ")[0]) for game in games
    )
    rows = tuple(_row(game, sight.wall_ms, acts, days) for game in games if game is not resume)
    rows = rows if back is None else (back, *rows)
    empty = Say("Older games will appear here")
    is_watched = sight.box is not None and sight.box.phones.state.is_on
    tools = (
        Item(
            "phones", Say("Phones"), state="chosen" if is_watched else "plain",
            act=acts.put("phones", Go("phones")),
        ),
        Item("usb", Say("From USB"), act=acts.put("usb", OnBox("import_game"))),
        Item("players", Say("Players"), act=acts.put("players", Go("players"))),
        Item("dice", Say("Read dice"), act=acts.put("dice", _READ_DICE)),
    )  # fmt: skip
    shelf = Side(
        "shelf",
        Head("shelf", Say("Saved games"), tools=(replace(help_, title=Typed("")),)),
        (Rows("tools", tools, is_wide=False, columns=2), Rows("saved", rows, empty=empty)),
    )
    if resume is None and not is_open:
        blocks: tuple[Block, ...] = (Sides("home", (shelf,)),)
        return Shown(Page("home", Say("Home"), blocks=blocks, main=new, aside=(settings,)), acts)
    on = OnBox("open_game", {"path": resume.path}) if resume is not None else Go("table")
    is_short = resume is not None and len(resume.title) <= _SHORT
    title = Say("Resume {game}", game=_title(resume)) if resume is not None and is_short else Say("Resume")
    main = Button(title, acts.put("resume", on), "play")
    last = () if resume is None else (_last(resume, sight, acts),)
    page = Page(
        "home", Say("Home"), blocks=(Sides("home", (*last, shelf)),), main=main, aside=(new, settings)
    )
    return Shown(page, acts)


def _welcome(acts: Acts, back: Item | None) -> tuple[Block, ...]:
    """Return the chart with what can be done at once below it."""
    spots = tuple(
        Spot(x, y, Item(f"{kind}.{n}", Typed(""), mark=Mark("", tone), symbol=f"unit.{kind}"))
        for n, (kind, tone, x, y) in enumerate(_FLEET)
    )
    chart = Picture(
        "chart", "chart", spots, Say("Table Companion"),
        Say("Clocks, turns, battles and score. The board stays yours."),
    )  # fmt: skip
    tiles = [back] if back is not None else []
    for module in modules().values():
        if module.taster[0]:
            start = {"game": module.key, "scenario": module.taster[0], "options": {}, "pin": ""}
            act = acts.put("taster", OnBox("start_game", start))
            tiles.append(Item("taster", Say("Play at once"), Say(module.taster[1]), symbol="play", act=act))
            break
    tiles += [
        Item("tour", Say("Two-minute tour"), symbol="info", act=acts.put("tour", OnBox("tour"))),
        Item("dice", Say("Read dice"), symbol="dice", act=acts.put("dice", _READ_DICE)),
        Item("usb", Say("From USB"), symbol="save", act=acts.put("usb", OnBox("import_game"))),
    ]
    return (chart, Tiles("begin", tuple(tiles), columns=len(tiles)))


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


def _told(game: SavedGame) -> tuple[Words, ...]:
    """Return which game it is and who plays."""
    module = modules().get(game.game)
    title: tuple[Words, ...] = (Say(module.title),) if module is not None and module.title else ()
    given = (name.partition(": ")[0] for name in game.players)  # "Player 1: Germany, Italy" is no name either
    names = [name for name in given if name not in PLAYERS and name.split(" ")[0] not in _SIDES]
    return (*title, *((several(map(Typed, names), "comma"),) if names else ()))


_SIDES = ("Allies", "Axis")
"""Begin the names that games give their seats by themselves."""


def _last(game: SavedGame, sight: Sight, acts: Acts) -> Side:
    """Return the last game as a picture: what it is, where it stands, its clocks, and, while it is open, its score."""
    note = several((*_told(game), several(where(game), "dots")), "lines")
    chart = Picture("last", "chart", (), _title(game), note)
    clocks = tuple(
        Clock(
            side,
            far_mark(side),
            ClockAnchor(left, 0),
        )
        for side, left in game.remaining_ms.items()
        if left is not None
    )
    blocks: list[Block] = [chart]
    if clocks:
        blocks.append(Clocks("clocks", clocks, is_large=False))
    change = sight.change
    if change is not None and change.state.setup is not None:
        standing = game_view(change.state.frozen_setup.game).standing(change.state)
        if standing is not None and len(change.state.frozen_setup.sides) == 2:
            blocks.append(replace(standing.split, is_slim=True))
    more = Button(Say("More"), acts.put("more", _choices(game, sight.wall_ms)), "more")
    when = Typed(wall_brief(game.saved_wall_ms, sight.wall_ms))
    return Side("last", Head("last", Say("Last game"), when, tools=(more,)), tuple(blocks))


def _row(game: SavedGame, now_ms: int, acts: Acts, days: Mapping[tuple[str, str], int]) -> Item:
    told: tuple[Words, ...] = (*_told(game)[:1], *where(game)[:_BRIEF], *_told(game)[1:])
    module, when = modules().get(game.game), wall_brief(game.saved_wall_ms, now_ms)
    day = when.split(" ")[0]
    return Item(
        game.path.name,
        _title(game),
        several(where(game) if game.fault is not None else told, "dots"),
        value=Typed(day if days[game.title, day] == 1 else when),
        symbol=f"unit.{module.symbol}" if module is not None and module.symbol else "",
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
