"""Who plays whom: Swiss by exact matching, round robin, knock-out.

Swiss pairing is one matching of greatest weight over all pairs that are allowed. Its rules stand in one order, and a
later one never outweighs an earlier one: each has its own range of the weight. Lots come from the tournament's seed. Only this
module knows rustworkx, which comes with the extra ``companion[hall]``.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from companion.core.text import Say, Several, Typed, Value
from companion.hall.errors import PairingError
from companion.hall.happenings import Paired, Pairing, Player, System
from companion.hall.record import Tournament, open_round
from companion.hall.standings import Game, games_of, lot, points_text, scores, standings

__all__ = ["Reason", "exchanged", "next_round", "reasons"]

_MOST_BITS = 126
"""Weights up to this width are exact in the matching; more is refused rather than rounded."""


class Reason(msgspec.Struct, frozen=True):
    """Why a pair was made as it was, for the director."""

    table: int
    text: Say


def next_round(now: Tournament, system: System = "swiss") -> Paired:
    """Return the pairing of the next round. PairingError, in one line, where there is none."""
    number = len(now.rounds) + 1
    if now.rounds and now.rounds[-1].missing:
        raise PairingError(open_round(now.rounds[-1]))
    if now.bracket or system == "knockout":
        return Paired(number, "knockout", _knockout(now))
    if len(now.active) < 2:
        raise PairingError(
            Say(
                "a round needs two players, {have} of {all} are in",
                have=len(now.active),
                all=len(now.players),
            )
        )
    if system == "robin":
        return Paired(number, "robin", _robin(now))
    return Paired(number, "swiss", _swiss(now))


# Swiss


class _Swiss:
    """One round: what is known of everybody, and what a pair costs."""

    def __init__(self, now: Tournament) -> None:
        self.now, self.number = now, len(now.rounds) + 1
        self.games = games_of(now)
        self.units = scores(now)
        seeded = sorted(
            now.active,
            key=lambda p: (-self.units[p.id], -p.rating, lot(now.seed, "seat", self.number_of_lots, p.id)),
        )
        self.players: list[Player] = seeded
        self.rank = {player.id: index for index, player in enumerate(seeded)}
        self.group: dict[int, list[int]] = {}
        for player in seeded:
            self.group.setdefault(self.units[player.id], []).append(player.id)
        self.sides = {
            p.id: (_side_cost(self.games, p.id, 0), _side_cost(self.games, p.id, 1)) for p in seeded
        }
        self.place = {player: index for group in self.group.values() for index, player in enumerate(group)}
        self.before = scores(now, self.number - 2) if self.number > 2 else dict.fromkeys(now.players, 0)
        self.newest = {
            p.id: next((g for g in self.games[p.id] if g.round == self.number - 1), None) for p in seeded
        }
        self.met = {
            (p, g.opponent) for p, games in self.games.items() for g in games if g.opponent is not None
        }

    @property
    def number_of_lots(self) -> int:
        """The order of equals is drawn anew each round where pairs are random, else once."""
        return self.number if self.now.rules.order == "random" else 0

    def is_allowed(self, one: int, other: int) -> bool:
        pair = (min(one, other), max(one, other))
        return (one, other) not in self.met and pair not in self.now.forbidden

    def has_had_bye(self, player: int) -> bool:
        return any(g.opponent is None for g in self.games[player])

    def costs(self, one: int, other: int) -> tuple[int, ...]:
        """Return what a pair costs by each rule, the first rule first."""
        gap = abs(self.units[one] - self.units[other])
        (a0, a1), (b0, b1) = self.sides[one], self.sides[other]
        sides = min(a0 + b1, a1 + b0)
        return (
            0,
            gap * gap,
            sides,
            self.floats(one, other, gap),
            self.shared(one, other),
            self.far(one, other),
        )

    def bye_costs(self, player: int) -> tuple[int, ...]:
        """Return what a bye costs: never a second one while another is possible, and low in the standings."""
        above = self.units[player] - min(self.units[p.id] for p in self.players)
        return (
            int(self.has_had_bye(player)),
            above * above,
            0,
            0,
            0,
            len(self.players) - 1 - self.rank[player],
        )

    def floats(self, one: int, other: int, gap: int) -> int:
        """Return how many of two players are moved out of their group the same way as in the round before."""
        if not gap or self.number == 1:
            return 0
        cost = 0
        for player, against in ((one, other), (other, one)):
            newest = self.newest[player]
            if newest is not None and newest.opponent is not None:
                was = self.before[newest.opponent] - self.before[player]
                cost += was * (self.units[against] - self.units[player]) > 0
        return cost

    def shared(self, one: int, other: int) -> int:
        """Return how much two opponents share that they should not."""
        first, second = self.now.players[one], self.now.players[other]
        return sum(
            2 ** (len(self.now.rules.avoid) - index - 1)
            for index, name in enumerate(self.now.rules.avoid)
            if getattr(first, name) and getattr(first, name).casefold() == getattr(second, name).casefold()
        )

    def far(self, one: int, other: int) -> int:
        """Return how far a pair is from the one that the order wants within a group of equal scores."""
        if self.units[one] != self.units[other]:
            return abs(self.rank[one] - self.rank[other])
        a, b, size = self.place[one], self.place[other], len(self.group[self.units[one]])
        if self.now.rules.order == "fold":
            return abs(a + b - (size - 1))
        if self.now.rules.order == "slide":
            return abs(abs(a - b) - size // 2)
        return lot(self.now.seed, "pair", self.number, min(one, other), max(one, other)) % 1024


def _swiss(now: Tournament) -> tuple[Pairing, ...]:
    try:
        import rustworkx
    except ImportError:
        raise PairingError("Swiss pairing needs rustworkx, which comes with table-companion[hall]") from None
    swiss = _Swiss(now)
    ids = [player.id for player in swiss.players]
    pairs = [
        (a, b, swiss.costs(ids[a], ids[b]))
        for a in range(len(ids))
        for b in range(a + 1, len(ids))
        if swiss.is_allowed(ids[a], ids[b])
    ]
    if len(ids) % 2:
        pairs += [(a, len(ids), swiss.bye_costs(player)) for a, player in enumerate(ids)]
    count = len(ids) + len(ids) % 2
    ranges = [1 + count // 2 * max((costs[k] for *_pair, costs in pairs), default=0) for k in range(6)]
    top = 1
    for each in ranges:
        top *= each
    if top.bit_length() + count.bit_length() > _MOST_BITS:
        raise PairingError(
            f"{len(ids)} players need weights of {top.bit_length()} bits, {_MOST_BITS} can be exact"
        )
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    graph.add_edges_from([(a, b, top - _weight(costs, ranges)) for a, b, costs in pairs])
    matched = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if len(matched) * 2 < count:
        raise PairingError(
            Say(
                "round {round} cannot be paired without a rematch or a forbidden pair: {left} of {all} players would be "
                "left over; plan fewer rounds, or allow a pair",
                round=swiss.number,
                left=count - 2 * len(matched),
                all=len(ids),
            )
        )
    bye = next((ids[min(pair)] for pair in matched if max(pair) == len(ids)), None)
    found = [(ids[min(pair)], ids[max(pair)]) for pair in matched if max(pair) < len(ids)]
    found.sort(key=lambda pair: (-max(swiss.units[p] for p in pair), min(swiss.rank[p] for p in pair)))
    tables = [
        Pairing(table, *_seated(now, swiss.games, one, other)) for table, (one, other) in enumerate(found, 1)
    ]
    return (*tables, *(() if bye is None else (Pairing(len(tables) + 1, bye),)))


def _weight(costs: Sequence[int], ranges: Sequence[int]) -> int:
    total = 0
    for cost, each in zip(costs, ranges, strict=True):
        total = total * each + cost
    return total


def _sides(games: dict[int, tuple[Game, ...]], player: int) -> list[int]:
    return [game.side for game in games[player] if game.side is not None and game.is_played]


def _side_cost(games: dict[int, tuple[Game, ...]], player: int, side: int) -> int:
    """Return what a side costs a player: the same one three times running, then more than once ahead, then twice running."""
    had = _sides(games, player)
    ahead = had.count(side) + 1 - had.count(1 - side)
    running = 0
    for before in reversed(had):
        if before != side:
            break
        running += 1
    return (16 if running >= 2 else 0) + (4 * (ahead - 1) if ahead > 1 else 0) + (running > 0)


def _seated(now: Tournament, games: dict[int, tuple[Game, ...]], one: int, other: int) -> tuple[int, int]:
    """Return two players in the order of their sides; what is equal is drawn."""
    here = _side_cost(games, one, 0) + _side_cost(games, other, 1)
    there = _side_cost(games, one, 1) + _side_cost(games, other, 0)
    if here != there:
        return (one, other) if here < there else (other, one)
    drawn = lot(now.seed, "side", len(now.rounds) + 1, min(one, other), max(one, other))
    return (one, other) if drawn % 2 else (other, one)


# Round robin and knock-out


def _robin(now: Tournament) -> tuple[Pairing, ...]:
    """Return the next round of Berger tables, by the order in which players came in; whoever lacks an opponent has a bye."""
    ids = [player.id for player in now.players.values()]
    size = len(ids) + len(ids) % 2
    done = sum(one.system == "robin" for one in now.rounds)
    if done >= size - 1:
        raise PairingError(
            Say("all {rounds} rounds of everybody against everybody are played", rounds=size - 1)
        )
    seats: list[int | None] = [*ids, *([None] * (size - len(ids)))]
    last, ring = seats[-1], seats[:-1]
    turned = [ring[(index + done) % (size - 1)] for index in range(size - 1)]
    rows = [(turned[0], last) if done % 2 == 0 else (last, turned[0])]
    rows += [(turned[k], turned[-k]) if k % 2 else (turned[-k], turned[k]) for k in range(1, size // 2)]
    pairs: list[tuple[int, int | None]] = []
    for one, other in rows:
        here = [p for p in (one, other) if p is not None and p not in now.withdrawn]
        if here:
            pairs.append((here[0], here[1] if len(here) == 2 else None))
    pairs.sort(key=lambda pair: pair[1] is None)
    return tuple(Pairing(table, *pair) for table, pair in enumerate(pairs, 1))


def _knockout(now: Tournament) -> tuple[Pairing, ...]:
    """Return the next round of the brackets: seeded at first, then winners in bracket order. The best have the byes."""
    last = now.rounds[-1] if now.rounds and now.rounds[-1].system == "knockout" else None
    is_of_this_cut = last is not None and last.number > now.cut_after
    if last is None or not is_of_this_cut:
        seeds = list(now.bracket) or [row.player.id for row in standings(now)]
        seeds = [player for player in seeds if player not in now.withdrawn]
        if len(seeds) < 2:
            raise PairingError(Say("brackets need two players, {have} are in", have=len(seeds)))
        size = 1
        while size < len(seeds):
            size *= 2
        line: list[int | None] = [seeds[s] if s < len(seeds) else None for s in _bracket(size)]
    else:
        line = []
        for pairing in sorted(last.tables, key=lambda p: p.table):
            result = last.results.get(pairing.table)
            winner = pairing.first if pairing.second is None else result.winner if result else None
            line.append(winner if winner not in now.withdrawn else None)
        if len(line) < 2:
            raise PairingError(Say("the final has been played"))
    tables = []
    for table, (one, other) in enumerate(zip(line[::2], line[1::2], strict=True), 1):
        here = [player for player in (one, other) if player is not None]
        if len(here) == 2:
            tables.append(Pairing(table, *_seated(now, games_of(now), here[0], here[1])))
        elif here:
            tables.append(Pairing(table, here[0]))
    return tuple(tables)


def _bracket(size: int) -> list[int]:
    """Return seeds in bracket order, so that the best two can meet only in the final.

    Example:
        >>> _bracket(8)
        [0, 7, 3, 4, 1, 6, 2, 5]
    """
    line = [0]
    while len(line) < size:
        top = 2 * len(line) - 1
        line = [seed for one in line for seed in (one, top - one)]
    return line


def exchanged(now: Tournament, one: int, other: int) -> Paired:
    """Return the newest round with two players exchanged; at one table that exchanges their sides.

    PairingError where one does not sit in it, or where a pair would be made that has met or must not meet.
    """
    if not now.rounds:
        raise PairingError(Say("no round has been paired"))
    last = now.rounds[-1]
    seats = {seat for pairing in last.tables for seat in (pairing.first, pairing.second)}
    for player in (one, other):
        if player not in seats:
            who = now.players[player].name if player in now.players else f"player {player}"
            raise PairingError(Say("{who} is not in round {round}", who=Typed(who), round=last.number))
    if one == other:
        raise PairingError(Say("two different players are exchanged"))
    turned = {one: other, other: one}
    tables = tuple(
        Pairing(
            p.table,
            turned.get(p.first, p.first),
            None if p.second is None else turned.get(p.second, p.second),
        )
        for p in last.tables
    )
    met = {
        (min(p.first, p.second), max(p.first, p.second))
        for played in now.rounds[:-1]
        for p in played.tables
        if p.second is not None
    }
    for pairing in tables:
        if pairing.second is None:
            continue
        pair = (min(pairing.first, pairing.second), max(pairing.first, pairing.second))
        one_name, other_name = (Typed(now.players[player].name) for player in pair)
        if pair in met:
            raise PairingError(
                Say("{one} and {other} have met already; nothing was changed", one=one_name, other=other_name)
            )
        if pair in now.forbidden:
            raise PairingError(
                Say("{one} and {other} must not meet; nothing was changed", one=one_name, other=other_name)
            )
    return Paired(last.number, last.system, tables)


def reasons(now: Tournament, paired: Paired) -> tuple[Reason, ...]:
    """Return for each table why it is as it is: scores, what the players share, and which sides they had."""
    games, units, unit = games_of(now), scores(now), now.rules.score.unit
    found = []
    for pairing in paired.tables:
        first = now.players[pairing.first]
        if pairing.second is None:
            own = Typed(points_text(units[first.id], unit))
            found.append(Reason(pairing.table, Say("{points} points, bye", points=own)))
            continue
        second = now.players[pairing.second]
        one, other = (Typed(points_text(units[player.id], unit)) for player in (first, second))
        parts: list[Value] = [Say("{one} : {other} points", one=one, other=other)]
        for name in now.rules.avoid:
            if getattr(first, name) and getattr(first, name) == getattr(second, name):
                parts.append(Say("same club") if name == "club" else Say("same country"))
        for player in (first, second):
            had = _sides(games, player.id)
            if had:
                parts.append(
                    Say(
                        "{player} had {side} {n} of {all} times",
                        player=Typed(player.name),
                        side=Typed(now.rules.sides[0]),
                        n=had.count(0),
                        all=len(had),
                    )
                )
        found.append(Reason(pairing.table, Say("{why}", why=Several(tuple(parts), "comma"))))
    return tuple(found)
