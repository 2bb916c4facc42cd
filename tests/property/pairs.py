"""Pairs of evenings in great numbers: two that differ in one secret alone are the same to everybody else.

    python -m tests.property.pairs 20000 [SEED]

An evening goes on at several tables from the moment at which somebody hides something, at each in another way, so that each two
of them are a pair. What others may know is compared as values, whole and after everything that is asked:
log, state, refusals; every page, report and film of a table is a function of these. That they are no function of more is held
by comparing them too, at some tables as text, and what phones are sent, frame by frame.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from companion.pages.modules import modules
from companion.pages.page import Page, act_ids
from tests.phones.test_own import CLOCK, DESKS, Phones, answer
from tests.property.frames import Sent
from tests.property.test_secrets_games import SEALED, sealed_evening
from tests.property.test_secrets_med import evening_of, shared
from tests.property.twin import twin

__all__ = ["played"]

_ROUNDS, _PRESSES, _TABLES = 2, 8, 16
_SHARES = {"sfw96": 15, "sfw1": 15, "aana": 15, "tsu": 15, "med": 40}
"""Of a hundred pairs so many of each game: the card game hides most."""


def drafted(game: str, seed: int) -> list[int]:
    """Let a side enter something on its own phone, at each table something else, until it sends it. Return at how many."""
    chance = random.Random(seed)
    desk = DESKS[game]()
    desk.end_acts(chance.randint(0, 3))
    tables = [Phones(twin(desk)) for _n in range(_TABLES)]
    first, *others = tables
    sides = first.sides
    hider = chance.choice(sides)
    watching = [side for side in sides if side != hider]
    sent = [Sent(table.desk) for table in tables]
    found = set[int]()
    begun = first.desk.change.seq  # type: ignore[union-attr]
    for _round in range(_ROUNDS):
        for table in others:
            if table.desk.change.seq == begun:  # type: ignore[union-attr]
                _press(table, hider, chance, begun)
        sight = _pages(first, watching)
        for n, table in enumerate(others, 1):
            if table.desk.change.seq == begun:  # type: ignore[union-attr]
                assert _pages(table, watching) == sight, (game, seed, n)
                assert sent[n].new() == [], "what nobody sees is no news"
                found.add(n)
    return [len(found) + 1]


def _press(table: Phones, side: str, chance: random.Random, seq: int) -> None:
    own = modules()[table.state.frozen_setup.game].own
    screens = [CLOCK, *(one.key for one in own().screens)] if own is not None else [CLOCK]
    for _n in range(chance.randint(1, _PRESSES)):
        page = table.page(side)
        acts = [one for one in act_ids(page) if not one.startswith("own.") or chance.random() < 0.2]
        if page.form is not None and chance.random() < 0.9:
            given = {field.key: answer(field, chance) for field in page.form.fields}
            table.press(side, page.form.act, **given)
        elif acts and chance.random() < 0.8:
            table.press(side, chance.choice(acts))
        else:
            table.press(side, f"own.go.{chance.choice(screens)}")
        if table.desk.change.seq != seq:  # type: ignore[union-attr]
            return


def _pages(table: Phones, sides: list[str]) -> list[Page]:
    """Return every page of some sides' own phones."""
    own = modules()[table.state.frozen_setup.game].own
    screens = [CLOCK, *(one.key for one in own().screens)] if own is not None else [CLOCK]
    found = []
    for side in sides:
        for screen in screens:
            table.press(side, f"own.go.{screen}")
            found.append(table.page(side))
    return found


def _sealed(game: str, seed: int) -> list[int]:
    with tempfile.TemporaryDirectory(prefix="companion-pairs-") as folder:
        return sealed_evening(game, Path(folder), seed, tables=_TABLES)


def _kinds() -> Iterator[tuple[str, str, Callable[[int], list[int]]]]:
    """Return what may be hidden, by game, in turns without an end."""
    while True:
        yield "med", "face down", evening_of
        for _n in range(4):  # few tricks are shared out, and few cards of each
            yield "med", "piles", partial(shared, operations=4)
        for game in SEALED:
            yield game, "sealed", partial(_sealed, game)
        for game in DESKS:
            yield game, "drafts", partial(drafted, game)


def played(pairs: int, seed: int = 0, tell: Callable[[str], object] = lambda _line: None) -> Counter[str]:
    """Play so many pairs at least, each game its share; return how many of each kind there were.

    AssertionError where any tells something.
    """
    found, faults, beside, start_s = Counter[str](), list[str](), 0, time.process_time()
    games, evenings = Counter[str](), 0
    for turn, (game, what, play) in enumerate(_kinds(), 1):
        if all(100 * games[one] >= share * pairs for one, share in _SHARES.items()):
            break
        if 100 * games[game] >= _SHARES[game] * pairs:
            continue
        evenings += 1
        try:
            tables = play(seed + turn)
            count = sum(n * (n - 1) // 2 for n in tables)
            games[game] += count
            found[f"{game} {what}"] += count
            beside += sum(n - 1 for n in tables)
        except AssertionError as fault:
            faults.append(f"{game} {what}, seed {seed + turn}: {fault!s:.400}")
            tell(f"FAULT {faults[-1]}")
            if len(faults) > 20:
                break
        if evenings % 20 == 0:
            tell(_told(found, games, beside, evenings, start_s))
    tell(_told(found, games, beside, evenings, start_s))
    assert not faults, "\n".join(faults)
    return found


def _told(found: Counter[str], games: Counter[str], beside: int, evenings: int, start_s: float) -> str:
    took = f"{evenings} evenings, {time.process_time() - start_s:.0f} s of processor time"
    return f"{found.total()} pairs, {beside} tables beside a first one, {took}: {dict(games)}, {dict(found)}"


if __name__ == "__main__":
    played(
        int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, lambda line: print(line, flush=True)
    )
