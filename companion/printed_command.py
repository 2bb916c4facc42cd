"""``companion printed export`` and ``import``: the remembered printed values of a game as a file or a QR code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.printed_codes import code_for
from companion.core.text import Say, Typed, several
from companion.places import HOME_HELP, default_data_folder
from companion.session.errors import CopyError, SessionError
from companion.session.files import explain, write_whole
from companion.session.printed import PrintedValues
from companion.session.printed_code import PrintedCode, PrintedCodeError, written_code
from vision.folder import PHOTO_ENDINGS

__all__ = ["main_printed"]


def main_printed(argv: Sequence[str]) -> int:
    """Write the remembered values of a game, or take those of another box."""
    parser = argparse.ArgumentParser(
        prog="companion printed",
        description="Carry printed values from one box to another, as one file or as one QR code.",
        epilog="Exit codes: 0 done, 1 not done, with the reason.",
    )
    acts = parser.add_subparsers(dest="act", required=True)
    out = acts.add_parser("export", help="write the values of a game")
    out.add_argument("game", help="the game's key, such as sfw96")
    out.add_argument(
        "to", type=Path, help="a folder or a new file; a name that ends in .png gets the QR code"
    )
    out.add_argument("--force", action="store_true", help="write over a file of that name")
    taken = acts.add_parser("import", help="take the values of a file, or of a photo of a QR code")
    taken.add_argument("file", type=Path, help="a file that was exported, or a photo (.jpg, .png)")
    for part in (out, taken):
        part.add_argument(
            "--home", type=Path, default=default_data_folder(), metavar="FOLDER", help=HOME_HELP
        )
    args = parser.parse_args(argv)
    values = PrintedValues(args.home / "printed")
    try:
        print(
            _export(values, args.game, args.to, args.force)
            if args.act == "export"
            else _import(values, args.file)
        )
    except (SessionError, OSError, ValueError) as fault:
        why = (
            fault.say
            if isinstance(fault, SessionError)
            else explain(fault)[0]
            if isinstance(fault, OSError)
            else fault
        )
        print(f"companion printed: {why}", file=sys.stderr)
        return 1
    return 0


def _export(values: PrintedValues, game: str, to: Path, force: bool) -> Path:
    known = {info.game for info in GameCatalogue().scenarios()}
    if game not in known:
        names = several(map(Typed, sorted(known)), "or")
        raise PrintedCodeError(Say("There is no game {game}; choose {names}", game=Typed(game), names=names))
    if to.exists() and not to.is_dir() and not force:
        raise CopyError(
            Say("{file} already exists", file=Typed(str(to))),
            Say("choose another name, or overwrite it with --force"),
        )
    if to.suffix.lower() != ".png":
        return values.export(game, to)
    from vision.codes import code_png

    write_whole(to, code_png(written_code(PrintedCode(game, "", values.of(game)))))
    return to


def _import(values: PrintedValues, file: Path) -> str:
    if file.suffix.lower() not in PHOTO_ENDINGS:
        game, count = values.import_file(file)
    else:
        from vision.codes import read_qr
        from vision.errors import VisionError
        from vision.load import load_photo
        from vision.quiet import quiet

        try:
            with quiet():
                text = read_qr(load_photo(file))
        except VisionError as fault:
            raise PrintedCodeError(fault.say) from fault
        code = code_for(text, None, GameCatalogue().scenarios())
        values.take(code.game, code.values)
        game, count = code.game, len(code.values)
    return str(
        Say.counted(
            "{n} printed value of {game} was imported",
            "{n} printed values of {game} were imported",
            count,
            game=Typed(game),
        )
    )
