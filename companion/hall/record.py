"""The record of a tournament: an append-only log of what happened, folded to what is true.

Every correction is an entry of its own, so the record says who was told what and when; a tournament "as of round 3" is the
fold of the entries up to there. Nothing here reads a file, a clock or chance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from companion.core.text import Say, Several, Typed
from companion.hall.errors import HallError, RecordError
from companion.hall.happenings import (
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_PLAYERS,
    MOST_ROUNDS,
    TIE_BREAKS,
    Adjudicated,
    Announced,
    BoxKnown,
    BoxRetired,
    Cut,
    Entered,
    Forbidden,
    Happening,
    Paired,
    Pairing,
    Player,
    PlayerCorrected,
    Reported,
    ResultCorrected,
    ResultTaken,
    Returned,
    RoundCancelled,
    RoundStarted,
    Rules,
    RulesSet,
    System,
    TournamentBegun,
    Withdrawn,
)
from companion.hall.outcome import Report, Result, agreed
from companion.hall.typed import whole_in

__all__ = [
    "Round",
    "Tournament",
    "code_of",
    "fold",
    "happen",
    "open_round",
    "pairing_at",
    "player_named",
    "read_code",
]


class Round(msgspec.Struct, frozen=True):
    """A round and what has come of it."""

    number: int
    system: System
    tables: tuple[Pairing, ...]
    results: Mapping[int, Result] = {}
    """Table to its result; a bye needs none."""
    reports: Mapping[int, tuple[Report, ...]] = {}
    """Table to what was reported of it, each once."""
    decided: frozenset[int] = frozenset()
    """Tables whose result is the director's word, whatever is reported."""

    @property
    def disputed(self) -> tuple[int, ...]:
        """Return the tables of which different results are reported and the director has decided none."""
        return tuple(table for table, told in self.reports.items() if told and table not in self.results)

    @property
    def missing(self) -> tuple[int, ...]:
        """Return the tables whose result is not in."""
        return tuple(p.table for p in self.tables if p.second is not None and p.table not in self.results)


class Tournament(msgspec.Struct, frozen=True):
    """What is true now."""

    id: str = ""
    name: str = ""
    rules: Rules = Rules()
    seed: str = ""
    players: Mapping[int, Player] = {}
    withdrawn: frozenset[int] = frozenset()
    forbidden: frozenset[tuple[int, int]] = frozenset()
    rounds: tuple[Round, ...] = ()
    bracket: tuple[int, ...] = ()
    """Who plays on after a cut, best first; empty: everybody."""
    boxes: Mapping[str, int] = {}
    """Fingerprint of a box to its table; 0: it is retired."""
    started: Mapping[int, str] = {}
    """Round to the wall time at which its clock began."""
    announcement: str = ""
    cut_after: int = 0
    """Rounds that count for the standings once there was a cut; 0: all."""
    notes: tuple[Say, ...] = ()
    """What was changed or decided after the fact, in order; printed with the standings."""

    @property
    def active(self) -> tuple[Player, ...]:
        """Return who is paired, in the order in which they came in."""
        return tuple(player for player in self.players.values() if player.id not in self.withdrawn)


def fold(happenings: Iterable[Happening]) -> Tournament:
    """Return the tournament that happenings lead to. HallError where one does not fit those before it."""
    tournament = Tournament()
    for number, happening in enumerate(happenings, 1):
        try:
            tournament = happen(tournament, happening)
        except HallError as fault:
            raise RecordError(f"entry {number} of the record does not fit those before it: {fault}") from None
    return tournament


