"""The same odds by plain dictionaries and exact Fractions: slow, and the oracle of the fast ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import Any, Final

import msgspec

from companion.games.aana.rules.casualties import Cargo, Hits, Paid, after_hits, cargo_after_hits, escape
from companion.games.aana.rules.combat import (
    AIR_DEFENCE_NEED,
    ATTACKER,
    DEFENDER,
    Arena,
    Counts,
    Role,
    Volley,
    air_defence_shots,
    hit_chance,
    strikers,
    total,
    volleys,
)
from companion.games.aana.rules.rounds import (
    ENDINGS,
    UNLIMITED,
    AttackPlan,
    DefencePlan,
    Field,
    Pools,
    aaa_alone,
    ending,
    has_surrendered,
    orders,
    press,
    raids,
)

__all__ = ["MAX_ROUNDS", "MAX_STATES", "Ending", "Odds", "TooLargeError", "exact_odds"]

MAX_ROUNDS: Final = 40
"""Rounds told apart; an endless exchange beyond them is summed as a geometric series."""
MAX_STATES: Final = 60_000

Number = Any
Dist = dict[Any, Number]


class TooLargeError(ValueError):
    """The combat has more states than are worked exactly."""


class Ending(msgspec.Struct, frozen=True):
    """One way in which the combat can end."""

    result: str
    """One of `ENDINGS`."""
    rounds: int
    """Rounds fought; 0 when anti-aircraft artillery alone is swept away. `MAX_ROUNDS` + 1 stands for more."""
    attackers: Counts
    """Survivors by kind, retreated and submerged ones included."""
    defenders: Counts
    """Survivors by kind, retreated, submerged and surrendered ones included."""
    cargo: Cargo
    """Reinforcements still within reach of the enemy."""
    escaped: Cargo
    supply_left: tuple[int, ...]
    defence_supply_left: int
    captures: bool
    """The attacker may move in."""
    leaves: str
    """How the last defenders left: ``""``, ``retreat`` or ``surrender``."""
    p: Number


class Odds(msgspec.Struct, frozen=True):
    """What is to be expected of a combat; probabilities sum to 1."""

    results: Mapping[str, Number]
    """Every word of `ENDINGS` to its chance."""
    p_capture: Number
    p_retreat: Number
    """The last defenders leave by retreating."""
    p_surrender: Number
    rounds: Mapping[int, Number]
    """Chance that the combat ends after so many rounds."""
    expected_loss: Mapping[str, Number]
    """Units lost on average, by role and ``cargo`` (supply in bundles of five)."""
    survivors: Mapping[str, tuple[Number, ...]]
    """Units of each kind left on average, by role."""
    left: Mapping[str, Mapping[int, Number]]
    """Chance of exactly so many units left, by role."""
    endings: tuple[Ending, ...]
    """Every end, likeliest first."""


def exact_odds(
    arena: Arena,
    attackers: Counts,
    defenders: Counts,
    *,
    attack: AttackPlan | None = None,
    defence: DefencePlan | None = None,
    cargo: Cargo | None = None,
    costs: Mapping[tuple[str, str], int] | None = None,
    attack_supply: tuple[int, ...] = (UNLIMITED,),
    defence_supply: int = UNLIMITED,
    pools: Pools | None = None,
    from_round: int = 1,
    opened: bool = False,
    exact: bool = False,
) -> Odds:
    """Return the odds of a combat from its start, or from the start of a later round. Mines have been dealt with.

    Args:
        attackers: Pieces by the arena's kinds; the declaration has been paid.
        cargo: The defender's reinforcements on transports.
        costs: Costs of reinforcements, for the choice of which are lost.
        attack_supply: Tokens left for pressing, by pool; `UNLIMITED` where nobody counts.
        defence_supply: Tokens within the defender's reach.
        from_round: The round that is fought first.
        opened: The air defence of round 1 is over.
        exact: Work in Fractions.

    Raises:
        TooLargeError: More than `MAX_STATES` states in one round.
    """
    work = _Work(
        arena,
        attack=attack or AttackPlan(),
        defence=defence or DefencePlan(),
        costs=costs or {},
        pools=pools or Pools(),
        one=Fraction(1) if exact else 1.0,
    )
    nobody_a, nobody_d = (0,) * len(attackers), (0,) * len(defenders)
    start = Field(
        attackers,
        defenders,
        nobody_a,
        nobody_d,
        cargo or Cargo(),
        Cargo(),
        attack_supply,
        defence_supply,
        from_round,
    )
    return work.run(start, opened=opened or from_round > 1)


class _Work:
    """One run; caches what fire does to counts."""

    def __init__(
        self,
        arena: Arena,
        *,
        attack: AttackPlan,
        defence: DefencePlan,
        costs: Mapping[tuple[str, str], int],
        pools: Pools,
        one: Number,
    ) -> None:
        self.arena = arena
        self.attack = attack
        self.defence = defence
        self.costs = costs
        self.pools = pools
        self.one = one
        self._fire: dict[Any, Dist] = {}
        self._losses: dict[Any, Paid] = {}
        self._hits: dict[tuple[Volley, ...], Dist] = {}
        self._binomials: dict[tuple[int, Fraction], list[Number]] = {}
        self.ends: Dist = {}

    # Running

    def run(self, start: Field, *, opened: bool) -> Odds:
        states = {start: self.one} if opened else self._opening(start)
        for round_no in range(start.round_no, MAX_ROUNDS + 1):
            if not states:
                break
            states = self._round(states, round_no)
        if states:
            self._rest(states)
        return self._answer(start)

    def _opening(self, start: Field) -> Dist:
        """Let the air defence fire and sweep away artillery that stands alone."""
        arena = self.arena
        states: Dist = {}
        shots = air_defence_shots(arena, start.attackers, start.defenders)
        for hits, p in enumerate(self._binomial(shots, Fraction(AIR_DEFENCE_NEED, 10))):
            planes = tuple(
                n if i in arena.of_type(ATTACKER, "air") else 0 for i, n in enumerate(start.attackers)
            )
            left = after_hits(
                arena,
                ATTACKER,
                start.attackers,
                Hits(any=hits),
                policy=self.attack.losses,
                firing=self.defence.losses,
                fire_on=planes,
            ).left
            field = start._replace(attackers=left)
            if aaa_alone(arena, field.defenders):
                gone = field._replace(defenders=(0,) * len(field.defenders)) if total(left) else field
                self._end("attacker" if total(left) else "defender", 0, gone, "", p)
            elif not total(left):
                self._end("defender", 0, field, "", p)
            else:
                _add(states, field, p)
        return states

    def _round(self, states: Dist, round_no: int) -> Dist:
        """Fight one round from every state; return the states that go on, ends noted."""
        after: Dist = {}
        for field, p in states.items():
            for (result, leaves, to), q in self._outcomes(field).items():
                if result is None:
                    _add(after, to, p * q)
                else:
                    self._end(result, round_no, to, leaves, p * q)
        if len(after) > MAX_STATES:
            raise TooLargeError(f"round {round_no}: {len(after)} states, at most {MAX_STATES}")
        return after

    def _rest(self, states: Dist) -> None:
        """Sum what an endless exchange still leads to: every state either changes or comes back to itself."""
        queue = {field._replace(round_no=MAX_ROUNDS + 1): p for field, p in _merged(states).items()}
        while queue:
            field = max(queue, key=_size)
            p = queue.pop(field)
            stay = 0 * self.one
            moves: list[tuple[Any, Number]] = []
            for key, q in self._outcomes(field).items():
                result, leaves, to = key
                to = to._replace(round_no=field.round_no)
                if result is None and to == field:
                    stay += q
                else:
                    moves.append(((result, leaves, to), q))
            if not moves:
                self._end("stalemate", MAX_ROUNDS + 1, field, "", p)
                continue
            scale = p / (self.one - stay)
            for (result, leaves, to), q in moves:
                if result is None:
                    _add(queue, to, scale * q)
                else:
                    self._end(result, MAX_ROUNDS + 1, to, leaves, scale * q)

    # One round

    def _outcomes(self, field: Field) -> Dist:
        """Return (result or None, how the last left, field after) -> chance for one round."""
        arena = self.arena
        given = orders(arena, self.defence, field)
        supply = given.supply_left
        if field.round_no == 1 and supply > 0:
            supply = max(0, supply - raids(arena, field.attackers))
        found: Dist = {}
        for (a, d, a_out, d_out, cargo, struck_a, struck_d), p in self._strikes(field).items():
            fighting = given.fighting if arena.rules.domain == "land" else d
            on_d = self._fired(ATTACKER, a, d, field, skip=struck_a, cargo=cargo)
            on_a = self._fired(DEFENDER, fighting, a, field, skip=struck_d)
            for (d_after, cargo_after, _, _), p_d in on_d.items():
                for (a_after, _, scored, others), p_a in on_a.items():
                    after = Field(
                        a_after,
                        d_after,
                        a_out,
                        d_out,
                        cargo_after,
                        field.cargo_out,
                        field.attack_supply,
                        supply,
                        field.round_no,
                    )
                    key = self._close(after, given.retreating, bool(scored))
                    first = key[0]
                    for way, left in others:
                        if self._of_use(key):
                            break
                        tried = self._close(after._replace(attackers=left), given.retreating, bool(scored))
                        if way == "nobody" and first == "ceased":
                            key = (first, key[1], key[2]._replace(attackers=left))
                        elif way == "nobody" or self._of_use(tried):
                            key = tried
                    _add(found, key, p * p_d * p_a)
        return found

    def _strikes(self, field: Field) -> Dist:
        """Let submarines submerge or strike before everybody else."""
        arena = self.arena
        a, d = field.attackers, field.defenders
        first = strikers(arena, ATTACKER, a, d)
        second = strikers(arena, DEFENDER, d, a)
        a_out, d_out = field.attackers_out, field.defenders_out
        if first and self.attack.submerge:
            a, a_out = _moved(a, a_out, first)
            first = ()
        if second and self.defence.submerge:
            d, d_out = _moved(d, d_out, second)
            second = ()
        cargo = field.cargo
        states: Dist = {(a, d, a_out, d_out, cargo, first, second): self.one}
        if first:
            after: Dist = {}
            for (d_left, cargo_left, _, _), p in self._fired(
                ATTACKER, a, d, field, only=first, cargo=cargo
            ).items():
                _add(after, (a, d_left, a_out, d_out, cargo_left, first, second), p)
            states = after
        if second:
            after = {}
            for (_a, d_left, _, _, cargo_left, _, _), p in states.items():
                for (a_left, _, _, _), q in self._fired(DEFENDER, d, a, field, only=second).items():
                    _add(after, (a_left, d_left, a_out, d_out, cargo_left, first, second), p * q)
            states = after
        return states

    def _fired(
        self,
        role: Role,
        own: Counts,
        enemy: Counts,
        field: Field,
        *,
        only: tuple[int, ...] | None = None,
        skip: tuple[int, ...] = (),
        cargo: Cargo | None = None,
    ) -> Dist:
        """Return (enemy counts, cargo, whether anything hit, enemy if nobody is spared) -> chance of one side's fire."""
        present = field.attackers if role == ATTACKER else field.defenders
        load = cargo or Cargo()
        key = (role, own, enemy, min(field.round_no, 2), only, skip, load, present, field.attack_supply)
        known = self._fire.get(key)
        if known is not None:
            return known
        arena = self.arena
        shots = volleys(
            arena,
            role,
            own,
            round_no=field.round_no,
            only=only,
            without=skip,
            escort=present,
            enemy=enemy,
            cargo=load.count,
        )
        found: Dist = {}
        for hits, p in self._hit_dist(shots).items():
            left, load_left = self._lost(role, enemy, load, hits)
            others: tuple[tuple[str, Counts], ...] = ()
            if role == DEFENDER and self.attack.may_give_up(arena, self.pools):
                ways = {
                    "payable": self.attack.payable(arena, self.pools, field.attack_supply),
                    "nobody": self.attack.unspared,
                }
                others = tuple(
                    (
                        way,
                        after_hits(
                            arena, ATTACKER, enemy, hits, policy=policy, firing=self.defence.losses
                        ).left,
                    )
                    for way, policy in ways.items()
                )
            _add(found, (left, load_left, hits.count > 0, others), p)
        self._fire[key] = found
        return found

    def _lost(self, role: Role, enemy: Counts, load: Cargo, hits: Hits) -> tuple[Counts, Cargo]:
        """Pay for hits of `role`, transports last."""
        foe: Role = DEFENDER if role == ATTACKER else ATTACKER
        transports = load.transports if role == ATTACKER else 0
        key = (role, enemy, hits, transports)
        known = self._losses.get(key)
        if known is None:
            own, other = self.attack.first_losses, self.defence.losses
            policy, firing = (other, own) if role == ATTACKER else (own, other)
            known = after_hits(
                self.arena, foe, enemy, hits, policy=policy, firing=firing, transports=transports
            )
            self._losses[key] = known
        left, lost, sunk = known
        if not (self.arena.rules.spill or not any(left)):
            lost = 0
        return left, cargo_after_hits(load, lost + sunk, self.costs)

    def _of_use(self, key: Any) -> bool:
        """Say whether a unit spared for moving in is of use: the territory is taken, or the attack goes on with one."""
        result, _leaves, to = key
        return result in ("attacker", "both") or (result is None and self._moves_in(to))

    def _moves_in(self, field: Field) -> bool:
        """Say whether somebody among the attackers may move in."""
        rows = self.arena.attacker_rows
        return any(n and row.holds_ground for n, row in zip(field.attackers, rows, strict=True))

    def _close(self, after: Field, retreating: Counts, scored: bool) -> Any:
        """Resolve steps 4 and 5: retreats, surrender, escape, the end, or the next round."""
        arena = self.arena
        leaves = ""
        if any(retreating):
            going = tuple(min(r, n) for r, n in zip(retreating, after.defenders, strict=True))
            if any(going):
                d = tuple(n - g for n, g in zip(after.defenders, going, strict=True))
                out = after.defenders_out
                if arena.rules.can_retreat:
                    out = tuple(o + g for o, g in zip(out, going, strict=True))
                after = after._replace(defenders=d, defenders_out=out)
                leaves = "retreat" if not any(d) and arena.rules.can_retreat else ""
        if has_surrendered(arena, after.defenders, scored):
            gone = (0,) * len(after.defenders)
            out = tuple(o + n for o, n in zip(after.defenders_out, after.defenders, strict=True))
            return ("attacker", "surrender", after._replace(defenders=gone, defenders_out=out))
        if after.cargo.count:
            behind, away = escape(after.cargo, self.costs, after.cargo_out)
            after = after._replace(cargo=behind, cargo_out=away)
        result = ending(arena, after)
        if result is not None:
            return (result, leaves if result == "attacker" else "", after)
        following = press(arena, self.attack, self.pools, after)
        if following is None:
            return ("ceased", "", after)
        return (None, "", following)

    # Distributions

    def _binomial(self, dice: int, chance: Fraction) -> list[Number]:
        key = (dice, chance)
        known = self._binomials.get(key)
        if known is None:
            p = chance * self.one if isinstance(self.one, Fraction) else float(chance)
            q = self.one - p
            known = [comb(dice, k) * p**k * q ** (dice - k) for k in range(dice + 1)]
            self._binomials[key] = known
        return known

    def _hit_dist(self, shots: tuple[Volley, ...]) -> Dist:
        known = self._hits.get(shots)
        if known is not None:
            return known
        classes: dict[tuple[str, str], Dist] = {}
        for volley in shots:
            row = dict(enumerate(self._binomial(volley.dice, hit_chance(volley))))
            name = (volley.aim, volley.reach)
            classes[name] = _sum(classes[name], row) if name in classes else row
        joint: Dist = {Hits(): self.one}
        for (aim, reach), row in classes.items():
            grown: Dist = {}
            for hits, p in joint.items():
                for n, q in row.items():
                    _add(grown, _with(hits, aim, reach, n), p * q)
            joint = grown
        self._hits[shots] = joint
        return joint

    # Ends

    def _end(self, result: str, rounds: int, field: Field, leaves: str, p: Number) -> None:
        _add(self.ends, (result, rounds, field._replace(round_no=0), leaves), p)

    def _answer(self, start: Field) -> Odds:
        zero = 0 * self.one
        results = dict.fromkeys(ENDINGS, zero)
        rounds: dict[int, Number] = {}
        left: dict[str, dict[int, Number]] = {ATTACKER: {}, DEFENDER: {}}
        mean = {ATTACKER: [zero] * len(start.attackers), DEFENDER: [zero] * len(start.defenders)}
        capture = retreat = surrender = cargo_left = zero
        endings: list[Ending] = []
        for (result, n_rounds, field, leaves), p in self.ends.items():
            a = tuple(x + y for x, y in zip(field.attackers, field.attackers_out, strict=True))
            d = tuple(x + y for x, y in zip(field.defenders, field.defenders_out, strict=True))
            captures = result == "attacker" and self._may_enter(field.attackers)
            endings.append(
                Ending(
                    result,
                    n_rounds,
                    a,
                    d,
                    field.cargo,
                    field.cargo_out,
                    field.attack_supply,
                    field.defence_supply,
                    captures,
                    leaves,
                    p,
                )
            )
            results[result] += p
            _add(rounds, n_rounds, p)
            capture += p if captures else zero
            retreat += p if leaves == "retreat" else zero
            surrender += p if leaves == "surrender" else zero
            for role, counts in ((ATTACKER, a), (DEFENDER, d)):
                _add(left[role], sum(counts), p)
                for i, n in enumerate(counts):
                    mean[role][i] += n * p
            cargo_left += (field.cargo.count + field.cargo_out.count) * p
        endings.sort(key=lambda e: (-e.p, e.result, e.rounds))
        lost: dict[str, Number] = {
            ATTACKER: total(start.attackers) - sum(mean[ATTACKER]),
            DEFENDER: total(start.defenders) - sum(mean[DEFENDER]),
        }
        return Odds(
            results=results,
            p_capture=capture,
            p_retreat=retreat,
            p_surrender=surrender,
            rounds=dict(sorted(rounds.items())),
            expected_loss={**lost, "cargo": start.cargo.count - cargo_left},
            survivors={role: tuple(values) for role, values in mean.items()},
            left={role: dict(sorted(row.items())) for role, row in left.items()},
            endings=tuple(endings),
        )

    def _may_enter(self, attackers: Counts) -> bool:
        return any(
            n and row.type == "land" and "hit_and_run" not in row.traits
            for n, row in zip(attackers, self.arena.attacker_rows, strict=True)
        )


