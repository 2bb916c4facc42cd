"""``companion odds`` and ``companion battle``: a battle file from disk or standard input.

Exit codes: 0 done, 1 the battle was refused (the reasons are told), 2 the call itself was wrong.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from companion.core.plaintext import text_of
from companion.core.text import Name, Say, Typed
from companion.games.registry import games_by_key
from companion.odds.battle_file import BattleFileError, decode, known_as, wrong
from companion.odds.coaching import CHANCES, GOALS, Question
from companion.pages.i18n import LANGUAGES, speaking
from companion.pages.modules import BattleFiles, BattleTold
from companion.pages.speak import speak
from companion.progress import working
from companion.session.files import NotAFileError, explain, read_source

__all__ = ["main_battle", "main_odds"]

_MOST_BYTES = 8 << 20
"""Of a battle file: far more than the most units and dice take."""


def main_odds(argv: Sequence[str]) -> int:
    """Print the odds of a battle file."""
    parser = _parser("companion odds", "Work out the exact odds of a battle.")
    parser.add_argument("--seed", type=int, default=1, help="seed of the simulation of a battle too large")
    parser.add_argument("--top", type=int, default=12, help="outcomes to list without --json (default 12)")
    parser.add_argument(
        "--coach", choices=GOALS, metavar="GOAL", help=f"what is best for a goal: {', '.join(GOALS)}"
    )
    parser.add_argument(
        "--side", choices=("attacking", "defending"), help="whom to coach (default attacking)"
    )
    parser.add_argument(
        "--wanted", type=float, metavar="PERCENT", help="also the smallest force that reaches this chance"
    )
    args = parser.parse_args(argv)
    if args.coach is None and (args.side or args.wanted is not None):
        parser.error("--side and --wanted need --coach")
    if args.wanted is not None and (args.coach not in CHANCES or not 0 < args.wanted <= 100):
        parser.error(f"--wanted needs 0 to 100 and one of --coach {', '.join(CHANCES)}")

    def work(files: BattleFiles, battle: Any) -> BattleTold:
        if args.coach is None:
            return files.answer(battle, seed=args.seed, top=args.top)
        wanted = None if args.wanted is None else args.wanted / 100
        return files.coach(battle, Question(args.side or "attacking", args.coach, wanted))

    return _run(args, "companion odds", work)


def main_battle(argv: Sequence[str]) -> int:
    """Print who rolls what in a battle file, or play it through with the dice given."""
    parser = _parser("companion battle", "List the rolls of a battle, or play it with the dice given.")
    return _run(parser.parse_args(argv), "companion battle", lambda files, battle: files.play(battle))


def _battle_files() -> dict[str, BattleFiles]:
    """Return what reads the battle files of each game that has dice; the first one's needs no ``game``."""
    return {key: game.odds() for key, game in games_by_key().items() if game.odds is not None}


def _parser(prog: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description=description,
        epilog="\n".join(dict.fromkeys(files.keys for files in _battle_files().values())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="battle file, - for standard input")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--language", choices=tuple(LANGUAGES), default="en", help="default: %(default)s")
    return parser


def _content(file: str) -> str:
    """Return the text of a battle file, or of standard input for ``-``; a pipe serves too. OSError, NoTextError."""
    if file == "-":
        text = sys.stdin.read(_MOST_BYTES + 1).removeprefix("\ufeff")
        size = len(text)
    else:
        data = read_source(Path(file), _MOST_BYTES)
        size, text = len(data), "" if len(data) > _MOST_BYTES else text_of(data)
    if size > _MOST_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return text


def _run(args: argparse.Namespace, prog: str, work: Callable[[BattleFiles, Any], BattleTold]) -> int:
    with speaking(args.language):
        return _told(args, prog, work)


def _told(args: argparse.Namespace, prog: str, work: Callable[[BattleFiles, Any], BattleTold]) -> int:
    name = "standard input" if args.file == "-" else args.file
    try:
        text = _content(args.file)
    except (OSError, ValueError) as error:
        told = Say("{file}: {fault}", file=Typed(name), fault=_why(error))
        _refuse(prog, args, BattleFileError("unreadable_file", [told]))
        return 2
    known, game = _battle_files(), ""
    try:
        data = decode(text, name)
        named = data.get("game", next(iter(known)))
        if not isinstance(named, str) or named not in known:
            raise BattleFileError("unknown_game", [wrong(name, "game", known_as(known, named), named)])
        game = named
        with working(prog):
            found = work(known[game], known[game].read(data, name))
    except BattleFileError as error:
        _refuse(prog, args, error, game)
        if not error.missing:
            fix = Say(
                "Correct the file and try again. {help} explains every key.", help=Typed(f"{prog} --help")
            )
            print(f"{prog}: {speak(fix)}", file=sys.stderr)
        return 1
    if args.json:
        print(json.dumps(_spoken(found.data, game), indent=2, ensure_ascii=False))
    else:
        print("\n".join(_spoken(line, game) for line in found.lines))
    return 0


def _why(error: OSError | ValueError) -> Say | Typed:
    if not isinstance(error, OSError):
        return Typed(str(error))
    why, hint = explain(error)
    if isinstance(error, NotAFileError):
        why, hint = Typed(str(error.strerror)), Say("choose another file")
    return Say("{value}", value=why) if hint is None else Say("{what}; {next}", what=why, next=hint)


def _spoken(value: Any, game: str) -> Any:
    """Return plain data with the words of the game in it."""
    match value:
        case dict():
            return {key: _spoken(item, game) for key, item in value.items()}
        case list() | tuple():
            return [_spoken(item, game) for item in value]
        case Say() | Name() | Typed():
            return speak(value, game=game)
    return value


def _refuse(prog: str, args: argparse.Namespace, error: BattleFileError, game: str = "") -> None:
    """Tell what is wrong, with --json as an object too."""
    faults = _spoken(error.faults, game)
    for fault in faults:
        print(f"{prog}: {fault}", file=sys.stderr)
    if args.json:
        refusal: dict[str, Any] = {"code": error.code, "faults": faults}
        if error.missing:
            refusal["missing"] = list(error.missing)
        print(json.dumps({"error": refusal}, indent=2, ensure_ascii=False))
