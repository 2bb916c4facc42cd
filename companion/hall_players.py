"""What a director says of the tournament itself: its rules, who plays, who is out, who never meets."""

from __future__ import annotations

import argparse
import csv
import io
import secrets
import uuid
from pathlib import Path
from typing import Any

from companion.core.plaintext import NoTextError, text_of
from companion.hall import happenings as hp
from companion.hall import record as re
from companion.hall.errors import HallError
from companion.hall.happenings import LONGEST_NAME
from companion.hall.shared import Where, tournaments_at
from companion.hall.store import Store
from companion.hall.typed import MOST_FIGURE, amount_in, figure_in, line_in, whole_in
from companion.hall_take import counted, now_text
from companion.session.files import read_source

__all__ = [
    "add_player",
    "begin",
    "forbid",
    "import_players",
    "join",
    "set_rules",
    "take_back",
    "withdraw",
]


_MOST_FILE = 4 << 20
"""Bytes of a file of players."""


def _rules_from(args: argparse.Namespace, before: hp.Rules) -> hp.Rules:
    """Return rules with what the call changes. HallError names the option that cannot be read."""
    from msgspec.structs import replace

    changed: dict[str, Any] = {}
    if args.sides is not None:
        sides = tuple(part.strip() for part in args.sides.split(","))
        if len(sides) != 2 or not all(sides):
            raise HallError(f"--sides: expected two names with a comma, got {args.sides!r}")
        changed["sides"] = sides
    if args.minutes is not None and not 0 <= args.minutes <= MOST_FIGURE:
        raise HallError(f"--minutes: expected 0 to {MOST_FIGURE}, got {args.minutes}")
    for name in ("rounds", "minutes", "order"):
        if getattr(args, name) is not None:
            changed[name] = getattr(args, name)
    if args.tie_breaks is not None:
        changed["tie_breaks"] = tuple(part.strip() for part in args.tie_breaks.split(",") if part.strip())
    score = before.score
    if args.points is not None:
        score = replace(score, **_points(args.points))
    if args.by_difference is not None:
        score = replace(score, by_difference=_differences(args.by_difference, score.unit))
    return replace(before, score=score, **changed)


def _points(text: str) -> dict[str, int]:
    names = ("win", "draw", "loss", "bye", "forfeit_win", "forfeit_loss")
    values = [value for part in text.split(",") if (value := amount_in(part)) is not None]
    if len(values) != len(names) or text.count(",") != 5 or any(value * 2 % 1 for value in values):
        raise HallError(
            f"--points: expected six numbers in halves with commas ({', '.join(names)}), got {text!r}"
        )
    return {"unit": 2, **{name: int(value * 2) for name, value in zip(names, values, strict=True)}}


def _differences(text: str, unit: int) -> tuple[tuple[int, int, int], ...]:
    rows: list[tuple[int, int, int]] = []
    for part in text.split(","):
        least, _equals, points = part.partition("=")
        winner, _colon, loser = points.partition(":")
        figures = [one for one in map(figure_in, (least, winner, loser)) if one is not None]
        if len(figures) != 3 or min(figures[1:]) < 0:
            raise HallError(f"--by-difference: expected rows like 5=15:5 with commas, got {part[:40]!r}")
        if figures[0] in {row[0] for row in rows}:
            raise HallError(f"--by-difference: expected each difference once, got {figures[0]} twice")
        rows.append((figures[0], figures[1] * unit, figures[2] * unit))
    return tuple(rows)


def begin(args: argparse.Namespace) -> int:
    """Begin a record."""
    seed = secrets.token_hex(4) if args.seed is None else args.seed.strip()
    if not 0 < len(seed) <= LONGEST_NAME or not seed.isprintable():
        raise HallError(f"--seed: expected 1 to {LONGEST_NAME} letters, got {seed[:40]!r}")
    begun = hp.TournamentBegun(uuid.uuid4().hex, args.name, _rules_from(args, hp.Rules()), seed)
    store = Store.begin(args.folder, begun, now_text(), args.postgres)
    where = store.path if not args.postgres else f"the shared database as {begun.id}"
    print(f"{store.tournament.name}: record in {where}, seed {seed}")
    print(f"next: companion hall import {args.folder} PLAYERS.csv")
    return 0


def join(args: argparse.Namespace) -> int:
    """Make a folder for one more director of a record that is shared."""
    found = tournaments_at(args.postgres)
    wanted = [one for one in found if args.tournament in (None, one)]
    if len(wanted) != 1:
        raise HallError(
            f"--tournament: expected one of {', '.join(found) or 'none there'}, got {args.tournament}"
        )
    store = Store.joined(args.folder, Where(args.postgres, wanted[0]))
    print(f"{store.tournament.name}: {len(store.kept)} entries")
    return 0


def set_rules(args: argparse.Namespace) -> int:
    """Change the rules; after the first round with a reason."""
    store = Store(args.folder)
    rules = _rules_from(args, store.tournament.rules)
    if rules == store.tournament.rules:
        raise HallError("the rules are so already")
    if store.tournament.rounds and not args.reason.strip():
        raise HallError(
            "after the first round a change of the rules needs --reason; it is printed with the standings"
        )
    store.add([hp.RulesSet(rules, args.reason)], now_text())
    print("the rules are changed")
    return 0


