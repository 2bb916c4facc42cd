"""``companion replay``, ``export``, ``import`` and ``film``: games as files to read, without a window."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.covering import check_may_leave, views_of
from companion.adapters.game_pictures import add_picture, all_pictures, corrected_photos
from companion.cli import version
from companion.core.text import Say, Typed, several
from companion.pages.film.sections import evening_of, figures_csv
from companion.pages.film.story import story_markdown, story_text
from companion.pages.i18n import LANGUAGES, use_language
from companion.pages.report import report_html
from companion.pages.report_parts import ReportSource
from companion.pages.tryout import show_once
from companion.places import DEMO, HOME_HELP, default_data_folder
from companion.progress import working
from companion.session.errors import CopyError, JournalMissingError, SessionError
from companion.session.files import explain, scratch_folder, write_beside
from companion.session.journal import SUFFIX
from companion.session.pictures import pictures_of
from companion.session.portable import PORTABLE_SUFFIX, read_portable
from companion.session.replay import FileHost, Played, Player, report
from companion.session.shelf import ReadGame, Shelf
from companion.session.timesource import ManualTime
from vision.quiet import quiet

__all__ = [
    "main_export",
    "main_film",
    "main_import",
    "main_photo",
    "main_replay",
    "main_what_if",
]

_PARTLY = 3
"""Exit code: done, but of a damaged game or recording only what could be read."""


def main_replay(argv: Sequence[str]) -> int:
    """Play recorded commands through the writer and print where the game stands."""
    parser = argparse.ArgumentParser(
        prog="companion replay",
        description="Play a recording or an exported game without a window and print the final state.",
        epilog='A recording holds one input a line: {"at_ms": 0, "source": "touch", "actor": "table", '
        '"command": "StartGame", "args": {"game": "sfw96", "scenario": "italy", "options": {}}} and so on. '
        "Exit codes: 0 done, 1 not done, 3 played, but the file is not what its first line says: damaged or edited.",
    )
    parser.add_argument(
        "file", nargs="?", type=Path, help="JSON lines; the demo that comes with the app when left out"
    )
    parser.add_argument("--json", action="store_true", help="print the whole final state as JSON")
    _add_data(parser)
    args = parser.parse_args(argv)
    return _guarded("replay", lambda: _replay(args.file or DEMO, args.json, args.data))


def main_export(argv: Sequence[str]) -> int:
    """Write a saved game as one portable file."""
    parser = argparse.ArgumentParser(
        prog="companion export",
        description="Write a saved game as one text file that can be imported and replayed.",
        epilog="Saved games lie in FOLDER/games; their names have spaces, so quote them: "
        'companion export "2026-11-28 sfw96 italy" /media/stick. Exit codes: 0 done, 1 not done, 3 done, but the '
        "saved game is damaged and the file holds only what could be read of it.",
    )
    _add_game(parser)
    parser.add_argument(
        "to", type=Path, help="a folder (a stick; the file gets a free name there) or the new file's name"
    )
    parser.add_argument("--force", action="store_true", help="write over a file of that name")
    _add_home(parser)
    args = parser.parse_args(argv)

    def export() -> int:
        shelf = _shelf(args.home)
        path = _saved(shelf, args.game)
        if args.to.exists() and not args.to.is_dir() and not args.force:
            raise CopyError(
                Say("{file} already exists", file=Typed(str(args.to))),
                Say("choose another name, or overwrite it with --force"),
            )
        if args.to.suffix == SUFFIX and not args.to.is_dir():  # it would be one no more
            raise CopyError(
                Say("{file} is the name of a saved game, not of a portable file", file=Typed(str(args.to))),
                Say("choose another name, such as one that ends in {suffix}", suffix=Typed(PORTABLE_SUFFIX)),
            )
        read = shelf.read(path)
        check_may_leave(views_of(read.timeline))
        written, loss = shelf.export_entries(read.timeline.entries, read.codec, args.to, path.stem), read.loss
        print(written)
        return _ended(
            "export",
            loss,
            f"{written} holds only what could be read of the saved game, which is left as it is",
        )

    return _guarded("export", export)


def main_import(argv: Sequence[str]) -> int:
    """Take a portable file into the saved games."""
    parser = argparse.ArgumentParser(
        prog="companion import", description="Take an exported game into the saved games."
    )
    parser.add_argument("file", type=Path, help="a file that was written by Export")
    _add_home(parser)
    args = parser.parse_args(argv)

    def take() -> int:
        with working("companion import"):
            taken = _shelf(args.home).import_game(args.file, show_once)
        print(taken.path)
        if taken.told is not None:
            print(f"companion import: {taken.told}", file=sys.stderr)
        return 0

    return _guarded("import", take)


def main_film(argv: Sequence[str]) -> int:
    """Write a saved game as one page to watch and to read."""
    parser = argparse.ArgumentParser(
        prog="companion film",
        description="Write the film of a saved game: one HTML file that opens without network and without script, "
        "with every act, the battles, the luck and the story of the evening.",
        epilog="Exit codes: 0 done, 1 not done, 3 done, but the saved game is damaged and the film shows only what "
        "could be read of it.",
    )
    _add_game(parser)
    parser.add_argument("to", type=Path, help="a folder (a stick; the file gets a free name there)")
    parser.add_argument("--language", choices=tuple(LANGUAGES), default="en", help="default: %(default)s")
    parser.add_argument(
        "--decisions",
        action="store_true",
        help="with the three decisions on losses and retreats that cost most (Song for War, North Africa; slow; never of a tournament)",
    )
    parser.add_argument(
        "--texts", action="store_true", help="write the story (.txt, .md) and the figures (.csv) too"
    )
    _add_home(parser)
    args = parser.parse_args(argv)

    def film() -> int:
        use_language(args.language)
        shelf = _shelf(args.home)
        path = _saved(shelf, args.game)
        if not args.to.is_dir():
            raise CopyError(
                Say("there is no folder {folder}", folder=Typed(str(args.to))),
                Say("make it first, or name another"),
            )
        photos, written = args.home / "photos", list[Path]()
        try:
            with working("companion film"):
                read = shelf.read(path)
                written.extend(
                    _write_film(read, path, args.to, photos, texts=args.texts, decisions=args.decisions)
                )
        finally:
            for one in written:
                print(one)
        told = "the film holds only what could be read of the saved game, which is left as it is"
        return _ended("film", read.loss, told)

    return _guarded("film", film)


def main_photo(argv: Sequence[str]) -> int:
    """Keep a photo with an entry of a saved game."""
    parser = argparse.ArgumentParser(
        prog="companion photo",
        description="Keep a photo beside a saved game, shrunk, with one of its entries: its film and report show it.",
    )
    _add_game(parser)
    parser.add_argument("entry", type=int, help="number of the entry that the photo belongs to")
    parser.add_argument(
        "photo", type=Path, nargs="+", help="photos: JPEG, PNG, HEIC and what else the dice reader takes"
    )
    _add_home(parser)
    args = parser.parse_args(argv)

    def keep() -> int:
        shelf = _shelf(args.home)
        path = _saved(shelf, args.game)
        read = shelf.read(path)
        last = len(read.timeline.entries)
        if not 0 < args.entry <= last:
            raise CopyError(
                Say("{game} has no entry {n}", game=Typed(path.stem), n=args.entry),
                Say("its entries are 1 to {last}", last=last),
            )
        for photo in args.photo:
            with quiet():
                kept = add_picture(path, args.entry, photo)
            print(kept)
        return _ended("photo", read.loss)

    return _guarded("photo", keep)


def main_what_if(argv: Sequence[str]) -> int:
    """Copy a saved game up to an earlier act, to go on otherwise from there."""
    parser = argparse.ArgumentParser(
        prog="companion what-if",
        description="Copy a saved game up to an entry, that one included, as a new saved game that says what it was "
        "copied from. The original stays as it is.",
        epilog="The numbers of entries stand in the log of the report, in the film's addresses (#act-12) and in its "
        "figures.",
    )
    _add_game(parser)
    parser.add_argument("entry", type=int, help="number of the last entry to keep")
    _add_home(parser)
    args = parser.parse_args(argv)

    def copy() -> int:
        shelf = _shelf(args.home)
        path = _saved(shelf, args.game)
        read = shelf.read(path)
        check_may_leave(views_of(read.timeline), args.entry)
        print(shelf.branch(read, path.stem, args.entry, path=path))
        return _ended("what-if", read.loss)

    return _guarded("what-if", copy)


def _write_film(
    read: ReadGame, game: Path, folder: Path, photos: Path, *, texts: bool, decisions: bool
) -> Iterator[Path]:
    """Write the files of a film, each whole or not at all, and yield their names."""
    timeline = read.timeline
    seen = views_of(timeline).seen()
    change, entries = seen.change, seen.entries
    source = ReportSource(change, entries, timeline.counts, entries[-1].wall_ms)
    pictures = all_pictures(pictures_of(game), corrected_photos(photos, entries))
    page = report_html(
        change,
        entries,
        timeline.counts,
        entries[-1].wall_ms,
        loss=read.loss,
        pictures=pictures,
        with_decisions=decisions,
    )
    made = {".html": page}
    if texts:
        evening = evening_of(source)
        made[".txt"] = story_text(evening.story, evening.film)
        made[".md"] = story_markdown(evening.story, evening.film)
        made[".csv"] = figures_csv(evening.film)
    for suffix, text in made.items():
        yield write_beside(
            folder / f"{game.stem}{suffix}", text.encode("utf-8-sig" if suffix == ".csv" else "utf-8")
        )


def _add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game",
        type=Path,
        help=f"a saved game: its path, or its name in the data folder, with {SUFFIX} or without",
    )


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="a folder whose data files replace or add to the installed ones"
    )  # fmt: skip


def _add_home(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--home", type=Path, metavar="FOLDER", default=default_data_folder(), help=HOME_HELP
    )  # fmt: skip


def _saved(shelf: Shelf, named: Path) -> Path:
    """Return the saved game that was meant: by its path, or by its name on the shelf, with its ending or without."""
    if named.is_dir():
        return named  # reading it says what is wrong
    ended = named if named.suffix == SUFFIX else named.with_name(named.name + SUFFIX)
    candidates = (named, ended, shelf.folder / named, shelf.folder / ended)
    for path in candidates:
        if path.is_file():
            return path
    for path in candidates[1:]:
        if path.suffix == SUFFIX and path.is_dir():
            return path
    there = [f"{path.stem!r}" for path in sorted(shelf.folder.glob(f"*{SUFFIX}")) if path.is_file()]
    hint = (
        Say("games saved there: {names}", names=several(map(Typed, there), "comma"))
        if there
        else Say("none is saved there; --home names another folder")
    )
    raise JournalMissingError(
        Say("there is no saved game {file}", file=Typed(str(shelf.folder / ended.name))), hint
    )


def _shelf(home: Path) -> Shelf:
    return Shelf(home / "games", GameCatalogue(home / "data").rules_of, version())


def _ended(name: str, loss: Say | None, told: str = "the saved game is damaged") -> int:
    """Return how a command ended, and say so where something was lost."""
    if not loss:
        return 0
    print(f"companion {name}: {told}: {loss}", file=sys.stderr)
    return _PARTLY


def _guarded(name: str, work: Callable[[], int]) -> int:
    try:
        return work()
    except SessionError as fault:
        print(f"companion {name}: {fault}", file=sys.stderr)
    except OSError as fault:
        text, hint = explain(fault)
        where = f"{fault.filename}: " if fault.filename else ""
        print(f"companion {name}: {where}{text}{f'; {hint}' if hint else ''}", file=sys.stderr)
    return 1


def _replay(file: Path, as_json: bool, data: Path | None) -> int:
    catalogue, time = GameCatalogue(data), ManualTime()
    with scratch_folder() as folder:
        host = FileHost(folder, catalogue.rules_of, time, version())
        read = read_portable(file)
        player = Player(read, host, time, catalogue.rules_of, catalogue.make_setup)
        played: list[Played] = []
        with contextlib.closing(host):
            with working("companion replay", lambda: f"{len(played):,} of {len(read.lines):,} lines"):
                played.extend(player.play())
            if not played:
                print(f"companion replay: {file}: expected at least one line, got none", file=sys.stderr)
                return 1
            final = report(host.session(), played)
    if as_json:
        print(json.dumps(final, indent=2, ensure_ascii=False))
    else:
        for line in _text(final):
            print(line)
    return _ended(
        "replay", read.fault, "what stands in the file was played, but the file is damaged or was edited"
    )


def _text(final: dict[str, Any]) -> list[str]:
    position, log = final["position"], final["log"]
    lines = [
        f"{final['title']} ({final['game']}/{final['scenario']})",
        f"step {position['step']} ({position['index'] + 1} of {position['steps']})",
    ]
    for side, clock in final["clocks"].items():
        left = clock["remaining_ms"]
        rest = "" if left is None else f", {_minutes(left)} left"
        lines.append(f"{side}: {_minutes(clock['spent_ms'])} used{rest}")
    lines += [f"flag of {flag['side']} fell in stage {flag['stage']}" for flag in final["flags"]]
    if final["ending"] is not None:
        lines.append(f"over: winner {final['ending']['winner'] or 'none'}, {final['ending']['reason']}")
    lines.append(f"{log['entries']} entries, {log['counting']} count, {len(final['refused'])} inputs refused")
    return lines


def _minutes(ms: int) -> str:
    return f"{ms // 60_000}:{ms % 60_000 / 1000:06.3f}"