def happen(now: Tournament, what: Happening) -> Tournament:
    """Return the tournament after a happening. HallError, in one line, where it cannot be."""
    if isinstance(what, TournamentBegun):
        if now.id:
            raise HallError(f"the tournament {now.name!r} has begun already")
        _check_name(what.name)
        _check_rules(what.rules)
        return Tournament(what.id, what.name, what.rules, what.seed)
    if not now.id:
        raise HallError("the record has no beginning")
    match what:
        case Entered(player):
            if player.id in now.players:
                raise HallError(Say("player {player} is in already", player=player.id))
            if len(now.players) >= MOST_PLAYERS:
                raise HallError(Say("a tournament has at most {most} players", most=Typed(str(MOST_PLAYERS))))
            return _with_player(now, player)
        case PlayerCorrected(player):
            _known(now, player.id)
            return _with_player(now, player)
        case Withdrawn(player):
            _known(now, player)
            if player in now.withdrawn:
                raise HallError(Say("{player} has withdrawn already", player=Typed(now.players[player].name)))
            return replace(now, withdrawn=now.withdrawn | {player})
        case Returned(player):
            if player not in now.withdrawn:
                raise HallError(Say("{player} has not withdrawn", player=Typed(_known(now, player).name)))
            return replace(now, withdrawn=now.withdrawn - {player})
        case Forbidden(one, other, is_allowed):
            if _known(now, one) is _known(now, other):
                raise HallError("a player is never paired with himself or herself")
            pair = {(min(one, other), max(one, other))}
            forbidden = now.forbidden - pair if is_allowed else now.forbidden | pair
            return replace(now, forbidden=forbidden)
        case RulesSet(rules, reason):
            _check_rules(rules)
            note = Say(
                "Rules changed after round {round}: {reason}", round=len(now.rounds), reason=Typed(reason)
            )
            late = (note,) if now.rounds else ()
            return replace(now, rules=rules, notes=(*now.notes, *late))
        case Cut(players):
            for player in players:
                _known(now, player)
            if len(set(players)) != len(players) or len(players) < 2:
                raise HallError(f"a cut needs two or more different players, got {len(set(players))}")
            if now.rounds and now.rounds[-1].missing:
                raise HallError(open_round(now.rounds[-1]))
            return replace(now, bracket=players, cut_after=len(now.rounds))
        case Paired():
            return _paired(now, what)
        case RoundCancelled(number):
            if not now.rounds or now.rounds[-1].number != number:
                raise HallError(Say("round {round} is not the newest one", round=number))
            if now.rounds[-1].results or now.rounds[-1].reports:
                raise HallError(Say("round {round} has results; correct them instead", round=number))
            started = {one: at for one, at in now.started.items() if one != number}
            return replace(now, rounds=now.rounds[:-1], started=started)
        case ResultTaken(number, table, result):
            if table in _round(now, number).results:
                raise HallError(f"round {number}, table {table} has a result; correct it with a reason")
            if table in _round(now, number).disputed:
                raise HallError(
                    f"round {number}, table {table} is in dispute; correct or adjudicate it with a reason"
                )
            return _reported(now, number, table, Report("paper", result))
        case Reported(number, table, report):
            return _reported(now, number, table, report)
        case RoundStarted(number, at):
            if number != len(now.rounds) or number < 1:
                raise HallError(
                    Say("only the newest round is started: that is round {round}", round=len(now.rounds))
                )
            if number in now.started:
                raise HallError(Say("round {round} has been started", round=number))
            return replace(now, started={**now.started, number: at})
        case Announced(text):
            if len(text) > LONGEST_TEXT:
                raise HallError(
                    Say(
                        "an announcement has up to {most} letters, got {got}",
                        most=LONGEST_TEXT,
                        got=len(text),
                    )
                )
            return replace(now, announcement=" ".join(text.split()))
        case BoxKnown(table, box):
            if now.boxes.get(box) == table:
                raise HallError(
                    Say("box {box} is known at table {table} already", box=Typed(box), table=table)
                )
            if not box or table < 1:
                raise HallError(f"a box has a fingerprint and a table, got {box!r} and {table}")
            return replace(now, boxes={**now.boxes, box: table})
        case BoxRetired(box):
            if not now.boxes.get(box):
                raise HallError(f"there is no box {box} that could be retired")
            return replace(now, boxes={**now.boxes, box: 0})
        case ResultCorrected(number, table, result, reason):
            if table not in _round(now, number).results and table not in _round(now, number).disputed:
                raise HallError(
                    Say("round {round}, table {table} has no result to correct", round=number, table=table)
                )
            if not reason.strip():
                raise HallError(Say("a correction needs a reason"))
            return _decided(
                now,
                number,
                table,
                result,
                Say(
                    "Round {round}, table {table}, corrected: {reason}",
                    round=number,
                    table=table,
                    reason=Typed(reason),
                ),
            )
        case Adjudicated(number, table, result, lines, reason):
            why = " ".join((*lines, reason)).strip()
            return _decided(
                now,
                number,
                table,
                result,
                Say(
                    "Round {round}, table {table}, adjudicated: {reason}",
                    round=number,
                    table=table,
                    reason=Typed(why),
                ),
            )
    raise HallError(f"{type(what).__name__} is unknown")


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise HallError(
            Say(
                "a name has 1 to {most} letters, got {got}",
                most=LONGEST_NAME,
                got=Typed(repr(name[:LONGEST_NAME])),
            )
        )


