"""Declaring attacks on North Africa's Combat screen, the list of attacks, and mines that go off."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from companion.core.state import GameState
from companion.core.text import area, several
from companion.games.aana.pages.combat_view import CombatRow, CombatView, Draft, VolleyLine
from companion.games.aana.pages.words import kind_name, pieces_text, power_name, space_name, unit_word
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.combat import FACES
from companion.games.aana.rules.combat_open import main_origins
from companion.games.aana.rules.declare import attack_cost
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.games.aana.rules.ledger import (
    acting_side,
    board,
    figures,
    held_units,
    known_supply,
    ledger_of,
    mines_of,
    occupants,
    sources,
    split,
)
from companion.games.aana.rules.mines import MINE_NEED, crossing, dice_of, mines_fault
from companion.games.aana.rules.movement import free_to_attack
from companion.games.aana.rules.supply import payer_fault
from companion.games.aana.rules.turn import turn_powers
from companion.pages.i18n import N_, _, ngettext
from companion.pages.speak import speak

__all__ = [
    "RESULTS",
    "attack_rows",
    "declare_view",
    "join_options",
    "list_view",
    "main_directions",
    "mine_dice",
    "mine_options",
    "mines_row",
    "pay_options",
    "pay_rows",
    "payers",
    "mines_view",
    "target_options",
]

RESULTS: Final[Mapping[str, str]] = {
    "attacker": N_("Nobody is left to defend"),
    "defender": N_("Nobody is left to attack"),
    "both": N_("Nobody is left on either side"),
    "ceased": N_("The attack has ceased"),
    "stalemate": N_("Nobody can hit or leave any more"),
    "mined": N_("Mines turned everyone back"),
}


def declare_view(state: GameState, draft: Draft) -> CombatView:
    power = state.step.nation or ""
    if not draft.target:
        rows = (
            CombatRow("new", _("Declare an attack"), _("Choose the space that is attacked"), ask="target"),
            *mines_row(state),
            *attack_rows(state, tap=False),
        )
        return CombatView(
            title=_("Declare attacks"),
            lead=power_name(state, power),
            rows=rows,
            main_text=_("Attacks declared"),
            ends_act=True,
            key="declare",
        )
    rows, groups = _candidates(state, draft)
    cost = {group.origin: n for group in groups if (n := attack_cost(figures(state), group))}
    paid = ", ".join(f"{space_name(state, origin)} {n}" for origin, n in cost.items())
    groups = tuple(
        bm.AttackGroup(group.origin, group.units, draft.pay.get(group.origin, "")) for group in groups
    )
    command = bm.DeclareAttack(state.step.id, draft.target, groups) if groups else None
    other = CombatRow("other", _("Another space"), ask="target")
    if not rows:
        text = _("No units are known that could attack")
        rows = (CombatRow("none", text, _("Count spaces on the Board screen")),)
    return CombatView(
        title=_("Attack on {space}").format(space=space_name(state, draft.target)),
        lead=_("Supply: {places}").format(places=paid) if paid else _("No supply to pay"),
        rows=(other, *rows, *pay_rows(state, cost, draft)),
        main_text=_("Declare"),
        main_command=command,
        is_main_ready=command is not None,
        key=f"declare.{draft.target}",
    )


def target_options(state: GameState, *, known: bool = True) -> tuple[tuple[str, str], ...]:
    """Return spaces that may be attacked: those where the enemy is known, or all others."""
    own, ledger, book = board(state), ledger_of(state), figures(state)
    side = acting_side(state)
    spaces = [row.id for row in own.territories()] + list(own.convoys)
    spaces += own.sea_zones()
    attacked = {attack.space for attack in bm.battles_of(state).attacks}

    def is_hostile(space: str) -> bool:
        if SIDE_OF.get(ledger.control.get(space, "")) == enemy_of(side):
            return True
        return bool(ledger.units.get(space) and occupants(ledger, book, space, enemy_of(side)))

    found = []
    for space in sorted(
        (s for s in spaces if s not in attacked and is_hostile(s) == known),
        key=lambda s: space_name(state, s),
    ):
        foes = held_units(ledger, space, [p for p, s in SIDE_OF.items() if s != side])
        text = space_name(state, space)
        found.append((space, f"{text}: {pieces_text(state, foes)}" if foes else text))
    return tuple(found)


def _candidates(state: GameState, draft: Draft) -> tuple[tuple[CombatRow, ...], tuple[bm.AttackGroup, ...]]:
    own, ledger, book = board(state), ledger_of(state), figures(state)
    powers = turn_powers(state)
    at_sea = own.type_of(draft.target) != "land"
    rows: list[CombatRow] = []
    groups: dict[str, dict[str, int]] = {}
    for place in sorted(ledger.units, key=lambda s: (s != draft.target, space_name(state, s))):
        kind = own.type_of(place)
        if kind == "zone":
            continue
        for piece in held_units(ledger, place, powers):
            row = book.row(*split(piece)[:2])
            land = row.type == "land"
            fits = row.is_combat and "cannot_attack" not in row.traits
            fits = fits and (not at_sea if land else at_sea or not row.is_sea)
            fits = fits and (
                kind == "land" and place != draft.target if land else kind in ("land", "sea", "convoy")
            )
            free = free_to_attack(state, place, piece)
            if not fits or free < 1:
                continue
            key = f"{place}|{piece}"
            count = min(draft.counts.get(key, 0), free)
            value = "–" if row.attack is None else str(row.attack)
            sub = _("{n} there, attack {value}").format(n=free, value=value)
            rows.append(
                CombatRow(
                    key, f"{unit_word(row.unit)}, {space_name(state, place)}", sub, count=count, most=free
                )
            )
            if count:
                groups.setdefault(place, {})[piece] = count
    return tuple(rows), tuple(bm.AttackGroup(place, units) for place, units in groups.items())


def payers(state: GameState, space: str, side: str = "") -> tuple[tuple[str, int], ...]:
    """Return the other territories whose supply may pay for one, with their tokens, as far as is known.

    Args:
        side: Whose units in `space` are paid for; empty = the side whose turn it is.
    """
    side = side or acting_side(state)
    return tuple(
        (place, tokens)
        for place, tokens in ledger_of(state).supply.items()
        if place.partition("@")[0] != space and tokens and payer_fault(state, place, space, side) is None
    )


def pay_rows(state: GameState, cost: Mapping[str, int], draft: Draft) -> list[CombatRow]:
    """Return a line for each attacking territory that pays: where its supply comes from."""
    rows = []
    for origin, n in cost.items():
        if len(pay_options(state, origin, n)) < 2:
            continue
        source = draft.pay.get(origin, origin)
        names = speak(several(map(area, sources(source))), state)
        text = _("Supply for {space}: {n} from {source}").format(
            space=space_name(state, origin), n=n, source=names
        )
        rows.append(CombatRow(f"pay.{origin}.{n}", text, _("Tap to take it from elsewhere"), ask="pay"))
    return rows


def pay_options(state: GameState, origin: str, cost: int) -> tuple[tuple[str, str], ...]:
    """Return where the supply of an attack may come from: itself, a territory next to it, or both together."""
    own = known_supply(ledger_of(state), origin)
    found = []
    if own is None or own >= cost:
        found.append((origin, space_name(state, origin)))
    for place, tokens in payers(state, origin):
        name = space_name(state, place)
        if tokens >= cost:
            found.append((place, name))
        if own and own < cost <= own + tokens:
            both = _("{n} from {one}, the rest from {other}")
            text = both.format(n=own, one=space_name(state, origin), other=name)
            found.append((f"{origin}+{place}", text))
    return tuple(found)


def attack_rows(state: GameState, *, tap: bool) -> tuple[CombatRow, ...]:
    rows = []
    for attack in bm.battles_of(state).attacks:
        units: dict[str, int] = {}
        for group in attack.groups:
            for piece, n in group.units.items():
                units[piece] = units.get(piece, 0) + n
        sub = pieces_text(state, units)
        if attack.result:
            sub = _(RESULTS[attack.result])
        ask = "open" if tap and not attack.result else ""
        rows.append(CombatRow(str(attack.id), space_name(state, attack.space), sub, ask=ask))
    return tuple(rows)


def list_view(state: GameState) -> CombatView:
    attacks = bm.battles_of(state).attacks
    waiting = [attack for attack in attacks if not attack.result]
    lead = ngettext("{n} attack waits", "{n} attacks wait", len(waiting)).format(n=len(waiting))
    if not waiting:
        lead = _("No attack waits")
    return CombatView(
        title=_("Conduct combat"),
        lead=lead,
        rows=attack_rows(state, tap=True),
        main_text=_("Combats done"),
        ends_act=True,
        key="list",
    )


def main_directions(state: GameState, attack_id: int) -> tuple[tuple[str, str], ...]:
    """Return the territories that tie for the main attack; empty when one is strongest."""
    attack = next(item for item in bm.battles_of(state).attacks if item.id == attack_id)
    tied = main_origins(state, attack)
    return tuple((origin, space_name(state, origin)) for origin in tied) if len(tied) > 1 else ()


# Mines


def mines_row(state: GameState) -> tuple[CombatRow, ...]:
    """Return the line that lets enemy mines go off, where there are any."""
    if not mine_options(state):
        return ()
    return (
        CombatRow("mines", _("Mines go off"), _("The enemy decides, all of a border at once"), ask="mines"),
    )


def mine_options(state: GameState) -> tuple[tuple[tuple[str, str, int], str], ...]:
    """Return the mines that the enemy of the acting side may set off: (place, owner, how many) and its text."""
    ledger = ledger_of(state)
    found = []
    for key, laid in sorted(ledger.mines.items()):
        place, owner, border = mines_of(key)
        if mines_fault(state, place, owner) is not None:
            continue
        where = space_name(state, place)
        if border:
            where = _("{space}, border to {other}").format(space=where, other=space_name(state, owner))
        found += [
            ((place, owner, n), _("{where}: {n} of {laid}").format(where=where, n=n, laid=laid))
            for n in range(laid, 0, -1)
        ]
    return tuple(found)


def mines_view(state: GameState, draft: Draft) -> CombatView:
    """Return the view of mines that go off: first the dice, then who is turned back or destroyed."""
    place, owner, count = draft.mines or ("", "", 0)
    on_land = board(state).type_of(place) == "land"
    dice = dice_of(state, place, count)
    title = _("Mines: {space}").format(space=space_name(state, place))
    key = f"mines.{place}.{owner}.{count}"
    values = draft.values[:dice]
    if len(values) < dice:
        text = ngettext("{dice} die at {n} or less", "{dice} dice at {n} or less", dice).format(
            dice=dice, n=MINE_NEED
        )
        line = VolleyLine(text, "", (*values, *(None for _n in range(dice - len(values)))))
        return CombatView(
            title=title,
            lead=_("The owner of the mines rolls"),
            volleys=(line,),
            is_dice=True,
            main_text=_("Dice are right"),
            is_main_ready=False,
            key=key,
        )
    hits = sum(value <= MINE_NEED for value in values)
    attack = next((a for a in bm.battles_of(state).attacks if a.space == place and on_land), None)
    pieces = crossing(state, place, owner, None if attack is None else attack.id)
    rows = tuple(
        CombatRow(
            piece, kind_name(state, piece, with_power=True), count=min(n, draft.counts.get(piece, 0)), most=n
        )
        for piece, n in pieces.items()
    )
    chosen = {row.key: row.count for row in rows if row.count}
    command = bm.RollMines(
        state.step.id,
        place,
        owner,
        count,
        values,
        None if attack is None else attack.id,
        chosen,
        draft.origin,
    )
    word = _("turned back") if on_land else _("hit")
    return CombatView(
        title=title,
        lead=ngettext("{n} hit: choose who is {word}", "{n} hits: choose who is {word}", hits).format(
            n=hits, word=word
        ),
        rows=rows,
        main_text=_("Mines are done"),
        main_command=command,
        key=key,
    )


def mine_dice(seed: int, count: int) -> tuple[int, ...]:
    """Roll dice for mines; the same seed gives the same values."""
    dice = random.Random(seed)
    return tuple(dice.randint(1, FACES) for _n in range(count))


def join_options(state: GameState, fight: Fight) -> tuple[tuple[bm.JoinAttack, str], ...]:
    """Return land units that may be added to an attack that is pressed, one piece or all of a kind."""
    powers = turn_powers(state)
    ledger, book = ledger_of(state), figures(state)
    found = []
    for place in sorted(ledger.units):
        if board(state).type_of(place) != "land" or place == fight.space:
            continue
        for piece in held_units(ledger, place, powers):
            row = book.row(*split(piece)[:2])
            free = free_to_attack(state, place, piece)
            if free < 1 or not row.holds_ground or "cannot_attack" in row.traits:
                continue
            for count in dict.fromkeys((free, 1)):
                text = f"{count} × {unit_word(row.unit)}, {space_name(state, place)}"
                found.append((bm.JoinAttack(state.step.id, bm.AttackGroup(place, {piece: count})), text))
    return tuple(found)
