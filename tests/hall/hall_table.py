"""What the tests of the hall share: small tournaments, and random ones played through."""

from __future__ import annotations

import random

from companion.hall.happenings import (
    Entered,
    Happening,
    Player,
    ResultTaken,
    Rules,
    TournamentBegun,
    Withdrawn,
)
from companion.hall.outcome import Result
from companion.hall.pairing import next_round
from companion.hall.record import Tournament, fold, happen


def tournament(players: int, rules: Rules | None = None, seed: str = "s") -> Tournament:
    """Return a tournament at its start; players are A1, A2 ..."""
    happenings: list[Happening] = [TournamentBegun("t", "Cup", rules or Rules(), seed)]
    happenings += [Entered(Player(n, f"A{n}")) for n in range(1, players + 1)]
    return fold(happenings)


def with_results(now: Tournament, *results: tuple[int, Result]) -> Tournament:
    """Return a tournament with results of its newest round."""
    for table, result in results:
        now = happen(now, ResultTaken(len(now.rounds), table, result))
    return now


def played(seed: int) -> Tournament:
    """Return a random Swiss tournament played to its end: any size, clubs, ratings, people who leave."""
    rng = random.Random(seed)
    size = rng.randint(5, 30)
    rounds = min(7, size // 2 - 1)
    order = rng.choice(("fold", "slide", "random"))
    now = tournament(0, Rules(order=order), str(seed))  # type: ignore[arg-type]
    for n in range(1, size + 1):
        now = happen(
            now, Entered(Player(n, f"A{n}", rng.choice(("", "x", "y", "z")), rating=rng.randint(0, 4)))
        )
    for _ in range(rounds):
        if len(now.active) > 2 * rounds + 3 and rng.random() < 0.15:
            now = happen(now, Withdrawn(rng.choice(now.active).id))
        now = happen(now, next_round(now))
        for pairing in now.rounds[-1].tables:
            if pairing.second is not None:
                winner = rng.choice((pairing.first, pairing.second, None))
                now = with_results(now, (pairing.table, Result(winner)))
    return now
