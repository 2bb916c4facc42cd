"""What North Africa tells of an evening: territories, combats with odds and losses, dice volley by volley, exact luck."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from companion.core.history import Entry
from companion.core.ids import Nation, SiteId
from companion.core.state import GameState
from companion.core.text import Count, Say, Value, area, nation, several, side, unit
from companion.games.aana.pages.decisions import costly
from companion.games.aana.pages.evening import (
    ROLES,
    attacking_side,
    combat_key,
    course,
    side_of,
    title_say,
)
from companion.games.aana.pages.luck import evening_luck
from companion.games.aana.pages.odds import chances_before
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, FACES
from companion.games.aana.rules.fight import Fight, Shot, firing, lost_of, taken
from companion.games.aana.rules.fight_dice import expected_volleys
from companion.games.aana.rules.figures import SIDE_OF
from companion.games.aana.rules.ledger import board, figures, ledger_of
from companion.games.aana.rules.mines import MINE_NEED
from companion.odds import luck
from companion.odds.coaching import coach_fault, worth_say
from companion.pages.film.telling import Costly, Fought, GameFilm, Held, Lost, Luck, Throw, Told
from companion.pages.page import Die
from companion.pages.report_parts import ReportSource

__all__ = ["NorthAfricaFilm"]


_RESULTS = {
    "attacker": Say("nobody was left to defend"),
    "defender": Say("nobody was left to attack"),
    "both": Say("nobody was left on either side"),
    "ceased": Say("the attack ceased"),
    "stalemate": Say("nobody could hit or leave any more"),
}


class NorthAfricaFilm(GameFilm):
    """The campaign: its chart knows no points, so the film counts territories."""

    points_title = Say("Territories held")
    is_score = False
    judges_decisions = True
    decisions_head = Say("Exchange by cost, from there on")
    no_better = Say("No decision on losses, pressing or ceasing could have been better.")

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

    def told(self, entry: Entry, before: GameState, after: GameState) -> Told:
        """Return the combat of an act, and the volleys that fell with it."""
        throws: list[Throw] = []
        key = ""
        was = bm.fight_of(before)
        for event in entry.events:
            match event:
                case bm.FireRolled(fight, _origin):
                    key = combat_key(before, fight.attack)
                    seen = len(was.shots) if was is not None and was.attack == fight.attack else 0
                    throws += _volleys(before, was, fight, fight.shots[seen:])
                case bm.FightChanged() | bm.CombatConcluded():
                    key = combat_key(before, event.fight.attack)
                case bm.AttackDeclared(attack) | bm.AttackChanged(attack):
                    key = key or combat_key(before, attack.id)
                case bm.MinesRolled():
                    throws.append(_mines(before, event))
                case _:
                    pass
        more = None
        now = bm.fight_of(after)
        is_paid = any(isinstance(one, bm.FightChanged) and one.what == "losses" for one in entry.events)
        if is_paid and was is not None and now is not None:
            gone = {**taken(was, now, ATTACKER), **taken(was, now, DEFENDER)}
            more = several((Count(n, unit(id_)) for id_, n in gone.items()), "comma") if gone else None
        return Told(key, tuple(throws), more)

    def battles(self, source: ReportSource, around: Callable[[int], GameState]) -> tuple[Fought, ...]:
        """Return every combat that was opened, with the odds before its first round."""
        found: dict[str, Fought] = {}
        for entry, fight, is_over in course(source):
            before = around(entry.seq)
            key = combat_key(before, fight.attack)
            known = found.get(key)
            odds, chance = (None, None) if known is None else (known.before, known.chance)
            under_way = bm.fight_of(before)
            if odds is None and under_way is not None and under_way.round_no == 1:
                chances = chances_before(before, under_way)
                if chances is not None:
                    chance = chances[0]
                    clear = worth_say("clear", chances[0])
                    odds = (
                        Say("Before the combat: defender eliminated {a}", a=clear)
                        if under_way.rules.domain == "sea"
                        else Say(
                            "Before the combat: defender eliminated {a}, territory taken {c}",
                            a=clear,
                            c=worth_say("space", chances[1]),
                        )
                    )
            found[key] = _fought(before, key, fight, odds, chance, is_over=is_over)
        return tuple(found.values())

    def battles_say(self, count: int) -> Say:
        """Return how many combats there were."""
        return Say.counted("{n} combat was fought.", "{n} combats were fought.", count)

    def won_say(self, count: int) -> Say:
        """Return after how many of them nobody was left to defend."""
        return Say("Defenders eliminated: {n}.", n=count)

    def luck(self, source: ReportSource, *, is_brief: bool = False) -> Luck:
        """Return hits by the volleys that were thrown, and losses by each combat's odds from its beginning."""
        return evening_luck(source, is_brief=is_brief)

    def costly(self, source: ReportSource) -> tuple[Costly, ...] | Say:
        """Return the three choices of losses, pressing or ceasing that cost most; never of a tournament."""
        refused = coach_fault(source.change.state, is_on=True)
        return refused.detail if refused is not None and refused.detail is not None else costly(source)


# Dice


def _dice(values: tuple[int, ...], need: int) -> tuple[Die, ...]:
    return tuple(
        Die(str(n), FACES, value, "any", "hit" if value <= need else "miss") for n, value in enumerate(values)
    )


def _volleys(state: GameState, was: Fight | None, fight: Fight, shots: tuple[Shot, ...]) -> list[Throw]:
    """Return the dice of a stage volley by volley, with the units that fired."""
    asked = expected_volleys(figures(state), was) if was is not None else ()
    if was is None or len(asked) != len(shots):
        return [_volley(state, fight, shot, None) for shot in shots]
    kinds = [[was.kinds(firing(was.stage))[n].unit for n in volley.kinds] for volley in asked]
    return [
        _volley(state, fight, shot, several(map(unit, dict.fromkeys(of)), "comma"))
        for shot, of in zip(shots, kinds, strict=True)
    ]


def _volley(state: GameState, fight: Fight, shot: Shot, units: Value | None) -> Throw:
    of = side_of(state, fight, shot.role)
    chance = Fraction(*shot.chance)
    return Throw(
        of,
        Say("{side}, {need} or less", side=side(of), need=shot.need)
        if units is None
        else Say("{side}: {units}, {need} or less", side=side(of), units=units, need=shot.need),
        _dice(shot.values, shot.need),
        shot.hits,
        float(shot.dice * chance),
        luck.at_least(luck.of_binomial(shot.dice, float(chance)), shot.hits),
    )


def _mines(state: GameState, event: bm.MinesRolled) -> Throw:
    chance = MINE_NEED / FACES
    owner = ledger_of(state).control.get(SiteId(event.owner), Nation(event.owner))
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
        title_say(fight),
        attacking_side(state, fight),
        odds,
        chance,
        _RESULTS.get(fight.result) if is_over else None,
        fight.result == "attacker" if is_over else None,
        tuple(_lost(state, fight, role) for role in ROLES),
    )


def _lost(state: GameState, fight: Fight, role: str) -> Lost:
    gone = lost_of(fight, role)
    words = several((Count(n, unit(id_)) for id_, n in gone.items()), "comma") if gone else None
    return Lost(side_of(state, fight, role), words, sum(gone.values()), tuple(gone.items()))
