"""The Reinforcements screen of North Africa: convoys, income and baskets, mines, deployment."""

from __future__ import annotations

from companion.core.ids import Nation, SiteId
from companion.core.state import GameState
from companion.core.text import Count, Say, Typed, Value, area, nation, several, unit
from companion.games.aana.pages.entries import ask_malta
from companion.games.aana.pages.setup import free_rows, setup_page
from companion.games.aana.pages.tell import choose, fan_made, owner_mark, pieces_say, supply_say
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules import reinforce_messages as rf
from companion.games.aana.rules.board import RESERVE_ZONE
from companion.games.aana.rules.conditions import route_open
from companion.games.aana.rules.deploy import advance as convoys_advance
from companion.games.aana.rules.deploy import deploy_targets
from companion.games.aana.rules.figures import TURN_POWERS, Row
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.requisition import LAND_MINE_COST, SEA_MINE_COST, malta_waits, purchase_fault
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.turn import turn_powers
from companion.pages import page as pg
from companion.pages.needs import followed
from companion.pages.parts import back_button, end_button, nation_mark, refusal_words
from companion.pages.rulings import deciding, ruling_tools
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["reinforce_page"]


def reinforce_page(sight: pg.Sight) -> pg.Shown:
    """Return what the phase asks: convoys, purchases, deployment; else what every power earns."""
    state = sight.state
    if state.step.phase == "setup":
        return setup_page(sight)
    pages = {"convoys": _convoys, "requisition": _buy, "deploy": _deploy}
    return pages.get(state.step.phase, _incomes)(state)


def _incomes(state: GameState) -> pg.Shown:
    acts = pg.Acts()
    rows = []
    for power in TURN_POWERS:
        whole = rf.income(state, power)
        mark = nation_mark(state.frozen_setup, power)
        rows.append(pg.Item(power, nation(power), _income(whole), _at_least(whole, whole.total), mark))
    page = pg.Page(
        "incomes",
        Say("Reinforcements"),
        blocks=(pg.Rows("incomes", tuple(rows)),),
        main=back_button(acts),
    )
    return pg.Shown(page, acts)


def _income(whole: rf.Income) -> Value:
    words = {"base": Say("basic"), "bid": Say("bid")}
    parts: list[Value] = [
        Say("{source} {n}", source=words.get(name) or area(name), n=Typed("–") if n is None else n)
        for name, n in whole.lines
    ]
    if whole.missing:
        n = len(whole.missing)
        parts.append(Say.counted("{n} printed value is missing", "{n} printed values are missing", n))
    if whole.markers:
        n = len(whole.markers)
        parts.append(Say.counted("{n} marker is not known", "{n} markers are not known", n))
    return several(parts, "comma")


def _at_least(whole: rf.Income, points: int) -> pg.Words:
    """Return points of which some are not known yet as what they are at least."""
    return Say("{n} or more", n=points) if _is_open(whole) else points


def _is_open(whole: rf.Income) -> bool:
    """Say whether some of an income is not known yet."""
    return bool(whole.missing or whole.markers)


def _banner(
    state: GameState, sub: pg.Words | None, value: pg.Words | None = None, unit_: Say | None = None
) -> pg.Banner:
    power = lg.acting_power(state)
    return pg.Banner("power", nation(power), sub, value, unit_, nation_mark(state.frozen_setup, power))


# Phase 1


def _convoys(state: GameState) -> pg.Shown:
    power, own, ledger, acts = lg.acting_power(state), lg.board(state), lg.ledger_of(state), pg.Acts()
    rows = []
    for zone, row in own.convoys.items():
        held = pieces_say(lg.held_units(ledger, zone, (power,)))
        tokens = lg.known_supply(ledger, f"{zone}@{power}") or 0
        if held is None and not tokens:
            continue
        if row.next:
            goes = Say("moves to {space}", space=area(row.next))
        elif (is_open := route_open(state, zone)).is_unknown:
            goes = is_open.needs[0].question
        elif is_open.is_yes:
            goes = Say("lands in {space}", space=area(row.port))
        else:
            goes = Say("route closed: back to the Reinforcements Zone")
        cargo = [part for part in (held, supply_say(tokens) if tokens else None, goes) if part is not None]
        rows.append(pg.Item(zone, area(zone), several(cargo, "comma")))
    waits = bool(rows) and not rf.reinforce_of(state).advanced
    command = rf.AdvanceConvoys(state.step.id)
    advance = pg.Button(Say("Advance convoys"), acts.put("advance", pg.Send(command)))
    decides = deciding(state, ("aana.port_full",), lambda s: convoys_advance(s, command)) if waits else ()
    empty = Say("No convoy of this power is at sea")
    page = pg.Page(
        f"convoys.{power}",
        Say("Advance Convoys"),
        Say("Land escorting aircraft by hand, or they are lost"),
        "muted",
        tools=ruling_tools(state, acts, decides),
        blocks=(_banner(state, None), pg.Rows("convoys", (*free_rows(state, acts), *rows), empty=empty)),
        main=advance if waits else end_button(state, acts),
    )
    return pg.Shown(page, acts)