def add_player(args: argparse.Namespace) -> int:
    """Enter one player."""
    if not 0 <= args.rating <= MOST_FIGURE:
        raise HallError(f"--rating: expected 0 to {MOST_FIGURE}, got {args.rating}")
    club, country = line_in("--club", args.club), line_in("--country", args.country)
    store = Store(args.folder)
    player = hp.Player(_next_id(store.tournament), args.name.strip(), club, country, args.rating)
    store.add([hp.Entered(player)], now_text())
    print(f"{player.id}  {player.name}{_from_when(store.tournament, args.folder)}")
    return 0


def _from_when(now: re.Tournament, folder: Path) -> str:
    """Return from which round on somebody plays who comes after one has been paired."""
    if not now.rounds:
        return ""
    number, newest = len(now.rounds), now.rounds[-1]
    is_open = not newest.results and not newest.reports
    again = f"; round {number} has no result yet, and companion hall cancel {folder} takes it back"
    return f", plays from round {number + 1} on{again if is_open else ''}"


def _next_id(now: re.Tournament) -> int:
    return max(now.players, default=0) + 1


def import_players(args: argparse.Namespace) -> int:
    """Enter every player of a file, or none."""
    store = Store(args.folder)
    try:
        data = read_source(args.file, _MOST_FILE)
        if len(data) > _MOST_FILE:
            raise HallError(f"{args.file}: expected at most {_MOST_FILE} bytes, got more; nobody was entered")
        text = text_of(data)
    except NoTextError as fault:
        raise HallError(f"{args.file}: expected {fault.expected}, got {fault.got}") from None
    first = text.splitlines()[0] if text.strip() else ""
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=";" if ";" in first else ",", strict=True)
    try:
        rows = [
            (reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row))
        ]
    except csv.Error as fault:
        raise HallError(
            f"{args.file}, line {reader.line_num}: expected a table of players, got what is none ({fault}); nobody was entered"
        ) from None
    columns = [cell.lower() for cell in rows[0][1]] if rows else []
    if "name" not in columns:
        raise HallError(
            f"{args.file}: expected a first line with the column name (and club, country, rating), got {first[:80]!r}"
        )
    double = next((one for at, one in enumerate(columns) if one and one in columns[:at]), None)
    if double is not None:
        raise HallError(
            f"{args.file}, line {rows[0][0]}: expected each column once, got {double!r} twice; nobody was entered"
        )
    entered, now = list[hp.Happening](), store.tournament
    seen: dict[str, int] = {}
    for number, row in rows[1:]:
        where = f"{args.file}, line {number}"
        if any(row[len(columns) :]):
            raise HallError(
                f"{where}: expected {len(columns)} cells as in the first line, got {len(row)}; nobody was entered"
            )
        cells = dict(zip(columns, row, strict=False))
        name, rating = cells.get("name", ""), cells.get("rating", "") or "0"
        if not name:
            raise HallError(f"{where}: expected a name, got nothing; nobody was entered")
        rated = whole_in(rating)
        if rated is None:
            raise HallError(
                f"{where}, rating: expected a whole number, got {rating[:40]!r}; nobody was entered"
            )
        key = " ".join(name.casefold().split())
        if key in seen:
            raise HallError(
                f"{where}: {name!r} stands on line {seen[key]} too; write the names so "
                "that both can be told apart; nobody was entered"
            )
        seen[key] = number
        try:
            club, country = (line_in(column, cells.get(column, "")) for column in ("club", "country"))
            player = hp.Player(_next_id(now), name, club, country, rated)
            now = re.happen(now, hp.Entered(player))
        except HallError as fault:
            raise HallError(f"{where}: {fault}; nobody was entered") from None
        entered.append(hp.Entered(player))
    if not entered:
        raise HallError(
            f"{args.file}: expected a player a line below the first, got none; nobody was entered"
        )
    left = [one for one in columns if one and one not in ("name", "club", "country", "rating")]
    if left:
        print(f"left aside: {', '.join(left)}")
    store.add(entered, now_text())
    now = store.tournament
    print(
        f"{counted(len(entered), 'player')} entered, {len(now.players)} in all{_from_when(now, args.folder)}"
    )
    return 0


def withdraw(args: argparse.Namespace) -> int:
    """Pair a player no more."""
    store = Store(args.folder)
    player = re.player_named(store.tournament, args.player)
    now = store.add([hp.Withdrawn(player.id)], now_text())
    sits = now.rounds and any(
        player.id in (one.first, one.second) and one.table in now.rounds[-1].missing
        for one in now.rounds[-1].tables
    )
    rest = f"; round {len(now.rounds)} still needs a result for this table" if sits else ""
    print(f"{player.name} has withdrawn and is not paired any more{rest}")
    return 0


def take_back(args: argparse.Namespace) -> int:
    """Pair a player again."""
    store = Store(args.folder)
    player = re.player_named(store.tournament, args.player)
    store.add([hp.Returned(player.id)], now_text())
    print(f"{player.name} is paired again")
    return 0


def forbid(args: argparse.Namespace) -> int:
    """Never let two players meet."""
    store = Store(args.folder)
    one, other = (re.player_named(store.tournament, name) for name in (args.one, args.other))
    store.add([hp.Forbidden(one.id, other.id, args.allow)], now_text())
    print(f"{one.name} and {other.name} {'may meet again' if args.allow else 'are not paired'}")
    return 0
