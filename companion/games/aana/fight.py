"""One combat under way: its stages, whose decision is next, and what each dice roll may be.

A `Fight` is a value; every function returns the next one. Dice and decisions come from the table. Casualties are
proposed by the same functions that the odds use; the table may choose others within the rules.
Source: rulebook, General Combat Sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

import msgspec
from msgspec.structs import replace

from companion.games.aana.casualties import (
    Cargo,
    Hits,
    LossPolicy,
    after_hits,
    cargo_after_hits,
    escape,
    is_target,
    transports_hit,
)
from companion.games.aana.combat import (
    AIR_DEFENCE_NEED,
    ATTACKER,
    DEFENDER,
    Arena,
    Counts,
    Kind,
    Role,
    Rules,
    Volley,
    air_defence_shots,
    arena_of,
    hit_chance,
    strikers,
    total,
    volleys,
)
from companion.games.aana.figures import FigureBook
from companion.games.aana.rounds import (
    DefencePlan,
    Field,
    aaa_alone,
    ending,
    has_surrendered,
    needs_supply,
    orders,
    raids,
)

__all__ = [
    "DICE_STAGES",
    "Fight",
    "Shot",
    "TRANSPORT",
    "VolleyRoll",
    "aim_types",
    "begin",
    "costs_of",
    "expected_hits",
    "expected_volleys",
    "fire_fault",
    "fired",
    "kind_key",
    "leave",
    "loser",
    "loser_counts",
    "losses_fault",
    "ordered",
    "pressed",
    "proposed",
    "raid_tokens",
    "transport_hits",
    "with_losses",
]

TRANSPORT: Final = "transport"
"""The target type of reinforcements at sea."""

DICE_STAGES: Final = ("air_defence", "strike_attack", "strike_defence", "attack", "defence")


class VolleyRoll(msgspec.Struct, frozen=True, omit_defaults=True):
    """Final values of one volley's dice, rerolls carried out; `forced` = hits that the firer aims."""

    values: tuple[int, ...]
    forced: int | None = None
    """None: all hits of a volley that may aim are aimed."""
    at: dict[str, int] = {}
    """Aimed hits by the unit type that the firer names, ``transport`` at sea; the others fall on the dearest type."""


class Shot(msgspec.Struct, frozen=True, omit_defaults=True):
    """One volley as it fell, for the luck report."""

    round_no: int
    role: str
    stage: str
    dice: int
    need: int
    chance: tuple[int, int]
    """Chance of one die as a fraction: numerator, denominator."""
    hits: int
    values: tuple[int, ...] = ()


class Fight(msgspec.Struct, frozen=True, omit_defaults=True):
    """A combat between two decisions."""

    attack: int
    space: str
    rules: Rules
    attackers: tuple[Kind, ...]
    defenders: tuple[Kind, ...]
    a: Counts
    d: Counts
    a_out: Counts
    d_out: Counts
    start_a: Counts
    start_d: Counts
    stage: str = "open"
    """``air_defence``, ``orders``, a dice stage, ``losses``, ``leave``, ``press`` or ``over``."""
    round_no: int = 1
    fire_d: Counts = ()
    """Defenders that fire in step 3: those who stayed, casualties of step 2 included."""
    retreating: Counts = ()
    a_begin: Counts = ()
    """Attackers at the start of the round, for what their air units may hit."""
    d_begin: Counts = ()
    strike_a: bool = False
    """Attacking submarines strike this round."""
    strike_d: bool = False
    scored: bool = False
    """The defender scored a hit this round."""
    hits: Hits = Hits()
    """Hits to be paid in stage ``losses``."""
    fired_stage: str = ""
    """Dice stage that the hits came from."""
    cargo: Cargo = Cargo()
    cargo_out: Cargo = Cargo()
    shots: tuple[Shot, ...] = ()
    result: str = ""
    leaves: str = ""


def kind_key(kind: Kind) -> str:
    """Return a kind as the table's inputs name it: ``uk.infantry@tobruk``, ``uk.battleship.damaged``."""
    where = f"@{kind.origin}" if kind.origin else ""
    return f"{kind.power}.{kind.unit}{'.damaged' if kind.damaged else ''}{'+' if kind.late else ''}{where}"


def _arena(book: FigureBook, fight: Fight) -> Arena:
    return arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]


