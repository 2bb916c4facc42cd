"""What North Africa tells of an evening: territories, combats with odds and losses, dice volley by volley, exact luck."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from companion.core.history import Entry
from companion.core.state import GameState
from companion.core.text import Count, Say, Value, area, nation, several, side, unit
from companion.games.aana.pages.declare import RESULTS
from companion.games.aana.pages.odds import chance_to_win, odds_say
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.combat import FACES
from companion.games.aana.rules.fight import Fight, Shot
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.games.aana.rules.ledger import board, ledger_of
from companion.games.aana.rules.mines import MINE_NEED
from companion.odds import luck
from companion.odds.distributions import Array
from companion.pages.film.luck import Scope, luck_row
from companion.pages.film.telling import Fought, GameFilm, Held, Lost, Luck, LuckRow, Throw, Told
from companion.pages.page import Die
from companion.pages.report import ReportSource

__all__ = ["NorthAfricaFilm"]

_ROLES = ("attacker", "defender")


class NorthAfricaFilm(GameFilm):
    """The campaign: its chart knows no points, so the film counts territories."""

    points_title = Say("Territories held")
    is_score = False

    def points(self, state: GameState) -> Mapping[str, float]:
        """Return how many territories each side holds."""
        found = {info.id: 0.0 for info in state.frozen_setup.sides}
        for one in self.held(state):
            if one.side in found:
                found[one.side] += 1  # type: ignore[index]
        return found  # type: ignore[return-value]

    def held(self, state: GameState) -> tuple[Held, ...]:
        """Return who holds each territory that can be held."""
        own, control = board(state), ledger_of(state).control
        found = []
        for row in own.territories():
            power = control.get(row.id) or row.owner
            if own.is_controllable(row.id) and power:
                found.append(Held(row.id, area(row.id), SIDE_OF.get(power, ""), nation(power)))
        return tuple(found)

    def told(self, entry: Entry, before: GameState, after: GameState) -> Told:  # noqa: ARG002 - events tell it all
        """Return the combat of an act, and the volleys that fell with it."""
        throws: list[Throw] = []
        key = ""
        was = bm.fight_of(before)
        for event in entry.events:
            match event:
                case bm.FireRolled(fight, _origin):
                    key = _key(before, fight.attack)
                    seen = len(was.shots) if was is not None and was.attack == fight.attack else 0
                    throws += [_volley(before, fight, shot) for shot in fight.shots[seen:]]
                case bm.FightChanged() | bm.CombatConcluded():
                    key = _key(before, event.fight.attack)
                case bm.AttackDeclared(attack) | bm.AttackChanged(attack):
                    key = key or _key(before, attack.id)
                case bm.MinesRolled():
                    throws.append(_mines(before, event))
                case _:
                    pass
        return Told(key, tuple(throws))

    def battles(self, source: ReportSource, around: Callable[[int], GameState]) -> tuple[Fought, ...]:
        """Return every combat that was opened, with the odds before its first round."""
        found: dict[str, Fought] = {}
        for entry, fight, is_over in _course(source):
            before = around(entry.seq)
            key = _key(before, fight.attack)
            known = found.get(key)
            odds, chance = (None, None) if known is None else (known.before, known.chance)
            under_way = bm.fight_of(before)
            if (
                odds is None
                and under_way is not None
                and under_way.stage == "orders"
                and under_way.round_no == 1
            ):
                odds = Say("Before the combat: {odds}", odds=odds_say(before, under_way))
                chance = chance_to_win(before, under_way)
            found[key] = _fought(before, key, fight, odds, chance, is_over=is_over)
        return tuple(found.values())

    def battles_say(self, count: int) -> Say:
        """Return how many combats there were."""
        return Say.counted("{n} combat was fought.", "{n} combats were fought.", count)

    def won_say(self, count: int) -> Say:
        """Return after how many of them nobody was left to defend."""
        return Say("Defenders eliminated: {n}.", n=count)

    def luck(self, source: ReportSource, *, is_brief: bool = False) -> Luck:  # noqa: ARG002 - it is quick
        """Return hits by the volleys that were thrown."""
        return _luck(source)


def _key(state: GameState, attack: int) -> str:
    return f"{state.step.stage}.{state.step.nation or ''}.{attack}"


def _course(source: ReportSource) -> Iterator[tuple[Entry, Fight, bool]]:
    """Yield every entry that moved a combat on, with the combat after it and whether it is over."""
    for entry in source.entries:
        if not source.counts(entry.seq):
            continue
        for event in entry.events:
            if isinstance(event, bm.FightChanged | bm.FireRolled | bm.CombatConcluded):
                yield entry, event.fight, isinstance(event, bm.CombatConcluded)


# Dice


def _attacking_side(state: GameState, fight: Fight) -> str:
    powers = [kind.piece.partition(".")[0] for kind in fight.attackers]
    return SIDE_OF.get(powers[0], "") if powers else SIDE_OF.get(state.step.nation or "", "")


def _side_of(state: GameState, fight: Fight, role: str) -> str:
    attacking = _attacking_side(state, fight)
    return attacking if role == "attacker" or not attacking else enemy_of(attacking)


def _dice(values: tuple[int, ...], need: int) -> tuple[Die, ...]:
    return tuple(
        Die(str(n), FACES, value, "any", "hit" if value <= need else "miss") for n, value in enumerate(values)
    )


def _volley(state: GameState, fight: Fight, shot: Shot) -> Throw:
    of = _side_of(state, fight, shot.role)
    chance = Fraction(*shot.chance)
    return Throw(
        of,
        Say("{side}, {need} or less", side=side(of), need=shot.need),
        _dice(shot.values, shot.need),
        shot.hits,
        float(shot.dice * chance),
        luck.at_least(luck.of_binomial(shot.dice, float(chance)), shot.hits),
    )


def _mines(state: GameState, event: bm.MinesRolled) -> Throw:
    chance = MINE_NEED / FACES
    owner = ledger_of(state).control.get(event.owner, event.owner)
    return Throw(
        SIDE_OF.get(owner, ""),
        Say("Mines, {place}", place=area(event.place)),
        _dice(event.values, MINE_NEED),
        event.hits,
        len(event.values) * chance,
        luck.at_least(luck.of_binomial(len(event.values), chance), event.hits),
    )


# Combats


def _fought(
    state: GameState, key: str, fight: Fight, odds: Value | None, chance: float | None, *, is_over: bool
) -> Fought:
    return Fought(
        key,
        _title(fight),
        _attacking_side(state, fight),
        odds,
        chance,
        Say(RESULTS[fight.result]) if is_over and fight.result in RESULTS else None,
        fight.result == "attacker" if is_over else None,
        (
            _lost(_side_of(state, fight, "attacker"), fight.attackers, fight.start_a, fight.a, fight.a_out),
            _lost(_side_of(state, fight, "defender"), fight.defenders, fight.start_d, fight.d, fight.d_out),
        ),
    )


def _title(fight: Fight) -> Say:
    return Say("Combat, {space}", space=area(fight.space))


def _lost(of: str, kinds: Any, start: tuple[int, ...], now: tuple[int, ...], out: tuple[int, ...]) -> Lost:
    gone: dict[str, int] = {}
    for kind, n, left, away in zip(kinds, start, now, out, strict=True):
        if n - left - away > 0:
            gone[kind.unit] = gone.get(kind.unit, 0) + n - left - away
    words = several((Count(n, unit(id_)) for id_, n in gone.items()), "comma") if gone else None
    return Lost(of, words, sum(gone.values()))


# Luck


def _luck(source: ReportSource) -> Luck:
    state = source.change.state
    last: dict[str, Fight] = {}
    for entry, fight, _is_over in _course(source):
        last[f"{getattr(entry.command, 'step', '')}.{fight.attack}"] = fight
    rows, whole = [], {of: _Hits() for of in (info.id for info in state.frozen_setup.sides)}
    for key, fight in last.items():
        for role in _ROLES:
            of, here = _side_of(state, fight, role), _Hits()
            for shot in fight.shots:
                if shot.role == role:
                    here.add(shot)
                    if of in whole:
                        whole[of].add(shot)  # type: ignore[index]
            if here.dice:
                rows.append(_row(state, Scope(key, "battle", side(of), of, _title(fight)), here))
    evening = [
        _row(state, Scope(of, "evening", side(of), of), hits) for of, hits in whole.items() if hits.dice
    ]
    if not evening:
        return Luck((), (Say("No dice rolled in this game yet"),))
    note = Say("Hits: among all that the dice that were thrown might have shown.")
    return Luck((*evening, *rows), (note,))


class _Hits:
    """Hits of some volleys: how many there were, and what might have been."""

    def __init__(self) -> None:
        self.spreads: list[Array] = []
        self.dice = self.hits = 0

    def add(self, shot: Shot) -> None:
        self.spreads.append(luck.of_binomial(shot.dice, float(Fraction(*shot.chance))))
        self.dice += shot.dice
        self.hits += shot.hits


def _row(state: GameState, scope: Scope, hits: _Hits) -> LuckRow:
    shares = luck.total(hits.spreads)
    rank = luck.luckier_than(shares, hits.hits, more_is_lucky=True)
    return luck_row(state, "hits", scope, shares.tolist(), hits.hits, luckier_than=rank, dice=hits.dice)