# Phase 2


_FEWER_TOKENS = 5
"""Supply that a power may buy in a turn under one reading of the rules; the damaged chart lets it buy more."""


def _buy(state: GameState) -> pg.Shown:
    power, step, acts = lg.acting_power(state), state.step.id, pg.Acts()
    whole, left = rf.income(state, power), rf.points_left(state, power)
    slice_, book = rf.reinforce_of(state), lg.figures(state)
    tiles: list[pg.Item] = []
    others: list[pg.Item] = []
    tokens = slice_.bought.get(piece_key(power, rf.SUPPLY_ONE), 0)
    decides = ["aana.supply_limit"] if power != "us" and tokens >= _FEWER_TOKENS else []
    if power == "uk" and not slice_.malta_paid and not slice_.bought:
        act = acts.put("malta", pg.Send(rf.PayMalta(step)))
        supply = unit_symbol(state, rf.SUPPLY_ONE)
        others.append(
            pg.Item("malta", Say("Malta: 15 points"), Say("costs 1 supply"), symbol=supply, act=act)
        )
        decides.append("aana.malta_asked")
    if power == "uk":
        act = acts.put("repair", pg.Send(rf.RepairBattleship(step)))
        ship = unit_symbol(state, "battleship")
        others.append(
            pg.Item("repair", Say("Repair a battleship"), Say("1 supply in Cairo"), symbol=ship, act=act)
        )
    for owner in turn_powers(state):
        for row in book.rows():
            if not book.has(owner, row.unit) or book.row(owner, row.unit) is not row:
                continue
            if row.unit == "tiger" and "tiger" not in state.frozen_setup.options.get("optional", ()):
                continue
            tiles.append(_goods(state, acts, owner, row, left))
    for token, price in rf.TOKENS.items():
        have = slice_.bought.get(piece_key(power, rf.SUPPLY_ONE), 0) if token == rf.SUPPLY_ONE else 0
        tiles.append(_tile(state, acts, power, token, cost=price, have=have, can_pay=price <= left))
    for kind, title, cost, ask in (
        ("land_mine", Say("Land mine"), LAND_MINE_COST, _ask_land_mine(state)),
        ("sea_mine", Say("Sea mine"), SEA_MINE_COST, _ask_sea_mine(state)),
    ):
        mine = unit_symbol(state, "mine")
        others.append(pg.Item(kind, title, value=cost, symbol=mine, act=acts.put(kind, ask)))
    page = pg.Page(
        f"buy.{power}",
        Say("Buy reinforcements"),
        fan_made(state),
        "muted",
        tools=ruling_tools(state, acts, decides),
        blocks=(
            _banner(
                state,
                _income(whole),
                _at_least(whole, left),
                # French has one of zero, but not of "zero or more".
                Say.counted("point left", "points left", max(left, 2) if _is_open(whole) else left),
            ),
            pg.Tiles("goods", tuple(tiles)),
            pg.Tiles("others", tuple(others)),
        ),
        main=end_button(state, acts),
    )
    return pg.Shown(page, acts)


def _goods(state: GameState, acts: pg.Acts, owner: Nation, row: Row, left: int) -> pg.Item:
    have = rf.reinforce_of(state).bought.get(piece_key(owner, row.unit), 0)
    can_pay = row.cost is not None and row.cost <= left
    return _tile(state, acts, owner, row.unit, cost=row.cost, have=have, can_pay=can_pay)