def costs_of(book: FigureBook, cargo: Cargo) -> dict[tuple[str, str], int]:
    """Return the known costs of reinforcements at sea."""
    found: dict[tuple[str, str], int] = {}
    for power, unit, _ in cargo.units:
        cost = book.row(power, unit).cost
        if cost is not None:
            found[power, unit] = cost
    return found


def begin(book: FigureBook, fight: Fight) -> Fight:
    """Go to the first stage that asks something of the table."""
    arena = _arena(book, fight)
    if not total(fight.d) and not fight.cargo.count:
        return replace(fight, stage="over", result="attacker")
    if air_defence_shots(arena, fight.a, fight.d):
        return replace(fight, stage="air_defence")
    return _after_air_defence(book, fight)


def _after_air_defence(book: FigureBook, fight: Fight) -> Fight:
    if not total(fight.a):
        return replace(fight, stage="over", result="defender")
    if aaa_alone(_arena(book, fight), fight.d):
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
    arena = _arena(book, fight)
    if fight.rules.domain == "sea":
        may = strikers(arena, ATTACKER, fight.a, fight.d) or strikers(arena, DEFENDER, fight.d, fight.a)
        return replace(fight, stage="orders") if may else _to_dice(book, fight, "attack")
    return replace(fight, stage="orders")


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
    arena = _arena(book, fight)
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


def expected_volleys(book: FigureBook, fight: Fight) -> tuple[Volley, ...]:
    """Return the volleys that the current dice stage asks for, in a fixed order."""
    arena = _arena(book, fight)
    load = fight.cargo.count
    if fight.stage == "air_defence":
        shots = air_defence_shots(arena, fight.a, fight.d)
        guns = tuple(i for i in arena.having(DEFENDER, "air_defence") if fight.d[i])
        return (Volley(guns, shots, AIR_DEFENCE_NEED),) if shots else ()
    subs_a, subs_d = arena.having(ATTACKER, "submersible"), arena.having(DEFENDER, "submersible")
    if fight.stage == "strike_attack" and fight.strike_a:
        return volleys(
            arena,
            ATTACKER,
            fight.a,
            round_no=fight.round_no,
            only=subs_a,
            escort=fight.a_begin,
            enemy=fight.d,
            cargo=load,
        )
    if fight.stage == "strike_defence" and fight.strike_d:
        return volleys(
            arena,
            DEFENDER,
            fight.fire_d,
            round_no=fight.round_no,
            only=subs_d,
            escort=fight.d_begin,
            enemy=fight.a,
        )
    if fight.stage == "attack":
        return volleys(
            arena,
            ATTACKER,
            fight.a,
            round_no=fight.round_no,
            without=subs_a if fight.strike_a else (),
            escort=fight.a_begin,
            enemy=fight.d,
            cargo=load,
        )
    if fight.stage == "defence":
        return volleys(
            arena,
            DEFENDER,
            fight.fire_d,
            round_no=fight.round_no,
            without=subs_d if fight.strike_d else (),
            escort=fight.d_begin,
            enemy=fight.a,
        )
    return ()


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


def fire_fault(book: FigureBook, fight: Fight, rolls: tuple[VolleyRoll, ...]) -> str | None:
    """Say what is wrong with the dice of a stage; None when they can be taken."""
    wanted = expected_volleys(book, fight)
    if len(rolls) != len(wanted):
        return f"{len(wanted)} volleys to roll, {len(rolls)} given"
    for volley, roll in zip(wanted, rolls, strict=True):
        if len(roll.values) != volley.dice:
            return f"{volley.dice} dice at {volley.need}, {len(roll.values)} given"
        for value in roll.values:
            if not 1 <= value <= 10:
                return f"a ten-sided die shows 1 to 10, not {value}"
            if volley.reroll_from and not volley.reroll_once and value >= volley.reroll_from:
                return f"reroll every {volley.reroll_from} and above of this volley, then enter the final results"
        hits = sum(value <= volley.need for value in roll.values)
        if roll.forced is not None and (not volley.aim or not 0 <= roll.forced <= hits):
            return f"{roll.forced} hits aimed, {hits if volley.aim else 0} possible"
        fault = _named_fault(book, fight, volley, roll, hits)
        if fault is not None:
            return fault
    return None


