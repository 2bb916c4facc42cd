"""Words of North Africa's pages as values: pieces, spaces with what stands there, supply, the victory chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.core.ids import SiteId
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Value, area, nation, several, side, unit
from companion.games.aana.rules.fight import key_parts
from companion.games.aana.rules.pieces import Piece, split
from companion.games.aana.rules.victory import judged
from companion.pages import page as pg
from companion.pages.parts import apart, nation_mark
from companion.pages.symbols import unit_short

__all__ = [
    "chart_say",
    "choose",
    "fan_made",
    "owner_mark",
    "piece_say",
    "pieces_say",
    "places_say",
    "supply_say",
    "tile_say",
]


def piece_say(key: str, *, whose: bool = False) -> Value:
    """Return a kind key or piece key as words: ``Infantry, Tobruk``; with its power where it is not plain whose it is."""
    piece, origin = key_parts(key)
    power, kind, damaged = split(piece)
    word: Value = Say("{unit}, damaged", unit=unit(kind)) if damaged else unit(kind)
    if whose:
        word = Say("{power}: {unit}", power=nation(power), unit=word)
    return Say("{unit}, {space}", unit=word, space=area(origin)) if origin else word


def tile_say(state: GameState, key: str) -> Value:
    """Return a kind key or piece key as words on its tile, whose mark stands beside it."""
    piece, origin = key_parts(key)
    _power, kind, damaged = split(piece)
    word: Value = unit_short(state, kind)
    if damaged:
        word = Say("{unit}, damaged", unit=word)
    return Say("{unit}, {space}", unit=word, space=area(origin)) if origin else word


def pieces_say(pieces: Mapping[Piece, int]) -> Value | None:
    """Return pieces on one line, by power; None when there are none."""
    groups: dict[str, list[Value]] = {}
    for key, n in pieces.items():
        power, kind, damaged = split(key_parts(key)[0])
        word = Count(n, unit(kind))
        if n:
            groups.setdefault(power, []).append(Say("{unit}, damaged", unit=word) if damaged else word)
    lines = [
        Say("{power}: {units}", power=nation(power), units=several(items, "comma"))
        for power, items in groups.items()
    ]
    return apart(lines) if lines else None


def owner_mark(state: GameState, key: str) -> pg.Mark:
    """Return how the power of a kind key or piece key is marked."""
    return nation_mark(state.frozen_setup, split(key_parts(key)[0])[0])


def supply_say(tokens: int) -> Say:
    """Return a number of supply tokens."""
    return Say.counted("{n} supply", "{n} supply", tokens)


def places_say(tokens: Mapping[SiteId, int]) -> Value:
    """Return spaces with a number each."""
    return several((Say("{space} {n}", space=area(space), n=n) for space, n in tokens.items()), "comma")


def fan_made(state: GameState) -> Say | None:
    """Say that fan-made values are in play; None when none were loaded."""
    is_fan_made = state.frozen_setup.options.get("values") == "unofficial"
    return Say("unofficial values, fan-made") if is_fan_made else None


def chart_say(state: GameState) -> Say:
    """Return what the victory chart says now."""
    verdict = judged(state)
    if verdict.winner is None:
        return Say("Chart now: draw")
    level = Name("level", verdict.level)
    return Say("Chart now: {side}, {level}", side=side(verdict.winner), level=level)


def choose(
    key: str, title: pg.Words, found: Iterable[tuple[pg.Act, pg.Words]], *, is_wide: bool = True
) -> pg.Ask:
    """Return an act that asks for one of some acts by their words."""
    acts, options = [], []
    for n, (act, words) in enumerate(found):
        acts.append(act)
        options.append(pg.Item(str(n), words))
    return pg.asked(key, title, tuple(options), lambda n: acts[int(n)], is_wide=is_wide)
