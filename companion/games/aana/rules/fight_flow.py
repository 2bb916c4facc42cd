"""How a combat goes on from stage to stage. Every function returns the next `Fight`; dice and decisions come from
the table, and casualties are proposed by the same functions that the odds use.

Source: rulebook, General Combat Sequence.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from companion.games.aana.rules.casualties import (
    TRANSPORT,
    Cargo,
    Hits,
    escape,
    transports_hit,
)
from companion.games.aana.rules.combat import (
    ATTACKER,
    DEFENDER,
    Counts,
    air_defence_shots,
    hit_chance,
    strikers,
    total,
)
from companion.games.aana.rules.fight import (
    DICE_STAGES,
    Fight,
    Shot,
    VolleyRoll,
    arena_for,
    costs_of,
    firing,
)
from companion.games.aana.rules.fight_dice import expected_volleys
from companion.games.aana.rules.fight_losses import loser, loser_counts, proposed
from companion.games.aana.rules.figures import FigureBook
from companion.games.aana.rules.rounds import (
    DefencePlan,
    Field,
    aaa_alone,
    aaa_fate,
    aaa_stands,
    ending,
    has_surrendered,
    needs_supply,
    orders,
    without_scouts,
)

__all__ = [
    "again",
    "begin",
    "fired",
    "is_round_ahead",
    "leave",
    "ordered",
    "pressed",
    "with_losses",
]


def begin(book: FigureBook, fight: Fight) -> Fight:
    """Go to the first stage that asks something of the table."""
    arena = arena_for(book, fight)
    if not total(fight.d) and not fight.cargo.count:
        return replace(fight, stage="over", result="attacker")
    if air_defence_shots(arena, fight.a, fight.d):
        return replace(fight, stage="air_defence")
    return _after_air_defence(book, fight)


def _after_air_defence(book: FigureBook, fight: Fight) -> Fight:
    if not total(fight.a):
        return replace(fight, stage="over", result="defender")
    if aaa_alone(arena_for(book, fight), fight.d):
        return replace(fight, stage="over", result="attacker", d=(0,) * len(fight.d))
    return _begin_round(book, fight)


def _begin_round(book: FigureBook, fight: Fight) -> Fight:
    nobody = (0,) * len(fight.d)
    fight = replace(
        fight,
        a_begin=fight.a,
        d_begin=fight.d,
        fire_d=fight.d,
        retreating=nobody,
        scored=False,
        strike_a=False,
        strike_d=False,
    )
    has_orders = fight.rules.domain == "land" or _may_strike(book, fight)
    return replace(fight, stage="orders") if has_orders else _to_dice(book, fight, "attack")


def _may_strike(book: FigureBook, fight: Fight) -> bool:
    arena = arena_for(book, fight)
    return bool(strikers(arena, ATTACKER, fight.a, fight.d) or strikers(arena, DEFENDER, fight.d, fight.a))


def is_round_ahead(book: FigureBook, fight: Fight) -> bool:
    """Say whether a round is about to begin: nothing of it was ordered or rolled.

    At sea a round in which no submarine may strike begins with the attackers' dice.
    """
    if fight.stage == "attack":
        return fight.rules.domain == "sea" and not _may_strike(book, fight)
    return fight.stage == "orders"


def ordered(
    book: FigureBook,
    fight: Fight,
    *,
    fights: bool,
    exempt_fight: bool,
    submerge_attack: int = 0,
    submerge_defence: int = 0,
) -> Fight:
    """Take the orders of step 1. Whether the token for the defence was paid is the caller's matter."""
    arena = arena_for(book, fight)
    if fight.rules.domain == "sea":
        a_subs = strikers(arena, ATTACKER, fight.a, fight.d)
        d_subs = strikers(arena, DEFENDER, fight.d, fight.a)
        a, a_out = _submerged(fight.a, fight.a_out, a_subs, submerge_attack)
        d, d_out = _submerged(fight.d, fight.d_out, d_subs, submerge_defence)
        fight = replace(
            fight,
            a=a,
            a_out=a_out,
            d=d,
            d_out=d_out,
            fire_d=d,
            strike_a=any(a[i] for i in a_subs),
            strike_d=any(d[i] for i in d_subs),
        )
        return _to_dice(book, fight, "strike_attack")
    plan = DefencePlan(retreat_round=None if fights else 1, exempt_fight=exempt_fight)
    supply = 1 if needs_supply(arena, fight.d) else 0
    field = Field(fight.a, fight.d, fight.a_out, fight.d_out, Cargo(), Cargo(), (), supply, 1)
    given = orders(arena, plan, field)
    if fights and aaa_stands(arena, fight.d, fight.round_no):
        return replace(fight, stage="over", result="attacker", d=(0,) * len(fight.d))
    fight = replace(fight, fire_d=given.fighting, retreating=given.retreating)
    return _to_dice(book, fight, "attack")