def _tile(
    state: GameState, acts: pg.Acts, owner: Nation, kind: str, *, cost: int | None, have: int, can_pay: bool
) -> pg.Item:
    """Return what a tap buys, with its cost, or how many are bought; where it may not be bought, a tap says why."""
    fault = purchase_fault(state, owner, kind, 1)
    buy: pg.Act = pg.Send(rf.Requisition(state.step.id, owner, kind, 1))
    if malta_waits(state):
        buy = followed(ask_malta(state), buy)
    act = acts.put(piece_key(owner, kind), buy if fault is None else pg.Refuse(refusal_words(fault)))
    foreign = owner != state.step.nation
    is_free = fault is None and can_pay
    return pg.Item(
        piece_key(owner, kind),
        unit_short(state, kind),
        value=have or (Typed("–") if cost is None else cost),
        mark=nation_mark(state.frozen_setup, owner) if foreign else None,
        symbol=unit_symbol(state, kind),
        state="chosen" if have else "plain" if is_free else "muted",
        act=act,
    )


def _ask_sea_mine(state: GameState) -> pg.Ask:
    own, step = lg.board(state), state.step.id
    zones = tuple(pg.Item(zone, area(zone)) for zone in (*own.convoys, *own.sea_zones()))
    return pg.asked(
        "sea_mine",
        Say("Which sea zone?"),
        zones,
        lambda zone: pg.Send(rf.LaySeaMine(step, SiteId(zone))),
        is_wide=False,
    )


def _ask_land_mine(state: GameState) -> pg.Ask:
    """Ask for a territory, then for one that may touch it."""
    own, ways, step = lg.board(state), routes(state), state.step.id
    places = [row.id for row in own.territories() if not row.owner]

    def ask_border(territory: SiteId) -> pg.Ask:
        near = ways.neighbours(territory) if ways is not None and ways.knows(territory) else places
        return pg.asked(
            "border",
            Say("Facing which territory?"),
            tuple(pg.Item(space, area(space)) for space in places if space in near and space != territory),
            lambda toward: pg.Send(rf.LayLandMine(step, territory, SiteId(toward))),
            is_wide=False,
        )

    options = tuple(pg.Item(space, area(space)) for space in places)
    return pg.asked(
        "land_mine", Say("Which territory?"), options, lambda key: ask_border(SiteId(key)), is_wide=False
    )


# Phase 6


def _deploy(state: GameState) -> pg.Shown:
    power, step, acts, ledger = lg.acting_power(state), state.step.id, pg.Acts(), lg.ledger_of(state)
    rows = []
    stuck = False
    for piece, n in rf.waiting(state).items():
        kind = lg.split(piece)[1]
        targets = deploy_targets(state, power, kind)
        stuck = stuck or not targets
        sub = several(map(area, targets[:4]), "comma") if targets else None
        act = acts.put(piece, _ask_where(state, RESERVE_ZONE, piece, n)) if targets else None
        why_not = None if targets else Say("nowhere to go")
        mark = owner_mark(state, piece)
        rows.append(pg.Item(piece, Count(n, unit(kind)), sub, mark=mark, act=act, why_not=why_not))
    if stuck:
        act = acts.put("lose", pg.Send(rf.LoseUndeployed(step)))
        rows.append(pg.Item("lose", Say("Lose what has nowhere to go"), state="danger", act=act))
    staging = lg.board(state).staging(power)
    if staging:
        staged = lg.held_units(ledger, staging, (power,))
        tokens = lg.known_supply(ledger, staging) or 0
        for piece, n in (*staged.items(), *(((piece_key(power, rf.SUPPLY_ONE), tokens),) if tokens else ())):
            title = Say("{units} in {space}", units=Count(n, unit(lg.split(piece)[1])), space=area(staging))
            act = acts.put(f"staged.{piece}", _ask_where(state, staging, piece, n))
            rows.append(pg.Item(f"staged.{piece}", title, Say("staged: may sail"), act=act))
    page = pg.Page(
        f"deploy.{power}",
        Say("Deploy Reinforcements"),
        Say("Tap a line, then choose where it goes"),
        "muted",
        blocks=(
            _banner(state, None),
            pg.Rows(
                "deploy",
                tuple(rows),
                empty=Say("Nothing is waiting in the Reinforcements Zone"),
                is_wide=False,
            ),
        ),
        main=end_button(state, acts),
    )
    return pg.Shown(page, acts)


def _ask_where(state: GameState, origin: SiteId, piece: Piece, n: int) -> pg.Ask:
    """Ask where a waiting line goes: all of it, or one piece."""
    power, kind, _damaged = lg.split(piece)
    found = [
        (
            pg.Send(rf.Deploy(state.step.id, power, kind, count, space, origin)),
            Say("{n} → {space}", n=count, space=area(space)),
        )
        for space in deploy_targets(state, power, kind)
        if space != origin
        for count in dict.fromkeys((n, 1))
    ]
    return choose(f"where.{piece}", Say("Where do they go?"), found, is_wide=False)
