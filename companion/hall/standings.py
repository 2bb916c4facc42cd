"""Scores, tie-breaks and standings of a tournament; each figure says the sum that it comes from.

One rule for rounds that were not played (byes, forfeits, absence): for tie-breaks by opponents such a round counts as an
opponent who ends with the player's own score.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from companion.core.text import Say, Typed
from companion.hall.happenings import Pairing, Player
from companion.hall.outcome import Result
from companion.hall.record import Round, Tournament

__all__ = ["TIE_BREAK_NAMES", "Game", "Row", "games_of", "lot", "points_text", "scores", "standings"]

TIE_BREAK_NAMES = {
    "head_to_head": Say("Head to head"),
    "buchholz": Say("Buchholz"),
    "median": Say("Median Buchholz"),
    "sonneborn_berger": Say("Sonneborn-Berger"),
    "wins": Say("Wins"),
    "vp": Say("Victory points"),
    "vp_difference": Say("VP difference"),
    "time_left": Say("Time left"),
    "lot": Say("Lot"),
}
"""What a tie-break is called at the head of its column."""


class Game(msgspec.Struct, frozen=True):
    """One round of one player."""

    round: int
    opponent: int | None
    """None: a bye, or not paired."""
    side: int | None
    """0 for the first side, 1 for the second; None without an opponent."""
    units: int
    """What it was worth."""
    is_played: bool
    is_won: bool = False
    vp: tuple[int, int] | None = None
    """Own victory points and the opponent's."""
    left_s: int = 0


class Row(msgspec.Struct, frozen=True):
    """A player's place."""

    rank: int
    player: Player
    units: int
    figures: tuple[int | float, ...]
    """Tie-breaks in the tournament's order."""
    sums: tuple[Say | str, ...]
    """For the score and each tie-break the sum that it comes from."""
    is_withdrawn: bool = False


_Known = tuple[dict[int, tuple[Game, ...]], dict[int, int]]
"""Everybody's games and scores."""