def _add(dist: dict[Any, Number], key: Any, p: Number) -> None:
    dist[key] = dist[key] + p if key in dist else p


def _sum(left: Dist, right: Dist) -> Dist:
    found: Dist = {}
    for n, p in left.items():
        for m, q in right.items():
            _add(found, n + m, p * q)
    return found


def _with(hits: Hits, aim: str, reach: str, n: int) -> Hits:
    if not n:
        return hits
    if aim:
        return msgspec.structs.replace(hits, aimed=(*hits.aimed, (aim, reach, n)))
    return Hits(
        hits.any + (n if reach == "any" else 0),
        hits.no_air + (n if reach == "no_air" else 0),
        hits.no_sub + (n if reach == "no_sub" else 0),
        hits.aimed,
    )


def _moved(counts: Counts, out: Counts, kinds: Iterable[int]) -> tuple[Counts, Counts]:
    own, gone = list(counts), list(out)
    for i in kinds:
        gone[i] += own[i]
        own[i] = 0
    return tuple(own), tuple(gone)


def _merged(states: Dist) -> Dist:
    found: Dist = {}
    for field, p in states.items():
        _add(found, field._replace(round_no=0), p)
    return found


def _size(field: Field) -> tuple[int, ...]:
    """Order states so that none comes before one that leads to it: pieces, then hit points, then supply."""
    pieces = total(field.attackers) + total(field.defenders) + field.cargo.count
    return (pieces, *field.attackers, *field.defenders, *field.attack_supply, field.defence_supply)
