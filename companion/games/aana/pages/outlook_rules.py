"""The rules for stopping and retreating by which the odds of a North Africa combat are worked, each a tap away from the others."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from msgspec.structs import replace

from companion.core.text import Say
from companion.games.aana.odds.goals import Combat
from companion.games.aana.pages.draft import CombatDraft, edit
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Role
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.pages.page import Act, ActId, Acts, Draft, Item, Mark, Sight, asked
from companion.pages.parts import nation_mark, side_mark

__all__ = ["Outlook", "leave_say", "look_at", "marks_of", "planned", "rule_items", "stop_say"]

_ROUNDS = 4
"""Rounds after which stopping or retreating may be chosen."""
_FEW = 3
"""Units at which stopping or retreating may be chosen."""


class Outlook(NamedTuple):
    """What the odds page is made of."""

    sight: Sight
    acts: Acts
    draft: CombatDraft
    fight: Fight
    combat: Combat
    """On the rules that are chosen."""

    def choose(self, **what: object) -> Draft[CombatDraft]:
        return look_at(self.draft, **what)


def look_at(draft: CombatDraft, **what: object) -> Draft[CombatDraft]:
    return edit(draft.key, lambda now: dataclasses.replace(now, **what))  # type: ignore[arg-type]


def planned(combat: Combat, draft: CombatDraft) -> Combat:
    """Return a combat on the rules that are chosen."""
    stop, leave = draft.stop, draft.leave
    attack = replace(
        combat.attack,
        rounds=stop[1] if stop[0] == "rounds" else None,
        cease_at_most=stop[1] if stop[0] == "few" else None,
        press_at_most=stop[1] if stop[0] == "against" else None,
    )
    defence = replace(
        combat.defence,
        retreat_round=leave[1] if leave[0] == "round" else None,
        retreat_at_most=leave[1] if leave[0] == "few" else None,
    )
    return replace(combat, attack=attack, defence=defence)


def stop_say(stop: tuple[str, int]) -> Say:
    match stop[0]:
        case "rounds":
            return Say("Stop after round {n}", n=stop[1])
        case "few":
            return Say.counted(
                "Stop with {n} attacker left", "Stop with {n} attackers or fewer left", stop[1]
            )
        case "against":
            return Say.counted(
                "Press only against {n} defender", "Press only against {n} defenders or fewer", stop[1]
            )
        case _:
            return Say("Press for as long as supply lasts")


def leave_say(leave: tuple[str, int]) -> Say:
    match leave[0]:
        case "round":
            return Say("Retreat from round {n} on", n=leave[1])
        case "few":
            return Say.counted("Retreat with {n} unit left", "Retreat with {n} units or fewer left", leave[1])
        case _:
            return Say("Nobody retreats")


def rule_items(look: Outlook) -> tuple[Item, ...]:
    """Return both sides' rule, each a tap away from the others; none where the rulebook leaves no choice."""
    combat, fight = look.combat, look.fight
    marks = marks_of(look)
    rounds = range(combat.from_round, combat.from_round + _ROUNDS)
    few = range(1, _FEW + 1)
    found = []
    if not combat.arena.rules.must_press:
        stops = [
            ("", 0),
            *(("rounds", n) for n in rounds),
            *(("few", n) for n in few),
            *(("against", n) for n in few),
        ]
        ask = _ask(look, "stop", Say("When do the attackers stop?"), {one: stop_say(one) for one in stops})
        found.append(Item("stop", stop_say(look.draft.stop), mark=marks[ATTACKER], act=ask))
    if combat.arena.rules.can_retreat and fight.rules.domain == "land":
        leaves = [("", 0), *(("round", n) for n in rounds), *(("few", n) for n in few)]
        ask = _ask(
            look, "leave", Say("When do the defenders retreat?"), {one: leave_say(one) for one in leaves}
        )
        found.append(Item("leave", leave_say(look.draft.leave), mark=marks[DEFENDER], act=ask))
    return tuple(found)


def _ask(look: Outlook, field: str, title: Say, options: dict[tuple[str, int], Say]) -> ActId:
    keys = {f"{kind}.{n}": (kind, n) for kind, n in options}
    items = tuple(Item(name, options[rule]) for name, rule in keys.items())

    def then(name: str) -> Act:
        return look.choose(**{field: keys[name]})

    return look.acts.put(field, asked(field, title, items, then))


def marks_of(look: Outlook) -> dict[Role, Mark]:
    setup = look.sight.state.frozen_setup
    power = bm.attack_of(look.sight.state, look.fight).power
    return {ATTACKER: nation_mark(setup, power), DEFENDER: side_mark(setup, enemy_of(SIDE_OF[power]))}