def _check_rules(rules: Rules) -> None:
    for name in rules.tie_breaks:
        if name not in TIE_BREAKS:
            raise HallError(f"tie-break {name!r} is unknown; expected one of {', '.join(TIE_BREAKS)}")
        if rules.tie_breaks.count(name) > 1:
            raise HallError(f"tie-break {name!r} is named twice")
    if len({side.casefold() for side in rules.sides}) != 2:
        raise HallError("a table has two different sides")
    if not 0 <= rules.rounds <= MOST_ROUNDS or rules.score.unit < 1:
        raise HallError(f"a tournament has up to {MOST_ROUNDS} rounds, got {rules.rounds}")
    for name in rules.avoid:
        if name not in ("club", "country"):
            raise HallError(f"opponents may avoid club or country, not {name!r}")


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


def _with_player(now: Tournament, player: Player) -> Tournament:
    _check_name(player.name)
    double = next(
        (p for p in now.players.values() if _key(p.name) == _key(player.name) and p.id != player.id), None
    )
    if double is not None:
        raise HallError(
            Say(
                "{name} is in already as player {player}; write the name so that both can be told apart",
                name=Typed(repr(player.name)),
                player=double.id,
            )
        )
    return replace(now, players={**now.players, player.id: player})


def _known(now: Tournament, player: int) -> Player:
    found = now.players.get(player)
    if found is None:
        raise HallError(Say("there is no player {player}", player=player))
    return found


def player_named(now: Tournament, name: str) -> Player:
    """Return a player by number or by name, whole or begun. HallError when nobody or several fit."""
    number = whole_in(name)
    if number is not None and number in now.players:
        return now.players[number]
    exact = [p for p in now.players.values() if _key(p.name) == _key(name)]
    begun = exact or [p for p in now.players.values() if _key(p.name).startswith(_key(name))]
    if len(begun) == 1:
        return begun[0]
    if not begun:
        raise HallError(f"nobody is named {name!r}; companion hall show lists the players")
    raise HallError(f"{name!r} may be {', '.join(p.name for p in begun)}: write more of the name")


def _round(now: Tournament, number: int) -> Round:
    if not 1 <= number <= len(now.rounds):
        raise HallError(
            Say("round {round} has not been paired; there are {all}", round=number, all=len(now.rounds))
        )
    return now.rounds[number - 1]


def pairing_at(now: Tournament, number: int, table: int) -> Pairing:
    """Return a table of a round. HallError when there is none."""
    for pairing in _round(now, number).tables:
        if pairing.table == table:
            return pairing
    raise HallError(Say("round {round} has no table {table}", round=number, table=table))


def open_round(last: Round) -> Say:
    """Return that a round is not over, and which tables are open."""
    tables = Several(tuple(Typed(str(table)) for table in last.missing), "comma")
    return Say("round {round} still lacks the result of table {tables}", round=last.number, tables=tables)