def _submerged(counts: Counts, out: Counts, subs: Iterable[int], n: int) -> tuple[Counts, Counts]:
    own, gone = list(counts), list(out)
    for i in subs:
        going = min(n, own[i])
        own[i] -= going
        gone[i] += going
        n -= going
    return tuple(own), tuple(gone)


def _to_dice(book: FigureBook, fight: Fight, stage: str) -> Fight:
    """Go to a dice stage, or past it when nobody rolls in it."""
    order = DICE_STAGES[DICE_STAGES.index(stage) :]
    for name in order:
        if name == "attack" and fight.strike_d:
            # Struck submarines are gone before step 2; all others fire in step 3.
            fight = replace(fight, fire_d=fight.d)
        fight = replace(fight, stage=name)
        if expected_volleys(book, fight):
            return fight
    return _to_leave(book, fight)


def fired(book: FigureBook, fight: Fight, rolls: tuple[VolleyRoll, ...]) -> Fight:
    """Take the dice of a stage; hits go to stage ``losses`` when somebody can take them."""
    role = firing(fight.stage)
    plain = {"any": 0, "no_air": 0, "no_sub": 0}
    aimed: list[tuple[str, str, int]] = []
    shots: list[Shot] = []
    for volley, roll in zip(expected_volleys(book, fight), rolls, strict=True):
        hits = sum(value <= volley.need for value in roll.values)
        forced = (hits if volley.aim else 0) if roll.forced is None else roll.forced
        for unit, n in roll.at.items():
            if n:
                aim = TRANSPORT if unit == TRANSPORT else f"{volley.aim}:{unit}"
                aimed.append((aim, volley.reach, n))
        rest = forced - sum(roll.at.values())
        if rest:
            aimed.append((volley.aim, volley.reach, rest))
        plain[volley.reach] += hits - forced
        chance = hit_chance(volley)
        shots.append(
            Shot(
                fight.round_no,
                role,
                fight.stage,
                volley.dice,
                volley.need,
                (chance.numerator, chance.denominator),
                hits,
                roll.values,
            )
        )
    found = Hits(plain["any"], plain["no_air"], plain["no_sub"], tuple(aimed))
    fight = replace(
        fight,
        shots=(*fight.shots, *shots),
        hits=found,
        fired_stage=fight.stage,
        scored=fight.scored or (role == DEFENDER and fight.stage == "defence" and found.count > 0),
    )
    if proposed(book, fight) == (loser_counts(fight), fight.cargo):
        return _after_losses(book, replace(fight, hits=Hits()))
    return replace(fight, stage="losses")


def with_losses(book: FigureBook, fight: Fight, left: Counts, cargo: Cargo) -> Fight:
    """Take the losses and go on."""
    if loser(fight) == ATTACKER:
        fight = replace(fight, a=left)
    else:
        fight = replace(fight, d=left, cargo=cargo)
    return _after_losses(book, replace(fight, hits=Hits()))