def _named_fault(book: FigureBook, fight: Fight, volley: Volley, roll: VolleyRoll, hits: int) -> str | None:
    """Say what is wrong with the types that aimed fire names."""
    most = hits if roll.forced is None else roll.forced
    if not roll.at:
        return None
    if volley.aim not in ("land", "sea"):
        return "only bombers with a targeted attack name a unit type"
    if any(n < 0 for n in roll.at.values()) or sum(roll.at.values()) > most:
        return f"{sum(roll.at.values())} hits named, {most} aimed"
    for unit in roll.at:
        if unit not in aim_types(book, fight, volley):
            return f"{unit} is no target here"
    return None


def aim_types(book: FigureBook, fight: Fight, volley: Volley) -> tuple[str, ...]:
    """Return the unit types that a volley with a targeted attack may name, ``transport`` for reinforcements at sea."""
    if volley.aim not in ("land", "sea"):
        return ()
    arena = _arena(book, fight)
    found = [
        kind.unit
        for kind, row, n in zip(arena.defenders, arena.defender_rows, fight.d, strict=True)
        if n and is_target(row, volley.aim) and (volley.reach == "any" or row.type != "submarine")
    ]
    if volley.aim == "sea" and fight.cargo.count:
        found.append(TRANSPORT)
    return tuple(dict.fromkeys(found))


def fired(book: FigureBook, fight: Fight, rolls: tuple[VolleyRoll, ...]) -> Fight:
    """Take the dice of a stage; hits go to stage ``losses`` when somebody can take them."""
    role: Role = DEFENDER if fight.stage in ("air_defence", "strike_defence", "defence") else ATTACKER
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


def loser(fight: Fight) -> Role:
    """Return the side that pays the hits at hand."""
    return ATTACKER if fight.fired_stage in ("air_defence", "strike_defence", "defence") else DEFENDER


def loser_counts(fight: Fight) -> Counts:
    """Return the counts of the side that pays."""
    return fight.a if loser(fight) == ATTACKER else fight.d


def proposed(
    book: FigureBook, fight: Fight, policy: LossPolicy | None = None, firing: LossPolicy | None = None
) -> tuple[Counts, Cargo]:
    """Return the payer's counts and the transports after the losses that the loss policy proposes."""
    arena, role = _arena(book, fight), loser(fight)
    own = loser_counts(fight)
    only = None
    if fight.fired_stage == "air_defence":
        air = arena.of_type(ATTACKER, "air")
        only = tuple(n if i in air else 0 for i, n in enumerate(own))
    left, unpaid = after_hits(
        arena,
        role,
        own,
        fight.hits,
        policy=policy or LossPolicy(),
        firing=firing or LossPolicy(),
        fire_on=only,
    )
    load = fight.cargo
    if role == DEFENDER and load.count:
        lost = transport_hits(fight.hits) + (unpaid if fight.rules.spill or not any(left) else 0)
        load = cargo_after_hits(load, lost, costs_of(book, load))
    return left, load


def transport_hits(hits: Hits) -> int:
    """Return the hits that were aimed at transports."""
    return sum(n for aim, _, n in hits.aimed if aim == TRANSPORT)


def _slots(arena: Arena, role: Role, before: Counts, after: Counts) -> dict[str, int] | None:
    """Count the hits by category that lead from one set of counts to another; None when none does."""
    slots = {"air": 0, "submarine": 0, "surface": 0}
    kinds, rows = arena.kinds(role), arena.rows(role)
    carried: dict[Kind, int] = {}
    for i, kind in enumerate(kinds):
        if "two_hits" in rows[i].traits and not kind.damaged:
            lost = before[i] - after[i]
            if lost < 0:
                return None
            slots["surface"] += lost
            carried[replace(kind, damaged=True)] = lost
    for i, kind in enumerate(kinds):
        if "two_hits" in rows[i].traits and not kind.damaged:
            continue
        lost = before[i] + carried.get(kind, 0) - after[i]
        if lost < 0:
            return None
        name = rows[i].type if rows[i].type in ("air", "submarine") else "surface"
        slots[name] += lost
    return slots


