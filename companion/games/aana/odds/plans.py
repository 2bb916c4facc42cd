"""What both sides of a North Africa battle file would do and can pay: stop rules, loss policies, supply.

`Keys` reads single keys and collects their faults; `companion.games.aana.odds.file` reads who fights, and where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from companion.core.collecting import convert, one_of
from companion.core.ids import SiteId
from companion.core.rules import Rejected
from companion.core.text import Range, Say, Typed, Value, several
from companion.games.aana.odds.answer import MAX_ROUNDS
from companion.games.aana.rules.casualties import LossPolicy
from companion.games.aana.rules.combat import Arena, Counts
from companion.games.aana.rules.rounds import UNLIMITED, AttackPlan, DefencePlan, Pools, press_cost
from companion.odds.battle_file import BattleFileError, misfits, wrong

__all__ = ["Keys", "read_defence_supply", "read_plans", "read_supply"]


_SIDES: Final = ("attacking", "defending")
_KEEP: Final[Mapping[str, Literal["always", "never"]]] = {"always": "always", "never": "never"}


class Keys:
    """The keys of a battle file; collects every fault before it gives up."""

    def __init__(self, raw: Mapping[str, Any], name: str) -> None:
        """Take a file that is parsed already, and its name."""
        self.raw = raw
        self.name = name
        self.faults: list[Say] = []

    def fault(self, key: str, expected: Value, got: object) -> None:
        """Note a fault; reading goes on."""
        self.faults.append(wrong(self.name, key, expected, got))

    def refuse(self, key: str, fault: Rejected | None) -> None:
        """Note what play would refuse too, in the same sentence; None: nothing is wrong."""
        if fault is not None and fault.detail is not None:
            file, at = Typed(self.name), Typed(key)
            self.faults.append(Say("{file}: {key}: {fault}", file=file, key=at, fault=fault.detail))

    def stop_on_faults(self) -> None:
        """Raise `BattleFileError` with every fault so far, if there is one."""
        if self.faults:
            raise BattleFileError("bad_battle", self.faults)

    def converted(self, key: str, to: Any, default: Any) -> Any:
        """Return a value of a type, the default where it is absent or, which is a fault, of another type."""
        if key not in self.raw:
            return default
        value, faults = convert(self.raw[key], to, self.name, key)
        self.faults += misfits(faults)
        return default if faults else value

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        """Return one of some words, the default where there is none or, which is a fault, another."""
        value = self.raw.get(key, default)
        if value not in choices:
            self.fault(key, one_of(choices, value), value)
            return default
        return str(value)


def read_plans(keys: Keys, rulings: Mapping[str, str]) -> tuple[AttackPlan, DefencePlan]:
    """Return what both sides would do, from the keys stop, rounds, policy and aim."""
    stop = keys.converted("stop", dict[str, Any], {})
    known = ("press_while", "cease_when", "retreat_when", "submerge", "exempt_fight", "air_alone")
    for key in stop:
        if key not in known:
            keys.fault(f"stop.{key}", one_of(known, key), key)
    press = _numbers(keys, stop, "press_while", ("defenders_at_most",))
    cease = _numbers(keys, stop, "cease_when", ("attackers_at_most",))
    retreat = _numbers(keys, stop, "retreat_when", ("round", "defenders_at_most"))
    submerge = stop.get("submerge", [])
    if not isinstance(submerge, list) or any(side not in _SIDES for side in submerge):
        keys.fault("stop.submerge", Say("a list of {names}", names=several(map(Typed, _SIDES))), submerge)
        submerge = []
    rounds = keys.converted("rounds", int | None, None)
    if rounds is not None and not 1 <= rounds <= MAX_ROUNDS:
        keys.fault("rounds", Range(1, MAX_ROUNDS), rounds)
    mine, theirs = _policies(keys)
    policy = keys.raw.get("policy")
    whose = policy.get("attacking") if isinstance(policy, dict) else policy
    ruled = "always" if whose == "keep_control" else rulings.get("aana.last_ground", "")
    return (
        AttackPlan(
            mine,
            rounds,
            cease.get("attackers_at_most"),
            press.get("defenders_at_most"),
            "attacking" in submerge,
            bool(stop.get("air_alone", False)),
            _KEEP.get(ruled, "useful"),
        ),
        DefencePlan(
            theirs,
            retreat.get("round"),
            retreat.get("defenders_at_most"),
            bool(stop.get("exempt_fight", False)),
            "defending" in submerge,
        ),
    )


def _numbers(keys: Keys, stop: Mapping[str, Any], key: str, known: Sequence[str]) -> dict[str, int]:
    value = stop.get(key, {})
    sound = isinstance(value, dict) and all(
        name in known and isinstance(n, int) and not isinstance(n, bool) and n >= 0
        for name, n in value.items()
    )
    if not sound:
        keys.fault(f"stop.{key}", Say("whole numbers for {names}", names=several(map(Typed, known))), value)
        return {}
    return dict(value)


def _policies(keys: Keys) -> tuple[LossPolicy, LossPolicy]:
    value = keys.raw.get("policy", "cheapest")
    both = value if isinstance(value, dict) else {"attacking": value, "defending": value}
    found: list[LossPolicy] = []
    for side in both:
        if side not in _SIDES:
            keys.fault(f"policy.{side}", one_of(_SIDES, side), side)
    for side in _SIDES:
        policy = both.get(side, "cheapest")
        if policy in ("cheapest", "keep_control"):
            found.append(LossPolicy())
        elif isinstance(policy, list) and all(isinstance(unit, str) for unit in policy):
            found.append(LossPolicy(order=tuple(policy), keep_land=False))
        else:
            keys.fault(
                "policy", Say("{word} or a list of units in order of loss", word=Typed("cheapest")), policy
            )
            found.append(LossPolicy())
    aim = keys.raw.get("aim", [])
    if aim == "none":
        found[0] = msgspec.structs.replace(found[0], aim=False)
    elif isinstance(aim, list) and all(isinstance(unit, str) for unit in aim):
        found[0] = msgspec.structs.replace(found[0], aim_at=tuple(aim))
    else:
        keys.fault("aim", Say("{word} or a list of unit types", word=Typed("none")), aim)
    return found[0], found[1]


def read_supply(
    keys: Keys, arena: Arena, attackers: Counts, defended: bool
) -> tuple[Pools, tuple[int, ...], dict[SiteId, int]]:
    """Pay the declaration; return the pools and what is left in them."""
    table = keys.converted("supply", dict[str, Any], {})
    for key in table:
        if key not in _SIDES:
            keys.fault(f"supply.{key}", one_of(_SIDES, key), key)
    cost = press_cost(arena, attackers) if defended and not arena.rules.must_press else {}
    given = table.get("attacking")
    if given is None:
        return Pools(), (UNLIMITED,), cost
    if isinstance(given, dict):
        origins = sorted(given)
        amounts = [given[origin] for origin in origins]
        pools = Pools(tuple((origin, i) for i, origin in enumerate(origins)))
        missing = [origin for origin in cost if origin not in given]
        if missing:
            keys.fault(
                "supply.attacking", Say("tokens for {spaces}", spaces=several(map(Typed, missing))), None
            )
            return Pools(), (UNLIMITED,), cost
    else:
        amounts, pools = [given], Pools()
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in amounts):
        keys.fault("supply.attacking", Say("whole numbers of tokens"), given)
        return Pools(), (UNLIMITED,), cost
    for origin, n in cost.items():
        amounts[pools.of(origin)] -= n
    if any(n < 0 for n in amounts):
        need = sum(cost.values())
        declared = Say.counted("{n} token to declare the attack", "{n} tokens to declare the attack", need)
        keys.fault("supply.attacking", declared, given)
    return pools, tuple(max(0, n) for n in amounts), cost


def read_defence_supply(keys: Keys) -> int:
    """Return the tokens within the defender's reach; `UNLIMITED` where the file does not count them."""
    table = keys.raw.get("supply", {})
    value = table.get("defending") if isinstance(table, dict) else None
    if value is None:
        return UNLIMITED
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        keys.fault("supply.defending", Say("a whole number of tokens"), value)
        return UNLIMITED
    return value
