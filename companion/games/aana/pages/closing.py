"""Retreat and escape, pressing and the end of a North Africa combat on the Combat screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from companion.core.ids import SiteId
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.games.aana.pages.declare import RESULTS, ask_join, cost_say, pay_rows
from companion.games.aana.pages.draft import CombatDraft, Counters, counted, edit, fight_page, luck_say, press
from companion.games.aana.pages.stages import cargo_rows, coach_row, odds_row
from companion.games.aana.pages.tell import owner_mark, piece_say, pieces_say, tile_say
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.battle_end import advance_able, advance_default
from companion.games.aana.rules.casualties import escape
from companion.games.aana.rules.combat import arena_of
from companion.games.aana.rules.combat_close import retreating, unopposed_raids
from companion.games.aana.rules.fight import Fight, costs_of, key_parts, kind_key
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.games.aana.rules.pieces import Piece
from companion.games.aana.rules.retreats import may_shelter, refuges
from companion.games.aana.rules.rounds import aaa_alone, press_cost
from companion.pages import page as pg
from companion.pages.rulings import ruling_items
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["leave_page", "over_page", "press_page"]


def leave_page(state: GameState, fight: Fight, draft: CombatDraft) -> pg.Shown:
    """Return step 4: who retreats where, or who escapes."""
    going = retreating(fight)
    return _retreat_page(state, fight, going, draft) if going else _escape_page(state, fight, draft)


def _escape_page(state: GameState, fight: Fight, draft: CombatDraft) -> pg.Shown:
    acts = pg.Acts()
    behind, _away = escape(fight.cargo, costs_of(lg.figures(state), fight.cargo))
    counters = Counters(acts, draft)
    rows, chosen = cargo_rows(state, counters, fight.cargo, behind)
    command = bm.LeaveCombat(state.step.id)
    if draft.counts:
        command = bm.LeaveCombat(state.step.id, escape={piece: n for piece, n in chosen.items() if n})
    title = Say("They escape") if draft.counts else Say("The two most expensive escape")
    return fight_page(
        state,
        fight,
        acts,
        lead=Say("One transport escapes with up to two units or lots of five supply"),
        blocks=counted("escape", rows),
        tools=counters.tools,
        main=pg.Button(title, acts.put("escape", press(command))),
    )


# Retreat


def _retreat_page(state: GameState, fight: Fight, going: dict[Piece, int], draft: CombatDraft) -> pg.Shown:
    acts, step = pg.Acts(), state.step.id
    counters = Counters(acts, draft)
    plan = _plan(going, draft)
    rest = _unplaced(going, plan)
    rows: list[pg.Item] = []
    if rest:
        text = Say("Choose where the others go") if plan else Say("Choose where they go")
        act = acts.put("where", _ask_refuge(state, fight, draft))
        rows.append(pg.Item("where", text, pieces_say(rest), act=act))
    for space, pieces in plan.items():
        for piece, n in pieces.items():
            title, sub = tile_say(state, piece), Say("to {space}", space=area(space))
            most = n + rest.get(piece, 0)
            key, mark = f"to.{space}|{piece}", owner_mark(state, piece)
            symbol = _symbol(state, piece)
            rows.append(counters.item(key, title, most, usual=n, sub=sub, mark=mark, symbol=symbol))
    main = pg.Button(Say("Retreat"), why_not=Say("Choose where they go"))
    if rest:
        text = Say("The others find no room: destroyed") if plan else Say("Nowhere to go: destroyed")
        act = acts.put("nowhere", pg.Send(bm.LeaveCombat(step, plan, nowhere=True)))
        rows.append(pg.Item("nowhere", text, pieces_say(rest), state="danger", act=act))
    else:
        main = pg.Button(main.title, acts.put("retreat", press(bm.LeaveCombat(step, plan))))
    return fight_page(
        state,
        fight,
        acts,
        lead=Say("Retreat to a friendly or neutral territory that land units did not attack"),
        blocks=counted("retreat", rows),
        tools=counters.tools,
        main=main,
    )


def _plan(going: Mapping[Piece, int], draft: CombatDraft) -> dict[SiteId, dict[Piece, int]]:
    """Return territory to the pieces that go there, as chosen so far."""
    found: dict[SiteId, dict[Piece, int]] = {}
    for space, pieces in draft.plan.items():
        for piece, n in pieces.items():
            count = min(going.get(piece, 0), draft.counts.get(f"to.{space}|{piece}", n))
            if count:
                found.setdefault(space, {})[piece] = count
    return found


def _unplaced(going: Mapping[Piece, int], plan: Mapping[SiteId, Mapping[Piece, int]]) -> dict[Piece, int]:
    left = {piece: n - sum(row.get(piece, 0) for row in plan.values()) for piece, n in going.items()}
    return {piece: n for piece, n in left.items() if n > 0}


def _room(state: GameState, space: SiteId) -> int:
    """Return how many units a territory still takes."""
    return lg.room(state, space, enemy_of(lg.acting_side(state)))


def _ask_refuge(state: GameState, fight: Fight, draft: CombatDraft) -> pg.Ask:
    """Ask for a territory that retreating units go to; what finds no room there is asked next."""
    going = retreating(fight)
    options = tuple(
        pg.Item(space, Say("{space}: room for {n}", space=area(space), n=_room(state, space)))
        for space in refuges(state, fight.space)
        if any(may_shelter(state, piece, space) for piece in going)
    )

    def chosen(space: str) -> pg.Act:
        return edit(draft.key, lambda d: _with_refuge(state, fight, d, SiteId(space)))

    return pg.asked("refuge", Say("Where do they go?"), options, chosen)


def _with_refuge(state: GameState, fight: Fight, draft: CombatDraft, space: SiteId) -> CombatDraft:
    """Send all that has no place yet to a territory, as many as its limit takes."""
    going = retreating(fight)
    plan = _plan(going, draft)
    sent: dict[Piece, int] = dict(plan.get(space, {}))
    left = _room(state, space) - sum(sent.values())
    for piece, n in _unplaced(going, plan).items():
        count = min(n, max(0, left)) if may_shelter(state, piece, space) else 0
        if count:
            sent[piece] = sent.get(piece, 0) + count
            left -= count
    return replace(draft, plan={**plan, space: sent}, counts={})


def _symbol(state: GameState, key: str) -> str:
    return unit_symbol(state, key_parts(key)[0])


# Press or cease


def press_page(state: GameState, fight: Fight, draft: CombatDraft) -> pg.Shown:
    """Return step 5."""
    acts, book, step = pg.Acts(), lg.figures(state), state.step.id
    arena = arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    counters = Counters(acts, draft)
    on_land, must_press = fight.rules.domain == "land", fight.rules.must_press
    rows, left = [], []
    for kind, n in zip(fight.attackers, fight.a, strict=True):
        key, out = kind_key(kind), 0
        if n and on_land and not fight.rules.with_all:
            sub = Say("may retreat: {n}", n=n)
            rows.append(
                counters.item(
                    key, piece_say(key), n, sub=sub, mark=owner_mark(state, key), symbol=_symbol(state, key)
                )
            )
            out = counters.shown[key]
        left.append(n - out)
    first = []
    if not must_press:
        first.append(
            pg.Item("cease", Say("Cease the attack"), act=acts.put("cease", pg.Send(bm.Cease(step))))
        )
    first.append(odds_row(state, fight, acts, draft))
    if not must_press:
        first.append(coach_row(state, fight, acts, draft))
    if on_land and "reinforce_attacks" in state.frozen_setup.options.get("optional", ()):
        first.append(
            pg.Item("join", Say("Add units to the attack"), act=acts.put("join", ask_join(state, fight)))
        )
    if aaa_alone(arena, fight.d):
        first += ruling_items(state, acts, ("aana.aaa_last",))
    if must_press:
        first += ruling_items(state, acts, ("aana.landing_unpaid",))
    cost = {origin: n for origin, n in press_cost(arena, tuple(left)).items() if n}
    if not must_press:
        first += pay_rows(state, acts, cost, draft)
    aside = {key: n for key, n in counters.shown.items() if n}
    sources = {origin: source for origin, source in draft.pay.items() if origin in cost}
    main = pg.Button(Say("Press the attack"), why_not=Say("All of them retreat"))
    if any(left):
        main = pg.Button(main.title, acts.put("press", press(bm.Press(step, aside, sources))))
    return fight_page(
        state,
        fight,
        acts,
        lead=cost_say(cost),
        blocks=counted("press", (*first, *rows)),
        tools=counters.tools,
        main=main,
        note=luck_say(fight),
    )


# The end


def over_page(state: GameState, fight: Fight, draft: CombatDraft) -> pg.Shown:
    """Return step 6: who moves in, what is captured, what may still be destroyed."""
    acts, attack, step = pg.Acts(), bm.attack_of(state, fight), state.step.id
    counters = Counters(acts, draft)
    rows: list[pg.Item] = []
    advance: dict[str, int] | None = None
    if fight.leaves == "surrender":
        rows.append(pg.Item("surrender", Say("The survivors surrender and join Free France")))
    if fight.result == "attacker" and fight.rules.domain == "land" and not attack.is_landing:
        moving, able = advance_default(state, fight, attack.power), advance_able(state, fight)
        is_choice = sum(able.values()) > sum(moving.values()) and len(able) > 1
        for key, n in able.items():
            mark, usual = owner_mark(state, key), moving.get(key, 0)
            if is_choice:
                sub = Say("may move in: {n}", n=n)
                rows.append(
                    counters.item(
                        key, piece_say(key), n, usual=usual, sub=sub, mark=mark, symbol=_symbol(state, key)
                    )
                )
            elif usual:
                title = Say("{n} × {unit}", n=usual, unit=piece_say(key))
                rows.append(pg.Item(key, title, Say("moves in"), mark=mark, symbol=_symbol(state, key)))
        if is_choice and draft.counts:
            advance = dict(counters.shown)
        rows += _captured(state, fight, attack) if moving else ()
    raids, most = 0, unopposed_raids(lg.figures(state), fight)
    there = lg.known_supply(lg.ledger_of(state), fight.space)
    most = most if there is None else min(most, there)
    if most:
        tokens, sub = unit_short(state, "supply"), Say("destroyed: one per scout car, one per bomber")
        symbol = unit_symbol(state, "supply")
        rows.append(counters.item("raid", tokens, most, sub=sub, symbol=symbol, is_lost=True))
        raids = counters.shown["raid"]
    lead = Say(RESULTS[fight.result])
    if advance is not None:
        lead = Say("{n} must move in", n=sum(advance_default(state, fight, attack.power).values()))
    conclude = press(lambda at_ms: bm.Conclude(step, advance, at_ms, raids))
    return fight_page(
        state,
        fight,
        acts,
        lead=lead,
        blocks=counted("over", rows)
        if counters.has_units
        else (pg.Rows("over", tuple(rows), is_wide=False),),
        tools=counters.tools,
        main=pg.Button(Say("Conclude"), acts.put("conclude", conclude)),
        note=luck_say(fight),
    )


def _captured(state: GameState, fight: Fight, attack: bm.Attack) -> Iterator[pg.Item]:
    if not lg.board(state).is_open_to_capture(fight.space):
        return
    yield pg.Item("marker", Say("Put your control marker on {space}", space=area(fight.space)))
    for convoy in lg.board(state).convoys_of(fight.space):
        opens = any(SIDE_OF[power] == SIDE_OF[attack.power] for power in convoy.powers)
        text = (
            Say("Open the convoy route: two control markers")
            if opens
            else Say("Close the convoy route: take the markers away")
        )
        yield pg.Item(convoy.id, text, area(convoy.id))