def lot(seed: str, *what: object) -> int:
    """Return a drawn number that anybody can draw again from the seed: the higher one wins."""
    text = "|".join(map(str, (seed, *what)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def _units(now: Tournament, result: Result, pairing: Pairing, player: int) -> int:
    score = now.rules.score
    if result.how == "double_forfeit":
        return score.forfeit_loss
    if result.how == "forfeit":
        return score.forfeit_win if result.winner == player else score.forfeit_loss
    if result.winner is None:
        return score.draw
    won = result.winner == player
    if score.by_difference and result.vp is not None:
        own, other = result.vp if result.winner == pairing.first else result.vp[::-1]
        rows = [row for row in score.by_difference if own - other >= row[0]]
        if rows:
            best = max(rows)
            return best[1] if won else best[2]
    return score.win if won else score.loss


def _game(now: Tournament, found: Round, pairing: Pairing, player: int) -> Game | None:
    if pairing.second is None:
        return Game(found.number, None, None, now.rules.score.bye, False)
    result = found.results.get(pairing.table)
    side = 0 if pairing.first == player else 1
    opponent = pairing.second if side == 0 else pairing.first
    if result is None:
        return None
    is_played = result.how not in ("forfeit", "double_forfeit")
    vp = None if result.vp is None else result.vp if side == 0 else result.vp[::-1]
    return Game(
        found.number,
        opponent,
        side,
        _units(now, result, pairing, player),
        is_played,
        result.winner == player,
        vp,
        0 if result.left_s is None else result.left_s[side],
    )


def games_of(now: Tournament, upto: int | None = None) -> dict[int, tuple[Game, ...]]:
    """Return everybody's games of the first rounds (all: None); rounds that have no result yet are left out."""
    found: dict[int, list[Game]] = {player: [] for player in now.players}
    for one in now.rounds[:upto]:
        for pairing in one.tables:
            for player in (pairing.first, pairing.second):
                if player is not None and (game := _game(now, one, pairing, player)) is not None:
                    found[player].append(game)
    return {player: tuple(games) for player, games in found.items()}


def scores(now: Tournament, upto: int | None = None) -> dict[int, int]:
    """Return everybody's score in units."""
    return {player: sum(game.units for game in games) for player, games in games_of(now, upto).items()}


def points_text(units: int | float, unit: int) -> str:
    """Return units as points, such as ``2½``."""
    whole, rest = divmod(units, unit)
    if not rest:
        return str(int(whole))
    if rest * 2 == unit:
        return f"{int(whole) or ''}½"
    return f"{units / unit:.2f}".rstrip("0")


def standings(now: Tournament, upto: int | None = None) -> tuple[Row, ...]:
    """Return the standings after some rounds (all: None), best first; equal in everything is an equal rank."""
    if upto is None and now.cut_after:
        upto = now.cut_after
    games, unit = games_of(now, upto), now.rules.score.unit
    total = {player: sum(game.units for game in own) for player, own in games.items()}
    names = now.rules.tie_breaks
    keys: dict[int, list[int | float]] = {player: [total[player]] for player in games}
    sums: dict[int, list[Say | str]] = {
        player: [_sum([g.units for g in own], unit)] for player, own in games.items()
    }
    for name in names:
        groups: dict[tuple[int | float, ...], list[int]] = {}
        for player, key in keys.items():
            groups.setdefault(tuple(key), []).append(player)
        for group in groups.values():
            for player in group:
                value, text = _tie_break(now, name, player, group, (games, total))
                keys[player].append(value)
                sums[player].append(text)
    order = sorted(games, key=lambda player: (*(-value for value in keys[player]), player))
    rows: list[Row] = []
    for place, player in enumerate(order, 1):
        is_equal = bool(rows) and keys[player] == keys[rows[-1].player.id]
        rank = rows[-1].rank if is_equal else place
        rows.append(
            Row(
                rank,
                now.players[player],
                total[player],
                tuple(keys[player][1:]),
                tuple(sums[player]),
                player in now.withdrawn,
            )
        )
    return tuple(rows)


def _sum(units: Sequence[int | float], unit: int) -> str:
    return " + ".join(points_text(one, unit) for one in units) or "0"


def _tie_break(
    now: Tournament, name: str, player: int, group: Sequence[int], known: _Known
) -> tuple[int | float, Say | str]:
    games, total = known
    own, unit = games[player], now.rules.score.unit
    opponents = [total[g.opponent] if g.is_played and g.opponent is not None else total[player] for g in own]
    match name:
        case "head_to_head":
            met = [g.units for g in own if g.is_played and g.opponent in group]
            others = [other for other in group if other != player]
            have_all_met = all(
                {g.opponent for g in games[one] if g.is_played} >= set(group) - {one} for one in group
            )
            if not others or not have_all_met:
                return 0, Say("not all tied players have met") if others else Say("nobody is tied")
            return sum(met), _sum(met, unit)
        case "buchholz":
            return sum(opponents), _sum(opponents, unit)
        case "median":
            inner = sorted(opponents)[1:-1]
            return sum(inner), _sum(inner, unit)
        case "sonneborn_berger":
            parts = [other * g.units / unit for other, g in zip(opponents, own, strict=True) if g.units]
            return sum(parts), _sum(parts, unit)
        case "wins":
            wins = sum(g.is_won and g.is_played for g in own)
            return wins, Say("{n} won at the table", n=wins)
        case "vp":
            points = [g.vp[0] for g in own if g.vp is not None]
            return sum(points), " + ".join(map(str, points)) or "0"
        case "vp_difference":
            differences = [g.vp[0] - g.vp[1] for g in own if g.vp is not None]
            return sum(differences), " + ".join(map(str, differences)) or "0"
        case "time_left":
            seconds = [g.left_s for g in own]
            return sum(seconds), " + ".join(f"{s // 60}:{s % 60:02d}" for s in seconds) or "0"
        case _:
            drawn = lot(now.seed, "tie", player)
            return drawn, Say("drawn from the seed {seed}", seed=Typed(now.seed))
