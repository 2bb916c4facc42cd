"""What ``companion hall`` does with tables that report by themselves: cards, running the hall, enrolling a box, checking, simulating.

Exit codes as everywhere: 0 done, 1 it could not be done and one line says why, 2 the call itself was wrong, 3 done with what
could be read, or done and something differs.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from companion.hall.errors import HallError
from companion.hall.typed import amount_in, figure_in, whole_in
from companion.hall_take import codes_in_photo
from vision.quiet import quiet

__all__ = ["SLOW", "add_commands", "check_logs", "whole"]

_PARTLY = 3
Work = Callable[[argparse.Namespace], int]


def add_commands(commands: Any) -> None:
    """Add the commands to the parser of ``companion hall``."""
    table = commands.add_parser(
        "table", help="cards of tables that report by themselves", description="Cards of tables."
    )
    kinds = table.add_subparsers(required=True, metavar="WHAT")
    for name, work, text in (
        ("add", _add, "make cards for tables, each with a secret for one use"),
        ("list", _list, "list the tables and how they stand"),
        ("confirm", _confirm, "let a box in that shows its card"),
        ("retire", _retire, "shut a table out"),
    ):
        one = kinds.add_parser(name, help=text, description=text)
        one.add_argument("folder", type=Path, metavar="FOLDER")
        one.set_defaults(work=work)
        if name != "list":
            one.add_argument("tables", nargs="+", metavar="ID", help="such as 17, or 1..40")
        if name == "add":
            one.add_argument("--address", help="where tables call this hall: IP or IP:PORT (8883)")
            one.add_argument("--out", type=Path, help="write the cards as one page to print")
        one.add_argument("--json", action="store_true")
    rights = commands.add_parser(
        "rights",
        help="make files of users and rights for the venue's broker, so that each table has its own",
        description="Make the files that a venue adds to its mosquitto; cards made afterwards carry each table's own user.",
    )
    rights.add_argument("folder", type=Path, metavar="FOLDER")
    rights.add_argument("tables", nargs="+", metavar="ID", help="such as 17, or 1..40")
    rights.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the files are written")
    rights.set_defaults(work=_rights)
    enrol = commands.add_parser(
        "enrol", help="put this box into a hall with its card", description="Put this box into a hall."
    )
    enrol.add_argument(
        "card", metavar="CODE|FILE|PHOTO", help="the card's text, a file of it, or a photo of its square"
    )
    enrol.add_argument(
        "--home", "--data", dest="data", type=Path, metavar="FOLDER", help="the data folder (the app's own)"
    )
    enrol.add_argument(
        "--wait", type=amount, default=300.0, metavar="S", help="for the director, at most (300)"
    )
    enrol.set_defaults(work=_enrol)
    pin = commands.add_parser("pin", help="put the director's key behind a PIN", description=_PIN)
    pin.add_argument("folder", type=Path, metavar="FOLDER")
    pin.add_argument("--remove", action="store_true", help="need none any more")
    pin.set_defaults(work=_pin)
    leave = commands.add_parser(
        "leave", help="take this box out of its hall", description="Take this box out of its hall."
    )
    leave.add_argument(
        "--home", "--data", dest="data", type=Path, metavar="FOLDER", help="the data folder (the app's own)"
    )
    leave.set_defaults(work=_leave)
    simulate = commands.add_parser(
        "simulate",
        help="a hall of tables that replay recorded games, with faults, against a real broker",
        description="Replay recorded games at many tables at once against a real broker, and compare.",
    )
    simulate.add_argument("--tables", type=whole, default=20)
    simulate.add_argument("--minutes", type=amount, default=0.5, help="how long, in real minutes (0.5)")
    simulate.add_argument("--speed", type=amount, default=30.0, help="so many times faster than played (30)")
    simulate.add_argument("--faults", type=Path, help="one fault a line: SECOND KIND [TABLES] [SECONDS]")
    simulate.add_argument("--folder", type=Path, help="keep the hall's folder there")
    simulate.add_argument("--seed", type=whole, default=1)
    simulate.add_argument("--json", action="store_true")
    simulate.set_defaults(work=_simulate)


def whole(text: str) -> int:
    """Return a whole number of a call; argparse names the option where it is none."""
    found = figure_in(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a whole number, got {text[:40]!r}")
    return found


def amount(text: str) -> float:
    """Return a number of a call, which may have decimals; argparse names the option where it is none."""
    found = amount_in(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a number such as 0.5, got {text[:40]!r}")
    return found


def _tables(texts: list[str]) -> list[str]:
    """Return table ids; ``1..40`` is forty of them."""
    found: list[str] = []
    for text in texts:
        first, dots, last = text.partition("..")
        one, other = whole_in(first), whole_in(last)
        if dots and one is not None and other is not None and 0 < one <= other <= 400:
            found += [str(n) for n in range(one, other + 1)]
        elif dots:
            raise HallError(f"expected tables such as 17 or 1..40, got {text!r}; nothing was changed")
        else:
            found.append(text)
    double = next((one for at, one in enumerate(found) if one in found[:at]), None)
    if double is not None:
        raise HallError(f"expected each table once, got {double} twice; nothing was changed")
    return found


def _hall(args: argparse.Namespace) -> Any:
    _needs("aiomqtt")
    from companion.hall.desk.hall import Hall

    hall = args.opened.enter_context(closing(Hall(args.folder)))
    if getattr(args, "address", None):
        hall.set_address(args.address)
    return hall


def _needs(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise HallError(f"{module} is missing; install table-companion[hall]")


def _add(args: argparse.Namespace) -> int:
    from companion.hall.desk.enrol import check_table

    tables = _tables(args.tables)
    for table in tables:
        check_table(table)
    # Asked before a card is made: nobody would ever see the secret on it.
    if args.out is not None and (args.out.is_dir() or not os.access(args.out.parent, os.W_OK | os.X_OK)):
        raise HallError(f"--out: {args.out} cannot be written; nothing was changed")
    hall = _hall(args)
    known = hall.logs.tables()
    used = [one for one in tables if one in known and known[one].state != "retired"]
    if used:
        raise HallError(
            f"table {', '.join(used)} has a card already; retire it first to make a new one; nothing was changed"
        )
    cards = [hall.card(table) for table in tables]
    from companion.hall.desk.ca import write_private

    if args.json:
        print(json.dumps([{"table": card.table, "card": card.text} for card in cards]))
    elif args.out is None:
        for card in cards:
            print(card.text)
    if args.out is not None:
        write_private(args.out, _page(cards).encode())  # whoever reads a card can be that table
        print(args.out)
    return 0


def _rights(args: argparse.Namespace) -> int:
    from companion.hall.desk.ca import write_private
    from companion.hall.desk.enrol import check_table

    tables = _tables(args.tables)
    for table in tables:
        check_table(table)
    hall = _hall(args)
    known, users = hall.logs.tables(), hall.venue_users
    late = [one for one in tables if one in known and known[one].state != "retired" and one not in users]
    args.out.mkdir(parents=True, exist_ok=True)
    for name, text in hall.make_venue_users(tables).items():
        write_private(args.out / name, text.encode())
        print(args.out / name)
    if late:
        print(
            f"table {', '.join(late)} has a card of before, which says the common user: retire it, and make a new one"
        )
    return 0


def _page(cards: list[Any]) -> str:
    """Return the cards as one page to print, with a square each where segno is installed."""
    import html
    import io

    segno: Any = importlib.import_module("segno") if importlib.util.find_spec("segno") else None
    parts = []
    for card in cards:
        square = ""
        if segno is not None:
            drawn = io.BytesIO()
            with suppress(segno.DataOverflowError):  # a venue's long certificate: the text alone then
                segno.make(card.text, error="m", micro=False).save(drawn, kind="svg", scale=4, xmldecl=False)
            square = drawn.getvalue().decode()
        parts.append(
            f"<section><h1>Table {html.escape(card.table)}</h1>{square}<p>{html.escape(card.text)}</p>"
            "<p>For this table's box, once. Keep it from others until it is used.</p></section>"
        )
    style = (
        "body{font:12pt sans-serif}section{break-inside:avoid;border:1px solid;padding:1em;margin:1em;"
        "width:20em;display:inline-block;vertical-align:top}p{overflow-wrap:anywhere}"
    )
    return (
        f'<!doctype html><meta charset="utf-8"><title>Tables</title><style>{style}</style>{"".join(parts)}\n'
    )


def _list(args: argparse.Namespace) -> int:
    from companion.hall.orders import legible

    hall = _hall(args)
    words = {"card": "card not used", "asks": "asks to be let in", "in": "in", "retired": "retired"}
    rows = [
        {
            "table": one.table,
            "state": one.state,
            "box": legible(one.key) if one.key else "",
            "entries": sum(b.seq for b in hall.logs.branches(one.table)),
        }
        for one in hall.logs.tables().values()
    ]
    if args.json:
        print(json.dumps(rows))
        return 0
    for row in rows:
        print(f"{row['table']:>5}  {words[str(row['state'])]:<18} {row['box']:<20} {row['entries']} entries")
    return 0


def _confirm(args: argparse.Namespace) -> int:
    from companion.hall.orders import legible

    hall = _hall(args)
    office = hall.office()
    tables, known = _tables(args.tables), hall.logs.tables()
    for table in tables:
        if table not in known or known[table].state != "asks":
            raise HallError(f"table {table} has not asked to be let in; nothing was changed")
    for table in tables:
        office.confirm(table)
        print(f"table {table} is in: {legible(hall.logs.tables()[table].key)}")
    return 0


def _retire(args: argparse.Namespace) -> int:
    office, tables = _hall(args).office(), _tables(args.tables)
    for table in tables:
        if table not in office.tables:
            raise HallError(
                f"there is no table {table}; companion hall table list names them; nothing was changed"
            )
    for table in tables:
        office.retire(table)
        print(f"table {table} is shut out; what it sent stays")
    return 0


_PIN = "Put the key that signs the director's orders behind a PIN, which companion hall run asks for once at its start."


def _pin(args: argparse.Namespace) -> int:
    from companion.hall.desk.key import DirectorKey
    from companion.hall_run import asked

    if not args.folder.is_dir():
        raise HallError(f"there is no folder {args.folder}; companion hall new begins a tournament")
    key = DirectorKey(args.folder / "desk")
    old = asked("PIN until now: ") if key.is_locked else ""
    key.open(old)
    new = "" if args.remove else asked("new PIN: ")
    if not args.remove and (not new or asked("once more: ") != new):
        raise HallError("expected the same new PIN twice; nothing was changed")
    key.lock(new, old)
    print(
        "the director's key needs no PIN"
        if args.remove
        else "companion hall run asks for the PIN at its start"
    )
    return 0


# The box


def _keys(args: argparse.Namespace) -> Path:
    from companion.places import default_data_folder

    home: Path = args.data or default_data_folder()
    return home / "keys"


def _enrol(args: argparse.Namespace) -> int:
    _needs("aiomqtt")
    from companion.adapters import hall as box
    from companion.hall.desk.enrol import card_in
    from companion.hall.link.enrolling import enrolled
    from companion.hall.orders import legible
    from companion.session.signing_key import SigningKeyError, SigningKeyFile

    keys = _keys(args)
    if (known := box.membership(keys)) is not None:
        raise HallError(
            f"this box is table {known.table} of hall {known.hall}; companion hall leave takes it out first"
        )
    card = card_in(_card_text(args.card))
    password = box.new_password()
    try:
        public = SigningKeyFile(keys).ensure().public
    except SigningKeyError as fault:
        raise HallError(str(fault)) from None
    print(f"table {card.table}: this box is {legible(public)}; the director compares it", flush=True)
    said: set[str] = set()

    def told(text: str) -> None:
        if text not in said:
            said.add(text)
            print(text, flush=True)

    ca, director = asyncio.run(enrolled(card, public, password, wait_s=args.wait, told=told))
    user, word = ("", password) if card.venue is None else card.venue[:2]
    made = box.Membership(card.hall, card.table, card.host, card.port, word, ca, director.hex(), user)
    box.keep(keys, made)
    print(f"this box is table {card.table} of hall {card.hall}; it links when the app starts next")
    return 0


def _card_text(text: str) -> str:
    """Return the text of a card, from a photo where a file is named."""
    if not Path(text).is_file():
        return text
    with Path(text).open("rb") as file:
        if (begin := file.read(10_000)).startswith(b"TCHALL"):
            return begin.decode("ascii", "replace")
    with quiet():
        found = codes_in_photo(Path(text))
    cards = [one for one in found if one.startswith(("TCHALL1 ", "TCHALL2 "))]
    if not cards:
        raise HallError(
            f"{text}: expected a photo of an enrolment card, got another code; choose the card's, or type its text"
        )
    return cards[0]


def _leave(args: argparse.Namespace) -> int:
    from companion.adapters import hall as box

    if not box.forget(_keys(args)):
        raise HallError("this box is in no hall")
    print("this box is in no hall any more; its games stay")
    return 0


# Checking


def check_logs(args: argparse.Namespace) -> int:
    """Hold what the hall has of its tables against their own files; nothing where no table has ever reported."""
    from companion.hall.desk.logs import Logs
    from companion.hall_check import compared, desks_in, written

    if args.games is not None and not args.games.is_dir():
        raise HallError(f"--games: expected a folder of saved games, got {args.games}")
    desks = [args.opened.enter_context(closing(Logs(one))) for one in desks_in(args.folder)]
    if args.out is not None:
        for desk in desks:
            for path in written(desk, args.out):
                print(path)
    rows, faults = compared(desks, args.games)
    if args.json:
        print(json.dumps([row._asdict() for row in rows]))
    else:
        for row in rows:
            print(row.text)
        for fault in faults:
            print(f"companion hall: {fault}", file=sys.stderr)
    return _PARTLY if faults or any(not row.is_equal for row in rows) else 0


def _simulate(args: argparse.Namespace) -> int:
    _needs("aiomqtt")
    from companion.hall_faults import MOST_TABLES, faults_in
    from companion.hall_simulation import Plan, simulated

    if not 1 <= args.tables <= MOST_TABLES:
        raise HallError(f"--tables: expected 1 to {MOST_TABLES}, got {args.tables}")
    if not 0 < args.minutes <= 600 or args.speed <= 0:
        raise HallError("--minutes and --speed: expected numbers above 0")
    faults = faults_in(args.faults) if args.faults else ()
    beyond = max((n for one in faults for n in one.tables), default=0)
    if beyond > args.tables:
        raise HallError(f"{args.faults}: expected tables 1 to {args.tables}, got {beyond}")
    plan = Plan(
        args.tables,
        args.minutes * 60,
        args.speed,
        faults,
        args.seed,
        args.folder,
    )
    outcome = simulated(plan, told=lambda text: print(text, file=sys.stderr, flush=True))
    print(json.dumps(outcome.figures) if args.json else outcome.text)
    return 0 if outcome.is_equal else _PARTLY


SLOW = (_add, _rights, _simulate)
"""What may take longer than a second and asks nobody anything."""