def _paired(now: Tournament, what: Paired) -> Tournament:
    if what.round != len(now.rounds) + 1:
        raise HallError(
            Say("the next round is {next}, not {round}", next=len(now.rounds) + 1, round=what.round)
        )
    if now.rounds and now.rounds[-1].missing:
        raise HallError(open_round(now.rounds[-1]))
    seen: set[int] = set()
    for pairing in what.tables:
        for player in (pairing.first, pairing.second):
            if player is None:
                continue
            if player in seen:
                raise HallError(f"{_known(now, player).name} sits at two tables of round {what.round}")
            if _known(now, player).id in now.withdrawn:
                raise HallError(Say("{player} has withdrawn", player=Typed(now.players[player].name)))
            seen.add(player)
    numbers = [pairing.table for pairing in what.tables]
    if not numbers or len(set(numbers)) != len(numbers):
        raise HallError("every table of a round has a number of its own")
    return replace(now, rounds=(*now.rounds, Round(what.round, what.system, what.tables)))


def _checked(now: Tournament, number: int, table: int, result: Result) -> Round:
    pairing, found = pairing_at(now, number, table), _round(now, number)
    if pairing.second is None:
        raise HallError(
            Say("round {round}, table {table} is a bye; it has no result", round=number, table=table)
        )
    if result.winner is not None and result.winner not in (pairing.first, pairing.second):
        name = now.players[result.winner].name if result.winner in now.players else str(result.winner)
        raise HallError(
            Say(
                "{player} does not sit at table {table} of round {round}",
                player=Typed(name),
                table=table,
                round=number,
            )
        )
    if result.how in ("forfeit", "conceded") and result.winner is None:
        raise HallError(
            Say("a game that is conceded has a winner")
            if result.how == "conceded"
            else Say("a game that is forfeit has a winner")
        )
    if found.system == "knockout" and result.winner is None:
        raise HallError(
            Say("round {round} is a knock-out: table {table} needs a winner", round=number, table=table)
        )
    return found


def _with_round(now: Tournament, found: Round) -> Tournament:
    rounds = list(now.rounds)
    rounds[found.number - 1] = found
    return replace(now, rounds=tuple(rounds))


def _reported(now: Tournament, number: int, table: int, report: Report) -> Tournament:
    """Add a report; where the director has decided, it only stands beside the decision."""
    found = _checked(now, number, table, report.result)
    before = found.reports.get(table, ())
    if report in before:
        return now
    reports = (*before, report)
    found = replace(found, reports={**found.reports, table: reports})
    if table in found.decided:
        now = _with_round(now, found)
        if agreed((report, Report("paper", found.results[table]))) is None:
            text = Say(
                "Round {round}, table {table}, reported differently after the director's decision, which stands",
                round=number,
                table=table,
            )
            now = replace(now, notes=(*now.notes, text))
        return now
    result = agreed(reports)
    results = {at: one for at, one in found.results.items() if at != table}
    return _with_round(now, replace(found, results=results if result is None else {**results, table: result}))


def _decided(now: Tournament, number: int, table: int, result: Result, note: Say) -> Tournament:
    found = _checked(now, number, table, result)
    results = {**found.results, table: result}
    now = _with_round(now, replace(found, results=results, decided=found.decided | {table}))
    return replace(now, notes=(*now.notes, note))


def code_of(now: Tournament, number: int, pairing: Pairing) -> str:
    """Return the code of a score slip, such as ``2-14-K7QF``: round, table, and a sign that fits this pairing only."""
    text = f"{now.id}|{number}|{pairing.table}|{pairing.first}|{pairing.second}"
    digest = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    letters = "ACDEFGHJKLMNPQRTUVWXY3479"
    sign = "".join(letters[digest // len(letters) ** n % len(letters)] for n in range(4))
    return f"{number}-{pairing.table}-{sign}"


def read_code(now: Tournament, code: str) -> tuple[int, Pairing]:
    """Return round and table of a slip's code. HallError when it is of another round, table or tournament."""
    parts = code.strip().upper().split("-")
    number, table = (whole_in(part) for part in (*parts, "", "")[:2])
    if len(parts) != 3 or number is None or table is None:
        raise HallError(f"{code[:40]!r} is no code of a slip; one reads like 2-14-K7QF")
    pairing = pairing_at(now, number, table)
    if code_of(now, number, pairing) != "-".join((str(number), str(pairing.table), parts[2])):
        raise HallError(
            f"{code} is not the code of round {number}, table {pairing.table}: the slip is of another pairing"
        )
    return number, pairing
