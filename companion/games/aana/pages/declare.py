"""Declaring attacks on North Africa's Combat screen, the list of attacks, and mines that go off."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from companion.core.dice import DiceOrigin, DiceSource
from companion.core.ids import Side, SiteId
from companion.core.rules import Code
from companion.core.state import GameState
from companion.core.text import N_, Count, Say, Typed, area, nation, several, unit
from companion.games.aana.pages.draft import CombatDraft, Counters, counted, edit, press, take_up
from companion.games.aana.pages.flown import ask_flown, flown_from
from companion.games.aana.pages.tell import choose, owner_mark, piece_say, pieces_say, places_say
from companion.games.aana.pages.volleys import VolleyLine, dice_blocks, dice_foot, dice_say
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.combat import FACES
from companion.games.aana.rules.combat_open import main_origins
from companion.games.aana.rules.conditions import enemies, hostile, neutral, supplied
from companion.games.aana.rules.declare import attack_cost, may_join, undeclared
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.figures import NO_SIDE, SIDE_OF, enemy_of
from companion.games.aana.rules.mines import MINE_NEED, crossing, dice_of, mines_fault
from companion.games.aana.rules.movement import closed_west, free_to_attack
from companion.games.aana.rules.pieces import Piece
from companion.games.aana.rules.supply import payer_fault
from companion.games.aana.rules.turn import turn_powers
from companion.pages import page as pg
from companion.pages.parts import end_button, nation_mark
from companion.pages.rulings import deciding, ruling_tools
from companion.pages.symbols import unit_symbol

__all__ = [
    "RESULTS",
    "ask_join",
    "cost_say",
    "attack_rows",
    "declare_page",
    "mines_page",
    "mines_row",
    "pay_options",
    "pay_rows",
    "payers",
]

RESULTS: Final[Mapping[str, str]] = {
    "attacker": N_("Nobody is left to defend"),
    "defender": N_("Nobody is left to attack"),
    "both": N_("Nobody is left on either side"),
    "ceased": N_("The attack has ceased"),
    "stalemate": N_("Nobody can hit or leave any more"),
    "mined": N_("Mines turned everyone back"),
}


def declare_page(state: GameState, draft: CombatDraft) -> pg.Shown:
    """Return the attacks that are declared, or the one that is being put together."""
    return _attack_page(state, draft) if draft.target else _attacks_page(state)


def _attacks_page(state: GameState) -> pg.Shown:
    """Return the attacks that are declared, over the spaces that can be attacked: a tap begins the next attack."""
    acts, power = pg.Acts(), lg.acting_power(state)
    rows = (*mines_row(state, acts), *attack_rows(state, acts, tap=False))
    spaces = tuple(
        pg.Item(
            item.key,
            area(item.key),
            value=item.value,
            act=acts.put(f"at.{item.key}", _begin(SiteId(item.key))),
        )
        for item in _targets(state, known=True)
    )
    other = pg.Item("other", Say("Another space"), act=acts.put("new", _ask_other(state)), is_way=True)
    page = pg.Page(
        "declare",
        Say("Declare attacks"),
        nation(power),
        blocks=(
            *((pg.Rows("attacks", rows),) if rows else ()),
            pg.Tiles(
                "targets", (*spaces, *([other] if _targets(state, known=False) else ())), columns=_TARGETS
            ),
        ),
        tools=ruling_tools(state, acts, deciding(state, ("aana.join_hunt", "aana.blitz_second"), undeclared)),
        main=end_button(state, acts),
    )
    return pg.Shown(page, acts)


_TARGETS = 4
"""Spaces that can be attacked, side by side."""


def _begin(space: SiteId) -> pg.Draft[CombatDraft]:
    return take_up(CombatDraft(target=space, key=f"declare.{space}"))


def _ask_other(state: GameState) -> pg.Ask:
    """Ask for a space of which nobody has told who is there."""
    return pg.asked(
        "other", Say("Another space"), _targets(state, known=False), lambda key: _begin(SiteId(key))
    )


def _attack_page(state: GameState, draft: CombatDraft) -> pg.Shown:
    acts = pg.Acts()
    counters = Counters(acts, draft)
    rows, groups = _candidates(state, draft, counters)
    flown = flown_from(state, draft.target, groups)
    cost = {group.origin: n for group in groups if (n := attack_cost(lg.figures(state), group))}
    paid = tuple(
        bm.AttackGroup(group.origin, group.units, draft.pay.get(group.origin, "")) for group in groups
    )
    other = pg.Item("other", Say("Attack another space"), act=acts.put("other", _ask_target(state)))
    if not rows:
        text = Say("No known units can attack")
        rows = (pg.Item("none", text, Say("Count spaces on the Board screen")),)
    main = pg.Button(Say("Nobody attacks yet"), why_not=Say("Nobody attacks yet"))
    if groups:
        command = bm.DeclareAttack(state.step.id, draft.target, paid)
        main = pg.Button(
            Say("Declare"), acts.put("declare", ask_flown(state, command, flown) if flown else press(command))
        )
    page = pg.Page(
        draft.key,
        Say("Attack on {space}", space=area(draft.target)),
        blocks=(
            pg.Head("cost", cost_say(cost)),
            *counted("units", (other, *pay_rows(state, acts, cost, draft), *rows)),
        ),
        tools=(*(ruling_tools(state, acts, ("aana.direct_attack",)) if flown else ()), *counters.tools),
        main=main,
    )
    return pg.Shown(page, acts)


def cost_say(cost: Mapping[SiteId, int]) -> Say:
    return Say("Supply: {places}", places=places_say(cost)) if cost else Say("No supply to pay")


def _ask_target(state: GameState) -> pg.Ask:
    """Ask for the space that is attacked: those where the enemy is known first, then all others."""

    def chosen(space: str) -> pg.Act:
        return _begin(SiteId(space)) if space else _ask_other(state)

    others = (pg.Item("", Say("Another space"), is_way=True),) if _targets(state, known=False) else ()
    return pg.asked(
        "target", Say("Which space is attacked?"), (*_targets(state, known=True), *others), chosen
    )


def _targets(state: GameState, *, known: bool) -> tuple[pg.Item, ...]:
    """Return the spaces that may be attacked, those with most enemies first: where the enemy is known, or all of which nobody has told."""
    own, ledger = lg.board(state), lg.ledger_of(state)
    side = lg.acting_side(state)
    foes = [power for power, one in SIDE_OF.items() if one == enemy_of(side)]
    spaces = [*(row.id for row in own.territories()), *own.convoys, *own.sea_zones()]
    attacked = {attack.space for attack in bm.battles_of(state).attacks}
    found = []
    for space in spaces:
        if own.type_of(space) == "land":
            prey = hostile(state, space, side) | (neutral(state, space, side) & supplied(state, space))
        else:
            prey = enemies(state, space, side)
        if (
            space in attacked
            or prey.is_no
            or prey.is_yes != known
            or closed_west(state, space, side) is not None
        ):
            continue
        units = lg.held_units(ledger, space, foes)
        there = pieces_say(units)
        name = area(space)
        title: pg.Words = name if there is None else Say("{space}: {units}", space=name, units=there)
        found.append(pg.Item(space, title, value=sum(units.values()) or None))
    return tuple(sorted(found, key=lambda item: -(item.value or 0)))  # type: ignore[operator]


def _candidates(
    state: GameState, draft: CombatDraft, counters: Counters
) -> tuple[tuple[pg.Item, ...], tuple[bm.AttackGroup, ...]]:
    """Return the units that may attack the target, and the groups that were counted."""
    own, ledger, book = lg.board(state), lg.ledger_of(state), lg.figures(state)
    powers = turn_powers(state)
    rows: list[pg.Item] = []
    groups: dict[SiteId, dict[Piece, int]] = {}
    for place in sorted(ledger.units, key=lambda s: (s != draft.target, s)):
        if own.type_of(place) == "zone":
            continue
        for piece in lg.held_units(ledger, place, powers):
            free = free_to_attack(state, place, piece)
            if free < 1 or not may_join(state, piece, place, draft.target):
                continue
            row = book.row(*lg.split(piece)[:2])
            key = f"{place}|{piece}"
            value = Typed("–") if row.attack is None else row.attack
            title = Say("{unit}, {space}", unit=unit(row.unit), space=area(place))
            sub = Say("{n} there, attack {value}", n=free, value=value)
            rows.append(
                counters.item(
                    key, title, free, sub=sub, mark=owner_mark(state, piece), symbol=unit_symbol(state, piece)
                )
            )
            if counters.shown[key]:
                groups.setdefault(place, {})[piece] = counters.shown[key]
    return tuple(rows), tuple(bm.AttackGroup(place, units) for place, units in groups.items())


# Supply


def payers(state: GameState, space: SiteId, side: Side = NO_SIDE) -> tuple[tuple[str, int], ...]:
    """Return the other territories whose supply may pay for one, with their tokens, as far as is known.

    Args:
        side: Whose units in `space` are paid for; empty = the side whose turn it is.
    """
    side = side or lg.acting_side(state)
    return tuple(
        (place, tokens)
        for place, tokens in lg.ledger_of(state).supply.items()
        if place.partition("@")[0] != space and tokens and _may_pay(state, place, space, side)
    )


def _may_pay(state: GameState, place: str, space: SiteId, side: Side) -> bool:
    """Say whether supply may pay; where a marker decides that nobody told, it is offered and asked about."""
    fault = payer_fault(state, place, space, side)
    return fault is None or fault.code == Code.NOT_KNOWN


def pay_rows(
    state: GameState, acts: pg.Acts, cost: Mapping[SiteId, int], draft: CombatDraft
) -> Iterator[pg.Item]:
    """Yield a line for each attacking territory that pays and has a choice: where its supply comes from."""
    for origin, n in cost.items():
        options = pay_options(state, origin, n)
        if len(options) < 2:
            continue
        names = several(map(area, lg.sources(draft.pay.get(origin, origin))))
        title = Say("Supply for {space}: {n} from {source}", space=area(origin), n=n, source=names)
        key = f"pay.{origin}"
        ask = pg.asked(key, Say("Whose supply?"), options, _pay_from(draft.key, origin))
        yield pg.Item(key, title, Say("Tap to take it from elsewhere"), act=acts.put(key, ask))


def _pay_from(key: str, origin: SiteId) -> Callable[[str], pg.Act]:
    return lambda source: edit(key, lambda d: replace(d, pay={**d.pay, origin: source}))


def pay_options(state: GameState, origin: SiteId, cost: int) -> tuple[pg.Item, ...]:
    """Return where the supply of an attack may come from: itself, a territory next to it, or both together."""
    own = lg.known_supply(lg.ledger_of(state), origin)
    found = []
    if own is None or own >= cost:
        found.append(pg.Item(origin, area(origin)))
    for place, tokens in payers(state, origin):
        if tokens >= cost:
            found.append(pg.Item(place, area(place)))
        if own and own < cost <= own + tokens:
            both = Say("{n} from {one}, the rest from {other}", n=own, one=area(origin), other=area(place))
            found.append(pg.Item(f"{origin}+{place}", both))
    return tuple(found)


# The list


def attack_rows(state: GameState, acts: pg.Acts, *, tap: bool) -> Iterator[pg.Item]:
    """Yield the attacks of the turn; where they are fought, a tap opens one that is not."""
    for attack in bm.battles_of(state).attacks:
        units: dict[Piece, int] = {}
        for group in attack.groups:
            for piece, n in group.units.items():
                units[piece] = units.get(piece, 0) + n
        sub = Say(RESULTS[attack.result]) if attack.result else pieces_say(units)
        act = acts.put(f"attack.{attack.id}", _open(state, attack)) if tap and not attack.result else None
        mark = nation_mark(state.frozen_setup, attack.power)
        yield pg.Item(
            str(attack.id),
            area(attack.space),
            sub,
            mark=mark,
            state="done" if attack.result else "plain",
            act=act,
        )


def _open(state: GameState, attack: bm.Attack) -> pg.Act:
    """Open a combat; where territories tie for the main attack, ask which one it is."""
    step, tied = state.step.id, main_origins(state, attack)
    if len(tied) < 2:
        return pg.Send(bm.OpenCombat(step, attack.id))
    field = pg.Field(
        "origin",
        Say("Which is the main attack?"),
        "choose",
        Say("All others flank and reroll 8 and above"),
        tuple(pg.Item(origin, area(origin)) for origin in tied),
    )
    return pg.Ask(
        pg.Form("main", field.title, (field,)),
        lambda answers: pg.Send(bm.OpenCombat(step, attack.id, main_origin=SiteId(answers["origin"]))),
    )


def ask_join(state: GameState, fight: Fight) -> pg.Act:
    """Ask which land units are added to an attack that is pressed: one piece, or all of a kind."""
    ledger, book, step = lg.ledger_of(state), lg.figures(state), state.step.id
    found: list[tuple[pg.Act, pg.Words]] = []
    for place in sorted(ledger.units):
        if lg.board(state).type_of(place) != "land" or place == fight.space:
            continue
        for piece in lg.held_units(ledger, place, turn_powers(state)):
            row, free = book.row(*lg.split(piece)[:2]), free_to_attack(state, place, piece)
            if free < 1 or not row.holds_ground or "cannot_attack" in row.traits:
                continue
            for n in dict.fromkeys((free, 1)):
                command = bm.JoinAttack(step, bm.AttackGroup(place, {piece: n}))
                words = Say("{unit}, {space}", unit=Count(n, unit(row.unit)), space=area(place))
                found.append((pg.Send(command), words))
    if not found:
        return pg.Refuse(Say("No known units can attack"))
    return choose("join", Say("Who joins the attack?"), found)


# Mines


def mines_row(state: GameState, acts: pg.Acts) -> tuple[pg.Item, ...]:
    """Return the line that lets enemy mines go off, where there are any."""
    found: list[tuple[pg.Act, pg.Words]] = []
    for key, laid in sorted(lg.ledger_of(state).mines.items()):
        place, owner, is_border = lg.mines_of(key)
        if mines_fault(state, place, owner) is not None:
            continue
        where: pg.Words = area(place)
        if is_border:
            where = Say("{space}, border to {other}", space=area(place), other=area(owner))
        for n in range(laid, 0, -1):
            draft = CombatDraft(mines=(place, owner, n), key=f"mines.{place}.{owner}.{n}")
            found.append((take_up(draft), Say("{where}: {n} of {laid}", where=where, n=n, laid=laid)))
    if not found:
        return ()
    act = acts.put("mines", choose("mines", Say("Which mines?"), found))
    sub = Say("The enemy decides, all mines of a border at once")
    return (pg.Item("mines", Say("Mines go off"), sub, act=act),)


def _mine_mark(state: GameState, owner: str) -> pg.Mark:
    """Return whose mines go off: a power's, or a neighbour's that has no clock of its own."""
    return nation_mark(state.frozen_setup, owner)


def mines_page(sight: pg.Sight, draft: CombatDraft, mines: tuple[SiteId, str, int]) -> pg.Shown:
    """Return mines that go off: first the dice, then who is turned back or destroyed.

    The dice that the program may roll come from the wall clock.
    """
    state, seed, (place, owner, count) = sight.state, sight.wall_ms, mines
    acts = pg.Acts()
    on_land = lg.board(state).type_of(place) == "land"
    dice = dice_of(state, place, count)
    title = Say("Mines: {space}", space=area(place))
    values = draft.values[:dice]
    if len(values) < dice:
        symbol = unit_symbol(state, "mine")
        lines = (VolleyLine(dice_say(dice, MINE_NEED), None, dice, None, MINE_NEED, symbol),)
        rng = random.Random(seed)
        thrown = tuple(rng.randint(1, FACES) for _n in range(dice))
        rolled = DiceOrigin(DiceSource.VIRTUAL, seed=seed)
        roll = edit(draft.key, lambda d: replace(d, values=thrown, read=frozenset(), origin=rolled))
        lead = Say("The owner of the mines rolls")
        right = pg.Button(Say("Dice are correct"), why_not=lead)
        main, second, tools = dice_foot(sight, acts, draft, lines, acts.put("roll", roll), right)
        page = pg.Page(
            draft.key,
            title,
            lead=lead,
            blocks=dice_blocks(acts, draft, lines, _mine_mark(state, owner)),
            tools=tools,
            main=main,
            second=second,
        )
        return pg.Shown(page, acts)
    hits = sum(value <= MINE_NEED for value in values)
    attack = next((a for a in bm.battles_of(state).attacks if a.space == place and on_land), None)
    attack_id = None if attack is None else attack.id
    counters = Counters(acts, draft)
    rows = tuple(
        counters.item(
            piece,
            piece_say(piece, whose=True),
            n,
            mark=owner_mark(state, piece),
            symbol=unit_symbol(state, piece),
        )
        for piece, n in crossing(state, place, owner, attack_id).items()
    )
    chosen = {Piece(key): n for key, n in counters.shown.items() if n}
    command = bm.RollMines(state.step.id, place, owner, count, values, attack_id, chosen, draft.origin)
    turned = Say.counted("{n} hit: choose who is turned back", "{n} hits: choose who is turned back", hits)
    lost = Say.counted("{n} hit: choose who is hit", "{n} hits: choose who is hit", hits)
    page = pg.Page(
        f"{draft.key}.hits",
        title,
        turned if on_land else lost,
        blocks=counted("crossing", rows),
        tools=counters.tools,
        main=pg.Button(Say("Mines are done"), acts.put("done", press(command))),
    )
    return pg.Shown(page, acts)