def losses_fault(book: FigureBook, fight: Fight, left: Counts) -> str | None:
    """Say why counts are no legal payment of the hits at hand: as many as possible, aims and reach respected."""
    arena, role = _arena(book, fight), loser(fight)
    before = loser_counts(fight)
    best, _ = proposed(book, fight)
    mine, theirs = _slots(arena, role, before, left), _slots(arena, role, before, best)
    if mine is None or theirs is None or any(n < 0 for n in left):
        return "pieces may only be lost, a battleship by way of its first hit"
    if sum(mine.values()) != sum(theirs.values()):
        return f"{sum(theirs.values())} hits to assign, {sum(mine.values())} assigned"
    hits = fight.hits
    spare = {"any": hits.any, "no_air": hits.no_air, "no_sub": hits.no_sub}
    for aim, reach, n in hits.aimed:
        spare[reach] += 0 if aim == TRANSPORT else n
    if mine["air"] > spare["any"] + spare["no_sub"]:
        return "hits of submarines never fall on aircraft"
    if mine["submarine"] > spare["any"] + spare["no_air"]:
        return "hits of aircraft never fall on submarines here"
    if fight.fired_stage == "air_defence" and mine["air"] != sum(mine.values()):
        return "air defence hits aircraft only"
    for aim, wanted in _aim_minimum(arena, role, before, hits).items():
        lost = sum(before[i] - left[i] for i in range(len(left)) if _is_aimed(arena, role, i, aim))
        if lost < wanted:
            return f"{wanted} aimed hits must fall on {aim.partition(':')[2] or aim}, {lost} do"
    return None


def _is_aimed(arena: Arena, role: Role, i: int, aim: str) -> bool:
    what, _, unit = aim.partition(":")
    return is_target(arena.rows(role)[i], what) and unit in ("", arena.kinds(role)[i].unit)


def _aim_minimum(arena: Arena, role: Role, before: Counts, hits: Hits) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for aim, _, n in hits.aimed:
        if aim in ("sea", TRANSPORT):
            continue
        there = sum(count for i, count in enumerate(before) if _is_aimed(arena, role, i, aim))
        found[aim] = min(n, there)
    return found


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
    arena = _arena(book, fight)
    going = tuple(map(min, fight.retreating or (0,) * len(fight.d), fight.d))
    fight = replace(fight, retreating=going)
    if any(going) or fight.cargo.count:
        return replace(fight, stage="leave")
    if has_surrendered(arena, fight.d, fight.scored):
        gone = tuple(o + n for o, n in zip(fight.d_out, fight.d, strict=True))
        return replace(
            fight, d=(0,) * len(fight.d), d_out=gone, stage="over", result="attacker", leaves="surrender"
        )
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
    arena = _arena(book, fight)
    if has_surrendered(arena, fight.d, fight.scored):
        joined = tuple(o + n for o, n in zip(fight.d_out, fight.d, strict=True))
        return replace(
            fight, d=(0,) * len(d), d_out=joined, stage="over", result="attacker", leaves="surrender"
        )
    return _to_press(book, fight)


def _to_press(book: FigureBook, fight: Fight) -> Fight:
    arena = _arena(book, fight)
    field = Field(fight.a, fight.d, fight.a_out, fight.d_out, fight.cargo, Cargo(), (), 0, fight.round_no)
    result = ending(arena, field)
    if result is not None:
        return replace(fight, stage="over", result=result)
    if fight.rules.domain == "land":
        a, a_out = list(fight.a), list(fight.a_out)
        for i in arena.having(ATTACKER, "hit_and_run"):
            a_out[i] += a[i]
            a[i] = 0
        fight = replace(fight, a=tuple(a), a_out=tuple(a_out))
        if not any(a):
            return replace(fight, stage="over", result="ceased")
    return replace(fight, stage="press")


def pressed(book: FigureBook, fight: Fight, left: Counts) -> Fight:
    """Go on into the next round with some of the attackers; the others are turned aside."""
    out = tuple(o + n - m for o, n, m in zip(fight.a_out, fight.a, left, strict=True))
    return _begin_round(book, replace(fight, a=left, a_out=out, round_no=fight.round_no + 1))


def raid_tokens(book: FigureBook, fight: Fight) -> int:
    """Return how many tokens the attackers may destroy before the first dice."""
    return raids(_arena(book, fight), fight.a) if fight.round_no == 1 else 0


def expected_hits(shots: Iterable[Shot]) -> Fraction:
    """Return the mean number of hits of some volleys."""
    return sum((shot.dice * Fraction(*shot.chance) for shot in shots), Fraction(0))
