"""Dice, losses and orders of a North Africa combat on the Combat screen."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement

from msgspec.structs import replace as changed

from companion.core.dice import DiceOrigin, DiceSource
from companion.core.ids import Millis
from companion.core.state import GameState
from companion.core.text import N_, Say, Value, area, nation, several, side, unit
from companion.games.aana.pages.declare import payers
from companion.games.aana.pages.draft import (
    CombatDraft,
    Counters,
    counted,
    edit,
    fight_page,
    lost_say,
    luck_say,
    press,
)
from companion.games.aana.pages.odds import coach_say, odds_say
from companion.games.aana.pages.tell import choose, owner_mark, supply_say, tile_say
from companion.games.aana.pages.volleys import VolleyLine, dice_blocks, dice_foot, dice_say
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules import combat as cb
from companion.games.aana.rules.casualties import TRANSPORT, Cargo
from companion.games.aana.rules.combat_acts import offered
from companion.games.aana.rules.fight import Fight, VolleyRoll, arena_for, firing, key_parts, kind_key
from companion.games.aana.rules.fight_dice import aim_types, expected_volleys, raid_tokens, rolled
from companion.games.aana.rules.fight_losses import hits_taken, loser
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.games.aana.rules.ledger import acting_side, figures, known_supply, ledger_of
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.rounds import needs_supply
from companion.odds.coaching import coach_fault
from companion.pages import page as pg
from companion.pages.parts import nation_mark, refusal_words, side_mark
from companion.pages.rulings import ruling_tools
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["cargo_rows", "coach_row", "dice_page", "losses_page", "odds_row", "orders_page", "throw"]

_AIMS: Mapping[str, str] = {
    "tanks": N_("may aim at tanks"),
    "air": N_("may aim at aircraft"),
    "land": N_("may aim at a land unit type"),
    "sea": N_("may aim at a sea unit type"),
}
_AT: Mapping[str, str] = {
    "tanks": N_("{n} at tanks"),
    "air": N_("{n} at aircraft"),
    "land": N_("{n} at the most expensive land units"),
    "sea": N_("{n} at the most expensive ships"),
}
_MOST_OPTIONS = 40

Aim = tuple[int, Mapping[str, int]]
"""Hits that are aimed, and those by named unit type."""


# Dice


def dice_page(sight: pg.Sight, fight: Fight, draft: CombatDraft) -> pg.Shown:
    """Return a dice stage: one line a volley, with what its hits are aimed at."""
    state, acts = sight.state, pg.Acts()
    lines, rolls = [], []
    at = 0
    for number, volley in enumerate(expected_volleys(figures(state), fight)):
        own = draft.values[at : at + volley.dice]
        at += volley.dice
        hits = sum(value <= volley.need for value in own)
        forced, named = _aimed(draft, number, hits)
        units, sub = _volley_say(fight, volley, aims=not (volley.aim and hits))
        title = Say("{units}: {dice}", units=units, dice=dice_say(volley.dice, volley.need))
        ask = None
        if volley.aim and hits:
            aim = _aim_say(volley, forced, named)
            sub = aim if sub is None else several((aim, sub), "comma")
            ask = _ask_aim(state, fight, draft.key, number, hits)
        kind = fight.kinds(firing(fight.stage))[volley.kinds[0]].unit
        symbol = unit_symbol(state, kind)
        lines.append(VolleyLine(title, sub, volley.dice, ask, volley.need, symbol, units))
        rolls.append(VolleyRoll(own, forced if volley.aim and forced != hits else None, dict(named)))
    volleys = tuple(lines)
    dice = bm.RollFire(state.step.id, tuple(rolls), draft.origin, takes_losses=True)
    take = acts.put("right", press(dice))
    roll = acts.put("roll", press(lambda at_ms: throw(state, at_ms)))
    right = pg.Button(Say("Dice are correct"), take)
    main, second, tools = dice_foot(sight, acts, draft, volleys, roll, right)
    told = lost_say(state, fight) or luck_say(fight)
    return fight_page(
        state,
        fight,
        acts,
        lead=None,
        blocks=dice_blocks(acts, draft, volleys, _roller(state, fight), told),
        main=main,
        tools=tools,
        has_forces=False,
        second=second,
    )


def _roller(state: GameState, fight: Fight) -> pg.Mark:
    """Return whose dice a stage is about."""
    attack, setup = bm.attack_of(state, fight), state.frozen_setup
    if firing(fight.stage) == cb.ATTACKER:
        return nation_mark(setup, attack.power)
    return side_mark(setup, enemy_of(SIDE_OF[attack.power]))


def throw(state: GameState, seed: Millis) -> bm.RollFire:
    """Return the dice of the current stage rolled by the program, rerolls carried out."""
    fight = bm.fight_of(state)
    assert fight is not None, "dice are thrown in a combat"
    dice = random.Random(seed)
    wanted = expected_volleys(figures(state), fight)
    rolls = tuple(VolleyRoll(rolled(volley, lambda: dice.randint(1, cb.FACES))) for volley in wanted)
    origin = DiceOrigin(DiceSource.VIRTUAL, seed=seed)
    return bm.RollFire(state.step.id, rolls, origin, takes_losses=True)


def _volley_say(fight: Fight, volley: cb.Volley, *, aims: bool) -> tuple[Value, Value | None]:
    """Return who fires a volley, and what holds for its dice."""
    kinds = fight.kinds(firing(fight.stage))
    names = several((unit(kind) for kind in dict.fromkeys(kinds[i].unit for i in volley.kinds)), "comma")
    extra = []
    if volley.reroll_from:
        extra.append(Say("reroll {n} and above", n=volley.reroll_from))
    if volley.aim and aims:
        extra.append(Say(_AIMS[volley.aim]))
    if volley.supported:
        extra.append(Say("{n} with artillery", n=volley.supported))
    if volley.reach == "no_air":
        extra.append(Say("not aircraft"))
    if volley.reach == "no_sub":
        extra.append(Say("not submarines"))
    return names, several(extra, "comma") if extra else None


def _aimed(draft: CombatDraft, number: int, hits: int) -> Aim:
    """Return what the hits of a volley are aimed at: all of them unless the firer chose otherwise."""
    forced, named = draft.aims.get(number, (hits, {}))
    return (forced, named) if forced <= hits else (hits, {})


def _aim_say(volley: cb.Volley, forced: int, named: Mapping[str, int]) -> pg.Words:
    rest = forced - sum(named.values())
    parts: list[Value] = [
        Say("{n} at {unit}", n=n, unit=Say("Transports") if kind == TRANSPORT else unit(kind))
        for kind, n in named.items()
        if n
    ]
    if rest:
        parts.append(Say(_AT[volley.aim], n=rest))
    return several(parts, "comma") if parts else Say("Not aimed: the owner chooses")


def _ask_aim(state: GameState, fight: Fight, key: str, number: int, hits: int) -> pg.Ask:
    """Ask what the hits of a volley are aimed at."""
    book = figures(state)
    volley = expected_volleys(book, fight)[number]
    types: Sequence[str] = aim_types(book, fight, volley)
    found: list[Aim] = [(n, {}) for n in range(hits, -1, -1)]
    if types:
        found = [
            (n, {kind: chosen.count(kind) for kind in dict.fromkeys(chosen)})
            for n in range(hits, 0, -1)
            for chosen in combinations_with_replacement(types, n)
        ]
        found = [*found[: _MOST_OPTIONS - 1], (0, {})]

    def aim(option: Aim) -> pg.Act:
        return edit(key, lambda d: replace(d, aims={**d.aims, number: option}))

    options = ((aim(option), _aim_say(volley, *option)) for option in found)
    return choose(f"aim.{number}", Say("What takes these hits?"), options)


# Losses


def losses_page(state: GameState, fight: Fight, draft: CombatDraft) -> pg.Shown:
    """Return hits that are paid: a counter a kind, and one a kind of reinforcement on transports."""
    acts = pg.Acts()
    offer = offered(state, fight)
    left, cargo = offer.left, offer.cargo
    role = loser(fight)
    kinds, before = fight.kinds(role), fight.counts(role)
    counters = Counters(acts, draft)
    rows = []
    taken = hits_taken(arena_for(figures(state), fight), role, before, left) or (0,) * len(kinds)
    for i, (kind, usual) in enumerate(zip(kinds, taken, strict=True)):
        there = before[i] + _turned(kinds, before, i, fight.hits.count)
        if there:
            key = kind_key(kind)
            sub = Say("of {n}", n=there)
            mark = owner_mark(state, key)
            rows.append(
                counters.item(
                    key,
                    tile_say(state, key),
                    there,
                    usual=usual,
                    sub=sub,
                    mark=mark,
                    symbol=unit_symbol(state, key_parts(key)[0]),
                    is_lost=True,
                )
            )
    chosen = dict(counters.shown)
    gone: dict[Piece, int] = {}
    if cargo.count != fight.cargo.count:
        more, gone = cargo_rows(state, counters, fight.cargo, cargo, is_lost=True)
        rows += more
    attack = bm.attack_of(state, fight)
    who = nation(attack.power) if role == cb.ATTACKER else side(enemy_of(SIDE_OF[attack.power]))
    setup = state.frozen_setup
    mark = (
        nation_mark(setup, attack.power)
        if role == cb.ATTACKER
        else side_mark(setup, enemy_of(SIDE_OF[attack.power]))
    )
    command = bm.TakeLosses(state.step.id, chosen if draft.counts or not offer.is_usual else None)
    if gone and draft.counts:
        command = bm.TakeLosses(state.step.id, chosen, {piece: n for piece, n in gone.items() if n})
    ruled = ruling_tools(state, acts, ("aana.last_ground",)) if offer.is_ruled else ()
    hits = Say.counted("{n} hit", "{n} hits", fight.hits.count)
    how = Say("The cheapest losses are filled in. Take one off to lose another.")
    if draft.counts:
        how = Say("Take one off to lose another.")
    note = Say("Two per hit: the owner picks one, the attacker names the type of the other")
    return fight_page(
        state,
        fight,
        acts,
        lead=None,
        blocks=(
            pg.Head("owed", Say("Losses for {side}: {hits}", side=who, hits=hits), mark=mark),
            *counted("losses", rows),
            pg.Head("how", how),
            *((pg.Notice("note", note),) if gone else ()),
        ),
        tools=(*counters.tools, *ruled),
        has_forces=False,
        main=pg.Button(Say("Take the losses"), acts.put("take", press(command))),
    )


def _turned(kinds: tuple[cb.Kind, ...], before: cb.Counts, i: int, hits: int) -> int:
    """Return the whole battleships that a first hit may turn into ones of a damaged kind, and a second one sink."""
    whole = changed(kinds[i], damaged=False)
    return min(before[kinds.index(whole)], hits // 2) if kinds[i].damaged and whole in kinds else 0


def cargo_rows(
    state: GameState, counters: Counters, before: Cargo, after: Cargo, *, is_lost: bool = False
) -> tuple[list[pg.Item], dict[Piece, int]]:
    """Return tiles for reinforcements at sea that go from one state to another, and what is chosen.

    Args:
        after: The proposal; it stands until a tile is tapped.
        is_lost: What is counted is lost.
    """
    units, tokens = {(p, u): n for p, u, n in after.units}, dict(after.supply)
    lines: list[tuple[Piece, pg.Words, int, int]] = [
        (piece_key(power, kind), tile_say(state, piece_key(power, kind)), n, n - units.get((power, kind), 0))
        for power, kind, n in before.units
    ]
    for power, n in before.supply:
        lines.append((piece_key(power, "supply"), unit_short(state, "supply"), n, n - tokens.get(power, 0)))
    rows, chosen = [], dict[Piece, int]()
    for piece, title, there, usual in lines:
        key, sub, mark = f"cargo.{piece}", Say("{n} on transports", n=there), owner_mark(state, piece)
        symbol = unit_symbol(state, "supply" if piece.endswith(".supply") else piece)
        rows.append(
            counters.item(key, title, there, usual=usual, sub=sub, mark=mark, symbol=symbol, is_lost=is_lost)
        )
        chosen[piece] = counters.shown[key]
    return rows, chosen


# Orders


def odds_row(state: GameState, fight: Fight, acts: pg.Acts, draft: CombatDraft) -> pg.Item:
    """Return the line that tells the odds once it is tapped: to work them out takes its time."""
    act = acts.put("odds", edit(draft.key, lambda d: replace(d, odds=odds_say(state, fight))))
    return pg.Item("odds", Say("Odds from here"), draft.odds, act=act)


def coach_row(state: GameState, fight: Fight, acts: pg.Acts, draft: CombatDraft) -> pg.Item:
    """Return the line that tells whether to press or to cease once it is tapped; why not, where the coach does not speak."""
    refused = coach_fault(state, is_on=draft.coach)
    if refused is not None:
        return pg.Item("coach", Say("Coach"), why_not=refusal_words(refused))
    act = acts.put("coach", edit(draft.key, lambda d: replace(d, advice=coach_say(state, fight))))
    return pg.Item("coach", Say("Coach"), draft.advice, act=act)


def orders_page(state: GameState, fight: Fight, draft: CombatDraft) -> pg.Shown:
    """Return step 1: whether the defender fights, and with whose supply; at sea, which submarines submerge."""
    if fight.rules.domain == "sea":
        return _submarines_page(state, fight, draft)
    acts, book, step = pg.Acts(), figures(state), state.step.id
    foe = enemy_of(acting_side(state))
    arena = cb.arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    counters = Counters(acts, draft)
    rows: list[pg.Item] = []
    most = raid_tokens(book, fight)
    there = known_supply(ledger_of(state), fight.space)
    raids: int | None = None
    if most:
        symbol = unit_symbol(state, "supply")
        rows.append(counters.item("raid", Say("Destroyed"), most, usual=most, symbol=symbol, is_lost=True))
        raids = counters.shown["raid"]
    costs = needs_supply(arena, fight.d)
    retreat = acts.put("retreat", pg.Send(bm.GiveOrders(step, fight=False, raids=raids)))
    sub = Say("After the attackers' fire")
    rows.append(pg.Item("retreat", Say("Retreat"), sub, act=retreat))
    free = arena.exempt
    if costs and any(n and ok for n, ok in zip(fight.d, free, strict=True)):
        some = pg.Send(bm.GiveOrders(step, fight=False, exempt_fight=True, raids=raids))
        text = Say("Only units that need no supply fight")
        rows.append(pg.Item("exempt", text, act=acts.put("exempt", some)))
    for space, tokens in payers(state, fight.space, foe) if costs else ():
        text = Say("Fight with supply from {space}", space=area(space))
        act = acts.put(f"from.{space}", pg.Send(bm.GiveOrders(step, supply_from=space, raids=raids)))
        rows.append(pg.Item(f"from.{space}", text, supply_say(tokens), act=act))
    points = ("aana.vichy_beside",) if _beside_vichy(arena, fight.d) else ()
    lead = Say("Decision: {side}", side=side(foe))
    fights = Say("Fight: pay 1 supply") if costs else Say("Fight")
    return fight_page(
        state,
        fight,
        acts,
        lead=lead if there is None else Say("{what} ({note})", what=lead, note=supply_say(there)),
        blocks=counted("orders", rows),
        tools=(*ruling_tools(state, acts, points), *counters.tools),
        main=pg.Button(fights, acts.put("fight", press(bm.GiveOrders(step, raids=raids)))),
    )


def _beside_vichy(arena: cb.Arena, defenders: cb.Counts) -> bool:
    """Say whether units that need no supply stand beside Vichy French ones, so that the ruling on them decides."""
    free = zip(arena.defenders, defenders, arena.exempt, strict=True)
    return len({kind.power == "vichy" for kind, n, is_free in free if n and is_free}) > 1


def _submarines_page(state: GameState, fight: Fight, draft: CombatDraft) -> pg.Shown:
    acts = pg.Acts()
    counters = Counters(acts, draft)
    rows: list[pg.Item] = []
    arena = cb.arena_of(figures(state), fight.rules, fight.attackers, fight.defenders)[0]
    for key, title, able, counts in (
        (
            "sub_a",
            Say("Attackers submerge"),
            cb.strikers(arena, cb.ATTACKER, fight.a, fight.d),
            fight.a,
        ),
        (
            "sub_d",
            Say("Defenders submerge"),
            cb.strikers(arena, cb.DEFENDER, fight.d, fight.a),
            fight.d,
        ),
    ):
        most = sum(counts[i] for i in able)
        if most:
            sub = Say("of {n}, the others strike", n=most)
            rows.append(counters.item(key, title, most, sub=sub, symbol=unit_symbol(state, "submarine")))
    diving = counters.shown
    command = bm.GiveOrders(
        state.step.id, submerge_attack=diving.get("sub_a", 0), submerge_defence=diving.get("sub_d", 0)
    )
    title = Say("Orders given") if any(diving.values()) else Say("Submarines strike")
    return fight_page(
        state,
        fight,
        acts,
        lead=Say("Submarines: strike or submerge, the attacker decides first"),
        blocks=counted("orders", rows),
        tools=counters.tools,
        main=pg.Button(title, acts.put("orders", press(command))),
    )