def _after_losses(book: FigureBook, fight: Fight) -> Fight:
    stage = fight.fired_stage
    if stage == "air_defence":
        return _after_air_defence(book, fight)
    following = {
        "strike_attack": "strike_defence",
        "strike_defence": "attack",
        "attack": "defence",
    }.get(stage)
    if stage == "strike_attack" and not fight.strike_d:
        fight = replace(fight, fire_d=fight.d)
    return _to_dice(book, fight, following) if following else _to_leave(book, fight)


def _to_leave(book: FigureBook, fight: Fight) -> Fight:
    """Go to step 4: somebody retreats or escapes, or it passes."""
    going = tuple(map(min, fight.retreating or (0,) * len(fight.d), fight.d))
    fight = replace(fight, retreating=going)
    if any(going) or fight.cargo.count:
        return replace(fight, stage="leave")
    return _to_press(book, fight)


def leave(
    book: FigureBook, fight: Fight, *, lost: Counts | None = None, behind: Cargo | None = None
) -> Fight:
    """Carry out retreats and the escape.

    Args:
        lost: Retreating units that have nowhere to go; None = none.
        behind: What stays when the defender chose who escapes; None = the two dearest bays.
    """
    going = fight.retreating
    d = tuple(n - g for n, g in zip(fight.d, going, strict=True))
    gone = (0,) * len(going) if lost is None else lost
    away_now = tuple(g - n for g, n in zip(going, gone, strict=True))
    d_out = tuple(o + g for o, g in zip(fight.d_out, away_now, strict=True))
    leaves = "retreat" if any(away_now) and not any(d) else fight.leaves
    cargo, away = fight.cargo, fight.cargo_out
    if cargo.count:
        if behind is None:
            cargo, away = escape(cargo, costs_of(book, cargo), away)
        else:
            away = transports_hit(cargo, behind, away)
            cargo = behind
    fight = replace(
        fight,
        d=d,
        d_out=d_out,
        leaves=leaves,
        cargo=cargo,
        cargo_out=away,
        retreating=(0,) * len(d),
    )
    return _to_press(book, fight)


def _to_press(book: FigureBook, fight: Fight) -> Fight:
    """Go to step 5 once step 4 is over; lone Vichy survivors may surrender first."""
    arena = arena_for(book, fight)
    if has_surrendered(arena, fight.d, fight.scored):
        gone = tuple(o + n for o, n in zip(fight.d_out, fight.d, strict=True))
        nobody = (0,) * len(fight.d)
        return replace(fight, d=nobody, d_out=gone, stage="over", result="attacker", leaves="surrender")
    field = Field(fight.a, fight.d, fight.a_out, fight.d_out, fight.cargo, Cargo(), (), 0, fight.round_no)
    result = (aaa_fate(arena, fight.d) if total(fight.a) else "") or ending(arena, field)
    if result == "attacker":
        return replace(fight, stage="over", result=result, d=(0,) * len(fight.d))
    if result is not None:
        return replace(fight, stage="over", result=result)
    a, a_out = without_scouts(arena, fight.a, fight.a_out)
    fight = replace(fight, a=a, a_out=a_out)
    if not any(a):
        return replace(fight, stage="over", result="ceased")
    return replace(fight, stage="press")


def again(book: FigureBook, fight: Fight) -> Fight:
    """Judge a combat once more that waits to be pressed, after a ruling on it was changed."""
    return _to_press(book, fight) if fight.stage == "press" else fight


def pressed(book: FigureBook, fight: Fight, left: Counts) -> Fight:
    """Go on into the next round with some of the attackers; the others are turned aside."""
    out = tuple(o + n - m for o, n, m in zip(fight.a_out, fight.a, left, strict=True))
    return _begin_round(book, replace(fight, a=left, a_out=out, round_no=fight.round_no + 1))
